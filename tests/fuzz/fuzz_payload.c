/* SPDX-License-Identifier: MIT
 *
 * Payloads: what parses has one canonical text that parses to the same payload and digest, and what
 * is taken and what is refused agrees with jansson where the two mean the same.
 */
#include "fuzz.h"

#include <deed/payload.h>

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

void fuzz_start(void)
{
}

static bool same_text(struct deed_text left, struct deed_text right)
{
    return left.bytes == right.bytes && memcmp(left.data, right.data, left.bytes) == 0;
}

static size_t code_points(const json_t *string)
{
    const char *text = json_string_value(string);
    size_t count = 0;
    for (size_t i = 0; i < json_string_length(string); i++) {
        count += ((unsigned char)text[i] & 0xC0) != 0x80 ? 1 : 0;
    }
    return count;
}

/* Is it three strings that are short enough, by the other parser? */
static bool fits(const json_t *root)
{
    static const char *const names[] = {"kind", "target", "body"};
    bool all = json_is_object(root) && json_object_size(root) == 3;
    for (size_t i = 0; all && i < 3; i++) {
        const json_t *value = json_object_get(root, names[i]);
        all = json_is_string(value) && code_points(value) <= DEED_TEXT_CODE_POINTS_MAX;
    }
    return all;
}

static void compare(const json_t *root, const char *name, struct deed_text text)
{
    const json_t *value = json_object_get(root, name);
    const struct deed_text other = {json_string_value(value), json_string_length(value)};
    FUZZ_DEMAND(other.data != NULL && same_text(text, other), "jansson reads another text", name);
}

/* The canonical text is ASCII, and the way back leads to the same payload. */
static void there_and_back(const struct deed_payload *payload)
{
    size_t bytes = 0;
    FUZZ_DEMAND(deed_payload_canonical(payload, NULL, 0, &bytes, NULL) == DEED_OK,
        "what parses has no canonical text", NULL);
    char *text = malloc(bytes + 1);
    size_t again = 0;
    FUZZ_DEMAND(text != NULL &&
            deed_payload_canonical(payload, text, bytes, &again, NULL) == DEED_OK && again == bytes,
        "the canonical text has two lengths", NULL);
    for (size_t i = 0; i < bytes; i++) {
        FUZZ_DEMAND(text[i] >= 0x20 && text[i] <= 0x7e, "a canonical text that is not ASCII", NULL);
    }
    deed_payload_buffer *buffer = NULL;
    FUZZ_DEMAND(deed_payload_parse(text, bytes, &buffer, NULL) == DEED_OK,
        "a canonical text that does not parse", NULL);
    const struct deed_payload *back = deed_payload_view(buffer);
    FUZZ_DEMAND(same_text(back->kind, payload->kind) && same_text(back->target, payload->target) &&
            same_text(back->body, payload->body),
        "the canonical text says something else", NULL);
    uint8_t digest[DEED_DIGEST_BYTES];
    uint8_t digest_back[DEED_DIGEST_BYTES];
    FUZZ_DEMAND(deed_payload_digest(payload, digest, NULL) == DEED_OK &&
            deed_payload_digest(back, digest_back, NULL) == DEED_OK &&
            memcmp(digest, digest_back, sizeof digest) == 0,
        "one payload with two digests", NULL);
    deed_payload_free(buffer);
    free(text);
}

/* An error is one line that anybody may read. */
static void expect_error(const struct deed_error *err)
{
    const size_t length = strnlen(err->text, sizeof err->text);
    FUZZ_DEMAND(length > 0 && length < sizeof err->text, "an error without a text", NULL);
    for (size_t i = 0; i < length; i++) {
        FUZZ_DEMAND(err->text[i] >= 0x20 && err->text[i] <= 0x7e,
            "an error with a character of the input's", err->text);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    deed_payload_buffer *buffer = NULL;
    struct deed_error err = {0};
    const char *json = (const char *)data;
    const deed_rc rc = deed_payload_parse(json, size, &buffer, &err);
    json_t *root = json_loadb(json, size, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, NULL);
    if (rc == DEED_OK) {
        const struct deed_payload *payload = deed_payload_view(buffer);
        compare(root, "kind", payload->kind);
        compare(root, "target", payload->target);
        compare(root, "body", payload->body);
        there_and_back(payload);
    } else {
        FUZZ_DEMAND(rc == DEED_E_INVALID, "refused for another reason than the input", err.text);
        expect_error(&err);
        /* To jansson a NUL is the end of a text; to us it is one character too many. */
        FUZZ_DEMAND(
            !fits(root) || memchr(data, 0, size) != NULL, "a good payload is refused", err.text);
    }
    deed_payload_free(buffer);
    json_decref(root);
    return 0;
}
