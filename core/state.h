/* SPDX-License-Identifier: MIT
 *
 * Look-ups in core/state.def that the public header does not offer.
 */
#ifndef DEED_CORE_STATE_H
#define DEED_CORE_STATE_H

#include <deed/machine.h>

typedef enum deed__event_kind {
    DEED__EVENT_MOVES = 1,
    DEED__EVENT_STAYS = 2,
    DEED__EVENT_LEDGER = 3,
} deed__event_kind;

/* 0 for a number that is no event. */
deed__event_kind deed__event_kind_of(deed_event event);

/* Is this event, from here, to there, one that the machine has? For events that stay too. */
bool deed__event_legal(deed_state from, deed_outcome from_outcome, deed_event event, deed_state to,
    deed_outcome to_outcome);

/* Is this an outcome after which nothing is ever sent? Whatever was held is released by it. */
bool deed__is_end(deed_outcome outcome);

#endif
