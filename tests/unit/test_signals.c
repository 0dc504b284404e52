/* SPDX-License-Identifier: MIT
 *
 * A host whose signal handlers are set without SA_RESTART: system calls end early, all the time. Goal:
 * no call of the library notices. Method: a timer interrupts the process every 200 microseconds while
 * ledgers are made, two handles wait for each other, and an intent is run.
 */
#include "conformance/store_files.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/time.h>

#include <deed/ledger.h>

#define ROUNDS 5
#define KEYS   40

static atomic_uint signals;

static void count(int number)
{
    (void)number;
    atomic_fetch_add(&signals, 1);
}

static void interrupt_all_the_time(bool on)
{
    struct sigaction action = {.sa_handler = count}; /* no SA_RESTART */
    const struct itimerval timer = {
        .it_interval = {.tv_usec = on ? 200 : 0}, .it_value = {.tv_usec = on ? 200 : 0}};
    assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
    assert_int_equal(setitimer(ITIMER_REAL, &timer, NULL), 0);
}

struct writer {
    const char *path;
    int number;
    deed_rc rc;
};

static deed_rc record_all(deed_ledger *ledger, int number)
{
    deed_rc rc = DEED_OK;
    for (int i = 0; rc == DEED_OK && i < KEYS; i++) {
        char key[32];
        (void)snprintf(key, sizeof(key), "w-%d-%d", number, i);
        struct deed_payload payload = {{"payment", 7}, {"provider", 8}, {"amount=1", 8}};
        struct deed_record record = {.size = sizeof(record), .key = key, .payload = &payload};
        rc = deed_record(ledger, &record, NULL, NULL);
    }
    return rc;
}

static void *write_in_thread(void *context)
{
    struct writer *writer = context;
    struct deed_store *store = NULL;
    deed_ledger *ledger = NULL;
    writer->rc = deed_sqlite_open(writer->path, NULL, &store, NULL);
    if (writer->rc == DEED_OK) {
        writer->rc = deed_ledger_open(store, NULL, &ledger, NULL);
    }
    if (writer->rc == DEED_OK) {
        writer->rc = record_all(ledger, writer->number);
    }
    deed_ledger_close(ledger);
    return NULL;
}

static void test_signals__without_restart_disturb_nothing(void **state)
{
    (void)state;
    interrupt_all_the_time(true);
    for (int round = 0; round < ROUNDS; round++) {
        char folder[FILES_PATH_ROOM];
        char path[FILES_PATH_ROOM];
        struct deed_error err = {.text = ""};
        files_folder(folder);
        files_path(path, folder, "ledger");
        if (deed_sqlite_create(path, NULL, &err) != DEED_OK) {
            fail_msg("%s", err.text);
        }
        struct deed_store *store = files_open(path, NULL);
        assert_int_equal(deed_ledger_init(store, "signals", true, NULL, &err), DEED_OK);
        store->close(store->self);
        struct writer writers[2] = {{.path = path, .number = 0}, {.path = path, .number = 1}};
        pthread_t threads[2];
        for (int i = 0; i < 2; i++) {
            assert_int_equal(pthread_create(&threads[i], NULL, write_in_thread, &writers[i]), 0);
        }
        for (int i = 0; i < 2; i++) {
            assert_int_equal(pthread_join(threads[i], NULL), 0);
            assert_int_equal(writers[i].rc, DEED_OK);
        }
        files_remove(folder);
    }
    interrupt_all_the_time(false);
    assert_true(atomic_load(&signals) > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_signals__without_restart_disturb_nothing),
    };
    return cmocka_run_group_tests_name("signals", tests, NULL, NULL);
}
