/* SPDX-License-Identifier: MIT
 *
 * error.h - the command's own errors.
 */
#ifndef CLI_ERROR_H
#define CLI_ERROR_H

#include <deed/base.h>

/* Fills `err` and returns `rc`. The text says what is wrong with what and what to do; it never
 * holds a body. `next` is a command, or NULL. */
deed_rc cli_error(struct deed_error *err, deed_rc rc, const char *next, const char *format, ...)
    DEED_PRINTF(4, 5);

/* DEED_E_NOMEM, in words. */
deed_rc cli_no_memory(struct deed_error *err);

#endif
