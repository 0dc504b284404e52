/* SPDX-License-Identifier: MIT
 *
 * kills.c - the parent: starts a program, and kills it in the gap, again and again.
 *
 *   demo-kills [--quiet] PLAN WORLD LOG PROGRAM [ARGUMENT...]
 *
 * The program stops where the plan says and reports it. The parent believes the report only when it
 * sees the effect in the world's file; then it sends SIGKILL, writes the kill into LOG, and starts
 * the program anew without that stop, until it ends by itself.
 */
#include "plan.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <deed/mock/world.h>

#define REPORT_MS       30000 /* the longest silence of the program */
#define EFFECT_MS       5000  /* the longest wait for an effect that was reported */
#define REFERENCE_BYTES 32

struct parent {
    struct plan left; /* stops to come */
    deed_world *world;
    FILE *log;
    char **program; /* with room for the stops behind its arguments */
    int arguments;
    bool quiet;
    size_t landed;
    pid_t pid;
    int reports;
};

static void pause_ms(long ms)
{
    struct timespec pause = {.tv_nsec = ms * 1000000L};
    (void)nanosleep(&pause, NULL);
}

/* ---- the world, as anybody may read it --------------------------------------------------------- */

static bool keep_reference(void *context, const struct deed_world_effect *effect)
{
    (void)snprintf(context, REFERENCE_BYTES, "%s", effect->reference);
    return true;
}

/* The newest effect of a key; waits for it a little. */
static bool see_effect(deed_world *world, const char *key, char reference_out[REFERENCE_BYTES])
{
    reference_out[0] = '\0';
    for (int waited = 0; waited < EFFECT_MS; waited += 5) {
        deed_rc rc = deed_world_effects_visit(world, key, keep_reference, reference_out, NULL);
        if (rc != DEED_OK || reference_out[0] != '\0') {
            return rc == DEED_OK;
        }
        pause_ms(5);
    }
    return false;
}

/* ---- one life of the program ------------------------------------------------------------------- */

static bool start(struct parent *parent)
{
    int ends[2];
    for (size_t i = 0; i < parent->left.count; i++) {
        parent->program[parent->arguments + (int)i] = parent->left.stops[i];
    }
    parent->program[parent->arguments + (int)parent->left.count] = NULL;
    if (pipe2(ends, O_CLOEXEC) != 0) {
        perror("demo-kills: pipe");
        return false;
    }
    (void)fflush(NULL);
    parent->pid = fork();
    if (parent->pid == 0) {
        (void)dup2(ends[1], STDOUT_FILENO);
        (void)execv(parent->program[0], parent->program);
        perror(parent->program[0]);
        _exit(127);
    }
    (void)close(ends[1]);
    parent->reports = ends[0];
    return parent->pid > 0;
}

/* The next line the program writes, "" at its end. False: it was silent for too long. */
static bool next_report(int reports, char *line_out, size_t capacity)
{
    size_t used = 0;
    struct pollfd readable = {.fd = reports, .events = POLLIN};
    while (used + 1 < capacity) {
        int ready = poll(&readable, 1, REPORT_MS);
        if (ready == 0 || (ready < 0 && errno != EINTR)) {
            return false;
        }
        if (ready < 0) {
            continue;
        }
        if (read(reports, line_out + used, 1) != 1 || line_out[used] == '\n') {
            break;
        }
        used++;
    }
    line_out[used] = '\0';
    return true;
}

static bool kill_and_wait(struct parent *parent)
{
    int status = 0;
    return kill(parent->pid, SIGKILL) == 0 && waitpid(parent->pid, &status, 0) == parent->pid &&
        WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
}

static void tell(const struct parent *parent, const char *key, char window, const char *reference)
{
    static const char *const what[] = {
        "the reply was never read", "the reply was read, its finish never committed"};
    if (!parent->quiet) {
        (void)printf("kill %2zu: %s, window %c: effect %s is in the world, %s\n", parent->landed,
            key, window, reference, what[window - 'a']);
    }
}

static void strike_out(struct plan *left, const char *stop)
{
    for (size_t i = 0; i < left->count; i++) {
        if (strcmp(left->stops[i], stop) == 0) {
            left->count--;
            memmove(left->stops[i], left->stops[i + 1], (left->count - i) * STOP_BYTES);
            return;
        }
    }
}

/* The program says that it stands at `stop`. */
static bool stopped_at(struct parent *parent, const char *stop)
{
    char key[DEED_KEY_BYTES_MAX + 1];
    char reference[REFERENCE_BYTES];
    const char *colon = strchr(stop, ':');
    if (!colon || (size_t)(colon - stop) >= sizeof key) {
        return false;
    }
    (void)snprintf(key, sizeof key, "%.*s", (int)(colon - stop), stop);
    const bool seen = see_effect(parent->world, key, reference);
    if (!kill_and_wait(parent)) {
        (void)fprintf(stderr, "demo-kills: the kill at %s did not land\n", stop);
        return false;
    }
    strike_out(&parent->left, stop);
    if (!seen) {
        (void)fprintf(stderr, "demo-kills: it stood at %s, but the world shows no effect\n", stop);
        return true; /* a kill that does not count */
    }
    parent->landed++;
    tell(parent, key, colon[1], reference);
    return fprintf(parent->log, "%s %c %s\n", key, colon[1], reference) > 0;
}

enum life {
    KILLED,
    ENDED,
    FAILED
};

static enum life live(struct parent *parent)
{
    static const char stopped[] = "stopped ";
    char line[256];
    int status = 0;
    if (!start(parent)) {
        return FAILED;
    }
    enum life life = FAILED;
    if (!next_report(parent->reports, line, sizeof line)) {
        (void)fprintf(stderr, "demo-kills: %s says nothing\n", parent->program[0]);
        (void)kill_and_wait(parent);
    } else if (strncmp(line, stopped, sizeof stopped - 1) == 0) {
        life = stopped_at(parent, line + sizeof stopped - 1) ? KILLED : FAILED;
    } else if (waitpid(parent->pid, &status, 0) == parent->pid && WIFEXITED(status)) {
        life = WEXITSTATUS(status) == 0 ? ENDED : FAILED;
    }
    (void)close(parent->reports);
    return life;
}

static bool run(struct parent *parent)
{
    enum life life = KILLED;
    const size_t planned = parent->left.count;
    while (life == KILLED) {
        life = live(parent);
    }
    for (size_t i = 0; i < parent->left.count; i++) {
        (void)fprintf(stderr, "demo-kills: it never came to %s\n", parent->left.stops[i]);
    }
    (void)printf("%zu of %zu kills landed, and %s\n", parent->landed, planned,
        life == ENDED ? "the last restart ran to its end" : "then it failed");
    return life == ENDED;
}

int main(int argc, char **argv)
{
    struct deed_error err = {0};
    struct parent parent = {.quiet = argc > 1 && strcmp(argv[1], "--quiet") == 0};
    argv += parent.quiet;
    argc -= parent.quiet;
    if (argc < 5) {
        (void)fprintf(stderr, "usage: demo-kills [--quiet] PLAN WORLD LOG PROGRAM [ARGUMENT...]\n");
        return 2;
    }
    parent.arguments = argc - 4;
    parent.program = calloc((size_t)parent.arguments + PLAN_MAX + 1, sizeof *parent.program);
    parent.log = fopen(argv[3], "we");
    bool ok = parent.program && parent.log && plan_read(argv[1], &parent.left);
    if (ok) {
        memcpy(parent.program, argv + 4, (size_t)parent.arguments * sizeof *parent.program);
        ok = deed_world_open(argv[2], &parent.world, &err) == DEED_OK;
        ok = ok && run(&parent);
    }
    if (parent.log) {
        ok = fclose(parent.log) == 0 && ok;
    }
    deed_world_close(parent.world);
    free(parent.program);
    if (!ok) {
        (void)fprintf(stderr, "demo-kills: failed%s%s\n", err.text[0] ? ": " : "", err.text);
    }
    return ok ? 0 : 1;
}
