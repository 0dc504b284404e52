/* SPDX-License-Identifier: MIT
 *
 * One run from the start, by what the choices answer.
 */
#include "simulate/explore.h"

#include <stdlib.h>
#include <string.h>

#include <deed/ext/error.h>

#include "mix.h"

#define DEATHS_MAX 3

/* ---- the explorer ------------------------------------------------------------------------ */

static deed_rc check_setup(const struct deed_crash_setup *setup, struct deed_error *err)
{
    if (setup == NULL || setup->size != sizeof(*setup) || setup->program == NULL) {
        return deed_error_set(
            err, DEED_E_MISUSE, DEED_CRASH__ORIGIN, "a setup needs its size and a program to run");
    }
    if ((unsigned)setup->provider > DEED_CLASS_CLOSABLE) {
        return deed_error_set(err, DEED_E_INVALID, DEED_CRASH__ORIGIN,
            "there is no provider class %d", (int)setup->provider);
    }
    if (setup->fault != NULL && !setup->no_faults && deed_crash__fault_count(setup) == 1) {
        return deed_error_set(err, DEED_E_INVALID, DEED_CRASH__ORIGIN,
            "a %s provider has no fault '%s'; deed_crash_fault_name lists those it has",
            deed_provider_class_name(setup->provider), setup->fault);
    }
    return DEED_OK;
}

deed_rc deed_crash__explorer_new(const struct deed_crash_setup *setup,
    struct deed_crash__explorer **explorer_out, struct deed_error *err)
{
    deed_rc rc = check_setup(setup, err);
    if (rc != DEED_OK) {
        return rc;
    }
    struct deed_crash__explorer *explorer = calloc(1, sizeof(*explorer));
    if (explorer == NULL) {
        return deed_error_set(err, DEED_E_NOMEM, DEED_CRASH__ORIGIN, "no memory to explore");
    }
    explorer->setup = setup;
    explorer->counts.size = sizeof(explorer->counts);
    rc = deed_crash__stage_new(&explorer->start, err);
    rc = rc == DEED_OK ? deed_crash__stage_new(&explorer->base, err) : rc;
    rc = rc == DEED_OK ? deed_crash__stage_new(&explorer->trial, err) : rc;
    rc = rc == DEED_OK ? deed_crash__stage_new(&explorer->kept, err) : rc;
    if (rc == DEED_OK && !setup->without_ledger) {
        rc = deed_crash__put_ledger(explorer->start.disk, err);
    }
    if (rc != DEED_OK) {
        deed_crash__explorer_free(explorer);
        return rc;
    }
    *explorer_out = explorer;
    return DEED_OK;
}

void deed_crash__explorer_free(struct deed_crash__explorer *explorer)
{
    if (explorer == NULL) {
        return;
    }
    deed_crash__stage_free(&explorer->start);
    deed_crash__stage_free(&explorer->base);
    deed_crash__stage_free(&explorer->trial);
    deed_crash__stage_free(&explorer->kept);
    free(explorer->asked.items);
    free(explorer->goal.items);
    free(explorer->points.items);
    deed_crash__told_log_clear(&explorer->told_log);
    deed_crash__memo_clear(&explorer->states);
    deed_crash__memo_clear(&explorer->met);
    deed_crash__memo_clear(&explorer->contents);
    deed_crash__memo_clear(&explorer->read);
    for (size_t i = 0; i < explorer->again_count; i++) {
        free(explorer->again[i].trail);
    }
    free(explorer->again);
    free(explorer->trail);
    free(explorer);
}

/* ---- a run ------------------------------------------------------------------------------- */

static void sum_up(const struct deed_crash__explorer *explorer, const struct deed_crash__run *run,
    struct deed_crash__result *result)
{
    const struct deed_crash__stage *stage = &explorer->base;
    memset(result, 0, sizeof(*result));
    memcpy(result->broken, run->broken, sizeof(result->broken));
    result->trace_hash = deed__mix(stage->trace ^ deed__hash_text(1, run->broken));
    result->image_hash =
        deed__mix(deed_disk_hash(stage->disk, false) ^ deed__mix(deed_world_hash(stage->world)));
    result->outcome = run->outcome;
    result->deaths = run->deaths;
    result->persons = run->persons;
    result->marks = run->marks;
    result->uncertain = run->end == DEED_CRASH_UNCERTAIN;
}

deed_rc deed_crash__whole(struct deed_crash__explorer *explorer, deed_choices *choices,
    const struct deed_crash__want *want, struct deed_crash__result *result, struct deed_error *err)
{
    const struct deed_crash_setup *setup = explorer->setup;
    deed_rc rc = deed_crash__stage_become(&explorer->base, &explorer->start, err);
    if (rc != DEED_OK) {
        return rc;
    }
    struct deed_crash__run run = {.setup = setup,
        .stage = &explorer->base,
        .choices = choices,
        .watches = want->watches,
        .tells = want->watches,
        .thorough = want->watches,
        .files = &explorer->files,
        .stop_at = want->stop_at,
        .deaths_max = DEATHS_MAX,
        .points = want->points,
        .timeline = want->timeline,
        .told_log = want->told_log,
        .known = want->known,
        .asked = explorer->asked.count > 0 ? &explorer->asked : NULL,
        .goal = &explorer->goal};
    uint32_t faults = deed_crash__fault_count(setup);
    uint32_t fault = deed_choose(choices, DEED_PURPOSE_BOUNDARY, "fault", faults);
    run.fault = deed_crash__fault_at(setup, fault);
    if (run.timeline != NULL) {
        deed_crash__timeline_tell(run.timeline, deed_crash__now(run.stage), DEED_CRASH__COLUMN_ALL,
            "%s at a %s provider, fault: %s (%s)", setup->name == NULL ? "program" : setup->name,
            deed_provider_class_name(setup->provider), run.fault->name, run.fault->about);
    }
    (void)deed_crash__play(&run, DEED_CRASH__LIVES);
    if (run.failed != DEED_OK) {
        if (err != NULL) {
            *err = run.err;
        }
        return run.failed;
    }
    sum_up(explorer, &run, result);
    result->faulty = fault != 0;
    return DEED_OK;
}

static bool note_effect(void *context, const struct deed_world_effect *effect)
{
    struct deed_crash__explorer *explorer = context;
    struct deed_crash__word word = {.key = ""};
    deed_crash__copy_text(word.key, sizeof(word.key), effect->key);
    if (!deed_crash__words_put(&explorer->goal, &word)) {
        explorer->failed = DEED_E_NOMEM;
    }
    return explorer->failed == DEED_OK;
}

bool deed_crash__note_unharmed(struct deed_crash__explorer *explorer)
{
    return deed_crash__words_copy(&explorer->asked, &explorer->base.told) &&
        deed_world_effects_visit(
            explorer->base.world, NULL, note_effect, explorer, &explorer->err) == DEED_OK &&
        explorer->failed == DEED_OK;
}

deed_rc deed_crash__learn(struct deed_crash__explorer *explorer, struct deed_error *err)
{
    const struct deed_crash__want want = {.watches = true};
    struct deed_crash__result result;
    deed_choices *choices = NULL;
    deed_rc rc = deed_choices_replay("", &choices, err);
    if (rc == DEED_OK) {
        rc = deed_crash__whole(explorer, choices, &want, &result, err);
    }
    deed_choices_free(choices);
    if (rc == DEED_OK && result.broken[0] == '\0' && !deed_crash__note_unharmed(explorer)) {
        rc = deed_error_set(err, DEED_E_NOMEM, DEED_CRASH__ORIGIN, "no memory to explore");
    }
    return rc;
}
