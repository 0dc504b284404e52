/* SPDX-License-Identifier: MIT
 *
 * The machine as tables, built from state.def; nothing else.
 */
#include "state.h"

#define N (1U << DEED_OUTCOME_NONE)
#define A (1U << DEED_APPLIED)
#define R (1U << DEED_REJECTED)
#define O (1U << DEED_NOT_APPLIED)
#define T (1U << DEED_RETRACTED)

static const struct deed_edge edges[] = {
#define EDGE(from, from_outcomes, event, to, to_outcomes, guard)                                   \
    {DEED_##from, from_outcomes, DEED_EVENT_##event, DEED_##to, to_outcomes, guard},
#include "state.def"
};

#define EDGE_COUNT (sizeof(edges) / sizeof(edges[0]))

const struct deed_edge *deed_edge_at(size_t index)
{
    return index < EDGE_COUNT ? &edges[index] : NULL;
}

static bool contains(deed_outcome_set set, deed_outcome outcome)
{
    return (unsigned)outcome < 32U && (set & (1U << outcome)) != 0;
}

const struct deed_edge *deed_edge_find(
    deed_state from, deed_outcome from_outcome, deed_event event, deed_outcome to_outcome)
{
    for (size_t i = 0; i < EDGE_COUNT; i++) {
        if (edges[i].from == from && edges[i].event == event &&
            contains(edges[i].from_outcomes, from_outcome) &&
            contains(edges[i].to_outcomes, to_outcome)) {
            return &edges[i];
        }
    }
    return NULL;
}

bool deed_state_allows(deed_state state, deed_outcome outcome)
{
    for (size_t i = 0; i < EDGE_COUNT; i++) {
        if (edges[i].to == state && contains(edges[i].to_outcomes, outcome)) {
            return true;
        }
    }
    return false;
}

deed__event_kind deed__event_kind_of(deed_event event)
{
    static const struct {
        deed_event event;
        deed__event_kind kind;
    } kinds[] = {
#define EVENT(ident, number, text, kind) {DEED_EVENT_##ident, DEED__EVENT_##kind},
#include "state.def"
    };
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (kinds[i].event == event) {
            return kinds[i].kind;
        }
    }
    return (deed__event_kind)0;
}

bool deed__is_end(deed_outcome outcome)
{
    return outcome == DEED_APPLIED || outcome == DEED_REJECTED || outcome == DEED_RETRACTED;
}

bool deed__event_legal(deed_state from, deed_outcome from_outcome, deed_event event, deed_state to,
    deed_outcome to_outcome)
{
    switch (deed__event_kind_of(event)) {
    case DEED__EVENT_MOVES: {
        const struct deed_edge *edge = deed_edge_find(from, from_outcome, event, to_outcome);
        return edge != NULL && edge->to == to;
    }
    case DEED__EVENT_STAYS:
        return from == to && from_outcome == to_outcome && deed_state_allows(from, from_outcome);
    case DEED__EVENT_LEDGER:
        return false; /* not in the chain of an intent */
    }
    return false;
}
