/* SPDX-License-Identifier: MIT
 *
 * A pass: one walk over everything uncertain and due, and over second looks. It works on pages of
 * keys, so that no transaction is open while a provider is asked, and no intent is skipped: the
 * walk goes by id, and ids only grow. What it counted is stored in one commit at its end.
 */
#include <string.h>

#include "boundary.h"
#include "detail.h"
#include "door.h"
#include "reconcile.h"

#define PAGE 64

struct page {
    int64_t after_id;
    int64_t now_ms;
    size_t count;
    bool more;
    bool second_looks;
    char keys[PAGE][DEED_KEY_BYTES_MAX + 1];
};

static deed_rc collect(void *context, const struct deed_intent_row *row)
{
    struct page *page = context;
    page->after_id = row->id;
    page->more = true;
    bool open = row->state == DEED_ATTEMPTED;
    if (page->second_looks || open) {
        memcpy(page->keys[page->count++], row->key, strlen(row->key) + 1);
    }
    return DEED_OK;
}

static deed_rc read_page(void *context, deed_tx *tx, struct deed_error *err)
{
    struct page *page = context;
    int64_t after = page->after_id;
    page->count = 0;
    page->more = false;
    struct deed_select select = {
        .size = sizeof(select),
        .flags = page->second_looks ? DEED_SELECT_LOOK_DUE : DEED_SELECT_OPEN,
        .state = page->second_looks ? DEED_STATE_NONE : DEED_ATTEMPTED,
        .now_ms = page->now_ms,
        .after_id = after,
        .limit = PAGE,
    };
    return tx->intent_each(tx->self, &select, collect, page, err);
}

/* A second look that found nothing settles nothing; it is taken again, or was the last one. */
static void count(
    struct deed_pass *pass, bool second_look, deed_rc rc, const struct deed_result *result)
{
    if (result->in_flight) {
        return; /* somebody is at it: not uncertain */
    }
    pass->seen++;
    if (rc == DEED_E_NEEDS_PERSON || rc == DEED_E_NO_EXECUTOR || result->disputed ||
        (rc == DEED_OK && result->uncertain && result->needs_person)) {
        pass->person++;
    } else if (rc != DEED_OK) {
        pass->failed++;
    } else if (result->uncertain || (second_look && result->due_ms > 0)) {
        pass->waiting++;
    } else {
        pass->settled++;
        return;
    }
    if (result->key[0] != '\0') {
        pass->reasons[result->reason]++;
    }
}

struct walk {
    deed_ledger *ledger;
    deed_result_visit visit;
    void *context;
    struct deed_pass pass;
    bool stop;
};

static void reconcile_page(struct walk *walk, const struct page *page)
{
    for (size_t i = 0; i < page->count && !walk->stop; i++) {
        struct deed_result result = {.size = sizeof(result)};
        struct deed_error own;
        memset(&own, 0, sizeof(own));
        deed_rc rc = deed__reconcile_one(walk->ledger, page->keys[i], false, &result, &own);
        count(&walk->pass, page->second_looks, rc, &result);
        bool tell = walk->visit != NULL && !result.in_flight;
        if (tell && !deed__tell(walk->ledger, walk->visit, walk->context, rc, &result, &own)) {
            walk->stop = true;
        }
    }
}

static deed_rc walk_pages(
    struct walk *walk, bool second_looks, int64_t now_ms, struct deed_error *err)
{
    struct page page;
    memset(&page, 0, sizeof(page));
    page.second_looks = second_looks;
    page.now_ms = now_ms;
    page.more = true;
    deed_rc rc = DEED_OK;
    while (rc == DEED_OK && page.more && !walk->stop) {
        rc = deed__read(walk->ledger, read_page, &page, err);
        if (rc == DEED_OK) {
            reconcile_page(walk, &page);
        }
    }
    return rc;
}

/* ---- what is stored of it ------------------------------------------------------------------ */

_Static_assert((int)DEED_REASON_COUNT <= DEED_REASON_COUNT_MAX, "room for every reason");

/* The reason whose name comes next in the order of canonical JSON; NONE: there is no more. */
static deed_reason reason_after(const struct deed_pass *pass, const char *name)
{
    deed_reason next = DEED_REASON_NONE;
    for (int i = 1; i < DEED_REASON_COUNT; i++) {
        const char *own = deed_reason_name((deed_reason)i);
        if (pass->reasons[i] > 0 && strcmp(own, name) > 0 &&
            (next == DEED_REASON_NONE || strcmp(own, deed_reason_name(next)) < 0)) {
            next = (deed_reason)i;
        }
    }
    return next;
}

static const char *describe(struct deed__detail *detail, const struct deed_pass *pass)
{
    deed__detail_init(detail);
    deed_reason reason = reason_after(pass, "");
    while (reason != DEED_REASON_NONE) {
        const char *name = deed_reason_name(reason);
        deed__detail_number(detail, name, (int64_t)pass->reasons[reason]);
        reason = reason_after(pass, name);
    }
    return deed__detail_end(detail);
}

static deed_rc insert(void *context, deed_tx *tx, struct deed_error *err)
{
    struct deed_pass_row row = *(const struct deed_pass_row *)context;
    return tx->pass_insert(tx->self, &row, err);
}

/* A commit of unknown fate is not looked for: a pass that may be missing in the list harms nobody, and
 * nothing is told twice. */
static deed_rc write_row(
    const deed_ledger *ledger, struct deed_pass_row *row, struct deed_error *err)
{
    deed_rc rc = deed__store_trusted(ledger, err);
    if (rc != DEED_OK) {
        return rc;
    }
    struct deed_op op = {.size = sizeof(op), .run = insert, .context = row};
    deed__lend(ledger, DEED__NO_CALLS);
    rc = ledger->store->write(ledger->store->self, &op, 1, err);
    deed__lent();
    if (rc == DEED_OK && op.rc != DEED_OK) {
        rc = op.rc;
        if (err != NULL) {
            *err = op.error;
        }
    }
    if (rc != DEED_OK && op.fate == DEED_FATE_UNKNOWN) {
        atomic_store(ledger->suspect, true);
    }
    return rc;
}

static deed_rc store_pass(struct walk *walk, struct deed_error *err)
{
    struct deed_instant now;
    deed_rc rc = deed__now(walk->ledger, &now, err);
    if (rc != DEED_OK) {
        return rc;
    }
    struct deed_pass *pass = &walk->pass;
    pass->ended_ms = now.wall_ms;
    if (pass->seen == 0) {
        return DEED_OK;
    }
    struct deed__detail detail;
    struct deed_pass_row row = {
        .size = sizeof(row),
        .started_ms = pass->started_ms,
        .ended_ms = pass->ended_ms,
        .actor = walk->ledger->actor,
        .seen = pass->seen,
        .settled = pass->settled,
        .waiting = pass->waiting,
        .person = pass->person,
        .failed = pass->failed,
        .reasons = describe(&detail, pass),
    };
    rc = write_row(walk->ledger, &row, err);
    if (rc != DEED_OK) {
        deed_error_context(
            err, "the pass is over and each answer stands, but its counts are not stored");
    }
    return rc;
}

deed_rc deed__inner_reconcile_pass(deed_ledger *ledger, deed_result_visit visit, void *context,
    struct deed_pass *pass_out, struct deed_error *err)
{
    if (ledger == NULL) {
        return deed_error_set(err, DEED_E_MISUSE, "core", "deed_reconcile_pass needs a ledger");
    }
    deed_rc rc = deed__enter(ledger, "deed_reconcile_pass", err);
    if (rc != DEED_OK) {
        return rc;
    }
    struct walk walk = {.ledger = ledger, .visit = visit, .context = context};
    walk.pass.size = sizeof(walk.pass);
    struct deed_instant now;
    rc = deed__now(ledger, &now, err);
    if (rc != DEED_OK) {
        return rc;
    }
    walk.pass.started_ms = now.wall_ms;
    rc = walk_pages(&walk, false, now.wall_ms, err);
    if (rc == DEED_OK) {
        rc = walk_pages(&walk, true, now.wall_ms, err);
    }
    if (rc == DEED_OK) {
        rc = store_pass(&walk, err);
    } else { /* what was seen before the walk broke off is stored if that is possible at all */
        struct deed_error second;
        (void)store_pass(&walk, &second);
    }
    if (pass_out != NULL) {
        *pass_out = walk.pass;
    }
    return rc;
}

/* ---- reading them ---------------------------------------------------------------------------- */

struct passes {
    uint32_t limit;
    deed_pass_visit visit;
    void *context;
};

static deed_rc read_passes(void *context, deed_tx *tx, struct deed_error *err)
{
    const struct passes *passes = context;
    return tx->pass_each(tx->self, passes->limit, passes->visit, passes->context, err);
}

deed_rc deed_ledger_passes(deed_ledger *ledger, uint32_t limit, deed_pass_visit visit,
    void *context, struct deed_error *err)
{
    if (ledger == NULL || visit == NULL) {
        return deed__misuse(err, "deed_ledger_passes");
    }
    struct passes passes = {limit, visit, context};
    deed_rc rc = deed__enter(ledger, "deed_ledger_passes", err);
    return rc == DEED_OK ? deed__read(ledger, read_passes, &passes, err) : rc;
}
