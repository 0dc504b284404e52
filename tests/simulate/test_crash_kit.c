/* SPDX-License-Identifier: MIT
 *
 * Goal: what is right is kept wherever it dies, at every class of provider; what is wrong is
 * broken, by the name of the promise, with a trail that breaks it again in the same way.
 *
 * Method: integrations as other people write them, against the calls of deed/mock/crash.h alone.
 */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#include "explored.h"
#include "integrations.h"

/* Broken, and again by its trail, with the same hashes. */
static void must_break(const struct deed_crash_setup *setup, const char *promise)
{
    struct deed_crash_report report = explored(setup);
    struct deed_crash_report again = {.size = sizeof(again)};
    struct deed_error err = {.text = ""};
    assert_true(report.broken);
    assert_false(report.complete);
    print_message("%s: %s\n%s", report.promise, report.what, report.trail);
    assert_string_equal(promise, report.promise);
    assert_true(strlen(report.trail) <= 4096);
    assert_non_null(strstr(report.timeline, "broken"));
    if (deed_crash_replay(setup, report.trail, &again, &err) != DEED_OK) {
        fail_msg("%s", err.text);
    }
    assert_true(again.broken);
    assert_string_equal(promise, again.promise);
    assert_int_equal(report.trace_hash, again.trace_hash);
    assert_int_equal(report.image_hash, again.image_hash);
    deed_crash_report_clear(&again);
    deed_crash_report_clear(&report);
}

/* ---- kept -------------------------------------------------------------------------------- */

/* Processes that die at every class; power failures of the whole are for test_every_class.c, which
 * takes its time. */
static void test_crash_kit__what_is_right_survives_every_death(void **state)
{
    (void)state;
    for (int c = DEED_CLASS_BLIND; c <= DEED_CLASS_CLOSABLE; c++) {
        struct deed_crash_setup setup = deaths_of((deed_provider_class)c);
        setup.kills_only = true;
        must_be_kept(&setup);
    }
}

static void test_crash_kit__and_every_power_failure(void **state)
{
    (void)state;
    struct deed_crash_setup setup = deaths_of(DEED_CLASS_KEYED);
    setup.name = "records";
    setup.program = integration_records;
    must_be_kept(&setup);
}

static void test_crash_kit__and_a_fault_of_its_provider(void **state)
{
    (void)state;
    struct deed_crash_setup setup = deaths_of(DEED_CLASS_KEYED_LOOKUP);
    setup.no_faults = false;
    setup.kills_only = true;
    setup.fault = "late-after-a-look";
    must_be_kept(&setup);
}

static void test_crash_kit__a_recovery_may_die_too(void **state)
{
    (void)state;
    struct deed_crash_setup setup = deaths_of(DEED_CLASS_KEYED);
    setup.twice = true;
    setup.kills_only = true;
    setup.trials_max = 24;
    struct deed_crash_report report = explored(&setup);
    assert_false(report.broken);
    assert_false(report.complete); /* it was stopped, and says so */
    assert_int_equal(report.counts.points, report.counts.died);
    assert_true(report.counts.again > 0);
    deed_crash_report_clear(&report);
}

static void test_crash_kit__a_client_of_its_own_is_kept(void **state)
{
    (void)state;
    struct deed_crash_setup setup = deaths_of(DEED_CLASS_KEYED);
    setup.executor = integration_sends_once;
    setup.kills_only = true;
    setup.no_faults = false;
    setup.fault = "lose";
    must_be_kept(&setup);
}

static void test_crash_kit__retries_under_one_key_are_kept(void **state)
{
    (void)state;
    static const char *const goal[] = {INTEGRATION_KEY};
    struct deed_crash_setup setup = {.size = sizeof(setup),
        .name = "keyed-retry",
        .program = integration_keyed_retry,
        .provider = DEED_CLASS_KEYED,
        .without_ledger = true,
        .goal = goal,
        .goal_count = 1,
        .no_faults = true};
    must_be_kept(&setup);
    struct deed_crash_report report = explored(&setup);
    assert_int_equal(report.counts.points, 2); /* before it is sent, and before it is heard */
    deed_crash_report_clear(&report);
    setup.no_faults = false;
    setup.fault = "unreachable"; /* once: the next request is another one */
    must_be_kept(&setup);
}

/* ---- broken ------------------------------------------------------------------------------ */

static struct deed_crash_setup without_deed(const char *name, deed_crash_program program)
{
    static const char *const goal[] = {INTEGRATION_KEY};
    return (struct deed_crash_setup){.size = sizeof(struct deed_crash_setup),
        .name = name,
        .program = program,
        .provider = DEED_CLASS_BLIND,
        .without_ledger = true,
        .goal = goal,
        .goal_count = 1};
}

static void test_crash_kit__a_naive_retry_doubles(void **state)
{
    (void)state;
    struct deed_crash_setup setup = without_deed("naive-retry", integration_naive_retry);
    must_break(&setup, "IE1");
    setup.goal = NULL; /* then it is what the unharmed run has done */
    setup.goal_count = 0;
    must_break(&setup, "IE1");
}

static void test_crash_kit__sent_before_saved_doubles(void **state)
{
    (void)state;
    struct deed_crash_setup setup =
        without_deed("sent-before-saved", integration_sent_before_saved);
    must_break(&setup, "IE1");
}

static void test_crash_kit__saved_before_sent_claims_what_is_not_so(void **state)
{
    (void)state;
    struct deed_crash_setup setup =
        without_deed("saved-before-sent", integration_saved_before_sent);
    must_break(&setup, "IB1");
}

static void test_crash_kit__silence_is_no_success(void **state)
{
    (void)state;
    struct deed_crash_setup setup = deaths_of(DEED_CLASS_BLIND);
    setup.name = "confirms-on-timeout";
    setup.fault = "error";
    setup.executor = integration_confirms_on_timeout;
    setup.no_faults = false;
    setup.kills_only = true;
    must_break(&setup, "IB1");
}

static void test_crash_kit__evidence_that_nobody_gave_is_found(void **state)
{
    (void)state;
    struct deed_crash_setup setup = deaths_of(DEED_CLASS_KEYED);
    setup.name = "forges";
    setup.executor = integration_forges;
    must_break(&setup, "IB1");
}

static void test_crash_kit__an_executor_that_sends_twice_is_found(void **state)
{
    (void)state;
    struct deed_crash_setup setup = deaths_of(DEED_CLASS_BLIND);
    setup.name = "sends-twice";
    setup.fault = "lose";
    setup.executor = integration_sends_twice;
    setup.no_faults = false;
    setup.kills_only = true;
    must_break(&setup, "IS1");
}

static void test_crash_kit__who_never_ends_is_found(void **state)
{
    (void)state;
    struct deed_crash_setup setup = without_deed("never-ends", integration_never_ends);
    must_break(&setup, "IL1");
}

/* ---- by chance --------------------------------------------------------------------------- */

static void test_crash_kit__chance_keeps_and_finds(void **state)
{
    (void)state;
    struct deed_crash_setup right = deaths_of(DEED_CLASS_KEYED_LOOKUP);
    struct deed_crash_setup wrong = without_deed("naive-retry", integration_naive_retry);
    struct deed_crash_report report = {.size = sizeof(report)};
    struct deed_error err = {.text = ""};
    right.no_faults = false;
    if (deed_crash_swarm(&right, 7, 12, &report, &err) != DEED_OK) {
        fail_msg("%s", err.text);
    }
    if (report.broken) {
        fail_msg("%s: %s\n%s\n%s", report.promise, report.what, report.trail, report.timeline);
    }
    assert_true(report.complete);
    assert_int_equal(report.counts.trials, 12);
    assert_true(report.counts.died > 0);
    deed_crash_report_clear(&report);
    report = (struct deed_crash_report){.size = sizeof(report)};
    assert_int_equal(DEED_OK, deed_crash_swarm(&wrong, 7, 200, &report, &err));
    assert_true(report.broken);
    assert_string_equal("IE1", report.promise);
    deed_crash_report_clear(&report);
}

/* ---- refused ----------------------------------------------------------------------------- */

static void test_crash_kit__a_setup_that_makes_no_sense_is_refused(void **state)
{
    (void)state;
    struct deed_crash_setup setup = deaths_of(DEED_CLASS_BLIND);
    struct deed_crash_report report = {.size = sizeof(report)};
    struct deed_error err = {.text = ""};
    setup.no_faults = false;
    setup.fault = "twice"; /* the network delivers twice: for providers with keys */
    assert_int_equal(DEED_E_INVALID, deed_crash_explore(&setup, &report, &err));
    assert_non_null(strstr(err.text, "has no fault 'twice'"));
    setup = deaths_of(DEED_CLASS_BLIND);
    setup.provider_options = "[]";
    assert_int_equal(DEED_E_INVALID, deed_crash_explore(&setup, &report, &err));
    assert_non_null(strstr(err.text, "must be one JSON object"));
    setup.program = NULL;
    assert_int_equal(DEED_E_MISUSE, deed_crash_explore(&setup, &report, &err));
    report.size = 0;
    assert_int_equal(DEED_E_MISUSE, deed_crash_explore(&setup, &report, &err));
    setup = deaths_of(DEED_CLASS_BLIND);
    report.size = sizeof(report);
    assert_int_equal(DEED_E_INVALID, deed_crash_replay(&setup, "no trail\n", &report, &err));
    deed_crash_report_clear(&report);
    assert_string_equal(deed_crash_fault_name(DEED_CLASS_BLIND, 0), "unreachable");
    assert_null(deed_crash_fault_name(DEED_CLASS_BLIND, 1000));
    assert_null(deed_crash_mark_name(1000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_crash_kit__what_is_right_survives_every_death),
        cmocka_unit_test(test_crash_kit__and_every_power_failure),
        cmocka_unit_test(test_crash_kit__and_a_fault_of_its_provider),
        cmocka_unit_test(test_crash_kit__a_recovery_may_die_too),
        cmocka_unit_test(test_crash_kit__a_client_of_its_own_is_kept),
        cmocka_unit_test(test_crash_kit__retries_under_one_key_are_kept),
        cmocka_unit_test(test_crash_kit__a_naive_retry_doubles),
        cmocka_unit_test(test_crash_kit__sent_before_saved_doubles),
        cmocka_unit_test(test_crash_kit__saved_before_sent_claims_what_is_not_so),
        cmocka_unit_test(test_crash_kit__silence_is_no_success),
        cmocka_unit_test(test_crash_kit__evidence_that_nobody_gave_is_found),
        cmocka_unit_test(test_crash_kit__an_executor_that_sends_twice_is_found),
        cmocka_unit_test(test_crash_kit__who_never_ends_is_found),
        cmocka_unit_test(test_crash_kit__chance_keeps_and_finds),
        cmocka_unit_test(test_crash_kit__a_setup_that_makes_no_sense_is_refused),
    };
    return cmocka_run_group_tests_name("crash_kit", tests, NULL, NULL);
}
