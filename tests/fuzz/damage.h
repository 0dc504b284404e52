/* SPDX-License-Identifier: MIT
 *
 * damage.h - a file, damaged as an input says: bytes written over, stretches zeroed, moved or lost.
 *
 * An input that says what is changed of a good file is a few bytes long, and every change of it is
 * another damage; the files themselves are made by the library they are for.
 */
#ifndef DEED_TESTS_FUZZ_DAMAGE_H
#define DEED_TESTS_FUZZ_DAMAGE_H

#include "fuzz.h"

struct damage_file {
    uint8_t *data; /* freed by damage_free */
    size_t bytes;
};

void damage_copy(struct damage_file *file, const uint8_t *data, size_t bytes);
void damage_free(struct damage_file *file);

/* Takes orders from the input until it ends. With two files each order says which. */
void damage_do(struct fuzz_reader *reader, struct damage_file *files, size_t count);

/* Makes the sums of a WAL agree again, so that SQLite takes the damage for what was written. */
void damage_mend_wal(struct damage_file *wal);

#endif
