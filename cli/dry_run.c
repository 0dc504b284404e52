/* SPDX-License-Identifier: MIT
 *
 * dry_run.c - --dry-run of run and reconcile: for each key what would be done, and if nothing, why.
 */
#include "dry_run.h"

#include "text.h"
#include "times.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What would be done for one key. */
struct intended {
    const char *step; /* a name of deed_settle_step, or "attempt" */
    bool planned;     /* `plan` holds the attempt */
    struct deed_plan plan;
};

struct drying {
    struct cli *cli;
    bool by_name; /* the keys were named; a pass takes only what is due */
    deed_rc (*look)(struct drying *drying, const char *key, struct intended *intended_out,
        struct deed_result *result, struct deed_error *err);
    int status;
    size_t told;
};

/* ---- what would be done ------------------------------------------------------------------- */

static deed_rc look_run(struct drying *drying, const char *key, struct intended *intended_out,
    struct deed_result *result, struct deed_error *err)
{
    const struct config *config = &drying->cli->config;
    intended_out->plan.size = sizeof intended_out->plan;
    intended_out->step = deed_settle_step_name(DEED_SETTLE_NOTHING);
    deed_rc rc = deed_plan(drying->cli->ledger, key, NULL, drying->by_name ? DEED_BEGIN_BY_NAME : 0,
        &intended_out->plan, result, err);
    for (size_t i = 0; rc == DEED_OK && i < config->kind_count; i++) {
        if (strcmp(config->kinds[i].kind, result->kind) == 0) {
            intended_out->step = "attempt";
            intended_out->planned = true;
            return DEED_OK;
        }
    }
    return rc == DEED_OK
        ? cli_error(err, DEED_E_NO_EXECUTOR, NULL,
              "there is no executor for kind %.80s, which %s needs", result->kind, key)
        : rc;
}

static deed_rc look_reconcile(struct drying *drying, const char *key, struct intended *intended_out,
    struct deed_result *result, struct deed_error *err)
{
    deed_settle_step step = DEED_SETTLE_NOTHING;
    deed_rc rc = deed_reconcile_plan(drying->cli->ledger, key, drying->by_name, &step, result, err);
    intended_out->step = deed_settle_step_name(step);
    return rc;
}

/* ---- told --------------------------------------------------------------------------------- */

static void tell_json(struct drying *drying, const struct intended *intended, deed_rc rc,
    const struct deed_result *result, const struct deed_error *err)
{
    json_t *object = output_object("plan");
    intent_set(object, rc, result);
    output_set_text(object, "would", intended->step);
    output_set_text(object, "why", rc == DEED_OK ? NULL : err->text);
    output_set_text(
        object, "cause", intended->planned ? deed_cause_name(intended->plan.cause) : NULL);
    output_set_text(object, "provider_key", intended->planned ? intended->plan.provider_key : NULL);
    output_json(&drying->cli->out, object);
}

static void tell_text(const struct intended *intended, deed_rc rc, const struct deed_result *result,
    const struct deed_error *err)
{
    static const struct {
        const char *step;
        const char *words;
    } sentences[] = {
        {"nothing", "nothing would be done"},
        {"wait", "would wait"},
        {"poll", "would ask what became of what was accepted"},
        {"look_up", "would look it up at the provider"},
        {"replay", "would send it again under the same provider key"},
        {"cancel", "would bar a late effect"},
        {"person", "nothing would be done: only a person settles it"},
        {"attempt", "would be attempted"},
    };
    const char *words = intended->step;
    for (size_t i = 0; i < sizeof sentences / sizeof sentences[0]; i++) {
        if (strcmp(sentences[i].step, intended->step) == 0) {
            words = sentences[i].words;
        }
    }
    (void)printf("%s: %s", result->key, words);
    if (intended->planned) {
        (void)printf(" (%s) under provider key %s", deed_cause_name(intended->plan.cause),
            intended->plan.provider_key);
    }
    if (strcmp(intended->step, "wait") == 0 && result->due_ms > 0) {
        char due[TIME_TEXT_BYTES];
        time_text_up(result->due_ms, due);
        (void)printf(" until %s", due);
    }
    if (rc != DEED_OK) {
        (void)fputs("; ", stdout);
        (void)text_write(stdout, text_of(err->text), SIZE_MAX);
    } else if (!intended->planned) {
        (void)printf("; %s", deed_reason_sentence(result->reason));
    }
    (void)fputc('\n', stdout);
}

/* A step the machine refuses is an answer here; what kept the question from being answered is an
 * error. */
static bool is_answer(deed_rc rc)
{
    return rc == DEED_OK || rc == DEED_E_UNCERTAIN || rc == DEED_E_IN_FLIGHT ||
        rc == DEED_E_NEEDS_PERSON || rc == DEED_E_NO_EXECUTOR || rc == DEED_E_NO_STEP ||
        rc == DEED_E_NOT_YET || rc == DEED_E_TOO_LATE;
}

static void tell_one(struct drying *drying, const char *key)
{
    struct deed_error err = {0};
    struct deed_result result = {.size = sizeof result};
    struct intended intended = {.step = deed_settle_step_name(DEED_SETTLE_NOTHING)};
    const deed_rc rc = drying->look(drying, key, &intended, &result, &err);
    if (!is_answer(rc) || !result.key[0]) {
        output_refusal(&drying->cli->out, &err, &result, 0);
        drying->status =
            deed_exit_worst(drying->status, deed_exit_status(rc, DEED_EXIT_OTHER, NULL));
        return;
    }
    drying->told++;
    if (drying->cli->out.json) {
        tell_json(drying, &intended, rc, &result, &err);
    } else {
        tell_text(&intended, rc, &result, &err);
    }
}

/* ---- which keys --------------------------------------------------------------------------- */

struct key {
    struct key *next;
    char name[DEED_KEY_BYTES_MAX + 1];
};

/* Keys in the order of the list, kept until it has ended. */
struct keys {
    struct key *first;
    struct key **last;
    bool (*wanted)(const struct deed_result *result);
    bool no_memory;
};

static bool keep_key(
    void *context, deed_rc rc, const struct deed_result *result, const struct deed_error *err)
{
    struct keys *keys = context;
    (void)rc;
    (void)err;
    if (!keys->wanted(result)) {
        return true;
    }
    struct key *key = calloc(1, sizeof *key);
    if (!key) {
        keys->no_memory = true;
        return false;
    }
    memcpy(key->name, result->key, sizeof key->name);
    *keys->last = key;
    keys->last = &key->next;
    return true;
}

static bool wanted_by_run(const struct deed_result *result)
{
    return !result->uncertain && !result->in_flight;
}

/* Uncertain, or settled with a further look to come. */
static bool wanted_by_reconcile(const struct deed_result *result)
{
    return result->uncertain ||
        (result->due_ms > 0 && result->state != DEED_RECORDED && !result->in_flight);
}

static int tell_listed(struct drying *drying, const struct deed_list *list,
    bool (*wanted)(const struct deed_result *result))
{
    struct deed_error err = {0};
    struct keys keys = {.last = &keys.first, .wanted = wanted};
    deed_rc rc = deed_ledger_list(drying->cli->ledger, list, keep_key, &keys, &err);
    if (rc == DEED_OK && keys.no_memory) {
        rc = cli_no_memory(&err);
    }
    for (struct key *key = keys.first, *next = NULL; key; key = next) {
        if (rc == DEED_OK && !drying->cli->out.failed) {
            tell_one(drying, key->name);
        }
        next = key->next;
        free(key);
    }
    if (rc == DEED_OK && drying->told == 0) {
        output_note(&drying->cli->out, "nothing would be done");
    }
    return rc == DEED_OK ? drying->status : cli_fail(drying->cli, rc, &err);
}

static int tell_named(struct drying *drying)
{
    const struct arguments *arguments = &drying->cli->arguments;
    drying->by_name = true;
    for (size_t i = 0; i < arguments->operand_count && !drying->cli->out.failed; i++) {
        tell_one(drying, arguments->operands[i]);
    }
    return drying->status;
}

int dry_run(struct cli *cli)
{
    struct deed_error err = {0};
    struct drying drying = {.cli = cli, .look = look_run};
    const struct deed_list due = {.size = sizeof due, .flags = DEED_LIST_DUE};
    deed_rc rc = cli_open(cli, CLI_PLAN, &err);
    if (rc != DEED_OK) {
        return cli_fail(cli, rc, &err);
    }
    return cli->arguments.operand_count > 0 ? tell_named(&drying)
                                            : tell_listed(&drying, &due, wanted_by_run);
}

int dry_reconcile(struct cli *cli)
{
    struct deed_error err = {0};
    struct drying drying = {.cli = cli, .look = look_reconcile};
    const struct deed_list all = {.size = sizeof all, .flags = DEED_LIST_ALL};
    deed_rc rc = cli_open(cli, CLI_PLAN, &err);
    if (rc != DEED_OK) {
        return cli_fail(cli, rc, &err);
    }
    return cli->arguments.operand_count > 0 ? tell_named(&drying)
                                            : tell_listed(&drying, &all, wanted_by_reconcile);
}
