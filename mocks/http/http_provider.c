/* SPDX-License-Identifier: MIT
 *
 * Making the provider, and the calls of whoever has it in his process.
 */
#include "http/http_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <deed/ext/error.h>

/* ---- rules -------------------------------------------------------------------------------- */

/* On failure the old rules stay. */
static deed_rc read_rules(
    struct deed__http_provider *provider, const json_t *options, struct deed_error *err)
{
    const struct deed_mock__road road = {.world_given = provider->world_given, .http = true};
    struct deed_mock__provider rules;
    char *text = json_dumps(options, JSON_COMPACT);
    if (text == NULL) {
        return deed_error_set(err, DEED_E_NOMEM, DEED__HTTP_ORIGIN, "no memory for the options");
    }
    deed_rc rc = deed_mock__provider_read(text, road, &rules, err);
    free(text);
    if (rc != DEED_OK) {
        deed_mock__provider_finish(&rules);
        return rc;
    }
    deed_mock__provider_finish(&provider->rules);
    provider->rules = rules;
    (void)json_object_clear(provider->attempts);
    return DEED_OK;
}

static json_t *read_object(const char *text, const char *what, struct deed_error *err)
{
    json_error_t where;
    json_t *object = json_loads(text != NULL ? text : "", JSON_REJECT_DUPLICATES, &where);
    if (object == NULL) {
        (void)deed_error_set(err, DEED_E_INVALID, DEED__HTTP_ORIGIN,
            "%s: no JSON: line %d, column %d: %s", what, where.line, where.column, where.text);
    } else if (!json_is_object(object)) {
        (void)deed_error_set(err, DEED_E_INVALID, DEED__HTTP_ORIGIN, "%s: must be an object", what);
        json_decref(object);
        object = NULL;
    }
    return object;
}

static bool is_script(const char *name)
{
    static const char *const names[] = {
        "script", "scripts", "lookup_script", "lookup_scripts", "poll_script", "cancel_script"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strcmp(names[i], name) == 0) {
            return true;
        }
    }
    return false;
}

deed_rc deed__http_provider_script(
    struct deed__http_provider *provider, const char *scripts_json, struct deed_error *err)
{
    deed_rc rc = DEED_E_INVALID;
    const char *name = NULL;
    json_t *value = NULL;
    json_t *scripts = read_object(scripts_json, "scripts", err);
    json_t *options = json_copy(provider->options);
    if (scripts == NULL) {
        goto done;
    }
    json_object_foreach(scripts, name, value)
    {
        if (!is_script(name)) {
            rc = deed_error_set(err, DEED_E_INVALID, DEED__HTTP_ORIGIN,
                "%.60s: only scripts change while the provider runs", name);
            goto done;
        }
    }
    if (json_object_update(options, scripts) != 0) {
        rc = deed_error_set(err, DEED_E_NOMEM, DEED__HTTP_ORIGIN, "no memory for scripts");
        goto done;
    }
    rc = read_rules(provider, options, err);
    if (rc == DEED_OK) {
        json_decref(provider->options);
        provider->options = json_incref(options);
    }
done:
    json_decref(options);
    json_decref(scripts);
    return rc;
}

/* ---- start and stop ----------------------------------------------------------------------- */

static deed_rc take_world(
    struct deed__http_provider *provider, deed_world *world, struct deed_error *err)
{
    if (world == NULL) {
        provider->world_path = strdup(provider->rules.world_path);
        return provider->world_path != NULL
            ? deed_world_open(provider->world_path, &provider->world, err)
            : deed_error_set(err, DEED_E_NOMEM, DEED__HTTP_ORIGIN, "no memory for a world");
    }
    provider->world = world;
    return DEED_OK;
}

static deed_rc see_effects_so_far(struct deed__http_provider *provider, struct deed_error *err)
{
    struct deed_world_counts counts;
    deed_rc rc = deed_world_count(provider->world, NULL, NULL, &counts, err);
    provider->effects_seen = rc == DEED_OK ? counts.effects : 0;
    return rc;
}

static deed_rc start(struct deed__http_provider *provider, const struct deed__http_options *options,
    struct deed_error *err)
{
    provider->world_given = options->world != NULL;
    provider->options = read_object(options->options_json, "options", err);
    if (provider->options == NULL) {
        return DEED_E_INVALID;
    }
    deed_rc rc = read_rules(provider, provider->options, err);
    if (rc == DEED_OK) {
        rc = take_world(provider, options->world, err);
    }
    if (rc == DEED_OK) {
        rc = see_effects_so_far(provider, err);
    }
    if (rc == DEED_OK) {
        rc = deed__http_listen(&provider->effects, err);
    }
    if (rc == DEED_OK && options->controlled) {
        rc = deed__http_listen(&provider->control, err);
    }
    return rc;
}

deed_rc deed__http_provider_start(const struct deed__http_options *options,
    struct deed__http_provider **provider_out, struct deed_error *err)
{
    struct deed__http_provider *provider = calloc(1, sizeof(*provider));
    if (provider == NULL) {
        return deed_error_set(err, DEED_E_NOMEM, DEED__HTTP_ORIGIN, "no memory for a provider");
    }
    for (size_t i = 0; i < DEED__HTTP_CONNECTIONS_MAX; i++) {
        provider->connections[i].fd = -1;
    }
    provider->effects = (struct deed__http_listener){.fd = -1, .port = options->port};
    provider->control = (struct deed__http_listener){.fd = -1, .port = options->control_port};
    provider->clock = options->clock;
    provider->watch = options->watch;
    provider->watch_context = options->watch_context;
    provider->attempts = json_object();
    deed_rc rc = start(provider, options, err);
    if (rc != DEED_OK) {
        deed__http_provider_stop(provider);
        return rc;
    }
    *provider_out = provider;
    return DEED_OK;
}

static void close_listener(struct deed__http_listener *listener)
{
    if (listener->fd >= 0) {
        (void)close(listener->fd);
        listener->fd = -1;
    }
}

void deed__http_provider_stop(struct deed__http_provider *provider)
{
    if (provider == NULL) {
        return;
    }
    for (size_t i = 0; i < DEED__HTTP_CONNECTIONS_MAX; i++) {
        if (provider->connections[i].phase != DEED__HTTP_FREE) {
            deed__http_close(&provider->connections[i]);
        }
    }
    close_listener(&provider->effects);
    close_listener(&provider->control);
    if (provider->world_path != NULL) {
        deed_world_close(provider->world);
    }
    free(provider->world_path);
    deed__http_forget_events(provider);
    deed_mock__provider_finish(&provider->rules);
    json_decref(provider->options);
    json_decref(provider->attempts);
    free(provider);
}

/* ---- asking it ---------------------------------------------------------------------------- */

const char *deed__http_provider_url(const struct deed__http_provider *provider)
{
    return provider->effects.url;
}

const char *deed__http_provider_control_url(const struct deed__http_provider *provider)
{
    return provider->control.fd >= 0 ? provider->control.url : NULL;
}

deed_world *deed__http_provider_world(const struct deed__http_provider *provider)
{
    return provider->world;
}

deed_rc deed__http_provider_counts(struct deed__http_provider *provider, const char *name,
    struct deed_world_counts *counts_out, struct deed_error *err)
{
    return deed_world_count(provider->world, name, NULL, counts_out, err);
}

deed_rc deed__http_provider_land(struct deed__http_provider *provider, const char *name,
    uint64_t *landed_out, struct deed_error *err)
{
    struct deed_instant now;
    if (!deed__http_now(provider, &now)) {
        return deed_error_set(err, DEED_E_SYSTEM, DEED__HTTP_ORIGIN, "the clock cannot be read");
    }
    deed_rc rc = deed_world_land(provider->world, name, now.wall_ms, landed_out, err);
    deed__http_tell_landed(provider);
    return rc;
}

/* A world only grows, so it begins anew as another file of the same name. */
deed_rc deed__http_provider_reset(struct deed__http_provider *provider, struct deed_error *err)
{
    struct deed_world *fresh = NULL;
    if (provider->world_path == NULL) {
        return deed_error_set(err, DEED_E_MISUSE, DEED__HTTP_ORIGIN,
            "this world is somebody else's; whoever opened it begins another one");
    }
    if (unlink(provider->world_path) != 0 && errno != ENOENT) {
        return deed_error_set(err, DEED_E_SYSTEM, DEED__HTTP_ORIGIN, "cannot remove %s: %s",
            provider->world_path,
            strerror(errno)); /* NOLINT(concurrency-mt-unsafe): safe for known numbers */
    }
    deed_rc rc = deed_world_open(provider->world_path, &fresh, err);
    if (rc != DEED_OK) {
        return rc;
    }
    deed_world_close(provider->world);
    provider->world = fresh;
    provider->effects_seen = 0;
    (void)json_object_clear(provider->attempts);
    deed__http_forget_events(provider);
    return DEED_OK;
}
