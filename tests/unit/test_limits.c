/* SPDX-License-Identifier: MIT
 *
 * Goal: what a host may pass and the store would not keep is refused by name, as an input that is
 * wrong; a constraint of the store speaks of damage, and no host can make it speak. Method: every
 * number of every public struct at, below and beyond its bounds; no call may answer
 * DEED_E_CHECK or DEED_E_STORE, and a ledger that took the value is whole.
 */
#include "support/scene.h"

#include <limits.h>
#include <stddef.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void expect_no_damage(const struct scene *scene, deed_rc rc)
{
    if (rc == DEED_E_CHECK || rc == DEED_E_STORE) {
        fail_msg("%s: %s", deed_rc_name(rc), scene->err.text);
    }
}

static const struct {
    int64_t not_after_ms;
    const char *text; /* NULL: it is kept */
} times[] = {
    {INT64_MIN, "1973 and 5138"},
    {-1, "1973 and 5138"},
    {1, "1973 and 5138"},
    {1000, "1973 and 5138"},
    {DEED_WALL_MS_MIN / 1000 - 1, "1973 and 5138"},
    {DEED_WALL_MS_MIN / 1000, "looks like seconds"},
    {1795982000, "looks like seconds"},
    {DEED_WALL_MS_MIN - 1, "looks like seconds"},
    {DEED_WALL_MS_MIN, NULL},
    {DEED_WALL_MS_MAX, NULL},
    {DEED_WALL_MS_MAX + 1, "1973 and 5138"},
    {INT64_MAX, "1973 and 5138"},
};

static bool keep_rc(
    void *context, deed_rc rc, const struct deed_result *result, const struct deed_error *err)
{
    struct scene *scene = context;
    (void)result;
    scene->err = *err;
    scene->err.rc = rc;
    return true;
}

static deed_rc record_by(struct scene *scene, int way, const struct deed_record *record)
{
    if (way == 0) {
        return deed_record(scene->workers[0], record, &scene->result, &scene->err);
    }
    if (way == 1) {
        deed_rc rc = deed_record_many(scene->workers[0], record, 1, keep_rc, scene, &scene->err);
        return rc == DEED_OK ? scene->err.rc : rc;
    }
    struct deed_plan plan = {.size = sizeof(plan)};
    struct deed_attempt attempt = {.size = sizeof(attempt)};
    scene->err.rc = deed_plan(
        scene->workers[0], record->key, record->payload, 0, &plan, &scene->result, &scene->err);
    assert_int_equal(scene->err.rc, DEED_OK);
    struct deed_binding binding = {.size = sizeof(binding),
        .executor = "bank",
        .executor_version = "1",
        .account_scope = "acct-1",
        .endpoint = "script://provider",
        .provider_key = plan.provider_key};
    struct deed_begin begin = {
        .size = sizeof(begin), .key = record->key, .record = record, .binding = &binding};
    deed_rc rc = deed_begin(scene->workers[0], &begin, &attempt, &scene->result, &scene->err);
    return rc == DEED_E_NEEDS_PERSON ? DEED_OK : rc; /* overdue; it was kept or it was not */
}

static void test_limits__a_not_after_is_a_time_in_milliseconds(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_BLIND);
    struct deed_payload payload = {{"payment", 7}, {"provider", 8}, {"amount=2", 8}};
    for (int way = 0; way < 3; way++) {
        for (size_t i = 0; i < COUNT(times); i++) {
            char key[DEED_KEY_BYTES_MAX + 1];
            (void)snprintf(key, sizeof(key), "way-%d-time-%zu", way, i);
            struct deed_record record = {.size = sizeof(record),
                .key = key,
                .payload = &payload,
                .not_after_ms = times[i].not_after_ms};
            deed_rc rc = record_by(&scene, way, &record);
            assert_int_equal(rc, times[i].text == NULL ? DEED_OK : DEED_E_INVALID);
            if (times[i].text != NULL && strstr(scene.err.text, times[i].text) == NULL) {
                fail_msg("%s", scene.err.text);
            }
            if (times[i].text != NULL) {
                assert_string_equal(scene.err.key, key);
            }
        }
    }
    scene_check(&scene);
    scene_end(&scene);
}

static const int64_t durations[] = {
    INT64_MIN, -1, 1, DEED_DURATION_MS_MAX, DEED_DURATION_MS_MAX + 1, INT64_MAX - 1, DEED_FOREVER};

static const size_t duration_members[] = {offsetof(struct deed_profile, send_ms),
    offsetof(struct deed_profile, answer_ms), offsetof(struct deed_profile, landing_ms),
    offsetof(struct deed_profile, window_ms), offsetof(struct deed_profile, lag_ms),
    offsetof(struct deed_profile, reach_ms), offsetof(struct deed_profile, second_look_ms),
    offsetof(struct deed_profile, second_look_ms) + sizeof(int64_t),
    offsetof(struct deed_profile, backoff_base_ms), offsetof(struct deed_profile, backoff_cap_ms)};

/* Through a look, an end and what is due after it; every one of these writes. */
static void live_with(struct scene *scene, deed_finding_kind finding)
{
    deed_rc rc = scene_run(scene, 0, 0);
    if (rc != DEED_OK) { /* what was registered is not refused when it is used */
        fail_msg("%s: %s", deed_rc_name(rc), scene->err.text);
    }
    scene->provider.next_finding = finding;
    for (int i = 0; i < 3; i++) {
        scene_past_visible(scene);
        expect_no_damage(scene, scene_reconcile(scene, 0));
    }
    scene_check(scene);
}

/* Two members at a time: what is derived from both (a horizon, say) is bounded too. */
static void test_limits__a_profile_is_refused_or_kept(void **state)
{
    (void)state;
    for (size_t member = 0; member < COUNT(duration_members); member++) {
        for (size_t i = 0; i < COUNT(durations); i++) {
            struct scene scene;
            scene_prepare(&scene, SCENE_KEYED_LOOKUP);
            struct deed_profile profile = scene.profile;
            profile.second_look_ms[0] = 0;
            profile.second_look_ms[1] = 0;
            profile.send_ms = DEED_DURATION_MS_MAX;
            memcpy((char *)&profile + duration_members[member], &durations[i], sizeof(int64_t));
            bool bounded = durations[i] >= 0 && durations[i] <= DEED_DURATION_MS_MAX;
            scene.profile = bounded ? profile : scene.profile;
            scene_open(&scene);
            deed_executor again = scene.executors[0];
            again.destroy = NULL;
            deed_rc rc =
                deed_ledger_register(scene.workers[0], "another", &again, &profile, &scene.err);
            assert_true(rc == DEED_E_INVALID || (rc == DEED_OK && durations[i] >= 0));
            if (bounded) {
                live_with(&scene, DEED_FOUND_ABSENT);
            }
            scene_end(&scene);
        }
    }
}

static int64_t extreme; /* of the next answer */
static int part;

static void answer_extremely(
    struct scene *scene, const struct deed_call *call, struct deed_answer *answer)
{
    (void)scene;
    (void)call;
    answer->verdict = part == 0 ? (deed_verdict)extreme : DEED_VERDICT_UNKNOWN;
    answer->retry_after_ms = part == 1 ? extreme : 0;
    answer->key_signal = part == 2 ? (deed_key_signal)extreme : DEED_KEY_SIGNAL_NONE;
    answer->excerpt_bytes = part == 3 ? (size_t)extreme : 0;
    if (part == 4) { /* no NUL anywhere */
        memset(answer->handle, 'h', sizeof(answer->handle));
        memset(answer->reference, 'r', sizeof(answer->reference));
        memset(answer->excerpt, 'e', sizeof(answer->excerpt));
    }
}

static void find_extremely(
    struct scene *scene, const struct deed_question *question, struct deed_finding *finding)
{
    (void)scene;
    (void)question;
    finding->kind = part == 0 ? (deed_finding_kind)extreme : DEED_FOUND_PRESENT;
    finding->complete = true;
    finding->marker_matches = true;
    finding->digest_matches = true;
    finding->count = part == 1 ? (uint32_t)extreme : 1;
    finding->excerpt_bytes = part == 3 ? (size_t)extreme : 0;
    (void)snprintf(finding->reference, sizeof(finding->reference), "fx-1");
    if (part == 4) {
        memset(finding->handle, 'h', sizeof(finding->handle));
        memset(finding->reference, 'r', sizeof(finding->reference));
        memset(finding->excerpt, 'e', sizeof(finding->excerpt));
    }
}

static const int64_t extremes[] = {
    INT64_MIN, -1, 4, 7, UINT32_MAX, DEED_DURATION_MS_MAX + 1, INT64_MAX};

static void test_limits__what_a_provider_says_is_taken_or_left(void **state)
{
    (void)state;
    for (part = 0; part < 5; part++) {
        for (size_t i = 0; i < COUNT(extremes); i++) {
            struct scene scene;
            scene_new(&scene, SCENE_KEYED_LOOKUP);
            extreme = extremes[i];
            scene.provider.attempt = answer_extremely;
            scene.provider.lookup = find_extremely;
            live_with(&scene, DEED_FOUND_PRESENT);
            scene_end(&scene);
        }
    }
}

static void test_limits__a_decision_is_taken_or_refused(void **state)
{
    typedef deed_rc (*decide)(deed_ledger * ledger, const struct deed_decision *decision,
        struct deed_result *result, struct deed_error *err);
    static const decide calls[] = {deed_resolve, deed_retract, deed_hold, deed_release};
    (void)state;
    for (size_t call = 0; call < COUNT(calls); call++) {
        for (int outcome = -1; outcome < 7; outcome++) {
            struct scene scene;
            scene_new(&scene, SCENE_BLIND);
            assert_int_equal(scene_run(&scene, 0, 0), DEED_OK);
            scene_past_visible(&scene);
            struct deed_decision decision = {.size = sizeof(decision),
                .key = SCENE_KEY,
                .by = "ann",
                .reason = "seen",
                .outcome = (deed_outcome)outcome};
            expect_no_damage(
                &scene, calls[call](scene.workers[0], &decision, &scene.result, &scene.err));
            scene_check(&scene);
            scene_end(&scene);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_limits__a_not_after_is_a_time_in_milliseconds),
        cmocka_unit_test(test_limits__a_profile_is_refused_or_kept),
        cmocka_unit_test(test_limits__what_a_provider_says_is_taken_or_left),
        cmocka_unit_test(test_limits__a_decision_is_taken_or_refused),
    };
    return cmocka_run_group_tests_name("limits", tests, NULL, NULL);
}
