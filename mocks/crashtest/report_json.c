/* SPDX-License-Identifier: MIT
 *
 * report_json.c - what programs are told; docs/reference/output.schema.json has the form.
 */
#include <stdlib.h>
#include <sys/wait.h>

#include <jansson.h>

#include "crashtest/report.h"

static void print(json_t *object)
{
    if (object) {
        (void)json_dumpf(object, stdout, JSON_COMPACT);
        (void)fputc('\n', stdout);
        (void)fflush(stdout);
    }
    json_decref(object);
}

/* A text of the command's, which may hold anything; null where there is none. */
static json_t *word(const char *text)
{
    json_t *value = text && text[0] ? json_string(text) : NULL;
    if (text && text[0] && !value) {
        value = json_string("(not UTF-8)");
    }
    return value ? value : json_null();
}

static json_t *number(uint64_t value)
{
    return json_integer((json_int_t)value);
}

static json_t *moment_json(const struct moment *moment)
{
    static const char *const kinds[] = {
        [MOMENT_START] = "start",
        [MOMENT_EVENT] = "event",
        [MOMENT_KILLED] = "killed",
        [MOMENT_LIMIT] = "time_limit",
        [MOMENT_END] = "end",
        [MOMENT_DELIVER] = "delivered",
    };
    json_t *object = json_pack("{s:I, s:I, s:s}", "at_ms", (json_int_t)moment->at_ms, "run",
        (json_int_t)moment->run, "what", kinds[moment->kind]);
    if (moment->kind == MOMENT_EVENT) {
        (void)json_object_set_new(object, "event", number(moment->number));
        (void)json_object_set_new(object, "word", word(moment->word));
        (void)json_object_set_new(object, "method", word(moment->method));
        (void)json_object_set_new(object, "name", word(moment->name));
        (void)json_object_set_new(object, "key", word(moment->key));
    } else if (moment->kind == MOMENT_END && WIFEXITED(moment->status)) {
        (void)json_object_set_new(object, "status", number((uint64_t)WEXITSTATUS(moment->status)));
    } else if (moment->kind == MOMENT_END) {
        (void)json_object_set_new(object, "signal", number((uint64_t)WTERMSIG(moment->status)));
    } else if (moment->kind == MOMENT_DELIVER) {
        (void)json_object_set_new(object, "effects", number(moment->number));
    }
    return object;
}

void json_trial(const struct report *report, const struct trial *trial)
{
    char *again = settings_replay(report->settings, trial->point.label);
    json_t *broken = json_array();
    json_t *story = json_array();
    for (size_t i = 0; i < trial->finding_count; i++) {
        (void)json_array_append_new(broken,
            json_pack("{s:s, s:o}", "promise", promise_word(trial->findings[i].promise), "text",
                word(trial->findings[i].text)));
    }
    for (size_t i = 0; i < trial->story.count; i++) {
        (void)json_array_append_new(story, moment_json(&trial->story.moments[i]));
    }
    print(json_pack("{s:s, s:s, s:s, s:o, s:I, s:o, s:o, s:o, s:o}", "schema", "deed/1", "object",
        "crashtest_trial", "point", trial->point.label, "where", word(trial->where), "runs",
        (json_int_t)trial->runs, "broken", broken, "story", story, "again", word(again), "folder",
        word(report->settings->keep ? trial->folder : NULL)));
    free(again);
}

void json_summary(const struct report *report)
{
    const struct counts *counts = &report->counts;
    json_t *object = json_pack("{s:s, s:s, s:s, s:b, s:b}", "schema", "deed/1", "object",
        "crashtest", "provider", report->settings->provider, "kept",
        counts->broken == 0 && !report->interrupted, "interrupted", report->interrupted);
    const struct {
        const char *name;
        uint64_t value;
    } members[] = {
        {"expect", report->expect},
        {"trials", counts->trials},
        {"broken", counts->broken},
        {"uncertain", counts->uncertain},
        {"missed", counts->missed},
        {"killed_before", counts->killed_before},
        {"killed_events", counts->killed_events},
        {"killed_seams", counts->killed_seams},
        {"faults", counts->faults},
        {"events", report->events},
        {"requests", report->requests},
        {"seams", report->seams},
    };
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
        (void)json_object_set_new(object, members[i].name, number(members[i].value));
    }
    print(object);
}
