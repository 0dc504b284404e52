/* SPDX-License-Identifier: MIT
 *
 * migrations.h - the numbered SQL of each dialect, embedded at build time (cmake/EmbedSql.cmake).
 */
#ifndef DEED_STORES_MIGRATIONS_H
#define DEED_STORES_MIGRATIONS_H

#include <stddef.h>

struct deed_migration {
    int number;         /* 1, 2, ... without gaps */
    const char *name;   /* "recorded" of 0001_recorded.sql */
    const char *sha256; /* of the file, lower-case hex; as in migrations/SHA256SUMS */
    const char *sql;    /* the whole file, ends with NUL */
};

/* In order; a row with number 0 ends it. */
extern const struct deed_migration deed__sqlite_migrations[];
extern const size_t deed__sqlite_migration_count;

#endif /* DEED_STORES_MIGRATIONS_H */
