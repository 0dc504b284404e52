/* SPDX-License-Identifier: MIT
 *
 * process.h - one run of the command under test: started, watched, killed, and nothing left of it.
 */
#ifndef DEED_MOCKS_CRASHTEST_PROCESS_H
#define DEED_MOCKS_CRASHTEST_PROCESS_H

#include <sys/types.h>

#include <deed/base.h>

struct process_plan {
    const char *program; /* found as a shell finds it */
    char *const *argv;
    char *const *environment;
    const char *folder; /* its working directory */
    const char *output; /* file that standard output and error are added to */
};

struct process {
    pid_t pid; /* and its group; 0: none was started */
    int pidfd; /* readable once it has ended; -1: the system has none */
    bool running;
    int status; /* as from waitpid, once it does not run */
};

/* Orphans of whatever is started become children of this process, so that none is left behind. */
DEED_MUST_CHECK deed_rc process_adopt_orphans(struct deed_error *err);

/* Starts the command in a process group of its own; it dies with this process. */
DEED_MUST_CHECK deed_rc process_start(
    const struct process_plan *plan, struct process *process_out, struct deed_error *err);

/* Whether it has ended; never waits. */
bool process_ended(struct process *process);

/* To the whole group. */
void process_signal(const struct process *process, int number);

/* Kills the whole group and returns when the process is dead. */
void process_kill(struct process *process);

/* Kills and reaps all that is still there of it, in whatever group, and frees what `process` holds. */
void process_clear(struct process *process);

#endif /* DEED_MOCKS_CRASHTEST_PROCESS_H */
