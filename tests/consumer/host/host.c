/* SPDX-License-Identifier: MIT
 *
 * host.c - a program of somebody else's, built against an installed copy: a payment whose answer is
 * lost, settled by asking the provider. It fails unless exactly one payment happened.
 *
 *   host FOLDER     an empty one
 */
#include "every_header.h" /* made from what is installed */

#include <stdio.h>
#include <string.h>

static const char options[] = "{\"class\": \"keyed+lookup\", \"script\": {\"do\": \"lose\"}}";

static deed_rc open_ledger(const char *path, deed_ledger **ledger_out, struct deed_error *err)
{
    struct deed_store *store = NULL;
    deed_rc rc = deed_sqlite_create(path, NULL, err);
    if (rc == DEED_OK) {
        rc = deed_sqlite_open(path, NULL, &store, err);
    }
    if (rc == DEED_OK) {
        rc = deed_ledger_init(store, "host", true, NULL, err);
        if (rc != DEED_OK) {
            store->close(store->self);
        }
    }
    return rc == DEED_OK ? deed_ledger_open(store, NULL, ledger_out, err) : rc;
}

static deed_rc pay(deed_ledger *ledger, struct deed_result *result, struct deed_error *err)
{
    const struct deed_payload payload = {
        .kind = {"payment", 7}, .target = {"acme", 4}, .body = {"{\"cents\":1250}", 14}};
    const struct deed_record record = {.size = sizeof record, .key = "pay-1", .payload = &payload};

    deed_rc rc = deed_record(ledger, &record, result, err);
    if (rc == DEED_OK) {
        rc = deed_run(ledger, "pay-1", 0, result, err);
    }
    if (rc == DEED_OK && !result->uncertain) {
        return deed_error_set(
            err, DEED_E_CHECK, "host", "the answer was lost, and yet it is known");
    }
    return rc == DEED_OK ? deed_reconcile(ledger, "pay-1", result, err) : rc;
}

int main(int argc, char **argv)
{
    struct deed_error err = {0};
    struct deed_result result = {.size = sizeof result};
    const struct deed_profile profile = {.size = sizeof profile,
        .landing_ms = 1,
        .window_ms = DEED_FOREVER,
        .reach_ms = DEED_FOREVER,
        .consistency = DEED_CONSISTENCY_STRONG};
    deed_world *world = NULL;
    deed_ledger *ledger = NULL;
    deed_executor *bank = NULL;
    char path[1000];

    (void)snprintf(path, sizeof path, "%s/world.jsonl", argc == 2 ? argv[1] : ".");
    deed_rc rc = deed_world_open(path, &world, &err);
    if (rc == DEED_OK) {
        (void)snprintf(path, sizeof path, "%s/ledger.db", argc == 2 ? argv[1] : ".");
        rc = open_ledger(path, &ledger, &err);
    }
    if (rc == DEED_OK) {
        rc = deed_mock_executor_new_in(world, options, NULL, &bank, &err);
    }
    if (rc == DEED_OK) {
        rc = deed_ledger_register(ledger, "payment", bank, &profile, &err);
    }
    if (rc == DEED_OK) {
        rc = pay(ledger, &result, &err);
    }
    bool paid = rc == DEED_OK && result.outcome == DEED_APPLIED;
    bool once = world != NULL && deed_world_effects(world, "pay-1") == 1;
    printf("deed %s: %s, %s\n", deed_version(), deed_outcome_name(result.outcome),
        once ? "once" : "not once");
    if (rc != DEED_OK) {
        (void)fprintf(stderr, "%s: %s\n", deed_rc_name(rc), err.text);
    }
    deed_ledger_close(ledger);
    deed_world_close(world);
    return paid && once && strcmp(deed_version(), DEED_VERSION) == 0 ? 0 : 1;
}
