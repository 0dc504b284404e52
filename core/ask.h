/* SPDX-License-Identifier: MIT
 *
 * Asking a provider about one intent. No transaction is open meanwhile.
 */
#ifndef DEED_CORE_ASK_H
#define DEED_CORE_ASK_H

#include "send.h"

/* One intent on its way through a pass. */
struct deed__doubt {
    deed_ledger *ledger;
    const char *key;
    bool force;
    struct deed_result *result;
    struct deed__case c;
    const struct deed__registration *registration;
};

typedef void (*deed__ask_function)(
    void *self, const struct deed_question *question, struct deed_finding *finding_out);

/* Reads the case anew, and what is told of it. Needs case_init before, case_finish after. */
deed_rc deed__doubt_read(struct deed__doubt *doubt, struct deed_error *err);

/* Its result says that it is not in doubt (any more). */
bool deed__doubt_settled(const struct deed__doubt *doubt);

/* The doubt belongs to who saw it: finds the executor of that name, in that account, at that
 * endpoint. Refuses where it is not to be had, or cannot be asked any more. */
deed_rc deed__find_executor(struct deed__doubt *doubt, struct deed_error *err);

/* Was this attempt made where the newest one was made, so that its executor can be asked about it? */
bool deed__same_place(const struct deed__case *c, const struct deed_attempt_row *attempt);

/* Asks about each handle that is open, until one settles. */
deed_rc deed__poll_handles(struct deed__doubt *doubt, struct deed_error *err);

/* Asks about every provider key this intent ever used, the newest last. An effect under any of them
 * is told at once; what is said of the newest counts for the intent if the others are clean. */
deed_rc deed__ask_keys(struct deed__doubt *doubt, deed__ask_function function, const char *source,
    struct deed_error *err);

#endif
