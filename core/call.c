/* SPDX-License-Identifier: MIT */
#include "call.h"

#include <string.h>

#include "apply.h"
#include "check.h"
#include "door.h"

/* What this very call records has no chain yet, and a table that was not adopted has none. */
static bool wants_chain(const struct deed__call *call, const struct deed__case *c)
{
    return (call->parts & DEED__WITH_CHAIN) != 0 && c->intent.id != 0 && call->ledger->initialised;
}

static deed_rc run(void *context, deed_tx *tx, struct deed_error *err)
{
    struct deed__call *call = context;
    struct deed__case c;
    call->decided = false;
    call->wrote = false;
    /* Now, and not before the wait for other writers: what they have written meanwhile must not look
     * as if the clock had been set back. */
    deed_rc rc = deed__now(call->ledger, &call->now, err);
    deed__case_init(&c, call->ledger, &call->now);
    if (rc == DEED_OK) {
        rc = deed__case_load(&c, tx, call->key, call->parts, err);
    }
    bool missing = rc == DEED_E_NOT_FOUND;
    if (missing && call->may_be_missing) {
        memset(&c.intent, 0, sizeof(c.intent));
        rc = DEED_OK;
    } else if (missing) {
        rc =
            deed__refuse(err, rc, call->key, "deed list --all", "there is no intent %s", call->key);
    }
    if (rc == DEED_OK && wants_chain(call, &c)) {
        rc = deed__demand_chain(&c, tx, err);
    }
    if (rc == DEED_OK) {
        rc = call->decide(call, tx, &c, err);
        if (rc == DEED_OK && c.record_waits) {
            rc = deed__apply_record(tx, &c, err);
        }
        missing = c.intent.id == 0;
    }
    bool undone = rc != DEED_OK && call->wrote; /* the case tells of what will not be */
    if (!missing && !undone && c.intent.key != NULL && call->result != NULL) {
        deed__result_fill(call->result, &c);
    }
    if (rc == DEED_OK && call->wrote) {
        memcpy(call->head, c.intent.chain_head, sizeof(call->head));
        deed_seam_cross(call->written);
    }
    deed__case_finish(&c);
    call->decided = rc == DEED_OK;
    return rc;
}

/* What was decided is not committed: nothing is claimed of it. */
static void claim_nothing(const struct deed__call *call)
{
    if (call->decided && call->result != NULL) {
        size_t size = call->result->size;
        memset(call->result, 0, sizeof(*call->result));
        call->result->size = size;
    }
}

/* Looks for what an earlier run wrote; the chain is the one place that names it. */
struct search {
    const struct deed__call *call;
    bool found;
};

static deed_rc compare_hash(void *context, const struct deed_event_row *row)
{
    struct search *search = context;
    if (memcmp(row->hash, search->call->head, DEED_DIGEST_BYTES) == 0) {
        search->found = true;
    }
    return DEED_OK;
}

static deed_rc look_for(void *context, deed_tx *tx, struct deed_error *err)
{
    struct search *search = context;
    struct deed_intent_row intent;
    search->found = false;
    deed_rc rc = tx->intent_get(tx->self, search->call->key, false, &intent, err);
    if (rc == DEED_E_NOT_FOUND) {
        return DEED_OK;
    }
    return rc == DEED_OK ? tx->event_each(tx->self, intent.id, compare_hash, search, err) : rc;
}

/* The commit returned an error and may be there all the same. Nothing is claimed until the store
 * has made what it shows durable and the chain was read again. */
static deed_rc find_again(struct deed__call *call, bool *found_out, struct deed_error *err)
{
    deed__trace(call->ledger, "store.recover", call->key, "a commit had an unknown fate");
    deed_rc rc = deed__store_recover(call->ledger, err);
    if (rc == DEED_OK) {
        struct search search = {.call = call};
        rc = deed__read(call->ledger, look_for, &search, err);
        *found_out = search.found;
    }
    return rc;
}

static deed_rc answer_of(const struct deed_op *op, struct deed_error *err)
{
    if (op->rc != DEED_OK && err != NULL) {
        *err = op->error;
    }
    return op->rc;
}

static void answer_committed(const struct deed__call *call)
{
    if (call->wrote) {
        deed_seam_cross(call->committed);
    }
}

/* From here to its recovery the store is not believed, by whichever thread comes next. */
static void suspect_unknown(const struct deed__call *call, const struct deed_op *op, deed_rc rc)
{
    if (rc != DEED_OK && op->fate == DEED_FATE_UNKNOWN) {
        atomic_store(call->ledger->suspect, true);
    }
}

static deed_rc write_once(struct deed__call *call, struct deed_op *op, struct deed_error *err)
{
    struct deed_store *store = call->ledger->store;
    memset(op, 0, sizeof(*op));
    op->size = sizeof(*op);
    op->run = run;
    op->context = call;
    deed__lend(call->ledger, DEED__NO_CALLS);
    deed_rc rc = store->write(store->self, op, 1, err);
    deed__lent();
    rc = rc == DEED_OK ? answer_of(op, err) : rc;
    suspect_unknown(call, op, rc);
    return rc;
}

/* Why it could not be read what became of a commit: busy and no memory would say that nothing changed,
 * and that is more than is known. */
static deed_rc leave_open(deed_rc rc, struct deed_error *err)
{
    if (rc != DEED_E_BUSY && rc != DEED_E_NOMEM) {
        return rc;
    }
    if (err != NULL) {
        err->rc = DEED_E_STORE;
    }
    return DEED_E_STORE;
}

/* Goes on after a commit of unknown fate: found again it counts as done, otherwise it is run once
 * more, unless it must not be. */
static deed_rc settle_unknown(struct deed__call *call, deed_rc failed, struct deed_error *err)
{
    bool found = !call->wrote;
    if (call->wrote) {
        deed_rc rc = find_again(call, &found, err);
        if (rc != DEED_OK) {
            claim_nothing(call);
            return leave_open(rc, err);
        }
    }
    if (found) {
        call->unknown = true;
        answer_committed(call);
        return DEED_OK;
    }
    if (call->never_again) {
        claim_nothing(call);
        return failed;
    }
    struct deed_op op;
    deed_rc rc = write_once(call, &op, err);
    if (rc == DEED_OK) {
        answer_committed(call);
    } else {
        claim_nothing(call);
    }
    return rc;
}

deed_rc deed__call_write(struct deed__call *call, struct deed_error *err)
{
    deed_rc rc = deed__store_trusted(call->ledger, err);
    if (rc != DEED_OK) {
        return rc;
    }
    deed__asked_wrote(call->ledger->asked, call->key);
    struct deed_op op;
    rc = write_once(call, &op, err);
    if (rc == DEED_OK) {
        answer_committed(call);
        return rc;
    }
    if (op.fate == DEED_FATE_UNKNOWN) {
        return settle_unknown(call, rc, err);
    }
    claim_nothing(call);
    return rc;
}

deed_rc deed__call_read(struct deed__call *call, struct deed_error *err)
{
    return deed__read_brief(call->ledger, run, call, err);
}

static void settle_each(struct deed__call *calls, const struct deed_op *ops, size_t count,
    deed_rc rc, deed_rc *rcs, struct deed_error *errs)
{
    for (size_t i = 0; i < count; i++) {
        rcs[i] = rc == DEED_OK ? answer_of(&ops[i], &errs[i]) : rc;
        if (rcs[i] == DEED_OK) {
            answer_committed(&calls[i]);
        } else if (ops[i].fate == DEED_FATE_UNKNOWN) {
            suspect_unknown(&calls[i], &ops[i], rcs[i]);
            rcs[i] = settle_unknown(&calls[i], rcs[i], &errs[i]);
        } else {
            claim_nothing(&calls[i]);
        }
    }
}

deed_rc deed__call_write_many(struct deed__call *calls, size_t count, deed_rc *rcs,
    struct deed_error *errs, struct deed_error *err)
{
    const struct deed_ledger *ledger = calls[0].ledger;
    deed_rc rc = deed__store_trusted(ledger, err);
    if (rc != DEED_OK) {
        return rc;
    }
    struct deed_op *ops = deed__alloc(ledger, count * sizeof(*ops));
    if (ops == NULL) {
        return deed_error_set(err, DEED_E_NOMEM, "core", "out of memory for %zu operations", count);
    }
    memset(ops, 0, count * sizeof(*ops));
    for (size_t i = 0; i < count; i++) {
        ops[i].size = sizeof(ops[i]);
        ops[i].run = run;
        ops[i].context = &calls[i];
        deed__asked_wrote(ledger->asked, calls[i].key);
    }
    struct deed_error shared;
    memset(&shared, 0, sizeof(shared));
    struct deed_store *store = ledger->store;
    deed__lend(ledger, DEED__NO_CALLS);
    rc = store->write(store->self, ops, count, &shared);
    deed__lent();
    for (size_t i = 0; rc != DEED_OK && i < count; i++) {
        errs[i] = shared;
    }
    settle_each(calls, ops, count, rc, rcs, errs);
    deed__free(ledger, ops, count * sizeof(*ops));
    return DEED_OK;
}
