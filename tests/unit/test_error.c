/* SPDX-License-Identifier: MIT
 *
 * Errors: filled once, cut rather than overrun, and optional.
 */
#include "support/test.h"

#include <deed/ext/error.h>

#include <string.h>

static void test_error__setting_one_forgets_the_one_before(void **state)
{
    (void)state;
    struct deed_error err = {.native = 7, .key = "old", .next = "old"};
    assert_int_equal(DEED_E_BUSY, deed_error_set(&err, DEED_E_BUSY, "core", "%d of %s", 3, "x"));
    assert_int_equal(DEED_E_BUSY, err.rc);
    assert_string_equal("core", err.origin);
    assert_string_equal("3 of x", err.text);
    assert_int_equal(0, err.native);
    assert_string_equal("", err.key);
    assert_string_equal("", err.next);
    deed_error_native(&err, 778);
    assert_int_equal(778, err.native);
}

static void test_error__context_goes_in_front(void **state)
{
    (void)state;
    struct deed_error err;
    (void)deed_error_set(&err, DEED_E_STORE, "store.sqlite", "disk I/O error");
    deed_error_context(&err, "migrate 0003");
    deed_error_context(&err, "open");
    assert_string_equal("open: migrate 0003: disk I/O error", err.text);
    assert_int_equal(DEED_E_STORE, err.rc);
}

static void test_error__what_does_not_fit_is_cut(void **state)
{
    (void)state;
    char text[2 * DEED_ERROR_TEXT_BYTES];
    struct deed_error err;
    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    (void)deed_error_set(&err, DEED_E_INVALID, text, "%s", text);
    assert_int_equal(sizeof(err.origin) - 1, strlen(err.origin));
    assert_int_equal(sizeof(err.text) - 1, strlen(err.text));
    deed_error_context(&err, "open");
    assert_memory_equal("open: xxx", err.text, 9);
}

static void test_error__a_caller_may_want_none(void **state)
{
    (void)state;
    assert_int_equal(DEED_E_NOMEM, deed_error_set(NULL, DEED_E_NOMEM, "core", "x"));
    deed_error_native(NULL, 1);
    deed_error_context(NULL, "open");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_error__setting_one_forgets_the_one_before),
        cmocka_unit_test(test_error__context_goes_in_front),
        cmocka_unit_test(test_error__what_does_not_fit_is_cut),
        cmocka_unit_test(test_error__a_caller_may_want_none),
    };
    return cmocka_run_group_tests_name("error", tests, NULL, NULL);
}
