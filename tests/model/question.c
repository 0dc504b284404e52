/* SPDX-License-Identifier: MIT
 *
 * Method: a look is a reconciliation that stands still in the provider's look-up while the steps up to its
 * `write` are played. In the class that can bar a key, of look-up and cancel only the one that the trail
 * is about can tell anything.
 */
#include "judge.h"
#include "world.h"

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
        judge_step(play, play->question);
        judge_against_model(play, play->question);
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

deed_rc play_question(struct play *play, const struct step *step)
{
    if (play->asking >= 0) {
        play->overlaps = true;
        play->at = play->trail->count;
        return DEED_OK;
    }
    play->asking = step->worker;
    play->question = step;
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

void play_questions(struct play *play)
{
    play->asking = -1;
    play->scene.provider.lookup = lookup;
    play->scene.provider.cancel = cancel;
    play->scene.provider.context = play;
}
