/* SPDX-License-Identifier: MIT
 *
 * manual.c - deed(1), in the language of man(7), from the tables of commands, options and statuses.
 */
#include "pages.h"

#include "options.h"

#include <ctype.h>
#include <string.h>

#define LINE_BYTES 64 /* after so many, a running text goes on in the next line */

/* Writes `text` as roff: what roff would take for its own is escaped, `words in back quotes` are
 * bold. An example stays one line. */
static void put(FILE *stream, const char *text, size_t bytes, bool example)
{
    bool bold = false;
    size_t line_bytes = 0;
    for (size_t i = 0; i < bytes; i++, line_bytes++) {
        if (line_bytes == 0 && text[i] == '.') {
            (void)fputs("\\&", stream); /* or it would be a request */
        }
        switch (text[i]) {
        case ' ':
            if (!example && line_bytes + strcspn(text + i + 1, " ") > LINE_BYTES) {
                (void)fputc('\n', stream);
                line_bytes = SIZE_MAX; /* 0 at the next one */
            } else {
                (void)fputc(' ', stream);
            }
            break;
        case '`':
            bold = !bold;
            (void)fputs(bold ? "\\fB" : "\\fR", stream);
            break;
        case '\\':
            (void)fputs("\\e", stream);
            break;
        case '-':
            (void)fputs("\\-", stream);
            break;
        case '\'':
            (void)fputs("\\(aq", stream);
            break;
        case '^':
            (void)fputs("\\(ha", stream);
            break;
        case '~':
            (void)fputs("\\(ti", stream);
            break;
        default:
            (void)fputc(text[i], stream);
        }
    }
}

static void put_text(FILE *stream, const char *text)
{
    put(stream, text, strlen(text), false);
}

enum block {
    BLOCK_NONE, /* between paragraphs */
    BLOCK_TEXT,
    BLOCK_EXAMPLE
};

/* Ends the one block and begins the other. */
static void turn(FILE *stream, enum block from, enum block to)
{
    if (from == to) {
        return;
    }
    if (from == BLOCK_EXAMPLE) {
        (void)fputs(".EE\n.RE\n", stream);
    }
    if (to == BLOCK_EXAMPLE) {
        (void)fputs(".PP\n.RS 4\n.EX\n", stream);
    } else if (to == BLOCK_TEXT) {
        (void)fputs(".PP\n", stream);
    }
}

/* Paragraphs; lines that begin with two spaces are examples and stay as they are. */
static void put_detail(FILE *stream, const char *detail, bool after_heading)
{
    enum block block = after_heading ? BLOCK_TEXT : BLOCK_NONE; /* a heading begins a paragraph */
    while (*detail) {
        const size_t bytes = strcspn(detail, "\n");
        const size_t indent = strncmp(detail, "  ", 2) == 0 ? 2 : 0;
        const enum block next = bytes == 0 ? BLOCK_NONE : indent > 0 ? BLOCK_EXAMPLE : BLOCK_TEXT;
        turn(stream, block, next);
        if (bytes > 0) {
            put(stream, detail + indent, bytes - indent, indent > 0);
            (void)fputc('\n', stream);
        }
        block = next;
        detail += bytes + (detail[bytes] == '\n');
    }
    turn(stream, block, BLOCK_NONE);
}

static void put_option(FILE *stream, const struct command *command, size_t index)
{
    const struct option *option = option_at(index);
    const char *choices = option_choices(command, index);
    (void)fputs(".TP\n\\fB\\-\\-", stream);
    put_text(stream, option->name);
    (void)fputs("\\fR", stream);
    if (option->value) {
        (void)fprintf(stream, " \\fI%s\\fR", option->value);
    }
    (void)fputc('\n', stream);
    put_text(stream, option->help);
    for (const char *at = choices; at && *at; at += strspn(at, " ")) {
        const size_t length = strcspn(at, " ");
        (void)fputs(at == choices ? ": " : ", ", stream);
        put(stream, at, length, false);
        at += length;
    }
    const bool required = command && (command->required >> index & 1U) != 0;
    (void)fputs(required ? " (required)\n" : "\n", stream);
}

/* "[KEY...]": the brackets are roman, the word is italic. */
static void put_operands(FILE *stream, const char *operands)
{
    const size_t open = strspn(operands, "[");
    const size_t word = strspn(operands + open, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
    (void)fprintf(stream, " %.*s\\fI%.*s\\fR%s", (int)open, operands, (int)word, operands + open,
        operands + open + word);
}

static void put_command(FILE *stream, const struct command *command)
{
    (void)fputs(".SS \"deed ", stream);
    put_text(stream, command->name);
    if (command->operands[0]) {
        put_operands(stream, command->operands);
    }
    (void)fputs(command->options ? " [\\fIOPTION\\fR...]\"\n" : "\"\n", stream);
    /* A sentence of its own, so with a capital letter. */
    (void)fputc(toupper((unsigned char)command->summary[0]), stream);
    put_text(stream, command->summary + 1);
    (void)fputs(".\n", stream);
    put_detail(stream, command->detail, false);
    for (size_t i = 0; option_at(i); i++) {
        if (command_takes(command, i)) {
            put_option(stream, command, i);
        }
    }
}

static void put_head(FILE *stream)
{
    (void)fputs(".\\\" Written by `deed help --man`; edits are lost.\n", stream);
    (void)fprintf(
        stream, ".TH DEED 1 %s \"deed %s\" \"User Commands\"\n", DEED_MANUAL_DATE, DEED_VERSION);
    (void)fputs(".SH NAME\ndeed \\- a ledger for actions that must happen at most once\n"
                ".SH SYNOPSIS\n\\fBdeed\\fR [\\fB\\-\\-ledger\\fR \\fILOCATION\\fR] "
                "[\\fB\\-\\-config\\fR \\fIFILE\\fR] [\\fB\\-\\-json\\fR] \\fICOMMAND\\fR ...\n"
                ".SH DESCRIPTION\n",
        stream);
    put_detail(stream,
        "deed keeps an action that must happen once from being repeated and from being lost: it "
        "makes\n"
        "each attempt durable before anything is sent, and stores what the answer proved. Where "
        "no\n"
        "answer came, it says \"not known\" until evidence or a person settles it.\n"
        "\n"
        "Answers go to standard output, the rest to standard error.\n"
        "\n" HELP_DASHED_KEY "\n\n  deed show -- -pay-17\n",
        true);
}

static void put_tail(FILE *stream)
{
    (void)fputs(".SH ENVIRONMENT\n", stream);
    static const struct {
        const char *name;
        const char *text;
    } variables[] = {
        {"DEED_LEDGER", "the ledger, where --ledger does not name it"},
        {"DEED_CONFIG", "the configuration, where --config does not name it"},
        {"XDG_CONFIG_HOME",
            "the folder below which `deed/config.json` is looked for; else ~/.config"},
        {"NO_COLOR", "if it is set and not empty, nothing is coloured"},
    };
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
        (void)fprintf(stream, ".TP\n.B %s\n", variables[i].name);
        put_text(stream, variables[i].text);
        (void)fputc('\n', stream);
    }
    (void)fputs(".SH EXIT STATUS\n", stream);
    for (size_t i = 0; exit_line_at(i); i++) {
        (void)fprintf(stream, ".TP\n.B %d\n", exit_line_at(i)->status);
        put_text(stream, exit_line_at(i)->text);
        (void)fputc('\n', stream);
    }
}

void manual_print(FILE *stream)
{
    put_head(stream);
    (void)fputs(".SH OPTIONS\nEvery command takes these.\n", stream);
    for (size_t i = 0; option_at(i); i++) {
        if (option_is_common(i)) {
            put_option(stream, NULL, i);
        }
    }
    (void)fputs(".SH COMMANDS\n", stream);
    for (size_t i = 0; command_at(i); i++) {
        put_command(stream, command_at(i));
    }
    put_tail(stream);
}
