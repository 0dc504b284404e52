/* SPDX-License-Identifier: MIT
 *
 * How far the schema of a file has come: its marks, the table of the recorded-intent program, and
 * whether tables, indexes and triggers are what the migrations make.
 */
#include "migrate.h"
#include "sqlite_impl.h"

#include <ctype.h>
#include <string.h>

/* ---- the fixture ------------------------------------------------------------------------- */

/* Equal but for white space and letter case outside quotes. */
static bool same_sql(const char *left, const char *right)
{
    bool quoted = false;
    for (;;) {
        while (!quoted && isspace((unsigned char)*left)) {
            left++;
        }
        while (!quoted && isspace((unsigned char)*right)) {
            right++;
        }
        const int a = quoted ? *left : tolower((unsigned char)*left);
        const int b = quoted ? *right : tolower((unsigned char)*right);
        if (a != b) {
            return false;
        }
        if (a == '\0') {
            return true;
        }
        quoted = (a == '\'') != quoted;
        left++;
        right++;
    }
}

/* The statement of 0001 without the comment before and the semicolon behind it; in `statement`. */
static void first_statement(char *statement, size_t room)
{
    const char *start = strstr(deed__sqlite_migrations[0].sql, "CREATE TABLE");
    const char *end = start == NULL ? NULL : strchr(start, ';');
    size_t bytes = end == NULL ? 0 : (size_t)(end - start);
    if (bytes >= room) {
        bytes = 0;
    }
    if (bytes > 0) {
        memcpy(statement, start, bytes);
    }
    statement[bytes] = '\0';
}

/* Exactly the one table, and the index that SQLite makes for its key. */
static int look_for_fixture(sqlite3 *db, bool *found_out)
{
    char wanted[512];
    first_statement(wanted, sizeof(wanted));
    sqlite3_stmt *stmt = NULL;
    int code = sqlite3_prepare_v2(
        db, "SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL", -1, &stmt, NULL);
    int tables = 0;
    bool same = true;
    while (code == SQLITE_OK && (code = sqlite3_step(stmt)) == SQLITE_ROW) {
        code = SQLITE_OK;
        const char *sql = deed__sqlite_text(stmt, 1, &code);
        same = same && sql != NULL && same_sql(sql, wanted);
        tables++;
    }
    (void)sqlite3_finalize(stmt);
    *found_out = same && tables == 1;
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

/* ---- marks ------------------------------------------------------------------------------- */

static deed_rc review_marks(
    struct sqlite_store *store, sqlite3 *db, int version, struct deed_error *err)
{
    struct deed__review review = {
        .location = store->location,
        .known = deed__sqlite_migrations,
        .wanted = (int)deed__sqlite_migration_count,
        .newest = 0,
    };
    sqlite3_stmt *stmt = NULL;
    int code = sqlite3_prepare_v2(
        db, "SELECT number, checksum FROM migration ORDER BY number", -1, &stmt, NULL);
    deed_rc rc = DEED_OK;
    while (code == SQLITE_OK && rc == DEED_OK && (code = sqlite3_step(stmt)) == SQLITE_ROW) {
        code = SQLITE_OK;
        const char *checksum = deed__sqlite_text(stmt, 1, &code);
        if (code == SQLITE_OK) {
            rc = deed__review_row(&review, sqlite3_column_int(stmt, 0), checksum, err);
        }
    }
    if (rc == DEED_OK && code != SQLITE_DONE) {
        rc = deed__sqlite_fail(store, db, code, "read its table `migration`", err);
    }
    (void)sqlite3_finalize(stmt);
    if (rc == DEED_OK) {
        rc = deed__review_end(&review, "user_version", version, err);
    }
    return rc;
}

static deed_rc stand_of_stranger(struct sqlite_store *store, sqlite3 *db, int64_t id,
    enum standing *standing_out, struct deed_error *err)
{
    bool fixture = false;
    const int code = id == 0 ? look_for_fixture(db, &fixture) : SQLITE_OK;
    if (code != SQLITE_OK) {
        return deed__sqlite_fail(store, db, code, "read its tables", err);
    }
    if (!fixture) {
        return deed_error_set(err, DEED_E_STORE, SQLITE_STORE_ORIGIN,
            "%s is the SQLite file of another program (application_id 0x%08x), no ledger",
            store->location, (unsigned)id);
    }
    *standing_out = STANDING_FIXTURE;
    return DEED_OK;
}

deed_rc deed__sqlite_standing(struct sqlite_store *store, sqlite3 *db, enum standing *standing_out,
    int *version_out, struct deed_error *err)
{
    const int wanted = (int)deed__sqlite_migration_count;
    int64_t id = 0;
    int64_t version = 0;
    int code = deed__sqlite_number(db, "PRAGMA main.application_id", &id);
    if (code == SQLITE_OK) {
        code = deed__sqlite_number(db, "PRAGMA main.user_version", &version);
    }
    if (code != SQLITE_OK) {
        return deed__sqlite_fail(store, db, code, "read its marks", err);
    }
    if (id != SQLITE_APPLICATION_ID) {
        *version_out = 1;
        return stand_of_stranger(store, db, id, standing_out, err);
    }
    const deed_rc rc = review_marks(store, db, (int)version, err);
    if (rc == DEED_OK) {
        *version_out = (int)version;
        *standing_out = version == wanted ? STANDING_READY
            : version < wanted            ? STANDING_OLDER
                                          : STANDING_NEWER;
    }
    return rc;
}

deed_rc deed__sqlite_refuse_standing(
    const struct sqlite_store *store, enum standing standing, int version, struct deed_error *err)
{
    if (standing == STANDING_READY) {
        return DEED_OK;
    }
    return deed__migrate_refuse(store->location, version, (int)deed__sqlite_migration_count,
        standing == STANDING_FIXTURE, err);
}

/* What somebody wrote and did not live to flush is in the page cache. Whoever opens the log anew finds
 * it there, whole, as if it had been committed; and the next loss of power takes it away again. So
 * what was found is made durable before anything is told of it. Called when the log has been read,
 * because from then on others show this handle nothing that they have not flushed. */
static deed_rc flush_log(struct connection *reader, struct deed_error *err)
{
    sqlite3_file *log = NULL;
    sqlite3_int64 bytes = 0;
    int code = sqlite3_file_control(reader->db, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log);
    if (code != SQLITE_OK || log == NULL || log->pMethods == NULL) {
        return DEED_OK; /* there is none */
    }
    code = log->pMethods->xFileSize(log, &bytes);
    if (code == SQLITE_OK && bytes > 0) {
        code = log->pMethods->xSync(log, SQLITE_SYNC_NORMAL);
    }
    return code == SQLITE_OK
        ? DEED_OK
        : deed__sqlite_fail(reader->store, NULL, code, "flush the log that was found", err);
}

deed_rc deed__sqlite_look_again(struct sqlite_store *store, enum standing *standing_out,
    int *version_out, struct deed_error *err)
{
    struct connection *reader = NULL;
    deed_rc rc = deed__sqlite_reader_take(store, &reader, err);
    if (rc != DEED_OK) {
        return rc;
    }
    int code = deed__sqlite_run(reader, SLOT_BEGIN_READ, "BEGIN");
    if (code != SQLITE_OK) {
        rc = deed__sqlite_fail(store, reader->db, code, "begin to read", err);
    } else {
        rc = deed__sqlite_standing(store, reader->db, standing_out, version_out, err);
        code = deed__sqlite_run(reader, SLOT_ROLLBACK, "ROLLBACK");
        if (rc == DEED_OK && code != SQLITE_OK) {
            rc = deed__sqlite_fail(store, reader->db, code, "end to read", err);
        }
    }
    if (rc == DEED_OK) {
        rc = flush_log(reader, err);
    }
    deed__sqlite_reader_give(store, reader);
    if (rc == DEED_OK) {
        (void)pthread_mutex_lock(&store->state_lock);
        store->standing = *standing_out;
        store->version = *version_out;
        (void)pthread_mutex_unlock(&store->state_lock);
    }
    return rc;
}

static deed_rc see_intents(const struct sqlite_store *store, struct connection *reader,
    int64_t *intents_out, struct deed_error *err)
{
    const int code =
        deed__sqlite_number(reader->db, "SELECT EXISTS (SELECT 1 FROM intent)", intents_out);
    return code == SQLITE_OK
        ? DEED_OK
        : deed__sqlite_fail(store, reader->db, code, "read its table `intent`", err);
}

deed_rc deed__sqlite_schema(void *self, struct deed_schema *schema_out, struct deed_error *err)
{
    static const struct deed_shape shape = DEED_SCHEMA_SHAPE();
    struct sqlite_store *store = self;
    enum standing standing = STANDING_READY;
    int version = 0;
    deed_rc rc = deed_size_room(&shape, schema_out, err);
    if (rc == DEED_OK) {
        rc = deed__sqlite_enter(store, err);
    }
    if (rc == DEED_OK) {
        rc = deed__sqlite_look_again(store, &standing, &version, err);
    }
    if (rc != DEED_OK) {
        return rc;
    }
    int64_t rows = 0;
    int64_t intents = 0;
    if (standing == STANDING_READY || standing == STANDING_OLDER) {
        struct connection *reader = NULL;
        rc = deed__sqlite_reader_take(store, &reader, err);
        if (rc != DEED_OK) {
            return rc;
        }
        const int code = deed__sqlite_number(reader->db, "SELECT count(*) FROM ledger", &rows);
        if (code != SQLITE_OK) {
            rc = deed__sqlite_fail(store, reader->db, code, "read its table `ledger`", err);
        }
        if (rc == DEED_OK) {
            rc = see_intents(store, reader, &intents, err);
        }
        deed__sqlite_reader_give(store, reader);
    }
    if (rc == DEED_OK) {
        const struct deed_schema known = {
            .size = sizeof(known),
            .found = version,
            .wanted = (int)deed__sqlite_migration_count,
            .adoptable = standing == STANDING_FIXTURE,
            .initialised = rows > 0,
            .has_intents = intents > 0,
        };
        deed_size_give(&shape, schema_out, &known);
    }
    return rc;
}

/* ---- comparing --------------------------------------------------------------------------- */

static int build_model(sqlite3 **model_out)
{
    int code =
        sqlite3_open_v2(":memory:", model_out, SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY, NULL);
    for (size_t i = 0; code == SQLITE_OK && i < deed__sqlite_migration_count; i++) {
        code = sqlite3_exec(*model_out, deed__sqlite_migrations[i].sql, NULL, NULL, NULL);
    }
    return code;
}

/* Is the row of `each` (type, name, sql) one that `same` finds? A SQLite code. */
static int look_for_object(sqlite3_stmt *each, sqlite3_stmt *same, bool *found_out)
{
    int code = SQLITE_OK;
    for (int i = 0; i < 3 && code == SQLITE_OK; i++) {
        code = sqlite3_bind_value(same, i + 1, sqlite3_column_value(each, i));
    }
    if (code != SQLITE_OK) {
        return code;
    }
    code = sqlite3_step(same);
    *found_out = code == SQLITE_ROW;
    return code == SQLITE_ROW || code == SQLITE_DONE ? sqlite3_reset(same) : code;
}

/* Each object of `left` is in `right`, letter by letter. */
static deed_rc compare_one_way(struct sqlite_store *store, sqlite3 *left, sqlite3 *right,
    const char *complaint, struct deed_error *err)
{
    sqlite3_stmt *each = NULL;
    sqlite3_stmt *same = NULL;
    deed_rc rc = DEED_OK;
    int code = sqlite3_prepare_v2(left,
        "SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL "
        "AND name NOT LIKE 'sqlite_stat%' ORDER BY name",
        -1, &each, NULL);
    if (code == SQLITE_OK) {
        code = sqlite3_prepare_v2(right,
            "SELECT 1 FROM sqlite_schema WHERE type = ?1 AND name = ?2 AND sql = ?3", -1, &same,
            NULL);
    }
    while (code == SQLITE_OK && rc == DEED_OK && (code = sqlite3_step(each)) == SQLITE_ROW) {
        bool found = false;
        code = look_for_object(each, same, &found);
        if (code == SQLITE_OK && !found) {
            const char *type = deed__sqlite_text(each, 0, &code);
            const char *name = deed__sqlite_text(each, 1, &code);
            rc = deed_error_set(err, DEED_E_CHECK, SQLITE_STORE_ORIGIN, "%s: the %s `%s` %s",
                store->location, type == NULL ? "object" : type, name == NULL ? "?" : name,
                complaint);
        }
    }
    if (rc == DEED_OK && code != SQLITE_DONE) {
        rc = deed__sqlite_fail(store, left, code, "compare the schema", err);
    }
    (void)sqlite3_finalize(each);
    (void)sqlite3_finalize(same);
    return rc;
}

deed_rc deed__sqlite_schema_compare(struct sqlite_store *store, sqlite3 *db, struct deed_error *err)
{
    sqlite3 *model = NULL;
    const int code = build_model(&model);
    deed_rc rc = code == SQLITE_OK
        ? DEED_OK
        : deed__sqlite_fail(store, model, code, "build a model of the schema", err);
    if (rc == DEED_OK) {
        rc = compare_one_way(
            store, model, db, "is missing, or is not what the migrations made", err);
    }
    if (rc == DEED_OK) {
        rc = compare_one_way(store, db, model, "does not belong in a ledger", err);
    }
    (void)sqlite3_close_v2(model);
    return rc;
}
