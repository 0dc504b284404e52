/* SPDX-License-Identifier: MIT
 *
 * Filling an error. Never allocates and never fails: what does not fit is cut.
 */
#include <deed/ext/error.h>

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

deed_rc deed_error_set(
    struct deed_error *err, deed_rc rc, const char *origin, const char *format, ...)
{
    if (err == NULL) {
        return rc;
    }
    memset(err, 0, sizeof(*err));
    err->rc = rc;
    (void)snprintf(err->origin, sizeof(err->origin), "%s", origin);
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(err->text, sizeof(err->text), format, arguments);
    va_end(arguments);
    return rc;
}

void deed_error_native(struct deed_error *err, int32_t native)
{
    if (err != NULL) {
        err->native = native;
    }
}

void deed_error_context(struct deed_error *err, const char *context)
{
    if (err == NULL) {
        return;
    }
    char text[DEED_ERROR_TEXT_BYTES];
    memcpy(text, err->text, sizeof(text));
    /* Both parts are bounded, so that the cut never depends on what a caller passed. */
    (void)snprintf(err->text, sizeof(err->text), "%.120s: %.380s", context, text);
}
