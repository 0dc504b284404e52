/* SPDX-License-Identifier: MIT
 *
 * What a connection has read of a ledger and need not read again: the version of its schema, its own
 * row, the newest time, and what sqlite_fresh.c keeps. It holds for as long as SQLite lets the pages in memory hold: the data
 * version of the file changes in the moment in which a transaction meets a commit that is not its
 * own, before anything is read in it.
 */
#include "sqlite_impl.h"

#include <stdio.h>
#include <string.h>

/* Zero is a data version too, so whether it could be had is told apart. */
static bool data_version(const struct connection *connection, unsigned *version_out)
{
    return sqlite3_file_control(connection->db, "main", SQLITE_FCNTL_DATA_VERSION, version_out) ==
        SQLITE_OK;
}

void deed__sqlite_known_begin(struct connection *connection)
{
    struct known *known = &connection->known;
    unsigned version = 0;
    const bool told = !connection->immutable && data_version(connection, &version);
    if (!told || !known->told || version != known->data_version) {
        memset(known, 0, sizeof(*known));
    }
    known->told = told;
    known->data_version = version;
}

void deed__sqlite_known_committed(struct connection *connection)
{
    struct known *known = &connection->known;
    known->told = known->told && data_version(connection, &known->data_version);
    if (!known->told) {
        memset(known, 0, sizeof(*known));
    }
}

void deed__sqlite_known_undone(struct connection *connection)
{
    connection->known.ledger_here = false;
    connection->known.newest_here = false;
    connection->known.version_here = false;
    connection->known.fresh = 0;
    connection->known.absent[0] = '\0';
}

void deed__sqlite_known_ledger(struct connection *connection, const struct deed_ledger_row *row)
{
    struct known *known = &connection->known;
    known->ledger = *row;
    known->ledger.name = known->name;
    const int length = snprintf(known->name, sizeof(known->name), "%s", row->name);
    known->ledger_here = known->told && length >= 0 && (size_t)length < sizeof(known->name);
}

void deed__sqlite_known_newest(struct connection *connection, int64_t newest_ms)
{
    connection->known.newest_ms = newest_ms;
    connection->known.newest_here = connection->known.told;
}
