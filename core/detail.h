/* SPDX-License-Identifier: MIT
 *
 * The detail of an event: a small JSON object of names, numbers and digests. Never a body. Text
 * longer than DEED__DETAIL_VALUE_MAX stands there as its digest.
 */
#ifndef DEED_CORE_DETAIL_H
#define DEED_CORE_DETAIL_H

#include <deed/payload.h>

#define DEED__DETAIL_BYTES     4096
#define DEED__DETAIL_VALUE_MAX 256

struct deed__detail {
    char text[DEED__DETAIL_BYTES];
    size_t bytes;
};

void deed__detail_init(struct deed__detail *detail);
/* Members are written in the order of the calls; NULL or "" writes none. */
void deed__detail_text(struct deed__detail *detail, const char *name, const char *value);
void deed__detail_number(struct deed__detail *detail, const char *name, int64_t value);
void deed__detail_digest(
    struct deed__detail *detail, const char *name, const uint8_t digest[DEED_DIGEST_BYTES]);
/* Ends the object. The text lives as long as `detail`. */
const char *deed__detail_end(struct deed__detail *detail);

#endif
