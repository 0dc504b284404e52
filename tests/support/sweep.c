/* SPDX-License-Identifier: MIT */
#include "support/sweep.h"

#include "support/test.h"

#include <unistd.h>

#include <deed/reference.h>
#include <deed/sqlite.h>

#define START_MS 1700000000000
#define HOUR_MS  3600000

/* ---- the provider --------------------------------------------------------------------------------- */

static deed_rc prepare(void *self, const struct deed_request *request,
    struct deed_preparation *preparation, struct deed_error *err)
{
    (void)self;
    (void)err;
    (void)snprintf(preparation->endpoint, sizeof(preparation->endpoint), "script://provider");
    return preparation->write(preparation->sink, request->key, strlen(request->key)) ? DEED_OK
                                                                                     : DEED_E_NOMEM;
}

static bool honours_key(const struct sweep_rig *rig)
{
    return rig->scenario->class == SWEEP_KEYED || rig->scenario->class == SWEEP_KEYED_LOOKUP;
}

static void attempt(void *self, const struct deed_call *call, struct deed_answer *answer)
{
    struct sweep_rig *rig = self;
    if (!call->may_send(call->gate)) {
        return;
    }
    rig->sends++;
    const bool known = honours_key(rig) && strcmp(rig->effect_key, call->provider_key) == 0;
    if (!rig->refuses && !known) {
        rig->effects++;
        (void)snprintf(rig->effect_key, sizeof(rig->effect_key), "%s", call->provider_key);
    }
    if (!rig->refuses && !rig->loses_reply) {
        answer->verdict = DEED_VERDICT_APPLIED;
        (void)snprintf(answer->reference, sizeof(answer->reference), "ref-%s", call->key);
    }
}

static void lookup(void *self, const struct deed_question *question, struct deed_finding *finding)
{
    const struct sweep_rig *rig = self;
    finding->kind = rig->effects > 0 ? DEED_FOUND_PRESENT : DEED_FOUND_ABSENT;
    finding->complete = true;
    finding->marker_matches = true;
    finding->digest_matches = true;
    finding->count = rig->effects;
    if (rig->effects > 0) {
        (void)snprintf(finding->reference, sizeof(finding->reference), "ref-%s", question->key);
    }
}

static void cancel(void *self, const struct deed_question *question, struct deed_finding *finding)
{
    lookup(self, question, finding);
    if (finding->kind == DEED_FOUND_ABSENT) {
        finding->kind = DEED_FOUND_CLOSED;
    }
}

static deed_executor executor_of(struct sweep_rig *rig)
{
    const enum sweep_class class = rig->scenario->class;
    const bool asks = class == SWEEP_LOOKUP || class == SWEEP_KEYED_LOOKUP;
    return (deed_executor){.size = sizeof(deed_executor),
        .name = "script",
        .version = "1",
        .flags = DEED_EXECUTOR_MOCK,
        .self = rig,
        .prepare = prepare,
        .attempt = attempt,
        .lookup = asks ? lookup : NULL,
        .cancel = class == SWEEP_CLOSABLE ? cancel : NULL};
}

static struct deed_profile profile_of(const struct sweep_rig *rig)
{
    struct deed_profile profile = {
        .size = sizeof(profile), .send_ms = 1000, .answer_ms = 1000, .attempts_max = 100};
    profile.landing_ms = 1000;
    profile.consistency = DEED_CONSISTENCY_STRONG;
    if (rig->executor.lookup != NULL) {
        profile.lag_ms = 1000;
        profile.reach_ms = 24 * (int64_t)HOUR_MS;
    }
    if (honours_key(rig)) {
        profile.window_ms = 24 * (int64_t)HOUR_MS;
    }
    return profile;
}

/* ---- handles --------------------------------------------------------------------------------------- */

struct deed_options sweep_options(const struct sweep_rig *rig)
{
    struct deed_options options = {.size = sizeof(options),
        .clock = deed_sim_clock_machine(rig->clock),
        .random = deed_sim_random_source(rig->random),
        .memory = rig->faults->memory};
    return options;
}

deed_rc sweep_open_store(struct sweep_rig *rig, const char *path, struct deed_store **store_out)
{
    const struct deed_sqlite_options options = {.size = sizeof(options),
        .vfs = rig->faults->vfs,
        .memory = rig->faults->memory,
        .random = deed_sim_random_source(rig->random),
        .checkpoint_pages = 20,
        .busy_ms = 2};
    return deed_sqlite_open(path, &options, store_out, &rig->err);
}

/* The observer's handle holds the memory of the reference store. */
static struct deed_store *reference_home;

deed_rc sweep_open_now(struct sweep_rig *rig, deed_ledger **ledger_out)
{
    struct deed_store *store = NULL;
    const struct deed_options options = sweep_options(rig);
    deed_rc rc = rig->on_disk ? sweep_open_store(rig, rig->path, &store)
                              : deed_reference_attach(reference_home, NULL, &store, NULL);
    if (rc == DEED_OK) {
        rc = deed_ledger_open(store, &options, ledger_out, &rig->err);
    }
    if (rc == DEED_OK) {
        const struct deed_profile profile = profile_of(rig);
        rc = deed_ledger_register(*ledger_out, "payment", &rig->executor, &profile, NULL);
        if (rc != DEED_OK) {
            deed_ledger_close(*ledger_out);
            *ledger_out = NULL;
        }
    }
    return rc;
}

void sweep_open(struct sweep_rig *rig)
{
    assert_int_equal(sweep_open_now(rig, &rig->ledger), DEED_OK);
}

void sweep_close(struct sweep_rig *rig)
{
    deed_ledger_close(rig->ledger);
    rig->ledger = NULL;
}

static void make_ledger(struct sweep_rig *rig)
{
    struct deed_store *store = NULL;
    struct deed_options options = sweep_options(rig);
    (void)snprintf(rig->folder, sizeof(rig->folder), "sweep-XXXXXX");
    assert_non_null(mkdtemp(rig->folder));
    (void)snprintf(rig->path, sizeof(rig->path), "%s/ledger", rig->folder);
    if (rig->on_disk) {
        assert_int_equal(deed_sqlite_create(rig->path, NULL, NULL), DEED_OK);
        assert_int_equal(deed_sqlite_open(rig->path, NULL, &store, NULL), DEED_OK);
    } else {
        const struct deed_reference_options memory = {
            .size = sizeof(memory), .memory = rig->faults->memory};
        assert_int_equal(deed_reference_open(&memory, &store, NULL), DEED_OK);
        reference_home = store;
    }
    options.memory = NULL;
    assert_int_equal(deed_ledger_init(store, "sweep", true, &options, NULL), DEED_OK);
    assert_int_equal(deed_ledger_open(store, &options, &rig->observer, NULL), DEED_OK);
}

static void remove_ledger(struct sweep_rig *rig)
{
    static const char *const suffixes[] = {"", "-wal", "-shm", "-owners"};
    deed_ledger_close(rig->observer);
    for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
        char path[128];
        (void)snprintf(path, sizeof(path), "%s%s", rig->path, suffixes[i]);
        (void)unlink(path);
    }
    assert_int_equal(rmdir(rig->folder), 0); /* nothing else was left behind */
}

const char *sweep_standing(struct sweep_rig *rig, const char *key)
{
    static char standing[64];
    struct deed_result result = {.size = sizeof(result)};
    struct deed_error err = {.text = ""};
    const deed_rc rc = deed_get(rig->observer, key, &result, &err);
    if (rc == DEED_E_NOT_FOUND) {
        return "-";
    }
    if (rc != DEED_OK) {
        fail_msg("%s: the observer cannot look: %s", key, err.text);
    }
    (void)snprintf(standing, sizeof(standing), "%s/%s", deed_state_name(result.state),
        deed_outcome_name(result.outcome));
    return standing;
}

/* ---- one fault ------------------------------------------------------------------------------------- */

static void tell_broken(void *context, const char *key, const char *text)
{
    (void)fprintf(stderr, "%s: %s: %s\n", (const char *)context, key, text);
}

static void check_ledger(struct sweep_rig *rig)
{
    struct deed_check check = {.size = sizeof(check)};
    char name[64];
    (void)snprintf(name, sizeof(name), "%s", rig->scenario->name);
    if (deed_ledger_check(rig->observer, tell_broken, name, &check, NULL) != DEED_OK) {
        fail_msg("%s: the ledger is broken after %s", name, rig->faults->words);
    }
}

static bool same(const char *one, const char *other)
{
    return other != NULL && strcmp(one, other) == 0;
}

#define JUDGE(holds, what)                                                                         \
    do {                                                                                           \
        if (!(holds)) {                                                                            \
            fail_msg("%s, %s %llu%s: %s (answer %s, stands %s, %u sent, %u effects): %s",          \
                rig->scenario->name, rig->faults->words, (unsigned long long)nth,                  \
                sticky ? " and on" : "", what, deed_rc_name(rc), standing, rig->sends,             \
                rig->effects, rig->err.text);                                                      \
        }                                                                                          \
    } while (0)

static void judge(struct sweep_rig *rig, uint64_t nth, bool sticky, deed_rc rc, unsigned sent)
{
    const struct sweep_scenario *scenario = rig->scenario;
    const char *standing = scenario->without_ledger ? scenario->to : sweep_standing(rig, rig->key);
    JUDGE(rc == DEED_OK || rc == DEED_E_UNCERTAIN || rig->faults->may_answer(rig->faults->self, rc),
        "that is no answer to this fault");
    JUDGE(same(standing, scenario->from) || same(standing, scenario->to) ||
            same(standing, scenario->between[0]) || same(standing, scenario->between[1]),
        "it stands where the action does not lead");
    JUDGE(rc != DEED_OK || same(standing, scenario->to), "said to be done, and is not");
    JUDGE(rc == DEED_OK || rc == DEED_E_UNCERTAIN || sent == 0, "an error that hides a send");
    JUDGE(rig->effects <= 1, "doubled");
    JUDGE(!same(standing, "recorded/none") || rig->sends == 0, "sent, and forgotten");
    JUDGE(!same(standing, "confirmed/not_applied") || rig->effects == 0, "sent, and denied");
}

/* Without the fault the action can be finished, on the handle that met it. */
static void finish(struct sweep_rig *rig, uint64_t nth, bool sticky)
{
    const struct sweep_scenario *scenario = rig->scenario;
    deed_rc rc = scenario->again == NULL ? scenario->act(rig) : scenario->again(rig);
    const char *standing = scenario->without_ledger ? scenario->to : sweep_standing(rig, rig->key);
    JUDGE(rc == DEED_OK, "the fault is over, and the call still fails");
    JUDGE(same(standing, scenario->to) || same(standing, scenario->late),
        "done, and does not stand where the action leads");
    JUDGE(rig->effects <= 1, "doubled by doing it again");
}

static bool meet_fault(struct sweep_rig *rig, uint64_t nth, bool sticky)
{
    const struct sweep_scenario *scenario = rig->scenario;
    if (nth == 1 || !scenario->same_key) {
        (void)snprintf(rig->key, sizeof(rig->key), "k-%llu", (unsigned long long)nth);
        rig->sends = 0;
        rig->effects = 0;
        rig->effect_key[0] = '\0';
        rig->loses_reply = false;
        rig->refuses = false;
        rig->begun = false;
        rig->answered = false;
        if (scenario->prepare != NULL) {
            scenario->prepare(rig);
        }
    }
    memset(&rig->err, 0, sizeof(rig->err));
    const unsigned sent_before = rig->sends;
    rig->faults->arm(rig->faults->self, nth, sticky);
    const deed_rc rc = scenario->act(rig);
    const uint64_t met = rig->faults->disarm(rig->faults->self);
    judge(rig, nth, sticky, rc, rig->sends - sent_before);
    finish(rig, nth, sticky);
    return met > 0;
}

#define FAULTS_MAX 100000
#define CHECK_EACH 50

uint64_t sweep_run(const struct sweep_scenario *scenario, const struct sweep_faults *faults,
    bool on_disk, bool sticky)
{
    struct sweep_rig rig;
    memset(&rig, 0, sizeof(rig));
    rig.faults = faults;
    rig.scenario = scenario;
    rig.on_disk = on_disk;
    assert_int_equal(deed_sim_clock_new(START_MS, &rig.clock, NULL), DEED_OK);
    assert_int_equal(deed_sim_random_new(7, &rig.random, NULL), DEED_OK);
    rig.executor = executor_of(&rig);
    make_ledger(&rig);
    if (!scenario->without_ledger) {
        sweep_open(&rig);
    }
    uint64_t nth = 1;
    while (meet_fault(&rig, nth, sticky)) {
        assert_in_range(nth, 1, FAULTS_MAX); /* an action that never ends is a failure too */
        if (nth % CHECK_EACH == 0) {
            check_ledger(&rig);
        }
        nth++;
    }
    sweep_close(&rig);
    check_ledger(&rig);
    remove_ledger(&rig);
    deed_sim_clock_free(rig.clock);
    deed_sim_random_free(rig.random);
    return nth - 1;
}
