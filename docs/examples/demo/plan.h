/* SPDX-License-Identifier: MIT
 *
 * plan.h - which action is killed in which window; and the log of the kills that landed.
 */
#ifndef DEMO_PLAN_H
#define DEMO_PLAN_H

#include <deed/base.h>

#define PLAN_MAX   64
#define STOP_BYTES (DEED_KEY_BYTES_MAX + 3)

struct plan {
    char stops[PLAN_MAX][STOP_BYTES]; /* "KEY:a", "KEY:b" */
    size_t count;
};

/* Reads lines of KEY and WINDOW; what stands behind them on a line is left alone. Says on standard
 * error what is wrong. */
bool plan_read(const char *path, struct plan *out);
/* The window of a key, or 0. */
char plan_window(const struct plan *plan, const char *key);
/* How many keys are stopped in a window. */
size_t plan_windows(const struct plan *plan, char window);

#endif
