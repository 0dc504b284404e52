/* SPDX-License-Identifier: MIT
 *
 * A run: lives, one after the other, as a supervisor would start them, until the program is done.
 */
#include "simulate/simulate.h"

#include <stdlib.h>
#include <string.h>

#include <deed/ext/error.h>

#include "mix.h"

#define RESTARTS     5
#define AGAIN_MS     DEED_CRASH__VISIBLE_MS
#define LAST_WAIT_MS (INT64_C(30) * 86400 * 1000)
#define JUMPS        4

/* ---- clocks ------------------------------------------------------------------------------ */

/* The machine's wall clock is set forward while nobody is there. Set back across a reboot it is
 * outside of every promise. */
static void jump(struct deed_crash__run *run)
{
    static const int64_t jumps_ms[JUMPS] = {0, 1000, DEED_CRASH__VISIBLE_MS, 86400000};
    if (run->choices == NULL) {
        return;
    }
    uint32_t which = deed_choose(run->choices, DEED_PURPOSE_CLOCK, "clock.jump", JUMPS);
    if (which != 0) {
        deed_sim_clock_jump(run->stage->clock, jumps_ms[which]);
    }
}

/* ---- looking between lives --------------------------------------------------------------- */

/* A restart of the machine by an operator who looks first: with a handle of its own. */
static bool look_between(struct deed_crash__run *run, bool whole)
{
    deed_ledger *ledger = NULL;
    struct deed_error err = {.text = ""};
    if (run->setup->without_ledger) {
        return true;
    }
    deed_disk_enter(run->stage->disk, DEED_CRASH__PROCESS_KIT);
    if (deed_crash__open(run, run->stage->disk, NULL, &ledger, &err) != DEED_OK) {
        return deed_crash__break(run, "IM1: the ledger does not open: %s", err.text);
    }
    bool holds = deed_crash__look(run, ledger, whole, false);
    deed_ledger_close(ledger);
    return holds;
}

/* ---- the goal ---------------------------------------------------------------------------- */

static bool check_goal_key(struct deed_crash__run *run, const char *key, bool claimed)
{
    uint64_t effects = deed_world_effects(run->stage->world, key);
    uint32_t abilities =
        deed_crash__abilities(run->setup, deed_provider_class_name(run->setup->provider));
    bool lies = (abilities & DEED_CRASH__CAN_LIE) != 0;
    if (effects > 1 && !lies) {
        return deed_crash__break(
            run, "IE1: %s took effect %llu times", key, (unsigned long long)effects);
    }
    return !claimed || effects > 0 ||
        deed_crash__break(run, "IB1: the program claims %s, and nothing happened", key);
}

static const char *goal_at(const struct deed_crash__run *run, size_t index)
{
    if (run->setup->goal != NULL) {
        return index < run->setup->goal_count ? run->setup->goal[index] : NULL;
    }
    return run->goal != NULL && index < run->goal->count ? run->goal->items[index].key : NULL;
}

static bool check_goal(struct deed_crash__run *run, bool claimed)
{
    const char *key = NULL;
    struct deed_crash__stage *stage = run->stage;
    deed_rc rc = deed_world_deliver(stage->world, deed_crash__now(stage), NULL, &run->err);
    if (rc != DEED_OK) {
        return deed_crash__fail(run, rc);
    }
    for (size_t i = 0; (key = goal_at(run, i)) != NULL; i++) {
        if (!check_goal_key(run, key, claimed)) {
            return false;
        }
    }
    return true;
}

/* ---- all --------------------------------------------------------------------------------- */

static void tell_life(struct deed_crash__run *run, const char *what)
{
    if (run->timeline != NULL) {
        deed_crash__timeline_tell(run->timeline, deed_crash__now(run->stage),
            DEED_CRASH__COLUMN_ALL, "%s %u", what, (unsigned)run->stage->lives);
    }
}

static const char *end_text(deed_crash_end end)
{
    switch (end) {
    case DEED_CRASH_DONE:
        return "claims it is done: life";
    case DEED_CRASH_UNCERTAIN:
        return "is uncertain: life";
    case DEED_CRASH_AGAIN:
        break;
    }
    return "wants to be started again: life";
}

/* After a life that ended by itself. */
static bool check_life(struct deed_crash__run *run)
{
    tell_life(run, end_text(run->end));
    run->stage->trace = deed__mix(run->stage->trace ^ (uint64_t)run->end);
    return look_between(run, false) && check_goal(run, run->end == DEED_CRASH_DONE);
}

/* After one that did not. */
static bool bury(struct deed_crash__run *run)
{
    return deed_crash__pass_death(run, run->death, NULL, 0) && look_between(run, run->thorough);
}

/* Starts the program until it does not want to be started again, or the run ends with its death. */
static bool live_on(struct deed_crash__run *run)
{
    const uint32_t again = run->setup->restarts != 0 ? run->setup->restarts : RESTARTS;
    uint32_t lives = 0; /* since the last death: who is killed again and again gets nowhere */
    while (lives <= again) {
        jump(run);
        tell_life(run, "begins life");
        if (!deed_crash__live(run)) {
            return false;
        }
        if (run->death != DEED_CRASH__LIVES) {
            lives = 0;
            if (run->deaths == run->stop_at || !bury(run)) {
                return run->deaths == run->stop_at;
            }
            continue;
        }
        if (!check_life(run) || run->end != DEED_CRASH_AGAIN) {
            return run->broken[0] == '\0' && run->failed == DEED_OK;
        }
        lives++;
        deed_sim_clock_advance(run->stage->clock, AGAIN_MS);
    }
    return deed_crash__break(
        run, "IL1: the program is not done after %u lives", (unsigned)again + 1);
}

/* How it ended, for the explorer: what must be the same whenever the same is recovered. */
static bool sum_up(struct deed_crash__run *run)
{
    struct deed_crash__stage *stage = run->stage;
    uint64_t hash = deed__mix((uint64_t)run->end);
    for (size_t i = 0; i < stage->told.count; i++) {
        const struct deed_crash__word *word = &stage->told.items[i];
        hash = deed__hash_text(hash, word->key);
        hash = deed__hash(hash, &word->events, sizeof(word->events));
        hash = deed__mix(hash ^ deed_world_effects(stage->world, word->key));
    }
    run->outcome = deed__mix(hash ^ deed_world_effects(stage->world, NULL));
    stage->trace = deed__mix(stage->trace ^ run->outcome);
    return true;
}

static deed_rc make_provider(struct deed_crash__run *run)
{
    char *options = NULL;
    const char *name = deed_provider_class_name(run->setup->provider);
    deed_rc rc = deed_crash__provider_options(
        run->setup, run->fault, run->setup->provider, name, &options, &run->err);
    if (rc == DEED_OK) {
        rc = deed_mock__provider_read(
            options, (struct deed_mock__road){.world_given = true}, &run->provider, &run->err);
    }
    free(options);
    return rc;
}

static bool play(struct deed_crash__run *run, enum deed_crash__death died)
{
    struct deed_crash__stage *stage = run->stage;
    bool looks = died != DEED_CRASH__LIVES && !run->only_lives;
    if (looks && !look_between(run, run->thorough)) {
        return false;
    }
    if (!live_on(run)) {
        return false;
    }
    if (run->death != DEED_CRASH__LIVES) {
        return true;
    }
    run->lived = deed__mix(deed_crash__stage_hash(stage) ^ deed_crash__clock_hash(stage));
    if (run->only_lives) {
        return true;
    }
    run->marks |= run->end == DEED_CRASH_UNCERTAIN ? DEED_CRASH__BIT(UNCERTAIN) : 0;
    if (!run->setup->without_ledger && !deed_crash__settle(run)) {
        return false;
    }
    deed_sim_clock_advance(stage->clock, LAST_WAIT_MS); /* what is late has landed by now */
    return check_goal(run, false) && sum_up(run);
}

bool deed_crash__play(struct deed_crash__run *run, enum deed_crash__death died)
{
    deed_rc rc = make_provider(run);
    bool held = rc == DEED_OK ? play(run, died) : deed_crash__fail(run, rc);
    deed_mock__provider_finish(&run->provider);
    return held;
}
