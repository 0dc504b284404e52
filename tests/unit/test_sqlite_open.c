/* SPDX-License-Identifier: MIT
 *
 * Which files are opened, which are refused and in which words, and that what is refused keeps
 * every byte: the folder is compared before and after.
 */
#include "conformance/store_files.h"
#include "conformance/store_rows.h"
#include "migrations.h"

#include <sqlite3.h>
#include <sys/wait.h>

#include <deed/mock/fault_vfs.h>

struct place {
    char folder[FILES_PATH_ROOM];
    char path[FILES_PATH_ROOM];
};

static int set_up(void **state)
{
    static struct place place;
    files_folder(place.folder);
    files_path(place.path, place.folder, "ledger");
    *state = &place;
    return 0;
}

static int tear_down(void **state)
{
    files_remove(((struct place *)*state)->folder);
    return 0;
}

/* ---- making files ------------------------------------------------------------------------ */

static void run_sql(const char *path, const char *sql)
{
    sqlite3 *db = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    char *message = NULL;
    if (sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK) {
        fail_msg("%s: %s", sql, message);
    }
    assert_int_equal(sqlite3_close(db), SQLITE_OK); /* as another program: WAL and all go */
}

/* A ledger as far as migration `number`, as a library that knew no more left it. */
static void make_older(const char *path, int number)
{
    sqlite3 *db = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    for (int i = 0; i < number; i++) {
        assert_int_equal(
            sqlite3_exec(db, deed__sqlite_migrations[i].sql, NULL, NULL, NULL), SQLITE_OK);
    }
    for (int i = 0; i < number; i++) {
        char sql[300];
        (void)snprintf(sql, sizeof(sql),
            "INSERT INTO migration VALUES (%d, '%s', '%s', 1700000000000)", i + 1,
            deed__sqlite_migrations[i].name, deed__sqlite_migrations[i].sha256);
        assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    }
    char marks[128];
    (void)snprintf(marks, sizeof(marks),
        "PRAGMA application_id = 0x44454544; PRAGMA user_version = %d; PRAGMA journal_mode = WAL",
        number);
    assert_int_equal(sqlite3_exec(db, marks, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

/* SQL that makes a ledger one of a newer library. */
#define NEWER_SQL                                                                                  \
    "INSERT INTO migration SELECT max(number) + 1, 'later', max(checksum), 1700000000000 FROM "    \
    "migration; PRAGMA user_version = 8;"

static void overwrite(const char *path, size_t offset, const void *bytes, size_t count)
{
    size_t length = 0;
    unsigned char *data = files_read(path, &length);
    assert_in_range(offset + count, 1, length);
    memcpy(data + offset, bytes, count);
    files_write(path, data, length);
    free(data);
}

static void cut(const char *path, size_t bytes)
{
    size_t length = 0;
    unsigned char *data = files_read(path, &length);
    assert_in_range(bytes, 0, length);
    files_write(path, data, bytes);
    free(data);
}

/* ---- refusals ---------------------------------------------------------------------------- */

/* Refused with this code, in these words, and nothing in the folder changes. */
static struct deed_error expect_refused(
    const struct place *place, const char *path, deed_rc rc, const char *words)
{
    struct deed_store *store = NULL;
    struct deed_error err = {.text = ""};
    const uint64_t before = files_fingerprint(place->folder);
    assert_int_equal(deed_sqlite_open(path, NULL, &store, &err), rc);
    assert_null(store);
    if (strstr(err.text, words) == NULL) {
        fail_msg("`%s` is not in: %s", words, err.text);
    }
    assert_true(files_fingerprint(place->folder) == before);
    return err;
}

static void test_open__a_missing_file_is_refused_and_init_is_named(void **state)
{
    const struct place *place = *state;
    const struct deed_error err = expect_refused(place, place->path, DEED_E_STORE, "deed init");
    assert_string_equal(err.next, ""); /* the name is for a person to choose */
    assert_int_equal(err.native, ENOENT);
    assert_int_equal(files_count(place->folder), 0);
}

static void test_open__a_folder_is_refused(void **state)
{
    const struct place *place = *state;
    (void)expect_refused(place, place->folder, DEED_E_STORE, "folder");
}

static void test_open__an_empty_file_is_refused(void **state)
{
    const struct place *place = *state;
    files_write(place->path, "", 0);
    (void)expect_refused(place, place->path, DEED_E_STORE, "empty");
}

static void test_open__a_text_file_is_refused(void **state)
{
    const struct place *place = *state;
    files_write(place->path, "SQLite format 3, or so I say", 28);
    (void)expect_refused(place, place->path, DEED_E_STORE, "no SQLite file");
    files_write(place->path, "x", 1);
    (void)expect_refused(place, place->path, DEED_E_STORE, "no SQLite file");
}

static void test_open__a_file_of_another_program_is_refused_in_either_journal_mode(void **state)
{
    static const char *const made[] = {
        "PRAGMA application_id = 252006673; CREATE TABLE t (x)",
        "PRAGMA application_id = 252006673; PRAGMA journal_mode = WAL; CREATE TABLE t (x)",
        "CREATE TABLE t (x)",
        "PRAGMA journal_mode = WAL; CREATE TABLE t (x)",
        "CREATE TABLE intents (action_key TEXT PRIMARY KEY, payload_sha256 TEXT NOT NULL)",
        "PRAGMA user_version = 0; VACUUM",
    };
    const struct place *place = *state;
    for (size_t i = 0; i < sizeof(made) / sizeof(made[0]); i++) {
        run_sql(place->path, made[i]);
        (void)expect_refused(place, place->path, DEED_E_STORE, "another program");
        (void)unlink(place->path);
    }
}

static void test_open__a_foreign_wal_beside_a_foreign_file_stays_as_it_is(void **state)
{
    const struct place *place = *state;
    sqlite3 *db = NULL;
    assert_int_equal(sqlite3_open(place->path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db,
                         "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;"
                         "CREATE TABLE t (x); PRAGMA wal_checkpoint; INSERT INTO t VALUES (1)",
                         NULL, NULL, NULL),
        SQLITE_OK);
    (void)expect_refused(place, place->path, DEED_E_STORE, "another program");
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static void test_open__the_fixture_with_one_thing_more_is_refused(void **state)
{
    const struct place *place = *state;
    files_fixture(place->path);
    run_sql(place->path, "CREATE TABLE notes (x)");
    (void)expect_refused(place, place->path, DEED_E_STORE, "another program");
}

static void test_open__a_header_that_makes_no_sense_is_refused(void **state)
{
    static const struct {
        size_t offset;
        const char *bytes;
        size_t count;
        const char *words;
    } harms[] = {
        {0, "NOT", 3, "no SQLite file"}, {16, "\x10\x01", 2, "damaged"}, /* page size */
        {18, "\x09\x09", 2, "damaged"},                                  /* format versions */
        {21, "\x41", 1, "damaged"},                                      /* payload fraction */
        {28, "\x00\x00\xff\xff", 4, "damaged"},                          /* length in pages */
        {56, "\x00\x00\x00\x09", 4, "damaged"},                          /* encoding */
        {68, "\x44\x45\x45\x45", 4, "another program"},
        {60, "\x00\x00\x00\x03", 4, "differ"}, /* user_version */
    };
    const struct place *place = *state;
    for (size_t i = 0; i < sizeof(harms) / sizeof(harms[0]); i++) {
        files_create(place->path);
        overwrite(place->path, harms[i].offset, harms[i].bytes, harms[i].count);
        (void)expect_refused(place, place->path,
            strcmp(harms[i].words, "differ") == 0 ? DEED_E_SCHEMA : DEED_E_STORE, harms[i].words);
        (void)unlink(place->path);
    }
}

static void test_open__a_truncated_file_is_refused_at_every_length(void **state)
{
    const struct place *place = *state;
    size_t whole = 0;
    files_create(place->path);
    free(files_read(place->path, &whole));
    (void)unlink(place->path);
    for (size_t bytes = 1; bytes < whole; bytes += 1021) {
        files_create(place->path);
        cut(place->path, bytes);
        (void)expect_refused(place, place->path, DEED_E_STORE, bytes < 16 ? "no SQLite file" : "");
        (void)unlink(place->path);
    }
}

static void test_open__garbage_in_any_page_that_a_table_starts_with_is_refused(void **state)
{
    const struct place *place = *state;
    char garbage[4096];
    size_t whole = 0;
    int refused = 0;
    memset(garbage, 0x5a, sizeof(garbage));
    files_create(place->path);
    free(files_read(place->path, &whole));
    for (size_t page = 1; page < whole / sizeof(garbage); page++) {
        struct deed_store *store = NULL;
        (void)unlink(place->path);
        files_create(place->path);
        overwrite(place->path, page * sizeof(garbage), garbage, sizeof(garbage));
        const uint64_t before = files_fingerprint(place->folder);
        if (deed_sqlite_open(place->path, NULL, &store, NULL) != DEED_OK) {
            refused++;
            assert_true(files_fingerprint(place->folder) == before);
        } else { /* the start of an index, or a page of free space: found by the check */
            (void)store->check(store->self, NULL);
            store->close(store->self);
            char companion[FILES_PATH_ROOM];
            files_path(companion, place->folder, "ledger-wal");
            (void)unlink(companion);
            files_path(companion, place->folder, "ledger-shm");
            (void)unlink(companion);
        }
    }
    assert_true(refused >= 7); /* migration, ledger, intent, attempt, request, evidence, event */
}

static void test_open__a_newer_schema_is_refused_with_both_numbers(void **state)
{
    const struct place *place = *state;
    files_create(place->path);
    run_sql(place->path, NEWER_SQL);
    const struct deed_error err = expect_refused(place, place->path, DEED_E_SCHEMA, "has schema 8");
    assert_non_null(strstr(err.text, "knows 7"));
    assert_non_null(strstr(err.text, "newer"));
}

static void test_open__a_newer_schema_that_only_the_wal_knows_is_refused(void **state)
{
    const struct place *place = *state;
    struct deed_store *store = NULL;
    struct deed_error err = {.text = ""};
    sqlite3 *db = NULL;
    files_create(place->path);
    assert_int_equal(sqlite3_open(place->path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, NEWER_SQL, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(deed_sqlite_open(place->path, NULL, &store, &err), DEED_E_SCHEMA);
    assert_non_null(strstr(err.text, "has schema 8"));
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static void test_open__marks_that_differ_are_refused_with_both_values(void **state)
{
    const struct place *place = *state;
    files_create(place->path);
    run_sql(place->path, "PRAGMA user_version = 4");
    const struct deed_error err = expect_refused(place, place->path, DEED_E_SCHEMA, "differ");
    assert_non_null(strstr(err.text, "user_version says 4"));
    assert_non_null(strstr(err.text, "`migration` says 7"));
    run_sql(place->path, "PRAGMA user_version = 7; DELETE FROM migration WHERE number = 3");
    (void)expect_refused(place, place->path, DEED_E_SCHEMA, "jumps from 2 to 4");
}

static void test_open__a_migration_with_another_checksum_is_refused(void **state)
{
    const struct place *place = *state;
    files_create(place->path);
    run_sql(place->path,
        "UPDATE migration SET checksum = replace(checksum, 'a', 'b') WHERE number = 2");
    (void)expect_refused(place, place->path, DEED_E_SCHEMA, "0002_attempted");
}

static int64_t pretended_type;

static int64_t pretend_type(const char *path)
{
    (void)path;
    return pretended_type;
}

static void test_open__a_network_file_system_is_refused_by_name(void **state)
{
    static const struct {
        int64_t type;
        const char *name;
    } types[] = {
        {0x6969, "NFS"},
        {0xff534d42, "CIFS"},
        {(int64_t)(int32_t)0xff534d42, "CIFS"}, /* as a 32-bit system tells it */
        {0xfe534d42, "SMB2"},
        {0x517b, "SMB"},
        {0x65735546, "FUSE"},
        {0x01021997, "9P"},
    };
    const struct place *place = *state;
    struct deed_sqlite_options options = files_options();
    options.file_system_type = pretend_type;
    files_create(place->path);
    char other[FILES_PATH_ROOM];
    files_path(other, place->folder, "other");
    const uint64_t before = files_fingerprint(place->folder);
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        struct deed_store *store = NULL;
        struct deed_error err = {.text = ""};
        pretended_type = types[i].type;
        assert_int_equal(deed_sqlite_open(place->path, &options, &store, &err), DEED_E_STORE);
        assert_non_null(strstr(err.text, types[i].name));
        assert_int_equal(deed_sqlite_create(other, &options, &err), DEED_E_STORE);
        assert_non_null(strstr(err.text, types[i].name));
        assert_true(files_fingerprint(place->folder) == before);
    }
    pretended_type = 0xef53; /* ext4 */
    struct deed_store *store = files_open(place->path, &options);
    store->close(store->self);
}

static void test_open__options_without_size_are_misuse(void **state)
{
    const struct place *place = *state;
    struct deed_sqlite_options options = files_options();
    struct deed_store *store = NULL;
    files_create(place->path);
    options.size = 0;
    assert_int_equal(deed_sqlite_open(place->path, &options, &store, NULL), DEED_E_MISUSE);
    options = files_options();
    options.vfs = "no-such-vfs";
    assert_int_equal(deed_sqlite_open(place->path, &options, &store, NULL), DEED_E_MISUSE);
    assert_int_equal(deed_sqlite_open("", NULL, &store, NULL), DEED_E_MISUSE);
}

/* ---- an older schema --------------------------------------------------------------------- */

static void expect_schema_error(struct deed_store *store, const char *words)
{
    char key[] = "no";
    struct deed_op op = op_of(record_like, key);
    struct deed_error err = {.text = ""};
    assert_int_equal(store->write(store->self, &op, 1, &err), DEED_E_SCHEMA);
    assert_int_equal(op.rc, DEED_E_SCHEMA);
    assert_int_equal(op.fate, DEED_FATE_NONE);
    assert_non_null(strstr(err.text, words));
}

static void test_open__an_older_schema_opens_and_asks_to_be_migrated(void **state)
{
    const struct place *place = *state;
    for (int number = 2; number < (int)deed__sqlite_migration_count; number++) {
        make_older(place->path, number);
        struct deed_store *store = files_open(place->path, NULL);
        struct deed_schema schema = {.size = sizeof(schema)};
        assert_int_equal(store->schema(store->self, &schema, NULL), DEED_OK);
        assert_int_equal(schema.found, number);
        assert_int_equal(schema.wanted, 7);
        assert_false(schema.adoptable);
        expect_schema_error(store, "deed migrate");
        struct recorded recorded = {.key = "no"};
        struct deed_op op = op_of(look_for_recorded, &recorded);
        (void)store->read(store->self, &op, NULL);
        assert_int_equal(op.rc, DEED_E_SCHEMA);
        assert_string_equal(op.error.next, "deed migrate");
        store->close(store->self);
        files_remove(place->folder);
        assert_int_equal(mkdir(place->folder, 0700), 0);
    }
}

/* ---- the fixture ------------------------------------------------------------------------- */

struct counted {
    int rows;
    int64_t last_id;
};

static deed_rc count_fixture(void *context, const struct deed_intent_row *row)
{
    struct counted *counted = context;
    assert_int_equal(row->state, DEED_RECORDED);
    assert_int_equal(row->outcome, DEED_OUTCOME_NONE);
    assert_false(row->payload_here);
    assert_null(row->payload.kind.data);
    assert_int_equal(row->recorded_ms, 0);
    assert_int_equal(row->chain_length, 0);
    assert_true(row->id > counted->last_id);
    counted->last_id = row->id;
    counted->rows++;
    return DEED_OK;
}

static deed_rc read_fixture(void *context, deed_tx *tx, struct deed_error *err)
{
    static const uint8_t digest_start[] = {0xf7, 0x79, 0x5d, 0xf4};
    struct counted *counted = context;
    struct deed_intent_row row;
    struct deed_ledger_row ledger;
    int64_t newest = -1;
    const struct deed_select open = {.size = sizeof(open), .flags = DEED_SELECT_OPEN};
    const struct deed_select held = {.size = sizeof(held), .flags = DEED_SELECT_HELD};
    assert_int_equal(tx->ledger_get(tx->self, &ledger, err), DEED_E_NOT_FOUND);
    assert_int_equal(tx->newest(tx->self, &newest, err), DEED_OK);
    assert_int_equal(newest, 0);
    assert_int_equal(tx->intent_get(tx->self, "fixture-article-v0", true, &row, err), DEED_OK);
    assert_memory_equal(row.digest, digest_start, sizeof(digest_start));
    assert_int_equal(tx->intent_by_id(tx->self, row.id, false, &row, err), DEED_OK);
    assert_string_equal(row.key, "fixture-article-v0");
    assert_int_equal(tx->intent_get(tx->self, "nobody", true, &row, err), DEED_E_NOT_FOUND);
    assert_int_equal(tx->intent_each(tx->self, &held, count_fixture, counted, err), DEED_OK);
    assert_int_equal(counted->rows, 0);
    assert_int_equal(tx->intent_insert(tx->self, &row, err), DEED_E_SCHEMA);
    return tx->intent_each(tx->self, &open, count_fixture, counted, err);
}

static void test_open__the_fixture_reads_as_recorded_intents_and_stays_as_it_is(void **state)
{
    const struct place *place = *state;
    struct counted counted = {.rows = 0};
    struct deed_schema schema = {.size = sizeof(schema)};
    files_fixture(place->path);
    const uint64_t before = files_fingerprint(place->folder);
    struct deed_store *store = files_open(place->path, NULL);
    assert_int_equal(store->schema(store->self, &schema, NULL), DEED_OK);
    assert_int_equal(schema.found, 1);
    assert_true(schema.adoptable);
    assert_false(schema.initialised);
    read_one(store, read_fixture, &counted);
    assert_int_equal(counted.rows, 50);
    expect_schema_error(store, "deed migrate --name NAME");
    store->close(store->self);
    assert_true(files_fingerprint(place->folder) == before);
}

static void test_open__the_fixture_may_grow_meanwhile(void **state)
{
    const struct place *place = *state;
    files_fixture(place->path);
    struct deed_store *store = files_open(place->path, NULL);
    struct recorded recorded = {.key = "late"};
    read_one(store, look_for_recorded, &recorded);
    assert_false(recorded.found);
    run_sql(place->path,
        "INSERT INTO intents SELECT 'late', payload_sha256, status FROM intents LIMIT 1");
    read_one(store, look_for_recorded, &recorded);
    assert_true(recorded.found);
    store->close(store->self);
}

/* ---- reading only ------------------------------------------------------------------------ */

static void expect_read_only(struct deed_store *store, const char *why)
{
    char key[] = "no";
    struct deed_op op = op_of(record_like, key);
    struct deed_error err = {.text = ""};
    assert_true(store->read_only(store->self));
    assert_int_equal(store->write(store->self, &op, 1, &err), DEED_E_STORE);
    assert_int_equal(op.fate, DEED_FATE_NONE);
    assert_non_null(strstr(err.text, why));
    assert_int_equal(store->migrate(store->self, false, NULL, NULL, &err), DEED_E_STORE);
}

static void record_in(const char *path, char *key)
{
    struct deed_store *store = files_open(path, NULL);
    write_one(store, record_like, key);
    store->close(store->self);
}

static void test_read_only__a_write_protected_ledger_is_read_without_a_trace(void **state)
{
    const struct place *place = *state;
    files_create(place->path);
    assert_int_equal(chmod(place->path, 0400), 0);
    const uint64_t before = files_fingerprint(place->folder);
    struct deed_store *store = files_open(place->path, NULL);
    assert_int_equal(recorded_whole(store, "nobody"), 0);
    expect_read_only(store, "no write permission");
    store->close(store->self);
    assert_true(files_fingerprint(place->folder) == before);
}

static void test_read_only__what_lies_in_the_wal_is_read_without_a_trace(void **state)
{
    const struct place *place = *state;
    char key[] = "in-the-wal";
    files_create(place->path);
    record_in(place->path, key);
    assert_int_equal(chmod(place->path, 0400), 0);
    const uint64_t before = files_fingerprint(place->folder);
    struct deed_store *store = files_open(place->path, NULL);
    assert_int_equal(recorded_whole(store, key), 1);
    store->close(store->self);
    assert_true(files_fingerprint(place->folder) == before);
}

static void test_read_only__asked_for_it_leaves_no_trace_either(void **state)
{
    const struct place *place = *state;
    struct deed_sqlite_options options = files_options();
    options.read_only = true;
    files_create(place->path);
    const uint64_t before = files_fingerprint(place->folder);
    struct deed_store *store = files_open(place->path, &options);
    assert_int_equal(recorded_whole(store, "nobody"), 0);
    expect_read_only(store, "opened for reading only");
    assert_true(files_fingerprint(place->folder) == before);
    /* Somebody else writes: the next read sees it, though there was no WAL at first. */
    char key[] = "meanwhile";
    record_in(place->path, key);
    assert_int_equal(recorded_whole(store, key), 1);
    store->close(store->self);
    assert_int_equal(deed_sqlite_create("never", &options, NULL), DEED_E_MISUSE);
}

struct torn {
    const char *path;
    int runs;
    int rows;
};

static deed_rc count_row(void *context, const struct deed_intent_row *row)
{
    (void)row;
    ((struct torn *)context)->rows++;
    return DEED_OK;
}

static deed_rc read_while_written(void *context, deed_tx *tx, struct deed_error *err)
{
    struct torn *torn = context;
    const struct deed_select all = {.size = sizeof(all)};
    torn->rows = 0;
    if (++torn->runs == 1) {
        char key[] = "meanwhile";
        record_in(torn->path, key);
    }
    return tx->intent_each(tx->self, &all, count_row, torn, err);
}

static void test_read_only__a_read_that_somebody_wrote_into_is_run_again(void **state)
{
    const struct place *place = *state;
    struct deed_sqlite_options options = files_options();
    struct torn torn = {.path = place->path};
    options.read_only = true;
    files_create(place->path);
    struct deed_store *store = files_open(place->path, &options);
    read_one(store, read_while_written, &torn);
    assert_int_equal(torn.runs, 2);
    assert_int_equal(torn.rows, 1);
    store->close(store->self);
}

static void test_read_only__the_fixture_too(void **state)
{
    const struct place *place = *state;
    struct counted counted = {.rows = 0};
    files_fixture(place->path);
    assert_int_equal(chmod(place->path, 0400), 0);
    const uint64_t before = files_fingerprint(place->folder);
    struct deed_store *store = files_open(place->path, NULL);
    read_one(store, read_fixture, &counted);
    assert_int_equal(counted.rows, 50);
    expect_read_only(store, "no write permission");
    store->close(store->self);
    assert_true(files_fingerprint(place->folder) == before);
}

/* ---- creating ---------------------------------------------------------------------------- */

static void test_create__file_is_for_its_owner_only_whatever_the_umask(void **state)
{
    const struct place *place = *state;
    static const mode_t masks[] = {0, 022, 077, 0177};
    for (size_t i = 0; i < sizeof(masks) / sizeof(masks[0]); i++) {
        struct stat facts;
        const mode_t old = umask(masks[i]);
        files_create(place->path);
        struct deed_store *store = files_open(place->path, NULL);
        char key[] = "k";
        write_one(store, record_like, key);
        (void)store->owner(store->self);
        (void)umask(old);
        static const char *const names[] = {"ledger", "ledger-wal", "ledger-shm", "ledger-owners"};
        for (size_t j = 0; j < sizeof(names) / sizeof(names[0]); j++) {
            char path[FILES_PATH_ROOM];
            files_path(path, place->folder, names[j]);
            assert_int_equal(stat(path, &facts), 0);
            assert_int_equal(facts.st_mode & 0777, 0600);
        }
        store->close(store->self);
        files_remove(place->folder);
        assert_int_equal(mkdir(place->folder, 0700), 0);
    }
}

static void test_create__leaves_the_ledger_and_nothing_else(void **state)
{
    const struct place *place = *state;
    files_create(place->path);
    assert_int_equal(files_count(place->folder), 1);
}

static void test_create__replaces_nothing(void **state)
{
    const struct place *place = *state;
    struct deed_error err = {.text = ""};
    files_write(place->path, "precious", 8);
    const uint64_t before = files_fingerprint(place->folder);
    assert_int_equal(deed_sqlite_create(place->path, NULL, &err), DEED_E_STORE);
    assert_non_null(strstr(err.text, "exists already"));
    assert_true(files_fingerprint(place->folder) == before);
    (void)unlink(place->path);
    assert_int_equal(symlink("nowhere", place->path), 0); /* a name is a name */
    assert_int_equal(deed_sqlite_create(place->path, NULL, &err), DEED_E_STORE);
    char nowhere[FILES_PATH_ROOM];
    files_path(nowhere, place->folder, "nowhere");
    assert_int_equal(access(nowhere, F_OK), -1);
}

/* The log of a ledger that was removed would come to life in the new one. */
static void test_create__beside_a_stray_log_is_refused(void **state)
{
    const struct place *place = *state;
    struct deed_error err = {.text = ""};
    char wal[FILES_PATH_ROOM + 8];
    (void)unlink(place->path);
    (void)snprintf(wal, sizeof(wal), "%s-wal", place->path);
    files_write(wal, "precious", 8);
    const uint64_t before = files_fingerprint(place->folder);
    assert_int_equal(deed_sqlite_create(place->path, NULL, &err), DEED_E_STORE);
    assert_non_null(strstr(err.text, "-wal"));
    assert_true(files_fingerprint(place->folder) == before);
}

/* A copy of the file and its log, without the index beside it, can be looked at. */
static void test_open__a_copy_without_its_index_is_read(void **state)
{
    const struct place *place = *state;
    char shm[FILES_PATH_ROOM + 8];
    (void)snprintf(shm, sizeof(shm), "%s-shm", place->path);
    (void)unlink(place->path);
    assert_int_equal(deed_sqlite_create(place->path, NULL, NULL), DEED_OK);
    struct deed_store *store = files_open(place->path, NULL);
    static char key[] = "k-1";
    write_one(store, record_like, key);
    store->close(store->self);
    assert_true(unlink(shm) == 0 || errno == ENOENT);
    store = files_open(place->path, NULL);
    struct deed_schema schema = {.size = sizeof(schema)};
    assert_int_equal(store->schema(store->self, &schema, NULL), DEED_OK);
    assert_true(schema.has_intents);
    store->close(store->self);
}

static void test_create__in_a_missing_folder_says_so(void **state)
{
    const struct place *place = *state;
    char path[FILES_PATH_ROOM];
    struct deed_error err = {.text = ""};
    files_path(path, place->folder, "no/ledger");
    assert_int_equal(deed_sqlite_create(path, NULL, &err), DEED_E_STORE);
    assert_int_equal(err.native, ENOENT);
    assert_non_null(strstr(err.text, path));
}

static void test_create__of_many_at_once_one_wins_and_the_file_is_whole(void **state)
{
    const struct place *place = *state;
    int gate[2];
    int winners = 0;
    assert_int_equal(pipe(gate), 0);
    pid_t children[8];
    for (int i = 0; i < 8; i++) {
        children[i] = fork();
        if (children[i] == 0) {
            char byte = 0;
            (void)close(gate[1]);
            (void)!read(gate[0], &byte, 1); /* until the parent closes: all start at once */
            _exit(deed_sqlite_create(place->path, NULL, NULL) == DEED_OK ? 0 : 1);
        }
    }
    (void)close(gate[0]);
    (void)close(gate[1]);
    for (int i = 0; i < 8; i++) {
        int status = 0;
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        winners += WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 1 : 0;
    }
    assert_int_equal(winners, 1);
    assert_int_equal(files_count(place->folder), 1);
    struct deed_store *store = files_open(place->path, NULL);
    assert_int_equal(store->check(store->self, NULL), DEED_OK);
    store->close(store->self);
}

/* Goal: whichever call of the disk fails while a ledger is created, either it is there and whole,
 * or nothing is there at all. */
static void test_create__a_disk_that_fails_at_any_call_leaves_all_or_nothing(void **state)
{
    const struct place *place = *state;
    deed_fault_vfs *vfs = NULL;
    struct deed_sqlite_options options = files_options();
    assert_int_equal(deed_fault_vfs_new("fault-create", &vfs, NULL), DEED_OK);
    options.vfs = deed_fault_vfs_name(vfs);
    bool failed = true;
    for (uint64_t nth = 1; failed; nth++) {
        assert_in_range(nth, 1, 2000);
        const struct deed_fault_plan plan = {
            .size = sizeof(plan), .kinds = DEED_FAULT_ANY, .nth = nth, .sticky = nth % 2 == 0};
        struct deed_error err = {.text = ""};
        deed_fault_vfs_plan(vfs, &plan);
        const deed_rc rc = deed_sqlite_create(place->path, &options, &err);
        failed = deed_fault_vfs_failed(vfs) > 0;
        deed_fault_vfs_plan(vfs, NULL);
        if (rc == DEED_OK) {
            struct deed_store *store = files_open(place->path, NULL);
            assert_int_equal(store->check(store->self, NULL), DEED_OK);
            store->close(store->self);
            files_remove(place->folder);
            assert_int_equal(mkdir(place->folder, 0700), 0);
        } else {
            assert_true(err.text[0] != '\0');
            assert_int_equal(files_count(place->folder), 0);
        }
    }
    deed_fault_vfs_free(vfs);
}

int main(void)
{
#define OPEN_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        OPEN_TEST(test_open__a_missing_file_is_refused_and_init_is_named),
        OPEN_TEST(test_open__a_folder_is_refused),
        OPEN_TEST(test_open__an_empty_file_is_refused),
        OPEN_TEST(test_open__a_text_file_is_refused),
        OPEN_TEST(test_open__a_file_of_another_program_is_refused_in_either_journal_mode),
        OPEN_TEST(test_open__a_foreign_wal_beside_a_foreign_file_stays_as_it_is),
        OPEN_TEST(test_open__the_fixture_with_one_thing_more_is_refused),
        OPEN_TEST(test_open__a_header_that_makes_no_sense_is_refused),
        OPEN_TEST(test_open__a_truncated_file_is_refused_at_every_length),
        OPEN_TEST(test_open__garbage_in_any_page_that_a_table_starts_with_is_refused),
        OPEN_TEST(test_open__a_newer_schema_is_refused_with_both_numbers),
        OPEN_TEST(test_open__a_newer_schema_that_only_the_wal_knows_is_refused),
        OPEN_TEST(test_open__marks_that_differ_are_refused_with_both_values),
        OPEN_TEST(test_open__a_migration_with_another_checksum_is_refused),
        OPEN_TEST(test_open__a_network_file_system_is_refused_by_name),
        OPEN_TEST(test_open__options_without_size_are_misuse),
        OPEN_TEST(test_open__an_older_schema_opens_and_asks_to_be_migrated),
        OPEN_TEST(test_open__the_fixture_reads_as_recorded_intents_and_stays_as_it_is),
        OPEN_TEST(test_open__the_fixture_may_grow_meanwhile),
        OPEN_TEST(test_read_only__a_write_protected_ledger_is_read_without_a_trace),
        OPEN_TEST(test_read_only__what_lies_in_the_wal_is_read_without_a_trace),
        OPEN_TEST(test_read_only__asked_for_it_leaves_no_trace_either),
        OPEN_TEST(test_read_only__a_read_that_somebody_wrote_into_is_run_again),
        OPEN_TEST(test_read_only__the_fixture_too),
        OPEN_TEST(test_create__file_is_for_its_owner_only_whatever_the_umask),
        OPEN_TEST(test_create__leaves_the_ledger_and_nothing_else),
        OPEN_TEST(test_create__replaces_nothing),
        OPEN_TEST(test_create__in_a_missing_folder_says_so),
        OPEN_TEST(test_create__of_many_at_once_one_wins_and_the_file_is_whole),
        OPEN_TEST(test_create__a_disk_that_fails_at_any_call_leaves_all_or_nothing),
        OPEN_TEST(test_create__beside_a_stray_log_is_refused),
        OPEN_TEST(test_open__a_copy_without_its_index_is_read),
    };
#undef OPEN_TEST
    return cmocka_run_group_tests_name("sqlite_open", tests, NULL, NULL);
}
