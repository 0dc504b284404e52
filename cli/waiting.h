/* SPDX-License-Identifier: MIT
 *
 * waiting.h - --wait: goes on with the keys that are named until each is settled.
 */
#ifndef CLI_WAITING_H
#define CLI_WAITING_H

#include "acting.h"
#include "pace.h"

struct waiting_ways {
    acting_step first; /* by name, whatever the pauses say */
    acting_step again; /* when it is due */
    /* Whether this command can do more for it, when it is due; if not, somebody else may. */
    bool (*can_act)(const struct deed_result *result);
    /* Whether nothing is left to wait for. */
    bool (*settled)(const struct deed_result *result);
};

/* Takes the first step for every key; then, until the time is over, the next ones as they come due.
 * Each key is told once, when it is settled or at the end. */
void waiting_keys(struct acting *acting, const struct pace *pace, const struct waiting_ways *ways);

#endif
