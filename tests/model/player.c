/* SPDX-License-Identifier: MIT
 *
 * Method: a step of the trail is one call of a worker by hand (begin, may_send, finish), one event of the
 * world, or a tick. Looks are in question.c.
 */
#include "player.h"

#include "judge.h"
#include "world.h"

static const uint8_t lost_token[DEED_TOKEN_BYTES] = "of a lost time!";

/* ---- attempts --------------------------------------------------------------------------------- */

static deed_rc begin(struct play *play, const struct step *step)
{
    struct slot *slot = &play->slots[step->slot];
    bool replay = strcmp(step->verb, "replay") == 0;
    uint32_t flags = replay ? DEED_BEGIN_REPLAY : DEED_BEGIN_BY_NAME;
    judge_begin(play);
    deed_rc rc = scene_begin(&play->scene, step->worker, flags, &slot->attempt);
    if (rc == DEED_OK) {
        slot->begun = true;
        slot->began = play->tick;
        slot->worker = step->worker;
        (void)world_key(play, slot->attempt.provider_key);
    }
    return rc;
}

/* `send` and `too-late` alike: the ledger says which it is. */
static deed_rc send(struct play *play, const struct step *step)
{
    struct slot *slot = &play->slots[step->slot];
    if (!slot->begun) {
        return DEED_E_NO_STEP;
    }
    deed_rc rc =
        deed_may_send(play->scene.workers[slot->worker], slot->attempt.token, &play->scene.err);
    slot->sent = rc == DEED_OK;
    slot->copies = rc == DEED_OK ? 1 : 0;
    slot->told = rc == DEED_E_TOO_LATE ? DEED_VERDICT_NOT_APPLIED : slot->told;
    return rc == DEED_E_TOO_LATE && strcmp(step->verb, "too-late") == 0 ? DEED_OK : rc;
}

/* The answer of the provider, as far as the trail lets it through. */
static deed_rc tell(struct play *play, const struct step *step, int worker)
{
    struct slot *slot = &play->slots[step->slot];
    bool heard = strcmp(step->what, "unknown") != 0;
    deed_verdict verdict = heard ? slot->reply : DEED_VERDICT_UNKNOWN;
    bool lost = !slot->begun && slot->reply != DEED_VERDICT_UNKNOWN;
    if (!slot->sent && !lost) {
        return DEED_E_NO_STEP;
    }
    slot->told = verdict == DEED_VERDICT_UNKNOWN ? slot->told : verdict;
    play->scene.provider.stored_first = slot->first;
    judge_word(play, verdict);
    return scene_finish_token(
        &play->scene, worker, lost ? lost_token : slot->attempt.token, verdict);
}

static deed_rc lapse(struct play *play, const struct step *step)
{
    const struct slot *slot = &play->slots[step->slot];
    if (slot->begun) {
        scene_owner_dies(&play->scene, slot->worker);
    }
    return slot->begun ? DEED_OK : DEED_E_NO_STEP;
}

/* ---- a person ----------------------------------------------------------------------------------- */

/* Who looks now sees the world as it is, and says nothing else. */
static deed_rc decide(struct play *play, const struct step *step)
{
    struct scene *scene = &play->scene;
    bool affirms = strcmp(step->what, "applied") == 0;
    bool lifts = strcmp(step->what, "lifts") == 0;
    bool retracts = strcmp(step->what, "retracted") == 0; /* gives up, and says nothing */
    if (!retracts && affirms != (play->effects > 0)) {
        return DEED_E_NO_STEP;
    }
    deed_rc rc = DEED_OK;
    if (lifts) {
        scene_fence(scene, false);
    } else if (retracts) {
        rc = scene_retract(scene, READER);
    } else {
        rc = scene_resolve(scene, READER, affirms ? DEED_APPLIED : DEED_NOT_APPLIED);
    }
    play->spoken = play->spoken || rc == DEED_OK;
    play->told_applied = play->told_applied && rc != DEED_OK;
    play->disputed = play->disputed && rc != DEED_OK;
    return rc;
}

/* ---- the world ---------------------------------------------------------------------------------- */

static deed_rc restored(struct play *play, struct slot *slot)
{
    scene_fence(&play->scene, true);
    slot->copies = 1;
    return DEED_OK;
}

static deed_rc change_world(struct play *play, const struct step *step)
{
    struct slot *slot = &play->slots[step->slot < 0 ? 0 : step->slot];
    if (strcmp(step->verb, "tick") == 0) {
        scene_advance(&play->scene, TICK_MS);
        world_tick(play);
        return DEED_OK;
    }
    if (strcmp(step->verb, "restored") == 0) {
        return restored(play, slot);
    }
    if (strcmp(step->verb, "land") == 0) {
        return world_land(play, slot, step->what) ? DEED_OK : DEED_E_NO_STEP;
    }
    slot->stray = slot->stray || strcmp(step->verb, "stray") == 0;
    slot->copies += strcmp(step->verb, "double") == 0 && slot->copies > 0 ? 1 : 0;
    return DEED_OK;
}

/* ---- playing -------------------------------------------------------------------------------------- */

static deed_rc take(struct play *play, const struct step *step)
{
    const char *verb = step->verb;
    if (strcmp(verb, "begin") == 0 || strcmp(verb, "replay") == 0) {
        return begin(play, step);
    }
    if (strcmp(verb, "send") == 0 || strcmp(verb, "too-late") == 0) {
        return send(play, step);
    }
    if (strcmp(verb, "word") == 0 || strcmp(verb, "late") == 0) {
        return tell(play, step, step->worker < 0 ? READER : step->worker);
    }
    if (strcmp(verb, "ask") == 0 || strcmp(verb, "bar") == 0) {
        return play_question(play, step);
    }
    if (strcmp(verb, "crash") == 0) {
        scene_restart(&play->scene, step->worker);
        return DEED_OK;
    }
    if (strcmp(verb, "lapse") == 0) {
        return lapse(play, step);
    }
    if (strcmp(verb, "person") == 0) {
        return decide(play, step);
    }
    return strcmp(verb, "write") == 0 ? DEED_OK : change_world(play, step);
}

void play_step(struct play *play, const struct step *step)
{
    deed_rc rc = take(play, step);
    if (rc != DEED_OK && step->text[0] != '(') {
        play->refused++;
        print_message("    %-24s refused: %s\n", step->text,
            rc == DEED_E_NO_STEP ? "there is nothing it could be done to" : play->scene.err.text);
    }
    judge_step(play, step);
    bool asked = strcmp(step->verb, "ask") == 0 || strcmp(step->verb, "bar") == 0;
    if (!asked && !play->overlaps) { /* of a question it was compared when it went out */
        judge_against_model(play, step);
    }
}

static void open_scene(struct play *play)
{
    struct scene *scene = &play->scene;
    scene_prepare(scene, play->trail->class);
    scene->profile.send_ms = TICK_MS / 2;
    scene->profile.answer_ms = 1000 * TICK_MS; /* a lease lapses where the trail says so */
    scene->profile.landing_ms = TICK_MS;
    scene->profile.stored_errors = play->trail->stores;
    scene->profile.prefers_wait = true; /* replays are steps of their own */
    scene->profile.second_look_ms[0] = TICK_MS;
    scene->profile.second_look_ms[1] = TICK_MS;
    if (world_keyed(play)) {
        scene->profile.window_ms = WINDOW * TICK_MS;
    }
    play_questions(play);
    scene_open(scene);
}

/* What is on its way lands, if it may; and where looks are due, somebody looks. */
static void finish_story(struct play *play)
{
    static const struct step looks[] = {
        {.text = "(tick)", .verb = "tick", .worker = -1, .slot = -1},
        {.text = "(ask w1)", .verb = "ask", .worker = 1, .slot = -1},
    };
    for (int i = 0; i < SLOTS_MAX; i++) {
        while (world_land(play, &play->slots[i], "effect")) {
            judge_step(play, &(struct step){.text = "(the rest lands)", .worker = -1, .slot = -1});
        }
    }
    for (int i = 0; play->trail->lies && i < 4; i++) {
        play_step(play, &looks[i % 2]);
    }
    judge_end(play);
}

void play_trail(struct play *play, const struct trail *trail)
{
    memset(play, 0, sizeof(*play));
    play->trail = trail;
    play->state = DEED_RECORDED;
    open_scene(play);
    while (play->at < trail->count) {
        const struct step *step = &trail->steps[play->at++];
        play_step(play, step);
    }
    finish_story(play);
}

void play_end(struct play *play)
{
    scene_end(&play->scene);
}
