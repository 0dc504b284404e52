/* SPDX-License-Identifier: MIT
 *
 * Trials of one cell, added up.
 */
#ifndef DEED_TESTS_MATRIX_CELLS_H
#define DEED_TESTS_MATRIX_CELLS_H

#include "matrix.h"

/* A line of the tables: a way at a provider. */
struct row {
    enum way_number way;
    deed_provider_class provider_class;
};
#define MATRIX_ROWS 12
extern const struct row matrix_rows[MATRIX_ROWS];

/* Seeds 1 to `trials`; false: trial->broken says which rule of the machinery broke. */
bool cell_run(struct trial *trial, const struct row *row, enum situation situation, bool anew,
    unsigned trials, struct verdicts *sums_out);

#endif /* DEED_TESTS_MATRIX_CELLS_H */
