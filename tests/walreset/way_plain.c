/* SPDX-License-Identifier: MIT */
#include "disk.h"
#include "image.h"
#include "ways.h"

#include <sqlite3.h>
#include <stdlib.h>

#define WAITS_MAX 1000

static int wait_for_turn(void *context, int times)
{
    (void)context;
    turns_wait();
    return times < WAITS_MAX;
}

static const char *plain_why(void *worker)
{
    return sqlite3_errmsg(worker);
}

static void plain_close(void *worker)
{
    (void)sqlite3_close(worker);
}

static void *plain_open(void)
{
    sqlite3 *db = NULL;
    int code =
        sqlite3_open_v2(DISK_DATABASE, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, DISK_VFS);
    if (code == SQLITE_OK) {
        code = sqlite3_busy_handler(db, wait_for_turn, NULL);
    }
    if (code == SQLITE_OK) {
        code = sqlite3_exec(db,
            "PRAGMA temp_store = MEMORY; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0",
            NULL, NULL, NULL);
    }
    if (code != SQLITE_OK) {
        plain_close(db);
        db = NULL;
    }
    return db;
}

static enum answer answer_of(sqlite3 *db, int code)
{
    if (code != SQLITE_OK && sqlite3_get_autocommit(db) == 0) {
        (void)sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
    }
    if (code == SQLITE_OK) {
        return ANSWER_DONE;
    }
    return (code & 0xff) == SQLITE_BUSY ? ANSWER_BUSY : ANSWER_FAILED;
}

static enum answer plain_commit(void *worker, const struct row *row, bool log_full)
{
    (void)log_full;
    sqlite3 *db = worker;
    sqlite3_stmt *stmt = NULL;
    char *body = malloc((size_t)row->bytes);
    if (body == NULL) {
        return ANSWER_FAILED;
    }
    row_body(row, body);
    int code = sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL);
    if (code == SQLITE_OK) {
        code = sqlite3_prepare_v2(db, "INSERT INTO note VALUES (?, ?)", -1, &stmt, NULL);
    }
    if (code == SQLITE_OK) {
        (void)sqlite3_bind_int(stmt, 1, row->number);
        (void)sqlite3_bind_blob(stmt, 2, body, row->bytes, SQLITE_STATIC);
        (void)sqlite3_step(stmt);
        code = sqlite3_finalize(stmt);
    }
    if (code == SQLITE_OK) {
        code = sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
    }
    free(body);
    return answer_of(db, code);
}

static enum answer plain_checkpoint(void *worker)
{
    sqlite3 *db = worker;
    return answer_of(
        db, sqlite3_wal_checkpoint_v2(db, "main", SQLITE_CHECKPOINT_PASSIVE, NULL, NULL));
}

struct way way_plain = {
    .name = "plain",
    .rows = "SELECT number, body FROM note ORDER BY number",
    .open = plain_open,
    .commit = plain_commit,
    .checkpoint = plain_checkpoint,
    .why = plain_why,
    .close = plain_close,
};

bool plain_prepare(void)
{
    disk_load(NULL, 0);
    sqlite3 *db = plain_open();
    bool made = db != NULL &&
        sqlite3_exec(db,
            "PRAGMA page_size = 1024; PRAGMA journal_mode = WAL;"
            "CREATE TABLE note (number INTEGER PRIMARY KEY, body BLOB)",
            NULL, NULL, NULL) == SQLITE_OK;
    plain_close(db);
    size_t bytes = 0;
    const void *image = disk_bytes(&bytes);
    return made && image_keep(&way_plain, image, bytes);
}
