/* SPDX-License-Identifier: MIT
 *
 * Questions to a provider: look-up by key, poll by handle, cancel. The truth comes first
 * (provider_see.c); what the script makes of it comes after.
 */
#include "provider_see.h"

#include <stdio.h>
#include <string.h>

#include <deed/payload.h>

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

static void tell_whose(const struct deed_world *world, size_t request, struct deed_mock__told *told)
{
    if (request == DEED_MOCK__NONE) {
        return;
    }
    const struct deed_mock__request *seen = deed_mock__request_at(world, request);
    size_t provider_key = deed_mock__slot_at(world, seen->slot)->provider_key;
    (void)snprintf(
        told->provider_key, sizeof(told->provider_key), "%s", deed_mock__text(world, provider_key));
    memcpy(told->digest, seen->digest, sizeof(told->digest));
}

static void tell(const struct deed_world *world, const struct deed_question *question,
    const struct deed_mock__sight *sight, struct deed_mock__told *told)
{
    struct deed_finding *finding = &told->finding;
    finding->kind = sight->kind;
    finding->complete = true;
    finding->count = sight->count;
    finding->marker_matches = sight->request != DEED_MOCK__NONE;
    finding->digest_matches = has_bytes_digest(world, sight->request, question);
    tell_whose(world, sight->request, told);
    if (sight->effect != 0) {
        deed_mock__reference_text(sight->effect, finding->reference);
    }
    if (sight->kind == DEED_FOUND_PENDING) {
        deed_mock__handle_text(sight->request + 1, finding->handle);
    }
}

static void tell_of_another(const struct deed_question *question, struct deed_mock__told *told)
{
    struct deed_finding *finding = &told->finding;
    if (finding->kind != DEED_FOUND_PRESENT) {
        (void)snprintf(finding->reference, sizeof(finding->reference), "fx-other");
        finding->marker_matches = true;
        finding->digest_matches = true;
        finding->handle[0] = '\0';
        finding->count = 1;
        finding->kind = DEED_FOUND_PRESENT;
        if (question->provider_key != NULL) {
            (void)snprintf(
                told->provider_key, sizeof(told->provider_key), "%s", question->provider_key);
        }
    }
}

static void tell_nothing(struct deed_mock__told *told)
{
    *told = (struct deed_mock__told){.finding.size = told->finding.size, .lost = told->lost};
}

/* What the script makes of the truth. */
static void twist(const struct deed_mock__saying *saying, const struct deed_question *question,
    struct deed_mock__told *told)
{
    switch (saying->say) {
    case DEED_MOCK__SAY_TRUTH:
    case DEED_MOCK__SAY_FRESH:
        return;
    case DEED_MOCK__SAY_LOSE:
        told->lost = true;
        tell_nothing(told);
        return;
    case DEED_MOCK__SAY_ERROR:
        tell_nothing(told);
        return;
    case DEED_MOCK__SAY_INCOMPLETE: /* the page that was read does not hold it; there are more pages */
    case DEED_MOCK__SAY_ABSENT:
        tell_nothing(told);
        told->finding.kind = DEED_FOUND_ABSENT;
        told->finding.complete = saying->say == DEED_MOCK__SAY_ABSENT;
        return;
    case DEED_MOCK__SAY_WRONG_MARKER:
        tell_of_another(question, told);
        told->finding.marker_matches = false;
        (void)snprintf(told->provider_key, sizeof(told->provider_key), "another-key");
        return;
    case DEED_MOCK__SAY_WRONG_DIGEST:
        tell_of_another(question, told);
        told->finding.digest_matches = false;
        memset(told->digest, '0', sizeof(told->digest) - 1);
        return;
    case DEED_MOCK__SAY_SEVERAL:
        if (told->finding.kind == DEED_FOUND_PRESENT) {
            told->finding.count = (uint32_t)saying->count;
        }
        return;
    case DEED_MOCK__SAY_PRESENT:
        tell_of_another(question, told);
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
    const struct deed_mock__scope *scope, const struct deed_question *question, int64_t now_ms,
    const struct deed_mock__told *told)
{
    return (struct deed_mock__line){.what = what,
        .at_ms = now_ms,
        .key = question->key,
        .place = deed_mock__provider_place(scope->provider, scope->provider_key),
        .saw = kind_name(told->finding.kind)};
}

/* The n-th of the script, or one that is chosen. */
static struct deed_mock__saying saying_of(const struct deed_mock__provider *provider,
    const struct deed_mock__script *script, uint64_t number, enum deed_mock__asking asking)
{
    return provider->freedom != NULL ? deed_mock__choose_saying(provider, asking)
                                     : *deed_mock__saying_for(script, number);
}

/* ---- look-up, poll, cancel ---------------------------------------------------------------- */

static const struct deed_mock__slot *slot_of(
    const struct deed_world *world, const struct deed_mock__scope *scope)
{
    return scope->slot != DEED_MOCK__NONE ? deed_mock__slot_at(world, scope->slot) : NULL;
}

/* Whoever looked may have been what something waited for. */
static deed_rc land_looked(struct deed_world *world, const struct deed_mock__scope *scope,
    int64_t now_ms, struct deed_error *err)
{
    const struct deed_mock__place place =
        deed_mock__provider_place(scope->provider, scope->provider_key);
    return deed_world__land_looked(world, deed_world__find_slot(world, &place), now_ms, err);
}

static deed_rc look(struct deed_world *world, const struct deed_mock__scope *scope,
    const struct deed_question *question, int64_t now_ms, struct deed_mock__told *told,
    struct deed_error *err)
{
    const struct deed_mock__slot *slot = slot_of(world, scope);
    const struct deed_mock__script *script = deed_mock__script_for(
        &scope->provider->lookups_by_key, &scope->provider->lookups, question->key);
    const struct deed_mock__saying saying = saying_of(
        scope->provider, script, 1 + (slot != NULL ? slot->lookups : 0), DEED_MOCK__ASKS_LOOKUP);
    struct deed_mock__sight sight =
        deed_mock__see(world, scope, now_ms, saying.say == DEED_MOCK__SAY_FRESH);
    tell(world, question, &sight, told);
    twist(&saying, question, told);
    write_excerpt(&told->finding);
    struct deed_mock__line line = line_of(DEED_MOCK__LOOK, scope, question, now_ms, told);
    line.is_stale = sight.stale;
    deed_rc rc = deed_world__append(world, &line, err);
    return rc == DEED_OK ? land_looked(world, scope, now_ms, err) : rc;
}

static deed_rc poll_operation(struct deed_world *world, const struct deed_mock__scope *scope,
    const struct deed_question *question, int64_t now_ms, struct deed_mock__told *told,
    struct deed_error *err)
{
    const struct deed_mock__slot *slot = slot_of(world, scope);
    const struct deed_mock__saying saying = saying_of(scope->provider,
        &scope->provider->polls_script, 1 + (slot != NULL ? slot->polls : 0), DEED_MOCK__ASKS_POLL);
    struct deed_mock__sight sight =
        deed_mock__see_operation(world, scope->provider, question->handle);
    if (sight.kind != DEED_FOUND_NOTHING) {
        tell(world, question, &sight, told);
        told->finding.marker_matches = strcmp(told->provider_key, scope->provider_key) == 0;
        twist(&saying, question, told);
        write_excerpt(&told->finding);
    }
    const struct deed_mock__line line = line_of(DEED_MOCK__POLL, scope, question, now_ms, told);
    deed_rc rc = deed_world__append(world, &line, err);
    return rc == DEED_OK ? land_looked(world, scope, now_ms, err) : rc;
}

static deed_rc cancel(struct deed_world *world, const struct deed_mock__scope *scope,
    const struct deed_question *question, int64_t now_ms, struct deed_mock__told *told,
    struct deed_error *err)
{
    const struct deed_mock__slot *slot = slot_of(world, scope);
    const struct deed_mock__saying saying = saying_of(scope->provider, &scope->provider->cancels,
        1 + (slot != NULL ? slot->cancels : 0), DEED_MOCK__ASKS_CANCEL);
    struct deed_mock__sight sight = deed_mock__see_all(world, scope);
    bool closes = sight.kind == DEED_FOUND_CLOSED && saying.say != DEED_MOCK__SAY_ERROR;
    tell(world, question, &sight, told);
    if (sight.kind == DEED_FOUND_CLOSED) {
        told->finding.marker_matches = true;
        (void)snprintf(told->provider_key, sizeof(told->provider_key), "%s", scope->provider_key);
    }
    twist(&saying, question, told);
    write_excerpt(&told->finding);
    struct deed_mock__line line = line_of(DEED_MOCK__CANCEL, scope, question, now_ms, told);
    line.closes = closes;
    return deed_world__append(world, &line, err);
}

typedef deed_rc (*answering)(struct deed_world *world, const struct deed_mock__scope *scope,
    const struct deed_question *question, int64_t now_ms, struct deed_mock__told *told,
    struct deed_error *err);

/* Alone with the world, and after what was due. */
static deed_rc answer(answering how, struct deed_world *world,
    const struct deed_mock__provider *provider, const struct deed_question *question,
    int64_t now_ms, struct deed_mock__told *told_out, struct deed_error *err)
{
    struct deed_mock__told told = {.finding.size = sizeof(told.finding)};
    struct deed_mock__scope scope;
    uint64_t landed = 0;
    *told_out = told;
    deed_rc rc = deed_world__enter(world, err);
    if (rc != DEED_OK) {
        return rc;
    }
    rc = deed_world__move(world, deed_mock__choices_of(provider), now_ms, &landed, err);
    if (rc == DEED_OK) {
        deed_mock__scope_of(world, provider, question, &scope);
        rc = how(world, &scope, question, now_ms, &told, err);
    }
    deed_world__leave(world);
    if (rc == DEED_OK) {
        *told_out = told;
    }
    return rc;
}

deed_rc deed_mock__provider_look(struct deed_world *world,
    const struct deed_mock__provider *provider, const struct deed_question *question,
    int64_t now_ms, struct deed_mock__told *told_out, struct deed_error *err)
{
    return answer(look, world, provider, question, now_ms, told_out, err);
}

deed_rc deed_mock__provider_poll(struct deed_world *world,
    const struct deed_mock__provider *provider, const struct deed_question *question,
    int64_t now_ms, struct deed_mock__told *told_out, struct deed_error *err)
{
    return answer(poll_operation, world, provider, question, now_ms, told_out, err);
}

deed_rc deed_mock__provider_cancel(struct deed_world *world,
    const struct deed_mock__provider *provider, const struct deed_question *question,
    int64_t now_ms, struct deed_mock__told *told_out, struct deed_error *err)
{
    return answer(cancel, world, provider, question, now_ms, told_out, err);
}
