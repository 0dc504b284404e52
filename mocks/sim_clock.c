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
    uint64_t readings;
};

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
    clock->true_ms += clock->tick_ms;
    clock->mono_ms += clock->tick_ms;
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
    clock->true_ms = wall_ms;
    clock->boot = 1;
    *clock_out = clock;
    return DEED_OK;
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
    (void)pthread_mutex_unlock(&clock->mutex);
}

void deed_sim_clock_suspend(deed_sim_clock *clock, int64_t passed_ms, bool mono_stops)
{
    if (passed_ms <= 0) {
        return;
    }
    (void)pthread_mutex_lock(&clock->mutex);
    clock->true_ms += passed_ms;
    clock->mono_ms += mono_stops ? 0 : passed_ms;
    (void)pthread_mutex_unlock(&clock->mutex);
}

void deed_sim_clock_reboot(deed_sim_clock *clock, int64_t off_ms)
{
    (void)pthread_mutex_lock(&clock->mutex);
    clock->true_ms += off_ms > 0 ? off_ms : 0;
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
        .broken = of->broken};
    (void)pthread_mutex_unlock(&inside->mutex);
    (void)pthread_mutex_lock(&clock->mutex);
    clock->true_ms = seen.true_ms;
    clock->wall_offset_ms = seen.wall_offset_ms;
    clock->mono_ms = seen.mono_ms;
    clock->boot = seen.boot;
    clock->tick_ms = seen.tick_ms;
    clock->broken = seen.broken;
    (void)pthread_mutex_unlock(&clock->mutex);
}

uint64_t deed_sim_clock_hash(const deed_sim_clock *clock)
{
    struct deed_sim_clock *inside = clock->machine.self;
    (void)pthread_mutex_lock(&inside->mutex);
    const int64_t seen[] = {clock->true_ms, clock->wall_offset_ms, clock->mono_ms,
        (int64_t)clock->boot, clock->tick_ms, clock->broken ? 1 : 0};
    (void)pthread_mutex_unlock(&inside->mutex);
    return deed__hash(0, seen, sizeof(seen));
}
