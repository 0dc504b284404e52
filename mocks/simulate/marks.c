/* SPDX-License-Identifier: MIT
 *
 * Which marks an intent's history bears witness of.
 */
#include "simulate/facts.h"

const char *deed_crash__mark_text(unsigned mark)
{
    static const char *const texts[] = {
#define MARK_TEXT(ident, text) text,
        DEED_CRASH__MARK_LIST(MARK_TEXT)
#undef MARK_TEXT
    };
    return mark < DEED_CRASH__MARK_COUNT ? texts[mark] : NULL;
}

/* An effect that came after somebody had looked: the look was stored as one that saw nothing. */
static bool was_looked_for(
    const struct deed_crash__facts *facts, int64_t sent_ms, int64_t landed_ms)
{
    for (size_t i = 0; i < facts->events_count; i++) {
        const struct deed_crash__seen_event *event = &facts->events[i];
        bool looked = event->event == DEED_EVENT_LOOK || event->event == DEED_EVENT_NOTE;
        if (looked && event->at_ms > sent_ms && event->at_ms <= landed_ms) {
            return true;
        }
    }
    return false;
}

/* An effect, and what is known of the attempt that caused it. */
static uint64_t marks_of_effect(const struct deed_crash__facts *facts,
    const struct deed_crash__seen_request *request, const struct deed_crash__seen_attempt *attempt)
{
    uint64_t marks = 0;
    if (attempt->verdict == DEED_VERDICT_UNKNOWN) {
        marks |= attempt->answered ? DEED_CRASH__BIT(REPLY_LOST) : DEED_CRASH__BIT(DIED_UNTOLD);
    }
    if (request->landed_ms > request->sent_ms) {
        marks |= DEED_CRASH__BIT(LATE);
        if (was_looked_for(facts, request->sent_ms, request->landed_ms)) {
            marks |= DEED_CRASH__BIT(LATE_AFTER_LOOK);
        }
    }
    return marks;
}

static uint64_t marks_of_requests(const struct deed_crash__facts *facts)
{
    uint64_t marks = 0;
    for (size_t i = 0; i < facts->requests_count; i++) {
        const struct deed_crash__seen_request *request = &facts->requests[i];
        const struct deed_crash__seen_attempt *attempt =
            deed_crash__attempt_numbered(facts, request->attempt);
        marks |= request->garbage ? DEED_CRASH__BIT(GARBAGE) : 0;
        marks |= request->fate == DEED_WORLD_REJECTED ? DEED_CRASH__BIT(REJECTED) : 0;
        if (request->effects > 0 && attempt != NULL) {
            marks |= marks_of_effect(facts, request, attempt);
        }
    }
    return marks;
}

static uint64_t mark_of_grade(deed_grade grade)
{
    switch (grade) {
    case DEED_GRADE_PROVIDER_PRESENT:
        return DEED_CRASH__BIT(PRESENT);
    case DEED_GRADE_PROVIDER_CLOSED:
        return DEED_CRASH__BIT(CLOSED);
    case DEED_GRADE_PROVIDER_ABSENT_FINAL:
        return DEED_CRASH__BIT(ABSENT_FINAL);
    case DEED_GRADE_OPERATOR:
        return DEED_CRASH__BIT(PERSON);
    case DEED_GRADE_FIRST_HAND:
    case DEED_GRADE_REPLAY:
    case DEED_GRADE_NONE:
        break;
    }
    return 0;
}

static uint64_t mark_of_event(const struct deed_crash__seen_event *event)
{
    switch ((int)event->event) {
    case DEED_EVENT_ATTEMPT:
        return event->attempt > 1 ? DEED_CRASH__BIT(RETRIED) : 0;
    case DEED_EVENT_REPLAY:
        return DEED_CRASH__BIT(REPLAYED);
    case DEED_EVENT_RECONCILE:
        return mark_of_grade(event->grade);
    case DEED_EVENT_RETRACT:
        return DEED_CRASH__BIT(RETRACTED);
    case DEED_EVENT_HOLD:
        return DEED_CRASH__BIT(HELD);
    case DEED_EVENT_DISPUTE:
        return DEED_CRASH__BIT(DISPUTED);
    default:
        return 0;
    }
}

void deed_crash__mark_facts(struct deed_crash__promises *in, const struct deed_crash__facts *facts)
{
    for (size_t i = 0; i < facts->events_count; i++) {
        in->marks |= mark_of_event(&facts->events[i]);
    }
    in->marks |= facts->result.held ? DEED_CRASH__BIT(HELD) : 0;
    in->marks |= facts->result.reason == DEED_REASON_PENDING ? DEED_CRASH__BIT(PENDING) : 0;
    in->marks |= marks_of_requests(facts);
}
