/* SPDX-License-Identifier: MIT
 *
 * The plain ways to send twice: before the attempt is durable, on a claim that was read before it was
 * written, on an answer that was taken for another, under a key that was cut.
 */
#include "support/scene.h"

/* ---- durable before the first byte ------------------------------------------------------------- */

/* Another process must find the attempt at the moment of the first byte. */
static void look_from_outside(
    struct scene *scene, const struct deed_call *call, struct deed_answer *answer)
{
    struct deed_result seen = {.size = sizeof(seen)};
    assert_int_equal(deed_get(scene->workers[2], call->key, &seen, &scene->err), DEED_OK);
    assert_int_equal(seen.state, DEED_ATTEMPTED);
    assert_int_equal(seen.attempt, call->attempt);
    assert_true(seen.in_flight);
    answer->verdict = DEED_VERDICT_APPLIED;
}

static void test_trap_send__the_attempt_is_durable_before_its_first_byte(void **state)
{
    (void)state;
    for (int class = 0; class < SCENE_CLASSES; class ++) {
        struct scene scene;
        scene_new(&scene, (enum scene_class) class);
        scene.provider.attempt = look_from_outside;
        assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
        assert_int_equal(scene.provider.sends, 1);
        scene_expect(&scene, DEED_CONFIRMED, DEED_APPLIED);
        scene_check(&scene);
        scene_end(&scene);
    }
}

static void no_answer(struct scene *scene, const struct deed_call *call, struct deed_answer *answer)
{
    (void)call;
    (void)answer;
    scene->provider.attempt = look_from_outside;
}

static void test_trap_send__a_replay_is_durable_before_its_first_byte(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_KEYED);
    scene.provider.attempt = no_answer;
    assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
    assert_int_equal(scene_reconcile(&scene, 1), DEED_OK);
    assert_int_equal(scene.provider.sends, 2);
    scene_expect(&scene, DEED_RECONCILED, DEED_APPLIED);
    scene_check(&scene);
    scene_end(&scene);
}

/* Without a commit there is no send. */
static void test_trap_send__without_a_commit_nothing_is_sent(void **state)
{
    (void)state;
    for (int kept = 0; kept < 2; kept++) {
        struct scene scene;
        scene_prepare(&scene, SCENE_LOOKUP);
        scene_in_world(&scene, "{\"class\": \"lookup\"}");
        scene_open(&scene);
        scene_fail_commit(&scene, 1, kept != 0);
        assert_int_equal(scene_run(&scene, 1, 0), DEED_E_STORE);
        assert_int_equal(scene_world_sends(&scene), 0);
        scene_advance(&scene, 1000);
        assert_int_equal(scene_run(&scene, 2, 0), DEED_OK);
        assert_int_equal(scene_effects(&scene), 1);
        scene_check(&scene);
        scene_end(&scene);
    }
}

/* ---- a claim is judged where it is written ------------------------------------------------------ */

static deed_rc others_rc;

static void another_runs(struct scene *scene)
{
    struct deed_result result = {.size = sizeof(result)};
    others_rc = deed_run(scene->workers[2], SCENE_KEY, 0, &result, &scene->err);
}

/* Worker 1 has read that nothing was attempted, and encodes its request; worker 2 attempts, and its
 * answer is lost; then worker 1 claims. */
static void test_trap_send__a_claim_is_judged_in_the_transaction_that_writes_it(void **state)
{
    (void)state;
    static const char *const second[] = {"{\"class\": \"lookup\", \"script\": {\"do\": \"lose\"}}",
        "{\"class\": \"lookup\", \"script\": {\"do\": \"answer\"}}"};
    for (size_t i = 0; i < sizeof(second) / sizeof(second[0]); i++) {
        struct scene scene;
        scene_prepare(&scene, SCENE_LOOKUP);
        scene_in_world(&scene, second[i]);
        scene_open(&scene);
        scene_at(&scene, DEED_SEAM_ATTEMPT_PREPARED, another_runs);
        assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
        assert_int_equal(others_rc, DEED_OK);
        assert_true(scene.result.replayed); /* the slower one is told how things stand */
        assert_int_equal(scene_effects(&scene), 1);
        assert_int_equal(scene_world_sends(&scene), 1);
        assert_int_equal(scene_events(&scene, DEED_EVENT_ATTEMPT), 1);
        scene_check(&scene);
        scene_end(&scene);
    }
}

/* The same for two replays. */
static void another_replays(struct scene *scene)
{
    struct deed_result result = {.size = sizeof(result)};
    others_rc = deed_reconcile(scene->workers[2], SCENE_KEY, &result, &scene->err);
}

static void test_trap_send__of_two_replays_one_is_begun(void **state)
{
    (void)state;
    struct scene scene;
    scene_prepare(&scene, SCENE_KEYED);
    scene_in_world(&scene,
        "{\"class\": \"keyed\", \"window_ms\": 60000, \"script\": [{\"do\": \"error\"}, {\"do\": "
        "\"answer\"}]}");
    scene_open(&scene);
    assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
    scene_at(&scene, DEED_SEAM_ATTEMPT_PREPARED, another_replays);
    assert_int_equal(scene_reconcile(&scene, 1), DEED_OK);
    assert_int_equal(others_rc, DEED_OK);
    assert_int_equal(scene_events(&scene, DEED_EVENT_REPLAY), 1);
    assert_int_equal(scene_world_sends(&scene), 2);
    assert_int_equal(scene_effects(&scene), 1);
    scene_expect(&scene, DEED_RECONCILED, DEED_APPLIED);
    scene_check(&scene);
    scene_end(&scene);
}

/* ---- what an answer does not say ------------------------------------------------------------------ */

/* A verdict that nobody filled in is "unknown". Taken for `applied` the action would be lost. */
static void test_trap_send__a_forgotten_verdict_is_not_applied_and_not_a_failure(void **state)
{
    (void)state;
    static const struct {
        const char *options;
        uint64_t effects;
        deed_outcome outcome;
    } cases[] = {
        {"{\"class\": \"lookup\", \"script\": {\"do\": \"error\"}}", 0, DEED_NOT_APPLIED},
        {"{\"class\": \"lookup\", \"script\": {\"do\": \"garbage\"}}", 1, DEED_APPLIED},
        {"{\"class\": \"lookup\", \"script\": {\"do\": \"garbage\", \"verdict\": 99}}", 1,
            DEED_APPLIED},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct scene scene;
        scene_prepare(&scene, SCENE_LOOKUP);
        scene_in_world(&scene, cases[i].options);
        scene_open(&scene);
        assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
        scene_expect_uncertain(&scene);
        assert_int_equal(deed_exit_status(DEED_OK, DEED_EXIT_ACTING, &scene.result), 3);
        scene_past_visible(&scene);
        assert_int_equal(scene_reconcile(&scene, 1), DEED_OK);
        scene_expect(&scene, DEED_RECONCILED, cases[i].outcome);
        assert_int_equal(scene_effects(&scene), cases[i].effects);
        scene_check(&scene);
        scene_end(&scene);
    }
}

/* No answer in time is no answer: taken for a failure, the retry is a second effect; taken for a
 * success, it is a lie if nothing lands. */
static void test_trap_send__a_time_out_confirms_nothing(void **state)
{
    (void)state;
    static const char *const providers[] = {
        "{\"class\": \"lookup\", \"script\": [{\"do\": \"hang\", \"land\": {\"after_ms\": 5000}}, "
        "{\"do\": "
        "\"answer\"}]}",
        "{\"class\": \"lookup\", \"script\": [{\"do\": \"late\", \"land\": {\"after_ms\": 5000}}, "
        "{\"do\": "
        "\"answer\"}]}",
    };
    for (size_t i = 0; i < sizeof(providers) / sizeof(providers[0]); i++) {
        struct scene scene;
        scene_prepare(&scene, SCENE_LOOKUP);
        scene_in_world(&scene, providers[i]);
        scene_open(&scene);
        assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
        scene_expect_uncertain(&scene);
        scene_past_lease(&scene);
        scene_expect_uncertain(&scene);
        assert_int_equal(scene_run(&scene, 2, 0), DEED_OK);
        scene_past_visible(&scene);
        assert_int_equal(scene_run(&scene, 2, DEED_BEGIN_BY_NAME), DEED_OK);
        assert_int_equal(scene_reconcile(&scene, 2), DEED_OK);
        scene_expect(&scene, DEED_RECONCILED, DEED_APPLIED);
        assert_int_equal(scene_effects(&scene), 1);
        scene_check(&scene);
        scene_end(&scene);
    }
}

/* An attempt nobody ever answers settles nothing by its age. */
static void test_trap_send__a_lease_that_lapsed_confirms_nothing(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_BLIND);
    struct deed_attempt attempt = {.size = sizeof(attempt)};
    assert_int_equal(scene_begin(&scene, 1, 0, &attempt), DEED_OK);
    struct deed_pass pass = {.size = sizeof(pass)};
    for (int day = 0; day < 3; day++) {
        scene_advance(&scene, 86400000);
        assert_int_equal(scene_pass(&scene, 2, &pass), DEED_OK);
        assert_int_equal(pass.person, 1);
        scene_expect_uncertain(&scene);
    }
    assert_int_equal(scene_events(&scene, DEED_EVENT_ATTEMPT), 1);
    scene_check(&scene);
    scene_end(&scene);
}

/* ---- a key is the whole key ------------------------------------------------------------------------ */

/* Two keys that differ in their 81st character only: cut to 80 they are one, and the second action is
 * answered with the outcome of the first, or refused as a conflict. */
static void test_trap_send__a_key_is_never_cut(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_LOOKUP);
    char key[DEED_KEY_BYTES_MAX + 2];
    memset(key, 'k', DEED_KEY_BYTES_MAX + 1);
    key[DEED_KEY_BYTES_MAX + 1] = '\0';
    struct deed_payload payload = {{"payment", 7}, {"provider", 8}, {"amount=1", 8}};
    struct deed_record record = {.size = sizeof(record), .key = key, .payload = &payload};
    struct deed_result result = {.size = sizeof(result)};
    for (int last = 0; last < 2; last++) {
        key[DEED_KEY_BYTES_MAX] = (char)('1' + last);
        assert_int_equal(
            deed_record(scene.workers[1], &record, &result, &scene.err), DEED_E_INVALID);
        assert_string_equal(result.key, "");
        assert_int_equal(deed_run(scene.workers[1], key, 0, &result, &scene.err), DEED_E_INVALID);
    }
    key[DEED_KEY_BYTES_MAX] = '\0'; /* 80 are a key */
    assert_int_equal(deed_get(scene.workers[1], key, &result, &scene.err), DEED_E_NOT_FOUND);
    assert_int_equal(deed_record(scene.workers[1], &record, &result, &scene.err), DEED_OK);
    assert_true(result.created);
    assert_int_equal(scene.provider.sends, 0);
    scene_check(&scene);
    scene_end(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trap_send__the_attempt_is_durable_before_its_first_byte),
        cmocka_unit_test(test_trap_send__a_replay_is_durable_before_its_first_byte),
        cmocka_unit_test(test_trap_send__without_a_commit_nothing_is_sent),
        cmocka_unit_test(test_trap_send__a_claim_is_judged_in_the_transaction_that_writes_it),
        cmocka_unit_test(test_trap_send__of_two_replays_one_is_begun),
        cmocka_unit_test(test_trap_send__a_forgotten_verdict_is_not_applied_and_not_a_failure),
        cmocka_unit_test(test_trap_send__a_time_out_confirms_nothing),
        cmocka_unit_test(test_trap_send__a_lease_that_lapsed_confirms_nothing),
        cmocka_unit_test(test_trap_send__a_key_is_never_cut),
    };
    return cmocka_run_group_tests_name("trap_send", tests, NULL, NULL);
}
