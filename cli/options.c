/* SPDX-License-Identifier: MIT
 *
 * options.c - the tables of commands and options, and the command line read by them.
 */
#include "options.h"

#include "error.h"
#include "nearest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct option options[] = {
#define OPTION(ident, name, value, help) {name, value, help},
#include "options.def"
#undef OPTION
};

#define ANY        OPERANDS_ANY
#define BIT(ident) (UINT64_C(1) << OPT_##ident)
static const struct command commands[] = {
#define COMMAND(ident, name, operands, min, max, takes, required, summary, detail)                 \
    {name, operands, min, max, takes, required, summary, detail},
#include "commands.def"
#undef COMMAND
};
#undef ANY

static const uint64_t common_options =
    BIT(LEDGER) | BIT(CONFIG) | BIT(JSON) | BIT(HELP) | BIT(VERSION);

/* Words that are no commands, and what deed does instead. */
static const struct word {
    const char *name;
    const char *text;
    const char *next;
} words[] = {
#define WORD(name, text, next) {name, text, next},
#include "words.def"
#undef WORD
};

_Static_assert(OPT_COUNT <= 64, "a set of options is one 64-bit word");

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

const struct option *option_at(size_t index)
{
    return index < COUNT_OF(options) ? &options[index] : NULL;
}

const struct command *command_at(size_t index)
{
    return index < COUNT_OF(commands) ? &commands[index] : NULL;
}

const struct command *command_find(const char *name)
{
    for (size_t i = 0; i < COUNT_OF(commands); i++) {
        if (strcmp(commands[i].name, name) == 0) {
            return &commands[i];
        }
    }
    return NULL;
}

bool option_is_common(size_t index)
{
    return (common_options >> index & 1U) != 0;
}

bool command_takes(const struct command *command, size_t option_index)
{
    return (command->options >> option_index & 1U) != 0;
}

static deed_rc no_such_command(const char *word, struct deed_error *err)
{
    for (size_t i = 0; i < COUNT_OF(words); i++) {
        if (strcmp(words[i].name, word) == 0) {
            return cli_error(err, DEED_E_INVALID, words[i].next, "there is no command `%s`: %s",
                word, words[i].text);
        }
    }
    struct nearest nearest;
    nearest_start(&nearest, word);
    for (size_t i = 0; i < COUNT_OF(commands); i++) {
        nearest_offer(&nearest, commands[i].name);
    }
    if (nearest.name) {
        return cli_error(err, DEED_E_INVALID, "deed help",
            "there is no command `%.40s`; the nearest is `%s`", word, nearest.name);
    }
    return cli_error(err, DEED_E_INVALID, "deed help",
        "there is no command `%.40s`; `deed help` lists those there are", word);
}

deed_rc command_named(const char *name, const struct command **command_out, struct deed_error *err)
{
    const struct command *command = command_find(name);
    if (!command) {
        return no_such_command(name, err);
    }
    *command_out = command;
    return DEED_OK;
}

/* `typed` has its dashes, and perhaps a value behind '='. */
static deed_rc no_such_option(
    const struct command *command, const char *typed, struct deed_error *err)
{
    char word[41];
    (void)snprintf(word, sizeof word, "%.*s", (int)strcspn(typed, "="), typed);
    struct nearest nearest;
    nearest_start(&nearest, word + strspn(word, "-"));
    for (size_t i = 0; i < COUNT_OF(options); i++) {
        if (option_is_common(i) || (command && command_takes(command, i))) {
            nearest_offer(&nearest, options[i].name);
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

/* The option a word names, up to its '='; COUNT_OF(options) if there is none. */
static size_t option_find(const char *name, size_t name_bytes)
{
    size_t i = 0;
    while (i < COUNT_OF(options) &&
        (strlen(options[i].name) != name_bytes || memcmp(options[i].name, name, name_bytes) != 0)) {
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
    if (id == COUNT_OF(options) || (word[1] != '-' && strcmp(word, "-h") != 0)) {
        return no_such_option(arguments->command, word, err);
    }
    if (arguments->values[id]) {
        return cli_error(err, DEED_E_INVALID, NULL, "--%s is given twice; which one is meant?",
            options[id].name);
    }
    if (!options[id].value) {
        if (name[name_bytes] == '=') {
            return cli_error(
                err, DEED_E_INVALID, NULL, "--%s takes no value; leave out `=`", options[id].name);
        }
        arguments->values[id] = "";
        return DEED_OK;
    }
    if (name[name_bytes] == '=') {
        arguments->values[id] = name + name_bytes + 1;
        return DEED_OK;
    }
    if (*at == argc) {
        return cli_error(err, DEED_E_INVALID, NULL, "--%s needs a value: --%s %s", options[id].name,
            options[id].name, options[id].value);
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
        arguments->command_index = (size_t)(arguments->command - commands);
    }
    return rc;
}

static deed_rc check_options(const struct arguments *arguments, struct deed_error *err)
{
    const struct command *command = arguments->command;
    for (size_t i = 0; i < COUNT_OF(options); i++) {
        const bool is_given = arguments->values[i] != NULL;
        if (is_given && !option_is_common(i) && !command_takes(command, i)) {
            return cli_error(err, DEED_E_INVALID, NULL,
                "%s takes no --%s; `deed %s --help` lists what it takes", command->name,
                options[i].name, command->name);
        }
        if (!is_given && (command->required >> i & 1U) != 0) {
            return cli_error(err, DEED_E_INVALID, NULL, "%s needs --%s %s", command->name,
                options[i].name, options[i].value);
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
