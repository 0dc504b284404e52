/* SPDX-License-Identifier: MIT
 *
 * The executor mock-http: what an answer over HTTP is worth. Before the first byte nothing was
 * applied; after it, only a whole answer that says so, and carries our key and our digest, decides.
 */
#include "http/http_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include <deed/ext/error.h>
#include <deed/ext/size.h>
#include <deed/mock/http.h>
#include <deed/payload.h>
#include <deed/seam.h>

#include "mock_request.h"

#define EFFECTS    "/effects/"
#define OPERATIONS "/operations/"

struct mock_http {
    deed_executor executor; /* what the ledger holds; freed with the rest by destroy */
    struct deed__http_executor_options options;
};

/* ---- what an answer says ------------------------------------------------------------------ */

static const char *text_of(const json_t *body, const char *member)
{
    const char *text = json_string_value(json_object_get(body, member));
    return text != NULL ? text : "";
}

static bool says(const json_t *body, const char *status)
{
    return strcmp(text_of(body, "status"), status) == 0;
}

static bool has_digest(const json_t *body, const uint8_t *bytes_digest)
{
    char hex[DEED_DIGEST_TEXT_BYTES];
    if (bytes_digest == NULL) {
        return false;
    }
    deed_digest_text(bytes_digest, hex);
    return strcmp(text_of(body, "digest"), hex) == 0;
}

/* NULL: it is no whole answer, or no JSON. */
static json_t *body_of(const struct deed__http_exchange *exchange)
{
    return exchange->whole ? json_loadb(deed__http_exchange_body(exchange),
                                 exchange->head.body_bytes, JSON_REJECT_DUPLICATES, NULL)
                           : NULL;
}

static void keep_excerpt(const struct deed__http_exchange *exchange,
    char excerpt_out[DEED_EXCERPT_BYTES_MAX + 1], size_t *bytes_out)
{
    size_t bytes = exchange->whole ? exchange->head.body_bytes : 0;
    const char *body = deed__http_exchange_body(exchange);
    while (bytes > 0 && body[bytes - 1] == '\n') {
        bytes--;
    }
    bytes = bytes < DEED_EXCERPT_BYTES_MAX ? bytes : DEED_EXCERPT_BYTES_MAX;
    memcpy(excerpt_out, body, bytes);
    excerpt_out[bytes] = '\0';
    *bytes_out = bytes;
}

/* Cut where it does not fit. */
static void copy(char *out, size_t out_bytes, const char *text)
{
    (void)snprintf(out, out_bytes, "%s", text);
}

/* ---- attempt ------------------------------------------------------------------------------ */

struct gate {
    const struct deed_call *call;
};

static bool may_send(void *context)
{
    const struct gate *gate = context;
    if (!gate->call->may_send(gate->call->gate)) {
        return false;
    }
    deed_seam_cross(DEED_SEAM_SEND_ALLOWED);
    return true;
}

static deed_verdict verdict_of(const struct deed_call *call, const json_t *body, int status)
{
    switch (status) {
    case 200:
    case 201: /* the words count, and that it is ours: anybody can say 200 */
        return says(body, "applied") && text_of(body, "reference")[0] != '\0' &&
                strcmp(text_of(body, "key"), call->provider_key) == 0 &&
                has_digest(body, call->bytes_digest)
            ? DEED_VERDICT_APPLIED
            : DEED_VERDICT_UNKNOWN;
    case 402:
        return says(body, "rejected") ? DEED_VERDICT_REJECTED : DEED_VERDICT_UNKNOWN;
    case 410:
        return says(body, "closed") ? DEED_VERDICT_NOT_APPLIED : DEED_VERDICT_UNKNOWN;
    case 424:
        return says(body, "failed") ? DEED_VERDICT_NOT_APPLIED : DEED_VERDICT_UNKNOWN;
    case 429:
        return says(body, "refused") ? DEED_VERDICT_NOT_APPLIED : DEED_VERDICT_UNKNOWN;
    default:
        return DEED_VERDICT_UNKNOWN; /* 5xx above all */
    }
}

static int64_t pause_of(const struct deed__http_exchange *exchange, const json_t *body)
{
    const json_t *exact = json_object_get(body, "retry_after_ms");
    int64_t pause_ms = json_is_integer(exact) ? (int64_t)json_integer_value(exact)
                                              : exchange->head.retry_after * 1000;
    return pause_ms > 0 && pause_ms < DEED_DURATION_MS_MAX ? pause_ms : 0;
}

static void judge(const struct deed_call *call, const struct deed__http_exchange *exchange,
    struct deed_answer *answer_out)
{
    int status = exchange->head.status;
    json_t *body = body_of(exchange);
    if (body == NULL) {
        return; /* cut, silent, or something else than what was asked: unknown */
    }
    answer_out->verdict = verdict_of(call, body, status);
    answer_out->retry_after_ms = pause_of(exchange, body);
    answer_out->stored_first = exchange->head.replayed;
    if (answer_out->verdict == DEED_VERDICT_APPLIED) {
        copy(answer_out->reference, sizeof(answer_out->reference), text_of(body, "reference"));
    }
    if (status == 202 && text_of(body, "handle")[0] != '\0') {
        answer_out->pending = true;
        copy(answer_out->handle, sizeof(answer_out->handle), text_of(body, "handle"));
    }
    if (status == 409 && says(body, "in_progress")) {
        answer_out->key_signal = DEED_KEY_SIGNAL_IN_PROGRESS;
    }
    if (status == 422 && says(body, "mismatch")) {
        answer_out->key_signal = DEED_KEY_SIGNAL_MISMATCH;
    }
    keep_excerpt(exchange, answer_out->excerpt, &answer_out->excerpt_bytes);
    json_decref(body);
}

static void attempt(void *self, const struct deed_call *call, struct deed_answer *answer_out)
{
    const struct mock_http *mock = self;
    struct gate gate = {call};
    struct deed__http_exchange *exchange = calloc(1, sizeof(*exchange));
    if (exchange == NULL) {
        answer_out->verdict = DEED_VERDICT_NOT_APPLIED; /* nothing went out */
        return;
    }
    exchange->method = "POST";
    exchange->path = EFFECTS;
    exchange->name = call->key;
    exchange->key = call->provider_key;
    exchange->body = call->bytes;
    exchange->body_bytes = call->bytes_count;
    exchange->limit_ms = call->answer_ms;
    exchange->may_send = may_send;
    exchange->gate = &gate;
    deed__http_exchange_run(&mock->options.peer, exchange);
    if (!exchange->sent) {
        answer_out->verdict = DEED_VERDICT_NOT_APPLIED; /* first-hand: nothing went out */
    } else {
        judge(call, exchange, answer_out);
    }
    free(exchange);
}

/* ---- questions ---------------------------------------------------------------------------- */

static deed_finding_kind kind_of(int status, const json_t *body)
{
    static const struct {
        const char *status;
        deed_finding_kind kind;
    } words[] = {{"present", DEED_FOUND_PRESENT}, {"rejected", DEED_FOUND_REJECTED},
        {"pending", DEED_FOUND_PENDING}, {"absent", DEED_FOUND_ABSENT},
        {"closed", DEED_FOUND_CLOSED}};
    bool is_known =
        status == 200 || status == 202 || status == 206 || status == 404 || status == 409;
    for (size_t i = 0; is_known && i < sizeof(words) / sizeof(words[0]); i++) {
        if (says(body, words[i].status)) {
            return words[i].kind;
        }
    }
    return DEED_FOUND_NOTHING;
}

static uint32_t count_of(const json_t *body)
{
    json_int_t count = json_integer_value(json_object_get(body, "count"));
    return count > 0 && count < INT32_MAX ? (uint32_t)count : 0;
}

static void read_finding(const struct deed_question *question,
    const struct deed__http_exchange *exchange, struct deed_finding *finding)
{
    json_t *body = body_of(exchange);
    finding->kind = kind_of(exchange->head.status, body);
    if (finding->kind != DEED_FOUND_NOTHING) {
        finding->complete = json_is_true(json_object_get(body, "complete"));
        finding->count = count_of(body);
        finding->marker_matches = strcmp(text_of(body, "key"), question->provider_key) == 0;
        finding->digest_matches = has_digest(body, question->bytes_digest);
        copy(finding->handle, sizeof(finding->handle), text_of(body, "handle"));
        copy(finding->reference, sizeof(finding->reference), text_of(body, "reference"));
        keep_excerpt(exchange, finding->excerpt, &finding->excerpt_bytes);
    }
    json_decref(body);
}

static void ask(const struct mock_http *mock, const char *method, const char *path,
    const char *name, const struct deed_question *question, struct deed_finding *finding_out)
{
    static const struct deed_shape shape = DEED_SHAPE(deed_finding, kind);
    struct deed_finding finding = {.size = sizeof(finding)};
    struct deed__http_exchange *exchange = calloc(1, sizeof(*exchange));
    if (exchange == NULL) {
        return;
    }
    exchange->method = method;
    exchange->path = path;
    exchange->name = name;
    exchange->key = question->provider_key;
    exchange->limit_ms = mock->options.ask_ms;
    deed__http_exchange_run(&mock->options.peer, exchange);
    read_finding(question, exchange, &finding);
    deed_size_give(&shape, finding_out, &finding);
    free(exchange);
}

static void lookup(
    void *self, const struct deed_question *question, struct deed_finding *finding_out)
{
    ask(self, "GET", EFFECTS, question->key, question, finding_out);
}

static void poll_handle(
    void *self, const struct deed_question *question, struct deed_finding *finding_out)
{
    const char *handle = question->handle != NULL ? question->handle : "";
    if (deed__http_is_name(handle)) { /* ours are; another could be anything, also a new header */
        ask(self, "GET", OPERATIONS, handle, question, finding_out);
    }
}

static void cancel(
    void *self, const struct deed_question *question, struct deed_finding *finding_out)
{
    ask(self, "DELETE", EFFECTS, question->key, question, finding_out);
}

/* ---- making it ---------------------------------------------------------------------------- */

static deed_rc prepare(void *self, const struct deed_request *request,
    struct deed_preparation *preparation_out, struct deed_error *err)
{
    const struct mock_http *mock = self;
    const struct deed_mock__place place = {
        mock->options.url, mock->options.account, request->provider_key};
    return deed_mock__prepare(request, &place, preparation_out, err);
}

static void destroy(void *self)
{
    struct mock_http *mock = self;
    deed__http_executor_options_finish(&mock->options);
    free(mock);
}

deed_rc deed_mock_http_executor_new(const char *options_json, const struct deed_clock *clock,
    deed_executor **executor_out, struct deed_error *err)
{
    (void)clock;
    if (options_json == NULL || executor_out == NULL) {
        return deed_error_set(
            err, DEED_E_MISUSE, "executor.mock-http", "a mock executor needs options");
    }
    struct mock_http *mock = calloc(1, sizeof(*mock));
    if (mock == NULL) {
        return deed_error_set(
            err, DEED_E_NOMEM, "executor.mock-http", "no memory for a mock executor");
    }
    deed_rc rc = deed__http_executor_options_read(options_json, &mock->options, err);
    if (rc != DEED_OK) {
        destroy(mock);
        return rc;
    }
    mock->executor = (deed_executor){.size = sizeof(deed_executor),
        .name = mock->options.name,
        .version = mock->options.version,
        .flags = DEED_EXECUTOR_MOCK,
        .self = mock,
        .prepare = prepare,
        .attempt = attempt,
        .lookup = mock->options.looks ? lookup : NULL,
        .poll = poll_handle,
        .cancel = mock->options.closes ? cancel : NULL,
        .destroy = destroy};
    *executor_out = &mock->executor;
    return DEED_OK;
}

void deed_mock_http_executor_free(deed_executor *executor)
{
    if (executor != NULL) {
        executor->destroy(executor->self);
    }
}
