/* SPDX-License-Identifier: MIT
 *
 * Trap B8: giving up what is disputed, fenced or in doubt would be a lie told about an effect.
 */
#include "support/scene.h"

static void refused(struct scene *scene, deed_rc rc)
{
    unsigned chain = scene_chain(scene);
    assert_int_equal(scene_retract(scene, 1), rc);
    assert_int_equal(scene_chain(scene), chain);
}

static void test_trap_b8__what_is_disputed_is_not_given_up(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_BLIND);
    struct deed_attempt lost = {.size = sizeof(lost)};
    assert_int_equal(scene_begin(&scene, 0, 0, &lost), DEED_OK);
    scene_past_visible(&scene);
    assert_int_equal(scene_resolve(&scene, 1, DEED_NOT_APPLIED), DEED_OK);
    assert_int_equal(scene_finish(&scene, 0, &lost, DEED_VERDICT_APPLIED), DEED_OK);
    scene_expect_disputed(&scene, true);
    refused(&scene, DEED_E_NEEDS_PERSON);
    scene_expect(&scene, DEED_RECONCILED, DEED_APPLIED);
    scene_check(&scene);
    scene_end(&scene);
}

/* From `recorded`, and from either kind of `not_applied`. */
static void test_trap_b8__what_is_fenced_is_not_given_up(void **state)
{
    (void)state;
    for (int from = 0; from < 3; from++) {
        struct scene scene;
        scene_new(&scene, SCENE_LOOKUP);
        if (from > 0) {
            scene.provider.next_verdict =
                from == 1 ? DEED_VERDICT_NOT_APPLIED : DEED_VERDICT_UNKNOWN;
            assert_int_equal(scene_run(&scene, 0, 0), DEED_OK);
        }
        if (from == 2) {
            scene_past_visible(&scene);
            scene.provider.next_finding = DEED_FOUND_ABSENT;
            assert_int_equal(scene_reconcile(&scene, 1), DEED_OK);
        }
        scene_fence(&scene, true);
        refused(&scene, DEED_E_NEEDS_PERSON);
        scene_get(&scene);
        assert_true(scene.result.fenced);
        assert_int_equal(scene.result.reason, DEED_REASON_FENCED);
        assert_int_equal(scene_run(&scene, 1, DEED_BEGIN_BY_NAME), DEED_E_NEEDS_PERSON);
        scene_fence(&scene, false);
        assert_int_equal(scene_retract(&scene, 1), DEED_OK);
        scene_expect(&scene, from == 2 ? DEED_RECONCILED : DEED_CONFIRMED, DEED_RETRACTED);
        scene_check(&scene);
        scene_end(&scene);
    }
}

static void test_trap_b8__what_is_in_doubt_is_not_given_up(void **state)
{
    (void)state;
    for (int class = 0; class < SCENE_CLASSES; class ++) {
        struct scene scene;
        scene_new(&scene, (enum scene_class) class);
        struct deed_attempt attempt = {.size = sizeof(attempt)};
        assert_int_equal(scene_begin(&scene, 0, 0, &attempt), DEED_OK);
        refused(&scene, DEED_E_IN_FLIGHT);
        assert_int_equal(scene_finish(&scene, 0, &attempt, DEED_VERDICT_UNKNOWN), DEED_OK);
        refused(&scene, DEED_E_UNCERTAIN);
        scene_expect_uncertain(&scene);
        scene_check(&scene);
        scene_end(&scene);
    }
}

static void test_trap_b8__what_has_ended_is_not_given_up(void **state)
{
    (void)state;
    static const deed_verdict ends[] = {DEED_VERDICT_APPLIED, DEED_VERDICT_REJECTED};
    for (size_t i = 0; i < 2; i++) {
        struct scene scene;
        scene_new(&scene, SCENE_BLIND);
        scene.provider.next_verdict = ends[i];
        assert_int_equal(scene_run(&scene, 0, 0), DEED_OK);
        refused(&scene, DEED_E_NO_STEP);
        scene_expect(&scene, DEED_CONFIRMED, (deed_outcome)ends[i]);
        scene_check(&scene);
        scene_end(&scene);
    }
}

/* What was inferred stays inferred: giving it up does not make it seen. */
static void test_trap_b8__giving_up_keeps_seen_and_inferred_apart(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_BLIND);
    assert_int_equal(scene_run(&scene, 0, 0), DEED_OK);
    scene_past_visible(&scene);
    assert_int_equal(scene_resolve(&scene, 1, DEED_NOT_APPLIED), DEED_OK);
    assert_int_equal(scene_retract(&scene, 1), DEED_OK);
    scene_expect(&scene, DEED_RECONCILED, DEED_RETRACTED);
    assert_int_equal(scene_retract(&scene, 1), DEED_OK); /* twice is harmless */
    assert_int_equal(scene_events(&scene, DEED_EVENT_RETRACT), 1);
    assert_int_equal(scene_run(&scene, 1, DEED_BEGIN_BY_NAME), DEED_OK);
    assert_true(scene.result.replayed);
    assert_int_equal(scene.provider.sends, 1);
    scene_check(&scene);
    scene_end(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trap_b8__what_is_disputed_is_not_given_up),
        cmocka_unit_test(test_trap_b8__what_is_fenced_is_not_given_up),
        cmocka_unit_test(test_trap_b8__what_is_in_doubt_is_not_given_up),
        cmocka_unit_test(test_trap_b8__what_has_ended_is_not_given_up),
        cmocka_unit_test(test_trap_b8__giving_up_keeps_seen_and_inferred_apart),
    };
    return cmocka_run_group_tests_name("trap_b8", tests, NULL, NULL);
}
