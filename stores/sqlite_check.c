/* SPDX-License-Identifier: MIT
 *
 * Integrity of the file: its pages, the constraints of its tables, and that the tables are ours.
 * What the rows mean is checked by the core.
 */
#include "sqlite_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_BYTES 200 /* of a complaint of SQLite */

/* SQLite also complains of a page that it could not read, or had no memory for; that says nothing of
 * the page. SQLITE_OK: the complaint is one about the file. (The texts are those of checkTreePage and
 * checkList in its btree.c; a page that is broken is told by SQLITE_CORRUPT.) */
static int code_in(const char *complaint)
{
    static const char mark[] = "error code=";
    const char *at = strstr(complaint, mark);
    if (at == NULL) {
        return strstr(complaint, "failed to get page") != NULL ? SQLITE_IOERR_READ : SQLITE_OK;
    }
    const int code = (int)strtol(at + sizeof(mark) - 1, NULL, 10);
    return (code & 0xff) == SQLITE_CORRUPT ? SQLITE_OK : code;
}

/* Rows whose first column is not `fine`. */
struct wrong {
    const char *fine; /* NULL: every row is wrong */
    char first[FIRST_BYTES];
    int count;
};

static int look_at_row(sqlite3_stmt *stmt, struct wrong *wrong)
{
    int code = SQLITE_OK;
    const char *text = deed__sqlite_text(stmt, 0, &code);
    if (code != SQLITE_OK) {
        return code;
    }
    if (text != NULL && wrong->fine != NULL) {
        if (strcmp(text, wrong->fine) == 0) {
            return SQLITE_OK;
        }
        code = code_in(text);
    }
    if (code == SQLITE_OK && wrong->count++ == 0) {
        (void)snprintf(wrong->first, sizeof(wrong->first), "%s", text == NULL ? "" : text);
    }
    return code;
}

static int count_wrong(sqlite3 *db, const char *sql, struct wrong *wrong)
{
    sqlite3_stmt *stmt = NULL;
    int code = sqlite3_prepare_v2(db, sql, -1, &stmt, NULL);
    while (code == SQLITE_OK && (code = sqlite3_step(stmt)) == SQLITE_ROW) {
        code = look_at_row(stmt, wrong);
    }
    (void)sqlite3_finalize(stmt);
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

static deed_rc expect_nothing(struct connection *connection, const char *sql, const char *fine,
    const char *complaint, struct deed_error *err)
{
    struct sqlite_store *store = connection->store;
    struct wrong wrong = {.fine = fine};
    const int code = count_wrong(connection->db, sql, &wrong);
    if ((code & 0xff) == SQLITE_CORRUPT || (code & 0xff) == SQLITE_NOTADB) {
        return deed_error_set(err, DEED_E_CHECK, SQLITE_STORE_ORIGIN, "%s: %s: %s", store->location,
            complaint, sqlite3_errmsg(connection->db));
    }
    if (code != SQLITE_OK) {
        return deed__sqlite_fail(store, connection->db, code, "check", err);
    }
    if (wrong.count > 0) {
        return deed_error_set(err, DEED_E_CHECK, SQLITE_STORE_ORIGIN, "%s: %s: %s%s",
            store->location, complaint, wrong.first, wrong.count > 1 ? " (and more)" : "");
    }
    return DEED_OK;
}

static deed_rc check_with(struct connection *connection, struct deed_error *err)
{
    struct sqlite_store *store = connection->store;
    enum standing standing = STANDING_READY;
    int version = 0;
    deed_rc rc = expect_nothing(connection, "PRAGMA main.integrity_check(20)", "ok",
        "its pages or constraints are broken", err);
    if (rc == DEED_OK) {
        rc = deed__sqlite_standing(store, connection->db, &standing, &version, err);
    }
    if (rc == DEED_OK && standing == STANDING_READY) {
        rc = deed__sqlite_schema_compare(store, connection->db, err);
    }
    if (rc == DEED_OK) {
        rc = expect_nothing(connection, "PRAGMA main.foreign_key_check", NULL,
            "a row refers to one that is not there, in table", err);
    }
    if (rc == DEED_OK && standing == STANDING_READY) {
        rc = expect_nothing(connection,
            "SELECT id FROM (SELECT id, newest_ms, lag(newest_ms) OVER (ORDER BY id) AS before_ms "
            "FROM event) WHERE newest_ms < before_ms",
            NULL, "the newest time it has seen fell, in event", err);
    }
    return rc;
}

/* SQLite does not even read CHECK constraints on a connection that may not write, so the check has
 * one that may and does not. A file that can only be read is checked without them. */
static deed_rc connect_to_check(
    struct sqlite_store *store, struct connection **connection_out, struct deed_error *err)
{
    const enum role role = store->read_only ? ROLE_READER : ROLE_MIGRATOR;
    struct connection *connection = NULL;
    const deed_rc rc = deed__sqlite_connect(store, role, &connection, err);
    if (connection == NULL) {
        return rc;
    }
    const int code = sqlite3_exec(connection->db, "PRAGMA query_only = ON", NULL, NULL, NULL);
    if (code != SQLITE_OK) {
        const deed_rc failed = deed__sqlite_fail(store, connection->db, code, "check", err);
        deed__sqlite_disconnect(connection);
        return failed;
    }
    *connection_out = connection;
    return DEED_OK;
}

deed_rc deed__sqlite_check(void *self, struct deed_error *err)
{
    struct sqlite_store *store = self;
    struct connection *connection = NULL;
    deed_rc rc = deed__sqlite_enter(store, err);
    if (rc == DEED_OK) {
        rc = connect_to_check(store, &connection, err);
    }
    if (connection != NULL) {
        rc = check_with(connection, err);
    }
    deed__sqlite_disconnect(connection);
    return rc;
}
