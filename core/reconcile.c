/* SPDX-License-Identifier: MIT
 *
 * Settling a doubt by evidence, in this order: poll and look up; replay where the provider honours
 * our key; cancel where it can bar a later effect; final absence; a person. What only a person can
 * settle is never resent by anything here.
 */
#include "reconcile.h"

#include "ask.h"
#include "boundary.h"
#include "door.h"
#include "instant.h"
#include "policy.h"
#include "send.h"

/* ---- first look in another boot ------------------------------------------------------------------ */

static bool unseen_here(const struct deed__case *c, const struct deed_attempt_row *attempt)
{
    return deed__unresolved(c, attempt) && !deed__same_boot(&attempt->start, &c->now) &&
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
    return rc == DEED_OK ? deed__doubt_read(doubt, err) : rc;
}

/* ---- the order of settling ------------------------------------------------------------------------ */

/* Is anybody asked about it now? After a `not_applied` that was inferred second looks are due. */
static bool may_ask(const struct deed__doubt *doubt)
{
    const struct deed_intent_row *intent = &doubt->c.intent;
    int64_t now_ms = doubt->c.now.wall_ms;
    if (intent->state == DEED_ATTEMPTED) {
        bool due = doubt->force || intent->next_due_ms <= now_ms;
        return due && !deed__in_flight(&doubt->c) && !intent->disputed;
    }
    bool due = intent->looks_left > 0 && (doubt->force || intent->look_due_ms <= now_ms);
    return due && doubt->c.count > 0;
}

static uint32_t replay_flags(const struct deed__doubt *doubt)
{
    return DEED_BEGIN_REPLAY | (doubt->force ? DEED__BEGIN_PAST_POLICY : 0U);
}

/* What begin would refuse is no step: the next one is due. */
static bool may_replay(const struct deed__doubt *doubt)
{
    const struct deed_attempt_row *newest = deed__newest_attempt(&doubt->c);
    const struct deed_profile *profile = &doubt->registration->profile;
    bool wait =
        (newest->flags & DEED_ATTEMPT_PREFERS_WAIT) != 0 && deed__absence_possible(&doubt->c);
    struct deed_plan plan;
    return !wait && deed__plan_of(&doubt->c, replay_flags(doubt), &plan, NULL) == DEED_OK &&
        deed__window_outlasts(&doubt->c, newest, deed__sum(profile->send_ms, profile->landing_ms));
}

static bool may_cancel(const struct deed__case *c)
{
    return c->intent.state == DEED_ATTEMPTED && !c->intent.disputed && !deed__in_flight(c) &&
        !deed__pending(c);
}

/* The only place that knows the order: what comes after the step `after` (NOTHING: none was taken
 * yet). Numbers of steps are in the order of settling. */
static deed_settle_step step_after(const struct deed__doubt *doubt, deed_settle_step after)
{
    const deed_executor *executor = doubt->registration->executor;
    if (doubt->c.intent.state != DEED_ATTEMPTED) {
        bool look = after == DEED_SETTLE_NOTHING && executor->lookup != NULL;
        return look ? DEED_SETTLE_LOOK_UP : DEED_SETTLE_NOTHING;
    }
    if (after < DEED_SETTLE_POLL && executor->poll != NULL && deed__pending(&doubt->c)) {
        return DEED_SETTLE_POLL;
    }
    if (after < DEED_SETTLE_LOOK_UP && executor->lookup != NULL) {
        return DEED_SETTLE_LOOK_UP;
    }
    if (after < DEED_SETTLE_REPLAY && may_replay(doubt)) {
        return DEED_SETTLE_REPLAY;
    }
    if (after < DEED_SETTLE_CANCEL && executor->cancel != NULL && may_cancel(&doubt->c)) {
        return DEED_SETTLE_CANCEL;
    }
    return deed__needs_person(&doubt->c) ? DEED_SETTLE_PERSON : DEED_SETTLE_WAIT;
}

/* The first step, and everything that is found out before anybody is asked. */
static deed_rc first_step(
    struct deed__doubt *doubt, deed_settle_step *step_out, struct deed_error *err)
{
    if (!may_ask(doubt)) {
        *step_out = doubt->c.intent.disputed          ? DEED_SETTLE_PERSON
            : doubt->c.intent.state == DEED_ATTEMPTED ? DEED_SETTLE_WAIT
                                                      : DEED_SETTLE_NOTHING;
        return DEED_OK;
    }
    deed_rc rc = deed__find_executor(doubt, err);
    if (rc == DEED_OK) {
        *step_out = step_after(doubt, DEED_SETTLE_NOTHING);
    }
    return rc;
}

/* ---- taking a step -------------------------------------------------------------------------------- */

static deed_rc replay(struct deed__doubt *doubt, struct deed_error *err)
{
    struct deed__sent sent = {false, false};
    deed_rc rc = deed__send(doubt->ledger, &doubt->c, doubt->registration, replay_flags(doubt),
        &sent, doubt->result, err);
    if (!sent.begun &&
        (sent.stale || rc == DEED_E_UNCERTAIN || rc == DEED_E_IN_FLIGHT || rc == DEED_E_NO_STEP ||
            rc == DEED_E_NEEDS_PERSON)) {
        return DEED_OK; /* somebody else was faster, or the window closed meanwhile */
    }
    return rc;
}

/* Durable before the question goes out: its answer may be lost, and then nobody would know that a
 * request under these keys may be refused for ever (docs/decisions/0014). */
static deed_rc decide_bar(
    struct deed__call *call, deed_tx *tx, struct deed__case *c, struct deed_error *err)
{
    bool *still_out = call->context;
    *still_out = may_cancel(c);
    bool news = false;
    for (uint32_t i = 0; *still_out && i < c->count; i++) {
        struct deed_attempt_row *attempt = &c->attempts[i];
        if ((attempt->flags & DEED_ATTEMPT_BARRED) == 0 && deed__same_place(c, attempt)) {
            attempt->flags |= DEED_ATTEMPT_BARRED;
            news = true;
            deed_rc rc = tx->attempt_update(tx->self, attempt, err);
            if (rc != DEED_OK) {
                return rc;
            }
        }
    }
    if (!news) {
        return DEED_OK;
    }
    struct deed__detail detail;
    deed__detail_init(&detail);
    deed__detail_text(&detail, "source", "cancel");
    deed__detail_text(&detail, "asks", "to bar the key");
    struct deed__change change = {.event = DEED_EVENT_LOOK, .detail = deed__detail_end(&detail)};
    return deed__apply(call, tx, c, &change, err);
}

static deed_rc cancel(struct deed__doubt *doubt, struct deed_error *err)
{
    bool still = false;
    struct deed__call call = {
        .ledger = doubt->ledger,
        .key = doubt->key,
        .decide = decide_bar,
        .context = &still,
        .result = doubt->result,
        .written = DEED_SEAM_RECONCILE_WRITTEN,
        .committed = DEED_SEAM_RECONCILE_COMMITTED,
    };
    deed_rc rc = deed__call_write(&call, err);
    if (rc != DEED_OK || !still) {
        return rc;
    }
    return deed__ask_keys(doubt, doubt->registration->executor->cancel, "cancel", err);
}

static deed_rc take(struct deed__doubt *doubt, deed_settle_step step, struct deed_error *err)
{
    switch (step) {
    case DEED_SETTLE_POLL:
        return deed__poll_handles(doubt, err);
    case DEED_SETTLE_LOOK_UP:
        return deed__ask_keys(doubt, doubt->registration->executor->lookup, "lookup", err);
    case DEED_SETTLE_REPLAY:
        return replay(doubt, err);
    case DEED_SETTLE_CANCEL:
        return cancel(doubt, err);
    case DEED_SETTLE_NOTHING:
    case DEED_SETTLE_WAIT:
    case DEED_SETTLE_PERSON:
        break;
    }
    return DEED_OK;
}

static bool is_asked(deed_settle_step step)
{
    return step != DEED_SETTLE_NOTHING && step != DEED_SETTLE_WAIT && step != DEED_SETTLE_PERSON;
}

/* Step by step until one settles it, or the last was taken. A second look is one step. */
static deed_rc settle(struct deed__doubt *doubt, struct deed_error *err)
{
    bool open = doubt->c.intent.state == DEED_ATTEMPTED;
    deed_settle_step step = DEED_SETTLE_NOTHING;
    deed_rc rc = first_step(doubt, &step, err);
    while (rc == DEED_OK && is_asked(step)) {
        rc = take(doubt, step, err);
        if (rc != DEED_OK || !open || deed__doubt_settled(doubt)) {
            break;
        }
        rc = deed__doubt_read(doubt, err); /* the step has written, and others may have */
        step = rc == DEED_OK ? step_after(doubt, step) : DEED_SETTLE_NOTHING;
    }
    return rc;
}

deed_rc deed__reconcile_one(deed_ledger *ledger, const char *key, bool force,
    struct deed_result *result, struct deed_error *err)
{
    struct deed__doubt doubt = {.ledger = ledger, .key = key, .force = force, .result = result};
    struct deed_instant nothing = {0, 0, ""};
    deed__case_init(&doubt.c, ledger, &nothing);
    deed_rc rc = deed__doubt_read(&doubt, err);
    if (rc == DEED_OK && may_ask(&doubt) && any_unseen(&doubt.c)) {
        rc = first_look(&doubt, err);
    }
    if (rc == DEED_OK) {
        rc = settle(&doubt, err);
    }
    deed__case_finish(&doubt.c);
    return rc;
}

deed_rc deed__inner_reconcile(
    deed_ledger *ledger, const char *key, struct deed_result *result, struct deed_error *err)
{
    if (ledger == NULL || key == NULL) {
        return deed_error_set(
            err, DEED_E_MISUSE, "core", "deed_reconcile needs a ledger and a key");
    }
    deed_rc rc = deed__enter(ledger, "deed_reconcile", err);
    if (rc == DEED_OK) {
        rc = deed_key_check(key, err);
    }
    if (rc != DEED_OK) {
        return rc;
    }
    struct deed_result mine = {.size = sizeof(mine)};
    struct deed_result *told = result == NULL ? &mine : result;
    told->created = false;
    told->replayed = false;
    return deed__reconcile_one(ledger, key, true, told, err);
}

deed_rc deed__inner_reconcile_plan(deed_ledger *ledger, const char *key, bool by_name,
    deed_settle_step *step_out, struct deed_result *result, struct deed_error *err)
{
    if (ledger == NULL || key == NULL || step_out == NULL) {
        return deed__misuse(err, "deed_reconcile_plan");
    }
    deed_rc rc = deed__enter(ledger, "deed_reconcile_plan", err);
    if (rc == DEED_OK) {
        rc = deed_key_check(key, err);
    }
    if (rc != DEED_OK) {
        return rc;
    }
    struct deed_result mine = {.size = sizeof(mine)};
    struct deed_result *told = result == NULL ? &mine : result;
    told->created = false;
    told->replayed = true;
    struct deed__doubt doubt = {.ledger = ledger, .key = key, .force = by_name, .result = told};
    struct deed_instant nothing = {0, 0, ""};
    deed__case_init(&doubt.c, ledger, &nothing);
    rc = deed__doubt_read(&doubt, err);
    if (rc == DEED_OK) {
        rc = first_step(&doubt, step_out, err);
    }
    deed__case_finish(&doubt.c);
    return rc;
}
