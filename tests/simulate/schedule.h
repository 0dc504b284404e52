/* SPDX-License-Identifier: MIT
 *
 * Two or three workers on one ledger in memory, in an order that is chosen, with a provider, a clock
 * and deaths that are chosen too. A stage is one such run; it is set up anew from memory that is
 * given back as a whole, so that many thousands fit into a minute.
 */
#ifndef DEED_TESTS_SCHEDULE_H
#define DEED_TESTS_SCHEDULE_H

#include <deed/ext/executor.h>
#include <deed/ext/store.h>
#include <deed/ledger.h>
#include <deed/mock/clock.h>
#include <deed/mock/disk.h>
#include <deed/mock/executor.h>
#include <deed/mock/workers.h>
#include <deed/mock/world.h>

#include "simulate/invariants.h"

#define STAGE_WORKERS  3
#define STAGE_ACTS     7
#define STAGE_CLASSES  5
#define STAGE_KEY      "pay-1"
#define STAGE_START_MS INT64_C(1700000000000)

/* Durations of the profile, chosen so that sums are easy to read. */
#define STAGE_SEND_MS    INT64_C(1000)
#define STAGE_ANSWER_MS  INT64_C(2000)
#define STAGE_LANDING_MS INT64_C(5000)
#define STAGE_LAG_MS     INT64_C(1000)
#define STAGE_REACH_MS   INT64_C(100000)
#define STAGE_WINDOW_MS  INT64_C(60000)
#define STAGE_LEASE_MS   (STAGE_SEND_MS + STAGE_ANSWER_MS)
#define STAGE_VISIBLE_MS (STAGE_SEND_MS + STAGE_LANDING_MS + STAGE_LAG_MS)

/* ---- what has to happen ------------------------------------------------------------------ */

/* A green run that never met its fault is red. */
#define MARK_LIST(MARK)                                                                            \
    MARK(LEASE_LAPSED_IN_CALL, "a lease lapsed inside the provider's call")                        \
    MARK(REFUSED_IN_FLIGHT, "a second worker was told that somebody is at it")                     \
    MARK(REFUSED_UNCERTAIN, "a second worker was told that nobody knows")                          \
    MARK(CONFLICT, "the other payload was refused")                                                \
    MARK(LATE_WORD, "a worker's answer came after the settlement")                                 \
    MARK(DISPUTED, "words contradicted each other")                                                \
    MARK(LOST_RACE, "who lost a race kept its evidence as a note")                                 \
    MARK(REPLAYED, "a resend under the same key")                                                  \
    MARK(REPLAY_BEFORE_ANSWER, "an answer came after its replay had begun")                        \
    MARK(RETRIED, "a second attempt after not_applied")                                            \
    MARK(RETRACTED, "it was given up")                                                             \
    MARK(RUN_AFTER_RETRACT, "a worker came after it had been given up")                            \
    MARK(HELD, "it was held before it could begin")                                                \
    MARK(PERSON, "a person settled it")                                                            \
    MARK(PERSON_TOO_EARLY, "a person came too early")                                              \
    MARK(DIED_IN_CALL, "a worker died inside the provider's call")                                 \
    MARK(DIED_IN_TRANSACTION, "a worker died inside a transaction")                                \
    MARK(DIED_UNTOLD, "a worker died with an answer it had not stored")                            \
    MARK(LANDED_LATE, "an effect after its call had ended")                                        \
    MARK(ABSENT_FINAL, "settled by final absence")                                                 \
    MARK(PRESENT, "settled by a look that saw it")                                                 \
    MARK(CLOSED, "settled by closing")                                                             \
    MARK(CLOCK_SET, "a clock was set while workers ran")                                           \
    MARK(REBOOTED, "a new boot while workers ran")                                                 \
    MARK(UNCERTAIN_BLIND, "a blind doubt stayed until a person spoke")

enum mark {
#define MARK_ENUM(ident, text) MARK_##ident,
    MARK_LIST(MARK_ENUM)
#undef MARK_ENUM
    MARK_COUNT
};

/* ---- scenarios --------------------------------------------------------------------------- */

/* What a worker does, one after the other. */
enum act {
    ACT_NOTHING,
    ACT_RECORD,
    ACT_RECORD_OTHER, /* another payload under the same key */
    ACT_RUN,
    ACT_RUN_BY_NAME,
    ACT_RUN_DUE,
    ACT_RECONCILE,
    ACT_PASS,
    ACT_RESOLVE, /* a person who looked at the world */
    ACT_GUESS,   /* one who did not look, and says that nothing happened */
    ACT_RETRACT,
    ACT_HOLD,
    ACT_RELEASE,
    ACT_EVIDENCE,  /* a webhook, if there is an effect */
    ACT_HOST,      /* begin, may_send, send, finish by hand */
    ACT_SEND_ONLY, /* the same, and the process is gone before it stores the answer */
    ACT_BEGIN_ONLY,
    ACT_FOREIGN,     /* a word for a token that nobody knows: of another copy, say */
    ACT_AFTER_SEND,  /* waits until something went out */
    ACT_LATER,       /* so much time passes that nothing can land or hide any more */
    ACT_SET_FORWARD, /* the wall clock is wrong by a year */
    ACT_SET_BACK,    /* the wall clock is set back by as much as ACT_LATER */
    ACT_REFUSED,     /* an attempt that comes to nothing, and says so */
};

struct scenario {
    const char *name;
    uint32_t classes;            /* bits 1 << deed_provider_class; 0: all */
    enum act before[STAGE_ACTS]; /* by one worker, unharmed */
    enum act acts[STAGE_WORKERS][STAGE_ACTS];
    int64_t later_ms; /* so much time passes before the workers start */
    uint32_t faults;  /* of the provider; bits 1 << deed_mock_fault; 0: all */
    uint32_t weight;  /* so many times as many throws of the dice; 0: 1 */
    bool guesses;     /* a person may say what is not so: then a doubled effect is theirs */
    uint32_t moves;   /* of the clock, besides those of the mode; bits 1 << deed_sim_move */
};

const struct scenario *scenario_at(size_t index); /* NULL past the last one */
bool scenario_has_class(const struct scenario *scenario, unsigned provider_class);

/* ---- a stage ----------------------------------------------------------------------------- */

/* What may be chosen in a run, apart from the order. */
struct mode {
    const char *name;
    uint32_t preemptions; /* 0: no limit */
    uint32_t faults_most; /* of the provider; UINT32_MAX: none */
    uint32_t moves_most;  /* of the clock; 0: none */
    uint32_t deaths_most;
    bool mixed; /* whether there are deaths, faults, moves at all is chosen too */
};

struct stage;

/* One handle, and the process it stands for. */
struct hand {
    struct stage *stage;
    unsigned number; /* 0: of whoever sets up and cleans up */
    struct deed_store face;
    struct deed_store *store;
    deed_ledger *ledger;
    const enum act *acts;
    bool in_call;
    bool ghost;   /* on a disk: it is dead, and unwinds without a trace */
    bool between; /* may_send said yes, and nothing is out yet */
    bool untold;  /* an answer was read and is not stored */
    /* The last answer its executor gave, and whether the call that stores it has returned. */
    uint32_t heard_attempt;
    deed_verdict heard;
    bool stored;
};

struct stage {
    const struct scenario *scenario;
    const struct mode *mode;
    unsigned provider_class;
    deed_workers *workers;
    deed_choices *choices;
    deed_sim_clock *clock;
    deed_world *world;
    deed_world *empty;
    deed_disk *disk; /* NULL: on the reference store */
    deed_disk *fresh;
    struct deed_store *aside; /* of the witness */
    deed_executor *mocks[STAGE_CLASSES];
    struct deed_mock_freedom freedom[STAGE_CLASSES];
    deed_executor executor; /* of this run: the mock's, with our prepare, and freed by nobody */
    struct deed_profile profile;
    struct deed_sim_moves moves;
    uint64_t random;
    struct deed_random source;
    uint8_t digests[2][DEED_DIGEST_BYTES]; /* of the payload, and of the other one */
    bool other_first;
    int64_t chain_length; /* at the last commit */
    uint64_t effects;     /* at the last place */
    struct hand hands[STAGE_WORKERS + 1];
    deed_ledger *witness; /* a handle of nobody who acts */
    uint32_t deaths;
    uint32_t deaths_most;
    bool looking;      /* the judge is at it */
    unsigned speaking; /* persons who have looked and not spoken yet: the world stands still */
    bool quiet;        /* no places, no moves: somebody acts in one go */
    uint64_t met[MARK_COUNT];
    uint64_t steps;
    bool thorough; /* each step is looked at in full */
    struct deed_crash__promises in;
    char broken[768]; /* "": nothing is */
};

/* `folder`: where an empty ledger file is made once; NULL: on the reference store. */
bool stage_new(struct stage *stage, const char *folder);
void stage_free(struct stage *stage);
/* One run; false: `broken` says what does not hold. */
bool stage_run(struct stage *stage, const struct scenario *scenario, unsigned provider_class,
    const struct mode *mode, deed_choices *choices);
void stage_break(struct stage *stage, const char *format, ...) DEED_PRINTF(2, 3);
static inline void stage_mark(struct stage *stage, enum mark mark)
{
    stage->met[mark]++;
}
const char *mark_text(unsigned mark);

/* ---- inside ------------------------------------------------------------------------------ */

struct hand *stage_present(struct stage *stage);
void stage_place(struct stage *stage, const char *site);
/* Nobody is where no time may pass. */
bool stage_time_may_pass(const struct stage *stage);
void stage_mark_lapse(struct stage *stage);
/* The payload that is recorded, or the other one. */
struct deed_payload stage_payload(const struct stage *stage, bool other);
void hand_act(struct hand *hand, enum act act);
void hand_work(void *context);
/* After each commit, and at the end. */
void judge_commit(struct stage *stage);
/* The same where something has happened outside since the last time. */
void judge_effects(struct stage *stage);
void judge_end(struct stage *stage, bool ended);
/* Faults have stopped: passes, time, and a person, until everything is at its end. */
void stage_settle(struct stage *stage);

/* ---- on a disk (disk.c) ------------------------------------------------------------------ */

bool disk_new(struct stage *stage, const char *folder);
void disk_free(struct stage *stage);
bool disk_begin(struct stage *stage);
/* A handle of process `number` + 1. */
bool disk_open(struct stage *stage, unsigned number, struct deed_store **store_out);
/* The process that runs is this one; nobody's calls are places until it is a worker again. */
void disk_enter(struct stage *stage, unsigned number);
void disk_kill(struct stage *stage, unsigned number);
/* Closes what is open. */
void disk_end(struct stage *stage);

#endif
