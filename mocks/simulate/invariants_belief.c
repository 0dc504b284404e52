/* SPDX-License-Identifier: MIT
 *
 * What the ledger believes of the world is so, and it knows why.
 */
#include "simulate/facts.h"

#include <inttypes.h>
#include <string.h>

/* ---- belief ---------------------------------------------------------------------------------- */

/* A client that tells no reference names no other effect. */
static bool world_issued(const struct deed_crash__facts *facts, const char *reference)
{
    if (reference[0] == '\0') {
        return facts->effects_count > 0;
    }
    for (size_t i = 0; i < facts->effects_count; i++) {
        if (strcmp(facts->effects[i], reference) == 0) {
            return true;
        }
    }
    return false;
}

/* IB1: applied needs an effect, and evidence that the provider issued for it or a person's word. */
bool deed_crash__ib1(struct deed_crash__promises *in, const struct deed_crash__facts *facts)
{
    bool proven = false;
    const char *key = facts->result.key;
    for (size_t i = 0; i < facts->evidence_count; i++) {
        const struct deed_crash__seen_evidence *evidence = &facts->evidence[i];
        if (evidence->outcome != DEED_APPLIED) {
            continue;
        }
        proven = proven || evidence->settled;
        if (evidence->grade != DEED_GRADE_OPERATOR && !world_issued(facts, evidence->reference)) {
            return deed_crash__broken(in,
                "IB1: %s is believed by '%s', which the world never issued for it", key,
                evidence->reference);
        }
    }
    if (facts->result.outcome == DEED_APPLIED && facts->effects_count == 0) {
        return deed_crash__broken(in, "IB1: %s is applied, and nothing happened", key);
    }
    if (facts->result.outcome == DEED_APPLIED && !proven) {
        return deed_crash__broken(in, "IB1: %s is applied without evidence", key);
    }
    return true;
}

/* IB2, IB8: not_applied, rejected and retracted mean that nothing happened, then and later; or it
 * was noticed, and is disputed. A provider that lies about it can only be noticed, by the second looks. */
bool deed_crash__ib2(struct deed_crash__promises *in, const struct deed_crash__facts *facts)
{
    deed_outcome outcome = facts->result.outcome;
    bool negative =
        outcome == DEED_NOT_APPLIED || outcome == DEED_REJECTED || outcome == DEED_RETRACTED;
    if (!negative || facts->effects_count == 0 || facts->result.disputed ||
        (!in->looked_back && deed_crash__can(facts, DEED_CRASH__CAN_LIE))) {
        return true;
    }
    return deed_crash__broken(in, "%s: %s is %s, and it happened", in->ended ? "IB8" : "IB2",
        facts->result.key, deed_outcome_name(outcome));
}

/* Which evidence can settle at a provider of this class. IB3, IL3: at a blind one nothing but its
 * own answer and a person. */
static bool can_settle(const struct deed_crash__facts *facts, deed_grade grade)
{
    bool blind = deed_crash__is_blind(facts);
    bool keyed = deed_crash__can(facts, DEED_CRASH__CAN_KEY);
    bool asked = deed_crash__can(facts, DEED_CRASH__CAN_LOOKUP);
    bool closable = deed_crash__can(facts, DEED_CRASH__CAN_CLOSE);
    switch (grade) {
    case DEED_GRADE_OPERATOR:
        return true;
    case DEED_GRADE_FIRST_HAND:
        return !blind; /* two attempts in doubt: never there */
    case DEED_GRADE_REPLAY:
        return keyed;
    case DEED_GRADE_PROVIDER_PRESENT: /* a poll, where it was accepted before it was done */
        return asked || closable || facts->requests_count > 0;
    case DEED_GRADE_PROVIDER_CLOSED:
        return closable;
    case DEED_GRADE_PROVIDER_ABSENT_FINAL:
        return asked;
    case DEED_GRADE_NONE:
        break;
    }
    return false;
}

/* The marks that events set and lift. */
struct marks {
    bool held;
    bool disputed;
};

static bool check_start(struct deed_crash__promises *in, const struct deed_crash__facts *facts,
    const struct marks *marks, const struct deed_crash__seen_event *event, deed_outcome before)
{
    const char *key = facts->result.key;
    const struct deed_crash__seen_attempt *attempt =
        deed_crash__attempt_numbered(facts, event->attempt);
    const struct deed_crash__seen_attempt *former =
        deed_crash__attempt_numbered(facts, event->attempt - 1);
    if (attempt == NULL) {
        return deed_crash__broken(in, "IF1: an event of %s begins attempt %u, which is not stored",
            key, (unsigned)event->attempt);
    }
    if (marks->held || marks->disputed) {
        return deed_crash__broken(in, "IB7: attempt %u of %s began while it was %s",
            (unsigned)event->attempt, key, marks->held ? "held" : "disputed");
    }
    if (former != NULL && event->event == DEED_EVENT_ATTEMPT && before != DEED_NOT_APPLIED) {
        return deed_crash__broken(in, "IS2: attempt %u of %s began after %s",
            (unsigned)event->attempt, key, deed_outcome_name(before));
    }
    if (event->event == DEED_EVENT_REPLAY &&
        (former == NULL || former->generation != attempt->generation ||
            !deed_crash__can(facts, DEED_CRASH__CAN_KEY))) {
        return deed_crash__broken(in, "IS3: attempt %u of %s is no replay its provider honours",
            (unsigned)event->attempt, key);
    }
    return true;
}

static void follow_marks(struct marks *marks, const struct deed_crash__seen_event *event)
{
    switch ((int)event->event) {
    case DEED_EVENT_HOLD:
        marks->held = true;
        break;
    case DEED_EVENT_RELEASE:
        marks->held = false;
        break;
    case DEED_EVENT_DISPUTE:
        marks->disputed = true;
        break;
    case DEED_EVENT_RECONCILE:
        marks->disputed = marks->disputed && event->grade != DEED_GRADE_OPERATOR;
        break;
    default:
        break;
    }
}

/* IB3: only evidence that is stored with it, and that its provider can give, takes an intent out of
 * doubt. IL3: at a blind one that is a person's word. IB2: what was seen is no absence. */
static bool check_reconcile(struct deed_crash__promises *in, const struct deed_crash__facts *facts,
    const struct deed_crash__seen_event *event)
{
    const char *key = facts->result.key;
    bool stored = false;
    for (size_t i = 0; i < facts->evidence_count; i++) {
        stored = stored || (facts->evidence[i].settled && facts->evidence[i].grade == event->grade);
    }
    if (!can_settle(facts, event->grade)) {
        return deed_crash__broken(in, "%s: %s was reconciled by %s, which its provider cannot give",
            deed_crash__is_blind(facts) ? "IL3" : "IB3", key, deed_grade_name(event->grade));
    }
    if (!stored) {
        return deed_crash__broken(in,
            "IB3: %s was reconciled by %s, and no such evidence is stored", key,
            deed_grade_name(event->grade));
    }
    if (event->outcome == DEED_NOT_APPLIED && event->grade == DEED_GRADE_PROVIDER_PRESENT) {
        return deed_crash__broken(in, "IB2: %s is not_applied by what was seen", key);
    }
    return true;
}

/* IB3, IB5, IB6 (with the ledger's own check), IB7: how the intent came to be where it is. */
bool deed_crash__history(struct deed_crash__promises *in, const struct deed_crash__facts *facts)
{
    struct marks marks = {false, false};
    deed_outcome before = DEED_OUTCOME_NONE;
    const char *key = facts->result.key;
    for (size_t i = 0; i < facts->events_count; i++) {
        const struct deed_crash__seen_event *event = &facts->events[i];
        bool starts = event->event == DEED_EVENT_ATTEMPT || event->event == DEED_EVENT_REPLAY;
        if (starts && !check_start(in, facts, &marks, event, before)) {
            return false;
        }
        if (event->event == DEED_EVENT_CONFIRM && event->grade != DEED_GRADE_FIRST_HAND) {
            return deed_crash__broken(
                in, "IB5: %s was confirmed by %s", key, deed_grade_name(event->grade));
        }
        if (event->event == DEED_EVENT_RECONCILE && !check_reconcile(in, facts, event)) {
            return false;
        }
        if (event->to != event->from &&
            deed_edge_find(event->from, before, event->event, event->outcome) == NULL) {
            return deed_crash__broken(in,
                "IB6: %s went from %s to %s by %s, and there is no such step", key,
                deed_state_name(event->from), deed_state_name(event->to),
                deed_event_name(event->event));
        }
        follow_marks(&marks, event);
        before = event->outcome;
    }
    return true;
}

/* IB4: what nobody filled in is unknown, and no verdict is a number that none is. */
bool deed_crash__ib4(struct deed_crash__promises *in, const struct deed_crash__facts *facts)
{
    for (size_t i = 0; i < facts->attempts_count; i++) {
        if (deed_verdict_name(facts->attempts[i].verdict) == NULL) {
            return deed_crash__broken(in, "IB4: attempt %u of %s has verdict %d",
                (unsigned)facts->attempts[i].number, facts->result.key,
                (int)facts->attempts[i].verdict);
        }
    }
    for (size_t i = 0; i < facts->requests_count; i++) {
        const struct deed_crash__seen_attempt *attempt =
            deed_crash__attempt_numbered(facts, facts->requests[i].attempt);
        if (facts->requests[i].garbage && attempt != NULL &&
            attempt->verdict != DEED_VERDICT_UNKNOWN) {
            return deed_crash__broken(in, "IB4: garbage made attempt %u of %s %s",
                (unsigned)attempt->number, facts->result.key, deed_verdict_name(attempt->verdict));
        }
    }
    return true;
}

static bool is_told_of(
    const struct deed_crash__facts *facts, const struct deed_crash__seen_attempt *attempt)
{
    for (size_t i = 0; i < facts->events_count; i++) {
        const struct deed_crash__seen_event *event = &facts->events[i];
        bool begins = event->event == DEED_EVENT_ATTEMPT || event->event == DEED_EVENT_REPLAY;
        if (event->attempt == attempt->number && !begins) {
            return true;
        }
    }
    return false;
}

/* IM3: nothing is half written. A verdict came with the event that tells of it, and an intent whose
 * attempts all have one is settled. */
bool deed_crash__im3(struct deed_crash__promises *in, const struct deed_crash__facts *facts)
{
    size_t verdicts = 0;
    for (size_t i = 0; i < facts->attempts_count; i++) {
        const struct deed_crash__seen_attempt *attempt = &facts->attempts[i];
        verdicts += attempt->verdict == DEED_VERDICT_UNKNOWN ? 0 : 1;
        if (attempt->verdict != DEED_VERDICT_UNKNOWN && !is_told_of(facts, attempt)) {
            return deed_crash__broken(in, "IM3: attempt %u of %s is %s, and no event tells of it",
                (unsigned)attempt->number, facts->result.key, deed_verdict_name(attempt->verdict));
        }
    }
    return facts->result.state != DEED_ATTEMPTED || verdicts < facts->attempts_count ||
        deed_crash__broken(
            in, "IM3: %s is attempted, and all its attempts say how they ended", facts->result.key);
}
