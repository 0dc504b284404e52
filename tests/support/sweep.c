/* SPDX-License-Identifier: MIT */
#include "support/sweep.h"

#include "support/disk_ledger.h"
#include "support/test.h"

#include <time.h>
#include <unistd.h>

#include <deed/reference.h>
#include <deed/sqlite.h>

#define START_MS 1700000000000
#define HOUR_MS  3600000

/* ---- the provider --------------------------------------------------------------------------------- */

static deed_rc prepare(void *self, const struct deed_request *request,
    struct deed_preparation *preparation, struct deed_error *err)
{
    (void)self;
    (void)err;
    (void)snprintf(preparation->endpoint, sizeof(preparation->endpoint), "script://provider");
    return preparation->write(preparation->sink, request->key, strlen(request->key)) ? DEED_OK
                                                                                     : DEED_E_NOMEM;
}

static bool honours_key(const struct sweep_rig *rig)
{
    return rig->scenario->class == SWEEP_KEYED || rig->scenario->class == SWEEP_KEYED_LOOKUP;
}

static void attempt(void *self, const struct deed_call *call, struct deed_answer *answer)
{
    struct sweep_rig *rig = self;
    if (!call->may_send(call->gate)) {
        return;
    }
    rig->sends++;
    const bool known = honours_key(rig) && strcmp(rig->effect_key, call->provider_key) == 0;
    if (!rig->refuses && !known) {
        rig->effects++;
        (void)snprintf(rig->effect_key, sizeof(rig->effect_key), "%s", call->provider_key);
    }
    if (!rig->refuses && !rig->loses_reply) {
        answer->verdict = DEED_VERDICT_APPLIED;
        (void)snprintf(answer->reference, sizeof(answer->reference), "ref-%s", call->key);
    }
}

static void lookup(void *self, const struct deed_question *question, struct deed_finding *finding)
{
    const struct sweep_rig *rig = self;
    finding->kind = rig->effects > 0 ? DEED_FOUND_PRESENT : DEED_FOUND_ABSENT;
    finding->complete = true;
    finding->marker_matches = true;
    finding->digest_matches = true;
    finding->count = rig->effects;
    if (rig->effects > 0) {
        (void)snprintf(finding->reference, sizeof(finding->reference), "ref-%s", question->key);
    }
}

static void cancel(void *self, const struct deed_question *question, struct deed_finding *finding)
{
    lookup(self, question, finding);
    if (finding->kind == DEED_FOUND_ABSENT) {
        finding->kind = DEED_FOUND_CLOSED;
    }
}

static deed_executor executor_of(struct sweep_rig *rig)
{
    const enum sweep_class class = rig->scenario->class;
    const bool asks = class == SWEEP_LOOKUP || class == SWEEP_KEYED_LOOKUP;
    return (deed_executor){.size = sizeof(deed_executor),
        .name = "script",
        .version = "1",
        .flags = DEED_EXECUTOR_MOCK,
        .self = rig,
        .prepare = prepare,
        .attempt = attempt,
        .lookup = asks ? lookup : NULL,
        .cancel = class == SWEEP_CLOSABLE ? cancel : NULL};
}

static struct deed_profile profile_of(const struct sweep_rig *rig)
{
    struct deed_profile profile = {
        .size = sizeof(profile), .send_ms = 1000, .answer_ms = 1000, .attempts_max = 100};
    profile.landing_ms = 1000;
    profile.consistency = DEED_CONSISTENCY_STRONG;
    if (rig->executor.lookup != NULL) {
        profile.lag_ms = 1000;
        profile.reach_ms = 24 * (int64_t)HOUR_MS;
    }
    if (honours_key(rig)) {
        profile.window_ms = 24 * (int64_t)HOUR_MS;
    }
    return profile;
}

/* ---- handles --------------------------------------------------------------------------------------- */

struct deed_options sweep_options(const struct sweep_rig *rig)
{
    struct deed_options options = {.size = sizeof(options),
        .clock = deed_sim_clock_machine(rig->clock),
        .random = deed_sim_random_source(rig->random),
        .memory = rig->faults->memory};
    return options;
}

deed_rc sweep_open_store(struct sweep_rig *rig, const char *path, struct deed_store **store_out)
{
    const struct deed_sqlite_options options = {.size = sizeof(options),
        .vfs = rig->place == SWEEP_DISK ? deed_disk_vfs(sweep_disk()) : rig->faults->vfs,
        .memory = rig->faults->memory,
        .random = deed_sim_random_source(rig->random),
        .checkpoint_pages = 20,
        .busy_ms = 2};
    return deed_sqlite_open(path, &options, store_out, &rig->err);
}

/* The observer's handle holds the memory of the reference store. */
static struct deed_store *reference_home;

deed_rc sweep_open_now(struct sweep_rig *rig, deed_ledger **ledger_out)
{
    struct deed_store *store = NULL;
    const struct deed_options options = sweep_options(rig);
    deed_rc rc = rig->place == SWEEP_REFERENCE
        ? deed_reference_attach(reference_home, NULL, &store, NULL)
        : sweep_open_store(rig, rig->path, &store);
    if (rc == DEED_OK) {
        rc = deed_ledger_open(store, &options, ledger_out, &rig->err);
    }
    if (rc == DEED_OK) {
        const struct deed_profile profile = profile_of(rig);
        rc = deed_ledger_register(*ledger_out, "payment", &rig->executor, &profile, NULL);
        if (rc != DEED_OK) {
            deed_ledger_close(*ledger_out);
            *ledger_out = NULL;
        }
    }
    return rc;
}

void sweep_open(struct sweep_rig *rig)
{
    assert_int_equal(sweep_open_now(rig, &rig->ledger), DEED_OK);
}

void sweep_close(struct sweep_rig *rig)
{
    deed_ledger_close(rig->ledger);
    rig->ledger = NULL;
}

deed_ledger *sweep_open_apart(struct sweep_rig *rig, const deed_disk *disk)
{
    struct deed_store *store = NULL;
    deed_ledger *ledger = NULL;
    struct deed_options options = sweep_options(rig);
    const struct deed_sqlite_options files = {.size = sizeof(files),
        .vfs = disk == NULL ? NULL : deed_disk_vfs(disk),
        .random = deed_sim_random_source(rig->random)};
    options.memory = NULL;
    deed_rc rc = deed_sqlite_open(rig->path, &files, &store, &rig->err);
    if (rc == DEED_OK) {
        rc = deed_ledger_open(store, &options, &ledger, &rig->err);
    }
    if (rc != DEED_OK) {
        fail_msg("%s, %s: a ledger that nobody can open: %s", rig->scenario->name,
            rig->faults->words, rig->err.text);
    }
    return ledger;
}

static void make_files(struct sweep_rig *rig)
{
    struct deed_store *store = NULL;
    struct deed_options options = sweep_options(rig);
    options.memory = NULL;
    (void)snprintf(rig->folder, sizeof(rig->folder), "sweep-XXXXXX");
    assert_non_null(mkdtemp(rig->folder));
    (void)snprintf(rig->path, sizeof(rig->path), "%s/ledger", rig->folder);
    assert_int_equal(deed_sqlite_create(rig->path, NULL, NULL), DEED_OK);
    assert_int_equal(deed_sqlite_open(rig->path, NULL, &store, NULL), DEED_OK);
    assert_int_equal(deed_ledger_init(store, "sweep", true, &options, NULL), DEED_OK);
    store->close(store->self);
    rig->observer = sweep_open_apart(rig, NULL);
}

static void make_reference(struct sweep_rig *rig)
{
    struct deed_store *store = NULL;
    struct deed_options options = sweep_options(rig);
    const struct deed_reference_options memory = {
        .size = sizeof(memory), .memory = rig->faults->memory};
    assert_int_equal(deed_reference_open(&memory, &store, NULL), DEED_OK);
    reference_home = store;
    options.memory = NULL;
    assert_int_equal(deed_ledger_init(store, "sweep", true, &options, NULL), DEED_OK);
    assert_int_equal(deed_ledger_open(store, &options, &rig->observer, NULL), DEED_OK);
}

static void make_ledger(struct sweep_rig *rig)
{
    if (rig->place == SWEEP_REFERENCE) {
        make_reference(rig);
    } else if (rig->place == SWEEP_FILES) {
        make_files(rig);
    } else {
        (void)snprintf(rig->path, sizeof(rig->path), "%s", DISK_LEDGER_PATH);
        sweep_disk_renew();
        rig->observer = sweep_open_apart(rig, sweep_disk());
    }
    if (!rig->scenario->without_ledger) {
        sweep_open(rig);
    }
}

static void remove_ledger(struct sweep_rig *rig)
{
    static const char *const suffixes[] = {"", "-wal", "-shm", "-owners"};
    sweep_close(rig);
    deed_ledger_close(rig->observer);
    rig->observer = NULL;
    for (size_t i = 0; rig->place == SWEEP_FILES && i < sizeof(suffixes) / sizeof(suffixes[0]);
         i++) {
        char path[128];
        (void)snprintf(path, sizeof(path), "%s%s", rig->path, suffixes[i]);
        (void)unlink(path);
    }
    if (rig->place == SWEEP_FILES) {
        assert_int_equal(rmdir(rig->folder), 0); /* nothing else was left behind */
    }
}

const char *sweep_standing_in(deed_ledger *ledger, const char *key)
{
    static char standing[SWEEP_STANDING_BYTES];
    struct deed_result result = {.size = sizeof(result)};
    struct deed_error err = {.text = ""};
    const deed_rc rc = deed_get(ledger, key, &result, &err);
    if (rc == DEED_E_NOT_FOUND) {
        return "-";
    }
    if (rc != DEED_OK) {
        fail_msg("%s: the observer cannot look: %s", key, err.text);
    }
    (void)snprintf(standing, sizeof(standing), "%s/%s", deed_state_name(result.state),
        deed_outcome_name(result.outcome));
    return standing;
}

const char *sweep_standing(struct sweep_rig *rig, const char *key)
{
    return sweep_standing_in(rig->observer, key);
}

/* ---- one fault ------------------------------------------------------------------------------------- */

static void tell_broken(void *context, const char *key, const char *text)
{
    (void)fprintf(stderr, "%s: %s: %s\n", (const char *)context, key, text);
}

static void check_ledger(struct sweep_rig *rig, deed_ledger *ledger)
{
    struct deed_check check = {.size = sizeof(check)};
    char name[64];
    (void)snprintf(name, sizeof(name), "%s", rig->scenario->name);
    if (deed_ledger_check(ledger, tell_broken, name, &check, NULL) != DEED_OK) {
        fail_msg("%s: the ledger is broken after %s", name, rig->faults->words);
    }
}

static bool same(const char *one, const char *other)
{
    return other != NULL && strcmp(one, other) == 0;
}

/* A call, and what it answered. */
struct trial {
    struct sweep_rig *rig;
    uint64_t nth;
    bool sticky;
    bool again; /* it is the call that finishes the action, when the fault is over */
    deed_rc rc;
    unsigned sent; /* by this call */
};

#define JUDGE(holds, what)                                                                         \
    do {                                                                                           \
        if (!(holds)) {                                                                            \
            fail_msg("%s, %s %llu%s%s: %s (answer %s, stands %s%s, %u sent, %u effects): %s",      \
                rig->scenario->name, rig->faults->words, (unsigned long long)trial->nth,           \
                trial->sticky ? " and on" : "", trial->again ? ", done again" : "", what,          \
                deed_rc_name(trial->rc), standing, where, rig->sends, rig->effects,                \
                rig->err.text);                                                                    \
        }                                                                                          \
    } while (0)

/* Where it stands, as somebody sees it. */
static void judge_standing(const struct trial *trial, const char *standing, const char *where)
{
    const struct sweep_rig *rig = trial->rig;
    const struct sweep_scenario *scenario = rig->scenario;
    JUDGE(same(standing, scenario->from) || same(standing, scenario->to) ||
            same(standing, scenario->between[0]) || same(standing, scenario->between[1]) ||
            (trial->again && same(standing, scenario->late)),
        "it stands where the action does not lead");
    JUDGE(trial->rc != DEED_OK || same(standing, scenario->to) ||
            (trial->again && same(standing, scenario->late)),
        "said to be done, and is not");
    /* Only DEED_E_STORE and DEED_E_UNCERTAIN leave open whether a commit is there. */
    JUDGE((trial->rc != DEED_E_BUSY && trial->rc != DEED_E_NOMEM) || scenario->between[0] != NULL ||
            same(standing, scenario->from),
        "said not to be done, and is");
    JUDGE(rig->effects <= 1, "doubled");
    JUDGE(!same(standing, "recorded/none") || rig->sends == 0, "sent, and forgotten");
    JUDGE(!same(standing, "confirmed/not_applied") || rig->effects == 0, "sent, and denied");
}

static void look_back(const struct trial *trial, bool power_gone)
{
    struct sweep_rig *rig = trial->rig;
    const deed_disk *left = sweep_disk_left(power_gone);
    char *standing = sweep_disk_known(left);
    if (standing[0] == '\0') {
        deed_ledger *ledger = sweep_open_apart(rig, left);
        (void)snprintf(standing, SWEEP_STANDING_BYTES, "%s", sweep_standing_in(ledger, rig->key));
        check_ledger(rig, ledger);
        deed_ledger_close(ledger);
    }
    judge_standing(trial, standing, power_gone ? " after the power went" : " for who comes later");
}

static void judge(const struct trial *trial)
{
    struct sweep_rig *rig = trial->rig;
    const bool without = rig->scenario->without_ledger;
    const char *where = "";
    const char *standing = without ? rig->scenario->to : sweep_standing(rig, rig->key);
    if (trial->again) {
        JUDGE(trial->rc == DEED_OK, "the fault is over, and the call still fails");
    }
    JUDGE(trial->rc == DEED_OK || trial->rc == DEED_E_UNCERTAIN ||
            rig->faults->may_answer(rig->faults->self, trial->rc),
        "that is no answer to this fault");
    JUDGE(trial->rc == DEED_OK || trial->rc == DEED_E_UNCERTAIN || trial->sent == 0,
        "an error that hides a send");
    judge_standing(trial, standing, where);
    if (rig->place == SWEEP_DISK && rig->faults->looks_back && !trial->again) {
        look_back(trial, false);
    }
    if (rig->place == SWEEP_DISK && rig->faults->power_goes) {
        look_back(trial, true);
    }
}

/* The next intent, where the action leads from. */
static void prepare_next(struct sweep_rig *rig, const char *letter, uint64_t number)
{
    (void)snprintf(rig->key, sizeof(rig->key), "%s-%llu", letter, (unsigned long long)number);
    rig->sends = 0;
    rig->effects = 0;
    rig->effect_key[0] = '\0';
    rig->loses_reply = false;
    rig->refuses = false;
    rig->begun = false;
    rig->answered = false;
    if (rig->scenario->prepare != NULL) {
        rig->scenario->prepare(rig);
    }
}

/* Without the fault the action can be finished, on the handle that met it. */
static void finish(struct trial *trial)
{
    const struct sweep_scenario *scenario = trial->rig->scenario;
    trial->again = true;
    trial->sent = 0;
    trial->rc = scenario->again == NULL ? scenario->act(trial->rig) : scenario->again(trial->rig);
    judge(trial);
}

static bool meet_fault(struct sweep_rig *rig, uint64_t nth, bool sticky)
{
    struct trial trial = {.rig = rig, .nth = nth, .sticky = sticky};
    if (rig->faults->looks_back) {
        prepare_next(rig, "k", 1);
    } else if (rig->key[0] != 'k' || !rig->scenario->same_key) {
        prepare_next(rig, "k", nth);
    }
    if (rig->faults->cold) {
        sweep_close(rig);
        sweep_open(rig);
    }
    memset(&rig->err, 0, sizeof(rig->err));
    const unsigned sent_before = rig->sends;
    rig->faults->arm(rig->faults->self, nth, sticky);
    trial.rc = rig->scenario->act(rig);
    const uint64_t met = rig->faults->disarm(rig->faults->self);
    trial.sent = rig->sends - sent_before;
    judge(&trial);
    finish(&trial);
    return met > 0;
}

/* ---- all faults ------------------------------------------------------------------------------------ */

#define FAULTS_MAX 100000
#define CHECK_EACH 50

/* A handle that is new makes requests that one in use does not. */
static void warm_up(struct sweep_rig *rig, uint64_t number)
{
    struct trial trial = {.rig = rig, .nth = number};
    prepare_next(rig, "w", number);
    trial.rc = rig->scenario->act(rig);
    finish(&trial);
}

static void begin_ledger(struct sweep_rig *rig)
{
    assert_int_equal(deed_sim_random_new(7, &rig->random, NULL), DEED_OK);
    deed_sim_clock_reset(rig->clock, START_MS);
    if (rig->place == SWEEP_DISK) {
        deed_disk_seed(sweep_disk(), 7);
    }
    make_ledger(rig);
}

static void end_ledger(struct sweep_rig *rig)
{
    remove_ledger(rig);
    deed_sim_random_free(rig->random);
}

static void go_on(struct sweep_rig *rig, uint64_t nth)
{
    if (rig->place == SWEEP_DISK && rig->faults->looks_back) {
        end_ledger(rig);
        begin_ledger(rig);
    } else if (nth % CHECK_EACH == 0) {
        check_ledger(rig, rig->observer);
        if (rig->place == SWEEP_DISK) {
            end_ledger(rig);
            begin_ledger(rig);
            warm_up(rig, nth);
        }
    }
}

static double now_s(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static struct {
    uint64_t count;
    double seconds;
} trials;

void sweep_tell(const char *faults)
{
    print_message("trials: %llu %s, %.0f a second\n", (unsigned long long)trials.count, faults,
        trials.seconds > 0 ? (double)trials.count / trials.seconds : 0);
}

uint64_t sweep_run(const struct sweep_scenario *scenario, const struct sweep_faults *faults,
    enum sweep_place place, bool sticky)
{
    const double began_s = now_s();
    struct sweep_rig rig;
    memset(&rig, 0, sizeof(rig));
    rig.faults = faults;
    rig.scenario = scenario;
    rig.place = place;
    assert_int_equal(deed_sim_clock_new(START_MS, &rig.clock, NULL), DEED_OK);
    rig.executor = executor_of(&rig);
    begin_ledger(&rig);
    uint64_t nth = 1;
    while (meet_fault(&rig, nth, sticky)) {
        assert_in_range(nth, 1, FAULTS_MAX); /* an action that never ends is a failure too */
        go_on(&rig, nth);
        nth++;
    }
    check_ledger(&rig, rig.observer);
    end_ledger(&rig);
    deed_sim_clock_free(rig.clock);
    trials.count += nth - 1;
    trials.seconds += now_s() - began_s;
    return nth - 1;
}
