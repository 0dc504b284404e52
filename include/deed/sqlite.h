/* SPDX-License-Identifier: MIT
 *
 * deed/sqlite.h - the SQLite store: one file, many threads, many processes on one machine.
 */
#ifndef DEED_SQLITE_H
#define DEED_SQLITE_H

#include <deed/base.h>

DEED_BEGIN_DECLS

struct deed_store; /* see deed/ext/store.h */

struct deed_sqlite_options {
    size_t size;     /* sizeof(struct deed_sqlite_options) */
    bool read_only;  /* nothing is written, nothing is created */
    int64_t busy_ms; /* longest wait for another writer; 0: 10 s */
    const char *vfs; /* name of a registered SQLite VFS; NULL: the default */
    /* Pages in the WAL after which a commit checkpoints; 0: as many as are 4 MB, and ten times that
     * for a handle that has got so far before. */
    uint32_t checkpoint_pages;
    const struct deed_allocator *memory; /* NULL: malloc and free */
    const struct deed_random *random;    /* NULL: OpenSSL's */
    /* Type of the file system that holds `path` (f_type of statfs(2)); NULL: ask the system. */
    int64_t (*file_system_type)(const char *path);
};

/* Creates a new ledger file with the newest schema and no ledger row; refuses one that exists.
 * Either the complete file appears or none does. Mode 0600. `options` may be NULL. */
DEED_API DEED_MUST_CHECK deed_rc deed_sqlite_create(
    const char *path, const struct deed_sqlite_options *options, struct deed_error *err);

/* Opens a ledger file; never creates one. Refuses, and leaves every byte as it is: what is no
 * ledger, what is damaged, what lies on a network file system, what is newer than this library
 * (DEED_E_SCHEMA). The table of the recorded-intent fixture and an older schema open, so that they
 * can be read and migrated. The store is freed by its `close`, or taken by deed_ledger_open. */
DEED_API DEED_MUST_CHECK deed_rc deed_sqlite_open(const char *path,
    const struct deed_sqlite_options *options, struct deed_store **store_out,
    struct deed_error *err);

/* ---- for whoever looks for a fault; none of these opens a ledger --------------------------- */

/* "3.40.1": the SQLite this process uses. Static. */
DEED_API const char *deed_sqlite_version(void);
/* Whether it was compiled with an option, e.g. "OMIT_WAL" or "THREADSAFE=0". */
DEED_API bool deed_sqlite_compiled_with(const char *option);
/* Refuses a place where no ledger may lie: a network file system. `path` may be a folder. */
DEED_API DEED_MUST_CHECK deed_rc deed_sqlite_check_place(
    const char *path, const struct deed_sqlite_options *options, struct deed_error *err);

DEED_END_DECLS
#endif /* DEED_SQLITE_H */
