/* SPDX-License-Identifier: MIT
 *
 * Strict UTF-8. Method: encode every number there is with an encoder of our own and decode it again;
 * then every pair of bytes, and the forms an attacker would try.
 */
#include "support/test.h"

#include "utf8.h"

#include <stdbool.h>
#include <string.h>

/* Encodes blindly, surrogates and all. */
static size_t encode(uint32_t code_point, size_t length, char out[4])
{
    static const unsigned char lead[] = {0, 0x00, 0xC0, 0xE0, 0xF0};
    for (size_t i = length - 1; i > 0; i--) {
        out[i] = (char)(0x80 | (code_point & 0x3F));
        code_point >>= 6;
    }
    out[0] = (char)(lead[length] | code_point);
    return length;
}

static size_t natural_length(uint32_t code_point)
{
    return code_point < 0x80 ? 1 : code_point < 0x800 ? 2 : code_point < 0x10000 ? 3 : 4;
}

static void test_utf8__every_code_point_comes_back_and_surrogates_do_not(void **state)
{
    (void)state;
    for (uint32_t code_point = 0; code_point <= 0x1FFFFF; code_point++) {
        char bytes[4];
        uint32_t decoded = 0;
        size_t length = encode(code_point, natural_length(code_point), bytes);
        bool valid = code_point <= 0x10FFFF && (code_point < 0xD800 || code_point > 0xDFFF);
        if (deed__utf8_next(bytes, length, &decoded) != (valid ? length : 0)) {
            fail_msg("U+%04X", (unsigned)code_point);
        }
        if (valid && decoded != code_point) {
            fail_msg("U+%04X came back as U+%04X", (unsigned)code_point, (unsigned)decoded);
        }
    }
}

static void test_utf8__overlong_forms_are_refused(void **state)
{
    (void)state;
    static const uint32_t largest[] = {0, 0x7F, 0x7FF, 0xFFFF};
    for (size_t length = 2; length <= 4; length++) {
        for (uint32_t code_point = 0; code_point <= largest[length - 1]; code_point++) {
            char bytes[4];
            uint32_t decoded = 0;
            (void)encode(code_point, length, bytes);
            assert_int_equal(0, deed__utf8_next(bytes, length, &decoded));
        }
    }
}

static void test_utf8__a_sequence_that_is_cut_or_broken_is_refused(void **state)
{
    (void)state;
    static const uint32_t samples[] = {0xE9, 0x20AC, 0x1F600};
    for (size_t i = 0; i < 3; i++) {
        char bytes[4];
        uint32_t decoded = 0;
        size_t length = encode(samples[i], natural_length(samples[i]), bytes);
        for (size_t kept = 0; kept < length; kept++) {
            assert_int_equal(0, deed__utf8_next(bytes, kept, &decoded));
        }
        for (size_t broken = 1; broken < length; broken++) {
            char copy[4];
            memcpy(copy, bytes, sizeof(copy));
            copy[broken] = 'x';
            assert_int_equal(0, deed__utf8_next(copy, length, &decoded));
        }
        assert_int_equal(0, deed__utf8_next(bytes + 1, length - 1, &decoded)); /* no lead */
    }
}

static void test_utf8__counting_stops_where_the_text_is_broken(void **state)
{
    (void)state;
    size_t valid_bytes = 99;
    assert_int_equal(0, deed__utf8_count("", 0, &valid_bytes));
    assert_int_equal(0, valid_bytes);
    assert_int_equal(4, deed__utf8_count("a\0\xC3\xA9\xF0\x9F\x98\x80", 8, &valid_bytes));
    assert_int_equal(8, valid_bytes);
    assert_int_equal(2,
        deed__utf8_count("ab\xFF"
                         "cd",
            5, &valid_bytes));
    assert_int_equal(2, valid_bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_utf8__every_code_point_comes_back_and_surrogates_do_not),
        cmocka_unit_test(test_utf8__overlong_forms_are_refused),
        cmocka_unit_test(test_utf8__a_sequence_that_is_cut_or_broken_is_refused),
        cmocka_unit_test(test_utf8__counting_stops_where_the_text_is_broken),
    };
    return cmocka_run_group_tests_name("utf8", tests, NULL, NULL);
}
