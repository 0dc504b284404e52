/* SPDX-License-Identifier: MIT
 *
 * Late effects: what waited takes effect, or turns out not to. The rules of keys are those of the
 * moment of landing: a request that was stuck while its key was used and then forgotten causes a
 * second effect, as it would outside.
 */
#include "world_impl.h"

#include <string.h>

bool deed_mock__slot_keeps(const struct deed_mock__slot *slot, int64_t at_ms)
{
    const struct deed_mock__kept *kept = &slot->kept;
    return kept->known &&
        (kept->window_ms == DEED_FOREVER || at_ms - kept->since_ms < kept->window_ms);
}

struct landed {
    deed_world_fate fate;
    uint64_t effects;
    uint64_t absorbed;
    bool keeps;
};

static struct landed decide(
    const struct deed_mock__slot *slot, const struct deed_mock__waiting *waiting, int64_t at_ms)
{
    if (slot->closed && !waiting->ignores_close) {
        return (struct landed){.fate = DEED_WORLD_BARRED};
    }
    if (waiting->rejects) {
        return (struct landed){.fate = DEED_WORLD_REJECTED};
    }
    if (waiting->accepted || !waiting->keyed) {
        return (struct landed){.fate = DEED_WORLD_LANDED, .effects = waiting->copies};
    }
    if (deed_mock__slot_keeps(slot, at_ms)) {
        return (struct landed){.fate = DEED_WORLD_ABSORBED, .absorbed = waiting->copies};
    }
    return (struct landed){
        .fate = DEED_WORLD_LANDED, .effects = 1, .absorbed = waiting->copies - 1, .keeps = true};
}

static deed_rc land_one(
    struct deed_world *world, size_t index, int64_t at_ms, struct deed_error *err)
{
    const struct deed_mock__request *request = deed_mock__request_at(world, index);
    const struct deed_mock__slot *slot = deed_mock__slot_at(world, request->slot);
    struct landed landed = decide(slot, &request->waiting, at_ms);
    const struct deed_mock__line line = {.what = DEED_MOCK__LAND,
        .at_ms = at_ms,
        .request = index + 1,
        .fate = landed.fate,
        .effects = landed.effects,
        .absorbed = landed.absorbed,
        .keeps = {.given = landed.keeps, .window_ms = request->waiting.window_ms}};
    return deed_world__append(world, &line, err);
}

/* The first that is due by `now_ms`, or DEED_MOCK__NONE. */
static size_t first_due(const struct deed_world *world, int64_t now_ms)
{
    const size_t *items = world->waiting.items;
    size_t found = DEED_MOCK__NONE;
    int64_t found_ms = DEED_FOREVER;
    for (size_t i = 0; i < world->waiting.count; i++) {
        const struct deed_mock__waiting *waiting = &deed_mock__request_at(world, items[i])->waiting;
        int64_t due_ms = waiting->landing.due_ms;
        if (!waiting->never && due_ms <= now_ms && due_ms < found_ms) {
            found = items[i];
            found_ms = due_ms;
        }
    }
    return found;
}

deed_rc deed_world__land_due(
    struct deed_world *world, int64_t now_ms, uint64_t *landed, struct deed_error *err)
{
    for (;;) {
        size_t index = first_due(world, now_ms);
        if (index == DEED_MOCK__NONE) {
            return DEED_OK;
        }
        int64_t due_ms = deed_mock__request_at(world, index)->waiting.landing.due_ms;
        deed_rc rc = land_one(world, index, due_ms, err);
        if (rc != DEED_OK) {
            return rc;
        }
        *landed += 1;
    }
}

deed_rc deed_world__move(struct deed_world *world, deed_choices *choices, int64_t now_ms,
    uint64_t *landed, struct deed_error *err)
{
    deed_rc rc = deed_world__land_due(world, now_ms, landed, err);
    if (rc != DEED_OK || choices == NULL || world->waiting.count == 0) {
        return rc;
    }
    uint32_t can_land = 0;
    const size_t *items = world->waiting.items;
    for (size_t i = 0; i < world->waiting.count; i++) {
        can_land += deed_mock__request_at(world, items[i])->waiting.never ? 0 : 1;
    }
    uint32_t chosen = deed_choose(choices, DEED_PURPOSE_BOUNDARY, "world.land", 1 + can_land);
    for (size_t i = 0; chosen > 0 && i < world->waiting.count; i++) {
        chosen -= deed_mock__request_at(world, items[i])->waiting.never ? 0 : 1;
        if (chosen == 0) {
            *landed += 1;
            return land_one(world, items[i], now_ms, err);
        }
    }
    return DEED_OK;
}

typedef bool (*waits_for)(const struct deed_world *world, size_t request, const void *what);

/* Landing takes a request out of the list, so the list is looked at anew after each. */
static deed_rc land_all(struct deed_world *world, waits_for chosen, const void *what,
    int64_t now_ms, uint64_t *landed, struct deed_error *err)
{
    size_t i = 0;
    while (i < world->waiting.count) {
        size_t index = ((const size_t *)world->waiting.items)[i];
        if (deed_mock__request_at(world, index)->waiting.never || !chosen(world, index, what)) {
            i++;
            continue;
        }
        deed_rc rc = land_one(world, index, now_ms, err);
        if (rc != DEED_OK) {
            return rc;
        }
        *landed += 1;
    }
    return DEED_OK;
}

static bool was_looked_for(const struct deed_world *world, size_t request, const void *what)
{
    const size_t *slot = what;
    const struct deed_mock__request *waits = deed_mock__request_at(world, request);
    return waits->slot == *slot &&
        waits->waiting.landing.due_looks <= deed_mock__slot_at(world, *slot)->looks;
}

deed_rc deed_world__land_looked(
    struct deed_world *world, size_t slot, int64_t now_ms, struct deed_error *err)
{
    uint64_t landed = 0;
    return land_all(world, was_looked_for, &slot, now_ms, &landed, err);
}

static bool has_action_key(const struct deed_world *world, size_t request, const void *what)
{
    const char *key = what;
    const struct deed_mock__request *waits = deed_mock__request_at(world, request);
    return key == NULL ||
        strcmp(deed_mock__text(world, deed_mock__action_at(world, waits->key)->key), key) == 0;
}

deed_rc deed_world_land(struct deed_world *world, const char *key, int64_t now_ms,
    uint64_t *landed_out, struct deed_error *err)
{
    uint64_t landed = 0;
    deed_rc rc = deed_world__enter(world, err);
    if (rc != DEED_OK) {
        return rc;
    }
    rc = deed_world__land_due(world, now_ms, &landed, err); /* keeps the order of time */
    if (rc == DEED_OK) {
        rc = land_all(world, has_action_key, key, now_ms, &landed, err);
    }
    deed_world__leave(world);
    if (rc == DEED_OK && landed_out != NULL) {
        *landed_out = landed;
    }
    return rc;
}

static deed_rc move(struct deed_world *world, deed_choices *choices, int64_t now_ms,
    uint64_t *landed_out, struct deed_error *err)
{
    uint64_t landed = 0;
    deed_rc rc = deed_world__enter(world, err);
    if (rc != DEED_OK) {
        return rc;
    }
    rc = deed_world__move(world, choices, now_ms, &landed, err);
    deed_world__leave(world);
    if (rc == DEED_OK && landed_out != NULL) {
        *landed_out = landed;
    }
    return rc;
}

deed_rc deed_world_deliver(
    struct deed_world *world, int64_t now_ms, uint64_t *landed_out, struct deed_error *err)
{
    return move(world, NULL, now_ms, landed_out, err);
}

deed_rc deed_world_move(deed_world *world, deed_choices *choices, int64_t now_ms,
    uint64_t *landed_out, struct deed_error *err)
{
    return move(world, choices, now_ms, landed_out, err);
}
