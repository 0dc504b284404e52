/* SPDX-License-Identifier: MIT
 *
 * A ledger's first write: its name. On the table of the recorded-intent fixture also the first link
 * of each intent's chain, so that every intent has one.
 */
#include <string.h>

#include <deed/system.h>

#include "apply.h"
#include "boundary.h"
#include "text.h"

struct init_in {
    struct deed_ledger ledger; /* stands in for a ledger that is not open yet */
    const char *name;
    bool test;
    struct deed_instant now;
    int64_t after_id;
    size_t count;
    char keys[64][DEED_KEY_BYTES_MAX + 1];
};

static deed_rc collect_unchained(void *context, const struct deed_intent_row *row)
{
    struct init_in *in = context;
    in->after_id = row->id;
    if (row->chain_length == 0) {
        memcpy(in->keys[in->count++], row->key, strlen(row->key) + 1);
    }
    return DEED_OK;
}

static deed_rc chain_one(struct init_in *in, deed_tx *tx, const char *key, struct deed_error *err)
{
    struct deed__case c;
    deed__case_init(&c, &in->ledger, &in->now);
    deed_rc rc = deed__case_load(&c, tx, key, 0, err);
    if (rc == DEED_OK) {
        struct deed__detail detail;
        deed__detail_init(&detail);
        deed__detail_digest(&detail, "digest", c.intent.digest);
        deed__detail_text(&detail, "adopted_from", "recorded-intent ledger");
        struct deed__call call = {.ledger = &in->ledger, .key = key};
        struct deed__change change = {
            .event = DEED_EVENT_RECORD, .detail = deed__detail_end(&detail)};
        c.intent.state = DEED_STATE_NONE;
        rc = deed__apply(&call, tx, &c, &change, err);
    }
    deed__case_finish(&c);
    return rc;
}

static deed_rc chain_adopted(struct init_in *in, deed_tx *tx, struct deed_error *err)
{
    int64_t before = -1;
    deed_rc rc = DEED_OK;
    in->after_id = 0;
    while (rc == DEED_OK && in->after_id != before) {
        before = in->after_id;
        in->count = 0;
        struct deed_select select = {.size = sizeof(select), .after_id = in->after_id, .limit = 64};
        rc = tx->intent_each(tx->self, &select, collect_unchained, in, err);
        for (size_t i = 0; rc == DEED_OK && i < in->count; i++) {
            rc = chain_one(in, tx, in->keys[i], err);
        }
    }
    return rc;
}

static deed_rc write_row(void *context, deed_tx *tx, struct deed_error *err)
{
    struct init_in *in = context;
    struct deed_ledger_row row;
    deed_rc rc = deed_size_check(&deed__shape_deed_tx, tx, err);
    if (rc != DEED_OK) {
        return rc;
    }
    rc = tx->ledger_get(tx->self, &row, err);
    if (rc == DEED_OK) {
        return deed__refuse(err, DEED_E_NO_STEP, NULL, NULL,
            "the ledger has its name already, %s, and a name is for ever", row.name);
    }
    if (rc != DEED_E_NOT_FOUND) {
        return rc;
    }
    memset(&row, 0, sizeof(row));
    row.size = sizeof(row);
    row.name = in->name;
    row.test = in->test;
    row.epoch = 1;
    row.created_ms = in->now.wall_ms;
    struct deed_store *store = in->ledger.store;
    store->identity(store->self, &row.file_device, &row.file_inode);
    rc = tx->ledger_put(tx->self, &row, err);
    return rc == DEED_OK ? chain_adopted(in, tx, err) : rc;
}

static deed_rc check_name(const char *name, struct deed_error *err)
{
    struct deed_error key_error;
    if (name == NULL || deed_key_check(name, &key_error) != DEED_OK) {
        return deed_error_set(err, DEED_E_INVALID, "core",
            "a ledger name is 1 to %d of the characters a-z, 0-9 and -; it becomes part of every "
            "provider key",
            DEED_NAME_BYTES_MAX);
    }
    return DEED_OK;
}

deed_rc deed__inner_ledger_init(struct deed_store *store, const char *name, bool test,
    const struct deed_options *options, struct deed_error *err)
{
    if (store == NULL) {
        return deed_error_set(err, DEED_E_MISUSE, "core", "deed_ledger_init needs a store");
    }
    deed_rc rc = check_name(name, err);
    if (rc != DEED_OK) {
        return rc;
    }
    struct init_in in;
    memset(&in, 0, sizeof(in));
    in.ledger.store = store;
    deed__take_options(&in.ledger, options);
    in.name = name;
    in.test = test;
    rc = deed__text_check(
        NULL, "the actor of the options", in.ledger.actor, DEED_NOTE_BYTES_MAX, err);
    if (rc == DEED_OK) {
        rc = deed__now(&in.ledger, &in.now, err);
    }
    if (rc != DEED_OK) {
        return rc;
    }
    struct deed_op op = {.size = sizeof(op), .run = write_row, .context = &in};
    rc = store->write(store->self, &op, 1, err);
    if (rc == DEED_OK && op.rc != DEED_OK) {
        rc = op.rc;
        if (err != NULL) {
            *err = op.error;
        }
    }
    return rc;
}
