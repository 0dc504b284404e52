/* SPDX-License-Identifier: MIT */
#include "arena.h"

#include <string.h>

/* Small texts share a block: an attempt has seven of them. */
#define BLOCK_BYTES 2048

struct deed__block {
    struct deed__block *next;
    size_t whole_bytes;
    size_t room;
    size_t used;
    max_align_t content[];
};

void deed__arena_init(struct deed__arena *arena, const struct deed_allocator *memory)
{
    arena->memory = memory;
    arena->blocks = NULL;
    arena->exhausted = false;
}

void deed__arena_finish(struct deed__arena *arena)
{
    while (arena->blocks != NULL) {
        struct deed__block *block = arena->blocks;
        arena->blocks = block->next;
        (void)arena->memory->resize(arena->memory->self, block, block->whole_bytes, 0);
    }
}

static struct deed__block *add_block(struct deed__arena *arena, size_t room)
{
    size_t whole = sizeof(struct deed__block) + room;
    struct deed__block *block = arena->memory->resize(arena->memory->self, NULL, 0, whole);
    if (block == NULL) {
        arena->exhausted = true;
        return NULL;
    }
    block->next = arena->blocks;
    block->whole_bytes = whole;
    block->room = room;
    block->used = 0;
    arena->blocks = block;
    return block;
}

void *deed__arena_take(struct deed__arena *arena, size_t bytes)
{
    size_t unit = sizeof(max_align_t);
    size_t needed = (bytes / unit + 1) * unit;
    struct deed__block *block = arena->blocks;
    if (block == NULL || block->room - block->used < needed) {
        block = add_block(arena, needed > BLOCK_BYTES ? needed : BLOCK_BYTES);
    }
    if (block == NULL) {
        return NULL;
    }
    void *taken = (char *)block->content + block->used;
    block->used += needed;
    memset(taken, 0, bytes);
    return taken;
}

const char *deed__arena_string(struct deed__arena *arena, const char *text)
{
    if (text == NULL) {
        return NULL;
    }
    struct deed_text whole = {text, strlen(text)};
    return deed__arena_text(arena, whole).data;
}

struct deed_text deed__arena_text(struct deed__arena *arena, struct deed_text text)
{
    struct deed_text copy = {NULL, 0};
    if (text.data == NULL) {
        return copy;
    }
    char *data = deed__arena_take(arena, text.bytes + 1);
    if (data == NULL) {
        return copy;
    }
    memcpy(data, text.data, text.bytes);
    data[text.bytes] = '\0';
    copy.data = data;
    copy.bytes = text.bytes;
    return copy;
}
