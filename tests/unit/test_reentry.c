/* SPDX-License-Identifier: MIT
 *
 * Calls from inside a callback. Goal: on the same handle each is misuse and none waits, wherever the
 * callback is called from; where the header allows it, each works. Another handle may be used, and so
 * may this one by another thread.
 * Method: one action is taken through everything that calls back. Each callback, the first time it is
 * met, makes every call there is.
 */
#include "support/every_call.h"
#include "support/scene_store.h"
#include "support/test.h"

#include <pthread.h>
#include <unistd.h>

#include <deed/evidence.h>
#include <deed/mock/clock.h>

#define KEY      "pay-1"
#define START_MS 1700000000000

/* ---- places to call back from ------------------------------------------------------------------- */

enum place {
    IN_PREPARE,
    IN_ATTEMPT,
    IN_LOOKUP,
    IN_POLL,
    IN_CANCEL,
    IN_TRACE,
    IN_CLOCK,
    IN_RANDOM,
    IN_MEMORY,
    IN_VERIFIER,
    IN_INTENT_VISIT,
    IN_ATTEMPT_VISIT,
    IN_EVIDENCE_VISIT,
    IN_EVENT_VISIT,
    IN_PASS_VISIT,
    /* From here on calls are allowed. */
    IN_RECORDED,
    IN_LISTED,
    IN_FOUND,
    IN_RUN,
    IN_PASS,
    PLACES
};

static const char *const place_names[PLACES] = {"prepare", "attempt", "lookup", "poll", "cancel",
    "trace", "clock", "random", "memory", "verifier", "intent visit", "attempt visit",
    "evidence visit", "event visit", "pass visit", "record_many's visit", "list's visit",
    "find's visit", "run_due's visit", "reconcile_pass's visit"};

struct rig {
    struct scene_store *place;
    struct deed_store *first;
    deed_ledger *ledger;
    deed_ledger *other; /* on the same store; NULL for the reference store inside an operation */
    deed_sim_clock *time;
    deed_sim_random *chance;
    struct deed_clock clock;
    struct deed_random random;
    struct deed_allocator memory;
    struct deed_trace trace;
    bool armed; /* callbacks call back */
    bool inside;
    enum place wanted;
    unsigned met[PLACES];
    deed_verdict verdict;
    bool pending;
    deed_finding_kind finding;
};
static struct rig rig;

static bool is_barred(const struct deed_error *err)
{
    return strstr(err->text, "inside a callback") != NULL;
}

/* From another thread the same handle is free. */
static void *get_in_thread(void *context)
{
    struct deed_result result = {.size = sizeof(result)};
    deed_rc *rc = context;
    *rc = deed_get(rig.ledger, KEY, &result, NULL);
    return NULL;
}

static void check_other_thread(void)
{
    pthread_t thread;
    deed_rc rc = DEED_E_MISUSE;
    assert_int_equal(pthread_create(&thread, NULL, get_in_thread, &rc), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_true(rc == DEED_OK || rc == DEED_E_NOT_FOUND);
}

/* No transaction is open and no lock is held there. */
static bool is_outside(enum place place)
{
    return place <= IN_CANCEL || place == IN_VERIFIER || place >= IN_RECORDED;
}

static void call_back(enum place place)
{
    if (!rig.armed || rig.inside || place != rig.wanted || rig.met[place] > 0) {
        return;
    }
    rig.met[place]++;
    rig.inside = true;
    const bool allowed = place >= IN_RECORDED;
    for (size_t i = 0; i < every_call_count; i++) {
        struct deed_error err;
        memset(&err, 0, sizeof(err));
        const deed_rc rc = every_call[i].call(rig.ledger, "from-inside", &err);
        const bool barred = rc == DEED_E_MISUSE && is_barred(&err) &&
            strncmp(err.text, every_call[i].name, strlen(every_call[i].name)) == 0;
        if (barred == allowed) {
            fail_msg("%s in %s: %d %s", every_call[i].name, place_names[place], (int)rc, err.text);
        }
    }
    deed_ledger_close(rig.ledger); /* does nothing: the rest of the test would crash */
    if (is_outside(place)) {
        struct deed_result result = {.size = sizeof(result)};
        const deed_rc rc = deed_get(rig.other, KEY, &result, NULL);
        assert_true(rc == DEED_OK || rc == DEED_E_NOT_FOUND);
        check_other_thread();
    }
    rig.inside = false;
}

/* ---- the callbacks ------------------------------------------------------------------------------ */

static deed_rc prepare(void *self, const struct deed_request *request,
    struct deed_preparation *preparation, struct deed_error *err)
{
    (void)self;
    (void)err;
    call_back(IN_PREPARE);
    (void)snprintf(preparation->endpoint, sizeof(preparation->endpoint), "script://provider");
    return preparation->write(preparation->sink, request->key, strlen(request->key)) ? DEED_OK
                                                                                     : DEED_E_NOMEM;
}

static void attempt(void *self, const struct deed_call *call, struct deed_answer *answer)
{
    (void)self;
    call_back(IN_ATTEMPT);
    if (call->may_send(call->gate)) {
        answer->verdict = rig.verdict;
        answer->pending = rig.pending;
        (void)snprintf(answer->handle, sizeof(answer->handle), "%s", rig.pending ? "h-1" : "");
    }
}

static void find(struct deed_finding *finding)
{
    finding->kind = rig.finding;
    finding->complete = true;
    finding->marker_matches = true;
    finding->digest_matches = true;
    finding->count = rig.finding == DEED_FOUND_PRESENT ? 1 : 0;
}

static void lookup(void *self, const struct deed_question *question, struct deed_finding *finding)
{
    (void)self;
    (void)question;
    call_back(IN_LOOKUP);
    find(finding);
}

static void poll_handle(
    void *self, const struct deed_question *question, struct deed_finding *finding)
{
    (void)self;
    (void)question;
    call_back(IN_POLL);
    find(finding);
}

static void cancel(void *self, const struct deed_question *question, struct deed_finding *finding)
{
    (void)self;
    (void)question;
    call_back(IN_CANCEL);
    finding->kind = DEED_FOUND_NOTHING;
}

static void trace(void *self, const char *what, const char *key, const char *text)
{
    (void)self;
    (void)what;
    (void)key;
    (void)text;
    call_back(IN_TRACE);
}

static bool now(void *self, struct deed_instant *now_out)
{
    (void)self;
    call_back(IN_CLOCK);
    const struct deed_clock *machine = deed_sim_clock_machine(rig.time);
    return machine->now(machine->self, now_out);
}

static bool fill(void *self, void *buffer, size_t buffer_bytes)
{
    (void)self;
    call_back(IN_RANDOM);
    const struct deed_random *source = deed_sim_random_source(rig.chance);
    return source->fill(source->self, buffer, buffer_bytes);
}

static void *resize(void *self, void *memory, size_t old_bytes, size_t new_bytes)
{
    (void)self;
    (void)old_bytes;
    if (new_bytes > 0) { /* not while the handle is being closed */
        call_back(IN_MEMORY);
        return realloc(memory, new_bytes);
    }
    free(memory);
    return NULL;
}

static deed_rc see_intent(void *context, const struct deed_intent_row *row)
{
    (void)context;
    (void)row;
    call_back(IN_INTENT_VISIT);
    return DEED_OK;
}

static deed_rc see_attempt(void *context, const struct deed_attempt_row *row)
{
    (void)context;
    (void)row;
    call_back(IN_ATTEMPT_VISIT);
    return DEED_OK;
}

static deed_rc see_evidence(void *context, const struct deed_evidence_row *row)
{
    (void)context;
    (void)row;
    call_back(IN_EVIDENCE_VISIT);
    return DEED_OK;
}

static deed_rc see_event(void *context, const struct deed_event_row *row)
{
    (void)context;
    (void)row;
    call_back(IN_EVENT_VISIT);
    return DEED_OK;
}

static deed_rc see_pass(void *context, const struct deed_pass_row *row)
{
    (void)context;
    (void)row;
    call_back(IN_PASS_VISIT);
    return DEED_OK;
}

static deed_rc verify(void *self, const struct deed_evidence *evidence, int64_t now_ms,
    struct deed_verified *verified_out, struct deed_error *err)
{
    (void)self;
    (void)now_ms;
    (void)err;
    call_back(IN_VERIFIER);
    verified_out->outcome = DEED_APPLIED;
    (void)snprintf(verified_out->reference, sizeof(verified_out->reference), "ref-1");
    (void)snprintf(verified_out->event_id, sizeof(verified_out->event_id), "%s", evidence->key);
    return DEED_OK;
}

static bool see_result(
    void *context, deed_rc rc, const struct deed_result *result, const struct deed_error *err)
{
    (void)rc;
    (void)result;
    (void)err;
    call_back(*(const enum place *)context);
    return true;
}

/* ---- the story ----------------------------------------------------------------------------------- */

static void record_many(const char *key)
{
    struct deed_payload payload = {{"payment", 7}, {"provider", 8}, {"amount=1", 8}};
    struct deed_record record = {.size = sizeof(record), .key = key, .payload = &payload};
    enum place place = IN_RECORDED;
    assert_int_equal(deed_record_many(rig.ledger, &record, 1, see_result, &place, NULL), DEED_OK);
}

static void reconcile(const char *key)
{
    struct deed_result result = {.size = sizeof(result)};
    assert_int_equal(deed_reconcile(rig.ledger, key, &result, NULL), DEED_OK);
}

static void bring_word(const char *key)
{
    const struct deed_evidence evidence = {.size = sizeof(evidence),
        .key = key,
        .source = "verified",
        .message = {"it happened", 11},
        .by = "a tester"};
    assert_int_equal(deed_evidence_add(rig.ledger, &evidence, NULL, NULL), DEED_OK);
}

/* One intent is polled and looked up, one is found by a pass, a third is run because it is due. */
static void tell_the_story(void)
{
    enum place pass = IN_PASS;
    enum place run = IN_RUN;
    enum place list = IN_LISTED;
    enum place found = IN_FOUND;
    struct deed_list all = {.size = sizeof(all), .flags = DEED_LIST_ALL};
    struct deed_find find = {.size = sizeof(find), .reference = "ref-1"};
    struct deed_pass counts = {.size = sizeof(counts)};
    record_many(KEY);
    rig.pending = true;
    assert_int_equal(deed_run(rig.ledger, KEY, 0, NULL, NULL), DEED_OK);
    rig.pending = false;
    deed_sim_clock_advance(rig.time, 200000);
    rig.finding = DEED_FOUND_NOTHING;
    reconcile(KEY);
    rig.finding = DEED_FOUND_ABSENT; /* of the handle: nothing is pending any more */
    deed_sim_clock_advance(rig.time, 200000);
    reconcile(KEY);
    deed_sim_clock_advance(rig.time, 200000);
    assert_int_equal(deed_reconcile_pass(rig.ledger, see_result, &pass, &counts, NULL), DEED_OK);
    rig.verdict = DEED_VERDICT_UNKNOWN;
    record_many("pay-2");
    assert_int_equal(deed_run_due(rig.ledger, see_result, &run, NULL), DEED_OK);
    deed_sim_clock_advance(rig.time, 200000);
    rig.finding = DEED_FOUND_NOTHING;
    reconcile("pay-2");
    deed_sim_clock_advance(rig.time, 400000);
    assert_int_equal(deed_reconcile_pass(rig.ledger, see_result, &pass, &counts, NULL), DEED_OK);
    assert_int_equal(deed_intent_payload(rig.ledger, KEY, see_intent, NULL, NULL), DEED_OK);
    assert_int_equal(deed_intent_attempts(rig.ledger, KEY, see_attempt, NULL, NULL), DEED_OK);
    assert_int_equal(deed_intent_evidence(rig.ledger, KEY, see_evidence, NULL, NULL), DEED_OK);
    assert_int_equal(deed_intent_events(rig.ledger, KEY, see_event, NULL, NULL), DEED_OK);
    assert_int_equal(deed_ledger_list(rig.ledger, &all, see_result, &list, NULL), DEED_OK);
    bring_word(KEY);
    assert_int_equal(deed_ledger_find(rig.ledger, &find, see_result, &found, NULL), DEED_OK);
    assert_int_equal(deed_ledger_passes(rig.ledger, 0, see_pass, NULL, NULL), DEED_OK);
    struct deed_check check = {.size = sizeof(check)};
    assert_int_equal(deed_ledger_check(rig.ledger, NULL, NULL, &check, NULL), DEED_OK);
}

static void set_up(enum place wanted)
{
    memset(&rig, 0, sizeof(rig));
    rig.wanted = wanted;
    assert_int_equal(deed_sim_clock_new(START_MS, &rig.time, NULL), DEED_OK);
    assert_int_equal(deed_sim_random_new(7, &rig.chance, NULL), DEED_OK);
    rig.clock = (struct deed_clock){sizeof(rig.clock), NULL, now};
    rig.random = (struct deed_random){sizeof(rig.random), NULL, fill};
    rig.memory = (struct deed_allocator){sizeof(rig.memory), NULL, resize};
    rig.trace = (struct deed_trace){sizeof(rig.trace), NULL, trace};
    struct deed_options options = {.size = sizeof(options),
        .clock = &rig.clock,
        .random = &rig.random,
        .memory = &rig.memory,
        .trace = &rig.trace};
    rig.place = scene_store_new(&rig.first);
    assert_int_equal(deed_ledger_init(rig.first, "inside", true, &options, NULL), DEED_OK);
    assert_int_equal(
        deed_ledger_open(scene_store_attach(rig.place), &options, &rig.ledger, NULL), DEED_OK);
    assert_int_equal(deed_ledger_open(rig.first, NULL, &rig.other, NULL), DEED_OK);
    static const deed_executor scripted = {.size = sizeof(scripted),
        .name = "script",
        .version = "1",
        .flags = DEED_EXECUTOR_MOCK,
        .prepare = prepare,
        .attempt = attempt,
        .lookup = lookup,
        .poll = poll_handle,
        .cancel = cancel};
    static deed_executor executor;
    executor = scripted;
    const struct deed_profile profile = {.size = sizeof(profile),
        .landing_ms = 1000,
        .lag_ms = 1000,
        .reach_ms = 100000000,
        .consistency = DEED_CONSISTENCY_EVENTUAL,
        .attempts_max = 100};
    assert_int_equal(
        deed_ledger_register(rig.ledger, "payment", &executor, &profile, NULL), DEED_OK);
    static struct deed_verifier verifier;
    verifier = (struct deed_verifier){.size = sizeof(verifier), .verify = verify};
    assert_int_equal(
        deed_ledger_register_verifier(rig.ledger, "verified", &verifier, NULL), DEED_OK);
}

static void tear_down(void)
{
    rig.armed = false;
    deed_ledger_close(rig.ledger);
    deed_ledger_close(rig.other);
    scene_store_end(rig.place);
    deed_sim_clock_free(rig.time);
    deed_sim_random_free(rig.chance);
}

/* Each place in a story of its own: what the allowed calls do to the ledger shall not disturb the
 * others. */
static void test_reentry__every_call_from_every_callback_is_answered_as_the_header_says(
    void **state)
{
    (void)state;
    for (int place = 0; place < PLACES; place++) {
        set_up((enum place)place);
        rig.armed = true;
        tell_the_story();
        if (rig.met[place] == 0) {
            fail_msg("the story never came to %s", place_names[place]);
        }
        tear_down();
    }
}

static void test_reentry__every_call_is_in_the_table(void **state)
{
    (void)state;
    const char *missing = every_call_missing();
    if (missing != NULL) {
        fail_msg("tests/support/every_call.c and the headers differ: %s", missing);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reentry__every_call_is_in_the_table),
        cmocka_unit_test(
            test_reentry__every_call_from_every_callback_is_answered_as_the_header_says),
    };
    return cmocka_run_group_tests_name("reentry", tests, NULL, NULL);
}
