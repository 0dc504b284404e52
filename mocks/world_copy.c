/* SPDX-License-Identifier: MIT
 *
 * Worlds in memory: a copy is a few blocks, since nothing in them points anywhere.
 */
#include "world_impl.h"

#include <stdlib.h>
#include <string.h>

#include <deed/ext/error.h>

static bool list_become(
    struct deed_mock__list *list, const struct deed_mock__list *of, size_t bytes)
{
    if (list->capacity < of->count) {
        void *items = reallocarray(list->items, of->count, bytes);
        if (items == NULL) {
            return false;
        }
        list->items = items;
        list->capacity = of->count;
    }
    if (of->count > 0) {
        memcpy(list->items, of->items, of->count * bytes);
    }
    list->count = of->count;
    return true;
}

static bool index_become(struct deed_mock__index *index, const struct deed_mock__index *of)
{
    if (index->capacity != of->capacity) {
        size_t *cells = of->capacity > 0 ? calloc(of->capacity, sizeof(*cells)) : NULL;
        if (of->capacity > 0 && cells == NULL) {
            return false;
        }
        free(index->cells);
        *index = (struct deed_mock__index){cells, of->capacity};
    }
    if (of->capacity > 0) {
        memcpy(index->cells, of->cells, of->capacity * sizeof(*of->cells));
    }
    return true;
}

static bool become(struct deed_world *world, const struct deed_world *of)
{
    bool done = list_become(&world->requests, &of->requests, sizeof(struct deed_mock__request)) &&
        list_become(&world->effects, &of->effects, sizeof(struct deed_mock__effect)) &&
        list_become(&world->actions, &of->actions, sizeof(struct deed_mock__action)) &&
        list_become(&world->slots, &of->slots, sizeof(struct deed_mock__slot)) &&
        list_become(&world->waiting, &of->waiting, sizeof(size_t)) &&
        list_become(&world->texts, &of->texts, 1) &&
        index_become(&world->action_index, &of->action_index) &&
        index_become(&world->slot_index, &of->slot_index);
    world->lines = of->lines;
    world->counts = of->counts;
    world->hash = of->hash;
    world->is_lost = !done;
    return done;
}

deed_rc deed_world_become(deed_world *world, deed_world *of, struct deed_error *err)
{
    if (world == NULL || of == NULL || world->path != NULL) {
        return deed_error_set(err, DEED_E_MISUSE, DEED_MOCK__ORIGIN_WORLD,
            "only a world in memory can become another one; what a file tells cannot be taken "
            "back");
    }
    if (world == of) {
        return DEED_OK;
    }
    deed_rc rc = deed_world__enter(of, err);
    if (rc != DEED_OK) {
        return rc;
    }
    bool done = become(world, of);
    deed_world__leave(of);
    return done
        ? DEED_OK
        : deed_error_set(err, DEED_E_NOMEM, DEED_MOCK__ORIGIN_WORLD, "no memory for a world");
}

deed_rc deed_world_copy(deed_world *world, deed_world **copy_out, struct deed_error *err)
{
    deed_world *copy = NULL;
    deed_rc rc = deed_world_new(&copy, err);
    if (rc == DEED_OK) {
        rc = deed_world_become(copy, world, err);
    }
    if (rc != DEED_OK) {
        deed_world_close(copy);
        return rc;
    }
    *copy_out = copy;
    return DEED_OK;
}

uint64_t deed_world_hash(deed_world *world)
{
    if (deed_world__enter(world, NULL) != DEED_OK) {
        return UINT64_MAX;
    }
    uint64_t hash = world->hash;
    deed_world__leave(world);
    return hash;
}
