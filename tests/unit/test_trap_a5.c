/* SPDX-License-Identifier: MIT
 *
 * Trap A5: a look-up forgets. "Empty" means never, or too long ago; past its reach, counted from the
 * first attempt in doubt, an absence is worth nothing.
 */
#include "support/scene.h"

/* The worker dies after the effect on Friday; the pass runs on Monday: absent, long after horizon and
 * lag. Sent again it would happen twice. */
static void test_trap_a5__past_its_reach_a_look_up_proves_nothing(void **state)
{
    (void)state;
    struct scene scene;
    scene_prepare(&scene, SCENE_LOOKUP);
    scene_in_world(&scene,
        "{\"class\": \"lookup\", \"lookup\": {\"reach_ms\": 100000}, \"script\": [{\"do\": "
        "\"lose\"}, "
        "{\"do\": \"answer\"}]}");
    scene_open(&scene);
    assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
    scene_owner_dies(&scene, 1);
    scene_advance(&scene, SCENE_REACH_MS);
    struct deed_pass pass = {.size = sizeof(pass)};
    assert_int_equal(scene_pass(&scene, 2, &pass), DEED_OK);
    assert_int_equal(pass.person, 1);
    scene_expect_uncertain(&scene);
    assert_true(scene.result.needs_person);
    assert_int_equal(scene_run(&scene, 2, DEED_BEGIN_BY_NAME), DEED_OK);
    assert_int_equal(scene_effects(&scene), 1);
    scene_check(&scene);
    scene_end(&scene);
}

/* Whose reach is not known is asked for effects only. */
static void test_trap_a5__a_reach_that_is_not_known_makes_no_absence_final(void **state)
{
    (void)state;
    struct scene scene;
    scene_prepare(&scene, SCENE_LOOKUP);
    scene.profile.reach_ms = 0;
    scene_open(&scene);
    scene.provider.next_finding = DEED_FOUND_ABSENT;
    assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
    scene_past_visible(&scene);
    assert_int_equal(scene_reconcile(&scene, 2), DEED_OK);
    scene_expect_uncertain(&scene);
    assert_true(scene.result.needs_person);
    scene.provider.next_finding = DEED_FOUND_PRESENT;
    assert_int_equal(scene_reconcile(&scene, 2), DEED_OK);
    scene_expect(&scene, DEED_RECONCILED, DEED_APPLIED);
    scene_check(&scene);
    scene_end(&scene);
}

/* Attempt 1 took effect in second 0 and is forgotten in second 100; its replay, in second 50, was lost
 * on the way. In second 120 the replay is within reach and attempt 1 is not. */
static void test_trap_a5__reach_counts_from_the_first_attempt_in_doubt(void **state)
{
    (void)state;
    struct scene scene;
    scene_prepare(&scene, SCENE_KEYED_LOOKUP);
    scene_in_world(&scene,
        "{\"class\": \"keyed+lookup\", \"window_ms\": 60000, \"lookup\": {\"reach_ms\": 100000}, "
        "\"lookup_script\": [{\"say\": \"error\"}, \"truth\"], \"script\": [{\"do\": \"lose\"}, "
        "{\"do\": "
        "\"late\", \"outcome\": \"never\"}, {\"do\": \"answer\"}]}");
    scene_open(&scene);
    assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
    scene_advance(&scene, 50000);
    assert_int_equal(scene_reconcile(&scene, 2), DEED_OK); /* cannot tell; replays */
    scene_get(&scene);
    assert_int_equal(scene.result.attempt, 2);
    scene_advance(&scene, 70000);
    assert_int_equal(scene_reconcile(&scene, 2), DEED_OK);
    scene_expect_uncertain(&scene);
    assert_int_equal(scene_effects(&scene), 1);
    scene_check(&scene);
    scene_end(&scene);
}

/* The configuration is mended: a look-up forgets sooner than was thought. Each attempt is judged by
 * the reach it was made with, from the first one on. */
static void test_trap_a5__the_shortest_reach_in_doubt_counts(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_KEYED_LOOKUP);
    assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
    scene.profile.reach_ms = 20000;
    scene_restart(&scene, 2);
    scene_past_lease(&scene);
    assert_int_equal(scene_reconcile(&scene, 2), DEED_OK);
    scene_get(&scene);
    assert_int_equal(scene.result.attempt, 2);
    scene_advance(&scene, 57000); /* and the window is over, so that nothing is sent */
    scene.provider.next_finding = DEED_FOUND_ABSENT;
    assert_int_equal(scene_reconcile(&scene, 2), DEED_OK);
    scene_expect_uncertain(&scene);
    assert_int_equal(scene.provider.sends, 2);
    scene_check(&scene);
    scene_end(&scene);
}

/* An executor that would rather look than resend: where no look-up can settle, it resends. */
static void test_trap_a5__who_prefers_to_wait_replays_where_waiting_is_in_vain(void **state)
{
    (void)state;
    for (int known = 0; known < 2; known++) {
        struct scene scene;
        scene_prepare(&scene, SCENE_KEYED_LOOKUP);
        scene.profile.prefers_wait = true;
        scene.profile.reach_ms = known != 0 ? SCENE_REACH_MS : 0;
        scene_open(&scene);
        scene.provider.next_finding = DEED_FOUND_ABSENT;
        assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
        scene.provider.next_verdict = DEED_VERDICT_APPLIED;
        assert_int_equal(scene_reconcile(&scene, 2), DEED_OK);
        assert_int_equal(scene.provider.sends, known != 0 ? 1 : 2);
        scene_check(&scene);
        scene_end(&scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trap_a5__past_its_reach_a_look_up_proves_nothing),
        cmocka_unit_test(test_trap_a5__a_reach_that_is_not_known_makes_no_absence_final),
        cmocka_unit_test(test_trap_a5__reach_counts_from_the_first_attempt_in_doubt),
        cmocka_unit_test(test_trap_a5__the_shortest_reach_in_doubt_counts),
        cmocka_unit_test(test_trap_a5__who_prefers_to_wait_replays_where_waiting_is_in_vain),
    };
    return cmocka_run_group_tests_name("trap_a5", tests, NULL, NULL);
}
