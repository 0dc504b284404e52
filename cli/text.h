/* SPDX-License-Identifier: MIT
 *
 * text.h - texts of others, made fit to be shown; wrapping.
 */
#ifndef CLI_TEXT_H
#define CLI_TEXT_H

#include <deed/payload.h>

#include <jansson.h>
#include <stdio.h>

/* Writes a text of unknown origin to a terminal: what would move the cursor, change the direction
 * of writing or is no UTF-8 is shown as an escape. At most `code_points_max`; returns how many were
 * left out. */
size_t text_write(FILE *stream, struct deed_text text, size_t code_points_max);
static inline struct deed_text text_of(const char *string);

/* A JSON string of bytes that may be no UTF-8: each byte that is not becomes U+FFFD. NULL: no
 * memory. */
json_t *text_json(struct deed_text text);

/* Writes `paragraph` in lines of at most 80 columns, each after `indent` spaces. */
void text_wrap(FILE *stream, const char *paragraph, int indent);

static inline struct deed_text text_of(const char *string)
{
    const char *at = string;
    while (*at != '\0') {
        at++;
    }
    return (struct deed_text){string, (size_t)(at - string)};
}

#endif
