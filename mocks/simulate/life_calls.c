/* SPDX-License-Identifier: MIT
 *
 * What a program has in its life beside the ledger: a provider to send to, and files that last.
 */
#include "simulate/simulate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sqlite3.h>

#include <deed/ext/error.h>
#include <deed/mock/executor.h>
#include <deed/sqlite.h>

#include "mix.h"

/* ---- executors --------------------------------------------------------------------------- */

static const char *kind_at(const struct deed_crash_setup *setup, size_t index)
{
    if (setup->kinds != NULL) {
        return index < setup->kinds_count ? setup->kinds[index] : NULL;
    }
    return deed_provider_class_name((deed_provider_class)index);
}

static deed_rc make_executor(struct deed_crash__run *run, const char *kind,
    deed_executor **executor_out, struct deed_profile *profile, struct deed_error *err)
{
    const struct deed_crash_setup *setup = run->setup;
    const deed_provider_class provider_class = deed_crash__class_of(setup, kind);
    if (setup->executor != NULL && provider_class == setup->provider) {
        return setup->executor(&run->life, executor_out, profile, err);
    }
    char *options = NULL;
    deed_rc rc =
        deed_crash__provider_options(setup, run->fault, provider_class, kind, &options, err);
    if (rc == DEED_OK) {
        rc = deed_mock_executor_new_in(
            run->stage->world, options, deed_sim_clock_true(run->stage->clock), executor_out, err);
    }
    free(options);
    return rc;
}

deed_rc deed_crash__register(
    struct deed_crash__run *run, deed_ledger *ledger, struct deed_error *err)
{
    deed_rc rc = DEED_OK;
    const char *kind = NULL;
    for (size_t i = 0; rc == DEED_OK && (kind = kind_at(run->setup, i)) != NULL; i++) {
        deed_executor *executor = NULL;
        struct deed_profile profile =
            deed_crash__profile(run->fault, deed_crash__class_of(run->setup, kind));
        rc = make_executor(run, kind, &executor, &profile, err);
        if (rc == DEED_OK) {
            rc = deed_ledger_register(ledger, kind, executor, &profile, err);
        }
    }
    return rc;
}

/* ---- a provider for programs without deed ------------------------------------------------ */

/* As the ledger numbers it, where there is one; otherwise one more than was sent before. */
static uint32_t number_of(struct deed_crash__run *run, const char *name)
{
    struct deed_result result = {.size = sizeof(result)};
    deed_disk *copy = NULL;
    deed_ledger *ledger = NULL;
    if (run->setup->without_ledger) {
        return (uint32_t)deed_world_sends(run->stage->world, name) + 1;
    }
    bool known = deed_disk_copy(run->stage->disk, &copy, &run->err) == DEED_OK &&
        deed_crash__open(run, copy, NULL, &ledger, &run->err) == DEED_OK &&
        deed_get(ledger, name, &result, NULL) == DEED_OK;
    deed_ledger_close(ledger);
    deed_disk_free(copy);
    return known ? result.attempt : 0;
}

static deed_verdict send_bytes(
    const struct deed_crash_life *life, const char *name, const char *key, const char *bytes)
{
    struct deed_crash__run *run = life->self;
    char unique[32];
    deed_crash__point(run, "send.request");
    if (run->death != DEED_CRASH__LIVES) {
        return DEED_VERDICT_UNKNOWN; /* a ghost is not heard */
    }
    run->counts = false;
    struct deed_mock__arrival arrival = {.key = name,
        .provider_key = key,
        .attempt = number_of(run, name),
        .bytes = bytes,
        .bytes_count = strlen(bytes),
        .now_ms = deed_crash__now(run->stage)};
    run->counts = true;
    if (key == NULL) { /* no two requests have the same */
        (void)snprintf(unique, sizeof(unique), "no-key-%llu",
            (unsigned long long)deed_world_sends(run->stage->world, NULL) + 1);
        arrival.provider_key = unique;
    }
    const struct deed_mock__script *script =
        deed_mock__script_for(&run->provider.steps_by_key, &run->provider.steps, name);
    uint64_t sends = deed_world_sends(run->stage->world, name) + run->stage->unreached;
    arrival.step = deed_mock__step_for(script, sends + 1);
    struct deed_mock__reply reply = {.status = ""};
    if (arrival.step->kind == DEED_MOCK__STEP_UNREACHABLE) {
        run->stage->unreached++;
        return DEED_VERDICT_NOT_APPLIED;
    }
    deed_rc rc =
        deed_mock__provider_receive(run->stage->world, &run->provider, &arrival, &reply, &run->err);
    if (rc != DEED_OK) {
        (void)deed_crash__fail(run, rc);
    }
    deed_crash__point(run, "send.reply");
    bool silent = arrival.step->lost || arrival.step->kind == DEED_MOCK__STEP_LATE ||
        arrival.step->kind == DEED_MOCK__STEP_HANG || arrival.step->kind == DEED_MOCK__STEP_GARBAGE;
    return silent || run->death != DEED_CRASH__LIVES ? DEED_VERDICT_UNKNOWN : reply.verdict;
}

/* ---- files ------------------------------------------------------------------------------- */

/* A file grows by a record for each save: its length, a hash, the text. A record that is not whole
 * was never saved; the last whole one counts. */
struct record_head {
    uint64_t bytes;
    uint64_t hash;
};

static bool path_of(const char *name, char path_out[256])
{
    int bytes = snprintf(path_out, 256, "/deed-simulated/files/%s", name);
    return bytes > 0 && bytes < 256;
}

/* The last whole record in `file`, and where the next one goes. */
static const char *last_record(
    const unsigned char *file, size_t file_bytes, size_t *bytes_out, size_t *end_out)
{
    const char *last = NULL;
    size_t at = 0;
    struct record_head head;
    while (file_bytes - at >= sizeof(head)) {
        memcpy(&head, file + at, sizeof(head));
        const unsigned char *text = file + at + sizeof(head);
        if (head.bytes > file_bytes - at - sizeof(head) ||
            deed__hash(1, text, (size_t)head.bytes) != head.hash) {
            break;
        }
        last = (const char *)text;
        *bytes_out = (size_t)head.bytes;
        at += sizeof(head) + (size_t)head.bytes;
    }
    *end_out = at;
    return last;
}

static int append(sqlite3_vfs *vfs, const char *path, size_t at, const char *text)
{
    const size_t bytes = strlen(text);
    const size_t record_bytes = sizeof(struct record_head) + bytes;
    struct record_head head = {bytes, deed__hash(1, text, bytes)};
    sqlite3_file *file = sqlite3_malloc(vfs->szOsFile);
    sqlite3_filename name = sqlite3_create_filename(path, "", "", 0, NULL);
    char *record = malloc(record_bytes);
    int code = SQLITE_NOMEM;
    if (file != NULL && name != NULL && record != NULL) {
        memset(file, 0, (size_t)vfs->szOsFile);
        memcpy(record, &head, sizeof(head));
        /* NOLINTNEXTLINE(bugprone-not-null-terminated-result): its length stands in the head */
        memcpy(record + sizeof(head), text, bytes);
        /* Opened as a log is: its name lasts with its first flush. */
        code = vfs->xOpen(
            vfs, name, file, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_WAL, NULL);
    }
    if (code == SQLITE_OK) {
        code = file->pMethods->xWrite(file, record, (int)record_bytes, (sqlite3_int64)at);
        if (code == SQLITE_OK) {
            code = file->pMethods->xSync(file, SQLITE_SYNC_FULL);
        }
        (void)file->pMethods->xClose(file);
    }
    free(record);
    sqlite3_free_filename(name);
    sqlite3_free(file);
    return code;
}

static void note_file(struct deed_crash__files *files, const char *path)
{
    size_t at = 0;
    while (at < files->count && at < DEED_CRASH__FILES_MAX && strcmp(files->paths[at], path) != 0) {
        at++;
    }
    if (at == files->count && at < DEED_CRASH__FILES_MAX) {
        (void)snprintf(files->paths[at], sizeof(files->paths[at]), "%s", path);
    }
    files->count = at >= files->count ? at + 1 : files->count;
}

static bool save(const struct deed_crash_life *life, const char *name, const char *text)
{
    struct deed_crash__run *run = life->self;
    char path[256];
    size_t file_bytes = 0;
    size_t bytes = 0;
    size_t end = 0;
    if (run->death != DEED_CRASH__LIVES || !path_of(name, path)) {
        return false;
    }
    if (run->files != NULL) {
        note_file(run->files, path);
    }
    const unsigned char *file = deed_disk_get(run->stage->disk, path, &file_bytes);
    if (file != NULL) {
        (void)last_record(file, file_bytes, &bytes, &end);
    }
    sqlite3_vfs *vfs = sqlite3_vfs_find(deed_disk_vfs(run->stage->disk));
    return append(vfs, path, end, text) == SQLITE_OK && run->death == DEED_CRASH__LIVES;
}

static char *load(const struct deed_crash_life *life, const char *name)
{
    const struct deed_crash__run *run = life->self;
    char path[256];
    size_t file_bytes = 0;
    size_t bytes = 0;
    size_t end = 0;
    if (run->death != DEED_CRASH__LIVES || !path_of(name, path)) {
        return NULL;
    }
    const unsigned char *file = deed_disk_get(run->stage->disk, path, &file_bytes);
    const char *text = file == NULL ? NULL : last_record(file, file_bytes, &bytes, &end);
    char *copy = text == NULL ? NULL : malloc(bytes + 1);
    if (copy != NULL) {
        memcpy(copy, text, bytes);
        copy[bytes] = '\0';
    }
    return copy;
}

void deed_crash__life_calls(struct deed_crash__run *run)
{
    run->life.size = sizeof(run->life);
    run->life.start = run->stage->lives;
    run->life.world = run->stage->world;
    run->life.clock = run->stage->clock;
    run->life.send = send_bytes;
    run->life.save = save;
    run->life.load = load;
    run->life.context = run->setup->context;
    run->life.self = run;
}
