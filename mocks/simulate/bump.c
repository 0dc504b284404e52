/* SPDX-License-Identifier: MIT
 *
 * Chunks that are filled from front to back. Only the newest block can grow or be given back alone;
 * with AddressSanitizer the others are poisoned when they are freed, so that a use after it is seen.
 */
#include "simulate/bump.h"

#include <stdlib.h>
#include <string.h>

#include "simulate/fibers.h"

#define CHUNK_BYTES ((size_t)64 * 1024)
#define ALIGNMENT   ((size_t)16)

struct deed_mock__chunk {
    struct deed_mock__chunk *next;
    size_t used;
    size_t capacity;
    _Alignas(max_align_t) unsigned char bytes[];
};

static size_t rounded(size_t bytes)
{
    return (bytes + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
}

static struct deed_mock__chunk *chunk_for(struct deed_mock__bump *bump, size_t bytes)
{
    struct deed_mock__chunk *chunk = bump->spare;
    if (chunk != NULL && chunk->capacity >= bytes) {
        bump->spare = chunk->next;
    } else {
        size_t capacity = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
        chunk = malloc(sizeof(*chunk) + capacity);
        if (chunk == NULL) {
            return NULL;
        }
        chunk->capacity = capacity;
        deed_mock__poison(chunk->bytes, capacity);
    }
    chunk->used = 0;
    chunk->next = bump->chunks;
    bump->chunks = chunk;
    return chunk;
}

static void *take(struct deed_mock__bump *bump, size_t bytes)
{
    size_t needed = rounded(bytes);
    struct deed_mock__chunk *chunk = bump->chunks;
    if (needed < bytes) {
        return NULL;
    }
    if (chunk == NULL || chunk->capacity - chunk->used < needed) {
        chunk = chunk_for(bump, needed);
    }
    if (chunk == NULL) {
        return NULL;
    }
    void *memory = chunk->bytes + chunk->used;
    chunk->used += needed;
    deed_mock__unpoison(memory, bytes);
    return memory;
}

static bool is_newest(const struct deed_mock__bump *bump, const unsigned char *memory, size_t bytes)
{
    const struct deed_mock__chunk *chunk = bump->chunks;
    return chunk != NULL && memory + rounded(bytes) == chunk->bytes + chunk->used;
}

static void give(struct deed_mock__bump *bump, void *memory, size_t bytes)
{
    if (memory == NULL) {
        return;
    }
    if (is_newest(bump, memory, bytes)) {
        bump->chunks->used -= rounded(bytes);
    }
    deed_mock__poison(memory, rounded(bytes));
}

static void *resize(void *self, void *memory, size_t old_bytes, size_t new_bytes)
{
    struct deed_mock__bump *bump = self;
    if (new_bytes == 0) {
        give(bump, memory, old_bytes);
        return NULL;
    }
    if (memory != NULL && new_bytes <= old_bytes) {
        deed_mock__poison((unsigned char *)memory + new_bytes, old_bytes - new_bytes);
        return memory;
    }
    void *made = take(bump, new_bytes);
    if (made != NULL && memory != NULL) {
        memcpy(made, memory, old_bytes);
        give(bump, memory, old_bytes);
    }
    return made;
}

void deed_mock__bump_init(struct deed_mock__bump *bump)
{
    *bump = (struct deed_mock__bump){
        .allocator = {.size = sizeof(struct deed_allocator), .self = bump, .resize = resize}};
}

void deed_mock__bump_reset(struct deed_mock__bump *bump)
{
    while (bump->chunks != NULL) {
        struct deed_mock__chunk *chunk = bump->chunks;
        bump->chunks = chunk->next;
        deed_mock__poison(chunk->bytes, chunk->used);
        chunk->next = bump->spare;
        bump->spare = chunk;
    }
}

void deed_mock__bump_finish(struct deed_mock__bump *bump)
{
    deed_mock__bump_reset(bump);
    while (bump->spare != NULL) {
        struct deed_mock__chunk *chunk = bump->spare;
        bump->spare = chunk->next;
        deed_mock__unpoison(chunk->bytes, chunk->capacity);
        free(chunk);
    }
}
