/* SPDX-License-Identifier: MIT
 *
 * intent.h - what is known of an intent, as JSON and as a line for people.
 */
#ifndef CLI_INTENT_H
#define CLI_INTENT_H

#include "output.h"

/* The members every answer about an intent carries, set in `object`. */
void intent_set(json_t *object, deed_rc rc, const struct deed_result *result);

/* "pay-1: applied (confirmed), attempt 1, reference ch_1", without the end of the line. */
void intent_sentence(const struct output *out, const struct deed_result *result);

/* What a command did, when it answers about an intent: a repeat must not look like a first time. */
enum intent_deed {
    INTENT_DECIDED,
    INTENT_RECORDED,
    INTENT_MOVED, /* recorded, one of many */
    INTENT_TOLD,  /* evidence was handed in */
    INTENT_ACTED,
};

/* The whole answer of a command about one intent, in either form. `line` is that of an input file,
 * or 0. */
void intent_answer(struct output *out, deed_rc rc, const struct deed_result *result, size_t line,
    enum intent_deed what);

/* "not known", "not attempted", "applied", ... */
const char *intent_outcome_words(const struct deed_result *result);
/* Why it waits, in words: its reason, or that nobody serves its kind. */
void intent_write_why(FILE *stream, const struct deed_result *result);
enum paint intent_paint(const struct deed_result *result);

#endif
