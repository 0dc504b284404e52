/* SPDX-License-Identifier: MIT
 *
 * cmd_history.c - deed history: the events of one intent, in order.
 */
#include "cli.h"

#include "rows.h"

static deed_rc see_event(void *context, const struct deed_event_row *row)
{
    struct cli *cli = context;
    if (cli->out.json) {
        output_json(&cli->out, rows_event_json(cli->arguments.operands[0], row));
    } else {
        rows_event_print(row);
    }
    return DEED_OK;
}

int cmd_history(struct cli *cli)
{
    struct deed_error err = {0};
    struct deed_result result = {.size = sizeof result};
    const char *key = cli->arguments.operands[0];
    deed_rc rc = cli_open(cli, CLI_READ, &err);
    if (rc == DEED_OK) {
        rc = deed_get(cli->ledger, key, &result, &err); /* so that "no such intent" is said */
    }
    if (rc == DEED_OK) {
        rc = deed_intent_events(cli->ledger, key, see_event, cli, &err);
    }
    return rc == DEED_OK ? 0 : cli_fail(cli, rc, &err);
}
