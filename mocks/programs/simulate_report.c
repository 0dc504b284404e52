/* SPDX-License-Identifier: MIT
 *
 * What people read.
 */
#include "programs/simulate_report.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include <deed/ext/error.h>

#define PROGRAM     "simulate"
#define AGAIN_BYTES 4352

/* ---- one ---------------------------------------------------------------------------------- */

static void print_counts(FILE *out, const struct simulated *simulated)
{
    const struct deed_crash_counts *counts = &simulated->report.counts;
    if (simulated->seed != 0) {
        (void)fprintf(out,
            "%" PRIu64 " runs from seed %" PRIu64 ", %" PRIu64 " with a death, %" PRIu64
            " with a fault, %" PRIu64 " distinct states",
            counts->trials, simulated->seed, counts->died, counts->faults, counts->states);
        return;
    }
    (void)fprintf(out,
        "%" PRIu64 " points, killed at %" PRIu64 ", power lost at %" PRIu64 " (%" PRIu64
        " of them with every combination of up to %" PRIu64 " writes), %" PRIu64 " states, %" PRIu64
        " recovered, %" PRIu64 " faults",
        counts->points, counts->died, counts->powered, counts->whole, counts->units_most,
        counts->states, counts->trials, counts->faults);
}

static void print_unmet(FILE *out, uint64_t unmet)
{
    for (uint32_t bit = 0; bit < 64; bit++) {
        if ((unmet >> bit & 1) != 0) {
            (void)fprintf(
                out, "  it had to meet this, and did not: %s\n", deed_crash_mark_name(bit));
        }
    }
}

void simulate_report_text(FILE *out, const struct simulated *simulated)
{
    char again[AGAIN_BYTES];
    const struct deed_crash_report *report = &simulated->report;
    (void)fprintf(out, "%-12s %-13s %s: ", simulated->scenario->name,
        deed_provider_class_name(simulated->provider_class),
        simulated_failed(simulated) ? "BROKEN"
            : report->complete      ? "kept"
                                    : "stopped");
    print_counts(out, simulated);
    (void)fprintf(out, ", %" PRId64 ".%" PRId64 " s\n", simulated->took_ms / 1000,
        simulated->took_ms % 1000 / 100);
    print_unmet(out, simulated->unmet);
    if (report->broken) {
        (void)fprintf(out, "\n  %s: %s\n\n%s\n  trace %016" PRIx64 ", image %016" PRIx64 "\n",
            report->promise != NULL ? report->promise : "broken", report->what,
            report->timeline != NULL ? report->timeline : "", report->trace_hash,
            report->image_hash);
    }
    if (simulated_again(simulated, again, sizeof(again))) {
        (void)fprintf(out, "  again: %s\n\n", again);
    }
}

/* ---- all ---------------------------------------------------------------------------------- */

void simulate_report_sum(FILE *out, const struct simulate_results *results)
{
    uint64_t states = 0;
    uint64_t trials = 0;
    uint64_t uncertain = 0;
    uint64_t replays = 0;
    size_t failed = 0;
    int64_t took_ms = 0;
    for (size_t i = 0; i < results->count; i++) {
        const struct deed_crash_counts *counts = &results->items[i].report.counts;
        states += counts->states;
        trials += counts->trials;
        uncertain += counts->uncertain;
        replays += counts->replays;
        failed += simulated_failed(&results->items[i]) ? 1 : 0;
        took_ms += results->items[i].took_ms;
    }
    (void)fprintf(out,
        "%zu simulations: %" PRIu64 " distinct crash states, %" PRIu64
        " recovered and finished, %" PRIu64 " of them uncertain in the end; %" PRIu64
        " run again from their trail\n",
        results->count, states, trials, uncertain, replays);
    (void)fprintf(out, "%" PRId64 " states a second\n",
        (int64_t)(states * 1000 / (uint64_t)(took_ms > 0 ? took_ms : 1)));
    if (failed > 0) {
        (void)fprintf(out, "%zu broke a promise, or did not meet what they must\n", failed);
    } else {
        (void)fprintf(out, "every promise was kept%s\n", results->interrupted ? " so far" : "");
    }
}

/* ---- files -------------------------------------------------------------------------------- */

static deed_rc cannot_write(const char *path, struct deed_error *err)
{
    return deed_error_set(err, DEED_E_SYSTEM, PROGRAM, "%.200s cannot be written: %s", path,
        strerror(errno)); /* NOLINT(concurrency-mt-unsafe): one thread */
}

FILE *simulate_report_open(const char *path, struct deed_error *err)
{
    FILE *file = fopen(path, "we");
    if (file == NULL) {
        (void)cannot_write(path, err);
    }
    return file;
}

deed_rc simulate_report_close(FILE *file, const char *path, struct deed_error *err)
{
    const bool whole = ferror(file) == 0;
    return fclose(file) == 0 && whole ? DEED_OK : cannot_write(path, err);
}

void simulate_report_escape(FILE *out, const char *text)
{
    for (const char *at = text; *at != '\0'; at++) {
        const unsigned char byte = (unsigned char)*at;
        if (byte == '&') {
            (void)fputs("&amp;", out);
        } else if (byte == '<') {
            (void)fputs("&lt;", out);
        } else if (byte == '>') {
            (void)fputs("&gt;", out);
        } else if (byte == '"') {
            (void)fputs("&quot;", out);
        } else {
            (void)fputc((byte < 0x20 && byte != '\n') || byte >= 0x7f ? '?' : byte, out);
        }
    }
}
