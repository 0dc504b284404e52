/* SPDX-License-Identifier: MIT
 *
 * executors.c - the executors this build has, by name.
 */
#include "executors.h"

#include "error.h"
#include "paths.h"
#include "secret.h"

#include <deed/ext/error.h>
#include <deed/mock/executor.h>
#include <deed/mock/http.h>

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct factory {
    const char *name;
    deed_rc (*create)(const char *options_json, const struct deed_clock *clock,
        deed_executor **executor_out, struct deed_error *err);
    const char *file; /* an option that names a file, relative to the configuration's folder */
    const char *from; /* an option that may be env:NAME: who starts the command knows it */
} factories[] = {
    {"mock", deed_mock_executor_new, "world", NULL},
    {"mock-http", deed_mock_http_executor_new, NULL, "url"},
};

#define FACTORY_COUNT (sizeof factories / sizeof factories[0])

static deed_rc no_such_executor(const struct config_kind *kind, struct deed_error *err)
{
    char names[160] = "";
    size_t used = 0;
    for (size_t i = 0; i < FACTORY_COUNT && used < sizeof names; i++) {
        used += (size_t)snprintf(
            names + used, sizeof names - used, "%s%s", i > 0 ? ", " : "", factories[i].name);
    }
    return cli_error(err, DEED_E_INVALID, NULL,
        "kinds.%.60s.executor: this build has no executor \"%.40s\"; it has: %s", kind->kind,
        kind->executor, names);
}

static const struct factory *factory_find(const struct config_kind *kind)
{
    for (size_t i = 0; i < FACTORY_COUNT; i++) {
        if (strcmp(factories[i].name, kind->executor) == 0) {
            return &factories[i];
        }
    }
    return NULL;
}

deed_rc executor_check(const struct config_kind *kind, struct deed_error *err)
{
    return factory_find(kind) ? DEED_OK : no_such_executor(kind, err);
}

static const char *option_named(const json_t *options, const char *name_or_null)
{
    return name_or_null ? json_string_value(json_object_get(options, name_or_null)) : NULL;
}

/* A file that stands in the configuration lies where the configuration says, whatever folder the
 * command is called in. */
static deed_rc place_file(
    json_t *options, const char *name_or_null, const char *folder, struct deed_error *err)
{
    const char *file = option_named(options, name_or_null);
    char *path = file ? path_below(folder, file) : NULL;
    if (file && !path) {
        return cli_no_memory(err);
    }
    if (path) {
        (void)json_object_set_new(options, name_or_null, json_string(path));
    }
    free(path);
    return DEED_OK;
}

static deed_rc take_from_environment(json_t *options, const char *name_or_null, const char *kind,
    const char *folder, struct deed_error *err)
{
    const char *reference = option_named(options, name_or_null);
    char place[120];
    char *value = NULL;
    if (!reference || strncmp(reference, "env:", 4) != 0) {
        return DEED_OK;
    }
    (void)snprintf(place, sizeof place, "kinds.%.60s.options.%.40s", kind, name_or_null);
    deed_rc rc = secret_read(reference, folder, place, &value, err);
    if (rc == DEED_OK) {
        (void)json_object_set_new(options, name_or_null, json_string(value));
    }
    secret_free(value);
    return rc;
}

/* An executor names the member of its options that is wrong ("class: must be ..."); it does not know
 * where they stand. Takes the member out of the text and makes one place of both. */
static void name_place(const struct config_kind *kind, struct deed_error *err)
{
    char place[160];
    const size_t member = strspn(err->text, "abcdefghijklmnopqrstuvwxyz0123456789_-.[]*");
    const bool named = member > 0 && strncmp(err->text + member, ": ", 2) == 0;
    (void)snprintf(place, sizeof place, "kinds.%.60s.options%s%.*s", kind->kind, named ? "." : "",
        named ? (int)(member < 60 ? member : 60) : 0, err->text);
    if (named) {
        memmove(err->text, err->text + member + 2, strlen(err->text + member + 2) + 1);
    }
    deed_error_context(err, place);
}

static deed_rc create(const struct factory *factory, const struct config_kind *kind,
    const char *folder, deed_executor **executor_out, struct deed_error *err)
{
    json_t *options = json_loads(kind->options, JSON_ALLOW_NUL, NULL);
    deed_rc rc = place_file(options, factory->file, folder, err);
    if (rc == DEED_OK) {
        rc = take_from_environment(options, factory->from, kind->kind, folder, err);
    }
    if (rc != DEED_OK) {
        json_decref(options);
        return rc;
    }
    char *text = json_dumps(options, JSON_COMPACT);
    rc = text ? factory->create(text, NULL, executor_out, err) : cli_no_memory(err);
    if (rc != DEED_OK && text) {
        name_place(kind, err);
    }
    free(text);
    json_decref(options);
    return rc;
}

static deed_rc register_one(
    deed_ledger *ledger, const struct config_kind *kind, const char *folder, struct deed_error *err)
{
    const struct factory *factory = factory_find(kind);
    deed_executor *executor = NULL;
    char place[160];
    if (!factory) {
        return no_such_executor(kind, err);
    }
    deed_rc rc = create(factory, kind, folder, &executor, err);
    if (rc != DEED_OK) {
        return rc;
    }
    rc = deed_ledger_register(ledger, kind->kind, executor, &kind->profile, err);
    if (rc != DEED_OK) {
        (void)snprintf(place, sizeof place, "kinds.%.60s", kind->kind);
        deed_error_context(err, place);
    }
    return rc;
}

deed_rc executors_register(deed_ledger *ledger, const struct config *config, struct deed_error *err)
{
    for (size_t i = 0; i < config->kind_count; i++) {
        deed_rc rc = register_one(ledger, &config->kinds[i], config->folder, err);
        if (rc != DEED_OK) {
            return rc;
        }
    }
    return DEED_OK;
}

/* ---- for a handle that only looks --------------------------------------------------------------- */

static deed_rc look_prepare(void *self, const struct deed_request *request,
    struct deed_preparation *preparation_out, struct deed_error *err)
{
    (void)self;
    (void)request;
    (void)preparation_out;
    return cli_error(err, DEED_E_MISUSE, NULL, "a command that only looks sends nothing");
}

static void look_attempt(void *self, const struct deed_call *call, struct deed_answer *answer_out)
{
    (void)self;
    (void)call;
    (void)answer_out; /* unknown */
}

struct looking {
    deed_executor face;
    char *name;
};

static void look_destroy(void *self)
{
    struct looking *looking = self;
    free(looking->name);
    free(looking);
}

/* An executor may be given a name of its own. NULL: no memory. */
static char *name_of(const struct config_kind *kind)
{
    json_t *options = json_loads(kind->options, JSON_ALLOW_NUL, NULL);
    const char *own = json_string_value(json_object_get(options, "name"));
    char *name = strdup(own ? own : kind->executor);
    json_decref(options);
    return name;
}

/* A doubt goes to the executor that made it, by name; so this one bears it. */
static deed_rc register_looking(
    deed_ledger *ledger, const struct config_kind *kind, struct deed_error *err)
{
    struct looking *looking = calloc(1, sizeof *looking);
    char *name = name_of(kind);
    if (!looking || !name) {
        free(looking);
        free(name);
        return cli_no_memory(err);
    }
    looking->name = name;
    looking->face = (deed_executor){.size = sizeof looking->face,
        .name = name,
        .version = "looks",
        .flags = DEED_EXECUTOR_LOOPBACK, /* harmless: any ledger takes it */
        .self = looking,
        .prepare = look_prepare,
        .attempt = look_attempt,
        .destroy = look_destroy};
    return deed_ledger_register(ledger, kind->kind, &looking->face, &kind->profile, err);
}

deed_rc executors_register_looking(
    deed_ledger *ledger, const struct config *config, struct deed_error *err)
{
    for (size_t i = 0; i < config->kind_count; i++) {
        deed_rc rc = register_looking(ledger, &config->kinds[i], err);
        if (rc != DEED_OK) {
            return rc;
        }
    }
    return DEED_OK;
}
