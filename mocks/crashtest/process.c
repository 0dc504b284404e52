/* SPDX-License-Identifier: MIT
 *
 * process.c - one run of the command under test. This process has no other children.
 */
#include "crashtest/process.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <deed/ext/error.h>

deed_rc process_adopt_orphans(struct deed_error *err)
{
    if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) {
        deed_error_set(err, DEED_E_SYSTEM, "crashtest",
            "this system does not let a program take on orphans: %s", strerror(errno));
        deed_error_native(err, errno);
        return DEED_E_SYSTEM;
    }
    return DEED_OK;
}

/* In the child, up to the program itself. Says why it could not become it. */
static _Noreturn void become(const struct process_plan *plan, pid_t parent, int failure_fd)
{
    static const int defaults[] = {SIGINT, SIGTERM, SIGPIPE, SIGCHLD};
    for (size_t i = 0; i < sizeof defaults / sizeof defaults[0]; i++) {
        (void)signal(defaults[i], SIG_DFL);
    }
    sigset_t none;
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    const int in = open("/dev/null", O_RDONLY | O_CLOEXEC);
    const int out = open(plan->output, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    /* The parent may have died before the first call took hold. */
    if (setpgid(0, 0) == 0 && prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == parent &&
        in >= 0 && out >= 0 && dup2(in, 0) == 0 && dup2(out, 1) == 1 && dup2(out, 2) == 2 &&
        chdir(plan->folder) == 0) {
        (void)execvpe(plan->program, plan->argv, plan->environment);
    }
    const int why = errno;
    (void)!write(failure_fd, &why, sizeof why);
    _exit(127);
}

static void watch_end(struct process *process)
{
#ifdef SYS_pidfd_open
    process->pidfd = (int)syscall(SYS_pidfd_open, process->pid, 0);
#else
    process->pidfd = -1;
#endif
}

deed_rc process_start(
    const struct process_plan *plan, struct process *process_out, struct deed_error *err)
{
    int failure[2];
    const pid_t parent = getpid();
    if (pipe2(failure, O_CLOEXEC) != 0) {
        return deed_error_set(
            err, DEED_E_SYSTEM, "crashtest", "no pipe to start a program: %s", strerror(errno));
    }
    struct process process = {.pid = fork(), .pidfd = -1, .running = true};
    if (process.pid == 0) {
        become(plan, parent, failure[1]);
    }
    const int fork_errno = errno;
    (void)close(failure[1]);
    if (process.pid < 0) {
        (void)close(failure[0]);
        return deed_error_set(err, DEED_E_SYSTEM, "crashtest", "%s cannot be started: %s",
            plan->argv[0], strerror(fork_errno));
    }
    (void)setpgid(process.pid, process.pid); /* whoever is first */
    int why = 0;
    const ssize_t got = read(failure[0], &why, sizeof why);
    (void)close(failure[0]);
    watch_end(&process);
    if (got == (ssize_t)sizeof why) {
        process_clear(&process);
        return deed_error_set(err, DEED_E_SYSTEM, "crashtest", "%.200s cannot be run: %s",
            plan->argv[0], strerror(why));
    }
    *process_out = process;
    return DEED_OK;
}

static void wait_for(struct process *process, int flags)
{
    pid_t got = -1;
    do {
        got = waitpid(process->pid, &process->status, flags);
    } while (got < 0 && errno == EINTR);
    process->running = got == 0;
}

bool process_ended(struct process *process)
{
    if (process->running) {
        wait_for(process, WNOHANG);
    }
    return !process->running;
}

void process_signal(const struct process *process, int number)
{
    if (process->pid > 0) {
        (void)kill(-process->pid, number);
    }
}

void process_kill(struct process *process)
{
    process_signal(process, SIGKILL);
    if (process->running) {
        wait_for(process, 0);
    }
}

/* The parent of a process, read in /proc; 0: it is gone. Behind the name, which may hold anything. */
static pid_t parent_of(const char *pid)
{
    char path[64];
    char text[512];
    (void)snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
    FILE *file = fopen(path, "re");
    const size_t bytes = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file) {
        (void)fclose(file);
    }
    text[bytes] = '\0';
    const char *behind = strrchr(text, ')');
    return behind && strlen(behind) > 4 ? (pid_t)strtol(behind + 4, NULL, 10) : 0;
}

static void kill_children(void)
{
    DIR *processes = opendir("/proc");
    const struct dirent *entry = NULL;
    while (processes && (entry = readdir(processes))) {
        if (isdigit((unsigned char)entry->d_name[0]) && parent_of(entry->d_name) == getpid()) {
            (void)kill((pid_t)strtol(entry->d_name, NULL, 10), SIGKILL);
        }
    }
    if (processes) {
        (void)closedir(processes);
    }
}

void process_clear(struct process *process)
{
    process_kill(process);
    /* What left the group lives on under its own parent, and comes to us when that one is dead. */
    while (true) {
        const pid_t got = waitpid(-1, NULL, WNOHANG);
        if (got < 0 && errno != EINTR) {
            break; /* no child is left */
        }
        if (got == 0) {
            kill_children();
            (void)waitpid(-1, NULL, 0);
        }
    }
    if (process->pidfd >= 0) {
        (void)close(process->pidfd);
    }
    process->pidfd = -1;
    process->pid = 0;
}
