/* SPDX-License-Identifier: MIT
 *
 * report.c - what people are told, and who else is told.
 */
#include "crashtest/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include <deed/ext/error.h>

#define STORY_HEAD 24 /* of a long story: so many moments at the start, */
#define STORY_TAIL 36 /* and so many at the end */
#define TOLD_WHOLE 5  /* broken trials with their story; of the rest, one line and the command */
#define TAIL_BYTES 2000

static void clear_line(const struct report *report)
{
    if (report->progress) {
        (void)fputs("\r\033[K", stderr);
    }
}

deed_rc report_start(struct report *report, const struct settings *settings, struct deed_error *err)
{
    const char *terminal = getenv("TERM");
    const bool dumb = terminal && strcmp(terminal, "dumb") == 0;
    *report = (struct report){.settings = settings};
    report->progress = !dumb && isatty(STDERR_FILENO) == 1;
    report->junit = open_memstream(&report->junit_text, &report->junit_bytes);
    return report->junit ? DEED_OK
                         : deed_error_set(err, DEED_E_NOMEM, "crashtest", "out of memory");
}

void report_progress(struct report *report, uint64_t done, uint64_t all, const char *label)
{
    if (report->progress) {
        (void)fprintf(stderr, "\r\033[K%" PRIu64 "/%" PRIu64 " %s%s", done, all, label,
            report->counts.broken > 0 ? ", broken so far" : "");
    }
}

static void count(struct counts *counts, const struct trial *trial)
{
    uint64_t *const of_kind[] = {
        [POINT_UNHARMED] = NULL,
        [POINT_BEFORE] = &counts->killed_before,
        [POINT_EVENT] = &counts->killed_events,
        [POINT_SEAM] = &counts->killed_seams,
        [POINT_FAULT] = &counts->faults,
    };
    uint64_t *kind = of_kind[trial->point.kind];
    counts->trials++;
    counts->broken += trial->finding_count > 0;
    counts->uncertain += trial->ending == ENDING_UNCERTAIN;
    counts->missed += !trial->met;
    if (kind && trial->met) {
        (*kind)++;
    }
}

void story_print(FILE *out, const struct story *story)
{
    const size_t head = story->count > STORY_HEAD + STORY_TAIL ? STORY_HEAD : story->count;
    for (size_t i = 0; i < story->count; i++) {
        char text[MOMENT_TEXT_BYTES];
        if (i == head && head < story->count) {
            i = story->count - STORY_TAIL;
            (void)fprintf(out, "           ... %zu more ...\n", i - head);
        }
        const struct moment *moment = &story->moments[i];
        moment_text(moment, text);
        (void)fprintf(out, "  %3" PRId64 ".%03" PRId64 "  %s\n", moment->at_ms / 1000,
            moment->at_ms % 1000, text);
    }
}

static void text_trial(const struct report *report, const struct trial *trial)
{
    char *again = settings_replay(report->settings, trial->point.label);
    for (size_t i = 0; i < trial->finding_count; i++) {
        (void)printf("%s %s: %s\n", trial->point.label, promise_word(trial->findings[i].promise),
            trial->findings[i].text);
    }
    if (trial->where[0]) {
        (void)printf("  %s\n", trial->where);
    }
    if (report->counts.broken <= TOLD_WHOLE) {
        story_print(stdout, &trial->story);
    }
    if (report->settings->keep) {
        (void)printf("  kept in: %s\n", trial->folder);
    }
    (void)printf("  again: %s\n\n", again ? again : "(no memory for it)");
    free(again);
    (void)fflush(stdout);
}

void report_trial(struct report *report, const struct trial *trial)
{
    count(&report->counts, trial);
    junit_case(report->junit, report->settings, trial);
    if (trial->finding_count == 0) {
        return;
    }
    clear_line(report);
    if (report->settings->json) {
        json_trial(report, trial);
    } else {
        text_trial(report, trial);
    }
}

static void text_summary(const struct report *report)
{
    const struct counts *counts = &report->counts;
    (void)printf("%" PRIu64 " trial%s at a %s provider: %" PRIu64
                 " killed at a boundary event, %" PRIu64 " before a request, %" PRIu64
                 " at a seam of deed; %" PRIu64 " with a fault of the provider\n",
        counts->trials, counts->trials == 1 ? "" : "s", report->settings->provider,
        counts->killed_events, counts->killed_before, counts->killed_seams, counts->faults);
    (void)printf("%" PRIu64 " ended 3, not known; ", counts->uncertain);
    if (counts->broken > 0) {
        (void)printf("%" PRIu64 " broke a promise\n", counts->broken);
    } else {
        (void)printf("every promise was kept%s\n", report->interrupted ? " so far" : "");
    }
}

deed_rc report_end(struct report *report, struct deed_error *err)
{
    clear_line(report);
    if (report->settings->json) {
        json_summary(report);
    } else {
        text_summary(report);
        if (report->counts.missed > 0) {
            (void)fprintf(stderr,
                "warning: points that were not reached: %" PRIu64
                "; the command does not do the same each time\n",
                report->counts.missed);
        }
        if (!report->seams_seen) {
            (void)fputs("warning: nothing was killed at deed's own seams: "
                        "libdeed-crashtest-preload.so is not where deed is installed\n",
                stderr);
        }
    }
    if (fflush(stdout) != 0 || ferror(stdout) != 0) {
        return deed_error_set(
            err, DEED_E_SYSTEM, "crashtest", "the answer could not be written to standard output");
    }
    return report->settings->junit ? junit_write(report, err) : DEED_OK;
}

void report_finish(struct report *report)
{
    if (report->junit) {
        (void)fclose(report->junit);
    }
    free(report->junit_text);
    *report = (struct report){0};
}

void report_error(const struct settings *settings, const struct deed_error *err)
{
    (void)fflush(stdout);
    if (!settings->json) {
        (void)fprintf(stderr, "deed: %s\n", err->text);
        return;
    }
    const char *code = deed_rc_name(err->rc);
    json_t *object = json_pack("{s:s, s:s, s:s, s:s, s:n, s:n, s:s}", "schema", "deed/1", "object",
        "error", "code", code ? code : "DEED_E_SYSTEM", "message", err->text, "key", "next",
        "origin", err->origin);
    if (object) {
        (void)json_dumpf(object, stderr, JSON_COMPACT);
        (void)fputc('\n', stderr);
    }
    json_decref(object);
}

void report_output(const struct trial *trial)
{
    char path[FOLDER_BYTES + 32];
    char text[TAIL_BYTES + 1];
    folder_file(trial->folder, "output", path);
    FILE *file = fopen(path, "re");
    if (!file) {
        return;
    }
    if (fseek(file, -(long)TAIL_BYTES, SEEK_END) != 0) {
        rewind(file);
    }
    const size_t bytes = fread(text, 1, TAIL_BYTES, file);
    (void)fclose(file);
    if (bytes > 0) {
        (void)fputs("What it printed last:\n", stderr);
        (void)fwrite(text, 1, bytes, stderr);
        (void)fputs(text[bytes - 1] == '\n' ? "" : "\n", stderr);
    }
}
