/* SPDX-License-Identifier: MIT */
#include "disk.h"

#include "turns.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILES_MAX      3U /* the database, its log, its journal */
#define FILE_BYTES_MAX 67108864
#define REGIONS_MAX    8
#define HEAP_BYTES     33554432
#define SECTOR_BYTES   4096

static const char *const suffixes[FILES_MAX] = {"", "-wal", "-journal"};

struct content {
    bool exists;
    unsigned char *bytes;
    size_t count;
    size_t room;
};

/* An open file. Locks are found by looking at all others. */
struct handle {
    sqlite3_file base;
    struct content *content;
    int level; /* SQLITE_LOCK_... */
    bool mapped;
    unsigned shared; /* slots of the wal-index, one bit each */
    unsigned exclusive;
    struct handle *next;
};

static struct {
    struct content contents[FILES_MAX];
    struct handle *handles;
    void *regions[REGIONS_MAX];
    uint64_t random;
} disk;

static struct handle *handle_of(sqlite3_file *file)
{
    turns_point(POINT_CALL);
    return (struct handle *)file;
}

/* ---- bytes ------------------------------------------------------------------------------- */

static int resize(struct content *content, size_t count)
{
    if (count > FILE_BYTES_MAX) {
        return SQLITE_FULL; /* a page number out of a broken log */
    }
    if (count > content->room) {
        const size_t room = count > 2 * content->room ? count : 2 * content->room;
        unsigned char *bytes = realloc(content->bytes, room);
        if (bytes == NULL) {
            return SQLITE_IOERR_NOMEM;
        }
        content->bytes = bytes;
        content->room = room;
    }
    if (count > content->count) {
        memset(content->bytes + content->count, 0, count - content->count);
    }
    content->count = count;
    return SQLITE_OK;
}

static int disk_read(sqlite3_file *file, void *buffer, int count, sqlite3_int64 offset)
{
    const struct content *content = handle_of(file)->content;
    const size_t wanted = (size_t)count;
    const size_t begin = (size_t)offset < content->count ? (size_t)offset : content->count;
    const size_t there = content->count - begin < wanted ? content->count - begin : wanted;
    if (there > 0) {
        memcpy(buffer, content->bytes + begin, there);
    }
    memset((char *)buffer + there, 0, wanted - there);
    return there == wanted ? SQLITE_OK : SQLITE_IOERR_SHORT_READ;
}

static int disk_write(sqlite3_file *file, const void *buffer, int count, sqlite3_int64 offset)
{
    struct content *content = handle_of(file)->content;
    if (offset < 0 || offset > FILE_BYTES_MAX) {
        return SQLITE_FULL;
    }
    const size_t end = (size_t)offset + (size_t)count;
    const int code = end > content->count ? resize(content, end) : SQLITE_OK;
    if (code == SQLITE_OK) {
        memcpy(content->bytes + offset, buffer, (size_t)count);
    }
    return code;
}

static int disk_truncate(sqlite3_file *file, sqlite3_int64 count)
{
    return resize(handle_of(file)->content, (size_t)count);
}

static int disk_sync(sqlite3_file *file, int flags)
{
    (void)handle_of(file);
    (void)flags;
    return SQLITE_OK;
}

static int disk_size(sqlite3_file *file, sqlite3_int64 *count_out)
{
    *count_out = (sqlite3_int64)handle_of(file)->content->count;
    return SQLITE_OK;
}

/* ---- locks of the file ------------------------------------------------------------------- */

static int highest_of_others(const struct handle *mine)
{
    int highest = SQLITE_LOCK_NONE;
    for (const struct handle *other = disk.handles; other != NULL; other = other->next) {
        if (other != mine && other->content == mine->content && other->level > highest) {
            highest = other->level;
        }
    }
    return highest;
}

static int disk_lock(sqlite3_file *file, int level)
{
    struct handle *handle = handle_of(file);
    const int others = highest_of_others(handle);
    if (level <= handle->level) {
        return SQLITE_OK;
    }
    if ((level == SQLITE_LOCK_SHARED && others >= SQLITE_LOCK_PENDING) ||
        (level > SQLITE_LOCK_SHARED && others >= SQLITE_LOCK_RESERVED)) {
        return SQLITE_BUSY;
    }
    if (level == SQLITE_LOCK_EXCLUSIVE && others >= SQLITE_LOCK_SHARED) {
        handle->level = SQLITE_LOCK_PENDING;
        return SQLITE_BUSY;
    }
    handle->level = level;
    return SQLITE_OK;
}

static int disk_unlock(sqlite3_file *file, int level)
{
    struct handle *handle = handle_of(file);
    handle->level = level < handle->level ? level : handle->level;
    return SQLITE_OK;
}

static int disk_check_reserved(sqlite3_file *file, int *reserved_out)
{
    const struct handle *handle = handle_of(file);
    *reserved_out =
        handle->level >= SQLITE_LOCK_RESERVED || highest_of_others(handle) >= SQLITE_LOCK_RESERVED;
    return SQLITE_OK;
}

/* ---- the wal-index ----------------------------------------------------------------------- */

static int disk_shm_map(
    sqlite3_file *file, int region, int bytes, int extend, void volatile **region_out)
{
    struct handle *handle = handle_of(file);
    *region_out = NULL;
    if (region >= REGIONS_MAX) {
        return SQLITE_IOERR_SHMSIZE;
    }
    handle->mapped = true;
    if (disk.regions[region] == NULL && extend) {
        disk.regions[region] = calloc(1, (size_t)bytes);
        if (disk.regions[region] == NULL) {
            return SQLITE_IOERR_NOMEM;
        }
    }
    *region_out = disk.regions[region];
    return SQLITE_OK;
}

static int disk_shm_lock(sqlite3_file *file, int slot, int count, int flags)
{
    struct handle *handle = handle_of(file);
    const unsigned mask = ((1U << count) - 1U) << slot;
    if ((flags & SQLITE_SHM_UNLOCK) != 0) {
        handle->shared &= ~mask;
        handle->exclusive &= ~mask;
        return SQLITE_OK;
    }
    const bool alone = (flags & SQLITE_SHM_EXCLUSIVE) != 0;
    for (const struct handle *other = disk.handles; other != NULL; other = other->next) {
        const unsigned theirs = other->exclusive | (alone ? other->shared : 0U);
        if (other != handle && (theirs & mask) != 0) {
            return SQLITE_BUSY;
        }
    }
    *(alone ? &handle->exclusive : &handle->shared) |= mask;
    return SQLITE_OK;
}

static void disk_shm_barrier(sqlite3_file *file)
{
    (void)handle_of(file);
}

/* The last one takes the index along: whoever opens the database next, alone, makes it anew. */
static int disk_shm_unmap(sqlite3_file *file, int delete_too)
{
    struct handle *handle = handle_of(file);
    (void)delete_too;
    handle->mapped = false;
    handle->shared = 0;
    handle->exclusive = 0;
    for (const struct handle *other = disk.handles; other != NULL; other = other->next) {
        if (other->mapped) {
            return SQLITE_OK;
        }
    }
    for (size_t i = 0; i < REGIONS_MAX; i++) {
        free(disk.regions[i]);
        disk.regions[i] = NULL;
    }
    return SQLITE_OK;
}

/* ---- files ------------------------------------------------------------------------------- */

static int disk_close(sqlite3_file *file)
{
    struct handle *handle = handle_of(file);
    struct handle **link = &disk.handles;
    while (*link != handle) {
        link = &(*link)->next;
    }
    *link = handle->next;
    return SQLITE_OK;
}

static int disk_control(sqlite3_file *file, int operation, void *argument)
{
    (void)file;
    (void)operation;
    (void)argument;
    return SQLITE_NOTFOUND;
}

static int disk_sector(sqlite3_file *file)
{
    (void)file;
    return SECTOR_BYTES;
}

static int disk_traits(sqlite3_file *file)
{
    (void)file;
    return SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}

static const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = disk_close,
    .xRead = disk_read,
    .xWrite = disk_write,
    .xTruncate = disk_truncate,
    .xSync = disk_sync,
    .xFileSize = disk_size,
    .xLock = disk_lock,
    .xUnlock = disk_unlock,
    .xCheckReservedLock = disk_check_reserved,
    .xFileControl = disk_control,
    .xSectorSize = disk_sector,
    .xDeviceCharacteristics = disk_traits,
    .xShmMap = disk_shm_map,
    .xShmLock = disk_shm_lock,
    .xShmBarrier = disk_shm_barrier,
    .xShmUnmap = disk_shm_unmap,
};

static struct content *find(const char *name)
{
    const size_t stem = strlen(DISK_DATABASE);
    if (name != NULL && strncmp(name, DISK_DATABASE, stem) == 0) {
        for (size_t i = 0; i < FILES_MAX; i++) {
            if (strcmp(name + stem, suffixes[i]) == 0) {
                return &disk.contents[i];
            }
        }
    }
    return NULL;
}

static int disk_open(
    sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *file, int flags, int *flags_out)
{
    (void)vfs;
    struct handle *handle = handle_of(file);
    memset(handle, 0, sizeof(*handle));
    struct content *content = find(name);
    if (content == NULL || (!content->exists && (flags & SQLITE_OPEN_CREATE) == 0)) {
        return SQLITE_CANTOPEN;
    }
    content->exists = true;
    handle->base.pMethods = &methods;
    handle->content = content;
    handle->next = disk.handles;
    disk.handles = handle;
    if (flags_out != NULL) {
        *flags_out = flags;
    }
    return SQLITE_OK;
}

static int disk_delete(sqlite3_vfs *vfs, const char *name, int sync_folder)
{
    (void)vfs;
    (void)sync_folder;
    turns_point(POINT_CALL);
    struct content *content = find(name);
    if (content == NULL || !content->exists) {
        return SQLITE_IOERR_DELETE_NOENT;
    }
    content->exists = false;
    content->count = 0;
    return SQLITE_OK;
}

static int disk_access(sqlite3_vfs *vfs, const char *name, int flags, int *there_out)
{
    (void)vfs;
    (void)flags;
    turns_point(POINT_CALL);
    const struct content *content = find(name);
    *there_out = content != NULL && content->exists;
    return SQLITE_OK;
}

static int disk_full_path(sqlite3_vfs *vfs, const char *name, int room, char *path_out)
{
    (void)vfs;
    (void)snprintf(path_out, (size_t)room, "%s", name);
    return SQLITE_OK;
}

static int disk_random(sqlite3_vfs *vfs, int count, char *bytes_out)
{
    (void)vfs;
    for (int i = 0; i < count; i++) {
        disk.random = disk.random * UINT64_C(6364136223846793005) + 1442695040888963407U;
        bytes_out[i] = (char)(disk.random >> 56);
    }
    return count;
}

static int disk_sleep(sqlite3_vfs *vfs, int microseconds)
{
    (void)vfs;
    turns_wait();
    return microseconds;
}

static int disk_time(sqlite3_vfs *vfs, sqlite3_int64 *julian_ms_out)
{
    (void)vfs;
    *julian_ms_out = INT64_C(212500000000000); /* no time passes */
    return SQLITE_OK;
}

int disk_register(void)
{
    static sqlite3_vfs vfs = {
        .iVersion = 2,
        .szOsFile = sizeof(struct handle),
        .mxPathname = 256,
        .zName = DISK_VFS,
        .xOpen = disk_open,
        .xDelete = disk_delete,
        .xAccess = disk_access,
        .xFullPathname = disk_full_path,
        .xRandomness = disk_random,
        .xSleep = disk_sleep,
        .xCurrentTimeInt64 = disk_time,
    };
    static unsigned char heap[HEAP_BYTES];
    int code = sqlite3_config(SQLITE_CONFIG_HEAP, heap, (int)sizeof(heap), 64);
    if (code == SQLITE_OK) {
        code = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    }
    return code == SQLITE_OK ? sqlite3_vfs_register(&vfs, 1) : code;
}

void disk_load(const void *bytes, size_t count)
{
    for (size_t i = 0; i < FILES_MAX; i++) {
        disk.contents[i].exists = i == 0;
        disk.contents[i].count = 0;
    }
    if (resize(&disk.contents[0], count) == SQLITE_OK && count > 0) {
        memcpy(disk.contents[0].bytes, bytes, count);
    }
    disk.random = 1;
    sqlite3_randomness(0, NULL);
}

const void *disk_bytes(size_t *count_out)
{
    *count_out = disk.contents[0].count;
    return disk.contents[0].bytes;
}

void disk_finish(void)
{
    for (size_t i = 0; i < FILES_MAX; i++) {
        free(disk.contents[i].bytes);
        disk.contents[i] = (struct content){0};
    }
}
