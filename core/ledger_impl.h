/* SPDX-License-Identifier: MIT
 *
 * struct deed_ledger, and the way every call goes: read the clock, hand the store an operation,
 * answer after the commit. What always holds: nothing in here but `suspect` and `asked` changes after the
 * ledger is open and its executors are registered, so that threads share it without a lock. Whatever
 * is foreign (store, executor, visit, trace, clock, ...) is called between deed__lend and deed__lent.
 */
#ifndef DEED_CORE_LEDGER_IMPL_H
#define DEED_CORE_LEDGER_IMPL_H

#include <stdatomic.h>

#include <deed/ext/error.h>
#include <deed/ext/store.h>
#include <deed/ledger.h>
#include <deed/seam.h>

#include "asked.h"
#include "verifier.h"

struct deed__registration {
    struct deed__registration *next;
    char *kind;
    deed_executor *given;    /* as it was taken, to be destroyed */
    deed_executor *executor; /* the same; `face` if it is too small for all that is called */
    deed_executor face;
    struct deed_profile profile; /* with its defaults filled in */
};

struct deed_ledger {
    struct deed_store *store;
    const struct deed_clock *clock;
    const struct deed_random *random;
    const struct deed_allocator *memory;
    const struct deed_trace *trace;
    const char *actor;
    int64_t owner;    /* number of this handle, for the owner's lock; 0 on a read-only store */
    bool initialised; /* false: the fixture's table, not migrated; it can be read */
    bool test;
    char name[DEED_NAME_BYTES_MAX + 1];
    struct deed__registration *registrations;
    struct deed__verifier_entry *verifiers;
    /* A commit had an unknown fate and the store was not recovered since: every call tries that
     * first. */
    atomic_bool *suspect;
    struct deed__asked *asked; /* has a lock of its own */
    uint64_t process;          /* that opened it */
    /* Clock, randomness and memory above are ours, and lend control to those of the host. */
    const struct deed_clock *host_clock;
    const struct deed_random *host_random;
    const struct deed_allocator *host_memory;
    struct deed_clock guarded_clock;
    struct deed_random guarded_random;
    struct deed_allocator guarded_memory;
};

/* Clock, randomness, memory, trace and actor of the options, or what the machine offers. */
void deed__take_options(struct deed_ledger *ledger, const struct deed_options *options);

/* What every call does first; see `suspect`. */
deed_rc deed__store_trusted(const struct deed_ledger *ledger, struct deed_error *err);
/* Recovers the store after a commit of unknown fate; remembers if that failed. */
deed_rc deed__store_recover(const struct deed_ledger *ledger, struct deed_error *err);

/* Runs one operation that only reads, outside of any case. */
deed_rc deed__read(const struct deed_ledger *ledger,
    deed_rc (*run)(void *context, deed_tx *tx, struct deed_error *err), void *context,
    struct deed_error *err);
/* The same for one that looks at one case and calls nobody outside (DEED_OP_BRIEF). */
deed_rc deed__read_brief(const struct deed_ledger *ledger,
    deed_rc (*run)(void *context, deed_tx *tx, struct deed_error *err), void *context,
    struct deed_error *err);

/* Allocation; `old_bytes` as in deed_allocator. */
void *deed__alloc(const struct deed_ledger *ledger, size_t bytes);
void deed__free(const struct deed_ledger *ledger, void *memory, size_t bytes);

void deed__trace(
    const struct deed_ledger *ledger, const char *what, const char *key, const char *text);

/* Refuses about one key: fills err with code, key, text and, if not NULL, the next command. */
deed_rc deed__refuse(struct deed_error *err, deed_rc rc, const char *key, const char *next,
    const char *format, ...) DEED_PRINTF(5, 6);

/* "deed COMMAND KEY", so that it runs as it stands: a key may begin with a dash. */
void deed__next_command(char *next_out, size_t next_bytes, const char *command, const char *key);

/* Refuses a call that got NULL where it needs something. */
deed_rc deed__misuse(struct deed_error *err, const char *call);

deed_rc deed__now(
    const struct deed_ledger *ledger, struct deed_instant *now_out, struct deed_error *err);

/* NULL if no executor serves this kind. */
const struct deed__registration *deed__registration_of(
    const struct deed_ledger *ledger, struct deed_text kind);
/* The executor of this name, whatever kinds it serves; NULL if there is none. */
const struct deed__registration *deed__registration_named(
    const struct deed_ledger *ledger, struct deed_text kind, const char *executor);

/* Frees what was registered; destroys every executor, once, unless they are the parent's. */
void deed__registrations_free(struct deed_ledger *ledger, bool destroy_executors);

/* Profile with every default filled in; `profile` may be NULL. */
deed_rc deed__profile_fill(
    struct deed_profile *filled_out, const struct deed_profile *profile, struct deed_error *err);

#endif
