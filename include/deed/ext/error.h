/* SPDX-License-Identifier: MIT
 *
 * deed/ext/error.h - filling an error; what stores, executors and the core share.
 */
#ifndef DEED_EXT_ERROR_H
#define DEED_EXT_ERROR_H

#include <deed/base.h>

DEED_BEGIN_DECLS

/* Fills `err` (may be NULL) and returns `rc`, so that it can stand in a return statement. The
 * lowest function that knows the cause calls it, once. */
DEED_API deed_rc deed_error_set(struct deed_error *err, deed_rc rc, const char *origin,
    const char *format, ...) DEED_PRINTF(4, 5);

/* Adds the native code (errno, SQLite). */
DEED_API void deed_error_native(struct deed_error *err, int32_t native);

/* Puts context in front: "open: " + text. Callers only do this, they never write a text again. */
DEED_API void deed_error_context(struct deed_error *err, const char *context);

DEED_END_DECLS
#endif /* DEED_EXT_ERROR_H */
