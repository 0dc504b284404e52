/* SPDX-License-Identifier: MIT
 *
 * What a word does to an intent: it settles, it is kept, or it disputes. The rules "doubt belongs
 * to the intent" and "late words are kept" live here and nowhere else.
 */
#ifndef DEED_CORE_SETTLE_H
#define DEED_CORE_SETTLE_H

#include "apply.h"

/* A word about an intent, whoever said it. */
struct deed__word {
    const char *source; /* "attempt", "lookup", "poll", "cancel", "person", one from outside */
    deed_grade grade;
    deed_outcome outcome;  /* NONE: nothing definite */
    uint32_t attempt;      /* whose effect it speaks of; 0: of no attempt this ledger knows */
    const uint8_t *token;  /* of that attempt; NULL: none was given */
    uint32_t count;        /* effects seen; more than one is a double effect */
    const char *reference; /* NULL or "": none */
    struct deed_text excerpt;
    const uint8_t *digest; /* of all that `excerpt` is the beginning of; NULL: of the excerpt */
    const char *actor;
    const char *statement;
    const char *why; /* into the event: what made this word worth what it is */
    int64_t retry_after_ms;
    const char *event_id; /* the source's own name of what it told; NULL or "": none */
    bool decision;        /* a person decides here: disputes nothing, and closes a dispute */
};

/* Is this reference stored with another intent? `attempt` is whose effect it names: executors and
 * accounts have names of their own. NULL, of a word that nobody can tie to one: stored anywhere. */
deed_rc deed__reference_taken(deed_tx *tx, const struct deed__case *c,
    const struct deed_attempt_row *attempt, const char *reference, bool *taken_out,
    struct deed_error *err);

/* Keeps the evidence and settles the intent by `event` (CONFIRM or RECONCILE) as word->outcome;
 * disputes it besides where the rules say so. */
deed_rc deed__settle(struct deed__call *call, deed_tx *tx, struct deed__case *c,
    const struct deed__word *word, deed_event event, struct deed_error *err);

/* Keeps the evidence with an event (NOTE or ANSWER) and settles nothing. */
deed_rc deed__keep(struct deed__call *call, deed_tx *tx, struct deed__case *c,
    const struct deed__word *word, deed_event event, struct deed_error *err);

/* A word that says `applied` while the intent is settled or the word is late: always settles what
 * does not say so yet, and disputes where a second effect is possible. */
deed_rc deed__late_applied(struct deed__call *call, deed_tx *tx, struct deed__case *c,
    const struct deed__word *word, struct deed_error *err);

deed_rc deed__set_hold(struct deed__call *call, deed_tx *tx, struct deed__case *c,
    const char *reason, const char *actor, struct deed_error *err);

#endif
