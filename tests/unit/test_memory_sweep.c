/* SPDX-License-Identifier: MIT
 *
 * Memory that runs out: every request for memory that any action makes, be it ours, SQLite's,
 * jansson's or OpenSSL's, fails once, and in a second round from then on. See support/sweep.h for
 * what must hold; besides, every block is given back.
 *
 * DEED_SCENE_STORE=sqlite: on a simulated disk, else on the reference store; an action that needs real
 * files has them. With a name, only that scenario; DEED_SWEEP=pack or whole: see docs/internals/faults.md.
 */
#include "support/faulty_memory.h"
#include "support/sweep.h"
#include "support/test.h"

static const char *only; /* this scenario; NULL: all */
static bool on_sqlite;
static const char *extent;   /* NULL: what is quick */
static uint64_t sqlite_kept; /* by SQLite for itself, as after the first round */

static void arm(void *self, uint64_t nth, bool sticky)
{
    (void)self;
    faulty_memory_fail(nth, sticky);
}

static uint64_t disarm(void *self)
{
    (void)self;
    const uint64_t failed = faulty_memory_failed();
    faulty_memory_fail(0, false);
    return failed;
}

/* A commit whose memory ran out half-way has an unknown fate: DEED_E_STORE. */
static bool may_answer(void *self, deed_rc rc)
{
    (void)self;
    return rc == DEED_E_NOMEM || rc == DEED_E_STORE;
}

static bool is_one_of(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(names[i], name) == 0) {
            return true;
        }
    }
    return false;
}

/* With SQLite every action makes hundreds of requests, and one that opens makes thousands. */
static bool is_wanted(const struct sweep_scenario *scenario)
{
    static const char *const slow[] = {"run blind", "run lookup", "run keyed", "run closable",
        "run due", "cancel", "pass", "check", "open, record, close", "create", "migrate"};
    /* A check makes more than ten thousand, and each of them again in every trial. */
    static const char *const slowest[] = {"check", "create", "migrate"};
    if (only != NULL) {
        return strcmp(only, scenario->name) == 0;
    }
    if (!on_sqlite || (extent != NULL && strcmp(extent, "whole") == 0)) {
        return !scenario->files_only || on_sqlite;
    }
    return extent != NULL
        ? !is_one_of(scenario->name, slowest, sizeof(slowest) / sizeof(slowest[0]))
        : !is_one_of(scenario->name, slow, sizeof(slow) / sizeof(slow[0]));
}

static void sweep(const struct sweep_scenario *scenario, const struct sweep_faults *faults)
{
    const enum sweep_place place = scenario->files_only ? SWEEP_FILES
        : on_sqlite                                     ? SWEEP_DISK
                                                        : SWEEP_REFERENCE;
    uint64_t met[2];
    for (int sticky = 0; sticky < 2; sticky++) {
        met[sticky] = sweep_run(scenario, faults, place, sticky != 0);
        assert_int_equal(faulty_memory_live(FAULTY_DEED), 0);
        assert_int_equal(faulty_memory_live(FAULTY_JANSSON), 0);
        assert_int_equal(faulty_memory_misused(), 0);
        if (sqlite_kept == 0) {
            sqlite_kept = faulty_memory_live(FAULTY_SQLITE);
        }
        assert_int_equal(faulty_memory_live(FAULTY_SQLITE), sqlite_kept);
    }
    print_message("%-20s %5llu once, %5llu and on\n", scenario->name, (unsigned long long)met[0],
        (unsigned long long)met[1]);
}

static void test_memory__that_runs_out_anywhere_leaves_old_or_new_and_nothing_behind(void **state)
{
    (void)state;
    const struct sweep_faults faults = {.arm = arm,
        .disarm = disarm,
        .may_answer = may_answer,
        .memory = faulty_memory(),
        .words = "request for memory"};
    for (size_t i = 0; i < sweep_scenario_count; i++) {
        if (is_wanted(&sweep_scenarios[i])) {
            sweep(&sweep_scenarios[i], &faults);
        }
    }
    sweep_tell("allocation failures");
}

int main(int count, char **arguments)
{
    faulty_memory_install();
    only = count > 1 ? arguments[1] : NULL;
    const char *store = getenv("DEED_SCENE_STORE");
    extent = getenv("DEED_SWEEP");
    on_sqlite = store != NULL && strcmp(store, "sqlite") == 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory__that_runs_out_anywhere_leaves_old_or_new_and_nothing_behind),
    };
    const int failed = cmocka_run_group_tests_name("memory_sweep", tests, NULL, NULL);
    sweep_disk_free();
    return failed;
}
