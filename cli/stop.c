/* SPDX-License-Identifier: MIT
 *
 * stop.c - SIGINT and SIGTERM in commands that send.
 */
#include "stop.h"

#include <deed/machine.h>

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static volatile sig_atomic_t asked;
static int interrupted_status; /* computed beforehand: a handler calls nothing of ours */

static void handle(int number)
{
    (void)number;
    static const char first[] =
        "deed: stopping after the attempt that runs; once more leaves now\n";
    static const char second[] =
        "deed: left at once; `deed reconcile` settles what was being sent\n";
    if (asked) {
        (void)!write(STDERR_FILENO, second, sizeof second - 1);
        _exit(interrupted_status);
    }
    asked = 1;
    (void)!write(STDERR_FILENO, first, sizeof first - 1);
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
