/* SPDX-License-Identifier: MIT
 *
 * The line between the core and all it stands on: each call of the store, of a transaction, of the
 * clock and of the source of randomness crosses it, and one of them can be made to fail.
 */
#ifndef DEED_TESTS_FAULT_LINE_H
#define DEED_TESTS_FAULT_LINE_H

#include <deed/ext/store.h>
#include <deed/mock/clock.h>

struct fault_line {
    struct deed_store face; /* what the ledger is opened on */
    struct deed_clock clock;
    struct deed_random random;
    struct deed_store *inner;
    deed_sim_clock *sim_clock;
    deed_sim_random *sim_random;
    bool counting;
    uint64_t crossed; /* since fault_line_arm */
    uint64_t nth;     /* the one that fails; 0: none */
};

/* Over a new store in memory. */
void fault_line_new(struct fault_line *line, int64_t now_ms);
/* After the ledger was closed. */
void fault_line_end(struct fault_line *line);
/* From now on crossings are counted, and the nth fails; 0 only counts. */
void fault_line_arm(struct fault_line *line, uint64_t nth);
/* No more faults. Whether there was one. */
bool fault_line_disarm(struct fault_line *line);

#endif
