/* SPDX-License-Identifier: MIT
 *
 * Intents. The payload is a block of its own: an update does not copy it.
 */
#include <string.h>

#include "reference_impl.h"

struct intent *deed__reference_intent(const struct ledger_memory *ledger, int64_t id)
{
    return (struct intent *)deed__reference_list_find(&ledger->intents, id);
}

static const struct deed_intent_row *row_of(const struct cell *cell)
{
    return cell->row.data;
}

static struct cell *find_key(const struct ledger_memory *ledger, const char *key)
{
    uint64_t hash = deed__reference_hash(key, strlen(key));
    struct cell *cell = deed__reference_index_first(&ledger->keys, hash);
    while (cell != NULL && strcmp(row_of(cell)->key, key) != 0) {
        cell = deed__reference_index_next(cell);
    }
    return cell;
}

static deed_rc not_found(struct deed_error *err)
{
    return deed_error_set(err, DEED_E_NOT_FOUND, REFERENCE_ORIGIN, "there is no such intent");
}

/* ---- reading ----------------------------------------------------------------------------- */

/* Row and payload in one; target and body only if they were asked for. */
static struct deed_intent_row whole(const struct cell *cell, bool with_payload)
{
    static const struct deed_text none = {NULL, 0};
    struct deed_intent_row row = *row_of(cell);
    row.payload = *(const struct deed_payload *)cell->content.data;
    if (!with_payload) {
        row.payload.target = none;
        row.payload.body = none;
    }
    return row;
}

static deed_rc answer(struct reference_tx *tx, const struct cell *cell, bool with_payload,
    struct deed_intent_row *row_out, struct deed_error *err)
{
    if (cell == NULL) {
        return not_found(err);
    }
    struct deed_intent_row found = whole(cell, with_payload);
    const struct deed_intent_row *row =
        deed__reference_keep(tx, &deed__reference_whole_intent_shape, &found);
    if (row == NULL) {
        return deed__reference_nomem(err);
    }
    *row_out = *row;
    return DEED_OK;
}

deed_rc deed__reference_intent_get(void *self, const char *key, bool with_payload,
    struct deed_intent_row *row_out, struct deed_error *err)
{
    struct reference_tx *tx = self;
    return answer(tx, find_key(tx->ledger, key), with_payload, row_out, err);
}

deed_rc deed__reference_intent_by_id(void *self, int64_t id, bool with_payload,
    struct deed_intent_row *row_out, struct deed_error *err)
{
    struct reference_tx *tx = self;
    return answer(
        tx, deed__reference_list_find(&tx->ledger->intents, id), with_payload, row_out, err);
}

/* ---- writing ----------------------------------------------------------------------------- */

/* The payload as it is stored: not read at all if it is not here, but for the kind. */
static struct deed_payload payload_of(const struct deed_intent_row *row)
{
    struct deed_payload payload = {.kind = row->payload.kind};
    if (row->payload_here) {
        payload = row->payload;
    }
    return payload;
}

/* The row as it is stored: the payload stands apart. */
static struct deed_intent_row bare(const struct deed_intent_row *row)
{
    struct deed_intent_row stored = *row;
    stored.size = sizeof(stored);
    memset(&stored.payload, 0, sizeof(stored.payload));
    return stored;
}

static bool insert(struct ledger_memory *ledger, const struct deed_intent_row *row, int64_t id)
{
    struct cell *cell = deed__reference_cell_new(ledger, sizeof(struct intent));
    if (cell == NULL) {
        return false;
    }
    struct deed_intent_row stored = bare(row);
    struct deed_payload payload = payload_of(row);
    stored.id = id;
    cell->number = id;
    return deed__reference_block_new(
               ledger->memory, &deed__reference_intent_shape, &stored, &cell->row) &&
        deed__reference_block_new(
            ledger->memory, &deed__reference_payload_shape, &payload, &cell->content) &&
        deed__reference_cell_list(ledger, cell, &ledger->intents, true) &&
        deed__reference_cell_index(
            ledger, cell, &ledger->keys, deed__reference_hash(stored.key, strlen(stored.key)));
}

deed_rc deed__reference_intent_insert(
    void *self, struct deed_intent_row *row, struct deed_error *err)
{
    struct reference_tx *tx = self;
    struct ledger_memory *ledger = tx->ledger;
    size_t mark = ledger->log_count;
    int64_t id = (int64_t)ledger->intents.count + 1; /* none is ever removed */
    deed_rc rc = deed__reference_write_begin(tx, "insert an intent", err);
    if (rc == DEED_OK) {
        rc = deed__reference_rule_intent(row, err);
    }
    if (rc == DEED_OK) {
        rc = deed__reference_rule_payload(row, err);
    }
    if (rc == DEED_OK && find_key(ledger, row->key) != NULL) {
        rc = deed_error_set(
            err, DEED_E_CONFLICT, REFERENCE_ORIGIN, "the key %s exists already", row->key);
    }
    if (rc == DEED_OK && !insert(ledger, row, id)) {
        rc = deed__reference_nomem(err);
    }
    if (rc == DEED_OK) {
        row->id = id;
    }
    return deed__reference_write_end(tx, mark, rc);
}

static deed_rc replace_row(struct ledger_memory *ledger, struct cell *cell,
    const struct deed_intent_row *stored, struct deed_error *err)
{
    return deed__reference_replace(ledger, &cell->row, &deed__reference_intent_shape, stored)
        ? DEED_OK
        : deed__reference_nomem(err);
}

/* Key, digest, age and payload stay as they were, whatever the row says: a key is for ever. */
static deed_rc update(struct ledger_memory *ledger, struct cell *cell,
    const struct deed_intent_row *row, struct deed_error *err)
{
    const struct deed_intent_row *old = row_of(cell);
    struct deed_intent_row stored = bare(row);
    stored.key = old->key;
    memcpy(stored.digest, old->digest, sizeof(stored.digest));
    stored.recorded_ms = old->recorded_ms;
    stored.payload_here = old->payload_here;
    deed_rc rc = deed__reference_rule_intent(&stored, err);
    return rc == DEED_OK ? replace_row(ledger, cell, &stored, err) : rc;
}

deed_rc deed__reference_intent_update(
    void *self, const struct deed_intent_row *row, struct deed_error *err)
{
    struct reference_tx *tx = self;
    size_t mark = tx->ledger->log_count;
    struct cell *cell = deed__reference_list_find(&tx->ledger->intents, row->id);
    deed_rc rc = deed__reference_write_begin(tx, "update an intent", err);
    if (rc == DEED_OK) {
        rc = cell == NULL ? not_found(err) : update(tx->ledger, cell, row, err);
    }
    return deed__reference_write_end(tx, mark, rc);
}

static deed_rc check_fill(
    const struct cell *cell, const struct deed_intent_row *row, struct deed_error *err)
{
    const struct deed_intent_row *old = row_of(cell);
    const struct deed_payload *payload = cell->content.data;
    if (old->payload_here) {
        return deed_error_set(
            err, DEED_E_CONFLICT, REFERENCE_ORIGIN, "%s has its payload already", old->key);
    }
    deed_rc rc = deed__reference_rule_payload(row, err);
    const struct deed_text *kind = &payload->kind;
    if (rc == DEED_OK && kind->data != NULL &&
        (kind->bytes != row->payload.kind.bytes ||
            memcmp(kind->data, row->payload.kind.data, kind->bytes) != 0)) {
        rc = deed_error_set(err, DEED_E_CHECK, REFERENCE_ORIGIN,
            "%s: a payload can be stored or removed, not rewritten", old->key);
    }
    return rc;
}

static deed_rc fill(struct ledger_memory *ledger, struct cell *cell,
    const struct deed_intent_row *row, struct deed_error *err)
{
    struct deed_intent_row whole = *row;
    whole.payload_here = true;
    deed_rc rc = check_fill(cell, &whole, err);
    if (rc != DEED_OK) {
        return rc;
    }
    struct deed_intent_row stored = *row_of(cell);
    stored.payload_here = true;
    rc = replace_row(ledger, cell, &stored, err);
    if (rc == DEED_OK &&
        !deed__reference_replace(
            ledger, &cell->content, &deed__reference_payload_shape, &whole.payload)) {
        rc = deed__reference_nomem(err);
    }
    return rc;
}

deed_rc deed__reference_intent_fill(
    void *self, const struct deed_intent_row *row, struct deed_error *err)
{
    struct reference_tx *tx = self;
    size_t mark = tx->ledger->log_count;
    struct cell *cell = deed__reference_list_find(&tx->ledger->intents, row->id);
    deed_rc rc = deed__reference_write_begin(tx, "store a payload", err);
    if (rc == DEED_OK) {
        rc = cell == NULL ? not_found(err) : fill(tx->ledger, cell, row, err);
    }
    return deed__reference_write_end(tx, mark, rc);
}

/* ---- lists ------------------------------------------------------------------------------- */

static bool is_final(const struct deed_intent_row *row)
{
    return row->state != DEED_RECORDED && row->state != DEED_ATTEMPTED &&
        row->outcome != DEED_NOT_APPLIED;
}

static bool match_flags(const struct deed_select *select, const struct deed_intent_row *row)
{
    uint32_t holds = 0;
    if (!is_final(row) || row->held || row->disputed) {
        holds |= DEED_SELECT_OPEN;
    }
    if (row->disputed) {
        holds |= DEED_SELECT_DISPUTED;
    }
    if (row->held) {
        holds |= DEED_SELECT_HELD;
    }
    if (row->not_after_ms != 0 && row->not_after_ms < select->now_ms && !is_final(row)) {
        holds |= DEED_SELECT_OVERDUE;
    }
    if (row->next_due_ms <= select->now_ms) {
        holds |= DEED_SELECT_DUE;
    }
    if (row->looks_left > 0 && row->look_due_ms <= select->now_ms) {
        holds |= DEED_SELECT_LOOK_DUE;
    }
    return (select->flags & ~holds) == 0;
}

static bool match(const struct deed_select *select, const struct cell *cell)
{
    const struct deed_intent_row *row = row_of(cell);
    const struct deed_text *kind = &((const struct deed_payload *)cell->content.data)->kind;
    if (select->kind != NULL &&
        (kind->data == NULL || kind->bytes != strlen(select->kind) ||
            memcmp(kind->data, select->kind, kind->bytes) != 0)) {
        return false;
    }
    return (select->state == DEED_STATE_NONE || row->state == select->state) &&
        (!select->outcome_given || row->outcome == select->outcome) &&
        (select->recorded_before_ms == 0 || row->recorded_ms < select->recorded_before_ms) &&
        match_flags(select, row);
}

deed_rc deed__reference_intent_each(void *self, const struct deed_select *select,
    deed_intent_visit visit, void *context, struct deed_error *err)
{
    const struct reference_tx *tx = self;
    const struct list *intents = &tx->ledger->intents;
    int64_t last = (int64_t)intents->count; /* ids have no gaps; what is added is not walked */
    uint32_t left = select->limit == 0 ? UINT32_MAX : select->limit;
    deed_rc rc = DEED_OK;
    int64_t id = select->after_id < 0 ? 0 : select->after_id;
    while (rc == DEED_OK && left > 0 && id < last) {
        const struct cell *cell = intents->items[id++];
        if (!match(select, cell)) {
            continue;
        }
        struct deed_intent_row row = whole(cell, false);
        struct block shown = {NULL, 0};
        rc = deed__reference_show(tx, &deed__reference_whole_intent_shape, &row, &shown, err);
        rc =
            deed__reference_shown(tx, &shown, rc == DEED_OK ? visit(context, shown.data) : rc, err);
        left -= select->limit == 0 ? 0 : 1;
    }
    return rc;
}

/* ---- finding ----------------------------------------------------------------------------- */

static bool was_sent_under(const struct intent *intent, const char *provider_key)
{
    bool sent = false;
    for (size_t i = 0; !sent && i < intent->attempts.count; i++) {
        const struct deed_attempt_row *row = intent->attempts.items[i]->row.data;
        sent = strcmp(row->provider_key, provider_key) == 0;
    }
    return sent;
}

static bool has_reference(const struct intent *intent, const char *reference)
{
    bool has = false;
    for (size_t i = 0; !has && i < intent->evidence.count; i++) {
        const struct deed_evidence_row *row = intent->evidence.items[i]->row.data;
        has = row->reference != NULL && strcmp(row->reference, reference) == 0;
    }
    return has;
}

/* Looks at every intent: this store is for tests and small hosts, and its indexes serve writing. */
deed_rc deed__reference_intent_find(void *self, const char *provider_key, const char *reference,
    deed_intent_visit visit, void *context, struct deed_error *err)
{
    const struct reference_tx *tx = self;
    const struct list *intents = &tx->ledger->intents;
    size_t last = intents->count;
    deed_rc rc = DEED_OK;
    for (size_t i = 0; rc == DEED_OK && i < last; i++) {
        const struct intent *intent = (const struct intent *)intents->items[i];
        bool found = provider_key != NULL ? was_sent_under(intent, provider_key)
                                          : has_reference(intent, reference);
        if (found) {
            struct deed_intent_row row = whole(&intent->cell, false);
            struct block shown = {NULL, 0};
            rc = deed__reference_show(tx, &deed__reference_whole_intent_shape, &row, &shown, err);
            rc = deed__reference_shown(
                tx, &shown, rc == DEED_OK ? visit(context, shown.data) : rc, err);
        }
    }
    return rc;
}
