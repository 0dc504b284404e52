/* SPDX-License-Identifier: MIT
 *
 * location.h - where the ledger is.
 */
#ifndef CLI_LOCATION_H
#define CLI_LOCATION_H

#include "options.h"

/* The file named by --ledger or $DEED_LEDGER. There is no default, and nothing falls back. */
DEED_MUST_CHECK deed_rc location_find(
    const struct arguments *arguments, const char **path_out, struct deed_error *err);

#endif
