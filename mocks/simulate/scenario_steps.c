/* SPDX-License-Identifier: MIT
 *
 * Steps of scenarios: what a program does with its ledger, one call each.
 */
#include "simulate/scenarios.h"

#include <stdio.h>
#include <string.h>

#include <deed/evidence.h>

#define MANY_MAX 16

static struct deed_text text_of(const char *text)
{
    return (struct deed_text){text, strlen(text)};
}

/* Keys that differ late are about the same. */
struct deed_payload deed_crash__payload(
    const struct deed_crash__scene *scene, const char *key, char body_out[DEED_CRASH__BODY_BYTES])
{
    (void)snprintf(body_out, DEED_CRASH__BODY_BYTES, "what %.12s is about", key);
    return (struct deed_payload){.kind = text_of(deed_provider_class_name(scene->provider_class)),
        .target = text_of("shop"),
        .body = text_of(body_out)};
}

bool deed_crash__record_as(
    struct deed_crash__scene *scene, const char *key, const char *hold_reason, int64_t until_ms)
{
    char body[DEED_CRASH__BODY_BYTES];
    struct deed_payload payload = deed_crash__payload(scene, key, body);
    struct deed_record record = {.size = sizeof(record),
        .key = key,
        .payload = &payload,
        .hold_reason = hold_reason,
        .not_after_ms = until_ms};
    struct deed_result result = {.size = sizeof(result)};
    return deed_record(scene->life->ledger, &record, &result, &scene->err) == DEED_OK;
}

bool deed_crash__record(struct deed_crash__scene *scene, const char *key)
{
    return deed_crash__record_as(scene, key, NULL, 0);
}

static bool see(
    void *context, deed_rc rc, const struct deed_result *result, const struct deed_error *err)
{
    (void)context;
    (void)rc;
    (void)result;
    (void)err;
    return true;
}

bool deed_crash__record_many(struct deed_crash__scene *scene, const char *const *keys, size_t count)
{
    char bodies[MANY_MAX][DEED_CRASH__BODY_BYTES];
    struct deed_payload payloads[MANY_MAX];
    struct deed_record records[MANY_MAX];
    for (size_t i = 0; i < count && i < MANY_MAX; i++) {
        payloads[i] = deed_crash__payload(scene, keys[i], bodies[i]);
        records[i] = (struct deed_record){
            .size = sizeof(records[i]), .key = keys[i], .payload = &payloads[i]};
    }
    return deed_record_many(scene->life->ledger, records, count, see, NULL, &scene->err) == DEED_OK;
}

static bool run(struct deed_crash__scene *scene, const char *key, uint32_t flags)
{
    struct deed_result result = {.size = sizeof(result)};
    return deed_run(scene->life->ledger, key, flags, &result, &scene->err) == DEED_OK;
}

bool deed_crash__run_key(struct deed_crash__scene *scene, const char *key)
{
    return run(scene, key, 0);
}

bool deed_crash__run_by_name(struct deed_crash__scene *scene, const char *key)
{
    return run(scene, key, DEED_BEGIN_BY_NAME);
}

bool deed_crash__run_due_ones(struct deed_crash__scene *scene)
{
    return deed_run_due(scene->life->ledger, see, NULL, &scene->err) == DEED_OK;
}

bool deed_crash__reconcile(struct deed_crash__scene *scene, const char *key)
{
    struct deed_result result = {.size = sizeof(result)};
    return deed_reconcile(scene->life->ledger, key, &result, &scene->err) == DEED_OK;
}

bool deed_crash__pass(struct deed_crash__scene *scene)
{
    struct deed_pass pass = {.size = sizeof(pass)};
    return deed_reconcile_pass(scene->life->ledger, see, NULL, &pass, &scene->err) == DEED_OK;
}

static struct deed_decision decision_of(const char *key)
{
    return (struct deed_decision){.size = sizeof(struct deed_decision),
        .key = key,
        .by = "ada",
        .reason = "seen at the provider"};
}

bool deed_crash__resolve(struct deed_crash__scene *scene, const char *key, deed_outcome outcome)
{
    struct deed_decision decision = decision_of(key);
    struct deed_result result = {.size = sizeof(result)};
    decision.outcome = outcome;
    return deed_resolve(scene->life->ledger, &decision, &result, &scene->err) == DEED_OK;
}

bool deed_crash__evidence(struct deed_crash__scene *scene, const char *key)
{
    struct deed_evidence evidence = {.size = sizeof(evidence),
        .key = key,
        .source = "notice",
        .event_id = key,
        .outcome = DEED_APPLIED,
        .message = {"done", 4},
        .by = "ada"};
    struct deed_result result = {.size = sizeof(result)};
    return deed_evidence_add(scene->life->ledger, &evidence, &result, &scene->err) == DEED_OK;
}

bool deed_crash__retract(struct deed_crash__scene *scene, const char *key)
{
    struct deed_decision decision = decision_of(key);
    struct deed_result result = {.size = sizeof(result)};
    return deed_retract(scene->life->ledger, &decision, &result, &scene->err) == DEED_OK;
}

bool deed_crash__hold_key(struct deed_crash__scene *scene, const char *key)
{
    struct deed_decision decision = decision_of(key);
    struct deed_result result = {.size = sizeof(result)};
    return deed_hold(scene->life->ledger, &decision, &result, &scene->err) == DEED_OK;
}

bool deed_crash__release(struct deed_crash__scene *scene, const char *key)
{
    struct deed_decision decision = decision_of(key);
    struct deed_result result = {.size = sizeof(result)};
    return deed_release(scene->life->ledger, &decision, &result, &scene->err) == DEED_OK;
}

bool deed_crash__wait(struct deed_crash__scene *scene, int64_t passed_ms)
{
    deed_sim_clock_advance(scene->life->clock, passed_ms);
    return true;
}
