/* SPDX-License-Identifier: MIT
 *
 * Events: the links of each intent's chain, and of the ledger's own (intent_id 0). Only added.
 */
#include "sqlite_tx.h"

#define EVENT_BATCH 32U

static int64_t read_event(struct reader *in, void *row_out)
{
    struct deed_event_row *row = row_out;
    row->size = sizeof(*row);
    row->intent_id = deed__column_int(in);
    row->number = deed__column_count(in);
    row->event = (deed_event)deed__column_enum(in, DEED_EVENT_LIFT);
    row->from = (deed_state)deed__column_enum(in, DEED_RECONCILED);
    row->to = (deed_state)deed__column_enum(in, DEED_RECONCILED);
    row->outcome = (deed_outcome)deed__column_enum(in, DEED_RETRACTED);
    row->attempt = deed__column_u32(in);
    row->grade = (deed_grade)deed__column_enum(in, DEED_GRADE_OPERATOR);
    row->at_ms = deed__column_wall(in);
    row->newest_ms = deed__column_wall(in);
    row->actor = deed__column_string(in);
    row->detail = deed__column_needed(in);
    deed__column_hex(in, row->hash, sizeof(row->hash));
    return row->number;
}

/* The last row is known to whoever decides about an event; a trigger would look for it each time. */
static deed_rc refuse_earlier(
    struct sqlite_tx *tx, const struct deed_event_row *row, struct deed_error *err)
{
    int64_t newest_ms = 0;
    deed_rc rc = deed__sqlite_newest(tx, &newest_ms, err);
    if (rc == DEED_OK && row->newest_ms < newest_ms) {
        tx->refused = true;
        rc = deed_error_set(err, DEED_E_CHECK, SQLITE_STORE_ORIGIN,
            "the newest time a ledger has seen never falls");
    }
    return rc;
}

deed_rc deed__sqlite_event_insert(
    void *self, const struct deed_event_row *row, struct deed_error *err)
{
    static const char sql[] =
        "INSERT INTO event (intent_id, number, event, from_state, to_state, outcome, attempt, "
        "grade, at_ms, newest_ms, actor, detail, hash) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)";
    struct call call;
    deed_rc rc =
        deed__sqlite_call_begin_write(&call, self, SLOT_EVENT_INSERT, sql, "insert an event", err);
    if (rc == DEED_OK) {
        rc = refuse_earlier(self, row, err);
    }
    if (rc == DEED_OK) {
        struct binder *in = &call.in;
        deed__param_int(in, row->intent_id);
        deed__param_int(in, row->number);
        deed__param_int(in, row->event);
        deed__param_int(in, row->from);
        deed__param_int(in, row->to);
        deed__param_int(in, row->outcome);
        deed__param_int(in, row->attempt);
        deed__param_int(in, row->grade);
        deed__param_int(in, row->at_ms);
        deed__param_int(in, row->newest_ms);
        deed__param_string(in, row->actor);
        deed__param_string(in, row->detail);
        deed__param_hex(in, row->hash, sizeof(row->hash));
        rc = deed__sqlite_call_change(&call, NULL, err);
    }
    if (rc == DEED_OK) { /* it is the last one now */
        deed__sqlite_known_newest(call.tx->connection, row->newest_ms);
    }
    deed__sqlite_call_end(&call);
    return rc;
}

static deed_rc visit_event(const struct walk *walk, const void *row)
{
    return ((deed_event_visit)walk->visitor)(walk->context, row);
}

deed_rc deed__sqlite_event_each(
    void *self, int64_t intent_id, deed_event_visit visit, void *context, struct deed_error *err)
{
    static const char sql[] =
        "SELECT intent_id, number, event, from_state, to_state, outcome, attempt, grade, at_ms, "
        "newest_ms, actor, detail, hash FROM event "
        "WHERE intent_id = ?3 AND number > ?1 ORDER BY number LIMIT ?2";
    struct call call;
    const deed_rc rc =
        deed__sqlite_call_begin(&call, self, SLOT_EVENT_NEXT, sql, "list events", err);
    if (rc != DEED_OK) {
        return rc;
    }
    struct walk walk = {
        .tx = self,
        .stmt = call.stmt,
        .what = call.what,
        .cursor = 0,
        .limit = UINT64_MAX,
        .batch = EVENT_BATCH,
        .subject_given = true,
        .subject = intent_id,
        .row_bytes = sizeof(struct deed_event_row),
        .read = read_event,
        .visit = visit_event,
        .visitor = (void (*)(void))visit,
        .context = context,
    };
    return deed__sqlite_walk(&walk, err);
}

deed_rc deed__sqlite_newest(void *self, int64_t *newest_ms_out, struct deed_error *err)
{
    /* A trigger keeps it from falling, so the last row has the largest. */
    struct sqlite_tx *tx = self;
    struct call call;
    bool found = false;
    if (tx->connection->known.newest_here) {
        *newest_ms_out = tx->connection->known.newest_ms;
        return DEED_OK;
    }
    deed_rc rc = deed__sqlite_call_begin(&call, tx, SLOT_NEWEST,
        "SELECT newest_ms FROM event ORDER BY id DESC LIMIT 1", "read the newest time", err);
    if (rc == DEED_OK) {
        rc = deed__sqlite_call_step(&call, &found, err);
    }
    if (rc == DEED_OK) {
        *newest_ms_out = found ? sqlite3_column_int64(call.stmt, 0) : 0;
        deed__sqlite_known_newest(tx->connection, *newest_ms_out);
    }
    deed__sqlite_call_end(&call);
    return rc;
}
