/* SPDX-License-Identifier: MIT
 *
 * bump.h - memory of one worker: handed out one after the other, and given back as a whole.
 */
#ifndef DEED_MOCKS_SIMULATE_BUMP_H
#define DEED_MOCKS_SIMULATE_BUMP_H

#include <deed/base.h>

struct deed_mock__bump {
    struct deed_allocator allocator; /* its `self` is this */
    struct deed_mock__chunk *chunks; /* the one in use first */
    struct deed_mock__chunk *spare;  /* of former runs */
};

void deed_mock__bump_init(struct deed_mock__bump *bump);
/* Everything is given back; chunks are kept for what comes next. */
void deed_mock__bump_reset(struct deed_mock__bump *bump);
void deed_mock__bump_finish(struct deed_mock__bump *bump);

#endif /* DEED_MOCKS_SIMULATE_BUMP_H */
