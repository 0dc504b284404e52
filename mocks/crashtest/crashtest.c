/* SPDX-License-Identifier: MIT
 *
 * crashtest.c - all trials of one command.
 */
#include "crashtest/crashtest.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <deed/ext/error.h>
#include <deed/machine.h>

#include "crashtest/environment.h"
#include "crashtest/process.h"
#include "crashtest/report.h"

/* The points of a command, in the order of its trials. */
struct points {
    struct point *all;
    size_t count;
};

static void add(struct points *points, const struct settings *settings, struct point point)
{
    if (point_is_meant(point.label, settings->only)) {
        points->all[points->count++] = point;
    }
}

/* A point about an effect request: it goes by the request's NAME, since others may come between. */
static struct point at_request(
    enum point_kind kind, const struct trial *unharmed, size_t i, const struct fault *fault)
{
    struct point point = point_make(kind, i + 1, fault);
    point.name = unharmed->requests[i].name;
    point.occurrence = unharmed->requests[i].occurrence;
    return point;
}

static bool fits(const struct fault *fault, const char *provider_class)
{
    return !fault->needs_keys || strncmp(provider_class, "keyed", strlen("keyed")) == 0;
}

static deed_rc list_points(struct points *points, const struct settings *settings,
    const struct trial *unharmed, struct deed_error *err)
{
    size_t fault_count = 0;
    while (fault_at(fault_count)) {
        fault_count++;
    }
    points->all = calloc(
        unharmed->request_count * (fault_count + 1) + unharmed->events + unharmed->crossings + 1,
        sizeof *points->all);
    if (!points->all) {
        return deed_error_set(err, DEED_E_NOMEM, "crashtest", "out of memory");
    }
    for (size_t i = 0; i < unharmed->request_count; i++) {
        add(points, settings, at_request(POINT_BEFORE, unharmed, i, NULL));
    }
    for (uint64_t k = 1; k <= unharmed->events; k++) {
        add(points, settings, point_make(POINT_EVENT, k, NULL));
    }
    for (uint64_t k = 1; k <= unharmed->crossings; k++) {
        add(points, settings, point_make(POINT_SEAM, k, NULL));
    }
    for (size_t f = 0; f < fault_count; f++) {
        for (size_t i = 0; i < unharmed->request_count; i++) {
            if (fits(fault_at(f), settings->provider)) {
                add(points, settings, at_request(POINT_FAULT, unharmed, i, fault_at(f)));
            }
        }
    }
    return DEED_OK;
}

/* ---- the unharmed run --------------------------------------------------------------------------- */

/* A word of the command that is a file here is not one in the empty folder of a trial. */
static const char *file_left_here(const struct settings *settings)
{
    for (char *const *word = settings->command; *word; word++) {
        const bool looked_up = word == settings->command && !strchr(*word, '/');
        if (**word != '/' && !looked_up && access(*word, F_OK) == 0) {
            return *word;
        }
    }
    return NULL;
}

static const char *how_it_ended(const struct trial *trial)
{
    if (trial->ending == ENDING_TOO_LONG) {
        return "ran too long and was ended by signal";
    }
    return trial->last_status < 0 ? "died of signal" : "ended";
}

/* Nothing can be learned from harming what does not work unharmed. */
static deed_rc check_unharmed(
    const struct settings *settings, const struct trial *trial, struct deed_error *err)
{
    if (trial->ending != ENDING_DONE) {
        const char *file = file_left_here(settings);
        report_output(trial);
        return deed_error_set(err, DEED_E_SYSTEM, "crashtest",
            "the command cannot be tested: nobody harmed it, and it %s %d instead of ending "
            "0%s%.80s%s",
            how_it_ended(trial), abs(trial->last_status),
            file ? ". It starts in an empty folder: name the file as \"$PWD/" : "",
            file ? file : "", file ? "\"" : "");
    }
    if (trial->effect_count == 0 && settings->expect == 0) {
        return deed_error_set(err, DEED_E_SYSTEM, "crashtest",
            "the command ended 0 and nothing took effect: an effect is a POST to "
            "$DEED_MOCK_URL/effects/NAME; with --expect N it is judged for N of them");
    }
    return DEED_OK;
}

/* ---- all ---------------------------------------------------------------------------------------- */

struct session {
    struct workshop workshop;
    struct report report;
    struct trial unharmed;
    struct points points;
    bool kept_folders;
};

static void put_away(struct session *session, struct trial *trial)
{
    if (trial->folder[0] && trial->finding_count > 0 && session->workshop.settings->keep) {
        session->kept_folders = true;
    } else if (trial->folder[0]) {
        folder_remove(trial->folder);
    }
}

static deed_rc run_unharmed(struct session *session, struct deed_error *err)
{
    const struct settings *settings = session->workshop.settings;
    const struct point nowhere = point_make(POINT_UNHARMED, 0, NULL);
    struct trial *trial = &session->unharmed;
    report_progress(&session->report, 0, 1, nowhere.label);
    deed_rc rc = trial_run(&session->workshop, &nowhere, trial, err);
    rc = rc ? rc : check_unharmed(settings, trial, err);
    if (rc == DEED_OK) {
        session->report.events = trial->events;
        session->report.requests = trial->request_count;
        session->report.seams = trial->crossings;
        session->report.expect = settings->expect > 0 ? settings->expect : trial->effect_count;
        session->workshop.unharmed = trial;
        if (point_is_meant(nowhere.label, settings->only)) {
            report_trial(&session->report, trial);
        }
    }
    put_away(session, trial);
    return rc;
}

static deed_rc run_points(struct session *session, struct deed_error *err)
{
    deed_rc rc = DEED_OK;
    for (size_t i = 0; rc == DEED_OK && i < session->points.count; i++) {
        const struct point *point = &session->points.all[i];
        struct trial trial;
        report_progress(&session->report, i + 1, session->points.count, point->label);
        rc = trial_run(&session->workshop, point, &trial, err);
        if (rc == DEED_OK) {
            report_trial(&session->report, &trial);
        }
        put_away(session, &trial);
        trial_finish(&trial);
    }
    return rc;
}

static void find_program(struct workshop *workshop)
{
    const char *word = workshop->settings->command[0];
    char *here = word[0] != '/' && strchr(word, '/') ? getcwd(NULL, 0) : NULL;
    (void)snprintf(workshop->program, sizeof workshop->program, "%s%s%s", here ? here : "",
        here ? "/" : "", word);
    free(here);
}

static deed_rc run_all(struct session *session, struct deed_error *err)
{
    const struct settings *settings = session->workshop.settings;
    deed_rc rc = process_adopt_orphans(err);
    rc = rc ? rc : report_start(&session->report, settings, err);
    rc = rc ? rc : folder_root(session->workshop.root, err);
    if (rc != DEED_OK) {
        return rc;
    }
    find_program(&session->workshop);
    environment_find_preload(session->workshop.preload, sizeof session->workshop.preload);
    session->report.seams_seen = session->workshop.preload[0] != '\0';
    rc = run_unharmed(session, err);
    rc = rc ? rc : list_points(&session->points, settings, &session->unharmed, err);
    const bool asked_for_unharmed = settings->only && strcmp(settings->only, "unharmed") == 0;
    if (rc == DEED_OK && session->points.count == 0 && !asked_for_unharmed && settings->only) {
        rc = deed_error_set(err, DEED_E_INVALID, "crashtest",
            "--only `%.60s` names no point: there are unharmed, before:1 to %zu, event:1 to "
            "%" PRIu64 ", seam:1 to %" PRIu64 ", and fault:WORD:N",
            settings->only, session->unharmed.request_count, session->unharmed.events,
            session->unharmed.crossings);
    }
    rc = rc ? rc : run_points(session, err);
    if (rc == DEED_OK || rc == DEED_E_INTERRUPTED) {
        struct deed_error why = {0};
        session->report.interrupted = rc == DEED_E_INTERRUPTED;
        const deed_rc told = report_end(&session->report, &why);
        if (told != DEED_OK && rc == DEED_OK) {
            rc = told;
            *err = why;
        }
    }
    return rc;
}

int crashtest(const struct settings *settings)
{
    struct session *session = calloc(1, sizeof *session);
    struct deed_error err = {0};
    deed_rc rc = DEED_E_NOMEM;
    if (session) {
        session->workshop.settings = settings;
        trial_listen();
        rc = run_all(session, &err);
    } else {
        deed_error_set(&err, DEED_E_NOMEM, "crashtest", "out of memory");
    }
    const bool broken = session && session->report.counts.broken > 0;
    if (rc != DEED_OK) {
        report_error(settings, &err);
    }
    if (session) {
        if (session->workshop.root[0] && !session->kept_folders) {
            folder_remove(session->workshop.root);
        }
        free(session->points.all);
        trial_finish(&session->unharmed);
        report_finish(&session->report);
    }
    free(session);
    if (rc == DEED_OK && broken) {
        rc = DEED_E_CHECK;
    }
    return deed_exit_status(rc, DEED_EXIT_OTHER, NULL);
}
