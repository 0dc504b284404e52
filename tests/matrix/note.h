/* SPDX-License-Identifier: MIT
 *
 * The state file of a program without a ledger, on the simulated disk: a mark for each action. It is as
 * careful as such a file can be: flushed before anything else is done.
 */
#ifndef DEED_TESTS_MATRIX_NOTE_H
#define DEED_TESTS_MATRIX_NOTE_H

#include <deed/mock/disk.h>

/* An empty one, durable. */
bool note_put(deed_disk *disk);
bool note_read(const deed_disk *disk, unsigned at);
/* false: the process is dead. */
bool note_write(const deed_disk *disk, unsigned at);

#endif /* DEED_TESTS_MATRIX_NOTE_H */
