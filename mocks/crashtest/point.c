/* SPDX-License-Identifier: MIT
 *
 * point.c - where a trial does its harm.
 */
#include "crashtest/point.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <jansson.h>

static const struct fault faults[] = {
    {"lost", "{\"do\": \"lose\"}", "it took effect, and the answer was lost", false},
    {"late", "{\"do\": \"late\"}", "no answer came, and it took effect at the very end", false},
    {"late-look", "{\"do\": \"late\", \"land\": {\"after_looks\": 1}}",
        "no answer came, and it took effect after the next look-up, or at the very end", false},
    {"error", "{\"do\": \"error\", \"effect\": true}",
        "it took effect, and was answered with an error of the server", false},
    {"duplicate", "{\"do\": \"answer\", \"duplicates\": 1}", "the network delivered it twice",
        true},
    {"cut-header", "{\"do\": \"answer\", \"cut\": \"header\"}",
        "it took effect, and the answer broke off in its header", false},
    {"cut-body", "{\"do\": \"answer\", \"cut\": \"body\"}",
        "it took effect, and the answer broke off in its body", false},
    {"hang", "{\"do\": \"hang\"}", "it took effect, and no answer ever came", false},
    {"unreachable", "{\"do\": \"unreachable\"}", "the connection broke, and nothing had arrived",
        false},
    {"refuse", "{\"do\": \"refuse\"}", "it was refused before it was accepted", false},
};

const struct fault *fault_at(size_t index)
{
    return index < sizeof faults / sizeof faults[0] ? &faults[index] : NULL;
}

/* As if the process had died before its request went out. */
static const char never_sent[] = "{\"do\": \"unreachable\"}";

struct point point_make(enum point_kind kind, uint64_t number, const struct fault *fault)
{
    static const char *const words[] = {
        [POINT_UNHARMED] = "unharmed",
        [POINT_BEFORE] = "before",
        [POINT_EVENT] = "event",
        [POINT_SEAM] = "seam",
        [POINT_FAULT] = "fault",
    };
    struct point point = {.kind = kind, .number = number, .fault = fault};
    if (kind == POINT_UNHARMED) {
        (void)snprintf(point.label, sizeof point.label, "%s", words[kind]);
    } else {
        (void)snprintf(point.label, sizeof point.label, "%s%s%s:%" PRIu64, words[kind],
            fault ? ":" : "", fault ? fault->word : "", number);
    }
    return point;
}

bool point_is_meant(const char *label, const char *only_or_null)
{
    const size_t bytes = only_or_null ? strlen(only_or_null) : 0;
    return !only_or_null ||
        (strncmp(label, only_or_null, bytes) == 0 && (label[bytes] == '\0' || label[bytes] == ':'));
}

/* Answers to the requests of that NAME before this one, this one's step, and answers again. */
static json_t *script_of(const struct point *point, const char *step)
{
    json_t *script = json_array();
    if (point->occurrence > 1) {
        (void)json_array_append_new(script,
            json_pack("{s:s, s:I}", "do", "answer", "count", (json_int_t)point->occurrence - 1));
    }
    (void)json_array_append_new(script, json_loads(step, 0, NULL));
    (void)json_array_append_new(script, json_pack("{s:s}", "do", "answer"));
    return script;
}

char *point_options(const struct point *point, const char *provider_class)
{
    const char *step = point->kind == POINT_BEFORE ? never_sent : NULL;
    if (point->kind == POINT_FAULT) {
        step = point->fault->step;
    }
    json_t *options = json_pack("{s:s}", "class", provider_class);
    if (step && point->name) {
        (void)json_object_set_new(
            options, "scripts", json_pack("{s:o}", point->name, script_of(point, step)));
    }
    char *text = options ? json_dumps(options, JSON_COMPACT) : NULL;
    json_decref(options);
    return text;
}
