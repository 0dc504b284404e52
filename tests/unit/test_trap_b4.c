/* SPDX-License-Identifier: MIT
 *
 * Trap B4: "safe to retry" must not be refused for ever because a key's window is over, and the
 * provider key, which is a fence, must not be given away where it can be kept.
 */
#include "support/scene.h"

static const struct deed_attempt no_attempt = {.size = sizeof(no_attempt)};

/* Begins too late to send: closed first-hand, nothing was sent. */
static struct deed_attempt nothing_sent(struct scene *scene, uint32_t flags)
{
    struct deed_attempt attempt = no_attempt;
    assert_int_equal(scene_begin(scene, 0, flags, &attempt), DEED_OK);
    scene_advance(scene, SCENE_SEND_MS);
    assert_int_equal(deed_may_send(scene->workers[0], attempt.token, &scene->err), DEED_E_TOO_LATE);
    scene_expect(scene, DEED_CONFIRMED, DEED_NOT_APPLIED);
    return attempt;
}

/* The provider is down until the window of generation 0 is over, and nothing was ever sent. The
 * retry takes generation 1, and a lost answer of it can be replayed inside its own window. */
static void test_trap_b4__a_retry_after_the_window_takes_the_next_generation(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_KEYED);
    struct deed_attempt first = nothing_sent(&scene, 0);
    assert_int_equal(first.generation, 0);
    scene_advance(&scene, SCENE_WINDOW_MS);
    struct deed_attempt retry = no_attempt;
    assert_int_equal(scene_begin(&scene, 0, 0, &retry), DEED_OK);
    assert_int_equal(retry.generation, 1);
    assert_string_not_equal(retry.provider_key, first.provider_key);
    scene_past_lease(&scene);
    struct deed_attempt replay = no_attempt;
    assert_int_equal(scene_begin(&scene, 1, DEED_BEGIN_REPLAY, &replay), DEED_OK);
    assert_int_equal(replay.generation, 1);
    assert_string_equal(replay.provider_key, retry.provider_key);
    assert_int_equal(scene_finish(&scene, 1, &replay, DEED_VERDICT_APPLIED), DEED_OK);
    scene_expect(&scene, DEED_RECONCILED, DEED_APPLIED);
    scene_check(&scene);
    scene_end(&scene);
}

/* The window must hold the retry *and* its horizon; one millisecond less and it is the next key. */
static void test_trap_b4__the_window_must_hold_the_whole_horizon_of_the_retry(void **state)
{
    (void)state;
    for (int late = 0; late <= 1; late++) {
        struct scene scene;
        scene_new(&scene, SCENE_KEYED);
        struct deed_attempt first = nothing_sent(&scene, 0);
        scene_advance(&scene, SCENE_WINDOW_MS - SCENE_HORIZON_MS - SCENE_SEND_MS + late);
        struct deed_attempt retry = no_attempt;
        assert_int_equal(scene_begin(&scene, 0, 0, &retry), DEED_OK);
        assert_int_equal(retry.generation, late);
        assert_int_equal(strcmp(retry.provider_key, first.provider_key) == 0, late == 0);
        scene_check(&scene);
        scene_end(&scene);
    }
}

/* After "nothing sent" the key is kept, even where errors are stored: the provider never saw it. */
static void test_trap_b4__the_key_is_kept_where_nothing_was_sent(void **state)
{
    (void)state;
    struct scene scene;
    scene_prepare(&scene, SCENE_KEYED);
    scene.profile.stored_errors = true;
    scene_open(&scene);
    struct deed_attempt first = nothing_sent(&scene, 0);
    struct deed_attempt retry = no_attempt;
    assert_int_equal(scene_begin(&scene, 0, DEED_BEGIN_BY_NAME, &retry), DEED_OK);
    assert_int_equal(retry.generation, 0);
    assert_string_equal(retry.provider_key, first.provider_key);
    scene_check(&scene);
    scene_end(&scene);
}

/* The provider *answered* not_applied. Where it replays stored errors the same key would only bring
 * the same error: next generation. Where it does not, the key is kept. */
static void test_trap_b4__the_key_is_given_up_where_the_error_is_stored_under_it(void **state)
{
    (void)state;
    for (int stored = 0; stored <= 1; stored++) {
        struct scene scene;
        scene_prepare(&scene, SCENE_KEYED);
        scene.profile.stored_errors = stored == 1;
        scene_open(&scene);
        scene.provider.next_verdict = DEED_VERDICT_NOT_APPLIED;
        assert_int_equal(scene_run(&scene, 0, 0), DEED_OK);
        struct deed_attempt retry = no_attempt;
        assert_int_equal(scene_begin(&scene, 0, DEED_BEGIN_BY_NAME, &retry), DEED_OK);
        assert_int_equal(retry.generation, stored);
        assert_int_equal(
            strcmp(retry.provider_key, scene.provider.last_provider_key) == 0, stored == 0);
        scene_check(&scene);
        scene_end(&scene);
    }
}

/* Absence may have been proven wrongly: the key stays, and bars a second effect if it was. */
static void test_trap_b4__the_key_is_kept_after_an_absence(void **state)
{
    (void)state;
    struct scene scene;
    scene_prepare(&scene, SCENE_KEYED_LOOKUP);
    scene.profile.prefers_wait = true;
    scene.profile.stored_errors = true;
    scene_open(&scene);
    assert_int_equal(scene_run(&scene, 0, 0), DEED_OK);
    scene.provider.next_finding = DEED_FOUND_ABSENT;
    scene_past_visible(&scene);
    assert_int_equal(scene_reconcile(&scene, 1), DEED_OK);
    scene_expect(&scene, DEED_RECONCILED, DEED_NOT_APPLIED);
    struct deed_attempt retry = no_attempt;
    assert_int_equal(scene_begin(&scene, 0, DEED_BEGIN_BY_NAME, &retry), DEED_OK);
    assert_int_equal(retry.generation, 0);
    assert_string_equal(retry.provider_key, scene.provider.last_provider_key);
    scene_check(&scene);
    scene_end(&scene);
}

/* A key that was closed at the provider would never take effect again. */
static void test_trap_b4__a_closed_key_is_not_used_again(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_CLOSABLE);
    assert_int_equal(scene_run(&scene, 0, 0), DEED_OK);
    scene.provider.next_finding = DEED_FOUND_CLOSED;
    assert_int_equal(scene_reconcile(&scene, 1), DEED_OK);
    scene_expect(&scene, DEED_RECONCILED, DEED_NOT_APPLIED);
    struct deed_attempt retry = no_attempt;
    assert_int_equal(scene_begin(&scene, 0, DEED_BEGIN_BY_NAME, &retry), DEED_OK);
    assert_int_equal(retry.generation, 1);
    scene_check(&scene);
    scene_end(&scene);
}

/* Generation 0 survives the loss of the file: another ledger of the same name gives the same key,
 * and one of another name another one. */
static void test_trap_b4__generation_zero_depends_on_name_key_and_digest_only(void **state)
{
    (void)state;
    char keys[2][DEED_PROVIDER_KEY_BYTES];
    for (int i = 0; i < 2; i++) {
        struct scene scene;
        scene_new(&scene, SCENE_KEYED);
        scene_advance(&scene, i == 0 ? 0 : 1000);
        struct deed_attempt attempt = no_attempt;
        assert_int_equal(scene_begin(&scene, i, 0, &attempt), DEED_OK);
        memcpy(keys[i], attempt.provider_key, sizeof(keys[i]));
        scene_end(&scene);
    }
    assert_string_equal(keys[0], keys[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trap_b4__a_retry_after_the_window_takes_the_next_generation),
        cmocka_unit_test(test_trap_b4__the_window_must_hold_the_whole_horizon_of_the_retry),
        cmocka_unit_test(test_trap_b4__the_key_is_kept_where_nothing_was_sent),
        cmocka_unit_test(test_trap_b4__the_key_is_given_up_where_the_error_is_stored_under_it),
        cmocka_unit_test(test_trap_b4__the_key_is_kept_after_an_absence),
        cmocka_unit_test(test_trap_b4__a_closed_key_is_not_used_again),
        cmocka_unit_test(test_trap_b4__generation_zero_depends_on_name_key_and_digest_only),
    };
    return cmocka_run_group_tests_name("trap_b4", tests, NULL, NULL);
}
