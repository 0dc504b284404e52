/* SPDX-License-Identifier: MIT
 *
 * Processes: who is alive, and what becomes of the connections of those who are not. A file of a
 * dead process points to nothing of the disk any more, but to its share of the WAL's index, which its
 * unwinding still reads and writes.
 */
#include <stdlib.h>

#include "disk/disk.h"

bool deed__disk_is_dead(const deed_disk *disk, uint32_t process)
{
    if (disk->off) {
        return true;
    }
    for (size_t i = 0; i < disk->dead_count; i++) {
        if (disk->dead[i] == process) {
            return true;
        }
    }
    return false;
}

void deed__disk_link(struct disk_file **list, struct disk_file *file)
{
    file->previous = NULL;
    file->next = *list;
    if (*list != NULL) {
        (*list)->previous = file;
    }
    *list = file;
}

void deed__disk_unlink(struct disk_file **list, struct disk_file *file)
{
    if (file->previous != NULL) {
        file->previous->next = file->next;
    } else {
        *list = file->next;
    }
    if (file->next != NULL) {
        file->next->previous = file->previous;
    }
}

void deed_disk_enter(deed_disk *disk, uint32_t process)
{
    disk->process = process;
    const bool ghost = deed__disk_is_dead(disk, process);
    if (disk->frozen && !ghost) {
        deed__disk_index_thaw(disk);
    } else if (ghost) {
        deed__disk_index_freeze(disk);
    }
}

static void become_ghost(deed_disk *disk, struct disk_file *file)
{
    deed__disk_unlink(&disk->files, file);
    deed__disk_link(&disk->ghosts, file);
    deed__disk_index_die(file);
    deed__disk_inode_unref(file->inode);
    file->inode = NULL;
    file->lock = SQLITE_LOCK_NONE;
    file->ghost = true;
}

static void kill_files(deed_disk *disk, uint32_t process, bool all)
{
    for (struct disk_file *file = disk->files; file != NULL;) {
        struct disk_file *next = file->next;
        if (all || file->process == process) {
            become_ghost(disk, file);
        }
        file = next;
    }
}

void deed_disk_kill(deed_disk *disk, uint32_t process)
{
    if (deed__disk_is_dead(disk, process)) {
        return;
    }
    if (disk->dead_count == disk->dead_room) {
        const size_t room = disk->dead_room == 0 ? 8 : 2 * disk->dead_room;
        uint32_t *dead = realloc(disk->dead, room * sizeof(*dead));
        if (dead == NULL) {
            disk->no_memory = true;
            return;
        }
        disk->dead = dead;
        disk->dead_room = room;
    }
    if (disk->frozen) { /* another ghost was at it */
        deed__disk_index_thaw(disk);
    }
    disk->dead[disk->dead_count++] = process;
    kill_files(disk, process, false);
    if (process == disk->process) {
        deed__disk_index_freeze(disk);
    }
}

void deed_disk_abandon(deed_disk *disk, uint32_t process)
{
    deed_disk_kill(disk, process);
    for (struct disk_file *file = disk->ghosts; file != NULL;) {
        struct disk_file *next = file->next;
        if (file->process == process) {
            deed__disk_unlink(&disk->ghosts, file);
            deed__disk_index_leave(file);
            deed__disk_name_unref(file->name);
            file->name = NULL;
        }
        file = next;
    }
}

void deed_disk_cut(deed_disk *disk)
{
    disk->off = true;
    kill_files(disk, 0, true);
    disk->frozen = false; /* nobody alive is left who could see it */
}
