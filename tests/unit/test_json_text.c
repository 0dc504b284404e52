/* SPDX-License-Identifier: MIT
 *
 * The look at a JSON text before the parser's.
 */
#include "support/test.h"

#include "json_text.h"

#include <string.h>

static void assert_refused(const char *json, size_t bytes, const char *expected)
{
    struct deed_error err = {0};
    assert_int_equal(DEED_E_INVALID, deed__json_text_check(json, bytes, &err));
    assert_string_equal(expected, err.text);
}

static void test_json_text__places_count_lines_and_characters_from_one(void **state)
{
    (void)state;
    static const char text[] = "a\n\xC3\xA9\xF0\x9F\x98\x80z";
    static const struct {
        size_t offset, line, column;
    } cases[] = {{0, 1, 1}, {1, 1, 2}, {2, 2, 1}, {4, 2, 2}, {8, 2, 3}, {99, 2, 4}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct deed__json_place place =
            deed__json_place_of(text, sizeof(text) - 1, cases[i].offset);
        assert_int_equal(cases[i].line, place.line);
        assert_int_equal(cases[i].column, place.column);
    }
}

static void test_json_text__the_string_before_a_place_is_found_whatever_it_holds(void **state)
{
    (void)state;
    static const char *const literals[] = {
        "\"\"", "\"a\"", "\"\\\"\"", "\"\\\\\"", "\"x\\\\\\\"y\"", "\"\\\"\\\"\"", "\"\\\\\\\\\""};
    for (size_t i = 0; i < sizeof(literals) / sizeof(literals[0]); i++) {
        char json[64] = "{\"a\\\\\":1,";
        size_t expected = strlen(json);
        size_t start = 0;
        size_t bytes = 0;
        strncat(json, literals[i], sizeof(json) - expected - 1);
        assert_true(deed__json_string_before(json, strlen(json), &start, &bytes));
        assert_int_equal(expected, start);
        assert_int_equal(strlen(literals[i]), bytes);
    }
    size_t start = 0;
    size_t bytes = 0;
    assert_false(deed__json_string_before("{", 1, &start, &bytes));
    assert_false(deed__json_string_before("x\"", 2, &start, &bytes));
    assert_false(deed__json_string_before("\"a\":", 4, &start, &bytes));
}

static void test_json_text__sixteen_levels_pass_and_seventeen_do_not(void **state)
{
    (void)state;
    char json[40] = "";
    memset(json, '[', 16);
    memset(json + 16, ']', 16);
    assert_int_equal(DEED_OK, deed__json_text_check(json, 32, NULL));
    memset(json, '[', 17);
    memset(json + 17, ']', 17);
    assert_refused(json, 34, "line 1, column 17: nested deeper than 16 levels");
}

static void test_json_text__brackets_in_strings_are_text(void **state)
{
    (void)state;
    static const char json[] = "\"[[[[[[[[[[[[[[[[[[[[\\\"[[[[{{{{\"";
    assert_int_equal(DEED_OK, deed__json_text_check(json, sizeof(json) - 1, NULL));
}

static void test_json_text__closing_brackets_buy_no_depth(void **state)
{
    (void)state;
    char json[40];
    memset(json, ']', 20);
    memset(json + 20, '[', 17);
    assert_refused(json, 37, "line 1, column 37: nested deeper than 16 levels");
}

static void test_json_text__a_text_cut_anywhere_is_read_no_further_than_its_end(void **state)
{
    (void)state; /* ASan watches: each copy has exactly the bytes that are given */
    static const char json[] = "{\"k\\u00e9\":\"\\ud83d\\ude00\\n\"}";
    for (size_t bytes = 1; bytes < sizeof(json); bytes++) {
        char *copy = malloc(bytes);
        assert_non_null(copy);
        memcpy(copy, json, bytes);
        (void)!deed__json_text_check(copy, bytes, NULL);
        free(copy);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_json_text__places_count_lines_and_characters_from_one),
        cmocka_unit_test(test_json_text__the_string_before_a_place_is_found_whatever_it_holds),
        cmocka_unit_test(test_json_text__sixteen_levels_pass_and_seventeen_do_not),
        cmocka_unit_test(test_json_text__brackets_in_strings_are_text),
        cmocka_unit_test(test_json_text__closing_brackets_buy_no_depth),
        cmocka_unit_test(test_json_text__a_text_cut_anywhere_is_read_no_further_than_its_end),
    };
    return cmocka_run_group_tests_name("json_text", tests, NULL, NULL);
}
