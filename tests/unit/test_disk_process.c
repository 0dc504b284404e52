/* SPDX-License-Identifier: MIT
 *
 * Processes on the simulated disk: locks between connections, the WAL's index and who finds it empty,
 * ghosts that change nothing, and calls that fail on purpose.
 */
#include "support/test.h"

#include "support/raw_file.h"

static deed_disk *disk_new(deed_choices *choices)
{
    const struct deed_disk_options options = {.size = sizeof(options), .choices = choices};
    deed_disk *disk = NULL;
    assert_int_equal(deed_disk_new(&options, &disk, NULL), DEED_OK);
    assert_int_equal(deed_disk_put(disk, "/a", "oooooooooo", 10, NULL), DEED_OK);
    return disk;
}

static sqlite3_file *open_as(deed_disk *disk, uint32_t process)
{
    deed_disk_enter(disk, process);
    return raw_open(disk, "/a", SQLITE_OPEN_READWRITE | SQLITE_OPEN_MAIN_DB);
}

static int lock(sqlite3_file *file, int level)
{
    return file->pMethods->xLock(file, level);
}

static void unlock(sqlite3_file *file, int level)
{
    assert_int_equal(file->pMethods->xUnlock(file, level), SQLITE_OK);
}

static int reserved(sqlite3_file *file)
{
    int out = -1;
    assert_int_equal(file->pMethods->xCheckReservedLock(file, &out), SQLITE_OK);
    return out;
}

/* ---- locks ------------------------------------------------------------------------------- */

static void test_disk_process__five_locks(void **state)
{
    (void)state;
    deed_disk *disk = disk_new(NULL);
    sqlite3_file *one = open_as(disk, 1);
    sqlite3_file *two = open_as(disk, 2);
    assert_int_equal(lock(one, SQLITE_LOCK_SHARED), SQLITE_OK);
    assert_int_equal(lock(two, SQLITE_LOCK_SHARED), SQLITE_OK);
    assert_int_equal(lock(one, SQLITE_LOCK_RESERVED), SQLITE_OK);
    assert_int_equal(reserved(one), 1);
    assert_int_equal(reserved(two), 1);
    assert_int_equal(lock(two, SQLITE_LOCK_RESERVED), SQLITE_BUSY);
    assert_int_equal(lock(two, SQLITE_LOCK_EXCLUSIVE), SQLITE_BUSY);
    assert_int_equal(lock(one, SQLITE_LOCK_EXCLUSIVE), SQLITE_BUSY); /* now pending */
    unlock(two, SQLITE_LOCK_NONE);
    assert_int_equal(lock(two, SQLITE_LOCK_SHARED), SQLITE_BUSY);
    assert_int_equal(lock(one, SQLITE_LOCK_EXCLUSIVE), SQLITE_OK);
    assert_int_equal(lock(two, SQLITE_LOCK_SHARED), SQLITE_BUSY);
    unlock(one, SQLITE_LOCK_SHARED);
    assert_int_equal(lock(two, SQLITE_LOCK_SHARED), SQLITE_OK);
    assert_int_equal(reserved(two), 0);
    unlock(one, SQLITE_LOCK_NONE);
    assert_int_equal(lock(two, SQLITE_LOCK_EXCLUSIVE), SQLITE_OK);
    raw_close(two); /* closing lets go */
    assert_int_equal(lock(one, SQLITE_LOCK_EXCLUSIVE), SQLITE_OK);
    raw_close(one);
    deed_disk_free(disk);
}

static void test_disk_process__death_lets_go_of_locks(void **state)
{
    (void)state;
    deed_disk *disk = disk_new(NULL);
    sqlite3_file *one = open_as(disk, 1);
    sqlite3_file *two = open_as(disk, 2);
    assert_int_equal(lock(one, SQLITE_LOCK_SHARED), SQLITE_OK);
    assert_int_equal(lock(one, SQLITE_LOCK_EXCLUSIVE), SQLITE_OK);
    assert_int_equal(lock(two, SQLITE_LOCK_SHARED), SQLITE_BUSY);
    deed_disk_kill(disk, 1);
    assert_int_equal(lock(two, SQLITE_LOCK_EXCLUSIVE), SQLITE_OK);
    raw_close(two);
    raw_close(one);
    deed_disk_free(disk);
}

/* ---- the index --------------------------------------------------------------------------- */

static volatile char *map(sqlite3_file *file, int region)
{
    void volatile *memory = NULL;
    assert_int_equal(file->pMethods->xShmMap(file, region, 32768, 1, &memory), SQLITE_OK);
    assert_non_null((const void *)memory);
    return memory;
}

static int slot(sqlite3_file *file, int first, int count, int flags)
{
    return file->pMethods->xShmLock(file, first, count, flags);
}

static void unmap(sqlite3_file *file)
{
    assert_int_equal(file->pMethods->xShmUnmap(file, 0), SQLITE_OK);
}

static void test_disk_process__index_is_shared_until_the_last_leaves(void **state)
{
    (void)state;
    deed_disk *disk = disk_new(NULL);
    sqlite3_file *one = open_as(disk, 1);
    sqlite3_file *two = open_as(disk, 2);
    void volatile *memory = NULL;
    assert_int_equal(two->pMethods->xShmMap(two, 0, 32768, 0, &memory), SQLITE_OK);
    assert_null((const void *)memory); /* nobody has made it, and nobody asked for it to be made */
    map(one, 1)[5] = 'x';
    assert_int_equal(map(two, 1)[5], 'x');
    map(two, 0)[0] = 'y';
    assert_int_equal(map(one, 0)[0], 'y');
    unmap(one);
    assert_int_equal(map(two, 1)[5], 'x');
    assert_int_equal(map(one, 1)[5], 'x');
    unmap(one);
    unmap(two);
    assert_int_equal(map(one, 1)[5], 0);
    assert_int_equal(map(one, 0)[0], 0);
    unmap(one);
    raw_close(one);
    raw_close(two);
    deed_disk_free(disk);
}

static void test_disk_process__eight_slots(void **state)
{
    (void)state;
    const int take_shared = SQLITE_SHM_LOCK | SQLITE_SHM_SHARED;
    const int take = SQLITE_SHM_LOCK | SQLITE_SHM_EXCLUSIVE;
    const int give_shared = SQLITE_SHM_UNLOCK | SQLITE_SHM_SHARED;
    const int give = SQLITE_SHM_UNLOCK | SQLITE_SHM_EXCLUSIVE;
    deed_disk *disk = disk_new(NULL);
    sqlite3_file *one = open_as(disk, 1);
    sqlite3_file *two = open_as(disk, 2);
    (void)map(one, 0);
    (void)map(two, 0);
    for (int i = 0; i < 8; i++) {
        assert_int_equal(slot(one, i, 1, take_shared), SQLITE_OK);
        assert_int_equal(slot(two, i, 1, take_shared), SQLITE_OK);
        assert_int_equal(slot(two, i, 1, take), SQLITE_BUSY);
        assert_int_equal(slot(one, i, 1, give_shared), SQLITE_OK);
        assert_int_equal(slot(two, i, 1, give_shared), SQLITE_OK);
        assert_int_equal(slot(two, i, 1, take), SQLITE_OK);
        assert_int_equal(slot(one, i, 1, take_shared), SQLITE_BUSY);
        assert_int_equal(slot(one, 0, 8, take), SQLITE_BUSY);
        assert_int_equal(slot(two, i, 1, give), SQLITE_OK);
    }
    assert_int_equal(slot(one, 2, 4, take), SQLITE_OK);
    assert_int_equal(slot(two, 0, 2, take), SQLITE_OK);
    assert_int_equal(slot(two, 5, 1, take_shared), SQLITE_BUSY);
    deed_disk_kill(disk, 1); /* the dead hold no slot */
    assert_int_equal(slot(two, 0, 8, take), SQLITE_OK);
    unmap(one);
    unmap(two);
    raw_close(one);
    raw_close(two);
    deed_disk_free(disk);
}

/* A ghost writes to the index past the VFS, now and when it is entered again. */
static void test_disk_process__index_does_not_hear_ghosts(void **state)
{
    (void)state;
    deed_disk *disk = disk_new(NULL);
    sqlite3_file *one = open_as(disk, 1);
    sqlite3_file *two = open_as(disk, 2);
    volatile char *memory = map(two, 0);
    volatile char *same = map(one, 0);
    deed_disk_enter(disk, 1);
    same[7] = 'a';
    deed_disk_kill(disk, 1);
    same[7] = 'b';
    deed_disk_enter(disk, 2);
    assert_int_equal(memory[7], 'a');
    memory[7] = 'c';
    deed_disk_enter(disk, 1);
    same[7] = 'd';
    deed_disk_enter(disk, 2);
    assert_int_equal(memory[7], 'c');
    deed_disk_enter(disk, 1);
    same[7] = 'e';
    unmap(one);
    raw_close(one);
    deed_disk_enter(disk, 2);
    assert_int_equal(memory[7], 'c');
    unmap(two);
    raw_close(two);
    deed_disk_free(disk);
}

/* The last living user dies: who comes next finds zeros, while the ghost still has its memory. */
static void test_disk_process__index_of_the_dead_is_not_inherited(void **state)
{
    (void)state;
    deed_disk *disk = disk_new(NULL);
    sqlite3_file *one = open_as(disk, 1);
    volatile char *memory = map(one, 0);
    memory[7] = 'a';
    deed_disk_kill(disk, 1);
    memory[8] = 'b';
    sqlite3_file *two = open_as(disk, 2);
    volatile char *fresh = map(two, 0);
    assert_int_equal(fresh[7], 0);
    memory[9] = 'c';
    assert_int_equal(fresh[9], 0);
    unmap(one);
    raw_close(one);
    unmap(two);
    raw_close(two);
    deed_disk_free(disk);
}

static void test_disk_process__the_abandoned_need_not_close(void **state)
{
    (void)state;
    deed_disk *disk = disk_new(NULL);
    sqlite3_file *one = open_as(disk, 1);
    map(one, 0)[7] = 'a';
    assert_int_equal(lock(one, SQLITE_LOCK_SHARED), SQLITE_OK);
    raw_fill(one, 0, 'n', 5);
    deed_disk_abandon(disk, 1);
    free(one);
    sqlite3_file *two = open_as(disk, 2);
    assert_int_equal(lock(two, SQLITE_LOCK_EXCLUSIVE), SQLITE_OK);
    assert_int_equal(map(two, 0)[7], 0);
    raw_expect(disk, "/a", "n5 o5");
    deed_disk_kill(disk, 2);
    deed_disk_abandon(disk, 2); /* a ghost already */
    free(two);
    deed_disk_free(disk);
}

/* ---- ghosts ------------------------------------------------------------------------------ */

static void count_event(void *context, const struct deed_disk_event *event)
{
    *(uint64_t *)context += event->size == sizeof(*event) ? 1U : 0U;
}

/* Every call of a dead process fails, changes nothing, and nobody is told of it. */
static void expect_ghost(deed_disk *disk, sqlite3_file *file)
{
    const sqlite3_io_methods *methods = file->pMethods;
    sqlite3_vfs *vfs = raw_vfs(disk);
    const uint64_t before = deed_disk_hash(disk, false);
    const uint64_t durable = deed_disk_hash(disk, true);
    const uint64_t calls = deed_disk_calls(disk);
    uint64_t events = 0;
    deed_disk_watch(disk, count_event, &events);
    char buffer[4];
    int out = 0;
    sqlite3_int64 size = 0;
    void volatile *memory = NULL;
    assert_int_equal(methods->xRead(file, buffer, 4, 0), SQLITE_IOERR_READ);
    assert_int_equal(methods->xWrite(file, "zzzz", 4, 0), SQLITE_IOERR_WRITE);
    assert_int_equal(methods->xTruncate(file, 1), SQLITE_IOERR_TRUNCATE);
    assert_int_equal(methods->xSync(file, 0), SQLITE_IOERR_FSYNC);
    assert_int_equal(methods->xFileSize(file, &size), SQLITE_IOERR_FSTAT);
    assert_int_equal(methods->xLock(file, SQLITE_LOCK_SHARED), SQLITE_IOERR_LOCK);
    assert_int_equal(methods->xCheckReservedLock(file, &out), SQLITE_IOERR_CHECKRESERVEDLOCK);
    assert_int_equal(methods->xShmMap(file, 0, 32768, 1, &memory), SQLITE_IOERR_SHMMAP);
    assert_int_equal(
        methods->xShmLock(file, 0, 1, SQLITE_SHM_LOCK | SQLITE_SHM_SHARED), SQLITE_IOERR_SHMLOCK);
    assert_int_equal(methods->xUnlock(file, SQLITE_LOCK_NONE), SQLITE_OK);
    assert_int_equal(vfs->xDelete(vfs, "/a", 1), SQLITE_IOERR_DELETE);
    assert_int_equal(vfs->xAccess(vfs, "/a", 0, &out), SQLITE_IOERR_ACCESS);
    assert_null(raw_try(disk, "/other", RAW_DB, &out));
    assert_int_equal(out, SQLITE_CANTOPEN);
    assert_true(deed_disk_hash(disk, false) == before);
    assert_true(deed_disk_hash(disk, true) == durable);
    assert_true(deed_disk_calls(disk) == calls);
    assert_int_equal(events, 0);
    deed_disk_watch(disk, NULL, NULL);
}

static void test_disk_process__ghosts_change_nothing(void **state)
{
    (void)state;
    deed_disk *disk = disk_new(NULL);
    sqlite3_file *one = open_as(disk, 1);
    raw_fill(one, 0, 'n', 5);
    deed_disk_kill(disk, 1);
    expect_ghost(disk, one);
    raw_expect(disk, "/a", "n5 o5"); /* the page cache lives */
    sqlite3_file *two = open_as(disk, 2);
    raw_sync(two);
    deed_disk_cut(disk);
    expect_ghost(disk, two);
    deed_disk_enter(disk, 3); /* nobody works without power */
    expect_ghost(disk, two);
    deed_disk_restart(disk, NULL, 0);
    raw_expect(disk, "/a", "n5 o5");
    sqlite3_file *again = open_as(disk, 1);
    raw_fill(again, 0, 'm', 1);
    assert_int_equal(two->pMethods->xWrite(two, "zzzz", 4, 0), SQLITE_IOERR_WRITE);
    raw_expect(disk, "/a", "m1 n4 o5");
    raw_close(one);
    raw_close(two);
    raw_close(again);
    deed_disk_free(disk);
}

/* ---- events ------------------------------------------------------------------------------ */

struct seen {
    deed_disk *disk;
    char text[512];
    uint64_t dies_at;
};

static void see(void *context, const struct deed_disk_event *event)
{
    struct seen *seen = context;
    char line[64];
    (void)snprintf(line, sizeof(line), "%d:%s %s %d+%d of %u, %u pending\n", (int)event->number,
        deed_disk_operation_name(event->operation), event->path, (int)event->offset,
        (int)event->bytes, (unsigned)event->process, (unsigned)event->pending);
    const size_t used = strlen(seen->text);
    (void)snprintf(seen->text + used, sizeof(seen->text) - used, "%s", line);
    if (event->number == seen->dies_at) {
        deed_disk_kill(seen->disk, event->process);
    }
}

static void test_disk_process__events_come_before_what_they_tell(void **state)
{
    (void)state;
    deed_disk *disk = disk_new(NULL);
    struct seen seen = {.disk = disk, .dies_at = 6};
    deed_disk_watch(disk, see, &seen);
    deed_disk_enter(disk, 4);
    sqlite3_file *file = raw_open(disk, "/j", RAW_JOURNAL);
    raw_fill(file, 3, 'n', 5);
    assert_int_equal(file->pMethods->xTruncate(file, 4), SQLITE_OK);
    raw_sync(file);
    assert_int_equal(raw_delete(disk, "/a", 0), SQLITE_OK);
    assert_int_equal(file->pMethods->xWrite(file, "z", 1, 0), SQLITE_IOERR_WRITE);
    assert_string_equal(seen.text,
        "1:create /j 0+0 of 4, 0 pending\n"
        "2:write /j 3+5 of 4, 1 pending\n"
        "3:truncate /j 4+0 of 4, 2 pending\n"
        "4:sync /j 0+0 of 4, 3 pending\n"
        "5:delete /a 0+0 of 4, 0 pending\n"
        "6:write /j 0+1 of 4, 1 pending\n");
    raw_expect(disk, "/j", "03 n1");
    raw_close(file);
    deed_disk_free(disk);
}

/* Who dies just before an operation has not done it. */
static void test_disk_process__who_dies_before_it_has_not_done_it(void **state)
{
    (void)state;
    static const char *const there[] = {NULL, "", "n5", "n2", "n2"};
    for (uint64_t at = 1; at <= 5; at++) {
        deed_disk *disk = disk_new(NULL);
        struct seen seen = {.disk = disk, .dies_at = at};
        int code = SQLITE_OK;
        deed_disk_watch(disk, see, &seen);
        sqlite3_file *file = raw_try(disk, "/j", RAW_JOURNAL, &code);
        assert_int_equal(code, at == 1 ? SQLITE_CANTOPEN : SQLITE_OK);
        if (file != NULL) {
            (void)file->pMethods->xWrite(file, "nnnnn", 5, 0);
            (void)file->pMethods->xTruncate(file, 2);
            (void)file->pMethods->xSync(file, 0);
            raw_close(file);
        }
        (void)raw_delete(disk, "/j", 0);
        assert_int_equal(raw_is_there(disk, "/j"), there[at - 1] != NULL);
        if (there[at - 1] != NULL) {
            raw_expect(disk, "/j", there[at - 1]);
        }
        deed_disk_restart(disk, NULL, 0);
        assert_int_equal(raw_is_there(disk, "/j"), at == 5); /* its flush was done */
        deed_disk_free(disk);
    }
}

static void count_call(void *context, const char *call)
{
    char *text = context;
    const size_t used = strlen(text);
    (void)snprintf(text + used, 256 - used, "%s ", call);
}

static void test_disk_process__schedules_see_the_other_calls(void **state)
{
    (void)state;
    deed_disk *disk = disk_new(NULL);
    char text[256] = "";
    char buffer[4];
    deed_disk_watch_all(disk, count_call, text);
    sqlite3_file *file = open_as(disk, 1);
    assert_int_equal(file->pMethods->xRead(file, buffer, 4, 0), SQLITE_OK);
    assert_int_equal(lock(file, SQLITE_LOCK_SHARED), SQLITE_OK);
    (void)map(file, 0);
    assert_int_equal(slot(file, 0, 1, SQLITE_SHM_LOCK | SQLITE_SHM_SHARED), SQLITE_OK);
    file->pMethods->xShmBarrier(file);
    raw_fill(file, 0, 'n', 1);
    assert_int_equal(raw_vfs(disk)->xSleep(raw_vfs(disk), 1000), 1000);
    assert_string_equal(text, "open read lock shm_map shm_lock shm_barrier sleep ");
    unmap(file);
    raw_close(file);
    deed_disk_free(disk);
}

/* ---- failing calls ----------------------------------------------------------------------- */

static void test_disk_process__plans_name_the_call(void **state)
{
    (void)state;
    deed_disk *disk = disk_new(NULL);
    sqlite3_file *file = open_as(disk, 1);
    char buffer[4];
    struct deed_disk_plan plan = {.size = sizeof(plan), .nth = 2, .last = 3};
    deed_disk_plan(disk, &plan);
    assert_int_equal(file->pMethods->xRead(file, buffer, 4, 0), SQLITE_OK);
    assert_int_equal(file->pMethods->xRead(file, buffer, 4, 0), SQLITE_IOERR_READ);
    assert_int_equal(lock(file, SQLITE_LOCK_SHARED), SQLITE_IOERR_LOCK);
    assert_int_equal(lock(file, SQLITE_LOCK_SHARED), SQLITE_OK);
    assert_int_equal(deed_disk_failed(disk), 2);
    assert_int_equal(deed_disk_calls(disk), 4);
    plan = (struct deed_disk_plan){
        .size = sizeof(plan), .nth = 1, .last = UINT64_MAX, .code = SQLITE_FULL};
    deed_disk_plan(disk, &plan); /* a full disk can be read */
    assert_int_equal(file->pMethods->xRead(file, buffer, 4, 0), SQLITE_OK);
    assert_int_equal(file->pMethods->xWrite(file, "zz", 2, 0), SQLITE_FULL);
    raw_sync(file);
    plan = (struct deed_disk_plan){.size = sizeof(plan), .full_after = 7};
    deed_disk_plan(disk, &plan);
    raw_fill(file, 5, 'n', 10); /* five more bytes */
    assert_int_equal(file->pMethods->xWrite(file, "mmmm", 4, 15), SQLITE_FULL);
    raw_fill(file, 0, 'p', 5); /* nothing is added */
    raw_expect(disk, "/a", "p5 n10 m2");
    /* Of flushes alone: the second one. */
    plan = (struct deed_disk_plan){.size = sizeof(plan), .nth = 2, .only = 1U << DEED_DISK_SYNC};
    deed_disk_plan(disk, &plan);
    raw_fill(file, 0, 'r', 5);
    raw_sync(file);
    assert_int_equal(file->pMethods->xRead(file, buffer, 4, 0), SQLITE_OK);
    assert_int_equal(file->pMethods->xSync(file, SQLITE_SYNC_NORMAL), SQLITE_IOERR_FSYNC);
    raw_sync(file);
    assert_int_equal(deed_disk_failed(disk), 1);
    deed_disk_plan(disk, NULL);
    raw_fill(file, 17, 'q', 9);
    raw_close(file);
    deed_disk_free(disk);
}

/* The odometer fails each call with each of its codes, once. */
static void test_disk_process__choices_fail_calls(void **state)
{
    (void)state;
    deed_choices *choices = NULL;
    uint64_t runs = 0;
    uint64_t failed = 0;
    assert_int_equal(deed_choices_exhaustive(&choices, NULL), DEED_OK);
    do {
        deed_disk *disk = disk_new(choices);
        int code = SQLITE_OK;
        char buffer[4];
        sqlite3_file *file = raw_try(disk, "/a", RAW_DB, &code);
        if (file != NULL) {
            code = file->pMethods->xRead(file, buffer, 4, 0);
            code = code == SQLITE_OK ? file->pMethods->xWrite(file, "nn", 2, 0) : code;
            code = code == SQLITE_OK ? file->pMethods->xSync(file, 0) : code;
            raw_close(file);
        }
        failed += code != SQLITE_OK ? 1U : 0U;
        runs++;
        deed_disk_free(disk);
    } while (deed_choices_next(choices));
    assert_int_equal(runs, 9); /* each of four calls in two ways, and none */
    assert_int_equal(failed, 8);
    deed_choices_free(choices);
}

/* ---- time and chance --------------------------------------------------------------------- */

static bool fixed_clock(void *self, struct deed_instant *now_out)
{
    *now_out = (struct deed_instant){.wall_ms = *(const int64_t *)self};
    return *(const int64_t *)self != 0;
}

static void test_disk_process__time_is_what_the_clock_says(void **state)
{
    (void)state;
    int64_t now_ms = 1700000000000;
    const struct deed_clock clock = {sizeof(clock), &now_ms, fixed_clock};
    const struct deed_disk_options options = {.size = sizeof(options), .clock = &clock};
    deed_disk *disk = NULL;
    assert_int_equal(deed_disk_new(&options, &disk, NULL), DEED_OK);
    sqlite3_vfs *vfs = raw_vfs(disk);
    sqlite3_int64 told = 0;
    double days = 0;
    assert_int_equal(vfs->xCurrentTimeInt64(vfs, &told), SQLITE_OK);
    assert_true(told == 1700000000000 + 210866760000000);
    assert_int_equal(vfs->xCurrentTime(vfs, &days), SQLITE_OK);
    assert_true(days > 2460263 && days < 2460264);
    now_ms = 0;
    assert_int_equal(vfs->xCurrentTimeInt64(vfs, &told), SQLITE_ERROR);
    deed_disk_free(disk);
}

static uint64_t draw_after(deed_disk *disk, uint64_t seed)
{
    uint64_t number = 0;
    deed_disk_seed(disk, seed);
    sqlite3_randomness(sizeof(number), &number);
    return number;
}

static void test_disk_process__chance_of_sqlite_repeats(void **state)
{
    (void)state;
    deed_disk *disk = disk_new(NULL);
    sqlite3_vfs *usual = sqlite3_vfs_find(NULL);
    const uint64_t first = draw_after(disk, 1);
    assert_true(draw_after(disk, 1) == first);
    assert_true(draw_after(disk, 2) != first);
    assert_ptr_equal(sqlite3_vfs_find(NULL), usual);
    deed_disk_free(disk);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_disk_process__five_locks),
        cmocka_unit_test(test_disk_process__death_lets_go_of_locks),
        cmocka_unit_test(test_disk_process__index_is_shared_until_the_last_leaves),
        cmocka_unit_test(test_disk_process__eight_slots),
        cmocka_unit_test(test_disk_process__index_does_not_hear_ghosts),
        cmocka_unit_test(test_disk_process__index_of_the_dead_is_not_inherited),
        cmocka_unit_test(test_disk_process__the_abandoned_need_not_close),
        cmocka_unit_test(test_disk_process__ghosts_change_nothing),
        cmocka_unit_test(test_disk_process__events_come_before_what_they_tell),
        cmocka_unit_test(test_disk_process__who_dies_before_it_has_not_done_it),
        cmocka_unit_test(test_disk_process__schedules_see_the_other_calls),
        cmocka_unit_test(test_disk_process__plans_name_the_call),
        cmocka_unit_test(test_disk_process__choices_fail_calls),
        cmocka_unit_test(test_disk_process__time_is_what_the_clock_says),
        cmocka_unit_test(test_disk_process__chance_of_sqlite_repeats),
    };
    return cmocka_run_group_tests_name("disk_process", tests, NULL, NULL);
}
