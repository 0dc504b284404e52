/* SPDX-License-Identifier: MIT
 *
 * sqlite_tx.h - what the functions of struct deed_tx are made of: one call of a kept statement, and
 * a walk over rows.
 */
#ifndef DEED_STORES_SQLITE_TX_H
#define DEED_STORES_SQLITE_TX_H

#include "sqlite_impl.h"
#include "sqlite_row.h"

/* One call: begin, bind, step, read, end. */
struct call {
    struct sqlite_tx *tx;
    sqlite3_stmt *stmt;
    struct binder in;
    const char *what; /* for the error, e.g. "insert an intent" */
};

deed_rc deed__sqlite_call_begin(struct call *call, struct sqlite_tx *tx, enum slot slot,
    const char *sql, const char *what, struct deed_error *err);
/* Begins a call that writes; refuses in a read. */
deed_rc deed__sqlite_call_begin_write(struct call *call, struct sqlite_tx *tx, enum slot slot,
    const char *sql, const char *what, struct deed_error *err);
/* `*row_out`: whether a row stands there to be read. */
deed_rc deed__sqlite_call_step(struct call *call, bool *row_out, struct deed_error *err);
/* Steps an INSERT or UPDATE: NOT_FOUND if it changed no row. `*id_out`: the rowid of an INSERT; may
 * be NULL. */
deed_rc deed__sqlite_call_change(struct call *call, int64_t *id_out, struct deed_error *err);
struct reader deed__sqlite_call_reader(const struct call *call, struct pool *pool);
/* What a reader remembers, as an error. */
deed_rc deed__sqlite_columns_end(
    struct sqlite_tx *tx, const struct reader *reader, const char *what, struct deed_error *err);
void deed__sqlite_call_end(struct call *call);
deed_rc deed__sqlite_not_found(const char *what, struct deed_error *err);

/* A walk in batches: no statement is open while a row is visited, so a visitor may do what it
 * likes, write to these rows or walk again. Parameters of `stmt`: ?1 rows beyond this cursor,
 * ?2 limit, ?3 `subject` or `text`, whichever is given. */
struct walk {
    struct sqlite_tx *tx;
    sqlite3_stmt *stmt;
    const char *what;
    int64_t cursor;
    uint64_t limit; /* UINT64_MAX: none */
    uint32_t batch;
    bool subject_given;
    int64_t subject;
    const char *text;
    size_t row_bytes;
    int64_t (*read)(struct reader *reader, void *row); /* returns the row's cursor */
    deed_rc (*visit)(const struct walk *walk, const void *row);
    void (*visitor)(void); /* the caller's function, cast back by `visit` */
    void *context;
};

deed_rc deed__sqlite_walk(struct walk *walk, struct deed_error *err);

/* ---- what was just written (sqlite_fresh.c) ---------------------------------------------- */

/* After each successful insert or update of these rows. */
void deed__sqlite_fresh_intent(struct connection *connection, const struct deed_intent_row *row);
void deed__sqlite_fresh_update(struct connection *connection, const struct deed_intent_row *row);
void deed__sqlite_fresh_attempt(struct connection *connection, const struct deed_attempt_row *row);
/* Something else of this intent was written. */
void deed__sqlite_fresh_changed(struct connection *connection, int64_t intent_id);
/* false: not known here, read it. The rows live as long as those that are read. */
bool deed__sqlite_fresh_get(struct sqlite_tx *tx, const char *key, struct deed_intent_row *row_out);
bool deed__sqlite_fresh_attempts(
    struct sqlite_tx *tx, int64_t intent_id, struct deed_attempt_row *row_out, uint32_t *count_out);
/* There is no intent of this key; until one is inserted. */
void deed__sqlite_fresh_absent(struct connection *connection, const char *key);
bool deed__sqlite_fresh_is_absent(const struct connection *connection, const char *key);

/* ---- the functions, by table ------------------------------------------------------------- */

deed_rc deed__sqlite_ledger_get(
    void *self, struct deed_ledger_row *row_out, struct deed_error *err);
deed_rc deed__sqlite_ledger_put(
    void *self, const struct deed_ledger_row *row, struct deed_error *err);

deed_rc deed__sqlite_intent_get(void *self, const char *key, bool with_payload,
    struct deed_intent_row *row_out, struct deed_error *err);
deed_rc deed__sqlite_intent_by_id(void *self, int64_t id, bool with_payload,
    struct deed_intent_row *row_out, struct deed_error *err);
deed_rc deed__sqlite_intent_insert(void *self, struct deed_intent_row *row, struct deed_error *err);
deed_rc deed__sqlite_intent_update(
    void *self, const struct deed_intent_row *row, struct deed_error *err);
deed_rc deed__sqlite_intent_fill(
    void *self, const struct deed_intent_row *row, struct deed_error *err);
deed_rc deed__sqlite_intent_each(void *self, const struct deed_select *select,
    deed_intent_visit visit, void *context, struct deed_error *err);
deed_rc deed__sqlite_intent_find(void *self, const char *provider_key, const char *reference,
    deed_intent_visit visit, void *context, struct deed_error *err);

deed_rc deed__sqlite_attempt_insert(
    void *self, const struct deed_attempt_row *row, struct deed_error *err);
deed_rc deed__sqlite_attempt_update(
    void *self, const struct deed_attempt_row *row, struct deed_error *err);
deed_rc deed__sqlite_attempt_by_token(void *self, const uint8_t token[DEED_TOKEN_BYTES],
    struct deed_attempt_row *row_out, struct deed_error *err);
deed_rc deed__sqlite_attempt_each(void *self, int64_t intent_id, bool with_bytes,
    deed_attempt_visit visit, void *context, struct deed_error *err);

deed_rc deed__sqlite_evidence_insert(
    void *self, struct deed_evidence_row *row, struct deed_error *err);
deed_rc deed__sqlite_evidence_each(void *self, int64_t intent_id, deed_evidence_visit visit,
    void *context, struct deed_error *err);
deed_rc deed__sqlite_reference_taken(
    void *self, const struct deed_named_effect *effect, bool *taken_out, struct deed_error *err);

deed_rc deed__sqlite_event_insert(
    void *self, const struct deed_event_row *row, struct deed_error *err);
deed_rc deed__sqlite_event_each(
    void *self, int64_t intent_id, deed_event_visit visit, void *context, struct deed_error *err);
deed_rc deed__sqlite_newest(void *self, int64_t *newest_ms_out, struct deed_error *err);

deed_rc deed__sqlite_pass_insert(void *self, struct deed_pass_row *row, struct deed_error *err);
deed_rc deed__sqlite_pass_each(
    void *self, uint32_t limit, deed_pass_visit visit, void *context, struct deed_error *err);

#endif
