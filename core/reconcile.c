/* SPDX-License-Identifier: MIT
 *
 * Settling a doubt by evidence, in this order: poll and look up; replay where the provider honours
 * our key; cancel where it can bar a later effect; final absence; a person. What only a person can
 * settle is never resent by anything here.
 */
#include "reconcile.h"

#include <stdio.h>
#include <string.h>

#include "instant.h"
#include "policy.h"
#include "send.h"
#include "settle.h"

/* ---- what a look brought ------------------------------------------------------------------ */

struct look {
    const char *source; /* "poll", "lookup", "cancel" */
    deed_grade grade;   /* of a positive answer */
    struct deed_finding finding;
    const struct deed_attempt_row *about; /* the newest attempt under the key that was asked */
    struct deed_instant asked;    /* before the question went out: what had landed by then */
    struct deed_instant answered; /* after the answer came: whether it could still be shown */
    int64_t newest_ms;            /* the newest time in the ledger, by then */
    bool all_keys;                /* under no other key that was used is there anything */
    bool bars;                    /* a cancel: it asked for the effect to be barred */
    bool by_handle;               /* a poll: the answer is that of one attempt */
};

static struct deed__word word_of(const struct look *look, deed_outcome outcome)
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

/* When it is asked again. A look that was not due takes none of the second looks away. */
static void schedule_look(struct deed__case *c)
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
    } else if (intent->looks_left > 0 && intent->look_due_ms <= c->now.wall_ms) {
        intent->looks_left--;
        const struct deed_attempt_row *newest = deed__newest_attempt(c);
        intent->look_due_ms =
            intent->looks_left == 0 ? 0 : deed__sum(c->now.wall_ms, newest->second_look_ms[1]);
    }
}

/* Our marker, our digest, a reference stored with no other intent. NULL: it counts; else why not. */
static deed_rc judge(deed_tx *tx, const struct deed__case *c, const struct look *look,
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
            tx->reference_taken(tx->self, look->finding.reference, c->intent.id, &taken, err);
        if (rc != DEED_OK) {
            return rc;
        }
        *flaw_out = taken ? "the provider's reference is stored with another intent" : NULL;
    }
    return DEED_OK;
}

/* Anything less settles nothing and holds the intent; it is asked again when due. */
static deed_rc found_flawed(struct deed__call *call, deed_tx *tx, struct deed__case *c,
    const struct look *look, const char *flaw, struct deed_error *err)
{
    struct deed__word word = word_of(look, DEED_OUTCOME_NONE);
    word.why = flaw;
    schedule_look(c);
    deed_rc rc = deed__keep(call, tx, c, &word, DEED_EVENT_NOTE, err);
    return rc == DEED_OK ? deed__set_hold(call, tx, c, flaw, NULL, err) : rc;
}

static deed_rc found_present(struct deed__call *call, deed_tx *tx, struct deed__case *c,
    const struct look *look, struct deed_error *err)
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
static deed_rc resolve_rejected(deed_tx *tx, struct deed__case *c, const struct look *look,
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

/* What was taken for not applied may be yet: nothing is resent before somebody has looked. */
static const char still_pending[] = "the provider shows our request as accepted and not done";

static deed_rc mark_pending(
    deed_tx *tx, struct deed__case *c, const struct look *look, struct deed_error *err)
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
    const struct look *look, struct deed_error *err)
{
    bool open = c->intent.state == DEED_ATTEMPTED;
    deed_rc rc = open ? mark_pending(tx, c, look, err) : DEED_OK;
    if (rc == DEED_OK) {
        rc = deed__note_look(call, tx, c, look->source, "pending", err);
    }
    if (rc == DEED_OK && !open && c->intent.outcome == DEED_NOT_APPLIED) {
        rc = deed__set_hold(call, tx, c, still_pending, NULL, err);
    }
    return rc;
}

/* What is in doubt at the moment of writing went out under the key that was asked about, and of the
 * other keys nothing is to be feared. */
static bool covers_all_keys(const struct deed__case *c, const struct look *look)
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
static bool absence_is_ripe(const struct deed__case *c, const struct look *look)
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
static bool absence_is_repeated(const struct deed__case *c, const struct look *look)
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
static void keep_first_absence(struct deed__case *c, const struct look *look)
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
static bool rejects_all(const struct deed__case *c, const struct look *look)
{
    bool one = c->count - c->intent.settled_attempts == 1 && deed__in_doubt(c, look->about) &&
        only_one_under_key(c, look->about);
    return one || (deed__doubts(c) > 0 && absence_is_ripe(c, look) && absence_is_repeated(c, look));
}

static deed_rc found_rejected(struct deed__call *call, deed_tx *tx, struct deed__case *c,
    const struct look *look, struct deed_error *err)
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
    schedule_look(c);
    return rc == DEED_OK ? deed__keep(call, tx, c, &word, DEED_EVENT_NOTE, err) : rc;
}

static deed_rc found_absent(struct deed__call *call, deed_tx *tx, struct deed__case *c,
    const struct look *look, struct deed_error *err)
{
    if (c->intent.state != DEED_ATTEMPTED) {
        return deed__note_look(call, tx, c, look->source, "absent", err);
    }
    if (!absence_is_ripe(c, look)) {
        return deed__note_look(call, tx, c, look->source, "absent, too early to count", err);
    }
    if (!absence_is_repeated(c, look)) {
        keep_first_absence(c, look);
        return deed__note_look(call, tx, c, look->source, "absent, once", err);
    }
    struct deed__word word = word_of(look, DEED_NOT_APPLIED);
    word.grade = DEED_GRADE_PROVIDER_ABSENT_FINAL;
    word.reference = NULL;
    return deed__settle(call, tx, c, &word, DEED_EVENT_RECONCILE, err);
}

static deed_rc found_closed(struct deed__call *call, deed_tx *tx, struct deed__case *c,
    const struct look *look, struct deed_error *err)
{
    if (c->intent.state != DEED_ATTEMPTED || !covers_all_keys(c, look)) {
        return deed__note_look(call, tx, c, look->source, "closed", err);
    }
    struct deed__word word = word_of(look, DEED_NOT_APPLIED);
    word.grade = DEED_GRADE_PROVIDER_CLOSED;
    word.reference = NULL;
    return deed__settle(call, tx, c, &word, DEED_EVENT_RECONCILE, err);
}

deed_rc deed__note_look(struct deed__call *call, deed_tx *tx, struct deed__case *c,
    const char *source, const char *answer, struct deed_error *err)
{
    schedule_look(c);
    struct deed__detail detail;
    deed__detail_init(&detail);
    deed__detail_text(&detail, "source", source);
    deed__detail_text(&detail, "answer", answer);
    struct deed__change change = {.event = DEED_EVENT_LOOK, .detail = deed__detail_end(&detail)};
    return deed__apply(call, tx, c, &change, err);
}

/* Only what bars a later effect can call it closed, and that answers nothing but present or closed. */
static deed_finding_kind kind_of(const struct look *look)
{
    deed_finding_kind kind = look->finding.kind;
    bool fits = kind == DEED_FOUND_PRESENT || (kind == DEED_FOUND_CLOSED) == look->bars;
    return fits ? kind : DEED_FOUND_NOTHING;
}

static deed_rc decide_look(
    struct deed__call *call, deed_tx *tx, struct deed__case *c, struct deed_error *err)
{
    const struct look *look = call->context;
    if (c->intent.disputed) { /* only a person closes it: evidence is kept */
        struct deed__word word = word_of(look, DEED_OUTCOME_NONE);
        word.why = "disputed";
        return deed__keep(call, tx, c, &word, DEED_EVENT_NOTE, err);
    }
    switch (kind_of(look)) {
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
    return deed__note_look(call, tx, c, look->source, "could not tell", err);
}

/* ---- asking --------------------------------------------------------------------------------- */

/* One intent on its way through a pass. */
struct doubt {
    deed_ledger *ledger;
    const char *key;
    bool force;
    struct deed_result *result;
    struct deed__case c;
    const struct deed__registration *registration;
};

typedef void (*ask_function)(
    void *self, const struct deed_question *question, struct deed_finding *finding_out);

static void ask(const struct doubt *doubt, ask_function function, struct look *look)
{
    const struct deed_attempt_row *about = look->about;
    const struct deed_attempt_row *first = deed__generation_start(&doubt->c, about->generation);
    struct deed_question question = {
        .size = sizeof(question),
        .key = doubt->key,
        .digest = doubt->c.intent.digest,
        .bytes_digest = about->bytes_digest,
        .provider_key = about->provider_key,
        .endpoint = about->endpoint,
        .account_scope = about->account_scope,
        .handle = about->handle == NULL ? "" : about->handle,
        .first_start_ms = first == NULL ? about->start.wall_ms : first->start.wall_ms,
        .last_start_ms = about->start.wall_ms,
    };
    memset(&look->finding, 0, sizeof(look->finding));
    look->finding.size = sizeof(look->finding);
    deed_seam_cross(DEED_SEAM_PASS_BEFORE_LOOK);
    function(doubt->registration->executor->self, &question, &look->finding);
    if (deed__now(doubt->ledger, &look->answered, NULL) != DEED_OK) {
        look->finding.kind = DEED_FOUND_NOTHING; /* an answer of no known time proves nothing */
    }
    deed_seam_cross(DEED_SEAM_PASS_AFTER_LOOK);
    struct deed_finding *finding = &look->finding;
    finding->handle[sizeof(finding->handle) - 1] = '\0';
    finding->reference[sizeof(finding->reference) - 1] = '\0';
    if (finding->excerpt_bytes > DEED_EXCERPT_BYTES_MAX) {
        finding->excerpt_bytes = DEED_EXCERPT_BYTES_MAX;
    }
}

static deed_rc write_look(struct doubt *doubt, struct look *look, struct deed_error *err)
{
    struct deed__call call = {
        .ledger = doubt->ledger,
        .key = doubt->key,
        .decide = decide_look,
        .context = look,
        .result = doubt->result,
        .written = DEED_SEAM_RECONCILE_WRITTEN,
        .committed = DEED_SEAM_RECONCILE_COMMITTED,
    };
    return deed__call_write(&call, err);
}

static bool settled(const struct doubt *doubt)
{
    return doubt->result->state != DEED_ATTEMPTED;
}

static deed_rc poll_handles(struct doubt *doubt, struct deed_error *err)
{
    const deed_executor *executor = doubt->registration->executor;
    deed_rc rc = DEED_OK;
    for (uint32_t i = 0; rc == DEED_OK && !settled(doubt) && i < doubt->c.count; i++) {
        const struct deed_attempt_row *attempt = &doubt->c.attempts[i];
        bool open = deed__in_doubt(&doubt->c, attempt) && attempt->pending;
        if (open && executor->poll != NULL) {
            struct look look = {.source = "poll",
                .grade = DEED_GRADE_PROVIDER_PRESENT,
                .about = attempt,
                .by_handle = true};
            rc = deed__now(doubt->ledger, &look.asked, err);
            if (rc == DEED_OK) {
                ask(doubt, executor->poll, &look);
                rc = write_look(doubt, &look, err);
            }
        }
    }
    return rc;
}

/* Is this the newest attempt under its provider key? Each key is asked about once. */
static bool is_last_of_key(const struct deed__case *c, uint32_t index)
{
    for (uint32_t i = index + 1; i < c->count; i++) {
        if (strcmp(c->attempts[i].provider_key, c->attempts[index].provider_key) == 0) {
            return false;
        }
    }
    return true;
}

/* Was this attempt made where the newest one was made, so that its executor can be asked about it? */
static bool same_place(const struct deed__case *c, const struct deed_attempt_row *attempt)
{
    const struct deed_attempt_row *newest = deed__newest_attempt(c);
    return strcmp(attempt->executor, newest->executor) == 0 &&
        strcmp(attempt->account_scope, newest->account_scope) == 0 &&
        strcmp(attempt->endpoint, newest->endpoint) == 0;
}

/* Of a key that is not in doubt: is there nothing under it that could still be news? */
static bool is_clean(const struct look *look)
{
    deed_finding_kind kind = kind_of(look);
    bool gone = kind == DEED_FOUND_ABSENT && look->finding.complete;
    return gone || kind == DEED_FOUND_REJECTED || kind == DEED_FOUND_CLOSED;
}

/* Asks about every provider key this intent ever used, the newest last. An effect under any of them
 * is told at once; what is said of the newest counts for the intent if the others are clean. */
static deed_rc ask_keys(
    struct doubt *doubt, ask_function function, const char *source, struct deed_error *err)
{
    const struct deed__case *c = &doubt->c;
    bool open = !settled(doubt);
    struct look look = {
        .source = source,
        .grade = DEED_GRADE_PROVIDER_PRESENT,
        .newest_ms = c->newest_ms,
        .all_keys = true,
        .bars = function == doubt->registration->executor->cancel,
    };
    deed_rc rc = deed__now(doubt->ledger, &look.asked, err); /* before the first of them */
    for (uint32_t i = 0; rc == DEED_OK && i < c->count && !(open && settled(doubt)); i++) {
        look.about = &c->attempts[i];
        if (!is_last_of_key(c, i) || !same_place(c, look.about)) {
            continue;
        }
        ask(doubt, function, &look);
        if (i + 1 == c->count || look.finding.kind == DEED_FOUND_PRESENT) {
            rc = write_look(doubt, &look, err);
        }
        look.all_keys = look.all_keys && is_clean(&look);
    }
    return rc;
}

/* ---- the binding ------------------------------------------------------------------------------ */

/* The doubt belongs to who saw it: the executor of that name, in that account, at that endpoint. */
static deed_rc find_executor(struct doubt *doubt, struct deed_error *err)
{
    const struct deed_attempt_row *newest = deed__newest_attempt(&doubt->c);
    doubt->registration =
        deed__registration_named(doubt->ledger, doubt->c.intent.payload.kind, newest->executor);
    if (doubt->registration == NULL) {
        return deed__refuse(err, DEED_E_NO_EXECUTOR, doubt->key, NULL,
            "%s was attempted by executor %.120s, which is not configured now; configure it again, "
            "or look at the provider and resolve",
            doubt->key, newest->executor);
    }
    const deed_executor *executor = doubt->registration->executor;
    bool dumb = (newest->flags & DEED_ATTEMPT_LOOKUP) != 0 && executor->lookup == NULL;
    if (dumb || ((newest->flags & DEED_ATTEMPT_POLL) != 0 && executor->poll == NULL)) {
        return deed__refuse(err, DEED_E_NEEDS_PERSON, doubt->key, NULL,
            "%s was attempted through executor %.120s when it could be asked, and as it is "
            "configured now it cannot; configure it as it was, or look at the provider and resolve",
            doubt->key, newest->executor);
    }
    struct deed__request request;
    deed_rc rc = deed__request_prepare(
        &request, &doubt->c, doubt->registration->executor, newest->provider_key, err);
    bool same = rc == DEED_OK &&
        strcmp(request.preparation.account_scope, newest->account_scope) == 0 &&
        strcmp(request.preparation.endpoint, newest->endpoint) == 0;
    if (rc == DEED_OK && !same) {
        char next[DEED_ERROR_NEXT_BYTES];
        (void)snprintf(next, sizeof(next), "deed explain %s", doubt->key);
        rc = deed__refuse(err, DEED_E_NEEDS_PERSON, doubt->key, next,
            "%s is in doubt at account %.100s, and its kind is configured for account %.100s now; "
            "configure the old one again, or look there and resolve",
            doubt->key, newest->account_scope, request.preparation.account_scope);
    }
    deed__request_finish(&request);
    return rc;
}

/* ---- first look in another boot ------------------------------------------------------------------ */

static bool unseen_here(const struct deed__case *c, const struct deed_attempt_row *attempt)
{
    return deed__in_doubt(c, attempt) && !deed__same_boot(&attempt->start, &c->now) &&
        !deed__same_boot(&attempt->first_look, &c->now);
}

static bool any_unseen(const struct deed__case *c)
{
    for (uint32_t i = 0; i < c->count; i++) {
        if (unseen_here(c, &c->attempts[i])) {
            return true;
        }
    }
    return false;
}

/* In a new boot every wait starts again here; so that it can end, the moment is stored. */
deed_rc deed__store_first_look(
    struct deed__call *call, deed_tx *tx, struct deed__case *c, struct deed_error *err)
{
    bool any = false;
    for (uint32_t i = 0; i < c->count; i++) {
        if (unseen_here(c, &c->attempts[i])) {
            c->attempts[i].first_look = c->now;
            any = true;
            deed_rc rc = tx->attempt_update(tx->self, &c->attempts[i], err);
            if (rc != DEED_OK) {
                return rc;
            }
        }
    }
    if (!any) {
        return DEED_OK;
    }
    struct deed__detail detail;
    deed__detail_init(&detail);
    deed__detail_text(&detail, "first_look_in_boot", c->now.boot);
    struct deed__change change = {.event = DEED_EVENT_LOOK, .detail = deed__detail_end(&detail)};
    return deed__apply(call, tx, c, &change, err);
}

static deed_rc decide_first_look(
    struct deed__call *call, deed_tx *tx, struct deed__case *c, struct deed_error *err)
{
    return c->intent.state == DEED_ATTEMPTED ? deed__store_first_look(call, tx, c, err) : DEED_OK;
}

/* ---- one intent ----------------------------------------------------------------------------------- */

static deed_rc read_doubt(struct doubt *doubt, struct deed_error *err)
{
    deed__case_finish(&doubt->c);
    return deed__case_read(doubt->ledger, doubt->key, DEED__WITH_PAYLOAD | DEED__WITH_BYTES,
        &doubt->c, doubt->result, err);
}

static deed_rc first_look(struct doubt *doubt, struct deed_error *err)
{
    struct deed__call call = {
        .ledger = doubt->ledger,
        .key = doubt->key,
        .decide = decide_first_look,
        .result = doubt->result,
        .written = DEED_SEAM_RECONCILE_WRITTEN,
        .committed = DEED_SEAM_RECONCILE_COMMITTED,
    };
    deed_rc rc = deed__call_write(&call, err);
    return rc == DEED_OK ? read_doubt(doubt, err) : rc;
}

/* Replays where that is possible; where it is not, nothing happens and the next step is due. */
static deed_rc replay(struct doubt *doubt, struct deed_error *err)
{
    deed_rc rc = read_doubt(doubt, err); /* the looks have written since */
    uint32_t flags = DEED_BEGIN_REPLAY | (doubt->force ? DEED__BEGIN_PAST_POLICY : 0);
    const struct deed_attempt_row *newest = deed__newest_attempt(&doubt->c);
    if (rc != DEED_OK || settled(doubt) || newest == NULL) {
        return rc;
    }
    bool wait =
        (newest->flags & DEED_ATTEMPT_PREFERS_WAIT) != 0 && deed__absence_possible(&doubt->c);
    struct deed_plan plan;
    if (wait || deed__plan_of(&doubt->c, flags, &plan, NULL) != DEED_OK) {
        return DEED_OK;
    }
    bool begun = false;
    rc = deed__send(
        doubt->ledger, &doubt->c, doubt->registration, flags, &begun, doubt->result, err);
    if (!begun &&
        (rc == DEED_E_UNCERTAIN || rc == DEED_E_IN_FLIGHT || rc == DEED_E_NO_STEP ||
            rc == DEED_E_NEEDS_PERSON)) {
        return DEED_OK; /* somebody else was faster, or the window closed meanwhile */
    }
    return rc;
}

static deed_rc settle_doubt(struct doubt *doubt, struct deed_error *err)
{
    const deed_executor *executor = doubt->registration->executor;
    deed_rc rc = poll_handles(doubt, err);
    if (rc == DEED_OK && !settled(doubt) && executor->lookup != NULL) {
        rc = ask_keys(doubt, executor->lookup, "lookup", err);
    }
    if (rc == DEED_OK && !settled(doubt)) {
        rc = replay(doubt, err);
    }
    bool may_close =
        rc == DEED_OK && !settled(doubt) && !doubt->result->in_flight && executor->cancel != NULL;
    if (may_close) {
        rc = read_doubt(doubt, err); /* the replay may have been answered "pending" */
        if (rc == DEED_OK && !settled(doubt) && !deed__pending(&doubt->c)) {
            rc = ask_keys(doubt, executor->cancel, "cancel", err);
        }
    }
    return rc;
}

static deed_rc reconcile_open(struct doubt *doubt, struct deed_error *err)
{
    bool due = doubt->force || doubt->c.intent.next_due_ms <= doubt->c.now.wall_ms;
    if (doubt->result->in_flight || doubt->result->disputed || !due) {
        return DEED_OK;
    }
    deed_rc rc = DEED_OK;
    if (any_unseen(&doubt->c)) {
        rc = first_look(doubt, err);
    }
    if (rc == DEED_OK) {
        rc = find_executor(doubt, err);
    }
    return rc == DEED_OK ? settle_doubt(doubt, err) : rc;
}

/* After a `not_applied` that was inferred: was it true? */
static deed_rc second_look(struct doubt *doubt, struct deed_error *err)
{
    bool due = doubt->c.intent.looks_left > 0 &&
        (doubt->force || doubt->c.intent.look_due_ms <= doubt->c.now.wall_ms);
    if (!due || doubt->c.count == 0) {
        return DEED_OK;
    }
    deed_rc rc = find_executor(doubt, err);
    if (rc == DEED_OK && doubt->registration->executor->lookup != NULL) {
        rc = ask_keys(doubt, doubt->registration->executor->lookup, "lookup", err);
    }
    return rc;
}

deed_rc deed__reconcile_one(deed_ledger *ledger, const char *key, bool force,
    struct deed_result *result, struct deed_error *err)
{
    struct doubt doubt = {.ledger = ledger, .key = key, .force = force, .result = result};
    struct deed_instant nothing = {0, 0, ""};
    deed__case_init(&doubt.c, ledger, &nothing);
    deed_rc rc = read_doubt(&doubt, err);
    if (rc == DEED_OK) {
        rc = settled(&doubt) ? second_look(&doubt, err) : reconcile_open(&doubt, err);
    }
    deed__case_finish(&doubt.c);
    return rc;
}

deed_rc deed_reconcile(
    deed_ledger *ledger, const char *key, struct deed_result *result, struct deed_error *err)
{
    if (ledger == NULL || key == NULL) {
        return deed_error_set(
            err, DEED_E_MISUSE, "core", "deed_reconcile needs a ledger and a key");
    }
    deed_rc rc = deed_key_check(key, err);
    if (rc != DEED_OK) {
        return rc;
    }
    struct deed_result mine = {.size = sizeof(mine)};
    struct deed_result *told = result == NULL ? &mine : result;
    told->created = false;
    told->replayed = false;
    return deed__reconcile_one(ledger, key, true, told, err);
}
