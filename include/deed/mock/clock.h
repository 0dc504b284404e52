/* SPDX-License-Identifier: MIT
 *
 * deed/mock/clock.h - time, chance and memory in the hands of a test.
 *
 * Each may be used by any thread, and must outlive what it was given to.
 */
#ifndef DEED_MOCK_CLOCK_H
#define DEED_MOCK_CLOCK_H

#include <deed/base.h>
#include <deed/mock/choose.h>

DEED_BEGIN_DECLS

/* ---- time -------------------------------------------------------------------------------- */

/* Two clocks over one time: that of the machine under test, which can jump, be suspended and boot
 * anew, and the true one, by which the rest of the world lives and which only goes forward. */
typedef struct deed_sim_clock deed_sim_clock; /* freed by deed_sim_clock_free */

/* Starts at `wall_ms` on both, in a first boot whose clock reads zero. */
DEED_API DEED_MUST_CHECK deed_rc deed_sim_clock_new(
    int64_t wall_ms, deed_sim_clock **clock_out, struct deed_error *err);
DEED_API void deed_sim_clock_free(deed_sim_clock *clock);
/* As it was when it was made. */
DEED_API void deed_sim_clock_reset(deed_sim_clock *clock, int64_t wall_ms);

/* For the ledger: what the machine reads. */
DEED_API const struct deed_clock *deed_sim_clock_machine(const deed_sim_clock *clock);
/* For providers: true time. Its boot never changes. */
DEED_API const struct deed_clock *deed_sim_clock_true(const deed_sim_clock *clock);

/* Time passes, for all. Never backwards: a negative number does nothing. */
DEED_API void deed_sim_clock_advance(deed_sim_clock *clock, int64_t passed_ms);
/* The machine's wall clock is set: forward or, with a negative number, back. No time passes. */
DEED_API void deed_sim_clock_jump(deed_sim_clock *clock, int64_t jump_ms);
/* Time passes while the machine is suspended. `mono_stops` true: its second clock does not count
 * that, as deed/base.h says it should. */
DEED_API void deed_sim_clock_suspend(deed_sim_clock *clock, int64_t passed_ms, bool mono_stops);
/* The machine is off for `off_ms`, then boots: a new boot whose clock starts at zero. */
DEED_API void deed_sim_clock_reboot(deed_sim_clock *clock, int64_t off_ms);
/* From now on each reading of the machine's clock lets so much time pass first; 0: none. */
DEED_API void deed_sim_clock_tick(deed_sim_clock *clock, int64_t tick_ms);
/* Whether the machine's clock can be read. */
DEED_API void deed_sim_clock_break(deed_sim_clock *clock, bool broken);
/* Whether the machine's wall clock stands still while time passes; its second clock goes on. */
DEED_API void deed_sim_clock_stand(deed_sim_clock *clock, bool stands);

/* What may happen to a clock between two steps of a program. Append only. */
#define DEED_SIM_MOVE_LIST(MOVE)                                                                   \
    MOVE(NOTHING, "nothing")                                                                       \
    MOVE(SECOND, "second")   /* a second passes */                                                 \
    MOVE(LEASE, "lease")     /* as much as a lease, and a little more */                           \
    MOVE(HORIZON, "horizon") /* as much as until nothing can land or hide any more */              \
    MOVE(WINDOW, "window")   /* as long as a key is kept */                                        \
    MOVE(SECOND_FORWARD, "second_forward") /* the wall clock is set, and no time passes */         \
    MOVE(SECOND_BACK, "second_back")                                                               \
    MOVE(LEASE_FORWARD, "lease_forward")                                                           \
    MOVE(LEASE_BACK, "lease_back")                                                                 \
    MOVE(HORIZON_FORWARD, "horizon_forward")                                                       \
    MOVE(HORIZON_BACK, "horizon_back")                                                             \
    MOVE(WINDOW_FORWARD, "window_forward")                                                         \
    MOVE(WINDOW_BACK, "window_back")                                                               \
    MOVE(YEAR_FORWARD, "year_forward")                                                             \
    MOVE(YEAR_BACK, "year_back")                                                                   \
    MOVE(STAND, "stand")     /* the wall clock stands still from now on, or goes on again */       \
    MOVE(SUSPEND, "suspend") /* a lease passes, and the second clock does not count it */          \
    MOVE(REBOOT,                                                                                   \
        "reboot") /* a new boot after a second. Between two boots there is nothing but the  \
                                wall clock to measure by: a clock that was set back does not boot, \
                                and one that has booted is not set back, nor does it stand */

typedef enum deed_sim_move {
#define DEED_SIM_MOVE_ENUM(ident, name) DEED_SIM_MOVE_##ident,
    DEED_SIM_MOVE_LIST(DEED_SIM_MOVE_ENUM)
#undef DEED_SIM_MOVE_ENUM
    DEED_SIM_MOVE_COUNT
} deed_sim_move;

/* "lease"; NULL past the last one. */
DEED_API const char *deed_sim_move_name(deed_sim_move move);

struct deed_sim_moves {
    size_t size; /* sizeof(struct deed_sim_moves) */
    int64_t lease_ms;
    int64_t horizon_ms;
    int64_t window_ms;
    uint32_t moves; /* bits 1 << deed_sim_move that are possible; 0: all of them */
    uint32_t most;  /* so many at most; 0: no limit */
    uint32_t done;  /* counted; set to 0 for a new run */
    uint64_t met[DEED_SIM_MOVE_COUNT]; /* counted: how often each was made */
};

/* Asks what happens now (DEED_PURPOSE_CLOCK), makes it happen and says what it was. */
DEED_API deed_sim_move deed_sim_clock_move(
    deed_sim_clock *clock, deed_choices *choices, struct deed_sim_moves *moves);

/* Makes `clock` show, from now on, what `of` shows: all that was done to it included. */
DEED_API void deed_sim_clock_become(deed_sim_clock *clock, const deed_sim_clock *of);
/* Of all that it would show and do. Two clocks with the same hash cannot be told apart. */
DEED_API uint64_t deed_sim_clock_hash(const deed_sim_clock *clock);
/* How often the machine's clock was read. */
DEED_API uint64_t deed_sim_clock_readings(const deed_sim_clock *clock);

/* ---- chance ------------------------------------------------------------------------------ */

/* Bytes that look random and repeat with their seed. */
typedef struct deed_sim_random deed_sim_random; /* freed by deed_sim_random_free */

DEED_API DEED_MUST_CHECK deed_rc deed_sim_random_new(
    uint64_t seed, deed_sim_random **random_out, struct deed_error *err);
DEED_API void deed_sim_random_free(deed_sim_random *random);
DEED_API const struct deed_random *deed_sim_random_source(const deed_sim_random *random);
/* Whether it fails from now on. */
DEED_API void deed_sim_random_break(deed_sim_random *random, bool broken);
/* The next number below `bound` (1 or more), for tests that choose. */
DEED_API uint64_t deed_sim_random_below(deed_sim_random *random, uint64_t bound);

/* ---- memory ------------------------------------------------------------------------------ */

/* An allocator that counts, fails when told to, and notices what is freed wrongly. */
typedef struct deed_fault_alloc deed_fault_alloc; /* freed by deed_fault_alloc_free */

DEED_API DEED_MUST_CHECK deed_rc deed_fault_alloc_new(
    deed_fault_alloc **alloc_out, struct deed_error *err);
DEED_API void deed_fault_alloc_free(deed_fault_alloc *alloc);
DEED_API const struct deed_allocator *deed_fault_alloc_source(const deed_fault_alloc *alloc);

/* The `nth` request for memory from now on fails (1: the next), and with `sticky` all after it; 0:
 * none does. Making a block smaller is a request too; freeing it is none. */
DEED_API void deed_fault_alloc_fail(deed_fault_alloc *alloc, uint64_t nth, bool sticky);

struct deed_fault_alloc_counts {
    size_t size;       /* sizeof(struct deed_fault_alloc_counts) */
    uint64_t requests; /* since it was made */
    uint64_t failed;   /* of these, on purpose */
    uint64_t live;     /* blocks that were not freed */
    uint64_t live_bytes;
    uint64_t misused; /* calls whose old_bytes was not the block's size */
};
DEED_API void deed_fault_alloc_count(
    const deed_fault_alloc *alloc, struct deed_fault_alloc_counts *counts_out);

DEED_END_DECLS
#endif /* DEED_MOCK_CLOCK_H */
