/* SPDX-License-Identifier: MIT
 *
 * What the files of the reference store share.
 *
 * Everything stored is a block: a row followed by the texts it points to, never changed once it
 * stands. An update puts a new block in the place of the old one, so that undoing is putting the
 * old one back. What holds between two operations: the log is empty.
 */
#ifndef DEED_STORES_REFERENCE_IMPL_H
#define DEED_STORES_REFERENCE_IMPL_H

#include <pthread.h>
#include <stdatomic.h>

#include <deed/ext/error.h>
#include <deed/ext/size.h>
#include <deed/ext/store.h>
#include <deed/reference.h>

#define REFERENCE_ORIGIN "store.reference"

/* ---- blocks ------------------------------------------------------------------------------ */

struct block {
    void *data; /* NULL: nothing is stored */
    size_t bytes;
};

/* Chunks that are given back all at once, when the operation they served has ended. */
struct arena {
    const struct deed_allocator *memory;
    struct chunk *chunks;
};

/* Measures texts (at == NULL), or puts copies in place of them. */
struct packer {
    char *at;
    size_t bytes;
};

/* How the texts of one kind of row are found. */
struct shape {
    size_t row_bytes;
    void (*pack)(struct packer *packer, void *row);
};

extern const struct shape deed__reference_ledger_shape;
extern const struct shape deed__reference_intent_shape;  /* without the payload */
extern const struct shape deed__reference_payload_shape; /* struct deed_payload */
extern const struct shape deed__reference_attempt_shape; /* without the bytes */
extern const struct shape deed__reference_bytes_shape;   /* struct deed_text */
extern const struct shape deed__reference_evidence_shape;
extern const struct shape deed__reference_event_shape;
extern const struct shape deed__reference_pass_shape;
/* As handed out: row and content in one. */
extern const struct shape deed__reference_whole_intent_shape;
extern const struct shape deed__reference_whole_attempt_shape;

/* Copies a row and its texts. false: no memory. */
bool deed__reference_block_new(const struct deed_allocator *memory, const struct shape *shape,
    const void *row, struct block *block_out);
void deed__reference_block_free(const struct deed_allocator *memory, struct block *block);
/* The same into an arena; NULL: no memory. */
void *deed__reference_arena_row(struct arena *arena, const struct shape *shape, const void *row);
void deed__reference_arena_free(struct arena *arena);

/* ---- tables ------------------------------------------------------------------------------ */

/* One stored thing. `content` is what is read only on request: a payload, the bytes of a request. */
struct cell {
    struct cell *chain; /* the next one in its bucket of an index */
    uint64_t hash;
    int64_t number; /* its place in a list: id, or number within the intent */
    size_t bytes;   /* of the cell itself */
    struct block row;
    struct block content;
};

/* Cells in ascending order of number. */
struct list {
    struct cell **items;
    size_t count;
    size_t capacity;
};

struct index {
    struct cell **buckets;
    size_t bucket_count; /* a power of two, or 0 */
    size_t count;
};

struct intent {
    struct cell cell; /* first: a cell of `intents` is an intent */
    struct list attempts;
    struct list evidence;
    struct list events;
};

enum undo_kind {
    UNDO_CELL,  /* free the cell, last of all that was done with it */
    UNDO_LIST,  /* take it out of the list */
    UNDO_INDEX, /* take it out of the index */
    UNDO_BLOCK, /* put the old block back */
};

struct undo {
    enum undo_kind kind;
    struct cell *cell;
    struct list *list;
    struct index *index;
    struct block *place;
    struct block old;
};

/* Who holds a handle. Never removed while the memory lives, so that reading takes no lock. */
struct owner {
    struct owner *next;
    int64_t number;
    atomic_bool lives;
};

/* What all handles of one memory share. `lock` guards all but the owners. */
struct ledger_memory {
    pthread_mutex_t lock;
    const struct deed_allocator *memory;
    size_t handles;
    struct block ledger;
    struct list intents;
    struct list evidence; /* by id */
    struct list events;   /* in the order they happened */
    struct list chain;    /* events of the ledger itself */
    struct list passes;
    struct index keys;
    struct index tokens;
    struct index references; /* of evidence that says `applied` */
    struct undo *log;
    size_t log_count;
    size_t log_capacity;
    _Atomic(struct owner *) owners;
    atomic_int_least64_t owners_made;
    int64_t owners_before; /* numbers up to this one were made before the memory was loaded */
};

uint64_t deed__reference_hash(const void *data, size_t bytes);
struct cell *deed__reference_list_find(const struct list *list, int64_t number);
struct cell *deed__reference_index_first(const struct index *index, uint64_t hash);
struct cell *deed__reference_index_next(const struct cell *cell);

/* Each notes in the log how it is undone, before it does anything. false: no memory, and nothing
 * was done. A new cell owns what is put into it. */
struct cell *deed__reference_cell_new(struct ledger_memory *ledger, size_t cell_bytes);
bool deed__reference_cell_list(
    struct ledger_memory *ledger, struct cell *cell, struct list *list, bool at_end);
bool deed__reference_cell_index(
    struct ledger_memory *ledger, struct cell *cell, struct index *index, uint64_t hash);
bool deed__reference_replace(
    struct ledger_memory *ledger, struct block *place, const struct shape *shape, const void *row);

void deed__reference_undo(struct ledger_memory *ledger, size_t mark);
void deed__reference_commit(struct ledger_memory *ledger);

deed_rc deed__reference_memory_new(
    const struct deed_allocator *memory, struct ledger_memory **ledger_out, struct deed_error *err);
void deed__reference_memory_free(struct ledger_memory *ledger);

/* ---- constraints ------------------------------------------------------------------------- */

/* What no ledger may hold, however it got there. DEED_E_CHECK names it. */
deed_rc deed__reference_rule_ledger(const struct deed_ledger_row *row, struct deed_error *err);
deed_rc deed__reference_rule_intent(const struct deed_intent_row *row, struct deed_error *err);
deed_rc deed__reference_rule_payload(const struct deed_intent_row *row, struct deed_error *err);
deed_rc deed__reference_rule_attempt(const struct deed_attempt_row *row, struct deed_error *err);
deed_rc deed__reference_rule_evidence(const struct deed_evidence_row *row, struct deed_error *err);
deed_rc deed__reference_rule_event(const struct deed_event_row *row, struct deed_error *err);
deed_rc deed__reference_rule_pass(const struct deed_pass_row *row, struct deed_error *err);

/* ---- operations -------------------------------------------------------------------------- */

/* One operation as it runs. */
struct reference_tx {
    struct ledger_memory *ledger;
    struct arena arena; /* of rows that live as long as the operation */
    bool writing;
    bool crashed;    /* under us: `ledger` is an empty one */
    deed_rc refused; /* what the operation must return; DEED_OK: nothing was refused */
};

deed_tx deed__reference_tx_face(struct reference_tx *tx);

/* Each function of deed_tx that writes stands between these two: what fails leaves nothing. */
deed_rc deed__reference_write_begin(
    const struct reference_tx *tx, const char *what, struct deed_error *err);
deed_rc deed__reference_write_end(struct reference_tx *tx, size_t mark, deed_rc rc);
deed_rc deed__reference_nomem(struct deed_error *err);
/* Copies of rows for the caller. One that was asked for lives until the operation returns (NULL: no
 * memory); one that is shown to a visit, until the visit returns: on both sides of it stand
 *     rc = deed__reference_show(tx, shape, row, &shown, err);
 *     rc = deed__reference_shown(tx, &shown, rc == DEED_OK ? visit(context, shown.data) : rc, err) */
const void *deed__reference_keep(
    struct reference_tx *tx, const struct shape *shape, const void *row);
deed_rc deed__reference_show(const struct reference_tx *tx, const struct shape *shape,
    const void *row, struct block *shown_out, struct deed_error *err);
deed_rc deed__reference_shown(
    const struct reference_tx *tx, struct block *shown, deed_rc rc, struct deed_error *err);

struct intent *deed__reference_intent(const struct ledger_memory *ledger, int64_t id);

deed_rc deed__reference_ledger_get(
    void *self, struct deed_ledger_row *row_out, struct deed_error *err);
deed_rc deed__reference_ledger_put(
    void *self, const struct deed_ledger_row *row, struct deed_error *err);
deed_rc deed__reference_intent_get(void *self, const char *key, bool with_payload,
    struct deed_intent_row *row_out, struct deed_error *err);
deed_rc deed__reference_intent_by_id(void *self, int64_t id, bool with_payload,
    struct deed_intent_row *row_out, struct deed_error *err);
deed_rc deed__reference_intent_insert(
    void *self, struct deed_intent_row *row, struct deed_error *err);
deed_rc deed__reference_intent_update(
    void *self, const struct deed_intent_row *row, struct deed_error *err);
deed_rc deed__reference_intent_fill(
    void *self, const struct deed_intent_row *row, struct deed_error *err);
deed_rc deed__reference_intent_each(void *self, const struct deed_select *select,
    deed_intent_visit visit, void *context, struct deed_error *err);
deed_rc deed__reference_intent_find(void *self, const char *provider_key, const char *reference,
    deed_intent_visit visit, void *context, struct deed_error *err);
deed_rc deed__reference_attempt_insert(
    void *self, const struct deed_attempt_row *row, struct deed_error *err);
deed_rc deed__reference_attempt_update(
    void *self, const struct deed_attempt_row *row, struct deed_error *err);
deed_rc deed__reference_attempt_by_token(void *self, const uint8_t token[DEED_TOKEN_BYTES],
    struct deed_attempt_row *row_out, struct deed_error *err);
deed_rc deed__reference_attempt_each(void *self, int64_t intent_id, bool with_bytes,
    deed_attempt_visit visit, void *context, struct deed_error *err);
deed_rc deed__reference_evidence_insert(
    void *self, struct deed_evidence_row *row, struct deed_error *err);
deed_rc deed__reference_evidence_each(void *self, int64_t intent_id, deed_evidence_visit visit,
    void *context, struct deed_error *err);
deed_rc deed__reference_reference_taken(
    void *self, const struct deed_named_effect *effect, bool *taken_out, struct deed_error *err);
deed_rc deed__reference_event_insert(
    void *self, const struct deed_event_row *row, struct deed_error *err);
deed_rc deed__reference_event_each(
    void *self, int64_t intent_id, deed_event_visit visit, void *context, struct deed_error *err);
deed_rc deed__reference_newest(void *self, int64_t *newest_ms_out, struct deed_error *err);
deed_rc deed__reference_pass_insert(void *self, struct deed_pass_row *row, struct deed_error *err);
deed_rc deed__reference_pass_each(
    void *self, uint32_t limit, deed_pass_visit visit, void *context, struct deed_error *err);

/* ---- handles ----------------------------------------------------------------------------- */

struct handle {
    struct deed_store face; /* what the caller holds */
    struct ledger_memory *ledger;
    struct owner *owner;
    uint64_t process; /* that opened it */
    bool read_only;
    /* Guarded by the lock of the memory. */
    bool crashed;
    bool unknown; /* a commit of unknown fate: nothing is answered before recover() */
    uint64_t commits;
    uint64_t fault_in; /* commits until `fault`, that one included; 0: none is ordered */
    deed_reference_fault fault;
    uint64_t recovers_failing;
    struct reference_tx tx;
    struct handle *outer; /* of the operation around ours, when a thread runs one in another */
};

deed_rc deed__reference_write(
    void *self, struct deed_op *ops, size_t count, struct deed_error *err);
deed_rc deed__reference_read(void *self, struct deed_op *op, struct deed_error *err);
deed_rc deed__reference_recover(void *self, struct deed_error *err);

/* The handle is the parent's, and this is the child of a fork: its lock may be held by a thread that
 * is not here. */
bool deed__reference_forked(const struct handle *handle);
/* Takes the lock if it returns DEED_OK. */
deed_rc deed__reference_enter(struct handle *handle, bool recovering, struct deed_error *err);
void deed__reference_leave(struct handle *handle);

deed_rc deed__reference_refuse_forked(struct deed_error *err);

/* NULL: this is no reference store. */
struct handle *deed__reference_handle(const struct deed_store *store);
/* The host's options in our shape; all of it zero for NULL. */
deed_rc deed__reference_options_take(struct deed_reference_options *mine_out,
    const struct deed_reference_options *options, struct deed_store *const *store_out,
    struct deed_error *err);
deed_rc deed__reference_open_handle(struct ledger_memory *ledger,
    const struct deed_reference_options *options, struct deed_store **store_out,
    struct deed_error *err);

/* Structure: every table, index and count agrees with every other. */
deed_rc deed__reference_check_memory(struct ledger_memory *ledger, struct deed_error *err);

#endif
