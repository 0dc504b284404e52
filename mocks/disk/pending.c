/* SPDX-License-Identifier: MIT
 *
 * What is not durable: one list of units for the whole disk, in the order in which they came. A write
 * is cut at the edges of sectors. A flush takes the units of one file out of the list, and a flush of
 * a folder those of its names. What is left when the power goes is judged in restart.c.
 */
#include <stdlib.h>
#include <string.h>

#include "disk/disk.h"

/* ---- units ------------------------------------------------------------------------------- */

static void blob_unref(struct blob *blob)
{
    if (blob != NULL && --blob->refs == 0) {
        free(blob);
    }
}

void deed__disk_unit_clear(struct unit *unit)
{
    deed__disk_inode_unref(unit->inode);
    deed__disk_name_unref(unit->name);
    blob_unref(unit->blob);
}

void deed__disk_unit_ref(struct unit *unit)
{
    (void)deed__disk_inode_ref(unit->inode);
    (void)deed__disk_name_ref(unit->name);
    if (unit->blob != NULL) {
        unit->blob->refs++;
    }
}

static bool make_room(struct content *content, size_t more)
{
    const size_t wanted = content->units_count + more;
    if (wanted > content->units_room) {
        const size_t room = wanted < 32 ? 32 : 2 * wanted;
        struct unit *units = realloc(content->units, room * sizeof(*units));
        if (units == NULL) {
            return false;
        }
        content->units = units;
        content->units_room = (uint32_t)room;
    }
    return true;
}

/* There is room. */
static void append(struct content *content, struct unit unit)
{
    deed__disk_unit_ref(&unit);
    content->units[content->units_count++] = unit;
}

/* ---- what programs do -------------------------------------------------------------------- */

static void append_write(
    const deed_disk *disk, struct content *content, struct unit whole, uint64_t bytes_count)
{
    const uint64_t end = whole.offset + bytes_count;
    for (uint64_t at = whole.offset; at < end;) {
        const uint64_t edge =
            (at / disk->options.sector_bytes + 1) * (uint64_t)disk->options.sector_bytes;
        const uint64_t stop = edge < end ? edge : end;
        struct unit unit = whole;
        unit.offset = at;
        unit.blob_at = (size_t)(at - whole.offset);
        unit.bytes = (uint32_t)(stop - at);
        append(content, unit);
        at = stop;
    }
}

bool deed__disk_write(
    deed_disk *disk, struct inode *inode, uint64_t offset, const void *bytes, size_t bytes_count)
{
    struct content *content = &disk->content;
    if (inode->nameless || bytes_count == 0) {
        return deed__image_write(&inode->now, offset, bytes, bytes_count);
    }
    struct blob *blob = malloc(sizeof(*blob) + bytes_count);
    if (blob == NULL || !make_room(content, bytes_count / disk->options.sector_bytes + 2) ||
        !deed__image_write(&inode->now, offset, bytes, bytes_count)) {
        free(blob);
        return false;
    }
    blob->refs = 1;
    memcpy(blob->bytes, bytes, bytes_count);
    append_write(disk, content,
        (struct unit){.kind = UNIT_WRITE, .inode = inode, .blob = blob, .offset = offset},
        bytes_count);
    blob_unref(blob); /* the units have it */
    return true;
}

bool deed__disk_resize(deed_disk *disk, struct inode *inode, uint64_t bytes)
{
    if (!inode->nameless && !make_room(&disk->content, 1)) {
        return false;
    }
    if (!deed__image_resize(&inode->now, bytes)) {
        return false;
    }
    if (!inode->nameless) {
        append(&disk->content, (struct unit){.kind = UNIT_RESIZE, .inode = inode, .offset = bytes});
    }
    return true;
}

bool deed__disk_create(deed_disk *disk, struct name *name, struct inode *inode)
{
    if (!make_room(&disk->content, 1) || !deed__disk_enter_name(&disk->content.now, name, inode)) {
        return false;
    }
    append(&disk->content, (struct unit){.kind = UNIT_CREATE, .inode = inode, .name = name});
    return true;
}

bool deed__disk_delete(deed_disk *disk, const char *path)
{
    struct name *name = deed__disk_name_new(path);
    if (name == NULL || !make_room(&disk->content, 1)) {
        deed__disk_name_unref(name);
        return false;
    }
    append(&disk->content, (struct unit){.kind = UNIT_DELETE, .name = name});
    deed__disk_name_unref(name); /* the unit has it */
    deed__disk_remove_name(&disk->content.now, path);
    return true;
}

/* ---- becoming durable -------------------------------------------------------------------- */

static bool is_of_file(const struct unit *unit, const struct inode *inode)
{
    return (unit->kind == UNIT_WRITE || unit->kind == UNIT_RESIZE) && unit->inode == inode;
}

bool deed__disk_apply_part(const struct unit *unit, size_t skip, size_t bytes_count)
{
    return deed__image_write(&unit->inode->durable, unit->offset + skip,
        unit->blob->bytes + unit->blob_at + skip, bytes_count);
}

bool deed__disk_apply(struct content *content, const struct unit *unit)
{
    switch (unit->kind) {
    case UNIT_WRITE:
        return deed__disk_apply_part(unit, 0, unit->bytes);
    case UNIT_RESIZE:
        return deed__image_resize(&unit->inode->durable, unit->offset);
    case UNIT_CREATE:
        return deed__disk_enter_name(&content->durable, unit->name, unit->inode);
    case UNIT_DELETE:
        deed__disk_remove_name(&content->durable, unit->name->text);
        return true;
    }
    return true;
}

/* Takes out the units of a file, in order; `apply`: they become durable on the way. */
static bool take_out(struct content *content, const struct inode *inode, bool apply)
{
    bool fine = true;
    uint32_t left = 0;
    for (uint32_t i = 0; i < content->units_count; i++) {
        if (is_of_file(&content->units[i], inode)) {
            fine &= !apply || deed__disk_apply(content, &content->units[i]);
            deed__disk_unit_clear(&content->units[i]);
        } else {
            content->units[left++] = content->units[i];
        }
    }
    content->units_count = left;
    return fine;
}

bool deed__disk_flush(deed_disk *disk, struct inode *inode)
{
    if (!inode->diverged) { /* all writes in their order: that is what programs see */
        deed__image_unref(inode->durable);
        inode->durable = deed__image_ref(inode->now);
    }
    return take_out(&disk->content, inode, inode->diverged);
}

void deed__disk_forget(deed_disk *disk, const struct inode *inode)
{
    for (uint32_t i = 0; i < disk->content.units_count; i++) {
        if (is_of_file(&disk->content.units[i], inode)) {
            disk->content.units[i].inode->diverged = true;
        }
    }
    (void)take_out(&disk->content, inode, false);
}

static size_t folder_bytes(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? 0 : (size_t)(slash - path);
}

static bool in_folder(const char *path, const char *other)
{
    const size_t bytes = folder_bytes(other);
    return folder_bytes(path) == bytes && memcmp(path, other, bytes) == 0;
}

static bool is_named(const struct content *content, const struct inode *inode)
{
    const struct directory *directories[] = {&content->now, &content->durable};
    for (size_t d = 0; d < 2; d++) {
        for (size_t i = 0; i < directories[d]->count; i++) {
            if (directories[d]->entries[i].inode == inode) {
                return true;
            }
        }
    }
    for (uint32_t i = 0; i < content->units_count; i++) {
        if (content->units[i].kind == UNIT_CREATE && content->units[i].inode == inode) {
            return true;
        }
    }
    return false;
}

/* Units of files that nobody can find any more, whatever survives, are none. */
static void drop_unfindable(struct content *content)
{
    for (uint32_t i = 0; i < content->units_count;) {
        const struct unit *unit = &content->units[i];
        const bool data = unit->kind == UNIT_WRITE || unit->kind == UNIT_RESIZE;
        if (data && !is_named(content, unit->inode)) {
            (void)take_out(content, unit->inode, false);
        } else {
            i++;
        }
    }
}

bool deed__disk_flush_folder(deed_disk *disk, const char *name)
{
    struct content *content = &disk->content;
    bool fine = true;
    uint32_t left = 0;
    for (uint32_t i = 0; i < content->units_count; i++) {
        struct unit *unit = &content->units[i];
        if (unit->name != NULL && in_folder(unit->name->text, name)) {
            fine &= deed__disk_apply(content, unit);
            deed__disk_unit_clear(unit);
        } else {
            content->units[left++] = *unit;
        }
    }
    content->units_count = left;
    drop_unfindable(content);
    return fine;
}

uint32_t deed_disk_pending(const deed_disk *disk)
{
    return disk->content.units_count;
}
