/* SPDX-License-Identifier: MIT
 *
 * Planning and beginning an attempt, as run and the pass use it.
 */
#ifndef DEED_CORE_ATTEMPT_H
#define DEED_CORE_ATTEMPT_H

#include "call.h"
#include "detail.h"

/* Beside the public DEED_BEGIN_... flags. */
#define DEED__BEGIN_PAST_POLICY 0x100U /* of a replay: a person named the key */

/* May an attempt begin now, and as what? DEED_E_UNCERTAIN and its kind name what stands against
 * it. Fills the plan on success. */
deed_rc deed__plan_of(
    const struct deed__case *c, uint32_t flags, struct deed_plan *plan_out, struct deed_error *err);

/* The detail of the event that begins an attempt. The check compares it with the row, so it says of
 * one row the same for ever. */
const char *deed__attempt_describe(struct deed__detail *detail, const struct deed_attempt_row *row);

/* deed_begin with the flags above. `stale_out`: it was refused because the present provider key is not
 * the one of the binding any more; whoever planned it plans again. */
deed_rc deed__begin(deed_ledger *ledger, const struct deed_begin *begin,
    struct deed_attempt *attempt_out, bool *stale_out, struct deed_result *result,
    struct deed_error *err);

#endif
