/* SPDX-License-Identifier: MIT
 *
 * Passes of reconciliation. Rows are only added.
 */
#include "sqlite_tx.h"

#define PASS_BATCH 16U

static int64_t read_pass(struct reader *in, void *row_out)
{
    struct deed_pass_row *row = row_out;
    row->size = sizeof(*row);
    row->id = deed__column_int(in);
    row->started_ms = deed__column_wall(in);
    row->ended_ms = deed__column_wall(in);
    row->actor = deed__column_string(in);
    row->seen = (uint64_t)deed__column_count(in);
    row->settled = (uint64_t)deed__column_count(in);
    row->waiting = (uint64_t)deed__column_count(in);
    row->person = (uint64_t)deed__column_count(in);
    row->failed = (uint64_t)deed__column_count(in);
    row->reasons = deed__column_needed(in);
    return row->id;
}

deed_rc deed__sqlite_pass_insert(void *self, struct deed_pass_row *row, struct deed_error *err)
{
    static const char sql[] =
        "INSERT INTO pass (started_ms, ended_ms, actor, seen, settled, waiting, person, failed, "
        "reasons) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
    struct call call;
    deed_rc rc =
        deed__sqlite_call_begin_write(&call, self, SLOT_PASS_INSERT, sql, "insert a pass", err);
    if (rc == DEED_OK) {
        struct binder *in = &call.in;
        deed__param_int(in, row->started_ms);
        deed__param_int(in, row->ended_ms);
        deed__param_string(in, row->actor);
        deed__param_int(in, (int64_t)row->seen);
        deed__param_int(in, (int64_t)row->settled);
        deed__param_int(in, (int64_t)row->waiting);
        deed__param_int(in, (int64_t)row->person);
        deed__param_int(in, (int64_t)row->failed);
        deed__param_string(in, row->reasons);
        rc = deed__sqlite_call_change(&call, &row->id, err);
    }
    deed__sqlite_call_end(&call);
    return rc;
}

static deed_rc visit_pass(const struct walk *walk, const void *row)
{
    return ((deed_pass_visit)walk->visitor)(walk->context, row);
}

deed_rc deed__sqlite_pass_each(
    void *self, uint32_t limit, deed_pass_visit visit, void *context, struct deed_error *err)
{
    static const char sql[] =
        "SELECT id, started_ms, ended_ms, actor, seen, settled, waiting, person, failed, reasons "
        "FROM pass WHERE id < ?1 ORDER BY id DESC LIMIT ?2";
    struct call call;
    const deed_rc rc =
        deed__sqlite_call_begin(&call, self, SLOT_PASS_NEXT, sql, "list passes", err);
    if (rc != DEED_OK) {
        return rc;
    }
    struct walk walk = {
        .tx = self,
        .stmt = call.stmt,
        .what = call.what,
        .cursor = INT64_MAX, /* downwards: the newest first */
        .limit = limit == 0 ? UINT64_MAX : limit,
        .batch = PASS_BATCH,
        .row_bytes = sizeof(struct deed_pass_row),
        .read = read_pass,
        .visit = visit_pass,
        .visitor = (void (*)(void))visit,
        .context = context,
    };
    return deed__sqlite_walk(&walk, err);
}
