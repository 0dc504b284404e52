/* SPDX-License-Identifier: MIT
 *
 * The boundary, second half: calls about one intent, which tell what is known of it.
 */
#include "boundary.h"

#include <string.h>

#include <deed/ext/error.h>

/* What a call tells, in the shape of this library until the call is over. */
struct told {
    struct deed_result *place; /* the host's; NULL: it does not ask */
    struct deed_result whole;
};

/* Refuses before anything is done. Only `size` of what lies in the host's result is looked at. */
static deed_rc begin_told(struct told *told, struct deed_result *place, struct deed_error *err)
{
    told->place = place;
    deed_rc rc = deed_size_room(&deed__shape_deed_result, place, err);
    if (rc == DEED_OK && place != NULL) {
        memset(&told->whole, 0, sizeof(told->whole));
        told->whole.size = sizeof(told->whole);
    }
    return rc;
}

static struct deed_result *inside(struct told *told)
{
    return told->place == NULL ? NULL : &told->whole;
}

static deed_rc end_told(struct told *told, deed_rc rc)
{
    deed_size_give(&deed__shape_deed_result, told->place, &told->whole);
    return rc;
}

deed_rc deed_get(
    deed_ledger *ledger, const char *key, struct deed_result *result, struct deed_error *err)
{
    struct told told;
    deed_rc rc = begin_told(&told, result, err);
    if (rc != DEED_OK) {
        return rc;
    }
    return end_told(&told, deed__inner_get(ledger, key, inside(&told), err));
}

/* ---- record ------------------------------------------------------------------------------- */

deed_rc deed_record(deed_ledger *ledger, const struct deed_record *record,
    struct deed_result *result, struct deed_error *err)
{
    struct told told;
    struct deed_record mine;
    deed_rc rc = begin_told(&told, result, err);
    if (rc == DEED_OK) {
        rc = deed_size_take(&deed__shape_deed_record, record, &mine, err);
    }
    if (rc != DEED_OK) {
        return rc;
    }
    return end_told(
        &told, deed__inner_record(ledger, record == NULL ? NULL : &mine, inside(&told), err));
}

/* The host's compiler laid the records out, so they lie as far apart as each says it is long. */
static deed_rc check_stride(
    const struct deed_record *records, size_t count, size_t *stride_out, struct deed_error *err)
{
    deed_rc rc = deed_size_room(&deed__shape_deed_record, records, err);
    if (rc != DEED_OK || records == NULL || count == 0) {
        return rc;
    }
    size_t stride = records->size;
    for (size_t i = 1; i < count; i++) {
        size_t size = 0;
        memcpy(&size, (const char *)records + i * stride, sizeof(size));
        if (size != stride) {
            return deed_error_set(err, DEED_E_MISUSE, "core",
                "number %zu of an array of struct deed_record has not the size of the first: set "
                ".size = sizeof(struct deed_record) in each",
                i + 1);
        }
    }
    *stride_out = stride;
    return DEED_OK;
}

deed_rc deed_record_many(deed_ledger *ledger, const struct deed_record *records, size_t count,
    deed_result_visit visit, void *context, struct deed_error *err)
{
    size_t stride = 0;
    deed_rc rc = count == 0 ? DEED_OK : check_stride(records, count, &stride, err);
    return rc == DEED_OK
        ? deed__inner_record_many(ledger, records, stride, count, visit, context, err)
        : rc;
}

/* ---- attempt ------------------------------------------------------------------------------ */

deed_rc deed_plan(deed_ledger *ledger, const char *key, const struct deed_payload *payload,
    uint32_t flags, struct deed_plan *plan_out, struct deed_result *result, struct deed_error *err)
{
    struct told told;
    struct deed_plan mine = {.size = 0};
    deed_rc rc = begin_told(&told, result, err);
    if (rc == DEED_OK) {
        rc = deed_size_room(&deed__shape_deed_plan, plan_out, err);
    }
    if (rc != DEED_OK) {
        return rc;
    }
    rc = deed__inner_plan(
        ledger, key, payload, flags, plan_out == NULL ? NULL : &mine, inside(&told), err);
    if (mine.size > 0) {
        deed_size_give(&deed__shape_deed_plan, plan_out, &mine);
    }
    return end_told(&told, rc);
}

/* All that a begin points to. */
struct begun {
    struct deed_begin begin;
    struct deed_record record;
    struct deed_binding binding;
    struct deed_profile profile;
};

static deed_rc take_begin(
    struct begun *mine, const struct deed_begin *given, struct deed_error *err)
{
    deed_rc rc = deed_size_take(&deed__shape_deed_begin, given, &mine->begin, err);
    if (rc == DEED_OK && mine->begin.record != NULL) {
        rc = deed_size_take(&deed__shape_deed_record, mine->begin.record, &mine->record, err);
        mine->begin.record = &mine->record;
    }
    if (rc == DEED_OK && mine->begin.binding != NULL) {
        rc = deed_size_take(&deed__shape_deed_binding, mine->begin.binding, &mine->binding, err);
        mine->begin.binding = &mine->binding;
        if (rc == DEED_OK && mine->binding.profile != NULL) {
            rc = deed_size_take(
                &deed__shape_deed_profile, mine->binding.profile, &mine->profile, err);
            mine->binding.profile = &mine->profile;
        }
    }
    return rc;
}

deed_rc deed_begin(deed_ledger *ledger, const struct deed_begin *begin,
    struct deed_attempt *attempt_out, struct deed_result *result, struct deed_error *err)
{
    struct told told;
    struct begun given;
    struct deed_attempt mine = {.size = 0};
    deed_rc rc = begin_told(&told, result, err);
    if (rc == DEED_OK) {
        rc = deed_size_room(&deed__shape_deed_attempt, attempt_out, err);
    }
    if (rc == DEED_OK) {
        rc = take_begin(&given, begin, err);
    }
    if (rc != DEED_OK) {
        return rc;
    }
    rc = deed__inner_begin(ledger, begin == NULL ? NULL : &given.begin,
        attempt_out == NULL ? NULL : &mine, inside(&told), err);
    if (mine.size > 0) {
        deed_size_give(&deed__shape_deed_attempt, attempt_out, &mine);
    }
    return end_told(&told, rc);
}

deed_rc deed_finish(deed_ledger *ledger, const char *key, const uint8_t token[DEED_TOKEN_BYTES],
    const struct deed_answer *answer, struct deed_result *result, struct deed_error *err)
{
    struct told told;
    struct deed_answer mine;
    deed_rc rc = begin_told(&told, result, err);
    if (rc == DEED_OK) {
        rc = deed_size_take(&deed__shape_deed_answer, answer, &mine, err);
    }
    if (rc != DEED_OK) {
        return rc;
    }
    return end_told(&told,
        deed__inner_finish(ledger, key, token, answer == NULL ? NULL : &mine, inside(&told), err));
}

deed_rc deed_run(deed_ledger *ledger, const char *key, uint32_t flags, struct deed_result *result,
    struct deed_error *err)
{
    struct told told;
    deed_rc rc = begin_told(&told, result, err);
    if (rc != DEED_OK) {
        return rc;
    }
    return end_told(&told, deed__inner_run(ledger, key, flags, inside(&told), err));
}

/* ---- settling ----------------------------------------------------------------------------- */

deed_rc deed_reconcile(
    deed_ledger *ledger, const char *key, struct deed_result *result, struct deed_error *err)
{
    struct told told;
    deed_rc rc = begin_told(&told, result, err);
    if (rc != DEED_OK) {
        return rc;
    }
    return end_told(&told, deed__inner_reconcile(ledger, key, inside(&told), err));
}

deed_rc deed_reconcile_plan(deed_ledger *ledger, const char *key, bool by_name,
    deed_settle_step *step_out, struct deed_result *result, struct deed_error *err)
{
    struct told told;
    deed_rc rc = begin_told(&told, result, err);
    if (rc != DEED_OK) {
        return rc;
    }
    return end_told(
        &told, deed__inner_reconcile_plan(ledger, key, by_name, step_out, inside(&told), err));
}

deed_rc deed_evidence_add(struct deed_ledger *ledger, const struct deed_evidence *evidence,
    struct deed_result *result, struct deed_error *err)
{
    struct told told;
    struct deed_evidence mine;
    deed_rc rc = begin_told(&told, result, err);
    if (rc == DEED_OK) {
        rc = deed_size_take(&deed__shape_deed_evidence, evidence, &mine, err);
    }
    if (rc != DEED_OK) {
        return rc;
    }
    return end_told(&told,
        deed__inner_evidence_add(ledger, evidence == NULL ? NULL : &mine, inside(&told), err));
}

static deed_rc decide(deed__inner_decide inner, deed_ledger *ledger,
    const struct deed_decision *decision, struct deed_result *result, struct deed_error *err)
{
    struct told told;
    struct deed_decision mine;
    deed_rc rc = begin_told(&told, result, err);
    if (rc == DEED_OK) {
        rc = deed_size_take(&deed__shape_deed_decision, decision, &mine, err);
    }
    if (rc != DEED_OK) {
        return rc;
    }
    return end_told(&told, inner(ledger, decision == NULL ? NULL : &mine, inside(&told), err));
}

deed_rc deed_resolve(deed_ledger *ledger, const struct deed_decision *decision,
    struct deed_result *result, struct deed_error *err)
{
    return decide(deed__inner_resolve, ledger, decision, result, err);
}

deed_rc deed_retract(deed_ledger *ledger, const struct deed_decision *decision,
    struct deed_result *result, struct deed_error *err)
{
    return decide(deed__inner_retract, ledger, decision, result, err);
}

deed_rc deed_hold(deed_ledger *ledger, const struct deed_decision *decision,
    struct deed_result *result, struct deed_error *err)
{
    return decide(deed__inner_hold, ledger, decision, result, err);
}

deed_rc deed_release(deed_ledger *ledger, const struct deed_decision *decision,
    struct deed_result *result, struct deed_error *err)
{
    return decide(deed__inner_release, ledger, decision, result, err);
}
