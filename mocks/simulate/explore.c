/* SPDX-License-Identifier: MIT
 *
 * Everything, in order: each fault by itself, because that finds the most in the least time; then each
 * fault again, of it each point; there each death, and after a power failure each fate of what was
 * not flushed.
 *
 * What makes it quick: the program runs only up to its death. Every fate is tried on a copy of what
 * it left. A state that was met before is not looked at again. And where SQLite, by itself, finds
 * in a new state what it had found in another one (same content, same world, same time, same that
 * was told), the program would do the same: it is started again in every 16th of them only (later,
 * in every 64th), to see that it ends in the same way.
 */
#include "simulate/explore.h"

#include <stdlib.h>
#include <string.h>

#include <deed/ext/error.h>

#include "mix.h"

static bool may_go_on(struct deed_crash__explorer *explorer)
{
    const struct deed_crash_setup *setup = explorer->setup;
    if (setup->trials_max != 0 && explorer->counts.trials >= setup->trials_max) {
        explorer->stopped = true;
    }
    return !explorer->stopped;
}

/* ---- a point ----------------------------------------------------------------------------- */

/* Where the clock will stand when the program is started again. */
static deed_rc set_clocks(struct deed_crash__situation *situation)
{
    struct deed_crash__explorer *explorer = situation->explorer;
    struct deed_crash__run run = {.stage = &explorer->trial};
    static const uint8_t none[1] = {0};
    deed_sim_clock_become(explorer->trial.clock, explorer->base.clock);
    if (situation->died == DEED_CRASH__KILLED) {
        (void)deed_crash__pass_death(&run, situation->died, none, 0);
    } else {
        deed_crash__pass_power(explorer->trial.clock);
    }
    situation->clocks = deed_crash__clock_hash(&explorer->trial);
    return DEED_OK;
}

static bool try_power(struct deed_crash__situation *situation)
{
    struct deed_crash__explorer *explorer = situation->explorer;
    uint32_t units = deed_disk_pending(explorer->base.disk);
    deed_disk_fates *fates = NULL;
    situation->died = DEED_CRASH__POWERED;
    (void)set_clocks(situation);
    if (units > explorer->counts.units_most) {
        explorer->counts.units_most = units;
    }
    if (situation->prefix->deaths == 0) {
        explorer->counts.whole += units <= DEED_DISK_SUBSETS_MAX ? 1 : 0;
        explorer->counts.powered++;
    }
    explorer->counts.marks |= DEED_CRASH__BIT(POWERED);
    deed_rc rc = deed_disk_fates_new(units, situation->point->question, &fates, &explorer->err);
    if (rc != DEED_OK) {
        return deed_crash__explore_fail(explorer, rc);
    }
    bool goes_on = true;
    const uint8_t *next = NULL;
    while (goes_on && may_go_on(explorer) && (next = deed_disk_fates_next(fates)) != NULL) {
        goes_on = deed_crash__try_state(situation, next, units);
    }
    deed_disk_fates_free(fates);
    return goes_on;
}

/* Runs the program up to its death at this point, which leaves the base. */
static bool run_to_point(const struct deed_crash__situation *situation)
{
    struct deed_crash__explorer *explorer = situation->explorer;
    struct deed_crash__result result;
    struct deed_crash__want want = {
        .stop_at = situation->prefix->deaths + 1, .known = &explorer->told_log};
    char *trail = deed_crash__trail_of(situation, NULL, 0);
    deed_choices *choices = NULL;
    if (trail == NULL) {
        return deed_crash__explore_nomem(explorer);
    }
    deed_rc rc = deed_choices_replay(trail, &choices, &explorer->err);
    if (rc == DEED_OK) {
        rc = deed_crash__whole(explorer, choices, &want, &result, &explorer->err);
    }
    bool died = rc == DEED_OK && result.deaths == want.stop_at &&
        deed_choices_asked(choices) == situation->point->question;
    bool broke = rc == DEED_OK && result.broken[0] != '\0';
    explorer->counts.marks |= rc == DEED_OK ? result.marks : 0;
    deed_choices_free(choices);
    if (rc != DEED_OK) {
        free(trail);
        return deed_crash__explore_fail(explorer, rc);
    }
    if (broke) {
        return deed_crash__explore_broken(explorer, trail, result.broken);
    }
    free(trail);
    if (!died) {
        (void)deed_error_set(&explorer->err, DEED_E_CHECK, DEED_CRASH__ORIGIN,
            "the program is not the same twice: it did not come to %s again; something in it "
            "depends on real time, chance or an address",
            situation->point->site);
        return deed_crash__explore_fail(explorer, DEED_E_CHECK);
    }
    return true;
}

static bool try_point(struct deed_crash__situation *situation)
{
    struct deed_crash__explorer *explorer = situation->explorer;
    situation->died = DEED_CRASH__KILLED;
    if (!run_to_point(situation)) {
        return false;
    }
    explorer->counts.died += situation->prefix->deaths == 0 ? 1 : 0;
    explorer->counts.again += situation->prefix->deaths == 0 ? 0 : 1;
    situation->world = deed_crash__stage_hash(&explorer->base);
    (void)set_clocks(situation);
    if (!deed_crash__try_state(situation, NULL, 0)) {
        return false;
    }
    return explorer->setup->kills_only || try_power(situation);
}

/* ---- a prefix ---------------------------------------------------------------------------- */

/* The run without a further death: its points, and what was told at each. */
static bool run_unharmed(
    struct deed_crash__explorer *explorer, const struct deed_crash__prefix *prefix)
{
    struct deed_crash__result result;
    struct deed_crash__want want = {
        .watches = true, .points = &explorer->points, .told_log = &explorer->told_log};
    deed_choices *choices = NULL;
    explorer->points.count = 0;
    deed_crash__told_log_clear(&explorer->told_log);
    deed_rc rc = deed_choices_replay(prefix->trail, &choices, &explorer->err);
    if (rc == DEED_OK) {
        rc = deed_crash__whole(explorer, choices, &want, &result, &explorer->err);
    }
    deed_choices_free(choices);
    if (rc != DEED_OK) {
        return deed_crash__explore_fail(explorer, rc);
    }
    explorer->counts.marks |= result.marks;
    explorer->counts.faults += result.faulty ? 1 : 0;
    if (result.broken[0] != '\0') {
        return deed_crash__explore_broken(explorer, strdup(prefix->trail), result.broken);
    }
    bool is_first = prefix->deaths == 0 && !result.faulty;
    return !is_first || deed_crash__note_unharmed(explorer) || deed_crash__explore_nomem(explorer);
}

static bool tell_progress(const struct deed_crash__explorer *explorer)
{
    const struct deed_crash_setup *setup = explorer->setup;
    return setup->progress == NULL ||
        setup->progress(setup->progress_context, explorer->counts.trials, explorer->counts.died,
            explorer->points_all);
}

static bool try_prefix(struct deed_crash__explorer *explorer,
    const struct deed_crash__prefix *prefix, const struct deed_crash__fault *fault)
{
    if (!run_unharmed(explorer, prefix)) {
        return false;
    }
    explorer->points_all += explorer->points.count;
    for (size_t i = 0; i < explorer->points.count && may_go_on(explorer); i++) {
        const struct deed_crash__point point = explorer->points.items[i];
        struct deed_crash__situation situation = {
            .explorer = explorer, .prefix = prefix, .point = &point, .fault = fault};
        if (point.question <= prefix->question) {
            continue; /* before the last death */
        }
        explorer->counts.points += prefix->deaths == 0 ? 1 : 0;
        if (!try_point(&situation)) {
            return false;
        }
        if (!tell_progress(explorer)) {
            explorer->stopped = true;
        }
    }
    return true;
}

/* ---- all --------------------------------------------------------------------------------- */

static void forget_again(struct deed_crash__explorer *explorer)
{
    for (size_t i = 0; i < explorer->again_count; i++) {
        free(explorer->again[i].trail);
    }
    explorer->again_count = 0;
}

/* The trail of a run in which nothing happens but this fault; NULL: no memory. */
static char *fault_trail(const struct deed_crash__explorer *explorer, uint32_t number)
{
    struct deed_crash__trail trail = {NULL, 0, 0, false};
    deed_crash__trail_text(&trail, "");
    if (number != 0) {
        deed_crash__trail_add(&trail, 1, DEED_PURPOSE_BOUNDARY, "fault", number,
            deed_crash__fault_count(explorer->setup));
    }
    if (trail.lost) {
        free(trail.text);
        return NULL;
    }
    return trail.text;
}

/* Each fault, and nobody dies. */
static bool try_faults_alone(struct deed_crash__explorer *explorer)
{
    const uint32_t faults = deed_crash__fault_count(explorer->setup);
    bool goes_on = true;
    for (uint32_t number = 0; goes_on && number < faults; number++) {
        char *trail = fault_trail(explorer, number);
        const struct deed_crash__prefix prefix = {.trail = trail, .question = 0, .deaths = 0};
        goes_on =
            trail != NULL ? run_unharmed(explorer, &prefix) : deed_crash__explore_nomem(explorer);
        free(trail);
    }
    explorer->counts.faults = 0; /* each of them comes again */
    return goes_on;
}

static bool try_fault(struct deed_crash__explorer *explorer, uint32_t number)
{
    const struct deed_crash_setup *setup = explorer->setup;
    const struct deed_crash__fault *fault = deed_crash__fault_at(setup, number);
    char *trail = fault_trail(explorer, number);
    if (trail == NULL) {
        return deed_crash__explore_nomem(explorer);
    }
    const struct deed_crash__prefix prefix = {.trail = trail, .question = 0, .deaths = 0};
    deed_crash__memo_clear(&explorer->met);
    deed_crash__memo_clear(&explorer->contents);
    forget_again(explorer);
    bool goes_on = try_prefix(explorer, &prefix, fault);
    for (size_t i = 0; goes_on && i < explorer->again_count && may_go_on(explorer); i++) {
        const struct deed_crash__prefix again = explorer->again[i];
        goes_on = try_prefix(explorer, &again, fault);
    }
    free(trail);
    return goes_on;
}

static void fill_report(
    const struct deed_crash__explorer *explorer, struct deed_crash_report *report)
{
    report->counts = explorer->counts;
    report->complete = !explorer->stopped && !explorer->left_out && explorer->trail == NULL;
}

deed_rc deed_crash_explore(const struct deed_crash_setup *setup,
    struct deed_crash_report *report_out, struct deed_error *err)
{
    struct deed_crash__explorer *explorer = NULL;
    deed_rc rc = deed_crash__report_begin(report_out, err);
    rc = rc == DEED_OK ? deed_crash__explorer_new(setup, &explorer, err) : rc;
    if (rc != DEED_OK) {
        return rc;
    }
    const uint32_t faults = deed_crash__fault_count(setup);
    /* A program without a ledger does not know what it does not know: its deaths tell more. */
    bool goes_on = faults == 1 || setup->without_ledger || try_faults_alone(explorer);
    for (uint32_t number = 0; goes_on && number < faults && may_go_on(explorer); number++) {
        goes_on = try_fault(explorer, number);
    }
    if (explorer->failed != DEED_OK) {
        rc = explorer->failed;
        if (err != NULL) {
            *err = explorer->err;
        }
    } else if (explorer->trail != NULL) {
        rc = deed_crash__report(explorer, explorer->trail, report_out, err);
    }
    if (rc == DEED_OK) {
        fill_report(explorer, report_out);
    }
    deed_crash__explorer_free(explorer);
    return rc;
}
