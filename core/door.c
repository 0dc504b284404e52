/* SPDX-License-Identifier: MIT */
#include "door.h"

#include <deed/flow.h>
#include <deed/system.h>

/* Handles within handles: an executor of one runs another, whose visit lists a third. */
#define DEPTH_MAX (sizeof(((struct deed_flow *)0)->at) / sizeof(((struct deed_flow *)0)->at[0]))

/* Per flow of control, and not in the handle: any number of threads may be outside on one handle. A
 * depth may pass the end; what is past it is not remembered, and bars everything. */
static _Thread_local struct deed_flow own;
static _Thread_local struct deed_flow *present; /* NULL: `own` */

static struct deed_flow *outside(void)
{
    return present != NULL ? present : &own;
}

struct deed_flow *deed_flow_swap(struct deed_flow *flow)
{
    struct deed_flow *before = present;
    present = flow;
    return before;
}

void deed__lend(const struct deed_ledger *ledger, enum deed__freedom freedom)
{
    struct deed_flow *flow = outside();
    if (flow->depth < DEPTH_MAX) {
        flow->at[flow->depth].ledger = ledger;
        flow->at[flow->depth].freedom = (size_t)freedom;
    }
    flow->depth++;
}

void deed__lent(void)
{
    outside()->depth--;
}

bool deed__tell(const struct deed_ledger *ledger, deed_result_visit visit, void *context,
    deed_rc rc, const struct deed_result *result, const struct deed_error *err)
{
    deed__lend(ledger, DEED__ANY_CALLS);
    bool go_on = visit(context, rc, result, err);
    deed__lent();
    return go_on;
}

static bool lent_at_most(const struct deed_ledger *ledger, enum deed__freedom freedom)
{
    const struct deed_flow *flow = outside();
    for (size_t i = 0; i < flow->depth && i < DEPTH_MAX; i++) {
        if (flow->at[i].ledger == ledger && flow->at[i].freedom <= (size_t)freedom) {
            return true;
        }
    }
    return flow->depth > DEPTH_MAX;
}

bool deed__is_lent(const struct deed_ledger *ledger)
{
    return lent_at_most(ledger, DEED__ANY_CALLS);
}

bool deed__is_forked(const struct deed_ledger *ledger)
{
    return ledger->process != deed_system_process();
}

deed_rc deed__enter(const struct deed_ledger *ledger, const char *call, struct deed_error *err)
{
    if (ledger == NULL) {
        return deed__misuse(err, call);
    }
    if (deed__is_forked(ledger)) {
        return deed_error_set(err, DEED_E_MISUSE, "core",
            "%s: this handle was opened before fork and belongs to the parent; in the child it can "
            "only be closed",
            call);
    }
    if (lent_at_most(ledger, DEED__NO_CALLS)) {
        return deed_error_set(err, DEED_E_MISUSE, "core",
            "%s was called from inside a callback of the same handle; return first, or use another "
            "handle",
            call);
    }
    return DEED_OK;
}

/* ---- the host's sources -------------------------------------------------------------------- */

static bool guarded_now(void *self, struct deed_instant *now_out)
{
    const struct deed_ledger *ledger = self;
    const struct deed_clock *host = ledger->host_clock;
    deed__lend(ledger, DEED__NO_CALLS);
    bool read = host->now(host->self, now_out);
    deed__lent();
    return read;
}

static bool guarded_fill(void *self, void *buffer, size_t buffer_bytes)
{
    const struct deed_ledger *ledger = self;
    const struct deed_random *host = ledger->host_random;
    deed__lend(ledger, DEED__NO_CALLS);
    bool filled = host->fill(host->self, buffer, buffer_bytes);
    deed__lent();
    return filled;
}

static void *guarded_resize(void *self, void *memory, size_t old_bytes, size_t new_bytes)
{
    const struct deed_ledger *ledger = self;
    const struct deed_allocator *host = ledger->host_memory;
    deed__lend(ledger, DEED__NO_CALLS);
    void *made = host->resize(host->self, memory, old_bytes, new_bytes);
    deed__lent();
    return made;
}

void deed__guard_sources(struct deed_ledger *ledger)
{
    ledger->host_clock = ledger->clock;
    ledger->host_random = ledger->random;
    ledger->host_memory = ledger->memory;
    ledger->guarded_clock = (struct deed_clock){sizeof(struct deed_clock), ledger, guarded_now};
    ledger->guarded_random = (struct deed_random){sizeof(struct deed_random), ledger, guarded_fill};
    ledger->guarded_memory =
        (struct deed_allocator){sizeof(struct deed_allocator), ledger, guarded_resize};
    ledger->clock = &ledger->guarded_clock;
    ledger->random = &ledger->guarded_random;
    ledger->memory = &ledger->guarded_memory;
}
