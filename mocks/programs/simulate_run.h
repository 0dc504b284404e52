/* SPDX-License-Identifier: MIT
 *
 * simulate_run.h - one scenario at one class of provider: run, and what came out.
 */
#ifndef DEED_MOCKS_SIMULATE_RUN_H
#define DEED_MOCKS_SIMULATE_RUN_H

#include <deed/mock/crash.h>

#include "programs/simulate_settings.h"
#include "simulate/scenarios.h"

struct simulated {
    const struct deed_crash__scenario *scenario;
    deed_provider_class provider_class;
    uint64_t seed; /* 0: not by chance */
    int64_t took_ms;
    uint64_t unmet;   /* marks that had to be met, as bits */
    char *trail_path; /* where the trail of a failure is; NULL: none was written */
    struct deed_crash_report report;
};

/* Told of each run that goes on; returns false to stop. */
typedef bool (*simulate_progress)(
    const struct simulated *simulated, uint64_t trials, uint64_t done, uint64_t all);

/* Runs it as the settings say. `seed` is used if they go by chance. */
DEED_MUST_CHECK deed_rc simulate_run(struct simulated *simulated,
    const struct simulate_settings *settings, uint64_t seed, simulate_progress progress,
    struct deed_error *err);
/* Runs the one run of a trail file, whose head names the scenario. */
DEED_MUST_CHECK deed_rc simulate_replay(
    struct simulated *simulated, const char *path, struct deed_error *err);
void simulated_finish(struct simulated *simulated);
/* A promise is broken, or what had to happen did not. */
bool simulated_failed(const struct simulated *simulated);
/* The command that runs the failure again; false: there is none. */
bool simulated_again(const struct simulated *simulated, char *text, size_t text_bytes);

#endif /* DEED_MOCKS_SIMULATE_RUN_H */
