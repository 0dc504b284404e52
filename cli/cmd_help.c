/* SPDX-License-Identifier: MIT
 *
 * cmd_help.c - help, from the tables of commands and options.
 */
#include "cli.h"

#include <stdio.h>
#include <string.h>

int help_of_the_day(struct cli *cli)
{
    if (cli->out.json) {
        struct deed_error err;
        return cli_fail(cli,
            cli_error(&err, DEED_E_INVALID, "deed help --json", "which command? none was named"),
            &err);
    }
    static const char *const day[] = {"record", "run", "reconcile", "status", "list", "explain"};
    for (size_t i = 0; i < sizeof day / sizeof day[0]; i++) {
        const struct command *command = command_find(day[i]);
        char usage[40];
        (void)snprintf(usage, sizeof usage, "%s %s", command->name, command->operands);
        (void)printf("  deed %-18s %s\n", usage, command->summary);
    }
    (void)fputs("\n`deed help` lists the rest, `deed COMMAND --help` tells more.\n", stdout);
    /* In a script, a command that came out empty must not look like one that was done. */
    return deed_exit_status(DEED_E_INVALID, DEED_EXIT_OTHER, NULL);
}

static void print_option(const struct option *option, bool required)
{
    char usage[40];
    (void)snprintf(usage, sizeof usage, "--%s%s%s", option->name, option->value ? " " : "",
        option->value ? option->value : "");
    (void)printf("  %-22s %s%s\n", usage, option->help, required ? " (required)" : "");
}

static void print_common_options(void)
{
    (void)fputs("\nEvery command takes:\n", stdout);
    for (size_t i = 0; option_at(i); i++) {
        if (option_is_common(i)) {
            print_option(option_at(i), false);
        }
    }
}

static void print_command(const struct command *command)
{
    (void)printf("usage: deed %s%s%s%s\n\n%s.\n", command->name, command->operands[0] ? " " : "",
        command->operands, command->options ? " [OPTION...]" : "", command->summary);
    if (command->detail[0]) {
        (void)printf("\n%s", command->detail);
    }
    if (command->options) {
        (void)fputs("\nOptions:\n", stdout);
    }
    for (size_t i = 0; option_at(i); i++) {
        if (command_takes(command, i)) {
            print_option(option_at(i), (command->required >> i & 1U) != 0);
        }
    }
    print_common_options();
}

/* What an exit status means to whoever reads it in a script. */
static const struct exit_line {
    int status;
    const char *text;
} exit_lines[] = {
#define STATUS(number, text) {number, text},
#include "exits.def"
#undef STATUS
};

#define EXIT_COUNT (sizeof exit_lines / sizeof exit_lines[0])

static void print_all(void)
{
    (void)fputs("usage: deed [--ledger LOCATION] [--config FILE] [--json] COMMAND ...\n\n"
                "A ledger for actions that must happen at most once and never be lost sight of.\n\n"
                "Commands:\n",
        stdout);
    for (size_t i = 0; command_at(i); i++) {
        (void)printf("  %-10s %s\n", command_at(i)->name, command_at(i)->summary);
    }
    print_common_options();
    (void)fputs("\nExit status:\n", stdout);
    for (size_t i = 0; i < EXIT_COUNT; i++) {
        (void)printf("  %3d  %s\n", exit_lines[i].status, exit_lines[i].text);
    }
}

static json_t *option_json(const struct option *option, bool required)
{
    json_t *object = json_object();
    output_set_text(object, "name", option->name);
    output_set_text(object, "value", option->value);
    output_set_text(object, "help", option->help);
    (void)json_object_set_new(object, "required", json_boolean(required));
    return object;
}

static json_t *command_json(const struct command *command)
{
    json_t *object = json_object();
    output_set_text(object, "name", command->name);
    output_set_text(object, "operands", command->operands);
    output_set_text(object, "summary", command->summary);
    output_set_text(object, "detail", command->detail);
    json_t *taken = json_array();
    for (size_t i = 0; option_at(i); i++) {
        if (command_takes(command, i)) {
            const bool required = (command->required >> i & 1U) != 0;
            (void)json_array_append_new(taken, option_json(option_at(i), required));
        }
    }
    (void)json_object_set_new(object, "options", taken);
    return object;
}

static void help_json(struct cli *cli, const struct command *only)
{
    json_t *object = output_object("help");
    output_set_text(object, "version", deed_version());
    json_t *listed = json_array();
    for (size_t i = 0; command_at(i); i++) {
        if (!only || only == command_at(i)) {
            (void)json_array_append_new(listed, command_json(command_at(i)));
        }
    }
    (void)json_object_set_new(object, "commands", listed);
    json_t *common = json_array();
    for (size_t i = 0; option_at(i); i++) {
        if (option_is_common(i)) {
            (void)json_array_append_new(common, option_json(option_at(i), false));
        }
    }
    (void)json_object_set_new(object, "options", common);
    json_t *exits = json_array();
    for (size_t i = 0; i < EXIT_COUNT; i++) {
        (void)json_array_append_new(exits,
            json_pack("{s:i, s:s}", "status", exit_lines[i].status, "meaning", exit_lines[i].text));
    }
    (void)json_object_set_new(object, "exit_statuses", exits);
    output_json(&cli->out, object);
}

int help_print(struct cli *cli, const struct command *command)
{
    if (cli->out.json) {
        help_json(cli, command);
    } else if (command) {
        print_command(command);
    } else {
        print_all();
    }
    return 0;
}

int cmd_help(struct cli *cli)
{
    if (cli->arguments.operand_count == 0) {
        return help_print(cli, NULL);
    }
    struct deed_error err;
    const char *name = cli->arguments.operands[0];
    const struct command *command = NULL;
    deed_rc rc = command_named(name, &command, &err);
    return rc == DEED_OK ? help_print(cli, command) : cli_fail(cli, rc, &err);
}
