/* SPDX-License-Identifier: MIT
 *
 * The parts of a disk: files apart from their names, what was not flushed, open files, and the WAL's
 * index. Who calls whom: vfs.c and file.c take SQLite's calls, fail.c says whether one fails, lock.c
 * and index.c keep what connections share, pending.c keeps what is not durable and restart.c says what
 * has become of it, process.c lets die, copy.c copies.
 */
#ifndef DEED_MOCKS_DISK_DISK_H
#define DEED_MOCKS_DISK_DISK_H

#include <sqlite3.h>

#include <deed/mock/disk.h>

#include "disk/image.h"

#define DISK_ORIGIN      "mock.disk"
#define DISK_PATH_BYTES  512
#define DISK_INDEX_LOCKS 8

/* Calls that can fail. */
enum call {
    CALL_OPEN,
    CALL_READ,
    CALL_WRITE,
    CALL_TRUNCATE,
    CALL_SYNC,
    CALL_SIZE,
    CALL_LOCK,
    CALL_CHECK_LOCK,
    CALL_DELETE,
    CALL_ACCESS,
    CALL_SHM_MAP,
    CALL_SHM_LOCK,
    CALL_COUNT
};

struct name {
    uint32_t refs;
    char text[];
};

/* Memory shared by connections. Lives as long as somebody points to it, ghosts too; belongs to the
 * inode as long as somebody alive does. */
struct shared_index {
    struct shared_index *next;
    struct inode *inode; /* NULL: no user is alive */
    uint32_t users;      /* alive */
    uint32_t ghosts;
    size_t region_bytes;
    size_t regions_count;
    unsigned char **regions;
    unsigned char *frozen; /* what it was before ghosts went on; NULL: none does */
};

struct inode {
    uint32_t refs;
    bool nameless; /* a temporary file: nobody can find it after a crash */
    bool diverged; /* a flush was lost: what is durable is no earlier state of `now` */
    struct image *now;
    struct image *durable;
    struct shared_index *index;
    struct inode *twin; /* while a disk is copied */
};

enum unit_kind {
    UNIT_WRITE,
    UNIT_RESIZE,
    UNIT_CREATE,
    UNIT_DELETE
};

/* The bytes of one write, shared by its units and by copies of them. */
struct blob {
    uint32_t refs;
    unsigned char bytes[];
};

struct unit {
    enum unit_kind kind;
    struct inode *inode; /* of a deletion: NULL */
    struct name *name;   /* of a directory's change */
    struct blob *blob;   /* of a write */
    size_t blob_at;
    uint64_t offset; /* of a write; of a truncation: the new size */
    uint32_t bytes;
};

struct entry {
    struct name *name;
    struct inode *inode;
};

struct directory {
    struct entry *entries;
    size_t count;
    size_t room;
};

struct content {
    struct directory now;
    struct directory durable;
    struct unit *units;
    uint32_t units_count;
    uint32_t units_room;
};

struct disk_file {
    sqlite3_file base;
    deed_disk *disk;
    struct disk_file *next;
    struct disk_file *previous;
    struct inode *inode; /* of a ghost: NULL */
    struct name *name;   /* NULL: a temporary file */
    struct shared_index *index;
    uint32_t process;
    int lock;
    uint8_t shared; /* slots of the index, as bits */
    uint8_t exclusive;
    bool ghost;
    bool sync_folder; /* the next flush makes its name durable too */
    bool delete_on_close;
};

struct plan {
    bool active;
    uint64_t nth;
    uint64_t last;
    int code;
    bool flush_kept;
    bool limited;
    uint64_t bytes_left;
    uint32_t only;
    uint64_t counted; /* calls that `nth` and `last` speak of */
};

struct deed_disk {
    sqlite3_vfs vfs;
    char vfs_name[32];
    struct deed_disk_options options;
    struct content content;
    struct disk_file *files;  /* of the living */
    struct disk_file *ghosts; /* not closed yet */
    struct shared_index *indexes;
    uint32_t process;
    uint32_t *dead;
    size_t dead_count;
    size_t dead_room;
    bool off;       /* no power */
    bool frozen;    /* a ghost goes on: indexes are put back before anybody else does */
    bool no_memory; /* something of it is lost: nothing works any more */
    uint64_t chance;
    uint64_t events;
    uint64_t planned; /* calls since the plan was set */
    uint64_t failed;
    struct plan plan;
    deed_disk_visit visit;
    void *visit_context;
    void (*visit_all)(void *context, const char *call);
    void *visit_all_context;
    unsigned char *scratch;
};

/* ---- names, inodes, directories (content.c) ---------------------------------------------- */

struct name *deed__disk_name_new(const char *text);
struct name *deed__disk_name_ref(struct name *name);
void deed__disk_name_unref(struct name *name);
struct inode *deed__disk_inode_new(void);
struct inode *deed__disk_inode_ref(struct inode *inode);
void deed__disk_inode_unref(struct inode *inode);
/* NULL: no such name. */
struct inode *deed__disk_find(const struct directory *directory, const char *name);
bool deed__disk_enter_name(struct directory *directory, struct name *name, struct inode *inode);
void deed__disk_remove_name(struct directory *directory, const char *name);
void deed__disk_directory_clear(struct directory *directory);
void deed__disk_content_clear(struct content *content);
/* `copy_out` is overwritten. false: no memory, and nothing is to be cleared. */
bool deed__disk_content_copy(const struct content *content, struct content *copy_out);

/* ---- what is not durable (pending.c) ----------------------------------------------------- */

/* Changes `now` and leaves units. false: no memory, nothing changed. */
bool deed__disk_write(
    deed_disk *disk, struct inode *inode, uint64_t offset, const void *bytes, size_t bytes_count);
bool deed__disk_resize(deed_disk *disk, struct inode *inode, uint64_t bytes);
bool deed__disk_create(deed_disk *disk, struct name *name, struct inode *inode);
bool deed__disk_delete(deed_disk *disk, const char *name);
/* Makes durable; false: no memory. */
bool deed__disk_flush(deed_disk *disk, struct inode *inode);
bool deed__disk_flush_folder(deed_disk *disk, const char *name);
/* Forgets the units of a file, as a failed flush does. */
void deed__disk_forget(deed_disk *disk, const struct inode *inode);
/* One unit becomes durable; of a write, also a part of it. false: no memory. */
bool deed__disk_apply(struct content *content, const struct unit *unit);
bool deed__disk_apply_part(const struct unit *unit, size_t skip, size_t bytes_count);
void deed__disk_unit_clear(struct unit *unit);
void deed__disk_unit_ref(struct unit *unit);

/* ---- what fails (fail.c) ----------------------------------------------------------------- */

struct verdict {
    int code;        /* SQLITE_OK: it does not fail */
    bool flush_kept; /* of a flush that fails */
};

/* Before each call: tells the watchers, counts, and says whether it fails; a ghost's always does. */
struct verdict deed__disk_ask(struct disk_file *file, enum call call);
/* The same for calls without a file. `creates`: a full disk refuses it. */
struct verdict deed__disk_ask_vfs(deed_disk *disk, enum call call, bool creates);
/* Tells of an operation. SQLITE_OK: it takes place; else the process died meanwhile. */
int deed__disk_tell(struct disk_file *file, enum call call, struct deed_disk_event event);
int deed__disk_tell_vfs(deed_disk *disk, enum call call, struct deed_disk_event event);
/* The usual code of a call. */
int deed__disk_code(enum call call);
/* How many of `bytes` the limit of the plan leaves. */
uint64_t deed__disk_room(deed_disk *disk, uint64_t bytes);

/* ---- what connections share (lock.c, index.c) -------------------------------------------- */

int deed__disk_lock(struct disk_file *file, int level);
int deed__disk_unlock(struct disk_file *file, int level);
bool deed__disk_reserved(const struct disk_file *file);

int deed__disk_index_map(
    struct disk_file *file, int region, int bytes, int extends, void volatile **memory_out);
int deed__disk_index_lock(struct disk_file *file, int first, int count, int flags);
void deed__disk_index_leave(struct disk_file *file);
/* The file's process dies: it has no slot any more, and what it writes is not seen. */
void deed__disk_index_die(struct disk_file *file);
void deed__disk_index_freeze(deed_disk *disk);
void deed__disk_index_thaw(deed_disk *disk);
void deed__disk_index_free_all(deed_disk *disk);

/* ---- processes (process.c) --------------------------------------------------------------- */

bool deed__disk_is_dead(const deed_disk *disk, uint32_t process);
void deed__disk_link(struct disk_file **list, struct disk_file *file);
void deed__disk_unlink(struct disk_file **list, struct disk_file *file);

/* ---- SQLite's calls (file.c, vfs.c) ------------------------------------------------------ */

const sqlite3_io_methods *deed__disk_methods(void);
int deed__disk_open(
    sqlite3_vfs *vfs, const char *path, sqlite3_file *base, int flags, int *flags_out);
void deed__disk_vfs_fill(deed_disk *disk);

#endif /* DEED_MOCKS_DISK_DISK_H */
