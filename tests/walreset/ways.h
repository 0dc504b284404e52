/* SPDX-License-Identifier: MIT
 *
 * ways.h - the ways to use SQLite that are compared.
 */
#ifndef DEED_TESTS_WALRESET_WAYS_H
#define DEED_TESTS_WALRESET_WAYS_H

#include "play.h"

/* Connections as any program has them, and PRAGMA wal_checkpoint. */
extern struct way way_plain;
/* Two handles of deed's store; a checkpoint is the store's own. */
extern struct way way_rule;
/* The same, but a checkpoint is plain, on the connection that the store would use. */
extern struct way way_no_rule;

/* Makes the databases they begin with; a ledger is made as a file in the working directory first. */
bool ways_prepare(void);
void ways_finish(void);

#endif
