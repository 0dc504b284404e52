/* SPDX-License-Identifier: MIT
 *
 * input.h - files and standard input, read whole within a limit.
 */
#ifndef CLI_INPUT_H
#define CLI_INPUT_H

#include <deed/base.h>

#include <stdio.h>

/* "-" is standard input. `*stream_out` is closed by input_close. */
DEED_MUST_CHECK deed_rc input_open(const char *path, FILE **stream_out, struct deed_error *err);
void input_close(FILE *stream);

/* Reads to the end; more than `bytes_max` is refused. `*data_out` is freed by the caller and is
 * followed by a NUL. `name` is the file's, for the error. */
DEED_MUST_CHECK deed_rc input_read(FILE *stream, const char *name, size_t bytes_max,
    char **data_out, size_t *bytes_out, struct deed_error *err);

#endif
