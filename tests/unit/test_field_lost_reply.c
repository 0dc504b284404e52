/* SPDX-License-Identifier: MIT
 *
 * Reports from the field (tests/field-reports.md): the effect happened and the answer was lost, or
 * could not be written down. A plain second try repeats the effect.
 */
#include "support/scene.h"

/* FR-01: the provider charges and is slow to say so; the buyer asks again, and again, and from
 * another process. */
static void test_field_lost_reply__a_charge_that_answers_too_late_is_made_once(void **state)
{
    (void)state;
    struct scene scene;
    scene_prepare(&scene, SCENE_BLIND);
    scene_in_world(
        &scene, "{\"class\": \"blind\", \"script\": [{\"do\": \"hang\"}, {\"do\": \"answer\"}]}");
    scene_open(&scene);
    assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
    for (int i = 0; i < 3; i++) {
        scene_advance(&scene, 10000);
        scene_restart(&scene, 2);
        assert_int_equal(scene_run(&scene, 1 + i % 2, DEED_BEGIN_BY_NAME), DEED_OK);
        assert_true(scene.result.replayed);
        assert_int_equal(deed_exit_status(DEED_OK, DEED_EXIT_ACTING, &scene.result), 3);
    }
    scene_expect_uncertain(&scene);
    assert_int_equal(scene_world_sends(&scene), 1);
    assert_int_equal(scene_effects(&scene), 1);
    scene_check(&scene);
    scene_end(&scene);
}

/* FR-01, where a resend is allowed: key and bytes are those of the first request, whoever resends. */
static void test_field_lost_reply__a_resend_has_the_key_and_the_bytes_of_the_first(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_KEYED);
    assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
    const struct scene_provider first = scene.provider;
    for (int i = 0; i < 3; i++) {
        scene_past_lease(&scene);
        scene_restart(&scene, 2);
        assert_int_equal(scene_reconcile(&scene, 2), DEED_OK);
        assert_string_equal(scene.provider.last_provider_key, first.last_provider_key);
        assert_memory_equal(
            scene.provider.last_bytes_digest, first.last_bytes_digest, DEED_DIGEST_BYTES);
    }
    assert_int_equal(scene.provider.sends, 4);
    scene_check(&scene);
    scene_end(&scene);
}

/* FR-02: the call ended well, and the write that should say so fails. */
static void fail_the_next_commit(struct scene *scene)
{
    scene->faults[1].commits = 1;
}

static void test_field_lost_reply__a_result_that_fails_to_be_written_once_is_written_again(
    void **state)
{
    (void)state;
    for (int kept = 0; kept < 2; kept++) {
        struct scene scene;
        scene_new(&scene, SCENE_BLIND);
        scene.provider.next_verdict = DEED_VERDICT_APPLIED;
        scene.faults[1].kept = kept != 0;
        scene_at(&scene, DEED_SEAM_REPLY_READ, fail_the_next_commit);
        assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
        scene_expect(&scene, DEED_CONFIRMED, DEED_APPLIED);
        assert_int_equal(scene_events(&scene, DEED_EVENT_CONFIRM), 1);
        assert_int_equal(scene.provider.sends, 1);
        scene_check(&scene);
        scene_end(&scene);
    }
}

static void fail_every_commit(struct scene *scene)
{
    scene->faults[1].commits = 1000;
    scene->faults[1].recoveries = 1000;
}

static void test_field_lost_reply__a_result_that_cannot_be_written_is_seen_and_not_stored(
    void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_BLIND);
    scene.provider.next_verdict = DEED_VERDICT_APPLIED;
    scene_at(&scene, DEED_SEAM_REPLY_READ, fail_every_commit);
    assert_int_equal(scene_run(&scene, 1, 0), DEED_E_UNCERTAIN);
    assert_int_equal(deed_exit_status(DEED_E_UNCERTAIN, DEED_EXIT_ACTING, &scene.result), 3);
    assert_non_null(strstr(scene.err.text, "was seen (applied) but could not be stored"));
    assert_string_equal(scene.err.next, "deed reconcile " SCENE_KEY);
    scene_restart(&scene, 1); /* another process, and the disk is well again */
    scene_past_lease(&scene);
    for (int w = 1; w < SCENE_WORKERS; w++) {
        assert_int_equal(scene_run(&scene, w, DEED_BEGIN_BY_NAME), DEED_OK);
        assert_int_equal(deed_exit_status(DEED_OK, DEED_EXIT_ACTING, &scene.result), 3);
    }
    scene_expect_uncertain(&scene);
    assert_int_equal(scene.provider.sends, 1);
    scene_check(&scene);
    scene_end(&scene);
}

/* FR-04: a loop that reconnects, each time with its own counter at one, at a provider that invents a
 * new name rather than refuse a twin. Status 3 is none that says "safe to retry" (8), and the number
 * of attempts is the ledger's. */
static void test_field_lost_reply__fifteen_reconnects_create_one_object(void **state)
{
    (void)state;
    struct scene scene;
    scene_prepare(&scene, SCENE_BLIND);
    scene_in_world(
        &scene, "{\"class\": \"blind\", \"script\": [{\"do\": \"hang\"}, {\"do\": \"answer\"}]}");
    scene_open(&scene);
    for (int i = 0; i < 15; i++) {
        assert_int_equal(scene_run(&scene, 1, DEED_BEGIN_BY_NAME), DEED_OK);
        assert_int_equal(deed_exit_status(DEED_OK, DEED_EXIT_ACTING, &scene.result), 3);
        assert_int_equal(scene.result.attempt, 1);
        scene_restart(&scene, 1);
        scene_advance(&scene, 30000);
    }
    assert_int_equal(scene_effects(&scene), 1);
    assert_int_equal(scene_world_sends(&scene), 1);
    scene_check(&scene);
    scene_end(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_field_lost_reply__a_charge_that_answers_too_late_is_made_once),
        cmocka_unit_test(test_field_lost_reply__a_resend_has_the_key_and_the_bytes_of_the_first),
        cmocka_unit_test(
            test_field_lost_reply__a_result_that_fails_to_be_written_once_is_written_again),
        cmocka_unit_test(
            test_field_lost_reply__a_result_that_cannot_be_written_is_seen_and_not_stored),
        cmocka_unit_test(test_field_lost_reply__fifteen_reconnects_create_one_object),
    };
    return cmocka_run_group_tests_name("field_lost_reply", tests, NULL, NULL);
}
