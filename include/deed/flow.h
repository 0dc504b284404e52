/* SPDX-License-Identifier: MIT
 *
 * deed/flow.h - several flows of control on one thread: coroutines, fibers, green threads.
 *
 * The library notes for each thread which callbacks it is in the middle of, so that a call from
 * inside one is refused instead of finding things half done. A host that leaves a callback by
 * switching to another coroutine has to say so, or the other one is taken for what it interrupted.
 * Hosts with threads alone need nothing of this.
 *
 * A flow must not be left while a store is in a transaction or holds a lock: in a visit of rows, in
 * the seams named ".written". The executor's calls, clocks, visits of results and the other seams
 * are free of both.
 */
#ifndef DEED_FLOW_H
#define DEED_FLOW_H

#include <deed/base.h>

DEED_BEGIN_DECLS

/* What one flow is in the middle of; zeroed before its first use, and nobody's business. Its size is
 * frozen. A flow that will never go on is simply forgotten. */
struct deed_flow {
    size_t depth;
    struct {
        const void *ledger;
        size_t freedom;
    } at[32];
};

/* The calling thread goes on with `flow`; NULL: with its own. Returns what it went on with before,
 * to be given back on return. Called at each switch, by the thread that makes it. `flow` has to stay
 * where it is for as long as it is in use. */
DEED_API struct deed_flow *deed_flow_swap(struct deed_flow *flow);

DEED_END_DECLS
#endif /* DEED_FLOW_H */
