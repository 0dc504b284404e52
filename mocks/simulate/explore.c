/* SPDX-License-Identifier: MIT
 *
 * Everything, in order: each fault by itself, because that finds the most in the least time; then each
 * fault again, of it each point; there each death, and after a power failure each fate of what was
 * not flushed.
 *
 * What makes it quick: the program runs only up to its death. Every fate is tried on a copy of what
 * it left. A state that was met before is not looked at again. And where SQLite, by itself, finds in
 * a new state what it had found in another one (same content, same world, same time, same that was
 * told), the program would do the same: it is started again in every 16th of them only (later, in every 64th),
 * to see that it ends in the same way.
 */
#include "simulate/explore.h"

#include <stdlib.h>
#include <string.h>

#include <deed/ext/error.h>

#include "mix.h"

#define COMPARED_EVERY 16
#define COMPARED_OFTEN 256 /* after so many */
#define COMPARED_THEN  64
#define REPLAYED_EVERY 100
#define AGAIN_MAX      4096

/* What is tried at one point. */
struct situation {
    struct deed_crash__explorer *explorer;
    const struct deed_crash__prefix *prefix;
    const struct deed_crash__point *point;
    const struct deed_crash__fault *fault;
    uint64_t world;  /* hash of world and what was told */
    uint64_t clocks; /* of the clock after the death */
    enum deed_crash__death died;
};

/* ---- trails ------------------------------------------------------------------------------ */

static char *trail_of(const struct situation *situation, const uint8_t *fates, uint32_t count)
{
    const struct deed_crash_setup *setup = situation->explorer->setup;
    struct deed_crash__trail trail = {NULL, 0, 0, false};
    const struct deed_crash__point *point = situation->point;
    deed_crash__trail_text(&trail, situation->prefix->trail);
    deed_crash__trail_add(&trail, point->question, DEED_PURPOSE_CRASH, point->site,
        (uint32_t)situation->died, setup->kills_only ? 2 : 3);
    for (uint32_t i = 0; i < count; i++) {
        if (fates[i] != DEED_DISK_LOST) {
            deed_crash__trail_add(&trail, point->question + 1 + i, DEED_PURPOSE_DISK, "unit",
                fates[i], DEED_CRASH__FATES);
        }
    }
    if (trail.lost) {
        free(trail.text);
        return NULL;
    }
    return trail.text;
}

static bool fail(struct deed_crash__explorer *explorer, deed_rc rc)
{
    explorer->failed = explorer->failed == DEED_OK ? rc : explorer->failed;
    return false;
}

static bool no_memory(struct deed_crash__explorer *explorer)
{
    (void)deed_error_set(
        &explorer->err, DEED_E_NOMEM, DEED_CRASH__ORIGIN, "no memory to explore further");
    return fail(explorer, DEED_E_NOMEM);
}

/* Takes `trail`. */
static bool break_promise(struct deed_crash__explorer *explorer, char *trail, const char *broken)
{
    if (trail == NULL) {
        return no_memory(explorer);
    }
    explorer->trail = trail;
    memcpy(explorer->broken, broken, sizeof(explorer->broken));
    return false;
}

/* ---- a trial ----------------------------------------------------------------------------- */

static void count_run(struct deed_crash__explorer *explorer, const struct deed_crash__run *run)
{
    explorer->counts.marks |= run->marks;
    explorer->counts.uncertain += run->end == DEED_CRASH_UNCERTAIN ? 1 : 0;
    explorer->counts.persons += run->persons > 0 ? 1 : 0;
}

/* A run that was begun in a copy is run from the start: it must be the same one. */
static bool replay(
    struct deed_crash__explorer *explorer, const char *trail, const struct deed_crash__run *run)
{
    const struct deed_crash__stage *stage = &explorer->trial;
    uint64_t image_hash =
        deed__mix(deed_disk_hash(stage->disk, false) ^ deed__mix(deed_world_hash(stage->world)));
    uint64_t trace_hash = deed__mix(stage->trace ^ deed__hash_text(1, run->broken));
    struct deed_crash__want want = {.watches = true};
    struct deed_crash__result result;
    deed_choices *choices = NULL;
    deed_rc rc = deed_choices_replay(trail, &choices, &explorer->err);
    if (rc == DEED_OK) {
        rc = deed_crash__whole(explorer, choices, &want, &result, &explorer->err);
    }
    deed_choices_free(choices);
    if (rc != DEED_OK) {
        return fail(explorer, rc);
    }
    explorer->counts.replays++;
    if (result.image_hash != image_hash || result.trace_hash != trace_hash) {
        (void)deed_error_set(&explorer->err, DEED_E_CHECK, DEED_CRASH__ORIGIN,
            "the program is not the same twice: something in it depends on real time, chance or an "
            "address (%s '%s' against '%s')",
            result.trace_hash == trace_hash ? "other bytes" : "another course", result.broken,
            run->broken);
        return fail(explorer, DEED_E_CHECK);
    }
    return true;
}

static bool remember_prefix(const struct situation *situation, const char *trail, uint32_t count)
{
    struct deed_crash__explorer *explorer = situation->explorer;
    if (!explorer->setup->twice || situation->prefix->deaths > 0 ||
        explorer->again_count == AGAIN_MAX) {
        return true;
    }
    if (explorer->again_count == explorer->again_room) {
        size_t room = explorer->again_room * 2 + 64;
        struct deed_crash__prefix *more = realloc(explorer->again, room * sizeof(*more));
        if (more == NULL) {
            return no_memory(explorer);
        }
        explorer->again = more;
        explorer->again_room = room;
    }
    char *copy = strdup(trail);
    explorer->again[explorer->again_count++] = (struct deed_crash__prefix){
        .trail = copy, .question = situation->point->question + count, .deaths = 1};
    return copy != NULL || no_memory(explorer);
}

/* Starts the program again in what is left. `known`: how the same content ended before; NULL. */
static bool start_again(const struct situation *situation, const uint8_t *fates, uint32_t count,
    uint64_t *outcome, bool is_known)
{
    struct deed_crash__explorer *explorer = situation->explorer;
    deed_rc rc = deed_crash__stage_become(&explorer->trial, &explorer->base, &explorer->err);
    if (rc != DEED_OK) {
        return fail(explorer, rc);
    }
    struct deed_crash__run run = {.setup = explorer->setup,
        .fault = situation->fault,
        .stage = &explorer->trial,
        .watches = !is_known,
        .thorough = !is_known,
        .only_lives = is_known,
        .asked = explorer->asked.count > 0 ? &explorer->asked : NULL,
        .goal = &explorer->goal};
    explorer->counts.trials++;
    bool held = deed_crash__pass_death(&run, situation->died, fates, count) &&
        deed_crash__play(&run, situation->died);
    if (run.failed != DEED_OK) {
        explorer->err = run.err;
        return fail(explorer, run.failed);
    }
    count_run(explorer, &run);
    char *trail = trail_of(situation, fates, count);
    if (trail == NULL) {
        return no_memory(explorer);
    }
    if (!held) {
        return break_promise(explorer, trail, run.broken);
    }
    if (is_known && *outcome != run.lived) {
        (void)deed_error_set(&explorer->err, DEED_E_CHECK, DEED_CRASH__ORIGIN,
            "the same content was recovered twice, and ended differently");
        free(trail);
        return fail(explorer, DEED_E_CHECK);
    }
    *outcome = run.lived;
    bool goes_on = is_known || remember_prefix(situation, trail, count);
    if (goes_on && !is_known && ++explorer->full % REPLAYED_EVERY == 1) {
        /* `base` is where the next fates would be taken from: it is put back. */
        goes_on =
            deed_crash__stage_become(&explorer->kept, &explorer->base, &explorer->err) == DEED_OK &&
            replay(explorer, trail, &run) &&
            deed_crash__stage_become(&explorer->base, &explorer->kept, &explorer->err) == DEED_OK;
        if (!goes_on && explorer->failed == DEED_OK) {
            goes_on = fail(explorer, DEED_E_NOMEM);
        }
    }
    free(trail);
    return goes_on;
}

/* ---- a state ----------------------------------------------------------------------------- */

static bool note_state(
    const struct situation *situation, uint64_t image, bool *is_new_out, bool *is_met_out)
{
    struct deed_crash__explorer *explorer = situation->explorer;
    uint64_t state = deed__mix(image ^ situation->world);
    bool is_new = false;
    bool is_first = false;
    if (deed_crash__memo_at(&explorer->states, state, &is_new) == NULL ||
        deed_crash__memo_at(&explorer->met, deed__mix(state ^ situation->clocks), &is_first) ==
            NULL) {
        return no_memory(explorer);
    }
    explorer->counts.states += is_new ? 1 : 0;
    *is_new_out = is_new;
    *is_met_out = !is_first;
    return true;
}

/* What we hold for the same SQLite has to read as the same. */
static bool ask_sqlite(struct deed_crash__explorer *explorer, uint64_t content)
{
    bool is_first = false;
    if (explorer->setup->without_ledger) {
        return true;
    }
    uint64_t *read = deed_crash__memo_at(&explorer->read, content, &is_first);
    if (read == NULL) {
        return no_memory(explorer);
    }
    uint64_t by_sqlite = deed_crash__sqlite_content(&explorer->trial);
    if (!is_first && *read != by_sqlite) {
        (void)deed_error_set(&explorer->err, DEED_E_CHECK, DEED_CRASH__ORIGIN,
            "two disks were held for equal, and SQLite reads them differently");
        return fail(explorer, DEED_E_CHECK);
    }
    *read = by_sqlite;
    return true;
}

/* One crash state: the base with these fates. */
static bool try_state(const struct situation *situation, const uint8_t *fates, uint32_t count)
{
    struct deed_crash__explorer *explorer = situation->explorer;
    bool is_new = false;
    bool is_met = false;
    deed_rc rc = deed_disk_become(explorer->trial.disk, explorer->base.disk, &explorer->err);
    if (rc != DEED_OK) {
        return fail(explorer, rc);
    }
    if (situation->died == DEED_CRASH__POWERED) {
        deed_disk_restart(explorer->trial.disk, fates, count);
    }
    uint64_t image = deed_disk_hash(explorer->trial.disk, false);
    if (!note_state(situation, image, &is_new, &is_met)) {
        return false;
    }
    if (is_met) {
        explorer->counts.repeated++;
        return true;
    }
    uint64_t content = explorer->setup->without_ledger
        ? image
        : deed_crash__content(&explorer->trial, &explorer->files, image);
    uint64_t key = deed__mix(deed__mix(content ^ situation->world) ^ situation->clocks);
    bool is_first = false;
    uint64_t *outcome = deed_crash__memo_at(&explorer->contents, key, &is_first);
    if (outcome == NULL) {
        return no_memory(explorer);
    }
    if (!is_first) {
        explorer->counts.contents++;
        uint64_t every =
            explorer->counts.compared < COMPARED_OFTEN ? COMPARED_EVERY : COMPARED_THEN;
        if (++explorer->known_contents % every != 0) {
            return true;
        }
        explorer->counts.compared++;
    }
    return ask_sqlite(explorer, content) &&
        start_again(situation, fates, count, outcome, !is_first);
}

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
static deed_rc set_clocks(struct situation *situation)
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

static bool try_power(struct situation *situation)
{
    struct deed_crash__explorer *explorer = situation->explorer;
    uint32_t units = deed_disk_pending(explorer->base.disk);
    deed_disk_fates *fates = NULL;
    situation->died = DEED_CRASH__POWERED;
    (void)set_clocks(situation);
    if (units > explorer->counts.units_most) {
        explorer->counts.units_most = units;
    }
    explorer->counts.whole += units <= DEED_DISK_SUBSETS_MAX ? 1 : 0;
    explorer->counts.powered++;
    explorer->counts.marks |= DEED_CRASH__BIT(POWERED);
    deed_rc rc = deed_disk_fates_new(units, situation->point->question, &fates, &explorer->err);
    if (rc != DEED_OK) {
        return fail(explorer, rc);
    }
    bool goes_on = true;
    const uint8_t *next = NULL;
    while (goes_on && may_go_on(explorer) && (next = deed_disk_fates_next(fates)) != NULL) {
        goes_on = try_state(situation, next, units);
    }
    deed_disk_fates_free(fates);
    return goes_on;
}

/* Runs the program up to its death at this point, which leaves the base. */
static bool run_to_point(const struct situation *situation)
{
    struct deed_crash__explorer *explorer = situation->explorer;
    struct deed_crash__result result;
    struct deed_crash__want want = {
        .stop_at = situation->prefix->deaths + 1, .known = &explorer->told_log};
    char *trail = trail_of(situation, NULL, 0);
    deed_choices *choices = NULL;
    if (trail == NULL) {
        return no_memory(explorer);
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
        return fail(explorer, rc);
    }
    if (broke) {
        return break_promise(explorer, trail, result.broken);
    }
    free(trail);
    if (!died) {
        (void)deed_error_set(&explorer->err, DEED_E_CHECK, DEED_CRASH__ORIGIN,
            "the program is not the same twice: it did not come to %s again; something in it "
            "depends on real time, chance or an address",
            situation->point->site);
        return fail(explorer, DEED_E_CHECK);
    }
    return true;
}

static bool try_point(struct situation *situation)
{
    struct deed_crash__explorer *explorer = situation->explorer;
    situation->died = DEED_CRASH__KILLED;
    if (!run_to_point(situation)) {
        return false;
    }
    explorer->counts.died++;
    situation->world = deed_crash__stage_hash(&explorer->base);
    (void)set_clocks(situation);
    if (!try_state(situation, NULL, 0)) {
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
        return fail(explorer, rc);
    }
    explorer->counts.marks |= result.marks;
    explorer->counts.faults += result.faulty ? 1 : 0;
    if (result.broken[0] != '\0') {
        return break_promise(explorer, strdup(prefix->trail), result.broken);
    }
    bool is_first = prefix->deaths == 0 && !result.faulty;
    return !is_first || deed_crash__note_unharmed(explorer) || no_memory(explorer);
}

static bool tell_progress(const struct deed_crash__explorer *explorer)
{
    const struct deed_crash_setup *setup = explorer->setup;
    return setup->progress == NULL ||
        setup->progress(
            setup->progress_context, explorer->counts.trials, explorer->counts.died, explorer->points_all);
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
        struct situation situation = {
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
        goes_on = trail != NULL ? run_unharmed(explorer, &prefix) : no_memory(explorer);
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
        return no_memory(explorer);
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
    report->complete = !explorer->stopped && explorer->trail == NULL;
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
    bool goes_on = faults == 1 || try_faults_alone(explorer);
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
