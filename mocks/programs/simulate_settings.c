/* SPDX-License-Identifier: MIT
 *
 * The command line of `deed simulate`.
 */
#include "programs/simulate_settings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <deed/ext/error.h>
#include <deed/machine.h>

#include "programs/arguments.h"

#define PROGRAM        "simulate"
#define TRIALS_DEFAULT 1000 /* as the help says */

enum option {
    OPTION_ALL,
    OPTION_CLASS,
    OPTION_SEED,
    OPTION_FOR,
    OPTION_TRIALS,
    OPTION_MOST,
    OPTION_REPLAY,
    OPTION_SELF_TEST,
    OPTION_LIST,
    OPTION_KEEP,
    OPTION_JUNIT,
    OPTION_REPORT,
    OPTION_HTML,
    OPTION_JSON,
    OPTION_HELP,
    OPTION_VERSION,
    OPTION_COUNT
};

static const struct deed__argument options[OPTION_COUNT] = {
    [OPTION_ALL] = {"all", NULL, "every scenario, at every class of provider it is for"},
    [OPTION_CLASS] = {"class", "CLASS",
        "this class only: blind, lookup, keyed, keyed+lookup or closable"},
    [OPTION_SEED] = {"seed", "N",
        "by chance, from this seed: several deaths and faults in one run"},
    [OPTION_FOR] = {"for", "TIME", "by chance for so long: 30s, 10m, 8h"},
    [OPTION_TRIALS] = {"trials", "N", "by chance: runs for each scenario; else 1000"},
    [OPTION_MOST] = {"most", "N",
        "one after the other, and no more than N recoveries of a scenario"},
    [OPTION_REPLAY] = {"replay", "FILE", "the one run whose trail is in FILE"},
    [OPTION_SELF_TEST] = {"self-test", NULL,
        "break deed on purpose, and see that each break is found; needs the build tree"},
    [OPTION_LIST] = {"list", NULL, "the scenarios, and end"},
    [OPTION_KEEP] = {"keep", "FOLDER", "where the trail of a failure is written; else here"},
    [OPTION_JUNIT] = {"junit", "FILE", "write what was found as JUnit XML, too"},
    [OPTION_REPORT] = {"report", "FILE", "write it as one JSON document, too"},
    [OPTION_HTML] = {"html", "FILE", "write it as a page, too: scenarios against classes"},
    [OPTION_JSON] = {"json", NULL, "answer in JSON: an object for each scenario and class"},
    [OPTION_HELP] = {"help", NULL, "print this and end"},
    [OPTION_VERSION] = {"version", NULL, "print the version and end"},
};

void simulate_settings_help(void)
{
    const struct deed__arguments arguments = {
        .program = PROGRAM, .table = options, .count = OPTION_COUNT};
    (void)fputs(
        "usage: deed simulate SCENARIO... [OPTION...]\n"
        "       deed simulate --all [OPTION...]\n\n"
        "Lets deed die and lose power at every point of a scenario, on a disk and with a\n"
        "provider that are in memory, and holds what is left against every promise. Ends 0\n"
        "if all were kept, 10 if one was broken, 1 if it could not be run.\n\n"
        "  deed simulate lost --class keyed\n"
        "  deed simulate --all --for 10m --html crashes.html\n\nOptions:\n",
        stdout);
    deed__arguments_print(&arguments, stdout);
}

/* ---- values ------------------------------------------------------------------------------- */

static deed_rc read_number(
    enum option id, const char *text, uint64_t least, uint64_t *number_out, struct deed_error *err)
{
    char *end = NULL;
    errno = 0;
    const unsigned long long number = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || number < least) {
        return deed_error_set(err, DEED_E_INVALID, PROGRAM,
            "--%s `%.40s` must be a whole number, %llu or more", options[id].name, text,
            (unsigned long long)least);
    }
    *number_out = number;
    return DEED_OK;
}

static deed_rc read_time(const char *text, int64_t *ms_out, struct deed_error *err)
{
    static const struct {
        const char *unit;
        int64_t ms;
    } units[] = {{"s", 1000}, {"m", 60000}, {"h", 3600000}};
    char *end = NULL;
    errno = 0;
    const long number = strtol(text, &end, 10);
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        if (strcmp(end, units[i].unit) == 0 && errno == 0 && number > 0 && number <= 1000000) {
            *ms_out = number * units[i].ms;
            return DEED_OK;
        }
    }
    return deed_error_set(
        err, DEED_E_INVALID, PROGRAM, "--for `%.40s` must be a duration: 30s, 10m, 8h", text);
}

static deed_rc read_class(
    const char *text, deed_provider_class *provider_class_out, struct deed_error *err)
{
    for (int i = DEED_CLASS_BLIND; i <= DEED_CLASS_CLOSABLE; i++) {
        if (strcmp(text, deed_provider_class_name((deed_provider_class)i)) == 0) {
            *provider_class_out = (deed_provider_class)i;
            return DEED_OK;
        }
    }
    return deed_error_set(err, DEED_E_INVALID, PROGRAM,
        "--class `%.40s` is none; there are blind, lookup, keyed, keyed+lookup and closable", text);
}

static deed_rc read_values(
    struct simulate_settings *settings, const char *const *values, struct deed_error *err)
{
    deed_rc rc = DEED_OK;
    if (values[OPTION_CLASS] != NULL) {
        settings->one_class = true;
        rc = read_class(values[OPTION_CLASS], &settings->provider_class, err);
    }
    if (rc == DEED_OK && values[OPTION_SEED] != NULL) {
        settings->by_seed = true;
        rc = read_number(OPTION_SEED, values[OPTION_SEED], 1, &settings->seed, err);
    }
    if (rc == DEED_OK && values[OPTION_FOR] != NULL) {
        settings->by_seed = true;
        rc = read_time(values[OPTION_FOR], &settings->for_ms, err);
    }
    if (rc == DEED_OK && values[OPTION_TRIALS] != NULL) {
        settings->by_seed = true;
        rc = read_number(OPTION_TRIALS, values[OPTION_TRIALS], 1, &settings->trials, err);
    }
    if (rc == DEED_OK && values[OPTION_MOST] != NULL) {
        rc = read_number(OPTION_MOST, values[OPTION_MOST], 1, &settings->most, err);
    }
    return rc;
}

/* Two answers to one question. */
static deed_rc refuse_pairs(const char *const *values, struct deed_error *err)
{
    static const enum option pairs[][2] = {
        {OPTION_REPLAY, OPTION_SELF_TEST},
        {OPTION_FOR, OPTION_TRIALS},
        {OPTION_MOST, OPTION_SEED},
        {OPTION_MOST, OPTION_FOR},
        {OPTION_MOST, OPTION_TRIALS},
        {OPTION_REPLAY, OPTION_SEED},
        {OPTION_REPLAY, OPTION_FOR},
        {OPTION_REPLAY, OPTION_CLASS},
    };
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        if (values[pairs[i][0]] != NULL && values[pairs[i][1]] != NULL) {
            return deed_error_set(err, DEED_E_INVALID, PROGRAM,
                "--%s and --%s do not go together: leave one of them out",
                options[pairs[i][0]].name, options[pairs[i][1]].name);
        }
    }
    return DEED_OK;
}

/* What is to be done must be one thing. */
static deed_rc check(const struct simulate_settings *settings, struct deed_error *err)
{
    const bool alone = settings->list || settings->self_test || settings->replay != NULL;
    const bool named = settings->all || settings->name_count > 0;
    if (settings->all && settings->name_count > 0) {
        return deed_error_set(err, DEED_E_INVALID, PROGRAM,
            "--all is every scenario: leave it out, or the name `%.60s`", settings->names[0]);
    }
    if (alone && named) {
        return deed_error_set(err, DEED_E_INVALID, PROGRAM,
            "--list, --self-test and --replay take no scenarios: leave out `%.60s`",
            settings->all ? "--all" : settings->names[0]);
    }
    if (!alone && !named) {
        return deed_error_set(err, DEED_E_INVALID, PROGRAM,
            "which scenario? Name some, or say --all; `deed simulate --list` names them");
    }
    return DEED_OK;
}

deed_rc simulate_settings_read(
    struct simulate_settings *settings, int argc, char **argv, struct deed_error *err)
{
    const char *values[OPTION_COUNT] = {NULL};
    struct deed__arguments arguments = {
        .program = PROGRAM, .table = options, .count = OPTION_COUNT, .values = values};
    *settings = (struct simulate_settings){.seed = 1, .trials = TRIALS_DEFAULT};
    deed_rc rc = deed__arguments_split(&arguments, argc, argv, &settings->name_count, err);
    settings->names = (const char *const *)argv + 1;
    settings->json = values[OPTION_JSON] != NULL;
    settings->help = values[OPTION_HELP] != NULL;
    settings->version = values[OPTION_VERSION] != NULL;
    settings->all = values[OPTION_ALL] != NULL;
    settings->list = values[OPTION_LIST] != NULL;
    settings->self_test = values[OPTION_SELF_TEST] != NULL;
    settings->replay = values[OPTION_REPLAY];
    settings->keep = values[OPTION_KEEP];
    settings->junit = values[OPTION_JUNIT];
    settings->report = values[OPTION_REPORT];
    settings->html = values[OPTION_HTML];
    if (rc == DEED_OK && !settings->help && !settings->version) {
        rc = read_values(settings, values, err);
        rc = rc == DEED_OK ? refuse_pairs(values, err) : rc;
        rc = rc == DEED_OK ? check(settings, err) : rc;
    }
    return rc;
}
