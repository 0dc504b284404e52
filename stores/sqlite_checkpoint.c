/* SPDX-License-Identifier: MIT
 *
 * The only place that checkpoints, and the way back after a commit of unknown fate.
 *
 * The rule: one connection copies the WAL back (PASSIVE, it waits for nobody) while its sibling
 * holds the write lock, so no writer of any process can reset the WAL meanwhile. That closes the
 * race of https://www.sqlite.org/wal.html#walresetbug on every version of SQLite.
 */
#include "sqlite_impl.h"

#include <deed/seam.h>

#include <unistd.h>

/* The next wait of this connection ends after so long, or after busy_ms if that is less. */
static void be_patient(struct connection *connection, int64_t patience_ms)
{
    const int64_t busy_ms = connection->store->busy_ms;
    connection->waited_us = busy_ms > patience_ms ? (busy_ms - patience_ms) * 1000 : 0;
}

static deed_rc sibling(struct sqlite_store *store, int64_t patience_ms, struct deed_error *err)
{
    if (store->sibling == NULL) {
        const deed_rc rc = deed__sqlite_connect(store, ROLE_LOCKER, &store->sibling, err);
        if (rc != DEED_OK) {
            return rc;
        }
    }
    be_patient(store->sibling, patience_ms);
    return DEED_OK;
}

deed_rc deed__sqlite_checkpoint(
    struct sqlite_store *store, int64_t patience_ms, bool *whole_out, struct deed_error *err)
{
    struct connection *writer = NULL;
    *whole_out = false;
    deed_rc rc = deed__sqlite_writer(store, &writer, err);
    if (rc == DEED_OK) {
        rc = sibling(store, patience_ms, err);
    }
    if (rc != DEED_OK) {
        return rc;
    }
    int code = deed__sqlite_run(store->sibling, SLOT_BEGIN_WRITE, "BEGIN IMMEDIATE");
    if (code != SQLITE_OK) {
        return deed__sqlite_fail(store, store->sibling->db, code, "lock for a checkpoint", err);
    }
    deed_seam_cross(DEED_SEAM_CHECKPOINT_LOCKED);
    int in_wal = -1;
    int copied = -1;
    code =
        sqlite3_wal_checkpoint_v2(writer->db, "main", SQLITE_CHECKPOINT_PASSIVE, &in_wal, &copied);
    if (code != SQLITE_OK) {
        rc = deed__sqlite_fail(store, writer->db, code, "checkpoint", err);
    }
    *whole_out = code == SQLITE_OK && in_wal >= 0 && in_wal == copied;
    writer->log_filled = writer->log_filled && !*whole_out;
    code = deed__sqlite_run(store->sibling, SLOT_ROLLBACK, "ROLLBACK");
    if (code != SQLITE_OK) {
        deed__sqlite_disconnect(store->sibling);
        store->sibling = NULL;
    }
    deed_seam_cross(DEED_SEAM_CHECKPOINT_DONE);
    return rc;
}

/* ---- beginning a new WAL ----------------------------------------------------------------- */

static int write_page_one(struct connection *writer)
{
    int64_t version = 0;
    int code = deed__sqlite_run(writer, SLOT_BEGIN_WRITE, "BEGIN IMMEDIATE");
    if (code == SQLITE_OK) {
        code = deed__sqlite_number(writer->db, "PRAGMA main.user_version", &version);
    }
    if (code == SQLITE_OK) {
        char *sql = sqlite3_mprintf("PRAGMA main.user_version = %lld", (long long)version);
        code = sql == NULL ? SQLITE_NOMEM : sqlite3_exec(writer->db, sql, NULL, NULL, NULL);
        sqlite3_free(sql);
    }
    writer->wal_pages = 0;
    if (code == SQLITE_OK) {
        code = deed__sqlite_run(writer, SLOT_COMMIT, "COMMIT");
    }
    return code;
}

deed_rc deed__sqlite_new_wal(
    struct sqlite_store *store, int64_t patience_ms, bool *begun_out, struct deed_error *err)
{
    struct connection *writer = NULL;
    *begun_out = false;
    deed_rc rc = deed__sqlite_writer(store, &writer, err);
    if (writer == NULL) {
        return rc;
    }
    be_patient(writer, patience_ms);
    const int code = write_page_one(writer);
    if (code != SQLITE_OK) {
        rc = deed__sqlite_fail(store, writer->db, code, "begin a new log", err);
        deed__sqlite_drop_writers(store);
        return rc;
    }
    *begun_out = writer->wal_pages == 1;
    return DEED_OK;
}

/* ---- after a commit of unknown fate ------------------------------------------------------ */

/* Why it is not enough to copy the WAL back: frames of the doubtful commit may lie behind the last
 * valid one, and come back to life when the WAL is next recovered; and if an fsync lied, old frames
 * could hide the pages that were copied. A new WAL with new salts ends both. */
static deed_rc settle(struct sqlite_store *store, struct deed_error *err)
{
    bool whole = false;
    bool begun = false;
    deed_rc rc = deed__sqlite_checkpoint(store, store->busy_ms, &whole, err);
    if (rc == DEED_OK && whole) {
        rc = deed__sqlite_new_wal(store, store->busy_ms, &begun, err);
    }
    if (rc == DEED_OK && !begun) {
        rc = deed_error_set(err, DEED_E_STORE, SQLITE_STORE_ORIGIN,
            "%s: a reader keeps the log from being copied back whole, so the last commit is "
            "still in doubt; try again when it has ended",
            store->location);
    }
    return rc;
}

#define SETTLE_ROUNDS 3 /* other writers may come between the two steps */

deed_rc deed__sqlite_recover(void *self, struct deed_error *err)
{
    struct sqlite_store *store = self;
    if (deed__sqlite_forked(store)) {
        return deed__sqlite_enter(store, err);
    }
    (void)pthread_mutex_lock(&store->write_lock);
    (void)pthread_mutex_lock(&store->state_lock);
    const bool doubtful = store->doubtful;
    (void)pthread_mutex_unlock(&store->state_lock);
    deed_rc rc = DEED_OK;
    if (doubtful) {
        /* Nothing that a connection has in memory is believed. */
        deed__sqlite_drop_connections(store);
        for (int round = 0; round < SETTLE_ROUNDS; round++) {
            rc = settle(store, err);
            if (rc == DEED_OK) {
                break;
            }
        }
        if (rc == DEED_OK) {
            (void)pthread_mutex_lock(&store->state_lock);
            store->doubtful = false;
            (void)pthread_mutex_unlock(&store->state_lock);
        } else {
            deed__sqlite_drop_connections(store);
        }
    }
    (void)pthread_mutex_unlock(&store->write_lock);
    return rc;
}
