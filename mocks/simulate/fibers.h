/* SPDX-License-Identifier: MIT
 *
 * fibers.h - what the sanitizers want to be told: which bytes may be touched, and that a thread goes
 * on with another stack. Without them, nothing.
 */
#ifndef DEED_MOCKS_SIMULATE_FIBERS_H
#define DEED_MOCKS_SIMULATE_FIBERS_H

#include <stddef.h>

#if defined(__SANITIZE_ADDRESS__)
#define DEED_MOCK__ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define DEED_MOCK__ASAN 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define DEED_MOCK__TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define DEED_MOCK__TSAN 1
#endif
#endif

#ifdef DEED_MOCK__ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef DEED_MOCK__TSAN
#include <sanitizer/tsan_interface.h>
#endif

static inline void deed_mock__poison(void *memory, size_t bytes)
{
#ifdef DEED_MOCK__ASAN
    __asan_poison_memory_region(memory, bytes);
#else
    (void)memory;
    (void)bytes;
#endif
}

static inline void deed_mock__unpoison(const void *memory, size_t bytes)
{
#ifdef DEED_MOCK__ASAN
    __asan_unpoison_memory_region(memory, bytes);
#else
    (void)memory;
    (void)bytes;
#endif
}

/* One stack, as the sanitizers know it. */
struct deed_mock__fiber {
    const void *bottom;
    size_t bytes;
    void *fake; /* AddressSanitizer's stack for what may be used after return */
    void *tsan;
};

/* Around every switch: the first on the stack that is left, the second on the one that is entered,
 * with what `enter` is then. */
static inline void deed_mock__fiber_leave(
    struct deed_mock__fiber *from, const struct deed_mock__fiber *to)
{
#ifdef DEED_MOCK__ASAN
    __sanitizer_start_switch_fiber(&from->fake, to->bottom, to->bytes);
#endif
#ifdef DEED_MOCK__TSAN
    __tsan_switch_to_fiber(to->tsan, 0);
#endif
    (void)from;
    (void)to;
}

static inline void deed_mock__fiber_entered(const struct deed_mock__fiber *fiber)
{
#ifdef DEED_MOCK__ASAN
    __sanitizer_finish_switch_fiber(fiber->fake, NULL, NULL);
#endif
    (void)fiber;
}

#endif /* DEED_MOCKS_SIMULATE_FIBERS_H */
