/* SPDX-License-Identifier: MIT
 *
 * The WAL: when it is copied back and under which lock, that nothing else does it, that each commit
 * is flushed; and the owner's lock, which a death lets go of.
 */
#include "conformance/store_files.h"
#include "conformance/store_rows.h"

#include <signal.h>
#include <sqlite3.h>
#include <sys/wait.h>

#include <deed/mock/fault_vfs.h>
#include <deed/seam.h>

#define PAGE_BYTES 2048

struct place {
    char folder[FILES_PATH_ROOM];
    char path[FILES_PATH_ROOM];
    char wal[FILES_PATH_ROOM];
};

static int set_up(void **state)
{
    static struct place place;
    files_folder(place.folder);
    files_path(place.path, place.folder, "ledger");
    files_path(place.wal, place.folder, "ledger-wal");
    files_create(place.path);
    *state = &place;
    return 0;
}

static int tear_down(void **state)
{
    deed_seam_hook_set(NULL, NULL);
    files_remove(((struct place *)*state)->folder);
    return 0;
}

static long long bytes_of(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 ? (long long)facts.st_size : -1;
}

static struct deed_store *open_with(const struct place *place, uint32_t checkpoint_pages)
{
    struct deed_sqlite_options options = files_options();
    options.checkpoint_pages = checkpoint_pages;
    return files_open(place->path, &options);
}

static void record_many(struct deed_store *store, const char *prefix, int count)
{
    for (int i = 0; i < count; i++) {
        char key[64];
        (void)snprintf(key, sizeof(key), "%s-%d", prefix, i);
        write_one(store, record_like, key);
    }
}

/* ---- the lock ---------------------------------------------------------------------------- */

struct watcher {
    sqlite3 *other; /* a writer of another process, as far as locks go */
    int locked;
    int done;
    bool free_while_locked;
    bool free_after;
};

static bool can_write(sqlite3 *db)
{
    if (sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL) != SQLITE_OK) {
        assert_int_equal(sqlite3_errcode(db), SQLITE_BUSY);
        return false;
    }
    assert_int_equal(sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL), SQLITE_OK);
    return true;
}

static void watch(void *context, deed_seam seam)
{
    struct watcher *watcher = context;
    if (seam == DEED_SEAM_CHECKPOINT_LOCKED) {
        watcher->locked++;
        watcher->free_while_locked = watcher->free_while_locked || can_write(watcher->other);
    } else if (seam == DEED_SEAM_CHECKPOINT_DONE) {
        watcher->done++;
        watcher->free_after = can_write(watcher->other);
    }
}

static void test_checkpoint__runs_while_the_store_itself_holds_the_write_lock(void **state)
{
    const struct place *place = *state;
    struct watcher watcher = {.locked = 0};
    assert_int_equal(sqlite3_open(place->path, &watcher.other), SQLITE_OK);
    struct deed_store *store = open_with(place, 20);
    deed_seam_hook_set(watch, &watcher);
    record_many(store, "k", 40);
    deed_seam_hook_set(NULL, NULL);
    assert_in_range(watcher.locked, 2, 20);
    assert_int_equal(watcher.done, watcher.locked);
    assert_false(watcher.free_while_locked);
    assert_true(watcher.free_after);
    store->close(store->self);
    assert_int_equal(sqlite3_close(watcher.other), SQLITE_OK);
}

static void test_checkpoint__one_that_cannot_have_the_lock_fails_no_commit(void **state)
{
    const struct place *place = *state;
    struct deed_sqlite_options options = files_options();
    sqlite3 *other = NULL;
    options.checkpoint_pages = 1;
    struct deed_store *store = files_open(place->path, &options);
    record_many(store, "k", 3);
    /* Another checkpoint is at work: PASSIVE finds its lock taken. */
    assert_int_equal(sqlite3_open(place->path, &other), SQLITE_OK);
    assert_int_equal(
        sqlite3_exec(other, "BEGIN; SELECT * FROM intent", NULL, NULL, NULL), SQLITE_OK);
    record_many(store, "m", 3);
    assert_int_equal(sqlite3_exec(other, "ROLLBACK", NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_close(other), SQLITE_OK);
    store->close(store->self);
}

/* ---- the size of a page ------------------------------------------------------------------ */

static sqlite3_vfs *real_vfs;
static sqlite3_io_methods careless_methods;

static int promises_nothing(sqlite3_file *file)
{
    (void)file;
    return 0;
}

/* A device that may ruin a whole sector while it writes a part of it. */
static int open_careless(
    sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *file, int flags, int *flags_out)
{
    (void)vfs;
    const int code = real_vfs->xOpen(real_vfs, name, file, flags, flags_out);
    if (code == SQLITE_OK && (flags & SQLITE_OPEN_MAIN_DB) != 0) {
        careless_methods = *file->pMethods;
        careless_methods.xDeviceCharacteristics = promises_nothing;
        file->pMethods = &careless_methods;
    }
    return code;
}

static int64_t page_bytes_of(const char *path)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *stmt = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, "PRAGMA page_size", -1, &stmt, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
    const int64_t bytes = sqlite3_column_int64(stmt, 0);
    assert_int_equal(sqlite3_finalize(stmt), SQLITE_OK);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    return bytes;
}

static void test_page__is_small_where_an_overwrite_leaves_its_neighbours_alone(void **state)
{
    const struct place *place = *state;
    char path[FILES_PATH_ROOM];
    real_vfs = sqlite3_vfs_find(NULL);
    sqlite3_vfs careless = *real_vfs;
    struct deed_sqlite_options options = files_options();
    assert_int_equal(page_bytes_of(place->path), PAGE_BYTES);
    careless.zName = "careless";
    careless.xOpen = open_careless;
    assert_int_equal(sqlite3_vfs_register(&careless, 0), SQLITE_OK);
    options.vfs = "careless";
    files_path(path, place->folder, "careless");
    assert_int_equal(deed_sqlite_create(path, &options, NULL), DEED_OK);
    assert_int_equal(sqlite3_vfs_unregister(&careless), SQLITE_OK);
    assert_int_equal(page_bytes_of(path), 4096);
}

/* ---- when -------------------------------------------------------------------------------- */

static void test_checkpoint__nothing_else_ever_copies_the_wal_back(void **state)
{
    const struct place *place = *state;
    const long long before = bytes_of(place->path);
    struct deed_store *store = open_with(place, 1000000);
    /* Past the thousand pages at which SQLite would do it by itself. */
    record_many(store, "k", 400);
    assert_true(bytes_of(place->wal) > 1500LL * PAGE_BYTES);
    assert_int_equal(recorded_whole(store, "k-399"), 1);
    assert_int_equal(bytes_of(place->path), before);
    store->close(store->self);
}

static void copy_file(const char *from, const char *to)
{
    FILE *in = fopen(from, "rb");
    FILE *out = fopen(to, "wb");
    assert_non_null(in);
    assert_non_null(out);
    char block[4096];
    size_t bytes = 0;
    while ((bytes = fread(block, 1, sizeof(block), in)) > 0) {
        assert_int_equal(fwrite(block, 1, bytes, out), bytes);
    }
    assert_int_equal(fclose(out), 0);
    assert_int_equal(fclose(in), 0);
}

/* Whoever moves the file alone, while nobody uses it, has all of it. */
static void test_close__brings_back_what_the_handle_wrote(void **state)
{
    const struct place *place = *state;
    struct watcher watcher = {.locked = 0};
    assert_int_equal(sqlite3_open(place->path, &watcher.other), SQLITE_OK);
    struct deed_store *store = open_with(place, 1000000);
    deed_seam_hook_set(watch, &watcher);
    record_many(store, "k", 40);
    store->close(store->self);
    deed_seam_hook_set(NULL, NULL);
    assert_int_equal(watcher.locked, 1); /* by the rule: under the write lock, once */
    assert_int_equal(watcher.done, 1);
    char alone[FILES_PATH_ROOM + 8];
    (void)snprintf(alone, sizeof(alone), "%s-alone", place->path);
    copy_file(place->path, alone);
    assert_int_equal(sqlite3_close(watcher.other), SQLITE_OK);
    store = files_open(alone, NULL);
    assert_int_equal(recorded_whole(store, "k-39"), 1);
    store->close(store->self);
    store = files_open(place->path, NULL);
    assert_int_equal(recorded_whole(store, "k-39"), 1);
    store->close(store->self);
}

/* One that only read has nothing to bring back, and waits for nobody. */
static void test_close__of_one_that_only_read_writes_nothing(void **state)
{
    const struct place *place = *state;
    struct deed_store *writer = open_with(place, 1000000);
    record_many(writer, "k", 40);
    const long long before = bytes_of(place->path);
    struct deed_store *reader = files_open(place->path, NULL);
    assert_int_equal(recorded_whole(reader, "k-39"), 1);
    reader->close(reader->self);
    assert_int_equal(bytes_of(place->path), before);
    writer->close(writer->self);
}

static void count_done(void *context, deed_seam seam)
{
    if (seam == DEED_SEAM_CHECKPOINT_DONE) {
        ++*(int *)context;
    }
}

/* Records until the handle has checkpointed so often; the length of the log, in pages. */
static long long pages_at_checkpoint(
    const struct place *place, struct deed_store *store, const int *done, int wanted)
{
    for (int i = 0; *done < wanted; i++) {
        char prefix[32];
        assert_in_range(i, 0, 800);
        (void)snprintf(prefix, sizeof(prefix), "k-%d-%d", wanted, i);
        record_many(store, prefix, 10);
    }
    return bytes_of(place->wal) / (PAGE_BYTES + 24);
}

static void test_checkpoint__of_a_busy_handle_waits_for_forty_megabytes(void **state)
{
    const struct place *place = *state;
    int done = 0;
    struct deed_store *store = open_with(place, 0); /* the default */
    deed_seam_hook_set(count_done, &done);
    assert_in_range(pages_at_checkpoint(place, store, &done, 1), 2001, 2010);
    assert_in_range(pages_at_checkpoint(place, store, &done, 2), 20001, 20010);
    assert_in_range(pages_at_checkpoint(place, store, &done, 3), 20001, 20010);
    deed_seam_hook_set(NULL, NULL);
    store->close(store->self);
}

/* What the busy one left in the log, the first commit of any other handle brings back. */
static void test_checkpoint__of_another_handle_does_not_wait_for_a_busy_one(void **state)
{
    const struct place *place = *state;
    int done = 0;
    struct deed_store *busy = open_with(place, 0);
    deed_seam_hook_set(count_done, &done);
    (void)pages_at_checkpoint(place, busy, &done, 1);
    record_many(busy, "more", 700);
    assert_int_equal(done, 1);
    struct deed_store *command = open_with(place, 0);
    record_many(command, "command", 1);
    assert_int_equal(done, 2);
    deed_seam_hook_set(NULL, NULL);
    command->close(command->self);
    busy->close(busy->self);
}

static void test_checkpoint__keeps_the_wal_of_many_short_commands_short(void **state)
{
    const struct place *place = *state;
    for (int i = 0; i < 60; i++) {
        struct deed_store *store = open_with(place, 50);
        char key[16];
        (void)snprintf(key, sizeof(key), "k-%d", i);
        write_one(store, record_like, key);
        store->close(store->self);
    }
    assert_true(bytes_of(place->wal) < 70LL * (PAGE_BYTES + 24));
}

struct long_read {
    const struct place *place;
    struct deed_store *writer;
};

static deed_rc read_long(void *context, deed_tx *tx, struct deed_error *err)
{
    const struct long_read *read = context;
    struct deed_intent_row row;
    assert_int_equal(tx->intent_get(tx->self, "first", false, &row, err), DEED_OK);
    record_many(read->writer, "during", 100);
    assert_true(bytes_of(read->place->wal) > 300LL * PAGE_BYTES);
    assert_int_equal(tx->intent_get(tx->self, "during-99", false, &row, err), DEED_E_NOT_FOUND);
    return DEED_OK;
}

static void test_checkpoint__a_long_reader_only_puts_it_off(void **state)
{
    const struct place *place = *state;
    char first[] = "first";
    struct long_read read = {.place = place, .writer = open_with(place, 50)};
    struct deed_store *reader = files_open(place->path, NULL);
    write_one(read.writer, record_like, first);
    read_one(reader, read_long, &read);
    const long long grown = bytes_of(place->wal);
    record_many(read.writer, "after", 50);
    /* Used from its beginning again, once the first commit has copied it back. */
    assert_true(bytes_of(place->wal) < grown + 15LL * PAGE_BYTES);
    assert_int_equal(recorded_whole(reader, "after-49"), 1);
    read.writer->close(read.writer->self);
    reader->close(reader->self);
}

/* ---- flushing ---------------------------------------------------------------------------- */

static void test_commit__is_flushed_once_and_before_it_is_told(void **state)
{
    const struct place *place = *state;
    deed_fault_vfs *vfs = NULL;
    struct deed_sqlite_options options = files_options();
    assert_int_equal(deed_fault_vfs_new("fault-wal", &vfs, NULL), DEED_OK);
    options.vfs = deed_fault_vfs_name(vfs);
    struct deed_store *store = files_open(place->path, &options);
    char first[] = "first"; /* its WAL has a header to flush besides */
    write_one(store, record_like, first);
    for (int i = 0; i < 20; i++) {
        char key[8];
        (void)snprintf(key, sizeof(key), "k-%d", i);
        const uint64_t before = deed_fault_vfs_calls(vfs, DEED_FAULT_SYNC);
        write_one(store, record_like, key);
        assert_int_equal(deed_fault_vfs_calls(vfs, DEED_FAULT_SYNC) - before, 1);
    }
    store->close(store->self);
    deed_fault_vfs_free(vfs);
}

static void test_commit__of_a_group_is_flushed_once(void **state)
{
    const struct place *place = *state;
    deed_fault_vfs *vfs = NULL;
    static char keys[64][8];
    static struct deed_op ops[64];
    struct deed_sqlite_options options = files_options();
    assert_int_equal(deed_fault_vfs_new("fault-group", &vfs, NULL), DEED_OK);
    options.vfs = deed_fault_vfs_name(vfs);
    struct deed_store *store = files_open(place->path, &options);
    char first[] = "first";
    write_one(store, record_like, first);
    for (int i = 0; i < 64; i++) {
        (void)snprintf(keys[i], sizeof(keys[i]), "k-%d", i);
        ops[i] = op_of(record_like, keys[i]);
    }
    const uint64_t before = deed_fault_vfs_calls(vfs, DEED_FAULT_SYNC);
    assert_int_equal(store->write(store->self, ops, 64, NULL), DEED_OK);
    assert_int_equal(deed_fault_vfs_calls(vfs, DEED_FAULT_SYNC) - before, 1);
    store->close(store->self);
    deed_fault_vfs_free(vfs);
}

static void test_commit__is_refused_when_another_program_took_the_wal_away(void **state)
{
    const struct place *place = *state;
    sqlite3 *db = NULL;
    char key[] = "k";
    struct deed_op op = op_of(record_like, key);
    struct deed_error err = {.text = ""};
    assert_int_equal(sqlite3_open(place->path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "PRAGMA journal_mode = DELETE", NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    struct deed_store *store = files_open(place->path, NULL);
    assert_int_equal(store->write(store->self, &op, 1, &err), DEED_E_STORE);
    assert_non_null(strstr(err.text, "journal mode is delete"));
    assert_int_equal(recorded_whole(store, key), 0); /* it can still be read */
    store->close(store->self);
}

/* ---- owners ------------------------------------------------------------------------------ */

static void test_owner__lives_until_its_process_is_killed(void **state)
{
    const struct place *place = *state;
    int words[2];
    int64_t owner = 0;
    int status = 0;
    assert_int_equal(pipe(words), 0);
    const pid_t child = fork();
    if (child == 0) {
        struct deed_store *store = NULL;
        if (deed_sqlite_open(place->path, NULL, &store, NULL) == DEED_OK) {
            owner = store->owner(store->self);
            (void)!write(words[1], &owner, sizeof(owner));
        }
        for (;;) {
            (void)pause();
        }
    }
    (void)close(words[1]);
    assert_int_equal(read(words[0], &owner, sizeof(owner)), sizeof(owner));
    (void)close(words[0]);
    struct deed_store *store = files_open(place->path, NULL);
    assert_true(store->owner_lives(store->self, owner));
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_false(store->owner_lives(store->self, owner));
    store->close(store->self);
}

static void test_owner__of_another_handle_in_this_process_lives_until_it_is_closed(void **state)
{
    const struct place *place = *state;
    struct deed_sqlite_options options = files_options();
    options.read_only = true;
    struct deed_store *first = files_open(place->path, NULL);
    struct deed_store *second = files_open(place->path, NULL);
    struct deed_store *watcher = files_open(place->path, &options);
    const int64_t owner = first->owner(first->self);
    assert_true(second->owner(second->self) != owner);
    assert_true(second->owner_lives(second->self, owner));
    assert_true(watcher->owner_lives(watcher->self, owner));
    first->close(first->self);
    assert_false(second->owner_lives(second->self, owner));
    assert_false(watcher->owner_lives(watcher->self, owner));
    assert_true(second->owner_lives(second->self, second->owner(second->self)));
    second->close(second->self);
    watcher->close(watcher->self);
}

static void test_owner__nobody_ever_met_is_gone_and_what_cannot_be_told_lives(void **state)
{
    const struct place *place = *state;
    struct deed_store *store = files_open(place->path, NULL);
    assert_false(store->owner_lives(store->self, 4711));
    assert_int_equal(files_count(place->folder), 3); /* asking made no file of owners */
    assert_true(store->owner(store->self) > 0);
    assert_false(store->owner_lives(store->self, 4711));
    assert_true(store->owner_lives(store->self, 0));
    assert_true(store->owner_lives(store->self, -1));
    store->close(store->self);
}

/* ---- identity and check ------------------------------------------------------------------ */

static void test_identity__is_that_of_the_file(void **state)
{
    const struct place *place = *state;
    struct stat facts;
    uint64_t device = 0;
    uint64_t inode = 0;
    struct deed_store *store = files_open(place->path, NULL);
    store->identity(store->self, &device, &inode);
    assert_int_equal(stat(place->path, &facts), 0);
    assert_true(device == (uint64_t)facts.st_dev);
    assert_true(inode == (uint64_t)facts.st_ino);
    store->close(store->self);
}

static void test_check__names_what_is_broken(void **state)
{
    static const char *const harms[][2] = {
        {"DROP TRIGGER event_stays", "event_stays"},
        {"DROP INDEX intent_open", "intent_open"},
        {"CREATE TABLE notes (x)", "notes"},
        {"PRAGMA ignore_check_constraints = ON; UPDATE intent SET next_due_ms = 7",
            "CHECK constraint failed in intent"},
        {"PRAGMA foreign_keys = OFF; INSERT INTO evidence (id, intent_id, attempt, source, "
         "grade, outcome, settled, excerpt_digest, at_ms) "
         "SELECT 99 << 32 | 1, 99, 0, 's', 1, 1, 0, digest, 1700000000000 FROM intent",
            "evidence"},
        {"INSERT INTO event (intent_id, number, event, from_state, to_state, outcome, attempt, "
         "grade, at_ms, newest_ms, detail, hash) SELECT intent_id, number + 1, 8, to_state, "
         "to_state, outcome, 0, 0, at_ms - 9, newest_ms - 9, detail, hash FROM event LIMIT 1",
            "newest time"},
    };
    const struct place *place = *state;
    struct deed_store *store = files_open(place->path, NULL);
    for (size_t i = 0; i < sizeof(harms) / sizeof(harms[0]); i++) {
        sqlite3 *db = NULL;
        char key[] = "k";
        struct deed_error err = {.text = ""};
        store->close(store->self);
        files_remove(place->folder);
        assert_int_equal(mkdir(place->folder, 0700), 0);
        files_create(place->path);
        store = files_open(place->path, NULL);
        write_one(store, record_like, key);
        assert_int_equal(store->check(store->self, NULL), DEED_OK);
        assert_int_equal(sqlite3_open(place->path, &db), SQLITE_OK);
        assert_int_equal(sqlite3_exec(db, harms[i][0], NULL, NULL, NULL), SQLITE_OK);
        assert_int_equal(sqlite3_close(db), SQLITE_OK);
        const deed_rc rc = store->check(store->self, &err);
        if (rc != DEED_E_CHECK) {
            fail_msg("%s: %d %s", harms[i][0], (int)rc, err.text);
        }
        if (strstr(err.text, harms[i][1]) == NULL) {
            fail_msg("`%s` is not in: %s", harms[i][1], err.text);
        }
    }
    store->close(store->self);
}

int main(void)
{
#define WAL_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        WAL_TEST(test_checkpoint__runs_while_the_store_itself_holds_the_write_lock),
        WAL_TEST(test_checkpoint__one_that_cannot_have_the_lock_fails_no_commit),
        WAL_TEST(test_page__is_small_where_an_overwrite_leaves_its_neighbours_alone),
        WAL_TEST(test_checkpoint__nothing_else_ever_copies_the_wal_back),
        WAL_TEST(test_close__brings_back_what_the_handle_wrote),
        WAL_TEST(test_close__of_one_that_only_read_writes_nothing),
        WAL_TEST(test_checkpoint__of_a_busy_handle_waits_for_forty_megabytes),
        WAL_TEST(test_checkpoint__of_another_handle_does_not_wait_for_a_busy_one),
        WAL_TEST(test_checkpoint__keeps_the_wal_of_many_short_commands_short),
        WAL_TEST(test_checkpoint__a_long_reader_only_puts_it_off),
        WAL_TEST(test_commit__is_flushed_once_and_before_it_is_told),
        WAL_TEST(test_commit__of_a_group_is_flushed_once),
        WAL_TEST(test_commit__is_refused_when_another_program_took_the_wal_away),
        WAL_TEST(test_owner__lives_until_its_process_is_killed),
        WAL_TEST(test_owner__of_another_handle_in_this_process_lives_until_it_is_closed),
        WAL_TEST(test_owner__nobody_ever_met_is_gone_and_what_cannot_be_told_lives),
        WAL_TEST(test_identity__is_that_of_the_file),
        WAL_TEST(test_check__names_what_is_broken),
    };
#undef WAL_TEST
    return cmocka_run_group_tests_name("sqlite_wal", tests, NULL, NULL);
}
