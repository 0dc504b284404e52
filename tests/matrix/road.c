/* SPDX-License-Identifier: MIT
 *
 * The road to the provider: one executor for all ways. It does with the first request of a call what the
 * situation says, notes which action and which words went out, and is where a process may die that
 * has said "now" and sent nothing.
 */
#include "matrix.h"

#include <stdio.h>
#include <string.h>

#include <deed/ext/error.h>

struct deed_payload trial_payload(
    const struct trial *trial, unsigned draft, char *text, size_t room)
{
    const char *kind = deed_provider_class_name(trial->provider_class);
    (void)snprintf(text, room, "{\"order\":5,\"amount\":20,\"draft\":%u}", draft);
    return (struct deed_payload){{kind, strlen(kind)}, {"order-5", 7}, {text, strlen(text)}};
}

static const char *script_of(enum road road, char *text, size_t room)
{
    switch ((int)road) {
    case ROAD_GOOD:
        return "{\"do\":\"answer\"}";
    case ROAD_LOST:
        return "{\"do\":\"lose\"}";
    case ROAD_DOUBLED:
        return "{\"do\":\"answer\",\"duplicates\":1}";
    case ROAD_NEVER:
        return "{\"do\":\"late\",\"outcome\":\"never\"}";
    default:
        (void)snprintf(text, room, "{\"do\":\"late\",\"land\":{\"after_ms\":%d}}",
            1000 * (1 + (int)(road - ROAD_LATE)));
        return text;
    }
}

static bool knows_keys(deed_provider_class is)
{
    return is == DEED_CLASS_KEYED || is == DEED_CLASS_KEYED_LOOKUP;
}

static bool can_be_asked(deed_provider_class is)
{
    return is == DEED_CLASS_LOOKUP || is == DEED_CLASS_KEYED_LOOKUP;
}

static deed_executor *mock_of(struct trial *trial, enum road road)
{
    const deed_provider_class is = trial->provider_class;
    deed_executor **mock = &trial->mocks[is][road];
    char script[80];
    char options[320];
    struct deed_error err = {.text = ""};
    if (*mock == NULL) {
        (void)snprintf(options, sizeof(options), "{\"class\":\"%s\"%s%s%s,\"script\":%s}",
            deed_provider_class_name(is), knows_keys(is) ? ",\"window_ms\":60000" : "",
            can_be_asked(is) ? ",\"lookup\":{\"lag_ms\":1000,\"reach_ms\":86400000" : "",
            is == DEED_CLASS_LOOKUP ? ",\"consistency\":\"eventual\"}"
                : can_be_asked(is)  ? "}"
                                    : "",
            script_of(road, script, sizeof(script)));
        if (deed_mock_executor_new_in(
                trial->world, options, deed_sim_clock_true(trial->clock), mock, &err) != DEED_OK) {
            trial_break(trial, "no provider: %s", err.text);
        }
    }
    return *mock;
}

static unsigned intention_of(const char *key)
{
    return strcmp(key, trial_key(1)) == 0 ? 1 : 0;
}

/* Which words these are: found in what is really sent. */
static unsigned draft_of(const uint8_t *bytes, size_t count)
{
    static const char mark[] = "\"draft\":";
    const uint8_t *at = memmem(bytes, count, mark, sizeof(mark) - 1);
    return at == NULL ? 0 : (unsigned)(at[sizeof(mark) - 1] - '0');
}

/* Immediately before the first byte. */
static bool may_send(void *self)
{
    struct trial *trial = self;
    if (!trial->asks->may_send(trial->asks->gate)) {
        return false;
    }
    trial_point(trial);
    return !trial->dead;
}

static void attempt(void *self, const struct deed_call *asks, struct deed_answer *answer)
{
    struct trial *trial = self;
    struct deed_call call = *asks;
    if (trial->dead) {
        return;
    }
    call.gate = trial;
    call.may_send = may_send;
    trial->asks = asks;
    bool first = trial->call != NULL && !trial->sends;
    deed_executor *mock = mock_of(trial, first ? trial->call->road : ROAD_GOOD);
    const uint64_t before = deed_world_sends(trial->world, NULL);
    mock->attempt(mock->self, &call, answer);
    if (deed_world_sends(trial->world, NULL) == before) {
        return;
    }
    trial->sends = true;
    if (trial->sent_count == MATRIX_SENT) {
        trial_break(trial, "more than %d requests", MATRIX_SENT);
        return;
    }
    trial->sent[trial->sent_count++] =
        (struct sent){trial->call != NULL ? trial->call->intention : intention_of(asks->key),
            draft_of(asks->bytes, asks->bytes_count)};
}

static deed_rc prepare(void *self, const struct deed_request *request,
    struct deed_preparation *preparation, struct deed_error *err)
{
    const struct deed_text *body = &request->payload->body;
    (void)self;
    if (!preparation->write(preparation->sink, body->data, body->bytes)) {
        return deed_error_set(err, DEED_E_NOMEM, "matrix", "no room for the bytes of the request");
    }
    (void)strcpy(preparation->endpoint, "mock://provider");
    (void)strcpy(preparation->account_scope, "acct-1");
    return DEED_OK;
}

static void lookup(void *self, const struct deed_question *question, struct deed_finding *finding)
{
    const deed_executor *mock = mock_of(self, ROAD_GOOD);
    mock->lookup(mock->self, question, finding);
}

static void cancel(void *self, const struct deed_question *question, struct deed_finding *finding)
{
    const deed_executor *mock = mock_of(self, ROAD_GOOD);
    mock->cancel(mock->self, question, finding);
}

bool trial_dress(struct trial *trial)
{
    const deed_executor *mock = mock_of(trial, ROAD_GOOD);
    const deed_provider_class is = trial->provider_class;
    const bool keyed = knows_keys(is);
    const bool looks = can_be_asked(is);
    if (mock == NULL) {
        return false;
    }
    trial->executor = *mock;
    trial->executor.self = trial;
    trial->executor.prepare = prepare;
    trial->executor.attempt = attempt;
    trial->executor.lookup = mock->lookup != NULL ? lookup : NULL;
    trial->executor.cancel = mock->cancel != NULL ? cancel : NULL;
    trial->executor.poll = NULL;
    trial->executor.destroy = NULL;
    trial->profile = (struct deed_profile){.size = sizeof(trial->profile),
        .send_ms = MATRIX_SEND_MS,
        .answer_ms = MATRIX_ANSWER_MS,
        .landing_ms = MATRIX_LANDING_MS,
        .window_ms = keyed ? MATRIX_WINDOW_MS : 0,
        .lag_ms = looks ? MATRIX_LAG_MS : 0,
        .reach_ms = looks ? MATRIX_REACH_MS : 0};
    if (looks) {
        trial->profile.consistency = keyed ? DEED_CONSISTENCY_STRONG : DEED_CONSISTENCY_EVENTUAL;
    }
    return true;
}
