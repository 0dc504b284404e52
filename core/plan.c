/* SPDX-License-Identifier: MIT
 *
 * May an attempt begin, under which provider key, and for which cause? Every guard of the rows
 * `attempt` and `replay` of the machine is in this file.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "attempt.h"
#include "instant.h"
#include "policy.h"

static deed_rc refuse(const struct deed__case *c, deed_rc rc, const char *command, const char *text,
    struct deed_error *err)
{
    char next[DEED_ERROR_NEXT_BYTES] = "";
    if (command != NULL) {
        deed__next_command(next, sizeof(next), command, c->intent.key);
    }
    return deed__refuse(err, rc, c->intent.key, next, "%s %s", c->intent.key, text);
}

/* What stops attempts and replays alike. */
static deed_rc check_obstacles(const struct deed__case *c, struct deed_error *err)
{
    if (c->intent.disputed) {
        return refuse(c, DEED_E_NEEDS_PERSON, "explain",
            "is disputed: nothing is sent until a person has resolved it", err);
    }
    if (deed__fenced(c)) {
        return refuse(c, DEED_E_NEEDS_PERSON, "explain",
            "is fenced: the ledger was restored, and this may have happened in the lost time", err);
    }
    if (c->intent.held) {
        return refuse(c, DEED_E_NEEDS_PERSON, "explain",
            "is held: nothing is sent until it is released", err);
    }
    if (deed__overdue(c)) {
        return refuse(c, DEED_E_NEEDS_PERSON, "explain",
            "is overdue: its not-after is over, so no attempt begins any more", err);
    }
    return DEED_OK;
}

static deed_rc check_uncertain(const struct deed__case *c, struct deed_error *err)
{
    if (deed__in_flight(c)) {
        return refuse(c, DEED_E_IN_FLIGHT, "show",
            "is in flight: an attempt is running, and nothing else is sent meanwhile", err);
    }
    return refuse(c, DEED_E_UNCERTAIN, "reconcile",
        "is uncertain: an attempt was made and may have taken effect; it is not sent again", err);
}

static deed_rc check_settled(const struct deed__case *c, struct deed_error *err)
{
    char text[128];
    (void)snprintf(text, sizeof(text), "is %s, %s: there is nothing to attempt",
        deed_state_name(c->intent.state), deed_outcome_name(c->intent.outcome));
    return refuse(c, DEED_E_NO_STEP, "show", text, err);
}

static deed_rc check_policy(const struct deed__case *c, struct deed_error *err)
{
    if (c->intent.grade == DEED_GRADE_OPERATOR) {
        return refuse(c, DEED_E_NEEDS_PERSON, "run",
            "was said by a person not to have happened: only an order by name attempts it again",
            err);
    }
    if (deed__exhausted(c)) {
        return refuse(c, DEED_E_NEEDS_PERSON, "run",
            "has used up the attempts its policy allows: only an order by name goes on", err);
    }
    if (c->intent.next_due_ms > c->now.wall_ms) {
        char time[DEED__TIME_BYTES];
        char text[160];
        deed__time_text(c->intent.next_due_ms, time);
        (void)snprintf(text, sizeof(text),
            "is pausing before its next attempt, until %s: it is due then, or attempted by name",
            time);
        return refuse(c, DEED_E_NOT_YET, "run", text, err);
    }
    return DEED_OK;
}

static deed_rc plan_attempt(
    const struct deed__case *c, uint32_t flags, struct deed_plan *plan_out, struct deed_error *err)
{
    deed_rc rc = check_obstacles(c, err);
    if (rc != DEED_OK) {
        return rc;
    }
    if (c->intent.id != 0 && !c->intent.payload_here) {
        return refuse(c, DEED_E_NEEDS_PERSON, "explain",
            "has no payload here: record it again with the same payload first", err);
    }
    plan_out->cause = DEED_CAUSE_FIRST;
    if (c->intent.attempts > 0 || c->intent.outcome == DEED_NOT_APPLIED) {
        plan_out->cause = DEED_CAUSE_RETRY;
        struct deed_error refusal;
        rc = check_policy(c, &refusal);
        if (rc != DEED_OK && (flags & DEED_BEGIN_BY_NAME) != 0) {
            plan_out->cause = DEED_CAUSE_BY_NAME;
        } else if (rc != DEED_OK) {
            if (err != NULL) {
                *err = refusal;
            }
            return rc;
        }
    }
    struct deed_profile profile = deed__profile_of(c);
    plan_out->generation = deed__next_generation(c, &profile, (flags & DEED_BEGIN_NEW_BYTES) != 0);
    return DEED_OK;
}

/* May the key of this generation be sent under once more? */
static deed_rc check_key(const struct deed__case *c, uint32_t generation, struct deed_error *err)
{
    if (deed__barred(c, generation)) {
        return refuse(c, DEED_E_UNCERTAIN, "reconcile",
            "cannot be replayed: the provider was asked to bar its key, and a request under it may "
            "be refused for ever",
            err);
    }
    if (!deed__bytes_here(c, generation)) {
        return refuse(c, DEED_E_UNCERTAIN, "explain",
            "cannot be replayed: the bytes that were sent are not stored any more, and one key "
            "means one sequence of bytes",
            err);
    }
    return DEED_OK;
}

static deed_rc plan_replay(
    const struct deed__case *c, uint32_t flags, struct deed_plan *plan_out, struct deed_error *err)
{
    const struct deed_attempt_row *newest = deed__newest_attempt(c);
    if (c->intent.state != DEED_ATTEMPTED || newest == NULL) {
        return refuse(
            c, DEED_E_NO_STEP, "show", "is not in doubt: there is nothing to replay", err);
    }
    if (deed__in_flight(c)) {
        return check_uncertain(c, err);
    }
    deed_rc rc = check_obstacles(c, err);
    if (rc != DEED_OK) {
        return rc;
    }
    if (deed__pending(c)) {
        return refuse(c, DEED_E_UNCERTAIN, "reconcile",
            "was accepted by the provider and is pending there: it is not sent again", err);
    }
    if ((flags & DEED__BEGIN_PAST_POLICY) == 0 && deed__exhausted(c)) {
        return refuse(
            c, DEED_E_NEEDS_PERSON, "reconcile", "has used up the attempts its policy allows", err);
    }
    rc = check_key(c, newest->generation, err);
    if (rc != DEED_OK) {
        return rc;
    }
    struct deed_profile profile = deed__profile_of(c);
    int64_t ahead = deed__sum(profile.send_ms, profile.landing_ms);
    if (!deed__window_outlasts(c, newest, ahead)) {
        return refuse(c, DEED_E_UNCERTAIN, "explain",
            "cannot be replayed: the provider does not honour our key for as long as every request "
            "may still arrive",
            err);
    }
    plan_out->cause = DEED_CAUSE_REPLAY;
    plan_out->generation = newest->generation;
    return DEED_OK;
}

static deed_rc plan_by_state(
    const struct deed__case *c, uint32_t flags, struct deed_plan *plan_out, struct deed_error *err)
{
    if ((flags & DEED_BEGIN_REPLAY) != 0) {
        return plan_replay(c, flags, plan_out, err);
    }
    switch (c->intent.state) {
    case DEED_ATTEMPTED:
        return check_uncertain(c, err);
    case DEED_STATE_NONE:
    case DEED_RECORDED:
        return plan_attempt(c, flags, plan_out, err);
    case DEED_CONFIRMED:
    case DEED_RECONCILED:
        break;
    }
    if (c->intent.outcome == DEED_NOT_APPLIED || c->intent.disputed) {
        return plan_attempt(c, flags, plan_out, err);
    }
    return check_settled(c, err);
}

deed_rc deed__plan_of(
    const struct deed__case *c, uint32_t flags, struct deed_plan *plan_out, struct deed_error *err)
{
    struct deed_plan plan;
    memset(&plan, 0, sizeof(plan));
    plan.size = sizeof(plan);
    deed_rc rc = plan_by_state(c, flags, &plan, err);
    if (rc != DEED_OK) {
        return rc;
    }
    memcpy(plan.digest, c->intent.digest, sizeof(plan.digest));
    const struct deed_attempt_row *bound = deed__generation_start(c, plan.generation);
    if (bound != NULL) {
        plan.bytes_bound = true;
        memcpy(plan.bytes_digest, bound->bytes_digest, sizeof(plan.bytes_digest));
        (void)snprintf(plan.provider_key, sizeof(plan.provider_key), "%s", bound->provider_key);
    } else {
        rc = deed__provider_key(c->ledger->name, c->intent.key, c->intent.digest, plan.generation,
            plan.provider_key, err);
    }
    if (rc == DEED_OK) {
        *plan_out = plan;
    }
    return rc;
}
