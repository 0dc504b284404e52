/* SPDX-License-Identifier: MIT
 *
 * Damage is found, and what was settled is not sent again. Method: one ledger file in which a few
 * things have happened; each case changes one thing in a copy of it, by SQL and past all triggers
 * and constraints, as a bad disk or a hand does. Some cases write the hashes of the chain anew, so
 * that the rule behind the hash has to find it.
 */
#include "support/test.h"

#include <sqlite3.h>

#include <deed/ledger.h>
#include <deed/mock/clock.h>
#include <deed/mock/executor.h>
#include <deed/mock/world.h>

#include "../conformance/store_files.h"
#include "apply.h"

#define START_MS INT64_C(1700000000000)

struct place {
    char folder[FILES_PATH_ROOM];
    char whole[FILES_PATH_ROOM];
    char path[FILES_PATH_ROOM];
    char world_path[FILES_PATH_ROOM];
    deed_sim_clock *clock;
    deed_ledger *ledger;
    struct deed_error err;
    struct deed_result result;
};

static void must(struct place *place, deed_rc rc)
{
    if (rc != DEED_OK) {
        fail_msg("%s", place->err.text);
    }
}

static deed_rc open_ledger(struct place *place, const char *path)
{
    struct deed_options options = {
        .size = sizeof(options), .clock = deed_sim_clock_machine(place->clock)};
    struct deed_profile profile = {.size = sizeof(profile),
        .send_ms = 1000,
        .answer_ms = 2000,
        .landing_ms = 5000,
        .reach_ms = DEED_FOREVER,
        .window_ms = DEED_FOREVER,
        .consistency = DEED_CONSISTENCY_STRONG};
    char text[512];
    deed_executor *mock = NULL;
    deed_rc rc = deed_ledger_open(files_open(path, NULL), &options, &place->ledger, &place->err);
    if (rc != DEED_OK) {
        return rc;
    }
    (void)snprintf(text, sizeof(text),
        "{\"world\": \"%s\", \"class\": \"keyed+lookup\", \"scripts\": {\"doubt\": {\"do\": "
        "\"lose\"}, \"undone\": {\"do\": \"refuse\"}}}",
        place->world_path);
    must(
        place, deed_mock_executor_new(text, deed_sim_clock_true(place->clock), &mock, &place->err));
    must(place, deed_ledger_register(place->ledger, "payment", mock, &profile, &place->err));
    return DEED_OK;
}

static void close_ledger(struct place *place)
{
    deed_ledger_close(place->ledger);
    place->ledger = NULL;
}

static void record(struct place *place, const char *key, const char *hold_reason, bool runs)
{
    struct deed_payload payload = {{"payment", 7}, {"provider", 8}, {"amount=1", 8}};
    struct deed_record in = {
        .size = sizeof(in), .key = key, .payload = &payload, .hold_reason = hold_reason};
    must(place, deed_record(place->ledger, &in, &place->result, &place->err));
    if (runs) {
        must(place, deed_run(place->ledger, key, 0, &place->result, &place->err));
    }
}

static int set_up(void **state)
{
    struct place *place = calloc(1, sizeof(*place));
    assert_non_null(place);
    files_folder(place->folder);
    files_path(place->whole, place->folder, "whole");
    files_path(place->path, place->folder, "ledger");
    files_path(place->world_path, place->folder, "world");
    assert_int_equal(deed_sim_clock_new(START_MS, &place->clock, NULL), DEED_OK);
    place->result.size = sizeof(place->result);
    struct deed_options options = {
        .size = sizeof(options), .clock = deed_sim_clock_machine(place->clock)};
    files_create(place->whole);
    struct deed_store *store = files_open(place->whole, NULL);
    must(place, deed_ledger_init(store, "check", true, &options, &place->err));
    store->close(store->self);
    must(place, open_ledger(place, place->whole));
    record(place, "done", NULL, true);
    record(place, "doubt", NULL, true);
    record(place, "undone", NULL, true);
    record(place, "plain", NULL, false);
    record(place, "held", "until Monday", false);
    close_ledger(place);
    *state = place;
    return 0;
}

static int tear_down(void **state)
{
    struct place *place = *state;
    close_ledger(place);
    deed_sim_clock_free(place->clock);
    files_remove(place->folder);
    free(place);
    return 0;
}

/* ---- damage ------------------------------------------------------------------------------- */

static void sql(sqlite3 *db, const char *text)
{
    char *message = NULL;
    if (sqlite3_exec(db, text, NULL, NULL, &message) != SQLITE_OK) {
        fail_msg("%s: %s", text, message);
    }
}

static void drop_triggers(sqlite3 *db)
{
    sqlite3_stmt *stmt = NULL;
    char *text = sqlite3_mprintf("PRAGMA ignore_check_constraints = ON;");
    assert_int_equal(sqlite3_prepare_v2(db, "SELECT name FROM sqlite_schema WHERE type = 'trigger'",
                         -1, &stmt, NULL),
        SQLITE_OK);
    while (sqlite3_step(stmt) == SQLITE_ROW) {
        text = sqlite3_mprintf("%zDROP TRIGGER \"%w\";", text, sqlite3_column_text(stmt, 0));
    }
    assert_int_equal(sqlite3_finalize(stmt), SQLITE_OK);
    sql(db, text);
    sqlite3_free(text);
}

/* The event in the present row of "SELECT number, event, from_state, ...". */
static struct deed_event_row event_of(sqlite3_stmt *stmt)
{
    struct deed_event_row row = {
        .size = sizeof(row),
        .number = sqlite3_column_int64(stmt, 0),
        .event = (deed_event)sqlite3_column_int(stmt, 1),
        .from = (deed_state)sqlite3_column_int(stmt, 2),
        .to = (deed_state)sqlite3_column_int(stmt, 3),
        .outcome = (deed_outcome)sqlite3_column_int(stmt, 4),
        .attempt = (uint32_t)sqlite3_column_int64(stmt, 5),
        .grade = (deed_grade)sqlite3_column_int(stmt, 6),
        .at_ms = sqlite3_column_int64(stmt, 7),
        .newest_ms = sqlite3_column_int64(stmt, 8),
        .actor = (const char *)sqlite3_column_text(stmt, 9),
        .detail = (const char *)sqlite3_column_text(stmt, 10),
    };
    return row;
}

/* Hashes the chain of a key anew, and lets the intent end where it ends. */
static void rehash(sqlite3 *db, const char *key)
{
    uint8_t head[DEED_DIGEST_BYTES] = {0};
    char head_text[DEED_DIGEST_TEXT_BYTES];
    sqlite3_stmt *stmt = NULL;
    assert_int_equal(
        sqlite3_prepare_v2(db,
            "SELECT number, event, from_state, to_state, outcome, attempt, grade, at_ms, "
            "newest_ms, actor, detail, id FROM event WHERE intent_id = (SELECT id FROM intent "
            "WHERE key = ?1) ORDER BY number",
            -1, &stmt, NULL),
        SQLITE_OK);
    assert_int_equal(sqlite3_bind_text(stmt, 1, key, -1, SQLITE_STATIC), SQLITE_OK);
    while (sqlite3_step(stmt) == SQLITE_ROW) {
        const struct deed_event_row row = event_of(stmt);
        assert_int_equal(deed__event_hash(key, head, &row, head, NULL), DEED_OK);
        deed_digest_text(head, head_text);
        char *text = sqlite3_mprintf("UPDATE event SET hash = %Q WHERE id = %lld", head_text,
            (long long)sqlite3_column_int64(stmt, 11));
        sql(db, text);
        sqlite3_free(text);
    }
    assert_int_equal(sqlite3_finalize(stmt), SQLITE_OK);
    char *text = sqlite3_mprintf(
        "UPDATE intent SET chain_head = %Q, chain_length = (SELECT count(*) FROM event WHERE "
        "intent_id = intent.id) WHERE key = %Q",
        head_text, key);
    sql(db, text);
    sqlite3_free(text);
}

/* A copy of the good file with one thing changed in it. */
static void damage(const struct place *place, const char *text, const char *rehashed_key)
{
    sqlite3 *db = NULL;
    char wal[FILES_PATH_ROOM];
    files_path(wal, place->folder, "ledger-wal");
    (void)unlink(wal);
    files_copy(place->whole, place->path);
    assert_int_equal(sqlite3_open(place->path, &db), SQLITE_OK);
    drop_triggers(db);
    sql(db, text);
    if (rehashed_key != NULL) {
        rehash(db, rehashed_key);
    }
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

/* ---- what is found ------------------------------------------------------------------------ */

struct found {
    const char *key;
    const char *text;
    bool seen;
};

static void see(void *context, const char *key, const char *text)
{
    struct found *found = context;
    found->seen =
        found->seen || (strcmp(key, found->key) == 0 && strstr(text, found->text) != NULL);
    if (strcmp(key, found->key) == 0 && !found->seen) {
        print_message("%s: %s\n", key, text);
    }
}

static void expect_found(struct place *place, const char *key, const char *text)
{
    struct found found = {.key = key, .text = text};
    must(place, open_ledger(place, place->path));
    assert_int_equal(
        deed_ledger_check(place->ledger, see, &found, NULL, &place->err), DEED_E_CHECK);
    if (!found.seen) {
        fail_msg("not found: %s: %s", key, text);
    }
}

static const struct {
    const char *key;
    const char *sql;
    const char *text; /* the finding */
    bool rehash;
} cases[] = {
    {"done",
        "UPDATE intent SET state = 1, outcome = 0, grade = 0, settled_ms = 0 WHERE key = 'done'",
        "its events add up to confirmed, applied, and it stands at recorded, none", false},
    {"done", "UPDATE intent SET outcome = 3 WHERE key = 'done'",
        "its events add up to confirmed, applied, and it stands at confirmed, not_applied", false},
    {"done", "UPDATE intent SET chain_length = 4 WHERE key = 'done'",
        "its chain has 4 events, and 3 are stored", false},
    {"done", "UPDATE intent SET chain_head = printf('%064d', 0) WHERE key = 'done'",
        "its chain does not end where the intent says", false},
    {"done", "UPDATE intent SET settled_attempts = 0 WHERE key = 'done'",
        "its events settled it at attempt 1 as first_hand, and it says attempt 0, first_hand",
        false},
    {"done", "UPDATE intent SET grade = 2 WHERE key = 'done'",
        "its events settled it at attempt 1 as first_hand, and it says attempt 1, replay", false},
    {"done", "UPDATE intent SET attempts = 2 WHERE key = 'done'",
        "done counts 2 attempts, but 1 are stored", false},
    {"done", "UPDATE attempt SET number = 2 WHERE intent_id = 1",
        "done counts 1 attempts, but 1 are stored", false},
    {"held", "UPDATE intent SET held = 0 WHERE key = 'held'",
        "its events and its marks (held, disputed) do not agree", false},
    {"plain", "UPDATE intent SET disputed = 1 WHERE key = 'plain'",
        "its events and its marks (held, disputed) do not agree", false},
    {"plain", "UPDATE intent SET body = 'amount=2' WHERE key = 'plain'",
        "its payload does not hash to its digest", false},
    {"plain", "UPDATE intent SET digest = printf('%064d', 1) WHERE key = 'plain'",
        "it is bound to another payload than event 1 says", false},
    {"doubt", "UPDATE attempt SET provider_key = 'another' WHERE intent_id = 2",
        "attempt 1 is not what event 2 says it was", false},
    {"doubt", "UPDATE attempt SET account_scope = 'another' WHERE intent_id = 2",
        "attempt 1 is not what event 2 says it was", false},
    {"doubt", "UPDATE attempt SET bytes = x'00' WHERE intent_id = 2",
        "the bytes of attempt 1 do not hash to their digest", false},
    {"doubt", "UPDATE attempt SET verdict = 3 WHERE intent_id = 2",
        "it is attempted, and every attempt says how it ended", false},
    {"done", "UPDATE evidence SET settled = 0 WHERE intent_id = 1",
        "it is applied without stored evidence", false},
    {"done", "DELETE FROM event WHERE intent_id = 1 AND number = 2",
        "event 2 is missing from its chain", true},
    {"done", "UPDATE event SET at_ms = at_ms - 1 WHERE intent_id = 1 AND number = 2",
        "event 2 does not hash to what is stored", false},
    {"done", "UPDATE event SET newest_ms = at_ms - 1 WHERE intent_id = 1 AND number = 2",
        "event 2 is newer than the newest time it states", true},
    {"done", "UPDATE event SET attempt = 2 WHERE intent_id = 1 AND number = 2",
        "event 2 begins attempt 2 where 1 is next", true},
    {"done", "UPDATE event SET event = 4, to_state = 4 WHERE intent_id = 1 AND number = 3",
        "its events add up to reconciled, applied, and it stands at confirmed, applied", true},
    {"done",
        "UPDATE event SET event = 3, to_state = 3, outcome = 1 WHERE intent_id = 1 AND number "
        "= 2",
        "event 2, confirm, is no step from recorded, none", true},
    {"done", "UPDATE event SET detail = '{}' WHERE intent_id = 1 AND number = 2",
        "attempt 1 is not what event 2 says it was", true},
    {"plain", "UPDATE intent SET attempts = 1, settled_attempts = 0 WHERE key = 'plain'",
        "plain counts 1 attempts, but 0 are stored", false},
};

static void test_check__every_damage_is_found_and_named(void **state)
{
    struct place *place = *state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        damage(place, cases[i].sql, cases[i].rehash ? cases[i].key : NULL);
        expect_found(place, cases[i].key, cases[i].text);
        close_ledger(place);
    }
}

static uint64_t sends_of(struct place *place, const char *key)
{
    deed_world *world = NULL;
    must(place, deed_world_open(place->world_path, &world, &place->err));
    const uint64_t sends = deed_world_sends(world, key);
    deed_world_close(world);
    return sends;
}

/* Whoever runs it before anybody has checked sends nothing. */
static void test_check__what_is_damaged_is_not_sent(void **state)
{
    static const struct {
        const char *key;
        const char *sql;
        const char *text;
    } sent[] = {
        {"done", "UPDATE intent SET state = 1, outcome = 0, grade = 0, settled_ms = 0",
            "its events add up to confirmed, applied, and it stands at recorded, none"},
        {"done", "UPDATE intent SET outcome = 3, next_due_ms = 0",
            "its events add up to confirmed, applied, and it stands at confirmed, not_applied"},
        {"plain", "UPDATE intent SET body = 'amount=1000'",
            "its payload does not hash to its digest"},
        {"undone", "UPDATE attempt SET provider_key = 'another'",
            "attempt 1 is not what event 2 says it was"},
    };
    struct place *place = *state;
    for (size_t i = 0; i < sizeof(sent) / sizeof(sent[0]); i++) {
        char expected[512];
        damage(place, sent[i].sql, NULL);
        must(place, open_ledger(place, place->path));
        deed_sim_clock_advance(place->clock, 3600000);
        const uint64_t before = sends_of(place, sent[i].key);
        assert_int_equal(
            deed_run(place->ledger, sent[i].key, DEED_BEGIN_BY_NAME, &place->result, &place->err),
            DEED_E_CHECK);
        (void)snprintf(expected, sizeof(expected),
            "the ledger is damaged at %s: %s; nothing was sent; run `deed check`", sent[i].key,
            sent[i].text);
        assert_string_equal(place->err.text, expected);
        assert_string_equal(place->err.next, "deed check");
        assert_int_equal(sends_of(place, sent[i].key), before);
        close_ledger(place);
    }
}

/* A doubt is not resent under a key that was changed, though the provider honours keys. */
static void test_check__a_damaged_doubt_is_not_resent(void **state)
{
    struct place *place = *state;
    damage(
        place, "UPDATE attempt SET provider_key = 'another', flags = 0 WHERE intent_id = 2", NULL);
    must(place, open_ledger(place, place->path));
    deed_sim_clock_advance(place->clock, 60000);
    assert_int_equal(
        deed_reconcile(place->ledger, "doubt", &place->result, &place->err), DEED_E_CHECK);
    assert_int_equal(sends_of(place, "doubt"), 1);
}

/* What the schema does not allow never comes out of the store, whatever its type. */
static void test_check__values_that_no_ledger_can_hold_stay_in_the_file(void **state)
{
    static const char *const values[] = {
        "intent SET state = 9",
        "intent SET outcome = 6",
        "intent SET grade = 7",
        "intent SET attempts = -1",
        "intent SET held = 2",
        "intent SET recorded_ms = -1",
        "intent SET next_due_ms = 9223372036854775807",
        "intent SET chain_length = -1",
        "intent SET digest = 'short'",
        "intent SET chain_head = printf('%064d', 0) || 'x'",
        "intent SET absent_boot = printf('%.*c', 41, 'b')",
        "intent SET key = printf('%.*c', 300, 'k') WHERE id = 1",
        "intent SET key = 'Done' WHERE id = 1",
        "intent SET reference = 'a' || char(0) || 'b'",
        "attempt SET cause = 5",
        "attempt SET verdict = 4",
        "attempt SET send_ms = -1",
        "attempt SET window_ms = 9223372036854775806",
        "attempt SET start_ms = 1",
        "attempt SET token = printf('%032d', intent_id) || 'g'",
        "ledger SET epoch = -1",
        "ledger SET name = 'No Name'",
    };
    struct place *place = *state;
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        char text[256];
        struct deed_status status = {.size = sizeof(status)};
        (void)snprintf(text, sizeof(text), "UPDATE %s", values[i]);
        damage(place, text, NULL);
        deed_rc rc = open_ledger(place, place->path);
        if (rc == DEED_OK) {
            rc = deed_ledger_status(place->ledger, &status, &place->err);
        }
        if (rc != DEED_E_CHECK || strstr(place->err.text, "no ledger can hold") == NULL) {
            fail_msg("%s: %d, %s", values[i], (int)rc, place->err.text);
        }
        close_ledger(place);
    }
}

int main(void)
{
#define CHECK_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        CHECK_TEST(test_check__every_damage_is_found_and_named),
        CHECK_TEST(test_check__what_is_damaged_is_not_sent),
        CHECK_TEST(test_check__a_damaged_doubt_is_not_resent),
        CHECK_TEST(test_check__values_that_no_ledger_can_hold_stay_in_the_file),
    };
#undef CHECK_TEST
    return cmocka_run_group_tests_name("check", tests, NULL, NULL);
}
