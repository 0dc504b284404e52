/* SPDX-License-Identifier: MIT
 *
 * stop.c - SIGINT and SIGTERM in commands that send.
 */
#include "stop.h"

#include <deed/machine.h>

#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t asked;
static volatile sig_atomic_t asleep; /* nothing runs that could reach an end */
static int interrupted_status;       /* computed beforehand: a handler calls nothing of ours */

static void handle(int number)
{
    (void)number;
    static const char first[] =
        "deed: stopping after the attempt that runs; once more leaves now\n";
    static const char idle[] = "deed: stopping\n";
    static const char second[] =
        "deed: left at once; `deed reconcile` settles what was being sent\n";
    if (asked) {
        (void)!write(STDERR_FILENO, second, sizeof second - 1);
        _exit(interrupted_status);
    }
    asked = 1;
    (void)!write(STDERR_FILENO, asleep ? idle : first, asleep ? sizeof idle - 1 : sizeof first - 1);
}

void stop_listen(void)
{
    interrupted_status = deed_exit_status(DEED_E_INTERRUPTED, DEED_EXIT_ACTING, NULL);
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
}

bool stop_asked(void)
{
    return asked != 0;
}

int64_t stop_clock_ms(void)
{
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

bool stop_sleep(int64_t sleep_ms)
{
    sigset_t stops;
    sigset_t before;
    (void)sigemptyset(&stops);
    (void)sigaddset(&stops, SIGINT);
    (void)sigaddset(&stops, SIGTERM);
    /* Only ppoll lets them in, so that none is lost between the look and the sleep. */
    (void)sigprocmask(SIG_BLOCK, &stops, &before);
    asleep = 1;
    const int64_t end_ms = stop_clock_ms() + sleep_ms;
    for (int64_t left = sleep_ms; !asked && left > 0; left = end_ms - stop_clock_ms()) {
        const struct timespec rest = {
            .tv_sec = (time_t)(left / 1000), .tv_nsec = (long)(left % 1000) * 1000000};
        (void)ppoll(NULL, 0, &rest, &before);
    }
    asleep = 0;
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    return !asked;
}
