/* SPDX-License-Identifier: MIT
 *
 * scenarios.h - programs that come with the kit: what deed itself is tried on, step by step.
 */
#ifndef DEED_MOCKS_SIMULATE_SCENARIOS_H
#define DEED_MOCKS_SIMULATE_SCENARIOS_H

#include <deed/mock/crash.h>

#include "simulate/marks.h"

#define DEED_CRASH__KEYS_MAX 8

/* A scenario at one class of provider, while it is played. */
struct deed_crash__scene {
    const struct deed_crash__scenario *scenario;
    deed_provider_class provider_class;
    /* Of the present life. */
    const struct deed_crash_life *life;
    struct deed_error err;
};

struct deed_crash__scenario {
    const char *name;
    const char *about;   /* for people: one sentence */
    uint32_t classes;    /* bits (1U << deed_provider_class) */
    const char *options; /* of the provider, as in struct deed_crash_setup; NULL: none */
    bool (*act)(
        struct deed_crash__scene *scene);   /* its first life; false: it did not get through */
    const char *keys[DEED_CRASH__KEYS_MAX]; /* whose callers come back; ends with NULL */
    uint32_t checkpoint_pages;
    bool faults;    /* network and provider have faults besides */
    bool twice;     /* small enough that each recovery dies too */
    uint64_t marks; /* bits of deed_crash__mark that must be met, */
    uint64_t marks_by_class[DEED_CLASS_CLOSABLE + 1]; /* and at this class */
};

/* NULL past the last one. */
const struct deed_crash__scenario *deed_crash__scenario_at(size_t index);
const struct deed_crash__scenario *deed_crash__scenario_named(const char *name);

/* Fills `setup_out`, whose context is `scene_out`. False: not at this class. */
bool deed_crash__scenario_setup(const struct deed_crash__scenario *scenario,
    deed_provider_class provider_class, struct deed_crash__scene *scene_out,
    struct deed_crash_setup *setup_out);

/* Marks that had to be met and were not: a green run with any is red. Kills alone meet no unflushed
 * writes. */
uint64_t deed_crash__scenario_missing(const struct deed_crash__scenario *scenario,
    const struct deed_crash_setup *setup, const struct deed_crash_counts *counts);

/* ---- steps (scenario_steps.c): each calls the ledger once; false: it was refused --------- */

bool deed_crash__record(struct deed_crash__scene *scene, const char *key);
bool deed_crash__record_as(
    struct deed_crash__scene *scene, const char *key, const char *hold_reason, int64_t until_ms);
bool deed_crash__record_many(
    struct deed_crash__scene *scene, const char *const *keys, size_t count);
bool deed_crash__run_key(struct deed_crash__scene *scene, const char *key);
bool deed_crash__run_by_name(struct deed_crash__scene *scene, const char *key);
bool deed_crash__run_due_ones(struct deed_crash__scene *scene);
bool deed_crash__reconcile(struct deed_crash__scene *scene, const char *key);
bool deed_crash__pass(struct deed_crash__scene *scene);
bool deed_crash__resolve(struct deed_crash__scene *scene, const char *key, deed_outcome outcome);
bool deed_crash__evidence(struct deed_crash__scene *scene, const char *key);
bool deed_crash__retract(struct deed_crash__scene *scene, const char *key);
bool deed_crash__hold_key(struct deed_crash__scene *scene, const char *key);
bool deed_crash__release(struct deed_crash__scene *scene, const char *key);
bool deed_crash__wait(struct deed_crash__scene *scene, int64_t passed_ms);

/* Steps that must be refused (scenario_refused.c); false: one was not, and a promise is broken. */
bool deed_crash__record_too_long(struct deed_crash__scene *scene, const char *key);
bool deed_crash__evidence_forged(struct deed_crash__scene *scene, const char *key);

/* The payload of any key at the scene's class. */
#define DEED_CRASH__BODY_BYTES 128
struct deed_payload deed_crash__payload(
    const struct deed_crash__scene *scene, const char *key, char body_out[DEED_CRASH__BODY_BYTES]);

#endif /* DEED_MOCKS_SIMULATE_SCENARIOS_H */
