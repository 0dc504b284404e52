/* SPDX-License-Identifier: MIT
 *
 * Questions to a provider: look-up by key, poll by handle, cancel. The truth comes first; what the
 * script makes of it comes after.
 */
#include "provider.h"

#include <stdio.h>
#include <string.h>

#include <deed/payload.h>

/* What there is to see, before anybody tells it. */
struct sight {
    deed_finding_kind kind;
    uint32_t count;
    uint64_t effect; /* number; 0: none */
    size_t request;  /* index, or DEED_MOCK__NONE */
    bool stale;      /* a replica answered that has not caught up */
};

static struct deed_mock__slot *own_slot(const struct deed_world *world,
    const struct deed_mock__provider *provider, const struct deed_question *question)
{
    const struct deed_mock__place place =
        deed_mock__provider_place(provider, question->provider_key);
    size_t index = deed_world__find_slot(world, &place);
    return index != DEED_MOCK__NONE ? deed_mock__slot_at(world, index) : NULL;
}

/* ---- the truth --------------------------------------------------------------------------- */

static bool is_visible(
    const struct deed_mock__provider *provider, int64_t since_ms, int64_t now_ms, bool fresh)
{
    int64_t age_ms = now_ms - since_ms;
    bool caught_up = fresh || (provider->lag_ms != DEED_FOREVER && age_ms >= provider->lag_ms);
    return caught_up && (provider->reach_ms == DEED_FOREVER || age_ms < provider->reach_ms);
}

static void see_effects(const struct deed_world *world, const struct deed_mock__provider *provider,
    const struct deed_mock__slot *slot, int64_t now_ms, bool fresh, struct sight *sight)
{
    for (size_t i = slot->last_effect; i != DEED_MOCK__NONE;
         i = deed_mock__effect_at(world, i)->previous) {
        const struct deed_mock__effect *effect = deed_mock__effect_at(world, i);
        if (is_visible(provider, effect->landed_ms, now_ms, fresh)) {
            sight->kind = DEED_FOUND_PRESENT;
            sight->count++;
            sight->effect = i + 1; /* the oldest one in the end */
            sight->request = effect->request;
        }
    }
}

static void see_requests(const struct deed_world *world, const struct deed_mock__provider *provider,
    const struct deed_mock__slot *slot, int64_t now_ms, bool fresh, struct sight *sight)
{
    for (size_t i = slot->last_request; i != DEED_MOCK__NONE;
         i = deed_mock__request_at(world, i)->previous) {
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

/* An effect is told before what is pending, and that before what was rejected. */
static struct sight look_at(const struct deed_world *world,
    const struct deed_mock__provider *provider, const struct deed_mock__slot *slot, int64_t now_ms,
    bool fresh)
{
    struct sight sight = {.kind = DEED_FOUND_ABSENT, .request = DEED_MOCK__NONE};
    if (slot == NULL) {
        return sight;
    }
    see_effects(world, provider, slot, now_ms, fresh, &sight);
    if (sight.kind == DEED_FOUND_PRESENT && !fresh && slot->stale < provider->stale_looks) {
        return (struct sight){.kind = DEED_FOUND_ABSENT, .request = DEED_MOCK__NONE, .stale = true};
    }
    if (sight.kind == DEED_FOUND_ABSENT) {
        see_requests(world, provider, slot, now_ms, fresh, &sight);
    }
    return sight;
}

/* ---- telling it -------------------------------------------------------------------------- */

static const char *kind_name(deed_finding_kind kind)
{
    static const char *const names[] = {
        "nothing", "present", "rejected", "pending", "absent", "closed"};
    return names[kind];
}

static bool has_bytes_digest(
    const struct deed_world *world, size_t request, const struct deed_question *question)
{
    char hex[DEED_DIGEST_TEXT_BYTES];
    if (request == DEED_MOCK__NONE || question->bytes_digest == NULL) {
        return false;
    }
    deed_digest_text(question->bytes_digest, hex);
    return strcmp(deed_mock__request_at(world, request)->digest, hex) == 0;
}

static void tell(const struct deed_world *world, const struct deed_question *question,
    const struct sight *sight, struct deed_finding *finding)
{
    finding->kind = sight->kind;
    finding->complete = true;
    finding->count = sight->count;
    finding->marker_matches = sight->request != DEED_MOCK__NONE;
    finding->digest_matches = has_bytes_digest(world, sight->request, question);
    if (sight->effect != 0) {
        deed_mock__reference_text(sight->effect, finding->reference);
    }
    if (sight->kind == DEED_FOUND_PENDING) {
        deed_mock__handle_text(sight->request + 1, finding->handle);
    }
}

static void tell_of_another(struct deed_finding *finding)
{
    if (finding->kind != DEED_FOUND_PRESENT) {
        (void)snprintf(finding->reference, sizeof(finding->reference), "fx-other");
        finding->marker_matches = true;
        finding->digest_matches = true;
        finding->handle[0] = '\0';
        finding->count = 1;
        finding->kind = DEED_FOUND_PRESENT;
    }
}

/* What the script makes of the truth. */
static void twist(const struct deed_mock__saying *saying, struct deed_finding *finding)
{
    switch (saying->say) {
    case DEED_MOCK__SAY_TRUTH:
    case DEED_MOCK__SAY_FRESH:
        return;
    case DEED_MOCK__SAY_ERROR:
    case DEED_MOCK__SAY_LOSE:
        *finding = (struct deed_finding){.size = finding->size};
        return;
    case DEED_MOCK__SAY_INCOMPLETE: /* the page that was read does not hold it; there are more pages */
    case DEED_MOCK__SAY_ABSENT:
        *finding = (struct deed_finding){.size = finding->size,
            .kind = DEED_FOUND_ABSENT,
            .complete = saying->say == DEED_MOCK__SAY_ABSENT};
        return;
    case DEED_MOCK__SAY_WRONG_MARKER:
        tell_of_another(finding);
        finding->marker_matches = false;
        return;
    case DEED_MOCK__SAY_WRONG_DIGEST:
        tell_of_another(finding);
        finding->digest_matches = false;
        return;
    case DEED_MOCK__SAY_SEVERAL:
        if (finding->kind == DEED_FOUND_PRESENT) {
            finding->count = (uint32_t)saying->count;
        }
        return;
    case DEED_MOCK__SAY_PRESENT:
        tell_of_another(finding);
        return;
    }
}

static void write_excerpt(struct deed_finding *finding)
{
    if (finding->kind == DEED_FOUND_NOTHING) {
        return;
    }
    int bytes = snprintf(finding->excerpt, sizeof(finding->excerpt),
        "{\"status\":\"%s\",\"id\":\"%s\",\"count\":%u}", kind_name(finding->kind),
        finding->reference, (unsigned)finding->count);
    finding->excerpt_bytes = bytes > 0 ? (size_t)bytes : 0;
}

static struct deed_mock__line line_of(enum deed_mock__happening what,
    const struct deed_mock__provider *provider, const struct deed_question *question,
    int64_t now_ms, const struct deed_finding *finding)
{
    return (struct deed_mock__line){.what = what,
        .at_ms = now_ms,
        .key = question->key,
        .place = deed_mock__provider_place(provider, question->provider_key),
        .saw = kind_name(finding->kind)};
}

/* ---- look-up ----------------------------------------------------------------------------- */

static deed_rc look(struct deed_world *world, const struct deed_mock__provider *provider,
    const struct deed_question *question, int64_t now_ms, struct deed_finding *finding,
    struct deed_error *err)
{
    uint64_t landed = 0;
    deed_rc rc = deed_world__land_due(world, now_ms, &landed, err);
    if (rc != DEED_OK) {
        return rc;
    }
    const struct deed_mock__slot *slot = own_slot(world, provider, question);
    const struct deed_mock__script *script =
        deed_mock__script_for(&provider->lookups_by_key, &provider->lookups, question->key);
    const struct deed_mock__saying *saying =
        deed_mock__saying_for(script, 1 + (slot != NULL ? slot->lookups : 0));
    struct sight sight =
        look_at(world, provider, slot, now_ms, saying->say == DEED_MOCK__SAY_FRESH);
    struct deed_finding told = {.size = finding->size};
    tell(world, question, &sight, &told);
    twist(saying, &told);
    write_excerpt(&told);
    struct deed_mock__line line = line_of(DEED_MOCK__LOOK, provider, question, now_ms, &told);
    line.is_stale = sight.stale;
    rc = deed_world__append(world, &line, err);
    if (rc != DEED_OK) {
        return rc;
    }
    *finding = told;
    const struct deed_mock__place place =
        deed_mock__provider_place(provider, question->provider_key);
    return deed_world__land_looked(world, deed_world__find_slot(world, &place), now_ms, err);
}

deed_rc deed_mock__provider_look(struct deed_world *world,
    const struct deed_mock__provider *provider, const struct deed_question *question,
    int64_t now_ms, struct deed_finding *finding, struct deed_error *err)
{
    deed_rc rc = deed_world__enter(world, err);
    if (rc != DEED_OK) {
        return rc;
    }
    rc = look(world, provider, question, now_ms, finding, err);
    deed_world__leave(world);
    return rc;
}

/* ---- poll -------------------------------------------------------------------------------- */

/* By handle alone, as providers do; whose it is the caller finds out by the marker. */
static struct sight look_at_operation(const struct deed_world *world,
    const struct deed_mock__provider *provider, const struct deed_question *question)
{
    struct sight sight = {.kind = DEED_FOUND_NOTHING, .request = DEED_MOCK__NONE};
    uint64_t number = deed_mock__handle_number(question->handle);
    if (number == 0 || number > world->requests.count) {
        return sight;
    }
    size_t index = (size_t)(number - 1);
    const struct deed_mock__request *request = deed_mock__request_at(world, index);
    const struct deed_mock__slot *slot = deed_mock__slot_at(world, request->slot);
    if (strcmp(deed_mock__text(world, slot->account), provider->account) != 0 ||
        strcmp(deed_mock__text(world, slot->endpoint), provider->endpoint) != 0) {
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

static deed_rc poll_operation(struct deed_world *world, const struct deed_mock__provider *provider,
    const struct deed_question *question, int64_t now_ms, struct deed_finding *finding,
    struct deed_error *err)
{
    uint64_t landed = 0;
    deed_rc rc = deed_world__land_due(world, now_ms, &landed, err);
    if (rc != DEED_OK) {
        return rc;
    }
    const struct deed_mock__slot *slot = own_slot(world, provider, question);
    const struct deed_mock__saying *saying =
        deed_mock__saying_for(&provider->polls_script, 1 + (slot != NULL ? slot->polls : 0));
    struct sight sight = look_at_operation(world, provider, question);
    struct deed_finding told = {.size = finding->size};
    if (sight.kind != DEED_FOUND_NOTHING) {
        tell(world, question, &sight, &told);
        const struct deed_mock__request *request = deed_mock__request_at(world, sight.request);
        const char *provider_key =
            deed_mock__text(world, deed_mock__slot_at(world, request->slot)->provider_key);
        told.marker_matches = strcmp(provider_key, question->provider_key) == 0;
        twist(saying, &told);
        write_excerpt(&told);
    }
    const struct deed_mock__line line = line_of(DEED_MOCK__POLL, provider, question, now_ms, &told);
    rc = deed_world__append(world, &line, err);
    if (rc != DEED_OK) {
        return rc;
    }
    *finding = told;
    const struct deed_mock__place place =
        deed_mock__provider_place(provider, question->provider_key);
    return deed_world__land_looked(world, deed_world__find_slot(world, &place), now_ms, err);
}

deed_rc deed_mock__provider_poll(struct deed_world *world,
    const struct deed_mock__provider *provider, const struct deed_question *question,
    int64_t now_ms, struct deed_finding *finding, struct deed_error *err)
{
    deed_rc rc = deed_world__enter(world, err);
    if (rc != DEED_OK) {
        return rc;
    }
    rc = poll_operation(world, provider, question, now_ms, finding, err);
    deed_world__leave(world);
    return rc;
}

/* ---- cancel ------------------------------------------------------------------------------ */

/* Without lag and without reach: whoever can bar an effect is the one that knows of all of them. */
static struct sight look_before_closing(
    const struct deed_world *world, const struct deed_mock__slot *slot)
{
    struct sight sight = {.kind = DEED_FOUND_CLOSED, .request = DEED_MOCK__NONE};
    size_t i = slot != NULL ? slot->last_effect : DEED_MOCK__NONE;
    for (; i != DEED_MOCK__NONE; i = deed_mock__effect_at(world, i)->previous) {
        sight.kind = DEED_FOUND_PRESENT;
        sight.count++;
        sight.effect = i + 1;
        sight.request = deed_mock__effect_at(world, i)->request;
    }
    return sight;
}

static deed_rc cancel(struct deed_world *world, const struct deed_mock__provider *provider,
    const struct deed_question *question, int64_t now_ms, struct deed_finding *finding,
    struct deed_error *err)
{
    uint64_t landed = 0;
    deed_rc rc = deed_world__land_due(world, now_ms, &landed, err);
    if (rc != DEED_OK) {
        return rc;
    }
    const struct deed_mock__slot *slot = own_slot(world, provider, question);
    const struct deed_mock__saying *saying =
        deed_mock__saying_for(&provider->cancels, 1 + (slot != NULL ? slot->cancels : 0));
    struct sight sight = look_before_closing(world, slot);
    bool closes = sight.kind == DEED_FOUND_CLOSED && saying->say != DEED_MOCK__SAY_ERROR;
    struct deed_finding told = {.size = finding->size};
    tell(world, question, &sight, &told);
    told.marker_matches = told.marker_matches || sight.kind == DEED_FOUND_CLOSED;
    twist(saying, &told);
    write_excerpt(&told);
    struct deed_mock__line line = line_of(DEED_MOCK__CANCEL, provider, question, now_ms, &told);
    line.closes = closes;
    rc = deed_world__append(world, &line, err);
    if (rc == DEED_OK) {
        *finding = told;
    }
    return rc;
}

deed_rc deed_mock__provider_cancel(struct deed_world *world,
    const struct deed_mock__provider *provider, const struct deed_question *question,
    int64_t now_ms, struct deed_finding *finding, struct deed_error *err)
{
    deed_rc rc = deed_world__enter(world, err);
    if (rc != DEED_OK) {
        return rc;
    }
    rc = cancel(world, provider, question, now_ms, finding, err);
    deed_world__leave(world);
    return rc;
}
