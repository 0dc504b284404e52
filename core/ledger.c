/* SPDX-License-Identifier: MIT
 *
 * Opening and closing a ledger, and what its calls share: memory, time, trace, refusals.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <deed/system.h>

#include "boundary.h"
#include "door.h"
#include "text.h"

void *deed__alloc(const struct deed_ledger *ledger, size_t bytes)
{
    return ledger->memory->resize(ledger->memory->self, NULL, 0, bytes);
}

void deed__free(const struct deed_ledger *ledger, void *memory, size_t bytes)
{
    if (memory != NULL) {
        (void)ledger->memory->resize(ledger->memory->self, memory, bytes, 0);
    }
}

void deed__trace(
    const struct deed_ledger *ledger, const char *what, const char *key, const char *text)
{
    if (ledger->trace != NULL) {
        deed__lend(ledger, DEED__NO_CALLS);
        ledger->trace->event(ledger->trace->self, what, key, text);
        deed__lent();
    }
}

deed_rc deed__refuse(
    struct deed_error *err, deed_rc rc, const char *key, const char *next, const char *format, ...)
{
    if (err == NULL) {
        return rc;
    }
    char text[DEED_ERROR_TEXT_BYTES];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    (void)deed_error_set(err, rc, "core", "%s", text);
    if (key != NULL) {
        (void)snprintf(err->key, sizeof(err->key), "%s", key);
    }
    if (next != NULL) {
        (void)snprintf(err->next, sizeof(err->next), "%s", next);
    }
    return rc;
}

void deed__next_command(char *next_out, size_t next_bytes, const char *command, const char *key)
{
    (void)snprintf(next_out, next_bytes, "deed %s %s%s", command, key[0] == '-' ? "-- " : "", key);
}

deed_rc deed__misuse(struct deed_error *err, const char *call)
{
    return deed_error_set(err, DEED_E_MISUSE, "core",
        "%s was called without a ledger, or without what it needs", call);
}

deed_rc deed__now(
    const struct deed_ledger *ledger, struct deed_instant *now_out, struct deed_error *err)
{
    if (!ledger->clock->now(ledger->clock->self, now_out)) {
        return deed_error_set(err, DEED_E_SYSTEM, "core", "the clock cannot be read");
    }
    /* A clock before 2001 or after 2286 is broken, and would write times no reader believes. */
    if (now_out->wall_ms < 1000000000000 || now_out->wall_ms > 9999999999999) {
        return deed_error_set(err, DEED_E_SYSTEM, "core",
            "the wall clock stands at %lld ms since 1970, which cannot be right; set the clock",
            (long long)now_out->wall_ms);
    }
    return DEED_OK;
}

deed_rc deed__store_recover(const struct deed_ledger *ledger, struct deed_error *err)
{
    if (deed__is_forked(ledger)) {
        return deed__enter(ledger, "recovering the store", err);
    }
    deed__lend(ledger, DEED__NO_CALLS);
    deed_rc rc = ledger->store->recover(ledger->store->self, err);
    deed__lent();
    atomic_store(ledger->suspect, rc != DEED_OK);
    if (rc != DEED_OK) {
        deed_error_context(err, "a commit failed, and what became of it cannot be read yet");
    }
    return rc;
}

deed_rc deed__store_trusted(const struct deed_ledger *ledger, struct deed_error *err)
{
    if (deed__is_forked(
            ledger)) { /* since the call came in: an executor forked, and returned twice */
        return deed__enter(ledger, "reaching the store", err);
    }
    return atomic_load(ledger->suspect) ? deed__store_recover(ledger, err) : DEED_OK;
}

static deed_rc read_by(const struct deed_ledger *ledger, struct deed_op *op, struct deed_error *err)
{
    deed_rc rc = deed__store_trusted(ledger, err);
    if (rc != DEED_OK) {
        return rc;
    }
    deed__lend(ledger, DEED__NO_CALLS);
    rc = ledger->store->read(ledger->store->self, op, err);
    deed__lent();
    if (rc == DEED_OK && op->rc != DEED_OK) {
        rc = op->rc;
        if (err != NULL) {
            *err = op->error;
        }
    }
    return rc;
}

deed_rc deed__read(const struct deed_ledger *ledger,
    deed_rc (*run)(void *context, deed_tx *tx, struct deed_error *err), void *context,
    struct deed_error *err)
{
    struct deed_op op = {.size = sizeof(op), .run = run, .context = context};
    return read_by(ledger, &op, err);
}

deed_rc deed__read_brief(const struct deed_ledger *ledger,
    deed_rc (*run)(void *context, deed_tx *tx, struct deed_error *err), void *context,
    struct deed_error *err)
{
    struct deed_op op = {
        .size = sizeof(op), .run = run, .context = context, .flags = DEED_OP_BRIEF};
    return read_by(ledger, &op, err);
}

void deed__take_options(struct deed_ledger *ledger, const struct deed_options *options)
{
    ledger->clock = deed_system_clock();
    ledger->random = deed_system_random();
    ledger->memory = deed_system_memory();
    if (options == NULL) {
        return;
    }
    if (options->clock != NULL) {
        ledger->clock = options->clock;
    }
    if (options->random != NULL) {
        ledger->random = options->random;
    }
    if (options->memory != NULL) {
        ledger->memory = options->memory;
    }
    ledger->trace = options->trace;
    ledger->actor = options->actor;
}

/* A ledger and what of it changes. */
struct whole {
    struct deed_ledger ledger;
    atomic_bool suspect;
    struct deed__asked asked;
};

static deed_rc read_row(void *context, deed_tx *tx, struct deed_error *err)
{
    struct deed_ledger *ledger = context;
    struct deed_ledger_row row;
    deed_rc rc = deed_size_check(&deed__shape_deed_tx, tx, err); /* here, for all that follow */
    if (rc != DEED_OK) {
        return rc;
    }
    rc = tx->ledger_get(tx->self, &row, err);
    if (rc == DEED_E_NOT_FOUND) {
        ledger->initialised = false;
        return DEED_OK;
    }
    if (rc == DEED_OK) {
        ledger->initialised = true;
        ledger->test = row.test;
        (void)snprintf(ledger->name, sizeof(ledger->name), "%s", row.name);
    }
    return rc;
}

static deed_rc check_schema(const struct deed_schema *schema, struct deed_error *err)
{
    if (schema->adoptable || (schema->found == schema->wanted && schema->initialised)) {
        return DEED_OK;
    }
    if (schema->found > schema->wanted) {
        return deed_error_set(err, DEED_E_SCHEMA, "core",
            "the ledger has schema %d, this deed knows up to %d: use a newer deed", schema->found,
            schema->wanted);
    }
    if (schema->found < schema->wanted) {
        (void)deed__refuse(err, DEED_E_SCHEMA, NULL, "deed migrate",
            "the ledger has schema %d and needs %d: run `deed migrate`", schema->found,
            schema->wanted);
        return DEED_E_SCHEMA;
    }
    if (schema->has_intents) {
        return deed__refuse(err, DEED_E_SCHEMA, NULL, NULL,
            "the ledger has no name yet: run `deed migrate --name NAME`");
    }
    /* Never advice to go on: behind an empty file may stand a full log that was left elsewhere. */
    return deed__refuse(err, DEED_E_SCHEMA, NULL, NULL,
        "the ledger has neither name nor intents: it is a copy without the -wal file that belongs "
        "beside it, or `deed init` was ended half-way; find the -wal file if this ledger was ever "
        "used, and run `deed init` again only if it never was");
}

static deed_rc open_on(struct deed_ledger *ledger, struct deed_error *err)
{
    struct deed_store *store = ledger->store;
    struct deed_schema schema = {.size = sizeof(schema)};
    deed_rc rc =
        deed__text_check(NULL, "the actor of the options", ledger->actor, DEED_NOTE_BYTES_MAX, err);
    if (rc == DEED_OK) {
        rc = store->schema(store->self, &schema, err);
    }
    if (rc == DEED_OK) {
        rc = check_schema(&schema, err);
    }
    if (rc != DEED_OK) {
        return rc;
    }
    rc = deed__read(ledger, read_row, ledger, err);
    if (rc == DEED_OK && !store->read_only(store->self)) {
        ledger->owner = store->owner(store->self);
    }
    return rc;
}

deed_rc deed__inner_ledger_open(struct deed_store *store, const struct deed_options *options,
    deed_ledger **ledger_out, struct deed_error *err)
{
    if (store == NULL || ledger_out == NULL) {
        if (store != NULL) {
            store->close(store->self);
        }
        return deed_error_set(err, DEED_E_MISUSE, "core",
            "deed_ledger_open needs a store and a place for the ledger");
    }
    struct deed_ledger first = {.store = store, .process = deed_system_process()};
    deed__take_options(&first, options);
    struct whole *whole = deed__alloc(&first, sizeof(*whole));
    if (whole == NULL) {
        store->close(store->self);
        return deed_error_set(err, DEED_E_NOMEM, "core", "out of memory while opening the ledger");
    }
    atomic_init(&whole->suspect, false);
    struct deed_ledger *ledger = &whole->ledger;
    *ledger = first;
    ledger->suspect = &whole->suspect;
    deed__asked_init(&whole->asked);
    ledger->asked = &whole->asked;
    deed__guard_sources(ledger);
    deed_rc rc = open_on(ledger, err);
    if (rc != DEED_OK) {
        deed_ledger_close(ledger);
        return rc;
    }
    *ledger_out = ledger;
    return DEED_OK;
}

void deed_ledger_close(deed_ledger *ledger)
{
    if (ledger == NULL || deed__is_lent(ledger)) {
        return; /* a call of this thread stands on it: freeing it would be worse than keeping it */
    }
    /* In the child of a fork executors and locks are the parent's: a thread that is not here may be in
     * the middle of them. */
    const bool ours = !deed__is_forked(ledger);
    const struct deed_allocator *memory = ledger->host_memory;
    deed__registrations_free(ledger, ours);
    deed__verifiers_free(ledger, ours);
    ledger->store->close(ledger->store->self);
    if (ours) {
        deed__asked_finish(ledger->asked);
    }
    /* The ledger is the first member of the whole. */
    (void)memory->resize(memory->self, ledger, sizeof(struct whole), 0);
}

static deed_rc read_info(void *context, deed_tx *tx, struct deed_error *err)
{
    struct deed_ledger_info *info = context;
    struct deed_ledger_row row;
    deed_rc rc = tx->ledger_get(tx->self, &row, err);
    if (rc == DEED_E_NOT_FOUND) {
        return DEED_OK;
    }
    if (rc == DEED_OK) {
        (void)snprintf(info->name, sizeof(info->name), "%s", row.name);
        info->test = row.test;
        info->fenced = row.fenced;
        info->epoch = row.epoch;
        info->created_ms = row.created_ms;
    }
    return rc;
}

deed_rc deed__inner_ledger_info(
    deed_ledger *ledger, struct deed_ledger_info *info_out, struct deed_error *err)
{
    if (ledger == NULL || info_out == NULL) {
        return deed__misuse(err, "deed_ledger_info");
    }
    deed_rc rc = deed__enter(ledger, "deed_ledger_info", err);
    if (rc != DEED_OK) {
        return rc;
    }
    struct deed_store *store = ledger->store;
    struct deed_ledger_info info = {.size = sizeof(info)};
    info.store = store->name;
    info.location = store->location;
    rc = deed__read(ledger, read_info, &info, err);
    if (rc == DEED_OK) {
        *info_out = info;
    }
    return rc;
}
