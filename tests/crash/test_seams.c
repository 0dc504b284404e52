/* SPDX-License-Identifier: MIT
 *
 * Goal: wherever a process dies, nothing is lost, nothing happens twice, and nothing is believed
 * that is not so; and from there everything comes to its end.
 *
 * Method: a scenario runs once in a process of its own, and the seams it crosses are counted: n. It
 * then runs n times more, and the process kills itself at the first, second, ... n-th crossing. What
 * it leaves, real files, is opened by another process, checked, recovered, and checked after each
 * step. For three scenarios the process that recovers is killed as well, at each of its crossings.
 * Each death is followed by a recovery in the same boot or in a new one; in turn, or with
 * DEED_CRASH_FULL=1 both.
 */
#include "support/test.h"

#include <sys/time.h>

#include "recovery.h"
#include "scenarios.h"
#include "site.h"
#include "support/sqlite_pool.h"

struct sweep {
    struct site site;
    const struct scenario *scenario;
    struct recovery recovery;
    bool full;
    bool reboot; /* before the recovery */
    uint64_t crossings[DEED_SEAM_COUNT];
    uint64_t kills[DEED_SEAM_COUNT];
    uint64_t recovery_kills;
    uint64_t runs;
};

static struct sweep sweep;

/* ---- one life --------------------------------------------------------------------------------- */

struct life {
    uint64_t kill_at;
};

static bool live(struct site *site, void *context)
{
    const struct life *life = context;
    const struct scenario *scenario = sweep.scenario;
    if (scenario->fixture) { /* the migration is a part of it */
        site_arm(site, life->kill_at);
        return site_migrate(site) && site_open(site) && scenario->act(site) &&
            (site_close(site), true);
    }
    if (!site_open(site)) {
        return false;
    }
    site_arm(site, life->kill_at);
    bool lived = scenario->act(site);
    site_close(site); /* may checkpoint */
    return lived;
}

static bool live_to_recover(struct site *site, void *context)
{
    const struct life *life = context;
    site_arm(site, life->kill_at);
    return recover(site, &sweep.recovery);
}

static void tell_where(const char *what, uint64_t kill_at, uint64_t then_at)
{
    const struct site *site = &sweep.site;
    const char *seam = kill_at == 0 ? "none" : deed_seam_name(site->shared->killed_at);
    fail_msg("%s at a %s provider, killed at crossing %llu (%s) then %llu, %s: %s: %s",
        sweep.scenario->name, deed_provider_class_name(site->provider_class),
        (unsigned long long)kill_at, seam, (unsigned long long)then_at,
        sweep.reboot ? "new boot" : "same boot", what, site->shared->failure);
}

static void set_up_site(void)
{
    struct site *site = &sweep.site;
    site_clear(site);
    bool made = sweep.scenario->fixture ? site_make_fixture(site) : site_make_ledger(site);
    if (!made) {
        tell_where("preparing", 0, 0);
    }
}

/* Runs until the `kill_at`-th crossing; 0: to the end. The number of crossings comes back. */
static uint64_t run_until(uint64_t kill_at)
{
    struct site *site = &sweep.site;
    struct life life = {kill_at};
    set_up_site();
    enum site_end end = site_fork(site, live, &life);
    if (end == SITE_FAILED || (end == SITE_KILLED) != (kill_at != 0)) {
        tell_where(end == SITE_FAILED ? "it fails by itself" : "it ends otherwise than before",
            kill_at, 0);
    }
    sweep.runs++;
    return site->shared->crossed;
}

static void pass_time_of_death(void)
{
    if (sweep.reboot) {
        site_reboot(&sweep.site, 5000);
    }
}

static void recover_here(uint64_t kill_at, uint64_t then_at)
{
    sweep.recovery.thorough = sweep.full || kill_at % 4 == 0;
    if (!recover(&sweep.site, &sweep.recovery)) {
        tell_where("recovering", kill_at, then_at);
    }
}

/* ---- sweeps ----------------------------------------------------------------------------------- */

static void count_crossings(uint64_t counts[DEED_SEAM_COUNT])
{
    for (int i = 0; i < DEED_SEAM_COUNT; i++) {
        counts[i] += sweep.site.shared->crossings[i];
    }
}

static void die_once(uint64_t kill_at, bool reboot)
{
    sweep.reboot = reboot;
    (void)run_until(kill_at);
    sweep.kills[sweep.site.shared->killed_at]++;
    pass_time_of_death();
    recover_here(kill_at, 0);
}

/* The first death at `kill_at`, a second one at each crossing of the recovery in turn. */
static void die_twice(uint64_t kill_at, bool reboot)
{
    struct site *site = &sweep.site;
    sweep.reboot = reboot;
    for (uint64_t then_at = 1;; then_at++) {
        struct life life = {then_at};
        assert_true(then_at < 1000); /* a recovery that never ends is a failure too */
        (void)run_until(kill_at);
        pass_time_of_death();
        enum site_end end = site_fork(site, live_to_recover, &life);
        if (end == SITE_FAILED) {
            tell_where("recovering in a child", kill_at, then_at);
        }
        if (end == SITE_DONE) {
            return;
        }
        sweep.kills[site->shared->killed_at]++;
        sweep.recovery_kills++;
        pass_time_of_death();
        recover_here(kill_at, then_at);
    }
}

static void sweep_class(deed_provider_class provider_class)
{
    struct site *site = &sweep.site;
    const struct scenario *scenario = sweep.scenario;
    site->provider_class = provider_class;
    site->script = scenario->script;
    site->checkpoint_pages = scenario->checkpoint_pages;
    sweep.reboot = false;
    uint64_t crossed = run_until(0);
    count_crossings(sweep.crossings);
    recover_here(0, 0);
    for (uint64_t kill_at = 1; kill_at <= crossed; kill_at++) {
        bool odd = kill_at % 2 == 1;
        die_once(kill_at, odd);
        if (sweep.full) {
            die_once(kill_at, !odd);
        }
        bool sampled = (kill_at + (uint64_t)provider_class) % 12 == 4;
        if (scenario->dies_twice && (sweep.full || sampled)) {
            die_twice(kill_at, odd);
        }
    }
}

static size_t keys_of(const struct scenario *scenario)
{
    size_t count = 0;
    while (count < sizeof(scenario->keys) / sizeof(scenario->keys[0]) &&
        scenario->keys[count] != NULL) {
        count++;
    }
    return count;
}

static double seconds(void)
{
    struct timeval now;
    (void)gettimeofday(&now, NULL);
    return (double)now.tv_sec + (double)now.tv_usec / 1e6;
}

static void test_seams__a_death_at_any_of_them_loses_and_repeats_nothing(void **state)
{
    (void)state;
    double start = seconds();
    for (size_t i = 0; (sweep.scenario = scenario_at(i)) != NULL; i++) {
        uint64_t before = sweep.runs;
        double since = seconds();
        sweep.recovery.asked = sweep.scenario->keys;
        sweep.recovery.asked_count = keys_of(sweep.scenario);
        sweep.recovery.migrates = sweep.scenario->fixture;
        for (int c = DEED_CLASS_BLIND; c <= DEED_CLASS_CLOSABLE; c++) {
            if ((sweep.scenario->classes & (1U << c)) != 0) {
                sweep_class((deed_provider_class)c);
            }
        }
        print_message("%-24s %5llu lives %6.1f s\n", sweep.scenario->name,
            (unsigned long long)(sweep.runs - before), seconds() - since);
    }
    print_message("%llu lives in %.1f s\n", (unsigned long long)sweep.runs, seconds() - start);
}

/* A list that nobody crosses proves nothing. */
static void test_seams__each_is_crossed_and_died_at(void **state)
{
    (void)state;
    uint64_t crossings = 0;
    uint64_t kills = 0;
    int missed = 0;
    print_message("%-22s %10s %8s\n", "seam", "crossings", "kills");
    for (int i = 0; i < DEED_SEAM_COUNT; i++) {
        print_message("%-22s %10llu %8llu\n", deed_seam_name((deed_seam)i),
            (unsigned long long)sweep.crossings[i], (unsigned long long)sweep.kills[i]);
        crossings += sweep.crossings[i];
        kills += sweep.kills[i];
        missed += sweep.crossings[i] == 0 || sweep.kills[i] == 0 ? 1 : 0;
    }
    print_message(
        "%-22s %10llu %8llu\n", "all", (unsigned long long)crossings, (unsigned long long)kills);
    print_message("of these kills during a recovery: %llu; recovery rounds: %llu; decisions of "
                  "persons: %llu; intents checked: %llu\n",
        (unsigned long long)sweep.recovery_kills, (unsigned long long)sweep.recovery.rounds,
        (unsigned long long)sweep.recovery.resolved, (unsigned long long)sweep.site.checked);
    assert_int_equal(missed, 0);
}

static int set_up(void **state)
{
    (void)state;
    const char *full = getenv("DEED_CRASH_FULL");
    memset(&sweep, 0, sizeof(sweep));
    sweep.full = full != NULL && full[0] == '1';
    return sqlite_pool_install() && site_new(&sweep.site) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    site_close(&sweep.site); /* what a failure left open */
    site_free(&sweep.site);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_seams__a_death_at_any_of_them_loses_and_repeats_nothing),
        cmocka_unit_test(test_seams__each_is_crossed_and_died_at),
    };
    return cmocka_run_group_tests_name("seams", tests, set_up, tear_down);
}
