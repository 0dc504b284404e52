/* SPDX-License-Identifier: MIT
 *
 * One operation as the core sees it: the table of functions, what its writes have in common, and
 * the row of the ledger itself.
 */
#include <string.h>

#include "reference_impl.h"

deed_tx deed__reference_tx_face(struct reference_tx *tx)
{
    return (deed_tx){
        .size = sizeof(deed_tx),
        .self = tx,
        .ledger_get = deed__reference_ledger_get,
        .ledger_put = deed__reference_ledger_put,
        .intent_get = deed__reference_intent_get,
        .intent_by_id = deed__reference_intent_by_id,
        .intent_insert = deed__reference_intent_insert,
        .intent_update = deed__reference_intent_update,
        .intent_fill = deed__reference_intent_fill,
        .intent_each = deed__reference_intent_each,
        .attempt_insert = deed__reference_attempt_insert,
        .attempt_update = deed__reference_attempt_update,
        .attempt_by_token = deed__reference_attempt_by_token,
        .attempt_each = deed__reference_attempt_each,
        .evidence_insert = deed__reference_evidence_insert,
        .evidence_each = deed__reference_evidence_each,
        .reference_taken = deed__reference_reference_taken,
        .event_insert = deed__reference_event_insert,
        .event_each = deed__reference_event_each,
        .newest = deed__reference_newest,
        .intent_find = deed__reference_intent_find,
        .pass_insert = deed__reference_pass_insert,
        .pass_each = deed__reference_pass_each,
    };
}

deed_rc deed__reference_nomem(struct deed_error *err)
{
    return deed_error_set(err, DEED_E_NOMEM, REFERENCE_ORIGIN, "out of memory");
}

deed_rc deed__reference_write_begin(
    const struct reference_tx *tx, const char *what, struct deed_error *err)
{
    if (!tx->writing) {
        return deed_error_set(
            err, DEED_E_MISUSE, REFERENCE_ORIGIN, "%s: a read may not write", what);
    }
    return DEED_OK;
}

deed_rc deed__reference_write_end(struct reference_tx *tx, size_t mark, deed_rc rc)
{
    if (rc == DEED_OK) {
        return rc;
    }
    deed__reference_undo(tx->ledger, mark);
    /* "Not there" and "there already" are answers; what else was refused must end the operation. */
    if (tx->writing && rc != DEED_E_NOT_FOUND && rc != DEED_E_CONFLICT) {
        tx->refused = rc;
    }
    return rc;
}

const void *deed__reference_keep(
    struct reference_tx *tx, const struct shape *shape, const void *row)
{
    return deed__reference_arena_row(&tx->arena, shape, row);
}

deed_rc deed__reference_show(const struct reference_tx *tx, const struct shape *shape,
    const void *row, struct block *shown_out, struct deed_error *err)
{
    return deed__reference_block_new(tx->arena.memory, shape, row, shown_out)
        ? DEED_OK
        : deed__reference_nomem(err);
}

deed_rc deed__reference_shown(
    const struct reference_tx *tx, struct block *shown, deed_rc rc, struct deed_error *err)
{
    deed__reference_block_free(tx->arena.memory, shown);
    if (rc == DEED_OK && tx->crashed) { /* there is nothing left to walk on */
        return deed_error_set(err, DEED_E_STORE, REFERENCE_ORIGIN, "this handle crashed");
    }
    return rc;
}

/* ---- the ledger itself ------------------------------------------------------------------- */

deed_rc deed__reference_ledger_get(
    void *self, struct deed_ledger_row *row_out, struct deed_error *err)
{
    struct reference_tx *tx = self;
    if (tx->ledger->ledger.data == NULL) {
        return deed_error_set(
            err, DEED_E_NOT_FOUND, REFERENCE_ORIGIN, "the store holds no ledger yet");
    }
    const struct deed_ledger_row *row =
        deed__reference_keep(tx, &deed__reference_ledger_shape, tx->ledger->ledger.data);
    if (row == NULL) {
        return deed__reference_nomem(err);
    }
    *row_out = *row;
    return DEED_OK;
}

deed_rc deed__reference_ledger_put(
    void *self, const struct deed_ledger_row *row, struct deed_error *err)
{
    struct reference_tx *tx = self;
    struct ledger_memory *ledger = tx->ledger;
    size_t mark = ledger->log_count;
    deed_rc rc = deed__reference_write_begin(tx, "store the row of the ledger", err);
    if (rc == DEED_OK) {
        rc = deed__reference_rule_ledger(row, err);
    }
    const struct deed_ledger_row *old = ledger->ledger.data;
    if (rc == DEED_OK && old != NULL && strcmp(old->name, row->name) != 0) {
        rc = deed_error_set(err, DEED_E_CHECK, REFERENCE_ORIGIN,
            "the name of a ledger is for ever: provider keys are made from it");
    }
    struct deed_ledger_row stored = *row;
    stored.size = sizeof(stored);
    if (rc == DEED_OK &&
        !deed__reference_replace(ledger, &ledger->ledger, &deed__reference_ledger_shape, &stored)) {
        rc = deed__reference_nomem(err);
    }
    return deed__reference_write_end(tx, mark, rc);
}
