/* SPDX-License-Identifier: MIT
 *
 * acting.h - what run and reconcile share: a verdict for each intent, a summary, an orderly stop.
 */
#ifndef CLI_ACTING_H
#define CLI_ACTING_H

#include "cli.h"

struct acting {
    struct cli *cli;
    int status;
    uint64_t done; /* intents dealt with */
    uint64_t by_outcome[5];
    uint64_t unknown; /* attempted, outcome not known */
    uint64_t failed;
    bool watch;       /* again and again: an executor that is missing is told once for each kind */
    json_t *unserved; /* the kinds that were told */
};

/* What is done to one key that was named. */
typedef deed_rc (*acting_step)(
    deed_ledger *ledger, const char *key, struct deed_result *result, struct deed_error *err);

/* A deed_result_visit: tells the verdict, counts, and asks to stop when a signal came or the answer
 * cannot be written. `context` is a struct acting. */
bool acting_visit(
    void *context, deed_rc rc, const struct deed_result *result, const struct deed_error *err);

/* Takes the step for each key of the command line, in order. */
void acting_keys(struct acting *acting, acting_step step);

/* The summary of what was done so far; then it counts from nothing again. */
void acting_summary(struct acting *acting, const char *what);
/* The status to end with; an end by a signal is told. */
int acting_end(struct acting *acting);
/* Both. */
int acting_finish(struct acting *acting, const char *what);

#endif
