/* SPDX-License-Identifier: MIT
 *
 * settings.h - what `deed crashtest` was asked for.
 */
#ifndef DEED_MOCKS_CRASHTEST_SETTINGS_H
#define DEED_MOCKS_CRASHTEST_SETTINGS_H

#include <deed/base.h>

struct settings {
    const char *provider; /* a class of deed/mock/executor.h */
    const char *only;     /* a point, or the first words of several; NULL: all */
    const char *junit;    /* file; NULL: none */
    uint64_t expect;      /* distinct effects; 0: what the unharmed run does */
    uint32_t restarts;
    int64_t time_limit_ms; /* of one run */
    bool json;
    bool keep;
    bool help;
    bool version;
    char *const *command; /* ends with NULL */
};

/* Reads the command line; the texts stay in argv. On failure `settings` still says whether the error
 * is wanted as JSON. */
DEED_MUST_CHECK deed_rc settings_read(
    struct settings *settings, int argc, char **argv, struct deed_error *err);

/* Prints what can be asked for. */
void settings_help(void);

/* The one command that runs this point alone, quoted for a shell; freed by the caller. NULL: no
 * memory. */
char *settings_replay(const struct settings *settings, const char *point);

#endif /* DEED_MOCKS_CRASHTEST_SETTINGS_H */
