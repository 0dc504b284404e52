/* SPDX-License-Identifier: MIT
 *
 * secret.h - secrets, which the configuration only refers to: env:NAME or file:PATH.
 */
#ifndef CLI_SECRET_H
#define CLI_SECRET_H

#include <deed/base.h>

/* True if `reference` names a place. A secret itself does not: it would be in every copy of the
 * file. */
bool secret_is_reference(const char *reference);

/* Reads the secret. `folder` is that of the configuration; a relative PATH starts there. `place` is
 * the member, for the error, which never holds the secret. Freed by secret_free. */
DEED_MUST_CHECK deed_rc secret_read(const char *reference, const char *folder, const char *place,
    char **secret_out, struct deed_error *err);
/* Overwrites it first. */
void secret_free(char *secret);

#endif
