/* SPDX-License-Identifier: MIT
 *
 * What the chain of an intent says, against its rows: the chain is hashed, the rows are not.
 */
#ifndef DEED_CORE_CHECK_H
#define DEED_CORE_CHECK_H

#include "case.h"

/* Refuses (DEED_E_CHECK) to go on with a case whose rows say something else than its chain: whatever
 * became of the file, what was settled is not sent again, nothing goes out under another key, and no
 * provider is asked about one. */
DEED_MUST_CHECK deed_rc deed__demand_chain(
    const struct deed__case *c, deed_tx *tx, struct deed_error *err);

/* The same of a payload, which needs a case that was read with it. */
DEED_MUST_CHECK deed_rc deed__demand_payload(const struct deed__case *c, struct deed_error *err);

#endif
