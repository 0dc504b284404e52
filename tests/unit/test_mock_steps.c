/* SPDX-License-Identifier: MIT
 *
 * What each step of a script does to the world, and what of it the ledger is told; for a provider
 * that knows keys and for one that does not.
 */
#include "test_mock_rig.h"

#define BLIND(steps) "{\"class\":\"blind\",\"script\":" steps "}"
#define KEYED(steps) "{\"class\":\"keyed\",\"window_ms\":10000,\"script\":" steps "}"

/* ---- without keys ------------------------------------------------------------------------ */

static void test_blind__answer_applies_and_says_so(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig, "{\"class\":\"blind\"}");
    const struct deed_answer *answer = rig_send(&rig, "pay-1", 1);
    assert_int_equal(answer->verdict, DEED_VERDICT_APPLIED);
    assert_false(answer->stored_first);
    assert_string_equal(answer->reference, "fx-1");
    rig_expect_excerpt(
        answer->excerpt, answer->excerpt_bytes, "{\"status\":\"done\",\"id\":\"fx-1\"}");
    rig_expect(&rig, "pay-1", 1, 1);
    rig_close(&rig);
}

static void test_blind__a_second_request_is_a_second_effect(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig, "{\"class\":\"blind\"}");
    (void)rig_send(&rig, "pay-1", 1);
    assert_string_equal(rig_send(&rig, "pay-1", 2)->reference, "fx-2");
    rig_expect(&rig, "pay-1", 2, 2);
    rig_close(&rig);
}

static void test_blind__lose_applies_and_says_nothing(void **state)
{
    (void)state;
    static const struct deed_answer nothing = {.size = sizeof(nothing)};
    struct rig rig;
    rig_open(&rig, BLIND("{\"do\":\"lose\"}"));
    assert_memory_equal(rig_send(&rig, "pay-1", 1), &nothing, sizeof(nothing));
    rig_expect(&rig, "pay-1", 1, 1);
    rig_close(&rig);
}

static void test_blind__unreachable_leaves_no_trace(void **state)
{
    (void)state;
    RIG_IN_PROCESS_ONLY();
    struct rig rig;
    rig_open(&rig, BLIND("{\"do\":\"unreachable\"}"));
    assert_int_equal(rig_send(&rig, "pay-1", 1)->verdict, DEED_VERDICT_NOT_APPLIED);
    assert_int_equal(rig.asked, 0);
    rig_expect(&rig, "pay-1", 0, 0);
    rig_close(&rig);
}

static void test_blind__refuse_is_sent_and_not_applied(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig, BLIND("{\"do\":\"refuse\",\"retry_after_ms\":700}"));
    const struct deed_answer *answer = rig_send(&rig, "pay-1", 1);
    assert_int_equal(answer->verdict, DEED_VERDICT_NOT_APPLIED);
    assert_int_equal(answer->retry_after_ms, 700);
    rig_expect(&rig, "pay-1", 1, 0);
    assert_int_equal(rig_counts(&rig, "pay-1").refused, 1);
    rig_close(&rig);
}

static void test_blind__reject_is_for_good(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig, BLIND("{\"do\":\"reject\"}"));
    assert_int_equal(rig_send(&rig, "pay-1", 1)->verdict, DEED_VERDICT_REJECTED);
    rig_expect(&rig, "pay-1", 1, 0);
    assert_int_equal(rig_counts(&rig, "pay-1").rejected, 1);
    rig_close(&rig);
}

static void test_blind__any_answer_may_be_lost(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig, BLIND("{\"do\":\"reject\",\"lost\":true}"));
    assert_int_equal(rig_send(&rig, "pay-1", 1)->verdict, DEED_VERDICT_UNKNOWN);
    assert_int_equal(rig_counts(&rig, "pay-1").rejected, 1);
    rig_close(&rig);
}

static void test_blind__error_says_nothing_with_or_without_an_effect(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig, BLIND("[{\"do\":\"error\"},{\"do\":\"error\",\"effect\":true}]"));
    assert_int_equal(rig_send(&rig, "pay-1", 1)->verdict, DEED_VERDICT_UNKNOWN);
    rig_expect(&rig, "pay-1", 1, 0);
    assert_int_equal(rig_send(&rig, "pay-1", 2)->verdict, DEED_VERDICT_UNKNOWN);
    rig_expect(&rig, "pay-1", 2, 1);
    rig_close(&rig);
}

static void test_blind__garbage_applies_and_fills_in_nothing_or_a_number(void **state)
{
    (void)state;
    RIG_IN_PROCESS_ONLY();
    static const struct deed_answer nothing = {.size = sizeof(nothing)};
    struct rig rig;
    rig_open(&rig, BLIND("[{\"do\":\"garbage\"},{\"do\":\"garbage\",\"verdict\":99}]"));
    assert_memory_equal(rig_send(&rig, "pay-1", 1), &nothing, sizeof(nothing));
    assert_int_equal((int)rig_send(&rig, "pay-1", 2)->verdict, 99);
    rig_expect(&rig, "pay-1", 2, 2);
    rig_close(&rig);
}

static void advance(void *context, int64_t wait_ms)
{
    rig_advance(context, wait_ms);
}

static void test_blind__hang_waits_for_the_answer_time_with_or_without_an_effect(void **state)
{
    (void)state;
    RIG_IN_PROCESS_ONLY();
    struct rig rig;
    struct deed_instant now;
    rig_open(&rig, BLIND("[{\"do\":\"hang\"},{\"do\":\"hang\",\"effect\":false}]"));
    deed_mock_executor_wait_set(rig.executor, advance, &rig);
    assert_int_equal(rig_send(&rig, "pay-1", 1)->verdict, DEED_VERDICT_UNKNOWN);
    rig_expect(&rig, "pay-1", 1, 1);
    assert_int_equal(rig_send(&rig, "pay-1", 2)->verdict, DEED_VERDICT_UNKNOWN);
    rig_expect(&rig, "pay-1", 2, 1);
    const struct deed_clock *clock = deed_sim_clock_true(rig.clock);
    assert_true(clock->now(clock->self, &now));
    assert_int_equal(now.wall_ms, RIG_START_MS + 120000);
    rig_close(&rig);
}

static void test_blind__duplicates_are_further_effects_of_one_send(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig, BLIND("{\"do\":\"answer\",\"duplicates\":2}"));
    assert_string_equal(rig_send(&rig, "pay-1", 1)->reference, "fx-1");
    rig_expect(&rig, "pay-1", 1, 3);
    assert_int_equal(rig_counts(&rig, "pay-1").copies, 2);
    rig_close(&rig);
}

static bool keep_request_landing_time(void *context, const struct deed_world_request *request)
{
    int64_t *landed_ms = context;
    *landed_ms = request->landed_ms;
    return true;
}

static void test_blind__duplicates_may_arrive_later(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(
        &rig, BLIND("{\"do\":\"answer\",\"duplicates\":1,\"duplicates_land\":{\"after_ms\":500}}"));
    assert_int_equal(rig_send(&rig, "pay-1", 1)->verdict, DEED_VERDICT_APPLIED);
    rig_expect(&rig, "pay-1", 1, 1);
    assert_int_equal(rig_counts(&rig, "pay-1").waiting, 1);
    rig_advance(&rig, 500);
    rig_deliver(&rig);
    rig_expect(&rig, "pay-1", 1, 2);
    assert_int_equal(rig_counts(&rig, "pay-1").waiting, 0);
    int64_t landed_ms = 0;
    assert_int_equal(
        deed_world_requests_visit(rig.world, NULL, keep_request_landing_time, &landed_ms, NULL),
        DEED_OK);
    assert_int_equal(landed_ms, RIG_START_MS); /* that of the request, not of its copy */
    rig_close(&rig);
}

/* ---- late -------------------------------------------------------------------------------- */

static void test_late__lands_after_its_time_and_not_before(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig, BLIND("{\"do\":\"late\",\"land\":{\"after_ms\":5000}}"));
    assert_int_equal(rig_send(&rig, "pay-1", 1)->verdict, DEED_VERDICT_UNKNOWN);
    rig_advance(&rig, 4999);
    rig_deliver(&rig);
    rig_expect(&rig, "pay-1", 1, 0);
    rig_advance(&rig, 1);
    rig_deliver(&rig);
    rig_expect(&rig, "pay-1", 1, 1);
    rig_close(&rig);
}

static bool keep_landing_time(void *context, const struct deed_world_effect *effect)
{
    int64_t *landed_ms = context;
    *landed_ms = effect->landed_ms;
    return true;
}

static void test_late__lands_at_its_time_however_late_somebody_asks(void **state)
{
    (void)state;
    struct rig rig;
    int64_t landed_ms = 0;
    rig_open(&rig, BLIND("[{\"do\":\"late\",\"land\":{\"after_ms\":5000}},{\"do\":\"answer\"}]"));
    (void)rig_send(&rig, "pay-1", 1);
    rig_advance(&rig, 1000000);
    (void)rig_send(&rig, "pay-2", 2);
    assert_int_equal(
        deed_world_effects_visit(rig.world, "pay-1", keep_landing_time, &landed_ms, NULL), DEED_OK);
    assert_int_equal(landed_ms, RIG_START_MS + 5000);
    rig_close(&rig);
}

static void test_late__lands_after_the_looks_that_did_not_see_it(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(
        &rig, "{\"class\":\"lookup\",\"script\":{\"do\":\"late\",\"land\":{\"after_looks\":2}}}");
    assert_int_equal(
        rig_look(&rig, "pay-1")->kind, DEED_FOUND_ABSENT); /* before: counts for none */
    (void)rig_send(&rig, "pay-1", 1);
    assert_int_equal(rig_look(&rig, "pay-1")->kind, DEED_FOUND_ABSENT);
    rig_expect(&rig, "pay-1", 1, 0);
    assert_int_equal(rig_look(&rig, "pay-1")->kind, DEED_FOUND_ABSENT);
    rig_expect(&rig, "pay-1", 1, 1);
    assert_int_equal(rig_look(&rig, "pay-1")->kind, DEED_FOUND_PRESENT);
    rig_close(&rig);
}

static void test_late__lands_on_demand(void **state)
{
    (void)state;
    struct rig rig;
    uint64_t landed = 0;
    rig_open(&rig, BLIND("{\"do\":\"late\"}"));
    (void)rig_send(&rig, "pay-1", 1);
    (void)rig_send(&rig, "pay-2", 1);
    rig_advance(&rig, 1000000);
    rig_deliver(&rig);
    rig_expect(&rig, NULL, 2, 0);
    assert_int_equal(
        deed_world_land(rig.world, "pay-1", RIG_START_MS + 1000000, &landed, NULL), DEED_OK);
    assert_int_equal(landed, 1);
    rig_expect(&rig, "pay-1", 1, 1);
    rig_expect(&rig, "pay-2", 1, 0);
    assert_int_equal(
        deed_world_land(rig.world, NULL, RIG_START_MS + 1000000, &landed, NULL), DEED_OK);
    assert_int_equal(landed, 1);
    rig_expect(&rig, NULL, 2, 2);
    rig_close(&rig);
}

static void test_late__may_be_rejected_in_the_end_or_never_end(void **state)
{
    (void)state;
    struct rig rig;
    uint64_t landed = 0;
    rig_open(&rig,
        BLIND("[{\"do\":\"late\",\"outcome\":\"rejected\"},{\"do\":\"late\",\"outcome\":\"never\"}"
              "]"));
    (void)rig_send(&rig, "pay-1", 1);
    (void)rig_send(&rig, "pay-1", 2);
    assert_int_equal(deed_world_land(rig.world, NULL, RIG_START_MS, &landed, NULL), DEED_OK);
    assert_int_equal(landed, 1);
    struct deed_world_counts counts = rig_counts(&rig, "pay-1");
    assert_int_equal(counts.rejected, 1);
    assert_int_equal(counts.waiting, 1);
    assert_int_equal(counts.effects, 0);
    rig_close(&rig);
}

static bool note_effect_key(void *context, const struct deed_world_effect *effect)
{
    char *keys = context;
    strncat(keys, effect->key, 1);
    return true;
}

static void test_late__reordered_requests_land_in_the_order_of_their_time(void **state)
{
    (void)state;
    struct rig rig;
    char keys[8] = "";
    rig_open(&rig,
        "{\"class\":\"blind\",\"scripts\":{"
        "\"a\":{\"do\":\"late\",\"land\":{\"after_ms\":2000}},"
        "\"b\":{\"do\":\"late\",\"land\":{\"after_ms\":1000}},"
        "\"c\":{\"do\":\"late\",\"land\":{\"after_ms\":3000}}}}");
    (void)rig_send(&rig, "a", 1);
    (void)rig_send(&rig, "b", 1);
    (void)rig_send(&rig, "c", 1);
    rig_advance(&rig, 3000);
    rig_deliver(&rig);
    assert_int_equal(
        deed_world_effects_visit(rig.world, NULL, note_effect_key, keys, NULL), DEED_OK);
    assert_string_equal(keys, "bac");
    rig_close(&rig);
}

static void test_late__a_hang_may_land_late_too(void **state)
{
    (void)state;
    RIG_IN_PROCESS_ONLY();
    struct rig rig;
    rig_open(&rig, BLIND("{\"do\":\"hang\",\"land\":{\"after_ms\":90000}}"));
    assert_int_equal(rig_send(&rig, "pay-1", 1)->verdict, DEED_VERDICT_UNKNOWN);
    rig_expect(&rig, "pay-1", 1, 0);
    rig_advance(&rig, 90000);
    rig_deliver(&rig);
    rig_expect(&rig, "pay-1", 1, 1);
    rig_close(&rig);
}

/* ---- with keys --------------------------------------------------------------------------- */

static void test_keyed__a_replay_gets_the_stored_answer_and_causes_nothing(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig, KEYED("[{\"do\":\"lose\"},{\"do\":\"answer\"}]"));
    (void)rig_send(&rig, "pay-1", 1);
    const struct deed_answer *answer = rig_send(&rig, "pay-1", 2);
    assert_int_equal(answer->verdict, DEED_VERDICT_APPLIED);
    assert_true(answer->stored_first);
    assert_string_equal(answer->reference, "fx-1");
    rig_expect(&rig, "pay-1", 2, 1);
    assert_int_equal(rig_counts(&rig, "pay-1").absorbed, 1);
    rig_close(&rig);
}

static void test_keyed__the_window_is_open_before_its_end_and_closed_at_it(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig, "{\"class\":\"keyed\",\"window_ms\":10000}");
    (void)rig_send(&rig, "pay-1", 1);
    rig_advance(&rig, 9999);
    (void)rig_send(&rig, "pay-1", 2);
    rig_expect(&rig, "pay-1", 2, 1);
    rig_advance(&rig, 1);
    const struct deed_answer *answer = rig_send(&rig, "pay-1", 3);
    assert_false(answer->stored_first);
    assert_string_equal(answer->reference, "fx-2");
    rig_expect(&rig, "pay-1", 3, 2);
    rig_advance(&rig, 9999); /* kept anew, from that receipt */
    (void)rig_send(&rig, "pay-1", 4);
    rig_expect(&rig, "pay-1", 4, 2);
    rig_close(&rig);
}

static void test_keyed__other_bytes_are_a_mismatch_and_cause_nothing(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig, "{\"class\":\"keyed\"}");
    (void)rig_send(&rig, "pay-1", 1);
    rig.bytes = "{\"body\":\"changed\"}";
    const struct deed_answer *answer = rig_send(&rig, "pay-1", 2);
    assert_int_equal(answer->verdict, DEED_VERDICT_UNKNOWN);
    assert_int_equal(answer->key_signal, DEED_KEY_SIGNAL_MISMATCH);
    rig_expect(&rig, "pay-1", 2, 1);
    rig_close(&rig);
}

static void test_keyed__an_effect_with_an_error_is_kept_all_the_same(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig, KEYED("[{\"do\":\"error\",\"effect\":true},{\"do\":\"answer\"}]"));
    assert_int_equal(rig_send(&rig, "pay-1", 1)->verdict, DEED_VERDICT_UNKNOWN);
    assert_int_equal(rig_send(&rig, "pay-1", 2)->verdict, DEED_VERDICT_APPLIED);
    rig_expect(&rig, "pay-1", 2, 1);
    rig_close(&rig);
}

static void test_keyed__one_that_lies_keeps_good_answers_only(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig,
        "{\"class\":\"keyed\",\"lying\":true,"
        "\"script\":[{\"do\":\"error\",\"effect\":true},{\"do\":\"answer\"}]}");
    (void)rig_send(&rig, "pay-1", 1);
    (void)rig_send(&rig, "pay-1", 2);
    rig_expect(&rig, "pay-1", 2, 2);
    rig_close(&rig);
}

static void test_keyed__a_stored_error_is_replayed_and_marked(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig,
        "{\"class\":\"keyed\",\"stored_errors\":true,\"script\":[{\"do\":\"answer\"}],\"scripts\":{"
        "\"a\":[{\"do\":\"error_stored\"},{\"do\":\"answer\"}],"
        "\"b\":[{\"do\":\"error_stored\",\"verdict\":\"rejected\",\"lost\":true},{\"do\":"
        "\"answer\"}],"
        "\"c\":[{\"do\":\"error_stored\",\"verdict\":\"unknown\",\"effect\":true},{\"do\":"
        "\"answer\"}],"
        "\"d\":[{\"do\":\"reject\",\"lost\":true},{\"do\":\"answer\"}]}}");
    assert_int_equal(rig_send(&rig, "a", 1)->verdict, DEED_VERDICT_NOT_APPLIED);
    assert_false(rig.answer.stored_first);
    assert_int_equal(rig_send(&rig, "a", 2)->verdict, DEED_VERDICT_NOT_APPLIED);
    assert_true(rig.answer.stored_first);
    rig_expect(&rig, "a", 2, 0);

    assert_int_equal(rig_send(&rig, "b", 1)->verdict, DEED_VERDICT_UNKNOWN);
    assert_int_equal(rig_send(&rig, "b", 2)->verdict, DEED_VERDICT_REJECTED);
    assert_true(rig.answer.stored_first);

    assert_int_equal(rig_send(&rig, "c", 1)->verdict, DEED_VERDICT_UNKNOWN);
    assert_int_equal(rig_send(&rig, "c", 2)->verdict, DEED_VERDICT_UNKNOWN);
    assert_true(rig.answer.stored_first);
    rig_expect(&rig, "c", 2, 1);

    (void)rig_send(&rig, "d", 1);
    assert_int_equal(rig_send(&rig, "d", 2)->verdict, DEED_VERDICT_REJECTED);
    assert_true(rig.answer.stored_first);
    rig_close(&rig);
}

static void test_keyed__an_unmarked_replay_does_not_say_that_it_is_one(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig, "{\"class\":\"keyed\",\"replay_marker\":false}");
    (void)rig_send(&rig, "pay-1", 1);
    assert_int_equal(rig_send(&rig, "pay-1", 2)->verdict, DEED_VERDICT_APPLIED);
    assert_false(rig.answer.stored_first);
    rig_close(&rig);
}

static void test_keyed__a_refusal_and_an_error_without_effect_leave_the_key_free(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig,
        KEYED("[{\"do\":\"refuse\"},{\"do\":\"error\"},{\"do\":\"reject\"},{\"do\":\"answer\"}]"));
    (void)rig_send(&rig, "pay-1", 1);
    (void)rig_send(&rig, "pay-1", 2);
    (void)rig_send(&rig, "pay-1", 3);
    assert_int_equal(rig_send(&rig, "pay-1", 4)->verdict, DEED_VERDICT_APPLIED);
    assert_false(rig.answer.stored_first);
    rig_expect(&rig, "pay-1", 4, 1);
    rig_close(&rig);
}

static void test_keyed__signals_about_the_key_leave_it_unknown(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig, KEYED("[{\"do\":\"lose\"},{\"do\":\"in_progress\"},{\"do\":\"mismatch\"}]"));
    (void)rig_send(&rig, "pay-1", 1);
    assert_int_equal(rig_send(&rig, "pay-1", 2)->key_signal, DEED_KEY_SIGNAL_IN_PROGRESS);
    assert_int_equal(rig.answer.verdict, DEED_VERDICT_UNKNOWN);
    assert_int_equal(rig_send(&rig, "pay-1", 3)->key_signal, DEED_KEY_SIGNAL_MISMATCH);
    assert_int_equal(rig.answer.verdict, DEED_VERDICT_UNKNOWN);
    rig_expect(&rig, "pay-1", 3, 1);
    rig_close(&rig);
}

static void test_keyed__duplicates_are_absorbed(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(
        &rig, KEYED("[{\"do\":\"answer\",\"duplicates\":3},{\"do\":\"answer\",\"duplicates\":1}]"));
    (void)rig_send(&rig, "pay-1", 1);
    (void)rig_send(&rig, "pay-1", 2);
    rig_expect(&rig, "pay-1", 2, 1);
    assert_int_equal(rig_counts(&rig, "pay-1").absorbed, 3 + 2);
    rig_close(&rig);
}

static void test_keyed__a_late_request_that_arrives_first_is_what_a_replay_is_answered_with(
    void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig, KEYED("[{\"do\":\"late\",\"land\":{\"after_ms\":9000}},{\"do\":\"answer\"}]"));
    (void)rig_send(&rig, "pay-1", 1);
    rig_advance(&rig, 18999); /* the window runs from its arrival */
    assert_true(rig_send(&rig, "pay-1", 2)->stored_first);
    rig_expect(&rig, "pay-1", 2, 1);
    rig_close(&rig);
}

static void test_keyed__an_error_with_an_effect_is_stored_as_what_happened(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig,
        "{\"class\":\"keyed\",\"stored_errors\":true,"
        "\"script\":[{\"do\":\"error\",\"effect\":true},{\"do\":\"answer\"}]}");
    (void)rig_send(&rig, "pay-1", 1);
    assert_int_equal(rig_send(&rig, "pay-1", 2)->verdict, DEED_VERDICT_APPLIED);
    rig_expect(&rig, "pay-1", 2, 1);
    rig_close(&rig);
}

/* The request is stuck on the way; its replay arrives first. */
static void test_keyed__a_late_request_is_absorbed_inside_the_window(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig,
        KEYED("[{\"do\":\"late\",\"land\":{\"after_ms\":9000},\"duplicates\":1},"
              "{\"do\":\"answer\"}]"));
    (void)rig_send(&rig, "pay-1", 1);
    assert_int_equal(rig_send(&rig, "pay-1", 2)->verdict, DEED_VERDICT_APPLIED);
    assert_false(rig.answer.stored_first);
    rig_advance(&rig, 9000);
    rig_deliver(&rig);
    rig_expect(&rig, "pay-1", 2, 1);
    assert_int_equal(rig_counts(&rig, "pay-1").absorbed, 2);
    rig_close(&rig);
}

static void test_keyed__a_late_request_after_the_window_is_a_second_effect(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig,
        KEYED("[{\"do\":\"late\",\"land\":{\"after_ms\":10000},\"duplicates\":1},"
              "{\"do\":\"answer\"}]"));
    (void)rig_send(&rig, "pay-1", 1);
    (void)rig_send(&rig, "pay-1", 2);
    rig_advance(&rig, 10000);
    rig_deliver(&rig);
    rig_expect(&rig, "pay-1", 2, 2); /* and its copy was absorbed by the key kept anew */
    assert_int_equal(rig_counts(&rig, "pay-1").absorbed, 1);
    rig_close(&rig);
}

static void test_keyed__keys_of_one_account_are_unknown_at_another(void **state)
{
    (void)state;
    struct rig rig;
    deed_executor *moved = NULL;
    rig_open(&rig, "{\"class\":\"keyed\"}");
    assert_int_equal(
        deed_mock_executor_new_in(rig.world, "{\"class\":\"keyed\",\"account\":\"acct-2\"}",
            deed_sim_clock_true(rig.clock), &moved, NULL),
        DEED_OK);
    (void)rig_send(&rig, "pay-1", 1);
    deed_executor *first = rig.executor;
    rig.executor = moved;
    (void)rig_send(&rig, "pay-1", 2);
    rig.executor = first;
    rig_expect(&rig, "pay-1", 2, 2);
    assert_int_equal(deed_world_provider_key_effects(rig.world, "pk-pay-1"), 2);
    deed_mock_executor_free(moved);
    rig_close(&rig);
}

/* ---- which step ------------------------------------------------------------------------- */

static void test_script__the_last_step_goes_on_and_count_serves_several(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(
        &rig, BLIND("[{\"do\":\"refuse\",\"count\":2},{\"do\":\"reject\"},{\"do\":\"answer\"}]"));
    static const deed_verdict expected[] = {DEED_VERDICT_NOT_APPLIED, DEED_VERDICT_NOT_APPLIED,
        DEED_VERDICT_REJECTED, DEED_VERDICT_APPLIED, DEED_VERDICT_APPLIED};
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal(rig_send(&rig, "pay-1", i + 1)->verdict, expected[i]);
    }
    rig_close(&rig);
}

static void test_script__a_whole_key_beats_a_start_and_a_long_start_a_short_one(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig,
        "{\"class\":\"blind\",\"script\":{\"do\":\"answer\"},\"scripts\":{"
        "\"pay-*\":{\"do\":\"refuse\"},\"pay-1*\":{\"do\":\"reject\"},\"pay-12\":{\"do\":\"lose\"},"
        "\"mail\":{\"do\":\"refuse\"}}}");
    assert_int_equal(rig_send(&rig, "pay-2", 1)->verdict, DEED_VERDICT_NOT_APPLIED);
    assert_int_equal(rig_send(&rig, "pay-1", 1)->verdict, DEED_VERDICT_REJECTED);
    assert_int_equal(rig_send(&rig, "pay-13", 1)->verdict, DEED_VERDICT_REJECTED);
    assert_int_equal(rig_send(&rig, "pay-12", 1)->verdict, DEED_VERDICT_UNKNOWN);
    assert_int_equal(rig_send(&rig, "mail-1", 1)->verdict, DEED_VERDICT_APPLIED);
    rig_close(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blind__answer_applies_and_says_so),
        cmocka_unit_test(test_blind__a_second_request_is_a_second_effect),
        cmocka_unit_test(test_blind__lose_applies_and_says_nothing),
        cmocka_unit_test(test_blind__unreachable_leaves_no_trace),
        cmocka_unit_test(test_blind__refuse_is_sent_and_not_applied),
        cmocka_unit_test(test_blind__reject_is_for_good),
        cmocka_unit_test(test_blind__any_answer_may_be_lost),
        cmocka_unit_test(test_blind__error_says_nothing_with_or_without_an_effect),
        cmocka_unit_test(test_blind__garbage_applies_and_fills_in_nothing_or_a_number),
        cmocka_unit_test(test_blind__hang_waits_for_the_answer_time_with_or_without_an_effect),
        cmocka_unit_test(test_blind__duplicates_are_further_effects_of_one_send),
        cmocka_unit_test(test_blind__duplicates_may_arrive_later),
        cmocka_unit_test(test_late__lands_after_its_time_and_not_before),
        cmocka_unit_test(test_late__lands_at_its_time_however_late_somebody_asks),
        cmocka_unit_test(test_late__lands_after_the_looks_that_did_not_see_it),
        cmocka_unit_test(test_late__lands_on_demand),
        cmocka_unit_test(test_late__may_be_rejected_in_the_end_or_never_end),
        cmocka_unit_test(test_late__reordered_requests_land_in_the_order_of_their_time),
        cmocka_unit_test(test_late__a_hang_may_land_late_too),
        cmocka_unit_test(test_keyed__a_replay_gets_the_stored_answer_and_causes_nothing),
        cmocka_unit_test(test_keyed__the_window_is_open_before_its_end_and_closed_at_it),
        cmocka_unit_test(test_keyed__other_bytes_are_a_mismatch_and_cause_nothing),
        cmocka_unit_test(test_keyed__an_effect_with_an_error_is_kept_all_the_same),
        cmocka_unit_test(test_keyed__one_that_lies_keeps_good_answers_only),
        cmocka_unit_test(test_keyed__a_stored_error_is_replayed_and_marked),
        cmocka_unit_test(test_keyed__an_unmarked_replay_does_not_say_that_it_is_one),
        cmocka_unit_test(test_keyed__a_refusal_and_an_error_without_effect_leave_the_key_free),
        cmocka_unit_test(test_keyed__signals_about_the_key_leave_it_unknown),
        cmocka_unit_test(test_keyed__duplicates_are_absorbed),
        cmocka_unit_test(
            test_keyed__a_late_request_that_arrives_first_is_what_a_replay_is_answered_with),
        cmocka_unit_test(test_keyed__an_error_with_an_effect_is_stored_as_what_happened),
        cmocka_unit_test(test_keyed__a_late_request_is_absorbed_inside_the_window),
        cmocka_unit_test(test_keyed__a_late_request_after_the_window_is_a_second_effect),
        cmocka_unit_test(test_keyed__keys_of_one_account_are_unknown_at_another),
        cmocka_unit_test(test_script__the_last_step_goes_on_and_count_serves_several),
        cmocka_unit_test(test_script__a_whole_key_beats_a_start_and_a_long_start_a_short_one),
    };
    return cmocka_run_group_tests_name("mock_steps", tests, NULL, NULL);
}
