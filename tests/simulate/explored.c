/* SPDX-License-Identifier: MIT */
#include "explored.h"

#include "support/test.h"

#include <inttypes.h>
#include <time.h>

#include "integrations.h"

static double seconds(void)
{
    struct timespec now = {0, 0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

struct deed_crash_report explored(const struct deed_crash_setup *setup)
{
    struct deed_crash_report report = {.size = sizeof(report)};
    struct deed_error err = {.text = ""};
    double start = seconds();
    if (deed_crash_explore(setup, &report, &err) != DEED_OK) {
        fail_msg("%s cannot be explored: %s", setup->name, err.text);
    }
    double took = seconds() - start;
    const struct deed_crash_counts *counts = &report.counts;
    print_message("%-24s %-13s %4" PRIu64 " points, %4" PRIu64 " died, %4" PRIu64
                  " powered, %4" PRIu64 " whole, most %3" PRIu64 " units, %7" PRIu64
                  " states, %6" PRIu64 " repeated, %7" PRIu64 " contents, %6" PRIu64
                  " trials, %5" PRIu64 " compared, %3" PRIu64 " replays, %6.2f s, %7.0f/s\n",
        setup->name, deed_provider_class_name(setup->provider), counts->points, counts->died,
        counts->powered, counts->whole, counts->units_most, counts->states, counts->repeated,
        counts->contents, counts->trials, counts->compared, counts->replays, took,
        (double)counts->states / took);
    return report;
}

struct deed_crash_setup deaths_of(deed_provider_class provider_class)
{
    return (struct deed_crash_setup){.size = sizeof(struct deed_crash_setup),
        .name = "payment",
        .program = integration_of(provider_class),
        .provider = provider_class,
        .no_faults = true};
}

void must_be_kept(const struct deed_crash_setup *setup)
{
    struct deed_crash_report report = explored(setup);
    if (report.broken) {
        fail_msg("%s: %s\n%s\n%s", report.promise, report.what, report.trail, report.timeline);
    }
    assert_true(report.complete);
    assert_true(report.counts.points > 0);
    assert_int_equal(report.counts.points, report.counts.died);
    assert_int_equal(setup->kills_only ? 0 : report.counts.points, report.counts.powered);
    if (!setup->kills_only && !setup->without_ledger) { /* power takes more than a kill does */
        assert_true(report.counts.states > 10 * report.counts.points);
        assert_true(report.counts.compared > 0);
        /* Most of it SQLite throws away, and the program would find the same. */
        assert_true(report.counts.contents > report.counts.states / 2);
    }
    deed_crash_report_clear(&report);
}
