/* SPDX-License-Identifier: MIT
 *
 * Trap B2: a doubt has a beginning (the attempt) and an end (its own word, or a settlement), and it
 * belongs to the intent: the last attempt's word says nothing about those before it.
 */
#include "support/scene.h"

/* (a) Attempt 1 unknown; a person says not_applied; `run KEY`: attempt 2 is answered first-hand.
 * The settlement has ended the doubt of attempt 1, so that nobody has to decide again. */
static void test_trap_b2__a_settlement_ends_the_doubt_before_it(void **state)
{
    (void)state;
    static const deed_verdict words[] = {DEED_VERDICT_NOT_APPLIED, DEED_VERDICT_REJECTED};
    for (size_t i = 0; i < 2; i++) {
        struct scene scene;
        scene_new(&scene, SCENE_BLIND);
        assert_int_equal(scene_run(&scene, 0, 0), DEED_OK);
        scene_past_visible(&scene);
        assert_int_equal(scene_resolve(&scene, 1, DEED_NOT_APPLIED), DEED_OK);
        scene.provider.next_verdict = words[i];
        assert_int_equal(scene_run(&scene, 1, DEED_BEGIN_BY_NAME), DEED_OK);
        scene_expect(&scene, DEED_CONFIRMED, (deed_outcome)words[i]);
        assert_int_equal(scene.result.grade, DEED_GRADE_FIRST_HAND);
        scene_check(&scene);
        scene_end(&scene);
    }
}

/* The same at a keyed provider, and attempt 1 is heard late: its negative word is a note. */
static void test_trap_b2__a_word_from_before_the_settlement_is_late(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_KEYED);
    struct deed_attempt one = {.size = sizeof(one)};
    struct deed_attempt two = {.size = sizeof(two)};
    assert_int_equal(scene_begin(&scene, 0, 0, &one), DEED_OK);
    scene_past_visible(&scene);
    assert_int_equal(scene_resolve(&scene, 1, DEED_NOT_APPLIED), DEED_OK);
    assert_int_equal(scene_begin(&scene, 1, DEED_BEGIN_BY_NAME, &two), DEED_OK);
    assert_int_equal(scene_finish(&scene, 0, &one, DEED_VERDICT_REJECTED), DEED_OK);
    scene_expect(&scene, DEED_ATTEMPTED, DEED_OUTCOME_NONE);
    assert_true(scene.result.in_flight);
    assert_int_equal(scene_finish(&scene, 1, &two, DEED_VERDICT_NOT_APPLIED), DEED_OK);
    scene_expect(&scene, DEED_CONFIRMED, DEED_NOT_APPLIED);
    scene_check(&scene);
    scene_end(&scene);
}

/* (b) Attempt 1's late `rejected` during the replay resolves attempt 1, whichever answer comes
 * first. With every answer in the intent is settled: rejected if one was, else not_applied. */
static void test_trap_b2__with_every_answer_in_the_intent_is_settled(void **state)
{
    (void)state;
    static const struct {
        deed_verdict first;
        deed_verdict replay;
        deed_outcome outcome;
    } cases[] = {
        {DEED_VERDICT_REJECTED, DEED_VERDICT_NOT_APPLIED, DEED_REJECTED},
        {DEED_VERDICT_NOT_APPLIED, DEED_VERDICT_REJECTED, DEED_REJECTED},
        {DEED_VERDICT_REJECTED, DEED_VERDICT_REJECTED, DEED_REJECTED},
        {DEED_VERDICT_NOT_APPLIED, DEED_VERDICT_NOT_APPLIED, DEED_NOT_APPLIED},
    };
    for (size_t i = 0; i < 2 * sizeof(cases) / sizeof(cases[0]); i++) {
        bool first_first = i % 2 == 0;
        struct scene scene;
        scene_new(&scene, SCENE_KEYED);
        struct deed_attempt first = {.size = sizeof(first)};
        struct deed_attempt replay = {.size = sizeof(replay)};
        assert_int_equal(scene_begin(&scene, 0, 0, &first), DEED_OK);
        scene_past_lease(&scene);
        assert_int_equal(scene_begin(&scene, 1, DEED_BEGIN_REPLAY, &replay), DEED_OK);
        assert_int_equal(scene_finish(&scene, first_first ? 0 : 1, first_first ? &first : &replay,
                             first_first ? cases[i / 2].first : cases[i / 2].replay),
            DEED_OK);
        scene_expect(&scene, DEED_ATTEMPTED, DEED_OUTCOME_NONE);
        assert_int_equal(scene_events(&scene, DEED_EVENT_ANSWER), 1);
        assert_int_equal(scene_finish(&scene, first_first ? 1 : 0, first_first ? &replay : &first,
                             first_first ? cases[i / 2].replay : cases[i / 2].first),
            DEED_OK);
        scene_expect(&scene, DEED_RECONCILED, cases[i / 2].outcome);
        assert_int_equal(scene.result.grade, DEED_GRADE_FIRST_HAND);
        scene_check(&scene);
        scene_end(&scene);
    }
}

/* Attempt 1 timed out; the replay is refused before acceptance, or rejected: first-hand about
 * itself. Request 1 may still land, so the intent stays open until request 1 is known. */
static void test_trap_b2__a_negative_answer_to_a_replay_settles_nothing(void **state)
{
    (void)state;
    static const deed_verdict words[] = {DEED_VERDICT_NOT_APPLIED, DEED_VERDICT_REJECTED};
    for (size_t i = 0; i < 2; i++) {
        struct scene scene;
        scene_new(&scene, SCENE_KEYED);
        struct deed_attempt first = {.size = sizeof(first)};
        assert_int_equal(scene_begin(&scene, 0, 0, &first), DEED_OK);
        scene_past_lease(&scene);
        scene.provider.next_verdict = words[i];
        assert_int_equal(scene_reconcile(&scene, 1), DEED_OK);
        scene_expect_uncertain(&scene);
        assert_int_equal(scene.result.attempt, 2);
        assert_int_equal(scene_run(&scene, 2, DEED_BEGIN_BY_NAME), DEED_OK);
        assert_int_equal(scene.provider.sends, 1); /* by the pass; run never resends */
        assert_int_equal(scene_finish(&scene, 0, &first, DEED_VERDICT_APPLIED), DEED_OK);
        scene_expect(&scene, DEED_CONFIRMED, DEED_APPLIED);
        scene_expect_disputed(&scene, false);
        scene_check(&scene);
        scene_end(&scene);
    }
}

/* Unless the provider marks it as the answer it has stored for the first request. */
static void test_trap_b2__a_stored_first_answer_speaks_for_every_send(void **state)
{
    (void)state;
    static const deed_verdict words[] = {DEED_VERDICT_NOT_APPLIED, DEED_VERDICT_REJECTED};
    for (size_t i = 0; i < 2; i++) {
        struct scene scene;
        scene_new(&scene, SCENE_KEYED);
        assert_int_equal(scene_run(&scene, 0, 0), DEED_OK);
        scene.provider.stored_first = true;
        scene.provider.next_verdict = words[i];
        assert_int_equal(scene_reconcile(&scene, 1), DEED_OK);
        scene_expect(&scene, DEED_RECONCILED, (deed_outcome)words[i]);
        assert_int_equal(scene.result.grade, DEED_GRADE_REPLAY);
        scene_check(&scene);
        scene_end(&scene);
    }
}

/* (c) "No verdict" is not "unknown": a fresh attempt is in flight, an answered one uncertain. */
static void test_trap_b2__a_fresh_attempt_is_in_flight_and_an_unknown_answer_is_uncertain(
    void **state)
{
    (void)state;
    for (int class = 0; class < SCENE_CLASSES; class ++) {
        struct scene scene;
        scene_new(&scene, (enum scene_class) class);
        struct deed_attempt attempt = {.size = sizeof(attempt)};
        assert_int_equal(scene_begin(&scene, 0, 0, &attempt), DEED_OK);
        scene_get(&scene);
        assert_true(scene.result.in_flight);
        assert_false(scene.result.uncertain);
        assert_int_equal(scene.result.reason, DEED_REASON_IN_FLIGHT);
        assert_int_equal(scene_begin(&scene, 1, 0, &attempt), DEED_E_IN_FLIGHT);
        assert_int_equal(scene_begin(&scene, 1, DEED_BEGIN_REPLAY, &attempt), DEED_E_IN_FLIGHT);
        assert_int_equal(scene_finish(&scene, 0, &attempt, DEED_VERDICT_UNKNOWN), DEED_OK);
        scene_expect_uncertain(&scene);
        assert_int_equal(scene.result.reason, DEED_REASON_ANSWER_UNKNOWN);
        assert_int_equal(scene_begin(&scene, 1, 0, &attempt), DEED_E_UNCERTAIN);
        scene_check(&scene);
        scene_end(&scene);
    }
}

/* Attempt 1 unknown (may land until 6 s), attempt 2 a replay at 3 s that was refused: the doubt of
 * attempt 1 is kept, and only what was asked after it can have landed counts. */
static void test_trap_b2__the_doubt_of_the_first_attempt_outlives_the_last(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_KEYED_LOOKUP);
    struct deed_attempt first = {.size = sizeof(first)};
    assert_int_equal(scene_begin(&scene, 0, 0, &first), DEED_OK);
    scene_past_lease(&scene);
    scene.provider.next_verdict = DEED_VERDICT_NOT_APPLIED;
    scene.provider.next_finding = DEED_FOUND_ABSENT;
    assert_int_equal(scene_reconcile(&scene, 1), DEED_OK);
    scene_expect_uncertain(&scene);
    assert_int_equal(scene_resolve(&scene, 1, DEED_NOT_APPLIED), DEED_E_NOT_YET);
    scene_past_visible(&scene);
    assert_int_equal(scene_reconcile(&scene, 1), DEED_OK);
    scene_expect(&scene, DEED_RECONCILED, DEED_NOT_APPLIED);
    assert_int_equal(scene.result.grade, DEED_GRADE_PROVIDER_ABSENT_FINAL);
    scene_check(&scene);
    scene_end(&scene);
}

static void rejected_by_handle(
    struct scene *scene, const struct deed_question *question, struct deed_finding *finding)
{
    (void)scene;
    finding->kind =
        strcmp(question->handle, "handle-1") == 0 ? DEED_FOUND_REJECTED : DEED_FOUND_NOTHING;
    finding->complete = true;
    finding->marker_matches = true;
    finding->digest_matches = true;
}

/* Attempt 1 unknown; the replay is accepted with a handle, and polling it reports a definite
 * failure. That resolves the replay and says nothing about request 1, which may still land. */
static void test_trap_b2__a_polled_failure_speaks_of_its_own_attempt(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_KEYED_LOOKUP);
    struct deed_attempt first = {.size = sizeof(first)};
    assert_int_equal(scene_begin(&scene, 0, 0, &first), DEED_OK);
    scene_past_lease(&scene);
    scene.provider.pending = true;
    assert_int_equal(scene_reconcile(&scene, 1), DEED_OK);
    scene_get(&scene);
    assert_int_equal(scene.result.reason, DEED_REASON_PENDING);
    scene.provider.poll = rejected_by_handle;
    scene.provider.pending = false;
    assert_int_equal(scene_hold(&scene, 1), DEED_OK); /* so that the pass does no more than ask */
    assert_int_equal(scene_reconcile(&scene, 1), DEED_OK);
    scene_expect_uncertain(&scene);
    assert_int_equal(scene.result.reason, DEED_REASON_ANSWER_UNKNOWN); /* no longer pending */
    assert_int_equal(scene_finish(&scene, 0, &first, DEED_VERDICT_NOT_APPLIED), DEED_OK);
    scene_expect(&scene, DEED_RECONCILED, DEED_REJECTED);
    scene_check(&scene);
    scene_end(&scene);
}

/* Where it was the only attempt, its failure is that of the action. */
static void test_trap_b2__a_polled_failure_of_the_only_attempt_settles(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_LOOKUP);
    scene.provider.pending = true;
    assert_int_equal(scene_run(&scene, 0, 0), DEED_OK);
    scene.provider.poll = rejected_by_handle;
    assert_int_equal(scene_reconcile(&scene, 1), DEED_OK);
    scene_expect(&scene, DEED_RECONCILED, DEED_REJECTED);
    assert_int_equal(scene.result.grade, DEED_GRADE_PROVIDER_PRESENT);
    scene_check(&scene);
    scene_end(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trap_b2__a_settlement_ends_the_doubt_before_it),
        cmocka_unit_test(test_trap_b2__a_word_from_before_the_settlement_is_late),
        cmocka_unit_test(test_trap_b2__with_every_answer_in_the_intent_is_settled),
        cmocka_unit_test(test_trap_b2__a_negative_answer_to_a_replay_settles_nothing),
        cmocka_unit_test(test_trap_b2__a_stored_first_answer_speaks_for_every_send),
        cmocka_unit_test(
            test_trap_b2__a_fresh_attempt_is_in_flight_and_an_unknown_answer_is_uncertain),
        cmocka_unit_test(test_trap_b2__the_doubt_of_the_first_attempt_outlives_the_last),
        cmocka_unit_test(test_trap_b2__a_polled_failure_speaks_of_its_own_attempt),
        cmocka_unit_test(test_trap_b2__a_polled_failure_of_the_only_attempt_settles),
    };
    return cmocka_run_group_tests_name("trap_b2", tests, NULL, NULL);
}
