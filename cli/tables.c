/* SPDX-License-Identifier: MIT
 *
 * tables.c - the tables of commands and options.
 */
#include "options.h"

#include "error.h"
#include "nearest.h"

#include <string.h>

static const struct option options[] = {
#define OPTION(ident, name, value, choices, help) {name, value, choices, help},
#include "options.def"
#undef OPTION
};

#define ANY        OPERANDS_ANY
#define BIT(ident) (UINT64_C(1) << OPT_##ident)
static const struct command commands[] = {
#define COMMAND(ident, name, operands, min, max, takes, required, summary, detail)                 \
    {name, operands, min, max, takes, required, summary, detail, false},
#define PROGRAM(ident, name, summary, detail)                                                      \
    {name, "[ARGUMENT...]", 0, ANY, 0, 0, summary, detail, true},
#include "commands.def"
#undef PROGRAM
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

/* Where a command takes fewer words for an option. */
static const struct choices {
    const char *command;
    enum option_id option;
    const char *words;
} narrower[] = {
#define CHOICES(command, option, words) {command, OPT_##option, words},
#include "choices.def"
#undef CHOICES
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

const char *option_choices(const struct command *command, size_t index)
{
    for (size_t i = 0; command && i < COUNT_OF(narrower); i++) {
        if (narrower[i].option == index && strcmp(narrower[i].command, command->name) == 0) {
            return narrower[i].words;
        }
    }
    return options[index].choices;
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

static const struct exit_line exit_lines[] = {
#define STATUS(number, text) {number, text},
#include "exits.def"
#undef STATUS
};

const struct exit_line *exit_line_at(size_t index)
{
    return index < COUNT_OF(exit_lines) ? &exit_lines[index] : NULL;
}

size_t command_index(const struct command *command)
{
    return (size_t)(command - commands);
}
