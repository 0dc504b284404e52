/* SPDX-License-Identifier: MIT
 *
 * settings.c - the command line of `deed crashtest`, and the way back to one.
 */
#include "crashtest/settings.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <deed/ext/error.h>

#include "programs/arguments.h"

#define ORIGIN                "crashtest"
#define DEFAULT_RESTARTS      5 /* as the help says */
#define DEFAULT_TIME_LIMIT_MS 30000

enum option {
    OPTION_PROVIDER,
    OPTION_EXPECT,
    OPTION_RESTARTS,
    OPTION_TIME_LIMIT,
    OPTION_ONLY,
    OPTION_JUNIT,
    OPTION_KEEP,
    OPTION_JSON,
    OPTION_HELP,
    OPTION_VERSION,
    OPTION_COUNT
};

static const struct deed__argument options[OPTION_COUNT] = {
    [OPTION_PROVIDER] = {"provider", "CLASS",
        "blind, lookup, keyed, keyed+lookup (if not given) or closable"},
    [OPTION_EXPECT] = {"expect", "N",
        "how many different effects COMMAND is for; else as many as it has unharmed"},
    [OPTION_RESTARTS] = {"restarts", "N",
        "how often COMMAND is started again until it ends 0 or 3; else 5"},
    [OPTION_TIME_LIMIT] = {"time-limit", "TIME", "of one run, 500ms or 10s; else 30s"},
    [OPTION_ONLY] = {"only", "POINT",
        "one trial (event:7), or all that begin so (seam, fault:hang)"},
    [OPTION_JUNIT] = {"junit", "FILE", "write the trials as JUnit XML, too"},
    [OPTION_KEEP] = {"keep", NULL, "leave the folders of broken trials, and say where"},
    [OPTION_JSON] = {"json", NULL, "answer in JSON: one object a broken trial, and a summary"},
    [OPTION_HELP] = {"help", NULL, "print this and end"},
    [OPTION_VERSION] = {"version", NULL, "print the version and end"},
};

static deed_rc read_number(
    enum option id, const char *text, uint64_t max, uint64_t *number_out, struct deed_error *err)
{
    char *end = NULL;
    errno = 0;
    const unsigned long long number = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || number > max) {
        return deed_error_set(err, DEED_E_INVALID, ORIGIN,
            "--%s `%.40s` must be a whole number from 0 to %" PRIu64, options[id].name, text, max);
    }
    *number_out = number;
    return DEED_OK;
}

static deed_rc read_duration(const char *text, int64_t *duration_ms_out, struct deed_error *err)
{
    static const struct {
        const char *unit;
        int64_t ms;
    } units[] = {{"ms", 1}, {"s", 1000}, {"m", 60000}};
    char *end = NULL;
    errno = 0;
    const long number = strtol(text, &end, 10);
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (strcmp(end, units[i].unit) == 0 && errno == 0 && number > 0 && number <= 100000000) {
            *duration_ms_out = number * units[i].ms;
            return DEED_OK;
        }
    }
    return deed_error_set(err, DEED_E_INVALID, ORIGIN,
        "--time-limit `%.40s` must be a duration: 500ms, 10s, 2m", text);
}

static deed_rc check_class(const char *provider, struct deed_error *err)
{
    static const char *const classes[] = {"blind", "lookup", "keyed", "keyed+lookup", "closable"};
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++) {
        if (strcmp(classes[i], provider) == 0) {
            return DEED_OK;
        }
    }
    return deed_error_set(err, DEED_E_INVALID, ORIGIN,
        "--provider `%.40s` must be blind, lookup, keyed, keyed+lookup or closable", provider);
}

static deed_rc read_values(
    struct settings *settings, const char *values[OPTION_COUNT], struct deed_error *err)
{
    uint64_t restarts = settings->restarts;
    deed_rc rc = DEED_OK;
    settings->only = values[OPTION_ONLY];
    settings->junit = values[OPTION_JUNIT];
    settings->keep = values[OPTION_KEEP] != NULL;
    settings->help = values[OPTION_HELP] != NULL;
    settings->version = values[OPTION_VERSION] != NULL;
    if (values[OPTION_PROVIDER]) {
        settings->provider = values[OPTION_PROVIDER];
        rc = check_class(settings->provider, err);
    }
    if (rc == DEED_OK && values[OPTION_EXPECT]) {
        rc = read_number(OPTION_EXPECT, values[OPTION_EXPECT], 1000000, &settings->expect, err);
        if (rc == DEED_OK && settings->expect == 0) {
            rc = deed_error_set(err, DEED_E_INVALID, ORIGIN,
                "--expect 0 would hold for a command that does nothing; how many effects is it "
                "for?");
        }
    }
    if (rc == DEED_OK && values[OPTION_RESTARTS]) {
        rc = read_number(OPTION_RESTARTS, values[OPTION_RESTARTS], 1000, &restarts, err);
        settings->restarts = (uint32_t)restarts;
    }
    if (rc == DEED_OK && values[OPTION_TIME_LIMIT]) {
        rc = read_duration(values[OPTION_TIME_LIMIT], &settings->time_limit_ms, err);
    }
    return rc;
}

static bool is_among(const char *word, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], word) == 0) {
            return true;
        }
    }
    return false;
}

deed_rc settings_read(struct settings *settings, int argc, char **argv, struct deed_error *err)
{
    const char *values[OPTION_COUNT] = {0};
    const struct deed__arguments arguments = {ORIGIN, options, OPTION_COUNT, values};
    int end = 1; /* of the options: the word "--" */
    while (end < argc && strcmp(argv[end], "--") != 0) {
        end++;
    }
    *settings = (struct settings){.provider = "keyed+lookup",
        .restarts = DEFAULT_RESTARTS,
        .time_limit_ms = DEFAULT_TIME_LIMIT_MS};
    settings->json = is_among("--json", end, argv);
    const bool only_tells = is_among("--help", end, argv) || is_among("--version", end, argv);
    if (end + 1 >= argc && !only_tells) {
        return deed_error_set(err, DEED_E_INVALID, ORIGIN,
            "crashtest needs `--` and behind it the command to test: deed crashtest [OPTION...] -- "
            "COMMAND [WORD...]");
    }
    settings->command = argv + (end < argc ? end + 1 : argc);
    const deed_rc rc = deed__arguments_read(&arguments, end, argv, err);
    return rc ? rc : read_values(settings, values, err);
}

void settings_help(void)
{
    (void)fputs(
        "deed crashtest [OPTION...] -- COMMAND [WORD...]\n"
        "\n"
        "Runs COMMAND against a mock provider, kills it at every point between two things that "
        "happen\n"
        "outside and at every seam of deed inside, starts it again until it ends 0 (all is done) "
        "or 3\n"
        "(not known), delivers what is late, and counts at the provider what was doubled, lost or\n"
        "claimed. Each trial starts in an empty folder. COMMAND finds the provider in "
        "DEED_MOCK_URL\n"
        "(POST and GET /effects/NAME, with an Idempotency-Key), a fresh test ledger in DEED_LEDGER "
        "and\n"
        "a configuration in DEED_CONFIG. docs/guide/testing-your-integration.md has examples.\n"
        "\n",
        stdout);
    const char *values[OPTION_COUNT] = {0};
    const struct deed__arguments arguments = {ORIGIN, options, OPTION_COUNT, values};
    deed__arguments_print(&arguments, stdout);
    (void)fputs(
        "\n"
        "Ends 0 if every promise was kept, 10 if one was broken, 1 if it could not test, 2 for\n"
        "a command line it does not understand, 130 if it was interrupted.\n",
        stdout);
}

/* ---- back to a command line --------------------------------------------------------------------- */

static void put_quoted(FILE *out, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "-_./:=+,@%";
    if (word[0] != '\0' && word[strspn(word, plain)] == '\0') {
        (void)fprintf(out, " %s", word);
        return;
    }
    (void)fputs(" '", out);
    for (; *word != '\0'; word++) {
        if (*word == '\'') {
            (void)fputs("'\\''", out);
        } else {
            (void)fputc(*word, out);
        }
    }
    (void)fputc('\'', out);
}

char *settings_replay(const struct settings *settings, const char *point)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    if (!out) {
        return NULL;
    }
    (void)fprintf(out, "deed crashtest --provider %s", settings->provider);
    if (settings->expect > 0) {
        (void)fprintf(out, " --expect %" PRIu64, settings->expect);
    }
    if (settings->restarts != DEFAULT_RESTARTS) {
        (void)fprintf(out, " --restarts %" PRIu32, settings->restarts);
    }
    if (settings->time_limit_ms != DEFAULT_TIME_LIMIT_MS) {
        (void)fprintf(out, " --time-limit %" PRId64 "ms", settings->time_limit_ms);
    }
    (void)fprintf(out, " --only %s --", point);
    for (char *const *word = settings->command; *word; word++) {
        put_quoted(out, *word);
    }
    return fclose(out) == 0 ? text : NULL;
}
