/* SPDX-License-Identifier: MIT
 *
 * doctor.h - what doctor looks at. Nothing here writes, and no provider is asked.
 */
#ifndef CLI_DOCTOR_H
#define CLI_DOCTOR_H

#include "cli.h"

enum health {
    HEALTH_OK,
    HEALTH_WARNING,
    HEALTH_BROKEN,
    HEALTH_COUNT
};

struct doctor {
    struct cli *cli;
    json_t *checks; /* with --json */
    unsigned counts[HEALTH_COUNT];
};

/* Tells one finding. `remedy`: what to do; NULL where nothing is. */
void doctor_tell(struct doctor *doctor, const char *check, enum health health, const char *remedy,
    const char *format, ...) DEED_PRINTF(5, 6);
/* The same about something that was refused; the error says what to do. */
void doctor_tell_error(
    struct doctor *doctor, const char *check, enum health health, const struct deed_error *err);

/* The library and what it is linked with. */
void doctor_library(struct doctor *doctor);
/* The file, its folder and its disk. False: there is no file to be opened. */
bool doctor_file(struct doctor *doctor, const char *path);
/* Schema and content. */
void doctor_ledger(struct doctor *doctor, const char *path);
/* The clocks; `newest_ms` is the newest time the ledger has seen, 0: not known. */
void doctor_clock(struct doctor *doctor, int64_t newest_ms);
/* The configuration, and whether it serves what is open in the ledger at `path`. `test`: of a test
 * ledger. */
void doctor_config(struct doctor *doctor, const char *path, bool ledger_known, bool test);

#endif
