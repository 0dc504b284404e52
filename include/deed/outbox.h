/* SPDX-License-Identifier: MIT
 *
 * deed/outbox.h - a transactional outbox: an action recorded in the host's own transaction.
 *
 * A host that keeps its data in SQLite inserts one row into the table `deed_outbox` of its own
 * file, in the transaction that makes the action necessary: both commit, or neither. Draining moves
 * the rows into the ledger. The ledger remembers a row before the outbox forgets it, so a crash
 * between the two files loses nothing, and a row that is moved twice is one intent.
 */
#ifndef DEED_OUTBOX_H
#define DEED_OUTBOX_H

#include <deed/base.h>
#include <deed/ledger.h>

DEED_BEGIN_DECLS

/* SQL that creates the table if it is not there. Run by the host, on its own connection. Static. */
DEED_API const char *deed_outbox_table(void);

/* SQL that adds one row. Parameters: 1 action key, 2 kind, 3 target, 4 body (text), 5 not-after in
 * wall milliseconds, or NULL for none. The same key twice is refused by the table while the first
 * one waits. Static. */
DEED_API const char *deed_outbox_insert(void);

struct deed_drain {
    size_t size;      /* sizeof(struct deed_drain) */
    uint64_t moved;   /* recorded by this call, or found recorded; gone from the outbox */
    uint64_t refused; /* kept in the outbox with the reason: another payload, bad input */
    uint64_t waiting; /* still to be moved when the call ended */
};

/* Moves every row of the outbox in `file` (a SQLite database of the host's, which must exist and
 * hold the table) into the ledger, oldest first. Durable row by row: a row leaves the outbox only
 * after the ledger holds it. Safe to repeat, and to run from several processes at once. A row the
 * ledger refuses stays, with the reason in its column `refused`, and stops no other; it is tried
 * again once that column is NULL. The file's journal mode is left as the host chose it. The visit
 * is told of each row after it was moved or refused, and may return false to stop. */
DEED_API DEED_MUST_CHECK deed_rc deed_outbox_drain(deed_ledger *ledger, const char *file,
    deed_result_visit visit, void *context, struct deed_drain *drain_out, struct deed_error *err);

DEED_END_DECLS
#endif /* DEED_OUTBOX_H */
