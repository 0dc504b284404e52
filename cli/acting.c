/* SPDX-License-Identifier: MIT
 *
 * acting.c - what run and reconcile share: a verdict for each intent, a summary, an orderly stop.
 */
#include "acting.h"

#include "stop.h"

#include <inttypes.h>
#include <stdio.h>

/* A watch meets what nobody serves at each turn. */
static bool told_before(struct acting *acting, deed_rc rc, const struct deed_result *result)
{
    if (!acting->watch || rc != DEED_E_NO_EXECUTOR || !result->kind[0]) {
        return false;
    }
    if (!acting->unserved) {
        acting->unserved = json_object();
    }
    if (json_object_get(acting->unserved, result->kind)) {
        return true;
    }
    (void)json_object_set_new(acting->unserved, result->kind, json_true());
    return false;
}

bool acting_visit(
    void *context, deed_rc rc, const struct deed_result *result, const struct deed_error *err)
{
    struct acting *acting = context;
    struct output *out = &acting->cli->out;
    if (told_before(acting, rc, result)) {
        return !stop_asked() && !out->failed;
    }
    acting->done++;
    if (result->key[0]) {
        intent_answer(out, rc, result, 0, INTENT_ACTED);
        acting->by_outcome[result->outcome] += result->outcome != DEED_OUTCOME_NONE;
        acting->unknown += result->state == DEED_ATTEMPTED;
    }
    if (rc != DEED_OK) {
        acting->failed++;
        output_refusal(out, err, result, 0);
    }
    output_progress(out, acting->done);
    acting->status =
        deed_exit_worst(acting->status, deed_exit_status(rc, DEED_EXIT_ACTING, result));
    /* An answer nobody can read is a reason to begin nothing more. */
    return !stop_asked() && !out->failed;
}

void acting_keys(struct acting *acting, acting_step step)
{
    const struct arguments *arguments = &acting->cli->arguments;
    bool go_on = true;
    for (size_t i = 0; i < arguments->operand_count && go_on && !stop_asked(); i++) {
        struct deed_error err = {0};
        struct deed_result result = {.size = sizeof result};
        deed_rc rc = step(acting->cli->ledger, arguments->operands[i], &result, &err);
        go_on = acting_visit(acting, rc, &result, &err);
    }
}

static json_t *summary_json(const struct acting *acting, const char *what)
{
    json_t *object = output_object("summary");
    output_set_text(object, "command", what);
    (void)json_object_set_new(object, "done", json_integer((json_int_t)acting->done));
    for (deed_outcome i = DEED_APPLIED; i <= DEED_RETRACTED; i++) {
        (void)json_object_set_new(
            object, deed_outcome_name(i), json_integer((json_int_t)acting->by_outcome[i]));
    }
    (void)json_object_set_new(object, "not_known", json_integer((json_int_t)acting->unknown));
    (void)json_object_set_new(object, "errors", json_integer((json_int_t)acting->failed));
    (void)json_object_set_new(object, "interrupted", json_boolean(stop_asked()));
    return object;
}

static void summary_text(struct acting *acting)
{
    (void)fflush(stdout);
    output_note(&acting->cli->out,
        "%" PRIu64 " done: %" PRIu64 " applied, %" PRIu64 " rejected, %" PRIu64
        " not applied, %" PRIu64 " not known, %" PRIu64 " errors",
        acting->done, acting->by_outcome[DEED_APPLIED], acting->by_outcome[DEED_REJECTED],
        acting->by_outcome[DEED_NOT_APPLIED], acting->unknown, acting->failed);
}

void acting_summary(struct acting *acting, const char *what)
{
    struct cli *cli = acting->cli;
    if (cli->out.json) {
        output_json(&cli->out, summary_json(acting, what));
    } else if (acting->done != 1) {
        summary_text(acting);
    }
    *acting = (struct acting){
        .cli = cli, .status = acting->status, .watch = acting->watch, .unserved = acting->unserved};
}

int acting_end(struct acting *acting)
{
    json_decref(acting->unserved);
    acting->unserved = NULL;
    if (!stop_asked()) {
        return acting->status;
    }
    struct deed_error err;
    (void)cli_error(&err, DEED_E_INTERRUPTED, "deed status",
        "interrupted: nothing new was begun, what ran has reached its end");
    output_error(&acting->cli->out, &err, 0);
    return deed_exit_status(err.rc, DEED_EXIT_ACTING, NULL);
}

int acting_finish(struct acting *acting, const char *what)
{
    acting_summary(acting, what);
    return acting_end(acting);
}
