/* SPDX-License-Identifier: MIT
 *
 * Reports from the field (tests/field-reports.md): who may act, judged by age, by a lease or by two
 * clocks; and the record that somebody is at it, which frees too early or for ever. Method: worker 0
 * is at it all the time, the others do whatever a worker can do.
 */
#include "support/scene.h"

static void expect_no_attempt(struct scene *scene, int w)
{
    struct deed_attempt none = {.size = sizeof(none)};
    assert_int_not_equal(scene_begin(scene, w, 0, &none), DEED_OK);
    assert_int_not_equal(scene_begin(scene, w, DEED_BEGIN_BY_NAME, &none), DEED_OK);
    assert_int_equal(scene_run(scene, w, DEED_BEGIN_BY_NAME), DEED_OK);
    assert_int_equal(deed_run_due(scene->workers[w], NULL, NULL, &scene->err), DEED_OK);
    assert_int_equal(scene->provider.sends, 0);
}

static bool count_one(
    void *context, deed_rc rc, const struct deed_result *result, const struct deed_error *err)
{
    unsigned *count = context;
    (void)rc;
    (void)result;
    (void)err;
    *count += 1;
    return true;
}

static unsigned count_older(struct scene *scene, int64_t older_than_ms)
{
    unsigned count = 0;
    struct deed_list list = {.size = sizeof(list), .older_than_ms = older_than_ms};
    assert_int_equal(
        deed_ledger_list(scene->workers[1], &list, count_one, &count, &scene->err), DEED_OK);
    return count;
}

/* FR-26: the work takes two minutes; somebody asks each second for what is older than a number of
 * seconds. An age is a way to list, never a way to start. The lease is shorter than the work in one
 * round, and longer in the other. */
static void test_field_lease_clock__nobody_starts_what_is_merely_old(void **state)
{
    (void)state;
    for (int i = 0; i < 2 * SCENE_CLASSES; i++) {
        struct scene scene;
        scene_prepare(&scene, (enum scene_class)(i / 2));
        scene.profile.answer_ms = i % 2 == 0 ? SCENE_ANSWER_MS : 200000;
        scene_open(&scene);
        struct deed_attempt slow = {.size = sizeof(slow)};
        assert_int_equal(scene_begin(&scene, 0, 0, &slow), DEED_OK);
        for (int second = 1; second < 120; second++) {
            scene_advance(&scene, 1000);
            assert_int_equal(count_older(&scene, (second % 100 + 1) * INT64_C(1000)),
                second >= second % 100 + 1 ? 1 : 0);
            expect_no_attempt(&scene, 1);
            if (i % 2 != 0) { /* in flight: a pass leaves it alone as well */
                struct deed_pass pass = {.size = sizeof(pass)};
                assert_int_equal(scene_pass(&scene, 2, &pass), DEED_OK);
                assert_int_equal(pass.seen, 0);
                assert_int_equal(scene.provider.sends + scene.provider.looks, 0);
            }
        }
        assert_int_equal(scene_finish(&scene, 0, &slow, DEED_VERDICT_APPLIED), DEED_OK);
        scene_expect(&scene, DEED_CONFIRMED, DEED_APPLIED);
        assert_int_equal(scene_events(&scene, DEED_EVENT_ATTEMPT), 1);
        scene_check(&scene);
        scene_end(&scene);
    }
}

/* FR-28: a platform calls once more after three minutes, with the same arguments and from another
 * process, while the first call still waits. */
static void test_field_lease_clock__a_second_call_is_told_of_the_first_and_then_its_result(
    void **state)
{
    (void)state;
    struct scene scene;
    scene_prepare(&scene, SCENE_KEYED);
    scene.profile.answer_ms = 600000;
    scene_open(&scene);
    struct deed_attempt slow = {.size = sizeof(slow)};
    assert_int_equal(scene_begin(&scene, 0, 0, &slow), DEED_OK);
    scene_advance(&scene, 180000);
    assert_int_equal(scene_run(&scene, 2, DEED_BEGIN_BY_NAME), DEED_OK);
    assert_true(scene.result.in_flight);
    assert_true(scene.result.replayed);
    assert_int_equal(scene.result.attempted_ms, SCENE_START_MS);
    assert_int_equal(deed_exit_status(DEED_OK, DEED_EXIT_ACTING, &scene.result), 7);
    assert_int_equal(scene_finish(&scene, 0, &slow, DEED_VERDICT_APPLIED), DEED_OK);
    assert_int_equal(scene_run(&scene, 2, DEED_BEGIN_BY_NAME), DEED_OK);
    assert_true(scene.result.replayed);
    assert_int_equal(deed_exit_status(DEED_OK, DEED_EXIT_ACTING, &scene.result), 0);
    assert_int_equal(scene.provider.sends, 0); /* but for the first, which is the host's */
    scene_check(&scene);
    scene_end(&scene);
}

/* FR-29: the others' clock is ten minutes ahead, ten minutes behind, an hour behind. It frees
 * nothing, hides nothing, and makes nothing final. */
static void test_field_lease_clock__a_clock_that_differs_frees_and_hides_nothing(void **state)
{
    (void)state;
    static const int64_t jumps_ms[] = {600000, -1200000, -3000000, 3600000};
    for (int class = 0; class < SCENE_CLASSES; class ++) {
        struct scene scene;
        scene_new(&scene, (enum scene_class) class);
        struct deed_attempt slow = {.size = sizeof(slow)};
        assert_int_equal(scene_begin(&scene, 0, 0, &slow), DEED_OK);
        for (size_t i = 0; i < sizeof(jumps_ms) / sizeof(jumps_ms[0]); i++) {
            scene_jump(&scene, jumps_ms[i]);
            expect_no_attempt(&scene, 1);
            scene_expect(&scene, DEED_ATTEMPTED, DEED_OUTCOME_NONE);
            assert_int_not_equal(scene_resolve(&scene, 1, DEED_NOT_APPLIED), DEED_OK);
        }
        assert_int_equal(scene_finish(&scene, 0, &slow, DEED_VERDICT_APPLIED), DEED_OK);
        scene_expect(&scene, DEED_CONFIRMED, DEED_APPLIED);
        scene_check(&scene); /* events are in order by their number, whatever their times */
        scene_end(&scene);
    }
}

/* FR-31: a recovery starts in the very millisecond in which an attempt begins. */
static void recover_meanwhile(struct scene *scene)
{
    struct deed_pass pass = {.size = sizeof(pass)};
    assert_int_equal(scene_pass(scene, 2, &pass), DEED_OK);
    assert_int_equal(pass.seen, 0);
    assert_int_equal(deed_run_due(scene->workers[2], NULL, NULL, &scene->err), DEED_OK);
}

static void test_field_lease_clock__a_recovery_adopts_nothing_that_somebody_is_at(void **state)
{
    (void)state;
    static const deed_seam moments[] = {DEED_SEAM_ATTEMPT_DURABLE, DEED_SEAM_REPLY_READ};
    for (int i = 0; i < 2 * SCENE_CLASSES; i++) {
        struct scene scene;
        scene_new(&scene, (enum scene_class)(i / 2));
        scene.provider.next_verdict = DEED_VERDICT_APPLIED;
        scene_at(&scene, moments[i % 2], recover_meanwhile);
        assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
        assert_null(scene.at_seam); /* it was there */
        scene_expect(&scene, DEED_CONFIRMED, DEED_APPLIED);
        assert_int_equal(scene.provider.sends, 1);
        assert_int_equal(scene.provider.looks, 0);
        scene_check(&scene);
        scene_end(&scene);
    }
}

/* FR-32: two attempts are allowed; each process dies during its try. The third is refused, because
 * the number was stored before anything went out. */
static void test_field_lease_clock__attempts_are_counted_across_deaths(void **state)
{
    (void)state;
    struct scene scene;
    scene_prepare(&scene, SCENE_KEYED);
    scene.profile.attempts_max = 2;
    scene_open(&scene);
    for (uint32_t number = 1; number <= 2; number++) {
        struct deed_attempt attempt = {.size = sizeof(attempt)};
        assert_int_equal(
            scene_begin(&scene, 1, number == 1 ? 0 : DEED_BEGIN_REPLAY, &attempt), DEED_OK);
        assert_int_equal(attempt.number, number);
        scene_restart(&scene, 1); /* nothing was answered, and its owner is gone */
        scene_past_lease(&scene);
    }
    struct deed_pass pass = {.size = sizeof(pass)};
    assert_int_equal(scene_pass(&scene, 1, &pass), DEED_OK);
    assert_int_equal(pass.person, 1);
    assert_int_equal(scene.provider.sends, 0);
    scene_expect_uncertain(&scene);
    assert_int_equal(scene.result.attempt, 2);
    assert_true(scene.result.needs_person);
    scene_check(&scene);
    scene_end(&scene);
}

/* FR-25: the executor fails after the provider has acted. That is no way back to "recorded". */
static void test_field_lease_clock__an_executor_that_fails_after_the_effect_leaves_a_doubt(
    void **state)
{
    (void)state;
    struct scene scene;
    scene_prepare(&scene, SCENE_BLIND);
    scene_in_world(&scene,
        "{\"class\": \"blind\", \"script\": [{\"do\": \"error\", \"effect\": true}, {\"do\": "
        "\"answer\"}]}");
    scene_open(&scene);
    assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
    scene_expect_uncertain(&scene);
    assert_int_equal(scene_run(&scene, 2, DEED_BEGIN_BY_NAME), DEED_OK);
    assert_int_equal(scene_retract(&scene, 2), DEED_E_UNCERTAIN);
    scene_expect_uncertain(&scene);
    assert_int_equal(scene_effects(&scene), 1);
    scene_check(&scene);
    scene_end(&scene);
}

/* FR-22: one unit for all times. What is over by a day, by a second, and what ends in a second, in
 * 2038, when the seconds no longer fit into 31 bits. */
#define LAST_MS  INT64_C(2147483648000)
#define DAY_MS   INT64_C(86400000)
#define KEY_ROOM 64

static bool append_key(
    void *context, deed_rc rc, const struct deed_result *result, const struct deed_error *err)
{
    char *keys = context;
    (void)err;
    assert_int_equal(rc, DEED_OK);
    size_t bytes = strlen(keys);
    (void)snprintf(keys + bytes, KEY_ROOM - bytes, "%s,", result->key);
    return true;
}

static void expect_overdue(struct scene *scene, const char *expected)
{
    char keys[KEY_ROOM] = "";
    struct deed_list list = {.size = sizeof(list), .flags = DEED_LIST_OVERDUE};
    assert_int_equal(
        deed_ledger_list(scene->workers[1], &list, append_key, keys, &scene->err), DEED_OK);
    assert_string_equal(keys, expected);
}

static void test_field_lease_clock__overdue_is_exact_to_the_millisecond_in_2038(void **state)
{
    (void)state;
    struct scene scene;
    scene_prepare(&scene, SCENE_BLIND);
    scene_jump(&scene, LAST_MS - DAY_MS - SCENE_START_MS);
    scene_open(&scene);
    scene.not_after_ms = LAST_MS - DAY_MS;
    scene_record(&scene, "day");
    scene.not_after_ms = LAST_MS - 1000;
    scene_record(&scene, "second");
    scene.not_after_ms = LAST_MS + 1000;
    scene_record(&scene, "soon");
    expect_overdue(&scene, "");
    scene_advance(&scene, DAY_MS);
    expect_overdue(&scene, "day,second,");
    scene_advance(&scene, 1000);
    expect_overdue(&scene, "day,second,");
    scene_advance(&scene, 1);
    expect_overdue(&scene, "day,second,soon,");
    scene_check(&scene);
    scene_end(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_field_lease_clock__nobody_starts_what_is_merely_old),
        cmocka_unit_test(
            test_field_lease_clock__a_second_call_is_told_of_the_first_and_then_its_result),
        cmocka_unit_test(test_field_lease_clock__a_clock_that_differs_frees_and_hides_nothing),
        cmocka_unit_test(test_field_lease_clock__a_recovery_adopts_nothing_that_somebody_is_at),
        cmocka_unit_test(test_field_lease_clock__attempts_are_counted_across_deaths),
        cmocka_unit_test(
            test_field_lease_clock__an_executor_that_fails_after_the_effect_leaves_a_doubt),
        cmocka_unit_test(test_field_lease_clock__overdue_is_exact_to_the_millisecond_in_2038),
    };
    return cmocka_run_group_tests_name("field_lease_clock", tests, NULL, NULL);
}
