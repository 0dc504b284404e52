/* SPDX-License-Identifier: MIT
 *
 * The door of a handle: who may come in. A call is refused on a handle that was opened before a
 * fork, and on one that this very thread is in the middle of: the executor, visit, trace, clock,
 * verifier or allocator that control was lent to would wait for itself, or find things half done.
 *
 * Method: control is lent out in few places, and each says so. A call that comes in looks whether
 * its own thread lent control out on the same handle. Other threads, and other handles, are free.
 */
#ifndef DEED_CORE_DOOR_H
#define DEED_CORE_DOOR_H

#include "ledger_impl.h"

/* What foreign code may do meanwhile on the same handle. */
enum deed__freedom {
    DEED__NO_CALLS,  /* nothing: every call is refused */
    DEED__ANY_CALLS, /* everything but close: no transaction is open and nothing is half done */
};

/* The first thing of every public call that takes a ledger. DEED_E_MISUSE, for NULL too, names the call
 * and what to do instead. Waits for nothing. */
deed_rc deed__enter(const struct deed_ledger *ledger, const char *call, struct deed_error *err);

/* Around every place where control leaves the core: both, on one thread, in pairs. */
void deed__lend(const struct deed_ledger *ledger, enum deed__freedom freedom);
void deed__lent(void);

/* Calls a visit of the host's, which may call the handle again. */
bool deed__tell(const struct deed_ledger *ledger, deed_result_visit visit, void *context,
    deed_rc rc, const struct deed_result *result, const struct deed_error *err);

/* Control is lent out on this handle by this thread: it must not be freed now. */
bool deed__is_lent(const struct deed_ledger *ledger);
/* The handle was opened before a fork, and this is the child. */
bool deed__is_forked(const struct deed_ledger *ledger);

/* Puts the handle's own clock, randomness and memory before those of the host, so that they are
 * called as foreign code too. Once, at open. */
void deed__guard_sources(struct deed_ledger *ledger);

#endif
