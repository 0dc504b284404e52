/* SPDX-License-Identifier: MIT
 *
 * What SQLite returned, in our codes and in words: which file, what went wrong, what to do.
 */
#include "sqlite_impl.h"

deed_rc deed__sqlite_nomem(struct deed_error *err)
{
    return deed_error_set(err, DEED_E_NOMEM, SQLITE_STORE_ORIGIN, "out of memory");
}

static deed_rc fail_constraint(int code, const char *what, const char *said, struct deed_error *err)
{
    if (code == SQLITE_CONSTRAINT_UNIQUE || code == SQLITE_CONSTRAINT_PRIMARYKEY ||
        code == SQLITE_CONSTRAINT_ROWID) {
        return deed_error_set(
            err, DEED_E_CONFLICT, SQLITE_STORE_ORIGIN, "%s: it is there already (%s)", what, said);
    }
    return deed_error_set(err, DEED_E_CHECK, SQLITE_STORE_ORIGIN,
        "%s: a rule of the ledger refuses this (%s); nothing was written", what, said);
}

/* The sentence for a code; NULL where SQLite's own words must do. */
static const char *sentence(int code)
{
    if (code == SQLITE_READONLY_ROLLBACK || code == SQLITE_READONLY_RECOVERY ||
        code == SQLITE_READONLY_CANTINIT) {
        return "an interrupted write must be mended first, and a reader may not; open it once "
               "where it can be written";
    }
    switch (code & 0xff) {
    case SQLITE_FULL:
        return "no space left on the disk; free some and try again";
    case SQLITE_IOERR:
        return "the disk reported an error";
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return "the file is damaged; `deed check` says where";
    case SQLITE_READONLY:
        return "the file cannot be written";
    case SQLITE_CANTOPEN:
        return "the file, or one that belongs beside it, cannot be opened";
    case SQLITE_PERM:
    case SQLITE_AUTH:
        return "permission denied";
    case SQLITE_PROTOCOL:
        return "the locks of the file do not behave; is it on a local disk?";
    default:
        return NULL;
    }
}

static deed_rc fail_plain(const struct sqlite_store *store, int code, const char *what,
    const char *said, struct deed_error *err)
{
    const int plain = code & 0xff;
    const char *words = sentence(code);
    if (plain == SQLITE_BUSY || plain == SQLITE_LOCKED) {
        return deed_error_set(err, DEED_E_BUSY, SQLITE_STORE_ORIGIN,
            "%s: %s: another process or handle kept the ledger locked; waited %lld ms",
            store->location, what, (long long)store->busy_ms);
    }
    if (plain == SQLITE_CONSTRAINT) {
        return fail_constraint(code, what, said, err);
    }
    if (plain == SQLITE_NOMEM) {
        return deed__sqlite_nomem(err);
    }
    if (words == NULL) {
        return deed_error_set(
            err, DEED_E_STORE, SQLITE_STORE_ORIGIN, "%s: %s: %s", store->location, what, said);
    }
    return deed_error_set(err, DEED_E_STORE, SQLITE_STORE_ORIGIN, "%s: %s: %s (%s)",
        store->location, what, words, said);
}

deed_rc deed__sqlite_fail(const struct sqlite_store *store, sqlite3 *db, int code, const char *what,
    struct deed_error *err)
{
    /* The connection's own words are about its last call; use them only if that one failed so. */
    const bool same = db != NULL && sqlite3_extended_errcode(db) == code;
    const deed_rc rc =
        fail_plain(store, code, what, same ? sqlite3_errmsg(db) : sqlite3_errstr(code), err);
    deed_error_native(err, code);
    return rc;
}
