/* SPDX-License-Identifier: MIT */
#include "note.h"

#include <stdlib.h>
#include <string.h>

#include <sqlite3.h>

#define PATH  "/simulated/note"
#define APART 4096 /* each mark in a sector of its own */
#define COUNT 2

bool note_put(deed_disk *disk)
{
    static const char nothing[APART * COUNT];
    return deed_disk_put(disk, PATH, nothing, sizeof(nothing), NULL) == DEED_OK;
}

static sqlite3_file *note_open(const deed_disk *disk)
{
    sqlite3_vfs *vfs = sqlite3_vfs_find(deed_disk_vfs(disk));
    sqlite3_file *file = calloc(1, (size_t)vfs->szOsFile);
    if (file != NULL &&
        vfs->xOpen(vfs, PATH, file, SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_READWRITE, NULL) !=
            SQLITE_OK) {
        free(file);
        return NULL;
    }
    return file;
}

static void note_close(sqlite3_file *file)
{
    (void)file->pMethods->xClose(file);
    free(file);
}

bool note_read(const deed_disk *disk, unsigned at)
{
    char mark = 0;
    sqlite3_file *file = note_open(disk);
    if (file == NULL) {
        return false;
    }
    bool read = file->pMethods->xRead(file, &mark, 1, (sqlite3_int64)at * APART) == SQLITE_OK;
    note_close(file);
    return read && mark == 'x'; /* what is torn is no mark */
}

bool note_write(const deed_disk *disk, unsigned at)
{
    sqlite3_file *file = note_open(disk);
    if (file == NULL) {
        return false;
    }
    bool written = file->pMethods->xWrite(file, "x", 1, (sqlite3_int64)at * APART) == SQLITE_OK &&
        file->pMethods->xSync(file, SQLITE_SYNC_NORMAL) == SQLITE_OK;
    note_close(file);
    return written;
}
