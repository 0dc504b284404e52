/* SPDX-License-Identifier: MIT
 *
 * Trap B1: late words. A word resolves its own attempt, overwrites nothing, and `applied` always
 * settles; it is a dispute only where a second effect is possible or somebody acted on the old
 * answer.
 */
#include "support/scene.h"

static void finish_with(struct scene *scene, int w, const struct deed_attempt *attempt,
    deed_verdict verdict, const char *reference)
{
    struct deed_answer answer = {.size = sizeof(answer), .verdict = verdict};
    (void)snprintf(answer.reference, sizeof(answer.reference), "%s", reference);
    assert_int_equal(scene_answer(scene, w, attempt->token, &answer), DEED_OK);
}

/* Attempt 1 is slow; the pass replays it; worker 1 hears `applied` and settles; then worker 0 hears
 * `applied` too. One key means one effect: no dispute. */
static void test_trap_b1__a_slow_first_call_at_a_keyed_provider_is_no_dispute(void **state)
{
    (void)state;
    static const enum scene_class classes[] = {SCENE_KEYED, SCENE_KEYED_LOOKUP};
    for (size_t i = 0; i < 2; i++) {
        struct scene scene;
        scene_new(&scene, classes[i]);
        struct deed_attempt slow = {.size = sizeof(slow)};
        assert_int_equal(scene_begin(&scene, 0, 0, &slow), DEED_OK);
        scene_past_lease(&scene);
        scene.provider.next_verdict = DEED_VERDICT_APPLIED;
        assert_int_equal(scene_reconcile(&scene, 1), DEED_OK);
        scene_expect(&scene, DEED_RECONCILED, DEED_APPLIED);
        assert_int_equal(scene.result.grade, DEED_GRADE_REPLAY);
        assert_int_equal(scene_finish(&scene, 0, &slow, DEED_VERDICT_APPLIED), DEED_OK);
        scene_expect(&scene, DEED_RECONCILED, DEED_APPLIED);
        scene_expect_disputed(&scene, false);
        assert_int_equal(scene_events(&scene, DEED_EVENT_NOTE), 1);
        scene_check(&scene);
        scene_end(&scene);
    }
}

/* Worker 1 replays and has no answer yet; worker 0 hears `applied`: that settles (another attempt
 * is in doubt, so by evidence); then the replay is answered as well. */
static void test_trap_b1__applied_while_a_replay_runs_settles_without_a_dispute(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_KEYED);
    struct deed_attempt first = {.size = sizeof(first)};
    struct deed_attempt replay = {.size = sizeof(replay)};
    assert_int_equal(scene_begin(&scene, 0, 0, &first), DEED_OK);
    scene_past_lease(&scene);
    assert_int_equal(scene_begin(&scene, 1, DEED_BEGIN_REPLAY, &replay), DEED_OK);
    assert_int_equal(scene_finish(&scene, 0, &first, DEED_VERDICT_APPLIED), DEED_OK);
    scene_expect(&scene, DEED_RECONCILED, DEED_APPLIED);
    assert_int_equal(scene.result.grade, DEED_GRADE_FIRST_HAND);
    scene_expect_disputed(&scene, false);
    assert_int_equal(scene_finish(&scene, 1, &replay, DEED_VERDICT_APPLIED), DEED_OK);
    scene_expect(&scene, DEED_RECONCILED, DEED_APPLIED);
    scene_expect_disputed(&scene, false);
    scene_check(&scene);
    scene_end(&scene);
}

/* The replay was refused before acceptance and has resolved itself; then worker 0 hears `applied`.
 * Nothing else is in doubt now: seen first-hand. */
static void test_trap_b1__applied_confirms_where_no_other_is_in_doubt_now(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_KEYED);
    struct deed_attempt first = {.size = sizeof(first)};
    struct deed_attempt replay = {.size = sizeof(replay)};
    assert_int_equal(scene_begin(&scene, 0, 0, &first), DEED_OK);
    scene_past_lease(&scene);
    assert_int_equal(scene_begin(&scene, 1, DEED_BEGIN_REPLAY, &replay), DEED_OK);
    assert_int_equal(scene_finish(&scene, 1, &replay, DEED_VERDICT_NOT_APPLIED), DEED_OK);
    scene_expect_uncertain(&scene);
    assert_int_equal(scene_finish(&scene, 0, &first, DEED_VERDICT_APPLIED), DEED_OK);
    scene_expect(&scene, DEED_CONFIRMED, DEED_APPLIED);
    assert_int_equal(scene.result.grade, DEED_GRADE_FIRST_HAND);
    scene_expect_disputed(&scene, false);
    scene_check(&scene);
    scene_end(&scene);
}

/* A payment has two ids: of the intent and of the charge. Each answer names another one. */
static void test_trap_b1__two_references_of_one_payment_are_no_dispute(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_KEYED);
    struct deed_attempt first = {.size = sizeof(first)};
    struct deed_attempt replay = {.size = sizeof(replay)};
    assert_int_equal(scene_begin(&scene, 0, 0, &first), DEED_OK);
    scene_past_lease(&scene);
    assert_int_equal(scene_begin(&scene, 1, DEED_BEGIN_REPLAY, &replay), DEED_OK);
    finish_with(&scene, 1, &replay, DEED_VERDICT_APPLIED, "pi-1");
    finish_with(&scene, 0, &first, DEED_VERDICT_APPLIED, "ch-1");
    scene_expect(&scene, DEED_RECONCILED, DEED_APPLIED);
    scene_expect_disputed(&scene, false);
    assert_string_equal(scene.result.reference, "pi-1");
    scene_check(&scene);
    scene_end(&scene);
}

static void two_hits(
    struct scene *scene, const struct deed_question *question, struct deed_finding *finding)
{
    (void)scene;
    (void)question;
    finding->kind = DEED_FOUND_PRESENT;
    finding->complete = true;
    finding->marker_matches = true;
    finding->digest_matches = true;
    finding->count = 2;
}

/* The look-up that settles counts two effects. */
static void test_trap_b1__two_hits_at_settlement_are_applied_and_disputed(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_LOOKUP);
    assert_int_equal(scene_run(&scene, 0, 0), DEED_OK);
    scene.provider.lookup = two_hits;
    assert_int_equal(scene_reconcile(&scene, 1), DEED_OK);
    scene_expect(&scene, DEED_RECONCILED, DEED_APPLIED);
    scene_expect_disputed(&scene, true);
    assert_int_equal(scene_events(&scene, DEED_EVENT_DISPUTE), 1);
    assert_int_equal(deed_exit_status(DEED_OK, DEED_EXIT_ACTING, &scene.result), 9);
    scene_check(&scene);
    scene_end(&scene);
}

/* Between the question and its answer the attempt itself was answered, and the intent confirmed. */
static struct deed_attempt asked_attempt;
static uint32_t hits;

static void answered_meanwhile(
    struct scene *scene, const struct deed_question *question, struct deed_finding *finding)
{
    assert_int_equal(scene_finish(scene, 0, &asked_attempt, DEED_VERDICT_APPLIED), DEED_OK);
    two_hits(scene, question, finding);
    finding->count = hits;
}

static void test_trap_b1__two_hits_after_settlement_dispute_and_one_does_not(void **state)
{
    (void)state;
    for (hits = 1; hits <= 2; hits++) {
        struct scene scene;
        scene_new(&scene, SCENE_LOOKUP);
        asked_attempt.size = sizeof(asked_attempt);
        assert_int_equal(scene_begin(&scene, 0, 0, &asked_attempt), DEED_OK);
        scene_past_lease(&scene);
        scene.provider.lookup = answered_meanwhile;
        assert_int_equal(scene_reconcile(&scene, 1), DEED_OK);
        scene_expect(&scene, DEED_CONFIRMED, DEED_APPLIED);
        scene_expect_disputed(&scene, hits == 2);
        assert_int_equal(scene_events(&scene, DEED_EVENT_NOTE), 1);
        scene_check(&scene);
        scene_end(&scene);
    }
}

/* Attempt 1 is lost, a person says not_applied and gives the action up (somebody acts on that);
 * then worker 0 hears `applied`. */
static void test_trap_b1__retracted_turned_applied_is_a_dispute(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_BLIND);
    struct deed_attempt lost = {.size = sizeof(lost)};
    assert_int_equal(scene_begin(&scene, 0, 0, &lost), DEED_OK);
    scene_past_visible(&scene);
    assert_int_equal(scene_resolve(&scene, 1, DEED_NOT_APPLIED), DEED_OK);
    assert_int_equal(scene_retract(&scene, 1), DEED_OK);
    scene_expect(&scene, DEED_RECONCILED, DEED_RETRACTED);
    assert_int_equal(scene_finish(&scene, 0, &lost, DEED_VERDICT_APPLIED), DEED_OK);
    scene_expect(&scene, DEED_RECONCILED, DEED_APPLIED);
    scene_expect_disputed(&scene, true);
    scene_check(&scene);
    scene_end(&scene);
}

/* The same where the absence was proven, and the second look finds the effect. */
static void test_trap_b1__retracted_and_found_by_a_second_look_is_a_dispute(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_LOOKUP);
    assert_int_equal(scene_run(&scene, 0, 0), DEED_OK);
    scene_past_visible(&scene);
    scene.provider.next_finding = DEED_FOUND_ABSENT;
    assert_int_equal(scene_reconcile(&scene, 1), DEED_OK);
    scene_expect(&scene, DEED_RECONCILED, DEED_NOT_APPLIED);
    assert_int_equal(scene_retract(&scene, 1), DEED_OK);
    scene.provider.next_finding = DEED_FOUND_PRESENT;
    scene_advance(&scene, SCENE_HORIZON_MS);
    struct deed_pass pass = {.size = sizeof(pass)};
    assert_int_equal(scene_pass(&scene, 1, &pass), DEED_OK);
    scene_expect(&scene, DEED_RECONCILED, DEED_APPLIED);
    scene_expect_disputed(&scene, true);
    assert_int_equal(pass.person, 1);
    scene_check(&scene);
    scene_end(&scene);
}

/* A person's negative word, then `applied` first-hand. */
static void test_trap_b1__a_persons_word_turned_applied_is_a_dispute(void **state)
{
    (void)state;
    static const deed_outcome words[] = {DEED_NOT_APPLIED, DEED_REJECTED};
    for (size_t i = 0; i < 2; i++) {
        struct scene scene;
        scene_new(&scene, SCENE_BLIND);
        struct deed_attempt lost = {.size = sizeof(lost)};
        assert_int_equal(scene_begin(&scene, 0, 0, &lost), DEED_OK);
        scene_past_visible(&scene);
        assert_int_equal(scene_resolve(&scene, 1, words[i]), DEED_OK);
        assert_int_equal(scene_finish(&scene, 0, &lost, DEED_VERDICT_APPLIED), DEED_OK);
        scene_expect(&scene, DEED_RECONCILED, DEED_APPLIED);
        scene_expect_disputed(&scene, true);
        scene_check(&scene);
        scene_end(&scene);
    }
}

/* A person and the answer agree: nothing to dispute. */
static void test_trap_b1__a_persons_applied_borne_out_is_no_dispute(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_BLIND);
    struct deed_attempt lost = {.size = sizeof(lost)};
    assert_int_equal(scene_begin(&scene, 0, 0, &lost), DEED_OK);
    scene_past_visible(&scene);
    assert_int_equal(scene_resolve(&scene, 1, DEED_APPLIED), DEED_OK);
    assert_int_equal(scene_finish(&scene, 0, &lost, DEED_VERDICT_APPLIED), DEED_OK);
    scene_expect(&scene, DEED_RECONCILED, DEED_APPLIED);
    scene_expect_disputed(&scene, false);
    scene_check(&scene);
    scene_end(&scene);
}

/* At a blind provider attempt 2 is under way, or applied, when attempt 1 turns out to have taken
 * effect. Only a person closes that, and until then nothing is sent. */
static void test_trap_b1__a_second_effect_is_disputed_until_a_person_decides(void **state)
{
    (void)state;
    for (int answered = 0; answered <= 1; answered++) {
        struct scene scene;
        scene_new(&scene, SCENE_BLIND);
        struct deed_attempt one = {.size = sizeof(one)};
        struct deed_attempt two = {.size = sizeof(two)};
        assert_int_equal(scene_begin(&scene, 0, 0, &one), DEED_OK);
        scene_past_visible(&scene);
        assert_int_equal(scene_resolve(&scene, 1, DEED_NOT_APPLIED), DEED_OK);
        assert_int_equal(scene_begin(&scene, 1, DEED_BEGIN_BY_NAME, &two), DEED_OK);
        if (answered == 1) {
            assert_int_equal(scene_finish(&scene, 1, &two, DEED_VERDICT_APPLIED), DEED_OK);
            scene_expect(&scene, DEED_CONFIRMED, DEED_APPLIED);
        }
        assert_int_equal(scene_finish(&scene, 0, &one, DEED_VERDICT_APPLIED), DEED_OK);
        scene_expect(&scene, answered == 1 ? DEED_CONFIRMED : DEED_RECONCILED, DEED_APPLIED);
        scene_expect_disputed(&scene, true);
        assert_int_equal(scene_run(&scene, 2, 0), DEED_E_NEEDS_PERSON);
        assert_int_equal(scene_run(&scene, 2, DEED_BEGIN_BY_NAME), DEED_E_NEEDS_PERSON);
        assert_int_equal(scene_reconcile(&scene, 2), DEED_OK);
        scene_expect_disputed(&scene, true);
        assert_int_equal(scene.provider.sends, 0);
        assert_int_equal(scene_resolve(&scene, 2, DEED_APPLIED), DEED_OK);
        scene_expect(&scene, DEED_RECONCILED, DEED_APPLIED);
        scene_expect_disputed(&scene, false);
        scene_check(&scene);
        scene_end(&scene);
    }
}

/* Attempt 1 not_applied by a person, attempt 2 unknown and applied by a person: neither has a word
 * of its own. Then attempt 1 is answered `applied`: two effects at a blind provider. */
static void test_trap_b1__what_was_settled_as_applied_counts_as_an_effect(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_BLIND);
    struct deed_attempt one = {.size = sizeof(one)};
    struct deed_attempt two = {.size = sizeof(two)};
    assert_int_equal(scene_begin(&scene, 0, 0, &one), DEED_OK);
    scene_past_visible(&scene);
    assert_int_equal(scene_resolve(&scene, 1, DEED_NOT_APPLIED), DEED_OK);
    assert_int_equal(scene_begin(&scene, 1, DEED_BEGIN_BY_NAME, &two), DEED_OK);
    assert_int_equal(scene_finish(&scene, 1, &two, DEED_VERDICT_UNKNOWN), DEED_OK);
    assert_int_equal(scene_resolve(&scene, 1, DEED_APPLIED), DEED_OK);
    scene_expect_disputed(&scene, false);
    assert_int_equal(scene_finish(&scene, 0, &one, DEED_VERDICT_APPLIED), DEED_OK);
    scene_expect(&scene, DEED_RECONCILED, DEED_APPLIED);
    scene_expect_disputed(&scene, true);
    scene_check(&scene);
    scene_end(&scene);
}

/* A retry binds anew: the same provider key in another account is another key. Attempt 1 at acct-1,
 * not_applied; attempt 2 at acct-2, applied; then attempt 1 is answered `applied`. In one account
 * the key would have made it one effect. */
static void test_trap_b1__the_same_key_in_another_account_is_another_key(void **state)
{
    (void)state;
    for (int moved = 0; moved <= 1; moved++) {
        struct scene scene;
        scene_new(&scene, SCENE_KEYED);
        struct deed_attempt one = {.size = sizeof(one)};
        struct deed_attempt two = {.size = sizeof(two)};
        assert_int_equal(scene_begin(&scene, 0, 0, &one), DEED_OK);
        scene_past_visible(&scene);
        assert_int_equal(scene_resolve(&scene, 1, DEED_NOT_APPLIED), DEED_OK);
        scene.provider.account = moved == 1 ? "acct-2" : "acct-1";
        assert_int_equal(scene_begin(&scene, 1, DEED_BEGIN_BY_NAME, &two), DEED_OK);
        assert_string_equal(one.provider_key, two.provider_key);
        assert_int_equal(scene_finish(&scene, 1, &two, DEED_VERDICT_APPLIED), DEED_OK);
        assert_int_equal(scene_finish(&scene, 0, &one, DEED_VERDICT_APPLIED), DEED_OK);
        scene_expect(&scene, DEED_CONFIRMED, DEED_APPLIED);
        scene_expect_disputed(&scene, moved == 1);
        scene_check(&scene);
        scene_end(&scene);
    }
}

/* Negative words never unsettle `applied`, whoever says them and however often. */
static void test_trap_b1__negative_words_never_unsettle_applied(void **state)
{
    (void)state;
    static const deed_verdict words[] = {DEED_VERDICT_REJECTED, DEED_VERDICT_NOT_APPLIED};
    for (size_t i = 0; i < 2; i++) {
        struct scene scene;
        scene_new(&scene, SCENE_KEYED);
        struct deed_attempt first = {.size = sizeof(first)};
        struct deed_attempt replay = {.size = sizeof(replay)};
        assert_int_equal(scene_begin(&scene, 0, 0, &first), DEED_OK);
        scene_past_lease(&scene);
        assert_int_equal(scene_begin(&scene, 1, DEED_BEGIN_REPLAY, &replay), DEED_OK);
        assert_int_equal(scene_finish(&scene, 1, &replay, DEED_VERDICT_APPLIED), DEED_OK);
        assert_int_equal(scene_finish(&scene, 0, &first, words[i]), DEED_OK);  /* late */
        assert_int_equal(scene_finish(&scene, 1, &replay, words[i]), DEED_OK); /* contradicts */
        uint8_t stranger[DEED_TOKEN_BYTES] = {9};
        assert_int_equal(scene_finish_token(&scene, 2, stranger, words[i]), DEED_OK);
        scene_expect(&scene, DEED_RECONCILED, DEED_APPLIED);
        scene_expect_disputed(&scene, false);
        assert_int_equal(scene_events(&scene, DEED_EVENT_NOTE), 3);
        scene_check(&scene);
        scene_end(&scene);
    }
}

/* The intent is not_applied by final absence; attempt 1's late `rejected` is kept and changes
 * nothing: the retry goes on. */
static void test_trap_b1__a_late_negative_word_overwrites_nothing(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_LOOKUP);
    struct deed_attempt first = {.size = sizeof(first)};
    assert_int_equal(scene_begin(&scene, 0, 0, &first), DEED_OK);
    scene_past_visible(&scene);
    scene.provider.next_finding = DEED_FOUND_ABSENT;
    assert_int_equal(scene_reconcile(&scene, 1), DEED_OK);
    scene_expect(&scene, DEED_RECONCILED, DEED_NOT_APPLIED);
    assert_int_equal(scene_finish(&scene, 0, &first, DEED_VERDICT_REJECTED), DEED_OK);
    scene_expect(&scene, DEED_RECONCILED, DEED_NOT_APPLIED);
    assert_int_equal(scene.result.grade, DEED_GRADE_PROVIDER_ABSENT_FINAL);
    assert_int_equal(scene_events(&scene, DEED_EVENT_NOTE), 1);
    scene_check(&scene);
    scene_end(&scene);
}

/* A contradiction of the attempt's own answer: `applied` always settles, whatever stood there. */
static void test_trap_b1__applied_settles_whatever_stood_there(void **state)
{
    (void)state;
    static const deed_verdict words[] = {DEED_VERDICT_REJECTED, DEED_VERDICT_NOT_APPLIED};
    for (size_t i = 0; i < 2; i++) {
        struct scene scene;
        scene_new(&scene, SCENE_BLIND);
        struct deed_attempt first = {.size = sizeof(first)};
        assert_int_equal(scene_begin(&scene, 0, 0, &first), DEED_OK);
        assert_int_equal(scene_finish(&scene, 0, &first, words[i]), DEED_OK);
        assert_int_equal(scene_finish(&scene, 0, &first, words[i]), DEED_OK); /* harmless */
        assert_int_equal(scene_chain(&scene), 3);
        assert_int_equal(scene_finish(&scene, 0, &first, DEED_VERDICT_APPLIED), DEED_OK);
        scene_expect(&scene, DEED_RECONCILED, DEED_APPLIED);
        scene_expect_disputed(&scene, false);
        scene_check(&scene);
        scene_end(&scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trap_b1__a_slow_first_call_at_a_keyed_provider_is_no_dispute),
        cmocka_unit_test(test_trap_b1__applied_while_a_replay_runs_settles_without_a_dispute),
        cmocka_unit_test(test_trap_b1__applied_confirms_where_no_other_is_in_doubt_now),
        cmocka_unit_test(test_trap_b1__two_references_of_one_payment_are_no_dispute),
        cmocka_unit_test(test_trap_b1__two_hits_at_settlement_are_applied_and_disputed),
        cmocka_unit_test(test_trap_b1__two_hits_after_settlement_dispute_and_one_does_not),
        cmocka_unit_test(test_trap_b1__retracted_turned_applied_is_a_dispute),
        cmocka_unit_test(test_trap_b1__retracted_and_found_by_a_second_look_is_a_dispute),
        cmocka_unit_test(test_trap_b1__a_persons_word_turned_applied_is_a_dispute),
        cmocka_unit_test(test_trap_b1__a_persons_applied_borne_out_is_no_dispute),
        cmocka_unit_test(test_trap_b1__a_second_effect_is_disputed_until_a_person_decides),
        cmocka_unit_test(test_trap_b1__what_was_settled_as_applied_counts_as_an_effect),
        cmocka_unit_test(test_trap_b1__the_same_key_in_another_account_is_another_key),
        cmocka_unit_test(test_trap_b1__negative_words_never_unsettle_applied),
        cmocka_unit_test(test_trap_b1__a_late_negative_word_overwrites_nothing),
        cmocka_unit_test(test_trap_b1__applied_settles_whatever_stood_there),
    };
    return cmocka_run_group_tests_name("trap_b1", tests, NULL, NULL);
}
