/* SPDX-License-Identifier: MIT
 *
 * Prints core/state.def in the language of Spin: the numbers of states, outcomes and events, and one
 * inline, `move`, that changes an intent along a row or says that there is none. Model and code thus
 * have one table.
 */
#include <stdio.h>
#include <string.h>

#define N "N"
#define A "A"
#define R "R"
#define O "O"
#define T "T"

/* The outcomes of a set, as state.def writes it, in the order of their numbers. */
static const struct {
    const char *letter;
    const char *ident;
} letters[] = {
    {N, "OUTCOME_NONE"}, {A, "APPLIED"}, {R, "REJECTED"}, {O, "NOT_APPLIED"}, {T, "RETRACTED"}};

static const struct row {
    const char *from;
    const char *from_outcomes;
    const char *event;
    const char *to;
    const char *to_outcomes;
} rows[] = {
#define EDGE(from, from_outcomes, event, to, to_outcomes, guard)                                   \
    {#from, #from_outcomes, #event, #to, #to_outcomes},
#include "state.def"
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))

static void print_numbers(void)
{
    (void)printf("#define STATE_NONE 0\n");
#define STATE(ident, number, text) (void)printf("#define STATE_%s %d\n", #ident, number);
#include "state.def"
#define OUTCOME(ident, number, text) (void)printf("#define %s %d\n", #ident, number);
#include "state.def"
#define EVENT(ident, number, text, kind) (void)printf("#define EVENT_%s %d\n", #ident, number);
#include "state.def"
    (void)printf("#define ROWS %zu\n\n", ROWS);
}

static void print_names(void)
{
    (void)printf("c_decl {\nstatic unsigned long row_taken[ROWS];\n");
    (void)printf("static const char *const row_names[ROWS] = {\n");
    for (size_t i = 0; i < ROWS; i++) {
        (void)printf("    \"%s(%s) %s %s(%s)\",\n", rows[i].from, rows[i].from_outcomes,
            rows[i].event, rows[i].to, rows[i].to_outcomes);
    }
    (void)printf("};\n}\n\n");
}

static void print_set(const char *variable, const char *set)
{
    const char * or = "";
    (void)printf("(");
    for (size_t i = 0; i < sizeof(letters) / sizeof(letters[0]); i++) {
        if (strstr(set, letters[i].letter) != NULL) {
            (void)printf("%s%s == %s", or, variable, letters[i].ident);
            or = " || ";
        }
    }
    (void)printf(")");
}

static const char *state_of(const char *ident)
{
    return strcmp(ident, "STATE_NONE") == 0 ? "NONE" : ident;
}

static void print_move(void)
{
    (void)printf("inline move(event, outcome_after)\n{\n    if\n");
    for (size_t i = 0; i < ROWS; i++) {
        (void)printf("    :: state == STATE_%s && ", state_of(rows[i].from));
        print_set("outcome", rows[i].from_outcomes);
        (void)printf(" && event == EVENT_%s && ", rows[i].event);
        print_set("outcome_after", rows[i].to_outcomes);
        (void)printf(" ->\n        state = STATE_%s; c_code { row_taken[%zu]++; }\n",
            state_of(rows[i].to), i);
    }
    (void)printf("    :: else -> printf(\"broken TABLE\\n\"); assert(false)\n");
    (void)printf("    fi;\n    outcome = outcome_after\n}\n");
}

int main(void)
{
    (void)printf("/* Generated from core/state.def by tests/model/table.c; not to be edited. */\n");
    print_numbers();
    print_names();
    print_move();
    return 0;
}
