/* SPDX-License-Identifier: MIT
 *
 * utf8.c - strict UTF-8 (RFC 3629). One text has one encoding here, so that equal digests mean equal
 * bytes: overlong forms and encoded surrogates are errors, and nothing is normalised.
 */
#include "utf8.h"

static size_t sequence_bytes(unsigned char lead)
{
    if (lead < 0x80) {
        return 1;
    }
    if (lead >= 0xC2 && lead <= 0xDF) { /* C0 and C1 could only start overlong forms */
        return 2;
    }
    if (lead >= 0xE0 && lead <= 0xEF) {
        return 3;
    }
    if (lead >= 0xF0 && lead <= 0xF4) {
        return 4;
    }
    return 0;
}

size_t deed__utf8_next(const char *data, size_t bytes, uint32_t *code_point_out)
{
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000}; /* by length */
    static const unsigned char lead_bits[] = {0, 0x7F, 0x1F, 0x0F, 0x07};

    if (bytes == 0) {
        return 0;
    }
    unsigned char lead = (unsigned char)data[0];
    size_t length = sequence_bytes(lead);
    if (length == 0 || length > bytes) {
        return 0;
    }
    uint32_t code_point = lead & lead_bits[length];
    for (size_t i = 1; i < length; i++) {
        unsigned char next = (unsigned char)data[i];
        if ((next & 0xC0) != 0x80) {
            return 0;
        }
        code_point = code_point << 6 | (next & 0x3F);
    }
    if (code_point < smallest[length] || code_point > 0x10FFFF ||
        (code_point >= 0xD800 && code_point <= 0xDFFF)) {
        return 0;
    }
    *code_point_out = code_point;
    return length;
}

size_t deed__utf8_count(const char *data, size_t bytes, size_t *valid_bytes_out)
{
    size_t at = 0;
    size_t count = 0;
    while (at < bytes) {
        if ((unsigned char)data[at] < 0x80) { /* most of most texts */
            at++;
            count++;
            continue;
        }
        uint32_t code_point = 0;
        size_t length = deed__utf8_next(data + at, bytes - at, &code_point);
        if (length == 0) {
            break;
        }
        at += length;
        count++;
    }
    *valid_bytes_out = at;
    return count;
}
