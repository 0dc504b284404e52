/* SPDX-License-Identifier: MIT
 *
 * Judging what was applied to a ledger. A version is kept in two places, because one can be changed
 * by mistake and nobody would notice; when they differ, nothing is guessed.
 */
#include "migrate.h"

#include <deed/ext/error.h>

#include <stdio.h>
#include <string.h>

#define ORIGIN "store.migrate"

deed_rc deed__review_row(
    struct deed__review *review, int number, const char *checksum, struct deed_error *err)
{
    if (number != review->newest + 1) {
        return deed_error_set(err, DEED_E_SCHEMA, ORIGIN,
            "%s: its table `migration` jumps from %d to %d; nothing was touched", review->location,
            review->newest, number);
    }
    if (number <= review->wanted &&
        (checksum == NULL || strcmp(review->known[number - 1].sha256, checksum) != 0)) {
        return deed_error_set(err, DEED_E_SCHEMA, ORIGIN,
            "%s: migration %04d_%s was applied with checksum %.12s..., and this library has "
            "%.12s...; it was made by another build of deed",
            review->location, number, review->known[number - 1].name,
            checksum == NULL ? "(none)" : checksum, review->known[number - 1].sha256);
    }
    review->newest = number;
    return DEED_OK;
}

deed_rc deed__review_end(
    const struct deed__review *review, const char *mark_name, int mark, struct deed_error *err)
{
    if (mark != review->newest) {
        return deed_error_set(err, DEED_E_SCHEMA, ORIGIN,
            "%s: the marks of its schema differ: %s says %d, the table `migration` says %d; "
            "nothing was touched; restore a backup or ask who changed it",
            review->location, mark_name, mark, review->newest);
    }
    return DEED_OK;
}

static void next(struct deed_error *err, const char *command)
{
    if (err != NULL) {
        (void)snprintf(err->next, sizeof(err->next), "%s", command);
    }
}

deed_rc deed__migrate_refuse(
    const char *location, int found, int wanted, bool adoptable, struct deed_error *err)
{
    if (adoptable) {
        (void)deed_error_set(err, DEED_E_SCHEMA, ORIGIN,
            "%s is a recorded-intent ledger from before deed: it can be read as it is, and "
            "`deed migrate --name NAME` makes it grow",
            location);
    } else if (found < wanted) {
        (void)deed_error_set(err, DEED_E_SCHEMA, ORIGIN,
            "%s has schema %d, this deed (%s) needs %d; `deed migrate` brings it there", location,
            found, DEED_VERSION, wanted);
        next(err, "deed migrate");
    } else {
        (void)deed_error_set(err, DEED_E_SCHEMA, ORIGIN,
            "%s has schema %d, this deed (%s) knows %d; a newer release of deed wrote it, use "
            "that; nothing was touched",
            location, found, DEED_VERSION, wanted);
    }
    return DEED_E_SCHEMA;
}
