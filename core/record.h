/* SPDX-License-Identifier: MIT
 *
 * Recording, as a step other operations can take in their own transaction.
 */
#ifndef DEED_CORE_RECORD_H
#define DEED_CORE_RECORD_H

#include "call.h"

struct deed__record_in {
    const struct deed_record *record;
    uint8_t digest[DEED_DIGEST_BYTES];
    bool created; /* set by the step */
};

/* Checks key, payload and times, and computes the digest. */
deed_rc deed__record_check(
    const struct deed_record *record, struct deed__record_in *in_out, struct deed_error *err);

/* Inside an operation, of an intent that exists: DEED_E_CONFLICT if it binds another payload. */
deed_rc deed__record_compare(const struct deed__call *call, deed_tx *tx, struct deed__case *c,
    const struct deed_payload *payload, const uint8_t digest[DEED_DIGEST_BYTES],
    struct deed_error *err);

/* Inside an operation: c->intent.id is 0 if the key is unused. */
deed_rc deed__record_step(struct deed__call *call, deed_tx *tx, struct deed__case *c,
    struct deed__record_in *in, struct deed_error *err);

#endif
