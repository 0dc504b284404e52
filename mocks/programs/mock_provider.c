/* SPDX-License-Identifier: MIT
 *
 * deed-mock-provider, which `deed mock-provider` runs.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <jansson.h>

#include <deed/ext/error.h>
#include <deed/machine.h>

#include "http/http_provider.h"
#include "programs/mock_provider_settings.h"

/* ---- what is printed ---------------------------------------------------------------------- */

static bool print_json(FILE *out, json_t *object)
{
    bool done = object != NULL && json_dumpf(object, out, JSON_COMPACT) == 0 &&
        fputc('\n', out) != EOF && fflush(out) == 0;
    json_decref(object);
    return done;
}

static void print_error(const struct settings *settings, const struct deed_error *err)
{
    if (!settings->json) {
        (void)fprintf(stderr, "deed mock-provider: %s\n", err->text);
        return;
    }
    const char *code = deed_rc_name(err->rc);
    (void)print_json(stderr,
        json_pack("{s:s, s:s, s:s, s:s, s:n, s:n, s:s}", "schema", "deed/1", "object", "error",
            "code", code != NULL ? code : "DEED_E_SYSTEM", "message", err->text, "key", "next",
            "origin", err->origin));
}

/* Whoever started it reads this line, and only then speaks to it. */
static bool print_addresses(
    const struct settings *settings, const struct deed__http_provider *provider)
{
    const char *url = deed__http_provider_url(provider);
    const char *control_url = deed__http_provider_control_url(provider);
    if (settings->json) {
        return print_json(stdout,
            json_pack("{s:s, s:s, s:s, s:s}", "schema", "deed/1", "object", "mock_provider", "url",
                url, "control_url", control_url));
    }
    return printf("provider %s control %s\n", url, control_url) > 0 && fflush(stdout) == 0;
}

static void print_counts_text(json_t *counts)
{
    const char *name = NULL;
    json_t *of_name = NULL;
    json_object_foreach(json_object_get(counts, "names"), name, of_name)
    {
        (void)printf("%s:", name);
        const char *between = " ";
        const char *what = NULL;
        json_t *count = NULL;
        json_object_foreach(of_name, what, count)
        {
            if (json_integer_value(count) != 0) {
                (void)printf("%s%s %lld", between, what, (long long)json_integer_value(count));
                between = ", ";
            }
        }
        (void)fputc('\n', stdout);
    }
    const json_t *total = json_object_get(counts, "total");
    (void)printf("all: sends %lld, effects %lld\n",
        (long long)json_integer_value(json_object_get(total, "sends")),
        (long long)json_integer_value(json_object_get(total, "effects")));
}

static deed_rc print_counts(
    const struct settings *settings, struct deed__http_provider *provider, struct deed_error *err)
{
    json_t *counts = NULL;
    deed_rc rc = deed__http_provider_counts_json(provider, &counts, err);
    if (rc != DEED_OK) {
        return rc;
    }
    if (settings->json) {
        (void)json_object_set_new(counts, "schema", json_string("deed/1"));
        (void)json_object_set_new(counts, "object", json_string("mock_counts"));
        (void)print_json(stdout, counts);
    } else {
        print_counts_text(counts);
        json_decref(counts);
    }
    return DEED_OK;
}

/* ---- running ------------------------------------------------------------------------------ */

/* SIGINT and SIGTERM end it between two steps, never inside of one. */
static int signals_open(void)
{
    sigset_t ends;
    (void)sigemptyset(&ends);
    (void)sigaddset(&ends, SIGINT);
    (void)sigaddset(&ends, SIGTERM);
    if (sigprocmask(SIG_BLOCK, &ends, NULL) != 0) {
        return -1;
    }
    return signalfd(-1, &ends, SFD_CLOEXEC | SFD_NONBLOCK);
}

static deed_rc serve(struct deed__http_provider *provider, int signals, struct deed_error *err)
{
    struct pollfd polled = {.fd = signals, .events = POLLIN};
    deed_rc rc = DEED_OK;
    while (rc == DEED_OK && polled.revents == 0) {
        rc = deed__http_provider_step(provider, -1, &polled, 1, err);
    }
    return rc;
}

static deed_rc run(const struct settings *settings, struct deed_error *err)
{
    const struct deed__http_options options = {.options_json = settings->options_json,
        .port = settings->port,
        .controlled = true,
        .control_port = settings->control_port};
    struct deed__http_provider *provider = NULL;
    int signals = signals_open();
    if (signals < 0) {
        return deed_error_set(
            err, DEED_E_SYSTEM, "mock-provider", "cannot wait for the signals that end it");
    }
    deed_rc rc = deed__http_provider_start(&options, &provider, err);
    if (rc == DEED_OK && !print_addresses(settings, provider)) {
        rc = deed_error_set(err, DEED_E_SYSTEM, "mock-provider",
            "the addresses could not be written to standard output");
    }
    if (rc == DEED_OK) {
        rc = serve(provider, signals, err);
    }
    if (rc == DEED_OK) {
        rc = print_counts(settings, provider, err);
    }
    deed__http_provider_stop(provider);
    (void)close(signals);
    return rc;
}

int main(int argc, char **argv)
{
    struct settings settings;
    struct deed_error err = {.text = ""};
    deed_rc rc = settings_read(&settings, argc, argv, &err);
    if (rc == DEED_OK && settings.help) {
        settings_help();
    } else if (rc == DEED_OK && settings.version) {
        (void)printf("deed %s\n", deed_version());
    } else if (rc == DEED_OK) {
        rc = run(&settings, &err);
    }
    if (rc != DEED_OK) {
        print_error(&settings, &err);
    }
    settings_finish(&settings);
    return deed_exit_status(rc, DEED_EXIT_OTHER, NULL);
}
