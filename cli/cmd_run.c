/* SPDX-License-Identifier: MIT
 *
 * cmd_run.c - deed run: attempts what may be attempted, and never what is in doubt.
 */
#include "acting.h"

#include "dry_run.h"
#include "pace.h"
#include "stop.h"
#include "waiting.h"

/* A person who names the key overrides pause and policy; nothing overrides a doubt. */
static deed_rc run_by_name(
    deed_ledger *ledger, const char *key, struct deed_result *result, struct deed_error *err)
{
    return deed_run(ledger, key, DEED_BEGIN_BY_NAME, result, err);
}

/* What --wait repeats is the machine's own doing, under its policy. */
static deed_rc run_again(
    deed_ledger *ledger, const char *key, struct deed_result *result, struct deed_error *err)
{
    return deed_run(ledger, key, 0, result, err);
}

static bool can_run(const struct deed_result *result)
{
    return result->state != DEED_ATTEMPTED;
}

static bool is_settled(const struct deed_result *result)
{
    return result->outcome != DEED_OUTCOME_NONE && result->outcome != DEED_NOT_APPLIED;
}

static const struct waiting_ways run_ways = {
    .first = run_by_name, .again = run_again, .can_act = can_run, .settled = is_settled};

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

static int run_due(struct acting *acting, const struct pace *pace)
{
    struct cli *cli = acting->cli;
    do {
        struct deed_error err = {0};
        deed_rc rc = deed_run_due(cli->ledger, acting_visit, acting, &err);
        if (rc != DEED_OK) {
            acting->status = deed_exit_worst(acting->status, cli_fail(cli, rc, &err));
        }
        if (!pace->watch || acting->done > 0 || output_has_watcher(&cli->out)) {
            acting_summary(acting, "run");
        }
        /* A ledger that was busy may be free next time; any other failure is for a person. */
        if (rc != DEED_OK && rc != DEED_E_BUSY) {
            break;
        }
    } while (pace->watch && !cli->out.failed && stop_sleep(pace->every_ms));
    return acting_end(acting);
}

int cmd_run(struct cli *cli)
{
    struct deed_error err = {0};
    struct acting acting = {.cli = cli};
    struct pace pace = {0};
    deed_rc rc = check_ways(&cli->arguments, &err);
    if (rc == DEED_OK) {
        rc = pace_read(&cli->arguments, &pace, &err);
    }
    if (rc == DEED_OK && given(&cli->arguments, OPT_DRY_RUN)) {
        return dry_run(cli);
    }
    if (rc == DEED_OK) {
        rc = cli_open(cli, CLI_ACT, &err);
    }
    if (rc != DEED_OK) {
        return cli_fail(cli, rc, &err);
    }
    stop_listen();
    acting.watch = pace.watch;
    if (given(&cli->arguments, OPT_DUE)) {
        return run_due(&acting, &pace);
    }
    if (pace.wait) {
        waiting_keys(&acting, &pace, &run_ways);
    } else {
        acting_keys(&acting, run_by_name);
    }
    return acting_finish(&acting, "run");
}
