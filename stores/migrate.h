/* SPDX-License-Identifier: MIT
 *
 * migrate.h - what every dialect's migrations have in common: judging what a ledger says was
 * applied to it, and the words for a schema this library cannot work with. Knows no SQL.
 */
#ifndef DEED_STORES_MIGRATE_H
#define DEED_STORES_MIGRATE_H

#include "migrations.h"

#include <deed/base.h>

/* A review of the rows of the table `migration`, fed in order of number. */
struct deed__review {
    const char *location;
    const struct deed_migration *known;
    int wanted; /* number of the newest one this library knows */
    int newest; /* number of the last row fed */
};

/* One row: numbers have no gaps, and a known number has the known checksum. */
deed_rc deed__review_row(
    struct deed__review *review, int number, const char *checksum, struct deed_error *err);

/* After the last row: the second mark of the version, kept elsewhere, must agree. */
deed_rc deed__review_end(
    const struct deed__review *review, const char *mark_name, int mark, struct deed_error *err);

/* The refusal of a schema that is not `wanted`. `adoptable`: the recorded-intent table. */
deed_rc deed__migrate_refuse(
    const char *location, int found, int wanted, bool adoptable, struct deed_error *err);

#endif
