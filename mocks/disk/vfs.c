/* SPDX-License-Identifier: MIT
 *
 * The file system, as SQLite calls it: names, time and chance.
 */
#include <string.h>

#include "disk/disk.h"
#include "mix.h"

/* Days from the Julian epoch, in which SQLite counts, to 1970, in milliseconds. */
#define JULIAN_TO_UNIX_MS INT64_C(210866760000000)
#define FIXED_MOMENT_MS   INT64_C(1767225600000) /* 2026-01-01 */

/* ---- opening ----------------------------------------------------------------------------- */

/* A new file, already in the directory; NULL with *code_out. */
static struct inode *create(deed_disk *disk, struct name *name, int *code_out)
{
    *code_out = deed__disk_tell_vfs(disk, CALL_OPEN,
        (struct deed_disk_event){.operation = DEED_DISK_CREATE, .path = name->text});
    if (*code_out != SQLITE_OK) {
        return NULL;
    }
    /* Somebody else may have gone on meanwhile. */
    struct inode *inode = deed__disk_inode_ref(deed__disk_find(&disk->content.now, name->text));
    if (inode != NULL) {
        return inode;
    }
    inode = deed__disk_inode_new();
    if (inode == NULL || !deed__disk_create(disk, name, inode)) {
        deed__disk_inode_unref(inode);
        *code_out = SQLITE_NOMEM;
        return NULL;
    }
    return inode;
}

static struct inode *find_or_create(deed_disk *disk, struct name *name, int flags, int *code_out)
{
    struct inode *there = deed__disk_find(&disk->content.now, name->text);
    const bool creates = there == NULL && (flags & SQLITE_OPEN_CREATE) != 0;
    *code_out = deed__disk_ask_vfs(disk, CALL_OPEN, creates).code;
    if (*code_out != SQLITE_OK) {
        return NULL;
    }
    there = deed__disk_find(&disk->content.now, name->text);
    const bool refused =
        there == NULL ? (flags & SQLITE_OPEN_CREATE) == 0 : (flags & SQLITE_OPEN_EXCLUSIVE) != 0;
    if (refused) {
        *code_out = SQLITE_CANTOPEN;
        return NULL;
    }
    return there != NULL ? deed__disk_inode_ref(there) : create(disk, name, code_out);
}

static struct inode *temporary(deed_disk *disk, int *code_out)
{
    *code_out = deed__disk_ask_vfs(disk, CALL_OPEN, true).code;
    if (*code_out != SQLITE_OK) {
        return NULL;
    }
    struct inode *inode = deed__disk_inode_new();
    if (inode == NULL) {
        *code_out = SQLITE_NOMEM;
        return NULL;
    }
    inode->nameless = true;
    return inode;
}

int deed__disk_open(
    sqlite3_vfs *vfs, const char *path, sqlite3_file *base, int flags, int *flags_out)
{
    deed_disk *disk = vfs->pAppData;
    struct disk_file *file = (struct disk_file *)base;
    /* As the unix VFS of SQLite does: whoever opens one of these so that it may be created makes its
     * name durable with the first flush, and nobody does for a database. */
    const int named_at_flush =
        SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_SUPER_JOURNAL | SQLITE_OPEN_WAL;
    int code = SQLITE_OK;
    memset(file, 0, sizeof(*file));
    struct name *name = path == NULL ? NULL : deed__disk_name_new(path);
    if (path != NULL && name == NULL) {
        return SQLITE_NOMEM;
    }
    const uint32_t process = disk->process;
    struct inode *inode =
        name == NULL ? temporary(disk, &code) : find_or_create(disk, name, flags, &code);
    if (inode == NULL) {
        deed__disk_name_unref(name);
        return code;
    }
    file->disk = disk;
    file->inode = inode;
    file->name = name;
    file->process = process;
    file->sync_folder = (flags & SQLITE_OPEN_CREATE) != 0 && (flags & named_at_flush) != 0;
    file->delete_on_close = (flags & SQLITE_OPEN_DELETEONCLOSE) != 0;
    file->base.pMethods = deed__disk_methods();
    deed__disk_link(&disk->files, file);
    if (flags_out != NULL) {
        *flags_out = flags;
    }
    return SQLITE_OK;
}

/* ---- names ------------------------------------------------------------------------------- */

static int vfs_delete(sqlite3_vfs *vfs, const char *path, int sync_folder)
{
    deed_disk *disk = vfs->pAppData;
    const struct verdict verdict = deed__disk_ask_vfs(disk, CALL_DELETE, false);
    if (verdict.code != SQLITE_OK) {
        return verdict.code;
    }
    if (deed__disk_find(&disk->content.now, path) == NULL) {
        return SQLITE_IOERR_DELETE_NOENT;
    }
    const int code = deed__disk_tell_vfs(
        disk, CALL_DELETE, (struct deed_disk_event){.operation = DEED_DISK_DELETE, .path = path});
    if (code != SQLITE_OK) {
        return code;
    }
    bool fine = deed__disk_delete(disk, path);
    if (fine && sync_folder != 0 && !disk->options.flush_lies) {
        fine = deed__disk_flush_folder(disk, path);
    }
    return fine ? SQLITE_OK : SQLITE_NOMEM;
}

static int vfs_access(sqlite3_vfs *vfs, const char *path, int flags, int *there_out)
{
    deed_disk *disk = vfs->pAppData;
    const struct verdict verdict = deed__disk_ask_vfs(disk, CALL_ACCESS, false);
    if (verdict.code != SQLITE_OK) {
        return verdict.code;
    }
    const struct inode *inode = deed__disk_find(&disk->content.now, path);
    /* The unix VFS takes an empty file for none. */
    const bool empty_counts = flags != SQLITE_ACCESS_EXISTS;
    *there_out = inode != NULL && (empty_counts || deed__image_bytes(inode->now) > 0) ? 1 : 0;
    return SQLITE_OK;
}

static int vfs_full_path(sqlite3_vfs *vfs, const char *path, int room, char *full_out)
{
    (void)vfs;
    const size_t bytes = strlen(path) + 1;
    if (bytes > (size_t)room) {
        return SQLITE_CANTOPEN;
    }
    memcpy(full_out, path, bytes);
    return SQLITE_OK;
}

/* ---- time and chance --------------------------------------------------------------------- */

static int vfs_randomness(sqlite3_vfs *vfs, int bytes, char *out)
{
    deed_disk *disk = vfs->pAppData;
    for (int i = 0; i < bytes; i++) {
        out[i] = (char)(deed__draw(&disk->chance) & 0x7f);
    }
    return bytes;
}

static int vfs_sleep(sqlite3_vfs *vfs, int microseconds)
{
    const deed_disk *disk = vfs->pAppData;
    if (disk->visit_all != NULL && !deed__disk_is_dead(disk, disk->process)) {
        disk->visit_all(disk->visit_all_context, "sleep");
    }
    return microseconds;
}

static int vfs_now(sqlite3_vfs *vfs, sqlite3_int64 *now_out)
{
    const deed_disk *disk = vfs->pAppData;
    const struct deed_clock *clock = disk->options.clock;
    struct deed_instant now = {.wall_ms = FIXED_MOMENT_MS};
    if (clock != NULL && !clock->now(clock->self, &now)) {
        return SQLITE_ERROR;
    }
    *now_out = now.wall_ms + JULIAN_TO_UNIX_MS;
    return SQLITE_OK;
}

static int vfs_now_days(sqlite3_vfs *vfs, double *days_out)
{
    sqlite3_int64 now = 0;
    const int code = vfs_now(vfs, &now);
    *days_out = (double)now / 86400000.0;
    return code;
}

static int vfs_last_error(sqlite3_vfs *vfs, int room, char *text)
{
    (void)vfs;
    if (room > 0) {
        text[0] = '\0';
    }
    return 0;
}

void deed__disk_vfs_fill(deed_disk *disk)
{
    disk->vfs = (sqlite3_vfs){
        .iVersion = 2,
        .szOsFile = (int)sizeof(struct disk_file),
        .mxPathname = DISK_PATH_BYTES,
        .zName = disk->vfs_name,
        .pAppData = disk,
        .xOpen = deed__disk_open,
        .xDelete = vfs_delete,
        .xAccess = vfs_access,
        .xFullPathname = vfs_full_path,
        .xRandomness = vfs_randomness,
        .xSleep = vfs_sleep,
        .xCurrentTime = vfs_now_days,
        .xGetLastError = vfs_last_error,
        .xCurrentTimeInt64 = vfs_now,
    };
}
