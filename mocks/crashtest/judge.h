/* SPDX-License-Identifier: MIT
 *
 * judge.h - which promises a trial broke, from what was counted outside and how the command ended.
 * Pure: it reads no clock, no file and no provider.
 */
#ifndef DEED_MOCKS_CRASHTEST_JUDGE_H
#define DEED_MOCKS_CRASHTEST_JUDGE_H

#include <deed/base.h>

enum promise {
    PROMISE_DOUBLED,        /* more happened than should */
    PROMISE_LOST,           /* it ended 0, and forgot an effect that is not there */
    PROMISE_CLAIMED,        /* it ended 0 for an effect that is not there */
    PROMISE_NEVER_FINISHED, /* it came to no end that says anything */
    PROMISE_COUNT
};

/* "doubled", "lost", "claimed", "never_finished". */
const char *promise_word(enum promise promise);

enum ending {
    ENDING_DONE,      /* 0: claims every expected effect */
    ENDING_UNCERTAIN, /* 3: not known; that is an honest end */
    ENDING_NONE,      /* neither, however often it was started again */
    ENDING_TOO_LONG,  /* a run took longer than its limit */
};

/* One NAME: expected (the unharmed run had it), or met in this trial. */
struct judged_effect {
    const char *name;
    uint64_t effects;
    uint64_t keys; /* different provider keys of these effects */
    bool expected;
    bool mentioned; /* the last run sent or asked for it */
};

struct judged_trial {
    enum ending ending;
    uint64_t expect; /* different effects */
    uint64_t runs;
    int last_status; /* of ENDING_NONE: an exit status, or the negative number of a signal */
    const struct judged_effect *effects;
    size_t effect_count;
};

#define FINDING_TEXT_BYTES 400

struct finding {
    enum promise promise;
    char text[FINDING_TEXT_BYTES];
};

/* Writes the findings of one trial, at most `max`, and returns how many there are. */
size_t judge(const struct judged_trial *trial, struct finding *findings_out, size_t max);

#endif /* DEED_MOCKS_CRASHTEST_JUDGE_H */
