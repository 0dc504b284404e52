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

/* Room for one more, zeroed; NULL without memory. The count grows when the caller says so. */
static void *list_next(struct deed_mock__list *list, size_t item_bytes)
{
    if (list->count == list->capacity) {
        size_t capacity = list->capacity == 0 ? 16 : list->capacity * 2;
        void *items = reallocarray(list->items, capacity, item_bytes);
        if (items == NULL) {
            return NULL;
        }
        list->items = items;
        list->capacity = capacity;
    }
    return memset((char *)list->items + list->count * item_bytes, 0, item_bytes);
}

static size_t index_find(const json_t *index, const char *name)
{
    const json_t *found = json_object_get(index, name);
    return found == NULL ? DEED_MOCK__NONE : (size_t)json_integer_value(found);
}

static bool index_add(json_t **index, const char *name, size_t value)
{
    if (*index == NULL) {
        *index = json_object();
    }
    return json_object_set_new_nocheck(*index, name, json_integer((json_int_t)value)) == 0;
}

size_t deed_world__find_action(const struct deed_world *world, const char *key)
{
    return index_find(world->action_index, key);
}

/* Endpoint and account come first and have no newline inside: that makes the name unique. */
static char *slot_name(const struct deed_mock__place *place)
{
    char *name = NULL;
    if (asprintf(&name, "%s\n%s\n%s", place->endpoint, place->account, place->provider_key) < 0) {
        return NULL;
    }
    return name;
}

size_t deed_world__find_slot(const struct deed_world *world, const struct deed_mock__place *place)
{
    char *name = slot_name(place);
    size_t found = name != NULL ? index_find(world->slot_index, name) : DEED_MOCK__NONE;
    free(name);
    return found;
}

static size_t action_add(struct deed_world *world, const char *key)
{
    struct deed_mock__action *action = list_next(&world->actions, sizeof(*action));
    char *copy = strdup(key);
    if (action == NULL || copy == NULL ||
        !index_add(&world->action_index, key, world->actions.count)) {
        free(copy);
        return DEED_MOCK__NONE;
    }
    action->key = copy;
    return world->actions.count++;
}

static size_t slot_add(struct deed_world *world, const struct deed_mock__place *place)
{
    struct deed_mock__slot made = {.last_request = DEED_MOCK__NONE, .last_effect = DEED_MOCK__NONE};
    struct deed_mock__slot *slot = list_next(&world->slots, sizeof(*slot));
    char *name = slot_name(place);
    made.endpoint = strdup(place->endpoint);
    made.account = strdup(place->account);
    made.provider_key = strdup(place->provider_key);
    bool done = slot != NULL && name != NULL && made.endpoint != NULL && made.account != NULL &&
        made.provider_key != NULL && index_add(&world->slot_index, name, world->slots.count);
    free(name);
    if (!done) {
        free(made.endpoint);
        free(made.account);
        free(made.provider_key);
        return DEED_MOCK__NONE;
    }
    *slot = made;
    return world->slots.count++;
}

/* ---- members of a line ------------------------------------------------------------------- */

static const char *text_of(const json_t *line, const char *member)
{
    const char *text = json_string_value(json_object_get(line, member));
    return text != NULL ? text : "";
}

static int64_t number_of(const json_t *line, const char *member)
{
    return (int64_t)json_integer_value(json_object_get(line, member));
}

static uint64_t count_of(const json_t *line, const char *member)
{
    int64_t number = number_of(line, member);
    return number > 0 ? (uint64_t)number : 0;
}

static bool flag_of(const json_t *line, const char *member)
{
    return json_is_true(json_object_get(line, member));
}

static deed_rc who_and_where(struct deed_world *world, const json_t *line, size_t *action_out,
    size_t *slot_out, struct deed_error *err)
{
    const struct deed_mock__place place = {
        text_of(line, "endpoint"), text_of(line, "account"), text_of(line, "provider_key")};
    const char *key = text_of(line, "key");
    if (key[0] == '\0' || place.provider_key[0] == '\0') {
        return not_a_line("whose key?", err);
    }
    size_t action = deed_world__find_action(world, key);
    if (action == DEED_MOCK__NONE) {
        action = action_add(world, key);
    }
    size_t slot = deed_world__find_slot(world, &place);
    if (slot == DEED_MOCK__NONE) {
        slot = slot_add(world, &place);
    }
    if (action == DEED_MOCK__NONE || slot == DEED_MOCK__NONE) {
        return no_memory(err);
    }
    *action_out = action;
    *slot_out = slot;
    return DEED_OK;
}

/* ---- requests ---------------------------------------------------------------------------- */

static deed_world_fate fate_of(const json_t *line)
{
    const char *text = text_of(line, "fate");
    for (deed_world_fate fate = DEED_WORLD_LANDED; deed_world_fate_name(fate) != NULL; fate++) {
        if (strcmp(text, deed_world_fate_name(fate)) == 0) {
            return fate;
        }
    }
    return (deed_world_fate)0;
}

static struct deed_mock__waiting waiting_of(const json_t *waiting)
{
    const json_t *due_ms = json_object_get(waiting, "due_ms");
    const json_t *due_looks = json_object_get(waiting, "due_looks");
    return (struct deed_mock__waiting){
        .copies = count_of(waiting, "copies"),
        .accepted = flag_of(waiting, "accepted"),
        .rejects = flag_of(waiting, "rejects"),
        .never = flag_of(waiting, "never"),
        .keyed = flag_of(waiting, "keyed"),
        .window_ms = number_of(waiting, "window_ms"),
        .ignores_close = flag_of(waiting, "ignores_close"),
        .landing.due_ms = due_ms != NULL ? (int64_t)json_integer_value(due_ms) : DEED_FOREVER,
        .landing.due_looks =
            due_looks != NULL ? (uint64_t)json_integer_value(due_looks) : UINT64_MAX,
    };
}

static deed_verdict verdict_of(const json_t *keeps)
{
    const char *text = text_of(keeps, "verdict");
    if (strcmp(text, "rejected") == 0) {
        return DEED_VERDICT_REJECTED;
    }
    return strcmp(text, "not_applied") == 0 ? DEED_VERDICT_NOT_APPLIED : DEED_VERDICT_UNKNOWN;
}

static void fold_keeps(struct deed_mock__slot *slot, const json_t *line, size_t request)
{
    const json_t *keeps = json_object_get(line, "keeps");
    if (keeps == NULL) {
        return;
    }
    slot->kept = (struct deed_mock__kept){
        .known = true,
        .since_ms = number_of(line, "at_ms"),
        .window_ms = number_of(keeps, "window_ms"),
        .request = request,
        .is_error = json_object_get(keeps, "verdict") != NULL,
        .verdict = verdict_of(keeps),
    };
}

static deed_rc fold_effects(
    struct deed_world *world, const json_t *line, size_t request_index, struct deed_error *err)
{
    uint64_t count = count_of(line, "effects");
    struct deed_mock__request *request = deed_mock__request_at(world, request_index);
    struct deed_mock__slot *slot = deed_mock__slot_at(world, request->slot);
    for (uint64_t i = 0; i < count; i++) {
        struct deed_mock__effect *effect = list_next(&world->effects, sizeof(*effect));
        if (effect == NULL) {
            return no_memory(err);
        }
        effect->request = request_index;
        effect->previous = slot->last_effect;
        effect->landed_ms = number_of(line, "at_ms");
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

static deed_rc fold_request(struct deed_world *world, const json_t *line, struct deed_error *err)
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
    request->attempt = (uint32_t)count_of(line, "attempt");
    (void)snprintf(request->digest, sizeof(request->digest), "%s", text_of(line, "digest"));
    request->bytes_count = count_of(line, "bytes");
    (void)snprintf(request->step, sizeof(request->step), "%s", text_of(line, "step"));
    request->fate = fate_of(line);
    request->sent_ms = number_of(line, "at_ms");
    request->waiting = waiting_of(json_object_get(line, "waiting"));
    if (request->fate == 0 || count_of(line, "request") != world->requests.count + 1) {
        return not_a_line("which request?", err);
    }
    size_t index = world->requests.count++;
    deed_mock__slot_at(world, slot)->last_request = index;
    fold_keeps(deed_mock__slot_at(world, slot), line, index);
    add_counts(world, action, slot,
        &(struct deed_world_counts){.sends = 1,
            .effects = count_of(line, "effects"),
            .refused = request->fate == DEED_WORLD_REFUSED ? 1 : 0,
            .rejected = request->fate == DEED_WORLD_REJECTED ? 1 : 0,
            .absorbed = count_of(line, "absorbed"),
            .barred = request->fate == DEED_WORLD_BARRED ? 1 : 0,
            .copies = count_of(line, "copies"),
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

static deed_rc fold_land(struct deed_world *world, const json_t *line, struct deed_error *err)
{
    uint64_t number = count_of(line, "request");
    if (number == 0 || number > world->requests.count) {
        return not_a_line("which request?", err);
    }
    size_t index = (size_t)(number - 1);
    struct deed_mock__request *request = deed_mock__request_at(world, index);
    deed_world_fate fate = fate_of(line);
    if (request->waiting.copies == 0 || fate == 0) {
        return not_a_line("nothing waits there", err);
    }
    request->waiting.copies = 0;
    waiting_remove(world, index);
    if (request->fate == DEED_WORLD_WAITING || fate == DEED_WORLD_LANDED) {
        request->fate = fate;
        request->landed_ms =
            request->landed_ms != 0 ? request->landed_ms : number_of(line, "at_ms");
    }
    fold_keeps(deed_mock__slot_at(world, request->slot), line, index);
    add_counts(world, request->key, request->slot,
        &(struct deed_world_counts){.effects = count_of(line, "effects"),
            .rejected = fate == DEED_WORLD_REJECTED ? 1 : 0,
            .absorbed = count_of(line, "absorbed"),
            .barred = fate == DEED_WORLD_BARRED ? 1 : 0,
            .waiting = UINT64_MAX});
    return fold_effects(world, line, index, err);
}

/* ---- questions -------------------------------------------------------------------------- */

static deed_rc fold_question(struct deed_world *world, const json_t *line,
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
    slot->stale += flag_of(line, "stale") ? 1 : 0;
    slot->cancels += is_cancel ? 1 : 0;
    slot->closed = slot->closed || add->closed > 0;
    add_counts(world, action, slot_index, add);
    return DEED_OK;
}

deed_rc deed_world__fold(struct deed_world *world, const json_t *line, struct deed_error *err)
{
    const char *what = text_of(line, "what");
    if (strcmp(what, "request") == 0) {
        return fold_request(world, line, err);
    }
    if (strcmp(what, "land") == 0) {
        return fold_land(world, line, err);
    }
    if (strcmp(what, "look") == 0) {
        return fold_question(world, line, &(struct deed_world_counts){.lookups = 1}, err);
    }
    if (strcmp(what, "poll") == 0) {
        return fold_question(world, line, &(struct deed_world_counts){.polls = 1}, err);
    }
    if (strcmp(what, "cancel") == 0) {
        uint64_t closed = flag_of(line, "closed") ? 1 : 0;
        return fold_question(world, line, &(struct deed_world_counts){.closed = closed}, err);
    }
    return not_a_line("what happened?", err);
}

void deed_world__forget(struct deed_world *world)
{
    for (size_t i = 0; i < world->actions.count; i++) {
        free(deed_mock__action_at(world, i)->key);
    }
    for (size_t i = 0; i < world->slots.count; i++) {
        struct deed_mock__slot *slot = deed_mock__slot_at(world, i);
        free(slot->endpoint);
        free(slot->account);
        free(slot->provider_key);
    }
    struct deed_mock__list *lists[] = {
        &world->requests, &world->effects, &world->actions, &world->slots, &world->waiting};
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        free(lists[i]->items);
        *lists[i] = (struct deed_mock__list){NULL, 0, 0};
    }
    json_decref(world->action_index);
    json_decref(world->slot_index);
    world->action_index = NULL;
    world->slot_index = NULL;
    world->counts = (struct deed_world_counts){.size = 0};
    world->lines = 0;
    world->read_to = 0;
}
