/* SPDX-License-Identifier: MIT
 *
 * A failure: run again from its trail, made short, told as a time line, and run twice more, to see
 * that it is the same each time.
 */
#include "simulate/explore.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <deed/ext/error.h>

#define SHRINK_RUNS     400
#define TRAIL_BYTES_MAX 4096

const char *deed_crash_mark_name(uint32_t bit)
{
    return deed_crash__mark_text(bit);
}

deed_rc deed_crash__report_begin(struct deed_crash_report *report, struct deed_error *err)
{
    if (report == NULL || report->size != sizeof(*report)) {
        return deed_error_set(
            err, DEED_E_MISUSE, DEED_CRASH__ORIGIN, "a report needs its size before it is filled");
    }
    *report = (struct deed_crash_report){.size = sizeof(*report)};
    report->counts.size = sizeof(report->counts);
    return DEED_OK;
}

void deed_crash_report_clear(struct deed_crash_report *report)
{
    if (report != NULL) {
        free(report->what);
        free(report->trail);
        free(report->timeline);
        report->what = NULL;
        report->trail = NULL;
        report->timeline = NULL;
    }
}

/* ---- names ------------------------------------------------------------------------------- */

const char *deed_crash__promise(const char *broken)
{
    static const char *const names[] = {"IR1", "IR2", "IR3", "IR4", "IS1", "IS2", "IS3", "IS4",
        "IE1", "IE2", "IE3", "IB1", "IB2", "IB3", "IB4", "IB5", "IB6", "IB7", "IB8", "IF1", "IM1",
        "IM2", "IM3", "IL1", "IL2", "IL3"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strncmp(broken, names[i], strlen(names[i])) == 0 && broken[strlen(names[i])] == ':') {
            return names[i];
        }
    }
    return NULL;
}

/* Without the name, which stands beside it. */
static char *sentence(const char *broken)
{
    const char *promise = deed_crash__promise(broken);
    return strdup(promise == NULL ? broken : broken + strlen(promise) + 2);
}

static bool same_promise(const char *left, const char *right)
{
    const char *promise = deed_crash__promise(left);
    return promise == NULL ? strcmp(left, right) == 0 : promise == deed_crash__promise(right);
}

/* ---- runs -------------------------------------------------------------------------------- */

static deed_rc run_trail(struct deed_crash__explorer *explorer, const char *trail,
    struct deed_crash__timeline *timeline, struct deed_crash__result *result,
    struct deed_error *err)
{
    const struct deed_crash__want want = {.watches = true, .timeline = timeline};
    deed_choices *choices = NULL;
    deed_rc rc = deed_choices_replay(trail, &choices, err);
    if (rc == DEED_OK) {
        rc = deed_crash__whole(explorer, choices, &want, result, err);
    }
    deed_choices_free(choices);
    return rc;
}

static bool still_fails(void *context, deed_choices *choices)
{
    struct deed_crash__explorer *explorer = context;
    struct deed_crash__result result;
    const struct deed_crash__want want = {.watches = true};
    return deed_crash__whole(explorer, choices, &want, &result, NULL) == DEED_OK &&
        result.broken[0] != '\0' && same_promise(result.broken, explorer->broken);
}

/* In its shortest form; the one that was found, where the other is too long or gone. */
static deed_rc shorten(struct deed_crash__explorer *explorer, const char *trail, char **trail_out,
    struct deed_error *err)
{
    deed_rc rc = deed_choices_shrink(trail, still_fails, explorer, SHRINK_RUNS, trail_out, err);
    if (rc == DEED_OK && strlen(*trail_out) > TRAIL_BYTES_MAX) {
        (void)deed_error_set(err, DEED_E_CHECK, DEED_CRASH__ORIGIN,
            "the trail of a failure is longer than %d bytes", TRAIL_BYTES_MAX);
        free(*trail_out);
        *trail_out = NULL;
        rc = DEED_E_CHECK;
    }
    return rc;
}

static deed_rc not_the_same(struct deed_error *err, const char *broken, const char *again)
{
    return deed_error_set(err, DEED_E_CHECK, DEED_CRASH__ORIGIN,
        "the program is not the same twice: it broke '%s' and then '%s'; something in it depends "
        "on "
        "real time, chance or an address",
        broken, again);
}

/* ---- all --------------------------------------------------------------------------------- */

static deed_rc tell_run(struct deed_crash__explorer *explorer, const char *trail,
    struct deed_crash_report *report, struct deed_error *err)
{
    struct deed_crash__result first = {.broken = ""};
    struct deed_crash__result second = {.broken = ""};
    struct deed_crash__timeline *timeline = deed_crash__timeline_new();
    deed_rc rc = timeline == NULL
        ? deed_error_set(err, DEED_E_NOMEM, DEED_CRASH__ORIGIN, "no memory for a time line")
        : run_trail(explorer, trail, timeline, &first, err);
    if (rc == DEED_OK) {
        rc = run_trail(explorer, trail, NULL, &second, err);
    }
    if (rc == DEED_OK &&
        (first.trace_hash != second.trace_hash || first.image_hash != second.image_hash)) {
        rc = not_the_same(err, first.broken, second.broken);
    }
    if (rc == DEED_OK) {
        report->broken = first.broken[0] != '\0';
        report->promise = deed_crash__promise(first.broken);
        report->what = report->broken ? sentence(first.broken) : NULL;
        report->trail = strdup(trail);
        report->timeline = deed_crash__timeline_text(timeline);
        report->trace_hash = first.trace_hash;
        report->image_hash = first.image_hash;
        explorer->counts.replays++;
        explorer->counts.marks |= first.marks;
    }
    deed_crash__timeline_free(timeline);
    return rc;
}

deed_rc deed_crash__report(struct deed_crash__explorer *explorer, const char *trail,
    struct deed_crash_report *report, struct deed_error *err)
{
    struct deed_crash__result result;
    char *shortest = NULL;
    deed_rc rc = run_trail(explorer, trail, NULL, &result, err);
    if (rc == DEED_OK && !same_promise(result.broken, explorer->broken)) {
        rc = not_the_same(err, explorer->broken, result.broken);
    }
    if (rc == DEED_OK) {
        rc = shorten(explorer, trail, &shortest, err);
    }
    if (rc == DEED_OK) {
        rc = tell_run(explorer, shortest, report, err);
    }
    free(shortest);
    return rc;
}

deed_rc deed_crash_replay(const struct deed_crash_setup *setup, const char *trail,
    struct deed_crash_report *report_out, struct deed_error *err)
{
    struct deed_crash__explorer *explorer = NULL;
    deed_rc rc = deed_crash__report_begin(report_out, err);
    rc = rc == DEED_OK ? deed_crash__explorer_new(setup, &explorer, err) : rc;
    if (rc != DEED_OK) {
        return rc;
    }
    /* What is asked of the program, and its goal, are learned from a run without any fault. */
    rc = deed_crash__learn(explorer, err);
    if (rc == DEED_OK) {
        rc = tell_run(explorer, trail, report_out, err);
    }
    if (rc == DEED_OK) {
        report_out->counts = explorer->counts;
        report_out->complete = !report_out->broken;
    }
    deed_crash__explorer_free(explorer);
    return rc;
}
