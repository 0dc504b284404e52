/* SPDX-License-Identifier: MIT
 *
 * What of a case people are told: reason, next step, and whether anything but a person can help.
 */
#include <stdio.h>
#include <string.h>

#include "case.h"
#include "instant.h"
#include "policy.h"

bool deed__absence_possible(const struct deed__case *c)
{
    const struct deed_attempt_row *first = deed__first_doubt(c);
    int64_t reach = deed__reach_ms(c);
    if (first == NULL || reach == 0) {
        return false;
    }
    for (uint32_t i = 0; i < c->count; i++) {
        const struct deed_attempt_row *attempt = &c->attempts[i];
        if (!deed__in_doubt(c, attempt)) {
            continue;
        }
        unsigned needed = DEED_ATTEMPT_LOOKUP;
        int64_t visible = deed__visible_ms(attempt);
        if ((attempt->flags & needed) == 0 || (attempt->flags & DEED_ATTEMPT_NO_ABSENCE) != 0 ||
            visible == DEED_FOREVER ||
            deed__sum(attempt->start.wall_ms, visible) >= deed__sum(first->start.wall_ms, reach)) {
            return false;
        }
    }
    return deed__within_reach(c, &c->now, c->newest_ms);
}

static bool replay_possible(const struct deed__case *c, const struct deed_attempt_row *newest)
{
    int64_t ahead = deed__sum(newest->send_ms, newest->landing_ms);
    return !c->intent.held && !deed__overdue(c) && !deed__fenced(c) && !deed__exhausted(c) &&
        !deed__barred(c, newest->generation) && deed__bytes_here(c, newest->generation) &&
        deed__window_outlasts(c, newest, ahead);
}

/* When nothing sent so far can still take effect unseen, by the wall clock. In another boot the
 * waits start again at the first look there. */
static int64_t final_ms(const struct deed__case *c)
{
    int64_t latest = 0;
    for (uint32_t i = 0; i < c->count; i++) {
        const struct deed_attempt_row *attempt = &c->attempts[i];
        if (deed__in_doubt(c, attempt)) {
            bool moved = !deed__same_boot(&attempt->start, &c->now);
            bool looked = moved && deed__same_boot(&attempt->first_look, &c->now);
            int64_t from = looked ? attempt->first_look.wall_ms
                : moved           ? c->now.wall_ms
                                  : attempt->start.wall_ms;
            int64_t end = deed__sum(from, deed__visible_ms(attempt));
            latest = end > latest ? end : latest;
        }
    }
    return latest;
}

/* The provider can be asked, and was not yet since the newest attempt: what it shows may settle it. */
static bool look_is_untried(const struct deed__case *c, const struct deed_attempt_row *newest)
{
    unsigned askable = DEED_ATTEMPT_LOOKUP | (deed__pending(c) ? DEED_ATTEMPT_POLL : 0U);
    return (newest->flags & askable) != 0 && c->intent.tries == 0;
}

static bool doubt_needs_person(const struct deed__case *c)
{
    const struct deed_attempt_row *newest = deed__newest_attempt(c);
    if (newest == NULL || c->intent.held) { /* looks go on, but it is held for somebody to see */
        return true;
    }
    if (look_is_untried(c, newest)) {
        return false;
    }
    if (deed__pending(c)) {
        /* The provider has had all the time it declares: somebody should ask it why. */
        int64_t final = final_ms(c);
        if (final != DEED_FOREVER && c->now.wall_ms > final) {
            return true;
        }
        return (newest->flags & (DEED_ATTEMPT_POLL | DEED_ATTEMPT_LOOKUP)) == 0;
    }
    return !deed__absence_possible(c) && !replay_possible(c, newest) &&
        (newest->flags & DEED_ATTEMPT_CLOSABLE) == 0;
}

static deed_reason attempted_reason(const struct deed__case *c)
{
    const struct deed_attempt_row *newest = deed__newest_attempt(c);
    if (deed__in_flight(c)) {
        return DEED_REASON_IN_FLIGHT;
    }
    if (deed__pending(c)) {
        return DEED_REASON_PENDING;
    }
    if (newest == NULL || newest->answered) {
        return DEED_REASON_ANSWER_UNKNOWN;
    }
    int64_t lease = deed__sum(newest->send_ms, newest->answer_ms);
    return deed__runs(&newest->start, lease, &c->now) ? DEED_REASON_OWNER_GONE
                                                      : DEED_REASON_LEASE_OVER;
}

/* What stops the next attempt of an intent that may be attempted by its state; NONE: nothing. */
static deed_reason obstacle(const struct deed__case *c)
{
    if (deed__fenced(c)) {
        return DEED_REASON_FENCED;
    }
    if (c->intent.held) {
        return DEED_REASON_HELD;
    }
    return deed__overdue(c) ? DEED_REASON_OVERDUE : DEED_REASON_NONE;
}

static deed_reason not_applied_reason(const struct deed__case *c)
{
    deed_reason reason = obstacle(c);
    if (reason != DEED_REASON_NONE) {
        return reason;
    }
    if (!c->intent.payload_here) {
        return DEED_REASON_PAYLOAD_MISSING;
    }
    if (c->intent.grade == DEED_GRADE_OPERATOR) {
        return DEED_REASON_RETRY_BY_NAME;
    }
    if (deed__exhausted(c)) {
        return DEED_REASON_EXHAUSTED;
    }
    return c->intent.next_due_ms > c->now.wall_ms ? DEED_REASON_RETRY_LATER
                                                  : DEED_REASON_RETRY_READY;
}

static deed_reason settled_reason(const struct deed__case *c)
{
    switch (c->intent.outcome) {
    case DEED_NOT_APPLIED:
        return not_applied_reason(c);
    case DEED_RETRACTED:
        return DEED_REASON_RETRACTED;
    case DEED_OUTCOME_NONE:
    case DEED_APPLIED:
    case DEED_REJECTED:
        break;
    }
    if (c->intent.state == DEED_CONFIRMED) {
        return DEED_REASON_ANSWERED;
    }
    return c->intent.grade == DEED_GRADE_OPERATOR ? DEED_REASON_PERSON : DEED_REASON_EVIDENCE;
}

static deed_reason reason_of(const struct deed__case *c)
{
    if (c->intent.disputed) {
        return DEED_REASON_DISPUTED;
    }
    switch (c->intent.state) {
    case DEED_STATE_NONE:
        return DEED_REASON_NONE;
    case DEED_RECORDED: {
        deed_reason reason = obstacle(c);
        if (reason == DEED_REASON_NONE && !c->intent.payload_here) {
            reason = DEED_REASON_PAYLOAD_MISSING;
        }
        return reason == DEED_REASON_NONE ? DEED_REASON_READY : reason;
    }
    case DEED_ATTEMPTED:
        return attempted_reason(c);
    case DEED_CONFIRMED:
    case DEED_RECONCILED:
        return settled_reason(c);
    }
    return DEED_REASON_NONE;
}

bool deed__unserved(const struct deed__case *c)
{
    const struct deed_attempt_row *newest = deed__newest_attempt(c);
    struct deed_text kind = c->intent.payload.kind;
    if (c->ledger->registrations == NULL || kind.data == NULL) {
        return false; /* a host that sends by itself; or nobody knows the kind */
    }
    if (c->intent.state == DEED_ATTEMPTED) {
        return newest != NULL && newest->executor != NULL &&
            deed__registration_named(c->ledger, kind, newest->executor) == NULL;
    }
    return deed__registration_of(c->ledger, kind) == NULL;
}

static bool waits_for_executor(const struct deed__case *c, deed_reason reason)
{
    bool waits = reason == DEED_REASON_READY || reason == DEED_REASON_RETRY_READY ||
        reason == DEED_REASON_RETRY_LATER || reason == DEED_REASON_PENDING ||
        reason == DEED_REASON_ANSWER_UNKNOWN || reason == DEED_REASON_LEASE_OVER ||
        reason == DEED_REASON_OWNER_GONE;
    return waits && deed__unserved(c);
}

static bool reason_needs_person(const struct deed__case *c, deed_reason reason)
{
    if (waits_for_executor(c, reason)) {
        return true;
    }
    switch (reason) {
    case DEED_REASON_PAYLOAD_MISSING:
    case DEED_REASON_HELD:
    case DEED_REASON_OVERDUE:
    case DEED_REASON_FENCED:
    case DEED_REASON_RETRY_BY_NAME:
    case DEED_REASON_EXHAUSTED:
    case DEED_REASON_DISPUTED:
        return true;
    case DEED_REASON_PENDING:
    case DEED_REASON_ANSWER_UNKNOWN:
    case DEED_REASON_LEASE_OVER:
    case DEED_REASON_OWNER_GONE:
        return doubt_needs_person(c);
    case DEED_REASON_NONE:
    case DEED_REASON_READY:
    case DEED_REASON_IN_FLIGHT:
    case DEED_REASON_ANSWERED:
    case DEED_REASON_EVIDENCE:
    case DEED_REASON_PERSON:
    case DEED_REASON_RETRY_READY:
    case DEED_REASON_RETRY_LATER:
    case DEED_REASON_RETRACTED:
    case DEED_REASON_COUNT:
        break;
    }
    return false;
}

bool deed__needs_person(const struct deed__case *c)
{
    return reason_needs_person(c, reason_of(c));
}

/* The command that does the next step, and runs as it stands; NULL: none is needed. A decision has
 * words of its own to give, and `explain` says which. */
static const char *next_command(deed_reason reason, bool needs_person)
{
    switch (reason) {
    case DEED_REASON_READY:
    case DEED_REASON_RETRY_READY:
    case DEED_REASON_RETRY_LATER:
    case DEED_REASON_RETRY_BY_NAME:
    case DEED_REASON_EXHAUSTED:
        return "run";
    case DEED_REASON_PAYLOAD_MISSING:
    case DEED_REASON_HELD:
    case DEED_REASON_OVERDUE:
    case DEED_REASON_FENCED:
    case DEED_REASON_DISPUTED:
        return "explain";
    case DEED_REASON_IN_FLIGHT:
        return "show";
    case DEED_REASON_PENDING:
    case DEED_REASON_ANSWER_UNKNOWN:
    case DEED_REASON_LEASE_OVER:
    case DEED_REASON_OWNER_GONE:
        return needs_person ? "explain" : "reconcile";
    case DEED_REASON_NONE:
    case DEED_REASON_ANSWERED:
    case DEED_REASON_EVIDENCE:
    case DEED_REASON_PERSON:
    case DEED_REASON_RETRACTED:
    case DEED_REASON_COUNT:
        break;
    }
    return NULL;
}

static void copy_text(char *out, size_t capacity, const char *text)
{
    size_t bytes = text == NULL ? 0 : strlen(text);
    bytes = bytes < capacity ? bytes : capacity - 1;
    if (bytes > 0) {
        memcpy(out, text, bytes);
    }
    out[bytes] = '\0';
}

static void fill_times(struct deed_result *result, const struct deed__case *c)
{
    const struct deed_attempt_row *newest = deed__newest_attempt(c);
    result->recorded_ms = c->intent.recorded_ms;
    result->settled_ms = c->intent.settled_ms;
    result->not_after_ms = c->intent.not_after_ms;
    if (newest != NULL) {
        result->attempted_ms = newest->start.wall_ms;
        result->class_known = true;
        result->provider_class = deed__class_of(newest);
    }
    if (result->uncertain || result->reason == DEED_REASON_RETRY_LATER) {
        result->due_ms = c->intent.next_due_ms;
    } else if (c->intent.looks_left > 0) {
        result->due_ms = c->intent.look_due_ms;
    }
    if (c->intent.state == DEED_ATTEMPTED) {
        result->final_ms = final_ms(c);
    }
}

void deed__result_fill(struct deed_result *result, const struct deed__case *c)
{
    size_t size = result->size;
    bool created = result->created;
    bool replayed = result->replayed;
    memset(result, 0, sizeof(*result));
    result->size = size;
    result->created = created;
    result->replayed = replayed;
    const struct deed_intent_row *intent = &c->intent;
    copy_text(result->key, sizeof(result->key), intent->key);
    deed_digest_text(intent->digest, result->digest);
    copy_text(result->kind, sizeof(result->kind), intent->payload.kind.data);
    result->state = intent->state;
    result->outcome = intent->outcome;
    result->grade = intent->grade;
    result->reason = reason_of(c);
    result->in_flight = intent->state == DEED_ATTEMPTED && deed__in_flight(c);
    result->uncertain = intent->state == DEED_ATTEMPTED && !result->in_flight;
    result->disputed = intent->disputed;
    result->held = intent->held;
    result->fenced = deed__fenced(c);
    result->overdue = deed__overdue(c);
    result->needs_person = reason_needs_person(c, result->reason);
    result->attempt = intent->attempts;
    copy_text(result->reference, sizeof(result->reference), intent->reference);
    copy_text(result->held_reason, sizeof(result->held_reason), intent->held_reason);
    copy_text(result->disputed_reason, sizeof(result->disputed_reason), intent->disputed_reason);
    fill_times(result, c);
    result->unserved = waits_for_executor(c, result->reason);
    const char *next = next_command(result->reason, result->needs_person);
    if (result->unserved) { /* it names the kind and where to configure it */
        copy_text(result->next, sizeof(result->next), "deed doctor");
    } else if (next != NULL) {
        deed__next_command(result->next, sizeof(result->next), next, intent->key);
    }
}
