/* SPDX-License-Identifier: MIT
 *
 * dry_run.h - --dry-run of run and reconcile: for each key what would be done, and if nothing, why.
 */
#ifndef CLI_DRY_RUN_H
#define CLI_DRY_RUN_H

#include "cli.h"

/* Opens the ledger to read only, asks no provider, and returns the status to end with. */
int dry_run(struct cli *cli);
int dry_reconcile(struct cli *cli);

#endif
