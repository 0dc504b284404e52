/* SPDX-License-Identifier: MIT
 *
 * deed/machine.h - the state machine as data: its edges, reasons and exit statuses, to be walked.
 */
#ifndef DEED_MACHINE_H
#define DEED_MACHINE_H

#include <deed/base.h>

DEED_BEGIN_DECLS

/* Sets of outcomes: bit (1U << outcome). */
typedef uint32_t deed_outcome_set;

/* One edge of the machine: from one of `from_outcomes`, by `event`, to one of `to_outcomes`. */
struct deed_edge {
    deed_state from; /* NONE: the intent does not exist yet */
    deed_outcome_set from_outcomes;
    deed_event event;
    deed_state to;
    deed_outcome_set to_outcomes;
    const char *guard; /* in plain words */
};

/* The edges in the order of docs/reference/state-machine.md; NULL past the last one. Static. */
DEED_API const struct deed_edge *deed_edge_at(size_t index);

/* The edge that leads from (state, outcome) by `event` to `to_outcome`; NULL: there is none. An
 * event that changes no state has no edge. */
DEED_API const struct deed_edge *deed_edge_find(
    deed_state from, deed_outcome from_outcome, deed_event event, deed_outcome to_outcome);

/* May an intent ever be in this state with this outcome? */
DEED_API bool deed_state_allows(deed_state state, deed_outcome outcome);

/* Why an intent stands where it stands; docs/reference/state-machine.md says where each can occur.
 * Numbers are not stored. */
typedef enum deed_reason {
    DEED_REASON_NONE = 0,
    DEED_REASON_READY,           /* recorded; may be attempted */
    DEED_REASON_PAYLOAD_MISSING, /* key and digest are here, the payload is not */
    DEED_REASON_HELD,
    DEED_REASON_OVERDUE, /* its not-after is over */
    DEED_REASON_FENCED,  /* the ledger was restored and the gap is not closed */
    DEED_REASON_IN_FLIGHT,
    DEED_REASON_PENDING,        /* accepted by the provider, not done */
    DEED_REASON_ANSWER_UNKNOWN, /* an answer came, or the wait for one ended: it decides nothing */
    DEED_REASON_LEASE_OVER,     /* no answer was stored while the lease ran */
    DEED_REASON_OWNER_GONE,     /* the process that began the attempt is gone */
    DEED_REASON_ANSWERED,       /* seen first-hand */
    DEED_REASON_EVIDENCE,       /* established by stored evidence */
    DEED_REASON_PERSON,         /* established by a person's word */
    DEED_REASON_RETRY_READY,
    DEED_REASON_RETRY_LATER,   /* the pause before the next attempt still runs */
    DEED_REASON_RETRY_BY_NAME, /* not_applied by a person's word: only `run KEY` attempts again */
    DEED_REASON_EXHAUSTED,     /* the retry policy has no attempt left */
    DEED_REASON_RETRACTED,
    DEED_REASON_DISPUTED,
    DEED_REASON_COUNT
} deed_reason;
#define DEED_REASON_COUNT_MAX 32 /* room in structs that count by reason */

/* "lease_over"; and one sentence. Static strings; NULL for a number that is none. */
DEED_API const char *deed_reason_name(deed_reason reason);
DEED_API const char *deed_reason_sentence(deed_reason reason);

/* Bit for an intent without any attempt, beside (1U << deed_provider_class). */
#define DEED_CLASS_BIT_NONE 0x20U

/* Where a reason can occur: in this state with this outcome, for these provider classes. */
struct deed_reach {
    deed_reason reason;
    deed_state state;
    deed_outcome outcome;
    uint32_t classes; /* bits (1U << deed_provider_class), DEED_CLASS_BIT_NONE */
};

/* Where a reason can occur, row by row; NULL past the last one. Static. */
DEED_API const struct deed_reach *deed_reach_at(size_t index);

/* What a command is about, when its exit status is computed. */
typedef enum deed_exit_kind {
    DEED_EXIT_OTHER = 0,  /* what was asked is done or refused */
    DEED_EXIT_ACTING = 1, /* run, reconcile KEY: the status speaks of the intent */
} deed_exit_kind;

/* Statuses that no code stands for. */
#define DEED_EXIT_STATUS_OPEN   14  /* a pass or `status` ended and something is open */
#define DEED_EXIT_STATUS_WAITED 124 /* a wait ran out */

struct deed_result;

/* The exit status of the command, one function of code and result
 * (docs/reference/errors.md). `result` may
 * be NULL where there is none. */
DEED_API int deed_exit_status(deed_rc rc, deed_exit_kind kind, const struct deed_result *result);

/* Of several statuses, the one to end with: the first of 130 1 3 9 4 2 5 11 12 7 8 6 0 that
 * occurred; one that is not in this order goes between 1 and 3. Start with 0 and fold. */
DEED_API int deed_exit_worst(int status, int other);

DEED_END_DECLS
#endif /* DEED_MACHINE_H */
