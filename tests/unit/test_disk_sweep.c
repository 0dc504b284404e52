/* SPDX-License-Identifier: MIT
 *
 * A disk that fails: every call that SQLite makes of it, in any action, fails with five codes, once
 * and in a second round from then on; and, reported as failed, is carried out all the same. See
 * support/sweep.h for what must hold. At the end a disk that is full, and then has space again.
 *
 * With a name, only that scenario; DEED_SWEEP=whole: every scenario, else those that differ most.
 */
#include "support/sweep.h"
#include "support/test.h"

#include <sqlite3.h>

#include <deed/mock/fault_vfs.h>

static const char *only; /* this scenario; NULL: those below, or all */
static bool whole;
static deed_fault_vfs *vfs;
static int code_now;
static bool after_now;

static const struct {
    int code;
    const char *words;
} codes[] = {
    {SQLITE_OK, "call of the disk (an I/O error)"},
    {SQLITE_FULL, "call of the disk (full)"},
    {SQLITE_BUSY, "call of the disk (busy)"},
    {SQLITE_CANTOPEN, "call of the disk (cannot open)"},
    {SQLITE_NOMEM, "call of the disk (no memory)"},
};

static void arm(void *self, uint64_t nth, bool sticky)
{
    (void)self;
    const struct deed_fault_plan plan = {.size = sizeof(plan),
        .kinds = DEED_FAULT_ANY,
        .nth = nth,
        .sticky = sticky,
        .after = after_now,
        .code = code_now};
    deed_fault_vfs_plan(vfs, &plan);
}

static uint64_t disarm(void *self)
{
    (void)self;
    const uint64_t failed = deed_fault_vfs_failed(vfs);
    deed_fault_vfs_plan(vfs, NULL);
    return failed;
}

static bool may_answer(void *self, deed_rc rc)
{
    (void)self;
    return rc == DEED_E_STORE || rc == DEED_E_BUSY || rc == DEED_E_NOMEM;
}

static bool is_quick(const char *name)
{
    static const char *const quick[] = {"record", "by hand", "run keyed_lookup", "show"};
    for (size_t i = 0; i < sizeof(quick) / sizeof(quick[0]); i++) {
        if (strcmp(quick[i], name) == 0) {
            return true;
        }
    }
    return false;
}

static void sweep(const struct sweep_scenario *scenario)
{
    struct sweep_faults faults = {
        .arm = arm, .disarm = disarm, .may_answer = may_answer, .vfs = deed_fault_vfs_name(vfs)};
    uint64_t met = 0;
    uint64_t one = 0;
    for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
        code_now = codes[i].code;
        faults.words = codes[i].words;
        for (int mode = 0; mode < (i == 0 ? 4 : 2); mode++) {
            after_now = mode >= 2;
            one = sweep_run(scenario, &faults, true, mode % 2 != 0);
            met += one;
        }
    }
    print_message("%-20s %6llu faults\n", scenario->name, (unsigned long long)met);
}

static void test_disk__that_fails_at_any_call_leaves_old_or_new_and_sends_nothing_twice(
    void **state)
{
    (void)state;
    for (size_t i = 0; i < sweep_scenario_count; i++) {
        const struct sweep_scenario *scenario = &sweep_scenarios[i];
        const bool wanted =
            only != NULL ? strcmp(only, scenario->name) == 0 : whole || is_quick(scenario->name);
        if (wanted) {
            sweep(scenario);
        }
    }
}

/* ---- a full disk --------------------------------------------------------------------------------- */

#define KEYS 6

static deed_rc record_number(struct sweep_rig *rig, uint64_t round, int number)
{
    (void)snprintf(rig->key, sizeof(rig->key), "r-%llu-%d", (unsigned long long)round, number);
    struct deed_payload payload = {{"payment", 7}, {"provider", 8}, {"amount=1", 8}};
    struct deed_record record = {.size = sizeof(record), .key = rig->key, .payload = &payload};
    return deed_record(rig->ledger, &record, NULL, NULL);
}

static bool acknowledged[KEYS];

/* Records and runs until the disk is full at its nth write, and goes on asking. */
static deed_rc work_until_full(struct sweep_rig *rig)
{
    static uint64_t round;
    deed_rc worst = DEED_OK;
    memset(acknowledged, 0, sizeof(acknowledged));
    round++;
    for (int i = 0; i < KEYS; i++) {
        const deed_rc rc = record_number(rig, round, i);
        acknowledged[i] = rc == DEED_OK;
        if (rc != DEED_OK) {
            assert_int_equal(rc, DEED_E_STORE);
            worst = rc;
        }
    }
    (void)disarm(NULL); /* what counts the faults is not asked again: the test looks for itself */
    for (int i = 0; i < KEYS; i++) {
        (void)snprintf(rig->key, sizeof(rig->key), "r-%llu-%d", (unsigned long long)round, i);
        const bool there = strcmp(sweep_standing(rig, rig->key), "recorded/none") == 0;
        if (acknowledged[i] && !there) {
            fail_msg("%s was acknowledged and is lost", rig->key);
        }
        assert_int_equal(record_number(rig, round, i), DEED_OK); /* there is space again */
    }
    return worst == DEED_OK ? DEED_OK : DEED_E_STORE;
}

static bool was_full;

static void arm_full(void *self, uint64_t nth, bool sticky)
{
    (void)self;
    (void)sticky;
    const struct deed_fault_plan plan = {.size = sizeof(plan),
        .kinds = 1U << DEED_FAULT_WRITE,
        .nth = nth,
        .sticky = true,
        .code = SQLITE_FULL};
    was_full = false;
    deed_fault_vfs_plan(vfs, &plan);
}

static deed_rc fill_up(struct sweep_rig *rig)
{
    const deed_rc rc = work_until_full(rig);
    was_full = rc != DEED_OK;
    return rc;
}

/* Called after the action has ended the plan itself. */
static uint64_t disarm_full(void *self)
{
    (void)self;
    return was_full ? 1 : 0;
}

static void test_disk__that_fills_up_loses_nothing_acknowledged_and_goes_on_with_space(void **state)
{
    (void)state;
    const struct sweep_scenario scenario = {
        .name = "fill up", .act = fill_up, .from = "recorded/none", .to = "recorded/none"};
    const struct sweep_faults faults = {.arm = arm_full,
        .disarm = disarm_full,
        .may_answer = may_answer,
        .vfs = deed_fault_vfs_name(vfs),
        .words = "write to a full disk"};
    const uint64_t met = sweep_run(&scenario, &faults, true, true);
    print_message("full at each of %llu writes\n", (unsigned long long)met);
    assert_true(met >= KEYS);
}

int main(int count, char **arguments)
{
    only = count > 1 ? arguments[1] : NULL;
    const char *extent = getenv("DEED_SWEEP");
    whole = extent != NULL && strcmp(extent, "whole") == 0;
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
    deed_fault_vfs_free(vfs);
    return failed;
}
