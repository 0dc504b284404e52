/* SPDX-License-Identifier: MIT
 *
 * verifiers.c - who finds out whether a message is what its source sent.
 */
#include "verifiers.h"

#include "secret.h"

#include <deed/ext/error.h>

#include <stdio.h>
#include <string.h>

const struct config_verifier *verifier_find(const struct config *config, const char *source)
{
    for (size_t i = 0; i < config->verifier_count; i++) {
        if (strcmp(config->verifiers[i].source, source) == 0) {
            return &config->verifiers[i];
        }
    }
    return NULL;
}

deed_rc verifier_register(deed_ledger *ledger, const struct config *config,
    const struct config_verifier *verifier, struct deed_error *err)
{
    char place[100];
    char *secret = NULL;
    struct deed_webhook webhook = verifier->webhook;
    struct deed_verifier *created = NULL;
    (void)snprintf(place, sizeof place, "verifiers.%.60s.secret", verifier->source);
    deed_rc rc = secret_read(verifier->secret, config->folder, place, &secret, err);
    if (rc != DEED_OK) {
        return rc;
    }
    webhook.secret = secret;
    rc = deed_webhook_verifier_create(&webhook, &created, err);
    secret_free(secret);
    if (rc == DEED_OK) {
        rc = deed_ledger_register_verifier(ledger, verifier->source, created, err);
    }
    if (rc != DEED_OK) {
        (void)snprintf(place, sizeof place, "verifiers.%.60s", verifier->source);
        deed_error_context(err, place);
    }
    return rc;
}
