/* SPDX-License-Identifier: MIT
 *
 *   soak threads OPERATIONS|SECONDSs     32 threads on one handle, and a few on another
 *   soak processes OPERATIONS|SECONDSs   four processes, each a program of its own
 *
 * Works in the present folder and leaves the files there when something is wrong.
 */
#include "soak.h"

#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS       32
#define OTHER_THREADS 4 /* on a handle of their own */
#define PROCESSES     4

struct thread {
    pthread_t id;
    struct soak *soak;
    deed_ledger *ledger;
    unsigned number;
};

static void *run_thread(void *context)
{
    struct thread *thread = context;
    soak_work(thread->soak, thread->ledger, thread->number);
    return NULL;
}

static bool soak_threads(struct soak *soak)
{
    struct thread threads[THREADS + OTHER_THREADS];
    deed_world *world = NULL;
    struct deed_error err = {0};
    if (deed_world_open(soak->world_path, &world, &err) != DEED_OK) {
        (void)fprintf(stderr, "soak: %s\n", err.text);
        return false;
    }
    deed_ledger *one = soak_open(soak, world);
    deed_ledger *other = soak_open(soak, world);
    unsigned started = 0;
    for (; one && other && started < THREADS + OTHER_THREADS; started++) {
        threads[started] = (struct thread){
            .soak = soak, .ledger = started < THREADS ? one : other, .number = started};
        if (pthread_create(&threads[started].id, NULL, run_thread, &threads[started]) != 0) {
            break;
        }
    }
    for (unsigned i = 0; i < started; i++) {
        (void)pthread_join(threads[i].id, NULL);
    }
    deed_ledger_close(one);
    deed_ledger_close(other);
    deed_world_close(world);
    return started == THREADS + OTHER_THREADS;
}

/* One of the processes. */
static bool soak_process(struct soak *soak, unsigned number)
{
    deed_world *world = NULL;
    struct deed_error err = {0};
    if (deed_world_open(soak->world_path, &world, &err) != DEED_OK) {
        (void)fprintf(stderr, "soak: %s\n", err.text);
        return false;
    }
    deed_ledger *ledger = soak_open(soak, world);
    if (ledger != NULL) {
        soak_work(soak, ledger, number);
    }
    deed_ledger_close(ledger);
    deed_world_close(world);
    (void)fprintf(stderr, "soak: process %u: %llu calls, %llu busy\n", number,
        (unsigned long long)atomic_load(&soak->counts.calls),
        (unsigned long long)atomic_load(&soak->counts.busy));
    return ledger != NULL && atomic_load(&soak->counts.failed) == 0 &&
        atomic_load(&soak->counts.busy) == 0;
}

static bool soak_processes(const char *program, const char *amount)
{
    pid_t children[PROCESSES];
    bool ok = true;
    for (unsigned i = 0; i < PROCESSES; i++) {
        char number[16];
        (void)snprintf(number, sizeof number, "%u", i);
        char *arguments[] = {(char *)program, (char *)"process", (char *)amount, number, NULL};
        children[i] = 0;
        ok = posix_spawn(&children[i], program, NULL, NULL, arguments, environ) == 0 && ok;
    }
    for (unsigned i = 0; i < PROCESSES; i++) {
        int status = 0;
        ok = children[i] > 0 && waitpid(children[i], &status, 0) == children[i] &&
            WIFEXITED(status) && WEXITSTATUS(status) == 0 && ok;
    }
    return ok;
}

static void remove_files(void)
{
    static const char *const names[] = {
        "soak.db", "soak.db-wal", "soak.db-shm", "soak.db-owners", "soak.world"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        (void)unlink(names[i]);
    }
}

/* "40" operations, or "60s". */
static bool read_amount(const char *text, struct soak *soak)
{
    char *end = NULL;
    const unsigned long long amount = strtoull(text, &end, 10);
    const bool timed = strcmp(end, "s") == 0;
    soak->operations = timed ? 0 : amount;
    soak->seconds = timed ? (int64_t)amount : 0;
    return amount > 0 && (timed || *end == '\0');
}

static bool soak_crowd(struct soak *soak, char **argv)
{
    remove_files();
    bool ok = soak_create(soak);
    if (strcmp(argv[1], "threads") == 0) {
        ok = ok && soak_threads(soak);
    } else {
        ok = ok && soak_processes(argv[0], argv[2]);
    }
    ok = soak_judge(soak) && ok;
    if (ok) {
        remove_files();
    }
    return ok;
}

int main(int argc, char **argv)
{
    struct soak soak = {.path = "soak.db", .world_path = "soak.world"};
    if (argc < 3 || !read_amount(argv[2], &soak)) {
        (void)fprintf(stderr, "usage: soak threads|processes OPERATIONS|SECONDSs\n");
        return 2;
    }
    if (argc == 4) { /* one of the processes, by its number */
        return soak_process(&soak, (unsigned)strtoul(argv[3], NULL, 10)) ? 0 : 1;
    }
    return soak_crowd(&soak, argv) ? 0 : 1;
}
