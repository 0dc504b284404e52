/* SPDX-License-Identifier: MIT
 *
 * cmd_program.c - commands that are programs of their own: `deed simulate` is deed-simulate.
 */
#include "cli.h"

#include "error.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATH_BYTES 4096

/* Beside the deed that runs: the one that fits it. False: that cannot be told. */
static bool path_beside(const char *name, char path_out[PATH_BYTES])
{
    const ssize_t bytes = readlink("/proc/self/exe", path_out, PATH_BYTES - 1);
    if (bytes <= 0) {
        return false;
    }
    path_out[bytes] = '\0';
    char *base = strrchr(path_out, '/');
    if (!base) {
        return false;
    }
    const size_t room = PATH_BYTES - (size_t)(base + 1 - path_out);
    const int length = snprintf(base + 1, room, "deed-%s", name);
    return length > 0 && (size_t)length < room;
}

/* What the program is called with; ends with NULL. Freed by free; NULL: no memory. */
static char **program_arguments(const struct arguments *arguments, char *name)
{
    static char json[] = "--json";
    char **words = calloc(arguments->operand_count + 3, sizeof *words);
    size_t count = 0;
    if (!words) {
        return NULL;
    }
    words[count++] = name;
    if (given(arguments, OPT_JSON)) { /* it stood before the name, and means the same behind it */
        words[count++] = json;
    }
    for (size_t i = 0; i < arguments->operand_count; i++) {
        /* execv() wants them writable and writes to none. */
        memcpy(&words[count++], &arguments->operands[i], sizeof(char *));
    }
    return words;
}

/* Returns only if it could not be run. */
static deed_rc run_program(const struct arguments *arguments, struct deed_error *err)
{
    char name[64];
    char path[PATH_BYTES];
    const char *command = arguments->command->name;
    (void)snprintf(name, sizeof name, "deed-%s", command);
    char **words = program_arguments(arguments, name);
    if (!words) {
        return cli_no_memory(err);
    }
    (void)fflush(NULL);
    errno = ENOENT;
    if (path_beside(command, path)) {
        (void)execv(path, words);
    }
    if (errno == ENOENT) {
        (void)execvp(name, words);
    }
    const int saved = errno;
    free(words);
    if (saved == ENOENT) {
        return cli_error(err, DEED_E_SYSTEM, NULL,
            "`deed %s` is the program %s, which is neither beside this deed nor in $PATH; the "
            "package deed-mocks has it",
            command, name);
    }
    return cli_error(
        err, DEED_E_SYSTEM, NULL, "the program %s cannot be run: %s", name, strerror(saved));
}

int cmd_program(struct cli *cli)
{
    const struct arguments *arguments = &cli->arguments;
    struct deed_error err = {0};
    deed_rc rc = DEED_OK;
    if (given(arguments, OPT_LEDGER) || given(arguments, OPT_CONFIG)) {
        rc = cli_error(&err, DEED_E_INVALID, NULL,
            "%s opens no ledger and reads no configuration; leave out --%s",
            arguments->command->name, given(arguments, OPT_LEDGER) ? "ledger" : "config");
    } else {
        rc = run_program(arguments, &err);
    }
    return cli_fail(cli, rc, &err);
}
