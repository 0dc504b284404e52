/* SPDX-License-Identifier: MIT
 *
 * The truth a provider can see: with lag and reach for look-ups, whole for whoever closes a key.
 */
#include "provider_see.h"

#include <string.h>

/* ---- what a question is about ------------------------------------------------------------ */

static bool is_here(
    const struct deed_world *world, const struct deed_mock__provider *provider, size_t request)
{
    const struct deed_mock__slot *slot =
        deed_mock__slot_at(world, deed_mock__request_at(world, request)->slot);
    return strcmp(deed_mock__text(world, slot->account), provider->account) == 0 &&
        strcmp(deed_mock__text(world, slot->endpoint), provider->endpoint) == 0;
}

static bool is_of_action(
    const struct deed_world *world, const struct deed_mock__scope *scope, size_t request)
{
    return deed_mock__request_at(world, request)->key == scope->action &&
        is_here(world, scope->provider, request);
}

size_t deed_mock__previous_request(
    const struct deed_world *world, const struct deed_mock__scope *scope, size_t index)
{
    if (!scope->wide) {
        return deed_mock__request_at(world, index)->previous;
    }
    while (index-- > 0) {
        if (is_of_action(world, scope, index)) {
            return index;
        }
    }
    return DEED_MOCK__NONE;
}

size_t deed_mock__last_request(const struct deed_world *world, const struct deed_mock__scope *scope)
{
    if (scope->wide) {
        return scope->action == DEED_MOCK__NONE
            ? DEED_MOCK__NONE
            : deed_mock__previous_request(world, scope, world->requests.count);
    }
    return scope->slot == DEED_MOCK__NONE ? DEED_MOCK__NONE
                                          : deed_mock__slot_at(world, scope->slot)->last_request;
}

static size_t previous_effect(
    const struct deed_world *world, const struct deed_mock__scope *scope, size_t index)
{
    if (!scope->wide) {
        return deed_mock__effect_at(world, index)->previous;
    }
    while (index-- > 0) {
        if (is_of_action(world, scope, deed_mock__effect_at(world, index)->request)) {
            return index;
        }
    }
    return DEED_MOCK__NONE;
}

static size_t last_effect(const struct deed_world *world, const struct deed_mock__scope *scope)
{
    if (scope->wide) {
        return scope->action == DEED_MOCK__NONE
            ? DEED_MOCK__NONE
            : previous_effect(world, scope, world->effects.count);
    }
    return scope->slot == DEED_MOCK__NONE ? DEED_MOCK__NONE
                                          : deed_mock__slot_at(world, scope->slot)->last_effect;
}

void deed_mock__scope_of(const struct deed_world *world, const struct deed_mock__provider *provider,
    const struct deed_question *question, struct deed_mock__scope *scope_out)
{
    *scope_out = (struct deed_mock__scope){.provider = provider,
        .provider_key = question->provider_key,
        .wide = question->provider_key == NULL,
        .slot = DEED_MOCK__NONE,
        .action = DEED_MOCK__NONE};
    if (scope_out->wide) {
        scope_out->action = deed_world__find_action(world, question->key);
        size_t newest = deed_mock__last_request(world, scope_out);
        deed_mock__keyless_text(question->key, scope_out->keyless);
        scope_out->provider_key = newest == DEED_MOCK__NONE
            ? scope_out->keyless
            : deed_mock__text(world,
                  deed_mock__slot_at(world, deed_mock__request_at(world, newest)->slot)
                      ->provider_key);
    }
    const struct deed_mock__place place =
        deed_mock__provider_place(provider, scope_out->provider_key);
    scope_out->slot = deed_world__find_slot(world, &place);
}

/* ---- the truth --------------------------------------------------------------------------- */

static bool is_visible(
    const struct deed_mock__provider *provider, int64_t since_ms, int64_t now_ms, bool fresh)
{
    int64_t age_ms = now_ms - since_ms;
    bool caught_up = fresh || (provider->lag_ms != DEED_FOREVER && age_ms >= provider->lag_ms);
    return caught_up && (provider->reach_ms == DEED_FOREVER || age_ms < provider->reach_ms);
}

static void see_effects(const struct deed_world *world, const struct deed_mock__scope *scope,
    int64_t now_ms, bool fresh, struct deed_mock__sight *sight)
{
    for (size_t i = last_effect(world, scope); i != DEED_MOCK__NONE;
         i = previous_effect(world, scope, i)) {
        const struct deed_mock__effect *effect = deed_mock__effect_at(world, i);
        if (is_visible(scope->provider, effect->landed_ms, now_ms, fresh)) {
            sight->kind = DEED_FOUND_PRESENT;
            sight->count++;
            sight->effect = i + 1; /* the oldest one in the end */
            sight->request = effect->request;
        }
    }
}

static void see_requests(const struct deed_world *world, const struct deed_mock__scope *scope,
    int64_t now_ms, bool fresh, struct deed_mock__sight *sight)
{
    const struct deed_mock__provider *provider = scope->provider;
    for (size_t i = deed_mock__last_request(world, scope); i != DEED_MOCK__NONE;
         i = deed_mock__previous_request(world, scope, i)) {
        const struct deed_mock__request *request = deed_mock__request_at(world, i);
        bool is_pending =
            provider->shows_pending && request->waiting.accepted && request->waiting.copies > 0;
        bool is_rejected = provider->shows_rejected && request->fate == DEED_WORLD_REJECTED;
        int64_t since_ms = request->landed_ms != 0 ? request->landed_ms : request->sent_ms;
        if ((!is_pending && !is_rejected) || !is_visible(provider, since_ms, now_ms, fresh)) {
            continue;
        }
        if (is_pending || sight->kind == DEED_FOUND_ABSENT) {
            sight->kind = is_pending ? DEED_FOUND_PENDING : DEED_FOUND_REJECTED;
            sight->request = i;
        }
    }
}

struct deed_mock__sight deed_mock__see(const struct deed_world *world,
    const struct deed_mock__scope *scope, int64_t now_ms, bool fresh)
{
    struct deed_mock__sight sight = {.kind = DEED_FOUND_ABSENT, .request = DEED_MOCK__NONE};
    uint64_t stale =
        scope->slot != DEED_MOCK__NONE ? deed_mock__slot_at(world, scope->slot)->stale : 0;
    see_effects(world, scope, now_ms, fresh, &sight);
    if (sight.kind == DEED_FOUND_PRESENT && !fresh && stale < scope->provider->stale_looks) {
        return (struct deed_mock__sight){
            .kind = DEED_FOUND_ABSENT, .request = DEED_MOCK__NONE, .stale = true};
    }
    if (sight.kind == DEED_FOUND_ABSENT) {
        see_requests(world, scope, now_ms, fresh, &sight);
    }
    return sight;
}

struct deed_mock__sight deed_mock__see_all(
    const struct deed_world *world, const struct deed_mock__scope *scope)
{
    struct deed_mock__sight sight = {.kind = DEED_FOUND_CLOSED, .request = DEED_MOCK__NONE};
    for (size_t i = last_effect(world, scope); i != DEED_MOCK__NONE;
         i = previous_effect(world, scope, i)) {
        sight.kind = DEED_FOUND_PRESENT;
        sight.count++;
        sight.effect = i + 1;
        sight.request = deed_mock__effect_at(world, i)->request;
    }
    return sight;
}

struct deed_mock__sight deed_mock__see_operation(
    const struct deed_world *world, const struct deed_mock__provider *provider, const char *handle)
{
    struct deed_mock__sight sight = {.kind = DEED_FOUND_NOTHING, .request = DEED_MOCK__NONE};
    uint64_t number = deed_mock__handle_number(handle);
    if (number == 0 || number > world->requests.count) {
        return sight;
    }
    size_t index = (size_t)(number - 1);
    const struct deed_mock__request *request = deed_mock__request_at(world, index);
    if (!is_here(world, provider, index)) {
        return sight;
    }
    sight.request = index;
    sight.kind = DEED_FOUND_ABSENT;
    if (request->waiting.copies > 0 && request->waiting.accepted) {
        sight.kind = DEED_FOUND_PENDING;
    } else if (request->effects > 0) {
        sight.kind = DEED_FOUND_PRESENT;
        sight.count = (uint32_t)request->effects;
        sight.effect = request->first_effect;
    } else if (request->fate == DEED_WORLD_REJECTED) {
        sight.kind = DEED_FOUND_REJECTED;
    }
    return sight;
}
