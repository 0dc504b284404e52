/* SPDX-License-Identifier: MIT
 *
 * The only way a state changes: one edge of the machine, one chained event, one update of the
 * intent, in the transaction of the change.
 */
#ifndef DEED_CORE_APPLY_H
#define DEED_CORE_APPLY_H

#include "call.h"
#include "detail.h"

struct deed__change {
    deed_event event;
    deed_outcome outcome; /* after it; not looked at for events that change no state */
    deed_grade grade;
    uint32_t attempt;  /* 0: none */
    const char *actor; /* NULL: that of the ledger */
    const char *detail;
};

/* Checks the edge, sets state, outcome, grade and settlement of c->intent, appends the event and
 * writes the intent, all of its other members included. The first event of an intent waits for the
 * next one, or for the end of the operation, so that the row is written once.
 * DEED_E_NO_STEP, and nothing changed, if the machine has no such edge. */
deed_rc deed__apply(struct deed__call *call, deed_tx *tx, struct deed__case *c,
    const struct deed__change *change, struct deed_error *err);

/* Inserts the intent and the event that waits with it. */
deed_rc deed__apply_record(deed_tx *tx, struct deed__case *c, struct deed_error *err);

/* The hash of an event: SHA-256 over the hash before and every member, in one fixed text form.
 * `subject` is the action key, or "" for the ledger's own chain. */
deed_rc deed__event_hash(const char *subject, const uint8_t before[DEED_DIGEST_BYTES],
    const struct deed_event_row *event, uint8_t hash_out[DEED_DIGEST_BYTES],
    struct deed_error *err);

#endif
