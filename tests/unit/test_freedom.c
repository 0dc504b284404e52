/* SPDX-License-Identifier: MIT
 *
 * Providers that are free, and clocks that are moved. Method: every combination of choices is gone
 * through; after each, what was answered is held against what really happened. A provider that did
 * more than its class allows would make a ledger look wrong.
 */
#include "test_mock_rig.h"

#include <stdlib.h>

#define LATE_MS 5000

static const char *const options[] = {
    "{\"class\":\"blind\"}",
    "{\"class\":\"lookup\",\"lookup\":{\"lag_ms\":1000,\"consistency\":\"eventual\"}}",
    "{\"class\":\"keyed\",\"stored_errors\":true}",
    "{\"class\":\"keyed+lookup\",\"lookup\":{\"lag_ms\":1000}}",
    "{\"class\":\"closable\"}",
};
#define CLASSES (sizeof(options) / sizeof(options[0]))

static void open_free(struct rig *rig, const char *with, struct deed_mock_freedom *freedom)
{
    struct deed_error err = {.text = ""};
    *rig = (struct rig){.bytes = "{\"body\":\"hello\"}"};
    assert_int_equal(deed_sim_clock_new(RIG_START_MS, &rig->clock, &err), DEED_OK);
    assert_int_equal(deed_world_new(&rig->world, &err), DEED_OK);
    assert_int_equal(deed_mock_executor_new_in(
                         rig->world, with, deed_sim_clock_true(rig->clock), &rig->executor, &err),
        DEED_OK);
    assert_int_equal(deed_mock_executor_freedom_set(rig->executor, freedom, &err), DEED_OK);
}

static void begin_run(struct rig *rig, deed_world *empty, struct deed_mock_freedom *freedom)
{
    assert_int_equal(deed_world_become(rig->world, empty, NULL), DEED_OK);
    deed_sim_clock_reset(rig->clock, RIG_START_MS);
    freedom->faults_done = 0;
}

static uint64_t land_all(struct rig *rig)
{
    assert_int_equal(
        deed_world_land(rig->world, NULL, RIG_START_MS + LATE_MS, NULL, NULL), DEED_OK);
    return deed_world_effects(rig->world, "pay-1");
}

/* What was seen of one request by the one who sent it. */
static void judge(struct rig *rig, const struct deed_answer *answer, bool keyed)
{
    uint64_t now = deed_world_effects(rig->world, "pay-1");
    uint64_t in_the_end = land_all(rig);
    if (answer->verdict == DEED_VERDICT_APPLIED) {
        assert_true(now >= 1);
        assert_string_not_equal(answer->reference, "");
    } else if (answer->verdict == DEED_VERDICT_REJECTED ||
        answer->verdict == DEED_VERDICT_NOT_APPLIED) {
        assert_int_equal(in_the_end, 0);
    }
    assert_true(in_the_end <= 1 || !keyed);
    assert_true(deed_world_sends(rig->world, "pay-1") <= 1);
}

static void test_freedom__no_class_does_more_than_it_may(void **state)
{
    (void)state;
    for (size_t i = 0; i < CLASSES; i++) {
        struct deed_mock_freedom freedom = {.size = sizeof(freedom), .late_ms = LATE_MS};
        struct rig rig;
        deed_world *empty = NULL;
        unsigned runs = 0;
        open_free(&rig, options[i], &freedom);
        assert_int_equal(deed_choices_exhaustive(&freedom.choices, NULL), DEED_OK);
        assert_int_equal(deed_world_copy(rig.world, &empty, NULL), DEED_OK);
        do {
            begin_run(&rig, empty, &freedom);
            const struct deed_answer answer = *rig_send(&rig, "pay-1", 1);
            judge(&rig, &answer, i == DEED_CLASS_KEYED || i == DEED_CLASS_KEYED_LOOKUP);
            runs++;
        } while (deed_choices_next(freedom.choices));
        bool keyed = i == DEED_CLASS_KEYED || i == DEED_CLASS_KEYED_LOOKUP;
        assert_true(runs >= 19);
        assert_true((freedom.met[DEED_MOCK_FAULT_CONFLICT] > 0) == keyed);
        assert_true((freedom.met[DEED_MOCK_FAULT_DUPLICATED] > 0) == keyed);
        assert_true((freedom.met[DEED_MOCK_FAULT_STORED] > 0) == (i == DEED_CLASS_KEYED));
        assert_true(freedom.met[DEED_MOCK_FAULT_LATE] > 0);
        assert_true(freedom.met[DEED_MOCK_FAULT_PENDING] > 0);
        assert_int_equal(freedom.met[DEED_MOCK_FAULT_OTHER_REFERENCE], 0);
        deed_choices_free(freedom.choices);
        deed_world_close(empty);
        rig_close(&rig);
    }
}

/* Two sends of one key, and looks between and after them: a late one lands at each place there is,
 * and two in either order. */
static void test_freedom__what_is_late_lands_at_every_later_moment(void **state)
{
    (void)state;
    struct deed_mock_freedom freedom = {
        .size = sizeof(freedom), .faults = 1U << DEED_MOCK_FAULT_LATE, .late_ms = LATE_MS};
    struct rig rig;
    deed_world *empty = NULL;
    bool seen[2][2][2] = {
        {{false}}}; /* whether the first, the second had landed; whether it was seen */
    open_free(&rig, "{\"class\":\"lookup\",\"lookup\":{}}", &freedom);
    assert_int_equal(deed_choices_exhaustive(&freedom.choices, NULL), DEED_OK);
    assert_int_equal(deed_world_copy(rig.world, &empty, NULL), DEED_OK);
    unsigned absent_then_present = 0;
    unsigned second_first = 0;
    do {
        begin_run(&rig, empty, &freedom);
        (void)rig_send(&rig, "pay-1", 1);
        bool absent = rig_ask(&rig, rig.executor->lookup, "pay-1", "")->kind == DEED_FOUND_ABSENT;
        (void)rig_send(&rig, "pay-2", 1);
        bool second = deed_world_effects(rig.world, "pay-2") == 1;
        bool first = deed_world_effects(rig.world, "pay-1") == 1;
        bool present = rig_ask(&rig, rig.executor->lookup, "pay-1", "")->kind == DEED_FOUND_PRESENT;
        absent_then_present += absent && present ? 1 : 0;
        second_first += second && !first && present ? 1 : 0;
        seen[first ? 1 : 0][second ? 1 : 0][absent ? 0 : 1] = true;
    } while (deed_choices_next(freedom.choices));
    assert_true(absent_then_present > 0);
    assert_true(second_first > 0);
    assert_true(seen[0][0][0] && seen[0][1][0] && seen[1][0][0] && seen[1][0][1] && seen[1][1][0]);
    deed_choices_free(freedom.choices);
    deed_world_close(empty);
    rig_close(&rig);
}

static void test_freedom__a_look_lies_behind_no_longer_than_declared(void **state)
{
    (void)state;
    struct deed_mock_freedom freedom = {
        .size = sizeof(freedom), .faults = 1U << DEED_MOCK_FAULT_LAGGING};
    struct rig rig;
    deed_world *empty = NULL;
    unsigned present_then_absent = 0;
    open_free(&rig, options[DEED_CLASS_LOOKUP], &freedom);
    assert_int_equal(deed_choices_exhaustive(&freedom.choices, NULL), DEED_OK);
    assert_int_equal(deed_world_copy(rig.world, &empty, NULL), DEED_OK);
    do {
        unsigned absent = 0;
        begin_run(&rig, empty, &freedom);
        (void)rig_send(&rig, "pay-1", 1);
        bool was_there = false;
        for (unsigned look = 0; look < 3; look++) { /* inside the lag: anything goes */
            bool there =
                rig_ask(&rig, rig.executor->lookup, "pay-1", "")->kind == DEED_FOUND_PRESENT;
            present_then_absent += was_there && !there ? 1 : 0;
            was_there = there;
        }
        rig_advance(&rig, 1000);
        for (unsigned look = 0; look < 3; look++) { /* afterwards one replica is behind, once */
            absent +=
                rig_ask(&rig, rig.executor->lookup, "pay-1", "")->kind == DEED_FOUND_ABSENT ? 1 : 0;
        }
        assert_true(absent <= 1);
    } while (deed_choices_next(freedom.choices));
    assert_true(present_then_absent > 0);
    deed_choices_free(freedom.choices);
    deed_world_close(empty);
    rig_close(&rig);
}

static void test_freedom__ends_with_the_faults_that_are_allowed(void **state)
{
    (void)state;
    struct deed_mock_freedom freedom = {.size = sizeof(freedom), .faults_most = 1};
    struct rig rig;
    uint64_t lost = 0;
    open_free(&rig, options[DEED_CLASS_KEYED], &freedom);
    assert_int_equal(deed_choices_swarm(5, &freedom.choices, NULL), DEED_OK);
    for (unsigned run = 0; run < 300; run++) {
        freedom.faults_done = 0;
        for (uint32_t attempt = 1; attempt < 5; attempt++) {
            (void)rig_send(&rig, "pay-1", attempt);
        }
        uint64_t met = 0;
        for (unsigned i = 0; i < DEED_MOCK_FAULT_COUNT; i++) {
            met += freedom.met[i];
            freedom.met[i] = 0;
        }
        assert_true(met <= 1);
        lost += met;
        assert_true(deed_choices_next(freedom.choices));
    }
    assert_true(lost > 0);
    deed_choices_free(freedom.choices);
    rig_close(&rig);
}

static void test_freedom__tells_of_another_only_where_it_is_named(void **state)
{
    (void)state;
    struct deed_mock_freedom freedom = {.size = sizeof(freedom)};
    struct rig rig;
    unsigned others = 0;
    open_free(&rig, options[DEED_CLASS_BLIND], &freedom);
    (void)rig_send(&rig, "pay-0", 1);
    char other[DEED_REFERENCE_BYTES_MAX + 1];
    (void)snprintf(other, sizeof(other), "%s", rig.answer.reference);
    freedom.faults = 1U << DEED_MOCK_FAULT_OTHER_REFERENCE;
    assert_int_equal(deed_choices_exhaustive(&freedom.choices, NULL), DEED_OK);
    uint32_t attempt = 1;
    do {
        const struct deed_answer *answer = rig_send(&rig, "pay-1", attempt++);
        assert_int_equal(answer->verdict, DEED_VERDICT_APPLIED);
        others += strcmp(answer->reference, other) == 0 ? 1 : 0;
    } while (deed_choices_next(freedom.choices));
    assert_int_equal(others, 2); /* with an effect of its own, and without */
    assert_int_equal(deed_world_effects(rig.world, "pay-1"), 2);
    deed_choices_free(freedom.choices);
    rig_close(&rig);
}

/* ---- clocks ------------------------------------------------------------------------------ */

static struct deed_instant read_clock(const struct deed_clock *clock)
{
    struct deed_instant instant;
    assert_true(clock->now(clock->self, &instant));
    return instant;
}

static void test_freedom__a_clock_moves_as_it_says(void **state)
{
    (void)state;
    deed_sim_clock *clock = NULL;
    deed_choices *choices = NULL;
    struct deed_sim_moves moves = {
        .size = sizeof(moves), .lease_ms = 3000, .horizon_ms = 7000, .window_ms = 60000};
    bool came[DEED_SIM_MOVE_COUNT] = {false};
    assert_int_equal(deed_sim_clock_new(RIG_START_MS, &clock, NULL), DEED_OK);
    assert_int_equal(deed_choices_exhaustive(&choices, NULL), DEED_OK);
    do {
        deed_sim_clock_reset(clock, RIG_START_MS);
        struct deed_instant before = read_clock(deed_sim_clock_machine(clock));
        deed_sim_move move = deed_sim_clock_move(clock, choices, &moves);
        struct deed_instant after = read_clock(deed_sim_clock_machine(clock));
        int64_t wall_ms = after.wall_ms - before.wall_ms;
        int64_t true_ms = read_clock(deed_sim_clock_true(clock)).wall_ms - RIG_START_MS;
        const char *name = deed_sim_move_name(move);
        came[move] = true;
        if (move == DEED_SIM_MOVE_NOTHING || move == DEED_SIM_MOVE_STAND) {
            assert_int_equal(wall_ms, 0);
            assert_int_equal(true_ms, 0);
        } else if (strstr(name, "_forward") != NULL || strstr(name, "_back") != NULL) {
            assert_true(strstr(name, "_back") != NULL ? wall_ms < 0 : wall_ms > 0);
            assert_int_equal(true_ms, 0);
            assert_int_equal(after.mono_ms, before.mono_ms);
        } else {
            assert_true(wall_ms > 0);
            assert_int_equal(wall_ms, true_ms);
            bool counts = move != DEED_SIM_MOVE_SUSPEND && move != DEED_SIM_MOVE_REBOOT;
            assert_int_equal(after.mono_ms - before.mono_ms, counts ? true_ms : 0);
        }
        assert_true((strcmp(before.boot, after.boot) != 0) == (move == DEED_SIM_MOVE_REBOOT));
    } while (deed_choices_next(choices));
    for (unsigned i = 0; i < DEED_SIM_MOVE_COUNT; i++) {
        assert_true(came[i]);
    }
    deed_choices_free(choices);
    deed_sim_clock_free(clock);
}

static void test_freedom__a_clock_that_stands_does_not_boot(void **state)
{
    (void)state;
    deed_sim_clock *clock = NULL;
    deed_choices *choices = NULL;
    struct deed_sim_moves moves = {.size = sizeof(moves),
        .lease_ms = 3000,
        .most = 2,
        .moves = 1U << DEED_SIM_MOVE_REBOOT | 1U << DEED_SIM_MOVE_YEAR_BACK};
    assert_int_equal(deed_sim_clock_new(RIG_START_MS, &clock, NULL), DEED_OK);
    deed_sim_clock_stand(clock, true);
    deed_sim_clock_advance(clock, 5000);
    assert_int_equal(read_clock(deed_sim_clock_machine(clock)).wall_ms, RIG_START_MS);
    assert_int_equal(read_clock(deed_sim_clock_machine(clock)).mono_ms, 5000);
    assert_int_equal(read_clock(deed_sim_clock_true(clock)).wall_ms, RIG_START_MS + 5000);
    assert_int_equal(deed_choices_exhaustive(&choices, NULL), DEED_OK);
    do {
        assert_int_not_equal(deed_sim_clock_move(clock, choices, &moves), DEED_SIM_MOVE_REBOOT);
    } while (deed_choices_next(choices));
    assert_int_equal(moves.met[DEED_SIM_MOVE_YEAR_BACK], 1);
    deed_sim_clock_reset(clock, RIG_START_MS);
    deed_sim_clock_stand(clock, true); /* and no time has passed yet */
    moves.moves = 1U << DEED_SIM_MOVE_REBOOT;
    moves.done = 0;
    assert_int_equal(deed_sim_clock_move(clock, choices, &moves), DEED_SIM_MOVE_NOTHING);
    deed_choices_free(choices);
    assert_int_equal(deed_choices_bytes((const uint8_t *)"\1\1\1\1", 4, &choices, NULL), DEED_OK);
    assert_int_equal(deed_sim_clock_move(clock, choices, &moves), DEED_SIM_MOVE_NOTHING);
    deed_sim_clock_reset(clock, RIG_START_MS);
    assert_int_equal(deed_sim_clock_move(clock, choices, &moves), DEED_SIM_MOVE_REBOOT);
    moves.moves = 1U << DEED_SIM_MOVE_STAND | 1U << DEED_SIM_MOVE_YEAR_BACK;
    assert_int_equal(deed_sim_clock_move(clock, choices, &moves), DEED_SIM_MOVE_NOTHING);
    deed_choices_free(choices);
    deed_sim_clock_free(clock);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_freedom__no_class_does_more_than_it_may),
        cmocka_unit_test(test_freedom__what_is_late_lands_at_every_later_moment),
        cmocka_unit_test(test_freedom__a_look_lies_behind_no_longer_than_declared),
        cmocka_unit_test(test_freedom__ends_with_the_faults_that_are_allowed),
        cmocka_unit_test(test_freedom__tells_of_another_only_where_it_is_named),
        cmocka_unit_test(test_freedom__a_clock_moves_as_it_says),
        cmocka_unit_test(test_freedom__a_clock_that_stands_does_not_boot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
