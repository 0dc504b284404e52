/* SPDX-License-Identifier: MIT
 *
 * A case: everything known of one intent at one moment. Every decision is a function of a case.
 */
#ifndef DEED_CORE_CASE_H
#define DEED_CORE_CASE_H

#include "arena.h"
#include "ledger_impl.h"

struct deed__case {
    const struct deed_ledger *ledger;
    struct deed_instant now;
    int64_t newest_ms; /* of the ledger, before this operation */
    struct deed_ledger_row row;
    struct deed_intent_row intent;
    struct deed_attempt_row *attempts; /* all of them, in order; [i].number == i + 1 */
    uint32_t count;
    size_t capacity;
    struct deed__arena arena; /* strings of the attempts; of a copy, all strings */
    /* The first event of an intent that is not in the store yet: what else becomes of it in the same
     * operation goes into its first row. See deed__apply_record. */
    struct deed_event_row record;
    char record_detail[256]; /* of the same: a digest and a time */
    bool record_waits;
    bool owner_lives; /* of the newest attempt; a hint that no rule rests on */
};

#define DEED__WITH_PAYLOAD 0x1U
#define DEED__WITH_BYTES   0x2U
#define DEED__WITH_CHAIN   0x4U /* of a call: refused if the chain says something else (check.h) */

/* Reads intent, attempts, ledger row and newest time. DEED_E_NOT_FOUND if there is no intent, and the
 * caller says so where that is an error; the ledger row is filled even then. deed__case_finish frees what load took, after an error too. */
void deed__case_init(
    struct deed__case *c, const struct deed_ledger *ledger, const struct deed_instant *now);
deed_rc deed__case_load(
    struct deed__case *c, deed_tx *tx, const char *key, unsigned parts, struct deed_error *err);
/* The part of it that follows the intent row, for rows that came from a walk. */
deed_rc deed__case_load_attempts(
    struct deed__case *c, deed_tx *tx, unsigned parts, struct deed_error *err);
/* Takes over a copy of the attempt that this operation has just begun, as if it had been loaded. */
deed_rc deed__case_add_attempt(
    struct deed__case *c, const struct deed_attempt_row *row, struct deed_error *err);
void deed__case_finish(struct deed__case *c);

/* A copy that outlives the transaction. Needs case_finish, after an error too. */
deed_rc deed__case_copy(
    struct deed__case *copy, const struct deed__case *c, struct deed_error *err);

/* NULL if none was made. */
struct deed_attempt_row *deed__newest_attempt(const struct deed__case *c);
/* Made since the last settlement, and its own verdict is not known. */
bool deed__in_doubt(const struct deed__case *c, const struct deed_attempt_row *attempt);
/* In doubt; or, while the intent is disputed, without a verdict of its own: what a settlement ended is
 * open again for who has to decide. */
bool deed__unresolved(const struct deed__case *c, const struct deed_attempt_row *attempt);
uint32_t deed__doubts(const struct deed__case *c);
/* The first attempt in doubt; NULL if none. */
const struct deed_attempt_row *deed__first_doubt(const struct deed__case *c);
/* Is a handle open, or was an answer "accepted", for any attempt in doubt? */
bool deed__pending(const struct deed__case *c);
/* The first attempt of `generation`: it holds the bytes, and the window counts from its start. */
const struct deed_attempt_row *deed__generation_start(
    const struct deed__case *c, uint32_t generation);

/* Attempted; the newest attempt is not answered, its lease runs, its owner lives. */
bool deed__in_flight(const struct deed__case *c);
bool deed__overdue(const struct deed__case *c);
bool deed__fenced(const struct deed__case *c);

/* From the start of an attempt: when it can no longer take effect; and be visible to a look-up. */
int64_t deed__horizon_ms(const struct deed_attempt_row *attempt);
int64_t deed__visible_ms(const struct deed_attempt_row *attempt);

deed_provider_class deed__class_of(const struct deed_attempt_row *attempt);

/* What of the case a host is told. Fills all of `result`. */
void deed__result_fill(struct deed_result *result, const struct deed__case *c);

/* Could an absence ever be final: is there a moment by which everything has landed and is visible,
 * while a look-up still shows the first of it? */
bool deed__absence_possible(const struct deed__case *c);

/* Kinds are registered, and no executor serves what this one waits for: an attempt, or a look. */
bool deed__unserved(const struct deed__case *c);

/* Can nothing but a person move it on? */
bool deed__needs_person(const struct deed__case *c);

#endif
