/* SPDX-License-Identifier: MIT
 *
 * cmd_show.c - deed show: the facts of one intent, its payload, attempts and evidence.
 */
#include "cli.h"

#include "rows.h"
#include "text.h"
#include "times.h"

#include <inttypes.h>
#include <stdio.h>

#define TEXT_SHOWN 400 /* code points of a payload's text a person is shown; JSON has all */

struct showing {
    struct output *out;
    json_t *object;
    json_t *list;
    bool any;
};

static void print_fact(const char *label, const char *text)
{
    if (text && text[0]) {
        (void)printf("%-12s ", label);
        (void)text_write(stdout, text_of(text), SIZE_MAX);
        (void)fputc('\n', stdout);
    }
}

static void print_time(const char *label, int64_t wall_ms)
{
    char text[TIME_TEXT_BYTES];
    if (wall_ms != 0) {
        time_text(wall_ms, text);
        print_fact(label, text);
    }
}

/* What is not before this time, as deed explain says it: rounded up. */
static void print_later(const char *label, int64_t wall_ms)
{
    char text[TIME_TEXT_BYTES];
    if (wall_ms != 0) {
        time_text_up(wall_ms, text);
        print_fact(label, text);
    }
}

static void print_facts(const struct output *out, const struct deed_result *result)
{
    intent_sentence(out, result);
    (void)fputs("\n\n", stdout);
    print_fact("reason", deed_reason_sentence(result->reason));
    print_fact("digest", result->digest);
    print_fact(
        "class", result->class_known ? deed_provider_class_name(result->provider_class) : "");
    print_fact("grade", result->grade == DEED_GRADE_NONE ? "" : deed_grade_name(result->grade));
    print_time("recorded", result->recorded_ms);
    print_time("attempted", result->attempted_ms);
    print_time("settled", result->settled_ms);
    print_time("not after", result->not_after_ms);
    print_later("due", result->due_ms);
    print_later("final", result->final_ms);
    print_fact("next", result->next);
}

static void print_payload_text(const char *label, struct deed_text text)
{
    (void)printf("%-12s ", label);
    const size_t left = text_write(stdout, text, TEXT_SHOWN);
    if (left > 0) {
        (void)printf(" ... (%zu more; --json shows all)", left);
    }
    (void)fputc('\n', stdout);
}

static deed_rc see_payload(void *context, const struct deed_intent_row *row)
{
    struct showing *showing = context;
    const struct deed_payload *payload = &row->payload;
    if (showing->out->json) {
        json_t *object = json_null();
        if (row->payload_here) {
            object = json_object();
            (void)json_object_set_new(object, "kind", text_json(payload->kind));
            (void)json_object_set_new(object, "target", text_json(payload->target));
            (void)json_object_set_new(object, "body", text_json(payload->body));
        }
        (void)json_object_set_new(showing->object, "payload", object);
    } else if (row->payload_here) {
        print_payload_text("kind", payload->kind);
        print_payload_text("target", payload->target);
        print_payload_text("body", payload->body);
    } else {
        print_fact("payload", "not here");
    }
    return DEED_OK;
}

static void print_heading(struct showing *showing, const char *heading)
{
    if (!showing->any) {
        (void)printf("\n%s\n", heading);
        showing->any = true;
    }
}

static deed_rc see_attempt(void *context, const struct deed_attempt_row *row)
{
    struct showing *showing = context;
    if (showing->out->json) {
        (void)json_array_append_new(showing->list, rows_attempt_json(row));
    } else {
        print_heading(showing, "Attempts");
        rows_attempt_print(row);
    }
    return DEED_OK;
}

static deed_rc see_evidence(void *context, const struct deed_evidence_row *row)
{
    struct showing *showing = context;
    if (showing->out->json) {
        (void)json_array_append_new(showing->list, rows_evidence_json(row));
    } else {
        print_heading(showing, "Evidence");
        rows_evidence_print(row);
    }
    return DEED_OK;
}

static void start_list(struct showing *showing, const char *name)
{
    showing->any = false;
    if (showing->out->json) {
        showing->list = json_array();
        (void)json_object_set_new(showing->object, name, showing->list);
    }
}

static deed_rc show(struct cli *cli, const struct deed_result *result, struct showing *showing,
    struct deed_error *err)
{
    if (cli->out.json) {
        showing->object = output_object("show");
        intent_set(showing->object, DEED_OK, result);
    } else {
        print_facts(&cli->out, result);
    }
    deed_rc rc = deed_intent_payload(cli->ledger, result->key, see_payload, showing, err);
    if (rc == DEED_OK) {
        start_list(showing, "attempts");
        rc = deed_intent_attempts(cli->ledger, result->key, see_attempt, showing, err);
    }
    if (rc == DEED_OK) {
        start_list(showing, "evidence");
        rc = deed_intent_evidence(cli->ledger, result->key, see_evidence, showing, err);
    }
    return rc;
}

int cmd_show(struct cli *cli)
{
    struct deed_error err = {0};
    struct deed_result result = {.size = sizeof result};
    struct showing showing = {.out = &cli->out};
    deed_rc rc = cli_open(cli, CLI_READ, &err);
    if (rc == DEED_OK) {
        rc = deed_get(cli->ledger, cli->arguments.operands[0], &result, &err);
    }
    if (rc == DEED_OK) {
        rc = show(cli, &result, &showing, &err);
    }
    if (rc != DEED_OK) {
        json_decref(showing.object);
        return cli_fail(cli, rc, &err);
    }
    if (cli->out.json) {
        output_json(&cli->out, showing.object);
    }
    return 0;
}
