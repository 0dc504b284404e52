/* SPDX-License-Identifier: MIT
 *
 * passes.h - passes of reconciliation, as they were stored.
 */
#ifndef CLI_PASSES_H
#define CLI_PASSES_H

#include "cli.h"

/* Prints the newest `limit` (0: all), newest first. */
DEED_MUST_CHECK deed_rc passes_print(struct cli *cli, uint32_t limit, struct deed_error *err);

/* The newest one, for status: as a JSON object (null: none was stored yet), or a line. */
DEED_MUST_CHECK deed_rc passes_newest_json(
    struct cli *cli, json_t **pass_out, struct deed_error *err);
DEED_MUST_CHECK deed_rc passes_newest_print(struct cli *cli, struct deed_error *err);

#endif
