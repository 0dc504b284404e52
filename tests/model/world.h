/* SPDX-License-Identifier: MIT
 *
 * The provider of a trail: the rules of world.pml in C. It counts what happened; the ledger counts
 * nothing here.
 */
#ifndef DEED_TESTS_MODEL_WORLD_H
#define DEED_TESTS_MODEL_WORLD_H

#include "player.h"

/* A copy of the request arrives. `how` is what the trail says of one that is executed. False: none is
 * on its way. */
bool world_land(struct play *play, struct slot *slot, const char *how);
void world_tick(struct play *play);
/* The keys that this class honours; a key is known from the begin of its first attempt. */
struct kept_key *world_key(struct play *play, const char *key);
bool world_keyed(const struct play *play);
void world_bar(struct play *play);
/* Effects that a look-up shows, given what the trail says it showed: late ones may be missing. */
unsigned world_shows(const struct play *play, const char *what);
deed_verdict verdict_named(const char *name);

#endif
