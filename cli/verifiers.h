/* SPDX-License-Identifier: MIT
 *
 * verifiers.h - who finds out whether a message is what its source sent.
 */
#ifndef CLI_VERIFIERS_H
#define CLI_VERIFIERS_H

#include "config.h"

#include <deed/ledger.h>

/* The verifier of this source, or NULL. */
const struct config_verifier *verifier_find(const struct config *config, const char *source);
/* Registers it, with its secret. Those of other sources are left alone: their secrets need not be
 * here. */
DEED_MUST_CHECK deed_rc verifier_register(deed_ledger *ledger, const struct config *config,
    const struct config_verifier *verifier, struct deed_error *err);

#endif
