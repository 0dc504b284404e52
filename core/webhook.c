/* SPDX-License-Identifier: MIT
 *
 * A verifier for messages signed with HMAC-SHA-256. The signature is judged first: until it holds,
 * nothing in the message is read. No text of an error quotes the message or the secret.
 */
#include <stdio.h>
#include <string.h>

#include <jansson.h>
#include <openssl/crypto.h>

#include <deed/evidence.h>
#include <deed/ext/error.h>
#include <deed/system.h>

#include "boundary.h"
#include "json_pointer.h"
#include "json_text.h"
#include "signature.h"

#define OUTCOME_BYTES_MAX  255
#define TOLERANCE_MS       300000
#define TOLERANCE_MS_MAX   86400000
#define INTEGER_TEXT_BYTES 24

enum member {
    PROVIDER_KEY,
    DIGEST,
    REFERENCE,
    EVENT_ID,
    OUTCOME,
    MEMBER_COUNT
};

static const char *const member_names[MEMBER_COUNT] = {
    "provider_key", "digest", "reference", "event_id", "outcome"};

struct webhook {
    struct deed_verifier face;
    const struct deed_allocator *memory;
    struct deed__signing signing;
    bool has[MEMBER_COUNT];
    char pointers[MEMBER_COUNT][DEED__POINTER_BYTES_MAX + 1];
    char outcome_value[OUTCOME_BYTES_MAX + 1];
};

static deed_rc refuse(struct deed_error *err, const char *text)
{
    return deed_error_set(err, DEED_E_INVALID, "core", "%s", text);
}

/* ---- the message ------------------------------------------------------------------------------- */

static deed_rc refuse_member(struct deed_error *err, enum member member, const char *why)
{
    return deed_error_set(err, DEED_E_INVALID, "core", "in the message, what stands for %s %s",
        member_names[member], why);
}

struct place {
    char *text;
    size_t bytes;
};

/* A text, or a whole number as some providers name things. Not there, or null: "". */
static deed_rc read_member(const struct webhook *webhook, const json_t *message, enum member member,
    struct place out, struct deed_error *err)
{
    char *text = out.text;
    const json_t *value =
        webhook->has[member] ? deed__json_follow(message, webhook->pointers[member]) : NULL;
    text[0] = '\0';
    if (value == NULL || json_is_null(value)) {
        return DEED_OK;
    }
    char number[INTEGER_TEXT_BYTES];
    const char *from = json_string_value(value);
    size_t length = json_string_length(value);
    if (json_is_integer(value)) {
        length = (size_t)snprintf(
            number, sizeof(number), "%" JSON_INTEGER_FORMAT, json_integer_value(value));
        from = number;
    } else if (from == NULL) {
        return refuse_member(err, member, "is neither a text nor a whole number");
    }
    if (length >= out.bytes) {
        return refuse_member(err, member, "is longer than such a name can be");
    }
    if (memchr(from, '\0', length) != NULL) {
        return refuse_member(err, member, "holds a NUL");
    }
    memcpy(text, from, length);
    text[length] = '\0';
    return DEED_OK;
}

static deed_rc read_members(const struct webhook *webhook, const json_t *message,
    struct deed_verified *verified, struct deed_error *err)
{
    const struct place places[OUTCOME] = {
        [PROVIDER_KEY] = {verified->provider_key, sizeof(verified->provider_key)},
        [DIGEST] = {verified->digest, sizeof(verified->digest)},
        [REFERENCE] = {verified->reference, sizeof(verified->reference)},
        [EVENT_ID] = {verified->event_id, sizeof(verified->event_id)},
    };
    deed_rc rc = DEED_OK;
    for (int member = PROVIDER_KEY; rc == DEED_OK && member < OUTCOME; member++) {
        rc = read_member(webhook, message, (enum member)member, places[member], err);
    }
    const json_t *outcome =
        webhook->has[OUTCOME] ? deed__json_follow(message, webhook->pointers[OUTCOME]) : NULL;
    const char *text = json_string_value(outcome);
    bool applied = text != NULL && json_string_length(outcome) == strlen(text) &&
        strcmp(text, webhook->outcome_value) == 0;
    verified->outcome = applied ? DEED_APPLIED : DEED_OUTCOME_NONE;
    return rc;
}

static deed_rc read_message(const struct webhook *webhook, struct deed_text message,
    struct deed_verified *verified, struct deed_error *err)
{
    bool any = false;
    for (int member = 0; member < MEMBER_COUNT; member++) {
        any = any || webhook->has[member];
    }
    if (!any) {
        return DEED_OK;
    }
    json_error_t where;
    json_t *json = NULL;
    if (message.bytes > 0 && deed__json_text_check(message.data, message.bytes, NULL) == DEED_OK) {
        json = json_loadb(
            message.data, message.bytes, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &where);
    }
    if (json == NULL) {
        return refuse(err,
            "the message is genuine and not the JSON that was expected: one text, "
            "nested no deeper than 16 levels, no member given twice");
    }
    deed_rc rc = read_members(webhook, json, verified, err);
    json_decref(json);
    return rc;
}

static deed_rc verify(void *self, const struct deed_evidence *evidence, int64_t now_ms,
    struct deed_verified *verified_out, struct deed_error *err)
{
    const struct webhook *webhook = self;
    struct deed_evidence mine; /* a host may ask the verifier itself */
    deed_rc rc = deed_size_room(&deed__shape_deed_verified, verified_out, err);
    if (rc == DEED_OK) {
        rc = deed_size_take(&deed__shape_deed_evidence, evidence, &mine, err);
    }
    if (rc != DEED_OK) {
        return rc;
    }
    if (mine.message.bytes > DEED_MESSAGE_BYTES_MAX) {
        return refuse(err, "the message is longer than a webhook may be");
    }
    struct deed_verified verified = {.size = sizeof(verified)};
    rc = deed__signature_check(&webhook->signing, &mine, now_ms, err);
    if (rc == DEED_OK) {
        rc = read_message(webhook, mine.message, &verified, err);
    }
    if (rc == DEED_OK) {
        deed_size_give(&deed__shape_deed_verified, verified_out, &verified);
    }
    return rc;
}

static void destroy(void *self)
{
    struct webhook *webhook = self;
    const struct deed_allocator *memory = webhook->memory;
    OPENSSL_cleanse(webhook->signing.secret, sizeof(webhook->signing.secret));
    (void)memory->resize(memory->self, webhook, sizeof(*webhook), 0);
}

/* ---- making one -------------------------------------------------------------------------------- */

static deed_rc check_pointers(const char *const pointers[MEMBER_COUNT], struct deed_error *err)
{
    for (int member = 0; member < MEMBER_COUNT; member++) {
        if (pointers[member] != NULL && !deed__is_json_pointer(pointers[member])) {
            return deed_error_set(err, DEED_E_INVALID, "core",
                "the webhook's %s is no JSON pointer: it starts with a slash, ~0 stands for a "
                "tilde and ~1 for a slash, and it has at most %d bytes",
                member_names[member], DEED__POINTER_BYTES_MAX);
        }
    }
    return DEED_OK;
}

static deed_rc check_webhook(const struct deed_webhook *webhook, struct deed_error *err)
{
    if (webhook->secret == NULL || webhook->secret[0] == '\0' ||
        strlen(webhook->secret) > DEED__SECRET_BYTES_MAX) {
        return deed_error_set(err, DEED_E_INVALID, "core",
            "a webhook needs the secret its provider signs with, of 1 to %d bytes",
            DEED__SECRET_BYTES_MAX);
    }
    if (webhook->scheme == NULL ||
        (strcmp(webhook->scheme, "hex") != 0 && strcmp(webhook->scheme, "timestamped") != 0)) {
        return refuse(err, "the scheme of a webhook is \"hex\" or \"timestamped\"");
    }
    if (webhook->tolerance_ms < 0 || webhook->tolerance_ms > TOLERANCE_MS_MAX) {
        return refuse(err, "the tolerance of a webhook lies between 0 and a day");
    }
    bool value = webhook->outcome_value != NULL && webhook->outcome_value[0] != '\0';
    if ((webhook->outcome != NULL) != value ||
        (value && strlen(webhook->outcome_value) > OUTCOME_BYTES_MAX)) {
        return refuse(err,
            "a webhook that tells the outcome needs both the pointer to it and the "
            "text, of at most 255 bytes, that means applied");
    }
    return DEED_OK;
}

static void fill(struct webhook *made, const struct deed_webhook *webhook,
    const char *const pointers[MEMBER_COUNT])
{
    made->face.size = sizeof(made->face);
    made->face.self = made;
    made->face.verify = verify;
    made->face.destroy = destroy;
    made->signing.timestamped = strcmp(webhook->scheme, "timestamped") == 0;
    made->signing.tolerance_ms = webhook->tolerance_ms == 0 ? TOLERANCE_MS : webhook->tolerance_ms;
    made->signing.secret_bytes = strlen(webhook->secret);
    memcpy(made->signing.secret, webhook->secret, made->signing.secret_bytes);
    for (int member = 0; member < MEMBER_COUNT; member++) {
        made->has[member] = pointers[member] != NULL;
        if (made->has[member]) {
            memcpy(made->pointers[member], pointers[member], strlen(pointers[member]) + 1);
        }
    }
    if (webhook->outcome_value != NULL) {
        (void)snprintf(
            made->outcome_value, sizeof(made->outcome_value), "%s", webhook->outcome_value);
    }
}

deed_rc deed__inner_webhook_verifier_create(
    const struct deed_webhook *webhook, struct deed_verifier **verifier_out, struct deed_error *err)
{
    if (webhook == NULL || verifier_out == NULL) {
        return deed_error_set(err, DEED_E_MISUSE, "core",
            "deed_webhook_verifier_create needs a webhook and a place for the verifier");
    }
    const char *const pointers[MEMBER_COUNT] = {webhook->provider_key, webhook->digest,
        webhook->reference, webhook->event_id, webhook->outcome};
    deed_rc rc = check_webhook(webhook, err);
    if (rc == DEED_OK) {
        rc = check_pointers(pointers, err);
    }
    if (rc != DEED_OK) {
        return rc;
    }
    const struct deed_allocator *memory = deed_system_memory();
    struct webhook *made = memory->resize(memory->self, NULL, 0, sizeof(*made));
    if (made == NULL) {
        return deed_error_set(err, DEED_E_NOMEM, "core", "out of memory for a webhook's verifier");
    }
    memset(made, 0, sizeof(*made));
    made->memory = memory;
    fill(made, webhook, pointers);
    *verifier_out = &made->face;
    return DEED_OK;
}
