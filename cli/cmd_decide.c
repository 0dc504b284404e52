/* SPDX-License-Identifier: MIT
 *
 * cmd_decide.c - deed resolve, retract, hold, release: what a person decides, with name and reason.
 */
#include "cli.h"

#include "words.h"

typedef deed_rc (*decide)(deed_ledger *ledger, const struct deed_decision *decision,
    struct deed_result *result, struct deed_error *err);

static int take_decision(struct cli *cli, decide function, struct deed_decision *decision)
{
    const struct arguments *arguments = &cli->arguments;
    struct deed_error err = {0};
    struct deed_result result = {.size = sizeof result};
    decision->size = sizeof *decision;
    decision->key = arguments->operands[0];
    decision->by = arguments->values[OPT_BY];
    decision->reason = arguments->values[OPT_REASON];
    deed_rc rc = cli_open(cli, CLI_WRITE, &err);
    if (rc != DEED_OK) {
        return cli_fail(cli, rc, &err);
    }
    rc = function(cli->ledger, decision, &result, &err);
    return cli_answer(cli, INTENT_DECIDED, rc, &result, &err);
}

int cmd_resolve(struct cli *cli)
{
    const struct arguments *arguments = &cli->arguments;
    struct deed_error err = {0};
    struct deed_decision decision = {
        .evidence = arguments->values[OPT_EVIDENCE], .reference = arguments->values[OPT_REFERENCE]};
    const char *word = arguments->values[OPT_OUTCOME];
    if (!outcome_read(word, &decision.outcome) || decision.outcome == DEED_OUTCOME_NONE ||
        decision.outcome == DEED_RETRACTED) {
        return cli_fail(cli,
            cli_error(&err, DEED_E_INVALID, NULL,
                "--outcome `%.40s`: a person can say applied, rejected or not_applied", word),
            &err);
    }
    return take_decision(cli, deed_resolve, &decision);
}

int cmd_retract(struct cli *cli)
{
    struct deed_decision decision = {0};
    return take_decision(cli, deed_retract, &decision);
}

int cmd_hold(struct cli *cli)
{
    struct deed_decision decision = {0};
    return take_decision(cli, deed_hold, &decision);
}

int cmd_release(struct cli *cli)
{
    struct deed_decision decision = {0};
    return take_decision(cli, deed_release, &decision);
}
