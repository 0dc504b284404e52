/* SPDX-License-Identifier: MIT
 *
 * Method: sizes are rounded up to a power of two; each has a list of free blocks, and the rest is cut
 * from one large mapping that is never given back.
 */
#include "support/sqlite_pool.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include <sqlite3.h>

#define POOL_BYTES  ((size_t)256 << 20)
#define HEAD_BYTES  16
#define SIZE_FIRST  5 /* 32 bytes */
#define SIZE_COUNT  24
#define BLOCK_BYTES ((size_t)1 << SIZE_FIRST)

struct block {
    uint64_t size; /* index into `freed` */
    struct block *next;
};

static struct {
    unsigned char *start;
    size_t used;
    struct block *freed[SIZE_COUNT];
} pool;

static size_t size_of(int bytes)
{
    size_t size = 0;
    while ((BLOCK_BYTES << size) < (size_t)bytes + HEAD_BYTES) {
        size++;
    }
    return size;
}

static struct block *head_of(void *memory)
{
    return (struct block *)(void *)((unsigned char *)memory - HEAD_BYTES);
}

static void *pool_malloc(int bytes)
{
    size_t size = size_of(bytes);
    if (size >= SIZE_COUNT) {
        return NULL;
    }
    struct block *block = pool.freed[size];
    if (block != NULL) {
        pool.freed[size] = block->next;
    } else if ((BLOCK_BYTES << size) <= POOL_BYTES - pool.used) {
        block = (struct block *)(void *)(pool.start + pool.used);
        pool.used += BLOCK_BYTES << size;
        block->size = size;
    } else {
        return NULL;
    }
    return (unsigned char *)block + HEAD_BYTES;
}

static void pool_free(void *memory)
{
    if (memory != NULL) {
        struct block *block = head_of(memory);
        block->next = pool.freed[block->size];
        pool.freed[block->size] = block;
    }
}

static int pool_size(void *memory)
{
    return memory == NULL ? 0 : (int)((BLOCK_BYTES << head_of(memory)->size) - HEAD_BYTES);
}

static void *pool_realloc(void *memory, int bytes)
{
    int room = pool_size(memory);
    if (bytes <= room) {
        return memory;
    }
    void *moved = pool_malloc(bytes);
    if (moved != NULL && memory != NULL) {
        memcpy(moved, memory, (size_t)room);
        pool_free(memory);
    }
    return moved;
}

static int pool_round_up(int bytes)
{
    return (int)((BLOCK_BYTES << size_of(bytes)) - HEAD_BYTES);
}

/* A process that forks thousands of times keeps little: the kernel copies the map of all it has. */
/* NOLINTBEGIN(readability-identifier-naming): the name is libasan's */
__attribute__((visibility("default"))) const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
    return "quarantine_size_mb=4:malloc_context_size=4";
}
/* NOLINTEND(readability-identifier-naming) */

static int pool_start(void *self)
{
    (void)self;
    return SQLITE_OK;
}

static void pool_end(void *self)
{
    (void)self;
}

bool sqlite_pool_install(void)
{
    static const sqlite3_mem_methods methods = {.xMalloc = pool_malloc,
        .xFree = pool_free,
        .xRealloc = pool_realloc,
        .xSize = pool_size,
        .xRoundup = pool_round_up,
        .xInit = pool_start,
        .xShutdown = pool_end};
    void *start = mmap(NULL, POOL_BYTES, PROT_READ | PROT_WRITE,
        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (start == MAP_FAILED) {
        return false;
    }
    pool.start = start;
    return sqlite3_config(SQLITE_CONFIG_MALLOC, &methods) == SQLITE_OK &&
        sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0) == SQLITE_OK;
}
