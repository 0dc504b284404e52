/* SPDX-License-Identifier: MIT
 *
 * simulate.h - what the files of the simulation share.
 *
 * A stage is what outlives a process: disk, world, time, and what was told. A run plays lives on a
 * stage, one after the other, until the program is done and nothing waits any more. At each point
 * of a life it asks whether the process dies here; all that is asked goes through deed_choose, so
 * that the trail of a run is all there is to know about it. The explorer runs the program only up
 * to a point, and tries every fate of the unflushed writes on copies of the stage: what it finds
 * broken is written down as a trail, and run again from the start.
 */
#ifndef DEED_MOCKS_SIMULATE_SIMULATE_H
#define DEED_MOCKS_SIMULATE_SIMULATE_H

#include <deed/mock/crash.h>
#include <deed/mock/disk.h>

#include "provider.h"
#include "simulate/invariants.h"

#define DEED_CRASH__ORIGIN   "mock.crash"
#define DEED_CRASH__START_MS INT64_C(1700000000000)
#define DEED_CRASH__LEDGER   "/deed-simulated/ledger"
#define DEED_CRASH__LOG      DEED_CRASH__LEDGER "-wal"

/* Durations of the profile, chosen so that sums are easy to read. */
#define DEED_CRASH__SEND_MS    INT64_C(1000)
#define DEED_CRASH__ANSWER_MS  INT64_C(2000)
#define DEED_CRASH__LANDING_MS INT64_C(5000)
#define DEED_CRASH__LAG_MS     INT64_C(1000)
#define DEED_CRASH__REACH_MS   INT64_C(3600000)
#define DEED_CRASH__WINDOW_MS  INT64_C(600000)
#define DEED_CRASH__LEASE_MS   (DEED_CRASH__SEND_MS + DEED_CRASH__ANSWER_MS)
#define DEED_CRASH__VISIBLE_MS (DEED_CRASH__SEND_MS + DEED_CRASH__LANDING_MS + DEED_CRASH__LAG_MS)

#define DEED_CRASH__FATES 5 /* of deed_disk_fate */

/* Processes of the kit itself; lives are 1, 2, ... */
#define DEED_CRASH__PROCESS_KIT 1000000U

/* ---- what outlives a process ------------------------------------------------------------- */

struct deed_crash__words {
    struct deed_crash__word *items;
    size_t count;
    size_t room;
};
bool deed_crash__words_copy(struct deed_crash__words *words, const struct deed_crash__words *of);
/* What is told of a key now counts instead of what was told before. */
bool deed_crash__words_put(struct deed_crash__words *words, const struct deed_crash__word *word);
uint64_t deed_crash__words_hash(const struct deed_crash__words *words);

struct deed_crash__stage {
    deed_disk *disk;
    deed_world *world;
    deed_sim_clock *clock;
    struct deed_crash__words told;
    uint64_t trace;     /* hash of all that happened so far */
    uint32_t lives;     /* that were lived so far */
    uint32_t unreached; /* requests of programs without deed that never left: the world has none */
    /* World and time at the death of the process; what the ghost does has never happened. */
    deed_world *frozen_world;
    deed_sim_clock *frozen_clock;
    deed_sim_clock *still_clock; /* for looking: it shows the same, and reading takes no time */
};

deed_rc deed_crash__stage_new(struct deed_crash__stage *stage, struct deed_error *err);
void deed_crash__stage_free(struct deed_crash__stage *stage);
/* What another machine would find; nobody has `stage` open. */
deed_rc deed_crash__stage_become(
    struct deed_crash__stage *stage, const struct deed_crash__stage *of, struct deed_error *err);
/* World and what was told; disk and time are hashed apart. */
uint64_t deed_crash__stage_hash(const struct deed_crash__stage *stage);
uint64_t deed_crash__clock_hash(const struct deed_crash__stage *stage);
int64_t deed_crash__now(const struct deed_crash__stage *stage); /* true time */
/* An empty ledger, durable. Its file is made in a real folder, which is removed again. */
deed_rc deed_crash__put_ledger(deed_disk *disk, struct deed_error *err);

/* ---- faults of network and provider ------------------------------------------------------ */

struct deed_crash__fault {
    const char *name;    /* "lose": what stands in reports */
    const char *about;   /* "B2": its name in the fault model */
    uint32_t classes;    /* bits (1U << deed_provider_class) */
    const char *options; /* members of the mock's options, as one JSON object */
    int64_t window_ms;   /* of the profile; 0: the usual one */
    int64_t reach_ms;
    bool eventual; /* its look-up is declared as one that lags */
};

/* The faults of a provider class; number 0 is none. */
uint32_t deed_crash__fault_count(const struct deed_crash_setup *setup);
const struct deed_crash__fault *deed_crash__fault_at(
    const struct deed_crash_setup *setup, uint32_t number);

/* The options of the mock for one kind, as text; freed by free(). */
deed_rc deed_crash__provider_options(const struct deed_crash_setup *setup,
    const struct deed_crash__fault *fault, deed_provider_class provider_class, const char *name,
    char **text_out, struct deed_error *err);
struct deed_profile deed_crash__profile(
    const struct deed_crash__fault *fault, deed_provider_class provider_class);
/* The class of a kind; where the setup names kinds, that of the setup. */
deed_provider_class deed_crash__class_of(const struct deed_crash_setup *setup, const char *kind);
uint32_t deed_crash__abilities(const struct deed_crash_setup *setup, const char *kind);

/* ---- a run ------------------------------------------------------------------------------- */

enum deed_crash__death {
    DEED_CRASH__LIVES = 0,
    DEED_CRASH__KILLED = 1,
    DEED_CRASH__POWERED = 2,
};

/* Where a life could die. */
struct deed_crash__point {
    uint64_t question; /* the number of the question that asks */
    const char *site;
    uint32_t life;
};
struct deed_crash__points {
    struct deed_crash__point *items;
    size_t count;
    size_t room;
};

/* What had been told when so many questions had been asked. */
struct deed_crash__told_log {
    struct {
        uint64_t question;
        struct deed_crash__words words;
    } * items;
    size_t count;
    size_t room;
};
bool deed_crash__told_log_add(
    struct deed_crash__told_log *log, uint64_t question, const struct deed_crash__words *words);
void deed_crash__told_log_clear(struct deed_crash__told_log *log);

/* Files of the program's own that were ever saved; more than there is room for: count is larger. */
#define DEED_CRASH__FILES_MAX 16
struct deed_crash__files {
    size_t count;
    char paths[DEED_CRASH__FILES_MAX][256];
};

struct deed_crash__timeline;

struct deed_crash__run {
    const struct deed_crash_setup *setup;
    const struct deed_crash__fault *fault;
    struct deed_crash__stage *stage;
    deed_choices *choices; /* asked at each point; NULL: nobody is */
    /* What is looked for. */
    bool watches;     /* at each point: what must be durable, that nothing is locked */
    bool tells;       /* at each commit: what was told */
    bool thorough;    /* file and chains are checked as a whole */
    bool looked_back; /* second looks have been taken */
    bool only_lives;  /* the run ends with the program: what is left is not settled */
    uint32_t stop_at; /* the death that ends the run, and leaves the stage as it is; 0: none */
    uint32_t deaths_max;
    struct deed_crash__points *points;        /* NULL: they are not noted */
    struct deed_crash__timeline *timeline;    /* NULL: it is not told */
    struct deed_crash__told_log *told_log;    /* written; NULL */
    const struct deed_crash__told_log *known; /* read, where the run does not watch; NULL */
    struct deed_crash__files *files;          /* noted; NULL */
    const struct deed_crash__words *asked;    /* keys and digests of the unharmed run; NULL */
    const struct deed_crash__words *goal;     /* keys that took effect in it; NULL */
    /* Of the present life. */
    struct deed_crash_life life;
    struct deed_mock__provider provider; /* of life.send */
    uint32_t process;
    bool counts; /* points are points; false while the kit itself is at work */
    enum deed_crash__death death;
    uint64_t sends_seen;
    deed_rc failed; /* the kit could not go on */
    struct deed_error err;
    /* What came out. */
    uint32_t deaths;
    uint64_t died_question;
    deed_crash_end end;
    uint64_t marks;
    uint64_t persons;
    uint64_t lives;
    uint64_t lived;   /* hash of world, time and ledger when the program was done */
    uint64_t outcome; /* of how everything ended */
    char broken[768]; /* "": nothing is */
};

/* Plays from the stage as it stands until all is at its end. `died`: how the last process ended.
 * False: a promise is broken, or the kit failed. */
bool deed_crash__play(struct deed_crash__run *run, enum deed_crash__death died);
/* One life. False: as above; a death is no failure. */
bool deed_crash__live(struct deed_crash__run *run);
/* What goes by after a death: time, and with the power the fates of what was not flushed. */
bool deed_crash__pass_death(
    struct deed_crash__run *run, enum deed_crash__death died, const uint8_t *fates, uint32_t count);

/* Of that, what goes by for a clock when the power fails. */
void deed_crash__pass_power(deed_sim_clock *clock);

/* Notes a broken promise, the first one only, or that the kit failed. Both return false. */
bool deed_crash__break(struct deed_crash__run *run, const char *format, ...) DEED_PRINTF(2, 3);
bool deed_crash__fail(struct deed_crash__run *run, deed_rc rc);

/* ---- points (points.c) ------------------------------------------------------------------- */

/* Hooks the run to seams and disk, and takes it off. */
void deed_crash__hook(struct deed_crash__run *run);
void deed_crash__unhook(struct deed_crash__run *run);
void deed_crash__point(struct deed_crash__run *run, const char *site);

/* ---- looking (watch.c) ------------------------------------------------------------------- */

/* A handle of the kit's own on this disk. With `random` it can act, and has an executor for every
 * kind; with NULL it only reads. */
deed_rc deed_crash__open(struct deed_crash__run *run, deed_disk *disk,
    const struct deed_random *random, deed_ledger **ledger_out, struct deed_error *err);
/* IS1 in its strong form: the least that would be left already shows all that went out. */
bool deed_crash__watch_sends(struct deed_crash__run *run);
/* IS4: somebody else could write now. */
bool deed_crash__watch_locks(struct deed_crash__run *run);
/* A commit was acknowledged: all that is there is told. */
bool deed_crash__watch_told(struct deed_crash__run *run);
/* Everything that must hold, with a handle that is open. */
bool deed_crash__look(struct deed_crash__run *run, deed_ledger *ledger, bool whole, bool ended);

/* ---- after the lives (settle.c) ---------------------------------------------------------- */

/* Passes while time goes by, then a person who tells the truth; everything ends. */
bool deed_crash__settle(struct deed_crash__run *run);

/* ---- the program's own provider and files (life_calls.c) --------------------------------- */

void deed_crash__life_calls(struct deed_crash__run *run);
deed_rc deed_crash__register(
    struct deed_crash__run *run, deed_ledger *ledger, struct deed_error *err);

/* ---- a time line (timeline.c) ------------------------------------------------------------ */

enum deed_crash__column {
    DEED_CRASH__COLUMN_LEDGER,
    DEED_CRASH__COLUMN_DISK,
    DEED_CRASH__COLUMN_WORLD,
    DEED_CRASH__COLUMN_ALL,
};
struct deed_crash__timeline *deed_crash__timeline_new(void);
void deed_crash__timeline_free(struct deed_crash__timeline *timeline);
void deed_crash__timeline_tell(struct deed_crash__timeline *timeline, int64_t at_ms,
    enum deed_crash__column column, const char *format, ...) DEED_PRINTF(4, 5);
/* What is new in the world since the last look. */
void deed_crash__timeline_world(
    struct deed_crash__timeline *timeline, deed_world *world, int64_t at_ms);
char *deed_crash__timeline_text(const struct deed_crash__timeline *timeline);

#endif /* DEED_MOCKS_SIMULATE_SIMULATE_H */
