/* SPDX-License-Identifier: MIT
 *
 * Running: what may be attempted is attempted, everything else is answered from the ledger.
 */
#include <string.h>

#include "boundary.h"
#include "door.h"
#include "finish.h"
#include "instant.h"
#include "policy.h"
#include "send.h"

/* A refusal that only says how things stand is no error: the result tells. */
static deed_rc tell(deed_rc rc, struct deed_result *result)
{
    if (rc == DEED_E_UNCERTAIN || rc == DEED_E_IN_FLIGHT || rc == DEED_E_NO_STEP) {
        if (result != NULL) {
            result->replayed = true;
        }
        return DEED_OK;
    }
    return rc;
}

static deed_rc run_case(deed_ledger *ledger, const struct deed__case *c, uint32_t flags,
    bool *stale_out, struct deed_result *result, struct deed_error *err)
{
    struct deed_plan plan;
    deed_rc rc = deed__plan_of(c, flags, &plan, err);
    if (rc != DEED_OK) {
        return tell(rc, result);
    }
    const struct deed__registration *registration =
        deed__registration_of(ledger, c->intent.payload.kind);
    if (registration == NULL) {
        return deed__refuse(err, DEED_E_NO_EXECUTOR, c->intent.key, "deed doctor",
            "there is no executor for kind %.200s, which %s needs: a program registers one, the "
            "command "
            "takes it from its configuration",
            c->intent.payload.kind.data, c->intent.key);
    }
    struct deed__sent sent = {false, false};
    rc = deed__send(ledger, c, registration, flags, &sent, result, err);
    *stale_out = sent.stale;
    return sent.begun ? rc : tell(rc, result); /* somebody else was faster: the result tells */
}

/* Between reading a case and beginning its attempt somebody else may have made another one, or a clock
 * may have been set, and another provider key is due. Then it is read again; for so long as nobody does
 * that at each turn. */
#define TRIES 3

static deed_rc run_once(deed_ledger *ledger, const char *key, uint32_t flags, bool *stale_out,
    struct deed_result *told, struct deed_error *err)
{
    struct deed__case c;
    *stale_out = false;
    deed_rc rc = deed__case_read(ledger, key, DEED__WITH_PAYLOAD | DEED__WITH_BYTES, &c, told, err);
    if (rc == DEED_OK) {
        struct deed_error refusal; /* of what is settled: answered, so nobody is told of it */
        rc = run_case(ledger, &c, flags, stale_out, told, &refusal);
        if (rc != DEED_OK && err != NULL) {
            *err = refusal;
        }
    }
    deed__case_finish(&c);
    return rc;
}

deed_rc deed__inner_run(deed_ledger *ledger, const char *key, uint32_t flags,
    struct deed_result *result, struct deed_error *err)
{
    if (ledger == NULL || key == NULL || (flags & ~DEED_BEGIN_BY_NAME) != 0) {
        return deed_error_set(err, DEED_E_MISUSE, "core",
            "deed_run needs a ledger and a key, and takes no flag but DEED_BEGIN_BY_NAME");
    }
    deed_rc rc = deed__enter(ledger, "deed_run", err);
    if (rc == DEED_OK) {
        rc = deed_key_check(key, err);
    }
    if (rc != DEED_OK) {
        return rc;
    }
    struct deed_result mine = {.size = sizeof(mine)};
    struct deed_result *told = result == NULL ? &mine : result;
    told->created = false;
    told->replayed = false;
    bool stale = true;
    for (int tries = 0; stale && tries < TRIES; tries++) {
        rc = run_once(ledger, key, flags, &stale, told, err);
    }
    return rc;
}

/* Keys that are due, a page at a time: no transaction is open while an executor runs. */
#define PAGE 64

struct page {
    int64_t after_id;
    size_t count;
    char keys[PAGE][DEED_KEY_BYTES_MAX + 1];
    int64_t now_ms;
};

static deed_rc collect_key(void *context, const struct deed_intent_row *row)
{
    struct page *page = context;
    page->after_id = row->id;
    bool waits_for_attempt = (row->state == DEED_RECORDED || row->outcome == DEED_NOT_APPLIED) &&
        !row->held && !row->disputed && row->payload_here && row->grade != DEED_GRADE_OPERATOR;
    if (waits_for_attempt) {
        memcpy(page->keys[page->count++], row->key, strlen(row->key) + 1);
    }
    return DEED_OK;
}

static deed_rc read_page(void *context, deed_tx *tx, struct deed_error *err)
{
    struct page *page = context;
    page->count = 0;
    struct deed_select select = {
        .size = sizeof(select),
        .flags = DEED_SELECT_OPEN | DEED_SELECT_DUE,
        .now_ms = page->now_ms,
        .after_id = page->after_id,
        .limit = PAGE,
    };
    return tx->intent_each(tx->self, &select, collect_key, page, err);
}

/* Refused because of policy or not-after: not due, and no news. */
static bool is_due(deed_rc rc, const struct deed_result *result)
{
    return !(rc == DEED_E_NEEDS_PERSON || rc == DEED_E_NOT_YET) && !result->replayed;
}

static deed_rc run_page(deed_ledger *ledger, const struct page *page, deed_result_visit visit,
    void *context, bool *stop_out)
{
    for (size_t i = 0; i < page->count && !*stop_out; i++) {
        struct deed_result result = {.size = sizeof(result)};
        struct deed_error own;
        memset(&own, 0, sizeof(own));
        deed_rc rc = deed__inner_run(ledger, page->keys[i], 0, &result, &own);
        if (is_due(rc, &result) && visit != NULL &&
            !deed__tell(ledger, visit, context, rc, &result, &own)) {
            *stop_out = true;
        }
    }
    return DEED_OK;
}

deed_rc deed_run_due(
    deed_ledger *ledger, deed_result_visit visit, void *context, struct deed_error *err)
{
    if (ledger == NULL) {
        return deed__misuse(err, "deed_run_due");
    }
    deed_rc rc = deed__enter(ledger, "deed_run_due", err);
    if (rc != DEED_OK) {
        return rc;
    }
    struct deed_instant now;
    rc = deed__now(ledger, &now, err);
    struct page page;
    memset(&page, 0, sizeof(page));
    page.now_ms = now.wall_ms;
    bool stop = false;
    int64_t before = -1;
    while (rc == DEED_OK && !stop && page.after_id != before) {
        before = page.after_id;
        rc = deed__read(ledger, read_page, &page, err);
        if (rc == DEED_OK) {
            rc = run_page(ledger, &page, visit, context, &stop);
        }
    }
    return rc;
}

struct ask_in {
    const uint8_t *token;
    struct deed_instant now;
    char key[DEED_KEY_BYTES_MAX + 1];
    bool closed; /* answered, or it has a verdict already */
    bool open;   /* the newest attempt of an attempted intent, not answered */
    bool in_time;
};

static deed_rc ask(void *context, deed_tx *tx, struct deed_error *err)
{
    struct ask_in *in = context;
    struct deed_attempt_row attempt;
    struct deed_intent_row intent;
    deed_rc rc = tx->attempt_by_token(tx->self, in->token, &attempt, err);
    if (rc == DEED_E_NOT_FOUND) {
        return deed_error_set(err, DEED_E_MISUSE, "core",
            "this ledger has begun no attempt with that token; nothing may be sent");
    }
    if (rc == DEED_OK) {
        rc = tx->intent_by_id(tx->self, attempt.intent_id, false, &intent, err);
    }
    if (rc == DEED_OK) {
        memcpy(in->key, intent.key, strlen(intent.key) + 1);
        in->closed = attempt.verdict != DEED_VERDICT_UNKNOWN || attempt.answered;
        in->open = intent.state == DEED_ATTEMPTED && intent.attempts == attempt.number &&
            !attempt.answered;
        in->in_time = deed__runs(&attempt.start, attempt.send_ms, &in->now);
    }
    return rc;
}

deed_rc deed_may_send(
    deed_ledger *ledger, const uint8_t token[DEED_TOKEN_BYTES], struct deed_error *err)
{
    if (ledger == NULL || token == NULL) {
        return deed__misuse(err, "deed_may_send");
    }
    deed_rc rc = deed__enter(ledger, "deed_may_send", err);
    if (rc != DEED_OK) {
        return rc;
    }
    struct ask_in in = {.token = token};
    rc = deed__now(ledger, &in.now, err);
    /* Who began it need not ask the store: no more than an executor does. What another handle may
     * have written meanwhile is harmless, by the rules for whose owner only seems to be gone. */
    if (rc == DEED_OK && !atomic_load(ledger->suspect) &&
        deed__asked_in_time(ledger->asked, token, &in.now)) {
        return DEED_OK;
    }
    if (rc == DEED_OK) {
        rc = deed__read_brief(ledger, ask, &in, err);
    }
    if (rc == DEED_OK && in.open && in.in_time) {
        deed__asked_allowed(ledger->asked, token);
        return DEED_OK;
    }
    if (rc != DEED_OK) {
        return rc;
    }
    if (in.closed) {
        return deed__refuse(err, DEED_E_TOO_LATE, in.key, NULL,
            "the attempt of %s is not open any more: nothing may be sent for it", in.key);
    }
    /* A yes that was given may have been used: then nobody knows that nothing was sent. */
    if (!deed__asked_unsent(ledger->asked, token)) {
        return deed__refuse(err, DEED_E_TOO_LATE, in.key, NULL,
            "the send deadline of %s is over: nothing may be sent any more; what was sent before, "
            "if "
            "anything, stays in doubt until the attempt is finished",
            in.key);
    }
    struct deed_error closing;
    (void)deed__finish_unsent(ledger, in.key, token, NULL, &closing);
    return deed__refuse(err, DEED_E_TOO_LATE, in.key, NULL,
        "the send deadline of %s is over: nothing was sent, and nothing may be", in.key);
}

static deed_rc decide_nothing(
    struct deed__call *call, deed_tx *tx, struct deed__case *c, struct deed_error *err)
{
    (void)call;
    (void)tx;
    (void)c;
    (void)err;
    return DEED_OK;
}

deed_rc deed__inner_get(
    deed_ledger *ledger, const char *key, struct deed_result *result, struct deed_error *err)
{
    if (ledger == NULL || key == NULL || result == NULL) {
        return deed_error_set(
            err, DEED_E_MISUSE, "core", "deed_get needs a ledger, a key and a result");
    }
    deed_rc rc = deed__enter(ledger, "deed_get", err);
    if (rc == DEED_OK) {
        rc = deed_key_check(key, err);
    }
    if (rc != DEED_OK) {
        return rc;
    }
    result->created = false;
    result->replayed = true;
    struct deed__call call = {
        .ledger = ledger, .key = key, .decide = decide_nothing, .result = result};
    return deed__call_read(&call, err);
}
