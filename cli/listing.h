/* SPDX-License-Identifier: MIT
 *
 * listing.h - many intents: one JSON object a line, or a table for people.
 */
#ifndef CLI_LISTING_H
#define CLI_LISTING_H

#include "cli.h"

/* Kept until all are known, so that columns fit the longest key: a key is never cut. */
struct listing {
    struct output *out;
    struct listing_row *rows;
    size_t count;
    size_t capacity;
    bool no_memory;
};

/* A deed_result_visit. `context` is a struct listing. */
bool listing_visit(
    void *context, deed_rc rc, const struct deed_result *result, const struct deed_error *err);

/* Prints the table, or the error of the call that was to fill it; frees it, and returns the status
 * to end with. */
int listing_finish(struct listing *listing, struct cli *cli, deed_rc rc, struct deed_error *err);

#endif
