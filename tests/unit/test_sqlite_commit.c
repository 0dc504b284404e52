/* SPDX-License-Identifier: MIT
 *
 * What becomes of operations when the disk, the memory or a neighbour fails: old or new state whole,
 * never half, and never a claim that a later process contradicts.
 */
#include "conformance/store_files.h"
#include "conformance/store_rows.h"

#include <pthread.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <time.h>

#include <deed/mock/clock.h>
#include <deed/mock/fault_vfs.h>

struct bench {
    char folder[FILES_PATH_ROOM];
    char path[FILES_PATH_ROOM];
    deed_fault_vfs *vfs;
    struct deed_sqlite_options options;
    struct deed_store *store;
};

static int set_up(void **state)
{
    static struct bench bench;
    memset(&bench, 0, sizeof(bench));
    files_folder(bench.folder);
    files_path(bench.path, bench.folder, "ledger");
    files_create(bench.path);
    assert_int_equal(deed_fault_vfs_new("fault-commit", &bench.vfs, NULL), DEED_OK);
    bench.options = files_options();
    bench.options.vfs = deed_fault_vfs_name(bench.vfs);
    bench.store = files_open(bench.path, &bench.options);
    *state = &bench;
    return 0;
}

static int tear_down(void **state)
{
    struct bench *bench = *state;
    if (bench->store != NULL) {
        bench->store->close(bench->store->self);
    }
    deed_fault_vfs_free(bench->vfs);
    files_remove(bench->folder);
    return 0;
}

/* A process that comes later, and one that has lost the index of the WAL: what do they see? */
static int seen_by_a_later_process(const struct bench *bench, const char *key)
{
    char folder[FILES_PATH_ROOM];
    char path[FILES_PATH_ROOM];
    char from[FILES_PATH_ROOM + 8];
    char to[FILES_PATH_ROOM + 8];
    files_folder(folder);
    files_path(path, folder, "copy");
    files_copy(bench->path, path);
    (void)snprintf(from, sizeof(from), "%s-wal", bench->path);
    (void)snprintf(to, sizeof(to), "%s-wal", path);
    files_copy(from, to);
    struct deed_store *store = files_open(path, NULL);
    const int seen = recorded_whole(store, key);
    assert_int_equal(store->check(store->self, NULL), DEED_OK);
    store->close(store->self);
    files_remove(folder);
    return seen;
}

static void plan_wal_sync(const struct bench *bench, bool after, bool sticky)
{
    const struct deed_fault_plan plan = {.size = sizeof(plan),
        .kinds = 1U << DEED_FAULT_SYNC,
        .suffix = "-wal",
        .nth = 1,
        .after = after,
        .sticky = sticky};
    deed_fault_vfs_plan(bench->vfs, &plan);
}

static void write_in_doubt(const struct bench *bench, char *key)
{
    struct deed_op op = op_of(record_like, key);
    struct deed_error err = {.text = ""};
    assert_int_equal(bench->store->write(bench->store->self, &op, 1, &err), DEED_E_STORE);
    assert_int_equal(op.rc, DEED_E_STORE);
    assert_int_equal(op.fate, DEED_FATE_UNKNOWN);
    assert_non_null(strstr(err.text, "may or may not be there"));
    assert_int_equal(err.native, SQLITE_IOERR_FSYNC);
}

/* ---- a commit that returns an error ------------------------------------------------------ */

static void test_commit__one_whose_flush_fails_is_unknown_until_recovered(void **state)
{
    struct bench *bench = *state;
    char first[] = "first";
    write_one(bench->store, record_like, first);
    for (int after = 0; after <= 1; after++) {
        char key[] = "doubt-0";
        key[6] = (char)('0' + after);
        plan_wal_sync(bench, after != 0, false);
        write_in_doubt(bench, key);
        deed_fault_vfs_plan(bench->vfs, NULL);
        assert_int_equal(bench->store->recover(bench->store->self, NULL), DEED_OK);
        const int seen = recorded_whole(bench->store, key);
        assert_int_equal(seen_by_a_later_process(bench, key), seen);
        assert_int_equal(seen, 1); /* its frames were written; nobody else had the index open */
        assert_int_equal(recorded_whole(bench->store, first), 1);
    }
}

static void test_commit__in_doubt_every_other_call_is_refused(void **state)
{
    struct bench *bench = *state;
    struct deed_store *store = bench->store;
    char doubt[] = "doubt";
    char other[] = "other";
    struct deed_schema schema = {.size = sizeof(schema)};
    struct recorded recorded = {.key = doubt};
    plan_wal_sync(bench, false, false);
    write_in_doubt(bench, doubt);
    for (int round = 0; round < 2; round++) {
        struct deed_op write = op_of(record_like, other);
        struct deed_op read = op_of(look_for_recorded, &recorded);
        struct deed_error err = {.text = ""};
        assert_int_equal(store->write(store->self, &write, 1, &err), DEED_E_STORE);
        assert_int_equal(write.fate, DEED_FATE_NONE);
        assert_non_null(strstr(err.text, "recovered"));
        (void)store->read(store->self, &read, NULL);
        assert_int_equal(read.rc, DEED_E_STORE);
        assert_int_equal(store->schema(store->self, &schema, NULL), DEED_E_STORE);
        assert_int_equal(store->check(store->self, NULL), DEED_E_STORE);
        assert_int_equal(store->migrate(store->self, false, NULL, NULL, NULL), DEED_E_STORE);
        /* A recovery that fails changes nothing of that. */
        plan_wal_sync(bench, false, true);
        assert_int_equal(store->recover(store->self, &err), DEED_E_STORE);
    }
    deed_fault_vfs_plan(bench->vfs, NULL);
    assert_int_equal(store->recover(store->self, NULL), DEED_OK);
    write_one(store, record_like, other);
}

/* The index of the WAL stays in the hands of another handle, so the failed commit is not seen, and
 * its frames lie behind the end of the WAL: they must never come back. */
static void test_commit__absent_after_recovery_stays_absent(void **state)
{
    struct bench *bench = *state;
    char first[] = "first";
    char doubt[] = "doubt";
    write_one(bench->store, record_like, first);
    struct deed_store *other = files_open(bench->path, NULL);
    assert_int_equal(recorded_whole(other, first), 1);
    plan_wal_sync(bench, false, false);
    write_in_doubt(bench, doubt);
    assert_int_equal(recorded_whole(other, doubt), 0);
    assert_int_equal(seen_by_a_later_process(bench, doubt), 1); /* the danger is real */
    deed_fault_vfs_plan(bench->vfs, NULL);
    assert_int_equal(bench->store->recover(bench->store->self, NULL), DEED_OK);
    assert_int_equal(recorded_whole(bench->store, doubt), 0);
    assert_int_equal(recorded_whole(other, doubt), 0);
    assert_int_equal(seen_by_a_later_process(bench, doubt), 0);
    other->close(other->self);
}

struct recovery {
    struct bench *bench;
    deed_rc rc;
};

static deed_rc recover_while_reading(void *context, deed_tx *tx, struct deed_error *err)
{
    struct recovery *recovery = context;
    struct deed_intent_row row;
    struct deed_store *store = recovery->bench->store;
    struct deed_error own = {.text = ""};
    char later[] = "later";
    char doubt[] = "doubt";
    assert_int_equal(tx->intent_get(tx->self, "first", false, &row, err), DEED_OK);
    write_one(store, record_like, later); /* so that the snapshot ends before the WAL does */
    plan_wal_sync(recovery->bench, false, false);
    write_in_doubt(recovery->bench, doubt);
    deed_fault_vfs_plan(recovery->bench->vfs, NULL);
    recovery->rc = store->recover(store->self, &own);
    assert_non_null(strstr(own.text, "reader"));
    return DEED_OK;
}

static void test_commit__recovery_waits_for_readers_of_an_old_snapshot(void **state)
{
    struct bench *bench = *state;
    struct recovery recovery = {.bench = bench};
    char first[] = "first";
    write_one(bench->store, record_like, first);
    struct deed_store *other = files_open(bench->path, NULL);
    read_one(other, recover_while_reading, &recovery);
    assert_int_equal(recovery.rc, DEED_E_STORE);
    assert_int_equal(bench->store->recover(bench->store->self, NULL), DEED_OK);
    const int seen = recorded_whole(bench->store, "doubt");
    assert_int_equal(seen_by_a_later_process(bench, "doubt"), seen);
    other->close(other->self);
}

static void test_commit__of_a_group_the_failed_operation_is_known_to_be_absent(void **state)
{
    struct bench *bench = *state;
    char key[] = "twice";
    struct deed_op ops[2] = {op_of(record_like, key), op_of(record_like, key)};
    plan_wal_sync(bench, false, false);
    assert_int_equal(bench->store->write(bench->store->self, ops, 2, NULL), DEED_E_STORE);
    assert_int_equal(ops[0].fate, DEED_FATE_UNKNOWN);
    assert_int_equal(ops[0].rc, DEED_E_STORE);
    assert_int_equal(ops[1].fate, DEED_FATE_NONE);
    assert_int_equal(ops[1].rc, DEED_E_CONFLICT);
    deed_fault_vfs_plan(bench->vfs, NULL);
}

/* ---- every call of the disk -------------------------------------------------------------- */

/* One trial: record under a plan, then look with a healthy disk. False: the plan did not fire. */
static bool try_with(struct bench *bench, const struct deed_fault_plan *plan, char *key)
{
    struct deed_op op = op_of(record_like, key);
    struct deed_error err = {.text = ""};
    deed_fault_vfs_plan(bench->vfs, plan);
    const deed_rc rc = bench->store->write(bench->store->self, &op, 1, &err);
    const bool fired = deed_fault_vfs_failed(bench->vfs) > 0;
    deed_fault_vfs_plan(bench->vfs, NULL);
    if (rc != DEED_OK) {
        assert_int_equal(op.rc, rc);
        assert_true(err.text[0] != '\0');
        assert_true(op.fate != DEED_FATE_COMMITTED);
    }
    const deed_fate fate = op.fate;
    if (fate == DEED_FATE_UNKNOWN) {
        assert_int_equal(bench->store->recover(bench->store->self, NULL), DEED_OK);
    }
    const int seen = recorded_whole(bench->store, key);
    assert_int_equal(seen_by_a_later_process(bench, key), seen);
    if (fate != DEED_FATE_UNKNOWN) {
        assert_int_equal(seen, fate == DEED_FATE_COMMITTED ? 1 : 0);
    }
    char next[32];
    (void)snprintf(next, sizeof(next), "%s-next", key);
    write_one(bench->store, record_like, next); /* and the store goes on */
    return fired;
}

static void sweep_kind(struct bench *bench, deed_fault_kind kind, bool sticky, bool after)
{
    bool fired = true;
    for (uint64_t nth = 1; fired; nth++) {
        const struct deed_fault_plan plan = {.size = sizeof(plan),
            .kinds = 1U << kind,
            .nth = nth,
            .sticky = sticky,
            .after = after};
        char key[24];
        assert_in_range(nth, 1, 200);
        (void)snprintf(key, sizeof(key), "s-%d-%d-%d-%d", (int)kind, sticky, after, (int)nth);
        /* Opened anew, so that the calls of a first write are among those that fail. */
        bench->store->close(bench->store->self);
        bench->store = files_open(bench->path, &bench->options);
        fired = try_with(bench, &plan, key);
    }
}

/* Goal: whichever call of a write fails, once or from then on, the old or the new state is there
 * whole, and the fate that was told is true for every later process. The checkpoint is part of it:
 * one page is enough to trigger it. */
static void test_commit__a_disk_that_fails_at_any_call_leaves_the_old_or_the_new_state(void **state)
{
    struct bench *bench = *state;
    char first[] = "first";
    bench->options.checkpoint_pages = 1;
    write_one(bench->store, record_like, first);
    for (int kind = 0; kind < DEED_FAULT_KIND_COUNT; kind++) {
        const bool lock = kind == DEED_FAULT_LOCK || kind == DEED_FAULT_SHM_LOCK;
        for (int mode = 0; mode < (lock ? 2 : 4); mode++) {
            sweep_kind(bench, (deed_fault_kind)kind, (mode & 1) != 0, (mode & 2) != 0);
        }
    }
    assert_int_equal(bench->store->check(bench->store->self, NULL), DEED_OK);
}

static void test_commit__a_checkpoint_that_fails_takes_nothing_back(void **state)
{
    struct bench *bench = *state;
    bench->options.checkpoint_pages = 1;
    bench->store->close(bench->store->self);
    bench->store = files_open(bench->path, &bench->options);
    const struct deed_fault_plan plan = {.size = sizeof(plan),
        .kinds = 1U << DEED_FAULT_SYNC | 1U << DEED_FAULT_WRITE,
        .suffix = "ledger",
        .nth = 1,
        .sticky = true};
    deed_fault_vfs_plan(bench->vfs, &plan);
    for (int i = 0; i < 5; i++) {
        char key[8];
        (void)snprintf(key, sizeof(key), "k-%d", i);
        write_one(bench->store, record_like, key);
        assert_int_equal(recorded_whole(bench->store, key), 1);
    }
    assert_true(deed_fault_vfs_failed(bench->vfs) >= 5);
    deed_fault_vfs_plan(bench->vfs, NULL);
}

/* ---- a transaction that is lost before its commit ---------------------------------------- */

static deed_rc write_much(void *context, deed_tx *tx, struct deed_error *err)
{
    static char large[DEED_ENCODED_BYTES_MAX];
    struct deed_intent_row intent = row_intent(context);
    deed_rc rc = tx->intent_insert(tx->self, &intent, err);
    for (uint32_t i = 1; rc == DEED_OK && i <= 5; i++) { /* more than the page cache holds */
        struct deed_attempt_row row = row_attempt(intent.id, i);
        row.bytes = (struct deed_text){.data = large, .bytes = sizeof(large)};
        rc = tx->attempt_insert(tx->self, &row, err);
    }
    return rc;
}

static deed_rc write_much_and_hide_it(void *context, deed_tx *tx, struct deed_error *err)
{
    (void)write_much(context, tx, err);
    return DEED_OK;
}

static void lose_the_transaction(struct bench *bench, op_run run)
{
    char small[] = "small";
    char large[] = "large";
    char late[] = "late";
    struct deed_op ops[3] = {
        op_of(record_like, small), op_of(run, large), op_of(record_like, late)};
    const struct deed_fault_plan plan = {.size = sizeof(plan),
        .kinds = 1U << DEED_FAULT_WRITE,
        .nth = 1,
        .sticky = true,
        .code = SQLITE_FULL};
    struct deed_error err = {.text = ""};
    deed_fault_vfs_plan(bench->vfs, &plan);
    assert_int_equal(bench->store->write(bench->store->self, ops, 3, &err), DEED_E_STORE);
    deed_fault_vfs_plan(bench->vfs, NULL);
    assert_non_null(strstr(err.text, "no space left"));
    for (int i = 0; i < 3; i++) {
        assert_int_equal(ops[i].rc, DEED_E_STORE);
        assert_int_equal(ops[i].fate, DEED_FATE_NONE);
    }
    assert_int_equal(recorded_whole(bench->store, small), 0);
    assert_int_equal(recorded_whole(bench->store, large), 0);
    assert_int_equal(recorded_whole(bench->store, late), 0);
    write_one(bench->store, record_like, late); /* space was made: it goes on at once */
}

static void test_write__a_disk_that_fills_up_before_the_commit_is_certain(void **state)
{
    lose_the_transaction(*state, write_much);
}

static void test_write__an_operation_cannot_hide_that_the_transaction_is_lost(void **state)
{
    lose_the_transaction(*state, write_much_and_hide_it);
}

/* ---- memory ------------------------------------------------------------------------------ */

/* Opens, writes, reads and closes; whatever cannot be had, nothing is half done and nothing leaks. */
static void test_memory__that_runs_out_anywhere_costs_nothing_but_an_error(void **state)
{
    struct bench *bench = *state;
    deed_fault_alloc *alloc = NULL;
    struct deed_fault_alloc_counts counts = {.size = sizeof(counts)};
    assert_int_equal(deed_fault_alloc_new(&alloc, NULL), DEED_OK);
    struct deed_sqlite_options options = files_options();
    options.memory = deed_fault_alloc_source(alloc);
    uint64_t failed = 1;
    uint64_t failed_before = 0;
    for (uint64_t nth = 1; failed > 0; nth++) {
        struct deed_store *store = NULL;
        char key[16];
        assert_in_range(nth, 1, 500);
        (void)snprintf(key, sizeof(key), "m-%d", (int)nth);
        struct recorded recorded = {.key = key};
        struct deed_op write = op_of(record_like, key);
        struct deed_op read = op_of(look_for_recorded, &recorded);
        deed_fault_alloc_fail(alloc, nth, nth % 2 == 0);
        deed_rc rc = deed_sqlite_open(bench->path, &options, &store, NULL);
        if (rc == DEED_OK) {
            (void)store->write(store->self, &write, 1, NULL);
            (void)store->read(store->self, &read, NULL);
            assert_true(write.rc == DEED_OK || write.rc == DEED_E_NOMEM);
            assert_true(read.rc == DEED_OK || read.rc == DEED_E_NOMEM);
            assert_true(write.fate == (write.rc == DEED_OK ? DEED_FATE_COMMITTED : DEED_FATE_NONE));
            store->close(store->self);
        } else {
            assert_int_equal(rc, DEED_E_NOMEM);
        }
        deed_fault_alloc_fail(alloc, 0, false);
        deed_fault_alloc_count(alloc, &counts);
        failed = counts.failed - failed_before;
        failed_before = counts.failed;
        assert_int_equal(counts.live, 0);
        assert_int_equal(counts.misused, 0);
        assert_int_equal(recorded_whole(bench->store, key),
            rc == DEED_OK && write.fate == DEED_FATE_COMMITTED ? 1 : 0);
    }
    deed_fault_alloc_free(alloc);
}

/* ---- neighbours -------------------------------------------------------------------------- */

static void test_write__waits_no_longer_for_another_writer_than_it_was_told(void **state)
{
    struct bench *bench = *state;
    sqlite3 *other = NULL;
    struct timespec start;
    struct timespec stop;
    char key[] = "patient";
    struct deed_op op = op_of(record_like, key);
    struct deed_error err = {.text = ""};
    bench->options.busy_ms = 40;
    bench->store->close(bench->store->self);
    bench->store = files_open(bench->path, &bench->options);
    assert_int_equal(sqlite3_open(bench->path, &other), SQLITE_OK);
    assert_int_equal(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    (void)clock_gettime(CLOCK_MONOTONIC, &start);
    assert_int_equal(bench->store->write(bench->store->self, &op, 1, &err), DEED_E_BUSY);
    (void)clock_gettime(CLOCK_MONOTONIC, &stop);
    assert_int_equal(op.rc, DEED_E_BUSY);
    assert_int_equal(op.fate, DEED_FATE_NONE);
    assert_non_null(strstr(err.text, "waited 40 ms"));
    const int64_t waited_ms =
        (int64_t)(stop.tv_sec - start.tv_sec) * 1000 + (stop.tv_nsec - start.tv_nsec) / 1000000;
    assert_in_range(waited_ms, 40, 5000);
    assert_int_equal(recorded_whole(bench->store, key), 0); /* readers wait for nobody */
    assert_int_equal(sqlite3_exec(other, "ROLLBACK", NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_close(other), SQLITE_OK);
    write_one(bench->store, record_like, key);
}

#define CROWD_KEYS 60

/* Records every key, each beginning elsewhere, and reads between. Counts what it was first to do. */
static int take_part(struct deed_store *store, int number)
{
    int created = 0;
    for (int i = 0; i < CROWD_KEYS; i++) {
        char key[16];
        (void)snprintf(key, sizeof(key), "c-%d", (i * 7 + number * 13) % CROWD_KEYS);
        struct deed_op op = op_of(record_like, key);
        if (store->write(store->self, &op, 1, NULL) != DEED_OK) {
            return -1;
        }
        if (op.rc != DEED_OK && op.rc != DEED_E_CONFLICT) {
            return -1;
        }
        created += op.rc == DEED_OK ? 1 : 0;
        struct recorded recorded = {.key = key};
        struct deed_op look = op_of(look_for_recorded, &recorded);
        (void)store->read(store->self, &look, NULL);
        if (look.rc != DEED_OK || !recorded.found || recorded.events != 1) {
            return -1;
        }
    }
    return created;
}

static void test_write__many_processes_record_each_key_once_and_none_is_turned_away(void **state)
{
    struct bench *bench = *state;
    pid_t children[6];
    int created = 0;
    bench->store->close(bench->store->self); /* a child is refused what its parent has open */
    for (int i = 0; i < 6; i++) {
        children[i] = fork();
        if (children[i] == 0) {
            struct deed_sqlite_options options = files_options();
            options.checkpoint_pages = 20; /* checkpoints of all get into each other's way */
            options.busy_ms = 60000;
            struct deed_store *store = NULL;
            if (deed_sqlite_open(bench->path, &options, &store, NULL) != DEED_OK) {
                _exit(255);
            }
            const int mine = take_part(store, i);
            store->close(store->self);
            _exit(mine < 0 ? 255 : mine);
        }
    }
    for (int i = 0; i < 6; i++) {
        int status = 0;
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_true(WIFEXITED(status));
        assert_int_not_equal(WEXITSTATUS(status), 255);
        created += WEXITSTATUS(status);
    }
    assert_int_equal(created, CROWD_KEYS);
    bench->store = files_open(bench->path, &bench->options);
    assert_int_equal(bench->store->check(bench->store->self, NULL), DEED_OK);
}

struct member {
    struct deed_store *store;
    int number;
    int created;
};

static void *run_member(void *context)
{
    struct member *member = context;
    member->created = take_part(member->store, member->number);
    return NULL;
}

static void test_write__many_threads_share_a_handle(void **state)
{
    struct bench *bench = *state;
    struct deed_sqlite_options options = files_options();
    options.checkpoint_pages = 20;
    options.busy_ms = 60000;
    struct deed_store *store = files_open(bench->path, &options);
    struct deed_store *second = files_open(bench->path, &options);
    struct member members[4];
    pthread_t threads[4];
    int created = 0;
    for (int i = 0; i < 4; i++) {
        members[i] = (struct member){.store = i == 3 ? second : store, .number = i};
        assert_int_equal(pthread_create(&threads[i], NULL, run_member, &members[i]), 0);
    }
    for (int i = 0; i < 4; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_true(members[i].created >= 0);
        created += members[i].created;
    }
    assert_int_equal(created, CROWD_KEYS);
    store->close(store->self);
    second->close(second->self);
}

int main(void)
{
#define COMMIT_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        COMMIT_TEST(test_commit__one_whose_flush_fails_is_unknown_until_recovered),
        COMMIT_TEST(test_commit__in_doubt_every_other_call_is_refused),
        COMMIT_TEST(test_commit__absent_after_recovery_stays_absent),
        COMMIT_TEST(test_commit__recovery_waits_for_readers_of_an_old_snapshot),
        COMMIT_TEST(test_commit__of_a_group_the_failed_operation_is_known_to_be_absent),
        COMMIT_TEST(test_commit__a_disk_that_fails_at_any_call_leaves_the_old_or_the_new_state),
        COMMIT_TEST(test_commit__a_checkpoint_that_fails_takes_nothing_back),
        COMMIT_TEST(test_write__a_disk_that_fills_up_before_the_commit_is_certain),
        COMMIT_TEST(test_write__an_operation_cannot_hide_that_the_transaction_is_lost),
        COMMIT_TEST(test_memory__that_runs_out_anywhere_costs_nothing_but_an_error),
        COMMIT_TEST(test_write__waits_no_longer_for_another_writer_than_it_was_told),
        COMMIT_TEST(test_write__many_processes_record_each_key_once_and_none_is_turned_away),
        COMMIT_TEST(test_write__many_threads_share_a_handle),
    };
#undef COMMIT_TEST
    return cmocka_run_group_tests_name("sqlite_commit", tests, NULL, NULL);
}
