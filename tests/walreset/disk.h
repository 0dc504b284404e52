/* SPDX-License-Identifier: MIT
 *
 * disk.h - a disk in memory for one database: its file, its log, its wal-index, and all locks, those of
 * several connections in one thread. It is registered as the VFS "walreset", and as the default one.
 * Each call is a point (turns.h), and a wait gives the turn away.
 */
#ifndef DEED_TESTS_WALRESET_DISK_H
#define DEED_TESTS_WALRESET_DISK_H

#include <stddef.h>

#define DISK_VFS      "walreset"
#define DISK_DATABASE "/walreset/ledger.db"

int disk_register(void); /* a SQLite code */

/* The disk holds the database `bytes` and nothing else; every connection must be closed. Random numbers,
 * and so the salts of logs, begin anew too. */
void disk_load(const void *bytes, size_t count);
/* The database file as it is now. */
const void *disk_bytes(size_t *count_out);
void disk_finish(void);

#endif
