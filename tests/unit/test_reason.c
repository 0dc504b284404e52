/* SPDX-License-Identifier: MIT
 *
 * Reasons. Method: every situation an intent can stand in is arranged at every class of provider;
 * each reason that is told there is marked in reason.def, and everything marked there was told.
 */
#include "support/situation.h"

#define REACHES 64
static uint32_t told[REACHES]; /* classes, by row of reason.def */

static size_t row_of(const struct deed_result *result)
{
    for (size_t i = 0; deed_reach_at(i) != NULL; i++) {
        const struct deed_reach *reach = deed_reach_at(i);
        if (reach->reason == result->reason && reach->state == result->state &&
            reach->outcome == result->outcome) {
            return i;
        }
    }
    return SIZE_MAX;
}

static void mark(const char *situation, const struct deed_result *result)
{
    uint32_t class =
        result->class_known ? 1U << (unsigned)result->provider_class : DEED_CLASS_BIT_NONE;
    size_t row = row_of(result);
    if (row >= REACHES || (deed_reach_at(row)->classes & class) == 0) {
        fail_msg("%s: \"%s\" at %s, %s, class %u is not marked", situation,
            deed_reason_name(result->reason), deed_state_name(result->state),
            deed_outcome_name(result->outcome), (unsigned)class);
    }
    told[row] |= class;
}

static void arrange_all(const struct situation *situation)
{
    for (unsigned class = 0; class < SCENE_CLASSES; class ++) {
        if ((situation->classes & (1U << class)) != 0) {
            struct scene scene;
            struct situation_attempts attempts;
            memset(&attempts, 0, sizeof(attempts));
            situation->arrange(&scene, (enum scene_class) class, &attempts);
            scene_get(&scene);
            mark(situation->name, &scene.result);
            scene_check(&scene);
            scene_end(&scene);
        }
    }
}

static void test_reason__what_is_told_is_marked_and_what_is_marked_is_told(void **state)
{
    (void)state;
    for (size_t i = 0; situation_at(i) != NULL; i++) {
        arrange_all(situation_at(i));
    }
    for (size_t i = 0; deed_reach_at(i) != NULL; i++) {
        const struct deed_reach *reach = deed_reach_at(i);
        if (told[i] != reach->classes) {
            fail_msg("\"%s\" at %s, %s is marked for classes %u and was told for %u",
                deed_reason_name(reach->reason), deed_state_name(reach->state),
                deed_outcome_name(reach->outcome), (unsigned)reach->classes, (unsigned)told[i]);
        }
    }
}

static void test_reason__each_place_is_marked_once_and_can_be(void **state)
{
    (void)state;
    for (size_t i = 0; deed_reach_at(i) != NULL; i++) {
        const struct deed_reach *one = deed_reach_at(i);
        assert_true(i < REACHES);
        assert_true(deed_state_allows(one->state, one->outcome));
        assert_true(one->classes != 0 && one->classes < 2 * DEED_CLASS_BIT_NONE);
        for (size_t k = 0; k < i; k++) {
            const struct deed_reach *other = deed_reach_at(k);
            assert_false(one->reason == other->reason && one->state == other->state &&
                one->outcome == other->outcome);
        }
    }
}

/* Each has a name of its own and a sentence, and occurs somewhere. */
static void test_reason__each_has_a_name_a_sentence_and_a_place(void **state)
{
    (void)state;
    for (int reason = 1; reason < DEED_REASON_COUNT; reason++) {
        const char *name = deed_reason_name((deed_reason)reason);
        assert_non_null(name);
        assert_non_null(deed_reason_sentence((deed_reason)reason));
        for (int other = 1; other < reason; other++) {
            assert_string_not_equal(name, deed_reason_name((deed_reason)other));
        }
        size_t i = 0;
        while (deed_reach_at(i) != NULL && (int)deed_reach_at(i)->reason != reason) {
            i++;
        }
        assert_non_null(deed_reach_at(i));
    }
    assert_string_equal(deed_reason_name(DEED_REASON_NONE), "none");
    assert_null(deed_reason_sentence(DEED_REASON_NONE));
    assert_null(deed_reason_name(DEED_REASON_COUNT));
    assert_null(deed_reason_name((deed_reason)-1));
    assert_null(deed_reach_at(SIZE_MAX));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reason__what_is_told_is_marked_and_what_is_marked_is_told),
        cmocka_unit_test(test_reason__each_place_is_marked_once_and_can_be),
        cmocka_unit_test(test_reason__each_has_a_name_a_sentence_and_a_place),
    };
    return cmocka_run_group_tests_name("reason", tests, NULL, NULL);
}
