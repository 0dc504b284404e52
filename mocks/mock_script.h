/* SPDX-License-Identifier: MIT
 *
 * mock_script.h - what a provider is told to do: a step for each attempt, an answer for each look.
 */
#ifndef DEED_MOCKS_MOCK_SCRIPT_H
#define DEED_MOCKS_MOCK_SCRIPT_H

#include "json_read.h"

/* In the order of step_words (mock_script.c). */
enum deed__step_kind {
    DEED__STEP_ANSWER,
    DEED__STEP_LOSE,
    DEED__STEP_UNREACHABLE,
    DEED__STEP_REFUSE,
    DEED__STEP_REJECT,
    DEED__STEP_LATE,
    DEED__STEP_HANG,
    DEED__STEP_ERROR,
    DEED__STEP_ERROR_STORED,
    DEED__STEP_PENDING,
    DEED__STEP_IN_PROGRESS,
    DEED__STEP_MISMATCH,
    DEED__STEP_GARBAGE,
};

enum deed__ending {
    DEED__ENDS_APPLIED,
    DEED__ENDS_REJECTED,
    DEED__ENDS_NEVER
};

/* When it lands; with neither, on demand. */
struct deed__landing_rule {
    bool given;
    int64_t after_ms;     /* DEED_FOREVER: no time */
    uint64_t after_looks; /* UINT64_MAX: no number */
};

struct deed__step {
    enum deed__step_kind kind;
    uint64_t serves; /* how many attempts, before the next step takes over */
    bool effect;
    bool lost;           /* the answer does not come back */
    uint64_t duplicates; /* copies the network delivers by itself */
    struct deed__landing_rule duplicates_land;
    struct deed__landing_rule land;
    enum deed__ending ending;
    int verdict; /* of a stored error; as a bare number of garbage */
    int64_t retry_after_ms;
};

/* In the order of say_words (mock_script.c). */
enum deed__say {
    DEED__SAY_TRUTH,
    DEED__SAY_FRESH,
    DEED__SAY_ERROR,
    DEED__SAY_LOSE,
    DEED__SAY_INCOMPLETE,
    DEED__SAY_WRONG_MARKER,
    DEED__SAY_WRONG_DIGEST,
    DEED__SAY_SEVERAL,
    DEED__SAY_ABSENT,
    DEED__SAY_PRESENT,
};

struct deed__saying {
    enum deed__say say;
    uint64_t count; /* of "several": effects told of */
};

/* Steps or sayings under one pattern. Only one of the two lists is used. */
struct deed__script {
    char *pattern; /* an action key, or the start of one before "*" */
    bool is_prefix;
    struct deed__step *steps;
    size_t steps_count;
    struct deed__saying *sayings;
    size_t sayings_count;
};

struct deed__scripts {
    struct deed__script *items;
    size_t count;
};

/* What the reading of scripts has to know about the provider, to refuse what contradicts it. */
struct deed__script_rules {
    bool keyed;
    bool lying;
    bool no_stored_errors;
};

/* A step or a list of steps; sayings likewise. Absent: one benign step. */
void deed__read_steps(const struct deed__node *node, const struct deed__script_rules *rules,
    struct deed__script *out);
void deed__read_sayings(const struct deed__node *node, const struct deed__script_rules *rules,
    struct deed__script *out);
/* An object from pattern to list. */
typedef void (*deed__read_list)(const struct deed__node *node,
    const struct deed__script_rules *rules, struct deed__script *out);
void deed__read_scripts(const struct deed__node *node, const struct deed__script_rules *rules,
    deed__read_list read_list, struct deed__scripts *out);
void deed__script_finish(struct deed__script *script);
void deed__scripts_finish(struct deed__scripts *scripts);

/* The most exact pattern that fits the key, or `fallback`. */
const struct deed__script *deed__script_for(
    const struct deed__scripts *scripts, const struct deed__script *fallback, const char *key);
/* The step of the n-th attempt, the saying of the n-th look; the last one goes on for ever. */
const struct deed__step *deed__step_for(const struct deed__script *script, uint64_t attempt);
const struct deed__saying *deed__saying_for(const struct deed__script *script, uint64_t look);
bool deed__scripts_use(const struct deed__scripts *scripts, const struct deed__script *fallback,
    enum deed__step_kind kind);

const char *deed__step_name(enum deed__step_kind kind);

#endif /* DEED_MOCKS_MOCK_SCRIPT_H */
