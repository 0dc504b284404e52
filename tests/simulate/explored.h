/* SPDX-License-Identifier: MIT
 *
 * An integration that is explored, with its counts and its rate printed; and what must hold of one
 * that is right.
 */
#ifndef DEED_TESTS_EXPLORED_H
#define DEED_TESTS_EXPLORED_H

#include <deed/mock/crash.h>

/* Fails the test if it cannot be explored. The report is the caller's, to be cleared. */
struct deed_crash_report explored(const struct deed_crash_setup *setup);
/* The integration that is right, at this class of provider: every death, no fault besides. */
struct deed_crash_setup deaths_of(deed_provider_class provider_class);
/* No promise is broken, and each point was died at; where the power fails, more was tried than that. */
void must_be_kept(const struct deed_crash_setup *setup);

#endif
