/* SPDX-License-Identifier: MIT
 *
 * explore.h - many plays of one kind, counted; the first few that broke, told with how to see them again.
 */
#ifndef DEED_TESTS_WALRESET_EXPLORE_H
#define DEED_TESTS_WALRESET_EXPLORE_H

#include "play.h"

struct counts {
    uint64_t plays;
    uint64_t broken;
    uint64_t first_broken; /* the number of that play, from 1; 0: none */
    uint64_t preemptions;  /* that took the turn from somebody */
    uint64_t waits;
    uint64_t commits;
    uint64_t copied;
    uint64_t refused;
};

struct experiment {
    const char *name;
    const struct way *way;
    unsigned points;     /* POINT_... */
    size_t preemptions;  /* of a random play */
    const char *letters; /* of a random program */
    uint64_t seed;
};

/* Each program of a list, each worker first, preempted at each of its points: `count` programs. */
struct counts explore_all(
    const struct experiment *experiment, const struct program *programs, size_t count);
/* Random short programs, each played without a preemption (into `control_out`) and a number of times
 * with; `plays` times in all. */
struct counts explore_random(
    const struct experiment *experiment, uint64_t plays, struct counts *control_out);

/* Plays what was told once more; false if the words make no sense. */
bool explore_again(
    const struct way *way, const char *program, const char *schedule, bool *kept_out);

#endif
