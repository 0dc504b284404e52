/* SPDX-License-Identifier: MIT
 *
 * Memory that is given back all at once: copies of rows that must outlive their transaction.
 */
#ifndef DEED_CORE_ARENA_H
#define DEED_CORE_ARENA_H

#include <deed/payload.h>

struct deed__block;

struct deed__arena {
    const struct deed_allocator *memory;
    struct deed__block *blocks;
    bool exhausted; /* an allocation failed: what was copied is not complete */
};

void deed__arena_init(struct deed__arena *arena, const struct deed_allocator *memory);
void deed__arena_finish(struct deed__arena *arena);

/* NULL, and `exhausted` from then on, when there is no memory. */
void *deed__arena_take(struct deed__arena *arena, size_t bytes);
/* NULL for NULL. */
const char *deed__arena_string(struct deed__arena *arena, const char *text);
/* data == NULL for data == NULL; otherwise a NUL follows the copy. */
struct deed_text deed__arena_text(struct deed__arena *arena, struct deed_text text);

#endif
