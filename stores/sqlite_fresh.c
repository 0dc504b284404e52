/* SPDX-License-Identifier: MIT
 *
 * Intents that this connection has just written, with their first attempt: whoever begins an action
 * comes back in a moment with its answer, and both rows would be read again as they were written. They
 * are believed for as long as everything in sqlite_known.c is; what changes them otherwise than here
 * is told, and they are read the next time.
 */
#include "sqlite_tx.h"

#include <string.h>

static bool is_here(const struct connection *connection, uint32_t slot)
{
    return (connection->known.fresh >> slot & 1) != 0;
}

static void forget(struct connection *connection, uint32_t slot)
{
    connection->known.fresh &= ~((uint32_t)1 << slot);
}

static struct fresh *of_id(struct connection *connection, int64_t intent_id, uint32_t *slot_out)
{
    for (uint32_t slot = 0; slot < SQLITE_FRESH_KEPT; slot++) {
        if (is_here(connection, slot) && connection->fresh[slot].intent.id == intent_id) {
            *slot_out = slot;
            return &connection->fresh[slot];
        }
    }
    return NULL;
}

/* A text in the room of `fresh`; false if there is no room for it. */
static bool keep(struct fresh *fresh, const char **text, size_t bytes)
{
    if (*text == NULL) {
        return true;
    }
    if (bytes >= sizeof(fresh->text) - fresh->used) {
        return false;
    }
    char *kept = fresh->text + fresh->used;
    memcpy(kept, *text, bytes);
    kept[bytes] = '\0';
    fresh->used += bytes + 1;
    *text = kept;
    return true;
}

static bool keep_string(struct fresh *fresh, const char **text)
{
    return keep(fresh, text, *text == NULL ? 0 : strlen(*text));
}

/* Columns that an attempt has no NULL in. */
static bool keep_needed(struct fresh *fresh, const char **text)
{
    *text = *text == NULL ? "" : *text;
    return keep_string(fresh, text);
}

static bool is_plain(const struct deed_intent_row *row)
{
    return row->held_reason == NULL && row->disputed_reason == NULL && row->reference == NULL;
}

void deed__sqlite_fresh_intent(struct connection *connection, const struct deed_intent_row *row)
{
    const uint32_t slot = connection->fresh_next;
    struct fresh *fresh = &connection->fresh[slot];
    connection->known.absent[0] = '\0';
    if (!connection->known.told || !is_plain(row)) {
        return;
    }
    forget(connection, slot);
    fresh->used = 0;
    fresh->tried = false;
    fresh->intent = *row;
    memset(&fresh->intent.payload, 0, sizeof(fresh->intent.payload));
    fresh->intent.payload.kind = row->payload.kind;
    if (keep_string(fresh, &fresh->intent.key) &&
        keep(fresh, &fresh->intent.payload.kind.data, row->payload.kind.bytes)) {
        connection->known.fresh |= (uint32_t)1 << slot;
        connection->fresh_next = (slot + 1) % SQLITE_FRESH_KEPT;
    }
}

void deed__sqlite_fresh_update(struct connection *connection, const struct deed_intent_row *row)
{
    uint32_t slot = 0;
    struct fresh *fresh = of_id(connection, row->id, &slot);
    if (fresh == NULL) {
        return;
    }
    if (!is_plain(row)) {
        forget(connection, slot);
        return;
    }
    const struct deed_intent_row before = fresh->intent;
    fresh->intent = *row; /* and what an update does not write */
    fresh->intent.key = before.key;
    memcpy(fresh->intent.digest, before.digest, sizeof(before.digest));
    fresh->intent.recorded_ms = before.recorded_ms;
    fresh->intent.payload = before.payload;
    fresh->intent.payload_here = before.payload_here;
}

void deed__sqlite_fresh_attempt(struct connection *connection, const struct deed_attempt_row *row)
{
    uint32_t slot = 0;
    struct fresh *fresh = of_id(connection, row->intent_id, &slot);
    if (fresh == NULL) {
        return;
    }
    struct deed_attempt_row *attempt = &fresh->attempt;
    *attempt = *row;
    attempt->bytes_here = row->bytes.data != NULL;
    memset(&attempt->bytes, 0, sizeof(attempt->bytes));
    if (fresh->tried || row->number != 1 || row->handle != NULL ||
        !keep_needed(fresh, &attempt->executor) ||
        !keep_needed(fresh, &attempt->executor_version) ||
        !keep_needed(fresh, &attempt->account_scope) || !keep_needed(fresh, &attempt->endpoint) ||
        !keep_needed(fresh, &attempt->provider_key)) {
        forget(connection, slot);
        return;
    }
    fresh->tried = true;
}

void deed__sqlite_fresh_changed(struct connection *connection, int64_t intent_id)
{
    uint32_t slot = 0;
    if (of_id(connection, intent_id, &slot) != NULL) {
        forget(connection, slot);
    }
}

/* ---- reading ----------------------------------------------------------------------------- */

/* Where a text of `fresh` lies in a copy of its room. */
static const char *moved(const struct fresh *fresh, const char *copy, const char *text)
{
    return text == NULL ? NULL : copy + (text - fresh->text);
}

bool deed__sqlite_fresh_get(struct sqlite_tx *tx, const char *key, struct deed_intent_row *row_out)
{
    const struct connection *connection = tx->connection;
    for (uint32_t slot = 0; slot < SQLITE_FRESH_KEPT; slot++) {
        const struct fresh *fresh = &connection->fresh[slot];
        if (!is_here(connection, slot) || strcmp(fresh->intent.key, key) != 0) {
            continue;
        }
        const char *copy = deed__pool_copy(&tx->rows, fresh->text, fresh->used);
        if (copy == NULL) {
            return false; /* reading it says so */
        }
        *row_out = fresh->intent;
        row_out->key = moved(fresh, copy, fresh->intent.key);
        row_out->payload.kind.data = moved(fresh, copy, fresh->intent.payload.kind.data);
        return true;
    }
    return false;
}

bool deed__sqlite_fresh_attempts(
    struct sqlite_tx *tx, int64_t intent_id, struct deed_attempt_row *row_out, uint32_t *count_out)
{
    uint32_t slot = 0;
    const struct fresh *fresh = of_id(tx->connection, intent_id, &slot);
    if (fresh == NULL) {
        return false;
    }
    *count_out = fresh->tried ? 1 : 0;
    if (!fresh->tried) {
        return true;
    }
    const char *copy = deed__pool_copy(&tx->rows, fresh->text, fresh->used);
    if (copy == NULL) {
        return false;
    }
    *row_out = fresh->attempt;
    row_out->executor = moved(fresh, copy, fresh->attempt.executor);
    row_out->executor_version = moved(fresh, copy, fresh->attempt.executor_version);
    row_out->account_scope = moved(fresh, copy, fresh->attempt.account_scope);
    row_out->endpoint = moved(fresh, copy, fresh->attempt.endpoint);
    row_out->provider_key = moved(fresh, copy, fresh->attempt.provider_key);
    return true;
}

/* ---- what is not there ------------------------------------------------------------------- */

void deed__sqlite_fresh_absent(struct connection *connection, const char *key)
{
    char *absent = connection->known.absent;
    const size_t bytes = strlen(key);
    absent[0] = '\0';
    if (connection->known.told && bytes < sizeof(connection->known.absent)) {
        memcpy(absent, key, bytes + 1);
    }
}

bool deed__sqlite_fresh_is_absent(const struct connection *connection, const char *key)
{
    return key[0] != '\0' && strcmp(connection->known.absent, key) == 0;
}
