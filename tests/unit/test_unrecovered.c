/* SPDX-License-Identifier: MIT
 *
 * After a commit of unknown fate. Goal: every call that needs the store answers DEED_E_STORE until the
 * store was recovered; none sends, asks a provider or claims anything. Then each works again.
 * Method: every call there is, about an intent that could be run and one that could be settled.
 */
#include "support/every_call.h"
#include "support/scene.h"

#define OTHER_KEY "pay-2"

/* SCENE_KEY is in doubt and could be looked up, OTHER_KEY could be run; worker 1 has lost a commit. */
static void lose_a_commit(struct scene *scene, bool kept)
{
    scene_new(scene, SCENE_KEYED_LOOKUP);
    scene_record(scene, OTHER_KEY);
    assert_int_equal(scene_run(scene, 0, 0), DEED_OK); /* the answer is: not known */
    scene_past_visible(scene);
    scene->provider.sends = 0;
    scene_fail_commit(scene, 1, kept);
    scene->faults[1].recoveries = 1000000;
    assert_int_equal(scene_hold(scene, 1), DEED_E_STORE);
}

/* Makes every call about `key`: a store error, or by `recovered` anything but that. */
static void call_all(struct scene *scene, const char *key, bool recovered)
{
    for (size_t i = 0; i < every_call_count; i++) {
        struct deed_error err;
        memset(&err, 0, sizeof(err));
        const deed_rc rc = every_call[i].call(scene->workers[1], key, &err);
        if (every_call[i].reads_store && (rc == DEED_E_STORE) == recovered) {
            fail_msg("%s of %s%s: %s: %s", every_call[i].name, key,
                recovered ? " after the recovery" : "", deed_rc_name(rc), err.text);
        }
    }
}

static void test_unrecovered__every_call_is_a_store_error_and_no_provider_is_called(void **state)
{
    (void)state;
    for (int kept = 0; kept < 2; kept++) {
        struct scene scene;
        lose_a_commit(&scene, kept != 0);
        call_all(&scene, SCENE_KEY, false);
        call_all(&scene, OTHER_KEY, false);
        assert_int_equal(scene.provider.sends, 0);
        assert_int_equal(scene.provider.looks, 0);
        scene.faults[1].recoveries = 0;
        call_all(&scene, OTHER_KEY, true);
        scene_check(&scene);
        scene_end(&scene);
    }
}

/* What a call was told before it failed is not left standing in its result. */
static void test_unrecovered__a_result_claims_nothing(void **state)
{
    (void)state;
    struct scene scene;
    lose_a_commit(&scene, true);
    struct deed_result result = {.size = sizeof(result)};
    assert_int_equal(deed_run(scene.workers[1], OTHER_KEY, 0, &result, &scene.err), DEED_E_STORE);
    assert_int_equal(result.state, DEED_STATE_NONE);
    assert_string_equal(result.key, "");
    assert_int_equal(
        deed_reconcile(scene.workers[1], SCENE_KEY, &result, &scene.err), DEED_E_STORE);
    assert_int_equal(result.state, DEED_STATE_NONE);
    assert_string_equal(result.key, "");
    scene.faults[1].recoveries = 0;
    scene_end(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unrecovered__every_call_is_a_store_error_and_no_provider_is_called),
        cmocka_unit_test(test_unrecovered__a_result_claims_nothing),
    };
    return cmocka_run_group_tests_name("unrecovered", tests, NULL, NULL);
}
