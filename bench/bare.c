/* SPDX-License-Identifier: MIT
 *
 * bare.c - what deed is compared with: the fastest loops on plain SQLite that keep what they
 * acknowledge. One table, prepared statements, WAL, synchronous = FULL, pages of 2,048 bytes as a
 * ledger has, and SQLite's own automatic checkpoint at its usual 4 MB. Nothing here keeps an action
 * from happening twice.
 */
#include "bench.h"

#include <openssl/evp.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char schema[] = "CREATE TABLE IF NOT EXISTS action ("
                             "key TEXT PRIMARY KEY, digest BLOB NOT NULL, state INTEGER NOT NULL, "
                             "kind TEXT NOT NULL, target TEXT NOT NULL, body TEXT NOT NULL)";

struct bare {
    sqlite3 *db;
    sqlite3_stmt *insert;
    sqlite3_stmt *update;
    sqlite3_stmt *select;
};

static bool complain(const struct bare *bare, const char *what)
{
    (void)fprintf(stderr, "bench: bare loop: %s: %s\n", what, sqlite3_errmsg(bare->db));
    return false;
}

static void bare_close(void *self)
{
    struct bare *bare = self;
    (void)sqlite3_finalize(bare->insert);
    (void)sqlite3_finalize(bare->update);
    (void)sqlite3_finalize(bare->select);
    (void)sqlite3_close(bare->db); /* copies the WAL back and removes it */
    free(bare);
}

static bool prepare(struct bare *bare, const char *sql, sqlite3_stmt **stmt_out)
{
    return sqlite3_prepare_v3(bare->db, sql, -1, SQLITE_PREPARE_PERSISTENT, stmt_out, NULL) ==
        SQLITE_OK;
}

static void *bare_open(const char *path)
{
    struct bare *bare = calloc(1, sizeof(*bare));
    if (bare == NULL) {
        return NULL;
    }
    const bool ready = sqlite3_open(path, &bare->db) == SQLITE_OK &&
        sqlite3_exec(bare->db,
            "PRAGMA page_size = 2048; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; "
            "PRAGMA wal_autocheckpoint = 2000",
            NULL, NULL, NULL) == SQLITE_OK &&
        sqlite3_exec(bare->db, schema, NULL, NULL, NULL) == SQLITE_OK &&
        prepare(bare, "INSERT INTO action VALUES (?1, ?2, 1, ?3, ?4, ?5)", &bare->insert) &&
        prepare(bare, "UPDATE action SET state = 2 WHERE key = ?1", &bare->update) &&
        prepare(bare, "SELECT digest FROM action WHERE key = ?1", &bare->select);
    if (!ready) {
        (void)complain(bare, "open");
        bare_close(bare);
        return NULL;
    }
    return bare;
}

/* One statement is one transaction, and one commit. */
static bool insert(struct bare *bare, const struct action *action)
{
    sqlite3_stmt *stmt = bare->insert;
    (void)sqlite3_bind_text(stmt, 1, action->key, -1, SQLITE_STATIC);
    (void)sqlite3_bind_blob(stmt, 2, action->digest, sizeof(action->digest), SQLITE_STATIC);
    (void)sqlite3_bind_text(stmt, 3, action->kind, -1, SQLITE_STATIC);
    (void)sqlite3_bind_text(stmt, 4, action->target, -1, SQLITE_STATIC);
    (void)sqlite3_bind_text(stmt, 5, action->body, -1, SQLITE_STATIC);
    const bool done = sqlite3_step(stmt) == SQLITE_DONE;
    (void)sqlite3_reset(stmt);
    return done || complain(bare, "insert");
}

static bool bare_record(void *self, const struct action *action)
{
    return insert(self, action);
}

static bool bare_cycle(void *self, const struct action *action)
{
    struct bare *bare = self;
    if (!insert(bare, action)) {
        return false;
    }
    (void)sqlite3_bind_text(bare->update, 1, action->key, -1, SQLITE_STATIC);
    const bool done = sqlite3_step(bare->update) == SQLITE_DONE;
    (void)sqlite3_reset(bare->update);
    return done || complain(bare, "update");
}

/* Is it there, and is it the same? */
static bool bare_repeat(void *self, const struct action *action)
{
    struct bare *bare = self;
    uint8_t digest[EVP_MAX_MD_SIZE];
    char text[BODY_ROOM + 256];
    const int bytes =
        snprintf(text, sizeof(text), "{\"body\":\"%s\",\"kind\":\"%s\",\"target\":\"%s\"}",
            action->body, action->kind, action->target);
    if (EVP_Digest(text, (size_t)bytes, digest, NULL, EVP_sha256(), NULL) != 1) {
        return complain(bare, "digest");
    }
    (void)sqlite3_bind_text(bare->select, 1, action->key, -1, SQLITE_STATIC);
    const bool same = sqlite3_step(bare->select) == SQLITE_ROW &&
        sqlite3_column_bytes(bare->select, 0) == (int)sizeof(action->digest) &&
        memcmp(sqlite3_column_blob(bare->select, 0), digest, sizeof(action->digest)) == 0;
    (void)sqlite3_reset(bare->select);
    return same || complain(bare, "select");
}

static bool bare_once(const char *path, const struct action *action)
{
    struct bare *bare = bare_open(path);
    if (bare == NULL) {
        return false;
    }
    const bool done = insert(bare, action);
    bare_close(bare);
    return done;
}

const struct side bare_side = {
    .open = bare_open,
    .close = bare_close,
    .record = bare_record,
    .cycle = bare_cycle,
    .repeat = bare_repeat,
    .once = bare_once,
};
