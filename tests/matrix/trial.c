/* SPDX-License-Identifier: MIT
 *
 * One trial: the stage on which the program lives and dies, and the verdict.
 *
 * Method: all ways stand on the same simulated disk, send through the same executor and pass the same
 * kind of points, which are the seams around a send and every operation of the disk. A first run without
 * deaths counts the points; a trial dies at one of them. A dead process is a ghost: it unwinds, and
 * nothing it does reaches disk, provider or caller.
 */
#include "matrix.h"

#include <stdlib.h>
#include <string.h>

#include <deed/ext/store.h>
#include <deed/reference.h>
#include <deed/seam.h>

#include "note.h"
#include "support/disk_ledger.h"

#define START_MS  INT64_C(1700000000000)
#define UNITS_MAX 256

const struct way *const ways[WAY_COUNT] = {[WAY_NOTE_FIRST] = &way_note_first,
    [WAY_NAIVE] = &way_naive,
    [WAY_CONTENT_KEY] = &way_content_key,
    [WAY_STABLE_KEY] = &way_stable_key,
    [WAY_DEED] = &way_deed};

const char *trial_key(unsigned intention)
{
    static const char *const keys[MATRIX_INTENTIONS] = {"refund-order-5-1", "refund-order-5-2"};
    return keys[intention];
}

/* ---- points and deaths ------------------------------------------------------------------- */

/* Whether it dies at a point of this zone, the nth of those passed. */
static bool is_hour(const struct trial *trial, bool after, uint32_t passed)
{
    const struct call *call = trial->call;
    bool dies_after = call->death == DEATH_AFTER_EFFECT || call->death == DEATH_OF_POWER;
    return (after ? dies_after : call->death == DEATH_BEFORE_SEND) && call->point == passed;
}

static void die(struct trial *trial)
{
    trial->dead = true;
    trial->met.deaths++;
    if (trial->call->death == DEATH_OF_POWER) {
        deed_disk_cut(trial->disk);
    } else {
        deed_disk_kill(trial->disk, trial->process);
    }
    if (trial->handle != NULL) {
        deed_reference_crash(trial->handle);
    }
}

void trial_point(struct trial *trial)
{
    if (trial->call == NULL || trial->dead || trial->recorded) {
        return;
    }
    bool after = trial->happened;
    if (!after && trial->sends) {
        return; /* it is on its way */
    }
    uint32_t *passed = after ? &trial->after : &trial->before;
    if (is_hour(trial, after, *passed)) {
        die(trial);
    }
    *passed += 1;
}

static void at_seam(void *context, deed_seam seam)
{
    struct trial *trial = context;
    switch ((int)seam) {
    case DEED_SEAM_SEND_ALLOWED: /* the executor below has a point of its own there */
        break;
    case DEED_SEAM_SEND_EFFECT:
        trial->sends = true;
        trial->happened = true;
        trial_point(trial);
        break;
    case DEED_SEAM_FINISH_COMMITTED:
        trial_recorded(trial);
        break;
    default:
        trial_point(trial);
        break;
    }
}

static void at_disk(void *context, const struct deed_disk_event *event)
{
    (void)event;
    trial_point(context);
}

void trial_recorded(struct trial *trial)
{
    trial->recorded = trial->recorded || trial->happened;
}

/* What the power left: everything, nothing, or of each unit what it met by itself. */
static void restart(struct trial *trial)
{
    uint8_t fates[UNITS_MAX];
    uint32_t count = deed_disk_pending(trial->disk);
    if (count > UNITS_MAX) {
        trial_break(trial, "%u units are more than this knows", count);
        return;
    }
    static const uint8_t for_all[] = {DEED_DISK_LOST, DEED_DISK_KEPT, DEED_DISK_NOISE};
    const uint8_t all = for_all[deed_sim_random_below(trial->random, 3)];
    for (uint32_t i = 0; i < count; i++) {
        fates[i] = all != DEED_DISK_NOISE
            ? all
            : (uint8_t)deed_sim_random_below(trial->random, DEED_DISK_GROWN + 1);
        trial->met.units_lost += fates[i] != DEED_DISK_KEPT ? 1U : 0U;
    }
    trial->met.power_losses++;
    deed_disk_restart(trial->disk, fates, count);
    deed_sim_clock_reboot(trial->clock, 1000);
}

/* ---- the course of a trial --------------------------------------------------------------- */

/* What is due lands, whether or not anybody asks the provider. */
void trial_wait(struct trial *trial, int64_t wait_ms)
{
    struct deed_instant now = {.wall_ms = 0};
    const struct deed_clock *clock = deed_sim_clock_true(trial->clock);
    deed_sim_clock_advance(trial->clock, wait_ms);
    (void)clock->now(clock->self, &now);
    if (deed_world_deliver(trial->world, now.wall_ms, NULL, NULL) != DEED_OK) {
        trial_break(trial, "the world does not go on");
    }
}

static bool set_up(struct trial *trial, uint64_t seed)
{
    trial->call = NULL;
    trial->dead = trial->happened = false;
    trial->sent_count = 0;
    trial->process++;
    memset(trial->beliefs, 0, sizeof(trial->beliefs));
    deed_sim_random_free(trial->random);
    trial->random = NULL;
    deed_sim_clock_reset(trial->clock, START_MS);
    if (deed_sim_random_new(seed + 1, &trial->random, NULL) != DEED_OK ||
        deed_disk_become(trial->disk, trial->blank, NULL) != DEED_OK ||
        deed_world_become(trial->world, trial->empty, NULL) != DEED_OK || !trial_dress(trial)) {
        trial_break(trial, "no memory for a trial");
        return false;
    }
    deed_disk_seed(trial->disk, seed + 1);
    return trial->way->begin == NULL || trial->way->begin(trial);
}

static void live(struct trial *trial, const struct call *call)
{
    trial->call = call;
    trial->dead = trial->sends = trial->recorded = false;
    trial->before = trial->after = 0;
    deed_disk_enter(trial->disk, trial->process);
    trial->way->live(trial);
    if (!trial->dead && call->death != DEATH_NONE) {
        die(trial);
    }
    trial->call = NULL;
    if (trial->dead) {
        if (call->death == DEATH_OF_POWER) {
            restart(trial);
        }
        trial->dead = false;
        trial->process++;
    }
    trial_wait(trial, call->pause_ms);
    trial->happened = deed_world_effects(trial->world, NULL) > 0;
}

/* The next intention nobody has claimed anything about. */
static bool is_open(const struct trial *trial, unsigned *intention_out)
{
    for (unsigned i = 0; i < trial->plan.intentions; i++) {
        if (trial->beliefs[i].said == SAID_NOTHING) {
            *intention_out = i;
            return true;
        }
    }
    return false;
}

static void play(struct trial *trial)
{
    unsigned intention = 0;
    for (unsigned i = 0; i < MATRIX_CALLS; i++) {
        if (i < trial->plan.count) {
            live(trial, &trial->plan.calls[i]);
            continue;
        }
        if (!is_open(trial, &intention)) {
            break;
        }
        const struct call calm = {.intention = intention,
            .draft = trial->plan.anew ? i : 0,
            .pause_ms = MATRIX_ANSWER_MS};
        live(trial, &calm);
    }
    if (trial->way->settle != NULL) {
        trial->way->settle(trial);
    }
    while (is_open(trial, &intention)) { /* it gives up, and says that it has failed */
        trial_claim(trial, intention, SAID_FAILED, false);
    }
    trial_wait(trial, MATRIX_REACH_MS);
}

/* The points of the first call, by a run in which it does not die. */
static bool count_points(struct trial *trial, enum way_number way)
{
    const struct call calm = {.death = DEATH_NONE};
    struct points *points = &trial->points[way][trial->provider_class][trial->on_disk];
    if (points->counted) {
        return true;
    }
    trial->plan = (struct plan){.intentions = 1};
    if (!set_up(trial, 0)) {
        return false;
    }
    live(trial, &calm);
    *points = (struct points){true, trial->before, trial->after};
    if (trial->before == 0 || trial->after == 0) {
        trial_break(trial, "there is no point to die at");
    }
    return trial->broken[0] == '\0';
}

bool trial_run(struct trial *trial, enum way_number way, deed_provider_class provider_class,
    enum situation situation, bool anew, uint64_t seed, struct verdicts *verdicts_out)
{
    trial->way = ways[way];
    trial->provider_class = provider_class;
    trial->on_disk = trial->all_on_disk || situation == SITUATION_POWER_LOSS;
    trial->broken[0] = '\0';
    const struct points *points = &trial->points[way][provider_class][trial->on_disk];
    if (!count_points(trial, way)) {
        return false;
    }
    if (!situation_draw(situation, anew, seed, &trial->plan) || !set_up(trial, seed)) {
        trial_break(trial, "no memory for a trial");
        return false;
    }
    for (unsigned i = 0; i < trial->plan.count; i++) {
        struct call *call = &trial->plan.calls[i];
        call->point %= call->death == DEATH_BEFORE_SEND ? points->before : points->after;
    }
    play(trial);
    *verdicts_out = trial_judge(trial);
    return trial->broken[0] == '\0';
}

/* ---- making one -------------------------------------------------------------------------- */

bool trial_new(struct trial *trial)
{
    memset(trial, 0, sizeof(*trial));
    bool made = deed_sim_clock_new(START_MS, &trial->clock, NULL) == DEED_OK &&
        deed_world_new(&trial->world, NULL) == DEED_OK &&
        deed_world_new(&trial->empty, NULL) == DEED_OK;
    trial->disk = disk_ledger_new(NULL);
    made = made && note_put(trial->disk) &&
        deed_disk_copy(trial->disk, &trial->blank, NULL) == DEED_OK;
    deed_disk_watch(trial->disk, at_disk, trial);
    deed_seam_hook_set(at_seam, trial);
    return made;
}

void trial_free(struct trial *trial)
{
    deed_seam_hook_set(NULL, NULL);
    for (unsigned i = 0; i < MATRIX_CLASSES; i++) {
        for (unsigned road = 0; road < ROAD_COUNT; road++) {
            deed_mock_executor_free(trial->mocks[i][road]);
        }
    }
    if (trial->memory != NULL) {
        trial->memory->close(trial->memory->self);
    }
    deed_sim_random_free(trial->random);
    deed_disk_free(trial->disk);
    deed_disk_free(trial->blank);
    deed_world_close(trial->empty);
    deed_world_close(trial->world);
    deed_sim_clock_free(trial->clock);
}
