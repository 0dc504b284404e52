/* SPDX-License-Identifier: MIT
 *
 * deed/mock/crash.h - simulate every crash of an integration: yours.
 *
 * You give a function that does with a ledger what your program does in one life, from its start to
 * its end; what kind of provider is on the other side; and which actions have to happen. The kit
 * runs it once unharmed and counts the points at which a death would leave something behind: writes
 * and flushes of the disk, seams of deed, moments at the provider's boundary. Then it lets the
 * process die and the power fail at each of them, with each combination of unflushed writes, and
 * with one fault of network or provider; starts your function again, as your supervisor would;
 * delivers what is late; and checks every promise between ledger and world.
 *
 * Everything is in memory: no network, no rights, no sleep. (The empty ledger is made once, in a
 * folder below TMPDIR that is removed again.) Nothing is printed and nothing exits: a test of any
 * framework looks at the report. One exploration at a time in a process: it holds the hook of
 * deed/seam.h, which it takes off at the end, and it seeds SQLite's generator of chance.
 */
#ifndef DEED_MOCK_CRASH_H
#define DEED_MOCK_CRASH_H

#include <deed/base.h>
#include <deed/ledger.h>
#include <deed/mock/choose.h>
#include <deed/mock/clock.h>
#include <deed/mock/world.h>

DEED_BEGIN_DECLS

/* ---- what is tried ----------------------------------------------------------------------- */

/* One life of the program. All of it is the kit's, and lives until the function returns. */
struct deed_crash_life {
    size_t size;    /* sizeof(struct deed_crash_life) */
    uint32_t start; /* 1: the first one; 2, 3, ...: after a death, in what that one left */
    /* Open, on the simulated disk, with an executor for every kind that `kinds` names. NULL where
     * the setup asks for none (`without_ledger`). */
    deed_ledger *ledger;
    deed_world *world;     /* what really happens; to be looked at by tests, never by a program */
    deed_sim_clock *clock; /* deed_sim_clock_advance instead of a sleep */
    /* A provider for programs without deed: sends bytes under a key (NULL: none) about what the goal
     * calls `name`. What it answered; DEED_VERDICT_UNKNOWN is also what a dead network says. */
    deed_verdict (*send)(
        const struct deed_crash_life *life, const char *name, const char *key, const char *bytes);
    /* A file of the program's own on the same disk, durable on return; false: dead, or failed. */
    bool (*save)(const struct deed_crash_life *life, const char *name, const char *text);
    /* The text saved last under `name`; NULL: none. Freed by free(). */
    char *(*load)(const struct deed_crash_life *life, const char *name);
    void *context; /* of the setup */
    void *self;    /* the kit's */
};

/* How a life ended. A process that died in it is a ghost by then: its calls failed, and whatever it
 * returns counts for nothing. */
typedef enum deed_crash_end {
    DEED_CRASH_DONE = 0,      /* claims that every action of the goal has taken place */
    DEED_CRASH_UNCERTAIN = 1, /* knows that it does not know, and says which (in the ledger) */
    DEED_CRASH_AGAIN = 2,     /* not finished: wants to be started again */
} deed_crash_end;

typedef deed_crash_end (*deed_crash_program)(const struct deed_crash_life *life);

struct deed_crash_setup {
    size_t size;      /* sizeof(struct deed_crash_setup) */
    const char *name; /* of the scenario: "card-charge" */
    deed_crash_program program;
    void *context;
    deed_provider_class provider;
    /* Further members of the mock executor's options (deed/mock/executor.h), as one JSON object;
     * NULL: none. */
    const char *provider_options;
    /* Kinds that the ledger serves; NULL: the names of the five classes, each its own provider. */
    const char *const *kinds;
    size_t kinds_count;
    /* Your own executor instead of the mock's, made anew for each life; it reaches the provider by
     * life->send or by one of its own. NULL: the mock executor. */
    deed_rc (*executor)(const struct deed_crash_life *life, deed_executor **executor_out,
        struct deed_profile *profile_out, struct deed_error *err);
    bool without_ledger; /* the program does not use deed */
    /* Action keys (or names) of which each must have exactly one effect in the end, or none and an
     * honest "uncertain"; NULL: those that have one after the unharmed run. */
    const char *const *goal;
    size_t goal_count;
    /* Pages in the log after which a commit checkpoints; 0: as deed/sqlite.h says. */
    uint32_t checkpoint_pages;
    uint32_t restarts;   /* a program that is not done after so many is "never finished"; 0: 5 */
    bool kills_only;     /* no power failures: processes die, the page cache lives */
    bool no_faults;      /* deaths only: network and provider behave */
    const char *fault;   /* the only fault that is tried ("lose"), beside none; NULL: all of them */
    bool twice;          /* each recovery dies too, at each of its points */
    uint64_t trials_max; /* stops after so many and says so; 0: all of them */
    /* Told now and then; returns false to stop. NULL: nobody is. */
    bool (*progress)(void *context, uint64_t trials, uint64_t points, uint64_t points_all);
    void *progress_context;
};

/* ---- what came out ----------------------------------------------------------------------- */

struct deed_crash_counts {
    size_t size;         /* sizeof(struct deed_crash_counts) */
    uint64_t points;     /* at which the unharmed run could die */
    uint64_t died;       /* of these, how many a process did die at, */
    uint64_t powered;    /* and how many the power failed at */
    uint64_t again;      /* deaths in the recovery after another one */
    uint64_t units_most; /* unflushed at one point */
    uint64_t whole;      /* points of which every combination was tried; others: a bounded set */
    uint64_t states;     /* distinct crash states: disk, world and what was told */
    uint64_t repeated;   /* states met again, byte by byte, and not looked at again */
    uint64_t contents;   /* states in which the database found what it had found in another one, */
    uint64_t trials;     /* and all others, in which the program was started again */
    uint64_t compared;   /* of the trials: in a content that was known, and it ended as before */
    uint64_t replays;    /* runs that were repeated from their trail, with the same hashes */
    uint64_t marks;      /* what was met, as bits: deed_crash_mark_name */
    uint64_t faults;     /* faults of network and provider that took place */
    uint64_t uncertain;  /* trials that ended in an honest "uncertain" */
    uint64_t persons;    /* and those in which a person had to decide */
};

struct deed_crash_report {
    size_t size; /* sizeof(struct deed_crash_report) */
    struct deed_crash_counts counts;
    bool broken;
    bool complete;       /* everything was tried; false: stopped, or broken */
    const char *promise; /* "IE1"; static; NULL: none is broken */
    char *what;          /* the sentence that does not hold */
    char *trail;         /* the shortest that was found, for deed_crash_replay; at most 4 KiB */
    char *timeline;      /* ledger, disk and world side by side */
    uint64_t trace_hash; /* of the run that broke it: a replay must give the same two */
    uint64_t image_hash;
};
/* The faults of network and provider that a class can have, by number: "unreachable", "lose", ...;
 * NULL past the last one. */
DEED_API const char *deed_crash_fault_name(deed_provider_class provider, uint32_t number);
/* What a bit of `marks` stands for ("an effect, and no answer"); NULL past the last one. */
DEED_API const char *deed_crash_mark_name(uint32_t bit);

/* Frees what a report holds; not the report. */
DEED_API void deed_crash_report_clear(struct deed_crash_report *report);

/* Explores all of it. DEED_OK: it ran, and the report says whether a promise broke (the first one
 * ends it); anything else: it could not be run, and `err` says why. `size` of report_out is set by
 * the caller; clear it in either case. */
DEED_API DEED_MUST_CHECK deed_rc deed_crash_explore(const struct deed_crash_setup *setup,
    struct deed_crash_report *report_out, struct deed_error *err);

/* By chance, from a seed, for so many trials: several deaths, faults and jumps in one run. */
DEED_API DEED_MUST_CHECK deed_rc deed_crash_swarm(const struct deed_crash_setup *setup,
    uint64_t seed, uint64_t trials, struct deed_crash_report *report_out, struct deed_error *err);

/* One run again, by its trail. */
DEED_API DEED_MUST_CHECK deed_rc deed_crash_replay(const struct deed_crash_setup *setup,
    const char *trail, struct deed_crash_report *report_out, struct deed_error *err);

DEED_END_DECLS
#endif /* DEED_MOCK_CRASH_H */
