/* SPDX-License-Identifier: MIT
 *
 * location.c - where the ledger is.
 *
 * A location this build cannot serve is refused by name. Another store than the one asked for would
 * be a guard that is silently off.
 */
#include "location.h"

#include "error.h"

#include <stdlib.h>
#include <string.h>

/* Length of "name" in "name://...", or 0. */
static size_t scheme_length(const char *location)
{
    const size_t length = strspn(location,
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
        "0123456789+.-");
    return strncmp(location + length, "://", 3) == 0 ? length : 0;
}

static deed_rc check(const char *location, const char **path_out, struct deed_error *err)
{
    const size_t scheme = scheme_length(location);
    if (location[0] == '\0') {
        return cli_error(err, DEED_E_INVALID, NULL,
            "the location of the ledger is empty; name a file: --ledger FILE");
    }
    /* An address may hold a password: never print what follows the scheme. */
    if (scheme > 0 && strncmp(location, "postgres", 8) == 0) {
        return cli_error(err, DEED_E_INVALID, NULL,
            "this build has no PostgreSQL store (%.*s://...); name a file: --ledger FILE",
            (int)scheme, location);
    }
    if (scheme > 0) {
        return cli_error(err, DEED_E_INVALID, NULL,
            "no store serves %.*s://...; name a file: --ledger FILE", (int)scheme, location);
    }
    if (strncmp(location, "file:", 5) == 0) {
        return cli_error(err, DEED_E_INVALID, NULL,
            "a ledger is named by its path, not by a file: address; leave out `file:`");
    }
    if (strcmp(location, ":memory:") == 0) {
        return cli_error(err, DEED_E_INVALID, NULL,
            "a ledger in memory would be forgotten with the process; name a file: --ledger FILE");
    }
    *path_out = location;
    return DEED_OK;
}

deed_rc location_find(
    const struct arguments *arguments, const char **path_out, struct deed_error *err)
{
    const char *location =
        given(arguments, OPT_LEDGER) ? arguments->values[OPT_LEDGER] : getenv("DEED_LEDGER");
    if (!location) {
        return cli_error(err, DEED_E_INVALID, NULL,
            "which ledger? name its file: --ledger FILE, or DEED_LEDGER in the environment; there "
            "is no default");
    }
    return check(location, path_out, err);
}
