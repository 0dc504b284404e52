/* SPDX-License-Identifier: MIT
 *
 * explain.h - plain words about an intent: the table of texts, and what is filled into them.
 */
#ifndef CLI_EXPLAIN_H
#define CLI_EXPLAIN_H

#include <deed/evidence.h>
#include <deed/ledger.h>

#include <stdio.h>

enum explain_part {
    EXPLAIN_KNOWN,
    EXPLAIN_UNKNOWN,
    EXPLAIN_RESEND,
    EXPLAIN_SETTLE,
    EXPLAIN_PARTS
};

/* One row of explain.def; every set is one of bits. */
struct explain_row {
    enum explain_part part;
    uint32_t reasons;  /* 1 << deed_reason */
    uint32_t states;   /* 1 << deed_state */
    uint32_t outcomes; /* 1 << deed_outcome */
    uint32_t classes;  /* as in struct deed_reach */
    const char *text;
};

/* Where an intent stands: what chooses the texts. */
struct explain_case {
    deed_reason reason;
    deed_state state;
    deed_outcome outcome;
    uint32_t class_bit;
};

/* A class of its own: no attempt that this ledger knows, and evidence from outside that says it was
 * applied. */
#define EXPLAIN_CLAIMED (DEED_CLASS_BIT_NONE << 1U)

const struct explain_row *explain_at(size_t index); /* NULL past the last one */
bool explain_matches(
    const struct explain_row *row, enum explain_part part, const struct explain_case *where);

/* "What is known", ... */
const char *explain_title(enum explain_part part);

/* What is filled in beside the result: from the attempts in doubt. Times are wall times in ms. */
struct explain_facts {
    const struct deed_result *result;
    bool attempt_known;
    uint32_t flags;       /* DEED_ATTEMPT_..., of any attempt in doubt */
    bool reach_unknown;   /* of any attempt in doubt */
    int64_t reach_end_ms; /* when a look-up begins to forget; DEED_FOREVER: never */
    int64_t
        window_end_ms; /* when the provider forgets our key; DEED_FOREVER: never; 0: it has none */
    bool claimed;      /* recorded, and evidence that settles nothing says it was applied */
    char claim_source[DEED_SOURCE_BYTES_MAX + 1]; /* of the newest of it */
    char claim_reference[DEED_REFERENCE_BYTES_MAX + 1];
};

struct explain_case explain_case_of(const struct explain_facts *facts);

/* The text of one part, filled in. Freed by the caller; NULL: no memory. */
char *explain_text(enum explain_part part, const struct explain_facts *facts);

/* What holds besides, each a sentence ("It is held ..."), or NULL past the last one. Freed by the
 * caller. */
char *explain_besides(const struct explain_facts *facts);

/* Writes all of it for people, with titles; the form of docs and golden file. */
bool explain_write(FILE *stream, const struct explain_facts *facts);

#endif
