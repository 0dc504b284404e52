/* SPDX-License-Identifier: MIT
 *
 * A file of a simulated disk, through the calls that SQLite makes of a VFS.
 */
#ifndef DEED_TESTS_RAW_FILE_H
#define DEED_TESTS_RAW_FILE_H

#include <sqlite3.h>

#include <deed/mock/disk.h>

#include "support/test.h"

#define RAW_DB      (SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MAIN_DB)
#define RAW_JOURNAL (SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MAIN_JOURNAL)

static inline sqlite3_vfs *raw_vfs(const deed_disk *disk)
{
    sqlite3_vfs *vfs = sqlite3_vfs_find(deed_disk_vfs(disk));
    assert_non_null(vfs);
    return vfs;
}

/* NULL with *code_out where it cannot be opened. `name` must outlive it; NULL: a temporary file. */
static inline sqlite3_file *raw_try(deed_disk *disk, const char *name, int flags, int *code_out)
{
    sqlite3_vfs *vfs = raw_vfs(disk);
    sqlite3_file *file = calloc(1, (size_t)vfs->szOsFile);
    assert_non_null(file);
    *code_out = vfs->xOpen(vfs, name, file, flags, NULL);
    if (*code_out != SQLITE_OK) {
        assert_null(file->pMethods);
        free(file);
        return NULL;
    }
    return file;
}

static inline sqlite3_file *raw_open(deed_disk *disk, const char *name, int flags)
{
    int code = SQLITE_OK;
    sqlite3_file *file = raw_try(disk, name, flags, &code);
    assert_int_equal(code, SQLITE_OK);
    return file;
}

static inline void raw_close(sqlite3_file *file)
{
    assert_int_equal(file->pMethods->xClose(file), SQLITE_OK);
    free(file);
}

static inline void raw_write(sqlite3_file *file, int64_t offset, const void *bytes, size_t count)
{
    assert_int_equal(file->pMethods->xWrite(file, bytes, (int)count, offset), SQLITE_OK);
}

/* So many times one byte. */
static inline void raw_fill(sqlite3_file *file, int64_t offset, char byte, size_t count)
{
    char *bytes = malloc(count);
    assert_non_null(bytes);
    memset(bytes, byte, count);
    raw_write(file, offset, bytes, count);
    free(bytes);
}

static inline void raw_sync(sqlite3_file *file)
{
    assert_int_equal(file->pMethods->xSync(file, SQLITE_SYNC_NORMAL), SQLITE_OK);
}

static inline int raw_delete(deed_disk *disk, const char *name, int sync_folder)
{
    sqlite3_vfs *vfs = raw_vfs(disk);
    return vfs->xDelete(vfs, name, sync_folder);
}

/* The bytes of a file are exactly so many runs of one byte each: "a512 b10". */
static inline void raw_expect(const deed_disk *disk, const char *name, const char *runs)
{
    char found[256] = "";
    size_t count = 0;
    size_t length = 0;
    const char *bytes = deed_disk_get(disk, name, &count);
    assert_non_null(bytes);
    for (size_t i = 0; i < count && length < sizeof(found) - 32;) {
        size_t end = i;
        while (end < count && bytes[end] == bytes[i]) {
            end++;
        }
        length += (size_t)snprintf(found + length, sizeof(found) - length, "%s%c%zu",
            length == 0 ? "" : " ", bytes[i] == '\0' ? '0' : bytes[i], end - i);
        i = end;
    }
    assert_string_equal(found, runs);
}

static inline bool raw_is_there(const deed_disk *disk, const char *name)
{
    size_t count = 0;
    return deed_disk_get(disk, name, &count) != NULL;
}

#endif /* DEED_TESTS_RAW_FILE_H */
