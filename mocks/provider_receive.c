/* SPDX-License-Identifier: MIT
 *
 * A request arrives: what comes of it is ruled first, written as one line, and answered last. A
 * process that is killed in between has sent nothing, or has sent and does not know the answer;
 * there is no third case, as there is none outside.
 */
#include "provider.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/evp.h>

#include <deed/ext/error.h>
#include <deed/payload.h>

struct ruling {
    deed_world_fate fate;
    uint64_t effects;
    uint64_t absorbed;
    bool keeps;       /* the key, with this request as its first */
    bool keeps_error; /* and the answer to it is an error */
    struct deed_mock__waiting waiting;
    struct deed_mock__reply reply;
};

void deed_mock__handle_text(uint64_t operation, char text_out[DEED_MOCK__HANDLE_BYTES])
{
    (void)snprintf(text_out, DEED_MOCK__HANDLE_BYTES, "op-%llu", (unsigned long long)operation);
}

uint64_t deed_mock__handle_number(const char *text)
{
    if (text == NULL || strncmp(text, "op-", 3) != 0) {
        return 0;
    }
    char *end = NULL;
    unsigned long long number = strtoull(text + 3, &end, 10);
    return *end == '\0' ? number : 0;
}

void deed_mock__keyless_text(const char *key, char text_out[DEED_MOCK__KEYLESS_BYTES])
{
    (void)snprintf(text_out, DEED_MOCK__KEYLESS_BYTES, "keyless %s", key);
}

/* A provider knows who asks by the credential, and that is its own: not what the caller says. */
struct deed_mock__place deed_mock__provider_place(
    const struct deed_mock__provider *provider, const char *provider_key)
{
    return (struct deed_mock__place){provider->endpoint, provider->account, provider_key};
}

/* ---- on the way -------------------------------------------------------------------------- */

static struct deed_mock__waiting waits(const struct deed_mock__provider *provider,
    const struct deed_mock__arrival *arrival, const struct deed_mock__landing_rule *rule,
    uint64_t copies)
{
    const struct deed_mock__landing landing = {
        .due_ms = rule->after_ms == DEED_FOREVER ? DEED_FOREVER : arrival->now_ms + rule->after_ms,
        .due_looks = rule->after_looks};
    return (struct deed_mock__waiting){
        .copies = copies,
        .rejects = arrival->step->ending == DEED_MOCK__ENDS_REJECTED,
        .never = arrival->step->ending == DEED_MOCK__ENDS_NEVER,
        .keyed = provider->keyed,
        .window_ms = provider->window_ms,
        .ignores_close = provider->lying,
        .landing = landing,
    };
}

static struct ruling on_the_way(
    const struct deed_mock__provider *provider, const struct deed_mock__arrival *arrival)
{
    return (struct ruling){
        .fate = DEED_WORLD_WAITING,
        .waiting = waits(provider, arrival, &arrival->step->land, 1 + arrival->step->duplicates),
        .reply.status = "silent",
    };
}

/* ---- a key that is known ----------------------------------------------------------------- */

static struct deed_mock__reply stored_reply(
    const struct deed_world *world, const struct deed_mock__kept *kept)
{
    const struct deed_mock__request *first = deed_mock__request_at(world, kept->request);
    struct deed_mock__reply reply = {.stored = true, .status = "done"};
    if (kept->is_error) {
        reply.verdict = kept->verdict;
        reply.status = "failed";
        return reply;
    }
    if (first->waiting.accepted && first->waiting.copies > 0) {
        reply.pending = true;
        reply.operation = kept->request + 1;
        reply.status = "pending";
        return reply;
    }
    if (first->first_effect == 0) { /* it was pending, and was refused in the end */
        reply.verdict = DEED_VERDICT_REJECTED;
        reply.status = "rejected";
        return reply;
    }
    reply.verdict = DEED_VERDICT_APPLIED;
    reply.effect = first->first_effect;
    return reply;
}

/* What a request does is part of what its key stands for: another action is another request. */
static struct ruling known_key(const struct deed_world *world, const struct deed_mock__slot *slot,
    const struct deed_mock__arrival *arrival, const char *digest)
{
    struct ruling ruling = {.fate = DEED_WORLD_ABSORBED, .absorbed = 1 + arrival->step->duplicates};
    const struct deed_mock__request *first = deed_mock__request_at(world, slot->kept.request);
    if (strcmp(first->digest, digest) != 0 ||
        strcmp(deed_mock__text(world, deed_mock__action_at(world, first->key)->key),
            arrival->key) != 0) {
        ruling.reply =
            (struct deed_mock__reply){.key_signal = DEED_KEY_SIGNAL_MISMATCH, .status = "mismatch"};
        return ruling;
    }
    ruling.reply = stored_reply(world, &slot->kept);
    return ruling;
}

/* ---- a new request ----------------------------------------------------------------------- */

/* The words of the step, about a request that was worked on. */
static struct deed_mock__reply spoken(const struct deed_mock__step *step)
{
    switch (step->kind) {
    case DEED_MOCK__STEP_REFUSE:
        return (struct deed_mock__reply){.verdict = DEED_VERDICT_NOT_APPLIED, .status = "refused"};
    case DEED_MOCK__STEP_REJECT:
        return (struct deed_mock__reply){.verdict = DEED_VERDICT_REJECTED, .status = "rejected"};
    case DEED_MOCK__STEP_ERROR_STORED:
        return (struct deed_mock__reply){
            .verdict = (deed_verdict)step->verdict, .status = "failed"};
    case DEED_MOCK__STEP_ERROR:
        return (struct deed_mock__reply){.status = "failed"};
    case DEED_MOCK__STEP_IN_PROGRESS:
        return (struct deed_mock__reply){
            .key_signal = DEED_KEY_SIGNAL_IN_PROGRESS, .status = "in progress"};
    case DEED_MOCK__STEP_MISMATCH:
        return (struct deed_mock__reply){
            .key_signal = DEED_KEY_SIGNAL_MISMATCH, .status = "mismatch"};
    case DEED_MOCK__STEP_PENDING:
        return (struct deed_mock__reply){.pending = true, .status = "pending"};
    case DEED_MOCK__STEP_ANSWER:
    case DEED_MOCK__STEP_LOSE:
    case DEED_MOCK__STEP_HANG:
    case DEED_MOCK__STEP_GARBAGE:
    case DEED_MOCK__STEP_UNREACHABLE: /* never gets here */
    case DEED_MOCK__STEP_LATE:        /* neither */
        break;
    }
    return (struct deed_mock__reply){.verdict = DEED_VERDICT_APPLIED, .status = "done"};
}

static deed_world_fate fate_without_effect(const struct deed_mock__step *step)
{
    if (step->kind == DEED_MOCK__STEP_REFUSE) {
        return DEED_WORLD_REFUSED;
    }
    return step->kind == DEED_MOCK__STEP_REJECT ? DEED_WORLD_REJECTED : DEED_WORLD_FAILED;
}

/* What is kept under the key. A provider that honours keys keeps every effect, whatever it answered;
 * one that keeps good answers only is a lying one. */
static void rule_keeping(const struct deed_mock__provider *provider,
    const struct deed_mock__step *step, struct ruling *ruling)
{
    bool is_error = step->kind == DEED_MOCK__STEP_ERROR_STORED ||
        (provider->stores_errors && ruling->effects == 0 &&
            (step->kind == DEED_MOCK__STEP_REJECT || step->kind == DEED_MOCK__STEP_ERROR));
    bool says_done = step->kind != DEED_MOCK__STEP_ERROR && step->kind != DEED_MOCK__STEP_REFUSE &&
        step->kind != DEED_MOCK__STEP_REJECT;
    bool keeps_effect = ruling->effects > 0 && (says_done || !provider->lying);
    ruling->keeps = provider->keyed && (is_error || keeps_effect);
    ruling->keeps_error = is_error;
}

static struct ruling worked_on(
    const struct deed_mock__provider *provider, const struct deed_mock__arrival *arrival)
{
    const struct deed_mock__step *step = arrival->step;
    struct ruling ruling = {.reply = spoken(step)};
    uint64_t copies = step->duplicates_land.given ? 0 : step->duplicates;
    if (step->kind == DEED_MOCK__STEP_PENDING) {
        ruling.fate = DEED_WORLD_WAITING;
        ruling.waiting = waits(provider, arrival, &step->land, provider->keyed ? 1 : 1 + copies);
        ruling.waiting.accepted = true;
        ruling.absorbed = provider->keyed ? copies : 0;
        ruling.keeps = provider->keyed;
        return ruling;
    }
    if (step->effect) {
        ruling.effects = provider->keyed ? 1 : 1 + copies;
        ruling.absorbed = provider->keyed ? copies : 0;
    }
    ruling.fate = step->effect ? DEED_WORLD_LANDED : fate_without_effect(step);
    rule_keeping(provider, step, &ruling);
    if (step->duplicates_land.given) {
        ruling.waiting = waits(provider, arrival, &step->duplicates_land, step->duplicates);
    }
    return ruling;
}

static struct ruling rule(const struct deed_world *world,
    const struct deed_mock__provider *provider, const struct deed_mock__arrival *arrival,
    const char *digest)
{
    const struct deed_mock__step *step = arrival->step;
    if (step->kind == DEED_MOCK__STEP_LATE ||
        (step->kind == DEED_MOCK__STEP_HANG && step->land.given)) {
        return on_the_way(provider, arrival);
    }
    const struct deed_mock__place place =
        deed_mock__provider_place(provider, arrival->provider_key);
    size_t index = deed_world__find_slot(world, &place);
    const struct deed_mock__slot *slot =
        index != DEED_MOCK__NONE ? deed_mock__slot_at(world, index) : NULL;
    bool in_front = step->kind == DEED_MOCK__STEP_REFUSE ||
        step->kind == DEED_MOCK__STEP_IN_PROGRESS ||
        step->kind == DEED_MOCK__STEP_MISMATCH; /* answered before the key is looked at */
    if (!in_front && slot != NULL && slot->closed && !provider->lying) {
        return (struct ruling){.fate = DEED_WORLD_BARRED,
            .reply = {.verdict = DEED_VERDICT_NOT_APPLIED, .status = "closed"}};
    }
    if (!in_front && provider->keyed && slot != NULL &&
        deed_mock__slot_keeps(slot, arrival->now_ms)) {
        return known_key(world, slot, arrival, digest);
    }
    return worked_on(provider, arrival);
}

/* ---- the line ---------------------------------------------------------------------------- */

static struct deed_mock__line line_of(const struct deed_world *world,
    const struct deed_mock__provider *provider, const struct deed_mock__arrival *arrival,
    const char *digest, const struct ruling *ruling)
{
    return (struct deed_mock__line){.what = DEED_MOCK__REQUEST,
        .at_ms = arrival->now_ms,
        .request = world->requests.count + 1,
        .key = arrival->key,
        .place = deed_mock__provider_place(provider, arrival->provider_key),
        .attempt = arrival->attempt,
        .digest = digest,
        .bytes_count = arrival->bytes_count,
        .step = deed_mock__step_name(arrival->step->kind),
        .fate = ruling->fate,
        .effects = ruling->effects,
        .absorbed = ruling->absorbed,
        .copies = arrival->step->duplicates,
        .waiting = ruling->waiting,
        .keeps = {.given = ruling->keeps,
            .window_ms = provider->window_ms,
            .is_error = ruling->keeps_error,
            .verdict = ruling->reply.verdict}};
}

/* "After N looks" counts from now. */
static void count_looks_from_now(const struct deed_world *world,
    const struct deed_mock__provider *provider, const struct deed_mock__arrival *arrival,
    struct ruling *ruling)
{
    const struct deed_mock__place place =
        deed_mock__provider_place(provider, arrival->provider_key);
    size_t index = deed_world__find_slot(world, &place);
    if (index != DEED_MOCK__NONE && ruling->waiting.landing.due_looks != UINT64_MAX) {
        ruling->waiting.landing.due_looks += deed_mock__slot_at(world, index)->looks;
    }
}

deed_rc deed_mock__provider_receive(struct deed_world *world,
    const struct deed_mock__provider *provider, const struct deed_mock__arrival *arrival,
    struct deed_mock__reply *reply_out, struct deed_error *err)
{
    uint8_t raw[EVP_MAX_MD_SIZE];
    char digest[DEED_DIGEST_TEXT_BYTES];
    if (EVP_Digest(arrival->bytes, arrival->bytes_count, raw, NULL, EVP_sha256(), NULL) != 1) {
        return deed_error_set(err, DEED_E_SYSTEM, DEED_MOCK__ORIGIN_WORLD, "cannot hash a request");
    }
    deed_digest_text(raw, digest);
    deed_rc rc = deed_world__enter(world, err);
    if (rc != DEED_OK) {
        return rc;
    }
    uint64_t landed = 0;
    rc = deed_world__move(world, deed_mock__choices_of(provider), arrival->now_ms, &landed, err);
    if (rc != DEED_OK) {
        goto done;
    }
    struct ruling ruling = rule(world, provider, arrival, digest);
    count_looks_from_now(world, provider, arrival, &ruling);
    uint64_t effects_before = world->effects.count;
    const struct deed_mock__line line = line_of(world, provider, arrival, digest, &ruling);
    rc = deed_world__append(world, &line, err);
    if (rc != DEED_OK) {
        goto done;
    }
    if (ruling.effects > 0) {
        ruling.reply.new_effect = true;
        ruling.reply.effect = effects_before + 1;
    }
    if (ruling.reply.pending && ruling.reply.operation == 0) {
        ruling.reply.operation = world->requests.count;
    }
    ruling.reply.fate = ruling.fate;
    memcpy(ruling.reply.digest, digest, sizeof(digest));
    *reply_out = ruling.reply;
done:
    deed_world__leave(world);
    return rc;
}
