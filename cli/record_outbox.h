/* SPDX-License-Identifier: MIT
 *
 * record_outbox.h - deed record --outbox: what a host has put into the outbox of its own file.
 */
#ifndef CLI_RECORD_OUTBOX_H
#define CLI_RECORD_OUTBOX_H

#include "cli.h"

/* Moves every row of the outbox in `file` into the open ledger, answers each, and returns the status
 * to end with. */
/* Prints the two statements a host needs; looks at no ledger. */
int outbox_sql(struct cli *cli);

int record_outbox(struct cli *cli, const char *file);

#endif
