/* SPDX-License-Identifier: MIT
 *
 * Intents: one row each, the payload last in it.
 */
#include "sqlite_tx.h"

#include <string.h>

#define INTENT_BATCH 64U

/* typeof() looks at the type only; `body IS NOT NULL` would read the body. */
#define INTENT_COLUMNS                                                                             \
    "id, key, digest, state, outcome, grade, attempts, settled_attempts, fence_raised, held, "     \
    "disputed, held_reason, disputed_reason, reference, recorded_ms, settled_ms, not_after_ms, "   \
    "next_due_ms, tries, looks_left, look_due_ms, absent_ms, absent_mono_ms, absent_boot, "        \
    "absent_attempts, chain_length, chain_head, kind, typeof(body) <> 'null'"

#define INTENT_SELECT         "SELECT " INTENT_COLUMNS " FROM intent WHERE "
#define INTENT_SELECT_PAYLOAD "SELECT " INTENT_COLUMNS ", target, body FROM intent WHERE "

/* The conditions of the partial indexes, letter by letter. */
#define INTENT_IS_OPEN    "(state = 1 OR state = 2 OR outcome = 3 OR held = 1 OR disputed = 1)"
#define INTENT_IS_FLAGGED "(held = 1 OR disputed = 1)"

static void read_intent(struct reader *in, struct deed_intent_row *row)
{
    row->size = sizeof(*row);
    row->id = deed__column_int(in);
    row->key = deed__column_key(in);
    deed__column_hex(in, row->digest, sizeof(row->digest));
    row->state = (deed_state)deed__column_enum(in, DEED_RECONCILED);
    row->outcome = (deed_outcome)deed__column_enum(in, DEED_RETRACTED);
    row->grade = (deed_grade)deed__column_enum(in, DEED_GRADE_OPERATOR);
    row->attempts = deed__column_u32(in);
    row->settled_attempts = deed__column_u32(in);
    row->fence_raised = deed__column_bool(in);
    row->held = deed__column_bool(in);
    row->disputed = deed__column_bool(in);
    row->held_reason = deed__column_string(in);
    row->disputed_reason = deed__column_string(in);
    row->reference = deed__column_string(in);
    row->recorded_ms = deed__column_wall(in);
    row->settled_ms = deed__column_wall(in);
    row->not_after_ms = deed__column_wall(in);
    row->next_due_ms = deed__column_wall(in);
    row->tries = deed__column_u32(in);
    row->looks_left = deed__column_u32(in);
    row->look_due_ms = deed__column_wall(in);
    deed__column_instant(in, &row->absent_asked);
    row->absent_attempts = deed__column_u32(in);
    row->chain_length = deed__column_count(in);
    deed__column_hex(in, row->chain_head, sizeof(row->chain_head));
    row->payload.kind = deed__column_text(in);
    row->payload_here = deed__column_bool(in);
}

/* ---- one --------------------------------------------------------------------------------- */

static deed_rc finish_get(
    struct call *call, bool with_payload, struct deed_intent_row *row_out, struct deed_error *err)
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
    read_intent(&in, &row);
    if (with_payload) {
        row.payload.target = deed__column_text(&in);
        row.payload.body = deed__column_text(&in);
    }
    rc = deed__sqlite_columns_end(call->tx, &in, call->what, err);
    if (rc == DEED_OK) {
        *row_out = row;
    }
    return rc;
}

deed_rc deed__sqlite_intent_get(void *self, const char *key, bool with_payload,
    struct deed_intent_row *row_out, struct deed_error *err)
{
    static const char what[] = "read an intent";
    struct sqlite_tx *tx = self;
    struct call call;
    if (!with_payload && deed__sqlite_fresh_get(tx, key, row_out)) {
        return DEED_OK;
    }
    if (deed__sqlite_fresh_is_absent(tx->connection, key)) {
        return deed__sqlite_not_found(what, err);
    }
    deed_rc rc =
        deed__sqlite_call_begin(&call, tx, with_payload ? SLOT_INTENT_GET_PAYLOAD : SLOT_INTENT_GET,
            with_payload ? INTENT_SELECT_PAYLOAD "key = ?1" : INTENT_SELECT "key = ?1", what, err);
    if (rc == DEED_OK) {
        deed__param_string(&call.in, key);
        rc = finish_get(&call, with_payload, row_out, err);
    }
    deed__sqlite_call_end(&call);
    if (rc == DEED_E_NOT_FOUND) {
        deed__sqlite_fresh_absent(tx->connection, key);
    }
    return rc;
}

deed_rc deed__sqlite_intent_by_id(void *self, int64_t id, bool with_payload,
    struct deed_intent_row *row_out, struct deed_error *err)
{
    struct call call;
    deed_rc rc = deed__sqlite_call_begin(&call, self,
        with_payload ? SLOT_INTENT_BY_ID_PAYLOAD : SLOT_INTENT_BY_ID,
        with_payload ? INTENT_SELECT_PAYLOAD "id = ?1" : INTENT_SELECT "id = ?1", "read an intent",
        err);
    if (rc == DEED_OK) {
        deed__param_int(&call.in, id);
        rc = finish_get(&call, with_payload, row_out, err);
    }
    deed__sqlite_call_end(&call);
    return rc;
}

/* What intent_insert and intent_update have in common, in this order. */
#define INTENT_CHANGING                                                                            \
    "state, outcome, grade, attempts, settled_attempts, fence_raised, held, disputed, "            \
    "held_reason, disputed_reason, reference, settled_ms, not_after_ms, next_due_ms, tries, "      \
    "looks_left, look_due_ms, absent_ms, absent_mono_ms, absent_boot, absent_attempts, "           \
    "chain_length, chain_head"

static void bind_changing(struct binder *in, const struct deed_intent_row *row)
{
    deed__param_int(in, row->state);
    deed__param_int(in, row->outcome);
    deed__param_int(in, row->grade);
    deed__param_int(in, row->attempts);
    deed__param_int(in, row->settled_attempts);
    deed__param_int(in, row->fence_raised);
    deed__param_int(in, row->held);
    deed__param_int(in, row->disputed);
    deed__param_string(in, row->held_reason);
    deed__param_string(in, row->disputed_reason);
    deed__param_string(in, row->reference);
    deed__param_int(in, row->settled_ms);
    deed__param_int(in, row->not_after_ms);
    deed__param_int(in, row->next_due_ms);
    deed__param_int(in, row->tries);
    deed__param_int(in, row->looks_left);
    deed__param_int(in, row->look_due_ms);
    deed__param_int(in, row->absent_asked.wall_ms);
    deed__param_int(in, row->absent_asked.mono_ms);
    deed__param_string(in, row->absent_asked.boot);
    deed__param_int(in, row->absent_attempts);
    deed__param_int(in, row->chain_length);
    deed__param_hex(in, row->chain_head, sizeof(row->chain_head));
}

static void bind_payload(struct binder *in, const struct deed_intent_row *row)
{
    const struct deed_text none = {.data = NULL, .bytes = 0};
    deed__param_text(in, row->payload.kind);
    deed__param_text(in, row->payload_here ? row->payload.target : none);
    deed__param_text(in, row->payload_here ? row->payload.body : none);
}

deed_rc deed__sqlite_intent_insert(void *self, struct deed_intent_row *row, struct deed_error *err)
{
    static const char sql[] =
        "INSERT INTO intent (" INTENT_CHANGING ", key, digest, recorded_ms, kind, target, body) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, "
        "?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27, ?28, ?29)";
    struct call call;
    deed_rc rc = deed__sqlite_call_begin_write(
        &call, self, SLOT_INTENT_INSERT, sql, "insert an intent", err);
    if (rc == DEED_OK) {
        bind_changing(&call.in, row);
        deed__param_string(&call.in, row->key);
        deed__param_hex(&call.in, row->digest, sizeof(row->digest));
        deed__param_int(&call.in, row->recorded_ms);
        bind_payload(&call.in, row);
        rc = deed__sqlite_call_change(&call, &row->id, err);
    }
    deed__sqlite_call_end(&call);
    if (rc == DEED_OK) {
        deed__sqlite_fresh_intent(((struct sqlite_tx *)self)->connection, row);
    }
    return rc;
}

deed_rc deed__sqlite_intent_update(
    void *self, const struct deed_intent_row *row, struct deed_error *err)
{
    static const char sql[] =
        "UPDATE intent SET (" INTENT_CHANGING ") = "
        "(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, "
        "?20, ?21, ?22, ?23) WHERE id = ?24";
    struct call call;
    deed_rc rc = deed__sqlite_call_begin_write(
        &call, self, SLOT_INTENT_UPDATE, sql, "update an intent", err);
    if (rc == DEED_OK) {
        bind_changing(&call.in, row);
        deed__param_int(&call.in, row->id);
        rc = deed__sqlite_call_change(&call, NULL, err);
    }
    deed__sqlite_call_end(&call);
    if (rc == DEED_OK) {
        deed__sqlite_fresh_update(((struct sqlite_tx *)self)->connection, row);
    }
    return rc;
}

static deed_rc intent_exists(
    struct sqlite_tx *tx, int64_t id, bool *exists_out, struct deed_error *err)
{
    struct call call;
    deed_rc rc = deed__sqlite_call_begin(
        &call, tx, SLOT_INTENT_EXISTS, "SELECT 1 FROM intent WHERE id = ?1", "read an intent", err);
    if (rc == DEED_OK) {
        deed__param_int(&call.in, id);
        rc = deed__sqlite_call_step(&call, exists_out, err);
    }
    deed__sqlite_call_end(&call);
    return rc;
}

deed_rc deed__sqlite_intent_fill(
    void *self, const struct deed_intent_row *row, struct deed_error *err)
{
    static const char sql[] = "UPDATE intent SET kind = ?1, target = ?2, body = ?3 "
                              "WHERE id = ?4 AND typeof(body) = 'null'";
    static const char what[] = "store a payload";
    struct call call;
    bool exists = false;
    deed_rc rc = deed__sqlite_call_begin_write(&call, self, SLOT_INTENT_FILL, sql, what, err);
    if (rc == DEED_OK) {
        bind_payload(&call.in, row);
        deed__param_int(&call.in, row->id);
        rc = deed__sqlite_call_change(&call, NULL, err);
    }
    deed__sqlite_call_end(&call);
    deed__sqlite_fresh_changed(((struct sqlite_tx *)self)->connection, row->id);
    if (rc == DEED_E_NOT_FOUND && intent_exists(self, row->id, &exists, NULL) == DEED_OK &&
        exists) {
        rc = deed_error_set(err, DEED_E_CONFLICT, SQLITE_STORE_ORIGIN,
            "%s: the intent has its payload already", what);
    }
    return rc;
}

/* ---- many -------------------------------------------------------------------------------- */

static int64_t read_listed(struct reader *in, void *row)
{
    read_intent(in, row);
    return ((const struct deed_intent_row *)row)->id;
}

static deed_rc visit_listed(const struct walk *walk, const void *row)
{
    return ((deed_intent_visit)walk->visitor)(walk->context, row);
}

/* The smallest index that holds every row asked for. Each index is partial, and SQLite takes it
 * only if its condition stands in the query; INDEXED BY turns a slip here into an error. */
static const char *choose_index(const struct deed_select *select)
{
    const bool state_open = select->state == DEED_RECORDED || select->state == DEED_ATTEMPTED ||
        (select->outcome_given && select->outcome == DEED_NOT_APPLIED);
    if ((select->flags & (DEED_SELECT_HELD | DEED_SELECT_DISPUTED)) != 0) {
        return "INDEXED BY intent_flagged WHERE " INTENT_IS_FLAGGED;
    }
    if ((select->flags & DEED_SELECT_LOOK_DUE) != 0) {
        return "INDEXED BY intent_look WHERE looks_left > 0";
    }
    if ((select->flags & (DEED_SELECT_OPEN | DEED_SELECT_OVERDUE)) != 0 || state_open) {
        return "INDEXED BY intent_open WHERE " INTENT_IS_OPEN;
    }
    return "WHERE 1";
}

static void add_flags(sqlite3_str *sql, const struct deed_select *select)
{
    static const struct {
        uint32_t flag;
        const char *condition;
    } fixed[] = {
        {DEED_SELECT_OPEN, " AND " INTENT_IS_OPEN},
        {DEED_SELECT_DISPUTED, " AND disputed = 1"},
        {DEED_SELECT_HELD, " AND held = 1"},
        {DEED_SELECT_OVERDUE, " AND (state = 1 OR state = 2 OR outcome = 3)"},
    };
    for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++) {
        if ((select->flags & fixed[i].flag) != 0) {
            sqlite3_str_appendall(sql, fixed[i].condition);
        }
    }
    const long long now_ms = (long long)select->now_ms;
    if ((select->flags & DEED_SELECT_OVERDUE) != 0) {
        sqlite3_str_appendf(sql, " AND not_after_ms > 0 AND not_after_ms < %lld", now_ms);
    }
    if ((select->flags & DEED_SELECT_DUE) != 0) {
        sqlite3_str_appendf(sql, " AND next_due_ms <= %lld", now_ms);
    }
    if ((select->flags & DEED_SELECT_LOOK_DUE) != 0) {
        sqlite3_str_appendf(sql, " AND look_due_ms <= %lld", now_ms);
    }
}

static char *make_list_sql(const struct deed_select *select)
{
    sqlite3_str *sql = sqlite3_str_new(NULL);
    sqlite3_str_appendall(sql, "SELECT " INTENT_COLUMNS " FROM intent ");
    sqlite3_str_appendall(sql, choose_index(select));
    add_flags(sql, select);
    if (select->state != DEED_STATE_NONE) {
        sqlite3_str_appendf(sql, " AND state = %d", (int)select->state);
    }
    if (select->outcome_given) {
        sqlite3_str_appendf(sql, " AND outcome = %d", (int)select->outcome);
    }
    if (select->recorded_before_ms > 0) {
        sqlite3_str_appendf(sql, " AND recorded_ms < %lld", (long long)select->recorded_before_ms);
    }
    if (select->kind != NULL) {
        sqlite3_str_appendall(sql, " AND kind = ?3");
    }
    sqlite3_str_appendall(sql, " AND id > ?1 ORDER BY id LIMIT ?2");
    return sqlite3_str_finish(sql);
}

deed_rc deed__sqlite_intent_each(void *self, const struct deed_select *select,
    deed_intent_visit visit, void *context, struct deed_error *err)
{
    static const char what[] = "list intents";
    struct sqlite_tx *tx = self;
    sqlite3_stmt *stmt = NULL;
    char *sql = make_list_sql(select);
    if (sql == NULL) {
        return deed__sqlite_nomem(err);
    }
    const int code = sqlite3_prepare_v2(tx->connection->db, sql, -1, &stmt, NULL);
    sqlite3_free(sql);
    if (code != SQLITE_OK) {
        return deed__sqlite_tx_fail(tx, code, what, err);
    }
    struct walk walk = {
        .tx = tx,
        .stmt = stmt,
        .what = what,
        .cursor = select->after_id,
        .limit = select->limit == 0 ? UINT64_MAX : select->limit,
        .batch = INTENT_BATCH,
        .text = select->kind,
        .row_bytes = sizeof(struct deed_intent_row),
        .read = read_listed,
        .visit = visit_listed,
        .visitor = (void (*)(void))visit,
        .context = context,
    };
    const deed_rc rc = deed__sqlite_walk(&walk, err);
    (void)sqlite3_finalize(stmt);
    return rc;
}

/* The keys are found by their index, and the intents by id: nothing is scanned. */
#define INTENT_OF_KEY                                                                              \
    INTENT_SELECT "id IN (SELECT id >> 32 FROM attempt WHERE provider_key = ?3) "                  \
                  "AND +id > ?1 ORDER BY id LIMIT ?2"
#define INTENT_OF_REFERENCE                                                                        \
    INTENT_SELECT "id IN (SELECT intent_id FROM evidence WHERE reference = ?3) "                   \
                  "AND +id > ?1 ORDER BY id LIMIT ?2"

deed_rc deed__sqlite_intent_find(void *self, const char *provider_key, const char *reference,
    deed_intent_visit visit, void *context, struct deed_error *err)
{
    const bool by_key = provider_key != NULL;
    struct call call;
    const deed_rc rc = deed__sqlite_call_begin(&call, self,
        by_key ? SLOT_INTENT_FIND_KEY : SLOT_INTENT_FIND_REFERENCE,
        by_key ? INTENT_OF_KEY : INTENT_OF_REFERENCE, "find intents", err);
    if (rc != DEED_OK) {
        return rc;
    }
    struct walk walk = {
        .tx = self,
        .stmt = call.stmt,
        .what = call.what,
        .cursor = 0,
        .limit = UINT64_MAX,
        .batch = INTENT_BATCH,
        .text = by_key ? provider_key : reference,
        .row_bytes = sizeof(struct deed_intent_row),
        .read = read_listed,
        .visit = visit_listed,
        .visitor = (void (*)(void))visit,
        .context = context,
    };
    return deed__sqlite_walk(&walk, err);
}
