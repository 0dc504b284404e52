/* SPDX-License-Identifier: MIT
 *
 * Action keys: [a-z0-9-]{1,80}, nothing else.
 */
#include "support/test.h"

#include <deed/payload.h>

#include <string.h>

static void test_key__each_byte_is_allowed_exactly_if_the_alphabet_has_it(void **state)
{
    (void)state;
    for (int byte = 1; byte < 256; byte++) {
        const char key[] = {'k', (char)byte, '\0'};
        bool allowed = strchr("abcdefghijklmnopqrstuvwxyz0123456789-", byte) != NULL;
        assert_int_equal(allowed ? DEED_OK : DEED_E_INVALID, deed_key_check(key, NULL));
    }
}

static void test_key__eighty_characters_fit_and_no_more(void **state)
{
    (void)state;
    char key[DEED_KEY_BYTES_MAX + 2];
    struct deed_error err = {0};
    memset(key, 'a', sizeof(key));
    key[DEED_KEY_BYTES_MAX + 1] = '\0';
    assert_int_equal(DEED_E_INVALID, deed_key_check(key, &err));
    assert_string_equal("action key: longer than 80 characters; shorten it", err.text);
    key[DEED_KEY_BYTES_MAX] = '\0';
    assert_int_equal(DEED_OK, deed_key_check(key, &err));
}

static void test_key__the_error_says_which_character_is_wrong(void **state)
{
    (void)state;
    struct deed_error err = {0};
    assert_int_equal(DEED_E_INVALID, deed_key_check("payA", &err));
    assert_string_equal(
        "action key: character 4 is 'A'; only a-z, 0-9 and - are allowed", err.text);
    assert_int_equal(DEED_E_INVALID, deed_key_check("\xEF\xBD\x81", &err)); /* full-width a */
    assert_string_equal(
        "action key: character 1 is the byte 0xef; only a-z, 0-9 and - are allowed", err.text);
}

static void test_key__an_empty_key_is_none(void **state)
{
    (void)state;
    struct deed_error err = {0};
    assert_int_equal(DEED_E_INVALID, deed_key_check("", &err));
    assert_non_null(strstr(err.text, "choose 1 to 80 characters"));
    assert_int_equal(DEED_E_INVALID, deed_key_check(NULL, &err));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_key__each_byte_is_allowed_exactly_if_the_alphabet_has_it),
        cmocka_unit_test(test_key__eighty_characters_fit_and_no_more),
        cmocka_unit_test(test_key__the_error_says_which_character_is_wrong),
        cmocka_unit_test(test_key__an_empty_key_is_none),
    };
    return cmocka_run_group_tests_name("key", tests, NULL, NULL);
}
