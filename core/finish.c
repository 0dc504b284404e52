/* SPDX-License-Identifier: MIT
 *
 * Storing the answer of an attempt, in time or late. A word resolves its own attempt and nothing
 * else; what that means for the intent is decided from all of its attempts.
 */
#include "finish.h"

#include <string.h>

#include "boundary.h"
#include "door.h"
#include "instant.h"
#include "settle.h"

struct finish_in {
    const uint8_t *token;
    const struct deed_answer *answer;
    bool unsent; /* our own word: nothing was sent */
};

static struct deed__word word_of(const struct finish_in *in, const struct deed_attempt_row *attempt)
{
    const struct deed_answer *answer = in->answer;
    struct deed__word word = {
        .source = "attempt",
        .grade = DEED_GRADE_FIRST_HAND,
        .outcome = (deed_outcome)answer->verdict,
        .attempt = attempt == NULL ? 0 : attempt->number,
        .token = in->token,
        .count = 1,
        .reference = answer->reference,
        .excerpt = {answer->excerpt, answer->excerpt_bytes},
        .why = in->unsent ? "nothing was sent" : NULL,
        .retry_after_ms = answer->retry_after_ms,
    };
    if (attempt != NULL && attempt->cause == DEED_CAUSE_REPLAY) {
        word.grade = DEED_GRADE_REPLAY;
    }
    return word;
}

/* An answer that decides nothing: the attempt is answered, the intent is uncertain from now on. */
static deed_rc answer_unknown(struct deed__call *call, deed_tx *tx, struct deed__case *c,
    struct deed_attempt_row *attempt, const struct finish_in *in, struct deed_error *err)
{
    const struct deed_answer *answer = in->answer;
    bool mismatch = answer->key_signal == DEED_KEY_SIGNAL_MISMATCH;
    bool news = !attempt->answered || (answer->pending && !attempt->pending) ||
        (mismatch && !c->intent.held);
    if (!news) {
        return DEED_OK; /* the same word twice writes nothing */
    }
    attempt->answered = true;
    attempt->answered_ms = c->now.wall_ms;
    attempt->pending = attempt->pending || answer->pending;
    if (answer->handle[0] != '\0') {
        attempt->handle = answer->handle;
    }
    int64_t due_ms = deed__sum(c->now.wall_ms, answer->retry_after_ms);
    if (c->intent.state == DEED_ATTEMPTED && answer->retry_after_ms > 0 &&
        due_ms > c->intent.next_due_ms) {
        c->intent.next_due_ms = due_ms;
    }
    deed_rc rc = tx->attempt_update(tx->self, attempt, err);
    if (rc != DEED_OK) {
        return rc;
    }
    struct deed__word word = word_of(in, attempt);
    word.why = mismatch                                     ? "key_mismatch"
        : answer->key_signal == DEED_KEY_SIGNAL_IN_PROGRESS ? "in_progress"
        : answer->pending                                   ? "pending"
                                                            : NULL;
    rc = deed__keep(call, tx, c, &word, DEED_EVENT_ANSWER, err);
    if (rc == DEED_OK && mismatch) {
        rc = deed__set_hold(
            call, tx, c, "the provider has seen our key with other parameters", NULL, err);
    }
    return rc;
}

/* Every in-doubt attempt went out under the provider key of `attempt`, in the same account. */
static bool one_key_in_doubt(const struct deed__case *c, const struct deed_attempt_row *attempt)
{
    for (uint32_t i = 0; i < c->count; i++) {
        const struct deed_attempt_row *other = &c->attempts[i];
        if (deed__in_doubt(c, other) &&
            (strcmp(other->provider_key, attempt->provider_key) != 0 ||
                strcmp(other->account_scope, attempt->account_scope) != 0)) {
            return false;
        }
    }
    return true;
}

/* With all attempts since the last settlement resolved by their own words the intent is rejected if
 * one was; NULL: none was. */
static const struct deed_attempt_row *rejected_one(const struct deed__case *c)
{
    for (uint32_t i = c->intent.settled_attempts; i < c->count; i++) {
        if (c->attempts[i].verdict == DEED_VERDICT_REJECTED) {
            return &c->attempts[i];
        }
    }
    return NULL;
}

/* An attempt made since the last settlement has resolved itself: does that settle the intent? */
static deed_rc settle_open(struct deed__call *call, deed_tx *tx, struct deed__case *c,
    const struct deed_attempt_row *attempt, struct deed__word *word,
    const struct deed_answer *answer, struct deed_error *err)
{
    uint32_t others = deed__doubts(c); /* this one is resolved, so it does not count */
    bool only_one = c->count - c->intent.settled_attempts == 1;
    if (word->outcome == DEED_APPLIED && others == 0) {
        word->grade = DEED_GRADE_FIRST_HAND; /* nothing else can have caused it */
        return deed__settle(call, tx, c, word, DEED_EVENT_CONFIRM, err);
    }
    if (word->outcome == DEED_APPLIED) {
        return deed__settle(call, tx, c, word, DEED_EVENT_RECONCILE, err);
    }
    if (others > 0 && answer->stored_first && attempt->cause == DEED_CAUSE_REPLAY &&
        one_key_in_doubt(c, attempt)) {
        word->why = "stored_first_answer";
        return deed__settle(call, tx, c, word, DEED_EVENT_RECONCILE, err);
    }
    if (others > 0) { /* says nothing about what was sent before it */
        return deed__keep(call, tx, c, word, DEED_EVENT_ANSWER, err);
    }
    const struct deed_attempt_row *rejected = rejected_one(c);
    if (rejected != NULL && rejected != attempt) { /* its own word is kept; the other one decides */
        deed_rc rc = deed__keep(call, tx, c, word, DEED_EVENT_ANSWER, err);
        if (rc != DEED_OK) {
            return rc;
        }
        *word = (struct deed__word){.source = "attempt",
            .outcome = DEED_REJECTED,
            .attempt = rejected->number,
            .token = rejected->token,
            .count = 1,
            .why = "every attempt has answered"};
    }
    word->grade = DEED_GRADE_FIRST_HAND;
    return deed__settle(
        call, tx, c, word, only_one ? DEED_EVENT_CONFIRM : DEED_EVENT_RECONCILE, err);
}

static deed_rc answer_definite(struct deed__call *call, deed_tx *tx, struct deed__case *c,
    struct deed_attempt_row *attempt, const struct finish_in *in, struct deed_error *err)
{
    bool open = deed__in_doubt(c, attempt) && c->intent.state == DEED_ATTEMPTED;
    attempt->verdict = in->answer->verdict;
    attempt->pending = false;
    if (!attempt->answered) {
        attempt->answered = true;
        attempt->answered_ms = c->now.wall_ms;
    }
    attempt->flags |= in->unsent ? DEED_ATTEMPT_DENIED : 0U;
    deed_rc rc = tx->attempt_update(tx->self, attempt, err);
    if (rc != DEED_OK) {
        return rc;
    }
    struct deed__word word = word_of(in, attempt);
    if (open) {
        return settle_open(call, tx, c, attempt, &word, in->answer, err);
    }
    if (word.outcome == DEED_APPLIED) {
        return deed__late_applied(call, tx, c, &word, err);
    }
    return deed__keep(call, tx, c, &word, DEED_EVENT_NOTE, err);
}

/* The attempt has a verdict already. The same one is harmless; another overwrites nothing, and
 * `applied` settles all the same. */
static deed_rc answer_again(struct deed__call *call, deed_tx *tx, struct deed__case *c,
    const struct deed_attempt_row *attempt, const struct finish_in *in, struct deed_error *err)
{
    if (in->answer->verdict == attempt->verdict || in->answer->verdict == DEED_VERDICT_UNKNOWN) {
        return DEED_OK;
    }
    struct deed__word word = word_of(in, attempt);
    word.why = "contradicts an earlier answer";
    if (word.outcome == DEED_APPLIED) {
        return deed__late_applied(call, tx, c, &word, err);
    }
    return deed__keep(call, tx, c, &word, DEED_EVENT_NOTE, err);
}

/* A word for a token this ledger does not know: of a time that was lost, or of another copy. */
static deed_rc answer_unknown_token(struct deed__call *call, deed_tx *tx, struct deed__case *c,
    const struct finish_in *in, struct deed_error *err)
{
    struct deed__word word = word_of(in, NULL);
    word.why = "unknown token";
    if (word.outcome == DEED_APPLIED) {
        return deed__late_applied(call, tx, c, &word, err);
    }
    return deed__keep(call, tx, c, &word, DEED_EVENT_NOTE, err);
}

static deed_rc decide_finish(
    struct deed__call *call, deed_tx *tx, struct deed__case *c, struct deed_error *err)
{
    const struct finish_in *in = call->context;
    struct deed_attempt_row *attempt = NULL;
    for (uint32_t i = 0; i < c->count; i++) {
        if (memcmp(c->attempts[i].token, in->token, DEED_TOKEN_BYTES) == 0) {
            attempt = &c->attempts[i];
        }
    }
    if (attempt == NULL) {
        struct deed_attempt_row other;
        deed_rc rc = tx->attempt_by_token(tx->self, in->token, &other, err);
        if (rc == DEED_OK) {
            return deed__refuse(err, DEED_E_MISUSE, call->key, NULL,
                "the token given for %s belongs to an attempt of another intent", call->key);
        }
        return rc == DEED_E_NOT_FOUND ? answer_unknown_token(call, tx, c, in, err) : rc;
    }
    if (attempt->verdict != DEED_VERDICT_UNKNOWN) {
        return answer_again(call, tx, c, attempt, in, err);
    }
    if (in->answer->verdict == DEED_VERDICT_UNKNOWN) {
        return answer_unknown(call, tx, c, attempt, in, err);
    }
    return answer_definite(call, tx, c, attempt, in, err);
}

static deed_rc finish(deed_ledger *ledger, const char *key, struct finish_in *in,
    struct deed_result *result, struct deed_error *err)
{
    deed_rc rc = deed_key_check(key, err);
    if (rc != DEED_OK) {
        return rc;
    }
    struct deed__call call = {
        .ledger = ledger,
        .key = key,
        .decide = decide_finish,
        .context = in,
        .result = result,
        .written = DEED_SEAM_FINISH_WRITTEN,
        .committed = DEED_SEAM_FINISH_COMMITTED,
    };
    rc = deed__call_write(&call, err);
    if (rc == DEED_OK) {
        deed__asked_answered(ledger->asked, in->token);
    }
    deed__trace(ledger, "finish", key,
        rc == DEED_OK ? deed_verdict_name(in->answer->verdict) : "the answer is not stored");
    return rc;
}

/* A verdict that is no verdict is unknown: an executor that writes garbage costs a look-up. So does
 * one that takes a word of the provider about our key for a failure of the action. */
static bool is_verdict(const struct deed_answer *answer)
{
    bool negative =
        answer->verdict == DEED_VERDICT_REJECTED || answer->verdict == DEED_VERDICT_NOT_APPLIED;
    return deed_verdict_name(answer->verdict) != NULL &&
        !(negative && answer->key_signal != DEED_KEY_SIGNAL_NONE);
}

/* A provider may ask for a pause; one without an end would only hide the intent. */
static int64_t sensible_pause(int64_t pause_ms)
{
    const int64_t day_ms = 86400000;
    return pause_ms < 0 ? 0 : pause_ms > day_ms ? day_ms : pause_ms;
}

deed_rc deed__inner_finish(deed_ledger *ledger, const char *key,
    const uint8_t token[DEED_TOKEN_BYTES], const struct deed_answer *answer,
    struct deed_result *result, struct deed_error *err)
{
    if (ledger == NULL || key == NULL || token == NULL || answer == NULL) {
        return deed_error_set(
            err, DEED_E_MISUSE, "core", "deed_finish needs a key, a token and an answer");
    }
    deed_rc rc = deed__enter(ledger, "deed_finish", err);
    if (rc != DEED_OK) {
        return rc;
    }
    struct deed_answer clean = *answer;
    clean.handle[sizeof(clean.handle) - 1] = '\0';
    clean.reference[sizeof(clean.reference) - 1] = '\0';
    if (clean.excerpt_bytes > DEED_EXCERPT_BYTES_MAX) {
        clean.excerpt_bytes = DEED_EXCERPT_BYTES_MAX;
    }
    clean.retry_after_ms = sensible_pause(clean.retry_after_ms);
    if (!is_verdict(&clean)) {
        clean.verdict = DEED_VERDICT_UNKNOWN;
    }
    struct finish_in in = {.token = token, .answer = &clean};
    return finish(ledger, key, &in, result, err);
}

deed_rc deed__finish_unsent(deed_ledger *ledger, const char *key,
    const uint8_t token[DEED_TOKEN_BYTES], struct deed_result *result, struct deed_error *err)
{
    struct deed_answer answer = {.size = sizeof(answer), .verdict = DEED_VERDICT_NOT_APPLIED};
    struct finish_in in = {.token = token, .answer = &answer, .unsent = true};
    return finish(ledger, key, &in, result, err);
}
