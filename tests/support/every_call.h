/* SPDX-License-Identifier: MIT
 *
 * Every public call that takes a ledger, as a table, so that a rule about all of them is tested on
 * all of them. every_call_missing compares it with the headers.
 */
#ifndef DEED_TESTS_EVERY_CALL_H
#define DEED_TESTS_EVERY_CALL_H

#include <deed/ledger.h>

struct every_call {
    const char *name;
    /* Calls it about `key` with sound arguments. */
    deed_rc (*call)(deed_ledger *ledger, const char *key, struct deed_error *err);
    bool reads_store; /* it reaches the store; not so: register */
};

extern const struct every_call every_call[];
extern const size_t every_call_count;

/* The name of a call that the headers declare and the table lacks, or the other way round; NULL: they
 * agree. deed_ledger_close returns nothing and is no part of it. */
const char *every_call_missing(void);

#endif
