/* SPDX-License-Identifier: MIT
 *
 * What the lines of a world add up to. Five kinds of line: a request went out; something that waited
 * has landed; somebody looked; somebody polled; somebody asked to close a key. Whoever writes a line has decided
 * already; nothing is decided here.
 */
#include "world_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <deed/ext/error.h>

#include "json_read.h"
#include "mix.h"

static deed_rc no_memory(struct deed_error *err)
{
    return deed_error_set(err, DEED_E_NOMEM, DEED_MOCK__ORIGIN_WORLD, "no memory for a world");
}

static deed_rc not_a_line(const char *member, struct deed_error *err)
{
    return deed_error_set(
        err, DEED_E_SYSTEM, DEED_MOCK__ORIGIN_WORLD, "this is no line of a world: %s", member);
}

/* ---- lists and indexes ------------------------------------------------------------------- */

/* Room for so many more, zeroed; NULL without memory. The count grows when the caller says so. */
static void *list_room(struct deed_mock__list *list, size_t item_bytes, size_t more)
{
    if (list->capacity - list->count < more) {
        size_t capacity = list->capacity == 0 ? 16 : list->capacity * 2;
        capacity = capacity - list->count < more ? list->count + more : capacity;
        void *items = reallocarray(list->items, capacity, item_bytes);
        if (items == NULL) {
            return NULL;
        }
        list->items = items;
        list->capacity = capacity;
    }
    return memset((char *)list->items + list->count * item_bytes, 0, more * item_bytes);
}

static void *list_next(struct deed_mock__list *list, size_t item_bytes)
{
    return list_room(list, item_bytes, 1);
}

/* Where the copy stands among the texts of the world, or DEED_MOCK__NONE. */
static size_t text_add(struct deed_world *world, const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = list_room(&world->texts, 1, bytes);
    if (copy == NULL) {
        return DEED_MOCK__NONE;
    }
    memcpy(copy, text, bytes);
    world->texts.count += bytes;
    return world->texts.count - bytes;
}

static uint64_t mix_text(uint64_t hash, const char *text)
{
    return deed__hash_text(hash, text != NULL ? text : "");
}

static const uint64_t hash_start = 1;

static uint64_t place_hash(const struct deed_mock__place *place)
{
    return mix_text(
        mix_text(mix_text(hash_start, place->endpoint), place->account), place->provider_key);
}

static bool is_action(const struct deed_world *world, size_t action, uint64_t hash, const void *key)
{
    const struct deed_mock__action *found = deed_mock__action_at(world, action);
    return found->hash == hash && strcmp(deed_mock__text(world, found->key), key) == 0;
}

static bool is_slot(const struct deed_world *world, size_t slot, uint64_t hash, const void *what)
{
    const struct deed_mock__place *place = what;
    const struct deed_mock__slot *found = deed_mock__slot_at(world, slot);
    return found->hash == hash &&
        strcmp(deed_mock__text(world, found->provider_key), place->provider_key) == 0 &&
        strcmp(deed_mock__text(world, found->account), place->account) == 0 &&
        strcmp(deed_mock__text(world, found->endpoint), place->endpoint) == 0;
}

typedef bool (*is_same)(
    const struct deed_world *world, size_t item, uint64_t hash, const void *what);

static size_t index_find(const struct deed_world *world, const struct deed_mock__index *index,
    uint64_t hash, is_same same, const void *what)
{
    if (index->capacity == 0) {
        return DEED_MOCK__NONE;
    }
    size_t cell = (size_t)hash & (index->capacity - 1);
    while (index->cells[cell] != 0) {
        if (same(world, index->cells[cell] - 1, hash, what)) {
            return index->cells[cell] - 1;
        }
        cell = (cell + 1) & (index->capacity - 1);
    }
    return DEED_MOCK__NONE;
}

static void index_put(struct deed_mock__index *index, uint64_t hash, size_t item)
{
    size_t cell = (size_t)hash & (index->capacity - 1);
    while (index->cells[cell] != 0) {
        cell = (cell + 1) & (index->capacity - 1);
    }
    index->cells[cell] = item + 1;
}

typedef uint64_t (*hash_of)(const struct deed_world *world, size_t item);

static uint64_t action_hash(const struct deed_world *world, size_t item)
{
    return deed_mock__action_at(world, item)->hash;
}

static uint64_t slot_hash(const struct deed_world *world, size_t item)
{
    return deed_mock__slot_at(world, item)->hash;
}

/* Room for item number `count`, of which those before are in the index. */
static bool index_grow(
    const struct deed_world *world, struct deed_mock__index *index, size_t count, hash_of item_hash)
{
    if (count < index->capacity / 2) {
        return true;
    }
    size_t capacity = index->capacity == 0 ? 16 : index->capacity * 2;
    size_t *cells = calloc(capacity, sizeof(*cells));
    if (cells == NULL) {
        return false;
    }
    free(index->cells);
    *index = (struct deed_mock__index){cells, capacity};
    for (size_t i = 0; i < count; i++) {
        index_put(index, item_hash(world, i), i);
    }
    return true;
}

size_t deed_world__find_action(const struct deed_world *world, const char *key)
{
    return index_find(world, &world->action_index, mix_text(hash_start, key), is_action, key);
}

size_t deed_world__find_slot(const struct deed_world *world, const struct deed_mock__place *place)
{
    return index_find(world, &world->slot_index, place_hash(place), is_slot, place);
}

static size_t action_add(struct deed_world *world, const char *key)
{
    struct deed_mock__action made = {
        .key = text_add(world, key), .hash = mix_text(hash_start, key)};
    struct deed_mock__action *action = list_next(&world->actions, sizeof(*action));
    if (action == NULL || made.key == DEED_MOCK__NONE ||
        !index_grow(world, &world->action_index, world->actions.count, action_hash)) {
        return DEED_MOCK__NONE;
    }
    *action = made;
    index_put(&world->action_index, made.hash, world->actions.count);
    return world->actions.count++;
}

static size_t slot_add(struct deed_world *world, const struct deed_mock__place *place)
{
    struct deed_mock__slot made = {.endpoint = text_add(world, place->endpoint),
        .account = text_add(world, place->account),
        .provider_key = text_add(world, place->provider_key),
        .hash = place_hash(place),
        .last_request = DEED_MOCK__NONE,
        .last_effect = DEED_MOCK__NONE};
    struct deed_mock__slot *slot = list_next(&world->slots, sizeof(*slot));
    if (slot == NULL || made.endpoint == DEED_MOCK__NONE || made.account == DEED_MOCK__NONE ||
        made.provider_key == DEED_MOCK__NONE ||
        !index_grow(world, &world->slot_index, world->slots.count, slot_hash)) {
        return DEED_MOCK__NONE;
    }
    *slot = made;
    index_put(&world->slot_index, made.hash, world->slots.count);
    return world->slots.count++;
}

/* ---- who --------------------------------------------------------------------------------- */

static deed_rc who_and_where(struct deed_world *world, const struct deed_mock__line *line,
    size_t *action_out, size_t *slot_out, struct deed_error *err)
{
    if (line->key[0] == '\0' || line->place.provider_key[0] == '\0') {
        return not_a_line("whose key?", err);
    }
    /* Both are found before anything is added: a text of the line may be one of the world's. */
    size_t action = deed_world__find_action(world, line->key);
    size_t slot = deed_world__find_slot(world, &line->place);
    if (action == DEED_MOCK__NONE) {
        action = action_add(world, line->key);
    }
    if (slot == DEED_MOCK__NONE) {
        slot = slot_add(world, &line->place);
    }
    if (action == DEED_MOCK__NONE || slot == DEED_MOCK__NONE) {
        return no_memory(err);
    }
    *action_out = action;
    *slot_out = slot;
    return DEED_OK;
}

/* ---- requests ---------------------------------------------------------------------------- */

static void fold_keeps(
    struct deed_mock__slot *slot, const struct deed_mock__line *line, size_t request)
{
    if (!line->keeps.given) {
        return;
    }
    slot->kept = (struct deed_mock__kept){
        .known = true,
        .since_ms = line->at_ms,
        .window_ms = line->keeps.window_ms,
        .request = request,
        .is_error = line->keeps.is_error,
        .verdict = line->keeps.verdict,
    };
}

static deed_rc fold_effects(struct deed_world *world, const struct deed_mock__line *line,
    size_t request_index, struct deed_error *err)
{
    uint64_t count = line->effects;
    if (count > 1 + DEED_MOCK__COUNT_MAX) {
        return not_a_line("no request has so many effects", err);
    }
    struct deed_mock__request *request = deed_mock__request_at(world, request_index);
    struct deed_mock__slot *slot = deed_mock__slot_at(world, request->slot);
    for (uint64_t i = 0; i < count; i++) {
        struct deed_mock__effect *effect = list_next(&world->effects, sizeof(*effect));
        if (effect == NULL) {
            return no_memory(err);
        }
        effect->request = request_index;
        effect->previous = slot->last_effect;
        effect->landed_ms = line->at_ms;
        slot->last_effect = world->effects.count++;
        if (request->first_effect == 0) {
            request->first_effect = world->effects.count;
            request->landed_ms = effect->landed_ms;
        }
    }
    request->effects += count;
    return DEED_OK;
}

/* What a line changes in the counts; added to those of the action, of the slot and of the world. */
static void add_counts(
    struct deed_world *world, size_t action, size_t slot, const struct deed_world_counts *add)
{
    struct deed_world_counts *all[] = {&world->counts, &deed_mock__action_at(world, action)->counts,
        &deed_mock__slot_at(world, slot)->counts};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        all[i]->sends += add->sends;
        all[i]->effects += add->effects;
        all[i]->refused += add->refused;
        all[i]->rejected += add->rejected;
        all[i]->absorbed += add->absorbed;
        all[i]->barred += add->barred;
        all[i]->copies += add->copies;
        all[i]->waiting += add->waiting; /* wraps on purpose where one less waits */
        all[i]->lookups += add->lookups;
        all[i]->polls += add->polls;
        all[i]->closed += add->closed;
    }
}

static deed_rc waiting_add(struct deed_world *world, size_t request, struct deed_error *err)
{
    size_t *item = list_next(&world->waiting, sizeof(*item));
    if (item == NULL) {
        return no_memory(err);
    }
    *item = request;
    world->waiting.count++;
    return DEED_OK;
}

static deed_rc fold_request(
    struct deed_world *world, const struct deed_mock__line *line, struct deed_error *err)
{
    size_t action = 0;
    size_t slot = 0;
    deed_rc rc = who_and_where(world, line, &action, &slot, err);
    if (rc != DEED_OK) {
        return rc;
    }
    struct deed_mock__request *request = list_next(&world->requests, sizeof(*request));
    if (request == NULL) {
        return no_memory(err);
    }
    request->key = action;
    request->slot = slot;
    request->previous = deed_mock__slot_at(world, slot)->last_request;
    request->attempt = line->attempt;
    (void)snprintf(request->digest, sizeof(request->digest), "%s", line->digest);
    request->bytes_count = line->bytes_count;
    (void)snprintf(request->step, sizeof(request->step), "%s", line->step);
    request->fate = line->fate;
    request->sent_ms = line->at_ms;
    request->waiting = line->waiting;
    if (request->fate == 0 || line->request != world->requests.count + 1) {
        return not_a_line("which request?", err);
    }
    size_t index = world->requests.count++;
    deed_mock__slot_at(world, slot)->last_request = index;
    fold_keeps(deed_mock__slot_at(world, slot), line, index);
    add_counts(world, action, slot,
        &(struct deed_world_counts){.sends = 1,
            .effects = line->effects,
            .refused = request->fate == DEED_WORLD_REFUSED ? 1 : 0,
            .rejected = request->fate == DEED_WORLD_REJECTED ? 1 : 0,
            .absorbed = line->absorbed,
            .barred = request->fate == DEED_WORLD_BARRED ? 1 : 0,
            .copies = line->copies,
            .waiting = request->waiting.copies > 0 ? 1 : 0});
    if (request->waiting.copies > 0) {
        rc = waiting_add(world, index, err);
    }
    return rc == DEED_OK ? fold_effects(world, line, index, err) : rc;
}

/* ---- landing ----------------------------------------------------------------------------- */

static void waiting_remove(struct deed_world *world, size_t request)
{
    size_t *items = world->waiting.items;
    for (size_t i = 0; i < world->waiting.count; i++) {
        if (items[i] == request) {
            memmove(items + i, items + i + 1, (world->waiting.count - i - 1) * sizeof(*items));
            world->waiting.count--;
            return;
        }
    }
}

static deed_rc fold_land(
    struct deed_world *world, const struct deed_mock__line *line, struct deed_error *err)
{
    uint64_t number = line->request;
    if (number == 0 || number > world->requests.count) {
        return not_a_line("which request?", err);
    }
    size_t index = (size_t)(number - 1);
    struct deed_mock__request *request = deed_mock__request_at(world, index);
    deed_world_fate fate = line->fate;
    if (request->waiting.copies == 0 || fate == 0) {
        return not_a_line("nothing waits there", err);
    }
    request->waiting.copies = 0;
    waiting_remove(world, index);
    if (request->fate == DEED_WORLD_WAITING || fate == DEED_WORLD_LANDED) {
        request->fate = fate;
        request->landed_ms = request->landed_ms != 0 ? request->landed_ms : line->at_ms;
    }
    fold_keeps(deed_mock__slot_at(world, request->slot), line, index);
    add_counts(world, request->key, request->slot,
        &(struct deed_world_counts){.effects = line->effects,
            .rejected = fate == DEED_WORLD_REJECTED ? 1 : 0,
            .absorbed = line->absorbed,
            .barred = fate == DEED_WORLD_BARRED ? 1 : 0,
            .waiting = UINT64_MAX});
    return fold_effects(world, line, index, err);
}

/* ---- questions -------------------------------------------------------------------------- */

static deed_rc fold_question(struct deed_world *world, const struct deed_mock__line *line,
    const struct deed_world_counts *add, struct deed_error *err)
{
    bool is_cancel = add->lookups == 0 && add->polls == 0;
    size_t action = 0;
    size_t slot_index = 0;
    deed_rc rc = who_and_where(world, line, &action, &slot_index, err);
    if (rc != DEED_OK) {
        return rc;
    }
    struct deed_mock__slot *slot = deed_mock__slot_at(world, slot_index);
    slot->looks += add->lookups + add->polls;
    slot->lookups += add->lookups;
    slot->polls += add->polls;
    slot->stale += line->is_stale ? 1 : 0;
    slot->cancels += is_cancel ? 1 : 0;
    slot->closed = slot->closed || add->closed > 0;
    add_counts(world, action, slot_index, add);
    return DEED_OK;
}

/* Two worlds to which the same things happened have the same hash. */
static void mix_line(struct deed_world *world, const struct deed_mock__line *line)
{
    const struct deed_mock__waiting *waiting = &line->waiting;
    uint64_t numbers[14] = {(uint64_t)line->what, (uint64_t)line->at_ms, line->request,
        line->attempt, (uint64_t)line->fate, line->effects, line->absorbed, line->copies,
        (uint64_t)line->is_stale | (uint64_t)line->closes << 1};
    if (waiting->copies > 0) { /* otherwise its other members mean nothing */
        numbers[9] = waiting->copies << 8 | (uint64_t)waiting->accepted |
            (uint64_t)waiting->rejects << 1 | (uint64_t)waiting->never << 2 |
            (uint64_t)waiting->keyed << 3 | (uint64_t)waiting->ignores_close << 4;
        numbers[10] = (uint64_t)waiting->landing.due_ms;
        numbers[11] = waiting->landing.due_looks;
    }
    if (line->keeps.given) {
        numbers[12] = (uint64_t)line->keeps.window_ms;
        numbers[13] = 1 + (uint64_t)line->keeps.is_error +
            (line->keeps.is_error ? (uint64_t)line->keeps.verdict << 2 : 0);
    }
    uint64_t hash =
        deed__hash(world->hash != 0 ? world->hash : hash_start, numbers, sizeof(numbers));
    hash = mix_text(mix_text(hash, line->key), line->place.provider_key);
    hash = mix_text(mix_text(hash, line->place.account), line->digest);
    world->hash = mix_text(mix_text(hash, line->step), line->saw);
}

static deed_rc fold(
    struct deed_world *world, const struct deed_mock__line *line, struct deed_error *err)
{
    switch (line->what) {
    case DEED_MOCK__REQUEST:
        return fold_request(world, line, err);
    case DEED_MOCK__LAND:
        return fold_land(world, line, err);
    case DEED_MOCK__LOOK:
        return fold_question(world, line, &(struct deed_world_counts){.lookups = 1}, err);
    case DEED_MOCK__POLL:
        return fold_question(world, line, &(struct deed_world_counts){.polls = 1}, err);
    case DEED_MOCK__CANCEL:
        return fold_question(
            world, line, &(struct deed_world_counts){.closed = line->closes ? 1 : 0}, err);
    }
    return not_a_line("what happened?", err);
}

deed_rc deed_world__fold(
    struct deed_world *world, const struct deed_mock__line *line, struct deed_error *err)
{
    deed_rc rc = fold(world, line, err);
    if (rc == DEED_OK) {
        mix_line(world, line);
    }
    return rc;
}

void deed_world__forget(struct deed_world *world)
{
    struct deed_mock__list *lists[] = {&world->requests, &world->effects, &world->actions,
        &world->slots, &world->waiting, &world->texts};
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        free(lists[i]->items);
        *lists[i] = (struct deed_mock__list){NULL, 0, 0};
    }
    free(world->action_index.cells);
    free(world->slot_index.cells);
    world->action_index = (struct deed_mock__index){NULL, 0};
    world->slot_index = (struct deed_mock__index){NULL, 0};
    world->counts = (struct deed_world_counts){.size = 0};
    world->hash = 0;
    world->lines = 0;
    world->read_to = 0;
}
