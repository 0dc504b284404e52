/* SPDX-License-Identifier: MIT
 *
 * A person's decisions: resolve, retract, hold, release. Each carries a name and a reason.
 */
#include <string.h>

#include "boundary.h"
#include "door.h"
#include "instant.h"
#include "reconcile.h"
#include "settle.h"
#include "text.h"

struct person_in {
    const struct deed_decision *decision;
};

static const struct deed_decision *decision_of(const struct deed__call *call)
{
    const struct person_in *in = call->context;
    return in->decision;
}

static deed_rc check_text(
    const char *key, const char *what, const char *text, bool required, struct deed_error *err)
{
    if (text == NULL || text[0] == '\0') {
        if (required) {
            return deed__refuse(
                err, DEED_E_INVALID, key, NULL, "a decision about %s needs %s", key, what);
        }
        return DEED_OK;
    }
    if (strlen(text) > DEED_NOTE_BYTES_MAX) {
        return deed__refuse(err, DEED_E_INVALID, key, NULL,
            "%s in a decision about %s is longer than %d bytes", what, key, DEED_NOTE_BYTES_MAX);
    }
    if (!deed__is_utf8(text)) {
        return deed__refuse(err, DEED_E_INVALID, key, NULL,
            "%s in a decision about %s is not UTF-8: convert it before it is stored", what, key);
    }
    return DEED_OK;
}

static deed_rc check_decision(const struct deed_decision *decision, struct deed_error *err)
{
    if (decision == NULL || decision->key == NULL) {
        return deed_error_set(err, DEED_E_MISUSE, "core", "a decision needs a key");
    }
    deed_rc rc = deed_key_check(decision->key, err);
    if (rc == DEED_OK) {
        rc = check_text(decision->key, "who decides", decision->by, true, err);
    }
    if (rc == DEED_OK) {
        rc = check_text(decision->key, "a reason", decision->reason, true, err);
    }
    if (rc == DEED_OK) {
        rc = check_text(decision->key, "the evidence", decision->evidence, false, err);
    }
    if (rc == DEED_OK && decision->reference != NULL &&
        strlen(decision->reference) > DEED_REFERENCE_BYTES_MAX) {
        rc = deed__refuse(err, DEED_E_INVALID, decision->key, NULL,
            "the reference given for %s is longer than %d bytes", decision->key,
            DEED_REFERENCE_BYTES_MAX);
    }
    if (rc == DEED_OK && !deed__is_utf8(decision->reference)) {
        rc = deed__refuse(err, DEED_E_INVALID, decision->key, NULL,
            "the reference given for %s is not UTF-8: convert it before it is stored",
            decision->key);
    }
    return rc;
}

static deed_rc decide_by_person(deed_ledger *ledger, const char *name,
    const struct deed_decision *decision, deed__decide decide, struct deed_result *result,
    struct deed_error *err)
{
    deed_rc rc = deed__enter(ledger, name, err);
    if (rc == DEED_OK) {
        rc = check_decision(decision, err);
    }
    if (rc != DEED_OK || decision == NULL) {
        return rc;
    }
    struct person_in in = {decision};
    struct deed__call call = {
        .ledger = ledger,
        .key = decision->key,
        .decide = decide,
        .context = &in,
        .result = result,
        .written = DEED_SEAM_PERSON_WRITTEN,
        .committed = DEED_SEAM_PERSON_COMMITTED,
    };
    rc = deed__call_write(&call, err);
    deed__trace(ledger, "person", decision->key, rc == DEED_OK ? "decided" : "refused");
    return rc;
}

/* ---- resolve ------------------------------------------------------------------------------ */

/* Where the landing is unbounded no clock can tell, and a person's word, with its evidence, stands
 * from the send deadline on (docs/decisions/0006). */
static int64_t wait_of(const struct deed_attempt_row *attempt)
{
    int64_t wait = deed__visible_ms(attempt);
    return wait != DEED_FOREVER ? wait : deed__sum(attempt->send_ms, attempt->lag_ms);
}

/* By the wall clock, from where it counts in this boot. A clock that was set back, or is behind the
 * monotonic one, still names a moment to come. */
static int64_t end_of_wait(const struct deed__case *c, const struct deed_attempt_row *attempt)
{
    int64_t from = c->now.wall_ms;
    if (deed__same_boot(&attempt->start, &c->now)) {
        from = attempt->start.wall_ms;
    } else if (deed__same_boot(&attempt->first_look, &c->now)) {
        from = attempt->first_look.wall_ms;
    }
    int64_t end = deed__sum(from, wait_of(attempt));
    return end > c->now.wall_ms ? end : deed__sum(c->now.wall_ms, wait_of(attempt));
}

/* Until when a person's negative word would be a guess; 0: it is none. */
static int64_t too_early_until(const struct deed__case *c)
{
    int64_t latest = 0;
    for (uint32_t i = 0; i < c->count; i++) {
        const struct deed_attempt_row *attempt = &c->attempts[i];
        if (deed__unresolved(c, attempt) &&
            !deed__attempt_passed(attempt, wait_of(attempt), &c->now)) {
            int64_t end = end_of_wait(c, attempt);
            latest = end > latest ? end : latest;
        }
    }
    return latest;
}

static deed_rc see_claim(void *context, const struct deed_evidence_row *row)
{
    bool *claimed = context;
    *claimed = *claimed || row->grade != DEED_GRADE_NONE;
    return DEED_OK;
}

/* Does evidence that settles nothing say that it was applied, by an attempt that this ledger does not
 * know? Then there is a doubt, and a person may end it. */
static deed_rc is_claimed(
    deed_tx *tx, const struct deed__case *c, bool *claimed_out, struct deed_error *err)
{
    *claimed_out = false;
    return c->intent.state == DEED_RECORDED
        ? tx->evidence_each(tx->self, c->intent.id, see_claim, claimed_out, err)
        : DEED_OK;
}

static deed_rc check_resolvable(deed_tx *tx, const struct deed__case *c,
    const struct deed_decision *decision, struct deed_error *err)
{
    const char *key = c->intent.key;
    if (c->intent.disputed) {
        return DEED_OK;
    }
    if (c->intent.state == DEED_ATTEMPTED) {
        if (deed__in_flight(c)) {
            return deed__refuse(err, DEED_E_IN_FLIGHT, key, NULL,
                "%s is in flight: an attempt is running; wait for its answer", key);
        }
        return DEED_OK;
    }
    bool claimed = false;
    deed_rc rc = is_claimed(tx, c, &claimed, err);
    if (rc != DEED_OK) {
        return rc;
    }
    bool fenced = c->intent.state == DEED_RECORDED && c->intent.fence_raised;
    bool corrects = c->intent.state != DEED_RECORDED && c->intent.outcome != DEED_APPLIED;
    if (decision->outcome == DEED_APPLIED && (fenced || corrects || claimed)) {
        return DEED_OK;
    }
    if (claimed) {
        return deed__refuse(err, DEED_E_NO_STEP, key, NULL,
            "evidence says that %s was applied, and this ledger knows of no attempt: it can be "
            "resolved as applied, or given up with `deed retract`",
            key);
    }
    return deed__refuse(err, DEED_E_NO_STEP, key, NULL,
        "%s is %s, %s: nothing about it is in doubt, so there is nothing to resolve", key,
        deed_state_name(c->intent.state), deed_outcome_name(c->intent.outcome));
}

static deed_rc too_early(const struct deed__case *c, const struct deed_decision *decision,
    int64_t until, struct deed_error *err)
{
    char time[DEED__TIME_BYTES];
    deed__time_text(until, time);
    return deed__refuse(err, DEED_E_NOT_YET, c->intent.key, NULL,
        "%s cannot be resolved as %s before %s: what was sent could still take effect, or be "
        "there unseen",
        c->intent.key, deed_outcome_name(decision->outcome), time);
}

/* One effect belongs to at most one intent. */
static deed_rc check_reference(deed_tx *tx, const struct deed__case *c,
    const struct deed_decision *decision, struct deed_error *err)
{
    if (decision->reference == NULL || decision->reference[0] == '\0' ||
        decision->outcome != DEED_APPLIED) {
        return DEED_OK;
    }
    bool taken = false;
    deed_rc rc = deed__reference_taken(tx, c, NULL, decision->reference, &taken, err);
    if (rc == DEED_OK && taken) {
        rc = deed__refuse(err, DEED_E_INVALID, c->intent.key, NULL,
            "the reference given for %s is stored with another intent, and one effect belongs to "
            "one intent",
            c->intent.key);
    }
    return rc;
}

/* Where no clock can tell that nothing will land any more, a person must say how it is known. */
static deed_rc check_unbounded(
    const struct deed__case *c, const struct deed_decision *decision, struct deed_error *err)
{
    bool says_how = decision->evidence != NULL && decision->evidence[0] != '\0';
    for (uint32_t i = 0; i < c->count && decision->outcome != DEED_APPLIED && !says_how; i++) {
        if (deed__unresolved(c, &c->attempts[i]) &&
            deed__visible_ms(&c->attempts[i]) == DEED_FOREVER) {
            return deed__refuse(err, DEED_E_INVALID, c->intent.key, NULL,
                "%s cannot be resolved as %s without evidence: its provider declares no time after "
                "which a request can no longer take effect, so say how it is known that this one "
                "never will",
                c->intent.key, deed_outcome_name(decision->outcome));
        }
    }
    return DEED_OK;
}

static deed_rc decide_resolve(
    struct deed__call *call, deed_tx *tx, struct deed__case *c, struct deed_error *err)
{
    const struct deed_decision *decision = decision_of(call);
    deed_rc rc = check_resolvable(tx, c, decision, err);
    if (rc != DEED_OK) {
        return rc;
    }
    rc = check_reference(tx, c, decision, err);
    if (rc != DEED_OK) {
        return rc;
    }
    int64_t until = decision->outcome == DEED_APPLIED ? 0 : too_early_until(c);
    if (until != 0) {
        return too_early(c, decision, until, err);
    }
    rc = check_unbounded(c, decision, err);
    if (rc != DEED_OK) {
        return rc;
    }
    struct deed__word word = {
        .source = "person",
        .grade = DEED_GRADE_OPERATOR,
        .outcome = decision->outcome,
        .attempt = c->intent.attempts,
        .reference = decision->reference,
        .excerpt = {decision->evidence == NULL ? "" : decision->evidence,
            decision->evidence == NULL ? 0 : strlen(decision->evidence)},
        .actor = decision->by,
        .statement = decision->reason,
        .decision = true,
    };
    c->intent.disputed = false; /* only a person closes a dispute */
    c->intent.disputed_reason = NULL;
    return deed__settle(call, tx, c, &word, DEED_EVENT_RECONCILE, err);
}

/* In a new boot the waits of a doubt start at its first look; a person who asks has looked. */
static deed_rc decide_first_look(
    struct deed__call *call, deed_tx *tx, struct deed__case *c, struct deed_error *err)
{
    return deed__store_first_look(call, tx, c, err);
}

deed_rc deed__inner_resolve(deed_ledger *ledger, const struct deed_decision *decision,
    struct deed_result *result, struct deed_error *err)
{
    if (decision == NULL) {
        return deed_error_set(err, DEED_E_MISUSE, "core", "a decision needs a key");
    }
    if (decision->outcome != DEED_APPLIED && decision->outcome != DEED_REJECTED &&
        decision->outcome != DEED_NOT_APPLIED) {
        return deed__refuse(err, DEED_E_INVALID, decision->key, NULL,
            "the outcome must be applied, rejected or not_applied");
    }
    deed_rc rc = decide_by_person(ledger, "deed_resolve", decision, decide_first_look, NULL, err);
    return rc == DEED_OK
        ? decide_by_person(ledger, "deed_resolve", decision, decide_resolve, result, err)
        : rc;
}

/* ---- retract ------------------------------------------------------------------------------ */

static deed_rc check_retractable(const struct deed__case *c, struct deed_error *err)
{
    const char *key = c->intent.key;
    if (c->intent.disputed || deed__fenced(c)) {
        return deed__refuse(err, DEED_E_NEEDS_PERSON, key, NULL,
            "%s is %s: it cannot be given up before that is resolved", key,
            c->intent.disputed ? "disputed" : "fenced");
    }
    if (c->intent.state == DEED_ATTEMPTED) {
        bool flight = deed__in_flight(c);
        return deed__refuse(err, flight ? DEED_E_IN_FLIGHT : DEED_E_UNCERTAIN, key, NULL,
            "%s was attempted and %s: it cannot be given up before its outcome is known", key,
            flight ? "is in flight" : "may have taken effect");
    }
    return DEED_OK;
}

static deed_rc decide_retract(
    struct deed__call *call, deed_tx *tx, struct deed__case *c, struct deed_error *err)
{
    const struct deed_decision *decision = decision_of(call);
    deed_rc rc = check_retractable(c, err);
    if (rc != DEED_OK || c->intent.outcome == DEED_RETRACTED) {
        return rc; /* given up already: nothing is written */
    }
    c->intent.next_due_ms = 0;
    struct deed__detail detail;
    deed__detail_init(&detail);
    deed__detail_text(&detail, "reason", decision->reason);
    struct deed__change change = {
        .event = DEED_EVENT_RETRACT,
        .outcome = DEED_RETRACTED,
        .grade = c->intent.grade,
        .actor = decision->by,
        .detail = deed__detail_end(&detail),
    };
    return deed__apply(call, tx, c, &change, err);
}

deed_rc deed__inner_retract(deed_ledger *ledger, const struct deed_decision *decision,
    struct deed_result *result, struct deed_error *err)
{
    return decide_by_person(ledger, "deed_retract", decision, decide_retract, result, err);
}

/* ---- hold and release --------------------------------------------------------------------- */

static deed_rc decide_hold(
    struct deed__call *call, deed_tx *tx, struct deed__case *c, struct deed_error *err)
{
    const struct deed_decision *decision = decision_of(call);
    bool open = c->intent.state == DEED_RECORDED || c->intent.state == DEED_ATTEMPTED ||
        c->intent.outcome == DEED_NOT_APPLIED;
    if (!open) {
        return deed__refuse(err, DEED_E_NO_STEP, c->intent.key, NULL,
            "%s is %s, %s: nothing will be sent for it, so there is nothing to hold", c->intent.key,
            deed_state_name(c->intent.state), deed_outcome_name(c->intent.outcome));
    }
    return deed__set_hold(call, tx, c, decision->reason, decision->by, err);
}

deed_rc deed__inner_hold(deed_ledger *ledger, const struct deed_decision *decision,
    struct deed_result *result, struct deed_error *err)
{
    return decide_by_person(ledger, "deed_hold", decision, decide_hold, result, err);
}

static deed_rc decide_release(
    struct deed__call *call, deed_tx *tx, struct deed__case *c, struct deed_error *err)
{
    const struct deed_decision *decision = decision_of(call);
    if (!c->intent.held) {
        return DEED_OK; /* not held: nothing is written */
    }
    c->intent.held = false;
    c->intent.held_reason = NULL;
    struct deed__detail detail;
    deed__detail_init(&detail);
    deed__detail_text(&detail, "reason", decision->reason);
    struct deed__change change = {
        .event = DEED_EVENT_RELEASE, .actor = decision->by, .detail = deed__detail_end(&detail)};
    return deed__apply(call, tx, c, &change, err);
}

deed_rc deed__inner_release(deed_ledger *ledger, const struct deed_decision *decision,
    struct deed_result *result, struct deed_error *err)
{
    return decide_by_person(ledger, "deed_release", decision, decide_release, result, err);
}
