/* SPDX-License-Identifier: MIT
 *
 * Connections: how each is opened and what is verified before it is used, the statements it keeps,
 * how it waits for other writers, and the stock of readers.
 *
 * Automatic checkpoints are off on every connection, at close too: SQLite up to 3.51.2 can lose a
 * commit when a checkpoint races with a reset of the WAL (docs/decisions). sqlite_checkpoint.c is
 * the only place that checkpoints.
 */
#include "sqlite_impl.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- waiting ----------------------------------------------------------------------------- */

/* Called by SQLite while somebody else holds a lock. Short naps that grow: a commit takes well
 * under a millisecond on a fast disk. The bound is on the sum of naps, so no clock is needed. */
int deed__sqlite_wait(void *context, int times)
{
    struct connection *connection = context;
    struct sqlite_store *store = connection->store;
    if (connection->waited_us >= store->busy_ms * 1000) {
        return 0;
    }
    int64_t nap_us = times < 6 ? (int64_t)100 << times : 5000;
    if (nap_us > store->busy_ms * 1000 - connection->waited_us) {
        nap_us = store->busy_ms * 1000 - connection->waited_us;
    }
    connection->waited_us += nap_us;
    if (store->vfs_given) {
        (void)store->vfs->xSleep(store->vfs, (int)nap_us);
    } else {
        /* A signal does not shorten it: the bound is on what was slept, not on how often. */
        struct timespec nap = {.tv_sec = 0, .tv_nsec = (long)(nap_us * 1000)};
        (void)TEMP_FAILURE_RETRY(nanosleep(&nap, &nap));
    }
    return 1;
}

static int note_wal_pages(void *context, sqlite3 *db, const char *schema, int pages)
{
    (void)db;
    (void)schema;
    ((struct connection *)context)->wal_pages = pages;
    ((struct connection *)context)->log_filled = true;
    return SQLITE_OK;
}

/* ---- statements -------------------------------------------------------------------------- */

sqlite3_stmt *deed__sqlite_slot(
    struct connection *connection, enum slot slot, const char *sql, int *code_out)
{
    *code_out = SQLITE_OK;
    if (connection->slots[slot] == NULL) {
        *code_out = sqlite3_prepare_v3(
            connection->db, sql, -1, SQLITE_PREPARE_PERSISTENT, &connection->slots[slot], NULL);
    }
    return connection->slots[slot];
}

void deed__sqlite_done(sqlite3_stmt *stmt)
{
    if (stmt != NULL) {
        (void)sqlite3_reset(stmt); /* repeats the code of the step, which was looked at */
        (void)sqlite3_clear_bindings(stmt);
    }
}

int deed__sqlite_run(struct connection *connection, enum slot slot, const char *sql)
{
    int code = SQLITE_OK;
    sqlite3_stmt *stmt = deed__sqlite_slot(connection, slot, sql, &code);
    if (stmt == NULL) {
        return code;
    }
    code = sqlite3_step(stmt);
    (void)sqlite3_reset(stmt);
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

int deed__sqlite_number(sqlite3 *db, const char *sql, int64_t *number_out)
{
    sqlite3_stmt *stmt = NULL;
    int code = sqlite3_prepare_v2(db, sql, -1, &stmt, NULL);
    if (code != SQLITE_OK) {
        return code;
    }
    code = sqlite3_step(stmt);
    if (code == SQLITE_ROW) {
        *number_out = sqlite3_column_int64(stmt, 0);
        code = SQLITE_OK;
    } else if (code == SQLITE_DONE) {
        code = SQLITE_EMPTY;
    }
    const int end = sqlite3_finalize(stmt);
    return code == SQLITE_OK ? end : code;
}

const char *deed__sqlite_text(sqlite3_stmt *stmt, int index, int *code)
{
    const char *text = (const char *)sqlite3_column_text(stmt, index);
    if (text == NULL && sqlite3_column_type(stmt, index) != SQLITE_NULL) {
        *code = SQLITE_NOMEM;
    }
    return text;
}

int deed__sqlite_version(struct connection *connection, int *version_out)
{
    int code = SQLITE_OK;
    sqlite3_stmt *stmt =
        deed__sqlite_slot(connection, SLOT_VERSION, "PRAGMA main.user_version", &code);
    if (stmt == NULL) {
        return code;
    }
    code = sqlite3_step(stmt);
    if (code == SQLITE_ROW) {
        *version_out = sqlite3_column_int(stmt, 0);
        code = SQLITE_OK;
    }
    (void)sqlite3_reset(stmt);
    return code;
}

/* ---- opening ----------------------------------------------------------------------------- */

/* What a configuration call must have left behind. */
static int configure(sqlite3 *db)
{
    static const struct {
        int verb;
        int value;
    } wanted[] = {
        {SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1},
        {SQLITE_DBCONFIG_ENABLE_FKEY, 1},
        {SQLITE_DBCONFIG_ENABLE_TRIGGER, 1},
        {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
        {SQLITE_DBCONFIG_DEFENSIVE, 1},
        {SQLITE_DBCONFIG_DQS_DML, 0},
        {SQLITE_DBCONFIG_DQS_DDL, 0},
    };
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
        int now = -1;
        const int code = sqlite3_db_config(db, wanted[i].verb, wanted[i].value, &now);
        if (code != SQLITE_OK || now != wanted[i].value) {
            return code == SQLITE_OK ? SQLITE_MISUSE : code;
        }
    }
    (void)sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
    return sqlite3_wal_autocheckpoint(db, 0);
}

/* Never mmap: an I/O error would be a signal. Temporary data stays in memory. One of these makes
 * SQLite read the whole schema, so a connection that only takes a lock goes without them. */
static const char pragmas[] = "PRAGMA synchronous = FULL;"
                              "PRAGMA mmap_size = 0;"
                              "PRAGMA temp_store = MEMORY;"
                              "PRAGMA cell_size_check = ON;";

static deed_rc verify_number(
    struct connection *connection, const char *sql, int64_t wanted, struct deed_error *err)
{
    int64_t number = -1;
    const int code = deed__sqlite_number(connection->db, sql, &number);
    if (code != SQLITE_OK && code != SQLITE_EMPTY) {
        return deed__sqlite_fail(connection->store, connection->db, code, "open", err);
    }
    /* A build without mmap answers its pragma with no row. */
    if (code == SQLITE_OK && number != wanted) {
        return deed_error_set(err, DEED_E_STORE, SQLITE_STORE_ORIGIN,
            "%s: this SQLite answers %lld to `%s`, and deed needs %lld; nothing was written",
            connection->store->location, (long long)number, sql, (long long)wanted);
    }
    return DEED_OK;
}

static deed_rc verify_wal(struct connection *connection, struct deed_error *err)
{
    sqlite3_stmt *stmt = NULL;
    int code = sqlite3_prepare_v2(connection->db, "PRAGMA main.journal_mode", -1, &stmt, NULL);
    if (code == SQLITE_OK) {
        code = sqlite3_step(stmt);
    }
    const char *mode = code == SQLITE_ROW ? deed__sqlite_text(stmt, 0, &code) : NULL;
    deed_rc rc = DEED_OK;
    if (mode == NULL) {
        rc = deed__sqlite_fail(connection->store, connection->db, code, "open", err);
    } else if (strcmp(mode, "wal") != 0) {
        rc = deed_error_set(err, DEED_E_STORE, SQLITE_STORE_ORIGIN,
            "%s: the journal mode is %s, and only WAL with FULL keeps every acknowledged commit; "
            "another program changed it: PRAGMA journal_mode = WAL",
            connection->store->location, mode);
    }
    (void)sqlite3_finalize(stmt);
    return rc;
}

static deed_rc read_page_bytes(struct connection *connection, struct deed_error *err)
{
    int64_t bytes = 0;
    const int code = deed__sqlite_number(connection->db, "PRAGMA main.page_size", &bytes);
    if (code != SQLITE_OK) {
        return deed__sqlite_fail(connection->store, connection->db, code, "open", err);
    }
    connection->page_bytes = bytes > 0 ? (uint32_t)bytes : SQLITE_PAGE_BYTES;
    return DEED_OK;
}

static deed_rc verify(struct connection *connection, enum role role, struct deed_error *err)
{
    static const struct {
        const char *sql;
        int64_t wanted;
    } facts[] = {
        {"PRAGMA main.synchronous", 2},
        {"PRAGMA foreign_keys", 1},
        {"PRAGMA trusted_schema", 0},
        {"PRAGMA wal_autocheckpoint", 0},
        {"PRAGMA main.mmap_size", 0},
    };
    deed_rc rc = DEED_OK;
    for (size_t i = 0; rc == DEED_OK && i < sizeof(facts) / sizeof(facts[0]); i++) {
        rc = verify_number(connection, facts[i].sql, facts[i].wanted, err);
    }
    if (rc == DEED_OK && role == ROLE_WRITER) {
        rc = verify_wal(connection, err);
    }
    if (rc == DEED_OK && role == ROLE_WRITER) {
        rc = read_page_bytes(connection, err);
    }
    return rc;
}

char *deed__sqlite_uri(const char *path, const char *query)
{
    sqlite3_str *uri = sqlite3_str_new(NULL);
    sqlite3_str_appendall(uri, "file://");
    for (const char *c = path; *c != '\0'; c++) {
        if (*c == '%' || *c == '?' || *c == '#') {
            sqlite3_str_appendf(uri, "%%%02x", (unsigned)(unsigned char)*c);
        } else {
            sqlite3_str_appendchar(uri, 1, *c);
        }
    }
    sqlite3_str_appendf(uri, "?%s", query);
    return sqlite3_str_finish(uri);
}

/* A file that may only be read leaves no trace in its folder: without a WAL it is read as if it
 * could not change (sqlite_read looks afterwards whether it did), with one the WAL index is opened
 * for reading only. */
static int open_read_only(struct connection *connection, int flags)
{
    struct sqlite_store *store = connection->store;
    connection->immutable = store->on_disk && store->wal_format && !deed__sqlite_wal_filled(store);
    char *uri =
        deed__sqlite_uri(store->path, connection->immutable ? "immutable=1" : "readonly_shm=1");
    if (uri == NULL) {
        return SQLITE_NOMEM;
    }
    const int code = sqlite3_open_v2(
        uri, &connection->db, flags | SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, store->vfs->zName);
    sqlite3_free(uri);
    return code;
}

/* A log whose index is gone (a copy of the file and its -wal, say) can be read only by who may make
 * the index anew; such a reader still writes nothing else (query_only). */
static bool index_is_there(const struct sqlite_store *store)
{
    char *name = sqlite3_mprintf("%s-shm", store->path);
    const bool there = name == NULL || access(name, F_OK) == 0;
    sqlite3_free(name);
    return there;
}

/* A reader of a WAL file needs no right to write it. One of a file with a rollback journal does: an
 * interrupted write must be rolled back before anything can be read. */
static int open_writable(struct connection *connection, enum role role, int flags)
{
    const struct sqlite_store *store = connection->store;
    int mode = SQLITE_OPEN_READWRITE;
    if (role == ROLE_READER && store->wal_format && index_is_there(store)) {
        mode = SQLITE_OPEN_READONLY;
    } else if (role == ROLE_BUILDER && !store->on_disk) {
        mode = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    }
    return sqlite3_open_v2(store->path, &connection->db, flags | mode, store->vfs->zName);
}

static int open_database(struct connection *connection, enum role role)
{
    struct sqlite_store *store = connection->store;
    const int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_EXRESCODE;
    int code = store->read_only ? open_read_only(connection, flags)
                                : open_writable(connection, role, flags);
    if (code == SQLITE_OK) {
        code = configure(connection->db);
    }
    if (code == SQLITE_OK) {
        code = sqlite3_busy_handler(connection->db, deed__sqlite_wait, connection);
    }
    if (code == SQLITE_OK && role != ROLE_LOCKER) {
        code = sqlite3_exec(connection->db, pragmas, NULL, NULL, NULL);
    }
    if (code == SQLITE_OK && role == ROLE_READER) {
        code = sqlite3_exec(connection->db, "PRAGMA query_only = ON", NULL, NULL, NULL);
    }
    return code;
}

deed_rc deed__sqlite_connect(struct sqlite_store *store, enum role role,
    struct connection **connection_out, struct deed_error *err)
{
    struct connection *connection =
        store->memory->resize(store->memory->self, NULL, 0, sizeof(*connection));
    if (connection == NULL) {
        return deed__sqlite_nomem(err);
    }
    memset(connection, 0, sizeof(*connection));
    connection->store = store;
    const int code = open_database(connection, role);
    deed_rc rc = DEED_OK;
    if (code != SQLITE_OK) {
        rc = deed__sqlite_fail(store, connection->db, code, "open", err);
        goto done;
    }
    rc = role == ROLE_LOCKER ? DEED_OK : verify(connection, role, err);
    if (rc != DEED_OK) {
        goto done;
    }
    if (role != ROLE_READER && role != ROLE_LOCKER) {
        char limit[64];
        (void)snprintf(
            limit, sizeof(limit), "PRAGMA journal_size_limit = %d", SQLITE_WAL_BYTES_KEPT);
        (void)sqlite3_exec(connection->db, limit, NULL, NULL, NULL);
        (void)sqlite3_wal_hook(connection->db, note_wal_pages, connection);
    }
    *connection_out = connection;
    connection = NULL;
done:
    deed__sqlite_disconnect(connection);
    return rc;
}

void deed__sqlite_disconnect(struct connection *connection)
{
    if (connection == NULL) {
        return;
    }
    for (size_t i = 0; i < SLOT_COUNT; i++) {
        (void)sqlite3_finalize(connection->slots[i]);
    }
    (void)sqlite3_close_v2(connection->db);
    const struct deed_allocator *memory = connection->store->memory;
    memory->resize(memory->self, connection, sizeof(*connection), 0);
}

void deed__sqlite_forget_connections(struct sqlite_store *store)
{
    const struct deed_allocator *memory = store->memory;
    if (pthread_mutex_trylock(&store->write_lock) == 0) {
        struct connection *const writers[] = {store->writer, store->sibling};
        for (size_t i = 0; i < sizeof(writers) / sizeof(writers[0]); i++) {
            if (writers[i] != NULL) {
                memory->resize(memory->self, writers[i], sizeof(*writers[i]), 0);
            }
        }
        (void)pthread_mutex_unlock(&store->write_lock);
    } /* else: a thread that is not here was in the middle of them */
    if (pthread_mutex_trylock(&store->state_lock) == 0) {
        while (store->readers != NULL) {
            struct connection *reader = store->readers;
            store->readers = reader->next;
            memory->resize(memory->self, reader, sizeof(*reader), 0);
        }
        (void)pthread_mutex_unlock(&store->state_lock);
    }
}

/* ---- readers ----------------------------------------------------------------------------- */

deed_rc deed__sqlite_reader_take(
    struct sqlite_store *store, struct connection **reader_out, struct deed_error *err)
{
    (void)pthread_mutex_lock(&store->state_lock);
    struct connection *reader = store->readers;
    const uint64_t generation = store->generation;
    if (reader != NULL) {
        store->readers = reader->next;
        store->readers_count--;
    }
    (void)pthread_mutex_unlock(&store->state_lock);
    /* What was opened while there was no WAL knows nothing of one that came since. */
    if (reader != NULL && reader->immutable && deed__sqlite_wal_filled(store)) {
        deed__sqlite_disconnect(reader);
        reader = NULL;
    }
    if (reader == NULL) {
        const deed_rc rc = deed__sqlite_connect(store, ROLE_READER, &reader, err);
        if (reader == NULL) {
            return rc;
        }
        reader->generation = generation;
    }
    reader->waited_us = 0;
    *reader_out = reader;
    return DEED_OK;
}

void deed__sqlite_reader_give(struct sqlite_store *store, struct connection *reader)
{
    if (reader == NULL) {
        return;
    }
    (void)pthread_mutex_lock(&store->state_lock);
    const bool keep =
        reader->generation == store->generation && store->readers_count < SQLITE_READERS_KEPT;
    if (keep) {
        reader->next = store->readers;
        store->readers = reader;
        store->readers_count++;
    }
    (void)pthread_mutex_unlock(&store->state_lock);
    if (!keep) {
        deed__sqlite_disconnect(reader);
    }
}

void deed__sqlite_drop_writers(struct sqlite_store *store)
{
    deed__sqlite_disconnect(store->writer);
    deed__sqlite_disconnect(store->sibling);
    store->writer = NULL;
    store->sibling = NULL;
}

void deed__sqlite_drop_connections(struct sqlite_store *store)
{
    (void)pthread_mutex_lock(&store->state_lock);
    struct connection *reader = store->readers;
    store->readers = NULL;
    store->readers_count = 0;
    store->generation++;
    (void)pthread_mutex_unlock(&store->state_lock);
    while (reader != NULL) {
        struct connection *next = reader->next;
        deed__sqlite_disconnect(reader);
        reader = next;
    }
    deed__sqlite_drop_writers(store);
}
