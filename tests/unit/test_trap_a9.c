/* SPDX-License-Identifier: MIT
 *
 * Trap A9, the row of the machine that a word for an unknown token takes. A copy is taken at `recorded`,
 * an attempt takes effect, the copy is restored: then the worker of the lost time says what it saw. No
 * row from `recorded` would leave two ways, a lie and a second effect.
 */
#include "support/scene.h"

static const uint8_t lost[DEED_TOKEN_BYTES] = "a lost attempt!";

static void test_trap_a9__a_lost_effect_settles_what_is_only_recorded(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_LOOKUP);
    assert_int_equal(scene_finish_token(&scene, 1, lost, DEED_VERDICT_APPLIED), DEED_OK);
    scene_expect(&scene, DEED_RECONCILED, DEED_APPLIED); /* established later, never `confirmed` */
    assert_int_equal(scene.result.attempt, 0);
    scene_expect_disputed(&scene, false);
    /* And it is not sent again. */
    assert_int_equal(scene_run(&scene, 2, DEED_BEGIN_BY_NAME), DEED_OK);
    assert_int_equal(scene.provider.sends, 0);
    /* The same word again overwrites nothing. */
    assert_int_equal(scene_finish_token(&scene, 1, lost, DEED_VERDICT_APPLIED), DEED_OK);
    scene_expect(&scene, DEED_RECONCILED, DEED_APPLIED);
    scene_expect_disputed(&scene, false);
    scene_check(&scene);
    scene_end(&scene);
}

/* That a lost attempt failed says nothing about the others of the lost time. */
static void test_trap_a9__a_lost_failure_is_kept_and_settles_nothing(void **state)
{
    (void)state;
    static const deed_verdict verdicts[] = {
        DEED_VERDICT_UNKNOWN, DEED_VERDICT_REJECTED, DEED_VERDICT_NOT_APPLIED};
    for (size_t i = 0; i < sizeof(verdicts) / sizeof(verdicts[0]); i++) {
        struct scene scene;
        scene_new(&scene, SCENE_LOOKUP);
        assert_int_equal(scene_finish_token(&scene, 1, lost, verdicts[i]), DEED_OK);
        scene_expect(&scene, DEED_RECORDED, DEED_OUTCOME_NONE);
        assert_int_equal(scene_events(&scene, DEED_EVENT_NOTE), 1);
        scene_check(&scene);
        scene_end(&scene);
    }
}

/* Beside a doubt of our own it settles, and two effects are possible. */
static void test_trap_a9__a_lost_effect_beside_an_attempt_in_doubt_is_disputed(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_LOOKUP);
    assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
    assert_int_equal(scene_finish_token(&scene, 2, lost, DEED_VERDICT_APPLIED), DEED_OK);
    scene_expect(&scene, DEED_RECONCILED, DEED_APPLIED);
    scene_expect_disputed(&scene, true);
    scene_check(&scene);
    scene_end(&scene);
}

/* A token that is known belongs to one intent. */
static void test_trap_a9__a_token_of_another_intent_is_no_lost_one(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_LOOKUP);
    struct deed_attempt attempt = {.size = sizeof(attempt)};
    assert_int_equal(scene_begin(&scene, 1, 0, &attempt), DEED_OK);
    scene_record(&scene, "pay-2");
    struct deed_answer answer = {.size = sizeof(answer), .verdict = DEED_VERDICT_APPLIED};
    assert_int_equal(
        deed_finish(scene.workers[1], "pay-2", attempt.token, &answer, NULL, &scene.err),
        DEED_E_MISUSE);
    struct deed_result result = {.size = sizeof(result)};
    assert_int_equal(deed_get(scene.workers[1], "pay-2", &result, &scene.err), DEED_OK);
    assert_int_equal(result.state, DEED_RECORDED);
    scene_check(&scene);
    scene_end(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trap_a9__a_lost_effect_settles_what_is_only_recorded),
        cmocka_unit_test(test_trap_a9__a_lost_failure_is_kept_and_settles_nothing),
        cmocka_unit_test(test_trap_a9__a_lost_effect_beside_an_attempt_in_doubt_is_disputed),
        cmocka_unit_test(test_trap_a9__a_token_of_another_intent_is_no_lost_one),
    };
    return cmocka_run_group_tests_name("trap_a9", tests, NULL, NULL);
}
