/* SPDX-License-Identifier: MIT
 *
 * One crash state: whether it was met before, whether a program would find in it what it has found
 * in another one, and if not, what becomes of it.
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

/* ---- trails ------------------------------------------------------------------------------ */

char *deed_crash__trail_of(
    const struct deed_crash__situation *situation, const uint8_t *fates, uint32_t count)
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

bool deed_crash__explore_fail(struct deed_crash__explorer *explorer, deed_rc rc)
{
    explorer->failed = explorer->failed == DEED_OK ? rc : explorer->failed;
    return false;
}

bool deed_crash__explore_nomem(struct deed_crash__explorer *explorer)
{
    (void)deed_error_set(
        &explorer->err, DEED_E_NOMEM, DEED_CRASH__ORIGIN, "no memory to explore further");
    return deed_crash__explore_fail(explorer, DEED_E_NOMEM);
}

/* Takes `trail`. */
bool deed_crash__explore_broken(
    struct deed_crash__explorer *explorer, char *trail, const char *broken)
{
    if (trail == NULL) {
        return deed_crash__explore_nomem(explorer);
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
        return deed_crash__explore_fail(explorer, rc);
    }
    explorer->counts.replays++;
    if (result.image_hash != image_hash || result.trace_hash != trace_hash) {
        (void)deed_error_set(&explorer->err, DEED_E_CHECK, DEED_CRASH__ORIGIN,
            "the program is not the same twice: something in it depends on real time, chance or an "
            "address (%s '%s' against '%s')",
            result.trace_hash == trace_hash ? "other bytes" : "another course", result.broken,
            run->broken);
        return deed_crash__explore_fail(explorer, DEED_E_CHECK);
    }
    return true;
}

static bool remember_prefix(
    const struct deed_crash__situation *situation, const char *trail, uint32_t count)
{
    struct deed_crash__explorer *explorer = situation->explorer;
    if (!explorer->setup->twice || situation->prefix->deaths > 0) {
        return true;
    }
    if (explorer->again_count == AGAIN_MAX) {
        explorer->left_out = true;
        return true;
    }
    if (explorer->again_count == explorer->again_room) {
        size_t room = explorer->again_room * 2 + 64;
        struct deed_crash__prefix *more = realloc(explorer->again, room * sizeof(*more));
        if (more == NULL) {
            return deed_crash__explore_nomem(explorer);
        }
        explorer->again = more;
        explorer->again_room = room;
    }
    char *copy = strdup(trail);
    explorer->again[explorer->again_count++] = (struct deed_crash__prefix){
        .trail = copy, .question = situation->point->question + count, .deaths = 1};
    return copy != NULL || deed_crash__explore_nomem(explorer);
}

/* Starts the program again in what is left. `known`: how the same content ended before; NULL. */
static bool start_again(const struct deed_crash__situation *situation, const uint8_t *fates,
    uint32_t count, uint64_t *outcome, bool is_known)
{
    struct deed_crash__explorer *explorer = situation->explorer;
    deed_rc rc = deed_crash__stage_become(&explorer->trial, &explorer->base, &explorer->err);
    if (rc != DEED_OK) {
        return deed_crash__explore_fail(explorer, rc);
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
        return deed_crash__explore_fail(explorer, run.failed);
    }
    count_run(explorer, &run);
    char *trail = deed_crash__trail_of(situation, fates, count);
    if (trail == NULL) {
        return deed_crash__explore_nomem(explorer);
    }
    if (!held) {
        return deed_crash__explore_broken(explorer, trail, run.broken);
    }
    if (is_known && *outcome != run.lived) {
        (void)deed_error_set(&explorer->err, DEED_E_CHECK, DEED_CRASH__ORIGIN,
            "the same content was recovered twice, and ended differently");
        free(trail);
        return deed_crash__explore_fail(explorer, DEED_E_CHECK);
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
            goes_on = deed_crash__explore_fail(explorer, DEED_E_NOMEM);
        }
    }
    free(trail);
    return goes_on;
}

/* ---- a state ----------------------------------------------------------------------------- */

static bool note_state(const struct deed_crash__situation *situation, uint64_t image,
    bool *is_new_out, bool *is_met_out)
{
    struct deed_crash__explorer *explorer = situation->explorer;
    uint64_t state = deed__mix(image ^ situation->world);
    bool is_new = false;
    bool is_first = false;
    if (deed_crash__memo_at(&explorer->states, state, &is_new) == NULL ||
        deed_crash__memo_at(&explorer->met, deed__mix(state ^ situation->clocks), &is_first) ==
            NULL) {
        return deed_crash__explore_nomem(explorer);
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
        return deed_crash__explore_nomem(explorer);
    }
    uint64_t by_sqlite = deed_crash__sqlite_content(&explorer->trial);
    if (!is_first && *read != by_sqlite) {
        (void)deed_error_set(&explorer->err, DEED_E_CHECK, DEED_CRASH__ORIGIN,
            "two disks were held for equal, and SQLite reads them differently");
        return deed_crash__explore_fail(explorer, DEED_E_CHECK);
    }
    *read = by_sqlite;
    return true;
}

/* One crash state: the base with these fates. */
bool deed_crash__try_state(
    const struct deed_crash__situation *situation, const uint8_t *fates, uint32_t count)
{
    struct deed_crash__explorer *explorer = situation->explorer;
    bool is_new = false;
    bool is_met = false;
    deed_rc rc = deed_disk_become(explorer->trial.disk, explorer->base.disk, &explorer->err);
    if (rc != DEED_OK) {
        return deed_crash__explore_fail(explorer, rc);
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
        return deed_crash__explore_nomem(explorer);
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
