/* SPDX-License-Identifier: MIT
 *
 * stage.c - what a trial plays on.
 */
#include "crashtest/stage.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <deed/ext/error.h>
#include <deed/seam.h>

#include "crashtest/environment.h"

#define STOPPED_MS 1000 /* the next event comes in the same step, if it comes at all */

int64_t stage_now_ms(void)
{
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void stage_tell(struct stage *stage, struct moment moment)
{
    moment.at_ms = stage_now_ms() - stage->began_ms;
    moment.run = stage->trial->runs;
    story_add(&stage->trial->story, &moment);
}

/* ---- events ------------------------------------------------------------------------------------- */

/* Notes the request and says the how manieth it is of its NAME. */
static uint64_t note_request(struct trial *trial, const char *name)
{
    uint64_t occurrence = 1;
    for (size_t i = 0; i < trial->request_count; i++) {
        occurrence += strcmp(trial->requests[i].name, name) == 0;
    }
    struct effect_request *requests =
        realloc(trial->requests, (trial->request_count + 1) * sizeof *requests);
    char *copy = strdup(name);
    if (requests) {
        trial->requests = requests;
    }
    if (!requests || !copy) {
        trial->story.failed = true;
        free(copy);
        return occurrence;
    }
    requests[trial->request_count++] = (struct effect_request){copy, occurrence};
    return occurrence;
}

static bool is_the_point(
    const struct point *point, const struct deed__http_event *event, uint64_t occurrence)
{
    switch (point->kind) {
    case POINT_EVENT:
        return event->number == point->number;
    case POINT_BEFORE:
    case POINT_FAULT:
        return occurrence > 0 && occurrence == point->occurrence &&
            strcmp(event->name, point->name) == 0;
    case POINT_UNHARMED:
    case POINT_SEAM:
        break;
    }
    return false;
}

/* What the point is, seen from inside; and what becomes of the command there. */
static void meet(struct stage *stage, const struct deed__http_event *event)
{
    struct trial *trial = stage->trial;
    char text[64];
    trial->met = true;
    (void)snprintf(text, sizeof text, "at event %" PRIu64, event->number);
    const char *does = text;
    if (trial->point.kind == POINT_FAULT) {
        does = trial->point.fault->means;
    } else if (trial->point.kind == POINT_BEFORE) {
        does = "before this request: nobody gets it";
    }
    const bool kills = trial->point.kind != POINT_FAULT;
    (void)snprintf(trial->where, sizeof trial->where, "%s%s (%s of %.40s%s%.40s)",
        kills ? "killed " : "", does, deed__http_event_word(event->kind), event->name,
        event->key[0] ? ", key " : "", event->key);
    if (kills) {
        stage_tell(stage, (struct moment){.kind = MOMENT_KILLED, .word = (char *)does});
        process_kill(&stage->process);
    }
}

/* Whether the provider comes to its next event without anything from the command. */
static bool goes_on_alone(enum deed__http_event_kind kind)
{
    return kind != DEED__HTTP_ANSWER_DONE && kind != DEED__HTTP_LOOKUP_ANSWERED &&
        kind != DEED__HTTP_LANDED;
}

/* Once an answer is out, the command races with the signal that is to kill it. So it stands still
 * from the event before: it dies with the answer unread, each time. */
static void stop_before(struct stage *stage, const struct deed__http_event *event)
{
    const struct point *point = &stage->trial->point;
    if (point->kind == POINT_EVENT && event->number + 1 == point->number &&
        goes_on_alone(event->kind)) {
        process_signal(&stage->process, SIGSTOP);
        stage->stopped_ms = stage_now_ms();
    }
}

void stage_let_go(struct stage *stage)
{
    if (stage->stopped_ms > 0 && stage_now_ms() - stage->stopped_ms > STOPPED_MS) {
        process_signal(&stage->process, SIGCONT);
        stage->stopped_ms = 0;
    }
}

static void watch(void *context, const struct deed__http_event *event)
{
    struct stage *stage = context;
    struct trial *trial = stage->trial;
    const char *word = deed__http_event_word(event->kind);
    stage_tell(stage,
        (struct moment){.kind = MOMENT_EVENT,
            .number = event->number,
            .word = (char *)(word ? word : "event"),
            .method = (char *)event->method,
            .name = (char *)event->name,
            .key = (char *)event->key});
    uint64_t occurrence = 0;
    if (event->kind == DEED__HTTP_REQUEST_READ) {
        occurrence = note_request(trial, event->name);
    }
    if (!stage->playing) {
        return;
    }
    trial->events = event->number;
    stop_before(stage, event);
    if (!trial->met && is_the_point(&trial->point, event, occurrence)) {
        meet(stage, event);
    }
}

/* ---- effects ------------------------------------------------------------------------------------ */

static struct effect_name *effect_of(struct trial *trial, const char *name)
{
    for (size_t i = 0; i < trial->effect_count; i++) {
        if (strcmp(trial->effects[i].name, name) == 0) {
            return &trial->effects[i];
        }
    }
    struct effect_name *effects =
        realloc(trial->effects, (trial->effect_count + 1) * sizeof *effects);
    if (!effects) {
        return NULL;
    }
    trial->effects = effects;
    effects[trial->effect_count] = (struct effect_name){.name = strdup(name)};
    return effects[trial->effect_count].name ? &effects[trial->effect_count++] : NULL;
}

static bool count_effect(void *context, const struct deed_world_effect *effect)
{
    struct trial *trial = context;
    struct effect_name *of = effect_of(trial, effect->key);
    if (!of) {
        trial->story.failed = true;
        return false;
    }
    of->effects++;
    if (!of->last_key || strcmp(of->last_key, effect->provider_key) != 0) {
        of->keys++;
        free(of->last_key);
        of->last_key = strdup(effect->provider_key);
    }
    return true;
}

deed_rc stage_count_effects(struct stage *stage, struct deed_error *err)
{
    return deed_world_effects_visit(stage->world, NULL, count_effect, stage->trial, err);
}

/* ---- building ----------------------------------------------------------------------------------- */

const char *stage_seam_name(const struct stage *stage, uint64_t number)
{
    const char *name = NULL;
    if (stage->seams && number > 0 && number <= SEAM_FILE_NAMES) {
        name = deed_seam_name((deed_seam)(atomic_load(&stage->seams->seams[number - 1]) - 1));
    }
    return name ? name : "a seam";
}

static deed_rc map_seams(struct stage *stage, struct deed_error *err)
{
    char path[FOLDER_BYTES + 32];
    folder_file(stage->trial->folder, "seams", path);
    const int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    void *at = MAP_FAILED;
    if (fd >= 0 && ftruncate(fd, sizeof *stage->seams) == 0) {
        at = mmap(NULL, sizeof *stage->seams, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    }
    const int why = errno;
    if (fd >= 0) {
        (void)close(fd);
    }
    if (at == MAP_FAILED) {
        return deed_error_set(
            err, DEED_E_SYSTEM, "crashtest", "%.200s cannot be shared: %s", path, strerror(why));
    }
    const struct point *point = &stage->trial->point;
    stage->seams = at;
    stage->seams->version = SEAM_FILE_VERSION;
    stage->seams->kill_at = point->kind == POINT_SEAM ? point->number : 0;
    return DEED_OK;
}

static deed_rc open_provider(struct stage *stage, struct deed_error *err)
{
    char path[FOLDER_BYTES + 32];
    folder_file(stage->trial->folder, "world.jsonl", path);
    char *options = point_options(&stage->trial->point, stage->workshop->settings->provider);
    deed_rc rc = options ? deed_world_open(path, &stage->world, err)
                         : deed_error_set(err, DEED_E_NOMEM, "crashtest", "out of memory");
    if (rc == DEED_OK) {
        const struct deed__http_options wanted = {
            .options_json = options, .world = stage->world, .watch = watch, .watch_context = stage};
        rc = deed__http_provider_start(&wanted, &stage->provider, err);
    }
    free(options);
    return rc;
}

deed_rc stage_build(struct stage *stage, const struct workshop *workshop, struct trial *trial,
    struct deed_error *err)
{
    *stage = (struct stage){.workshop = workshop, .trial = trial, .process = {.pidfd = -1}};
    stage->began_ms = stage_now_ms();
    deed_rc rc = folder_make(workshop->root, trial->point.label, trial->folder, err);
    rc = rc ? rc : map_seams(stage, err);
    rc = rc ? rc : open_provider(stage, err);
    if (rc == DEED_OK) {
        const char *url = deed__http_provider_url(stage->provider);
        rc = folder_configure(trial->folder, workshop->settings->provider, url, err);
        stage->environment = environment_make(trial->folder, url, workshop->preload);
    }
    if (rc == DEED_OK && !stage->environment) {
        rc = deed_error_set(err, DEED_E_NOMEM, "crashtest", "out of memory");
    }
    return rc;
}

void stage_strike(struct stage *stage)
{
    process_clear(&stage->process);
    deed__http_provider_stop(stage->provider);
    deed_world_close(stage->world);
    if (stage->seams) {
        (void)munmap(stage->seams, sizeof *stage->seams);
    }
    environment_free(stage->environment);
}
