/* SPDX-License-Identifier: MIT
 *
 * The command line of `deed mock-provider`, made into the options of a provider.
 */
#include "programs/mock_provider_settings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include <deed/ext/error.h>

#include "programs/arguments.h"

#define PROGRAM       "mock-provider"
#define CLASS_DEFAULT "keyed+lookup" /* as the help says */
#define WORLD_NAME    "/world"

enum {
    CLASS,
    OPTIONS,
    WORLD,
    PORT,
    CONTROL_PORT,
    SCRIPT,
    JSON,
    HELP,
    VERSION,
    COUNT
};

static const struct deed__argument table[COUNT] = {
    [CLASS] = {"class", "CLASS", "blind, lookup, keyed, keyed+lookup (if not given) or closable"},
    [OPTIONS] = {"options", "JSON|FILE",
        "all options as one object; deed/mock/executor.h lists them"},
    [WORLD] = {"world", "FILE", "where what happens is counted; else a file that goes at the end"},
    [PORT] = {"port", "N", "of the provider, on 127.0.0.1; else any that is free"},
    [CONTROL_PORT] = {"control-port", "N", "for counts, scripts and what is late; else any"},
    [SCRIPT] = {"script", "JSON|FILE", "a step or a list of steps: {\"do\": \"lose\"}"},
    [JSON] = {"json", NULL, "print JSON: one line when it listens, one with the counts at the end"},
    [HELP] = {"help", NULL, "print this and end"},
    [VERSION] = {"version", NULL, "print the version and end"},
};

void settings_help(void)
{
    const struct deed__arguments arguments = {.program = PROGRAM, .table = table, .count = COUNT};
    (void)fputs("usage: deed mock-provider [OPTION...]\n\n"
                "An HTTP provider on loopback that can fail in every way, and counts what really\n"
                "happened. It prints its two addresses and runs until a signal ends it.\n\n"
                "  deed mock-provider --class keyed --script '{\"do\":\"lose\"}'\n"
                "  curl -X POST -H 'Idempotency-Key: k-1' -d hello $URL/effects/pay-1\n"
                "  curl $CONTROL/counts\n\nOptions:\n",
        stdout);
    deed__arguments_print(&arguments, stdout);
}

static deed_rc no_memory(struct deed_error *err)
{
    return deed_error_set(err, DEED_E_NOMEM, PROGRAM, "no memory for the command line");
}

/* ---- values ------------------------------------------------------------------------------- */

static deed_rc read_port(
    const char *name, const char *text, uint16_t *port_out, struct deed_error *err)
{
    char *end = NULL;
    unsigned long port = text != NULL ? strtoul(text, &end, 10) : 0;
    if (text != NULL && (text[0] < '0' || text[0] > '9' || *end != '\0' || port > 65535)) {
        return deed_error_set(err, DEED_E_INVALID, PROGRAM,
            "--%s `%.40s` must be a whole number from 0 to 65535", name, text);
    }
    *port_out = (uint16_t)port;
    return DEED_OK;
}

/* JSON itself, where it begins as JSON does; else the file of that name. */
static deed_rc read_json(
    const char *name, const char *text, json_t **value_out, struct deed_error *err)
{
    json_error_t where;
    bool is_json = text[0] == '{' || text[0] == '[';
    *value_out = is_json ? json_loads(text, JSON_REJECT_DUPLICATES, &where)
                         : json_load_file(text, JSON_REJECT_DUPLICATES, &where);
    if (*value_out != NULL) {
        return DEED_OK;
    }
    return deed_error_set(err, DEED_E_INVALID, PROGRAM, "--%s: %s%.80s: line %d, column %d: %s",
        name, is_json ? "no JSON" : "cannot be read as JSON: ", is_json ? "" : text, where.line,
        where.column, where.text);
}

/* An option beside the object that holds it too: nobody can say which one is meant. */
static deed_rc put(json_t *options, const char *name, json_t *value_taken, struct deed_error *err)
{
    if (json_object_get(options, name) != NULL) {
        json_decref(value_taken);
        return deed_error_set(err, DEED_E_INVALID, PROGRAM,
            "--%s is given, and --options has \"%s\" too; which one is meant?", name, name);
    }
    return json_object_set_new(options, name, value_taken) == 0 ? DEED_OK : no_memory(err);
}

/* ---- the world ---------------------------------------------------------------------------- */

static deed_rc make_folder(struct settings *settings, struct deed_error *err)
{
    const char *place = getenv("TMPDIR"); /* NOLINT(concurrency-mt-unsafe): one thread */
    if (asprintf(&settings->folder, "%s/deed-mock-provider.XXXXXX",
            place != NULL && place[0] != '\0' ? place : "/tmp") < 0) {
        settings->folder = NULL;
        return no_memory(err);
    }
    if (mkdtemp(settings->folder) == NULL) {
        deed_rc rc = deed_error_set(err, DEED_E_SYSTEM, PROGRAM,
            "cannot make the folder %s: %s; name a file with --world", settings->folder,
            strerror(errno)); /* NOLINT(concurrency-mt-unsafe): safe for known numbers */
        free(settings->folder);
        settings->folder = NULL;
        return rc;
    }
    return DEED_OK;
}

static deed_rc put_world(
    struct settings *settings, json_t *options, const char *world, struct deed_error *err)
{
    char *path = NULL;
    if (world != NULL) {
        return put(options, "world", json_string(world), err);
    }
    if (json_object_get(options, "world") != NULL) {
        return DEED_OK;
    }
    deed_rc rc = make_folder(settings, err);
    if (rc != DEED_OK) {
        return rc;
    }
    if (asprintf(&path, "%s" WORLD_NAME, settings->folder) < 0) {
        return no_memory(err);
    }
    rc = put(options, "world", json_string(path), err);
    free(path);
    return rc;
}

void settings_finish(struct settings *settings)
{
    char path[4096];
    if (settings->folder != NULL) {
        (void)snprintf(path, sizeof(path), "%s" WORLD_NAME, settings->folder);
        (void)unlink(path);
        (void)rmdir(settings->folder);
    }
    free(settings->folder);
    free(settings->options_json);
    *settings = (struct settings){.options_json = NULL};
}

/* ---- all of it ---------------------------------------------------------------------------- */

static deed_rc make_options(struct settings *settings, const char *const values[COUNT],
    json_t *options, struct deed_error *err)
{
    json_t *script = NULL;
    deed_rc rc = DEED_OK;
    if (values[CLASS] != NULL || json_object_get(options, "class") == NULL) {
        const char *word = values[CLASS] != NULL ? values[CLASS] : CLASS_DEFAULT;
        rc = put(options, "class", json_string(word), err);
    }
    if (rc == DEED_OK && values[SCRIPT] != NULL) {
        rc = read_json("script", values[SCRIPT], &script, err);
        rc = rc == DEED_OK ? put(options, "script", script, err) : rc;
    }
    if (rc == DEED_OK) {
        rc = put_world(settings, options, values[WORLD], err);
    }
    if (rc == DEED_OK) {
        settings->options_json = json_dumps(options, JSON_COMPACT);
        rc = settings->options_json != NULL ? DEED_OK : no_memory(err);
    }
    return rc;
}

static deed_rc take(
    struct settings *settings, const char *const values[COUNT], struct deed_error *err)
{
    json_t *options = NULL;
    deed_rc rc = read_port("port", values[PORT], &settings->port, err);
    if (rc == DEED_OK) {
        rc = read_port("control-port", values[CONTROL_PORT], &settings->control_port, err);
    }
    if (rc == DEED_OK && values[OPTIONS] != NULL) {
        rc = read_json("options", values[OPTIONS], &options, err);
    } else if (rc == DEED_OK) {
        options = json_object();
    }
    if (rc == DEED_OK && !json_is_object(options)) {
        rc = deed_error_set(err, DEED_E_INVALID, PROGRAM, "--options must be an object");
    }
    if (rc == DEED_OK) {
        rc = make_options(settings, values, options, err);
    }
    json_decref(options);
    return rc;
}

deed_rc settings_read(struct settings *settings, int argc, char **argv, struct deed_error *err)
{
    const char *values[COUNT] = {NULL};
    const struct deed__arguments arguments = {
        .program = PROGRAM, .table = table, .count = COUNT, .values = values};
    *settings = (struct settings){.options_json = NULL};
    deed_rc rc = deed__arguments_read(&arguments, argc, argv, err);
    settings->json = values[JSON] != NULL;
    settings->help = values[HELP] != NULL;
    settings->version = values[VERSION] != NULL;
    if (rc == DEED_OK && !settings->help && !settings->version) {
        rc = take(settings, values, err);
    }
    return rc;
}
