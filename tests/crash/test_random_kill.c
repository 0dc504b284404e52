/* SPDX-License-Identifier: MIT
 *
 * Slow, as it needs real time: processes that are killed at moments nobody has chosen.
 *
 * Goal: what holds at the seams holds between them, with several processes on one ledger.
 *
 * Method: three workers record, run, reconcile, hold and retract at random, with providers of all
 * classes that answer, lose, refuse and delay; a fourth process kills one of them every few
 * milliseconds and starts another. Now and then it kills all, checks, lets time go by, and boots anew.
 * In the end everything is recovered. A failure names its seed, which chooses the same keys, calls and
 * pauses again; what happens when is up to the machine.
 */
#include "support/test.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <deed/mock/clock.h>

#include "recovery.h"
#include "site.h"
#include "support/sqlite_pool.h"

#define WORKERS     3
#define KEYS        400
#define LETTERS     8
#define KEY_ROOM    16
#define SCRIPT_ROOM 6000

struct soak {
    struct site site;
    struct recovery recovery;
    char script[SCRIPT_ROOM];
    deed_sim_random *random; /* of the process that kills */
    uint64_t seed;
    uint64_t spawned;
    pid_t workers[WORKERS];
    atomic_int *keys; /* recorded or about to be; shared */
    atomic_int *calls;
    uint64_t kills;
    uint64_t stops;
};

static struct soak soak;

/* ---- what there is to do ---------------------------------------------------------------------- */

static const char *const steps[LETTERS] = {
    "{\"do\":\"answer\"}",
    "[{\"do\":\"lose\"},{\"do\":\"answer\"}]",
    "[{\"do\":\"refuse\"},{\"do\":\"answer\"}]",
    "[{\"do\":\"error\"},{\"do\":\"answer\"}]",
    "{\"do\":\"reject\"}",
    "[{\"do\":\"late\",\"land\":{\"after_ms\":3000}},{\"do\":\"answer\"}]",
    "[{\"do\":\"pending\",\"land\":{\"after_ms\":4000}},{\"do\":\"answer\"}]",
    "[{\"do\":\"garbage\"},{\"do\":\"answer\"}]",
};

/* Class and letter of a key choose its provider and what that does. */
static void write_script(char out[SCRIPT_ROOM])
{
    size_t used = (size_t)snprintf(out, SCRIPT_ROOM, ",\"scripts\":{");
    for (int class = 0; class <= DEED_CLASS_CLOSABLE; class ++) {
        for (int letter = 0; letter < LETTERS; letter++) {
            used += (size_t)snprintf(out + used, SCRIPT_ROOM - used, "%s\"%d-%c*\":%s",
                class + letter == 0 ? "" : ",", class, 'a' + letter, steps[letter]);
        }
    }
    used += (size_t)snprintf(out + used, SCRIPT_ROOM - used, "}");
    assert_in_range(used, 1, SCRIPT_ROOM - 1);
}

static void name_key(int number, char key_out[KEY_ROOM])
{
    (void)snprintf(key_out, KEY_ROOM, "%d-%c%d", number % (DEED_CLASS_CLOSABLE + 1),
        'a' + number / (DEED_CLASS_CLOSABLE + 1) % LETTERS, number);
}

/* ---- a worker --------------------------------------------------------------------------------- */

/* A store that fails, a ledger that is broken, a call that was wrong: nothing here may cause them. */
static bool is_bad(deed_rc rc)
{
    return rc == DEED_E_STORE || rc == DEED_E_SYSTEM || rc == DEED_E_CHECK || rc == DEED_E_MISUSE ||
        rc == DEED_E_INVALID || rc == DEED_E_SCHEMA || rc == DEED_E_CONFLICT ||
        rc == DEED_E_NO_EXECUTOR || rc == DEED_E_NOMEM;
}

static bool visit(
    void *context, deed_rc rc, const struct deed_result *result, const struct deed_error *err)
{
    struct site *site = context;
    return is_bad(rc) ? site_fail(site, "%s: %s", result->key, err->text)
                      : site_tell(site, result->key);
}

static deed_rc record(struct site *site, const char *key)
{
    char body[SITE_BODY_BYTES];
    struct deed_payload payload = site_payload(site, key, body);
    struct deed_record record = {.size = sizeof(record), .key = key, .payload = &payload};
    return deed_record(site->ledger, &record, &site->result, &site->err);
}

static deed_rc decide(struct site *site, const char *key, uint64_t what)
{
    struct deed_decision decision = {
        .size = sizeof(decision), .key = key, .by = "ada", .reason = "it seemed right"};
    if (what == 0) {
        return deed_hold(site->ledger, &decision, &site->result, &site->err);
    }
    return what == 1 ? deed_retract(site->ledger, &decision, &site->result, &site->err)
                     : deed_release(site->ledger, &decision, &site->result, &site->err);
}

static deed_rc act(struct site *site, const char *key, uint64_t what)
{
    site->result.size = sizeof(site->result);
    switch (what) {
    case 0:
    case 1:
        return record(site, key);
    case 2:
        return deed_run_due(site->ledger, visit, site, &site->err);
    case 3: {
        struct deed_pass pass = {.size = sizeof(pass)};
        return deed_reconcile_pass(site->ledger, visit, site, &pass, &site->err);
    }
    case 4:
    case 5:
    case 6:
        return deed_reconcile(site->ledger, key, &site->result, &site->err);
    case 7:
    case 8:
    case 9:
        return decide(site, key, what - 7);
    default:
        return deed_run(site->ledger, key, 0, &site->result, &site->err);
    }
}

#define CHOICES 20

static bool work(struct site *site, void *context)
{
    uint64_t seed = *(const uint64_t *)context;
    deed_sim_random *random = NULL;
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (!site_open(site) || deed_sim_random_new(seed, &random, &site->err) != DEED_OK) {
        return false;
    }
    for (;;) {
        char key[KEY_ROOM];
        uint64_t what = deed_sim_random_below(random, CHOICES);
        int known = atomic_load(soak.keys);
        int number = known == 0 ? 0 : (int)deed_sim_random_below(random, (uint64_t)known);
        if (known == 0 || (what == 0 && known < KEYS)) {
            number = atomic_fetch_add(soak.keys, 1);
            what = 0;
        }
        name_key(number, key);
        deed_rc rc = act(site, key, what);
        (void)atomic_fetch_add(soak.calls, 1);
        if (is_bad(rc)) {
            return site_fail(
                site, "call %d, %s: %s: %s", (int)what, key, deed_rc_name(rc), site->err.text);
        }
        bool tells = rc == DEED_OK && what != 2 && what != 3;
        if ((tells && !site_tell(site, key)) || site->shared->failure[0] != '\0') {
            return false;
        }
    }
}

/* ---- the one that kills ----------------------------------------------------------------------- */

static void fail_here(const char *what)
{
    fail_msg("%s, seed %llu: %s", what, (unsigned long long)soak.seed, soak.site.shared->failure);
}

static void spawn(size_t w)
{
    uint64_t seed = soak.seed * 1000003 + ++soak.spawned;
    (void)fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        (void)work(&soak.site, &seed); /* comes back only if it fails */
        _exit(1);
    }
    assert_true(child > 0);
    soak.workers[w] = child;
}

static void kill_worker(size_t w)
{
    int status = 0;
    if (soak.workers[w] == 0) {
        return;
    }
    assert_int_equal(kill(soak.workers[w], SIGKILL), 0);
    assert_int_equal(waitpid(soak.workers[w], &status, 0), soak.workers[w]);
    soak.workers[w] = 0;
    soak.kills++;
    if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL) {
        fail_here("a worker ended by itself");
    }
}

static uint64_t below(uint64_t bound)
{
    return deed_sim_random_below(soak.random, bound);
}

static void sleep_ms(uint64_t time_ms)
{
    struct timespec left = {
        .tv_sec = (time_t)(time_ms / 1000), .tv_nsec = (long)(time_ms % 1000) * 1000000};
    while (nanosleep(&left, &left) != 0 && errno == EINTR) {
        continue;
    }
}

/* What was told is checked, and from then on told anew, shorter. */
static void tell_again(struct site *site)
{
    struct site_shared *shared = site->shared;
    int known = atomic_load(soak.keys);
    size_t told = atomic_exchange(&shared->told_count, 0);
    for (size_t i = 0; i < told && i < SITE_TOLD_MAX; i++) {
        atomic_store(&shared->told_whole[i], false);
    }
    for (int i = 0; i < known; i++) {
        char key[KEY_ROOM];
        struct deed_result result = {.size = sizeof(result)};
        name_key(i, key);
        if (deed_get(site->ledger, key, &result, &site->err) == DEED_OK && !site_tell(site, key)) {
            fail_here("telling again");
        }
    }
}

static void stop_the_world(void)
{
    struct site *site = &soak.site;
    for (size_t w = 0; w < WORKERS; w++) {
        kill_worker(w);
    }
    if (!site_open(site) || !site_check(site)) {
        fail_here("after all were killed");
    }
    tell_again(site);
    site_close(site);
    site_advance(site, (int64_t)below(20000));
    if (below(3) == 0) {
        site_reboot(site, 1000);
    }
    soak.stops++;
}

static int64_t now_ms(void)
{
    struct timespec now = {0, 0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void soak_for(int64_t time_ms)
{
    int64_t end_ms = now_ms() + time_ms;
    for (uint64_t round = 1; now_ms() < end_ms; round++) {
        for (size_t w = 0; w < WORKERS; w++) {
            if (soak.workers[w] == 0) {
                spawn(w);
            }
        }
        sleep_ms(5 + below(120));
        kill_worker(below(WORKERS));
        if (round % 25 == 0) {
            stop_the_world();
        }
    }
    stop_the_world();
}

static void test_random_kill__loses_and_repeats_nothing(void **state)
{
    (void)state;
    struct site *site = &soak.site;
    const char *seconds = getenv("DEED_CRASH_SECONDS");
    if (!site_make_ledger(site)) {
        fail_here("preparing");
    }
    site->shared->real_start_ms = now_ms();
    site->shared->real_time = true;
    soak_for(seconds == NULL ? 20000 : strtol(seconds, NULL, 10) * 1000);
    site_advance(site, now_ms() - site->shared->real_start_ms);
    site->shared->real_time = false; /* from here time is ours again */
    soak.recovery.thorough = true;
    if (!recover(site, &soak.recovery)) {
        fail_here("recovering");
    }
    print_message(
        "seed %llu: %llu kills, %llu times all, %d calls, %d intents; recovery rounds %llu, "
        "decisions of persons %llu\n",
        (unsigned long long)soak.seed, (unsigned long long)soak.kills,
        (unsigned long long)soak.stops, atomic_load(soak.calls), atomic_load(soak.keys),
        (unsigned long long)soak.recovery.rounds, (unsigned long long)soak.recovery.resolved);
    assert_true(soak.kills > 0 && atomic_load(soak.calls) > 0);
}

static int set_up(void **state)
{
    (void)state;
    const char *seed = getenv("DEED_CRASH_SEED");
    memset(&soak, 0, sizeof(soak));
    soak.seed = seed != NULL ? strtoull(seed, NULL, 10) : (uint64_t)time(NULL);
    print_message("seed %llu\n", (unsigned long long)soak.seed);
    write_script(soak.script);
    if (!sqlite_pool_install() || !site_new(&soak.site) ||
        deed_sim_random_new(soak.seed, &soak.random, NULL) != DEED_OK) {
        return -1;
    }
    soak.site.script = soak.script;
    soak.site.all_classes = true;
    soak.keys = &soak.site.shared->counters[0];
    soak.calls = &soak.site.shared->counters[1];
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    for (size_t w = 0; w < WORKERS; w++) {
        if (soak.workers[w] != 0) {
            (void)kill(soak.workers[w], SIGKILL);
            (void)waitpid(soak.workers[w], NULL, 0);
        }
    }
    site_close(&soak.site);
    site_free(&soak.site);
    deed_sim_random_free(soak.random);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_kill__loses_and_repeats_nothing),
    };
    return cmocka_run_group_tests_name("random_kill", tests, set_up, tear_down);
}
