/* SPDX-License-Identifier: MIT
 *
 * deed/mock/world.h - what really happened outside, counted by nobody but the mocks.
 *
 * A world is a file of its own: one line of JSON for each thing that happened, only ever appended.
 * It outlives the death of every process that uses it, and no ledger writes it; whoever wants to
 * know whether an action happened once, twice or not at all asks the world, never the ledger. Tests
 * that play all processes in one, and want thousands of worlds, have them in memory.
 *
 *   processes  many may use one file; each operation takes a lock (flock) and sees all that went
 *              before. A line a killed process left incomplete never happened; it is cut off.
 *   threads    a handle may be shared by threads, and used after fork by parent and child.
 *   time       is given by whoever acts; the world reads no clock. What is late lands with the time
 *              at which it was due, however much later somebody asks.
 */
#ifndef DEED_MOCK_WORLD_H
#define DEED_MOCK_WORLD_H

#include <stdio.h>

#include <deed/base.h>
#include <deed/mock/choose.h>

DEED_BEGIN_DECLS

typedef struct deed_world deed_world; /* freed by deed_world_close */

/* What became of a request. */
typedef enum deed_world_fate {
    DEED_WORLD_LANDED = 1,   /* it took effect */
    DEED_WORLD_WAITING = 2,  /* under way, or accepted and not done: it may still take effect */
    DEED_WORLD_REFUSED = 3,  /* before acceptance; nothing was kept of it */
    DEED_WORLD_REJECTED = 4, /* accepted and refused for good */
    DEED_WORLD_ABSORBED = 5, /* its key was known: it caused nothing new */
    DEED_WORLD_BARRED = 6,   /* its key was closed before it landed */
    DEED_WORLD_FAILED = 7,   /* it came to nothing: an error, or no answer at all */
} deed_world_fate;

/* "landed", "waiting", ...; NULL for a number that is none. */
DEED_API const char *deed_world_fate_name(deed_world_fate fate);

/* Opens the world in the file `path`, which is created if there is none. Freed by
 * deed_world_close. DEED_E_SYSTEM: the file cannot be used, or holds something else. */
DEED_API DEED_MUST_CHECK deed_rc deed_world_open(
    const char *path, deed_world **world_out, struct deed_error *err);
DEED_API void deed_world_close(deed_world *world);

/* A world without a file, for the threads of one process; a child of fork has one of its own. What
 * `world` knows at the time is copied. deed_world_become makes a world in memory equal to `of`, which
 * may have a file: what happened to it alone has never happened. */
DEED_API DEED_MUST_CHECK deed_rc deed_world_new(deed_world **world_out, struct deed_error *err);
DEED_API DEED_MUST_CHECK deed_rc deed_world_copy(
    deed_world *world, deed_world **copy_out, struct deed_error *err);
DEED_API DEED_MUST_CHECK deed_rc deed_world_become(
    deed_world *world, deed_world *of, struct deed_error *err);

/* Of all that happened, in its order, with its times. UINT64_MAX: the world cannot be read. */
DEED_API uint64_t deed_world_hash(deed_world *world);

/* ---- counting ---------------------------------------------------------------------------- */

struct deed_world_counts {
    size_t size;      /* sizeof(struct deed_world_counts) */
    uint64_t sends;   /* requests that went out, refused ones too; copies are not sends */
    uint64_t effects; /* what happened, each effect by itself: 2 is a double effect */
    uint64_t refused;
    uint64_t rejected;
    uint64_t absorbed; /* requests and copies that caused nothing, because their key was known */
    uint64_t barred;   /* requests that caused nothing, because their key was closed */
    uint64_t copies;   /* requests the network delivered once more by itself */
    uint64_t waiting;  /* requests that may still take effect */
    uint64_t lookups;
    uint64_t polls;
    uint64_t closed; /* keys that were closed */
};

/* Counts for one action key or for one provider key (the other is NULL), or for all with both NULL.
 * Nothing known counts zero. */
DEED_API DEED_MUST_CHECK deed_rc deed_world_count(deed_world *world, const char *key,
    const char *provider_key, struct deed_world_counts *counts_out, struct deed_error *err);

/* The counts tests ask for most; `key` is an action key, or NULL for all. UINT64_MAX: the world
 * cannot be read. */
DEED_API uint64_t deed_world_effects(deed_world *world, const char *key);
DEED_API uint64_t deed_world_sends(deed_world *world, const char *key);
DEED_API uint64_t deed_world_provider_key_effects(deed_world *world, const char *provider_key);

/* ---- reading ----------------------------------------------------------------------------- */

/* Texts live until the visit returns. */
struct deed_world_request {
    size_t size;     /* sizeof(struct deed_world_request) */
    uint64_t number; /* 1, 2, ... in the order in which they went out */
    const char *key;
    const char *provider_key;
    const char *account;
    const char *endpoint;
    const char *bytes_digest; /* of what was received, lower-case hex */
    uint64_t bytes_count;
    uint32_t attempt; /* as the ledger numbers it */
    const char *step; /* of the script: "answer", "lose", ... */
    deed_world_fate fate;
    uint64_t effects; /* caused by it and its copies */
    int64_t sent_ms;
    int64_t landed_ms; /* of its first effect, or when it was decided later; 0: neither */
};

struct deed_world_effect {
    size_t size; /* sizeof(struct deed_world_effect) */
    uint64_t number;
    uint64_t request;      /* number of the request that caused it */
    const char *reference; /* the provider's name of it: "fx-1", "fx-2", ... */
    const char *key;
    const char *provider_key;
    const char *account;
    const char *endpoint;
    int64_t landed_ms;
};

/* Return false to stop. A visit must not call the world. */
typedef bool (*deed_world_request_visit)(void *context, const struct deed_world_request *request);
typedef bool (*deed_world_effect_visit)(void *context, const struct deed_world_effect *effect);

/* All requests, all effects, oldest first; `key` is an action key, or NULL for all. */
DEED_API DEED_MUST_CHECK deed_rc deed_world_requests_visit(deed_world *world, const char *key,
    deed_world_request_visit visit, void *context, struct deed_error *err);
DEED_API DEED_MUST_CHECK deed_rc deed_world_effects_visit(deed_world *world, const char *key,
    deed_world_effect_visit visit, void *context, struct deed_error *err);

/* Prints for people what was sent, what happened and what may still happen. */
DEED_API DEED_MUST_CHECK deed_rc deed_world_print(
    deed_world *world, FILE *out, struct deed_error *err);

/* ---- late effects ------------------------------------------------------------------------ */

/* Lands whatever was due by `now_ms`, in the order of its time. Every request, look-up and poll of
 * a mock does this first. `landed_out` (may be NULL) counts what was decided, effect or not. */
DEED_API DEED_MUST_CHECK deed_rc deed_world_deliver(
    deed_world *world, int64_t now_ms, uint64_t *landed_out, struct deed_error *err);

/* Lands, at `now_ms`, all that waits for the action key, due or not; NULL: for any key. What a
 * script says never ends goes on waiting. */
DEED_API DEED_MUST_CHECK deed_rc deed_world_land(deed_world *world, const char *key, int64_t now_ms,
    uint64_t *landed_out, struct deed_error *err);

/* One of the later moments at which something may land: lands what is due, then asks which of all
 * that waits lands now (DEED_PURPOSE_BOUNDARY), one at most. Called at each event between which the
 * place of a late one makes a difference; providers that are free (deed/mock/executor.h) call it before
 * each request and look. Nothing is asked while nothing waits. */
DEED_API DEED_MUST_CHECK deed_rc deed_world_move(deed_world *world, deed_choices *choices,
    int64_t now_ms, uint64_t *landed_out, struct deed_error *err);

DEED_END_DECLS
#endif /* DEED_MOCK_WORLD_H */
