/* SPDX-License-Identifier: MIT
 *
 * config_verifier.h - one member of "verifiers" in the configuration.
 */
#ifndef CLI_CONFIG_VERIFIER_H
#define CLI_CONFIG_VERIFIER_H

#include "config.h"

/* Reads it; texts stay with `value`. The error names the place. */
DEED_MUST_CHECK deed_rc config_verifier_read(const char *source, json_t *value,
    struct config_verifier *verifier_out, struct deed_error *err);

#endif
