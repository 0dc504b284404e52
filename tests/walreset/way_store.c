/* SPDX-License-Identifier: MIT
 *
 * deed's own store on the disk in memory: the functions that are installed, called as the store calls
 * them. Only the control, way_no_rule, leaves the rule out.
 */
#include "disk.h"
#include "image.h"
#include "migrations.h"
#include "sqlite_impl.h"
#include "ways.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NEVER_FULL 1000000U

static struct deed_error last_error;

static void store_close(void *worker)
{
    deed__sqlite_store_free(worker);
}

/* A handle without the looks that opening a ledger takes first, which would be most of a play; closing
 * leaves the log as it is, which is harder. Everything between is the store's. */
static void *store_open(void)
{
    const struct deed_sqlite_options options = {
        .size = sizeof(options), .vfs = DISK_VFS, .checkpoint_pages = NEVER_FULL};
    struct sqlite_store *store = NULL;
    if (deed__sqlite_store_new(DISK_DATABASE, "ledger", &options, &store, &last_error) != DEED_OK) {
        return NULL;
    }
    store->wal_format = true;
    store->standing = STANDING_READY;
    store->version = (int)deed__sqlite_migration_count;
    return store;
}

static deed_rc insert(void *context, deed_tx *tx, struct deed_error *err)
{
    const struct row *row = context;
    char key[24];
    struct deed_intent_row intent;
    char *body = malloc((size_t)row->bytes);
    if (body == NULL) {
        return DEED_E_NOMEM;
    }
    row_body(row, body);
    (void)snprintf(key, sizeof(key), "%08d", row->number);
    memset(&intent, 0, sizeof(intent));
    intent.size = sizeof(intent);
    intent.key = key;
    memset(intent.digest, row->number, sizeof(intent.digest));
    intent.payload_here = true;
    intent.payload.kind = (struct deed_text){"note", 4};
    intent.payload.target = (struct deed_text){"us", 2};
    intent.payload.body = (struct deed_text){body, (size_t)row->bytes};
    intent.state = DEED_RECORDED;
    intent.recorded_ms = INT64_C(1700000000000);
    const deed_rc rc = tx->intent_insert(tx->self, &intent, err);
    free(body);
    return rc;
}

static const char *store_why(void *worker)
{
    (void)worker;
    return last_error.text;
}

static enum answer answer_of(deed_rc rc, const struct deed_error *err)
{
    if (rc == DEED_OK) {
        return ANSWER_DONE;
    }
    last_error = *err;
    return rc == DEED_E_BUSY ? ANSWER_BUSY : ANSWER_FAILED;
}

static enum answer store_commit(void *worker, const struct row *row, bool log_full)
{
    struct sqlite_store *store = worker;
    struct row mine = *row;
    struct deed_error err = {0};
    struct deed_op op = {.size = sizeof(op), .run = insert, .context = &mine};
    store->checkpoint_pages = log_full ? 1 : NEVER_FULL;
    const deed_rc rc = deed__sqlite_write(store, &op, 1, &err);
    return rc == DEED_OK ? answer_of(op.rc, &op.error) : answer_of(rc, &err);
}

static enum answer rule_checkpoint(void *worker)
{
    struct sqlite_store *store = worker;
    struct deed_error err = {0};
    bool whole = false;
    (void)pthread_mutex_lock(&store->write_lock);
    const deed_rc rc = deed__sqlite_checkpoint(store, store->busy_ms, &whole, &err);
    (void)pthread_mutex_unlock(&store->write_lock);
    return answer_of(rc, &err);
}

static enum answer no_rule_checkpoint(void *worker)
{
    struct sqlite_store *store = worker;
    struct connection *writer = NULL;
    struct deed_error err = {0};
    (void)pthread_mutex_lock(&store->write_lock);
    deed_rc rc = deed__sqlite_writer(store, &writer, &err);
    if (rc == DEED_OK) {
        const int code =
            sqlite3_wal_checkpoint_v2(writer->db, "main", SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
        rc = code == SQLITE_OK ? DEED_OK
                               : deed__sqlite_fail(store, writer->db, code, "checkpoint", &err);
    }
    (void)pthread_mutex_unlock(&store->write_lock);
    return answer_of(rc, &err);
}

#define STORE_ROWS "SELECT CAST(key AS INTEGER), body FROM intent ORDER BY key"

struct way way_rule = {
    .name = "rule",
    .rows = STORE_ROWS,
    .open = store_open,
    .commit = store_commit,
    .checkpoint = rule_checkpoint,
    .why = store_why,
    .close = store_close,
};

struct way way_no_rule = {
    .name = "no-rule",
    .rows = STORE_ROWS,
    .open = store_open,
    .commit = store_commit,
    .checkpoint = no_rule_checkpoint,
    .why = store_why,
    .close = store_close,
};

static void remove_files(void)
{
    (void)unlink("begin.db");
    (void)unlink("begin.db-wal");
    (void)unlink("begin.db-shm");
}

/* A new ledger, and of that the one table that is written here: each connection reads the schema. */
static char *schema_of_ledger(void)
{
    static const char path[] = "begin.db";
    const struct deed_sqlite_options options = {.size = sizeof(options), .vfs = "unix"};
    sqlite3 *db = NULL;
    char *sql = NULL;
    remove_files();
    if (deed_sqlite_create(path, &options, &last_error) == DEED_OK &&
        sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, "unix") == SQLITE_OK) {
        sqlite3_stmt *stmt = NULL;
        if (sqlite3_prepare_v2(db,
                "SELECT group_concat(sql, ';') || ';PRAGMA journal_mode = WAL;PRAGMA user_version "
                "= '"
                " || (SELECT user_version FROM pragma_user_version)"
                " FROM (SELECT sql FROM sqlite_schema WHERE tbl_name = 'intent' AND sql IS NOT NULL"
                " ORDER BY rowid)",
                -1, &stmt, NULL) == SQLITE_OK &&
            sqlite3_step(stmt) == SQLITE_ROW) {
            sql = sqlite3_mprintf("%s", sqlite3_column_text(stmt, 0));
        }
        (void)sqlite3_finalize(stmt);
    }
    if (sql == NULL) {
        (void)fprintf(stderr, "%s %s\n", last_error.text, db == NULL ? "" : sqlite3_errmsg(db));
    }
    (void)sqlite3_close(db);
    remove_files();
    return sql;
}

bool store_prepare(void)
{
    sqlite3 *db = NULL;
    char *sql = schema_of_ledger();
    if (sql == NULL) {
        return false;
    }
    disk_load(NULL, 0);
    const bool made = sqlite3_open_v2(DISK_DATABASE, &db,
                          SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, DISK_VFS) == SQLITE_OK &&
        sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK;
    if (!made) {
        (void)fprintf(stderr, "%s\n", sqlite3_errmsg(db));
    }
    (void)sqlite3_close(db);
    sqlite3_free(sql);
    size_t count = 0;
    const void *bytes = disk_bytes(&count);
    return made && image_keep(&way_rule, bytes, count) && image_keep(&way_no_rule, bytes, count);
}
