/* SPDX-License-Identifier: MIT
 *
 * Recording: a key is bound to a payload once and for ever.
 */
#include "record.h"

#include <string.h>

#include "apply.h"
#include "boundary.h"
#include "door.h"
#include "text.h"

/* The store keeps no other time; what it would refuse as damage is an input that is wrong. */
static deed_rc check_not_after(const char *key, int64_t not_after_ms, struct deed_error *err)
{
    if (not_after_ms == 0 ||
        (not_after_ms >= DEED_WALL_MS_MIN && not_after_ms <= DEED_WALL_MS_MAX)) {
        return DEED_OK;
    }
    if (not_after_ms >= DEED_WALL_MS_MIN / 1000 && not_after_ms < DEED_WALL_MS_MIN) {
        return deed__refuse(err, DEED_E_INVALID, key, NULL,
            "not-after of %s is in milliseconds since 1970, and %lld looks like seconds; give a "
            "thousand times as much",
            key, (long long)not_after_ms);
    }
    return deed__refuse(err, DEED_E_INVALID, key, NULL,
        "not-after of %s must lie between the years 1973 and 5138, in milliseconds since 1970; "
        "it is %lld",
        key, (long long)not_after_ms);
}

deed_rc deed__record_check(
    const struct deed_record *record, struct deed__record_in *in_out, struct deed_error *err)
{
    if (record == NULL || record->key == NULL || record->payload == NULL) {
        return deed_error_set(err, DEED_E_MISUSE, "core", "a record needs a key and a payload");
    }
    deed_rc rc = deed_key_check(record->key, err);
    if (rc == DEED_OK) {
        rc = deed_payload_digest(record->payload, in_out->digest, err);
    }
    if (rc == DEED_OK) {
        rc = check_not_after(record->key, record->not_after_ms, err);
    }
    if (rc == DEED_OK) {
        rc = deed__text_check(
            record->key, "the reason to hold", record->hold_reason, DEED_NOTE_BYTES_MAX, err);
    }
    if (rc == DEED_OK) {
        rc = deed__text_check(record->key, "who records", record->actor, DEED_NOTE_BYTES_MAX, err);
    }
    in_out->record = record;
    in_out->created = false;
    return rc;
}

static bool same_text(struct deed_text a, struct deed_text b)
{
    return a.bytes == b.bytes && (a.bytes == 0 || memcmp(a.data, b.data, a.bytes) == 0);
}

/* Names the member that differs, never its text. */
static deed_rc conflict(
    const struct deed__case *c, const struct deed_payload *payload, struct deed_error *err)
{
    const struct deed_payload *stored = &c->intent.payload;
    const char *member = NULL;
    if (c->intent.payload_here && stored->target.data != NULL) {
        member = !same_text(stored->kind, payload->kind)  ? "kind"
            : !same_text(stored->target, payload->target) ? "target"
                                                          : "body";
    } else if (stored->kind.data != NULL && !same_text(stored->kind, payload->kind)) {
        member = "kind";
    }
    if (member == NULL) {
        return deed__refuse(err, DEED_E_CONFLICT, c->intent.key, NULL,
            "%s already binds another payload; record the changed action under a new key",
            c->intent.key);
    }
    return deed__refuse(err, DEED_E_CONFLICT, c->intent.key, NULL,
        "%s already binds another payload: the %s differs byte for byte, even where it may look "
        "alike; record the changed action under a new key",
        c->intent.key, member);
}

static deed_rc fill_missing(struct deed__call *call, deed_tx *tx, struct deed__case *c,
    const struct deed_record *record, struct deed_error *err)
{
    c->intent.payload = *record->payload;
    c->intent.payload_here = true;
    deed_rc rc = tx->intent_fill(tx->self, &c->intent, err);
    if (rc != DEED_OK) {
        return rc;
    }
    struct deed__detail detail;
    deed__detail_init(&detail);
    deed__detail_digest(&detail, "digest", c->intent.digest);
    struct deed__change change = {
        .event = DEED_EVENT_PAYLOAD, .actor = record->actor, .detail = deed__detail_end(&detail)};
    return deed__apply(call, tx, c, &change, err);
}

deed_rc deed__record_compare(const struct deed__call *call, deed_tx *tx, struct deed__case *c,
    const struct deed_payload *payload, const uint8_t digest[DEED_DIGEST_BYTES],
    struct deed_error *err)
{
    if (memcmp(c->intent.digest, digest, DEED_DIGEST_BYTES) == 0) {
        return DEED_OK;
    }
    if (c->intent.payload_here) { /* only now is the stored text worth reading */
        deed_rc rc = tx->intent_get(tx->self, call->key, true, &c->intent, err);
        if (rc != DEED_OK) {
            return rc;
        }
    }
    return conflict(c, payload, err);
}

static deed_rc repeat(struct deed__call *call, deed_tx *tx, struct deed__case *c,
    const struct deed__record_in *in, struct deed_error *err)
{
    deed_rc rc = deed__record_compare(call, tx, c, in->record->payload, in->digest, err);
    if (rc != DEED_OK || c->intent.payload_here || !call->ledger->initialised) {
        return rc;
    }
    return fill_missing(call, tx, c, in->record, err);
}

static deed_rc hold_new(struct deed__call *call, deed_tx *tx, struct deed__case *c,
    const struct deed_record *record, struct deed_error *err)
{
    c->intent.held = true;
    c->intent.held_reason = record->hold_reason;
    struct deed__detail detail;
    deed__detail_init(&detail);
    deed__detail_text(&detail, "reason", record->hold_reason);
    struct deed__change change = {
        .event = DEED_EVENT_HOLD, .actor = record->actor, .detail = deed__detail_end(&detail)};
    return deed__apply(call, tx, c, &change, err);
}

deed_rc deed__record_step(struct deed__call *call, deed_tx *tx, struct deed__case *c,
    struct deed__record_in *in, struct deed_error *err)
{
    const struct deed_record *record = in->record;
    in->created = c->intent.id == 0;
    if (!in->created) {
        return repeat(call, tx, c, in, err);
    }
    memset(&c->intent, 0, sizeof(c->intent));
    c->intent.size = sizeof(c->intent);
    c->intent.key = record->key;
    memcpy(c->intent.digest, in->digest, DEED_DIGEST_BYTES);
    c->intent.payload = *record->payload;
    c->intent.payload_here = true;
    c->intent.recorded_ms = c->now.wall_ms;
    c->intent.not_after_ms = record->not_after_ms;
    struct deed__detail detail;
    deed__detail_init(&detail);
    deed__detail_digest(&detail, "digest", in->digest);
    if (record->not_after_ms != 0) {
        deed__detail_number(&detail, "not_after_ms", record->not_after_ms);
    }
    struct deed__change change = {
        .event = DEED_EVENT_RECORD, .actor = record->actor, .detail = deed__detail_end(&detail)};
    deed_rc rc = deed__apply(call, tx, c, &change, err);
    if (rc == DEED_OK && record->hold_reason != NULL) {
        rc = hold_new(call, tx, c, record, err);
    }
    return rc;
}

static deed_rc decide_record(
    struct deed__call *call, deed_tx *tx, struct deed__case *c, struct deed_error *err)
{
    struct deed__record_in *in = call->context;
    deed_rc rc = deed__record_step(call, tx, c, in, err);
    if (call->result != NULL) {
        call->result->created = rc == DEED_OK && in->created;
        call->result->replayed = rc == DEED_OK && !in->created;
    }
    return rc;
}

static struct deed__call record_call(
    const struct deed_ledger *ledger, struct deed__record_in *in, struct deed_result *result)
{
    struct deed__call call = {
        .ledger = ledger,
        .key = in->record->key,
        .may_be_missing = true,
        .decide = decide_record,
        .context = in,
        .result = result,
        .written = DEED_SEAM_RECORD_WRITTEN,
        .committed = DEED_SEAM_RECORD_COMMITTED,
    };
    return call;
}

static deed_rc decide_repeat(
    struct deed__call *call, deed_tx *tx, struct deed__case *c, struct deed_error *err)
{
    struct deed__record_in *in = call->context;
    in->created = c->intent.id == 0 ||
        (!c->intent.payload_here && call->ledger->initialised &&
            memcmp(c->intent.digest, in->digest, DEED_DIGEST_BYTES) == 0);
    if (in->created) {
        return DEED_OK; /* the long way decides */
    }
    return decide_record(call, tx, c, err);
}

/* A repeat is answered from a snapshot: it writes nothing and waits for no writer. What is new, or
 * lacks its payload, goes the long way. */
static deed_rc answer_repeat(const struct deed_ledger *ledger, struct deed__record_in *in,
    struct deed_result *result, bool *answered_out, struct deed_error *err)
{
    struct deed__call call = record_call(ledger, in, result);
    call.decide = decide_repeat;
    deed_rc rc = deed__call_read(&call, err);
    *answered_out = rc != DEED_OK || !in->created;
    return rc;
}

static void clear(struct deed_result *result)
{
    if (result != NULL) {
        size_t size = result->size;
        memset(result, 0, sizeof(*result));
        result->size = size;
    }
}

deed_rc deed__inner_record(deed_ledger *ledger, const struct deed_record *record,
    struct deed_result *result, struct deed_error *err)
{
    if (ledger == NULL) {
        return deed__misuse(err, "deed_record");
    }
    deed_rc rc = deed__enter(ledger, "deed_record", err);
    if (rc != DEED_OK) {
        return rc;
    }
    clear(result);
    struct deed__record_in in;
    rc = deed__record_check(record, &in, err);
    bool answered = false;
    if (rc == DEED_OK) {
        rc = answer_repeat(ledger, &in, result, &answered, err);
    }
    if (rc != DEED_OK || answered) {
        return rc;
    }
    clear(result);
    struct deed__call call = record_call(ledger, &in, result);
    rc = deed__call_write(&call, err);
    deed__trace(ledger, "record", record->key, rc == DEED_OK ? "recorded" : "refused");
    return rc;
}

/* Everything record_many needs for one record, in one allocation for all. */
struct many {
    struct deed_record *records; /* as the host gave them, in our shape */
    struct deed__record_in *in;
    struct deed__call *calls;
    struct deed_result *results;
    deed_rc *rcs;
    struct deed_error *errs;
};

static size_t many_bytes(size_t count)
{
    return count *
        (sizeof(struct deed_record) + sizeof(struct deed__record_in) + sizeof(struct deed__call) +
            sizeof(struct deed_result) + sizeof(deed_rc) + sizeof(struct deed_error)) +
        6 * sizeof(max_align_t);
}

static void *carve(char **at, size_t bytes)
{
    char *start = *at;
    *at += (bytes + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
    return start;
}

/* Refused inputs never reach the store; the others share its commit. */
static deed_rc write_good(
    const struct deed_ledger *ledger, struct many *many, size_t count, struct deed_error *err)
{
    struct deed__call *good = many->calls;
    deed_rc rc = DEED_OK;
    size_t from = 0;
    while (rc == DEED_OK && from < count) {
        while (from < count && many->rcs[from] != DEED_OK) {
            from++;
        }
        size_t to = from;
        while (to < count && many->rcs[to] == DEED_OK) {
            good[to] = record_call(ledger, &many->in[to], &many->results[to]);
            to++;
        }
        if (to > from) {
            rc = deed__call_write_many(
                &good[from], to - from, &many->rcs[from], &many->errs[from], err);
        }
        from = to;
    }
    return rc;
}

deed_rc deed__inner_record_many(deed_ledger *ledger, const void *records, size_t stride,
    size_t count, deed_result_visit visit, void *context, struct deed_error *err)
{
    if (ledger == NULL || (records == NULL && count > 0)) {
        return deed__misuse(err, "deed_record_many");
    }
    deed_rc rc = deed__enter(ledger, "deed_record_many", err);
    if (rc != DEED_OK || count == 0) {
        return rc;
    }
    size_t bytes = many_bytes(count);
    char *memory = deed__alloc(ledger, bytes);
    if (memory == NULL) {
        return deed_error_set(err, DEED_E_NOMEM, "core", "out of memory for %zu records", count);
    }
    memset(memory, 0, bytes);
    char *at = memory;
    struct many many;
    many.records = carve(&at, count * sizeof(*many.records));
    many.in = carve(&at, count * sizeof(*many.in));
    many.calls = carve(&at, count * sizeof(*many.calls));
    many.results = carve(&at, count * sizeof(*many.results));
    many.rcs = carve(&at, count * sizeof(*many.rcs));
    many.errs = carve(&at, count * sizeof(*many.errs));
    for (size_t i = 0; i < count; i++) {
        many.results[i].size = sizeof(many.results[i]);
        const char *record = (const char *)records + i * stride;
        many.rcs[i] =
            deed_size_take(&deed__shape_deed_record, record, &many.records[i], &many.errs[i]);
        if (many.rcs[i] == DEED_OK) {
            many.rcs[i] = deed__record_check(&many.records[i], &many.in[i], &many.errs[i]);
        }
    }
    rc = write_good(ledger, &many, count, err);
    for (size_t i = 0; rc == DEED_OK && i < count && visit != NULL; i++) {
        (void)deed__tell(ledger, visit, context, many.rcs[i], &many.results[i], &many.errs[i]);
    }
    deed__free(ledger, memory, bytes);
    return rc;
}
