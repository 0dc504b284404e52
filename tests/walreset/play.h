/* SPDX-License-Identifier: MIT
 *
 * play.h - two workers play a program on one database under a schedule, and what they were told is
 * compared with what is there: while the last connections are open, and after they are closed.
 */
#ifndef DEED_TESTS_WALRESET_PLAY_H
#define DEED_TESTS_WALRESET_PLAY_H

#include "turns.h"

#define OPERATIONS_MAX 8

/* Letters of a program: what a worker does next. */
#define DO_CHECKPOINT 'c'
#define DO_SMALL      's' /* a commit of a few pages */
#define DO_LARGE      'l' /* a commit of some more */
#define DO_FULL       'f' /* a small commit that finds the log full; the real store only */

struct program {
    char before[OPERATIONS_MAX + 1]; /* by both in turn, before the schedule begins */
    char by[TURNS_WORKERS][OPERATIONS_MAX + 1];
};

/* What a row must hold. */
struct row {
    int number;
    int bytes;
};
void row_body(const struct row *row, char *body_out); /* row->bytes bytes */

enum answer {
    ANSWER_DONE, /* a commit: it must be there from now on */
    ANSWER_BUSY, /* a commit: it must never be there */
    ANSWER_FAILED,
};

/* A way to use SQLite. `rows` lists numbers and bodies of all rows, ordered by number. */
struct way {
    const char *name;
    const char *rows;
    void *(*open)(void); /* NULL: failed */
    enum answer (*commit)(void *worker, const struct row *row, bool log_full);
    enum answer (*checkpoint)(void *worker);
    const char *(*why)(void *worker); /* the last answer was ANSWER_FAILED */
    void (*close)(void *worker);
    const void *image; /* the database to begin with */
    size_t image_bytes;
};

struct played {
    bool kept;
    char broken[160]; /* what was not kept */
    struct turns turns;
    unsigned commits; /* acknowledged */
    unsigned copied;  /* checkpoints that ran */
    unsigned refused; /* operations that found a lock held for too long */
};

struct played play(
    const struct way *way, const struct program *program, const struct schedule *schedule);

#endif
