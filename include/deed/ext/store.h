/* SPDX-License-Identifier: MIT
 *
 * deed/ext/store.h - how to write a store: what remembers.
 *
 * A store decides nothing. The core hands it operations; the store runs each inside a transaction
 * of its own making, under its own savepoint, possibly several together, possibly again, and
 * answers after the commit. The core never says begin or commit.
 *
 *   isolation  an operation sees the ledger as if it ran alone. One that returns an error leaves
 *              nothing behind and does not disturb its neighbours.
 *   durable    `write` returns after the commit is flushed. What it could not learn is UNKNOWN.
 *   memory     a row that was asked for by key or id, and every pointer in it, lives until the
 *              operation's callback returns; a row handed to a visit, until the visit returns. Rows
 *              handed in are borrowed for the call.
 *   threads    every function may be called from any thread at any time.
 *   size       every function of deed_store and deed_tx is needed: one that is smaller than in these
 *              headers is refused when the ledger is opened. Rows and operations are not negotiated:
 *              a store is built against the headers of the minor version it is used with. A struct
 *              that the host may pass too (deed_schema, options) goes by its `size`; deed/ext/size.h
 *              helps.
 *   fork       on a handle that was opened before a fork, every function of the child returns
 *              DEED_E_MISUSE and waits for nothing (deed_system_process tells); `close` frees what
 *              it safely can and touches neither files nor locks of the parent.
 */
#ifndef DEED_EXT_STORE_H
#define DEED_EXT_STORE_H

#include <deed/base.h>
#include <deed/rows.h>

DEED_BEGIN_DECLS

/* ---- queries ----------------------------------------------------------------------------- */

#define DEED_SELECT_OPEN     0x01U /* recorded, attempted, not_applied, held, or disputed */
#define DEED_SELECT_DISPUTED 0x02U
#define DEED_SELECT_HELD     0x04U
#define DEED_SELECT_OVERDUE  0x08U /* not_after_ms set, over, and the intent not settled for good */
#define DEED_SELECT_DUE      0x10U /* next_due_ms <= now_ms */
#define DEED_SELECT_LOOK_DUE 0x20U /* looks_left > 0 and look_due_ms <= now_ms */

/* All conditions given must hold. Order is by id, ascending. */
struct deed_select {
    size_t size;
    uint32_t flags;       /* DEED_SELECT_... */
    deed_state state;     /* NONE: any */
    deed_outcome outcome; /* only with outcome_given */
    bool outcome_given;
    const char *kind;           /* NULL: any */
    int64_t recorded_before_ms; /* 0: any */
    int64_t now_ms;             /* for DUE, LOOK_DUE, OVERDUE */
    int64_t after_id;           /* cursor: ids above this one */
    uint32_t limit;             /* 0: no limit */
};

/* What a provider calls an effect. Two providers may use the same names, and so may two accounts at
 * one: evidence counts if it is about an attempt by this executor in this account. Evidence that is
 * about no attempt, and a person's (grade operator), counts everywhere. */
struct deed_named_effect {
    size_t size;
    const char *reference;
    int64_t intent_id;         /* of whom is asked; only the others count */
    const char *executor;      /* NULL: not known, so all evidence counts */
    const char *account_scope; /* NULL only with executor */
};

/* ---- inside one operation ---------------------------------------------------------------- */

/* What an operation may do. Every function returns DEED_OK, DEED_E_NOT_FOUND where it says so, or
 * an error the operation must return unchanged. Inserting a key, token or number that exists is
 * DEED_E_CONFLICT. Writes inside a read return DEED_E_MISUSE. */
typedef struct deed_tx {
    size_t size; /* sizeof(struct deed_tx) */
    void *self;

    /* NOT_FOUND: the store holds no ledger yet. put inserts or replaces the one row. */
    deed_rc (*ledger_get)(void *self, struct deed_ledger_row *row_out, struct deed_error *err);
    deed_rc (*ledger_put)(void *self, const struct deed_ledger_row *row, struct deed_error *err);

    /* NOT_FOUND: no such key, id or token. Target and body are read only if `with_payload`. */
    deed_rc (*intent_get)(void *self, const char *key, bool with_payload,
        struct deed_intent_row *row_out, struct deed_error *err);
    deed_rc (*intent_by_id)(void *self, int64_t id, bool with_payload,
        struct deed_intent_row *row_out, struct deed_error *err);
    deed_rc (*intent_insert)(void *self, struct deed_intent_row *row, struct deed_error *err);
    /* Writes all but key, digest, recorded_ms and payload. */
    deed_rc (*intent_update)(void *self, const struct deed_intent_row *row, struct deed_error *err);
    /* Stores the payload of an intent that lacks it. */
    deed_rc (*intent_fill)(void *self, const struct deed_intent_row *row, struct deed_error *err);
    deed_rc (*intent_each)(void *self, const struct deed_select *select, deed_intent_visit visit,
        void *context, struct deed_error *err);

    deed_rc (*attempt_insert)(
        void *self, const struct deed_attempt_row *row, struct deed_error *err);
    /* Writes answered, answered_ms, verdict, pending, handle, first_look and flags. */
    deed_rc (*attempt_update)(
        void *self, const struct deed_attempt_row *row, struct deed_error *err);
    deed_rc (*attempt_by_token)(void *self, const uint8_t token[DEED_TOKEN_BYTES],
        struct deed_attempt_row *row_out, struct deed_error *err);
    /* In order of number. `bytes` is filled only if `with_bytes`. */
    deed_rc (*attempt_each)(void *self, int64_t intent_id, bool with_bytes,
        deed_attempt_visit visit, void *context, struct deed_error *err);

    deed_rc (*evidence_insert)(void *self, struct deed_evidence_row *row, struct deed_error *err);
    deed_rc (*evidence_each)(void *self, int64_t intent_id, deed_evidence_visit visit,
        void *context, struct deed_error *err);
    /* Is this reference stored, as saying `applied`, with any other intent? */
    deed_rc (*reference_taken)(void *self, const struct deed_named_effect *effect, bool *taken_out,
        struct deed_error *err);

    deed_rc (*event_insert)(void *self, const struct deed_event_row *row, struct deed_error *err);
    deed_rc (*event_each)(void *self, int64_t intent_id, deed_event_visit visit, void *context,
        struct deed_error *err);
    /* The largest newest_ms of all events; 0 if there is none. Cheap. */
    deed_rc (*newest)(void *self, int64_t *newest_ms_out, struct deed_error *err);

    /* The intents that have an attempt under this provider key, or evidence with this reference;
     * each once, by id. One of the two is NULL. Without target and body. */
    deed_rc (*intent_find)(void *self, const char *provider_key, const char *reference,
        deed_intent_visit visit, void *context, struct deed_error *err);
    deed_rc (*pass_insert)(void *self, struct deed_pass_row *row, struct deed_error *err);
    /* Newest first, at most `limit` (0: all). */
    deed_rc (*pass_each)(
        void *self, uint32_t limit, deed_pass_visit visit, void *context, struct deed_error *err);
} deed_tx;

/* ---- the store --------------------------------------------------------------------------- */

/* What became of an operation. */
typedef enum deed_fate {
    DEED_FATE_UNKNOWN = 0, /* the commit returned an error: it may still be there */
    DEED_FATE_COMMITTED = 1,
    DEED_FATE_NONE = 2, /* nothing of it is in the store, now or later */
} deed_fate;

/* A hint for `read`: the operation looks at one case and calls nobody outside of the library, so a
 * store may run it where other operations would have to wait for its end. */
#define DEED_OP_BRIEF 0x01U

struct deed_op {
    size_t size; /* sizeof(struct deed_op) */
    /* Reads, decides, writes. May be run again after a conflict: it must reset its context first. */
    deed_rc (*run)(void *context, deed_tx *tx, struct deed_error *err);
    void *context;
    uint32_t flags; /* DEED_OP_... */
    /* Set by the store before write or read returns. */
    deed_rc rc;
    deed_fate fate;
    struct deed_error error; /* valid if rc != DEED_OK */
};

/* What a schema is made of, and how far it has come. */
struct deed_schema {
    size_t size;
    int found;        /* number of the newest migration applied; 0: an empty store */
    int wanted;       /* number of the newest migration this library knows */
    bool adoptable;   /* the table of the recorded-intent fixture, not yet adopted */
    bool initialised; /* it has a ledger row */
    bool has_intents;
};

/* Called for each migration as it is applied (or, in a dry run, would be). */
typedef void (*deed_migration_visit)(void *context, int number, const char *name);

struct deed_store {
    size_t size;          /* sizeof(struct deed_store) */
    const char *name;     /* "sqlite" */
    const char *location; /* for people: a file name; never a credential */
    void *self;

    /* Runs `count` operations, each isolated, and returns when their fates are known as far as
     * they can be. Returns DEED_OK if every op has been answered (look into each op), else the
     * error that hit all of them, with each fate set. */
    deed_rc (*write)(void *self, struct deed_op *ops, size_t count, struct deed_error *err);
    /* Runs one operation on one snapshot; it may not write. */
    deed_rc (*read)(void *self, struct deed_op *op, struct deed_error *err);
    /* After a commit of unknown fate every other call returns DEED_E_STORE until this returned
     * DEED_OK: it reopens what must be reopened and makes what is visible durable, so that a
     * re-read may be believed. Harmless at any other time. */
    deed_rc (*recover)(void *self, struct deed_error *err);

    /* A hint, never a guarantee: a number for this handle, and whether the handle of a number is
     * alive. true when it cannot be told. owner_lives is also called from inside an operation: it
     * waits for nothing and takes no lock that `write` or `read` hold. */
    int64_t (*owner)(void *self);
    bool (*owner_lives)(void *self, int64_t owner);

    deed_rc (*schema)(void *self, struct deed_schema *schema_out, struct deed_error *err);
    /* Applies what is missing, each migration in a transaction of its own. Safe to call from two
     * processes at once: one migrates, the other waits and goes on. */
    deed_rc (*migrate)(void *self, bool dry_run, deed_migration_visit visit, void *context,
        struct deed_error *err);
    /* Integrity of the store itself: pages, constraints. DEED_E_CHECK names what is broken. */
    deed_rc (*check)(void *self, struct deed_error *err);
    /* Identity of the file, for ledger_row; zeros where there is none. */
    void (*identity)(void *self, uint64_t *device_out, uint64_t *inode_out);
    bool (*read_only)(void *self);
    void (*close)(void *self);
};
typedef struct deed_store deed_store;

DEED_END_DECLS
#endif /* DEED_EXT_STORE_H */
