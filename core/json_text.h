/* SPDX-License-Identifier: MIT
 *
 * json_text.h - a look at a JSON text before a parser sees it: what the parser would refuse without
 * saying where, and what would cost it stack.
 */
#ifndef DEED_CORE_JSON_TEXT_H
#define DEED_CORE_JSON_TEXT_H

#include <deed/base.h>

/* Where a byte stands, for people: both count from 1, columns in code points. */
struct deed__json_place {
    size_t line;
    size_t column;
};
struct deed__json_place deed__json_place_of(const char *json, size_t json_bytes, size_t offset);

/* Deeper than any text of ours. The parser recurses, and we may be on a small thread stack. */
#define DEED__JSON_DEPTH_MAX 16

/* Refuses an empty text, a byte order mark, invalid UTF-8, nesting deeper than the limit, and in
 * strings bad escapes, lone surrogates and raw control characters. Each error names the place. What
 * passes is not yet JSON. Time grows with the text, stack does not. */
DEED_MUST_CHECK deed_rc deed__json_text_check(
    const char *json, size_t json_bytes, struct deed_error *err);

/* The string literal that ends right before `end`, e.g. "kind" with its quotes; false if none does.
 * For a parser that says where it stopped, but not at what. */
bool deed__json_string_before(const char *json, size_t end, size_t *start_out, size_t *bytes_out);

#endif /* DEED_CORE_JSON_TEXT_H */
