/* SPDX-License-Identifier: MIT
 *
 * cmd_help.c - help, from the tables of commands and options.
 */
#include "cli.h"

#include "pages.h"

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

static void print_option(const struct command *command, size_t index)
{
    const struct option *option = option_at(index);
    const char *choices = option_choices(command, index);
    char usage[40];
    (void)snprintf(usage, sizeof usage, "--%s%s%s", option->name, option->value ? " " : "",
        option->value ? option->value : "");
    (void)printf("  %-22s %s", usage, option->help);
    for (const char *at = choices; at; at = strchr(at + 1, ' ')) {
        const size_t skip = *at == ' ' ? 1 : 0;
        (void)printf(
            "%s%.*s", at == choices ? ": " : ", ", (int)strcspn(at + skip, " "), at + skip);
    }
    const bool required = command && (command->required >> index & 1U) != 0;
    (void)fputs(required ? " (required)\n" : "\n", stdout);
}

static void print_common_options(void)
{
    (void)fputs("\nEvery command takes:\n", stdout);
    for (size_t i = 0; option_at(i); i++) {
        if (option_is_common(i)) {
            print_option(NULL, i);
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
    if (strstr(command->operands, "KEY")) {
        (void)printf("\n" HELP_DASHED_KEY "\n\n  deed %s -- -pay-17\n", command->name);
    }
    if (command->options) {
        (void)fputs("\nOptions:\n", stdout);
    }
    for (size_t i = 0; option_at(i); i++) {
        if (command_takes(command, i)) {
            print_option(command, i);
        }
    }
    if (!command->is_program) {
        print_common_options();
    }
}

static void print_all(void)
{
    (void)fputs("usage: deed [--ledger LOCATION] [--config FILE] [--json] COMMAND ...\n\n"
                "A ledger for actions that must happen at most once and never be lost sight of.\n\n"
                "Commands:\n",
        stdout);
    for (size_t i = 0; command_at(i); i++) {
        (void)printf("  %-13s %s\n", command_at(i)->name, command_at(i)->summary);
    }
    print_common_options();
    (void)fputs("\nExit status:\n", stdout);
    for (size_t i = 0; exit_line_at(i); i++) {
        (void)printf("  %3d  %s\n", exit_line_at(i)->status, exit_line_at(i)->text);
    }
}

static json_t *choices_json(const char *choices)
{
    json_t *list = choices ? json_array() : json_null();
    while (choices && *choices) {
        const size_t length = strcspn(choices, " ");
        (void)json_array_append_new(list, json_stringn(choices, length));
        choices += length + strspn(choices + length, " ");
    }
    return list;
}

static json_t *option_json(const struct command *command, size_t index)
{
    const struct option *option = option_at(index);
    const bool required = command && (command->required >> index & 1U) != 0;
    json_t *object = json_object();
    output_set_text(object, "name", option->name);
    output_set_text(object, "value", option->value);
    (void)json_object_set_new(object, "choices", choices_json(option_choices(command, index)));
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
            (void)json_array_append_new(taken, option_json(command, i));
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
            (void)json_array_append_new(common, option_json(NULL, i));
        }
    }
    (void)json_object_set_new(object, "options", common);
    json_t *exits = json_array();
    for (size_t i = 0; exit_line_at(i); i++) {
        const struct exit_line *line = exit_line_at(i);
        (void)json_array_append_new(
            exits, json_pack("{s:i, s:s}", "status", line->status, "meaning", line->text));
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

/* What is installed beside the command. Neither has a form in JSON. */
static int print_page(struct cli *cli)
{
    const struct arguments *arguments = &cli->arguments;
    const char *shell = arguments->values[OPT_COMPLETION];
    struct deed_error err = {0};
    deed_rc rc = DEED_OK;
    if (cli->out.json || arguments->operand_count > 0 || (shell && given(arguments, OPT_MAN))) {
        rc = cli_error(&err, DEED_E_INVALID, NULL,
            "--man and --completion each print one page, about all of deed: they go alone, without "
            "a command and without --json");
    } else if (shell && strcmp(shell, "bash") != 0) {
        rc = cli_error(&err, DEED_E_INVALID, NULL,
            "--completion `%.20s`: there is one for bash, and for no other shell yet", shell);
    }
    if (rc != DEED_OK) {
        return cli_fail(cli, rc, &err);
    }
    if (shell) {
        completion_print(stdout);
    } else {
        manual_print(stdout);
    }
    return 0;
}

int cmd_help(struct cli *cli)
{
    const struct arguments *arguments = &cli->arguments;
    if (given(arguments, OPT_MAN) || given(arguments, OPT_COMPLETION)) {
        return print_page(cli);
    }
    if (arguments->operand_count == 0) {
        return help_print(cli, NULL);
    }
    struct deed_error err;
    const struct command *command = NULL;
    deed_rc rc = command_named(arguments->operands[0], &command, &err);
    return rc == DEED_OK ? help_print(cli, command) : cli_fail(cli, rc, &err);
}
