/* SPDX-License-Identifier: MIT
 *
 * stops.h - where a program stops in the gap, tells its parent so, and waits to be killed.
 */
#ifndef DEMO_STOPS_H
#define DEMO_STOPS_H

#include <deed/base.h>

/* The stops of this process, each "KEY:a" or "KEY:b" (kills.txt says what the windows are), and the
 * public seam hook that watches for them. The texts must outlive the process. */
void stops_set(char *const *stops, int count);
/* An attempt of `key` begins. */
void stops_attempt(const char *key);

#endif
