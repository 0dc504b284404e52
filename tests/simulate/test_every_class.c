/* SPDX-License-Identifier: MIT
 *
 * Goal: an integration that is right is kept at every class of provider: every point, every way to
 * die, every fate of what was not flushed; and every fault of network and provider, with processes
 * that die at every point of it.
 */
#include "support/test.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "integrations.h"

static double seconds(void)
{
    struct timespec now = {0, 0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static struct deed_crash_report explore(const struct deed_crash_setup *setup)
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

static struct deed_crash_setup deaths_of(deed_provider_class provider_class)
{
    return (struct deed_crash_setup){.size = sizeof(struct deed_crash_setup),
        .name = "payment",
        .program = integration_of(provider_class),
        .provider = provider_class,
        .no_faults = true};
}

static void must_be_kept(const struct deed_crash_setup *setup)
{
    struct deed_crash_report report = explore(setup);
    if (report.broken) {
        fail_msg("%s: %s\n%s\n%s", report.promise, report.what, report.trail, report.timeline);
    }
    assert_true(report.complete);
    assert_true(report.counts.points > 0);
    assert_int_equal(report.counts.points, report.counts.died);
    assert_int_equal(setup->kills_only ? 0 : report.counts.points, report.counts.powered);
    deed_crash_report_clear(&report);
}

static void test_every_class__deaths_and_power_failures(void **state)
{
    (void)state;
    for (int c = DEED_CLASS_BLIND; c <= DEED_CLASS_CLOSABLE; c++) {
        struct deed_crash_setup setup = deaths_of((deed_provider_class)c);
        must_be_kept(&setup);
    }
}

static void test_every_class__faults_of_network_and_provider(void **state)
{
    (void)state;
    for (int c = DEED_CLASS_BLIND; c <= DEED_CLASS_CLOSABLE; c++) {
        struct deed_crash_setup setup = deaths_of((deed_provider_class)c);
        setup.no_faults = false;
        setup.kills_only = true;
        must_be_kept(&setup);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_class__deaths_and_power_failures),
        cmocka_unit_test(test_every_class__faults_of_network_and_provider),
    };
    return cmocka_run_group_tests_name("every_class", tests, NULL, NULL);
}
