/* SPDX-License-Identifier: MIT
 *
 * A page: scenarios against classes of provider, and below it what broke. One file, without scripts
 * and without anything from elsewhere.
 */
#include "programs/simulate_report.h"

#include <inttypes.h>

#define AGAIN_BYTES 4352
#define CLASSES     (DEED_CLASS_CLOSABLE + 1)

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<title>deed simulate: the crash matrix</title>\n<style>\n"
    "body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem; color: #1c2128; background: #fff "
    "}\n"
    "table { border-collapse: collapse; margin: 1rem 0 }\n"
    "th, td { border: 1px solid #c9d1d9; padding: .45rem .7rem; text-align: left; "
    "vertical-align: top }\n"
    "thead th { background: #f3f5f8 }\n"
    "td.kept { background: #e6f4ea } td.broken { background: #fbe3e1; font-weight: 600 }\n"
    "td.stopped { background: #fdf3d8 } td.none { color: #767f89 }\n"
    "small { color: #57606a; font-weight: 400 }\n"
    "pre { background: #f6f8fa; padding: 1rem; overflow-x: auto }\n"
    "@media (prefers-color-scheme: dark) { body { background: #11151a; color: #dfe4ea } "
    "thead th, pre { background: #1b2129 } th, td { border-color: #39424d } "
    "td.kept { background: #12301d } td.broken { background: #43201f } "
    "td.stopped { background: #3b3115 } small { color: #9aa4af } }\n"
    "</style>\n</head>\n<body>\n<h1>The crash matrix</h1>\n"
    "<p>Each cell is a scenario at one class of provider: deed was killed and lost its power at "
    "each\n"
    "of the points, and what it left was recovered and held against every promise.</p>\n";

static const struct simulated *cell_of(const struct simulate_results *results,
    const struct deed_crash__scenario *scenario, int provider_class)
{
    for (size_t i = 0; i < results->count; i++) {
        if (results->items[i].scenario == scenario &&
            (int)results->items[i].provider_class == provider_class) {
            return &results->items[i];
        }
    }
    return NULL;
}

static void print_cell(FILE *out, const struct simulated *simulated)
{
    if (simulated == NULL) {
        (void)fputs("<td class=\"none\">not run</td>", out);
        return;
    }
    const struct deed_crash_counts *counts = &simulated->report.counts;
    const char *word = simulated_failed(simulated) ? "broken"
        : simulated->report.complete               ? "kept"
                                                   : "stopped";
    (void)fprintf(out,
        "<td class=\"%s\">%s<br><small>%" PRIu64 " points, %" PRIu64 " states<br>%" PRIu64
        " faults, %" PRIu64 " uncertain in the end</small></td>",
        word, word, counts->points, counts->states, counts->faults, counts->uncertain);
}

static void print_row(
    FILE *out, const struct simulate_results *results, const struct deed_crash__scenario *scenario)
{
    (void)fputs("<tr><th>", out);
    simulate_report_escape(out, scenario->name);
    (void)fputs("<br><small>", out);
    simulate_report_escape(out, scenario->about);
    (void)fputs("</small></th>", out);
    for (int i = 0; i < CLASSES; i++) {
        print_cell(out, cell_of(results, scenario, i));
    }
    (void)fputs("</tr>\n", out);
}

static void print_matrix(FILE *out, const struct simulate_results *results)
{
    (void)fputs("<table>\n<thead><tr><th>scenario</th>", out);
    for (int i = 0; i < CLASSES; i++) {
        (void)fprintf(out, "<th>%s</th>", deed_provider_class_name((deed_provider_class)i));
    }
    (void)fputs("</tr></thead>\n<tbody>\n", out);
    for (size_t i = 0; i < results->count; i++) { /* a row where its scenario comes first */
        const struct deed_crash__scenario *scenario = results->items[i].scenario;
        size_t first = 0;
        while (results->items[first].scenario != scenario) {
            first++;
        }
        if (first == i) {
            print_row(out, results, scenario);
        }
    }
    (void)fputs("</tbody>\n</table>\n", out);
}

static void print_failure(FILE *out, const struct simulated *simulated)
{
    char again[AGAIN_BYTES];
    const struct deed_crash_report *report = &simulated->report;
    (void)fprintf(out, "<h2>%s, %s: %s</h2>\n<p>", simulated->scenario->name,
        deed_provider_class_name(simulated->provider_class),
        report->promise != NULL ? report->promise : "not met");
    if (report->what != NULL) {
        simulate_report_escape(out, report->what);
    }
    for (uint32_t bit = 0; bit < 64; bit++) {
        if ((simulated->unmet >> bit & 1) != 0) {
            (void)fputs("it had to meet this, and did not: ", out);
            simulate_report_escape(out, deed_crash_mark_name(bit));
            (void)fputs("<br>", out);
        }
    }
    (void)fputs("</p>\n", out);
    if (report->timeline != NULL) {
        (void)fputs("<pre>", out);
        simulate_report_escape(out, report->timeline);
        (void)fputs("</pre>\n", out);
    }
    if (simulated_again(simulated, again, sizeof(again))) {
        (void)fputs("<p>Again: <code>", out);
        simulate_report_escape(out, again);
        (void)fputs("</code></p>\n", out);
    }
}

deed_rc simulate_report_html(
    const struct simulate_results *results, const char *path, struct deed_error *err)
{
    FILE *file = simulate_report_open(path, err);
    if (file == NULL) {
        return DEED_E_SYSTEM;
    }
    (void)fputs(head, file);
    print_matrix(file, results);
    (void)fputs("<p>", file);
    simulate_report_sum(file, results);
    (void)fputs("</p>\n", file);
    for (size_t i = 0; i < results->count; i++) {
        if (simulated_failed(&results->items[i])) {
            print_failure(file, &results->items[i]);
        }
    }
    (void)fputs("</body>\n</html>\n", file);
    return simulate_report_close(file, path, err);
}
