/* SPDX-License-Identifier: MIT
 *
 * The boundary, first half: what makes a ledger, and what reads it.
 */
#include "boundary.h"

/* ---- making ------------------------------------------------------------------------------- */

/* What the options point to stays the host's and is called where it is. */
static deed_rc take_options(
    struct deed_options *mine, const struct deed_options *given, struct deed_error *err)
{
    deed_rc rc = deed_size_take(&deed__shape_deed_options, given, mine, err);
    if (rc == DEED_OK) {
        rc = deed_size_check(&deed__shape_deed_clock, mine->clock, err);
    }
    if (rc == DEED_OK) {
        rc = deed_size_check(&deed__shape_deed_random, mine->random, err);
    }
    if (rc == DEED_OK) {
        rc = deed_size_check(&deed__shape_deed_allocator, mine->memory, err);
    }
    if (rc == DEED_OK) {
        rc = deed_size_check(&deed__shape_deed_trace, mine->trace, err);
    }
    return rc;
}

deed_rc deed_ledger_init(struct deed_store *store, const char *name, bool test,
    const struct deed_options *options, struct deed_error *err)
{
    struct deed_options mine;
    deed_rc rc = deed_size_check(&deed__shape_deed_store, store, err);
    if (rc == DEED_OK) {
        rc = take_options(&mine, options, err);
    }
    return rc == DEED_OK ? deed__inner_ledger_init(store, name, test, &mine, err) : rc;
}

deed_rc deed_ledger_open(struct deed_store *store, const struct deed_options *options,
    deed_ledger **ledger_out, struct deed_error *err)
{
    struct deed_options mine;
    deed_rc rc = deed_size_check(&deed__shape_deed_store, store, err);
    if (rc == DEED_OK) {
        rc = take_options(&mine, options, err);
    }
    if (rc != DEED_OK && store != NULL && DEED__HAS(store, close)) {
        store->close(store->self); /* taken, on failure too */
    }
    return rc == DEED_OK ? deed__inner_ledger_open(store, &mine, ledger_out, err) : rc;
}

deed_rc deed_webhook_verifier_create(
    const struct deed_webhook *webhook, struct deed_verifier **verifier_out, struct deed_error *err)
{
    struct deed_webhook mine;
    deed_rc rc = deed_size_take(&deed__shape_deed_webhook, webhook, &mine, err);
    return rc == DEED_OK
        ? deed__inner_webhook_verifier_create(webhook == NULL ? NULL : &mine, verifier_out, err)
        : rc;
}

/* ---- reading ------------------------------------------------------------------------------ */

/* Gives an out-parameter to the host, if the call has filled it. */
static deed_rc give(
    const struct deed_shape *shape, void *place, const void *mine, bool filled, deed_rc rc)
{
    if (filled) {
        deed_size_give(shape, place, mine);
    }
    return rc;
}

deed_rc deed_ledger_info(
    deed_ledger *ledger, struct deed_ledger_info *info_out, struct deed_error *err)
{
    struct deed_ledger_info mine = {.size = 0};
    deed_rc rc = deed_size_room(&deed__shape_deed_ledger_info, info_out, err);
    if (rc == DEED_OK) {
        rc = deed__inner_ledger_info(ledger, info_out == NULL ? NULL : &mine, err);
    }
    return give(&deed__shape_deed_ledger_info, info_out, &mine, mine.size > 0, rc);
}

deed_rc deed_ledger_list(deed_ledger *ledger, const struct deed_list *list, deed_result_visit visit,
    void *context, struct deed_error *err)
{
    struct deed_list mine;
    deed_rc rc = deed_size_take(&deed__shape_deed_list, list, &mine, err);
    return rc == DEED_OK
        ? deed__inner_ledger_list(ledger, list == NULL ? NULL : &mine, visit, context, err)
        : rc;
}

deed_rc deed_ledger_find(deed_ledger *ledger, const struct deed_find *find, deed_result_visit visit,
    void *context, struct deed_error *err)
{
    struct deed_find mine;
    deed_rc rc = deed_size_take(&deed__shape_deed_find, find, &mine, err);
    return rc == DEED_OK
        ? deed__inner_ledger_find(ledger, find == NULL ? NULL : &mine, visit, context, err)
        : rc;
}

deed_rc deed_ledger_status(
    deed_ledger *ledger, struct deed_status *status_out, struct deed_error *err)
{
    struct deed_status mine = {.size = 0};
    deed_rc rc = deed_size_room(&deed__shape_deed_status, status_out, err);
    if (rc == DEED_OK) {
        rc = deed__inner_ledger_status(ledger, status_out == NULL ? NULL : &mine, err);
    }
    return give(&deed__shape_deed_status, status_out, &mine, mine.size > 0, rc);
}

deed_rc deed_ledger_check(deed_ledger *ledger, deed_check_visit visit, void *context,
    struct deed_check *check_out, struct deed_error *err)
{
    struct deed_check mine = {.size = 0};
    deed_rc rc = deed_size_room(&deed__shape_deed_check, check_out, err);
    if (rc == DEED_OK) {
        rc = deed__inner_ledger_check(ledger, visit, context, &mine, err);
    }
    return give(&deed__shape_deed_check, check_out, &mine, mine.size > 0, rc);
}

deed_rc deed_reconcile_pass(deed_ledger *ledger, deed_result_visit visit, void *context,
    struct deed_pass *pass_out, struct deed_error *err)
{
    struct deed_pass mine = {.size = 0};
    deed_rc rc = deed_size_room(&deed__shape_deed_pass, pass_out, err);
    if (rc == DEED_OK) {
        rc = deed__inner_reconcile_pass(ledger, visit, context, &mine, err);
    }
    return give(&deed__shape_deed_pass, pass_out, &mine, mine.size > 0, rc);
}
