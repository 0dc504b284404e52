/* SPDX-License-Identifier: MIT
 *
 * deed/mock/disk.h - a disk in memory that loses power: a SQLite VFS with two images.
 *
 * What programs read and write is the volatile image, the page cache. What survives when the power
 * goes is the durable one. Between them lie the units that were not flushed: writes, cut at sector
 * edges, truncations, and changes of the directory, which is apart from the files it names. A flush
 * of a file makes its units durable; when the power goes, each unit that is left survives, is lost,
 * is torn, or becomes noise, in any combination: several writes of which only the last one survived,
 * a deleted journal that is back.
 *
 * Several machines may not share one disk; several processes of one machine may: each connection
 * belongs to the process that was current when it was opened. All of them run in one thread, which
 * copies of the disk share too. Snapshots share bytes: a copy costs a reference for each file.
 * The public VFS interface of SQLite only, with the WAL's index in heap memory. No real file.
 *
 * What is as in SQLite's unix VFS: a journal or a WAL opened so that it may be created makes its
 * name durable with its first flush, a new database does not; a deletion is durable when SQLite asks
 * for it (synchronous = EXTRA); an empty file counts as none when its existence is asked for; the
 * WAL's index is zero for whoever comes after the last user left. Only powersafe overwrite is
 * promised to SQLite; of a power failure nothing else is spared.
 */
#ifndef DEED_MOCK_DISK_H
#define DEED_MOCK_DISK_H

#include <deed/base.h>
#include <deed/mock/choose.h>

DEED_BEGIN_DECLS

typedef struct deed_disk deed_disk; /* freed by deed_disk_free, after every connection is closed */

struct deed_disk_options {
    size_t size;           /* sizeof(struct deed_disk_options) */
    uint32_t sector_bytes; /* 512 to 65536; 0: 4096. A write survives or is lost by sectors */
    bool powersafe_off;    /* noise may spill over the sector of a torn write */
    bool flush_lies;       /* a flush does nothing: outside of every promise */
    /* Answers which call fails (DEED_PURPOSE_DISK); NULL: none does. Borrowed. */
    deed_choices *choices;
    /* What SQLite is told as time; NULL: a fixed moment. Its sleep moves nothing. */
    const struct deed_clock *clock;
};

/* Registers a VFS with a name of its own, beside the default one. `options` may be NULL. */
DEED_API DEED_MUST_CHECK deed_rc deed_disk_new(
    const struct deed_disk_options *options, deed_disk **disk_out, struct deed_error *err);
DEED_API void deed_disk_free(deed_disk *disk); /* NULL is allowed */
/* For struct deed_sqlite_options; lives as long as the disk. */
DEED_API const char *deed_disk_vfs(const deed_disk *disk);
/* SQLite's generator of chance starts anew from `seed`: it draws the salts of WALs and the nonces of
 * journals, so two runs are equal only if both begin with this call. The generator belongs to the
 * whole process and seeds itself from the default VFS only, so this disk is the default for as long
 * as the call takes: nobody else may use SQLite meanwhile. */
DEED_API void deed_disk_seed(deed_disk *disk, uint64_t seed);

/* ---- files ------------------------------------------------------------------------------- */

/* Puts a file there, durable, in place of one of that name; takes a copy. */
DEED_API DEED_MUST_CHECK deed_rc deed_disk_put(deed_disk *disk, const char *path, const void *bytes,
    size_t bytes_count, struct deed_error *err);
/* The volatile bytes of a file, borrowed until the next call; NULL: there is none. */
DEED_API const void *deed_disk_get(
    const deed_disk *disk, const char *path, size_t *bytes_count_out);

/* ---- what happens ------------------------------------------------------------------------ */

/* An operation that somebody else could see, just before it takes place. Reads, locks and looks at
 * sizes are none: a process that dies there has left nothing. A run with n of them can be cut at
 * n + 1 points: the last one is its end, of which no event tells. */
typedef enum deed_disk_operation {
    DEED_DISK_WRITE,
    DEED_DISK_TRUNCATE,
    DEED_DISK_SYNC,
    DEED_DISK_CREATE,
    DEED_DISK_DELETE,
    DEED_DISK_OPERATION_COUNT
} deed_disk_operation;

DEED_API const char *deed_disk_operation_name(deed_disk_operation operation);

struct deed_disk_event {
    size_t size;     /* sizeof(struct deed_disk_event) */
    uint64_t number; /* 1, 2, ... since the disk was made or became another, over all processes */
    deed_disk_operation operation;
    const char *path;
    int64_t offset;
    int64_t bytes;
    uint32_t process;
    uint32_t pending; /* units that are not durable, before it */
};
/* Told of each; may call deed_disk_kill, deed_disk_cut and deed_disk_copy, and may switch to
 * another worker. One visitor; NULL removes it. */
typedef void (*deed_disk_visit)(void *context, const struct deed_disk_event *event);
DEED_API void deed_disk_watch(deed_disk *disk, deed_disk_visit visit, void *context);
/* The same before calls that leave nothing (reads, locks, the WAL's index, "sleep"): for schedules. */
DEED_API void deed_disk_watch_all(
    deed_disk *disk, void (*visit)(void *context, const char *call), void *context);

/* ---- processes and death ----------------------------------------------------------------- */

/* From now on this process (1, 2, ...; 1 at first) runs: to be called whenever another one goes on,
 * ghosts too. Connections that are opened belong to it. */
DEED_API void deed_disk_enter(deed_disk *disk, uint32_t process);
/* The process dies: its locks are gone, what it wrote stays, and it becomes a ghost: each later call
 * of its connections, and each it makes itself, fails and changes nothing, so it can unwind and be
 * closed. SQLite writes the WAL's index past any VFS; what a ghost does to it is undone before
 * another process is entered. Its number stays dead until deed_disk_restart. */
DEED_API void deed_disk_kill(deed_disk *disk, uint32_t process);
/* The process dies, and nobody unwinds it: its connections are never closed, and their memory may
 * be taken back. Also for one that is a ghost already. */
DEED_API void deed_disk_abandon(deed_disk *disk, uint32_t process);
/* The power goes: every process becomes a ghost, and the units stay as they are until
 * deed_disk_restart says what has become of them. */
DEED_API void deed_disk_cut(deed_disk *disk);

/* Units that are not durable now, numbered from 0 in the order in which they were written. */
DEED_API uint32_t deed_disk_pending(const deed_disk *disk);

/* What becomes of a unit when the power goes. */
typedef enum deed_disk_fate {
    DEED_DISK_LOST = 0,
    DEED_DISK_KEPT = 1,
    /* The others are those of a write; of a truncation or a name: lost. */
    DEED_DISK_TORN = 2,  /* one part is new, one old; where it is cut, the unit itself says */
    DEED_DISK_NOISE = 3, /* neither; without powersafe overwrite, in its whole sector */
    DEED_DISK_GROWN = 4, /* the file has the new size, but where there was nothing, zeros */
} deed_disk_fate;

/* Power is back: `fates` has one byte (deed_disk_fate) for each pending unit, NULL: all are lost,
 * which is the minimum image. Afterwards everything that is left is durable. After a kill without a
 * cut nothing needs to be restarted: the page cache lives. */
DEED_API void deed_disk_restart(deed_disk *disk, const uint8_t *fates, size_t fates_count);

/* What is tried for so many units. Up to DEED_DISK_SUBSETS_MAX: each subset of them kept and the rest
 * lost, each prefix with its last unit torn, and some mixtures by chance of all fates. Above: none,
 * all, each prefix, each single omission, each single survivor, each prefix with its last unit torn,
 * and 64 mixtures. The first one is the minimum image. */
#define DEED_DISK_SUBSETS_MAX 12U
typedef struct deed_disk_fates deed_disk_fates; /* freed by deed_disk_fates_free */
DEED_API DEED_MUST_CHECK deed_rc deed_disk_fates_new(
    uint32_t units, uint64_t seed, deed_disk_fates **fates_out, struct deed_error *err);
DEED_API void deed_disk_fates_free(deed_disk_fates *fates);
DEED_API uint64_t deed_disk_fates_count(const deed_disk_fates *fates);
/* A byte for each unit, for deed_disk_restart, until the next call; NULL: that was all. */
DEED_API const uint8_t *deed_disk_fates_next(deed_disk_fates *fates);

/* A new disk with the same files, units, clock and options but no processes, ghosts or locks: what
 * another machine would find if it took over now. Its `choices` and its plan are none. */
DEED_API DEED_MUST_CHECK deed_rc deed_disk_copy(
    const deed_disk *disk, deed_disk **copy_out, struct deed_error *err);
/* Makes `disk`, which nobody alive has open, equal to `of`: cheaper than a new copy, and what tests
 * do for each trial. Who watches, `choices`, the clock and the plan stay its own. */
DEED_API DEED_MUST_CHECK deed_rc deed_disk_become(
    deed_disk *disk, const deed_disk *of, struct deed_error *err);

/* Hash of names and bytes; `durable` false: of the volatile image. Units do not count. */
DEED_API uint64_t deed_disk_hash(const deed_disk *disk, bool durable);

/* ---- failing calls ----------------------------------------------------------------------- */

/* Calls that can fail, since the disk was made, became another or was given a plan: opens, reads,
 * writes, truncations, flushes, sizes, locks, deletions, whether a file exists, the WAL's index.
 * With `choices` each of them asks (site "disk.read" and the like): 0 for success, then the usual
 * code, then another one (no memory, full, busy); of a flush: units lost, units kept. */
DEED_API uint64_t deed_disk_calls(const deed_disk *disk);

struct deed_disk_plan {
    size_t size;   /* sizeof(struct deed_disk_plan) */
    uint64_t nth;  /* the call that fails; 1: the next */
    uint64_t last; /* the last one that fails; 0: that one only; UINT64_MAX: all after it */
    /* A SQLite result code; 0: the usual one of the call. SQLITE_FULL is only said to calls that
     * write or create: a disk that is full from `nth` and has room again after `last`. */
    int code;
    /* A flush that fails: false, its units are lost for good although later flushes succeed, as
     * Linux does; true, they are durable all the same. */
    bool flush_kept;
    uint64_t full_after; /* bytes that can still be added to files; 0: no limit */
    uint32_t
        only; /* bits 1 << deed_disk_operation: of these alone is `nth` counted; 0: all calls */
};
/* NULL ends it. Counting starts anew. */
DEED_API void deed_disk_plan(deed_disk *disk, const struct deed_disk_plan *plan);
DEED_API uint64_t deed_disk_failed(const deed_disk *disk); /* under the plan */

DEED_END_DECLS
#endif /* DEED_MOCK_DISK_H */
