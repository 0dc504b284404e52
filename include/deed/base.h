/* SPDX-License-Identifier: MIT
 *
 * deed/base.h - what every other header of deed builds on: codes, errors, limits, words.
 *
 * Rules that hold for every declaration in <deed/...>:
 *   failure    what can fail returns deed_rc. Out-parameters are written on success only, except
 *              `struct deed_result`, which also tells what is known of the action when a step is
 *              refused. `err` may be NULL and is written on failure only.
 *   ownership  pointers passed in are borrowed for the call unless the text says "takes".
 *              Each handle names the one function that frees it; that function accepts NULL.
 *   units      are in the name: _ms, _bytes. Wall times are milliseconds since 1970-01-01 UTC.
 *              Strings are UTF-8 and end with NUL; where a NUL may be inside, a length goes along.
 *   growth     a struct that may grow starts with `size`: sizeof the struct in these headers, set by
 *              whoever makes room for it, also where another side fills it. No more than `size` is
 *              read or written; what is missing counts as zero. DEED_E_MISUSE, before anything is
 *              done: a size that was not set, and an input that uses members of newer headers.
 *   threads    a ledger may be shared between threads; nothing is process-wide.
 *   callbacks  of a handle are called on the thread that called it. Inside one, every call on the same
 *              handle returns DEED_E_MISUSE and waits for nothing, unless the callback's text allows
 *              it; other handles are free, and so are other threads. A callback returns: it does not
 *              leave by longjmp or an exception.
 *   fork       a ledger belongs to the process that opened it. In the child every call on it returns
 *              DEED_E_MISUSE and waits for nothing; only close is allowed.
 *   durable    means: committed and flushed by the store before the function returns.
 */
#ifndef DEED_BASE_H
#define DEED_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define DEED_BEGIN_DECLS extern "C" {
#define DEED_END_DECLS   }
#else
#define DEED_BEGIN_DECLS
#define DEED_END_DECLS
#endif

#if defined(__GNUC__)
#define DEED_API        __attribute__((visibility("default")))
#define DEED_MUST_CHECK __attribute__((warn_unused_result))
#define DEED_PRINTF(format_index, first_index)                                                     \
    __attribute__((format(printf, format_index, first_index)))
#else
#define DEED_API
#define DEED_MUST_CHECK
#define DEED_PRINTF(format_index, first_index)
#endif

#define DEED_VERSION "0.1.0"

/* Limits. Each is written here and nowhere else. */
#define DEED_KEY_BYTES_MAX        80      /* an action key: [a-z0-9-]{1,80} */
#define DEED_NAME_BYTES_MAX       80      /* a ledger name: the same alphabet as a key */
#define DEED_TEXT_CODE_POINTS_MAX 4000    /* kind, target, body, each */
#define DEED_TEXT_BYTES_MAX       16000   /* what 4000 code points can take in UTF-8 */
#define DEED_NOTE_BYTES_MAX       1000    /* reason, actor, statement of a person */
#define DEED_REFERENCE_BYTES_MAX  255     /* a provider's own name for the effect */
#define DEED_HANDLE_BYTES_MAX     1000    /* what an executor needs to poll an accepted request */
#define DEED_EXCERPT_BYTES_MAX    2000    /* of a provider's answer, kept as evidence */
#define DEED_ENCODED_BYTES_MAX    1048576 /* the bytes of one request */
#define DEED_ADDRESS_BYTES_MAX    1000    /* endpoint, account scope, executor name and version */
#define DEED_DURATION_MS_MAX      3155760000000 /* one hundred years; longer is DEED_FOREVER */
/* A wall time that is kept: of the years 1973 to 5138. Seconds given for milliseconds are none. */
#define DEED_WALL_MS_MIN 100000000000
#define DEED_WALL_MS_MAX 99999999999999

/* A duration without an end. In a landing allowance it reads "unbounded", in a window "kept for
 * ever", in a reach "a look-up never forgets". Zero means none, or not known, everywhere. */
#define DEED_FOREVER INT64_MAX

DEED_BEGIN_DECLS

/* Grouped by what the caller may do next, not by where it went wrong. The numbers are ABI:
 * append, never renumber, never reuse. Sentences and exit statuses:
 * docs/reference/errors.md. */
typedef enum deed_rc {
    DEED_OK = 0,
    DEED_E_INVALID = 1,       /* the input is wrong: the text names what and how to mend it */
    DEED_E_MISUSE = 2,        /* the call broke these headers: fix the caller */
    DEED_E_NOMEM = 3,         /* nothing changed: free something first */
    DEED_E_BUSY = 4,          /* nothing changed: another writer held the store for too long */
    DEED_E_STORE = 5,         /* the store failed or is not usable; nothing is claimed */
    DEED_E_SYSTEM = 6,        /* the machine failed: a clock, a source of randomness, a file */
    DEED_E_UNCERTAIN = 7,     /* it may have happened: do not repeat, reconcile */
    DEED_E_IN_FLIGHT = 8,     /* somebody is at it now: wait */
    DEED_E_CONFLICT = 9,      /* the key already binds another payload */
    DEED_E_NOT_FOUND = 10,    /* no such intent */
    DEED_E_NEEDS_PERSON = 11, /* disputed, held, fenced, overdue, exhausted, payload missing */
    DEED_E_SCHEMA = 12,       /* the ledger's schema is older or newer than this library */
    DEED_E_NO_EXECUTOR = 13,  /* nothing is registered for this kind, or for who saw the doubt */
    DEED_E_NO_STEP = 14,      /* the machine has no such step from here */
    DEED_E_NOT_YET = 15,      /* the step exists, but not before the time named */
    DEED_E_CHECK = 16,        /* a check failed: the ledger breaks a rule it should keep */
    DEED_E_TOO_LATE = 17,     /* the send deadline is over: nothing was sent, nothing may be */
    DEED_E_INTERRUPTED = 18,  /* the host asked to stop before this was done */
} deed_rc;

#define DEED_ERROR_TEXT_BYTES 512
#define DEED_ERROR_NEXT_BYTES 192

/* Detail for people and logs. Its size is frozen: reporting an error never fails. Never holds a
 * payload's body or a credential. */
struct deed_error {
    deed_rc rc;
    int32_t native;                   /* errno or SQLite code; 0 if none */
    char origin[24];                  /* "core", "store.sqlite", "executor.mock" */
    char key[DEED_KEY_BYTES_MAX + 1]; /* the action key it is about, or "" */
    char text[DEED_ERROR_TEXT_BYTES]; /* one line, outermost context first */
    char next[DEED_ERROR_NEXT_BYTES]; /* the next command, or "" */
};

/* Names and sentences of codes: "DEED_E_CONFLICT", "the key already binds another payload".
 * Static strings; NULL for a number that is no code. */
DEED_API const char *deed_rc_name(deed_rc rc);
DEED_API const char *deed_rc_sentence(deed_rc rc);

/* The library's version at run time, e.g. "0.1.0". */
DEED_API const char *deed_version(void);

/* The state machine's words. Numbers are stored: append only. All of them, and
 * the edges: docs/reference/state-machine.md. */
typedef enum deed_state {
    DEED_STATE_NONE = 0, /* before the record */
    DEED_RECORDED = 1,
    DEED_ATTEMPTED = 2,
    DEED_CONFIRMED = 3,
    DEED_RECONCILED = 4,
} deed_state;

typedef enum deed_outcome {
    DEED_OUTCOME_NONE = 0, /* nothing is known yet */
    DEED_APPLIED = 1,
    DEED_REJECTED = 2,
    DEED_NOT_APPLIED = 3,
    DEED_RETRACTED = 4, /* of an intent only; never the verdict of an attempt */
} deed_outcome;

/* What is known of one attempt. UNKNOWN is zero: a forgotten assignment costs a look-up, never a
 * double payment. The other values equal those of deed_outcome. */
typedef enum deed_verdict {
    DEED_VERDICT_UNKNOWN = 0,
    DEED_VERDICT_APPLIED = 1,
    DEED_VERDICT_REJECTED = 2,
    DEED_VERDICT_NOT_APPLIED = 3,
} deed_verdict;

typedef enum deed_grade {
    DEED_GRADE_NONE = 0,
    DEED_GRADE_FIRST_HAND = 1,            /* the answer to the attempt itself */
    DEED_GRADE_REPLAY = 2,                /* an answer under the same provider key */
    DEED_GRADE_PROVIDER_PRESENT = 3,      /* look-up or poll shows our effect, or its refusal */
    DEED_GRADE_PROVIDER_CLOSED = 4,       /* the provider bars any later effect */
    DEED_GRADE_PROVIDER_ABSENT_FINAL = 5, /* absent, asked when nothing could still land */
    DEED_GRADE_OPERATOR = 6,              /* a person's word */
} deed_grade;

typedef enum deed_cause {
    DEED_CAUSE_FIRST = 1,
    DEED_CAUSE_RETRY = 2,
    DEED_CAUSE_REPLAY = 3,
    DEED_CAUSE_BY_NAME = 4, /* a person named the key; no policy would have allowed it */
} deed_cause;

/* Events of the chain. Those of the machine come first; the rest change no state. */
typedef enum deed_event {
    DEED_EVENT_NONE = 0,
    DEED_EVENT_RECORD = 1,
    DEED_EVENT_ATTEMPT = 2,
    DEED_EVENT_CONFIRM = 3,
    DEED_EVENT_RECONCILE = 4,
    DEED_EVENT_REPLAY = 5,
    DEED_EVENT_RETRACT = 6,
    DEED_EVENT_ANSWER = 7, /* an answer that is unknown, or settles nothing */
    DEED_EVENT_NOTE = 8,   /* evidence that was kept and settles nothing */
    DEED_EVENT_LOOK = 9,   /* a look was taken, or the first one of a new boot stored */
    DEED_EVENT_HOLD = 10,
    DEED_EVENT_RELEASE = 11,
    DEED_EVENT_DISPUTE = 12,
    DEED_EVENT_PAYLOAD = 13, /* a payload that was missing was stored */
    DEED_EVENT_PRUNE = 14,
    DEED_EVENT_FENCE = 15, /* of the ledger's own chain */
    DEED_EVENT_LIFT = 16,
} deed_event;

/* How a provider can be held to "at most once", as far as it was declared. */
typedef enum deed_provider_class {
    DEED_CLASS_BLIND = 0,        /* neither key nor look-up: one send, then a person */
    DEED_CLASS_LOOKUP = 1,       /* can be asked */
    DEED_CLASS_KEYED = 2,        /* honours our key */
    DEED_CLASS_KEYED_LOOKUP = 3, /* both */
    DEED_CLASS_CLOSABLE = 4,     /* can bar a later effect */
} deed_provider_class;

/* Texts as stored, shown and documented. Static strings; NULL for a number that is none. */
DEED_API const char *deed_state_name(deed_state state);
DEED_API const char *deed_outcome_name(deed_outcome outcome);
DEED_API const char *deed_verdict_name(deed_verdict verdict);
DEED_API const char *deed_grade_name(deed_grade grade);
DEED_API const char *deed_cause_name(deed_cause cause);
DEED_API const char *deed_event_name(deed_event event);
DEED_API const char *deed_provider_class_name(deed_provider_class provider_class);

/* One reading of all clocks. `mono_ms` counts through suspend and starts anew with each boot;
 * `boot` names the boot (on Linux the kernel's boot id), so that readings can be compared. */
#define DEED_BOOT_BYTES 40
struct deed_instant {
    int64_t wall_ms;
    int64_t mono_ms;
    char boot[DEED_BOOT_BYTES];
};

/* A source of time. NULL where one is expected means the system's clocks. Any thread may call. */
struct deed_clock {
    size_t size; /* sizeof(struct deed_clock) */
    void *self;
    bool (*now)(void *self, struct deed_instant *now_out); /* false: the clock cannot be read */
};

/* A source of unpredictable bytes. NULL where one is expected means OpenSSL's. */
struct deed_random {
    size_t size; /* sizeof(struct deed_random) */
    void *self;
    bool (*fill)(void *self, void *buffer, size_t buffer_bytes);
};

/* Memory. resize(NULL, 0, n) allocates, resize(p, n, 0) frees and returns NULL, and a NULL for
 * n > 0 means "out of memory" and leaves `memory` as it was. NULL where one is expected means
 * malloc and free. Any thread may call. */
struct deed_allocator {
    size_t size; /* sizeof(struct deed_allocator) */
    void *self;
    void *(*resize)(void *self, void *memory, size_t old_bytes, size_t new_bytes);
};

#define DEED_TOKEN_BYTES        16 /* identifies an attempt, and fences its late words */
#define DEED_DIGEST_BYTES       32 /* SHA-256 */
#define DEED_DIGEST_TEXT_BYTES  65 /* lower-case hex and NUL */
#define DEED_TOKEN_TEXT_BYTES   33
#define DEED_PROVIDER_KEY_BYTES 37 /* UUID-shaped text and NUL */

DEED_END_DECLS
#endif /* DEED_BASE_H */
