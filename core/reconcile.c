/* SPDX-License-Identifier: MIT
 *
 * Settling a doubt by evidence, in this order: poll and look up; replay where the provider honours
 * our key; cancel where it can bar a later effect; final absence; a person. What only a person can
 * settle is never resent by anything here.
 */
#include "reconcile.h"

#include "ask.h"
#include "instant.h"
#include "policy.h"
#include "send.h"

/* ---- first look in another boot ------------------------------------------------------------------ */

static bool unseen_here(const struct deed__case *c, const struct deed_attempt_row *attempt)
{
    return deed__in_doubt(c, attempt) && !deed__same_boot(&attempt->start, &c->now) &&
        !deed__same_boot(&attempt->first_look, &c->now);
}

static bool any_unseen(const struct deed__case *c)
{
    for (uint32_t i = 0; i < c->count; i++) {
        if (unseen_here(c, &c->attempts[i])) {
            return true;
        }
    }
    return false;
}

/* In a new boot every wait starts again here; so that it can end, the moment is stored. */
deed_rc deed__store_first_look(
    struct deed__call *call, deed_tx *tx, struct deed__case *c, struct deed_error *err)
{
    bool any = false;
    for (uint32_t i = 0; i < c->count; i++) {
        if (unseen_here(c, &c->attempts[i])) {
            c->attempts[i].first_look = c->now;
            any = true;
            deed_rc rc = tx->attempt_update(tx->self, &c->attempts[i], err);
            if (rc != DEED_OK) {
                return rc;
            }
        }
    }
    if (!any) {
        return DEED_OK;
    }
    struct deed__detail detail;
    deed__detail_init(&detail);
    deed__detail_text(&detail, "first_look_in_boot", c->now.boot);
    struct deed__change change = {.event = DEED_EVENT_LOOK, .detail = deed__detail_end(&detail)};
    return deed__apply(call, tx, c, &change, err);
}

static deed_rc decide_first_look(
    struct deed__call *call, deed_tx *tx, struct deed__case *c, struct deed_error *err)
{
    return c->intent.state == DEED_ATTEMPTED ? deed__store_first_look(call, tx, c, err) : DEED_OK;
}

/* ---- one intent ----------------------------------------------------------------------------------- */

static deed_rc read_doubt(struct deed__doubt *doubt, struct deed_error *err)
{
    deed__case_finish(&doubt->c);
    return deed__case_read(doubt->ledger, doubt->key, DEED__WITH_PAYLOAD | DEED__WITH_BYTES,
        &doubt->c, doubt->result, err);
}

static deed_rc first_look(struct deed__doubt *doubt, struct deed_error *err)
{
    struct deed__call call = {
        .ledger = doubt->ledger,
        .key = doubt->key,
        .decide = decide_first_look,
        .result = doubt->result,
        .written = DEED_SEAM_RECONCILE_WRITTEN,
        .committed = DEED_SEAM_RECONCILE_COMMITTED,
    };
    deed_rc rc = deed__call_write(&call, err);
    return rc == DEED_OK ? read_doubt(doubt, err) : rc;
}

/* Replays where that is possible; where it is not, nothing happens and the next step is due. */
static deed_rc replay(struct deed__doubt *doubt, struct deed_error *err)
{
    deed_rc rc = read_doubt(doubt, err); /* the looks have written since */
    uint32_t flags = DEED_BEGIN_REPLAY | (doubt->force ? DEED__BEGIN_PAST_POLICY : 0);
    const struct deed_attempt_row *newest = deed__newest_attempt(&doubt->c);
    if (rc != DEED_OK || deed__doubt_settled(doubt) || newest == NULL) {
        return rc;
    }
    bool wait =
        (newest->flags & DEED_ATTEMPT_PREFERS_WAIT) != 0 && deed__absence_possible(&doubt->c);
    struct deed_plan plan;
    if (wait || deed__plan_of(&doubt->c, flags, &plan, NULL) != DEED_OK) {
        return DEED_OK;
    }
    bool begun = false;
    rc = deed__send(
        doubt->ledger, &doubt->c, doubt->registration, flags, &begun, doubt->result, err);
    if (!begun &&
        (rc == DEED_E_UNCERTAIN || rc == DEED_E_IN_FLIGHT || rc == DEED_E_NO_STEP ||
            rc == DEED_E_NEEDS_PERSON)) {
        return DEED_OK; /* somebody else was faster, or the window closed meanwhile */
    }
    return rc;
}

static deed_rc settle_doubt(struct deed__doubt *doubt, struct deed_error *err)
{
    const deed_executor *executor = doubt->registration->executor;
    deed_rc rc = deed__poll_handles(doubt, err);
    if (rc == DEED_OK && !deed__doubt_settled(doubt) && executor->lookup != NULL) {
        rc = deed__ask_keys(doubt, executor->lookup, "lookup", err);
    }
    if (rc == DEED_OK && !deed__doubt_settled(doubt)) {
        rc = replay(doubt, err);
    }
    bool may_close = rc == DEED_OK && !deed__doubt_settled(doubt) && !doubt->result->in_flight &&
        executor->cancel != NULL;
    if (may_close) {
        rc = read_doubt(doubt, err); /* the replay may have been answered "pending" */
        if (rc == DEED_OK && !deed__doubt_settled(doubt) && !deed__pending(&doubt->c)) {
            rc = deed__ask_keys(doubt, executor->cancel, "cancel", err);
        }
    }
    return rc;
}

static deed_rc reconcile_open(struct deed__doubt *doubt, struct deed_error *err)
{
    bool due = doubt->force || doubt->c.intent.next_due_ms <= doubt->c.now.wall_ms;
    if (doubt->result->in_flight || doubt->result->disputed || !due) {
        return DEED_OK;
    }
    deed_rc rc = DEED_OK;
    if (any_unseen(&doubt->c)) {
        rc = first_look(doubt, err);
    }
    if (rc == DEED_OK) {
        rc = deed__find_executor(doubt, err);
    }
    return rc == DEED_OK ? settle_doubt(doubt, err) : rc;
}

/* After a `not_applied` that was inferred: was it true? */
static deed_rc second_look(struct deed__doubt *doubt, struct deed_error *err)
{
    bool due = doubt->c.intent.looks_left > 0 &&
        (doubt->force || doubt->c.intent.look_due_ms <= doubt->c.now.wall_ms);
    if (!due || doubt->c.count == 0) {
        return DEED_OK;
    }
    deed_rc rc = deed__find_executor(doubt, err);
    if (rc == DEED_OK && doubt->registration->executor->lookup != NULL) {
        rc = deed__ask_keys(doubt, doubt->registration->executor->lookup, "lookup", err);
    }
    return rc;
}

deed_rc deed__reconcile_one(deed_ledger *ledger, const char *key, bool force,
    struct deed_result *result, struct deed_error *err)
{
    struct deed__doubt doubt = {.ledger = ledger, .key = key, .force = force, .result = result};
    struct deed_instant nothing = {0, 0, ""};
    deed__case_init(&doubt.c, ledger, &nothing);
    deed_rc rc = read_doubt(&doubt, err);
    if (rc == DEED_OK) {
        rc = deed__doubt_settled(&doubt) ? second_look(&doubt, err) : reconcile_open(&doubt, err);
    }
    deed__case_finish(&doubt.c);
    return rc;
}

deed_rc deed_reconcile(
    deed_ledger *ledger, const char *key, struct deed_result *result, struct deed_error *err)
{
    if (ledger == NULL || key == NULL) {
        return deed_error_set(
            err, DEED_E_MISUSE, "core", "deed_reconcile needs a ledger and a key");
    }
    deed_rc rc = deed_key_check(key, err);
    if (rc != DEED_OK) {
        return rc;
    }
    struct deed_result mine = {.size = sizeof(mine)};
    struct deed_result *told = result == NULL ? &mine : result;
    told->created = false;
    told->replayed = false;
    return deed__reconcile_one(ledger, key, true, told, err);
}