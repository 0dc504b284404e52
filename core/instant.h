/* SPDX-License-Identifier: MIT
 *
 * Waits and permissions: the two ways to read two clocks. A wait is over when both clocks say so; a
 * permission ends when either does (docs/reference/state-machine.md, "Clocks").
 */
#ifndef DEED_CORE_INSTANT_H
#define DEED_CORE_INSTANT_H

#include <deed/rows.h>

/* a + b, at most DEED_FOREVER; either being DEED_FOREVER gives DEED_FOREVER. */
int64_t deed__sum(int64_t a, int64_t b);

bool deed__same_boot(const struct deed_instant *a, const struct deed_instant *b);

/* Has `wait_ms` passed from `start` until `now`? False in another boot: use a first look there. */
bool deed__passed(
    const struct deed_instant *start, int64_t wait_ms, const struct deed_instant *now);

/* Has `wait_ms` passed since this attempt began, at `now`? In a boot other than the attempt's the
 * wait starts again at its first look there; before that look it is never over. */
bool deed__attempt_passed(
    const struct deed_attempt_row *attempt, int64_t wait_ms, const struct deed_instant *now);

/* Does a permission of `allow_ms` from `start` still run? Never in another boot. */
bool deed__runs(const struct deed_instant *start, int64_t allow_ms, const struct deed_instant *now);

/* Does a key window or a reach of `allow_ms` from `start` still hold at `now` + `ahead_ms`? In
 * another boot only the wall clock can tell, and only while it does not stand before the newest
 * time in the ledger. */
bool deed__holds(const struct deed_instant *start, int64_t allow_ms, int64_t ahead_ms,
    const struct deed_instant *now, int64_t newest_ms);

/* A wall time as people read it, RFC 3339 in UTC: core has no calendar of the machine's. */
#define DEED__TIME_BYTES 64
void deed__time_text(int64_t wall_ms, char text_out[DEED__TIME_BYTES]);

#endif
