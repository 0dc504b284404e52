/* SPDX-License-Identifier: MIT
 *
 * The rules of the simulated disk, one by one, through the calls that SQLite makes: what a flush
 * makes durable, what becomes of each unit when the power goes, names apart from files, copies.
 */
#include "support/test.h"

#include "support/raw_file.h"

static deed_disk *disk_with(const struct deed_disk_options *options)
{
    deed_disk *disk = NULL;
    assert_int_equal(deed_disk_new(options, &disk, NULL), DEED_OK);
    return disk;
}

/* Sectors of 512 bytes, and a durable file /a of so many bytes 'o'. */
static deed_disk *disk_of(size_t bytes, bool powersafe_off)
{
    const struct deed_disk_options options = {
        .size = sizeof(options), .sector_bytes = 512, .powersafe_off = powersafe_off};
    deed_disk *disk = disk_with(&options);
    char *old = malloc(bytes + 1);
    assert_non_null(old);
    memset(old, 'o', bytes);
    assert_int_equal(deed_disk_put(disk, "/a", old, bytes, NULL), DEED_OK);
    free(old);
    return disk;
}

static void restart(deed_disk *disk, const char *fates)
{
    uint8_t bytes[32];
    const size_t count = strlen(fates);
    assert_int_equal(deed_disk_pending(disk), count);
    for (size_t i = 0; i < count; i++) {
        bytes[i] = (uint8_t)(fates[i] - '0');
    }
    deed_disk_restart(disk, bytes, count);
    assert_int_equal(deed_disk_pending(disk), 0);
    assert_true(deed_disk_hash(disk, true) == deed_disk_hash(disk, false));
}

/* ---- writes ------------------------------------------------------------------------------ */

static void test_disk__a_write_is_cut_at_sectors(void **state)
{
    (void)state;
    deed_disk *disk = disk_of(2048, false);
    sqlite3_file *file = raw_open(disk, "/a", RAW_DB);
    raw_fill(file, 500, 'n', 1024); /* 12, 512, 500 */
    assert_int_equal(deed_disk_pending(disk), 3);
    raw_expect(disk, "/a", "o500 n1024 o524");
    deed_disk_cut(disk);
    raw_close(file);
    restart(disk, "101"); /* the first and the last survive */
    raw_expect(disk, "/a", "o500 n12 o512 n500 o524");
    deed_disk_free(disk);
}

/* Every subset of four writes, two of them to one place: order among survivors is kept. */
static void test_disk__every_subset_of_writes(void **state)
{
    (void)state;
    static const char *const last_of[16] = {
        "o", "a", "o", "a", "o", "a", "o", "a", "d", "d", "d", "d", "d", "d", "d", "d"};
    deed_disk *base = disk_of(1024, false);
    deed_disk *disk = NULL;
    assert_int_equal(deed_disk_copy(base, &disk, NULL), DEED_OK);
    for (unsigned subset = 0; subset < 16; subset++) {
        assert_int_equal(deed_disk_become(disk, base, NULL), DEED_OK);
        sqlite3_file *file = raw_open(disk, "/a", RAW_DB);
        raw_fill(file, 0, 'a', 512);
        raw_fill(file, 512, 'b', 512);
        raw_fill(file, 1024, 'c', 512);
        raw_fill(file, 0, 'd', 512);
        uint8_t fates[4];
        for (unsigned i = 0; i < 4; i++) {
            fates[i] = (subset >> i & 1) != 0 ? DEED_DISK_KEPT : DEED_DISK_LOST;
        }
        deed_disk_restart(disk, fates, 4);
        raw_close(file);
        char runs[64];
        const char *first = last_of[subset];
        const char *second = (subset & 2) != 0 ? "b" : "o";
        const char *end = (subset & 4) != 0 ? " c512" : "";
        if (strcmp(first, second) == 0) {
            (void)snprintf(runs, sizeof(runs), "%s1024%s", first, end);
        } else {
            (void)snprintf(runs, sizeof(runs), "%s512 %s512%s", first, second, end);
        }
        raw_expect(disk, "/a", runs);
    }
    deed_disk_free(disk);
    deed_disk_free(base);
}

static void test_disk__what_survives_behind_a_hole_leaves_zeros(void **state)
{
    (void)state;
    deed_disk *disk = disk_of(512, false);
    sqlite3_file *file = raw_open(disk, "/a", RAW_DB);
    raw_fill(file, 512, 'n', 512);
    raw_fill(file, 1024, 'n', 100);
    restart(disk, "01");
    raw_close(file);
    raw_expect(disk, "/a", "o512 0512 n100");
    deed_disk_free(disk);
}

static void test_disk__grown_has_a_size_and_zeros(void **state)
{
    (void)state;
    deed_disk *disk = disk_of(100, false);
    sqlite3_file *file = raw_open(disk, "/a", RAW_DB);
    raw_fill(file, 50, 'n', 150);
    restart(disk, "4");
    raw_close(file);
    raw_expect(disk, "/a", "o100 0100");
    deed_disk_free(disk);
}

#define TORN_BYTES 10240 /* twenty sectors */

/* Torn: one cut, new on one side, old on the other; over many places both sides come up. */
static void test_disk__torn_is_old_and_new(void **state)
{
    (void)state;
    unsigned new_first = 0;
    for (int64_t offset = 0; offset < TORN_BYTES; offset += 512) {
        deed_disk *disk = disk_of(TORN_BYTES, false);
        sqlite3_file *file = raw_open(disk, "/a", RAW_DB);
        size_t count = 0;
        raw_fill(file, offset, 'n', 512);
        restart(disk, "2");
        raw_close(file);
        const char *bytes = deed_disk_get(disk, "/a", &count);
        assert_int_equal(count, TORN_BYTES);
        size_t fresh = 0;
        for (size_t i = 0; i < count; i++) {
            const bool inside = (int64_t)i >= offset && (int64_t)i < offset + 512;
            fresh += bytes[i] == 'n' ? 1U : 0U;
            assert_true(bytes[i] == 'o' || inside);
        }
        assert_in_range(fresh, 1, 511);
        const bool first = bytes[offset] == 'n';
        assert_true(bytes[offset + (first ? (int64_t)fresh - 1 : 512 - (int64_t)fresh)] == 'n');
        assert_true(bytes[offset + 511] == (first ? 'o' : 'n'));
        new_first += first ? 1U : 0U;
        deed_disk_free(disk);
    }
    assert_in_range(new_first, 3, 17);
}

static size_t count_other(const deed_disk *disk, size_t begin, size_t end, size_t *size_out)
{
    const char *bytes = deed_disk_get(disk, "/a", size_out);
    size_t changed = 0;
    for (size_t i = 0; i < *size_out; i++) {
        const bool other = bytes[i] != 'o';
        assert_true(!other || (i >= begin && i < end));
        changed += other ? 1U : 0U;
    }
    return changed;
}

/* 100 bytes in the middle of the second sector; noise stays in them, or takes the sector. */
static void test_disk__noise_spills_only_without_powersafe(void **state)
{
    (void)state;
    for (int off = 0; off < 2; off++) {
        deed_disk *disk = disk_of(1300, off != 0);
        sqlite3_file *file = raw_open(disk, "/a", RAW_DB);
        assert_int_equal(file->pMethods->xDeviceCharacteristics(file),
            off != 0 ? 0 : SQLITE_IOCAP_POWERSAFE_OVERWRITE);
        assert_int_equal(file->pMethods->xSectorSize(file), 512);
        size_t size = 0;
        raw_fill(file, 700, 'n', 100);
        restart(disk, "3");
        raw_close(file);
        const size_t changed =
            off != 0 ? count_other(disk, 512, 1024, &size) : count_other(disk, 700, 800, &size);
        assert_in_range(changed, off != 0 ? 480 : 90, off != 0 ? 512 : 100);
        assert_int_equal(size, 1300);
        deed_disk_free(disk);
    }
}

static void test_disk__noise_past_the_end_grows_to_the_write_only(void **state)
{
    (void)state;
    deed_disk *disk = disk_of(600, true);
    sqlite3_file *file = raw_open(disk, "/a", RAW_DB);
    size_t size = 0;
    raw_fill(file, 600, 'n', 50);
    restart(disk, "3");
    raw_close(file);
    (void)count_other(disk, 512, 650, &size);
    assert_int_equal(size, 650);
    deed_disk_free(disk);
}

static void test_disk__truncations_are_units(void **state)
{
    (void)state;
    deed_disk *disk = disk_of(1000, false);
    sqlite3_file *file = raw_open(disk, "/a", RAW_DB);
    assert_int_equal(file->pMethods->xTruncate(file, 300), SQLITE_OK);
    raw_fill(file, 300, 'n', 10);
    raw_expect(disk, "/a", "o300 n10");
    deed_disk *lost = NULL;
    assert_int_equal(deed_disk_copy(disk, &lost, NULL), DEED_OK);
    restart(lost, "01");
    raw_expect(lost, "/a", "o300 n10 o690");
    restart(disk, "10");
    raw_expect(disk, "/a", "o300");
    raw_close(file);
    deed_disk_free(lost);
    deed_disk_free(disk);
}

/* ---- flushes ----------------------------------------------------------------------------- */

static void test_disk__a_flush_is_of_one_file(void **state)
{
    (void)state;
    deed_disk *disk = disk_of(10, false);
    assert_int_equal(deed_disk_put(disk, "/b", "oo", 2, NULL), DEED_OK);
    sqlite3_file *a = raw_open(disk, "/a", RAW_DB);
    sqlite3_file *b = raw_open(disk, "/b", RAW_DB);
    raw_fill(a, 0, 'n', 10);
    raw_fill(b, 0, 'n', 2);
    raw_sync(a);
    assert_int_equal(deed_disk_pending(disk), 1);
    restart(disk, "0");
    raw_close(a);
    raw_close(b);
    raw_expect(disk, "/a", "n10");
    raw_expect(disk, "/b", "o2");
    deed_disk_free(disk);
}

static void test_disk__closing_flushes_nothing(void **state)
{
    (void)state;
    deed_disk *disk = disk_of(10, false);
    sqlite3_file *file = raw_open(disk, "/a", RAW_DB);
    raw_fill(file, 0, 'n', 10);
    raw_close(file);
    restart(disk, "0");
    raw_expect(disk, "/a", "o10");
    deed_disk_free(disk);
}

static void test_disk__a_device_may_lie(void **state)
{
    (void)state;
    const struct deed_disk_options options = {.size = sizeof(options), .flush_lies = true};
    deed_disk *disk = disk_with(&options);
    assert_int_equal(deed_disk_put(disk, "/a", "o", 1, NULL), DEED_OK);
    sqlite3_file *file = raw_open(disk, "/a", RAW_DB);
    raw_fill(file, 0, 'n', 1);
    raw_sync(file);
    assert_int_equal(raw_delete(disk, "/a", 1), SQLITE_OK);
    restart(disk, "00");
    raw_close(file);
    raw_expect(disk, "/a", "o1");
    deed_disk_free(disk);
}

/* The same for a flush that fails: lost for good, though the next one succeeds; or kept. */
static void test_disk__a_flush_that_fails(void **state)
{
    (void)state;
    for (int kept = 0; kept < 2; kept++) {
        deed_disk *disk = disk_of(20, false);
        sqlite3_file *file = raw_open(disk, "/a", RAW_DB);
        const struct deed_disk_plan plan = {
            .size = sizeof(plan), .nth = 1, .flush_kept = kept != 0};
        raw_fill(file, 0, 'n', 10);
        deed_disk_plan(disk, &plan);
        assert_int_equal(file->pMethods->xSync(file, 0), SQLITE_IOERR_FSYNC);
        assert_int_equal(deed_disk_failed(disk), 1);
        deed_disk_plan(disk, NULL);
        raw_expect(disk, "/a", "n10 o10"); /* the page cache has it */
        raw_fill(file, 15, 'm', 5);
        raw_sync(file);
        restart(disk, "");
        raw_close(file);
        raw_expect(disk, "/a", kept != 0 ? "n10 o5 m5" : "o15 m5");
        deed_disk_free(disk);
    }
}

/* ---- names ------------------------------------------------------------------------------- */

static void test_disk__a_new_database_has_no_durable_name(void **state)
{
    (void)state;
    deed_disk *disk = disk_of(1, false);
    sqlite3_file *file = raw_open(disk, "/new", RAW_DB);
    raw_fill(file, 0, 'n', 5);
    raw_sync(file);
    assert_int_equal(deed_disk_pending(disk), 1); /* its name */
    deed_disk *kept = NULL;
    assert_int_equal(deed_disk_copy(disk, &kept, NULL), DEED_OK);
    restart(kept, "1");
    raw_expect(kept, "/new", "n5");
    restart(disk, "0");
    assert_false(raw_is_there(disk, "/new"));
    raw_close(file);
    deed_disk_free(kept);
    deed_disk_free(disk);
}

static void test_disk__a_journal_is_named_by_its_first_flush(void **state)
{
    (void)state;
    static const int kinds[] = {
        SQLITE_OPEN_MAIN_JOURNAL, SQLITE_OPEN_WAL, SQLITE_OPEN_SUPER_JOURNAL};
    for (size_t i = 0; i < 3; i++) {
        deed_disk *disk = disk_of(1, false);
        const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | kinds[i];
        sqlite3_file *file = raw_open(disk, "/new", flags);
        sqlite3_file *elsewhere = raw_open(disk, "/folder/new", RAW_DB);
        raw_fill(file, 0, 'n', 5);
        raw_sync(file);
        assert_int_equal(deed_disk_pending(disk), 1); /* that in another folder */
        restart(disk, "0");
        raw_expect(disk, "/new", "n5");
        assert_false(raw_is_there(disk, "/folder/new"));
        raw_close(file);
        raw_close(elsewhere);
        deed_disk_free(disk);
    }
}

static void test_disk__a_deletion_can_come_back(void **state)
{
    (void)state;
    deed_disk *disk = disk_of(3, false);
    assert_int_equal(raw_delete(disk, "/a", 0), SQLITE_OK);
    assert_false(raw_is_there(disk, "/a"));
    assert_int_equal(raw_delete(disk, "/a", 0), SQLITE_IOERR_DELETE_NOENT);
    restart(disk, "0");
    raw_expect(disk, "/a", "o3");
    assert_int_equal(raw_delete(disk, "/a", 1), SQLITE_OK); /* with its folder flushed */
    restart(disk, "");
    assert_false(raw_is_there(disk, "/a"));
    deed_disk_free(disk);
}

/* A journal is deleted and made anew: what comes back is the old one, in all four cases. */
static void test_disk__a_reused_name_is_another_file(void **state)
{
    (void)state;
    static const struct {
        const char *fates;
        const char *runs;
    } cases[] = {{"00", "o4"}, {"10", NULL}, {"01", "n2"}, {"11", "n2"}};
    for (size_t i = 0; i < 4; i++) {
        deed_disk *disk = disk_of(4, false);
        assert_int_equal(raw_delete(disk, "/a", 0), SQLITE_OK);
        sqlite3_file *file = raw_open(disk, "/a", RAW_DB);
        raw_fill(file, 0, 'n', 2);
        raw_sync(file);
        restart(disk, cases[i].fates);
        raw_close(file);
        assert_int_equal(raw_is_there(disk, "/a"), cases[i].runs != NULL);
        if (cases[i].runs != NULL) {
            raw_expect(disk, "/a", cases[i].runs);
        }
        deed_disk_free(disk);
    }
}

/* Writes to a file that no survivor could name count for nothing. */
static void test_disk__units_of_the_unfindable_are_none(void **state)
{
    (void)state;
    deed_disk *disk = disk_of(4, false);
    sqlite3_file *file = raw_open(disk, "/j", RAW_JOURNAL);
    raw_fill(file, 0, 'n', 100);
    assert_int_equal(deed_disk_pending(disk), 2);
    assert_int_equal(raw_delete(disk, "/j", 1), SQLITE_OK);
    assert_int_equal(deed_disk_pending(disk), 0);
    raw_close(file);
    deed_disk_free(disk);
}

static void test_disk__opening_and_looking(void **state)
{
    (void)state;
    deed_disk *disk = disk_of(4, false);
    sqlite3_vfs *vfs = raw_vfs(disk);
    int code = SQLITE_OK;
    int there = -1;
    assert_null(raw_try(disk, "/none", SQLITE_OPEN_READWRITE | SQLITE_OPEN_MAIN_DB, &code));
    assert_int_equal(code, SQLITE_CANTOPEN);
    assert_null(raw_try(disk, "/a", RAW_DB | SQLITE_OPEN_EXCLUSIVE, &code));
    assert_int_equal(code, SQLITE_CANTOPEN);
    sqlite3_file *empty = raw_open(disk, "/empty", RAW_DB);
    assert_int_equal(vfs->xAccess(vfs, "/empty", SQLITE_ACCESS_EXISTS, &there), SQLITE_OK);
    assert_int_equal(there, 0);
    assert_int_equal(vfs->xAccess(vfs, "/empty", SQLITE_ACCESS_READWRITE, &there), SQLITE_OK);
    assert_int_equal(there, 1);
    assert_int_equal(vfs->xAccess(vfs, "/a", SQLITE_ACCESS_EXISTS, &there), SQLITE_OK);
    assert_int_equal(there, 1);
    raw_close(empty);
    sqlite3_file *temporary = raw_open(disk, NULL, RAW_DB | SQLITE_OPEN_DELETEONCLOSE);
    const uint32_t pending = deed_disk_pending(disk);
    raw_fill(temporary, 0, 't', 10);
    raw_sync(temporary);
    assert_int_equal(deed_disk_pending(disk), pending); /* nobody could find it */
    raw_close(temporary);
    sqlite3_file *passing =
        raw_open(disk, "/passing", RAW_DB | SQLITE_OPEN_DELETEONCLOSE | SQLITE_OPEN_EXCLUSIVE);
    assert_true(raw_is_there(disk, "/passing"));
    raw_close(passing);
    assert_false(raw_is_there(disk, "/passing"));
    deed_disk_free(disk);
}

static void test_disk__reads_past_the_end_are_short_and_zero(void **state)
{
    (void)state;
    deed_disk *disk = disk_of(5000, false);
    sqlite3_file *file = raw_open(disk, "/a", RAW_DB);
    char buffer[4096];
    sqlite3_int64 size = 0;
    assert_int_equal(file->pMethods->xFileSize(file, &size), SQLITE_OK);
    assert_int_equal(size, 5000);
    assert_int_equal(file->pMethods->xRead(file, buffer, 4096, 904), SQLITE_OK);
    memset(buffer, 'x', sizeof(buffer));
    assert_int_equal(file->pMethods->xRead(file, buffer, 10, 4995), SQLITE_IOERR_SHORT_READ);
    assert_memory_equal(buffer, "ooooo\0\0\0\0\0x", 11);
    assert_int_equal(file->pMethods->xRead(file, buffer, 10, 9000), SQLITE_IOERR_SHORT_READ);
    assert_memory_equal(buffer, "\0\0\0\0\0\0\0\0\0\0x", 11);
    raw_close(file);
    deed_disk_free(disk);
}

/* ---- copies and hashes ------------------------------------------------------------------- */

static void test_disk__copies_do_not_share_what_follows(void **state)
{
    (void)state;
    deed_disk *disk = disk_of(9000, false);
    sqlite3_file *file = raw_open(disk, "/a", RAW_DB);
    raw_fill(file, 0, 'n', 512);
    deed_disk *copy = NULL;
    assert_int_equal(deed_disk_copy(disk, &copy, NULL), DEED_OK);
    assert_true(deed_disk_hash(disk, false) == deed_disk_hash(copy, false));
    assert_true(deed_disk_hash(disk, true) == deed_disk_hash(copy, true));
    assert_true(deed_disk_hash(disk, true) != deed_disk_hash(disk, false));
    assert_int_equal(deed_disk_pending(copy), 1);
    sqlite3_file *other = raw_open(copy, "/a", RAW_DB);
    raw_fill(other, 4096, 'c', 4096);
    raw_fill(file, 512, 'm', 1);
    raw_expect(disk, "/a", "n512 m1 o8487");
    raw_expect(copy, "/a", "n512 o3584 c4096 o808");
    assert_true(deed_disk_hash(disk, false) != deed_disk_hash(copy, false));
    struct deed_error err;
    assert_int_equal(deed_disk_become(copy, disk, &err), DEED_E_MISUSE);
    raw_close(other);
    assert_int_equal(deed_disk_become(copy, disk, &err), DEED_OK);
    assert_true(deed_disk_hash(disk, false) == deed_disk_hash(copy, false));
    raw_close(file);
    deed_disk_free(disk);
    raw_expect(copy, "/a", "n512 m1 o8487");
    deed_disk_free(copy);
}

static void test_disk__hash_is_of_names_and_bytes(void **state)
{
    (void)state;
    deed_disk *one = disk_of(5, false);
    deed_disk *two = disk_of(5, true);
    assert_true(deed_disk_hash(one, true) == deed_disk_hash(two, true));
    assert_int_equal(deed_disk_put(one, "/x", "1", 1, NULL), DEED_OK);
    assert_int_equal(deed_disk_put(one, "/y", "2", 1, NULL), DEED_OK);
    assert_int_equal(deed_disk_put(two, "/y", "2", 1, NULL), DEED_OK);
    assert_true(deed_disk_hash(one, true) != deed_disk_hash(two, true));
    assert_int_equal(deed_disk_put(two, "/x", "1", 1, NULL), DEED_OK); /* in another order */
    assert_true(deed_disk_hash(one, true) == deed_disk_hash(two, true));
    assert_int_equal(deed_disk_put(two, "/x", "2", 1, NULL), DEED_OK);
    assert_true(deed_disk_hash(one, true) != deed_disk_hash(two, true));
    sqlite3_file *file = raw_open(one, "/a", RAW_DB);
    raw_fill(file, 0, 'n', 1);
    const uint64_t before = deed_disk_hash(one, false);
    raw_fill(file, 0, 'm', 1); /* in a page of its own by now */
    assert_true(deed_disk_hash(one, false) != before);
    raw_close(file);
    deed_disk_free(one);
    deed_disk_free(two);
}

static void test_disk__refuses_sectors_that_are_none(void **state)
{
    (void)state;
    static const uint32_t wrong[] = {1, 256, 1000, 131072};
    for (size_t i = 0; i < 4; i++) {
        const struct deed_disk_options options = {
            .size = sizeof(options), .sector_bytes = wrong[i]};
        struct deed_error err;
        deed_disk *disk = NULL;
        assert_int_equal(deed_disk_new(&options, &disk, &err), DEED_E_INVALID);
        assert_null(disk);
    }
    assert_string_equal(deed_disk_operation_name(DEED_DISK_SYNC), "sync");
    assert_null(deed_disk_operation_name(DEED_DISK_OPERATION_COUNT));
}

/* ---- fates ------------------------------------------------------------------------------- */

static uint64_t walk(uint32_t units, uint64_t seed, uint64_t kinds[5])
{
    deed_disk_fates *fates = NULL;
    uint64_t count = 0;
    assert_int_equal(deed_disk_fates_new(units, seed, &fates, NULL), DEED_OK);
    for (const uint8_t *next = deed_disk_fates_next(fates); next != NULL;
         next = deed_disk_fates_next(fates)) {
        for (uint32_t i = 0; i < units; i++) {
            assert_true(next[i] <= DEED_DISK_GROWN);
            assert_true(count > 0 || next[i] == DEED_DISK_LOST);
            kinds[next[i]]++;
        }
        count++;
    }
    assert_int_equal(count, deed_disk_fates_count(fates));
    assert_null(deed_disk_fates_next(fates));
    deed_disk_fates_free(fates);
    return count;
}

/* Each subset comes once: told by a bit for each. */
static void test_disk__fates_up_to_twelve_units_are_all_subsets(void **state)
{
    (void)state;
    for (uint32_t units = 1; units <= 12; units++) {
        bool seen[4096] = {false};
        size_t subsets = 0;
        deed_disk_fates *fates = NULL;
        assert_int_equal(deed_disk_fates_new(units, 1, &fates, NULL), DEED_OK);
        for (const uint8_t *next = deed_disk_fates_next(fates); next != NULL;
             next = deed_disk_fates_next(fates)) {
            unsigned subset = 0;
            bool plain = true;
            for (uint32_t i = 0; i < units; i++) {
                subset |= (next[i] == DEED_DISK_KEPT ? 1U : 0U) << i;
                plain &= next[i] <= DEED_DISK_KEPT;
            }
            subsets += plain && !seen[subset] ? 1U : 0U;
            seen[subset] |= plain;
        }
        assert_int_equal(subsets, 1U << units);
        deed_disk_fates_free(fates);
    }
    uint64_t kinds[5] = {0};
    assert_int_equal(walk(0, 1, kinds), 1);
}

static void test_disk__fates_above_are_bounded(void **state)
{
    (void)state;
    uint64_t kinds[5] = {0};
    uint64_t others[5] = {0};
    assert_int_equal(walk(40, 1, kinds), 1 + 4 * 40 + 64);
    for (size_t i = 0; i < 5; i++) {
        assert_true(kinds[i] > 0);
    }
    assert_true(kinds[DEED_DISK_KEPT] > 5 * kinds[DEED_DISK_NOISE]);
    (void)walk(40, 2, others);
    assert_memory_not_equal(kinds, others, sizeof(kinds));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_disk__a_write_is_cut_at_sectors),
        cmocka_unit_test(test_disk__every_subset_of_writes),
        cmocka_unit_test(test_disk__what_survives_behind_a_hole_leaves_zeros),
        cmocka_unit_test(test_disk__grown_has_a_size_and_zeros),
        cmocka_unit_test(test_disk__torn_is_old_and_new),
        cmocka_unit_test(test_disk__noise_spills_only_without_powersafe),
        cmocka_unit_test(test_disk__noise_past_the_end_grows_to_the_write_only),
        cmocka_unit_test(test_disk__truncations_are_units),
        cmocka_unit_test(test_disk__a_flush_is_of_one_file),
        cmocka_unit_test(test_disk__closing_flushes_nothing),
        cmocka_unit_test(test_disk__a_device_may_lie),
        cmocka_unit_test(test_disk__a_flush_that_fails),
        cmocka_unit_test(test_disk__a_new_database_has_no_durable_name),
        cmocka_unit_test(test_disk__a_journal_is_named_by_its_first_flush),
        cmocka_unit_test(test_disk__a_deletion_can_come_back),
        cmocka_unit_test(test_disk__a_reused_name_is_another_file),
        cmocka_unit_test(test_disk__units_of_the_unfindable_are_none),
        cmocka_unit_test(test_disk__opening_and_looking),
        cmocka_unit_test(test_disk__reads_past_the_end_are_short_and_zero),
        cmocka_unit_test(test_disk__copies_do_not_share_what_follows),
        cmocka_unit_test(test_disk__hash_is_of_names_and_bytes),
        cmocka_unit_test(test_disk__refuses_sectors_that_are_none),
        cmocka_unit_test(test_disk__fates_up_to_twelve_units_are_all_subsets),
        cmocka_unit_test(test_disk__fates_above_are_bounded),
    };
    return cmocka_run_group_tests_name("disk", tests, NULL, NULL);
}
