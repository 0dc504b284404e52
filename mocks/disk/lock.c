/* SPDX-License-Identifier: MIT
 *
 * The five locks of SQLite on a file, between connections, whichever process they belong to
 * (https://www.sqlite.org/lockingv3.html).
 */
#include "disk/disk.h"

/* The highest lock that anybody else has on the file. */
static int highest_other(const struct disk_file *file)
{
    int highest = SQLITE_LOCK_NONE;
    for (const struct disk_file *at = file->disk->files; at != NULL; at = at->next) {
        if (at != file && at->inode == file->inode && at->lock > highest) {
            highest = at->lock;
        }
    }
    return highest;
}

static int lock_exclusive(struct disk_file *file, int others)
{
    const int reserved =
        file->lock >= SQLITE_LOCK_RESERVED ? SQLITE_LOCK_PENDING : SQLITE_LOCK_RESERVED;
    if (others >= reserved) {
        return SQLITE_BUSY;
    }
    file->lock = SQLITE_LOCK_PENDING; /* kept while there are readers: no new ones come */
    if (others >= SQLITE_LOCK_SHARED) {
        return SQLITE_BUSY;
    }
    file->lock = SQLITE_LOCK_EXCLUSIVE;
    return SQLITE_OK;
}

int deed__disk_lock(struct disk_file *file, int level)
{
    if (file->lock >= level) {
        return SQLITE_OK;
    }
    const int others = highest_other(file);
    if (level == SQLITE_LOCK_EXCLUSIVE) {
        return lock_exclusive(file, others);
    }
    const int limit = level == SQLITE_LOCK_SHARED ? SQLITE_LOCK_PENDING : SQLITE_LOCK_RESERVED;
    if (others >= limit) {
        return SQLITE_BUSY;
    }
    file->lock = level;
    return SQLITE_OK;
}

int deed__disk_unlock(struct disk_file *file, int level)
{
    if (file->lock > level) {
        file->lock = level;
    }
    return SQLITE_OK;
}

bool deed__disk_reserved(const struct disk_file *file)
{
    return file->lock >= SQLITE_LOCK_RESERVED || highest_other(file) >= SQLITE_LOCK_RESERVED;
}
