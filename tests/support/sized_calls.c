/* SPDX-License-Identifier: MIT */
#include "support/sized_calls.h"

#include "support/scene_store.h"

#include <sqlite3.h>
#include <unistd.h>

#include <deed/evidence.h>
#include <deed/ext/error.h>
#include <deed/outbox.h>
#include <deed/reference.h>
#include <deed/sqlite.h>
#include <deed/system.h>

#define MESSAGE "what do ya want for nothing?"
#define MAC     "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"

static const struct deed_payload payload = {{"payment", 7}, {"provider", 8}, {"amount=1", 8}};
static const uint8_t token[DEED_TOKEN_BYTES] = "of no attempt 1";

static deed_ledger *ledger_of(struct scene *scene)
{
    return scene->workers[0];
}

static bool see(
    void *context, deed_rc rc, const struct deed_result *result, const struct deed_error *err)
{
    (void)context;
    (void)rc;
    (void)err;
    assert_int_equal(result->size, sizeof(*result));
    return true;
}

/* ---- results ------------------------------------------------------------------------------- */

static deed_rc told_by_get(struct scene *scene, void *at, struct deed_error *err)
{
    return deed_get(ledger_of(scene), SCENE_KEY, at, err);
}

static deed_rc told_by_record(struct scene *scene, void *at, struct deed_error *err)
{
    struct deed_record record = {.size = sizeof(record), .key = "size-1", .payload = &payload};
    return deed_record(ledger_of(scene), &record, at, err);
}

static deed_rc told_by_plan(struct scene *scene, void *at, struct deed_error *err)
{
    struct deed_plan plan = {.size = sizeof(plan)};
    return deed_plan(ledger_of(scene), SCENE_KEY, NULL, 0, &plan, at, err);
}

static void fill_profile(struct scene *scene, void *whole)
{
    *(struct deed_profile *)whole = scene->profile;
}

static void fill_binding(struct scene *scene, void *whole)
{
    static struct deed_plan plan;
    plan.size = sizeof(plan);
    assert_int_equal(deed_plan(ledger_of(scene), SCENE_KEY, NULL, 0, &plan, NULL, NULL), DEED_OK);
    *(struct deed_binding *)whole = (struct deed_binding){.size = sizeof(struct deed_binding),
        .executor = "by-hand",
        .executor_version = "1",
        .account_scope = "",
        .endpoint = "",
        .provider_key = plan.provider_key,
        .bytes = (const uint8_t *)"x",
        .bytes_count = 1};
}

static void fill_begin(struct scene *scene, void *whole)
{
    static struct deed_binding binding;
    fill_binding(scene, &binding);
    *(struct deed_begin *)whole = (struct deed_begin){
        .size = sizeof(struct deed_begin), .key = SCENE_KEY, .binding = &binding};
}

static deed_rc told_by_begin(struct scene *scene, void *at, struct deed_error *err)
{
    struct deed_begin begin;
    struct deed_attempt attempt = {.size = sizeof(attempt)};
    fill_begin(scene, &begin);
    return deed_begin(ledger_of(scene), &begin, &attempt, at, err);
}

static void fill_answer(struct scene *scene, void *whole)
{
    (void)scene;
    *(struct deed_answer *)whole =
        (struct deed_answer){.size = sizeof(struct deed_answer), .verdict = DEED_VERDICT_APPLIED};
}

static deed_rc told_by_finish(struct scene *scene, void *at, struct deed_error *err)
{
    struct deed_answer answer;
    fill_answer(scene, &answer);
    return deed_finish(ledger_of(scene), SCENE_KEY, token, &answer, at, err);
}

static deed_rc told_by_run(struct scene *scene, void *at, struct deed_error *err)
{
    return deed_run(ledger_of(scene), SCENE_KEY, 0, at, err);
}

static deed_rc told_by_reconcile(struct scene *scene, void *at, struct deed_error *err)
{
    return deed_reconcile(ledger_of(scene), SCENE_KEY, at, err);
}

static deed_rc told_by_reconcile_plan(struct scene *scene, void *at, struct deed_error *err)
{
    deed_settle_step step = DEED_SETTLE_NOTHING;
    return deed_reconcile_plan(ledger_of(scene), SCENE_KEY, true, &step, at, err);
}

static void fill_decision(struct scene *scene, void *whole)
{
    (void)scene;
    *(struct deed_decision *)whole = (struct deed_decision){.size = sizeof(struct deed_decision),
        .key = SCENE_KEY,
        .by = "mara",
        .reason = "looked at the bank",
        .outcome = DEED_APPLIED};
}

#define DECISION_CALLS(verb)                                                                       \
    static deed_rc told_by_##verb(struct scene *scene, void *at, struct deed_error *err)           \
    {                                                                                              \
        struct deed_decision decision;                                                             \
        fill_decision(scene, &decision);                                                           \
        return deed_##verb(ledger_of(scene), &decision, at, err);                                  \
    }                                                                                              \
    static deed_rc decided_by_##verb(struct scene *scene, void *at, struct deed_error *err)        \
    {                                                                                              \
        return deed_##verb(ledger_of(scene), at, NULL, err);                                       \
    }
DECISION_CALLS(resolve)
DECISION_CALLS(retract)
DECISION_CALLS(hold)
DECISION_CALLS(release)
#undef DECISION_CALLS

static void fill_evidence(struct scene *scene, void *whole)
{
    (void)scene;
    *(struct deed_evidence *)whole = (struct deed_evidence){.size = sizeof(struct deed_evidence),
        .key = SCENE_KEY,
        .source = "bank",
        .outcome = DEED_APPLIED,
        .message = {MESSAGE, strlen(MESSAGE)},
        .signature = MAC,
        .by = "mara"};
}

static deed_rc told_by_evidence(struct scene *scene, void *at, struct deed_error *err)
{
    struct deed_evidence evidence;
    fill_evidence(scene, &evidence);
    return deed_evidence_add(ledger_of(scene), &evidence, at, err);
}

/* ---- other answers ------------------------------------------------------------------------- */

static deed_rc give_plan(struct scene *scene, void *at, struct deed_error *err)
{
    return deed_plan(ledger_of(scene), SCENE_KEY, NULL, 0, at, NULL, err);
}

static deed_rc give_attempt(struct scene *scene, void *at, struct deed_error *err)
{
    struct deed_begin begin;
    fill_begin(scene, &begin);
    return deed_begin(ledger_of(scene), &begin, at, NULL, err);
}

static deed_rc give_info(struct scene *scene, void *at, struct deed_error *err)
{
    return deed_ledger_info(ledger_of(scene), at, err);
}

static deed_rc give_status(struct scene *scene, void *at, struct deed_error *err)
{
    return deed_ledger_status(ledger_of(scene), at, err);
}

static deed_rc give_check(struct scene *scene, void *at, struct deed_error *err)
{
    return deed_ledger_check(ledger_of(scene), NULL, NULL, at, err);
}

static deed_rc give_pass(struct scene *scene, void *at, struct deed_error *err)
{
    return deed_reconcile_pass(ledger_of(scene), see, NULL, at, err);
}

static deed_rc give_drain(struct scene *scene, void *at, struct deed_error *err)
{
    static const char file[] = "sized-outbox.db";
    sqlite3 *host = NULL;
    (void)unlink(file);
    assert_int_equal(sqlite3_open(file, &host), SQLITE_OK);
    assert_int_equal(sqlite3_exec(host, deed_outbox_table(), NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_close(host), SQLITE_OK);
    return deed_outbox_drain(ledger_of(scene), file, see, NULL, at, err);
}

static deed_rc give_schema(struct scene *scene, void *at, struct deed_error *err)
{
    return scene->first_store->schema(scene->first_store->self, at, err);
}

static void forget(const char *file)
{
    static const char *const endings[] = {"", "-wal", "-shm"};
    for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
        char name[64];
        (void)snprintf(name, sizeof(name), "%s%s", file, endings[i]);
        (void)unlink(name);
    }
}

static deed_rc give_sqlite_schema(struct scene *scene, void *at, struct deed_error *err)
{
    (void)scene;
    static const char file[] = "sized-schema.db";
    struct deed_store *store = NULL;
    forget(file);
    assert_int_equal(deed_sqlite_create(file, NULL, NULL), DEED_OK);
    assert_int_equal(deed_sqlite_open(file, NULL, &store, NULL), DEED_OK);
    deed_rc rc = store->schema(store->self, at, err);
    store->close(store->self);
    return rc;
}

static void fill_webhook(struct scene *scene, void *whole)
{
    (void)scene;
    *(struct deed_webhook *)whole = (struct deed_webhook){
        .size = sizeof(struct deed_webhook), .secret = "Jefe", .scheme = "hex"};
}

static deed_rc ask_webhook(
    const struct deed_evidence *evidence, struct deed_verified *verified, struct deed_error *err)
{
    struct deed_webhook webhook;
    struct deed_verifier *verifier = NULL;
    fill_webhook(NULL, &webhook);
    assert_int_equal(deed_webhook_verifier_create(&webhook, &verifier, NULL), DEED_OK);
    deed_rc rc = verifier->verify(verifier->self, evidence, SCENE_START_MS, verified, err);
    verifier->destroy(verifier->self);
    return rc;
}

static deed_rc give_verified(struct scene *scene, void *at, struct deed_error *err)
{
    struct deed_evidence evidence;
    fill_evidence(scene, &evidence);
    return ask_webhook(&evidence, at, err);
}

/* ---- what is given ------------------------------------------------------------------------- */

static void fill_record(struct scene *scene, void *whole)
{
    (void)scene;
    *(struct deed_record *)whole = (struct deed_record){
        .size = sizeof(struct deed_record), .key = "size-1", .payload = &payload};
}

static deed_rc take_record(struct scene *scene, void *at, struct deed_error *err)
{
    return deed_record(ledger_of(scene), at, NULL, err);
}

static bool keep(
    void *context, deed_rc rc, const struct deed_result *result, const struct deed_error *err)
{
    struct deed_error *kept = context;
    assert_int_equal(result->size, sizeof(*result));
    *kept = *err;
    kept->rc = rc;
    return true;
}

/* Of a record that is refused for itself the visit is told. */
static deed_rc take_record_of_many(struct scene *scene, void *at, struct deed_error *err)
{
    struct deed_error own = {.rc = DEED_OK};
    deed_rc rc = deed_record_many(ledger_of(scene), at, 1, keep, &own, err);
    if (rc == DEED_OK && own.rc != DEED_OK) {
        *err = own;
        rc = own.rc;
    }
    return rc;
}

static deed_rc take_begin(struct scene *scene, void *at, struct deed_error *err)
{
    struct deed_attempt attempt = {.size = sizeof(attempt)};
    return deed_begin(ledger_of(scene), at, &attempt, NULL, err);
}

static deed_rc take_record_of_begin(struct scene *scene, void *at, struct deed_error *err)
{
    struct deed_begin begin;
    fill_begin(scene, &begin);
    begin.record = at;
    begin.key = "size-1";
    deed_rc rc = take_begin(scene, &begin, err);
    /* Encoded for another intent: refused behind the boundary, and that is far enough. */
    bool behind = rc == DEED_E_MISUSE && strstr(err->text, "another provider key") != NULL;
    return behind ? DEED_OK : rc;
}

static deed_rc take_binding(struct scene *scene, void *at, struct deed_error *err)
{
    struct deed_begin begin = {.size = sizeof(begin), .key = SCENE_KEY, .binding = at};
    return take_begin(scene, &begin, err);
}

static deed_rc take_profile_of_binding(struct scene *scene, void *at, struct deed_error *err)
{
    struct deed_binding binding;
    fill_binding(scene, &binding);
    binding.profile = at;
    return take_binding(scene, &binding, err);
}

static deed_rc take_answer(struct scene *scene, void *at, struct deed_error *err)
{
    return deed_finish(ledger_of(scene), SCENE_KEY, token, at, NULL, err);
}

static deed_rc take_evidence(struct scene *scene, void *at, struct deed_error *err)
{
    return deed_evidence_add(ledger_of(scene), at, NULL, err);
}

/* Without its signature the message is not genuine: not accepted, and not misused. */
static deed_rc take_evidence_of_verifier(struct scene *scene, void *at, struct deed_error *err)
{
    (void)scene;
    struct deed_verified verified = {.size = sizeof(verified)};
    return ask_webhook(at, &verified, err);
}

static void fill_list(struct scene *scene, void *whole)
{
    (void)scene;
    *(struct deed_list *)whole =
        (struct deed_list){.size = sizeof(struct deed_list), .flags = DEED_LIST_ALL};
}

static deed_rc take_list(struct scene *scene, void *at, struct deed_error *err)
{
    return deed_ledger_list(ledger_of(scene), at, see, NULL, err);
}

static void fill_find(struct scene *scene, void *whole)
{
    (void)scene;
    *(struct deed_find *)whole =
        (struct deed_find){.size = sizeof(struct deed_find), .provider_key = "nobody's"};
}

static deed_rc take_find(struct scene *scene, void *at, struct deed_error *err)
{
    return deed_ledger_find(ledger_of(scene), at, see, NULL, err);
}

static deed_rc take_webhook(struct scene *scene, void *at, struct deed_error *err)
{
    (void)scene;
    struct deed_verifier *verifier = NULL;
    deed_rc rc = deed_webhook_verifier_create(at, &verifier, err);
    if (rc == DEED_OK) {
        verifier->destroy(verifier->self);
    }
    return rc;
}

/* ---- options and sources ------------------------------------------------------------------- */

static void fill_options(struct scene *scene, void *whole)
{
    *(struct deed_options *)whole = (struct deed_options){
        .size = sizeof(struct deed_options), .clock = deed_sim_clock_machine(scene->clock)};
}

static deed_rc open_with(struct scene *scene, const struct deed_options *options,
    struct deed_store *store, struct deed_error *err)
{
    deed_ledger *ledger = NULL;
    struct deed_store *mine = store == NULL ? scene_store_attach(scene->store) : store;
    deed_rc rc = deed_ledger_open(mine, options, &ledger, err);
    deed_ledger_close(ledger);
    return rc;
}

static deed_rc take_options(struct scene *scene, void *at, struct deed_error *err)
{
    return open_with(scene, at, NULL, err);
}

static deed_rc take_options_of_init(struct scene *scene, void *at, struct deed_error *err)
{
    return deed_ledger_init(scene->first_store, "again", true, at, err);
}

static void fill_clock(struct scene *scene, void *whole)
{
    *(struct deed_clock *)whole = *deed_sim_clock_machine(scene->clock);
}

static void fill_random(struct scene *scene, void *whole)
{
    (void)scene;
    *(struct deed_random *)whole = *deed_system_random();
}

static void fill_memory(struct scene *scene, void *whole)
{
    (void)scene;
    *(struct deed_allocator *)whole = *deed_system_memory();
}

static void hear(void *self, const char *what, const char *key, const char *text)
{
    (void)self;
    (void)what;
    (void)key;
    (void)text;
}

static void fill_trace(struct scene *scene, void *whole)
{
    (void)scene;
    *(struct deed_trace *)whole =
        (struct deed_trace){.size = sizeof(struct deed_trace), .event = hear};
}

#define OPTION_CALL(member)                                                                        \
    static deed_rc take_##member(struct scene *scene, void *at, struct deed_error *err)            \
    {                                                                                              \
        struct deed_options options;                                                               \
        fill_options(scene, &options);                                                             \
        options.member = at;                                                                       \
        return open_with(scene, &options, NULL, err);                                              \
    }
OPTION_CALL(clock)
OPTION_CALL(random)
OPTION_CALL(memory)
OPTION_CALL(trace)
#undef OPTION_CALL

static void fill_sqlite_options(struct scene *scene, void *whole)
{
    (void)scene;
    *(struct deed_sqlite_options *)whole =
        (struct deed_sqlite_options){.size = sizeof(struct deed_sqlite_options)};
}

static deed_rc take_sqlite_options_of_create(struct scene *scene, void *at, struct deed_error *err)
{
    (void)scene;
    forget("sized-create.db");
    return deed_sqlite_create("sized-create.db", at, err);
}

static deed_rc take_sqlite_options(struct scene *scene, void *at, struct deed_error *err)
{
    struct deed_store *store = NULL;
    assert_int_equal(take_sqlite_options_of_create(scene, NULL, NULL), DEED_OK);
    deed_rc rc = deed_sqlite_open("sized-create.db", at, &store, err);
    if (rc == DEED_OK) {
        store->close(store->self);
    }
    return rc;
}

static deed_rc take_sqlite_options_of_place(struct scene *scene, void *at, struct deed_error *err)
{
    (void)scene;
    return deed_sqlite_check_place(".", at, err);
}

static deed_rc take_memory_of_sqlite(struct scene *scene, void *at, struct deed_error *err)
{
    struct deed_sqlite_options options = {.size = sizeof(options), .memory = at};
    return take_sqlite_options(scene, &options, err);
}

static deed_rc take_random_of_sqlite(struct scene *scene, void *at, struct deed_error *err)
{
    struct deed_sqlite_options options = {.size = sizeof(options), .random = at};
    return take_sqlite_options(scene, &options, err);
}

static void fill_reference_options(struct scene *scene, void *whole)
{
    (void)scene;
    *(struct deed_reference_options *)whole =
        (struct deed_reference_options){.size = sizeof(struct deed_reference_options)};
}

static deed_rc close_again(deed_rc rc, struct deed_store *const *store)
{
    if (rc == DEED_OK) {
        (*store)->close((*store)->self);
    }
    return rc;
}

static deed_rc take_reference_options(struct scene *scene, void *at, struct deed_error *err)
{
    (void)scene;
    struct deed_store *store = NULL;
    return close_again(deed_reference_open(at, &store, err), &store);
}

static deed_rc take_reference_options_of_attach(
    struct scene *scene, void *at, struct deed_error *err)
{
    struct deed_store *store = NULL;
    return close_again(deed_reference_attach(scene->first_store, at, &store, err), &store);
}

static deed_rc take_reference_options_of_load(struct scene *scene, void *at, struct deed_error *err)
{
    static char paper[1 << 16];
    size_t bytes = 0;
    struct deed_store *store = NULL;
    assert_int_equal(
        deed_reference_save(scene->first_store, paper, sizeof(paper), &bytes, NULL), DEED_OK);
    assert_true(bytes <= sizeof(paper));
    return close_again(deed_reference_load(paper, bytes, at, &store, err), &store);
}

static deed_rc take_memory_of_reference(struct scene *scene, void *at, struct deed_error *err)
{
    struct deed_reference_options options = {.size = sizeof(options), .memory = at};
    return take_reference_options(scene, &options, err);
}

/* ---- plug-ins ------------------------------------------------------------------------------ */

static deed_rc prepare(void *self, const struct deed_request *request,
    struct deed_preparation *preparation_out, struct deed_error *err)
{
    (void)self;
    (void)err;
    assert_int_equal(request->size, sizeof(*request));
    assert_int_equal(preparation_out->size, sizeof(*preparation_out));
    return DEED_OK;
}

static void attempt(void *self, const struct deed_call *call, struct deed_answer *answer_out)
{
    (void)self;
    assert_int_equal(call->size, sizeof(*call));
    assert_int_equal(answer_out->size, sizeof(*answer_out));
    *answer_out = (struct deed_answer){.verdict = DEED_VERDICT_UNKNOWN}; /* forgets the size */
}

static void lookup(
    void *self, const struct deed_question *question, struct deed_finding *finding_out)
{
    (void)self;
    assert_int_equal(question->size, sizeof(*question));
    assert_int_equal(finding_out->size, sizeof(*finding_out));
}

static void fill_executor(struct scene *scene, void *whole)
{
    (void)scene;
    *(struct deed_executor *)whole = (struct deed_executor){.size = sizeof(struct deed_executor),
        .name = "sized",
        .version = "1",
        .flags = DEED_EXECUTOR_MOCK,
        .prepare = prepare,
        .attempt = attempt,
        .lookup = lookup};
}

/* Runs it too: what an executor is too small for is absent. */
static deed_rc take_executor(struct scene *scene, void *at, struct deed_error *err)
{
    static const struct deed_payload other = {{"sized", 5}, {"provider", 8}, {"amount=1", 8}};
    deed_ledger *ledger = NULL;
    assert_int_equal(
        deed_ledger_open(scene_store_attach(scene->store), NULL, &ledger, err), DEED_OK);
    struct deed_record record = {.size = sizeof(record), .key = "size-1", .payload = &other};
    deed_rc rc = deed_ledger_register(ledger, "sized", at, NULL, err);
    if (rc == DEED_OK) {
        assert_int_equal(deed_record(ledger, &record, NULL, err), DEED_OK);
        assert_int_equal(deed_run(ledger, "size-1", 0, NULL, err), DEED_OK);
        rc = deed_reconcile(ledger, "size-1", NULL, err);
        rc = rc == DEED_E_NEEDS_PERSON ? DEED_OK : rc;
    }
    deed_ledger_close(ledger);
    return rc;
}

static deed_rc take_profile(struct scene *scene, void *at, struct deed_error *err)
{
    static struct deed_executor executor;
    fill_executor(scene, &executor);
    return deed_ledger_register(ledger_of(scene), "sized", &executor, at, err);
}

static deed_rc verify(void *self, const struct deed_evidence *evidence, int64_t now_ms,
    struct deed_verified *verified_out, struct deed_error *err)
{
    (void)self;
    (void)now_ms;
    assert_int_equal(evidence->size, sizeof(*evidence));
    assert_int_equal(verified_out->size, sizeof(*verified_out));
    return deed_error_set(err, DEED_E_INVALID, "test", "not genuine");
}

static void fill_verifier(struct scene *scene, void *whole)
{
    (void)scene;
    *(struct deed_verifier *)whole =
        (struct deed_verifier){.size = sizeof(struct deed_verifier), .verify = verify};
}

static deed_rc take_verifier(struct scene *scene, void *at, struct deed_error *err)
{
    deed_ledger *ledger = NULL;
    assert_int_equal(
        deed_ledger_open(scene_store_attach(scene->store), NULL, &ledger, err), DEED_OK);
    deed_rc rc = deed_ledger_register_verifier(ledger, "bank", at, err);
    if (rc == DEED_OK) {
        struct deed_evidence evidence;
        fill_evidence(scene, &evidence);
        assert_int_equal(deed_evidence_add(ledger, &evidence, NULL, err), DEED_E_INVALID);
    }
    deed_ledger_close(ledger);
    return rc;
}

/* A store before another one, whose transactions are of a size of their own. */
static struct {
    deed_rc (*run)(void *context, deed_tx *tx, struct deed_error *err);
    void *context;
    struct deed_store *inner;
    const struct deed_tx *sized;
} other;

static deed_rc run_sized(void *context, deed_tx *tx, struct deed_error *err)
{
    (void)context;
    size_t size = other.sized->size;
    deed_tx *made = calloc(1, size > sizeof(*tx) ? size : sizeof(*tx));
    assert_non_null(made);
    *made = *tx;
    if (size > sizeof(*tx)) {
        memcpy(made, other.sized, size);
        memcpy(made, tx, sizeof(*tx));
    }
    made->size = size;
    deed_rc rc = other.run(other.context, made, err);
    free(made);
    return rc;
}

static deed_rc read_sized(void *self, struct deed_op *op, struct deed_error *err)
{
    other.run = op->run;
    other.context = op->context;
    struct deed_op mine = *op;
    mine.run = run_sized;
    mine.context = NULL;
    deed_rc rc = other.inner->read(self, &mine, err);
    op->rc = mine.rc;
    op->fate = mine.fate;
    op->error = mine.error;
    return rc;
}

static void fill_tx(struct scene *scene, void *whole)
{
    (void)scene;
    memset(whole, 0, sizeof(struct deed_tx));
    memcpy(whole, &(size_t){sizeof(struct deed_tx)}, sizeof(size_t));
}

static deed_rc take_tx(struct scene *scene, void *at, struct deed_error *err)
{
    struct deed_store *inner = scene_store_attach(scene->store);
    struct deed_store face = *inner;
    other.inner = inner;
    other.sized = at;
    face.read = read_sized;
    return open_with(scene, NULL, &face, err);
}

static struct deed_store *lent; /* the store that stands behind what was filled */

static void fill_store(struct scene *scene, void *whole)
{
    lent = scene_store_attach(scene->store);
    *(struct deed_store *)whole = *lent;
}

static deed_rc take_store(struct scene *scene, void *at, struct deed_error *err)
{
    const size_t size = ((const struct deed_store *)at)->size;
    deed_rc rc = open_with(scene, NULL, at, err);
    if (size < sizeof(struct deed_store)) {
        lent->close(lent->self); /* its close was out of reach */
    }
    return rc;
}

static deed_rc take_store_of_init(struct scene *scene, void *at, struct deed_error *err)
{
    (void)scene;
    deed_rc rc = deed_ledger_init(at, "again", true, NULL, err);
    lent->close(lent->self);
    return rc;
}

/* ---- the table ----------------------------------------------------------------------------- */

#define GIVEN(type, call, fill, run)                                                               \
    {                                                                                              \
#type, call, sizeof(struct type), fill, run                                                \
    }
#define FILLED(type, call, run)                                                                    \
    {                                                                                              \
#type, call, sizeof(struct type), NULL, run                                                \
    }

const struct sized_call sized_calls[] = {
    FILLED(deed_result, "get", told_by_get),
    FILLED(deed_result, "record", told_by_record),
    FILLED(deed_result, "plan", told_by_plan),
    FILLED(deed_result, "begin", told_by_begin),
    FILLED(deed_result, "finish", told_by_finish),
    FILLED(deed_result, "run", told_by_run),
    FILLED(deed_result, "reconcile", told_by_reconcile),
    FILLED(deed_result, "reconcile_plan", told_by_reconcile_plan),
    FILLED(deed_result, "resolve", told_by_resolve),
    FILLED(deed_result, "retract", told_by_retract),
    FILLED(deed_result, "hold", told_by_hold),
    FILLED(deed_result, "release", told_by_release),
    FILLED(deed_result, "evidence_add", told_by_evidence),
    FILLED(deed_plan, "plan", give_plan),
    FILLED(deed_attempt, "begin", give_attempt),
    FILLED(deed_ledger_info, "ledger_info", give_info),
    FILLED(deed_status, "ledger_status", give_status),
    FILLED(deed_check, "ledger_check", give_check),
    FILLED(deed_pass, "reconcile_pass", give_pass),
    FILLED(deed_drain, "outbox_drain", give_drain),
    FILLED(deed_schema, "schema of a reference store", give_schema),
    FILLED(deed_schema, "schema of a file", give_sqlite_schema),
    FILLED(deed_verified, "verify of a webhook", give_verified),
    GIVEN(deed_record, "record", fill_record, take_record),
    GIVEN(deed_record, "record_many", fill_record, take_record_of_many),
    GIVEN(deed_record, "begin", fill_record, take_record_of_begin),
    GIVEN(deed_begin, "begin", fill_begin, take_begin),
    GIVEN(deed_binding, "begin", fill_binding, take_binding),
    GIVEN(deed_profile, "begin", fill_profile, take_profile_of_binding),
    GIVEN(deed_profile, "ledger_register", fill_profile, take_profile),
    GIVEN(deed_answer, "finish", fill_answer, take_answer),
    GIVEN(deed_decision, "resolve", fill_decision, decided_by_resolve),
    GIVEN(deed_decision, "retract", fill_decision, decided_by_retract),
    GIVEN(deed_decision, "hold", fill_decision, decided_by_hold),
    GIVEN(deed_decision, "release", fill_decision, decided_by_release),
    GIVEN(deed_evidence, "evidence_add", fill_evidence, take_evidence),
    GIVEN(deed_evidence, "verify of a webhook", fill_evidence, take_evidence_of_verifier),
    GIVEN(deed_list, "ledger_list", fill_list, take_list),
    GIVEN(deed_find, "ledger_find", fill_find, take_find),
    GIVEN(deed_webhook, "webhook_verifier_create", fill_webhook, take_webhook),
    GIVEN(deed_options, "ledger_open", fill_options, take_options),
    GIVEN(deed_options, "ledger_init", fill_options, take_options_of_init),
    GIVEN(deed_clock, "ledger_open", fill_clock, take_clock),
    GIVEN(deed_random, "ledger_open", fill_random, take_random),
    GIVEN(deed_random, "sqlite_open", fill_random, take_random_of_sqlite),
    GIVEN(deed_allocator, "ledger_open", fill_memory, take_memory),
    GIVEN(deed_allocator, "sqlite_open", fill_memory, take_memory_of_sqlite),
    GIVEN(deed_allocator, "reference_open", fill_memory, take_memory_of_reference),
    GIVEN(deed_trace, "ledger_open", fill_trace, take_trace),
    GIVEN(deed_sqlite_options, "sqlite_create", fill_sqlite_options, take_sqlite_options_of_create),
    GIVEN(deed_sqlite_options, "sqlite_open", fill_sqlite_options, take_sqlite_options),
    GIVEN(deed_sqlite_options, "sqlite_check_place", fill_sqlite_options,
        take_sqlite_options_of_place),
    GIVEN(deed_reference_options, "reference_open", fill_reference_options, take_reference_options),
    GIVEN(deed_reference_options, "reference_attach", fill_reference_options,
        take_reference_options_of_attach),
    GIVEN(deed_reference_options, "reference_load", fill_reference_options,
        take_reference_options_of_load),
    GIVEN(deed_executor, "ledger_register", fill_executor, take_executor),
    GIVEN(deed_verifier, "ledger_register_verifier", fill_verifier, take_verifier),
    GIVEN(deed_tx, "ledger_open", fill_tx, take_tx),
    GIVEN(deed_store, "ledger_open", fill_store, take_store),
    GIVEN(deed_store, "ledger_init", fill_store, take_store_of_init),
};
const size_t sized_call_count = sizeof(sized_calls) / sizeof(sized_calls[0]);
