/* SPDX-License-Identifier: MIT
 *
 * Evidence: why we believe what we believe. Rows are only added.
 */
#include "sqlite_tx.h"

#define EVIDENCE_BATCH 16U

static int64_t read_evidence(struct reader *in, void *row_out)
{
    struct deed_evidence_row *row = row_out;
    row->size = sizeof(*row);
    row->id = deed__column_int(in);
    row->intent_id = deed__column_int(in);
    row->attempt = deed__column_u32(in);
    row->token_known = !deed__column_is_null(in);
    if (row->token_known) {
        deed__column_hex(in, row->token, sizeof(row->token));
    } else {
        in->index++;
    }
    row->source = deed__column_needed(in);
    row->grade = (deed_grade)deed__column_enum(in, DEED_GRADE_OPERATOR);
    row->outcome = (deed_outcome)deed__column_enum(in, DEED_RETRACTED);
    row->settled = deed__column_bool(in);
    row->reference = deed__column_string(in);
    row->excerpt = deed__column_text(in);
    deed__column_hex(in, row->excerpt_digest, sizeof(row->excerpt_digest));
    row->at_ms = deed__column_wall(in);
    row->actor = deed__column_string(in);
    row->statement = deed__column_string(in);
    row->event_id = deed__column_string(in);
    return row->id;
}

deed_rc deed__sqlite_evidence_insert(
    void *self, struct deed_evidence_row *row, struct deed_error *err)
{
    static const char sql[] =
        "INSERT INTO evidence (id, intent_id, attempt, token, source, grade, outcome, settled, "
        "reference, excerpt, excerpt_digest, at_ms, actor, statement, event_id) "
        "VALUES ((SELECT coalesce(max(id), ?1 << 32) + 1 FROM evidence "
        "WHERE id > (?1 << 32) AND id <= (?1 << 32 | 4294967295)), ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, "
        "?9, ?10, ?11, ?12, ?13, ?14)";
    struct call call;
    deed_rc rc = deed__sqlite_call_begin_write(
        &call, self, SLOT_EVIDENCE_INSERT, sql, "insert evidence", err);
    if (rc == DEED_OK) {
        struct binder *in = &call.in;
        deed__param_int(in, row->intent_id);
        deed__param_int(in, row->attempt);
        if (row->token_known) {
            deed__param_hex(in, row->token, sizeof(row->token));
        } else {
            deed__param_null(in);
        }
        deed__param_string(in, row->source);
        deed__param_int(in, row->grade);
        deed__param_int(in, row->outcome);
        deed__param_int(in, row->settled);
        deed__param_string(in, row->reference);
        deed__param_blob(in, row->excerpt); /* a provider's bytes need not be text */
        deed__param_hex(in, row->excerpt_digest, sizeof(row->excerpt_digest));
        deed__param_int(in, row->at_ms);
        deed__param_string(in, row->actor);
        deed__param_string(in, row->statement);
        deed__param_string(in, row->event_id);
        rc = deed__sqlite_call_change(&call, &row->id, err);
    }
    deed__sqlite_call_end(&call);
    return rc;
}

static deed_rc visit_evidence(const struct walk *walk, const void *row)
{
    return ((deed_evidence_visit)walk->visitor)(walk->context, row);
}

deed_rc deed__sqlite_evidence_each(
    void *self, int64_t intent_id, deed_evidence_visit visit, void *context, struct deed_error *err)
{
    static const char sql[] =
        "SELECT id, intent_id, attempt, token, source, grade, outcome, settled, reference, "
        "excerpt, excerpt_digest, at_ms, actor, statement, event_id FROM evidence "
        "WHERE id > max(?1, ?3 << 32) AND id <= (?3 << 32 | 4294967295) ORDER BY id LIMIT ?2";
    struct call call;
    const deed_rc rc =
        deed__sqlite_call_begin(&call, self, SLOT_EVIDENCE_NEXT, sql, "list evidence", err);
    if (rc != DEED_OK) {
        return rc;
    }
    struct walk walk = {
        .tx = self,
        .stmt = call.stmt,
        .what = call.what,
        .cursor = 0,
        .limit = UINT64_MAX,
        .batch = EVIDENCE_BATCH,
        .subject_given = true,
        .subject = intent_id,
        .row_bytes = sizeof(struct deed_evidence_row),
        .read = read_evidence,
        .visit = visit_evidence,
        .visitor = (void (*)(void))visit,
        .context = context,
    };
    return deed__sqlite_walk(&walk, err);
}

/* 6 is the grade of a person's word. */
#define REFERENCE_TAKEN                                                                            \
    "SELECT 1 FROM evidence e "                                                                    \
    "LEFT JOIN attempt a ON a.id = (e.intent_id << 32 | e.attempt) "                               \
    "WHERE e.reference = ?1 AND e.outcome = 1 AND e.intent_id <> ?2 AND (?3 IS NULL OR "           \
    "e.grade = 6 OR a.number IS NULL OR (a.executor = ?3 AND a.account_scope = ?4)) LIMIT 1"

deed_rc deed__sqlite_reference_taken(
    void *self, const struct deed_named_effect *effect, bool *taken_out, struct deed_error *err)
{
    struct call call;
    bool taken = false;
    deed_rc rc = deed__sqlite_call_begin(
        &call, self, SLOT_REFERENCE_TAKEN, REFERENCE_TAKEN, "look for a reference", err);
    if (rc == DEED_OK) {
        deed__param_string(&call.in, effect->reference);
        deed__param_int(&call.in, effect->intent_id);
        deed__param_string(&call.in, effect->executor);
        deed__param_string(&call.in, effect->account_scope);
        rc = deed__sqlite_call_step(&call, &taken, err);
    }
    if (rc == DEED_OK) {
        *taken_out = taken;
    }
    deed__sqlite_call_end(&call);
    return rc;
}

_Static_assert(DEED_GRADE_OPERATOR == 6 && DEED_APPLIED == 1, "as in REFERENCE_TAKEN");
