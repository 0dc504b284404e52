/* SPDX-License-Identifier: MIT
 *
 * Pages with counts, and tables of pages with counts. Both are copied before the first write of
 * whoever shares them.
 */
#include "disk/image.h"

#include <stdlib.h>
#include <string.h>

#include "mix.h"

#define PAGE_BYTES 4096U

struct page {
    uint32_t refs;
    bool hashed;
    uint64_t hash;
    unsigned char bytes[PAGE_BYTES];
};

/* Beyond `bytes` the last page is zero, so that equal files have equal pages. */
struct image {
    uint32_t refs;
    uint64_t bytes;
    size_t pages_count;
    size_t pages_room;
    struct page **pages; /* NULL: a page of zeros */
};

static size_t pages_for(uint64_t bytes)
{
    return (size_t)((bytes + PAGE_BYTES - 1) / PAGE_BYTES);
}

static void page_unref(struct page *page)
{
    if (page != NULL && --page->refs == 0) {
        free(page);
    }
}

struct image *deed__image_ref(struct image *image)
{
    if (image != NULL) {
        image->refs++;
    }
    return image;
}

void deed__image_unref(struct image *image)
{
    if (image != NULL && --image->refs == 0) {
        for (size_t i = 0; i < image->pages_count; i++) {
            page_unref(image->pages[i]);
        }
        free(image->pages);
        free(image);
    }
}

uint64_t deed__image_bytes(const struct image *image)
{
    return image == NULL ? 0 : image->bytes;
}

size_t deed__image_read(
    const struct image *image, uint64_t offset, void *buffer, size_t buffer_bytes)
{
    unsigned char *out = buffer;
    const uint64_t size = deed__image_bytes(image);
    size_t wanted = buffer_bytes;
    if (offset >= size) {
        wanted = 0;
    } else if (size - offset < wanted) {
        wanted = (size_t)(size - offset);
    }
    for (size_t done = 0; done < wanted;) {
        const uint64_t at = offset + done;
        const size_t inside = (size_t)(at % PAGE_BYTES);
        size_t part = PAGE_BYTES - inside;
        part = part < wanted - done ? part : wanted - done;
        const struct page *page = image->pages[at / PAGE_BYTES];
        if (page == NULL) {
            memset(out + done, 0, part);
        } else {
            memcpy(out + done, page->bytes + inside, part);
        }
        done += part;
    }
    memset(out + wanted, 0, buffer_bytes - wanted);
    return wanted;
}

/* ---- changing ---------------------------------------------------------------------------- */

static bool grow_table(struct image *image, size_t pages_count)
{
    if (pages_count > image->pages_room) {
        size_t room = image->pages_room == 0 ? 8 : image->pages_room;
        while (room < pages_count) {
            room *= 2;
        }
        struct page **pages = realloc(image->pages, room * sizeof(struct page *));
        if (pages == NULL) {
            return false;
        }
        image->pages = pages;
        image->pages_room = room;
    }
    while (image->pages_count < pages_count) {
        image->pages[image->pages_count++] = NULL;
    }
    return true;
}

/* An image that nobody else has, with the same pages. */
static bool make_own(struct image **image)
{
    struct image *old = *image;
    if (old != NULL && old->refs == 1) {
        return true;
    }
    struct image *mine = calloc(1, sizeof(*mine));
    if (mine == NULL) {
        return false;
    }
    mine->refs = 1;
    if (old != NULL) {
        if (!grow_table(mine, old->pages_count)) {
            free(mine);
            return false;
        }
        mine->bytes = old->bytes;
        for (size_t i = 0; i < old->pages_count; i++) {
            mine->pages[i] = old->pages[i];
            if (mine->pages[i] != NULL) {
                mine->pages[i]->refs++;
            }
        }
        old->refs--;
    }
    *image = mine;
    return true;
}

/* The page, to be written; `whole`: all of it, so its bytes need not be copied. NULL: no memory. */
static struct page *page_own(struct image *image, size_t number, bool whole)
{
    struct page *old = image->pages[number];
    if (old != NULL && old->refs == 1) {
        old->hashed = false;
        return old;
    }
    struct page *mine = malloc(sizeof(*mine));
    if (mine == NULL) {
        return NULL;
    }
    mine->refs = 1;
    mine->hashed = false;
    if (!whole && old != NULL) {
        memcpy(mine->bytes, old->bytes, PAGE_BYTES);
    } else if (!whole) {
        memset(mine->bytes, 0, PAGE_BYTES);
    }
    page_unref(old);
    image->pages[number] = mine;
    return mine;
}

bool deed__image_write(struct image **image, uint64_t offset, const void *bytes, size_t bytes_count)
{
    const unsigned char *in = bytes;
    const uint64_t end = offset + bytes_count;
    if (bytes_count == 0) {
        return true;
    }
    if (!make_own(image) || !grow_table(*image, pages_for(end))) {
        return false;
    }
    for (size_t done = 0; done < bytes_count;) {
        const uint64_t at = offset + done;
        const size_t inside = (size_t)(at % PAGE_BYTES);
        size_t part = PAGE_BYTES - inside;
        part = part < bytes_count - done ? part : bytes_count - done;
        struct page *page = page_own(*image, (size_t)(at / PAGE_BYTES), part == PAGE_BYTES);
        if (page == NULL) {
            return false;
        }
        memcpy(page->bytes + inside, in + done, part);
        done += part;
    }
    (*image)->bytes = end > (*image)->bytes ? end : (*image)->bytes;
    return true;
}

bool deed__image_resize(struct image **image, uint64_t bytes_count)
{
    if (bytes_count == deed__image_bytes(*image)) {
        return true;
    }
    const size_t pages_count = pages_for(bytes_count);
    if (!make_own(image) || !grow_table(*image, pages_count)) {
        return false;
    }
    struct image *mine = *image;
    const size_t inside = (size_t)(bytes_count % PAGE_BYTES);
    if (mine->pages == NULL) {
        return bytes_count == 0; /* it was empty, and has no table */
    }
    if (bytes_count < mine->bytes && inside != 0 && mine->pages[pages_count - 1] != NULL) {
        struct page *last = page_own(mine, pages_count - 1, false);
        if (last == NULL) {
            return false;
        }
        memset(last->bytes + inside, 0, PAGE_BYTES - inside);
    }
    while (mine->pages_count > pages_count) {
        page_unref(mine->pages[--mine->pages_count]);
    }
    mine->bytes = bytes_count;
    return true;
}

/* ---- hash -------------------------------------------------------------------------------- */

static uint64_t page_hash(struct page *page)
{
    static const unsigned char zeros[PAGE_BYTES];
    if (page == NULL) {
        return deed__hash(0, zeros, PAGE_BYTES);
    }
    if (!page->hashed) {
        page->hash = deed__hash(0, page->bytes, PAGE_BYTES);
        page->hashed = true;
    }
    return page->hash;
}

uint64_t deed__image_hash(const struct image *image)
{
    uint64_t hash = deed__mix(deed__image_bytes(image));
    for (size_t i = 0; image != NULL && i < image->pages_count; i++) {
        hash = deed__mix(hash ^ page_hash(image->pages[i]));
    }
    return hash;
}
