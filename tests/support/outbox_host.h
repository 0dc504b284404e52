/* SPDX-License-Identifier: MIT
 *
 * A host with an outbox: a SQLite database of its own, in which it keeps orders. Each order is a row
 * of its table and a row of the outbox, in one transaction.
 */
#ifndef DEED_TESTS_OUTBOX_HOST_H
#define DEED_TESTS_OUTBOX_HOST_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include <deed/outbox.h>

static inline bool host_sql(sqlite3 *host, const char *sql)
{
    return sqlite3_exec(host, sql, NULL, NULL, NULL) == SQLITE_OK;
}

/* Freed by sqlite3_close, on failure too. `mode` is a journal mode of SQLite. */
static inline sqlite3 *host_open(const char *path, const char *mode)
{
    sqlite3 *host = NULL;
    char *sql = sqlite3_mprintf("PRAGMA journal_mode = %s;"
                                "CREATE TABLE IF NOT EXISTS orders (name TEXT PRIMARY KEY) STRICT;"
                                "%s;",
        mode, deed_outbox_table());
    if (sqlite3_open(path, &host) != SQLITE_OK || sqlite3_busy_timeout(host, 20000) != SQLITE_OK ||
        sql == NULL || !host_sql(host, sql)) {
        (void)sqlite3_close(host);
        host = NULL;
    }
    sqlite3_free(sql);
    return host;
}

/* Of one row; as the library offers it. */
static inline bool host_put(
    sqlite3 *host, const char *key, const struct deed_payload *payload, int64_t not_after_ms)
{
    sqlite3_stmt *insert = NULL;
    const struct deed_text texts[] = {payload->kind, payload->target, payload->body};
    bool put = sqlite3_prepare_v2(host, deed_outbox_insert(), -1, &insert, NULL) == SQLITE_OK &&
        sqlite3_bind_text(insert, 1, key, -1, SQLITE_STATIC) == SQLITE_OK;
    for (int i = 0; put && i < 3; i++) {
        put = sqlite3_bind_text(insert, i + 2, texts[i].data, (int)texts[i].bytes, SQLITE_STATIC) ==
            SQLITE_OK;
    }
    if (put && not_after_ms != 0) {
        put = sqlite3_bind_int64(insert, 5, not_after_ms) == SQLITE_OK;
    }
    put = put && sqlite3_step(insert) == SQLITE_DONE;
    (void)sqlite3_finalize(insert);
    return put;
}

/* An order and its row, both or neither. */
static inline bool host_order(sqlite3 *host, const char *key, const struct deed_payload *payload)
{
    char *sql = sqlite3_mprintf("INSERT INTO orders VALUES (%Q)", key);
    bool done = sql != NULL && host_sql(host, "BEGIN IMMEDIATE") && host_sql(host, sql) &&
        host_put(host, key, payload, 0) && host_sql(host, "COMMIT");
    if (!done && sqlite3_get_autocommit(host) == 0) {
        (void)host_sql(host, "ROLLBACK");
    }
    sqlite3_free(sql);
    return done;
}

/* The one integer of a question; -1 if there is none. */
static inline int64_t host_number(sqlite3 *host, const char *sql)
{
    sqlite3_stmt *stmt = NULL;
    int64_t number = -1;
    if (sqlite3_prepare_v2(host, sql, -1, &stmt, NULL) == SQLITE_OK &&
        sqlite3_step(stmt) == SQLITE_ROW) {
        number = sqlite3_column_int64(stmt, 0);
    }
    (void)sqlite3_finalize(stmt);
    return number;
}

#define HOST_ROWS "SELECT count(*) FROM deed_outbox"

#endif
