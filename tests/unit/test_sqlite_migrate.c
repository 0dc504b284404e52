/* SPDX-License-Identifier: MIT
 *
 * Growing a ledger: the recorded-intent table is adopted, older schemas go on, many may try at once,
 * and whoever dies on the way leaves the schema of before or the one after.
 */
#include "conformance/store_files.h"
#include "conformance/store_rows.h"
#include "migrations.h"

#include <signal.h>
#include <sqlite3.h>
#include <sys/wait.h>

#include <deed/mock/fault_vfs.h>
#include <deed/seam.h>

struct place {
    char folder[FILES_PATH_ROOM];
    char path[FILES_PATH_ROOM];
};

static int set_up(void **state)
{
    static struct place place;
    files_folder(place.folder);
    files_path(place.path, place.folder, "ledger");
    files_fixture(place.path);
    *state = &place;
    return 0;
}

static int tear_down(void **state)
{
    deed_seam_hook_set(NULL, NULL);
    files_remove(((struct place *)*state)->folder);
    return 0;
}

static void start_over(const struct place *place)
{
    files_remove(place->folder);
    assert_int_equal(mkdir(place->folder, 0700), 0);
    files_fixture(place->path);
}

static void run_sql(const char *path, const char *sql)
{
    sqlite3 *db = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL), SQLITE_OK);
    char *message = NULL;
    if (sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK) {
        fail_msg("%s: %s", sql, message);
    }
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

/* ---- what must hold afterwards ----------------------------------------------------------- */

struct adopted {
    int rows;
    uint8_t first_digest[DEED_DIGEST_BYTES];
};

static deed_rc count_adopted(void *context, const struct deed_intent_row *row)
{
    struct adopted *adopted = context;
    char key[32];
    (void)snprintf(key, sizeof(key), "fixture-article-v%d", adopted->rows);
    assert_string_equal(row->key, key);
    assert_int_equal(row->id, adopted->rows + 1);
    assert_int_equal(row->state, DEED_RECORDED);
    assert_int_equal(row->outcome, DEED_OUTCOME_NONE);
    assert_false(row->payload_here);
    assert_int_equal(row->recorded_ms, 0);
    assert_int_equal(row->chain_length, 0);
    if (adopted->rows == 0) {
        memcpy(adopted->first_digest, row->digest, sizeof(row->digest));
    }
    adopted->rows++;
    return DEED_OK;
}

static deed_rc read_adopted(void *context, deed_tx *tx, struct deed_error *err)
{
    const struct deed_select all = {.size = sizeof(all)};
    return tx->intent_each(tx->self, &all, count_adopted, context, err);
}

static void expect_rows(struct deed_store *store)
{
    static const uint8_t digest_start[] = {0xf7, 0x79, 0x5d, 0xf4};
    struct adopted adopted = {.rows = 0};
    struct deed_schema schema = {.size = sizeof(schema)};
    assert_int_equal(store->schema(store->self, &schema, NULL), DEED_OK);
    assert_int_equal(schema.found, schema.wanted);
    assert_false(schema.adoptable);
    read_one(store, read_adopted, &adopted);
    assert_int_equal(adopted.rows, 50);
    assert_memory_equal(adopted.first_digest, digest_start, sizeof(digest_start));
}

static void expect_adopted(struct deed_store *store)
{
    struct deed_error err = {.text = ""};
    expect_rows(store);
    if (store->check(store->self, &err) != DEED_OK) {
        fail_msg("%s", err.text);
    }
}

static void expect_adopted_file(const char *path)
{
    struct deed_store *store = files_open(path, NULL);
    char key[] = "new";
    expect_adopted(store);
    write_one(store, record_like, key);
    store->close(store->self);
}

struct steps {
    char names[160];
};

static void note_step(void *context, int number, const char *name)
{
    struct steps *steps = context;
    const size_t used = strlen(steps->names);
    (void)snprintf(steps->names + used, sizeof(steps->names) - used, "%d %s,", number, name);
}

static void migrate(struct deed_store *store, struct steps *steps)
{
    struct deed_error err = {.text = ""};
    memset(steps, 0, sizeof(*steps));
    if (store->migrate(store->self, false, note_step, steps, &err) != DEED_OK) {
        fail_msg("%s", err.text);
    }
}

/* ---- adopting ---------------------------------------------------------------------------- */

static void test_migrate__adopts_the_fixture_and_the_same_handle_goes_on(void **state)
{
    const struct place *place = *state;
    struct steps steps;
    char key[] = "new";
    struct deed_store *store = files_open(place->path, NULL);
    migrate(store, &steps);
    assert_string_equal(
        steps.names, "2 attempted,3 confirmed,4 reconciled,5 chained,6 evidence,7 passes,");
    expect_adopted(store);
    write_one(store, record_like, key);
    assert_int_equal(recorded_whole(store, key), 1);
    migrate(store, &steps);
    assert_string_equal(steps.names, "");
    store->close(store->self);
}

static void test_migrate__afterwards_the_file_alone_shows_the_new_version(void **state)
{
    const struct place *place = *state;
    struct steps steps;
    char copy[FILES_PATH_ROOM];
    struct deed_store *store = files_open(place->path, NULL);
    migrate(store, &steps);
    store->close(store->self);
    files_path(copy, place->folder, "copy"); /* without the WAL */
    files_copy(place->path, copy);
    store = files_open(copy, NULL);
    expect_adopted(store);
    store->close(store->self);
}

static void test_migrate__leaves_exactly_the_tables_of_a_new_ledger(void **state)
{
    const struct place *place = *state;
    struct steps steps;
    sqlite3 *db = NULL;
    sqlite3_stmt *stmt = NULL;
    char made[FILES_PATH_ROOM];
    char sql[FILES_PATH_ROOM + 300];
    struct deed_store *store = files_open(place->path, NULL);
    migrate(store, &steps);
    store->close(store->self);
    files_path(made, place->folder, "made");
    files_create(made);
    assert_int_equal(sqlite3_open(place->path, &db), SQLITE_OK);
    (void)snprintf(sql, sizeof(sql), "ATTACH '%s' AS made", made);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db,
                         "SELECT count(*) FROM main.sqlite_schema a JOIN made.sqlite_schema b "
                         "ON a.type = b.type AND a.name = b.name AND a.sql IS b.sql",
                         -1, &stmt, NULL),
        SQLITE_OK);
    assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
    const int same = sqlite3_column_int(stmt, 0);
    (void)sqlite3_finalize(stmt);
    assert_int_equal(sqlite3_prepare_v2(db,
                         "SELECT (SELECT count(*) FROM main.sqlite_schema), "
                         "(SELECT count(*) FROM made.sqlite_schema)",
                         -1, &stmt, NULL),
        SQLITE_OK);
    assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
    assert_int_equal(sqlite3_column_int(stmt, 0), same);
    assert_int_equal(sqlite3_column_int(stmt, 1), same);
    (void)sqlite3_finalize(stmt);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static void test_migrate__a_dry_run_tells_the_steps_and_touches_nothing(void **state)
{
    const struct place *place = *state;
    struct steps steps = {.names = ""};
    const uint64_t before = files_fingerprint(place->folder);
    struct deed_store *store = files_open(place->path, NULL);
    assert_int_equal(store->migrate(store->self, true, note_step, &steps, NULL), DEED_OK);
    assert_string_equal(
        steps.names, "2 attempted,3 confirmed,4 reconciled,5 chained,6 evidence,7 passes,");
    store->close(store->self);
    assert_true(files_fingerprint(place->folder) == before);
}

static void test_migrate__another_handle_sees_it_and_may_write(void **state)
{
    const struct place *place = *state;
    struct steps steps;
    char key[] = "new";
    struct adopted adopted = {.rows = 0};
    struct deed_store *first = files_open(place->path, NULL);
    struct deed_store *second = files_open(place->path, NULL);
    read_one(second, read_adopted, &adopted);
    assert_int_equal(adopted.rows, 50);
    migrate(first, &steps);
    expect_adopted(second);
    write_one(second, record_like, key);
    assert_int_equal(recorded_whole(first, key), 1);
    first->close(first->self);
    second->close(second->self);
}

static void test_migrate__a_row_the_new_tables_refuse_leaves_the_old_ones_whole(void **state)
{
    const struct place *place = *state;
    struct deed_error err = {.text = ""};
    struct deed_schema schema = {.size = sizeof(schema)};
    run_sql(place->path, "INSERT INTO intents VALUES ('broken', 'no digest', 'recorded')");
    struct deed_store *store = files_open(place->path, NULL);
    assert_int_equal(store->migrate(store->self, false, NULL, NULL, &err), DEED_E_CHECK);
    assert_non_null(strstr(err.text, "migration 0002"));
    assert_int_equal(store->schema(store->self, &schema, NULL), DEED_OK);
    assert_true(schema.adoptable);
    store->close(store->self);
    run_sql(place->path, "DELETE FROM intents WHERE action_key = 'broken'");
    store = files_open(place->path, NULL); /* still the fixture, in a WAL file now */
    struct steps steps;
    migrate(store, &steps);
    expect_adopted(store);
    store->close(store->self);
}

/* ---- versions ---------------------------------------------------------------------------- */

static void stop_after_two(void *context, deed_seam seam)
{
    int *committed = context;
    if (seam == DEED_SEAM_MIGRATE_COMMITTED && ++*committed == 2) {
        (void)raise(SIGKILL);
    }
}

static void test_migrate__an_older_schema_goes_on_where_it_stands(void **state)
{
    const struct place *place = *state;
    const pid_t child = fork();
    if (child == 0) {
        int committed = 0;
        struct deed_store *store = NULL;
        if (deed_sqlite_open(place->path, NULL, &store, NULL) == DEED_OK) {
            deed_seam_hook_set(stop_after_two, &committed);
            (void)store->migrate(store->self, false, NULL, NULL, NULL);
        }
        _exit(1);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    struct deed_store *store = files_open(place->path, NULL);
    struct deed_schema schema = {.size = sizeof(schema)};
    struct steps steps;
    assert_int_equal(store->schema(store->self, &schema, NULL), DEED_OK);
    assert_int_equal(schema.found, 3);
    migrate(store, &steps);
    assert_string_equal(steps.names, "4 reconciled,5 chained,6 evidence,7 passes,");
    expect_adopted(store);
    store->close(store->self);
}

#define NEWER_SQL                                                                                  \
    "INSERT INTO migration SELECT max(number) + 1, 'later', max(checksum), 1700000000000 FROM "    \
    "migration; PRAGMA user_version = 8;"

static void test_migrate__a_handle_notices_when_a_newer_library_migrates_under_it(void **state)
{
    const struct place *place = *state;
    struct steps steps;
    char key[] = "old";
    char late[] = "late";
    struct deed_error err = {.text = ""};
    struct recorded recorded = {.key = key};
    struct deed_store *store = files_open(place->path, NULL);
    migrate(store, &steps);
    write_one(store, record_like, key);
    run_sql(place->path, NEWER_SQL);
    struct deed_op write = op_of(record_like, late);
    struct deed_op read = op_of(look_for_recorded, &recorded);
    assert_int_equal(store->write(store->self, &write, 1, &err), DEED_E_SCHEMA);
    assert_non_null(strstr(err.text, "has schema 8"));
    (void)store->read(store->self, &read, NULL);
    assert_int_equal(read.rc, DEED_E_SCHEMA);
    assert_int_equal(store->migrate(store->self, false, NULL, NULL, &err), DEED_E_SCHEMA);
    store->close(store->self);
}

static void test_migrate__refuses_marks_that_differ(void **state)
{
    const struct place *place = *state;
    struct steps steps;
    struct deed_error err = {.text = ""};
    struct deed_store *store = files_open(place->path, NULL);
    migrate(store, &steps);
    run_sql(place->path, "PRAGMA user_version = 3");
    assert_int_equal(store->migrate(store->self, false, NULL, NULL, &err), DEED_E_SCHEMA);
    assert_non_null(strstr(err.text, "user_version says 3"));
    assert_non_null(strstr(err.text, "`migration` says 7"));
    store->close(store->self);
}

/* ---- many at once ------------------------------------------------------------------------ */

#define CROWD 20

static int migrate_in_a_crowd(const char *path, int gate)
{
    char byte = 0;
    struct deed_sqlite_options options = files_options();
    struct deed_store *store = NULL;
    struct deed_schema schema = {.size = sizeof(schema)};
    struct deed_error err = {.text = ""};
    options.busy_ms = 60000;
    (void)!read(gate, &byte, 1); /* until the parent closes the other end */
    if (deed_sqlite_open(path, &options, &store, &err) != DEED_OK) {
        (void)fprintf(stderr, "open: %s\n", err.text);
        return 1;
    }
    if (store->migrate(store->self, false, NULL, NULL, &err) != DEED_OK) {
        (void)fprintf(stderr, "migrate: %s\n", err.text);
        return 2;
    }
    if (store->schema(store->self, &schema, NULL) != DEED_OK || schema.found != schema.wanted) {
        return 3;
    }
    char key[24];
    (void)snprintf(key, sizeof(key), "p-%d", (int)getpid());
    struct deed_op op = op_of(record_like, key);
    if (store->write(store->self, &op, 1, NULL) != DEED_OK || op.rc != DEED_OK) {
        return 4;
    }
    store->close(store->self);
    return 0;
}

static void test_migrate__of_twenty_processes_at_once_all_succeed(void **state)
{
    const struct place *place = *state;
    for (int round = 0; round < 3; round++) {
        int gate[2];
        pid_t children[CROWD];
        start_over(place);
        assert_int_equal(pipe(gate), 0);
        for (int i = 0; i < CROWD; i++) {
            children[i] = fork();
            if (children[i] == 0) {
                (void)close(gate[1]);
                _exit(migrate_in_a_crowd(place->path, gate[0]));
            }
        }
        (void)close(gate[0]);
        (void)close(gate[1]);
        for (int i = 0; i < CROWD; i++) {
            int status = 0;
            assert_int_equal(waitpid(children[i], &status, 0), children[i]);
            assert_true(WIFEXITED(status));
            assert_int_equal(WEXITSTATUS(status), 0);
        }
        struct deed_store *store = files_open(place->path, NULL);
        assert_int_equal(store->check(store->self, NULL), DEED_OK);
        store->close(store->self);
    }
}

/* ---- dying and failing on the way -------------------------------------------------------- */

struct deadly {
    int left;
};

static void die_at(void *context, deed_seam seam)
{
    struct deadly *deadly = context;
    (void)seam;
    if (--deadly->left == 0) {
        (void)raise(SIGKILL);
    }
}

static void migrate_and_die(const char *path, int at)
{
    struct deadly deadly = {.left = at};
    struct deed_store *store = NULL;
    if (deed_sqlite_open(path, NULL, &store, NULL) != DEED_OK) {
        _exit(1);
    }
    deed_seam_hook_set(die_at, &deadly);
    if (store->migrate(store->self, false, NULL, NULL, NULL) != DEED_OK) {
        _exit(1);
    }
    store->close(store->self);
    _exit(0);
}

static void test_migrate__killed_at_any_seam_the_next_one_finishes(void **state)
{
    const struct place *place = *state;
    bool died = true;
    int deaths = 0;
    for (int at = 1; died; at++) {
        assert_in_range(at, 1, 100);
        start_over(place);
        const pid_t child = fork();
        if (child == 0) {
            migrate_and_die(place->path, at);
        }
        int status = 0;
        assert_int_equal(waitpid(child, &status, 0), child);
        died = WIFSIGNALED(status);
        assert_true(died || (WIFEXITED(status) && WEXITSTATUS(status) == 0));
        deaths += died ? 1 : 0;
        struct deed_store *store = files_open(place->path, NULL);
        struct steps steps;
        migrate(store, &steps);
        expect_adopted(store);
        store->close(store->self);
        expect_adopted_file(place->path);
    }
    assert_int_equal(deaths, 14); /* six steps, two seams each, and those of the checkpoint */
}

/* Goal: whichever call of the disk fails while a ledger grows, it can be read afterwards as what it
 * is, and the next `deed migrate` finishes. */
static void test_migrate__a_disk_that_fails_at_any_call_leaves_something_to_go_on_with(void **state)
{
    const struct place *place = *state;
    deed_fault_vfs *vfs = NULL;
    struct deed_sqlite_options options = files_options();
    assert_int_equal(deed_fault_vfs_new("fault-migrate", &vfs, NULL), DEED_OK);
    options.vfs = deed_fault_vfs_name(vfs);
    bool fired = true;
    for (uint64_t nth = 1; fired; nth++) {
        const struct deed_fault_plan plan = {.size = sizeof(plan),
            .kinds = DEED_FAULT_ANY,
            .nth = nth,
            .sticky = nth % 2 == 0,
            .after = nth % 3 == 0};
        struct deed_store *store = NULL;
        struct steps steps;
        assert_in_range(nth, 1, 2000);
        start_over(place);
        deed_fault_vfs_plan(vfs, &plan);
        if (deed_sqlite_open(place->path, &options, &store, NULL) == DEED_OK) {
            (void)store->migrate(store->self, false, NULL, NULL, NULL);
        }
        fired = deed_fault_vfs_failed(vfs) > 0;
        deed_fault_vfs_plan(vfs, NULL);
        if (store != NULL) {
            assert_int_equal(store->recover(store->self, NULL), DEED_OK);
            store->close(store->self);
        }
        store = files_open(place->path, NULL);
        migrate(store, &steps);
        if (nth % 16 == 0) {
            expect_adopted(store);
        } else {
            expect_rows(store);
        }
        store->close(store->self);
    }
    deed_fault_vfs_free(vfs);
}

int main(void)
{
#define MIGRATE_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        MIGRATE_TEST(test_migrate__adopts_the_fixture_and_the_same_handle_goes_on),
        MIGRATE_TEST(test_migrate__afterwards_the_file_alone_shows_the_new_version),
        MIGRATE_TEST(test_migrate__leaves_exactly_the_tables_of_a_new_ledger),
        MIGRATE_TEST(test_migrate__a_dry_run_tells_the_steps_and_touches_nothing),
        MIGRATE_TEST(test_migrate__another_handle_sees_it_and_may_write),
        MIGRATE_TEST(test_migrate__a_row_the_new_tables_refuse_leaves_the_old_ones_whole),
        MIGRATE_TEST(test_migrate__an_older_schema_goes_on_where_it_stands),
        MIGRATE_TEST(test_migrate__a_handle_notices_when_a_newer_library_migrates_under_it),
        MIGRATE_TEST(test_migrate__refuses_marks_that_differ),
        MIGRATE_TEST(test_migrate__of_twenty_processes_at_once_all_succeed),
        MIGRATE_TEST(test_migrate__killed_at_any_seam_the_next_one_finishes),
        MIGRATE_TEST(test_migrate__a_disk_that_fails_at_any_call_leaves_something_to_go_on_with),
    };
#undef MIGRATE_TEST
    return cmocka_run_group_tests_name("sqlite_migrate", tests, NULL, NULL);
}
