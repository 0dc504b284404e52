/* SPDX-License-Identifier: MIT
 *
 * Time, chance and memory as tests hold them: what each does to what the ledger is given.
 */
#include "support/test.h"

#include <string.h>

#include <deed/mock/clock.h>

#define START_MS 1700000000000

static struct deed_instant read_clock(const struct deed_clock *clock)
{
    struct deed_instant now;
    assert_int_equal(clock->size, sizeof(*clock));
    assert_true(clock->now(clock->self, &now));
    return now;
}

static void expect_time(const deed_sim_clock *clock, int64_t wall_ms, int64_t mono_ms)
{
    struct deed_instant now = read_clock(deed_sim_clock_machine(clock));
    assert_int_equal(now.wall_ms, START_MS + wall_ms);
    assert_int_equal(now.mono_ms, mono_ms);
}

static void expect_truth(const deed_sim_clock *clock, int64_t wall_ms)
{
    assert_int_equal(read_clock(deed_sim_clock_true(clock)).wall_ms, START_MS + wall_ms);
}

static deed_sim_clock *new_clock(void)
{
    deed_sim_clock *clock = NULL;
    assert_int_equal(deed_sim_clock_new(START_MS, &clock, NULL), DEED_OK);
    return clock;
}

/* Each thing that can be done to a clock is in its hash, and a copy of it: with one left out, two that
 * go on differently would be taken for the same. */
static void test_sim_clock__a_copy_shows_all_that_was_done_and_the_hash_tells_all_apart(
    void **state)
{
    (void)state;
    enum {
        ADVANCED,
        JUMPED,
        SUSPENDED,
        REBOOTED,
        TICKS,
        BROKEN,
        STANDS,
        SET_BACK,
        COUNT
    };
    uint64_t hashes[COUNT + 1];
    for (int i = 0; i <= COUNT; i++) {
        deed_sim_clock *clock = new_clock();
        deed_sim_clock *copy = new_clock();
        deed_sim_clock_advance(clock, i == ADVANCED ? 5 : 0);
        deed_sim_clock_jump(clock, i == JUMPED ? 7 : 0);
        deed_sim_clock_suspend(clock, i == SUSPENDED ? 9 : 0, true);
        if (i == REBOOTED) {
            deed_sim_clock_reboot(clock, 0);
        }
        deed_sim_clock_tick(clock, i == TICKS ? 1 : 0);
        deed_sim_clock_break(clock, i == BROKEN);
        deed_sim_clock_stand(clock, i == STANDS);
        if (i == SET_BACK) { /* and forward again: only its past is another one */
            deed_sim_clock_jump(clock, -3);
            deed_sim_clock_jump(clock, 3);
        }
        hashes[i] = deed_sim_clock_hash(clock);
        for (int before = 0; before < i; before++) {
            assert_true(hashes[before] != hashes[i]);
        }
        deed_sim_clock_become(copy, clock);
        assert_true(deed_sim_clock_hash(copy) == hashes[i]);
        deed_sim_clock_free(copy);
        deed_sim_clock_free(clock);
    }
}

static void test_sim_clock__stands_still_until_told_to_go_on(void **state)
{
    (void)state;
    deed_sim_clock *clock = new_clock();
    expect_time(clock, 0, 0);
    expect_time(clock, 0, 0);
    deed_sim_clock_advance(clock, 1500);
    expect_time(clock, 1500, 1500);
    expect_truth(clock, 1500);
    deed_sim_clock_advance(clock, -1500);
    expect_time(clock, 1500, 1500);
    deed_sim_clock_free(clock);
}

static void test_sim_clock__a_jump_moves_the_machines_wall_clock_alone(void **state)
{
    (void)state;
    deed_sim_clock *clock = new_clock();
    deed_sim_clock_jump(clock, -3600000);
    expect_time(clock, -3600000, 0);
    expect_truth(clock, 0);
    deed_sim_clock_jump(clock, 7200000);
    deed_sim_clock_advance(clock, 1);
    expect_time(clock, 3600001, 1);
    expect_truth(clock, 1);
    deed_sim_clock_free(clock);
}

static void test_sim_clock__a_suspended_machine_may_stop_its_second_clock(void **state)
{
    (void)state;
    deed_sim_clock *clock = new_clock();
    deed_sim_clock_suspend(clock, 1000, false);
    expect_time(clock, 1000, 1000);
    deed_sim_clock_suspend(clock, 1000, true);
    expect_time(clock, 2000, 1000);
    expect_truth(clock, 2000);
    deed_sim_clock_free(clock);
}

static void test_sim_clock__a_reboot_is_a_new_boot_whose_clock_starts_anew(void **state)
{
    (void)state;
    deed_sim_clock *clock = new_clock();
    deed_sim_clock_advance(clock, 1000);
    struct deed_instant before = read_clock(deed_sim_clock_machine(clock));
    struct deed_instant truth = read_clock(deed_sim_clock_true(clock));
    deed_sim_clock_reboot(clock, 500);
    expect_time(clock, 1500, 0);
    struct deed_instant after = read_clock(deed_sim_clock_machine(clock));
    assert_string_not_equal(before.boot, after.boot);
    assert_string_equal(truth.boot, read_clock(deed_sim_clock_true(clock)).boot);
    expect_truth(clock, 1500);
    deed_sim_clock_free(clock);
}

static void test_sim_clock__a_tick_passes_before_each_reading(void **state)
{
    (void)state;
    deed_sim_clock *clock = new_clock();
    deed_sim_clock_tick(clock, 10);
    expect_time(clock, 10, 10);
    expect_time(clock, 20, 20);
    expect_truth(clock, 20);
    deed_sim_clock_tick(clock, 0);
    expect_time(clock, 20, 20);
    deed_sim_clock_free(clock);
}

static void test_sim_clock__one_that_is_broken_cannot_be_read_and_counts_it(void **state)
{
    (void)state;
    struct deed_instant now;
    deed_sim_clock *clock = new_clock();
    const struct deed_clock *machine = deed_sim_clock_machine(clock);
    expect_time(clock, 0, 0);
    deed_sim_clock_break(clock, true);
    assert_false(machine->now(machine->self, &now));
    assert_int_equal(deed_sim_clock_readings(clock), 2);
    expect_truth(clock, 0);
    deed_sim_clock_break(clock, false);
    expect_time(clock, 0, 0);
    deed_sim_clock_free(clock);
    deed_sim_clock_free(NULL);
}

/* ---- chance ------------------------------------------------------------------------------ */

static void test_sim_random__repeats_with_its_seed_and_differs_with_another(void **state)
{
    (void)state;
    static const uint64_t seeds[] = {7, 7, 8};
    uint8_t bytes[3][21];
    for (size_t i = 0; i < 3; i++) {
        deed_sim_random *random = NULL;
        assert_int_equal(deed_sim_random_new(seeds[i], &random, NULL), DEED_OK);
        const struct deed_random *source = deed_sim_random_source(random);
        assert_true(source->fill(source->self, bytes[i], sizeof(bytes[i])));
        deed_sim_random_free(random);
    }
    assert_memory_equal(bytes[0], bytes[1], sizeof(bytes[0]));
    assert_memory_not_equal(bytes[0], bytes[2], sizeof(bytes[0]));
    assert_memory_not_equal(bytes[0], bytes[0] + 8, 8);
}

static void test_sim_random__stays_below_its_bound_and_reaches_it(void **state)
{
    (void)state;
    deed_sim_random *random = NULL;
    unsigned seen[3] = {0, 0, 0};
    assert_int_equal(deed_sim_random_new(1, &random, NULL), DEED_OK);
    for (unsigned i = 0; i < 100; i++) {
        uint64_t number = deed_sim_random_below(random, 3);
        assert_in_range(number, 0, 2);
        seen[number]++;
    }
    assert_true(seen[0] > 0 && seen[1] > 0 && seen[2] > 0);
    assert_int_equal(deed_sim_random_below(random, 1), 0);
    deed_sim_random_free(random);
}

static void test_sim_random__fails_when_told_to(void **state)
{
    (void)state;
    uint8_t byte = 0;
    deed_sim_random *random = NULL;
    assert_int_equal(deed_sim_random_new(1, &random, NULL), DEED_OK);
    const struct deed_random *source = deed_sim_random_source(random);
    deed_sim_random_break(random, true);
    assert_false(source->fill(source->self, &byte, 1));
    deed_sim_random_break(random, false);
    assert_true(source->fill(source->self, &byte, 1));
    deed_sim_random_free(random);
    deed_sim_random_free(NULL);
}

/* ---- memory ------------------------------------------------------------------------------ */

static struct deed_fault_alloc_counts counts_of(const deed_fault_alloc *alloc)
{
    struct deed_fault_alloc_counts counts;
    deed_fault_alloc_count(alloc, &counts);
    return counts;
}

static void test_fault_alloc__gives_keeps_and_counts(void **state)
{
    (void)state;
    deed_fault_alloc *alloc = NULL;
    assert_int_equal(deed_fault_alloc_new(&alloc, NULL), DEED_OK);
    const struct deed_allocator *memory = deed_fault_alloc_source(alloc);
    char *text = memory->resize(memory->self, NULL, 0, 4);
    assert_non_null(text);
    memcpy(text, "abc", 4);
    text = memory->resize(memory->self, text, 4, 1000);
    assert_string_equal(text, "abc");
    assert_int_equal(counts_of(alloc).live, 1);
    assert_int_equal(counts_of(alloc).live_bytes, 1000);
    text = memory->resize(memory->self, text, 1000, 2);
    assert_memory_equal(text, "ab", 2);
    assert_null(memory->resize(memory->self, text, 2, 0));
    assert_null(memory->resize(memory->self, NULL, 0, 0));
    assert_int_equal(counts_of(alloc).requests, 3);
    assert_int_equal(counts_of(alloc).live, 0);
    assert_int_equal(counts_of(alloc).live_bytes, 0);
    assert_int_equal(counts_of(alloc).misused, 0);
    deed_fault_alloc_free(alloc);
    deed_fault_alloc_free(NULL);
}

static void test_fault_alloc__fails_the_nth_request_once_or_from_then_on(void **state)
{
    (void)state;
    deed_fault_alloc *alloc = NULL;
    assert_int_equal(deed_fault_alloc_new(&alloc, NULL), DEED_OK);
    const struct deed_allocator *memory = deed_fault_alloc_source(alloc);
    for (unsigned sticky = 0; sticky < 2; sticky++) {
        deed_fault_alloc_fail(alloc, 2, sticky == 1);
        void *first = memory->resize(memory->self, NULL, 0, 8);
        void *second = memory->resize(memory->self, NULL, 0, 8);
        void *third = memory->resize(memory->self, NULL, 0, 8);
        assert_non_null(first);
        assert_null(second);
        assert_int_equal(third == NULL, sticky == 1);
        (void)memory->resize(memory->self, first, 8, 0);
        (void)memory->resize(memory->self, third, third != NULL ? 8 : 0, 0);
    }
    assert_int_equal(counts_of(alloc).failed, 3);
    deed_fault_alloc_fail(alloc, 0, false);
    void *again = memory->resize(memory->self, NULL, 0, 8);
    assert_non_null(again);
    (void)memory->resize(memory->self, again, 8, 0);
    assert_int_equal(counts_of(alloc).live, 0);
    deed_fault_alloc_free(alloc);
}

static void test_fault_alloc__a_failed_resize_leaves_the_block_as_it_was(void **state)
{
    (void)state;
    deed_fault_alloc *alloc = NULL;
    assert_int_equal(deed_fault_alloc_new(&alloc, NULL), DEED_OK);
    const struct deed_allocator *memory = deed_fault_alloc_source(alloc);
    char *text = memory->resize(memory->self, NULL, 0, 4);
    assert_non_null(text);
    memcpy(text, "abc", 4);
    deed_fault_alloc_fail(alloc, 1, false);
    assert_null(memory->resize(memory->self, text, 4, 400));
    assert_string_equal(text, "abc");
    assert_null(memory->resize(memory->self, text, 4, SIZE_MAX));
    (void)memory->resize(memory->self, text, 4, 0);
    assert_int_equal(counts_of(alloc).live, 0);
    deed_fault_alloc_free(alloc);
}

static void test_fault_alloc__a_wrong_old_size_is_noticed(void **state)
{
    (void)state;
    deed_fault_alloc *alloc = NULL;
    assert_int_equal(deed_fault_alloc_new(&alloc, NULL), DEED_OK);
    const struct deed_allocator *memory = deed_fault_alloc_source(alloc);
    void *block = memory->resize(memory->self, NULL, 0, 8);
    (void)memory->resize(memory->self, block, 7, 0);
    assert_int_equal(counts_of(alloc).misused, 1);
    assert_int_equal(counts_of(alloc).live_bytes, 0);
    deed_fault_alloc_free(alloc);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            test_sim_clock__a_copy_shows_all_that_was_done_and_the_hash_tells_all_apart),
        cmocka_unit_test(test_sim_clock__stands_still_until_told_to_go_on),
        cmocka_unit_test(test_sim_clock__a_jump_moves_the_machines_wall_clock_alone),
        cmocka_unit_test(test_sim_clock__a_suspended_machine_may_stop_its_second_clock),
        cmocka_unit_test(test_sim_clock__a_reboot_is_a_new_boot_whose_clock_starts_anew),
        cmocka_unit_test(test_sim_clock__a_tick_passes_before_each_reading),
        cmocka_unit_test(test_sim_clock__one_that_is_broken_cannot_be_read_and_counts_it),
        cmocka_unit_test(test_sim_random__repeats_with_its_seed_and_differs_with_another),
        cmocka_unit_test(test_sim_random__stays_below_its_bound_and_reaches_it),
        cmocka_unit_test(test_sim_random__fails_when_told_to),
        cmocka_unit_test(test_fault_alloc__gives_keeps_and_counts),
        cmocka_unit_test(test_fault_alloc__fails_the_nth_request_once_or_from_then_on),
        cmocka_unit_test(test_fault_alloc__a_failed_resize_leaves_the_block_as_it_was),
        cmocka_unit_test(test_fault_alloc__a_wrong_old_size_is_noticed),
    };
    return cmocka_run_group_tests_name("sim_clock", tests, NULL, NULL);
}
