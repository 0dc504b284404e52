/* SPDX-License-Identifier: MIT
 *
 * Trap A8: permissions and waits need opposite clock rules. A wait is over when both clocks say so; a
 * permission ends when either does. In a new boot a wait starts again at the first look, which is
 * stored, and a window is closed while the wall clock stands before the newest time in the ledger.
 */
#include "support/scene.h"

#define KEYED                                                                                      \
    "{\"class\": \"keyed\", \"window_ms\": 60000, \"script\": [{\"do\": \"lose\"}, {\"do\": "      \
    "\"answer\"}]}"

static void in_world(struct scene *scene, enum scene_class class, const char *options)
{
    scene_prepare(scene, class);
    scene_in_world(scene, options);
    scene_open(scene);
}

static void expect_no_replay(struct scene *scene)
{
    assert_int_equal(scene_reconcile(scene, 2), DEED_OK);
    scene_expect_uncertain(scene);
    assert_int_equal(scene_world_sends(scene), 1);
    assert_int_equal(scene_effects(scene), 1);
    scene_check(scene);
    scene_end(scene);
}

/* ---- windows ---------------------------------------------------------------------------------- */

/* The clock is set back after the key is gone; by the wall clock its window is still open. */
static void test_trap_a8__a_wall_clock_set_back_does_not_open_a_window_again(void **state)
{
    (void)state;
    struct scene scene;
    in_world(&scene, SCENE_KEYED, KEYED);
    assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
    scene_advance(&scene, SCENE_WINDOW_MS);
    scene_jump(&scene, 5000 - (int64_t)SCENE_WINDOW_MS);
    expect_no_replay(&scene);
}

/* The machine was suspended, and its second clock stood: by that clock the window is still open. */
static void test_trap_a8__a_second_clock_that_stood_does_not_keep_a_window_open(void **state)
{
    (void)state;
    struct scene scene;
    in_world(&scene, SCENE_KEYED, KEYED);
    assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
    scene_past_lease(&scene);
    scene_suspend(&scene, SCENE_WINDOW_MS);
    expect_no_replay(&scene);
}

/* After a reboot a window has only the wall clock. It stands before the newest time in the ledger,
 * so it was set back, and nobody knows by how much. */
static void test_trap_a8__a_window_is_closed_while_the_wall_stands_before_the_newest_time(
    void **state)
{
    (void)state;
    struct scene scene;
    in_world(&scene, SCENE_KEYED, KEYED);
    assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
    scene_advance(&scene, 50000);
    scene_record(&scene, "pay-2"); /* the newest time: second 50 */
    scene_reboot(&scene, 20000);   /* second 70: the key is gone */
    scene_jump(&scene, -40000);    /* the wall says second 30 */
    expect_no_replay(&scene);
}

/* Where it does not, the window is judged by it, and is open or over. */
static void test_trap_a8__in_a_new_boot_a_window_goes_by_the_wall_clock(void **state)
{
    (void)state;
    struct scene scene;
    in_world(&scene, SCENE_KEYED, KEYED);
    assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
    scene_reboot(&scene, 30000);
    assert_int_equal(scene_reconcile(&scene, 2), DEED_OK);
    scene_expect(&scene, DEED_RECONCILED, DEED_APPLIED);
    assert_int_equal(scene_effects(&scene), 1);
    scene_check(&scene);
    scene_end(&scene);

    in_world(&scene, SCENE_KEYED, KEYED);
    assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
    scene_reboot(&scene, SCENE_WINDOW_MS);
    expect_no_replay(&scene);
}

/* That others have written while the question was out, or while we waited for our turn to write, is
 * no clock that was set back. */
static void another_writes(struct scene *scene)
{
    scene_advance(scene, 1);
    scene_record(scene, "pay-2");
}

static void another_writes_before_the_next_write(struct scene *scene)
{
    scene->faults[2].at_write = another_writes;
}

static void test_trap_a8__in_a_new_boot_what_others_write_meanwhile_closes_no_window(void **state)
{
    (void)state;
    struct scene scene;
    in_world(&scene, SCENE_KEYED, KEYED);
    assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
    scene_reboot(&scene, 30000);
    scene_at(&scene, DEED_SEAM_ATTEMPT_PREPARED, another_writes_before_the_next_write);
    assert_int_equal(scene_reconcile(&scene, 2), DEED_OK);
    scene_expect(&scene, DEED_RECONCILED, DEED_APPLIED);
    assert_int_equal(scene_effects(&scene), 1);
    scene_check(&scene);
    scene_end(&scene);
}

static void test_trap_a8__in_a_new_boot_what_others_write_meanwhile_ends_no_reach(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_LOOKUP);
    scene.provider.next_finding = DEED_FOUND_ABSENT;
    assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
    scene_reboot(&scene, 1000);
    assert_int_equal(scene_reconcile(&scene, 2), DEED_OK);
    scene_past_visible(&scene);
    scene_at(&scene, DEED_SEAM_PASS_AFTER_LOOK, another_writes);
    assert_int_equal(scene_reconcile(&scene, 2), DEED_OK);
    scene_expect(&scene, DEED_RECONCILED, DEED_NOT_APPLIED);
    scene_check(&scene);
    scene_end(&scene);
}

/* ---- waits ------------------------------------------------------------------------------------ */

#define LATE                                                                                       \
    "{\"class\": \"lookup\", \"script\": [{\"do\": \"late\", \"land\": {\"after_ms\": 6000}}, "    \
    "{\"do\": "                                                                                    \
    "\"answer\"}]}"

static void expect_one_late_effect(struct scene *scene)
{
    assert_int_equal(scene_reconcile(scene, 2), DEED_OK);
    scene_expect_uncertain(scene);
    scene_advance(scene, 2000);
    assert_int_equal(scene_run(scene, 2, DEED_BEGIN_BY_NAME), DEED_OK);
    scene_advance(scene, (int64_t)2 * SCENE_VISIBLE_MS);
    assert_int_equal(scene_reconcile(scene, 2), DEED_OK);
    scene_expect(scene, DEED_RECONCILED, DEED_APPLIED);
    assert_int_equal(scene_effects(scene), 1);
    scene_check(scene);
    scene_end(scene);
}

/* The clock jumps forward: by the wall clock the horizon is over. */
static void test_trap_a8__a_wall_clock_set_forward_does_not_end_a_wait(void **state)
{
    (void)state;
    struct scene scene;
    in_world(&scene, SCENE_LOOKUP, LATE);
    assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
    scene_advance(&scene, 3500);
    scene_jump(&scene, 20000);
    expect_one_late_effect(&scene);
}

/* Time passes and the clock is set back: by the second clock the wait is over, and the wall clock has
 * to say so too. */
static void test_trap_a8__a_wall_clock_set_back_makes_a_wait_longer(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_LOOKUP);
    scene.provider.next_finding = DEED_FOUND_ABSENT;
    assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
    scene_past_visible(&scene);
    scene_jump(&scene, -3000);
    assert_int_equal(scene_reconcile(&scene, 2), DEED_OK);
    scene_expect_uncertain(&scene);
    scene_advance(&scene, 3000);
    assert_int_equal(scene_reconcile(&scene, 2), DEED_OK);
    scene_expect(&scene, DEED_RECONCILED, DEED_NOT_APPLIED);
    scene_check(&scene);
    scene_end(&scene);
}

/* Suspended, with a second clock that stands meanwhile: the wait is over later, never earlier. */
static void test_trap_a8__a_wait_goes_on_after_a_suspend(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_LOOKUP);
    scene.provider.next_finding = DEED_FOUND_ABSENT;
    assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
    scene_advance(&scene, 4000);
    scene_suspend(&scene, 50000);
    assert_int_equal(scene_reconcile(&scene, 2), DEED_OK);
    scene_expect_uncertain(&scene);
    scene_advance(&scene, SCENE_VISIBLE_MS - 4000);
    assert_int_equal(scene_reconcile(&scene, 2), DEED_OK);
    scene_expect(&scene, DEED_RECONCILED, DEED_NOT_APPLIED);
    scene_check(&scene);
    scene_end(&scene);
}

/* The machine boots anew with a wall clock that is far ahead: neither clock tells how long ago the
 * attempt was. The wait starts again at the first look. */
static void test_trap_a8__in_a_new_boot_a_wait_starts_again_at_the_first_look(void **state)
{
    (void)state;
    struct scene scene;
    in_world(&scene, SCENE_LOOKUP, LATE);
    assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
    scene_reboot(&scene, 1000);
    scene_jump(&scene, 60000);
    scene_advance(&scene, 500);
    expect_one_late_effect(&scene);
}

/* That look is stored, so that the wait ends: for a process that was started since, too. */
static void test_trap_a8__the_first_look_in_a_new_boot_is_stored_once(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_LOOKUP);
    scene.provider.next_finding = DEED_FOUND_ABSENT;
    assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
    scene_reboot(&scene, 60000);
    scene_past_visible(&scene); /* nobody has looked yet: this does not count */
    assert_int_equal(scene_reconcile(&scene, 1), DEED_OK);
    scene_expect_uncertain(&scene);
    scene_advance(&scene, SCENE_VISIBLE_MS - 1);
    scene_restart(&scene, 2);
    assert_int_equal(scene_reconcile(&scene, 2), DEED_OK);
    scene_expect_uncertain(&scene);
    scene_advance(&scene, 1);
    assert_int_equal(scene_reconcile(&scene, 2), DEED_OK);
    scene_expect(&scene, DEED_RECONCILED, DEED_NOT_APPLIED);
    scene_check(&scene);
    scene_end(&scene);
}

/* A person waits by the same rule, and is told until when. */
static void test_trap_a8__a_person_waits_anew_in_a_new_boot(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_BLIND);
    assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
    scene_reboot(&scene, 60000);
    assert_int_equal(scene_resolve(&scene, 1, DEED_NOT_APPLIED), DEED_E_NOT_YET);
    scene_advance(&scene, SCENE_HORIZON_MS);
    assert_int_equal(scene_resolve(&scene, 1, DEED_NOT_APPLIED), DEED_OK);
    scene_expect(&scene, DEED_RECONCILED, DEED_NOT_APPLIED);
    scene_check(&scene);
    scene_end(&scene);
}

/* Of two absences the second is one lag later by both clocks, and a reboot in between counts for
 * nothing. */
static void test_trap_a8__a_second_absence_in_a_new_boot_is_the_first(void **state)
{
    (void)state;
    struct scene scene;
    scene_prepare(&scene, SCENE_LOOKUP);
    scene.profile.consistency = DEED_CONSISTENCY_EVENTUAL;
    scene_open(&scene);
    scene.provider.next_finding = DEED_FOUND_ABSENT;
    assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
    scene_past_visible(&scene);
    assert_int_equal(scene_reconcile(&scene, 2), DEED_OK); /* the first */
    scene_jump(&scene, 10000);
    assert_int_equal(scene_reconcile(&scene, 2), DEED_OK);
    scene_expect_uncertain(&scene);
    scene_reboot(&scene, 1000);
    assert_int_equal(scene_reconcile(&scene, 2), DEED_OK);
    scene_past_visible(&scene);
    assert_int_equal(scene_reconcile(&scene, 2), DEED_OK); /* the first of this boot */
    scene_expect_uncertain(&scene);
    scene_advance(&scene, SCENE_LAG_MS);
    assert_int_equal(scene_reconcile(&scene, 2), DEED_OK);
    scene_expect(&scene, DEED_RECONCILED, DEED_NOT_APPLIED);
    scene_check(&scene);
    scene_end(&scene);
}

/* ---- leases ----------------------------------------------------------------------------------- */

static void test_trap_a8__either_clock_and_a_new_boot_end_a_lease(void **state)
{
    (void)state;
    for (int how = 0; how < 3; how++) {
        struct scene scene;
        scene_new(&scene, SCENE_LOOKUP);
        struct deed_attempt attempt = {.size = sizeof(attempt)};
        assert_int_equal(scene_begin(&scene, 1, 0, &attempt), DEED_OK);
        scene_get(&scene);
        assert_true(scene.result.in_flight);
        if (how == 0) {
            scene_jump(&scene, SCENE_SEND_MS + SCENE_ANSWER_MS);
        } else if (how == 1) {
            scene_past_lease(&scene);
            scene_jump(&scene, -SCENE_SEND_MS - SCENE_ANSWER_MS);
        } else {
            deed_sim_clock_reboot(scene.clock, 0);
        }
        scene_expect_uncertain(&scene);
        assert_int_equal(scene.result.reason, DEED_REASON_LEASE_OVER);
        scene_end(&scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trap_a8__a_wall_clock_set_back_does_not_open_a_window_again),
        cmocka_unit_test(test_trap_a8__a_second_clock_that_stood_does_not_keep_a_window_open),
        cmocka_unit_test(
            test_trap_a8__a_window_is_closed_while_the_wall_stands_before_the_newest_time),
        cmocka_unit_test(test_trap_a8__in_a_new_boot_a_window_goes_by_the_wall_clock),
        cmocka_unit_test(test_trap_a8__in_a_new_boot_what_others_write_meanwhile_closes_no_window),
        cmocka_unit_test(test_trap_a8__in_a_new_boot_what_others_write_meanwhile_ends_no_reach),
        cmocka_unit_test(test_trap_a8__a_wall_clock_set_forward_does_not_end_a_wait),
        cmocka_unit_test(test_trap_a8__a_wall_clock_set_back_makes_a_wait_longer),
        cmocka_unit_test(test_trap_a8__a_wait_goes_on_after_a_suspend),
        cmocka_unit_test(test_trap_a8__in_a_new_boot_a_wait_starts_again_at_the_first_look),
        cmocka_unit_test(test_trap_a8__the_first_look_in_a_new_boot_is_stored_once),
        cmocka_unit_test(test_trap_a8__a_person_waits_anew_in_a_new_boot),
        cmocka_unit_test(test_trap_a8__a_second_absence_in_a_new_boot_is_the_first),
        cmocka_unit_test(test_trap_a8__either_clock_and_a_new_boot_end_a_lease),
    };
    return cmocka_run_group_tests_name("trap_a8", tests, NULL, NULL);
}
