/* SPDX-License-Identifier: MIT
 *
 * cmd_reconcile.c - deed reconcile: settles what is in doubt, by evidence.
 */
#include "acting.h"

#include "stop.h"

#include <inttypes.h>
#include <stdio.h>

static void print_pass(struct cli *cli, const struct deed_pass *pass)
{
    if (!cli->out.json) {
        output_note(&cli->out,
            "%" PRIu64 " seen: %" PRIu64 " settled, %" PRIu64 " will be looked at again, %" PRIu64
            " need a person, %" PRIu64 " errors",
            pass->seen, pass->settled, pass->waiting, pass->person, pass->failed);
        return;
    }
    json_t *object = output_object("pass");
    (void)json_object_set_new(object, "seen", json_integer((json_int_t)pass->seen));
    (void)json_object_set_new(object, "settled", json_integer((json_int_t)pass->settled));
    (void)json_object_set_new(object, "waiting", json_integer((json_int_t)pass->waiting));
    (void)json_object_set_new(object, "person", json_integer((json_int_t)pass->person));
    (void)json_object_set_new(object, "errors", json_integer((json_int_t)pass->failed));
    (void)json_object_set_new(object, "interrupted", json_boolean(stop_asked()));
    output_json(&cli->out, object);
}

/* A pass ends 1, 14 or 0, whatever its intents answered: those are told one by one. */
static int pass_status(struct cli *cli, const struct deed_pass *pass)
{
    struct deed_error err = {0};
    struct deed_status status = {.size = sizeof status};
    if (pass->failed > 0) {
        return deed_exit_status(DEED_E_STORE, DEED_EXIT_OTHER, NULL);
    }
    deed_rc rc = deed_ledger_status(cli->ledger, &status, &err);
    if (rc != DEED_OK) {
        return cli_fail(cli, rc, &err);
    }
    const bool open = status.uncertain > 0 || status.needs_person > 0;
    if (open && !cli->out.json) { /* what was not due in this pass counts too */
        output_note(&cli->out,
            "open in the ledger: %" PRIu64 " uncertain, %" PRIu64 " need a person; see deed status",
            status.uncertain, status.needs_person);
    }
    return open ? DEED_EXIT_STATUS_OPEN : 0;
}

static int reconcile_all(struct acting *acting)
{
    struct cli *cli = acting->cli;
    struct deed_error err = {0};
    struct deed_pass pass = {.size = sizeof pass};
    deed_rc rc = deed_reconcile_pass(cli->ledger, acting_visit, acting, &pass, &err);
    if (rc != DEED_OK) {
        return cli_fail(cli, rc, &err);
    }
    print_pass(cli, &pass);
    if (stop_asked()) {
        (void)cli_error(&err, DEED_E_INTERRUPTED, "deed reconcile",
            "interrupted: the pass was not finished, what it settled is stored");
        return cli_fail(cli, err.rc, &err);
    }
    return pass_status(cli, &pass);
}

int cmd_reconcile(struct cli *cli)
{
    struct deed_error err = {0};
    struct acting acting = {.cli = cli};
    deed_rc rc = cli_open(cli, CLI_ACT, &err);
    if (rc != DEED_OK) {
        return cli_fail(cli, rc, &err);
    }
    stop_listen();
    if (cli->arguments.operand_count == 0) {
        return reconcile_all(&acting);
    }
    acting_keys(&acting, deed_reconcile);
    return acting_finish(&acting, "reconcile");
}
