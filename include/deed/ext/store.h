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
 *   memory     rows handed out, and every pointer in them, live until the operation's callback
 *              returns. Rows handed in are borrowed for the call.
 *   threads    every function may be called from any thread at any time.
 */
#ifndef DEED_EXT_STORE_H
#define DEED_EXT_STORE_H

#include <deed/base.h>
#include <deed/payload.h>

DEED_BEGIN_DECLS

/* ---- rows -------------------------------------------------------------------------------- */

/* The one row about the ledger itself. */
struct deed_ledger_row {
    size_t size;
    const char *name;
    bool test;              /* accepts mock executors */
    int64_t epoch;          /* raised by each restore */
    bool fenced;            /* a restore happened and its gap is not closed */
    int64_t restored_ms;    /* wall; 0: never */
    int64_t fence_send_ms;  /* the longest send deadline the lost time may have used */
    int64_t created_ms;     /* wall */
    uint64_t file_device;   /* identity of the file when it was created or adopted */
    uint64_t file_inode;
    int64_t chain_length;   /* events of the ledger's own chain */
    uint8_t chain_head[DEED_DIGEST_BYTES];
};

struct deed_intent_row {
    size_t size;
    int64_t id; /* set by the store on insert; orders intents by age */
    const char *key;
    uint8_t digest[DEED_DIGEST_BYTES];
    bool payload_here;
    /* The payload. `kind` is filled whenever payload_here was ever true; target and body only if
     * payload_here and the row was read with its payload. */
    struct deed_payload payload;
    deed_state state;
    deed_outcome outcome;
    deed_grade grade;          /* of the evidence that settled it; NONE while open */
    uint32_t attempts;         /* number of the newest attempt; 0: none */
    uint32_t settled_attempts; /* `attempts` at the last settlement */
    bool fence_raised;         /* a fence was raised since this intent was recorded */
    bool held;
    bool disputed;
    const char *held_reason;     /* NULL if none */
    const char *disputed_reason; /* NULL if none */
    const char *reference;       /* provider reference of the settling evidence; NULL if none */
    int64_t recorded_ms;         /* wall; 0 for an intent adopted without a time */
    int64_t settled_ms;          /* wall; 0 while open */
    int64_t not_after_ms;        /* wall; 0: none */
    int64_t next_due_ms;         /* wall; when a retry or a next look makes sense; 0: now */
    uint32_t tries;              /* looks or retries since the last change, for the backoff */
    uint32_t looks_left;         /* second looks still to be taken */
    int64_t look_due_ms;         /* wall; when the next second look is due; 0: none */
    /* The first of two absences at an eventually consistent look-up; attempts == 0: none. */
    struct deed_instant absent_asked;
    uint32_t absent_attempts;
    int64_t chain_length;
    uint8_t chain_head[DEED_DIGEST_BYTES];
};

/* Rules of the profile that settle a doubt, kept with the attempt. */
#define DEED_ATTEMPT_STORED_ERRORS 0x01u
#define DEED_ATTEMPT_PREFERS_WAIT 0x02u
#define DEED_ATTEMPT_EVENTUAL 0x04u  /* final absence needs two looks */
#define DEED_ATTEMPT_LOOKUP 0x08u    /* the executor could look up */
#define DEED_ATTEMPT_POLL 0x10u      /* ... poll */
#define DEED_ATTEMPT_CLOSABLE 0x20u  /* ... cancel */
#define DEED_ATTEMPT_NO_ABSENCE 0x40u /* consistency not known: absence is never final */
#define DEED_ATTEMPT_DENIED 0x80u    /* closed because its send deadline was over */

struct deed_attempt_row {
    size_t size;
    int64_t intent_id;
    uint32_t number;
    uint8_t token[DEED_TOKEN_BYTES];
    deed_cause cause;
    const char *executor;
    const char *executor_version;
    const char *account_scope;
    const char *endpoint;
    const char *provider_key;
    uint32_t generation;
    struct deed_text bytes; /* on the first attempt of a generation; data == NULL elsewhere */
    uint8_t bytes_digest[DEED_DIGEST_BYTES];
    int64_t owner; /* of the handle that began it; see owner_lives */
    struct deed_instant start;
    /* Durations from `start`; DEED_FOREVER where unbounded. Deadlines are sums of these, so that
     * each can be judged by either clock. */
    int64_t send_ms;
    int64_t answer_ms;
    int64_t landing_ms;
    int64_t lag_ms;
    int64_t reach_ms;
    int64_t window_ms;
    int64_t second_look_ms[2];
    uint32_t flags; /* DEED_ATTEMPT_... */
    /* What may change afterwards. */
    bool answered;
    int64_t answered_ms; /* wall; 0 while not answered */
    deed_verdict verdict;
    bool pending;
    const char *handle;        /* NULL if none */
    struct deed_instant first_look; /* in a boot other than that of `start`; boot "" if none */
};

struct deed_evidence_row {
    size_t size;
    int64_t id; /* set by the store on insert */
    int64_t intent_id;
    uint32_t attempt; /* 0: about the intent */
    bool token_known; /* `token` is set */
    uint8_t token[DEED_TOKEN_BYTES];
    const char *source; /* "attempt", "lookup", "poll", "cancel", "person", ... */
    deed_grade grade;
    deed_outcome outcome; /* what it says; NONE: nothing definite */
    bool settled;         /* it settled the intent when it was stored */
    const char *reference; /* NULL if none */
    struct deed_text excerpt;
    uint8_t excerpt_digest[DEED_DIGEST_BYTES];
    int64_t at_ms; /* wall */
    const char *actor; /* NULL: the machine */
    const char *statement; /* a person's reason; NULL if none */
};

/* One link of a chain. `intent_id` 0 is the ledger's own chain. */
struct deed_event_row {
    size_t size;
    int64_t intent_id;
    int64_t number; /* 1, 2, ... within the chain */
    deed_event event;
    deed_state from;
    deed_state to;
    deed_outcome outcome; /* of the intent after the event */
    uint32_t attempt;     /* 0: none */
    deed_grade grade;
    int64_t at_ms;     /* wall, as read */
    int64_t newest_ms; /* the newest wall time the ledger has seen, this one included */
    const char *actor;  /* NULL: the machine */
    const char *detail; /* canonical JSON object of digests, names and numbers; never a body */
    uint8_t hash[DEED_DIGEST_BYTES]; /* of all the above and the hash before */
};

/* ---- queries ----------------------------------------------------------------------------- */

#define DEED_SELECT_OPEN 0x01u     /* recorded, attempted, not_applied, held, or disputed */
#define DEED_SELECT_DISPUTED 0x02u
#define DEED_SELECT_HELD 0x04u
#define DEED_SELECT_OVERDUE 0x08u  /* not_after_ms set, over, and the intent not settled for good */
#define DEED_SELECT_DUE 0x10u      /* next_due_ms <= now_ms */
#define DEED_SELECT_LOOK_DUE 0x20u /* looks_left > 0 and look_due_ms <= now_ms */

/* All conditions given must hold. Order is by id, ascending. */
struct deed_select {
    size_t size;
    uint32_t flags; /* DEED_SELECT_... */
    deed_state state;     /* NONE: any */
    deed_outcome outcome; /* only with outcome_given */
    bool outcome_given;
    const char *kind;      /* NULL: any */
    int64_t recorded_before_ms; /* 0: any */
    int64_t now_ms;        /* for DUE, LOOK_DUE, OVERDUE */
    int64_t after_id;      /* cursor: ids above this one */
    uint32_t limit;        /* 0: no limit */
};

/* Callbacks return DEED_OK to go on; anything else ends the walk and is returned. The row lives
 * until the callback returns. */
typedef deed_rc (*deed_intent_visit)(void *context, const struct deed_intent_row *row);
typedef deed_rc (*deed_attempt_visit)(void *context, const struct deed_attempt_row *row);
typedef deed_rc (*deed_evidence_visit)(void *context, const struct deed_evidence_row *row);
typedef deed_rc (*deed_event_visit)(void *context, const struct deed_event_row *row);

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
    deed_rc (*reference_taken)(void *self, const char *reference, int64_t intent_id,
        bool *taken_out, struct deed_error *err);

    deed_rc (*event_insert)(void *self, const struct deed_event_row *row, struct deed_error *err);
    deed_rc (*event_each)(void *self, int64_t intent_id, deed_event_visit visit, void *context,
        struct deed_error *err);
    /* The largest newest_ms of all events; 0 if there is none. Cheap. */
    deed_rc (*newest)(void *self, int64_t *newest_ms_out, struct deed_error *err);
} deed_tx;

/* ---- the store --------------------------------------------------------------------------- */

/* What became of an operation. */
typedef enum deed_fate {
    DEED_FATE_UNKNOWN = 0,  /* the commit returned an error: it may still be there */
    DEED_FATE_COMMITTED = 1,
    DEED_FATE_NONE = 2, /* nothing of it is in the store, now or later */
} deed_fate;

struct deed_op {
    size_t size; /* sizeof(struct deed_op) */
    /* Reads, decides, writes. May be run again after a conflict: it must reset its context first. */
    deed_rc (*run)(void *context, deed_tx *tx, struct deed_error *err);
    void *context;
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
     * alive. true when it cannot be told. */
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
