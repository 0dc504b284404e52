/* SPDX-License-Identifier: MIT
 *
 * Trap A7: "honours our key; its window is open" is too weak. The key must be honoured whatever was
 * answered first, and its window must outlast every request in doubt and the resend itself.
 */
#include "support/scene.h"

/* (a) The provider keeps good answers only: attempt 1 takes effect and answers 500. That is not
 * "honours our key", so no window is declared, and nothing is replayed. */
static void test_trap_a7__a_provider_that_keeps_good_answers_only_is_never_sent_a_replay(
    void **state)
{
    (void)state;
    struct scene scene;
    scene_prepare(&scene, SCENE_KEYED);
    scene.profile.window_ms = 0;
    scene_in_world(&scene,
        "{\"class\": \"keyed\", \"lying\": true, \"script\": [{\"do\": \"error\", \"effect\": "
        "true}, "
        "{\"do\": \"answer\"}]}");
    scene_open(&scene);
    assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
    assert_int_equal(scene_effects(&scene), 1);
    struct deed_pass pass = {.size = sizeof(pass)};
    assert_int_equal(scene_pass(&scene, 2, &pass), DEED_OK);
    assert_int_equal(pass.person, 1);
    struct deed_attempt replay = {.size = sizeof(replay)};
    scene.provider.endpoint = "mock://provider";
    assert_int_equal(scene_begin(&scene, 2, DEED_BEGIN_REPLAY, &replay), DEED_E_UNCERTAIN);
    scene_expect_uncertain(&scene);
    assert_int_equal(scene_world_sends(&scene), 1);
    assert_int_equal(scene_effects(&scene), 1);
    scene_check(&scene);
    scene_end(&scene);
}

/* (b) Window 5 minutes, horizon 13: request 1 is stuck, the replay is applied in minute 1, the key is
 * forgotten in minute 6, request 1 lands in minute 7. */
static void test_trap_a7__the_window_outlasts_every_request_in_doubt(void **state)
{
    (void)state;
    struct scene scene;
    scene_prepare(&scene, SCENE_KEYED);
    scene.profile.window_ms = 300000;
    scene.profile.landing_ms = 779000;
    scene_in_world(&scene,
        "{\"class\": \"keyed\", \"window_ms\": 300000, \"script\": [{\"do\": \"late\", \"land\": "
        "{\"after_ms\": 420000}}, {\"do\": \"answer\"}]}");
    scene_open(&scene);
    assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
    /* Even if the profile is changed meanwhile, so that the replay by itself would land in time. */
    scene.profile.landing_ms = 1000;
    scene_restart(&scene, 2);
    for (int minute = 1; minute <= 8; minute++) {
        scene_advance(&scene, 60000);
        assert_int_equal(scene_reconcile(&scene, minute % 2 + 1), DEED_OK);
        scene_expect_uncertain(&scene);
    }
    assert_true(scene.result.needs_person); /* the honest answer */
    assert_int_equal(deed_world_land(scene.world, NULL, SCENE_START_MS + 480000, NULL, NULL), 0);
    assert_int_equal(scene_effects(&scene), 1);
    assert_int_equal(scene_world_sends(&scene), 1);
    scene_check(&scene);
    scene_end(&scene);
}

/* (c) The resend must arrive inside the window, not start there: sent in second 55 of 60 it may land
 * until second 61. */
static void test_trap_a7__the_window_outlasts_the_resend_itself(void **state)
{
    (void)state;
    struct scene scene;
    scene_prepare(&scene, SCENE_KEYED);
    scene_in_world(&scene,
        "{\"class\": \"keyed\", \"window_ms\": 60000, \"script\": [{\"do\": \"lose\"}, {\"do\": "
        "\"late\", "
        "\"land\": {\"after_ms\": 5900}}]}");
    scene_open(&scene);
    assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
    scene_advance(&scene, SCENE_WINDOW_MS - SCENE_HORIZON_MS + 1);
    assert_int_equal(scene_reconcile(&scene, 2), DEED_OK);
    scene_advance(&scene, 60000);
    assert_int_equal(deed_world_land(scene.world, NULL, SCENE_START_MS + 120000, NULL, NULL), 0);
    assert_int_equal(scene_effects(&scene), 1);
    assert_int_equal(scene_world_sends(&scene), 1);
    scene_expect_uncertain(&scene);
    assert_true(scene.result.needs_person);
    scene_check(&scene);
    scene_end(&scene);
}

static void test_trap_a7__a_resend_that_lands_inside_the_window_is_sent(void **state)
{
    (void)state;
    struct scene scene;
    scene_prepare(&scene, SCENE_KEYED);
    scene_in_world(&scene,
        "{\"class\": \"keyed\", \"window_ms\": 60000, \"script\": [{\"do\": \"lose\"}, {\"do\": "
        "\"answer\"}]}");
    scene_open(&scene);
    assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
    scene_advance(&scene, SCENE_WINDOW_MS - SCENE_HORIZON_MS);
    assert_int_equal(scene_reconcile(&scene, 2), DEED_OK);
    scene_expect(&scene, DEED_RECONCILED, DEED_APPLIED);
    assert_int_equal(scene_effects(&scene), 1);
    assert_int_equal(scene_world_sends(&scene), 2);
    scene_check(&scene);
    scene_end(&scene);
}

/* The horizon of the resend is the one it will be stored with, not that of the kind's profile. */
static void test_trap_a7__a_hosts_replay_is_judged_by_its_own_horizon(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_KEYED);
    struct deed_attempt attempt = {.size = sizeof(attempt)};
    assert_int_equal(scene_begin(&scene, 1, 0, &attempt), DEED_OK);
    scene_past_lease(&scene);
    scene.profile.landing_ms = SCENE_WINDOW_MS; /* of the host's binding; the kind's is shorter */
    struct deed_attempt replay = {.size = sizeof(replay)};
    assert_int_equal(scene_begin(&scene, 1, DEED_BEGIN_REPLAY, &replay), DEED_E_UNCERTAIN);
    scene.profile.landing_ms = SCENE_LANDING_MS;
    assert_int_equal(scene_begin(&scene, 1, DEED_BEGIN_REPLAY, &replay), DEED_OK);
    scene_check(&scene);
    scene_end(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            test_trap_a7__a_provider_that_keeps_good_answers_only_is_never_sent_a_replay),
        cmocka_unit_test(test_trap_a7__the_window_outlasts_every_request_in_doubt),
        cmocka_unit_test(test_trap_a7__the_window_outlasts_the_resend_itself),
        cmocka_unit_test(test_trap_a7__a_resend_that_lands_inside_the_window_is_sent),
        cmocka_unit_test(test_trap_a7__a_hosts_replay_is_judged_by_its_own_horizon),
    };
    return cmocka_run_group_tests_name("trap_a7", tests, NULL, NULL);
}
