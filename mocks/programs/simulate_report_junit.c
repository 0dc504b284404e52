/* SPDX-License-Identifier: MIT
 *
 * What a server that collects test results reads.
 */
#include "programs/simulate_report.h"

#include <inttypes.h>

#define AGAIN_BYTES 4352

static void print_failure(FILE *out, const struct simulated *simulated)
{
    char again[AGAIN_BYTES];
    const struct deed_crash_report *report = &simulated->report;
    (void)fprintf(out, "    <failure type=\"%s\" message=\"",
        report->promise != NULL ? report->promise : "unmet");
    simulate_report_escape(
        out, report->broken ? report->what : "what this simulation has to meet did not happen");
    (void)fputs("\">", out);
    if (report->timeline != NULL) {
        simulate_report_escape(out, report->timeline);
    }
    if (simulated_again(simulated, again, sizeof(again))) {
        (void)fputs("\nagain: ", out);
        simulate_report_escape(out, again);
    }
    (void)fputs("</failure>\n", out);
}

static void print_case(FILE *out, const struct simulated *simulated)
{
    (void)fprintf(out,
        "  <testcase classname=\"simulate.%s\" name=\"%s\" time=\"%" PRId64 ".%03" PRId64 "\">\n",
        simulated->scenario->name, deed_provider_class_name(simulated->provider_class),
        simulated->took_ms / 1000, simulated->took_ms % 1000);
    if (simulated_failed(simulated)) {
        print_failure(out, simulated);
    } else if (!simulated->report.complete) {
        (void)fputs("    <skipped message=\"stopped\"/>\n", out);
    }
    (void)fputs("  </testcase>\n", out);
}

deed_rc simulate_report_junit(
    const struct simulate_results *results, const char *path, struct deed_error *err)
{
    size_t failures = 0;
    size_t skipped = 0;
    for (size_t i = 0; i < results->count; i++) {
        const bool failed = simulated_failed(&results->items[i]);
        failures += failed ? 1 : 0;
        skipped += !failed && !results->items[i].report.complete ? 1 : 0;
    }
    FILE *file = simulate_report_open(path, err);
    if (file == NULL) {
        return DEED_E_SYSTEM;
    }
    (void)fprintf(file,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<testsuite name=\"deed simulate\" tests=\"%zu\" failures=\"%zu\" skipped=\"%zu\">\n",
        results->count, failures, skipped);
    for (size_t i = 0; i < results->count; i++) {
        print_case(file, &results->items[i]);
    }
    (void)fputs("</testsuite>\n", file);
    return simulate_report_close(file, path, err);
}
