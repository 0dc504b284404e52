/* SPDX-License-Identifier: MIT
 *
 * record_lines.h - deed record --from: many intents, one a line.
 */
#ifndef CLI_RECORD_LINES_H
#define CLI_RECORD_LINES_H

#include "cli.h"

/* Records every line of the file, in order; a bad line is told with its number and stops nothing.
 * `common` holds what is the same for all. Returns the exit status. */
int record_lines(struct cli *cli, const struct deed_record *common, const char *path);

#endif
