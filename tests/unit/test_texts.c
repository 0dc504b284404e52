/* SPDX-License-Identifier: MIT
 *
 * Texts of people and hosts are UTF-8, whichever call brings them: what is stored can be shown.
 */
#include "support/scene.h"

#include "support/scene_store.h"

static const char latin[] = "caf\xe9";
static const char overlong[] = "a\xc0\xaf";

static void expect_refused(struct scene *scene, deed_rc rc, unsigned chain)
{
    assert_int_equal(rc, DEED_E_INVALID);
    if (strstr(scene->err.text, "UTF-8") == NULL) {
        fail_msg("%s", scene->err.text);
    }
    assert_int_equal(scene_chain(scene), chain);
}

static void test_texts__of_a_persons_decision(void **state)
{
    typedef deed_rc (*decide)(deed_ledger * ledger, const struct deed_decision *decision,
        struct deed_result *result, struct deed_error *err);
    static const decide calls[] = {deed_resolve, deed_retract, deed_hold, deed_release};
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_BLIND);
    assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
    scene_past_visible(&scene);
    unsigned chain = scene_chain(&scene);
    for (size_t call = 0; call < sizeof(calls) / sizeof(calls[0]); call++) {
        for (int member = 0; member < 4; member++) {
            struct deed_decision decision = {.size = sizeof(decision),
                .key = SCENE_KEY,
                .by = member == 0 ? latin : "ann",
                .reason = member == 1 ? latin : "seen",
                .evidence = member == 2 ? overlong : NULL,
                .reference = member == 3 ? latin : NULL,
                .outcome = DEED_APPLIED};
            expect_refused(
                &scene, calls[call](scene.workers[1], &decision, &scene.result, &scene.err), chain);
        }
    }
    scene_end(&scene);
}

static void test_texts__of_a_record(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_BLIND);
    struct deed_payload payload = {{"payment", 7}, {"provider", 8}, {"amount=2", 8}};
    for (int member = 0; member < 2; member++) {
        struct deed_record record = {.size = sizeof(record),
            .key = "pay-2",
            .payload = &payload,
            .hold_reason = member == 0 ? latin : NULL,
            .actor = member == 1 ? latin : NULL};
        assert_int_equal(
            deed_record(scene.workers[1], &record, &scene.result, &scene.err), DEED_E_INVALID);
        assert_non_null(strstr(scene.err.text, "UTF-8"));
        assert_int_equal(
            deed_get(scene.workers[1], "pay-2", &scene.result, &scene.err), DEED_E_NOT_FOUND);
    }
    scene_end(&scene);
}

static void test_texts__of_a_binding(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_BLIND);
    struct deed_plan plan = {.size = sizeof(plan)};
    assert_int_equal(
        deed_plan(scene.workers[1], SCENE_KEY, NULL, 0, &plan, &scene.result, &scene.err), DEED_OK);
    unsigned chain = scene_chain(&scene);
    for (int member = 0; member < 5; member++) {
        struct deed_attempt attempt = {.size = sizeof(attempt)};
        struct deed_binding binding = {.size = sizeof(binding),
            .executor = member == 0 ? latin : "bank",
            .executor_version = member == 1 ? latin : "1",
            .account_scope = member == 2 ? latin : "acct-1",
            .endpoint = member == 3 ? latin : "script://provider",
            .provider_key = plan.provider_key};
        struct deed_begin begin = {.size = sizeof(begin),
            .key = SCENE_KEY,
            .binding = &binding,
            .actor = member == 4 ? latin : NULL};
        expect_refused(&scene,
            deed_begin(scene.workers[1], &begin, &attempt, &scene.result, &scene.err), chain);
    }
    scene_end(&scene);
}

static void test_texts__of_the_options(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_BLIND);
    struct deed_options options = {.size = sizeof(options), .actor = latin};
    deed_ledger *ledger = NULL;
    assert_int_equal(/* and the store is taken all the same */
        deed_ledger_open(scene_store_attach(scene.store), &options, &ledger, &scene.err),
        DEED_E_INVALID);
    assert_null(ledger);
    assert_non_null(strstr(scene.err.text, "UTF-8"));
    struct deed_store *first = NULL;
    struct scene_store *fresh = scene_store_new(&first);
    assert_int_equal(deed_ledger_init(first, "fresh", true, &options, &scene.err), DEED_E_INVALID);
    assert_non_null(strstr(scene.err.text, "UTF-8"));
    options.actor = "caf\xc3\xa9";
    assert_int_equal(deed_ledger_init(first, "fresh", true, &options, &scene.err), DEED_OK);
    first->close(first->self);
    scene_store_end(fresh);
    scene_end(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texts__of_a_persons_decision),
        cmocka_unit_test(test_texts__of_a_record),
        cmocka_unit_test(test_texts__of_a_binding),
        cmocka_unit_test(test_texts__of_the_options),
    };
    return cmocka_run_group_tests_name("texts", tests, NULL, NULL);
}
