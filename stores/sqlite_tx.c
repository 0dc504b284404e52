/* SPDX-License-Identifier: MIT
 *
 * One transaction as the core sees it: the table of functions, calls of kept statements, walks, and
 * the row of the ledger itself.
 */
#include "sqlite_tx.h"

#include <string.h>

void deed__sqlite_tx_init(struct sqlite_tx *tx, struct connection *connection, bool writing)
{
    memset(tx, 0, sizeof(*tx));
    tx->store = connection->store;
    tx->connection = connection;
    tx->writing = writing;
    tx->rows.memory = connection->store->memory;
}

void deed__sqlite_tx_finish(struct sqlite_tx *tx)
{
    deed__pool_free(&tx->rows);
}

deed_tx deed__sqlite_tx_face(struct sqlite_tx *tx)
{
    if (tx->fixture) {
        return deed__sqlite_fixture_face(tx);
    }
    return (deed_tx){
        .size = sizeof(deed_tx),
        .self = tx,
        .ledger_get = deed__sqlite_ledger_get,
        .ledger_put = deed__sqlite_ledger_put,
        .intent_get = deed__sqlite_intent_get,
        .intent_by_id = deed__sqlite_intent_by_id,
        .intent_insert = deed__sqlite_intent_insert,
        .intent_update = deed__sqlite_intent_update,
        .intent_fill = deed__sqlite_intent_fill,
        .intent_each = deed__sqlite_intent_each,
        .attempt_insert = deed__sqlite_attempt_insert,
        .attempt_update = deed__sqlite_attempt_update,
        .attempt_by_token = deed__sqlite_attempt_by_token,
        .attempt_each = deed__sqlite_attempt_each,
        .evidence_insert = deed__sqlite_evidence_insert,
        .evidence_each = deed__sqlite_evidence_each,
        .reference_taken = deed__sqlite_reference_taken,
        .event_insert = deed__sqlite_event_insert,
        .event_each = deed__sqlite_event_each,
        .newest = deed__sqlite_newest,
        .intent_find = deed__sqlite_intent_find,
        .pass_insert = deed__sqlite_pass_insert,
        .pass_each = deed__sqlite_pass_each,
    };
}

deed_rc deed__sqlite_tx_fail(
    struct sqlite_tx *tx, int code, const char *what, struct deed_error *err)
{
    const bool conflict = code == SQLITE_CONSTRAINT_UNIQUE ||
        code == SQLITE_CONSTRAINT_PRIMARYKEY || code == SQLITE_CONSTRAINT_ROWID;
    tx->refused = tx->refused || !conflict; /* a conflict is an answer, and may be used as one */
    switch (code & 0xff) {
    case SQLITE_CONSTRAINT:
    case SQLITE_NOMEM:
    case SQLITE_TOOBIG:
    case SQLITE_MISMATCH:
        break; /* of one statement; its operation is undone by its savepoint */
    default:
        tx->broken = code;
        break;
    }
    return deed__sqlite_fail(tx->store, tx->connection->db, code, what, err);
}

deed_rc deed__sqlite_not_found(const char *what, struct deed_error *err)
{
    return deed_error_set(err, DEED_E_NOT_FOUND, SQLITE_STORE_ORIGIN, "%s: there is none", what);
}

/* ---- calls ------------------------------------------------------------------------------- */

deed_rc deed__sqlite_call_begin(struct call *call, struct sqlite_tx *tx, enum slot slot,
    const char *sql, const char *what, struct deed_error *err)
{
    int code = SQLITE_OK;
    call->tx = tx;
    call->what = what;
    call->in.index = 0;
    call->in.code = SQLITE_OK;
    call->in.hex_used = 0;
    call->stmt = deed__sqlite_slot(tx->connection, slot, sql, &code);
    if (call->stmt == NULL) {
        return deed__sqlite_tx_fail(tx, code, what, err);
    }
    call->in.stmt = call->stmt;
    return DEED_OK;
}

deed_rc deed__sqlite_call_begin_write(struct call *call, struct sqlite_tx *tx, enum slot slot,
    const char *sql, const char *what, struct deed_error *err)
{
    if (!tx->writing) {
        *call = (struct call){.tx = tx, .what = what};
        return deed_error_set(
            err, DEED_E_MISUSE, SQLITE_STORE_ORIGIN, "%s: a read may not write", what);
    }
    return deed__sqlite_call_begin(call, tx, slot, sql, what, err);
}

deed_rc deed__sqlite_call_step(struct call *call, bool *row_out, struct deed_error *err)
{
    *row_out = false;
    int code = call->in.code;
    if (code == SQLITE_OK) {
        code = sqlite3_step(call->stmt);
    }
    if (code != SQLITE_ROW && code != SQLITE_DONE) {
        return deed__sqlite_tx_fail(call->tx, code, call->what, err);
    }
    *row_out = code == SQLITE_ROW;
    return DEED_OK;
}

deed_rc deed__sqlite_call_change(struct call *call, int64_t *id_out, struct deed_error *err)
{
    /* Not RETURNING, which builds a table of its own in each run. A statement that changes nothing
     * sets the counter to 0; only those that are no INSERT or UPDATE leave it as it was. */
    sqlite3 *db = call->tx->connection->db;
    bool row = false;
    deed_rc rc = deed__sqlite_call_step(call, &row, err);
    if (rc == DEED_OK && row) { /* not run to its end, so the counter is that of an earlier one */
        rc = deed_error_set(err, DEED_E_MISUSE, SQLITE_STORE_ORIGIN,
            "%s: a statement that changes something returned a row", call->what);
        call->tx->refused = true;
    }
    if (rc == DEED_OK && sqlite3_changes(db) == 0) {
        rc = deed__sqlite_not_found(call->what, err);
    }
    if (rc == DEED_OK && id_out != NULL) {
        *id_out = sqlite3_last_insert_rowid(db);
    }
    return rc;
}

struct reader deed__sqlite_call_reader(const struct call *call, struct pool *pool)
{
    return (struct reader){.stmt = call->stmt, .pool = pool};
}

deed_rc deed__sqlite_columns_end(
    struct sqlite_tx *tx, const struct reader *reader, const char *what, struct deed_error *err)
{
    tx->refused = tx->refused || reader->no_memory || reader->damaged;
    if (reader->no_memory) {
        return deed__sqlite_nomem(err);
    }
    if (reader->damaged) {
        return deed_error_set(err, DEED_E_CHECK, SQLITE_STORE_ORIGIN,
            "%s: %s: a value that no ledger can hold; `deed check` says more", tx->store->location,
            what);
    }
    return DEED_OK;
}

void deed__sqlite_call_end(struct call *call)
{
    deed__sqlite_done(call->stmt);
}

/* ---- walks ------------------------------------------------------------------------------- */

static int bind_walk(const struct walk *walk, uint32_t rows)
{
    struct binder in = {.stmt = walk->stmt};
    deed__param_int(&in, walk->cursor);
    deed__param_int(&in, rows);
    if (walk->subject_given) {
        deed__param_int(&in, walk->subject);
    } else if (walk->text != NULL) {
        deed__param_string(&in, walk->text);
    }
    return in.code;
}

/* Reads up to `rows` rows into `into`. */
static deed_rc read_batch(struct walk *walk, uint32_t rows, struct pool *pool, unsigned char *into,
    uint32_t *count_out, struct deed_error *err)
{
    uint32_t count = 0;
    int code = bind_walk(walk, rows);
    struct reader reader = {.stmt = walk->stmt, .pool = pool};
    if (code == SQLITE_OK) {
        code = sqlite3_step(walk->stmt);
    }
    while (code == SQLITE_ROW && count < rows) {
        void *row = into + (size_t)count * walk->row_bytes;
        memset(row, 0, walk->row_bytes);
        reader.index = 0;
        walk->cursor = walk->read(&reader, row);
        count++;
        code = sqlite3_step(walk->stmt);
    }
    deed_rc rc = DEED_OK;
    if (code != SQLITE_DONE && code != SQLITE_ROW) {
        rc = deed__sqlite_tx_fail(walk->tx, code, walk->what, err);
    }
    deed__sqlite_done(walk->stmt);
    *count_out = count;
    return rc == DEED_OK ? deed__sqlite_columns_end(walk->tx, &reader, walk->what, err) : rc;
}

deed_rc deed__sqlite_walk(struct walk *walk, struct deed_error *err)
{
    struct pool pool = {.memory = walk->tx->store->memory};
    deed_rc rc = DEED_OK;
    uint32_t rows = 0;
    uint32_t count = 0;
    do {
        deed__pool_reset(&pool);
        rows = walk->limit < walk->batch ? (uint32_t)walk->limit : walk->batch;
        unsigned char *into = deed__pool_alloc(&pool, walk->row_bytes * walk->batch);
        rc = into == NULL ? deed__sqlite_nomem(err)
                          : read_batch(walk, rows, &pool, into, &count, err);
        for (uint32_t i = 0; rc == DEED_OK && i < count; i++) {
            rc = walk->visit(walk, into + (size_t)i * walk->row_bytes);
        }
        if (walk->limit != UINT64_MAX) {
            walk->limit -= count;
        }
    } while (rc == DEED_OK && count == rows && walk->limit > 0);
    deed__pool_free(&pool);
    return rc;
}

/* ---- the ledger itself ------------------------------------------------------------------- */

deed_rc deed__sqlite_ledger_get(void *self, struct deed_ledger_row *row_out, struct deed_error *err)
{
    static const char sql[] =
        "SELECT name, test, epoch, fenced, restored_ms, fence_send_ms, created_ms, file_device, "
        "file_inode, chain_length, chain_head FROM ledger WHERE id = 1";
    struct sqlite_tx *tx = self;
    struct call call;
    bool found = false;
    if (tx->connection->known.ledger_here) {
        *row_out = tx->connection->known.ledger;
        return DEED_OK;
    }
    deed_rc rc = deed__sqlite_call_begin(&call, tx, SLOT_LEDGER_GET, sql, "read the ledger", err);
    if (rc == DEED_OK) {
        rc = deed__sqlite_call_step(&call, &found, err);
    }
    if (rc == DEED_OK && !found) {
        rc = deed__sqlite_not_found(call.what, err);
    }
    if (rc == DEED_OK) {
        struct reader in = deed__sqlite_call_reader(&call, &tx->rows);
        struct deed_ledger_row row = {.size = sizeof(row)};
        row.name = deed__column_key(&in);
        row.test = deed__column_bool(&in);
        row.epoch = deed__column_count(&in);
        row.fenced = deed__column_bool(&in);
        row.restored_ms = deed__column_wall(&in);
        row.fence_send_ms = deed__column_duration(&in);
        row.created_ms = deed__column_wall(&in);
        row.file_device = (uint64_t)deed__column_int(&in);
        row.file_inode = (uint64_t)deed__column_int(&in);
        row.chain_length = deed__column_count(&in);
        deed__column_hex(&in, row.chain_head, sizeof(row.chain_head));
        rc = deed__sqlite_columns_end(tx, &in, call.what, err);
        if (rc == DEED_OK) {
            deed__sqlite_known_ledger(tx->connection, &row);
            *row_out = row;
        }
    }
    deed__sqlite_call_end(&call);
    return rc;
}

deed_rc deed__sqlite_ledger_put(
    void *self, const struct deed_ledger_row *row, struct deed_error *err)
{
    static const char sql[] =
        "INSERT INTO ledger (id, name, test, epoch, fenced, restored_ms, fence_send_ms, "
        "created_ms, file_device, file_inode, chain_length, chain_head) "
        "VALUES (1, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11) "
        "ON CONFLICT (id) DO UPDATE SET name = excluded.name, test = excluded.test, "
        "epoch = excluded.epoch, fenced = excluded.fenced, restored_ms = excluded.restored_ms, "
        "fence_send_ms = excluded.fence_send_ms, created_ms = excluded.created_ms, "
        "file_device = excluded.file_device, file_inode = excluded.file_inode, "
        "chain_length = excluded.chain_length, chain_head = excluded.chain_head";
    struct sqlite_tx *tx = self;
    struct call call;
    deed_rc rc = deed__sqlite_call_begin_write(
        &call, tx, SLOT_LEDGER_PUT, sql, "store the ledger's row", err);
    if (rc == DEED_OK) {
        tx->connection->known.ledger_here = false;
        struct binder *in = &call.in;
        deed__param_string(in, row->name);
        deed__param_int(in, row->test);
        deed__param_int(in, row->epoch);
        deed__param_int(in, row->fenced);
        deed__param_int(in, row->restored_ms);
        deed__param_int(in, row->fence_send_ms);
        deed__param_int(in, row->created_ms);
        deed__param_int(in, (int64_t)row->file_device);
        deed__param_int(in, (int64_t)row->file_inode);
        deed__param_int(in, row->chain_length);
        deed__param_hex(in, row->chain_head, sizeof(row->chain_head));
        rc = deed__sqlite_call_change(&call, NULL, err);
    }
    deed__sqlite_call_end(&call);
    return rc;
}
