/* SPDX-License-Identifier: MIT
 *
 * options.c - the command line, read by the tables.
 */
#include "options.h"

#include "error.h"
#include "nearest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* `typed` has its dashes, and perhaps a value behind '='. */
static deed_rc no_such_option(
    const struct command *command, const char *typed, struct deed_error *err)
{
    char word[41];
    (void)snprintf(word, sizeof word, "%.*s", (int)strcspn(typed, "="), typed);
    struct nearest nearest;
    nearest_start(&nearest, word + strspn(word, "-"));
    for (size_t i = 0; i < OPT_COUNT; i++) {
        if (option_is_common(i) || (command && command_takes(command, i))) {
            nearest_offer(&nearest, option_at(i)->name);
        }
    }
    const char *where = command ? command->name : "deed";
    if (nearest.name) {
        return cli_error(err, DEED_E_INVALID, NULL, "%s has no option %s; the nearest is --%s",
            where, word, nearest.name);
    }
    return cli_error(err, DEED_E_INVALID, NULL, "%s has no option %s; --help lists those there are",
        where, word);
}

/* The option a word names, up to its '='; OPT_COUNT if there is none. */
static size_t option_find(const char *name, size_t name_bytes)
{
    size_t i = 0;
    while (i < OPT_COUNT &&
        (strlen(option_at(i)->name) != name_bytes ||
            memcmp(option_at(i)->name, name, name_bytes) != 0)) {
        i++;
    }
    return i;
}

/* Reads the option at argv[*at], and its argument, and moves past both. */
static deed_rc option_read(
    struct arguments *arguments, int argc, char **argv, int *at, struct deed_error *err)
{
    const char *word = argv[*at];
    const char *name = strcmp(word, "-h") == 0 ? "help" : word + 2;
    const size_t name_bytes = strcspn(name, "=");
    const size_t id = option_find(name, name_bytes);
    (*at)++;
    if (id == OPT_COUNT || (word[1] != '-' && strcmp(word, "-h") != 0)) {
        return no_such_option(arguments->command, word, err);
    }
    if (arguments->values[id]) {
        return cli_error(err, DEED_E_INVALID, NULL, "--%s is given twice; which one is meant?",
            option_at(id)->name);
    }
    if (!option_at(id)->value) {
        if (name[name_bytes] == '=') {
            return cli_error(err, DEED_E_INVALID, NULL, "--%s takes no value; leave out `=`",
                option_at(id)->name);
        }
        arguments->values[id] = "";
        return DEED_OK;
    }
    if (name[name_bytes] == '=') {
        arguments->values[id] = name + name_bytes + 1;
        return DEED_OK;
    }
    if (*at == argc) {
        return cli_error(err, DEED_E_INVALID, NULL, "--%s needs a value: --%s %s",
            option_at(id)->name, option_at(id)->name, option_at(id)->value);
    }
    arguments->values[id] = argv[(*at)++];
    return DEED_OK;
}

static deed_rc operand_read(struct arguments *arguments, const char *word, struct deed_error *err)
{
    if (arguments->command) {
        arguments->operands[arguments->operand_count++] = word;
        return DEED_OK;
    }
    deed_rc rc = command_named(word, &arguments->command, err);
    if (rc == DEED_OK) {
        arguments->command_index = command_index(arguments->command);
    }
    return rc;
}

static deed_rc check_options(const struct arguments *arguments, struct deed_error *err)
{
    const struct command *command = arguments->command;
    for (size_t i = 0; i < OPT_COUNT; i++) {
        const bool is_given = arguments->values[i] != NULL;
        if (is_given && !option_is_common(i) && !command_takes(command, i)) {
            return cli_error(err, DEED_E_INVALID, NULL,
                "%s takes no --%s; `deed %s --help` lists what it takes", command->name,
                option_at(i)->name, command->name);
        }
        if (!is_given && (command->required >> i & 1U) != 0) {
            return cli_error(err, DEED_E_INVALID, NULL, "%s needs --%s %s", command->name,
                option_at(i)->name, option_at(i)->value);
        }
    }
    return DEED_OK;
}

static deed_rc check_operands(const struct arguments *arguments, struct deed_error *err)
{
    const struct command *command = arguments->command;
    if (arguments->operand_count < command->operands_min) {
        return cli_error(err, DEED_E_INVALID, NULL, "%s needs %s: deed %s %s", command->name,
            command->operands, command->name, command->operands);
    }
    if (arguments->operand_count > command->operands_max) {
        return cli_error(err, DEED_E_INVALID, NULL, "%s does not take `%.80s`: deed %s %s",
            command->name, arguments->operands[command->operands_max], command->name,
            command->operands[0] ? command->operands : "[OPTION...]");
    }
    return DEED_OK;
}

/* The words that are no commands name one that takes a key: that of the line, or there is none to be
 * named. */
static void complete_next(struct deed_error *err, const char *word_or_null)
{
    char *place = strstr(err->next, " KEY");
    if (!place) {
        return;
    }
    const char *word = word_or_null ? word_or_null : "";
    const size_t length = strspn(word, "abcdefghijklmnopqrstuvwxyz0123456789-");
    const size_t room = sizeof err->next - (size_t)(place - err->next);
    if (length == 0 || length > DEED_KEY_BYTES_MAX || word[length] != '\0' || word[0] == '-') {
        err->next[0] = '\0';
    } else {
        (void)snprintf(place, room, " %s", word);
    }
}

/* An error must come out in the form that was asked for, wherever on the line it was asked. */
static bool json_is_asked(int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "--json") == 0) {
            return true;
        }
    }
    return false;
}

/* Whatever stands behind the name of a program is the program's. */
static void leave_to_program(struct arguments *arguments, int argc, char **argv, int at)
{
    while (at < argc) {
        arguments->operands[arguments->operand_count++] = argv[at++];
    }
}

/* Reads every word. Behind "--" all are operands. */
static deed_rc read_words(
    struct arguments *arguments, int argc, char **argv, struct deed_error *err)
{
    deed_rc rc = DEED_OK;
    bool options_end = false;
    for (int at = 1; at < argc && rc == DEED_OK;) {
        const char *word = argv[at];
        if (!options_end && strcmp(word, "--") == 0) {
            options_end = true;
            at++;
        } else if (!options_end && word[0] == '-' && word[1] != '\0') {
            rc = option_read(arguments, argc, argv, &at, err);
        } else {
            rc = operand_read(arguments, word, err);
            at++;
            if (rc != DEED_OK) {
                complete_next(err, argv[at]);
            } else if (arguments->command && arguments->command->is_program) {
                leave_to_program(arguments, argc, argv, at);
                return DEED_OK;
            }
        }
    }
    return rc;
}

deed_rc arguments_parse(struct arguments *arguments, int argc, char **argv, struct deed_error *err)
{
    *arguments = (struct arguments){0};
    arguments->operands = calloc((size_t)argc + 1, sizeof *arguments->operands);
    if (!arguments->operands) {
        return cli_no_memory(err);
    }
    deed_rc rc = read_words(arguments, argc, argv, err);
    if (rc != DEED_OK && json_is_asked(argc, argv)) {
        arguments->values[OPT_JSON] = "";
    }
    const bool only_help = given(arguments, OPT_HELP) || given(arguments, OPT_VERSION);
    if (rc == DEED_OK && arguments->command && !only_help) {
        rc = check_options(arguments, err);
        if (rc == DEED_OK) {
            rc = check_operands(arguments, err);
        }
    }
    return rc;
}

void arguments_finish(struct arguments *arguments)
{
    free(arguments->operands);
    arguments->operands = NULL;
}
