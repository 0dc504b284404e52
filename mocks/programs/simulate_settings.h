/* SPDX-License-Identifier: MIT
 *
 * simulate_settings.h - the command line of `deed simulate`.
 */
#ifndef DEED_MOCKS_SIMULATE_SETTINGS_H
#define DEED_MOCKS_SIMULATE_SETTINGS_H

#include <deed/base.h>

struct simulate_settings {
    const char *const *names; /* of scenarios, `name_count` of them; in argv */
    size_t name_count;
    bool all;
    bool one_class; /* `provider_class` only */
    deed_provider_class provider_class;
    bool by_seed; /* by chance instead of one after the other */
    uint64_t seed;
    int64_t for_ms; /* by chance for so long; 0: a fixed number of runs */
    uint64_t trials;
    uint64_t most;      /* recoveries, one after the other; 0: all of them */
    const char *replay; /* a file with a trail */
    const char *keep;   /* the folder where trails of failures are written */
    const char *junit;
    const char *report;
    const char *html;
    bool list;
    bool self_test;
    bool json;
    bool help;
    bool version;
};

/* Texts stay in argv. `json` is filled even if the rest is refused. */
DEED_MUST_CHECK deed_rc simulate_settings_read(
    struct simulate_settings *settings, int argc, char **argv, struct deed_error *err);
void simulate_settings_help(void);

#endif /* DEED_MOCKS_SIMULATE_SETTINGS_H */
