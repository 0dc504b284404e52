/* SPDX-License-Identifier: MIT
 *
 * The texts of states, outcomes, verdicts, events, grades, causes, classes and steps, and the version.
 */
#include <deed/ledger.h>

struct word {
    int number;
    const char *text;
};

static const char *find(const struct word *words, size_t count, int number)
{
    for (size_t i = 0; i < count; i++) {
        if (words[i].number == number) {
            return words[i].text;
        }
    }
    return NULL;
}
#define FIND(words, number) find(words, sizeof(words) / sizeof((words)[0]), (int)(number))

static const struct word states[] = {
#define STATE(ident, number, text) {DEED_##ident, text},
#include "state.def"
};

static const struct word outcomes[] = {
#define OUTCOME(ident, number, text) {DEED_##ident, text},
#include "state.def"
};

static const struct word events[] = {
#define EVENT(ident, number, text, kind) {DEED_EVENT_##ident, text},
#include "state.def"
};

/* The numbers of state.def are those of the header: one of the two cannot move alone. */
#define STATE(ident, number, text) _Static_assert(DEED_##ident == (number), text);
#include "state.def"
#define OUTCOME(ident, number, text) _Static_assert((int)DEED_##ident == (number), text);
#include "state.def"
#define EVENT(ident, number, text, kind) _Static_assert(DEED_EVENT_##ident == (number), text);
#include "state.def"

const char *deed_state_name(deed_state state)
{
    return state == DEED_STATE_NONE ? "none" : FIND(states, state);
}

const char *deed_outcome_name(deed_outcome outcome)
{
    return FIND(outcomes, outcome);
}

const char *deed_event_name(deed_event event)
{
    return event == DEED_EVENT_NONE ? "none" : FIND(events, event);
}

const char *deed_verdict_name(deed_verdict verdict)
{
    static const struct word verdicts[] = {
        {DEED_VERDICT_UNKNOWN, "unknown"},
        {DEED_VERDICT_APPLIED, "applied"},
        {DEED_VERDICT_REJECTED, "rejected"},
        {DEED_VERDICT_NOT_APPLIED, "not_applied"},
    };
    return FIND(verdicts, verdict);
}

const char *deed_grade_name(deed_grade grade)
{
    static const struct word grades[] = {
        {DEED_GRADE_NONE, "none"},
        {DEED_GRADE_FIRST_HAND, "first_hand"},
        {DEED_GRADE_REPLAY, "replay"},
        {DEED_GRADE_PROVIDER_PRESENT, "provider_present"},
        {DEED_GRADE_PROVIDER_CLOSED, "provider_closed"},
        {DEED_GRADE_PROVIDER_ABSENT_FINAL, "provider_absent_final"},
        {DEED_GRADE_OPERATOR, "operator"},
    };
    return FIND(grades, grade);
}

const char *deed_cause_name(deed_cause cause)
{
    static const struct word causes[] = {
        {DEED_CAUSE_FIRST, "first"},
        {DEED_CAUSE_RETRY, "retry"},
        {DEED_CAUSE_REPLAY, "replay"},
        {DEED_CAUSE_BY_NAME, "by_name"},
    };
    return FIND(causes, cause);
}

const char *deed_provider_class_name(deed_provider_class provider_class)
{
    static const struct word classes[] = {
        {DEED_CLASS_BLIND, "blind"},
        {DEED_CLASS_LOOKUP, "lookup"},
        {DEED_CLASS_KEYED, "keyed"},
        {DEED_CLASS_KEYED_LOOKUP, "keyed+lookup"},
        {DEED_CLASS_CLOSABLE, "closable"},
    };
    return FIND(classes, provider_class);
}

const char *deed_settle_step_name(deed_settle_step step)
{
    static const struct word steps[] = {
        {DEED_SETTLE_NOTHING, "nothing"},
        {DEED_SETTLE_WAIT, "wait"},
        {DEED_SETTLE_POLL, "poll"},
        {DEED_SETTLE_LOOK_UP, "look_up"},
        {DEED_SETTLE_REPLAY, "replay"},
        {DEED_SETTLE_CANCEL, "cancel"},
        {DEED_SETTLE_PERSON, "person"},
    };
    return FIND(steps, step);
}

const char *deed_version(void)
{
    return DEED_VERSION;
}
