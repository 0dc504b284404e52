/* SPDX-License-Identifier: MIT */
#include "integrations.h"

#include <stdlib.h>
#include <string.h>

#define ROUNDS 12

/* ---- with deed --------------------------------------------------------------------------- */

static deed_crash_end look(const struct deed_crash_life *life)
{
    struct deed_result result = {.size = sizeof(result)};
    if (deed_get(life->ledger, INTEGRATION_KEY, &result, NULL) != DEED_OK) {
        return DEED_CRASH_AGAIN;
    }
    if (result.outcome == DEED_APPLIED && !result.disputed) {
        return DEED_CRASH_DONE;
    }
    bool over = result.outcome == DEED_REJECTED || result.outcome == DEED_RETRACTED;
    return result.needs_person || over ? DEED_CRASH_UNCERTAIN : DEED_CRASH_AGAIN;
}

static deed_crash_end pay(const struct deed_crash_life *life, deed_provider_class provider_class)
{
    const char *kind = deed_provider_class_name(provider_class);
    struct deed_payload payload = {
        {kind, strlen(kind)}, {"shop", 4}, {"{\"amount\":100}", strlen("{\"amount\":100}")}};
    struct deed_record record = {
        .size = sizeof(record), .key = INTEGRATION_KEY, .payload = &payload};
    struct deed_result result = {.size = sizeof(result)};
    struct deed_pass pass = {.size = sizeof(pass)};
    if (deed_record(life->ledger, &record, &result, NULL) != DEED_OK) {
        return DEED_CRASH_AGAIN;
    }
    deed_crash_end end = DEED_CRASH_AGAIN;
    for (int round = 0; round < ROUNDS; round++) {
        bool ran = deed_run(life->ledger, INTEGRATION_KEY, 0, &result, NULL) == DEED_OK;
        end = look(life);
        if (ran && end != DEED_CRASH_AGAIN) {
            return end;
        }
        deed_sim_clock_advance(life->clock, 2500);
        if (deed_reconcile_pass(life->ledger, NULL, NULL, &pass, NULL) != DEED_OK) {
            return DEED_CRASH_AGAIN;
        }
    }
    return look(life);
}

deed_crash_end integration_records(const struct deed_crash_life *life)
{
    struct deed_payload payload = {{"keyed", 5}, {"shop", 4}, {"{}", 2}};
    struct deed_record record = {
        .size = sizeof(record), .key = INTEGRATION_KEY, .payload = &payload};
    struct deed_result result = {.size = sizeof(result)};
    return deed_record(life->ledger, &record, &result, NULL) == DEED_OK ? DEED_CRASH_UNCERTAIN
                                                                        : DEED_CRASH_AGAIN;
}

#define PAY(ident)                                                                                 \
    static deed_crash_end pay_##ident(const struct deed_crash_life *life)                          \
    {                                                                                              \
        return pay(life, DEED_CLASS_##ident);                                                      \
    }
PAY(BLIND)
PAY(LOOKUP)
PAY(KEYED)
PAY(KEYED_LOOKUP)
PAY(CLOSABLE)
#undef PAY

deed_crash_program integration_of(deed_provider_class provider_class)
{
    static const deed_crash_program programs[] = {
        pay_BLIND, pay_LOOKUP, pay_KEYED, pay_KEYED_LOOKUP, pay_CLOSABLE};
    return programs[provider_class];
}

/* ---- without ----------------------------------------------------------------------------- */

static deed_crash_end retry(const struct deed_crash_life *life, const char *key)
{
    for (int i = 0; i < ROUNDS; i++) {
        if (life->send(life, INTEGRATION_KEY, key, "{\"amount\":100}") == DEED_VERDICT_APPLIED) {
            return DEED_CRASH_DONE;
        }
    }
    return DEED_CRASH_AGAIN;
}

deed_crash_end integration_naive_retry(const struct deed_crash_life *life)
{
    return retry(life, NULL);
}

deed_crash_end integration_keyed_retry(const struct deed_crash_life *life)
{
    return retry(life, "0001");
}

static bool was_saved(const struct deed_crash_life *life)
{
    char *text = life->load(life, INTEGRATION_KEY);
    bool saved = text != NULL;
    free(text);
    return saved;
}

deed_crash_end integration_sent_before_saved(const struct deed_crash_life *life)
{
    if (was_saved(life)) {
        return DEED_CRASH_DONE;
    }
    deed_verdict verdict = life->send(life, INTEGRATION_KEY, NULL, "{\"amount\":100}");
    if (verdict != DEED_VERDICT_APPLIED) {
        return DEED_CRASH_UNCERTAIN;
    }
    return life->save(life, INTEGRATION_KEY, "sent") ? DEED_CRASH_DONE : DEED_CRASH_AGAIN;
}

deed_crash_end integration_saved_before_sent(const struct deed_crash_life *life)
{
    if (was_saved(life)) {
        return DEED_CRASH_DONE;
    }
    if (!life->save(life, INTEGRATION_KEY, "sent")) {
        return DEED_CRASH_AGAIN;
    }
    deed_verdict verdict = life->send(life, INTEGRATION_KEY, NULL, "{\"amount\":100}");
    return verdict == DEED_VERDICT_APPLIED ? DEED_CRASH_DONE : DEED_CRASH_UNCERTAIN;
}

deed_crash_end integration_never_ends(const struct deed_crash_life *life)
{
    (void)life->save(life, INTEGRATION_KEY, "tried");
    return DEED_CRASH_AGAIN;
}

/* ---- executors --------------------------------------------------------------------------- */

enum manner {
    ONCE,
    CONFIRMS_ON_TIMEOUT,
    TWICE,
    FORGES
};

struct client {
    deed_executor executor;
    const struct deed_crash_life *life;
    enum manner manner;
};

static deed_rc prepare(void *self, const struct deed_request *request,
    struct deed_preparation *preparation_out, struct deed_error *err)
{
    const struct deed_text body = request->payload->body;
    (void)self;
    (void)err;
    (void)strcpy(preparation_out->endpoint, "mock://provider");
    (void)strcpy(preparation_out->account_scope, "acct-1");
    return preparation_out->write(preparation_out->sink, body.data, body.bytes) ? DEED_OK
                                                                                : DEED_E_NOMEM;
}

static void attempt(void *self, const struct deed_call *call, struct deed_answer *answer_out)
{
    const struct client *client = self;
    const struct deed_crash_life *life = client->life;
    char *bytes = malloc(call->bytes_count + 1);
    if (bytes != NULL) {
        memcpy(bytes, call->bytes, call->bytes_count);
        bytes[call->bytes_count] = '\0';
    }
    if (bytes == NULL || !call->may_send(call->gate)) {
        answer_out->verdict = DEED_VERDICT_NOT_APPLIED;
        free(bytes);
        return;
    }
    answer_out->verdict = life->send(life, call->key, call->provider_key, bytes);
    if (answer_out->verdict == DEED_VERDICT_UNKNOWN && client->manner == TWICE) {
        answer_out->verdict = life->send(life, call->key, NULL, bytes);
    }
    if (client->manner == FORGES) {
        (void)strcpy(answer_out->reference, "fx-999");
    }
    if (answer_out->verdict == DEED_VERDICT_UNKNOWN && client->manner == CONFIRMS_ON_TIMEOUT) {
        answer_out->verdict = DEED_VERDICT_APPLIED;
    }
    free(bytes);
}

static void destroy(void *self)
{
    free(self);
}

static deed_rc make(
    const struct deed_crash_life *life, enum manner manner, deed_executor **executor_out)
{
    struct client *client = calloc(1, sizeof(*client));
    if (client == NULL) {
        return DEED_E_NOMEM;
    }
    client->life = life;
    client->manner = manner;
    client->executor = (deed_executor){.size = sizeof(client->executor),
        .name = "client",
        .version = "1",
        .flags = DEED_EXECUTOR_MOCK,
        .self = client,
        .prepare = prepare,
        .attempt = attempt,
        .destroy = destroy};
    *executor_out = &client->executor;
    return DEED_OK;
}

deed_rc integration_confirms_on_timeout(const struct deed_crash_life *life,
    deed_executor **executor_out, struct deed_profile *profile_out, struct deed_error *err)
{
    (void)profile_out;
    (void)err;
    return make(life, CONFIRMS_ON_TIMEOUT, executor_out);
}

deed_rc integration_sends_twice(const struct deed_crash_life *life, deed_executor **executor_out,
    struct deed_profile *profile_out, struct deed_error *err)
{
    (void)profile_out;
    (void)err;
    return make(life, TWICE, executor_out);
}

deed_rc integration_forges(const struct deed_crash_life *life, deed_executor **executor_out,
    struct deed_profile *profile_out, struct deed_error *err)
{
    (void)profile_out;
    (void)err;
    return make(life, FORGES, executor_out);
}

deed_rc integration_sends_once(const struct deed_crash_life *life, deed_executor **executor_out,
    struct deed_profile *profile_out, struct deed_error *err)
{
    (void)profile_out;
    (void)err;
    return make(life, ONCE, executor_out);
}
