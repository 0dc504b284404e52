/* SPDX-License-Identifier: MIT
 *
 * Loading a case, and the facts that are derived and never stored: doubt, flight, horizon.
 */
#include "case.h"

#include <string.h>

#include "instant.h"

void deed__case_init(
    struct deed__case *c, const struct deed_ledger *ledger, const struct deed_instant *now)
{
    memset(c, 0, sizeof(*c));
    c->ledger = ledger;
    c->now = *now;
    deed__arena_init(&c->arena, ledger->memory);
    c->owner_lives = true;
}

void deed__case_finish(struct deed__case *c)
{
    deed__free(c->ledger, c->attempts, c->capacity * sizeof(*c->attempts));
    c->attempts = NULL;
    c->count = 0;
    c->capacity = 0;
    deed__arena_finish(&c->arena);
}

static void copy_attempt(struct deed_attempt_row *copy, struct deed__arena *arena)
{
    copy->executor = deed__arena_string(arena, copy->executor);
    copy->executor_version = deed__arena_string(arena, copy->executor_version);
    copy->account_scope = deed__arena_string(arena, copy->account_scope);
    copy->endpoint = deed__arena_string(arena, copy->endpoint);
    copy->provider_key = deed__arena_string(arena, copy->provider_key);
    copy->bytes = deed__arena_text(arena, copy->bytes);
    copy->handle = deed__arena_string(arena, copy->handle);
}

static deed_rc collect_attempt(void *context, const struct deed_attempt_row *row)
{
    struct deed__case *c = context;
    if (c->count == c->capacity) {
        size_t capacity = c->capacity == 0 ? 4 : c->capacity * 2;
        const struct deed_allocator *memory = c->ledger->memory;
        void *grown = memory->resize(memory->self, c->attempts, c->capacity * sizeof(*c->attempts),
            capacity * sizeof(*c->attempts));
        if (grown == NULL) {
            return DEED_E_NOMEM;
        }
        c->attempts = grown;
        c->capacity = capacity;
    }
    c->attempts[c->count] = *row;
    copy_attempt(&c->attempts[c->count++], &c->arena);
    return c->arena.exhausted ? DEED_E_NOMEM : DEED_OK;
}

static deed_rc no_memory(const struct deed__case *c, struct deed_error *err)
{
    return deed_error_set(
        err, DEED_E_NOMEM, "core", "out of memory while reading the attempts of %s", c->intent.key);
}

deed_rc deed__case_add_attempt(
    struct deed__case *c, const struct deed_attempt_row *row, struct deed_error *err)
{
    struct deed_attempt_row bytesless = *row;
    memset(&bytesless.bytes, 0, sizeof(bytesless.bytes));
    deed_rc rc = collect_attempt(c, &bytesless);
    c->owner_lives = true; /* it is this handle */
    return rc == DEED_OK ? rc : no_memory(c, err);
}

deed_rc deed__case_load_attempts(
    struct deed__case *c, deed_tx *tx, unsigned parts, struct deed_error *err)
{
    c->count = 0;
    deed__arena_finish(&c->arena);
    if (c->intent.attempts == 0) {
        return DEED_OK;
    }
    deed_rc rc = tx->attempt_each(
        tx->self, c->intent.id, (parts & DEED__WITH_BYTES) != 0, collect_attempt, c, err);
    if (rc == DEED_E_NOMEM) {
        return no_memory(c, err);
    }
    if (rc != DEED_OK) {
        return rc;
    }
    bool whole = c->count == c->intent.attempts;
    for (uint32_t i = 0; whole && i < c->count; i++) {
        whole = c->attempts[i].number == i + 1;
    }
    if (!whole) {
        return deed_error_set(err, DEED_E_CHECK, "core",
            "the ledger is damaged: %s counts %u attempts, but %u are stored; run `deed check`",
            c->intent.key, (unsigned)c->intent.attempts, (unsigned)c->count);
    }
    if (c->intent.state == DEED_ATTEMPTED && !c->attempts[c->count - 1].answered) {
        struct deed_store *store = c->ledger->store;
        c->owner_lives = store->owner_lives(store->self, c->attempts[c->count - 1].owner);
    }
    return DEED_OK;
}

deed_rc deed__case_load(
    struct deed__case *c, deed_tx *tx, const char *key, unsigned parts, struct deed_error *err)
{
    deed_rc rc = tx->ledger_get(tx->self, &c->row, err);
    if (rc == DEED_E_NOT_FOUND) {
        memset(&c->row, 0, sizeof(c->row)); /* the fixture's table, not migrated */
    } else if (rc != DEED_OK) {
        return rc;
    }
    rc = tx->newest(tx->self, &c->newest_ms, err);
    if (rc != DEED_OK) {
        return rc;
    }
    rc = tx->intent_get(tx->self, key, (parts & DEED__WITH_PAYLOAD) != 0, &c->intent, err);
    return rc == DEED_OK ? deed__case_load_attempts(c, tx, parts, err) : rc;
}

static void copy_intent(struct deed_intent_row *copy, struct deed__arena *arena)
{
    copy->key = deed__arena_string(arena, copy->key);
    copy->payload.kind = deed__arena_text(arena, copy->payload.kind);
    copy->payload.target = deed__arena_text(arena, copy->payload.target);
    copy->payload.body = deed__arena_text(arena, copy->payload.body);
    copy->held_reason = deed__arena_string(arena, copy->held_reason);
    copy->disputed_reason = deed__arena_string(arena, copy->disputed_reason);
    copy->reference = deed__arena_string(arena, copy->reference);
}

deed_rc deed__case_copy(struct deed__case *copy, const struct deed__case *c, struct deed_error *err)
{
    *copy = *c;
    copy->attempts = NULL;
    copy->count = 0;
    copy->capacity = 0;
    deed__arena_init(&copy->arena, c->ledger->memory);
    copy->row.name = deed__arena_string(&copy->arena, c->row.name);
    copy_intent(&copy->intent, &copy->arena);
    deed_rc rc = copy->arena.exhausted ? DEED_E_NOMEM : DEED_OK;
    for (uint32_t i = 0; rc == DEED_OK && i < c->count; i++) {
        rc = collect_attempt(copy, &c->attempts[i]);
    }
    if (rc != DEED_OK) {
        return deed_error_set(
            err, DEED_E_NOMEM, "core", "out of memory while reading %s", c->intent.key);
    }
    return DEED_OK;
}

struct deed_attempt_row *deed__newest_attempt(const struct deed__case *c)
{
    return c->count == 0 ? NULL : &c->attempts[c->count - 1];
}

bool deed__in_doubt(const struct deed__case *c, const struct deed_attempt_row *attempt)
{
    return attempt->number > c->intent.settled_attempts && attempt->verdict == DEED_VERDICT_UNKNOWN;
}

bool deed__unresolved(const struct deed__case *c, const struct deed_attempt_row *attempt)
{
    return deed__in_doubt(c, attempt) ||
        (c->intent.disputed && attempt->verdict == DEED_VERDICT_UNKNOWN);
}

uint32_t deed__doubts(const struct deed__case *c)
{
    uint32_t doubts = 0;
    for (uint32_t i = 0; i < c->count; i++) {
        doubts += deed__in_doubt(c, &c->attempts[i]) ? 1 : 0;
    }
    return doubts;
}

const struct deed_attempt_row *deed__first_doubt(const struct deed__case *c)
{
    for (uint32_t i = 0; i < c->count; i++) {
        if (deed__in_doubt(c, &c->attempts[i])) {
            return &c->attempts[i];
        }
    }
    return NULL;
}

bool deed__pending(const struct deed__case *c)
{
    for (uint32_t i = 0; i < c->count; i++) {
        if (deed__in_doubt(c, &c->attempts[i]) && c->attempts[i].pending) {
            return true;
        }
    }
    return false;
}

const struct deed_attempt_row *deed__generation_start(
    const struct deed__case *c, uint32_t generation)
{
    for (uint32_t i = 0; i < c->count; i++) {
        if (c->attempts[i].generation == generation) {
            return &c->attempts[i];
        }
    }
    return NULL;
}

bool deed__in_flight(const struct deed__case *c)
{
    const struct deed_attempt_row *newest = deed__newest_attempt(c);
    if (c->intent.state != DEED_ATTEMPTED || newest == NULL || newest->answered) {
        return false;
    }
    int64_t lease_ms = deed__sum(newest->send_ms, newest->answer_ms);
    return c->owner_lives && deed__runs(&newest->start, lease_ms, &c->now);
}

static bool settled_for_good(const struct deed__case *c)
{
    return c->intent.state != DEED_RECORDED && c->intent.state != DEED_ATTEMPTED &&
        c->intent.outcome != DEED_NOT_APPLIED;
}

bool deed__overdue(const struct deed__case *c)
{
    return c->intent.not_after_ms != 0 && c->now.wall_ms > c->intent.not_after_ms &&
        !settled_for_good(c);
}

bool deed__fenced(const struct deed__case *c)
{
    return c->row.fenced && c->intent.fence_raised && !settled_for_good(c);
}

int64_t deed__horizon_ms(const struct deed_attempt_row *attempt)
{
    return deed__sum(attempt->send_ms, attempt->landing_ms);
}

int64_t deed__visible_ms(const struct deed_attempt_row *attempt)
{
    return deed__sum(deed__horizon_ms(attempt), attempt->lag_ms);
}

deed_provider_class deed__class_of(const struct deed_attempt_row *attempt)
{
    bool keyed = attempt->window_ms > 0;
    bool asks = (attempt->flags & (DEED_ATTEMPT_LOOKUP | DEED_ATTEMPT_POLL)) != 0;
    if ((attempt->flags & DEED_ATTEMPT_CLOSABLE) != 0) {
        return DEED_CLASS_CLOSABLE;
    }
    if (keyed) {
        return asks ? DEED_CLASS_KEYED_LOOKUP : DEED_CLASS_KEYED;
    }
    return asks ? DEED_CLASS_LOOKUP : DEED_CLASS_BLIND;
}
