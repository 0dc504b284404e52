/* SPDX-License-Identifier: MIT
 *
 * The file of a world: many processes, dying processes, damaged files; and what is read from it.
 */
#include "test_mock_rig.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <deed/ext/error.h>

#define SENDS_EACH 150

static void write_file(const char *path, const char *text, int flags)
{
    int fd = open(path, O_WRONLY | O_CREAT | flags, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    assert_int_equal(close(fd), 0);
}

static off_t file_bytes(const char *path)
{
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    return info.st_size;
}

static void expect_unusable(const char *path, const char *text)
{
    struct deed_error err = {.text = ""};
    deed_world *world = NULL;
    assert_int_equal(deed_world_open(path, &world, &err), DEED_E_SYSTEM);
    assert_null(world);
    assert_string_equal(err.text, text);
}

/* ---- what is read ------------------------------------------------------------------------ */

static void test_world__a_new_one_is_empty(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig, "{\"class\":\"blind\"}");
    rig_expect(&rig, NULL, 0, 0);
    rig_expect(&rig, "pay-1", 0, 0);
    assert_int_equal(deed_world_provider_key_effects(rig.world, "pk-pay-1"), 0);
    assert_int_equal(file_bytes(RIG_WORLD), 0);
    rig_close(&rig);
}

static void test_world__counts_by_action_key_by_provider_key_and_in_all(void **state)
{
    (void)state;
    struct rig rig;
    struct deed_world_counts counts;
    rig_open(&rig, "{\"class\":\"blind\"}");
    (void)rig_send(&rig, "pay-1", 1);
    (void)rig_send(&rig, "pay-1", 2);
    (void)rig_send(&rig, "pay-2", 1);
    rig_expect(&rig, "pay-1", 2, 2);
    rig_expect(&rig, "pay-2", 1, 1);
    rig_expect(&rig, NULL, 3, 3);
    assert_int_equal(deed_world_provider_key_effects(rig.world, "pk-pay-1"), 2);
    assert_int_equal(
        deed_world_count(rig.world, "pay-1", "pk-pay-1", &counts, NULL), DEED_E_MISUSE);
    rig_close(&rig);
}

struct seen {
    unsigned count;
    struct deed_world_request request;
    struct deed_world_effect effect;
    char texts[3][100];
};

static bool see_request(void *context, const struct deed_world_request *request)
{
    struct seen *seen = context;
    seen->count++;
    seen->request = *request;
    (void)snprintf(seen->texts[0], sizeof(seen->texts[0]), "%s", request->provider_key);
    (void)snprintf(seen->texts[1], sizeof(seen->texts[1]), "%s", request->bytes_digest);
    (void)snprintf(seen->texts[2], sizeof(seen->texts[2]), "%s", request->step);
    return false;
}

static bool see_effect(void *context, const struct deed_world_effect *effect)
{
    struct seen *seen = context;
    seen->count++;
    seen->effect = *effect;
    (void)snprintf(seen->texts[0], sizeof(seen->texts[0]), "%s", effect->reference);
    return true;
}

static void test_world__tells_of_each_request_what_was_sent_and_when_it_landed(void **state)
{
    (void)state;
    struct rig rig;
    struct seen seen = {.count = 0};
    rig_open(
        &rig, "{\"class\":\"blind\",\"script\":{\"do\":\"late\",\"land\":{\"after_ms\":250}}}");
    rig.bytes = "";
    (void)rig_send(&rig, "mail-1", 1);
    (void)rig_send(&rig, "pay-1", 7);
    rig_advance(&rig, 1000);
    rig_deliver(&rig);
    assert_int_equal(
        deed_world_requests_visit(rig.world, "pay-1", see_request, &seen, NULL), DEED_OK);
    assert_int_equal(seen.count, 1);
    assert_int_equal(seen.request.number, 2);
    assert_int_equal(seen.request.attempt, 7);
    assert_int_equal(seen.request.fate, DEED_WORLD_LANDED);
    assert_int_equal(seen.request.effects, 1);
    assert_int_equal(seen.request.sent_ms, RIG_START_MS);
    assert_int_equal(seen.request.landed_ms, RIG_START_MS + 250);
    assert_string_equal(seen.texts[0], "pk-pay-1");
    assert_string_equal(seen.texts[1], /* SHA-256 of nothing */
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    assert_string_equal(seen.texts[2], "late");
    rig_close(&rig);
}

static void test_world__visits_stop_when_told_to_and_else_see_everything(void **state)
{
    (void)state;
    struct rig rig;
    struct seen seen = {.count = 0};
    rig_open(&rig, "{\"class\":\"blind\"}");
    for (uint32_t i = 0; i < 3; i++) {
        (void)rig_send(&rig, "pay-1", i + 1);
    }
    assert_int_equal(deed_world_requests_visit(rig.world, NULL, see_request, &seen, NULL), DEED_OK);
    assert_int_equal(seen.count, 1);
    seen.count = 0;
    assert_int_equal(deed_world_effects_visit(rig.world, NULL, see_effect, &seen, NULL), DEED_OK);
    assert_int_equal(seen.count, 3);
    assert_string_equal(seen.texts[0], "fx-3");
    assert_int_equal(seen.effect.request, 3);
    rig_close(&rig);
}

static void test_world__is_printed_for_people(void **state)
{
    (void)state;
    struct rig rig;
    char *text = NULL;
    size_t text_bytes = 0;
    rig_open(&rig,
        "{\"class\":\"lookup\",\"script\":[{\"do\":\"lose\"},"
        "{\"do\":\"late\",\"land\":{\"after_ms\":250}},{\"do\":\"late\"}]}");
    (void)rig_send(&rig, "pay-1", 1);
    (void)rig_look(&rig, "pay-1");
    (void)rig_send(&rig, "pay-2", 2);
    (void)rig_send(&rig, "pay-3", 3);
    rig_advance(&rig, 250);
    rig_deliver(&rig);
    FILE *out = open_memstream(&text, &text_bytes);
    assert_non_null(out);
    assert_int_equal(deed_world_print(rig.world, out, NULL), DEED_OK);
    assert_int_equal(fclose(out), 0);
    assert_string_equal(text,
        "2023-11-14T22:13:20.000Z  request 1  pay-1 attempt 1  lose: landed, 1 effect\n"
        "2023-11-14T22:13:20.000Z  request 2  pay-2 attempt 2  late: landed at "
        "2023-11-14T22:13:20.250Z, 1 effect\n"
        "2023-11-14T22:13:20.000Z  request 3  pay-3 attempt 3  late: waiting, 0 effects\n"
        "2023-11-14T22:13:20.000Z  effect fx-1  pay-1, by request 1 under pk-pay-1 at acct-1\n"
        "2023-11-14T22:13:20.250Z  effect fx-2  pay-2, by request 2 under pk-pay-2 at acct-1\n"
        "3 requests, 2 effects, 1 still waits, 1 look-up, 0 polls\n");
    free(text);
    rig_close(&rig);
}

static void test_world__fates_have_names(void **state)
{
    (void)state;
    assert_string_equal(deed_world_fate_name(DEED_WORLD_LANDED), "landed");
    assert_string_equal(deed_world_fate_name(DEED_WORLD_FAILED), "failed");
    assert_null(deed_world_fate_name((deed_world_fate)0));
    assert_null(deed_world_fate_name((deed_world_fate)8));
}

/* ---- what lasts -------------------------------------------------------------------------- */

/* Replaying the lines gives the same world as living through them: keys, what waits, looks. */
static void test_world__opened_again_goes_on_as_if_it_had_stayed_open(void **state)
{
    (void)state;
    static const char options[] =
        "{\"class\":\"closable\",\"window_ms\":10000,\"lookup\":{},\"scripts\":{"
        "\"a\":[{\"do\":\"lose\"},{\"do\":\"answer\"}],"
        "\"b\":{\"do\":\"late\",\"land\":{\"after_looks\":2}},"
        "\"c\":{\"do\":\"pending\",\"land\":{\"after_ms\":500}}}}";
    struct rig rig;
    struct deed_error err;
    deed_world *reopened = NULL;
    rig_open(&rig, options);
    (void)rig_send(&rig, "a", 1);
    (void)rig_send(&rig, "b", 1);
    (void)rig_look(&rig, "b");
    (void)rig_send(&rig, "c", 1);
    (void)rig_cancel(&rig, "d");
    deed_mock_executor_free(rig.executor);
    deed_world_close(rig.world);
    assert_int_equal(deed_world_open(RIG_WORLD, &reopened, &err), DEED_OK);
    rig.world = reopened;
    assert_int_equal(deed_mock_executor_new_in(
                         reopened, options, deed_sim_clock_true(rig.clock), &rig.executor, &err),
        DEED_OK);
    assert_true(rig_send(&rig, "a", 2)->stored_first);
    (void)rig_look(&rig, "b");
    rig_expect(&rig, "b", 1, 1);
    rig_advance(&rig, 500);
    assert_int_equal(rig_poll(&rig, "c", "op-3")->kind, DEED_FOUND_PRESENT);
    assert_int_equal(rig_send(&rig, "d", 1)->verdict, DEED_VERDICT_NOT_APPLIED);
    rig_expect(&rig, NULL, 5, 3);
    rig_close(&rig);
}

static void test_world__two_handles_see_what_the_other_did(void **state)
{
    (void)state;
    struct rig rig;
    deed_world *other = NULL;
    rig_open(&rig, "{\"class\":\"blind\"}");
    assert_int_equal(deed_world_open(RIG_WORLD, &other, NULL), DEED_OK);
    (void)rig_send(&rig, "pay-1", 1);
    assert_int_equal(deed_world_effects(other, "pay-1"), 1);
    deed_world_close(other);
    rig_close(&rig);
}

static void test_world__an_incomplete_last_line_never_happened_and_is_cut(void **state)
{
    (void)state;
    struct rig rig;
    static const char *const tails[] = {
        "{", "{\"what\":\"req", "{\"what\":\"request\",\"at_ms\":17"};
    for (size_t i = 0; i < sizeof(tails) / sizeof(tails[0]); i++) {
        rig_open(&rig, "{\"class\":\"blind\"}");
        (void)rig_send(&rig, "pay-1", 1);
        off_t whole = file_bytes(RIG_WORLD);
        write_file(RIG_WORLD, tails[i], O_APPEND);
        rig_expect(&rig, "pay-1", 1, 1);
        assert_int_equal(file_bytes(RIG_WORLD), whole);
        (void)rig_send(&rig, "pay-1", 2);
        rig_expect(&rig, "pay-1", 2, 2);
        rig_close(&rig);
    }
}

static void test_world__a_file_of_something_else_is_refused_and_left_alone(void **state)
{
    (void)state;
    static const char *const texts[] = {"precious", "{\"kind\":\"mail\"}", "\n", "{}\n"};
    static const char *const errors[] = {
        "other.file is not the file of a world",
        "other.file is not the file of a world",
        "other.file: line 1: this is no line of a world",
        "other.file: line 1: this is no line of a world: what happened?",
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        write_file("other.file", texts[i], O_TRUNC);
        expect_unusable("other.file", errors[i]);
        assert_int_equal(file_bytes("other.file"), (off_t)strlen(texts[i]));
    }
    assert_int_equal(mkdir("a-folder", 0700) == 0 || access("a-folder", F_OK) == 0, 1);
    expect_unusable("a-folder", "cannot open a-folder: Is a directory");
    expect_unusable("/dev/null", "/dev/null is no regular file; a world needs one of its own");
}

static void test_world__a_damaged_line_is_named_and_nothing_is_believed(void **state)
{
    (void)state;
    struct rig rig;
    struct deed_error err = {.text = ""};
    struct deed_world_counts counts;
    rig_open(&rig, "{\"class\":\"blind\"}");
    (void)rig_send(&rig, "pay-1", 1);
    write_file(RIG_WORLD, "{\"what\":\"land\",\"request\":1,\"fate\":\"landed\"}\n", O_APPEND);
    assert_int_equal(deed_world_count(rig.world, NULL, NULL, &counts, &err), DEED_E_SYSTEM);
    assert_string_equal(
        err.text, "rig.world: line 2: this is no line of a world: nothing waits there");
    assert_int_equal(deed_world_effects(rig.world, "pay-1"), UINT64_MAX);
    assert_int_equal(rig_send(&rig, "pay-1", 2)->verdict, DEED_VERDICT_UNKNOWN);
    rig_close(&rig);
}

/* Not as much memory as somebody wrote into a number. */
static void test_world__a_line_with_more_effects_than_a_request_can_have_is_none(void **state)
{
    (void)state;
    struct rig rig;
    struct deed_error err = {.text = ""};
    struct deed_world_counts counts;
    rig_open(&rig, "{\"class\":\"blind\"}");
    write_file(RIG_WORLD,
        "{\"what\":\"request\",\"request\":1,\"key\":\"pay-1\",\"provider_key\":\"k\","
        "\"fate\":\"landed\",\"effects\":60922337203685}\n",
        O_APPEND);
    assert_int_equal(deed_world_count(rig.world, NULL, NULL, &counts, &err), DEED_E_SYSTEM);
    assert_string_equal(
        err.text, "rig.world: line 1: this is no line of a world: no request has so many effects");
    rig_close(&rig);
}

static void test_world__one_that_became_shorter_is_an_error_until_it_is_opened_again(void **state)
{
    (void)state;
    struct rig rig;
    struct deed_error err = {.text = ""};
    struct deed_world_counts counts;
    rig_open(&rig, "{\"class\":\"blind\"}");
    (void)rig_send(&rig, "pay-1", 1);
    assert_int_equal(truncate(RIG_WORLD, 0), 0);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(deed_world_count(rig.world, NULL, NULL, &counts, &err), DEED_E_SYSTEM);
        assert_string_equal(
            err.text, "rig.world has become shorter; what happened cannot be taken back");
    }
    rig_close(&rig);
}

static void test_world__misuse_is_refused(void **state)
{
    (void)state;
    deed_world *world = NULL;
    assert_int_equal(deed_world_open("", &world, NULL), DEED_E_MISUSE);
    assert_int_equal(deed_world_open(NULL, &world, NULL), DEED_E_MISUSE);
    deed_world_close(NULL);
}

/* ---- many at once ------------------------------------------------------------------------ */

static void send_many(struct rig *rig, const char *key)
{
    for (uint32_t i = 0; i < SENDS_EACH; i++) {
        if (rig_send(rig, key, i + 1)->verdict != DEED_VERDICT_APPLIED) {
            _exit(3);
        }
    }
}

static void expect_exit(pid_t child, int expected)
{
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), expected);
}

/* Child and parent use the handle the parent opened; a lock shared with it would exclude nobody. */
static void test_world__parent_and_child_append_at_once_through_one_handle(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig, "{\"class\":\"blind\"}");
    (void)rig_send(&rig, "first", 1);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        send_many(&rig, "child");
        _exit(0);
    }
    send_many(&rig, "parent");
    expect_exit(child, 0);
    rig_expect(&rig, "child", SENDS_EACH, SENDS_EACH);
    rig_expect(&rig, "parent", SENDS_EACH, SENDS_EACH);
    rig_close(&rig);
}

static void test_world__three_processes_at_a_keyed_provider_cause_one_effect(void **state)
{
    (void)state;
    struct rig rig;
    pid_t children[3];
    rig_open(&rig, "{\"class\":\"keyed\"}");
    for (size_t i = 0; i < 3; i++) {
        children[i] = fork();
        assert_true(children[i] >= 0);
        if (children[i] == 0) {
            send_many(&rig, "pay-1");
            _exit(0);
        }
    }
    for (size_t i = 0; i < 3; i++) {
        expect_exit(children[i], 0);
    }
    rig_expect(&rig, "pay-1", UINT64_C(3) * SENDS_EACH, 1);
    rig_close(&rig);
}

static void *send_in_thread(void *argument)
{
    struct rig mine = *(const struct rig *)argument; /* its own answer, the same executor */
    send_many(&mine, "pay-1");
    return NULL;
}

static void test_world__threads_share_a_handle(void **state)
{
    (void)state;
    struct rig rig;
    pthread_t threads[4];
    rig_open(&rig, "{\"class\":\"blind\"}");
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, send_in_thread, &rig), 0);
    }
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    }
    rig_expect(&rig, "pay-1", UINT64_C(4) * SENDS_EACH, UINT64_C(4) * SENDS_EACH);
    rig_close(&rig);
}

/* ---- dying ------------------------------------------------------------------------------- */

static void send_for_ever(struct rig *rig, int acknowledge_fd)
{
    for (uint32_t i = 1;; i++) {
        (void)rig_send(rig, "pay-1", i);
        if (write(acknowledge_fd, "", 1) != 1) {
            _exit(3);
        }
    }
}

/* A writer is killed somewhere between two acknowledgements. The world holds what it acknowledged,
 * and at most the one request more that it was at. */
static void kill_a_writer(struct rig *rig, unsigned after)
{
    int ends[2];
    char byte;
    uint64_t acknowledged = 0;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        (void)close(ends[0]);
        send_for_ever(rig, ends[1]);
    }
    (void)close(ends[1]);
    while (acknowledged < after && read(ends[0], &byte, 1) == 1) {
        acknowledged++;
    }
    assert_int_equal(kill(child, SIGKILL), 0);
    while (read(ends[0], &byte, 1) == 1) {
        acknowledged++;
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    (void)close(ends[0]);
    uint64_t effects = deed_world_effects(rig->world, "pay-1");
    assert_true(effects == acknowledged || effects == acknowledged + 1);
    assert_int_equal(deed_world_sends(rig->world, "pay-1"), effects);
}

static void test_world__survives_the_killing_of_a_writer_and_counts_right(void **state)
{
    (void)state;
    for (unsigned after = 0; after < 25; after++) {
        struct rig rig;
        rig_open(&rig, "{\"class\":\"blind\"}");
        kill_a_writer(&rig, after);
        (void)rig_send(&rig, "pay-2", 1); /* no lock was left behind */
        rig_expect(&rig, "pay-2", 1, 1);
        rig_close(&rig);
    }
}

/* The disk is full in the middle of a line: what is not whole did not happen. */
static void test_world__a_line_that_finds_no_room_did_not_happen(void **state)
{
    (void)state;
    struct rig rig;
    rig_open(&rig, "{\"class\":\"blind\"}");
    (void)rig_send(&rig, "pay-1", 1);
    off_t whole = file_bytes(RIG_WORLD);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        const struct rlimit limit = {(rlim_t)whole + 40, (rlim_t)whole + 40};
        (void)signal(SIGXFSZ, SIG_IGN);
        bool full = setrlimit(RLIMIT_FSIZE, &limit) == 0 &&
            rig_send(&rig, "pay-1", 2)->verdict == DEED_VERDICT_UNKNOWN &&
            deed_world_effects(rig.world, "pay-1") == 1;
        _exit(full ? 0 : 4);
    }
    expect_exit(child, 0);
    assert_int_equal(file_bytes(RIG_WORLD), whole);
    rig_expect(&rig, "pay-1", 1, 1);
    rig_close(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_world__a_new_one_is_empty),
        cmocka_unit_test(test_world__counts_by_action_key_by_provider_key_and_in_all),
        cmocka_unit_test(test_world__tells_of_each_request_what_was_sent_and_when_it_landed),
        cmocka_unit_test(test_world__visits_stop_when_told_to_and_else_see_everything),
        cmocka_unit_test(test_world__is_printed_for_people),
        cmocka_unit_test(test_world__fates_have_names),
        cmocka_unit_test(test_world__opened_again_goes_on_as_if_it_had_stayed_open),
        cmocka_unit_test(test_world__two_handles_see_what_the_other_did),
        cmocka_unit_test(test_world__an_incomplete_last_line_never_happened_and_is_cut),
        cmocka_unit_test(test_world__a_file_of_something_else_is_refused_and_left_alone),
        cmocka_unit_test(test_world__a_damaged_line_is_named_and_nothing_is_believed),
        cmocka_unit_test(test_world__a_line_with_more_effects_than_a_request_can_have_is_none),
        cmocka_unit_test(test_world__one_that_became_shorter_is_an_error_until_it_is_opened_again),
        cmocka_unit_test(test_world__misuse_is_refused),
        cmocka_unit_test(test_world__parent_and_child_append_at_once_through_one_handle),
        cmocka_unit_test(test_world__three_processes_at_a_keyed_provider_cause_one_effect),
        cmocka_unit_test(test_world__threads_share_a_handle),
        cmocka_unit_test(test_world__survives_the_killing_of_a_writer_and_counts_right),
        cmocka_unit_test(test_world__a_line_that_finds_no_room_did_not_happen),
    };
    return cmocka_run_group_tests_name("world", tests, NULL, NULL);
}
