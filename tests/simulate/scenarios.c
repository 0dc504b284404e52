/* SPDX-License-Identifier: MIT */
#include "schedule.h"

#define BLIND  (1U << DEED_CLASS_BLIND)
#define LOOKUP (1U << DEED_CLASS_LOOKUP)
#define KEYED  (1U << DEED_CLASS_KEYED)
#define BOTH   (1U << DEED_CLASS_KEYED_LOOKUP)
#define CLOSES (1U << DEED_CLASS_CLOSABLE)

#define LATE        (1U << DEED_MOCK_FAULT_LATE)
#define LOST        (1U << DEED_MOCK_FAULT_LOST)
#define REJECTED    (1U << DEED_MOCK_FAULT_REJECTED)
#define UNREACHABLE (1U << DEED_MOCK_FAULT_UNREACHABLE)
#define LAGGING     (1U << DEED_MOCK_FAULT_LAGGING)

#define LEASE   (1U << DEED_SIM_MOVE_LEASE)
#define HORIZON (1U << DEED_SIM_MOVE_HORIZON)
#define BACK    (1U << DEED_SIM_MOVE_HORIZON_BACK)

static const struct scenario scenarios[] = {
    {.name = "run-run", .before = {ACT_RECORD}, .acts = {{ACT_RUN}, {ACT_RUN}}},
    {.name = "record-record", .acts = {{ACT_RECORD, ACT_RUN}, {ACT_RECORD_OTHER, ACT_RUN}}},
    {.name = "run-reconcile",
        .before = {ACT_RECORD},
        .acts = {{ACT_RUN}, {ACT_RECONCILE, ACT_PASS}},
        .moves = LEASE},
    {.name = "lease-lapses",
        .before = {ACT_RECORD},
        .acts = {{ACT_RUN}, {ACT_RUN, ACT_RECONCILE, ACT_RUN}},
        .moves = LEASE | HORIZON},
    {.name = "pass-pass",
        .before = {ACT_RECORD, ACT_SEND_ONLY},
        .acts = {{ACT_PASS}, {ACT_PASS}},
        .later_ms = STAGE_VISIBLE_MS + 1},
    {.name = "pass-pass-unsent",
        .before = {ACT_RECORD, ACT_BEGIN_ONLY},
        .acts = {{ACT_PASS, ACT_RUN_DUE}, {ACT_PASS, ACT_RUN_DUE}},
        .later_ms = STAGE_VISIBLE_MS + 1,
        .moves = HORIZON},
    {.name = "replay-late-answer",
        .classes = KEYED | BOTH,
        .before = {ACT_RECORD},
        .acts = {{ACT_RUN}, {ACT_RECONCILE, ACT_RECONCILE}},
        .moves = LEASE},
    {.name = "finish-resolve",
        .before = {ACT_RECORD},
        .acts = {{ACT_HOST}, {ACT_RESOLVE, ACT_RESOLVE}},
        .moves = LEASE | HORIZON},
    {.name = "retract-run", .before = {ACT_RECORD}, .acts = {{ACT_RETRACT}, {ACT_RUN}}},
    {.name = "retract-retry",
        .before = {ACT_RECORD, ACT_REFUSED},
        .acts = {{ACT_RETRACT}, {ACT_RUN_BY_NAME, ACT_RUN}}},
    {.name = "hold-run",
        .before = {ACT_RECORD},
        .acts = {{ACT_HOLD, ACT_RELEASE}, {ACT_RUN, ACT_RUN}}},
    {.name = "returns-after-settlement",
        .before = {ACT_RECORD},
        .acts = {{ACT_RUN}, {ACT_PASS, ACT_PASS, ACT_RESOLVE, ACT_RUN}},
        .moves = LEASE | HORIZON},
    {.name = "evidence-run",
        .before = {ACT_RECORD},
        .acts = {{ACT_RUN}, {ACT_EVIDENCE, ACT_EVIDENCE, ACT_RETRACT}}},
    {.name = "host-host", .before = {ACT_RECORD}, .acts = {{ACT_HOST, ACT_HOST}, {ACT_HOST}}},
    {.name = "foreign-word",
        .before = {ACT_RECORD},
        .acts = {{ACT_RUN}, {ACT_FOREIGN, ACT_PASS}},
        .moves = LEASE},
    /* What is late, against whoever looks, waits by a wrong clock, or takes the dead for silent. */
    {.name = "late-look",
        .classes = LOOKUP | BOTH,
        .before = {ACT_RECORD},
        .acts = {{ACT_RUN},
            {ACT_AFTER_SEND, ACT_RECONCILE, ACT_LATER, ACT_RECONCILE, ACT_LATER, ACT_PASS}},
        .faults = LATE | LAGGING,
        .moves = HORIZON,
        .weight = 7},
    {.name = "late-forward",
        .classes = LOOKUP | BOTH,
        .before = {ACT_RECORD},
        .acts = {{ACT_RUN},
            {ACT_AFTER_SEND, ACT_SET_FORWARD, ACT_RECONCILE, ACT_SET_FORWARD, ACT_RECONCILE}},
        .faults = LATE,
        .moves = LEASE,
        .weight = 7},
    {.name = "late-person",
        .before = {ACT_RECORD},
        .acts = {{ACT_RUN}, {ACT_AFTER_SEND, ACT_SET_FORWARD, ACT_RESOLVE, ACT_RESOLVE}},
        .faults = LATE,
        .moves = LEASE,
        .weight = 7},
    {.name = "dead-person",
        .before = {ACT_RECORD},
        .acts = {{ACT_RUN}, {ACT_AFTER_SEND, ACT_RESOLVE, ACT_RESOLVE}},
        .faults = LATE,
        .moves = LEASE,
        .weight = 7},
    {.name = "halted-before-send",
        .classes = LOOKUP | BOTH,
        .before = {ACT_RECORD},
        .acts = {{ACT_RUN}, {ACT_LATER, ACT_PASS, ACT_LATER, ACT_PASS, ACT_SET_BACK}},
        .faults = LAGGING,
        .moves = BACK,
        .weight = 7},
    {.name = "refused-after-replay",
        .classes = KEYED | BOTH,
        .before = {ACT_RECORD},
        .acts = {{ACT_RUN}, {ACT_AFTER_SEND, ACT_LATER, ACT_RECONCILE, ACT_RECONCILE}},
        .faults = UNREACHABLE | REJECTED,
        .moves = LEASE,
        .weight = 7},
    /* Persons who do not look. */
    {.name = "guess-late-word",
        .before = {ACT_RECORD},
        .acts = {{ACT_RUN}, {ACT_AFTER_SEND, ACT_LATER, ACT_GUESS, ACT_RUN}},
        .faults = LOST | LATE,
        .moves = HORIZON,
        .weight = 3,
        .guesses = true},
    {.name = "guess-retract",
        .before = {ACT_RECORD},
        .acts = {{ACT_HOST},
            {ACT_AFTER_SEND, ACT_LATER, ACT_GUESS, ACT_RETRACT, ACT_EVIDENCE, ACT_RETRACT}},
        .faults = LOST | LATE,
        .moves = HORIZON,
        .weight = 3,
        .guesses = true},
    {.name = "three-run",
        .before = {ACT_RECORD},
        .acts = {{ACT_RUN}, {ACT_RUN}, {ACT_PASS}},
        .moves = LEASE},
    {.name = "three-settle",
        .before = {ACT_RECORD, ACT_SEND_ONLY},
        .acts = {{ACT_RECONCILE}, {ACT_RESOLVE}, {ACT_EVIDENCE, ACT_RUN}},
        .later_ms = STAGE_VISIBLE_MS + 1,
        .moves = HORIZON},
};

const struct scenario *scenario_at(size_t index)
{
    return index < sizeof(scenarios) / sizeof(scenarios[0]) ? &scenarios[index] : NULL;
}

bool scenario_has_class(const struct scenario *scenario, unsigned provider_class)
{
    return scenario->classes == 0 || (scenario->classes & (1U << provider_class)) != 0;
}
