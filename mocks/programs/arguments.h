/* SPDX-License-Identifier: MIT
 *
 * arguments.h - the options of a program, read by its table; help comes from the same table.
 */
#ifndef DEED_MOCKS_ARGUMENTS_H
#define DEED_MOCKS_ARGUMENTS_H

#include <stdio.h>

#include <deed/base.h>

struct deed__argument {
    const char *name;
    const char *value; /* what its argument is called; NULL: it takes none */
    const char *help;
};

struct deed__arguments {
    const char *program; /* as it is called in errors: "mock-provider" */
    const struct deed__argument *table;
    size_t count;
    const char **values; /* `count` of them, NULL before; "" for an option without argument */
};

/* Reads the whole command line; texts stay in argv. An operand is refused. */
DEED_MUST_CHECK deed_rc deed__arguments_read(
    const struct deed__arguments *arguments, int argc, char **argv, struct deed_error *err);
/* One line for each option. */
void deed__arguments_print(const struct deed__arguments *arguments, FILE *out);

#endif /* DEED_MOCKS_ARGUMENTS_H */
