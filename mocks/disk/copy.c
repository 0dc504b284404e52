/* SPDX-License-Identifier: MIT
 *
 * A disk as a whole: making, copying and freeing it, files from and to the outside, and its hash.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <deed/ext/error.h>
#include <deed/ext/size.h>

#include "disk/disk.h"
#include "mix.h"

#define SECTOR_BYTES     4096U
#define SECTOR_BYTES_MIN 512U
#define SECTOR_BYTES_MAX 65536U

static deed_rc no_memory(struct deed_error *err)
{
    return deed_error_set(err, DEED_E_NOMEM, DISK_ORIGIN, "no memory for a disk");
}

/* ---- making and freeing ------------------------------------------------------------------ */

static deed_rc check_options(struct deed_disk_options *options, struct deed_error *err)
{
    static const struct deed_shape clock = DEED_CLOCK_SHAPE();
    const uint32_t bytes = options->sector_bytes == 0 ? SECTOR_BYTES : options->sector_bytes;
    if (bytes < SECTOR_BYTES_MIN || bytes > SECTOR_BYTES_MAX || (bytes & (bytes - 1)) != 0) {
        return deed_error_set(err, DEED_E_INVALID, DISK_ORIGIN,
            "a sector has %u to %u bytes, a power of two; this one has %u", SECTOR_BYTES_MIN,
            SECTOR_BYTES_MAX, (unsigned)bytes);
    }
    options->sector_bytes = bytes;
    return deed_size_check(&clock, options->clock, err);
}

static deed_rc disk_new(
    const struct deed_disk_options *options, deed_disk **disk_out, struct deed_error *err)
{
    static atomic_uint made;
    deed_disk *disk = calloc(1, sizeof(*disk));
    if (disk == NULL) {
        return no_memory(err);
    }
    disk->options = *options;
    disk->process = 1;
    (void)snprintf(
        disk->vfs_name, sizeof(disk->vfs_name), "deed-disk-%u", atomic_fetch_add(&made, 1) + 1);
    deed__disk_vfs_fill(disk);
    const int code = sqlite3_vfs_register(&disk->vfs, 0);
    if (code != SQLITE_OK) {
        free(disk);
        return deed_error_set(
            err, DEED_E_SYSTEM, DISK_ORIGIN, "cannot register a VFS: %s", sqlite3_errstr(code));
    }
    *disk_out = disk;
    return DEED_OK;
}

deed_rc deed_disk_new(
    const struct deed_disk_options *options, deed_disk **disk_out, struct deed_error *err)
{
    static const struct deed_shape shape = DEED_SHAPE(deed_disk_options, sector_bytes);
    struct deed_disk_options mine;
    deed_rc rc = deed_size_take(&shape, options, &mine, err);
    if (rc == DEED_OK) {
        rc = check_options(&mine, err);
    }
    return rc == DEED_OK ? disk_new(&mine, disk_out, err) : rc;
}

void deed_disk_free(deed_disk *disk)
{
    if (disk != NULL) {
        (void)sqlite3_vfs_unregister(&disk->vfs);
        deed__disk_content_clear(&disk->content);
        deed__disk_index_free_all(disk);
        free(disk->dead);
        free(disk->scratch);
        free(disk);
    }
}

const char *deed_disk_vfs(const deed_disk *disk)
{
    return disk->vfs_name;
}

/* ---- copies ------------------------------------------------------------------------------ */

deed_rc deed_disk_become(deed_disk *disk, const deed_disk *of, struct deed_error *err)
{
    struct content content;
    if (disk == of) {
        return DEED_OK;
    }
    if (disk->files != NULL) {
        return deed_error_set(err, DEED_E_MISUSE, DISK_ORIGIN,
            "a disk that a connection has open cannot become another one: close the connection, or "
            "kill its process");
    }
    if (!deed__disk_content_copy(&of->content, &content)) {
        return no_memory(err);
    }
    deed__disk_content_clear(&disk->content);
    disk->content = content;
    disk->options.sector_bytes = of->options.sector_bytes;
    disk->options.powersafe_off = of->options.powersafe_off;
    disk->options.flush_lies = of->options.flush_lies;
    disk->chance = of->chance;
    disk->no_memory = of->no_memory;
    disk->process = 1;
    disk->dead_count = 0;
    disk->off = false;
    disk->frozen = false;
    disk->events = 0;
    disk->planned = 0;
    disk->plan.counted = 0;
    return DEED_OK;
}

deed_rc deed_disk_copy(const deed_disk *disk, deed_disk **copy_out, struct deed_error *err)
{
    struct deed_disk_options options = disk->options;
    deed_disk *copy = NULL;
    options.choices = NULL;
    deed_rc rc = disk_new(&options, &copy, err);
    if (rc == DEED_OK && copy != NULL) {
        rc = deed_disk_become(copy, disk, err);
    }
    if (rc != DEED_OK) {
        deed_disk_free(copy);
        return rc;
    }
    *copy_out = copy;
    return DEED_OK;
}

/* ---- files from outside ------------------------------------------------------------------ */

deed_rc deed_disk_put(deed_disk *disk, const char *path, const void *bytes, size_t bytes_count,
    struct deed_error *err)
{
    struct name *name = deed__disk_name_new(path);
    struct inode *inode = deed__disk_inode_new();
    bool put =
        name != NULL && inode != NULL && deed__image_write(&inode->now, 0, bytes, bytes_count);
    if (put) {
        inode->durable = deed__image_ref(inode->now);
        put = deed__disk_enter_name(&disk->content.durable, name, inode) &&
            deed__disk_enter_name(&disk->content.now, name, inode);
    }
    deed__disk_inode_unref(inode);
    deed__disk_name_unref(name);
    return put ? DEED_OK : no_memory(err);
}

const void *deed_disk_get(const deed_disk *disk, const char *path, size_t *bytes_count_out)
{
    const struct inode *inode = deed__disk_find(&disk->content.now, path);
    deed_disk *inside = disk->vfs.pAppData; /* the same one: its scratch is not what it holds */
    if (inode == NULL) {
        return NULL;
    }
    const size_t bytes = (size_t)deed__image_bytes(inode->now);
    unsigned char *scratch = realloc(inside->scratch, bytes + 1);
    if (scratch == NULL) {
        return NULL;
    }
    inside->scratch = scratch;
    (void)deed__image_read(inode->now, 0, scratch, bytes);
    *bytes_count_out = bytes;
    return scratch;
}

/* ---- hash and chance --------------------------------------------------------------------- */

/* A sum, since the order of names in a directory says nothing. */
uint64_t deed_disk_hash(const deed_disk *disk, bool durable)
{
    const struct directory *directory = durable ? &disk->content.durable : &disk->content.now;
    uint64_t sum = 0;
    for (size_t i = 0; i < directory->count; i++) {
        const struct entry *entry = &directory->entries[i];
        const struct image *image = durable ? entry->inode->durable : entry->inode->now;
        sum += deed__hash_text(deed__image_hash(image), entry->name->text);
    }
    return deed__mix(sum);
}

void deed_disk_seed(deed_disk *disk, uint64_t seed)
{
    sqlite3_vfs *usual = sqlite3_vfs_find(NULL);
    unsigned char first = 0;
    disk->chance = deed__mix(seed);
    /* SQLite seeds its generator from the default VFS, whichever a connection uses. */
    (void)sqlite3_vfs_register(&disk->vfs, 1);
    sqlite3_randomness(0, NULL);
    sqlite3_randomness(sizeof(first), &first);
    if (usual != NULL) {
        (void)sqlite3_vfs_register(usual, 1);
    }
}
