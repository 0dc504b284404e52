/* SPDX-License-Identifier: MIT
 *
 * The reference store: handles on a ledger in plain memory. Operations run one after the other,
 * under the one lock of the memory; an operation that errs is undone alone, a commit that fails
 * undoes them all.
 */
#include <deed/reference.h>

#include <string.h>

#include "reference_impl.h"

struct handle {
    struct deed_store face; /* first: what the caller holds */
    struct ledger_memory *ledger;
    struct owner *owner;
    bool read_only;
    /* Guarded by the lock of the memory. */
    bool crashed;
    bool unknown; /* a commit of unknown fate: nothing is answered before recover() */
    struct reference_tx tx;
    struct handle *outer; /* that this thread runs an operation of, around one of this handle */
};

/* The handle whose operation this thread runs, so that a call from inside is refused instead of
 * waiting for itself, and a crash from inside knows what to undo. */
static _Thread_local struct handle *running;

/* What is left to an operation whose handle crashed under it. Never written. */
static struct ledger_memory nothing;

static deed_rc refuse(struct deed_error *err, const char *text)
{
    return deed_error_set(err, DEED_E_STORE, REFERENCE_ORIGIN, "%s", text);
}

/* ---- who may come in --------------------------------------------------------------------- */

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

/* Takes the lock if it returns DEED_OK. */
static deed_rc enter(struct handle *handle, bool recovering, struct deed_error *err)
{
    deed_rc rc = check_reentry(handle, err);
    if (rc != DEED_OK) {
        return rc;
    }
    (void)pthread_mutex_lock(&handle->ledger->lock);
    if (handle->crashed) {
        rc = refuse(err, "this handle crashed");
    } else if (handle->unknown && !recovering) {
        rc = refuse(err, "a commit had an unknown fate: recover first");
    }
    if (rc != DEED_OK) {
        (void)pthread_mutex_unlock(&handle->ledger->lock);
    }
    return rc;
}

static void leave(struct handle *handle)
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
    tx->arena.memory = ledger->memory;
    tx->writing = writing;
    tx->refused = DEED_OK;
    deed_tx face = deed__reference_tx_face(tx);
    memset(&op->error, 0, sizeof(op->error));
    handle->outer = running;
    running = handle;
    deed_rc rc = op->run(op->context, &face, &op->error);
    deed__reference_arena_free(&tx->arena);
    if (handle->crashed) {
        answer(op, refuse(&op->error, "this handle crashed"), DEED_FATE_NONE);
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

static deed_rc all_crashed(struct deed_op *ops, size_t count, struct deed_error *err)
{
    deed_rc rc = refuse(err, "this handle crashed");
    for (size_t i = 0; i < count; i++) {
        answer(&ops[i], rc, DEED_FATE_NONE);
        (void)refuse(&ops[i].error, "this handle crashed");
    }
    return rc;
}

static bool are_whole(const struct deed_op *ops, size_t count)
{
    bool whole = ops != NULL || count == 0;
    for (size_t i = 0; whole && i < count; i++) {
        whole = ops[i].size >= sizeof(ops[i]) && ops[i].run != NULL;
    }
    return whole;
}

static deed_rc begin(
    struct handle *handle, struct deed_op *ops, size_t count, struct deed_error *err)
{
    if (!are_whole(ops, count)) {
        return deed_error_set(
            err, DEED_E_MISUSE, REFERENCE_ORIGIN, "each operation has its size and a function");
    }
    for (size_t i = 0; i < count; i++) {
        answer(&ops[i], DEED_OK, DEED_FATE_NONE);
    }
    return enter(handle, false, err);
}

static deed_rc reference_write(
    void *self, struct deed_op *ops, size_t count, struct deed_error *err)
{
    struct handle *handle = self;
    deed_rc rc = begin(handle, ops, count, err);
    if (rc == DEED_OK && handle->read_only) {
        leave(handle);
        rc = deed_error_set(
            err, DEED_E_MISUSE, REFERENCE_ORIGIN, "this handle was opened to read only");
    }
    if (rc != DEED_OK) {
        return rc;
    }
    for (size_t i = 0; i < count; i++) {
        if (!run_one(handle, &ops[i], true)) {
            return all_crashed(ops, count, err);
        }
    }
    deed__reference_commit(handle->ledger);
    leave(handle);
    return DEED_OK;
}

static deed_rc reference_read(void *self, struct deed_op *op, struct deed_error *err)
{
    struct handle *handle = self;
    deed_rc rc = begin(handle, op, 1, err);
    if (rc != DEED_OK) {
        return rc;
    }
    if (!run_one(handle, op, false)) {
        return all_crashed(op, 1, err);
    }
    leave(handle);
    return DEED_OK;
}

static deed_rc reference_recover(void *self, struct deed_error *err)
{
    struct handle *handle = self;
    deed_rc rc = enter(handle, true, err);
    if (rc == DEED_OK) {
        handle->unknown = false;
        leave(handle);
    }
    return rc;
}

/* ---- owners ------------------------------------------------------------------------------ */

static int64_t reference_owner(void *self)
{
    return ((const struct handle *)self)->owner->number;
}

static bool reference_owner_lives(void *self, int64_t owner)
{
    const struct ledger_memory *ledger = ((const struct handle *)self)->ledger;
    const struct owner *at = atomic_load(&ledger->owners);
    while (at != NULL && at->number != owner) {
        at = at->next;
    }
    if (at != NULL) {
        return atomic_load(&at->lives);
    }
    return owner <= 0 || owner > ledger->owners_before; /* of no handle of ours: who knows */
}

static struct owner *new_owner(struct ledger_memory *ledger)
{
    struct owner *owner = ledger->memory->resize(ledger->memory->self, NULL, 0, sizeof(*owner));
    if (owner == NULL) {
        return NULL;
    }
    owner->number = atomic_fetch_add(&ledger->owners_made, 1) + 1;
    atomic_init(&owner->lives, true);
    owner->next = atomic_load(&ledger->owners);
    while (!atomic_compare_exchange_weak(&ledger->owners, &owner->next, owner)) {
    }
    return owner;
}

/* ---- the rest of the contract ------------------------------------------------------------ */

static deed_rc reference_schema(void *self, struct deed_schema *schema_out, struct deed_error *err)
{
    struct handle *handle = self;
    deed_rc rc = enter(handle, false, err);
    if (rc == DEED_OK) {
        *schema_out = (struct deed_schema){
            .size = sizeof(*schema_out),
            .found = 1,
            .wanted = 1,
            .initialised = handle->ledger->ledger.data != NULL,
        };
        leave(handle);
    }
    return rc;
}

static deed_rc reference_migrate(
    void *self, bool dry_run, deed_migration_visit visit, void *context, struct deed_error *err)
{
    (void)dry_run;
    (void)visit;
    (void)context;
    struct handle *handle = self;
    deed_rc rc = enter(handle, false, err);
    if (rc == DEED_OK) {
        leave(handle);
    }
    return rc;
}

static deed_rc reference_check(void *self, struct deed_error *err)
{
    struct handle *handle = self;
    deed_rc rc = enter(handle, false, err);
    if (rc == DEED_OK) {
        rc = deed__reference_check_memory(handle->ledger, err);
        leave(handle);
    }
    return rc;
}

static void reference_identity(void *self, uint64_t *device_out, uint64_t *inode_out)
{
    (void)self;
    *device_out = 0;
    *inode_out = 0;
}

static bool reference_read_only(void *self)
{
    return ((const struct handle *)self)->read_only;
}

static void reference_close(void *self)
{
    struct handle *handle = self;
    if (handle == NULL) {
        return;
    }
    struct ledger_memory *ledger = handle->ledger;
    const struct deed_allocator *memory = ledger->memory;
    atomic_store(&handle->owner->lives, false);
    deed__reference_arena_free(&handle->tx.arena); /* of an operation that was left by longjmp */
    (void)memory->resize(memory->self, handle, sizeof(*handle), 0);
    (void)pthread_mutex_lock(&ledger->lock);
    bool last = --ledger->handles == 0;
    (void)pthread_mutex_unlock(&ledger->lock);
    if (last) {
        deed__reference_memory_free(ledger);
    }
}

/* ---- opening ----------------------------------------------------------------------------- */

static const struct deed_store faceless = {
    .size = sizeof(faceless),
    .name = "reference",
    .location = "memory",
    .write = reference_write,
    .read = reference_read,
    .recover = reference_recover,
    .owner = reference_owner,
    .owner_lives = reference_owner_lives,
    .schema = reference_schema,
    .migrate = reference_migrate,
    .check = reference_check,
    .identity = reference_identity,
    .read_only = reference_read_only,
    .close = reference_close,
};

static deed_rc open_handle(struct ledger_memory *ledger,
    const struct deed_reference_options *options, struct deed_store **store_out,
    struct deed_error *err)
{
    const struct deed_allocator *memory = ledger->memory;
    struct handle *handle = memory->resize(memory->self, NULL, 0, sizeof(*handle));
    if (handle == NULL) {
        return deed__reference_nomem(err);
    }
    memset(handle, 0, sizeof(*handle));
    handle->owner = new_owner(ledger);
    if (handle->owner == NULL) {
        (void)memory->resize(memory->self, handle, sizeof(*handle), 0);
        return deed__reference_nomem(err);
    }
    handle->face = faceless;
    handle->face.self = handle;
    handle->ledger = ledger;
    handle->read_only = options != NULL && options->read_only;
    handle->tx.arena.memory = memory;
    (void)pthread_mutex_lock(&ledger->lock);
    ledger->handles++;
    (void)pthread_mutex_unlock(&ledger->lock);
    *store_out = &handle->face;
    return DEED_OK;
}

static deed_rc check_open(const struct deed_reference_options *options,
    struct deed_store *const *store_out, struct deed_error *err)
{
    if (store_out == NULL || (options != NULL && options->size < sizeof(*options))) {
        return deed_error_set(err, DEED_E_MISUSE, REFERENCE_ORIGIN,
            "a place for the store is needed, and options with their size");
    }
    return DEED_OK;
}

deed_rc deed_reference_open(const struct deed_reference_options *options,
    struct deed_store **store_out, struct deed_error *err)
{
    struct ledger_memory *ledger = NULL;
    deed_rc rc = check_open(options, store_out, err);
    if (rc == DEED_OK) {
        rc = deed__reference_memory_new(options == NULL ? NULL : options->memory, &ledger, err);
    }
    if (rc != DEED_OK) {
        return rc;
    }
    rc = open_handle(ledger, options, store_out, err);
    if (rc != DEED_OK) {
        deed__reference_memory_free(ledger);
    }
    return rc;
}

static struct handle *handle_of(const struct deed_store *store)
{
    return store != NULL && store->close == reference_close ? store->self : NULL;
}

deed_rc deed_reference_attach(const struct deed_store *store,
    const struct deed_reference_options *options, struct deed_store **store_out,
    struct deed_error *err)
{
    const struct handle *handle = handle_of(store);
    if (handle == NULL) {
        return deed_error_set(
            err, DEED_E_MISUSE, REFERENCE_ORIGIN, "this is no handle of a reference store");
    }
    deed_rc rc = check_open(options, store_out, err);
    return rc == DEED_OK ? open_handle(handle->ledger, options, store_out, err) : rc;
}

/* ---- death ------------------------------------------------------------------------------- */

void deed_reference_kill(struct deed_store *store)
{
    struct handle *handle = handle_of(store);
    if (handle != NULL) {
        atomic_store(&handle->owner->lives, false);
    }
}

void deed_reference_crash(struct deed_store *store)
{
    struct handle *handle = handle_of(store);
    if (handle == NULL) {
        return;
    }
    atomic_store(&handle->owner->lives, false);
    if (running == handle) { /* from inside: this thread has the lock, and may never come back */
        running = handle->outer;
        handle->tx.ledger = &nothing;
        handle->tx.writing = false;
        deed__reference_undo(handle->ledger, 0);
    } else {
        (void)pthread_mutex_lock(&handle->ledger->lock);
    }
    handle->crashed = true;
    (void)pthread_mutex_unlock(&handle->ledger->lock);
}
