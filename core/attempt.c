/* SPDX-License-Identifier: MIT
 *
 * Beginning an attempt: durable before the first byte goes out, bound to who will see its doubt.
 */
#include "attempt.h"

#include <stdio.h>
#include <string.h>

#include "apply.h"
#include "boundary.h"
#include "digest.h"
#include "door.h"
#include "finish.h"
#include "instant.h"
#include "policy.h"
#include "record.h"
#include "text.h"

struct plan_in {
    uint32_t flags;
    const struct deed_payload *payload;
    uint8_t digest[DEED_DIGEST_BYTES];
    struct deed_plan plan;
};

static deed_rc decide_plan(
    struct deed__call *call, deed_tx *tx, struct deed__case *c, struct deed_error *err)
{
    struct plan_in *in = call->context;
    if (c->intent.id != 0 && in->payload != NULL) {
        deed_rc rc = deed__record_compare(call, tx, c, in->payload, in->digest, err);
        if (rc != DEED_OK) {
            return rc;
        }
    }
    if (c->intent.id == 0) {
        if (in->payload == NULL) {
            return deed__refuse(err, DEED_E_NOT_FOUND, call->key, "deed list --all",
                "there is no intent %s", call->key);
        }
        c->intent.key = call->key;
        memcpy(c->intent.digest, in->digest, sizeof(in->digest));
        c->intent.payload = *in->payload;
    }
    return deed__plan_of(c, in->flags, &in->plan, err);
}

deed_rc deed__inner_plan(deed_ledger *ledger, const char *key, const struct deed_payload *payload,
    uint32_t flags, struct deed_plan *plan_out, struct deed_result *result, struct deed_error *err)
{
    if (ledger == NULL || key == NULL || plan_out == NULL) {
        return deed__misuse(err, "deed_plan");
    }
    struct plan_in in = {.flags = flags, .payload = payload};
    deed_rc rc = deed__enter(ledger, "deed_plan", err);
    if (rc == DEED_OK) {
        rc = deed_key_check(key, err);
    }
    if (rc == DEED_OK && payload != NULL) {
        rc = deed_payload_digest(payload, in.digest, err);
    }
    if (rc != DEED_OK) {
        return rc;
    }
    struct deed__call call = {
        .ledger = ledger,
        .key = key,
        .may_be_missing = true,
        .decide = decide_plan,
        .context = &in,
        .result = result,
    };
    rc = deed__call_read(&call, err);
    if (rc == DEED_OK) {
        *plan_out = in.plan;
    }
    return rc;
}

struct begin_in {
    bool stale; /* encoded under a provider key that is not the present one any more */
    const struct deed_begin *begin;
    struct deed__record_in record; /* used if begin->record is set */
    struct deed_profile profile;
    uint8_t token[DEED_TOKEN_BYTES];
    uint8_t bytes_digest[DEED_DIGEST_BYTES];
    struct deed_attempt attempt; /* the answer */
    struct deed_instant start;   /* of the same */
};

static uint32_t rules_of(const struct deed_binding *binding, const struct deed_profile *profile)
{
    uint32_t flags = 0;
    flags |= profile->stored_errors ? DEED_ATTEMPT_STORED_ERRORS : 0U;
    flags |= profile->prefers_wait ? DEED_ATTEMPT_PREFERS_WAIT : 0U;
    flags |= profile->consistency == DEED_CONSISTENCY_EVENTUAL ? DEED_ATTEMPT_EVENTUAL : 0U;
    flags |= profile->consistency == DEED_CONSISTENCY_UNKNOWN ? DEED_ATTEMPT_NO_ABSENCE : 0U;
    flags |= binding->can_lookup ? DEED_ATTEMPT_LOOKUP : 0U;
    flags |= binding->can_poll ? DEED_ATTEMPT_POLL : 0U;
    flags |= binding->can_cancel ? DEED_ATTEMPT_CLOSABLE : 0U;
    return flags;
}

/* What a later configuration must not rewrite. A replay keeps the window it was declared with. */
static struct deed_attempt_row bind(const struct deed__call *call, const struct deed__case *c,
    const struct begin_in *in, const struct deed_plan *plan)
{
    const struct deed_binding *binding = in->begin->binding;
    const struct deed_attempt_row *newest = deed__newest_attempt(c);
    bool replay = plan->cause == DEED_CAUSE_REPLAY;
    struct deed_attempt_row row = {
        .size = sizeof(row),
        .intent_id = c->intent.id,
        .number = c->intent.attempts + 1,
        .cause = plan->cause,
        .executor = binding->executor,
        .executor_version = binding->executor_version,
        .account_scope = binding->account_scope,
        .endpoint = binding->endpoint,
        .provider_key = plan->provider_key,
        .generation = plan->generation,
        .owner = call->ledger->owner,
        .start = c->now,
        .send_ms = in->profile.send_ms,
        .answer_ms = in->profile.answer_ms,
        .landing_ms = in->profile.landing_ms,
        .lag_ms = in->profile.lag_ms,
        .reach_ms = in->profile.reach_ms,
        .window_ms = replay ? newest->window_ms : in->profile.window_ms,
        .second_look_ms = {in->profile.second_look_ms[0], in->profile.second_look_ms[1]},
        .flags = rules_of(binding, &in->profile),
    };
    memcpy(row.token, in->token, sizeof(row.token));
    memcpy(row.bytes_digest, in->bytes_digest, sizeof(row.bytes_digest));
    if (!plan->bytes_bound) { /* once per provider key */
        row.bytes.data = binding->bytes == NULL ? "" : (const char *)binding->bytes;
        row.bytes.bytes = binding->bytes_count;
    }
    return row;
}

/* Is this binding what the plan needs: the plan's key, the bytes already bound to it, and for a
 * replay the account and endpoint that saw the doubt? */
static deed_rc check_binding(const struct deed__case *c, const struct begin_in *in,
    const struct deed_plan *plan, struct deed_error *err)
{
    const struct deed_binding *binding = in->begin->binding;
    const struct deed_attempt_row *newest = deed__newest_attempt(c);
    const char *key = c->intent.key;
    if (in->stale) {
        return deed__refuse(err, DEED_E_MISUSE, key, NULL,
            "the request for %s was encoded for another provider key than the one it would be sent "
            "under now; plan it again",
            key);
    }
    if (plan->bytes_bound && memcmp(plan->bytes_digest, in->bytes_digest, DEED_DIGEST_BYTES) != 0) {
        return deed__refuse(err, DEED_E_NEEDS_PERSON, key, NULL,
            "the request for %s is not the one that was sent under this provider key before, and "
            "one key means one sequence of bytes",
            key);
    }
    bool replay = plan->cause == DEED_CAUSE_REPLAY;
    bool elsewhere = replay &&
        (strcmp(binding->executor, newest->executor) != 0 ||
            strcmp(binding->account_scope, newest->account_scope) != 0 ||
            strcmp(binding->endpoint, newest->endpoint) != 0);
    if (elsewhere) {
        return deed__refuse(err, DEED_E_NEEDS_PERSON, key, NULL,
            "%s is in doubt at %s, %s, and cannot be replayed at %s, %s", key, newest->executor,
            newest->account_scope, binding->executor, binding->account_scope);
    }
    /* The plan knows the profile of the kind; what counts is the one this attempt is bound to. */
    int64_t ahead = deed__sum(in->profile.send_ms, in->profile.landing_ms);
    if (replay && !deed__window_outlasts(c, newest, ahead)) {
        return deed__refuse(err, DEED_E_UNCERTAIN, key, NULL,
            "%s cannot be replayed: by the numbers of its binding it may arrive after the provider "
            "has forgotten our key",
            key);
    }
    return DEED_OK;
}

/* With the token: what is looked for again after a commit of unknown fate must be this attempt, not
 * one that another worker began in the same moment. */
const char *deed__attempt_describe(struct deed__detail *detail, const struct deed_attempt_row *row)
{
    char token[DEED_TOKEN_TEXT_BYTES];
    deed__hex(row->token, DEED_TOKEN_BYTES, token);
    deed__detail_init(detail);
    deed__detail_text(detail, "token", token);
    deed__detail_text(detail, "cause", deed_cause_name(row->cause));
    deed__detail_text(detail, "executor", row->executor);
    deed__detail_text(detail, "version", row->executor_version);
    deed__detail_text(detail, "account", row->account_scope);
    deed__detail_text(detail, "endpoint", row->endpoint);
    deed__detail_text(detail, "provider_key", row->provider_key);
    deed__detail_digest(detail, "bytes", row->bytes_digest);
    return deed__detail_end(detail);
}

/* Replays are paced like retries: a provider that is down shall not use them up at once. */
static int64_t pause_after(const struct deed__case *c)
{
    struct deed_profile profile = deed__profile_of(c);
    uint32_t replays = c->intent.attempts - c->intent.settled_attempts - 1;
    return deed__sum(c->now.wall_ms, deed__backoff_ms(&profile, replays));
}

static deed_rc write_attempt(struct deed__call *call, deed_tx *tx, struct deed__case *c,
    struct begin_in *in, const struct deed_plan *plan, struct deed_error *err)
{
    struct deed_attempt_row row = bind(call, c, in, plan);
    c->intent.attempts = row.number;
    c->intent.looks_left = 0; /* second looks end when a new attempt begins */
    c->intent.look_due_ms = 0;
    c->intent.absent_attempts = 0;
    c->intent.tries = 0;
    c->intent.next_due_ms = plan->cause == DEED_CAUSE_REPLAY ? pause_after(c) : 0;
    struct deed__detail detail;
    struct deed__change change = {
        .event = plan->cause == DEED_CAUSE_REPLAY ? DEED_EVENT_REPLAY : DEED_EVENT_ATTEMPT,
        .attempt = row.number,
        .actor = in->begin->actor,
        .detail = deed__attempt_describe(&detail, &row),
    };
    deed_rc rc = deed__apply(call, tx, c, &change, err);
    if (rc == DEED_OK) {
        row.intent_id = c->intent.id; /* known from here on, if this call records it */
        rc = tx->attempt_insert(tx->self, &row, err);
    }
    if (rc != DEED_OK) {
        return rc;
    }
    in->start = row.start;
    in->attempt.size = sizeof(in->attempt);
    in->attempt.number = row.number;
    in->attempt.cause = row.cause;
    in->attempt.generation = row.generation;
    memcpy(in->attempt.token, in->token, sizeof(in->token));
    memcpy(in->attempt.provider_key, plan->provider_key, sizeof(plan->provider_key));
    in->attempt.send_deadline_ms = deed__sum(c->now.wall_ms, row.send_ms);
    in->attempt.lease_end_ms = deed__sum(in->attempt.send_deadline_ms, row.answer_ms);
    /* So that the answer to this call already tells of the attempt. */
    return deed__case_add_attempt(c, &row, err);
}

static deed_rc decide_begin(
    struct deed__call *call, deed_tx *tx, struct deed__case *c, struct deed_error *err)
{
    struct begin_in *in = call->context;
    deed_rc rc = DEED_OK;
    in->stale = false;
    if (in->begin->record != NULL) {
        rc = deed__record_step(call, tx, c, &in->record, err);
    }
    struct deed_plan plan;
    if (rc == DEED_OK) {
        rc = deed__plan_of(c, in->begin->flags, &plan, err);
    }
    if (rc == DEED_OK) {
        in->stale = strcmp(in->begin->binding->provider_key, plan.provider_key) != 0;
        rc = check_binding(c, in, &plan, err);
    }
    if (rc == DEED_OK) {
        rc = write_attempt(call, tx, c, in, &plan, err);
    }
    if (call->result != NULL) { /* a refused attempt undoes its record */
        call->result->created = rc == DEED_OK && in->record.created;
    }
    return rc;
}

static bool text_fits(const char *text)
{
    return text != NULL && strlen(text) <= DEED_ADDRESS_BYTES_MAX;
}

static deed_rc check_begin(const struct deed_begin *begin, struct deed_error *err)
{
    if (begin == NULL || begin->key == NULL || begin->binding == NULL) {
        return deed_error_set(err, DEED_E_MISUSE, "core", "an attempt needs a key and a binding");
    }
    const struct deed_binding *binding = begin->binding;
    if (!text_fits(binding->executor) || !text_fits(binding->executor_version) ||
        !text_fits(binding->account_scope) || !text_fits(binding->endpoint) ||
        binding->provider_key == NULL || binding->executor[0] == '\0') {
        return deed__refuse(err, DEED_E_MISUSE, begin->key, NULL,
            "the binding of %s needs executor, version, account scope, endpoint and provider key, "
            "each of at most %d bytes",
            begin->key, DEED_ADDRESS_BYTES_MAX);
    }
    if (!deed__is_utf8(binding->executor) || !deed__is_utf8(binding->executor_version) ||
        !deed__is_utf8(binding->account_scope) || !deed__is_utf8(binding->endpoint)) {
        return deed__refuse(err, DEED_E_INVALID, begin->key, NULL,
            "executor, version, account scope and endpoint of %s must be UTF-8", begin->key);
    }
    if (binding->bytes_count > DEED_ENCODED_BYTES_MAX ||
        (binding->bytes == NULL && binding->bytes_count > 0)) {
        return deed__refuse(err, DEED_E_INVALID, begin->key, NULL,
            "the encoded request for %s must be at most %d bytes", begin->key,
            DEED_ENCODED_BYTES_MAX);
    }
    if (begin->record != NULL &&
        (begin->record->key == NULL || strcmp(begin->record->key, begin->key) != 0)) {
        return deed__refuse(
            err, DEED_E_MISUSE, begin->key, NULL, "begin and its record name different keys");
    }
    deed_rc rc = deed_key_check(begin->key, err);
    return rc == DEED_OK
        ? deed__text_check(begin->key, "who begins", begin->actor, DEED_NOTE_BYTES_MAX, err)
        : rc;
}

static deed_rc prepare_in(const struct deed_ledger *ledger, const struct deed_begin *begin,
    struct begin_in *in, struct deed_error *err)
{
    memset(in, 0, sizeof(*in));
    in->begin = begin;
    deed_rc rc = deed__profile_fill(&in->profile, begin->binding->profile, err);
    if (rc == DEED_OK && begin->record != NULL) {
        rc = deed__record_check(begin->record, &in->record, err);
    }
    if (rc == DEED_OK) {
        static const uint8_t nothing[1];
        const uint8_t *bytes = begin->binding->bytes == NULL ? nothing : begin->binding->bytes;
        rc = deed__sha256_of(bytes, begin->binding->bytes_count, in->bytes_digest, err);
    }
    if (rc == DEED_OK &&
        !ledger->random->fill(ledger->random->self, in->token, sizeof(in->token))) {
        rc = deed_error_set(err, DEED_E_SYSTEM, "core",
            "no random bytes to be had for the token of %s; nothing was begun", begin->key);
    }
    return rc;
}

/* The commit of this begin was of unknown fate and is there after all. Nothing was sent, and
 * nothing will be: the attempt is closed first-hand. */
static deed_rc close_unsent(deed_ledger *ledger, const struct begin_in *in,
    struct deed_result *result, struct deed_error *err)
{
    struct deed_error closing;
    deed_rc rc = deed__finish_unsent(ledger, in->begin->key, in->token, result, &closing);
    deed__trace(ledger, "attempt.closed", in->begin->key,
        rc == DEED_OK ? "begun in doubt, closed unsent" : "begun in doubt, left uncertain");
    return deed__refuse(err, DEED_E_STORE, in->begin->key, NULL,
        "the store failed while the attempt of %s was being made durable; nothing was sent",
        in->begin->key);
}

deed_rc deed__begin(deed_ledger *ledger, const struct deed_begin *begin,
    struct deed_attempt *attempt_out, bool *stale_out, struct deed_result *result,
    struct deed_error *err)
{
    *stale_out = false;
    deed_rc rc = check_begin(begin, err);
    if (rc != DEED_OK || begin == NULL) {
        return rc;
    }
    struct begin_in in;
    rc = prepare_in(ledger, begin, &in, err);
    if (rc != DEED_OK) {
        return rc;
    }
    bool replay = (begin->flags & DEED_BEGIN_REPLAY) != 0;
    struct deed__call call = {
        .ledger = ledger,
        .key = begin->key,
        .parts = DEED__WITH_CHAIN,
        .may_be_missing = begin->record != NULL,
        .never_again = true,
        .decide = decide_begin,
        .context = &in,
        .result = result,
        .written = replay ? DEED_SEAM_REPLAY_WRITTEN : DEED_SEAM_ATTEMPT_WRITTEN,
        .committed = replay ? DEED_SEAM_REPLAY_DURABLE : DEED_SEAM_ATTEMPT_DURABLE,
    };
    rc = deed__call_write(&call, err);
    *stale_out = in.stale;
    if (rc == DEED_OK && call.unknown) {
        return close_unsent(ledger, &in, result, err);
    }
    if (rc == DEED_OK) {
        *attempt_out = in.attempt;
        deed__asked_begun(ledger->asked, begin->key, in.token, &in.start, in.profile.send_ms);
        deed__trace(ledger, "attempt", begin->key, deed_cause_name(in.attempt.cause));
    }
    return rc;
}

deed_rc deed__inner_begin(deed_ledger *ledger, const struct deed_begin *begin,
    struct deed_attempt *attempt_out, struct deed_result *result, struct deed_error *err)
{
    if (ledger == NULL || begin == NULL || attempt_out == NULL) {
        return deed__misuse(err, "deed_begin");
    }
    const uint32_t known = DEED_BEGIN_BY_NAME | DEED_BEGIN_REPLAY | DEED_BEGIN_NEW_BYTES;
    if ((begin->flags & ~known) != 0) {
        return deed_error_set(
            err, DEED_E_MISUSE, "core", "deed_begin was given a flag it does not know");
    }
    bool stale = false;
    deed_rc rc = deed__enter(ledger, "deed_begin", err);
    return rc == DEED_OK ? deed__begin(ledger, begin, attempt_out, &stale, result, err) : rc;
}
