/* SPDX-License-Identifier: MIT
 *
 * Reports from the field (tests/field-reports.md): answers and look-ups that come too early, too
 * late, out of order, or are misread; and what is kept of them.
 */
#include "support/scene.h"

#include <deed/evidence.h>

/* FR-88: accepted at 0 s, done at 20 s. Looks at 6 s and 15 s see nothing and settle nothing. */
static void test_field_evidence__a_look_before_the_effect_can_be_seen_settles_nothing(void **state)
{
    static const struct {
        const char *options;
        int64_t lag_ms;
        int64_t looks_s[3];
    } cases[] = {
        {"{\"class\": \"lookup\", \"script\": {\"do\": \"late\", \"land\": {\"after_ms\": "
         "20000}}}",
            1000, {6, 15, 25}},
        /* the index of the search is a minute behind */
        {"{\"class\": \"lookup\", \"lookup\": {\"lag_ms\": 60000}, \"script\": {\"do\": \"late\", "
         "\"land\": {\"after_ms\": 20000}}}",
            60000, {6, 79, 80}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct scene scene;
        int64_t now_s = 0;
        scene_prepare(&scene, SCENE_LOOKUP);
        scene.profile.landing_ms = 20000;
        scene.profile.lag_ms = cases[i].lag_ms;
        scene_in_world(&scene, cases[i].options);
        scene_open(&scene);
        assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
        for (int look = 0; look < 3; look++) {
            scene_advance(&scene, (cases[i].looks_s[look] - now_s) * 1000);
            now_s = cases[i].looks_s[look];
            assert_int_equal(scene_reconcile(&scene, 2), DEED_OK);
            if (look < 2) {
                scene_expect_uncertain(&scene);
                assert_int_equal(scene_events(&scene, DEED_EVENT_LOOK), look + 1);
                assert_int_equal(scene_resolve(&scene, 2, DEED_NOT_APPLIED), DEED_E_NOT_YET);
            }
        }
        scene_expect(&scene, DEED_RECONCILED, DEED_APPLIED);
        assert_int_equal(scene.result.grade, DEED_GRADE_PROVIDER_PRESENT);
        assert_int_equal(scene_effects(&scene), 1);
        scene_check(&scene);
        scene_end(&scene);
    }
}

struct kept {
    unsigned count;
    uint32_t last_attempt;
    deed_outcome last_outcome;
    char last_source[32];
    int64_t last_ms;
    char excerpt[DEED_EXCERPT_BYTES_MAX];
    size_t excerpt_bytes;
};

static deed_rc keep(void *context, const struct deed_evidence_row *row)
{
    struct kept *kept = context;
    kept->count++;
    kept->last_attempt = row->attempt;
    kept->last_outcome = row->outcome;
    kept->last_ms = row->at_ms;
    kept->excerpt_bytes = row->excerpt.bytes;
    if (row->excerpt.bytes > 0) {
        memcpy(kept->excerpt, row->excerpt.data, row->excerpt.bytes);
    }
    (void)snprintf(kept->last_source, sizeof(kept->last_source), "%s", row->source);
    return DEED_OK;
}

static struct kept evidence_of(struct scene *scene)
{
    struct kept kept = {0};
    assert_int_equal(
        deed_intent_evidence(scene->workers[0], SCENE_KEY, keep, &kept, &scene->err), DEED_OK);
    return kept;
}

/* FR-89: the first card was declined, the second paid; then the notice of the first failure comes
 * late, comes again, and the good news twice. */
static void test_field_evidence__a_late_failure_is_kept_and_undoes_nothing(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_BLIND);
    struct deed_attempt declined = {.size = sizeof(declined)};
    struct deed_attempt paid = {.size = sizeof(paid)};
    assert_int_equal(scene_begin(&scene, 1, 0, &declined), DEED_OK);
    assert_int_equal(scene_finish(&scene, 1, &declined, DEED_VERDICT_NOT_APPLIED), DEED_OK);
    scene_advance(&scene, 1000);
    assert_int_equal(scene_begin(&scene, 1, 0, &paid), DEED_OK);
    assert_int_equal(scene_finish(&scene, 1, &paid, DEED_VERDICT_APPLIED), DEED_OK);
    scene_expect(&scene, DEED_CONFIRMED, DEED_APPLIED);
    const unsigned before = evidence_of(&scene).count;

    scene_advance(&scene, 5000);
    assert_int_equal(scene_finish(&scene, 2, &declined, DEED_VERDICT_REJECTED), DEED_OK);
    struct kept kept = evidence_of(&scene);
    assert_int_equal(kept.count, before + 1);
    assert_int_equal(kept.last_attempt, 1);
    assert_int_equal(kept.last_outcome, DEED_REJECTED);
    assert_int_equal(kept.last_ms, SCENE_START_MS + 6000);
    assert_string_not_equal(kept.last_source, "");

    const unsigned chain = scene_chain(&scene);
    for (int i = 0; i < 2; i++) { /* the same good news twice changes nothing */
        assert_int_equal(scene_finish(&scene, 2, &paid, DEED_VERDICT_APPLIED), DEED_OK);
        assert_int_equal(scene_chain(&scene), chain);
    }
    assert_int_equal(scene_finish(&scene, 2, &declined, DEED_VERDICT_REJECTED), DEED_OK);
    scene_expect(&scene, DEED_CONFIRMED, DEED_APPLIED);
    scene_expect_disputed(&scene, false);
    scene_check(&scene);
    scene_end(&scene);
}

/* FR-89, the variant: the notice is here before our own answer is stored. */
static uint8_t token_of_call[DEED_TOKEN_BYTES];

static void applied_and_noted(
    struct scene *scene, const struct deed_call *call, struct deed_answer *answer)
{
    (void)scene;
    memcpy(token_of_call, call->token, sizeof(token_of_call));
    answer->verdict = DEED_VERDICT_APPLIED;
}

static void notice_comes_first(struct scene *scene)
{
    assert_int_equal(scene_finish_token(scene, 2, token_of_call, DEED_VERDICT_APPLIED), DEED_OK);
}

static void test_field_evidence__a_notice_before_our_own_answer_is_one_settlement(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_KEYED);
    scene.provider.attempt = applied_and_noted;
    scene_at(&scene, DEED_SEAM_REPLY_READ, notice_comes_first);
    assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
    assert_null(scene.at_seam);
    scene_expect(&scene, DEED_CONFIRMED, DEED_APPLIED);
    assert_int_equal(scene_events(&scene, DEED_EVENT_CONFIRM), 1);
    assert_int_equal(scene_chain(&scene), 3);
    scene_expect_disputed(&scene, false);
    scene_check(&scene);
    scene_end(&scene);
}

/* FR-91: three answers with one status. "Already done" is evidence, "in progress" is nothing yet, and
 * "other parameters" is an alarm. */
static void test_field_evidence__already_done_is_reconciled_and_not_a_failure(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_KEYED);
    assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
    scene_past_lease(&scene);
    scene.provider.next_verdict = DEED_VERDICT_APPLIED;
    scene.provider.reference = "17";
    assert_int_equal(scene_reconcile(&scene, 1), DEED_OK);
    scene_expect(&scene, DEED_RECONCILED, DEED_APPLIED);
    assert_string_equal(scene.result.reference, "17");
    assert_int_equal(scene.result.grade, DEED_GRADE_REPLAY);
    scene_check(&scene);
    scene_end(&scene);
}

static void test_field_evidence__in_progress_is_looked_at_again(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_KEYED);
    assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
    scene_past_lease(&scene);
    scene.provider.key_signal = DEED_KEY_SIGNAL_IN_PROGRESS;
    assert_int_equal(scene_reconcile(&scene, 1), DEED_OK);
    scene_expect_uncertain(&scene);
    assert_false(scene.result.held);
    assert_true(scene.result.due_ms > SCENE_START_MS);
    scene.provider.key_signal = DEED_KEY_SIGNAL_NONE;
    scene.provider.next_verdict = DEED_VERDICT_APPLIED;
    scene_past_lease(&scene);
    struct deed_pass pass = {.size = sizeof(pass)};
    assert_int_equal(scene_pass(&scene, 1, &pass), DEED_OK);
    assert_int_equal(pass.settled, 1);
    scene_expect(&scene, DEED_RECONCILED, DEED_APPLIED);
    scene_check(&scene);
    scene_end(&scene);
}

/* Whatever an eager executor makes of it, and whether it is the first request or a resend. */
static void test_field_evidence__other_parameters_close_nothing_and_call_a_person(void **state)
{
    static const deed_verdict words[] = {
        DEED_VERDICT_UNKNOWN, DEED_VERDICT_REJECTED, DEED_VERDICT_NOT_APPLIED};
    (void)state;
    for (size_t i = 0; i < 2 * sizeof(words) / sizeof(words[0]); i++) {
        struct scene scene;
        scene_new(&scene, SCENE_KEYED);
        if (i % 2 != 0) {
            assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
            scene_past_lease(&scene);
        }
        scene.provider.key_signal = DEED_KEY_SIGNAL_MISMATCH;
        scene.provider.next_verdict = words[i / 2];
        assert_int_equal(
            i % 2 == 0 ? scene_run(&scene, 1, 0) : scene_reconcile(&scene, 1), DEED_OK);
        scene_expect_uncertain(&scene);
        assert_true(scene.result.held);
        assert_true(scene.result.needs_person);
        const unsigned sends = scene.provider.sends;
        scene_past_lease(&scene);
        assert_int_equal(scene_reconcile(&scene, 1), DEED_OK);
        assert_int_equal(scene.provider.sends, sends);
        scene_check(&scene);
        scene_end(&scene);
    }
}

/* FR-92: each answer belongs to one class, and whatever is not listed is "not known". The mock stands
 * for an adapter here; each real one has a table of its own. */
static void test_field_evidence__every_answer_has_one_class_and_the_default_is_not_known(
    void **state)
{
    static const struct {
        const char *step;
        int status;
        uint64_t effects;
    } table[] = {
        {"{\"do\": \"answer\"}", 0, 1},
        {"{\"do\": \"unreachable\"}", 8, 0},
        {"{\"do\": \"refuse\"}", 8, 0},
        {"{\"do\": \"reject\"}", 6, 0},
        {"{\"do\": \"lose\"}", 3, 1},
        {"{\"do\": \"late\"}", 3, 0},
        {"{\"do\": \"hang\"}", 3, 1},
        {"{\"do\": \"hang\", \"effect\": false}", 3, 0},
        {"{\"do\": \"error\"}", 3, 0},
        {"{\"do\": \"error\", \"effect\": true}", 3, 1},
        {"{\"do\": \"pending\"}", 3, 0},
        {"{\"do\": \"garbage\"}", 3, 1},
        {"{\"do\": \"garbage\", \"verdict\": 99}", 3, 1},
        {"{\"do\": \"answer\", \"lost\": true}", 3, 1},
        {"{\"do\": \"reject\", \"lost\": true}", 3, 0},
        {"{\"do\": \"refuse\", \"lost\": true}", 3, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        struct scene scene;
        char options[256];
        (void)snprintf(options, sizeof(options),
            "{\"class\": \"closable\", \"lookup\": {}, \"script\": %s}", table[i].step);
        scene_prepare(&scene, SCENE_CLOSABLE);
        scene_in_world(&scene, options);
        scene_open(&scene);
        assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
        scene_get(&scene);
        const int status = deed_exit_status(DEED_OK, DEED_EXIT_ACTING, &scene.result);
        if (status != table[i].status || scene_effects(&scene) != table[i].effects) {
            fail_msg("%s: status %d, %u effects", table[i].step, status,
                (unsigned)scene_effects(&scene));
        }
        assert_int_equal(scene.result.state, status == 3 ? DEED_ATTEMPTED : DEED_CONFIRMED);
        scene_check(&scene);
        scene_end(&scene);
    }
}

/* FR-94: a search that was right within a minute and is now stale for a day. What nobody promised is
 * not built upon: it may say that something happened, and never that it did not. */
static void test_field_evidence__a_search_nobody_vouches_for_proves_no_absence(void **state)
{
    (void)state;
    struct scene scene;
    scene_prepare(&scene, SCENE_LOOKUP);
    scene.profile.consistency = DEED_CONSISTENCY_UNKNOWN;
    scene.profile.reach_ms = DEED_FOREVER;
    scene_open(&scene);
    assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
    scene.provider.next_finding = DEED_FOUND_ABSENT;
    for (int hour = 0; hour < 25; hour++) {
        scene_advance(&scene, 3600000);
        assert_int_equal(scene_reconcile(&scene, 2), DEED_OK);
        scene_expect_uncertain(&scene);
    }
    scene.provider.next_finding = DEED_FOUND_PRESENT;
    scene.provider.reference = "fx-1";
    assert_int_equal(scene_reconcile(&scene, 2), DEED_OK);
    scene_expect(&scene, DEED_RECONCILED, DEED_APPLIED);
    assert_string_equal(evidence_of(&scene).last_source, "lookup");
    assert_int_equal(scene.provider.sends, 1);
    scene_check(&scene);
    scene_end(&scene);
}

/* FR-58: no body, an empty one, text, bytes, what is no UTF-8: all of it is an answer, and kept. */
static void test_field_evidence__whatever_the_answer_holds_it_is_stored(void **state)
{
    static const struct {
        const char *bytes;
        size_t count;
    } answers[] = {
        {"", 0}, {"<html>ok</html>", 15}, {"\0\x01\x02\0", 4}, {"\xFF\xFE\x80", 3},
        {"caf\xC3", 4}, /* cut inside a character */
    };
    (void)state;
    for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
        struct scene scene;
        scene_new(&scene, SCENE_BLIND);
        struct deed_attempt attempt = {.size = sizeof(attempt)};
        struct deed_answer answer = {.size = sizeof(answer), .verdict = DEED_VERDICT_APPLIED};
        assert_int_equal(scene_begin(&scene, 1, 0, &attempt), DEED_OK);
        memcpy(answer.excerpt, answers[i].bytes, answers[i].count);
        answer.excerpt_bytes = answers[i].count;
        assert_int_equal(scene_answer(&scene, 1, attempt.token, &answer), DEED_OK);
        scene_expect(&scene, DEED_CONFIRMED, DEED_APPLIED);
        const struct kept kept = evidence_of(&scene);
        assert_int_equal(kept.count, 1);
        assert_int_equal(kept.excerpt_bytes, answers[i].count);
        assert_memory_equal(kept.excerpt, answers[i].bytes, answers[i].count);
        scene_check(&scene);
        scene_end(&scene);
    }
}

/* FR-56: our balance is empty, and everything is refused before it is accepted. That is no verdict
 * about the twenty actions: when it is filled, they are made. */
static void count_outcomes(struct scene *scene, uint64_t not_applied, uint64_t applied)
{
    struct deed_status status = {.size = sizeof(status)};
    assert_int_equal(deed_ledger_status(scene->workers[0], &status, &scene->err), DEED_OK);
    assert_int_equal(status.counts[DEED_CONFIRMED][DEED_NOT_APPLIED], not_applied);
    assert_int_equal(status.counts[DEED_CONFIRMED][DEED_APPLIED], applied);
    assert_int_equal(status.counts[DEED_CONFIRMED][DEED_REJECTED], 0);
}

static void test_field_evidence__a_refusal_that_concerns_us_is_no_verdict_about_the_action(
    void **state)
{
    (void)state;
    struct scene scene;
    scene_prepare(&scene, SCENE_BLIND);
    scene_in_world(
        &scene, "{\"class\": \"blind\", \"script\": [{\"do\": \"refuse\"}, {\"do\": \"answer\"}]}");
    scene_open(&scene);
    for (int i = 1; i < 20; i++) {
        char key[16];
        (void)snprintf(key, sizeof(key), "call-%d", i);
        scene_record(&scene, key);
    }
    assert_int_equal(deed_run_due(scene.workers[1], NULL, NULL, &scene.err), DEED_OK);
    count_outcomes(&scene, 20, 0);
    scene_advance(&scene, 3600000);
    assert_int_equal(deed_run_due(scene.workers[1], NULL, NULL, &scene.err), DEED_OK);
    count_outcomes(&scene, 0, 20);
    assert_int_equal(deed_world_effects(scene.world, NULL), 20);
    scene_check(&scene);
    scene_end(&scene);
}

/* FR-89 by the door for notices: a late "failed" has no way in, "succeeded" twice is one word, and a
 * contradiction is a mark for a person. */
static void test_field_evidence__notices_reopen_nothing_and_come_twice(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_BLIND);
    struct deed_attempt declined = {.size = sizeof(declined)};
    struct deed_attempt paid = {.size = sizeof(paid)};
    assert_int_equal(scene_begin(&scene, 1, 0, &declined), DEED_OK);
    assert_int_equal(scene_finish(&scene, 1, &declined, DEED_VERDICT_NOT_APPLIED), DEED_OK);
    scene_advance(&scene, 1000);
    assert_int_equal(scene_begin(&scene, 1, 0, &paid), DEED_OK);
    assert_int_equal(scene_finish(&scene, 1, &paid, DEED_VERDICT_APPLIED), DEED_OK);
    struct deed_evidence notice = {.size = sizeof(notice),
        .key = SCENE_KEY,
        .source = "notices",
        .event_id = "evt-1",
        .outcome = DEED_REJECTED,
        .message = {"failed", 6},
        .by = "hook"};
    unsigned chain = scene_chain(&scene);
    assert_int_equal(
        deed_evidence_add(scene.workers[1], &notice, &scene.result, &scene.err), DEED_E_INVALID);
    assert_int_equal(scene_chain(&scene), chain);
    notice.outcome = DEED_APPLIED;
    for (int twice = 0; twice < 2; twice++) {
        notice.message = (struct deed_text){"succeeded", 9};
        notice.token = paid.token;
        assert_int_equal(
            deed_evidence_add(scene.workers[1], &notice, &scene.result, &scene.err), DEED_OK);
        assert_int_equal(scene.result.replayed, twice == 1);
        assert_int_equal(scene_chain(&scene), chain + 1);
    }
    struct kept kept = evidence_of(&scene);
    assert_string_equal(kept.last_source, "notices");
    assert_int_equal(kept.last_attempt, 2);
    scene_expect(&scene, DEED_CONFIRMED, DEED_APPLIED);
    scene_expect_disputed(&scene, false);
    notice.event_id = "evt-2"; /* the card that was declined has paid too? */
    notice.token = declined.token;
    assert_int_equal(
        deed_evidence_add(scene.workers[1], &notice, &scene.result, &scene.err), DEED_OK);
    scene_expect(&scene, DEED_CONFIRMED, DEED_APPLIED);
    scene_expect_disputed(&scene, true);
    scene_check(&scene);
    scene_end(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_field_evidence__a_look_before_the_effect_can_be_seen_settles_nothing),
        cmocka_unit_test(test_field_evidence__notices_reopen_nothing_and_come_twice),
        cmocka_unit_test(test_field_evidence__a_late_failure_is_kept_and_undoes_nothing),
        cmocka_unit_test(test_field_evidence__a_notice_before_our_own_answer_is_one_settlement),
        cmocka_unit_test(test_field_evidence__already_done_is_reconciled_and_not_a_failure),
        cmocka_unit_test(test_field_evidence__in_progress_is_looked_at_again),
        cmocka_unit_test(test_field_evidence__other_parameters_close_nothing_and_call_a_person),
        cmocka_unit_test(
            test_field_evidence__every_answer_has_one_class_and_the_default_is_not_known),
        cmocka_unit_test(test_field_evidence__a_search_nobody_vouches_for_proves_no_absence),
        cmocka_unit_test(test_field_evidence__whatever_the_answer_holds_it_is_stored),
        cmocka_unit_test(
            test_field_evidence__a_refusal_that_concerns_us_is_no_verdict_about_the_action),
    };
    return cmocka_run_group_tests_name("field_evidence", tests, NULL, NULL);
}
