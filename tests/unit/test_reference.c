/* SPDX-License-Identifier: MIT
 *
 * The reference store: what it refuses, what it undoes, and that the core runs on it.
 */
#include "support/test.h"

#include <deed/ext/store.h>
#include <deed/ledger.h>
#include <deed/reference.h>

#include <string.h>

#include "support/payload.h"

static struct deed_store *open_store(void)
{
    struct deed_store *store = NULL;
    assert_int_equal(DEED_OK, deed_reference_open(NULL, &store, NULL));
    return store;
}

/* ---- the core on it ---------------------------------------------------------------------- */

static void test_reference__the_core_takes_an_action_from_record_to_confirmed(void **state)
{
    (void)state;
    struct deed_error err = {0};
    struct deed_store *store = open_store();
    deed_ledger *ledger = NULL;
    assert_int_equal(DEED_OK, deed_ledger_init(store, "tests", true, NULL, &err));
    assert_int_equal(DEED_OK, deed_ledger_open(store, NULL, &ledger, &err));
    struct deed_payload payload = {TEXT("mail"), TEXT("ops"), TEXT("hello")};
    struct deed_record record = {.size = sizeof(record), .key = "hello-1", .payload = &payload};
    struct deed_result result = {.size = sizeof(result)};
    assert_int_equal(DEED_OK, deed_record(ledger, &record, &result, &err));
    assert_true(result.created);

    struct deed_plan plan = {.size = sizeof(plan)};
    assert_int_equal(DEED_OK, deed_plan(ledger, "hello-1", NULL, 0, &plan, &result, &err));
    struct deed_binding binding = {
        .size = sizeof(binding),
        .executor = "test",
        .executor_version = "1",
        .account_scope = "nobody",
        .endpoint = "nowhere",
        .provider_key = plan.provider_key,
        .bytes = (const uint8_t *)"hello",
        .bytes_count = 5,
    };
    struct deed_begin begin = {.size = sizeof(begin), .key = "hello-1", .binding = &binding};
    struct deed_attempt attempt = {.size = sizeof(attempt)};
    assert_int_equal(DEED_OK, deed_begin(ledger, &begin, &attempt, &result, &err));
    assert_int_equal(DEED_ATTEMPTED, result.state);
    assert_true(result.in_flight);

    struct deed_answer answer = {.size = sizeof(answer), .verdict = DEED_VERDICT_APPLIED};
    assert_int_equal(
        DEED_OK, deed_finish(ledger, "hello-1", attempt.token, &answer, &result, &err));
    assert_int_equal(DEED_CONFIRMED, result.state);
    assert_int_equal(DEED_APPLIED, result.outcome);
    assert_int_equal(DEED_OK, deed_ledger_check(ledger, NULL, NULL, NULL, &err));
    deed_ledger_close(ledger);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reference__the_core_takes_an_action_from_record_to_confirmed),
    };
    return cmocka_run_group_tests_name("reference", tests, NULL, NULL);
}
