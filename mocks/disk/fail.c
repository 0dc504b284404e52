/* SPDX-License-Identifier: MIT
 *
 * Which call fails, and who is told before it: one question in front of each call of SQLite's.
 */
#include <string.h>

#include "disk/disk.h"

#define CODES_MAX 3

/* The usual code comes first. Names are sites of questions: append only, trails name them. */
static const struct {
    const char *name;
    const char *site;
    int codes[CODES_MAX]; /* 0: no more */
} calls[CALL_COUNT] = {
    [CALL_OPEN] = {"open", "disk.open", {SQLITE_CANTOPEN, SQLITE_NOMEM, 0}},
    [CALL_READ] = {"read", "disk.read", {SQLITE_IOERR_READ, SQLITE_NOMEM, 0}},
    [CALL_WRITE] = {"write", "disk.write", {SQLITE_IOERR_WRITE, SQLITE_FULL, 0}},
    [CALL_TRUNCATE] = {"truncate", "disk.truncate", {SQLITE_IOERR_TRUNCATE, 0, 0}},
    /* Twice: the second keeps what it flushed. */
    [CALL_SYNC] = {"sync", "disk.sync", {SQLITE_IOERR_FSYNC, SQLITE_IOERR_FSYNC, 0}},
    [CALL_SIZE] = {"size", "disk.size", {SQLITE_IOERR_FSTAT, 0, 0}},
    [CALL_LOCK] = {"lock", "disk.lock", {SQLITE_IOERR_LOCK, SQLITE_BUSY, 0}},
    [CALL_CHECK_LOCK] = {"check_lock", "disk.check_lock", {SQLITE_IOERR_CHECKRESERVEDLOCK, 0, 0}},
    [CALL_DELETE] = {"delete", "disk.delete", {SQLITE_IOERR_DELETE, 0, 0}},
    [CALL_ACCESS] = {"access", "disk.access", {SQLITE_IOERR_ACCESS, 0, 0}},
    [CALL_SHM_MAP] = {"shm_map", "disk.shm_map", {SQLITE_IOERR_SHMMAP, SQLITE_NOMEM, 0}},
    [CALL_SHM_LOCK] = {"shm_lock", "disk.shm_lock", {SQLITE_IOERR_SHMLOCK, SQLITE_BUSY, 0}},
};

static const char *const operation_names[DEED_DISK_OPERATION_COUNT] = {
    [DEED_DISK_WRITE] = "write",
    [DEED_DISK_TRUNCATE] = "truncate",
    [DEED_DISK_SYNC] = "sync",
    [DEED_DISK_CREATE] = "create",
    [DEED_DISK_DELETE] = "delete",
};

const char *deed_disk_operation_name(deed_disk_operation operation)
{
    return (unsigned)operation < DEED_DISK_OPERATION_COUNT ? operation_names[operation] : NULL;
}

int deed__disk_code(enum call call)
{
    return calls[call].codes[0];
}

/* ---- the plan ---------------------------------------------------------------------------- */

void deed_disk_plan(deed_disk *disk, const struct deed_disk_plan *plan)
{
    memset(&disk->plan, 0, sizeof(disk->plan));
    disk->planned = 0;
    disk->failed = 0;
    if (plan != NULL) {
        disk->plan.active = true;
        disk->plan.nth = plan->nth;
        disk->plan.last = plan->last == 0 ? plan->nth : plan->last;
        disk->plan.code = plan->code;
        disk->plan.flush_kept = plan->flush_kept;
        disk->plan.limited = plan->full_after > 0;
        disk->plan.bytes_left = plan->full_after;
        disk->plan.only = plan->only;
    }
}

uint64_t deed_disk_failed(const deed_disk *disk)
{
    return disk->failed;
}

uint64_t deed_disk_calls(const deed_disk *disk)
{
    return disk->planned;
}

uint64_t deed__disk_room(deed_disk *disk, uint64_t bytes)
{
    if (!disk->plan.limited) {
        return bytes;
    }
    const uint64_t room = bytes < disk->plan.bytes_left ? bytes : disk->plan.bytes_left;
    disk->plan.bytes_left -= room;
    disk->failed += room < bytes ? 1U : 0U;
    return room;
}

/* What a call would be to somebody else; DEED_DISK_OPERATION_COUNT: nothing. */
static deed_disk_operation operation_of(enum call call, bool adds)
{
    static const deed_disk_operation operations[CALL_COUNT] = {
        [CALL_READ] = DEED_DISK_OPERATION_COUNT,
        [CALL_WRITE] = DEED_DISK_WRITE,
        [CALL_TRUNCATE] = DEED_DISK_TRUNCATE,
        [CALL_SYNC] = DEED_DISK_SYNC,
        [CALL_SIZE] = DEED_DISK_OPERATION_COUNT,
        [CALL_LOCK] = DEED_DISK_OPERATION_COUNT,
        [CALL_CHECK_LOCK] = DEED_DISK_OPERATION_COUNT,
        [CALL_DELETE] = DEED_DISK_DELETE,
        [CALL_ACCESS] = DEED_DISK_OPERATION_COUNT,
        [CALL_SHM_MAP] = DEED_DISK_OPERATION_COUNT,
        [CALL_SHM_LOCK] = DEED_DISK_OPERATION_COUNT,
    };
    if (call == CALL_OPEN) {
        return adds ? DEED_DISK_CREATE : DEED_DISK_OPERATION_COUNT;
    }
    return operations[call];
}

/* `adds`: a full disk refuses it; all others it lets through. */
static bool fails_by_plan(struct plan *plan, enum call call, bool adds)
{
    if (!plan->active || (plan->only != 0 && (plan->only & 1U << operation_of(call, adds)) == 0)) {
        return false;
    }
    plan->counted++;
    return plan->counted >= plan->nth && plan->counted <= plan->last &&
        (adds || plan->code != SQLITE_FULL);
}

/* `adds`: as above. */
static struct verdict judge(deed_disk *disk, enum call call, bool adds)
{
    struct verdict verdict = {.code = SQLITE_OK};
    const struct plan *plan = &disk->plan;
    disk->planned++;
    if (disk->no_memory) {
        verdict.code = SQLITE_NOMEM;
    } else if (fails_by_plan(&disk->plan, call, adds)) {
        verdict.code = plan->code == SQLITE_OK ? deed__disk_code(call) : plan->code;
        verdict.flush_kept = plan->flush_kept;
        disk->failed++;
    } else if (disk->options.choices != NULL) {
        uint32_t bound = 1;
        while (bound <= CODES_MAX && calls[call].codes[bound - 1] != 0) {
            bound++;
        }
        const uint32_t answer =
            deed_choose(disk->options.choices, DEED_PURPOSE_DISK, calls[call].site, bound);
        verdict.code = answer == 0 ? SQLITE_OK : calls[call].codes[answer - 1];
        verdict.flush_kept = answer == 2;
    }
    return verdict;
}

/* ---- one question ------------------------------------------------------------------------ */

static bool is_operation(enum call call)
{
    return call == CALL_WRITE || call == CALL_TRUNCATE || call == CALL_SYNC || call == CALL_DELETE;
}

struct verdict deed__disk_ask(struct disk_file *file, enum call call)
{
    deed_disk *disk = file->disk;
    if (!file->ghost && disk->frozen) {
        deed__disk_index_thaw(disk);
    }
    if (!file->ghost && disk->visit_all != NULL && !is_operation(call)) {
        disk->visit_all(disk->visit_all_context, calls[call].name);
    }
    if (file->ghost) {
        return (struct verdict){.code = deed__disk_code(call)};
    }
    return judge(disk, call, call == CALL_WRITE);
}

struct verdict deed__disk_ask_vfs(deed_disk *disk, enum call call, bool creates)
{
    const uint32_t process = disk->process;
    if (!deed__disk_is_dead(disk, process) && disk->visit_all != NULL && !is_operation(call)) {
        disk->visit_all(disk->visit_all_context, calls[call].name);
    }
    if (deed__disk_is_dead(disk, process)) {
        return (struct verdict){.code = deed__disk_code(call)};
    }
    return judge(disk, call, creates);
}

static void visit(deed_disk *disk, uint32_t process, struct deed_disk_event event)
{
    event.size = sizeof(event);
    event.number = ++disk->events;
    event.process = process;
    event.pending = disk->content.units_count;
    if (disk->visit != NULL) {
        disk->visit(disk->visit_context, &event);
    }
}

int deed__disk_tell(struct disk_file *file, enum call call, struct deed_disk_event event)
{
    if (file->name == NULL) { /* nobody else could see it */
        return SQLITE_OK;
    }
    event.path = file->name->text;
    visit(file->disk, file->process, event);
    return file->ghost ? deed__disk_code(call) : SQLITE_OK;
}

int deed__disk_tell_vfs(deed_disk *disk, enum call call, struct deed_disk_event event)
{
    const uint32_t process = disk->process;
    visit(disk, process, event);
    return deed__disk_is_dead(disk, process) ? deed__disk_code(call) : SQLITE_OK;
}

void deed_disk_watch(deed_disk *disk, deed_disk_visit visit_one, void *context)
{
    disk->visit = visit_one;
    disk->visit_context = context;
}

void deed_disk_watch_all(
    deed_disk *disk, void (*visit_all)(void *context, const char *call), void *context)
{
    disk->visit_all = visit_all;
    disk->visit_all_context = context;
}
