/* SPDX-License-Identifier: MIT
 *
 * What is said of a run: what it promises, and what has happened in it. Nothing here is part of a state.
 */
#define PROMISE(name, holds) \
    if \
    :: !(holds) -> printf("broken "); printf(#name); printf("\n"); assert(false) \
    :: else -> skip \
    fi
#define BELIEVE_ALWAYS(name, holds) PROMISE(name, holds)
/* A broken variant goes on until what it believes has done harm in the world. */
#ifdef BROKEN
#define BELIEVE(name, holds) skip
#else
#define BELIEVE(name, holds) PROMISE(name, holds)
#endif

#define HAPPENED(ident) c_code { mark_hit[MARK_##ident]++; }

c_decl {
\#include <stdlib.h>
enum {
\#define MARK(ident, text) MARK_##ident,
\#include "marks.def"
    MARKS
};
static const char *const mark_names[MARKS] = {
\#define MARK(ident, text) #ident ": " text,
\#include "marks.def"
};
static unsigned long mark_hit[MARKS];
static void print_counts(void)
{
    for (int row = 0; row < ROWS; row++) {
        printf("row %lu %s\n", row_taken[row], row_names[row]);
    }
    for (int mark = 0; mark < MARKS; mark++) {
        printf("mark %lu %s\n", mark_hit[mark], mark_names[mark]);
    }
}
}

inline say(what)
{
    if
    :: what == APPLIED -> printf("applied\n")
    :: what == REJECTED -> printf("rejected\n")
    :: what == NOT_APPLIED -> printf("not_applied\n")
    :: else -> printf("unknown\n")
    fi
}
