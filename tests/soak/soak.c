/* SPDX-License-Identifier: MIT */
#include "soak.h"

#include <deed/ext/store.h>
#include <deed/mock/executor.h>
#include <deed/sqlite.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* Real clocks: a soak is over when its time is. Short waits, so that doubts can be settled within. */
#define SEND_MS    400
#define ANSWER_MS  400
#define LANDING_MS 200

static const struct provider {
    const char *kind;
    const char *options;
    int64_t window_ms;
    bool asks;
} providers[] = {
    {"payment", "{\"class\": \"keyed+lookup\", \"scripts\": {\"k1*\": {\"do\": \"lose\"}}}",
        DEED_FOREVER, true},
    {"order",
        "{\"class\": \"lookup\", \"scripts\": {\"k2*\": {\"do\": \"lose\"}, \"k3*\": [{\"do\": "
        "\"refuse\"}, {\"do\": \"answer\"}]}}",
        0, true},
    {"letter", "{\"class\": \"blind\", \"scripts\": {\"k4*\": {\"do\": \"lose\"}}}", 0, false},
};
#define PROVIDER_COUNT (sizeof providers / sizeof providers[0])

static int64_t now_s(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec;
}

static bool told(bool ok, const char *what, const struct deed_error *err)
{
    if (!ok) {
        (void)fprintf(stderr, "soak: %s: %s\n", what, err->text);
    }
    return ok;
}

bool soak_create(const struct soak *soak)
{
    struct deed_error err = {0};
    struct deed_store *store = NULL;
    bool ok = deed_sqlite_create(soak->path, NULL, &err) == DEED_OK &&
        deed_sqlite_open(soak->path, NULL, &store, &err) == DEED_OK &&
        deed_ledger_init(store, "soak", true, NULL, &err) == DEED_OK;
    if (store != NULL) {
        store->close(store->self);
    }
    deed_world *world = NULL;
    ok = ok && deed_world_open(soak->world_path, &world, &err) == DEED_OK;
    deed_world_close(world);
    return told(ok, "create", &err);
}

static deed_rc add_executor(
    deed_ledger *ledger, deed_world *world, const struct provider *provider, struct deed_error *err)
{
    const struct deed_profile profile = {.size = sizeof profile,
        .send_ms = SEND_MS,
        .answer_ms = ANSWER_MS,
        .landing_ms = LANDING_MS,
        .reach_ms = provider->asks ? DEED_FOREVER : 0,
        .window_ms = provider->window_ms,
        .consistency = provider->asks ? DEED_CONSISTENCY_STRONG : DEED_CONSISTENCY_UNKNOWN,
        .backoff_base_ms = 1,
        .backoff_cap_ms = 2};
    deed_executor *executor = NULL;
    const deed_rc rc = deed_mock_executor_new_in(world, provider->options, NULL, &executor, err);
    return rc == DEED_OK ? deed_ledger_register(ledger, provider->kind, executor, &profile, err)
                         : rc;
}

deed_ledger *soak_open(const struct soak *soak, deed_world *world)
{
    struct deed_error err = {0};
    struct deed_store *store = NULL;
    deed_ledger *ledger = NULL;
    const struct deed_options options = {.size = sizeof options, .actor = "soak"};
    deed_rc rc = deed_sqlite_open(soak->path, NULL, &store, &err);
    if (rc == DEED_OK) {
        rc = deed_ledger_open(store, &options, &ledger, &err);
    }
    for (size_t i = 0; rc == DEED_OK && i < PROVIDER_COUNT; i++) {
        rc = add_executor(ledger, world, &providers[i], &err);
    }
    if (!told(rc == DEED_OK, "open", &err)) {
        deed_ledger_close(ledger);
        return NULL;
    }
    return ledger;
}

/* ---- one worker ------------------------------------------------------------------------------ */

struct worker {
    struct soak *soak;
    deed_ledger *ledger;
    uint64_t state; /* of its chance */
    uint64_t done;
    struct deed_result result;
    struct deed_error err;
};

/* xorshift: any order will do, as long as each worker has its own. */
static uint64_t chance(struct worker *worker, uint64_t bound)
{
    worker->state ^= worker->state << 13;
    worker->state ^= worker->state >> 7;
    worker->state ^= worker->state << 17;
    return worker->state % bound;
}

/* What a crowd meets: others are at it, were faster, or have left what only a person settles. */
static bool may_be(deed_rc rc)
{
    return rc == DEED_OK || rc == DEED_E_NEEDS_PERSON || rc == DEED_E_NOT_FOUND ||
        rc == DEED_E_NO_STEP || rc == DEED_E_NOT_YET || rc == DEED_E_IN_FLIGHT ||
        rc == DEED_E_UNCERTAIN;
}

/* Told as it is: the crowd may wait, and nothing else may go wrong. */
static deed_rc note(struct worker *worker, deed_rc rc, const char *what, const char *key)
{
    struct soak_counts *counts = &worker->soak->counts;
    (void)atomic_fetch_add(&counts->calls, 1);
    if (rc == DEED_E_BUSY) {
        (void)atomic_fetch_add(&counts->busy, 1);
    } else if (!may_be(rc)) {
        (void)atomic_fetch_add(&counts->failed, 1);
        (void)fprintf(
            stderr, "soak: %s %s: %s: %s\n", what, key, deed_rc_name(rc), worker->err.text);
    }
    return rc;
}

/* Keys that are near each other in time are near each other in number, so that workers meet. */
static void choose_key(struct worker *worker, char key[DEED_KEY_BYTES_MAX + 1])
{
    const uint64_t kind = chance(worker, 5);
    const uint64_t newest = 1 + worker->done / 2;
    const uint64_t near = newest > 20 ? newest - chance(worker, 20) : chance(worker, newest);
    (void)snprintf(
        key, DEED_KEY_BYTES_MAX + 1, "k%" PRIu64 "-%" PRIu64, kind, near % SOAK_KEYS_MAX);
}

static void record(struct worker *worker, const char *key)
{
    const struct provider *provider = &providers[key[1] == '4' ? 2
            : key[1] == '2' || key[1] == '3'                   ? 1
                                                               : 0];
    const struct deed_payload payload = {
        {provider->kind, strlen(provider->kind)}, {"somewhere", 9}, {key, strlen(key)}};
    const struct deed_record in = {.size = sizeof in, .key = key, .payload = &payload};
    (void)note(
        worker, deed_record(worker->ledger, &in, &worker->result, &worker->err), "record", key);
}

static bool see(
    void *context, deed_rc rc, const struct deed_result *result, const struct deed_error *err)
{
    struct worker *worker = context;
    if (rc != DEED_OK && err != NULL) {
        worker->err = *err;
        (void)note(worker, rc, "in a list", result->key);
    }
    return true;
}

static void list(struct worker *worker)
{
    const struct deed_list open = {.size = sizeof open, .limit = 50};
    struct deed_status status = {.size = sizeof status};
    (void)note(
        worker, deed_ledger_list(worker->ledger, &open, see, worker, &worker->err), "list", "");
    if (chance(worker, 50) == 0) {
        (void)note(worker, deed_ledger_status(worker->ledger, &status, &worker->err), "status", "");
    }
}

static void hold_and_release(struct worker *worker, const char *key)
{
    const struct deed_decision decision = {
        .size = sizeof decision, .key = key, .by = "ann", .reason = "to see"};
    (void)note(
        worker, deed_hold(worker->ledger, &decision, &worker->result, &worker->err), "hold", key);
    (void)note(worker, deed_release(worker->ledger, &decision, &worker->result, &worker->err),
        "release", key);
}

static void one_operation(struct worker *worker)
{
    char key[DEED_KEY_BYTES_MAX + 1];
    struct deed_pass pass = {.size = sizeof pass};
    choose_key(worker, key);
    switch (chance(worker, 12)) {
    case 0:
        list(worker);
        break;
    case 1:
        (void)note(
            worker, deed_get(worker->ledger, key, &worker->result, &worker->err), "get", key);
        break;
    case 2:
    case 3:
        (void)note(worker, deed_reconcile(worker->ledger, key, &worker->result, &worker->err),
            "reconcile", key);
        break;
    case 4:
        hold_and_release(worker, key);
        break;
    case 5:
        if (chance(worker, 20) == 0) {
            (void)note(worker,
                deed_reconcile_pass(worker->ledger, see, worker, &pass, &worker->err), "pass", "");
        } else {
            (void)note(worker, deed_run(worker->ledger, key, 0, &worker->result, &worker->err),
                "run", key);
        }
        break;
    case 6:
        (void)note(worker,
            deed_run(worker->ledger, key, DEED_BEGIN_BY_NAME, &worker->result, &worker->err), "run",
            key);
        break;
    default:
        record(worker, key);
        (void)note(
            worker, deed_run(worker->ledger, key, 0, &worker->result, &worker->err), "run", key);
        break;
    }
    worker->done++;
}

void soak_work(struct soak *soak, deed_ledger *ledger, unsigned number)
{
    struct worker worker = {.soak = soak,
        .ledger = ledger,
        .state = UINT64_C(0x9e3779b97f4a7c15) * (number + 1),
        .result = {.size = sizeof worker.result}};
    const int64_t end_s = now_s() + soak->seconds;
    while (soak->operations > 0 ? worker.done < soak->operations : now_s() < end_s) {
        one_operation(&worker);
    }
}

/* ---- all of it ------------------------------------------------------------------------------ */

struct judged {
    deed_world *world;
    uint64_t intents;
    uint64_t known;
    uint64_t wrong;
};

/* An intent and what happened: applied means once; nothing known of a send means nothing happened. */
static bool judge_one(
    void *context, deed_rc rc, const struct deed_result *result, const struct deed_error *err)
{
    struct judged *judged = context;
    (void)err;
    const uint64_t effects = deed_world_effects(judged->world, result->key);
    const bool applied = result->outcome == DEED_APPLIED;
    const bool right = rc == DEED_OK && effects <= 1 && (!applied || effects == 1) &&
        (effects == 0 || applied || result->uncertain || result->in_flight) && !result->disputed;
    judged->intents++;
    judged->known += effects;
    if (!right) {
        judged->wrong++;
        (void)fprintf(stderr, "soak: %s is %s, %s, with %" PRIu64 " effects\n", result->key,
            deed_state_name(result->state), deed_outcome_name(result->outcome), effects);
    }
    return true;
}

static void see_broken(void *context, const char *key, const char *text)
{
    (void)context;
    (void)fprintf(stderr, "soak: broken: %s: %s\n", key, text);
}

bool soak_judge(struct soak *soak)
{
    struct deed_error err = {0};
    struct judged judged = {0};
    struct deed_check check = {.size = sizeof check};
    struct deed_world_counts counts = {.size = sizeof counts};
    const struct deed_list all = {.size = sizeof all, .flags = DEED_LIST_ALL};
    bool ok = deed_world_open(soak->world_path, &judged.world, &err) == DEED_OK;
    deed_ledger *ledger = ok ? soak_open(soak, judged.world) : NULL;
    ok = ledger != NULL &&
        told(deed_ledger_check(ledger, see_broken, NULL, &check, &err) == DEED_OK, "check", &err) &&
        told(deed_ledger_list(ledger, &all, judge_one, &judged, &err) == DEED_OK, "list", &err) &&
        told(deed_world_count(judged.world, NULL, NULL, &counts, &err) == DEED_OK, "count", &err);
    (void)fprintf(stderr,
        "soak: %" PRIu64 " calls, %" PRIu64 " busy, %" PRIu64 " failed; %" PRIu64
        " intents, %" PRIu64 " events; %" PRIu64 " sends, %" PRIu64 " effects, %" PRIu64 " wrong\n",
        (uint64_t)atomic_load(&soak->counts.calls), (uint64_t)atomic_load(&soak->counts.busy),
        (uint64_t)atomic_load(&soak->counts.failed), judged.intents, check.events, counts.sends,
        counts.effects, judged.wrong);
    ok = ok && judged.wrong == 0 && judged.known == counts.effects &&
        atomic_load(&soak->counts.failed) == 0 && atomic_load(&soak->counts.busy) == 0;
    deed_ledger_close(ledger);
    deed_world_close(judged.world);
    return ok;
}
