/* SPDX-License-Identifier: MIT
 *
 * record_outbox.c - deed record --outbox: what a host has put into the outbox of its own file.
 */
#include "record_outbox.h"

#include "kind_warning.h"
#include "stop.h"

#include <deed/outbox.h>

#include <inttypes.h>

struct draining {
    struct cli *cli;
    struct kind_warning warning;
    int status;
};

static bool see_row(
    void *context, deed_rc rc, const struct deed_result *result, const struct deed_error *err)
{
    struct draining *draining = context;
    struct output *out = &draining->cli->out;
    if (result->key[0] && (rc == DEED_OK || out->json)) {
        intent_answer(out, rc, result, 0, INTENT_MOVED);
    }
    if (rc != DEED_OK) {
        output_refusal(out, err, result, 0);
    } else {
        kind_warning_tell(&draining->warning, draining->cli, result, 0);
    }
    draining->status =
        deed_exit_worst(draining->status, deed_exit_status(rc, DEED_EXIT_OTHER, result));
    /* What is moved and not told is recorded all the same; but go no further for nobody. */
    return !stop_asked() && !out->failed;
}

static void answer(struct cli *cli, const struct deed_drain *drain)
{
    if (!cli->out.json) {
        output_note(&cli->out,
            "%" PRIu64 " moved, %" PRIu64
            " refused and kept in the outbox with the reason, %" PRIu64 " still to be moved",
            drain->moved, drain->refused, drain->waiting);
        return;
    }
    json_t *object = output_object("drain");
    (void)json_object_set_new(object, "moved", json_integer((json_int_t)drain->moved));
    (void)json_object_set_new(object, "refused", json_integer((json_int_t)drain->refused));
    (void)json_object_set_new(object, "waiting", json_integer((json_int_t)drain->waiting));
    (void)json_object_set_new(object, "interrupted", json_boolean(stop_asked()));
    output_json(&cli->out, object);
}

int outbox_sql(struct cli *cli)
{
    struct output *out = &cli->out;
    if (out->json) {
        json_t *object = output_object("outbox_sql");
        output_set_text(object, "table", deed_outbox_table());
        output_set_text(object, "insert", deed_outbox_insert());
        output_json(out, object);
    } else {
        (void)printf("%s;\n%s;\n", deed_outbox_table(), deed_outbox_insert());
    }
    return 0;
}

int record_outbox(struct cli *cli, const char *file)
{
    struct deed_error err = {0};
    struct deed_drain drain = {.size = sizeof drain};
    struct draining draining = {.cli = cli};
    stop_listen();
    deed_rc rc = deed_outbox_drain(cli->ledger, file, see_row, &draining, &drain, &err);
    kind_warning_finish(&draining.warning);
    if (rc != DEED_OK) {
        return deed_exit_worst(draining.status, cli_fail(cli, rc, &err));
    }
    answer(cli, &drain);
    if (stop_asked()) {
        (void)cli_error(&err, DEED_E_INTERRUPTED, NULL,
            "interrupted: what was moved is recorded, the rest is still in the outbox");
        return deed_exit_worst(draining.status, cli_fail(cli, err.rc, &err));
    }
    return draining.status;
}
