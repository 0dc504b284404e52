/* SPDX-License-Identifier: MIT
 *
 * deed/system.h - what the machine offers: its clocks, its randomness, its memory. These stand in
 * wherever an option is NULL.
 */
#ifndef DEED_SYSTEM_H
#define DEED_SYSTEM_H

#include <deed/base.h>

DEED_BEGIN_DECLS

/* CLOCK_REALTIME, CLOCK_BOOTTIME and the kernel's boot id. Static. */
DEED_API const struct deed_clock *deed_system_clock(void);
/* libcrypto's generator. Static. */
DEED_API const struct deed_random *deed_system_random(void);
/* malloc, realloc, free. Static. */
DEED_API const struct deed_allocator *deed_system_memory(void);

/* A number for this process: another one after a fork, in the child, so that a handle can tell that
 * it was copied. Takes no lock. */
DEED_API uint64_t deed_system_process(void);

DEED_END_DECLS
#endif /* DEED_SYSTEM_H */
