/* SPDX-License-Identifier: MIT
 *
 * What programs read: an object for each simulation.
 */
#include "programs/simulate_report.h"

#include <inttypes.h>

#include <jansson.h>

#include <deed/ext/error.h>

#define AGAIN_BYTES 4352

static json_t *counts_of(const struct deed_crash_counts *counts)
{
    const struct {
        const char *name;
        uint64_t count;
    } members[] = {
        {"points", counts->points},
        {"killed", counts->died},
        {"powered", counts->powered},
        {"units_most", counts->units_most},
        {"whole", counts->whole},
        {"states", counts->states},
        {"repeated", counts->repeated},
        {"contents", counts->contents},
        {"trials", counts->trials},
        {"compared", counts->compared},
        {"replays", counts->replays},
        {"faults", counts->faults},
        {"uncertain", counts->uncertain},
        {"persons", counts->persons},
    };
    json_t *object = json_object();
    for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
        (void)json_object_set_new(
            object, members[i].name, json_integer((json_int_t)members[i].count));
    }
    return object;
}

static json_t *names_of(uint64_t marks)
{
    json_t *names = json_array();
    for (uint32_t bit = 0; bit < 64; bit++) {
        const char *name = (marks >> bit & 1) != 0 ? deed_crash_mark_name(bit) : NULL;
        if (name != NULL) {
            (void)json_array_append_new(names, json_string(name));
        }
    }
    return names;
}

static json_t *hash_of(const struct deed_crash_report *report, uint64_t hash)
{
    char text[17];
    (void)snprintf(text, sizeof(text), "%016" PRIx64, hash);
    return report->broken ? json_string(text) : json_null();
}

static json_t *object_of(const struct simulated *simulated)
{
    char again[AGAIN_BYTES];
    const struct deed_crash_report *report = &simulated->report;
    const bool repeatable = simulated_again(simulated, again, sizeof(again));
    return json_pack("{s:s, s:s, s:s, s:s, s:b, s:b, s:s?, s:s?, s:s?, s:s?, s:s?, s:o, s:o, s:o, "
                     "s:o, s:o, s:o, s:I}",
        "schema", "deed/1", "object", "simulation", "scenario", simulated->scenario->name, "class",
        deed_provider_class_name(simulated->provider_class), "broken", simulated_failed(simulated),
        "complete", report->complete, "promise", report->promise, "what", report->what, "trail",
        report->trail, "timeline", report->timeline, "next", repeatable ? again : NULL, "counts",
        counts_of(&report->counts), "met", names_of(report->counts.marks), "unmet",
        names_of(simulated->unmet), "seed",
        simulated->seed != 0 ? json_integer((json_int_t)simulated->seed) : json_null(),
        "trace_hash", hash_of(report, report->trace_hash), "image_hash",
        hash_of(report, report->image_hash), "took_ms", (json_int_t)simulated->took_ms);
}

bool simulate_report_line(FILE *out, const struct simulated *simulated)
{
    json_t *object = object_of(simulated);
    const bool done = object != NULL && json_dumpf(object, out, JSON_COMPACT) == 0 &&
        fputc('\n', out) != EOF && fflush(out) == 0;
    json_decref(object);
    return done;
}

deed_rc simulate_report_json(
    const struct simulate_results *results, const char *path, struct deed_error *err)
{
    json_t *all = json_array();
    for (size_t i = 0; i < results->count; i++) {
        (void)json_array_append_new(all, object_of(&results->items[i]));
    }
    json_t *document = json_pack("{s:s, s:s, s:b, s:o}", "schema", "deed/1", "object",
        "simulations", "interrupted", results->interrupted, "simulations", all);
    if (document == NULL || json_array_size(all) != results->count) {
        json_decref(document);
        return deed_error_set(err, DEED_E_NOMEM, "simulate", "no memory for the report");
    }
    FILE *file = simulate_report_open(path, err);
    deed_rc rc = file != NULL ? DEED_OK : DEED_E_SYSTEM;
    if (file != NULL) {
        (void)json_dumpf(document, file, JSON_COMPACT);
        (void)fputc('\n', file);
        rc = simulate_report_close(file, path, err);
    }
    json_decref(document);
    return rc;
}
