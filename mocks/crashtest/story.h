/* SPDX-License-Identifier: MIT
 *
 * story.h - what happened in one trial, in order: starts and ends of the command, and the events at
 * the boundary between.
 */
#ifndef DEED_MOCKS_CRASHTEST_STORY_H
#define DEED_MOCKS_CRASHTEST_STORY_H

#include <deed/base.h>

enum moment_kind {
    MOMENT_START,   /* run `number` starts */
    MOMENT_EVENT,   /* boundary event `number`: word, method, name, key */
    MOMENT_KILLED,  /* the group is killed; `word` says where */
    MOMENT_LIMIT,   /* the run has taken too long and is ended */
    MOMENT_END,     /* run `number` has ended with `status`, as from waitpid */
    MOMENT_DELIVER, /* all that is late is delivered: `number` effects */
};

struct moment {
    enum moment_kind kind;
    int64_t at_ms; /* since the trial began */
    uint64_t number;
    uint64_t run; /* in which it happened */
    int status;
    char *word;
    char *method;
    char *name;
    char *key;
};

struct story {
    struct moment *moments;
    size_t count;
    size_t capacity;
    bool failed; /* no memory for some of it */
};

/* Adds a moment; its texts are copied. */
void story_add(struct story *story, const struct moment *moment);
void story_finish(struct story *story);

/* Whether a boundary event of that run spoke of NAME. */
bool story_mentions(const struct story *story, uint64_t run, const char *name);

/* "request_read POST pay-1, key 4f..", "run 2 starts", "run 2 ended 3": for people. */
#define MOMENT_TEXT_BYTES 400
void moment_text(const struct moment *moment, char text_out[MOMENT_TEXT_BYTES]);

#endif /* DEED_MOCKS_CRASHTEST_STORY_H */
