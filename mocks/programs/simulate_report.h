/* SPDX-License-Identifier: MIT
 *
 * simulate_report.h - what `deed simulate` says, and to whom: people, programs, build servers.
 */
#ifndef DEED_MOCKS_SIMULATE_REPORT_H
#define DEED_MOCKS_SIMULATE_REPORT_H

#include <stdio.h>

#include "programs/simulate_run.h"

struct simulate_results {
    struct simulated *items;
    size_t count;
    bool interrupted;
};

/* A line for one that was kept; for one that was not, the promise, its time line and the command
 * that runs it again. */
void simulate_report_text(FILE *out, const struct simulated *simulated);
/* Counts over all. */
void simulate_report_sum(FILE *out, const struct simulate_results *results);
/* One object, in one line; false: it could not be written. */
bool simulate_report_line(FILE *out, const struct simulated *simulated);

/* Each replaces the file. */
DEED_MUST_CHECK deed_rc simulate_report_json(
    const struct simulate_results *results, const char *path, struct deed_error *err);
DEED_MUST_CHECK deed_rc simulate_report_junit(
    const struct simulate_results *results, const char *path, struct deed_error *err);
DEED_MUST_CHECK deed_rc simulate_report_html(
    const struct simulate_results *results, const char *path, struct deed_error *err);

/* For the others: the file open for writing, and closed again with what went wrong. */
FILE *simulate_report_open(const char *path, struct deed_error *err);
DEED_MUST_CHECK deed_rc simulate_report_close(FILE *file, const char *path, struct deed_error *err);
/* Text as XML and HTML want it; what neither can hold becomes a question mark. */
void simulate_report_escape(FILE *out, const char *text);

#endif /* DEED_MOCKS_SIMULATE_REPORT_H */
