/* SPDX-License-Identifier: MIT
 *
 * completion.c - the completion of bash, from the tables of commands and options. It asks no ledger:
 * pressing a key must not open one.
 */
#include "pages.h"

#include "options.h"

#include <string.h>

/* The pattern of every option that `takes` describes, each once: "--config|--payload". */
static void put_pattern(FILE *stream, bool (*takes)(const struct option *option))
{
    const char *between = "";
    for (size_t i = 0; option_at(i); i++) {
        if (takes(option_at(i))) {
            (void)fprintf(stream, "%s--%s", between, option_at(i)->name);
            between = "|";
        }
    }
}

static bool takes_value(const struct option *option)
{
    return option->value != NULL;
}

static bool takes_file(const struct option *option)
{
    return option->value &&
        (strcmp(option->value, "FILE") == 0 || strcmp(option->value, "LOCATION") == 0);
}

static void put_commands(FILE *stream)
{
    (void)fputs("    local commands=\"", stream);
    for (size_t i = 0; command_at(i); i++) {
        (void)fprintf(stream, "%s%s", i > 0 ? " " : "", command_at(i)->name);
    }
    (void)fputs("\"\n", stream);
}

/* The options a command takes beside those every command takes. */
static void put_own(FILE *stream, const struct command *command)
{
    if (command->is_program) { /* it has options of its own, and none of ours */
        (void)fprintf(stream, "    %s) options=\"--help\" ;;\n", command->name);
        return;
    }
    if (command->options == 0) {
        return;
    }
    (void)fprintf(stream, "    %s) options+=\"", command->name);
    for (size_t i = 0; option_at(i); i++) {
        if (command_takes(command, i)) {
            (void)fprintf(stream, " --%s", option_at(i)->name);
        }
    }
    (void)fputs("\" ;;\n", stream);
}

static void put_options(FILE *stream)
{
    (void)fputs("    local options=\"", stream);
    for (size_t i = 0; option_at(i); i++) {
        if (option_is_common(i)) {
            (void)fprintf(stream, "%s--%s", i > 0 ? " " : "", option_at(i)->name);
        }
    }
    (void)fputs("\"\n    case $command in\n", stream);
    for (size_t i = 0; command_at(i); i++) {
        put_own(stream, command_at(i));
    }
    (void)fputs("    esac\n", stream);
}

/* Words that an option's argument can be; those of one command stand before those of all. */
static void put_choices(FILE *stream)
{
    (void)fputs("    case $command:$previous in\n", stream);
    for (size_t i = 0; command_at(i); i++) {
        for (size_t j = 0; option_at(j); j++) {
            const char *words = option_choices(command_at(i), j);
            if (command_takes(command_at(i), j) && words) {
                (void)fprintf(stream, "    %s:--%s) words=\"%s\" ;;\n", command_at(i)->name,
                    option_at(j)->name, words);
            }
        }
    }
    (void)fputs("    esac\n", stream);
}

void completion_print(FILE *stream)
{
    (void)fputs("# Written by `deed help --completion bash`; edits are lost. It asks no ledger.\n"
                "_deed()\n{\n",
        stream);
    put_commands(stream);
    (void)fputs(
        "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}\n"
        "    local command=\"\" words=\"\" i\n"
        "    COMPREPLY=()\n"
        "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
        "        case ${COMP_WORDS[i]} in\n"
        "        --) return ;; # keys follow, and they are nobody's to guess\n"
        "        ",
        stream);
    put_pattern(stream, takes_value);
    (void)fputs(") ((i++)) ;;\n"
                "        -*) ;;\n"
                "        *) command=${command:-${COMP_WORDS[i]}} ;;\n"
                "        esac\n"
                "    done\n",
        stream);
    put_options(stream);
    put_choices(stream);
    (void)fputs("    case $previous in\n    ", stream);
    put_pattern(stream, takes_file);
    (void)fputs(")\n"
                "        compopt -o filenames 2>/dev/null\n"
                "        mapfile -t COMPREPLY < <(compgen -f -- \"$current\")\n"
                "        return\n"
                "        ;;\n"
                "    ",
        stream);
    put_pattern(stream, takes_value);
    (void)fputs(
        ") ;;\n"
        "    *)\n"
        "        [[ $current == -* ]] && words=$options\n"
        "        [[ $current != -* && (-z $command || $command == help) ]] && words=$commands\n"
        "        ;;\n"
        "    esac\n"
        "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
        "}\n"
        "complete -F _deed deed\n",
        stream);
}
