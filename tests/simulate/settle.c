/* SPDX-License-Identifier: MIT
 *
 * Faults have stopped. Passes and runs while time goes by; then a person, who looks at the world and
 * tells the truth. Everything ends, or a promise is broken (IL1, IL2).
 */
#include "schedule.h"

#define ROUNDS_MAX 24

static bool is_at_an_end(const struct deed_result *result)
{
    bool settled = result->state == DEED_CONFIRMED || result->state == DEED_RECONCILED;
    return settled && result->outcome != DEED_NOT_APPLIED && !result->disputed && !result->held;
}

static deed_rc get(struct stage *stage, struct deed_result *result)
{
    struct deed_error err = {.text = ""};
    deed_rc rc = deed_get(stage->hands[0].ledger, STAGE_KEY, result, &err);
    if (rc != DEED_OK && rc != DEED_E_NOT_FOUND) {
        stage_break(stage, "IM1: it cannot be read: %s", err.text);
    }
    return rc;
}

static void decide(struct stage *stage, const struct deed_result *result)
{
    struct hand *hand = &stage->hands[0];
    switch ((int)result->reason) {
    case DEED_REASON_HELD:
        hand_act(hand, ACT_RELEASE);
        break;
    case DEED_REASON_EXHAUSTED:
    case DEED_REASON_RETRY_BY_NAME:
        hand_act(hand, ACT_RETRACT);
        break;
    default:
        hand_act(hand, ACT_RESOLVE);
        break;
    }
}

/* A person decides, or a pass and a run of what is due. */
static void act_once(struct stage *stage, const struct deed_result *result, unsigned round)
{
    struct hand *hand = &stage->hands[0];
    if (result->needs_person && round > 3) {
        if (stage->provider_class == DEED_CLASS_BLIND && result->uncertain) {
            stage_mark(stage, MARK_UNCERTAIN_BLIND);
        }
        decide(stage, result);
        return;
    }
    bool waits = result->state == DEED_ATTEMPTED || result->due_ms != 0;
    hand_act(hand, ACT_PASS);
    if (!waits || round > 0) {
        hand_act(hand, ACT_RUN_DUE);
    }
}

void stage_settle(struct stage *stage)
{
    /* At last a year and more: a wait that began while a clock was wrong ends when the clock is there
     * again. */
    static const int64_t passing_ms[] = {0, STAGE_LEASE_MS + 100, STAGE_VISIBLE_MS, STAGE_WINDOW_MS,
        STAGE_VISIBLE_MS, STAGE_VISIBLE_MS, STAGE_VISIBLE_MS, STAGE_WINDOW_MS, STAGE_WINDOW_MS,
        STAGE_WINDOW_MS, INT64_C(400) * 86400 * 1000};
    const unsigned last = sizeof(passing_ms) / sizeof(passing_ms[0]) - 1;
    deed_sim_clock_stand(stage->clock, false);
    for (unsigned round = 0; round < ROUNDS_MAX && stage->broken[0] == '\0'; round++) {
        struct deed_result result = {.size = sizeof(result)};
        deed_sim_clock_advance(stage->clock, passing_ms[round < last ? round : last]);
        if (get(stage, &result) == DEED_E_NOT_FOUND || is_at_an_end(&result)) {
            judge_end(stage, true);
            return;
        }
        act_once(stage, &result, round);
    }
    if (stage->broken[0] == '\0') {
        struct deed_result result = {.size = sizeof(result)};
        (void)get(stage, &result);
        stage_break(stage, "IL1: it never ends: %s, %s, %s", deed_state_name(result.state),
            deed_outcome_name(result.outcome), deed_reason_name(result.reason));
    }
}
