/* SPDX-License-Identifier: MIT
 *
 * cli.h - what all commands share.
 */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include "config.h"
#include "error.h"
#include "intent.h"
#include "options.h"
#include "output.h"

#include <deed/ext/store.h>
#include <deed/ledger.h>

/* One run of the program. A command returns its exit status and leaves the rest to main. */
struct cli {
    struct arguments arguments;
    struct output out;
    struct config config;
    struct deed_options options; /* of the ledger, which goes on reading them */
    deed_ledger *ledger;         /* NULL until cli_open */
};

enum cli_open_mode {
    CLI_READ, /* nothing will be written; judged with the configuration, if there is one that loads */
    CLI_WRITE, /* with the configuration's actor */
    CLI_ACT,   /* and its executors */
    CLI_PLAN,  /* the same, and nothing will be written */
};

/* Opens the ledger, or tells the error. */
DEED_MUST_CHECK deed_rc cli_open(struct cli *cli, enum cli_open_mode mode, struct deed_error *err);

/* Opens the store alone, for commands about the ledger as a file. */
DEED_MUST_CHECK deed_rc cli_open_store(
    struct cli *cli, bool read_only, struct deed_store **store_out, struct deed_error *err);

/* Tells the error and returns the exit status of a command that is not about an intent's outcome. */
int cli_fail(struct cli *cli, deed_rc rc, const struct deed_error *err);

/* Ends a command about one intent that is not judged by its outcome: what is known on standard
 * output, an error on standard error. */
int cli_answer(struct cli *cli, enum intent_deed what, deed_rc rc, const struct deed_result *result,
    const struct deed_error *err);

/* Refuses what is no name of a ledger. */
DEED_MUST_CHECK deed_rc cli_check_name(const char *name, struct deed_error *err);

/* Every command of commands.def. */
#define COMMAND(ident, name, operands, min, max, options, required, summary, detail)               \
    int cmd_##ident(struct cli *cli);
#define PROGRAM(ident, name, summary, detail)
#include "commands.def"
#undef PROGRAM
#undef COMMAND
int cmd_program(struct cli *cli); /* of every command that is a program of its own */

/* "deed" alone. */
int help_of_the_day(struct cli *cli);
/* --help, with or without a command. */
int help_print(struct cli *cli, const struct command *command);

#endif
