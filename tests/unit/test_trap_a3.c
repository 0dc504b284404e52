/* SPDX-License-Identifier: MIT
 *
 * Trap A3: the configuration maps a kind to an executor now; the doubt belongs to the executor, the
 * account, the endpoint, the bytes and the numbers that saw it.
 */
#include "support/scene.h"

/* Worker 2 runs under a configuration that moved to another account, where our key is unknown. */
static void move_worker_2(
    struct scene *scene, enum scene_class class, const char *at_a, const char *at_b)
{
    scene_prepare(scene, class);
    scene_in_world(scene, at_a);
    scene->world_options[2] = at_b;
    scene_open(scene);
}

/* Attempt 1 at account A takes effect, the answer is lost; the configuration changes; the pass asks
 * B: absent, long after the horizon. */
static void test_trap_a3__another_account_is_not_asked_about_the_doubt(void **state)
{
    (void)state;
    static const char *const moved[] = {
        "{\"class\": \"lookup\", \"account\": \"acct-2\"}",
        "{\"class\": \"lookup\", \"endpoint\": \"mock://elsewhere\"}",
    };
    for (size_t i = 0; i < sizeof(moved) / sizeof(moved[0]); i++) {
        struct scene scene;
        move_worker_2(&scene, SCENE_LOOKUP,
            "{\"class\": \"lookup\", \"script\": {\"do\": \"lose\"}}", moved[i]);
        assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
        scene_past_visible(&scene);
        assert_int_equal(scene_reconcile(&scene, 2), DEED_E_NEEDS_PERSON);
        scene_expect_uncertain(&scene);
        assert_int_equal(scene_run(&scene, 2, DEED_BEGIN_BY_NAME), DEED_OK);
        assert_int_equal(scene_effects(&scene), 1);
        struct deed_pass pass = {.size = sizeof(pass)};
        assert_int_equal(scene_pass(&scene, 2, &pass), DEED_OK);
        assert_int_equal(pass.person, 1); /* the pass says who can settle it */
        /* The configuration that saw it still can. */
        assert_int_equal(scene_reconcile(&scene, 1), DEED_OK);
        scene_expect(&scene, DEED_RECONCILED, DEED_APPLIED);
        scene_check(&scene);
        scene_end(&scene);
    }
}

/* The same at a provider that honours keys: a replay at B is a second effect. */
static void test_trap_a3__a_doubt_is_not_replayed_at_another_account(void **state)
{
    (void)state;
    struct scene scene;
    move_worker_2(&scene, SCENE_KEYED, "{\"class\": \"keyed\", \"script\": {\"do\": \"lose\"}}",
        "{\"class\": \"keyed\", \"account\": \"acct-2\"}");
    assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
    assert_int_equal(scene_reconcile(&scene, 2), DEED_E_NEEDS_PERSON);
    scene_expect_uncertain(&scene);
    assert_int_equal(scene_effects(&scene), 1);
    assert_int_equal(scene_world_sends(&scene), 1);
    scene_check(&scene);
    scene_end(&scene);
}

static void test_trap_a3__a_doubt_is_not_settled_by_another_executor(void **state)
{
    (void)state;
    static const enum scene_class classes[] = {SCENE_LOOKUP, SCENE_KEYED};
    static const char *const here[] = {"{\"class\": \"lookup\", \"script\": {\"do\": \"lose\"}}",
        "{\"class\": \"keyed\", \"script\": {\"do\": \"lose\"}}"};
    static const char *const there[] = {"{\"class\": \"lookup\", \"name\": \"new\", \"account\": "
                                        "\"acct-1\", \"endpoint\": \"mock://provider\", "
                                        "\"lookup_script\": \"absent\", \"lying\": true}",
        "{\"class\": \"keyed\", \"name\": \"new\"}"};
    for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
        struct scene scene;
        move_worker_2(&scene, classes[i], here[i], there[i]);
        assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
        scene_past_visible(&scene);
        assert_int_equal(scene_reconcile(&scene, 2), DEED_E_NO_EXECUTOR);
        scene_expect_uncertain(&scene);
        assert_int_equal(scene_world_sends(&scene), 1);
        scene_check(&scene);
        scene_end(&scene);
    }
}

/* Storing the numbers is not enough: a host that replays by itself is held to account, endpoint and
 * executor too. */
static void test_trap_a3__a_host_cannot_replay_elsewhere(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_KEYED);
    struct deed_attempt attempt = {.size = sizeof(attempt)};
    assert_int_equal(scene_begin(&scene, 1, 0, &attempt), DEED_OK);
    scene_past_lease(&scene);
    struct deed_attempt replay = {.size = sizeof(replay)};
    scene.provider.account = "acct-2";
    assert_int_equal(scene_begin(&scene, 1, DEED_BEGIN_REPLAY, &replay), DEED_E_NEEDS_PERSON);
    scene.provider.account = "acct-1";
    scene.provider.endpoint = "script://elsewhere";
    assert_int_equal(scene_begin(&scene, 1, DEED_BEGIN_REPLAY, &replay), DEED_E_NEEDS_PERSON);
    scene.provider.endpoint = "script://provider";
    scene.executors[1].name = "another";
    assert_int_equal(scene_begin(&scene, 1, DEED_BEGIN_REPLAY, &replay), DEED_E_NEEDS_PERSON);
    scene.executors[1].name = "script";
    assert_int_equal(scene_begin(&scene, 1, DEED_BEGIN_REPLAY, &replay), DEED_OK);
    assert_int_equal(scene_events(&scene, DEED_EVENT_REPLAY), 1);
    scene_check(&scene);
    scene_end(&scene);
}

static unsigned sends;
static char first_bytes[256];

static void compare_bytes(
    struct scene *scene, const struct deed_call *call, struct deed_answer *answer)
{
    (void)scene;
    char bytes[sizeof(first_bytes)];
    assert_true(call->bytes_count < sizeof(bytes));
    memcpy(bytes, call->bytes, call->bytes_count);
    bytes[call->bytes_count] = '\0';
    if (++sends == 1) {
        memcpy(first_bytes, bytes, sizeof(bytes));
        return;
    }
    assert_string_equal(bytes, first_bytes);
    answer->verdict = DEED_VERDICT_APPLIED;
}

/* The executor was brought up to date and encodes in another way now: a replay sends what was sent. */
static void test_trap_a3__a_replay_sends_the_bytes_that_were_stored(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_KEYED);
    sends = 0;
    scene.provider.attempt = compare_bytes;
    assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
    uint8_t digest[DEED_DIGEST_BYTES];
    memcpy(digest, scene.provider.last_bytes_digest, sizeof(digest));
    scene.provider.bytes_suffix = "&api=2";
    assert_int_equal(scene_reconcile(&scene, 2), DEED_OK);
    scene_expect(&scene, DEED_RECONCILED, DEED_APPLIED);
    assert_int_equal(sends, 2);
    assert_memory_equal(digest, scene.provider.last_bytes_digest, sizeof(digest));
    scene_check(&scene);
    scene_end(&scene);
}

/* One key means one sequence of bytes: a host that replays by itself is held to it. */
static void test_trap_a3__a_replay_with_other_bytes_is_refused(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_KEYED);
    struct deed_attempt attempt = {.size = sizeof(attempt)};
    assert_int_equal(scene_begin(&scene, 1, 0, &attempt), DEED_OK);
    scene_past_lease(&scene);
    scene.provider.bytes_suffix = "&api=2";
    struct deed_attempt replay = {.size = sizeof(replay)};
    assert_int_equal(scene_begin(&scene, 1, DEED_BEGIN_REPLAY, &replay), DEED_E_NEEDS_PERSON);
    scene_expect_uncertain(&scene);
    assert_int_equal(scene_events(&scene, DEED_EVENT_REPLAY), 0);
    scene_check(&scene);
    scene_end(&scene);
}

/* A later profile does not shorten the waits of an older doubt. */
static void test_trap_a3__the_numbers_of_a_doubt_are_those_it_was_made_with(void **state)
{
    (void)state;
    struct scene scene;
    scene_prepare(&scene, SCENE_LOOKUP);
    scene_in_world(&scene,
        "{\"class\": \"lookup\", \"script\": [{\"do\": \"late\", \"land\": {\"after_ms\": 6000}}, "
        "{\"do\": \"answer\"}]}");
    scene_open(&scene);
    assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
    scene.profile.landing_ms = 1; /* and now it is said to land at once, to be seen at once */
    scene.profile.lag_ms = 0;
    scene_restart(&scene, 2);
    scene_advance(&scene, 3000);
    assert_int_equal(scene_reconcile(&scene, 2), DEED_OK);
    scene_expect_uncertain(&scene);
    assert_int_equal(scene_run(&scene, 2, DEED_BEGIN_BY_NAME), DEED_OK);
    scene_advance(&scene, 5000);
    assert_int_equal(scene_reconcile(&scene, 2), DEED_OK);
    scene_expect(&scene, DEED_RECONCILED, DEED_APPLIED);
    assert_int_equal(scene_effects(&scene), 1);
    scene_check(&scene);
    scene_end(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trap_a3__another_account_is_not_asked_about_the_doubt),
        cmocka_unit_test(test_trap_a3__a_doubt_is_not_replayed_at_another_account),
        cmocka_unit_test(test_trap_a3__a_doubt_is_not_settled_by_another_executor),
        cmocka_unit_test(test_trap_a3__a_host_cannot_replay_elsewhere),
        cmocka_unit_test(test_trap_a3__a_replay_sends_the_bytes_that_were_stored),
        cmocka_unit_test(test_trap_a3__a_replay_with_other_bytes_is_refused),
        cmocka_unit_test(test_trap_a3__the_numbers_of_a_doubt_are_those_it_was_made_with),
    };
    return cmocka_run_group_tests_name("trap_a3", tests, NULL, NULL);
}
