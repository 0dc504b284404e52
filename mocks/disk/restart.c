/* SPDX-License-Identifier: MIT
 *
 * Power is back: what has become of each unit that was not flushed, in the order in which they came.
 */
#include <string.h>

#include "disk/disk.h"
#include "mix.h"

/* Old and new with a cut anywhere, either side: where and which is drawn from the unit itself, so
 * that the same fates leave the same bytes. */
static bool apply_torn(const struct unit *unit, uint64_t chance)
{
    if (unit->bytes < 2) {
        return true;
    }
    const size_t cut = 1 + (size_t)((chance >> 1) % (unit->bytes - 1U));
    return (chance & 1) != 0 ? deed__disk_apply_part(unit, cut, unit->bytes - cut)
                             : deed__disk_apply_part(unit, 0, cut);
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
        return deed__disk_apply(&disk->content, unit);
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
