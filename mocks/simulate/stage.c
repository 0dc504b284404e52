/* SPDX-License-Identifier: MIT
 *
 * The stage: what processes leave behind.
 */
#include "simulate/simulate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sqlite3.h>

#include <deed/ext/error.h>
#include <deed/ext/store.h>
#include <deed/sqlite.h>

#include "mix.h"

/* Days from the Julian epoch, in which SQLite counts, to 1970, in milliseconds. */
#define JULIAN_TO_UNIX_MS INT64_C(210866760000000)

/* ---- what was told ----------------------------------------------------------------------- */

static bool make_room(struct deed_crash__words *words, size_t room)
{
    if (room <= words->room) {
        return true;
    }
    struct deed_crash__word *items = realloc(words->items, (room + 8) * sizeof(*items));
    if (items == NULL) {
        return false;
    }
    words->items = items;
    words->room = room + 8;
    return true;
}

bool deed_crash__words_copy(struct deed_crash__words *words, const struct deed_crash__words *of)
{
    if (!make_room(words, of->count)) {
        return false;
    }
    if (of->count > 0) {
        memcpy(words->items, of->items, of->count * sizeof(*of->items));
    }
    words->count = of->count;
    return true;
}

bool deed_crash__words_put(struct deed_crash__words *words, const struct deed_crash__word *word)
{
    size_t at = 0;
    while (at < words->count && strcmp(words->items[at].key, word->key) != 0) {
        at++;
    }
    if (at == words->count) {
        if (!make_room(words, at + 1)) {
            return false;
        }
        words->count++;
    }
    words->items[at] = *word;
    return true;
}

uint64_t deed_crash__words_hash(const struct deed_crash__words *words)
{
    uint64_t hash = words->count;
    for (size_t i = 0; i < words->count; i++) {
        const struct deed_crash__word *word = &words->items[i];
        hash = deed__hash_text(hash, word->key);
        hash = deed__hash(hash, word->digest, sizeof(word->digest));
        hash = deed__hash(hash, &word->events, sizeof(word->events));
        hash = deed__hash(hash, word->head, sizeof(word->head));
    }
    return hash;
}

bool deed_crash__told_log_add(
    struct deed_crash__told_log *log, uint64_t question, const struct deed_crash__words *words)
{
    if (log->count == log->room) {
        void *items = realloc(log->items, (log->room * 2 + 16) * sizeof(*log->items));
        if (items == NULL) {
            return false;
        }
        log->items = items;
        log->room = log->room * 2 + 16;
    }
    struct deed_crash__words copy = {NULL, 0, 0};
    if (!deed_crash__words_copy(&copy, words)) {
        return false;
    }
    log->items[log->count].question = question;
    log->items[log->count++].words = copy;
    return true;
}

void deed_crash__told_log_clear(struct deed_crash__told_log *log)
{
    for (size_t i = 0; i < log->count; i++) {
        free(log->items[i].words.items);
    }
    free(log->items);
    *log = (struct deed_crash__told_log){NULL, 0, 0};
}

/* ---- the stage --------------------------------------------------------------------------- */

deed_rc deed_crash__stage_new(struct deed_crash__stage *stage, struct deed_error *err)
{
    memset(stage, 0, sizeof(*stage));
    deed_rc rc = deed_world_new(&stage->world, err);
    if (rc == DEED_OK) {
        rc = deed_world_new(&stage->frozen_world, err);
    }
    if (rc == DEED_OK) {
        rc = deed_sim_clock_new(DEED_CRASH__START_MS, &stage->clock, err);
    }
    if (rc == DEED_OK) {
        rc = deed_sim_clock_new(DEED_CRASH__START_MS, &stage->frozen_clock, err);
    }
    if (rc == DEED_OK) {
        rc = deed_sim_clock_new(DEED_CRASH__START_MS, &stage->still_clock, err);
    }
    if (rc == DEED_OK) {
        deed_sim_clock_tick(stage->clock, 1); /* no two moments are the same */
        rc = deed_disk_new(NULL, &stage->disk, err);
    }
    if (rc != DEED_OK) {
        deed_crash__stage_free(stage);
    }
    return rc;
}

void deed_crash__stage_free(struct deed_crash__stage *stage)
{
    deed_disk_free(stage->disk);
    deed_world_close(stage->world);
    deed_world_close(stage->frozen_world);
    deed_sim_clock_free(stage->clock);
    deed_sim_clock_free(stage->frozen_clock);
    deed_sim_clock_free(stage->still_clock);
    free(stage->told.items);
    memset(stage, 0, sizeof(*stage));
}

deed_rc deed_crash__stage_become(
    struct deed_crash__stage *stage, const struct deed_crash__stage *of, struct deed_error *err)
{
    if (!deed_crash__words_copy(&stage->told, &of->told)) {
        return deed_error_set(err, DEED_E_NOMEM, DEED_CRASH__ORIGIN, "no memory for a stage");
    }
    deed_sim_clock_become(stage->clock, of->clock);
    stage->trace = of->trace;
    stage->lives = of->lives;
    stage->unreached = of->unreached;
    deed_rc rc = deed_world_become(stage->world, of->world, err);
    return rc == DEED_OK ? deed_disk_become(stage->disk, of->disk, err) : rc;
}

uint64_t deed_crash__stage_hash(const struct deed_crash__stage *stage)
{
    return deed__mix(deed_world_hash(stage->world) ^
        deed__mix(deed_crash__words_hash(&stage->told)) ^
        deed__mix((uint64_t)stage->unreached + 1));
}

int64_t deed_crash__now(const struct deed_crash__stage *stage)
{
    struct deed_instant now = {.wall_ms = 0};
    const struct deed_clock *clock = deed_sim_clock_true(stage->clock);
    (void)clock->now(clock->self, &now);
    return now.wall_ms;
}

uint64_t deed_crash__clock_hash(const struct deed_crash__stage *stage)
{
    return deed_sim_clock_hash(stage->clock);
}

/* ---- an empty ledger --------------------------------------------------------------------- */

static int tell_days(sqlite3_vfs *vfs, double *days_out)
{
    (void)vfs;
    *days_out = (double)(DEED_CRASH__START_MS - 1000 + JULIAN_TO_UNIX_MS) / 86400000.0;
    return SQLITE_OK;
}

static int tell_time(sqlite3_vfs *vfs, sqlite3_int64 *now_out)
{
    (void)vfs;
    *now_out = DEED_CRASH__START_MS - 1000 + JULIAN_TO_UNIX_MS;
    return SQLITE_OK;
}

/* The same bytes each time: by a VFS whose clock stands still. */
static deed_rc make_ledger(const char *path, struct deed_error *err)
{
    char name[64];
    sqlite3_vfs vfs = *sqlite3_vfs_find(NULL);
    (void)snprintf(name, sizeof(name), "deed-still-%p", (void *)&vfs);
    vfs.zName = name;
    vfs.pNext = NULL;
    vfs.xCurrentTime = tell_days;
    vfs.xCurrentTimeInt64 = tell_time;
    if (sqlite3_vfs_register(&vfs, 0) != SQLITE_OK) {
        return deed_error_set(err, DEED_E_SYSTEM, DEED_CRASH__ORIGIN, "cannot register a VFS");
    }
    struct deed_sqlite_options with = {.size = sizeof(with), .vfs = name};
    deed_rc rc = deed_sqlite_create(path, &with, err);
    (void)sqlite3_vfs_unregister(&vfs);
    return rc;
}

static deed_rc read_all(
    const char *path, void **bytes_out, size_t *bytes_count_out, struct deed_error *err)
{
    FILE *file = fopen(path, "rb");
    size_t room = (size_t)1 << 20;
    char *bytes = malloc(room);
    size_t count = 0;
    while (file != NULL && bytes != NULL && !feof(file) && !ferror(file)) {
        count += fread(bytes + count, 1, room - count, file);
        if (count == room) {
            char *more = realloc(bytes, room * 2);
            if (more == NULL) {
                break;
            }
            bytes = more;
            room *= 2;
        }
    }
    bool whole = file != NULL && bytes != NULL && feof(file);
    if (file != NULL) {
        (void)fclose(file);
    }
    if (!whole) {
        free(bytes);
        return deed_error_set(
            err, DEED_E_SYSTEM, DEED_CRASH__ORIGIN, "the empty ledger %s cannot be read", path);
    }
    *bytes_out = bytes;
    *bytes_count_out = count;
    return DEED_OK;
}

/* A ledger appears under a real name or not at all, which no VFS can promise; so the file is made
 * in a real folder. */
static deed_rc make_file(void **bytes_out, size_t *bytes_count_out, struct deed_error *err)
{
    const char *place = getenv("TMPDIR");
    char folder[512];
    char path[600];
    if (place == NULL || place[0] == '\0') {
        place = access("/dev/shm", W_OK | X_OK) == 0 ? "/dev/shm" : "/tmp";
    }
    (void)snprintf(folder, sizeof(folder), "%s/deed-simulate-XXXXXX", place);
    if (mkdtemp(folder) == NULL) {
        return deed_error_set(err, DEED_E_SYSTEM, DEED_CRASH__ORIGIN,
            "no folder can be made in %s for the empty ledger; set TMPDIR to one where files may "
            "be written",
            place);
    }
    (void)snprintf(path, sizeof(path), "%s/ledger", folder);
    deed_rc rc = make_ledger(path, err);
    if (rc == DEED_OK) {
        rc = read_all(path, bytes_out, bytes_count_out, err);
    }
    static const char *const endings[] = {"", "-wal", "-shm", "-owners"};
    for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
        (void)snprintf(path, sizeof(path), "%s/ledger%s", folder, endings[i]);
        (void)unlink(path);
    }
    (void)rmdir(folder);
    return rc;
}

/* In the simulated place, which is what the ledger remembers as its own. */
static deed_rc name_ledger(deed_disk *disk, struct deed_error *err)
{
    deed_sim_random *random = NULL;
    deed_sim_clock *clock = NULL;
    struct deed_store *store = NULL;
    deed_rc rc = deed_sim_random_new(1, &random, err);
    if (rc == DEED_OK) {
        rc = deed_sim_clock_new(DEED_CRASH__START_MS - 1000, &clock, err);
    }
    if (rc == DEED_OK) {
        struct deed_sqlite_options with = {.size = sizeof(with),
            .vfs = deed_disk_vfs(disk),
            .random = deed_sim_random_source(random)};
        struct deed_options options = {.size = sizeof(options),
            .clock = deed_sim_clock_machine(clock),
            .random = deed_sim_random_source(random)};
        deed_disk_seed(disk, 1);
        rc = deed_sqlite_open(DEED_CRASH__LEDGER, &with, &store, err);
        rc = rc == DEED_OK ? deed_ledger_init(store, "simulated", true, &options, err) : rc;
    }
    if (store != NULL) {
        store->close(store->self);
    }
    deed_sim_random_free(random);
    deed_sim_clock_free(clock);
    return rc;
}

deed_rc deed_crash__put_ledger(deed_disk *disk, struct deed_error *err)
{
    void *bytes = NULL;
    size_t count = 0;
    deed_rc rc = make_file(&bytes, &count, err);
    if (rc == DEED_OK) {
        rc = deed_disk_put(disk, DEED_CRASH__LEDGER, bytes, count, err);
    }
    if (rc == DEED_OK) {
        rc = name_ledger(disk, err);
    }
    deed_disk_restart(disk, NULL, 0); /* and nothing is under way */
    free(bytes);
    return rc;
}
