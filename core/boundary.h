/* SPDX-License-Identifier: MIT
 *
 * The calls of the headers, behind the boundary: each does what the public one of its name says, with
 * structs in the shape of this library. The public ones (boundary.c, boundary_act.c) take what the
 * host filled and give back what it has room for. Elsewhere only what takes a plug-in looks at `size`
 * (registry.c, verifier.c, ledger.c), and what a plug-in of ours is called with (webhook.c).
 *
 * Method: an out-parameter comes with `size` zero, and is given to the host if it has one afterwards.
 */
#ifndef DEED_CORE_BOUNDARY_H
#define DEED_CORE_BOUNDARY_H

#include "versioned.h"

deed_rc deed__inner_ledger_init(struct deed_store *store, const char *name, bool test,
    const struct deed_options *options, struct deed_error *err);
deed_rc deed__inner_ledger_open(struct deed_store *store, const struct deed_options *options,
    deed_ledger **ledger_out, struct deed_error *err);
deed_rc deed__inner_webhook_verifier_create(const struct deed_webhook *webhook,
    struct deed_verifier **verifier_out, struct deed_error *err);

deed_rc deed__inner_ledger_info(
    deed_ledger *ledger, struct deed_ledger_info *info_out, struct deed_error *err);
deed_rc deed__inner_ledger_list(deed_ledger *ledger, const struct deed_list *list,
    deed_result_visit visit, void *context, struct deed_error *err);
deed_rc deed__inner_ledger_find(deed_ledger *ledger, const struct deed_find *find,
    deed_result_visit visit, void *context, struct deed_error *err);
deed_rc deed__inner_ledger_status(
    deed_ledger *ledger, struct deed_status *status_out, struct deed_error *err);
deed_rc deed__inner_ledger_check(deed_ledger *ledger, deed_check_visit visit, void *context,
    struct deed_check *check_out, struct deed_error *err);
deed_rc deed__inner_reconcile_pass(deed_ledger *ledger, deed_result_visit visit, void *context,
    struct deed_pass *pass_out, struct deed_error *err);

deed_rc deed__inner_get(
    deed_ledger *ledger, const char *key, struct deed_result *result, struct deed_error *err);
deed_rc deed__inner_record(deed_ledger *ledger, const struct deed_record *record,
    struct deed_result *result, struct deed_error *err);
/* The host's own array: the records lie `stride` bytes apart. */
deed_rc deed__inner_record_many(deed_ledger *ledger, const void *records, size_t stride,
    size_t count, deed_result_visit visit, void *context, struct deed_error *err);
deed_rc deed__inner_plan(deed_ledger *ledger, const char *key, const struct deed_payload *payload,
    uint32_t flags, struct deed_plan *plan_out, struct deed_result *result, struct deed_error *err);
deed_rc deed__inner_begin(deed_ledger *ledger, const struct deed_begin *begin,
    struct deed_attempt *attempt_out, struct deed_result *result, struct deed_error *err);
deed_rc deed__inner_finish(deed_ledger *ledger, const char *key,
    const uint8_t token[DEED_TOKEN_BYTES], const struct deed_answer *answer,
    struct deed_result *result, struct deed_error *err);
deed_rc deed__inner_run(deed_ledger *ledger, const char *key, uint32_t flags,
    struct deed_result *result, struct deed_error *err);
deed_rc deed__inner_reconcile(
    deed_ledger *ledger, const char *key, struct deed_result *result, struct deed_error *err);
deed_rc deed__inner_reconcile_plan(deed_ledger *ledger, const char *key, bool by_name,
    deed_settle_step *step_out, struct deed_result *result, struct deed_error *err);
deed_rc deed__inner_evidence_add(struct deed_ledger *ledger, const struct deed_evidence *evidence,
    struct deed_result *result, struct deed_error *err);

typedef deed_rc (*deed__inner_decide)(deed_ledger *ledger, const struct deed_decision *decision,
    struct deed_result *result, struct deed_error *err);
deed_rc deed__inner_resolve(deed_ledger *ledger, const struct deed_decision *decision,
    struct deed_result *result, struct deed_error *err);
deed_rc deed__inner_retract(deed_ledger *ledger, const struct deed_decision *decision,
    struct deed_result *result, struct deed_error *err);
deed_rc deed__inner_hold(deed_ledger *ledger, const struct deed_decision *decision,
    struct deed_result *result, struct deed_error *err);
deed_rc deed__inner_release(deed_ledger *ledger, const struct deed_decision *decision,
    struct deed_result *result, struct deed_error *err);

#endif
