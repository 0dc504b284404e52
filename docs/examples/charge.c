/* SPDX-License-Identifier: MIT
 *
 * charge.c - charges a card once, however often it is run and wherever it dies. In the README.
 *
 *   deed --ledger shop.db init --name shop --test && ./charge
 */
#include <deed/ext/store.h>
#include <deed/ledger.h>
#include <deed/mock/executor.h>
#include <deed/sqlite.h>
#include <stdio.h>

/* The bank is a mock that takes the charge and loses its own answer. Yours is an executor. */
static const char bank_is[] = "{\"world\": \"bank.jsonl\", \"class\": \"lookup\","
                              " \"script\": {\"do\": \"lose\"}}";
/* Its promises: what we send within 2 s has arrived 5 s later or never will; it shows us at once
 * what it did, and for a day. Without them a doubt that shows nothing is for a person. */
static const struct deed_profile promises = {.size = sizeof promises,
    .send_ms = 2000,
    .landing_ms = 5000,
    .reach_ms = 86400000,
    .consistency = DEED_CONSISTENCY_STRONG};

int main(void)
{
    struct deed_error err = {0};
    struct deed_result is = {.size = sizeof is};
    struct deed_store *store = NULL;
    deed_ledger *ledger = NULL;
    deed_executor *bank = NULL;
    struct deed_payload charge = {{"charge", 6}, {"card-7", 6}, {"{\"cents\":990}", 13}};
    struct deed_record order = {.size = sizeof order, .key = "order-18", .payload = &charge};

    deed_rc rc = deed_sqlite_open("shop.db", NULL, &store, &err);
    rc = rc ? rc : deed_ledger_open(store, NULL, &ledger, &err);
    rc = rc ? rc : deed_mock_executor_new(bank_is, NULL, &bank, &err);
    rc = rc ? rc : deed_ledger_register(ledger, "charge", bank, &promises, &err);
    rc = rc ? rc : deed_record(ledger, &order, &is, &err);     /* binds the key, for ever */
    rc = rc ? rc : deed_run(ledger, "order-18", 0, &is, &err); /* sends once, whoever calls */
    if (rc == DEED_OK && is.uncertain) { /* the answer was lost, now or in an earlier run: ask */
        rc = deed_reconcile(ledger, "order-18", &is, &err);
    }
    bool known = is.state != DEED_ATTEMPTED;
    printf("%s, %s %s\n", deed_state_name(is.state),
        known ? deed_outcome_name(is.outcome) : "not known", err.text);
    deed_ledger_close(ledger);
    return deed_exit_status(rc, DEED_EXIT_ACTING, &is); /* 0: applied; 3: not known; ... */
}
