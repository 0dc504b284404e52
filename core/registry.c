/* SPDX-License-Identifier: MIT
 *
 * Executors by kind, and the profiles they serve under.
 */
#include <string.h>

#include "door.h"
#include "versioned.h"

/* `size` lets both sides grow; that works only while released members stay where they are. */
_Static_assert(offsetof(struct deed_executor, name) == sizeof(void *), "append only");
_Static_assert(offsetof(struct deed_executor, prepare) == 5 * sizeof(void *), "append only");
_Static_assert(offsetof(struct deed_executor, destroy) == 10 * sizeof(void *), "append only");

enum {
    SEND_MS = 30000,
    ANSWER_MS = 60000,
    ATTEMPTS_MAX = 5,
    BACKOFF_BASE_MS = 1000,
    BACKOFF_CAP_MS = 300000,
    DAY_MS = 86400000,
};

static bool duration_ok(int64_t duration_ms, bool may_be_forever)
{
    return (duration_ms >= 0 && duration_ms <= DEED_DURATION_MS_MAX) ||
        (may_be_forever && duration_ms == DEED_FOREVER);
}

static int64_t or_default(int64_t value, int64_t fallback)
{
    return value == 0 ? fallback : value;
}

/* The first member that is out of range; NULL if none is. */
static const char *bad_member(const struct deed_profile *profile)
{
    const struct {
        const char *name;
        int64_t value;
        bool forever;
    } members[] = {
        {"send_ms", profile->send_ms, false},
        {"answer_ms", profile->answer_ms, false},
        {"landing_ms", profile->landing_ms, true},
        {"window_ms", profile->window_ms, true},
        {"lag_ms", profile->lag_ms, false},
        {"reach_ms", profile->reach_ms, true},
        {"second_look_ms", profile->second_look_ms[0], false},
        {"second_look_ms", profile->second_look_ms[1], false},
        {"backoff_base_ms", profile->backoff_base_ms, false},
        {"backoff_cap_ms", profile->backoff_cap_ms, false},
    };
    for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
        if (!duration_ok(members[i].value, members[i].forever)) {
            return members[i].name;
        }
    }
    return NULL;
}

deed_rc deed__profile_fill(
    struct deed_profile *filled_out, const struct deed_profile *profile, struct deed_error *err)
{
    struct deed_profile filled;
    memset(&filled, 0, sizeof(filled));
    if (profile != NULL) {
        filled = *profile;
    }
    const char *bad = bad_member(&filled);
    if (bad != NULL) {
        return deed_error_set(err, DEED_E_INVALID, "core",
            "the profile's %s must lie between 0 and a hundred years", bad);
    }
    filled.size = sizeof(filled);
    filled.send_ms = or_default(filled.send_ms, SEND_MS);
    filled.answer_ms = or_default(filled.answer_ms, ANSWER_MS);
    filled.landing_ms = or_default(filled.landing_ms, DEED_FOREVER);
    filled.backoff_base_ms = or_default(filled.backoff_base_ms, BACKOFF_BASE_MS);
    filled.backoff_cap_ms = or_default(filled.backoff_cap_ms, BACKOFF_CAP_MS);
    if (filled.attempts_max == 0) {
        filled.attempts_max = ATTEMPTS_MAX;
    }
    if (filled.second_look_ms[0] == 0 && filled.second_look_ms[1] == 0) {
        bool bounded = filled.landing_ms != DEED_FOREVER;
        int64_t horizon = bounded ? filled.send_ms + filled.landing_ms : DAY_MS;
        filled.second_look_ms[0] = horizon < DEED_DURATION_MS_MAX ? horizon : DEED_DURATION_MS_MAX;
        filled.second_look_ms[1] = DAY_MS;
    }
    *filled_out = filled;
    return DEED_OK;
}

static bool text_is(const char *text, struct deed_text other)
{
    return other.data != NULL && strlen(text) == other.bytes &&
        memcmp(text, other.data, other.bytes) == 0;
}

static const struct deed__registration *registration_for(
    const struct deed_ledger *ledger, struct deed_text kind)
{
    const struct deed__registration *at = ledger->registrations;
    while (at != NULL && !text_is(at->kind, kind)) {
        at = at->next;
    }
    return at;
}

const struct deed__registration *deed__registration_of(
    const struct deed_ledger *ledger, struct deed_text kind)
{
    static const struct deed_text others = {DEED_KIND_OTHERS, sizeof(DEED_KIND_OTHERS) - 1};
    const struct deed__registration *own = registration_for(ledger, kind);
    return own != NULL ? own : registration_for(ledger, others);
}

const struct deed__registration *deed__registration_named(
    const struct deed_ledger *ledger, struct deed_text kind, const char *executor)
{
    const struct deed__registration *of_kind = deed__registration_of(ledger, kind);
    if (of_kind != NULL && strcmp(of_kind->executor->name, executor) == 0) {
        return of_kind;
    }
    const struct deed__registration *at = ledger->registrations;
    while (at != NULL && strcmp(at->executor->name, executor) != 0) {
        at = at->next;
    }
    return at;
}

static deed_rc check_executor(const struct deed_ledger *ledger, const char *kind,
    const deed_executor *executor, struct deed_error *err)
{
    if (executor->name == NULL || executor->version == NULL || executor->prepare == NULL ||
        executor->attempt == NULL) {
        return deed_error_set(err, DEED_E_MISUSE, "core",
            "the executor for kind %s lacks name, version, prepare or attempt", kind);
    }
    bool mock = (executor->flags & DEED_EXECUTOR_MOCK) != 0;
    bool harmless = mock || (executor->flags & DEED_EXECUTOR_LOOPBACK) != 0;
    if (mock && !ledger->test) {
        return deed_error_set(err, DEED_E_INVALID, "core",
            "kind %s is mapped to the mock executor %s, and this is not a test ledger: mocks "
            "serve ledgers made by `deed init --test` only",
            kind, executor->name);
    }
    if (ledger->test && !harmless) {
        return deed_error_set(err, DEED_E_INVALID, "core",
            "kind %s is mapped to executor %s, which may reach a real provider; a test ledger "
            "accepts mocks and loopback only",
            kind, executor->name);
    }
    struct deed_text text = {kind, strlen(kind)};
    if (registration_for(ledger, text) != NULL) {
        return deed_error_set(err, DEED_E_INVALID, "core", "kind %s has an executor already", kind);
    }
    return DEED_OK;
}

static bool serves_already(const struct deed_ledger *ledger, const deed_executor *executor)
{
    const struct deed__registration *at = ledger->registrations;
    while (at != NULL && at->given != executor) {
        at = at->next;
    }
    return at != NULL;
}

static void destroy(deed_executor *executor)
{
    if (DEED__HAS(executor, destroy) && executor->destroy != NULL) {
        executor->destroy(executor->self);
    }
}

static deed_rc add(struct deed_ledger *ledger, const char *kind, deed_executor *executor,
    const struct deed_profile *profile, struct deed_error *err)
{
    deed_executor face;
    struct deed_profile mine;
    struct deed_profile filled;
    deed_rc rc = deed_size_take(&deed__shape_deed_executor, executor, &face, err);
    if (rc == DEED_OK) {
        rc = check_executor(ledger, kind, &face, err);
    }
    if (rc == DEED_OK) {
        rc = deed_size_take(&deed__shape_deed_profile, profile, &mine, err);
    }
    if (rc == DEED_OK) {
        rc = deed__profile_fill(&filled, &mine, err);
    }
    if (rc != DEED_OK) {
        return rc;
    }
    size_t kind_bytes = strlen(kind) + 1;
    struct deed__registration *registration = deed__alloc(ledger, sizeof(*registration));
    char *copy = deed__alloc(ledger, kind_bytes);
    if (registration == NULL || copy == NULL) {
        deed__free(ledger, registration, sizeof(*registration));
        deed__free(ledger, copy, kind_bytes);
        return deed_error_set(
            err, DEED_E_NOMEM, "core", "out of memory while registering kind %s", kind);
    }
    memcpy(copy, kind, kind_bytes);
    registration->kind = copy;
    registration->given = executor;
    registration->face = face;
    registration->executor = executor->size < sizeof(face) ? &registration->face : executor;
    registration->profile = filled;
    registration->next = ledger->registrations;
    ledger->registrations = registration;
    return DEED_OK;
}

deed_rc deed_ledger_register(deed_ledger *ledger, const char *kind, deed_executor *executor,
    const struct deed_profile *profile, struct deed_error *err)
{
    bool complete = ledger != NULL && kind != NULL && executor != NULL;
    deed_rc rc = complete ? deed__enter(ledger, "deed_ledger_register", err)
                          : deed_error_set(err, DEED_E_MISUSE, "core",
                                "deed_ledger_register needs ledger, kind and executor");
    if (complete && rc == DEED_OK) {
        rc = add(ledger, kind, executor, profile, err);
    }
    if (rc != DEED_OK && executor != NULL &&
        (ledger == NULL || !serves_already(ledger, executor))) {
        destroy(executor); /* taken, on failure too */
    }
    return rc;
}

void deed__registrations_free(struct deed_ledger *ledger, bool destroy_executors)
{
    while (ledger->registrations != NULL) {
        struct deed__registration *registration = ledger->registrations;
        ledger->registrations = registration->next;
        if (destroy_executors && !serves_already(ledger, registration->given)) {
            destroy(registration->given);
        }
        deed__free(ledger, registration->kind, strlen(registration->kind) + 1);
        deed__free(ledger, registration, sizeof(*registration));
    }
}
