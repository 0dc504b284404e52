/* SPDX-License-Identifier: MIT
 *
 * Goal: deed keeps its promises in every scenario that comes with the kit; and each scenario meets
 * what it is there for.
 *
 * Method: each is explored with deaths of processes at one of its classes; with DEED_CRASH_FULL=1
 * at all of them, with power failures and faults, and with DEED_CRASH_TWICE=1 with deaths in
 * recoveries where it is small enough. DEED_SCENARIO names the only one.
 */
#include "support/test.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "simulate/scenarios.h"

static bool is_wanted(const char *name)
{
    const char *value = getenv(name);
    return value != NULL && value[0] == '1';
}

static bool in_full(void)
{
    return is_wanted("DEED_CRASH_FULL");
}

static void fail_missing(const struct deed_crash__scenario *scenario, uint64_t missing)
{
    for (uint32_t bit = 0; deed_crash_mark_name(bit) != NULL; bit++) {
        if ((missing >> bit & 1) != 0) {
            fail_msg("%s: this was never met: %s", scenario->name, deed_crash_mark_name(bit));
        }
    }
}

static void explore(const struct deed_crash__scenario *scenario, deed_provider_class provider_class)
{
    struct deed_crash__scene scene;
    struct deed_crash_setup setup;
    struct deed_crash_report report = {.size = sizeof(report)};
    struct deed_error err = {.text = ""};
    assert_true(deed_crash__scenario_setup(scenario, provider_class, &scene, &setup));
    setup.kills_only = !in_full();
    setup.no_faults = setup.no_faults || !in_full();
    setup.twice = scenario->twice && is_wanted("DEED_CRASH_TWICE");
    if (deed_crash_explore(&setup, &report, &err) != DEED_OK) {
        fail_msg("%s: %s", scenario->name, err.text);
    }
    print_message("%-22s %-13s %5" PRIu64 " points, %6" PRIu64 " states, %6" PRIu64
                  " trials, %4" PRIu64 " persons\n",
        scenario->name, deed_provider_class_name(provider_class), report.counts.points,
        report.counts.states, report.counts.trials, report.counts.persons);
    if (report.broken) {
        fail_msg("%s at %s: %s: %s\n%s\n%s", scenario->name,
            deed_provider_class_name(provider_class), report.promise, report.what, report.trail,
            report.timeline);
    }
    assert_true(report.complete);
    assert_int_equal(report.counts.points, report.counts.died);
    fail_missing(scenario, deed_crash__scenario_missing(scenario, &setup, &report.counts));
    deed_crash_report_clear(&report);
}

static void test_scenarios__all_are_kept_and_meet_their_marks(void **state)
{
    const struct deed_crash__scenario *scenario = NULL;
    const char *only = getenv("DEED_SCENARIO");
    (void)state;
    for (size_t i = 0; (scenario = deed_crash__scenario_at(i)) != NULL; i++) {
        if (only != NULL && strcmp(only, scenario->name) != 0) {
            continue;
        }
        assert_ptr_equal(scenario, deed_crash__scenario_named(scenario->name));
        bool once = false;
        for (int c = DEED_CLASS_CLOSABLE; c >= DEED_CLASS_BLIND; c--) {
            if ((scenario->classes & (1U << c)) != 0 && (!once || in_full())) {
                explore(scenario, (deed_provider_class)c);
                once = true;
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scenarios__all_are_kept_and_meet_their_marks),
    };
    return cmocka_run_group_tests_name("scenarios", tests, NULL, NULL);
}
