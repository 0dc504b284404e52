/* SPDX-License-Identifier: MIT */
#include "apply.h"

#include <string.h>

#include "digest.h"
#include "state.h"

static char *put_text(char *at, const char *text)
{
    const size_t bytes = strlen(text) + 1;
    memcpy(at, text, bytes);
    return at + bytes - 1;
}

static char *put_number(char *at, int64_t number, char behind)
{
    char digits[20];
    size_t count = 0;
    uint64_t rest = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    do {
        digits[count++] = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest > 0);
    if (number < 0) {
        *at++ = '-';
    }
    while (count > 0) {
        *at++ = digits[--count];
    }
    *at++ = behind;
    return at;
}

/* Numbers in a fixed order, each with what stands behind it. */
static char *put_facts(char *at, const struct deed_event_row *event)
{
    at = put_number(at, event->number, ' ');
    at = put_number(at, event->event, ' ');
    at = put_number(at, event->from, ' ');
    at = put_number(at, event->to, ' ');
    at = put_number(at, event->outcome, ' ');
    at = put_number(at, event->attempt, ' ');
    at = put_number(at, event->grade, ' ');
    at = put_number(at, event->at_ms, ' ');
    return put_number(at, event->newest_ms, ' ');
}

deed_rc deed__event_hash(const char *subject, const uint8_t before[DEED_DIGEST_BYTES],
    const struct deed_event_row *event, uint8_t hash_out[DEED_DIGEST_BYTES], struct deed_error *err)
{
    char before_text[DEED_DIGEST_TEXT_BYTES];
    deed_digest_text(before, before_text);
    const char *actor = event->actor == NULL ? "" : event->actor;
    const char *detail = event->detail == NULL ? "" : event->detail;
    /* Lengths go first, so that no two events give one text, whatever an actor is called. No printf:
     * this runs three times for an action. */
    char head[512]; /* a digest, a key of at most 80 bytes, and eleven numbers */
    char *end = put_text(head, "deed event 1\n");
    end = put_text(end, before_text);
    *end++ = '\n';
    end = put_text(end, subject);
    *end++ = '\n';
    end = put_facts(end, event);
    end = put_number(end, (int64_t)strlen(actor), ' ');
    end = put_number(end, (int64_t)strlen(detail), '\n');
    struct evp_md_ctx_st *hash = NULL;
    deed_rc rc = deed__sha256_new(&hash, err);
    if (rc != DEED_OK) {
        return rc;
    }
    if (!deed__sha256_put(hash, head, (size_t)(end - head)) ||
        !deed__sha256_put(hash, actor, strlen(actor)) ||
        !deed__sha256_put(hash, detail, strlen(detail))) {
        rc = deed_error_set(err, DEED_E_SYSTEM, "core", "libcrypto could not hash an event");
    } else {
        rc = deed__sha256_finish(hash, hash_out, err);
    }
    deed__sha256_free(hash);
    return rc;
}

static bool is_settled(deed_state state)
{
    return state == DEED_CONFIRMED || state == DEED_RECONCILED;
}

/* What an edge does to the intent besides what its caller decided. */
static void move(struct deed__case *c, const struct deed__change *change, deed_state to)
{
    struct deed_intent_row *intent = &c->intent;
    intent->state = to;
    intent->outcome = change->outcome;
    if (is_settled(to)) {
        if (change->event != DEED_EVENT_RETRACT) {
            intent->grade = change->grade;
        }
        intent->settled_attempts = intent->attempts;
        intent->settled_ms = c->now.wall_ms;
        if (deed__is_end(change->outcome)) {
            intent->held = false;
            intent->held_reason = NULL;
        }
    } else if (to == DEED_ATTEMPTED && change->event == DEED_EVENT_ATTEMPT) {
        intent->grade = DEED_GRADE_NONE;
        intent->settled_ms = 0;
    }
}

static deed_state target_of(const struct deed__case *c, const struct deed__change *change)
{
    if (deed__event_kind_of(change->event) != DEED__EVENT_MOVES) {
        return c->intent.state;
    }
    const struct deed_edge *edge =
        deed_edge_find(c->intent.state, c->intent.outcome, change->event, change->outcome);
    return edge == NULL ? DEED_STATE_NONE : edge->to;
}

static deed_rc no_edge(
    const struct deed__case *c, const struct deed__change *change, struct deed_error *err)
{
    return deed__refuse(err, DEED_E_NO_STEP, c->intent.key, NULL,
        "%s is %s, %s: the machine has no step `%s` to %s from here", c->intent.key,
        deed_state_name(c->intent.state), deed_outcome_name(c->intent.outcome),
        deed_event_name(change->event), deed_outcome_name(change->outcome));
}

/* Needs no memory, so that a record never fails for the lack of it. */
static bool keep_waiting(struct deed__case *c, const struct deed_event_row *event)
{
    const size_t bytes = strlen(event->detail) + 1;
    if (bytes > sizeof(c->record_detail)) {
        return false;
    }
    memcpy(c->record_detail, event->detail, bytes);
    c->record = *event;
    c->record.detail = c->record_detail;
    c->record_waits = true;
    return true;
}

deed_rc deed__apply_record(deed_tx *tx, struct deed__case *c, struct deed_error *err)
{
    deed_rc rc = tx->intent_insert(tx->self, &c->intent, err);
    if (rc != DEED_OK) {
        return rc;
    }
    c->record_waits = false;
    c->record.intent_id = c->intent.id;
    return tx->event_insert(tx->self, &c->record, err);
}

static deed_rc write_intent(
    deed_tx *tx, struct deed__case *c, struct deed_event_row *event, struct deed_error *err)
{
    const bool is_first = event->event == DEED_EVENT_RECORD && c->intent.id == 0;
    if (is_first && keep_waiting(c, event)) {
        return DEED_OK;
    }
    deed_rc rc = c->record_waits ? deed__apply_record(tx, c, err)
        : is_first               ? tx->intent_insert(tx->self, &c->intent, err)
                                 : tx->intent_update(tx->self, &c->intent, err);
    if (rc != DEED_OK) {
        return rc;
    }
    event->intent_id = c->intent.id;
    return tx->event_insert(tx->self, event, err);
}

deed_rc deed__apply(struct deed__call *call, deed_tx *tx, struct deed__case *c,
    const struct deed__change *change, struct deed_error *err)
{
    bool moves = deed__event_kind_of(change->event) == DEED__EVENT_MOVES;
    deed_state from = c->intent.state;
    deed_state to = target_of(c, change);
    deed_outcome outcome = moves ? change->outcome : c->intent.outcome;
    if (!deed__event_legal(from, c->intent.outcome, change->event, to, outcome)) {
        return no_edge(c, change, err);
    }
    if (moves) {
        move(c, change, to);
    }
    if (c->now.wall_ms > c->newest_ms) {
        c->newest_ms = c->now.wall_ms;
    }
    struct deed_event_row event = {
        .size = sizeof(event),
        .number = c->intent.chain_length + 1,
        .event = change->event,
        .from = from,
        .to = to,
        .outcome = outcome,
        .attempt = change->attempt,
        .grade = change->grade,
        .at_ms = c->now.wall_ms,
        .newest_ms = c->newest_ms,
        .actor = change->actor != NULL ? change->actor : call->ledger->actor,
        .detail = change->detail,
    };
    deed_rc rc = deed__event_hash(c->intent.key, c->intent.chain_head, &event, event.hash, err);
    if (rc != DEED_OK) {
        return rc;
    }
    c->intent.chain_length = event.number;
    memcpy(c->intent.chain_head, event.hash, sizeof(event.hash));
    call->wrote = true;
    return write_intent(tx, c, &event, err);
}
