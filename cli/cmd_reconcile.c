/* SPDX-License-Identifier: MIT
 *
 * cmd_reconcile.c - deed reconcile: settles what is in doubt, by evidence.
 */
#include "acting.h"

#include "dry_run.h"
#include "pace.h"
#include "stop.h"
#include "waiting.h"

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
    output_set_time(object, "started_at", pass->started_ms);
    output_set_time(object, "ended_at", pass->ended_ms);
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

/* One pass, told. */
static deed_rc one_pass(struct acting *acting, struct deed_pass *pass, struct deed_error *err)
{
    struct cli *cli = acting->cli;
    deed_rc rc = deed_reconcile_pass(cli->ledger, acting_visit, acting, pass, err);
    const bool quiet = given(&cli->arguments, OPT_WATCH) && !output_has_watcher(&cli->out);
    if (rc == DEED_OK && (pass->seen > 0 || !quiet)) {
        print_pass(cli, pass);
    }
    return rc;
}

static int interrupted(struct cli *cli)
{
    struct deed_error err;
    (void)cli_error(&err, DEED_E_INTERRUPTED, "deed reconcile",
        "interrupted: the pass was not finished, what it settled is stored");
    return cli_fail(cli, err.rc, &err);
}

static int reconcile_all(struct acting *acting)
{
    struct cli *cli = acting->cli;
    struct deed_error err = {0};
    struct deed_pass pass = {.size = sizeof pass};
    deed_rc rc = one_pass(acting, &pass, &err);
    if (rc != DEED_OK) {
        return cli_fail(cli, rc, &err);
    }
    return stop_asked() ? interrupted(cli) : pass_status(cli, &pass);
}

static int watch(struct acting *acting, const struct pace *pace)
{
    struct cli *cli = acting->cli;
    do {
        struct deed_error err = {0};
        struct deed_pass pass = {.size = sizeof pass};
        deed_rc rc = one_pass(acting, &pass, &err);
        if (rc != DEED_OK) {
            const int status = cli_fail(cli, rc, &err);
            /* A ledger that was busy may be free next time; any other failure is for a person. */
            if (rc != DEED_E_BUSY) {
                return status;
            }
        }
    } while (!cli->out.failed && stop_sleep(pace->every_ms));
    return acting_end(acting);
}

static bool can_reconcile(const struct deed_result *result)
{
    return result->uncertain;
}

static bool is_settled(const struct deed_result *result)
{
    return result->state != DEED_ATTEMPTED;
}

static const struct waiting_ways reconcile_ways = {.first = deed_reconcile,
    .again = deed_reconcile,
    .can_act = can_reconcile,
    .settled = is_settled};

int cmd_reconcile(struct cli *cli)
{
    struct deed_error err = {0};
    struct acting acting = {.cli = cli};
    struct pace pace = {0};
    deed_rc rc = pace_read(&cli->arguments, &pace, &err);
    if (rc == DEED_OK && given(&cli->arguments, OPT_DRY_RUN)) {
        return dry_reconcile(cli);
    }
    if (rc == DEED_OK) {
        rc = cli_open(cli, CLI_ACT, &err);
    }
    if (rc != DEED_OK) {
        return cli_fail(cli, rc, &err);
    }
    stop_listen();
    acting.watch = pace.watch;
    if (pace.watch) {
        return watch(&acting, &pace);
    }
    if (cli->arguments.operand_count == 0) {
        return reconcile_all(&acting);
    }
    if (pace.wait) {
        waiting_keys(&acting, &pace, &reconcile_ways);
    } else {
        acting_keys(&acting, deed_reconcile);
    }
    return acting_finish(&acting, "reconcile");
}
