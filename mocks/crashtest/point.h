/* SPDX-License-Identifier: MIT
 *
 * point.h - where a trial does its harm, and its name on the command line.
 *
 *   unharmed      nowhere
 *   before:N      the group dies when it is about to send its N-th effect request: nobody gets it
 *   event:N       the group dies at boundary event N
 *   seam:N        the group dies at the N-th crossing of a seam of deed, over all its processes
 *   fault:WORD:N  the provider does WORD to the N-th effect request, and nobody is killed
 */
#ifndef DEED_MOCKS_CRASHTEST_POINT_H
#define DEED_MOCKS_CRASHTEST_POINT_H

#include <deed/base.h>

enum point_kind {
    POINT_UNHARMED,
    POINT_BEFORE,
    POINT_EVENT,
    POINT_SEAM,
    POINT_FAULT,
};

/* What a provider or the road to it does to one request. */
struct fault {
    const char *word;
    const char *step;  /* members of a step, see deed/mock/executor.h */
    const char *means; /* for people: "the effect happened and ..." */
    bool needs_keys;   /* it would double the effect at a provider without keys, whoever calls */
};

/* NULL past the last one. */
const struct fault *fault_at(size_t index);

#define POINT_LABEL_BYTES 48

struct point {
    enum point_kind kind;
    uint64_t number;           /* 1, 2, ... */
    const struct fault *fault; /* of POINT_FAULT */
    char label[POINT_LABEL_BYTES];
    /* BEFORE and FAULT: the request that is meant, as the unharmed run sent it. */
    const char *name;
    uint64_t occurrence; /* the n-th of that NAME */
};

struct point point_make(enum point_kind kind, uint64_t number, const struct fault *fault);

/* Whether `label` is meant by `--only`: the same, or `only` and more behind a colon. */
bool point_is_meant(const char *label, const char *only_or_null);

/* The script for the provider, an object "options" as text; freed by the caller. NULL: no memory. */
char *point_options(const struct point *point, const char *provider_class);

#endif /* DEED_MOCKS_CRASHTEST_POINT_H */
