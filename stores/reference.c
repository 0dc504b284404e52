/* SPDX-License-Identifier: MIT
 *
 * The reference store: handles on a ledger in plain memory, how they open, live and die.
 */
#include <deed/reference.h>
#include <deed/system.h>

#include <string.h>

#include "reference_impl.h"

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
    static const struct deed_shape shape = DEED_SCHEMA_SHAPE();
    struct handle *handle = self;
    deed_rc rc = deed_size_room(&shape, schema_out, err);
    if (rc == DEED_OK) {
        rc = deed__reference_enter(handle, false, err);
    }
    if (rc == DEED_OK) {
        const struct deed_schema known = {
            .size = sizeof(known),
            .found = 1,
            .wanted = 1,
            .initialised = handle->ledger->ledger.data != NULL,
            .has_intents = true, /* not asked: a memory is never half a copy */
        };
        deed_size_give(&shape, schema_out, &known);
        deed__reference_leave(handle);
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
    deed_rc rc = deed__reference_enter(handle, false, err);
    if (rc == DEED_OK) {
        deed__reference_leave(handle);
    }
    return rc;
}

static deed_rc reference_check(void *self, struct deed_error *err)
{
    struct handle *handle = self;
    deed_rc rc = deed__reference_enter(handle, false, err);
    if (rc == DEED_OK) {
        rc = deed__reference_check_memory(handle->ledger, err);
        deed__reference_leave(handle);
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
    if (!deed__reference_forked(handle)) {
        (void)pthread_mutex_lock(&ledger->lock);
    } else if (pthread_mutex_trylock(&ledger->lock) != 0) {
        return; /* a thread that is not here was in the middle of it: it cannot be taken apart */
    }
    atomic_store(&handle->owner->lives, false);
    deed__reference_arena_free(&handle->tx.arena); /* of an operation that was left by longjmp */
    (void)memory->resize(memory->self, handle, sizeof(*handle), 0);
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
    .write = deed__reference_write,
    .read = deed__reference_read,
    .recover = deed__reference_recover,
    .owner = reference_owner,
    .owner_lives = reference_owner_lives,
    .schema = reference_schema,
    .migrate = reference_migrate,
    .check = reference_check,
    .identity = reference_identity,
    .read_only = reference_read_only,
    .close = reference_close,
};

deed_rc deed__reference_open_handle(struct ledger_memory *ledger,
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
    handle->process = deed_system_process();
    handle->read_only = options != NULL && options->read_only;
    handle->tx.arena.memory = memory;
    (void)pthread_mutex_lock(&ledger->lock);
    ledger->handles++;
    (void)pthread_mutex_unlock(&ledger->lock);
    *store_out = &handle->face;
    return DEED_OK;
}

deed_rc deed__reference_options_take(struct deed_reference_options *mine_out,
    const struct deed_reference_options *options, struct deed_store *const *store_out,
    struct deed_error *err)
{
    /* NOLINTNEXTLINE(bugprone-sizeof-expression): the size of the pointer is meant */
    static const struct deed_shape shape = DEED_SHAPE(deed_reference_options, memory);
    static const struct deed_shape memory = DEED_ALLOCATOR_SHAPE();
    if (store_out == NULL) {
        return deed_error_set(
            err, DEED_E_MISUSE, REFERENCE_ORIGIN, "a place for the store is needed");
    }
    deed_rc rc = deed_size_take(&shape, options, mine_out, err);
    return rc == DEED_OK ? deed_size_check(&memory, mine_out->memory, err) : rc;
}

deed_rc deed_reference_open(const struct deed_reference_options *options,
    struct deed_store **store_out, struct deed_error *err)
{
    struct ledger_memory *ledger = NULL;
    struct deed_reference_options mine = {.size = 0};
    deed_rc rc = deed__reference_options_take(&mine, options, store_out, err);
    if (rc == DEED_OK) {
        rc = deed__reference_memory_new(mine.memory, &ledger, err);
    }
    if (rc != DEED_OK) {
        return rc;
    }
    rc = deed__reference_open_handle(ledger, &mine, store_out, err);
    if (rc != DEED_OK) {
        deed__reference_memory_free(ledger);
    }
    return rc;
}

struct handle *deed__reference_handle(const struct deed_store *store)
{
    return store != NULL && store->close == reference_close ? store->self : NULL;
}

deed_rc deed_reference_attach(const struct deed_store *store,
    const struct deed_reference_options *options, struct deed_store **store_out,
    struct deed_error *err)
{
    const struct handle *handle = deed__reference_handle(store);
    if (handle == NULL) {
        return deed_error_set(
            err, DEED_E_MISUSE, REFERENCE_ORIGIN, "this is no handle of a reference store");
    }
    if (deed__reference_forked(handle)) {
        return deed__reference_refuse_forked(err);
    }
    struct deed_reference_options mine = {.size = 0};
    deed_rc rc = deed__reference_options_take(&mine, options, store_out, err);
    return rc == DEED_OK ? deed__reference_open_handle(handle->ledger, &mine, store_out, err) : rc;
}

/* ---- death ------------------------------------------------------------------------------- */

void deed_reference_kill(struct deed_store *store)
{
    struct handle *handle = deed__reference_handle(store);
    if (handle != NULL) {
        atomic_store(&handle->owner->lives, false);
    }
}
