/* SPDX-License-Identifier: MIT
 *
 * What is a payload and what is none. Each refusal names the member or the place and what to do, and
 * no refusal quotes a text: SECRET stands wherever a body could leak from.
 */
#include "support/test.h"

#include "support/payload.h"

#include <jansson.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>

static void assert_bytes_refused(const char *json, size_t bytes, const char *expected)
{
    deed_payload_buffer *buffer = NULL;
    struct deed_error err = {0};
    assert_int_equal(DEED_E_INVALID, deed_payload_parse(json, bytes, &buffer, &err));
    assert_null(buffer);
    assert_string_equal(expected, err.text);
    assert_string_equal("core", err.origin);
}

static void assert_refused(const char *json, const char *expected)
{
    assert_bytes_refused(json, strlen(json), expected);
}

static void test_payload__three_strings_are_taken_as_they_are(void **state)
{
    (void)state;
    static const char json[] =
        " {\"body\":\"a\\u0000b\",\"kind\":\"\",\"target\":\"\xC3\xA9\"}\r\n";
    deed_payload_buffer *buffer = NULL;
    assert_int_equal(DEED_OK, deed_payload_parse(json, sizeof(json) - 1, &buffer, NULL));
    const struct deed_payload *view = deed_payload_view(buffer);
    assert_int_equal(0, view->kind.bytes);
    assert_non_null(view->kind.data); /* empty is not missing */
    assert_int_equal(2, view->target.bytes);
    assert_memory_equal("\xC3\xA9", view->target.data, 2);
    assert_int_equal(3, view->body.bytes);
    assert_memory_equal("a\0b", view->body.data, 3);
    deed_payload_free(buffer);
    deed_payload_free(NULL);
}

static void test_payload__members_are_exactly_three(void **state)
{
    (void)state;
    assert_refused("{\"kind\":\"a\",\"target\":\"b\"}",
        "payload: the member \"body\" is missing; an empty string is allowed");
    assert_refused("{}", "payload: the member \"kind\" is missing; an empty string is allowed");
    assert_refused("{\"kind\":\"a\",\"target\":\"b\",\"body\":\"SECRET\",\"amount\\n\":\"SECRET\"}",
        "payload: the member \"amount\\n\" is unknown; a payload has exactly kind, target and "
        "body");
    assert_refused("{\"Kind\":\"a\",\"target\":\"b\",\"body\":\"SECRET\"}",
        "payload: the member \"Kind\" is unknown; a payload has exactly kind, target and body");
    assert_refused("{\"\":\"a\",\"target\":\"b\",\"body\":\"SECRET\"}",
        "payload: the member \"\" is unknown; a payload has exactly kind, target and body");
}

static void test_payload__other_types_are_refused_by_name(void **state)
{
    (void)state;
    static const struct {
        const char *value, *type;
    } cases[] = {{"1", "a number"}, {"-0.5e3", "a number"}, {"null", "null"}, {"true", "a boolean"},
        {"false", "a boolean"}, {"[\"SECRET\"]", "an array"}, {"{\"SECRET\":1}", "an object"}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char json[128];
        char expected[128];
        (void)snprintf(json, sizeof(json), "{\"kind\":\"a\",\"target\":%s,\"body\":\"SECRET\"}",
            cases[i].value);
        (void)snprintf(expected, sizeof(expected),
            "payload: the member \"target\" is %s; it must be a string", cases[i].type);
        assert_refused(json, expected);
        if (cases[i].value[0] != '{') {
            (void)snprintf(expected, sizeof(expected),
                "payload: it is %s; give an object with the strings kind, target and body",
                cases[i].type);
            assert_refused(cases[i].value, expected);
        }
    }
    assert_refused("\"SECRET\"",
        "payload: it is a string; give an object with the strings kind, target and body");
}

static void test_payload__a_member_given_twice_is_refused_with_name_and_place(void **state)
{
    (void)state;
    assert_refused("{\"kind\":\"a\",\"target\":\"b\",\n \"body\":\"SECRET\",\"body\":\"SECRET\"}",
        "payload: line 2, column 18: the member \"body\" was there before; give each member once");
    /* the same name in another spelling */
    assert_refused("{\"kind\":\"a\",\"\\u006bind\":\"b\",\"target\":\"\",\"body\":\"SECRET\"}",
        "payload: line 1, column 13: the member \"kind\" was there before; give each member once");
    /* inside a value that would be refused anyway: no parser of ours ever chooses */
    assert_refused("{\"body\":{\"amount\":10,\"amount\":1000},\"kind\":\"a\",\"target\":\"b\"}",
        "payload: line 1, column 22: the member \"amount\" was there before; give each member "
        "once");
}

static void test_payload__a_lone_surrogate_is_refused_with_its_place(void **state)
{
    (void)state;
    static const char *const halves[] = {"\\ud83d", "\\uDE00", "\\ud83d\\ud83d", "\\ud83dx",
        "\\ude00\\ud83d", "\\ud83d\\n", "\\ud83d\\u0041"};
    for (size_t i = 0; i < sizeof(halves) / sizeof(halves[0]); i++) {
        char json[128];
        (void)snprintf(json, sizeof(json),
            "{\"kind\":\"a\",\"target\":\"b\",\"body\":\"SECRET%s\"}", halves[i]);
        assert_refused(json,
            "payload: line 1, column 40: half of a surrogate pair stands alone: "
            "write both halves, or the character itself");
    }
}

static void test_payload__bad_escapes_are_syntax_errors(void **state)
{
    (void)state;
    assert_refused(
        "{\"kind\":\"SECRET\\u12\"}", "payload: line 1, column 16: \\u needs four hex digits");
    assert_refused(
        "{\"kind\":\"SECRET\\uX000\"}", "payload: line 1, column 16: \\u needs four hex digits");
    assert_refused("{\"kind\":\"\\x41\"}",
        "payload: line 1, column 10: JSON has no such escape; a backslash itself is written \\\\");
    assert_refused("{\"kind\":\"\\U0041\"}",
        "payload: line 1, column 10: JSON has no such escape; a backslash itself is written \\\\");
    assert_bytes_refused("{\"kind\":\"\\\0\"}", 12,
        "payload: line 1, column 10: JSON has no such escape; a backslash itself is written \\\\");
}

static void test_payload__raw_control_characters_are_refused_and_nul_is_one(void **state)
{
    (void)state;
    static const char expected[] =
        "payload: line 1, column 11: a control character stands raw in a "
        "string: write it as an escape, \\n or \\u0000";
    assert_bytes_refused("{\"kind\":\"a\0b\"}", 14, expected);
    assert_bytes_refused("{\"kind\":\"a\nb\"}", 14, expected);
    assert_bytes_refused("{\"kind\":\"a\x1F"
                         "b\"}",
        14, expected);
    assert_bytes_refused("{\"kind\\u0000\":\"a\"}", 18,
        "payload: line 1, column 13: a member's name holds a NUL; the names are kind, target and "
        "body");
    assert_bytes_refused("{\"kind\":\"a\"\0}", 13,
        "payload: line 1, column 12: a NUL byte stands outside of any string");
}

static void test_payload__invalid_utf8_is_refused_with_its_place(void **state)
{
    (void)state;
    static const char *const broken[] = {
        "\xFF", "\xC0\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xE2\x82", "\x80"};
    for (size_t i = 0; i < sizeof(broken) / sizeof(broken[0]); i++) {
        char json[128];
        (void)snprintf(json, sizeof(json),
            "{\"kind\":\"a\",\"target\":\"b\",\"body\":\"SECRET%s\"}", broken[i]);
        assert_refused(
            json, "payload: line 1, column 40: the text is not valid UTF-8 from here on");
    }
}

static void test_payload__what_is_no_json_is_refused_with_its_place(void **state)
{
    (void)state;
    assert_bytes_refused(NULL, 0, "payload: the text is empty");
    assert_refused("", "payload: the text is empty");
    assert_refused(" \t\r\n", "payload: the text is empty");
    assert_refused("\xEF\xBB\xBF{}",
        "payload: line 1, column 1: a byte order mark: save the text as UTF-8 without one");
    assert_refused("{\"kind\":\"a\",\"target\":\"b\",\"body\":\"SECRET\"} SECRET",
        "payload: line 1, column 48: something follows after the object; give one payload at a "
        "time");
    assert_refused("{\"kind\":\"a\",\"target\":\"b\",\"body\":\"c\"}{}",
        "payload: line 1, column 37: something follows after the object; give one payload at a "
        "time");
    assert_refused("{\"kind\":\"a\",\n\"target\":\"SECRET",
        "payload: line 2, column 16: the text ends here, before the object does");
    assert_refused("{'kind':'SECRET'}", "payload: line 1, column 2: this is not valid JSON");
    assert_refused("{\"kind\":\"a\",}", "payload: line 1, column 13: this is not valid JSON");
    assert_refused("{\"kind\":1e999}",
        "payload: line 1, column 13: a number no machine can hold; a payload has strings only");
}

static void test_payload__four_thousand_code_points_fit_and_no_more(void **state)
{
    (void)state;
    static const char *const units[] = {
        "x", "\xC3\xA9", "\xF0\x9F\x98\x80", "\\ud83d\\ude00", "\\u0000"};
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        char digest[DEED_DIGEST_TEXT_BYTES];
        char *json =
            repeated("{\"kind\":\"a\",\"target\":\"b\",\"body\":\"", units[i], 4000, "\"}");
        digest_of_json(json, digest);
        free(json);
        json = repeated("{\"kind\":\"a\",\"body\":\"b\",\"target\":\"", units[i], 4001, "\"}");
        assert_refused(json,
            "payload: the member \"target\" has 4001 characters, at most 4000 are "
            "allowed; shorten it, or let it name where the text is kept");
        free(json);
    }
}

/* Parses texts nested ever deeper; run on a thread with hardly any stack. */
static void *parse_deep_texts(void *unused)
{
    static const size_t depths[] = {10, 100, 1000, 2047, 2049, 100000};
    static const char *const opens[] = {"[", "{\"a\":", "{\"body\":[{\"\":"};
    for (size_t i = 0; i < sizeof(depths) / sizeof(depths[0]); i++) {
        for (size_t j = 0; j < sizeof(opens) / sizeof(opens[0]); j++) {
            deed_payload_buffer *buffer = NULL;
            char *json = repeated("{\"kind\":", opens[j], depths[i], "");
            assert_int_equal(DEED_E_INVALID, deed_payload_parse(json, strlen(json), &buffer, NULL));
            free(json);
        }
    }
    return unused;
}

static void test_payload__deep_nesting_is_an_error_on_any_stack(void **state)
{
    (void)state;
    char *json = repeated("{\"kind\":\"a\",\"target\":\"b\",\"body\":", "[", 100000, "");
    assert_refused(json, "payload: line 1, column 48: nested deeper than 16 levels");
    free(json);
    json = repeated("{\"kind\":\"a\",\"target\":\"b\",\"body\":", "[", 15, "]]]]]]]]]]]]]]]}");
    assert_refused(json, "payload: the member \"body\" is an array; it must be a string");
    free(json);
    (void)parse_deep_texts(NULL);

    pthread_t thread;
    pthread_attr_t attributes;
    const size_t stack_bytes = 65536; /* a parser that recursed would need megabytes */
    assert_int_equal(0, pthread_attr_init(&attributes));
    assert_int_equal(0, pthread_attr_setstacksize(&attributes, stack_bytes));
    assert_int_equal(0, pthread_create(&thread, &attributes, parse_deep_texts, NULL));
    assert_int_equal(0, pthread_join(thread, NULL));
    assert_int_equal(0, pthread_attr_destroy(&attributes));
}

static void test_payload__one_filled_by_hand_is_held_to_the_same_rules(void **state)
{
    (void)state;
    struct deed_error err = {0};
    struct deed_payload payload = {TEXT("k"), TEXT(""), TEXT("a\0b")};
    assert_int_equal(DEED_OK, deed_payload_check(&payload, &err));

    payload.target = (struct deed_text){NULL, 0};
    assert_int_equal(DEED_E_INVALID, deed_payload_check(&payload, &err));
    assert_string_equal(
        "payload: the member \"target\" is missing; an empty string is allowed", err.text);

    payload.target = TEXT("SECRET\xED\xA0\x80"); /* a surrogate in UTF-8 */
    assert_int_equal(DEED_E_INVALID, deed_payload_check(&payload, &err));
    assert_string_equal(
        "payload: the member \"target\" is not valid UTF-8 from byte 7 on", err.text);

    char *text = repeated("", "\xE2\x82\xAC", 4001, "");
    payload.target = (struct deed_text){text, strlen(text)};
    assert_int_equal(DEED_E_INVALID, deed_payload_check(&payload, &err));
    payload.target.bytes -= 3;
    assert_int_equal(DEED_OK, deed_payload_check(&payload, &err));
    free(text);

    assert_int_equal(DEED_E_MISUSE, deed_payload_check(NULL, &err));
    assert_int_equal(DEED_E_MISUSE, deed_payload_parse("{}", 2, NULL, &err));
}

/* Fault of the allocator: the n-th allocation fails, once. */
static size_t allocations;
static size_t failing_allocation;

static void *counting_malloc(size_t bytes)
{
    allocations++;
    return allocations == failing_allocation ? NULL : malloc(bytes);
}

static void sweep_allocations(const char *json, deed_rc expected)
{
    bool failed = true;
    for (failing_allocation = 1; failed; failing_allocation++) {
        deed_payload_buffer *buffer = NULL;
        struct deed_error err = {0};
        allocations = 0;
        deed_rc rc = deed_payload_parse(json, strlen(json), &buffer, &err);
        failed = allocations >= failing_allocation;
        assert_int_equal(failed ? DEED_E_NOMEM : expected, rc);
        assert_true((rc == DEED_OK) == (buffer != NULL));
        deed_payload_free(buffer);
        assert_in_range(failing_allocation, 1, 1000);
    }
}

static void test_payload__each_allocation_may_fail_and_nothing_leaks(void **state)
{
    (void)state;
    json_malloc_t old_malloc = NULL;
    json_free_t old_free = NULL;
    json_get_alloc_funcs(&old_malloc, &old_free);
    json_set_alloc_funcs(counting_malloc, free);
    sweep_allocations("{\"kind\":\"a\\u0000\",\"target\":\"b\",\"body\":\"c\"}", DEED_OK);
    json_set_alloc_funcs(old_malloc, old_free);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_payload__three_strings_are_taken_as_they_are),
        cmocka_unit_test(test_payload__members_are_exactly_three),
        cmocka_unit_test(test_payload__other_types_are_refused_by_name),
        cmocka_unit_test(test_payload__a_member_given_twice_is_refused_with_name_and_place),
        cmocka_unit_test(test_payload__a_lone_surrogate_is_refused_with_its_place),
        cmocka_unit_test(test_payload__bad_escapes_are_syntax_errors),
        cmocka_unit_test(test_payload__raw_control_characters_are_refused_and_nul_is_one),
        cmocka_unit_test(test_payload__invalid_utf8_is_refused_with_its_place),
        cmocka_unit_test(test_payload__what_is_no_json_is_refused_with_its_place),
        cmocka_unit_test(test_payload__four_thousand_code_points_fit_and_no_more),
        cmocka_unit_test(test_payload__deep_nesting_is_an_error_on_any_stack),
        cmocka_unit_test(test_payload__one_filled_by_hand_is_held_to_the_same_rules),
        cmocka_unit_test(test_payload__each_allocation_may_fail_and_nothing_leaks),
    };
    return cmocka_run_group_tests_name("payload", tests, NULL, NULL);
}
