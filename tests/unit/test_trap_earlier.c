/* SPDX-License-Identifier: MIT
 *
 * Earlier readings of the rules, each with the trace that broke it. The world counts what happened.
 */
#include "support/scene.h"

static void in_world(struct scene *scene, enum scene_class class, const char *options)
{
    scene_prepare(scene, class);
    scene_in_world(scene, options);
    scene_open(scene);
}

/* ---- confirm: "the number is the current one and it is unresolved" ----------------------------- */

/* Attempt 1 times out; its replay cannot connect and is `not_applied`, first-hand; then request 1
 * lands. Confirmed(`not_applied`) would have been a lie. */
static void test_trap_earlier__a_replay_that_was_not_sent_does_not_confirm_for_the_first(
    void **state)
{
    (void)state;
    struct scene scene;
    in_world(&scene, SCENE_KEYED,
        "{\"class\": \"keyed\", \"window_ms\": 60000, \"script\": [{\"do\": \"late\", \"land\": "
        "{\"after_ms\": 5000}}, {\"do\": \"unreachable\"}, {\"do\": \"answer\"}]}");
    assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
    assert_int_equal(scene_reconcile(&scene, 2), DEED_OK);
    scene_expect_uncertain(&scene);
    assert_int_equal(scene.result.attempt, 2);
    scene_advance(&scene, 6000);
    assert_int_equal(scene_run(&scene, 2, DEED_BEGIN_BY_NAME), DEED_OK);
    assert_int_equal(scene_reconcile(&scene, 2), DEED_OK);
    scene_expect(&scene, DEED_RECONCILED, DEED_APPLIED);
    assert_int_equal(scene_effects(&scene), 1);
    scene_check(&scene);
    scene_end(&scene);
}

/* The same with stored errors: the refused replay's error is kept, so a retry takes the next key, and
 * request 1 lands under the first. */
static void test_trap_earlier__a_stored_error_of_a_replay_does_not_free_the_next_key(void **state)
{
    (void)state;
    struct scene scene;
    scene_prepare(&scene, SCENE_KEYED);
    scene.profile.stored_errors = true;
    scene_in_world(&scene,
        "{\"class\": \"keyed\", \"window_ms\": 60000, \"stored_errors\": true, \"replay_marker\": "
        "false, "
        "\"lying\": true, \"script\": [{\"do\": \"late\", \"land\": {\"after_ms\": 5000}}, "
        "{\"do\": "
        "\"refuse\"}, {\"do\": \"answer\"}]}");
    scene_open(&scene);
    assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
    assert_int_equal(scene_reconcile(&scene, 2), DEED_OK);
    scene_expect_uncertain(&scene);
    scene_advance(&scene, 2000);
    assert_int_equal(scene_run(&scene, 2, 0), DEED_OK);
    assert_int_equal(scene_run(&scene, 2, DEED_BEGIN_BY_NAME), DEED_OK);
    scene_advance(&scene, 6000);
    assert_int_equal(scene_reconcile(&scene, 2), DEED_OK);
    scene_expect(&scene, DEED_RECONCILED, DEED_APPLIED);
    assert_int_equal(scene_effects(&scene), 1);
    scene_check(&scene);
    scene_end(&scene);
}

/* ---- retry and replay without held, fenced, disputed ------------------------------------------- */

/* As a restore will do it: the ledger is fenced, and the intent was there before. */
static void fence(struct scene *scene)
{
    scene_fence(scene, true);
}

static void hold(struct scene *scene)
{
    assert_int_equal(scene_hold(scene, 0), DEED_OK);
}

/* A copy was taken at `not_applied`, attempt 2 took effect, the copy was restored: attempt 2 again
 * would be two effects. Held is the same question, asked by a person. */
static void test_trap_earlier__no_retry_of_what_is_held_or_fenced(void **state)
{
    (void)state;
    void (*const obstacles[])(struct scene *) = {hold, fence};
    for (size_t i = 0; i < sizeof(obstacles) / sizeof(obstacles[0]); i++) {
        struct scene scene;
        in_world(&scene, SCENE_LOOKUP,
            "{\"class\": \"lookup\", \"script\": [{\"do\": \"refuse\"}, {\"do\": \"answer\"}]}");
        assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
        scene_expect(&scene, DEED_CONFIRMED, DEED_NOT_APPLIED);
        obstacles[i](&scene);
        scene_advance(&scene, 1000);
        assert_int_equal(scene_run(&scene, 1, 0), DEED_E_NEEDS_PERSON);
        assert_int_equal(scene_run(&scene, 1, DEED_BEGIN_BY_NAME), DEED_E_NEEDS_PERSON);
        scene_expect(&scene, DEED_CONFIRMED, DEED_NOT_APPLIED);
        assert_true(scene.result.needs_person);
        assert_int_equal(scene_effects(&scene), 0);
        assert_int_equal(scene_world_sends(&scene), 1);
        scene_check(&scene);
        scene_end(&scene);
    }
}

static void test_trap_earlier__no_first_attempt_of_what_is_held_or_fenced(void **state)
{
    (void)state;
    void (*const obstacles[])(struct scene *) = {hold, fence};
    for (size_t i = 0; i < sizeof(obstacles) / sizeof(obstacles[0]); i++) {
        struct scene scene;
        in_world(&scene, SCENE_LOOKUP, "{\"class\": \"lookup\"}");
        obstacles[i](&scene);
        assert_int_equal(scene_run(&scene, 1, DEED_BEGIN_BY_NAME), DEED_E_NEEDS_PERSON);
        assert_int_equal(scene_world_sends(&scene), 0);
        scene_expect(&scene, DEED_RECORDED, DEED_OUTCOME_NONE);
        scene_end(&scene);
    }
}

static void test_trap_earlier__no_replay_of_what_is_held_or_fenced(void **state)
{
    (void)state;
    void (*const obstacles[])(struct scene *) = {hold, fence};
    for (size_t i = 0; i < sizeof(obstacles) / sizeof(obstacles[0]); i++) {
        struct scene scene;
        in_world(&scene, SCENE_KEYED,
            "{\"class\": \"keyed\", \"window_ms\": 60000, \"script\": {\"do\": \"error\"}}");
        assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
        obstacles[i](&scene);
        assert_int_equal(scene_reconcile(&scene, 2), DEED_OK);
        assert_int_equal(scene_world_sends(&scene), 1);
        struct deed_attempt replay = {.size = sizeof(replay)};
        assert_int_equal(scene_begin(&scene, 2, DEED_BEGIN_REPLAY, &replay), DEED_E_NEEDS_PERSON);
        scene_expect_uncertain(&scene);
        scene_check(&scene);
        scene_end(&scene);
    }
}

/* ---- a disputed intent is reconciled by anything ------------------------------------------------ */

static struct deed_attempt first;

/* Attempt 1 says that it took effect after all, while attempt 2, made on a person's word, is in
 * doubt: `applied`, disputed. Then the pass writes what it had asked: absent. */
static void the_first_attempt_applied(struct scene *scene)
{
    assert_int_equal(scene_finish(scene, 1, &first, DEED_VERDICT_APPLIED), DEED_OK);
    scene_expect_disputed(scene, true);
}

static void test_trap_earlier__an_absence_does_not_end_a_dispute(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_LOOKUP);
    assert_int_equal(scene_begin(&scene, 1, 0, &first), DEED_OK);
    scene_past_visible(&scene);
    assert_int_equal(scene_resolve(&scene, 2, DEED_NOT_APPLIED), DEED_OK);
    assert_int_equal(scene_run(&scene, 2, DEED_BEGIN_BY_NAME), DEED_OK); /* no answer */
    scene_past_visible(&scene);
    scene.provider.next_finding = DEED_FOUND_ABSENT;
    scene_at(&scene, DEED_SEAM_PASS_AFTER_LOOK, the_first_attempt_applied);
    assert_int_equal(scene_reconcile(&scene, 2), DEED_OK);
    scene_expect(&scene, DEED_RECONCILED, DEED_APPLIED);
    scene_expect_disputed(&scene, true);
    scene_past_visible(&scene);
    assert_int_equal(scene_reconcile(&scene, 2), DEED_OK);
    assert_int_equal(scene_run(&scene, 2, DEED_BEGIN_BY_NAME), DEED_E_NEEDS_PERSON);
    scene_expect_disputed(&scene, true);
    assert_int_equal(scene.provider.sends, 1);
    /* A person closes it. */
    assert_int_equal(scene_resolve(&scene, 2, DEED_APPLIED), DEED_OK);
    scene_expect_disputed(&scene, false);
    scene_check(&scene);
    scene_end(&scene);
}

/* ---- a person resolves `not_applied` at once ---------------------------------------------------- */

/* Looks truthfully, sees nothing, attempt 2 sends, request 1 lands. */
static void test_trap_earlier__a_person_waits_for_what_may_still_land(void **state)
{
    (void)state;
    static const char *const providers[] = {
        "{\"class\": \"lookup\", \"script\": [{\"do\": \"late\", \"land\": {\"after_ms\": 5000}}, "
        "{\"do\": \"answer\"}]}",
        "{\"class\": \"blind\", \"script\": [{\"do\": \"late\", \"land\": {\"after_ms\": 5000}}, "
        "{\"do\": \"answer\"}]}",
    };
    static const enum scene_class classes[] = {SCENE_LOOKUP, SCENE_BLIND};
    for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
        struct scene scene;
        in_world(&scene, classes[i], providers[i]);
        assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
        static const deed_outcome guesses[] = {DEED_NOT_APPLIED, DEED_REJECTED};
        for (size_t g = 0; g < sizeof(guesses) / sizeof(guesses[0]); g++) {
            assert_int_equal(scene_resolve(&scene, 2, guesses[g]), DEED_E_NOT_YET);
            assert_non_null(strstr(scene.err.text, "2023-11-14T22:13:2")); /* the time is named */
        }
        assert_int_equal(scene_run(&scene, 2, DEED_BEGIN_BY_NAME), DEED_OK);
        scene_past_visible(&scene);
        uint64_t landed = 0;
        assert_int_equal(
            deed_world_deliver(scene.world, SCENE_START_MS + SCENE_VISIBLE_MS, &landed, &scene.err),
            DEED_OK);
        assert_int_equal(scene_effects(&scene), 1);
        assert_int_equal(scene_resolve(&scene, 2, DEED_APPLIED), DEED_OK);
        scene_expect(&scene, DEED_RECONCILED, DEED_APPLIED);
        scene_check(&scene);
        scene_end(&scene);
    }
}

/* ---- late `applied` during a replay is a dispute ------------------------------------------------- */

static struct deed_attempt slow;

static void the_slow_answer_comes(struct scene *scene)
{
    assert_int_equal(scene_finish(scene, 1, &slow, DEED_VERDICT_APPLIED), DEED_OK);
}

static void test_trap_earlier__a_slow_answer_during_its_own_replay_is_no_dispute(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_KEYED);
    assert_int_equal(scene_begin(&scene, 1, 0, &slow), DEED_OK);
    scene_past_lease(&scene);
    scene.provider.next_verdict = DEED_VERDICT_APPLIED;
    scene_at(&scene, DEED_SEAM_REPLY_READ, the_slow_answer_comes);
    assert_int_equal(scene_reconcile(&scene, 2), DEED_OK);
    scene_expect(&scene, DEED_RECONCILED, DEED_APPLIED);
    scene_expect_disputed(&scene, false); /* one key means one effect */
    assert_int_equal(scene_events(&scene, DEED_EVENT_DISPUTE), 0);
    scene_check(&scene);
    scene_end(&scene);
}

/* ---- withdrawing reconciled(`not_applied`) makes it confirmed ------------------------------------ */

static void test_trap_earlier__what_was_inferred_stays_inferred_when_it_is_given_up(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_LOOKUP);
    scene.provider.next_finding = DEED_FOUND_ABSENT;
    assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
    scene_past_visible(&scene);
    assert_int_equal(scene_reconcile(&scene, 2), DEED_OK);
    scene_expect(&scene, DEED_RECONCILED, DEED_NOT_APPLIED);
    assert_int_equal(scene_retract(&scene, 2), DEED_OK);
    scene_expect(&scene, DEED_RECONCILED, DEED_RETRACTED);
    scene_check(&scene);
    scene_end(&scene);
}

/* ---- a replay is answered `not_applied` while its lease runs -------------------------------------- */

/* Neither in flight nor uncertain would be a state without a row: nobody would look at it again. */
static void test_trap_earlier__an_answered_replay_is_uncertain_while_its_lease_runs(void **state)
{
    (void)state;
    struct scene scene;
    in_world(&scene, SCENE_KEYED_LOOKUP,
        "{\"class\": \"keyed+lookup\", \"window_ms\": 60000, \"script\": [{\"do\": \"lose\"}, "
        "{\"do\": "
        "\"refuse\"}], \"lookup_script\": [\"error\", \"truth\"]}");
    assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
    assert_int_equal(scene_reconcile(&scene, 2), DEED_OK);
    scene_expect_uncertain(&scene);
    assert_int_equal(scene.result.attempt, 2);
    assert_false(scene.result.in_flight);
    assert_int_equal(scene_reconcile(&scene, 2), DEED_OK); /* in the same moment */
    scene_expect(&scene, DEED_RECONCILED, DEED_APPLIED);
    assert_int_equal(scene_effects(&scene), 1);
    scene_check(&scene);
    scene_end(&scene);
}

/* ---- the horizon by the wall clock ----------------------------------------------------------------- */

/* The clock jumps forward, an absence is accepted, attempt 2 sends, request 1 lands. */
static void test_trap_earlier__a_jump_of_the_wall_clock_does_not_end_the_horizon(void **state)
{
    (void)state;
    struct scene scene;
    in_world(&scene, SCENE_LOOKUP,
        "{\"class\": \"lookup\", \"script\": [{\"do\": \"late\", \"land\": {\"after_ms\": 5000}}, "
        "{\"do\": "
        "\"answer\"}]}");
    assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
    scene_jump(&scene, 3600000);
    assert_int_equal(scene_reconcile(&scene, 2), DEED_OK);
    scene_expect_uncertain(&scene);
    assert_int_equal(scene_resolve(&scene, 2, DEED_NOT_APPLIED), DEED_E_NOT_YET);
    assert_int_equal(scene_run(&scene, 2, DEED_BEGIN_BY_NAME), DEED_OK);
    scene_past_visible(&scene);
    assert_int_equal(scene_reconcile(&scene, 2), DEED_OK);
    scene_expect(&scene, DEED_RECONCILED, DEED_APPLIED);
    assert_int_equal(scene_effects(&scene), 1);
    scene_check(&scene);
    scene_end(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            test_trap_earlier__a_replay_that_was_not_sent_does_not_confirm_for_the_first),
        cmocka_unit_test(test_trap_earlier__a_stored_error_of_a_replay_does_not_free_the_next_key),
        cmocka_unit_test(test_trap_earlier__no_retry_of_what_is_held_or_fenced),
        cmocka_unit_test(test_trap_earlier__no_first_attempt_of_what_is_held_or_fenced),
        cmocka_unit_test(test_trap_earlier__no_replay_of_what_is_held_or_fenced),
        cmocka_unit_test(test_trap_earlier__an_absence_does_not_end_a_dispute),
        cmocka_unit_test(test_trap_earlier__a_person_waits_for_what_may_still_land),
        cmocka_unit_test(test_trap_earlier__a_slow_answer_during_its_own_replay_is_no_dispute),
        cmocka_unit_test(test_trap_earlier__what_was_inferred_stays_inferred_when_it_is_given_up),
        cmocka_unit_test(test_trap_earlier__an_answered_replay_is_uncertain_while_its_lease_runs),
        cmocka_unit_test(test_trap_earlier__a_jump_of_the_wall_clock_does_not_end_the_horizon),
    };
    return cmocka_run_group_tests_name("trap_earlier", tests, NULL, NULL);
}
