/* SPDX-License-Identifier: MIT
 *
 * Calls that break the headers are told so, each by each: one thing is left out or wrong at a time,
 * and everything else is as it should be. Nothing is written by any of them.
 */
#include "support/test.h"

#include <deed/ledger.h>

#include "support/fault_line.h"
#include "support/visits.h"

#define START_MS INT64_C(1700000000000)
#define KEY      "pay-1"

struct rig {
    struct fault_line line;
    deed_ledger *ledger;
    struct deed_result result;
    struct deed_error err;
    struct deed_payload payload;
    struct deed_record record;
    struct deed_profile profile;
    struct deed_plan plan;
    struct deed_binding binding;
    struct deed_begin begin;
    struct deed_attempt attempt;
    struct deed_answer answer;
    struct deed_decision decision;
    deed_executor executor;
};

static deed_rc prepare(void *self, const struct deed_request *request,
    struct deed_preparation *preparation, struct deed_error *err)
{
    (void)self;
    (void)request;
    (void)preparation;
    (void)err;
    return DEED_OK;
}

static void attempt(void *self, const struct deed_call *call, struct deed_answer *answer)
{
    (void)self;
    (void)call;
    (void)answer;
}

/* Everything a call needs, as it should be. */
static void fill(struct rig *rig)
{
    static const uint8_t bytes[] = {'1'};
    rig->payload = (struct deed_payload){{"payment", 7}, {"provider", 8}, {"1", 1}};
    rig->record =
        (struct deed_record){.size = sizeof(rig->record), .key = KEY, .payload = &rig->payload};
    rig->profile = (struct deed_profile){.size = sizeof(rig->profile)};
    rig->plan = (struct deed_plan){.size = sizeof(rig->plan)};
    rig->binding = (struct deed_binding){.size = sizeof(rig->binding),
        .executor = "hand",
        .executor_version = "1",
        .account_scope = "acct",
        .endpoint = "here",
        .provider_key = "key",
        .bytes = bytes,
        .bytes_count = sizeof(bytes),
        .profile = &rig->profile};
    rig->begin = (struct deed_begin){
        .size = sizeof(rig->begin), .key = KEY, .record = &rig->record, .binding = &rig->binding};
    rig->answer = (struct deed_answer){.size = sizeof(rig->answer)};
    rig->decision = (struct deed_decision){.size = sizeof(rig->decision),
        .key = KEY,
        .by = "ann",
        .reason = "why",
        .outcome = DEED_APPLIED};
    rig->executor = (deed_executor){.size = sizeof(rig->executor),
        .name = "hand",
        .version = "1",
        .flags = DEED_EXECUTOR_MOCK,
        .prepare = prepare,
        .attempt = attempt};
}

static int set_up(void **state)
{
    struct rig *rig = calloc(1, sizeof(*rig));
    assert_non_null(rig);
    fault_line_new(&rig->line, START_MS);
    const struct deed_options options = {
        .size = sizeof(options), .clock = &rig->line.clock, .random = &rig->line.random};
    assert_int_equal(deed_ledger_init(&rig->line.face, "rig", true, &options, &rig->err), DEED_OK);
    assert_int_equal(deed_ledger_open(&rig->line.face, &options, &rig->ledger, &rig->err), DEED_OK);
    rig->result.size = sizeof(rig->result);
    rig->attempt.size = sizeof(rig->attempt);
    fill(rig);
    *state = rig;
    return 0;
}

static int tear_down(void **state)
{
    struct rig *rig = *state;
    struct deed_check check = {.size = sizeof(check)};
    assert_int_equal(deed_ledger_check(rig->ledger, NULL, NULL, &check, &rig->err), DEED_OK);
    assert_int_equal(check.intents, 0);
    deed_ledger_close(rig->ledger);
    fault_line_end(&rig->line);
    free(rig);
    return 0;
}

/* The call was refused with this code and says why; then all is as it should be again. */
static void expect(struct rig *rig, deed_rc expected, deed_rc rc, int line)
{
    if (rc != expected || rig->err.text[0] == '\0') {
        fail_msg("line %d: %d, %s", line, (int)rc, rig->err.text);
    }
    memset(&rig->err, 0, sizeof(rig->err));
    fill(rig);
}

#define MISUSE(call)  expect(rig, DEED_E_MISUSE, call, __LINE__)
#define INVALID(call) expect(rig, DEED_E_INVALID, call, __LINE__)

static void test_misuse__a_call_without_its_ledger_or_key(void **state)
{
    struct rig *rig = *state;
    deed_ledger *ledger = rig->ledger;
    struct deed_error *err = &rig->err;
    struct deed_result *result = &rig->result;
    struct deed_status status = {.size = sizeof(status)};
    struct deed_ledger_info info = {.size = sizeof(info)};
    struct deed_pass pass = {.size = sizeof(pass)};
    const struct deed_list list = {.size = sizeof(list)};
    const uint8_t token[DEED_TOKEN_BYTES] = {0};
    MISUSE(deed_ledger_info(NULL, &info, err));
    MISUSE(deed_ledger_info(ledger, NULL, err));
    MISUSE(deed_ledger_status(NULL, &status, err));
    MISUSE(deed_ledger_status(ledger, NULL, err));
    MISUSE(deed_ledger_list(NULL, &list, see_result, NULL, err));
    MISUSE(deed_ledger_list(ledger, NULL, see_result, NULL, err));
    MISUSE(deed_ledger_list(ledger, &list, NULL, NULL, err));
    const struct deed_find neither = {.size = sizeof(neither)};
    const struct deed_find both = {
        .size = sizeof(both), .provider_key = "key", .reference = "fx-1"};
    const struct deed_find one = {.size = sizeof(one), .reference = "fx-1"};
    MISUSE(deed_ledger_find(NULL, &one, see_result, NULL, err));
    MISUSE(deed_ledger_find(ledger, NULL, see_result, NULL, err));
    MISUSE(deed_ledger_find(ledger, &one, NULL, NULL, err));
    assert_int_not_equal(deed_ledger_find(ledger, &neither, see_result, NULL, err), DEED_OK);
    assert_int_not_equal(deed_ledger_find(ledger, &both, see_result, NULL, err), DEED_OK);
    MISUSE(deed_ledger_passes(NULL, 0, NULL, NULL, err));
    MISUSE(deed_ledger_passes(ledger, 0, NULL, NULL, err));
    deed_settle_step step = DEED_SETTLE_NOTHING;
    MISUSE(deed_reconcile_plan(NULL, KEY, true, &step, result, err));
    MISUSE(deed_reconcile_plan(ledger, NULL, true, &step, result, err));
    MISUSE(deed_reconcile_plan(ledger, KEY, true, NULL, result, err));
    MISUSE(deed_ledger_check(NULL, NULL, NULL, NULL, err));
    MISUSE(deed_get(NULL, KEY, result, err));
    MISUSE(deed_get(ledger, NULL, result, err));
    MISUSE(deed_get(ledger, KEY, NULL, err));
    INVALID(deed_get(ledger, "Pay 1", result, err));
    MISUSE(deed_run(NULL, KEY, 0, result, err));
    MISUSE(deed_run(ledger, NULL, 0, result, err));
    MISUSE(deed_run(ledger, KEY, DEED_BEGIN_REPLAY, result, err));
    INVALID(deed_run(ledger, "Pay 1", 0, result, err));
    MISUSE(deed_run_due(NULL, see_result, NULL, err));
    MISUSE(deed_may_send(NULL, token, err));
    MISUSE(deed_may_send(ledger, NULL, err));
    MISUSE(deed_may_send(ledger, token, err)); /* of no attempt */
    MISUSE(deed_reconcile(NULL, KEY, result, err));
    MISUSE(deed_reconcile(ledger, NULL, result, err));
    INVALID(deed_reconcile(ledger, "Pay 1", result, err));
    MISUSE(deed_reconcile_pass(NULL, see_result, NULL, &pass, err));
}

static void test_misuse__rows_without_a_ledger_a_key_or_a_visit(void **state)
{
    struct rig *rig = *state;
    deed_ledger *ledger = rig->ledger;
    struct deed_error *err = &rig->err;
    MISUSE(deed_intent_payload(NULL, KEY, see_intent, NULL, err));
    MISUSE(deed_intent_payload(ledger, NULL, see_intent, NULL, err));
    MISUSE(deed_intent_payload(ledger, KEY, NULL, NULL, err));
    MISUSE(deed_intent_attempts(ledger, KEY, NULL, NULL, err));
    MISUSE(deed_intent_evidence(ledger, KEY, NULL, NULL, err));
    MISUSE(deed_intent_events(ledger, KEY, NULL, NULL, err));
    INVALID(deed_intent_payload(ledger, "Pay 1", see_intent, NULL, err));
    expect(
        rig, DEED_E_NOT_FOUND, deed_intent_payload(ledger, KEY, see_intent, NULL, err), __LINE__);
}

static deed_rc record(struct rig *rig)
{
    return deed_record(rig->ledger, &rig->record, &rig->result, &rig->err);
}

static void test_misuse__a_record_that_lacks_something(void **state)
{
    struct rig *rig = *state;
    char long_text[DEED_NOTE_BYTES_MAX + 2];
    memset(long_text, 'x', sizeof(long_text) - 1);
    long_text[sizeof(long_text) - 1] = '\0';
    MISUSE(deed_record(NULL, &rig->record, &rig->result, &rig->err));
    MISUSE(deed_record(rig->ledger, NULL, &rig->result, &rig->err));
    rig->record.key = NULL;
    MISUSE(record(rig));
    rig->record.payload = NULL;
    MISUSE(record(rig));
    rig->record.key = "Pay 1";
    INVALID(record(rig));
    rig->payload.body.data = NULL;
    INVALID(record(rig));
    rig->record.hold_reason = long_text;
    INVALID(record(rig));
    rig->record.not_after_ms = -1;
    INVALID(record(rig));
    MISUSE(deed_record_many(NULL, &rig->record, 1, see_result, NULL, &rig->err));
    MISUSE(deed_record_many(rig->ledger, NULL, 1, see_result, NULL, &rig->err));
}

static deed_rc begin(struct rig *rig)
{
    return deed_begin(rig->ledger, &rig->begin, &rig->attempt, &rig->result, &rig->err);
}

static void test_misuse__an_attempt_that_is_bound_to_nothing(void **state)
{
    static const char other_key[] = "pay-2";
    struct rig *rig = *state;
    char long_text[DEED_ADDRESS_BYTES_MAX + 2];
    memset(long_text, 'x', sizeof(long_text) - 1);
    long_text[sizeof(long_text) - 1] = '\0';
    const char **const texts[] = {&rig->binding.executor, &rig->binding.executor_version,
        &rig->binding.account_scope, &rig->binding.endpoint};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        *texts[i] = NULL;
        MISUSE(begin(rig));
        *texts[i] = long_text;
        MISUSE(begin(rig));
    }
    rig->binding.executor = "";
    MISUSE(begin(rig));
    rig->binding.provider_key = NULL;
    MISUSE(begin(rig));
    MISUSE(begin(rig)); /* planned for another key */
    rig->binding.bytes = NULL;
    INVALID(begin(rig));
    rig->binding.bytes_count = DEED_ENCODED_BYTES_MAX + 1;
    INVALID(begin(rig));
    rig->record.key = other_key;
    MISUSE(begin(rig));
    rig->record.key = NULL;
    MISUSE(begin(rig));
    rig->begin.binding = NULL;
    MISUSE(begin(rig));
    rig->begin.key = NULL;
    MISUSE(begin(rig));
    rig->begin.flags = 0x80000000U;
    MISUSE(begin(rig));
    rig->profile.send_ms = -1;
    INVALID(begin(rig));
    MISUSE(deed_begin(NULL, &rig->begin, &rig->attempt, &rig->result, &rig->err));
    MISUSE(deed_begin(rig->ledger, NULL, &rig->attempt, &rig->result, &rig->err));
    MISUSE(deed_begin(rig->ledger, &rig->begin, NULL, &rig->result, &rig->err));
}

static void test_misuse__a_plan_or_an_answer_that_is_for_nothing(void **state)
{
    struct rig *rig = *state;
    deed_ledger *ledger = rig->ledger;
    struct deed_error *err = &rig->err;
    struct deed_result *result = &rig->result;
    const uint8_t token[DEED_TOKEN_BYTES] = {0};
    MISUSE(deed_plan(NULL, KEY, &rig->payload, 0, &rig->plan, result, err));
    MISUSE(deed_plan(ledger, NULL, &rig->payload, 0, &rig->plan, result, err));
    MISUSE(deed_plan(ledger, KEY, &rig->payload, 0, NULL, result, err));
    INVALID(deed_plan(ledger, "Pay 1", &rig->payload, 0, &rig->plan, result, err));
    rig->payload.kind.data = NULL;
    INVALID(deed_plan(ledger, KEY, &rig->payload, 0, &rig->plan, result, err));
    expect(
        rig, DEED_E_NOT_FOUND, deed_plan(ledger, KEY, NULL, 0, &rig->plan, result, err), __LINE__);
    MISUSE(deed_finish(NULL, KEY, token, &rig->answer, result, err));
    MISUSE(deed_finish(ledger, NULL, token, &rig->answer, result, err));
    MISUSE(deed_finish(ledger, KEY, NULL, &rig->answer, result, err));
    MISUSE(deed_finish(ledger, KEY, token, NULL, result, err));
    INVALID(deed_finish(ledger, "Pay 1", token, &rig->answer, result, err));
    expect(rig, DEED_E_NOT_FOUND, deed_finish(ledger, KEY, token, &rig->answer, result, err),
        __LINE__);
}

static deed_rc resolve(struct rig *rig)
{
    return deed_resolve(rig->ledger, &rig->decision, &rig->result, &rig->err);
}

static void test_misuse__a_decision_of_nobody_for_no_reason(void **state)
{
    struct rig *rig = *state;
    char long_text[DEED_NOTE_BYTES_MAX + 2];
    memset(long_text, 'x', sizeof(long_text) - 1);
    long_text[sizeof(long_text) - 1] = '\0';
    const char **const texts[] = {&rig->decision.by, &rig->decision.reason, &rig->decision.evidence,
        &rig->decision.reference};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        *texts[i] = long_text;
        INVALID(resolve(rig));
    }
    rig->decision.by = NULL;
    INVALID(resolve(rig));
    rig->decision.reason = "";
    INVALID(resolve(rig));
    rig->decision.key = "Pay 1";
    INVALID(resolve(rig));
    rig->decision.key = NULL;
    MISUSE(resolve(rig));
    static const deed_outcome outcomes[] = {DEED_OUTCOME_NONE, DEED_RETRACTED, (deed_outcome)9};
    for (size_t i = 0; i < sizeof(outcomes) / sizeof(outcomes[0]); i++) {
        rig->decision.outcome = outcomes[i];
        INVALID(resolve(rig));
    }
    MISUSE(deed_resolve(rig->ledger, NULL, &rig->result, &rig->err));
    MISUSE(deed_resolve(NULL, &rig->decision, &rig->result, &rig->err));
    MISUSE(deed_retract(NULL, &rig->decision, &rig->result, &rig->err));
    MISUSE(deed_hold(NULL, &rig->decision, &rig->result, &rig->err));
    MISUSE(deed_release(NULL, &rig->decision, &rig->result, &rig->err));
}

static deed_rc serve(struct rig *rig)
{
    return deed_ledger_register(rig->ledger, "payment", &rig->executor, &rig->profile, &rig->err);
}

static void test_misuse__an_executor_that_lacks_something(void **state)
{
    struct rig *rig = *state;
    rig->executor.size = 1;
    MISUSE(serve(rig));
    rig->executor.name = NULL;
    MISUSE(serve(rig));
    rig->executor.version = NULL;
    MISUSE(serve(rig));
    rig->executor.prepare = NULL;
    MISUSE(serve(rig));
    rig->executor.attempt = NULL;
    MISUSE(serve(rig));
    rig->executor.flags = 0;
    INVALID(serve(rig));
    MISUSE(deed_ledger_register(NULL, "payment", &rig->executor, NULL, &rig->err));
    MISUSE(deed_ledger_register(rig->ledger, NULL, &rig->executor, NULL, &rig->err));
    MISUSE(deed_ledger_register(rig->ledger, "payment", NULL, NULL, &rig->err));
    int64_t *const durations[] = {&rig->profile.send_ms, &rig->profile.answer_ms,
        &rig->profile.landing_ms, &rig->profile.window_ms, &rig->profile.lag_ms,
        &rig->profile.reach_ms, &rig->profile.second_look_ms[0], &rig->profile.second_look_ms[1],
        &rig->profile.backoff_base_ms, &rig->profile.backoff_cap_ms};
    for (size_t i = 0; i < sizeof(durations) / sizeof(durations[0]); i++) {
        *durations[i] = -1;
        INVALID(serve(rig));
        *durations[i] = DEED_DURATION_MS_MAX + 1;
        INVALID(serve(rig));
    }
    rig->profile.send_ms = DEED_FOREVER;
    INVALID(serve(rig));
    assert_int_equal(serve(rig), DEED_OK);
    INVALID(serve(rig)); /* the kind is served already */
}

int main(void)
{
#define MISUSE_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        MISUSE_TEST(test_misuse__a_call_without_its_ledger_or_key),
        MISUSE_TEST(test_misuse__rows_without_a_ledger_a_key_or_a_visit),
        MISUSE_TEST(test_misuse__a_record_that_lacks_something),
        MISUSE_TEST(test_misuse__an_attempt_that_is_bound_to_nothing),
        MISUSE_TEST(test_misuse__a_plan_or_an_answer_that_is_for_nothing),
        MISUSE_TEST(test_misuse__a_decision_of_nobody_for_no_reason),
        MISUSE_TEST(test_misuse__an_executor_that_lacks_something),
    };
#undef MISUSE_TEST
    return cmocka_run_group_tests_name("misuse", tests, NULL, NULL);
}
