/* SPDX-License-Identifier: MIT
 *
 * What happens after a death: a new handle, passes and runs while time goes by, and where the list
 * says so a person, who looks at the world and tells the truth. Everything is checked after each
 * step.
 */
#ifndef DEED_TESTS_RECOVERY_H
#define DEED_TESTS_RECOVERY_H

#include "site.h"

/* Opens the ledger (migrating it, if it is the fixture's), recovers until nothing is open, and leaves
 * it closed. `asked` are keys whose callers come back after a death and record them again. */
struct recovery {
    const char *const *asked;
    size_t asked_count;
    bool migrates;
    bool thorough;     /* checks file and chains at the end too */
    uint64_t rounds;   /* counted over all recoveries */
    uint64_t resolved; /* by a person */
};
bool recover(struct site *site, void *recovery);

#endif
