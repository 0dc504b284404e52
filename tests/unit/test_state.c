/* SPDX-License-Identifier: MIT
 *
 * The machine as data. Method: the table of the design is written here a second time, by hand and
 * in another shape, and every (state, outcome, event, state, outcome) is asked of both; numbers
 * that name nothing are asked as well.
 */
#include "support/test.h"

#include <deed/machine.h>

#include "state.h"

/* One line of the design: any of the places on the left leads to any of those on the right. A place
 * is a state's letter and an outcome's: - none, R recorded, A attempted, C confirmed, E reconciled;
 * - none, a applied, r rejected, n not_applied, t retracted. */
static const struct line {
    deed_event event;
    const char *from;
    const char *to;
} lines[] = {
    {DEED_EVENT_RECORD, "--", "R-"},
    {DEED_EVENT_ATTEMPT, "R- Cn En", "A-"},
    {DEED_EVENT_CONFIRM, "A-", "Ca Cr Cn"},
    {DEED_EVENT_RECONCILE, "A-", "Ea Er En"},
    {DEED_EVENT_REPLAY, "A-", "A-"},
    {DEED_EVENT_RETRACT, "R- Cn", "Ct"},
    {DEED_EVENT_RETRACT, "En", "Et"},
    {DEED_EVENT_RECONCILE, "R-", "Ea"},
    {DEED_EVENT_RECONCILE, "Ca Cr Cn Ct Ea Er En Et", "Ea Er En"},
};

static const deed_event stays[] = {DEED_EVENT_ANSWER, DEED_EVENT_NOTE, DEED_EVENT_LOOK,
    DEED_EVENT_HOLD, DEED_EVENT_RELEASE, DEED_EVENT_DISPUTE, DEED_EVENT_PAYLOAD, DEED_EVENT_PRUNE};

/* Every place an intent can ever be in. */
static const char places[] = "R- A- Ca Cr Cn Ct Ea Er En Et";

/* Beyond the last of each and before the first. */
static const int numbers[] = {
    -1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 31, 32, 33, 255, 1 << 30};
#define NUMBERS (sizeof(numbers) / sizeof(numbers[0]))

static bool among(const char *list, int state, int outcome)
{
    if (state < 0 || state > 4 || outcome < 0 || outcome > 4) {
        return false;
    }
    const char place[] = {"-RACE"[state], "-arnt"[outcome], '\0'};
    return strstr(list, place) != NULL;
}

static bool leads(int from, int from_outcome, int event, int to, int to_outcome)
{
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        if ((int)lines[i].event == event && among(lines[i].from, from, from_outcome) &&
            among(lines[i].to, to, to_outcome)) {
            return true;
        }
    }
    return false;
}

static bool is_stay(int event)
{
    for (size_t i = 0; i < sizeof(stays) / sizeof(stays[0]); i++) {
        if ((int)stays[i] == event) {
            return true;
        }
    }
    return false;
}

static void check_step(int from, int from_outcome, int event, int to, int to_outcome)
{
    bool moves = leads(from, from_outcome, event, to, to_outcome);
    bool rests = is_stay(event) && from == to && from_outcome == to_outcome &&
        among(places, from, from_outcome);
    bool legal = deed__event_legal((deed_state)from, (deed_outcome)from_outcome, (deed_event)event,
        (deed_state)to, (deed_outcome)to_outcome);
    const struct deed_edge *edge = deed_edge_find(
        (deed_state)from, (deed_outcome)from_outcome, (deed_event)event, (deed_outcome)to_outcome);
    bool found = edge != NULL && (int)edge->to == to;
    if (legal != (moves || rests) || found != moves) {
        fail_msg("%d/%d by %d to %d/%d: legal %d, edge %d, by design %d or %d", from, from_outcome,
            event, to, to_outcome, (int)legal, (int)found, (int)moves, (int)rests);
    }
}

static void test_state__every_step_is_as_the_design_says(void **state)
{
    (void)state;
    for (size_t i = 0; i < NUMBERS * NUMBERS * NUMBERS; i++) {
        int from = numbers[i % NUMBERS];
        int from_outcome = numbers[i / NUMBERS % NUMBERS];
        int event = numbers[i / NUMBERS / NUMBERS];
        for (int to = -1; to <= 5; to++) {
            for (int to_outcome = -1; to_outcome <= 5; to_outcome++) {
                check_step(from, from_outcome, event, to, to_outcome);
            }
        }
    }
}

static void test_state__each_state_has_its_outcomes_and_no_other(void **state)
{
    (void)state;
    for (size_t i = 0; i < NUMBERS * NUMBERS; i++) {
        int at = numbers[i % NUMBERS];
        int outcome = numbers[i / NUMBERS];
        assert_int_equal(
            deed_state_allows((deed_state)at, (deed_outcome)outcome), among(places, at, outcome));
    }
}

static size_t edge_count(void)
{
    size_t count = 0;
    while (deed_edge_at(count) != NULL) {
        count++;
    }
    return count;
}

static void test_state__at_most_one_edge_leaves_a_state_by_an_event(void **state)
{
    (void)state;
    size_t count = edge_count();
    assert_int_equal(count, 13);
    for (size_t i = 0; i < count; i++) {
        for (size_t k = i + 1; k < count; k++) {
            const struct deed_edge *one = deed_edge_at(i);
            const struct deed_edge *other = deed_edge_at(k);
            assert_false(one->from == other->from && one->event == other->event);
        }
    }
    assert_null(deed_edge_at(count));
    assert_null(deed_edge_at(SIZE_MAX));
}

static void test_state__every_edge_names_what_exists_and_says_its_guard(void **state)
{
    (void)state;
    for (size_t i = 0; i < edge_count(); i++) {
        const struct deed_edge *edge = deed_edge_at(i);
        assert_non_null(deed_state_name(edge->from));
        assert_non_null(deed_state_name(edge->to));
        assert_int_equal(deed__event_kind_of(edge->event), DEED__EVENT_MOVES);
        assert_true(edge->guard != NULL && edge->guard[0] != '\0');
        assert_true(edge->from_outcomes != 0 && edge->from_outcomes < 0x20U);
        assert_true(edge->to_outcomes != 0 && edge->to_outcomes < 0x20U);
    }
}

/* Marks where this edge leads, if it starts from a place that is reached. */
static void spread(const struct deed_edge *edge, deed_outcome_set reached[5])
{
    if ((edge->from_outcomes & reached[edge->from]) != 0) {
        reached[edge->to] |= edge->to_outcomes;
    }
}

/* From before the record along the edges, until nothing new is reached. */
static void test_state__every_place_is_reached_from_the_record(void **state)
{
    (void)state;
    deed_outcome_set reached[5] = {1U << DEED_OUTCOME_NONE};
    for (int round = 0; round < 10; round++) {
        for (size_t i = 0; i < edge_count(); i++) {
            spread(deed_edge_at(i), reached);
        }
    }
    for (int at = 1; at < 5; at++) {
        for (int outcome = 0; outcome < 5; outcome++) {
            assert_int_equal((reached[at] & (1U << outcome)) != 0, among(places, at, outcome));
        }
    }
}

/* One start; what was rejected or given up is left by a contradiction only, never by an attempt. */
static void test_state__nothing_is_sent_from_an_end(void **state)
{
    (void)state;
    static const deed_outcome ends[] = {DEED_APPLIED, DEED_REJECTED, DEED_RETRACTED};
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        assert_true(deed__is_end(ends[i]));
        for (int at = DEED_STATE_NONE; at <= DEED_RECONCILED; at++) {
            assert_null(
                deed_edge_find((deed_state)at, ends[i], DEED_EVENT_ATTEMPT, DEED_OUTCOME_NONE));
            assert_null(
                deed_edge_find((deed_state)at, ends[i], DEED_EVENT_REPLAY, DEED_OUTCOME_NONE));
        }
    }
    assert_false(deed__is_end(DEED_OUTCOME_NONE));
    assert_false(deed__is_end(DEED_NOT_APPLIED));
    size_t starts = 0;
    for (size_t i = 0; i < edge_count(); i++) {
        starts += deed_edge_at(i)->from == DEED_STATE_NONE ? 1 : 0;
        assert_int_not_equal(deed_edge_at(i)->to, DEED_STATE_NONE);
    }
    assert_int_equal(starts, 1);
}

static void test_state__events_are_of_the_kind_the_design_says(void **state)
{
    (void)state;
    for (int event = -1; event < 40; event++) {
        deed__event_kind expected = event >= 1 && event <= 6        ? DEED__EVENT_MOVES
            : is_stay(event)                                        ? DEED__EVENT_STAYS
            : event == DEED_EVENT_FENCE || event == DEED_EVENT_LIFT ? DEED__EVENT_LEDGER
                                                                    : (deed__event_kind)0;
        assert_int_equal(deed__event_kind_of((deed_event)event), expected);
        assert_int_equal(deed_event_name((deed_event)event) != NULL, event == 0 || expected != 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_state__every_step_is_as_the_design_says),
        cmocka_unit_test(test_state__each_state_has_its_outcomes_and_no_other),
        cmocka_unit_test(test_state__at_most_one_edge_leaves_a_state_by_an_event),
        cmocka_unit_test(test_state__every_edge_names_what_exists_and_says_its_guard),
        cmocka_unit_test(test_state__every_place_is_reached_from_the_record),
        cmocka_unit_test(test_state__nothing_is_sent_from_an_end),
        cmocka_unit_test(test_state__events_are_of_the_kind_the_design_says),
    };
    return cmocka_run_group_tests_name("state", tests, NULL, NULL);
}
