/* SPDX-License-Identifier: MIT
 *
 * Options that are wrong are refused, and the error names the place: a misspelt script would make a
 * test pass for the wrong reason.
 */
#include "test_mock_rig.h"

#include <deed/ext/error.h>

static void expect_refused(const char *options, const char *text)
{
    struct deed_error err = {.text = ""};
    deed_executor *executor = NULL;
    deed_world *world = NULL;
    (void)unlink(RIG_WORLD);
    assert_int_equal(deed_world_open(RIG_WORLD, &world, NULL), DEED_OK);
    assert_int_equal(
        deed_mock_executor_new_in(world, options, NULL, &executor, &err), DEED_E_INVALID);
    assert_null(executor);
    assert_string_equal(err.text, text);
    assert_string_equal(err.origin, "mock.options");
    deed_world_close(world);
}

static void test_options__unknown_members_are_refused_with_their_place(void **state)
{
    (void)state;
    expect_refused("{\"class\":\"blind\",\"colour\":1}", "colour: there is no such member");
    expect_refused(
        "{\"class\":\"lookup\",\"lookup\":{\"lag\":1}}", "lookup.lag: there is no such member");
    expect_refused("{\"class\":\"blind\",\"scripts\":{\"pay-1\":[{},{\"land\":1,\"late\":2}]}}",
        "scripts.pay-1[1].late: there is no such member");
    expect_refused("{\"class\":\"blind\",\"script\":{\"do\":\"late\",\"land\":{\"after\":1}}}",
        "script.land.after: there is no such member");
}

static void test_options__wrong_types_and_words_are_refused_with_their_place(void **state)
{
    (void)state;
    expect_refused("[]", "must be an object");
    expect_refused("{\"class\":\"both\"}",
        "class: must be one of: blind, lookup, keyed, keyed+lookup, closable");
    expect_refused("{}", "class: is missing: blind, lookup, keyed, keyed+lookup or closable");
    expect_refused("{\"class\":\"keyed\",\"window_ms\":-1}",
        "window_ms: must be a whole number of milliseconds, or \"forever\"");
    expect_refused("{\"class\":\"keyed\",\"window_ms\":1.5}",
        "window_ms: must be a whole number of milliseconds, or \"forever\"");
    expect_refused("{\"class\":\"blind\",\"lying\":1}", "lying: must be true or false");
    expect_refused(
        "{\"class\":\"blind\",\"account\":\"\"}", "account: must be a text, not an empty one");
    expect_refused(
        "{\"class\":\"blind\",\"account\":\"a\\nb\"}", "account: holds a control character");
    expect_refused("{\"class\":\"blind\",\"script\":[]}", "script: is empty");
    expect_refused("{\"class\":\"blind\",\"script\":[7]}", "script[0]: must be an object");
    expect_refused("{\"class\":\"blind\",\"scripts\":[]}",
        "scripts: must be an object from action keys to lists");
    expect_refused("{\"class\":\"blind\",\"script\":{\"duplicates\":-1}}",
        "script.duplicates: must be a whole number from 0 to 1000");
    expect_refused("{\"class\":\"blind\",\"script\":{\"count\":0}}",
        "script.count: a step serves one attempt or more");
    expect_refused("{\"class\":\"blind\",\"script\":{\"do\":\"late\",\"land\":{}}}",
        "script.land: name after_ms, after_looks or both; or else \"on_demand\": true");
}

static void test_options__a_syntax_error_is_placed(void **state)
{
    (void)state;
    expect_refused("{\"class\"", "no JSON: line 1, column 8: ':' expected near end of file");
    expect_refused("{\"class\":\"blind\",\"class\":\"blind\"}",
        "no JSON: line 1, column 24: duplicate object key near '\"class\"'");
}

static void test_options__members_that_mean_nothing_there_are_refused(void **state)
{
    (void)state;
    expect_refused("{\"class\":\"blind\",\"script\":{\"do\":\"lose\",\"land\":{\"after_ms\":1}}}",
        "script.land: only late, pending and hang land later");
    expect_refused("{\"class\":\"blind\",\"script\":{\"do\":\"hang\",\"outcome\":\"never\"}}",
        "script.outcome: only late and pending have one");
    expect_refused("{\"class\":\"blind\",\"script\":{\"duplicates_land\":{\"after_ms\":1}}}",
        "script.duplicates_land: only copies of what takes effect at once arrive later");
    expect_refused("{\"class\":\"blind\",\"script\":{\"do\":\"pending\",\"duplicates\":1,"
                   "\"duplicates_land\":{\"after_ms\":1}}}",
        "script.duplicates_land: only copies of what takes effect at once arrive later");
    expect_refused("{\"class\":\"blind\",\"script\":{\"verdict\":\"rejected\"}}",
        "script.verdict: only error_stored has one; garbage may have a bare number");
    expect_refused(
        "{\"class\":\"keyed\",\"script\":{\"do\":\"error_stored\",\"verdict\":\"applied\"}}",
        "script.verdict: an error does not say applied");
    expect_refused("{\"class\":\"blind\",\"script\":{\"do\":\"unreachable\",\"duplicates\":1}}",
        "script: nothing goes out, so nothing is doubled");
    expect_refused("{\"class\":\"lookup\",\"lookup_script\":\"lose\"}",
        "lookup_script: only a cancel is lost; a look that is lost is an error");
    expect_refused("{\"class\":\"closable\",\"cancel_script\":\"fresh\"}",
        "cancel_script: a cancel says truth, error or lose");
    expect_refused("{\"class\":\"blind\",\"poll_script\":\"error\"}",
        "poll_script: no step is \"pending\", so nothing is polled");
}

/* A mock never does more than its class, so that a sound ledger is never blamed. */
static void test_options__what_contradicts_the_class_is_refused(void **state)
{
    (void)state;
    expect_refused("{\"class\":\"blind\",\"window_ms\":1}",
        "window_ms: a provider of this class knows no keys");
    expect_refused("{\"class\":\"lookup\",\"stored_errors\":true}",
        "stored_errors: a provider of this class knows no keys");
    expect_refused(
        "{\"class\":\"keyed\",\"lookup\":{}}", "lookup: a provider of this class cannot be asked");
    expect_refused("{\"class\":\"keyed\",\"cancel_script\":\"error\"}",
        "cancel_script: this provider closes no keys");
    expect_refused("{\"class\":\"lookup\",\"script\":{\"do\":\"error_stored\"}}",
        "script.do: a provider of this class knows no keys");
    expect_refused("{\"class\":\"blind\",\"script\":{\"do\":\"in_progress\"}}",
        "script.do: a provider of this class knows no keys");
    expect_refused(
        "{\"class\":\"keyed\",\"stored_errors\":false,\"script\":{\"do\":\"error_stored\"}}",
        "script.do: this provider stores no errors");
}

static void test_options__only_a_lying_provider_says_what_is_not_so(void **state)
{
    (void)state;
    static const struct {
        const char *rest;
        const char *text;
    } lies[] = {
        {"\"script\":{\"do\":\"refuse\",\"effect\":true}}",
            "script.effect: only a lying provider has an effect and says it has none"},
        {"\"script\":{\"do\":\"reject\",\"effect\":true}}",
            "script.effect: only a lying provider has an effect and says it has none"},
        {"\"script\":{\"do\":\"error_stored\",\"effect\":true}}",
            "script.effect: only a lying provider has an effect and says it has none"},
        {"\"script\":{\"effect\":false}}",
            "script.effect: only a lying provider says applied without an effect"},
        {"\"lookup_script\":[\"truth\",\"absent\"]}",
            "lookup_script[1]: only a lying provider says absent whatever happened"},
        {"\"lookup_script\":\"present\"}",
            "lookup_script: only a lying provider says present whatever happened"},
        {"\"lookup\":{\"stale_looks\":1}}",
            "lookup.stale_looks: only a lying provider hides it from so many looks"},
        {"\"lookup\":{\"consistency\":\"eventual\",\"stale_looks\":2}}",
            "lookup.stale_looks: only a lying provider hides it from so many looks"},
    };
    for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
        char options[400];
        (void)snprintf(options, sizeof(options), "{\"class\":\"keyed+lookup\",%s", lies[i].rest);
        expect_refused(options, lies[i].text);
        (void)snprintf(options, sizeof(options), "{\"class\":\"keyed+lookup\",\"lying\":true,%s",
            lies[i].rest);
        struct rig rig;
        rig_open(&rig, options);
        rig_close(&rig);
    }
}

static void test_options__the_world_is_named_exactly_once(void **state)
{
    (void)state;
    struct deed_error err = {.text = ""};
    deed_executor *executor = NULL;
    expect_refused("{\"class\":\"blind\",\"world\":\"w\"}", "world: the world was given already");
    assert_int_equal(
        deed_mock_executor_new("{\"class\":\"blind\"}", NULL, &executor, &err), DEED_E_INVALID);
    assert_string_equal(err.text, "world: is missing: the file in which what happens is counted");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_options__unknown_members_are_refused_with_their_place),
        cmocka_unit_test(test_options__wrong_types_and_words_are_refused_with_their_place),
        cmocka_unit_test(test_options__a_syntax_error_is_placed),
        cmocka_unit_test(test_options__members_that_mean_nothing_there_are_refused),
        cmocka_unit_test(test_options__what_contradicts_the_class_is_refused),
        cmocka_unit_test(test_options__only_a_lying_provider_says_what_is_not_so),
        cmocka_unit_test(test_options__the_world_is_named_exactly_once),
    };
    return cmocka_run_group_tests_name("mock_options", tests, NULL, NULL);
}
