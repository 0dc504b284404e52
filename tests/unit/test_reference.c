/* SPDX-License-Identifier: MIT
 *
 * The reference store: what it refuses, what it undoes, how it dies, what it gives back from paper,
 * and that the core runs on it. What it shares with every other store is in tests/conformance.
 */
#include "support/test.h"

#include <deed/ext/store.h>
#include <deed/ledger.h>
#include <deed/machine.h>
#include <deed/reference.h>

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "support/payload.h"

#define NOW_MS 1700000000000

static struct deed_store *open_store(void)
{
    struct deed_store *store = NULL;
    assert_int_equal(DEED_OK, deed_reference_open(NULL, &store, NULL));
    return store;
}

static struct deed_store *attach(const struct deed_store *to)
{
    struct deed_store *store = NULL;
    assert_int_equal(DEED_OK, deed_reference_attach(to, NULL, &store, NULL));
    return store;
}

static void close_store(struct deed_store *store)
{
    store->close(store->self);
}

/* ---- operations -------------------------------------------------------------------------- */

typedef deed_rc (*run_op)(void *context, deed_tx *tx, struct deed_error *err);

static struct deed_op op_of(run_op run, void *context)
{
    struct deed_op op = {.size = sizeof(op), .run = run, .context = context};
    return op;
}

static deed_rc write_one(struct deed_store *store, run_op run, void *context)
{
    struct deed_op op = op_of(run, context);
    deed_rc rc = store->write(store->self, &op, 1, NULL);
    return rc == DEED_OK ? op.rc : rc;
}

static deed_rc read_one(struct deed_store *store, run_op run, void *context)
{
    struct deed_op op = op_of(run, context);
    deed_rc rc = store->read(store->self, &op, NULL);
    return rc == DEED_OK ? op.rc : rc;
}

static struct deed_intent_row intent_row(const char *key)
{
    struct deed_intent_row row = {
        .size = sizeof(row),
        .key = key,
        .payload_here = true,
        .payload = {TEXT("mail"), TEXT("ops"), TEXT("a\0b")},
        .state = DEED_RECORDED,
        .recorded_ms = NOW_MS,
    };
    return row;
}

static struct deed_attempt_row attempt_row(int64_t intent_id, uint32_t number)
{
    struct deed_attempt_row row = {
        .size = sizeof(row),
        .intent_id = intent_id,
        .number = number,
        .token = {(uint8_t)intent_id, (uint8_t)number},
        .cause = DEED_CAUSE_FIRST,
        .executor = "test",
        .executor_version = "1",
        .account_scope = "",
        .endpoint = "nowhere",
        .provider_key = "key",
        .bytes = TEXT("GET /"),
        .start = {.wall_ms = NOW_MS, .boot = "boot"},
    };
    return row;
}

static struct deed_event_row event_row(int64_t intent_id, int64_t number)
{
    struct deed_event_row row = {
        .size = sizeof(row),
        .intent_id = intent_id,
        .number = number,
        .event = DEED_EVENT_RECORD,
        .to = DEED_RECORDED,
        .at_ms = NOW_MS,
        .newest_ms = NOW_MS,
        .detail = "{}",
    };
    return row;
}

static deed_rc insert_key(void *context, deed_tx *tx, struct deed_error *err)
{
    struct deed_intent_row row = intent_row(context);
    return tx->intent_insert(tx->self, &row, err);
}

static deed_rc find_key(void *context, deed_tx *tx, struct deed_error *err)
{
    struct deed_intent_row row;
    return tx->intent_get(tx->self, context, false, &row, err);
}

static bool has_key(struct deed_store *store, const char *key)
{
    char copy[DEED_KEY_BYTES_MAX + 1];
    (void)snprintf(copy, sizeof(copy), "%s", key);
    deed_rc rc = read_one(store, find_key, copy);
    assert_true(rc == DEED_OK || rc == DEED_E_NOT_FOUND);
    return rc == DEED_OK;
}

/* One intent with everything an intent can have. */
static deed_rc insert_much(void *context, deed_tx *tx, struct deed_error *err)
{
    struct deed_ledger_row ledger = {
        .size = sizeof(ledger), .name = "tests", .epoch = 1, .created_ms = NOW_MS};
    struct deed_intent_row intent = intent_row(context);
    intent.held = true;
    intent.held_reason = "wait";
    deed_rc rc = tx->ledger_put(tx->self, &ledger, err);
    if (rc == DEED_OK) {
        rc = tx->intent_insert(tx->self, &intent, err);
    }
    struct deed_attempt_row attempt = attempt_row(intent.id, 1);
    attempt.landing_ms = DEED_FOREVER;
    if (rc == DEED_OK) {
        rc = tx->attempt_insert(tx->self, &attempt, err);
    }
    attempt.answered = true;
    attempt.answered_ms = NOW_MS;
    attempt.handle = "job-7";
    if (rc == DEED_OK) {
        rc = tx->attempt_update(tx->self, &attempt, err);
    }
    struct deed_evidence_row evidence = {
        .size = sizeof(evidence),
        .intent_id = intent.id,
        .source = "lookup",
        .outcome = DEED_APPLIED,
        .reference = "ref-1",
        .excerpt = TEXT("{\0}"),
        .at_ms = NOW_MS,
    };
    if (rc == DEED_OK) {
        rc = tx->evidence_insert(tx->self, &evidence, err);
    }
    struct deed_event_row event = event_row(intent.id, 1);
    return rc == DEED_OK ? tx->event_insert(tx->self, &event, err) : rc;
}

/* ---- the core on it ---------------------------------------------------------------------- */

static void test_reference__the_core_takes_an_action_from_record_to_confirmed(void **state)
{
    (void)state;
    struct deed_error err = {0};
    struct deed_store *store = open_store();
    deed_ledger *ledger = NULL;
    assert_int_equal(DEED_OK, deed_ledger_init(store, "tests", true, NULL, &err));
    assert_int_equal(DEED_OK, deed_ledger_open(store, NULL, &ledger, &err));
    struct deed_payload payload = {TEXT("mail"), TEXT("ops"), TEXT("hello")};
    struct deed_record record = {.size = sizeof(record), .key = "hello-1", .payload = &payload};
    struct deed_result result = {.size = sizeof(result)};
    assert_int_equal(DEED_OK, deed_record(ledger, &record, &result, &err));
    assert_true(result.created);

    struct deed_plan plan = {.size = sizeof(plan)};
    assert_int_equal(DEED_OK, deed_plan(ledger, "hello-1", NULL, 0, &plan, &result, &err));
    struct deed_binding binding = {
        .size = sizeof(binding),
        .executor = "test",
        .executor_version = "1",
        .account_scope = "nobody",
        .endpoint = "nowhere",
        .provider_key = plan.provider_key,
        .bytes = (const uint8_t *)"hello",
        .bytes_count = 5,
    };
    struct deed_begin begin = {.size = sizeof(begin), .key = "hello-1", .binding = &binding};
    struct deed_attempt attempt = {.size = sizeof(attempt)};
    assert_int_equal(DEED_OK, deed_begin(ledger, &begin, &attempt, &result, &err));
    assert_int_equal(DEED_ATTEMPTED, result.state);
    assert_true(result.in_flight);

    struct deed_answer answer = {.size = sizeof(answer), .verdict = DEED_VERDICT_APPLIED};
    assert_int_equal(
        DEED_OK, deed_finish(ledger, "hello-1", attempt.token, &answer, &result, &err));
    assert_int_equal(DEED_CONFIRMED, result.state);
    assert_int_equal(DEED_APPLIED, result.outcome);
    assert_int_equal(DEED_OK, deed_ledger_check(ledger, NULL, NULL, NULL, &err));
    deed_ledger_close(ledger);
}

static deed_rc record_key(deed_ledger *ledger, const char *key, struct deed_result *result)
{
    struct deed_payload payload = {TEXT("mail"), TEXT("ops"), TEXT("hello")};
    struct deed_record record = {.size = sizeof(record), .key = key, .payload = &payload};
    return deed_record(ledger, &record, result, NULL);
}

/* The sweep: every fault at the one commit of a record, on a ledger of its own. */
static void test_reference__the_core_records_once_whatever_becomes_of_a_commit(void **state)
{
    (void)state;
    static const struct {
        deed_reference_fault fault;
        deed_rc rc;
    } cases[] = {
        {DEED_REFERENCE_NO_FAULT, DEED_OK},
        {DEED_REFERENCE_COMMIT_FAILS, DEED_E_STORE},
        {DEED_REFERENCE_COMMIT_KEPT, DEED_OK},
        {DEED_REFERENCE_COMMIT_LOST, DEED_OK},
        {DEED_REFERENCE_COMMIT_BUSY, DEED_E_BUSY},
        {DEED_REFERENCE_COMMIT_AGAIN, DEED_OK},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct deed_store *store = open_store();
        struct deed_store *other = attach(store);
        deed_ledger *ledger = NULL;
        assert_int_equal(DEED_OK, deed_ledger_init(store, "tests", true, NULL, NULL));
        assert_int_equal(DEED_OK, deed_ledger_open(store, NULL, &ledger, NULL));
        deed_reference_fail_commit(store, 1, cases[i].fault);
        struct deed_result result = {.size = sizeof(result)};
        assert_int_equal(cases[i].rc, record_key(ledger, "one", &result));
        assert_int_equal(cases[i].rc == DEED_OK, has_key(other, "one"));
        assert_int_equal(DEED_OK, record_key(ledger, "one", &result));
        assert_int_equal(DEED_OK, deed_ledger_check(ledger, NULL, NULL, NULL, NULL));
        deed_ledger_close(ledger);
        close_store(other);
    }
}

/* ---- undoing ----------------------------------------------------------------------------- */

static deed_rc insert_many_and_fail(void *context, deed_tx *tx, struct deed_error *err)
{
    (void)context;
    for (int i = 0; i < 200; i++) {
        char key[32];
        (void)snprintf(key, sizeof(key), "gone-%d", i);
        deed_rc rc = insert_much(key, tx, err);
        if (rc != DEED_OK) {
            return rc;
        }
    }
    return DEED_E_NO_STEP;
}

static void test_reference__an_operation_that_errs_leaves_nothing_and_disturbs_nobody(void **state)
{
    (void)state;
    struct deed_store *store = open_store();
    char first[] = "first";
    char last[] = "last";
    struct deed_op ops[] = {
        op_of(insert_key, first), op_of(insert_many_and_fail, NULL), op_of(insert_key, last)};
    assert_int_equal(DEED_OK, store->write(store->self, ops, 3, NULL));
    assert_int_equal(DEED_FATE_COMMITTED, ops[0].fate);
    assert_int_equal(DEED_FATE_NONE, ops[1].fate);
    assert_int_equal(DEED_E_NO_STEP, ops[1].rc);
    assert_int_equal(DEED_FATE_COMMITTED, ops[2].fate);
    assert_true(has_key(store, "first"));
    assert_false(has_key(store, "gone-0"));
    assert_false(has_key(store, "gone-199"));
    assert_true(has_key(store, "last"));
    assert_int_equal(DEED_OK, store->check(store->self, NULL));
    assert_int_equal(DEED_OK, write_one(store, insert_much, first + 1)); /* "irst" */
    assert_int_equal(DEED_OK, store->check(store->self, NULL));
    close_store(store);
}

static deed_rc hide_a_refusal(void *context, deed_tx *tx, struct deed_error *err)
{
    char other[] = "other";
    struct deed_intent_row row = intent_row("wrong");
    row.outcome = DEED_APPLIED;
    assert_int_equal(DEED_OK, insert_key(other, tx, err));
    assert_int_equal(DEED_E_CONFLICT, insert_key(context, tx, err)); /* an answer */
    assert_int_equal(DEED_E_CHECK, tx->intent_insert(tx->self, &row, err));
    return DEED_OK;
}

static void test_reference__an_operation_that_hides_a_refusal_is_undone(void **state)
{
    (void)state;
    struct deed_store *store = open_store();
    char key[] = "key";
    assert_int_equal(DEED_OK, write_one(store, insert_key, key));
    assert_int_equal(DEED_E_MISUSE, write_one(store, hide_a_refusal, key));
    assert_false(has_key(store, "other"));
    close_store(store);
}

/* ---- rules ------------------------------------------------------------------------------- */

static deed_rc insert_row(void *context, deed_tx *tx, struct deed_error *err)
{
    struct deed_intent_row row = *(struct deed_intent_row *)context;
    return tx->intent_insert(tx->self, &row, err);
}

static void test_reference__an_intent_stands_only_where_the_machine_can_bring_it(void **state)
{
    (void)state;
    struct deed_store *store = open_store();
    int number = 0;
    for (int s = 0; s < 6; s++) {
        for (int o = 0; o < 6; o++) {
            char key[32];
            (void)snprintf(key, sizeof(key), "key-%d", number++);
            struct deed_intent_row row = intent_row(key);
            row.state = (deed_state)s;
            row.outcome = (deed_outcome)o;
            deed_rc expected = deed_state_allows(row.state, row.outcome) ? DEED_OK : DEED_E_CHECK;
            assert_int_equal(expected, write_one(store, insert_row, &row));
        }
    }
    assert_int_equal(DEED_OK, store->check(store->self, NULL));
    close_store(store);
}

static deed_rc insert_event(void *context, deed_tx *tx, struct deed_error *err)
{
    return tx->event_insert(tx->self, context, err);
}

/* The expected answer is computed from the edges and from the two kinds of events that have none. */
static bool is_step(int from, int event, int to)
{
    const struct deed_edge *edge = NULL;
    for (size_t i = 0; (edge = deed_edge_at(i)) != NULL; i++) {
        if ((int)edge->from == from && (int)edge->event == event && (int)edge->to == to) {
            return true;
        }
    }
    if (event == DEED_EVENT_FENCE || event == DEED_EVENT_LIFT) {
        return from == 0 && to == 0;
    }
    return event >= DEED_EVENT_ANSWER && event <= DEED_EVENT_PRUNE && from == to && from >= 1 &&
        from <= 4;
}

static void test_reference__an_event_is_kept_only_if_the_machine_has_the_step(void **state)
{
    (void)state;
    struct deed_store *store = open_store();
    char key[] = "key";
    assert_int_equal(DEED_OK, write_one(store, insert_key, key));
    int64_t number = 0;
    for (int from = 0; from < 6; from++) {
        for (int event = 0; event < 18; event++) {
            for (int to = 0; to < 6; to++) {
                struct deed_event_row row = event_row(to == 0 ? 0 : 1, ++number);
                row.from = (deed_state)from;
                row.event = (deed_event)event;
                row.to = (deed_state)to;
                row.outcome = to > DEED_ATTEMPTED ? DEED_APPLIED : DEED_OUTCOME_NONE;
                assert_int_equal(is_step(from, event, to) ? DEED_OK : DEED_E_CHECK,
                    write_one(store, insert_event, &row));
            }
        }
    }
    assert_int_equal(DEED_OK, store->check(store->self, NULL));
    close_store(store);
}

static void test_reference__the_newest_time_never_falls(void **state)
{
    (void)state;
    struct deed_store *store = open_store();
    char key[] = "key";
    assert_int_equal(DEED_OK, write_one(store, insert_much, key));
    struct deed_event_row row = event_row(1, 2);
    row.from = DEED_RECORDED;
    row.event = DEED_EVENT_NOTE;
    row.at_ms = NOW_MS - 5;
    row.newest_ms = NOW_MS - 5;
    assert_int_equal(DEED_E_CHECK, write_one(store, insert_event, &row));
    row.newest_ms = NOW_MS;
    assert_int_equal(DEED_OK, write_one(store, insert_event, &row));
    assert_int_equal(DEED_E_CONFLICT, write_one(store, insert_event, &row));
    close_store(store);
}

/* ---- rows -------------------------------------------------------------------------------- */

static deed_rc see_attempt_without_bytes(void *context, const struct deed_attempt_row *row)
{
    (void)context;
    assert_null(row->bytes.data);
    assert_int_equal(DEED_FOREVER, row->landing_ms);
    assert_string_equal("job-7", row->handle);
    return DEED_OK;
}

static deed_rc see_attempt_with_bytes(void *context, const struct deed_attempt_row *row)
{
    (void)context;
    assert_int_equal(5, row->bytes.bytes);
    assert_memory_equal("GET /", row->bytes.data, 5);
    return DEED_OK;
}

static deed_rc look_at_rows(void *context, deed_tx *tx, struct deed_error *err)
{
    struct deed_intent_row row;
    assert_int_equal(DEED_OK, tx->intent_get(tx->self, context, false, &row, err));
    assert_true(row.payload_here);
    assert_int_equal(4, row.payload.kind.bytes);
    assert_null(row.payload.target.data);
    assert_null(row.payload.body.data);
    assert_int_equal(DEED_OK, tx->intent_by_id(tx->self, row.id, true, &row, err));
    assert_int_equal(3, row.payload.body.bytes);
    assert_memory_equal("a\0b", row.payload.body.data, 3);
    assert_int_equal(
        DEED_OK, tx->attempt_each(tx->self, row.id, false, see_attempt_without_bytes, NULL, err));
    return tx->attempt_each(tx->self, row.id, true, see_attempt_with_bytes, NULL, err);
}

static void test_reference__what_was_not_asked_for_is_not_handed_out(void **state)
{
    (void)state;
    struct deed_store *store = open_store();
    char key[] = "key";
    assert_int_equal(DEED_OK, write_one(store, insert_much, key));
    assert_int_equal(DEED_OK, read_one(store, look_at_rows, key));
    close_store(store);
}

static void test_reference__a_read_may_not_write(void **state)
{
    (void)state;
    struct deed_store *store = open_store();
    char key[] = "key";
    assert_int_equal(DEED_E_MISUSE, read_one(store, insert_key, key));
    assert_false(has_key(store, "key"));
    struct deed_reference_options options = {.size = sizeof(options), .read_only = true};
    struct deed_store *reader = NULL;
    assert_int_equal(DEED_OK, deed_reference_attach(store, &options, &reader, NULL));
    assert_true(reader->read_only(reader->self));
    assert_int_equal(DEED_E_MISUSE, write_one(reader, insert_key, key));
    close_store(reader);
    close_store(store);
}

static deed_rc call_again(void *context, deed_tx *tx, struct deed_error *err)
{
    (void)tx;
    struct deed_store *store = context;
    char key[] = "key";
    struct deed_op op = op_of(insert_key, key);
    assert_int_equal(DEED_E_MISUSE, store->write(store->self, &op, 1, err));
    assert_int_equal(DEED_FATE_NONE, op.fate);
    assert_int_equal(DEED_E_MISUSE, store->read(store->self, &op, err));
    assert_true(store->owner_lives(store->self, store->owner(store->self)));
    return DEED_OK;
}

static void test_reference__an_operation_that_calls_its_store_is_refused_and_does_not_wait(
    void **state)
{
    (void)state;
    struct deed_store *store = open_store();
    struct deed_store *other = attach(store);
    assert_int_equal(DEED_OK, write_one(store, call_again, store));
    assert_int_equal(DEED_OK, write_one(store, call_again, other));
    close_store(other);
    close_store(store);
}

/* ---- faults ------------------------------------------------------------------------------ */

static void test_reference__a_commit_of_unknown_fate_closes_the_handle_until_it_recovers(
    void **state)
{
    (void)state;
    struct deed_store *store = open_store();
    struct deed_store *other = attach(store);
    char key[] = "key";
    deed_reference_fail_commit(store, 1, DEED_REFERENCE_COMMIT_KEPT);
    struct deed_op op = op_of(insert_key, key);
    struct deed_error err = {0};
    assert_int_equal(DEED_E_STORE, store->write(store->self, &op, 1, &err));
    assert_int_equal(DEED_FATE_UNKNOWN, op.fate);
    assert_int_equal(DEED_E_STORE, read_one(store, find_key, key));
    assert_int_equal(DEED_E_STORE, store->check(store->self, NULL));
    assert_true(has_key(other, "key"));
    deed_reference_fail_recover(store, 1);
    assert_int_equal(DEED_E_STORE, store->recover(store->self, &err));
    assert_int_equal(DEED_E_STORE, read_one(store, find_key, key));
    assert_int_equal(DEED_OK, store->recover(store->self, &err));
    assert_true(has_key(store, "key"));
    assert_int_equal(1, deed_reference_commits(store));
    close_store(other);
    close_store(store);
}

static void test_reference__the_fault_comes_at_the_commit_it_was_ordered_for(void **state)
{
    (void)state;
    struct deed_store *store = open_store();
    char keys[][8] = {"one", "two", "three", "four"};
    deed_reference_fail_commit(store, 3, DEED_REFERENCE_COMMIT_BUSY);
    assert_int_equal(DEED_OK, write_one(store, insert_key, keys[0]));
    assert_int_equal(DEED_OK, write_one(store, find_key, keys[0])); /* commits nothing */
    assert_int_equal(DEED_OK, write_one(store, insert_key, keys[1]));
    assert_int_equal(DEED_E_BUSY, write_one(store, insert_key, keys[2]));
    assert_false(has_key(store, "three"));
    assert_int_equal(DEED_OK, write_one(store, insert_key, keys[2]));
    assert_int_equal(4, deed_reference_commits(store));
    close_store(store);
}

static deed_rc count_runs(void *context, deed_tx *tx, struct deed_error *err)
{
    int *runs = context;
    (*runs)++;
    char key[] = "key";
    return insert_key(key, tx, err);
}

static void test_reference__after_a_conflict_an_operation_runs_again(void **state)
{
    (void)state;
    struct deed_store *store = open_store();
    int runs = 0;
    deed_reference_fail_commit(store, 1, DEED_REFERENCE_COMMIT_AGAIN);
    assert_int_equal(DEED_OK, write_one(store, count_runs, &runs));
    assert_int_equal(2, runs);
    assert_true(has_key(store, "key"));
    close_store(store);
}

/* ---- death ------------------------------------------------------------------------------- */

struct crash {
    struct deed_store *store;
    bool leap;
    jmp_buf out;
};

static deed_rc insert_and_crash(void *context, deed_tx *tx, struct deed_error *err)
{
    struct crash *crash = context;
    char key[] = "lost";
    assert_int_equal(DEED_OK, insert_much(key, tx, err));
    assert_int_equal(DEED_OK, find_key(key, tx, err));
    deed_reference_crash(crash->store);
    if (crash->leap) {
        longjmp(crash->out, 1); /* NOLINT(cert-err52-cpp): the point of the test */
    }
    char late[] = "late"; /* a process that does not notice that it died */
    assert_int_equal(DEED_E_NOT_FOUND, find_key(key, tx, err));
    assert_int_equal(DEED_E_MISUSE, insert_key(late, tx, err));
    return DEED_OK;
}

static void crash_inside(bool leap)
{
    struct deed_store *store = open_store();
    char key[] = "kept";
    assert_int_equal(DEED_OK, write_one(store, insert_key, key));
    struct crash crash = {.store = store, .leap = leap};
    if (setjmp(crash.out) == 0) { /* NOLINT(cert-err52-cpp): as above */
        struct deed_op op = op_of(insert_and_crash, &crash);
        assert_int_equal(DEED_E_STORE, store->write(store->self, &op, 1, NULL));
        assert_int_equal(DEED_FATE_NONE, op.fate);
        assert_false(leap);
    }
    assert_int_equal(DEED_E_STORE, read_one(store, find_key, key));
    assert_int_equal(DEED_E_STORE, store->recover(store->self, NULL));
    struct deed_store *again = attach(store);
    assert_true(has_key(again, "kept"));
    assert_false(has_key(again, "lost"));
    assert_false(has_key(again, "late"));
    assert_false(again->owner_lives(again->self, store->owner(store->self)));
    assert_int_equal(DEED_OK, again->check(again->self, NULL));
    close_store(store);
    assert_true(has_key(again, "kept"));
    close_store(again);
}

static void test_reference__a_crash_inside_an_operation_loses_it_and_nothing_else(void **state)
{
    (void)state;
    crash_inside(false);
    crash_inside(true);
}

static deed_rc crash_in_visit(void *context, const struct deed_intent_row *row)
{
    assert_non_null(row->key);
    deed_reference_crash(context);
    return DEED_OK;
}

static deed_rc walk_and_crash(void *context, deed_tx *tx, struct deed_error *err)
{
    struct deed_select select = {.size = sizeof(select)};
    deed_rc rc = tx->intent_each(tx->self, &select, crash_in_visit, context, err);
    assert_int_equal(DEED_E_STORE, rc);
    return rc;
}

static void test_reference__a_crash_inside_a_visit_ends_the_walk(void **state)
{
    (void)state;
    struct deed_store *store = open_store();
    char keys[][8] = {"one", "two"};
    assert_int_equal(DEED_OK, write_one(store, insert_key, keys[0]));
    assert_int_equal(DEED_OK, write_one(store, insert_key, keys[1]));
    assert_int_equal(DEED_E_STORE, read_one(store, walk_and_crash, store));
    close_store(store);
}

static void test_reference__an_owner_lives_until_it_is_closed_or_killed(void **state)
{
    (void)state;
    struct deed_store *store = open_store();
    struct deed_store *closed = attach(store);
    struct deed_store *killed = attach(store);
    int64_t numbers[] = {
        store->owner(store->self), closed->owner(closed->self), killed->owner(killed->self)};
    assert_int_not_equal(numbers[0], numbers[1]);
    assert_int_not_equal(numbers[1], numbers[2]);
    assert_true(store->owner_lives(store->self, numbers[1]));
    close_store(closed);
    assert_false(store->owner_lives(store->self, numbers[1]));
    deed_reference_kill(killed);
    assert_false(store->owner_lives(store->self, numbers[2]));
    char key[] = "key";
    assert_int_equal(DEED_OK, write_one(killed, insert_key, key)); /* it was only thought dead */
    assert_true(store->owner_lives(store->self, numbers[0]));
    assert_true(store->owner_lives(store->self, 4711)); /* who knows */
    close_store(killed);
    close_store(store);
}

/* ---- paper ------------------------------------------------------------------------------- */

static uint8_t *save(struct deed_store *store, size_t *bytes_out)
{
    assert_int_equal(DEED_OK, deed_reference_save(store, NULL, 0, bytes_out, NULL));
    uint8_t *buffer = malloc(*bytes_out);
    assert_non_null(buffer);
    size_t again = 0;
    assert_int_equal(DEED_OK, deed_reference_save(store, buffer, *bytes_out, &again, NULL));
    assert_int_equal(*bytes_out, again);
    return buffer;
}

static struct deed_store *much_store(void)
{
    struct deed_store *store = open_store();
    char key[] = "key";
    char bare[] = "bare";
    assert_int_equal(DEED_OK, write_one(store, insert_much, key));
    struct deed_intent_row row = intent_row(bare);
    row.payload_here = false;
    assert_int_equal(DEED_OK, write_one(store, insert_row, &row));
    return store;
}

static void test_reference__what_was_saved_loads_and_saves_alike(void **state)
{
    (void)state;
    struct deed_store *store = much_store();
    size_t bytes = 0;
    uint8_t *first = save(store, &bytes);
    int64_t owner = store->owner(store->self);
    close_store(store);
    assert_int_equal(DEED_OK, deed_reference_load(first, bytes, NULL, &store, NULL));
    assert_false(store->owner_lives(store->self, owner));
    assert_true(store->owner(store->self) > owner);
    assert_int_equal(DEED_OK, store->check(store->self, NULL));
    char key[] = "key";
    assert_int_equal(DEED_OK, read_one(store, look_at_rows, key));
    size_t bytes_again = 0;
    uint8_t *second = save(store, &bytes_again);
    assert_int_equal(bytes, bytes_again);
    first[8] = second[8]; /* one more owner was made, */
    memset(first + bytes - 8, 0, 8);
    memset(second + bytes - 8, 0, 8); /* so the hash differs */
    assert_memory_equal(first, second, bytes);
    free(first);
    free(second);
    close_store(store);
}

static void test_reference__a_byte_that_changed_or_is_missing_is_noticed(void **state)
{
    (void)state;
    struct deed_store *store = much_store();
    size_t bytes = 0;
    uint8_t *paper = save(store, &bytes);
    close_store(store);
    struct deed_store *loaded = NULL;
    for (size_t i = 0; i < bytes; i++) {
        paper[i] ^= 1;
        deed_rc rc = deed_reference_load(paper, bytes, NULL, &loaded, NULL);
        assert_int_equal(i == 7 ? DEED_E_SCHEMA : DEED_E_CHECK, rc);
        paper[i] ^= 1;
        uint8_t *shorter = malloc(i + 1); /* of its own, so that ASan sees a byte too far */
        assert_non_null(shorter);
        memcpy(shorter, paper, i);
        assert_int_equal(DEED_E_CHECK, deed_reference_load(shorter, i, NULL, &loaded, NULL));
        free(shorter);
    }
    assert_null(loaded);
    free(paper);
}

/* ---- memory ------------------------------------------------------------------------------ */

/* Fails at one allocation, and checks that old sizes are told truly. */
struct scarce {
    size_t count;
    size_t fail_at; /* 0: never */
    size_t bytes;
};

static void *scarce_resize(void *self, void *memory, size_t old_bytes, size_t new_bytes)
{
    struct scarce *scarce = self;
    if (new_bytes > 0 && ++scarce->count == scarce->fail_at) {
        return NULL;
    }
    scarce->bytes += new_bytes - old_bytes;
    if (new_bytes == 0) {
        free(memory);
        return NULL;
    }
    return realloc(memory, new_bytes);
}

static deed_rc all_of_it(const struct deed_reference_options *options)
{
    struct deed_store *store = NULL;
    deed_rc rc = deed_reference_open(options, &store, NULL);
    if (rc != DEED_OK) {
        return rc;
    }
    char key[] = "key";
    rc = write_one(store, insert_much, key);
    assert_int_equal(rc == DEED_OK ? DEED_OK : DEED_E_NOMEM, rc);
    assert_int_equal(DEED_OK, store->check(store->self, NULL));
    if (rc == DEED_OK) {
        rc = read_one(store, find_key, key);
    }
    close_store(store);
    return rc;
}

static void test_reference__without_memory_nothing_changes_and_nothing_leaks(void **state)
{
    (void)state;
    struct scarce scarce = {0};
    struct deed_allocator memory = {sizeof(memory), &scarce, scarce_resize};
    struct deed_reference_options options = {.size = sizeof(options), .memory = &memory};
    deed_rc rc = DEED_E_NOMEM;
    for (size_t i = 1; rc == DEED_E_NOMEM; i++) {
        assert_true(i < 1000);
        scarce = (struct scarce){.fail_at = i};
        rc = all_of_it(&options);
        assert_int_equal(0, scarce.bytes);
    }
    assert_int_equal(DEED_OK, rc);
    assert_true(scarce.count < scarce.fail_at);
}

/* ---- threads ----------------------------------------------------------------------------- */

#define THREADS 4
#define ROUNDS  50

struct worker {
    struct deed_store *store;
    int number;
};

static void *work(void *context)
{
    struct worker *worker = context;
    for (int i = 0; i < ROUNDS; i++) {
        char key[32];
        (void)snprintf(key, sizeof(key), "key-%d-%d", worker->number, i);
        struct deed_op op = op_of(insert_key, key);
        if (worker->store->write(worker->store->self, &op, 1, NULL) != DEED_OK ||
            op.rc != DEED_OK) {
            return worker;
        }
        struct deed_store *mate = NULL;
        if (deed_reference_attach(worker->store, NULL, &mate, NULL) != DEED_OK) {
            return worker;
        }
        bool lives = worker->store->owner_lives(worker->store->self, mate->owner(mate->self));
        op = op_of(find_key, key);
        deed_rc rc = mate->read(mate->self, &op, NULL);
        mate->close(mate->self);
        if (!lives || rc != DEED_OK || op.rc != DEED_OK) {
            return worker;
        }
    }
    return NULL;
}

static void test_reference__threads_and_handles_do_not_disturb_each_other(void **state)
{
    (void)state;
    struct deed_store *store = open_store();
    struct deed_store *other = attach(store);
    struct worker workers[THREADS];
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){i % 2 == 0 ? store : other, i};
        assert_int_equal(0, pthread_create(&threads[i], NULL, work, &workers[i]));
    }
    for (int i = 0; i < THREADS; i++) {
        void *failed = NULL;
        assert_int_equal(0, pthread_join(threads[i], &failed));
        assert_null(failed);
    }
    assert_true(has_key(other, "key-3-49"));
    assert_int_equal(DEED_OK, store->check(store->self, NULL));
    close_store(other);
    close_store(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reference__the_core_takes_an_action_from_record_to_confirmed),
        cmocka_unit_test(test_reference__the_core_records_once_whatever_becomes_of_a_commit),
        cmocka_unit_test(test_reference__an_operation_that_errs_leaves_nothing_and_disturbs_nobody),
        cmocka_unit_test(test_reference__an_operation_that_hides_a_refusal_is_undone),
        cmocka_unit_test(test_reference__an_intent_stands_only_where_the_machine_can_bring_it),
        cmocka_unit_test(test_reference__an_event_is_kept_only_if_the_machine_has_the_step),
        cmocka_unit_test(test_reference__the_newest_time_never_falls),
        cmocka_unit_test(test_reference__what_was_not_asked_for_is_not_handed_out),
        cmocka_unit_test(test_reference__a_read_may_not_write),
        cmocka_unit_test(
            test_reference__an_operation_that_calls_its_store_is_refused_and_does_not_wait),
        cmocka_unit_test(
            test_reference__a_commit_of_unknown_fate_closes_the_handle_until_it_recovers),
        cmocka_unit_test(test_reference__the_fault_comes_at_the_commit_it_was_ordered_for),
        cmocka_unit_test(test_reference__after_a_conflict_an_operation_runs_again),
        cmocka_unit_test(test_reference__a_crash_inside_an_operation_loses_it_and_nothing_else),
        cmocka_unit_test(test_reference__a_crash_inside_a_visit_ends_the_walk),
        cmocka_unit_test(test_reference__an_owner_lives_until_it_is_closed_or_killed),
        cmocka_unit_test(test_reference__what_was_saved_loads_and_saves_alike),
        cmocka_unit_test(test_reference__a_byte_that_changed_or_is_missing_is_noticed),
        cmocka_unit_test(test_reference__without_memory_nothing_changes_and_nothing_leaks),
        cmocka_unit_test(test_reference__threads_and_handles_do_not_disturb_each_other),
    };
    return cmocka_run_group_tests_name("reference", tests, NULL, NULL);
}
