/* SPDX-License-Identifier: MIT
 *
 * kind_warning.h - a kind that the configuration does not know is most likely misspelt, and a key
 * that is bound to it stays so for ever.
 */
#ifndef CLI_KIND_WARNING_H
#define CLI_KIND_WARNING_H

#include "cli.h"

/* Zeroed at first; each kind is warned of once. */
struct kind_warning {
    json_t *told; /* an object whose members are the kinds that were warned of */
};

/* Warns on standard error if the intent was recorded now, kinds are configured, and its own is not
 * among them. `line` is that of an input file, or 0. */
void kind_warning_tell(
    struct kind_warning *warning, struct cli *cli, const struct deed_result *result, size_t line);
void kind_warning_finish(struct kind_warning *warning);

#endif
