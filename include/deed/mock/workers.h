/* SPDX-License-Identifier: MIT
 *
 * deed/mock/workers.h - several workers in one thread, in an order that is chosen.
 *
 * Each worker has a stack of its own and runs until it says that another one may go on here. Who
 * does is a question to deed_choose_worker; so two workers on one ledger meet in every order, or in
 * the orders of a seed, or in the one of a trail, and the same trail gives the same run. Nothing
 * runs at the same time.
 *
 * A worker may die at any such place: it is never resumed, as a killed process is not, and the
 * memory it had from deed_workers_memory is given back as a whole. What it had from elsewhere
 * (malloc, locks, files) stays as it is.
 *
 * A place is a call of deed_workers_pass: from a seam (deed/seam.h), a call of the simulated disk
 * (deed_disk_watch_all), an executor, a clock. Not where a lock is held that another worker wants
 * (deed/flow.h): it would wait for ever.
 */
#ifndef DEED_MOCK_WORKERS_H
#define DEED_MOCK_WORKERS_H

#include <deed/base.h>
#include <deed/mock/choose.h>

DEED_BEGIN_DECLS

typedef struct deed_workers deed_workers; /* freed by deed_workers_free */

struct deed_workers_options {
    size_t size;          /* sizeof(struct deed_workers_options) */
    uint32_t preemptions; /* so often at most one is stopped that could go on; 0: no limit */
    size_t stack_bytes;   /* of each; 0: 512 KiB. A page below it can be neither read nor written */
    uint64_t
        steps_most; /* a run that is longer is stopped: somebody waits for ever; 0: 1,000,000 */
};

DEED_API DEED_MUST_CHECK deed_rc deed_workers_new(
    const struct deed_workers_options *options, deed_workers **workers_out, struct deed_error *err);
DEED_API void deed_workers_free(deed_workers *workers); /* NULL is allowed; not from a worker */

/* ---- a run ------------------------------------------------------------------------------- */

/* A new run, whose order `choices` says: borrowed; NULL: each goes on to its end. The workers of
 * before are gone, with their memory. */
DEED_API void deed_workers_begin(deed_workers *workers, deed_choices *choices);
/* One more worker: its number (1, 2, ...), or 0 without memory. Also from inside a worker. */
DEED_API uint32_t deed_workers_add(
    deed_workers *workers, void (*work)(void *context), void *context);
/* Returns when all have ended or died. false: `steps_most` was reached, and those that are left
 * will never go on. Not from a worker. */
DEED_API bool deed_workers_run(deed_workers *workers);

/* ---- from inside a worker ---------------------------------------------------------------- */

/* Another one may go on here. `site` as in deed_choose. Outside of any worker it does nothing. */
DEED_API void deed_workers_pass(deed_workers *workers, const char *site);
/* This one cannot go on before another has: it waits for something. With no other left that can, it
 * goes on after all. No preemption is counted. */
DEED_API void deed_workers_wait(deed_workers *workers, const char *site);
/* This one is never resumed. Returns outside of any worker only. */
DEED_API void deed_workers_die(deed_workers *workers);

/* Who runs; 0: nobody. */
DEED_API uint32_t deed_workers_present(const deed_workers *workers);
/* Whether it has neither ended nor died. */
DEED_API bool deed_workers_lives(const deed_workers *workers, uint32_t worker);

/* ---- memory, counts ---------------------------------------------------------------------- */

/* An allocator whose blocks are given back all at once, when the next run begins. It lives as long
 * as `workers`. 0: for what they share. NULL: there is no such worker. */
DEED_API const struct deed_allocator *deed_workers_memory(deed_workers *workers, uint32_t worker);

struct deed_workers_counts {
    size_t size;          /* sizeof(struct deed_workers_counts) */
    uint64_t places;      /* at which another one could have gone on, in this run */
    uint64_t switches;    /* in this run */
    uint64_t preemptions; /* of these, how many stopped one that could go on */
    uint64_t died;        /* in this run */
};
DEED_API void deed_workers_count(
    const deed_workers *workers, struct deed_workers_counts *counts_out);

DEED_END_DECLS
#endif /* DEED_MOCK_WORKERS_H */
