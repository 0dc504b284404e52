/* SPDX-License-Identifier: MIT
 *
 * worker.c - a host of the library: opens a ledger and runs what is due, until nothing is.
 *
 *   demo-worker LEDGER CONFIG [KEY:WINDOW...]
 *
 * All it does for its own safety is call the library; it keeps no notes and cleans nothing up. Each
 * KEY:WINDOW is a place to stop at, for the parent to kill it there.
 */
#include "kinds.h"
#include "stops.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include <deed/ledger.h>
#include <deed/sqlite.h>

#define PAUSE_MS 150 /* longer than backoff_base_ms of the configuration */

static void told(void *self, const char *what, const char *key, const char *text)
{
    (void)self;
    (void)text;
    if (strcmp(what, "attempt") == 0) { /* durable now; the provider is called next */
        stops_attempt(key);
    }
}

static bool count_one(
    void *context, deed_rc rc, const struct deed_result *result, const struct deed_error *err)
{
    int *count = context;
    *count += 1;
    if (rc != DEED_OK) {
        (void)fprintf(stderr, "%s: %s\n", result->key, err->text);
    }
    return true;
}

static deed_rc open_ledger(
    const char *path, const struct deed_options *options, deed_ledger **out, struct deed_error *err)
{
    struct deed_store *store = NULL;
    deed_rc rc = deed_sqlite_open(path, NULL, &store, err);
    return rc == DEED_OK ? deed_ledger_open(store, options, out, err) : rc;
}

static deed_rc register_kinds(deed_ledger *ledger, struct kinds *kinds, struct deed_error *err)
{
    deed_rc rc = DEED_OK;
    for (size_t i = 0; rc == DEED_OK && i < kinds->count; i++) {
        deed_executor *executor = kinds->items[i].executor;
        kinds->items[i].executor = NULL; /* the ledger takes it, on failure too */
        rc = deed_ledger_register(
            ledger, kinds->items[i].name, executor, &kinds->items[i].profile, err);
    }
    return rc;
}

/* What was refused for now is due again after a pause. */
static deed_rc run_all(deed_ledger *ledger, struct deed_error *err)
{
    deed_rc rc = DEED_OK;
    for (int count = 1; rc == DEED_OK && count > 0;) {
        count = 0;
        rc = deed_run_due(ledger, count_one, &count, err);
        if (count > 0) {
            struct timespec pause = {.tv_nsec = PAUSE_MS * 1000000L};
            (void)nanosleep(&pause, NULL);
        }
    }
    return rc;
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        (void)fprintf(stderr, "usage: demo-worker LEDGER CONFIG [KEY:WINDOW...]\n");
        return 2;
    }
    struct deed_error err = {0};
    struct kinds kinds;
    deed_ledger *ledger = NULL;
    const struct deed_trace trace = {.size = sizeof trace, .event = told};
    const struct deed_options options = {
        .size = sizeof options, .trace = &trace, .actor = "worker"};
    stops_set(argv + 3, argc - 3);
    if (!kinds_read(argv[2], &kinds)) {
        kinds_finish(&kinds);
        return 1;
    }
    deed_rc rc = open_ledger(argv[1], &options, &ledger, &err);
    if (rc == DEED_OK) {
        rc = register_kinds(ledger, &kinds, &err);
    }
    if (rc == DEED_OK) {
        rc = run_all(ledger, &err);
    }
    if (rc != DEED_OK) {
        (void)fprintf(stderr, "demo-worker: %s\n", err.text);
    }
    deed_ledger_close(ledger);
    kinds_finish(&kinds);
    return rc == DEED_OK ? 0 : 1;
}
