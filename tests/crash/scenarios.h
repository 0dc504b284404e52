/* SPDX-License-Identifier: MIT
 *
 * What a process does until it is killed: each scenario is one path through the machine, for each
 * class of providers at which the path differs.
 */
#ifndef DEED_TESTS_SCENARIOS_H
#define DEED_TESTS_SCENARIOS_H

#include "site.h"

struct scenario {
    const char *name;
    uint32_t classes;   /* bits (1u << deed_provider_class) */
    const char *script; /* options of the mock, each with a comma in front */
    bool (*act)(struct site *site);
    const char *keys[4]; /* whose callers record again after a death */
    uint32_t checkpoint_pages;
    bool fixture;    /* starts from the recorded-intent table, not from a ledger */
    bool dies_twice; /* the deaths of its recovery are swept too */
};

/* NULL past the last one. */
const struct scenario *scenario_at(size_t index);

#endif
