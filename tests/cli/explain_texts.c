/* SPDX-License-Identifier: MIT
 *
 * Prints what `deed explain` says for every combination core/reason.def marks reachable, as kept in
 * tests/golden/explain.txt, and fails unless each has exactly one text of each part, each text is
 * reached, and no bit of a text's sets is there for nothing.
 *
 * Method: walk deed_reach_at(), one class at a time, with one made-up intent; then the sentences that
 * depend on numbers rather than on the combination.
 */
#include "explain.h"
#include "times.h"

#include <deed/machine.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_MAX 256

/* What of each row was needed by some combination. */
static struct explain_row needed[ROWS_MAX];
static int faults;

static int64_t at(const char *text)
{
    int64_t wall_ms = 0;
    if (!time_read(text, &wall_ms)) {
        abort();
    }
    return wall_ms;
}

static void set(char *out, size_t capacity, const char *text)
{
    (void)snprintf(out, capacity, "%s", text);
}

static deed_grade grade_of(const struct deed_reach *reach, bool tried)
{
    if (reach->state == DEED_CONFIRMED) {
        return DEED_GRADE_FIRST_HAND;
    }
    if (!tried || reach->reason == DEED_REASON_PERSON ||
        reach->reason == DEED_REASON_RETRY_BY_NAME) {
        return DEED_GRADE_OPERATOR;
    }
    return reach->outcome == DEED_NOT_APPLIED ? DEED_GRADE_PROVIDER_ABSENT_FINAL
                                              : DEED_GRADE_PROVIDER_PRESENT;
}

static void set_times(struct deed_result *result, bool tried)
{
    result->recorded_ms = at("2026-03-01T10:00:00Z");
    result->attempted_ms = tried ? at("2026-03-01T10:30:00Z") : 0;
    if (result->state == DEED_ATTEMPTED) {
        result->final_ms = at("2026-03-01T10:45:00Z");
        result->due_ms = result->uncertain ? at("2026-03-01T10:35:00Z") : 0;
    }
    if (result->outcome != DEED_OUTCOME_NONE) {
        result->settled_ms = at("2026-03-01T11:00:00Z");
    }
    if (result->reason == DEED_REASON_RETRY_LATER) {
        result->due_ms = at("2026-03-01T11:05:00Z");
    }
}

static void set_flags(struct deed_result *result)
{
    result->in_flight = result->reason == DEED_REASON_IN_FLIGHT;
    result->uncertain = result->state == DEED_ATTEMPTED && !result->in_flight;
    result->fenced = result->reason == DEED_REASON_FENCED;
    if (result->reason == DEED_REASON_HELD) {
        result->held = true;
        set(result->held_reason, sizeof result->held_reason, "wait for the new rate");
    }
    if (result->reason == DEED_REASON_DISPUTED) {
        result->disputed = true;
        set(result->disputed_reason, sizeof result->disputed_reason,
            "the provider shows more than one effect");
    }
    if (result->reason == DEED_REASON_OVERDUE) {
        result->overdue = true;
        result->not_after_ms = at("2026-03-01T12:00:00Z");
    }
}

/* The same intent everywhere: pay-1, recorded at ten, attempted at half past ten. */
static struct deed_result sample(const struct deed_reach *reach, uint32_t class_bit)
{
    const bool tried = class_bit != DEED_CLASS_BIT_NONE;
    struct deed_result result = {.size = sizeof result,
        .state = reach->state,
        .outcome = reach->outcome,
        .reason = reach->reason,
        .class_known = tried,
        .attempt = tried ? 2 : 0};
    set(result.key, sizeof result.key, "pay-1");
    for (unsigned i = 0; tried && (class_bit >> i) != 1U; i++) {
        result.provider_class = (deed_provider_class)(i + 1);
    }
    if (reach->outcome != DEED_OUTCOME_NONE) {
        result.grade = grade_of(reach, tried);
    }
    if (reach->outcome == DEED_APPLIED) {
        set(result.reference, sizeof result.reference, "ch_42");
    }
    set_flags(&result);
    set_times(&result, tried);
    return result;
}

static struct explain_facts facts_of(const struct deed_result *result)
{
    return (struct explain_facts){
        .result = result,
        .attempt_known = true,
        .reach_end_ms = at("2026-03-31T10:30:00Z"),
        .window_end_ms = at("2026-03-02T10:30:00Z"),
    };
}

static void check_texts(const struct explain_case *where, const char *title)
{
    for (int part = 0; part < EXPLAIN_PARTS; part++) {
        int found = 0;
        for (size_t i = 0; explain_at(i); i++) {
            if (!explain_matches(explain_at(i), (enum explain_part)part, where)) {
                continue;
            }
            found++;
            needed[i].reasons |= 1U << where->reason;
            needed[i].states |= 1U << where->state;
            needed[i].outcomes |= 1U << where->outcome;
            needed[i].classes |= where->class_bit;
        }
        if (found != 1) {
            (void)fprintf(stderr, "%s: %d texts for \"%s\", there must be one\n", title, found,
                explain_title((enum explain_part)part));
            faults++;
        }
    }
}

static void check_rows(void)
{
    for (size_t i = 0; explain_at(i); i++) {
        const struct explain_row *row = explain_at(i);
        if (needed[i].reasons != row->reasons || needed[i].states != row->states ||
            needed[i].outcomes != row->outcomes || needed[i].classes != row->classes) {
            (void)fprintf(
                stderr, "a set names what is never reached with this text: %s\n", row->text);
            faults++;
        }
    }
}

static void print_case(const char *title, const struct explain_facts *facts)
{
    (void)printf("== %s\n", title);
    if (!explain_write(stdout, facts)) {
        abort();
    }
    for (int part = 0; part < EXPLAIN_PARTS; part++) {
        char *text = explain_text((enum explain_part)part, facts);
        if (!text || strpbrk(text, "{}")) {
            (void)fprintf(stderr, "%s: a word in braces stands for nothing: %s\n", title, text);
            faults++;
        }
        free(text);
    }
    (void)fputc('\n', stdout);
}

/* Where no attempt is known, evidence from outside may say otherwise. */
static void walk_claimed(const struct deed_reach *reach)
{
    const struct deed_result result = sample(reach, DEED_CLASS_BIT_NONE);
    struct explain_facts facts = facts_of(&result);
    facts.claimed = true;
    set(facts.claim_source, sizeof facts.claim_source, "bank");
    set(facts.claim_reference, sizeof facts.claim_reference, "ch_42");
    const struct explain_case where = explain_case_of(&facts);
    char title[120];
    (void)snprintf(title, sizeof title, "%s: %s, %s, evidence of applied",
        deed_reason_name(reach->reason), deed_state_name(reach->state),
        deed_outcome_name(reach->outcome));
    check_texts(&where, title);
    print_case(title, &facts);
}

static void walk_reachable(void)
{
    for (size_t i = 0; deed_reach_at(i); i++) {
        const struct deed_reach *reach = deed_reach_at(i);
        for (uint32_t class_bit = 1; class_bit <= DEED_CLASS_BIT_NONE; class_bit <<= 1) {
            if ((reach->classes & class_bit) == 0) {
                continue;
            }
            const struct deed_result result = sample(reach, class_bit);
            const struct explain_facts facts = facts_of(&result);
            const struct explain_case where = explain_case_of(&facts);
            char title[120];
            (void)snprintf(title, sizeof title, "%s: %s, %s, %s", deed_reason_name(reach->reason),
                deed_state_name(reach->state), deed_outcome_name(reach->outcome),
                result.class_known ? deed_provider_class_name(result.provider_class)
                                   : "no attempt");
            check_texts(&where, title);
            print_case(title, &facts);
        }
        if (reach->state == DEED_RECORDED) {
            walk_claimed(reach);
        }
    }
}

/* Sentences that depend on what was declared about the provider, and on flags beside the reason. */
static void walk_variants(void)
{
    const struct deed_reach doubt = {DEED_REASON_LEASE_OVER, DEED_ATTEMPTED, DEED_OUTCOME_NONE, 0};
    struct deed_result result = sample(&doubt, 1U << DEED_CLASS_KEYED_LOOKUP);
    struct explain_facts facts = facts_of(&result);

    result.final_ms = DEED_FOREVER;
    facts.window_end_ms = DEED_FOREVER;
    result.due_ms = 0;
    print_case("a key for ever, and a landing time without bound", &facts);

    result.provider_class = DEED_CLASS_BLIND;
    print_case("blind, and a landing time without bound", &facts);

    result = sample(&doubt, 1U << DEED_CLASS_LOOKUP);
    facts = facts_of(&result);
    facts.flags = DEED_ATTEMPT_NO_ABSENCE;
    print_case("look-ups of unknown consistency", &facts);

    facts.flags = 0;
    facts.reach_unknown = true;
    print_case("look-ups of unknown reach", &facts);

    facts.reach_unknown = false;
    facts.reach_end_ms = DEED_FOREVER;
    facts.flags = DEED_ATTEMPT_EVENTUAL;
    print_case("look-ups that never forget and lag behind", &facts);

    result = sample(&doubt, 1U << DEED_CLASS_KEYED);
    facts = facts_of(&result);
    result.needs_person = true;
    result.held = true;
    set(result.held_reason, sizeof result.held_reason, "bob: ask the bank first");
    result.overdue = true;
    result.not_after_ms = at("2026-03-01T12:00:00Z");
    result.fenced = true;
    set(result.next, sizeof result.next, "deed resolve pay-1");
    print_case("held, overdue and fenced besides, and nothing left but a person", &facts);

    const struct deed_reach ready = {DEED_REASON_READY, DEED_RECORDED, DEED_OUTCOME_NONE, 0};
    result = sample(&ready, DEED_CLASS_BIT_NONE);
    facts = facts_of(&result);
    result.needs_person = true;
    result.unserved = true;
    set(result.kind, sizeof result.kind, "papy");
    set(result.next, sizeof result.next, "deed doctor");
    print_case("of a kind that no executor serves", &facts);

    const struct deed_reach adopted = {
        DEED_REASON_PAYLOAD_MISSING, DEED_RECORDED, DEED_OUTCOME_NONE, 0};
    result = sample(&adopted, DEED_CLASS_BIT_NONE);
    result.recorded_ms = 0;
    facts = facts_of(&result);
    print_case("adopted without a time", &facts);

    const struct deed_reach settled = {DEED_REASON_EVIDENCE, DEED_RECONCILED, DEED_APPLIED, 0};
    for (int grade = DEED_GRADE_NONE; grade <= DEED_GRADE_OPERATOR; grade++) {
        result = sample(&settled, 1U << DEED_CLASS_KEYED);
        result.grade = (deed_grade)grade;
        result.reference[0] = '\0';
        char title[80];
        (void)snprintf(
            title, sizeof title, "established by grade %s", deed_grade_name(result.grade));
        print_case(title, &facts);
    }
}

int main(void)
{
    walk_reachable();
    check_rows();
    walk_variants();
    return faults == 0 ? 0 : 1;
}
