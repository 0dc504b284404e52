/* SPDX-License-Identifier: MIT
 *
 * Applying migrations: the write lock first, then the version, then the step and both marks, all in
 * one transaction. Whoever comes second waits, sees the new version and goes on. A death at any
 * point leaves the schema of before, whole, or the one after.
 */
#include "migrate.h"
#include "sqlite_impl.h"

#include <deed/seam.h>

#include <stdio.h>
#include <unistd.h>

/* ---- one step ---------------------------------------------------------------------------- */

static int mark_one(struct connection *connection, const struct deed_migration *migration)
{
    sqlite3_stmt *stmt = NULL;
    int code = sqlite3_prepare_v2(connection->db,
        "INSERT INTO migration (number, name, checksum, applied_ms) VALUES (?1, ?2, ?3, ?4)", -1,
        &stmt, NULL);
    if (code == SQLITE_OK) {
        (void)sqlite3_bind_int(stmt, 1, migration->number);
        (void)sqlite3_bind_text(stmt, 2, migration->name, -1, SQLITE_STATIC);
        (void)sqlite3_bind_text(stmt, 3, migration->sha256, -1, SQLITE_STATIC);
        (void)sqlite3_bind_int64(stmt, 4, deed__sqlite_now_ms(connection->store));
        code = sqlite3_step(stmt);
    }
    (void)sqlite3_finalize(stmt);
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

/* The first step is the table we started from and knows no table `migration`: its row is written
 * with that of the second. */
static int mark(struct connection *connection, int number)
{
    char marks[96];
    (void)snprintf(marks, sizeof(marks),
        "PRAGMA main.application_id = %d; PRAGMA main.user_version = %d;",
        number == 1 ? 0 : SQLITE_APPLICATION_ID, number == 1 ? 0 : number);
    int code = sqlite3_exec(connection->db, marks, NULL, NULL, NULL);
    for (int i = number == 2 ? 1 : number; code == SQLITE_OK && number > 1 && i <= number; i++) {
        code = mark_one(connection, &deed__sqlite_migrations[i - 1]);
    }
    return code;
}

static deed_rc step_fail(
    struct connection *connection, int code, int number, struct deed_error *err)
{
    char what[64];
    (void)snprintf(what, sizeof(what), "migration %04d", number);
    return deed__sqlite_fail(connection->store, connection->db, code, what, err);
}

/* How far the file is, inside the transaction that holds the write lock. 0: no table at all, in a
 * file that is being built. */
static deed_rc found_version(struct connection *connection, int *found_out, struct deed_error *err)
{
    int64_t objects = 0;
    const int code =
        deed__sqlite_number(connection->db, "SELECT count(*) FROM sqlite_schema", &objects);
    if (code != SQLITE_OK) {
        return deed__sqlite_fail(connection->store, connection->db, code, "migrate", err);
    }
    if (objects == 0) {
        *found_out = 0;
        return DEED_OK;
    }
    enum standing standing = STANDING_READY;
    const deed_rc rc =
        deed__sqlite_standing(connection->store, connection->db, &standing, found_out, err);
    if (rc == DEED_OK && standing == STANDING_NEWER) {
        return deed__sqlite_refuse_standing(connection->store, standing, *found_out, err);
    }
    return rc;
}

/* Inside the transaction. `*number_out`: the step that was written; 0 when there was none. */
static deed_rc write_step(struct connection *connection, int *number_out, struct deed_error *err)
{
    int found = 0;
    const deed_rc rc = found_version(connection, &found, err);
    if (rc != DEED_OK || found >= (int)deed__sqlite_migration_count) {
        return rc;
    }
    const struct deed_migration *migration = &deed__sqlite_migrations[found];
    int code = sqlite3_exec(connection->db, migration->sql, NULL, NULL, NULL);
    if (code == SQLITE_OK) {
        code = mark(connection, migration->number);
    }
    if (code != SQLITE_OK) {
        return step_fail(connection, code, migration->number, err);
    }
    *number_out = migration->number;
    deed_seam_cross(DEED_SEAM_MIGRATE_WRITTEN);
    return DEED_OK;
}

static deed_rc commit_step(struct connection *connection, int number, struct deed_error *err)
{
    const int code = deed__sqlite_run(connection, SLOT_COMMIT, "COMMIT");
    if (code != SQLITE_OK) {
        (void)step_fail(connection, code, number, err);
        deed_error_context(err, "the commit may or may not be there");
        if (err != NULL) {
            err->rc = DEED_E_STORE;
        }
        deed__sqlite_doubt(connection->store);
        return DEED_E_STORE;
    }
    deed_seam_cross(DEED_SEAM_MIGRATE_COMMITTED);
    return DEED_OK;
}

/* Applies the next step, if there is one. `*number_out`: which; 0 when there was none. */
static deed_rc step(struct connection *connection, int *number_out, struct deed_error *err)
{
    *number_out = 0;
    connection->waited_us = 0;
    const int code = deed__sqlite_run(connection, SLOT_BEGIN_WRITE, "BEGIN IMMEDIATE");
    if (code != SQLITE_OK) {
        return deed__sqlite_fail(connection->store, connection->db, code, "begin to migrate", err);
    }
    deed_rc rc = write_step(connection, number_out, err);
    if (rc == DEED_OK && *number_out != 0) {
        rc = commit_step(connection, *number_out, err);
    }
    if (sqlite3_get_autocommit(connection->db) == 0) {
        (void)deed__sqlite_run(connection, SLOT_ROLLBACK, "ROLLBACK");
    }
    return rc;
}

deed_rc deed__sqlite_apply(struct connection *connection, deed_migration_visit visit, void *context,
    struct deed_error *err)
{
    for (;;) {
        int number = 0;
        const deed_rc rc = step(connection, &number, err);
        if (rc != DEED_OK || number == 0) {
            return rc;
        }
        if (visit != NULL) {
            visit(context, number, deed__sqlite_migrations[number - 1].name);
        }
    }
}

/* ---- the whole --------------------------------------------------------------------------- */

/* The table of the recorded-intent program lies in a file with a rollback journal. WAL comes
 * first: it changes two bytes of the header and is durable by itself, and what is left is the same
 * table; the mark that the file is ours comes with the first step, in one transaction. */
static int ask_for_wal(struct connection *connection, bool *wal_out)
{
    sqlite3_stmt *stmt = NULL;
    int code =
        sqlite3_prepare_v2(connection->db, "PRAGMA main.journal_mode = WAL", -1, &stmt, NULL);
    if (code == SQLITE_OK) {
        code = sqlite3_step(stmt);
    }
    if (code == SQLITE_ROW) {
        code = SQLITE_OK;
        const char *mode = deed__sqlite_text(stmt, 0, &code);
        *wal_out = mode != NULL && sqlite3_stricmp(mode, "wal") == 0;
    }
    const int end = sqlite3_finalize(stmt);
    return code == SQLITE_OK ? end : code;
}

static deed_rc switch_to_wal(struct connection *connection, struct deed_error *err)
{
    struct sqlite_store *store = connection->store;
    bool wal = false;
    connection->waited_us = 0;
    int code = ask_for_wal(connection, &wal);
    /* The pragma reads before it locks, and for that SQLite does not call the busy handler. */
    for (int times = 0; (code & 0xff) == SQLITE_BUSY && deed__sqlite_wait(connection, times) != 0;
         times++) {
        code = ask_for_wal(connection, &wal);
    }
    if (code != SQLITE_OK) {
        return deed__sqlite_fail(store, connection->db, code, "switch to WAL", err);
    }
    if (!wal) {
        return deed_error_set(err, DEED_E_STORE, SQLITE_STORE_ORIGIN,
            "%s: cannot be switched to WAL; is it on a local disk?", store->location);
    }
    return DEED_OK;
}

/* So that the header of the file shows the new version to whoever looks without the WAL. What was
 * applied stays applied, whatever becomes of this. */
static void show_version(struct sqlite_store *store)
{
    enum standing standing = STANDING_READY;
    int version = 0;
    bool whole = false;
    if (deed__sqlite_look_again(store, &standing, &version, NULL) == DEED_OK &&
        standing == STANDING_READY) {
        (void)deed__sqlite_checkpoint(store, store->busy_ms, &whole, NULL);
    }
}

static deed_rc dry_run_all(
    struct sqlite_store *store, deed_migration_visit visit, void *context, struct deed_error *err)
{
    enum standing standing = STANDING_READY;
    int version = 0;
    const deed_rc rc = deed__sqlite_look_again(store, &standing, &version, err);
    if (rc == DEED_OK && standing == STANDING_NEWER) {
        return deed__sqlite_refuse_standing(store, standing, version, err);
    }
    for (int i = version; rc == DEED_OK && visit != NULL && i < (int)deed__sqlite_migration_count;
         i++) {
        visit(context, i + 1, deed__sqlite_migrations[i].name);
    }
    return rc;
}

static deed_rc migrate_all(
    struct sqlite_store *store, deed_migration_visit visit, void *context, struct deed_error *err)
{
    struct connection *connection = NULL;
    deed_rc rc = deed__sqlite_connect(store, ROLE_MIGRATOR, &connection, err);
    if (rc == DEED_OK) {
        rc = switch_to_wal(connection, err);
    }
    if (rc == DEED_OK) {
        store->wal_format = true;
        rc = deed__sqlite_apply(connection, visit, context, err);
    }
    deed__sqlite_disconnect(connection);
    deed__sqlite_drop_connections(store);
    if (rc == DEED_OK) {
        show_version(store);
    }
    return rc;
}

deed_rc deed__sqlite_migrate(
    void *self, bool dry_run, deed_migration_visit visit, void *context, struct deed_error *err)
{
    struct sqlite_store *store = self;
    if (deed__sqlite_forked(store)) {
        return deed__sqlite_enter(store, err);
    }
    (void)pthread_mutex_lock(&store->write_lock);
    deed_rc rc = deed__sqlite_enter(store, err);
    if (rc == DEED_OK && dry_run) {
        rc = dry_run_all(store, visit, context, err);
    } else if (rc == DEED_OK && store->read_only) {
        rc = deed_error_set(err, DEED_E_STORE, SQLITE_STORE_ORIGIN, "%s cannot be migrated: %s",
            store->location, store->read_only_reason);
    } else if (rc == DEED_OK) {
        rc = migrate_all(store, visit, context, err);
    }
    (void)pthread_mutex_unlock(&store->write_lock);
    return rc;
}
