/* SPDX-License-Identifier: MIT
 *
 * Method: all that the ledger says about one intent and all that the world counts for its key is
 * read into plain arrays; then each rule looks at them alone. Rules trust the ledger's own events
 * only as far as deed_ledger_check has found them whole.
 */
#include "support/invariants.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define ATTEMPTS_MAX  256
#define EVENTS_MAX    2048
#define EVIDENCE_MAX  1024
#define REQUESTS_MAX  256
#define EFFECTS_MAX   16
#define REFERENCE_MAX 32
#define TAKEN_MAX     4096

struct attempt {
    uint32_t number;
    uint8_t token[DEED_TOKEN_BYTES];
    char provider_key[DEED_PROVIDER_KEY_BYTES];
    uint32_t generation;
    char bytes_digest[DEED_DIGEST_TEXT_BYTES];
    deed_verdict verdict;
};

struct event {
    deed_event event;
    deed_outcome outcome;
    uint32_t attempt;
    deed_grade grade;
    uint8_t hash[DEED_DIGEST_BYTES];
};

struct evidence {
    deed_outcome outcome;
    deed_grade grade;
    bool settled;
    char reference[REFERENCE_MAX];
};

struct request {
    char provider_key[DEED_PROVIDER_KEY_BYTES];
    char bytes_digest[DEED_DIGEST_TEXT_BYTES];
    uint32_t attempt;
    deed_world_fate fate;
};

struct facts {
    struct deed_result result;
    bool payload_here;
    uint8_t digest[DEED_DIGEST_BYTES]; /* the stored one */
    bool payload_matches;              /* the stored payload has that digest */
    size_t attempts_count;
    struct attempt attempts[ATTEMPTS_MAX];
    size_t events_count;
    struct event events[EVENTS_MAX];
    size_t evidence_count;
    struct evidence evidence[EVIDENCE_MAX];
    size_t requests_count;
    struct request requests[REQUESTS_MAX];
    size_t effects_count;
    char effects[EFFECTS_MAX][REFERENCE_MAX];
};

/* Of all intents together. */
struct across {
    struct invariants *in;
    size_t taken_count;
    struct {
        char reference[REFERENCE_MAX];
        char key[DEED_KEY_BYTES_MAX + 1];
    } taken[TAKEN_MAX];
    size_t tokens_count;
    uint8_t tokens[TAKEN_MAX][DEED_TOKEN_BYTES];
    struct facts facts; /* of the intent being looked at: too large for a stack */
};

static bool broken(struct invariants *in, const char *format, ...) DEED_PRINTF(2, 3);

/* Only the first is kept. */
static bool broken(struct invariants *in, const char *format, ...)
{
    if (in->broken[0] != '\0') {
        return false;
    }
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(in->broken, sizeof(in->broken), format, arguments);
    va_end(arguments);
    return false;
}

/* ---- reading --------------------------------------------------------------------------------- */

static void copy_text(char *out, size_t out_bytes, const char *text)
{
    (void)snprintf(out, out_bytes, "%s", text == NULL ? "" : text);
}

static deed_rc read_row(void *context, const struct deed_intent_row *row)
{
    struct facts *facts = context;
    uint8_t digest[DEED_DIGEST_BYTES];
    memcpy(facts->digest, row->digest, sizeof(facts->digest));
    facts->payload_here = row->payload_here;
    facts->payload_matches = !row->payload_here ||
        (deed_payload_digest(&row->payload, digest, NULL) == DEED_OK &&
            memcmp(digest, row->digest, sizeof(digest)) == 0);
    return DEED_OK;
}

static deed_rc read_attempt(void *context, const struct deed_attempt_row *row)
{
    struct facts *facts = context;
    if (facts->attempts_count == ATTEMPTS_MAX) {
        return DEED_E_NOMEM;
    }
    struct attempt *attempt = &facts->attempts[facts->attempts_count++];
    attempt->number = row->number;
    attempt->generation = row->generation;
    attempt->verdict = row->verdict;
    memcpy(attempt->token, row->token, sizeof(attempt->token));
    copy_text(attempt->provider_key, sizeof(attempt->provider_key), row->provider_key);
    deed_digest_text(row->bytes_digest, attempt->bytes_digest);
    return DEED_OK;
}

static deed_rc read_event(void *context, const struct deed_event_row *row)
{
    struct facts *facts = context;
    if (facts->events_count == EVENTS_MAX) {
        return DEED_E_NOMEM;
    }
    struct event *event = &facts->events[facts->events_count++];
    event->event = row->event;
    event->outcome = row->outcome;
    event->attempt = row->attempt;
    event->grade = row->grade;
    memcpy(event->hash, row->hash, sizeof(event->hash));
    return DEED_OK;
}

static deed_rc read_evidence(void *context, const struct deed_evidence_row *row)
{
    struct facts *facts = context;
    if (facts->evidence_count == EVIDENCE_MAX) {
        return DEED_E_NOMEM;
    }
    struct evidence *evidence = &facts->evidence[facts->evidence_count++];
    evidence->outcome = row->outcome;
    evidence->grade = row->grade;
    evidence->settled = row->settled;
    copy_text(evidence->reference, sizeof(evidence->reference), row->reference);
    return DEED_OK;
}

static bool read_request(void *context, const struct deed_world_request *row)
{
    struct facts *facts = context;
    if (facts->requests_count < REQUESTS_MAX) {
        struct request *request = &facts->requests[facts->requests_count];
        request->attempt = row->attempt;
        request->fate = row->fate;
        copy_text(request->provider_key, sizeof(request->provider_key), row->provider_key);
        copy_text(request->bytes_digest, sizeof(request->bytes_digest), row->bytes_digest);
    }
    facts->requests_count++;
    return true;
}

static bool read_effect(void *context, const struct deed_world_effect *row)
{
    struct facts *facts = context;
    if (facts->effects_count < EFFECTS_MAX) {
        copy_text(facts->effects[facts->effects_count], REFERENCE_MAX, row->reference);
    }
    facts->effects_count++;
    return true;
}

static bool read_world(struct across *across)
{
    struct facts *facts = &across->facts;
    struct invariants *in = across->in;
    const char *key = facts->result.key;
    struct deed_error err;
    if (in->world == NULL) {
        return true;
    }
    if (deed_world_requests_visit(in->world, key, read_request, facts, &err) != DEED_OK ||
        deed_world_effects_visit(in->world, key, read_effect, facts, &err) != DEED_OK) {
        return broken(in, "the world cannot be read: %s", err.text);
    }
    if (facts->requests_count > REQUESTS_MAX || facts->effects_count > EFFECTS_MAX) {
        return broken(in, "%s: too much happened to be looked at", key);
    }
    return true;
}

static bool read_ledger(struct across *across)
{
    struct facts *facts = &across->facts;
    deed_ledger *ledger = across->in->ledger;
    const char *key = facts->result.key;
    struct deed_error err = {.text = "too many rows to be looked at"};
    if (deed_intent_payload(ledger, key, read_row, facts, &err) != DEED_OK ||
        deed_intent_attempts(ledger, key, read_attempt, facts, &err) != DEED_OK ||
        deed_intent_evidence(ledger, key, read_evidence, facts, &err) != DEED_OK ||
        deed_intent_events(ledger, key, read_event, facts, &err) != DEED_OK) {
        return broken(across->in, "%s cannot be read: %s", key, err.text);
    }
    return true;
}

static bool is_class(const struct facts *facts, deed_provider_class provider_class)
{
    return strcmp(facts->result.kind, deed_provider_class_name(provider_class)) == 0;
}

/* ---- recording ------------------------------------------------------------------------------- */

/* IR2: each row stems from a record that was asked for, and is equal to it. */
static bool ir2(struct invariants *in, const struct facts *facts)
{
    uint8_t digest[DEED_DIGEST_BYTES];
    const char *key = facts->result.key;
    if (!in->asked(in->context, key, digest)) {
        return broken(in, "IR2: nobody ever asked for %s", key);
    }
    if (memcmp(digest, facts->digest, sizeof(digest)) != 0 || !facts->payload_matches) {
        return broken(in, "IR2: %s does not hold what was asked for", key);
    }
    return true;
}

/* IR1, IR4, IB7: what a call told is there, and so is everything before it; nothing that was
 * learned later replaces it. */
static bool ir1(
    struct invariants *in, const struct facts *facts, const struct invariants_told *told)
{
    if (memcmp(told->digest, facts->digest, sizeof(told->digest)) != 0) {
        return broken(in, "IR3: %s has another digest than was told", told->key);
    }
    if (told->events > (int64_t)facts->events_count) {
        return broken(in, "IR1: %s had %" PRId64 " acknowledged events and has %zu", told->key,
            told->events, facts->events_count);
    }
    if (told->events > 0 &&
        memcmp(told->head, facts->events[told->events - 1].hash, sizeof(told->head)) != 0) {
        return broken(in, "IR4: event %" PRId64 " of %s is not the one that was acknowledged",
            told->events, told->key);
    }
    return true;
}

/* ---- sending --------------------------------------------------------------------------------- */

static const struct attempt *attempt_numbered(const struct facts *facts, uint32_t number)
{
    return number >= 1 && number <= facts->attempts_count ? &facts->attempts[number - 1] : NULL;
}

/* IS1: whatever went out belongs to an attempt that is durable, went out as it says, and once. */
static bool is1(struct invariants *in, const struct facts *facts)
{
    const char *key = facts->result.key;
    for (size_t i = 0; i < facts->requests_count; i++) {
        const struct request *request = &facts->requests[i];
        const struct attempt *attempt = attempt_numbered(facts, request->attempt);
        if (attempt == NULL) {
            return broken(in, "IS1: the world received attempt %u of %s, which is not durable",
                (unsigned)request->attempt, key);
        }
        if (strcmp(request->provider_key, attempt->provider_key) != 0 ||
            strcmp(request->bytes_digest, attempt->bytes_digest) != 0) {
            return broken(in, "IS1: attempt %u of %s went out otherwise than it is stored",
                (unsigned)request->attempt, key);
        }
        for (size_t other = 0; other < i; other++) {
            if (facts->requests[other].attempt == request->attempt) {
                return broken(
                    in, "IS1: attempt %u of %s was sent twice", (unsigned)request->attempt, key);
            }
        }
    }
    return true;
}

/* IS2: no more sends than durable attempts. */
static bool is2(struct invariants *in, const struct facts *facts)
{
    return facts->requests_count <= facts->attempts_count ||
        broken(in, "IS2: %zu sends and %zu attempts of %s", facts->requests_count,
            facts->attempts_count, facts->result.key);
}

/* IS3: one provider key, one sequence of bytes; a new one only after a proven not_applied (that is
 * told by the outcome before the attempt: see walk_events). */
static bool is3(struct invariants *in, const struct facts *facts)
{
    for (size_t i = 0; i < facts->attempts_count; i++) {
        for (size_t j = 0; j < i; j++) {
            const struct attempt *a = &facts->attempts[i];
            const struct attempt *b = &facts->attempts[j];
            bool one_key = strcmp(a->provider_key, b->provider_key) == 0;
            if (one_key != (a->generation == b->generation) ||
                (one_key && strcmp(a->bytes_digest, b->bytes_digest) != 0)) {
                return broken(in, "IS3: attempts %u and %u of %s do not agree on key and bytes",
                    (unsigned)b->number, (unsigned)a->number, facts->result.key);
            }
        }
    }
    return true;
}

/* ---- effects --------------------------------------------------------------------------------- */

static bool decided_by_person(const struct facts *facts)
{
    for (size_t i = 0; i < facts->events_count; i++) {
        if (facts->events[i].grade == DEED_GRADE_OPERATOR) {
            return true;
        }
    }
    return false;
}

/* IE1: at most one effect where the provider can be held to it. Here at a blind one too: persons in
 * these tests tell the truth. */
static bool ie1(struct invariants *in, const struct facts *facts)
{
    return facts->effects_count <= 1 ||
        broken(in, "IE1: %s took effect %zu times", facts->result.key, facts->effects_count);
}

/* IE2: at a blind provider one request that may count, unless a person decided. */
static bool ie2(struct invariants *in, const struct facts *facts)
{
    size_t may_count = 0;
    for (size_t i = 0; i < facts->requests_count; i++) {
        may_count += facts->requests[i].fate == DEED_WORLD_REFUSED ? 0 : 1;
    }
    if (is_class(facts, DEED_CLASS_BLIND) && may_count > 1 && !decided_by_person(facts)) {
        return broken(in, "IE2: %s was sent %zu times to a blind provider, and nobody had decided",
            facts->result.key, may_count);
    }
    return true;
}

/* IE3: one effect belongs to one intent. */
static bool ie3(struct across *across, const struct facts *facts)
{
    const char *key = facts->result.key;
    for (size_t i = 0; i < facts->evidence_count; i++) {
        const struct evidence *evidence = &facts->evidence[i];
        if (evidence->outcome != DEED_APPLIED || evidence->reference[0] == '\0') {
            continue;
        }
        for (size_t j = 0; j < across->taken_count; j++) {
            if (strcmp(across->taken[j].reference, evidence->reference) == 0 &&
                strcmp(across->taken[j].key, key) != 0) {
                return broken(across->in, "IE3: %s is stored with %s and with %s",
                    evidence->reference, across->taken[j].key, key);
            }
        }
        if (across->taken_count < TAKEN_MAX) {
            memcpy(across->taken[across->taken_count].reference, evidence->reference,
                sizeof(evidence->reference));
            copy_text(across->taken[across->taken_count++].key, DEED_KEY_BYTES_MAX + 1, key);
        }
    }
    return true;
}

/* ---- belief ---------------------------------------------------------------------------------- */

static bool world_issued(const struct facts *facts, const char *reference)
{
    for (size_t i = 0; i < facts->effects_count; i++) {
        if (strcmp(facts->effects[i], reference) == 0) {
            return true;
        }
    }
    return false;
}

/* IB1: applied needs an effect, and evidence that the provider issued for it or a person's word. */
static bool ib1(struct invariants *in, const struct facts *facts)
{
    bool proven = false;
    const char *key = facts->result.key;
    for (size_t i = 0; i < facts->evidence_count; i++) {
        const struct evidence *evidence = &facts->evidence[i];
        if (evidence->outcome != DEED_APPLIED) {
            continue;
        }
        proven = proven || evidence->settled;
        if (evidence->grade != DEED_GRADE_OPERATOR && !world_issued(facts, evidence->reference)) {
            return broken(in, "IB1: %s is believed by '%s', which the world never issued for it",
                key, evidence->reference);
        }
    }
    if (facts->result.outcome == DEED_APPLIED && facts->effects_count == 0) {
        return broken(in, "IB1: %s is applied, and nothing happened", key);
    }
    if (facts->result.outcome == DEED_APPLIED && !proven) {
        return broken(in, "IB1: %s is applied without evidence", key);
    }
    return true;
}

/* IB2: not_applied, rejected and retracted mean that nothing happened, then and later. */
static bool ib2(struct invariants *in, const struct facts *facts)
{
    deed_outcome outcome = facts->result.outcome;
    bool negative =
        outcome == DEED_NOT_APPLIED || outcome == DEED_REJECTED || outcome == DEED_RETRACTED;
    return !negative || facts->effects_count == 0 || facts->result.disputed ||
        broken(in, "IB2: %s is %s, and it happened", facts->result.key, deed_outcome_name(outcome));
}

/* Which evidence can settle at a provider of this class. IB3, IL3: at a blind one nothing but its
 * own answer and a person. */
static bool can_settle(const struct facts *facts, deed_grade grade)
{
    bool blind = is_class(facts, DEED_CLASS_BLIND);
    bool keyed = is_class(facts, DEED_CLASS_KEYED) || is_class(facts, DEED_CLASS_KEYED_LOOKUP);
    bool asked = is_class(facts, DEED_CLASS_LOOKUP) || is_class(facts, DEED_CLASS_KEYED_LOOKUP);
    bool closable = is_class(facts, DEED_CLASS_CLOSABLE);
    switch (grade) {
    case DEED_GRADE_OPERATOR:
        return true;
    case DEED_GRADE_FIRST_HAND:
        return !blind; /* two attempts in doubt: never there */
    case DEED_GRADE_REPLAY:
        return keyed;
    case DEED_GRADE_PROVIDER_PRESENT: /* a poll, where it was accepted before it was done */
        return asked || closable || facts->requests_count > 0;
    case DEED_GRADE_PROVIDER_CLOSED:
        return closable;
    case DEED_GRADE_PROVIDER_ABSENT_FINAL:
        return asked;
    case DEED_GRADE_NONE:
        break;
    }
    return false;
}

/* The marks that events set and lift. */
struct marks {
    bool held;
    bool disputed;
};

static bool check_start(struct invariants *in, const struct facts *facts, const struct marks *marks,
    const struct event *event, deed_outcome before)
{
    const char *key = facts->result.key;
    const struct attempt *attempt = attempt_numbered(facts, event->attempt);
    const struct attempt *former = attempt_numbered(facts, event->attempt - 1);
    if (attempt == NULL) {
        return broken(in, "IF1: an event of %s begins attempt %u, which is not stored", key,
            (unsigned)event->attempt);
    }
    if (marks->held || marks->disputed) {
        return broken(in, "IB7: attempt %u of %s began while it was %s", (unsigned)event->attempt,
            key, marks->held ? "held" : "disputed");
    }
    if (former != NULL && event->event == DEED_EVENT_ATTEMPT && before != DEED_NOT_APPLIED) {
        return broken(in, "IS2: attempt %u of %s began after %s", (unsigned)event->attempt, key,
            deed_outcome_name(before));
    }
    if (event->event == DEED_EVENT_REPLAY &&
        (former == NULL || former->generation != attempt->generation ||
            is_class(facts, DEED_CLASS_BLIND) || is_class(facts, DEED_CLASS_LOOKUP))) {
        return broken(in, "IS3: attempt %u of %s is no replay its provider honours",
            (unsigned)event->attempt, key);
    }
    return true;
}

static void follow_marks(struct marks *marks, const struct event *event)
{
    switch ((int)event->event) {
    case DEED_EVENT_HOLD:
        marks->held = true;
        break;
    case DEED_EVENT_RELEASE:
        marks->held = false;
        break;
    case DEED_EVENT_DISPUTE:
        marks->disputed = true;
        break;
    case DEED_EVENT_RECONCILE:
        marks->disputed = marks->disputed && event->grade != DEED_GRADE_OPERATOR;
        break;
    default:
        break;
    }
}

/* IB3, IB5, IB6 (with the ledger's own check), IB7: how the intent came to be where it is. */
static bool walk_events(struct invariants *in, const struct facts *facts)
{
    struct marks marks = {false, false};
    deed_outcome before = DEED_OUTCOME_NONE;
    const char *key = facts->result.key;
    for (size_t i = 0; i < facts->events_count; i++) {
        const struct event *event = &facts->events[i];
        bool starts = event->event == DEED_EVENT_ATTEMPT || event->event == DEED_EVENT_REPLAY;
        if (starts && !check_start(in, facts, &marks, event, before)) {
            return false;
        }
        if (event->event == DEED_EVENT_CONFIRM && event->grade != DEED_GRADE_FIRST_HAND) {
            return broken(in, "IB5: %s was confirmed by %s", key, deed_grade_name(event->grade));
        }
        if (event->event == DEED_EVENT_RECONCILE && !can_settle(facts, event->grade)) {
            return broken(in, "IB3: %s was reconciled by %s, which its provider cannot give", key,
                deed_grade_name(event->grade));
        }
        follow_marks(&marks, event);
        before = event->outcome;
    }
    return true;
}

static bool is_told_of(const struct facts *facts, const struct attempt *attempt)
{
    for (size_t i = 0; i < facts->events_count; i++) {
        const struct event *event = &facts->events[i];
        bool begins = event->event == DEED_EVENT_ATTEMPT || event->event == DEED_EVENT_REPLAY;
        if (event->attempt == attempt->number && !begins) {
            return true;
        }
    }
    return false;
}

/* IM3: nothing is half written. A verdict came with the event that tells of it, and an intent whose
 * attempts all have one is settled. */
static bool im3(struct invariants *in, const struct facts *facts)
{
    size_t verdicts = 0;
    for (size_t i = 0; i < facts->attempts_count; i++) {
        const struct attempt *attempt = &facts->attempts[i];
        verdicts += attempt->verdict == DEED_VERDICT_UNKNOWN ? 0 : 1;
        if (attempt->verdict != DEED_VERDICT_UNKNOWN && !is_told_of(facts, attempt)) {
            return broken(in, "IM3: attempt %u of %s is %s, and no event tells of it",
                (unsigned)attempt->number, facts->result.key, deed_verdict_name(attempt->verdict));
        }
    }
    return facts->result.state != DEED_ATTEMPTED || verdicts < facts->attempts_count ||
        broken(
            in, "IM3: %s is attempted, and all its attempts say how they ended", facts->result.key);
}

/* ---- workers, liveness ----------------------------------------------------------------------- */

/* IF1: attempts are numbered without a gap, and a token names one attempt of the whole ledger. */
static bool if1(struct across *across, const struct facts *facts)
{
    for (size_t i = 0; i < facts->attempts_count; i++) {
        const struct attempt *attempt = &facts->attempts[i];
        if (attempt->number != i + 1) {
            return broken(across->in, "IF1: attempt %zu of %s is numbered %u", i + 1,
                facts->result.key, (unsigned)attempt->number);
        }
        for (size_t j = 0; j < across->tokens_count; j++) {
            if (memcmp(across->tokens[j], attempt->token, DEED_TOKEN_BYTES) == 0) {
                return broken(across->in, "IF1: attempt %u of %s has a token that another one has",
                    (unsigned)attempt->number, facts->result.key);
            }
        }
        if (across->tokens_count < TAKEN_MAX) {
            memcpy(across->tokens[across->tokens_count++], attempt->token, DEED_TOKEN_BYTES);
        }
    }
    return true;
}

static bool is_at_an_end(const struct deed_result *result)
{
    bool settled = result->state == DEED_CONFIRMED || result->state == DEED_RECONCILED;
    return settled && result->outcome != DEED_NOT_APPLIED && !result->disputed && !result->held;
}

/* IL1: at the end everything is at its end, or in the list of what a person must decide. */
static bool il1(struct invariants *in, const struct facts *facts)
{
    const struct deed_result *result = &facts->result;
    return !in->ended || is_at_an_end(result) || result->needs_person ||
        broken(in, "IL1: %s is left %s, %s (%s), and nobody is asked", result->key,
            deed_state_name(result->state), deed_outcome_name(result->outcome),
            deed_reason_name(result->reason));
}

/* ---- all ------------------------------------------------------------------------------------- */

static bool check_told(struct invariants *in, const struct facts *facts)
{
    for (size_t i = 0; i < in->told_count; i++) {
        if (strcmp(in->told[i].key, facts->result.key) == 0 && !ir1(in, facts, &in->told[i])) {
            return false;
        }
    }
    return true;
}

static bool check_facts(struct across *across)
{
    static bool (*const rules[])(struct invariants * in, const struct facts *facts) = {
        ir2, check_told, is1, is2, is3, ie1, ie2, ib1, ib2, walk_events, im3, il1};
    const struct facts *facts = &across->facts;
    for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
        if (!rules[i](across->in, facts)) {
            return false;
        }
    }
    return ie3(across, facts) && if1(across, facts);
}

static bool check_intent(
    void *context, deed_rc rc, const struct deed_result *result, const struct deed_error *err)
{
    struct across *across = context;
    (void)rc;
    (void)err;
    struct facts *facts = &across->facts;
    facts->attempts_count = 0; /* and so is what they count */
    facts->events_count = 0;
    facts->evidence_count = 0;
    facts->requests_count = 0;
    facts->effects_count = 0;
    facts->result = *result;
    across->in->checked++;
    if (!read_ledger(across) || !read_world(across)) {
        return false;
    }
    across->in->history += (int64_t)facts->events_count;
    return check_facts(across);
}

static void tell_broken(void *context, const char *key, const char *text)
{
    (void)broken(context, "IM1: %s: %s", key, text);
}

/* IR1 for what is not there at all. */
static bool check_missing(struct invariants *in)
{
    for (size_t i = 0; i < in->told_count; i++) {
        struct deed_result result = {.size = sizeof(result)};
        struct deed_error err;
        deed_rc rc = deed_get(in->ledger, in->told[i].key, &result, &err);
        if (rc != DEED_OK) {
            return broken(in, "IR1: %s was acknowledged and is not there: %s (%s)", in->told[i].key,
                deed_rc_name(rc), err.text);
        }
    }
    return true;
}

bool invariants_hold(struct invariants *in)
{
    static struct across across; /* no thread of a test shares it */
    struct deed_check check = {.size = sizeof(check)};
    struct deed_list list = {.size = sizeof(list), .flags = DEED_LIST_ALL};
    struct deed_error err = {.text = ""};
    in->broken[0] = '\0';
    in->history = 0;
    across.in = in;
    across.taken_count = 0;
    across.tokens_count = 0;
    if (in->whole && deed_ledger_check(in->ledger, tell_broken, in, &check, &err) != DEED_OK) {
        return broken(in, "IM1: %s", err.text);
    }
    if (deed_ledger_list(in->ledger, &list, check_intent, &across, &err) != DEED_OK) {
        return broken(in, "the ledger cannot be listed: %s", err.text);
    }
    return in->broken[0] == '\0' && check_missing(in);
}

/* ---- telling --------------------------------------------------------------------------------- */

static deed_rc note_row(void *context, const struct deed_intent_row *row)
{
    struct invariants_told *told = context;
    memcpy(told->digest, row->digest, sizeof(told->digest));
    told->events = row->chain_length;
    memcpy(told->head, row->chain_head, sizeof(told->head));
    return DEED_OK;
}

bool invariants_tell(deed_ledger *ledger, const char *key, struct invariants_told *told_out)
{
    struct deed_error err;
    copy_text(told_out->key, sizeof(told_out->key), key);
    return deed_intent_payload(ledger, key, note_row, told_out, &err) == DEED_OK;
}
