/* SPDX-License-Identifier: MIT */
#include "send.h"

#include <stdio.h>
#include <string.h>

#include "boundary.h"
#include "check.h"
#include "digest.h"
#include "door.h"
#include "finish.h"
#include "instant.h"

static deed_rc decide_read(
    struct deed__call *call, deed_tx *tx, struct deed__case *c, struct deed_error *err)
{
    (void)tx;
    struct deed__case *copy = call->context;
    deed__case_finish(copy); /* of an earlier run of this operation */
    return deed__case_copy(copy, c, err);
}

deed_rc deed__case_read(deed_ledger *ledger, const char *key, unsigned parts,
    struct deed__case *copy, struct deed_result *result, struct deed_error *err)
{
    struct deed__call call = {
        .ledger = ledger,
        .key = key,
        .parts = parts,
        .decide = decide_read,
        .context = copy,
        .result = result,
    };
    struct deed_instant nothing = {0, 0, ""};
    deed__case_init(copy, ledger, &nothing);
    return deed__call_read(&call, err);
}

static bool grow(struct deed__request *request, size_t needed)
{
    if (needed > DEED_ENCODED_BYTES_MAX) {
        return false;
    }
    size_t capacity = request->capacity == 0 ? 1024 : request->capacity;
    while (capacity < needed) {
        capacity *= 2;
    }
    const struct deed_allocator *memory = request->ledger->memory;
    uint8_t *bytes = memory->resize(memory->self, request->bytes, request->capacity, capacity);
    if (bytes == NULL) {
        return false;
    }
    request->bytes = bytes;
    request->capacity = capacity;
    return true;
}

static bool append(void *sink, const void *bytes, size_t bytes_count)
{
    struct deed__request *request = sink;
    if (bytes_count > DEED_ENCODED_BYTES_MAX ||
        (request->count + bytes_count > request->capacity &&
            !grow(request, request->count + bytes_count))) {
        return false;
    }
    if (bytes_count > 0) {
        memcpy(request->bytes + request->count, bytes, bytes_count);
        request->count += bytes_count;
    }
    return true;
}

deed_rc deed__request_prepare(struct deed__request *request, const struct deed__case *c,
    const deed_executor *executor, const char *provider_key, struct deed_error *err)
{
    memset(request, 0, sizeof(*request));
    request->ledger = c->ledger;
    request->preparation.size = sizeof(request->preparation);
    request->preparation.sink = request;
    request->preparation.write = append;
    struct deed_request in = {
        .size = sizeof(in),
        .key = c->intent.key,
        .payload = &c->intent.payload,
        .digest = c->intent.digest,
        .provider_key = provider_key,
    };
    struct deed_error cause;
    memset(&cause, 0, sizeof(cause));
    deed__lend(request->ledger, DEED__NO_CALLS);
    deed_rc rc = executor->prepare(executor->self, &in, &request->preparation, &cause);
    deed__lent();
    if (rc != DEED_OK) {
        return deed__refuse(err, rc, c->intent.key, NULL,
            "%s cannot encode the request for %s: %.300s", executor->name, c->intent.key,
            cause.text[0] == '\0' ? "it gives no reason" : cause.text);
    }
    static const uint8_t nothing[1];
    const uint8_t *bytes = request->bytes == NULL ? nothing : request->bytes;
    return deed__sha256_of(bytes, request->count, request->digest, err);
}

void deed__request_finish(struct deed__request *request)
{
    if (request->ledger != NULL) {
        deed__free(request->ledger, request->bytes, request->capacity);
        request->bytes = NULL;
    }
}

/* Answers may_send without a store and without a lock: a clock and two numbers. In the child of a
 * fork it is no: the parent, who has a copy, may have been told yes. */
struct gate {
    const struct deed_ledger *ledger;
    struct deed_instant start;
    int64_t send_ms;
    bool allowed;
    bool denied;
};

static bool may_send(void *self)
{
    struct gate *gate = self;
    struct deed_instant now;
    bool read = !deed__is_forked(gate->ledger) && deed__now(gate->ledger, &now, NULL) == DEED_OK;
    if (gate->allowed || gate->denied || !read || !deed__runs(&gate->start, gate->send_ms, &now)) {
        gate->denied = gate->denied || !gate->allowed;
        return false; /* at most one send: a second question is refused as well */
    }
    gate->allowed = true;
    return true;
}

struct sending {
    const struct deed__case *c;
    const struct deed__registration *registration;
    struct deed__request request;
    struct deed_plan plan;
    struct deed_attempt attempt;
    struct deed_answer answer;
};

static deed_rc plan(struct sending *sending, uint32_t flags, struct deed_error *err)
{
    deed_rc rc = deed__plan_of(sending->c, flags, &sending->plan, err);
    if (rc == DEED_OK) {
        rc = deed__request_prepare(&sending->request, sending->c, sending->registration->executor,
            sending->plan.provider_key, err);
    }
    return rc;
}

/* One key means one sequence of bytes: a retry whose bytes changed takes the next key. */
static deed_rc plan_and_prepare(struct sending *sending, uint32_t *flags, struct deed_error *err)
{
    deed_rc rc = plan(sending, *flags, err);
    bool changed = rc == DEED_OK && sending->plan.bytes_bound &&
        memcmp(sending->plan.bytes_digest, sending->request.digest, DEED_DIGEST_BYTES) != 0;
    if (changed && (*flags & DEED_BEGIN_REPLAY) == 0) {
        deed__request_finish(&sending->request);
        *flags |= DEED_BEGIN_NEW_BYTES;
        rc = plan(sending, *flags, err);
    }
    return rc;
}

/* The bytes that go out: where the key was used before, those stored with its first attempt, which an
 * executor of a newer version might encode in another way. */
static struct deed_text bytes_of(const struct sending *sending)
{
    const struct deed_attempt_row *bound =
        deed__generation_start(sending->c, sending->plan.generation);
    struct deed_text bytes = {(const char *)sending->request.bytes, sending->request.count};
    return bound != NULL && bound->bytes.data != NULL ? bound->bytes : bytes;
}

static deed_rc begin(deed_ledger *ledger, struct sending *sending, uint32_t flags, bool *stale_out,
    struct deed_result *result, struct deed_error *err)
{
    const deed_executor *executor = sending->registration->executor;
    struct deed_text bytes = bytes_of(sending);
    struct deed_binding binding = {
        .size = sizeof(binding),
        .executor = executor->name,
        .executor_version = executor->version,
        .account_scope = sending->request.preparation.account_scope,
        .endpoint = sending->request.preparation.endpoint,
        .provider_key = sending->plan.provider_key,
        .bytes = (const uint8_t *)bytes.data,
        .bytes_count = bytes.bytes,
        .profile = &sending->registration->profile,
        .can_lookup = executor->lookup != NULL,
        .can_poll = executor->poll != NULL,
        .can_cancel = executor->cancel != NULL,
    };
    struct deed_begin in = {
        .size = sizeof(in),
        .key = sending->c->intent.key,
        .flags = flags,
        .binding = &binding,
    };
    return deed__begin(ledger, &in, &sending->attempt, stale_out, result, err);
}

static void attempt(const deed_ledger *ledger, struct sending *sending, struct gate *gate)
{
    const struct deed__registration *registration = sending->registration;
    gate->ledger = ledger;
    gate->send_ms = registration->profile.send_ms;
    struct deed_text bytes = bytes_of(sending);
    struct deed_call call = {
        .size = sizeof(call),
        .key = sending->c->intent.key,
        .attempt = sending->attempt.number,
        .cause = sending->attempt.cause,
        .token = sending->attempt.token,
        .digest = sending->c->intent.digest,
        .provider_key = sending->attempt.provider_key,
        .endpoint = sending->request.preparation.endpoint,
        .account_scope = sending->request.preparation.account_scope,
        .bytes = (const uint8_t *)bytes.data,
        .bytes_count = bytes.bytes,
        .bytes_digest =
            sending->plan.bytes_bound ? sending->plan.bytes_digest : sending->request.digest,
        .send_deadline_ms = sending->attempt.send_deadline_ms,
        .answer_ms = registration->profile.answer_ms,
        .gate = gate,
        .may_send = may_send,
    };
    sending->answer.size = sizeof(sending->answer);
    deed__lend(ledger, DEED__NO_CALLS);
    registration->executor->attempt(registration->executor->self, &call, &sending->answer);
    deed__lent();
    deed_seam_cross(DEED_SEAM_REPLY_READ);
}

/* The write of an answer is retried on its own; the executor is never called again to mend it. */
static deed_rc store_answer(deed_ledger *ledger, struct sending *sending, const struct gate *gate,
    struct deed_result *result, struct deed_error *err)
{
    const char *key = sending->c->intent.key;
    /* Denied means the executor sent nothing, whatever else it says; only an effect it has seen with
     * its own eyes outweighs that. One that never asked and says not_applied never came that far. */
    bool unsent = gate->denied
        ? sending->answer.verdict != DEED_VERDICT_APPLIED
        : !gate->allowed && sending->answer.verdict == DEED_VERDICT_NOT_APPLIED;
    deed_rc rc = DEED_E_STORE;
    struct deed_error last;
    memset(&last, 0, sizeof(last));
    for (int tries = 0; tries < 3 && rc != DEED_OK; tries++) {
        rc = unsent ? deed__finish_unsent(ledger, key, sending->attempt.token, result, &last)
                    : deed__inner_finish(
                          ledger, key, sending->attempt.token, &sending->answer, result, &last);
        if (rc != DEED_OK && rc != DEED_E_STORE && rc != DEED_E_BUSY) {
            break;
        }
        if (rc == DEED_E_STORE) {
            struct deed_error ignored;
            (void)deed__store_recover(ledger, &ignored);
        }
    }
    if (rc == DEED_OK) {
        return rc;
    }
    char next[DEED_ERROR_NEXT_BYTES];
    deed__next_command(next, sizeof(next), "reconcile", key);
    return deed__refuse(err, DEED_E_UNCERTAIN, key, next,
        "the provider's answer to %s was seen (%s) but could not be stored: %.280s; it is "
        "uncertain until it is reconciled",
        key, deed_verdict_name(sending->answer.verdict), last.text);
}

deed_rc deed__send(deed_ledger *ledger, const struct deed__case *c,
    const struct deed__registration *registration, uint32_t flags, struct deed__sent *sent_out,
    struct deed_result *result, struct deed_error *err)
{
    struct sending sending;
    memset(&sending, 0, sizeof(sending));
    sending.c = c;
    sending.registration = registration;
    struct gate gate;
    memset(&gate, 0, sizeof(gate));
    deed_rc rc = deed__demand_payload(c, err);
    if (rc == DEED_OK) {
        rc = plan_and_prepare(&sending, &flags, err);
    }
    if (rc == DEED_OK) {
        deed_seam_cross(DEED_SEAM_ATTEMPT_PREPARED);
        /* Read before begin reads its own: this deadline can only be the earlier one. */
        rc = deed__now(ledger, &gate.start, err);
    }
    if (rc == DEED_OK) {
        rc = begin(ledger, &sending, flags, &sent_out->stale, result, err);
    }
    sent_out->begun = rc == DEED_OK;
    if (rc == DEED_OK) {
        attempt(ledger, &sending, &gate);
        rc = store_answer(ledger, &sending, &gate, result, err);
    }
    deed__request_finish(&sending.request);
    return rc;
}
