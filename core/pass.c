/* SPDX-License-Identifier: MIT
 *
 * A pass: one walk over everything uncertain and due, and over second looks. It works on pages of
 * keys, so that no transaction is open while a provider is asked, and no intent is skipped: the
 * walk goes by id, and ids only grow.
 */
#include <string.h>

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
        if (tell && !walk->visit(walk->context, rc, &result, &own)) {
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

deed_rc deed_reconcile_pass(deed_ledger *ledger, deed_result_visit visit, void *context,
    struct deed_pass *pass_out, struct deed_error *err)
{
    if (ledger == NULL) {
        return deed_error_set(err, DEED_E_MISUSE, "core", "deed_reconcile_pass needs a ledger");
    }
    struct walk walk = {.ledger = ledger, .visit = visit, .context = context};
    walk.pass.size = sizeof(walk.pass);
    struct deed_instant now;
    deed_rc rc = deed__now(ledger, &now, err);
    if (rc == DEED_OK) {
        rc = walk_pages(&walk, false, now.wall_ms, err);
    }
    if (rc == DEED_OK) {
        rc = walk_pages(&walk, true, now.wall_ms, err);
    }
    if (pass_out != NULL) {
        *pass_out = walk.pass;
    }
    return rc;
}
