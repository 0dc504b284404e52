/* SPDX-License-Identifier: MIT
 *
 * Trap B10: that an owner lives is a hint, read outside of the row. Whatever it says, and always
 * wrongly, no rule may rest on it. Method: every trace runs with a hint that always says no, and
 * again with one that always says yes; what really happened is counted in a world.
 */
#include "support/scene.h"

static bool never(void *self, int64_t owner)
{
    (void)self;
    (void)owner;
    return false;
}

static bool always(void *self, int64_t owner)
{
    (void)self;
    (void)owner;
    return true;
}

static void hint(struct scene *scene, bool lives)
{
    for (int w = 0; w < SCENE_WORKERS; w++) {
        scene->faults[w].face.owner_lives = lives ? always : never;
    }
}

/* The owner is at it and the hint says it is dead: others look, decide, run, replay. */
static void test_trap_b10__a_living_owner_taken_for_dead_does_no_harm(void **state)
{
    (void)state;
    for (int class = 0; class < SCENE_CLASSES; class ++) {
        struct scene scene;
        scene_new(&scene, (enum scene_class) class);
        hint(&scene, false);
        struct deed_attempt slow = {.size = sizeof(slow)};
        assert_int_equal(scene_begin(&scene, 0, 0, &slow), DEED_OK);
        scene_expect_uncertain(&scene);
        assert_int_equal(scene.result.reason, DEED_REASON_OWNER_GONE);
        /* Nobody may say before the horizon that nothing happened. */
        scene.provider.next_finding = DEED_FOUND_ABSENT;
        assert_int_equal(scene_resolve(&scene, 1, DEED_NOT_APPLIED), DEED_E_NOT_YET);
        assert_int_equal(scene_resolve(&scene, 1, DEED_REJECTED), DEED_E_NOT_YET);
        assert_int_equal(scene_retract(&scene, 1), DEED_E_UNCERTAIN);
        assert_int_equal(scene_run(&scene, 1, DEED_BEGIN_BY_NAME), DEED_OK);
        assert_int_equal(scene.provider.sends, 0);
        scene.provider.next_verdict = DEED_VERDICT_UNKNOWN;
        assert_int_equal(scene_reconcile(&scene, 1), DEED_OK);
        scene_expect(&scene, DEED_ATTEMPTED, DEED_OUTCOME_NONE);
        bool keyed = class == SCENE_KEYED || class == SCENE_KEYED_LOOKUP;
        assert_int_equal(scene.provider.sends, keyed ? 1 : 0);
        if (keyed) { /* a resend that cannot repeat the effect */
            assert_string_equal(scene.provider.last_provider_key, slow.provider_key);
        }
        /* The owner was alive all the time. */
        assert_int_equal(deed_may_send(scene.workers[0], slow.token, &scene.err), DEED_OK);
        assert_int_equal(scene_finish(&scene, 0, &slow, DEED_VERDICT_APPLIED), DEED_OK);
        scene_expect(&scene, keyed ? DEED_RECONCILED : DEED_CONFIRMED, DEED_APPLIED);
        scene_expect_disputed(&scene, false);
        scene_check(&scene);
        scene_end(&scene);
    }
}

/* The owner is dead and the hint says for ever that it lives: the lease ends the flight. */
static void test_trap_b10__a_dead_owner_taken_for_alive_is_waited_for_no_longer_than_its_lease(
    void **state)
{
    (void)state;
    for (int class = 0; class < SCENE_CLASSES; class ++) {
        struct scene scene;
        scene_new(&scene, (enum scene_class) class);
        hint(&scene, true);
        struct deed_attempt dead = {.size = sizeof(dead)};
        assert_int_equal(scene_begin(&scene, 0, 0, &dead), DEED_OK);
        scene_advance(&scene, SCENE_SEND_MS + SCENE_ANSWER_MS - 1);
        scene_get(&scene);
        assert_true(scene.result.in_flight);
        assert_int_equal(scene_reconcile(&scene, 1), DEED_OK);
        assert_int_equal(scene.provider.looks + scene.provider.sends, 0);
        scene_advance(&scene, 1);
        scene_expect_uncertain(&scene);
        assert_int_equal(scene.result.reason, DEED_REASON_LEASE_OVER);
        scene.provider.next_finding = DEED_FOUND_PRESENT;
        scene.provider.next_verdict = DEED_VERDICT_APPLIED;
        assert_int_equal(scene_reconcile(&scene, 1), DEED_OK);
        if (class == SCENE_BLIND) {
            scene_expect_uncertain(&scene);
            assert_true(scene.result.needs_person);
        } else {
            scene_expect(&scene, DEED_RECONCILED, DEED_APPLIED);
        }
        scene_check(&scene);
        scene_end(&scene);
    }
}

/* The whole way with a lost answer, whatever the hint says: at most one effect, and no attempt
 * while one is in doubt. */
static void test_trap_b10__one_effect_whatever_the_hint_says(void **state)
{
    (void)state;
    static const struct {
        enum scene_class class;
        const char *options;
    } worlds[] = {
        {SCENE_BLIND,
            "{\"class\": \"blind\", \"script\": [{\"do\": \"lose\"}, {\"do\": "
            "\"answer\"}]}"},
        {SCENE_LOOKUP,
            "{\"class\": \"lookup\", \"lookup\": {\"lag_ms\": 1000}, \"script\": "
            "[{\"do\": \"lose\"}, {\"do\": \"answer\"}]}"},
        {SCENE_KEYED,
            "{\"class\": \"keyed\", \"script\": [{\"do\": \"lose\"}, {\"do\": "
            "\"answer\"}]}"},
        {SCENE_KEYED_LOOKUP,
            "{\"class\": \"keyed+lookup\", \"lookup\": {\"lag_ms\": 1000}, "
            "\"script\": [{\"do\": \"lose\"}, {\"do\": \"answer\"}]}"},
    };
    for (size_t i = 0; i < 2 * sizeof(worlds) / sizeof(worlds[0]); i++) {
        struct scene scene;
        scene_prepare(&scene, worlds[i / 2].class);
        scene_in_world(&scene, worlds[i / 2].options);
        scene_open(&scene);
        hint(&scene, i % 2 == 0);
        for (int round = 0; round < 20; round++) {
            int w = round % SCENE_WORKERS;
            (void)scene_run(&scene, w, DEED_BEGIN_BY_NAME);
            struct deed_pass pass = {.size = sizeof(pass)};
            assert_int_equal(scene_pass(&scene, w, &pass), DEED_OK);
            scene_advance(&scene, 700);
        }
        assert_int_equal(scene_effects(&scene), 1);
        scene_get(&scene);
        assert_true(scene.result.outcome == DEED_APPLIED || scene.result.needs_person);
        scene_check(&scene);
        scene_end(&scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trap_b10__a_living_owner_taken_for_dead_does_no_harm),
        cmocka_unit_test(
            test_trap_b10__a_dead_owner_taken_for_alive_is_waited_for_no_longer_than_its_lease),
        cmocka_unit_test(test_trap_b10__one_effect_whatever_the_hint_says),
    };
    return cmocka_run_group_tests_name("trap_b10", tests, NULL, NULL);
}
