/* SPDX-License-Identifier: MIT */
#include "judge.h"

static void demand(struct play *play, bool holds, const char *promise)
{
    for (int i = 0; i < play->broken_count; i++) {
        if (strcmp(play->broken[i], promise) == 0) {
            return; /* it was said already */
        }
    }
    if (!holds && play->broken_count < PROMISES_MAX) {
        play->broken[play->broken_count++] = promise;
        print_message("    BROKEN %s\n", promise);
    }
}

/* By a worker who never asks a provider while others act: who does may not be called then. */
static void look_into(struct play *play)
{
    struct scene *scene = &play->scene;
    scene->result.size = sizeof(scene->result);
    deed_rc rc = deed_get(scene->workers[READER], SCENE_KEY, &scene->result, &scene->err);
    assert_int_equal(rc, DEED_OK);
}

static bool says_nothing_happened(const struct play *play)
{
    deed_outcome outcome = play->scene.result.outcome;
    bool settled = play->state == DEED_CONFIRMED || play->state == DEED_RECONCILED;
    return settled && outcome != DEED_APPLIED && !play->scene.result.disputed;
}

/* Sends of which nobody has said that they did nothing. */
static unsigned sends_that_count(const struct play *play)
{
    unsigned sends = 0;
    for (int i = 0; i < SLOTS_MAX; i++) {
        const struct slot *slot = &play->slots[i];
        sends += slot->sent && slot->told != DEED_VERDICT_NOT_APPLIED ? 1 : 0;
    }
    return sends;
}

/* Attempts begun since the last settlement, other than `own`, that nobody has spoken for. */
static unsigned others_in_doubt(const struct play *play, int own)
{
    unsigned others = 0;
    for (int i = 0; i < SLOTS_MAX; i++) {
        const struct slot *slot = &play->slots[i];
        bool since = slot->begun && slot->attempt.number > play->settled;
        others += i != own && since && slot->told == DEED_VERDICT_UNKNOWN ? 1 : 0;
    }
    return others;
}

static void judge_state(struct play *play, const struct step *step)
{
    const struct deed_result *is = &play->scene.result;
    bool settled = is->state == DEED_CONFIRMED || is->state == DEED_RECONCILED;
    if (is->state == DEED_CONFIRMED && play->state == DEED_ATTEMPTED) {
        demand(play, others_in_doubt(play, step->slot) == 0, "IB5_confirmed_first_hand");
    }
    if (settled && play->state != is->state) {
        play->settled = is->attempt;
    }
    play->state = is->state;
}

void judge_begin(struct play *play)
{
    look_into(play);
    play->disputed = play->scene.result.disputed;
}

void judge_word(struct play *play, deed_verdict verdict)
{
    play->told_applied = play->told_applied || verdict == DEED_VERDICT_APPLIED;
}

void judge_step(struct play *play, const struct step *step)
{
    bool begins = strcmp(step->verb, "begin") == 0 || strcmp(step->verb, "replay") == 0;
    bool begun = begins && play->slots[step->slot].begun;
    bool was_disputed = play->disputed;
    look_into(play);
    const struct deed_result *is = &play->scene.result;
    judge_state(play, step);
    demand(play, is->outcome != DEED_APPLIED || play->effects > 0, "IB1_applied_needs_an_effect");
    demand(play, !was_disputed || is->disputed, "IB7_only_a_person_ends_a_dispute");
    demand(play, !was_disputed || !begun, "IB7_disputed_begins_nothing");
    play->disputed = is->disputed;
    if (play->trail->class == SCENE_BLIND) {
        demand(play, sends_that_count(play) <= 1 || play->spoken, "IE2_blind_sends_once");
    }
    if (!play->strayed) { /* the provider has kept to what it declares */
        demand(play, play->effects <= 1, "IE1_at_most_one_effect");
        demand(play, !says_nothing_happened(play) || play->effects == 0,
            "IB2_nothing_after_not_applied");
    }
    demand(play, !play->told_applied || is->outcome == DEED_APPLIED, "IB7_late_word_kept");
}

void judge_end(struct play *play)
{
    bool looked = play->trail->class != SCENE_BLIND && play->trail->class != SCENE_KEYED;
    demand(play, !looked || !says_nothing_happened(play) || play->effects == 0,
        "IB8_surprise_is_noticed");
    if (play->broken_count == 0) {
        scene_check(&play->scene);
    }
}

void judge_against_model(struct play *play, const struct step *step)
{
    const struct deed_result *is = &play->scene.result;
    if (!step->tells) {
        return;
    }
    play->compared++;
    if (is->state != step->state || is->outcome != step->outcome ||
        is->disputed != step->disputed) {
        play->differs++;
        print_message("    after step %d, %s: the model knows %s, %s%s, the core %s, %s%s\n",
            play->at, step->text, deed_state_name(step->state), deed_outcome_name(step->outcome),
            step->disputed ? ", disputed" : "", deed_state_name(is->state),
            deed_outcome_name(is->outcome), is->disputed ? ", disputed" : "");
    }
}
