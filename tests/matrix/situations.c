/* SPDX-License-Identifier: MIT
 *
 * What happens, drawn from a seed: which calls are made, and what becomes of each.
 */
#include "matrix.h"

#include <string.h>

const char *situation_text(enum situation situation)
{
    static const char *const texts[] = {
#define SITUATION_TEXT(ident, text) text,
        SITUATION_LIST(SITUATION_TEXT)
#undef SITUATION_TEXT
    };
    return texts[situation];
}

static uint64_t below(deed_sim_random *random, uint64_t bound)
{
    return deed_sim_random_below(random, bound);
}

/* ---- misfortunes ------------------------------------------------------------------------- */

/* A process that died is back, a caller that waited in vain comes again, after 5 to 20 s: the window
 * of a key, a minute, is open then. */
static struct call call_drawn(deed_sim_random *random)
{
    return (struct call){.point = (uint32_t)below(random, 1 << 20),
        .pause_ms = MATRIX_ANSWER_MS + (int64_t)below(random, 15000)};
}

/* A quarter of what is late never arrives. */
static enum road late_road(deed_sim_random *random)
{
    return below(random, 4) == 0 ? ROAD_NEVER : (enum road)(ROAD_LATE + below(random, 10));
}

static struct call misfortune(enum situation situation, deed_sim_random *random)
{
    struct call call = call_drawn(random);
    switch ((int)situation) {
    case SITUATION_CRASH_AFTER:
        call.death = DEATH_AFTER_EFFECT;
        break;
    case SITUATION_POWER_LOSS:
        call.death = DEATH_OF_POWER;
        break;
    case SITUATION_LOST_REPLY:
        call.road = ROAD_LOST;
        break;
    case SITUATION_CRASH_BEFORE:
        call.death = DEATH_BEFORE_SEND;
        break;
    case SITUATION_LATE:
        call.road = late_road(random);
        break;
    case SITUATION_OUTAGE:
        call.death = DEATH_AFTER_EFFECT;
        call.pause_ms = 2 * MATRIX_WINDOW_MS + (int64_t)below(random, 8 * MATRIX_WINDOW_MS);
        break;
    default: /* DOUBLED */
        call.road = ROAD_DOUBLED;
        break;
    }
    return call;
}

/* It strikes, and one time in four it strikes the next call too. */
static void strike(enum situation situation, deed_sim_random *random, struct plan *plan)
{
    bool again = below(random, 4) == 0 && situation != SITUATION_OUTAGE;
    plan->count = again && situation != SITUATION_DOUBLED ? 2 : 1;
    for (unsigned i = 0; i < plan->count; i++) {
        plan->calls[i] = misfortune(situation, random);
        plan->calls[i].draft = plan->anew ? i : 0;
    }
}

/* ---- agents ------------------------------------------------------------------------------ */

/* tests/field-reports.md has the reports. Each call comes as if it were the first, but in FR-83. */
static const struct agent {
    unsigned calls;
    bool remembers;
    enum road first_road;
    enum death death;    /* of all calls but the last */
    unsigned last_draft; /* of the last call */
    unsigned last_intention;
} agents[] = {
    /* FR-82: step 1 acts, step 2 throws, three times */
    {.calls = 4, .death = DEATH_AT_THE_END},
    /* FR-83: the answer is lost, and the model calls again; then a second refund is meant */
    {.calls = 3, .remembers = true, .first_road = ROAD_LOST, .last_intention = 1},
    /* FR-85: the tool takes 8 s, the caller waits for 5 */
    {.calls = 3, .first_road = (enum road)(ROAD_LATE + 7), .last_draft = 1},
    /* FR-86: three resumes, then a fork with another text */
    {.calls = 5, .last_draft = 1},
};

static void call_of_agents(enum situation situation, deed_sim_random *random, struct plan *plan)
{
    const struct agent *agent = &agents[situation - SITUATION_AGENTS];
    plan->count = agent->calls;
    plan->intentions = 1 + agent->last_intention;
    for (unsigned i = 0; i < agent->calls; i++) {
        const bool last = i + 1 == agent->calls;
        plan->calls[i] = (struct call){.intention = last ? agent->last_intention : 0,
            .draft = last ? agent->last_draft : 0,
            .road = i == 0 ? agent->first_road : ROAD_GOOD,
            .death = last ? DEATH_NONE : agent->death,
            .forgets = !agent->remembers,
            .pause_ms = MATRIX_ANSWER_MS + (i == 0 ? 0 : (int64_t)below(random, 5000))};
    }
}

bool situation_draw(enum situation situation, bool anew, uint64_t seed, struct plan *plan_out)
{
    deed_sim_random *random = NULL;
    if (deed_sim_random_new(seed * SITUATION_COUNT + situation + 1, &random, NULL) != DEED_OK) {
        return false;
    }
    memset(plan_out, 0, sizeof(*plan_out));
    plan_out->intentions = 1;
    plan_out->anew = anew;
    if (situation >= SITUATION_AGENTS && situation < SITUATION_DOUBLED) {
        call_of_agents(situation, random, plan_out);
    } else {
        strike(situation, random, plan_out);
    }
    deed_sim_random_free(random);
    return true;
}
