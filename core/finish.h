/* SPDX-License-Identifier: MIT
 *
 * Storing the answer of an attempt.
 */
#ifndef DEED_CORE_FINISH_H
#define DEED_CORE_FINISH_H

#include "call.h"

/* Closes an attempt of which not one byte was or will be sent. */
deed_rc deed__finish_unsent(deed_ledger *ledger, const char *key,
    const uint8_t token[DEED_TOKEN_BYTES], struct deed_result *result, struct deed_error *err);

#endif
