/* SPDX-License-Identifier: MIT
 *
 * Trap B5: the order in which a doubt is settled. First ask; while that gives no final answer and
 * nothing is pending, replay, unless the executor prefers to wait; what is not settled is due again
 * after a pause.
 */
#include "support/scene.h"

static struct deed_pass pass(struct scene *scene)
{
    struct deed_pass counts = {.size = sizeof(counts)};
    assert_int_equal(scene_pass(scene, 1, &counts), DEED_OK);
    assert_int_equal(counts.failed, 0);
    return counts;
}

static void lose_an_answer(struct scene *scene, enum scene_class class, bool waits)
{
    scene_prepare(scene, class);
    scene->profile.prefers_wait = waits;
    scene_open(scene);
    assert_int_equal(scene_run(scene, 0, 0), DEED_OK);
    scene_expect_uncertain(scene);
}

/* Waiting for the horizon would cost 7 s per lost reply, and a person if the look-up were down
 * while the window runs out: after an early absence the same pass replays. */
static void test_trap_b5__an_early_absence_is_followed_by_a_replay(void **state)
{
    (void)state;
    static const deed_finding_kind answers[] = {DEED_FOUND_ABSENT, DEED_FOUND_NOTHING};
    for (size_t i = 0; i < 2; i++) {
        struct scene scene;
        lose_an_answer(&scene, SCENE_KEYED_LOOKUP, false);
        scene.provider.next_finding = answers[i];
        scene.provider.next_verdict = DEED_VERDICT_APPLIED;
        (void)pass(&scene);
        assert_int_equal(scene.provider.looks, 1);
        assert_int_equal(scene.provider.sends, 2);
        scene_expect(&scene, DEED_RECONCILED, DEED_APPLIED);
        scene_check(&scene);
        scene_end(&scene);
    }
}

/* Asking comes first: a look that finds the effect saves the replay. */
static void test_trap_b5__what_is_found_is_not_replayed(void **state)
{
    (void)state;
    struct scene scene;
    lose_an_answer(&scene, SCENE_KEYED_LOOKUP, false);
    scene.provider.next_finding = DEED_FOUND_PRESENT;
    (void)pass(&scene);
    assert_int_equal(scene.provider.sends, 1);
    scene_expect(&scene, DEED_RECONCILED, DEED_APPLIED);
    scene_check(&scene);
    scene_end(&scene);
}

/* An executor that prefers to wait looks until the absence is final, and never replays. */
static void test_trap_b5__who_prefers_to_wait_does_not_replay(void **state)
{
    (void)state;
    struct scene scene;
    lose_an_answer(&scene, SCENE_KEYED_LOOKUP, true);
    scene.provider.next_finding = DEED_FOUND_ABSENT;
    for (int i = 0; i < 7; i++) {
        scene_expect_uncertain(&scene);
        (void)pass(&scene);
        scene_advance(&scene, 1000);
    }
    (void)pass(&scene);
    assert_int_equal(scene.provider.sends, 1);
    scene_expect(&scene, DEED_RECONCILED, DEED_NOT_APPLIED);
    scene_check(&scene);
    scene_end(&scene);
}

/* Once its look-up has forgotten, waiting is in vain: then it replays, where the key is kept so long;
 * where it is not, nobody but a person moves it on, and they are told. */
static void test_trap_b5__who_has_waited_in_vain_replays_or_is_told_to_a_person(void **state)
{
    (void)state;
    for (int kept = 0; kept <= 1; kept++) {
        struct scene scene;
        scene_prepare(&scene, SCENE_KEYED_LOOKUP);
        scene.profile.prefers_wait = true;
        scene.profile.window_ms = kept == 1 ? DEED_FOREVER : SCENE_WINDOW_MS;
        scene_open(&scene);
        assert_int_equal(scene_run(&scene, 0, 0), DEED_OK);
        scene_advance(&scene, SCENE_REACH_MS);
        struct deed_pass counts = pass(&scene);
        assert_int_equal(counts.person, kept == 1 ? 0 : 1);
        assert_int_equal(scene.provider.sends, 1 + kept);
        scene_expect_uncertain(&scene);
        assert_int_equal(scene.result.needs_person, kept == 0);
        scene_check(&scene);
        scene_end(&scene);
    }
}

/* The encoding has changed since: one key means one sequence of bytes, and those are stored. */
static void test_trap_b5__a_replay_sends_the_bytes_that_were_sent(void **state)
{
    (void)state;
    struct scene scene;
    lose_an_answer(&scene, SCENE_KEYED, false);
    uint8_t digest[DEED_DIGEST_BYTES];
    memcpy(digest, scene.provider.last_bytes_digest, sizeof(digest));
    scene.provider.bytes_suffix = "&api=2";
    (void)pass(&scene);
    assert_int_equal(scene.provider.sends, 2);
    assert_memory_equal(digest, scene.provider.last_bytes_digest, sizeof(digest));
    scene_check(&scene);
    scene_end(&scene);
}

/* Accepted and not done: nothing is resent, however long it takes, and no absence settles. */
static void test_trap_b5__what_is_pending_is_not_replayed(void **state)
{
    (void)state;
    struct scene scene;
    lose_an_answer(&scene, SCENE_KEYED_LOOKUP, false);
    scene.provider.next_finding = DEED_FOUND_PENDING;
    (void)pass(&scene);
    scene.provider.next_finding = DEED_FOUND_ABSENT;
    scene_past_visible(&scene);
    (void)pass(&scene);
    assert_int_equal(scene.provider.sends, 1);
    scene_expect_uncertain(&scene);
    assert_int_equal(scene.result.reason, DEED_REASON_PENDING);
    scene_check(&scene);
    scene_end(&scene);
}

/* Held: looks go on, replays do not. */
static void test_trap_b5__what_is_held_is_looked_at_and_not_replayed(void **state)
{
    (void)state;
    struct scene scene;
    lose_an_answer(&scene, SCENE_KEYED_LOOKUP, false);
    assert_int_equal(scene_hold(&scene, 2), DEED_OK);
    scene.provider.next_finding = DEED_FOUND_ABSENT;
    scene.provider.next_verdict = DEED_VERDICT_APPLIED;
    (void)pass(&scene);
    assert_int_equal(scene_reconcile(&scene, 1), DEED_OK);
    assert_int_equal(scene.provider.looks, 2);
    assert_int_equal(scene.provider.sends, 1);
    scene_expect_uncertain(&scene);
    struct deed_attempt replay = {.size = sizeof(replay)};
    assert_int_equal(scene_begin(&scene, 2, DEED_BEGIN_REPLAY, &replay), DEED_E_NEEDS_PERSON);
    assert_int_equal(scene_release(&scene, 2), DEED_OK);
    assert_int_equal(scene_reconcile(&scene, 1), DEED_OK);
    assert_int_equal(scene.provider.sends, 2);
    scene_check(&scene);
    scene_end(&scene);
}

/* An eventually consistent look-up has to say it twice, one lag apart. Looks come more often than
 * that, and must not put the second one off for ever. */
static void test_trap_b5__the_second_absence_comes_however_often_is_asked(void **state)
{
    (void)state;
    struct scene scene;
    scene_prepare(&scene, SCENE_LOOKUP);
    scene.profile.consistency = DEED_CONSISTENCY_EVENTUAL;
    scene.profile.lag_ms = 20000;
    scene_open(&scene);
    assert_int_equal(scene_run(&scene, 0, 0), DEED_OK);
    scene.provider.next_finding = DEED_FOUND_ABSENT;
    scene_advance(&scene, SCENE_HORIZON_MS + 20000);
    for (int i = 0; i < 20; i++) { /* once a second; the 21st comes one lag after the first */
        assert_int_equal(scene_reconcile(&scene, 1), DEED_OK);
        scene_expect_uncertain(&scene);
        scene_advance(&scene, 1000);
    }
    assert_int_equal(scene_reconcile(&scene, 1), DEED_OK);
    scene_expect(&scene, DEED_RECONCILED, DEED_NOT_APPLIED);
    scene_check(&scene);
    scene_end(&scene);
}

/* What is not settled is asked again when due, after a pause that grows up to its cap and never
 * sleeps past the moment from which an absence counts. */
static void test_trap_b5__an_early_look_is_repeated_after_a_pause(void **state)
{
    (void)state;
    struct scene scene;
    lose_an_answer(&scene, SCENE_LOOKUP, false);
    scene.provider.next_finding = DEED_FOUND_ABSENT;
    static const int64_t due_ms[] = {0, 1000, 3000, 7000};
    int64_t at_ms = 0;
    for (unsigned i = 0; i < 4; i++) {
        scene_advance(&scene, due_ms[i] - at_ms - (i == 0 ? 0 : 1));
        (void)pass(&scene);
        assert_int_equal(scene.provider.looks, i == 0 ? 1 : i); /* not due, but for the first */
        scene_advance(&scene, i == 0 ? 0 : 1);
        (void)pass(&scene);
        assert_int_equal(scene.provider.looks, i + 1);
        at_ms = due_ms[i];
    }
    scene_expect(&scene, DEED_RECONCILED, DEED_NOT_APPLIED);
    scene_check(&scene);
    scene_end(&scene);
}

static void test_trap_b5__a_pause_ends_when_an_absence_can_be_final(void **state)
{
    (void)state;
    struct scene scene;
    scene_prepare(&scene, SCENE_LOOKUP);
    scene.profile.backoff_base_ms = 60000;
    scene_open(&scene);
    assert_int_equal(scene_run(&scene, 0, 0), DEED_OK);
    scene.provider.next_finding = DEED_FOUND_ABSENT;
    (void)pass(&scene);
    scene_get(&scene);
    assert_int_equal(scene.result.due_ms, SCENE_START_MS + SCENE_VISIBLE_MS);
    scene_past_visible(&scene);
    (void)pass(&scene);
    scene_expect(&scene, DEED_RECONCILED, DEED_NOT_APPLIED);
    scene_check(&scene);
    scene_end(&scene);
}

/* A provider that is down: replays are paced, too, so that a few seconds of passes do not use up
 * the attempts for which the window has minutes. */
static void test_trap_b5__replays_are_paced(void **state)
{
    (void)state;
    struct scene scene;
    lose_an_answer(&scene, SCENE_KEYED, false);
    unsigned sends = 1;
    for (int64_t pause_ms = 1000; pause_ms <= 4000; pause_ms *= 2) {
        (void)pass(&scene);
        assert_int_equal(scene.provider.sends, ++sends);
        (void)pass(&scene);
        scene_advance(&scene, pause_ms - 1);
        (void)pass(&scene);
        assert_int_equal(scene.provider.sends, sends);
        scene_get(&scene);
        assert_true(scene.result.due_ms > 0);
        scene_advance(&scene, 1);
    }
    scene_check(&scene);
    scene_end(&scene);
}

static void ask_for_a_pause(
    struct scene *scene, const struct deed_call *call, struct deed_answer *answer)
{
    (void)scene;
    (void)call;
    answer->retry_after_ms = 20000;
}

/* An unknown answer may ask for a pause as well. */
static void test_trap_b5__the_provider_may_ask_for_a_longer_pause(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_KEYED);
    scene.provider.attempt = ask_for_a_pause;
    assert_int_equal(scene_run(&scene, 0, 0), DEED_OK);
    scene_advance(&scene, 19999);
    (void)pass(&scene);
    assert_int_equal(scene.provider.sends, 1);
    scene_advance(&scene, 1);
    (void)pass(&scene);
    assert_int_equal(scene.provider.sends, 2);
    scene_check(&scene);
    scene_end(&scene);
}

static void ask_for_ever(
    struct scene *scene, const struct deed_call *call, struct deed_answer *answer)
{
    (void)call;
    answer->verdict = scene->provider.next_verdict;
    answer->retry_after_ms = INT64_MAX - 1;
}

/* A pause without reason must not keep the answer itself from being stored. */
static void test_trap_b5__a_senseless_pause_does_not_lose_the_answer(void **state)
{
    (void)state;
    static const deed_verdict words[] = {DEED_VERDICT_NOT_APPLIED, DEED_VERDICT_UNKNOWN};
    for (size_t i = 0; i < 2; i++) {
        struct scene scene;
        scene_new(&scene, SCENE_KEYED);
        scene.provider.attempt = ask_for_ever;
        scene.provider.next_verdict = words[i];
        assert_int_equal(scene_run(&scene, 0, 0), DEED_OK);
        scene_expect(&scene, i == 0 ? DEED_CONFIRMED : DEED_ATTEMPTED,
            i == 0 ? DEED_NOT_APPLIED : DEED_OUTCOME_NONE);
        scene_check(&scene);
        scene_end(&scene);
    }
}

/* Evidence that is not ours settles nothing, holds the intent, and is not asked for at every pass. */
static void strangers_effect(
    struct scene *scene, const struct deed_question *question, struct deed_finding *finding)
{
    (void)question;
    unsigned flaw = *(const unsigned *)scene->provider.context;
    finding->kind = flaw < 2 ? DEED_FOUND_PRESENT : DEED_FOUND_REJECTED;
    finding->complete = true;
    finding->count = 1;
    finding->marker_matches = flaw % 2 != 0;
    finding->digest_matches = flaw % 2 == 0;
}

static void test_trap_b5__evidence_that_is_not_ours_holds_and_settles_nothing(void **state)
{
    (void)state;
    for (unsigned flaw = 0; flaw < 4; flaw++) { /* no marker, no digest; of both positive kinds */
        struct scene scene;
        lose_an_answer(&scene, SCENE_KEYED_LOOKUP, false);
        scene.provider.lookup = strangers_effect;
        scene.provider.context = &flaw;
        (void)pass(&scene);
        (void)pass(&scene);
        assert_int_equal(scene.provider.looks, 1);
        scene_expect_uncertain(&scene);
        assert_true(scene.result.held);
        assert_int_equal(scene.provider.sends, 1); /* not replayed: it is held */
        assert_int_equal(scene_events(&scene, DEED_EVENT_NOTE), 1);
        assert_int_equal(scene_events(&scene, DEED_EVENT_HOLD), 1);
        scene_check(&scene);
        scene_end(&scene);
    }
}

/* One effect belongs to one intent: what another intent was settled with settles nothing here. */
static void test_trap_b5__two_intents_do_not_share_a_reference(void **state)
{
    (void)state;
    struct scene scene;
    lose_an_answer(&scene, SCENE_LOOKUP, false);
    scene_record(&scene, "pay-2");
    scene.provider.reference = "fx-1";
    scene.provider.next_verdict = DEED_VERDICT_APPLIED;
    assert_int_equal(deed_run(scene.workers[0], "pay-2", 0, &scene.result, &scene.err), DEED_OK);
    scene.provider.next_finding = DEED_FOUND_PRESENT;
    (void)pass(&scene);
    scene_expect_uncertain(&scene);
    assert_true(scene.result.held);
    struct deed_decision decision = {.size = sizeof(decision),
        .key = SCENE_KEY,
        .by = "ada",
        .reason = "seen",
        .outcome = DEED_APPLIED,
        .reference = "fx-1"};
    assert_int_equal(
        deed_resolve(scene.workers[0], &decision, &scene.result, &scene.err), DEED_E_INVALID);
    scene.provider.reference = "fx-2";
    assert_int_equal(scene_reconcile(&scene, 1), DEED_OK);
    scene_expect(&scene, DEED_RECONCILED, DEED_APPLIED);
    assert_false(scene.result.held); /* an end releases */
    scene_check(&scene);
    scene_end(&scene);
}

/* pay-2 is applied as fx-1, by this executor in this account. */
static void apply_elsewhere(struct scene *scene, const char *executor, const char *account)
{
    scene_record(scene, "pay-2");
    struct deed_plan plan = {.size = sizeof(plan)};
    struct deed_attempt attempt = {.size = sizeof(attempt)};
    assert_int_equal(
        deed_plan(scene->workers[0], "pay-2", NULL, 0, &plan, &scene->result, &scene->err),
        DEED_OK);
    struct deed_binding binding = {.size = sizeof(binding),
        .executor = executor,
        .executor_version = "1",
        .account_scope = account,
        .endpoint = scene->provider.endpoint,
        .provider_key = plan.provider_key};
    struct deed_begin begin = {.size = sizeof(begin), .key = "pay-2", .binding = &binding};
    assert_int_equal(
        deed_begin(scene->workers[0], &begin, &attempt, &scene->result, &scene->err), DEED_OK);
    struct deed_answer answer = {.size = sizeof(answer), .verdict = DEED_VERDICT_APPLIED};
    (void)snprintf(answer.reference, sizeof(answer.reference), "fx-1");
    assert_int_equal(deed_finish(scene->workers[0], "pay-2", attempt.token, &answer, &scene->result,
                         &scene->err),
        DEED_OK);
}

/* Two providers may call their first effect fx-1, and so may two accounts at one. */
static void test_trap_b5__a_reference_is_a_name_within_its_executor_and_account(void **state)
{
    static const struct {
        const char *executor;
        const char *account;
        bool settles;
    } cases[] = {
        {"script", "acct-1", false},
        {"other", "acct-1", true},
        {"script", "acct-2", true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct scene scene;
        lose_an_answer(&scene, SCENE_LOOKUP, false);
        apply_elsewhere(&scene, cases[i].executor, cases[i].account);
        scene.provider.reference = "fx-1";
        scene.provider.next_finding = DEED_FOUND_PRESENT;
        assert_int_equal(scene_reconcile(&scene, 1), DEED_OK);
        if (cases[i].settles) {
            scene_expect(&scene, DEED_RECONCILED, DEED_APPLIED);
        } else {
            scene_expect_uncertain(&scene);
        }
        assert_int_equal(scene.result.held, !cases[i].settles);
        scene_check(&scene);
        scene_end(&scene);
    }
}

/* The same of an answer, which settles in any case and is disputed if it names another's effect. */
static void test_trap_b5__an_answer_is_disputed_only_where_its_reference_is_another_effect(
    void **state)
{
    static const struct {
        const char *executor;
        const char *account;
        bool disputed;
    } cases[] = {
        {"script", "acct-1", true},
        {"other", "acct-1", false},
        {"script", "acct-2", false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct scene scene;
        scene_new(&scene, SCENE_BLIND);
        apply_elsewhere(&scene, cases[i].executor, cases[i].account);
        scene.provider.reference = "fx-1";
        scene.provider.next_verdict = DEED_VERDICT_APPLIED;
        assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
        scene_expect(&scene, DEED_CONFIRMED, DEED_APPLIED);
        scene_expect_disputed(&scene, cases[i].disputed);
        scene_check(&scene);
        scene_end(&scene);
    }
}

/* A person speaks of no executor, so that what is stored anywhere is taken. */
static void test_trap_b5__a_persons_reference_is_compared_everywhere(void **state)
{
    (void)state;
    struct scene scene;
    lose_an_answer(&scene, SCENE_LOOKUP, false);
    apply_elsewhere(&scene, "other", "acct-2");
    struct deed_decision decision = {.size = sizeof(decision),
        .key = SCENE_KEY,
        .by = "ada",
        .reason = "seen",
        .outcome = DEED_APPLIED,
        .reference = "fx-1"};
    assert_int_equal(
        deed_resolve(scene.workers[0], &decision, &scene.result, &scene.err), DEED_E_INVALID);
    scene_expect_uncertain(&scene);
    scene_end(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trap_b5__an_early_absence_is_followed_by_a_replay),
        cmocka_unit_test(test_trap_b5__what_is_found_is_not_replayed),
        cmocka_unit_test(test_trap_b5__who_prefers_to_wait_does_not_replay),
        cmocka_unit_test(test_trap_b5__who_has_waited_in_vain_replays_or_is_told_to_a_person),
        cmocka_unit_test(test_trap_b5__a_replay_sends_the_bytes_that_were_sent),
        cmocka_unit_test(test_trap_b5__what_is_pending_is_not_replayed),
        cmocka_unit_test(test_trap_b5__what_is_held_is_looked_at_and_not_replayed),
        cmocka_unit_test(test_trap_b5__an_early_look_is_repeated_after_a_pause),
        cmocka_unit_test(test_trap_b5__a_pause_ends_when_an_absence_can_be_final),
        cmocka_unit_test(test_trap_b5__the_second_absence_comes_however_often_is_asked),
        cmocka_unit_test(test_trap_b5__replays_are_paced),
        cmocka_unit_test(test_trap_b5__the_provider_may_ask_for_a_longer_pause),
        cmocka_unit_test(test_trap_b5__a_senseless_pause_does_not_lose_the_answer),
        cmocka_unit_test(test_trap_b5__evidence_that_is_not_ours_holds_and_settles_nothing),
        cmocka_unit_test(test_trap_b5__two_intents_do_not_share_a_reference),
        cmocka_unit_test(test_trap_b5__a_reference_is_a_name_within_its_executor_and_account),
        cmocka_unit_test(
            test_trap_b5__an_answer_is_disputed_only_where_its_reference_is_another_effect),
        cmocka_unit_test(test_trap_b5__a_persons_reference_is_compared_everywhere),
    };
    return cmocka_run_group_tests_name("trap_b5", tests, NULL, NULL);
}
