/* SPDX-License-Identifier: MIT
 *
 * pace.h - --watch, --wait and --every: how often, and for how long.
 */
#ifndef CLI_PACE_H
#define CLI_PACE_H

#include "options.h"

struct pace {
    bool watch;
    bool wait;
    int64_t every_ms;
    int64_t wait_ms;
};

/* Reads and checks them: --watch repeats a pass, --wait goes on with keys that are named, and neither
 * goes with --dry-run. */
DEED_MUST_CHECK deed_rc pace_read(
    const struct arguments *arguments, struct pace *pace_out, struct deed_error *err);

#endif
