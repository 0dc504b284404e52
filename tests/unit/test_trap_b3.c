/* SPDX-License-Identifier: MIT
 *
 * Trap B3: after a `not_applied` that was inferred the ledger looks again, twice; after a retry it
 * must not take the retry's own effect for the first one's.
 */
#include "support/scene.h"

#define DAY_MS 86400000

static void absent_for_good(struct scene *scene, enum scene_class class)
{
    scene_new(scene, class);
    assert_int_equal(scene_run(scene, 0, 0), DEED_OK);
    scene_past_visible(scene);
    scene->provider.next_finding = DEED_FOUND_ABSENT;
    assert_int_equal(scene_reconcile(scene, 1), DEED_OK);
    scene_expect(scene, DEED_RECONCILED, DEED_NOT_APPLIED);
}

static void pass(struct scene *scene)
{
    struct deed_pass counts = {.size = sizeof(counts)};
    assert_int_equal(scene_pass(scene, 1, &counts), DEED_OK);
    assert_int_equal(counts.failed, 0);
}

/* One horizon later, then a day later, then no more. */
static void test_trap_b3__an_inferred_absence_is_looked_at_twice_more(void **state)
{
    (void)state;
    struct scene scene;
    absent_for_good(&scene, SCENE_LOOKUP);
    unsigned looks = scene.provider.looks;
    pass(&scene);
    assert_int_equal(scene.provider.looks, looks); /* not due */
    scene_advance(&scene, SCENE_HORIZON_MS);
    pass(&scene);
    pass(&scene);
    assert_int_equal(scene.provider.looks, looks + 1);
    scene_advance(&scene, DAY_MS);
    pass(&scene);
    assert_int_equal(scene.provider.looks, looks + 2);
    scene_advance(&scene, 10 * (int64_t)DAY_MS);
    pass(&scene);
    assert_int_equal(scene.provider.looks, looks + 2);
    scene_expect(&scene, DEED_RECONCILED, DEED_NOT_APPLIED);
    scene_check(&scene);
    scene_end(&scene);
}

/* The first request landed after all: applied, and no dispute, for nobody has acted on the absence
 * and no other attempt exists. */
static void test_trap_b3__a_second_look_that_finds_it_settles_as_applied(void **state)
{
    (void)state;
    struct scene scene;
    absent_for_good(&scene, SCENE_LOOKUP);
    scene_advance(&scene, SCENE_HORIZON_MS);
    scene.provider.next_finding = DEED_FOUND_PRESENT;
    pass(&scene);
    scene_expect(&scene, DEED_RECONCILED, DEED_APPLIED);
    scene_expect_disputed(&scene, false);
    scene_check(&scene);
    scene_end(&scene);
}

/* Absent, retried, attempt 2 applies. The second looks would find attempt 2's own effect and take
 * it for attempt 1's: they have ended with the retry. */
static void test_trap_b3__second_looks_end_when_a_new_attempt_begins(void **state)
{
    (void)state;
    for (int lost = 0; lost <= 1; lost++) {
        struct scene scene;
        absent_for_good(&scene, SCENE_LOOKUP);
        scene_advance(&scene, 1000);
        scene.provider.next_verdict = lost == 1 ? DEED_VERDICT_UNKNOWN : DEED_VERDICT_APPLIED;
        assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
        unsigned looks = scene.provider.looks;
        scene.provider.next_finding = DEED_FOUND_PRESENT;
        scene_advance(&scene, SCENE_HORIZON_MS);
        pass(&scene); /* of a lost answer it finds attempt 2's effect, and that is attempt 2's */
        scene_advance(&scene, DAY_MS);
        pass(&scene);
        scene_expect(&scene, lost == 1 ? DEED_RECONCILED : DEED_CONFIRMED, DEED_APPLIED);
        scene_expect_disputed(&scene, false);
        assert_int_equal(scene.provider.looks, looks + (lost == 1 ? 1 : 0));
        scene_check(&scene);
        scene_end(&scene);
    }
}

/* Given up, and looked at all the same: the outcome the looks hung on is gone, they are not. */
static void test_trap_b3__second_looks_go_on_after_a_retract(void **state)
{
    (void)state;
    struct scene scene;
    absent_for_good(&scene, SCENE_LOOKUP);
    assert_int_equal(scene_retract(&scene, 1), DEED_OK);
    unsigned looks = scene.provider.looks;
    scene_advance(&scene, SCENE_HORIZON_MS);
    pass(&scene);
    assert_int_equal(scene.provider.looks, looks + 1);
    scene_expect(&scene, DEED_RECONCILED, DEED_RETRACTED);
    scene_advance(&scene, DAY_MS);
    scene.provider.next_finding = DEED_FOUND_PRESENT;
    pass(&scene);
    scene_expect(&scene, DEED_RECONCILED, DEED_APPLIED);
    scene_expect_disputed(&scene, true);
    scene_check(&scene);
    scene_end(&scene);
}

/* A person's word is inferred as well. */
static void test_trap_b3__a_persons_not_applied_is_looked_at_too(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_LOOKUP);
    assert_int_equal(scene_run(&scene, 0, 0), DEED_OK);
    scene_past_visible(&scene);
    assert_int_equal(scene_resolve(&scene, 1, DEED_NOT_APPLIED), DEED_OK);
    scene_advance(&scene, SCENE_HORIZON_MS);
    scene.provider.next_finding = DEED_FOUND_PRESENT;
    pass(&scene);
    scene_expect(&scene, DEED_RECONCILED, DEED_APPLIED);
    scene_expect_disputed(&scene, true); /* the person said otherwise, and may have acted on it */
    scene_check(&scene);
    scene_end(&scene);
}

/* What was seen first-hand needs no second look. */
static void test_trap_b3__a_first_hand_not_applied_is_not_looked_at(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_LOOKUP);
    scene.provider.next_verdict = DEED_VERDICT_NOT_APPLIED;
    assert_int_equal(scene_run(&scene, 0, 0), DEED_OK);
    scene_advance(&scene, 2 * (int64_t)DAY_MS);
    pass(&scene);
    assert_int_equal(scene.provider.looks, 0);
    scene_check(&scene);
    scene_end(&scene);
}

/* Two passes ask the same doubt; the second writes its absence after the first has settled. That
 * was no second look: both are still to come. */
static bool nested;
static int64_t stands_still_ms; /* before the first of them writes */

static void asked_twice(
    struct scene *scene, const struct deed_question *question, struct deed_finding *finding)
{
    (void)question;
    if (!nested) {
        nested = true;
        assert_int_equal(scene_reconcile(scene, 2), DEED_OK);
        scene_expect(scene, DEED_RECONCILED, DEED_NOT_APPLIED);
        scene_advance(scene, stands_still_ms);
    }
    finding->kind = DEED_FOUND_ABSENT;
    finding->complete = true;
}

static void lose_a_race(int64_t passed_ms)
{
    struct scene scene;
    scene_new(&scene, SCENE_LOOKUP);
    assert_int_equal(scene_run(&scene, 0, 0), DEED_OK);
    scene_past_visible(&scene);
    nested = false;
    stands_still_ms = passed_ms;
    scene.provider.lookup = asked_twice;
    assert_int_equal(scene_reconcile(&scene, 1), DEED_OK);
    scene_expect(&scene, DEED_RECONCILED, DEED_NOT_APPLIED);
    unsigned looks = scene.provider.looks;
    assert_int_equal(looks, 2);
    scene_advance(&scene, SCENE_HORIZON_MS);
    pass(&scene);
    scene_advance(&scene, DAY_MS);
    pass(&scene);
    assert_int_equal(scene.provider.looks, looks + 2);
    scene_check(&scene);
    scene_end(&scene);
}

static void test_trap_b3__a_pass_that_lost_a_race_takes_no_second_look_away(void **state)
{
    (void)state;
    lose_a_race(0);
}

/* Found with the model of tests/model: it was written when a second look was due, and knew nothing of
 * what had landed since it was asked. */
static void test_trap_b3__a_pass_that_stood_still_takes_no_second_look_away(void **state)
{
    (void)state;
    lose_a_race(SCENE_HORIZON_MS);
}

/* The second look finds our request accepted and not done: not_applied was wrong so far, and while
 * it is pending nothing may be resent. The intent is held. */
static void test_trap_b3__a_second_look_that_finds_it_pending_stops_the_retry(void **state)
{
    (void)state;
    struct scene scene;
    absent_for_good(&scene, SCENE_LOOKUP);
    scene_advance(&scene, SCENE_HORIZON_MS);
    scene.provider.next_finding = DEED_FOUND_PENDING;
    pass(&scene);
    scene_expect(&scene, DEED_RECONCILED, DEED_NOT_APPLIED);
    assert_true(scene.result.held);
    assert_int_equal(scene_run(&scene, 1, 0), DEED_E_NEEDS_PERSON);
    assert_int_equal(scene_run(&scene, 1, DEED_BEGIN_BY_NAME), DEED_E_NEEDS_PERSON);
    assert_int_equal(scene.provider.sends, 1);
    scene_check(&scene);
    scene_end(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trap_b3__an_inferred_absence_is_looked_at_twice_more),
        cmocka_unit_test(test_trap_b3__a_second_look_that_finds_it_settles_as_applied),
        cmocka_unit_test(test_trap_b3__second_looks_end_when_a_new_attempt_begins),
        cmocka_unit_test(test_trap_b3__second_looks_go_on_after_a_retract),
        cmocka_unit_test(test_trap_b3__a_persons_not_applied_is_looked_at_too),
        cmocka_unit_test(test_trap_b3__a_first_hand_not_applied_is_not_looked_at),
        cmocka_unit_test(test_trap_b3__a_pass_that_lost_a_race_takes_no_second_look_away),
        cmocka_unit_test(test_trap_b3__a_pass_that_stood_still_takes_no_second_look_away),
        cmocka_unit_test(test_trap_b3__a_second_look_that_finds_it_pending_stops_the_retry),
    };
    return cmocka_run_group_tests_name("trap_b3", tests, NULL, NULL);
}
