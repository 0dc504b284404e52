/* SPDX-License-Identifier: MIT
 *
 * canonical.h - the one JSON text of a payload, and of any string inside such a text.
 */
#ifndef DEED_CORE_CANONICAL_H
#define DEED_CORE_CANONICAL_H

#include <deed/payload.h>

/* Receives a text piece by piece. false stops the writing; the writer then returns false too. */
struct deed__sink {
    bool (*put)(void *self, const char *data, size_t bytes);
    void *self;
};

/* A sink's `self` that keeps what fits and counts the rest. */
struct deed__fixed_text {
    char *data; /* may be NULL when capacity is 0 */
    size_t capacity;
    size_t bytes; /* of the whole text; more than `capacity` means that it was cut */
};
bool deed__fixed_text_put(void *self, const char *data, size_t bytes);

/* Writes `text` as a JSON string with its quotes. false: the sink stopped, or invalid UTF-8. */
bool deed__canonical_string(const struct deed__sink *sink, const struct deed_text *text);

/* Writes the canonical JSON of a payload that deed_payload_check has passed. */
bool deed__canonical_payload(const struct deed__sink *sink, const struct deed_payload *payload);

/* A member name, say, for an error text: as a JSON string in ASCII, cut when it is long. */
#define DEED__QUOTED_BYTES 64
void deed__canonical_quote(const char *data, size_t bytes, char quoted_out[DEED__QUOTED_BYTES]);

#endif /* DEED_CORE_CANONICAL_H */
