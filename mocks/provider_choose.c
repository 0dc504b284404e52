/* SPDX-License-Identifier: MIT
 *
 * A provider that is free: each of its answers is chosen from what its class allows. Method: one
 * table of what can go wrong; those lines that fit the provider are counted, and one number is asked
 * for, 0 being none of them.
 */
#include "provider.h"

#include <deed/ext/error.h>
#include <deed/ext/size.h>

#define LATE_MS 5000

/* Whether a line of the table needs a provider that knows keys, or one that keeps errors too. */
enum need {
    NEEDS_NOTHING,
    NEEDS_KEYS,
    NEEDS_STORED_ERRORS
};

/* Steps whose landing is "later" get the rule of the freedom. */
struct fault {
    deed_mock_fault fault;
    enum need need;
    bool lands_later;
    bool copy_lands_later;
    struct deed_mock__step step;
};

#define STEP(do_kind, ...)                                                                         \
    {                                                                                              \
        .kind = DEED_MOCK__STEP_##do_kind, .serves = 1,                                            \
        .land = {.after_ms = DEED_FOREVER, .after_looks = UINT64_MAX},                             \
        .duplicates_land = {.after_ms = DEED_FOREVER, .after_looks = UINT64_MAX}, __VA_ARGS__      \
    }

/* clang-format off: one line for each thing that can happen */
static const struct fault faults[] = {
    {DEED_MOCK_FAULT_LOST, NEEDS_NOTHING, false, false, STEP(LOSE, .effect = true, .lost = true)},
    {DEED_MOCK_FAULT_LOST, NEEDS_NOTHING, false, false, STEP(HANG, .effect = true)},
    {DEED_MOCK_FAULT_LOST, NEEDS_NOTHING, false, false, STEP(REJECT, .lost = true)},
    {DEED_MOCK_FAULT_LATE, NEEDS_NOTHING, true, false, STEP(LATE, .effect = false)},
    {DEED_MOCK_FAULT_LATE, NEEDS_NOTHING, true, false,
        STEP(LATE, .ending = DEED_MOCK__ENDS_REJECTED)},
    {DEED_MOCK_FAULT_LATE, NEEDS_NOTHING, true, false, STEP(LATE, .ending = DEED_MOCK__ENDS_NEVER)},
    {DEED_MOCK_FAULT_UNREACHABLE, NEEDS_NOTHING, false, false, STEP(UNREACHABLE, .effect = false)},
    {DEED_MOCK_FAULT_UNREACHABLE, NEEDS_NOTHING, false, false, STEP(REFUSE, .effect = false)},
    {DEED_MOCK_FAULT_REJECTED, NEEDS_NOTHING, false, false, STEP(REJECT, .effect = false)},
    {DEED_MOCK_FAULT_FAILED, NEEDS_NOTHING, false, false, STEP(ERROR, .effect = false)},
    {DEED_MOCK_FAULT_FAILED, NEEDS_NOTHING, false, false, STEP(ERROR, .effect = true)},
    {DEED_MOCK_FAULT_DUPLICATED, NEEDS_KEYS, false, false,
        STEP(ANSWER, .effect = true, .duplicates = 1)},
    {DEED_MOCK_FAULT_DUPLICATED, NEEDS_KEYS, false, true,
        STEP(ANSWER, .effect = true, .duplicates = 1)},
    {DEED_MOCK_FAULT_DUPLICATED, NEEDS_KEYS, false, true,
        STEP(LOSE, .effect = true, .lost = true, .duplicates = 1)},
    {DEED_MOCK_FAULT_STORED, NEEDS_STORED_ERRORS, false, false,
        STEP(ERROR_STORED, .verdict = DEED_VERDICT_NOT_APPLIED)},
    {DEED_MOCK_FAULT_STORED, NEEDS_STORED_ERRORS, false, false,
        STEP(ERROR_STORED, .verdict = DEED_VERDICT_REJECTED)},
    {DEED_MOCK_FAULT_STORED, NEEDS_STORED_ERRORS, false, false,
        STEP(ERROR_STORED, .verdict = DEED_VERDICT_UNKNOWN)},
    {DEED_MOCK_FAULT_CONFLICT, NEEDS_KEYS, false, false, STEP(IN_PROGRESS, .effect = false)},
    {DEED_MOCK_FAULT_CONFLICT, NEEDS_KEYS, false, false, STEP(MISMATCH, .effect = false)},
    {DEED_MOCK_FAULT_PENDING, NEEDS_NOTHING, true, false, STEP(PENDING, .effect = false)},
    {DEED_MOCK_FAULT_PENDING, NEEDS_NOTHING, true, false,
        STEP(PENDING, .ending = DEED_MOCK__ENDS_REJECTED)},
    {DEED_MOCK_FAULT_PENDING, NEEDS_NOTHING, true, false,
        STEP(PENDING, .ending = DEED_MOCK__ENDS_NEVER)},
    {DEED_MOCK_FAULT_PENDING, NEEDS_NOTHING, true, false, STEP(PENDING, .lost = true)},
    {DEED_MOCK_FAULT_GARBAGE, NEEDS_NOTHING, false, false, STEP(GARBAGE, .effect = true)},
    {DEED_MOCK_FAULT_GARBAGE, NEEDS_NOTHING, false, false, STEP(GARBAGE, .effect = false)},
    {DEED_MOCK_FAULT_GARBAGE, NEEDS_NOTHING, false, false,
        STEP(GARBAGE, .effect = true, .verdict = 99)},
    {DEED_MOCK_FAULT_GARBAGE, NEEDS_NOTHING, false, false,
        STEP(GARBAGE, .effect = false, .verdict = -1)},
    {DEED_MOCK_FAULT_OTHER_REFERENCE, NEEDS_NOTHING, false, false, STEP(ANSWER, .effect = true)},
    {DEED_MOCK_FAULT_OTHER_REFERENCE, NEEDS_NOTHING, false, false, STEP(ANSWER, .effect = false)},
};
/* clang-format on */

#define FAULTS_COUNT (sizeof(faults) / sizeof(faults[0]))

struct twisted {
    deed_mock_fault fault;
    enum deed_mock__say say;
};

static const struct twisted lookups[] = {
    {DEED_MOCK_FAULT_LAGGING, DEED_MOCK__SAY_TRUTH},
    {DEED_MOCK_FAULT_LOOK_FAILED, DEED_MOCK__SAY_ERROR},
    {DEED_MOCK_FAULT_LOOK_FAILED, DEED_MOCK__SAY_INCOMPLETE},
    {DEED_MOCK_FAULT_STRANGER, DEED_MOCK__SAY_WRONG_MARKER},
    {DEED_MOCK_FAULT_STRANGER, DEED_MOCK__SAY_WRONG_DIGEST},
};
static const struct twisted polls[] = {
    {DEED_MOCK_FAULT_LOOK_FAILED, DEED_MOCK__SAY_ERROR},
};
static const struct twisted cancels[] = {
    {DEED_MOCK_FAULT_LOOK_FAILED, DEED_MOCK__SAY_ERROR},
    {DEED_MOCK_FAULT_LOOK_FAILED, DEED_MOCK__SAY_LOSE},
};

const char *deed_mock_fault_name(deed_mock_fault fault)
{
    static const char *const names[] = {
#define FAULT_NAME(ident, name) name,
        DEED_MOCK_FAULT_LIST(FAULT_NAME)
#undef FAULT_NAME
    };
    return (unsigned)fault < (unsigned)DEED_MOCK_FAULT_COUNT ? names[fault] : NULL;
}

static bool is_free(const struct deed_mock__provider *provider, deed_mock_fault fault)
{
    const struct deed_mock_freedom *freedom = provider->freedom;
    uint32_t all = ~(1U << DEED_MOCK_FAULT_OTHER_REFERENCE);
    uint32_t allowed = freedom->faults != 0 ? freedom->faults : all;
    if (freedom->faults_most != 0 && freedom->faults_done >= freedom->faults_most) {
        return false;
    }
    bool is_behind = provider->lag_ms > 0 || provider->stale_looks > 0;
    return (allowed & (1U << fault)) != 0 && (fault != DEED_MOCK_FAULT_LAGGING || is_behind);
}

static bool is_possible(const struct deed_mock__provider *provider, const struct fault *fault)
{
    bool fits = fault->need == NEEDS_NOTHING || (fault->need == NEEDS_KEYS && provider->keyed) ||
        (fault->need == NEEDS_STORED_ERRORS && provider->keyed && provider->stores_errors);
    return fits && is_free(provider, fault->fault);
}

static void met(const struct deed_mock__provider *provider, deed_mock_fault fault)
{
    provider->freedom->faults_done++;
    provider->freedom->met[fault]++;
}

deed_choices *deed_mock__choices_of(const struct deed_mock__provider *provider)
{
    return provider->freedom != NULL ? provider->freedom->choices : NULL;
}

struct deed_mock__step deed_mock__choose_step(
    const struct deed_mock__provider *provider, bool *other_out)
{
    const struct deed_mock__step good = STEP(ANSWER, .effect = true);
    const struct deed_mock__landing_rule later = {.given = true,
        .after_ms = provider->freedom->late_ms != 0 ? provider->freedom->late_ms : LATE_MS,
        .after_looks = UINT64_MAX};
    const struct fault *possible[FAULTS_COUNT];
    uint32_t count = 0;
    *other_out = false;
    for (size_t i = 0; i < FAULTS_COUNT; i++) {
        if (is_possible(provider, &faults[i])) {
            possible[count++] = &faults[i];
        }
    }
    uint32_t chosen = provider->freedom->choices != NULL
        ? deed_choose(provider->freedom->choices, DEED_PURPOSE_BOUNDARY, "provider.step", 1 + count)
        : 0;
    if (chosen == 0) {
        return good;
    }
    const struct fault *fault = possible[chosen - 1];
    struct deed_mock__step step = fault->step;
    if (fault->lands_later) {
        step.land = later;
    }
    if (fault->copy_lands_later) {
        step.duplicates_land = later;
    }
    met(provider, fault->fault);
    *other_out = fault->fault == DEED_MOCK_FAULT_OTHER_REFERENCE;
    return step;
}

struct deed_mock__saying deed_mock__choose_saying(
    const struct deed_mock__provider *provider, enum deed_mock__asking asking)
{
    static const struct {
        const struct twisted *all;
        size_t count;
        const char *site;
    } tables[] = {{lookups, sizeof(lookups) / sizeof(lookups[0]), "provider.lookup"},
        {polls, sizeof(polls) / sizeof(polls[0]), "provider.poll"},
        {cancels, sizeof(cancels) / sizeof(cancels[0]), "provider.cancel"}};
    const struct twisted *possible[sizeof(lookups) / sizeof(lookups[0])];
    uint32_t count = 0;
    for (size_t i = 0; i < tables[asking].count; i++) {
        if (is_free(provider, tables[asking].all[i].fault)) {
            possible[count++] = &tables[asking].all[i];
        }
    }
    uint32_t chosen = provider->freedom->choices != NULL
        ? deed_choose(
              provider->freedom->choices, DEED_PURPOSE_BOUNDARY, tables[asking].site, 1 + count)
        : 0;
    if (chosen == 0) {
        return (struct deed_mock__saying){.say = DEED_MOCK__SAY_FRESH};
    }
    met(provider, possible[chosen - 1]->fault);
    return (struct deed_mock__saying){.say = possible[chosen - 1]->say};
}
