/* SPDX-License-Identifier: MIT
 *
 * Reports from the field (tests/field-reports.md): callers that plan anew, resume, reconnect and come
 * again with the same key.
 */
#include "support/scene.h"

/* FR-82: step 1 pays, step 2 throws, and the loop begins at step 1 in a new process, three times. */
static void test_field_agent_tools__a_task_that_is_retried_pays_once(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_BLIND);
    scene.provider.next_verdict = DEED_VERDICT_APPLIED;
    scene.provider.reference = "fx-12";
    for (int run = 0; run < 4; run++) {
        assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
        assert_int_equal(scene.result.outcome, DEED_APPLIED);
        assert_int_equal(scene.result.replayed, run > 0);
        assert_string_equal(scene.result.reference, "fx-12");
        assert_true(scene.result.settled_ms > 0); /* "already done at ..." */
        scene_restart(&scene, 1);
    }
    assert_int_equal(scene.provider.sends, 1);
    scene_check(&scene);
    scene_end(&scene);
}

/* FR-83: the call id changes with each turn, so the host names the fact; a second refund that is meant has
 * a name of its own, although its content is the same. */
static void test_field_agent_tools__a_key_names_the_fact_and_not_the_call(void **state)
{
    static const char *const keys[] = {
        "refund-order-5-1", "refund-order-5-1", "refund-order-5-2", "refund-order-5-2"};
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_BLIND);
    scene.provider.next_verdict = DEED_VERDICT_APPLIED;
    struct deed_payload payload = {{"payment", 7}, {"order-5", 7}, {"amount=20", 9}};
    for (size_t turn = 0; turn < sizeof(keys) / sizeof(keys[0]); turn++) {
        struct deed_record record = {
            .size = sizeof(record), .key = keys[turn], .payload = &payload};
        assert_int_equal(
            deed_record(scene.workers[1], &record, &scene.result, &scene.err), DEED_OK);
        assert_int_equal(scene.result.created, turn % 2 == 0);
        assert_int_equal(
            deed_run(scene.workers[1], keys[turn], 0, &scene.result, &scene.err), DEED_OK);
        assert_int_equal(scene.result.replayed, turn % 2 == 1);
        assert_int_equal(scene.provider.sends, turn / 2 + 1);
    }
    scene_check(&scene);
    scene_end(&scene);
}

/* FR-85: the answer takes longer than the caller waits; it comes again while the call runs, and after. */
static void test_field_agent_tools__who_reconnects_is_told_not_to_call_again(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_BLIND);
    struct deed_attempt attempt = {.size = sizeof(attempt)};
    assert_int_equal(scene_begin(&scene, 1, 0, &attempt), DEED_OK);
    assert_int_equal(scene_run(&scene, 2, 0), DEED_OK);
    assert_true(scene.result.in_flight);
    scene_past_lease(&scene);
    assert_int_equal(scene_run(&scene, 2, 0), DEED_OK);
    assert_true(scene.result.uncertain);
    assert_int_equal(scene.result.outcome, DEED_OUTCOME_NONE);
    assert_string_not_equal(scene.result.next, "");
    assert_int_equal(scene.provider.sends, 0);
    assert_int_equal(scene_finish(&scene, 1, &attempt, DEED_VERDICT_APPLIED), DEED_OK);
    assert_int_equal(scene_run(&scene, 2, 0), DEED_OK);
    assert_true(scene.result.replayed);
    assert_int_equal(scene.provider.sends, 0);
    scene_end(&scene);
}

/* FR-86: the node runs from its beginning at each resume; a fork comes with another text. */
static void test_field_agent_tools__a_resume_sends_nothing_and_a_fork_is_a_conflict(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_BLIND);
    scene.provider.next_verdict = DEED_VERDICT_APPLIED;
    struct deed_payload same = {{"payment", 7}, {"provider", 8}, {"amount=1", 8}};
    struct deed_payload fork = {{"payment", 7}, {"provider", 8}, {"amount=2", 8}};
    struct deed_record record = {.size = sizeof(record), .key = SCENE_KEY, .payload = &same};
    for (int resume = 0; resume < 4; resume++) {
        assert_int_equal(
            deed_record(scene.workers[1], &record, &scene.result, &scene.err), DEED_OK);
        assert_false(scene.result.created);
        assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
    }
    record.payload = &fork;
    assert_int_equal(
        deed_record(scene.workers[1], &record, &scene.result, &scene.err), DEED_E_CONFLICT);
    assert_non_null(strstr(scene.err.text, "body"));
    assert_int_equal(scene.provider.sends, 1);
    scene_check(&scene);
    scene_end(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_field_agent_tools__a_task_that_is_retried_pays_once),
        cmocka_unit_test(test_field_agent_tools__a_key_names_the_fact_and_not_the_call),
        cmocka_unit_test(test_field_agent_tools__who_reconnects_is_told_not_to_call_again),
        cmocka_unit_test(test_field_agent_tools__a_resume_sends_nothing_and_a_fork_is_a_conflict),
    };
    return cmocka_run_group_tests_name("field_agent_tools", tests, NULL, NULL);
}
