/* SPDX-License-Identifier: MIT
 *
 * memo.h - numbers that were met before, each with a number of its own.
 */
#ifndef DEED_MOCKS_SIMULATE_MEMO_H
#define DEED_MOCKS_SIMULATE_MEMO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct deed_crash__memo {
    uint64_t *keys; /* 0: free */
    uint64_t *values;
    size_t count;
    size_t room; /* a power of two */
};

/* The value under `key`, which is put there as 0 if it is new; NULL: no memory. Valid until the
 * next call. */
uint64_t *deed_crash__memo_at(struct deed_crash__memo *memo, uint64_t key, bool *is_new_out);
void deed_crash__memo_clear(struct deed_crash__memo *memo);

#endif /* DEED_MOCKS_SIMULATE_MEMO_H */
