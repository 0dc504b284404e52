/* SPDX-License-Identifier: MIT
 *
 * What is known of each of many intents, as one transaction shows them: the row of the ledger and the
 * newest time are read once for all of them.
 */
#ifndef DEED_CORE_VIEWER_H
#define DEED_CORE_VIEWER_H

#include "case.h"

struct deed__viewer {
    const struct deed_ledger *ledger;
    struct deed_instant now;
    /* Of the transaction that reads. */
    deed_tx *tx;
    struct deed_error *err;
    struct deed_ledger_row row;
    int64_t newest_ms;
};

/* At the start of each transaction; `ledger` and `now` are set before. */
deed_rc deed__viewer_begin(struct deed__viewer *viewer, deed_tx *tx, struct deed_error *err);

/* Loads the attempts of `row` and fills `result`. */
deed_rc deed__viewer_show(
    struct deed__viewer *viewer, const struct deed_intent_row *row, struct deed_result *result);

#endif
