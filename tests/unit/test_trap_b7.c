/* SPDX-License-Identifier: MIT
 *
 * Trap B7: a replay can cause the effect, so not-after stops it like any attempt; and when the
 * policy has no attempt left, "safe to retry" would be a lie: a person is needed.
 */
#include "support/scene.h"

#define NOT_AFTER_MS 10000

static void until(struct scene *scene, enum scene_class class)
{
    scene_prepare(scene, class);
    scene->not_after_ms = SCENE_START_MS + NOT_AFTER_MS;
    scene_open(scene);
}

static void test_trap_b7__nothing_begins_after_its_not_after(void **state)
{
    (void)state;
    struct scene scene;
    until(&scene, SCENE_KEYED);
    scene_advance(&scene, NOT_AFTER_MS + 1);
    assert_int_equal(scene_run(&scene, 0, 0), DEED_E_NEEDS_PERSON);
    assert_int_equal(scene_run(&scene, 0, DEED_BEGIN_BY_NAME), DEED_E_NEEDS_PERSON);
    assert_int_equal(scene.provider.sends, 0);
    scene_get(&scene);
    assert_true(scene.result.overdue);
    assert_int_equal(scene.result.reason, DEED_REASON_OVERDUE);
    assert_string_equal(scene.result.next, "deed explain pay-1");
    assert_int_equal(deed_exit_status(DEED_OK, DEED_EXIT_ACTING, &scene.result), 9);
    scene_check(&scene);
    scene_end(&scene);
}

static void test_trap_b7__an_attempt_may_begin_at_the_last_moment(void **state)
{
    (void)state;
    struct scene scene;
    until(&scene, SCENE_KEYED);
    scene_advance(&scene, NOT_AFTER_MS);
    scene.provider.next_verdict = DEED_VERDICT_APPLIED;
    assert_int_equal(scene_run(&scene, 0, 0), DEED_OK);
    scene_expect(&scene, DEED_CONFIRMED, DEED_APPLIED);
    assert_false(scene.result.overdue);
    scene_check(&scene);
    scene_end(&scene);
}

/* The answer is lost before not-after; the pass comes after it. It looks, and does not replay. */
static void test_trap_b7__a_replay_does_not_go_out_after_not_after(void **state)
{
    (void)state;
    struct scene scene;
    until(&scene, SCENE_KEYED_LOOKUP);
    assert_int_equal(scene_run(&scene, 0, 0), DEED_OK);
    scene_advance(&scene, NOT_AFTER_MS + 1);
    scene.provider.next_verdict = DEED_VERDICT_APPLIED;
    assert_int_equal(scene_reconcile(&scene, 1), DEED_OK); /* cannot tell */
    struct deed_attempt replay = {.size = sizeof(replay)};
    assert_int_equal(scene_begin(&scene, 1, DEED_BEGIN_REPLAY, &replay), DEED_E_NEEDS_PERSON);
    scene_expect_uncertain(&scene);
    assert_true(scene.result.overdue);
    assert_int_equal(scene.provider.sends, 1);
    assert_int_equal(scene.provider.looks, 1);
    scene.provider.next_finding = DEED_FOUND_ABSENT;
    assert_int_equal(scene_reconcile(&scene, 1), DEED_OK);
    scene_expect(&scene, DEED_RECONCILED, DEED_NOT_APPLIED);
    assert_int_equal(scene_run(&scene, 1, DEED_BEGIN_BY_NAME), DEED_E_NEEDS_PERSON);
    assert_int_equal(scene.provider.sends, 1);
    scene_check(&scene);
    scene_end(&scene);
}

/* Two attempts allowed, both not applied. Exit 9, not 8; nothing starts by itself; by name it does,
 * and the cause says so. */
static void test_trap_b7__an_exhausted_policy_needs_a_person(void **state)
{
    (void)state;
    struct scene scene;
    scene_prepare(&scene, SCENE_KEYED);
    scene.profile.attempts_max = 2;
    scene_open(&scene);
    scene.provider.next_verdict = DEED_VERDICT_NOT_APPLIED;
    assert_int_equal(scene_run(&scene, 0, 0), DEED_OK);
    assert_int_equal(deed_exit_status(DEED_OK, DEED_EXIT_ACTING, &scene.result), 8);
    scene_advance(&scene, 1000);
    assert_int_equal(scene_run(&scene, 0, 0), DEED_OK);
    assert_int_equal(deed_exit_status(DEED_OK, DEED_EXIT_ACTING, &scene.result), 9);
    assert_int_equal(scene.result.reason, DEED_REASON_EXHAUSTED);
    assert_true(scene.result.needs_person);
    scene_advance(&scene, 86400000);
    assert_int_equal(scene_run(&scene, 0, 0), DEED_E_NEEDS_PERSON);
    assert_int_equal(deed_run_due(scene.workers[0], NULL, NULL, &scene.err), DEED_OK);
    assert_int_equal(scene.provider.sends, 2);
    struct deed_attempt third = {.size = sizeof(third)};
    assert_int_equal(scene_begin(&scene, 0, DEED_BEGIN_BY_NAME, &third), DEED_OK);
    assert_int_equal(third.cause, DEED_CAUSE_BY_NAME);
    scene_check(&scene);
    scene_end(&scene);
}

/* Replays use the policy up as well: then a pass leaves them alone and says so; a person who names
 * the key goes on. */
static void test_trap_b7__an_exhausted_policy_stops_the_replays_of_a_pass(void **state)
{
    (void)state;
    struct scene scene;
    scene_prepare(&scene, SCENE_KEYED);
    scene.profile.attempts_max = 2;
    scene_open(&scene);
    assert_int_equal(scene_run(&scene, 0, 0), DEED_OK);
    struct deed_pass pass = {.size = sizeof(pass)};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(scene_pass(&scene, 1, &pass), DEED_OK);
        scene_advance(&scene, 1000);
    }
    assert_int_equal(scene.provider.sends, 2);
    assert_int_equal(pass.person, 1);
    scene_expect_uncertain(&scene);
    assert_true(scene.result.needs_person);
    scene.provider.next_verdict = DEED_VERDICT_APPLIED;
    assert_int_equal(scene_reconcile(&scene, 1), DEED_OK);
    assert_int_equal(scene.provider.sends, 3);
    scene_expect(&scene, DEED_RECONCILED, DEED_APPLIED);
    scene_check(&scene);
    scene_end(&scene);
}

/* The default is five. */
static void test_trap_b7__five_attempts_are_the_default(void **state)
{
    (void)state;
    struct scene scene;
    scene_prepare(&scene, SCENE_BLIND);
    scene.profile.attempts_max = 0;
    scene_open(&scene);
    scene.provider.next_verdict = DEED_VERDICT_NOT_APPLIED;
    for (int i = 0; i < 10; i++) {
        assert_int_equal(deed_run_due(scene.workers[0], NULL, NULL, &scene.err), DEED_OK);
        scene_advance(&scene, 300000);
    }
    assert_int_equal(scene.provider.sends, 5);
    scene_check(&scene);
    scene_end(&scene);
}

/* A pause is no obstacle to a person, and a refusal names its end. */
static void test_trap_b7__the_pause_between_attempts_is_named(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_BLIND);
    scene.provider.next_verdict = DEED_VERDICT_NOT_APPLIED;
    assert_int_equal(scene_run(&scene, 0, 0), DEED_OK);
    assert_int_equal(scene_run(&scene, 0, 0), DEED_E_NOT_YET);
    assert_non_null(strstr(scene.err.text, "2023-11-14T22:13:21.000Z"));
    assert_int_equal(scene.result.due_ms, SCENE_START_MS + 1000);
    assert_int_equal(scene_run(&scene, 0, DEED_BEGIN_BY_NAME), DEED_OK);
    assert_int_equal(scene.provider.sends, 2);
    scene_check(&scene);
    scene_end(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trap_b7__nothing_begins_after_its_not_after),
        cmocka_unit_test(test_trap_b7__an_attempt_may_begin_at_the_last_moment),
        cmocka_unit_test(test_trap_b7__a_replay_does_not_go_out_after_not_after),
        cmocka_unit_test(test_trap_b7__an_exhausted_policy_needs_a_person),
        cmocka_unit_test(test_trap_b7__an_exhausted_policy_stops_the_replays_of_a_pass),
        cmocka_unit_test(test_trap_b7__five_attempts_are_the_default),
        cmocka_unit_test(test_trap_b7__the_pause_between_attempts_is_named),
    };
    return cmocka_run_group_tests_name("trap_b7", tests, NULL, NULL);
}
