/* SPDX-License-Identifier: MIT
 *
 * soak.h - one worker of a crowd: it records, runs, reconciles, lists, finds and decides, in an order
 * of its own, among keys that all share. What must hold of each call is checked as it returns; what
 * must hold of all of them together, once they are done.
 */
#ifndef DEED_TESTS_SOAK_H
#define DEED_TESTS_SOAK_H

#include <stdatomic.h>

#include <deed/ledger.h>
#include <deed/mock/world.h>

#define SOAK_KEYS_MAX 1000000U

/* Counted by all workers of one process. */
struct soak_counts {
    atomic_uint_fast64_t calls;
    atomic_uint_fast64_t busy;   /* DEED_E_BUSY: told, and tried again */
    atomic_uint_fast64_t failed; /* any other answer that must not be */
};

struct soak {
    const char *path;       /* of the ledger */
    const char *world_path; /* of the world */
    /* Ends: after so many operations of each worker, or when the time is over. */
    uint64_t operations;
    int64_t seconds;
    struct soak_counts counts;
};

/* Makes the ledger and its world. */
bool soak_create(const struct soak *soak);
/* One more handle, with an executor for each kind of provider; NULL, and says why. */
deed_ledger *soak_open(const struct soak *soak, deed_world *world);
/* Worker `number` of the crowd, until the end. */
void soak_work(struct soak *soak, deed_ledger *ledger, unsigned number);
/* Settles what is left, then demands: the ledger checks clean, at most one effect for each key, and
 * each effect is known. Prints what was done. */
bool soak_judge(struct soak *soak);

#endif
