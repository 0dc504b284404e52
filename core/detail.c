/* SPDX-License-Identifier: MIT */
#include "detail.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "digest.h"

void deed__detail_init(struct deed__detail *detail)
{
    detail->text[0] = '{';
    detail->text[1] = '\0';
    detail->bytes = 1;
}

/* The callers' members are few and each is bounded, so that all of them fit: 4096 bytes are about
 * ten members of the longest kind. What would not fit is left out whole. */
static void put(struct deed__detail *detail, const char *format, ...) DEED_PRINTF(2, 3);

static void put(struct deed__detail *detail, const char *format, ...)
{
    size_t left = sizeof(detail->text) - detail->bytes - 2; /* room for the end */
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(detail->text + detail->bytes, left, format, arguments);
    va_end(arguments);
    if (length >= 0 && (size_t)length < left) {
        detail->bytes += (size_t)length;
    }
    detail->text[detail->bytes] = '\0';
}

static const char *comma(const struct deed__detail *detail)
{
    return detail->bytes > 1 ? "," : "";
}

static void escape(const char *value, char *out)
{
    for (; *value != '\0'; value++) {
        unsigned char byte = (unsigned char)*value;
        if (byte == '"' || byte == '\\') {
            *out++ = '\\';
            *out++ = *value;
        } else if (byte < 0x20 || byte == 0x7f) {
            out += snprintf(out, 7, "\\u%04x", (unsigned)byte);
        } else {
            *out++ = *value;
        }
    }
    *out = '\0';
}

void deed__detail_text(struct deed__detail *detail, const char *name, const char *value)
{
    if (value == NULL || value[0] == '\0') {
        return;
    }
    if (strlen(value) > DEED__DETAIL_VALUE_MAX) {
        uint8_t digest[DEED_DIGEST_BYTES];
        if (deed__sha256_of(value, strlen(value), digest, NULL) == DEED_OK) {
            deed__detail_digest(detail, name, digest);
        }
        return;
    }
    char escaped[DEED__DETAIL_VALUE_MAX * 6 + 1];
    escape(value, escaped);
    put(detail, "%s\"%s\":\"%s\"", comma(detail), name, escaped);
}

void deed__detail_number(struct deed__detail *detail, const char *name, int64_t value)
{
    put(detail, "%s\"%s\":%" PRId64, comma(detail), name, value);
}

void deed__detail_digest(
    struct deed__detail *detail, const char *name, const uint8_t digest[DEED_DIGEST_BYTES])
{
    char text[DEED_DIGEST_TEXT_BYTES];
    deed_digest_text(digest, text);
    put(detail, "%s\"%s\":\"sha256:%s\"", comma(detail), name, text);
}

const char *deed__detail_end(struct deed__detail *detail)
{
    detail->text[detail->bytes] = '}';
    detail->text[detail->bytes + 1] = '\0';
    return detail->text;
}
