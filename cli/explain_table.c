/* SPDX-License-Identifier: MIT
 *
 * explain_table.c - the texts of explain.def, found by where an intent stands.
 */
#include "explain.h"

#include <deed/machine.h>

#define WHY(ident)   (1U << DEED_REASON_##ident)
#define S_RECORDED   (1U << DEED_RECORDED)
#define S_ATTEMPTED  (1U << DEED_ATTEMPTED)
#define S_CONFIRMED  (1U << DEED_CONFIRMED)
#define S_RECONCILED (1U << DEED_RECONCILED)
#define N            (1U << DEED_OUTCOME_NONE)
#define A            (1U << DEED_APPLIED)
#define R            (1U << DEED_REJECTED)
#define O            (1U << DEED_NOT_APPLIED)
#define T            (1U << DEED_RETRACTED)
#define B            (1U << DEED_CLASS_BLIND)
#define L            (1U << DEED_CLASS_LOOKUP)
#define K            (1U << DEED_CLASS_KEYED)
#define M            (1U << DEED_CLASS_KEYED_LOOKUP)
#define C            (1U << DEED_CLASS_CLOSABLE)
#define X            DEED_CLASS_BIT_NONE
#define W            EXPLAIN_CLAIMED

static const struct explain_row rows[] = {
#define EXPLAIN(part, reasons, states, outcomes, classes, text)                                    \
    {EXPLAIN_##part, reasons, states, outcomes, classes, text},
#include "explain.def"
#undef EXPLAIN
};

const struct explain_row *explain_at(size_t index)
{
    return index < sizeof rows / sizeof rows[0] ? &rows[index] : NULL;
}

bool explain_matches(
    const struct explain_row *row, enum explain_part part, const struct explain_case *where)
{
    return row->part == part && (row->reasons & 1U << where->reason) != 0 &&
        (row->states & 1U << where->state) != 0 && (row->outcomes & 1U << where->outcome) != 0 &&
        (row->classes & where->class_bit) != 0;
}

struct explain_case explain_case_of(const struct explain_facts *facts)
{
    const struct deed_result *result = facts->result;
    const uint32_t untried = facts->claimed ? EXPLAIN_CLAIMED : DEED_CLASS_BIT_NONE;
    return (struct explain_case){
        .reason = result->reason,
        .state = result->state,
        .outcome = result->outcome,
        .class_bit = result->class_known ? 1U << result->provider_class : untried,
    };
}

const char *explain_title(enum explain_part part)
{
    static const char *const titles[] = {
        [EXPLAIN_KNOWN] = "What is known",
        [EXPLAIN_UNKNOWN] = "What is not",
        [EXPLAIN_RESEND] = "Why nothing is resent",
        [EXPLAIN_SETTLE] = "What will settle it",
    };
    return part < EXPLAIN_PARTS ? titles[part] : NULL;
}
