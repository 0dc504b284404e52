/* SPDX-License-Identifier: MIT
 *
 * turns.h - two workers in one thread, and who runs when. Each worker is a coroutine; it loses its turn
 * where the schedule says so, where it waits for a lock, and at its end. A point is a place where it
 * could lose it: a basic block of SQLite's WAL code, or a call of the disk.
 */
#ifndef DEED_TESTS_WALRESET_TURNS_H
#define DEED_TESTS_WALRESET_TURNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TURNS_WORKERS         2
#define TURNS_PREEMPTIONS_MAX 2

#define POINT_CALL  0x1U /* a call of the disk */
#define POINT_BLOCK 0x2U /* a basic block of the WAL code */

struct schedule {
    unsigned points;                    /* which points count: POINT_... */
    int first;                          /* the worker that begins */
    size_t count;                       /* of preemptions */
    uint32_t at[TURNS_PREEMPTIONS_MAX]; /* after so many points, counted over both; ascending */
};

struct turns {
    uint32_t points;     /* passed, by both */
    uint32_t first_only; /* passed when the first to end had ended */
    size_t taken;        /* preemptions that took the turn from somebody */
    uint32_t waits;      /* turns given away for a lock */
};

/* Runs work(context, 0) and work(context, 1) to their ends under a schedule. */
struct turns turns_run(
    const struct schedule *schedule, void (*work)(void *context, int worker), void *context);

/* From inside of a worker; outside of turns_run they do nothing. */
void turns_point(unsigned kind);
void turns_wait(void); /* for somebody else */

/* Basic blocks of the WAL code: how many there are, and how many of them a worker ran in a turn. */
void turns_blocks(uint32_t *known_out, uint32_t *met_out);

#endif
