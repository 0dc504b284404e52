/* SPDX-License-Identifier: MIT
 *
 * cmd_check.c - deed check: file, chains and invariants.
 */
#include "cli.h"

#include "text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void see_broken(void *context, const char *key, const char *text)
{
    struct cli *cli = context;
    const char *name = key && key[0] ? key : NULL;
    if (cli->out.json) {
        json_t *object = output_object("broken");
        output_set_text(object, "key", name);
        output_set_text(object, "text", text);
        output_json(&cli->out, object);
        return;
    }
    if (name && !strstr(text, name)) {
        (void)printf("%s: ", name);
    }
    (void)text_write(stdout, text_of(text), SIZE_MAX);
    (void)fputc('\n', stdout);
}

static void answer(struct cli *cli, const struct deed_check *check)
{
    if (cli->out.json) {
        json_t *object = output_object("check");
        (void)json_object_set_new(object, "intents", json_integer((json_int_t)check->intents));
        (void)json_object_set_new(object, "events", json_integer((json_int_t)check->events));
        (void)json_object_set_new(object, "broken", json_integer((json_int_t)check->broken));
        output_json(&cli->out, object);
        return;
    }
    (void)printf("%" PRIu64 " intents, %" PRIu64 " events: ", check->intents, check->events);
    if (check->broken > 0) {
        (void)printf("%" PRIu64 " broken\n", check->broken);
    } else {
        (void)fputs("nothing is broken\n", stdout);
    }
}

int cmd_check(struct cli *cli)
{
    struct deed_error err = {0};
    struct deed_check check = {.size = sizeof check};
    deed_rc rc = cli_open(cli, CLI_READ, &err);
    if (rc != DEED_OK) {
        return cli_fail(cli, rc, &err);
    }
    rc = deed_ledger_check(cli->ledger, see_broken, cli, &check, &err);
    if (rc == DEED_OK) {
        answer(cli, &check);
        return 0;
    }
    return cli_fail(cli, rc, &err);
}
