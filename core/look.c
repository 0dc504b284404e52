/* SPDX-License-Identifier: MIT
 *
 * What a look at the provider brought, and what it is worth. Absence is worth what its time makes
 * it; presence needs our marker, our digest and a reference of its own.
 */
#include "look.h"

#include <string.h>

#include "instant.h"
#include "policy.h"
#include "settle.h"

static struct deed__word word_of(const struct deed__look *look, deed_outcome outcome)
{
    struct deed__word word = {
        .source = look->source,
        .grade = look->grade,
        .outcome = outcome,
        .attempt = look->about->number,
        .token = look->about->token,
        .count = look->finding.count,
        .reference = look->finding.reference,
        .excerpt = {look->finding.excerpt, look->finding.excerpt_bytes},
    };
    return word;
}

/* When it is asked again. A look that was not due when it was asked takes none of the second looks away,
 * however late it is written: it knows nothing of the time in between. */
static void schedule_look(struct deed__case *c, const struct deed__look *look)
{
    struct deed_intent_row *intent = &c->intent;
    struct deed_profile profile = deed__profile_of(c);
    if (intent->state == DEED_ATTEMPTED) {
        intent->tries++;
        int64_t pause = deed__backoff_ms(&profile, intent->tries);
        intent->next_due_ms = deed__sum(c->now.wall_ms, pause);
        /* Never sleep past the moment from which an answer counts. */
        struct deed_result view = {.size = sizeof(view)};
        deed__result_fill(&view, c);
        if (view.final_ms > c->now.wall_ms && view.final_ms < intent->next_due_ms) {
            intent->next_due_ms = view.final_ms;
        }
    } else if (intent->looks_left > 0 && intent->look_due_ms <= look->asked.wall_ms) {
        intent->looks_left--;
        const struct deed_attempt_row *newest = deed__newest_attempt(c);
        intent->look_due_ms =
            intent->looks_left == 0 ? 0 : deed__sum(c->now.wall_ms, newest->second_look_ms[1]);
    }
}

/* One event, and the time of the next look. */
static deed_rc note_look(struct deed__call *call, deed_tx *tx, struct deed__case *c,
    const struct deed__look *look, const char *answer, struct deed_error *err)
{
    schedule_look(c, look);
    struct deed__detail detail;
    deed__detail_init(&detail);
    deed__detail_text(&detail, "source", look->source);
    deed__detail_text(&detail, "answer", answer);
    struct deed__change change = {.event = DEED_EVENT_LOOK, .detail = deed__detail_end(&detail)};
    return deed__apply(call, tx, c, &change, err);
}

/* Our marker, our digest, a reference stored with no other intent. NULL: it counts; else why not. */
static deed_rc judge(deed_tx *tx, const struct deed__case *c, const struct deed__look *look,
    const char **flaw_out, struct deed_error *err)
{
    *flaw_out = NULL;
    if (!look->finding.marker_matches) {
        *flaw_out = "what the provider shows does not carry our key";
    } else if (!look->finding.digest_matches) {
        *flaw_out = "what the provider shows does not carry our digest";
    } else if (look->finding.reference[0] != '\0') {
        bool taken = false;
        deed_rc rc =
            deed__reference_taken(tx, c, look->about, look->finding.reference, &taken, err);
        if (rc != DEED_OK) {
            return rc;
        }
        *flaw_out = taken ? "the provider's reference is stored with another intent" : NULL;
    }
    return DEED_OK;
}

/* Anything less settles nothing and holds the intent; it is asked again when due. */
static deed_rc found_flawed(struct deed__call *call, deed_tx *tx, struct deed__case *c,
    const struct deed__look *look, const char *flaw, struct deed_error *err)
{
    struct deed__word word = word_of(look, DEED_OUTCOME_NONE);
    word.why = flaw;
    schedule_look(c, look);
    deed_rc rc = deed__keep(call, tx, c, &word, DEED_EVENT_NOTE, err);
    return rc == DEED_OK ? deed__set_hold(call, tx, c, flaw, NULL, err) : rc;
}

static deed_rc found_present(struct deed__call *call, deed_tx *tx, struct deed__case *c,
    const struct deed__look *look, struct deed_error *err)
{
    const char *flaw = NULL;
    deed_rc rc = judge(tx, c, look, &flaw, err);
    if (rc != DEED_OK) {
        return rc;
    }
    if (flaw != NULL) {
        return found_flawed(call, tx, c, look, flaw, err);
    }
    struct deed__word word = word_of(look, DEED_APPLIED);
    word.count = word.count == 0 ? 1 : word.count;
    return deed__late_applied(call, tx, c, &word, err);
}

/* A definite failure speaks of its own attempt, and a poll knows which one that is. */
static deed_rc resolve_rejected(deed_tx *tx, struct deed__case *c, const struct deed__look *look,
    uint32_t *others_out, struct deed_error *err)
{
    deed_rc rc = DEED_OK;
    *others_out = 0;
    for (uint32_t i = 0; i < c->count; i++) {
        struct deed_attempt_row *attempt = &c->attempts[i];
        if (attempt->number != look->about->number) {
            *others_out += deed__in_doubt(c, attempt) ? 1 : 0;
        } else {
            attempt->verdict = DEED_VERDICT_REJECTED;
            attempt->pending = false;
            rc = tx->attempt_update(tx->self, attempt, err);
        }
    }
    return rc;
}

/* Somebody else has settled it, or sent again, since the question went out. */
static bool lost_race(const struct deed__case *c, const struct deed__look *look)
{
    return look->open &&
        (c->intent.state != DEED_ATTEMPTED || c->intent.attempts != look->attempts);
}

/* Settles nothing: an event tells of the look. Who lost a race has evidence that nobody else has, and
 * it is kept. */
static deed_rc settles_nothing(struct deed__call *call, deed_tx *tx, struct deed__case *c,
    const struct deed__look *look, const char *answer, struct deed_error *err)
{
    if (!lost_race(c, look)) {
        return note_look(call, tx, c, look, answer, err);
    }
    struct deed__word word = word_of(look, DEED_OUTCOME_NONE);
    word.grade = DEED_GRADE_NONE;
    word.reference = NULL;
    word.why = answer;
    schedule_look(c, look);
    return deed__keep(call, tx, c, &word, DEED_EVENT_NOTE, err);
}

/* What was taken for not applied may be yet: nothing is resent before somebody has looked. */
static const char still_pending[] = "the provider shows our request as accepted and not done";

static deed_rc mark_pending(
    deed_tx *tx, struct deed__case *c, const struct deed__look *look, struct deed_error *err)
{
    deed_rc rc = DEED_OK;
    for (uint32_t i = 0; rc == DEED_OK && i < c->count; i++) {
        struct deed_attempt_row *attempt = &c->attempts[i];
        if (attempt->number == look->about->number && !attempt->pending) {
            attempt->pending = true;
            if (look->finding.handle[0] != '\0') {
                attempt->handle = look->finding.handle;
            }
            rc = tx->attempt_update(tx->self, attempt, err);
        }
    }
    return rc;
}

static deed_rc found_pending(struct deed__call *call, deed_tx *tx, struct deed__case *c,
    const struct deed__look *look, struct deed_error *err)
{
    bool open = c->intent.state == DEED_ATTEMPTED;
    deed_rc rc = open ? mark_pending(tx, c, look, err) : DEED_OK;
    if (rc == DEED_OK) {
        rc = settles_nothing(call, tx, c, look, "pending", err);
    }
    if (rc == DEED_OK && !open && c->intent.outcome == DEED_NOT_APPLIED) {
        rc = deed__set_hold(call, tx, c, still_pending, NULL, err);
    }
    return rc;
}

/* What is in doubt at the moment of writing went out under the key that was asked about, and of the
 * other keys nothing is to be feared. */
static bool covers_all_keys(const struct deed__case *c, const struct deed__look *look)
{
    for (uint32_t i = 0; i < c->count; i++) {
        if (deed__in_doubt(c, &c->attempts[i]) &&
            strcmp(c->attempts[i].provider_key, look->about->provider_key) != 0) {
            return false;
        }
    }
    return look->all_keys;
}

/* Everything that went out has landed or never will, and would be visible: judged at the moment of
 * the question, against every attempt in doubt at the moment of writing. */
static bool absence_is_ripe(const struct deed__case *c, const struct deed__look *look)
{
    if (!look->finding.complete || !covers_all_keys(c, look) || deed__pending(c)) {
        return false;
    }
    for (uint32_t i = 0; i < c->count; i++) {
        const struct deed_attempt_row *attempt = &c->attempts[i];
        if (deed__in_doubt(c, attempt) &&
            ((attempt->flags & DEED_ATTEMPT_NO_ABSENCE) != 0 ||
                !deed__attempt_passed(attempt, deed__visible_ms(attempt), &look->asked))) {
            return false;
        }
    }
    /* Waits are judged by the time before the question, the reach, which ends, by the time after the
     * answer: who was halted in between asked in time and was answered too late. */
    return deed__same_boot(&look->asked, &look->answered) &&
        deed__within_reach(c, &look->answered, look->newest_ms);
}

/* An eventually consistent look-up has to say it twice, one lag apart, about the same attempts. */
static bool absence_is_repeated(const struct deed__case *c, const struct deed__look *look)
{
    const struct deed_attempt_row *newest = deed__newest_attempt(c);
    if ((newest->flags & DEED_ATTEMPT_EVENTUAL) == 0) {
        return true;
    }
    return c->intent.absent_attempts == c->intent.attempts &&
        deed__passed(&c->intent.absent_asked, newest->lag_ms, &look->asked) &&
        look->asked.mono_ms > c->intent.absent_asked.mono_ms;
}

/* Does the absence that is stored stand as the first of the two? Moving it forward with each look
 * would put the second off for ever where looks come more often than one lag apart. */
static void keep_first_absence(struct deed__case *c, const struct deed__look *look)
{
    const struct deed_instant *first = &c->intent.absent_asked;
    bool stands = c->intent.absent_attempts == c->intent.attempts &&
        deed__same_boot(first, &look->asked) && first->wall_ms <= look->asked.wall_ms;
    if (!stands) {
        c->intent.absent_asked = look->asked;
        c->intent.absent_attempts = c->intent.attempts;
    }
}

/* Was this the only attempt that ever went out under its provider key? A look-up answers for a key,
 * and a retry keeps the key of the attempt before it. */
static bool only_one_under_key(const struct deed__case *c, const struct deed_attempt_row *attempt)
{
    for (uint32_t i = 0; i < c->count; i++) {
        if (c->attempts[i].number != attempt->number &&
            strcmp(c->attempts[i].provider_key, attempt->provider_key) == 0) {
            return false;
        }
    }
    return true;
}

/* Does a look-up's "refused for good" speak of everything that may have happened? It does if one
 * attempt was made, or if nothing can land any more: then it is an absence that says why. */
static bool rejects_all(const struct deed__case *c, const struct deed__look *look)
{
    bool one = c->count - c->intent.settled_attempts == 1 && deed__in_doubt(c, look->about) &&
        only_one_under_key(c, look->about);
    return one || (deed__doubts(c) > 0 && absence_is_ripe(c, look) && absence_is_repeated(c, look));
}

static deed_rc found_rejected(struct deed__call *call, deed_tx *tx, struct deed__case *c,
    const struct deed__look *look, struct deed_error *err)
{
    const char *flaw = NULL;
    deed_rc rc = judge(tx, c, look, &flaw, err);
    if (rc != DEED_OK) {
        return rc;
    }
    if (flaw != NULL) {
        return found_flawed(call, tx, c, look, flaw, err);
    }
    struct deed__word word = word_of(look, DEED_REJECTED);
    bool settles = c->intent.state == DEED_ATTEMPTED && !look->by_handle && rejects_all(c, look);
    if (c->intent.state == DEED_ATTEMPTED && look->by_handle && deed__in_doubt(c, look->about)) {
        uint32_t others = 0;
        rc = resolve_rejected(tx, c, look, &others, err);
        settles = others == 0;
    }
    if (rc == DEED_OK && settles) {
        return deed__settle(call, tx, c, &word, DEED_EVENT_RECONCILE, err);
    }
    if (c->intent.state == DEED_ATTEMPTED && absence_is_ripe(c, look)) {
        keep_first_absence(c, look);
    }
    schedule_look(c, look);
    return rc == DEED_OK ? deed__keep(call, tx, c, &word, DEED_EVENT_NOTE, err) : rc;
}

static deed_rc found_absent(struct deed__call *call, deed_tx *tx, struct deed__case *c,
    const struct deed__look *look, struct deed_error *err)
{
    if (c->intent.state != DEED_ATTEMPTED) {
        return settles_nothing(call, tx, c, look, "absent", err);
    }
    if (!absence_is_ripe(c, look)) {
        return settles_nothing(call, tx, c, look, "absent, too early to count", err);
    }
    if (!absence_is_repeated(c, look)) {
        keep_first_absence(c, look);
        return note_look(call, tx, c, look, "absent, once", err);
    }
    struct deed__word word = word_of(look, DEED_NOT_APPLIED);
    word.grade = DEED_GRADE_PROVIDER_ABSENT_FINAL;
    word.reference = NULL;
    return deed__settle(call, tx, c, &word, DEED_EVENT_RECONCILE, err);
}

static deed_rc found_closed(struct deed__call *call, deed_tx *tx, struct deed__case *c,
    const struct deed__look *look, struct deed_error *err)
{
    if (c->intent.state != DEED_ATTEMPTED || !covers_all_keys(c, look)) {
        return settles_nothing(call, tx, c, look, "closed", err);
    }
    struct deed__word word = word_of(look, DEED_NOT_APPLIED);
    word.grade = DEED_GRADE_PROVIDER_CLOSED;
    word.reference = NULL;
    return deed__settle(call, tx, c, &word, DEED_EVENT_RECONCILE, err);
}

/* Only what bars a later effect can call it closed, and that answers nothing but present or closed. */
deed_finding_kind deed__look_kind(const struct deed__look *look)
{
    deed_finding_kind kind = look->finding.kind;
    bool fits = kind == DEED_FOUND_PRESENT || (kind == DEED_FOUND_CLOSED) == look->bars;
    return fits ? kind : DEED_FOUND_NOTHING;
}

deed_rc deed__look_decide(
    struct deed__call *call, deed_tx *tx, struct deed__case *c, struct deed_error *err)
{
    const struct deed__look *look = call->context;
    if (c->intent.disputed) { /* only a person closes it: evidence is kept */
        struct deed__word word = word_of(look, DEED_OUTCOME_NONE);
        word.why = "disputed";
        return deed__keep(call, tx, c, &word, DEED_EVENT_NOTE, err);
    }
    switch (deed__look_kind(look)) {
    case DEED_FOUND_PRESENT:
        return found_present(call, tx, c, look, err);
    case DEED_FOUND_REJECTED:
        return found_rejected(call, tx, c, look, err);
    case DEED_FOUND_PENDING:
        return found_pending(call, tx, c, look, err);
    case DEED_FOUND_ABSENT:
        return found_absent(call, tx, c, look, err);
    case DEED_FOUND_CLOSED:
        return found_closed(call, tx, c, look, err);
    case DEED_FOUND_NOTHING:
        break;
    }
    return note_look(call, tx, c, look, "could not tell", err);
}
