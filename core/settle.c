/* SPDX-License-Identifier: MIT */
#include "settle.h"

#include <string.h>

#include "digest.h"
#include "instant.h"
#include "policy.h"
#include "state.h"

static deed_rc digest_of(
    const struct deed__word *word, uint8_t digest_out[DEED_DIGEST_BYTES], struct deed_error *err)
{
    if (word->digest != NULL) {
        memcpy(digest_out, word->digest, DEED_DIGEST_BYTES);
        return DEED_OK;
    }
    const char *data = word->excerpt.data == NULL ? "" : word->excerpt.data;
    return deed__sha256_of(data, word->excerpt.bytes, digest_out, err);
}

static deed_rc keep_evidence(deed_tx *tx, const struct deed__case *c, const struct deed__word *word,
    bool settled, struct deed_error *err)
{
    struct deed_evidence_row row = {
        .size = sizeof(row),
        .intent_id = c->intent.id,
        .attempt = word->attempt,
        .token_known = word->token != NULL,
        .source = word->source,
        .grade = word->grade,
        .outcome = word->outcome,
        .settled = settled,
        .reference = word->reference != NULL && word->reference[0] != '\0' ? word->reference : NULL,
        .excerpt = word->excerpt,
        .at_ms = c->now.wall_ms,
        .actor = word->actor,
        .statement = word->statement,
        .event_id = word->event_id != NULL && word->event_id[0] != '\0' ? word->event_id : NULL,
    };
    if (word->token != NULL) {
        memcpy(row.token, word->token, DEED_TOKEN_BYTES);
    }
    deed_rc rc = digest_of(word, row.excerpt_digest, err);
    return rc == DEED_OK ? tx->evidence_insert(tx->self, &row, err) : rc;
}

deed_rc deed__reference_taken(deed_tx *tx, const struct deed__case *c,
    const struct deed_attempt_row *attempt, const char *reference, bool *taken_out,
    struct deed_error *err)
{
    struct deed_named_effect effect = {
        .size = sizeof(effect),
        .reference = reference,
        .intent_id = c->intent.id,
        .executor = attempt == NULL ? NULL : attempt->executor,
        .account_scope = attempt == NULL ? NULL : attempt->account_scope,
    };
    return tx->reference_taken(tx->self, &effect, taken_out, err);
}

static const char *describe(
    struct deed__detail *detail, const struct deed__case *c, const struct deed__word *word)
{
    (void)c;
    deed__detail_init(detail);
    deed__detail_text(detail, "source", word->source);
    if (word->outcome != DEED_OUTCOME_NONE) {
        deed__detail_text(detail, "says", deed_outcome_name(word->outcome));
    }
    deed__detail_text(detail, "why", word->why);
    deed__detail_text(detail, "event_id", word->event_id);
    deed__detail_text(detail, "reference", word->reference);
    if (word->excerpt.bytes > 0) {
        uint8_t digest[DEED_DIGEST_BYTES];
        if (digest_of(word, digest, NULL) == DEED_OK) {
            deed__detail_digest(detail, "excerpt", digest);
        }
    }
    deed__detail_text(detail, "statement", word->statement);
    return deed__detail_end(detail);
}

static bool is_inferred(deed_grade grade)
{
    return grade != DEED_GRADE_NONE && grade != DEED_GRADE_FIRST_HAND;
}

static bool can_look(const struct deed__case *c)
{
    const struct deed_attempt_row *newest = deed__newest_attempt(c);
    return newest != NULL && (newest->flags & DEED_ATTEMPT_LOOKUP) != 0;
}

/* The pause before the next attempt, and the second looks after a `not_applied` that was inferred:
 * what was inferred wrongly must come to light. */
static void schedule_after(struct deed__case *c, const struct deed__word *word)
{
    struct deed_intent_row *intent = &c->intent;
    intent->looks_left = 0;
    intent->look_due_ms = 0;
    intent->absent_attempts = 0;
    intent->next_due_ms = 0;
    if (word->outcome != DEED_NOT_APPLIED) {
        intent->tries = 0;
        return;
    }
    struct deed_profile profile = deed__profile_of(c);
    int64_t pause = deed__backoff_ms(&profile, intent->attempts);
    pause = word->retry_after_ms > pause ? word->retry_after_ms : pause;
    intent->next_due_ms = deed__sum(c->now.wall_ms, pause);
    intent->tries = 0;
    if (is_inferred(word->grade) && can_look(c)) {
        intent->looks_left = 2;
        intent->look_due_ms = deed__sum(c->now.wall_ms, deed__newest_attempt(c)->second_look_ms[0]);
    }
}

/* Is it certain that the word and this attempt speak of one effect: one key, honoured, in one place? */
static bool is_one_effect(
    const struct deed__case *c, const struct deed__word *word, const struct deed_attempt_row *other)
{
    if (word->attempt == 0 || word->attempt > c->count) {
        return false;
    }
    const struct deed_attempt_row *own = &c->attempts[word->attempt - 1];
    return own == other ||
        (own->window_ms > 0 && other->window_ms > 0 &&
            strcmp(own->provider_key, other->provider_key) == 0 &&
            strcmp(own->executor, other->executor) == 0 &&
            strcmp(own->account_scope, other->account_scope) == 0 &&
            strcmp(own->endpoint, other->endpoint) == 0);
}

static const char another_attempt[] = "another attempt may have taken effect too";

/* Could there be a second effect beside the one this word speaks of? NULL: no; else why. */
static const char *second_effect(const struct deed__case *c, const struct deed__word *word)
{
    if (word->count > 1) {
        return "the provider shows more than one effect";
    }
    for (uint32_t i = 0; i < c->count; i++) {
        const struct deed_attempt_row *other = &c->attempts[i];
        bool open = deed__in_doubt(c, other) || other->verdict == DEED_VERDICT_APPLIED;
        if (open && !is_one_effect(c, word, other)) {
            return another_attempt;
        }
    }
    return NULL;
}

/* What `applied` rests on may be evidence about an attempt that has no verdict of its own. */
struct ground {
    const struct deed__word *word;
    uint32_t attempt;
    bool of_another; /* than the word's */
    bool named;      /* an effect of the word's name is known */
    bool other_name; /* and one of another name */
};

static void compare_names(struct ground *ground, const struct deed_evidence_row *row)
{
    const char *name = ground->word->reference;
    if (name != NULL && name[0] != '\0' && row->reference != NULL) {
        bool same = strcmp(row->reference, name) == 0;
        ground->named = ground->named || same;
        ground->other_name = ground->other_name || !same;
    }
}

/* Two words of the provider about attempts that this ledger does not know: under which key each went
 * out is not stored, so what they call the effect tells them apart. */
static bool is_other_lost(const struct deed_evidence_row *row, const struct deed__word *word)
{
    return row->attempt == 0 && word->attempt == 0 && row->grade == DEED_GRADE_PROVIDER_PRESENT &&
        word->grade == DEED_GRADE_PROVIDER_PRESENT && row->reference != NULL &&
        word->reference != NULL && strcmp(row->reference, word->reference) != 0;
}

static deed_rc find_ground(void *context, const struct deed_evidence_row *row)
{
    struct ground *ground = context;
    const struct deed__word *word = ground->word;
    if (row->settled && row->outcome == DEED_APPLIED) {
        ground->attempt = row->attempt;
        ground->of_another = row->token_known && word->token != NULL
            ? memcmp(row->token, word->token, DEED_TOKEN_BYTES) != 0
            : row->attempt != word->attempt || is_other_lost(row, word);
    }
    if (row->outcome == DEED_APPLIED) {
        compare_names(ground, row);
    }
    return DEED_OK;
}

/* At a provider without keys a retry goes out under the key of the attempt before it: what names that
 * key may speak of any of them, and two effects are told apart by their names alone. */
static bool names_another(
    const struct deed__case *c, const struct deed__word *word, const struct ground *ground)
{
    bool news = ground->other_name && !ground->named;
    if (!news || word->attempt == 0 || word->attempt > c->count) {
        return false;
    }
    const struct deed_attempt_row *own = &c->attempts[word->attempt - 1];
    for (uint32_t i = 0; own->window_ms <= 0 && i < c->count; i++) {
        const struct deed_attempt_row *other = &c->attempts[i];
        if (other != own && (other->flags & DEED_ATTEMPT_DENIED) == 0 &&
            strcmp(other->provider_key, own->provider_key) == 0) {
            return true;
        }
    }
    return false;
}

/* The intent is `applied` already: does the word speak of another effect than that one? */
static deed_rc second_to_ground(deed_tx *tx, const struct deed__case *c,
    const struct deed__word *word, const char **doubt_out, struct deed_error *err)
{
    struct ground ground = {.word = word};
    deed_rc rc = tx->evidence_each(tx->self, c->intent.id, find_ground, &ground, err);
    bool known = ground.attempt > 0 && ground.attempt <= c->count;
    bool one = known && is_one_effect(c, word, &c->attempts[ground.attempt - 1]);
    bool second = (ground.of_another && !one) || names_another(c, word, &ground);
    *doubt_out = second ? another_attempt : NULL;
    return rc;
}

static const char *acted_on(const struct deed__case *c)
{
    if (c->intent.outcome == DEED_RETRACTED) {
        return "it had been retracted";
    }
    bool person = c->intent.grade == DEED_GRADE_OPERATOR;
    bool other = c->intent.outcome != DEED_APPLIED && c->intent.outcome != DEED_OUTCOME_NONE;
    return person && other ? "a person had said otherwise" : NULL;
}

/* The attempt whose executor and account gave the reference its meaning; NULL: a person brings it, or it
 * is of an attempt that this ledger does not know. */
static const struct deed_attempt_row *place_of(
    const struct deed__case *c, const struct deed__word *word)
{
    bool known = word->attempt > 0 && word->attempt <= c->count;
    return known && word->grade != DEED_GRADE_OPERATOR ? &c->attempts[word->attempt - 1] : NULL;
}

static const char shared_effect[] =
    "the provider's reference is stored with another intent, and one effect belongs to one intent";

/* Why the word is disputed besides what it settles; NULL: it is not. A person's word raises no
 * dispute (docs/decisions/0011); one effect for two intents is one that did not happen (0015). */
static deed_rc dispute_of(deed_tx *tx, const struct deed__case *c, const struct deed__word *word,
    const char **doubt_out, struct deed_error *err)
{
    *doubt_out = NULL;
    if (word->outcome != DEED_APPLIED || word->decision) {
        return DEED_OK;
    }
    *doubt_out = second_effect(c, word);
    *doubt_out = *doubt_out == NULL ? acted_on(c) : *doubt_out;
    bool taken = false;
    deed_rc rc = DEED_OK;
    if (*doubt_out == NULL && word->reference != NULL && word->reference[0] != '\0') {
        rc = deed__reference_taken(tx, c, place_of(c, word), word->reference, &taken, err);
    }
    if (taken) {
        *doubt_out = shared_effect;
    }
    return rc;
}

static deed_rc dispute(struct deed__call *call, deed_tx *tx, struct deed__case *c,
    const char *reason, struct deed_error *err)
{
    if (c->intent.disputed) {
        return DEED_OK;
    }
    c->intent.disputed = true;
    c->intent.disputed_reason = reason;
    deed__trace(call->ledger, "dispute", c->intent.key, reason);
    struct deed__detail detail;
    deed__detail_init(&detail);
    deed__detail_text(&detail, "reason", reason);
    struct deed__change change = {.event = DEED_EVENT_DISPUTE, .detail = deed__detail_end(&detail)};
    return deed__apply(call, tx, c, &change, err);
}

static deed_rc apply_word(struct deed__call *call, deed_tx *tx, struct deed__case *c,
    const struct deed__word *word, deed_event event, struct deed_error *err)
{
    struct deed__detail detail;
    struct deed__change change = {
        .event = event,
        .outcome = word->outcome,
        .grade = word->grade,
        .attempt = word->attempt,
        .actor = word->actor,
        .detail = describe(&detail, c, word),
    };
    return deed__apply(call, tx, c, &change, err);
}

deed_rc deed__settle(struct deed__call *call, deed_tx *tx, struct deed__case *c,
    const struct deed__word *word, deed_event event, struct deed_error *err)
{
    const char *doubt = NULL;
    deed_rc rc = dispute_of(tx, c, word, &doubt, err);
    if (rc == DEED_OK) {
        rc = keep_evidence(tx, c, word, true, err);
    }
    if (rc != DEED_OK) {
        return rc;
    }
    if (word->reference != NULL && word->reference[0] != '\0') {
        c->intent.reference = word->reference;
    }
    schedule_after(c, word);
    rc = apply_word(call, tx, c, word, event, err);
    if (rc == DEED_OK && doubt != NULL) {
        rc = dispute(call, tx, c, doubt, err);
    }
    return rc;
}

deed_rc deed__keep(struct deed__call *call, deed_tx *tx, struct deed__case *c,
    const struct deed__word *word, deed_event event, struct deed_error *err)
{
    deed_rc rc = keep_evidence(tx, c, word, false, err);
    return rc == DEED_OK ? apply_word(call, tx, c, word, event, err) : rc;
}

deed_rc deed__late_applied(struct deed__call *call, deed_tx *tx, struct deed__case *c,
    const struct deed__word *word, struct deed_error *err)
{
    if (c->intent.outcome != DEED_APPLIED) {
        return deed__settle(call, tx, c, word, DEED_EVENT_RECONCILE, err);
    }
    const char *doubt = NULL;
    deed_rc rc = dispute_of(tx, c, word, &doubt, err);
    if (rc == DEED_OK && doubt == NULL) {
        rc = second_to_ground(tx, c, word, &doubt, err);
    }
    if (rc == DEED_OK) {
        rc = deed__keep(call, tx, c, word, DEED_EVENT_NOTE, err);
    }
    return rc == DEED_OK && doubt != NULL ? dispute(call, tx, c, doubt, err) : rc;
}

deed_rc deed__set_hold(struct deed__call *call, deed_tx *tx, struct deed__case *c,
    const char *reason, const char *actor, struct deed_error *err)
{
    /* Where nothing will be sent there is nothing to hold (docs/decisions/0010). */
    if (c->intent.held || deed__is_end(c->intent.outcome)) {
        return DEED_OK;
    }
    c->intent.held = true;
    c->intent.held_reason = reason;
    struct deed__detail detail;
    deed__detail_init(&detail);
    deed__detail_text(&detail, "reason", reason);
    struct deed__change change = {
        .event = DEED_EVENT_HOLD, .actor = actor, .detail = deed__detail_end(&detail)};
    return deed__apply(call, tx, c, &change, err);
}
