/* SPDX-License-Identifier: MIT
 *
 * deed/ext/executor.h - how to write an executor: the code that talks to one provider.
 *
 * An executor acts and looks; it decides nothing. Whatever it leaves at zero is "unknown", which
 * is always safe. The core owns doubt, windows and settling.
 *
 *   order      prepare (pure) -> the attempt is made durable -> attempt -> the answer is stored.
 *   locks      no store lock and no transaction is held while any of these functions runs.
 *   threads    functions may be called from several threads at once, for different intents.
 *   re-entry   none may call back into the ledger that called it.
 *   size       an executor of older headers is taken: a function beyond its `size` is absent, and
 *              prepare and attempt have to be there. What the core hands over is of its own size:
 *              read no member beyond it, and fill member by member, never the struct as a whole.
 */
#ifndef DEED_EXT_EXECUTOR_H
#define DEED_EXT_EXECUTOR_H

#include <deed/base.h>
#include <deed/payload.h>

DEED_BEGIN_DECLS

/* How far a look-up can be trusted to be up to date. */
typedef enum deed_consistency {
    DEED_CONSISTENCY_UNKNOWN = 0, /* absence is never final */
    DEED_CONSISTENCY_STRONG = 1,
    DEED_CONSISTENCY_EVENTUAL = 2, /* final absence needs two looks, one lag apart */
} deed_consistency;

/* The declared numbers and rules of one executor at one provider, as configured for a kind. Each
 * attempt stores those that settle its doubt; a later configuration does not rewrite them.
 * Zero is "not known" and means the careful choice. */
struct deed_profile {
    size_t size;        /* sizeof(struct deed_profile) */
    int64_t send_ms;    /* from begin to the last moment a first byte may go out; 0: 30 s */
    int64_t answer_ms;  /* from there, time for the answer; both are the lease; 0: 60 s */
    int64_t landing_ms; /* landing allowance, processing included; 0 or DEED_FOREVER: unbounded */
    int64_t window_ms;  /* how long our key is honoured, whatever was answered; 0: it is not */
    int64_t lag_ms;     /* how long an effect may stay invisible to a look-up */
    int64_t reach_ms;   /* how long a look-up still shows it; 0: absence is never final */
    deed_consistency consistency;
    bool stored_errors;        /* errors are stored under the key and replayed */
    bool prefers_wait;         /* settle by looking; replay only when no look-up is possible */
    int64_t second_look_ms[2]; /* after an inferred `not_applied`; 0, 0: one horizon, one day */
    uint32_t attempts_max;     /* before a person is asked; 0: 5 */
    int64_t backoff_base_ms;   /* first pause after `not_applied`, doubled each time; 0: 1 s */
    int64_t backoff_cap_ms;    /* longest pause; 0: 5 min */
};

/* What prepare is given. */
struct deed_request {
    size_t size; /* sizeof(struct deed_request) */
    const char *key;
    const struct deed_payload *payload;
    const uint8_t *digest; /* DEED_DIGEST_BYTES, of the payload */
    const char *provider_key;
};

/* What prepare fills: where the request will go, in whose name, and its bytes. */
struct deed_preparation {
    size_t size; /* sizeof(struct deed_preparation) */
    char endpoint[DEED_ADDRESS_BYTES_MAX + 1];
    char account_scope[DEED_ADDRESS_BYTES_MAX + 1]; /* never a credential */
    void *sink;
    /* Appends to the encoded bytes; false when there is no memory or DEED_ENCODED_BYTES_MAX is
     * passed, and prepare must then return an error. */
    bool (*write)(void *sink, const void *bytes, size_t bytes_count);
};

/* One attempt, already durable when the executor reads this. */
struct deed_call {
    size_t size; /* sizeof(struct deed_call) */
    const char *key;
    uint32_t attempt; /* 1, 2, ... within the intent */
    deed_cause cause;
    const uint8_t *token;  /* DEED_TOKEN_BYTES */
    const uint8_t *digest; /* DEED_DIGEST_BYTES, of the payload */
    const char *provider_key;
    const char *endpoint;
    const char *account_scope;
    const uint8_t *bytes; /* exactly what prepare wrote for this provider key, the first time */
    size_t bytes_count;
    const uint8_t *bytes_digest; /* DEED_DIGEST_BYTES, of `bytes` */
    int64_t send_deadline_ms;    /* wall */
    int64_t answer_ms;           /* return within this after the send, with UNKNOWN if need be */
    void *gate;
    /* Must be called once, immediately before the first byte goes out. False: the send deadline is
     * over (or it was called before); send nothing and return. Takes no lock, opens no store. */
    bool (*may_send)(void *gate);
};

/* A word of the provider about our key itself. Beside it a negative verdict counts as unknown. */
typedef enum deed_key_signal {
    DEED_KEY_SIGNAL_NONE = 0,
    DEED_KEY_SIGNAL_IN_PROGRESS = 1, /* the first request is still being worked on */
    DEED_KEY_SIGNAL_MISMATCH = 2,    /* our key was used with other parameters: a person looks */
} deed_key_signal;

/* What the executor knows after an attempt. Zeroed by the caller; DEED_VERDICT_UNKNOWN is the
 * honest default. Texts that do not fit are cut by the executor. */
struct deed_answer {
    size_t size; /* sizeof(struct deed_answer) */
    deed_verdict verdict;
    bool stored_first; /* the provider marks this as its stored answer to the key's first request */
    bool pending;      /* accepted, not done: verdict stays unknown, poll `handle` */
    deed_key_signal key_signal;
    int64_t retry_after_ms; /* the provider asks for at least this pause; 0: it does not */
    char handle[DEED_HANDLE_BYTES_MAX + 1];
    char reference[DEED_REFERENCE_BYTES_MAX + 1];
    char excerpt[DEED_EXCERPT_BYTES_MAX + 1];
    size_t excerpt_bytes;
};

/* What look-up, poll and cancel are asked about: one provider key of one intent. */
struct deed_question {
    size_t size; /* sizeof(struct deed_question) */
    const char *key;
    const uint8_t *digest;       /* of the payload */
    const uint8_t *bytes_digest; /* of what was sent */
    const char *provider_key;
    const char *endpoint;
    const char *account_scope;
    const char *handle;     /* "" if none */
    int64_t first_start_ms; /* wall; when the first attempt under this key began */
    int64_t last_start_ms;
};

typedef enum deed_finding_kind {
    DEED_FOUND_NOTHING = 0,  /* could not tell: an error, an incomplete answer */
    DEED_FOUND_PRESENT = 1,  /* the effect is there */
    DEED_FOUND_REJECTED = 2, /* the provider reports a definite failure, for good */
    DEED_FOUND_PENDING = 3,  /* accepted, not done */
    DEED_FOUND_ABSENT = 4,   /* not there, at the time of asking */
    DEED_FOUND_CLOSED = 5,   /* cancel only: not there, and barred from now on */
} deed_finding_kind;

/* The answer. Zeroed by the caller. */
struct deed_finding {
    size_t size; /* sizeof(struct deed_finding) */
    deed_finding_kind kind;
    bool complete;       /* the whole answer was seen; an absence without this is no absence */
    bool marker_matches; /* it carries our provider key */
    bool digest_matches; /* it carries our digest, or bytes that hash to it */
    uint32_t count;      /* effects found; more than one is a double effect */
    char handle[DEED_HANDLE_BYTES_MAX + 1];
    char reference[DEED_REFERENCE_BYTES_MAX + 1];
    char excerpt[DEED_EXCERPT_BYTES_MAX + 1];
    size_t excerpt_bytes;
};

/* A mock: accepted by test ledgers only. */
#define DEED_EXECUTOR_MOCK 0x1U
/* Connects to loopback only, or is marked harmless by its configuration: test ledgers accept it. */
#define DEED_EXECUTOR_LOOPBACK 0x2U

/* An executor. Members are pointer-sized and only ever appended. */
typedef struct deed_executor {
    size_t size;         /* sizeof(struct deed_executor) */
    const char *name;    /* unique, stable: stored with each attempt */
    const char *version; /* stored with each attempt */
    uintptr_t flags;     /* DEED_EXECUTOR_... */
    void *self;          /* first argument of every function below */

    /* Pure: the same request gives the same bytes. Called before the transaction of begin, and
     * again before a look-up or replay, to compare account and endpoint with those stored. */
    deed_rc (*prepare)(void *self, const struct deed_request *request,
        struct deed_preparation *preparation_out, struct deed_error *err);
    /* Sends at most once. Returns nothing: what is not known stays unknown. */
    void (*attempt)(void *self, const struct deed_call *call, struct deed_answer *answer_out);
    /* Asks whether it happened, without causing it. NULL: this provider cannot be asked. */
    void (*lookup)(
        void *self, const struct deed_question *question, struct deed_finding *finding_out);
    /* Asks about an accepted request by its handle. NULL: there is no such call. */
    void (*poll)(
        void *self, const struct deed_question *question, struct deed_finding *finding_out);
    /* Bars a later effect under this key: answers PRESENT, CLOSED or NOTHING. NULL: cannot. */
    void (*cancel)(
        void *self, const struct deed_question *question, struct deed_finding *finding_out);
    void (*destroy)(void *self); /* may be NULL */
} deed_executor;

DEED_END_DECLS
#endif /* DEED_EXT_EXECUTOR_H */
