/* SPDX-License-Identifier: MIT
 *
 * All memory of a process in the hands of a test: that of a ledger, of SQLite, of jansson and of
 * OpenSSL, under one count, so that "the nth request fails" means every request there is. One thread.
 */
#ifndef DEED_TESTS_FAULTY_MEMORY_H
#define DEED_TESTS_FAULTY_MEMORY_H

#include <deed/base.h>

enum faulty_source {
    FAULTY_DEED,
    FAULTY_SQLITE,
    FAULTY_JANSSON,
    FAULTY_OPENSSL,
    FAULTY_SOURCES
};

/* First thing in main: afterwards the libraries do not let their memory be taken over. */
void faulty_memory_install(void);
const struct deed_allocator *faulty_memory(void);

/* The `nth` request from now on fails (1: the next), and with `sticky` all after it; 0: none does. */
void faulty_memory_fail(uint64_t nth, bool sticky);
/* How many failed since then. */
uint64_t faulty_memory_failed(void);
/* Whose the first of them was. */
enum faulty_source faulty_memory_hit(void);
const char *faulty_source_name(enum faulty_source source);
/* Blocks of a source that were not given back. */
uint64_t faulty_memory_live(enum faulty_source source);
/* Calls of the ledger's allocator whose old_bytes was not the size of the block. */
uint64_t faulty_memory_misused(void);

#endif
