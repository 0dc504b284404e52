/* SPDX-License-Identifier: MIT
 *
 * The door for outside proof: what a word from elsewhere does to an intent, and what it never does.
 */
#include "support/scene.h"

#include <ctype.h>

#include <deed/evidence.h>

#include "policy.h"
#include "support/scene_store.h"

/* ---- a word, and a verifier in the hands of the test -------------------------------------------- */

struct seer {
    struct deed_verifier face;
    struct deed_verified says;
    bool forged;
    unsigned asked;
    unsigned destroyed;
    int64_t now_ms;
};

static deed_rc see(void *self, const struct deed_evidence *evidence, int64_t now_ms,
    struct deed_verified *verified_out, struct deed_error *err)
{
    struct seer *seer = self;
    assert_int_equal(verified_out->size, sizeof(*verified_out));
    assert_string_equal(verified_out->reference, "");
    assert_non_null(evidence->key);
    seer->asked++;
    seer->now_ms = now_ms;
    if (seer->forged) {
        (void)snprintf(err->text, sizeof(err->text), "not genuine");
        return err->rc = DEED_E_INVALID;
    }
    *verified_out = seer->says;
    return DEED_OK;
}

static void count_destroyed(void *self)
{
    ((struct seer *)self)->destroyed++;
}

/* Says that the effect of SCENE_KEY happened, as `provider_key` shows it. */
static void seer_init(struct scene *scene, struct seer *seer, const char *provider_key)
{
    memset(seer, 0, sizeof(*seer));
    seer->face = (struct deed_verifier){
        .size = sizeof(seer->face), .self = seer, .verify = see, .destroy = count_destroyed};
    seer->says.size = sizeof(seer->says);
    seer->says.outcome = DEED_APPLIED;
    scene_get(scene);
    (void)snprintf(seer->says.provider_key, sizeof(seer->says.provider_key), "%s", provider_key);
    (void)snprintf(seer->says.digest, sizeof(seer->says.digest), "%s", scene->result.digest);
    (void)snprintf(seer->says.reference, sizeof(seer->says.reference), "fx-1");
    (void)snprintf(seer->says.event_id, sizeof(seer->says.event_id), "evt-1");
    assert_int_equal(/* of worker 1, which adds all evidence here */
        deed_ledger_register_verifier(scene->workers[1], "bank", &seer->face, &scene->err),
        DEED_OK);
}

static struct deed_evidence word(void)
{
    return (struct deed_evidence){.size = sizeof(struct deed_evidence),
        .key = SCENE_KEY,
        .source = "bank",
        .event_id = "evt-1",
        .outcome = DEED_APPLIED,
        .reference = "fx-1",
        .message = {"paid", 4},
        .by = "ann"};
}

/* As a verifier reads it: nothing is given beside the message. */
static struct deed_evidence signed_word(void)
{
    struct deed_evidence evidence = word();
    evidence.event_id = NULL;
    evidence.reference = NULL;
    evidence.outcome = DEED_OUTCOME_NONE;
    return evidence;
}

static deed_rc add(struct scene *scene, const struct deed_evidence *evidence)
{
    memset(&scene->result, 0, sizeof(scene->result));
    memset(&scene->err, 0, sizeof(scene->err));
    scene->result.size = sizeof(scene->result);
    return deed_evidence_add(scene->workers[1], evidence, &scene->result, &scene->err);
}

static void expect_added(struct scene *scene, const struct deed_evidence *evidence)
{
    if (add(scene, evidence) != DEED_OK) {
        fail_msg("%s", scene->err.text);
    }
    assert_false(scene->result.replayed);
}

/* The last row of evidence; its texts are cut for the test. */
struct last {
    unsigned count;
    struct deed_evidence_row row;
    char source[64];
    char event_id[64];
    char reference[64];
    char actor[64];
    char statement[64];
};

static void keep_text(char out[64], const char *text)
{
    (void)snprintf(out, 64, "%s", text == NULL ? "-" : text);
}

static deed_rc keep(void *context, const struct deed_evidence_row *row)
{
    struct last *last = context;
    last->count++;
    last->row = *row;
    keep_text(last->source, row->source);
    keep_text(last->event_id, row->event_id);
    keep_text(last->reference, row->reference);
    keep_text(last->actor, row->actor);
    keep_text(last->statement, row->statement);
    return DEED_OK;
}

static struct last last_of(struct scene *scene, const char *key)
{
    struct last last;
    memset(&last, 0, sizeof(last));
    assert_int_equal(
        deed_intent_evidence(scene->workers[0], key, keep, &last, &scene->err), DEED_OK);
    return last;
}

/* An attempt whose answer never came, past its lease. */
static void in_doubt(struct scene *scene, enum scene_class class, struct deed_attempt *attempt_out)
{
    scene_new(scene, class);
    memset(attempt_out, 0, sizeof(*attempt_out));
    attempt_out->size = sizeof(*attempt_out);
    assert_int_equal(scene_begin(scene, 1, 0, attempt_out), DEED_OK);
    scene_past_lease(scene);
    scene_expect_uncertain(scene);
}

static void finish(struct scene *scene)
{
    scene_check(scene);
    scene_end(scene);
}

/* ---- what settles ------------------------------------------------------------------------------- */

static void test_evidence__a_word_nobody_verified_is_that_of_who_brings_it(void **state)
{
    (void)state;
    struct scene scene;
    struct deed_attempt attempt;
    in_doubt(&scene, SCENE_BLIND, &attempt);
    struct deed_evidence evidence = word();
    evidence.statement = "seen on the statement";
    expect_added(&scene, &evidence);
    scene_expect(&scene, DEED_RECONCILED, DEED_APPLIED);
    scene_expect_disputed(&scene, false);
    assert_int_equal(scene.result.grade, DEED_GRADE_OPERATOR);
    assert_string_equal(scene.result.reference, "fx-1");
    struct last last = last_of(&scene, SCENE_KEY);
    assert_int_equal(last.row.grade, DEED_GRADE_OPERATOR);
    assert_int_equal(last.row.outcome, DEED_APPLIED);
    assert_true(last.row.settled);
    assert_int_equal(last.row.attempt, 1);
    assert_string_equal(last.source, "bank");
    assert_string_equal(last.event_id, "evt-1");
    assert_string_equal(last.actor, "ann");
    assert_string_equal(last.statement, "seen on the statement");
    finish(&scene);
}

static void test_evidence__what_a_verifier_read_is_the_providers_word(void **state)
{
    (void)state;
    struct scene scene;
    struct seer seer;
    struct deed_attempt attempt;
    in_doubt(&scene, SCENE_BLIND, &attempt);
    seer_init(&scene, &seer, attempt.provider_key);
    for (char *at = seer.says.provider_key; *at != '\0'; at++) { /* in whatever letters */
        *at = (char)toupper((unsigned char)*at);
    }
    struct deed_evidence evidence = signed_word();
    expect_added(&scene, &evidence);
    assert_int_equal(seer.asked, 1);
    assert_int_equal(seer.now_ms, last_of(&scene, SCENE_KEY).row.at_ms);
    scene_expect(&scene, DEED_RECONCILED, DEED_APPLIED);
    assert_int_equal(scene.result.grade, DEED_GRADE_PROVIDER_PRESENT);
    struct last last = last_of(&scene, SCENE_KEY);
    assert_string_equal(last.reference, "fx-1");
    assert_string_equal(last.event_id, "evt-1");
    assert_memory_equal(last.row.token, attempt.token, DEED_TOKEN_BYTES);
    finish(&scene);
    assert_int_equal(seer.destroyed, 1);
}

/* Anything less than our marker, our digest and a reference of its own settles nothing. */
static void test_evidence__less_than_our_own_effect_holds_and_settles_nothing(void **state)
{
    static const char other_key[] = "00000000-0000-4000-8000-000000000000";
    static const char other_digest[] =
        "0000000000000000000000000000000000000000000000000000000000000000";
    static const struct {
        const char *provider_key;
        const char *digest;
        const char *reference;
        const char *words;
    } cases[] = {
        {other_key, NULL, NULL, "our key"},
        {"", NULL, NULL, "our key"},
        {NULL, other_digest, NULL, "our digest"},
        {NULL, "", NULL, "our digest"},
        {NULL, NULL, "", "name the effect"},
        {NULL, NULL, "fx-taken", "another intent"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct scene scene;
        struct seer seer;
        struct deed_attempt attempt;
        in_doubt(&scene, SCENE_BLIND, &attempt);
        scene_record(&scene, "pay-2");
        static const uint8_t lost[DEED_TOKEN_BYTES] = "a lost attempt!";
        struct deed_answer answer = {.size = sizeof(answer), .verdict = DEED_VERDICT_APPLIED};
        (void)snprintf(answer.reference, sizeof(answer.reference), "fx-taken");
        assert_int_equal(
            deed_finish(scene.workers[0], "pay-2", lost, &answer, NULL, &scene.err), DEED_OK);
        seer_init(&scene, &seer,
            cases[i].provider_key == NULL ? attempt.provider_key : cases[i].provider_key);
        if (cases[i].digest != NULL) {
            (void)snprintf(seer.says.digest, sizeof(seer.says.digest), "%s", cases[i].digest);
        }
        if (cases[i].reference != NULL) {
            (void)snprintf(
                seer.says.reference, sizeof(seer.says.reference), "%s", cases[i].reference);
        }
        struct deed_evidence evidence = signed_word();
        expect_added(&scene, &evidence);
        scene_expect_uncertain(&scene);
        assert_true(scene.result.held);
        assert_non_null(strstr(scene.result.held_reason, cases[i].words));
        struct last last = last_of(&scene, SCENE_KEY);
        assert_false(last.row.settled);
        assert_int_equal(last.row.outcome, DEED_OUTCOME_NONE);
        /* And the same delivery again writes nothing. */
        unsigned chain = scene_chain(&scene);
        assert_int_equal(add(&scene, &evidence), DEED_OK);
        assert_true(scene.result.replayed);
        assert_int_equal(scene_chain(&scene), chain);
        finish(&scene);
    }
}

static void test_evidence__a_reference_of_another_intent_is_no_proof_from_anybody(void **state)
{
    (void)state;
    struct scene scene;
    struct deed_attempt attempt;
    in_doubt(&scene, SCENE_BLIND, &attempt);
    struct deed_evidence evidence = word();
    expect_added(&scene, &evidence);
    scene_record(&scene, "pay-2");
    static const uint8_t lost[DEED_TOKEN_BYTES] = "a lost attempt!";
    evidence.key = "pay-2";
    evidence.token = lost;
    expect_added(&scene, &evidence);
    assert_int_equal(scene.result.state, DEED_RECORDED);
    assert_true(scene.result.held);
    finish(&scene);
}

/* pay-2 is applied as fx-1 by another executor. What is verified is compared where its attempt was
 * made; what a person brings, everywhere. */
static void test_evidence__another_providers_reference_is_another_effect(void **state)
{
    (void)state;
    for (int verified = 0; verified <= 1; verified++) {
        struct scene scene;
        struct seer seer;
        struct deed_attempt attempt;
        in_doubt(&scene, SCENE_BLIND, &attempt);
        scene_record(&scene, "pay-2");
        struct deed_plan plan = {.size = sizeof(plan)};
        struct deed_attempt other = {.size = sizeof(other)};
        assert_int_equal(
            deed_plan(scene.workers[0], "pay-2", NULL, 0, &plan, &scene.result, &scene.err),
            DEED_OK);
        struct deed_binding binding = {.size = sizeof(binding),
            .executor = "other",
            .executor_version = "1",
            .account_scope = "acct-1",
            .endpoint = "script://provider",
            .provider_key = plan.provider_key};
        struct deed_begin begin = {.size = sizeof(begin), .key = "pay-2", .binding = &binding};
        assert_int_equal(
            deed_begin(scene.workers[0], &begin, &other, &scene.result, &scene.err), DEED_OK);
        struct deed_answer answer = {.size = sizeof(answer), .verdict = DEED_VERDICT_APPLIED};
        (void)snprintf(answer.reference, sizeof(answer.reference), "fx-1");
        assert_int_equal(
            deed_finish(scene.workers[0], "pay-2", other.token, &answer, &scene.result, &scene.err),
            DEED_OK);
        if (verified != 0) {
            seer_init(&scene, &seer, attempt.provider_key);
        }
        struct deed_evidence evidence = verified != 0 ? signed_word() : word();
        expect_added(&scene, &evidence);
        scene_expect(&scene, verified != 0 ? DEED_RECONCILED : DEED_ATTEMPTED,
            verified != 0 ? DEED_APPLIED : DEED_OUTCOME_NONE);
        assert_int_equal(scene.result.held, verified == 0);
        finish(&scene);
    }
}

static void test_evidence__what_its_verifier_does_not_find_genuine_leaves_no_trace(void **state)
{
    (void)state;
    struct scene scene;
    struct seer seer;
    struct deed_attempt attempt;
    in_doubt(&scene, SCENE_BLIND, &attempt);
    seer_init(&scene, &seer, attempt.provider_key);
    seer.forged = true;
    unsigned chain = scene_chain(&scene);
    struct deed_evidence evidence = word(); /* with all that a person could say beside it */
    assert_int_equal(add(&scene, &evidence), DEED_E_INVALID);
    assert_string_equal(scene.err.text, "not genuine");
    assert_string_equal(scene.err.key, SCENE_KEY);
    assert_int_equal(scene_chain(&scene), chain);
    assert_int_equal(last_of(&scene, SCENE_KEY).count, 0);
    scene_expect_uncertain(&scene);
    assert_false(scene.result.held);
    finish(&scene);
}

static void test_evidence__beside_a_message_nothing_else_is_said(void **state)
{
    (void)state;
    struct scene scene;
    struct seer seer;
    struct deed_attempt attempt;
    in_doubt(&scene, SCENE_BLIND, &attempt);
    seer_init(&scene, &seer, attempt.provider_key);
    struct deed_evidence evidence = signed_word();
    evidence.reference = "fx-2";
    assert_int_equal(add(&scene, &evidence), DEED_E_INVALID);
    assert_non_null(strstr(scene.err.text, "reference"));
    evidence.reference = NULL;
    evidence.event_id = "evt-2";
    assert_int_equal(add(&scene, &evidence), DEED_E_INVALID);
    assert_non_null(strstr(scene.err.text, "event id"));
    assert_int_equal(last_of(&scene, SCENE_KEY).count, 0);
    evidence = word(); /* the same as in the message is fine */
    expect_added(&scene, &evidence);
    scene_expect(&scene, DEED_RECONCILED, DEED_APPLIED);
    finish(&scene);
}

/* Genuine, and about something else than an effect: kept, and no more. */
static void test_evidence__a_genuine_message_that_tells_no_effect_is_a_note(void **state)
{
    (void)state;
    struct scene scene;
    struct seer seer;
    struct deed_attempt attempt;
    in_doubt(&scene, SCENE_BLIND, &attempt);
    seer_init(&scene, &seer, attempt.provider_key);
    seer.says.event_id[0] = '\0';
    static const deed_outcome nothing[] = {
        DEED_OUTCOME_NONE, DEED_REJECTED, DEED_NOT_APPLIED, DEED_RETRACTED};
    for (size_t i = 0; i < sizeof(nothing) / sizeof(nothing[0]); i++) {
        struct deed_evidence evidence = signed_word();
        evidence.outcome = DEED_APPLIED; /* who brings it may say what he likes */
        seer.says.outcome = nothing[i];
        assert_int_equal(add(&scene, &evidence), DEED_OK);
        assert_int_equal(scene.result.replayed, i > 0);
        scene_expect_uncertain(&scene);
        assert_false(scene.result.held);
        assert_int_equal(last_of(&scene, SCENE_KEY).count, 1);
        assert_int_equal(last_of(&scene, SCENE_KEY).row.outcome, DEED_OUTCOME_NONE);
    }
    /* The verifier was set up wrongly; mended, it reads the same message, and that is news. */
    seer.says.outcome = DEED_APPLIED;
    struct deed_evidence evidence = signed_word();
    expect_added(&scene, &evidence);
    scene_expect(&scene, DEED_RECONCILED, DEED_APPLIED);
    finish(&scene);
}

/* ---- what is refused ------------------------------------------------------------------------------ */

static void test_evidence__absence_is_never_proven_by_it(void **state)
{
    static const deed_outcome outcomes[] = {
        DEED_REJECTED, DEED_NOT_APPLIED, DEED_RETRACTED, (deed_outcome)99, DEED_OUTCOME_NONE};
    (void)state;
    struct scene scene;
    struct deed_attempt attempt;
    in_doubt(&scene, SCENE_LOOKUP, &attempt);
    scene_past_visible(&scene);
    unsigned chain = scene_chain(&scene);
    for (size_t i = 0; i < sizeof(outcomes) / sizeof(outcomes[0]); i++) {
        struct deed_evidence evidence = word();
        evidence.outcome = outcomes[i];
        assert_int_equal(add(&scene, &evidence), DEED_E_INVALID);
        bool none = outcomes[i] == DEED_OUTCOME_NONE;
        assert_string_equal(scene.err.next, none ? "" : "deed explain " SCENE_KEY);
        assert_non_null(strstr(scene.err.text, none ? "no verifier" : "`deed resolve`"));
        assert_int_equal(scene_chain(&scene), chain);
    }
    scene_expect_uncertain(&scene);
    finish(&scene);
}

/* A source that was misspelt would make a person's word of what a provider signed. */
static void test_evidence__a_signature_nobody_looks_at_is_refused(void **state)
{
    (void)state;
    struct scene scene;
    struct deed_attempt attempt;
    in_doubt(&scene, SCENE_BLIND, &attempt);
    unsigned chain = scene_chain(&scene);
    struct deed_evidence evidence = word();
    evidence.signature = "t=1,v1=00";
    assert_int_equal(add(&scene, &evidence), DEED_E_INVALID);
    assert_non_null(strstr(scene.err.text, "no verifier is registered for source"));
    assert_int_equal(scene_chain(&scene), chain);
    scene_expect_uncertain(&scene);
    finish(&scene);
}

static void test_evidence__bad_input_is_refused_by_name_and_writes_nothing(void **state)
{
    static char long_note[DEED_NOTE_BYTES_MAX + 2];
    static char long_reference[DEED_REFERENCE_BYTES_MAX + 2];
    static char long_event[DEED_EVENT_ID_BYTES_MAX + 2];
    static const char latin[] = "caf\xe9";
    (void)state;
    memset(long_note, 'n', sizeof(long_note) - 1);
    memset(long_reference, 'r', sizeof(long_reference) - 1);
    memset(long_event, 'e', sizeof(long_event) - 1);
    struct scene scene;
    struct deed_attempt attempt;
    in_doubt(&scene, SCENE_BLIND, &attempt);
    const struct deed_evidence good = word();
    struct deed_evidence bad[18];
    for (size_t i = 0; i < 18; i++) {
        bad[i] = good;
    }
    bad[0].by = latin;
    bad[1].statement = latin;
    bad[2].reference = latin;
    bad[3].event_id = latin;
    bad[4].source = latin;
    bad[5].by = long_note;
    bad[6].statement = long_note;
    bad[7].reference = long_reference;
    bad[8].event_id = long_event;
    bad[9].event_id = "";
    bad[10].by = "";
    bad[11].by = NULL;
    bad[12].source = "";
    bad[13].source = "Bank";
    bad[14].source = ".bank";
    bad[15].source = "lookup";
    bad[16].source = "0123456789012345678901234567890123456789012345678901234567890";
    bad[17].message.bytes = DEED_MESSAGE_BYTES_MAX + 1;
    static const char *const words[18] = {"UTF-8", "UTF-8", "UTF-8", "UTF-8", "source", "longer",
        "longer", "longer", "longer", "empty", "who brings", "who brings", "source", "source",
        "source", "lookup is how", "source", "longer"};
    for (size_t i = 0; i < 18; i++) {
        assert_int_equal(add(&scene, &bad[i]), DEED_E_INVALID);
        if (strstr(scene.err.text, words[i]) == NULL) {
            fail_msg("%zu: %s", i, scene.err.text);
        }
        assert_int_equal(last_of(&scene, SCENE_KEY).count, 0);
    }
    finish(&scene);
}

static void test_evidence__a_call_without_what_it_needs_is_misuse(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_BLIND);
    const struct deed_evidence good = word();
    struct deed_evidence absent = good;
    absent.key = "nobody";
    assert_int_equal(add(&scene, &absent), DEED_E_NOT_FOUND);
    absent.key = NULL;
    assert_int_equal(add(&scene, &absent), DEED_E_MISUSE);
    absent = good;
    absent.source = NULL;
    assert_int_equal(add(&scene, &absent), DEED_E_MISUSE);
    absent = good;
    absent.message.data = NULL;
    assert_int_equal(add(&scene, &absent), DEED_E_MISUSE);
    assert_int_equal(deed_evidence_add(NULL, &good, NULL, &scene.err), DEED_E_MISUSE);
    assert_int_equal(deed_evidence_add(scene.workers[1], NULL, NULL, &scene.err), DEED_E_MISUSE);
    finish(&scene);
}

static void test_evidence__the_longest_of_everything_is_taken(void **state)
{
    static char long_note[DEED_NOTE_BYTES_MAX + 1];
    static char long_reference[DEED_REFERENCE_BYTES_MAX + 1];
    static char long_event[DEED_EVENT_ID_BYTES_MAX + 1];
    (void)state;
    memset(long_note, 'n', DEED_NOTE_BYTES_MAX);
    memset(long_reference, 'r', DEED_REFERENCE_BYTES_MAX);
    memset(long_event, 'e', DEED_EVENT_ID_BYTES_MAX);
    struct scene scene;
    struct deed_attempt attempt;
    in_doubt(&scene, SCENE_BLIND, &attempt);
    struct deed_evidence largest = word();
    largest.by = long_note;
    largest.statement = long_note;
    largest.reference = long_reference;
    largest.event_id = long_event;
    largest.source = "012345678901234567890123456789012345678901234567890123456789";
    static char message[DEED_MESSAGE_BYTES_MAX];
    largest.message = (struct deed_text){message, sizeof(message)};
    expect_added(&scene, &largest);
    scene_expect(&scene, DEED_RECONCILED, DEED_APPLIED);
    finish(&scene);
}

/* ---- twice ------------------------------------------------------------------------------------------ */

static void test_evidence__the_same_event_twice_writes_nothing(void **state)
{
    (void)state;
    struct scene scene;
    struct deed_attempt attempt;
    in_doubt(&scene, SCENE_BLIND, &attempt);
    struct deed_evidence evidence = word();
    expect_added(&scene, &evidence);
    static const char *const spellings[] = {"paid", " paid", ""};
    unsigned chain = scene_chain(&scene);
    for (int i = 0; i < 3; i++) {
        evidence.message = (struct deed_text){spellings[i], strlen(spellings[i])};
        evidence.by = i == 1 ? "bob" : "ann"; /* who brings it, and how it is spelled, is no news */
        assert_int_equal(add(&scene, &evidence), DEED_OK);
        assert_true(scene.result.replayed);
        assert_int_equal(scene.result.outcome, DEED_APPLIED);
        assert_int_equal(scene_chain(&scene), chain);
        assert_int_equal(last_of(&scene, SCENE_KEY).count, 1);
    }
    /* Another source has ids of its own, and so has another intent. */
    evidence.source = "clearing";
    expect_added(&scene, &evidence);
    assert_int_equal(last_of(&scene, SCENE_KEY).count, 2);
    scene_record(&scene, "pay-2");
    evidence = word();
    evidence.key = "pay-2";
    expect_added(&scene, &evidence);
    assert_int_equal(last_of(&scene, "pay-2").count, 1);
    finish(&scene);
}

static void test_evidence__the_same_event_with_another_content_is_a_conflict(void **state)
{
    (void)state;
    struct scene scene;
    struct seer seer;
    struct deed_attempt attempt;
    in_doubt(&scene, SCENE_BLIND, &attempt);
    struct deed_evidence evidence = word();
    expect_added(&scene, &evidence);
    unsigned chain = scene_chain(&scene);
    static const char *const references[] = {"fx-2", NULL};
    for (size_t i = 0; i < 2; i++) {
        evidence.reference = references[i];
        assert_int_equal(add(&scene, &evidence), DEED_E_CONFLICT);
        assert_non_null(strstr(scene.err.text, "said something else"));
        assert_string_equal(scene.result.key, SCENE_KEY); /* what is known is told all the same */
        assert_false(scene.result.replayed);
        assert_int_equal(scene_chain(&scene), chain);
    }
    /* An event that told of no effect does not tell of one later. */
    seer_init(&scene, &seer, attempt.provider_key);
    (void)snprintf(seer.says.event_id, sizeof(seer.says.event_id), "evt-9");
    seer.says.outcome = DEED_OUTCOME_NONE;
    evidence = signed_word();
    expect_added(&scene, &evidence);
    seer.says.outcome = DEED_APPLIED;
    assert_int_equal(add(&scene, &evidence), DEED_E_CONFLICT);
    finish(&scene);
}

static void test_evidence__without_an_event_id_the_content_tells_words_apart(void **state)
{
    (void)state;
    struct scene scene;
    struct deed_attempt attempt;
    in_doubt(&scene, SCENE_BLIND, &attempt);
    static char large[2][DEED_EXCERPT_BYTES_MAX + 10];
    large[1][DEED_EXCERPT_BYTES_MAX + 5] = 'x'; /* beyond what is kept of it */
    struct deed_evidence words[4];
    for (size_t i = 0; i < 4; i++) {
        words[i] = word();
        words[i].event_id = NULL;
    }
    words[1].reference = "fx-2";
    words[2].message = (struct deed_text){large[0], sizeof(large[0])};
    words[3].message = (struct deed_text){large[1], sizeof(large[1])};
    for (size_t i = 0; i < 4; i++) {
        expect_added(&scene, &words[i]);
        assert_int_equal(last_of(&scene, SCENE_KEY).count, i + 1);
    }
    assert_int_equal(last_of(&scene, SCENE_KEY).row.excerpt.bytes, DEED_EXCERPT_BYTES_MAX);
    unsigned chain = scene_chain(&scene);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(add(&scene, &words[i]), DEED_OK);
        assert_true(scene.result.replayed);
    }
    assert_int_equal(scene_chain(&scene), chain);
    finish(&scene);
}

/* ---- late words ---------------------------------------------------------------------------------------- */

static void test_evidence__it_turns_a_failure_that_was_seen_and_disputes_nothing(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_BLIND);
    struct deed_attempt attempt = {.size = sizeof(attempt)};
    assert_int_equal(scene_begin(&scene, 1, 0, &attempt), DEED_OK);
    assert_int_equal(scene_finish(&scene, 1, &attempt, DEED_VERDICT_NOT_APPLIED), DEED_OK);
    struct deed_evidence evidence = word();
    expect_added(&scene, &evidence);
    scene_expect(&scene, DEED_RECONCILED, DEED_APPLIED);
    scene_expect_disputed(&scene, false);
    finish(&scene);
}

/* Somebody acted on the old answer. The word is evidence, not a decision, whoever brings it. */
static void test_evidence__it_disputes_what_a_person_decided_or_gave_up(void **state)
{
    (void)state;
    for (int given_up = 0; given_up <= 1; given_up++) {
        struct scene scene;
        struct deed_attempt attempt;
        in_doubt(&scene, SCENE_BLIND, &attempt);
        scene_past_visible(&scene);
        assert_int_equal(scene_resolve(&scene, 1, DEED_NOT_APPLIED), DEED_OK);
        if (given_up != 0) {
            assert_int_equal(scene_retract(&scene, 1), DEED_OK);
        }
        struct deed_evidence evidence = word();
        expect_added(&scene, &evidence);
        scene_expect(&scene, DEED_RECONCILED, DEED_APPLIED);
        scene_expect_disputed(&scene, true);
        /* Evidence is kept from now on, and only a person closes it. */
        evidence.event_id = "evt-2";
        expect_added(&scene, &evidence);
        scene_expect_disputed(&scene, true);
        assert_int_equal(scene_events(&scene, DEED_EVENT_DISPUTE), 1);
        assert_false(last_of(&scene, SCENE_KEY).row.settled);
        /* What it says is the person's to judge: it claims no reference meanwhile. */
        assert_int_equal(last_of(&scene, SCENE_KEY).row.outcome, DEED_OUTCOME_NONE);
        unsigned chain = scene_chain(&scene);
        assert_int_equal(add(&scene, &evidence), DEED_OK);
        assert_true(scene.result.replayed);
        assert_int_equal(scene_chain(&scene), chain);
        assert_int_equal(scene_resolve(&scene, 1, DEED_APPLIED), DEED_OK);
        scene_expect_disputed(&scene, false);
        finish(&scene);
    }
}

static void test_evidence__it_agrees_with_what_was_seen_or_tells_of_a_second_effect(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_BLIND);
    struct deed_attempt first = {.size = sizeof(first)};
    struct deed_attempt second = {.size = sizeof(second)};
    assert_int_equal(scene_begin(&scene, 1, 0, &first), DEED_OK);
    assert_int_equal(scene_finish(&scene, 1, &first, DEED_VERDICT_NOT_APPLIED), DEED_OK);
    scene_advance(&scene, 2000);
    assert_int_equal(scene_begin(&scene, 1, 0, &second), DEED_OK);
    assert_int_equal(scene_finish(&scene, 1, &second, DEED_VERDICT_APPLIED), DEED_OK);
    struct deed_evidence evidence = word();
    expect_added(&scene, &evidence);
    scene_expect(&scene, DEED_CONFIRMED, DEED_APPLIED);
    scene_expect_disputed(&scene, false);
    evidence.event_id = "evt-2";
    evidence.reference = "fx-2";
    evidence.token = first.token;
    expect_added(&scene, &evidence);
    scene_expect(&scene, DEED_CONFIRMED, DEED_APPLIED);
    scene_expect_disputed(&scene, true);
    finish(&scene);
}

/* Two attempts at a provider without keys carry one key: a word that names another effect than the one
 * that is known is of the other attempt, and then there were two. */
static void test_evidence__another_effect_under_one_key_that_is_not_honoured_is_disputed(
    void **state)
{
    (void)state;
    struct scene scene;
    struct deed_attempt first;
    struct deed_attempt second = {.size = sizeof(second)};
    in_doubt(&scene, SCENE_BLIND, &first);
    scene_past_visible(&scene);
    assert_int_equal(scene_resolve(&scene, 1, DEED_NOT_APPLIED), DEED_OK);
    assert_int_equal(scene_begin(&scene, 1, DEED_BEGIN_BY_NAME, &second), DEED_OK);
    assert_string_equal(first.provider_key, second.provider_key);
    struct deed_answer answer = {.size = sizeof(answer), .verdict = DEED_VERDICT_APPLIED};
    (void)snprintf(answer.reference, sizeof(answer.reference), "fx-2");
    assert_int_equal(scene_answer(&scene, 1, second.token, &answer), DEED_OK);
    struct seer seer;
    seer_init(&scene, &seer, first.provider_key);
    struct deed_evidence evidence = signed_word();
    (void)snprintf(seer.says.reference, sizeof(seer.says.reference), "fx-2");
    expect_added(&scene, &evidence);
    scene_expect_disputed(&scene, false);
    (void)snprintf(seer.says.event_id, sizeof(seer.says.event_id), "evt-2");
    (void)snprintf(seer.says.reference, sizeof(seer.says.reference), "fx-1");
    expect_added(&scene, &evidence);
    scene_expect(&scene, DEED_CONFIRMED, DEED_APPLIED);
    scene_expect_disputed(&scene, true);
    /* What a person has decided on is not told again as news. */
    assert_int_equal(scene_resolve(&scene, 1, DEED_APPLIED), DEED_OK);
    (void)snprintf(seer.says.event_id, sizeof(seer.says.event_id), "evt-3");
    expect_added(&scene, &evidence);
    scene_expect_disputed(&scene, false);
    finish(&scene);
}

/* A person's word that named no effect does not hide that two are named afterwards. */
static void test_evidence__two_names_under_one_key_after_a_word_without_are_disputed(void **state)
{
    (void)state;
    struct scene scene;
    struct deed_attempt first;
    struct deed_attempt second = {.size = sizeof(second)};
    in_doubt(&scene, SCENE_BLIND, &first);
    scene_past_visible(&scene);
    assert_int_equal(scene_resolve(&scene, 1, DEED_NOT_APPLIED), DEED_OK);
    assert_int_equal(scene_begin(&scene, 1, DEED_BEGIN_BY_NAME, &second), DEED_OK);
    scene_past_lease(&scene);
    assert_int_equal(scene_resolve(&scene, 1, DEED_APPLIED), DEED_OK);
    struct seer seer;
    seer_init(&scene, &seer, first.provider_key);
    struct deed_evidence evidence = signed_word();
    expect_added(&scene, &evidence);
    scene_expect_disputed(&scene, false);
    (void)snprintf(seer.says.event_id, sizeof(seer.says.event_id), "evt-2");
    (void)snprintf(seer.says.reference, sizeof(seer.says.reference), "fx-2");
    expect_added(&scene, &evidence);
    scene_expect_disputed(&scene, true);
    finish(&scene);
}

/* Without an event id and without a reference, the attempt it is said of is all that tells it apart. */
static void test_evidence__said_of_another_attempt_it_is_another_word(void **state)
{
    (void)state;
    struct scene scene;
    struct deed_attempt first;
    struct deed_attempt second = {.size = sizeof(second)};
    in_doubt(&scene, SCENE_BLIND, &first);
    scene_past_visible(&scene);
    assert_int_equal(scene_resolve(&scene, 1, DEED_NOT_APPLIED), DEED_OK);
    assert_int_equal(scene_begin(&scene, 1, DEED_BEGIN_BY_NAME, &second), DEED_OK);
    scene_past_lease(&scene);
    struct deed_evidence evidence = word();
    evidence.event_id = NULL;
    evidence.reference = NULL;
    evidence.token = second.token;
    expect_added(&scene, &evidence);
    scene_expect_disputed(&scene, false);
    assert_int_equal(add(&scene, &evidence), DEED_OK);
    assert_true(scene.result.replayed);
    evidence.token = first.token;
    expect_added(&scene, &evidence);
    scene_expect_disputed(&scene, true);
    unsigned chain = scene_chain(&scene);
    for (int i = 0; i < 2; i++) {
        evidence.token = i == 0 ? first.token : second.token;
        assert_int_equal(add(&scene, &evidence), DEED_OK);
        assert_true(scene.result.replayed);
    }
    assert_int_equal(scene_chain(&scene), chain);
    finish(&scene);
}

static void test_evidence__it_may_come_before_our_own_answer(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_BLIND);
    struct deed_attempt attempt = {.size = sizeof(attempt)};
    assert_int_equal(scene_begin(&scene, 1, 0, &attempt), DEED_OK);
    struct deed_evidence evidence = word();
    expect_added(&scene, &evidence);
    scene_expect(&scene, DEED_RECONCILED, DEED_APPLIED);
    assert_int_equal(scene_finish(&scene, 1, &attempt, DEED_VERDICT_APPLIED), DEED_OK);
    scene_expect(&scene, DEED_RECONCILED, DEED_APPLIED);
    scene_expect_disputed(&scene, false);
    finish(&scene);
}

/* ---- never attempted, as far as is known ----------------------------------------------------------------- */

static const uint8_t lost_token[DEED_TOKEN_BYTES] = "a lost attempt!";

static void test_evidence__of_what_was_never_attempted_it_is_kept_and_holds(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_BLIND);
    struct deed_evidence evidence = word();
    expect_added(&scene, &evidence);
    scene_expect(&scene, DEED_RECORDED, DEED_OUTCOME_NONE);
    assert_true(scene.result.held);
    assert_int_equal(scene_run(&scene, 1, DEED_BEGIN_BY_NAME), DEED_E_NEEDS_PERSON);
    assert_int_equal(scene.provider.sends, 0);
    finish(&scene);
}

static void test_evidence__of_a_lost_attempt_it_settles_what_is_only_recorded(void **state)
{
    (void)state;
    for (int by = 0; by < 4; by++) { /* a token or a fence; a person's word or a verified one */
        struct scene scene;
        struct seer seer;
        bool fenced = by % 2 == 1;
        bool verified = by >= 2;
        scene_new(&scene, SCENE_BLIND);
        struct deed_plan plan = {.size = sizeof(plan)};
        assert_int_equal(
            deed_plan(scene.workers[0], SCENE_KEY, NULL, 0, &plan, &scene.result, &scene.err),
            DEED_OK);
        struct deed_evidence evidence = verified ? signed_word() : word();
        if (verified) {
            seer_init(&scene, &seer, plan.provider_key);
        }
        if (fenced) {
            scene_fence(&scene, true);
        } else {
            evidence.token = lost_token;
        }
        expect_added(&scene, &evidence);
        scene_expect(&scene, DEED_RECONCILED, DEED_APPLIED);
        assert_int_equal(
            scene.result.grade, verified ? DEED_GRADE_PROVIDER_PRESENT : DEED_GRADE_OPERATOR);
        scene_expect_disputed(&scene, false);
        finish(&scene);
    }
}

static void test_evidence__a_verified_word_of_another_key_settles_no_lost_attempt(void **state)
{
    (void)state;
    struct scene scene;
    struct seer seer;
    scene_new(&scene, SCENE_BLIND);
    seer_init(&scene, &seer, "00000000-0000-4000-8000-000000000000");
    struct deed_evidence evidence = signed_word();
    evidence.token = lost_token;
    expect_added(&scene, &evidence);
    scene_expect(&scene, DEED_RECORDED, DEED_OUTCOME_NONE);
    assert_true(scene.result.held);
    finish(&scene);
}

/* The provider keys of generations 0, 1, ...: derived, so that a lost attempt is known by its own. */
static deed_rc keep_digest(void *context, const struct deed_intent_row *row)
{
    memcpy(context, row->digest, DEED_DIGEST_BYTES);
    return DEED_OK;
}

static void derived_key(struct scene *scene, uint32_t generation, char out[DEED_PROVIDER_KEY_BYTES])
{
    struct deed_ledger_info info = {.size = sizeof(info)};
    uint8_t digest[DEED_DIGEST_BYTES];
    assert_int_equal(deed_ledger_info(scene->workers[0], &info, &scene->err), DEED_OK);
    assert_int_equal(
        deed_intent_payload(scene->workers[0], SCENE_KEY, keep_digest, digest, &scene->err),
        DEED_OK);
    assert_int_equal(
        deed__provider_key(info.name, SCENE_KEY, digest, generation, out, &scene->err), DEED_OK);
}

static void test_evidence__a_key_never_sent_under_settles_what_is_only_recorded(void **state)
{
    static const uint32_t generations[] = {0, 1, 2, 31, 32};
    (void)state;
    for (size_t i = 0; i < sizeof(generations) / sizeof(generations[0]); i++) {
        struct scene scene;
        struct seer seer;
        char provider_key[DEED_PROVIDER_KEY_BYTES];
        scene_new(&scene, SCENE_BLIND);
        derived_key(&scene, generations[i], provider_key);
        seer_init(&scene, &seer, provider_key);
        seer.says.provider_key[0] = (char)toupper((unsigned char)seer.says.provider_key[0]);
        struct deed_evidence evidence = signed_word();
        expect_added(&scene, &evidence);
        scene_expect(&scene, DEED_RECONCILED, DEED_APPLIED);
        assert_int_equal(scene.result.grade, DEED_GRADE_PROVIDER_PRESENT);
        assert_false(scene.result.held);
        scene_expect_disputed(&scene, false);
        assert_int_equal(scene_run(&scene, 1, DEED_BEGIN_BY_NAME), DEED_OK);
        assert_int_equal(scene.provider.sends, 0);
        /* Another word of the same effect is no news; of another effect it is a second one. */
        (void)snprintf(seer.says.event_id, sizeof(seer.says.event_id), "evt-2");
        expect_added(&scene, &evidence);
        scene_expect_disputed(&scene, false);
        (void)snprintf(seer.says.event_id, sizeof(seer.says.event_id), "evt-3");
        (void)snprintf(seer.says.reference, sizeof(seer.says.reference), "fx-2");
        expect_added(&scene, &evidence);
        scene_expect_disputed(&scene, true);
        finish(&scene);
    }
}

/* It is another effect than that of the attempt known here, which may have happened too. */
static void test_evidence__a_key_never_sent_under_beside_a_doubt_is_disputed(void **state)
{
    (void)state;
    struct scene scene;
    struct seer seer;
    struct deed_attempt attempt;
    char provider_key[DEED_PROVIDER_KEY_BYTES];
    in_doubt(&scene, SCENE_BLIND, &attempt);
    derived_key(&scene, 1, provider_key);
    seer_init(&scene, &seer, provider_key);
    struct deed_evidence evidence = signed_word();
    expect_added(&scene, &evidence);
    scene_expect(&scene, DEED_RECONCILED, DEED_APPLIED);
    scene_expect_disputed(&scene, true);
    finish(&scene);
}

static void test_evidence__a_key_never_sent_under_needs_digest_and_reference_too(void **state)
{
    (void)state;
    for (int without = 0; without < 2; without++) {
        struct scene scene;
        struct seer seer;
        char provider_key[DEED_PROVIDER_KEY_BYTES];
        scene_new(&scene, SCENE_BLIND);
        derived_key(&scene, 0, provider_key);
        seer_init(&scene, &seer, provider_key);
        *(without == 0 ? seer.says.digest : seer.says.reference) = '\0';
        struct deed_evidence evidence = signed_word();
        expect_added(&scene, &evidence);
        scene_expect(&scene, DEED_RECORDED, DEED_OUTCOME_NONE);
        assert_true(scene.result.held);
        finish(&scene);
    }
}

/* What holds it is a doubt, and a person may end it: as applied, or by giving it up. */
static void test_evidence__a_person_decides_on_what_holds_a_recorded_intent(void **state)
{
    (void)state;
    for (int released = 0; released <= 1; released++) {
        struct scene scene;
        scene_new(&scene, SCENE_BLIND);
        assert_int_equal(scene_resolve(&scene, 1, DEED_APPLIED), DEED_E_NO_STEP);
        struct deed_evidence evidence = word();
        expect_added(&scene, &evidence);
        if (released != 0) {
            assert_int_equal(scene_release(&scene, 1), DEED_OK);
        }
        assert_int_equal(scene_resolve(&scene, 1, DEED_NOT_APPLIED), DEED_E_NO_STEP);
        assert_non_null(strstr(scene.err.text, "deed retract"));
        assert_int_equal(scene_resolve(&scene, 1, DEED_REJECTED), DEED_E_NO_STEP);
        assert_int_equal(scene_resolve(&scene, 1, DEED_APPLIED), DEED_OK);
        scene_expect(&scene, DEED_RECONCILED, DEED_APPLIED);
        scene_expect_disputed(&scene, false);
        finish(&scene);

        scene_new(&scene, SCENE_BLIND);
        expect_added(&scene, &evidence);
        assert_int_equal(scene_retract(&scene, 1), DEED_OK);
        scene_expect(&scene, DEED_CONFIRMED, DEED_RETRACTED);
        finish(&scene);
    }
}

/* A genuine message that tells of no effect makes no doubt. */
static void test_evidence__a_note_gives_a_person_nothing_to_decide(void **state)
{
    (void)state;
    struct scene scene;
    struct seer seer;
    scene_new(&scene, SCENE_BLIND);
    seer_init(&scene, &seer, "");
    seer.says.outcome = DEED_OUTCOME_NONE;
    struct deed_evidence evidence = signed_word();
    expect_added(&scene, &evidence);
    assert_int_equal(scene_resolve(&scene, 1, DEED_APPLIED), DEED_E_NO_STEP);
    finish(&scene);
}

/* The wrong action key was given with the message: an innocent intent is left as it is. */
static void test_evidence__a_message_of_another_intent_is_refused_by_name(void **state)
{
    (void)state;
    for (int attempted = 0; attempted <= 1; attempted++) {
        struct scene scene;
        struct seer seer;
        struct deed_attempt attempt;
        in_doubt(&scene, SCENE_BLIND, &attempt);
        seer_init(&scene, &seer, attempt.provider_key);
        seer.says.provider_key[0] = (char)toupper((unsigned char)seer.says.provider_key[0]);
        scene_record(&scene, "pay-2");
        struct deed_evidence evidence = signed_word();
        evidence.key = "pay-2";
        if (attempted != 0) {
            assert_int_equal(
                deed_run(scene.workers[0], "pay-2", 0, &scene.result, &scene.err), DEED_OK);
        }
        assert_int_equal(add(&scene, &evidence), DEED_E_INVALID);
        assert_non_null(strstr(scene.err.text, "speaks of that intent"));
        assert_non_null(strstr(scene.err.text, SCENE_KEY));
        assert_false(scene.result.held);
        assert_int_equal(last_of(&scene, "pay-2").count, attempted);
        evidence.key = SCENE_KEY;
        expect_added(&scene, &evidence);
        scene_expect(&scene, DEED_RECONCILED, DEED_APPLIED);
        finish(&scene);
    }
}

static void test_evidence__a_token_of_another_intent_is_no_lost_one(void **state)
{
    (void)state;
    struct scene scene;
    struct deed_attempt attempt;
    in_doubt(&scene, SCENE_BLIND, &attempt);
    scene_record(&scene, "pay-2");
    struct deed_evidence evidence = word();
    evidence.key = "pay-2";
    evidence.token = attempt.token;
    assert_int_equal(add(&scene, &evidence), DEED_E_MISUSE);
    assert_int_equal(last_of(&scene, "pay-2").count, 0);
    finish(&scene);
}

/* ---- faults, and who owns what ------------------------------------------------------------------------------ */

static void test_evidence__a_commit_of_unknown_fate_ends_as_one_word(void **state)
{
    (void)state;
    for (int kept = 0; kept <= 1; kept++) {
        struct scene scene;
        struct deed_attempt attempt;
        in_doubt(&scene, SCENE_BLIND, &attempt);
        scene_fail_commit(&scene, 1, kept != 0);
        struct deed_evidence evidence = word();
        assert_int_equal(add(&scene, &evidence), DEED_OK);
        assert_int_equal(last_of(&scene, SCENE_KEY).count, 1);
        scene_expect(&scene, DEED_RECONCILED, DEED_APPLIED);
        finish(&scene);
    }
}

static void test_evidence__who_brings_it_may_be_the_actor_of_the_options(void **state)
{
    (void)state;
    struct scene scene;
    struct deed_attempt attempt;
    in_doubt(&scene, SCENE_BLIND, &attempt);
    deed_ledger_close(scene.workers[1]);
    struct deed_store *store = scene_store_attach(scene.store);
    struct deed_options options = {.size = sizeof(options), .actor = "hook"};
    options.clock = deed_sim_clock_machine(scene.clock);
    assert_int_equal(deed_ledger_open(store, &options, &scene.workers[1], &scene.err), DEED_OK);
    struct deed_evidence evidence = word();
    evidence.by = NULL;
    expect_added(&scene, &evidence);
    assert_string_equal(last_of(&scene, SCENE_KEY).actor, "hook");
    finish(&scene);
}

static void test_verifier__is_destroyed_once_whatever_happens(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_BLIND);
    struct seer seer;
    seer_init(&scene, &seer, "");
    deed_ledger *ledger = scene.workers[1];
    struct deed_verifier *face = &seer.face;
    assert_int_equal(/* the same one for two sources */
        deed_ledger_register_verifier(ledger, "clearing", face, &scene.err), DEED_OK);
    assert_int_equal(
        deed_ledger_register_verifier(ledger, "bank", face, &scene.err), DEED_E_INVALID);
    assert_int_equal(
        deed_ledger_register_verifier(ledger, "person", face, &scene.err), DEED_E_INVALID);
    assert_int_equal(seer.destroyed, 0); /* it serves already */
    struct seer other = {.face = seer.face};
    other.face.self = &other;
    assert_int_equal(
        deed_ledger_register_verifier(ledger, "bank", &other.face, &scene.err), DEED_E_INVALID);
    assert_int_equal(other.destroyed, 1);
    other.face.verify = NULL;
    assert_int_equal(
        deed_ledger_register_verifier(ledger, "third", &other.face, &scene.err), DEED_E_MISUSE);
    assert_int_equal(other.destroyed, 2);
    assert_int_equal(
        deed_ledger_register_verifier(NULL, "third", &other.face, &scene.err), DEED_E_MISUSE);
    assert_int_equal(other.destroyed, 3);
    assert_int_equal(deed_ledger_register_verifier(ledger, NULL, face, &scene.err), DEED_E_MISUSE);
    assert_int_equal(
        deed_ledger_register_verifier(ledger, "third", NULL, &scene.err), DEED_E_MISUSE);
    scene_end(&scene);
    assert_int_equal(seer.destroyed, 1);
}

/* A verifier that breaks its contract: texts without an end, and no texts. */
static void test_verifier__what_it_reads_is_checked(void **state)
{
    (void)state;
    struct scene scene;
    struct seer seer;
    struct deed_attempt attempt;
    in_doubt(&scene, SCENE_BLIND, &attempt);
    seer_init(&scene, &seer, attempt.provider_key);
    struct deed_evidence evidence = signed_word();
    (void)snprintf(seer.says.reference, sizeof(seer.says.reference), "caf\xe9");
    assert_int_equal(add(&scene, &evidence), DEED_E_INVALID);
    assert_non_null(strstr(scene.err.text, "UTF-8"));
    (void)snprintf(seer.says.event_id, sizeof(seer.says.event_id), "\xff");
    (void)snprintf(seer.says.reference, sizeof(seer.says.reference), "fx-1");
    assert_int_equal(add(&scene, &evidence), DEED_E_INVALID);
    memset(seer.says.event_id, 'e', sizeof(seer.says.event_id));
    memset(seer.says.reference, 'r', sizeof(seer.says.reference));
    expect_added(&scene, &evidence);
    assert_int_equal(strlen(scene.result.reference), DEED_REFERENCE_BYTES_MAX);
    finish(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_evidence__a_word_nobody_verified_is_that_of_who_brings_it),
        cmocka_unit_test(test_evidence__what_a_verifier_read_is_the_providers_word),
        cmocka_unit_test(test_evidence__less_than_our_own_effect_holds_and_settles_nothing),
        cmocka_unit_test(test_evidence__a_reference_of_another_intent_is_no_proof_from_anybody),
        cmocka_unit_test(test_evidence__another_providers_reference_is_another_effect),
        cmocka_unit_test(test_evidence__what_its_verifier_does_not_find_genuine_leaves_no_trace),
        cmocka_unit_test(test_evidence__beside_a_message_nothing_else_is_said),
        cmocka_unit_test(test_evidence__a_genuine_message_that_tells_no_effect_is_a_note),
        cmocka_unit_test(test_evidence__absence_is_never_proven_by_it),
        cmocka_unit_test(test_evidence__a_signature_nobody_looks_at_is_refused),
        cmocka_unit_test(test_evidence__bad_input_is_refused_by_name_and_writes_nothing),
        cmocka_unit_test(test_evidence__a_call_without_what_it_needs_is_misuse),
        cmocka_unit_test(test_evidence__the_longest_of_everything_is_taken),
        cmocka_unit_test(test_evidence__the_same_event_twice_writes_nothing),
        cmocka_unit_test(test_evidence__the_same_event_with_another_content_is_a_conflict),
        cmocka_unit_test(test_evidence__without_an_event_id_the_content_tells_words_apart),
        cmocka_unit_test(test_evidence__it_turns_a_failure_that_was_seen_and_disputes_nothing),
        cmocka_unit_test(test_evidence__it_disputes_what_a_person_decided_or_gave_up),
        cmocka_unit_test(test_evidence__it_agrees_with_what_was_seen_or_tells_of_a_second_effect),
        cmocka_unit_test(
            test_evidence__another_effect_under_one_key_that_is_not_honoured_is_disputed),
        cmocka_unit_test(test_evidence__two_names_under_one_key_after_a_word_without_are_disputed),
        cmocka_unit_test(test_evidence__said_of_another_attempt_it_is_another_word),
        cmocka_unit_test(test_evidence__it_may_come_before_our_own_answer),
        cmocka_unit_test(test_evidence__of_what_was_never_attempted_it_is_kept_and_holds),
        cmocka_unit_test(test_evidence__of_a_lost_attempt_it_settles_what_is_only_recorded),
        cmocka_unit_test(test_evidence__a_verified_word_of_another_key_settles_no_lost_attempt),
        cmocka_unit_test(test_evidence__a_key_never_sent_under_settles_what_is_only_recorded),
        cmocka_unit_test(test_evidence__a_key_never_sent_under_beside_a_doubt_is_disputed),
        cmocka_unit_test(test_evidence__a_key_never_sent_under_needs_digest_and_reference_too),
        cmocka_unit_test(test_evidence__a_person_decides_on_what_holds_a_recorded_intent),
        cmocka_unit_test(test_evidence__a_note_gives_a_person_nothing_to_decide),
        cmocka_unit_test(test_evidence__a_message_of_another_intent_is_refused_by_name),
        cmocka_unit_test(test_evidence__a_token_of_another_intent_is_no_lost_one),
        cmocka_unit_test(test_evidence__a_commit_of_unknown_fate_ends_as_one_word),
        cmocka_unit_test(test_evidence__who_brings_it_may_be_the_actor_of_the_options),
        cmocka_unit_test(test_verifier__is_destroyed_once_whatever_happens),
        cmocka_unit_test(test_verifier__what_it_reads_is_checked),
    };
    return cmocka_run_group_tests_name("evidence", tests, NULL, NULL);
}
