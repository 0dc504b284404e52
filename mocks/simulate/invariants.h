/* SPDX-License-Identifier: MIT
 *
 * What must hold between a ledger and the world, whenever anybody looks: after any crash, in any
 * state of recovery, at the end. The names (IR1, IS2, ...) are those of docs/internals/seams.md.
 *
 * On the public headers alone, and nothing here prints or exits, so that a child process can call
 * it: what is broken is a text.
 */
#ifndef DEED_MOCKS_SIMULATE_INVARIANTS_H
#define DEED_MOCKS_SIMULATE_INVARIANTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <deed/ledger.h>
#include <deed/mock/world.h>

#include "simulate/marks.h"

/* What a process was told of an intent by a call that returned: it must be true for ever. */
struct deed_crash__word {
    char key[DEED_KEY_BYTES_MAX + 1];
    uint8_t digest[DEED_DIGEST_BYTES];
    int64_t events;                  /* the length of its chain then */
    uint8_t head[DEED_DIGEST_BYTES]; /* and the hash of its last event */
};

/* What a provider can do, so what may be demanded. */
#define DEED_CRASH__CAN_KEY    0x1U /* honours our key */
#define DEED_CRASH__CAN_LOOKUP 0x2U
#define DEED_CRASH__CAN_CLOSE  0x4U
#define DEED_CRASH__CAN_LIE    0x8U /* does what its class forbids: effects may be doubled */

struct deed_crash__promises {
    deed_ledger *ledger;
    deed_world *world; /* NULL: nothing outside is looked at */
    const struct deed_crash__word *told;
    size_t told_count;
    /* The digest that was asked to be recorded under a key; false: nobody ever asked for it. NULL:
     * not known. */
    bool (*asked)(void *context, const char *key, uint8_t digest_out[DEED_DIGEST_BYTES]);
    /* Abilities of the provider of a kind; NULL: the kind is the name of a class. */
    uint32_t (*abilities)(void *context, const char *kind);
    void *context;
    bool whole;       /* the file and every chain too: deed_ledger_check */
    bool ended;       /* faults have stopped and nothing waits any more */
    bool looked_back; /* and the second looks have been taken */
    uint64_t checked; /* counts intents */
    uint64_t marks;   /* adds what was met: bits of deed_crash__mark */
    int64_t history;  /* out: events of all intents together */
    char broken[768]; /* out: the first thing that does not hold, by its name */
};

/* Checks everything; false, with `broken` filled, if something does not hold. */
bool deed_crash__hold(struct deed_crash__promises *in);

/* Notes what a call has told about `key`, as it stands now. */
bool deed_crash__tell(deed_ledger *ledger, const char *key, struct deed_crash__word *told_out);

#endif /* DEED_MOCKS_SIMULATE_INVARIANTS_H */
