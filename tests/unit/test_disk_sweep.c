/* SPDX-License-Identifier: MIT
 *
 * A disk that fails: every call that SQLite makes of it, in any action, fails with five codes, once
 * and in a second round from then on; a flush fails and its bytes are lost, or are kept all the same;
 * a disk is full, and then has space again. See support/sweep.h for what must hold; after each fault
 * a later process looks, and where a flush failed also one that comes after a loss of power.
 *
 * The disk is the simulated one; an action that needs real files has a VFS above them, which also
 * carries a call out and reports it as failed. With a name, only that scenario; DEED_SWEEP=pack, whole
 * or files: see docs/internals/faults.md.
 */
#include "support/sweep.h"
#include "support/test.h"

#include <sqlite3.h>

#include <deed/mock/fault_vfs.h>

static const char *only; /* this scenario; NULL: those below, or all */
static const char *extent;
static deed_fault_vfs *vfs;

struct mode {
    const char *words;
    int code;      /* SQLITE_OK: the usual one of the call */
    uint32_t only; /* bits of deed_disk_operation; 0: every call */
    bool rare;     /* the quick part has it for one action alone */
    bool cold;
    bool flush_kept;
    bool power_goes;
    bool after; /* in files alone: the call is carried out, and reported as failed */
};

static const struct mode modes[] = {
    {.words = "call of the disk (an I/O error)"},
    {.words = "call of the disk by a new handle (an I/O error)", .rare = true, .cold = true},
    {.words = "write to the disk (full)",
        .code = SQLITE_FULL,
        .only = 1U << DEED_DISK_WRITE | 1U << DEED_DISK_CREATE},
    {.words = "call of the disk (busy)", .code = SQLITE_BUSY},
    {.words = "call of the disk (cannot open)", .code = SQLITE_CANTOPEN, .rare = true},
    {.words = "call of the disk (no memory)", .code = SQLITE_NOMEM, .rare = true},
    {.words = "flush (lost)", .only = 1U << DEED_DISK_SYNC, .power_goes = true},
    {.words = "flush (kept)", .only = 1U << DEED_DISK_SYNC, .flush_kept = true, .power_goes = true},
};

static const struct mode file_modes[] = {
    {.words = "call of the files (an I/O error)"},
    {.words = "call of the files (an I/O error, and done all the same)", .after = true},
    {.words = "call of the files (full)", .code = SQLITE_FULL},
    {.words = "call of the files (busy)", .code = SQLITE_BUSY},
    {.words = "call of the files (cannot open)", .code = SQLITE_CANTOPEN},
    {.words = "call of the files (no memory)", .code = SQLITE_NOMEM},
};

/* ---- on the simulated disk ------------------------------------------------------------------------ */

static void arm(void *self, uint64_t nth, bool sticky)
{
    const struct mode *mode = self;
    const struct deed_disk_plan plan = {.size = sizeof(plan),
        .nth = nth,
        .last = sticky ? UINT64_MAX : nth,
        .code = mode->code,
        .flush_kept = mode->flush_kept,
        .only = mode->only};
    deed_disk_plan(sweep_disk(), &plan);
}

static uint64_t disarm(void *self)
{
    (void)self;
    const uint64_t failed = deed_disk_failed(sweep_disk());
    deed_disk_plan(sweep_disk(), NULL);
    return failed;
}

static bool may_answer(void *self, deed_rc rc)
{
    (void)self;
    return rc == DEED_E_STORE || rc == DEED_E_BUSY || rc == DEED_E_NOMEM;
}

static uint64_t sweep_disk_modes(const struct sweep_scenario *scenario)
{
    uint64_t met = 0;
    for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
        struct mode mode = modes[i];
        /* A new handle reads the whole schema in each trial: that is for the whole sweep. */
        const bool in_pack = extent != NULL && strcmp(extent, "pack") == 0;
        if (mode.cold && in_pack && strcmp(scenario->name, "record") != 0) {
            continue;
        }
        if (mode.rare && extent == NULL && only == NULL && strcmp(scenario->name, "record") != 0) {
            continue;
        }
        const struct sweep_faults faults = {.arm = arm,
            .disarm = disarm,
            .may_answer = may_answer,
            .self = &mode,
            .cold = mode.cold,
            .looks_back = true,
            .power_goes = mode.power_goes,
            .words = mode.words};
        for (int sticky = 0; sticky < 2; sticky++) {
            met += sweep_run(scenario, &faults, SWEEP_DISK, sticky != 0);
        }
    }
    sweep_disk_forget();
    return met;
}

/* ---- on files ------------------------------------------------------------------------------------- */

static void arm_files(void *self, uint64_t nth, bool sticky)
{
    const struct mode *mode = self;
    const struct deed_fault_plan plan = {.size = sizeof(plan),
        .kinds = DEED_FAULT_ANY,
        .nth = nth,
        .sticky = sticky,
        .after = mode->after,
        .code = mode->code};
    deed_fault_vfs_plan(vfs, &plan);
}

static uint64_t disarm_files(void *self)
{
    (void)self;
    const uint64_t failed = deed_fault_vfs_failed(vfs);
    deed_fault_vfs_plan(vfs, NULL);
    return failed;
}

static uint64_t sweep_file_modes(const struct sweep_scenario *scenario)
{
    uint64_t met = 0;
    for (size_t i = 0; i < sizeof(file_modes) / sizeof(file_modes[0]); i++) {
        struct mode mode = file_modes[i];
        const struct sweep_faults faults = {.arm = arm_files,
            .disarm = disarm_files,
            .may_answer = may_answer,
            .self = &mode,
            .vfs = deed_fault_vfs_name(vfs),
            .words = mode.words};
        for (int sticky = 0; sticky < 2; sticky++) {
            met += sweep_run(scenario, &faults, SWEEP_FILES, sticky != 0);
        }
    }
    return met;
}

/* ---- which ---------------------------------------------------------------------------------------- */

static bool is_one_of(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(names[i], name) == 0) {
            return true;
        }
    }
    return false;
}

static bool reaches(const char *name)
{
    return extent != NULL && strcmp(extent, name) == 0;
}

static bool on_disk(const struct sweep_scenario *scenario)
{
    static const char *const quick[] = {"record", "run keyed_lookup"};
    if (only != NULL) {
        return strcmp(only, scenario->name) == 0 && !scenario->files_only && !reaches("files");
    }
    return !scenario->files_only &&
        (extent == NULL ? is_one_of(scenario->name, quick, sizeof(quick) / sizeof(quick[0]))
                        : !reaches("files"));
}

static bool in_files(const struct sweep_scenario *scenario)
{
    if (only != NULL) {
        return strcmp(only, scenario->name) == 0 && (scenario->files_only || reaches("files"));
    }
    return reaches("files") || (scenario->files_only && reaches("whole")) ||
        (extent == NULL && strcmp(scenario->name, "record") == 0);
}

static void test_disk__that_fails_at_any_call_leaves_old_or_new_and_sends_nothing_twice(
    void **state)
{
    (void)state;
    for (size_t i = 0; i < sweep_scenario_count; i++) {
        const struct sweep_scenario *scenario = &sweep_scenarios[i];
        uint64_t met = on_disk(scenario) ? sweep_disk_modes(scenario) : 0;
        met += in_files(scenario) ? sweep_file_modes(scenario) : 0;
        if (met > 0) {
            print_message("%-20s %6llu faults\n", scenario->name, (unsigned long long)met);
        }
    }
}

/* ---- a full disk --------------------------------------------------------------------------------- */

#define KEYS 6

static deed_rc record_number(struct sweep_rig *rig, int number)
{
    (void)snprintf(rig->key, sizeof(rig->key), "r-%d", number);
    struct deed_payload payload = {{"payment", 7}, {"provider", 8}, {"amount=1", 8}};
    struct deed_record record = {.size = sizeof(record), .key = rig->key, .payload = &payload};
    return deed_record(rig->ledger, &record, NULL, NULL);
}

static bool acknowledged[KEYS];
static uint64_t refused; /* writes, in the last round */

static void find_acknowledged(deed_ledger *ledger, const char *where)
{
    for (int i = 0; i < KEYS; i++) {
        char key[32];
        (void)snprintf(key, sizeof(key), "r-%d", i);
        if (acknowledged[i] && strcmp(sweep_standing_in(ledger, key), "recorded/none") != 0) {
            fail_msg("%s was acknowledged and is lost%s", key, where);
        }
    }
}

/* Records while the disk is full for some writes, and goes on asking. */
static deed_rc fill_up(struct sweep_rig *rig)
{
    deed_rc worst = DEED_OK;
    for (int i = 0; i < KEYS; i++) {
        const deed_rc rc = record_number(rig, i);
        acknowledged[i] = rc == DEED_OK;
        if (rc != DEED_OK) {
            assert_int_equal(rc, DEED_E_STORE);
            worst = rc;
        }
    }
    refused = disarm(NULL); /* the fault is over before the action is: there is space again */
    find_acknowledged(rig->observer, "");
    deed_ledger *later = sweep_open_apart(rig, sweep_disk_left(true));
    find_acknowledged(later, " when the power goes");
    deed_ledger_close(later);
    for (int i = 0; i < KEYS; i++) {
        assert_int_equal(record_number(rig, i), DEED_OK);
    }
    return worst;
}

static uint64_t full_for; /* writes; UINT64_MAX: until the action is over */

static void arm_full(void *self, uint64_t nth, bool sticky)
{
    (void)self;
    (void)sticky;
    const struct deed_disk_plan plan = {.size = sizeof(plan),
        .nth = nth,
        .last = full_for == UINT64_MAX ? UINT64_MAX : nth + full_for - 1,
        .code = SQLITE_FULL,
        .only = 1U << DEED_DISK_WRITE};
    deed_disk_plan(sweep_disk(), &plan);
}

/* Called after the action has ended the plan itself. */
static uint64_t disarm_full(void *self)
{
    (void)self;
    return refused;
}

static void test_disk__that_fills_up_loses_nothing_acknowledged_and_goes_on_with_space(void **state)
{
    (void)state;
    static const uint64_t lengths[] = {UINT64_MAX, 1, 3};
    const size_t count = extent == NULL ? 1 : sizeof(lengths) / sizeof(lengths[0]);
    const struct sweep_scenario scenario = {
        .name = "fill up", .act = fill_up, .from = "recorded/none", .to = "recorded/none"};
    const struct sweep_faults faults = {.arm = arm_full,
        .disarm = disarm_full,
        .may_answer = may_answer,
        .looks_back = true,
        .power_goes = true,
        .words = "write to a full disk"};
    uint64_t met = 0;
    for (size_t i = 0; i < count; i++) {
        full_for = lengths[i];
        const uint64_t writes = sweep_run(&scenario, &faults, SWEEP_DISK, true);
        assert_true(writes >= KEYS);
        met += writes;
    }
    sweep_disk_forget();
    print_message("full at each write, for a while: %llu faults\n", (unsigned long long)met);
}

int main(int count, char **arguments)
{
    only = count > 1 ? arguments[1] : NULL;
    extent = getenv("DEED_SWEEP");
    if (deed_fault_vfs_new("fault-sweep", &vfs, NULL) != DEED_OK) {
        return 1;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            test_disk__that_fails_at_any_call_leaves_old_or_new_and_sends_nothing_twice),
        cmocka_unit_test(
            test_disk__that_fills_up_loses_nothing_acknowledged_and_goes_on_with_space),
    };
    const int failed = cmocka_run_group_tests_name("disk_sweep", tests, NULL, NULL);
    print_message("%llu images were opened and checked\n", (unsigned long long)sweep_images());
    sweep_tell("I/O faults");
    sweep_disk_free();
    deed_fault_vfs_free(vfs);
    return failed;
}
