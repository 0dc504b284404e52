/* SPDX-License-Identifier: MIT
 *
 * Look-up, poll and cancel: what a provider lets be seen of what happened, when, and what a script
 * makes of it.
 */
#include "test_mock_rig.h"

#define LOOKUP(rest) "{\"class\":\"lookup\"," rest "}"

static void expect_kind(const struct deed_finding *finding, deed_finding_kind kind)
{
    assert_int_equal(finding->kind, kind);
}

/* ---- look-up ----------------------------------------------------------------------------- */

static void test_lookup__absent_then_present_with_marker_digest_and_reference(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig, "{\"class\":\"lookup\"}");
    const struct deed_finding *finding = rig_look(&rig, "pay-1");
    expect_kind(finding, DEED_FOUND_ABSENT);
    assert_true(finding->complete);
    assert_false(finding->marker_matches);
    (void)rig_send(&rig, "pay-1", 1);
    finding = rig_look(&rig, "pay-1");
    expect_kind(finding, DEED_FOUND_PRESENT);
    assert_true(finding->complete);
    assert_true(finding->marker_matches);
    assert_true(finding->digest_matches);
    assert_int_equal(finding->count, 1);
    assert_string_equal(finding->reference, "fx-1");
    rig_expect_excerpt(finding->excerpt, finding->excerpt_bytes,
        "{\"status\":\"present\",\"id\":\"fx-1\",\"count\":1}");
    assert_int_equal(rig_counts(&rig, "pay-1").lookups, 2);
    rig_close(&rig);
}

static void test_lookup__other_keys_and_other_accounts_are_not_seen(void **state)
{
    (void)state;
    struct rig rig;
    deed_executor *other = NULL;
    rig_open(&rig, "{\"class\":\"lookup\"}");
    assert_int_equal(
        deed_mock_executor_new_in(rig.world, "{\"class\":\"lookup\",\"endpoint\":\"mock://eu\"}",
            deed_sim_clock_true(rig.clock), &other, NULL),
        DEED_OK);
    (void)rig_send(&rig, "pay-1", 1);
    expect_kind(rig_look(&rig, "pay-2"), DEED_FOUND_ABSENT);
    expect_kind(rig_ask(&rig, rig.executor->lookup, "pay-1", ""), DEED_FOUND_PRESENT);
    deed_executor *first = rig.executor;
    rig.executor = other;
    expect_kind(rig_look(&rig, "pay-1"), DEED_FOUND_ABSENT);
    rig.executor = first;
    deed_mock_executor_free(other);
    rig_close(&rig);
}

static void test_lookup__bytes_that_differ_do_not_match(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig, "{\"class\":\"lookup\"}");
    (void)rig_send(&rig, "pay-1", 1);
    rig.bytes = "other";
    expect_kind(rig_look(&rig, "pay-1"), DEED_FOUND_PRESENT);
    assert_false(rig.finding.digest_matches);
    rig_close(&rig);
}

static void test_lookup__an_effect_is_seen_from_its_lag_to_its_reach(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig, LOOKUP("\"lookup\":{\"lag_ms\":1000,\"reach_ms\":5000}"));
    (void)rig_send(&rig, "pay-1", 1);
    rig_advance(&rig, 999);
    expect_kind(rig_look(&rig, "pay-1"), DEED_FOUND_ABSENT);
    rig_advance(&rig, 1);
    expect_kind(rig_look(&rig, "pay-1"), DEED_FOUND_PRESENT);
    rig_advance(&rig, 3999);
    expect_kind(rig_look(&rig, "pay-1"), DEED_FOUND_PRESENT);
    rig_advance(&rig, 1);
    expect_kind(rig_look(&rig, "pay-1"), DEED_FOUND_ABSENT);
    assert_true(rig.finding.complete);
    rig_close(&rig);
}

static void test_lookup__a_fresh_replica_then_a_lagging_one_is_present_then_absent(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig, LOOKUP("\"lookup\":{\"lag_ms\":1000},\"lookup_script\":[\"fresh\",\"truth\"]"));
    (void)rig_send(&rig, "pay-1", 1);
    expect_kind(rig_look(&rig, "pay-1"), DEED_FOUND_PRESENT);
    expect_kind(rig_look(&rig, "pay-1"), DEED_FOUND_ABSENT);
    rig_close(&rig);
}

static void test_lookup__a_stale_replica_hides_it_from_one_look(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig,
        LOOKUP("\"lookup\":{\"lag_ms\":1000,\"consistency\":\"eventual\",\"stale_looks\":1}"));
    (void)rig_send(&rig, "pay-1", 1);
    expect_kind(rig_look(&rig, "pay-1"), DEED_FOUND_ABSENT); /* in its lag: no look is used up */
    rig_advance(&rig, 1000);
    expect_kind(rig_look(&rig, "pay-1"), DEED_FOUND_ABSENT);
    expect_kind(rig_look(&rig, "pay-1"), DEED_FOUND_PRESENT);
    rig_close(&rig);
}

static void test_lookup__counts_each_effect_it_sees(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig, "{\"class\":\"lookup\"}");
    (void)rig_send(&rig, "pay-1", 1);
    (void)rig_send(&rig, "pay-1", 2);
    expect_kind(rig_look(&rig, "pay-1"), DEED_FOUND_PRESENT);
    assert_int_equal(rig.finding.count, 2);
    assert_string_equal(rig.finding.reference, "fx-1");
    rig_close(&rig);
}

static void test_lookup__shows_what_is_pending_and_what_was_rejected_unless_told_not_to(
    void **state)
{
    (void)state;
    struct rig rig;
    static const char shows[] = "{\"class\":\"lookup\",\"scripts\":{\"a\":{\"do\":\"pending\"},"
                                "\"b\":{\"do\":\"reject\"}}}";
    static const char hides[] = "{\"class\":\"lookup\",\"scripts\":{\"a\":{\"do\":\"pending\"},"
                                "\"b\":{\"do\":\"reject\"}},"
                                "\"lookup\":{\"shows_pending\":false,\"shows_rejected\":false}}";
    rig_open(&rig, shows);
    (void)rig_send(&rig, "a", 1);
    (void)rig_send(&rig, "b", 1);
    expect_kind(rig_look(&rig, "a"), DEED_FOUND_PENDING);
    assert_string_equal(rig.finding.handle, "op-1");
    assert_true(rig.finding.marker_matches);
    expect_kind(rig_look(&rig, "b"), DEED_FOUND_REJECTED);
    assert_true(rig.finding.marker_matches);
    rig_close(&rig);
    rig_open(&rig, hides);
    (void)rig_send(&rig, "a", 1);
    (void)rig_send(&rig, "b", 1);
    expect_kind(rig_look(&rig, "a"), DEED_FOUND_ABSENT);
    expect_kind(rig_look(&rig, "b"), DEED_FOUND_ABSENT);
    rig_close(&rig);
}

static void test_lookup__tells_what_is_pending_before_what_was_rejected(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig,
        "{\"class\":\"lookup\",\"scripts\":{\"a\":[{\"do\":\"reject\"},{\"do\":\"pending\"}],"
        "\"b\":[{\"do\":\"pending\"},{\"do\":\"reject\"}]}}");
    static const char *const keys[] = {"a", "b"};
    for (size_t i = 0; i < 2; i++) {
        (void)rig_send(&rig, keys[i], 1);
        (void)rig_send(&rig, keys[i], 2);
        expect_kind(rig_look(&rig, keys[i]), DEED_FOUND_PENDING);
    }
    rig_close(&rig);
}

static void test_lookup__script_makes_something_else_of_the_truth(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig,
        LOOKUP("\"lookup_script\":[\"error\",\"incomplete\",\"wrong_marker\",\"wrong_digest\","
               "{\"say\":\"several\",\"count\":3},\"truth\"]"));
    (void)rig_send(&rig, "pay-1", 1);
    expect_kind(rig_look(&rig, "pay-1"), DEED_FOUND_NOTHING);
    assert_int_equal(rig.finding.excerpt_bytes, 0);
    expect_kind(rig_look(&rig, "pay-1"), DEED_FOUND_ABSENT);
    assert_false(rig.finding.complete);
    expect_kind(rig_look(&rig, "pay-1"), DEED_FOUND_PRESENT);
    assert_false(rig.finding.marker_matches);
    assert_true(rig.finding.digest_matches);
    expect_kind(rig_look(&rig, "pay-1"), DEED_FOUND_PRESENT);
    assert_true(rig.finding.marker_matches);
    assert_false(rig.finding.digest_matches);
    expect_kind(rig_look(&rig, "pay-1"), DEED_FOUND_PRESENT);
    assert_int_equal(rig.finding.count, 3);
    expect_kind(rig_look(&rig, "pay-1"), DEED_FOUND_PRESENT);
    assert_int_equal(rig.finding.count, 1);
    expect_kind(rig_look(&rig, "pay-1"), DEED_FOUND_PRESENT); /* the last one goes on */
    rig_close(&rig);
}

static void test_lookup__somebody_elses_effect_is_found_where_there_is_none_of_ours(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig, LOOKUP("\"lookup_scripts\":{\"pay-*\":\"wrong_marker\"}"));
    expect_kind(rig_look(&rig, "pay-1"), DEED_FOUND_PRESENT);
    assert_string_equal(rig.finding.reference, "fx-other");
    assert_false(rig.finding.marker_matches);
    expect_kind(rig_look(&rig, "mail-1"), DEED_FOUND_ABSENT);
    rig_close(&rig);
}

static void test_lookup__a_lying_provider_says_absent_or_present_whatever_happened(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig, LOOKUP("\"lying\":true,\"lookup_script\":[\"present\",\"absent\"]"));
    expect_kind(rig_look(&rig, "pay-1"), DEED_FOUND_PRESENT);
    assert_true(rig.finding.marker_matches);
    (void)rig_send(&rig, "pay-1", 1);
    expect_kind(rig_look(&rig, "pay-1"), DEED_FOUND_ABSENT);
    assert_true(rig.finding.complete);
    rig_close(&rig);
}

static void test_lookup__what_cannot_be_asked_has_no_function(void **state)
{
    (void)state;
    RIG_IN_PROCESS_ONLY();
    static const struct {
        const char *options;
        bool lookup;
        bool poll;
        bool cancel;
    } classes[] = {
        {"{\"class\":\"blind\"}", false, false, false},
        {"{\"class\":\"lookup\"}", true, false, false},
        {"{\"class\":\"keyed\"}", false, false, false},
        {"{\"class\":\"keyed+lookup\"}", true, false, false},
        {"{\"class\":\"closable\"}", false, false, true},
        {"{\"class\":\"closable\",\"lookup\":{}}", true, false, true},
        {"{\"class\":\"blind\",\"script\":{\"do\":\"pending\"}}", false, true, false},
    };
    for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
        struct rig rig;
        rig_open(&rig, classes[i].options);
        assert_int_equal(rig.executor->lookup != NULL, classes[i].lookup);
        assert_int_equal(rig.executor->poll != NULL, classes[i].poll);
        assert_int_equal(rig.executor->cancel != NULL, classes[i].cancel);
        rig_close(&rig);
    }
}

/* ---- accepted, not done ------------------------------------------------------------------ */

static void test_poll__pending_becomes_applied_rejected_or_never_ends(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig,
        "{\"class\":\"blind\",\"scripts\":{"
        "\"a\":{\"do\":\"pending\",\"land\":{\"after_ms\":1000}},"
        "\"b\":{\"do\":\"pending\",\"land\":{\"after_ms\":1000},\"outcome\":\"rejected\"},"
        "\"c\":{\"do\":\"pending\",\"land\":{\"after_ms\":1000},\"outcome\":\"never\"}}}");
    const char *const keys[] = {"a", "b", "c"};
    const char *const handles[] = {"op-1", "op-2", "op-3"};
    const deed_finding_kind ends[] = {DEED_FOUND_PRESENT, DEED_FOUND_REJECTED, DEED_FOUND_PENDING};
    for (size_t i = 0; i < 3; i++) {
        const struct deed_answer *answer = rig_send(&rig, keys[i], 1);
        assert_int_equal(answer->verdict, DEED_VERDICT_UNKNOWN);
        assert_true(answer->pending);
        assert_string_equal(answer->handle, handles[i]);
        expect_kind(rig_poll(&rig, keys[i], handles[i]), DEED_FOUND_PENDING);
        assert_string_equal(rig.finding.handle, handles[i]);
    }
    rig_advance(&rig, 1000);
    for (size_t i = 0; i < 3; i++) {
        expect_kind(rig_poll(&rig, keys[i], handles[i]), ends[i]);
        assert_true(rig.finding.marker_matches);
        assert_true(rig.finding.digest_matches);
    }
    rig_expect(&rig, NULL, 3, 1);
    assert_int_equal(rig_counts(&rig, NULL).polls, 6);
    rig_close(&rig);
}

static void test_poll__lands_after_the_polls_that_saw_it_pending(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(
        &rig, "{\"class\":\"blind\",\"script\":{\"do\":\"pending\",\"land\":{\"after_looks\":2}}}");
    (void)rig_send(&rig, "pay-1", 1);
    expect_kind(rig_poll(&rig, "pay-1", "op-1"), DEED_FOUND_PENDING);
    expect_kind(rig_poll(&rig, "pay-1", "op-1"), DEED_FOUND_PENDING);
    rig_expect(&rig, "pay-1", 1, 1);
    expect_kind(rig_poll(&rig, "pay-1", "op-1"), DEED_FOUND_PRESENT);
    assert_string_equal(rig.finding.reference, "fx-1");
    rig_close(&rig);
}

static void test_poll__a_foreign_or_unknown_handle_proves_nothing(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(
        &rig, "{\"class\":\"blind\",\"script\":{\"do\":\"pending\",\"land\":{\"after_ms\":1}}}");
    (void)rig_send(&rig, "pay-1", 1);
    rig_advance(&rig, 1);
    expect_kind(rig_poll(&rig, "pay-2", "op-1"), DEED_FOUND_PRESENT);
    assert_false(rig.finding.marker_matches);
    static const char *const handles[] = {"", "op-", "op-0", "op-9", "op-1x", "x"};
    for (size_t i = 0; i < sizeof(handles) / sizeof(handles[0]); i++) {
        expect_kind(rig_poll(&rig, "pay-1", handles[i]), DEED_FOUND_NOTHING);
    }
    rig_close(&rig);
}

static void test_poll__a_handle_of_one_account_is_unknown_at_another(void **state)
{
    (void)state;
    struct rig rig;
    deed_executor *other = NULL;
    static const char elsewhere[] =
        "{\"class\":\"blind\",\"account\":\"acct-2\",\"script\":{\"do\":\"pending\"}}";
    rig_open(&rig, "{\"class\":\"blind\",\"script\":{\"do\":\"pending\"}}");
    assert_int_equal(deed_mock_executor_new_in(
                         rig.world, elsewhere, deed_sim_clock_true(rig.clock), &other, NULL),
        DEED_OK);
    (void)rig_send(&rig, "pay-1", 1);
    expect_kind(rig_ask(&rig, rig.executor->poll, "pay-1", "op-1"), DEED_FOUND_PENDING);
    deed_executor *first = rig.executor;
    rig.executor = other;
    expect_kind(rig_poll(&rig, "pay-1", "op-1"), DEED_FOUND_NOTHING);
    rig.executor = first;
    deed_mock_executor_free(other);
    rig_close(&rig);
}

static void test_poll__script_makes_errors(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig,
        "{\"class\":\"blind\",\"script\":{\"do\":\"pending\"},\"poll_script\":[\"error\",\"truth\"]"
        "}");
    (void)rig_send(&rig, "pay-1", 1);
    expect_kind(rig_poll(&rig, "pay-1", "op-1"), DEED_FOUND_NOTHING);
    expect_kind(rig_poll(&rig, "pay-1", "op-1"), DEED_FOUND_PENDING);
    rig_close(&rig);
}

static void test_poll__a_replay_of_what_is_pending_gets_its_handle_then_its_end(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig,
        "{\"class\":\"keyed\",\"script\":[{\"do\":\"pending\",\"lost\":true,\"duplicates\":1,"
        "\"land\":{\"after_ms\":1000}},{\"do\":\"answer\"}],\"scripts\":{"
        "\"b\":[{\"do\":\"pending\",\"outcome\":\"rejected\",\"land\":{\"after_ms\":1000}},"
        "{\"do\":\"answer\"}]}}");
    assert_false(rig_send(&rig, "a", 1)->pending);
    assert_true(rig_send(&rig, "a", 2)->pending);
    assert_string_equal(rig.answer.handle, "op-1");
    (void)rig_send(&rig, "b", 1);
    rig_advance(&rig, 1000);
    assert_int_equal(rig_send(&rig, "a", 3)->verdict, DEED_VERDICT_APPLIED);
    assert_true(rig.answer.stored_first);
    rig_expect(&rig, "a", 3, 1);
    assert_int_equal(rig_send(&rig, "b", 2)->verdict, DEED_VERDICT_REJECTED);
    rig_expect(&rig, "b", 2, 0);
    rig_close(&rig);
}

/* ---- closing ----------------------------------------------------------------------------- */

static void test_cancel__closes_what_has_no_effect_and_bars_what_comes_later(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig, "{\"class\":\"closable\"}");
    expect_kind(rig_cancel(&rig, "pay-1"), DEED_FOUND_CLOSED);
    assert_true(rig.finding.complete);
    assert_int_equal(rig_send(&rig, "pay-1", 1)->verdict, DEED_VERDICT_NOT_APPLIED);
    rig_expect(&rig, "pay-1", 1, 0);
    struct deed_world_counts counts = rig_counts(&rig, "pay-1");
    assert_int_equal(counts.closed, 1);
    assert_int_equal(counts.barred, 1);
    assert_int_equal(rig_send(&rig, "pay-2", 1)->verdict, DEED_VERDICT_APPLIED);
    rig_close(&rig);
}

static void test_cancel__bars_what_is_on_its_way_and_what_is_pending(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig,
        "{\"class\":\"closable\",\"scripts\":{\"a\":{\"do\":\"late\",\"land\":{\"after_ms\":10}},"
        "\"b\":{\"do\":\"pending\",\"land\":{\"after_ms\":10}}}}");
    (void)rig_send(&rig, "a", 1);
    (void)rig_send(&rig, "b", 1);
    expect_kind(rig_cancel(&rig, "a"), DEED_FOUND_CLOSED);
    expect_kind(rig_cancel(&rig, "b"), DEED_FOUND_CLOSED);
    rig_advance(&rig, 10);
    rig_deliver(&rig);
    rig_expect(&rig, NULL, 2, 0);
    assert_int_equal(rig_counts(&rig, NULL).barred, 2);
    expect_kind(rig_poll(&rig, "b", "op-2"), DEED_FOUND_ABSENT);
    rig_close(&rig);
}

static void test_cancel__finds_an_effect_that_is_there_and_closes_nothing(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig, "{\"class\":\"closable\",\"lookup\":{\"lag_ms\":1000}}");
    (void)rig_send(&rig, "pay-1", 1);
    expect_kind(rig_look(&rig, "pay-1"), DEED_FOUND_ABSENT); /* by the lagging road */
    expect_kind(rig_cancel(&rig, "pay-1"), DEED_FOUND_PRESENT);
    assert_true(rig.finding.marker_matches);
    assert_true(rig.finding.digest_matches);
    assert_string_equal(rig.finding.reference, "fx-1");
    assert_int_equal(rig_counts(&rig, "pay-1").closed, 0);
    rig_close(&rig);
}

static void test_cancel__an_error_closes_nothing_and_a_lost_answer_closes(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig, "{\"class\":\"closable\",\"cancel_script\":[\"error\",\"lose\",\"truth\"]}");
    expect_kind(rig_cancel(&rig, "pay-1"), DEED_FOUND_NOTHING);
    assert_int_equal(rig_counts(&rig, "pay-1").closed, 0);
    expect_kind(rig_cancel(&rig, "pay-1"), DEED_FOUND_NOTHING);
    assert_int_equal(rig_counts(&rig, "pay-1").closed, 1);
    expect_kind(rig_cancel(&rig, "pay-1"), DEED_FOUND_CLOSED);
    rig_close(&rig);
}

static void test_cancel__a_closed_key_stops_nothing_at_a_lying_provider(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig,
        "{\"class\":\"closable\",\"lying\":true,"
        "\"script\":[{\"do\":\"late\",\"land\":{\"after_ms\":10}},{\"do\":\"answer\"}]}");
    (void)rig_send(&rig, "pay-1", 1);
    expect_kind(rig_cancel(&rig, "pay-1"), DEED_FOUND_CLOSED);
    rig_advance(&rig, 10);
    rig_deliver(&rig);
    rig_expect(&rig, "pay-1", 1, 1);
    (void)rig_send(&rig, "pay-1", 2);
    rig_expect(&rig, "pay-1", 2, 2);
    rig_close(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lookup__absent_then_present_with_marker_digest_and_reference),
        cmocka_unit_test(test_lookup__other_keys_and_other_accounts_are_not_seen),
        cmocka_unit_test(test_lookup__bytes_that_differ_do_not_match),
        cmocka_unit_test(test_lookup__an_effect_is_seen_from_its_lag_to_its_reach),
        cmocka_unit_test(test_lookup__a_fresh_replica_then_a_lagging_one_is_present_then_absent),
        cmocka_unit_test(test_lookup__a_stale_replica_hides_it_from_one_look),
        cmocka_unit_test(test_lookup__counts_each_effect_it_sees),
        cmocka_unit_test(
            test_lookup__shows_what_is_pending_and_what_was_rejected_unless_told_not_to),
        cmocka_unit_test(test_lookup__tells_what_is_pending_before_what_was_rejected),
        cmocka_unit_test(test_lookup__script_makes_something_else_of_the_truth),
        cmocka_unit_test(test_lookup__somebody_elses_effect_is_found_where_there_is_none_of_ours),
        cmocka_unit_test(test_lookup__a_lying_provider_says_absent_or_present_whatever_happened),
        cmocka_unit_test(test_lookup__what_cannot_be_asked_has_no_function),
        cmocka_unit_test(test_poll__pending_becomes_applied_rejected_or_never_ends),
        cmocka_unit_test(test_poll__lands_after_the_polls_that_saw_it_pending),
        cmocka_unit_test(test_poll__a_foreign_or_unknown_handle_proves_nothing),
        cmocka_unit_test(test_poll__a_handle_of_one_account_is_unknown_at_another),
        cmocka_unit_test(test_poll__script_makes_errors),
        cmocka_unit_test(test_poll__a_replay_of_what_is_pending_gets_its_handle_then_its_end),
        cmocka_unit_test(test_cancel__closes_what_has_no_effect_and_bars_what_comes_later),
        cmocka_unit_test(test_cancel__bars_what_is_on_its_way_and_what_is_pending),
        cmocka_unit_test(test_cancel__finds_an_effect_that_is_there_and_closes_nothing),
        cmocka_unit_test(test_cancel__an_error_closes_nothing_and_a_lost_answer_closes),
        cmocka_unit_test(test_cancel__a_closed_key_stops_nothing_at_a_lying_provider),
    };
    return cmocka_run_group_tests_name("mock_questions", tests, NULL, NULL);
}
