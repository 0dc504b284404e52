/* SPDX-License-Identifier: MIT
 *
 * nearest.c - which known word was meant (optimal string alignment distance).
 */
#include "nearest.h"

#include <stdint.h>
#include <string.h>

#define WORD_MAX 40

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

size_t word_distance(const char *one, const char *other)
{
    size_t rows[3][WORD_MAX + 1]; /* two letters back, one back, this one */
    const size_t n = strlen(one);
    const size_t m = strlen(other);
    if (n > WORD_MAX || m > WORD_MAX) {
        return SIZE_MAX;
    }
    for (size_t j = 0; j <= m; j++) {
        rows[1][j] = j;
        rows[0][j] = j;
    }
    for (size_t i = 1; i <= n; i++) {
        rows[2][0] = i;
        for (size_t j = 1; j <= m; j++) {
            const size_t change = one[i - 1] == other[j - 1] ? 0 : 1;
            size_t best = least(rows[1][j] + 1, rows[2][j - 1] + 1);
            best = least(best, rows[1][j - 1] + change);
            if (i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1]) {
                best = least(best, rows[0][j - 2] + 1);
            }
            rows[2][j] = best;
        }
        memcpy(rows[0], rows[1], sizeof rows[0]);
        memcpy(rows[1], rows[2], sizeof rows[1]);
    }
    return rows[1][m];
}

void nearest_start(struct nearest *nearest, const char *word)
{
    *nearest = (struct nearest){.word = word};
    /* Further away than half its letters it is another word, not a slip of the finger. */
    nearest->distance = (strlen(word) + 1) / 2 + 1;
}

void nearest_offer(struct nearest *nearest, const char *candidate)
{
    const size_t distance = word_distance(nearest->word, candidate);
    if (distance < nearest->distance) {
        nearest->distance = distance;
        nearest->name = candidate;
    }
}
