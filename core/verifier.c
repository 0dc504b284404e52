/* SPDX-License-Identifier: MIT */
#include "verifier.h"

#include <stdio.h>
#include <string.h>

#include "door.h"
#include "versioned.h"

static bool is_source(const char *source)
{
    size_t length = strlen(source);
    bool good = length >= 1 && length <= DEED_SOURCE_BYTES_MAX;
    for (size_t i = 0; good && i < length; i++) {
        char byte = source[i];
        bool plain = (byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9');
        good = plain || (i > 0 && strchr("._:-", byte) != NULL);
    }
    return good;
}

/* Words that came in by another door; who reads the history must not take one for the other. */
static bool is_ours(const char *source)
{
    static const char *const ours[] = {"attempt", "lookup", "poll", "cancel", "person"};
    bool found = false;
    for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++) {
        found = found || strcmp(source, ours[i]) == 0;
    }
    return found;
}

deed_rc deed__source_check(const char *key, const char *source, struct deed_error *err)
{
    if (!is_source(source)) {
        return deed__refuse(err, DEED_E_INVALID, key, NULL,
            "a source of evidence is named by 1 to %d of a-z, 0-9, dot, colon, dash and "
            "underscore, and starts with a letter or a digit",
            DEED_SOURCE_BYTES_MAX);
    }
    if (is_ours(source)) {
        return deed__refuse(err, DEED_E_INVALID, key, NULL,
            "%s is how the ledger calls its own evidence: name the source after the system that "
            "the word comes from",
            source);
    }
    return DEED_OK;
}

struct deed_verifier *deed__verifier_of(const struct deed_ledger *ledger, const char *source)
{
    const struct deed__verifier_entry *at = ledger->verifiers;
    while (at != NULL && strcmp(at->source, source) != 0) {
        at = at->next;
    }
    return at == NULL ? NULL : at->verifier;
}

static bool serves_already(const struct deed_ledger *ledger, const struct deed_verifier *verifier)
{
    const struct deed__verifier_entry *at = ledger->verifiers;
    while (at != NULL && at->verifier != verifier) {
        at = at->next;
    }
    return at != NULL;
}

static void destroy(struct deed_verifier *verifier)
{
    if (DEED__HAS(verifier, destroy) && verifier->destroy != NULL) {
        verifier->destroy(verifier->self);
    }
}

static deed_rc add(struct deed_ledger *ledger, const char *source, struct deed_verifier *verifier,
    struct deed_error *err)
{
    deed_rc rc = deed__source_check(NULL, source, err);
    if (rc != DEED_OK) {
        return rc;
    }
    rc = deed_size_check(&deed__shape_deed_verifier, verifier, err);
    if (rc != DEED_OK) {
        return rc;
    }
    if (verifier->verify == NULL) {
        return deed_error_set(err, DEED_E_MISUSE, "core",
            "the verifier for source %s lacks the function that verifies", source);
    }
    if (deed__verifier_of(ledger, source) != NULL) {
        return deed_error_set(
            err, DEED_E_INVALID, "core", "source %s has a verifier already", source);
    }
    struct deed__verifier_entry *entry = deed__alloc(ledger, sizeof(*entry));
    if (entry == NULL) {
        return deed_error_set(
            err, DEED_E_NOMEM, "core", "out of memory while registering source %s", source);
    }
    (void)snprintf(entry->source, sizeof(entry->source), "%s", source);
    entry->verifier = verifier;
    entry->next = ledger->verifiers;
    ledger->verifiers = entry;
    return DEED_OK;
}

deed_rc deed_ledger_register_verifier(struct deed_ledger *ledger, const char *source,
    struct deed_verifier *verifier, struct deed_error *err)
{
    bool complete = ledger != NULL && source != NULL && verifier != NULL;
    deed_rc rc = complete ? deed__enter(ledger, "deed_ledger_register_verifier", err)
                          : deed__misuse(err, "deed_ledger_register_verifier");
    if (complete && rc == DEED_OK) {
        rc = add(ledger, source, verifier, err);
    }
    if (rc != DEED_OK && verifier != NULL &&
        (ledger == NULL || !serves_already(ledger, verifier))) {
        destroy(verifier); /* taken, on failure too */
    }
    return rc;
}

void deed__verifiers_free(struct deed_ledger *ledger, bool destroy_verifiers)
{
    while (ledger->verifiers != NULL) {
        struct deed__verifier_entry *entry = ledger->verifiers;
        ledger->verifiers = entry->next;
        if (destroy_verifiers && !serves_already(ledger, entry->verifier)) {
            destroy(entry->verifier);
        }
        deed__free(ledger, entry, sizeof(*entry));
    }
}
