/* SPDX-License-Identifier: MIT
 *
 * deed-simulate, which `deed simulate` runs.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include <deed/ext/error.h>
#include <deed/machine.h>

#include "programs/simulate_report.h"

#define PROGRAM          "simulate"
#define PATH_BYTES       4096
#define EXIT_KEPT        0
#define EXIT_BROKEN      10
#define EXIT_INTERRUPTED 130

/* Set by a signal; the exploration that runs looks at it, and stops. */
static volatile sig_atomic_t interrupted;
static bool on_terminal;

static void interrupt(int number)
{
    (void)number;
    interrupted = 1;
}

static void catch_signals(void)
{
    struct sigaction action = {.sa_handler = interrupt, .sa_flags = (int)SA_RESETHAND};
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
}

static void print_error(const struct simulate_settings *settings, const struct deed_error *err)
{
    const char *code = deed_rc_name(err->rc);
    if (!settings->json) {
        (void)fprintf(stderr, "deed simulate: %s\n", err->text);
        return;
    }
    json_t *object = json_pack("{s:s, s:s, s:s, s:s, s:n, s:n, s:s}", "schema", "deed/1", "object",
        "error", "code", code != NULL ? code : "DEED_E_SYSTEM", "message", err->text, "key", "next",
        "origin", err->origin);
    (void)json_dumpf(object, stderr, JSON_COMPACT);
    (void)fputc('\n', stderr);
    json_decref(object);
}

/* ---- progress ----------------------------------------------------------------------------- */

static bool show_progress(
    const struct simulated *simulated, uint64_t trials, uint64_t done, uint64_t all)
{
    if (on_terminal) {
        (void)fprintf(stderr, "\r\033[K%s %s: %" PRIu64 "/%" PRIu64 ", %" PRIu64 " trials",
            simulated->scenario->name, deed_provider_class_name(simulated->provider_class), done,
            all, trials);
    }
    return interrupted == 0;
}

static void end_progress(void)
{
    if (on_terminal) {
        (void)fputs("\r\033[K", stderr);
    }
}

/* ---- what is to be run -------------------------------------------------------------------- */

static deed_rc add(struct simulate_results *results, const struct simulate_settings *settings,
    const struct deed_crash__scenario *scenario, struct deed_error *err)
{
    const size_t before = results->count;
    for (int i = DEED_CLASS_BLIND; i <= DEED_CLASS_CLOSABLE; i++) {
        const bool wanted =
            !settings->one_class || settings->provider_class == (deed_provider_class)i;
        if (!wanted || (scenario->classes >> i & 1) == 0) {
            continue;
        }
        struct simulated *items =
            realloc(results->items, (results->count + 1) * sizeof(*results->items));
        if (items == NULL) {
            return deed_error_set(err, DEED_E_NOMEM, PROGRAM, "no memory for the simulations");
        }
        results->items = items;
        items[results->count++] =
            (struct simulated){.scenario = scenario, .provider_class = (deed_provider_class)i};
    }
    return settings->all || results->count > before
        ? DEED_OK
        : deed_error_set(err, DEED_E_INVALID, PROGRAM,
              "the scenario `%s` is not for the class %s; `deed simulate --list` says which",
              scenario->name, deed_provider_class_name(settings->provider_class));
}

static deed_rc choose_all(struct simulate_results *results,
    const struct simulate_settings *settings, struct deed_error *err)
{
    deed_rc rc = DEED_OK;
    const struct deed_crash__scenario *scenario = NULL;
    for (size_t i = 0;
         rc == DEED_OK && settings->all && (scenario = deed_crash__scenario_at(i)) != NULL; i++) {
        rc = add(results, settings, scenario, err);
    }
    for (size_t i = 0; rc == DEED_OK && i < settings->name_count; i++) {
        scenario = deed_crash__scenario_named(settings->names[i]);
        rc = scenario != NULL
            ? add(results, settings, scenario, err)
            : deed_error_set(err, DEED_E_INVALID, PROGRAM,
                  "there is no scenario `%.60s`; `deed simulate --list` names them",
                  settings->names[i]);
    }
    return rc;
}

static void print_list(void)
{
    const struct deed_crash__scenario *scenario = NULL;
    for (size_t i = 0; (scenario = deed_crash__scenario_at(i)) != NULL; i++) {
        (void)printf("%-14s %s\n%14s at", scenario->name, scenario->about, "");
        for (int at = DEED_CLASS_BLIND; at <= DEED_CLASS_CLOSABLE; at++) {
            if ((scenario->classes >> at & 1) != 0) {
                (void)printf(" %s", deed_provider_class_name((deed_provider_class)at));
            }
        }
        (void)fputc('\n', stdout);
    }
}

/* ---- running ------------------------------------------------------------------------------ */

static void report_one(const struct simulate_settings *settings, const struct simulated *simulated)
{
    end_progress();
    if (settings->json) {
        (void)simulate_report_line(stdout, simulated);
    } else {
        simulate_report_text(stdout, simulated);
        (void)fflush(stdout);
    }
}

static deed_rc write_files(const struct simulate_settings *settings,
    const struct simulate_results *results, struct deed_error *err)
{
    deed_rc rc = DEED_OK;
    if (settings->junit != NULL) {
        rc = simulate_report_junit(results, settings->junit, err);
    }
    if (rc == DEED_OK && settings->report != NULL) {
        rc = simulate_report_json(results, settings->report, err);
    }
    if (rc == DEED_OK && settings->html != NULL) {
        rc = simulate_report_html(results, settings->html, err);
    }
    return rc;
}

static int exit_of(const struct simulate_results *results)
{
    for (size_t i = 0; i < results->count; i++) {
        if (simulated_failed(&results->items[i])) {
            return EXIT_BROKEN;
        }
    }
    return results->interrupted ? EXIT_INTERRUPTED : EXIT_KEPT;
}

static deed_rc finish(const struct simulate_settings *settings, struct simulate_results *results,
    int *exit_out, struct deed_error *err)
{
    results->interrupted = interrupted != 0;
    if (!settings->json) {
        simulate_report_sum(stdout, results);
    }
    *exit_out = exit_of(results);
    return write_files(settings, results, err);
}

static deed_rc run_all(const struct simulate_settings *settings, struct simulate_results *results,
    int *exit_out, struct deed_error *err)
{
    deed_rc rc = choose_all(results, settings, err);
    const size_t count = results->count;
    results->count = 0; /* those that were run */
    for (size_t i = 0; rc == DEED_OK && i < count && interrupted == 0; i++) {
        rc = simulate_run(&results->items[i], settings, settings->seed, show_progress, err);
        results->count = i + 1;
        if (rc == DEED_OK) {
            report_one(settings, &results->items[i]);
        }
    }
    end_progress();
    return rc == DEED_OK ? finish(settings, results, exit_out, err) : rc;
}

static deed_rc replay(const struct simulate_settings *settings, struct simulate_results *results,
    int *exit_out, struct deed_error *err)
{
    results->items = calloc(1, sizeof(*results->items));
    if (results->items == NULL) {
        return deed_error_set(err, DEED_E_NOMEM, PROGRAM, "no memory for a simulation");
    }
    results->count = 1;
    deed_rc rc = simulate_replay(&results->items[0], settings->replay, err);
    if (rc == DEED_OK) {
        report_one(settings, &results->items[0]);
        rc = finish(settings, results, exit_out, err);
    }
    return rc;
}

/* The script that breaks deed on purpose lies in the tree this program was built in, above it. */
static deed_rc self_test(struct deed_error *err)
{
    char folder[PATH_BYTES];
    const ssize_t bytes = readlink("/proc/self/exe", folder, sizeof(folder) - 1);
    folder[bytes > 0 ? bytes : 0] = '\0';
    for (char *slash = strrchr(folder, '/'); slash != NULL; slash = strrchr(folder, '/')) {
        char script[PATH_BYTES + 32];
        *slash = '\0';
        (void)snprintf(script, sizeof(script), "%s/scripts/self-test", folder);
        if (access(script, X_OK) == 0) {
            char *const words[] = {script, NULL};
            (void)fflush(NULL);
            (void)execv(script, words);
        }
    }
    return deed_error_set(err, DEED_E_SYSTEM, PROGRAM,
        "--self-test builds deed anew with one rule broken at a time, so it needs the build tree: "
        "run the deed-simulate of a build inside of deed's sources");
}

static deed_rc act(const struct simulate_settings *settings, int *exit_out, struct deed_error *err)
{
    struct simulate_results results = {.items = NULL};
    deed_rc rc = DEED_OK;
    if (settings->list) {
        print_list();
    } else if (settings->self_test) {
        rc = self_test(err);
    } else if (settings->replay != NULL) {
        rc = replay(settings, &results, exit_out, err);
    } else {
        rc = run_all(settings, &results, exit_out, err);
    }
    for (size_t i = 0; i < results.count; i++) {
        simulated_finish(&results.items[i]);
    }
    free(results.items);
    return rc;
}

int main(int argc, char **argv)
{
    struct simulate_settings settings;
    struct deed_error err = {.text = ""};
    int status = EXIT_KEPT;
    deed_rc rc = simulate_settings_read(&settings, argc, argv, &err);
    const char *terminal = getenv("TERM"); /* NOLINT(concurrency-mt-unsafe): one thread */
    on_terminal = isatty(STDERR_FILENO) == 1 && (terminal == NULL || strcmp(terminal, "dumb") != 0);
    catch_signals();
    if (rc == DEED_OK && settings.help) {
        simulate_settings_help();
    } else if (rc == DEED_OK && settings.version) {
        (void)printf("deed %s\n", deed_version());
    } else if (rc == DEED_OK) {
        rc = act(&settings, &status, &err);
    }
    if (rc != DEED_OK) {
        print_error(&settings, &err);
        return deed_exit_status(rc, DEED_EXIT_OTHER, NULL);
    }
    return status;
}
