/* SPDX-License-Identifier: MIT
 *
 * simulate_trail.h - a trail in a file, with a head that says what it is a trail of.
 */
#ifndef DEED_MOCKS_SIMULATE_TRAIL_H
#define DEED_MOCKS_SIMULATE_TRAIL_H

#include <deed/base.h>

struct simulate_trail {
    char scenario[64];
    deed_provider_class provider_class;
    char written_by[64]; /* version of deed */
    uint64_t trace_hash; /* 0: not known */
    uint64_t image_hash;
    char *text; /* freed by free() */
};

/* Writes it anew; `path` is replaced only by a whole file. */
DEED_MUST_CHECK deed_rc simulate_trail_write(
    const struct simulate_trail *trail, const char *path, struct deed_error *err);
DEED_MUST_CHECK deed_rc simulate_trail_read(
    struct simulate_trail *trail, const char *path, struct deed_error *err);

#endif /* DEED_MOCKS_SIMULATE_TRAIL_H */
