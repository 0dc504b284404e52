/* SPDX-License-Identifier: MIT
 *
 * Memory for SQLite in tests that open thousands of ledgers: what it frees it gets back, from one
 * block, without the sanitizers' own bookkeeping. Our memory stays under their eyes.
 */
#ifndef DEED_TESTS_SQLITE_POOL_H
#define DEED_TESTS_SQLITE_POOL_H

#include <stdbool.h>

/* Before anything else is asked of SQLite; for processes of one thread. */
bool sqlite_pool_install(void);

#endif
