/* SPDX-License-Identifier: MIT
 *
 * nearest.h - which known word was meant.
 */
#ifndef CLI_NEAREST_H
#define CLI_NEAREST_H

#include <stddef.h>

/* Number of letters to insert, drop, change or swap with a neighbour between two short words. */
size_t word_distance(const char *one, const char *other);

/* Feeds candidates one by one; `name` stays NULL while none is near enough to be worth saying. */
struct nearest {
    const char *word;
    const char *name;
    size_t distance;
};
void nearest_start(struct nearest *nearest, const char *word);
void nearest_offer(struct nearest *nearest, const char *candidate);

#endif
