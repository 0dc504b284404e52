/* SPDX-License-Identifier: MIT
 *
 * options.h - the tables of commands and options, and the command line read by them.
 */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <deed/base.h>

enum option_id {
#define OPTION(ident, name, value, choices, help) OPT_##ident,
#include "options.def"
#undef OPTION
    OPT_COUNT
};

struct option {
    const char *name;
    const char *value;   /* what its argument is called; NULL: it takes none */
    const char *choices; /* words between spaces; NULL: any text */
    const char *help;
};

#define OPERANDS_ANY SIZE_MAX

struct command {
    const char *name;
    const char *operands;
    size_t operands_min;
    size_t operands_max;
    uint64_t options;  /* bits (1 << option_id), beside those every command takes */
    uint64_t required; /* of `options` */
    const char *summary;
    const char *detail;
    bool is_program; /* deed-NAME does it, and reads what stands behind the name by itself */
};

/* In the order of help; NULL past the last one. */
const struct option *option_at(size_t index);
const struct command *command_at(size_t index);
size_t command_index(const struct command *command);
const struct command *command_find(const char *name);
/* The same, and if there is none the error names the nearest. */
DEED_MUST_CHECK deed_rc command_named(
    const char *name, const struct command **command_out, struct deed_error *err);

/* Options every command takes. */
bool option_is_common(size_t index);
bool command_takes(const struct command *command, size_t option_index);
/* What the option's argument can be, of this command (NULL: of any); words between spaces, or NULL
 * for any text. */
const char *option_choices(const struct command *command, size_t index);

/* What an exit status means to whoever reads it in a script; NULL past the last one. */
struct exit_line {
    int status;
    const char *text;
};
const struct exit_line *exit_line_at(size_t index);

/* A command line, taken apart. Pointers go into argv. */
struct arguments {
    const struct command *command; /* NULL: none was named */
    size_t command_index;
    const char *values[OPT_COUNT]; /* NULL: not given; "" for an option without argument */
    const char **operands;         /* freed by arguments_finish */
    size_t operand_count;
};

/* Reads the command line. On failure `arguments` still says whether --json was among it. */
DEED_MUST_CHECK deed_rc arguments_parse(
    struct arguments *arguments, int argc, char **argv, struct deed_error *err);
void arguments_finish(struct arguments *arguments);

static inline bool given(const struct arguments *arguments, enum option_id id)
{
    return arguments->values[id] != NULL;
}

#endif
