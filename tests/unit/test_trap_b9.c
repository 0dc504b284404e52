/* SPDX-License-Identifier: MIT
 *
 * Trap B9: what changes no state is chained too, one event each, in the transaction of what it
 * tells; and what is refused, or says nothing new, leaves no event.
 */
#include "support/scene.h"

struct step {
    unsigned chain;
    unsigned events;
    deed_event event;
    deed_state state;
    deed_outcome outcome;
};

static struct step before(struct scene *scene, deed_event event)
{
    scene_get(scene);
    struct step step = {scene_chain(scene), scene_events(scene, event), event, scene->result.state,
        scene->result.outcome};
    return step;
}

/* Exactly one event, of this kind, and the intent is where it was. */
static void after(struct scene *scene, struct step step)
{
    assert_int_equal(scene_chain(scene), step.chain + 1);
    assert_int_equal(scene_events(scene, step.event), step.events + 1);
    scene_expect(scene, step.state, step.outcome);
    scene_check(scene);
}

static void no_event(struct scene *scene, struct step step)
{
    assert_int_equal(scene_chain(scene), step.chain);
    scene_expect(scene, step.state, step.outcome);
    scene_check(scene);
}

static void test_trap_b9__an_unknown_answer_is_one_answer_event(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_KEYED_LOOKUP);
    struct deed_attempt attempt = {.size = sizeof(attempt)};
    assert_int_equal(scene_begin(&scene, 0, 0, &attempt), DEED_OK);
    struct step step = before(&scene, DEED_EVENT_ANSWER);
    assert_int_equal(scene_finish(&scene, 0, &attempt, DEED_VERDICT_UNKNOWN), DEED_OK);
    after(&scene, step);
    step = before(&scene, DEED_EVENT_ANSWER);
    assert_int_equal(scene_finish(&scene, 0, &attempt, DEED_VERDICT_UNKNOWN), DEED_OK);
    no_event(&scene, step);
    scene.provider.pending = true; /* news: it is accepted now */
    assert_int_equal(scene_finish(&scene, 0, &attempt, DEED_VERDICT_UNKNOWN), DEED_OK);
    after(&scene, step);
    step = before(&scene, DEED_EVENT_ANSWER);
    assert_int_equal(scene_finish(&scene, 0, &attempt, DEED_VERDICT_UNKNOWN), DEED_OK);
    scene.provider.pending = false;
    assert_int_equal(scene_finish(&scene, 0, &attempt, DEED_VERDICT_UNKNOWN), DEED_OK);
    no_event(&scene, step);
    scene_end(&scene);
}

/* Our key with other parameters: unknown, and held. Two things happen, and two events tell them. */
static void test_trap_b9__a_key_mismatch_is_an_answer_and_a_hold(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_KEYED);
    struct deed_attempt attempt = {.size = sizeof(attempt)};
    assert_int_equal(scene_begin(&scene, 0, 0, &attempt), DEED_OK);
    unsigned chain = scene_chain(&scene);
    scene.provider.key_signal = DEED_KEY_SIGNAL_MISMATCH;
    for (int i = 0; i < 2; i++) { /* the second time is harmless */
        assert_int_equal(scene_finish(&scene, 0, &attempt, DEED_VERDICT_UNKNOWN), DEED_OK);
        assert_int_equal(scene_chain(&scene), chain + 2);
        assert_int_equal(scene_events(&scene, DEED_EVENT_HOLD), 1);
    }
    scene_expect_uncertain(&scene);
    assert_true(scene.result.held);
    assert_int_equal(scene_reconcile(&scene, 1), DEED_OK);
    assert_int_equal(scene.provider.sends, 0); /* never replayed */
    scene_check(&scene);
    scene_end(&scene);
}

static void test_trap_b9__an_early_absence_is_one_look_event(void **state)
{
    (void)state;
    static const deed_finding_kind answers[] = {
        DEED_FOUND_ABSENT, DEED_FOUND_NOTHING, DEED_FOUND_PENDING, DEED_FOUND_CLOSED};
    for (size_t i = 0; i < 4; i++) {
        struct scene scene;
        scene_new(&scene, SCENE_LOOKUP);
        assert_int_equal(scene_run(&scene, 0, 0), DEED_OK);
        scene.provider.next_finding = answers[i];
        struct step step = before(&scene, DEED_EVENT_LOOK);
        assert_int_equal(scene_reconcile(&scene, 1), DEED_OK);
        if (answers[i] == DEED_FOUND_CLOSED) { /* a look-up cannot bar anything */
            scene_expect_uncertain(&scene);
        }
        after(&scene, step);
        scene_end(&scene);
    }
}

/* While an attempt is in flight a word of another time arrives. */
static void test_trap_b9__evidence_while_in_flight_is_one_note(void **state)
{
    (void)state;
    static const deed_verdict words[] = {
        DEED_VERDICT_UNKNOWN, DEED_VERDICT_REJECTED, DEED_VERDICT_NOT_APPLIED};
    for (size_t i = 0; i < 3; i++) {
        struct scene scene;
        scene_new(&scene, SCENE_BLIND);
        struct deed_attempt attempt = {.size = sizeof(attempt)};
        assert_int_equal(scene_begin(&scene, 0, 0, &attempt), DEED_OK);
        uint8_t stranger[DEED_TOKEN_BYTES] = {7};
        struct step step = before(&scene, DEED_EVENT_NOTE);
        assert_int_equal(scene_finish_token(&scene, 1, stranger, words[i]), DEED_OK);
        after(&scene, step);
        scene_get(&scene);
        assert_true(scene.result.in_flight);
        scene_end(&scene);
    }
}

/* Behind the fence, too; and from every settled place. */
static void test_trap_b9__late_evidence_is_one_note_wherever_the_intent_stands(void **state)
{
    (void)state;
    static const deed_verdict ends[] = {
        DEED_VERDICT_APPLIED, DEED_VERDICT_REJECTED, DEED_VERDICT_NOT_APPLIED};
    for (size_t i = 0; i <= 3; i++) {
        struct scene scene;
        scene_new(&scene, SCENE_BLIND);
        if (i < 3) {
            scene.provider.next_verdict = ends[i];
            assert_int_equal(scene_run(&scene, 0, 0), DEED_OK);
        }
        scene_fence(&scene, true);
        uint8_t stranger[DEED_TOKEN_BYTES] = {7};
        struct step step = before(&scene, DEED_EVENT_NOTE);
        assert_int_equal(
            scene_finish_token(&scene, 1, stranger, DEED_VERDICT_NOT_APPLIED), DEED_OK);
        after(&scene, step);
        scene_end(&scene);
    }
}

/* Wherever something could still be sent, it can be held; twice is once. */
static void test_trap_b9__hold_and_release_are_one_event_each(void **state)
{
    (void)state;
    for (int from = 0; from < 4; from++) {
        struct scene scene;
        scene_new(&scene, SCENE_KEYED);
        struct deed_attempt attempt = {.size = sizeof(attempt)};
        if (from > 0) {
            assert_int_equal(scene_begin(&scene, 0, 0, &attempt), DEED_OK);
        }
        if (from > 1) {
            assert_int_equal(scene_finish(&scene, 0, &attempt,
                                 from == 2 ? DEED_VERDICT_UNKNOWN : DEED_VERDICT_NOT_APPLIED),
                DEED_OK);
        }
        struct step step = before(&scene, DEED_EVENT_HOLD);
        assert_int_equal(scene_hold(&scene, 1), DEED_OK);
        after(&scene, step);
        step = before(&scene, DEED_EVENT_HOLD);
        assert_int_equal(scene_hold(&scene, 1), DEED_OK);
        no_event(&scene, step);
        step = before(&scene, DEED_EVENT_RELEASE);
        assert_int_equal(scene_release(&scene, 1), DEED_OK);
        after(&scene, step);
        step = before(&scene, DEED_EVENT_RELEASE);
        assert_int_equal(scene_release(&scene, 1), DEED_OK);
        no_event(&scene, step);
        scene_end(&scene);
    }
}

/* The first look of a new boot, from which its waits count, is stored. */
static void test_trap_b9__the_first_look_of_a_boot_is_one_look_event(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_BLIND);
    assert_int_equal(scene_run(&scene, 0, 0), DEED_OK);
    scene_reboot(&scene, 60000);
    struct step step = before(&scene, DEED_EVENT_LOOK);
    assert_int_equal(scene_reconcile(&scene, 1), DEED_OK);
    after(&scene, step);
    step = before(&scene, DEED_EVENT_LOOK);
    assert_int_equal(scene_reconcile(&scene, 1), DEED_OK);
    no_event(&scene, step);
    scene_end(&scene);
}

static void test_trap_b9__a_dispute_is_an_event_besides_its_word(void **state)
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
    assert_int_equal(scene_finish(&scene, 1, &two, DEED_VERDICT_APPLIED), DEED_OK);
    unsigned chain = scene_chain(&scene);
    assert_int_equal(scene_finish(&scene, 0, &one, DEED_VERDICT_APPLIED), DEED_OK);
    assert_int_equal(scene_chain(&scene), chain + 2);
    assert_int_equal(scene_events(&scene, DEED_EVENT_NOTE), 1);
    assert_int_equal(scene_events(&scene, DEED_EVENT_DISPUTE), 1);
    scene_expect(&scene, DEED_CONFIRMED, DEED_APPLIED);
    scene_check(&scene);
    scene_end(&scene);
}

/* The one repeat that writes. */
static void test_trap_b9__a_payload_filled_in_is_one_payload_event(void **state)
{
    (void)state;
    struct scene scene;
    scene_prepare_bare(&scene, SCENE_BLIND);
    scene_open(&scene);
    scene_get(&scene);
    assert_int_equal(scene.result.reason, DEED_REASON_PAYLOAD_MISSING);
    assert_int_equal(scene_run(&scene, 0, DEED_BEGIN_BY_NAME), DEED_E_NEEDS_PERSON);
    struct step step = before(&scene, DEED_EVENT_PAYLOAD);
    scene_record(&scene, SCENE_KEY);
    assert_false(scene.result.created);
    after(&scene, step);
    step = before(&scene, DEED_EVENT_PAYLOAD);
    scene_record(&scene, SCENE_KEY);
    no_event(&scene, step);
    scene.provider.next_verdict = DEED_VERDICT_APPLIED;
    assert_int_equal(scene_run(&scene, 0, 0), DEED_OK);
    scene_expect(&scene, DEED_CONFIRMED, DEED_APPLIED);
    scene_check(&scene);
    scene_end(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trap_b9__an_unknown_answer_is_one_answer_event),
        cmocka_unit_test(test_trap_b9__a_key_mismatch_is_an_answer_and_a_hold),
        cmocka_unit_test(test_trap_b9__an_early_absence_is_one_look_event),
        cmocka_unit_test(test_trap_b9__evidence_while_in_flight_is_one_note),
        cmocka_unit_test(test_trap_b9__late_evidence_is_one_note_wherever_the_intent_stands),
        cmocka_unit_test(test_trap_b9__hold_and_release_are_one_event_each),
        cmocka_unit_test(test_trap_b9__the_first_look_of_a_boot_is_one_look_event),
        cmocka_unit_test(test_trap_b9__a_dispute_is_an_event_besides_its_word),
        cmocka_unit_test(test_trap_b9__a_payload_filled_in_is_one_payload_event),
    };
    return cmocka_run_group_tests_name("trap_b9", tests, NULL, NULL);
}
