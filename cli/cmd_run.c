/* SPDX-License-Identifier: MIT
 *
 * cmd_run.c - deed run: attempts what may be attempted, and never what is in doubt.
 */
#include "acting.h"

#include "stop.h"

/* A person who names the key overrides pause and policy; nothing overrides a doubt. */
static deed_rc run_by_name(
    deed_ledger *ledger, const char *key, struct deed_result *result, struct deed_error *err)
{
    return deed_run(ledger, key, DEED_BEGIN_BY_NAME, result, err);
}

static deed_rc check_ways(const struct arguments *arguments, struct deed_error *err)
{
    if (given(arguments, OPT_DUE) && arguments->operand_count > 0) {
        return cli_error(err, DEED_E_INVALID, NULL,
            "run takes keys or --due, not both: --due chooses the keys itself");
    }
    if (!given(arguments, OPT_DUE) && arguments->operand_count == 0) {
        return cli_error(err, DEED_E_INVALID, NULL,
            "which intents? name them (deed run KEY...), or take all that are due (deed run "
            "--due)");
    }
    return DEED_OK;
}

int cmd_run(struct cli *cli)
{
    struct deed_error err = {0};
    struct acting acting = {.cli = cli};
    deed_rc rc = check_ways(&cli->arguments, &err);
    if (rc == DEED_OK) {
        rc = cli_open(cli, CLI_ACT, &err);
    }
    if (rc != DEED_OK) {
        return cli_fail(cli, rc, &err);
    }
    stop_listen();
    if (!given(&cli->arguments, OPT_DUE)) {
        acting_keys(&acting, run_by_name);
        return acting_finish(&acting, "run");
    }
    rc = deed_run_due(cli->ledger, acting_visit, &acting, &err);
    if (rc != DEED_OK) {
        acting.status = deed_exit_worst(acting.status, cli_fail(cli, rc, &err));
    }
    return acting_finish(&acting, "run");
}
