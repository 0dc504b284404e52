/* SPDX-License-Identifier: MIT
 *
 * Passes of reconciliation: rows that are only ever added, and read from the newest on.
 */
#include "reference_impl.h"

static bool insert(struct ledger_memory *ledger, const struct deed_pass_row *row)
{
    struct cell *cell = deed__reference_cell_new(ledger, sizeof(*cell));
    if (cell == NULL) {
        return false;
    }
    cell->number = row->id;
    return deed__reference_block_new(
               ledger->memory, &deed__reference_pass_shape, row, &cell->row) &&
        deed__reference_cell_list(ledger, cell, &ledger->passes, true);
}

deed_rc deed__reference_pass_insert(void *self, struct deed_pass_row *row, struct deed_error *err)
{
    struct reference_tx *tx = self;
    struct ledger_memory *ledger = tx->ledger;
    size_t mark = ledger->log_count;
    deed_rc rc = deed__reference_write_begin(tx, "insert a pass", err);
    if (rc == DEED_OK) {
        rc = deed__reference_rule_pass(row, err);
    }
    if (rc == DEED_OK) {
        struct deed_pass_row stored = *row;
        stored.size = sizeof(stored);
        stored.id = (int64_t)ledger->passes.count + 1; /* none is ever removed */
        rc = insert(ledger, &stored) ? DEED_OK : deed__reference_nomem(err);
        if (rc == DEED_OK) {
            row->id = stored.id;
        }
    }
    return deed__reference_write_end(tx, mark, rc);
}

deed_rc deed__reference_pass_each(
    void *self, uint32_t limit, deed_pass_visit visit, void *context, struct deed_error *err)
{
    const struct reference_tx *tx = self;
    size_t count = tx->ledger->passes.count;
    size_t wanted = limit == 0 || limit > count ? count : limit;
    deed_rc rc = DEED_OK;
    for (size_t i = 0; rc == DEED_OK && i < wanted; i++) {
        struct block shown = {NULL, 0};
        const struct cell *cell = tx->ledger->passes.items[count - 1 - i];
        rc = deed__reference_show(tx, &deed__reference_pass_shape, cell->row.data, &shown, err);
        rc =
            deed__reference_shown(tx, &shown, rc == DEED_OK ? visit(context, shown.data) : rc, err);
    }
    return rc;
}
