/* SPDX-License-Identifier: MIT
 *
 * What is told at the boundaries, and kept to be asked for.
 */
#include "http/http_impl.h"

#include <stdlib.h>
#include <string.h>

static const char *const event_words[] = {"request_read", "refused", "accepted", "absorbed",
    "effect", "duplicate", "answer_begun", "answer_done", "lookup_read", "lookup_answered",
    "landed"};

const char *deed__http_event_word(enum deed__http_event_kind kind)
{
    size_t index = (size_t)kind;
    return index < sizeof(event_words) / sizeof(event_words[0]) ? event_words[index] : NULL;
}

/* Events beyond the limit, or without memory, are told and counted, and not kept. */
static void keep(struct deed__http_provider *provider, const struct deed__http_event *event)
{
    if (provider->notes_count == provider->notes_capacity) {
        size_t capacity = provider->notes_capacity == 0 ? 64 : provider->notes_capacity * 2;
        void *notes = provider->notes_count < DEED__HTTP_EVENTS_MAX
            ? reallocarray(provider->notes, capacity, sizeof(*provider->notes))
            : NULL;
        if (notes == NULL) {
            return;
        }
        provider->notes = notes;
        provider->notes_capacity = capacity;
    }
    struct deed__http_note note = {.kind = event->kind,
        .name = strdup(event->name),
        .key = strdup(event->key),
        .method = event->method,
        .at_ms = event->at_ms};
    if (note.name == NULL || note.key == NULL) {
        free(note.name);
        free(note.key);
        return;
    }
    provider->notes[provider->notes_count++] = note;
}

void deed__http_tell(struct deed__http_provider *provider, enum deed__http_event_kind kind,
    const char *name, const char *key, const char *method, int64_t at_ms)
{
    const struct deed__http_event event = {.number = ++provider->events,
        .kind = kind,
        .name = name,
        .key = key,
        .method = method,
        .at_ms = at_ms};
    keep(provider, &event); /* before the watch: it may end this process */
    if (provider->watch != NULL) {
        provider->watch(provider->watch_context, &event);
    }
}

void deed__http_forget_events(struct deed__http_provider *provider)
{
    for (size_t i = 0; i < provider->notes_count; i++) {
        free(provider->notes[i].name);
        free(provider->notes[i].key);
    }
    free(provider->notes);
    provider->notes = NULL;
    provider->notes_count = 0;
    provider->notes_capacity = 0;
    provider->events = 0;
}

json_t *deed__http_events_json(const struct deed__http_provider *provider, uint64_t after)
{
    json_t *events = json_array();
    for (size_t i = (size_t)after; i < provider->notes_count; i++) {
        const struct deed__http_note *note = &provider->notes[i];
        (void)json_array_append_new(events,
            json_pack("{s:I, s:s, s:s, s:s, s:s, s:I}", "number", (json_int_t)i + 1, "event",
                deed__http_event_word(note->kind), "name", note->name, "key", note->key, "method",
                note->method, "at_ms", (json_int_t)note->at_ms));
    }
    return json_pack("{s:o}", "events", events);
}

/* ---- what landed -------------------------------------------------------------------------- */

struct landing {
    struct deed__http_provider *provider;
    uint64_t seen;
    json_t *landed; /* [name, key], because a visit must not call the world, and a watch may */
};

static bool see_effect(void *context, const struct deed_world_effect *effect)
{
    struct landing *landing = context;
    if (effect->number > landing->seen) {
        char keyless[DEED_MOCK__KEYLESS_BYTES];
        deed_mock__keyless_text(effect->key, keyless);
        bool has_key = strcmp(keyless, effect->provider_key) != 0;
        landing->seen = effect->number;
        (void)json_array_append_new(landing->landed,
            json_pack("[s, s, I]", effect->key, has_key ? effect->provider_key : "",
                (json_int_t)effect->landed_ms));
    }
    return true;
}

void deed__http_tell_landed(struct deed__http_provider *provider)
{
    struct landing landing = {provider, provider->effects_seen, json_array()};
    if (deed_world_effects_visit(provider->world, NULL, see_effect, &landing, NULL) == DEED_OK) {
        provider->effects_seen = landing.seen;
        size_t i = 0;
        json_t *each = NULL;
        json_array_foreach(landing.landed, i, each)
        {
            deed__http_tell(provider, DEED__HTTP_LANDED, json_string_value(json_array_get(each, 0)),
                json_string_value(json_array_get(each, 1)), "",
                (int64_t)json_integer_value(json_array_get(each, 2)));
        }
    }
    json_decref(landing.landed);
}
