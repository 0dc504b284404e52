/* SPDX-License-Identifier: MIT
 *
 * Method: a step of the trail is one call of a worker by hand (begin, may_send, finish), one event of the
 * world, or a tick. A look is a reconciliation that stands still in the provider's look-up while the
 * steps up to its `write` are played.
 */
#include "player.h"

#include "judge.h"
#include "world.h"

static const uint8_t lost_token[DEED_TOKEN_BYTES] = "of a lost time!";

static void play_step(struct play *play, const struct step *step);

/* ---- looks ------------------------------------------------------------------------------------ */

static void find(struct play *play, const char *key, struct deed_finding *finding)
{
    const struct kept_key *asked = world_key(play, key);
    const struct kept_key *lost = play->slots[0].begun ? NULL : &play->keys[0];
    bool here = asked->effects > 0 || (lost != NULL && lost->effects > 0);
    bool present = play->shown > 0 && here;
    finding->kind = present ? DEED_FOUND_PRESENT : DEED_FOUND_ABSENT;
    finding->kind = play->bars && !present ? DEED_FOUND_CLOSED : finding->kind;
    finding->count = present ? play->shown : 0;
    finding->complete = true;
    finding->marker_matches = true;
    finding->digest_matches = true;
}

/* The question is answered by the world as it is now; before the answer is written, others act. */
static void stand_still(struct play *play)
{
    if (play->bars) {
        world_bar(play);
        play->shown = play->effects;
    }
    while (play->at < play->trail->count) {
        const struct step *step = &play->trail->steps[play->at];
        bool mine = step->worker == play->asking;
        if (mine && strcmp(step->verb, "write") == 0) {
            break;
        }
        if (mine && strcmp(step->verb, "crash") == 0) { /* it never writes */
            play->scene.faults[play->asking].commits = 1000;
            play->scene.faults[play->asking].recoveries = 1000;
            play->dead = true;
            break;
        }
        play->at++;
        play_step(play, step);
    }
}

static void answer(struct play *play, const struct deed_question *question, bool bars,
    struct deed_finding *finding)
{
    if (play->asking < 0 || play->bars != bars) {
        return; /* of another step of settling than the trail is about: it could not tell */
    }
    if (play->scene.provider.looks == 0) {
        play->scene.provider.looks = 1;
        stand_still(play);
    }
    find(play, question->provider_key, finding);
}

static void lookup(
    struct scene *scene, const struct deed_question *question, struct deed_finding *finding)
{
    scene->provider.looks--; /* the scene has counted it; here it is one for all keys */
    answer(scene->provider.context, question, false, finding);
}

static void cancel(
    struct scene *scene, const struct deed_question *question, struct deed_finding *finding)
{
    answer(scene->provider.context, question, true, finding);
}

static deed_rc ask(struct play *play, const struct step *step)
{
    if (play->asking >= 0) {
        fail_msg("%s: two questions are out at once, and one thread plays them", step->text);
    }
    play->asking = step->worker;
    play->bars = strcmp(step->verb, "bar") == 0;
    play->shown = world_shows(play, step->what);
    play->scene.provider.looks = 0;
    play->dead = false;
    deed_rc rc = scene_reconcile(&play->scene, step->worker);
    play->asking = -1;
    if (play->dead) {
        scene_restart(&play->scene, step->worker);
    }
    return play->scene.provider.looks == 0 ? DEED_E_NO_STEP : play->dead ? DEED_OK : rc;
}

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
    if (affirms != (play->effects > 0)) {
        return DEED_E_NO_STEP;
    }
    deed_rc rc = DEED_OK;
    if (lifts) {
        scene_fence(scene, false);
    } else if (strcmp(step->what, "retracted") == 0) {
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
        return tell(play, step, step->worker < 0 ? 0 : step->worker);
    }
    if (strcmp(verb, "ask") == 0 || strcmp(verb, "bar") == 0) {
        return ask(play, step);
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

static void play_step(struct play *play, const struct step *step)
{
    deed_rc rc = take(play, step);
    if (rc != DEED_OK && step->text[0] != '(') {
        play->refused++;
        print_message("    %-24s refused: %s\n", step->text,
            rc == DEED_E_NO_STEP ? "there is nothing it could be done to" : play->scene.err.text);
    }
    judge_step(play, step);
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
    scene->provider.lookup = lookup;
    scene->provider.cancel = cancel;
    scene->provider.context = play;
    scene_open(scene);
}

/* What is on its way lands, if it may; and where looks are due, somebody looks. */
static void finish_story(struct play *play)
{
    static const struct step looks[] = {
        {.text = "(tick)", .verb = "tick", .worker = -1, .slot = -1},
        {.text = "(ask w2)", .verb = "ask", .worker = READER, .slot = -1},
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
    play->asking = -1;
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
