/* SPDX-License-Identifier: MIT
 *
 * said.h - what a word from outside says: checked, and read by the verifier of its source.
 */
#ifndef DEED_CORE_SAID_H
#define DEED_CORE_SAID_H

#include <deed/evidence.h>

#include "ledger_impl.h"

/* What the word says, wherever that was read. */
struct deed__said {
    const struct deed_evidence *evidence;
    bool verified;
    struct deed_verified content; /* as the verifier read it */
    deed_outcome outcome;         /* APPLIED; NONE: nothing of an effect */
    const char *reference;        /* "": none */
    const char *event_id;         /* "": none */
    const char *by;
    uint8_t digest[DEED_DIGEST_BYTES]; /* of the whole message */
};

/* Fills all but `evidence` and `by`, which the caller sets. Refuses what may not be said here, and
 * what its verifier does not find genuine. Asks no store. */
deed_rc deed__said_read(
    const struct deed_ledger *ledger, struct deed__said *said, struct deed_error *err);

#endif /* DEED_CORE_SAID_H */
