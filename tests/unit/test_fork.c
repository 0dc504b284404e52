/* SPDX-License-Identifier: MIT
 *
 * A handle belongs to the process that opened it. Goal: in the child of a fork every call answers
 * misuse and none waits, whatever the parent's other threads were in the middle of; closing frees
 * memory and touches nothing of the parent's.
 * Method: the child makes every call there is and says by its exit status which one was wrong; an
 * alarm ends a child that waits.
 */
#include "support/every_call.h"
#include "support/scene.h"
#include "support/scene_store.h"

#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <deed/system.h>

#define PATIENCE_S 30
#define ALL_RIGHT  100

/* ---- the child -------------------------------------------------------------------------------- */

/* The number of the first call that does not answer misuse, naming itself and the fork. */
static int first_wrong(deed_ledger *ledger)
{
    for (size_t i = 0; i < every_call_count; i++) {
        struct deed_error err;
        memset(&err, 0, sizeof(err));
        const deed_rc rc = every_call[i].call(ledger, SCENE_KEY, &err);
        if (rc != DEED_E_MISUSE || strstr(err.text, "before fork") == NULL ||
            strncmp(err.text, every_call[i].name, strlen(every_call[i].name)) != 0) {
            (void)fprintf(stderr, "%s: %d %s\n", every_call[i].name, (int)rc, err.text);
            return (int)i;
        }
    }
    return ALL_RIGHT;
}

static int end_of(pid_t child)
{
    int status = 0;
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFSIGNALED(status)) {
        fail_msg("the child ended by signal %d: it waited, or it crashed", WTERMSIG(status));
    }
    return WEXITSTATUS(status);
}

static pid_t fork_in_time(void)
{
    (void)fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        (void)alarm(PATIENCE_S);
    }
    return child;
}

/* Every call, then close: the child of every test below. */
static void check_child(deed_ledger *ledger)
{
    const pid_t child = fork_in_time();
    if (child == 0) {
        const int wrong = first_wrong(ledger);
        deed_ledger_close(ledger);
        _exit(wrong);
    }
    assert_int_equal(end_of(child), ALL_RIGHT);
}

static void test_every_call__is_in_the_table(void **state)
{
    (void)state;
    const char *missing = every_call_missing();
    if (missing != NULL) {
        fail_msg("tests/support/every_call.c and the headers differ: %s", missing);
    }
}

static void test_fork__every_call_of_the_child_is_misuse(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_CLOSABLE);
    scene.provider.next_verdict = DEED_VERDICT_APPLIED;
    check_child(scene.workers[0]); /* never used */
    assert_int_equal(scene_run(&scene, 0, 0), DEED_OK);
    check_child(scene.workers[0]); /* used */
    scene_expect(&scene, DEED_CONFIRMED, DEED_APPLIED);
    scene_check(&scene);
    scene_end(&scene);
}

static void test_fork__a_grandchild_is_a_child_too(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_KEYED);
    const pid_t child = fork_in_time();
    if (child == 0) {
        const pid_t grandchild = fork_in_time();
        if (grandchild == 0) {
            _exit(first_wrong(scene.workers[0]));
        }
        int status = 0;
        (void)waitpid(grandchild, &status, 0);
        _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 0);
    }
    assert_int_equal(end_of(child), ALL_RIGHT);
    scene_end(&scene);
}

static void test_fork__a_number_names_the_process(void **state)
{
    (void)state;
    const uint64_t mine = deed_system_process();
    const pid_t child = fork_in_time();
    if (child == 0) {
        _exit(deed_system_process() != mine && deed_system_process() >> 32 != mine >> 32);
    }
    assert_int_equal(end_of(child), 1);
    assert_true(deed_system_process() == mine);
}

/* ---- threads that the child does not have -------------------------------------------------------- */

/* A thread of the parent stands still in the middle of something while main forks. */
struct pause {
    struct scene *scene;
    sem_t reached;
    sem_t go_on;
    bool armed;
};
static struct pause middle;

static void stand_still(void)
{
    if (middle.armed) {
        middle.armed = false;
        (void)sem_post(&middle.reached);
        (void)sem_wait(&middle.go_on);
    }
}

static void in_attempt(
    struct scene *scene, const struct deed_call *call, struct deed_answer *answer)
{
    (void)scene;
    (void)call;
    answer->verdict = DEED_VERDICT_APPLIED;
    stand_still();
}

static deed_rc in_visit(void *context, const struct deed_event_row *row)
{
    (void)context;
    (void)row;
    stand_still();
    return DEED_OK;
}

static void at_seam(void *context, deed_seam seam)
{
    (void)context;
    if (seam == DEED_SEAM_RECORD_WRITTEN) {
        stand_still();
    }
}

static void *run_in_thread(void *context)
{
    struct scene *scene = context;
    assert_int_equal(scene_run(scene, 0, 0), DEED_OK);
    return NULL;
}

static void *visit_in_thread(void *context)
{
    struct scene *scene = context;
    struct deed_error err;
    assert_int_equal(
        deed_intent_events(scene->workers[0], SCENE_KEY, in_visit, NULL, &err), DEED_OK);
    return NULL;
}

static void *record_in_thread(void *context)
{
    struct scene *scene = context;
    struct deed_payload payload = {{"payment", 7}, {"provider", 8}, {"amount=2", 8}};
    struct deed_record record = {.size = sizeof(record), .key = "pay-2", .payload = &payload};
    struct deed_error err;
    assert_int_equal(deed_record(scene->workers[0], &record, NULL, &err), DEED_OK);
    return NULL;
}

static void fork_in_the_middle(struct scene *scene, void *(*body)(void *))
{
    pthread_t thread;
    assert_int_equal(sem_init(&middle.reached, 0, 0), 0);
    assert_int_equal(sem_init(&middle.go_on, 0, 0), 0);
    middle.armed = true;
    assert_int_equal(pthread_create(&thread, NULL, body, scene), 0);
    (void)sem_wait(&middle.reached);
    check_child(scene->workers[0]);
    (void)sem_post(&middle.go_on);
    assert_int_equal(pthread_join(thread, NULL), 0);
    (void)sem_destroy(&middle.reached);
    (void)sem_destroy(&middle.go_on);
}

/* While an executor runs, while a row is shown (the reference store holds its lock), while an
 * operation is written (so does SQLite's). */
static void test_fork__waits_for_no_lock_of_a_thread_that_is_not_there(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_KEYED);
    scene.provider.attempt = in_attempt;
    fork_in_the_middle(&scene, run_in_thread);
    scene_expect(&scene, DEED_CONFIRMED, DEED_APPLIED);
    fork_in_the_middle(&scene, visit_in_thread);
    deed_seam_hook_set(at_seam, NULL);
    fork_in_the_middle(&scene, record_in_thread);
    deed_seam_hook_set(NULL, NULL);
    scene_check(&scene);
    scene_end(&scene);
}

/* ---- an executor that forks --------------------------------------------------------------------- */

static pid_t sender;
static bool sender_may;

/* Both come back from fork, and both go on as if nothing had happened. */
static void fork_and_return(
    struct scene *scene, const struct deed_call *call, struct deed_answer *answer)
{
    sender = fork_in_time();
    if (sender == 0) {
        sender_may = call->may_send(call->gate);
    } else {
        assert_int_equal(end_of(sender), ALL_RIGHT);
        assert_true(call->may_send(call->gate));
        scene->provider.sends++;
    }
    answer->verdict = DEED_VERDICT_APPLIED;
}

static void test_fork__inside_an_executor_the_child_may_not_send_and_stores_nothing(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_KEYED);
    scene.provider.skip_may_send = true; /* it is asked below, on both sides */
    scene.provider.attempt = fork_and_return;
    const deed_rc rc = scene_run(&scene, 0, 0);
    if (sender == 0) {
        const bool right = rc == DEED_E_UNCERTAIN && !sender_may;
        _exit(right ? first_wrong(scene.workers[0]) : 99);
    }
    assert_int_equal(rc, DEED_OK);
    scene_expect(&scene, DEED_CONFIRMED, DEED_APPLIED);
    assert_int_equal(scene_events(&scene, DEED_EVENT_CONFIRM), 1);
    assert_int_equal(scene_events(&scene, DEED_EVENT_ANSWER), 0);
    scene_check(&scene);
    scene_end(&scene);
}

/* ---- close -------------------------------------------------------------------------------------- */

static unsigned destroyed;

static void count_destroy(void *self)
{
    (void)self;
    destroyed++;
}

static deed_rc no_prepare(void *self, const struct deed_request *request,
    struct deed_preparation *preparation_out, struct deed_error *err)
{
    (void)self;
    (void)request;
    (void)preparation_out;
    (void)err;
    return DEED_OK;
}

static void no_attempt(void *self, const struct deed_call *call, struct deed_answer *answer_out)
{
    (void)self;
    (void)call;
    (void)answer_out;
}

/* The memory of the handle is given back; the executor, which may hold connections and locks of the
 * parent's, is left alone. */
static void test_fork__close_in_the_child_frees_memory_and_destroys_no_executor(void **state)
{
    (void)state;
    struct deed_store *store = NULL;
    deed_fault_alloc *alloc = NULL;
    struct deed_fault_alloc_counts counts;
    struct deed_error err;
    deed_ledger *ledger = NULL;
    deed_executor executor = {.size = sizeof(executor),
        .name = "counted",
        .version = "1",
        .flags = DEED_EXECUTOR_MOCK,
        .prepare = no_prepare,
        .attempt = no_attempt,
        .destroy = count_destroy};
    assert_int_equal(deed_fault_alloc_new(&alloc, &err), DEED_OK);
    struct deed_options options = {
        .size = sizeof(options), .memory = deed_fault_alloc_source(alloc)};
    struct scene_store *place = scene_store_new_with(options.memory, &store);
    assert_int_equal(deed_ledger_init(store, "forked", true, &options, &err), DEED_OK);
    assert_int_equal(deed_ledger_open(store, &options, &ledger, &err), DEED_OK);
    assert_int_equal(deed_ledger_register(ledger, "payment", &executor, NULL, &err), DEED_OK);
    for (size_t i = 0; i < every_call_count; i++) {
        (void)every_call[i].call(ledger, "key-1", &err);
    }
    const pid_t child = fork_in_time();
    if (child == 0) {
        deed_ledger_close(ledger);
        deed_fault_alloc_count(alloc, &counts);
        _exit(counts.live == 0 && counts.misused == 0 && destroyed == 0 ? ALL_RIGHT : 1);
    }
    assert_int_equal(end_of(child), ALL_RIGHT);
    deed_ledger_close(ledger);
    assert_int_equal(destroyed, 1);
    deed_fault_alloc_count(alloc, &counts);
    assert_int_equal(counts.live, 0);
    scene_store_end(place);
    deed_fault_alloc_free(alloc);
}

/* Locks of the parent as the kernel counts them. */
static unsigned locks_of(pid_t process)
{
    char line[256];
    char wanted[32];
    unsigned found = 0;
    FILE *locks = fopen("/proc/locks", "r");
    assert_non_null(locks);
    (void)snprintf(wanted, sizeof(wanted), " %d ", (int)process);
    while (fgets(line, sizeof(line), locks) != NULL) {
        found += strstr(line, wanted) != NULL ? 1U : 0U;
    }
    (void)fclose(locks);
    return found;
}

static void test_fork__close_in_the_child_leaves_the_locks_of_the_parent(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_KEYED);
    struct deed_attempt attempt = {.size = sizeof(attempt)};
    assert_int_equal(scene_begin(&scene, 0, 0, &attempt), DEED_OK);
    const unsigned before = locks_of(getpid());
    check_child(scene.workers[0]);
    assert_int_equal(locks_of(getpid()), before);
    /* Another handle still sees that the owner lives, and the attempt goes on. */
    assert_int_equal(deed_get(scene.workers[1], SCENE_KEY, &scene.result, &scene.err), DEED_OK);
    assert_true(scene.result.in_flight);
    assert_int_equal(scene_finish(&scene, 0, &attempt, DEED_VERDICT_APPLIED), DEED_OK);
    scene_expect(&scene, DEED_CONFIRMED, DEED_APPLIED);
    scene_check(&scene);
    scene_end(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_call__is_in_the_table),
        cmocka_unit_test(test_fork__every_call_of_the_child_is_misuse),
        cmocka_unit_test(test_fork__a_grandchild_is_a_child_too),
        cmocka_unit_test(test_fork__a_number_names_the_process),
        cmocka_unit_test(test_fork__waits_for_no_lock_of_a_thread_that_is_not_there),
        cmocka_unit_test(test_fork__inside_an_executor_the_child_may_not_send_and_stores_nothing),
        cmocka_unit_test(test_fork__close_in_the_child_frees_memory_and_destroys_no_executor),
        cmocka_unit_test(test_fork__close_in_the_child_leaves_the_locks_of_the_parent),
    };
    return cmocka_run_group_tests_name("fork", tests, NULL, NULL);
}
