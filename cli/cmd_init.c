/* SPDX-License-Identifier: MIT
 *
 * cmd_init.c - deed init: the only command that creates a ledger.
 */
#include "cli.h"

#include "location.h"
#include "paths.h"

#include <deed/sqlite.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What an init that was killed between file and name has left: a complete file without a ledger
 * row. It is finished, not refused. Anything else that exists is refused. */
static deed_rc check_unfinished(struct deed_store *store, const char *path, struct deed_error *err)
{
    struct deed_schema schema = {.size = sizeof schema};
    deed_rc rc = store->schema(store->self, &schema, err);
    if (rc != DEED_OK) {
        return rc;
    }
    if (schema.adoptable) {
        return cli_error(err, DEED_E_NO_STEP, NULL,
            "%.200s holds the table of the recorded-intent fixture; it grows by migrating, not by "
            "init: `deed migrate --name NAME`",
            path);
    }
    if (schema.initialised || schema.found != schema.wanted) {
        return cli_error(err, DEED_E_NO_STEP, "deed status",
            "%.200s is a ledger already; a ledger is created once", path);
    }
    return DEED_OK;
}

/* What is wrong with the folder is told as such, before anything about the file in it. */
static deed_rc check_folder(const char *path, struct deed_error *err)
{
    struct stat facts;
    deed_rc rc = DEED_OK;
    char *folder = path_folder(path);
    if (!folder) {
        return cli_no_memory(err);
    }
    if (stat(folder, &facts) != 0 && errno == ENOENT) {
        rc = cli_error(err, DEED_E_STORE, NULL,
            "%.200s: there is no folder %.150s; make it first, on a disk of this machine", path,
            folder);
    } else if (stat(folder, &facts) != 0) {
        rc = cli_error(err, DEED_E_STORE, NULL, "%.200s: its folder cannot be looked at: %s", path,
            strerror(errno));
    } else if (!S_ISDIR(facts.st_mode)) {
        rc = cli_error(err, DEED_E_STORE, NULL, "%.200s: %.150s is no folder", path, folder);
    }
    free(folder);
    return rc;
}

static deed_rc create(struct cli *cli, const char *path, struct deed_error *err)
{
    const struct arguments *arguments = &cli->arguments;
    deed_rc rc = deed_sqlite_create(path, NULL, err);
    /* Asked afterwards: an init that was faster by a moment is no other case than an old ledger. */
    const bool existed = rc != DEED_OK && access(path, F_OK) == 0;
    if (rc != DEED_OK && !existed) {
        return rc;
    }
    struct deed_store *store = NULL;
    rc = deed_sqlite_open(path, NULL, &store, err);
    if (rc != DEED_OK) {
        return rc;
    }
    if (existed) {
        rc = check_unfinished(store, path, err);
    }
    if (rc == DEED_OK) {
        rc = deed_ledger_init(
            store, arguments->values[OPT_NAME], given(arguments, OPT_TEST), NULL, err);
    }
    store->close(store->self);
    return rc;
}

int cmd_init(struct cli *cli)
{
    const struct arguments *arguments = &cli->arguments;
    struct deed_error err = {0};
    const char *path = NULL;
    deed_rc rc = location_find(arguments, &path, &err);
    if (rc == DEED_OK) {
        /* Checked before a file appears, so that a name that is no name leaves none behind. */
        rc = cli_check_name(arguments->values[OPT_NAME], &err);
    }
    if (rc == DEED_OK) {
        rc = check_folder(path, &err);
    }
    if (rc == DEED_OK) {
        rc = create(cli, path, &err);
    }
    if (rc != DEED_OK) {
        return cli_fail(cli, rc, &err);
    }
    if (cli->out.json) {
        json_t *object = output_object("init");
        output_set_text(object, "name", arguments->values[OPT_NAME]);
        (void)json_object_set_new(object, "test", json_boolean(given(arguments, OPT_TEST)));
        output_set_text(object, "location", path);
        output_json(&cli->out, object);
    } else {
        (void)printf("created %sledger %s in %s\n", given(arguments, OPT_TEST) ? "test " : "",
            arguments->values[OPT_NAME], path);
    }
    return 0;
}
