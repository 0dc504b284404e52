/* SPDX-License-Identifier: MIT
 *
 * Trap B12: a person said "not applied". A script that reads "safe to retry" would resend on a
 * statement: only an order that names the key resends.
 */
#include "support/scene.h"

static void said_not_applied(struct scene *scene, enum scene_class class)
{
    scene_new(scene, class);
    assert_int_equal(scene_run(scene, 0, 0), DEED_OK);
    scene_past_visible(scene);
    assert_int_equal(scene_resolve(scene, 1, DEED_NOT_APPLIED), DEED_OK);
    scene_expect(scene, DEED_RECONCILED, DEED_NOT_APPLIED);
}

static void test_trap_b12__the_exit_status_is_nine_and_the_next_step_names_the_key(void **state)
{
    (void)state;
    for (int class = 0; class < SCENE_CLASSES; class ++) {
        struct scene scene;
        said_not_applied(&scene, (enum scene_class) class);
        assert_int_equal(scene.result.reason, DEED_REASON_RETRY_BY_NAME);
        assert_true(scene.result.needs_person);
        assert_string_equal(scene.result.next, "deed run pay-1");
        assert_int_equal(deed_exit_status(DEED_OK, DEED_EXIT_ACTING, &scene.result), 9);
        scene_check(&scene);
        scene_end(&scene);
    }
}

static bool count(
    void *context, deed_rc rc, const struct deed_result *result, const struct deed_error *err)
{
    (void)rc;
    (void)result;
    (void)err;
    ++*(unsigned *)context;
    return true;
}

/* Not the policy, not `run --due`, not a pass, however long one waits. */
static void test_trap_b12__nothing_but_its_name_attempts_it_again(void **state)
{
    (void)state;
    for (int class = 0; class < SCENE_CLASSES; class ++) {
        struct scene scene;
        said_not_applied(&scene, (enum scene_class) class);
        scene.provider.next_finding = DEED_FOUND_ABSENT;
        for (int day = 0; day < 5; day++) {
            unsigned ran = 0;
            assert_int_equal(scene_run(&scene, 2, 0), DEED_E_NEEDS_PERSON);
            assert_int_equal(deed_run_due(scene.workers[2], count, &ran, &scene.err), DEED_OK);
            assert_int_equal(ran, 0);
            struct deed_pass pass = {.size = sizeof(pass)};
            assert_int_equal(scene_pass(&scene, 2, &pass), DEED_OK);
            assert_int_equal(scene_reconcile(&scene, 2), DEED_OK);
            scene_advance(&scene, 86400000);
        }
        struct deed_attempt attempt = {.size = sizeof(attempt)};
        assert_int_equal(scene_begin(&scene, 2, 0, &attempt), DEED_E_NEEDS_PERSON);
        assert_int_equal(scene_begin(&scene, 2, DEED_BEGIN_REPLAY, &attempt), DEED_E_NO_STEP);
        assert_int_equal(scene.provider.sends, 1);
        scene_check(&scene);
        scene_end(&scene);
    }
}

static void test_trap_b12__an_order_by_name_attempts_it_and_says_so(void **state)
{
    (void)state;
    struct scene scene;
    said_not_applied(&scene, SCENE_BLIND);
    struct deed_attempt attempt = {.size = sizeof(attempt)};
    assert_int_equal(scene_begin(&scene, 2, DEED_BEGIN_BY_NAME, &attempt), DEED_OK);
    assert_int_equal(attempt.cause, DEED_CAUSE_BY_NAME);
    assert_int_equal(attempt.number, 2);
    scene_check(&scene);
    scene_end(&scene);
}

/* It never becomes due: no listing of what is due shows it. */
static void test_trap_b12__it_is_never_due(void **state)
{
    (void)state;
    struct scene scene;
    said_not_applied(&scene, SCENE_BLIND);
    assert_int_equal(scene.result.due_ms, 0);
    scene_advance(&scene, 86400000);
    struct deed_list list = {.size = sizeof(list), .flags = DEED_LIST_DUE};
    unsigned listed = 0;
    assert_int_equal(
        deed_ledger_list(scene.workers[0], &list, count, &listed, &scene.err), DEED_OK);
    assert_int_equal(listed, 0);
    list.flags = 0;
    assert_int_equal(
        deed_ledger_list(scene.workers[0], &list, count, &listed, &scene.err), DEED_OK);
    assert_int_equal(listed, 1);
    scene_check(&scene);
    scene_end(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trap_b12__the_exit_status_is_nine_and_the_next_step_names_the_key),
        cmocka_unit_test(test_trap_b12__nothing_but_its_name_attempts_it_again),
        cmocka_unit_test(test_trap_b12__an_order_by_name_attempts_it_and_says_so),
        cmocka_unit_test(test_trap_b12__it_is_never_due),
    };
    return cmocka_run_group_tests_name("trap_b12", tests, NULL, NULL);
}
