/* SPDX-License-Identifier: MIT
 *
 * by_hand.c - one payment at most once, with a host that sends the request itself.
 *
 *   deed --ledger LEDGER init --name shop     once, when you install
 *   by_hand LEDGER     pays; run again, it answers from the ledger and sends nothing
 */
#include <deed/ext/store.h>
#include <deed/ledger.h>
#include <deed/sqlite.h>

#include <stdio.h>
#include <string.h>

/* Your own client of the provider. Whatever it cannot tell it leaves at zero: "unknown". */
static void bank_post(const char *provider_key, const char *bytes, struct deed_answer *answer)
{
    printf("POST /payments, Idempotency-Key: %s, %s\n", provider_key, bytes);
    answer->verdict = DEED_VERDICT_APPLIED; /* it said 201 */
    (void)snprintf(answer->reference, sizeof answer->reference, "ch_42");
}

static deed_rc pay(deed_ledger *ledger, const char *key, const struct deed_payload *payload,
    struct deed_result *result, struct deed_error *err)
{
    struct deed_plan plan = {.size = sizeof plan};
    struct deed_attempt attempt = {.size = sizeof attempt};
    struct deed_answer answer = {.size = sizeof answer};

    deed_rc rc = deed_plan(ledger, key, payload, 0, &plan, result, err);
    if (rc != DEED_OK) {
        return rc; /* settled, in flight or in doubt: `result` says which */
    }
    const char *bytes = payload->body.data;
    struct deed_record record = {.size = sizeof record, .key = key, .payload = payload};
    struct deed_binding binding = {.size = sizeof binding,
        .executor = "bank",
        .executor_version = "1",
        .account_scope = "acct-7",
        .endpoint = "https://bank.example/payments",
        .provider_key = plan.provider_key,
        .bytes = (const uint8_t *)bytes,
        .bytes_count = strlen(bytes)};
    struct deed_begin begin = {
        .size = sizeof begin, .key = key, .record = &record, .binding = &binding};

    rc = deed_begin(ledger, &begin, &attempt, result, err); /* durable from here on */
    if (rc == DEED_OK) {
        rc = deed_may_send(ledger, attempt.token, err);
    }
    if (rc == DEED_OK) {
        bank_post(plan.provider_key, bytes, &answer);
        rc = deed_finish(ledger, key, attempt.token, &answer, result, err);
    }
    return rc;
}

/* Never creates: a ledger that is missing is a lost disk or a wrong path, not a fresh start. */
static deed_rc open_ledger(const char *path, deed_ledger **ledger_out, struct deed_error *err)
{
    struct deed_store *store = NULL;
    deed_rc rc = deed_sqlite_open(path, NULL, &store, err);
    return rc == DEED_OK ? deed_ledger_open(store, NULL, ledger_out, err) : rc;
}

int main(int argc, char **argv)
{
    deed_ledger *ledger = NULL;
    struct deed_result result = {.size = sizeof result};
    struct deed_error err = {0};
    const struct deed_payload payload = {
        .kind = {"payment", 7}, .target = {"acme", 4}, .body = {"{\"cents\":1250}", 14}};

    deed_rc rc = argc == 2 ? open_ledger(argv[1], &ledger, &err) : DEED_E_INVALID;
    if (rc == DEED_OK) {
        rc = pay(ledger, "pay-17", &payload, &result, &err);
    }
    if (result.key[0] != '\0') {
        printf("%s is %s, %s\n", result.key, deed_state_name(result.state),
            deed_outcome_name(result.outcome));
    }
    if (rc != DEED_OK && result.outcome != DEED_APPLIED) {
        (void)fprintf(stderr, "%s: %s\n", deed_rc_name(rc), err.text);
    }
    deed_ledger_close(ledger);
    return result.outcome == DEED_APPLIED ? 0 : 1;
}
