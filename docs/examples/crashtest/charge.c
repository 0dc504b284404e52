/* SPDX-License-Identifier: MIT
 *
 * charge.c - charges order-18 once, through libdeed. Your own executor stands where mock-http does.
 */
#include <deed/ledger.h>
#include <deed/mock/http.h>
#include <deed/sqlite.h>
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    struct deed_profile promises = {.size = sizeof promises, .answer_ms = 2000, .landing_ms = 9000};
    const struct deed_payload charge = {{"charge", 6}, {"card-7", 6}, {"{\"cents\":990}", 13}};
    const struct deed_record order = {.size = sizeof order, .key = "order-18", .payload = &charge};
    struct deed_result is = {.size = sizeof is};
    struct deed_store *store = NULL;
    deed_ledger *ledger = NULL;
    deed_executor *bank = NULL;
    char at[100];
    promises.window_ms = DEED_FOREVER; /* how long it honours our key */
    (void)snprintf(at, 100, "{\"class\":\"keyed+lookup\",\"url\":\"%s\"}", getenv("DEED_MOCK_URL"));
    deed_rc rc = deed_sqlite_open(getenv("DEED_LEDGER"), NULL, &store, NULL);
    rc = rc ? rc : deed_ledger_open(store, NULL, &ledger, NULL);
    rc = rc ? rc : deed_mock_http_executor_new(at, NULL, &bank, NULL);
    rc = rc ? rc : deed_ledger_register(ledger, "charge", bank, &promises, NULL);
    rc = rc ? rc : deed_record(ledger, &order, &is, NULL); /* binds the key, for ever */
    rc = rc ? rc : deed_run(ledger, order.key, DEED_BEGIN_BY_NAME, &is, NULL); /* sends once */
    rc = is.uncertain ? deed_reconcile(ledger, order.key, &is, NULL) : rc; /* asks, or resends */
    deed_ledger_close(ledger);
    return deed_exit_status(rc, DEED_EXIT_ACTING, &is); /* 0: applied; 3: not known */
}
