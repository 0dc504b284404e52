/* SPDX-License-Identifier: MIT
 *
 * One answer of a provider about what is in doubt, and what the ledger makes of it.
 */
#ifndef DEED_CORE_LOOK_H
#define DEED_CORE_LOOK_H

#include "apply.h"

struct deed__look {
    const char *source; /* "poll", "lookup", "cancel" */
    deed_grade grade;   /* of a positive answer */
    struct deed_finding finding;
    const struct deed_attempt_row *about; /* the newest attempt under the key that was asked */
    struct deed_instant asked;    /* before the question went out: what had landed by then */
    struct deed_instant answered; /* after the answer came: whether it could still be shown */
    int64_t newest_ms;            /* the newest time in the ledger, by then */
    bool open;                    /* the intent was in doubt when the question went out ... */
    uint32_t attempts;            /* ... after so many attempts */
    bool all_keys;                /* under no other key that was used is there anything */
    bool bars;                    /* a cancel: it asked for the effect to be barred */
    bool by_handle;               /* a poll: the answer is that of one attempt */
};

/* What it says, as far as whoever says it can say so. */
deed_finding_kind deed__look_kind(const struct deed__look *look);

/* A deed__decide; the context of the call is a struct deed__look. */
deed_rc deed__look_decide(
    struct deed__call *call, deed_tx *tx, struct deed__case *c, struct deed_error *err);

#endif
