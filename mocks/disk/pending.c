/* SPDX-License-Identifier: MIT
 *
 * What is not durable: one list of units for the whole disk, in the order in which they came. A write
 * is cut at the edges of sectors. A flush takes the units of one file out of the list, and a flush of
 * a folder those of its names. When power is back, what is left is judged unit by unit.
 */
#include <stdlib.h>
#include <string.h>

#include "disk/disk.h"
#include "mix.h"

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

static bool apply_write(const struct unit *unit, size_t skip, size_t bytes_count)
{
    return deed__image_write(&unit->inode->durable, unit->offset + skip,
        unit->blob->bytes + unit->blob_at + skip, bytes_count);
}

static bool apply_whole(struct content *content, const struct unit *unit)
{
    switch (unit->kind) {
    case UNIT_WRITE:
        return apply_write(unit, 0, unit->bytes);
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
            fine &= !apply || apply_whole(content, &content->units[i]);
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
            fine &= apply_whole(content, unit);
            deed__disk_unit_clear(unit);
        } else {
            content->units[left++] = *unit;
        }
    }
    content->units_count = left;
    drop_unfindable(content);
    return fine;
}

/* ---- after the power went ---------------------------------------------------------------- */

/* Old and new with a cut anywhere, either side: where and which is drawn from the unit itself, so
 * that the same fates leave the same bytes. */
static bool apply_torn(const struct unit *unit, uint64_t chance)
{
    if (unit->bytes < 2) {
        return true;
    }
    const size_t cut = 1 + (size_t)((chance >> 1) % (unit->bytes - 1U));
    return (chance & 1) != 0 ? apply_write(unit, cut, unit->bytes - cut)
                             : apply_write(unit, 0, cut);
}

static bool apply_noise(const deed_disk *disk, const struct unit *unit, uint64_t chance)
{
    uint64_t begin = unit->offset;
    uint64_t end = unit->offset + unit->bytes;
    if (disk->options.powersafe_off) { /* the whole sector, as far as there is a file */
        const uint64_t sector = disk->options.sector_bytes;
        const uint64_t size = deed__image_bytes(unit->inode->durable);
        const uint64_t edge = (begin / sector + 1) * sector;
        begin = begin / sector * sector;
        end = edge < size ? edge : (size > end ? size : end);
    }
    unsigned char noise[64];
    for (uint64_t at = begin; at < end;) {
        for (size_t i = 0; i < sizeof(noise); i += 8) {
            const uint64_t number = deed__draw(&chance);
            memcpy(noise + i, &number, sizeof(number));
        }
        const size_t part = end - at < sizeof(noise) ? (size_t)(end - at) : sizeof(noise);
        if (!deed__image_write(&unit->inode->durable, at, noise, part)) {
            return false;
        }
        at += part;
    }
    return true;
}

static bool apply_grown(const struct unit *unit)
{
    const uint64_t end = unit->offset + unit->bytes;
    return deed__image_bytes(unit->inode->durable) >= end ||
        deed__image_resize(&unit->inode->durable, end);
}

static bool apply_fate(deed_disk *disk, uint32_t number, deed_disk_fate fate)
{
    const struct unit *unit = &disk->content.units[number];
    const uint64_t chance = deed__mix(unit->offset ^ (uint64_t)number << 40);
    if (fate == DEED_DISK_KEPT) {
        return apply_whole(&disk->content, unit);
    }
    if (unit->kind != UNIT_WRITE) {
        return true;
    }
    switch (fate) {
    case DEED_DISK_TORN:
        return apply_torn(unit, chance);
    case DEED_DISK_NOISE:
        return apply_noise(disk, unit, chance);
    case DEED_DISK_GROWN:
        return apply_grown(unit);
    case DEED_DISK_LOST:
    case DEED_DISK_KEPT:
        break;
    }
    return true;
}

static bool settle(struct content *content)
{
    deed__disk_directory_clear(&content->now);
    for (size_t i = 0; i < content->durable.count; i++) {
        const struct entry *entry = &content->durable.entries[i];
        deed__image_unref(entry->inode->now);
        entry->inode->now = deed__image_ref(entry->inode->durable);
        entry->inode->diverged = false;
        if (!deed__disk_enter_name(&content->now, entry->name, entry->inode)) {
            return false;
        }
    }
    return true;
}

void deed_disk_restart(deed_disk *disk, const uint8_t *fates, size_t fates_count)
{
    deed_disk_cut(disk); /* whoever still lives does not any more */
    for (uint32_t i = 0; i < disk->content.units_count; i++) {
        const deed_disk_fate fate =
            fates != NULL && i < fates_count ? (deed_disk_fate)fates[i] : DEED_DISK_LOST;
        disk->no_memory |= !apply_fate(disk, i, fate);
        /* Its inode may be named by a later unit, so units are let go of at the end. */
    }
    for (uint32_t i = 0; i < disk->content.units_count; i++) {
        deed__disk_unit_clear(&disk->content.units[i]);
    }
    disk->content.units_count = 0;
    disk->no_memory |= !settle(&disk->content);
    disk->off = false;
    disk->dead_count = 0;
}

uint32_t deed_disk_pending(const deed_disk *disk)
{
    return disk->content.units_count;
}
