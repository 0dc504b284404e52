/* SPDX-License-Identifier: MIT
 *
 * Reading what ledger and world say of one intent.
 */
#include "simulate/facts.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Only the first is kept. */
bool deed_crash__broken(struct deed_crash__promises *in, const char *format, ...)
{
    if (in->broken[0] != '\0') {
        return false;
    }
    va_list arguments;
    va_start(arguments, format);
    /* NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): va_start is not seen */
    (void)vsnprintf(in->broken, sizeof(in->broken), format, arguments);
    va_end(arguments);
    return false;
}

/* ---- reading --------------------------------------------------------------------------------- */

void deed_crash__copy_text(char *out, size_t out_bytes, const char *text)
{
    (void)snprintf(out, out_bytes, "%s", text == NULL ? "" : text);
}

static deed_rc read_row(void *context, const struct deed_intent_row *row)
{
    struct deed_crash__facts *facts = context;
    uint8_t digest[DEED_DIGEST_BYTES];
    memcpy(facts->digest, row->digest, sizeof(facts->digest));
    facts->payload_matches = !row->payload_here ||
        (deed_payload_digest(&row->payload, digest, NULL) == DEED_OK &&
            memcmp(digest, row->digest, sizeof(digest)) == 0);
    return DEED_OK;
}

static deed_rc read_attempt(void *context, const struct deed_attempt_row *row)
{
    struct deed_crash__facts *facts = context;
    if (facts->attempts_count == DEED_CRASH__ATTEMPTS_MAX) {
        return DEED_E_NOMEM;
    }
    struct deed_crash__seen_attempt *attempt = &facts->attempts[facts->attempts_count++];
    attempt->number = row->number;
    attempt->generation = row->generation;
    attempt->verdict = row->verdict;
    attempt->answered = row->answered;
    attempt->flags = row->flags;
    memcpy(attempt->token, row->token, sizeof(attempt->token));
    deed_crash__copy_text(attempt->provider_key, sizeof(attempt->provider_key), row->provider_key);
    deed_digest_text(row->bytes_digest, attempt->bytes_digest);
    return DEED_OK;
}

static deed_rc read_event(void *context, const struct deed_event_row *row)
{
    struct deed_crash__facts *facts = context;
    if (facts->events_count == DEED_CRASH__EVENTS_MAX) {
        return DEED_E_NOMEM;
    }
    struct deed_crash__seen_event *event = &facts->events[facts->events_count++];
    event->event = row->event;
    event->from = row->from;
    event->to = row->to;
    event->at_ms = row->at_ms;
    event->outcome = row->outcome;
    event->attempt = row->attempt;
    event->grade = row->grade;
    memcpy(event->hash, row->hash, sizeof(event->hash));
    return DEED_OK;
}

static deed_rc read_evidence(void *context, const struct deed_evidence_row *row)
{
    struct deed_crash__facts *facts = context;
    if (facts->evidence_count == DEED_CRASH__EVIDENCE_MAX) {
        return DEED_E_NOMEM;
    }
    struct deed_crash__seen_evidence *evidence = &facts->evidence[facts->evidence_count++];
    evidence->attempt = row->attempt;
    evidence->outcome = row->outcome;
    evidence->grade = row->grade;
    evidence->settled = row->settled;
    deed_crash__copy_text(evidence->reference, sizeof(evidence->reference), row->reference);
    return DEED_OK;
}

static bool read_request(void *context, const struct deed_world_request *row)
{
    struct deed_crash__facts *facts = context;
    if (facts->requests_count < DEED_CRASH__REQUESTS_MAX) {
        struct deed_crash__seen_request *request = &facts->requests[facts->requests_count];
        request->attempt = row->attempt;
        request->fate = row->fate;
        request->garbage = strcmp(row->step, "garbage") == 0;
        request->effects = row->effects;
        request->sent_ms = row->sent_ms;
        request->landed_ms = row->landed_ms;
        deed_crash__copy_text(
            request->provider_key, sizeof(request->provider_key), row->provider_key);
        deed_crash__copy_text(
            request->bytes_digest, sizeof(request->bytes_digest), row->bytes_digest);
    }
    facts->requests_count++;
    return true;
}

static bool read_effect(void *context, const struct deed_world_effect *row)
{
    struct deed_crash__facts *facts = context;
    if (facts->effects_count < DEED_CRASH__EFFECTS_MAX) {
        deed_crash__copy_text(
            facts->effects[facts->effects_count], DEED_CRASH__REFERENCE_MAX, row->reference);
    }
    facts->effects_count++;
    return true;
}

static bool read_world(struct deed_crash__across *across)
{
    struct deed_crash__facts *facts = &across->facts;
    struct deed_crash__promises *in = across->in;
    const char *key = facts->result.key;
    struct deed_error err;
    if (in->world == NULL) {
        return true;
    }
    if (deed_world_requests_visit(in->world, key, read_request, facts, &err) != DEED_OK ||
        deed_world_effects_visit(in->world, key, read_effect, facts, &err) != DEED_OK) {
        return deed_crash__broken(in, "the world cannot be read: %s", err.text);
    }
    if (facts->requests_count > DEED_CRASH__REQUESTS_MAX ||
        facts->effects_count > DEED_CRASH__EFFECTS_MAX) {
        return deed_crash__broken(in, "%s: too much happened to be looked at", key);
    }
    return true;
}

static bool read_ledger(struct deed_crash__across *across)
{
    struct deed_crash__facts *facts = &across->facts;
    deed_ledger *ledger = across->in->ledger;
    const char *key = facts->result.key;
    struct deed_error err = {.text = "too many rows to be looked at"};
    if (deed_intent_payload(ledger, key, read_row, facts, &err) != DEED_OK ||
        deed_intent_attempts(ledger, key, read_attempt, facts, &err) != DEED_OK ||
        deed_intent_evidence(ledger, key, read_evidence, facts, &err) != DEED_OK ||
        deed_intent_events(ledger, key, read_event, facts, &err) != DEED_OK) {
        return deed_crash__broken(across->in, "%s cannot be read: %s", key, err.text);
    }
    return true;
}

/* By its name, where nobody says otherwise. */
static uint32_t abilities_of(const char *kind)
{
    static const uint32_t abilities[] = {
        [DEED_CLASS_BLIND] = 0,
        [DEED_CLASS_LOOKUP] = DEED_CRASH__CAN_LOOKUP,
        [DEED_CLASS_KEYED] = DEED_CRASH__CAN_KEY,
        [DEED_CLASS_KEYED_LOOKUP] = DEED_CRASH__CAN_KEY | DEED_CRASH__CAN_LOOKUP,
        [DEED_CLASS_CLOSABLE] = DEED_CRASH__CAN_CLOSE,
    };
    for (size_t i = 0; i < sizeof(abilities) / sizeof(abilities[0]); i++) {
        if (strcmp(kind, deed_provider_class_name((deed_provider_class)i)) == 0) {
            return abilities[i];
        }
    }
    return 0;
}

bool deed_crash__read_facts(struct deed_crash__across *across)
{
    struct deed_crash__facts *facts = &across->facts;
    const struct deed_crash__promises *in = across->in;
    facts->attempts_count = 0; /* and so is what they count */
    facts->events_count = 0;
    facts->evidence_count = 0;
    facts->requests_count = 0;
    facts->effects_count = 0;
    facts->abilities = in->abilities != NULL ? in->abilities(in->context, facts->result.kind)
                                             : abilities_of(facts->result.kind);
    return read_ledger(across) && read_world(across);
}

const struct deed_crash__seen_attempt *deed_crash__attempt_numbered(
    const struct deed_crash__facts *facts, uint32_t number)
{
    return number >= 1 && number <= facts->attempts_count ? &facts->attempts[number - 1] : NULL;
}

bool deed_crash__can(const struct deed_crash__facts *facts, uint32_t abilities)
{
    return (facts->abilities & abilities) != 0;
}

bool deed_crash__is_blind(const struct deed_crash__facts *facts)
{
    return !deed_crash__can(
        facts, DEED_CRASH__CAN_KEY | DEED_CRASH__CAN_LOOKUP | DEED_CRASH__CAN_CLOSE);
}
