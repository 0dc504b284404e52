/* SPDX-License-Identifier: MIT
 *
 * Trap A2: a worker that sleeps between the durable attempt and its first byte. It is asked about the
 * last moment to send immediately before that byte, by both clocks, and a no is `not_applied`,
 * first-hand. The world counts what happened.
 */
#include "support/scene.h"

#include <deed/evidence.h>

static void in_world(struct scene *scene, enum scene_class class, const char *options)
{
    scene_prepare(scene, class);
    scene_in_world(scene, options);
    scene_open(scene);
}

/* ---- at a provider that can be asked ------------------------------------------------------- */

static void others_settle_and_send(struct scene *scene)
{
    scene_past_visible(scene);
    assert_int_equal(scene_reconcile(scene, 2), DEED_OK); /* absent, and nothing can land */
    scene_expect(scene, DEED_RECONCILED, DEED_NOT_APPLIED);
    scene_advance(scene, 1000);
    assert_int_equal(scene_run(scene, 2, 0), DEED_OK);
    scene_expect(scene, DEED_CONFIRMED, DEED_APPLIED);
}

/* Attempt 1 is durable; worker 1 is stopped before its first byte. Horizon and lag pass: absent,
 * `not_applied`, attempt 2 sends. Worker 1 wakes: it must not send. */
static void test_trap_a2__a_worker_that_wakes_after_its_deadline_sends_nothing(void **state)
{
    (void)state;
    struct scene scene;
    in_world(&scene, SCENE_LOOKUP, "{\"class\": \"lookup\"}");
    scene_at(&scene, DEED_SEAM_ATTEMPT_DURABLE, others_settle_and_send);
    assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
    assert_int_equal(scene_effects(&scene), 1);
    assert_int_equal(scene_world_sends(&scene), 1);
    scene_expect(&scene, DEED_CONFIRMED, DEED_APPLIED);
    scene_expect_disputed(&scene, false);
    scene_check(&scene);
    scene_end(&scene);
}

/* ---- either clock ends the permission ------------------------------------------------------ */

static void deadline_passes(struct scene *scene)
{
    scene_advance(scene, SCENE_SEND_MS);
}

static void deadline_passes_and_the_wall_clock_is_set_back(struct scene *scene)
{
    scene_advance(scene, SCENE_SEND_MS);
    scene_jump(scene, -SCENE_SEND_MS);
}

static void deadline_passes_in_suspend(struct scene *scene)
{
    scene_suspend(scene, SCENE_SEND_MS);
}

static void machine_reboots(struct scene *scene)
{
    deed_sim_clock_reboot(scene->clock, 0);
}

static void test_trap_a2__either_clock_ends_the_permission_to_send(void **state)
{
    (void)state;
    void (*const sleeps[])(struct scene *) = {deadline_passes,
        deadline_passes_and_the_wall_clock_is_set_back, deadline_passes_in_suspend,
        machine_reboots};
    for (size_t i = 0; i < sizeof(sleeps) / sizeof(sleeps[0]); i++) {
        struct scene scene;
        in_world(&scene, SCENE_BLIND, "{\"class\": \"blind\"}");
        scene_at(&scene, DEED_SEAM_ATTEMPT_DURABLE, sleeps[i]);
        assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
        assert_int_equal(scene_world_sends(&scene), 0);
        scene_expect(&scene, DEED_CONFIRMED, DEED_NOT_APPLIED);
        assert_int_equal(scene.result.grade, DEED_GRADE_FIRST_HAND);
        scene_check(&scene);
        scene_end(&scene);
    }
}

static void almost(struct scene *scene)
{
    scene_advance(scene, SCENE_SEND_MS - 1);
}

static void test_trap_a2__until_the_deadline_it_may_send(void **state)
{
    (void)state;
    struct scene scene;
    in_world(&scene, SCENE_BLIND, "{\"class\": \"blind\"}");
    scene_at(&scene, DEED_SEAM_ATTEMPT_DURABLE, almost);
    assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
    assert_int_equal(scene_effects(&scene), 1);
    scene_expect(&scene, DEED_CONFIRMED, DEED_APPLIED);
    scene_end(&scene);
}

/* ---- at a provider that honours our key ---------------------------------------------------- */

static void the_window_passes(struct scene *scene)
{
    scene_advance(scene, SCENE_WINDOW_MS);
}

/* Attempt 1 took effect and its answer was lost. The worker of the replay sleeps before its first
 * byte until the key is forgotten. */
static void test_trap_a2__a_replay_that_wakes_after_the_window_sends_nothing(void **state)
{
    (void)state;
    struct scene scene;
    in_world(&scene, SCENE_KEYED,
        "{\"class\": \"keyed\", \"window_ms\": 60000, \"script\": [{\"do\": \"lose\"}, {\"do\": "
        "\"answer\"}]}");
    assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
    scene_expect_uncertain(&scene);
    scene_at(&scene, DEED_SEAM_REPLAY_DURABLE, the_window_passes);
    assert_int_equal(scene_reconcile(&scene, 2), DEED_OK);
    assert_int_equal(scene_effects(&scene), 1);
    assert_int_equal(scene_world_sends(&scene), 1);
    /* That the replay was not sent says nothing about attempt 1. */
    scene_expect_uncertain(&scene);
    scene_check(&scene);
    scene_end(&scene);
}

/* ---- a host that sends by itself ----------------------------------------------------------- */

static void test_trap_a2__a_host_that_asks_too_late_is_told_no_and_the_attempt_is_closed(
    void **state)
{
    (void)state;
    void (*const sleeps[])(struct scene *) = {deadline_passes,
        deadline_passes_and_the_wall_clock_is_set_back, deadline_passes_in_suspend};
    for (size_t i = 0; i < sizeof(sleeps) / sizeof(sleeps[0]); i++) {
        struct scene scene;
        scene_new(&scene, SCENE_BLIND);
        struct deed_attempt attempt = {.size = sizeof(attempt)};
        assert_int_equal(scene_begin(&scene, 1, 0, &attempt), DEED_OK);
        sleeps[i](&scene);
        assert_int_equal(
            deed_may_send(scene.workers[1], attempt.token, &scene.err), DEED_E_TOO_LATE);
        scene_expect(&scene, DEED_CONFIRMED, DEED_NOT_APPLIED);
        assert_int_equal(
            deed_may_send(scene.workers[1], attempt.token, &scene.err), DEED_E_TOO_LATE);
        scene_check(&scene);
        scene_end(&scene);
    }
}

/* The handle that began an attempt answers from memory: what it knows is not less than the truth. */
static void test_trap_a2__a_host_that_has_written_its_answer_may_not_send(void **state)
{
    (void)state;
    const deed_verdict verdicts[] = {
        DEED_VERDICT_UNKNOWN, DEED_VERDICT_NOT_APPLIED, DEED_VERDICT_APPLIED};
    for (size_t i = 0; i < sizeof(verdicts) / sizeof(verdicts[0]); i++) {
        struct scene scene;
        scene_new(&scene, SCENE_BLIND);
        struct deed_attempt attempt = {.size = sizeof(attempt)};
        assert_int_equal(scene_begin(&scene, 1, 0, &attempt), DEED_OK);
        assert_int_equal(deed_may_send(scene.workers[1], attempt.token, &scene.err), DEED_OK);
        assert_int_equal(scene_finish(&scene, 1, &attempt, verdicts[i]), DEED_OK);
        for (int w = 1; w < 3; w++) {
            assert_int_equal(
                deed_may_send(scene.workers[w], attempt.token, &scene.err), DEED_E_TOO_LATE);
        }
        scene_check(&scene);
        scene_end(&scene);
    }
}

/* A word that settles the intent on the same handle ends the attempt too, as the store knows. */
static void test_trap_a2__a_host_that_settled_the_intent_otherwise_may_not_send(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_BLIND);
    struct deed_attempt attempt = {.size = sizeof(attempt)};
    assert_int_equal(scene_begin(&scene, 1, 0, &attempt), DEED_OK);
    assert_int_equal(deed_may_send(scene.workers[1], attempt.token, &scene.err), DEED_OK);
    const struct deed_evidence evidence = {.size = sizeof(evidence),
        .key = SCENE_KEY,
        .source = "bank",
        .outcome = DEED_APPLIED,
        .reference = "ch_1",
        .statement = "it is on the account",
        .by = "ada"};
    assert_int_equal(
        deed_evidence_add(scene.workers[1], &evidence, &scene.result, &scene.err), DEED_OK);
    assert_int_equal(scene.result.outcome, DEED_APPLIED);
    assert_int_not_equal(deed_may_send(scene.workers[1], attempt.token, &scene.err), DEED_OK);
    scene_check(&scene);
    scene_end(&scene);
}

/* More attempts than a handle remembers: the oldest are asked of the store. */
static void test_trap_a2__a_host_with_many_attempts_is_told_the_truth_of_each(void **state)
{
    (void)state;
    enum {
        MANY = 300
    };
    static struct deed_attempt attempts[MANY];
    struct scene scene;
    scene_new(&scene, SCENE_BLIND);
    struct deed_payload payload = {{"payment", 7}, {"provider", 8}, {"amount=2", 8}};
    for (int i = 0; i < MANY; i++) {
        char key[16];
        (void)snprintf(key, sizeof(key), "pay-%d", i + 10);
        struct deed_plan plan = {.size = sizeof(plan)};
        assert_int_equal(
            deed_plan(scene.workers[0], key, &payload, 0, &plan, NULL, &scene.err), DEED_OK);
        const struct deed_record record = {.size = sizeof(record), .key = key, .payload = &payload};
        const struct deed_binding binding = {.size = sizeof(binding),
            .executor = "host",
            .executor_version = "1",
            .account_scope = "a",
            .endpoint = "e",
            .provider_key = plan.provider_key,
            .profile = &scene.profile};
        const struct deed_begin begin = {
            .size = sizeof(begin), .key = key, .record = &record, .binding = &binding};
        attempts[i].size = sizeof(attempts[i]);
        assert_int_equal(
            deed_begin(scene.workers[0], &begin, &attempts[i], NULL, &scene.err), DEED_OK);
    }
    for (int i = 0; i < MANY; i++) {
        assert_int_equal(deed_may_send(scene.workers[0], attempts[i].token, &scene.err), DEED_OK);
    }
    deadline_passes(&scene);
    for (int i = 0; i < MANY; i++) {
        assert_int_equal(
            deed_may_send(scene.workers[0], attempts[i].token, &scene.err), DEED_E_TOO_LATE);
    }
    scene_check(&scene);
    scene_end(&scene);
}

/* The yes may have been used: that it is too late now proves nothing about what was sent. Nor does a
 * question on a handle that did not begin the attempt. */
static void test_trap_a2__a_host_that_was_told_yes_is_not_taken_for_one_that_sent_nothing(
    void **state)
{
    (void)state;
    for (int asks_itself = 0; asks_itself < 2; asks_itself++) {
        struct scene scene;
        scene_new(&scene, SCENE_BLIND);
        struct deed_attempt attempt = {.size = sizeof(attempt)};
        assert_int_equal(scene_begin(&scene, 1, 0, &attempt), DEED_OK);
        if (asks_itself == 1) {
            assert_int_equal(deed_may_send(scene.workers[1], attempt.token, &scene.err), DEED_OK);
        }
        deadline_passes(&scene);
        int asking = asks_itself == 1 ? 1 : 2;
        assert_int_equal(
            deed_may_send(scene.workers[asking], attempt.token, &scene.err), DEED_E_TOO_LATE);
        scene_expect(&scene, DEED_ATTEMPTED, DEED_OUTCOME_NONE);
        assert_int_equal(scene_finish(&scene, 1, &attempt, DEED_VERDICT_APPLIED), DEED_OK);
        scene_expect(&scene, DEED_CONFIRMED, DEED_APPLIED);
        scene_check(&scene);
        scene_end(&scene);
    }
}

/* ---- one send per attempt ------------------------------------------------------------------ */

static unsigned allowed;

static void ask_twice(struct scene *scene, const struct deed_call *call, struct deed_answer *answer)
{
    (void)scene;
    allowed = 1; /* the scene has asked once before it called this */
    allowed += call->may_send(call->gate) ? 1 : 0;
    answer->verdict = DEED_VERDICT_APPLIED;
}

static void test_trap_a2__a_second_question_is_refused(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_BLIND);
    scene.provider.attempt = ask_twice;
    assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
    assert_int_equal(allowed, 1);
    scene_expect(&scene, DEED_CONFIRMED, DEED_APPLIED); /* the first one was sent */
    scene_end(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trap_a2__a_worker_that_wakes_after_its_deadline_sends_nothing),
        cmocka_unit_test(test_trap_a2__either_clock_ends_the_permission_to_send),
        cmocka_unit_test(test_trap_a2__until_the_deadline_it_may_send),
        cmocka_unit_test(test_trap_a2__a_replay_that_wakes_after_the_window_sends_nothing),
        cmocka_unit_test(
            test_trap_a2__a_host_that_asks_too_late_is_told_no_and_the_attempt_is_closed),
        cmocka_unit_test(test_trap_a2__a_host_that_has_written_its_answer_may_not_send),
        cmocka_unit_test(test_trap_a2__a_host_that_settled_the_intent_otherwise_may_not_send),
        cmocka_unit_test(test_trap_a2__a_host_with_many_attempts_is_told_the_truth_of_each),
        cmocka_unit_test(
            test_trap_a2__a_host_that_was_told_yes_is_not_taken_for_one_that_sent_nothing),
        cmocka_unit_test(test_trap_a2__a_second_question_is_refused),
    };
    return cmocka_run_group_tests_name("trap_a2", tests, NULL, NULL);
}
