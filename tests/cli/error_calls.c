/* SPDX-License-Identifier: MIT
 *
 * Prints what calls of the library answer that no command can make: those that break the headers, and
 * those on a machine that has no clock, no chance, no memory, or a store that fails. Part of
 * tests/golden/errors.txt.
 *
 * Method: a ledger on the reference store, under a clock, a chance and a memory that fail when told to.
 */
#include <deed/evidence.h>
#include <deed/ledger.h>
#include <deed/mock/clock.h>
#include <deed/mock/executor.h>
#include <deed/outbox.h>
#include <deed/reference.h>
#include <deed/sqlite.h>
#include <deed/system.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define START_MS 1772366400000 /* 2026-03-01T12:00:00Z */

struct fixture {
    deed_sim_clock *clock;
    deed_sim_random *random;
    deed_fault_alloc *memory;
    struct deed_options options;
    struct deed_store *store; /* owned by the ledger */
    deed_ledger *ledger;
};

static struct deed_error err;

/* Prints what a call answered; one that is not refused does not belong here. */
static void tell(const char *call, deed_rc rc)
{
    (void)printf(
        "%s\n  %s: %s\n", call, deed_rc_name(rc), rc == DEED_OK ? "(not refused)" : err.text);
    if (rc != DEED_OK && err.next[0]) {
        (void)printf("  next: %s\n", err.next);
    }
    memset(&err, 0, sizeof err);
}

static void must(deed_rc rc)
{
    if (rc != DEED_OK) {
        (void)fprintf(stderr, "%s: %s\n", deed_rc_name(rc), err.text);
        abort();
    }
}

static void set_up(struct fixture *fixture)
{
    *fixture = (struct fixture){.options = {.size = sizeof fixture->options}};
    must(deed_sim_clock_new(START_MS, &fixture->clock, &err));
    must(deed_sim_random_new(1, &fixture->random, &err));
    must(deed_fault_alloc_new(&fixture->memory, &err));
    fixture->options.clock = deed_sim_clock_machine(fixture->clock);
    fixture->options.random = deed_sim_random_source(fixture->random);
    fixture->options.memory = deed_fault_alloc_source(fixture->memory);
    must(deed_reference_open(NULL, &fixture->store, &err));
    must(deed_ledger_init(fixture->store, "calls", true, &fixture->options, &err));
    must(deed_ledger_open(fixture->store, &fixture->options, &fixture->ledger, &err));
}

static void tear_down(struct fixture *fixture)
{
    deed_ledger_close(fixture->ledger);
    deed_fault_alloc_free(fixture->memory);
    deed_sim_random_free(fixture->random);
    deed_sim_clock_free(fixture->clock);
}

static const struct deed_payload payload = {
    .kind = {"payment", 7}, .target = {"acme", 4}, .body = {"x", 1}};

static struct deed_record record_of(const char *key)
{
    return (struct deed_record){
        .size = sizeof(struct deed_record), .key = key, .payload = &payload};
}

static void record(struct fixture *fixture, const char *key)
{
    const struct deed_record one = record_of(key);
    must(deed_record(fixture->ledger, &one, NULL, &err));
}

static void serve(struct fixture *fixture, const char *options, const struct deed_profile *profile)
{
    deed_executor *executor = NULL;
    must(deed_mock_executor_new(options, deed_sim_clock_true(fixture->clock), &executor, &err));
    must(deed_ledger_register(fixture->ledger, "payment", executor, profile, &err));
}

/* ---- calls that break the headers --------------------------------------------------------- */

static bool see(
    void *context, deed_rc rc, const struct deed_result *result, const struct deed_error *error)
{
    (void)context;
    (void)rc;
    (void)result;
    (void)error;
    return true;
}

static void misuse_open(struct fixture *fixture)
{
    deed_ledger *ledger = NULL;
    struct deed_list list = {.size = sizeof list};
    tell("deed_ledger_init(no store)", deed_ledger_init(NULL, "a", false, NULL, &err));
    tell("deed_ledger_init(a name that is none)",
        deed_ledger_init(fixture->store, "Not A Name", false, NULL, &err));
    tell("deed_ledger_init(again)", deed_ledger_init(fixture->store, "b", false, NULL, &err));
    tell("deed_ledger_open(no store)", deed_ledger_open(NULL, NULL, &ledger, &err));
    tell("deed_ledger_list(no visit)", deed_ledger_list(fixture->ledger, &list, NULL, NULL, &err));
    const struct deed_find find = {.size = sizeof find};
    tell("deed_ledger_find(neither key nor reference)",
        deed_ledger_find(fixture->ledger, &find, see, NULL, &err));
    tell("deed_outbox_drain(no file)",
        deed_outbox_drain(fixture->ledger, NULL, NULL, NULL, NULL, &err));
    tell("deed_ledger_status(no status)", deed_ledger_status(fixture->ledger, NULL, &err));
    tell("deed_ledger_check(no ledger)", deed_ledger_check(NULL, NULL, NULL, NULL, &err));
    tell("deed_reconcile_pass(no ledger)", deed_reconcile_pass(NULL, NULL, NULL, NULL, &err));
    tell("deed_reconcile(no key)", deed_reconcile(fixture->ledger, NULL, NULL, &err));
    tell("deed_run(no key)", deed_run(fixture->ledger, NULL, 0, NULL, &err));
    tell("deed_get(no key)", deed_get(fixture->ledger, NULL, NULL, &err));
}

static void misuse_record(struct fixture *fixture)
{
    struct deed_record one = record_of("early-1");
    struct deed_decision decision = {.size = sizeof decision};
    tell("deed_record(nothing)", deed_record(fixture->ledger, NULL, NULL, &err));
    one.not_after_ms = -1;
    tell("deed_record(not-after before 1970)", deed_record(fixture->ledger, &one, NULL, &err));
    one.not_after_ms = 1795982000;
    tell("deed_record(not-after in seconds)", deed_record(fixture->ledger, &one, NULL, &err));
    tell("deed_payload_check(nothing)", deed_payload_check(NULL, &err));
    tell("deed_payload_parse(nothing)", deed_payload_parse(NULL, 0, NULL, &err));
    tell("deed_retract(no key)", deed_retract(fixture->ledger, &decision, NULL, &err));
    decision.key = "early-1";
    decision.outcome = DEED_RETRACTED;
    tell("deed_resolve(an outcome that is none)",
        deed_resolve(fixture->ledger, &decision, NULL, &err));
}

static deed_rc prepare_nothing(void *self, const struct deed_request *request,
    struct deed_preparation *preparation_out, struct deed_error *error)
{
    (void)self;
    (void)request;
    (void)preparation_out;
    (void)error;
    return DEED_E_INVALID;
}

static void attempt_nothing(
    void *self, const struct deed_call *call, struct deed_answer *answer_out)
{
    (void)self;
    (void)call;
    (void)answer_out;
}

static void misuse_register(struct fixture *fixture)
{
    static deed_executor incomplete = {.size = sizeof incomplete, .name = "incomplete"};
    static deed_executor real = {.size = sizeof real,
        .name = "real",
        .version = "1",
        .prepare = prepare_nothing,
        .attempt = attempt_nothing};
    static deed_executor mute = {.size = sizeof mute,
        .name = "mute",
        .version = "1",
        .flags = DEED_EXECUTOR_MOCK,
        .prepare = prepare_nothing,
        .attempt = attempt_nothing};
    const struct deed_profile profile = {.size = sizeof profile, .send_ms = -1};
    tell("deed_ledger_register(nothing)",
        deed_ledger_register(fixture->ledger, NULL, NULL, NULL, &err));
    tell("deed_ledger_register(an incomplete executor)",
        deed_ledger_register(fixture->ledger, "a", &incomplete, NULL, &err));
    tell("deed_ledger_register(a real one, on a test ledger)",
        deed_ledger_register(fixture->ledger, "a", &real, NULL, &err));
    tell("deed_ledger_register(a negative number)",
        deed_ledger_register(fixture->ledger, "b", &mute, &profile, &err));
    must(deed_ledger_register(fixture->ledger, "payment", &mute, NULL, &err));
    tell("deed_ledger_register(a kind twice)",
        deed_ledger_register(fixture->ledger, "payment", &mute, NULL, &err));
    record(fixture, "mute-1");
    tell("deed_run(an executor that cannot encode)",
        deed_run(fixture->ledger, "mute-1", 0, NULL, &err));
}

static void misuse_begin(struct fixture *fixture)
{
    struct deed_attempt attempt = {.size = sizeof attempt};
    const uint8_t token[DEED_TOKEN_BYTES] = {1};
    struct deed_record other = record_of("other-1");
    struct deed_binding binding = {.size = sizeof binding,
        .executor = "host",
        .executor_version = "1",
        .account_scope = "acct",
        .endpoint = "here",
        .provider_key = "00000000-0000-0000-0000-000000000000"};
    struct deed_begin begin = {.size = sizeof begin};
    record(fixture, "host-1");
    tell("deed_begin(nothing)", deed_begin(fixture->ledger, &begin, &attempt, NULL, &err));
    begin.key = "host-1";
    begin.binding = &binding;
    tell("deed_begin(another key than planned)",
        deed_begin(fixture->ledger, &begin, &attempt, NULL, &err));
    binding.bytes_count = DEED_ENCODED_BYTES_MAX + 1;
    tell("deed_begin(too many bytes)", deed_begin(fixture->ledger, &begin, &attempt, NULL, &err));
    binding.bytes_count = 0;
    begin.record = &other;
    tell("deed_begin(the record of another key)",
        deed_begin(fixture->ledger, &begin, &attempt, NULL, &err));
    begin.record = NULL;
    binding.endpoint = NULL;
    tell("deed_begin(no endpoint)", deed_begin(fixture->ledger, &begin, &attempt, NULL, &err));
    tell("deed_finish(nothing)", deed_finish(fixture->ledger, NULL, NULL, NULL, NULL, &err));
    tell("deed_may_send(a token of nobody)", deed_may_send(fixture->ledger, token, &err));
}

static void misuse_evidence(struct fixture *fixture)
{
    static char long_message[DEED_MESSAGE_BYTES_MAX + 2];
    struct deed_evidence word = {
        .size = sizeof word, .key = "word-1", .source = "bank", .outcome = DEED_REJECTED};
    record(fixture, "word-1");
    word.by = "ann";
    tell("deed_evidence_add(a word that it was rejected)",
        deed_evidence_add(fixture->ledger, &word, NULL, &err));
    word.outcome = DEED_APPLIED;
    word.by = NULL;
    tell("deed_evidence_add(nobody brings it)",
        deed_evidence_add(fixture->ledger, &word, NULL, &err));
    word.by = "ann";
    memset(long_message, 'x', sizeof long_message - 1);
    word.message = (struct deed_text){long_message, sizeof long_message - 1};
    tell("deed_evidence_add(a message without end)",
        deed_evidence_add(fixture->ledger, &word, NULL, &err));
}

static deed_rc verify_nothing(void *self, const struct deed_evidence *evidence, int64_t now_ms,
    struct deed_verified *verified_out, struct deed_error *error)
{
    (void)self;
    (void)evidence;
    (void)now_ms;
    (void)verified_out;
    (void)error;
    return DEED_OK;
}

static void misuse_verifiers(struct fixture *fixture)
{
    static struct deed_verifier mute = {.size = sizeof mute};
    static struct deed_verifier first = {.size = sizeof first, .verify = verify_nothing};
    static struct deed_verifier second = {.size = sizeof second, .verify = verify_nothing};
    struct deed_webhook webhook = {.size = sizeof webhook, .scheme = "hex", .secret = ""};
    struct deed_verifier *verifier = NULL;
    tell("deed_ledger_register_verifier(one that verifies nothing)",
        deed_ledger_register_verifier(fixture->ledger, "bank", &mute, &err));
    must(deed_ledger_register_verifier(fixture->ledger, "bank", &first, &err));
    tell("deed_ledger_register_verifier(a source twice)",
        deed_ledger_register_verifier(fixture->ledger, "bank", &second, &err));
    tell("deed_webhook_verifier_create(nothing)",
        deed_webhook_verifier_create(NULL, &verifier, &err));
    tell("deed_webhook_verifier_create(no secret)",
        deed_webhook_verifier_create(&webhook, &verifier, &err));
}

static void misuse_stores(void)
{
    struct deed_sqlite_options options = {.size = sizeof options, .read_only = true};
    struct deed_store *store = NULL;
    tell("deed_sqlite_create(for reading)", deed_sqlite_create("new.db", &options, &err));
    options = (struct deed_sqlite_options){.size = sizeof options, .vfs = "nowhere"};
    tell("deed_sqlite_open(a VFS of nobody)", deed_sqlite_open("new.db", &options, &store, &err));
    tell("deed_sqlite_check_place(no path)", deed_sqlite_check_place(NULL, NULL, &err));
    tell("deed_sqlite_check_place(a place that is not there)",
        deed_sqlite_check_place("nowhere", NULL, &err));
    tell("deed_sqlite_open(no path)", deed_sqlite_open(NULL, NULL, &store, &err));
    tell("deed_reference_open(no place)", deed_reference_open(NULL, NULL, &err));
    tell("deed_reference_save(nothing)", deed_reference_save(NULL, NULL, 0, NULL, &err));
    tell("deed_reference_load(nothing)", deed_reference_load(NULL, 0, NULL, &store, &err));
}

/* ---- what policy refuses, asked without a person -------------------------------------------- */

static void policy(struct fixture *fixture)
{
    const struct deed_profile profile = {
        .size = sizeof profile, .attempts_max = 1, .send_ms = 1000, .landing_ms = 1000};
    serve(fixture,
        "{\"world\": \"calls.world\", \"class\": \"blind\", \"script\": {\"do\": \"refuse\"}}",
        &profile);
    record(fixture, "down-1");
    must(deed_run(fixture->ledger, "down-1", 0, NULL, &err));
    tell("deed_run(policy exhausted)", deed_run(fixture->ledger, "down-1", 0, NULL, &err));
    tell("deed_run(a flag that is none)",
        deed_run(fixture->ledger, "down-1", DEED_BEGIN_REPLAY, NULL, &err));
}

static void pauses(struct fixture *fixture)
{
    const struct deed_profile profile = {.size = sizeof profile, .backoff_base_ms = 60000};
    serve(fixture,
        "{\"world\": \"calls.world\", \"class\": \"blind\", \"script\": {\"do\": \"refuse\"}}",
        &profile);
    record(fixture, "pause-1");
    must(deed_run(fixture->ledger, "pause-1", 0, NULL, &err));
    tell("deed_run(while it pauses)", deed_run(fixture->ledger, "pause-1", 0, NULL, &err));
}

/* ---- a machine that fails -------------------------------------------------------------------- */

static void no_clock(struct fixture *fixture)
{
    const struct deed_record one = record_of("late-1");
    deed_sim_clock_break(fixture->clock, true);
    tell("deed_record(no clock)", deed_record(fixture->ledger, &one, NULL, &err));
    deed_sim_clock_break(fixture->clock, false);
    deed_sim_clock_jump(fixture->clock, -START_MS);
    tell("deed_record(the clock at 1970)", deed_record(fixture->ledger, &one, NULL, &err));
}

static void no_chance(struct fixture *fixture)
{
    serve(fixture, "{\"world\": \"calls.world\", \"class\": \"blind\"}", NULL);
    record(fixture, "token-1");
    deed_sim_random_break(fixture->random, true);
    tell("deed_run(no random bytes)", deed_run(fixture->ledger, "token-1", 0, NULL, &err));
    const struct deed_sqlite_options options = {
        .size = sizeof options, .random = deed_sim_random_source(fixture->random)};
    tell("deed_sqlite_create(no random bytes)", deed_sqlite_create("new.db", &options, &err));
}

static void no_commit(struct fixture *fixture)
{
    serve(fixture, "{\"world\": \"calls.world\", \"class\": \"blind\"}", NULL);
    record(fixture, "lost-1");
    deed_reference_fail_commit(fixture->store, 2, DEED_REFERENCE_COMMIT_LOST);
    deed_reference_fail_recover(fixture->store, 100);
    tell("deed_run(the answer cannot be stored)",
        deed_run(fixture->ledger, "lost-1", 0, NULL, &err));
}

/* Each text that some request for memory brings out when it fails, once. */
static void no_memory_texts(
    struct fixture *fixture, const char *call, deed_rc (*function)(struct fixture *fixture))
{
    char seen[2000] = "";
    for (uint64_t nth = 1; nth < 1000; nth++) {
        deed_fault_alloc_fail(fixture->memory, nth, false);
        const deed_rc rc = function(fixture);
        if (rc == DEED_OK) {
            deed_fault_alloc_fail(fixture->memory, 0, false);
            return;
        }
        if (!strstr(seen, err.text)) {
            (void)snprintf(seen + strlen(seen), sizeof seen - strlen(seen), "%s|", err.text);
            tell(call, rc);
        }
    }
}

static deed_rc open_again(struct fixture *fixture)
{
    struct deed_store *store = NULL;
    deed_ledger *ledger = NULL;
    must(deed_reference_attach(fixture->store, NULL, &store, &err));
    const deed_rc rc = deed_ledger_open(store, &fixture->options, &ledger, &err);
    if (rc == DEED_OK) {
        deed_ledger_close(ledger);
    }
    return rc;
}

static deed_rc record_many(struct fixture *fixture)
{
    const struct deed_record many[2] = {record_of("many-1"), record_of("many-2")};
    return deed_record_many(fixture->ledger, many, 2, NULL, NULL, &err);
}

static deed_rc get(struct fixture *fixture)
{
    struct deed_result result = {.size = sizeof result};
    return deed_get(fixture->ledger, "many-1", &result, &err);
}

static deed_rc run(struct fixture *fixture)
{
    return deed_run(fixture->ledger, "many-1", DEED_BEGIN_BY_NAME, NULL, &err);
}

static deed_rc list(struct fixture *fixture)
{
    const struct deed_list all = {.size = sizeof all, .flags = DEED_LIST_ALL};
    return deed_ledger_list(fixture->ledger, &all, see, NULL, &err);
}

static deed_rc find(struct fixture *fixture)
{
    const struct deed_find nothing = {.size = sizeof nothing, .reference = "fx-none"};
    const deed_rc rc = deed_ledger_find(fixture->ledger, &nothing, see, NULL, &err);
    return rc == DEED_E_NOT_FOUND ? DEED_OK : rc;
}

static deed_rc accept_all(void *self, const struct deed_evidence *evidence, int64_t now_ms,
    struct deed_verified *verified_out, struct deed_error *error)
{
    (void)self;
    (void)evidence;
    (void)now_ms;
    (void)verified_out;
    (void)error;
    return DEED_OK;
}

static deed_rc register_verifier(struct fixture *fixture)
{
    static struct deed_verifier verifier = {.size = sizeof verifier, .verify = accept_all};
    static char source[20];
    static int count;
    (void)snprintf(source, sizeof source, "source-%d", count++);
    return deed_ledger_register_verifier(fixture->ledger, source, &verifier, &err);
}

static deed_rc register_mock(struct fixture *fixture)
{
    static char kind[20];
    static int count;
    deed_executor *executor = NULL;
    (void)snprintf(kind, sizeof kind, "kind-%d", count++);
    must(deed_mock_executor_new(
        "{\"world\": \"calls.world\", \"class\": \"blind\"}", NULL, &executor, &err));
    return deed_ledger_register(fixture->ledger, kind, executor, NULL, &err);
}

static deed_rc parse(struct fixture *fixture)
{
    deed_payload_buffer *buffer = NULL;
    (void)fixture;
    const char *json = "{\"kind\":\"a\",\"target\":\"b\",\"body\":\"c\"}";
    const deed_rc rc = deed_payload_parse(json, strlen(json), &buffer, &err);
    deed_payload_free(buffer);
    return rc;
}

static void no_memory(struct fixture *fixture)
{
    no_memory_texts(fixture, "deed_ledger_open(no memory)", open_again);
    no_memory_texts(fixture, "deed_record_many(no memory)", record_many);
    no_memory_texts(fixture, "deed_ledger_register(no memory)", register_mock);
    serve(fixture, "{\"world\": \"calls.world\", \"class\": \"blind\"}", NULL);
    no_memory_texts(fixture, "deed_run(no memory)", run);
    no_memory_texts(fixture, "deed_get(no memory)", get);
    no_memory_texts(fixture, "deed_ledger_list(no memory)", list);
    no_memory_texts(fixture, "deed_payload_parse(no memory)", parse);
    no_memory_texts(fixture, "deed_ledger_find(no memory)", find);
    no_memory_texts(fixture, "deed_ledger_register_verifier(no memory)", register_verifier);
}

static void section(void (*function)(struct fixture *fixture))
{
    struct fixture fixture;
    set_up(&fixture);
    function(&fixture);
    tear_down(&fixture);
}

int main(void)
{
    section(misuse_open);
    section(misuse_record);
    section(misuse_register);
    section(misuse_begin);
    section(misuse_evidence);
    section(misuse_verifiers);
    misuse_stores();
    section(policy);
    section(pauses);
    section(no_clock);
    section(no_chance);
    section(no_commit);
    section(no_memory);
    return 0;
}
