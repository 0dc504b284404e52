/* SPDX-License-Identifier: MIT
 *
 * Time in the hands of a test. True time is one number that only grows; what the machine reads is
 * that number plus what was done to the machine.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include <deed/ext/error.h>
#include <deed/mock/clock.h>

#include "mix.h"

struct deed_sim_clock {
    pthread_mutex_t mutex;
    struct deed_clock machine;
    struct deed_clock truth;
    int64_t true_ms;
    int64_t wall_offset_ms; /* the machine's wall clock minus true time */
    int64_t mono_ms;
    uint64_t boot;
    int64_t tick_ms;
    bool broken;
    bool stands;       /* the wall clock */
    bool was_set_back; /* at some time */
    uint64_t readings;
};

/* Time passes. Under the lock. */
static void pass(struct deed_sim_clock *clock, int64_t passed_ms, bool mono_stops)
{
    clock->true_ms += passed_ms;
    clock->mono_ms += mono_stops ? 0 : passed_ms;
    clock->wall_offset_ms -= clock->stands ? passed_ms : 0;
    clock->was_set_back = clock->was_set_back || (clock->stands && passed_ms > 0);
}

static void boot_text(uint64_t boot, char text_out[DEED_BOOT_BYTES])
{
    (void)snprintf(
        text_out, DEED_BOOT_BYTES, "00000000-0000-4000-8000-%012llx", (unsigned long long)boot);
}

static bool machine_now(void *self, struct deed_instant *now_out)
{
    struct deed_sim_clock *clock = self;
    (void)pthread_mutex_lock(&clock->mutex);
    clock->readings++;
    pass(clock, clock->tick_ms, false);
    bool readable = !clock->broken;
    if (readable) {
        now_out->wall_ms = clock->true_ms + clock->wall_offset_ms;
        now_out->mono_ms = clock->mono_ms;
        boot_text(clock->boot, now_out->boot);
    }
    (void)pthread_mutex_unlock(&clock->mutex);
    return readable;
}

static bool true_now(void *self, struct deed_instant *now_out)
{
    struct deed_sim_clock *clock = self;
    (void)pthread_mutex_lock(&clock->mutex);
    now_out->wall_ms = clock->true_ms;
    now_out->mono_ms = clock->true_ms;
    boot_text(0, now_out->boot);
    (void)pthread_mutex_unlock(&clock->mutex);
    return true;
}

deed_rc deed_sim_clock_new(int64_t wall_ms, deed_sim_clock **clock_out, struct deed_error *err)
{
    struct deed_sim_clock *clock = calloc(1, sizeof(*clock));
    if (clock == NULL) {
        return deed_error_set(err, DEED_E_NOMEM, "mock.clock", "no memory for a clock");
    }
    (void)pthread_mutex_init(&clock->mutex, NULL);
    clock->machine = (struct deed_clock){sizeof(struct deed_clock), clock, machine_now};
    clock->truth = (struct deed_clock){sizeof(struct deed_clock), clock, true_now};
    deed_sim_clock_reset(clock, wall_ms);
    *clock_out = clock;
    return DEED_OK;
}

void deed_sim_clock_reset(deed_sim_clock *clock, int64_t wall_ms)
{
    (void)pthread_mutex_lock(&clock->mutex);
    clock->true_ms = wall_ms;
    clock->wall_offset_ms = 0;
    clock->mono_ms = 0;
    clock->boot = 1;
    clock->tick_ms = 0;
    clock->broken = false;
    clock->stands = false;
    clock->was_set_back = false;
    clock->readings = 0;
    (void)pthread_mutex_unlock(&clock->mutex);
}

void deed_sim_clock_free(deed_sim_clock *clock)
{
    if (clock != NULL) {
        (void)pthread_mutex_destroy(&clock->mutex);
        free(clock);
    }
}

const struct deed_clock *deed_sim_clock_machine(const deed_sim_clock *clock)
{
    return &clock->machine;
}

const struct deed_clock *deed_sim_clock_true(const deed_sim_clock *clock)
{
    return &clock->truth;
}

void deed_sim_clock_advance(deed_sim_clock *clock, int64_t passed_ms)
{
    deed_sim_clock_suspend(clock, passed_ms, false); /* a suspend that stops nothing */
}

void deed_sim_clock_jump(deed_sim_clock *clock, int64_t jump_ms)
{
    (void)pthread_mutex_lock(&clock->mutex);
    clock->wall_offset_ms += jump_ms;
    clock->was_set_back = clock->was_set_back || jump_ms < 0;
    (void)pthread_mutex_unlock(&clock->mutex);
}

void deed_sim_clock_suspend(deed_sim_clock *clock, int64_t passed_ms, bool mono_stops)
{
    if (passed_ms <= 0) {
        return;
    }
    (void)pthread_mutex_lock(&clock->mutex);
    pass(clock, passed_ms, mono_stops);
    (void)pthread_mutex_unlock(&clock->mutex);
}

void deed_sim_clock_reboot(deed_sim_clock *clock, int64_t off_ms)
{
    (void)pthread_mutex_lock(&clock->mutex);
    pass(clock, off_ms > 0 ? off_ms : 0, true);
    clock->mono_ms = 0;
    clock->boot++;
    (void)pthread_mutex_unlock(&clock->mutex);
}

void deed_sim_clock_tick(deed_sim_clock *clock, int64_t tick_ms)
{
    (void)pthread_mutex_lock(&clock->mutex);
    clock->tick_ms = tick_ms > 0 ? tick_ms : 0;
    (void)pthread_mutex_unlock(&clock->mutex);
}

void deed_sim_clock_break(deed_sim_clock *clock, bool broken)
{
    (void)pthread_mutex_lock(&clock->mutex);
    clock->broken = broken;
    (void)pthread_mutex_unlock(&clock->mutex);
}

void deed_sim_clock_stand(deed_sim_clock *clock, bool stands)
{
    (void)pthread_mutex_lock(&clock->mutex);
    clock->stands = stands;
    clock->was_set_back = clock->was_set_back || stands; /* as soon as time passes */
    (void)pthread_mutex_unlock(&clock->mutex);
}

/* ---- moves that are chosen --------------------------------------------------------------- */

#define SECOND_MS 1000
#define YEAR_MS   (INT64_C(365) * 24 * 3600 * 1000)

const char *deed_sim_move_name(deed_sim_move move)
{
    static const char *const names[] = {
#define MOVE_NAME(ident, name) name,
        DEED_SIM_MOVE_LIST(MOVE_NAME)
#undef MOVE_NAME
    };
    return (unsigned)move < (unsigned)DEED_SIM_MOVE_COUNT ? names[move] : NULL;
}

enum span {
    SPAN_SECOND,
    SPAN_LEASE,
    SPAN_HORIZON,
    SPAN_WINDOW,
    SPAN_YEAR
};

/* How long time passes, or how far the wall clock is set; both in spans. */
static const struct {
    int passes;
    int jumps;
    enum span span;
} turns[DEED_SIM_MOVE_COUNT] = {
    [DEED_SIM_MOVE_SECOND] = {1, 0, SPAN_SECOND},
    [DEED_SIM_MOVE_LEASE] = {1, 0, SPAN_LEASE},
    [DEED_SIM_MOVE_HORIZON] = {1, 0, SPAN_HORIZON},
    [DEED_SIM_MOVE_WINDOW] = {1, 0, SPAN_WINDOW},
    [DEED_SIM_MOVE_SECOND_FORWARD] = {0, 1, SPAN_SECOND},
    [DEED_SIM_MOVE_SECOND_BACK] = {0, -1, SPAN_SECOND},
    [DEED_SIM_MOVE_LEASE_FORWARD] = {0, 1, SPAN_LEASE},
    [DEED_SIM_MOVE_LEASE_BACK] = {0, -1, SPAN_LEASE},
    [DEED_SIM_MOVE_HORIZON_FORWARD] = {0, 1, SPAN_HORIZON},
    [DEED_SIM_MOVE_HORIZON_BACK] = {0, -1, SPAN_HORIZON},
    [DEED_SIM_MOVE_WINDOW_FORWARD] = {0, 1, SPAN_WINDOW},
    [DEED_SIM_MOVE_WINDOW_BACK] = {0, -1, SPAN_WINDOW},
    [DEED_SIM_MOVE_YEAR_FORWARD] = {0, 1, SPAN_YEAR},
    [DEED_SIM_MOVE_YEAR_BACK] = {0, -1, SPAN_YEAR},
    [DEED_SIM_MOVE_SUSPEND] = {1, 0, SPAN_LEASE},
    [DEED_SIM_MOVE_REBOOT] = {1, 0, SPAN_SECOND},
};

static void make(deed_sim_clock *clock, deed_sim_move move, const struct deed_sim_moves *moves)
{
    const int64_t spans[] = {
        SECOND_MS, moves->lease_ms + 1, moves->horizon_ms + 1, moves->window_ms + 1, YEAR_MS};
    int64_t span_ms = spans[turns[move].span];
    if (move == DEED_SIM_MOVE_STAND) {
        deed_sim_clock_stand(clock, !clock->stands);
    } else if (move == DEED_SIM_MOVE_REBOOT) {
        deed_sim_clock_reboot(clock, span_ms);
    } else if (turns[move].passes != 0) {
        deed_sim_clock_suspend(clock, span_ms, move == DEED_SIM_MOVE_SUSPEND);
    } else {
        deed_sim_clock_jump(clock, turns[move].jumps * span_ms);
    }
}

deed_sim_move deed_sim_clock_move(
    deed_sim_clock *clock, deed_choices *choices, struct deed_sim_moves *moves)
{
    deed_sim_move possible[DEED_SIM_MOVE_COUNT] = {DEED_SIM_MOVE_NOTHING};
    uint32_t count = 1;
    if (choices == NULL || (moves->most != 0 && moves->done >= moves->most)) {
        return DEED_SIM_MOVE_NOTHING;
    }
    for (unsigned i = DEED_SIM_MOVE_NOTHING + 1; i < DEED_SIM_MOVE_COUNT; i++) {
        bool can_be_set_back = i == DEED_SIM_MOVE_STAND || turns[i].jumps < 0;
        bool is_measurable =
            i == DEED_SIM_MOVE_REBOOT ? !clock->was_set_back : clock->boot == 1 || !can_be_set_back;
        if ((moves->moves == 0 || (moves->moves & (1U << i)) != 0) && is_measurable) {
            possible[count++] = (deed_sim_move)i;
        }
    }
    deed_sim_move move = possible[deed_choose(choices, DEED_PURPOSE_CLOCK, "clock.move", count)];
    if (move != DEED_SIM_MOVE_NOTHING) {
        moves->done++;
        moves->met[move]++;
        make(clock, move, moves);
    }
    return move;
}

uint64_t deed_sim_clock_readings(const deed_sim_clock *clock)
{
    struct deed_sim_clock *inside = clock->machine.self; /* the same clock, to be locked */
    (void)pthread_mutex_lock(&inside->mutex);
    uint64_t readings = inside->readings;
    (void)pthread_mutex_unlock(&inside->mutex);
    return readings;
}

void deed_sim_clock_become(deed_sim_clock *clock, const deed_sim_clock *of)
{
    struct deed_sim_clock *inside = of->machine.self; /* the same clock, to be locked */
    (void)pthread_mutex_lock(&inside->mutex);
    const struct deed_sim_clock seen = {.true_ms = of->true_ms,
        .wall_offset_ms = of->wall_offset_ms,
        .mono_ms = of->mono_ms,
        .boot = of->boot,
        .tick_ms = of->tick_ms,
        .broken = of->broken,
        .stands = of->stands,
        .was_set_back = of->was_set_back};
    (void)pthread_mutex_unlock(&inside->mutex);
    (void)pthread_mutex_lock(&clock->mutex);
    clock->true_ms = seen.true_ms;
    clock->wall_offset_ms = seen.wall_offset_ms;
    clock->mono_ms = seen.mono_ms;
    clock->boot = seen.boot;
    clock->tick_ms = seen.tick_ms;
    clock->broken = seen.broken;
    clock->stands = seen.stands;
    clock->was_set_back = seen.was_set_back;
    (void)pthread_mutex_unlock(&clock->mutex);
}

uint64_t deed_sim_clock_hash(const deed_sim_clock *clock)
{
    struct deed_sim_clock *inside = clock->machine.self;
    (void)pthread_mutex_lock(&inside->mutex);
    const int64_t seen[] = {clock->true_ms, clock->wall_offset_ms, clock->mono_ms,
        (int64_t)clock->boot, clock->tick_ms, clock->broken ? 1 : 0, clock->stands ? 1 : 0,
        clock->was_set_back ? 1 : 0};
    (void)pthread_mutex_unlock(&inside->mutex);
    return deed__hash(0, seen, sizeof(seen));
}
