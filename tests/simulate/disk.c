/* SPDX-License-Identifier: MIT
 *
 * The same stage on a simulated disk: each call of SQLite to its file system is a place, a killed
 * process becomes a ghost, and whoever finds a lock taken waits until somebody else has gone on.
 */
#include "schedule.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <deed/sqlite.h>

#define LEDGER "/schedules/ledger"

static void at_call(void *context, const char *call)
{
    struct stage *stage = context;
    struct hand *hand = stage_present(stage);
    if (hand->number == 0 || hand->ghost) {
        return;
    }
    if (strcmp(call, "sleep") == 0 && !stage->looking) {
        bool was_quiet =
            stage->quiet; /* a person who speaks in one go waits for a lock all the same */
        stage->quiet = false;
        deed_workers_wait(stage->workers, "disk.busy");
        disk_enter(stage, hand->number);
        stage->quiet = was_quiet;
        return;
    }
    if (stage->quiet) {
        return;
    }
    stage_place(stage, call);
}

static void at_event(void *context, const struct deed_disk_event *event)
{
    at_call(context, deed_disk_operation_name(event->operation));
}

void disk_enter(struct stage *stage, unsigned number)
{
    if (stage->disk != NULL) {
        deed_disk_enter(stage->disk, number + 1);
    }
}

void disk_kill(struct stage *stage, unsigned number)
{
    deed_disk_kill(stage->disk, number + 1);
}

static bool put_file(struct stage *stage, const char *path)
{
    FILE *in = fopen(path, "rb");
    static char bytes[1 << 20];
    size_t count = in != NULL ? fread(bytes, 1, sizeof(bytes), in) : 0;
    if (in != NULL) {
        (void)fclose(in);
    }
    return count > 0 && count < sizeof(bytes) &&
        deed_disk_put(stage->fresh, LEDGER, bytes, count, NULL) == DEED_OK;
}

/* With all that lies beside it. */
static void remove_ledger(const char *path)
{
    static const char *const ends[] = {"", "-wal", "-shm", "-owners", "-journal"};
    char whole[600];
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        (void)snprintf(whole, sizeof(whole), "%s%s", path, ends[i]);
        (void)unlink(whole);
    }
}

static bool make_ledger(struct stage *stage, const char *path)
{
    struct deed_store *store = NULL;
    const struct deed_options options = {
        .size = sizeof(options), .clock = deed_sim_clock_machine(stage->clock)};
    struct deed_error err = {.text = ""};
    remove_ledger(path);
    if (deed_sqlite_create(path, NULL, &err) != DEED_OK ||
        deed_sqlite_open(path, NULL, &store, &err) != DEED_OK) {
        (void)fprintf(stderr, "%s\n", err.text);
        return false;
    }
    bool made = deed_ledger_init(store, "schedules", true, &options, &err) == DEED_OK;
    store->close(store->self);
    return made;
}

bool disk_new(struct stage *stage, const char *folder)
{
    char path[512];
    const struct deed_disk_options options = {
        .size = sizeof(options), .clock = deed_sim_clock_machine(stage->clock)};
    (void)snprintf(path, sizeof(path), "%s/schedules.deed", folder);
    bool made = deed_disk_new(&options, &stage->disk, NULL) == DEED_OK &&
        deed_disk_new(&options, &stage->fresh, NULL) == DEED_OK && make_ledger(stage, path) &&
        put_file(stage, path);
    remove_ledger(path);
    return made;
}

void disk_free(struct stage *stage)
{
    deed_disk_free(stage->disk);
    deed_disk_free(stage->fresh);
}

bool disk_begin(struct stage *stage)
{
    deed_disk_watch(stage->disk, NULL, NULL);
    deed_disk_watch_all(stage->disk, NULL, NULL);
    deed_disk_restart(stage->disk, NULL, 0); /* the ghosts of before are gone */
    if (deed_disk_become(stage->disk, stage->fresh, NULL) != DEED_OK) {
        stage_break(stage, "no empty disk");
        return false;
    }
    deed_disk_watch(stage->disk, at_event, stage);
    deed_disk_watch_all(stage->disk, at_call, stage);
    return true;
}

bool disk_open(struct stage *stage, unsigned number, struct deed_store **store_out)
{
    const struct deed_sqlite_options options = {
        .size = sizeof(options), .vfs = deed_disk_vfs(stage->disk), .random = &stage->source};
    struct deed_error err = {.text = ""};
    disk_enter(stage, number);
    if (deed_sqlite_open(LEDGER, &options, store_out, &err) != DEED_OK) {
        stage_break(stage, "the file does not open: %s", err.text);
        return false;
    }
    return true;
}

void disk_end(struct stage *stage)
{
    stage->quiet = true;
    for (unsigned i = 0; i <= STAGE_WORKERS; i++) {
        struct hand *hand = &stage->hands[i];
        disk_enter(stage, i);
        deed_ledger_close(hand->ledger);
        if (hand->store != NULL) {
            hand->store->close(hand->store->self);
        }
        hand->ledger = NULL;
        hand->store = NULL;
    }
    deed_ledger_close(stage->witness); /* and its store */
    stage->witness = NULL;
    stage->quiet = false;
}
