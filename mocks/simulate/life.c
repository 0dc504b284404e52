/* SPDX-License-Identifier: MIT
 *
 * A life of the program, and what goes by after its death.
 */
#include "simulate/simulate.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <deed/ext/error.h>
#include <deed/ext/store.h>
#include <deed/sqlite.h>

#include "mix.h"

#define AFTER_KILL_MS  INT64_C(100)
#define AFTER_POWER_MS INT64_C(5000)

bool deed_crash__break(struct deed_crash__run *run, const char *format, ...)
{
    if (run->broken[0] != '\0' || run->failed != DEED_OK) {
        return false;
    }
    va_list arguments;
    va_start(arguments, format);
    /* NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): va_start is not seen */
    (void)vsnprintf(run->broken, sizeof(run->broken), format, arguments);
    va_end(arguments);
    if (run->timeline != NULL) {
        deed_crash__timeline_tell(run->timeline, deed_crash__now(run->stage),
            DEED_CRASH__COLUMN_ALL, "broken: %s", run->broken);
    }
    return false;
}

bool deed_crash__fail(struct deed_crash__run *run, deed_rc rc)
{
    if (run->failed == DEED_OK) {
        run->failed = rc;
    }
    return false;
}

/* ---- the handle -------------------------------------------------------------------------- */

static void tell_trace(void *self, const char *what, const char *key, const char *text)
{
    struct deed_crash__run *run = self;
    if (run->timeline != NULL && run->death == DEED_CRASH__LIVES) {
        deed_crash__timeline_tell(run->timeline, deed_crash__now(run->stage),
            DEED_CRASH__COLUMN_LEDGER, "%s: %s %s", key == NULL ? "" : key, what, text);
    }
}

static deed_rc open_ledger(struct deed_crash__run *run, const struct deed_trace *trace,
    const struct deed_random *random, struct deed_error *err)
{
    struct deed_sqlite_options with = {.size = sizeof(with),
        .busy_ms = 1,
        .vfs = deed_disk_vfs(run->stage->disk),
        .random = random,
        .checkpoint_pages = run->setup->checkpoint_pages};
    struct deed_options options = {.size = sizeof(options),
        .clock = deed_sim_clock_machine(run->stage->clock),
        .random = random,
        .trace = trace,
        .actor = "program"};
    struct deed_store *store = NULL;
    deed_rc rc = deed_sqlite_open(DEED_CRASH__LEDGER, &with, &store, err);
    rc = rc == DEED_OK ? deed_ledger_open(store, &options, &run->life.ledger, err) : rc;
    return rc == DEED_OK ? deed_crash__register(run, run->life.ledger, err) : rc;
}

static bool live_with_ledger(struct deed_crash__run *run)
{
    struct deed_trace trace = {.size = sizeof(trace), .self = run, .event = tell_trace};
    struct deed_error err = {.text = ""};
    deed_sim_random *random = NULL;
    deed_rc rc = deed_sim_random_new(deed__mix(run->stage->lives), &random, &run->err);
    if (rc != DEED_OK) {
        return deed_crash__fail(run, rc);
    }
    rc = open_ledger(run, &trace, deed_sim_random_source(random), &err);
    if (rc == DEED_OK) {
        run->end = run->setup->program(&run->life);
    } else if (run->death == DEED_CRASH__LIVES && rc == DEED_E_INVALID) {
        run->err = err; /* the setup's own options */
        (void)deed_crash__fail(run, rc);
    } else if (run->death == DEED_CRASH__LIVES) {
        (void)deed_crash__break(run, "IM1: the ledger does not open: %s", err.text);
    }
    deed_ledger_close(run->life.ledger); /* may checkpoint */
    run->life.ledger = NULL;
    deed_sim_random_free(random);
    return run->broken[0] == '\0' && run->failed == DEED_OK;
}

/* ---- a life ------------------------------------------------------------------------------ */

/* What the ghost has seen and done never happened. */
static void lay_ghost(struct deed_crash__run *run)
{
    struct deed_crash__stage *stage = run->stage;
    deed_world *world = stage->world;
    stage->world = stage->frozen_world;
    stage->frozen_world = world;
    deed_sim_clock_become(stage->clock, stage->frozen_clock);
}

/* A run that does not watch knows from one that did what was told before the death. */
static void remember_told(struct deed_crash__run *run)
{
    const struct deed_crash__words *words = NULL;
    for (size_t i = 0; run->known != NULL && i < run->known->count; i++) {
        if (run->known->items[i].question < run->died_question) {
            words = &run->known->items[i].words;
        }
    }
    if (words != NULL && !deed_crash__words_copy(&run->stage->told, words)) {
        (void)deed_crash__fail(run, DEED_E_NOMEM);
    }
}

bool deed_crash__live(struct deed_crash__run *run)
{
    struct deed_crash__stage *stage = run->stage;
    run->death = DEED_CRASH__LIVES;
    run->end = DEED_CRASH_AGAIN;
    run->process = ++stage->lives;
    run->lives++;
    run->sends_seen = deed_world_sends(stage->world, NULL);
    deed_crash__life_calls(run);
    deed_disk_seed(stage->disk, stage->lives); /* the log of SQLite begins with chance */
    deed_disk_enter(stage->disk, run->process);
    deed_crash__hook(run);
    if (run->setup->without_ledger) {
        run->end = run->setup->program(&run->life);
    } else {
        (void)live_with_ledger(run);
    }
    deed_crash__unhook(run);
    if (run->death != DEED_CRASH__LIVES) {
        lay_ghost(run);
        remember_told(run);
    }
    deed_crash__life_calls(run); /* for clients that the kit makes */
    return run->broken[0] == '\0' && run->failed == DEED_OK;
}

/* ---- after a death ----------------------------------------------------------------------- */

static void mark_fates(struct deed_crash__run *run, const uint8_t *fates, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        run->marks |= fates[i] == DEED_DISK_LOST ? DEED_CRASH__BIT(UNITS_LOST) : 0;
        run->marks |= fates[i] == DEED_DISK_KEPT ? DEED_CRASH__BIT(UNITS_KEPT) : 0;
        run->marks |= fates[i] >= DEED_DISK_TORN ? DEED_CRASH__BIT(UNITS_TORN) : 0;
    }
}

/* The fate of each unit is a question. */
static uint8_t *ask_fates(struct deed_crash__run *run, uint32_t count)
{
    uint8_t *fates = calloc(count + 1, 1);
    for (uint32_t i = 0; fates != NULL && i < count; i++) {
        fates[i] = run->choices == NULL
            ? DEED_DISK_LOST
            : (uint8_t)deed_choose(run->choices, DEED_PURPOSE_DISK, "unit", DEED_CRASH__FATES);
    }
    return fates;
}

void deed_crash__pass_power(deed_sim_clock *clock)
{
    deed_sim_clock_reboot(clock, AFTER_POWER_MS);
}

bool deed_crash__pass_death(
    struct deed_crash__run *run, enum deed_crash__death died, const uint8_t *fates, uint32_t count)
{
    struct deed_crash__stage *stage = run->stage;
    if (died == DEED_CRASH__KILLED) {
        deed_sim_clock_advance(stage->clock, AFTER_KILL_MS);
        return true;
    }
    uint8_t *asked = NULL;
    if (fates == NULL) {
        count = deed_disk_pending(stage->disk);
        asked = ask_fates(run, count);
        if (asked == NULL) {
            return deed_crash__fail(run, DEED_E_NOMEM);
        }
        fates = asked;
    }
    mark_fates(run, fates, count);
    if (run->timeline != NULL) {
        uint32_t kept = 0;
        for (uint32_t i = 0; i < count; i++) {
            kept += fates[i] == DEED_DISK_KEPT ? 1 : 0;
        }
        deed_crash__timeline_tell(run->timeline, deed_crash__now(stage), DEED_CRASH__COLUMN_DISK,
            "of %u unflushed units %u survive", (unsigned)count, (unsigned)kept);
    }
    deed_disk_restart(stage->disk, fates, count);
    deed_crash__pass_power(stage->clock);
    free(asked);
    return true;
}
