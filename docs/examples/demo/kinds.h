/* SPDX-License-Identifier: MIT
 *
 * kinds.h - the providers of the demonstration, made from the same configuration as the command's.
 */
#ifndef DEMO_KINDS_H
#define DEMO_KINDS_H

#include <jansson.h>

#include <deed/ext/executor.h>

struct kind {
    const char *name;
    deed_executor *executor;
    struct deed_profile profile;
};

struct kinds {
    json_t *root; /* owns the names */
    struct kind *items;
    size_t count;
};

/* Reads "kinds" of a configuration whose executors are mocks, and makes them. Says on standard error
 * what is wrong: a member it does not know is an error, as both sides must mean the same. Freed by
 * kinds_finish, after a failure too. */
bool kinds_read(const char *path, struct kinds *out);
/* Frees the executors as well; those that a ledger took are set to NULL before. */
void kinds_finish(struct kinds *kinds);

#endif
