/* SPDX-License-Identifier: MIT
 *
 * mock_script.h - what a provider is told to do: a step for each attempt, an answer for each look.
 */
#ifndef DEED_MOCKS_MOCK_SCRIPT_H
#define DEED_MOCKS_MOCK_SCRIPT_H

#include "json_read.h"

/* In the order of step_words (mock_script.c). */
enum deed_mock__step_kind {
    DEED_MOCK__STEP_ANSWER,
    DEED_MOCK__STEP_LOSE,
    DEED_MOCK__STEP_UNREACHABLE,
    DEED_MOCK__STEP_REFUSE,
    DEED_MOCK__STEP_REJECT,
    DEED_MOCK__STEP_LATE,
    DEED_MOCK__STEP_HANG,
    DEED_MOCK__STEP_ERROR,
    DEED_MOCK__STEP_ERROR_STORED,
    DEED_MOCK__STEP_PENDING,
    DEED_MOCK__STEP_IN_PROGRESS,
    DEED_MOCK__STEP_MISMATCH,
    DEED_MOCK__STEP_GARBAGE,
};

enum deed_mock__ending {
    DEED_MOCK__ENDS_APPLIED,
    DEED_MOCK__ENDS_REJECTED,
    DEED_MOCK__ENDS_NEVER
};

/* When it lands; with neither, on demand. */
struct deed_mock__landing_rule {
    bool given;
    int64_t after_ms;     /* DEED_FOREVER: no time */
    uint64_t after_looks; /* UINT64_MAX: no number */
};

/* Where an answer over HTTP breaks off. In the order of cut_words (mock_script.c). */
enum deed_mock__cut {
    DEED_MOCK__CUT_NOWHERE,
    DEED_MOCK__CUT_DROP,  /* closed before the first byte */
    DEED_MOCK__CUT_RESET, /* the same, by a reset */
    DEED_MOCK__CUT_HEADER,
    DEED_MOCK__CUT_BODY,
};

struct deed_mock__step {
    enum deed_mock__step_kind kind;
    uint64_t serves; /* how many attempts, before the next step takes over */
    bool effect;
    bool lost;           /* the answer does not come back */
    uint64_t duplicates; /* copies the network delivers by itself */
    struct deed_mock__landing_rule duplicates_land;
    struct deed_mock__landing_rule land;
    enum deed_mock__ending ending;
    int verdict; /* of a stored error; as a bare number of garbage */
    int64_t retry_after_ms;
    enum deed_mock__cut cut;
};

/* In the order of say_words (mock_script.c). */
enum deed_mock__say {
    DEED_MOCK__SAY_TRUTH,
    DEED_MOCK__SAY_FRESH,
    DEED_MOCK__SAY_ERROR,
    DEED_MOCK__SAY_LOSE,
    DEED_MOCK__SAY_INCOMPLETE,
    DEED_MOCK__SAY_WRONG_MARKER,
    DEED_MOCK__SAY_WRONG_DIGEST,
    DEED_MOCK__SAY_SEVERAL,
    DEED_MOCK__SAY_ABSENT,
    DEED_MOCK__SAY_PRESENT,
};

struct deed_mock__saying {
    enum deed_mock__say say;
    uint64_t count; /* of "several": effects told of */
};

/* Steps or sayings under one pattern. Only one of the two lists is used. */
struct deed_mock__script {
    char *pattern; /* an action key, or the start of one before "*" */
    bool is_prefix;
    struct deed_mock__step *steps;
    size_t steps_count;
    struct deed_mock__saying *sayings;
    size_t sayings_count;
};

struct deed_mock__scripts {
    struct deed_mock__script *items;
    size_t count;
};

/* What the reading of scripts has to know about the provider, to refuse what contradicts it. */
struct deed_mock__script_rules {
    bool keyed;
    bool http; /* answers can be cut */
    bool lying;
    bool no_stored_errors;
};

/* A step or a list of steps; sayings likewise. Absent: one benign step. */
void deed_mock__read_steps(const struct deed_mock__node *node,
    const struct deed_mock__script_rules *rules, struct deed_mock__script *out);
void deed_mock__read_sayings(const struct deed_mock__node *node,
    const struct deed_mock__script_rules *rules, struct deed_mock__script *out);
/* An object from pattern to list. */
typedef void (*deed_mock__read_list)(const struct deed_mock__node *node,
    const struct deed_mock__script_rules *rules, struct deed_mock__script *out);
void deed_mock__read_scripts(const struct deed_mock__node *node,
    const struct deed_mock__script_rules *rules, deed_mock__read_list read_list,
    struct deed_mock__scripts *out);
void deed_mock__script_finish(struct deed_mock__script *script);
void deed_mock__scripts_finish(struct deed_mock__scripts *scripts);

/* The most exact pattern that fits the key, or `fallback`. */
const struct deed_mock__script *deed_mock__script_for(const struct deed_mock__scripts *scripts,
    const struct deed_mock__script *fallback, const char *key);
/* The step of the n-th attempt, the saying of the n-th look; the last one goes on for ever. */
const struct deed_mock__step *deed_mock__step_for(
    const struct deed_mock__script *script, uint64_t attempt);
const struct deed_mock__saying *deed_mock__saying_for(
    const struct deed_mock__script *script, uint64_t look);
bool deed_mock__scripts_use(const struct deed_mock__scripts *scripts,
    const struct deed_mock__script *fallback, enum deed_mock__step_kind kind);

const char *deed_mock__step_name(enum deed_mock__step_kind kind);

#endif /* DEED_MOCKS_MOCK_SCRIPT_H */
