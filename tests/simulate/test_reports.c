/* SPDX-License-Identifier: MIT
 *
 * What `deed simulate` says of a failure, in each of its forms, and the trail it leaves. No rule of
 * deed has to be broken for that: the failure is made up here.
 */
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "programs/simulate_report.h"
#include "programs/simulate_trail.h"

static char folder[] = "reports.XXXXXX";

static char *text_of(const char *path)
{
    char *text = calloc(1, 65536);
    FILE *file = fopen(path, "re");
    assert_non_null(text);
    assert_non_null(file);
    assert_true(fread(text, 1, 65535, file) > 0);
    assert_int_equal(fclose(file), 0);
    return text;
}

static void assert_holds(const char *text, const char *part)
{
    if (strstr(text, part) == NULL) {
        fail_msg("it lacks `%s`:\n%s", part, text);
    }
}

/* One that broke, one that was kept, one that did not meet what it must. */
struct made {
    struct simulated items[3];
    struct simulate_results results;
};

static void make(struct made *made)
{
    memset(made, 0, sizeof(*made));
    made->results = (struct simulate_results){.items = made->items, .count = 3};
    for (size_t i = 0; i < 3; i++) {
        made->items[i].scenario = deed_crash__scenario_named(i == 2 ? "record" : "lost");
        made->items[i].provider_class = i == 0 ? DEED_CLASS_KEYED : DEED_CLASS_BLIND;
        made->items[i].report.size = sizeof(made->items[i].report);
        made->items[i].report.complete = i != 0;
        made->items[i].report.counts.states = 7;
        assert_non_null(made->items[i].scenario);
    }
    struct deed_crash_report *report = &made->items[0].report;
    report->broken = true;
    report->promise = "IE1";
    report->what = strdup("2 effects of <a> & \"b\"");
    report->trail = strdup("3 crash wal.write 1/3\n");
    report->timeline = strdup("00:01 | commit | write | EFFECT fx-1\n");
    report->trace_hash = 0xabcU;
    report->image_hash = 0xdefU;
    made->items[0].trail_path = strdup("lost-keyed.trail");
    made->items[2].unmet = 1;
}

static void finish(struct made *made)
{
    for (size_t i = 0; i < 3; i++) {
        simulated_finish(&made->items[i]);
    }
}

static void test_text__a_failure_names_promise_timeline_and_the_command_again(void **state)
{
    (void)state;
    struct made made;
    char *text = NULL;
    size_t bytes = 0;
    make(&made);
    FILE *memory = open_memstream(&text, &bytes);
    assert_non_null(memory);
    for (size_t i = 0; i < 3; i++) {
        simulate_report_text(memory, &made.items[i]);
    }
    simulate_report_sum(memory, &made.results);
    assert_int_equal(fclose(memory), 0);
    assert_holds(text, "lost         keyed         BROKEN");
    assert_holds(text, "IE1: 2 effects of <a> & \"b\"");
    assert_holds(text, "EFFECT fx-1");
    assert_holds(text, "trace 0000000000000abc, image 0000000000000def");
    assert_holds(text, "again: deed simulate --replay lost-keyed.trail");
    assert_holds(text, "lost         blind         kept");
    assert_holds(text, "record       blind         BROKEN");
    assert_holds(text, deed_crash_mark_name(0));
    assert_holds(text, "3 simulations: 21 distinct crash states");
    assert_holds(text, "2 broke a promise");
    free(text);
    finish(&made);
}

static void test_files__say_the_same_in_their_own_words(void **state)
{
    (void)state;
    struct made made;
    char path[64];
    struct deed_error err = {.text = ""};
    make(&made);
    made.results.interrupted = true;

    (void)snprintf(path, sizeof(path), "%s/report.xml", folder);
    assert_int_equal(simulate_report_junit(&made.results, path, &err), DEED_OK);
    char *text = text_of(path);
    assert_holds(text, "tests=\"3\" failures=\"2\" skipped=\"0\"");
    assert_holds(text, "type=\"IE1\" message=\"2 effects of &lt;a&gt; &amp; &quot;b&quot;\"");
    assert_holds(text, "type=\"unmet\"");
    free(text);
    assert_int_equal(unlink(path), 0);

    (void)snprintf(path, sizeof(path), "%s/report.html", folder);
    assert_int_equal(simulate_report_html(&made.results, path, &err), DEED_OK);
    text = text_of(path);
    assert_holds(text, "<td class=\"broken\">broken");
    assert_holds(text, "<td class=\"kept\">kept");
    assert_holds(text, "<td class=\"none\">not run</td>");
    assert_holds(text, "2 effects of &lt;a&gt;");
    free(text);
    assert_int_equal(unlink(path), 0);

    (void)snprintf(path, sizeof(path), "%s/report.json", folder);
    assert_int_equal(simulate_report_json(&made.results, path, &err), DEED_OK);
    text = text_of(path);
    assert_holds(text, "\"promise\":\"IE1\"");
    assert_holds(text, "\"interrupted\":true");
    assert_holds(text, "\"next\":\"deed simulate --replay lost-keyed.trail\"");
    free(text);
    assert_int_equal(unlink(path), 0);

    assert_int_equal(simulate_report_json(&made.results, "no/such/folder", &err), DEED_E_SYSTEM);
    assert_holds(err.text, "no/such/folder cannot be written");
    finish(&made);
}

static void test_trail__is_read_as_it_was_written_and_nothing_else_is_one(void **state)
{
    (void)state;
    static const char *const bad[] = {"", "deed-trail 2\nscenario lost\nclass keyed\n\n",
        "deed-trail 1\nclass keyed\n\n", "deed-trail 1\nscenario lost\n\n",
        "deed-trail 1\nscenario lost\nclass none\n\n", "deed-trail 1\nscenario lost\nclass keyed\n",
        "deed-trail 1\nscenario lost\nclass keyed\ntrace xyz\n\n",
        "deed-trail 1\nscenario lost\nclass keyed\ncolour red\n\n"};
    struct simulate_trail trail = {.scenario = "lost",
        .provider_class = DEED_CLASS_KEYED_LOOKUP,
        .trace_hash = UINT64_MAX,
        .image_hash = 1};
    struct simulate_trail again;
    struct deed_error err = {.text = ""};
    char path[64];
    char words[] = "3 crash wal.write 1/3\n";
    trail.text = words;
    (void)snprintf(path, sizeof(path), "%s/a.trail", folder);
    assert_int_equal(simulate_trail_write(&trail, path, &err), DEED_OK);
    assert_int_equal(simulate_trail_read(&again, path, &err), DEED_OK);
    assert_string_equal(again.scenario, "lost");
    assert_int_equal(again.provider_class, DEED_CLASS_KEYED_LOOKUP);
    assert_string_equal(again.text, words);
    assert_true(again.trace_hash == UINT64_MAX && again.image_hash == 1);
    free(again.text);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        FILE *file = fopen(path, "we");
        assert_non_null(file);
        assert_true(fputs(bad[i], file) >= 0);
        assert_int_equal(fclose(file), 0);
        assert_int_equal(simulate_trail_read(&again, path, &err), DEED_E_INVALID);
        assert_holds(err.text, "is no trail");
    }
    assert_int_equal(unlink(path), 0);
    assert_int_equal(simulate_trail_read(&again, path, &err), DEED_E_SYSTEM);
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) == NULL ? -1 : 0;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text__a_failure_names_promise_timeline_and_the_command_again),
        cmocka_unit_test(test_files__say_the_same_in_their_own_words),
        cmocka_unit_test(test_trail__is_read_as_it_was_written_and_nothing_else_is_one),
    };
    return cmocka_run_group_tests_name("reports", tests, make_folder, remove_folder);
}
