/* SPDX-License-Identifier: MIT
 *
 * The door for outside proof. A word that comes in here may prove that an effect happened, never
 * that it did not. What a verifier found genuine counts as the provider's if it speaks of our
 * effect; what nobody verified is the word of the person who brings it.
 */
#include <deed/evidence.h>

#include <string.h>

#include "boundary.h"
#include "door.h"
#include "policy.h"
#include "said.h"
#include "settle.h"

static const char *or_empty(const char *text)
{
    return text == NULL ? "" : text;
}

/* ---- heard before? ---------------------------------------------------------------------------- */

struct search {
    const struct deed__said *said;
    bool same;        /* this word is stored */
    bool contradicts; /* its event is stored and said something else */
};

/* What was claimed, also where it was not believed: then no outcome is stored, but a grade. */
static deed_outcome claim_of(const struct deed_evidence_row *row)
{
    return row->outcome == DEED_OUTCOME_NONE && row->grade != DEED_GRADE_NONE ? DEED_APPLIED
                                                                              : row->outcome;
}

/* Of a message that was found genuine, what it says counts and not what was given beside it. */
static bool of_one_attempt(const struct deed_evidence_row *row, const struct deed__said *said)
{
    const uint8_t *token = said->evidence->token;
    if (said->verified || (token == NULL && !row->token_known)) {
        return true;
    }
    return token != NULL && row->token_known && memcmp(row->token, token, DEED_TOKEN_BYTES) == 0;
}

static deed_rc compare_word(void *context, const struct deed_evidence_row *row)
{
    struct search *search = context;
    const struct deed__said *said = search->said;
    if (strcmp(row->source, said->evidence->source) != 0 ||
        strcmp(or_empty(row->event_id), said->event_id) != 0) {
        return DEED_OK;
    }
    bool says_same =
        claim_of(row) == said->outcome && strcmp(or_empty(row->reference), said->reference) == 0;
    if (said->event_id[0] != '\0') {
        /* By name: a second delivery may be spelled in another way. */
        search->same = search->same || says_same;
        search->contradicts = search->contradicts || !says_same;
    } else if (says_same && of_one_attempt(row, said) &&
        memcmp(row->excerpt_digest, said->digest, DEED_DIGEST_BYTES) == 0) {
        search->same = true;
    }
    return DEED_OK;
}

static deed_rc refuse_contradiction(
    const struct deed__case *c, const struct deed__said *said, struct deed_error *err)
{
    return deed__refuse(err, DEED_E_CONFLICT, c->intent.key, NULL,
        "%s has an event of %s with this id that said something else; nothing was stored: an event "
        "is said once, and a new one has an id of its own",
        c->intent.key, said->evidence->source);
}

/* ---- whose effect -------------------------------------------------------------------------- */

/* The attempt a word speaks of. */
struct about {
    const struct deed_attempt_row *attempt; /* NULL: none that this ledger knows */
    const char
        *lost; /* how it names an attempt that this ledger does not know; NULL: it does not */
    const uint8_t *token; /* as given; NULL: none, or one that the message contradicts */
};

static bool same_letters(const char *a, const char *b)
{
    size_t i = 0;
    for (; a[i] != '\0' && b[i] != '\0'; i++) {
        char left = (char)(a[i] >= 'A' && a[i] <= 'Z' ? a[i] - 'A' + 'a' : a[i]);
        char right = (char)(b[i] >= 'A' && b[i] <= 'Z' ? b[i] - 'A' + 'a' : b[i]);
        if (left != right) {
            return false;
        }
    }
    return a[i] == b[i];
}

static const struct deed_attempt_row *attempt_of_token(
    const struct deed__case *c, const uint8_t *token)
{
    const struct deed_attempt_row *found = NULL;
    for (uint32_t i = 0; token != NULL && i < c->count; i++) {
        if (memcmp(c->attempts[i].token, token, DEED_TOKEN_BYTES) == 0) {
            found = &c->attempts[i];
        }
    }
    return found;
}

/* The newest attempt under the key that the message carries, as for a look-up. */
static const struct deed_attempt_row *attempt_of_key(
    const struct deed__case *c, const char *provider_key)
{
    const struct deed_attempt_row *found = NULL;
    for (uint32_t i = 0; i < c->count; i++) {
        if (same_letters(c->attempts[i].provider_key, provider_key)) {
            found = &c->attempts[i];
        }
    }
    return found;
}

/* How many generations of provider keys a lost time may have used beyond those known here. */
#define LOST_GENERATIONS 32U

static const char lost_token[] = "unknown token";
static const char lost_key[] = "a provider key that only a lost attempt was sent under";

/* Is it a provider key of this intent? Keys are derived, so those of an attempt that was lost with
 * the file are known too (docs/decisions/0020). */
static deed_rc is_derived(
    const struct deed__case *c, const char *provider_key, bool *derived_out, struct deed_error *err)
{
    const struct deed_attempt_row *newest = deed__newest_attempt(c);
    uint32_t last = (newest == NULL ? 0 : newest->generation) + LOST_GENERATIONS;
    *derived_out = false;
    deed_rc rc = DEED_OK;
    for (uint32_t i = 0; rc == DEED_OK && !*derived_out && i <= last; i++) {
        char own[DEED_PROVIDER_KEY_BYTES];
        rc = deed__provider_key(c->ledger->name, c->intent.key, c->intent.digest, i, own, err);
        *derived_out = rc == DEED_OK && same_letters(own, provider_key);
    }
    return rc;
}

static deed_rc refuse_other(void *context, const struct deed_intent_row *row)
{
    char *other = context;
    memcpy(other, row->key, strlen(row->key) + 1);
    return DEED_OK;
}

/* A message under the key of another intent says nothing of this one, whoever brought it here. */
static deed_rc check_other(
    deed_tx *tx, const struct deed__case *c, const char *provider_key, struct deed_error *err)
{
    char lower[DEED_PROVIDER_KEY_BYTES];
    size_t i = 0;
    for (; provider_key[i] != '\0'; i++) {
        bool upper = provider_key[i] >= 'A' && provider_key[i] <= 'Z';
        lower[i] = (char)(upper ? provider_key[i] - 'A' + 'a' : provider_key[i]);
    }
    lower[i] = '\0';
    char other[DEED_KEY_BYTES_MAX + 1] = "";
    deed_rc rc = tx->intent_find(tx->self, lower, NULL, refuse_other, other, err);
    if (rc == DEED_OK && other[0] != '\0') {
        rc = deed__refuse(err, DEED_E_INVALID, c->intent.key, NULL,
            "the message given with %s carries the provider key of %s: it speaks of that intent, "
            "and nothing was stored; give it with that key",
            c->intent.key, other);
    }
    return rc;
}

/* The message knows better than who brings it. */
static deed_rc find_marked(deed_tx *tx, const struct deed__case *c, const struct deed__said *said,
    struct about *about, struct deed_error *err)
{
    const char *provider_key = said->content.provider_key;
    const struct deed_attempt_row *marked = attempt_of_key(c, provider_key);
    if (marked != NULL) {
        bool agree = about->attempt != NULL &&
            strcmp(about->attempt->provider_key, marked->provider_key) == 0;
        about->attempt = agree ? about->attempt : marked;
        return DEED_OK;
    }
    about->token = about->attempt == NULL ? about->token : NULL;
    about->attempt = NULL;
    if (provider_key[0] == '\0') {
        about->lost = NULL;
        return DEED_OK;
    }
    bool derived = false;
    deed_rc rc = is_derived(c, provider_key, &derived, err);
    if (rc == DEED_OK && !derived) {
        rc = check_other(tx, c, provider_key, err);
    }
    about->lost = derived ? lost_key : NULL;
    return rc;
}

static deed_rc find_about(deed_tx *tx, const struct deed__case *c, const struct deed__said *said,
    struct about *about_out, struct deed_error *err)
{
    const uint8_t *token = said->evidence->token;
    struct about about = {.attempt = attempt_of_token(c, token), .token = token};
    deed_rc rc = DEED_OK;
    if (token != NULL && about.attempt == NULL) {
        struct deed_attempt_row other;
        rc = tx->attempt_by_token(tx->self, token, &other, err);
        if (rc == DEED_OK) {
            return deed__refuse(err, DEED_E_MISUSE, c->intent.key, NULL,
                "the token given with the evidence for %s belongs to an attempt of another intent",
                c->intent.key);
        }
        about.lost = rc == DEED_E_NOT_FOUND ? lost_token : NULL;
        rc = about.lost != NULL ? DEED_OK : rc;
    }
    if (rc == DEED_OK && said->verified) {
        rc = find_marked(tx, c, said, &about, err);
    } else if (token == NULL) {
        about.attempt = deed__newest_attempt(c);
    }
    *about_out = about;
    return rc;
}

/* ---- what it is worth ------------------------------------------------------------------------ */

static const char *judge_content(
    const struct deed__case *c, const struct deed__said *said, const struct about *about)
{
    char digest[DEED_DIGEST_TEXT_BYTES];
    deed_digest_text(c->intent.digest, digest);
    if (about->attempt == NULL && about->lost == NULL) {
        return "the message does not carry our key";
    }
    if (!same_letters(digest, said->content.digest)) {
        return "the message does not carry our digest";
    }
    return said->reference[0] == '\0' ? "the message does not name the effect" : NULL;
}

/* NULL: it may settle; else why not. */
static deed_rc judge(deed_tx *tx, const struct deed__case *c, const struct deed__said *said,
    const struct about *about, const char **flaw_out, struct deed_error *err)
{
    *flaw_out = said->verified ? judge_content(c, said, about) : NULL;
    deed_rc rc = DEED_OK;
    if (*flaw_out == NULL && said->reference[0] != '\0') {
        bool taken = false;
        rc = deed__reference_taken(
            tx, c, said->verified ? about->attempt : NULL, said->reference, &taken, err);
        *flaw_out = taken ? "the reference in the evidence is stored with another intent" : NULL;
    }
    bool never = c->intent.state == DEED_RECORDED && !c->intent.fence_raised && about->lost == NULL;
    if (rc == DEED_OK && *flaw_out == NULL && never) {
        *flaw_out = "evidence says it was applied, and this ledger knows of no attempt";
    }
    return rc;
}

static struct deed__word word_of(const struct deed__said *said, const struct about *about)
{
    const struct deed_evidence *evidence = said->evidence;
    struct deed_text excerpt = evidence->message;
    if (excerpt.bytes > DEED_EXCERPT_BYTES_MAX) {
        excerpt.bytes = DEED_EXCERPT_BYTES_MAX;
    }
    struct deed__word word = {
        .source = evidence->source,
        .grade = said->verified ? DEED_GRADE_PROVIDER_PRESENT : DEED_GRADE_OPERATOR,
        .outcome = said->outcome,
        .attempt = about->attempt == NULL ? 0 : about->attempt->number,
        .token = about->attempt != NULL && (said->verified || evidence->token != NULL)
            ? about->attempt->token
            : about->token,
        .count = 1,
        .reference = said->reference,
        .excerpt = excerpt,
        .digest = said->digest,
        .actor = said->by,
        .statement = evidence->statement,
        .event_id = said->event_id,
    };
    return word;
}

/* Anything less settles nothing and holds the intent. */
static deed_rc keep_flawed(struct deed__call *call, deed_tx *tx, struct deed__case *c,
    struct deed__word *word, const char *flaw, struct deed_error *err)
{
    word->outcome = DEED_OUTCOME_NONE;
    word->why = flaw;
    deed_rc rc = deed__keep(call, tx, c, word, DEED_EVENT_NOTE, err);
    return rc == DEED_OK ? deed__set_hold(call, tx, c, flaw, word->actor, err) : rc;
}

static deed_rc decide_word(struct deed__call *call, deed_tx *tx, struct deed__case *c,
    const struct deed__said *said, struct deed_error *err)
{
    struct about about = {.attempt = NULL};
    deed_rc rc = find_about(tx, c, said, &about, err);
    if (rc != DEED_OK) {
        return rc;
    }
    struct deed__word word = word_of(said, &about);
    if (said->outcome != DEED_APPLIED) { /* genuine, and says nothing of an effect */
        word.grade = DEED_GRADE_NONE;
        return deed__keep(call, tx, c, &word, DEED_EVENT_NOTE, err);
    }
    if (c->intent.disputed) { /* only a person closes it: evidence is kept */
        word.outcome = DEED_OUTCOME_NONE;
        word.why = "disputed";
        return deed__keep(call, tx, c, &word, DEED_EVENT_NOTE, err);
    }
    const char *flaw = NULL;
    rc = judge(tx, c, said, &about, &flaw, err);
    if (rc != DEED_OK) {
        return rc;
    }
    if (flaw != NULL) {
        return keep_flawed(call, tx, c, &word, flaw, err);
    }
    word.why = about.lost;
    return deed__late_applied(call, tx, c, &word, err);
}

static deed_rc decide_evidence(
    struct deed__call *call, deed_tx *tx, struct deed__case *c, struct deed_error *err)
{
    const struct deed__said *said = call->context;
    struct search search = {.said = said};
    deed_rc rc = tx->evidence_each(tx->self, c->intent.id, compare_word, &search, err);
    if (rc == DEED_OK && search.contradicts) {
        rc = refuse_contradiction(c, said, err);
    }
    if (rc != DEED_OK) {
        return rc;
    }
    if (call->result != NULL) {
        call->result->created = false;
        call->result->replayed = search.same;
    }
    return search.same ? DEED_OK : decide_word(call, tx, c, said, err);
}

deed_rc deed__inner_evidence_add(struct deed_ledger *ledger, const struct deed_evidence *evidence,
    struct deed_result *result, struct deed_error *err)
{
    if (ledger == NULL || evidence == NULL || evidence->key == NULL || evidence->source == NULL ||
        (evidence->message.data == NULL && evidence->message.bytes > 0)) {
        return deed__misuse(err, "deed_evidence_add");
    }
    deed_rc rc = deed__enter(ledger, "deed_evidence_add", err);
    if (rc != DEED_OK) {
        return rc;
    }
    struct deed__said said;
    memset(&said, 0, sizeof(said));
    said.evidence = evidence;
    said.by = evidence->by != NULL ? evidence->by : ledger->actor;
    rc = deed__said_read(ledger, &said, err);
    if (rc != DEED_OK) {
        deed__trace(ledger, "evidence", evidence->key, "refused");
        return rc;
    }
    struct deed__call call = {
        .ledger = ledger,
        .key = evidence->key,
        .decide = decide_evidence,
        .context = &said,
        .result = result,
        .written = DEED_SEAM_EVIDENCE_WRITTEN,
        .committed = DEED_SEAM_EVIDENCE_COMMITTED,
    };
    rc = deed__call_write(&call, err);
    deed__trace(ledger, "evidence", evidence->key, rc == DEED_OK ? "kept" : "refused");
    return rc;
}
