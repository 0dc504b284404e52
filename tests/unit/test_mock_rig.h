/* SPDX-License-Identifier: MIT
 *
 * A mock executor in a world of its own, on a clock that the test moves; and the calls a ledger would
 * make of it. With RIG_OVER_HTTP the provider is on the other side of a socket.
 */
#ifndef DEED_TESTS_TEST_MOCK_RIG_H
#define DEED_TESTS_TEST_MOCK_RIG_H

#include "support/test.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <openssl/evp.h>

#include <deed/mock/clock.h>
#include <deed/mock/executor.h>
#include <deed/mock/world.h>

#define RIG_WORLD    "rig.world"
#define RIG_START_MS 1700000000000

#ifdef RIG_OVER_HTTP
#include "test_mock_rig_http.h"
/* What only a provider in the same process can be told, or can tell. */
#define RIG_IN_PROCESS_ONLY() skip()
#else
#define RIG_IN_PROCESS_ONLY() (void)0
#endif

struct rig {
    deed_sim_clock *clock;
    deed_world *world;
    deed_executor *executor;
    const char *bytes; /* what is sent */
    bool too_late;     /* may_send says no */
    unsigned asked;    /* how often may_send was called */
    struct deed_answer answer;
    struct deed_finding finding;
#ifdef RIG_OVER_HTTP
    struct rig_http http;
#endif
};

static inline void rig_open(struct rig *rig, const char *options)
{
    struct deed_error err = {.text = ""};
    *rig = (struct rig){.bytes = "{\"body\":\"hello\"}"};
    (void)unlink(RIG_WORLD);
    assert_int_equal(deed_sim_clock_new(RIG_START_MS, &rig->clock, &err), DEED_OK);
    assert_int_equal(deed_world_open(RIG_WORLD, &rig->world, &err), DEED_OK);
#ifdef RIG_OVER_HTTP
    deed_rc rc = rig_http_open(
        &rig->http, rig->world, options, deed_sim_clock_true(rig->clock), &rig->executor, &err);
#else
    deed_rc rc = deed_mock_executor_new_in(
        rig->world, options, deed_sim_clock_true(rig->clock), &rig->executor, &err);
#endif
    if (rc != DEED_OK) {
        fail_msg("%s", err.text);
    }
}

static inline void rig_close(struct rig *rig)
{
#ifdef RIG_OVER_HTTP
    rig_http_close(&rig->http);
#endif
    rig->executor->destroy(rig->executor->self);
    deed_world_close(rig->world);
    deed_sim_clock_free(rig->clock);
}

static inline void rig_advance(struct rig *rig, int64_t passed_ms)
{
    deed_sim_clock_advance(rig->clock, passed_ms);
}

static inline bool rig_may_send(void *gate)
{
    struct rig *rig = gate;
    rig->asked++;
    return !rig->too_late;
}

static inline void rig_digest(const struct rig *rig, uint8_t digest_out[DEED_DIGEST_BYTES])
{
    assert_int_equal(
        EVP_Digest(rig->bytes, strlen(rig->bytes), digest_out, NULL, EVP_sha256(), NULL), 1);
}

/* One attempt; its provider key is "pk-" and the action key. */
static inline const struct deed_answer *rig_send(struct rig *rig, const char *key, uint32_t attempt)
{
    static const uint8_t token[DEED_TOKEN_BYTES];
    uint8_t digest[DEED_DIGEST_BYTES];
    char provider_key[100];
    rig_digest(rig, digest);
    (void)snprintf(provider_key, sizeof(provider_key), "pk-%s", key);
    const struct deed_call call = {.size = sizeof(call),
        .key = key,
        .attempt = attempt,
        .cause = attempt == 1 ? DEED_CAUSE_FIRST : DEED_CAUSE_REPLAY,
        .token = token,
        .digest = digest,
        .provider_key = provider_key,
        .endpoint = "mock://provider",
        .account_scope = "acct-1",
        .bytes = (const uint8_t *)rig->bytes,
        .bytes_count = strlen(rig->bytes),
        .bytes_digest = digest,
        .send_deadline_ms = RIG_START_MS + 30000,
        .answer_ms = 60000,
        .gate = rig,
        .may_send = rig_may_send};
    rig->answer = (struct deed_answer){.size = sizeof(rig->answer)};
    rig->executor->attempt(rig->executor->self, &call, &rig->answer);
    return &rig->answer;
}

/* Over HTTP it is what the provider wrote, key and digest among it. */
static inline void rig_expect_excerpt(
    const char *excerpt, size_t excerpt_bytes, const char *expected)
{
#ifdef RIG_OVER_HTTP
    (void)expected;
    assert_int_equal(excerpt[0], '{');
#else
    assert_string_equal(excerpt, expected);
#endif
    assert_int_equal(excerpt_bytes, strlen(excerpt));
}

typedef void (*rig_question)(
    void *self, const struct deed_question *question, struct deed_finding *finding_out);

static inline const struct deed_finding *rig_ask(
    struct rig *rig, rig_question question, const char *key, const char *handle)
{
    uint8_t digest[DEED_DIGEST_BYTES];
    char provider_key[100];
    rig_digest(rig, digest);
    (void)snprintf(provider_key, sizeof(provider_key), "pk-%s", key);
    const struct deed_question asked = {.size = sizeof(asked),
        .key = key,
        .digest = digest,
        .bytes_digest = digest,
        .provider_key = provider_key,
        .endpoint = "mock://provider",
        .account_scope = "acct-1",
        .handle = handle};
    rig->finding = (struct deed_finding){.size = sizeof(rig->finding)};
    question(rig->executor->self, &asked, &rig->finding);
    return &rig->finding;
}

static inline const struct deed_finding *rig_look(struct rig *rig, const char *key)
{
    return rig_ask(rig, rig->executor->lookup, key, "");
}

static inline const struct deed_finding *rig_poll(
    struct rig *rig, const char *key, const char *handle)
{
    return rig_ask(rig, rig->executor->poll, key, handle);
}

static inline const struct deed_finding *rig_cancel(struct rig *rig, const char *key)
{
    return rig_ask(rig, rig->executor->cancel, key, "");
}

static inline void rig_deliver(struct rig *rig)
{
    struct deed_instant now;
    const struct deed_clock *clock = deed_sim_clock_true(rig->clock);
    assert_true(clock->now(clock->self, &now));
    assert_int_equal(deed_world_deliver(rig->world, now.wall_ms, NULL, NULL), DEED_OK);
}

static inline struct deed_world_counts rig_counts(struct rig *rig, const char *key)
{
    struct deed_world_counts counts;
    assert_int_equal(deed_world_count(rig->world, key, NULL, &counts, NULL), DEED_OK);
    return counts;
}

/* The count of what happened: requests of an action key (NULL: all) and their effects. */
static inline void rig_expect(
    struct rig *rig, const char *key, uint64_t sends_expected, uint64_t effects_expected)
{
    assert_int_equal(deed_world_sends(rig->world, key), sends_expected);
    assert_int_equal(deed_world_effects(rig->world, key), effects_expected);
}

#endif /* DEED_TESTS_TEST_MOCK_RIG_H */
