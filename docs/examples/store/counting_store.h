/* SPDX-License-Identifier: MIT
 *
 * counting_store.h - a store around another one that counts how often the ledger writes.
 */
#ifndef COUNTING_STORE_H
#define COUNTING_STORE_H

#include <deed/ext/store.h>

/* Takes `inner`, on failure too. Freed by its `close`. NULL: no memory. */
struct deed_store *counting_store_new(struct deed_store *inner);
/* Borrowed. */
struct deed_store *counting_store_inner(const struct deed_store *store);
/* Calls of `write` so far, by any thread. */
unsigned long counting_store_writes(const struct deed_store *store);

#endif
