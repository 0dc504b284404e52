/* SPDX-License-Identifier: MIT
 *
 * pool.h - memory that is given back all at once: the rows an operation reads.
 */
#ifndef DEED_STORES_POOL_H
#define DEED_STORES_POOL_H

#include <deed/base.h>

struct pool_block;

/* Zeroed with its allocator set is empty and valid. */
struct pool {
    const struct deed_allocator *memory;
    struct pool_block *blocks; /* the newest first */
};

/* `bytes` uninitialised bytes, aligned for any type; NULL when there is no memory. */
void *deed__pool_alloc(struct pool *pool, size_t bytes);

/* A copy with a NUL behind it; NULL when there is no memory. */
char *deed__pool_copy(struct pool *pool, const void *data, size_t bytes);

/* Forgets everything, keeps one block for the next use. */
void deed__pool_reset(struct pool *pool);
void deed__pool_free(struct pool *pool);

#endif
