/* SPDX-License-Identifier: MIT
 *
 * Asking the world: counts, requests, effects.
 */
#include "world_impl.h"

#include <stdio.h>
#include <string.h>

#include <deed/ext/error.h>

const char *deed_world_fate_name(deed_world_fate fate)
{
    static const char *const names[] = {
        NULL, "landed", "waiting", "refused", "rejected", "absorbed", "barred", "failed"};
    size_t index = (size_t)fate;
    return index < sizeof(names) / sizeof(names[0]) ? names[index] : NULL;
}

void deed_mock__reference_text(uint64_t effect, char text_out[DEED_MOCK__REFERENCE_BYTES])
{
    (void)snprintf(text_out, DEED_MOCK__REFERENCE_BYTES, "fx-%llu", (unsigned long long)effect);
}

static void add_slot(struct deed_world_counts *sum, const struct deed_world_counts *add)
{
    sum->sends += add->sends;
    sum->effects += add->effects;
    sum->refused += add->refused;
    sum->rejected += add->rejected;
    sum->absorbed += add->absorbed;
    sum->barred += add->barred;
    sum->copies += add->copies;
    sum->waiting += add->waiting;
    sum->lookups += add->lookups;
    sum->polls += add->polls;
    sum->closed += add->closed;
}

/* A key that moved to another account has several slots. */
static struct deed_world_counts provider_key_counts(
    const struct deed_world *world, const char *provider_key)
{
    struct deed_world_counts sum = {.size = 0};
    for (size_t i = 0; i < world->slots.count; i++) {
        const struct deed_mock__slot *slot = deed_mock__slot_at(world, i);
        if (strcmp(deed_mock__text(world, slot->provider_key), provider_key) == 0) {
            add_slot(&sum, &slot->counts);
        }
    }
    return sum;
}

static struct deed_world_counts action_counts(const struct deed_world *world, const char *key)
{
    size_t action = deed_world__find_action(world, key);
    return action != DEED_MOCK__NONE ? deed_mock__action_at(world, action)->counts
                                     : (struct deed_world_counts){.size = 0};
}

deed_rc deed_world_count(deed_world *world, const char *key, const char *provider_key,
    struct deed_world_counts *counts_out, struct deed_error *err)
{
    if (key != NULL && provider_key != NULL) {
        return deed_error_set(err, DEED_E_MISUSE, DEED_MOCK__ORIGIN_WORLD,
            "count for an action key or for a provider key, not for both");
    }
    deed_rc rc = deed_world__enter(world, err);
    if (rc != DEED_OK) {
        return rc;
    }
    struct deed_world_counts counts = world->counts;
    if (key != NULL) {
        counts = action_counts(world, key);
    } else if (provider_key != NULL) {
        counts = provider_key_counts(world, provider_key);
    }
    deed_world__leave(world);
    counts.size = sizeof(counts);
    *counts_out = counts;
    return DEED_OK;
}

uint64_t deed_world_effects(deed_world *world, const char *key)
{
    struct deed_world_counts counts;
    return deed_world_count(world, key, NULL, &counts, NULL) == DEED_OK ? counts.effects
                                                                        : UINT64_MAX;
}

uint64_t deed_world_sends(deed_world *world, const char *key)
{
    struct deed_world_counts counts;
    return deed_world_count(world, key, NULL, &counts, NULL) == DEED_OK ? counts.sends : UINT64_MAX;
}

uint64_t deed_world_provider_key_effects(deed_world *world, const char *provider_key)
{
    struct deed_world_counts counts;
    return deed_world_count(world, NULL, provider_key, &counts, NULL) == DEED_OK ? counts.effects
                                                                                 : UINT64_MAX;
}

static bool is_asked_for(const struct deed_world *world, size_t action, const char *key)
{
    return key == NULL ||
        strcmp(deed_mock__text(world, deed_mock__action_at(world, action)->key), key) == 0;
}

deed_rc deed_world_requests_visit(deed_world *world, const char *key,
    deed_world_request_visit visit, void *context, struct deed_error *err)
{
    deed_rc rc = deed_world__enter(world, err);
    if (rc != DEED_OK) {
        return rc;
    }
    bool goes_on = true;
    for (size_t i = 0; goes_on && i < world->requests.count; i++) {
        const struct deed_mock__request *request = deed_mock__request_at(world, i);
        if (!is_asked_for(world, request->key, key)) {
            continue;
        }
        const struct deed_mock__slot *slot = deed_mock__slot_at(world, request->slot);
        const struct deed_world_request shown = {
            .size = sizeof(shown),
            .number = i + 1,
            .key = deed_mock__text(world, deed_mock__action_at(world, request->key)->key),
            .provider_key = deed_mock__text(world, slot->provider_key),
            .account = deed_mock__text(world, slot->account),
            .endpoint = deed_mock__text(world, slot->endpoint),
            .bytes_digest = request->digest,
            .bytes_count = request->bytes_count,
            .attempt = request->attempt,
            .step = request->step,
            .fate = request->fate,
            .effects = request->effects,
            .sent_ms = request->sent_ms,
            .landed_ms = request->landed_ms,
        };
        goes_on = visit(context, &shown);
    }
    deed_world__leave(world);
    return DEED_OK;
}

deed_rc deed_world_effects_visit(deed_world *world, const char *key, deed_world_effect_visit visit,
    void *context, struct deed_error *err)
{
    deed_rc rc = deed_world__enter(world, err);
    if (rc != DEED_OK) {
        return rc;
    }
    bool goes_on = true;
    for (size_t i = 0; goes_on && i < world->effects.count; i++) {
        const struct deed_mock__effect *effect = deed_mock__effect_at(world, i);
        const struct deed_mock__request *request = deed_mock__request_at(world, effect->request);
        if (!is_asked_for(world, request->key, key)) {
            continue;
        }
        char reference[DEED_MOCK__REFERENCE_BYTES];
        deed_mock__reference_text(i + 1, reference);
        const struct deed_mock__slot *slot = deed_mock__slot_at(world, request->slot);
        const struct deed_world_effect shown = {
            .size = sizeof(shown),
            .number = i + 1,
            .request = effect->request + 1,
            .reference = reference,
            .key = deed_mock__text(world, deed_mock__action_at(world, request->key)->key),
            .provider_key = deed_mock__text(world, slot->provider_key),
            .account = deed_mock__text(world, slot->account),
            .endpoint = deed_mock__text(world, slot->endpoint),
            .landed_ms = effect->landed_ms,
        };
        goes_on = visit(context, &shown);
    }
    deed_world__leave(world);
    return DEED_OK;
}
