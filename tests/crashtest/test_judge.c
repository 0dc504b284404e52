/* SPDX-License-Identifier: MIT
 *
 * What counts as a broken promise: every ending of a command, with every number of effects.
 */
#include "support/test.h"

#include "crashtest/judge.h"

struct case_of {
    const char *what;
    enum ending ending;
    uint64_t expect;
    struct judged_effect effects[3];
    size_t count;
    const char *promises; /* in the order in which they are found */
};

static void judge_case(const struct case_of *of)
{
    struct finding findings[8];
    char found[200] = "";
    const struct judged_trial trial = {.ending = of->ending,
        .expect = of->expect,
        .runs = 2,
        .last_status = 1,
        .effects = of->effects,
        .effect_count = of->count};
    const size_t count = judge(&trial, findings, 8);
    assert_true(count <= 8);
    for (size_t i = 0; i < count; i++) {
        const size_t used = strlen(found);
        (void)snprintf(found + used, sizeof found - used, "%s%s", i > 0 ? " " : "",
            promise_word(findings[i].promise));
        assert_true(findings[i].text[0] != '\0');
    }
    if (strcmp(found, of->promises) != 0) {
        fail_msg("%s: found \"%s\"", of->what, found);
    }
}

static void test_judge__each_ending_with_each_number_of_effects(void **state)
{
    (void)state;
    static const struct case_of cases[] = {
        {"done, and done", ENDING_DONE, 1, {{"a", 1, 1, true, true}}, 1, ""},
        {"done in an earlier run", ENDING_DONE, 1, {{"a", 1, 1, true, false}}, 1, ""},
        {"twice under one key", ENDING_DONE, 1, {{"a", 2, 1, true, true}}, 1, "doubled"},
        {"twice under two", ENDING_DONE, 1, {{"a", 2, 2, true, true}}, 1, "doubled"},
        {"twice, and not known", ENDING_UNCERTAIN, 1, {{"a", 2, 2, true, true}}, 1, "doubled"},
        {"twice, and no end", ENDING_NONE, 1, {{"a", 2, 2, true, true}}, 1,
            "doubled never_finished"},
        {"asked for in the last run, and not there", ENDING_DONE, 1, {{"a", 0, 0, true, true}}, 1,
            "claimed"},
        {"forgotten", ENDING_DONE, 1, {{"a", 0, 0, true, false}}, 1, "lost"},
        {"nothing is known of it", ENDING_DONE, 1, {{NULL, 0, 0, false, false}}, 0, "claimed"},
        {"not there, and not known", ENDING_UNCERTAIN, 1, {{"a", 0, 0, true, false}}, 1, ""},
        {"there, and not known", ENDING_UNCERTAIN, 1, {{"a", 1, 1, true, false}}, 1, ""},
        {"no end, though it is there", ENDING_NONE, 1, {{"a", 1, 1, true, true}}, 1,
            "never_finished"},
        {"too long", ENDING_TOO_LONG, 1, {{"a", 0, 0, true, true}}, 1, "never_finished"},
        {"another name", ENDING_DONE, 1, {{"a", 0, 0, true, false}, {"b", 1, 1, false, false}}, 2,
            ""},
        {"and another name", ENDING_DONE, 1, {{"a", 1, 1, true, true}, {"b", 1, 1, false, true}}, 2,
            "doubled"},
        {"the second of two is missing", ENDING_DONE, 2,
            {{"a", 1, 1, true, true}, {"b", 0, 0, true, true}}, 2, "claimed"},
        {"one of three, one forgotten", ENDING_DONE, 3,
            {{"a", 1, 1, true, true}, {"b", 0, 0, true, false}}, 2, "lost claimed"},
        {"one twice does not make up for the other", ENDING_DONE, 2,
            {{"a", 2, 2, true, true}, {"b", 0, 0, true, true}}, 2, "doubled claimed"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        judge_case(&cases[i]);
    }
}

static void test_judge__more_findings_than_room_are_counted(void **state)
{
    (void)state;
    struct finding findings[2];
    const struct judged_effect effects[] = {
        {"a", 2, 2, true, true}, {"b", 2, 2, true, true}, {"c", 2, 2, true, true}};
    const struct judged_trial trial = {
        .ending = ENDING_DONE, .expect = 3, .runs = 1, .effects = effects, .effect_count = 3};
    assert_int_equal(judge(&trial, findings, 2), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_judge__each_ending_with_each_number_of_effects),
        cmocka_unit_test(test_judge__more_findings_than_room_are_counted),
    };
    return cmocka_run_group_tests_name("judge", tests, NULL, NULL);
}
