/* SPDX-License-Identifier: MIT
 *
 * Names, inodes and directories, each counted; and copies of all of it that share their bytes.
 */
#include <stdlib.h>
#include <string.h>

#include "disk/disk.h"

struct name *deed__disk_name_new(const char *text)
{
    const size_t bytes = strlen(text) + 1;
    struct name *name = malloc(sizeof(*name) + bytes);
    if (name != NULL) {
        name->refs = 1;
        memcpy(name->text, text, bytes);
    }
    return name;
}

struct name *deed__disk_name_ref(struct name *name)
{
    if (name != NULL) {
        name->refs++;
    }
    return name;
}

void deed__disk_name_unref(struct name *name)
{
    if (name != NULL && --name->refs == 0) {
        free(name);
    }
}

struct inode *deed__disk_inode_new(void)
{
    struct inode *inode = calloc(1, sizeof(*inode));
    if (inode != NULL) {
        inode->refs = 1;
    }
    return inode;
}

struct inode *deed__disk_inode_ref(struct inode *inode)
{
    if (inode != NULL) {
        inode->refs++;
    }
    return inode;
}

void deed__disk_inode_unref(struct inode *inode)
{
    if (inode != NULL && --inode->refs == 0) {
        deed__image_unref(inode->now);
        deed__image_unref(inode->durable);
        free(inode);
    }
}

/* ---- directories ------------------------------------------------------------------------- */

static struct entry *entry_of(const struct directory *directory, const char *name)
{
    for (size_t i = 0; i < directory->count; i++) {
        if (strcmp(directory->entries[i].name->text, name) == 0) {
            return &directory->entries[i];
        }
    }
    return NULL;
}

struct inode *deed__disk_find(const struct directory *directory, const char *name)
{
    const struct entry *entry = entry_of(directory, name);
    return entry == NULL ? NULL : entry->inode;
}

static bool make_room(struct directory *directory, size_t count)
{
    if (count > directory->room) {
        const size_t room = count < 8 ? 8 : 2 * count;
        struct entry *entries = realloc(directory->entries, room * sizeof(*entries));
        if (entries == NULL) {
            return false;
        }
        directory->entries = entries;
        directory->room = room;
    }
    return true;
}

bool deed__disk_enter_name(struct directory *directory, struct name *name, struct inode *inode)
{
    struct entry *entry = entry_of(directory, name->text);
    if (entry != NULL) {
        struct inode *old = entry->inode;
        entry->inode = deed__disk_inode_ref(inode);
        deed__disk_inode_unref(old);
        return true;
    }
    if (!make_room(directory, directory->count + 1)) {
        return false;
    }
    directory->entries[directory->count++] =
        (struct entry){deed__disk_name_ref(name), deed__disk_inode_ref(inode)};
    return true;
}

static void entry_clear(const struct entry *entry)
{
    deed__disk_name_unref(entry->name);
    deed__disk_inode_unref(entry->inode);
}

void deed__disk_remove_name(struct directory *directory, const char *name)
{
    struct entry *entry = entry_of(directory, name);
    if (entry != NULL) {
        const struct entry gone = *entry;
        *entry = directory->entries[--directory->count];
        entry_clear(&gone);
    }
}

void deed__disk_directory_clear(struct directory *directory)
{
    for (size_t i = 0; i < directory->count; i++) {
        entry_clear(&directory->entries[i]);
    }
    free(directory->entries);
    *directory = (struct directory){NULL, 0, 0};
}

/* ---- all of it --------------------------------------------------------------------------- */

void deed__disk_content_clear(struct content *content)
{
    for (uint32_t i = 0; i < content->units_count; i++) {
        deed__disk_unit_clear(&content->units[i]);
    }
    free(content->units);
    deed__disk_directory_clear(&content->now);
    deed__disk_directory_clear(&content->durable);
    memset(content, 0, sizeof(*content));
}

/* The copy of an inode, made at its first meeting. The meeting itself takes no reference. */
static struct inode *twin_of(struct inode *inode)
{
    if (inode->twin == NULL) {
        struct inode *twin = deed__disk_inode_new();
        if (twin == NULL) {
            return NULL;
        }
        twin->refs = 0;
        twin->diverged = inode->diverged;
        twin->now = deed__image_ref(inode->now);
        twin->durable = deed__image_ref(inode->durable);
        inode->twin = twin;
    }
    return inode->twin;
}

static bool copy_directory(const struct directory *directory, struct directory *copy)
{
    if (!make_room(copy, directory->count)) {
        return false;
    }
    for (size_t i = 0; i < directory->count; i++) {
        const struct entry *entry = &directory->entries[i];
        struct inode *twin = twin_of(entry->inode);
        if (twin == NULL) {
            return false;
        }
        copy->entries[copy->count++] =
            (struct entry){deed__disk_name_ref(entry->name), deed__disk_inode_ref(twin)};
    }
    return true;
}

static bool copy_units(const struct content *content, struct content *copy)
{
    if (content->units_count == 0) {
        return true;
    }
    copy->units = malloc(content->units_count * sizeof(*copy->units));
    if (copy->units == NULL) {
        return false;
    }
    copy->units_room = content->units_count;
    for (uint32_t i = 0; i < content->units_count; i++) {
        struct unit unit = content->units[i];
        if (unit.inode != NULL) {
            unit.inode = twin_of(unit.inode);
            if (unit.inode == NULL) {
                return false;
            }
        }
        copy->units[copy->units_count++] = unit;
        deed__disk_unit_ref(&copy->units[i]);
    }
    return true;
}

static void forget_twins(const struct content *content)
{
    const struct directory *directories[] = {&content->now, &content->durable};
    for (size_t d = 0; d < 2; d++) {
        for (size_t i = 0; i < directories[d]->count; i++) {
            directories[d]->entries[i].inode->twin = NULL;
        }
    }
    for (uint32_t i = 0; i < content->units_count; i++) {
        if (content->units[i].inode != NULL) {
            content->units[i].inode->twin = NULL;
        }
    }
}

bool deed__disk_content_copy(const struct content *content, struct content *copy_out)
{
    memset(copy_out, 0, sizeof(*copy_out));
    const bool copied = copy_directory(&content->now, &copy_out->now) &&
        copy_directory(&content->durable, &copy_out->durable) && copy_units(content, copy_out);
    forget_twins(content);
    if (!copied) {
        deed__disk_content_clear(copy_out);
    }
    return copied;
}
