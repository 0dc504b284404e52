/* SPDX-License-Identifier: MIT
 *
 * Steps that have to be refused. A ledger that takes one of them has broken a promise, whatever comes
 * of it.
 */
#include "simulate/scenarios.h"

#include <stdio.h>
#include <string.h>

#include <deed/evidence.h>

#include "simulate/simulate.h"

bool deed_crash__record_too_long(struct deed_crash__scene *scene, const char *key)
{
    char longer[DEED_KEY_BYTES_MAX + 2];
    (void)snprintf(longer, sizeof(longer), "%.*sx", DEED_KEY_BYTES_MAX, key);
    return !deed_crash__record(scene, longer) ||
        deed_crash__break(
            scene->life->self, "IR2: a key of %zu characters was taken", strlen(longer));
}

/* A notice whose signature is not its source's. */
static bool register_signed(struct deed_crash__scene *scene)
{
    struct deed_webhook webhook = {.size = sizeof(webhook),
        .secret = "known to the provider",
        .scheme = "hex",
        .event_id = "/id",
        .reference = "/ref",
        .outcome = "/status",
        .outcome_value = "done"};
    struct deed_verifier *verifier = NULL;
    return deed_webhook_verifier_create(&webhook, &verifier, &scene->err) == DEED_OK &&
        deed_ledger_register_verifier(scene->life->ledger, "signed", verifier, &scene->err) ==
        DEED_OK;
}

bool deed_crash__evidence_forged(struct deed_crash__scene *scene, const char *key)
{
    static const char message[] = "{\"id\":\"e-1\",\"ref\":\"fx-1\",\"status\":\"done\"}";
    struct deed_evidence evidence = {.size = sizeof(evidence),
        .key = key,
        .source = "signed",
        .message = {message, sizeof(message) - 1},
        .signature = "0000000000000000000000000000000000000000000000000000000000000000",
        .by = "ada"};
    struct deed_result result = {.size = sizeof(result)};
    if (!register_signed(scene)) {
        return false;
    }
    return deed_evidence_add(scene->life->ledger, &evidence, &result, &scene->err) != DEED_OK ||
        deed_crash__break(scene->life->self, "IB1: a forged notice about %s was taken", key);
}
