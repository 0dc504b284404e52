/* SPDX-License-Identifier: MIT */
#include "scenarios.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <deed/mock/executor.h>

#include "simulate/classes.h"
#include "support/outbox_host.h"

static bool wait_for(struct site *site, int64_t passed_ms)
{
    site_advance(site, passed_ms);
    return true;
}

/* ---- record ----------------------------------------------------------------------------------- */

static bool act_record(struct site *site)
{
    static const char *const two[] = {"b", "c"};
    return site_record(site, "a") && site_record_many(site, two, 2) && site_record(site, "a") &&
        site_record_as(site, "held", "not before noon", 0) &&
        site_record_as(site, "until", NULL, SITE_START_MS + 1000);
}

/* Enough of them to fill the WAL several times over. */
static bool act_checkpoint(struct site *site)
{
    static const char *const many[] = {"m-0", "m-1", "m-2", "m-3", "m-4", "m-5"};
    return site_record(site, "a") && site_record_many(site, many, 6) && site_run(site, "a") &&
        site_retract(site, "m-0");
}

/* ---- run -------------------------------------------------------------------------------------- */

static bool act_run(struct site *site)
{
    return site_record(site, "a") && site_run(site, "a") && site_run(site, "a");
}

static bool act_retries(struct site *site)
{
    return site_record(site, "a") && site_run(site, "a") && wait_for(site, 2000) &&
        site_run_due(site) && wait_for(site, 2000) && site_run_due(site);
}

/* The answer is lost; it is settled by whatever this provider offers. */
static bool act_lost(struct site *site)
{
    return site_record(site, "a") && site_run(site, "a") && wait_for(site, SITE_LEASE_MS) &&
        site_reconcile(site, "a") && wait_for(site, SITE_VISIBLE_MS) && site_pass(site);
}

/* Nothing happened, and nobody said so: absence, closing, replay; then the next attempt. */
static bool act_absent(struct site *site)
{
    return site_record(site, "a") && site_run(site, "a") && wait_for(site, SITE_LEASE_MS) &&
        site_pass(site) && wait_for(site, SITE_VISIBLE_MS) && site_pass(site) &&
        wait_for(site, SITE_VISIBLE_MS) && site_pass(site) && wait_for(site, 2000) &&
        site_run_due(site);
}

/* It lands after the first look. */
static bool act_late(struct site *site)
{
    return site_record(site, "a") && site_run(site, "a") && wait_for(site, 500) &&
        site_reconcile(site, "a") && wait_for(site, SITE_VISIBLE_MS) && site_pass(site) &&
        wait_for(site, 2000) && site_run_due(site) && wait_for(site, SITE_VISIBLE_MS) &&
        site_pass(site);
}

static bool act_pending(struct site *site)
{
    return site_record(site, "a") && site_run(site, "a") && wait_for(site, 1000) &&
        site_reconcile(site, "a") && wait_for(site, 5000) && site_reconcile(site, "a");
}

static bool act_replays(struct site *site)
{
    return site_record(site, "a") && site_run(site, "a") && wait_for(site, SITE_LEASE_MS) &&
        site_reconcile(site, "a") && wait_for(site, SITE_LEASE_MS) && site_reconcile(site, "a");
}

static bool act_several(struct site *site)
{
    static const char *const three[] = {"a", "b", "c"};
    return site_record_many(site, three, 3) && site_run_due(site) &&
        wait_for(site, SITE_LEASE_MS) && site_pass(site) && site_run_due(site) &&
        wait_for(site, SITE_VISIBLE_MS) && site_pass(site) && wait_for(site, 2000) &&
        site_run_due(site);
}

/* ---- persons ---------------------------------------------------------------------------------- */

static bool act_person(struct site *site)
{
    return site_record(site, "a") && site_run(site, "a") && site_record(site, "b") &&
        site_run(site, "b") && wait_for(site, SITE_VISIBLE_MS) &&
        site_resolve(site, "a", DEED_APPLIED) && site_resolve(site, "b", DEED_NOT_APPLIED) &&
        site_run_by_name(site, "b");
}

/* The answer is lost, and its notice comes: twice, as notices do. */
static bool act_evidence(struct site *site)
{
    return site_record(site, "a") && site_run(site, "a") && wait_for(site, SITE_LEASE_MS) &&
        site_evidence(site, "a") && site_evidence(site, "a");
}

static bool act_retract(struct site *site)
{
    return site_record(site, "b") && site_run(site, "b") && site_retract(site, "b") &&
        site_record(site, "a") && site_retract(site, "a");
}

static bool act_hold(struct site *site)
{
    return site_record(site, "a") && site_hold(site, "a") && site_release(site, "a") &&
        site_run(site, "a") && site_hold(site, "a") && wait_for(site, SITE_LEASE_MS) &&
        site_pass(site) && site_release(site, "a") && wait_for(site, 2000) && site_pass(site);
}

static bool act_dispute(struct site *site)
{
    return site_record(site, "a") && site_run(site, "a") && wait_for(site, SITE_LEASE_MS) &&
        site_reconcile(site, "a") && site_resolve(site, "a", DEED_APPLIED);
}

/* What the look-up shows first is not ours: the intent is held until a person has seen it. */
static bool act_flawed(struct site *site)
{
    return site_record(site, "a") && site_run(site, "a") && wait_for(site, SITE_LEASE_MS) &&
        site_reconcile(site, "a") && site_release(site, "a") && site_reconcile(site, "a");
}

/* ---- a host of begin and finish --------------------------------------------------------------- */

#define HOST_BYTES_MAX 2048

struct host {
    struct site *site;
    deed_executor *executor; /* plays the host's own client */
    struct deed_attempt attempt;
    uint8_t bytes[HOST_BYTES_MAX];
    size_t count;
};

static bool host_write(void *sink, const void *bytes, size_t bytes_count)
{
    struct host *host = sink;
    if (bytes_count > sizeof(host->bytes) - host->count) {
        return false;
    }
    memcpy(host->bytes + host->count, bytes, bytes_count);
    host->count += bytes_count;
    return true;
}

static bool host_may_send(void *gate)
{
    struct host *host = gate;
    return deed_may_send(host->site->ledger, host->attempt.token, &host->site->err) == DEED_OK;
}

static bool host_fail(const struct host *host, const char *what)
{
    return site_fail(host->site, "the host cannot %s: %s", what, host->site->err.text);
}

static bool host_begin(struct host *host, struct deed_preparation *preparation)
{
    struct site *site = host->site;
    char body[SITE_BODY_BYTES];
    struct deed_plan plan = {.size = sizeof(plan)};
    struct deed_payload payload = site_payload(site, "a", body);
    struct deed_record record = {.size = sizeof(record), .key = "a", .payload = &payload};
    site->result.size = sizeof(site->result);
    if (deed_plan(site->ledger, "a", &payload, 0, &plan, &site->result, &site->err) != DEED_OK) {
        return host_fail(host, "plan");
    }
    struct deed_request request = {.size = sizeof(request),
        .key = "a",
        .payload = &payload,
        .digest = plan.digest,
        .provider_key = plan.provider_key};
    if (host->executor->prepare(host->executor->self, &request, preparation, &site->err) !=
        DEED_OK) {
        return host_fail(host, "prepare");
    }
    struct deed_profile profile = {.size = sizeof(profile),
        .send_ms = SITE_SEND_MS,
        .answer_ms = SITE_ANSWER_MS,
        .landing_ms = SITE_LANDING_MS,
        .window_ms = site->provider_class == DEED_CLASS_KEYED ? SITE_WINDOW_MS : 0};
    struct deed_binding binding = {.size = sizeof(binding),
        .executor = host->executor->name,
        .executor_version = host->executor->version,
        .account_scope = preparation->account_scope,
        .endpoint = preparation->endpoint,
        .provider_key = plan.provider_key,
        .bytes = host->bytes,
        .bytes_count = host->count,
        .profile = &profile};
    struct deed_begin begin = {
        .size = sizeof(begin), .key = "a", .record = &record, .binding = &binding};
    host->attempt.size = sizeof(host->attempt);
    return deed_begin(site->ledger, &begin, &host->attempt, &site->result, &site->err) == DEED_OK
        ? site_tell(site, "a")
        : host_fail(host, "begin");
}

static bool host_send(struct host *host, const struct deed_preparation *preparation)
{
    struct site *site = host->site;
    struct deed_call call = {.size = sizeof(call),
        .key = "a",
        .attempt = host->attempt.number,
        .cause = host->attempt.cause,
        .token = host->attempt.token,
        .provider_key = host->attempt.provider_key,
        .endpoint = preparation->endpoint,
        .account_scope = preparation->account_scope,
        .bytes = host->bytes,
        .bytes_count = host->count,
        .send_deadline_ms = host->attempt.send_deadline_ms,
        .answer_ms = SITE_ANSWER_MS,
        .gate = host,
        .may_send = host_may_send};
    struct deed_answer answer = {.size = sizeof(answer)};
    host->executor->attempt(host->executor->self, &call, &answer);
    for (int twice = 0; twice < 2; twice++) { /* the same word again is harmless */
        if (deed_finish(site->ledger, "a", host->attempt.token, &answer, &site->result,
                &site->err) != DEED_OK ||
            !site_tell(site, "a")) {
            return host_fail(host, "finish");
        }
    }
    return true;
}

static bool act_by_hand(struct site *site)
{
    struct host host = {.site = site};
    char options[128];
    const char *name = deed_provider_class_name(site->provider_class);
    (void)snprintf(options, sizeof(options), "{\"class\":\"%s\",\"name\":\"mock-%s\"}", name, name);
    if (deed_mock_executor_new_in(site->world, options, &site->clock, &host.executor, &site->err) !=
        DEED_OK) {
        return host_fail(&host, "make its client");
    }
    struct deed_preparation *preparation = calloc(1, sizeof(*preparation));
    bool done = preparation != NULL;
    if (done) {
        preparation->size = sizeof(*preparation);
        preparation->sink = &host;
        preparation->write = host_write;
        done = host_begin(&host, preparation) && host_send(&host, preparation);
    }
    free(preparation);
    deed_mock_executor_free(host.executor);
    return done;
}

/* ---- the recorded-intent table ---------------------------------------------------------------- */

static bool act_migrate(struct site *site)
{
    return site_record(site, SITE_ADOPTED_KEY) && site_run(site, SITE_ADOPTED_KEY) &&
        site_retract(site, "fixture-article-v7");
}

/* ---- an outbox -------------------------------------------------------------------------------- */

/* What it leaves in the outbox is for tests/crash/test_outbox.c: here the callers come back. */
static bool act_outbox(struct site *site)
{
    char path[192];
    char body[SITE_BODY_BYTES];
    struct deed_drain drain = {.size = sizeof(drain)};
    struct deed_payload payload = site_payload(site, "a", body);
    (void)snprintf(path, sizeof(path), "%s/shop", site->folder);
    sqlite3 *host = host_open(path, "WAL");
    bool done = host != NULL && host_order(host, "a", &payload) &&
        deed_outbox_drain(site->ledger, path, NULL, NULL, &drain, &site->err) == DEED_OK &&
        site_tell(site, "a") && site_run_due(site);
    (void)sqlite3_close(host);
    return done || site_fail(site, "the outbox: %s", site->err.text);
}

/* ---- all -------------------------------------------------------------------------------------- */

#define SCRIPT(steps) ",\"script\":" steps
#define ANSWER        "{\"do\":\"answer\"}"
#define LOSE          "{\"do\":\"lose\"}"
#define LATE(ms)      "{\"do\":\"late\",\"land\":{\"after_ms\":" #ms "}}"

static const struct scenario scenarios[] = {
    {"migrated", BLIND, "", act_migrate, {SITE_ADOPTED_KEY}, 0, true, false},
    {"record", BLIND, "", act_record, {"a", "b", "c", "held"}, 0, false, false},
    {"checkpoint", BLIND, "", act_checkpoint, {"a", "m-0", "m-5"}, 4, false, false},
    {"answered", ALL, "", act_run, {"a"}, 0, false, false},
    {"lost", ALL, SCRIPT("[" LOSE "," ANSWER "]"), act_lost, {"a"}, 0, false, true},
    {"refused", BLIND | KEYED | CLOSABLE,
        SCRIPT("[{\"do\":\"refuse\"},{\"do\":\"unreachable\"}," ANSWER "]"), act_retries, {"a"}, 0,
        false, false},
    {"rejected", BLIND | KEYED | KEYED_LOOKUP, SCRIPT("{\"do\":\"reject\"}"), act_run, {"a"}, 0,
        false, false},
    {"rejected, and lost", ALL, SCRIPT("[{\"do\":\"reject\",\"lost\":true}," ANSWER "]"), act_lost,
        {"a"}, 0, false, false},
    {"absent", ALL, SCRIPT("[{\"do\":\"error\"}," ANSWER "]"), act_absent, {"a"}, 0, false, true},
    {"late", ALL, SCRIPT("[" LATE(3000) "," ANSWER "]"), act_late, {"a"}, 0, false, false},
    {"pending", ALL, SCRIPT("[{\"do\":\"pending\",\"land\":{\"after_ms\":4000}}," ANSWER "]"),
        act_pending, {"a"}, 0, false, false},
    {"pending, then rejected", LOOKUP | KEYED,
        SCRIPT("{\"do\":\"pending\",\"outcome\":\"rejected\",\"land\":{\"after_ms\":4000}}"),
        act_pending, {"a"}, 0, false, false},
    {"replayed", KEYED | KEYED_LOOKUP,
        SCRIPT("[" LOSE ",{\"do\":\"answer\",\"lost\":true}," ANSWER "]"), act_replays, {"a"}, 0,
        false, false},
    {"several", KEYED_LOOKUP | CLOSABLE,
        ",\"scripts\":{\"a\":[" LOSE "," ANSWER "],\"b\":[{\"do\":\"refuse\"}," ANSWER
        "],\"c\":[{\"do\":\"error\"}," ANSWER "]}",
        act_several, {"a", "b", "c"}, 0, false, false},
    {"garbage", BLIND | KEYED, SCRIPT("[{\"do\":\"garbage\",\"verdict\":99}," ANSWER "]"), act_lost,
        {"a"}, 0, false, false},
    {"person", BLIND, ",\"scripts\":{\"a\":" LOSE ",\"b\":[{\"do\":\"error\"}," ANSWER "]}",
        act_person, {"a", "b"}, 0, false, true},
    {"evidence", BLIND | KEYED | LOOKUP, SCRIPT("[" LOSE "," ANSWER "]"), act_evidence, {"a"}, 0,
        false, false},
    {"retracted", BLIND | LOOKUP, SCRIPT("{\"do\":\"refuse\"}"), act_retract, {"a", "b"}, 0, false,
        false},
    {"held", BLIND | KEYED | LOOKUP, SCRIPT("[" LOSE "," ANSWER "]"), act_hold, {"a"}, 0, false,
        false},
    {"disputed", LOOKUP,
        SCRIPT("[" LOSE "]") ",\"lookup_script\":{\"say\":\"several\",\"count\":2}", act_dispute,
        {"a"}, 0, false, false},
    {"flawed", LOOKUP | KEYED_LOOKUP,
        SCRIPT("[" LOSE "]") ",\"lookup_script\":[\"wrong_marker\",\"truth\"]", act_flawed, {"a"},
        0, false, false},
    {"by hand", BLIND | KEYED, "", act_by_hand, {"a"}, 0, false, false},
    {"outbox", BLIND | KEYED, "", act_outbox, {"a"}, 0, false, false},
};

const struct scenario *scenario_at(size_t index)
{
    return index < sizeof(scenarios) / sizeof(scenarios[0]) ? &scenarios[index] : NULL;
}
