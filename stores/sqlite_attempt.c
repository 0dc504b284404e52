/* SPDX-License-Identifier: MIT
 *
 * Attempts, and the bytes they were to send, which lie in a table of their own if they are many.
 */
#include "sqlite_tx.h"

#include <string.h>

/* As many bytes of a request stand in the attempt's row, as the schema has it. */
#define INLINE_BYTES_MAX 512U

#define ATTEMPT_BATCH       16U
#define ATTEMPT_BATCH_BYTES 2U /* of rows that bring their bytes along */

#define ATTEMPT_COLUMNS                                                                            \
    "a.intent_id, a.number, a.token, a.cause, a.executor, a.executor_version, a.account_scope, "   \
    "a.endpoint, a.provider_key, a.generation, a.bytes_digest, a.owner, a.start_ms, "              \
    "a.start_mono_ms, a.start_boot, a.send_ms, a.answer_ms, a.landing_ms, a.lag_ms, a.reach_ms, "  \
    "a.window_ms, a.second_look_1_ms, a.second_look_2_ms, a.flags, a.answered, a.answered_ms, "    \
    "a.verdict, a.pending, a.handle, a.first_look_ms, a.first_look_mono_ms, a.first_look_boot, "   \
    "a.bytes IS NOT NULL OR EXISTS (SELECT 1 FROM request h WHERE h.id = a.id)"

#define ATTEMPT_NEXT                                                                               \
    "WHERE a.id > (?3 << 32 | ?1) AND a.id <= (?3 << 32 | 4294967295) ORDER BY a.id LIMIT ?2"

static int64_t id_of(const struct deed_attempt_row *row)
{
    return (int64_t)((uint64_t)row->intent_id << 32 | row->number);
}

static void read_attempt(struct reader *in, struct deed_attempt_row *row)
{
    row->size = sizeof(*row);
    row->intent_id = deed__column_int(in);
    row->number = deed__column_u32(in);
    deed__column_hex(in, row->token, sizeof(row->token));
    row->cause = (deed_cause)deed__column_enum(in, DEED_CAUSE_BY_NAME);
    row->executor = deed__column_needed(in);
    row->executor_version = deed__column_needed(in);
    row->account_scope = deed__column_needed(in);
    row->endpoint = deed__column_needed(in);
    row->provider_key = deed__column_needed(in);
    row->generation = deed__column_u32(in);
    deed__column_hex(in, row->bytes_digest, sizeof(row->bytes_digest));
    row->owner = deed__column_int(in);
    deed__column_instant(in, &row->start);
    row->send_ms = deed__column_duration(in);
    row->answer_ms = deed__column_duration(in);
    row->landing_ms = deed__column_duration(in);
    row->lag_ms = deed__column_duration(in);
    row->reach_ms = deed__column_duration(in);
    row->window_ms = deed__column_duration(in);
    row->second_look_ms[0] = deed__column_duration(in);
    row->second_look_ms[1] = deed__column_duration(in);
    row->flags = deed__column_u32(in);
    row->answered = deed__column_bool(in);
    row->answered_ms = deed__column_wall(in);
    row->verdict = (deed_verdict)deed__column_enum(in, DEED_VERDICT_NOT_APPLIED);
    row->pending = deed__column_bool(in);
    row->handle = deed__column_string(in);
    deed__column_instant(in, &row->first_look);
    row->bytes_here = deed__column_bool(in);
}

static void bind_attempt(struct binder *in, const struct deed_attempt_row *row)
{
    deed__param_int(in, id_of(row));
    deed__param_int(in, row->intent_id);
    deed__param_int(in, row->number);
    deed__param_hex(in, row->token, sizeof(row->token));
    deed__param_int(in, row->cause);
    deed__param_string_or_empty(in, row->executor);
    deed__param_string_or_empty(in, row->executor_version);
    deed__param_string_or_empty(in, row->account_scope);
    deed__param_string_or_empty(in, row->endpoint);
    deed__param_string_or_empty(in, row->provider_key);
    deed__param_int(in, row->generation);
    deed__param_hex(in, row->bytes_digest, sizeof(row->bytes_digest));
    deed__param_int(in, row->owner);
    deed__param_int(in, row->start.wall_ms);
    deed__param_int(in, row->start.mono_ms);
    deed__param_string(in, row->start.boot);
    deed__param_int(in, row->send_ms);
    deed__param_int(in, row->answer_ms);
    deed__param_int(in, row->landing_ms);
    deed__param_int(in, row->lag_ms);
    deed__param_int(in, row->reach_ms);
    deed__param_int(in, row->window_ms);
    deed__param_int(in, row->second_look_ms[0]);
    deed__param_int(in, row->second_look_ms[1]);
}

/* What may change after the insert, in the order of both statements. */
static void bind_changing(struct binder *in, const struct deed_attempt_row *row)
{
    deed__param_int(in, row->flags);
    deed__param_int(in, row->answered);
    deed__param_int(in, row->answered_ms);
    deed__param_int(in, row->verdict);
    deed__param_int(in, row->pending);
    deed__param_string(in, row->handle);
    deed__param_int(in, row->first_look.wall_ms);
    deed__param_int(in, row->first_look.mono_ms);
    deed__param_string(in, row->first_look.boot);
}

static void bind_bytes(struct binder *in, const struct deed_attempt_row *row)
{
    if (row->bytes.data != NULL && row->bytes.bytes <= INLINE_BYTES_MAX) {
        deed__param_blob(in, row->bytes);
    } else {
        deed__param_null(in);
    }
}

static deed_rc insert_bytes(
    struct sqlite_tx *tx, const struct deed_attempt_row *row, struct deed_error *err)
{
    struct call call;
    deed_rc rc = deed__sqlite_call_begin_write(&call, tx, SLOT_REQUEST_INSERT,
        "INSERT INTO request (id, bytes) VALUES (?1, ?2)", "insert the bytes of a request", err);
    if (rc == DEED_OK) {
        deed__param_int(&call.in, id_of(row));
        deed__param_blob(&call.in, row->bytes);
        rc = deed__sqlite_call_change(&call, NULL, err);
    }
    deed__sqlite_call_end(&call);
    return rc;
}

deed_rc deed__sqlite_attempt_insert(
    void *self, const struct deed_attempt_row *row, struct deed_error *err)
{
    static const char sql[] =
        "INSERT INTO attempt (id, intent_id, number, token, cause, executor, executor_version, "
        "account_scope, endpoint, provider_key, generation, bytes_digest, owner, start_ms, "
        "start_mono_ms, start_boot, send_ms, answer_ms, landing_ms, lag_ms, reach_ms, window_ms, "
        "second_look_1_ms, second_look_2_ms, flags, answered, answered_ms, verdict, pending, "
        "handle, first_look_ms, first_look_mono_ms, first_look_boot, bytes) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, "
        "?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27, ?28, ?29, ?30, ?31, ?32, ?33, ?34)";
    struct call call;
    deed_rc rc = deed__sqlite_call_begin_write(
        &call, self, SLOT_ATTEMPT_INSERT, sql, "insert an attempt", err);
    if (rc == DEED_OK) {
        bind_attempt(&call.in, row);
        bind_changing(&call.in, row);
        bind_bytes(&call.in, row);
        rc = deed__sqlite_call_change(&call, NULL, err);
    }
    deed__sqlite_call_end(&call);
    if (rc == DEED_OK && row->bytes.data != NULL && row->bytes.bytes > INLINE_BYTES_MAX) {
        rc = insert_bytes(self, row, err);
    }
    if (rc == DEED_OK) {
        deed__sqlite_fresh_attempt(((struct sqlite_tx *)self)->connection, row);
    }
    return rc;
}

deed_rc deed__sqlite_attempt_update(
    void *self, const struct deed_attempt_row *row, struct deed_error *err)
{
    static const char sql[] =
        "UPDATE attempt SET flags = ?1, answered = ?2, answered_ms = ?3, verdict = ?4, "
        "pending = ?5, handle = ?6, first_look_ms = ?7, first_look_mono_ms = ?8, "
        "first_look_boot = ?9 WHERE id = ?10 AND token = ?11";
    struct call call;
    deed_rc rc = deed__sqlite_call_begin_write(
        &call, self, SLOT_ATTEMPT_UPDATE, sql, "update an attempt", err);
    if (rc == DEED_OK) {
        bind_changing(&call.in, row);
        deed__param_int(&call.in, id_of(row));
        deed__param_hex(&call.in, row->token, sizeof(row->token)); /* the token fences */
        rc = deed__sqlite_call_change(&call, NULL, err);
    }
    deed__sqlite_call_end(&call);
    deed__sqlite_fresh_changed(((struct sqlite_tx *)self)->connection, row->intent_id);
    return rc;
}

deed_rc deed__sqlite_attempt_by_token(void *self, const uint8_t token[DEED_TOKEN_BYTES],
    struct deed_attempt_row *row_out, struct deed_error *err)
{
    struct sqlite_tx *tx = self;
    struct call call;
    bool found = false;
    deed_rc rc = deed__sqlite_call_begin(&call, tx, SLOT_ATTEMPT_BY_TOKEN,
        "SELECT " ATTEMPT_COLUMNS " FROM attempt a WHERE a.token = ?1", "read an attempt", err);
    if (rc == DEED_OK) {
        deed__param_hex(&call.in, token, DEED_TOKEN_BYTES);
        rc = deed__sqlite_call_step(&call, &found, err);
    }
    if (rc == DEED_OK && !found) {
        rc = deed__sqlite_not_found(call.what, err);
    }
    if (rc == DEED_OK) {
        struct reader in = deed__sqlite_call_reader(&call, &tx->rows);
        struct deed_attempt_row row;
        memset(&row, 0, sizeof(row));
        read_attempt(&in, &row);
        rc = deed__sqlite_columns_end(tx, &in, call.what, err);
        if (rc == DEED_OK) {
            *row_out = row;
        }
    }
    deed__sqlite_call_end(&call);
    return rc;
}

static int64_t read_listed(struct reader *in, void *row)
{
    struct deed_attempt_row *attempt = row;
    read_attempt(in, attempt);
    return attempt->number;
}

static int64_t read_listed_bytes(struct reader *in, void *row)
{
    struct deed_attempt_row *attempt = row;
    read_attempt(in, attempt);
    attempt->bytes = deed__column_text(in);
    return attempt->number;
}

static deed_rc visit_listed(const struct walk *walk, const void *row)
{
    return ((deed_attempt_visit)walk->visitor)(walk->context, row);
}

deed_rc deed__sqlite_attempt_each(void *self, int64_t intent_id, bool with_bytes,
    deed_attempt_visit visit, void *context, struct deed_error *err)
{
    struct call call;
    struct deed_attempt_row fresh;
    uint32_t count = 0;
    if (!with_bytes && deed__sqlite_fresh_attempts(self, intent_id, &fresh, &count)) {
        return count == 0 ? DEED_OK : visit(context, &fresh);
    }
    deed_rc rc = deed__sqlite_call_begin(&call, self,
        with_bytes ? SLOT_ATTEMPT_NEXT_BYTES : SLOT_ATTEMPT_NEXT,
        with_bytes ? "SELECT " ATTEMPT_COLUMNS ", coalesce(a.bytes, r.bytes) FROM attempt a "
                     "LEFT JOIN request r ON r.id = a.id " ATTEMPT_NEXT
                   : "SELECT " ATTEMPT_COLUMNS " FROM attempt a " ATTEMPT_NEXT,
        "list attempts", err);
    if (rc != DEED_OK) {
        return rc;
    }
    struct walk walk = {
        .tx = self,
        .stmt = call.stmt,
        .what = call.what,
        .cursor = 0,
        .limit = UINT64_MAX,
        .batch = with_bytes ? ATTEMPT_BATCH_BYTES : ATTEMPT_BATCH,
        .subject_given = true,
        .subject = intent_id,
        .row_bytes = sizeof(struct deed_attempt_row),
        .read = with_bytes ? read_listed_bytes : read_listed,
        .visit = visit_listed,
        .visitor = (void (*)(void))visit,
        .context = context,
    };
    return deed__sqlite_walk(&walk, err);
}
