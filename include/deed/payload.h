/* SPDX-License-Identifier: MIT
 *
 * deed/payload.h - the payload of an intent, its canonical text and its digest.
 *
 * A payload is exactly three strings. Their canonical JSON (docs/reference/canonical.md) is hashed;
 * the digest binds an action key to them for ever.
 */
#ifndef DEED_PAYLOAD_H
#define DEED_PAYLOAD_H

#include <deed/base.h>

DEED_BEGIN_DECLS

/* A piece of text that may hold NUL inside. `bytes` counts without any terminator. */
struct deed_text {
    const char *data;
    size_t bytes;
};

/* Borrowed views. A caller that fills one by hand sets all three; data == NULL means "missing". */
struct deed_payload {
    struct deed_text kind;
    struct deed_text target;
    struct deed_text body;
};

/* A payload parsed from JSON; owns its texts. Freed by deed_payload_free. */
typedef struct deed_payload_buffer deed_payload_buffer;

/* Parses one JSON object with exactly the members kind, target and body. Duplicate members, lone
 * surrogates, other members, other types and anything after the object are refused; the error
 * names the member and the place, never the text. The buffer is freed by deed_payload_free. */
DEED_API DEED_MUST_CHECK deed_rc deed_payload_parse(
    const char *json, size_t json_bytes, deed_payload_buffer **buffer_out, struct deed_error *err);
DEED_API const struct deed_payload *deed_payload_view(const deed_payload_buffer *buffer);
DEED_API void deed_payload_free(deed_payload_buffer *buffer);

/* Refuses what deed_payload_parse would refuse: invalid UTF-8, too many code points. */
DEED_API DEED_MUST_CHECK deed_rc deed_payload_check(
    const struct deed_payload *payload, struct deed_error *err);

/* Refuses what is no action key; the error says which character is wrong. */
DEED_API DEED_MUST_CHECK deed_rc deed_key_check(const char *key, struct deed_error *err);

/* SHA-256 of the canonical JSON, raw and as lower-case hex. Checks the payload first. */
DEED_API DEED_MUST_CHECK deed_rc deed_payload_digest(const struct deed_payload *payload,
    uint8_t digest_out[DEED_DIGEST_BYTES], struct deed_error *err);
DEED_API void deed_digest_text(
    const uint8_t digest[DEED_DIGEST_BYTES], char text_out[DEED_DIGEST_TEXT_BYTES]);

/* The canonical JSON itself, for people who want to compute the digest elsewhere. Writes at most
 * `capacity` bytes (no NUL) and always sets `*bytes_out` to the length of the whole text. */
DEED_API DEED_MUST_CHECK deed_rc deed_payload_canonical(const struct deed_payload *payload,
    char *buffer, size_t capacity, size_t *bytes_out, struct deed_error *err);

DEED_END_DECLS
#endif /* DEED_PAYLOAD_H */
