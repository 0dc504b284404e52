/* SPDX-License-Identifier: MIT
 *
 * After the lives: whatever the program left open comes to its end. Passes and runs while time goes
 * by, and where the list says so a person, who looks at the world and tells the truth. Everything
 * is checked after each step.
 */
#include "simulate/simulate.h"

#include <stdlib.h>
#include <string.h>

#include <deed/ext/error.h>

#include "mix.h"

/* Rounds without a person, and how much time goes by before each: the lease, the horizon and the
 * lag, a second absence, the pauses of retries, the windows of keys, the second looks. */
static const int64_t passing_ms[] = {0, DEED_CRASH__LEASE_MS + 100, DEED_CRASH__VISIBLE_MS,
    DEED_CRASH__VISIBLE_MS, DEED_CRASH__VISIBLE_MS, 60000, DEED_CRASH__WINDOW_MS, 60000, 60000};
#define ROUNDS     (sizeof(passing_ms) / sizeof(passing_ms[0]))
#define ROUNDS_MAX 24 /* with persons; nothing takes longer */
#define DAYS_MS    (INT64_C(3) * 86400 * 1000)

struct open_one {
    char key[DEED_KEY_BYTES_MAX + 1];
    deed_reason reason; /* NONE: no person is asked */
};

struct settling {
    struct deed_crash__run *run;
    deed_ledger *ledger;
    struct open_one *items;
    size_t count;
    size_t room;
    int64_t history; /* events of all intents */
};

/* ---- the machine ------------------------------------------------------------------------- */

static bool note_result(
    void *context, deed_rc rc, const struct deed_result *result, const struct deed_error *err)
{
    struct settling *settling = context;
    bool normal = rc == DEED_OK || rc == DEED_E_NEEDS_PERSON || rc == DEED_E_NOT_YET;
    return normal ||
        deed_crash__break(
            settling->run, "IM3: on the way, %s: %s: %s", result->key, deed_rc_name(rc), err->text);
}

static bool look(struct settling *settling, bool whole, bool ended)
{
    return deed_crash__look(settling->run, settling->ledger, whole, ended);
}

static bool machine_round(struct settling *settling, int64_t wait_ms)
{
    struct deed_crash__run *run = settling->run;
    struct deed_pass pass = {.size = sizeof(pass)};
    struct deed_error err = {.text = ""};
    deed_sim_clock_advance(run->stage->clock, wait_ms);
    if (deed_run_due(settling->ledger, note_result, settling, &err) != DEED_OK) {
        return deed_crash__break(run, "IM3: what is due cannot be run: %s", err.text);
    }
    if (run->broken[0] != '\0' || !look(settling, false, false)) {
        return false;
    }
    if (deed_reconcile_pass(settling->ledger, note_result, settling, &pass, &err) != DEED_OK) {
        return deed_crash__break(run, "IM3: a pass fails: %s", err.text);
    }
    return run->broken[0] == '\0' && look(settling, false, false);
}

/* ---- the person -------------------------------------------------------------------------- */

static bool collect_open(
    void *context, deed_rc rc, const struct deed_result *result, const struct deed_error *err)
{
    struct settling *settling = context;
    (void)rc;
    (void)err;
    if (result->reason == DEED_REASON_PAYLOAD_MISSING) {
        return true; /* nobody has it */
    }
    if (settling->count == settling->room) {
        size_t room = settling->room * 2 + 16;
        struct open_one *items = realloc(settling->items, room * sizeof(*items));
        if (items == NULL) {
            return deed_crash__fail(settling->run, DEED_E_NOMEM);
        }
        settling->items = items;
        settling->room = room;
    }
    struct open_one *item = &settling->items[settling->count++];
    memcpy(item->key, result->key, sizeof(result->key));
    item->reason = result->needs_person ? result->reason : DEED_REASON_NONE;
    return true;
}

static bool list_open(struct settling *settling)
{
    struct deed_list open = {.size = sizeof(open)};
    struct deed_error err;
    settling->count = 0;
    return deed_ledger_list(settling->ledger, &open, collect_open, settling, &err) == DEED_OK
        ? settling->run->failed == DEED_OK
        : deed_crash__break(settling->run, "IM1: the open ones cannot be listed: %s", err.text);
}

static deed_rc decide(
    struct settling *settling, const struct open_one *item, struct deed_error *err)
{
    struct deed_result result = {.size = sizeof(result)};
    struct deed_decision decision = {.size = sizeof(decision),
        .key = item->key,
        .by = "grace",
        .reason = "looked at the provider's books"};
    switch ((int)item->reason) {
    case DEED_REASON_HELD:
        return deed_release(settling->ledger, &decision, &result, err);
    case DEED_REASON_OVERDUE:
    case DEED_REASON_EXHAUSTED:
        return deed_retract(settling->ledger, &decision, &result, err);
    case DEED_REASON_RETRY_BY_NAME:
        return deed_run(settling->ledger, item->key, DEED_BEGIN_BY_NAME, &result, err);
    case DEED_REASON_PENDING:
    case DEED_REASON_ANSWER_UNKNOWN:
    case DEED_REASON_LEASE_OVER:
    case DEED_REASON_OWNER_GONE:
    case DEED_REASON_DISPUTED:
        decision.outcome = deed_world_effects(settling->run->stage->world, item->key) > 0
            ? DEED_APPLIED
            : DEED_NOT_APPLIED;
        return deed_resolve(settling->ledger, &decision, &result, err);
    default:
        return deed_error_set(err, DEED_E_CHECK, DEED_CRASH__ORIGIN, "nobody knows what to decide");
    }
}

static bool person_round(struct settling *settling)
{
    struct deed_crash__run *run = settling->run;
    for (size_t i = 0; i < settling->count; i++) {
        const struct open_one *item = &settling->items[i];
        struct deed_error err = {.text = ""};
        if (item->reason == DEED_REASON_NONE) {
            continue;
        }
        run->persons++;
        deed_rc rc = decide(settling, item, &err);
        if (rc != DEED_OK && rc != DEED_E_NOT_YET) { /* "not yet": the person comes again */
            return deed_crash__break(run, "IL1: %s waits for a person (%s), who can do nothing: %s",
                item->key, deed_reason_name(item->reason), err.text);
        }
        if (!look(settling, false, false)) {
            return false;
        }
    }
    return true;
}

/* ---- the end ----------------------------------------------------------------------------- */

/* IL1: without a person everything ends or says that it needs one; with one, everything ends. */
static bool settle_all(struct settling *settling)
{
    for (size_t round = 0; round < ROUNDS; round++) {
        if (!machine_round(settling, passing_ms[round]) || !list_open(settling)) {
            return false;
        }
        if (settling->count == 0) {
            break;
        }
    }
    if (!look(settling, false, true)) {
        return false;
    }
    for (size_t round = 0; settling->count > 0 && round < ROUNDS_MAX; round++) {
        if (!person_round(settling) || !machine_round(settling, DEED_CRASH__VISIBLE_MS) ||
            !list_open(settling)) {
            return false;
        }
    }
    return settling->count == 0 ||
        deed_crash__break(settling->run, "IL1: %s and %zu others never end", settling->items[0].key,
            settling->count - 1);
}

static int64_t events_told(const struct deed_crash__stage *stage)
{
    int64_t events = 0;
    for (size_t i = 0; i < stage->told.count; i++) {
        events += stage->told.items[i].events;
    }
    return events;
}

/* Everything is as it will be: another round changes nothing. */
static bool look_back(struct settling *settling)
{
    struct deed_crash__run *run = settling->run;
    struct deed_crash__stage *stage = run->stage;
    for (int day = 0; day < 2; day++) { /* second looks */
        if (!machine_round(settling, DAYS_MS)) {
            return false;
        }
    }
    uint64_t sends = deed_world_sends(stage->world, NULL);
    int64_t before = events_told(stage);
    if (!machine_round(settling, DAYS_MS)) {
        return false;
    }
    run->looked_back = true;
    if (events_told(stage) != before || deed_world_sends(stage->world, NULL) != sends) {
        return deed_crash__break(run, "IM2: a recovery of what is recovered has changed it");
    }
    return look(settling, run->thorough, true);
}

/* ---- the same again ---------------------------------------------------------------------- */

struct repeat {
    struct settling *settling;
    char key[DEED_KEY_BYTES_MAX + 1];
    bool here;
    char *texts[3];
    size_t bytes[3];
};

static deed_rc copy_payload(void *context, const struct deed_intent_row *row)
{
    struct repeat *repeat = context;
    const struct deed_text parts[] = {row->payload.kind, row->payload.target, row->payload.body};
    repeat->here = row->payload_here;
    for (int i = 0; repeat->here && i < 3; i++) {
        repeat->texts[i] = malloc(parts[i].bytes + 1);
        if (repeat->texts[i] == NULL) {
            return DEED_E_NOMEM;
        }
        memcpy(repeat->texts[i], parts[i].data, parts[i].bytes);
        repeat->bytes[i] = parts[i].bytes;
    }
    return DEED_OK;
}

static bool repeat_payload(struct repeat *repeat)
{
    struct deed_crash__run *run = repeat->settling->run;
    struct deed_payload payload = {{repeat->texts[0], repeat->bytes[0]},
        {repeat->texts[1], repeat->bytes[1]}, {repeat->texts[2], repeat->bytes[2]}};
    struct deed_record record = {.size = sizeof(record), .key = repeat->key, .payload = &payload};
    struct deed_result result = {.size = sizeof(result)};
    struct deed_error err = {.text = ""};
    deed_rc rc = deed_record(repeat->settling->ledger, &record, &result, &err);
    if (rc != DEED_OK || result.created) {
        return deed_crash__break(
            run, "IR3: %s cannot be recorded again: %s", repeat->key, deed_rc_name(rc));
    }
    payload.target = (struct deed_text){"elsewhere, for another purpose", 30};
    rc = deed_record(repeat->settling->ledger, &record, &result, &err);
    return rc == DEED_E_CONFLICT ||
        deed_crash__break(run, "IR3: %s took another payload: %s", repeat->key, deed_rc_name(rc));
}

/* IR3: at the end the same payload writes nothing, and another one is refused. */
static bool record_in_vain(struct settling *settling)
{
    struct deed_crash__run *run = settling->run;
    int64_t before = events_told(run->stage);
    bool holds = true;
    for (size_t i = 0; holds && i < run->stage->told.count; i++) {
        struct repeat repeat = {.settling = settling};
        struct deed_error err = {.text = ""};
        memcpy(repeat.key, run->stage->told.items[i].key, sizeof(repeat.key));
        holds = deed_intent_payload(settling->ledger, repeat.key, copy_payload, &repeat, &err) ==
                DEED_OK
            ? !repeat.here || repeat_payload(&repeat)
            : deed_crash__break(run, "IR1: %s cannot be read: %s", repeat.key, err.text);
        for (int part = 0; part < 3; part++) {
            free(repeat.texts[part]);
        }
    }
    return holds && look(settling, false, false) &&
        (events_told(run->stage) == before ||
            deed_crash__break(run, "IR3: recording again has written an event"));
}

static bool nothing_waits(struct deed_crash__run *run)
{
    struct deed_world_counts counts = {.size = sizeof(counts)};
    deed_rc rc = deed_world_count(run->stage->world, NULL, NULL, &counts, &run->err);
    return rc == DEED_OK || deed_crash__fail(run, rc);
}

bool deed_crash__settle(struct deed_crash__run *run)
{
    struct settling settling = {.run = run};
    struct deed_error err = {.text = ""};
    deed_disk_enter(run->stage->disk, DEED_CRASH__PROCESS_KIT);
    if (run->timeline != NULL) {
        deed_crash__timeline_tell(run->timeline, deed_crash__now(run->stage),
            DEED_CRASH__COLUMN_ALL, "the program is done; what is left is settled");
    }
    deed_sim_random *random = NULL; /* anew, so that it is the same wherever the run came from */
    deed_rc rc = deed_sim_random_new(~deed__mix(run->stage->lives), &random, &run->err);
    if (rc != DEED_OK) {
        return deed_crash__fail(run, rc);
    }
    deed_disk_seed(run->stage->disk, ~(uint64_t)run->stage->lives);
    rc = deed_crash__open(
        run, run->stage->disk, deed_sim_random_source(random), &settling.ledger, &err);
    bool holds = rc == DEED_OK
        ? settle_all(&settling) && look_back(&settling) && record_in_vain(&settling) &&
            nothing_waits(run)
        : deed_crash__break(run, "IM1: the ledger does not open: %s", err.text);
    deed_ledger_close(settling.ledger);
    deed_sim_random_free(random);
    free(settling.items);
    return holds;
}
