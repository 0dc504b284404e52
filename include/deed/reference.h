/* SPDX-License-Identifier: MIT
 *
 * deed/reference.h - the reference store: a ledger in plain memory, to be saved, crashed and shared.
 *
 * It keeps the contract of deed/ext/store.h to the letter and refuses whatever a store with real
 * constraints refuses, so it is what other stores are compared with and what tests run on. It is
 * durable for as long as its memory is: a commit survives deed_reference_crash, not the process.
 *
 *   handles    several handles may stand on one memory, as several processes stand on one file.
 *              Each is freed by its `close`, or taken by deed_ledger_open; the memory goes with
 *              the last of them.
 *   refusals   an operation that was refused a write (DEED_E_CHECK, DEED_E_NOMEM) and returns DEED_OK
 *              all the same is undone with DEED_E_MISUSE: it would commit half of what it meant.
 *   rows       target, body and bytes are handed out only if they were asked for, and what was
 *              handed out is given back to the allocator the moment the contract lets it go.
 */
#ifndef DEED_REFERENCE_H
#define DEED_REFERENCE_H

#include <deed/base.h>

DEED_BEGIN_DECLS

struct deed_store; /* see deed/ext/store.h */

struct deed_reference_options {
    size_t size;                         /* sizeof(struct deed_reference_options) */
    const struct deed_allocator *memory; /* NULL: malloc and free; outlives the last handle */
    bool read_only;                      /* of this handle: what writes is DEED_E_MISUSE */
};

/* Opens an empty ledger in new memory. `options` may be NULL. */
DEED_API DEED_MUST_CHECK deed_rc deed_reference_open(const struct deed_reference_options *options,
    struct deed_store **store_out, struct deed_error *err);

/* Opens one more handle on the memory of `store`, which may have crashed but is not closed. The new
 * handle has an owner number of its own. `options->memory` is not read: the memory has its own. */
DEED_API DEED_MUST_CHECK deed_rc deed_reference_attach(const struct deed_store *store,
    const struct deed_reference_options *options, struct deed_store **store_out,
    struct deed_error *err);

/* ---- death ------------------------------------------------------------------------------- */

/* From now on owner_lives says no of this handle, and nothing else changes: it works on, as the
 * process does whose lock was taken for lost. */
DEED_API void deed_reference_kill(struct deed_store *store);

/* What a power failure leaves: everything not committed is gone, the owner is dead, and every later
 * call on this handle returns DEED_E_STORE; it still has to be closed. Called from inside an
 * operation, on the thread that runs it (from a seam, say), it undoes that operation and lets the
 * memory go at once: the thread may leave by longjmp, or return and read DEED_E_STORE. On other
 * threads it waits for the operation that runs. */
DEED_API void deed_reference_crash(struct deed_store *store);

/* ---- faults ------------------------------------------------------------------------------ */

/* What becomes of a commit. After the two of unknown fate every call on the handle returns
 * DEED_E_STORE until its recover() returned DEED_OK. */
typedef enum deed_reference_fault {
    DEED_REFERENCE_NO_FAULT = 0,
    DEED_REFERENCE_COMMIT_FAILS = 1, /* DEED_E_STORE, fate none: nothing is there */
    DEED_REFERENCE_COMMIT_KEPT = 2,  /* DEED_E_STORE, fate unknown: it is there */
    DEED_REFERENCE_COMMIT_LOST = 3,  /* DEED_E_STORE, fate unknown: it is not there */
    DEED_REFERENCE_COMMIT_BUSY = 4,  /* DEED_E_BUSY, fate none */
    DEED_REFERENCE_COMMIT_AGAIN = 5, /* a conflict: all is undone, run again, and committed */
} deed_reference_fault;

/* The nth commit of this handle from now on, 1 being the next, has this fault; one order at a time.
 * A write that changed nothing commits nothing and is not counted. */
DEED_API void deed_reference_fail_commit(
    struct deed_store *store, uint64_t nth, deed_reference_fault fault);

/* The next `times` calls of recover on this handle return DEED_E_STORE and change nothing. */
DEED_API void deed_reference_fail_recover(struct deed_store *store, uint64_t times);

/* How many commits this handle tried so far, so that a sweep knows when it has met them all. */
DEED_API uint64_t deed_reference_commits(struct deed_store *store);

/* ---- on paper ---------------------------------------------------------------------------- */

/* Writes what is committed into `buffer`, at most `capacity` bytes, and sets `*bytes_out` to what
 * all of it takes. More than `capacity`: the buffer holds nothing of use; try a larger one. */
DEED_API DEED_MUST_CHECK deed_rc deed_reference_save(struct deed_store *store, void *buffer,
    size_t capacity, size_t *bytes_out, struct deed_error *err);

/* Opens new memory that holds what was saved. Every owner of before is dead. DEED_E_CHECK: the
 * bytes are not as they were saved, or hold what no ledger may hold. DEED_E_SCHEMA: another version
 * of the library wrote them. The buffer is not needed afterwards. */
DEED_API DEED_MUST_CHECK deed_rc deed_reference_load(const void *buffer, size_t bytes,
    const struct deed_reference_options *options, struct deed_store **store_out,
    struct deed_error *err);

DEED_END_DECLS
#endif /* DEED_REFERENCE_H */
