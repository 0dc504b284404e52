/* SPDX-License-Identifier: MIT */
#include "said.h"

#include <stdio.h>
#include <string.h>

#include "digest.h"
#include "door.h"
#include "text.h"
#include "verifier.h"

static bool given(const char *text)
{
    return text != NULL && text[0] != '\0';
}

static const char *or_empty(const char *text)
{
    return text == NULL ? "" : text;
}

/* ---- what is given ---------------------------------------------------------------------- */

static deed_rc check_texts(
    const struct deed_evidence *evidence, const char *by, struct deed_error *err)
{
    const struct {
        const char *what;
        const char *text;
        size_t bytes_max;
    } texts[] = {
        {"who brings the evidence", by, DEED_NOTE_BYTES_MAX},
        {"the statement", evidence->statement, DEED_NOTE_BYTES_MAX},
        {"the reference", evidence->reference, DEED_REFERENCE_BYTES_MAX},
        {"the event id", evidence->event_id, DEED_EVENT_ID_BYTES_MAX},
    };
    deed_rc rc = DEED_OK;
    for (size_t i = 0; rc == DEED_OK && i < sizeof(texts) / sizeof(texts[0]); i++) {
        rc = deed__text_check(evidence->key, texts[i].what, texts[i].text, texts[i].bytes_max, err);
    }
    if (rc == DEED_OK && !given(by)) {
        rc = deed__refuse(err, DEED_E_INVALID, evidence->key, NULL,
            "evidence about %s needs to say who brings it", evidence->key);
    }
    if (rc == DEED_OK && evidence->event_id != NULL && evidence->event_id[0] == '\0') {
        rc = deed__refuse(err, DEED_E_INVALID, evidence->key, NULL,
            "the event id given for %s is empty: leave it out if the source names none",
            evidence->key);
    }
    return rc;
}

/* Absence is proven by asking when nothing can land any more, or decided by a person. */
static deed_rc check_outcome(
    const struct deed_evidence *evidence, bool has_verifier, struct deed_error *err)
{
    if (evidence->outcome == DEED_APPLIED ||
        (evidence->outcome == DEED_OUTCOME_NONE && has_verifier)) {
        return DEED_OK;
    }
    if (evidence->outcome == DEED_OUTCOME_NONE) {
        return deed__refuse(err, DEED_E_INVALID, evidence->key, NULL,
            "evidence about %s must say `applied`: no verifier is registered that could read it in "
            "the message of %s",
            evidence->key, evidence->source);
    }
    char next[DEED_ERROR_NEXT_BYTES];
    deed__next_command(next, sizeof(next), "explain", evidence->key);
    return deed__refuse(err, DEED_E_INVALID, evidence->key, next,
        "evidence can prove that %s was applied, and nothing else: no message shows that nothing "
        "can happen any more; `deed resolve` is for a person who knows it",
        evidence->key);
}

/* Who signed a word wants it verified: a source that is misspelt shall not make it a person's. */
static deed_rc check_signed(
    const struct deed_evidence *evidence, bool has_verifier, struct deed_error *err)
{
    if (has_verifier || !given(evidence->signature)) {
        return DEED_OK;
    }
    return deed__refuse(err, DEED_E_INVALID, evidence->key, NULL,
        "the evidence for %s has a signature, and no verifier is registered for source %s that "
        "could look at it; correct the source, or leave the signature out if a person vouches",
        evidence->key, evidence->source);
}

static deed_rc check_evidence(const struct deed_ledger *ledger,
    const struct deed_evidence *evidence, const char *by, struct deed_error *err)
{
    deed_rc rc = deed_key_check(evidence->key, err);
    if (rc == DEED_OK) {
        rc = deed__source_check(evidence->key, evidence->source, err);
    }
    if (rc == DEED_OK) {
        bool has_verifier = deed__verifier_of(ledger, evidence->source) != NULL;
        rc = check_signed(evidence, has_verifier, err);
        rc = rc == DEED_OK ? check_outcome(evidence, has_verifier, err) : rc;
    }
    if (rc == DEED_OK && evidence->message.bytes > DEED_MESSAGE_BYTES_MAX) {
        rc = deed__refuse(err, DEED_E_INVALID, evidence->key, NULL,
            "the message about %s is longer than %d bytes", evidence->key, DEED_MESSAGE_BYTES_MAX);
    }
    return rc == DEED_OK ? check_texts(evidence, by, err) : rc;
}

/* ---- what the verifier reads -------------------------------------------------------------- */

/* What was given beside a genuine message must not say more than the message does. */
static deed_rc check_beside(const struct deed_evidence *evidence,
    const struct deed_verified *content, struct deed_error *err)
{
    if (given(evidence->reference) && strcmp(evidence->reference, content->reference) != 0) {
        return deed__refuse(err, DEED_E_INVALID, evidence->key, NULL,
            "the reference given for %s is not the one in the message; leave it out, the message "
            "is read",
            evidence->key);
    }
    if (given(evidence->event_id) && content->event_id[0] != '\0' &&
        strcmp(evidence->event_id, content->event_id) != 0) {
        return deed__refuse(err, DEED_E_INVALID, evidence->key, NULL,
            "the event id given for %s is not the one in the message; leave it out, the message "
            "is read",
            evidence->key);
    }
    return DEED_OK;
}

/* A verifier is foreign code: its texts end, and are texts. */
static deed_rc clean_content(const char *key, struct deed_verified *content, struct deed_error *err)
{
    content->provider_key[sizeof(content->provider_key) - 1] = '\0';
    content->digest[sizeof(content->digest) - 1] = '\0';
    content->reference[sizeof(content->reference) - 1] = '\0';
    content->event_id[sizeof(content->event_id) - 1] = '\0';
    deed_rc rc = deed__text_check(
        key, "the reference in the message", content->reference, DEED_REFERENCE_BYTES_MAX, err);
    if (rc == DEED_OK) {
        rc = deed__text_check(
            key, "the event id in the message", content->event_id, DEED_EVENT_ID_BYTES_MAX, err);
    }
    return rc;
}

static deed_rc verify(const struct deed_ledger *ledger, const struct deed_verifier *verifier,
    struct deed__said *said, struct deed_error *err)
{
    const struct deed_evidence *evidence = said->evidence;
    struct deed_verified *content = &said->content;
    struct deed_instant now;
    deed_rc rc = deed__now(ledger, &now, err);
    if (rc == DEED_OK) {
        content->size = sizeof(*content);
        deed__lend(ledger, DEED__NO_CALLS);
        rc = verifier->verify(verifier->self, evidence, now.wall_ms, content, err);
        deed__lent();
    }
    if (rc == DEED_OK) {
        rc = clean_content(evidence->key, content, err);
    } else if (err != NULL) {
        (void)snprintf(err->key, sizeof(err->key), "%s", evidence->key);
    }
    if (rc == DEED_OK) {
        rc = check_beside(evidence, content, err);
    }
    if (rc == DEED_OK) {
        said->verified = true;
        said->outcome = content->outcome == DEED_APPLIED ? DEED_APPLIED : DEED_OUTCOME_NONE;
        said->reference = content->reference;
        said->event_id =
            content->event_id[0] != '\0' ? content->event_id : or_empty(evidence->event_id);
    }
    return rc;
}

deed_rc deed__said_read(
    const struct deed_ledger *ledger, struct deed__said *said, struct deed_error *err)
{
    const struct deed_evidence *evidence = said->evidence;
    deed_rc rc = check_evidence(ledger, evidence, said->by, err);
    if (rc != DEED_OK) {
        return rc;
    }
    said->outcome = evidence->outcome;
    said->reference = or_empty(evidence->reference);
    said->event_id = or_empty(evidence->event_id);
    const struct deed_verifier *verifier = deed__verifier_of(ledger, evidence->source);
    rc = verifier == NULL ? DEED_OK : verify(ledger, verifier, said, err);
    const char *data = evidence->message.data == NULL ? "" : evidence->message.data;
    return rc == DEED_OK ? deed__sha256_of(data, evidence->message.bytes, said->digest, err) : rc;
}
