/* SPDX-License-Identifier: MIT
 *
 * Trap A6: accepted is not applied. While a handle is open or an answer was pending nothing is resent
 * and no absence settles; and the time a provider may take for what it accepted counts whether or not
 * anybody saw that it accepted.
 */
#include "support/scene.h"

static void in_world(struct scene *scene, enum scene_class class, const char *options)
{
    scene_prepare(scene, class);
    scene_in_world(scene, options);
    scene_open(scene);
}

/* A look-up finds the accepted object; later the provider rejects it. "Present" would have been
 * `applied` without an effect. */
static void test_trap_a6__an_object_that_is_pending_is_not_present(void **state)
{
    (void)state;
    struct scene scene;
    in_world(&scene, SCENE_LOOKUP,
        "{\"class\": \"lookup\", \"script\": {\"do\": \"pending\", \"lost\": true, \"land\": "
        "{\"after_ms\": "
        "4000}, \"outcome\": \"rejected\"}}");
    assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
    assert_int_equal(scene_reconcile(&scene, 2), DEED_OK);
    scene_expect_uncertain(&scene);
    assert_int_equal(scene.result.reason, DEED_REASON_PENDING);
    scene_past_visible(&scene);
    assert_int_equal(scene_reconcile(&scene, 2), DEED_OK);
    scene_expect(&scene, DEED_RECONCILED, DEED_REJECTED);
    assert_int_equal(scene_effects(&scene), 0);
    scene_check(&scene);
    scene_end(&scene);
}

/* The handle is open; after the horizon the look-up says "no effect yet"; then it lands. */
static void test_trap_a6__no_absence_settles_while_a_handle_is_open(void **state)
{
    (void)state;
    struct scene scene;
    in_world(&scene, SCENE_LOOKUP,
        "{\"class\": \"lookup\", \"lookup\": {\"shows_pending\": false}, \"script\": [{\"do\": "
        "\"pending\", \"land\": {\"after_ms\": 60000}}, {\"do\": \"answer\"}]}");
    assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
    scene_past_visible(&scene);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(scene_reconcile(&scene, 2), DEED_OK);
        scene_expect_uncertain(&scene);
        assert_int_equal(scene_run(&scene, 1, DEED_BEGIN_BY_NAME), DEED_OK);
        scene_advance(&scene, 10000);
    }
    assert_int_equal(scene_effects(&scene), 0);
    scene_advance(&scene, 30000);
    assert_int_equal(scene_reconcile(&scene, 2), DEED_OK);
    scene_expect(&scene, DEED_RECONCILED, DEED_APPLIED);
    assert_int_equal(scene_effects(&scene), 1);
    scene_check(&scene);
    scene_end(&scene);
}

/* What a look-up saw pending is stored: a later look-up that shows only what is done settles nothing,
 * in another process too. */
static void test_trap_a6__what_a_look_up_saw_pending_stays_pending(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_LOOKUP);
    assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
    scene.provider.next_finding = DEED_FOUND_PENDING;
    assert_int_equal(scene_reconcile(&scene, 2), DEED_OK);
    scene_restart(&scene, 2);
    scene_past_visible(&scene);
    scene.provider.next_finding = DEED_FOUND_ABSENT;
    assert_int_equal(scene_reconcile(&scene, 2), DEED_OK);
    scene_expect_uncertain(&scene);
    assert_int_equal(scene.result.reason, DEED_REASON_PENDING);
    scene.provider.next_finding = DEED_FOUND_PRESENT;
    assert_int_equal(scene_reconcile(&scene, 2), DEED_OK);
    scene_expect(&scene, DEED_RECONCILED, DEED_APPLIED);
    scene_check(&scene);
    scene_end(&scene);
}

/* Step (2) must not resend while (1) says pending. The provider's key would hold here; what would not
 * is the order, and a provider that works on each request it gets while the first is under way. */
static void test_trap_a6__nothing_is_resent_while_it_is_pending(void **state)
{
    (void)state;
    static const enum scene_class classes[] = {SCENE_KEYED, SCENE_KEYED_LOOKUP};
    for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
        struct scene scene;
        scene_new(&scene, classes[i]);
        scene.provider.pending = true;
        scene.provider.next_finding = DEED_FOUND_PENDING;
        assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
        scene_past_lease(&scene);
        assert_int_equal(scene_reconcile(&scene, 2), DEED_OK);
        struct deed_attempt replay = {.size = sizeof(replay)};
        assert_int_equal(scene_begin(&scene, 2, DEED_BEGIN_REPLAY, &replay), DEED_E_UNCERTAIN);
        assert_int_equal(scene.provider.sends, 1);
        scene_expect_uncertain(&scene);
        assert_int_equal(scene.result.reason, DEED_REASON_PENDING);
        scene_check(&scene);
        scene_end(&scene);
    }
}

/* The 202 itself is lost, and the look-up does not show what is only accepted: nobody knows that the
 * longer time applies, so it always does. */
static void test_trap_a6__the_time_for_processing_counts_when_the_202_was_lost(void **state)
{
    (void)state;
    struct scene scene;
    scene_prepare(&scene, SCENE_LOOKUP);
    scene.profile.landing_ms = 50000; /* 5 s on the road, 45 s until it is worked on */
    scene_in_world(&scene,
        "{\"class\": \"lookup\", \"lookup\": {\"shows_pending\": false}, \"script\": [{\"do\": "
        "\"pending\", \"lost\": true, \"land\": {\"after_ms\": 45000}}, {\"do\": \"answer\"}]}");
    scene_open(&scene);
    assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
    for (int i = 0; i < 5; i++) {
        scene_advance(&scene, 8000);
        assert_int_equal(scene_reconcile(&scene, 2), DEED_OK);
        scene_expect_uncertain(&scene);
        assert_int_equal(scene_run(&scene, 2, DEED_BEGIN_BY_NAME), DEED_OK);
    }
    scene_advance(&scene, 12000);
    assert_int_equal(scene_reconcile(&scene, 2), DEED_OK);
    scene_expect(&scene, DEED_RECONCILED, DEED_APPLIED);
    assert_int_equal(scene_effects(&scene), 1);
    scene_check(&scene);
    scene_end(&scene);
}

/* Where that time has no bound an absence is never final: it lands after a week. */
static void test_trap_a6__without_a_bound_no_absence_is_final(void **state)
{
    (void)state;
    static const int64_t unbounded[] = {DEED_FOREVER, 0 /* not known */};
    for (size_t i = 0; i < sizeof(unbounded) / sizeof(unbounded[0]); i++) {
        struct scene scene;
        scene_prepare(&scene, SCENE_LOOKUP);
        scene.profile.landing_ms = unbounded[i];
        scene.profile.reach_ms = DEED_FOREVER;
        scene_in_world(&scene,
            "{\"class\": \"lookup\", \"lookup\": {\"shows_pending\": false}, \"script\": [{\"do\": "
            "\"pending\", \"lost\": true, \"land\": {\"after_ms\": 604800000}}, {\"do\": "
            "\"answer\"}]}");
        scene_open(&scene);
        assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
        for (int day = 0; day < 7; day++) {
            assert_int_equal(scene_reconcile(&scene, 2), DEED_OK);
            scene_expect_uncertain(&scene);
            assert_int_equal(scene_run(&scene, 2, DEED_BEGIN_BY_NAME), DEED_OK);
            scene_advance(&scene, 86400000);
        }
        assert_int_equal(scene_reconcile(&scene, 2), DEED_OK);
        scene_expect(&scene, DEED_RECONCILED, DEED_APPLIED);
        assert_int_equal(scene_effects(&scene), 1);
        scene_check(&scene);
        scene_end(&scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trap_a6__an_object_that_is_pending_is_not_present),
        cmocka_unit_test(test_trap_a6__no_absence_settles_while_a_handle_is_open),
        cmocka_unit_test(test_trap_a6__what_a_look_up_saw_pending_stays_pending),
        cmocka_unit_test(test_trap_a6__nothing_is_resent_while_it_is_pending),
        cmocka_unit_test(test_trap_a6__the_time_for_processing_counts_when_the_202_was_lost),
        cmocka_unit_test(test_trap_a6__without_a_bound_no_absence_is_final),
    };
    return cmocka_run_group_tests_name("trap_a6", tests, NULL, NULL);
}
