/* SPDX-License-Identifier: MIT
 *
 * The WAL's index: memory that connections share, and eight slots to lock. SQLite writes the memory
 * directly, not through the VFS, so a dead process that unwinds would still change it. While a ghost
 * goes on, what the memory was at its death is kept, and put back before anybody else goes on.
 *
 * When the last living user leaves, the memory is forgotten: the next one finds zeros, as behind the
 * dead man's switch of SQLite's own VFS, and has to recover the WAL.
 */
#include <stdlib.h>
#include <string.h>

#include "disk/disk.h"

/* ---- memory ------------------------------------------------------------------------------ */

static void index_free(struct shared_index *index)
{
    for (size_t i = 0; i < index->regions_count; i++) {
        free(index->regions[i]);
    }
    free(index->regions);
    free(index->frozen);
    free(index);
}

static void index_remove(deed_disk *disk, struct shared_index *index)
{
    struct shared_index **at = &disk->indexes;
    while (*at != index) {
        at = &(*at)->next;
    }
    *at = index->next;
    index_free(index);
}

void deed__disk_index_free_all(deed_disk *disk)
{
    while (disk->indexes != NULL) {
        index_remove(disk, disk->indexes);
    }
}

static struct shared_index *join(struct disk_file *file)
{
    struct shared_index *index = file->inode->index;
    if (index == NULL) {
        index = calloc(1, sizeof(*index));
        if (index == NULL) {
            return NULL;
        }
        index->inode = file->inode;
        index->next = file->disk->indexes;
        file->disk->indexes = index;
        file->inode->index = index;
    }
    index->users++;
    file->index = index;
    return index;
}

static bool extend(struct shared_index *index, size_t count, size_t bytes)
{
    unsigned char **regions = realloc(index->regions, count * sizeof(*regions));
    if (regions == NULL) {
        return false;
    }
    index->regions = regions;
    index->region_bytes = bytes;
    while (index->regions_count < count) {
        unsigned char *region = calloc(1, bytes);
        if (region == NULL) {
            return false;
        }
        regions[index->regions_count++] = region;
    }
    return true;
}

int deed__disk_index_map(
    struct disk_file *file, int region, int bytes, int extends, void volatile **memory_out)
{
    struct shared_index *index = file->index == NULL ? join(file) : file->index;
    const size_t number = (size_t)region;
    *memory_out = NULL;
    if (index == NULL) {
        return SQLITE_NOMEM;
    }
    if (number >= index->regions_count || index->regions == NULL) {
        if (extends == 0) {
            return SQLITE_OK;
        }
        if (!extend(index, number + 1, (size_t)bytes)) {
            return SQLITE_NOMEM;
        }
    }
    *memory_out = index->regions[number];
    return SQLITE_OK;
}

/* ---- slots ------------------------------------------------------------------------------- */

static bool held_by_others(const struct disk_file *file, unsigned slots, bool exclusive_only)
{
    for (const struct disk_file *at = file->disk->files; at != NULL; at = at->next) {
        if (at != file && at->index == file->index &&
            ((at->exclusive | (exclusive_only ? 0U : at->shared)) & slots) != 0) {
            return true;
        }
    }
    return false;
}

int deed__disk_index_lock(struct disk_file *file, int first, int count, int flags)
{
    const unsigned slots = ((1U << (unsigned)count) - 1U) << (unsigned)first;
    if (file->index == NULL) {
        return SQLITE_IOERR_SHMLOCK;
    }
    if ((flags & SQLITE_SHM_UNLOCK) != 0) {
        file->shared &= (uint8_t)~slots;
        file->exclusive &= (uint8_t)~slots;
        return SQLITE_OK;
    }
    const bool shared = (flags & SQLITE_SHM_SHARED) != 0;
    if (held_by_others(file, slots, shared)) {
        return SQLITE_BUSY;
    }
    *(shared ? &file->shared : &file->exclusive) |= (uint8_t)slots;
    return SQLITE_OK;
}

/* ---- leaving and dying ------------------------------------------------------------------- */

static void lose_user(struct disk_file *file, struct shared_index *index)
{
    file->shared = 0;
    file->exclusive = 0;
    if (--index->users == 0) {
        index->inode->index = NULL;
        index->inode = NULL;
    }
}

void deed__disk_index_leave(struct disk_file *file)
{
    struct shared_index *index = file->index;
    if (index == NULL) {
        return;
    }
    file->index = NULL;
    if (file->ghost) {
        index->ghosts--;
    } else {
        lose_user(file, index);
    }
    if (index->users == 0 && index->ghosts == 0) {
        index_remove(file->disk, index);
    }
}

void deed__disk_index_die(struct disk_file *file)
{
    if (file->index != NULL) {
        lose_user(file, file->index);
        file->index->ghosts++;
    }
}

void deed__disk_index_freeze(deed_disk *disk)
{
    disk->frozen = true;
    for (struct shared_index *index = disk->indexes; index != NULL; index = index->next) {
        if (index->users == 0 || index->ghosts == 0 || index->frozen != NULL) {
            continue;
        }
        index->frozen = malloc(index->regions_count * index->region_bytes + 1);
        disk->no_memory |= index->frozen == NULL;
        for (size_t i = 0; index->frozen != NULL && i < index->regions_count; i++) {
            memcpy(index->frozen + i * index->region_bytes, index->regions[i], index->region_bytes);
        }
    }
}

void deed__disk_index_thaw(deed_disk *disk)
{
    disk->frozen = false;
    for (struct shared_index *index = disk->indexes; index != NULL; index = index->next) {
        for (size_t i = 0; index->frozen != NULL && i < index->regions_count; i++) {
            memcpy(index->regions[i], index->frozen + i * index->region_bytes, index->region_bytes);
        }
        free(index->frozen);
        index->frozen = NULL;
    }
}
