/* SPDX-License-Identifier: MIT
 *
 * store_rows.h - rows for tests of stores: valid as they come, each test changes what it is about;
 * and operations that are expected to succeed.
 */
#ifndef DEED_TESTS_STORE_ROWS_H
#define DEED_TESTS_STORE_ROWS_H

#include "support/test.h"

#include <string.h>

#include <deed/ext/store.h>

#define ROW_NOW_MS INT64_C(1700000000000)

static inline struct deed_text row_text(const char *text)
{
    return (struct deed_text){.data = text, .bytes = strlen(text)};
}

/* A recorded intent with payload. The digest is made of the key's first byte. */
static inline struct deed_intent_row row_intent(const char *key)
{
    struct deed_intent_row row;
    memset(&row, 0, sizeof(row));
    row.size = sizeof(row);
    row.key = key;
    memset(row.digest, key[0], sizeof(row.digest));
    row.payload_here = true;
    row.payload.kind = row_text("mail");
    row.payload.target = row_text("support");
    row.payload.body = row_text("the body");
    row.state = DEED_RECORDED;
    row.recorded_ms = ROW_NOW_MS;
    return row;
}

/* Attempt `number`; the token is made of intent and number, so it differs from every other. */
static inline struct deed_attempt_row row_attempt(int64_t intent_id, uint32_t number)
{
    struct deed_attempt_row row;
    memset(&row, 0, sizeof(row));
    row.size = sizeof(row);
    row.intent_id = intent_id;
    row.number = number;
    memcpy(row.token, &intent_id, sizeof(intent_id));
    memcpy(row.token + sizeof(intent_id), &number, sizeof(number));
    row.cause = number == 1 ? DEED_CAUSE_FIRST : DEED_CAUSE_RETRY;
    row.executor = "mock";
    row.executor_version = "1";
    row.account_scope = "acct";
    row.endpoint = "https://example.test/v1";
    row.provider_key = "00000000-0000-4000-8000-000000000001";
    row.start.wall_ms = ROW_NOW_MS;
    row.start.mono_ms = 5000;
    memcpy(row.start.boot, "boot-a", 7);
    row.send_ms = 30000;
    row.answer_ms = 60000;
    row.landing_ms = DEED_FOREVER;
    return row;
}

static inline struct deed_evidence_row row_evidence(int64_t intent_id)
{
    struct deed_evidence_row row;
    memset(&row, 0, sizeof(row));
    row.size = sizeof(row);
    row.intent_id = intent_id;
    row.source = "lookup";
    row.grade = DEED_GRADE_PROVIDER_PRESENT;
    row.outcome = DEED_APPLIED;
    row.at_ms = ROW_NOW_MS;
    return row;
}

/* Event `number` of an intent: its record, then notes; of chain 0: fences. */
static inline struct deed_event_row row_event(int64_t intent_id, int64_t number)
{
    struct deed_event_row row;
    memset(&row, 0, sizeof(row));
    row.size = sizeof(row);
    row.intent_id = intent_id;
    row.number = number;
    row.event = number == 1 ? DEED_EVENT_RECORD : DEED_EVENT_NOTE;
    row.from = number == 1 ? DEED_STATE_NONE : DEED_RECORDED;
    row.to = DEED_RECORDED;
    if (intent_id == 0) {
        row.event = DEED_EVENT_FENCE;
        row.from = DEED_STATE_NONE;
        row.to = DEED_STATE_NONE;
    }
    row.at_ms = ROW_NOW_MS;
    row.newest_ms = ROW_NOW_MS;
    row.detail = "{}";
    return row;
}

static inline struct deed_pass_row row_pass(uint64_t seen)
{
    struct deed_pass_row row;
    memset(&row, 0, sizeof(row));
    row.size = sizeof(row);
    row.started_ms = ROW_NOW_MS;
    row.ended_ms = ROW_NOW_MS + 5;
    row.seen = seen;
    row.settled = seen;
    row.reasons = "{}";
    return row;
}

static inline struct deed_ledger_row row_ledger(void)
{
    struct deed_ledger_row row;
    memset(&row, 0, sizeof(row));
    row.size = sizeof(row);
    row.name = "test-ledger";
    row.created_ms = ROW_NOW_MS;
    return row;
}

typedef deed_rc (*op_run)(void *context, deed_tx *tx, struct deed_error *err);

static inline struct deed_op op_of(op_run run, void *context)
{
    struct deed_op op;
    memset(&op, 0, sizeof(op));
    op.size = sizeof(op);
    op.run = run;
    op.context = context;
    return op;
}

/* One operation that must be committed. */
static inline void write_one(struct deed_store *store, op_run run, void *context)
{
    struct deed_error err = {.text = ""};
    struct deed_op op = op_of(run, context);
    const deed_rc rc = store->write(store->self, &op, 1, &err);
    if (rc != DEED_OK || op.rc != DEED_OK) {
        fail_msg("write: %d %s / %d %s", (int)rc, err.text, (int)op.rc, op.error.text);
    }
    assert_int_equal(op.fate, DEED_FATE_COMMITTED);
}

/* One operation that reads and must succeed. */
static inline void read_one(struct deed_store *store, op_run run, void *context)
{
    struct deed_error err = {.text = ""};
    struct deed_op op = op_of(run, context);
    const deed_rc rc = store->read(store->self, &op, &err);
    if (rc != DEED_OK || op.rc != DEED_OK) {
        fail_msg("read: %d %s / %d %s", (int)rc, err.text, (int)op.rc, op.error.text);
    }
}

/* Inserts a recorded intent with its event, as a record does. context: const char *key. */
static inline deed_rc record_like(void *context, deed_tx *tx, struct deed_error *err)
{
    struct deed_intent_row row = row_intent(context);
    row.chain_length = 1;
    deed_rc rc = tx->intent_insert(tx->self, &row, err);
    if (rc == DEED_OK) {
        const struct deed_event_row event = row_event(row.id, 1);
        rc = tx->event_insert(tx->self, &event, err);
    }
    return rc;
}

/* What `record_like` left behind. */
struct recorded {
    const char *key;
    bool found;
    int events;
};

static inline deed_rc count_event(void *context, const struct deed_event_row *row)
{
    (void)row;
    ((struct recorded *)context)->events++;
    return DEED_OK;
}

static inline deed_rc look_for_recorded(void *context, deed_tx *tx, struct deed_error *err)
{
    struct recorded *recorded = context;
    struct deed_intent_row row;
    recorded->found = false;
    recorded->events = 0;
    deed_rc rc = tx->intent_get(tx->self, recorded->key, true, &row, err);
    if (rc == DEED_E_NOT_FOUND) {
        return DEED_OK;
    }
    recorded->found = rc == DEED_OK;
    return rc == DEED_OK ? tx->event_each(tx->self, row.id, count_event, recorded, err) : rc;
}

/* 0: nothing of it is there, 1: all of it; fails for half of it. */
static inline int recorded_whole(struct deed_store *store, const char *key)
{
    struct recorded recorded = {.key = key};
    read_one(store, look_for_recorded, &recorded);
    assert_int_equal(recorded.events, recorded.found ? 1 : 0);
    return recorded.found ? 1 : 0;
}

#endif
