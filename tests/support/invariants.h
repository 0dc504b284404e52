/* SPDX-License-Identifier: MIT
 *
 * What must hold between a ledger and the world, whenever anybody looks: after any crash, in any
 * state of recovery, at the end. The names (IR1, IS2, ...) are those of docs/internals/testing.md.
 *
 * The payload's kind is the class of its provider ("blind", "keyed+lookup", ...): what may be
 * demanded of an intent depends on it. Nothing here uses cmocka, so that a child process can call
 * it: what is broken is a text.
 */
#ifndef DEED_TESTS_INVARIANTS_H
#define DEED_TESTS_INVARIANTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <deed/ledger.h>
#include <deed/mock/world.h>

/* What a process was told of an intent by a call that returned: it must be true for ever. */
struct invariants_told {
    char key[DEED_KEY_BYTES_MAX + 1];
    uint8_t digest[DEED_DIGEST_BYTES];
    int64_t events;                  /* the length of its chain then */
    uint8_t head[DEED_DIGEST_BYTES]; /* and the hash of its last event */
};

struct invariants {
    deed_ledger *ledger;
    deed_world *world;
    const struct invariants_told *told;
    size_t told_count;
    /* The digest that was asked to be recorded under a key; false: nobody ever asked for it. */
    bool (*asked)(void *context, const char *key, uint8_t digest_out[DEED_DIGEST_BYTES]);
    void *context;
    bool whole;       /* the file and every chain too: deed_ledger_check */
    bool ended;       /* faults have stopped and nothing waits any more */
    uint64_t checked; /* counts intents */
    int64_t history;  /* out: events of all intents together */
    char broken[768]; /* out: the first thing that does not hold, by its name */
};

/* Checks everything; false, with `broken` filled, if something does not hold. */
bool invariants_hold(struct invariants *in);

/* Notes what a call has told about `key`, as it stands now. */
bool invariants_tell(deed_ledger *ledger, const char *key, struct invariants_told *told_out);

#endif
