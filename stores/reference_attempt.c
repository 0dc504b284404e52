/* SPDX-License-Identifier: MIT
 *
 * Attempts, each in the list of its intent and in one index by token. The bytes of a request are a
 * block of their own: an answer does not copy them.
 */
#include <string.h>

#include "reference_impl.h"

static const struct deed_attempt_row *row_of(const struct cell *cell)
{
    return cell->row.data;
}

static struct cell *find_token(
    const struct ledger_memory *ledger, const uint8_t token[DEED_TOKEN_BYTES])
{
    uint64_t hash = deed__reference_hash(token, DEED_TOKEN_BYTES);
    struct cell *cell = deed__reference_index_first(&ledger->tokens, hash);
    while (cell != NULL && memcmp(row_of(cell)->token, token, DEED_TOKEN_BYTES) != 0) {
        cell = deed__reference_index_next(cell);
    }
    return cell;
}

/* ---- reading ----------------------------------------------------------------------------- */

/* Row and bytes in one. */
static struct deed_attempt_row whole(const struct cell *cell, bool with_bytes)
{
    struct deed_attempt_row row = *row_of(cell);
    const struct deed_text *bytes = cell->content.data;
    row.bytes_here = bytes != NULL;
    if (with_bytes && bytes != NULL) {
        row.bytes = *bytes;
    }
    return row;
}

deed_rc deed__reference_attempt_by_token(void *self, const uint8_t token[DEED_TOKEN_BYTES],
    struct deed_attempt_row *row_out, struct deed_error *err)
{
    struct reference_tx *tx = self;
    const struct cell *cell = find_token(tx->ledger, token);
    if (cell == NULL) {
        return deed_error_set(
            err, DEED_E_NOT_FOUND, REFERENCE_ORIGIN, "there is no attempt with this token");
    }
    struct deed_attempt_row found = whole(cell, false);
    const struct deed_attempt_row *row =
        deed__reference_keep(tx, &deed__reference_whole_attempt_shape, &found);
    if (row == NULL) {
        return deed__reference_nomem(err);
    }
    *row_out = *row;
    return DEED_OK;
}

deed_rc deed__reference_attempt_each(void *self, int64_t intent_id, bool with_bytes,
    deed_attempt_visit visit, void *context, struct deed_error *err)
{
    const struct reference_tx *tx = self;
    const struct intent *intent = deed__reference_intent(tx->ledger, intent_id);
    size_t count = intent == NULL ? 0 : intent->attempts.count;
    deed_rc rc = DEED_OK;
    for (size_t i = 0; rc == DEED_OK && i < count; i++) {
        struct deed_attempt_row row = whole(intent->attempts.items[i], with_bytes);
        struct block shown = {NULL, 0};
        rc = deed__reference_show(tx, &deed__reference_whole_attempt_shape, &row, &shown, err);
        rc =
            deed__reference_shown(tx, &shown, rc == DEED_OK ? visit(context, shown.data) : rc, err);
    }
    return rc;
}

/* ---- writing ----------------------------------------------------------------------------- */

static bool insert(
    struct ledger_memory *ledger, struct intent *intent, const struct deed_attempt_row *row)
{
    struct cell *cell = deed__reference_cell_new(ledger, sizeof(*cell));
    if (cell == NULL) {
        return false;
    }
    struct deed_attempt_row stored = *row;
    stored.size = sizeof(stored);
    stored.bytes.data = NULL;
    stored.bytes.bytes = 0;
    cell->number = row->number;
    return deed__reference_block_new(
               ledger->memory, &deed__reference_attempt_shape, &stored, &cell->row) &&
        (row->bytes.data == NULL ||
            deed__reference_block_new(
                ledger->memory, &deed__reference_bytes_shape, &row->bytes, &cell->content)) &&
        deed__reference_cell_list(ledger, cell, &intent->attempts, false) &&
        deed__reference_cell_index(
            ledger, cell, &ledger->tokens, deed__reference_hash(row->token, sizeof(row->token)));
}

static deed_rc check_insert(const struct ledger_memory *ledger, const struct intent *intent,
    const struct deed_attempt_row *row, struct deed_error *err)
{
    deed_rc rc = deed__reference_rule_attempt(row, err);
    if (rc != DEED_OK) {
        return rc;
    }
    if (intent == NULL) {
        return deed_error_set(
            err, DEED_E_CHECK, REFERENCE_ORIGIN, "an attempt belongs to an intent that exists");
    }
    if (deed__reference_list_find(&intent->attempts, row->number) != NULL) {
        return deed_error_set(err, DEED_E_CONFLICT, REFERENCE_ORIGIN,
            "the intent has an attempt %u already", (unsigned)row->number);
    }
    if (find_token(ledger, row->token) != NULL) {
        return deed_error_set(
            err, DEED_E_CONFLICT, REFERENCE_ORIGIN, "there is an attempt with this token already");
    }
    return DEED_OK;
}

deed_rc deed__reference_attempt_insert(
    void *self, const struct deed_attempt_row *row, struct deed_error *err)
{
    struct reference_tx *tx = self;
    struct ledger_memory *ledger = tx->ledger;
    size_t mark = ledger->log_count;
    struct intent *intent = deed__reference_intent(ledger, row->intent_id);
    deed_rc rc = deed__reference_write_begin(tx, "insert an attempt", err);
    if (rc == DEED_OK) {
        rc = check_insert(ledger, intent, row, err);
    }
    if (rc == DEED_OK && !insert(ledger, intent, row)) {
        rc = deed__reference_nomem(err);
    }
    return deed__reference_write_end(tx, mark, rc);
}

/* What was true when the first byte went out stays as it was, whatever the row says. */
static struct deed_attempt_row updated(
    const struct deed_attempt_row *old, const struct deed_attempt_row *row)
{
    struct deed_attempt_row stored = *old;
    stored.flags = row->flags;
    stored.answered = row->answered;
    stored.answered_ms = row->answered_ms;
    stored.verdict = row->verdict;
    stored.pending = row->pending;
    stored.handle = row->handle;
    stored.first_look = row->first_look;
    return stored;
}

static deed_rc update(struct ledger_memory *ledger, struct cell *cell,
    const struct deed_attempt_row *row, struct deed_error *err)
{
    struct deed_attempt_row stored = updated(row_of(cell), row);
    deed_rc rc = deed__reference_rule_attempt(&stored, err);
    if (rc == DEED_OK &&
        !deed__reference_replace(ledger, &cell->row, &deed__reference_attempt_shape, &stored)) {
        rc = deed__reference_nomem(err);
    }
    return rc;
}

/* The token is the fence: under another one there is nothing to update. */
static struct cell *find_for_update(
    const struct ledger_memory *ledger, const struct deed_attempt_row *row)
{
    struct cell *cell = find_token(ledger, row->token);
    bool same = cell != NULL && row_of(cell)->intent_id == row->intent_id &&
        row_of(cell)->number == row->number;
    return same ? cell : NULL;
}

deed_rc deed__reference_attempt_update(
    void *self, const struct deed_attempt_row *row, struct deed_error *err)
{
    struct reference_tx *tx = self;
    size_t mark = tx->ledger->log_count;
    struct cell *cell = find_for_update(tx->ledger, row);
    deed_rc rc = deed__reference_write_begin(tx, "update an attempt", err);
    if (rc == DEED_OK) {
        rc = cell == NULL ? deed_error_set(err, DEED_E_NOT_FOUND, REFERENCE_ORIGIN,
                                "the intent has no such attempt")
                          : update(tx->ledger, cell, row, err);
    }
    return deed__reference_write_end(tx, mark, rc);
}
