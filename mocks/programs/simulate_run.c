/* SPDX-License-Identifier: MIT
 *
 * One scenario at one class of provider.
 */
#include "programs/simulate_run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <deed/ext/error.h>
#include <deed/machine.h>

#include "programs/simulate_trail.h"

#define PROGRAM    "simulate"
#define BATCH      100 /* runs by chance, between two looks at the time */
#define PATH_BYTES 4096

static int64_t now_ms(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* ---- progress ----------------------------------------------------------------------------- */

struct listener {
    const struct simulated *simulated;
    simulate_progress progress;
    uint64_t trials_before;
    bool stopped;
};

static bool heard(void *context, uint64_t trials, uint64_t done, uint64_t all)
{
    struct listener *listener = context;
    listener->stopped =
        !listener->progress(listener->simulated, listener->trials_before + trials, done, all);
    return !listener->stopped;
}

/* What is to be run, and the scene it is played on. */
struct staging {
    struct deed_crash__scene scene;
    struct deed_crash_setup setup;
};

static deed_rc prepare(const struct simulated *simulated, struct listener *listener,
    struct staging *staging, struct deed_error *err)
{
    if (!deed_crash__scenario_setup(
            simulated->scenario, simulated->provider_class, &staging->scene, &staging->setup)) {
        return deed_error_set(err, DEED_E_INVALID, PROGRAM,
            "the scenario `%s` is not for the class %s; `deed simulate --list` says which",
            simulated->scenario->name, deed_provider_class_name(simulated->provider_class));
    }
    if (listener != NULL) {
        staging->setup.progress = heard;
        staging->setup.progress_context = listener;
    }
    return DEED_OK;
}

/* ---- by chance ---------------------------------------------------------------------------- */

static void add_counts(struct deed_crash_counts *sum, const struct deed_crash_counts *more)
{
    sum->points = more->points > sum->points ? more->points : sum->points;
    sum->died += more->died;
    sum->powered += more->powered;
    sum->units_most = more->units_most > sum->units_most ? more->units_most : sum->units_most;
    sum->states += more->states; /* of different seeds: each batch counts its own */
    sum->repeated += more->repeated;
    sum->contents += more->contents;
    sum->trials += more->trials;
    sum->compared += more->compared;
    sum->replays += more->replays;
    sum->marks |= more->marks;
    sum->faults += more->faults;
    sum->uncertain += more->uncertain;
    sum->persons += more->persons;
}

/* Batches, each with a seed of its own, until the time or the number is over. */
static deed_rc run_by_chance(struct simulated *simulated, const struct deed_crash_setup *setup,
    const struct simulate_settings *settings, struct listener *listener, struct deed_error *err)
{
    struct deed_crash_counts sum = {.size = sizeof(sum)};
    const int64_t until_ms = now_ms() + settings->for_ms;
    deed_rc rc = DEED_OK;
    bool ended = false;
    for (uint64_t batch = 0; rc == DEED_OK && !ended; batch++) {
        const uint64_t left = settings->trials - batch * BATCH;
        const uint64_t runs = settings->for_ms == 0 && left < BATCH ? left : BATCH;
        deed_crash_report_clear(&simulated->report);
        simulated->report = (struct deed_crash_report){.size = sizeof(simulated->report)};
        rc = deed_crash_swarm(setup, simulated->seed + batch, runs, &simulated->report, err);
        if (rc == DEED_OK) {
            add_counts(&sum, &simulated->report.counts);
            listener->trials_before = sum.trials;
        }
        ended = simulated->report.broken || listener->stopped ||
            (settings->for_ms == 0 ? sum.trials >= settings->trials : now_ms() >= until_ms);
    }
    simulated->report.counts = sum;
    return rc;
}

/* ---- a failure ---------------------------------------------------------------------------- */

static deed_rc keep_trail(struct simulated *simulated, const char *folder, struct deed_error *err)
{
    char path[PATH_BYTES];
    struct simulate_trail trail = {.provider_class = simulated->provider_class,
        .trace_hash = simulated->report.trace_hash,
        .image_hash = simulated->report.image_hash,
        .text = simulated->report.trail};
    (void)snprintf(trail.scenario, sizeof(trail.scenario), "%s", simulated->scenario->name);
    (void)snprintf(path, sizeof(path), "%s%s%s-%s.trail", folder != NULL ? folder : "",
        folder != NULL ? "/" : "", simulated->scenario->name,
        deed_provider_class_name(simulated->provider_class));
    deed_rc rc = simulate_trail_write(&trail, path, err);
    if (rc == DEED_OK) {
        simulated->trail_path = strdup(path);
    }
    return rc;
}

/* ---- all ---------------------------------------------------------------------------------- */

deed_rc simulate_run(struct simulated *simulated, const struct simulate_settings *settings,
    uint64_t seed, simulate_progress progress, struct deed_error *err)
{
    struct listener listener = {.simulated = simulated, .progress = progress};
    const int64_t begin_ms = now_ms();
    struct staging staging;
    simulated->report = (struct deed_crash_report){.size = sizeof(simulated->report)};
    deed_rc rc = prepare(simulated, &listener, &staging, err);
    if (rc == DEED_OK && settings->by_seed) {
        simulated->seed = seed;
        rc = run_by_chance(simulated, &staging.setup, settings, &listener, err);
    } else if (rc == DEED_OK) {
        staging.setup.trials_max = settings->most;
        rc = deed_crash_explore(&staging.setup, &simulated->report, err);
        simulated->unmet = simulated->report.complete
            ? deed_crash__scenario_missing(
                  simulated->scenario, &staging.setup, &simulated->report.counts)
            : 0;
    }
    simulated->took_ms = now_ms() - begin_ms;
    if (rc == DEED_OK && simulated->report.broken) {
        rc = keep_trail(simulated, settings->keep, err);
    }
    return rc;
}

static deed_rc check_same(const struct simulated *simulated, const struct simulate_trail *trail,
    const char *path, struct deed_error *err)
{
    const struct deed_crash_report *report = &simulated->report;
    if (strcmp(trail->written_by, deed_version()) != 0 || trail->trace_hash == 0 ||
        (trail->trace_hash == report->trace_hash && trail->image_hash == report->image_hash)) {
        return DEED_OK; /* of another version only the promise can be expected to be the same */
    }
    return deed_error_set(err, DEED_E_CHECK, PROGRAM,
        "the run of %.200s is not the one that was written down: trace %016" PRIx64
        ", image %016" PRIx64 "; has deed changed since, or does something depend on chance?",
        path, report->trace_hash, report->image_hash);
}

deed_rc simulate_replay(struct simulated *simulated, const char *path, struct deed_error *err)
{
    struct simulate_trail trail;
    struct staging staging;
    const int64_t begin_ms = now_ms();
    deed_rc rc = simulate_trail_read(&trail, path, err);
    if (rc != DEED_OK) {
        return rc;
    }
    *simulated = (struct simulated){.scenario = deed_crash__scenario_named(trail.scenario),
        .provider_class = trail.provider_class,
        .report = {.size = sizeof(simulated->report)}};
    if (simulated->scenario == NULL) {
        rc = deed_error_set(err, DEED_E_INVALID, PROGRAM,
            "%.200s is a trail of the scenario `%s`, which this deed does not have", path,
            trail.scenario);
    } else {
        rc = prepare(simulated, NULL, &staging, err);
    }
    if (rc == DEED_OK) {
        rc = deed_crash_replay(&staging.setup, trail.text, &simulated->report, err);
    }
    if (rc == DEED_OK) {
        rc = check_same(simulated, &trail, path, err);
    }
    simulated->trail_path = rc == DEED_OK && simulated->report.broken ? strdup(path) : NULL;
    simulated->took_ms = now_ms() - begin_ms;
    free(trail.text);
    return rc;
}

void simulated_finish(struct simulated *simulated)
{
    deed_crash_report_clear(&simulated->report);
    free(simulated->trail_path);
    simulated->trail_path = NULL;
}

bool simulated_failed(const struct simulated *simulated)
{
    return simulated->report.broken || simulated->unmet != 0;
}

bool simulated_again(const struct simulated *simulated, char *text, size_t text_bytes)
{
    if (simulated->trail_path == NULL) {
        return false;
    }
    (void)snprintf(text, text_bytes, "deed simulate --replay %s", simulated->trail_path);
    return true;
}
