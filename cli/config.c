/* SPDX-License-Identifier: MIT
 *
 * config.c - the configuration file: which executor serves which kind, under which profile, and
 * whose messages are verified how.
 */
#include "config.h"

#include "config_kind.h"
#include "config_verifier.h"
#include "error.h"
#include "json_words.h"
#include "nearest.h"
#include "paths.h"

#include <deed/ext/error.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATH_BYTES 4096
#define PATH_SHOWN 160

/* $XDG_CONFIG_HOME/deed/config.json, or ~/.config/... where that is unset. False: there is none. */
static bool default_path(char path_out[PATH_BYTES])
{
    const char *base = getenv("XDG_CONFIG_HOME");
    const char *below = "";
    if (!base || base[0] != '/') { /* the XDG rules: what is not absolute is as if unset */
        base = getenv("HOME");
        below = "/.config";
    }
    if (!base || base[0] != '/') {
        return false;
    }
    const int length = snprintf(path_out, PATH_BYTES, "%s%s/deed/config.json", base, below);
    return length > 0 && length < PATH_BYTES && access(path_out, F_OK) == 0;
}

static deed_rc load_file(const char *path, json_t **root_out, struct deed_error *err)
{
    json_error_t json_error;
    errno = 0;
    FILE *file = fopen(path, "re");
    if (!file) {
        return cli_error(err, DEED_E_INVALID, NULL, "the configuration %.200s cannot be read: %s",
            path, strerror(errno));
    }
    *root_out = json_loadf(file, JSON_REJECT_DUPLICATES, &json_error);
    const bool failed = ferror(file) != 0;
    const int saved = errno;
    (void)fclose(file);
    if (failed) {
        json_decref(*root_out);
        *root_out = NULL;
        return cli_error(err, DEED_E_INVALID, NULL, "the configuration %.200s cannot be read: %s",
            path, strerror(saved));
    }
    if (!*root_out) {
        return cli_error(err, DEED_E_INVALID, NULL,
            "the configuration %.200s holds %s at line %d, column %d", path,
            json_error_words(&json_error), json_error.line, json_error.column);
    }
    return DEED_OK;
}

static deed_rc unknown_member(const char *name, struct deed_error *err)
{
    struct nearest nearest;
    nearest_start(&nearest, name);
    nearest_offer(&nearest, "kinds");
    nearest_offer(&nearest, "actor");
    nearest_offer(&nearest, "verifiers");
    return cli_error(err, DEED_E_INVALID, NULL, "%.60s: the configuration has no such member%s%s",
        name, nearest.name ? "; the nearest is " : "; it has kinds, actor and verifiers",
        nearest.name ? nearest.name : "");
}

static deed_rc read_kinds(struct config *config, json_t *kinds, struct deed_error *err)
{
    if (!json_is_object(kinds)) {
        return cli_error(
            err, DEED_E_INVALID, NULL, "kinds: must be an object: each member one kind");
    }
    config->kinds = calloc(json_object_size(kinds) + 1, sizeof *config->kinds);
    if (!config->kinds) {
        return cli_no_memory(err);
    }
    const char *name = NULL;
    json_t *value = NULL;
    json_object_foreach(kinds, name, value)
    {
        deed_rc rc = config_kind_read(name, value, &config->kinds[config->kind_count++], err);
        if (rc != DEED_OK) {
            return rc;
        }
    }
    return DEED_OK;
}

static deed_rc read_verifiers(struct config *config, json_t *verifiers, struct deed_error *err)
{
    if (!json_is_object(verifiers)) {
        return cli_error(
            err, DEED_E_INVALID, NULL, "verifiers: must be an object: each member one source");
    }
    config->verifiers = calloc(json_object_size(verifiers) + 1, sizeof *config->verifiers);
    if (!config->verifiers) {
        return cli_no_memory(err);
    }
    const char *name = NULL;
    json_t *value = NULL;
    json_object_foreach(verifiers, name, value)
    {
        deed_rc rc =
            config_verifier_read(name, value, &config->verifiers[config->verifier_count++], err);
        if (rc != DEED_OK) {
            return rc;
        }
    }
    return DEED_OK;
}

static deed_rc read_actor(struct config *config, json_t *value, struct deed_error *err)
{
    const size_t bytes = json_string_length(value);
    if (bytes == 0 || bytes > DEED_NOTE_BYTES_MAX) {
        return cli_error(err, DEED_E_INVALID, NULL,
            "actor: must be a string of 1 to %d bytes: who is named where a call names nobody",
            DEED_NOTE_BYTES_MAX);
    }
    config->actor = json_string_value(value);
    return DEED_OK;
}

static deed_rc read_root(struct config *config, struct deed_error *err)
{
    if (!json_is_object(config->root)) {
        return cli_error(err, DEED_E_INVALID, NULL, "must be one JSON object");
    }
    const char *name = NULL;
    json_t *value = NULL;
    json_object_foreach(config->root, name, value)
    {
        deed_rc rc = DEED_OK;
        if (strcmp(name, "kinds") == 0) {
            rc = read_kinds(config, value, err);
        } else if (strcmp(name, "verifiers") == 0) {
            rc = read_verifiers(config, value, err);
        } else if (strcmp(name, "actor") == 0) {
            rc = read_actor(config, value, err);
        } else {
            rc = unknown_member(name, err);
        }
        if (rc != DEED_OK) {
            return rc;
        }
    }
    return DEED_OK;
}

void config_name_file(const struct config *config, struct deed_error *err)
{
    /* Of a long path the end says more, and the cause must not be pushed out. */
    const size_t length = strlen(config->path);
    char shown[PATH_SHOWN + 4];
    (void)snprintf(shown, sizeof shown, "%s%s", length > PATH_SHOWN ? "..." : "",
        config->path + (length > PATH_SHOWN ? length - PATH_SHOWN : 0));
    deed_error_context(err, shown);
}

deed_rc config_load(
    struct config *config, const struct arguments *arguments, struct deed_error *err)
{
    *config = (struct config){0};
    char buffer[PATH_BYTES];
    const char *path = arguments->values[OPT_CONFIG];
    if (!path) {
        path = getenv("DEED_CONFIG");
    }
    if (!path || (path[0] == '\0' && !given(arguments, OPT_CONFIG))) {
        if (!default_path(buffer)) {
            return DEED_OK;
        }
        path = buffer;
    }
    config->path = strdup(path);
    config->folder = path_folder(path);
    if (!config->path || !config->folder) {
        return cli_no_memory(err);
    }
    deed_rc rc = load_file(path, &config->root, err);
    if (rc == DEED_OK) {
        rc = read_root(config, err);
        if (rc != DEED_OK) {
            config_name_file(config, err);
        }
    }
    return rc;
}

void config_finish(struct config *config)
{
    for (size_t i = 0; i < config->kind_count; i++) {
        free(config->kinds[i].options);
    }
    free(config->kinds);
    free(config->verifiers);
    free(config->folder);
    free(config->path);
    json_decref(config->root);
    *config = (struct config){0};
}
