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
 * hold the table) into the ledger, oldest first, in batches. Durable row by row: a row leaves the
 * outbox only after the ledger holds it, and only if it still is what the ledger holds. Safe to
 * repeat, after any error and any death, and to run from several processes at once. A row the
 * ledger refuses stays, with the reason in its column `refused`, and stops no other; it is tried
 * again once that column is NULL. The file's journal mode is left as the host chose it.
 *
 * The visit (may be NULL) is told of each row after it was moved or refused, with no lock held: it
 * may call the ledger. It may return false to stop; rows that shared the commit of the last one are
 * counted and not told. `drain_out` may be NULL.
 *
 * DEED_E_INVALID: no such file, no outbox in it, or it is a ledger. DEED_E_BUSY: somebody kept the
 * file locked for ten seconds. DEED_E_SYSTEM: the file failed, or cannot be written. Any other: the
 * ledger's own. A host that has the file open in the same process must use the same copy of the
 * SQLite library as libdeed does (https://www.sqlite.org/howtocorrupt.html, section 2.2). */
DEED_API DEED_MUST_CHECK deed_rc deed_outbox_drain(deed_ledger *ledger, const char *file,
    deed_result_visit visit, void *context, struct deed_drain *drain_out, struct deed_error *err);

DEED_END_DECLS
#endif /* DEED_OUTBOX_H */
