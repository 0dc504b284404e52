/* SPDX-License-Identifier: MIT
 *
 * Where a scene's ledger lives: in memory, or with DEED_SCENE_STORE=sqlite in a file of its own. The
 * same traces run on both.
 */
#ifndef DEED_TESTS_SCENE_STORE_H
#define DEED_TESTS_SCENE_STORE_H

#include <deed/ext/store.h>

struct scene_store;

/* An empty store, and the handle to make the ledger with. Freed by scene_store_end, after all
 * handles are closed. */
struct scene_store *scene_store_new(struct deed_store **first_out);
/* The same; every handle takes its memory from `memory`. */
struct scene_store *scene_store_new_with(
    const struct deed_allocator *memory, struct deed_store **first_out);
/* One more handle on it, as another process would have. */
struct deed_store *scene_store_attach(struct scene_store *store);
void scene_store_end(struct scene_store *store);

#endif
