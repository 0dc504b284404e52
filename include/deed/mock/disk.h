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
 * belongs to the process that was current when it was opened. All of them run in one thread.
 * The public VFS interface of SQLite only, with the WAL's index in heap memory. No real file.
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

/* ---- files ------------------------------------------------------------------------------- */

/* Puts a file there, durable, in place of one of that name; takes a copy. */
DEED_API DEED_MUST_CHECK deed_rc deed_disk_put(deed_disk *disk, const char *path, const void *bytes,
    size_t bytes_count, struct deed_error *err);
/* The volatile bytes of a file, borrowed until the next call; NULL: there is none. */
DEED_API const void *deed_disk_get(
    const deed_disk *disk, const char *path, size_t *bytes_count_out);

/* ---- what happens ------------------------------------------------------------------------ */

/* An operation that somebody else could see, just before it takes place. Reads, locks and looks at
 * sizes are none: a process that dies there has left nothing. */
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
    uint64_t number; /* 1, 2, ... since the disk was made, over all processes */
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
/* The same before calls that leave nothing (reads, locks, the WAL's index): for schedules. */
DEED_API void deed_disk_watch_all(
    deed_disk *disk, void (*visit)(void *context, const char *call), void *context);

/* ---- processes and death ----------------------------------------------------------------- */

/* Connections that are opened from now on belong to this process (1, 2, ...); 1 at first. */
DEED_API void deed_disk_enter(deed_disk *disk, uint32_t process);
/* The process dies: its locks are gone, what it wrote stays, and it becomes a ghost: each later call
 * of its connections fails and changes nothing, so it can unwind and be closed. */
DEED_API void deed_disk_kill(deed_disk *disk, uint32_t process);
/* The power goes: every process becomes a ghost, and the units stay as they are until
 * deed_disk_restart says what has become of them. */
DEED_API void deed_disk_cut(deed_disk *disk);

/* Units that are not durable now, numbered from 0 in the order in which they were written. */
DEED_API uint32_t deed_disk_pending(const deed_disk *disk);

/* What becomes of a unit when the power goes. */
typedef enum deed_disk_fate {
    DEED_DISK_LOST = 0,
    DEED_DISK_KEPT = 1,
    DEED_DISK_TORN = 2,  /* its first half is new, its second old; of a name: lost */
    DEED_DISK_NOISE = 3, /* neither; of a name: lost */
} deed_disk_fate;

/* Power is back: `fates` has one byte (deed_disk_fate) for each pending unit, NULL: all are lost,
 * which is the minimum image. Afterwards everything that is left is durable. After a kill without a
 * cut nothing needs to be restarted: the page cache lives. */
DEED_API void deed_disk_restart(deed_disk *disk, const uint8_t *fates, size_t fates_count);

/* A new disk with the same files, units and options but no processes, ghosts or locks: what
 * another machine would find if it took over now. Its `choices` are none. */
DEED_API DEED_MUST_CHECK deed_rc deed_disk_copy(
    const deed_disk *disk, deed_disk **copy_out, struct deed_error *err);
/* Makes `disk`, which nobody has open, equal to `of`: cheaper than a new copy. */
DEED_API DEED_MUST_CHECK deed_rc deed_disk_become(
    deed_disk *disk, const deed_disk *of, struct deed_error *err);

/* Hash of names and bytes; `durable` false: of the volatile image. Units do not count. */
DEED_API uint64_t deed_disk_hash(const deed_disk *disk, bool durable);

/* ---- failing calls ----------------------------------------------------------------------- */

/* Calls that can fail, since the disk was made or its plan was set: opens, reads, writes,
 * truncations, flushes, sizes, locks, deletions, the WAL's index. */
DEED_API uint64_t deed_disk_calls(const deed_disk *disk);

struct deed_disk_plan {
    size_t size;   /* sizeof(struct deed_disk_plan) */
    uint64_t nth;  /* the call that fails; 1: the next */
    uint64_t last; /* the last one that fails; 0: that one only; UINT64_MAX: all after it */
    int code;      /* a SQLite result code; 0: the usual one of the call */
    /* A flush that fails: false, its units are lost for good although later flushes succeed, as
     * Linux does; true, they are durable all the same. */
    bool flush_kept;
    uint64_t full_after; /* bytes that can still be added to files; 0: no limit */
};
/* NULL ends it. Counting starts anew. */
DEED_API void deed_disk_plan(deed_disk *disk, const struct deed_disk_plan *plan);
DEED_API uint64_t deed_disk_failed(const deed_disk *disk); /* under the plan */

DEED_END_DECLS
#endif /* DEED_MOCK_DISK_H */
