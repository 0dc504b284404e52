/* SPDX-License-Identifier: MIT
 *
 * One attempt with an executor: encode, begin, send, finish. Used by run, and by a pass to replay.
 */
#ifndef DEED_CORE_SEND_H
#define DEED_CORE_SEND_H

#include "attempt.h"

/* Encoded bytes and where they go, as prepare gave them. Freed by deed__request_finish. */
struct deed__request {
    const struct deed_ledger *ledger;
    struct deed_preparation preparation;
    uint8_t *bytes;
    size_t count;
    size_t capacity;
    uint8_t digest[DEED_DIGEST_BYTES];
};

/* Asks the executor to encode the case's payload under `provider_key`. */
deed_rc deed__request_prepare(struct deed__request *request, const struct deed__case *c,
    const deed_executor *executor, const char *provider_key, struct deed_error *err);
void deed__request_finish(struct deed__request *request);

/* How far it came. */
struct deed__sent {
    bool
        begun; /* the attempt was durable: an error from then on never means "nothing was sent", and
                   is DEED_E_UNCERTAIN */
    bool stale; /* nothing was begun: the case has changed since it was read */
};

/* Begins an attempt for the case (read before, outside of any transaction; with its bytes if it is
 * a replay), sends, and stores the answer. */
deed_rc deed__send(deed_ledger *ledger, const struct deed__case *c,
    const struct deed__registration *registration, uint32_t flags, struct deed__sent *sent_out,
    struct deed_result *result, struct deed_error *err);

/* Reads a case into memory that outlives its transaction. Needs case_finish, after an error too. */
deed_rc deed__case_read(deed_ledger *ledger, const char *key, unsigned parts,
    struct deed__case *copy, struct deed_result *result, struct deed_error *err);

#endif
