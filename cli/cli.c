/* SPDX-License-Identifier: MIT
 *
 * cli.c - opening what a command needs, and ending it.
 */
#include "cli.h"

#include "executors.h"
#include "location.h"

#include <deed/sqlite.h>

#include <signal.h>
#include <string.h>

deed_rc cli_open_store(
    struct cli *cli, bool read_only, struct deed_store **store_out, struct deed_error *err)
{
    const char *path = NULL;
    deed_rc rc = location_find(&cli->arguments, &path, err);
    if (rc != DEED_OK) {
        return rc;
    }
    const struct deed_sqlite_options options = {.size = sizeof options, .read_only = read_only};
    return deed_sqlite_open(path, &options, store_out, err);
}

/* Who only looks sees the same as who runs. A configuration that does not load stops nobody from
 * looking: it is told, and nothing is judged by it. */
static void load_to_look(struct cli *cli)
{
    struct deed_error err = {0};
    deed_rc rc = config_load(&cli->config, &cli->arguments, &err);
    for (size_t i = 0; rc == DEED_OK && i < cli->config.kind_count; i++) {
        rc = executor_check(&cli->config.kinds[i], &err);
        if (rc != DEED_OK) {
            config_name_file(&cli->config, &err);
        }
    }
    if (rc != DEED_OK) {
        output_warning(&cli->out, NULL, 0,
            "the configuration does not load, so this looks without it: %s", err.text);
        config_finish(&cli->config);
    }
}

deed_rc cli_open(struct cli *cli, enum cli_open_mode mode, struct deed_error *err)
{
    deed_rc rc = DEED_OK;
    if (mode == CLI_READ) {
        load_to_look(cli);
    } else {
        /* A reader that goes away must not end a write, or a send, half-way. */
        (void)signal(SIGPIPE, SIG_IGN);
        rc = config_load(&cli->config, &cli->arguments, err);
        if (rc != DEED_OK) {
            return rc;
        }
    }
    struct deed_store *store = NULL;
    rc = cli_open_store(cli, mode == CLI_READ || mode == CLI_PLAN, &store, err);
    if (rc != DEED_OK) {
        return rc;
    }
    cli->options = (struct deed_options){.size = sizeof cli->options, .actor = cli->config.actor};
    rc = deed_ledger_open(store, &cli->options, &cli->ledger, err);
    if (rc == DEED_OK && (mode == CLI_ACT || mode == CLI_PLAN)) {
        rc = executors_register(cli->ledger, &cli->config, err);
        if (rc != DEED_OK) {
            config_name_file(&cli->config, err);
        }
    }
    if (rc == DEED_OK && mode == CLI_READ) {
        rc = executors_register_looking(cli->ledger, &cli->config, err);
    }
    return rc;
}

int cli_fail(struct cli *cli, deed_rc rc, const struct deed_error *err)
{
    output_error(&cli->out, err, 0);
    return deed_exit_status(rc, DEED_EXIT_OTHER, NULL);
}

int cli_answer(struct cli *cli, enum intent_deed what, deed_rc rc, const struct deed_result *result,
    const struct deed_error *err)
{
    /* A program gets what is known of the intent after a refusal too; a person is told by the
     * error, and by the command it names. */
    if (result->key[0] && (rc == DEED_OK || cli->out.json)) {
        intent_answer(&cli->out, rc, result, 0, what);
    }
    if (rc != DEED_OK) {
        output_refusal(&cli->out, err, result, 0);
    }
    return deed_exit_status(rc, DEED_EXIT_OTHER, result);
}

deed_rc cli_check_name(const char *name, struct deed_error *err)
{
    const size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-");
    if (length == 0 || length > DEED_NAME_BYTES_MAX || name[length] != '\0') {
        return cli_error(err, DEED_E_INVALID, NULL,
            "`%.80s` is no name of a ledger; it is [a-z0-9-]{1,%d}", name, DEED_NAME_BYTES_MAX);
    }
    return DEED_OK;
}
