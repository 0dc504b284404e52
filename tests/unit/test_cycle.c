/* SPDX-License-Identifier: MIT
 *
 * The plain life of one action, at each class of provider: what a host sees when nothing, or just
 * one thing, goes wrong.
 */
#include "support/scene.h"

static void test_cycle__applied_answer_is_confirmed(void **state)
{
    (void)state;
    for (int class = 0; class < SCENE_CLASSES; class ++) {
        struct scene scene;
        scene_new(&scene, (enum scene_class) class);
        scene.provider.next_verdict = DEED_VERDICT_APPLIED;
        assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
        scene_expect(&scene, DEED_CONFIRMED, DEED_APPLIED);
        assert_int_equal(scene.provider.sends, 1);
        /* A repeat is answered from the ledger. */
        assert_int_equal(scene_run(&scene, 2, DEED_BEGIN_BY_NAME), DEED_OK);
        assert_true(scene.result.replayed);
        assert_int_equal(scene.provider.sends, 1);
        assert_int_equal(deed_exit_status(DEED_OK, DEED_EXIT_ACTING, &scene.result), 0);
        scene_check(&scene);
        scene_end(&scene);
    }
}

static void test_cycle__rejected_answer_is_final(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_KEYED);
    scene.provider.next_verdict = DEED_VERDICT_REJECTED;
    assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
    scene_expect(&scene, DEED_CONFIRMED, DEED_REJECTED);
    memset(&scene.err, 0, sizeof(scene.err));
    assert_int_equal(scene_run(&scene, 1, DEED_BEGIN_BY_NAME), DEED_OK);
    assert_string_equal(scene.err.text, ""); /* an answer is no failure */
    assert_int_equal(scene.provider.sends, 1);
    assert_int_equal(deed_exit_status(DEED_OK, DEED_EXIT_ACTING, &scene.result), 6);
    scene_check(&scene);
    scene_end(&scene);
}

static void test_cycle__not_applied_is_retried_after_a_pause(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_KEYED);
    scene.provider.next_verdict = DEED_VERDICT_NOT_APPLIED;
    assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
    scene_expect(&scene, DEED_CONFIRMED, DEED_NOT_APPLIED);
    assert_int_equal(scene.result.reason, DEED_REASON_RETRY_LATER);
    assert_int_equal(scene_run(&scene, 1, 0), DEED_E_NOT_YET);
    scene_advance(&scene, 1000);
    scene.provider.next_verdict = DEED_VERDICT_APPLIED;
    assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
    scene_expect(&scene, DEED_CONFIRMED, DEED_APPLIED);
    assert_int_equal(scene.result.attempt, 2);
    scene_check(&scene);
    scene_end(&scene);
}

static void test_cycle__lost_answer_stays_uncertain_and_is_never_resent_by_run(void **state)
{
    (void)state;
    for (int class = 0; class < SCENE_CLASSES; class ++) {
        struct scene scene;
        scene_new(&scene, (enum scene_class) class);
        assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
        scene_expect_uncertain(&scene);
        assert_int_equal(scene.result.reason, DEED_REASON_ANSWER_UNKNOWN);
        for (int i = 0; i < 3; i++) {
            assert_int_equal(scene_run(&scene, 2, DEED_BEGIN_BY_NAME), DEED_OK);
            scene_advance(&scene, 86400000);
        }
        assert_int_equal(scene.provider.sends, 1);
        assert_int_equal(deed_exit_status(DEED_OK, DEED_EXIT_ACTING, &scene.result), 3);
        scene_check(&scene);
        scene_end(&scene);
    }
}

static void test_cycle__blind_doubt_waits_for_a_person(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_BLIND);
    assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
    scene_past_visible(&scene);
    struct deed_pass pass = {.size = sizeof(pass)};
    assert_int_equal(scene_pass(&scene, 1, &pass), DEED_OK);
    assert_int_equal(pass.person, 1);
    scene_expect_uncertain(&scene);
    assert_true(scene.result.needs_person);
    assert_int_equal(scene_resolve(&scene, 1, DEED_APPLIED), DEED_OK);
    scene_expect(&scene, DEED_RECONCILED, DEED_APPLIED);
    assert_int_equal(scene.result.grade, DEED_GRADE_OPERATOR);
    scene_check(&scene);
    scene_end(&scene);
}

static void test_cycle__keyed_doubt_is_replayed_under_the_same_key(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_KEYED);
    assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
    char first_key[DEED_PROVIDER_KEY_BYTES];
    memcpy(first_key, scene.provider.last_provider_key, sizeof(first_key));
    scene.provider.next_verdict = DEED_VERDICT_APPLIED;
    scene_past_lease(&scene);
    assert_int_equal(scene_reconcile(&scene, 2), DEED_OK);
    scene_expect(&scene, DEED_RECONCILED, DEED_APPLIED);
    assert_int_equal(scene.provider.sends, 2);
    assert_string_equal(first_key, scene.provider.last_provider_key);
    scene_check(&scene);
    scene_end(&scene);
}

static void test_cycle__lookup_present_settles_at_once(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_LOOKUP);
    assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
    scene.provider.next_finding = DEED_FOUND_PRESENT;
    scene.provider.reference = "fx-1";
    assert_int_equal(scene_reconcile(&scene, 2), DEED_OK);
    scene_expect(&scene, DEED_RECONCILED, DEED_APPLIED);
    assert_string_equal(scene.result.reference, "fx-1");
    assert_int_equal(scene.result.grade, DEED_GRADE_PROVIDER_PRESENT);
    scene_check(&scene);
    scene_end(&scene);
}

static void test_cycle__final_absence_allows_a_retry(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_LOOKUP);
    assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
    scene.provider.next_finding = DEED_FOUND_ABSENT;
    assert_int_equal(scene_reconcile(&scene, 2), DEED_OK);
    scene_expect_uncertain(&scene);
    scene_past_visible(&scene);
    assert_int_equal(scene_reconcile(&scene, 2), DEED_OK);
    scene_expect(&scene, DEED_RECONCILED, DEED_NOT_APPLIED);
    scene_advance(&scene, 1000);
    scene.provider.next_verdict = DEED_VERDICT_APPLIED;
    assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
    scene_expect(&scene, DEED_CONFIRMED, DEED_APPLIED);
    assert_int_equal(scene.provider.sends, 2);
    scene_check(&scene);
    scene_end(&scene);
}

static void test_cycle__closing_settles_before_the_horizon(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_CLOSABLE);
    assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
    scene.provider.next_finding = DEED_FOUND_CLOSED;
    assert_int_equal(scene_reconcile(&scene, 2), DEED_OK);
    scene_expect(&scene, DEED_RECONCILED, DEED_NOT_APPLIED);
    assert_int_equal(scene.result.grade, DEED_GRADE_PROVIDER_CLOSED);
    scene_check(&scene);
    scene_end(&scene);
}

static void test_cycle__a_flag_nobody_knows_is_refused(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_KEYED);
    struct deed_begin begin = {.size = sizeof(begin), .key = SCENE_KEY, .flags = 0x100U};
    struct deed_attempt attempt = {.size = sizeof(attempt)};
    assert_int_equal(
        deed_begin(scene.workers[0], &begin, &attempt, NULL, &scene.err), DEED_E_MISUSE);
    scene_expect(&scene, DEED_RECORDED, DEED_OUTCOME_NONE);
    scene_end(&scene);
}

static void test_cycle__record_and_begin_in_one_commit_leaves_two_events(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_KEYED);
    struct deed_payload payload = {{"payment", 7}, {"provider", 8}, {"amount=2", 8}};
    struct deed_plan plan = {.size = sizeof(plan)};
    assert_int_equal(
        deed_plan(scene.workers[0], "pay-2", &payload, 0, &plan, NULL, &scene.err), DEED_OK);
    struct deed_record record = {.size = sizeof(record), .key = "pay-2", .payload = &payload};
    struct deed_binding binding = {
        .size = sizeof(binding),
        .executor = "host",
        .executor_version = "1",
        .account_scope = "a",
        .endpoint = "e",
        .provider_key = plan.provider_key,
        .bytes = (const uint8_t *)"x",
        .bytes_count = 1,
        .profile = &scene.profile,
    };
    struct deed_begin begin = {
        .size = sizeof(begin), .key = "pay-2", .record = &record, .binding = &binding};
    struct deed_attempt attempt = {.size = sizeof(attempt)};
    struct deed_result result = {.size = sizeof(result)};
    assert_int_equal(deed_begin(scene.workers[0], &begin, &attempt, &result, &scene.err), DEED_OK);
    assert_true(result.created);
    assert_true(result.in_flight);
    assert_int_equal(deed_may_send(scene.workers[0], attempt.token, &scene.err), DEED_OK);
    struct deed_answer answer = {.size = sizeof(answer), .verdict = DEED_VERDICT_APPLIED};
    assert_int_equal(
        deed_finish(scene.workers[0], "pay-2", attempt.token, &answer, &result, &scene.err),
        DEED_OK);
    assert_int_equal(result.state, DEED_CONFIRMED);
    scene_check(&scene);
    scene_end(&scene);
}

/* What is refused leaves nothing, and its answer says so. */
static void expect_begun_nothing(
    struct scene *scene, const struct deed_record *record, const char *provider_key, deed_rc wanted)
{
    struct deed_binding binding = {.size = sizeof(binding),
        .executor = "host",
        .executor_version = "1",
        .account_scope = "a",
        .endpoint = "e",
        .provider_key = provider_key,
        .profile = &scene->profile};
    struct deed_begin begin = {
        .size = sizeof(begin), .key = record->key, .record = record, .binding = &binding};
    struct deed_attempt attempt = {.size = sizeof(attempt)};
    struct deed_result result = {.size = sizeof(result)};
    assert_int_equal(deed_begin(scene->workers[0], &begin, &attempt, &result, &scene->err), wanted);
    assert_false(result.created);
    assert_int_equal(result.state, DEED_STATE_NONE);
    assert_string_equal(result.key, "");
    assert_int_equal(
        deed_get(scene->workers[1], record->key, &result, &scene->err), DEED_E_NOT_FOUND);
}

static void test_cycle__a_begin_that_is_refused_has_recorded_nothing(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_KEYED);
    struct deed_payload payload = {{"payment", 7}, {"provider", 8}, {"amount=2", 8}};
    struct deed_plan plan = {.size = sizeof(plan)};
    assert_int_equal(
        deed_plan(scene.workers[0], "pay-2", &payload, 0, &plan, NULL, &scene.err), DEED_OK);
    const struct deed_record plain = {.size = sizeof(plain), .key = "pay-2", .payload = &payload};
    expect_begun_nothing(&scene, &plain, "another key", DEED_E_MISUSE);
    struct deed_record held = plain;
    held.hold_reason = "to be looked at first";
    expect_begun_nothing(&scene, &held, plan.provider_key, DEED_E_NEEDS_PERSON);
    struct deed_record overdue = plain;
    overdue.not_after_ms = 100000000000;
    expect_begun_nothing(&scene, &overdue, plan.provider_key, DEED_E_NEEDS_PERSON);
    scene_check(&scene);
    scene_end(&scene);
}

static void find_a_strangers(
    struct scene *scene, const struct deed_question *question, struct deed_finding *finding)
{
    (void)scene;
    (void)question;
    finding->kind = DEED_FOUND_PRESENT;
    finding->complete = true;
}

/* A second look on what was given up, answered with somebody else's effect: noted, and nothing is
 * held, since nothing will be sent. */
static void test_cycle__nothing_holds_what_has_ended(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_LOOKUP);
    assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
    scene.provider.next_finding = DEED_FOUND_ABSENT;
    scene_past_visible(&scene);
    assert_int_equal(scene_reconcile(&scene, 2), DEED_OK);
    scene_expect(&scene, DEED_RECONCILED, DEED_NOT_APPLIED);
    assert_int_equal(scene_retract(&scene, 1), DEED_OK);
    scene.provider.lookup = find_a_strangers;
    scene_advance(&scene, SCENE_HORIZON_MS);
    assert_int_equal(scene_reconcile(&scene, 2), DEED_OK);
    scene_expect(&scene, DEED_RECONCILED, DEED_RETRACTED);
    assert_int_equal(scene_events(&scene, DEED_EVENT_NOTE), 1);
    assert_false(scene.result.held);
    scene_check(&scene);
    scene_end(&scene);
}

/* No clock can tell when a request without a declared end has landed: a person who says it never
 * will must say how that is known. */
static void test_cycle__without_a_horizon_a_negative_word_needs_evidence(void **state)
{
    (void)state;
    struct scene scene;
    scene_prepare(&scene, SCENE_BLIND);
    scene.profile.landing_ms = DEED_FOREVER;
    scene_open(&scene);
    assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
    scene_advance(&scene, 86400000);
    assert_int_equal(scene_resolve(&scene, 1, DEED_NOT_APPLIED), DEED_E_INVALID);
    scene_expect_uncertain(&scene);
    struct deed_decision decision = {.size = sizeof(decision),
        .key = SCENE_KEY,
        .by = "ada",
        .reason = "the provider closed the batch",
        .outcome = DEED_NOT_APPLIED,
        .evidence = "ticket 17: rejected by their gateway"};
    assert_int_equal(deed_resolve(scene.workers[1], &decision, &scene.result, &scene.err), DEED_OK);
    scene_expect(&scene, DEED_RECONCILED, DEED_NOT_APPLIED);
    scene_check(&scene);
    scene_end(&scene);
}

static void refuse_to_connect(void *self, const struct deed_call *call, struct deed_answer *answer)
{
    (void)self;
    (void)call;
    answer->verdict = DEED_VERDICT_NOT_APPLIED; /* never came to ask may_send */
}

/* The key is a fence. An executor that could not even connect has told the provider nothing, so
 * nothing is stored under the key, and the retry keeps it. */
static void test_cycle__what_was_never_sent_keeps_its_key(void **state)
{
    (void)state;
    struct scene scene;
    scene_prepare(&scene, SCENE_KEYED);
    scene.profile.stored_errors = true;
    void (*const as_it_was)(void *, const struct deed_call *, struct deed_answer *) =
        scene.executors[1].attempt;
    scene_open(&scene);
    scene.executors[1].attempt = refuse_to_connect;
    assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
    scene_expect(&scene, DEED_CONFIRMED, DEED_NOT_APPLIED);
    scene.executors[1].attempt = as_it_was;
    struct deed_plan plan = {.size = sizeof(plan)};
    scene_advance(&scene, 1000);
    assert_int_equal(
        deed_plan(scene.workers[1], SCENE_KEY, NULL, 0, &plan, NULL, &scene.err), DEED_OK);
    assert_int_equal(plan.generation, 0);
    scene_end(&scene);
}

static void the_reach_ends(struct scene *scene)
{
    scene_advance(scene, SCENE_REACH_MS);
}

/* The process is halted between its clock and its question: the provider forgets meanwhile, and its
 * truthful "absent" would be taken for final, although the effect is there. */
static void test_cycle__an_answer_that_comes_after_the_reach_proves_nothing(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_LOOKUP);
    assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
    scene_past_visible(&scene);
    scene.provider.next_finding = DEED_FOUND_ABSENT;
    scene_at(&scene, DEED_SEAM_PASS_BEFORE_LOOK, the_reach_ends);
    assert_int_equal(scene_reconcile(&scene, 2), DEED_OK);
    scene_expect_uncertain(&scene);
    assert_true(scene.result.needs_person);
    scene_check(&scene);
    scene_end(&scene);
}

/* A retry keeps the provider key, and a look-up answers for the key: that the first attempt was
 * refused says nothing about the second, which may still land. */
static void test_cycle__a_refusal_under_a_kept_key_may_be_an_older_attempts(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_LOOKUP);
    assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
    scene_past_visible(&scene);
    assert_int_equal(scene_resolve(&scene, 2, DEED_NOT_APPLIED), DEED_OK);
    assert_int_equal(scene_run(&scene, 1, DEED_BEGIN_BY_NAME), DEED_OK);
    assert_int_equal(scene.result.attempt, 2);
    scene.provider.next_finding = DEED_FOUND_REJECTED;
    assert_int_equal(scene_reconcile(&scene, 2), DEED_OK);
    scene_expect_uncertain(&scene);
    scene_past_visible(&scene);
    assert_int_equal(scene_reconcile(&scene, 2), DEED_OK); /* now nothing can land any more */
    scene_expect(&scene, DEED_RECONCILED, DEED_REJECTED);
    scene_check(&scene);
    scene_end(&scene);
}

/* Accepted, and never heard of again: once the provider has had all the time it declares, somebody
 * is asked to look. */
static void test_cycle__pending_past_the_horizon_waits_for_a_person(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_LOOKUP);
    scene.provider.pending = true;
    assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
    scene.provider.next_finding = DEED_FOUND_PENDING;
    assert_int_equal(scene_reconcile(&scene, 2), DEED_OK);
    scene_get(&scene);
    assert_int_equal(scene.result.reason, DEED_REASON_PENDING);
    assert_false(scene.result.needs_person);
    scene_advance(&scene, SCENE_VISIBLE_MS + 1);
    assert_int_equal(scene_reconcile(&scene, 2), DEED_OK);
    scene_get(&scene);
    assert_int_equal(scene.result.reason, DEED_REASON_PENDING);
    assert_true(scene.result.needs_person);
    scene_end(&scene);
}

/* Absence can never be final here, and yet the first look may show the effect: nobody is called
 * before it was taken. */
static void test_cycle__nobody_is_called_before_the_provider_was_asked(void **state)
{
    (void)state;
    struct scene scene;
    scene_prepare(&scene, SCENE_LOOKUP);
    scene.profile.landing_ms = 0;
    scene_open(&scene);
    assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
    scene_expect_uncertain(&scene);
    assert_false(scene.result.needs_person);
    scene.provider.next_finding = DEED_FOUND_ABSENT;
    assert_int_equal(scene_reconcile(&scene, 2), DEED_OK);
    scene_expect_uncertain(&scene);
    assert_true(scene.result.needs_person);
    scene_end(&scene);
}

/* The configuration took the look-up away: a pass that quietly did nothing would wait for ever. */
static void test_cycle__an_executor_that_cannot_be_asked_any_more_is_named(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_LOOKUP);
    assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
    scene.executors[2].lookup = NULL;
    scene_past_visible(&scene);
    assert_int_equal(scene_reconcile(&scene, 2), DEED_E_NEEDS_PERSON);
    struct deed_pass pass = {.size = sizeof(pass)};
    assert_int_equal(scene_pass(&scene, 2, &pass), DEED_OK);
    assert_int_equal(pass.person, 1);
    scene_expect_uncertain(&scene);
    scene_end(&scene);
}

/* NULL where a ledger, a token or a place for the answer is needed is a fault of the caller's, told
 * as one. */
static void test_cycle__calls_without_what_they_need_are_misuse(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_KEYED);
    deed_ledger *ledger = scene.workers[0];
    struct deed_error err;
    struct deed_payload payload = {{"payment", 7}, {"provider", 8}, {"amount=1", 8}};
    struct deed_record record = {.size = sizeof(record), .key = "pay-2", .payload = &payload};
    struct deed_plan plan = {.size = sizeof(plan)};
    struct deed_answer answer = {.size = sizeof(answer)};
    const uint8_t token[DEED_TOKEN_BYTES] = {0};
    assert_int_equal(deed_record(NULL, &record, NULL, &err), DEED_E_MISUSE);
    assert_int_equal(deed_record_many(ledger, NULL, 1, NULL, NULL, &err), DEED_E_MISUSE);
    assert_int_equal(deed_record_many(NULL, &record, 1, NULL, NULL, &err), DEED_E_MISUSE);
    assert_int_equal(deed_plan(NULL, SCENE_KEY, NULL, 0, &plan, NULL, &err), DEED_E_MISUSE);
    assert_int_equal(deed_plan(ledger, SCENE_KEY, NULL, 0, NULL, NULL, &err), DEED_E_MISUSE);
    assert_int_equal(deed_may_send(NULL, token, &err), DEED_E_MISUSE);
    assert_int_equal(deed_may_send(ledger, NULL, &err), DEED_E_MISUSE);
    assert_int_equal(deed_finish(NULL, SCENE_KEY, token, &answer, NULL, &err), DEED_E_MISUSE);
    assert_int_equal(deed_run_due(NULL, NULL, NULL, &err), DEED_E_MISUSE);
    assert_int_equal(deed_begin(NULL, NULL, NULL, NULL, &err), DEED_E_MISUSE);
    assert_int_equal(deed_ledger_info(ledger, NULL, &err), DEED_E_MISUSE);
    assert_int_equal(deed_intent_events(ledger, SCENE_KEY, NULL, NULL, &err), DEED_E_MISUSE);
    scene_end(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cycle__applied_answer_is_confirmed),
        cmocka_unit_test(test_cycle__rejected_answer_is_final),
        cmocka_unit_test(test_cycle__not_applied_is_retried_after_a_pause),
        cmocka_unit_test(test_cycle__lost_answer_stays_uncertain_and_is_never_resent_by_run),
        cmocka_unit_test(test_cycle__blind_doubt_waits_for_a_person),
        cmocka_unit_test(test_cycle__keyed_doubt_is_replayed_under_the_same_key),
        cmocka_unit_test(test_cycle__lookup_present_settles_at_once),
        cmocka_unit_test(test_cycle__final_absence_allows_a_retry),
        cmocka_unit_test(test_cycle__closing_settles_before_the_horizon),
        cmocka_unit_test(test_cycle__record_and_begin_in_one_commit_leaves_two_events),
        cmocka_unit_test(test_cycle__a_begin_that_is_refused_has_recorded_nothing),
        cmocka_unit_test(test_cycle__a_flag_nobody_knows_is_refused),
        cmocka_unit_test(test_cycle__an_answer_that_comes_after_the_reach_proves_nothing),
        cmocka_unit_test(test_cycle__a_refusal_under_a_kept_key_may_be_an_older_attempts),
        cmocka_unit_test(test_cycle__pending_past_the_horizon_waits_for_a_person),
        cmocka_unit_test(test_cycle__nobody_is_called_before_the_provider_was_asked),
        cmocka_unit_test(test_cycle__an_executor_that_cannot_be_asked_any_more_is_named),
        cmocka_unit_test(test_cycle__calls_without_what_they_need_are_misuse),
        cmocka_unit_test(test_cycle__nothing_holds_what_has_ended),
        cmocka_unit_test(test_cycle__without_a_horizon_a_negative_word_needs_evidence),
        cmocka_unit_test(test_cycle__what_was_never_sent_keeps_its_key),
    };
    return cmocka_run_group_tests_name("cycle", tests, NULL, NULL);
}
