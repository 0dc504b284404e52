/* SPDX-License-Identifier: MIT
 *
 * cmd_history.c - deed history: the events of one intent, in order.
 */
#include "cli.h"

#include "rows.h"

struct seeing {
    struct cli *cli;
    bool any;
};

static deed_rc see_event(void *context, const struct deed_event_row *row)
{
    struct seeing *seeing = context;
    struct cli *cli = seeing->cli;
    seeing->any = true;
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
    struct seeing seeing = {.cli = cli};
    deed_rc rc = cli_open(cli, CLI_READ, &err);
    if (rc == DEED_OK) {
        rc = deed_get(cli->ledger, key, &result, &err); /* so that "no such intent" is said */
    }
    if (rc == DEED_OK) {
        rc = deed_intent_events(cli->ledger, key, see_event, &seeing, &err);
    }
    if (rc == DEED_OK && !seeing.any) {
        output_note(&cli->out,
            "no events: the recorded-intent table keeps none; `deed migrate --name NAME` starts "
            "them");
    }
    return rc == DEED_OK ? 0 : cli_fail(cli, rc, &err);
}
