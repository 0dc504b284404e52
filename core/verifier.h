/* SPDX-License-Identifier: MIT
 *
 * verifier.h - who finds out whether a source's messages are genuine.
 */
#ifndef DEED_CORE_VERIFIER_H
#define DEED_CORE_VERIFIER_H

#include <deed/evidence.h>

struct deed_ledger;

struct deed__verifier_entry {
    struct deed__verifier_entry *next;
    char source[DEED_SOURCE_BYTES_MAX + 1];
    struct deed_verifier *verifier;
};

/* [a-z0-9][a-z0-9._:-]{0,59}, and none of the names under which the ledger keeps its own words. */
deed_rc deed__source_check(const char *key, const char *source, struct deed_error *err);

/* NULL: nobody checks this source. */
struct deed_verifier *deed__verifier_of(const struct deed_ledger *ledger, const char *source);

/* Frees what was registered; destroys every verifier, once, unless they are the parent's. */
void deed__verifiers_free(struct deed_ledger *ledger, bool destroy_verifiers);

#endif /* DEED_CORE_VERIFIER_H */
