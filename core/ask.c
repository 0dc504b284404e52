/* SPDX-License-Identifier: MIT
 *
 * Asking a provider about one intent: whom, about which keys, and storing what it says.
 */
#include "ask.h"

#include <stdio.h>
#include <string.h>

#include "door.h"
#include "look.h"

static void ask(
    const struct deed__doubt *doubt, deed__ask_function function, struct deed__look *look)
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
    deed__lend(doubt->ledger, DEED__NO_CALLS);
    function(doubt->registration->executor->self, &question, &look->finding);
    deed__lent();
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

static deed_rc write_look(
    struct deed__doubt *doubt, struct deed__look *look, struct deed_error *err)
{
    struct deed__call call = {
        .ledger = doubt->ledger,
        .key = doubt->key,
        .decide = deed__look_decide,
        .context = look,
        .result = doubt->result,
        .written = DEED_SEAM_RECONCILE_WRITTEN,
        .committed = DEED_SEAM_RECONCILE_COMMITTED,
    };
    return deed__call_write(&call, err);
}

deed_rc deed__doubt_read(struct deed__doubt *doubt, struct deed_error *err)
{
    deed__case_finish(&doubt->c);
    return deed__case_read(doubt->ledger, doubt->key,
        DEED__WITH_PAYLOAD | DEED__WITH_BYTES | DEED__WITH_CHAIN, &doubt->c, doubt->result, err);
}

bool deed__doubt_settled(const struct deed__doubt *doubt)
{
    return doubt->result->state != DEED_ATTEMPTED;
}

deed_rc deed__poll_handles(struct deed__doubt *doubt, struct deed_error *err)
{
    const deed_executor *executor = doubt->registration->executor;
    deed_rc rc = DEED_OK;
    for (uint32_t i = 0; rc == DEED_OK && !deed__doubt_settled(doubt) && i < doubt->c.count; i++) {
        const struct deed_attempt_row *attempt = &doubt->c.attempts[i];
        bool open = deed__in_doubt(&doubt->c, attempt) && attempt->pending;
        if (open && executor->poll != NULL) {
            struct deed__look look = {.source = "poll",
                .grade = DEED_GRADE_PROVIDER_PRESENT,
                .about = attempt,
                .open = true,
                .attempts = doubt->c.intent.attempts,
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

bool deed__same_place(const struct deed__case *c, const struct deed_attempt_row *attempt)
{
    const struct deed_attempt_row *newest = deed__newest_attempt(c);
    return strcmp(attempt->executor, newest->executor) == 0 &&
        strcmp(attempt->account_scope, newest->account_scope) == 0 &&
        strcmp(attempt->endpoint, newest->endpoint) == 0;
}

/* Of a key that is not in doubt: is there nothing under it that could still be news? */
static bool is_clean(const struct deed__look *look)
{
    deed_finding_kind kind = deed__look_kind(look);
    bool gone = kind == DEED_FOUND_ABSENT && look->finding.complete;
    return gone || kind == DEED_FOUND_REJECTED || kind == DEED_FOUND_CLOSED;
}

deed_rc deed__ask_keys(struct deed__doubt *doubt, deed__ask_function function, const char *source,
    struct deed_error *err)
{
    const struct deed__case *c = &doubt->c;
    bool open = !deed__doubt_settled(doubt);
    struct deed__look look = {
        .source = source,
        .grade = DEED_GRADE_PROVIDER_PRESENT,
        .newest_ms = c->newest_ms,
        .open = open,
        .attempts = c->intent.attempts,
        .all_keys = true,
        .bars = function == doubt->registration->executor->cancel,
    };
    deed_rc rc = deed__now(doubt->ledger, &look.asked, err); /* before the first of them */
    for (uint32_t i = 0; rc == DEED_OK && i < c->count && !(open && deed__doubt_settled(doubt));
         i++) {
        look.about = &c->attempts[i];
        if (!is_last_of_key(c, i) || !deed__same_place(c, look.about)) {
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
deed_rc deed__find_executor(struct deed__doubt *doubt, struct deed_error *err)
{
    const struct deed_attempt_row *newest = deed__newest_attempt(&doubt->c);
    doubt->registration =
        deed__registration_named(doubt->ledger, doubt->c.intent.payload.kind, newest->executor);
    if (doubt->registration == NULL) {
        return deed__refuse(err, DEED_E_NO_EXECUTOR, doubt->key, "deed doctor",
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
        deed__next_command(next, sizeof(next), "explain", doubt->key);
        rc = deed__refuse(err, DEED_E_NEEDS_PERSON, doubt->key, next,
            "%s is in doubt at account %.100s, and its kind is configured for account %.100s now; "
            "configure the old one again, or look there and resolve",
            doubt->key, newest->account_scope, request.preparation.account_scope);
    }
    deed__request_finish(&request);
    return rc;
}
