/* SPDX-License-Identifier: MIT
 *
 * A disk in the hands of a test. Method: a shim over the default VFS; each call is counted under
 * one mutex and compared with the plan, then passed on, failed, or both.
 */
#include <pthread.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include <deed/ext/error.h>
#include <deed/mock/fault_vfs.h>

#define NAME_ROOM 32

struct deed_fault_vfs {
    sqlite3_vfs vfs;
    sqlite3_vfs *disk; /* the default one */
    char name[NAME_ROOM];
    pthread_mutex_t mutex;
    struct deed_fault_plan plan; /* kinds == 0: none */
    char suffix[NAME_ROOM];
    uint64_t matched;
    uint64_t failed;
    uint64_t calls[DEED_FAULT_KIND_COUNT];
};

struct fault_file {
    sqlite3_file file;
    deed_fault_vfs *owner;
    const char *path; /* SQLite keeps it while the file is open; NULL: a temporary file */
    sqlite3_file *real;
};

static const struct {
    const char *name;
    int code;
} kinds[DEED_FAULT_KIND_COUNT] = {
    [DEED_FAULT_OPEN] = {"open", SQLITE_CANTOPEN},
    [DEED_FAULT_READ] = {"read", SQLITE_IOERR_READ},
    [DEED_FAULT_WRITE] = {"write", SQLITE_IOERR_WRITE},
    [DEED_FAULT_TRUNCATE] = {"truncate", SQLITE_IOERR_TRUNCATE},
    [DEED_FAULT_SYNC] = {"sync", SQLITE_IOERR_FSYNC},
    [DEED_FAULT_SIZE] = {"size", SQLITE_IOERR_FSTAT},
    [DEED_FAULT_LOCK] = {"lock", SQLITE_IOERR_LOCK},
    [DEED_FAULT_DELETE] = {"delete", SQLITE_IOERR_DELETE},
    [DEED_FAULT_ACCESS] = {"access", SQLITE_IOERR_ACCESS},
    [DEED_FAULT_SHM_MAP] = {"shm_map", SQLITE_IOERR_SHMMAP},
    [DEED_FAULT_SHM_LOCK] = {"shm_lock", SQLITE_IOERR_SHMLOCK},
    [DEED_FAULT_UNLOCK] = {"unlock", SQLITE_IOERR_UNLOCK},
    [DEED_FAULT_CHECK_LOCK] = {"check_lock", SQLITE_IOERR_CHECKRESERVEDLOCK},
    [DEED_FAULT_FULL_PATH] = {"full_path", SQLITE_CANTOPEN_FULLPATH},
};

const char *deed_fault_kind_name(deed_fault_kind kind)
{
    return (unsigned)kind < DEED_FAULT_KIND_COUNT ? kinds[kind].name : NULL;
}

/* ---- the plan ---------------------------------------------------------------------------- */

static bool ends_with(const char *path, const char *suffix)
{
    const size_t bytes = strlen(suffix);
    if (path == NULL || strlen(path) < bytes) {
        return bytes == 0;
    }
    return memcmp(path + strlen(path) - bytes, suffix, bytes) == 0;
}

struct verdict {
    int before; /* SQLITE_OK, or fail with this instead of the call */
    int after;  /* ... or after it */
};

static struct verdict judge(deed_fault_vfs *vfs, deed_fault_kind kind, const char *path)
{
    struct verdict verdict = {.before = SQLITE_OK, .after = SQLITE_OK};
    (void)pthread_mutex_lock(&vfs->mutex);
    vfs->calls[kind]++;
    const struct deed_fault_plan *plan = &vfs->plan;
    if ((plan->kinds & 1U << kind) != 0 && ends_with(path, vfs->suffix)) {
        vfs->matched++;
        const bool due = plan->sticky ? vfs->matched >= plan->nth : vfs->matched == plan->nth;
        const int code = plan->code == SQLITE_OK ? kinds[kind].code : plan->code;
        const bool lock = kind == DEED_FAULT_LOCK || kind == DEED_FAULT_SHM_LOCK;
        if (due) {
            vfs->failed++;
            *(plan->after && !lock ? &verdict.after : &verdict.before) = code;
        }
    }
    (void)pthread_mutex_unlock(&vfs->mutex);
    return verdict;
}

static int end(struct verdict verdict, int code)
{
    return code == SQLITE_OK ? verdict.after : code;
}

/* ---- files ------------------------------------------------------------------------------- */

static int file_close(sqlite3_file *file)
{
    const struct fault_file *self = (struct fault_file *)file;
    return self->real->pMethods->xClose(self->real);
}

static int file_read(sqlite3_file *file, void *buffer, int bytes, sqlite3_int64 offset)
{
    const struct fault_file *self = (struct fault_file *)file;
    const struct verdict verdict = judge(self->owner, DEED_FAULT_READ, self->path);
    if (verdict.before != SQLITE_OK) {
        return verdict.before;
    }
    return end(verdict, self->real->pMethods->xRead(self->real, buffer, bytes, offset));
}

static int file_write(sqlite3_file *file, const void *buffer, int bytes, sqlite3_int64 offset)
{
    const struct fault_file *self = (struct fault_file *)file;
    const struct verdict verdict = judge(self->owner, DEED_FAULT_WRITE, self->path);
    if (verdict.before != SQLITE_OK) {
        return verdict.before;
    }
    return end(verdict, self->real->pMethods->xWrite(self->real, buffer, bytes, offset));
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 bytes)
{
    const struct fault_file *self = (struct fault_file *)file;
    const struct verdict verdict = judge(self->owner, DEED_FAULT_TRUNCATE, self->path);
    if (verdict.before != SQLITE_OK) {
        return verdict.before;
    }
    return end(verdict, self->real->pMethods->xTruncate(self->real, bytes));
}

static int file_sync(sqlite3_file *file, int flags)
{
    const struct fault_file *self = (struct fault_file *)file;
    const struct verdict verdict = judge(self->owner, DEED_FAULT_SYNC, self->path);
    if (verdict.before != SQLITE_OK) {
        return verdict.before;
    }
    return end(verdict, self->real->pMethods->xSync(self->real, flags));
}

static int file_size(sqlite3_file *file, sqlite3_int64 *bytes_out)
{
    const struct fault_file *self = (struct fault_file *)file;
    const struct verdict verdict = judge(self->owner, DEED_FAULT_SIZE, self->path);
    if (verdict.before != SQLITE_OK) {
        return verdict.before;
    }
    return end(verdict, self->real->pMethods->xFileSize(self->real, bytes_out));
}

static int file_lock(sqlite3_file *file, int level)
{
    const struct fault_file *self = (struct fault_file *)file;
    const struct verdict verdict = judge(self->owner, DEED_FAULT_LOCK, self->path);
    if (verdict.before != SQLITE_OK) {
        return verdict.before;
    }
    return self->real->pMethods->xLock(self->real, level);
}

static int file_unlock(sqlite3_file *file, int level)
{
    const struct fault_file *self = (struct fault_file *)file;
    const struct verdict verdict = judge(self->owner, DEED_FAULT_UNLOCK, self->path);
    const int code = self->real->pMethods->xUnlock(self->real, level);
    return verdict.before != SQLITE_OK ? verdict.before : end(verdict, code);
}

static int file_check_lock(sqlite3_file *file, int *reserved_out)
{
    const struct fault_file *self = (struct fault_file *)file;
    const struct verdict verdict = judge(self->owner, DEED_FAULT_CHECK_LOCK, self->path);
    if (verdict.before != SQLITE_OK) {
        return verdict.before;
    }
    return end(verdict, self->real->pMethods->xCheckReservedLock(self->real, reserved_out));
}

static int file_control(sqlite3_file *file, int operation, void *argument)
{
    const struct fault_file *self = (struct fault_file *)file;
    return self->real->pMethods->xFileControl(self->real, operation, argument);
}

static int file_sector(sqlite3_file *file)
{
    const struct fault_file *self = (struct fault_file *)file;
    return self->real->pMethods->xSectorSize(self->real);
}

static int file_traits(sqlite3_file *file)
{
    const struct fault_file *self = (struct fault_file *)file;
    return self->real->pMethods->xDeviceCharacteristics(self->real);
}

static int file_shm_map(
    sqlite3_file *file, int region, int bytes, int extend, void volatile **memory_out)
{
    const struct fault_file *self = (struct fault_file *)file;
    const struct verdict verdict = judge(self->owner, DEED_FAULT_SHM_MAP, self->path);
    if (verdict.before != SQLITE_OK) {
        *memory_out = NULL;
        return verdict.before;
    }
    return end(
        verdict, self->real->pMethods->xShmMap(self->real, region, bytes, extend, memory_out));
}

static int file_shm_lock(sqlite3_file *file, int offset, int count, int flags)
{
    const struct fault_file *self = (struct fault_file *)file;
    if ((flags & SQLITE_SHM_LOCK) != 0) {
        const struct verdict verdict = judge(self->owner, DEED_FAULT_SHM_LOCK, self->path);
        if (verdict.before != SQLITE_OK) {
            return verdict.before;
        }
    }
    return self->real->pMethods->xShmLock(self->real, offset, count, flags);
}

static void file_shm_barrier(sqlite3_file *file)
{
    const struct fault_file *self = (struct fault_file *)file;
    self->real->pMethods->xShmBarrier(self->real);
}

static int file_shm_unmap(sqlite3_file *file, int remove)
{
    const struct fault_file *self = (struct fault_file *)file;
    return self->real->pMethods->xShmUnmap(self->real, remove);
}

static const sqlite3_io_methods file_methods = {
    .iVersion = 2, /* no mmap: its reads could not be failed */
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

/* ---- the file system --------------------------------------------------------------------- */

static int vfs_open(
    sqlite3_vfs *vfs, const char *path, sqlite3_file *file, int flags, int *flags_out)
{
    deed_fault_vfs *self = vfs->pAppData;
    struct fault_file *opened = (struct fault_file *)file;
    file->pMethods = NULL;
    const struct verdict verdict = judge(self, DEED_FAULT_OPEN, path);
    if (verdict.before != SQLITE_OK) {
        return verdict.before;
    }
    opened->owner = self;
    opened->path = path;
    opened->real = (sqlite3_file *)(opened + 1);
    opened->real->pMethods = NULL;
    int code = self->disk->xOpen(self->disk, path, opened->real, flags, flags_out);
    if (code == SQLITE_OK && verdict.after != SQLITE_OK) {
        (void)opened->real->pMethods->xClose(opened->real); /* it may exist now; that is all */
        code = verdict.after;
    }
    if (code == SQLITE_OK) {
        file->pMethods = &file_methods;
    }
    return code;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *path, int sync_folder)
{
    deed_fault_vfs *self = vfs->pAppData;
    const struct verdict verdict = judge(self, DEED_FAULT_DELETE, path);
    if (verdict.before != SQLITE_OK) {
        return verdict.before;
    }
    return end(verdict, self->disk->xDelete(self->disk, path, sync_folder));
}

static int vfs_access(sqlite3_vfs *vfs, const char *path, int question, int *answer_out)
{
    deed_fault_vfs *self = vfs->pAppData;
    const struct verdict verdict = judge(self, DEED_FAULT_ACCESS, path);
    if (verdict.before != SQLITE_OK) {
        return verdict.before;
    }
    return end(verdict, self->disk->xAccess(self->disk, path, question, answer_out));
}

static int vfs_full_path(sqlite3_vfs *vfs, const char *path, int room, char *full_out)
{
    deed_fault_vfs *self = vfs->pAppData;
    const struct verdict verdict = judge(self, DEED_FAULT_FULL_PATH, path);
    if (verdict.before != SQLITE_OK) {
        return verdict.before;
    }
    return end(verdict, self->disk->xFullPathname(self->disk, path, room, full_out));
}

static int vfs_randomness(sqlite3_vfs *vfs, int bytes, char *buffer)
{
    const deed_fault_vfs *self = vfs->pAppData;
    return self->disk->xRandomness(self->disk, bytes, buffer);
}

static int vfs_sleep(sqlite3_vfs *vfs, int microseconds)
{
    deed_fault_vfs *self = vfs->pAppData;
    (void)pthread_mutex_lock(&self->mutex);
    const bool planned = self->plan.kinds != 0;
    (void)pthread_mutex_unlock(&self->mutex);
    return planned ? microseconds : self->disk->xSleep(self->disk, microseconds);
}

static int vfs_time(sqlite3_vfs *vfs, double *days_out)
{
    const deed_fault_vfs *self = vfs->pAppData;
    return self->disk->xCurrentTime(self->disk, days_out);
}

static int vfs_time_ms(sqlite3_vfs *vfs, sqlite3_int64 *ms_out)
{
    const deed_fault_vfs *self = vfs->pAppData;
    return self->disk->xCurrentTimeInt64(self->disk, ms_out);
}

static int vfs_last_error(sqlite3_vfs *vfs, int room, char *text)
{
    const deed_fault_vfs *self = vfs->pAppData;
    return self->disk->xGetLastError(self->disk, room, text);
}

/* ---- from outside ------------------------------------------------------------------------ */

static void fill(deed_fault_vfs *made)
{
    made->vfs = (sqlite3_vfs){
        .iVersion = 2,
        .szOsFile = (int)sizeof(struct fault_file) + made->disk->szOsFile,
        .mxPathname = made->disk->mxPathname,
        .zName = made->name,
        .pAppData = made,
        .xOpen = vfs_open,
        .xDelete = vfs_delete,
        .xAccess = vfs_access,
        .xFullPathname = vfs_full_path,
        .xRandomness = vfs_randomness,
        .xSleep = vfs_sleep,
        .xCurrentTime = vfs_time,
        .xGetLastError = vfs_last_error,
        .xCurrentTimeInt64 = vfs_time_ms,
    };
}

deed_rc deed_fault_vfs_new(const char *name, deed_fault_vfs **vfs_out, struct deed_error *err)
{
    const size_t bytes = strlen(name) + 1;
    sqlite3_vfs *disk = sqlite3_vfs_find(NULL);
    if (bytes > NAME_ROOM || disk == NULL || disk->iVersion < 2) {
        return deed_error_set(err, DEED_E_MISUSE, "mock.vfs", "no such name, or no default VFS");
    }
    deed_fault_vfs *made = calloc(1, sizeof(*made));
    if (made == NULL) {
        return deed_error_set(err, DEED_E_NOMEM, "mock.vfs", "no memory for a VFS");
    }
    memcpy(made->name, name, bytes);
    made->disk = disk;
    (void)pthread_mutex_init(&made->mutex, NULL);
    fill(made);
    const int code = sqlite3_vfs_register(&made->vfs, 0);
    if (code != SQLITE_OK) {
        (void)pthread_mutex_destroy(&made->mutex);
        free(made);
        return deed_error_set(
            err, DEED_E_SYSTEM, "mock.vfs", "cannot register a VFS: %s", sqlite3_errstr(code));
    }
    *vfs_out = made;
    return DEED_OK;
}

void deed_fault_vfs_free(deed_fault_vfs *vfs)
{
    if (vfs != NULL) {
        (void)sqlite3_vfs_unregister(&vfs->vfs);
        (void)pthread_mutex_destroy(&vfs->mutex);
        free(vfs);
    }
}

const char *deed_fault_vfs_name(const deed_fault_vfs *vfs)
{
    return vfs->name;
}

void deed_fault_vfs_plan(deed_fault_vfs *vfs, const struct deed_fault_plan *plan)
{
    (void)pthread_mutex_lock(&vfs->mutex);
    memset(&vfs->plan, 0, sizeof(vfs->plan));
    memset(vfs->suffix, 0, sizeof(vfs->suffix));
    vfs->matched = 0;
    vfs->failed = 0;
    if (plan != NULL) {
        vfs->plan = *plan;
        if (plan->suffix != NULL) {
            const size_t bytes = strlen(plan->suffix);
            memcpy(vfs->suffix, plan->suffix, bytes < NAME_ROOM ? bytes : NAME_ROOM - 1);
        }
    }
    (void)pthread_mutex_unlock(&vfs->mutex);
}

uint64_t deed_fault_vfs_failed(const deed_fault_vfs *vfs)
{
    deed_fault_vfs *inside = vfs->vfs.pAppData; /* the same one, to be locked */
    (void)pthread_mutex_lock(&inside->mutex);
    const uint64_t failed = inside->failed;
    (void)pthread_mutex_unlock(&inside->mutex);
    return failed;
}

uint64_t deed_fault_vfs_calls(const deed_fault_vfs *vfs, deed_fault_kind kind)
{
    deed_fault_vfs *inside = vfs->vfs.pAppData;
    (void)pthread_mutex_lock(&inside->mutex);
    const uint64_t calls = inside->calls[kind];
    (void)pthread_mutex_unlock(&inside->mutex);
    return calls;
}
