/* SPDX-License-Identifier: MIT
 *
 * cmd_find.c - deed find: the intents a provider knows by its own name, or by the key we sent.
 */
#include "cli.h"

#include "listing.h"

int cmd_find(struct cli *cli)
{
    const char *const *values = cli->arguments.values;
    struct deed_error err = {0};
    struct deed_find find = {.size = sizeof find,
        .provider_key = values[OPT_PROVIDER_KEY],
        .reference = values[OPT_REFERENCE]};
    struct listing listing = {.out = &cli->out};
    if (!find.provider_key == !find.reference) {
        return cli_fail(cli,
            cli_error(&err, DEED_E_INVALID, NULL,
                "find takes one of --provider-key and --reference: what does the provider call "
                "it?"),
            &err);
    }
    deed_rc rc = cli_open(cli, CLI_READ, &err);
    if (rc == DEED_OK) {
        rc = deed_ledger_find(cli->ledger, &find, listing_visit, &listing, &err);
    }
    return listing_finish(&listing, cli, rc, &err);
}
