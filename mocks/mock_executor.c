/* SPDX-License-Identifier: MIT
 *
 * The mock executor: the contract of deed/ext/executor.h over a provider in a world.
 *
 * It follows the order every executor must follow: ask may_send, send, answer. The line in the world
 * is the first byte; so the two seams lie where a real executor can die.
 */
#include "mock_request.h"
#include "provider.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <deed/ext/error.h>
#include <deed/ext/size.h>
#include <deed/mock/executor.h>
#include <deed/seam.h>

#define ORIGIN "executor.mock"

struct mock {
    deed_executor executor; /* what the ledger holds; freed with the rest by destroy */
    struct deed_mock__provider provider;
    struct deed_world *world;
    bool owns_world;
    const struct deed_clock *clock; /* NULL: the system's */
    deed_mock_wait wait;
    void *wait_context;
};

/* ---- time -------------------------------------------------------------------------------- */

static bool now(const struct mock *mock, int64_t *now_ms_out)
{
    struct deed_instant instant;
    struct timespec system;
    if (mock->clock != NULL) {
        if (!mock->clock->now(mock->clock->self, &instant)) {
            return false;
        }
        *now_ms_out = instant.wall_ms;
        return true;
    }
    if (clock_gettime(CLOCK_REALTIME, &system) != 0) {
        return false;
    }
    *now_ms_out = (int64_t)system.tv_sec * 1000 + system.tv_nsec / 1000000;
    return true;
}

static void hang(const struct mock *mock, int64_t wait_ms)
{
    if (mock->wait != NULL) {
        mock->wait(mock->wait_context, wait_ms);
        return;
    }
    if (mock->clock != NULL || wait_ms <= 0) {
        return;
    }
    struct timespec left = {
        .tv_sec = (time_t)(wait_ms / 1000), .tv_nsec = (long)(wait_ms % 1000) * 1000000};
    while (nanosleep(&left, &left) != 0 && errno == EINTR) {
        continue; /* a signal ends no request that is on its way */
    }
}

/* ---- prepare ----------------------------------------------------------------------------- */

static deed_rc prepare(void *self, const struct deed_request *request,
    struct deed_preparation *preparation_out, struct deed_error *err)
{
    const struct mock *mock = self;
    const struct deed_mock__place place =
        deed_mock__provider_place(&mock->provider, request->provider_key);
    return deed_mock__prepare(request, &place, preparation_out, err);
}

/* ---- attempt ----------------------------------------------------------------------------- */

static void write_excerpt(struct deed_answer *answer, const char *status)
{
    int bytes = snprintf(answer->excerpt, sizeof(answer->excerpt),
        "{\"status\":\"%s\",\"id\":\"%s\"}", status, answer->reference);
    answer->excerpt_bytes = bytes > 0 ? (size_t)bytes : 0;
}

static void fill_answer(const struct mock *mock, const struct deed_mock__step *step,
    const struct deed_mock__reply *reply, struct deed_answer *answer)
{
    answer->verdict = reply->verdict;
    answer->stored_first = reply->stored && mock->provider.marks_replays;
    answer->pending = reply->pending;
    answer->key_signal = reply->key_signal;
    answer->retry_after_ms = step->retry_after_ms;
    if (reply->verdict == DEED_VERDICT_APPLIED) {
        deed_mock__reference_text(reply->effect, answer->reference);
    }
    if (reply->pending) {
        deed_mock__handle_text(reply->operation, answer->handle);
    }
    write_excerpt(answer, reply->status);
}

/* Nobody hears what the provider says. */
static bool is_silent(const struct deed_mock__step *step)
{
    return step->lost || step->kind == DEED_MOCK__STEP_LATE || step->kind == DEED_MOCK__STEP_HANG ||
        step->kind == DEED_MOCK__STEP_GARBAGE;
}

static bool send_request(const struct mock *mock, const struct deed_call *call,
    const struct deed_mock__step *step, struct deed_mock__reply *reply)
{
    struct deed_mock__arrival arrival = {.key = call->key,
        .provider_key = call->provider_key,
        .attempt = call->attempt,
        .bytes = call->bytes,
        .bytes_count = call->bytes_count,
        .step = step};
    return now(mock, &arrival.now_ms) &&
        deed_mock__provider_receive(mock->world, &mock->provider, &arrival, reply, NULL) == DEED_OK;
}

static struct deed_mock__step step_of(
    const struct mock *mock, const struct deed_call *call, bool *other_out)
{
    if (mock->provider.freedom != NULL) {
        return deed_mock__choose_step(&mock->provider, other_out);
    }
    const struct deed_mock__script *script =
        deed_mock__script_for(&mock->provider.steps_by_key, &mock->provider.steps, call->key);
    return *deed_mock__step_for(script, call->attempt);
}

struct other {
    const char *key;
    char *reference;
};

static bool take_other(void *context, const struct deed_world_effect *effect)
{
    const struct other *other = context;
    if (strcmp(effect->key, other->key) == 0) {
        return true;
    }
    (void)snprintf(other->reference, DEED_MOCK__REFERENCE_BYTES, "%s", effect->reference);
    return false;
}

/* Another action's, or one that nobody has. */
static void tell_other(const struct mock *mock, const char *key, struct deed_answer *answer)
{
    struct other other = {key, answer->reference};
    (void)snprintf(answer->reference, DEED_MOCK__REFERENCE_BYTES, "fx-other");
    if (deed_world_effects_visit(mock->world, NULL, take_other, &other, NULL) == DEED_OK) {
        write_excerpt(answer, "done");
    }
}

static void attempt(void *self, const struct deed_call *call, struct deed_answer *answer_out)
{
    const struct mock *mock = self;
    bool tells_other = false;
    const struct deed_mock__step chosen = step_of(mock, call, &tells_other);
    const struct deed_mock__step *step = &chosen;
    if (step->kind == DEED_MOCK__STEP_UNREACHABLE) {
        answer_out->verdict = DEED_VERDICT_NOT_APPLIED;
        answer_out->retry_after_ms = step->retry_after_ms;
        write_excerpt(answer_out, "unreachable");
        return;
    }
    if (!call->may_send(call->gate)) {
        answer_out->verdict = DEED_VERDICT_NOT_APPLIED; /* first-hand: nothing went out */
        return;
    }
    deed_seam_cross(DEED_SEAM_SEND_ALLOWED);
    struct deed_mock__reply reply = {.status = ""};
    if (!send_request(mock, call, step, &reply)) {
        return; /* whether the line is there is not known, and so is the outcome */
    }
    if (reply.new_effect) {
        deed_seam_cross(DEED_SEAM_SEND_EFFECT);
    }
    if (step->kind == DEED_MOCK__STEP_HANG) {
        hang(mock, call->answer_ms);
    }
    if (step->kind == DEED_MOCK__STEP_GARBAGE) {
        answer_out->verdict = (deed_verdict)step->verdict;
    }
    if (!is_silent(step)) {
        fill_answer(mock, step, &reply, answer_out);
    }
    if (tells_other && answer_out->verdict == DEED_VERDICT_APPLIED) {
        tell_other(mock, call->key, answer_out);
    }
}

/* ---- questions --------------------------------------------------------------------------- */

typedef deed_rc (*ask)(struct deed_world *world, const struct deed_mock__provider *provider,
    const struct deed_question *question, int64_t now_ms, struct deed_mock__told *told_out,
    struct deed_error *err);

static void ask_provider(const struct mock *mock, ask question_kind,
    const struct deed_question *question, struct deed_finding *finding_out)
{
    int64_t now_ms = 0;
    if (!now(mock, &now_ms)) {
        return;
    }
    static const struct deed_shape shape = DEED_SHAPE(deed_finding, kind);
    struct deed_mock__told told;
    if (question_kind(mock->world, &mock->provider, question, now_ms, &told, NULL) == DEED_OK) {
        deed_size_give(&shape, finding_out, &told.finding);
    }
}

static void lookup(
    void *self, const struct deed_question *question, struct deed_finding *finding_out)
{
    ask_provider(self, deed_mock__provider_look, question, finding_out);
}

static void poll_handle(
    void *self, const struct deed_question *question, struct deed_finding *finding_out)
{
    ask_provider(self, deed_mock__provider_poll, question, finding_out);
}

static void cancel(
    void *self, const struct deed_question *question, struct deed_finding *finding_out)
{
    ask_provider(self, deed_mock__provider_cancel, question, finding_out);
}

/* ---- making it --------------------------------------------------------------------------- */

static void destroy(void *self)
{
    struct mock *mock = self;
    if (mock->owns_world) {
        deed_world_close(mock->world);
    }
    deed_mock__provider_finish(&mock->provider);
    free(mock);
}

static void fill_executor(struct mock *mock)
{
    mock->executor = (deed_executor){
        .size = sizeof(deed_executor),
        .name = mock->provider.name,
        .version = mock->provider.version,
        .flags = DEED_EXECUTOR_MOCK,
        .self = mock,
        .prepare = prepare,
        .attempt = attempt,
        .lookup = mock->provider.looks ? lookup : NULL,
        .poll = mock->provider.polls ? poll_handle : NULL,
        .cancel = mock->provider.closable ? cancel : NULL,
        .destroy = destroy,
    };
}

static deed_rc make(struct deed_world *world, const char *options_json,
    const struct deed_clock *clock, deed_executor **executor_out, struct deed_error *err)
{
    if (options_json == NULL || executor_out == NULL) {
        return deed_error_set(err, DEED_E_MISUSE, ORIGIN, "a mock executor needs options");
    }
    struct mock *mock = calloc(1, sizeof(*mock));
    if (mock == NULL) {
        return deed_error_set(err, DEED_E_NOMEM, ORIGIN, "no memory for a mock executor");
    }
    mock->clock = clock;
    mock->world = world;
    mock->owns_world = world == NULL;
    deed_rc rc = deed_mock__provider_read(
        options_json, (struct deed_mock__road){.world_given = world != NULL}, &mock->provider, err);
    if (rc == DEED_OK && mock->owns_world) {
        rc = deed_world_open(mock->provider.world_path, &mock->world, err);
    }
    if (rc != DEED_OK) {
        destroy(mock);
        return rc;
    }
    fill_executor(mock);
    *executor_out = &mock->executor;
    return DEED_OK;
}

deed_rc deed_mock_executor_new(const char *options_json, const struct deed_clock *clock,
    deed_executor **executor_out, struct deed_error *err)
{
    return make(NULL, options_json, clock, executor_out, err);
}

deed_rc deed_mock_executor_new_in(deed_world *world, const char *options_json,
    const struct deed_clock *clock, deed_executor **executor_out, struct deed_error *err)
{
    if (world == NULL) {
        return deed_error_set(err, DEED_E_MISUSE, ORIGIN, "no world was given");
    }
    return make(world, options_json, clock, executor_out, err);
}

deed_rc deed_mock_executor_freedom_set(
    deed_executor *executor, struct deed_mock_freedom *freedom, struct deed_error *err)
{
    static const struct deed_shape shape = DEED_SHAPE(deed_mock_freedom, met);
    deed_rc rc = deed_size_check(&shape, freedom, err);
    if (rc != DEED_OK) {
        return rc;
    }
    struct mock *mock = executor->self;
    struct deed_mock__provider *provider = &mock->provider;
    provider->freedom = freedom;
    if (freedom != NULL) {
        provider->polls = true;
        bool is_eventual = provider->looks && provider->consistency == DEED_CONSISTENCY_EVENTUAL;
        provider->stale_looks =
            is_eventual && provider->stale_looks == 0 ? 1 : provider->stale_looks;
        fill_executor(mock);
    }
    return DEED_OK;
}

void deed_mock_executor_free(deed_executor *executor)
{
    if (executor != NULL) {
        executor->destroy(executor->self);
    }
}

deed_world *deed_mock_executor_world(const deed_executor *executor)
{
    const struct mock *mock = executor->self;
    return mock->world;
}

void deed_mock_executor_wait_set(deed_executor *executor, deed_mock_wait wait, void *context)
{
    struct mock *mock = executor->self;
    mock->wait = wait;
    mock->wait_context = context;
}
