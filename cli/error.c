/* SPDX-License-Identifier: MIT
 *
 * error.c - the command's own errors.
 */
#include "error.h"

#include <stdarg.h>
#include <stdio.h>

deed_rc cli_error(struct deed_error *err, deed_rc rc, const char *next, const char *format, ...)
{
    *err = (struct deed_error){.rc = rc, .origin = "cli"};
    va_list args;
    va_start(args, format);
    (void)vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    if (next) {
        (void)snprintf(err->next, sizeof err->next, "%s", next);
    }
    return rc;
}

deed_rc cli_no_memory(struct deed_error *err)
{
    return cli_error(err, DEED_E_NOMEM, NULL, "out of memory; nothing was changed by this step");
}
