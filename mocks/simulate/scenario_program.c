/* SPDX-License-Identifier: MIT
 *
 * The program around a scenario, and its setup.
 */
#include "simulate/scenarios.h"

#include <string.h>

#include "simulate/simulate.h"

/* How much time goes by before each round: what a program waits for that nobody helps. */
static const int64_t passing_ms[] = {0, DEED_CRASH__LEASE_MS + 100, DEED_CRASH__VISIBLE_MS,
    DEED_CRASH__VISIBLE_MS, DEED_CRASH__VISIBLE_MS, 60000};
#define ROUNDS (sizeof(passing_ms) / sizeof(passing_ms[0]))

struct standing {
    size_t applied;
    size_t open;   /* the machine itself will do something */
    size_t person; /* somebody has to decide, or it ended otherwise than asked */
};

static bool look(struct deed_crash__scene *scene, struct standing *standing)
{
    *standing = (struct standing){0, 0, 0};
    for (size_t i = 0; scene->scenario->keys[i] != NULL; i++) {
        struct deed_result result = {.size = sizeof(result)};
        if (deed_get(scene->life->ledger, scene->scenario->keys[i], &result, &scene->err) !=
            DEED_OK) {
            return false;
        }
        bool over = result.outcome == DEED_REJECTED || result.outcome == DEED_RETRACTED;
        if (result.outcome == DEED_APPLIED && !result.disputed && !result.held) {
            standing->applied++;
        } else if (result.needs_person || over) {
            standing->person++;
        } else {
            standing->open++;
        }
    }
    return true;
}

/* Callers that got no answer record again: the same intent, or for the first time. */
static bool record_again(struct deed_crash__scene *scene)
{
    for (size_t i = 0; scene->scenario->keys[i] != NULL; i++) {
        if (!deed_crash__record(scene, scene->scenario->keys[i])) {
            return false;
        }
    }
    return true;
}

static deed_crash_end go_on(struct deed_crash__scene *scene)
{
    struct standing standing = {0, 0, 0};
    if (!record_again(scene)) {
        return DEED_CRASH_AGAIN;
    }
    for (size_t round = 0; round < ROUNDS; round++) {
        if (!deed_crash__wait(scene, passing_ms[round]) || !deed_crash__run_due_ones(scene) ||
            !deed_crash__pass(scene) || !look(scene, &standing)) {
            return DEED_CRASH_AGAIN;
        }
        if (standing.open == 0) {
            return standing.person == 0 ? DEED_CRASH_DONE : DEED_CRASH_UNCERTAIN;
        }
    }
    return DEED_CRASH_AGAIN;
}

static deed_crash_end live(const struct deed_crash_life *life)
{
    struct deed_crash__scene *scene = life->context;
    scene->life = life;
    if (life->start == 1 && !scene->scenario->act(scene)) {
        return DEED_CRASH_AGAIN; /* it is dead, or starts again in a better world */
    }
    return go_on(scene);
}

bool deed_crash__scenario_setup(const struct deed_crash__scenario *scenario,
    deed_provider_class provider_class, struct deed_crash__scene *scene_out,
    struct deed_crash_setup *setup_out)
{
    if ((scenario->classes & (1U << provider_class)) == 0) {
        return false;
    }
    *scene_out = (struct deed_crash__scene){.scenario = scenario, .provider_class = provider_class};
    size_t keys = 0;
    while (scenario->keys[keys] != NULL) {
        keys++;
    }
    *setup_out = (struct deed_crash_setup){.size = sizeof(*setup_out),
        .name = scenario->name,
        .program = live,
        .context = scene_out,
        .provider = provider_class,
        .provider_options = scenario->options,
        .goal = scenario->keys,
        .goal_count = keys,
        .checkpoint_pages = scenario->checkpoint_pages,
        .no_faults = !scenario->faults};
    return true;
}

uint64_t deed_crash__scenario_missing(const struct deed_crash__scenario *scenario,
    const struct deed_crash_setup *setup, const struct deed_crash_counts *counts)
{
    uint64_t wanted =
        DEED_CRASH__BIT(KILLED) | scenario->marks | scenario->marks_by_class[setup->provider];
    if (!setup->kills_only) {
        wanted |= DEED_CRASH__BIT(POWERED) | DEED_CRASH__BIT(UNITS_LOST) |
            DEED_CRASH__BIT(UNITS_KEPT) | DEED_CRASH__BIT(UNITS_TORN);
    }
    if (setup->no_faults && scenario->faults) { /* left out on purpose */
        wanted &= ~scenario->marks | DEED_CRASH__BIT(DIED_UNTOLD);
    }
    wanted |= setup->twice ? DEED_CRASH__BIT(DIED_TWICE) : 0;
    return wanted & ~counts->marks;
}
