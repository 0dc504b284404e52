/* SPDX-License-Identifier: MIT
 *
 * Evidence and events: rows that are only ever added.
 */
#include <string.h>

#include "reference_impl.h"

static bool insert(
    struct ledger_memory *ledger, struct cell *cell, struct list *of_intent, struct list *of_all)
{
    return deed__reference_cell_list(ledger, cell, of_intent, false) &&
        deed__reference_cell_list(ledger, cell, of_all, true);
}

static struct cell *new_cell(
    struct ledger_memory *ledger, const struct shape *shape, const void *row, int64_t number)
{
    struct cell *cell = deed__reference_cell_new(ledger, sizeof(*cell));
    if (cell == NULL) {
        return NULL;
    }
    cell->number = number;
    return deed__reference_block_new(ledger->memory, shape, row, &cell->row) ? cell : NULL;
}

/* ---- evidence ---------------------------------------------------------------------------- */

static const struct deed_evidence_row *evidence_of(const struct cell *cell)
{
    return cell->row.data;
}

static bool insert_evidence(
    struct ledger_memory *ledger, struct intent *intent, const struct deed_evidence_row *row)
{
    struct cell *cell = new_cell(ledger, &deed__reference_evidence_shape, row, row->id);
    if (cell == NULL || !insert(ledger, cell, &intent->evidence, &ledger->evidence)) {
        return false;
    }
    return row->reference == NULL || row->outcome != DEED_APPLIED ||
        deed__reference_cell_index(ledger, cell, &ledger->references,
            deed__reference_hash(row->reference, strlen(row->reference)));
}

deed_rc deed__reference_evidence_insert(
    void *self, struct deed_evidence_row *row, struct deed_error *err)
{
    struct reference_tx *tx = self;
    struct ledger_memory *ledger = tx->ledger;
    size_t mark = ledger->log_count;
    struct intent *intent = deed__reference_intent(ledger, row->intent_id);
    deed_rc rc = deed__reference_write_begin(tx, "insert evidence", err);
    if (rc == DEED_OK) {
        rc = deed__reference_rule_evidence(row, err);
    }
    if (rc == DEED_OK && intent == NULL) {
        rc = deed_error_set(
            err, DEED_E_CHECK, REFERENCE_ORIGIN, "evidence belongs to an intent that exists");
    }
    if (rc == DEED_OK) {
        struct deed_evidence_row stored = *row;
        stored.size = sizeof(stored);
        stored.id = (int64_t)ledger->evidence.count + 1; /* none is ever removed */
        if (!row->token_known) {
            memset(stored.token, 0, sizeof(stored.token));
        }
        rc = insert_evidence(ledger, intent, &stored) ? DEED_OK : deed__reference_nomem(err);
        if (rc == DEED_OK) {
            row->id = stored.id;
        }
    }
    return deed__reference_write_end(tx, mark, rc);
}

deed_rc deed__reference_evidence_each(
    void *self, int64_t intent_id, deed_evidence_visit visit, void *context, struct deed_error *err)
{
    const struct reference_tx *tx = self;
    const struct intent *intent = deed__reference_intent(tx->ledger, intent_id);
    size_t count = intent == NULL ? 0 : intent->evidence.count;
    deed_rc rc = DEED_OK;
    for (size_t i = 0; rc == DEED_OK && i < count; i++) {
        struct block shown = {NULL, 0};
        rc = deed__reference_show(
            tx, &deed__reference_evidence_shape, intent->evidence.items[i]->row.data, &shown, err);
        rc =
            deed__reference_shown(tx, &shown, rc == DEED_OK ? visit(context, shown.data) : rc, err);
    }
    return rc;
}

/* Evidence about no attempt, and a person's, speaks of no executor and counts everywhere. */
static bool is_of(const struct ledger_memory *ledger, const struct deed_evidence_row *row,
    const struct deed_named_effect *effect)
{
    const struct intent *intent = deed__reference_intent(ledger, row->intent_id);
    const struct cell *cell =
        intent == NULL ? NULL : deed__reference_list_find(&intent->attempts, row->attempt);
    if (effect->executor == NULL || row->grade == DEED_GRADE_OPERATOR || cell == NULL) {
        return true;
    }
    const struct deed_attempt_row *attempt = cell->row.data;
    return strcmp(attempt->executor, effect->executor) == 0 &&
        strcmp(attempt->account_scope, effect->account_scope) == 0;
}

static bool takes(const struct ledger_memory *ledger, const struct deed_evidence_row *row,
    const struct deed_named_effect *effect)
{
    return row->intent_id != effect->intent_id && strcmp(row->reference, effect->reference) == 0 &&
        is_of(ledger, row, effect);
}

deed_rc deed__reference_reference_taken(
    void *self, const struct deed_named_effect *effect, bool *taken_out, struct deed_error *err)
{
    (void)err;
    const struct reference_tx *tx = self;
    uint64_t hash = deed__reference_hash(effect->reference, strlen(effect->reference));
    const struct cell *cell = deed__reference_index_first(&tx->ledger->references, hash);
    while (cell != NULL && !takes(tx->ledger, evidence_of(cell), effect)) {
        cell = deed__reference_index_next(cell);
    }
    *taken_out = cell != NULL;
    return DEED_OK;
}

/* ---- events ------------------------------------------------------------------------------ */

static int64_t newest_of(const struct ledger_memory *ledger)
{
    const struct list *events = &ledger->events;
    if (events->count == 0) {
        return 0;
    }
    return ((const struct deed_event_row *)events->items[events->count - 1]->row.data)->newest_ms;
}

/* NULL: there is no such intent. */
static struct list *chain_of(struct ledger_memory *ledger, int64_t intent_id)
{
    if (intent_id == 0) {
        return &ledger->chain;
    }
    struct intent *intent = deed__reference_intent(ledger, intent_id);
    return intent == NULL ? NULL : &intent->events;
}

static deed_rc check_event(const struct ledger_memory *ledger, const struct list *chain,
    const struct deed_event_row *row, struct deed_error *err)
{
    deed_rc rc = deed__reference_rule_event(row, err);
    if (rc != DEED_OK) {
        return rc;
    }
    if (chain == NULL) {
        return deed_error_set(
            err, DEED_E_CHECK, REFERENCE_ORIGIN, "an event belongs to an intent that exists");
    }
    if (deed__reference_list_find(chain, row->number) != NULL) {
        return deed_error_set(err, DEED_E_CONFLICT, REFERENCE_ORIGIN,
            "the chain is append-only, and it has an event of this number");
    }
    if (row->newest_ms < newest_of(ledger)) {
        return deed_error_set(
            err, DEED_E_CHECK, REFERENCE_ORIGIN, "the newest time a ledger has seen never falls");
    }
    return DEED_OK;
}

deed_rc deed__reference_event_insert(
    void *self, const struct deed_event_row *row, struct deed_error *err)
{
    struct reference_tx *tx = self;
    struct ledger_memory *ledger = tx->ledger;
    size_t mark = ledger->log_count;
    struct list *chain = chain_of(ledger, row->intent_id);
    deed_rc rc = deed__reference_write_begin(tx, "insert an event", err);
    if (rc == DEED_OK) {
        rc = check_event(ledger, chain, row, err);
    }
    if (rc == DEED_OK) {
        struct deed_event_row stored = *row;
        stored.size = sizeof(stored);
        struct cell *cell = new_cell(ledger, &deed__reference_event_shape, &stored, row->number);
        if (cell == NULL || !insert(ledger, cell, chain, &ledger->events)) {
            rc = deed__reference_nomem(err);
        }
    }
    return deed__reference_write_end(tx, mark, rc);
}

deed_rc deed__reference_event_each(
    void *self, int64_t intent_id, deed_event_visit visit, void *context, struct deed_error *err)
{
    const struct reference_tx *tx = self;
    const struct list *chain = chain_of(tx->ledger, intent_id);
    size_t count = chain == NULL ? 0 : chain->count;
    deed_rc rc = DEED_OK;
    for (size_t i = 0; rc == DEED_OK && i < count; i++) {
        struct block shown = {NULL, 0};
        rc = deed__reference_show(
            tx, &deed__reference_event_shape, chain->items[i]->row.data, &shown, err);
        rc =
            deed__reference_shown(tx, &shown, rc == DEED_OK ? visit(context, shown.data) : rc, err);
    }
    return rc;
}

deed_rc deed__reference_newest(void *self, int64_t *newest_ms_out, struct deed_error *err)
{
    (void)err;
    const struct reference_tx *tx = self;
    *newest_ms_out = newest_of(tx->ledger);
    return DEED_OK;
}
