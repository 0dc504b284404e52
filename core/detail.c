/* SPDX-License-Identifier: MIT */
#include "detail.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "digest.h"

void deed__detail_init(struct deed__detail *detail)
{
    detail->text[0] = '{';
    detail->text[1] = '\0';
    detail->bytes = 1;
}

/* One more member: its name, and its value as it stands in the text. The callers' members are few and
 * each is bounded, so that all of them fit: 4096 bytes are about ten members of the longest kind. What
 * would not fit is left out whole. No printf: this runs a dozen times for an action. */
static void put(struct deed__detail *detail, const char *name, const char *value)
{
    size_t name_bytes = strlen(name);
    size_t value_bytes = strlen(value);
    size_t needed = name_bytes + value_bytes + 4;            /* comma, two quotes, colon */
    if (needed > sizeof(detail->text) - detail->bytes - 2) { /* room for the end */
        return;
    }
    char *at = detail->text + detail->bytes;
    if (detail->bytes > 1) {
        *at++ = ',';
    }
    *at++ = '"';
    memcpy(at, name, name_bytes);
    at += name_bytes;
    *at++ = '"';
    *at++ = ':';
    memcpy(at, value, value_bytes);
    at += value_bytes;
    *at = '\0';
    detail->bytes = (size_t)(at - detail->text);
}

/* Between quotes. */
static void escape(const char *value, char *out)
{
    *out++ = '"';
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
    *out++ = '"';
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
    char escaped[DEED__DETAIL_VALUE_MAX * 6 + 3];
    escape(value, escaped);
    put(detail, name, escaped);
}

void deed__detail_number(struct deed__detail *detail, const char *name, int64_t value)
{
    char text[24];
    (void)snprintf(text, sizeof(text), "%" PRId64, value);
    put(detail, name, text);
}

void deed__detail_digest(
    struct deed__detail *detail, const char *name, const uint8_t digest[DEED_DIGEST_BYTES])
{
    static const char prefix[] = "\"sha256:";
    char text[sizeof(prefix) + DEED_DIGEST_TEXT_BYTES];
    memcpy(text, prefix, sizeof(prefix) - 1);
    deed_digest_text(digest, text + sizeof(prefix) - 1);
    memcpy(text + sizeof(text) - 2, "\"", 2);
    put(detail, name, text);
}

const char *deed__detail_end(struct deed__detail *detail)
{
    detail->text[detail->bytes] = '}';
    detail->text[detail->bytes + 1] = '\0';
    return detail->text;
}
