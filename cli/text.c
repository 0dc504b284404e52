/* SPDX-License-Identifier: MIT
 *
 * text.c - texts of others, made fit to be shown; wrapping.
 */
#include "text.h"

#include <stdlib.h>
#include <string.h>

#define COLUMNS 80

/* Length of the well-formed UTF-8 sequence at `at`, and its code point; 0: there is none. */
static size_t utf8_read(const unsigned char *at, size_t left, uint32_t *code_point_out)
{
    if (at[0] < 0x80) {
        *code_point_out = at[0];
        return 1;
    }
    const size_t length = at[0] >= 0xf0 ? 4 : at[0] >= 0xe0 ? 3 : 2;
    if (at[0] < 0xc2 || at[0] > 0xf4 || length > left) {
        return 0;
    }
    uint32_t code_point = at[0] & (0xffU >> (length + 1));
    for (size_t i = 1; i < length; i++) {
        if ((at[i] & 0xc0) != 0x80) {
            return 0;
        }
        code_point = code_point << 6 | (at[i] & 0x3fU);
    }
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    if (code_point < least[length] || code_point > 0x10ffff ||
        (code_point >= 0xd800 && code_point <= 0xdfff)) {
        return 0;
    }
    *code_point_out = code_point;
    return length;
}

/* Controls, and the marks that turn the direction of writing around. */
static bool must_be_escaped(uint32_t code_point)
{
    return code_point < 0x20 || (code_point >= 0x7f && code_point <= 0x9f) ||
        code_point == 0x061c || (code_point >= 0x200e && code_point <= 0x200f) ||
        (code_point >= 0x2028 && code_point <= 0x202e) ||
        (code_point >= 0x2066 && code_point <= 0x2069) || code_point == 0xfeff;
}

static void write_one(FILE *stream, const char *bytes, size_t length, uint32_t code_point)
{
    if (length == 0) {
        (void)fprintf(stream, "\\x%02x", (unsigned)(unsigned char)bytes[0]);
    } else if (code_point == '\n') {
        (void)fputs("\\n", stream);
    } else if (code_point == '\t') {
        (void)fputs("\\t", stream);
    } else if (must_be_escaped(code_point)) {
        (void)fprintf(stream, "\\u%04x", (unsigned)code_point);
    } else {
        (void)fwrite(bytes, 1, length, stream);
    }
}

size_t text_write(FILE *stream, struct deed_text text, size_t code_points_max)
{
    size_t count = 0;
    for (size_t at = 0; at < text.bytes; count++) {
        uint32_t code_point = 0;
        const size_t length =
            utf8_read((const unsigned char *)text.data + at, text.bytes - at, &code_point);
        if (count < code_points_max) {
            write_one(stream, text.data + at, length, code_point);
        }
        at += length == 0 ? 1 : length;
    }
    return count > code_points_max ? count - code_points_max : 0;
}

json_t *text_json(struct deed_text text)
{
    json_t *exact = json_stringn(text.bytes > 0 ? text.data : "", text.bytes);
    if (exact || text.bytes == 0 || text.bytes > SIZE_MAX / 3) {
        return exact;
    }
    char *mended = malloc(text.bytes * 3);
    if (!mended) {
        return NULL;
    }
    size_t written = 0;
    for (size_t at = 0; at < text.bytes;) {
        uint32_t code_point = 0;
        const size_t length =
            utf8_read((const unsigned char *)text.data + at, text.bytes - at, &code_point);
        memcpy(mended + written, length == 0 ? "\xef\xbf\xbd" : text.data + at,
            length == 0 ? 3 : length);
        written += length == 0 ? 3 : length;
        at += length == 0 ? 1 : length;
    }
    json_t *string = json_stringn(mended, written);
    free(mended);
    return string;
}

/* Length of the next word. A command in backticks is one word: it must be copied in one piece. */
static size_t word_length(const char *at)
{
    bool quoted = false;
    size_t length = 0;
    while (at[length] != '\0' && (quoted || at[length] != ' ')) {
        quoted = (at[length] == '`') != quoted;
        length++;
    }
    return length;
}

void text_wrap(FILE *stream, const char *paragraph, int indent)
{
    int column = 0;
    for (const char *at = paragraph + strspn(paragraph, " "); *at != '\0';) {
        const int word = (int)word_length(at);
        if (column > 0 && column + 1 + word > COLUMNS) {
            (void)fputc('\n', stream);
            column = 0;
        }
        column += column == 0 ? fprintf(stream, "%*s", indent, "") : fprintf(stream, " ");
        (void)fwrite(at, 1, (size_t)word, stream);
        column += word;
        at += word;
        at += strspn(at, " ");
    }
    if (column > 0) {
        (void)fputc('\n', stream);
    }
}
