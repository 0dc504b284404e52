/* SPDX-License-Identifier: MIT
 *
 * Plays a trail of the model on the real core: two workers, a clock in ticks, a provider that keeps the
 * rules of world.pml. What the core refuses does not happen, and the trail goes on without it; after
 * each step the promises of the model are held against ledger and world.
 */
#ifndef DEED_TESTS_MODEL_PLAYER_H
#define DEED_TESTS_MODEL_PLAYER_H

#include "support/scene.h"

/* A tick of the model, and its SEND, HORIZON, VISIBLE, WINDOW and OLD. Durations end half a tick early,
 * so that what ends with a tick is over by then. */
#define TICK_MS INT64_C(1000)
#define HORIZON 2
#define WINDOW  4

/* The worker by whom a person speaks, and by whom the judge reads; the others are those of the trail. */
#define READER 2

#define SLOTS_MAX    6
#define KEYS_MAX     3
#define STEPS_MAX    64
#define PROMISES_MAX 10

struct step {
    char text[80];
    char verb[80];
    int worker; /* -1: none */
    int slot;   /* -1: none; a1 is 0 */
    char what[80];
    /* Of a walk: what the model knows after this step. */
    bool tells;
    deed_state state;
    deed_outcome outcome;
    bool disputed;
};

struct trail {
    enum scene_class class;
    bool stores; /* the provider keeps errors too */
    bool lies;   /* a request lands after its horizon */
    struct step steps[STEPS_MAX];
    int count;
    char broken[64]; /* the promise that the model saw broken; of a walk: none */
};

/* Fails the test if the file is not a trail, or a walk. */
void trail_read(const char *path, struct trail *trail);

/* What happened to the attempt that the trail calls by this number. */
struct slot {
    bool begun;
    bool sent;
    bool stray;
    bool first; /* the reply is the stored first answer */
    int copies;
    int64_t began; /* tick */
    int worker;
    deed_verdict did;
    deed_verdict reply;
    deed_verdict told; /* to the ledger */
    struct deed_attempt attempt;
};

struct kept_key {
    char key[DEED_PROVIDER_KEY_BYTES];
    int64_t began; /* tick */
    deed_verdict kept;
    bool barred;
    bool used;
    unsigned effects;
};

struct play {
    struct scene scene;
    const struct trail *trail;
    int at;     /* the next step */
    int asking; /* the worker whose question is out; -1: none */
    const struct step *question;
    bool bars; /* the question is to bar the key */
    unsigned shown;
    bool dead; /* who asked has died meanwhile */
    int64_t tick;
    struct slot slots[SLOTS_MAX];
    struct kept_key keys[KEYS_MAX];
    unsigned effects;
    unsigned fresh; /* not sure to show yet */
    bool strayed;
    bool spoken;       /* a person has decided something */
    bool told_applied; /* the ledger was told, and no person has spoken since */
    bool disputed;     /* as the ledger said after the last step */
    deed_state state;
    uint32_t settled; /* attempts when it was last settled */
    unsigned refused; /* steps */
    unsigned compared;
    unsigned differs; /* steps after which model and core know different things */
    bool overlaps;    /* two questions are out at once, and one thread plays them: it ends here */
    const char *broken[PROMISES_MAX]; /* in the order in which they broke */
    int broken_count;
};

/* Plays all of it, lets land what still may, and looks again where looks are due. */
void play_trail(struct play *play, const struct trail *trail);
void play_end(struct play *play);

void play_step(struct play *play, const struct step *step);
/* The provider of the scene answers as the trail says, where that is true. */
void play_questions(struct play *play);
/* `ask` or `bar`, and all that others do before it is written. */
deed_rc play_question(struct play *play, const struct step *step);

#endif
