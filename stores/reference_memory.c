/* SPDX-License-Identifier: MIT
 *
 * The memory of a reference store: lists, indexes, and the log by which an operation is undone.
 */
#include <string.h>

#include <deed/system.h>

#include "reference_impl.h"

#define CELL_POINTER_BYTES sizeof(void *)

uint64_t deed__reference_hash(const void *data, size_t bytes)
{
    const unsigned char *at = data;
    uint64_t hash = 14695981039346656037U; /* FNV-1a */
    for (size_t i = 0; i < bytes; i++) {
        hash = (hash ^ at[i]) * 1099511628211U;
    }
    return hash;
}

/* ---- lists ------------------------------------------------------------------------------- */

/* Where a cell of this number stands or would stand. */
static size_t position(const struct list *list, int64_t number)
{
    size_t low = 0;
    size_t high = list->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (list->items[middle]->number < number) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

struct cell *deed__reference_list_find(const struct list *list, int64_t number)
{
    size_t at = position(list, number);
    return at < list->count && list->items[at]->number == number ? list->items[at] : NULL;
}

static bool list_reserve(const struct deed_allocator *memory, struct list *list)
{
    if (list->count < list->capacity) {
        return true;
    }
    size_t capacity = list->capacity == 0 ? 4 : list->capacity * 2;
    void *grown = memory->resize(memory->self, list->items, list->capacity * CELL_POINTER_BYTES,
        capacity * CELL_POINTER_BYTES);
    if (grown == NULL) {
        return false;
    }
    list->items = grown;
    list->capacity = capacity;
    return true;
}

static void list_insert(struct list *list, struct cell *cell, size_t at)
{
    memmove(&list->items[at + 1], &list->items[at], (list->count - at) * CELL_POINTER_BYTES);
    list->items[at] = cell;
    list->count++;
}

static void list_remove(struct list *list, const struct cell *cell)
{
    size_t at = list->count - 1; /* what is undone is nearly always the last one */
    while (list->items[at] != cell) {
        at--;
    }
    list->count--;
    memmove(&list->items[at], &list->items[at + 1], (list->count - at) * CELL_POINTER_BYTES);
}

static void list_free(const struct deed_allocator *memory, struct list *list)
{
    if (list->items != NULL) {
        (void)memory->resize(memory->self, list->items, list->capacity * CELL_POINTER_BYTES, 0);
    }
}

/* ---- indexes ----------------------------------------------------------------------------- */

struct cell *deed__reference_index_first(const struct index *index, uint64_t hash)
{
    struct cell *cell =
        index->bucket_count == 0 ? NULL : index->buckets[hash & (index->bucket_count - 1)];
    while (cell != NULL && cell->hash != hash) {
        cell = cell->chain;
    }
    return cell;
}

struct cell *deed__reference_index_next(const struct cell *cell)
{
    struct cell *next = cell->chain;
    while (next != NULL && next->hash != cell->hash) {
        next = next->chain;
    }
    return next;
}

static void index_link(struct index *index, struct cell *cell)
{
    struct cell **bucket = &index->buckets[cell->hash & (index->bucket_count - 1)];
    cell->chain = *bucket;
    *bucket = cell;
}

/* A full index grows if it can; without memory its chains only get longer. */
static bool index_reserve(const struct deed_allocator *memory, struct index *index)
{
    if (index->count < index->bucket_count) {
        return true;
    }
    size_t bucket_count = index->bucket_count == 0 ? 16 : index->bucket_count * 2;
    struct cell **old = index->buckets;
    size_t old_count = index->bucket_count;
    struct cell **buckets =
        memory->resize(memory->self, NULL, 0, bucket_count * CELL_POINTER_BYTES);
    if (buckets == NULL) {
        return old_count > 0;
    }
    memset(buckets, 0, bucket_count * CELL_POINTER_BYTES);
    index->buckets = buckets;
    index->bucket_count = bucket_count;
    for (size_t i = 0; i < old_count; i++) {
        while (old[i] != NULL) {
            struct cell *cell = old[i];
            old[i] = cell->chain;
            index_link(index, cell);
        }
    }
    if (old != NULL) {
        (void)memory->resize(memory->self, old, old_count * CELL_POINTER_BYTES, 0);
    }
    return true;
}

static void index_remove(struct index *index, const struct cell *cell)
{
    struct cell **link = &index->buckets[cell->hash & (index->bucket_count - 1)];
    while (*link != cell) {
        link = &(*link)->chain;
    }
    *link = cell->chain;
    index->count--;
}

static void index_free(const struct deed_allocator *memory, struct index *index)
{
    if (index->buckets != NULL) {
        (void)memory->resize(
            memory->self, index->buckets, index->bucket_count * CELL_POINTER_BYTES, 0);
    }
}

/* ---- changes, and how they are undone ---------------------------------------------------- */

static struct undo *log_next(struct ledger_memory *ledger)
{
    if (ledger->log_count == ledger->log_capacity) {
        size_t capacity = ledger->log_capacity == 0 ? 64 : ledger->log_capacity * 2;
        const struct deed_allocator *memory = ledger->memory;
        void *grown = memory->resize(memory->self, ledger->log,
            ledger->log_capacity * sizeof(*ledger->log), capacity * sizeof(*ledger->log));
        if (grown == NULL) {
            return NULL;
        }
        ledger->log = grown;
        ledger->log_capacity = capacity;
    }
    struct undo *undo = &ledger->log[ledger->log_count];
    memset(undo, 0, sizeof(*undo));
    return undo; /* counted by the caller, once nothing can fail any more */
}

struct cell *deed__reference_cell_new(struct ledger_memory *ledger, size_t cell_bytes)
{
    const struct deed_allocator *memory = ledger->memory;
    struct undo *undo = log_next(ledger);
    struct cell *cell = undo == NULL ? NULL : memory->resize(memory->self, NULL, 0, cell_bytes);
    if (cell == NULL) {
        return NULL;
    }
    memset(cell, 0, cell_bytes);
    cell->bytes = cell_bytes;
    undo->kind = UNDO_CELL;
    undo->cell = cell;
    ledger->log_count++;
    return cell;
}

bool deed__reference_cell_list(
    struct ledger_memory *ledger, struct cell *cell, struct list *list, bool at_end)
{
    struct undo *undo = log_next(ledger);
    if (undo == NULL || !list_reserve(ledger->memory, list)) {
        return false;
    }
    list_insert(list, cell, at_end ? list->count : position(list, cell->number));
    undo->kind = UNDO_LIST;
    undo->cell = cell;
    undo->list = list;
    ledger->log_count++;
    return true;
}

bool deed__reference_cell_index(
    struct ledger_memory *ledger, struct cell *cell, struct index *index, uint64_t hash)
{
    struct undo *undo = log_next(ledger);
    if (undo == NULL || !index_reserve(ledger->memory, index)) {
        return false;
    }
    cell->hash = hash;
    index_link(index, cell);
    index->count++;
    undo->kind = UNDO_INDEX;
    undo->cell = cell;
    undo->index = index;
    ledger->log_count++;
    return true;
}

bool deed__reference_replace(
    struct ledger_memory *ledger, struct block *place, const struct shape *shape, const void *row)
{
    struct block block;
    struct undo *undo = log_next(ledger);
    if (undo == NULL || !deed__reference_block_new(ledger->memory, shape, row, &block)) {
        return false;
    }
    undo->kind = UNDO_BLOCK;
    undo->place = place;
    undo->old = *place;
    *place = block;
    ledger->log_count++;
    return true;
}

/* An intent is larger than a cell, by its lists. */
static void cell_free(const struct deed_allocator *memory, struct cell *cell)
{
    if (cell->bytes == sizeof(struct intent)) {
        struct intent *intent = (struct intent *)cell;
        list_free(memory, &intent->attempts);
        list_free(memory, &intent->evidence);
        list_free(memory, &intent->events);
    }
    deed__reference_block_free(memory, &cell->row);
    deed__reference_block_free(memory, &cell->content);
    (void)memory->resize(memory->self, cell, cell->bytes, 0);
}

static void undo_one(const struct deed_allocator *memory, const struct undo *undo)
{
    switch (undo->kind) {
    case UNDO_CELL:
        cell_free(memory, undo->cell);
        break;
    case UNDO_LIST:
        list_remove(undo->list, undo->cell);
        break;
    case UNDO_INDEX:
        index_remove(undo->index, undo->cell);
        break;
    case UNDO_BLOCK:
        deed__reference_block_free(memory, undo->place);
        *undo->place = undo->old;
        break;
    }
}

void deed__reference_undo(struct ledger_memory *ledger, size_t mark)
{
    while (ledger->log_count > mark) {
        undo_one(ledger->memory, &ledger->log[--ledger->log_count]);
    }
}

void deed__reference_commit(struct ledger_memory *ledger)
{
    for (size_t i = 0; i < ledger->log_count; i++) {
        deed__reference_block_free(ledger->memory, &ledger->log[i].old);
    }
    ledger->log_count = 0;
}

/* ---- the whole --------------------------------------------------------------------------- */

deed_rc deed__reference_memory_new(
    const struct deed_allocator *memory, struct ledger_memory **ledger_out, struct deed_error *err)
{
    if (memory == NULL) {
        memory = deed_system_memory();
    }
    struct ledger_memory *ledger = memory->resize(memory->self, NULL, 0, sizeof(*ledger));
    if (ledger == NULL) {
        return deed__reference_nomem(err);
    }
    memset(ledger, 0, sizeof(*ledger));
    ledger->memory = memory;
    atomic_init(&ledger->owners, NULL);
    atomic_init(&ledger->owners_made, 0);
    int native = pthread_mutex_init(&ledger->lock, NULL);
    if (native != 0) {
        (void)memory->resize(memory->self, ledger, sizeof(*ledger), 0);
        deed_rc rc = deed_error_set(err, DEED_E_SYSTEM, REFERENCE_ORIGIN, "no mutex was to be had");
        deed_error_native(err, native);
        return rc;
    }
    *ledger_out = ledger;
    return DEED_OK;
}

static void free_cells(const struct deed_allocator *memory, const struct list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        cell_free(memory, list->items[i]);
    }
}

void deed__reference_memory_free(struct ledger_memory *ledger)
{
    const struct deed_allocator *memory = ledger->memory;
    for (size_t i = 0; i < ledger->intents.count; i++) {
        free_cells(memory, &((const struct intent *)ledger->intents.items[i])->attempts);
    }
    free_cells(memory, &ledger->evidence);
    free_cells(memory, &ledger->events);
    free_cells(memory, &ledger->passes);
    free_cells(memory, &ledger->intents);
    deed__reference_block_free(memory, &ledger->ledger);
    list_free(memory, &ledger->intents);
    list_free(memory, &ledger->evidence);
    list_free(memory, &ledger->events);
    list_free(memory, &ledger->chain);
    list_free(memory, &ledger->passes);
    index_free(memory, &ledger->keys);
    index_free(memory, &ledger->tokens);
    index_free(memory, &ledger->references);
    if (ledger->log != NULL) {
        (void)memory->resize(
            memory->self, ledger->log, ledger->log_capacity * sizeof(struct undo), 0);
    }
    struct owner *owner = atomic_load(&ledger->owners);
    while (owner != NULL) {
        struct owner *next = owner->next;
        (void)memory->resize(memory->self, owner, sizeof(*owner), 0);
        owner = next;
    }
    (void)pthread_mutex_destroy(&ledger->lock);
    (void)memory->resize(memory->self, ledger, sizeof(*ledger), 0);
}
