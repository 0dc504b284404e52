/* SPDX-License-Identifier: MIT
 *
 * deed/mock/fault_vfs.h - a disk in the hands of a test: a SQLite VFS that counts calls and fails
 * the one it is told to.
 *
 * It passes every call on to the default VFS, so the files are real. A store uses it when its
 * option `vfs` names it. Any thread may call; the VFS outlives every connection opened through it.
 */
#ifndef DEED_MOCK_FAULT_VFS_H
#define DEED_MOCK_FAULT_VFS_H

#include <deed/base.h>

DEED_BEGIN_DECLS

/* What SQLite asks of a disk. A lock that is given back is given back always, whatever is reported:
 * the file would stay locked. */
typedef enum deed_fault_kind {
    DEED_FAULT_OPEN,
    DEED_FAULT_READ,
    DEED_FAULT_WRITE,
    DEED_FAULT_TRUNCATE,
    DEED_FAULT_SYNC,
    DEED_FAULT_SIZE,
    DEED_FAULT_LOCK,
    DEED_FAULT_DELETE,
    DEED_FAULT_ACCESS,
    DEED_FAULT_SHM_MAP, /* the index of the WAL, in memory shared by processes */
    DEED_FAULT_SHM_LOCK,
    DEED_FAULT_UNLOCK,
    DEED_FAULT_CHECK_LOCK, /* whether somebody else is about to write */
    DEED_FAULT_FULL_PATH,
    DEED_FAULT_KIND_COUNT
} deed_fault_kind;

#define DEED_FAULT_ANY ((1U << DEED_FAULT_KIND_COUNT) - 1U)

/* "sync"; NULL past the last one. */
DEED_API const char *deed_fault_kind_name(deed_fault_kind kind);

typedef struct deed_fault_vfs deed_fault_vfs; /* freed by deed_fault_vfs_free */

/* Registers a VFS under `name` (at most 31 bytes), beside the default one. */
DEED_API DEED_MUST_CHECK deed_rc deed_fault_vfs_new(
    const char *name, deed_fault_vfs **vfs_out, struct deed_error *err);
DEED_API void deed_fault_vfs_free(deed_fault_vfs *vfs);
/* The name, for struct deed_sqlite_options. Lives as long as the VFS. */
DEED_API const char *deed_fault_vfs_name(const deed_fault_vfs *vfs);

struct deed_fault_plan {
    size_t size;        /* sizeof(struct deed_fault_plan) */
    uint32_t kinds;     /* bits (1U << deed_fault_kind) */
    const char *suffix; /* only files whose name ends so, at most 31 bytes; NULL: any file */
    uint64_t nth;       /* the first call to fail, of those that match, from now on; 1: the next */
    bool sticky;        /* all matching calls after it fail too */
    bool after;         /* the call is carried out, then reported as failed; never for locks */
    int code;           /* the SQLite code it fails with; 0: the usual one of its kind */
};

/* Sets the plan, or with NULL ends it; counting of `nth` starts anew. While there is a plan nobody
 * sleeps: whoever waits for a lock that is never given has waited at once. */
DEED_API void deed_fault_vfs_plan(deed_fault_vfs *vfs, const struct deed_fault_plan *plan);
/* How many calls failed under the plan. */
DEED_API uint64_t deed_fault_vfs_failed(const deed_fault_vfs *vfs);
/* How many calls of a kind there were since the VFS was made. */
DEED_API uint64_t deed_fault_vfs_calls(const deed_fault_vfs *vfs, deed_fault_kind kind);

DEED_END_DECLS
#endif /* DEED_MOCK_FAULT_VFS_H */
