/* SPDX-License-Identifier: MIT
 *
 * Writing and reading: operations in a transaction, and what became of each.
 *
 * A writer is a writer from its first statement on (BEGIN IMMEDIATE): a read that turns into a
 * write could fail for ever on its stale snapshot. A commit that returns an error is unknown: its
 * frames may lie in the WAL for the next process that recovers it. From then on the store refuses
 * everything until sqlite_recover.c has made one answer true.
 */
#include "sqlite_impl.h"

#include <string.h>
#include <unistd.h>

/* A commit that is done does not wait long for its checkpoint: the next one tries again. */
#define CHECKPOINT_PATIENCE_MS 250

/* ---- entering ---------------------------------------------------------------------------- */

static deed_rc refuse_doubtful(const struct sqlite_store *store, struct deed_error *err)
{
    return deed_error_set(err, DEED_E_STORE, SQLITE_STORE_ORIGIN,
        "%s: the last commit returned an error and may or may not be there; nothing is claimed "
        "until the ledger was recovered",
        store->location);
}

static deed_rc refuse_forked(const struct sqlite_store *store, struct deed_error *err)
{
    return deed_error_set(err, DEED_E_MISUSE, SQLITE_STORE_ORIGIN,
        "%s: this handle was opened before fork and belongs to the parent; in the child it can "
        "only be "
        "closed",
        store->location);
}

deed_rc deed__sqlite_enter(struct sqlite_store *store, struct deed_error *err)
{
    if (deed__sqlite_forked(store)) {
        return refuse_forked(store, err);
    }
    (void)pthread_mutex_lock(&store->state_lock);
    const bool doubtful = store->doubtful;
    (void)pthread_mutex_unlock(&store->state_lock);
    return doubtful ? refuse_doubtful(store, err) : DEED_OK;
}

void deed__sqlite_doubt(struct sqlite_store *store)
{
    (void)pthread_mutex_lock(&store->state_lock);
    store->doubtful = true;
    (void)pthread_mutex_unlock(&store->state_lock);
}

static deed_rc refuse_read_only(const struct sqlite_store *store, struct deed_error *err)
{
    return deed_error_set(err, DEED_E_STORE, SQLITE_STORE_ORIGIN, "%s can only be read: %s",
        store->location, store->read_only_reason);
}

/* What the schema of this transaction allows. Checked in each one: another process may have
 * migrated the file since. */
static deed_rc stand(struct connection *connection, bool writing, enum standing *standing_out,
    struct deed_error *err)
{
    struct sqlite_store *store = connection->store;
    struct known *seen = &connection->known;
    int version = seen->version;
    int code = SQLITE_OK;
    if (writing) { /* its snapshot is there already */
        deed__sqlite_known_begin(connection);
    }
    if (!writing || !seen->version_here) {
        code = deed__sqlite_version(connection, &version);
    }
    if (code != SQLITE_OK) {
        return deed__sqlite_fail(store, connection->db, code, "read its version", err);
    }
    if (!writing) { /* the first read took it */
        deed__sqlite_known_begin(connection);
    }
    seen->version = version;
    seen->version_here = seen->told;
    (void)pthread_mutex_lock(&store->state_lock);
    const bool known = store->standing == STANDING_READY && version == store->version;
    (void)pthread_mutex_unlock(&store->state_lock);
    if (known) {
        *standing_out = STANDING_READY;
        return DEED_OK;
    }
    deed_rc rc = deed__sqlite_standing(store, connection->db, standing_out, &version, err);
    if (rc == DEED_OK) {
        (void)pthread_mutex_lock(&store->state_lock);
        store->standing = *standing_out;
        store->version = version;
        (void)pthread_mutex_unlock(&store->state_lock);
        const bool refused = *standing_out == STANDING_OLDER || *standing_out == STANDING_NEWER;
        rc = refused ? deed__sqlite_refuse_standing(store, *standing_out, version, err) : DEED_OK;
    }
    return rc;
}

deed_rc deed__sqlite_writer(
    struct sqlite_store *store, struct connection **writer_out, struct deed_error *err)
{
    struct connection *writer = store->writer;
    if (writer == NULL) {
        const deed_rc rc = deed__sqlite_connect(store, ROLE_WRITER, &writer, err);
        if (rc != DEED_OK) {
            return rc;
        }
        store->writer = writer;
    }
    writer->waited_us = 0;
    *writer_out = writer;
    return DEED_OK;
}

/* A file that was no WAL ledger when this handle saw it last is looked at again before a writer is
 * opened: another process may have migrated it. */
static deed_rc stand_to_write(struct sqlite_store *store, struct deed_error *err)
{
    (void)pthread_mutex_lock(&store->state_lock);
    enum standing standing = store->standing;
    (void)pthread_mutex_unlock(&store->state_lock);
    int version = 0;
    if (standing == STANDING_READY) {
        return DEED_OK;
    }
    const deed_rc rc = deed__sqlite_look_again(store, &standing, &version, err);
    return rc == DEED_OK ? deed__sqlite_refuse_standing(store, standing, version, err) : rc;
}

/* ---- writing ----------------------------------------------------------------------------- */

static void answer(struct deed_op *op, deed_rc rc, deed_fate fate, const struct deed_error *error)
{
    op->rc = rc;
    op->fate = fate;
    if (error != NULL) {
        op->error = *error;
    }
}

/* One error for all: those that failed by themselves keep their own. */
static deed_rc answer_all(struct deed_op *ops, size_t count, deed_rc rc, deed_fate fate,
    const struct deed_error *error, struct deed_error *err)
{
    for (size_t i = 0; i < count; i++) {
        if (ops[i].rc == DEED_OK) {
            answer(&ops[i], rc, fate, error);
        }
    }
    if (err != NULL && rc != DEED_OK) {
        *err = *error;
    }
    return rc;
}

static void reset_ops(struct deed_op *ops, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        ops[i].rc = DEED_OK;
        ops[i].fate = DEED_FATE_NONE;
        memset(&ops[i].error, 0, sizeof(ops[i].error));
    }
}

/* Ends a transaction of which nothing shall stay. If even that fails, the connection goes. */
static void roll_back(struct connection *connection)
{
    struct sqlite_store *store = connection->store;
    int code = SQLITE_OK;
    deed__sqlite_known_undone(connection);
    if (sqlite3_get_autocommit(connection->db) == 0) {
        code = deed__sqlite_run(connection, SLOT_ROLLBACK, "ROLLBACK");
    }
    if (code != SQLITE_OK || sqlite3_get_autocommit(connection->db) == 0) {
        deed__sqlite_drop_writers(store);
    }
}

/* Calls the operation itself. One that was refused a row and says nothing of it would commit half of
 * what it meant. */
static void call_operation(struct sqlite_tx *tx, deed_tx *face, struct deed_op *op)
{
    tx->refused = false;
    op->rc = op->run(op->context, face, &op->error);
    deed__pool_reset(&tx->rows);
    if (op->rc == DEED_OK && tx->refused && tx->broken == 0) {
        op->rc = deed_error_set(&op->error, DEED_E_MISUSE, SQLITE_STORE_ORIGIN,
            "an operation was refused a row and did not return that; it is undone");
    }
}

/* Undoes the operation if it failed, and ends its savepoint; a SQLite code. */
static int end_savepoint(struct connection *connection, const struct deed_op *op)
{
    int code = SQLITE_OK;
    if (op->rc != DEED_OK) {
        deed__sqlite_known_undone(connection);
        code = deed__sqlite_run(connection, SLOT_ROLLBACK_TO, "ROLLBACK TO op");
    }
    return code == SQLITE_OK ? deed__sqlite_run(connection, SLOT_RELEASE, "RELEASE op") : code;
}

/* Runs one operation under its savepoint. Returns false when the whole transaction is lost; the
 * operation's own error then says why. */
static bool run_one(struct sqlite_tx *tx, deed_tx *face, struct deed_op *op, bool alone)
{
    struct connection *connection = tx->connection;
    int code = SQLITE_OK;
    if (!alone) { /* alone, the transaction is the savepoint */
        code = deed__sqlite_run(connection, SLOT_SAVEPOINT, "SAVEPOINT op");
    }
    if (code == SQLITE_OK) {
        call_operation(tx, face, op);
        code = alone || tx->broken != 0 ? SQLITE_OK : end_savepoint(connection, op);
    }
    if (code != SQLITE_OK) {
        op->rc = deed__sqlite_tx_fail(tx, code, "write", &op->error);
        tx->broken = code;
    }
    if (tx->broken == 0 && sqlite3_get_autocommit(connection->db) != 0) {
        tx->broken = SQLITE_ABORT_ROLLBACK; /* SQLite rolled back by itself */
    }
    if (tx->broken != 0 && op->rc == DEED_OK) {
        /* The operation swallowed the error of a statement. */
        op->rc = deed__sqlite_fail(tx->store, NULL, tx->broken, "write", &op->error);
    }
    return tx->broken == 0;
}

/* What a COMMIT that returned an error leaves behind. */
static deed_rc judge_commit(
    struct connection *writer, int code, struct deed_op *ops, size_t count, struct deed_error *err)
{
    struct sqlite_store *store = writer->store;
    struct deed_error error;
    /* A rule that is looked at in the end is looked at before anything is written: the transaction is
     * still open. It is after SQLITE_BUSY too, but who holds the write lock waits for nobody: there
     * the disk said so, and with frames in the WAL. */
    const bool untouched =
        sqlite3_get_autocommit(writer->db) == 0 && (code & 0xff) == SQLITE_CONSTRAINT;
    if (untouched) {
        const deed_rc rc = deed__sqlite_fail(store, writer->db, code, "commit", &error);
        roll_back(writer);
        return answer_all(ops, count, rc, DEED_FATE_NONE, &error, err);
    }
    (void)deed__sqlite_fail(store, writer->db, code, "commit", &error);
    error.rc = DEED_E_STORE;
    deed_error_context(&error, "the commit may or may not be there");
    deed__sqlite_doubt(store);
    deed__sqlite_drop_writers(store);
    return answer_all(ops, count, DEED_E_STORE, DEED_FATE_UNKNOWN, &error, err);
}

static bool any_succeeded(const struct deed_op *ops, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (ops[i].rc == DEED_OK) {
            return true;
        }
    }
    return false;
}

/* What was committed stays so, whatever becomes of this: the next commit tries again. The new WAL is
 * begun at once and not left to the next commit: if that comes from another process after this one
 * is gone, SQLite has forgotten that the WAL was copied back, and goes on appending to it. */
static void shorten_wal(struct sqlite_store *store)
{
    bool whole = false;
    bool begun = false;
    if (deed__sqlite_checkpoint(store, CHECKPOINT_PATIENCE_MS, &whole, NULL) == DEED_OK && whole) {
        (void)deed__sqlite_new_wal(store, CHECKPOINT_PATIENCE_MS, &begun, NULL);
    }
}

/* Copying back costs a flush and a write for each page that changed, however often it did. Whoever
 * comes to it again and again lets more changes gather; a short-lived command does not, since its
 * log would wait for the next one. */
static uint32_t pages_allowed(const struct connection *writer)
{
    const struct sqlite_store *store = writer->store;
    if (store->checkpoint_pages > 0) {
        return store->checkpoint_pages;
    }
    return (store->busy ? SQLITE_CHECKPOINT_BUSY : SQLITE_CHECKPOINT_BYTES) / writer->page_bytes;
}

static deed_rc commit(
    struct connection *writer, struct deed_op *ops, size_t count, struct deed_error *err)
{
    struct sqlite_store *store = writer->store;
    if (!any_succeeded(ops, count)) {
        roll_back(writer);
        return DEED_OK;
    }
    writer->wal_pages = 0;
    const int code = deed__sqlite_run(writer, SLOT_COMMIT, "COMMIT");
    if (code != SQLITE_OK) {
        return judge_commit(writer, code, ops, count, err);
    }
    deed__sqlite_known_committed(writer);
    for (size_t i = 0; i < count; i++) {
        if (ops[i].rc == DEED_OK) {
            ops[i].fate = DEED_FATE_COMMITTED;
        }
    }
    if (writer->wal_pages > 0 && (uint32_t)writer->wal_pages > pages_allowed(writer)) {
        store->busy = true;
        shorten_wal(store);
    }
    return DEED_OK;
}

static deed_rc run_all(
    struct connection *writer, struct deed_op *ops, size_t count, struct deed_error *err)
{
    struct sqlite_store *store = writer->store;
    struct sqlite_tx tx;
    deed__sqlite_tx_init(&tx, writer, true);
    deed_tx face = deed__sqlite_tx_face(&tx);
    size_t done = 0;
    bool whole = true;
    while (whole && done < count) {
        whole = run_one(&tx, &face, &ops[done], count == 1);
        done++;
    }
    deed__sqlite_tx_finish(&tx);
    if (!whole) {
        /* Nothing was committed, so nothing of any of them is there, now or later. The connection
         * goes too: what it holds in memory and what lies on disk may differ. */
        const struct deed_error error = ops[done - 1].error;
        const deed_rc rc = ops[done - 1].rc;
        roll_back(writer);
        deed__sqlite_drop_writers(store);
        return answer_all(ops, count, rc, DEED_FATE_NONE, &error, err);
    }
    return commit(writer, ops, count, err);
}

static deed_rc begin_writing(
    struct sqlite_store *store, struct connection **writer_out, struct deed_error *err)
{
    struct connection *writer = NULL;
    deed_rc rc = stand_to_write(store, err);
    if (rc == DEED_OK) {
        rc = deed__sqlite_writer(store, &writer, err);
    }
    if (writer == NULL) {
        return rc;
    }
    const int code = deed__sqlite_run(writer, SLOT_BEGIN_WRITE, "BEGIN IMMEDIATE");
    if (code != SQLITE_OK) {
        rc = deed__sqlite_fail(store, writer->db, code, "begin to write", err);
        if ((code & 0xff) != SQLITE_BUSY) {
            deed__sqlite_drop_writers(store);
        }
        return rc;
    }
    enum standing standing = STANDING_READY;
    rc = stand(writer, true, &standing, err);
    if (rc == DEED_OK && standing != STANDING_READY) {
        rc = deed__sqlite_refuse_standing(store, standing, 1, err);
    }
    if (rc != DEED_OK) {
        roll_back(writer);
        return rc;
    }
    *writer_out = writer;
    return DEED_OK;
}

deed_rc deed__sqlite_write(void *self, struct deed_op *ops, size_t count, struct deed_error *err)
{
    struct sqlite_store *store = self;
    struct connection *writer = NULL;
    struct deed_error error;
    memset(&error, 0, sizeof(error));
    reset_ops(ops, count);
    if (deed__sqlite_forked(store)) {
        const deed_rc rc = refuse_forked(store, &error); /* its lock may be held for ever here */
        return answer_all(ops, count, rc, DEED_FATE_NONE, &error, err);
    }
    (void)pthread_mutex_lock(&store->write_lock);
    deed_rc rc = deed__sqlite_enter(store, &error);
    if (rc == DEED_OK && store->read_only) {
        rc = refuse_read_only(store, &error);
    }
    if (rc == DEED_OK) {
        rc = begin_writing(store, &writer, &error);
    }
    if (writer == NULL) {
        (void)answer_all(ops, count, rc, DEED_FATE_NONE, &error, err);
    } else {
        rc = run_all(writer, ops, count, err);
    }
    (void)pthread_mutex_unlock(&store->write_lock);
    return rc;
}

/* ---- reading ----------------------------------------------------------------------------- */

static deed_rc read_once(struct connection *reader, struct deed_op *op)
{
    struct sqlite_store *store = reader->store;
    enum standing standing = STANDING_READY;
    int code = deed__sqlite_run(reader, SLOT_BEGIN_READ, "BEGIN");
    if (code != SQLITE_OK) {
        return deed__sqlite_fail(store, reader->db, code, "begin to read", &op->error);
    }
    deed_rc rc =
        stand(reader, false, &standing, &op->error); /* the first read takes the snapshot */
    if (rc == DEED_OK) {
        struct sqlite_tx tx;
        deed__sqlite_tx_init(&tx, reader, false);
        tx.fixture = standing == STANDING_FIXTURE;
        deed_tx face = deed__sqlite_tx_face(&tx);
        rc = op->run(op->context, &face, &op->error);
        deed__sqlite_tx_finish(&tx);
    }
    if (sqlite3_get_autocommit(reader->db) == 0) {
        code = deed__sqlite_run(reader, SLOT_ROLLBACK, "ROLLBACK");
        if (rc == DEED_OK && code != SQLITE_OK) {
            rc = deed__sqlite_fail(store, reader->db, code, "end to read", &op->error);
        }
    }
    return rc;
}

/* The writer has in memory what it wrote; a reader would read those pages again after each commit.
 * While it reads nobody of this process writes, so only what is brief is read by it, and only if
 * nobody else is using it: a read waits for no writer. */
static bool read_by_writer(struct sqlite_store *store, struct deed_op *op)
{
    if ((op->flags & DEED_OP_BRIEF) == 0 || pthread_mutex_trylock(&store->write_lock) != 0) {
        return false;
    }
    struct connection *writer = store->writer;
    if (writer != NULL) {
        writer->waited_us = 0;
        op->rc = read_once(writer, op);
        if (op->rc != DEED_OK && sqlite3_get_autocommit(writer->db) == 0) {
            deed__sqlite_drop_writers(store);
        }
    }
    (void)pthread_mutex_unlock(&store->write_lock);
    return writer != NULL;
}

deed_rc deed__sqlite_read(void *self, struct deed_op *op, struct deed_error *err)
{
    struct sqlite_store *store = self;
    struct connection *reader = NULL;
    reset_ops(op, 1);
    op->rc = deed__sqlite_enter(store, &op->error);
    bool again = op->rc == DEED_OK && !read_by_writer(store, op);
    while (again) {
        op->rc = deed__sqlite_reader_take(store, &reader, &op->error);
        if (op->rc != DEED_OK) {
            break;
        }
        op->rc = read_once(reader, op);
        /* Read as if nobody could write, and somebody did: what was seen may be torn. */
        again = reader->immutable && deed__sqlite_wal_filled(store);
        if (again || (op->rc != DEED_OK && sqlite3_get_autocommit(reader->db) == 0)) {
            deed__sqlite_disconnect(reader);
        } else {
            deed__sqlite_reader_give(store, reader);
        }
    }
    if (op->rc != DEED_OK && err != NULL) {
        *err = op->error;
    }
    return op->rc;
}
