/* SPDX-License-Identifier: MIT
 *
 * Reasons as tables, built from reason.def; nothing else.
 */
#include <deed/machine.h>

#define B (1U << DEED_CLASS_BLIND)
#define L (1U << DEED_CLASS_LOOKUP)
#define K (1U << DEED_CLASS_KEYED)
#define M (1U << DEED_CLASS_KEYED_LOOKUP)
#define C (1U << DEED_CLASS_CLOSABLE)
#define X DEED_CLASS_BIT_NONE

static const struct {
    deed_reason reason;
    const char *name;
    const char *sentence;
} reasons[] = {
#define REASON(ident, text, sentence) {DEED_REASON_##ident, text, sentence},
#include "reason.def"
};

static const struct deed_reach reaches[] = {
#define REACH(reason, state, outcome, classes)                                                     \
    {DEED_REASON_##reason, DEED_##state, DEED_##outcome, classes},
#include "reason.def"
};

#define REASON_ROWS (sizeof(reasons) / sizeof(reasons[0]))

_Static_assert(REASON_ROWS + 1 == DEED_REASON_COUNT, "reason.def lists every reason");

const char *deed_reason_name(deed_reason reason)
{
    for (size_t i = 0; i < REASON_ROWS; i++) {
        if (reasons[i].reason == reason) {
            return reasons[i].name;
        }
    }
    return reason == DEED_REASON_NONE ? "none" : NULL;
}

const char *deed_reason_sentence(deed_reason reason)
{
    for (size_t i = 0; i < REASON_ROWS; i++) {
        if (reasons[i].reason == reason) {
            return reasons[i].sentence;
        }
    }
    return NULL;
}

const struct deed_reach *deed_reach_at(size_t index)
{
    return index < sizeof(reaches) / sizeof(reaches[0]) ? &reaches[index] : NULL;
}
