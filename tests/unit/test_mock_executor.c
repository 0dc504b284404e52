/* SPDX-License-Identifier: MIT
 *
 * The mock keeps the contract of executors: pure preparation, may_send once and just before the
 * first byte, silence where nothing is known; and dies well at its two seams.
 */
#include "test_mock_rig.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <deed/seam.h>

/* ---- prepare ----------------------------------------------------------------------------- */

struct sink {
    char bytes[1000];
    size_t count;
    size_t room;
};

static bool sink_write(void *context, const void *bytes, size_t bytes_count)
{
    struct sink *sink = context;
    if (bytes_count > sink->room - sink->count) {
        return false;
    }
    memcpy(sink->bytes + sink->count, bytes, bytes_count);
    sink->count += bytes_count;
    return true;
}

static deed_rc prepare(struct rig *rig, const struct deed_payload *payload, struct sink *sink,
    struct deed_preparation *preparation)
{
    static const uint8_t digest[DEED_DIGEST_BYTES];
    const struct deed_request request = {.size = sizeof(request),
        .key = "pay-1",
        .payload = payload,
        .digest = digest,
        .provider_key = "0c9e0000-0000-4000-8000-000000000001"};
    *preparation =
        (struct deed_preparation){.size = sizeof(*preparation), .sink = sink, .write = sink_write};
    return rig->executor->prepare(rig->executor->self, &request, preparation, NULL);
}

static void test_prepare__is_pure_and_writes_the_whole_payload_with_a_nul_inside(void **state)
{
    (void)state;
    static const char expected[] =
        "{\"key\":\"pay-1\",\"provider_key\":\"0c9e0000-0000-4000-8000-000000000001\","
        "\"kind\":\"payment\",\"target\":\"bank\",\"body\":\"a\\u0000b\xc3\xa9\"}";
    const struct deed_payload payload = {
        {"payment", 7}, {"bank", 4}, {"a\0b\xc3\xa9", sizeof("a\0b\xc3\xa9") - 1}};
    struct rig rig;
    rig_open(&rig, "{\"class\":\"blind\",\"account\":\"acct-7\",\"endpoint\":\"mock://eu\"}");
    for (unsigned i = 0; i < 2; i++) {
        struct sink sink = {.room = sizeof(sink.bytes)};
        struct deed_preparation preparation;
        assert_int_equal(prepare(&rig, &payload, &sink, &preparation), DEED_OK);
        assert_int_equal(sink.count, sizeof(expected) - 1);
        assert_memory_equal(sink.bytes, expected, sink.count);
        assert_string_equal(preparation.endpoint, "mock://eu");
        assert_string_equal(preparation.account_scope, "acct-7");
    }
    rig_expect(&rig, NULL, 0, 0);
    rig_close(&rig);
}

static void test_prepare__fails_where_there_is_no_room_and_where_text_is_no_text(void **state)
{
    (void)state;
    const struct deed_payload good = {{"payment", 7}, {"bank", 4}, {"body", 4}};
    const struct deed_payload bad = {{"payment", 7}, {"bank", 4}, {"\xff", 1}};
    struct rig rig;
    struct sink full = {.room = 20};
    struct deed_preparation preparation;
    rig_open(&rig, "{\"class\":\"blind\"}");
    assert_int_equal(prepare(&rig, &good, &full, &preparation), DEED_E_NOMEM);
    struct sink sink = {.room = sizeof(sink.bytes)};
    assert_int_equal(prepare(&rig, &bad, &sink, &preparation), DEED_E_INVALID);
    rig_close(&rig);
}

/* ---- attempt ----------------------------------------------------------------------------- */

static void test_attempt__asks_once_whether_it_may_send(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig, "{\"class\":\"blind\"}");
    (void)rig_send(&rig, "pay-1", 1);
    assert_int_equal(rig.asked, 1);
    rig_close(&rig);
}

static void test_attempt__that_may_not_send_leaves_no_trace_and_is_not_applied(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig, "{\"class\":\"blind\"}");
    rig.too_late = true;
    assert_int_equal(rig_send(&rig, "pay-1", 1)->verdict, DEED_VERDICT_NOT_APPLIED);
    assert_int_equal(rig.asked, 1);
    rig_expect(&rig, NULL, 0, 0);
    rig_close(&rig);
}

static void test_attempt__without_a_clock_is_unknown_and_so_is_a_look(void **state)
{
    (void)state;
    struct rig rig;
    deed_executor *mock = NULL;
    rig_open(&rig, "{\"class\":\"lookup\"}");
    assert_int_equal(deed_mock_executor_new_in(rig.world, "{\"class\":\"lookup\"}",
                         deed_sim_clock_machine(rig.clock), &mock, NULL),
        DEED_OK);
    deed_sim_clock_break(rig.clock, true);
    deed_executor *first = rig.executor;
    rig.executor = mock;
    assert_int_equal(rig_send(&rig, "pay-1", 1)->verdict, DEED_VERDICT_UNKNOWN);
    assert_int_equal(rig_look(&rig, "pay-1")->kind, DEED_FOUND_NOTHING);
    rig_expect(&rig, NULL, 0, 0);
    rig.executor = first;
    deed_mock_executor_free(mock);
    rig_close(&rig);
}

static void note_wait(void *context, int64_t wait_ms)
{
    *(int64_t *)context = wait_ms;
}

static void test_attempt__that_hangs_on_the_systems_clock_waits_for_the_answer_time(void **state)
{
    (void)state;
    struct rig rig;
    int64_t waited_ms = 0;
    deed_executor *mock = NULL;
    rig_open(&rig, "{\"class\":\"blind\"}");
    assert_int_equal(deed_mock_executor_new_in(rig.world,
                         "{\"class\":\"blind\",\"script\":{\"do\":\"hang\"}}", NULL, &mock, NULL),
        DEED_OK);
    deed_mock_executor_wait_set(mock, note_wait, &waited_ms);
    deed_executor *first = rig.executor;
    rig.executor = mock;
    assert_int_equal(rig_send(&rig, "pay-1", 1)->verdict, DEED_VERDICT_UNKNOWN);
    assert_int_equal(waited_ms, 60000);
    rig_expect(&rig, "pay-1", 1, 1);
    rig.executor = first;
    deed_mock_executor_free(mock);
    rig_close(&rig);
}

/* ---- seams ------------------------------------------------------------------------------- */

struct crossing {
    struct rig *rig;
    deed_seam dies_at;
    char order[200];
    uint64_t effects; /* in the world, as it was crossed */
};

static void watch(void *context, deed_seam seam)
{
    struct crossing *crossing = context;
    size_t used = strlen(crossing->order);
    (void)snprintf(crossing->order + used, sizeof(crossing->order) - used, "%u %s %u;",
        crossing->rig->asked, deed_seam_name(seam),
        (unsigned)deed_world_effects(crossing->rig->world, "pay-1"));
}

static void test_seams__lie_after_may_send_and_after_the_effect(void **state)
{
    (void)state;
    struct rig rig;
    struct crossing crossing = {.rig = &rig};
    rig_open(&rig, "{\"class\":\"keyed\"}");
    deed_seam_hook_set(watch, &crossing);
    (void)rig_send(&rig, "pay-1", 1);
    assert_string_equal(crossing.order, "1 send.allowed 0;1 send.effect 1;");
    crossing.order[0] = '\0';
    (void)rig_send(&rig, "pay-1", 2); /* a replay causes no effect, so there is no such moment */
    assert_string_equal(crossing.order, "2 send.allowed 1;");
    rig.too_late = true;
    crossing.order[0] = '\0';
    (void)rig_send(&rig, "pay-1", 3);
    assert_string_equal(crossing.order, "");
    deed_seam_hook_set(NULL, NULL);
    rig_close(&rig);
}

static void die(void *context, deed_seam seam)
{
    const struct crossing *crossing = context;
    if (seam == crossing->dies_at) {
        (void)raise(SIGKILL);
    }
}

static void expect_death_leaves(deed_seam seam, uint64_t sends, uint64_t effects)
{
    struct rig rig;
    struct crossing crossing = {.rig = &rig, .dies_at = seam};
    rig_open(&rig, "{\"class\":\"blind\"}");
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        deed_seam_hook_set(die, &crossing);
        (void)rig_send(&rig, "pay-1", 1);
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    rig_expect(&rig, "pay-1", sends, effects);
    rig_close(&rig);
}

static void test_seams__a_process_killed_there_has_sent_nothing_or_everything(void **state)
{
    (void)state;
    expect_death_leaves(DEED_SEAM_SEND_ALLOWED, 0, 0);
    expect_death_leaves(DEED_SEAM_SEND_EFFECT, 1, 1);
}

/* ---- making it --------------------------------------------------------------------------- */

static void test_executor__is_a_mock_with_the_name_and_version_of_its_options(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig, "{\"class\":\"blind\"}");
    assert_int_equal(rig.executor->size, sizeof(deed_executor));
    assert_int_equal(rig.executor->flags, DEED_EXECUTOR_MOCK);
    assert_string_equal(rig.executor->name, "mock");
    assert_string_equal(rig.executor->version, DEED_VERSION);
    assert_ptr_equal(deed_mock_executor_world(rig.executor), rig.world);
    rig_close(&rig);
    rig_open(&rig, "{\"class\":\"blind\",\"name\":\"bank\",\"version\":\"7\"}");
    assert_string_equal(rig.executor->name, "bank");
    assert_string_equal(rig.executor->version, "7");
    rig_close(&rig);
}

static void test_executor__opens_the_world_its_options_name(void **state)
{
    (void)state;
    struct rig rig;
    deed_executor *mock = NULL;
    struct deed_error err = {.text = ""};
    rig_open(&rig, "{\"class\":\"blind\"}");
    deed_mock_executor_free(rig.executor);
    assert_int_equal(deed_mock_executor_new("{\"class\":\"blind\",\"world\":\"" RIG_WORLD "\"}",
                         deed_sim_clock_true(rig.clock), &rig.executor, &err),
        DEED_OK);
    (void)rig_send(&rig, "pay-1", 1);
    rig_expect(&rig, "pay-1", 1, 1);
    assert_int_equal(deed_mock_executor_new(
                         "{\"class\":\"blind\",\"world\":\"/nowhere/world\"}", NULL, &mock, &err),
        DEED_E_SYSTEM);
    assert_string_equal(err.text, "cannot open /nowhere/world: No such file or directory");
    rig_close(&rig);
}

static void test_executor__misuse_is_refused(void **state)
{
    (void)state;
    deed_executor *mock = NULL;
    assert_int_equal(deed_mock_executor_new(NULL, NULL, &mock, NULL), DEED_E_MISUSE);
    assert_int_equal(deed_mock_executor_new("{}", NULL, NULL, NULL), DEED_E_MISUSE);
    assert_int_equal(deed_mock_executor_new_in(NULL, "{}", NULL, &mock, NULL), DEED_E_MISUSE);
    deed_mock_executor_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_prepare__is_pure_and_writes_the_whole_payload_with_a_nul_inside),
        cmocka_unit_test(test_prepare__fails_where_there_is_no_room_and_where_text_is_no_text),
        cmocka_unit_test(test_attempt__asks_once_whether_it_may_send),
        cmocka_unit_test(test_attempt__that_may_not_send_leaves_no_trace_and_is_not_applied),
        cmocka_unit_test(test_attempt__without_a_clock_is_unknown_and_so_is_a_look),
        cmocka_unit_test(test_attempt__that_hangs_on_the_systems_clock_waits_for_the_answer_time),
        cmocka_unit_test(test_seams__lie_after_may_send_and_after_the_effect),
        cmocka_unit_test(test_seams__a_process_killed_there_has_sent_nothing_or_everything),
        cmocka_unit_test(test_executor__is_a_mock_with_the_name_and_version_of_its_options),
        cmocka_unit_test(test_executor__opens_the_world_its_options_name),
        cmocka_unit_test(test_executor__misuse_is_refused),
    };
    return cmocka_run_group_tests_name("mock_executor", tests, NULL, NULL);
}
