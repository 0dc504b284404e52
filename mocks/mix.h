/* SPDX-License-Identifier: MIT
 *
 * Numbers made of numbers: the step of SplitMix64, and a hash over bytes built on it. Not for
 * secrets. The same on any machine.
 */
#ifndef DEED_MOCKS_MIX_H
#define DEED_MOCKS_MIX_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t deed__mix(uint64_t number)
{
    number += UINT64_C(0x9e3779b97f4a7c15);
    number = (number ^ (number >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    number = (number ^ (number >> 27)) * UINT64_C(0x94d049bb133111eb);
    return number ^ (number >> 31);
}

/* The next number of a stream. */
static inline uint64_t deed__draw(uint64_t *stream)
{
    const uint64_t number = deed__mix(*stream);
    *stream += UINT64_C(0x9e3779b97f4a7c15);
    return number;
}

static inline uint64_t deed__load(const unsigned char *bytes, size_t count)
{
    uint64_t number = 0;
    for (size_t i = 0; i < count; i++) {
        number |= (uint64_t)bytes[i] << (8 * i);
    }
    return number;
}

/* Eight bytes at once, which compilers do not make of the loop above. */
static inline uint64_t deed__load_whole(const unsigned char *bytes)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    uint64_t number = 0;
    memcpy(&number, bytes, sizeof(number));
    return number;
#else
    return deed__load(bytes, 8);
#endif
}

static inline uint64_t deed__hash(uint64_t hash, const void *what, size_t what_bytes)
{
    const unsigned char *bytes = what;
    size_t left = what_bytes;
    for (; left >= 8; left -= 8, bytes += 8) {
        hash = (hash ^ deed__load_whole(bytes)) * UINT64_C(0x9fb21c651e98df25);
        hash ^= hash >> 32;
    }
    return deed__mix(hash ^ deed__load(bytes, left) ^ ((uint64_t)what_bytes << 56));
}

static inline uint64_t deed__hash_text(uint64_t hash, const char *text)
{
    return deed__hash(hash, text, strlen(text));
}

#endif /* DEED_MOCKS_MIX_H */
