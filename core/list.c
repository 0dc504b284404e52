/* SPDX-License-Identifier: MIT
 *
 * Reading many intents, or the rows of one.
 */
#include <string.h>

#include "boundary.h"
#include "door.h"
#include "viewer.h"

/* ---- lists -------------------------------------------------------------------------------- */

/* A page of results at a time, so that the visit runs outside of any transaction. */
#define PAGE 32

struct page {
    struct deed__viewer viewer;
    const struct deed_list *list;
    int64_t after_id;
    bool more;
    size_t count;
    struct deed_result results[PAGE];
};

/* The store knows the time; whether the machine itself would do something then is decided here. */
static bool is_due(const struct deed_result *result)
{
    bool open = result->outcome == DEED_OUTCOME_NONE || result->outcome == DEED_NOT_APPLIED;
    return open && !result->in_flight && (!result->needs_person || result->unserved);
}

static bool wanted(const struct deed_list *list, const struct deed_result *result)
{
    return ((list->flags & DEED_LIST_UNCERTAIN) == 0 || result->uncertain) &&
        ((list->flags & DEED_LIST_OVERDUE) == 0 || result->overdue) &&
        ((list->flags & DEED_LIST_DUE) == 0 || is_due(result));
}

static deed_rc collect(void *context, const struct deed_intent_row *row)
{
    struct page *page = context;
    page->after_id = row->id;
    page->more = true;
    struct deed_result *result = &page->results[page->count];
    deed_rc rc = deed__viewer_show(&page->viewer, row, result);
    if (rc == DEED_OK && wanted(page->list, result)) {
        page->count++;
    }
    return rc;
}

static uint32_t select_flags(const struct deed_list *list)
{
    static const struct {
        uint32_t list;
        uint32_t select;
    } pairs[] = {
        {DEED_LIST_DISPUTED, DEED_SELECT_DISPUTED},
        {DEED_LIST_DUE, DEED_SELECT_DUE},
        {DEED_LIST_OVERDUE, DEED_SELECT_OVERDUE},
        {DEED_LIST_HELD, DEED_SELECT_HELD},
    };
    uint32_t flags = (list->flags & DEED_LIST_ALL) != 0 ? 0U : DEED_SELECT_OPEN;
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        flags |= (list->flags & pairs[i].list) != 0 ? pairs[i].select : 0U;
    }
    return flags;
}

static deed_rc read_page(void *context, deed_tx *tx, struct deed_error *err)
{
    struct page *page = context;
    page->count = 0;
    page->more = false;
    deed_rc rc = deed__viewer_begin(&page->viewer, tx, err);
    if (rc != DEED_OK) {
        return rc;
    }
    const struct deed_list *list = page->list;
    bool uncertain = (list->flags & DEED_LIST_UNCERTAIN) != 0;
    struct deed_select select = {
        .size = sizeof(select),
        .flags = select_flags(list),
        .state = uncertain ? DEED_ATTEMPTED : list->state,
        .outcome = list->outcome,
        .outcome_given = list->outcome_given,
        .kind = list->kind,
        .recorded_before_ms =
            list->older_than_ms == 0 ? 0 : page->viewer.now.wall_ms - list->older_than_ms,
        .now_ms = page->viewer.now.wall_ms,
        .after_id = page->after_id,
        .limit = PAGE,
    };
    return tx->intent_each(tx->self, &select, collect, page, err);
}

static deed_rc find_after(void *context, deed_tx *tx, struct deed_error *err)
{
    struct page *page = context;
    const char *key = page->list->after_key;
    struct deed_intent_row row;
    deed_rc rc = tx->intent_get(tx->self, key, false, &row, err);
    if (rc == DEED_E_NOT_FOUND) {
        return deed__refuse(err, rc, key, "deed list --all",
            "there is no intent %s to go on after; pass the key of the last one seen", key);
    }
    page->after_id = rc == DEED_OK ? row.id : 0;
    return rc;
}

/* Where a list begins: with the oldest, or after the cursor. */
static deed_rc begin(struct page *page, struct deed_error *err)
{
    deed_rc rc = deed__now(page->viewer.ledger, &page->viewer.now, err);
    if (rc == DEED_OK && page->list->after_key != NULL) {
        rc = deed_key_check(page->list->after_key, err);
        rc = rc == DEED_OK ? deed__read(page->viewer.ledger, find_after, page, err) : rc;
    }
    return rc;
}

static bool contradicts(const struct deed_list *list)
{
    return (list->flags & DEED_LIST_UNCERTAIN) != 0 && list->state != DEED_STATE_NONE &&
        list->state != DEED_ATTEMPTED;
}

deed_rc deed__inner_ledger_list(deed_ledger *ledger, const struct deed_list *list,
    deed_result_visit visit, void *context, struct deed_error *err)
{
    if (ledger == NULL || list == NULL || visit == NULL) {
        return deed_error_set(
            err, DEED_E_MISUSE, "core", "deed_ledger_list needs a ledger, a list and a visit");
    }
    deed_rc rc = deed__enter(ledger, "deed_ledger_list", err);
    if (rc != DEED_OK) {
        return rc;
    }
    struct page *page = deed__alloc(ledger, sizeof(*page));
    if (page == NULL) {
        return deed_error_set(err, DEED_E_NOMEM, "core", "out of memory for a list");
    }
    memset(page, 0, sizeof(*page));
    page->viewer.ledger = ledger;
    page->list = list;
    page->more = !contradicts(list);
    uint64_t left = list->limit == 0 ? UINT64_MAX : list->limit;
    rc = begin(page, err);
    while (rc == DEED_OK && page->more && left > 0) {
        rc = deed__read(ledger, read_page, page, err);
        for (size_t i = 0; rc == DEED_OK && i < page->count && left > 0; i++, left--) {
            if (!deed__tell(ledger, visit, context, DEED_OK, &page->results[i], NULL)) {
                left = 1;
            }
        }
    }
    deed__free(ledger, page, sizeof(*page));
    return rc;
}

/* ---- status ------------------------------------------------------------------------------- */

/* Since when the machine itself would do something, if it ran; 0: it would not now. */
static int64_t due_since(const struct deed_result *result, int64_t now_ms)
{
    if (!is_due(result) || result->unserved || result->reason == DEED_REASON_RETRY_LATER ||
        result->due_ms > now_ms) {
        return 0;
    }
    if (result->uncertain) {
        return result->due_ms > 0 ? result->due_ms : result->attempted_ms;
    }
    int64_t since = result->settled_ms > 0 ? result->settled_ms : result->recorded_ms;
    return since > 0 ? since : now_ms; /* adopted without a time */
}

static void count_due(struct deed_status *status, const struct deed_result *result)
{
    int64_t since = due_since(result, status->now_ms);
    status->due += since > 0 ? 1 : 0;
    if (since > 0 && (status->oldest_due[0] == '\0' || since < status->oldest_due_ms)) {
        memcpy(status->oldest_due, result->key, sizeof(result->key));
        status->oldest_due_ms = since;
    }
}

static bool count_result(
    void *context, deed_rc rc, const struct deed_result *result, const struct deed_error *err)
{
    (void)rc;
    (void)err;
    struct deed_status *status = context;
    status->counts[result->state][result->outcome]++;
    status->in_flight += result->in_flight ? 1 : 0;
    status->uncertain += result->uncertain ? 1 : 0;
    status->needs_person += result->needs_person ? 1 : 0;
    status->disputed += result->disputed ? 1 : 0;
    status->held += result->held ? 1 : 0;
    status->overdue += result->overdue ? 1 : 0;
    status->unserved += result->unserved ? 1 : 0;
    count_due(status, result);
    bool oldest = result->uncertain &&
        (status->oldest_uncertain[0] == '\0' || result->attempted_ms < status->oldest_uncertain_ms);
    if (oldest) {
        memcpy(status->oldest_uncertain, result->key, sizeof(result->key));
        status->oldest_uncertain_ms = result->attempted_ms;
    }
    return true;
}

deed_rc deed__inner_ledger_status(
    deed_ledger *ledger, struct deed_status *status_out, struct deed_error *err)
{
    if (ledger == NULL || status_out == NULL) {
        return deed_error_set(
            err, DEED_E_MISUSE, "core", "deed_ledger_status needs a ledger and a status");
    }
    deed_rc rc = deed__enter(ledger, "deed_ledger_status", err);
    if (rc != DEED_OK) {
        return rc;
    }
    struct deed_status status = {.size = sizeof(status)};
    struct deed_list list = {.size = sizeof(list), .flags = DEED_LIST_ALL};
    struct deed_instant now;
    rc = deed__now(ledger, &now, err);
    if (rc == DEED_OK) {
        status.now_ms = now.wall_ms;
        rc = deed__inner_ledger_list(ledger, &list, count_result, &status, err);
    }
    if (rc == DEED_OK) {
        *status_out = status;
    }
    return rc;
}

/* ---- rows of one intent --------------------------------------------------------------------- */

struct rows {
    const char *key;
    deed_intent_visit intent;
    deed_attempt_visit attempt;
    deed_evidence_visit evidence;
    deed_event_visit event;
    void *context;
};

static deed_rc walk_rows(void *context, deed_tx *tx, struct deed_error *err)
{
    struct rows *rows = context;
    struct deed_intent_row intent;
    deed_rc rc = tx->intent_get(tx->self, rows->key, rows->intent != NULL, &intent, err);
    if (rc == DEED_E_NOT_FOUND) {
        return deed__refuse(
            err, rc, rows->key, "deed list --all", "there is no intent %s", rows->key);
    }
    if (rc != DEED_OK) {
        return rc;
    }
    if (rows->intent != NULL) {
        return rows->intent(rows->context, &intent);
    }
    if (rows->attempt != NULL) {
        return tx->attempt_each(tx->self, intent.id, false, rows->attempt, rows->context, err);
    }
    if (rows->evidence != NULL) {
        return tx->evidence_each(tx->self, intent.id, rows->evidence, rows->context, err);
    }
    return tx->event_each(tx->self, intent.id, rows->event, rows->context, err);
}

static deed_rc read_rows(
    deed_ledger *ledger, const char *name, struct rows *rows, struct deed_error *err)
{
    bool asked = rows->intent != NULL || rows->attempt != NULL || rows->evidence != NULL ||
        rows->event != NULL;
    if (ledger == NULL || rows->key == NULL || !asked) {
        return deed__misuse(err, "reading the rows of an intent");
    }
    deed_rc rc = deed__enter(ledger, name, err);
    if (rc == DEED_OK) {
        rc = deed_key_check(rows->key, err);
    }
    return rc == DEED_OK ? deed__read(ledger, walk_rows, rows, err) : rc;
}

deed_rc deed_intent_payload(deed_ledger *ledger, const char *key, deed_intent_visit visit,
    void *context, struct deed_error *err)
{
    struct rows rows = {.key = key, .intent = visit, .context = context};
    return read_rows(ledger, "deed_intent_payload", &rows, err);
}

deed_rc deed_intent_attempts(deed_ledger *ledger, const char *key, deed_attempt_visit visit,
    void *context, struct deed_error *err)
{
    struct rows rows = {.key = key, .attempt = visit, .context = context};
    return read_rows(ledger, "deed_intent_attempts", &rows, err);
}

deed_rc deed_intent_evidence(deed_ledger *ledger, const char *key, deed_evidence_visit visit,
    void *context, struct deed_error *err)
{
    struct rows rows = {.key = key, .evidence = visit, .context = context};
    return read_rows(ledger, "deed_intent_evidence", &rows, err);
}

deed_rc deed_intent_events(deed_ledger *ledger, const char *key, deed_event_visit visit,
    void *context, struct deed_error *err)
{
    struct rows rows = {.key = key, .event = visit, .context = context};
    return read_rows(ledger, "deed_intent_events", &rows, err);
}
