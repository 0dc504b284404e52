/* SPDX-License-Identifier: MIT
 *
 * cmd_explain.c - deed explain: in plain words what is known, what is not, and what to do.
 */
#include "cli.h"

#include "explain.h"

#include <stdio.h>
#include <stdlib.h>

/* The attempts that are in doubt, looked through once. */
struct gathering {
    struct explain_facts *facts;
    uint32_t settled_attempts;
    bool recorded;
    uint32_t generation;
    int64_t generation_start_ms; /* of the first attempt of the newest generation */
};

static deed_rc see_intent(void *context, const struct deed_intent_row *row)
{
    struct gathering *gathering = context;
    gathering->settled_attempts = row->settled_attempts;
    gathering->recorded = row->state == DEED_RECORDED;
    return DEED_OK;
}

static int64_t sum(int64_t start_ms, int64_t duration_ms)
{
    return duration_ms > DEED_DURATION_MS_MAX ? DEED_FOREVER : start_ms + duration_ms;
}

static deed_rc see_attempt(void *context, const struct deed_attempt_row *row)
{
    struct gathering *gathering = context;
    struct explain_facts *facts = gathering->facts;
    if (row->generation != gathering->generation || gathering->generation_start_ms == 0) {
        gathering->generation = row->generation;
        gathering->generation_start_ms = row->start.wall_ms;
    }
    if (row->number <= gathering->settled_attempts || row->verdict != DEED_VERDICT_UNKNOWN) {
        return DEED_OK;
    }
    const int64_t reach_end_ms = sum(row->start.wall_ms, row->reach_ms);
    facts->reach_end_ms = !facts->attempt_known || reach_end_ms < facts->reach_end_ms
        ? reach_end_ms
        : facts->reach_end_ms;
    facts->attempt_known = true;
    facts->flags |= row->flags;
    facts->reach_unknown = facts->reach_unknown || row->reach_ms == 0;
    facts->window_end_ms =
        row->window_ms == 0 ? 0 : sum(gathering->generation_start_ms, row->window_ms);
    return DEED_OK;
}

/* What does not settle is kept without an outcome, but with the grade of its claim. */
static deed_rc see_evidence(void *context, const struct deed_evidence_row *row)
{
    struct gathering *gathering = context;
    struct explain_facts *facts = gathering->facts;
    if (gathering->recorded && row->grade != DEED_GRADE_NONE) {
        facts->claimed = true;
        (void)snprintf(facts->claim_source, sizeof facts->claim_source, "%s", row->source);
        (void)snprintf(facts->claim_reference, sizeof facts->claim_reference, "%s",
            row->reference ? row->reference : "");
    }
    return DEED_OK;
}

static deed_rc gather(
    struct cli *cli, const char *key, struct explain_facts *facts, struct deed_error *err)
{
    struct gathering gathering = {.facts = facts};
    deed_rc rc = deed_intent_payload(cli->ledger, key, see_intent, &gathering, err);
    if (rc == DEED_OK) {
        rc = deed_intent_attempts(cli->ledger, key, see_attempt, &gathering, err);
    }
    if (rc == DEED_OK) {
        rc = deed_intent_evidence(cli->ledger, key, see_evidence, &gathering, err);
    }
    return rc;
}

static void answer_json(struct cli *cli, const struct explain_facts *facts)
{
    static const char *const names[] = {
        [EXPLAIN_KNOWN] = "known",
        [EXPLAIN_UNKNOWN] = "not_known",
        [EXPLAIN_RESEND] = "why_not_resent",
        [EXPLAIN_SETTLE] = "settled_by",
    };
    json_t *object = output_object("explanation");
    intent_set(object, DEED_OK, facts->result);
    for (int part = 0; part < EXPLAIN_PARTS; part++) {
        char *text = explain_text((enum explain_part)part, facts);
        output_set_text(object, names[part], text);
        free(text);
    }
    char *besides = explain_besides(facts);
    output_set_text(object, "besides", besides && besides[0] ? besides : NULL);
    free(besides);
    output_json(&cli->out, object);
}

int cmd_explain(struct cli *cli)
{
    const char *key = cli->arguments.operands[0];
    struct deed_error err = {0};
    struct deed_result result = {.size = sizeof result};
    struct explain_facts facts = {.result = &result};
    deed_rc rc = cli_open(cli, CLI_READ, &err);
    if (rc == DEED_OK) {
        rc = deed_get(cli->ledger, key, &result, &err);
    }
    if (rc == DEED_OK) {
        rc = gather(cli, key, &facts, &err);
    }
    if (rc != DEED_OK) {
        return cli_fail(cli, rc, &err);
    }
    if (cli->out.json) {
        answer_json(cli, &facts);
        return 0;
    }
    intent_sentence(&cli->out, &result);
    (void)fputc('\n', stdout);
    if (!explain_write(stdout, &facts)) {
        return cli_fail(cli, cli_no_memory(&err), &err);
    }
    return 0;
}
