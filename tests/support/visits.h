/* SPDX-License-Identifier: MIT
 *
 * Visits that look at nothing and go on, for tests that call what reads and care for its code alone.
 */
#ifndef DEED_TESTS_SUPPORT_VISITS_H
#define DEED_TESTS_SUPPORT_VISITS_H

#include <deed/ledger.h>

static inline bool see_result(
    void *context, deed_rc rc, const struct deed_result *result, const struct deed_error *err)
{
    (void)context;
    (void)rc;
    (void)result;
    (void)err;
    return true;
}

#define DEED_SEE(name, type)                                                                       \
    static inline deed_rc name(void *context, const struct type *row)                              \
    {                                                                                              \
        (void)context;                                                                             \
        (void)row;                                                                                 \
        return DEED_OK;                                                                            \
    }
DEED_SEE(see_intent, deed_intent_row)
DEED_SEE(see_attempt, deed_attempt_row)
DEED_SEE(see_evidence, deed_evidence_row)
DEED_SEE(see_event, deed_event_row)
DEED_SEE(see_pass, deed_pass_row)
#undef DEED_SEE

static inline void see_broken(void *context, const char *key, const char *text)
{
    (void)context;
    (void)key;
    (void)text;
}

#endif
