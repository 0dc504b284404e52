/* SPDX-License-Identifier: MIT
 *
 * Trap B6: a person's early `rejected` is the same claim as an early `not_applied`: that nothing can
 * happen any more. Neither stands before everything sent has landed or never will.
 */
#include "support/scene.h"

static const deed_outcome negative[] = {DEED_NOT_APPLIED, DEED_REJECTED};

/* The person looks truthfully, sees nothing and says so; request 1 lands a moment later. */
static void test_trap_b6__a_negative_word_waits_for_horizon_and_lag(void **state)
{
    (void)state;
    for (int class = 0; class < SCENE_CLASSES; class ++) {
        for (size_t i = 0; i < 2; i++) {
            struct scene scene;
            scene_new(&scene, (enum scene_class) class);
            assert_int_equal(scene_run(&scene, 0, 0), DEED_OK);
            bool asks =
                class == SCENE_LOOKUP || class == SCENE_KEYED_LOOKUP || class == SCENE_CLOSABLE;
            int64_t wait_ms = SCENE_HORIZON_MS + (asks ? SCENE_LAG_MS : 0);
            unsigned chain = scene_chain(&scene);
            scene_advance(&scene, wait_ms - 1);
            assert_int_equal(scene_resolve(&scene, 1, negative[i]), DEED_E_NOT_YET);
            assert_non_null(
                strstr(scene.err.text, asks ? "2023-11-14T22:13:27.000Z" : "22:13:26.000Z"));
            scene_expect_uncertain(&scene);
            assert_int_equal(scene_chain(&scene), chain);
            scene_advance(&scene, 1);
            assert_int_equal(scene_resolve(&scene, 1, negative[i]), DEED_OK);
            scene_expect(&scene, DEED_RECONCILED, negative[i]);
            assert_int_equal(scene.result.grade, DEED_GRADE_OPERATOR);
            scene_check(&scene);
            scene_end(&scene);
        }
    }
}

/* Every attempt in doubt counts, not the first or the last of them only. */
static void test_trap_b6__the_latest_horizon_in_doubt_counts(void **state)
{
    (void)state;
    for (int slow = 1; slow <= 2; slow++) { /* which attempt may land last */
        struct scene scene;
        scene_prepare(&scene, SCENE_KEYED);
        scene.profile.landing_ms = slow == 1 ? 30000 : SCENE_LANDING_MS;
        scene_open(&scene);
        struct deed_attempt attempt = {.size = sizeof(attempt)};
        assert_int_equal(scene_begin(&scene, 0, 0, &attempt), DEED_OK);
        scene_past_lease(&scene);
        scene.profile.landing_ms = slow == 2 ? 30000 : SCENE_LANDING_MS;
        assert_int_equal(scene_begin(&scene, 0, DEED_BEGIN_REPLAY, &attempt), DEED_OK);
        scene_past_lease(&scene);
        int64_t end_ms = SCENE_SEND_MS + 30000 + (slow == 2 ? 3000 : 0);
        scene_advance(&scene, end_ms - 6000 - 1);
        assert_int_equal(scene_resolve(&scene, 1, DEED_REJECTED), DEED_E_NOT_YET);
        scene_advance(&scene, 1);
        assert_int_equal(scene_resolve(&scene, 1, DEED_REJECTED), DEED_OK);
        scene_check(&scene);
        scene_end(&scene);
    }
}

/* `applied` may be said at once: it claims nothing about what is still to come. */
static void test_trap_b6__a_positive_word_does_not_wait(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_BLIND);
    assert_int_equal(scene_run(&scene, 0, 0), DEED_OK);
    assert_int_equal(scene_resolve(&scene, 1, DEED_APPLIED), DEED_OK);
    scene_expect(&scene, DEED_RECONCILED, DEED_APPLIED);
    scene_check(&scene);
    scene_end(&scene);
}

/* While somebody is at it nobody decides. */
static void test_trap_b6__nobody_decides_about_what_is_in_flight(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_BLIND);
    struct deed_attempt attempt = {.size = sizeof(attempt)};
    assert_int_equal(scene_begin(&scene, 0, 0, &attempt), DEED_OK);
    assert_int_equal(scene_resolve(&scene, 1, DEED_APPLIED), DEED_E_IN_FLIGHT);
    assert_int_equal(scene_resolve(&scene, 1, DEED_NOT_APPLIED), DEED_E_IN_FLIGHT);
    scene_check(&scene);
    scene_end(&scene);
}

/* A decision has a name and a reason, and says one of three things. */
static void test_trap_b6__a_decision_has_a_name_a_reason_and_an_outcome(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_BLIND);
    assert_int_equal(scene_run(&scene, 0, 0), DEED_OK);
    scene_past_visible(&scene);
    struct deed_decision good = {.size = sizeof(good),
        .key = SCENE_KEY,
        .by = "ada",
        .reason = "seen",
        .outcome = DEED_NOT_APPLIED};
    struct deed_decision bad[5];
    for (size_t i = 0; i < 5; i++) {
        bad[i] = good;
    }
    bad[0].by = NULL;
    bad[1].reason = "";
    bad[2].outcome = DEED_OUTCOME_NONE;
    bad[3].outcome = DEED_RETRACTED;
    bad[4].outcome = (deed_outcome)7;
    unsigned chain = scene_chain(&scene);
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(
            deed_resolve(scene.workers[0], &bad[i], &scene.result, &scene.err), DEED_E_INVALID);
    }
    assert_int_equal(scene_chain(&scene), chain);
    assert_int_equal(deed_resolve(scene.workers[0], &good, &scene.result, &scene.err), DEED_OK);
    scene_check(&scene);
    scene_end(&scene);
}

/* A dispute opens again what a settlement had ended: two effects were seen while a replay was still
 * on its way. Who says now that nothing happened must wait for it like anybody else. */
static void two_effects(
    struct scene *scene, const struct deed_question *question, struct deed_finding *finding)
{
    (void)scene;
    (void)question;
    finding->kind = DEED_FOUND_PRESENT;
    finding->marker_matches = true;
    finding->digest_matches = true;
    finding->count = 2;
}

static void dispute(struct scene *scene)
{
    scene_new(scene, SCENE_KEYED_LOOKUP);
    struct deed_attempt attempt = {.size = sizeof(attempt)};
    assert_int_equal(scene_begin(scene, 0, 0, &attempt), DEED_OK);
    scene_past_lease(scene);
    assert_int_equal(scene_begin(scene, 0, DEED_BEGIN_REPLAY, &attempt), DEED_OK);
    scene_past_lease(scene);
    scene->provider.lookup = two_effects;
    assert_int_equal(scene_reconcile(scene, 1), DEED_OK);
    scene_expect(scene, DEED_RECONCILED, DEED_APPLIED);
    scene_expect_disputed(scene, true);
}

static void test_trap_b6__a_dispute_does_not_shorten_the_wait(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct scene scene;
        dispute(&scene);
        unsigned chain = scene_chain(&scene);
        scene_advance(&scene, SCENE_VISIBLE_MS - 3000 - 1); /* a lease was waited for already */
        assert_int_equal(scene_resolve(&scene, 1, negative[i]), DEED_E_NOT_YET);
        assert_non_null(strstr(scene.err.text, "2023-11-14T22:13:30.000Z"));
        scene_expect_disputed(&scene, true);
        assert_int_equal(scene_chain(&scene), chain);
        scene_advance(&scene, 1);
        assert_int_equal(scene_resolve(&scene, 1, negative[i]), DEED_OK);
        scene_expect(&scene, DEED_RECONCILED, negative[i]);
        scene_expect_disputed(&scene, false);
        scene_check(&scene);
        scene_end(&scene);
    }
}

static void test_trap_b6__a_dispute_is_closed_as_applied_at_once(void **state)
{
    (void)state;
    struct scene scene;
    dispute(&scene);
    assert_int_equal(scene_resolve(&scene, 1, DEED_APPLIED), DEED_OK);
    scene_expect_disputed(&scene, false);
    scene_check(&scene);
    scene_end(&scene);
}

/* In another boot the wait starts again when the person first asks, and it ends. */
static void test_trap_b6__the_wait_of_a_dispute_ends_in_another_boot_too(void **state)
{
    (void)state;
    struct scene scene;
    dispute(&scene);
    scene_reboot(&scene, 60000);
    assert_int_equal(scene_resolve(&scene, 1, DEED_NOT_APPLIED), DEED_E_NOT_YET);
    scene_advance(&scene, SCENE_VISIBLE_MS - 1);
    assert_int_equal(scene_resolve(&scene, 1, DEED_NOT_APPLIED), DEED_E_NOT_YET);
    scene_advance(&scene, 1);
    assert_int_equal(scene_resolve(&scene, 1, DEED_NOT_APPLIED), DEED_OK);
    scene_expect(&scene, DEED_RECONCILED, DEED_NOT_APPLIED);
    scene_check(&scene);
    scene_end(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trap_b6__a_negative_word_waits_for_horizon_and_lag),
        cmocka_unit_test(test_trap_b6__the_latest_horizon_in_doubt_counts),
        cmocka_unit_test(test_trap_b6__a_positive_word_does_not_wait),
        cmocka_unit_test(test_trap_b6__nobody_decides_about_what_is_in_flight),
        cmocka_unit_test(test_trap_b6__a_decision_has_a_name_a_reason_and_an_outcome),
        cmocka_unit_test(test_trap_b6__a_dispute_does_not_shorten_the_wait),
        cmocka_unit_test(test_trap_b6__a_dispute_is_closed_as_applied_at_once),
        cmocka_unit_test(test_trap_b6__the_wait_of_a_dispute_ends_in_another_boot_too),
    };
    return cmocka_run_group_tests_name("trap_b6", tests, NULL, NULL);
}
