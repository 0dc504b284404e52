/* SPDX-License-Identifier: MIT
 *
 * Workers on stacks of their own. Whoever stops asks who goes on and switches there at once; the
 * caller of deed_workers_run is entered again only when nobody is left.
 *
 * Method of dying: the stack is left alone until a later run begins anew at its top. What the dead
 * one's frames held is not unwound, so nothing of it may live outside of its memory.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <deed/ext/error.h>
#include <deed/ext/size.h>
#include <deed/flow.h>
#include <deed/mock/workers.h>

#include "simulate/bump.h"
#include "simulate/fibers.h"

#define ORIGIN       "mock.workers"
#define WORKERS_MOST 8U
#define STACK_BYTES  ((size_t)512 * 1024)
#define STEPS_MOST   UINT64_C(1000000)
#define OUTSIDE      0U

enum condition {
    GONE,
    READY,
    WAITING
};

/* Number 0 is the caller of deed_workers_run, which has no stack of ours. */
struct worker {
    enum condition condition;
    void (*work)(void *context);
    void *context;
    ucontext_t registers;
    void *stack; /* with the guard at its lower end */
    size_t stack_bytes;
    struct deed_mock__fiber fiber;
    struct deed_flow flow;
    struct deed_flow *outer_flow; /* of number 0 */
    struct deed_mock__bump memory;
};

struct deed_workers {
    struct worker workers[WORKERS_MOST + 1];
    uint32_t count;
    uint32_t present;
    uint32_t preemptions_most;
    size_t stack_bytes;
    uint64_t steps_most;
    uint64_t steps;
    bool stopped;
    deed_choices *choices;
    struct deed_workers_counts counts;
};

/* ---- stacks ------------------------------------------------------------------------------ */

static size_t page_bytes(void)
{
    long bytes = sysconf(_SC_PAGESIZE);
    return bytes > 0 ? (size_t)bytes : 4096;
}

static bool stack_make(struct worker *worker, size_t bytes)
{
    size_t guard = page_bytes();
    size_t all = guard + (bytes + guard - 1) / guard * guard;
    void *stack = mmap(NULL, all, PROT_READ | PROT_WRITE,
        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (stack == MAP_FAILED) {
        return false;
    }
    if (mprotect(stack, guard, PROT_NONE) != 0) {
        (void)munmap(stack, all);
        return false;
    }
    worker->stack = stack;
    worker->stack_bytes = all;
    worker->fiber.bottom = (const char *)stack + guard;
    worker->fiber.bytes = all - guard;
    return true;
}

/* ---- switching --------------------------------------------------------------------------- */

static void switch_to(struct deed_workers *workers, uint32_t to)
{
    struct worker *from = &workers->workers[workers->present];
    struct worker *next = &workers->workers[to];
    workers->present = to;
    workers->counts.switches += to != OUTSIDE ? 1 : 0;
    (void)deed_flow_swap(to == OUTSIDE ? next->outer_flow : &next->flow);
    deed_mock__fiber_leave(&from->fiber, &next->fiber);
    (void)swapcontext(&from->registers, &next->registers);
    deed_mock__fiber_entered(&from->fiber);
}

/* Everybody who can go on, `first` before the others if it can; 0: nobody. */
static uint32_t candidates(
    const struct deed_workers *workers, uint32_t first, uint32_t who_out[WORKERS_MOST])
{
    uint32_t count = 0;
    if (first != OUTSIDE && workers->workers[first].condition == READY) {
        who_out[count++] = first;
    }
    for (uint32_t i = 1; i <= workers->count; i++) {
        if (i != first && workers->workers[i].condition == READY) {
            who_out[count++] = i;
        }
    }
    return count;
}

/* Where all wait for each other, each looks again. */
static uint32_t wake_all(
    struct deed_workers *workers, uint32_t first, uint32_t who_out[WORKERS_MOST])
{
    for (uint32_t i = 1; i <= workers->count; i++) {
        if (workers->workers[i].condition == WAITING) {
            workers->workers[i].condition = READY;
        }
    }
    uint32_t count = candidates(workers, OUTSIDE, who_out);
    if (count > 1 && who_out[0] == first) { /* it has just looked: others before it */
        memmove(who_out, who_out + 1, (count - 1) * sizeof(who_out[0]));
        who_out[count - 1] = first;
    }
    return count;
}

/* Who goes on when worker `at` has come to a place. */
static uint32_t next_of(struct deed_workers *workers, uint32_t at, const char *site)
{
    uint32_t who[WORKERS_MOST];
    bool can_go_on = at != OUTSIDE && workers->workers[at].condition == READY;
    bool may_stop = !can_go_on || workers->preemptions_most == 0 ||
        workers->counts.preemptions < workers->preemptions_most;
    if (++workers->steps > workers->steps_most) {
        workers->stopped = true;
        return OUTSIDE;
    }
    uint32_t count = candidates(workers, at, who);
    if (count == 0) {
        count = wake_all(workers, at, who);
    }
    if (count == 0) {
        return OUTSIDE;
    }
    workers->counts.places += count > 1 ? 1 : 0;
    if (count == 1 || !may_stop || workers->choices == NULL) {
        return who[0];
    }
    uint32_t chosen = who[deed_choose_worker(workers->choices, site, who, count)];
    workers->counts.preemptions += can_go_on && chosen != at ? 1 : 0;
    return chosen;
}

/* Whoever goes on may have done what others wait for. */
static void wake_others(struct deed_workers *workers, uint32_t who)
{
    for (uint32_t i = 1; i <= workers->count; i++) {
        if (i != who && workers->workers[i].condition == WAITING) {
            workers->workers[i].condition = READY;
        }
    }
}

static void leave(struct deed_workers *workers, const char *site)
{
    uint32_t next = next_of(workers, workers->present, site);
    if (next != workers->present) {
        switch_to(workers, next);
    }
}

static void worker_main(unsigned high, unsigned low)
{
    const uintptr_t address = (uintptr_t)((uint64_t)high << 32 | low);
    struct deed_workers *workers = NULL;
    memcpy(&workers, &address, sizeof(address));
    struct worker *self = &workers->workers[workers->present];
    deed_mock__fiber_entered(&self->fiber);
#ifdef DEED_MOCK__ASAN
    __asan_handle_no_return(); /* frames of a former run on this stack are no longer in use */
#endif
    self->work(self->context);
    self->condition = GONE;
    wake_others(workers, workers->present);
    leave(workers, "worker.ended");
    abort(); /* nobody switches to a worker that has ended */
}

void deed_workers_pass(deed_workers *workers, const char *site)
{
    if (workers->present == OUTSIDE) {
        return;
    }
    wake_others(workers, workers->present);
    leave(workers, site);
}

void deed_workers_wait(deed_workers *workers, const char *site)
{
    if (workers->present == OUTSIDE) {
        return;
    }
    workers->workers[workers->present].condition = WAITING;
    leave(workers, site);
    workers->workers[workers->present].condition = READY;
}

void deed_workers_die(deed_workers *workers)
{
    if (workers->present == OUTSIDE) {
        return;
    }
    workers->workers[workers->present].condition = GONE;
    workers->counts.died++;
    wake_others(workers, workers->present);
    leave(workers, "worker.died");
    abort(); /* nobody switches to the dead */
}

/* ---- a run ------------------------------------------------------------------------------- */

void deed_workers_begin(deed_workers *workers, deed_choices *choices)
{
    for (uint32_t i = OUTSIDE; i <= workers->count; i++) {
        workers->workers[i].condition = GONE;
        deed_mock__bump_reset(&workers->workers[i].memory);
    }
    workers->count = 0;
    workers->steps = 0;
    workers->stopped = false;
    workers->choices = choices;
    workers->counts = (struct deed_workers_counts){.size = sizeof(workers->counts)};
}

uint32_t deed_workers_add(deed_workers *workers, void (*work)(void *context), void *context)
{
    if (workers->count == WORKERS_MOST) {
        return 0;
    }
    struct worker *worker = &workers->workers[workers->count + 1];
    if (worker->stack == NULL && !stack_make(worker, workers->stack_bytes)) {
        return 0;
    }
#ifdef DEED_MOCK__TSAN
    if (worker->fiber.tsan != NULL) {
        __tsan_destroy_fiber(worker->fiber.tsan);
    }
    worker->fiber.tsan = __tsan_create_fiber(0);
#endif
    deed_mock__unpoison(worker->fiber.bottom, worker->fiber.bytes);
    (void)getcontext(&worker->registers);
    worker->registers.uc_stack.ss_sp = (char *)worker->stack + page_bytes();
    worker->registers.uc_stack.ss_size = worker->fiber.bytes;
    worker->registers.uc_link = NULL;
    /* makecontext hands on ints, and a pointer is two of them. */
    makecontext(&worker->registers, (void (*)(void))worker_main, 2,
        (unsigned)((uint64_t)(uintptr_t)workers >> 32),
        (unsigned)((uintptr_t)workers & UINT32_MAX));
    worker->work = work;
    worker->context = context;
    worker->flow.depth = 0;
    worker->condition = READY;
    return ++workers->count;
}

bool deed_workers_run(deed_workers *workers)
{
    struct worker *outside = &workers->workers[OUTSIDE];
#ifdef DEED_MOCK__TSAN
    outside->fiber.tsan = __tsan_get_current_fiber();
#endif
    if (workers->present != OUTSIDE) {
        return false;
    }
    outside->outer_flow = deed_flow_swap(NULL);
    (void)deed_flow_swap(outside->outer_flow);
    uint32_t first = next_of(workers, OUTSIDE, "worker.first");
    if (first != OUTSIDE) {
        switch_to(workers, first);
    }
    return !workers->stopped;
}

uint32_t deed_workers_present(const deed_workers *workers)
{
    return workers->present;
}

bool deed_workers_lives(const deed_workers *workers, uint32_t worker)
{
    return worker >= 1 && worker <= workers->count && workers->workers[worker].condition != GONE;
}

const struct deed_allocator *deed_workers_memory(deed_workers *workers, uint32_t worker)
{
    return worker <= workers->count ? &workers->workers[worker].memory.allocator : NULL;
}

void deed_workers_count(const deed_workers *workers, struct deed_workers_counts *counts_out)
{
    static const struct deed_shape shape = DEED_SHAPE(deed_workers_counts, places);
    struct deed_workers_counts counts = workers->counts;
    counts.size = sizeof(counts);
    deed_size_give(&shape, counts_out, &counts);
}

/* ---- making them ------------------------------------------------------------------------- */

deed_rc deed_workers_new(
    const struct deed_workers_options *options, deed_workers **workers_out, struct deed_error *err)
{
    static const struct deed_shape shape = DEED_SHAPE(deed_workers_options, preemptions);
    struct deed_workers_options mine = {.size = 0};
    if (workers_out == NULL) {
        return deed_error_set(err, DEED_E_MISUSE, ORIGIN, "a place for the workers is needed");
    }
    deed_rc rc = deed_size_take(&shape, options, &mine, err);
    if (rc != DEED_OK) {
        return rc;
    }
    struct deed_workers *workers = calloc(1, sizeof(*workers));
    if (workers == NULL) {
        return deed_error_set(err, DEED_E_NOMEM, ORIGIN, "no memory for workers");
    }
    workers->preemptions_most = mine.preemptions;
    workers->stack_bytes = mine.stack_bytes > 0 ? mine.stack_bytes : STACK_BYTES;
    workers->steps_most = mine.steps_most > 0 ? mine.steps_most : STEPS_MOST;
    workers->counts.size = sizeof(workers->counts);
    for (uint32_t i = OUTSIDE; i <= WORKERS_MOST; i++) {
        deed_mock__bump_init(&workers->workers[i].memory);
    }
    *workers_out = workers;
    return DEED_OK;
}

void deed_workers_free(deed_workers *workers)
{
    if (workers == NULL) {
        return;
    }
    for (uint32_t i = OUTSIDE; i <= WORKERS_MOST; i++) {
        struct worker *worker = &workers->workers[i];
        deed_mock__bump_finish(&worker->memory);
        if (worker->stack != NULL) {
            deed_mock__unpoison(worker->fiber.bottom, worker->fiber.bytes);
            (void)munmap(worker->stack, worker->stack_bytes);
        }
#ifdef DEED_MOCK__TSAN
        if (i != OUTSIDE && worker->fiber.tsan != NULL) {
            __tsan_destroy_fiber(worker->fiber.tsan);
        }
#endif
    }
    free(workers);
}
