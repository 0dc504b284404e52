/* SPDX-License-Identifier: MIT */
#include "story.h"

#include "fuzz.h"

#include <deed/mock/executor.h>

#include <stdio.h>
#include <string.h>

/* What each key of the story came to. `settled`: nothing may ever be sent for it again. */
static const struct told {
    const char *key;
    const char *kind;
    bool settled;
    deed_outcome outcome;
} told[] = {
    {"done-payment", "payment", true, DEED_APPLIED},
    {"done-letter", "letter", true, DEED_APPLIED},
    {"done-order", "order", true, DEED_APPLIED},
    {"bad-payment", "payment", true, DEED_REJECTED},
    {"lost-found", "order", true, DEED_APPLIED},
    {"lost-said", "letter", true, DEED_APPLIED},
    {"gone-letter", "letter", true, DEED_RETRACTED},
    {"no-order", "order", false, DEED_NOT_APPLIED},
    {"lost-letter", "letter", false, DEED_OUTCOME_NONE},
    {"lost-payment", "payment", false, DEED_OUTCOME_NONE},
    {"new-order", "order", false, DEED_OUTCOME_NONE},
    {"held-order", "order", false, DEED_OUTCOME_NONE},
};
#define TOLD_COUNT (sizeof told / sizeof told[0])
#define OPEN_FROM  8 /* the first of story_tell_open */

static const struct {
    const char *kind;
    const char *class;
    int64_t window_ms;
} providers[] = {
    {"payment", "keyed+lookup", DEED_FOREVER}, {"letter", "blind", 0}, {"order", "lookup", 0}};

void story_start(struct story *story, const char *world_path, int64_t now_ms)
{
    *story = (struct story){0};
    struct deed_error err = {0};
    FUZZ_DEMAND(deed_sim_clock_new(now_ms, &story->clock, &err) == DEED_OK &&
            deed_sim_random_new((uint64_t)now_ms, &story->random, &err) == DEED_OK &&
            deed_world_open(world_path, &story->world, &err) == DEED_OK,
        "a story begins", err.text);
}

void story_close(struct story *story)
{
    deed_ledger_close(story->ledger);
    story->ledger = NULL;
}

void story_end(struct story *story)
{
    story_close(story);
    deed_world_close(story->world);
    deed_sim_random_free(story->random);
    deed_sim_clock_free(story->clock);
}

struct deed_options story_options(const struct story *story)
{
    struct deed_options options = {.size = sizeof options,
        .clock = deed_sim_clock_machine(story->clock),
        .random = deed_sim_random_source(story->random),
        .actor = "story"};
    return options;
}

static deed_rc add_executor(struct story *story, size_t provider, struct deed_error *err)
{
    const struct deed_profile profile = {.size = sizeof profile,
        .send_ms = 1000,
        .answer_ms = 2000,
        .landing_ms = 5000,
        .lag_ms = 1000,
        .reach_ms = DEED_FOREVER,
        .window_ms = providers[provider].window_ms,
        .consistency = DEED_CONSISTENCY_STRONG};
    char options[512];
    deed_executor *executor = NULL;
    (void)snprintf(options, sizeof options,
        "{\"class\": \"%s\", \"scripts\": {\"lost-*\": {\"do\": \"lose\"}, \"bad-*\": "
        "{\"do\": \"reject\"}, \"no-*\": {\"do\": \"refuse\"}}}",
        providers[provider].class);
    const deed_rc rc = deed_mock_executor_new_in(
        story->world, options, deed_sim_clock_true(story->clock), &executor, err);
    return rc == DEED_OK
        ? deed_ledger_register(story->ledger, providers[provider].kind, executor, &profile, err)
        : rc;
}

deed_rc story_open(struct story *story, struct deed_store *store, struct deed_error *err)
{
    const struct deed_options options = story_options(story);
    deed_rc rc = deed_ledger_open(store, &options, &story->ledger, err);
    for (size_t i = 0; rc == DEED_OK && i < sizeof providers / sizeof providers[0]; i++) {
        rc = add_executor(story, i, err);
    }
    return rc;
}

/* ---- telling --------------------------------------------------------------------------------- */

static void must(deed_rc rc, const struct deed_error *err)
{
    FUZZ_DEMAND(rc == DEED_OK, "the story goes on", err->text);
}

static void record_and_run(struct story *story, size_t i)
{
    const struct deed_payload payload = {
        {told[i].kind, strlen(told[i].kind)}, {"somewhere", 9}, {"{\"cents\":990}", 13}};
    const struct deed_record record = {.size = sizeof record,
        .key = told[i].key,
        .payload = &payload,
        .hold_reason = strncmp(told[i].key, "held", 4) == 0 ? "until Monday" : NULL};
    const bool runs = strncmp(told[i].key, "held", 4) != 0 && strncmp(told[i].key, "new", 3) != 0 &&
        strncmp(told[i].key, "gone", 4) != 0;
    struct deed_result result = {.size = sizeof result};
    struct deed_error err = {0};
    must(deed_record(story->ledger, &record, &result, &err), &err);
    if (runs) {
        must(deed_run(story->ledger, told[i].key, 0, &result, &err), &err);
    }
    deed_sim_clock_advance(story->clock, 1000);
}

void story_tell_settled(struct story *story)
{
    struct deed_decision decision = {
        .size = sizeof decision, .by = "ann", .reason = "asked", .outcome = DEED_APPLIED};
    struct deed_result result = {.size = sizeof result};
    struct deed_error err = {0};
    for (size_t i = 0; i < OPEN_FROM; i++) {
        record_and_run(story, i);
    }
    deed_sim_clock_advance(story->clock, 60000);
    struct deed_pass pass = {.size = sizeof pass};
    must(deed_reconcile_pass(story->ledger, NULL, NULL, &pass, &err), &err);
    must(deed_reconcile(story->ledger, "lost-found", &result, &err), &err);
    decision.key = "lost-said";
    must(deed_resolve(story->ledger, &decision, &result, &err), &err);
    decision.key = "gone-letter";
    must(deed_retract(story->ledger, &decision, &result, &err), &err);
}

void story_tell_open(struct story *story)
{
    for (size_t i = OPEN_FROM; i < TOLD_COUNT; i++) {
        record_and_run(story, i);
    }
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Every call ends with DEED_OK, or with an error of its own that says something. */
static deed_rc ended(deed_rc rc, struct deed_error *err, const char *call)
{
    if (rc != DEED_OK) {
        FUZZ_DEMAND(deed_rc_name(rc) != NULL, "a code that is none", call);
        FUZZ_DEMAND(err->rc == rc && err->text[0] != '\0', "an error without a word", call);
        FUZZ_DEMAND(memchr(err->text, 0, sizeof err->text) != NULL, "a text without an end", call);
    }
    *err = (struct deed_error){0};
    return rc;
}

static bool see(
    void *context, deed_rc rc, const struct deed_result *result, const struct deed_error *err)
{
    (void)context;
    FUZZ_DEMAND(memchr(result->key, 0, sizeof result->key) != NULL, "a key without an end", NULL);
    FUZZ_DEMAND(rc == DEED_OK || err->text[0] != '\0', "an error without a word", result->key);
    return true;
}

static void read_text(const char *text)
{
    volatile size_t length = text ? strlen(text) : 0;
    (void)length;
}

static void read_bytes(struct deed_text text)
{
    volatile unsigned sum = 0;
    for (size_t i = 0; text.data && i < text.bytes; i++) {
        sum += (unsigned char)text.data[i];
    }
    (void)sum;
}

static deed_rc see_payload(void *context, const struct deed_intent_row *row)
{
    (void)context;
    read_text(row->key);
    read_bytes(row->payload.kind);
    read_bytes(row->payload.target);
    read_bytes(row->payload.body);
    return DEED_OK;
}

static deed_rc see_attempt(void *context, const struct deed_attempt_row *row)
{
    (void)context;
    read_text(row->executor);
    read_text(row->endpoint);
    read_text(row->provider_key);
    read_text(row->handle);
    read_bytes(row->bytes);
    return DEED_OK;
}

static deed_rc see_evidence(void *context, const struct deed_evidence_row *row)
{
    (void)context;
    read_text(row->source);
    read_text(row->reference);
    read_text(row->statement);
    read_bytes(row->excerpt);
    return DEED_OK;
}

static deed_rc see_event(void *context, const struct deed_event_row *row)
{
    (void)context;
    read_text(row->actor);
    read_text(row->detail);
    return DEED_OK;
}

static deed_rc see_pass(void *context, const struct deed_pass_row *row)
{
    (void)context;
    read_text(row->actor);
    read_text(row->reasons);
    return DEED_OK;
}

static void see_broken(void *context, const char *key, const char *text)
{
    (void)context;
    FUZZ_DEMAND(key != NULL && text != NULL && text[0] != '\0', "broken, and nobody says how", key);
}

/* The same for every key: all its rows. */
static void read_rows(struct story *story, const char *key)
{
    struct deed_error err = {0};
    deed_ledger *ledger = story->ledger;
    (void)ended(deed_intent_payload(ledger, key, see_payload, NULL, &err), &err, "payload");
    (void)ended(deed_intent_attempts(ledger, key, see_attempt, NULL, &err), &err, "attempts");
    (void)ended(deed_intent_evidence(ledger, key, see_evidence, NULL, &err), &err, "evidence");
    (void)ended(deed_intent_events(ledger, key, see_event, NULL, &err), &err, "events");
}

static void read_all(struct story *story)
{
    struct deed_error err = {0};
    const struct deed_list list = {.size = sizeof list, .flags = DEED_LIST_ALL};
    const struct deed_list due = {.size = sizeof due, .flags = DEED_LIST_DUE, .kind = "order"};
    struct deed_status status = {.size = sizeof status};
    struct deed_ledger_info info = {.size = sizeof info};
    const struct deed_find by_name = {.size = sizeof by_name, .reference = "fx-1"};
    (void)ended(deed_ledger_info(story->ledger, &info, &err), &err, "info");
    (void)ended(deed_ledger_list(story->ledger, &list, see, NULL, &err), &err, "list");
    (void)ended(deed_ledger_list(story->ledger, &due, see, NULL, &err), &err, "list --due");
    (void)ended(deed_ledger_status(story->ledger, &status, &err), &err, "status");
    (void)ended(deed_ledger_find(story->ledger, &by_name, see, NULL, &err), &err, "find");
    (void)ended(deed_ledger_passes(story->ledger, 0, see_pass, NULL, &err), &err, "passes");
    for (size_t i = 0; i < TOLD_COUNT; i++) {
        read_rows(story, told[i].key);
    }
}

/* Each key has come to what it came to. */
static void expect_truth(struct story *story)
{
    for (size_t i = 0; i < TOLD_COUNT; i++) {
        struct deed_result result = {.size = sizeof result};
        struct deed_error err = {0};
        const deed_rc rc = deed_get(story->ledger, told[i].key, &result, &err);
        FUZZ_DEMAND(!told[i].settled || rc == DEED_OK, "checked, and not to be read", told[i].key);
        FUZZ_DEMAND(!told[i].settled || result.outcome == told[i].outcome,
            "checked, and it says something else", told[i].key);
    }
}

static void do_all(struct story *story)
{
    struct deed_error err = {0};
    struct deed_pass pass = {.size = sizeof pass};
    for (size_t i = 0; i < TOLD_COUNT; i++) {
        struct deed_result result = {.size = sizeof result};
        const char *key = told[i].key;
        (void)ended(deed_get(story->ledger, key, &result, &err), &err, "get");
        (void)ended(deed_run(story->ledger, key, 0, &result, &err), &err, "run");
        (void)ended(
            deed_run(story->ledger, key, DEED_BEGIN_BY_NAME, &result, &err), &err, "run by name");
        (void)ended(deed_reconcile(story->ledger, key, &result, &err), &err, "reconcile");
    }
    deed_sim_clock_advance(story->clock, 3600000);
    (void)ended(deed_run_due(story->ledger, see, NULL, &err), &err, "run --due");
    (void)ended(deed_reconcile_pass(story->ledger, see, NULL, &pass, &err), &err, "reconcile");
}

void story_read(struct story *story, bool sound)
{
    struct deed_error err = {0};
    struct deed_check check = {.size = sizeof check};
    uint64_t sends[TOLD_COUNT];
    for (size_t i = 0; i < TOLD_COUNT; i++) {
        sends[i] = deed_world_sends(story->world, told[i].key);
    }
    const deed_rc rc =
        ended(deed_ledger_check(story->ledger, see_broken, NULL, &check, &err), &err, "check");
    if (rc == DEED_OK && sound) {
        expect_truth(story);
    }
    read_all(story);
    do_all(story);
    for (size_t i = 0; i < TOLD_COUNT; i++) {
        FUZZ_DEMAND(!told[i].settled || deed_world_sends(story->world, told[i].key) == sends[i],
            "sent again, after it was settled", told[i].key);
    }
}
