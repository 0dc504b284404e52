/* SPDX-License-Identifier: MIT
 *
 * payload.h - payloads for tests, from JSON written in the test.
 */
#ifndef DEED_TESTS_SUPPORT_PAYLOAD_H
#define DEED_TESTS_SUPPORT_PAYLOAD_H

#include <deed/payload.h>

#include <string.h>

/* For literals that may hold NUL: TEXT("a\0b") is three bytes. */
#define TEXT(literal)                                                                              \
    (struct deed_text)                                                                             \
    {                                                                                              \
        (literal), sizeof(literal) - 1                                                             \
    }

/* `count` times `unit` between two texts; freed by free(). */
static inline char *repeated(const char *before, const char *unit, size_t count, const char *after)
{
    size_t unit_bytes = strlen(unit);
    char *text = malloc(strlen(before) + count * unit_bytes + strlen(after) + 1);
    assert_non_null(text);
    char *end = stpcpy(text, before);
    for (size_t i = 0; i < count; i++) {
        memcpy(end, unit, unit_bytes);
        end += unit_bytes;
    }
    (void)stpcpy(end, after);
    return text;
}

/* The digest of a payload that must be accepted. */
static inline void digest_of_json(const char *json, char text_out[DEED_DIGEST_TEXT_BYTES])
{
    deed_payload_buffer *buffer = NULL;
    struct deed_error err = {0};
    uint8_t digest[DEED_DIGEST_BYTES];
    if (deed_payload_parse(json, strlen(json), &buffer, &err) != DEED_OK) {
        fail_msg("refused: %s", err.text);
    }
    assert_int_equal(DEED_OK, deed_payload_digest(deed_payload_view(buffer), digest, &err));
    deed_digest_text(digest, text_out);
    deed_payload_free(buffer);
}

#endif /* DEED_TESTS_SUPPORT_PAYLOAD_H */
