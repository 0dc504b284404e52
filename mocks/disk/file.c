/* SPDX-License-Identifier: MIT
 *
 * An open file, as SQLite calls it. Whatever belongs to a ghost fails in deed__disk_ask.
 */
#include "disk/disk.h"

/* ---- bytes ------------------------------------------------------------------------------- */

static int file_read(sqlite3_file *base, void *buffer, int bytes, sqlite3_int64 offset)
{
    struct disk_file *file = (struct disk_file *)base;
    const struct verdict verdict = deed__disk_ask(file, CALL_READ);
    if (verdict.code != SQLITE_OK) {
        return verdict.code;
    }
    const size_t wanted = (size_t)bytes;
    const size_t there = deed__image_read(file->inode->now, (uint64_t)offset, buffer, wanted);
    return there < wanted ? SQLITE_IOERR_SHORT_READ : SQLITE_OK;
}

static int file_write(sqlite3_file *base, const void *buffer, int bytes, sqlite3_int64 offset)
{
    struct disk_file *file = (struct disk_file *)base;
    const struct verdict verdict = deed__disk_ask(file, CALL_WRITE);
    if (verdict.code != SQLITE_OK) {
        return verdict.code;
    }
    const int code = deed__disk_tell(file, CALL_WRITE,
        (struct deed_disk_event){.operation = DEED_DISK_WRITE, .offset = offset, .bytes = bytes});
    if (code != SQLITE_OK) {
        return code;
    }
    const uint64_t size = deed__image_bytes(file->inode->now);
    const uint64_t end = (uint64_t)offset + (uint64_t)bytes;
    const uint64_t added = end > size ? end - size : 0;
    const uint64_t missing = added - deed__disk_room(file->disk, added);
    /* A full disk takes what it has room for, as write(2) does. */
    const uint64_t written = missing < (uint64_t)bytes ? (uint64_t)bytes - missing : 0;
    if (!deed__disk_write(file->disk, file->inode, (uint64_t)offset, buffer, (size_t)written)) {
        return SQLITE_NOMEM;
    }
    return missing > 0 ? SQLITE_FULL : SQLITE_OK;
}

static int file_truncate(sqlite3_file *base, sqlite3_int64 bytes)
{
    struct disk_file *file = (struct disk_file *)base;
    const struct verdict verdict = deed__disk_ask(file, CALL_TRUNCATE);
    if (verdict.code != SQLITE_OK) {
        return verdict.code;
    }
    const int code = deed__disk_tell(file, CALL_TRUNCATE,
        (struct deed_disk_event){.operation = DEED_DISK_TRUNCATE, .offset = bytes});
    if (code != SQLITE_OK) {
        return code;
    }
    const bool fine = deed__disk_resize(file->disk, file->inode, (uint64_t)bytes);
    return fine ? SQLITE_OK : SQLITE_NOMEM;
}

static bool flush(struct disk_file *file)
{
    deed_disk *disk = file->disk;
    bool fine = deed__disk_flush(disk, file->inode);
    if (file->sync_folder) {
        fine &= deed__disk_flush_folder(disk, file->name->text);
        file->sync_folder = false;
    }
    return fine;
}

static int file_sync(sqlite3_file *base, int flags)
{
    struct disk_file *file = (struct disk_file *)base;
    deed_disk *disk = file->disk;
    (void)flags;
    const struct verdict verdict = deed__disk_ask(file, CALL_SYNC);
    if (file->ghost) {
        return verdict.code;
    }
    /* A flush that fails changes what will be durable, too. */
    const int code =
        deed__disk_tell(file, CALL_SYNC, (struct deed_disk_event){.operation = DEED_DISK_SYNC});
    if (code != SQLITE_OK) {
        return code;
    }
    if (verdict.code != SQLITE_OK && !verdict.flush_kept) {
        deed__disk_forget(disk, file->inode);
        return verdict.code;
    }
    if (!disk->options.flush_lies && !file->inode->nameless && !flush(file)) {
        return SQLITE_NOMEM;
    }
    return verdict.code;
}

static int file_size(sqlite3_file *base, sqlite3_int64 *bytes_out)
{
    struct disk_file *file = (struct disk_file *)base;
    const struct verdict verdict = deed__disk_ask(file, CALL_SIZE);
    if (verdict.code == SQLITE_OK) {
        *bytes_out = (sqlite3_int64)deed__image_bytes(file->inode->now);
    }
    return verdict.code;
}

/* ---- locks ------------------------------------------------------------------------------- */

static int file_lock(sqlite3_file *base, int level)
{
    struct disk_file *file = (struct disk_file *)base;
    const struct verdict verdict = deed__disk_ask(file, CALL_LOCK);
    return verdict.code != SQLITE_OK ? verdict.code : deed__disk_lock(file, level);
}

/* Giving back never fails: a file would stay locked that nobody has. */
static int file_unlock(sqlite3_file *base, int level)
{
    struct disk_file *file = (struct disk_file *)base;
    return file->ghost ? SQLITE_OK : deed__disk_unlock(file, level);
}

static int file_check_lock(sqlite3_file *base, int *reserved_out)
{
    struct disk_file *file = (struct disk_file *)base;
    const struct verdict verdict = deed__disk_ask(file, CALL_CHECK_LOCK);
    if (verdict.code == SQLITE_OK) {
        *reserved_out = deed__disk_reserved(file) ? 1 : 0;
    }
    return verdict.code;
}

static int file_shm_map(
    sqlite3_file *base, int region, int bytes, int extend, void volatile **memory_out)
{
    struct disk_file *file = (struct disk_file *)base;
    const struct verdict verdict = deed__disk_ask(file, CALL_SHM_MAP);
    if (verdict.code != SQLITE_OK) {
        *memory_out = NULL;
        return verdict.code;
    }
    return deed__disk_index_map(file, region, bytes, extend, memory_out);
}

static int file_shm_lock(sqlite3_file *base, int first, int count, int flags)
{
    struct disk_file *file = (struct disk_file *)base;
    if ((flags & SQLITE_SHM_LOCK) != 0) {
        const struct verdict verdict = deed__disk_ask(file, CALL_SHM_LOCK);
        if (verdict.code != SQLITE_OK) {
            return verdict.code;
        }
    }
    return file->ghost ? SQLITE_OK : deed__disk_index_lock(file, first, count, flags);
}

/* The one place where others may go on that SQLite itself marks. */
static void file_shm_barrier(sqlite3_file *base)
{
    const struct disk_file *file = (struct disk_file *)base;
    if (!file->ghost && file->disk->visit_all != NULL) {
        file->disk->visit_all(file->disk->visit_all_context, "shm_barrier");
    }
}

static int file_shm_unmap(sqlite3_file *base, int remove)
{
    (void)remove; /* the memory goes with its last user in any case */
    deed__disk_index_leave((struct disk_file *)base);
    return SQLITE_OK;
}

/* ---- the rest ---------------------------------------------------------------------------- */

static int file_control(sqlite3_file *base, int operation, void *argument)
{
    (void)base;
    (void)operation;
    (void)argument;
    return SQLITE_NOTFOUND;
}

static int file_sector(sqlite3_file *base)
{
    return (int)((struct disk_file *)base)->disk->options.sector_bytes;
}

/* Only what is simulated is promised. */
static int file_traits(sqlite3_file *base)
{
    const deed_disk *disk = ((struct disk_file *)base)->disk;
    return disk->options.powersafe_off ? 0 : SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}

static int file_close(sqlite3_file *base)
{
    struct disk_file *file = (struct disk_file *)base;
    deed_disk *disk = file->disk;
    deed__disk_index_leave(file);
    deed__disk_unlink(file->ghost ? &disk->ghosts : &disk->files, file);
    if (file->delete_on_close && !file->ghost && file->name != NULL) {
        (void)deed__disk_delete(disk, file->name->text);
    }
    deed__disk_inode_unref(file->inode);
    deed__disk_name_unref(file->name);
    base->pMethods = NULL;
    return SQLITE_OK;
}

const sqlite3_io_methods *deed__disk_methods(void)
{
    static const sqlite3_io_methods methods = {
        .iVersion = 2, /* no mmap: its reads and writes could not be seen */
        .xClose = file_close,
        .xRead = file_read,
        .xWrite = file_write,
        .xTruncate = file_truncate,
        .xSync = file_sync,
        .xFileSize = file_size,
        .xLock = file_lock,
        .xUnlock = file_unlock,
        .xCheckReservedLock = file_check_lock,
        .xFileControl = file_control,
        .xSectorSize = file_sector,
        .xDeviceCharacteristics = file_traits,
        .xShmMap = file_shm_map,
        .xShmLock = file_shm_lock,
        .xShmBarrier = file_shm_barrier,
        .xShmUnmap = file_shm_unmap,
    };
    return &methods;
}
