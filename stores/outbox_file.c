/* SPDX-License-Identifier: MIT */
#include "outbox_file.h"

#include <deed/ext/error.h>

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "sqlite_impl.h"

#define BUSY_MS 10000

/* ---- errors ------------------------------------------------------------------------------ */

static deed_rc out_of_memory(struct deed_error *err)
{
    return deed_error_set(err, DEED_E_NOMEM, OUTBOX_ORIGIN, "out of memory");
}

/* What SQLite said about the host's file. Never quotes a value: SQLite's own words do not. */
static deed_rc fail(
    const struct outbox_file *file, int code, const char *what, struct deed_error *err)
{
    const int plain = code & 0xff;
    if (plain == SQLITE_NOMEM) {
        return out_of_memory(err);
    }
    const bool busy = plain == SQLITE_BUSY || plain == SQLITE_LOCKED;
    const char *said = busy ? "somebody else kept it locked for 10 s; drain again later"
        : file->db != NULL && sqlite3_extended_errcode(file->db) == code ? sqlite3_errmsg(file->db)
                                                                         : sqlite3_errstr(code);
    const deed_rc rc = deed_error_set(err, busy ? DEED_E_BUSY : DEED_E_SYSTEM, OUTBOX_ORIGIN,
        "%s: %s: %s", file->name, what, said);
    deed_error_native(err, code);
    return rc;
}

static deed_rc refuse(const struct outbox_file *file, const char *why, struct deed_error *err)
{
    return deed_error_set(err, DEED_E_INVALID, OUTBOX_ORIGIN, "%s: %s", file->name, why);
}

/* ---- opening ----------------------------------------------------------------------------- */

static int configure(sqlite3 *db, bool checkpoints)
{
    int code =
        sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, checkpoints ? 0 : 1, (int *)NULL);
    if (code == SQLITE_OK) {
        code = sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)NULL);
    }
    if (code == SQLITE_OK) {
        code = sqlite3_wal_autocheckpoint(db, 0);
    }
    return code;
}

static deed_rc open_database(struct outbox_file *file, struct deed_error *err)
{
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE |
        SQLITE_OPEN_EXRESCODE;
    int code = sqlite3_open_v2(file->name, &file->db, flags, NULL);
    if ((code & 0xff) == SQLITE_CANTOPEN) {
        return refuse(file,
            "there is no such file, or it cannot be opened; name the database in which your own "
            "transactions write the outbox",
            err);
    }
    if (code == SQLITE_OK) {
        code = configure(file->db, false); /* it may turn out to be a ledger */
    }
    if (code == SQLITE_OK) {
        code = sqlite3_busy_timeout(file->db, BUSY_MS);
    }
    return code == SQLITE_OK ? DEED_OK : fail(file, code, "open", err);
}

/* No ledger is an outbox: its file holds our tables only, and only we write it. */
static deed_rc refuse_ledger(struct outbox_file *file, struct deed_error *err)
{
    int64_t application_id = 0;
    const int code = deed__sqlite_number(file->db, "PRAGMA main.application_id", &application_id);
    if ((code & 0xff) == SQLITE_NOTADB) {
        return refuse(file, "it is no SQLite database", err);
    }
    if (code != SQLITE_OK) {
        return fail(file, code, "open", err);
    }
    if (application_id == SQLITE_APPLICATION_ID) {
        return refuse(file,
            "it is a ledger; an outbox lies in the host's own database, where the host's "
            "transactions are",
            err);
    }
    return DEED_OK;
}

/* Rows are found again, taken out and passed by their id alone: it names one row, and is a number. */
static deed_rc refuse_other_id(struct outbox_file *file, struct deed_error *err)
{
    int64_t named = 0;
    const int code = deed__sqlite_number(file->db,
        "SELECT count(*) = 1 AND min(lower(name) = 'id' AND upper(type) = 'INTEGER')"
        " FROM pragma_table_info('" OUTBOX_TABLE "', 'main') WHERE pk > 0",
        &named);
    if (code != SQLITE_OK) {
        return fail(file, code, "open", err);
    }
    return named == 1 ? DEED_OK
                      : refuse(file,
                            "its table " OUTBOX_TABLE " is not the one deed_outbox_table() makes: "
                            "id is not its INTEGER PRIMARY KEY",
                            err);
}

static deed_rc refuse_no_table(struct outbox_file *file, struct deed_error *err)
{
    int64_t count = 0;
    const int code = deed__sqlite_number(file->db,
        "SELECT count(*) FROM main.sqlite_schema WHERE type = 'table' AND name = '" OUTBOX_TABLE
        "'",
        &count);
    if (code != SQLITE_OK) {
        return fail(file, code, "open", err);
    }
    if (count == 0) {
        return refuse(file,
            "it has no table " OUTBOX_TABLE "; run the SQL of deed_outbox_table() on the host's "
            "own connection",
            err);
    }
    const deed_rc rc = refuse_other_id(file, err);
    if (rc != DEED_OK) {
        return rc;
    }
    return sqlite3_db_readonly(file->db, "main") == 1
        ? deed_error_set(err, DEED_E_SYSTEM, OUTBOX_ORIGIN,
              "%s: it cannot be written, so nothing could leave the outbox; nothing was recorded",
              file->name)
        : DEED_OK;
}

#define COLUMNS    "id, action_key, kind, target, body, not_after_ms"
#define FROM_TABLE " FROM main." OUTBOX_TABLE

static deed_rc prepare(struct outbox_file *file, struct deed_error *err)
{
    const struct {
        const char *sql;
        sqlite3_stmt **stmt;
    } statements[] = {
        {"SELECT " COLUMNS FROM_TABLE " WHERE refused IS NULL AND id >= ?1 ORDER BY id LIMIT ?2",
            &file->next},
        {"SELECT " COLUMNS FROM_TABLE " WHERE refused IS NULL AND id = ?1", &file->again},
        {"DELETE" FROM_TABLE " WHERE id = ?1", &file->take},
        {"UPDATE main." OUTBOX_TABLE " SET refused = ?2 WHERE id = ?1", &file->mark},
    };
    for (size_t i = 0; i < sizeof(statements) / sizeof(statements[0]); i++) {
        const int code = sqlite3_prepare_v3(
            file->db, statements[i].sql, -1, SQLITE_PREPARE_PERSISTENT, statements[i].stmt, NULL);
        if (code == SQLITE_ERROR) {
            return deed_error_set(err, DEED_E_INVALID, OUTBOX_ORIGIN,
                "%s: its table " OUTBOX_TABLE " is not the one deed_outbox_table() makes: %s",
                file->name, sqlite3_errmsg(file->db));
        }
        if (code != SQLITE_OK) {
            return fail(file, code, "open", err);
        }
    }
    return DEED_OK;
}

deed_rc deed__outbox_open(const char *name, struct outbox_file **file_out, struct deed_error *err)
{
    struct outbox_file *file = sqlite3_malloc64(sizeof(*file));
    if (file == NULL) {
        return out_of_memory(err);
    }
    memset(file, 0, sizeof(*file));
    file->name = name;
    file->from_id = INT64_MIN;
    deed_rc rc = open_database(file, err);
    if (rc == DEED_OK) {
        rc = refuse_ledger(file, err);
    }
    if (rc == DEED_OK) {
        rc = refuse_no_table(file, err);
    }
    if (rc == DEED_OK) {
        rc = prepare(file, err);
    }
    if (rc == DEED_OK && configure(file->db, true) != SQLITE_OK) {
        rc = fail(file, SQLITE_ERROR, "open", err);
    }
    if (rc == DEED_OK) {
        *file_out = file;
        file = NULL;
    }
    deed__outbox_close(file);
    return rc;
}

static void forget_rows(struct outbox_file *file)
{
    for (size_t i = 0; i < file->count; i++) {
        sqlite3_free(file->rows[i].key);
    }
    file->count = 0;
}

void deed__outbox_close(struct outbox_file *file)
{
    if (file == NULL) {
        return;
    }
    forget_rows(file);
    (void)sqlite3_finalize(file->next);
    (void)sqlite3_finalize(file->again);
    (void)sqlite3_finalize(file->take);
    (void)sqlite3_finalize(file->mark);
    (void)sqlite3_close_v2(file->db); /* what was open is rolled back */
    sqlite3_free(file);
}

/* ---- one row ----------------------------------------------------------------------------- */

enum column {
    COLUMN_ID,
    COLUMN_KEY,
    COLUMN_KIND,
    COLUMN_TARGET,
    COLUMN_BODY,
    COLUMN_NOT_AFTER,
};

static const struct {
    enum column column;
    const char *name;
    int bytes_max;
} texts[] = {
    {COLUMN_KEY, "action_key", DEED_KEY_BYTES_MAX},
    {COLUMN_KIND, "kind", DEED_TEXT_BYTES_MAX},
    {COLUMN_TARGET, "target", DEED_TEXT_BYTES_MAX},
    {COLUMN_BODY, "body", DEED_TEXT_BYTES_MAX},
};
#define TEXT_COUNT (sizeof(texts) / sizeof(texts[0]))

/* What a payload could not even carry: the wrong type, a NUL in the key, more bytes than anything
 * may have. Writes the reason and returns true. The rest is for the ledger to judge. */
static bool has_flaw(sqlite3_stmt *row, struct deed_error *flaw)
{
    for (size_t i = 0; i < TEXT_COUNT; i++) {
        const int column = (int)texts[i].column;
        if (sqlite3_column_type(row, column) != SQLITE_TEXT) {
            (void)deed_error_set(flaw, DEED_E_INVALID, OUTBOX_ORIGIN,
                "%s is no text; bind it as text, not as a blob, a number or NULL", texts[i].name);
            return true;
        }
        if (sqlite3_column_bytes(row, column) > texts[i].bytes_max) {
            (void)deed_error_set(flaw, DEED_E_INVALID, OUTBOX_ORIGIN,
                "%s has %d bytes, at most %d are allowed", texts[i].name,
                sqlite3_column_bytes(row, column), texts[i].bytes_max);
            return true;
        }
    }
    const char *key = (const char *)sqlite3_column_text(row, COLUMN_KEY);
    if (key != NULL && strlen(key) != (size_t)sqlite3_column_bytes(row, COLUMN_KEY)) {
        (void)deed_error_set(flaw, DEED_E_INVALID, OUTBOX_ORIGIN,
            "action_key holds a NUL; it is made of lower-case letters, digits and hyphens");
        return true;
    }
    const int type = sqlite3_column_type(row, COLUMN_NOT_AFTER);
    if (type != SQLITE_NULL &&
        (type != SQLITE_INTEGER || sqlite3_column_int64(row, COLUMN_NOT_AFTER) <= 0)) {
        (void)deed_error_set(flaw, DEED_E_INVALID, OUTBOX_ORIGIN,
            "not_after_ms is no time; give wall milliseconds since 1970 as a whole number above 0, "
            "or NULL for none");
        return true;
    }
    return false;
}

/* Key and texts in one piece, each with a NUL behind it. */
static bool copy_texts(sqlite3_stmt *stmt, struct outbox_row *row)
{
    struct deed_text copies[TEXT_COUNT];
    size_t room = 0;
    for (size_t i = 0; i < TEXT_COUNT; i++) {
        copies[i].data = (const char *)sqlite3_column_text(stmt, (int)texts[i].column);
        copies[i].bytes = (size_t)sqlite3_column_bytes(stmt, (int)texts[i].column);
        room += copies[i].bytes + 1;
        if (copies[i].data == NULL) {
            return false; /* of a text: out of memory */
        }
    }
    char *at = sqlite3_malloc64(room);
    row->key = at;
    if (at == NULL) {
        return false;
    }
    for (size_t i = 0; i < TEXT_COUNT; i++) {
        memcpy(at, copies[i].data, copies[i].bytes);
        at[copies[i].bytes] = '\0';
        copies[i].data = at;
        at += copies[i].bytes + 1;
    }
    row->payload = (struct deed_payload){copies[1], copies[2], copies[3]};
    return true;
}

/* Says which row has the flaw, if its key is one: nothing else may go to a terminal as a key. */
static void name_flaw(sqlite3_stmt *stmt, struct deed_error *flaw)
{
    if (sqlite3_column_type(stmt, COLUMN_KEY) != SQLITE_TEXT) {
        return;
    }
    const char *key = (const char *)sqlite3_column_text(stmt, COLUMN_KEY);
    if (key != NULL && strlen(key) == (size_t)sqlite3_column_bytes(stmt, COLUMN_KEY) &&
        deed_key_check(key, NULL) == DEED_OK) {
        (void)snprintf(flaw->key, sizeof(flaw->key), "%s", key);
    }
}

static bool take_row(sqlite3_stmt *stmt, struct outbox_row *row)
{
    memset(row, 0, sizeof(*row));
    row->id = sqlite3_column_int64(stmt, COLUMN_ID);
    row->known.size = sizeof(row->known);
    if (has_flaw(stmt, &row->err)) {
        row->rc = row->err.rc;
        name_flaw(stmt, &row->err);
        return true;
    }
    row->not_after_ms = sqlite3_column_int64(stmt, COLUMN_NOT_AFTER);
    return copy_texts(stmt, row);
}

static bool same_text(sqlite3_stmt *stmt, int column, struct deed_text text)
{
    const unsigned char *data = sqlite3_column_text(stmt, column);
    return data != NULL && (size_t)sqlite3_column_bytes(stmt, column) == text.bytes &&
        memcmp(data, text.data, text.bytes) == 0;
}

/* Is the row what was read? Bytes are compared here, not by SQL, which would follow the collation
 * and the encoding of the host's table. */
static bool is_same(sqlite3_stmt *stmt, const struct outbox_row *row)
{
    struct deed_error flaw = {.rc = DEED_OK};
    if (has_flaw(stmt, &flaw)) {
        return row->key == NULL && strcmp(flaw.text, row->err.text) == 0;
    }
    return row->key != NULL &&
        same_text(stmt, COLUMN_KEY, (struct deed_text){row->key, strlen(row->key)}) &&
        same_text(stmt, COLUMN_KIND, row->payload.kind) &&
        same_text(stmt, COLUMN_TARGET, row->payload.target) &&
        same_text(stmt, COLUMN_BODY, row->payload.body) &&
        sqlite3_column_int64(stmt, COLUMN_NOT_AFTER) == row->not_after_ms;
}

/* ---- batches ----------------------------------------------------------------------------- */

deed_rc deed__outbox_read(struct outbox_file *file, struct deed_error *err)
{
    forget_rows(file);
    if (file->ended) {
        return DEED_OK;
    }
    int code = sqlite3_bind_int64(file->next, 1, file->from_id);
    if (code == SQLITE_OK) {
        code = sqlite3_bind_int64(file->next, 2, OUTBOX_BATCH_ROWS);
    }
    while (code == SQLITE_OK) {
        code = sqlite3_step(file->next);
        if (code == SQLITE_ROW) {
            struct outbox_row *row = &file->rows[file->count];
            code = take_row(file->next, row) ? SQLITE_OK : SQLITE_NOMEM;
            file->count++;
            file->ended = row->id == INT64_MAX;
            file->from_id = file->ended ? row->id : row->id + 1;
        }
    }
    (void)sqlite3_reset(file->next);
    return code == SQLITE_DONE ? DEED_OK : fail(file, code, "read the outbox", err);
}

bool deed__outbox_refuses(deed_rc rc)
{
    return rc == DEED_E_INVALID || rc == DEED_E_CONFLICT;
}

static int take_out(struct outbox_file *file, const struct outbox_row *row)
{
    sqlite3_stmt *stmt = row->rc == DEED_OK ? file->take : file->mark;
    int code = sqlite3_bind_int64(stmt, 1, row->id);
    if (code == SQLITE_OK && row->rc != DEED_OK) {
        code = sqlite3_bind_text(stmt, 2, row->err.text, -1, SQLITE_STATIC);
    }
    if (code == SQLITE_OK) {
        code = sqlite3_step(stmt);
    }
    (void)sqlite3_reset(stmt);
    (void)sqlite3_clear_bindings(stmt);
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

/* A row that is gone was moved by another drain, or withdrawn by the host; it needs nothing. */
static int settle_row(struct outbox_file *file, struct outbox_row *row)
{
    int code = sqlite3_bind_int64(file->again, 1, row->id);
    if (code == SQLITE_OK) {
        code = sqlite3_step(file->again);
    }
    const bool gone = code == SQLITE_DONE;
    const bool same = code == SQLITE_ROW && is_same(file->again, row);
    (void)sqlite3_reset(file->again);
    if (code != SQLITE_ROW && !gone) {
        return code;
    }
    row->settled = gone;
    if (same) {
        code = take_out(file, row);
        /* A trigger of the host's may leave the row as it is; then it waits. */
        row->settled = code == SQLITE_OK && sqlite3_changes(file->db) == 1;
        return code;
    }
    return SQLITE_OK;
}

static int settle_rows(struct outbox_file *file)
{
    int code = sqlite3_exec(file->db, "BEGIN IMMEDIATE", NULL, NULL, NULL);
    for (size_t i = 0; code == SQLITE_OK && i < file->count; i++) {
        struct outbox_row *row = &file->rows[i];
        if (row->rc == DEED_OK || deed__outbox_refuses(row->rc)) {
            code = settle_row(file, row);
        }
    }
    return code == SQLITE_OK ? sqlite3_exec(file->db, "COMMIT", NULL, NULL, NULL) : code;
}

deed_rc deed__outbox_settle(struct outbox_file *file, struct deed_error *err)
{
    const int code = settle_rows(file);
    return code == SQLITE_OK
        ? DEED_OK
        : fail(file, code, "the rows are recorded, and stay in the outbox too", err);
}

deed_rc deed__outbox_waiting(
    struct outbox_file *file, uint64_t *waiting_out, struct deed_error *err)
{
    int64_t waiting = 0;
    const int code = deed__sqlite_number(
        file->db, "SELECT count(*)" FROM_TABLE " WHERE refused IS NULL", &waiting);
    if (code != SQLITE_OK) {
        return fail(file, code, "count the outbox", err);
    }
    *waiting_out = (uint64_t)waiting;
    return DEED_OK;
}
