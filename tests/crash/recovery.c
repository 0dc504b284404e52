/* SPDX-License-Identifier: MIT */
#include "recovery.h"

#include <stdio.h>
#include <string.h>

/* Rounds without a person, and how much time goes by before each: the lease, the horizon and the
 * lag, a second absence, the pauses of retries, the windows of keys, the second looks. */
static const int64_t passing_ms[] = {0, SITE_LEASE_MS + 100, SITE_VISIBLE_MS, SITE_VISIBLE_MS,
    SITE_VISIBLE_MS, 60000, SITE_WINDOW_MS, 60000, 60000};
#define ROUNDS     (sizeof(passing_ms) / sizeof(passing_ms[0]))
#define ROUNDS_MAX 24 /* with persons; nothing takes longer */
#define KEYS_MAX   128

/* ---- the machine ------------------------------------------------------------------------------ */

static bool machine_round(struct site *site, int64_t wait_ms)
{
    site_advance(site, wait_ms);
    return site_run_due(site) && site_look(site, false) && site_pass(site) &&
        site_look(site, false);
}

/* ---- the person ------------------------------------------------------------------------------- */

struct open_list {
    size_t count;
    size_t skipped; /* waiting for a payload that nobody has */
    char keys[KEYS_MAX][DEED_KEY_BYTES_MAX + 1];
    deed_reason reasons[KEYS_MAX]; /* NONE: no person is asked */
};

static bool collect_open(
    void *context, deed_rc rc, const struct deed_result *result, const struct deed_error *err)
{
    struct open_list *list = context;
    (void)rc;
    (void)err;
    if (result->reason == DEED_REASON_PAYLOAD_MISSING) {
        list->skipped++;
        return true;
    }
    if (list->count < KEYS_MAX) {
        memcpy(list->keys[list->count], result->key, sizeof(result->key));
        list->reasons[list->count++] = result->needs_person ? result->reason : DEED_REASON_NONE;
    }
    return true;
}

static bool list_open(struct site *site, struct open_list *list)
{
    struct deed_list open = {.size = sizeof(open)};
    memset(list, 0, sizeof(*list));
    return deed_ledger_list(site->ledger, &open, collect_open, list, &site->err) == DEED_OK ||
        site_fail(site, "the open ones cannot be listed: %s", site->err.text);
}

/* As the world shows it. "Not yet" is a good answer: the person comes again. */
static bool tell_the_truth(struct site *site, const char *key)
{
    bool happened = deed_world_effects(site->world, key) > 0;
    struct deed_decision decision = {.size = sizeof(decision),
        .key = key,
        .by = "grace",
        .reason = "looked at the provider's books",
        .outcome = happened ? DEED_APPLIED : DEED_NOT_APPLIED};
    site->result.size = sizeof(site->result);
    deed_rc rc = deed_resolve(site->ledger, &decision, &site->result, &site->err);
    bool fine = rc == DEED_OK || rc == DEED_E_NOT_YET;
    return fine ? site_tell(site, key)
                : site_fail(site, "a person cannot resolve %s: %s", key, site->err.text);
}

static bool decide(struct site *site, const char *key, deed_reason reason)
{
    switch ((int)reason) {
    case DEED_REASON_HELD:
        return site_release(site, key);
    case DEED_REASON_OVERDUE:
    case DEED_REASON_EXHAUSTED:
        return site_retract(site, key);
    case DEED_REASON_RETRY_BY_NAME:
        return site_run_by_name(site, key);
    case DEED_REASON_PENDING:
    case DEED_REASON_ANSWER_UNKNOWN:
    case DEED_REASON_LEASE_OVER:
    case DEED_REASON_OWNER_GONE:
    case DEED_REASON_DISPUTED:
        return tell_the_truth(site, key);
    default:
        return site_fail(site, "%s waits for a person, who does not know why: %s", key,
            deed_reason_name(reason));
    }
}

static bool person_round(struct site *site, const struct open_list *list, struct recovery *recovery)
{
    for (size_t i = 0; i < list->count; i++) {
        if (list->reasons[i] == DEED_REASON_NONE) {
            continue;
        }
        recovery->resolved++;
        if (!decide(site, list->keys[i], list->reasons[i]) || !site_look(site, false)) {
            return false;
        }
    }
    return true;
}

/* ---- the callers ------------------------------------------------------------------------------ */

/* A caller that got no answer records again: the same intent, or for the first time. */
static bool record_again(struct site *site, const struct recovery *recovery)
{
    for (size_t i = 0; i < recovery->asked_count; i++) {
        if (!site_record(site, recovery->asked[i])) {
            return false;
        }
    }
    return true;
}

/* IR3: at the end the same payload writes nothing, and another one is refused. */
static bool record_in_vain(struct site *site, const struct recovery *recovery)
{
    int64_t before = site->history;
    struct deed_payload other = {{"blind", 5}, {"shop", 4}, {"something else", 14}};
    for (size_t i = 0; i < recovery->asked_count; i++) {
        const char *key = recovery->asked[i];
        struct deed_record record = {.size = sizeof(record), .key = key, .payload = &other};
        if (!site_record(site, key)) {
            return false;
        }
        if (site->result.created) {
            return site_fail(site, "IR3: %s was recorded a second time", key);
        }
        deed_rc rc = deed_record(site->ledger, &record, &site->result, &site->err);
        if (rc != DEED_E_CONFLICT) {
            return site_fail(site, "IR3: %s took another payload: %s", key, deed_rc_name(rc));
        }
    }
    return site_look(site, true) &&
        (site->history == before ||
            site_fail(site, "IR3: recording again has written %lld events",
                (long long)(site->history - before)));
}

/* ---- all -------------------------------------------------------------------------------------- */

/* IM2, IL1: without a person everything ends or says that it needs one; with one, everything ends. */
static bool settle_all(struct site *site, struct recovery *recovery)
{
    struct open_list list;
    for (size_t round = 0; round < ROUNDS; round++) {
        recovery->rounds++;
        if (!machine_round(site, passing_ms[round]) || !list_open(site, &list)) {
            return false;
        }
        if (list.count == 0) {
            break;
        }
    }
    if (!site_look(site, true)) {
        return false;
    }
    for (size_t round = 0; list.count > 0 && round < ROUNDS_MAX; round++) {
        recovery->rounds++;
        if (!person_round(site, &list, recovery) || !machine_round(site, SITE_VISIBLE_MS) ||
            !list_open(site, &list)) {
            return false;
        }
    }
    return list.count == 0 ||
        site_fail(site, "IL1: %s and %zu others never end", list.keys[0], list.count - 1);
}

/* What is late has landed by now, and everything is as it will be: another round changes nothing. */
static bool look_back(struct site *site)
{
    struct deed_world_counts counts = {.size = sizeof(counts)};
    site_advance(site, INT64_C(3) * 86400 * 1000);
    if (!machine_round(site, 0) || !machine_round(site, INT64_C(3) * 86400 * 1000)) {
        return false; /* second looks */
    }
    uint64_t sends = deed_world_sends(site->world, NULL);
    int64_t before = site->history;
    if (!machine_round(site, SITE_VISIBLE_MS)) {
        return false;
    }
    if (site->history != before || deed_world_sends(site->world, NULL) != sends) {
        return site_fail(site, "IM2: a recovery of what is recovered has changed it");
    }
    if (deed_world_count(site->world, NULL, NULL, &counts, &site->err) != DEED_OK ||
        counts.waiting != 0) {
        return site_fail(site, "something is still under way");
    }
    return true;
}

static bool recover_open(struct site *site, struct recovery *recovery)
{
    return site_check(site) && record_again(site, recovery) && settle_all(site, recovery) &&
        look_back(site) && record_in_vain(site, recovery) &&
        (!recovery->thorough || site_check(site));
}

bool recover(struct site *site, void *context)
{
    struct recovery *recovery = context;
    bool done = (!recovery->migrates || site_migrate(site)) && site_open(site) &&
        recover_open(site, recovery);
    site_close(site);
    return done;
}
