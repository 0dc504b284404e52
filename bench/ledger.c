/* SPDX-License-Identifier: MIT
 *
 * ledger.c - the same work through libdeed, as a host does it that sends by itself.
 */
#include "bench.h"

#include <deed/ext/store.h>
#include <deed/ledger.h>
#include <deed/sqlite.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool complain(const char *what, deed_rc rc, const struct deed_error *err)
{
    (void)fprintf(stderr, "bench: %s: %s: %s\n", what, deed_rc_name(rc), err->text);
    return false;
}

static void *ledger_open(const char *path)
{
    deed_ledger *ledger = NULL;
    struct deed_store *store = NULL;
    struct deed_error err = {0};
    const bool fresh = access(path, F_OK) != 0;
    deed_rc rc = fresh ? deed_sqlite_create(path, NULL, &err) : DEED_OK;
    if (rc == DEED_OK) {
        rc = deed_sqlite_open(path, NULL, &store, &err);
    }
    if (rc == DEED_OK && fresh) {
        rc = deed_ledger_init(store, "bench", false, NULL, &err);
        if (rc != DEED_OK) {
            store->close(store->self);
        }
    }
    if (rc == DEED_OK) {
        rc = deed_ledger_open(store, NULL, &ledger, &err);
    }
    if (rc != DEED_OK) {
        (void)complain("open", rc, &err);
        return NULL;
    }
    return ledger;
}

static void ledger_close(void *self)
{
    deed_ledger_close(self);
}

static struct deed_text text_of(const char *text)
{
    return (struct deed_text){.data = text, .bytes = strlen(text)};
}

static struct deed_payload payload_of(const struct action *action)
{
    return (struct deed_payload){.kind = text_of(action->kind),
        .target = text_of(action->target),
        .body = text_of(action->body)};
}

static bool record(deed_ledger *ledger, const struct action *action, bool created)
{
    struct deed_result result = {.size = sizeof(result)};
    struct deed_error err = {0};
    const struct deed_payload payload = payload_of(action);
    const struct deed_record record = {
        .size = sizeof(record), .key = action->key, .payload = &payload};
    const deed_rc rc = deed_record(ledger, &record, &result, &err);
    if (rc == DEED_OK && result.created == created) {
        return true;
    }
    return complain("record", rc, &err);
}

static bool ledger_record(void *self, const struct action *action)
{
    return record(self, action, true);
}

static bool ledger_repeat(void *self, const struct action *action)
{
    return record(self, action, false);
}

/* Plans, makes the action and its attempt durable, may send, and makes the answer durable. */
static bool ledger_cycle(void *self, const struct action *action)
{
    struct deed_result result = {.size = sizeof(result)};
    struct deed_error err = {0};
    struct deed_plan plan = {.size = sizeof(plan)};
    struct deed_attempt attempt = {.size = sizeof(attempt)};
    struct deed_answer answer = {.size = sizeof(answer), .verdict = DEED_VERDICT_APPLIED};
    const struct deed_payload payload = payload_of(action);
    const struct deed_record record = {
        .size = sizeof(record), .key = action->key, .payload = &payload};
    struct deed_binding binding = {.size = sizeof(binding),
        .executor = "bank",
        .executor_version = "1",
        .account_scope = "acct-7",
        .endpoint = "https://bank.example/payments",
        .bytes = (const uint8_t *)action->body,
        .bytes_count = strlen(action->body)};
    const struct deed_begin begin = {
        .size = sizeof(begin), .key = action->key, .record = &record, .binding = &binding};

    deed_rc rc = deed_plan(self, action->key, &payload, 0, &plan, &result, &err);
    if (rc == DEED_OK) {
        binding.provider_key = plan.provider_key;
        rc = deed_begin(self, &begin, &attempt, &result, &err);
    }
    if (rc == DEED_OK) {
        rc = deed_may_send(self, attempt.token, &err);
    }
    if (rc == DEED_OK) {
        (void)snprintf(answer.reference, sizeof(answer.reference), "ch_%s", action->key);
        rc = deed_finish(self, action->key, attempt.token, &answer, &result, &err);
    }
    if (rc == DEED_OK && result.outcome == DEED_APPLIED) {
        return true;
    }
    return complain("cycle", rc, &err);
}

static bool ledger_once(const char *path, const struct action *action)
{
    deed_ledger *ledger = ledger_open(path);
    if (ledger == NULL) {
        return false;
    }
    const bool done = record(ledger, action, true);
    deed_ledger_close(ledger);
    return done;
}

const struct side deed_side = {
    .open = ledger_open,
    .close = ledger_close,
    .record = ledger_record,
    .cycle = ledger_cycle,
    .repeat = ledger_repeat,
    .once = ledger_once,
};
