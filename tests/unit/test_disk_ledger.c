/* SPDX-License-Identifier: MIT
 *
 * A deed ledger on the simulated disk: one action recorded, attempted and finished, and at each point
 * of that the power fails with each combination of what was not flushed. Counts are printed.
 */
#include "support/test.h"

#include "support/disk_ledger.h"

/* How far the program has come when the power fails. */
enum told {
    TOLD_NOTHING,
    TOLD_RECORDED,
    TOLD_BEGUN,
    TOLD_FINISHED
};

struct trial {
    deed_disk *disk;
    deed_disk *after; /* what the power left */
    enum told told;
    uint64_t points;
    uint64_t states;
    uint64_t most;
    uint64_t met[4]; /* the ledger's answer: not there, recorded, attempted, confirmed */
};

/* What was told is there, and nothing that was not begun. `whole`: every chain is checked too. */
static void check_state(struct trial *trial, bool whole)
{
    struct disk_ledger program;
    struct deed_result result;
    disk_ledger_open(&program, trial->after, 2);
    assert_int_equal(program.rc, DEED_OK);
    const deed_rc rc = disk_ledger_get(&program, "a", &result);
    assert_true(rc == DEED_OK || rc == DEED_E_NOT_FOUND);
    const unsigned state = rc == DEED_OK ? 1U + (unsigned)result.state - DEED_RECORDED : 0;
    assert_true(state >= (unsigned)trial->told);
    assert_true(state <= (unsigned)trial->told + 1);
    trial->met[state]++;
    if (whole) {
        struct deed_check check = {.size = sizeof(check)};
        assert_int_equal(deed_ledger_check(program.ledger, NULL, NULL, &check, NULL), DEED_OK);
    }
    disk_ledger_close(&program);
}

static void power_fails(struct trial *trial, const uint8_t *fates, uint32_t count)
{
    assert_int_equal(deed_disk_become(trial->after, trial->disk, NULL), DEED_OK);
    deed_disk_restart(trial->after, fates, count);
    assert_int_equal(deed_disk_pending(trial->after), 0);
    assert_true(deed_disk_hash(trial->after, true) == deed_disk_hash(trial->after, false));
    check_state(trial, trial->states % 64 == 0);
    trial->states++;
}

/* The part of the quick test: prefixes, and all but one. */
static void some_fates(struct trial *trial, uint32_t count)
{
    uint8_t fates[64] = {0};
    assert_true(count < sizeof(fates));
    power_fails(trial, fates, count);
    for (uint32_t i = 0; i < count; i++) {
        fates[i] = DEED_DISK_KEPT;
        power_fails(trial, fates, count);
    }
    for (uint32_t i = 0; i + 1 < count; i++) {
        fates[i] = DEED_DISK_LOST;
        power_fails(trial, fates, count);
        fates[i] = DEED_DISK_KEPT;
    }
}

static void all_fates(struct trial *trial, uint32_t count)
{
    deed_disk_fates *fates = NULL;
    assert_int_equal(deed_disk_fates_new(count, 1, &fates, NULL), DEED_OK);
    for (const uint8_t *next = deed_disk_fates_next(fates); next != NULL;
         next = deed_disk_fates_next(fates)) {
        power_fails(trial, next, count);
    }
    deed_disk_fates_free(fates);
}

static void at_each_point(void *context, const struct deed_disk_event *event)
{
    struct trial *trial = context;
    const char *sweep = getenv("DEED_SWEEP");
    assert_int_equal(event->pending, deed_disk_pending(trial->disk));
    if (sweep != NULL && strcmp(sweep, "whole") == 0) {
        all_fates(trial, event->pending);
    } else {
        some_fates(trial, event->pending);
    }
    trial->points++;
    trial->most = event->pending > trial->most ? event->pending : trial->most;
}

static void live(struct trial *trial, struct disk_ledger *program)
{
    struct deed_attempt attempt;
    assert_int_equal(disk_ledger_record(program, "a"), DEED_OK);
    trial->told = TOLD_RECORDED;
    assert_int_equal(disk_ledger_begin(program, "a", &attempt), DEED_OK);
    trial->told = TOLD_BEGUN;
    assert_int_equal(disk_ledger_finish(program, "a", &attempt), DEED_OK);
    trial->told = TOLD_FINISHED;
}

static void test_disk_ledger__keeps_its_word_whatever_survives(void **state)
{
    (void)state;
    struct trial trial = {0};
    struct disk_ledger program;
    trial.disk = disk_ledger_new(NULL);
    assert_int_equal(deed_disk_copy(trial.disk, &trial.after, NULL), DEED_OK);
    deed_disk_watch(trial.disk, at_each_point, &trial);
    disk_ledger_open(&program, trial.disk, 1);
    assert_int_equal(program.rc, DEED_OK);
    live(&trial, &program);
    disk_ledger_close(&program);
    deed_disk_watch(trial.disk, NULL, NULL);
    const struct deed_disk_event end = {.pending = deed_disk_pending(trial.disk)};
    at_each_point(&trial, &end); /* events come before what they tell: this is after the last */
    print_message("one action, answered: %llu points, at most %llu units, %llu states "
                  "(not there %llu, recorded %llu, attempted %llu, confirmed %llu)\n",
        (unsigned long long)trial.points, (unsigned long long)trial.most,
        (unsigned long long)trial.states, (unsigned long long)trial.met[0],
        (unsigned long long)trial.met[1], (unsigned long long)trial.met[2],
        (unsigned long long)trial.met[3]);
    assert_true(trial.points > 30 && trial.states > 600);
    for (size_t i = 0; i < 4; i++) {
        assert_true(trial.met[i] > 0);
    }
    deed_disk_free(trial.after);
    deed_disk_free(trial.disk);
}

/* A process is killed in its commit, before the flush; the next one finds its words in the page cache.
 * Whatever the next one tells of them, then or by a repeat, must survive the power too. */
struct heir {
    deed_disk *disk;
    uint64_t dies_at;
    uint64_t seen;
};

static void die_there(void *context, const struct deed_disk_event *event)
{
    struct heir *heir = context;
    if (++heir->seen == heir->dies_at) {
        deed_disk_kill(heir->disk, event->process);
    }
}

/* What the heir was told: 0 there is nothing, or 1 + the state. */
static unsigned heir_hears(struct disk_ledger *program)
{
    struct deed_result result;
    const deed_rc rc = disk_ledger_get(program, "a", &result);
    assert_true(rc == DEED_OK || rc == DEED_E_NOT_FOUND);
    return rc == DEED_OK ? 1U + (unsigned)result.state - DEED_RECORDED : 0;
}

static void live_until_dead(struct disk_ledger *program)
{
    struct deed_attempt attempt;
    if (disk_ledger_record(program, "a") == DEED_OK &&
        disk_ledger_begin(program, "a", &attempt) == DEED_OK) {
        (void)disk_ledger_finish(program, "a", &attempt);
    }
}

static void test_disk_ledger__tells_of_nothing_that_only_the_page_cache_knows(void **state)
{
    (void)state;
    uint64_t met[4] = {0};
    bool died = true;
    for (uint64_t at = 1; died; at++) {
        struct heir heir = {.disk = disk_ledger_new(NULL), .dies_at = at};
        struct disk_ledger program;
        disk_ledger_open(&program, heir.disk, 1);
        assert_int_equal(program.rc, DEED_OK);
        deed_disk_watch(heir.disk, die_there, &heir);
        live_until_dead(&program);
        deed_disk_watch(heir.disk, NULL, NULL);
        disk_ledger_close(&program);
        died = heir.seen >= at;
        deed_disk_enter(heir.disk, 2);
        disk_ledger_open(&program, heir.disk, 2);
        assert_int_equal(program.rc, DEED_OK);
        const unsigned heard = heir_hears(&program);
        if (heard > 0) { /* a caller that comes back is told that it was recorded */
            assert_int_equal(disk_ledger_record(&program, "a"), DEED_OK);
        }
        deed_disk_cut(heir.disk);
        disk_ledger_close(&program);
        deed_disk_restart(heir.disk, NULL, 0); /* nothing survives that was not flushed */
        deed_disk_enter(heir.disk, 3);
        disk_ledger_open(&program, heir.disk, 3);
        assert_int_equal(program.rc, DEED_OK);
        assert_int_equal(heir_hears(&program), heard);
        disk_ledger_close(&program);
        deed_disk_free(heir.disk);
        met[heard]++;
    }
    for (size_t i = 0; i < 4; i++) {
        assert_true(met[i] > 0);
    }
}

/* The same run twice: what is on the disk is equal, byte for byte, at each point. */
static void fold_hash(void *context, const struct deed_disk_event *event)
{
    uint64_t *folded = context;
    *folded = *folded * 31 + event->number * 7 + (uint64_t)event->offset + event->pending;
}

static uint64_t whole_run(uint64_t seed, uint64_t *image_out)
{
    struct disk_ledger program;
    uint64_t folded = 0;
    deed_disk *disk = disk_ledger_new(NULL);
    deed_disk_watch(disk, fold_hash, &folded);
    deed_disk_seed(disk, seed);
    disk_ledger_open(&program, disk, 1);
    assert_int_equal(disk_ledger_cycle(&program, "a"), DEED_OK);
    assert_int_equal(disk_ledger_cycle(&program, "b"), DEED_OK);
    *image_out = deed_disk_hash(disk, true);
    disk_ledger_close(&program);
    deed_disk_free(disk);
    return folded;
}

static void test_disk_ledger__same_run_same_bytes(void **state)
{
    (void)state;
    uint64_t first_image = 0;
    uint64_t second_image = 0;
    uint64_t other_image = 0;
    const uint64_t first = whole_run(7, &first_image);
    const uint64_t second = whole_run(7, &second_image);
    const uint64_t other = whole_run(8, &other_image);
    assert_true(first == second && first_image == second_image);
    assert_true(first == other);             /* the same calls, */
    assert_true(first_image != other_image); /* with other salts in the WAL */
}

/* Two programs on one disk, each with its three connections, take turns. */
static void test_disk_ledger__two_programs_share_it(void **state)
{
    (void)state;
    struct disk_ledger one;
    struct disk_ledger other;
    struct deed_result result;
    deed_disk *disk = disk_ledger_new(NULL);
    deed_disk_enter(disk, 1);
    disk_ledger_open(&one, disk, 1);
    deed_disk_enter(disk, 2);
    disk_ledger_open(&other, disk, 2);
    deed_disk_enter(disk, 1);
    assert_int_equal(disk_ledger_cycle(&one, "a"), DEED_OK);
    deed_disk_enter(disk, 2);
    assert_int_equal(disk_ledger_get(&other, "a", &result), DEED_OK);
    assert_int_equal(result.outcome, DEED_APPLIED);
    assert_int_equal(disk_ledger_cycle(&other, "b"), DEED_OK);
    deed_disk_enter(disk, 1);
    assert_int_equal(disk_ledger_get(&one, "b", &result), DEED_OK);
    disk_ledger_close(&one);
    deed_disk_enter(disk, 2);
    assert_int_equal(disk_ledger_cycle(&other, "c"), DEED_OK);
    disk_ledger_close(&other);
    deed_disk_free(disk);
}

/* One of two dies at each point of its cycle, unwinds as a ghost, and the other goes on. */
struct death {
    deed_disk *disk;
    uint64_t at;
};

static void die_at(void *context, const struct deed_disk_event *event)
{
    const struct death *death = context;
    if (event->number == death->at) {
        deed_disk_kill(death->disk, event->process);
    }
}

static bool one_dies(deed_disk *disk, uint64_t at)
{
    struct disk_ledger one;
    struct disk_ledger other;
    struct deed_result result;
    struct death death = {disk, at};
    deed_disk_enter(disk, 2);
    disk_ledger_open(&other, disk, 2);
    assert_int_equal(disk_ledger_record(&other, "before"), DEED_OK);
    deed_disk_watch(disk, die_at, &death);
    deed_disk_enter(disk, 1);
    disk_ledger_open(&one, disk, 1);
    const bool alive = disk_ledger_cycle(&one, "a") == DEED_OK;
    assert_true(alive || disk_ledger_record(&one, "late") != DEED_OK); /* a ghost does nothing */
    disk_ledger_close(&one);
    deed_disk_watch(disk, NULL, NULL);
    deed_disk_enter(disk, 2);
    assert_int_equal(disk_ledger_cycle(&other, "b"), DEED_OK);
    assert_int_equal(disk_ledger_get(&other, "before", &result), DEED_OK);
    assert_int_equal(disk_ledger_get(&other, "late", &result), DEED_E_NOT_FOUND);
    struct deed_check check = {.size = sizeof(check)};
    assert_int_equal(deed_ledger_check(other.ledger, NULL, NULL, &check, NULL), DEED_OK);
    disk_ledger_close(&other);
    return !alive;
}

static void test_disk_ledger__one_of_two_dies_at_each_point(void **state)
{
    (void)state;
    deed_disk *template = disk_ledger_new(NULL);
    deed_disk *disk = NULL;
    assert_int_equal(deed_disk_copy(template, &disk, NULL), DEED_OK);
    uint64_t deaths = 0;
    for (uint64_t at = 1;; at++) {
        assert_int_equal(deed_disk_become(disk, template, NULL), DEED_OK);
        struct disk_ledger probe;
        disk_ledger_open(&probe, disk, 3); /* the WAL exists for both */
        disk_ledger_close(&probe);
        assert_true(at < 500);
        const bool died = one_dies(disk, at);
        deaths += died ? 1U : 0U;
        if (!died && deaths > 0) {
            break;
        }
    }
    print_message("one of two programs died at %llu points\n", (unsigned long long)deaths);
    assert_true(deaths > 5);
    deed_disk_free(disk);
    deed_disk_free(template);
}

/* Power failed in the middle of a checkpoint: each page that the log has is noise in the file. The
 * store must not judge the file without its log. */
static void spoil_what_the_log_has(deed_disk *disk)
{
    size_t log_bytes = 0;
    size_t file_bytes = 0;
    const void *borrowed = deed_disk_get(disk, DISK_LEDGER_PATH "-wal", &log_bytes);
    assert_true(log_bytes > 32);
    unsigned char *log = malloc(log_bytes);
    assert_non_null(log);
    memcpy(log, borrowed, log_bytes);
    borrowed = deed_disk_get(disk, DISK_LEDGER_PATH, &file_bytes);
    unsigned char *file = malloc(file_bytes);
    assert_non_null(file);
    memcpy(file, borrowed, file_bytes);
    const size_t page_bytes = (size_t)file[16] << 8 | file[17];
    const size_t frame_bytes = 24 + page_bytes;
    unsigned spoiled = 0;
    for (size_t at = 32; at + frame_bytes <= log_bytes; at += frame_bytes) {
        const size_t page = (size_t)log[at + 2] << 8 | log[at + 3];
        if (page > 1 && page * page_bytes <= file_bytes) { /* the header is looked at first */
            memset(file + (page - 1) * page_bytes, 0xa5, page_bytes);
            spoiled++;
        }
    }
    assert_true(spoiled > 0);
    assert_int_equal(deed_disk_put(disk, DISK_LEDGER_PATH, file, file_bytes, NULL), DEED_OK);
    free(file);
    free(log);
}

static void test_disk_ledger__a_file_is_not_judged_without_its_log(void **state)
{
    (void)state;
    struct disk_ledger program;
    struct deed_result result;
    deed_disk *disk = disk_ledger_new(NULL);
    deed_disk *after = NULL;
    disk_ledger_open(&program, disk, 1);
    assert_int_equal(disk_ledger_cycle(&program, "a"), DEED_OK);
    assert_int_equal(deed_disk_copy(disk, &after, NULL), DEED_OK);
    disk_ledger_close(&program);
    spoil_what_the_log_has(after);
    disk_ledger_open(&program, after, 2);
    assert_int_equal(program.rc, DEED_OK);
    assert_int_equal(disk_ledger_get(&program, "a", &result), DEED_OK);
    assert_int_equal(result.outcome, DEED_APPLIED);
    disk_ledger_close(&program);
    deed_disk_free(after);
    deed_disk_free(disk);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_disk_ledger__keeps_its_word_whatever_survives),
        cmocka_unit_test(test_disk_ledger__tells_of_nothing_that_only_the_page_cache_knows),
        cmocka_unit_test(test_disk_ledger__same_run_same_bytes),
        cmocka_unit_test(test_disk_ledger__two_programs_share_it),
        cmocka_unit_test(test_disk_ledger__one_of_two_dies_at_each_point),
        cmocka_unit_test(test_disk_ledger__a_file_is_not_judged_without_its_log),
    };
    return cmocka_run_group_tests_name("disk_ledger", tests, NULL, NULL);
}
