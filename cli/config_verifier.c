/* SPDX-License-Identifier: MIT
 *
 * config_verifier.c - one member of "verifiers" in the configuration.
 */
#include "config_verifier.h"

#include "error.h"
#include "nearest.h"
#include "secret.h"

#include <inttypes.h>
#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

/* Members that are one text of the webhook. */
static const struct member {
    const char *name;
    size_t offset;
    bool pointer; /* a JSON pointer into the message */
} members[] = {
    {"scheme", offsetof(struct deed_webhook, scheme), false},
    {"provider_key", offsetof(struct deed_webhook, provider_key), true},
    {"digest", offsetof(struct deed_webhook, digest), true},
    {"reference", offsetof(struct deed_webhook, reference), true},
    {"event_id", offsetof(struct deed_webhook, event_id), true},
    {"outcome", offsetof(struct deed_webhook, outcome), true},
    {"outcome_value", offsetof(struct deed_webhook, outcome_value), false},
};
static const char *const others[] = {"type", "secret", "tolerance_ms"};

static deed_rc wrong(
    const char *source, const char *member, const char *what, struct deed_error *err)
{
    return cli_error(err, DEED_E_INVALID, NULL, "verifiers.%.60s.%.40s: %s", source, member, what);
}

static deed_rc unknown_member(const char *source, const char *name, struct deed_error *err)
{
    struct nearest nearest;
    nearest_start(&nearest, name);
    for (size_t i = 0; i < COUNT_OF(members); i++) {
        nearest_offer(&nearest, members[i].name);
    }
    for (size_t i = 0; i < COUNT_OF(others); i++) {
        nearest_offer(&nearest, others[i]);
    }
    return cli_error(err, DEED_E_INVALID, NULL,
        "verifiers.%.60s.%.40s: a verifier has no such member%s%s", source, name,
        nearest.name ? "; the nearest is " : "", nearest.name ? nearest.name : "");
}

static deed_rc read_text(const char *source, const struct member *member, json_t *value,
    struct deed_webhook *webhook, struct deed_error *err)
{
    const char *text = json_string_value(value);
    if (!text) {
        return wrong(source, member->name, "must be a string", err);
    }
    if (member->pointer && text[0] != '/') {
        return wrong(source, member->name,
            "must be a JSON pointer into the message, such as /data/object/id", err);
    }
    if (strcmp(member->name, "scheme") == 0 && strcmp(text, "hex") != 0 &&
        strcmp(text, "timestamped") != 0) {
        return wrong(source, member->name, "must be \"hex\" or \"timestamped\"", err);
    }
    memcpy((char *)webhook + member->offset, &text, sizeof text);
    return DEED_OK;
}

static deed_rc read_other(const char *source, const char *name, json_t *value,
    struct config_verifier *verifier, struct deed_error *err)
{
    const char *text = json_string_value(value);
    if (strcmp(name, "type") == 0) {
        return text && strcmp(text, "webhook") == 0
            ? DEED_OK
            : wrong(source, name, "must be \"webhook\": there is no other type yet", err);
    }
    if (strcmp(name, "secret") == 0) {
        verifier->secret = text;
        /* What stands there may be a secret, so it is not quoted. */
        return text && secret_is_reference(text)
            ? DEED_OK
            : wrong(source, name,
                  "must say where the secret is, \"env:NAME\" or \"file:PATH\"; the secret itself "
                  "does not belong into the configuration",
                  err);
    }
    if (strcmp(name, "tolerance_ms") == 0) {
        const int64_t tolerance_ms = json_integer_value(value);
        if (!json_is_integer(value) || tolerance_ms < 1 || tolerance_ms > DEED_DURATION_MS_MAX) {
            return wrong(source, name, "must be a whole number of milliseconds, from 1", err);
        }
        verifier->webhook.tolerance_ms = tolerance_ms;
        return DEED_OK;
    }
    return unknown_member(source, name, err);
}

static deed_rc read_member(const char *source, const char *name, json_t *value,
    struct config_verifier *verifier, struct deed_error *err)
{
    for (size_t i = 0; i < COUNT_OF(members); i++) {
        if (strcmp(members[i].name, name) == 0) {
            return read_text(source, &members[i], value, &verifier->webhook, err);
        }
    }
    return read_other(source, name, value, verifier, err);
}

static deed_rc check_whole(
    const struct config_verifier *verifier, json_t *value, struct deed_error *err)
{
    const struct deed_webhook *webhook = &verifier->webhook;
    static const char *const required[] = {"type", "secret", "scheme"};
    for (size_t i = 0; i < COUNT_OF(required); i++) {
        if (!json_object_get(value, required[i])) {
            return cli_error(err, DEED_E_INVALID, NULL, "verifiers.%.60s: needs `%s`",
                verifier->source, required[i]);
        }
    }
    if (!webhook->outcome != !webhook->outcome_value) {
        return cli_error(err, DEED_E_INVALID, NULL,
            "verifiers.%.60s: `outcome` and `outcome_value` go together: where to look, and the "
            "text "
            "there that means applied",
            verifier->source);
    }
    return DEED_OK;
}

deed_rc config_verifier_read(
    const char *source, json_t *value, struct config_verifier *verifier_out, struct deed_error *err)
{
    *verifier_out = (struct config_verifier){.source = source};
    verifier_out->webhook.size = sizeof verifier_out->webhook;
    if (!json_is_object(value)) {
        return cli_error(err, DEED_E_INVALID, NULL,
            "verifiers.%.60s: must be an object with `type`, `secret` and `scheme`", source);
    }
    const char *name = NULL;
    json_t *item = NULL;
    json_object_foreach(value, name, item)
    {
        deed_rc rc = read_member(source, name, item, verifier_out, err);
        if (rc != DEED_OK) {
            return rc;
        }
    }
    return check_whole(verifier_out, value, err);
}
