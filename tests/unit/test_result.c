/* SPDX-License-Identifier: MIT
 *
 * Exit statuses: one function of code and result. Method: the list of the design is written here by
 * hand, and every code, every situation and every pair of statuses is asked.
 */
#include "support/test.h"

#include <deed/ledger.h>

static const struct {
    deed_rc rc;
    const char *name;
    int status;
} codes[] = {
    {DEED_OK, "DEED_OK", 0},
    {DEED_E_INVALID, "DEED_E_INVALID", 2},
    {DEED_E_MISUSE, "DEED_E_MISUSE", 2},
    {DEED_E_NOMEM, "DEED_E_NOMEM", 1},
    {DEED_E_BUSY, "DEED_E_BUSY", 1},
    {DEED_E_STORE, "DEED_E_STORE", 1},
    {DEED_E_SYSTEM, "DEED_E_SYSTEM", 1},
    {DEED_E_UNCERTAIN, "DEED_E_UNCERTAIN", 3},
    {DEED_E_IN_FLIGHT, "DEED_E_IN_FLIGHT", 7},
    {DEED_E_CONFLICT, "DEED_E_CONFLICT", 4},
    {DEED_E_NOT_FOUND, "DEED_E_NOT_FOUND", 5},
    {DEED_E_NEEDS_PERSON, "DEED_E_NEEDS_PERSON", 9},
    {DEED_E_SCHEMA, "DEED_E_SCHEMA", 9},
    {DEED_E_NO_EXECUTOR, "DEED_E_NO_EXECUTOR", 11},
    {DEED_E_NO_STEP, "DEED_E_NO_STEP", 12},
    {DEED_E_NOT_YET, "DEED_E_NOT_YET", 12},
    {DEED_E_CHECK, "DEED_E_CHECK", 10},
    {DEED_E_TOO_LATE, "DEED_E_TOO_LATE", 8},
    {DEED_E_INTERRUPTED, "DEED_E_INTERRUPTED", 130},
};
#define CODES (sizeof(codes) / sizeof(codes[0]))

static struct deed_result applied(void)
{
    struct deed_result result = {
        .size = sizeof(result), .key = "k", .state = DEED_CONFIRMED, .outcome = DEED_APPLIED};
    return result;
}

/* A code decides by itself, whatever is known of the intent and whoever asks. */
static void test_result__each_code_has_the_status_of_the_design(void **state)
{
    (void)state;
    struct deed_result good = applied();
    for (size_t i = 0; i < CODES; i++) {
        assert_int_equal(codes[i].rc, i);
        assert_string_equal(deed_rc_name(codes[i].rc), codes[i].name);
        assert_non_null(deed_rc_sentence(codes[i].rc));
        for (int kind = DEED_EXIT_OTHER; kind <= DEED_EXIT_ACTING; kind++) {
            assert_int_equal(
                deed_exit_status(codes[i].rc, (deed_exit_kind)kind, NULL), codes[i].status);
            assert_int_equal(
                deed_exit_status(codes[i].rc, (deed_exit_kind)kind, &good), codes[i].status);
        }
    }
}

static void test_result__a_number_that_is_no_code_is_a_failure(void **state)
{
    (void)state;
    static const int strange[] = {-1, (int)CODES, 255, 1 << 30};
    for (size_t i = 0; i < sizeof(strange) / sizeof(strange[0]); i++) {
        assert_null(deed_rc_name((deed_rc)strange[i]));
        assert_null(deed_rc_sentence((deed_rc)strange[i]));
        assert_int_equal(deed_exit_status((deed_rc)strange[i], DEED_EXIT_ACTING, NULL), 1);
    }
}

enum {
    DISPUTED = 1,
    FLIGHT = 2,
    PERSON = 4
};

static const struct {
    deed_state state;
    deed_outcome outcome;
    unsigned flags;
    int status; /* of run, once, reconcile KEY */
} situations[] = {
    {DEED_RECORDED, DEED_OUTCOME_NONE, 0, 8},
    {DEED_RECORDED, DEED_OUTCOME_NONE, PERSON, 9},
    {DEED_ATTEMPTED, DEED_OUTCOME_NONE, FLIGHT, 7},
    {DEED_ATTEMPTED, DEED_OUTCOME_NONE, 0, 3},
    {DEED_ATTEMPTED, DEED_OUTCOME_NONE, PERSON, 3},
    {DEED_CONFIRMED, DEED_APPLIED, 0, 0},
    {DEED_CONFIRMED, DEED_APPLIED, DISPUTED | PERSON, 9},
    {DEED_CONFIRMED, DEED_REJECTED, 0, 6},
    {DEED_CONFIRMED, DEED_NOT_APPLIED, 0, 8},
    {DEED_CONFIRMED, DEED_NOT_APPLIED, PERSON, 9},
    {DEED_CONFIRMED, DEED_RETRACTED, 0, 6},
    {DEED_RECONCILED, DEED_APPLIED, 0, 0},
    {DEED_RECONCILED, DEED_APPLIED, DISPUTED | PERSON, 9},
    {DEED_RECONCILED, DEED_REJECTED, 0, 6},
    {DEED_RECONCILED, DEED_NOT_APPLIED, 0, 8},
    {DEED_RECONCILED, DEED_NOT_APPLIED, PERSON, 9},
    {DEED_RECONCILED, DEED_RETRACTED, 0, 6},
};
#define SITUATIONS (sizeof(situations) / sizeof(situations[0]))

static void test_result__an_acting_command_speaks_of_the_intent(void **state)
{
    (void)state;
    for (size_t i = 0; i < SITUATIONS; i++) {
        struct deed_result result = {
            .size = sizeof(result),
            .key = "k",
            .state = situations[i].state,
            .outcome = situations[i].outcome,
            .disputed = (situations[i].flags & DISPUTED) != 0,
            .in_flight = (situations[i].flags & FLIGHT) != 0,
            .uncertain = situations[i].state == DEED_ATTEMPTED && situations[i].status == 3,
            .needs_person = (situations[i].flags & PERSON) != 0,
        };
        assert_int_equal(
            deed_exit_status(DEED_OK, DEED_EXIT_ACTING, &result), situations[i].status);
        /* Every other command has done what was asked, whatever the outcome. */
        assert_int_equal(deed_exit_status(DEED_OK, DEED_EXIT_OTHER, &result), 0);
    }
}

static void test_result__done_without_an_intent_is_zero(void **state)
{
    (void)state;
    struct deed_result nothing = {.size = sizeof(nothing)};
    assert_int_equal(deed_exit_status(DEED_OK, DEED_EXIT_ACTING, &nothing), 0);
    assert_int_equal(deed_exit_status(DEED_OK, DEED_EXIT_ACTING, NULL), 0);
    assert_int_equal(deed_exit_status(DEED_OK, DEED_EXIT_OTHER, NULL), 0);
}

/* Several keys end with the first of these that occurred, in whatever order it occurred. */
static void test_result__the_worst_of_several_is_as_the_design_orders(void **state)
{
    (void)state;
    static const int order[] = {1, 3, 9, 4, 2, 5, 11, 12, 7, 8, 6, 0};
    size_t count = sizeof(order) / sizeof(order[0]);
    for (size_t i = 0; i < count; i++) {
        for (size_t k = i; k < count; k++) {
            assert_int_equal(deed_exit_worst(order[i], order[k]), order[i]);
            assert_int_equal(deed_exit_worst(order[k], order[i]), order[i]);
        }
    }
}

/* A status outside of that order (a damaged intent, an interrupt) is not lost beside a success. */
static void test_result__no_failure_is_lost_among_successes(void **state)
{
    (void)state;
    for (size_t i = 0; i < CODES; i++) {
        int status = codes[i].status;
        assert_int_equal(deed_exit_worst(status, 0), status);
        assert_int_equal(deed_exit_worst(0, status), status);
    }
    static const int others[] = {DEED_EXIT_STATUS_OPEN, DEED_EXIT_STATUS_WAITED};
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        assert_int_equal(deed_exit_worst(others[i], 0), others[i]);
        assert_int_equal(deed_exit_worst(0, others[i]), others[i]);
    }
    assert_int_equal(deed_exit_worst(130, 1), 130);
    assert_int_equal(deed_exit_worst(10, 130), 130);
    assert_int_equal(deed_exit_worst(6, 10), 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_result__each_code_has_the_status_of_the_design),
        cmocka_unit_test(test_result__a_number_that_is_no_code_is_a_failure),
        cmocka_unit_test(test_result__an_acting_command_speaks_of_the_intent),
        cmocka_unit_test(test_result__done_without_an_intent_is_zero),
        cmocka_unit_test(test_result__the_worst_of_several_is_as_the_design_orders),
        cmocka_unit_test(test_result__no_failure_is_lost_among_successes),
    };
    return cmocka_run_group_tests_name("result", tests, NULL, NULL);
}
