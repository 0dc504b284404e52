/* SPDX-License-Identifier: MIT
 *
 * The table of the recorded-intent program, read as what it is: each row is a recorded intent with
 * its digest and nothing else. Nothing is written here; `deed migrate` adopts the file.
 */
#include "sqlite_tx.h"

#include <string.h>

#define FIXTURE_BATCH 64U

#define FIXTURE_SELECT "SELECT rowid, action_key, payload_sha256 FROM intents WHERE "

static int64_t read_recorded(struct reader *in, void *row_out)
{
    struct deed_intent_row *row = row_out;
    row->size = sizeof(*row);
    row->id = deed__column_int(in);
    row->key = deed__column_key(in);
    deed__column_hex(in, row->digest, sizeof(row->digest));
    row->state = DEED_RECORDED;
    row->outcome = DEED_OUTCOME_NONE;
    return row->id;
}

static deed_rc finish_get(
    struct call *call, struct deed_intent_row *row_out, struct deed_error *err)
{
    bool found = false;
    deed_rc rc = deed__sqlite_call_step(call, &found, err);
    if (rc == DEED_OK && !found) {
        rc = deed__sqlite_not_found(call->what, err);
    }
    if (rc != DEED_OK) {
        return rc;
    }
    struct reader in = deed__sqlite_call_reader(call, &call->tx->rows);
    struct deed_intent_row row;
    memset(&row, 0, sizeof(row));
    (void)read_recorded(&in, &row);
    rc = deed__sqlite_columns_end(call->tx, &in, call->what, err);
    if (rc == DEED_OK) {
        *row_out = row;
    }
    return rc;
}

static deed_rc fixture_intent_get(void *self, const char *key, bool with_payload,
    struct deed_intent_row *row_out, struct deed_error *err)
{
    (void)with_payload;
    struct call call;
    /* A slot of its own kind: when the file is adopted, the kept statement would not compile. */
    deed_rc rc = deed__sqlite_call_begin(
        &call, self, SLOT_FIXTURE_GET, FIXTURE_SELECT "action_key = ?1", "read an intent", err);
    if (rc == DEED_OK) {
        deed__param_string(&call.in, key);
        rc = finish_get(&call, row_out, err);
    }
    deed__sqlite_call_end(&call);
    return rc;
}

static deed_rc fixture_intent_by_id(void *self, int64_t id, bool with_payload,
    struct deed_intent_row *row_out, struct deed_error *err)
{
    (void)with_payload;
    struct call call;
    deed_rc rc = deed__sqlite_call_begin(
        &call, self, SLOT_FIXTURE_BY_ID, FIXTURE_SELECT "rowid = ?1", "read an intent", err);
    if (rc == DEED_OK) {
        deed__param_int(&call.in, id);
        rc = finish_get(&call, row_out, err);
    }
    deed__sqlite_call_end(&call);
    return rc;
}

/* Whether rows that are recorded, without payload, time or flags can meet the conditions. */
static bool can_match(const struct deed_select *select)
{
    const uint32_t never =
        DEED_SELECT_DISPUTED | DEED_SELECT_HELD | DEED_SELECT_OVERDUE | DEED_SELECT_LOOK_DUE;
    const bool due = (select->flags & DEED_SELECT_DUE) == 0 || select->now_ms >= 0;
    return (select->flags & never) == 0 && due && select->kind == NULL &&
        (select->state == DEED_STATE_NONE || select->state == DEED_RECORDED) &&
        (!select->outcome_given || select->outcome == DEED_OUTCOME_NONE);
}

static deed_rc visit_recorded(const struct walk *walk, const void *row)
{
    return ((deed_intent_visit)walk->visitor)(walk->context, row);
}

static deed_rc fixture_intent_each(void *self, const struct deed_select *select,
    deed_intent_visit visit, void *context, struct deed_error *err)
{
    if (!can_match(select)) {
        return DEED_OK;
    }
    struct call call;
    const deed_rc rc = deed__sqlite_call_begin(&call, self, SLOT_FIXTURE_NEXT,
        FIXTURE_SELECT "rowid > ?1 ORDER BY rowid LIMIT ?2", "list intents", err);
    if (rc != DEED_OK) {
        return rc;
    }
    struct walk walk = {
        .tx = self,
        .stmt = call.stmt,
        .what = call.what,
        .cursor = select->after_id,
        .limit = select->limit == 0 ? UINT64_MAX : select->limit,
        .batch = FIXTURE_BATCH,
        .row_bytes = sizeof(struct deed_intent_row),
        .read = read_recorded,
        .visit = visit_recorded,
        .visitor = (void (*)(void))visit,
        .context = context,
    };
    return deed__sqlite_walk(&walk, err);
}

/* ---- what such a table does not hold ----------------------------------------------------- */

static deed_rc refuse(void *self, struct deed_error *err)
{
    const struct sqlite_tx *tx = self;
    return deed__sqlite_refuse_standing(tx->store, STANDING_FIXTURE, 1, err);
}

static deed_rc fixture_ledger_get(
    void *self, struct deed_ledger_row *row_out, struct deed_error *err)
{
    (void)self;
    (void)row_out;
    return deed__sqlite_not_found("read the ledger", err);
}

static deed_rc fixture_ledger_put(
    void *self, const struct deed_ledger_row *row, struct deed_error *err)
{
    (void)row;
    return refuse(self, err);
}

static deed_rc fixture_intent_insert(
    void *self, struct deed_intent_row *row, struct deed_error *err)
{
    (void)row;
    return refuse(self, err);
}

static deed_rc fixture_intent_write(
    void *self, const struct deed_intent_row *row, struct deed_error *err)
{
    (void)row;
    return refuse(self, err);
}

static deed_rc fixture_attempt_write(
    void *self, const struct deed_attempt_row *row, struct deed_error *err)
{
    (void)row;
    return refuse(self, err);
}

static deed_rc fixture_attempt_by_token(void *self, const uint8_t token[DEED_TOKEN_BYTES],
    struct deed_attempt_row *row_out, struct deed_error *err)
{
    (void)self;
    (void)token;
    (void)row_out;
    return deed__sqlite_not_found("read an attempt", err);
}

static deed_rc fixture_attempt_each(void *self, int64_t intent_id, bool with_bytes,
    deed_attempt_visit visit, void *context, struct deed_error *err)
{
    (void)self;
    (void)intent_id;
    (void)with_bytes;
    (void)visit;
    (void)context;
    (void)err;
    return DEED_OK;
}

static deed_rc fixture_evidence_insert(
    void *self, struct deed_evidence_row *row, struct deed_error *err)
{
    (void)row;
    return refuse(self, err);
}

static deed_rc fixture_evidence_each(
    void *self, int64_t intent_id, deed_evidence_visit visit, void *context, struct deed_error *err)
{
    (void)self;
    (void)intent_id;
    (void)visit;
    (void)context;
    (void)err;
    return DEED_OK;
}

static deed_rc fixture_reference_taken(
    void *self, const struct deed_named_effect *effect, bool *taken_out, struct deed_error *err)
{
    (void)self;
    (void)effect;
    (void)err;
    *taken_out = false;
    return DEED_OK;
}

static deed_rc fixture_event_insert(
    void *self, const struct deed_event_row *row, struct deed_error *err)
{
    (void)row;
    return refuse(self, err);
}

static deed_rc fixture_event_each(
    void *self, int64_t intent_id, deed_event_visit visit, void *context, struct deed_error *err)
{
    (void)self;
    (void)intent_id;
    (void)visit;
    (void)context;
    (void)err;
    return DEED_OK;
}

static deed_rc fixture_newest(void *self, int64_t *newest_ms_out, struct deed_error *err)
{
    (void)self;
    (void)err;
    *newest_ms_out = 0;
    return DEED_OK;
}

/* Nothing was ever sent, and nothing told of it. */
static deed_rc fixture_intent_find(void *self, const char *provider_key, const char *reference,
    deed_intent_visit visit, void *context, struct deed_error *err)
{
    (void)self;
    (void)provider_key;
    (void)reference;
    (void)visit;
    (void)context;
    (void)err;
    return DEED_OK;
}

static deed_rc fixture_pass_insert(void *self, struct deed_pass_row *row, struct deed_error *err)
{
    (void)row;
    return refuse(self, err);
}

static deed_rc fixture_pass_each(
    void *self, uint32_t limit, deed_pass_visit visit, void *context, struct deed_error *err)
{
    (void)self;
    (void)limit;
    (void)visit;
    (void)context;
    (void)err;
    return DEED_OK;
}

deed_tx deed__sqlite_fixture_face(struct sqlite_tx *tx)
{
    return (deed_tx){
        .size = sizeof(deed_tx),
        .self = tx,
        .ledger_get = fixture_ledger_get,
        .ledger_put = fixture_ledger_put,
        .intent_get = fixture_intent_get,
        .intent_by_id = fixture_intent_by_id,
        .intent_insert = fixture_intent_insert,
        .intent_update = fixture_intent_write,
        .intent_fill = fixture_intent_write,
        .intent_each = fixture_intent_each,
        .attempt_insert = fixture_attempt_write,
        .attempt_update = fixture_attempt_write,
        .attempt_by_token = fixture_attempt_by_token,
        .attempt_each = fixture_attempt_each,
        .evidence_insert = fixture_evidence_insert,
        .evidence_each = fixture_evidence_each,
        .reference_taken = fixture_reference_taken,
        .event_insert = fixture_event_insert,
        .event_each = fixture_event_each,
        .newest = fixture_newest,
        .intent_find = fixture_intent_find,
        .pass_insert = fixture_pass_insert,
        .pass_each = fixture_pass_each,
    };
}
