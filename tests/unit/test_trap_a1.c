/* SPDX-License-Identifier: MIT
 *
 * Trap A1: the attempt number is not an identity. An attempt is known by its token; a begin whose
 * commit failed is never sent, whatever the re-read shows; nothing is claimed before a recovery.
 */
#include "support/scene.h"

/* ---- (a) ---------------------------------------------------------------------------------- */

static struct deed_attempt other_attempt;

static void worker_1_begins(struct scene *scene)
{
    assert_int_equal(scene_begin(scene, 1, 0, &other_attempt), DEED_OK);
}

/* Worker 0: the commit of begin(1) fails and is not there. Worker 1 begins attempt 1. Worker 0 opens
 * again, re-reads, finds an attempt 1 that is open, and must not take it for its own. */
static void test_trap_a1__a_lost_begin_does_not_take_the_attempt_of_another_for_its_own(
    void **state)
{
    (void)state;
    static const enum scene_class classes[] = {SCENE_BLIND, SCENE_LOOKUP, SCENE_KEYED};
    for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
        struct scene scene;
        scene_new(&scene, classes[i]);
        scene_fail_commit(&scene, 0, false);
        scene.faults[0].at_recovery = worker_1_begins;
        struct deed_attempt mine = {.size = sizeof(mine)};
        assert_int_equal(scene_begin(&scene, 0, 0, &mine), DEED_E_STORE);
        assert_int_equal(mine.number, 0); /* nothing was handed out */
        /* Of worker 1's attempt nothing is changed, and no word was said about it. */
        assert_int_equal(deed_may_send(scene.workers[1], other_attempt.token, &scene.err), DEED_OK);
        scene_get(&scene);
        assert_true(scene.result.in_flight);
        assert_int_equal(scene_events(&scene, DEED_EVENT_NOTE), 0);
        assert_int_equal(scene_finish(&scene, 1, &other_attempt, DEED_VERDICT_APPLIED), DEED_OK);
        scene_expect(&scene, DEED_CONFIRMED, DEED_APPLIED);
        assert_int_equal(scene_events(&scene, DEED_EVENT_ATTEMPT), 1);
        scene_check(&scene);
        scene_end(&scene);
    }
}

static void test_trap_a1__a_begin_of_unknown_fate_that_is_there_is_closed_unsent(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_LOOKUP);
    scene.provider.next_verdict = DEED_VERDICT_APPLIED;
    scene_fail_commit(&scene, 1, true);
    assert_int_equal(scene_run(&scene, 1, 0), DEED_E_STORE);
    assert_int_equal(scene.provider.sends, 0);
    scene_expect(&scene, DEED_CONFIRMED, DEED_NOT_APPLIED); /* nothing was sent: first-hand */
    assert_int_equal(scene.result.grade, DEED_GRADE_FIRST_HAND);
    scene_advance(&scene, 1000);
    assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
    scene_expect(&scene, DEED_CONFIRMED, DEED_APPLIED);
    assert_int_equal(scene.provider.sends, 1);
    scene_check(&scene);
    scene_end(&scene);
}

static void test_trap_a1__a_begin_that_is_lost_sends_nothing_and_leaves_nothing(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_LOOKUP);
    scene.provider.next_verdict = DEED_VERDICT_APPLIED;
    scene_fail_commit(&scene, 1, false);
    assert_int_equal(scene_run(&scene, 1, 0), DEED_E_STORE);
    assert_int_equal(scene.provider.sends, 0);
    scene_expect(&scene, DEED_RECORDED, DEED_OUTCOME_NONE);
    assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
    assert_int_equal(scene.provider.sends, 1);
    scene_check(&scene);
    scene_end(&scene);
}

/* ---- (b) ---------------------------------------------------------------------------------- */

static const uint8_t lost_token[DEED_TOKEN_BYTES] = "a lost attempt!";

static void a_lost_worker_finishes(struct scene *scene)
{
    assert_int_equal(scene_finish_token(scene, 0, lost_token, DEED_VERDICT_NOT_APPLIED), DEED_OK);
    assert_int_equal(scene_run(scene, 2, DEED_BEGIN_BY_NAME), DEED_OK);
}

/* Numbers are given again after a restore: a worker of the lost time finishes (1, `not_applied`)
 * while another worker's attempt 1 is about to send. Its word is kept, and closes nothing. */
static void test_trap_a1__a_worker_of_a_lost_time_does_not_finish_the_attempt_of_another(
    void **state)
{
    (void)state;
    struct scene scene;
    scene_prepare(&scene, SCENE_LOOKUP);
    scene_in_world(&scene, "{\"class\": \"lookup\"}");
    scene_open(&scene);
    scene_at(&scene, DEED_SEAM_ATTEMPT_DURABLE, a_lost_worker_finishes);
    assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
    assert_int_equal(scene_effects(&scene), 1);
    scene_expect(&scene, DEED_CONFIRMED, DEED_APPLIED);
    assert_int_equal(scene.result.attempt, 1);
    assert_int_equal(scene_events(&scene, DEED_EVENT_NOTE), 1);
    scene_check(&scene);
    scene_end(&scene);
}

/* ---- (c) ---------------------------------------------------------------------------------- */

/* As a host does that planned once and calls begin again. */
static deed_rc begin_again(struct scene *scene, int w, uint32_t flags,
    const struct deed_attempt *planned, struct deed_attempt *attempt_out)
{
    struct deed_binding binding = {
        .size = sizeof(binding),
        .executor = "script",
        .executor_version = "1",
        .account_scope = scene->provider.account,
        .endpoint = scene->provider.endpoint,
        .provider_key = planned->provider_key,
        .bytes = (const uint8_t *)"x",
        .bytes_count = 1,
        .profile = &scene->profile,
        .can_lookup = true,
    };
    struct deed_begin begin = {
        .size = sizeof(begin), .key = SCENE_KEY, .flags = flags, .binding = &binding};
    scene->result.size = sizeof(scene->result);
    return deed_begin(scene->workers[w], &begin, attempt_out, &scene->result, &scene->err);
}

/* A host calls begin twice; a begin that "returns the open attempt" sends twice. */
static void test_trap_a1__begin_never_hands_out_an_attempt_that_exists(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_LOOKUP);
    struct deed_attempt first = {.size = sizeof(first)};
    assert_int_equal(scene_begin(&scene, 1, 0, &first), DEED_OK);
    for (int w = 0; w < SCENE_WORKERS; w++) {
        struct deed_attempt again = {.size = sizeof(again)};
        assert_int_equal(begin_again(&scene, w, 0, &first, &again), DEED_E_IN_FLIGHT);
        assert_int_equal(
            begin_again(&scene, w, DEED_BEGIN_BY_NAME, &first, &again), DEED_E_IN_FLIGHT);
        assert_int_equal(again.number, 0);
    }
    scene_past_lease(&scene);
    for (int w = 0; w < SCENE_WORKERS; w++) {
        struct deed_attempt again = {.size = sizeof(again)};
        assert_int_equal(
            begin_again(&scene, w, DEED_BEGIN_BY_NAME, &first, &again), DEED_E_UNCERTAIN);
        assert_int_equal(again.number, 0);
    }
    assert_int_equal(scene_events(&scene, DEED_EVENT_ATTEMPT), 1);
    /* An owner whose lease lapsed may still confirm. */
    assert_int_equal(scene_finish(&scene, 1, &first, DEED_VERDICT_APPLIED), DEED_OK);
    scene_expect(&scene, DEED_CONFIRMED, DEED_APPLIED);
    scene_check(&scene);
    scene_end(&scene);
}

/* ---- (d) ---------------------------------------------------------------------------------- */

/* After a flush that failed the re-read shows pages that are not on disk. As long as no recovery has
 * succeeded the handle sends nothing and claims nothing. */
static void test_trap_a1__nothing_is_sent_or_claimed_before_a_recovery_has_succeeded(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_LOOKUP);
    scene_fail_commit(&scene, 1, true);
    scene.faults[1].recoveries = 4;
    assert_int_equal(scene_run(&scene, 1, 0), DEED_E_STORE);
    assert_int_equal(scene.provider.sends, 0);
    assert_int_equal(scene_run(&scene, 1, DEED_BEGIN_BY_NAME), DEED_E_STORE);
    assert_int_equal(scene_reconcile(&scene, 1), DEED_E_STORE);
    assert_int_equal(
        deed_get(scene.workers[1], SCENE_KEY, &scene.result, &scene.err), DEED_E_STORE);
    assert_int_equal(scene.provider.sends + scene.provider.looks, 0);
    /* The fifth succeeds: the attempt is there, it was not sent, and it is settled by looking. */
    scene_past_visible(&scene);
    scene.provider.next_finding = DEED_FOUND_ABSENT;
    assert_int_equal(scene_reconcile(&scene, 1), DEED_OK);
    scene_expect(&scene, DEED_RECONCILED, DEED_NOT_APPLIED);
    assert_int_equal(scene.provider.sends, 0);
    scene_check(&scene);
    scene_end(&scene);
}

/* ---- what a commit error means for the rest ------------------------------------------------ */

static deed_rc record_2(struct scene *scene, int w)
{
    struct deed_payload payload = {{"payment", 7}, {"provider", 8}, {"amount=2", 8}};
    struct deed_record record = {.size = sizeof(record), .key = "pay-2", .payload = &payload};
    scene->result.size = sizeof(scene->result);
    return deed_record(scene->workers[w], &record, &scene->result, &scene->err);
}

static void test_trap_a1__a_record_of_unknown_fate_is_looked_for_and_then_answered(void **state)
{
    (void)state;
    for (int kept = 0; kept < 2; kept++) {
        struct scene scene;
        scene_new(&scene, SCENE_LOOKUP);
        scene_fail_commit(&scene, 1, kept != 0);
        assert_int_equal(record_2(&scene, 1), DEED_OK);
        assert_true(scene.result.created); /* by this call, either way */
        struct deed_result seen = {.size = sizeof(seen)};
        assert_int_equal(deed_get(scene.workers[2], "pay-2", &seen, &scene.err), DEED_OK);
        scene_check(&scene);
        scene_end(&scene);
    }
}

/* Not recoverable: neither "it is recorded" nor "it is not" may be said. */
static void test_trap_a1__a_record_that_cannot_be_looked_for_is_a_store_error(void **state)
{
    (void)state;
    for (int kept = 0; kept < 2; kept++) {
        struct scene scene;
        scene_new(&scene, SCENE_LOOKUP);
        scene_fail_commit(&scene, 1, kept != 0);
        scene.faults[1].recoveries = 2;
        assert_int_equal(record_2(&scene, 1), DEED_E_STORE);
        assert_int_equal(record_2(&scene, 1), DEED_E_STORE);
        assert_int_equal(record_2(&scene, 1), DEED_OK);
        assert_int_equal(scene.result.created, kept == 0);
        scene_check(&scene);
        scene_end(&scene);
    }
}

/* Two failures in a row leave a handle that recovers by itself when it can. */
static void test_trap_a1__a_handle_outlives_two_failed_commits_in_a_row(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_LOOKUP);
    scene_fail_commit(&scene, 1, false);
    scene.faults[1].commits = 2;
    assert_int_equal(record_2(&scene, 1), DEED_E_STORE);
    assert_string_equal(scene.result.key, ""); /* nothing is claimed of what is not there */
    assert_int_equal(record_2(&scene, 1), DEED_OK);
    assert_true(scene.result.created);
    scene_check(&scene);
    scene_end(&scene);
}

/* The answer was seen: it is stored once, and nothing is sent again to mend it. */
static void test_trap_a1__an_answer_of_unknown_fate_is_stored_once_and_never_sent_for_again(
    void **state)
{
    (void)state;
    for (int kept = 0; kept < 2; kept++) {
        struct scene scene;
        scene_new(&scene, SCENE_KEYED);
        struct deed_attempt attempt = {.size = sizeof(attempt)};
        assert_int_equal(scene_begin(&scene, 1, 0, &attempt), DEED_OK);
        scene_fail_commit(&scene, 1, kept != 0);
        assert_int_equal(scene_finish(&scene, 1, &attempt, DEED_VERDICT_APPLIED), DEED_OK);
        scene_expect(&scene, DEED_CONFIRMED, DEED_APPLIED);
        assert_int_equal(scene_events(&scene, DEED_EVENT_CONFIRM), 1);
        assert_int_equal(scene_events(&scene, DEED_EVENT_NOTE), 0);
        scene_check(&scene);
        scene_end(&scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            test_trap_a1__a_lost_begin_does_not_take_the_attempt_of_another_for_its_own),
        cmocka_unit_test(test_trap_a1__a_begin_of_unknown_fate_that_is_there_is_closed_unsent),
        cmocka_unit_test(test_trap_a1__a_begin_that_is_lost_sends_nothing_and_leaves_nothing),
        cmocka_unit_test(
            test_trap_a1__a_worker_of_a_lost_time_does_not_finish_the_attempt_of_another),
        cmocka_unit_test(test_trap_a1__begin_never_hands_out_an_attempt_that_exists),
        cmocka_unit_test(test_trap_a1__nothing_is_sent_or_claimed_before_a_recovery_has_succeeded),
        cmocka_unit_test(test_trap_a1__a_record_of_unknown_fate_is_looked_for_and_then_answered),
        cmocka_unit_test(test_trap_a1__a_record_that_cannot_be_looked_for_is_a_store_error),
        cmocka_unit_test(test_trap_a1__a_handle_outlives_two_failed_commits_in_a_row),
        cmocka_unit_test(
            test_trap_a1__an_answer_of_unknown_fate_is_stored_once_and_never_sent_for_again),
    };
    return cmocka_run_group_tests_name("trap_a1", tests, NULL, NULL);
}
