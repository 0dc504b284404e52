/* SPDX-License-Identifier: MIT
 *
 * Memory for rows. Blocks double up to a limit; what is larger gets a block of its own.
 */
#include "pool.h"

#include <string.h>

#define POOL_BLOCK_BYTES_MIN 4096U
#define POOL_BLOCK_BYTES_MAX 65536U

struct pool_block {
    struct pool_block *older;
    size_t capacity; /* of `data` */
    size_t used;
    max_align_t data[];
};

static void block_free(struct pool *pool, struct pool_block *block)
{
    pool->memory->resize(pool->memory->self, block, sizeof(struct pool_block) + block->capacity, 0);
}

static struct pool_block *block_add(struct pool *pool, size_t bytes)
{
    size_t capacity = POOL_BLOCK_BYTES_MIN;
    if (pool->blocks != NULL && pool->blocks->capacity >= capacity) {
        capacity = pool->blocks->capacity * 2;
    }
    if (capacity > POOL_BLOCK_BYTES_MAX) {
        capacity = POOL_BLOCK_BYTES_MAX;
    }
    if (capacity < bytes) {
        capacity = bytes;
    }
    struct pool_block *block =
        pool->memory->resize(pool->memory->self, NULL, 0, sizeof(struct pool_block) + capacity);
    if (block != NULL) {
        block->older = pool->blocks;
        block->capacity = capacity;
        block->used = 0;
        pool->blocks = block;
    }
    return block;
}

void *deed__pool_alloc(struct pool *pool, size_t bytes)
{
    const size_t unit = sizeof(max_align_t);
    if (bytes > SIZE_MAX / 2) {
        return NULL;
    }
    const size_t rounded = (bytes + unit - 1) / unit * unit;
    struct pool_block *block = pool->blocks;
    if (block == NULL || block->capacity - block->used < rounded) {
        block = block_add(pool, rounded);
        if (block == NULL) {
            return NULL;
        }
    }
    void *memory = (unsigned char *)block->data + block->used;
    block->used += rounded;
    return memory;
}

char *deed__pool_copy(struct pool *pool, const void *data, size_t bytes)
{
    char *copy = deed__pool_alloc(pool, bytes + 1);
    if (copy != NULL) {
        if (bytes > 0) {
            memcpy(copy, data, bytes);
        }
        copy[bytes] = '\0';
    }
    return copy;
}

void deed__pool_reset(struct pool *pool)
{
    struct pool_block *kept = NULL;
    while (pool->blocks != NULL) {
        struct pool_block *block = pool->blocks;
        pool->blocks = block->older;
        if (kept == NULL && block->capacity <= POOL_BLOCK_BYTES_MAX) {
            kept = block;
        } else {
            block_free(pool, block);
        }
    }
    if (kept != NULL) {
        kept->older = NULL;
        kept->used = 0;
        pool->blocks = kept;
    }
}

void deed__pool_free(struct pool *pool)
{
    while (pool->blocks != NULL) {
        struct pool_block *block = pool->blocks;
        pool->blocks = block->older;
        block_free(pool, block);
    }
}
