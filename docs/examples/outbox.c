/* SPDX-License-Identifier: MIT
 *
 * outbox.c - a shop that takes an order and charges for it, with a transactional outbox.
 *
 *   deed --ledger ledger.db init --name shop --test     once, when you install
 *   outbox ORDER...    in that folder: takes the orders, moves the outbox into the ledger, and
 *                      charges; an order that was taken before is not taken again
 *
 * The order and the wish to charge for it are one transaction in the shop's own database, shop.db.
 * The provider here is the mock of libdeed-mocks; replace make_provider with your own executor.
 */
#include <deed/ext/store.h>
#include <deed/ledger.h>
#include <deed/mock/executor.h>
#include <deed/outbox.h>
#include <deed/sqlite.h>

#include <sqlite3.h>
#include <stdio.h>

/* ---- the shop --------------------------------------------------------------------------------- */

static sqlite3 *open_shop(void)
{
    sqlite3 *shop = NULL;
    bool open = sqlite3_open("shop.db", &shop) == SQLITE_OK &&
        sqlite3_busy_timeout(shop, 10000) == SQLITE_OK &&
        sqlite3_exec(shop, "CREATE TABLE IF NOT EXISTS orders (name TEXT PRIMARY KEY) STRICT", NULL,
            NULL, NULL) == SQLITE_OK &&
        sqlite3_exec(shop, deed_outbox_table(), NULL, NULL, NULL) == SQLITE_OK;
    if (!open) {
        (void)fprintf(stderr, "shop.db: %s\n", sqlite3_errmsg(shop));
        (void)sqlite3_close(shop);
        return NULL;
    }
    return shop;
}

static bool insert(sqlite3 *shop, const char *sql, const char *const *values)
{
    sqlite3_stmt *stmt = NULL;
    bool done = sqlite3_prepare_v2(shop, sql, -1, &stmt, NULL) == SQLITE_OK;
    for (int i = 0; done && values[i] != NULL; i++) {
        done = sqlite3_bind_text(stmt, i + 1, values[i], -1, SQLITE_STATIC) == SQLITE_OK;
    }
    done = done && sqlite3_step(stmt) == SQLITE_DONE;
    (void)sqlite3_finalize(stmt);
    return done;
}

/* Both rows or neither. Parameter 5 of the outbox, the deadline, stays NULL: none. */
static bool take_order(sqlite3 *shop, const char *order)
{
    const char *const row[] = {order, NULL};
    const char *const action[] = {order, "charge", "card-of-ann", "{\"cents\":1250}", NULL};
    bool taken = sqlite3_exec(shop, "BEGIN IMMEDIATE", NULL, NULL, NULL) == SQLITE_OK &&
        insert(shop, "INSERT INTO orders VALUES (?1)", row) &&
        insert(shop, deed_outbox_insert(), action) &&
        sqlite3_exec(shop, "COMMIT", NULL, NULL, NULL) == SQLITE_OK;
    if (!taken) {
        printf("%s is not taken: %s\n", order, sqlite3_errmsg(shop));
        (void)sqlite3_exec(shop, "ROLLBACK", NULL, NULL, NULL);
    }
    return taken;
}

/* ---- the ledger ------------------------------------------------------------------------------- */

static deed_rc make_provider(deed_ledger *ledger, struct deed_error *err)
{
    deed_executor *provider = NULL;
    deed_rc rc = deed_mock_executor_new(
        "{\"world\": \"world.jsonl\", \"class\": \"keyed\"}", NULL, &provider, err);
    return rc == DEED_OK ? deed_ledger_register(ledger, "charge", provider, NULL, err) : rc;
}

/* Never creates: a ledger that is missing is a lost disk or a wrong path, not a fresh start. */
static deed_rc open_ledger(deed_ledger **ledger_out, struct deed_error *err)
{
    struct deed_store *store = NULL;
    deed_rc rc = deed_sqlite_open("ledger.db", NULL, &store, err);
    if (rc == DEED_OK) {
        rc = deed_ledger_open(store, NULL, ledger_out, err);
    }
    return rc == DEED_OK ? make_provider(*ledger_out, err) : rc;
}

static bool tell(
    void *context, deed_rc rc, const struct deed_result *result, const struct deed_error *err)
{
    if (rc == DEED_OK) {
        printf("%s %s: %s, %s\n", (const char *)context, result->key,
            deed_state_name(result->state), deed_outcome_name(result->outcome));
    } else {
        printf("%s: %s: %s\n", (const char *)context, deed_rc_name(rc), err->text);
    }
    return true;
}

static bool done(const char *what, deed_rc rc, const struct deed_error *err)
{
    if (rc != DEED_OK) {
        (void)fprintf(stderr, "%s: %s: %s\n", what, deed_rc_name(rc), err->text);
    }
    return rc == DEED_OK;
}

/* What is in the ledger is due whether or not the shop's file can be drained just now. */
static bool drain_and_run(deed_ledger *ledger)
{
    struct deed_drain drain = {.size = sizeof drain};
    struct deed_error err = {0};
    char moved[] = "moved";
    char ran[] = "ran";
    /* Also what an earlier process took and could not move. */
    bool drained =
        done("drain", deed_outbox_drain(ledger, "shop.db", tell, moved, &drain, &err), &err);
    bool all_ran = done("run", deed_run_due(ledger, tell, ran, &err), &err);
    return drained && all_ran && drain.refused == 0;
}

int main(int argc, char **argv)
{
    deed_ledger *ledger = NULL;
    struct deed_error err = {0};
    sqlite3 *shop = open_shop();
    if (shop == NULL) {
        return 1;
    }
    for (int i = 1; i < argc; i++) {
        (void)take_order(shop, argv[i]);
    }
    bool good = done("ledger.db", open_ledger(&ledger, &err), &err) && drain_and_run(ledger);
    deed_ledger_close(ledger);
    (void)sqlite3_close(shop);
    return good ? 0 : 1;
}
