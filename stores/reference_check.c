/* SPDX-License-Identifier: MIT
 *
 * Is the memory sound? Every row keeps the rules, every list is in order, every index finds what it
 * should and counts no more than that.
 */
#include <string.h>

#include "reference_impl.h"

struct totals {
    size_t attempts;
    size_t evidence;
    size_t events;
    size_t references;
};

static deed_rc damaged(const char *what, struct deed_error *err)
{
    return deed_error_set(err, DEED_E_CHECK, REFERENCE_ORIGIN, "the memory is damaged: %s", what);
}

static bool is_ordered(const struct list *list)
{
    bool ordered = true;
    for (size_t i = 1; ordered && i < list->count; i++) {
        ordered = list->items[i - 1]->number < list->items[i]->number;
    }
    return ordered;
}

static bool is_indexed(const struct index *index, const struct cell *cell)
{
    const struct cell *at = deed__reference_index_first(index, cell->hash);
    while (at != NULL && at != cell) {
        at = deed__reference_index_next(at);
    }
    return at == cell;
}

static deed_rc check_attempts(
    const struct ledger_memory *ledger, const struct intent *intent, struct deed_error *err)
{
    deed_rc rc = DEED_OK;
    for (size_t i = 0; rc == DEED_OK && i < intent->attempts.count; i++) {
        const struct cell *cell = intent->attempts.items[i];
        const struct deed_attempt_row *row = cell->row.data;
        rc = deed__reference_rule_attempt(row, err);
        if (rc == DEED_OK &&
            (row->intent_id != intent->cell.number || (int64_t)row->number != cell->number ||
                !is_indexed(&ledger->tokens, cell))) {
            rc = damaged("an attempt is not where its token says", err);
        }
    }
    return rc;
}

static deed_rc check_evidence(const struct ledger_memory *ledger, const struct intent *intent,
    struct totals *totals, struct deed_error *err)
{
    deed_rc rc = DEED_OK;
    for (size_t i = 0; rc == DEED_OK && i < intent->evidence.count; i++) {
        const struct cell *cell = intent->evidence.items[i];
        const struct deed_evidence_row *row = cell->row.data;
        bool named = row->reference != NULL && row->outcome == DEED_APPLIED;
        totals->references += named ? 1 : 0;
        rc = deed__reference_rule_evidence(row, err);
        if (rc == DEED_OK &&
            (row->intent_id != intent->cell.number || row->id != cell->number ||
                (named && !is_indexed(&ledger->references, cell)))) {
            rc = damaged("evidence is not where its reference says", err);
        }
    }
    return rc;
}

static deed_rc check_chain(const struct list *chain, int64_t intent_id, struct deed_error *err)
{
    deed_rc rc = is_ordered(chain) ? DEED_OK : damaged("a chain is out of order", err);
    for (size_t i = 0; rc == DEED_OK && i < chain->count; i++) {
        const struct deed_event_row *row = chain->items[i]->row.data;
        rc = deed__reference_rule_event(row, err);
        if (rc == DEED_OK && row->intent_id != intent_id) {
            rc = damaged("an event stands in the chain of another intent", err);
        }
    }
    return rc;
}

static deed_rc check_intent(const struct ledger_memory *ledger, const struct intent *intent,
    struct totals *totals, struct deed_error *err)
{
    const struct deed_intent_row *row = intent->cell.row.data;
    deed_rc rc = deed__reference_rule_intent(row, err);
    if (rc == DEED_OK &&
        (row->id != intent->cell.number || !is_indexed(&ledger->keys, &intent->cell) ||
            !is_ordered(&intent->attempts) || !is_ordered(&intent->evidence))) {
        rc = damaged("an intent is not where its key says, or its lists are out of order", err);
    }
    if (rc == DEED_OK) {
        rc = check_attempts(ledger, intent, err);
    }
    if (rc == DEED_OK) {
        rc = check_evidence(ledger, intent, totals, err);
    }
    if (rc == DEED_OK) {
        rc = check_chain(&intent->events, row->id, err);
    }
    totals->attempts += intent->attempts.count;
    totals->evidence += intent->evidence.count;
    totals->events += intent->events.count;
    return rc;
}

static deed_rc check_newest(const struct list *events, struct deed_error *err)
{
    int64_t newest_ms = 0;
    for (size_t i = 0; i < events->count; i++) {
        const struct deed_event_row *row = events->items[i]->row.data;
        if (row->newest_ms < newest_ms) {
            return damaged("the newest time it has seen fell", err);
        }
        newest_ms = row->newest_ms;
    }
    return DEED_OK;
}

static deed_rc check_passes(const struct list *passes, struct deed_error *err)
{
    deed_rc rc = is_ordered(passes) ? DEED_OK : damaged("passes are out of order", err);
    for (size_t i = 0; rc == DEED_OK && i < passes->count; i++) {
        rc = deed__reference_rule_pass(passes->items[i]->row.data, err);
    }
    return rc;
}

deed_rc deed__reference_check_memory(struct ledger_memory *ledger, struct deed_error *err)
{
    struct totals totals = {.events = ledger->chain.count};
    deed_rc rc = ledger->ledger.data == NULL
        ? DEED_OK
        : deed__reference_rule_ledger(ledger->ledger.data, err);
    if (rc == DEED_OK && (!is_ordered(&ledger->intents) || !is_ordered(&ledger->evidence))) {
        rc = damaged("a table is out of order", err);
    }
    for (size_t i = 0; rc == DEED_OK && i < ledger->intents.count; i++) {
        rc = check_intent(ledger, (const struct intent *)ledger->intents.items[i], &totals, err);
    }
    if (rc == DEED_OK) {
        rc = check_chain(&ledger->chain, 0, err);
    }
    if (rc == DEED_OK) {
        rc = check_newest(&ledger->events, err);
    }
    if (rc == DEED_OK) {
        rc = check_passes(&ledger->passes, err);
    }
    if (rc == DEED_OK &&
        (totals.attempts != ledger->tokens.count || totals.evidence != ledger->evidence.count ||
            totals.events != ledger->events.count ||
            totals.references != ledger->references.count ||
            ledger->intents.count != ledger->keys.count)) {
        rc = damaged("a table holds more or less than its index", err);
    }
    return rc;
}
