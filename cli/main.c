/* SPDX-License-Identifier: MIT
 *
 * main.c - the table of commands, and the way into and out of one.
 */
#include "cli.h"

#include <stdio.h>
#include <string.h>

static int (*const functions[])(struct cli *cli) = {
#define COMMAND(ident, name, operands, min, max, options, required, summary, detail) cmd_##ident,
#define PROGRAM(ident, name, summary, detail)                                        cmd_program,
#include "commands.def"
#undef PROGRAM
#undef COMMAND
};

static int print_version(struct cli *cli)
{
    if (cli->out.json) {
        json_t *object = output_object("version");
        output_set_text(object, "version", deed_version());
        output_json(&cli->out, object);
    } else {
        (void)printf("deed %s\n", deed_version());
    }
    return 0;
}

static int run_command(struct cli *cli)
{
    const struct arguments *arguments = &cli->arguments;
    if (given(arguments, OPT_VERSION)) {
        return print_version(cli);
    }
    if (given(arguments, OPT_HELP)) {
        return help_print(cli, arguments->command);
    }
    if (!arguments->command) {
        return help_of_the_day(cli);
    }
    return functions[arguments->command_index](cli);
}

/* Commands after which something may have been sent. */
static bool acts(const struct arguments *arguments)
{
    const char *name = arguments->command ? arguments->command->name : "";
    return strcmp(name, "run") == 0 || strcmp(name, "reconcile") == 0;
}

/* The answer could not be shown. What was sent is in the ledger, but the reader did not see it: for
 * a command that sends that means "not known: do not repeat, reconcile". */
static int answer_lost(struct cli *cli, int status)
{
    struct deed_error err;
    const bool sent = acts(&cli->arguments);
    (void)cli_error(&err, sent ? DEED_E_UNCERTAIN : DEED_E_SYSTEM, sent ? "deed status" : NULL,
        "the answer could not be written to standard output; what was done is in the ledger");
    output_error(&cli->out, &err, 0);
    const int lost = deed_exit_status(err.rc, sent ? DEED_EXIT_ACTING : DEED_EXIT_OTHER, NULL);
    return deed_exit_worst(status, lost);
}

int main(int argc, char **argv)
{
    struct cli cli = {0};
    struct deed_error err = {0};
    deed_rc rc = arguments_parse(&cli.arguments, argc, argv, &err);
    output_start(&cli.out, given(&cli.arguments, OPT_JSON));
    int status = rc == DEED_OK ? run_command(&cli) : cli_fail(&cli, rc, &err);

    deed_ledger_close(cli.ledger);
    if (!output_finish(&cli.out)) {
        status = answer_lost(&cli, status);
    }
    config_finish(&cli.config);
    arguments_finish(&cli.arguments);
    return status;
}
