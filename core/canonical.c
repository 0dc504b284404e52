/* SPDX-License-Identifier: MIT
 *
 * canonical.c - the one JSON text of a payload: members sorted, no white space, ASCII only.
 *
 * Every digest ever stored depends on these bytes, so the form never changes; tests/vectors holds
 * it. The writer is ours because jansson's dumper writes upper-case hex and leaves DEL alone.
 */
#include "canonical.h"

#include "utf8.h"

#include <string.h>

/* The letter of a short escape, or 0 where there is none. */
static char short_escape(uint32_t code_point)
{
    switch (code_point) {
    case '"':
        return '"';
    case '\\':
        return '\\';
    case '\b':
        return 'b';
    case '\f':
        return 'f';
    case '\n':
        return 'n';
    case '\r':
        return 'r';
    case '\t':
        return 't';
    default:
        return 0;
    }
}

static bool is_plain(uint32_t code_point)
{
    return code_point >= 0x20 && code_point <= 0x7E && code_point != '"' && code_point != '\\';
}

static void hex_escape(uint32_t unit, char escape_out[6])
{
    static const char digits[] = "0123456789abcdef";
    escape_out[0] = '\\';
    escape_out[1] = 'u';
    for (int i = 0; i < 4; i++) {
        escape_out[2 + i] = digits[unit >> (12 - 4 * i) & 0xF];
    }
}

static bool put_escaped(const struct deed__sink *sink, uint32_t code_point)
{
    char escape[12];
    char letter = short_escape(code_point);
    if (letter != 0) {
        escape[0] = '\\';
        escape[1] = letter;
        return sink->put(sink->self, escape, 2);
    }
    if (code_point <= 0xFFFF) {
        hex_escape(code_point, escape);
        return sink->put(sink->self, escape, 6);
    }
    code_point -= 0x10000;
    hex_escape(0xD800 + (code_point >> 10), escape);
    hex_escape(0xDC00 + (code_point & 0x3FF), escape + 6);
    return sink->put(sink->self, escape, 12);
}

/* Where the plain characters from `at` on end: most of most texts. */
static size_t plain_end(const struct deed_text *text, size_t at)
{
    while (at < text->bytes && is_plain((unsigned char)text->data[at])) {
        at++;
    }
    return at;
}

bool deed__canonical_string(const struct deed__sink *sink, const struct deed_text *text)
{
    size_t at = plain_end(text, 0);
    size_t plain_from = 0; /* characters that need no escape go out in one piece */

    if (!sink->put(sink->self, "\"", 1)) {
        return false;
    }
    for (; at < text->bytes; at = plain_end(text, at)) {
        uint32_t code_point = 0;
        size_t length = deed__utf8_next(text->data + at, text->bytes - at, &code_point);
        if (length == 0) {
            return false;
        }
        if (!sink->put(sink->self, text->data + plain_from, at - plain_from) ||
            !put_escaped(sink, code_point)) {
            return false;
        }
        at += length;
        plain_from = at;
    }
    return sink->put(sink->self, text->data + plain_from, at - plain_from) &&
        sink->put(sink->self, "\"", 1);
}

static bool put_literal(const struct deed__sink *sink, const char *literal)
{
    return sink->put(sink->self, literal, strlen(literal));
}

bool deed__canonical_payload(const struct deed__sink *sink, const struct deed_payload *payload)
{
    return put_literal(sink, "{\"body\":") && deed__canonical_string(sink, &payload->body) &&
        put_literal(sink, ",\"kind\":") && deed__canonical_string(sink, &payload->kind) &&
        put_literal(sink, ",\"target\":") && deed__canonical_string(sink, &payload->target) &&
        put_literal(sink, "}");
}

bool deed__fixed_text_put(void *self, const char *data, size_t bytes)
{
    struct deed__fixed_text *text = self;
    if (text->bytes < text->capacity && bytes > 0) {
        size_t room = text->capacity - text->bytes;
        memcpy(text->data + text->bytes, data, bytes < room ? bytes : room);
    }
    text->bytes += bytes;
    return true;
}

void deed__canonical_quote(const char *data, size_t bytes, char quoted_out[DEED__QUOTED_BYTES])
{
    static const char ellipsis[] = "...";
    struct deed__fixed_text fixed = {.data = quoted_out, .capacity = DEED__QUOTED_BYTES - 1};
    const struct deed__sink sink = {deed__fixed_text_put, &fixed};
    const struct deed_text text = {data, bytes};

    if (!deed__canonical_string(&sink, &text)) {
        fixed.bytes = DEED__QUOTED_BYTES; /* invalid UTF-8: what came before it, and an ellipsis */
    }
    if (fixed.bytes < DEED__QUOTED_BYTES) {
        quoted_out[fixed.bytes] = '\0';
        return;
    }
    memcpy(quoted_out + DEED__QUOTED_BYTES - sizeof(ellipsis), ellipsis, sizeof(ellipsis));
}

deed_rc deed_payload_canonical(const struct deed_payload *payload, char *buffer, size_t capacity,
    size_t *bytes_out, struct deed_error *err)
{
    deed_rc rc = deed_payload_check(payload, err);
    if (rc != DEED_OK) {
        return rc;
    }
    struct deed__fixed_text fixed = {.capacity = capacity};
    const struct deed__sink sink = {deed__fixed_text_put, &fixed};
    fixed.data = buffer;
    (void)deed__canonical_payload(&sink, payload); /* the text was checked, this sink never stops */
    *bytes_out = fixed.bytes;
    return DEED_OK;
}
