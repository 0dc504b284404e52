/* SPDX-License-Identifier: MIT
 *
 * signature.h - is a message what the holder of a shared secret sent, and is it new?
 */
#ifndef DEED_CORE_SIGNATURE_H
#define DEED_CORE_SIGNATURE_H

#include <deed/evidence.h>

#define DEED__SECRET_BYTES_MAX 1024

struct deed__signing {
    bool timestamped; /* "t=SECONDS,v1=HEX", of "SECONDS.message"; else the hex, of the message */
    int64_t tolerance_ms;
    size_t secret_bytes;
    char secret[DEED__SECRET_BYTES_MAX];
};

/* DEED_E_INVALID: it is not. No text quotes message, signature or secret. */
deed_rc deed__signature_check(const struct deed__signing *signing,
    const struct deed_evidence *evidence, int64_t now_ms, struct deed_error *err);

#endif /* DEED_CORE_SIGNATURE_H */
