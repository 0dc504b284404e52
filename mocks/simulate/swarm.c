/* SPDX-License-Identifier: MIT
 *
 * By chance: whole runs, in which several deaths, a fault and jumps of the clock come together.
 */
#include "simulate/explore.h"

#include <stdlib.h>
#include <string.h>

#include <deed/ext/error.h>

#include "mix.h"

#define REPLAYED_EVERY 100

struct swarm {
    struct deed_crash__explorer *explorer;
    deed_choices *choices;
    struct deed_crash_report *report;
    bool stopped;
};

/* The same again must be the same again. */
static deed_rc repeat(struct swarm *swarm, const struct deed_crash__result *first,
    const char *trail, struct deed_error *err)
{
    const struct deed_crash__want want = {.watches = true};
    struct deed_crash__result second;
    deed_choices *choices = NULL;
    deed_rc rc = deed_choices_replay(trail, &choices, err);
    if (rc == DEED_OK) {
        rc = deed_crash__whole(swarm->explorer, choices, &want, &second, err);
    }
    deed_choices_free(choices);
    if (rc != DEED_OK) {
        return rc;
    }
    swarm->explorer->counts.replays++;
    if (second.trace_hash != first->trace_hash || second.image_hash != first->image_hash) {
        return deed_error_set(err, DEED_E_CHECK, DEED_CRASH__ORIGIN,
            "the program is not the same twice: something in it depends on real time, chance or an "
            "address");
    }
    return DEED_OK;
}

static void count(struct deed_crash_counts *counts, const struct deed_crash__result *result)
{
    counts->trials++;
    counts->died += result->deaths > 0 ? 1 : 0;
    counts->faults += result->faulty ? 1 : 0;
    counts->uncertain += result->uncertain ? 1 : 0;
    counts->persons += result->persons > 0 ? 1 : 0;
    counts->marks |= result->marks;
}

static deed_rc run_one(struct swarm *swarm, bool *broke_out, struct deed_error *err)
{
    const struct deed_crash__want want = {.watches = true};
    struct deed_crash__explorer *explorer = swarm->explorer;
    struct deed_crash__result result;
    deed_rc rc = deed_crash__whole(explorer, swarm->choices, &want, &result, err);
    if (rc != DEED_OK) {
        return rc;
    }
    bool is_new = false;
    if (deed_crash__memo_at(&explorer->states, result.image_hash, &is_new) != NULL && is_new) {
        explorer->counts.states++;
    }
    count(&explorer->counts, &result);
    *broke_out = result.broken[0] != '\0';
    bool checks = explorer->counts.trials % REPLAYED_EVERY == 1;
    if (!*broke_out && !checks) {
        return DEED_OK;
    }
    char *trail = deed_choices_trail(swarm->choices);
    if (trail == NULL) {
        return deed_error_set(err, DEED_E_NOMEM, DEED_CRASH__ORIGIN, "no memory for a trail");
    }
    if (*broke_out) {
        memcpy(explorer->broken, result.broken, sizeof(explorer->broken));
        rc = deed_crash__report(explorer, trail, swarm->report, err);
    } else {
        rc = repeat(swarm, &result, trail, err);
    }
    free(trail);
    return rc;
}

static deed_rc run_all(struct swarm *swarm, uint64_t trials, struct deed_error *err)
{
    const struct deed_crash__explorer *explorer = swarm->explorer;
    const struct deed_crash_setup *setup = explorer->setup;
    bool broke = false;
    deed_rc rc = deed_crash__learn(swarm->explorer, err);
    for (uint64_t i = 0; rc == DEED_OK && !broke && !swarm->stopped && i < trials; i++) {
        rc = run_one(swarm, &broke, err);
        swarm->stopped = setup->progress != NULL &&
            !setup->progress(setup->progress_context, explorer->counts.trials, i + 1, trials);
        if (!deed_choices_next(swarm->choices)) {
            break;
        }
    }
    return rc;
}

deed_rc deed_crash_swarm(const struct deed_crash_setup *setup, uint64_t seed, uint64_t trials,
    struct deed_crash_report *report_out, struct deed_error *err)
{
    struct swarm swarm = {.report = report_out};
    deed_rc rc = deed_crash__report_begin(report_out, err);
    rc = rc == DEED_OK ? deed_crash__explorer_new(setup, &swarm.explorer, err) : rc;
    if (rc != DEED_OK) {
        return rc;
    }
    rc = deed_choices_swarm(seed, &swarm.choices, err);
    rc = rc == DEED_OK ? run_all(&swarm, trials, err) : rc;
    if (rc == DEED_OK) {
        report_out->counts = swarm.explorer->counts;
        report_out->complete = !swarm.stopped && !report_out->broken;
    }
    deed_choices_free(swarm.choices);
    deed_crash__explorer_free(swarm.explorer);
    return rc;
}
