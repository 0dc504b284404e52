/* SPDX-License-Identifier: MIT */
#include "turns.h"

#include <string.h>
#include <ucontext.h>

#if defined(__SANITIZE_ADDRESS__)
#define WITH_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WITH_ASAN 1
#endif
#endif
#ifdef WITH_ASAN
#include <sanitizer/common_interface_defs.h>
#endif

#define STACK_BYTES  ((size_t)262144)
#define BLOCKS_MAX   4096U
#define NOBODY       (-1)
#define MAIN_CONTEXT TURNS_WORKERS

/* A stack and where it was left; the last is that of the caller of turns_run. */
struct coroutine {
    ucontext_t context;
    const void *bottom;
    size_t bytes;
    void *fake_stack; /* AddressSanitizer's */
    bool ended;
};

/* One run at a time: SQLite's callbacks carry no context of ours. */
static struct {
    struct coroutine coroutines[TURNS_WORKERS + 1];
    int running; /* NOBODY outside of turns_run */
    struct schedule schedule;
    struct turns turns;
    void (*work)(void *context, int worker);
    void *context;
} now = {.running = NOBODY};

static unsigned char stacks[TURNS_WORKERS][STACK_BYTES];

static struct {
    uint32_t known;
    bool met[BLOCKS_MAX];
} blocks;

/* ---- changing stacks --------------------------------------------------------------------- */

static void arrived(struct coroutine *here)
{
#ifdef WITH_ASAN
    const void *bottom = NULL;
    size_t bytes = 0;
    __sanitizer_finish_switch_fiber(here->fake_stack, &bottom, &bytes);
    struct coroutine *caller = &now.coroutines[MAIN_CONTEXT];
    if (caller->bottom == NULL) { /* it is told to nobody but whoever leaves it first */
        caller->bottom = bottom;
        caller->bytes = bytes;
    }
#else
    (void)here;
#endif
}

static void change(struct coroutine *from, struct coroutine *to)
{
#ifdef WITH_ASAN
    __sanitizer_start_switch_fiber(from->ended ? NULL : &from->fake_stack, to->bottom, to->bytes);
#endif
    (void)swapcontext(&from->context, &to->context);
    arrived(from);
}

static void give_turn(int to)
{
    const int from = now.running;
    now.running = to;
    change(&now.coroutines[from], &now.coroutines[to]);
}

static void begin_worker(int worker)
{
    arrived(&now.coroutines[worker]);
    now.work(now.context, worker);
    now.coroutines[worker].ended = true;
    const int other = 1 - worker;
    if (!now.coroutines[other].ended) {
        now.turns.first_only = now.turns.points;
        give_turn(other);
    }
    give_turn(MAIN_CONTEXT);
}

struct turns turns_run(
    const struct schedule *schedule, void (*work)(void *context, int worker), void *context)
{
    memset(now.coroutines, 0, sizeof(now.coroutines));
    memset(&now.turns, 0, sizeof(now.turns));
    now.schedule = *schedule;
    now.work = work;
    now.context = context;
    for (int i = 0; i < TURNS_WORKERS; i++) {
        struct coroutine *coroutine = &now.coroutines[i];
        coroutine->bottom = stacks[i];
        coroutine->bytes = STACK_BYTES;
        (void)getcontext(&coroutine->context);
        coroutine->context.uc_stack.ss_sp = stacks[i];
        coroutine->context.uc_stack.ss_size = STACK_BYTES;
        makecontext(&coroutine->context, (void (*)(void))begin_worker, 1, i);
    }
    now.running = schedule->first;
    change(&now.coroutines[MAIN_CONTEXT], &now.coroutines[schedule->first]);
    now.running = NOBODY;
    return now.turns;
}

/* ---- losing a turn ----------------------------------------------------------------------- */

void turns_wait(void)
{
    if (now.running != NOBODY && !now.coroutines[1 - now.running].ended) {
        now.turns.waits++;
        give_turn(1 - now.running);
    }
}

void turns_point(unsigned kind)
{
    if (now.running == NOBODY || (kind & now.schedule.points) == 0) {
        return;
    }
    now.turns.points++;
    const size_t next = now.turns.taken;
    if (next < now.schedule.count && now.turns.points >= now.schedule.at[next] &&
        !now.coroutines[1 - now.running].ended) {
        now.turns.taken++;
        give_turn(1 - now.running);
    }
}

/* ---- what clang calls at each basic block ------------------------------------------------ */

/* NOLINTBEGIN(readability-identifier-naming): the names are clang's */
void __sanitizer_cov_trace_pc_guard_init(uint32_t *start, const uint32_t *stop);
void __sanitizer_cov_trace_pc_guard(const uint32_t *guard);

void __sanitizer_cov_trace_pc_guard_init(uint32_t *start, const uint32_t *stop)
{
    for (uint32_t *guard = start; guard < stop; guard++) {
        if (*guard == 0) {
            *guard = ++blocks.known;
        }
    }
}

void __sanitizer_cov_trace_pc_guard(const uint32_t *guard)
{
    if (now.running != NOBODY && *guard < BLOCKS_MAX) {
        blocks.met[*guard] = true;
    }
    turns_point(POINT_BLOCK);
}
/* NOLINTEND(readability-identifier-naming) */

void turns_blocks(uint32_t *known_out, uint32_t *met_out)
{
    *known_out = blocks.known;
    *met_out = 0;
    for (uint32_t i = 0; i < BLOCKS_MAX; i++) {
        *met_out += blocks.met[i] ? 1 : 0;
    }
}
