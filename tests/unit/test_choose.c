/* SPDX-License-Identifier: MIT
 *
 * Who answers questions of chance, and what can be relied on: each combination once, one seed one
 * run, one trail one run, streams that do not shift each other, and the shortest trail.
 */
#include "support/test.h"

#include <deed/mock/choose.h>

static deed_choices *exhaustive(void)
{
    deed_choices *choices = NULL;
    assert_int_equal(deed_choices_exhaustive(&choices, NULL), DEED_OK);
    return choices;
}

static deed_choices *swarm(uint64_t seed)
{
    deed_choices *choices = NULL;
    assert_int_equal(deed_choices_swarm(seed, &choices, NULL), DEED_OK);
    return choices;
}

static deed_choices *pct(uint64_t seed, uint32_t depth, uint32_t steps)
{
    deed_choices *choices = NULL;
    assert_int_equal(deed_choices_pct(seed, depth, steps, &choices, NULL), DEED_OK);
    return choices;
}

static deed_choices *replay(const char *trail)
{
    deed_choices *choices = NULL;
    assert_int_equal(deed_choices_replay(trail, &choices, NULL), DEED_OK);
    return choices;
}

/* ---- the odometer ------------------------------------------------------------------------ */

/* A tree whose shape depends on the answers: after 0, two questions; after 1, none; after 2, one. */
static uint32_t walk(deed_choices *choices)
{
    const uint32_t first = deed_choose(choices, DEED_PURPOSE_CRASH, "first", 3);
    if (first == 0) {
        const uint32_t second = deed_choose(choices, DEED_PURPOSE_DISK, "second", 2);
        return second * 4 + deed_choose(choices, DEED_PURPOSE_DISK, "third", 4);
    }
    return first == 1 ? 8 : 9 + deed_choose(choices, DEED_PURPOSE_DISK, "fourth", 5);
}

static void test_choose__odometer_visits_each_leaf_once(void **state)
{
    (void)state;
    deed_choices *choices = exhaustive();
    uint32_t visits[14] = {0};
    uint32_t runs = 0;
    do {
        visits[walk(choices)]++;
        runs++;
        assert_true(runs <= 14);
    } while (deed_choices_next(choices));
    assert_int_equal(runs, 14);
    for (size_t i = 0; i < 14; i++) {
        assert_int_equal(visits[i], 1);
    }
    assert_int_equal(deed_choices_seed(choices), 0);
    deed_choices_free(choices);
}

static void test_choose__odometer_begins_with_no_fault_at_all(void **state)
{
    (void)state;
    deed_choices *choices = exhaustive();
    assert_int_equal(walk(choices), 0);
    assert_int_equal(deed_choices_asked(choices), 3);
    deed_choices_free(choices);
}

/* The question's bound is not what it was: the program under test is not the same in each run. */
static void test_choose__odometer_counts_what_does_not_repeat(void **state)
{
    (void)state;
    deed_choices *choices = exhaustive();
    assert_int_equal(deed_choose(choices, DEED_PURPOSE_DISK, "a", 3), 0);
    assert_true(deed_choices_next(choices));
    assert_int_equal(deed_choose(choices, DEED_PURPOSE_DISK, "a", 3), 1);
    assert_int_equal(deed_choices_strayed(choices), 0);
    assert_true(deed_choices_next(choices));
    assert_int_equal(deed_choose(choices, DEED_PURPOSE_DISK, "a", 2), 1);
    assert_int_equal(deed_choices_strayed(choices), 1);
    deed_choices_free(choices);
}

static void test_choose__a_bound_of_one_is_no_question(void **state)
{
    (void)state;
    deed_choices *choices = exhaustive();
    assert_int_equal(deed_choose(choices, DEED_PURPOSE_DISK, "a", 0), 0);
    assert_int_equal(deed_choose(choices, DEED_PURPOSE_DISK, "a", 1), 0);
    assert_int_equal(deed_choose(choices, DEED_PURPOSE_COUNT, "a", 9), 0);
    const uint32_t alone = 7;
    assert_int_equal(deed_choose_worker(choices, "a", &alone, 1), 0);
    assert_int_equal(deed_choices_asked(choices), 0);
    assert_false(deed_choices_next(choices));
    deed_choices_free(choices);
}

/* ---- chance ------------------------------------------------------------------------------ */

static void answers(deed_choices *choices, bool extra, uint32_t out[200])
{
    for (uint32_t i = 0; i < 200; i++) {
        out[i] = deed_choose(choices, DEED_PURPOSE_DISK, i % 2 == 0 ? "write" : "sync", 1000);
        if (extra) {
            (void)deed_choose(choices, DEED_PURPOSE_BOUNDARY, "new", 5);
        }
    }
}

/* Sums over many seeds, since in half of them the disk is switched off. */
static void test_choose__a_new_site_does_not_shift_another_purpose(void **state)
{
    (void)state;
    uint32_t with[200];
    uint32_t without[200];
    uint32_t spoken = 0;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        deed_choices *one = swarm(seed);
        deed_choices *other = swarm(seed);
        answers(one, false, without);
        answers(other, true, with);
        assert_memory_equal(with, without, sizeof(with));
        for (size_t i = 0; i < 200; i++) {
            spoken += with[i] != 0 ? 1U : 0U;
        }
        deed_choices_free(one);
        deed_choices_free(other);
    }
    assert_true(spoken > 100);
}

static void test_choose__half_of_all_purposes_are_off(void **state)
{
    (void)state;
    deed_choices *choices = swarm(0);
    assert_int_equal(deed_choices_seed(choices), 1);
    uint32_t silent[DEED_PURPOSE_COUNT] = {0};
    uint64_t seed_before = 0;
    for (uint32_t run = 0; run < 400; run++) {
        assert_true(deed_choices_seed(choices) != seed_before);
        seed_before = deed_choices_seed(choices);
        for (unsigned purpose = 0; purpose < DEED_PURPOSE_COUNT; purpose++) {
            uint32_t sum = 0;
            for (uint32_t i = 0; i < 8000 && sum == 0; i++) {
                sum += deed_choose(choices, (deed_purpose)purpose, "site", 2);
            }
            silent[purpose] += sum == 0 ? 1U : 0U;
        }
        assert_true(deed_choices_next(choices));
        assert_int_equal(deed_choices_asked(choices), 0);
    }
    for (unsigned purpose = 0; purpose < DEED_PURPOSE_COUNT; purpose++) {
        assert_in_range(silent[purpose], 140, 260);
    }
    deed_choices_free(choices);
}

/* Over many seeds one site is sometimes frequent and sometimes rare. */
static void test_choose__weights_differ_wildly(void **state)
{
    (void)state;
    uint32_t often = 0;
    uint32_t rarely = 0;
    deed_choices *choices = swarm(3);
    for (uint32_t run = 0; run < 200; run++) {
        uint32_t met = 0;
        for (uint32_t i = 0; i < 2000; i++) {
            met += deed_choose(choices, DEED_PURPOSE_CLOCK, "jump", 3) != 0 ? 1U : 0U;
        }
        often += met > 400 ? 1U : 0U;
        rarely += met > 0 && met < 20 ? 1U : 0U;
        assert_true(deed_choices_next(choices));
    }
    assert_in_range(often, 8, 60);
    assert_in_range(rarely, 8, 80);
    deed_choices_free(choices);
}

/* ---- priorities -------------------------------------------------------------------------- */

/* Three workers of ten steps; how often who runs changes. The one that runs is named first. */
static uint32_t switches(deed_choices *choices)
{
    uint32_t left[3] = {10, 10, 10};
    uint32_t running = 0;
    uint32_t switched = 0;
    for (uint32_t step = 0; step < 30; step++) {
        uint32_t able[3];
        uint32_t count = 0;
        if (left[running] > 0) {
            able[count++] = running;
        }
        for (uint32_t i = 0; i < 3; i++) {
            if (i != running && left[i] > 0) {
                able[count++] = i;
            }
        }
        const uint32_t next = able[deed_choose_worker(choices, "step", able, count)];
        switched += next != running ? 1U : 0U;
        running = next;
        left[running]--;
    }
    return switched;
}

static void test_choose__priorities_change_at_few_moments(void **state)
{
    (void)state;
    uint32_t most = 0;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        deed_choices *one = pct(seed, 1, 30);
        deed_choices *three = pct(seed, 3, 30);
        assert_true(switches(one) <= 3); /* in turn, and the first may not be the first */
        const uint32_t many = switches(three);
        assert_true(many <= 5);
        most = many > most ? many : most;
        deed_choices_free(one);
        deed_choices_free(three);
    }
    assert_true(most > 3);
}

static void test_choose__priorities_without_names_switch_at_the_moments(void **state)
{
    (void)state;
    uint32_t sum = 0;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        deed_choices *choices = pct(seed, 4, 50);
        for (uint32_t i = 0; i < 50; i++) {
            const uint32_t answer = deed_choose(choices, DEED_PURPOSE_SCHEDULE, "step", 2);
            assert_true(answer < 2);
            sum += answer;
        }
        deed_choices_free(choices);
    }
    assert_in_range(sum, 100, 400); /* at most three, and one at the beginning */
    struct deed_error err;
    deed_choices *choices = NULL;
    assert_int_equal(deed_choices_pct(1, 0, 5, &choices, &err), DEED_E_INVALID);
    assert_int_equal(deed_choices_pct(1, 33, 5, &choices, &err), DEED_E_INVALID);
    assert_int_equal(deed_choices_pct(1, 1, 0, &choices, &err), DEED_E_INVALID);
    assert_non_null(strstr(err.text, "these are 1 and 0"));
}

/* ---- trails ------------------------------------------------------------------------------ */

static void life(deed_choices *choices)
{
    for (uint32_t i = 0; i < 60; i++) {
        const uint32_t answer =
            deed_choose(choices, (deed_purpose)(i % DEED_PURPOSE_COUNT), "life.step", 2 + i);
        deed_choices_note(choices, &answer, sizeof(answer));
    }
}

/* Method: many seeds; the trail of each, replayed, gives the same hash and the same trail, and so
 * does the seed. Other trails give other hashes. */
static void test_choose__same_trail_same_hash(void **state)
{
    (void)state;
    uint64_t hashes[50];
    size_t lines = 0;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        deed_choices *first = swarm(seed);
        life(first);
        char *trail = deed_choices_trail(first);
        deed_choices *again = replay(trail);
        life(again);
        hashes[seed - 1] = deed_choices_hash(again);
        assert_true(deed_choices_hash(first) == hashes[seed - 1]);
        assert_int_equal(deed_choices_strayed(again), 0);
        char *trail_again = deed_choices_trail(again);
        assert_string_equal(strchr(trail, '\n'), strchr(trail_again, '\n'));
        lines += strchr(trail, '\n')[1] != '\0' ? 1U : 0U;
        free(trail);
        free(trail_again);
        deed_choices_free(again);
        assert_false(deed_choices_next(first) && deed_choices_seed(first) == seed);
        deed_choices_free(first);
    }
    assert_true(lines > 20);
    size_t equal = 0;
    for (size_t i = 1; i < 50; i++) {
        equal += hashes[i] == hashes[0] ? 1U : 0U;
    }
    assert_true(equal < 25); /* runs without any fault are equal */
}

/* Each part of what happened is in the hash: purpose, site, bound, answer, note, and its place. */
static uint64_t hash_of(const char *trail, deed_purpose purpose, const char *site, uint32_t bound,
    const char *note, bool note_first)
{
    deed_choices *choices = replay(trail);
    if (note_first) {
        deed_choices_note(choices, note, strlen(note));
    }
    (void)deed_choose(choices, purpose, site, bound);
    if (!note_first) {
        deed_choices_note(choices, note, strlen(note));
    }
    const uint64_t hash = deed_choices_hash(choices);
    deed_choices_free(choices);
    return hash;
}

static void test_choose__hash_covers_all(void **state)
{
    (void)state;
    const uint64_t base = hash_of("", DEED_PURPOSE_DISK, "a", 3, "x", false);
    assert_true(base == hash_of("", DEED_PURPOSE_DISK, "a", 3, "x", false));
    assert_true(base != hash_of("1 disk a 1/3", DEED_PURPOSE_DISK, "a", 3, "x", false));
    assert_true(base != hash_of("", DEED_PURPOSE_CLOCK, "a", 3, "x", false));
    assert_true(base != hash_of("", DEED_PURPOSE_DISK, "b", 3, "x", false));
    assert_true(base != hash_of("", DEED_PURPOSE_DISK, "a", 4, "x", false));
    assert_true(base != hash_of("", DEED_PURPOSE_DISK, "a", 3, "y", false));
    assert_true(base != hash_of("", DEED_PURPOSE_DISK, "a", 3, "x", true));
    const char eight[] = "12345678";
    const char nine[] = "123456789";
    assert_true(hash_of("", DEED_PURPOSE_DISK, "a", 3, eight, true) !=
        hash_of("", DEED_PURPOSE_DISK, "a", 3, nine, true));
}

static void test_choose__a_trail_is_text(void **state)
{
    (void)state;
    deed_choices *choices =
        replay("# any words\n\n  2 disk wal.write 2/4\r\n3 crash  at 7/9\n1000 clock c 1/2");
    assert_int_equal(deed_choose(choices, DEED_PURPOSE_DISK, "wal.write", 4), 0);
    assert_int_equal(deed_choose(choices, DEED_PURPOSE_DISK, "wal.write", 4), 2);
    assert_int_equal(deed_choose(choices, DEED_PURPOSE_CRASH, "at", 9), 7);
    assert_int_equal(deed_choose(choices, DEED_PURPOSE_CRASH, "at", 9), 0);
    char *trail = deed_choices_trail(choices);
    assert_string_equal(strchr(trail, '\n'), "\n2 disk wal.write 2/4\n3 crash at 7/9\n");
    assert_int_equal(strncmp(trail, "# deed ", 7), 0);
    assert_non_null(strstr(trail, ": 4 questions, hash "));
    free(trail);
    assert_false(deed_choices_next(choices));
    deed_choices_free(choices);
}

static void test_choose__code_that_moved_on_is_counted(void **state)
{
    (void)state;
    deed_choices *choices = replay("1 disk a 3/4\n2 disk b 1/2\n3 disk c 1/2\n4 disk d 1/2\n");
    assert_int_equal(deed_choose(choices, DEED_PURPOSE_DISK, "a", 3), 2); /* a smaller bound */
    assert_int_equal(deed_choose(choices, DEED_PURPOSE_DISK, "other", 2), 0);
    assert_int_equal(deed_choose(choices, DEED_PURPOSE_CLOCK, "c", 2), 0);
    assert_int_equal(deed_choices_strayed(choices), 3);
    assert_int_equal(deed_choose(choices, DEED_PURPOSE_DISK, "d", 7), 1); /* a larger one fits */
    assert_int_equal(deed_choices_strayed(choices), 3);
    deed_choices_free(choices);
}

static void test_choose__malformed_trails_are_refused_by_line(void **state)
{
    (void)state;
    static const struct {
        const char *trail;
        const char *said;
    } cases[] = {
        {"1 disk a", "line 1 of the trail: a line has four words"},
        {"# fine\n1 disk a 1/2 more", "line 2 of the trail: a line has four words"},
        {"x disk a 1/2", "line 1 of the trail: the first word is the number"},
        {"0 disk a 1/2", "line 1 of the trail: the first word is the number"},
        {"99999999999999999999 disk a 1/2", "the first word is the number"},
        {"1 disk a 1/2\n1 disk a 1/2", "line 2 of the trail: the numbers of the questions must"},
        {"\n\n1 disc a 1/2", "line 3 of the trail: the second word is no purpose"},
        {"1 disk a 1", "ANSWER/BOUND, such as 2/4"},
        {"1 disk a /2", "ANSWER/BOUND, such as 2/4"},
        {"1 disk a 1/", "ANSWER/BOUND, such as 2/4"},
        {"1 disk a -1/2", "ANSWER/BOUND, such as 2/4"},
        {"1 disk a 1/4294967296", "ANSWER/BOUND, such as 2/4"},
        {"1 disk a 2/2", "line 1 of the trail: the answer must be below its bound"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        deed_choices *choices = NULL;
        struct deed_error err = {0};
        assert_int_equal(deed_choices_replay(cases[i].trail, &choices, &err), DEED_E_INVALID);
        assert_null(choices);
        if (strstr(err.text, cases[i].said) == NULL) {
            fail_msg("'%s' gives '%s'", cases[i].trail, err.text);
        }
    }
}

/* ---- bytes ------------------------------------------------------------------------------- */

static void test_choose__bytes_are_answers(void **state)
{
    (void)state;
    static const uint8_t bytes[] = {7, 0, 0x34, 0x12, 1, 0, 1, 0, 0xff};
    deed_choices *choices = NULL;
    assert_int_equal(deed_choices_bytes(bytes, sizeof(bytes), &choices, NULL), DEED_OK);
    assert_int_equal(deed_choose(choices, DEED_PURPOSE_DISK, "a", 5), 2);
    assert_int_equal(deed_choose(choices, DEED_PURPOSE_DISK, "a", 256), 0);
    assert_int_equal(deed_choose(choices, DEED_PURPOSE_DISK, "a", 65536), 0x1234);
    assert_int_equal(deed_choose(choices, DEED_PURPOSE_DISK, "a", 65537), 65537 % 65537);
    assert_int_equal(deed_choose(choices, DEED_PURPOSE_DISK, "a", 1000), 0xff); /* what is left */
    assert_int_equal(deed_choose(choices, DEED_PURPOSE_DISK, "a", 5), 0);
    assert_false(deed_choices_next(choices));
    deed_choices_free(choices);
}

/* ---- shrinking --------------------------------------------------------------------------- */

struct planted {
    uint32_t runs;
    bool never;
};

/* Fails when the write is torn by 5 or more and the reply is lost; the rest is noise. A clock that
 * jumped asks for how far, which moves the numbers of all questions after it. */
static bool planted_fails(void *context, deed_choices *choices)
{
    struct planted *planted = context;
    uint32_t torn = 0;
    uint32_t lost = 0;
    planted->runs++;
    for (uint32_t i = 0; i < 30; i++) {
        if (deed_choose(choices, DEED_PURPOSE_CLOCK, "jumps", 2) == 1) {
            (void)deed_choose(choices, DEED_PURPOSE_CLOCK, "far", 10);
        }
        const uint32_t answer = deed_choose(choices, DEED_PURPOSE_DISK, "write", 16);
        torn = i == 11 ? answer : torn;
        const uint32_t reply = deed_choose(choices, DEED_PURPOSE_BOUNDARY, "reply", 3);
        lost = i == 20 ? reply : lost;
    }
    return !planted->never && torn >= 5 && lost == 1;
}

/* Method: the first seeds by chance that fail, each shortened; all end in the same two answers. */
static void test_choose__shrink_finds_the_least_trail(void **state)
{
    (void)state;
    struct planted planted = {0};
    uint32_t found = 0;
    deed_choices *choices = swarm(1);
    for (uint32_t run = 0; run < 20000 && found < 5; run++) {
        if (planted_fails(&planted, choices)) {
            char *trail = deed_choices_trail(choices);
            char *least = NULL;
            planted.runs = 0;
            assert_int_equal(
                deed_choices_shrink(trail, planted_fails, &planted, 1000, &least, NULL), DEED_OK);
            assert_true(planted.runs <= 1000);
            assert_string_equal(
                strchr(least, '\n'), "\n35 disk write 5/16\n63 boundary reply 1/3\n");
            free(trail);
            free(least);
            found++;
        }
        assert_true(deed_choices_next(choices));
    }
    assert_int_equal(found, 5);
    deed_choices_free(choices);
}

/* Without the jump, what follows it has other numbers; it is met all the same. */
static void test_choose__shrink_follows_what_moves(void **state)
{
    (void)state;
    struct planted planted = {0};
    static const char trail[] = "1 clock jumps 1/2\n2 clock far 4/10\n36 disk write 9/16\n"
                                "41 clock jumps 1/2\n65 boundary reply 1/3\n";
    char *least = NULL;
    assert_int_equal(
        deed_choices_shrink(trail, planted_fails, &planted, 100, &least, NULL), DEED_OK);
    assert_string_equal(strchr(least, '\n'), "\n35 disk write 5/16\n63 boundary reply 1/3\n");
    free(least);
}

static void test_choose__shrink_keeps_to_its_runs(void **state)
{
    (void)state;
    struct planted planted = {0};
    static const char trail[] = "2 disk write 3/16\n35 disk write 9/16\n63 boundary reply 1/3\n";
    char *least = NULL;
    assert_int_equal(deed_choices_shrink(trail, planted_fails, &planted, 1, &least, NULL), DEED_OK);
    assert_int_equal(planted.runs, 1);
    assert_string_equal(strchr(least, '\n') + 1, trail);
    free(least);
}

static void test_choose__shrink_refuses_what_does_not_fail(void **state)
{
    (void)state;
    struct planted planted = {.never = true};
    struct deed_error err;
    char *least = NULL;
    assert_int_equal(
        deed_choices_shrink("2 disk write 3/16\n", planted_fails, &planted, 9, &least, &err),
        DEED_E_INVALID);
    assert_non_null(strstr(err.text, "does not fail"));
    assert_int_equal(deed_choices_shrink("nonsense\n", planted_fails, &planted, 9, &least, &err),
        DEED_E_INVALID);
    assert_null(least);
    assert_int_equal(planted.runs, 1);
}

/* A failure that needs no answer at all has an empty trail. */
static bool always_fails(void *context, deed_choices *choices)
{
    (void)context;
    life(choices);
    return true;
}

static void test_choose__shrink_can_end_with_nothing(void **state)
{
    (void)state;
    deed_choices *choices = swarm(2);
    life(choices);
    char *trail = deed_choices_trail(choices);
    char *least = NULL;
    assert_int_equal(deed_choices_shrink(trail, always_fails, NULL, 50, &least, NULL), DEED_OK);
    assert_string_equal(strchr(least, '\n'), "\n");
    free(trail);
    free(least);
    deed_choices_free(choices);
}

static void test_choose__purposes_have_names(void **state)
{
    (void)state;
    assert_string_equal(deed_purpose_name(DEED_PURPOSE_CRASH), "crash");
    assert_string_equal(deed_purpose_name(DEED_PURPOSE_WORKLOAD), "workload");
    assert_null(deed_purpose_name(DEED_PURPOSE_COUNT));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_choose__odometer_visits_each_leaf_once),
        cmocka_unit_test(test_choose__odometer_begins_with_no_fault_at_all),
        cmocka_unit_test(test_choose__odometer_counts_what_does_not_repeat),
        cmocka_unit_test(test_choose__a_bound_of_one_is_no_question),
        cmocka_unit_test(test_choose__a_new_site_does_not_shift_another_purpose),
        cmocka_unit_test(test_choose__half_of_all_purposes_are_off),
        cmocka_unit_test(test_choose__weights_differ_wildly),
        cmocka_unit_test(test_choose__priorities_change_at_few_moments),
        cmocka_unit_test(test_choose__priorities_without_names_switch_at_the_moments),
        cmocka_unit_test(test_choose__same_trail_same_hash),
        cmocka_unit_test(test_choose__hash_covers_all),
        cmocka_unit_test(test_choose__a_trail_is_text),
        cmocka_unit_test(test_choose__code_that_moved_on_is_counted),
        cmocka_unit_test(test_choose__malformed_trails_are_refused_by_line),
        cmocka_unit_test(test_choose__bytes_are_answers),
        cmocka_unit_test(test_choose__shrink_finds_the_least_trail),
        cmocka_unit_test(test_choose__shrink_follows_what_moves),
        cmocka_unit_test(test_choose__shrink_keeps_to_its_runs),
        cmocka_unit_test(test_choose__shrink_refuses_what_does_not_fail),
        cmocka_unit_test(test_choose__shrink_can_end_with_nothing),
        cmocka_unit_test(test_choose__purposes_have_names),
    };
    return cmocka_run_group_tests_name("choose", tests, NULL, NULL);
}
