/* SPDX-License-Identifier: MIT
 *
 * Finding intents by what a provider calls them: from a line of a statement, or from a log, back to
 * the action.
 */
#include <string.h>

#include "boundary.h"
#include "door.h"
#include "viewer.h"

/* A page of results at a time, so that the visit runs outside of any transaction. */
#define PAGE 16

struct page {
    struct deed__viewer viewer;
    const char *provider_key; /* lower case; NULL: by reference */
    const char *reference;
    int64_t after_id;
    bool full;
    size_t count;
    struct deed_result results[PAGE];
};

static deed_rc collect(void *context, const struct deed_intent_row *row)
{
    struct page *page = context;
    if (row->id <= page->after_id) {
        return DEED_OK; /* on a page before this one */
    }
    if (page->count == PAGE) {
        page->full = true;
        return DEED_E_INTERRUPTED; /* ends the walk; read_page knows */
    }
    deed_rc rc = deed__viewer_show(&page->viewer, row, &page->results[page->count]);
    if (rc == DEED_OK) {
        page->after_id = row->id;
        page->count++;
    }
    return rc;
}

static deed_rc read_page(void *context, deed_tx *tx, struct deed_error *err)
{
    struct page *page = context;
    page->count = 0;
    page->full = false;
    deed_rc rc = deed__viewer_begin(&page->viewer, tx, err);
    if (rc == DEED_OK) {
        rc = tx->intent_find(tx->self, page->provider_key, page->reference, collect, page, err);
    }
    return page->full && rc == DEED_E_INTERRUPTED ? DEED_OK : rc;
}

static deed_rc check_find(const struct deed_find *find, struct deed_error *err)
{
    if ((find->provider_key == NULL) == (find->reference == NULL)) {
        return deed_error_set(err, DEED_E_MISUSE, "core",
            "deed_ledger_find needs either a provider key or a reference, and not both");
    }
    const char *given = find->provider_key != NULL ? find->provider_key : find->reference;
    if (given[0] == '\0') {
        return deed_error_set(err, DEED_E_INVALID, "core",
            "what is looked for is empty: give a provider key, or a provider's reference");
    }
    return DEED_OK;
}

static deed_rc not_found(const struct page *page, struct deed_error *err)
{
    if (page->provider_key != NULL) {
        return deed__refuse(err, DEED_E_NOT_FOUND, NULL, "deed list --all",
            "nothing was sent under this provider key from this ledger; a key that was cut or "
            "changed by the provider is not found, and another ledger may have sent it");
    }
    return deed__refuse(err, DEED_E_NOT_FOUND, NULL, "deed list --all",
        "no evidence in this ledger has this reference; it is compared letter by letter, and the "
        "answer that named it may have been lost: look for the provider key");
}

/* Provider keys are stored in lower case; not every provider shows them so. false: no provider key
 * is that long. */
static bool lower_key(const char *given, char lower[DEED_PROVIDER_KEY_BYTES])
{
    size_t length = strlen(given);
    if (length >= DEED_PROVIDER_KEY_BYTES) {
        return false;
    }
    for (size_t i = 0; i <= length; i++) {
        bool upper = given[i] >= 'A' && given[i] <= 'Z';
        lower[i] = (char)(upper ? given[i] - 'A' + 'a' : given[i]);
    }
    return true;
}

static deed_rc walk(struct page *page, deed_result_visit visit, void *context, bool *any_out,
    struct deed_error *err)
{
    deed_rc rc = DEED_OK;
    bool more = true;
    while (rc == DEED_OK && more) {
        rc = deed__read(page->viewer.ledger, read_page, page, err);
        more = page->full;
        for (size_t i = 0; rc == DEED_OK && i < page->count; i++) {
            *any_out = true;
            if (!deed__tell(
                    page->viewer.ledger, visit, context, DEED_OK, &page->results[i], NULL)) {
                return DEED_OK;
            }
        }
    }
    return rc;
}

deed_rc deed__inner_ledger_find(deed_ledger *ledger, const struct deed_find *find,
    deed_result_visit visit, void *context, struct deed_error *err)
{
    if (ledger == NULL || find == NULL || visit == NULL) {
        return deed__misuse(err, "deed_ledger_find");
    }
    deed_rc rc = deed__enter(ledger, "deed_ledger_find", err);
    if (rc == DEED_OK) {
        rc = check_find(find, err);
    }
    if (rc != DEED_OK) {
        return rc;
    }
    struct page *page = deed__alloc(ledger, sizeof(*page));
    if (page == NULL) {
        return deed_error_set(err, DEED_E_NOMEM, "core", "out of memory while looking for intents");
    }
    memset(page, 0, sizeof(*page));
    page->viewer.ledger = ledger;
    page->reference = find->reference;
    page->provider_key = find->provider_key;
    char lower[DEED_PROVIDER_KEY_BYTES];
    bool possible = find->provider_key == NULL || lower_key(find->provider_key, lower);
    if (possible && find->provider_key != NULL) {
        page->provider_key = lower;
    }
    bool any = false;
    rc = deed__now(ledger, &page->viewer.now, err);
    if (rc == DEED_OK && possible) {
        rc = walk(page, visit, context, &any, err);
    }
    if (rc == DEED_OK && !any) {
        rc = not_found(page, err);
    }
    deed__free(ledger, page, sizeof(*page));
    return rc;
}
