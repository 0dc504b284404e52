/* SPDX-License-Identifier: MIT
 *
 * config_kind.h - one member of "kinds" in the configuration.
 */
#ifndef CLI_CONFIG_KIND_H
#define CLI_CONFIG_KIND_H

#include "config.h"

DEED_MUST_CHECK deed_rc config_kind_read(
    const char *kind, json_t *value, struct config_kind *kind_out, struct deed_error *err);

#endif
