/* SPDX-License-Identifier: MIT
 *
 * The SQLite store against the suite for all stores, and its tables against the machine: every pair
 * and every triple is written by raw SQL, and is accepted exactly when the machine has it.
 */
#include "conformance/store_files.h"
#include "conformance/store_rows.h"
#include "conformance/store_suite.h"

#include <sqlite3.h>

#include <deed/machine.h>

struct place {
    char folder[FILES_PATH_ROOM];
    char path[FILES_PATH_ROOM];
};

/* ---- the suite --------------------------------------------------------------------------- */

static void leave(struct place *place)
{
    if (place->folder[0] != '\0') {
        files_remove(place->folder);
        place->folder[0] = '\0';
    }
}

static struct deed_store *make_fresh(void *self)
{
    struct place *place = self;
    leave(place);
    files_folder(place->folder);
    files_path(place->path, place->folder, "ledger");
    files_create(place->path);
    return files_open(place->path, NULL);
}

static struct deed_store *make_second(void *self)
{
    return files_open(((struct place *)self)->path, NULL);
}

static struct deed_store *reopen(void *self, struct deed_store *store)
{
    store->close(store->self);
    return make_second(self);
}

/* ---- raw SQL ----------------------------------------------------------------------------- */

struct raw {
    struct place place;
    sqlite3 *db;
};

static int raw_set_up(void **state)
{
    static struct raw raw;
    memset(&raw, 0, sizeof(raw));
    files_folder(raw.place.folder);
    files_path(raw.place.path, raw.place.folder, "ledger");
    files_create(raw.place.path);
    assert_int_equal(sqlite3_open(raw.place.path, &raw.db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(raw.db, "PRAGMA foreign_keys = ON", NULL, NULL, NULL), SQLITE_OK);
    *state = &raw;
    return 0;
}

static int raw_tear_down(void **state)
{
    struct raw *raw = *state;
    assert_int_equal(sqlite3_close(raw->db), SQLITE_OK);
    leave(&raw->place);
    return 0;
}

static bool accepts(const struct raw *raw, const char *sql)
{
    const int code = sqlite3_exec(raw->db, sql, NULL, NULL, NULL);
    if (code != SQLITE_OK && code != SQLITE_CONSTRAINT) {
        fail_msg("%s: %s", sql, sqlite3_errmsg(raw->db));
    }
    return code == SQLITE_OK;
}

#define HEX_64 "'0000000000000000000000000000000000000000000000000000000000000000'"

/* A recorded intent number 1, for the tables that refer to one. */
static void insert_intent(const struct raw *raw)
{
    assert_true(accepts(raw,
        "INSERT INTO intent VALUES (1, 'k', " HEX_64 ", 1, 0, 0, 0, 0, 0, 0, 0, NULL, NULL, NULL, "
        "0, 0, 0, 0, 0, 0, 0, 0, 0, '', 0, 0, " HEX_64 ", NULL, NULL, NULL)"));
}

static void test_tables__hold_exactly_the_pairs_of_state_and_outcome_of_the_machine(void **state)
{
    const struct raw *raw = *state;
    insert_intent(raw);
    for (int from = -1; from <= 6; from++) {
        for (int outcome = -1; outcome <= 6; outcome++) {
            char sql[160];
            (void)snprintf(
                sql, sizeof(sql), "UPDATE intent SET state = %d, outcome = %d", from, outcome);
            const bool wanted = from > 0 && outcome >= 0 &&
                deed_state_allows((deed_state)from, (deed_outcome)outcome);
            if (accepts(raw, sql) != wanted) {
                fail_msg("state %d outcome %d: the tables and the machine differ", from, outcome);
            }
        }
    }
}

/* Does the machine have this step? Events that stay keep any state of an intent; those of the
 * ledger's own chain have none. */
static bool machine_has(int from, int event, int to)
{
    if (event == DEED_EVENT_FENCE || event == DEED_EVENT_LIFT) {
        return from == DEED_STATE_NONE && to == DEED_STATE_NONE;
    }
    if (event >= DEED_EVENT_ANSWER && event <= DEED_EVENT_PRUNE) {
        return from == to && from >= DEED_RECORDED && from <= DEED_RECONCILED;
    }
    const struct deed_edge *edge = NULL;
    for (size_t i = 0; (edge = deed_edge_at(i)) != NULL; i++) {
        if ((int)edge->from == from && (int)edge->event == event && (int)edge->to == to) {
            return true;
        }
    }
    return false;
}

/* An outcome that `to` allows, so that only the step can be at fault. */
static int some_outcome(int to)
{
    return to == DEED_CONFIRMED || to == DEED_RECONCILED ? DEED_APPLIED : DEED_OUTCOME_NONE;
}

static void test_tables__hold_exactly_the_steps_of_the_machine(void **state)
{
    const struct raw *raw = *state;
    insert_intent(raw);
    int number = 0;
    for (int from = -1; from <= 5; from++) {
        for (int event = -1; event <= 18; event++) {
            for (int to = -1; to <= 5; to++) {
                char sql[400];
                (void)snprintf(sql, sizeof(sql),
                    "INSERT INTO event (intent_id, number, event, from_state, to_state, outcome, "
                    "attempt, grade, at_ms, newest_ms, detail, hash) VALUES (%d, %d, %d, %d, %d, "
                    "%d, 0, 0, 1700000000000, 1700000000000, '{}', " HEX_64 ")",
                    to == 0 ? 0 : 1, ++number, event, from, to, some_outcome(to));
                if (accepts(raw, sql) != machine_has(from, event, to)) {
                    fail_msg("%d > %d > %d: the tables and the machine differ", from, event, to);
                }
            }
        }
    }
}

static void test_tables__keep_the_ledgers_own_chain_apart(void **state)
{
    const struct raw *raw = *state;
    insert_intent(raw);
    assert_false(accepts(raw,
        "INSERT INTO event (intent_id, number, event, from_state, to_state, outcome, attempt, "
        "grade, at_ms, newest_ms, detail, hash) VALUES (1, 1, 15, 0, 0, 0, 0, 0, 1700000000000, "
        "1700000000000, '{}', " HEX_64 ")"));
    assert_false(accepts(raw,
        "INSERT INTO event (intent_id, number, event, from_state, to_state, outcome, attempt, "
        "grade, at_ms, newest_ms, detail, hash) VALUES (0, 1, 1, 0, 1, 0, 0, 0, 1700000000000, "
        "1700000000000, '{}', " HEX_64 ")"));
}

static void test_tables__refuse_an_event_of_an_intent_that_is_not_there(void **state)
{
    const struct raw *raw = *state;
    assert_false(accepts(raw,
        "INSERT INTO event (intent_id, number, event, from_state, to_state, outcome, attempt, "
        "grade, at_ms, newest_ms, detail, hash) VALUES (1, 1, 1, 0, 1, 0, 0, 0, 1700000000000, "
        "1700000000000, '{}', " HEX_64 ")"));
}

/* Rows of every table, through the store, to be tampered with. */
static deed_rc fill_tables(void *context, deed_tx *tx, struct deed_error *err)
{
    (void)context;
    const struct deed_ledger_row ledger = row_ledger();
    struct deed_intent_row intent = row_intent("k");
    assert_int_equal(tx->ledger_put(tx->self, &ledger, err), DEED_OK);
    assert_int_equal(tx->intent_insert(tx->self, &intent, err), DEED_OK);
    struct deed_attempt_row attempt = row_attempt(intent.id, 1);
    attempt.bytes = row_text("bytes");
    assert_int_equal(tx->attempt_insert(tx->self, &attempt, err), DEED_OK);
    static char many[513]; /* too many for the attempt's row */
    attempt = row_attempt(intent.id, 2);
    attempt.bytes = (struct deed_text){.data = many, .bytes = sizeof(many)};
    assert_int_equal(tx->attempt_insert(tx->self, &attempt, err), DEED_OK);
    struct deed_evidence_row evidence = row_evidence(intent.id);
    evidence.excerpt = row_text("excerpt");
    assert_int_equal(tx->evidence_insert(tx->self, &evidence, err), DEED_OK);
    struct deed_pass_row pass = row_pass(1);
    assert_int_equal(tx->pass_insert(tx->self, &pass, err), DEED_OK);
    const struct deed_event_row event = row_event(intent.id, 1);
    return tx->event_insert(tx->self, &event, err);
}

static void test_tables__rewrite_and_remove_nothing_that_was_said(void **state)
{
    static const char *const refused[] = {
        "DELETE FROM event",
        "UPDATE event SET detail = '{\"a\":1}'",
        "UPDATE event SET hash = hash",
        "DELETE FROM intent",
        "UPDATE intent SET key = 'other'",
        "UPDATE intent SET digest = lower(digest)",
        "UPDATE intent SET id = 9",
        "UPDATE intent SET recorded_ms = 0",
        "UPDATE intent SET body = 'another'",
        "UPDATE intent SET kind = NULL, target = NULL, body = NULL",
        "UPDATE intent SET target = NULL",
        "DELETE FROM attempt",
        "UPDATE attempt SET token = '00000000000000000000000000000000'",
        "UPDATE attempt SET endpoint = 'https://elsewhere.test'",
        "UPDATE attempt SET send_ms = 1",
        "UPDATE attempt SET bytes = x'00'",
        "UPDATE request SET bytes = x'00'",
        "DELETE FROM evidence",
        "UPDATE evidence SET outcome = 2",
        "UPDATE evidence SET excerpt = 'another'",
        "UPDATE evidence SET event_id = 'another'",
        "UPDATE pass SET seen = seen + 1, settled = settled + 1",
        "DELETE FROM ledger",
        "UPDATE ledger SET name = 'renamed'",
        "UPDATE ledger SET id = 2",
    };
    static const char *const accepted[] = {
        /* What retention may do. */
        "UPDATE intent SET target = NULL, body = NULL",
        "UPDATE evidence SET excerpt = NULL",
        "UPDATE attempt SET bytes = NULL",
        "DELETE FROM request",
    };
    const struct raw *raw = *state;
    struct deed_store *store = files_open(raw->place.path, NULL);
    write_one(store, fill_tables, NULL);
    store->close(store->self);
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        if (accepts(raw, refused[i])) {
            fail_msg("accepted: %s", refused[i]);
        }
    }
    for (size_t i = 0; i < sizeof(accepted) / sizeof(accepted[0]); i++) {
        if (!accepts(raw, accepted[i])) {
            fail_msg("refused: %s", accepted[i]);
        }
    }
}

/* A row of an intent has the intent in its id: nothing stands twice, or among the rows of another. */
static void test_tables__an_id_holds_intent_and_number(void **state)
{
    static const char *const copies[] = {
        "CREATE TEMP TABLE attempt_copy AS SELECT * FROM main.attempt LIMIT 1",
        "UPDATE attempt_copy SET id = id + 7, token = '0123456789abcdef0123456789abcdef'",
        "CREATE TEMP TABLE evidence_copy AS SELECT * FROM main.evidence LIMIT 1",
        "UPDATE evidence_copy SET id = id + (1 << 32)",
    };
    static const char *const refused[] = {
        "INSERT INTO main.attempt SELECT * FROM attempt_copy",
        "INSERT INTO main.evidence SELECT * FROM evidence_copy",
    };
    static const char *const corrections[] = {
        "UPDATE attempt_copy SET number = number + 7",
        "UPDATE evidence_copy SET id = id - (1 << 32) + 1",
    };
    const struct raw *raw = *state;
    struct deed_store *store = files_open(raw->place.path, NULL);
    write_one(store, fill_tables, NULL);
    store->close(store->self);
    for (size_t i = 0; i < sizeof(copies) / sizeof(copies[0]); i++) {
        assert_true(accepts(raw, copies[i]));
    }
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        assert_false(accepts(raw, refused[i]));
        assert_true(accepts(raw, corrections[i])); /* it was refused for its id */
        assert_true(accepts(raw, refused[i]));
    }
}

/* A time in seconds or microseconds, in every column that holds one. */
static void test_tables__refuse_times_of_another_unit(void **state)
{
    static const char *const columns[][2] = {
        {"intent", "settled_ms"},
        {"intent", "not_after_ms"},
        {"intent", "next_due_ms"},
        {"intent", "look_due_ms"},
        {"intent", "absent_ms"},
        {"attempt", "answered_ms"},
        {"attempt", "first_look_ms"},
        {"ledger", "created_ms"},
        {"ledger", "restored_ms"},
    };
    const struct raw *raw = *state;
    struct deed_store *store = files_open(raw->place.path, NULL);
    write_one(store, fill_tables, NULL);
    store->close(store->self);
    assert_true(accepts(raw, "UPDATE intent SET state = 3, outcome = 1, grade = 1"));
    for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
        static const char *const wrong[] = {"1700000000", "1700000000000000", "-1", "'text'"};
        char sql[128];
        for (size_t j = 0; j < sizeof(wrong) / sizeof(wrong[0]); j++) {
            (void)snprintf(
                sql, sizeof(sql), "UPDATE %s SET %s = %s", columns[i][0], columns[i][1], wrong[j]);
            assert_false(accepts(raw, sql));
        }
        (void)snprintf(
            sql, sizeof(sql), "UPDATE %s SET %s = 1700000000000", columns[i][0], columns[i][1]);
        assert_true(accepts(raw, sql));
    }
}

static deed_rc settle_in_seconds(void *context, deed_tx *tx, struct deed_error *err)
{
    struct deed_intent_row row = row_intent("seconds");
    (void)context;
    row.not_after_ms = ROW_NOW_MS / 1000;
    return tx->intent_insert(tx->self, &row, err);
}

static void test_store__a_row_that_breaks_a_rule_is_refused_by_the_rules_name(void **state)
{
    const struct raw *raw = *state;
    struct deed_store *store = files_open(raw->place.path, NULL);
    struct deed_op op = op_of(settle_in_seconds, NULL);
    assert_int_equal(store->write(store->self, &op, 1, NULL), DEED_OK);
    assert_int_equal(op.rc, DEED_E_CHECK);
    assert_int_equal(op.fate, DEED_FATE_NONE);
    assert_non_null(strstr(op.error.text, "intent_not_after_ms"));
    char key[] = "goes-on";
    write_one(store, record_like, key);
    store->close(store->self);
}

/* Lists must not read the whole table: each condition has its index. */
static void test_tables__lists_of_what_is_open_use_an_index(void **state)
{
    static const char *const questions[][2] = {
        {"SELECT * FROM intent WHERE (state = 1 OR state = 2 OR outcome = 3 OR held = 1 OR "
         "disputed = 1) AND id > 7 ORDER BY id LIMIT 9",
            "SEARCH intent USING INDEX intent_open (id>?)"},
        {"SELECT * FROM intent WHERE held = 1 AND id > 7 ORDER BY id",
            "SEARCH intent USING INDEX intent_flagged (id>?)"},
        {"SELECT 1 FROM evidence e LEFT JOIN attempt a ON a.id = (e.intent_id << 32 | e.attempt) "
         "WHERE e.reference = 'x' AND e.outcome = 1 AND e.intent_id <> 1 AND (e.grade = 6 "
         "OR a.number IS NULL OR a.executor = 'y')",
            "SEARCH e USING INDEX evidence_reference (reference=?)"},
        {"SELECT * FROM attempt WHERE token = 'x'",
            "SEARCH attempt USING INDEX sqlite_autoindex_attempt_1 (token=?)"},
        {"SELECT id >> 32 FROM attempt WHERE provider_key = 'x'",
            "SEARCH attempt USING COVERING INDEX attempt_provider_key (provider_key=?)"},
        {"SELECT * FROM intent WHERE id IN (SELECT id >> 32 FROM attempt WHERE provider_key = "
         "'x') AND +id > 7 ORDER BY id LIMIT 9",
            "SEARCH intent USING INTEGER PRIMARY KEY (rowid=?)"},
        {"SELECT * FROM intent WHERE id IN (SELECT intent_id FROM evidence WHERE reference = "
         "'x') AND +id > 7 ORDER BY id LIMIT 9",
            "SEARCH intent USING INTEGER PRIMARY KEY (rowid=?)"},
    };
    const struct raw *raw = *state;
    for (size_t i = 0; i < sizeof(questions) / sizeof(questions[0]); i++) {
        char sql[300];
        sqlite3_stmt *stmt = NULL;
        (void)snprintf(sql, sizeof(sql), "EXPLAIN QUERY PLAN %s", questions[i][0]);
        assert_int_equal(sqlite3_prepare_v2(raw->db, sql, -1, &stmt, NULL), SQLITE_OK);
        assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
        assert_string_equal((const char *)sqlite3_column_text(stmt, 3), questions[i][1]);
        (void)sqlite3_finalize(stmt);
    }
}

int main(void)
{
#define RAW_TEST(name) cmocka_unit_test_setup_teardown(name, raw_set_up, raw_tear_down)
    const struct CMUnitTest tests[] = {
        RAW_TEST(test_tables__hold_exactly_the_pairs_of_state_and_outcome_of_the_machine),
        RAW_TEST(test_tables__hold_exactly_the_steps_of_the_machine),
        RAW_TEST(test_tables__keep_the_ledgers_own_chain_apart),
        RAW_TEST(test_tables__refuse_an_event_of_an_intent_that_is_not_there),
        RAW_TEST(test_tables__rewrite_and_remove_nothing_that_was_said),
        RAW_TEST(test_tables__an_id_holds_intent_and_number),
        RAW_TEST(test_tables__refuse_times_of_another_unit),
        RAW_TEST(test_store__a_row_that_breaks_a_rule_is_refused_by_the_rules_name),
        RAW_TEST(test_tables__lists_of_what_is_open_use_an_index),
    };
#undef RAW_TEST
    static struct place place;
    const struct store_factory factory = {.name = "sqlite",
        .self = &place,
        .fresh = make_fresh,
        .second = make_second,
        .reopen = reopen};
    int failed = store_suite_run(&factory);
    leave(&place);
    failed += cmocka_run_group_tests_name("sqlite_tables", tests, NULL, NULL);
    return failed;
}
