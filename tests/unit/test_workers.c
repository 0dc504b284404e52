/* SPDX-License-Identifier: MIT
 *
 * Workers in one thread. Method: workers that write their names on a tape; the tapes of all runs are
 * counted and compared with what can be computed by hand.
 */
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <deed/mock/workers.h>

#define TAPE_BYTES 64
#define TAPES_MOST 4096

static deed_workers *workers;
static char tape[TAPE_BYTES];
static size_t tape_bytes;

struct task {
    char name;
    unsigned passes;
    unsigned dies_at; /* after so many passes; 0: never */
    bool waits;       /* for `ready` */
};
static bool ready;

static void put(char letter)
{
    assert_true(tape_bytes + 1 < sizeof(tape));
    tape[tape_bytes++] = letter;
    tape[tape_bytes] = '\0';
}

static void work(void *context)
{
    const struct task *task = context;
    put(task->name);
    for (unsigned i = 1; i <= task->passes; i++) {
        while (task->waits && !ready) {
            deed_workers_wait(workers, "test.wait");
        }
        deed_workers_pass(workers, "test.pass");
        put(task->name);
        if (i == task->dies_at) {
            deed_workers_die(workers);
        }
    }
}

static void become_ready(void *context)
{
    work(context);
    ready = true;
}

static void make(uint32_t preemptions, uint64_t steps_most)
{
    const struct deed_workers_options options = {
        .size = sizeof(options), .preemptions = preemptions, .steps_most = steps_most};
    assert_int_equal(deed_workers_new(&options, &workers, NULL), DEED_OK);
}

static bool run(deed_choices *choices, struct task *tasks, size_t count)
{
    tape_bytes = 0;
    tape[0] = '\0';
    ready = false;
    deed_workers_begin(workers, choices);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(deed_workers_add(workers, work, &tasks[i]), i + 1);
    }
    bool ended = deed_workers_run(workers);
    assert_int_equal(deed_workers_present(workers), 0);
    return ended;
}

/* How many different tapes an exhaustive search gives; no tape may come twice. */
static unsigned tapes_of(struct task *tasks, size_t count)
{
    static char seen[TAPES_MOST][TAPE_BYTES];
    unsigned runs = 0;
    deed_choices *choices = NULL;
    assert_int_equal(deed_choices_exhaustive(&choices, NULL), DEED_OK);
    do {
        assert_true(run(choices, tasks, count));
        assert_true(runs < TAPES_MOST);
        for (unsigned i = 0; i < runs; i++) {
            assert_string_not_equal(seen[i], tape);
        }
        memcpy(seen[runs++], tape, sizeof(tape));
    } while (deed_choices_next(choices));
    deed_choices_free(choices);
    return runs;
}

static void test_workers__meet_in_every_order_once(void **state)
{
    (void)state;
    struct task tasks[] = {
        {.name = 'a', .passes = 3}, {.name = 'b', .passes = 3}, {.name = 'c', .passes = 1}};
    make(0, 0);
    assert_int_equal(tapes_of(tasks, 2), 70);   /* 8! / (4! 4!) */
    assert_int_equal(tapes_of(tasks, 3), 3150); /* 10! / (4! 4! 2!) */
    deed_workers_free(workers);
}

static void test_workers__are_stopped_so_often_at_most(void **state)
{
    (void)state;
    struct task tasks[] = {{.name = 'a', .passes = 3}, {.name = 'b', .passes = 3}};
    make(1, 0);
    /* Either begins, and is stopped at one of its three places, or not at all. */
    assert_int_equal(tapes_of(tasks, 2), 2 * (1 + 3));
    struct deed_workers_counts counts = {.size = sizeof(counts)};
    deed_workers_count(workers, &counts);
    assert_int_equal(counts.preemptions, 1);
    deed_workers_free(workers);
}

static void test_workers__go_on_to_their_end_without_choices(void **state)
{
    (void)state;
    struct task tasks[] = {{.name = 'a', .passes = 3}, {.name = 'b', .passes = 2}};
    make(0, 0);
    assert_true(run(NULL, tasks, 2));
    assert_string_equal(tape, "aaaabbb");
    deed_workers_pass(workers, "outside"); /* is no place */
    deed_workers_wait(workers, "outside");
    deed_workers_die(workers);
    deed_workers_free(workers);
}

static void test_workers__die_and_others_go_on(void **state)
{
    (void)state;
    struct task tasks[] = {{.name = 'a', .passes = 3, .dies_at = 1}, {.name = 'b', .passes = 3}};
    make(0, 0);
    assert_int_equal(tapes_of(tasks, 2), 15); /* 6! / (2! 4!) */
    assert_false(deed_workers_lives(workers, 1));
    struct deed_workers_counts counts = {.size = sizeof(counts)};
    deed_workers_count(workers, &counts);
    assert_int_equal(counts.died, 1);
    deed_workers_free(workers);
}

static void test_workers__wait_for_each_other(void **state)
{
    (void)state;
    struct task waits = {.name = 'w', .passes = 1, .waits = true};
    struct task frees = {.name = 'f', .passes = 3};
    make(0, 0);
    tape_bytes = 0;
    ready = false;
    deed_workers_begin(workers, NULL);
    (void)deed_workers_add(workers, work, &waits);
    (void)deed_workers_add(workers, become_ready, &frees);
    assert_true(deed_workers_run(workers));
    assert_string_equal(tape, "wffffw");
    deed_workers_free(workers);
}

static void test_workers__that_wait_for_ever_are_stopped(void **state)
{
    (void)state;
    struct task tasks[] = {
        {.name = 'w', .passes = 1, .waits = true}, {.name = 'v', .passes = 1, .waits = true}};
    make(0, 1000);
    assert_false(run(NULL, tasks, 2));
    assert_true(deed_workers_lives(workers, 1));
    tasks[0].waits = tasks[1].waits = false;
    assert_true(run(NULL, tasks, 2)); /* the next run knows nothing of it */
    deed_workers_free(workers);
}

/* ---- memory ------------------------------------------------------------------------------ */

static void take_and_die(void *context)
{
    const struct deed_allocator *memory = deed_workers_memory(workers, 1);
    char *small = memory->resize(memory->self, NULL, 0, 10);
    memset(small, 's', 10);
    char *large = memory->resize(memory->self, NULL, 0, 200000);
    memset(large, 'l', 200000);
    small = memory->resize(memory->self, small, 10, 5000);
    for (unsigned i = 0; i < 10; i++) {
        assert_int_equal(small[i], 's');
    }
    memset(small, 't', 5000);
    small = memory->resize(memory->self, small, 5000, 20);
    assert_null(memory->resize(memory->self, large, 200000, 0));
    *(void **)context = small;
    deed_workers_die(workers);
}

static void test_workers__give_their_memory_back_when_they_die(void **state)
{
    (void)state;
    void *first = NULL;
    void *again = NULL;
    make(0, 0);
    for (unsigned i = 0; i < 100; i++) {
        deed_workers_begin(workers, NULL);
        assert_int_equal(deed_workers_add(workers, take_and_die, &again), 1);
        assert_true(deed_workers_run(workers));
        assert_true(first == NULL || first == again); /* the same chunks, run after run */
        first = again;
    }
    assert_null(deed_workers_memory(workers, 2));
    deed_workers_free(workers);
}

/* ---- trails ------------------------------------------------------------------------------ */

static void test_workers__repeat_with_their_trail(void **state)
{
    (void)state;
    struct task tasks[] = {{.name = 'a', .passes = 5}, {.name = 'b', .passes = 5, .dies_at = 3},
        {.name = 'c', .passes = 5}};
    deed_choices *pct = NULL;
    make(0, 0);
    assert_int_equal(deed_choices_pct(7, 3, 15, &pct, NULL), DEED_OK);
    for (unsigned i = 0; i < 50; i++) {
        deed_choices *replay = NULL;
        char first[TAPE_BYTES];
        assert_true(run(pct, tasks, 3));
        memcpy(first, tape, sizeof(first));
        char *trail = deed_choices_trail(pct);
        assert_int_equal(deed_choices_replay(trail, &replay, NULL), DEED_OK);
        assert_true(run(replay, tasks, 3));
        assert_string_equal(tape, first);
        assert_int_equal(deed_choices_hash(replay), deed_choices_hash(pct));
        deed_choices_free(replay);
        free(trail);
        assert_true(deed_choices_next(pct));
    }
    deed_choices_free(pct);
    deed_workers_free(workers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_workers__meet_in_every_order_once),
        cmocka_unit_test(test_workers__are_stopped_so_often_at_most),
        cmocka_unit_test(test_workers__go_on_to_their_end_without_choices),
        cmocka_unit_test(test_workers__die_and_others_go_on),
        cmocka_unit_test(test_workers__wait_for_each_other),
        cmocka_unit_test(test_workers__that_wait_for_ever_are_stopped),
        cmocka_unit_test(test_workers__give_their_memory_back_when_they_die),
        cmocka_unit_test(test_workers__repeat_with_their_trail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
