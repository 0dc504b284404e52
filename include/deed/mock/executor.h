/* SPDX-License-Identifier: MIT
 *
 * deed/mock/executor.h - an executor whose provider does what a script says, and counts in a world
 * what really happened. Accepted by test ledgers only.
 *
 * The options are one JSON object; a member that is unknown, of the wrong type, or at odds with the
 * class of the provider is refused with its place. Durations are whole milliseconds or "forever".
 *
 *   "world"      file of the world (deed/mock/world.h); needed
 *   "class"      needed: "blind" (neither key nor look-up), "lookup" (can be asked), "keyed" (an
 *                effect per key), "keyed+lookup", "closable" (cancel bars a later effect; with
 *                "window_ms" it is keyed too, with "lookup" it can be asked too)
 *   "account"    default "acct-1"; keys and effects of one account are unknown at another
 *   "endpoint"   default "mock://provider"; the same
 *   "name", "version"   of the executor; default "mock" and the library's version
 *   "window_ms"  how long a key is kept, from its first receipt; default "forever". Afterwards the
 *                same key is a new request.
 *   "stored_errors"  true: what "reject" and "error" say without an effect is kept under the key
 *   "replay_marker"  false: stored answers are not marked as such; default true
 *   "lookup"     object: "lag_ms" (an effect is invisible for so long; default 0), "reach_ms" (and
 *                invisible again so long after it landed; default "forever"), "consistency"
 *                ("strong", "eventual", "unknown"), "stale_looks" (the first look-ups that could see
 *                an effect do not: one for "eventual"; default 0), "shows_pending" and
 *                "shows_rejected" (default true)
 *   "lying"      true: lifts what the class forbids below; keys of answers that were errors are
 *                forgotten, and a closed key stops nothing
 *
 * Scripts. Each is one step or a list; the n-th entry serves the n-th attempt (or look), the last one
 * all that follow.
 *
 *   "script"          for every key without one of its own; default {"do": "answer"}
 *   "scripts"         object: action key, or the start of one and "*", to step or list
 *   "lookup_script", "lookup_scripts", "poll_script", "cancel_script"   the same for questions
 *
 * A step is an object: "do" and, where they mean something, the others.
 *
 *   "do": "answer"       applies and says so (default)
 *         "lose"         applies; the answer is lost
 *         "unreachable"  nothing goes out, the world has no trace: not applied
 *         "refuse"       refused before acceptance: not applied
 *         "reject"       refused after acceptance: rejected for good
 *         "late"         nothing now and no answer; it arrives as "land" says
 *         "hang"         no answer before the time for it is over; with "land" it arrives later
 *         "error"        an error that says nothing, and is not kept
 *         "error_stored" an error kept under the key: replays are answered with it ("verdict":
 *                        "not_applied" (default), "rejected" or "unknown")
 *         "pending"      accepted, with a handle; done as "land" and "outcome" say
 *         "in_progress"  our key is being worked on
 *         "mismatch"     our key was used with other parameters
 *         "garbage"      applies; the executor fills in nothing ("verdict": 99 fills in a number)
 *   "effect"      whether it takes effect; default true for answer, lose, hang and garbage
 *   "lost"        true: whatever is answered is lost
 *   "land"        {"after_ms": n}, {"after_looks": n} (look-ups and polls of its key from now on),
 *                 both (the earlier one), or {"on_demand": true} (default; deed_world_land)
 *   "outcome"     of late and pending: "applied" (default), "rejected", "never"
 *   "duplicates"  so many copies are delivered by the network: absorbed where keys are known, and
 *                 further effects elsewhere. "duplicates_land", like "land": they arrive later
 *   "retry_after_ms"   the pause the provider asks for
 *   "count"       serves so many attempts; default 1
 *   "cut"         where the answer breaks off; only over HTTP (docs/reference/mock-provider.md)
 *
 * A request with a key that is known, inside its window and with the same bytes, is answered with
 * what is stored under the key, whatever its step says; with other bytes it is a mismatch. What
 * happens on the road (refuse, late, hang, lose, duplicates) happens to it all the same.
 *
 * A question's entry is a word, or {"say": word, "count": n}:
 *
 *   "truth" (default) · "fresh" (a replica that has no lag) · "error" · "incomplete" · "wrong_marker"
 *   · "wrong_digest" · "several" (counts n, default 2) · "absent", "present" (whatever happened; only
 *   a lying provider) · "lose" (cancel only: done, and the answer lost). Cancel: truth, error, lose.
 */
#ifndef DEED_MOCK_EXECUTOR_H
#define DEED_MOCK_EXECUTOR_H

#include <deed/base.h>
#include <deed/ext/executor.h>
#include <deed/mock/choose.h>
#include <deed/mock/world.h>

DEED_BEGIN_DECLS

/* Makes a mock executor. `clock` is the provider's own, borrowed, and NULL for the system's; only
 * its wall time is read. A ledger that takes the executor frees it (its member `destroy` does);
 * otherwise deed_mock_executor_free. */
DEED_API DEED_MUST_CHECK deed_rc deed_mock_executor_new(const char *options_json,
    const struct deed_clock *clock, deed_executor **executor_out, struct deed_error *err);

/* The same over a world that is open already, borrowed; the options then name none. */
DEED_API DEED_MUST_CHECK deed_rc deed_mock_executor_new_in(deed_world *world,
    const char *options_json, const struct deed_clock *clock, deed_executor **executor_out,
    struct deed_error *err);
DEED_API void deed_mock_executor_free(deed_executor *executor); /* NULL is allowed */

/* The world it counts in, borrowed. */
DEED_API deed_world *deed_mock_executor_world(const deed_executor *executor);

/* How "hang" waits. By default a mock on the system's clock sleeps, and one on a clock that was given
 * returns at once. A test that owns the clock lets it go on here, or lets others act meanwhile. */
typedef void (*deed_mock_wait)(void *context, int64_t wait_ms);
DEED_API void deed_mock_executor_wait_set(
    deed_executor *executor, deed_mock_wait wait, void *context);

/* ---- answers that are chosen --------------------------------------------------------------- */

/* What may go wrong between an executor and a provider that keeps what it declared. Append only. */
#define DEED_MOCK_FAULT_LIST(FAULT)                                                                  \
    FAULT(UNREACHABLE, "unreachable") /* nothing goes out, or it is refused before acceptance */     \
    FAULT(REJECTED, "rejected")       /* accepted and refused for good */                            \
    FAULT(LOST, "lost")               /* it is done, and the answer is lost */                       \
    FAULT(LATE, "late")               /* silence; it arrives at any later moment, or never */        \
    FAULT(DUPLICATED, "duplicated")   /* the network delivers twice, now or later (keys known) */    \
    FAULT(FAILED, "failed")           /* an error that says nothing, with or without an effect */    \
    FAULT(STORED, "stored")           /* an error that is kept under the key */                      \
    FAULT(CONFLICT, "conflict")       /* our key is in progress, or was used otherwise */            \
    FAULT(PENDING, "pending")         /* accepted; done at any later moment, refused, or never */    \
    FAULT(GARBAGE, "garbage") /* the executor fills in nothing, or a number that is none */          \
    FAULT(LAGGING, "lagging") /* a look-up that is behind: absent, present and absent */             \
    FAULT(LOOK_FAILED, "look_failed") /* a look, poll or cancel fails, or sees one page of many */   \
    FAULT(STRANGER, "stranger")       /* a look-up shows what is not ours */                         \
    /* Only where it is named, since the provider then says what is not so: another action's       \
     * reference, with our effect or without it. */ \
    FAULT(OTHER_REFERENCE, "other_reference")

typedef enum deed_mock_fault {
#define DEED_MOCK_FAULT_ENUM(ident, name) DEED_MOCK_FAULT_##ident,
    DEED_MOCK_FAULT_LIST(DEED_MOCK_FAULT_ENUM)
#undef DEED_MOCK_FAULT_ENUM
    DEED_MOCK_FAULT_COUNT
} deed_mock_fault;

/* "late"; NULL past the last one. */
DEED_API const char *deed_mock_fault_name(deed_mock_fault fault);

/* What a provider is free to do, each time it is asked (DEED_PURPOSE_BOUNDARY; the harmless answer
 * is a good one, and the truth). Never more than its class allows. What is on its way lands where
 * deed_world_move says, at the latest after `late_ms`. */
struct deed_mock_freedom {
    size_t size;           /* sizeof(struct deed_mock_freedom) */
    deed_choices *choices; /* borrowed; NULL: it does nothing wrong */
    uint32_t faults;       /* bits 1 << deed_mock_fault; 0: all, but those that have to be named */
    uint32_t faults_most;  /* so many at most; 0: no limit */
    uint32_t faults_done;  /* counted by the mock; set to 0 for a new run */
    int64_t late_ms;       /* 0: 5 s. DEED_FOREVER: until deed_world_land */
    uint64_t met[DEED_MOCK_FAULT_COUNT]; /* counted by the mock: how often each was chosen */
};

/* From now on the provider does what is chosen, and not what its script says. `freedom` is borrowed
 * and may be changed between two calls of the executor; NULL: the script again. Before the executor
 * is registered, since one that may be "pending" can be polled. */
DEED_API DEED_MUST_CHECK deed_rc deed_mock_executor_freedom_set(
    deed_executor *executor, struct deed_mock_freedom *freedom, struct deed_error *err);

DEED_END_DECLS
#endif /* DEED_MOCK_EXECUTOR_H */
