/* SPDX-License-Identifier: MIT
 *
 * doctor_config.c - the configuration: can it be read, is there an executor for each kind and each
 * open intent, is each secret where the configuration says.
 */
#include "doctor.h"

#include "executors.h"
#include "secret.h"

#include <deed/sqlite.h>

#include <stdio.h>
#include <string.h>

static void look_at_kind(
    struct doctor *doctor, const struct config_kind *kind, bool ledger_known, bool test)
{
    struct deed_error err = {0};
    if (executor_check(kind, &err) != DEED_OK) {
        doctor_tell_error(doctor, "kind", HEALTH_BROKEN, &err);
    } else if (ledger_known && !test && strcmp(kind->executor, "mock") == 0) {
        doctor_tell(doctor, "kind", HEALTH_BROKEN,
            "give it to the executor that is meant, or use a test ledger",
            "kinds.%.60s: a mock executor serves test ledgers only, and this is none", kind->kind);
    } else {
        doctor_tell(doctor, "kind", HEALTH_OK, NULL, "%.80s is served by %.40s", kind->kind,
            kind->executor);
    }
}

static void look_at_verifier(
    struct doctor *doctor, const struct config *config, const struct config_verifier *verifier)
{
    struct deed_error err = {0};
    char place[100];
    char *secret = NULL;
    (void)snprintf(place, sizeof place, "verifiers.%.60s.secret", verifier->source);
    if (secret_read(verifier->secret, config->folder, place, &secret, &err) != DEED_OK) {
        doctor_tell_error(doctor, "verifier", HEALTH_BROKEN, &err);
        return;
    }
    secret_free(secret);
    doctor_tell(
        doctor, "verifier", HEALTH_OK, NULL, "messages of %.60s can be verified", verifier->source);
}

struct unserved {
    struct doctor *doctor;
    json_t *told; /* kinds */
};

static bool see_open(
    void *context, deed_rc rc, const struct deed_result *result, const struct deed_error *err)
{
    struct unserved *unserved = context;
    (void)rc;
    (void)err;
    if (result->unserved && !json_object_get(unserved->told, result->kind)) {
        (void)json_object_set_new(unserved->told, result->kind, json_true());
        char remedy[DEED_ERROR_TEXT_BYTES];
        (void)snprintf(remedy, sizeof remedy, "add kinds.%.60s with its executor to %.200s",
            result->kind, unserved->doctor->cli->config.path);
        doctor_tell(unserved->doctor, "kind", HEALTH_BROKEN, remedy,
            "no executor is configured for kind %.80s, and %s waits for one", result->kind,
            result->key);
    }
    return true;
}

/* What is open must be served by somebody. */
static void look_at_open(struct doctor *doctor, const char *path)
{
    struct deed_error err = {0};
    const struct deed_sqlite_options options = {.size = sizeof options, .read_only = true};
    const struct deed_list open_ones = {.size = sizeof open_ones};
    struct unserved unserved = {.doctor = doctor, .told = json_object()};
    struct deed_store *store = NULL;
    deed_ledger *ledger = NULL;
    deed_rc rc = deed_sqlite_open(path, &options, &store, &err);
    if (rc == DEED_OK) {
        rc = deed_ledger_open(store, NULL, &ledger, &err);
    }
    if (rc == DEED_OK) {
        rc = executors_register_looking(ledger, &doctor->cli->config, &err);
    }
    if (rc == DEED_OK) {
        rc = deed_ledger_list(ledger, &open_ones, see_open, &unserved, &err);
    }
    if (rc != DEED_OK) {
        doctor_tell_error(doctor, "kind", HEALTH_WARNING, &err);
    }
    deed_ledger_close(ledger);
    json_decref(unserved.told);
}

void doctor_config(struct doctor *doctor, const char *path, bool ledger_known, bool test)
{
    struct deed_error err = {0};
    struct config *config = &doctor->cli->config;
    if (config_load(config, &doctor->cli->arguments, &err) != DEED_OK) {
        doctor_tell_error(doctor, "config", HEALTH_BROKEN, &err);
        return;
    }
    if (!config->path) {
        doctor_tell(doctor, "config", HEALTH_WARNING,
            "name one with --config if anything is to be run from here",
            "there is no configuration, so no kind has an executor");
        return;
    }
    doctor_tell(doctor, "config", HEALTH_OK, NULL, "%.200s: %zu kinds, %zu verifiers", config->path,
        config->kind_count, config->verifier_count);
    for (size_t i = 0; i < config->kind_count; i++) {
        look_at_kind(doctor, &config->kinds[i], ledger_known, test);
    }
    if (ledger_known) {
        look_at_open(doctor, path);
    }
    for (size_t i = 0; i < config->verifier_count; i++) {
        look_at_verifier(doctor, config, &config->verifiers[i]);
    }
}
