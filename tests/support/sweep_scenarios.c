/* SPDX-License-Identifier: MIT
 *
 * The actions that are taken under faults. Each says where it leads from and to.
 */
#include "support/sweep.h"

#include "support/test.h"
#include "support/visits.h"

#include <unistd.h>

#include <deed/evidence.h>
#include <deed/sqlite.h>

#define PAST_ALL_MS 3600000 /* every horizon, lag and pause is over */

/* ---- building blocks ------------------------------------------------------------------------------- */

static struct deed_payload payload_of(const char *body)
{
    struct deed_payload payload = {{"payment", 7}, {"provider", 8}, {body, strlen(body)}};
    return payload;
}

static deed_rc record_on(
    struct sweep_rig *rig, deed_ledger *ledger, const char *key, const char *body)
{
    struct deed_payload payload = payload_of(body);
    struct deed_record record = {.size = sizeof(record), .key = key, .payload = &payload};
    struct deed_result result = {.size = sizeof(result)};
    return deed_record(ledger, &record, &result, &rig->err);
}

static deed_rc record(struct sweep_rig *rig)
{
    return record_on(rig, rig->ledger, rig->key, "amount=1");
}

static void must(deed_rc rc)
{
    assert_int_equal(rc, DEED_OK);
}

static void prepare_recorded(struct sweep_rig *rig)
{
    must(record(rig));
}

static deed_rc run(struct sweep_rig *rig)
{
    struct deed_result result = {.size = sizeof(result)};
    return deed_run(rig->ledger, rig->key, DEED_BEGIN_BY_NAME, &result, &rig->err);
}

/* What a user does after an error of run: run it again if nothing is in doubt, else reconcile; and
 * where nobody can be asked, a person says what the provider's books show. */
static deed_rc run_on(struct sweep_rig *rig)
{
    struct deed_result result = {.size = sizeof(result)};
    deed_rc rc = deed_run(rig->ledger, rig->key, DEED_BEGIN_BY_NAME, &result, &rig->err);
    if (rc == DEED_OK && (result.uncertain || result.in_flight)) {
        deed_sim_clock_advance(rig->clock, PAST_ALL_MS);
        rc = deed_reconcile(rig->ledger, rig->key, &result, &rig->err);
    }
    if (rc == DEED_OK && result.uncertain) {
        struct deed_decision decision = {.size = sizeof(decision),
            .key = rig->key,
            .by = "a tester",
            .reason = "the books",
            .outcome = rig->effects > 0 ? DEED_APPLIED : DEED_NOT_APPLIED,
            .evidence = "the provider's books"};
        rc = deed_resolve(rig->ledger, &decision, &result, &rig->err);
    }
    if (rc == DEED_OK && result.outcome == DEED_NOT_APPLIED) {
        deed_sim_clock_advance(rig->clock, PAST_ALL_MS);
        rc = deed_run(rig->ledger, rig->key, DEED_BEGIN_BY_NAME, &result, &rig->err);
    }
    /* Confirmed, or reconciled if the first answer was lost on the way to the disk. */
    return rc == DEED_OK && result.outcome == DEED_APPLIED ? DEED_OK : DEED_E_CHECK;
}

static void prepare_in_doubt(struct sweep_rig *rig)
{
    rig->loses_reply = true;
    must(record(rig));
    must(run(rig));
    deed_sim_clock_advance(rig->clock, PAST_ALL_MS);
    rig->loses_reply = false;
}

static void prepare_not_sent(struct sweep_rig *rig)
{
    rig->refuses = true;
    must(record(rig));
    must(run(rig));
    deed_sim_clock_advance(rig->clock, PAST_ALL_MS);
    rig->refuses = false;
}

/* An error that stands for "this is refused, and rightly so". */
static deed_rc wanted(deed_rc rc, deed_rc refusal)
{
    return rc == refusal ? DEED_OK : rc == DEED_OK ? DEED_E_CHECK : rc;
}

/* ---- record ---------------------------------------------------------------------------------------- */

static deed_rc conflict(struct sweep_rig *rig)
{
    return wanted(record_on(rig, rig->ledger, rig->key, "amount=2"), DEED_E_CONFLICT);
}

struct many {
    deed_rc rcs[3];
    size_t told;
};

static bool tell_many(
    void *context, deed_rc rc, const struct deed_result *result, const struct deed_error *err)
{
    (void)result;
    (void)err;
    struct many *many = context;
    many->rcs[many->told++] = rc;
    return true;
}

/* Three at a time: the second is refused for what it is, the third is told apart from the first. */
static deed_rc record_many(struct sweep_rig *rig)
{
    char third[48];
    (void)snprintf(third, sizeof(third), "%s-third", rig->key);
    struct deed_payload payload = payload_of("amount=1");
    const struct deed_record records[] = {
        {.size = sizeof(records[0]), .key = rig->key, .payload = &payload},
        {.size = sizeof(records[0]), .key = "NO KEY", .payload = &payload},
        {.size = sizeof(records[0]), .key = third, .payload = &payload},
    };
    struct many many = {.told = 0};
    deed_rc rc = deed_record_many(rig->ledger, records, 3, tell_many, &many, &rig->err);
    if (rc != DEED_OK) {
        return rc;
    }
    assert_int_equal(many.told, 3);
    assert_int_equal(many.rcs[1], DEED_E_INVALID);
    return many.rcs[0] != DEED_OK ? many.rcs[0] : many.rcs[2];
}

/* ---- by hand --------------------------------------------------------------------------------------- */

static deed_rc begin(struct sweep_rig *rig)
{
    struct deed_plan plan = {.size = sizeof(plan)};
    deed_rc rc = deed_plan(rig->ledger, rig->key, NULL, DEED_BEGIN_BY_NAME, &plan, NULL, &rig->err);
    if (rc != DEED_OK) {
        return rc;
    }
    struct deed_binding binding = {.size = sizeof(binding),
        .executor = "by-hand",
        .executor_version = "1",
        .account_scope = "",
        .endpoint = "",
        .provider_key = plan.provider_key,
        .bytes = (const uint8_t *)"x",
        .bytes_count = 1};
    struct deed_begin begin = {
        .size = sizeof(begin), .key = rig->key, .flags = DEED_BEGIN_BY_NAME, .binding = &binding};
    rig->attempt.size = sizeof(rig->attempt);
    rc = deed_begin(rig->ledger, &begin, &rig->attempt, NULL, &rig->err);
    rig->begun = rc == DEED_OK;
    return rc;
}

static deed_rc send_and_finish(struct sweep_rig *rig)
{
    if (!rig->answered) {
        const deed_rc rc = deed_may_send(rig->ledger, rig->attempt.token, &rig->err);
        if (rc != DEED_OK) {
            return rc;
        }
        rig->sends++;
        rig->effects++;
        rig->answered = true;
    }
    struct deed_answer answer = {.size = sizeof(answer), .verdict = DEED_VERDICT_APPLIED};
    return deed_finish(rig->ledger, rig->key, rig->attempt.token, &answer, NULL, &rig->err) ==
            DEED_OK
        ? DEED_OK
        : DEED_E_UNCERTAIN;
}

static deed_rc by_hand(struct sweep_rig *rig)
{
    const deed_rc rc = rig->begun ? DEED_OK : begin(rig);
    return rc == DEED_OK ? send_and_finish(rig) : rc;
}

/* ---- settling -------------------------------------------------------------------------------------- */

static deed_rc reconcile(struct sweep_rig *rig)
{
    struct deed_result result = {.size = sizeof(result)};
    deed_rc rc = deed_reconcile(rig->ledger, rig->key, &result, &rig->err);
    return rc == DEED_OK && result.uncertain ? DEED_E_UNCERTAIN : rc;
}

static deed_rc reconcile_later(struct sweep_rig *rig)
{
    deed_sim_clock_advance(rig->clock, PAST_ALL_MS);
    return reconcile(rig);
}

struct told {
    deed_rc rc;
    bool any;
};

static bool tell_one(
    void *context, deed_rc rc, const struct deed_result *result, const struct deed_error *err)
{
    (void)result;
    (void)err;
    struct told *told = context;
    told->rc = rc;
    told->any = true;
    return true;
}

/* What is known of the one intent a walk dealt with. The walk itself may fail after it was told. */
static deed_rc answer_of(const struct told *told, deed_rc walk)
{
    if (told->any && told->rc != DEED_OK) {
        return told->rc;
    }
    return told->any && walk != DEED_OK ? DEED_E_UNCERTAIN : walk;
}

static deed_rc pass(struct sweep_rig *rig)
{
    struct told told = {.any = false};
    struct deed_pass counts = {.size = sizeof(counts)};
    return answer_of(&told, deed_reconcile_pass(rig->ledger, tell_one, &told, &counts, NULL));
}

static deed_rc pass_later(struct sweep_rig *rig)
{
    deed_sim_clock_advance(rig->clock, PAST_ALL_MS);
    return pass(rig);
}

static deed_rc run_due(struct sweep_rig *rig)
{
    struct told told = {.any = false};
    return answer_of(&told, deed_run_due(rig->ledger, tell_one, &told, NULL));
}

/* ---- a person -------------------------------------------------------------------------------------- */

static struct deed_decision decision_of(const struct sweep_rig *rig)
{
    struct deed_decision decision = {.size = sizeof(decision),
        .key = rig->key,
        .by = "a tester",
        .reason = "the books",
        .outcome = DEED_APPLIED,
        .evidence = "the provider's books"};
    return decision;
}

static deed_rc resolve(struct sweep_rig *rig)
{
    const struct deed_decision decision = decision_of(rig);
    const deed_rc rc = deed_resolve(rig->ledger, &decision, NULL, &rig->err);
    return rc == DEED_E_NO_STEP ? DEED_OK : rc; /* the same word again */
}

static deed_rc retract(struct sweep_rig *rig)
{
    const struct deed_decision decision = decision_of(rig);
    return deed_retract(rig->ledger, &decision, NULL, &rig->err);
}

static deed_rc hold(struct sweep_rig *rig)
{
    const struct deed_decision decision = decision_of(rig);
    return deed_hold(rig->ledger, &decision, NULL, &rig->err);
}

static void prepare_held(struct sweep_rig *rig)
{
    prepare_recorded(rig);
    must(hold(rig));
}

static deed_rc release(struct sweep_rig *rig)
{
    const struct deed_decision decision = decision_of(rig);
    return deed_release(rig->ledger, &decision, NULL, &rig->err);
}

/* ---- a word from outside ---------------------------------------------------------------------------- */

static deed_rc bring_word(struct sweep_rig *rig)
{
    const struct deed_evidence evidence = {.size = sizeof(evidence),
        .key = rig->key,
        .source = "webhook",
        .event_id = rig->key,
        .outcome = DEED_APPLIED,
        .message = {"it happened", 11},
        .by = "a tester"};
    return deed_evidence_add(rig->ledger, &evidence, NULL, &rig->err);
}

/* ---- reading --------------------------------------------------------------------------------------- */

static deed_rc show(struct sweep_rig *rig)
{
    struct deed_result result = {.size = sizeof(result)};
    struct deed_ledger_info info = {.size = sizeof(info)};
    deed_rc rc = deed_get(rig->ledger, rig->key, &result, &rig->err);
    if (rc == DEED_OK) {
        rc = deed_ledger_info(rig->ledger, &info, &rig->err);
    }
    if (rc == DEED_OK) {
        rc = deed_intent_payload(rig->ledger, rig->key, see_intent, NULL, &rig->err);
    }
    if (rc == DEED_OK) {
        rc = deed_intent_attempts(rig->ledger, rig->key, see_attempt, NULL, &rig->err);
    }
    if (rc == DEED_OK) {
        rc = deed_intent_evidence(rig->ledger, rig->key, see_evidence, NULL, &rig->err);
    }
    return rc == DEED_OK ? deed_intent_events(rig->ledger, rig->key, see_event, NULL, &rig->err)
                         : rc;
}

static deed_rc plan(struct sweep_rig *rig)
{
    deed_settle_step step = DEED_SETTLE_NOTHING;
    struct deed_find find = {.size = sizeof(find), .provider_key = rig->effect_key};
    deed_rc rc = deed_reconcile_plan(rig->ledger, rig->key, true, &step, NULL, &rig->err);
    if (rc == DEED_OK) {
        rc = deed_ledger_find(rig->ledger, &find, see_result, NULL, &rig->err);
    }
    return rc == DEED_OK ? deed_ledger_passes(rig->ledger, 0, see_pass, NULL, &rig->err) : rc;
}

static deed_rc list(struct sweep_rig *rig)
{
    struct deed_list all = {.size = sizeof(all), .flags = DEED_LIST_ALL};
    struct deed_status status = {.size = sizeof(status)};
    deed_rc rc = deed_ledger_list(rig->ledger, &all, see_result, NULL, &rig->err);
    return rc == DEED_OK ? deed_ledger_status(rig->ledger, &status, &rig->err) : rc;
}

static void print_broken(void *context, const char *key, const char *text)
{
    (void)fprintf(stderr, "%s is said to be broken%s: %s\n", (const char *)context, key, text);
}

static deed_rc check(struct sweep_rig *rig)
{
    struct deed_check counts = {.size = sizeof(counts)};
    return deed_ledger_check(rig->ledger, print_broken, rig->key, &counts, &rig->err);
}

/* ---- parsing --------------------------------------------------------------------------------------- */

static deed_rc parse(struct sweep_rig *rig)
{
    static const char text[] =
        "{\"kind\": \"payment\", \"target\": \"provider\", \"body\": \"amount=\\u0031\"}";
    struct deed_payload_buffer *buffer = NULL;
    (void)rig;
    const deed_rc rc = deed_payload_parse(text, sizeof(text) - 1, &buffer, &rig->err);
    deed_payload_free(buffer);
    return rc;
}

/* ---- a handle that knows nothing yet ----------------------------------------------------------------- */

/* Closed under the fault too. */
static deed_rc cold_record(struct sweep_rig *rig)
{
    deed_ledger *cold = NULL;
    deed_rc rc = sweep_open_now(rig, &cold);
    if (rc == DEED_OK) {
        rc = record_on(rig, cold, rig->key, "amount=1");
    }
    deed_ledger_close(cold);
    return rc;
}

/* ---- files ------------------------------------------------------------------------------------------- */

static void remove_file(const struct sweep_rig *rig)
{
    static const char *const suffixes[] = {"", "-wal", "-shm", "-owners", "-journal"};
    for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
        char path[160];
        (void)snprintf(path, sizeof(path), "%s-file%s", rig->path, suffixes[i]);
        (void)unlink(path);
    }
}

static deed_rc open_named(struct sweep_rig *rig, const char *path, bool migrate)
{
    struct deed_store *store = NULL;
    deed_ledger *ledger = NULL;
    const struct deed_options options = sweep_options(rig);
    deed_rc rc = sweep_open_store(rig, path, &store);
    if (rc != DEED_OK) {
        return rc;
    }
    if (migrate) {
        rc = store->migrate(store->self, false, NULL, NULL, &rig->err);
    }
    if (rc == DEED_OK) {
        rc = deed_ledger_init(store, "made", true, &options, &rig->err);
        rc = rc == DEED_E_NO_STEP ? DEED_OK : rc; /* by the call before */
    }
    if (rc != DEED_OK) {
        store->close(store->self);
        return rc;
    }
    rc = deed_ledger_open(store, &options, &ledger, &rig->err);
    if (rc == DEED_OK && migrate) {
        rc = record_on(rig, ledger, rig->key, "amount=1");
    }
    deed_ledger_close(ledger);
    return rc;
}

static void file_of(const struct sweep_rig *rig, char path[128])
{
    (void)snprintf(path, 128, "%s-file", rig->path);
}

/* The file is there whole, or it is not there; then it is named. */
static deed_rc create(struct sweep_rig *rig)
{
    char path[128];
    const struct deed_sqlite_options options = {.size = sizeof(options),
        .vfs = rig->faults->vfs,
        .memory = rig->faults->memory,
        .random = deed_sim_random_source(rig->random),
        .busy_ms = 2};
    file_of(rig, path);
    deed_rc rc = access(path, F_OK) == 0 ? DEED_OK : deed_sqlite_create(path, &options, &rig->err);
    return rc == DEED_OK ? open_named(rig, path, false) : rc;
}

static void prepare_file(struct sweep_rig *rig)
{
    remove_file(rig);
}

static void prepare_fixture(struct sweep_rig *rig)
{
    static char bytes[1 << 16];
    char path[128];
    file_of(rig, path);
    remove_file(rig);
    FILE *from = fopen(DEED_SOURCE_DIR "/tests/vectors/seed-ledger.sqlite3", "rb");
    FILE *to = fopen(path, "wb");
    assert_non_null(from);
    assert_non_null(to);
    const size_t count = fread(bytes, 1, sizeof(bytes), from);
    assert_true(count > 0 && feof(from) != 0);
    assert_int_equal(fwrite(bytes, 1, count, to), count);
    assert_int_equal(fclose(from), 0);
    assert_int_equal(fclose(to), 0);
}

static deed_rc migrate(struct sweep_rig *rig)
{
    char path[128];
    file_of(rig, path);
    return open_named(rig, path, true);
}

static deed_rc end_file(struct sweep_rig *rig, deed_rc (*act)(struct sweep_rig *rig))
{
    const deed_rc rc = act(rig);
    remove_file(rig);
    return rc;
}

static deed_rc create_again(struct sweep_rig *rig)
{
    return end_file(rig, create);
}

static deed_rc migrate_again(struct sweep_rig *rig)
{
    return end_file(rig, migrate);
}

/* ---- the table --------------------------------------------------------------------------------------- */

#define RECORDED  "recorded/none"
#define DOUBT     "attempted/none"
#define CONFIRMED "confirmed/applied"
#define APPLIED   "reconciled/applied"
#define NOT_SENT  "reconciled/not_applied"

#define UNSENT    "confirmed/not_applied"
#define RETRACTED "confirmed/retracted"

#define RUN(class_name, class_value)                                                               \
    {                                                                                              \
        .name = "run " class_name, .class = (class_value), .prepare = prepare_recorded,            \
        .act = run, .again = run_on, .from = RECORDED, .to = CONFIRMED, .late = APPLIED,           \
        .between = {DOUBT, UNSENT},                                                                \
    }

const struct sweep_scenario sweep_scenarios[] = {
    {.name = "record", .act = record, .from = "-", .to = RECORDED},
    {.name = "repeat",
        .prepare = prepare_recorded,
        .act = record,
        .from = RECORDED,
        .to = RECORDED},
    {.name = "conflict",
        .prepare = prepare_recorded,
        .act = conflict,
        .from = RECORDED,
        .to = RECORDED},
    /* Between: the third may fail when the first is there. */
    {.name = "record_many", .act = record_many, .from = "-", .to = RECORDED, .between = {RECORDED}},
    {.name = "by hand",
        .prepare = prepare_recorded,
        .act = by_hand,
        .from = RECORDED,
        .to = CONFIRMED,
        .between = {DOUBT, UNSENT}},
    RUN("blind", SWEEP_BLIND),
    RUN("lookup", SWEEP_LOOKUP),
    RUN("keyed", SWEEP_KEYED),
    RUN("keyed_lookup", SWEEP_KEYED_LOOKUP),
    RUN("closable", SWEEP_CLOSABLE),
    {.name = "run due",
        .class = SWEEP_LOOKUP,
        .prepare = prepare_recorded,
        .act = run_due,
        .again = run_on,
        .from = RECORDED,
        .to = CONFIRMED,
        .late = APPLIED,
        .between = {DOUBT, UNSENT}},
    {.name = "look up, present",
        .class = SWEEP_LOOKUP,
        .prepare = prepare_in_doubt,
        .act = reconcile,
        .again = reconcile_later,
        .from = DOUBT,
        .to = APPLIED},
    {.name = "look up, absent",
        .class = SWEEP_LOOKUP,
        .prepare = prepare_not_sent,
        .act = reconcile,
        .again = reconcile_later,
        .from = DOUBT,
        .to = NOT_SENT},
    {.name = "replay",
        .class = SWEEP_KEYED,
        .prepare = prepare_in_doubt,
        .act = reconcile,
        .again = reconcile_later,
        .from = DOUBT,
        .to = APPLIED},
    {.name = "cancel",
        .class = SWEEP_CLOSABLE,
        .prepare = prepare_not_sent,
        .act = reconcile,
        .again = reconcile_later,
        .from = DOUBT,
        .to = NOT_SENT},
    {.name = "pass",
        .class = SWEEP_KEYED_LOOKUP,
        .prepare = prepare_in_doubt,
        .act = pass,
        .again = pass_later,
        .from = DOUBT,
        .to = APPLIED},
    {.name = "resolve",
        .class = SWEEP_BLIND,
        .prepare = prepare_in_doubt,
        .act = resolve,
        .from = DOUBT,
        .to = APPLIED},
    {.name = "retract",
        .prepare = prepare_recorded,
        .act = retract,
        .from = RECORDED,
        .to = RETRACTED},
    {.name = "hold", .prepare = prepare_recorded, .act = hold, .from = RECORDED, .to = RECORDED},
    {.name = "release", .prepare = prepare_held, .act = release, .from = RECORDED, .to = RECORDED},
    {.name = "show",
        .class = SWEEP_LOOKUP,
        .prepare = prepare_in_doubt,
        .act = show,
        .from = DOUBT,
        .to = DOUBT,
        .same_key = true},
    {.name = "plan, find, passes",
        .class = SWEEP_LOOKUP,
        .prepare = prepare_in_doubt,
        .act = plan,
        .from = DOUBT,
        .to = DOUBT,
        .same_key = true},
    {.name = "evidence",
        .class = SWEEP_BLIND,
        .prepare = prepare_in_doubt,
        .act = bring_word,
        .from = DOUBT,
        .to = APPLIED},
    {.name = "list",
        .class = SWEEP_LOOKUP,
        .prepare = prepare_in_doubt,
        .act = list,
        .from = DOUBT,
        .to = DOUBT,
        .same_key = true},
    {.name = "check",
        .class = SWEEP_LOOKUP,
        .prepare = prepare_in_doubt,
        .act = check,
        .from = DOUBT,
        .to = DOUBT,
        .same_key = true},
    {.name = "parse", .act = parse, .from = "-", .to = "-", .same_key = true},
    {.name = "open, record, close", .act = cold_record, .from = "-", .to = RECORDED},
    {.name = "create",
        .prepare = prepare_file,
        .act = create,
        .again = create_again,
        .from = "-",
        .to = "-",
        .files_only = true,
        .without_ledger = true},
    {.name = "migrate",
        .prepare = prepare_fixture,
        .act = migrate,
        .again = migrate_again,
        .from = "-",
        .to = "-",
        .files_only = true,
        .without_ledger = true},
};
const size_t sweep_scenario_count = sizeof(sweep_scenarios) / sizeof(sweep_scenarios[0]);
