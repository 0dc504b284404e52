/* SPDX-License-Identifier: MIT
 *
 * trial.c - one trial, from an empty folder to its findings.
 */
#include "crashtest/trial.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <deed/ext/error.h>

#include "crashtest/stage.h"

#define STEP_MS       100 /* a signal that comes between two looks is seen so much later */
#define BLIND_STEP_MS 5   /* without a pidfd: how soon the end of a run is seen */
#define DRAIN_STEPS   200

static volatile sig_atomic_t asked_to_stop;

static void handle(int number)
{
    (void)number;
    asked_to_stop = 1;
}

void trial_listen(void)
{
    struct sigaction action = {.sa_handler = handle};
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
    (void)signal(SIGPIPE, SIG_IGN); /* a client that was killed */
}

/* ---- one run ------------------------------------------------------------------------------------ */

/* Serves until the command has ended or may not go on. */
static deed_rc serve(struct stage *stage, struct deed_error *err)
{
    const int64_t end_ms = stage_now_ms() + stage->workshop->settings->time_limit_ms;
    struct trial *trial = stage->trial;
    while (!process_ended(&stage->process)) {
        const int64_t left_ms = end_ms - stage_now_ms();
        if (asked_to_stop) {
            return deed_error_set(err, DEED_E_INTERRUPTED, "crashtest", "interrupted");
        }
        if (left_ms <= 0) {
            stage_tell(stage, (struct moment){.kind = MOMENT_LIMIT});
            trial->ending = ENDING_TOO_LONG;
            process_kill(&stage->process);
            return DEED_OK;
        }
        struct pollfd end = {.fd = stage->process.pidfd, .events = POLLIN};
        const int most_ms = end.fd >= 0 ? STEP_MS : BLIND_STEP_MS;
        deed_rc rc = deed__http_provider_step(stage->provider,
            left_ms < most_ms ? (int)left_ms : most_ms, &end, end.fd >= 0 ? 1 : 0, err);
        if (rc != DEED_OK) {
            return rc;
        }
        stage_let_go(stage);
    }
    return DEED_OK;
}

/* What the dead have sent is received, and their connections end. */
static deed_rc drain(struct stage *stage, struct deed_error *err)
{
    deed_rc rc = deed__http_provider_step(stage->provider, 0, NULL, 0, err);
    for (int i = 0;
         rc == DEED_OK && i < DRAIN_STEPS && deed__http_provider_open_count(stage->provider) > 0;
         i++) {
        rc = deed__http_provider_step(stage->provider, BLIND_STEP_MS, NULL, 0, err);
    }
    return rc;
}

static void see_seam_fire(struct stage *stage)
{
    struct trial *trial = stage->trial;
    trial->crossings = atomic_load(&stage->seams->crossings);
    if (trial->met || atomic_load(&stage->seams->fired) == 0) {
        return;
    }
    const char *seam = stage_seam_name(stage, trial->point.number);
    char text[100];
    trial->met = true;
    (void)snprintf(
        text, sizeof text, "at crossing %" PRIu64 " of a seam, %s", trial->point.number, seam);
    (void)snprintf(trial->where, sizeof trial->where, "killed %s", text);
    stage_tell(stage, (struct moment){.kind = MOMENT_KILLED, .word = text});
}

static void see_end(struct stage *stage)
{
    struct trial *trial = stage->trial;
    const int status = stage->process.status;
    see_seam_fire(stage);
    stage_tell(stage, (struct moment){.kind = MOMENT_END, .number = trial->runs, .status = status});
    trial->last_status = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    if (trial->ending == ENDING_NONE && trial->last_status == 0) {
        trial->ending = ENDING_DONE;
    } else if (trial->ending == ENDING_NONE && trial->last_status == 3) {
        trial->ending = ENDING_UNCERTAIN;
    }
}

static deed_rc run_once(struct stage *stage, struct deed_error *err)
{
    char work[FOLDER_BYTES + 32];
    char output[FOLDER_BYTES + 32];
    struct trial *trial = stage->trial;
    folder_file(trial->folder, "work", work);
    folder_file(trial->folder, "output", output);
    const struct process_plan plan = {.program = stage->workshop->program,
        .argv = stage->workshop->settings->command,
        .environment = stage->environment,
        .folder = work,
        .output = output};
    trial->runs++;
    stage_tell(stage, (struct moment){.kind = MOMENT_START, .number = trial->runs});
    deed_rc rc = process_start(&plan, &stage->process, err);
    if (rc != DEED_OK) {
        return rc;
    }
    stage->playing = true;
    stage->stopped_ms = 0;
    rc = serve(stage, err);
    stage->playing = false;
    process_clear(&stage->process);
    rc = rc ? rc : drain(stage, err);
    if (rc == DEED_OK) {
        see_end(stage);
    }
    return rc;
}

/* ---- the trial ---------------------------------------------------------------------------------- */

static deed_rc play(struct stage *stage, struct deed_error *err)
{
    struct trial *trial = stage->trial;
    uint64_t landed = 0;
    deed_rc rc = DEED_OK;
    /* Who is not harmed has no reason to need a second start. */
    const uint64_t runs = 1 +
        (trial->point.kind == POINT_UNHARMED ? 0 : (uint64_t)stage->workshop->settings->restarts);
    while (rc == DEED_OK && trial->ending == ENDING_NONE && trial->runs < runs) {
        rc = run_once(stage, err);
    }
    rc = rc ? rc : deed__http_provider_land(stage->provider, NULL, &landed, err);
    rc = rc ? rc : stage_count_effects(stage, err);
    if (rc == DEED_OK && landed > 0) {
        stage_tell(stage, (struct moment){.kind = MOMENT_DELIVER, .number = landed});
    }
    return rc;
}

static const struct effect_name *effect_named(const struct trial *trial, const char *name)
{
    for (size_t i = 0; trial && i < trial->effect_count; i++) {
        if (strcmp(trial->effects[i].name, name) == 0) {
            return &trial->effects[i];
        }
    }
    return NULL;
}

/* Every NAME of the unharmed run, and then those of this one that were not among them. */
static size_t gather(
    const struct trial *unharmed, const struct trial *trial, struct judged_effect *effects)
{
    size_t count = 0;
    for (size_t i = 0; i < unharmed->effect_count; i++) {
        const char *name = unharmed->effects[i].name;
        const struct effect_name *here = effect_named(trial, name);
        effects[count++] = (struct judged_effect){.name = name,
            .effects = here ? here->effects : 0,
            .keys = here ? here->keys : 0,
            .expected = true,
            .mentioned = story_mentions(&trial->story, trial->runs, name)};
    }
    for (size_t i = 0; i < trial->effect_count; i++) {
        const struct effect_name *here = &trial->effects[i];
        if (!effect_named(unharmed, here->name)) {
            effects[count++] = (struct judged_effect){
                .name = here->name, .effects = here->effects, .keys = here->keys};
        }
    }
    return count;
}

static deed_rc find(const struct workshop *workshop, struct trial *trial, struct deed_error *err)
{
    const struct trial *unharmed = workshop->unharmed ? workshop->unharmed : trial;
    struct judged_effect *effects =
        calloc(unharmed->effect_count + trial->effect_count + 1, sizeof *effects);
    if (!effects || trial->story.failed) {
        free(effects);
        return deed_error_set(err, DEED_E_NOMEM, "crashtest", "out of memory");
    }
    const uint64_t expect = workshop->settings->expect;
    const struct judged_trial judged = {.ending = trial->ending,
        .expect = expect > 0 ? expect : unharmed->effect_count,
        .runs = trial->runs,
        .last_status = trial->last_status,
        .effects = effects,
        .effect_count = gather(unharmed, trial, effects)};
    const size_t count = judge(&judged, trial->findings, FINDINGS_MAX);
    trial->finding_count = count < FINDINGS_MAX ? count : FINDINGS_MAX;
    free(effects);
    return DEED_OK;
}

deed_rc trial_run(const struct workshop *workshop, const struct point *point,
    struct trial *trial_out, struct deed_error *err)
{
    struct stage stage;
    *trial_out = (struct trial){.point = *point, .ending = ENDING_NONE};
    trial_out->met = point->kind == POINT_UNHARMED;
    deed_rc rc = stage_build(&stage, workshop, trial_out, err);
    rc = rc ? rc : play(&stage, err);
    trial_out->took_ms = stage_now_ms() - stage.began_ms;
    stage_strike(&stage);
    return rc ? rc : find(workshop, trial_out, err);
}

void trial_finish(struct trial *trial)
{
    for (size_t i = 0; i < trial->request_count; i++) {
        free(trial->requests[i].name);
    }
    for (size_t i = 0; i < trial->effect_count; i++) {
        free(trial->effects[i].name);
        free(trial->effects[i].last_key);
    }
    free(trial->requests);
    free(trial->effects);
    story_finish(&trial->story);
    *trial = (struct trial){0};
}
