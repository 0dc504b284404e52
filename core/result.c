/* SPDX-License-Identifier: MIT
 *
 * Codes and exit statuses: result.def, and the one function that turns what is known of an intent
 * into the status of a command that acts.
 */
#include "versioned.h"

static const struct {
    deed_rc rc;
    const char *name;
    const char *sentence;
    int exit;
} codes[] = {
#define RC(ident, number, sentence, exit) {DEED_##ident, "DEED_" #ident, sentence, exit},
#include "result.def"
};
#define RC(ident, number, sentence, exit) _Static_assert(DEED_##ident == (number), sentence);
#include "result.def"

#define CODE_COUNT (sizeof(codes) / sizeof(codes[0]))

/* The numbers run from 0 without a gap, so that a code is its own index. */
_Static_assert(DEED_E_INTERRUPTED + 1 == CODE_COUNT, "result.def lists every code");

const char *deed_rc_name(deed_rc rc)
{
    return (size_t)rc < CODE_COUNT ? codes[rc].name : NULL;
}

const char *deed_rc_sentence(deed_rc rc)
{
    return (size_t)rc < CODE_COUNT ? codes[rc].sentence : NULL;
}

enum {
    EXIT_DONE = 0,
    EXIT_NOT_KNOWN = 3,
    EXIT_REJECTED = 6,
    EXIT_IN_FLIGHT = 7,
    EXIT_NOT_APPLIED = 8,
    EXIT_PERSON = 9,
};

static int acting_status(const struct deed_result *result)
{
    if (result->disputed) {
        return EXIT_PERSON;
    }
    switch (result->state) {
    case DEED_STATE_NONE:
        return EXIT_DONE;
    case DEED_ATTEMPTED:
        return result->in_flight ? EXIT_IN_FLIGHT : EXIT_NOT_KNOWN;
    case DEED_RECORDED:
    case DEED_CONFIRMED:
    case DEED_RECONCILED:
        break;
    }
    switch (result->outcome) {
    case DEED_APPLIED:
        return EXIT_DONE;
    case DEED_REJECTED:
    case DEED_RETRACTED:
        return EXIT_REJECTED;
    case DEED_OUTCOME_NONE:
    case DEED_NOT_APPLIED:
        break;
    }
    return result->needs_person ? EXIT_PERSON : EXIT_NOT_APPLIED;
}

int deed_exit_status(deed_rc rc, deed_exit_kind kind, const struct deed_result *result)
{
    if (rc == DEED_OK) {
        bool told = kind == DEED_EXIT_ACTING && result != NULL;
        if (told && deed_size_room(&deed__shape_deed_result, result, NULL) != DEED_OK) {
            return codes[DEED_E_MISUSE].exit; /* nothing was told in that */
        }
        return told && result->key[0] != '\0' ? acting_status(result) : EXIT_DONE;
    }
    return (size_t)rc < CODE_COUNT ? codes[rc].exit : 1;
}

/* The place of a status in the order; what is not in it (a failed check, an open end) goes before
 * all that speaks of one intent, so that it is never lost among successes. */
static size_t rank_of(int status)
{
    static const int order[] = {130, 1, -1, 3, 9, 4, 2, 5, 11, 12, 7, 8, 6, 0};
    size_t other = 0;
    for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
        if (order[i] == status) {
            return i;
        }
        other = order[i] == -1 ? i : other;
    }
    return other;
}

int deed_exit_worst(int status, int other)
{
    return rank_of(other) < rank_of(status) ? other : status;
}
