/* SPDX-License-Identifier: MIT
 *
 * report.h - what is told of the trials: to people, to programs (JSON), to a server that collects test
 * results (JUnit XML).
 */
#ifndef DEED_MOCKS_CRASHTEST_REPORT_H
#define DEED_MOCKS_CRASHTEST_REPORT_H

#include <stdio.h>

#include "crashtest/trial.h"

struct counts {
    uint64_t trials; /* the unharmed run among them */
    uint64_t broken;
    uint64_t uncertain; /* ended 3: not known */
    uint64_t missed;    /* the point was not reached */
    uint64_t killed_before;
    uint64_t killed_events;
    uint64_t killed_seams;
    uint64_t faults;
};

struct report {
    const struct settings *settings;
    struct counts counts;
    uint64_t events;   /* of the unharmed run */
    uint64_t requests; /* the same */
    uint64_t seams;    /* the same */
    uint64_t expect;
    bool seams_seen;  /* the library that counts them was there */
    bool interrupted; /* not all were tried */
    bool progress;
    char *junit_text; /* cases so far */
    size_t junit_bytes;
    FILE *junit;
};

DEED_MUST_CHECK deed_rc report_start(
    struct report *report, const struct settings *settings, struct deed_error *err);
/* Before a trial: how far it has come, on a terminal only. */
void report_progress(struct report *report, uint64_t done, uint64_t all, const char *label);
void report_trial(struct report *report, const struct trial *trial);
/* Sums up, and writes what is to be a file. */
DEED_MUST_CHECK deed_rc report_end(struct report *report, struct deed_error *err);
void report_finish(struct report *report);

/* An error, on standard error, in the form that was asked for. */
void report_error(const struct settings *settings, const struct deed_error *err);
/* The last lines the command printed in that trial, on standard error. */
void report_output(const struct trial *trial);

/* ---- the forms ---------------------------------------------------------------------------------- */

/* "  0.042  event 3, effect of POST: pay-1", a line each; a long story without its middle. */
void story_print(FILE *out, const struct story *story);

void json_trial(const struct report *report, const struct trial *trial);
void json_summary(const struct report *report);

void junit_case(FILE *out, const struct settings *settings, const struct trial *trial);
DEED_MUST_CHECK deed_rc junit_write(const struct report *report, struct deed_error *err);

#endif /* DEED_MOCKS_CRASHTEST_REPORT_H */
