/* SPDX-License-Identifier: MIT
 *
 * Whatever fails beneath a call, at whichever point: the call says so or has done what it says, the
 * ledger keeps all its rules, and nothing is sent twice. Method: each case brings a ledger to where
 * one call is to be made, makes it, and lets its first crossing of the line between core and store,
 * clock and chance fail, then its second, until a run meets no fault.
 */
#include "support/test.h"

#include <deed/evidence.h>
#include <deed/ledger.h>

#include "support/fault_line.h"
#include "support/visits.h"

#define START_MS INT64_C(1700000000000)
#define KEY      "pay-1"

/* What the provider does, and what was seen of it. */
struct rig {
    struct fault_line line;
    deed_ledger *ledger;
    deed_executor executor;
    deed_verdict verdict;
    bool pending;
    deed_finding_kind finding;
    unsigned sends;
    struct deed_attempt attempt; /* of a case that begins by hand */
    struct deed_result result;
    struct deed_error err;
    deed_rc worst; /* that a visit was told */
};

/* ---- the provider ------------------------------------------------------------------------- */

static deed_rc prepare(void *self, const struct deed_request *request,
    struct deed_preparation *preparation, struct deed_error *err)
{
    (void)self;
    (void)err;
    (void)snprintf(preparation->endpoint, sizeof(preparation->endpoint), "mock://here");
    return preparation->write(preparation->sink, request->key, strlen(request->key)) ? DEED_OK
                                                                                     : DEED_E_NOMEM;
}

static void attempt(void *self, const struct deed_call *call, struct deed_answer *answer)
{
    struct rig *rig = self;
    if (call->may_send(call->gate)) {
        rig->sends++;
        answer->verdict = rig->verdict;
        answer->pending = rig->pending;
        (void)snprintf(answer->handle, sizeof(answer->handle), "%s", rig->pending ? "h-1" : "");
    }
}

static void look(void *self, const struct deed_question *question, struct deed_finding *finding)
{
    const struct rig *rig = self;
    (void)question;
    finding->kind = rig->finding;
    finding->complete = true;
    finding->marker_matches = true;
    finding->digest_matches = true;
    finding->count = rig->finding == DEED_FOUND_PRESENT ? 1 : 0;
    (void)snprintf(finding->reference, sizeof(finding->reference), "%s",
        rig->finding == DEED_FOUND_PRESENT ? "fx-1" : "");
}

/* ---- the ledger --------------------------------------------------------------------------- */

static struct deed_profile profile_of(void)
{
    struct deed_profile profile = {.size = sizeof(profile),
        .send_ms = 1000,
        .answer_ms = 2000,
        .landing_ms = 5000,
        .reach_ms = DEED_FOREVER,
        .consistency = DEED_CONSISTENCY_STRONG};
    return profile;
}

static struct deed_options options_of(struct rig *rig)
{
    struct deed_options options = {.size = sizeof(options),
        .clock = &rig->line.clock,
        .random = &rig->line.random,
        .actor = "test"};
    return options;
}

static deed_rc open_ledger(struct rig *rig)
{
    const struct deed_options options = options_of(rig);
    const struct deed_profile profile = profile_of();
    deed_rc rc = deed_ledger_open(&rig->line.face, &options, &rig->ledger, &rig->err);
    if (rc == DEED_OK) {
        rc = deed_ledger_register(rig->ledger, "payment", &rig->executor, &profile, &rig->err);
    }
    return rc;
}

static deed_rc record_as(struct rig *rig, const char *key, const char *body)
{
    const struct deed_payload payload = {{"payment", 7}, {"provider", 8}, {body, strlen(body)}};
    const struct deed_record record = {.size = sizeof(record), .key = key, .payload = &payload};
    return deed_record(rig->ledger, &record, &rig->result, &rig->err);
}

static void must(const struct rig *rig, deed_rc rc)
{
    if (rc != DEED_OK) {
        fail_msg("%s", rig->err.text);
    }
}

/* ---- how far things have come before the call ---------------------------------------------- */

static void nothing(struct rig *rig)
{
    (void)rig;
}

static void recorded(struct rig *rig)
{
    must(rig, record_as(rig, KEY, "1"));
}

static void ran(struct rig *rig)
{
    recorded(rig);
    must(rig, deed_run(rig->ledger, KEY, 0, &rig->result, &rig->err));
}

/* In doubt, and everything has landed that ever will. */
static void ran_long_ago(struct rig *rig)
{
    rig->verdict = DEED_VERDICT_UNKNOWN;
    ran(rig);
    deed_sim_clock_advance(rig->line.sim_clock, 3600000);
}

static void pending_long_ago(struct rig *rig)
{
    rig->pending = true;
    ran_long_ago(rig);
}

static void undone(struct rig *rig)
{
    rig->verdict = DEED_VERDICT_NOT_APPLIED;
    ran(rig);
    deed_sim_clock_advance(rig->line.sim_clock, 3600000);
}

static void absent_after_all(struct rig *rig)
{
    ran_long_ago(rig);
    rig->finding = DEED_FOUND_ABSENT;
    must(rig, deed_reconcile(rig->ledger, KEY, &rig->result, &rig->err));
    deed_sim_clock_advance(rig->line.sim_clock, INT64_C(2) * 86400000);
}

static void held(struct rig *rig)
{
    const struct deed_decision decision = {
        .size = sizeof(decision), .key = KEY, .by = "ann", .reason = "why"};
    recorded(rig);
    must(rig, deed_hold(rig->ledger, &decision, &rig->result, &rig->err));
}

static deed_rc begin_by_hand(struct rig *rig, bool records)
{
    const struct deed_payload payload = {{"payment", 7}, {"provider", 8}, {"1", 1}};
    const struct deed_record record = {.size = sizeof(record), .key = KEY, .payload = &payload};
    const struct deed_profile profile = profile_of();
    struct deed_plan plan = {.size = sizeof(plan)};
    deed_rc rc = deed_plan(rig->ledger, KEY, &payload, 0, &plan, &rig->result, &rig->err);
    const struct deed_binding binding = {.size = sizeof(binding),
        .executor = "hand",
        .executor_version = "1",
        .account_scope = "acct",
        .endpoint = "here",
        .provider_key = plan.provider_key,
        .bytes = (const uint8_t *)"1",
        .bytes_count = 1,
        .profile = &profile};
    const struct deed_begin begin = {
        .size = sizeof(begin), .key = KEY, .record = records ? &record : NULL, .binding = &binding};
    return rc == DEED_OK ? deed_begin(rig->ledger, &begin, &rig->attempt, &rig->result, &rig->err)
                         : rc;
}

static void begun(struct rig *rig)
{
    must(rig, begin_by_hand(rig, true));
}

static void begun_too_late(struct rig *rig)
{
    begun(rig);
    deed_sim_clock_advance(rig->line.sim_clock, 3600000);
}

static void looks_present(struct rig *rig)
{
    rig->finding = DEED_FOUND_PRESENT;
}

/* ---- the calls ------------------------------------------------------------------------------ */

static deed_rc call_record(struct rig *rig)
{
    return record_as(rig, KEY, "1");
}

static deed_rc call_record_other(struct rig *rig)
{
    const deed_rc rc = record_as(rig, KEY, "2");
    return rc == DEED_E_CONFLICT ? DEED_OK : rc;
}

static bool see(
    void *context, deed_rc rc, const struct deed_result *result, const struct deed_error *err)
{
    struct rig *rig = context;
    (void)result;
    if (rc != DEED_OK && rig->worst == DEED_OK) {
        rig->worst = rc;
        rig->err = *err;
    }
    return true;
}

static deed_rc call_record_many(struct rig *rig)
{
    const struct deed_payload payload = {{"payment", 7}, {"provider", 8}, {"1", 1}};
    const struct deed_record records[] = {
        {.size = sizeof(records[0]), .key = KEY, .payload = &payload},
        {.size = sizeof(records[0]), .key = "pay-2", .payload = &payload, .hold_reason = "why"},
        {.size = sizeof(records[0]), .key = KEY, .payload = &payload},
    };
    rig->worst = DEED_OK;
    const deed_rc rc = deed_record_many(rig->ledger, records, 3, see, rig, &rig->err);
    return rc == DEED_OK ? rig->worst : rc;
}

static deed_rc call_begin(struct rig *rig)
{
    return begin_by_hand(rig, false);
}

static deed_rc call_record_and_begin(struct rig *rig)
{
    return begin_by_hand(rig, true);
}

static deed_rc call_may_send(struct rig *rig)
{
    const deed_rc rc = deed_may_send(rig->ledger, rig->attempt.token, &rig->err);
    return rc == DEED_E_TOO_LATE ? DEED_OK : rc;
}

static deed_rc finish(struct rig *rig, deed_verdict verdict, bool pending)
{
    struct deed_answer answer = {.size = sizeof(answer), .verdict = verdict, .pending = pending};
    return deed_finish(rig->ledger, KEY, rig->attempt.token, &answer, &rig->result, &rig->err);
}

static deed_rc call_finish_applied(struct rig *rig)
{
    return finish(rig, DEED_VERDICT_APPLIED, false);
}

static deed_rc call_finish_pending(struct rig *rig)
{
    return finish(rig, DEED_VERDICT_UNKNOWN, true);
}

static deed_rc call_finish_stranger(struct rig *rig)
{
    rig->attempt.token[0] ^= 0xff;
    const deed_rc rc = finish(rig, DEED_VERDICT_APPLIED, false);
    rig->attempt.token[0] ^= 0xff;
    return rc;
}

static deed_rc call_run(struct rig *rig)
{
    return deed_run(rig->ledger, KEY, 0, &rig->result, &rig->err);
}

static deed_rc call_run_due(struct rig *rig)
{
    rig->worst = DEED_OK;
    const deed_rc rc = deed_run_due(rig->ledger, see, rig, &rig->err);
    return rc == DEED_OK ? rig->worst : rc;
}

static deed_rc call_reconcile(struct rig *rig)
{
    return deed_reconcile(rig->ledger, KEY, &rig->result, &rig->err);
}

static deed_rc call_reconcile_as(struct rig *rig, deed_finding_kind finding)
{
    rig->finding = finding;
    return call_reconcile(rig);
}

static deed_rc call_reconcile_present(struct rig *rig)
{
    return call_reconcile_as(rig, DEED_FOUND_PRESENT);
}

static deed_rc call_reconcile_absent(struct rig *rig)
{
    return call_reconcile_as(rig, DEED_FOUND_ABSENT);
}

static deed_rc call_reconcile_rejected(struct rig *rig)
{
    return call_reconcile_as(rig, DEED_FOUND_REJECTED);
}

static deed_rc call_reconcile_pending(struct rig *rig)
{
    return call_reconcile_as(rig, DEED_FOUND_PENDING);
}

static deed_rc call_reconcile_nothing(struct rig *rig)
{
    return call_reconcile_as(rig, DEED_FOUND_NOTHING);
}

static deed_rc call_pass(struct rig *rig)
{
    struct deed_pass pass = {.size = sizeof(pass)};
    rig->worst = DEED_OK;
    const deed_rc rc = deed_reconcile_pass(rig->ledger, see, rig, &pass, &rig->err);
    return rc == DEED_OK ? rig->worst : rc;
}

static deed_rc call_late_effect(struct rig *rig)
{
    looks_present(rig);
    return call_pass(rig);
}

static struct deed_decision decision_of(deed_outcome outcome)
{
    struct deed_decision decision = {.size = sizeof(decision),
        .key = KEY,
        .by = "ann",
        .reason = "why",
        .outcome = outcome,
        .reference = outcome == DEED_APPLIED ? "fx-9" : NULL};
    return decision;
}

static deed_rc call_resolve(struct rig *rig)
{
    const struct deed_decision decision = decision_of(DEED_APPLIED);
    return deed_resolve(rig->ledger, &decision, &rig->result, &rig->err);
}

static deed_rc call_resolve_rejected(struct rig *rig)
{
    const struct deed_decision decision = decision_of(DEED_REJECTED);
    return deed_resolve(rig->ledger, &decision, &rig->result, &rig->err);
}

static deed_rc call_retract(struct rig *rig)
{
    const struct deed_decision decision = decision_of(DEED_OUTCOME_NONE);
    return deed_retract(rig->ledger, &decision, &rig->result, &rig->err);
}

static deed_rc call_hold(struct rig *rig)
{
    const struct deed_decision decision = decision_of(DEED_OUTCOME_NONE);
    return deed_hold(rig->ledger, &decision, &rig->result, &rig->err);
}

static deed_rc call_release(struct rig *rig)
{
    const struct deed_decision decision = decision_of(DEED_OUTCOME_NONE);
    return deed_release(rig->ledger, &decision, &rig->result, &rig->err);
}

static deed_rc call_evidence(struct rig *rig)
{
    const struct deed_evidence evidence = {.size = sizeof(evidence),
        .key = KEY,
        .source = "bank",
        .event_id = "ev-1",
        .outcome = DEED_APPLIED,
        .reference = "fx-1",
        .by = "ann"};
    return deed_evidence_add(rig->ledger, &evidence, &rig->result, &rig->err);
}

static deed_rc call_reconcile_plan(struct rig *rig)
{
    deed_settle_step step = DEED_SETTLE_NOTHING;
    return deed_reconcile_plan(rig->ledger, KEY, true, &step, &rig->result, &rig->err);
}

/* Whatever only reads; the first error ends it. */
static deed_rc call_reads(struct rig *rig)
{
    deed_ledger *ledger = rig->ledger;
    struct deed_error *err = &rig->err;
    struct deed_status status = {.size = sizeof(status)};
    struct deed_ledger_info info = {.size = sizeof(info)};
    const struct deed_list list = {
        .size = sizeof(list), .flags = DEED_LIST_ALL, .kind = "payment", .limit = 2};
    rig->worst = DEED_OK;
    deed_rc rc = deed_get(ledger, KEY, &rig->result, err);
    rc = rc == DEED_OK ? deed_ledger_info(ledger, &info, err) : rc;
    rc = rc == DEED_OK ? deed_ledger_list(ledger, &list, see, rig, err) : rc;
    rc = rc == DEED_OK ? deed_ledger_status(ledger, &status, err) : rc;
    const struct deed_find find = {.size = sizeof(find), .reference = "fx-1"};
    rc = rc == DEED_OK ? deed_ledger_passes(ledger, 1, see_pass, NULL, err) : rc;
    if (rc == DEED_OK) {
        rc = deed_ledger_find(ledger, &find, see, rig, err);
        rc = rc == DEED_E_NOT_FOUND ? DEED_OK : rc;
    }
    rc = rc == DEED_OK ? deed_intent_payload(ledger, KEY, see_intent, NULL, err) : rc;
    rc = rc == DEED_OK ? deed_intent_attempts(ledger, KEY, see_attempt, NULL, err) : rc;
    rc = rc == DEED_OK ? deed_intent_evidence(ledger, KEY, see_evidence, NULL, err) : rc;
    rc = rc == DEED_OK ? deed_intent_events(ledger, KEY, see_event, NULL, err) : rc;
    return rc == DEED_OK ? deed_ledger_check(ledger, NULL, NULL, NULL, err) : rc;
}

static deed_rc call_open(struct rig *rig)
{
    deed_ledger *other = NULL;
    const struct deed_options options = options_of(rig);
    const deed_rc rc = deed_ledger_open(&rig->line.face, &options, &other, &rig->err);
    deed_ledger_close(other);
    return rc;
}

/* ---- the sweep ------------------------------------------------------------------------------ */

#define CLASS_BLIND    0U
#define CLASS_LOOKUP   1U
#define CLASS_CLOSABLE 2U

static const struct {
    const char *name;
    void (*before)(struct rig *rig);
    deed_rc (*call)(struct rig *rig);
    unsigned class;
} cases[] = {
    {"record", nothing, call_record, CLASS_LOOKUP},
    {"record again", recorded, call_record, CLASS_LOOKUP},
    {"record another payload", recorded, call_record_other, CLASS_LOOKUP},
    {"record many", nothing, call_record_many, CLASS_LOOKUP},
    {"begin", recorded, call_begin, CLASS_LOOKUP},
    {"record and begin", nothing, call_record_and_begin, CLASS_LOOKUP},
    {"may send", begun, call_may_send, CLASS_LOOKUP},
    {"may send too late", begun_too_late, call_may_send, CLASS_LOOKUP},
    {"finish", begun, call_finish_applied, CLASS_LOOKUP},
    {"finish late", begun_too_late, call_finish_applied, CLASS_LOOKUP},
    {"finish pending", begun, call_finish_pending, CLASS_LOOKUP},
    {"finish for a stranger", begun, call_finish_stranger, CLASS_LOOKUP},
    {"run", recorded, call_run, CLASS_LOOKUP},
    {"run again", ran, call_run, CLASS_LOOKUP},
    {"run what was not applied", undone, call_run, CLASS_LOOKUP},
    {"run what is due", recorded, call_run_due, CLASS_LOOKUP},
    {"reconcile, present", ran_long_ago, call_reconcile_present, CLASS_LOOKUP},
    {"reconcile, absent", ran_long_ago, call_reconcile_absent, CLASS_LOOKUP},
    {"reconcile, rejected", ran_long_ago, call_reconcile_rejected, CLASS_LOOKUP},
    {"reconcile, pending", ran_long_ago, call_reconcile_pending, CLASS_LOOKUP},
    {"reconcile, nothing", ran_long_ago, call_reconcile_nothing, CLASS_LOOKUP},
    {"poll, present", pending_long_ago, call_reconcile_present, CLASS_LOOKUP},
    {"poll, rejected", pending_long_ago, call_reconcile_rejected, CLASS_LOOKUP},
    {"cancel", ran_long_ago, call_reconcile_nothing, CLASS_CLOSABLE},
    {"reconcile what is blind", ran_long_ago, call_reconcile, CLASS_BLIND},
    {"reconcile what is settled", ran, call_reconcile, CLASS_LOOKUP},
    {"pass", ran_long_ago, call_pass, CLASS_LOOKUP},
    {"a late effect", absent_after_all, call_late_effect, CLASS_LOOKUP},
    {"evidence", ran_long_ago, call_evidence, CLASS_BLIND},
    {"evidence of what is settled", ran, call_evidence, CLASS_LOOKUP},
    {"plan of reconciling", ran_long_ago, call_reconcile_plan, CLASS_LOOKUP},
    {"resolve", ran_long_ago, call_resolve, CLASS_BLIND},
    {"resolve as rejected", ran_long_ago, call_resolve_rejected, CLASS_LOOKUP},
    {"retract", recorded, call_retract, CLASS_LOOKUP},
    {"hold", recorded, call_hold, CLASS_LOOKUP},
    {"release", held, call_release, CLASS_LOOKUP},
    {"read", ran, call_reads, CLASS_LOOKUP},
    {"open", ran, call_open, CLASS_LOOKUP},
};

static void rig_new(struct rig *rig, unsigned class)
{
    memset(rig, 0, sizeof(*rig));
    rig->result.size = sizeof(rig->result);
    rig->attempt.size = sizeof(rig->attempt);
    rig->verdict = DEED_VERDICT_APPLIED;
    rig->executor = (deed_executor){.size = sizeof(rig->executor),
        .name = "rig",
        .version = "1",
        .flags = DEED_EXECUTOR_MOCK,
        .self = rig,
        .prepare = prepare,
        .attempt = attempt,
        .lookup = class == CLASS_BLIND ? NULL : look,
        .poll = class == CLASS_BLIND ? NULL : look,
        .cancel = class == CLASS_CLOSABLE ? look : NULL};
    fault_line_new(&rig->line, START_MS);
    const struct deed_options options = options_of(rig);
    must(rig, deed_ledger_init(&rig->line.face, "rig", true, &options, &rig->err));
    must(rig, open_ledger(rig));
}

static void rig_end(struct rig *rig)
{
    deed_ledger_close(rig->ledger);
    fault_line_end(&rig->line);
}

/* The case with its nth crossing failing. Whether there was one. */
static bool run_case(size_t i, uint64_t nth, unsigned sends_before_repeat)
{
    struct rig rig;
    rig_new(&rig, cases[i].class);
    cases[i].before(&rig);
    const unsigned sent = rig.sends;
    memset(&rig.err, 0, sizeof(rig.err));
    fault_line_arm(&rig.line, nth);
    const deed_rc rc = cases[i].call(&rig);
    const bool failed = fault_line_disarm(&rig.line);
    if (rc != DEED_OK && rig.err.text[0] == '\0') {
        fail_msg("%s, fault %d: %s without a word", cases[i].name, (int)nth, deed_rc_name(rc));
    }
    if (rc != DEED_OK && !failed) {
        fail_msg("%s without a fault: %s", cases[i].name, rig.err.text);
    }
    assert_true(rig.sends <= sent + sends_before_repeat);
    if (deed_ledger_check(rig.ledger, NULL, NULL, NULL, &rig.err) != DEED_OK) {
        fail_msg("%s, fault %d: %s", cases[i].name, (int)nth, rig.err.text);
    }
    /* Asked once more, without a fault: whatever it says, it is sent once at most. */
    const deed_rc again = cases[i].call(&rig);
    assert_true(again == DEED_OK || rig.err.text[0] != '\0');
    assert_true(rig.sends <= sent + 1);
    must(&rig, deed_ledger_check(rig.ledger, NULL, NULL, NULL, &rig.err));
    rig_end(&rig);
    return failed;
}

static void test_fault_line__every_call_survives_a_fault_at_every_point(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint64_t nth = 0;
        bool failed = true;
        (void)run_case(i, 0, 1);
        while (failed) {
            nth++;
            assert_true(nth < 1000);
            failed = run_case(i, nth, 1);
        }
        assert_true(nth > 1); /* a call that crosses nothing would prove nothing */
    }
}

/* A ledger that could not be made can be made once the fault is over, and is there once. */
static void test_fault_line__a_ledger_is_made_or_not(void **state)
{
    (void)state;
    bool failed = true;
    for (uint64_t nth = 1; failed; nth++) {
        struct rig rig;
        memset(&rig, 0, sizeof(rig));
        fault_line_new(&rig.line, START_MS);
        const struct deed_options options = options_of(&rig);
        fault_line_arm(&rig.line, nth);
        const deed_rc rc = deed_ledger_init(&rig.line.face, "rig", true, &options, &rig.err);
        failed = fault_line_disarm(&rig.line);
        assert_int_equal(rc == DEED_OK, !failed);
        const deed_rc again = deed_ledger_init(&rig.line.face, "rig", true, &options, &rig.err);
        assert_int_equal(again, failed ? DEED_OK : DEED_E_NO_STEP);
        fault_line_end(&rig.line);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fault_line__every_call_survives_a_fault_at_every_point),
        cmocka_unit_test(test_fault_line__a_ledger_is_made_or_not),
    };
    return cmocka_run_group_tests_name("fault_line", tests, NULL, NULL);
}
