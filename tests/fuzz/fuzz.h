/* SPDX-License-Identifier: MIT
 *
 * fuzz.h - what the fuzz targets share. A target is one function that takes any bytes; it must not
 * crash, hang or leak on any of them, and demands by FUZZ_DEMAND what must hold for all.
 *
 * Under the preset `fuzz` libFuzzer calls it; in every other build drive.c does, with the files of
 * the corpus, so that what was once found is looked for again by every compiler.
 */
#ifndef DEED_TESTS_FUZZ_H
#define DEED_TESTS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* libFuzzer's names. NOLINTBEGIN(readability-identifier-naming) */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);
/* NOLINTEND(readability-identifier-naming) */

/* Of each target: called once, before the first input. */
void fuzz_start(void);

/* Says what does not hold, and of what (`detail` may be NULL), and aborts. */
_Noreturn void fuzz_fail(const char *what, const char *detail);
#define FUZZ_DEMAND(holds, what, detail) ((holds) ? (void)0 : fuzz_fail((what), (detail)))

/* The next bytes of an input as a number; zero where it has ended. */
struct fuzz_reader {
    const uint8_t *data;
    size_t left;
};
uint32_t fuzz_take(struct fuzz_reader *reader, size_t bytes);

/* A file in memory that holds these bytes, by a name that can be opened as long as the descriptor
 * is; closed by close(2). */
#define FUZZ_PATH_ROOM 64
int fuzz_file(const void *data, size_t bytes, char path_out[FUZZ_PATH_ROOM]);

/* Writes a whole file, and reads one; the latter is freed by free. */
void fuzz_write(const char *path, const void *data, size_t bytes);
uint8_t *fuzz_read(const char *path, size_t *bytes_out);

#endif
