/* SPDX-License-Identifier: MIT
 *
 * Reconciling one intent; steps that a person's decision shares with it.
 */
#ifndef DEED_CORE_RECONCILE_H
#define DEED_CORE_RECONCILE_H

#include "apply.h"

/* `force`: pauses are not looked at, and a replay may go past the policy. */
deed_rc deed__reconcile_one(deed_ledger *ledger, const char *key, bool force,
    struct deed_result *result, struct deed_error *err);

/* Stores that attempts of another boot were first seen now, if any; their waits start here. */
deed_rc deed__store_first_look(
    struct deed__call *call, deed_tx *tx, struct deed__case *c, struct deed_error *err);

#endif
