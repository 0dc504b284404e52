/* SPDX-License-Identifier: MIT
 *
 * Reports from the field (tests/field-reports.md): what is forgotten, by a provider or by us, and what a
 * key still stands for then.
 */
#include "support/scene.h"

/* FR-61: the provider keeps a key for 60 s. The answer was lost; 61 s later a resend would be a second
 * action, so it is not made, by a pass or by name. */
static void test_field_retention__a_key_that_the_provider_forgot_guards_nothing(void **state)
{
    (void)state;
    struct scene scene;
    scene_prepare(&scene, SCENE_KEYED);
    scene_in_world(&scene,
        "{\"class\": \"keyed\", \"window_ms\": 60000, \"script\": [{\"do\": \"lose\"}, {\"do\": "
        "\"answer\"}]}");
    scene_open(&scene);
    assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
    scene_advance(&scene, SCENE_WINDOW_MS + 1000);
    struct deed_pass pass = {.size = sizeof(pass)};
    assert_int_equal(scene_pass(&scene, 2, &pass), DEED_OK);
    assert_int_equal(scene_run(&scene, 2, DEED_BEGIN_BY_NAME), DEED_OK);
    assert_int_equal(scene_world_sends(&scene), 1);
    assert_int_equal(scene_effects(&scene), 1);
    scene_expect_uncertain(&scene);
    assert_true(scene.result.needs_person);
    scene_check(&scene);
    scene_end(&scene);
}

/* FR-62, the half that needs no pruning: only key and digest are here, and the key refuses another
 * content and answers for its own. */
static void test_field_retention__a_key_without_its_content_still_refuses_another(void **state)
{
    (void)state;
    struct scene scene;
    scene_prepare_bare(&scene, SCENE_BLIND);
    scene_open(&scene);
    scene_get(&scene);
    assert_int_equal(scene.result.reason, DEED_REASON_PAYLOAD_MISSING);
    char key[DEED_KEY_BYTES_MAX + 1];
    memcpy(key, scene.result.key, sizeof(key));
    struct deed_payload other = {{"payment", 7}, {"order-5", 7}, {"amount=2000", 11}};
    struct deed_record record = {.size = sizeof(record), .key = key, .payload = &other};
    assert_int_equal(
        deed_record(scene.workers[1], &record, &scene.result, &scene.err), DEED_E_CONFLICT);
    assert_int_equal(scene_run(&scene, 1, 0), DEED_E_NEEDS_PERSON);
    assert_int_equal(scene.provider.sends, 0);
    scene_check(&scene);
    scene_end(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_field_retention__a_key_that_the_provider_forgot_guards_nothing),
        cmocka_unit_test(test_field_retention__a_key_without_its_content_still_refuses_another),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
