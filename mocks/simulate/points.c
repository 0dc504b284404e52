/* SPDX-License-Identifier: MIT
 *
 * Points: where a death would leave something behind that no death elsewhere leaves. Operations of
 * the disk that somebody else could see, seams of deed, and the boundary of the program's own
 * provider.
 */
#include "simulate/simulate.h"

#include <stdlib.h>
#include <string.h>

#include <deed/ext/error.h>
#include <deed/seam.h>

#include "mix.h"

/* Enough for a story: more deaths are the same story again. */
#define POINTS_MAX 100000

/* ---- dying ------------------------------------------------------------------------------- */

/* World and time stand still for whoever comes after; the disk refuses the ghost by itself. */
static void die(struct deed_crash__run *run, enum deed_crash__death death, const char *site)
{
    struct deed_crash__stage *stage = run->stage;
    run->death = death;
    run->deaths++;
    run->died_question = deed_choices_asked(run->choices);
    run->marks |= death == DEED_CRASH__KILLED ? DEED_CRASH__BIT(KILLED) : DEED_CRASH__BIT(POWERED);
    run->marks |= run->deaths > 1 ? DEED_CRASH__BIT(DIED_TWICE) : 0;
    run->marks |= strncmp(site, "checkpoint.", 11) == 0 ? DEED_CRASH__BIT(CHECKPOINTED) : 0;
    deed_sim_clock_become(stage->frozen_clock, stage->clock);
    deed_rc rc = deed_world_become(stage->frozen_world, stage->world, &run->err);
    if (rc != DEED_OK) {
        (void)deed_crash__fail(run, rc);
    }
    if (run->timeline != NULL) {
        deed_crash__timeline_tell(run->timeline, deed_crash__now(stage), DEED_CRASH__COLUMN_ALL,
            death == DEED_CRASH__KILLED ? "the process dies before %s"
                                        : "the power fails before %s",
            site);
    }
    if (death == DEED_CRASH__KILLED) {
        deed_disk_kill(stage->disk, run->process);
    } else {
        deed_disk_cut(stage->disk);
    }
}

static bool note_point(struct deed_crash__run *run, const char *site)
{
    struct deed_crash__points *points = run->points;
    if (points->count == points->room) {
        size_t room = points->room * 2 + 64;
        struct deed_crash__point *items =
            points->count >= POINTS_MAX ? NULL : realloc(points->items, room * sizeof(*items));
        if (items == NULL) {
            (void)deed_error_set(&run->err, DEED_E_NOMEM, DEED_CRASH__ORIGIN,
                "no memory for more points; a life of more than %d cannot be tried", POINTS_MAX);
            return deed_crash__fail(run, DEED_E_NOMEM);
        }
        points->items = items;
        points->room = room;
    }
    points->items[points->count++] = (struct deed_crash__point){
        .question = deed_choices_asked(run->choices), .site = site, .life = run->life.start};
    return true;
}

static bool watch(struct deed_crash__run *run)
{
    run->counts = false; /* what the kit does itself is no point */
    bool holds = deed_crash__watch_sends(run);
    run->counts = true;
    return holds;
}

void deed_crash__point(struct deed_crash__run *run, const char *site)
{
    if (!run->counts || run->death != DEED_CRASH__LIVES) {
        return;
    }
    struct deed_crash__stage *stage = run->stage;
    stage->trace = deed__hash_text(stage->trace, site);
    if (run->watches && !watch(run)) {
        return;
    }
    if (run->timeline != NULL) {
        deed_crash__timeline_world(run->timeline, stage->world, deed_crash__now(stage));
    }
    if (run->choices == NULL || run->deaths >= run->deaths_max) {
        return;
    }
    uint32_t answer =
        deed_choose(run->choices, DEED_PURPOSE_CRASH, site, run->setup->kills_only ? 2 : 3);
    if (run->points != NULL && !note_point(run, site)) {
        return;
    }
    if (answer != 0) {
        die(run, answer == 1 ? DEED_CRASH__KILLED : DEED_CRASH__POWERED, site);
    }
}

/* ---- hooks ------------------------------------------------------------------------------- */

/* "write.log": trails keep the word, so it has to live for ever. */
static const char *site_of(const struct deed_disk_event *event)
{
    static const char *const sites[DEED_DISK_OPERATION_COUNT][4] = {
        [DEED_DISK_WRITE] = {"write.ledger", "write.log", "write.journal", "write.file"},
        [DEED_DISK_TRUNCATE] = {"truncate.ledger", "truncate.log", "truncate.journal",
            "truncate.file"},
        [DEED_DISK_SYNC] = {"sync.ledger", "sync.log", "sync.journal", "sync.file"},
        [DEED_DISK_CREATE] = {"create.ledger", "create.log", "create.journal", "create.file"},
        [DEED_DISK_DELETE] = {"delete.ledger", "delete.log", "delete.journal", "delete.file"},
    };
    size_t length = strlen(event->path);
    int file = 3;
    if (strcmp(event->path, DEED_CRASH__LEDGER) == 0) {
        file = 0;
    } else if (length > 4 && strcmp(event->path + length - 4, "-wal") == 0) {
        file = 1;
    } else if (length > 8 && strcmp(event->path + length - 8, "-journal") == 0) {
        file = 2;
    }
    return sites[event->operation][file];
}

static void visit_disk(void *context, const struct deed_disk_event *event)
{
    struct deed_crash__run *run = context;
    if (!run->counts || run->death != DEED_CRASH__LIVES) {
        return;
    }
    const char *site = site_of(event);
    struct deed_crash__stage *stage = run->stage;
    const int64_t what[] = {event->offset, event->bytes};
    stage->trace = deed__hash(stage->trace, what, sizeof(what));
    deed_crash__point(run, site);
    if (run->timeline != NULL && run->death == DEED_CRASH__LIVES) {
        deed_crash__timeline_tell(run->timeline, deed_crash__now(stage), DEED_CRASH__COLUMN_DISK,
            "%s %lld@%lld", site, (long long)event->bytes, (long long)event->offset);
    }
}

static bool is_commit(deed_seam seam)
{
    switch ((int)seam) {
    case DEED_SEAM_RECORD_COMMITTED:
    case DEED_SEAM_ATTEMPT_DURABLE:
    case DEED_SEAM_FINISH_COMMITTED:
    case DEED_SEAM_RECONCILE_COMMITTED:
    case DEED_SEAM_REPLAY_DURABLE:
    case DEED_SEAM_PERSON_COMMITTED:
    case DEED_SEAM_EVIDENCE_COMMITTED:
        return true;
    default:
        return false;
    }
}

/* The provider is being asked, or has just been. */
static bool is_outside(deed_seam seam)
{
    return seam == DEED_SEAM_SEND_ALLOWED || seam == DEED_SEAM_SEND_EFFECT ||
        seam == DEED_SEAM_PASS_BEFORE_LOOK || seam == DEED_SEAM_PASS_AFTER_LOOK;
}

static void visit_seam(void *context, deed_seam seam)
{
    struct deed_crash__run *run = context;
    if (!run->counts || run->death != DEED_CRASH__LIVES) {
        return;
    }
    if (run->timeline != NULL) {
        deed_crash__timeline_tell(run->timeline, deed_crash__now(run->stage),
            DEED_CRASH__COLUMN_LEDGER, "%s", deed_seam_name(seam));
    }
    if ((run->tells && is_commit(seam)) || (run->watches && is_outside(seam))) {
        run->counts = false;
        bool holds = is_commit(seam) ? deed_crash__watch_told(run) : deed_crash__watch_locks(run);
        run->counts = true;
        if (!holds) {
            return;
        }
    }
    deed_crash__point(run, deed_seam_name(seam));
}

void deed_crash__hook(struct deed_crash__run *run)
{
    run->counts = true;
    deed_seam_hook_set(visit_seam, run);
    deed_disk_watch(run->stage->disk, visit_disk, run);
}

void deed_crash__unhook(struct deed_crash__run *run)
{
    run->counts = false;
    deed_seam_hook_set(NULL, NULL);
    deed_disk_watch(run->stage->disk, NULL, NULL);
}
