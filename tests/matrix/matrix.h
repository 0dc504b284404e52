/* SPDX-License-Identifier: MIT
 *
 * The crash matrix: ways to act once, at providers of each class, while the worst happens. A trial is
 * one way, one provider, one situation and one seed; afterwards the world outside is counted and
 * compared with what was claimed. docs/reference/crash-matrix.md holds the figures.
 */
#ifndef DEED_TESTS_MATRIX_H
#define DEED_TESTS_MATRIX_H

#include <deed/ext/executor.h>
#include <deed/ledger.h>
#include <deed/mock/clock.h>
#include <deed/mock/disk.h>
#include <deed/mock/executor.h>
#include <deed/mock/world.h>

#define MATRIX_CLASSES    5 /* deed_provider_class */
#define MATRIX_INTENTIONS 2
#define MATRIX_CALLS      6 /* so often at most the program comes: then whoever has no ledger gives up */
#define MATRIX_SENT       32 /* requests of one trial that can be told apart */

/* What the providers declare, all of it true. */
#define MATRIX_SEND_MS    INT64_C(2000)
#define MATRIX_ANSWER_MS  INT64_C(5000)
#define MATRIX_LANDING_MS INT64_C(10000)
#define MATRIX_LAG_MS     INT64_C(1000)
#define MATRIX_WINDOW_MS  INT64_C(60000)
#define MATRIX_REACH_MS   INT64_C(86400000)

/* ---- situations -------------------------------------------------------------------------- */

/* What becomes of a request. */
enum road {
    ROAD_GOOD,
    ROAD_LOST,                   /* it is done, and the answer is lost */
    ROAD_DOUBLED,                /* the network delivers it twice */
    ROAD_NEVER,                  /* silence, and nothing arrives */
    ROAD_LATE,                   /* silence, and it arrives a second later; and so on up to */
    ROAD_LATEST = ROAD_LATE + 9, /* ten seconds */
    ROAD_COUNT
};

/* When the process dies. */
enum death {
    DEATH_NONE,
    DEATH_BEFORE_SEND,
    DEATH_AFTER_EFFECT, /* and before its own record of that is durable */
    DEATH_OF_POWER,     /* the same, and what was not flushed is lost, or not, or torn */
    DEATH_AT_THE_END    /* of the call, with everything noted: a later step of the program fails */
};

/* The program, or an agent, comes once. */
struct call {
    unsigned intention; /* 1: another action, with the same content */
    unsigned draft;     /* of the words; the first one is 0 */
    enum road road;     /* of the first request in it */
    enum death death;
    uint32_t point;   /* at which it dies, counted from 0; modulo those there are */
    bool forgets;     /* nobody looks at notes: to this caller each call is the first */
    int64_t pause_ms; /* until the next one */
};

struct plan {
    struct call calls[MATRIX_CALLS];
    unsigned count;
    unsigned intentions;
    bool anew; /* each call words the payload anew */
};

#define SITUATION_LIST(SITUATION)                                                                  \
    SITUATION(CRASH_AFTER, "crash after the effect, before the record")                            \
    SITUATION(POWER_LOSS, "power loss after the effect")                                           \
    SITUATION(LOST_REPLY, "lost reply")                                                            \
    SITUATION(CRASH_BEFORE, "crash before the send")                                               \
    SITUATION(LATE, "late landing, or none")                                                       \
    SITUATION(OUTAGE, "crash after the effect, back after the key's window")                       \
    SITUATION(FR_82, "FR-82: a failed task begins again at its first step")                        \
    SITUATION(FR_83, "FR-83: a retry has a new call id; later the same is wanted once more")       \
    SITUATION(FR_85, "FR-85: called again after a reconnect, then with other arguments")           \
    SITUATION(FR_86, "FR-86: what stood before a pause runs at each resume; then a fork")          \
    SITUATION(DOUBLED, "a network that doubles the request")

enum situation {
#define SITUATION_ENUM(ident, text) SITUATION_##ident,
    SITUATION_LIST(SITUATION_ENUM)
#undef SITUATION_ENUM
    SITUATION_COUNT
};
#define SITUATION_AGENTS SITUATION_FR_82 /* the first one whose payloads are part of the story */

const char *situation_text(enum situation situation);
/* The same for every way and provider. */
bool situation_draw(enum situation situation, bool anew, uint64_t seed, struct plan *plan_out);

/* ---- ways -------------------------------------------------------------------------------- */

struct trial;
struct deed_store;

struct way {
    const char *name;
    /* Before the first call; NULL: there is nothing to be done. */
    bool (*begin)(struct trial *trial);
    /* One call of the program: it may die anywhere in it. */
    void (*live)(struct trial *trial);
    /* Nobody calls any more; NULL: nothing more is done. */
    void (*settle)(struct trial *trial);
};

#define WAY_LIST(WAY) WAY(NOTE_FIRST) WAY(NAIVE) WAY(CONTENT_KEY) WAY(STABLE_KEY) WAY(DEED)
enum way_number {
#define WAY_ENUM(ident) WAY_##ident,
    WAY_LIST(WAY_ENUM)
#undef WAY_ENUM
    WAY_COUNT
};
extern const struct way *const ways[WAY_COUNT];
extern const struct way way_note_first, way_naive, way_content_key, way_stable_key; /* by_hand.c */
extern const struct way way_deed;                                                   /* by_deed.c */

/* ---- a trial ----------------------------------------------------------------------------- */

enum said {
    SAID_NOTHING,
    SAID_DONE,
    SAID_FAILED
};

/* Of one intention. */
struct belief {
    enum said said;
    bool guessed;    /* something was claimed without proof */
    bool early;      /* something was claimed while nothing had happened */
    bool uncertain;  /* it was said that nobody knows, and a person was asked */
    unsigned denied; /* of so many first requests it was said that they did not happen */
};

struct sent {
    unsigned intention;
    unsigned draft;
};

/* What is found at the end, in one trial: 0 or 1 each. */
struct verdicts {
    unsigned duplicates;
    unsigned divergences;
    unsigned losses;
    unsigned guesses;
    unsigned uncertain;
};

/* Of a call that does not die. */
struct points {
    bool counted;
    uint32_t before; /* its first byte is out */
    uint32_t after;  /* the effect, and before the record */
};

struct trial {
    deed_world *world;
    deed_world *empty;
    deed_sim_clock *clock;
    deed_disk *disk;
    deed_disk *blank;
    deed_executor *mocks[MATRIX_CLASSES][ROAD_COUNT];
    deed_executor executor; /* that of the class, with the road of the present call */
    struct deed_profile profile;
    struct points points[WAY_COUNT][MATRIX_CLASSES][2]; /* in memory, on the disk */
    bool all_on_disk; /* ledgers always stand on the disk, and not where power fails alone */

    const struct way *way;
    deed_provider_class provider_class;
    struct plan plan;
    bool on_disk;
    struct deed_store *memory; /* that of a ledger that is not on the disk; lives through deaths */
    struct deed_store *handle; /* what the present process has of it; NULL: nothing */
    deed_sim_random *random;   /* fates of writes, tokens */
    uint32_t process;

    const struct call *call; /* NULL: between calls */
    bool dead;
    bool sends;      /* a request of this call is out */
    bool happened;   /* an effect was seen to happen, in this call or earlier */
    bool recorded;   /* in this call it was written down, durably */
    uint32_t before; /* points passed in this call */
    uint32_t after;

    const struct deed_call *asks; /* the attempt that is running */
    struct sent sent[MATRIX_SENT];
    unsigned sent_count;
    struct belief beliefs[MATRIX_INTENTIONS];
    struct { /* of all trials: what never happened was not tested */
        uint64_t deaths, power_losses, units_lost, persons, conflicts;
    } met;
    char broken[256]; /* "": the machinery works */
};

bool trial_new(struct trial *trial);
void trial_free(struct trial *trial);
/* false: trial->broken says why it is no trial. */
bool trial_run(struct trial *trial, enum way_number way, deed_provider_class provider_class,
    enum situation situation, bool anew, uint64_t seed, struct verdicts *verdicts_out);

/* Of one stage: here a process may die (trial.c); the executor of a class (road.c); what is found at
 * the end (truth.c). */
void trial_point(struct trial *trial);
bool trial_dress(struct trial *trial);
struct verdicts trial_judge(struct trial *trial);

/* For ways. */
void trial_break(struct trial *trial, const char *format, ...) DEED_PRINTF(2, 3);
const char *trial_key(unsigned intention);
/* `room` bytes at `text` hold the body. */
struct deed_payload trial_payload(
    const struct trial *trial, unsigned draft, char *text, size_t room);
void trial_wait(struct trial *trial, int64_t wait_ms);
uint64_t trial_effects(struct trial *trial, unsigned intention);
/* A way says something about an intention; a dead one says nothing. */
void trial_claim(struct trial *trial, unsigned intention, enum said said, bool proven);
/* And that nothing of what was sent so far has happened or will. */
void trial_deny(struct trial *trial, unsigned intention);
/* It is written down: what comes now is no death before the record. */
void trial_recorded(struct trial *trial);

#endif /* DEED_TESTS_MATRIX_H */
