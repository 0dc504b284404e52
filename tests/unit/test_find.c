/* SPDX-License-Identifier: MIT
 *
 * Finding an action by what its provider calls it.
 */
#include "support/scene.h"

#include <ctype.h>

struct found {
    unsigned count;
    unsigned stop_after; /* 0: never */
    char keys[40][DEED_KEY_BYTES_MAX + 1];
};

static bool collect(
    void *context, deed_rc rc, const struct deed_result *result, const struct deed_error *err)
{
    struct found *found = context;
    assert_int_equal(rc, DEED_OK);
    assert_null(err);
    assert_true(result->replayed);
    assert_in_range(found->count, 0, 39);
    (void)snprintf(found->keys[found->count++], sizeof(found->keys[0]), "%s", result->key);
    return found->count != found->stop_after;
}

static deed_rc find(
    struct scene *scene, const char *provider_key, const char *reference, struct found *found)
{
    struct deed_find by = {
        .size = sizeof(by), .provider_key = provider_key, .reference = reference};
    memset(found->keys, 0, sizeof(found->keys));
    found->count = 0;
    memset(&scene->err, 0, sizeof(scene->err));
    return deed_ledger_find(scene->workers[0], &by, collect, found, &scene->err);
}

static void test_find__by_provider_key_in_any_case_of_letters(void **state)
{
    (void)state;
    struct scene scene;
    struct found found = {0};
    scene_new(&scene, SCENE_KEYED);
    struct deed_attempt attempt = {.size = sizeof(attempt)};
    assert_int_equal(scene_begin(&scene, 1, 0, &attempt), DEED_OK);
    assert_int_equal(find(&scene, attempt.provider_key, NULL, &found), DEED_OK);
    assert_int_equal(found.count, 1);
    assert_string_equal(found.keys[0], SCENE_KEY);
    char upper[DEED_PROVIDER_KEY_BYTES];
    for (size_t i = 0; i < sizeof(upper); i++) {
        upper[i] = (char)toupper((unsigned char)attempt.provider_key[i]);
    }
    assert_string_not_equal(upper, attempt.provider_key);
    assert_int_equal(find(&scene, upper, NULL, &found), DEED_OK);
    assert_int_equal(found.count, 1);
    scene_end(&scene);
}

static void test_find__by_reference_in_any_evidence(void **state)
{
    (void)state;
    struct scene scene;
    struct found found = {0};
    scene_new(&scene, SCENE_BLIND);
    scene.provider.reference = "ch_17";
    scene.provider.next_verdict = DEED_VERDICT_APPLIED;
    assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
    assert_int_equal(find(&scene, NULL, "ch_17", &found), DEED_OK);
    assert_int_equal(found.count, 1);
    assert_string_equal(found.keys[0], SCENE_KEY);
    assert_int_equal(find(&scene, NULL, "CH_17", &found), DEED_E_NOT_FOUND);
    scene_end(&scene);
}

static void test_find__what_is_not_there_is_said_with_what_to_do(void **state)
{
    (void)state;
    struct scene scene;
    struct found found = {0};
    scene_new(&scene, SCENE_BLIND);
    assert_int_equal(
        find(&scene, "00000000-0000-4000-8000-000000000000", NULL, &found), DEED_E_NOT_FOUND);
    assert_non_null(strstr(scene.err.text, "provider key"));
    assert_string_equal(scene.err.next, "deed list --all");
    assert_int_equal(
        find(&scene, "00000000-0000-4000-8000-0000000000000", NULL, &found), DEED_E_NOT_FOUND);
    assert_int_equal(find(&scene, NULL, "nothing", &found), DEED_E_NOT_FOUND);
    assert_non_null(strstr(scene.err.text, "reference"));
    assert_int_equal(found.count, 0);
    scene_end(&scene);
}

static void test_find__exactly_one_thing_is_looked_for(void **state)
{
    (void)state;
    struct scene scene;
    struct found found = {0};
    scene_new(&scene, SCENE_BLIND);
    assert_int_equal(find(&scene, NULL, NULL, &found), DEED_E_MISUSE);
    assert_int_equal(find(&scene, "a", "b", &found), DEED_E_MISUSE);
    assert_int_equal(find(&scene, "", NULL, &found), DEED_E_INVALID);
    assert_int_equal(find(&scene, NULL, "", &found), DEED_E_INVALID);
    struct deed_find by = {.size = sizeof(by), .reference = "a"};
    assert_int_equal(deed_ledger_find(NULL, &by, collect, &found, &scene.err), DEED_E_MISUSE);
    assert_int_equal(
        deed_ledger_find(scene.workers[0], NULL, collect, &found, &scene.err), DEED_E_MISUSE);
    assert_int_equal(
        deed_ledger_find(scene.workers[0], &by, NULL, &found, &scene.err), DEED_E_MISUSE);
    scene_end(&scene);
}

/* More than fit on two pages, each once and oldest first; the visit may end it. */
static void test_find__more_than_a_page_are_told_each_once_oldest_first(void **state)
{
    enum {
        MANY = 35
    };
    (void)state;
    struct scene scene;
    struct found found = {0};
    scene_new(&scene, SCENE_BLIND);
    static const uint8_t lost[DEED_TOKEN_BYTES] = "a lost attempt!";
    for (int i = 0; i < MANY; i++) {
        char key[16];
        (void)snprintf(key, sizeof(key), "many-%02d", i);
        scene_record(&scene, key);
        struct deed_answer answer = {.size = sizeof(answer), .verdict = DEED_VERDICT_REJECTED};
        (void)snprintf(answer.reference, sizeof(answer.reference), "batch-1");
        assert_int_equal(
            deed_finish(scene.workers[1], key, lost, &answer, NULL, &scene.err), DEED_OK);
    }
    assert_int_equal(find(&scene, NULL, "batch-1", &found), DEED_OK);
    assert_int_equal(found.count, MANY);
    for (int i = 0; i < MANY; i++) {
        char key[16];
        (void)snprintf(key, sizeof(key), "many-%02d", i);
        assert_string_equal(found.keys[i], key);
    }
    for (unsigned stop = 1; stop <= MANY; stop += 15) {
        found.stop_after = stop;
        assert_int_equal(find(&scene, NULL, "batch-1", &found), DEED_OK);
        assert_int_equal(found.count, stop);
    }
    scene_end(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_find__by_provider_key_in_any_case_of_letters),
        cmocka_unit_test(test_find__by_reference_in_any_evidence),
        cmocka_unit_test(test_find__what_is_not_there_is_said_with_what_to_do),
        cmocka_unit_test(test_find__exactly_one_thing_is_looked_for),
        cmocka_unit_test(test_find__more_than_a_page_are_told_each_once_oldest_first),
    };
    return cmocka_run_group_tests_name("find", tests, NULL, NULL);
}
