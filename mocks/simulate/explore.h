/* SPDX-License-Identifier: MIT
 *
 * explore.h - trying everything: which runs there are, which of them are worth running, and what
 * becomes of one that breaks a promise.
 */
#ifndef DEED_MOCKS_SIMULATE_EXPLORE_H
#define DEED_MOCKS_SIMULATE_EXPLORE_H

#include "simulate/facts.h"
#include "simulate/memo.h"
#include "simulate/simulate.h"

/* A run that is explored further: all that it is made of so far. */
struct deed_crash__prefix {
    char *trail;
    uint64_t question; /* the last one that is answered */
    uint32_t deaths;
};

struct deed_crash__explorer {
    const struct deed_crash_setup *setup;
    struct deed_crash__stage start; /* nothing has happened yet */
    struct deed_crash__stage base;  /* in which the program runs up to its death */
    struct deed_crash__stage trial; /* a copy of it, in which it is started again */
    struct deed_crash__stage kept;  /* the base, while another run needs it */
    struct deed_crash__words asked; /* of the unharmed run: keys and what they are bound to */
    struct deed_crash__words goal;  /* of it: keys that took effect */
    struct deed_crash__points points;
    struct deed_crash__told_log told_log;
    struct deed_crash__memo states;   /* all of the exploration */
    struct deed_crash__memo met;      /* with the time, of one fault */
    struct deed_crash__memo contents; /* and what became of them */
    struct deed_crash__memo read;     /* our reading of a content, and SQLite's */
    struct deed_crash__files files;
    struct deed_crash_counts counts;
    uint64_t known_contents;
    uint64_t full; /* trials to the end */
    uint64_t points_all;
    bool stopped;
    bool left_out;                    /* more recoveries than die too */
    struct deed_crash__prefix *again; /* whose recoveries die too */
    size_t again_count;
    size_t again_room;
    /* The first failure. */
    char *trail;
    char broken[768];
    deed_rc failed;
    struct deed_error err;
};

deed_rc deed_crash__explorer_new(const struct deed_crash_setup *setup,
    struct deed_crash__explorer **explorer_out, struct deed_error *err);
void deed_crash__explorer_free(struct deed_crash__explorer *explorer);

/* ---- one run from the start (whole.c) ---------------------------------------------------- */

struct deed_crash__result {
    char broken[768]; /* "": nothing is */
    uint64_t trace_hash;
    uint64_t image_hash;
    uint64_t outcome;
    uint32_t deaths;
    uint64_t persons;
    uint64_t marks;
    bool uncertain;
    bool faulty;
};
struct deed_crash__want {
    uint32_t stop_at; /* the death that ends the run, and leaves the stage as it is; 0: none */
    bool watches;     /* and tells */
    struct deed_crash__points *points;
    struct deed_crash__told_log *told_log; /* filled; NULL */
    const struct deed_crash__told_log *known;
    struct deed_crash__timeline *timeline;
};
/* Runs the setup by what `choices` answers, in `base`. DEED_OK: it ran, and the result says how. */
deed_rc deed_crash__whole(struct deed_crash__explorer *explorer, deed_choices *choices,
    const struct deed_crash__want *want, struct deed_crash__result *result, struct deed_error *err);

/* What the run that just ended unharmed in `base` did is what is asked of all others. */
bool deed_crash__note_unharmed(struct deed_crash__explorer *explorer);
/* Runs unharmed, and notes it; what is broken already then is found again by whoever runs on. */
deed_rc deed_crash__learn(struct deed_crash__explorer *explorer, struct deed_error *err);

/* What a program would find: as we read it, and as SQLite does. `image` is the hash of the disk. */
uint64_t deed_crash__content(
    const struct deed_crash__stage *stage, const struct deed_crash__files *files, uint64_t image);
uint64_t deed_crash__sqlite_content(struct deed_crash__stage *stage);

/* What is tried at one point. */
struct deed_crash__situation {
    struct deed_crash__explorer *explorer;
    const struct deed_crash__prefix *prefix;
    const struct deed_crash__point *point;
    const struct deed_crash__fault *fault;
    uint64_t world;  /* hash of world and what was told */
    uint64_t clocks; /* of the clock after the death */
    enum deed_crash__death died;
};

/* ---- one crash state (trial.c) ----------------------------------------------------------- */

/* The base with these fates. False: a promise is broken, or it cannot go on. */
bool deed_crash__try_state(
    const struct deed_crash__situation *situation, const uint8_t *fates, uint32_t count);
/* The trail to here; freed by free(); NULL: no memory. */
char *deed_crash__trail_of(
    const struct deed_crash__situation *situation, const uint8_t *fates, uint32_t count);
/* Each returns false. */
bool deed_crash__explore_fail(struct deed_crash__explorer *explorer, deed_rc rc);
bool deed_crash__explore_nomem(struct deed_crash__explorer *explorer);
/* Takes `trail`. */
bool deed_crash__explore_broken(
    struct deed_crash__explorer *explorer, char *trail, const char *broken);

/* ---- trails (trail.c) -------------------------------------------------------------------- */

struct deed_crash__trail {
    char *text;
    size_t bytes;
    size_t room;
    bool lost; /* no memory */
};
void deed_crash__trail_text(struct deed_crash__trail *trail, const char *text);
void deed_crash__trail_add(struct deed_crash__trail *trail, uint64_t question, deed_purpose purpose,
    const char *site, uint32_t value, uint32_t bound);

/* ---- the report (report.c) --------------------------------------------------------------- */

/* Confirms and shrinks the trail of a failure, and fills in all of the report. */
deed_rc deed_crash__report(struct deed_crash__explorer *explorer, const char *trail,
    struct deed_crash_report *report, struct deed_error *err);
deed_rc deed_crash__report_begin(struct deed_crash_report *report, struct deed_error *err);
/* Name of the promise that a sentence is about: "IE1". Static. */
const char *deed_crash__promise(const char *broken);

#endif /* DEED_MOCKS_SIMULATE_EXPLORE_H */
