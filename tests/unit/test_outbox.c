/* SPDX-License-Identifier: MIT
 *
 * Goal: what a host commits into its outbox becomes an intent, once; what it rolls back never does;
 * what cannot become one stays where it is, with the reason, and stops nothing. Method: a host's
 * database beside a ledger, both files; the host acts between the two halves of a drain through a
 * seam, and its disk fails at any call. Dying in between is the subject of tests/crash/test_outbox.c.
 */
#include "support/test.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <deed/ledger.h>
#include <deed/mock/fault_vfs.h>
#include <deed/outbox.h>
#include <deed/seam.h>

#include "../conformance/store_files.h"
#include "support/outbox_host.h"

#define SECRET "the body nobody may quote"

struct place {
    char folder[FILES_PATH_ROOM];
    char ledger_path[FILES_PATH_ROOM];
    char host_path[FILES_PATH_ROOM];
    deed_ledger *ledger;
    sqlite3 *host;
    struct deed_drain drain;
    struct deed_error err;
    unsigned told_moved;
    unsigned told_refused;
    unsigned stop_after; /* rows told; 0: never */
    char told_order[256];
    /* At this seam, once. */
    void (*at_seam)(struct place *place);
    deed_seam seam;
    unsigned crossed; /* that seam */
};

/* ---- a disk that does not sleep, and may be write-protected ------------------------------- */

static sqlite3_vfs *disk; /* the default one */
static sqlite3_vfs quick;
static bool write_protected;
static int64_t slept_us;

static int quick_sleep(sqlite3_vfs *vfs, int microseconds)
{
    (void)vfs;
    slept_us += microseconds;
    return microseconds;
}

static int quick_open(
    sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *file, int flags, int *flags_out)
{
    (void)vfs;
    if (write_protected) {
        flags = (flags & ~(SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)) | SQLITE_OPEN_READONLY;
    }
    return disk->xOpen(disk, name, file, flags, flags_out);
}

static int set_up_disk(void **state)
{
    (void)state;
    disk = sqlite3_vfs_find(NULL);
    quick = *disk;
    quick.pNext = NULL;
    quick.zName = "quick";
    quick.xSleep = quick_sleep;
    quick.xOpen = quick_open;
    return sqlite3_vfs_register(&quick, 0);
}

static void use_disk(sqlite3_vfs *vfs)
{
    assert_int_equal(sqlite3_vfs_register(vfs, 1), SQLITE_OK);
}

/* ---- a ledger and a host ------------------------------------------------------------------ */

static void must(struct place *place, deed_rc rc)
{
    if (rc != DEED_OK) {
        fail_msg("%s: %s", deed_rc_name(rc), place->err.text);
    }
}

static void open_ledger(struct place *place)
{
    must(place,
        deed_ledger_open(files_open(place->ledger_path, NULL), NULL, &place->ledger, &place->err));
}

static void start_over(struct place *place, const char *mode)
{
    deed_ledger_close(place->ledger);
    place->ledger = NULL;
    (void)sqlite3_close(place->host);
    files_remove(place->folder);
    files_folder(place->folder);
    files_path(place->ledger_path, place->folder, "ledger");
    files_path(place->host_path, place->folder, "shop");
    files_create(place->ledger_path);
    struct deed_store *store = files_open(place->ledger_path, NULL);
    must(place, deed_ledger_init(store, "shop", true, NULL, &place->err));
    store->close(store->self);
    open_ledger(place);
    place->host = host_open(place->host_path, mode);
    assert_non_null(place->host);
}

static int set_up(void **state)
{
    struct place *place = calloc(1, sizeof(*place));
    assert_non_null(place);
    files_folder(place->folder);
    start_over(place, "DELETE");
    *state = place;
    return 0;
}

static int tear_down(void **state)
{
    struct place *place = *state;
    deed_seam_hook_set(NULL, NULL);
    write_protected = false;
    use_disk(disk);
    deed_ledger_close(place->ledger);
    (void)sqlite3_close(place->host);
    files_remove(place->folder);
    free(place);
    return 0;
}

static struct deed_payload payload_of(const char *body)
{
    return (struct deed_payload){{"payment", 7}, {"acme", 4}, {body, strlen(body)}};
}

static void put(struct place *place, const char *key, const char *body)
{
    struct deed_payload payload = payload_of(body);
    assert_true(host_put(place->host, key, &payload, 0));
}

static void sql(struct place *place, const char *text)
{
    if (!host_sql(place->host, text)) {
        fail_msg("%s: %s", text, sqlite3_errmsg(place->host));
    }
}

static int64_t number(struct place *place, const char *text)
{
    return host_number(place->host, text);
}

static bool tell(
    void *context, deed_rc rc, const struct deed_result *result, const struct deed_error *err)
{
    struct place *place = context;
    if (rc == DEED_OK) {
        place->told_moved++;
        assert_true(result->state == DEED_RECORDED);
        const size_t used = strlen(place->told_order);
        (void)snprintf(
            place->told_order + used, sizeof(place->told_order) - used, "%s ", result->key);
    } else {
        place->told_refused++;
        assert_true(rc == DEED_E_INVALID || rc == DEED_E_CONFLICT);
        assert_true(err->text[0] != '\0');
    }
    return place->told_moved + place->told_refused != place->stop_after;
}

static void at_seam(void *context, deed_seam seam)
{
    struct place *place = context;
    if (seam != place->seam) {
        return;
    }
    place->crossed++;
    if (place->at_seam != NULL) {
        void (*act)(struct place *) = place->at_seam;
        place->at_seam = NULL;
        act(place);
    }
}

static deed_rc drain(struct place *place)
{
    place->drain = (struct deed_drain){.size = sizeof(place->drain)};
    place->told_moved = 0;
    place->told_refused = 0;
    place->told_order[0] = '\0';
    return deed_outbox_drain(
        place->ledger, place->host_path, tell, place, &place->drain, &place->err);
}

static void expect_counts(
    const struct place *place, uint64_t moved, uint64_t refused, uint64_t waiting)
{
    assert_int_equal(place->drain.moved, moved);
    assert_int_equal(place->drain.refused, refused);
    assert_int_equal(place->drain.waiting, waiting);
}

static bool knows(struct place *place, const char *key)
{
    struct deed_result result = {.size = sizeof(result)};
    return deed_get(place->ledger, key, &result, NULL) == DEED_OK;
}

static bool count_intent(
    void *context, deed_rc rc, const struct deed_result *result, const struct deed_error *err)
{
    (void)rc;
    (void)result;
    (void)err;
    (*(uint64_t *)context)++;
    return true;
}

static uint64_t intents(struct place *place)
{
    struct deed_list all = {.size = sizeof(all), .flags = DEED_LIST_ALL};
    uint64_t count = 0;
    must(place, deed_ledger_list(place->ledger, &all, count_intent, &count, &place->err));
    return count;
}

/* ---- both or neither ---------------------------------------------------------------------- */

/* FR-05: the action and the reason for it are one transaction of the host's. */
static void test_field_outbox__what_the_host_rolls_back_is_no_action(void **state)
{
    struct place *place = *state;
    struct deed_payload payload = payload_of("1");
    sql(place, "BEGIN; INSERT INTO orders VALUES ('order-1')");
    put(place, "pay-1", "1");
    sql(place, "ROLLBACK");
    must(place, drain(place));
    expect_counts(place, 0, 0, 0);
    assert_int_equal(intents(place), 0);

    assert_true(host_order(place->host, "pay-2", &payload));
    sql(place, "BEGIN; INSERT INTO orders VALUES ('order-3')");
    put(place, "pay-3", "1"); /* not committed: another connection does not see it */
    assert_int_equal(number(place, "SELECT count(*) FROM orders"), 2);
    sql(place, "ROLLBACK");
    must(place, drain(place));
    expect_counts(place, 1, 0, 0);
    assert_true(knows(place, "pay-2"));
    assert_int_equal(intents(place), 1);
}

static deed_rc see_payload(void *context, const struct deed_intent_row *row)
{
    assert_int_equal(row->payload.body.bytes, 5);
    assert_memory_equal(row->payload.body.data, "a\0b\0c", 5);
    assert_int_equal(row->payload.target.bytes, 0);
    assert_int_equal(row->not_after_ms, 4000000000000);
    *(bool *)context = true;
    return DEED_OK;
}

static void test_outbox__a_row_becomes_an_intent_with_all_that_it_holds(void **state)
{
    struct place *place = *state;
    struct deed_payload payload = {{"payment", 7}, {"", 0}, {"a\0b\0c", 5}};
    bool seen = false;
    assert_true(host_put(place->host, "pay-1", &payload, 4000000000000));
    must(place, drain(place));
    expect_counts(place, 1, 0, 0);
    assert_int_equal(place->told_moved, 1);
    must(place, deed_intent_payload(place->ledger, "pay-1", see_payload, &seen, &place->err));
    assert_true(seen);
    assert_int_equal(number(place, HOST_ROWS), 0);
    must(place, drain(place));
    expect_counts(place, 0, 0, 0);
}

static void test_outbox__oldest_first_and_a_commit_for_each_batch(void **state)
{
    struct place *place = *state;
    char key[32];
    sql(place, "BEGIN");
    for (int i = 0; i < 200; i++) {
        (void)snprintf(key, sizeof(key), "pay-%d", i);
        put(place, key, "1");
    }
    sql(place, "COMMIT");
    place->seam = DEED_SEAM_OUTBOX_RECORDED;
    deed_seam_hook_set(at_seam, place);
    must(place, drain(place));
    expect_counts(place, 200, 0, 0);
    assert_int_equal(place->crossed, 4); /* 64, 64, 64, 8 */
    assert_memory_equal(place->told_order, "pay-0 pay-1 pay-2 ", 18);
    assert_int_equal(intents(place), 200);
}

static void test_outbox__a_visit_that_stops_leaves_the_rest_waiting(void **state)
{
    struct place *place = *state;
    char key[32];
    for (int i = 0; i < 70; i++) {
        (void)snprintf(key, sizeof(key), "pay-%d", i);
        put(place, key, "1");
    }
    place->stop_after = 3;
    must(place, drain(place));
    assert_int_equal(place->told_moved, 3);
    expect_counts(place, 64, 0, 6); /* what shared the commit was moved too */
    place->stop_after = 0;
    must(place, drain(place));
    expect_counts(place, 6, 0, 0);
    put(place, "quiet", "1");
    must(place, deed_outbox_drain(place->ledger, place->host_path, NULL, NULL, NULL, &place->err));
    assert_true(knows(place, "quiet"));
}

/* ---- refused ------------------------------------------------------------------------------ */

/* What the table itself stops, in the host's transaction. */
static void test_outbox__the_table_refuses_mistakes_where_they_are_made(void **state)
{
    struct place *place = *state;
    char long_text[4100];
    struct deed_payload payload = payload_of("1");
    memset(long_text, 'a', sizeof(long_text));
    long_text[81] = '\0';
    assert_false(host_put(place->host, long_text, &payload, 0));
    assert_false(host_put(place->host, "", &payload, 0));
    assert_false(host_put(place->host, "Pay", &payload, 0));
    assert_false(host_put(place->host, "pay 1", &payload, 0));
    static const int64_t no_times[] = {
        -1, 1, 1795982000, DEED_WALL_MS_MIN - 1, DEED_WALL_MS_MAX + 1, INT64_MAX};
    for (size_t i = 0; i < sizeof(no_times) / sizeof(no_times[0]); i++) {
        assert_false(host_put(place->host, "pay-1", &payload, no_times[i]));
    }
    assert_true(host_put(place->host, "pay-1", &payload, 0));
    assert_false(host_put(place->host, "pay-1", &payload, 0)); /* the first one waits */
    long_text[81] = 'a';
    payload.body = (struct deed_text){long_text, 4000};
    assert_true(host_put(place->host, "pay-2", &payload, 0));
    payload.body.bytes = 4001;
    assert_false(host_put(place->host, "pay-3", &payload, 0));
    assert_false(host_sql(place->host,
        "INSERT INTO deed_outbox (action_key, kind, target, body) VALUES ('b', x'00', 't', 'b')"));
    assert_false(host_sql(place->host,
        "INSERT INTO deed_outbox (action_key, kind, target, body) VALUES ('b', NULL, 't', 'b')"));
    must(place, drain(place));
    expect_counts(place, 2, 0, 0);
}

/* A table that lets everything through, as a host might have made it itself. */
#define LOOSE_TABLE                                                                                \
    "DROP TABLE deed_outbox; CREATE TABLE deed_outbox (id INTEGER PRIMARY KEY, action_key, kind, " \
    "target, body, not_after_ms, refused)"

/* Each a row's values, and a word of the reason. */
static const struct {
    const char *values;
    const char *reason;
} bad_rows[] = {
    {"'Bad Key', 'k', 't', '" SECRET "', NULL", "key"},
    {"'', 'k', 't', '" SECRET "', NULL", "key"},
    {"NULL, 'k', 't', '" SECRET "', NULL", "action_key is no text"},
    {"CAST(x'6100' AS TEXT), 'k', 't', '" SECRET "', NULL", "action_key holds a NUL"},
    {"printf('%.*c', 81, 'a'), 'k', 't', '" SECRET "', NULL", "action_key has 81 bytes"},
    {"x'6162', 'k', 't', '" SECRET "', NULL", "action_key is no text"},
    {"'blob', 'k', 't', CAST('" SECRET "' AS BLOB), NULL", "body is no text"},
    {"'number', 'k', 7, '" SECRET "', NULL", "target is no text"},
    {"'null', NULL, 't', '" SECRET "', NULL", "kind is no text"},
    {"'utf8', 'k', 't', CAST(x'"
     "746865ff"
     "' AS TEXT), NULL",
        "UTF-8"},
    {"'surrogate', 'k', 't', CAST(x'eda080' AS TEXT), NULL", "UTF-8"},
    {"'long', 'k', 't', '" SECRET "' || printf('%.*c', 4000, 'x'), NULL", "characters"},
    {"'huge', 'k', 't', '" SECRET "' || printf('%.*c', 20000, 'x'), NULL", "bytes"},
    {"'soon', 'k', 't', '" SECRET "', 0", "not_after_ms"},
    {"'float', 'k', 't', '" SECRET "', 1.5", "not_after_ms"},
    {"'seconds', 'k', 't', '" SECRET "', 1795982000", "looks like seconds"},
    {"'early', 'k', 't', '" SECRET "', 1000", "1973"},
    {"'far', 'k', 't', '" SECRET "', 9223372036854775807", "not-after"},
    {"'bound', 'payment', 'acme', '" SECRET "', NULL", "another payload"},
};
#define BAD_ROWS (sizeof(bad_rows) / sizeof(bad_rows[0]))

static void put_bad_rows(struct place *place)
{
    char text[512];
    struct deed_payload payload = payload_of("1");
    struct deed_record bound = {.size = sizeof(bound), .key = "bound", .payload = &payload};
    struct deed_result result = {.size = sizeof(result)};
    must(place, deed_record(place->ledger, &bound, &result, &place->err));
    sql(place, LOOSE_TABLE);
    for (size_t i = 0; i < BAD_ROWS; i++) {
        (void)snprintf(text, sizeof(text),
            "INSERT INTO deed_outbox (action_key, kind, target, body, not_after_ms) VALUES (%s)",
            bad_rows[i].values);
        sql(place, text);
    }
}

static void expect_reasons(struct place *place)
{
    sqlite3_stmt *stmt = NULL;
    size_t i = 0;
    assert_int_equal(sqlite3_prepare_v2(place->host, "SELECT refused FROM deed_outbox ORDER BY id",
                         -1, &stmt, NULL),
        SQLITE_OK);
    while (sqlite3_step(stmt) == SQLITE_ROW) {
        const char *stored = (const char *)sqlite3_column_text(stmt, 0);
        const char *reason = stored == NULL ? "not refused" : stored;
        assert_true(i < BAD_ROWS);
        if (strstr(reason, bad_rows[i].reason) == NULL) {
            fail_msg("%s: %s", bad_rows[i].values, reason);
        }
        assert_null(strstr(reason, "nobody may quote"));
        assert_null(strstr(reason, "xxx"));
        i++;
    }
    assert_int_equal(sqlite3_finalize(stmt), SQLITE_OK);
    assert_int_equal(i, BAD_ROWS);
}

static void test_outbox__bad_rows_keep_their_reason_and_stop_no_other(void **state)
{
    struct place *place = *state;
    put_bad_rows(place);
    put(place, "good", "1");
    must(place, drain(place));
    expect_counts(place, 1, BAD_ROWS, 0);
    assert_int_equal(place->told_refused, BAD_ROWS);
    assert_string_equal(place->told_order, "good ");
    expect_reasons(place);
    assert_int_equal(intents(place), 2);

    must(place, drain(place)); /* they are not asked about again */
    expect_counts(place, 0, 0, 0);
    sql(place,
        "UPDATE deed_outbox SET refused = NULL, kind = 'payment', body = '1', target = 'acme' "
        "WHERE action_key = 'bound'");
    must(place, drain(place));
    expect_counts(place, 1, 0, 0);
    assert_int_equal(number(place, HOST_ROWS), BAD_ROWS - 1);
}

/* More refused rows than a batch holds, in front of a good one. */
static void test_outbox__a_crowd_of_refused_rows_is_passed(void **state)
{
    struct place *place = *state;
    char key[32];
    sql(place, LOOSE_TABLE ";BEGIN");
    for (int i = 0; i < 150; i++) {
        (void)snprintf(key, sizeof(key), "Bad-%d", i);
        put(place, key, "1");
    }
    put(place, "good", "1");
    sql(place, "COMMIT");
    must(place, drain(place));
    expect_counts(place, 1, 150, 0);
    put(place, "later", "1");
    must(place, drain(place));
    expect_counts(place, 1, 0, 0);
    assert_true(knows(place, "later"));
}

/* ---- the host acts meanwhile -------------------------------------------------------------- */

static void change_body(struct place *place)
{
    sql(place, "UPDATE deed_outbox SET body = '2' WHERE action_key = 'pay-1'");
}

static void replace_row(struct place *place)
{
    sql(place,
        "DELETE FROM deed_outbox WHERE id = 1;"
        "INSERT INTO deed_outbox (id, action_key, kind, target, body)"
        " VALUES (1, 'pay-9', 'payment', 'acme', '1')");
}

static void move_deadline(struct place *place)
{
    sql(place, "UPDATE deed_outbox SET not_after_ms = 4000000000000 WHERE action_key = 'pay-1'");
}

static void withdraw(struct place *place)
{
    sql(place, "DELETE FROM deed_outbox WHERE action_key = 'pay-1'");
}

static void drain_between(struct place *place, void (*act)(struct place *place))
{
    place->seam = DEED_SEAM_OUTBOX_RECORDED;
    place->at_seam = act;
    deed_seam_hook_set(at_seam, place);
    must(place, drain(place));
    deed_seam_hook_set(NULL, NULL);
    assert_null(place->at_seam);
}

static void test_outbox__a_row_the_host_changed_meanwhile_stays(void **state)
{
    struct place *place = *state;
    put(place, "pay-1", "1");
    put(place, "pay-2", "1");
    drain_between(place, change_body);
    expect_counts(place, 1, 0, 1);
    assert_int_equal(number(place, "SELECT body FROM deed_outbox"), 2);
    must(place, drain(place)); /* what was recorded binds the key */
    expect_counts(place, 0, 1, 0);
    assert_int_equal(number(place, "SELECT refused LIKE '%body differs%' FROM deed_outbox"), 1);

    start_over(place, "WAL");
    put(place, "pay-1", "1");
    drain_between(place, replace_row);
    expect_counts(place, 0, 0, 1);
    must(place, drain(place));
    expect_counts(place, 1, 0, 0);
    assert_true(knows(place, "pay-1") && knows(place, "pay-9"));

    start_over(place, "WAL");
    put(place, "pay-1", "1");
    drain_between(place, move_deadline);
    expect_counts(place, 0, 0, 1);
    must(place, drain(place)); /* the same action: a repeat */
    expect_counts(place, 1, 0, 0);

    put(place, "pay-1", "1");
    drain_between(place, withdraw); /* too late: the ledger has it */
    expect_counts(place, 1, 0, 0);
    assert_true(knows(place, "pay-1"));
}

static void mend_key(struct place *place)
{
    sql(place, "UPDATE deed_outbox SET action_key = 'pay-1'");
}

static void test_outbox__a_row_mended_meanwhile_is_not_marked(void **state)
{
    struct place *place = *state;
    sql(place, LOOSE_TABLE);
    put(place, "Pay-1", "1");
    drain_between(place, mend_key);
    expect_counts(place, 0, 0, 1);
    must(place, drain(place));
    expect_counts(place, 1, 0, 0);
}

static void drain_too(struct place *place)
{
    struct deed_drain other = {.size = sizeof(other)};
    deed_ledger *ledger = NULL;
    must(place, deed_ledger_open(files_open(place->ledger_path, NULL), NULL, &ledger, &place->err));
    must(place, deed_outbox_drain(ledger, place->host_path, NULL, NULL, &other, &place->err));
    assert_int_equal(other.moved, 2);
    assert_int_equal(other.refused, 1);
    deed_ledger_close(ledger);
}

static void test_outbox__two_drains_at_once_move_each_row_once(void **state)
{
    struct place *place = *state;
    sql(place, LOOSE_TABLE);
    put(place, "pay-1", "1");
    put(place, "Bad", "1");
    put(place, "pay-2", "1");
    drain_between(place, drain_too);
    expect_counts(place, 2, 1, 0);
    assert_int_equal(intents(place), 2);
    assert_int_equal(number(place, HOST_ROWS), 1);
    must(place, deed_ledger_check(place->ledger, NULL, NULL, NULL, &place->err));
}

/* ---- many processes ----------------------------------------------------------------------- */

#define CROWD        4
#define CROWD_ORDERS 40

static int crowd_member(struct place *place, int who)
{
    char key[32];
    struct deed_payload payload = payload_of("1");
    bool fine = true;
    open_ledger(place);
    place->host = host_open(place->host_path, "WAL");
    for (int i = 0; fine && i < CROWD_ORDERS; i++) {
        (void)snprintf(key, sizeof(key), "pay-%d-%d", who, i);
        fine = place->host != NULL && host_order(place->host, key, &payload);
        if (i % 4 == who) {
            fine = fine && drain(place) == DEED_OK;
        }
    }
    deed_ledger_close(place->ledger);
    (void)sqlite3_close(place->host);
    return fine ? 0 : 1;
}

static void test_outbox__processes_that_write_and_drain_at_once_lose_nothing(void **state)
{
    struct place *place = *state;
    pid_t members[CROWD];
    start_over(place, "WAL");
    deed_ledger_close(place->ledger);
    (void)sqlite3_close(place->host);
    for (int i = 0; i < CROWD; i++) {
        members[i] = fork();
        if (members[i] == 0) {
            _exit(crowd_member(place, i));
        }
        assert_true(members[i] > 0);
    }
    for (int i = 0; i < CROWD; i++) {
        int status = -1;
        assert_int_equal(waitpid(members[i], &status, 0), members[i]);
        assert_int_equal(status, 0);
    }
    open_ledger(place);
    place->host = host_open(place->host_path, "WAL");
    must(place, drain(place));
    assert_int_equal(intents(place), CROWD * CROWD_ORDERS);
    assert_int_equal(number(place, "SELECT count(*) FROM orders"), CROWD * CROWD_ORDERS);
    assert_int_equal(number(place, HOST_ROWS), 0);
}

/* ---- files -------------------------------------------------------------------------------- */

static void expect_refused(struct place *place, const char *file, deed_rc rc, const char *words)
{
    place->drain = (struct deed_drain){.size = sizeof(place->drain)};
    assert_int_equal(
        deed_outbox_drain(place->ledger, file, NULL, NULL, &place->drain, &place->err), rc);
    if (strstr(place->err.text, words) == NULL) {
        fail_msg("%s", place->err.text);
    }
}

static void test_outbox__what_is_no_outbox_is_refused_by_name(void **state)
{
    struct place *place = *state;
    char other[FILES_PATH_ROOM];
    files_path(other, place->folder, "other");
    expect_refused(place, other, DEED_E_INVALID, "there is no such file");
    assert_int_not_equal(access(other, F_OK), 0); /* and none was made */
    expect_refused(place, place->folder, DEED_E_INVALID, "cannot be opened");
    files_write(other, "", 0);
    expect_refused(place, other, DEED_E_INVALID, "deed_outbox_table()");
    files_write(other,
        "this is a text of more than a hundred bytes, and no database, as a header"
        " of SQLite would begin otherwise than it does",
        110);
    expect_refused(place, other, DEED_E_INVALID, "no SQLite database");
    expect_refused(place, NULL, DEED_E_MISUSE, "the name of a file");
    expect_refused(place, "", DEED_E_MISUSE, "the name of a file");
    assert_int_equal(deed_outbox_drain(NULL, other, NULL, NULL, NULL, NULL), DEED_E_MISUSE);
    sql(place, "DROP TABLE deed_outbox");
    expect_refused(place, place->host_path, DEED_E_INVALID, "deed_outbox_table()");
    sql(place, "CREATE TABLE deed_outbox (id INTEGER PRIMARY KEY, key TEXT)");
    expect_refused(
        place, place->host_path, DEED_E_INVALID, "not the one deed_outbox_table() makes");
    static const char *const ids[] = {"id TEXT PRIMARY KEY", "id TEXT", "id REAL", "id INTEGER",
        "id INT PRIMARY KEY", "other INTEGER PRIMARY KEY, id INTEGER"};
    for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
        char table[256];
        (void)snprintf(table, sizeof(table),
            "DROP TABLE deed_outbox; CREATE TABLE deed_outbox (%s, action_key, kind, target, body,"
            " not_after_ms, refused);"
            "INSERT INTO deed_outbox (id, action_key, kind, target, body)"
            " VALUES ('1', 'pay-1', 'k', 't', 'b')",
            ids[i]);
        sql(place, table);
        expect_refused(
            place, place->host_path, DEED_E_INVALID, "id is not its INTEGER PRIMARY KEY");
        assert_int_equal(number(place, "SELECT count(*) FROM deed_outbox"), 1);
    }
    sql(place, "DROP TABLE deed_outbox; CREATE VIEW deed_outbox AS SELECT 1");
    expect_refused(place, place->host_path, DEED_E_INVALID, "has no table");
}

static void test_outbox__no_id_is_passed_over(void **state)
{
    struct place *place = *state;
    put(place, "pay-1", "1");
    sql(place, "UPDATE deed_outbox SET id = -9223372036854775807 - 1");
    put(place, "pay-2", "2");
    sql(place, "UPDATE deed_outbox SET id = 9223372036854775807 WHERE action_key = 'pay-2'");
    must(place, drain(place));
    expect_counts(place, 2, 0, 0);
    assert_true(knows(place, "pay-1") && knows(place, "pay-2"));
}

static void test_outbox__a_row_that_a_trigger_keeps_was_not_moved(void **state)
{
    struct place *place = *state;
    put(place, "pay-1", "1");
    sql(place, "CREATE TRIGGER keeps BEFORE DELETE ON deed_outbox BEGIN SELECT RAISE(IGNORE); END");
    must(place, drain(place));
    assert_true(knows(place, "pay-1"));
    expect_counts(place, 0, 0, 1);
    sql(place, "DROP TRIGGER keeps");
    must(place, drain(place));
    expect_counts(place, 1, 0, 0);
}

static void test_outbox__a_ledger_is_no_outbox(void **state)
{
    struct place *place = *state;
    char copy[FILES_PATH_ROOM];
    put(place, "pay-1", "1");
    must(place, drain(place));
    expect_refused(place, place->ledger_path, DEED_E_INVALID, "it is a ledger");
    assert_true(knows(place, "pay-1"));
    files_path(copy, place->folder, "copy");
    files_copy(place->ledger_path, copy);
    expect_refused(place, copy, DEED_E_INVALID, "it is a ledger");
}

static void test_outbox__a_file_that_cannot_be_written_gives_up_nothing(void **state)
{
    struct place *place = *state;
    put(place, "pay-1", "1");
    use_disk(&quick);
    write_protected = true;
    expect_refused(place, place->host_path, DEED_E_SYSTEM, "cannot be written");
    assert_int_equal(intents(place), 0);
    write_protected = false;
    must(place, drain(place));
    expect_counts(place, 1, 0, 0);
}

static void lock_host(struct place *place)
{
    sql(place, "BEGIN IMMEDIATE");
}

static void test_outbox__a_host_that_writes_for_long_is_an_error_and_loses_nothing(void **state)
{
    struct place *place = *state;
    static const char *const modes[] = {"DELETE", "WAL"};
    for (size_t i = 0; i < 2; i++) {
        use_disk(disk);
        start_over(place, modes[i]);
        put(place, "pay-1", "1");
        use_disk(&quick);
        slept_us = 0;
        place->seam = DEED_SEAM_OUTBOX_RECORDED;
        place->at_seam = lock_host;
        deed_seam_hook_set(at_seam, place);
        assert_int_equal(drain(place), DEED_E_BUSY);
        assert_in_range(slept_us, 9000000, 11000000); /* asked for, not waited for */
        assert_non_null(strstr(place->err.text, "drain again later"));
        assert_int_equal(place->told_moved, 0);
        deed_seam_hook_set(NULL, NULL);
        assert_true(knows(place, "pay-1"));
        assert_int_equal(number(place, HOST_ROWS), 1);
        sql(place, "COMMIT");
        must(place, drain(place));
        expect_counts(place, 1, 0, 0);
        assert_int_equal(intents(place), 1);
    }
}

static void test_outbox__the_journal_mode_is_the_hosts(void **state)
{
    struct place *place = *state;
    static const char *const modes[] = {"delete", "wal", "truncate", "persist"};
    char question[128];
    for (size_t i = 0; i < 4; i++) {
        start_over(place, modes[i]);
        put(place, "pay-1", "1");
        must(place, drain(place));
        expect_counts(place, 1, 0, 0);
        (void)snprintf(question, sizeof(question),
            "SELECT journal_mode = '%s' FROM pragma_journal_mode", modes[i]);
        assert_int_equal(number(place, question), 1);
    }
}

static void test_outbox__a_host_of_another_encoding_loses_no_letter(void **state)
{
    struct place *place = *state;
    char path[FILES_PATH_ROOM];
    sqlite3 *host = NULL;
    struct deed_payload payload = {{"k\xc3\xa4se", 5}, {"\xf0\x9f\xa7\x80", 4}, {"a\0b", 3}};
    struct deed_record same = {.size = sizeof(same), .key = "pay-1", .payload = &payload};
    struct deed_result result = {.size = sizeof(result)};
    files_path(path, place->folder, "utf16");
    assert_int_equal(sqlite3_open(path, &host), SQLITE_OK);
    assert_true(host_sql(host, "PRAGMA encoding = 'UTF-16'"));
    assert_true(host_sql(host, deed_outbox_table()));
    assert_true(host_put(host, "pay-1", &payload, 0));
    must(place, deed_outbox_drain(place->ledger, path, NULL, NULL, NULL, &place->err));
    assert_int_equal(host_number(host, HOST_ROWS), 0);
    assert_int_equal(sqlite3_close(host), SQLITE_OK);
    must(place, deed_record(place->ledger, &same, &result, &place->err));
    assert_false(result.created);
}

/* ---- a disk that fails --------------------------------------------------------------------- */

static void expect_recovered(struct place *place)
{
    use_disk(disk);
    must(place, drain(place));
    assert_int_equal(number(place, "SELECT count(*) FROM deed_outbox WHERE refused IS NULL"), 0);
    assert_int_equal(number(place, HOST_ROWS), 1);
    assert_int_equal(number(place, "SELECT integrity_check = 'ok' FROM pragma_integrity_check"), 1);
    assert_int_equal(intents(place), 2);
    assert_true(knows(place, "pay-1") && knows(place, "pay-2"));
}

static bool fail_at(struct place *place, deed_fault_vfs *vfs, const char *mode, uint64_t nth)
{
    const struct deed_fault_plan plan = {.size = sizeof(plan),
        .kinds = DEED_FAULT_ANY,
        .nth = (nth + 1) / 2,
        .sticky = nth % 2 == 0};
    use_disk(disk);
    start_over(place, mode);
    sql(place, LOOSE_TABLE);
    put(place, "pay-1", "1");
    put(place, "Bad", "1");
    put(place, "pay-2", "1");
    use_disk(sqlite3_vfs_find(deed_fault_vfs_name(vfs)));
    deed_fault_vfs_plan(vfs, &plan);
    const deed_rc rc = drain(place);
    const bool failed = deed_fault_vfs_failed(vfs) > 0;
    deed_fault_vfs_plan(vfs, NULL);
    if (rc == DEED_OK) {
        assert_int_equal(number(place, HOST_ROWS), 1);
    } else {
        assert_true(place->err.text[0] != '\0');
        assert_null(strstr(place->err.text, SECRET));
    }
    expect_recovered(place);
    return failed;
}

static void test_outbox__a_disk_that_fails_at_any_call_is_an_error_and_a_repeat_mends_it(
    void **state)
{
    struct place *place = *state;
    static const char *const modes[] = {"DELETE", "WAL"};
    deed_fault_vfs *vfs = NULL;
    assert_int_equal(deed_fault_vfs_new("fault-outbox", &vfs, NULL), DEED_OK);
    for (size_t i = 0; i < 2; i++) {
        uint64_t nth = 1;
        while (fail_at(place, vfs, modes[i], nth)) {
            nth++;
            assert_in_range(nth, 1, 2000);
        }
        assert_true(nth > 20);
    }
    use_disk(disk);
    deed_fault_vfs_free(vfs);
}

int main(void)
{
#define OUTBOX_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        OUTBOX_TEST(test_field_outbox__what_the_host_rolls_back_is_no_action),
        OUTBOX_TEST(test_outbox__a_row_becomes_an_intent_with_all_that_it_holds),
        OUTBOX_TEST(test_outbox__oldest_first_and_a_commit_for_each_batch),
        OUTBOX_TEST(test_outbox__a_visit_that_stops_leaves_the_rest_waiting),
        OUTBOX_TEST(test_outbox__the_table_refuses_mistakes_where_they_are_made),
        OUTBOX_TEST(test_outbox__bad_rows_keep_their_reason_and_stop_no_other),
        OUTBOX_TEST(test_outbox__a_crowd_of_refused_rows_is_passed),
        OUTBOX_TEST(test_outbox__a_row_the_host_changed_meanwhile_stays),
        OUTBOX_TEST(test_outbox__a_row_mended_meanwhile_is_not_marked),
        OUTBOX_TEST(test_outbox__two_drains_at_once_move_each_row_once),
        OUTBOX_TEST(test_outbox__processes_that_write_and_drain_at_once_lose_nothing),
        OUTBOX_TEST(test_outbox__what_is_no_outbox_is_refused_by_name),
        OUTBOX_TEST(test_outbox__no_id_is_passed_over),
        OUTBOX_TEST(test_outbox__a_row_that_a_trigger_keeps_was_not_moved),
        OUTBOX_TEST(test_outbox__a_ledger_is_no_outbox),
        OUTBOX_TEST(test_outbox__a_file_that_cannot_be_written_gives_up_nothing),
        OUTBOX_TEST(test_outbox__a_host_that_writes_for_long_is_an_error_and_loses_nothing),
        OUTBOX_TEST(test_outbox__the_journal_mode_is_the_hosts),
        OUTBOX_TEST(test_outbox__a_host_of_another_encoding_loses_no_letter),
        OUTBOX_TEST(test_outbox__a_disk_that_fails_at_any_call_is_an_error_and_a_repeat_mends_it),
    };
#undef OUTBOX_TEST
    return cmocka_run_group_tests_name("outbox", tests, set_up_disk, NULL);
}
