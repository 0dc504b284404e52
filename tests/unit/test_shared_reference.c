/* SPDX-License-Identifier: MIT
 *
 * One effect belongs to one intent. What was seen first-hand settles all the same, but an answer that
 * names the effect of another intent is disputed: one of the two may never have happened.
 */
#include "support/scene.h"

#define OTHER "pay-2"

static void answer(struct scene *scene, struct deed_answer *out, const char *reference)
{
    (void)scene;
    *out = (struct deed_answer){.size = sizeof(*out), .verdict = DEED_VERDICT_APPLIED};
    (void)snprintf(out->reference, sizeof(out->reference), "%s", reference);
}

/* Another intent is applied, and its effect is called fx-1. */
static void arrange(struct scene *scene)
{
    scene_new(scene, SCENE_KEYED_LOOKUP);
    scene_record(scene, OTHER);
    scene->provider.next_verdict = DEED_VERDICT_APPLIED;
    scene->provider.reference = "fx-1";
    struct deed_result result = {.size = sizeof(result)};
    assert_int_equal(deed_run(scene->workers[0], OTHER, 0, &result, &scene->err), DEED_OK);
    assert_int_equal(result.outcome, DEED_APPLIED);
    assert_false(result.disputed);
}

static void expect_shared(struct scene *scene, deed_state state)
{
    scene_expect(scene, state, DEED_APPLIED);
    assert_true(scene->result.disputed);
    assert_non_null(strstr(scene->result.disputed_reason, "one effect belongs to one intent"));
    assert_int_equal(scene_events(scene, DEED_EVENT_DISPUTE), 1);
    scene_check(scene);
}

static void test_shared_reference__first_hand_settles_and_is_disputed(void **state)
{
    (void)state;
    struct scene scene;
    arrange(&scene);
    assert_int_equal(scene_run(&scene, 0, 0), DEED_OK);
    expect_shared(&scene, DEED_CONFIRMED);
    assert_int_equal(scene.result.grade, DEED_GRADE_FIRST_HAND);
    assert_int_equal(scene_resolve(&scene, 1, DEED_APPLIED), DEED_OK); /* a person closes it */
    scene_expect_disputed(&scene, false);
    scene_check(&scene);
    scene_end(&scene);
}

static void test_shared_reference__so_does_an_answer_to_a_replay(void **state)
{
    (void)state;
    struct scene scene;
    arrange(&scene);
    struct deed_attempt first = {.size = sizeof(first)};
    struct deed_attempt replay = {.size = sizeof(replay)};
    assert_int_equal(scene_begin(&scene, 0, 0, &first), DEED_OK);
    scene_past_lease(&scene);
    assert_int_equal(scene_begin(&scene, 0, DEED_BEGIN_REPLAY, &replay), DEED_OK);
    struct deed_answer applied;
    answer(&scene, &applied, "fx-1");
    assert_int_equal(scene_answer(&scene, 0, replay.token, &applied), DEED_OK);
    expect_shared(&scene, DEED_RECONCILED);
    scene_end(&scene);
}

/* It was known to be applied, and its own answer comes late with a reference that is not its own. */
static void test_shared_reference__so_does_a_late_word(void **state)
{
    (void)state;
    struct scene scene;
    arrange(&scene);
    struct deed_attempt first = {.size = sizeof(first)};
    assert_int_equal(scene_begin(&scene, 0, 0, &first), DEED_OK);
    scene_past_lease(&scene);
    scene.provider.reference = NULL;
    scene.provider.next_finding = DEED_FOUND_PRESENT;
    assert_int_equal(scene_reconcile(&scene, 1), DEED_OK);
    scene_expect(&scene, DEED_RECONCILED, DEED_APPLIED);
    assert_false(scene.result.disputed);
    struct deed_answer applied;
    answer(&scene, &applied, "fx-1");
    assert_int_equal(scene_answer(&scene, 0, first.token, &applied), DEED_OK);
    expect_shared(&scene, DEED_RECONCILED);
    scene_end(&scene);
}

/* A look-up has named its effect, and its own answer names it again. */
static void test_shared_reference__its_own_reference_again_is_not_disputed(void **state)
{
    (void)state;
    struct scene scene;
    arrange(&scene);
    struct deed_attempt first = {.size = sizeof(first)};
    assert_int_equal(scene_begin(&scene, 0, 0, &first), DEED_OK);
    scene_past_lease(&scene);
    scene.provider.reference = "fx-2";
    scene.provider.next_finding = DEED_FOUND_PRESENT;
    assert_int_equal(scene_reconcile(&scene, 1), DEED_OK);
    scene_expect(&scene, DEED_RECONCILED, DEED_APPLIED);
    struct deed_answer applied;
    answer(&scene, &applied, "fx-2");
    assert_int_equal(scene_answer(&scene, 0, first.token, &applied), DEED_OK);
    scene_expect_disputed(&scene, false);
    scene_check(&scene);
    scene_end(&scene);
}

/* Its own reference again, another one, or none at all: nothing to dispute. */
static void test_shared_reference__a_reference_of_its_own_is_not_disputed(void **state)
{
    (void)state;
    static const char *const references[] = {"fx-2", ""};
    for (size_t i = 0; i < 2; i++) {
        struct scene scene;
        arrange(&scene);
        struct deed_attempt first = {.size = sizeof(first)};
        assert_int_equal(scene_begin(&scene, 0, 0, &first), DEED_OK);
        struct deed_answer applied;
        answer(&scene, &applied, references[i]);
        assert_int_equal(scene_answer(&scene, 0, first.token, &applied), DEED_OK);
        assert_int_equal(scene_answer(&scene, 0, first.token, &applied), DEED_OK);
        scene_expect(&scene, DEED_CONFIRMED, DEED_APPLIED);
        assert_false(scene.result.disputed);
        scene_end(&scene);
    }
}

/* A look-up has stored it, and then the answer to the attempt comes and says the same. */
static void test_shared_reference__what_a_look_up_stored_of_its_own_is_not_disputed(void **state)
{
    (void)state;
    struct scene scene;
    arrange(&scene);
    struct deed_attempt first = {.size = sizeof(first)};
    assert_int_equal(scene_begin(&scene, 0, 0, &first), DEED_OK);
    scene_past_lease(&scene);
    scene.provider.reference = "fx-2";
    scene.provider.next_finding = DEED_FOUND_PRESENT;
    assert_int_equal(scene_reconcile(&scene, 1), DEED_OK);
    struct deed_answer applied;
    answer(&scene, &applied, "fx-2");
    assert_int_equal(scene_answer(&scene, 0, first.token, &applied), DEED_OK);
    scene_expect(&scene, DEED_RECONCILED, DEED_APPLIED);
    assert_false(scene.result.disputed);
    scene_check(&scene);
    scene_end(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shared_reference__first_hand_settles_and_is_disputed),
        cmocka_unit_test(test_shared_reference__so_does_an_answer_to_a_replay),
        cmocka_unit_test(test_shared_reference__so_does_a_late_word),
        cmocka_unit_test(test_shared_reference__its_own_reference_again_is_not_disputed),
        cmocka_unit_test(test_shared_reference__a_reference_of_its_own_is_not_disputed),
        cmocka_unit_test(test_shared_reference__what_a_look_up_stored_of_its_own_is_not_disputed),
    };
    return cmocka_run_group_tests_name("shared_reference", tests, NULL, NULL);
}
