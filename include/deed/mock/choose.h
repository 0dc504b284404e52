/* SPDX-License-Identifier: MIT
 *
 * deed/mock/choose.h - one question under everything that a test leaves to chance.
 *
 * Whatever is not determined (which worker goes on, whether a write survives, whether an answer is
 * lost, how far a clock jumps) asks deed_choose and gets a number from 0 up to a bound. 0 is always
 * the harmless answer: no fault, no switch, no jump. Who answers is another matter: an odometer that
 * tries everything, a seed, a trail that is replayed, the bytes of a fuzzer, or the shrinker, which
 * sets answers to 0 as long as the run still fails.
 *
 * A run is known by what was asked and answered: the trail. The same trail gives the same run. So
 * that this can be seen, whoever takes part notes what happened (deed_choices_note), and two runs of
 * one trail must end with the same hash.
 *
 * One thread; no global state.
 */
#ifndef DEED_MOCK_CHOOSE_H
#define DEED_MOCK_CHOOSE_H

#include <deed/base.h>

DEED_BEGIN_DECLS

/* What a question is about. Each has a stream of chance of its own, so that a new kind of fault does
 * not shift the answers of the others. Append only: trails name them. */
#define DEED_PURPOSE_LIST(PURPOSE)                                                                 \
    PURPOSE(CRASH, "crash")       /* does the process die here, or the power go */                 \
    PURPOSE(DISK, "disk")         /* what survives, which call fails */                            \
    PURPOSE(BOUNDARY, "boundary") /* what the network and the provider do */                       \
    PURPOSE(SCHEDULE, "schedule") /* who goes on */                                                \
    PURPOSE(CLOCK, "clock")       /* what a clock shows */                                         \
    PURPOSE(MEMORY, "memory")     /* which allocation fails */                                     \
    PURPOSE(WORKLOAD, "workload") /* what is asked of the ledger */

typedef enum deed_purpose {
#define DEED_PURPOSE_ENUM(ident, name) DEED_PURPOSE_##ident,
    DEED_PURPOSE_LIST(DEED_PURPOSE_ENUM)
#undef DEED_PURPOSE_ENUM
    DEED_PURPOSE_COUNT
} deed_purpose;

/* "crash"; NULL past the last one. */
DEED_API const char *deed_purpose_name(deed_purpose purpose);

typedef struct deed_choices deed_choices; /* freed by deed_choices_free */

/* ---- who answers ------------------------------------------------------------------------- */

/* Every combination once. The last answer that can still grow grows, what came after it is
 * forgotten, and deed_choices_next says false when nothing can grow any more. */
DEED_API DEED_MUST_CHECK deed_rc deed_choices_exhaustive(
    deed_choices **choices_out, struct deed_error *err);

/* By chance, from a seed (0 is taken as 1): for each run about half of all purposes are switched off
 * (0 always), and each site that is left gets a weight of its own, from rare to often.
 * deed_choices_next draws the seed of the next run from the one before it, and never ends. */
DEED_API DEED_MUST_CHECK deed_rc deed_choices_swarm(
    uint64_t seed, deed_choices **choices_out, struct deed_error *err);

/* The same, but questions of DEED_PURPOSE_SCHEDULE are answered by priorities that change at
 * `depth` - 1 moments of the first `steps`: a fault that needs `depth` switches is met with a
 * probability that can be told (PCT). Priorities belong to workers: ask deed_choose_worker. A
 * question that does not say who is who is answered by the moments alone. `depth` is 1 to 32,
 * `steps` 1 or more; DEED_E_INVALID. */
DEED_API DEED_MUST_CHECK deed_rc deed_choices_pct(uint64_t seed, uint32_t depth, uint32_t steps,
    deed_choices **choices_out, struct deed_error *err);

/* What a trail says, and 0 after its end. DEED_E_INVALID names the line that is wrong. A question
 * with a smaller bound than the trail knows is answered by the bound's last number; one of another
 * purpose or site by 0. Both are counted by deed_choices_strayed: the code has moved on since the
 * trail was written. */
DEED_API DEED_MUST_CHECK deed_rc deed_choices_replay(
    const char *trail, deed_choices **choices_out, struct deed_error *err);

/* Bytes of a fuzzer, each an answer modulo its bound (two for a bound above 256, four above 65536,
 * the lowest first); 0 after the last one. Borrowed. */
DEED_API DEED_MUST_CHECK deed_rc deed_choices_bytes(
    const uint8_t *bytes, size_t bytes_count, deed_choices **choices_out, struct deed_error *err);

DEED_API void deed_choices_free(deed_choices *choices);

/* ---- a run ------------------------------------------------------------------------------- */

/* Asks: a number from 0 to `bound` - 1; a bound of 0 or 1 is no question, and answers 0. `site` says
 * where ("wal.write", "send.effect"), a word without white space that lives as long as `choices`. */
DEED_API uint32_t deed_choose(
    deed_choices *choices, deed_purpose purpose, const char *site, uint32_t bound);

/* Asks who goes on (DEED_PURPOSE_SCHEDULE): an index into `workers`, the numbers of those that can.
 * The first of them is the one that goes on if nobody intervenes. */
DEED_API uint32_t deed_choose_worker(
    deed_choices *choices, const char *site, const uint32_t *workers, uint32_t workers_count);

/* What happened, for the hash of the run. Nothing that differs between two runs of one trail: no
 * address, no real time. */
DEED_API void deed_choices_note(deed_choices *choices, const void *what, size_t what_bytes);

/* Prepares the next run; false: there is none (replay, bytes, an exhausted odometer). */
DEED_API bool deed_choices_next(deed_choices *choices);

/* Of the present run: questions asked, hash of all that was asked, answered and noted, how often an
 * answer that was laid down before (by a trail, by an odometer) did not fit. A question that found
 * no memory is answered 0, and the run has no trail and no next one. */
DEED_API uint64_t deed_choices_asked(const deed_choices *choices);
DEED_API uint64_t deed_choices_hash(const deed_choices *choices);
DEED_API uint64_t deed_choices_strayed(const deed_choices *choices);
/* The seed of the present run; 0: it has none. */
DEED_API uint64_t deed_choices_seed(const deed_choices *choices);

/* The trail of the present run, to be replayed: text, a line for each answer that is not 0
 * ("17 disk wal.write 2/4": the question's number from 1, purpose, site, answer, bound), after lines
 * "#", which are for people. Freed by free(); NULL: no memory. */
DEED_API DEED_MUST_CHECK char *deed_choices_trail(const deed_choices *choices);

/* ---- shrinking --------------------------------------------------------------------------- */

/* Runs with these answers; true: it fails, in the same way as before. */
typedef bool (*deed_choices_fails)(void *context, deed_choices *choices);

/* The shortest trail it finds that still fails, in at most `runs_max` runs: cuts tails, sets answers
 * to 0, lowers them. While it tries, an answer keeps to its purpose, its site and how often that was
 * asked before: what is left out does not move the rest. `trail` must fail: DEED_E_INVALID.
 * Freed by free(). */
DEED_API DEED_MUST_CHECK deed_rc deed_choices_shrink(const char *trail, deed_choices_fails fails,
    void *context, uint32_t runs_max, char **trail_out, struct deed_error *err);

DEED_END_DECLS
#endif /* DEED_MOCK_CHOOSE_H */
