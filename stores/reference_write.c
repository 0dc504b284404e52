/* SPDX-License-Identifier: MIT
 *
 * Operations run one after the other, under the one lock of the memory. One that errs is undone
 * alone, a commit that fails undoes them all. Also who may come in, crashes, and faults on order.
 */
#include <string.h>

#include <deed/system.h>

#include "reference_impl.h"

/* The handle whose operation this thread runs, so that a call from inside is refused instead of
 * waiting for itself, and a crash from inside knows what to undo. */
static _Thread_local struct handle *running;

/* What is left to an operation whose handle crashed under it. Never written. */
static struct ledger_memory nothing;

static deed_rc refuse(struct deed_error *err, const char *text)
{
    return deed_error_set(err, DEED_E_STORE, REFERENCE_ORIGIN, "%s", text);
}

static const char crash_text[] = "this handle crashed";

/* ---- who may come in --------------------------------------------------------------------- */

bool deed__reference_forked(const struct handle *handle)
{
    return handle->process != deed_system_process();
}

deed_rc deed__reference_refuse_forked(struct deed_error *err)
{
    return deed_error_set(err, DEED_E_MISUSE, REFERENCE_ORIGIN,
        "this handle was opened before fork and belongs to the parent; in the child it can only be "
        "closed");
}

static deed_rc check_reentry(const struct handle *handle, struct deed_error *err)
{
    for (const struct handle *outer = running; outer != NULL; outer = outer->outer) {
        if (outer->ledger == handle->ledger) {
            return deed_error_set(err, DEED_E_MISUSE, REFERENCE_ORIGIN,
                "an operation may not call the store that runs it");
        }
    }
    return DEED_OK;
}

deed_rc deed__reference_enter(struct handle *handle, bool recovering, struct deed_error *err)
{
    deed_rc rc = deed__reference_forked(handle) ? deed__reference_refuse_forked(err)
                                                : check_reentry(handle, err);
    if (rc != DEED_OK) {
        return rc;
    }
    (void)pthread_mutex_lock(&handle->ledger->lock);
    if (handle->crashed) {
        rc = refuse(err, crash_text);
    } else if (handle->unknown && !recovering) {
        rc = refuse(err, "a commit had an unknown fate: recover first");
    }
    if (rc != DEED_OK) {
        deed__reference_leave(handle);
    }
    return rc;
}

void deed__reference_leave(struct handle *handle)
{
    (void)pthread_mutex_unlock(&handle->ledger->lock);
}

/* ---- operations -------------------------------------------------------------------------- */

static void answer(struct deed_op *op, deed_rc rc, deed_fate fate)
{
    op->rc = rc;
    op->fate = fate;
}

/* An operation that goes on after it was refused a write would commit half of what it meant. */
static deed_rc check_refused(const struct reference_tx *tx, deed_rc rc, struct deed_error *err)
{
    if (rc != DEED_OK || tx->refused == DEED_OK) {
        return rc;
    }
    return deed_error_set(err, DEED_E_MISUSE, REFERENCE_ORIGIN,
        "an operation was refused (%s) and did not return it", deed_rc_name(tx->refused));
}

/* false: the handle crashed meanwhile, and the lock is gone. */
static bool run_one(struct handle *handle, struct deed_op *op, bool writing)
{
    struct reference_tx *tx = &handle->tx;
    struct ledger_memory *ledger = handle->ledger;
    size_t mark = ledger->log_count;
    tx->ledger = ledger;
    tx->writing = writing;
    tx->refused = DEED_OK;
    deed_tx face = deed__reference_tx_face(tx);
    memset(&op->error, 0, sizeof(op->error));
    handle->outer = running;
    running = handle;
    deed_rc rc = op->run(op->context, &face, &op->error);
    deed__reference_arena_free(&tx->arena);
    if (handle->crashed) {
        return false;
    }
    running = handle->outer;
    rc = check_refused(tx, rc, &op->error);
    if (rc != DEED_OK) {
        deed__reference_undo(ledger, mark);
    }
    answer(op, rc, rc == DEED_OK ? DEED_FATE_COMMITTED : DEED_FATE_NONE);
    return true;
}

static bool run_all(struct handle *handle, struct deed_op *ops, size_t count)
{
    bool lives = true;
    for (size_t i = 0; lives && i < count; i++) {
        lives = run_one(handle, &ops[i], true);
    }
    return lives;
}

static deed_rc all_crashed(struct deed_op *ops, size_t count, struct deed_error *err)
{
    for (size_t i = 0; i < count; i++) {
        answer(&ops[i], refuse(&ops[i].error, crash_text), DEED_FATE_NONE);
    }
    return refuse(err, crash_text);
}

static bool are_whole(const struct deed_op *ops, size_t count)
{
    bool whole = ops != NULL || count == 0;
    for (size_t i = 0; whole && i < count; i++) {
        whole = ops[i].size >= sizeof(ops[i]) && ops[i].run != NULL;
    }
    return whole;
}

/* Takes the lock if it returns DEED_OK; otherwise nothing of any operation is there. */
static deed_rc begin(
    struct handle *handle, struct deed_op *ops, size_t count, struct deed_error *err)
{
    if (!are_whole(ops, count)) {
        return deed_error_set(
            err, DEED_E_MISUSE, REFERENCE_ORIGIN, "each operation has its size and a function");
    }
    struct deed_error error;
    memset(&error, 0, sizeof(error));
    deed_rc rc = deed__reference_enter(handle, false, &error);
    for (size_t i = 0; i < count; i++) {
        answer(&ops[i], rc, DEED_FATE_NONE);
        ops[i].error = error;
    }
    if (rc != DEED_OK && err != NULL) {
        *err = error;
    }
    return rc;
}

/* ---- the commit -------------------------------------------------------------------------- */

static deed_reference_fault next_fault(struct handle *handle)
{
    if (handle->ledger->log_count == 0) {
        return DEED_REFERENCE_NO_FAULT; /* nothing was written: there is nothing to commit */
    }
    handle->commits++;
    if (handle->fault_in == 0 || --handle->fault_in > 0) {
        return DEED_REFERENCE_NO_FAULT;
    }
    return handle->fault;
}

/* An operation that erred by itself keeps its own answer. */
static deed_rc all_failed(struct deed_op *ops, size_t count, deed_fate fate,
    const struct deed_error *error, struct deed_error *err)
{
    for (size_t i = 0; i < count; i++) {
        if (ops[i].rc == DEED_OK) {
            answer(&ops[i], error->rc, fate);
            ops[i].error = *error;
        }
    }
    if (err != NULL) {
        *err = *error;
    }
    return error->rc;
}

static deed_rc commit(struct handle *handle, struct deed_op *ops, size_t count,
    deed_reference_fault fault, struct deed_error *err)
{
    struct ledger_memory *ledger = handle->ledger;
    struct deed_error error;
    memset(&error, 0, sizeof(error));
    switch (fault) {
    case DEED_REFERENCE_NO_FAULT:
    case DEED_REFERENCE_COMMIT_AGAIN:
        deed__reference_commit(ledger);
        return DEED_OK;
    case DEED_REFERENCE_COMMIT_FAILS:
        deed__reference_undo(ledger, 0);
        (void)refuse(&error, "the commit failed, and nothing of it is there");
        return all_failed(ops, count, DEED_FATE_NONE, &error, err);
    case DEED_REFERENCE_COMMIT_BUSY:
        deed__reference_undo(ledger, 0);
        (void)deed_error_set(
            &error, DEED_E_BUSY, REFERENCE_ORIGIN, "another writer held the ledger for too long");
        return all_failed(ops, count, DEED_FATE_NONE, &error, err);
    case DEED_REFERENCE_COMMIT_KEPT:
        deed__reference_commit(ledger);
        break;
    case DEED_REFERENCE_COMMIT_LOST:
        deed__reference_undo(ledger, 0);
        break;
    }
    handle->unknown = true;
    (void)refuse(&error, "the commit returned an error and may be there all the same");
    return all_failed(ops, count, DEED_FATE_UNKNOWN, &error, err);
}

deed_rc deed__reference_write(void *self, struct deed_op *ops, size_t count, struct deed_error *err)
{
    struct handle *handle = self;
    deed_rc rc = begin(handle, ops, count, err);
    if (rc != DEED_OK) {
        return rc;
    }
    if (handle->read_only) {
        deed__reference_leave(handle);
        struct deed_error error;
        (void)deed_error_set(
            &error, DEED_E_MISUSE, REFERENCE_ORIGIN, "this handle was opened to read only");
        return all_failed(ops, count, DEED_FATE_NONE, &error, err);
    }
    if (!run_all(handle, ops, count)) {
        return all_crashed(ops, count, err);
    }
    deed_reference_fault fault = next_fault(handle);
    if (fault == DEED_REFERENCE_COMMIT_AGAIN) {
        deed__reference_undo(handle->ledger, 0);
        if (!run_all(handle, ops, count)) {
            return all_crashed(ops, count, err);
        }
    }
    rc = commit(handle, ops, count, fault, err);
    deed__reference_leave(handle);
    return rc;
}

deed_rc deed__reference_read(void *self, struct deed_op *op, struct deed_error *err)
{
    struct handle *handle = self;
    deed_rc rc = begin(handle, op, 1, err);
    if (rc != DEED_OK) {
        return rc;
    }
    if (!run_one(handle, op, false)) {
        return all_crashed(op, 1, err);
    }
    deed__reference_leave(handle);
    return DEED_OK;
}

deed_rc deed__reference_recover(void *self, struct deed_error *err)
{
    struct handle *handle = self;
    deed_rc rc = deed__reference_enter(handle, true, err);
    if (rc != DEED_OK) {
        return rc;
    }
    if (handle->recovers_failing > 0) {
        handle->recovers_failing--;
        rc = refuse(err, "what is visible could not be made durable yet");
    } else {
        handle->unknown = false;
    }
    deed__reference_leave(handle);
    return rc;
}

/* ---- on order ---------------------------------------------------------------------------- */

/* false: the thread holds the lock already, in an operation on the same memory, or nobody who could
 * give it back is in this process. */
static bool lock_if_free(struct handle *handle)
{
    if (deed__reference_forked(handle) || check_reentry(handle, NULL) != DEED_OK) {
        return false;
    }
    (void)pthread_mutex_lock(&handle->ledger->lock);
    return true;
}

static void unlock_if(struct handle *handle, bool locked)
{
    if (locked) {
        deed__reference_leave(handle);
    }
}

void deed_reference_crash(struct deed_store *store)
{
    struct handle *handle = deed__reference_handle(store);
    if (handle == NULL) {
        return;
    }
    deed_reference_kill(store);
    if (running == handle) { /* from inside: this thread has the lock, and may never come back */
        running = handle->outer;
        handle->tx.ledger = &nothing;
        handle->tx.writing = false;
        handle->tx.crashed = true;
        deed__reference_undo(handle->ledger, 0);
        handle->crashed = true;
        deed__reference_leave(handle);
    } else {
        bool locked = lock_if_free(handle);
        handle->crashed = true;
        unlock_if(handle, locked);
    }
}

void deed_reference_fail_commit(struct deed_store *store, uint64_t nth, deed_reference_fault fault)
{
    struct handle *handle = deed__reference_handle(store);
    if (handle != NULL) {
        bool locked = lock_if_free(handle);
        handle->fault = fault;
        handle->fault_in = fault == DEED_REFERENCE_NO_FAULT ? 0 : nth;
        unlock_if(handle, locked);
    }
}

void deed_reference_fail_recover(struct deed_store *store, uint64_t times)
{
    struct handle *handle = deed__reference_handle(store);
    if (handle != NULL) {
        bool locked = lock_if_free(handle);
        handle->recovers_failing = times;
        unlock_if(handle, locked);
    }
}

uint64_t deed_reference_commits(struct deed_store *store)
{
    struct handle *handle = deed__reference_handle(store);
    uint64_t commits = 0;
    if (handle != NULL) {
        bool locked = lock_if_free(handle);
        commits = handle->commits;
        unlock_if(handle, locked);
    }
    return commits;
}
