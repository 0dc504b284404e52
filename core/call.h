/* SPDX-License-Identifier: MIT
 *
 * One call of the library on its way through the store: the case is loaded, one function decides,
 * the answer is given after the commit. A commit of unknown fate is settled here, in one place.
 */
#ifndef DEED_CORE_CALL_H
#define DEED_CORE_CALL_H

#include "case.h"

struct deed__call;

/* Decides and writes. Refuses before it changes anything in the case. May run again: it must not
 * keep anything from an earlier run. Sets `missing` in the case's intent when there is none. */
typedef deed_rc (*deed__decide)(
    struct deed__call *call, deed_tx *tx, struct deed__case *c, struct deed_error *err);

struct deed__call {
    const struct deed_ledger *ledger;
    const char *key;
    unsigned parts;      /* DEED__WITH_... */
    bool may_be_missing; /* decide is asked for a key that is not there: c->intent.id is 0 */
    bool never_again;    /* after a commit of unknown fate: do not run it a second time */
    deed__decide decide;
    void *context;              /* of decide */
    struct deed_result *result; /* NULL: nobody asks */
    deed_seam written;          /* crossed inside the transaction if something was written */
    deed_seam committed;

    struct deed_instant now; /* when decide runs */
    /* What the last run of decide wrote, so that it can be found again. */
    bool decided; /* decide said yes: an error from then on is one of the commit */
    bool wrote;
    bool unknown; /* a commit of this call had an unknown fate and was found again */
    uint8_t head[DEED_DIGEST_BYTES];
};

deed_rc deed__call_write(struct deed__call *call, struct deed_error *err);
deed_rc deed__call_read(struct deed__call *call, struct deed_error *err);

/* Several calls in one commit. Fills rcs[i] and errs[i] for each; commits of unknown fate are
 * settled one by one. */
deed_rc deed__call_write_many(struct deed__call *calls, size_t count, deed_rc *rcs,
    struct deed_error *errs, struct deed_error *err);

#endif
