/* SPDX-License-Identifier: MIT
 *
 * deed/ledger.h - the ledger: actions that must happen at most once and never be lost sight of.
 *
 * One action in four calls: deed_record binds a key to a payload; deed_begin makes an attempt
 * durable; the host (or an executor) sends; deed_finish stores the answer. deed_run does the last
 * three with a registered executor. Whatever is left in doubt, deed_reconcile settles by evidence.
 */
#ifndef DEED_LEDGER_H
#define DEED_LEDGER_H

#include <deed/base.h>
#include <deed/ext/executor.h>
#include <deed/machine.h>
#include <deed/payload.h>
#include <deed/rows.h>

DEED_BEGIN_DECLS

struct deed_store;                      /* deed/ext/store.h, deed/sqlite.h */
typedef struct deed_ledger deed_ledger; /* freed by deed_ledger_close */

/* ---- open and close ---------------------------------------------------------------------- */

/* Told what the ledger does, on the thread that does it; never holds a body. Must not call the same
 * ledger (DEED_E_MISUSE). */
struct deed_trace {
    size_t size; /* sizeof(struct deed_trace) */
    void *self;
    void (*event)(void *self, const char *what, const char *key, const char *text);
};

struct deed_options {
    size_t size; /* sizeof(struct deed_options) */
    const struct deed_clock *clock;
    const struct deed_random *random;
    const struct deed_allocator *memory;
    const struct deed_trace *trace; /* NULL: nobody is told */
    const char
        *actor; /* who is named in events and evidence when a call names nobody; NULL: none */
};

/* Writes the ledger row of an empty store: name ([a-z0-9-]{1,80}) and whether it is a test ledger.
 * On the adopted table of the recorded-intent fixture it also starts the chain of each intent.
 * Durable. Refused (DEED_E_NO_STEP) where a ledger row exists. Does not take the store. */
DEED_API DEED_MUST_CHECK deed_rc deed_ledger_init(struct deed_store *store, const char *name,
    bool test, const struct deed_options *options, struct deed_error *err);

/* Opens a ledger on `store` and takes it, on failure too. `options` may be NULL; what it points to
 * must outlive the ledger. A fixture table that was not migrated opens for reading. */
DEED_API DEED_MUST_CHECK deed_rc deed_ledger_open(struct deed_store *store,
    const struct deed_options *options, deed_ledger **ledger_out, struct deed_error *err);

/* Frees ledger, store and executors; NULL is allowed. Never fails: nothing is buffered. In the child
 * of a fork it frees memory alone: files, locks and log of the parent are not touched, executors are
 * not destroyed, and what another thread was in the middle of is left to the end of the process.
 * Called from inside a callback of the same handle it does nothing. (The visit of deed_outbox_drain
 * alone must not call it: what it is called by is no part of the handle.) */
DEED_API void deed_ledger_close(deed_ledger *ledger);

/* The kind that stands for every kind without an executor of its own. */
#define DEED_KIND_OTHERS "*"

/* Serves `kind` with `executor` under `profile` (may be NULL: everything not known). Takes the
 * executor, on failure too; the same one may serve several kinds and is destroyed once, at close.
 * A mock is refused unless the ledger is a test ledger. Before the ledger is shared by threads.
 * DEED_KIND_OTHERS as the kind: every kind that has no executor of its own. */
DEED_API DEED_MUST_CHECK deed_rc deed_ledger_register(deed_ledger *ledger, const char *kind,
    deed_executor *executor, const struct deed_profile *profile, struct deed_error *err);

struct deed_ledger_info {
    size_t size;                        /* sizeof(struct deed_ledger_info) */
    char name[DEED_NAME_BYTES_MAX + 1]; /* "" on a fixture that was not migrated */
    bool test;
    bool fenced;
    int64_t epoch;
    int64_t created_ms;
    const char *store; /* name of the store; lives as long as the ledger */
    const char *location;
};
DEED_API DEED_MUST_CHECK deed_rc deed_ledger_info(
    deed_ledger *ledger, struct deed_ledger_info *info_out, struct deed_error *err);

/* ---- what is known of an action ---------------------------------------------------------- */

#define DEED_NEXT_BYTES       192
#define DEED_KIND_SHOWN_BYTES 255

/* Filled by every call that names an intent, on repeats and refusals too, if the intent exists; else
 * all but `size` is zero. */
struct deed_result {
    size_t size;                      /* sizeof(struct deed_result) */
    char key[DEED_KEY_BYTES_MAX + 1]; /* "": no such intent was found */
    char digest[DEED_DIGEST_TEXT_BYTES];
    char kind[DEED_KIND_SHOWN_BYTES + 1]; /* "" if never known; cut for showing */
    deed_state state;
    deed_outcome outcome;
    deed_grade grade;
    deed_reason reason;
    bool uncertain; /* attempted, and nobody is at it: it may have happened */
    bool in_flight; /* attempted, and somebody is at it, as far as can be told */
    bool disputed;
    bool held;
    bool fenced;
    bool overdue;
    bool needs_person; /* nothing but a person will move it on, as far as this handle can tell */
    bool created;      /* this call recorded it */
    bool replayed;     /* answered from the ledger: nothing was sent by this call */
    bool class_known;  /* an attempt was made, so `provider_class` is known */
    deed_provider_class provider_class;
    uint32_t attempt;                             /* number of the newest attempt; 0: none */
    char reference[DEED_REFERENCE_BYTES_MAX + 1]; /* provider's name of the effect, or "" */
    char held_reason[DEED_NOTE_BYTES_MAX + 1];
    char disputed_reason[DEED_NOTE_BYTES_MAX + 1];
    char next[DEED_NEXT_BYTES]; /* the next command, or "" if none is needed */
    int64_t recorded_ms;        /* wall; 0: adopted without a time */
    int64_t attempted_ms;       /* wall; start of the newest attempt, or 0 */
    int64_t settled_ms;         /* wall; 0 while open */
    int64_t not_after_ms;       /* wall; 0: none */
    int64_t due_ms;             /* wall; when the machine itself will do something next, or 0 */
    int64_t final_ms;           /* wall; when nothing sent so far can still take effect and be
                                   invisible; 0: settled; DEED_FOREVER: never */
    /* Kinds are registered with this handle, and none of the executors serves what this one waits for:
     * `needs_person` holds until it is configured. */
    bool unserved;
};

/* What is known of one intent. Writes nothing. DEED_E_NOT_FOUND if there is none. */
DEED_API DEED_MUST_CHECK deed_rc deed_get(
    deed_ledger *ledger, const char *key, struct deed_result *result, struct deed_error *err);

/* ---- record ------------------------------------------------------------------------------ */

struct deed_record {
    size_t size; /* sizeof(struct deed_record) */
    const char *key;
    const struct deed_payload *payload;
    int64_t not_after_ms;    /* wall, in milliseconds; no attempt begins later; 0: none */
    const char *hold_reason; /* not NULL: recorded as held */
    const char *actor;       /* NULL: that of the options */
};

/* Records an intent, durably. The same key with the same payload: created is false, nothing is
 * written (except a payload that was missing). With another payload: DEED_E_CONFLICT, and the text
 * names the member that differs where it is known. A record that returned DEED_E_STORE may be
 * repeated: it is there whole or not at all. */
DEED_API DEED_MUST_CHECK deed_rc deed_record(deed_ledger *ledger, const struct deed_record *record,
    struct deed_result *result, struct deed_error *err);

/* Told about each intent a call has dealt with, after its commit and outside of any transaction;
 * `rc` and `err` are that intent's own. Return false to stop after it. It may call the same handle
 * (all but close): what the walk tells later may then be newer than what it told before. */
typedef bool (*deed_result_visit)(
    void *context, deed_rc rc, const struct deed_result *result, const struct deed_error *err);

/* Records many, in one commit, each for itself: a line that is refused stops no other. The visit is
 * told of each in order, after the commit; its return value is not looked at. Where the key itself
 * is wrong err->key is empty, as in every error: the order says which record it was. Returns
 * DEED_OK if each was answered. The records lie as far apart as the first is long, and all have its
 * size. */
DEED_API DEED_MUST_CHECK deed_rc deed_record_many(deed_ledger *ledger,
    const struct deed_record *records, size_t count, deed_result_visit visit, void *context,
    struct deed_error *err);

/* ---- attempt ----------------------------------------------------------------------------- */

#define DEED_BEGIN_BY_NAME 0x1U /* a person names the key: policy and pauses do not refuse */
#define DEED_BEGIN_REPLAY  0x2U /* resend an uncertain intent under its own provider key */
/* What would be sent is not what is bound to the present provider key: use the next one. One key
 * means one sequence of bytes, for ever. Of a retry only. */
#define DEED_BEGIN_NEW_BYTES 0x4U

/* What the next attempt would be: enough to encode the request before it is begun. */
struct deed_plan {
    size_t size; /* sizeof(struct deed_plan) */
    deed_cause cause;
    uint32_t generation;
    char provider_key[DEED_PROVIDER_KEY_BYTES];
    uint8_t digest[DEED_DIGEST_BYTES]; /* of the payload */
    bool bytes_bound; /* something was sent under this key before: its digest follows */
    uint8_t bytes_digest[DEED_DIGEST_BYTES];
};

/* Everything an attempt is bound to; the same facts an executor gives through prepare. */
struct deed_binding {
    size_t size; /* sizeof(struct deed_binding) */
    const char *executor;
    const char *executor_version;
    const char *account_scope;
    const char *endpoint;
    const char *provider_key; /* of the plan; begin refuses another with DEED_E_MISUSE */
    const uint8_t *bytes;     /* what will be sent */
    size_t bytes_count;
    const struct deed_profile *profile; /* NULL: everything not known */
    bool can_lookup;
    bool can_poll;
    bool can_cancel;
};

struct deed_begin {
    size_t size; /* sizeof(struct deed_begin) */
    const char *key;
    uint32_t flags;                   /* DEED_BEGIN_... */
    const struct deed_record *record; /* not NULL: record it first, in the same commit */
    const struct deed_binding *binding;
    const char *actor;
};

/* A begun attempt. The token is what finish and may_send are called with. */
struct deed_attempt {
    size_t size; /* sizeof(struct deed_attempt) */
    uint32_t number;
    deed_cause cause;
    uint32_t generation;
    uint8_t token[DEED_TOKEN_BYTES];
    char provider_key[DEED_PROVIDER_KEY_BYTES];
    int64_t send_deadline_ms; /* wall */
    int64_t lease_end_ms;     /* wall */
};

/* Computes the plan. `payload` is needed for a key that is not recorded yet, and may be NULL
 * otherwise; one that the key does not bind is DEED_E_CONFLICT. Refuses what begin would refuse.
 * Writes nothing. */
DEED_API DEED_MUST_CHECK deed_rc deed_plan(deed_ledger *ledger, const char *key,
    const struct deed_payload *payload, uint32_t flags, struct deed_plan *plan_out,
    struct deed_result *result, struct deed_error *err);

/* Begins an attempt, durably: only after DEED_OK may anything be sent. Never hands out an attempt
 * that exists: an intent somebody is at answers DEED_E_IN_FLIGHT, an uncertain one
 * DEED_E_UNCERTAIN. DEED_E_STORE: nothing may be sent. */
DEED_API DEED_MUST_CHECK deed_rc deed_begin(deed_ledger *ledger, const struct deed_begin *begin,
    struct deed_attempt *attempt_out, struct deed_result *result, struct deed_error *err);

/* Asked by a host immediately before its first byte, on the handle that began the attempt, which
 * answers by its clock and what it remembers: what another handle has written since it does not see.
 * DEED_E_TOO_LATE: the send deadline is over and nothing may be sent; the attempt is closed as
 * not_applied if this handle began it and never said yes. Not durable, and no commit: after a crash
 * an attempt is uncertain whether this was called or not. */
DEED_API DEED_MUST_CHECK deed_rc deed_may_send(
    deed_ledger *ledger, const uint8_t token[DEED_TOKEN_BYTES], struct deed_error *err);

/* Stores what the attempt's answer says, durably. The same verdict twice is harmless. A word for a
 * token the ledger does not know is kept as a late word of `key`. DEED_E_STORE: the answer was seen
 * and is not stored; call again with the same answer, never send again. */
DEED_API DEED_MUST_CHECK deed_rc deed_finish(deed_ledger *ledger, const char *key,
    const uint8_t token[DEED_TOKEN_BYTES], const struct deed_answer *answer,
    struct deed_result *result, struct deed_error *err);

/* plan + prepare + begin + attempt + finish with the executor registered for the intent's kind.
 * What is settled is answered from the ledger (`replayed`); an uncertain intent is never resent.
 * Returns DEED_OK whenever the intent's state is known, be it "unknown": look at the result. */
DEED_API DEED_MUST_CHECK deed_rc deed_run(deed_ledger *ledger, const char *key, uint32_t flags,
    struct deed_result *result, struct deed_error *err);

/* Runs every intent that is due for an attempt, oldest first. */
DEED_API DEED_MUST_CHECK deed_rc deed_run_due(
    deed_ledger *ledger, deed_result_visit visit, void *context, struct deed_error *err);

/* ---- reconcile --------------------------------------------------------------------------- */

/* Does the next thing that can settle one uncertain intent, due or not: poll, look up, replay,
 * cancel. Durable. Returns DEED_OK whenever the intent's state is known: look at the result. */
DEED_API DEED_MUST_CHECK deed_rc deed_reconcile(
    deed_ledger *ledger, const char *key, struct deed_result *result, struct deed_error *err);

/* What reconciling would do next. */
typedef enum deed_settle_step {
    DEED_SETTLE_NOTHING = 0, /* it is settled, and no look is due */
    DEED_SETTLE_WAIT = 1,    /* in flight, or paused: see due_ms of the result */
    DEED_SETTLE_POLL = 2,
    DEED_SETTLE_LOOK_UP = 3,
    DEED_SETTLE_REPLAY = 4,
    DEED_SETTLE_CANCEL = 5,
    DEED_SETTLE_PERSON = 6, /* nothing but a person */
} deed_settle_step;

/* "look_up". Static; NULL for a number that is none. */
DEED_API const char *deed_settle_step_name(deed_settle_step step);

/* The first step deed_reconcile (by_name), or a pass (else), would take now. Asks no provider and
 * writes nothing. Errors are those deed_reconcile would return before it asks. */
DEED_API DEED_MUST_CHECK deed_rc deed_reconcile_plan(deed_ledger *ledger, const char *key,
    bool by_name, deed_settle_step *step_out, struct deed_result *result, struct deed_error *err);

struct deed_pass {
    size_t size;   /* sizeof(struct deed_pass) */
    uint64_t seen; /* uncertain, or due for a second look */
    uint64_t settled;
    uint64_t waiting;   /* the machine itself will look again */
    uint64_t person;    /* nothing but a person settles it; no executor serves it */
    uint64_t failed;    /* an error; the visit was told */
    int64_t started_ms; /* wall */
    int64_t ended_ms;   /* wall */
    uint64_t reasons[DEED_REASON_COUNT_MAX]; /* how many were left open with each deed_reason */
};

/* One pass over everything uncertain and due, and over second looks. A pass that saw anything is
 * stored with its counts, durably, when it ends; one that saw nothing writes nothing. If storing it
 * fails that error is returned, `pass_out` is filled, and the answer of each intent stands. */
DEED_API DEED_MUST_CHECK deed_rc deed_reconcile_pass(deed_ledger *ledger, deed_result_visit visit,
    void *context, struct deed_pass *pass_out, struct deed_error *err);

/* The passes that are stored, newest first, at most `limit` (0: all). */
DEED_API DEED_MUST_CHECK deed_rc deed_ledger_passes(deed_ledger *ledger, uint32_t limit,
    deed_pass_visit visit, void *context, struct deed_error *err);

/* ---- a person's decisions ---------------------------------------------------------------- */

struct deed_decision {
    size_t size; /* sizeof(struct deed_decision) */
    const char *key;
    const char *by;     /* who decides; required */
    const char *reason; /* why; required */
    /* Of resolve only. */
    deed_outcome outcome;  /* applied, rejected, not_applied */
    const char *evidence;  /* what was seen, in words; NULL: none */
    const char *reference; /* the provider's name of the effect; NULL: none */
};

/* Settles an uncertain or disputed intent by a person's word; as applied also what is only recorded,
 * where evidence says that it was. rejected and not_applied are refused
 * (DEED_E_NOT_YET, naming the time) while anything sent could still land unseen. */
DEED_API DEED_MUST_CHECK deed_rc deed_resolve(deed_ledger *ledger,
    const struct deed_decision *decision, struct deed_result *result, struct deed_error *err);
/* Gives up an intent that was not applied: it will never be attempted (again). */
DEED_API DEED_MUST_CHECK deed_rc deed_retract(deed_ledger *ledger,
    const struct deed_decision *decision, struct deed_result *result, struct deed_error *err);
/* Stops attempts and replays until released; looks go on. */
DEED_API DEED_MUST_CHECK deed_rc deed_hold(deed_ledger *ledger,
    const struct deed_decision *decision, struct deed_result *result, struct deed_error *err);
DEED_API DEED_MUST_CHECK deed_rc deed_release(deed_ledger *ledger,
    const struct deed_decision *decision, struct deed_result *result, struct deed_error *err);

/* ---- reading ----------------------------------------------------------------------------- */

#define DEED_LIST_ALL       0x01U /* settled ones too; without it, open ones only */
#define DEED_LIST_UNCERTAIN 0x02U
#define DEED_LIST_DISPUTED  0x04U
#define DEED_LIST_DUE       0x08U
#define DEED_LIST_OVERDUE   0x10U
#define DEED_LIST_HELD      0x20U

/* All conditions given must hold. Oldest first. */
struct deed_list {
    size_t size; /* sizeof(struct deed_list) */
    uint32_t flags;
    deed_state state;     /* NONE: any */
    deed_outcome outcome; /* only with outcome_given */
    bool outcome_given;
    const char *kind;      /* NULL: any */
    int64_t older_than_ms; /* age since it was recorded; 0: any */
    uint32_t limit;        /* 0: no limit */
    /* The cursor: only intents younger than this one, which need not meet the conditions; NULL: from
     * the oldest. Pass the key of the last one seen. DEED_E_NOT_FOUND if there is no such intent. */
    const char *after_key;
};

DEED_API DEED_MUST_CHECK deed_rc deed_ledger_list(deed_ledger *ledger, const struct deed_list *list,
    deed_result_visit visit, void *context, struct deed_error *err);

/* By what a provider calls an action: exactly one of the two is given. */
struct deed_find {
    size_t size;              /* sizeof(struct deed_find) */
    const char *provider_key; /* the key we sent; in any case of letters */
    const char *reference;    /* the provider's name of the effect, in any evidence */
};

/* The intents that were sent under this provider key, or hold evidence with this reference; oldest
 * first. DEED_E_NOT_FOUND if there is none. */
DEED_API DEED_MUST_CHECK deed_rc deed_ledger_find(deed_ledger *ledger, const struct deed_find *find,
    deed_result_visit visit, void *context, struct deed_error *err);

struct deed_status {
    size_t size;           /* sizeof(struct deed_status) */
    uint64_t counts[5][5]; /* [state][outcome] */
    uint64_t in_flight;
    uint64_t uncertain;
    uint64_t needs_person;
    uint64_t disputed;
    uint64_t held;
    uint64_t overdue;
    char oldest_uncertain[DEED_KEY_BYTES_MAX + 1]; /* "": none */
    int64_t oldest_uncertain_ms;                   /* wall; when its newest attempt began */
    int64_t now_ms;                                /* wall, as judged */
    uint64_t unserved;                             /* of needs_person: no executor serves them */
    uint64_t due; /* the machine itself would attempt or look now, if it ran */
    char oldest_due[DEED_KEY_BYTES_MAX + 1]; /* of those, the one that waits longest; "": none */
    int64_t oldest_due_ms;                   /* wall; since when */
};
DEED_API DEED_MUST_CHECK deed_rc deed_ledger_status(
    deed_ledger *ledger, struct deed_status *status_out, struct deed_error *err);

/* The rows of one intent, in order. The visit runs inside a transaction: it must not call the
 * ledger (DEED_E_MISUSE). */
DEED_API DEED_MUST_CHECK deed_rc deed_intent_payload(deed_ledger *ledger, const char *key,
    deed_intent_visit visit, void *context, struct deed_error *err);
DEED_API DEED_MUST_CHECK deed_rc deed_intent_attempts(deed_ledger *ledger, const char *key,
    deed_attempt_visit visit, void *context, struct deed_error *err);
DEED_API DEED_MUST_CHECK deed_rc deed_intent_evidence(deed_ledger *ledger, const char *key,
    deed_evidence_visit visit, void *context, struct deed_error *err);
DEED_API DEED_MUST_CHECK deed_rc deed_intent_events(deed_ledger *ledger, const char *key,
    deed_event_visit visit, void *context, struct deed_error *err);

struct deed_check {
    size_t size; /* sizeof(struct deed_check) */
    uint64_t intents;
    uint64_t events;
    uint64_t broken; /* intents that break a rule */
};
/* What a check found wrong; the text names the intent and the rule. Outside of any transaction: it
 * may call the same handle (all but close). */
typedef void (*deed_check_visit)(void *context, const char *key, const char *text);

/* Checks the store, every chain, and that each intent's events add up to its state. DEED_E_CHECK
 * if anything is broken. */
DEED_API DEED_MUST_CHECK deed_rc deed_ledger_check(deed_ledger *ledger, deed_check_visit visit,
    void *context, struct deed_check *check_out, struct deed_error *err);

DEED_END_DECLS
#endif /* DEED_LEDGER_H */
