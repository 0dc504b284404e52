/* SPDX-License-Identifier: MIT
 *
 * deed/rows.h - what a ledger remembers: the ledger itself, intents, attempts, evidence, events.
 *
 * Stores hand these rows to the core, and the core hands them to a host that asks. A row and every
 * pointer in it live until the callback that received it returns. Members are only ever appended.
 */
#ifndef DEED_ROWS_H
#define DEED_ROWS_H

#include <deed/base.h>
#include <deed/payload.h>

DEED_BEGIN_DECLS

/* The one row about the ledger itself. */
struct deed_ledger_row {
    size_t size;
    const char *name;
    bool test;             /* accepts mock executors */
    int64_t epoch;         /* raised by each restore */
    bool fenced;           /* a restore happened and its gap is not closed */
    int64_t restored_ms;   /* wall; 0: never */
    int64_t fence_send_ms; /* the longest send deadline the lost time may have used */
    int64_t created_ms;    /* wall */
    uint64_t file_device;  /* identity of the file when it was created or adopted */
    uint64_t file_inode;
    int64_t chain_length; /* events of the ledger's own chain */
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
#define DEED_ATTEMPT_STORED_ERRORS 0x01U
#define DEED_ATTEMPT_PREFERS_WAIT  0x02U
#define DEED_ATTEMPT_EVENTUAL      0x04U /* final absence needs two looks */
#define DEED_ATTEMPT_LOOKUP        0x08U /* the executor could look up */
#define DEED_ATTEMPT_POLL          0x10U /* ... poll */
#define DEED_ATTEMPT_CLOSABLE      0x20U /* ... cancel */
#define DEED_ATTEMPT_NO_ABSENCE    0x40U /* consistency not known: absence is never final */
#define DEED_ATTEMPT_DENIED        0x80U /* closed because its send deadline was over */
/* The provider was about to be asked to bar its key: no attempt goes out under that key again. */
#define DEED_ATTEMPT_BARRED 0x100U

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
    const char *handle;             /* NULL if none */
    struct deed_instant first_look; /* in a boot other than that of `start`; boot "" if none */
    bool bytes_here;                /* its bytes are stored, read or not; not looked at on insert */
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
    deed_outcome outcome;  /* what it says; NONE: nothing definite */
    bool settled;          /* it settled the intent when it was stored */
    const char *reference; /* NULL if none */
    struct deed_text excerpt;
    uint8_t excerpt_digest[DEED_DIGEST_BYTES]; /* of all that the excerpt is the beginning of */
    int64_t at_ms;                             /* wall */
    const char *actor;                         /* NULL: the machine */
    const char *statement;                     /* a person's reason; NULL if none */
    const char *event_id; /* the source's own name of what it told; NULL if none */
};

/* One pass of reconciliation, stored when it ended. */
struct deed_pass_row {
    size_t size;
    int64_t id;         /* set by the store on insert */
    int64_t started_ms; /* wall */
    int64_t ended_ms;   /* wall */
    const char *actor;  /* NULL: the machine */
    uint64_t seen;
    uint64_t settled;
    uint64_t waiting;
    uint64_t person;
    uint64_t failed;
    const char *reasons; /* canonical JSON object: name of a deed_reason -> how many */
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
    int64_t at_ms;      /* wall, as read */
    int64_t newest_ms;  /* the newest wall time the ledger has seen, this one included */
    const char *actor;  /* NULL: the machine */
    const char *detail; /* canonical JSON object of digests, names and numbers; never a body */
    uint8_t hash[DEED_DIGEST_BYTES]; /* of all the above and the hash before */
};

/* Callbacks return DEED_OK to go on; anything else ends the walk and is returned. They are called
 * inside a transaction and must not call the same ledger (DEED_E_MISUSE). */
typedef deed_rc (*deed_intent_visit)(void *context, const struct deed_intent_row *row);
typedef deed_rc (*deed_attempt_visit)(void *context, const struct deed_attempt_row *row);
typedef deed_rc (*deed_evidence_visit)(void *context, const struct deed_evidence_row *row);
typedef deed_rc (*deed_event_visit)(void *context, const struct deed_event_row *row);
typedef deed_rc (*deed_pass_visit)(void *context, const struct deed_pass_row *row);

DEED_END_DECLS
#endif /* DEED_ROWS_H */
