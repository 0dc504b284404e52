/* SPDX-License-Identifier: MIT
 *
 * What the provider answers: POST, GET and DELETE of /effects/NAME, and GET of /operations/HANDLE.
 * The rules of the provider say what happens; here it gets a status.
 */
#include "http/http_impl.h"

#include <stdio.h>
#include <string.h>

#define EFFECTS    "/effects/"
#define OPERATIONS "/operations/"

const char *deed__http_method_word(enum deed__http_method method)
{
    static const char *const words[] = {"", "GET", "POST", "DELETE"};
    return words[method];
}

static void tell(struct deed__http_provider *provider,
    const struct deed__http_connection *connection, enum deed__http_event_kind kind, int64_t now_ms)
{
    const struct deed__http_request *request = &connection->request;
    deed__http_tell(provider, kind, connection->name, request->key,
        deed__http_method_word(request->method), now_ms);
}

/* What was due lands before anything else happens, and is told of as what it is. */
static bool land_due(struct deed__http_provider *provider, int64_t now_ms)
{
    bool done = deed_world_deliver(provider->world, now_ms, NULL, NULL) == DEED_OK;
    deed__http_tell_landed(provider);
    return done;
}

/* ---- POST: the step ----------------------------------------------------------------------- */

/* Scripts are counted here: a request carries no number of its attempt. */
static const struct deed_mock__step *next_step(
    struct deed__http_provider *provider, const char *name, uint64_t *attempt_out)
{
    const struct deed_mock__script *script =
        deed_mock__script_for(&provider->rules.steps_by_key, &provider->rules.steps, name);
    json_int_t before = json_integer_value(json_object_get(provider->attempts, name));
    (void)json_object_set_new(provider->attempts, name, json_integer(before + 1));
    *attempt_out = (uint64_t)before + 1;
    return deed_mock__step_for(script, *attempt_out);
}

static bool receive(struct deed__http_provider *provider,
    const struct deed__http_connection *connection, const struct deed_mock__step *step,
    uint64_t attempt, int64_t now_ms, struct deed_mock__reply *reply_out)
{
    const struct deed__http_request *request = &connection->request;
    char keyless[DEED_MOCK__KEYLESS_BYTES];
    struct deed_mock__provider rules = provider->rules; /* borrows all it points to */
    struct deed_mock__arrival arrival = {.key = connection->name,
        .provider_key = request->key,
        .attempt = (uint32_t)attempt,
        .bytes = connection->in + request->head_bytes,
        .bytes_count = request->body_bytes,
        .step = step,
        .now_ms = now_ms};
    if (request->key[0] == '\0') { /* without a key there is nothing to honour */
        deed_mock__keyless_text(connection->name, keyless);
        arrival.provider_key = keyless;
        rules.keyed = false;
    }
    return deed_mock__provider_receive(provider->world, &rules, &arrival, reply_out, NULL) ==
        DEED_OK;
}

static void tell_what_happened(struct deed__http_provider *provider,
    const struct deed__http_connection *connection, const struct deed_mock__step *step,
    const struct deed_mock__reply *reply, int64_t now_ms)
{
    enum deed__http_event_kind kind = DEED__HTTP_REFUSED;
    uint64_t copies = 0;
    struct deed_world_counts counts = {.effects = provider->effects_seen};
    if (reply->fate == DEED_WORLD_LANDED || reply->fate == DEED_WORLD_ABSORBED) {
        kind = reply->fate == DEED_WORLD_LANDED ? DEED__HTTP_EFFECT : DEED__HTTP_ABSORBED;
        copies = step->duplicates_land.given ? 0 : step->duplicates;
    } else if (reply->fate == DEED_WORLD_WAITING) {
        kind = DEED__HTTP_ACCEPTED;
    }
    if (deed_world_count(provider->world, NULL, NULL, &counts, NULL) == DEED_OK) {
        provider->effects_seen = counts.effects; /* not late: they are told of here */
    }
    tell(provider, connection, kind, now_ms);
    while (copies-- > 0) {
        tell(provider, connection, DEED__HTTP_DUPLICATE, now_ms);
    }
}

/* ---- POST: the answer --------------------------------------------------------------------- */

struct spoken {
    int status;
    const char *word;
};

static struct spoken spoken_of(const struct deed_mock__reply *reply, bool is_marked)
{
    if (reply->pending) {
        return (struct spoken){202, "pending"};
    }
    if (reply->key_signal != DEED_KEY_SIGNAL_NONE) {
        return reply->key_signal == DEED_KEY_SIGNAL_IN_PROGRESS
            ? (struct spoken){409, "in_progress"}
            : (struct spoken){422, "mismatch"};
    }
    switch (reply->verdict) {
    case DEED_VERDICT_APPLIED:
        return (struct spoken){is_marked ? 200 : 201, "applied"};
    case DEED_VERDICT_REJECTED:
        return (struct spoken){402, "rejected"};
    case DEED_VERDICT_NOT_APPLIED:
        if (reply->fate == DEED_WORLD_BARRED) {
            return (struct spoken){410, "closed"};
        }
        return reply->fate == DEED_WORLD_REFUSED ? (struct spoken){429, "refused"}
                                                 : (struct spoken){424, "failed"};
    case DEED_VERDICT_UNKNOWN:
        break;
    }
    return (struct spoken){500, "failed"};
}

static json_t *text_or_null(const char *text)
{
    return text[0] != '\0' ? json_string(text) : json_null();
}

static json_t *reply_json(const struct deed__http_connection *connection,
    const struct deed_mock__step *step, const struct deed_mock__reply *reply, const char *word,
    bool is_marked)
{
    char reference[DEED_MOCK__REFERENCE_BYTES] = "";
    char handle[DEED_MOCK__HANDLE_BYTES];
    if (reply->verdict == DEED_VERDICT_APPLIED) {
        deed_mock__reference_text(reply->effect, reference);
    }
    json_t *body = json_pack("{s:s, s:o, s:o, s:s, s:b}", "status", word, "reference",
        text_or_null(reference), "key", text_or_null(connection->request.key), "digest",
        reply->digest, "replayed", (int)is_marked);
    if (reply->pending) {
        deed_mock__handle_text(reply->operation, handle);
        (void)json_object_set_new(body, "handle", json_string(handle));
    }
    if (step->retry_after_ms > 0) {
        (void)json_object_set_new(
            body, "retry_after_ms", json_integer((json_int_t)step->retry_after_ms));
    }
    return body;
}

static void say_reply(struct deed__http_connection *connection, const struct deed_mock__step *step,
    const struct deed_mock__reply *reply, bool is_marked)
{
    char header[120];
    char pause[60] = "";
    struct spoken spoken = spoken_of(reply, is_marked);
    if (step->retry_after_ms > 0) { /* in whole seconds, and not too early */
        (void)snprintf(pause, sizeof(pause), "Retry-After: %lld\r\n",
            (long long)((step->retry_after_ms + 999) / 1000));
    }
    (void)snprintf(
        header, sizeof(header), "%s%s", is_marked ? "Idempotency-Replayed: true\r\n" : "", pause);
    deed__http_say(&connection->answer, spoken.status, header,
        reply_json(connection, step, reply, spoken.word, is_marked));
}

static void answer_step(const struct deed__http_provider *provider,
    struct deed__http_connection *connection, const struct deed_mock__step *step,
    const struct deed_mock__reply *reply)
{
    if (step->kind == DEED_MOCK__STEP_HANG) {
        connection->answer.hangs = true;
        return;
    }
    if (step->kind == DEED_MOCK__STEP_GARBAGE) {
        deed__http_say_text(&connection->answer, 201, "", "<html><p>Something happened.</p>\n");
    } else {
        say_reply(connection, step, reply, reply->stored && provider->rules.marks_replays);
    }
    bool is_lost = step->lost || step->kind == DEED_MOCK__STEP_LATE;
    deed__http_cut(&connection->answer, is_lost ? DEED_MOCK__CUT_DROP : step->cut);
}

static void post(
    struct deed__http_provider *provider, struct deed__http_connection *connection, int64_t now_ms)
{
    struct deed_mock__reply reply = {.status = ""};
    uint64_t attempt = 0;
    connection->answer.noted = true;
    tell(provider, connection, DEED__HTTP_REQUEST_READ, now_ms);
    const struct deed_mock__step *step = next_step(provider, connection->name, &attempt);
    if (step->kind == DEED_MOCK__STEP_UNREACHABLE) { /* as if it had never been read */
        tell(provider, connection, DEED__HTTP_REFUSED, now_ms);
        connection->answer.resets = true;
        return;
    }
    if (!land_due(provider, now_ms) ||
        !receive(provider, connection, step, attempt, now_ms, &reply)) {
        deed__http_say_wrong(&connection->answer, 500, "the world cannot be written");
        return;
    }
    tell_what_happened(provider, connection, step, &reply, now_ms);
    answer_step(provider, connection, step, &reply);
}

/* ---- questions ---------------------------------------------------------------------------- */

static int status_of(const struct deed_mock__told *told, bool is_cancel)
{
    switch (told->finding.kind) {
    case DEED_FOUND_PRESENT:
        return is_cancel ? 409 : 200;
    case DEED_FOUND_REJECTED:
    case DEED_FOUND_CLOSED:
        return 200;
    case DEED_FOUND_PENDING:
        return 202;
    case DEED_FOUND_ABSENT:
        return told->finding.complete ? 404 : 206;
    case DEED_FOUND_NOTHING:
        break;
    }
    return 503;
}

static void say_told(struct deed__http_connection *connection, const struct deed_mock__told *told)
{
    static const char *const words[] = {
        "unknown", "present", "rejected", "pending", "absent", "closed"};
    const struct deed_finding *finding = &told->finding;
    char keyless[DEED_MOCK__KEYLESS_BYTES];
    deed_mock__keyless_text(connection->name, keyless);
    const char *key = strcmp(told->provider_key, keyless) == 0 ? "" : told->provider_key;
    bool is_cancel = connection->request.method == DEED__HTTP_DELETE;
    json_t *body = json_pack("{s:s, s:b, s:I, s:o, s:o, s:o}", "status", words[finding->kind],
        "complete", (int)finding->complete, "count", (json_int_t)finding->count, "reference",
        text_or_null(finding->reference), "key", text_or_null(key), "digest",
        text_or_null(told->digest));
    if (finding->handle[0] != '\0') {
        (void)json_object_set_new(body, "handle", json_string(finding->handle));
    }
    deed__http_say(&connection->answer, status_of(told, is_cancel), "", body);
    if (told->lost) {
        deed__http_cut(&connection->answer, DEED_MOCK__CUT_DROP);
    }
}

typedef deed_rc (*asking)(struct deed_world *world, const struct deed_mock__provider *provider,
    const struct deed_question *question, int64_t now_ms, struct deed_mock__told *told_out,
    struct deed_error *err);

static void ask(struct deed__http_provider *provider, struct deed__http_connection *connection,
    asking how, const struct deed_question *question, int64_t now_ms)
{
    struct deed_mock__told told;
    connection->answer.noted = true;
    tell(provider, connection, DEED__HTTP_LOOKUP_READ, now_ms);
    if (!land_due(provider, now_ms) ||
        how(provider->world, &provider->rules, question, now_ms, &told, NULL) != DEED_OK) {
        deed__http_say_wrong(&connection->answer, 500, "the world cannot be written");
        return;
    }
    deed__http_tell_landed(provider); /* what waited for this look */
    say_told(connection, &told);
}

static void ask_by_name(struct deed__http_provider *provider,
    struct deed__http_connection *connection, asking how, int64_t now_ms)
{
    const char *key = connection->request.key;
    const struct deed_question question = {.size = sizeof(question),
        .key = connection->name,
        .provider_key = key[0] != '\0' ? key : NULL,
        .handle = ""};
    ask(provider, connection, how, &question, now_ms);
}

struct operation {
    uint64_t number;
    char name[DEED__HTTP_NAME_BYTES_MAX + 1];
};

static bool find_operation(void *context, const struct deed_world_request *request)
{
    struct operation *operation = context;
    if (request->number != operation->number) {
        return true;
    }
    (void)snprintf(operation->name, sizeof(operation->name), "%s", request->key);
    return false;
}

static void poll_handle(struct deed__http_provider *provider,
    struct deed__http_connection *connection, const char *handle, int64_t now_ms)
{
    const char *key = connection->request.key;
    struct operation operation = {.number = deed_mock__handle_number(handle)};
    if (deed_world_requests_visit(provider->world, NULL, find_operation, &operation, NULL) !=
            DEED_OK ||
        operation.name[0] == '\0') {
        deed__http_say_wrong(&connection->answer, 404, "there is no such operation");
        return;
    }
    memcpy(connection->name, operation.name, sizeof(operation.name));
    const struct deed_question question = {.size = sizeof(question),
        .key = connection->name,
        .provider_key = key[0] != '\0' ? key : NULL,
        .handle = handle};
    ask(provider, connection, deed_mock__provider_poll, &question, now_ms);
}

/* ---- which of them ------------------------------------------------------------------------ */

static void answer_effects(
    struct deed__http_provider *provider, struct deed__http_connection *connection, int64_t now_ms)
{
    switch (connection->request.method) {
    case DEED__HTTP_POST:
        post(provider, connection, now_ms);
        return;
    case DEED__HTTP_GET:
        if (!provider->rules.looks) {
            deed__http_say_wrong(
                &connection->answer, 405, "a provider of this class cannot be asked");
            return;
        }
        ask_by_name(provider, connection, deed_mock__provider_look, now_ms);
        return;
    case DEED__HTTP_DELETE:
        if (!provider->rules.closable) {
            deed__http_say_wrong(
                &connection->answer, 405, "a provider of this class closes no keys");
            return;
        }
        ask_by_name(provider, connection, deed_mock__provider_cancel, now_ms);
        return;
    case DEED__HTTP_OTHER:
        break;
    }
    deed__http_say_wrong(&connection->answer, 405, "only POST, GET and DELETE mean something here");
}

void deed__http_effects_answer(
    struct deed__http_provider *provider, struct deed__http_connection *connection, int64_t now_ms)
{
    const struct deed__http_request *request = &connection->request;
    const char *path = request->path;
    if (strncmp(path, OPERATIONS, strlen(OPERATIONS)) == 0 && request->method == DEED__HTTP_GET) {
        poll_handle(provider, connection, path + strlen(OPERATIONS), now_ms);
        return;
    }
    if (strncmp(path, EFFECTS, strlen(EFFECTS)) != 0) {
        deed__http_say_wrong(
            &connection->answer, 400, "there are only /effects/NAME and /operations/HANDLE here");
        return;
    }
    if (!deed__http_is_name(path + strlen(EFFECTS))) {
        deed__http_say_wrong(&connection->answer, 400,
            "NAME must be 1 to 200 letters, digits or . _ ~ : @ - and nothing else");
        return;
    }
    (void)snprintf(connection->name, sizeof(connection->name), "%s", path + strlen(EFFECTS));
    answer_effects(provider, connection, now_ms);
}
