/* SPDX-License-Identifier: MIT
 *
 * What workers do. Errors are looked at: what a refusal may be is part of what is promised.
 */
#include "schedule.h"

#include <string.h>

#include <deed/evidence.h>

struct deed_payload stage_payload(const struct stage *stage, bool other)
{
    const char *kind = deed_provider_class_name((deed_provider_class)stage->provider_class);
    const char *body = other ? "{\"amount\":2}" : "{\"amount\":1}";
    return (struct deed_payload){
        {kind, strlen(kind)}, {"acct", strlen("acct")}, {body, strlen(body)}};
}

static void record(struct hand *hand, bool other)
{
    const struct deed_payload payload = stage_payload(hand->stage, other);
    const struct deed_record in = {.size = sizeof(in), .key = STAGE_KEY, .payload = &payload};
    struct deed_result result = {.size = sizeof(result)};
    struct deed_error err = {.text = ""};
    deed_rc rc = deed_record(hand->ledger, &in, &result, &err);
    if (rc == DEED_E_CONFLICT) {
        stage_mark(hand->stage, MARK_CONFLICT);
    } else if (rc != DEED_OK && !hand->ghost) {
        stage_break(hand->stage, "IM3: record says %s: %s", deed_rc_name(rc), err.text);
    }
}

/* What the ledger may say to somebody who came in the middle. */
static bool is_normal(deed_rc rc)
{
    return rc == DEED_OK || rc == DEED_E_IN_FLIGHT || rc == DEED_E_UNCERTAIN ||
        rc == DEED_E_NEEDS_PERSON || rc == DEED_E_NO_STEP || rc == DEED_E_NOT_YET ||
        rc == DEED_E_TOO_LATE || rc == DEED_E_NOT_FOUND;
}

static void expect_normal(
    struct hand *hand, const char *what, deed_rc rc, const struct deed_error *err)
{
    if (!is_normal(rc) && !hand->ghost) {
        stage_break(hand->stage, "IM3: %s says %s: %s", what, deed_rc_name(rc), err->text);
    }
}

static void mark_result(struct hand *hand, deed_rc rc, const struct deed_result *result)
{
    struct stage *stage = hand->stage;
    if (result->in_flight && (rc == DEED_E_IN_FLIGHT || result->replayed)) {
        stage_mark(stage, MARK_REFUSED_IN_FLIGHT);
    }
    if (result->uncertain && (rc == DEED_E_UNCERTAIN || result->replayed)) {
        stage_mark(stage, MARK_REFUSED_UNCERTAIN);
    }
    if (result->outcome == DEED_RETRACTED && result->replayed) {
        stage_mark(stage, MARK_RUN_AFTER_RETRACT);
    }
    if (rc == DEED_E_NEEDS_PERSON && result->held) {
        stage_mark(stage, MARK_HELD);
    }
}

static void run(struct hand *hand, uint32_t flags)
{
    struct deed_result result = {.size = sizeof(result)};
    struct deed_error err = {.text = ""};
    hand->heard_attempt = 0;
    deed_rc rc = deed_run(hand->ledger, STAGE_KEY, flags, &result, &err);
    hand->stored = rc == DEED_OK;
    expect_normal(hand, "run", rc, &err);
    mark_result(hand, rc, &result);
}

static bool ignore_result(
    void *context, deed_rc rc, const struct deed_result *result, const struct deed_error *err)
{
    (void)result;
    expect_normal(context, "one of many", rc, err);
    return true;
}

static void reconcile(struct hand *hand)
{
    struct deed_result result = {.size = sizeof(result)};
    struct deed_error err = {.text = ""};
    hand->heard_attempt = 0;
    deed_rc rc = deed_reconcile(hand->ledger, STAGE_KEY, &result, &err);
    hand->stored = rc == DEED_OK;
    expect_normal(hand, "reconcile", rc, &err);
}

static void many(struct hand *hand, bool pass)
{
    struct deed_pass counts = {.size = sizeof(counts)};
    struct deed_error err = {.text = ""};
    hand->heard_attempt = 0;
    deed_rc rc = pass ? deed_reconcile_pass(hand->ledger, ignore_result, hand, &counts, &err)
                      : deed_run_due(hand->ledger, ignore_result, hand, &err);
    hand->stored = rc == DEED_OK;
    expect_normal(hand, pass ? "a pass" : "run_due", rc, &err);
}

/* ---- persons ----------------------------------------------------------------------------- */

typedef deed_rc (*deciding)(deed_ledger *ledger, const struct deed_decision *decision,
    struct deed_result *result, struct deed_error *err);

/* Looks and speaks in one go: what a person said yesterday is not the ledger's fault. */
static deed_rc look_and_speak(
    struct hand *hand, deciding how, bool looks, struct deed_result *result, struct deed_error *err)
{
    struct stage *stage = hand->stage;
    struct deed_decision decision = {.size = sizeof(decision),
        .key = STAGE_KEY,
        .by = "grace",
        .reason = "looked at the provider's books"};
    bool was_quiet = stage->quiet;
    stage_place(stage, "person.comes");
    stage->quiet = true;
    stage->speaking++;
    bool happened = looks && deed_world_effects(stage->world, STAGE_KEY) > 0;
    decision.outcome = happened ? DEED_APPLIED : DEED_NOT_APPLIED;
    deed_rc rc = hand->ghost ? DEED_E_STORE : how(hand->ledger, &decision, result, err);
    stage->speaking--;
    stage->quiet = was_quiet;
    return rc;
}

static void decide(struct hand *hand, deciding how, bool looks, const char *what)
{
    struct stage *stage = hand->stage;
    struct deed_result result = {.size = sizeof(result)};
    struct deed_error err = {.text = ""};
    deed_rc rc = look_and_speak(hand, how, looks, &result, &err);
    for (unsigned tries = 0; rc == DEED_E_BUSY && tries < 100; tries++) {
        deed_workers_wait(stage->workers, "person.waits"); /* somebody is in a transaction */
        disk_enter(stage, hand->number);
        rc = look_and_speak(hand, how, looks, &result, &err);
    }
    expect_normal(hand, what, rc, &err);
    if (how == deed_resolve && (rc == DEED_OK || rc == DEED_E_NOT_YET)) {
        stage_mark(stage, rc == DEED_OK ? MARK_PERSON : MARK_PERSON_TOO_EARLY);
    }
}

struct seen {
    char reference[DEED_REFERENCE_BYTES_MAX + 1];
};

static bool see_effect(void *context, const struct deed_world_effect *effect)
{
    struct seen *seen = context;
    strncpy(seen->reference, effect->reference, sizeof(seen->reference) - 1);
    return false;
}

static void bring_evidence(struct hand *hand)
{
    struct seen seen = {.reference = ""};
    struct deed_result result = {.size = sizeof(result)};
    struct deed_error err = {.text = ""};
    stage_place(hand->stage, "webhook.comes");
    if (deed_world_effects_visit(hand->stage->world, STAGE_KEY, see_effect, &seen, NULL) !=
            DEED_OK ||
        seen.reference[0] == '\0') {
        return;
    }
    const struct deed_evidence evidence = {.size = sizeof(evidence),
        .key = STAGE_KEY,
        .source = "webhook",
        .event_id = seen.reference,
        .outcome = DEED_APPLIED,
        .reference = seen.reference,
        .by = "webhook"};
    deed_rc rc = deed_evidence_add(hand->ledger, &evidence, &result, &err);
    expect_normal(hand, "evidence", rc, &err);
}

/* ---- a host that calls its provider itself ----------------------------------------------- */

struct bytes {
    uint8_t data[512];
    size_t count;
};

static bool write_bytes(void *sink, const void *data, size_t count)
{
    struct bytes *bytes = sink;
    if (count > sizeof(bytes->data) - bytes->count) {
        return false;
    }
    memcpy(bytes->data + bytes->count, data, count);
    bytes->count += count;
    return true;
}

struct gate {
    struct hand *hand;
    const uint8_t *token;
};

static bool may_send(void *self)
{
    const struct gate *gate = self;
    return deed_may_send(gate->hand->ledger, gate->token, NULL) == DEED_OK;
}

static bool host_begin(
    struct hand *hand, struct bytes *bytes, struct deed_plan *plan, struct deed_attempt *attempt)
{
    struct stage *stage = hand->stage;
    const deed_executor *executor = &stage->executor;
    const struct deed_payload payload = stage_payload(stage, false);
    struct deed_result result = {.size = sizeof(result)};
    struct deed_error err = {.text = ""};
    *plan = (struct deed_plan){.size = sizeof(*plan)};
    deed_rc rc = deed_plan(hand->ledger, STAGE_KEY, NULL, 0, plan, &result, &err);
    if (rc != DEED_OK) {
        expect_normal(hand, "plan", rc, &err);
        mark_result(hand, rc, &result);
        return false;
    }
    const struct deed_request request = {.size = sizeof(request),
        .key = STAGE_KEY,
        .payload = &payload,
        .digest = plan->digest,
        .provider_key = plan->provider_key};
    struct deed_preparation preparation = {
        .size = sizeof(preparation), .sink = bytes, .write = write_bytes};
    if (executor->prepare(executor->self, &request, &preparation, &err) != DEED_OK) {
        stage_break(stage, "the mock cannot prepare");
        return false;
    }
    const struct deed_binding binding = {.size = sizeof(binding),
        .executor = executor->name,
        .executor_version = executor->version,
        .account_scope = preparation.account_scope,
        .endpoint = preparation.endpoint,
        .provider_key = plan->provider_key,
        .bytes = bytes->data,
        .bytes_count = bytes->count,
        .profile = &stage->profile,
        .can_lookup = executor->lookup != NULL,
        .can_poll = executor->poll != NULL,
        .can_cancel = executor->cancel != NULL};
    const struct deed_begin begin = {.size = sizeof(begin), .key = STAGE_KEY, .binding = &binding};
    *attempt = (struct deed_attempt){.size = sizeof(*attempt)};
    rc = deed_begin(hand->ledger, &begin, attempt, &result, &err);
    expect_normal(hand, "begin", rc, &err);
    mark_result(hand, rc, &result);
    return rc == DEED_OK;
}

static void host_send(struct hand *hand, const struct bytes *bytes, const struct deed_plan *plan,
    const struct deed_attempt *attempt, struct deed_answer *answer)
{
    const struct stage *stage = hand->stage;
    struct gate gate = {hand, attempt->token};
    const struct deed_call call = {.size = sizeof(call),
        .key = STAGE_KEY,
        .attempt = attempt->number,
        .cause = attempt->cause,
        .token = attempt->token,
        .digest = plan->digest,
        .provider_key = attempt->provider_key,
        .endpoint = "mock://provider",
        .account_scope = "acct-1",
        .bytes = bytes->data,
        .bytes_count = bytes->count,
        .bytes_digest = plan->bytes_digest,
        .send_deadline_ms = attempt->send_deadline_ms,
        .answer_ms = STAGE_ANSWER_MS,
        .gate = &gate,
        .may_send = may_send};
    stage->executor.attempt(stage->executor.self, &call, answer);
}

static void host(struct hand *hand, enum act act)
{
    struct bytes bytes = {.count = 0};
    struct deed_plan plan;
    struct deed_attempt attempt;
    struct deed_answer answer = {.size = sizeof(answer)};
    struct deed_result result = {.size = sizeof(result)};
    struct deed_error err = {.text = ""};
    hand->heard_attempt = 0;
    if (!host_begin(hand, &bytes, &plan, &attempt) || act == ACT_BEGIN_ONLY) {
        return;
    }
    if (act == ACT_REFUSED) {
        answer.verdict = DEED_VERDICT_NOT_APPLIED;
    } else {
        host_send(hand, &bytes, &plan, &attempt, &answer);
    }
    if (act == ACT_SEND_ONLY) {
        return;
    }
    deed_rc rc = deed_finish(hand->ledger, STAGE_KEY, attempt.token, &answer, &result, &err);
    hand->stored = rc == DEED_OK;
    expect_normal(hand, "finish", rc, &err);
}

/* It says that it was refused, and says so of nothing that is known here. */
static void finish_foreign(struct hand *hand)
{
    static const uint8_t token[DEED_TOKEN_BYTES] = {0xfe};
    const struct deed_answer answer = {.size = sizeof(answer), .verdict = DEED_VERDICT_REJECTED};
    struct deed_result result = {.size = sizeof(result)};
    struct deed_error err = {.text = ""};
    deed_rc rc = deed_finish(hand->ledger, STAGE_KEY, token, &answer, &result, &err);
    expect_normal(hand, "a foreign word", rc, &err);
}

static bool another_lives(const struct hand *hand)
{
    for (unsigned i = 1; i <= STAGE_WORKERS; i++) {
        if (i != hand->number && deed_workers_lives(hand->stage->workers, i)) {
            return true;
        }
    }
    return false;
}

static void wait_for_send(struct hand *hand)
{
    while (deed_world_sends(hand->stage->world, STAGE_KEY) == 0 && another_lives(hand)) {
        deed_workers_wait(hand->stage->workers, "nothing.sent");
        disk_enter(hand->stage, hand->number);
    }
}

/* ---- time ------------------------------------------------------------------------------- */

static void pass_time(struct stage *stage, enum act act)
{
    stage_place(stage, "time.passes");
    if (!stage_time_may_pass(stage)) {
        return;
    }
    if (act == ACT_LATER) {
        stage_mark_lapse(stage);
        deed_sim_clock_advance(stage->clock, STAGE_VISIBLE_MS + 1);
    } else {
        const int64_t year_ms = INT64_C(365) * 86400 * 1000;
        deed_sim_clock_jump(
            stage->clock, act == ACT_SET_FORWARD ? year_ms : -(STAGE_VISIBLE_MS + 1));
        stage_mark(stage, MARK_CLOCK_SET);
    }
}

/* ---- all --------------------------------------------------------------------------------- */

void hand_act(struct hand *hand, enum act act)
{
    switch (act) {
    case ACT_NOTHING:
        return;
    case ACT_RECORD:
    case ACT_RECORD_OTHER:
        record(hand, act == ACT_RECORD_OTHER);
        return;
    case ACT_RUN:
        run(hand, 0);
        return;
    case ACT_RUN_BY_NAME:
        run(hand, DEED_BEGIN_BY_NAME);
        return;
    case ACT_RUN_DUE:
    case ACT_PASS:
        many(hand, act == ACT_PASS);
        return;
    case ACT_RECONCILE:
        reconcile(hand);
        return;
    case ACT_RESOLVE:
        decide(hand, deed_resolve, true, "resolve");
        return;
    case ACT_GUESS:
        decide(hand, deed_resolve, false, "a guess");
        return;
    case ACT_RETRACT:
        decide(hand, deed_retract, true, "retract");
        return;
    case ACT_HOLD:
        decide(hand, deed_hold, true, "hold");
        return;
    case ACT_RELEASE:
        decide(hand, deed_release, true, "release");
        return;
    case ACT_EVIDENCE:
        bring_evidence(hand);
        return;
    case ACT_FOREIGN:
        finish_foreign(hand);
        return;
    case ACT_AFTER_SEND:
        wait_for_send(hand);
        return;
    case ACT_LATER:
    case ACT_SET_FORWARD:
    case ACT_SET_BACK:
        pass_time(hand->stage, act);
        return;
    case ACT_HOST:
    case ACT_SEND_ONLY:
    case ACT_BEGIN_ONLY:
    case ACT_REFUSED:
        host(hand, act);
        return;
    }
}

void hand_work(void *context)
{
    struct hand *hand = context;
    for (size_t i = 0; i < STAGE_ACTS && hand->acts[i] != ACT_NOTHING && !hand->ghost; i++) {
        hand_act(hand, hand->acts[i]);
        hand->untold = false;
    }
}
