/* SPDX-License-Identifier: MIT
 *
 * The canonical text of a payload: the 160 vectors made by the fixture, and the edges between them.
 */
#include "support/test.h"

#include "support/payload.h"

#include "canonical.h"

#include <jansson.h>
#include <stdio.h>

#define VECTORS DEED_SOURCE_DIR "/tests/vectors/digests.jsonl"

static void assert_canonical(const char *json, const char *expected)
{
    deed_payload_buffer *buffer = NULL;
    struct deed_error err = {0};
    char text[512];
    size_t bytes = 0;
    if (deed_payload_parse(json, strlen(json), &buffer, &err) != DEED_OK) {
        fail_msg("refused: %s", err.text);
    }
    assert_int_equal(DEED_OK,
        deed_payload_canonical(deed_payload_view(buffer), text, sizeof(text) - 1, &bytes, &err));
    assert_in_range(bytes, 1, sizeof(text) - 1);
    text[bytes] = '\0';
    assert_string_equal(expected, text);
    deed_payload_free(buffer);
}

static void assert_same_digest(const char *left, const char *right)
{
    char left_text[DEED_DIGEST_TEXT_BYTES];
    char right_text[DEED_DIGEST_TEXT_BYTES];
    digest_of_json(left, left_text);
    digest_of_json(right, right_text);
    assert_string_equal(left_text, right_text);
}

static void assert_other_digest(const char *left, const char *right)
{
    char left_text[DEED_DIGEST_TEXT_BYTES];
    char right_text[DEED_DIGEST_TEXT_BYTES];
    digest_of_json(left, left_text);
    digest_of_json(right, right_text);
    assert_string_not_equal(left_text, right_text);
}

/* One line of the vectors; counts it as a digest or as a refusal. */
static void run_vector(const json_t *vector, int *digests, int *refusals)
{
    const json_t *input = json_object_get(vector, "payload_json");
    const char *expected = json_string_value(json_object_get(vector, "sha256"));
    assert_non_null(input);
    if (expected != NULL) {
        char text[DEED_DIGEST_TEXT_BYTES];
        digest_of_json(json_string_value(input), text);
        assert_string_equal(expected, text);
        (*digests)++;
        return;
    }
    deed_payload_buffer *buffer = NULL;
    struct deed_error err = {0};
    assert_non_null(json_object_get(vector, "error"));
    assert_int_equal(DEED_E_INVALID,
        deed_payload_parse(json_string_value(input), json_string_length(input), &buffer, &err));
    assert_null(buffer);
    assert_int_not_equal('\0', err.text[0]);
    (*refusals)++;
}

static void test_canonical__every_vector_has_its_digest_or_its_refusal(void **state)
{
    (void)state;
    FILE *file = fopen(VECTORS, "rb");
    char *line = NULL;
    size_t capacity = 0;
    int digests = 0;
    int refusals = 0;
    assert_non_null(file);
    while (getline(&line, &capacity, file) > 0) {
        json_t *vector = json_loads(line, 0, NULL);
        assert_non_null(vector);
        run_vector(vector, &digests, &refusals);
        json_decref(vector);
    }
    free(line);
    assert_int_equal(0, fclose(file));
    assert_int_equal(147, digests);
    assert_int_equal(13, refusals);
}

static void test_canonical__members_are_sorted_and_spelling_does_not_matter(void **state)
{
    (void)state;
    const char *expected = "{\"body\":\"c\",\"kind\":\"a\",\"target\":\"b\"}";
    assert_canonical("{\"kind\":\"a\",\"target\":\"b\",\"body\":\"c\"}", expected);
    assert_canonical("{\"body\":\"c\",\"target\":\"b\",\"kind\":\"a\"}", expected);
    assert_canonical("{\"target\":\"b\",\"kind\":\"a\",\"body\":\"c\"}", expected);
    assert_canonical(
        "\n{\t\"target\" : \"\\u0062\",\r\n\"k\\u0069nd\" : \"a\", \"body\":\"\\u0063\" } \n",
        expected);
}

static void test_canonical__short_escapes_where_json_has_them_and_lower_case_hex_elsewhere(
    void **state)
{
    (void)state;
    assert_canonical("{\"kind\":\"\\\"\\\\\\/"
                     "\\b\\f\\n\\r\\t\",\"target\":\"\\u0000\\u001F\\u007f\",\"body\":\"~ "
                     "\xC3\xA9\xE2\x80\xA8\xEF\xBF\xBF\"}",
        "{\"body\":\"~ \\u00e9\\u2028\\uffff\",\"kind\":\"\\\"\\\\/\\b\\f\\n\\r\\t\","
        "\"target\":\"\\u0000\\u001f\\u007f\"}");
}

static void test_canonical__characters_above_ffff_are_written_as_pairs(void **state)
{
    (void)state;
    assert_canonical("{\"kind\":\"\xF0\x90\x80\x80\",\"target\":\"\xF0\x9F\x98\x80\",\"body\":"
                     "\"\xF4\x8F\xBF\xBF\"}",
        "{\"body\":\"\\udbff\\udfff\",\"kind\":\"\\ud800\\udc00\",\"target\":\"\\ud83d\\ude00\"}");
    assert_same_digest("{\"kind\":\"\",\"target\":\"\",\"body\":\"\\uD83D\\uDE00\"}",
        "{\"kind\":\"\",\"target\":\"\",\"body\":\"\xF0\x9F\x98\x80\"}");
}

static void test_canonical__a_nul_inside_is_carried_whole(void **state)
{
    (void)state;
    assert_canonical("{\"kind\":\"k\",\"target\":\"t\",\"body\":\"a\\u0000b\"}",
        "{\"body\":\"a\\u0000b\",\"kind\":\"k\",\"target\":\"t\"}");
    assert_other_digest("{\"kind\":\"k\",\"target\":\"t\",\"body\":\"a\\u0000b\"}",
        "{\"kind\":\"k\",\"target\":\"t\",\"body\":\"a\"}");
    assert_other_digest("{\"kind\":\"k\\u0000\",\"target\":\"t\",\"body\":\"\"}",
        "{\"kind\":\"k\",\"target\":\"\\u0000t\",\"body\":\"\"}");
}

static void test_canonical__texts_that_look_alike_stay_apart(void **state)
{
    (void)state;
    assert_other_digest("{\"kind\":\"k\",\"target\":\"caf\xC3\xA9\",\"body\":\"\"}",
        "{\"kind\":\"k\",\"target\":\"cafe\xCC\x81\",\"body\":\"\"}");
    assert_other_digest("{\"kind\":\"k\",\"target\":\"A\",\"body\":\"\"}",
        "{\"kind\":\"k\",\"target\":\"\xEF\xBC\xA1\",\"body\":\"\"}"); /* full-width A */
}

static void test_canonical__a_text_does_not_move_from_one_member_to_the_next(void **state)
{
    (void)state;
    assert_other_digest("{\"kind\":\"ab\",\"target\":\"\",\"body\":\"\"}",
        "{\"kind\":\"a\",\"target\":\"b\",\"body\":\"\"}");
    assert_other_digest("{\"kind\":\"\",\"target\":\"x\",\"body\":\"\"}",
        "{\"kind\":\"\",\"target\":\"\",\"body\":\"x\"}");
}

static void test_canonical__a_short_buffer_gets_its_share_and_the_whole_length(void **state)
{
    (void)state;
    const struct deed_payload payload = {TEXT("k"), TEXT("t"), TEXT("a\0\n")};
    const char expected[] = "{\"body\":\"a\\u0000\\n\",\"kind\":\"k\",\"target\":\"t\"}";
    char text[sizeof(expected) + 1];

    for (size_t capacity = 0; capacity <= sizeof(expected); capacity++) {
        size_t bytes = 0;
        size_t written = capacity < sizeof(expected) - 1 ? capacity : sizeof(expected) - 1;
        memset(text, '#', sizeof(text));
        assert_int_equal(DEED_OK,
            deed_payload_canonical(&payload, capacity == 0 ? NULL : text, capacity, &bytes, NULL));
        assert_int_equal(sizeof(expected) - 1, bytes);
        assert_memory_equal(expected, text, written);
        assert_int_equal('#', text[written]);
    }
}

static void test_canonical__a_quote_is_ascii_and_never_longer_than_its_room(void **state)
{
    (void)state;
    char quoted[DEED__QUOTED_BYTES];
    deed__canonical_quote("na\nme\xC3\xA9", 7, quoted);
    assert_string_equal("\"na\\nme\\u00e9\"", quoted);

    char name[200];
    memset(name, 'x', sizeof(name));
    for (size_t bytes = 0; bytes <= sizeof(name); bytes++) {
        deed__canonical_quote(name, bytes, quoted);
        size_t length = strlen(quoted);
        if (bytes + 2 < DEED__QUOTED_BYTES) {
            assert_int_equal(bytes + 2, length);
        } else {
            assert_int_equal(DEED__QUOTED_BYTES - 1, length);
            assert_string_equal("...", quoted + length - 3);
        }
    }
}

static bool stop_at(void *self, const char *data, size_t bytes)
{
    int *pieces_left = self;
    (void)data;
    (void)bytes;
    return (*pieces_left)-- > 0;
}

static void test_canonical__a_sink_that_stops_stops_the_writer(void **state)
{
    (void)state;
    const struct deed_payload payload = {TEXT("k\n"), TEXT("t\x7F"), TEXT("b\0")};
    bool complete = false;
    int pieces = 0;
    while (!complete) {
        int pieces_left = pieces;
        const struct deed__sink sink = {stop_at, &pieces_left};
        complete = deed__canonical_payload(&sink, &payload);
        assert_int_equal(complete ? 0 : -1, pieces_left); /* nothing is put after a refusal */
        pieces++;
        assert_in_range(pieces, 1, 100);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_canonical__every_vector_has_its_digest_or_its_refusal),
        cmocka_unit_test(test_canonical__members_are_sorted_and_spelling_does_not_matter),
        cmocka_unit_test(
            test_canonical__short_escapes_where_json_has_them_and_lower_case_hex_elsewhere),
        cmocka_unit_test(test_canonical__characters_above_ffff_are_written_as_pairs),
        cmocka_unit_test(test_canonical__a_nul_inside_is_carried_whole),
        cmocka_unit_test(test_canonical__texts_that_look_alike_stay_apart),
        cmocka_unit_test(test_canonical__a_text_does_not_move_from_one_member_to_the_next),
        cmocka_unit_test(test_canonical__a_short_buffer_gets_its_share_and_the_whole_length),
        cmocka_unit_test(test_canonical__a_quote_is_ascii_and_never_longer_than_its_room),
        cmocka_unit_test(test_canonical__a_sink_that_stops_stops_the_writer),
    };
    return cmocka_run_group_tests_name("canonical", tests, NULL, NULL);
}
