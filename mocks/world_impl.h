/* SPDX-License-Identifier: MIT
 *
 * world_impl.h - the world in memory: what its lines add up to. Written by world_fold.c alone, which
 * reads lines; so a world that was replayed and one that was lived through are the same.
 */
#ifndef DEED_MOCKS_WORLD_IMPL_H
#define DEED_MOCKS_WORLD_IMPL_H

#include <pthread.h>
#include <sys/types.h>

#include <jansson.h>

#include <deed/mock/world.h>

#define DEED__NONE            SIZE_MAX /* an index that points nowhere */
#define DEED__HEX_BYTES       65       /* SHA-256 in hex, and NUL */
#define DEED__REFERENCE_BYTES 32
#define DEED__ORIGIN_WORLD    "mock.world"

/* When something that waits will land. Whichever comes first; with none, on demand only. */
struct deed__landing {
    int64_t due_ms;     /* wall; DEED_FOREVER: no time */
    uint64_t due_looks; /* after so many looks at its provider key; UINT64_MAX: no number */
};

/* What still waits of a request: the request itself, its delayed copies, or both. */
struct deed__waiting {
    uint64_t copies;    /* how often it is going to arrive; 0: nothing waits */
    bool accepted;      /* the provider has it and works on it; otherwise it is still under way */
    bool rejects;       /* in the end it is refused for good */
    bool never;         /* it waits for ever: left out by whatever lands */
    bool keyed;         /* the provider compares keys when it arrives, */
    int64_t window_ms;  /* and then keeps this one for so long */
    bool ignores_close; /* the provider lies: a closed key stops nothing */
    struct deed__landing landing;
};

struct deed__request {
    size_t key;      /* index of its action key */
    size_t slot;     /* index of its slot */
    size_t previous; /* the one before it in the slot, or DEED__NONE */
    uint32_t attempt;
    char digest[DEED__HEX_BYTES];
    uint64_t bytes_count;
    char step[24];
    deed_world_fate fate;
    uint64_t effects;
    uint64_t first_effect; /* number; 0: none */
    int64_t sent_ms;
    int64_t landed_ms;
    struct deed__waiting waiting;
};

struct deed__effect {
    size_t request;  /* index */
    size_t previous; /* the one before it in the slot, or DEED__NONE */
    int64_t landed_ms;
};

struct deed__action {
    char *key;
    struct deed_world_counts counts;
};

/* What the provider keeps under one key: the answer to the request that first came with it. */
struct deed__kept {
    bool known;
    int64_t since_ms;
    int64_t window_ms;
    size_t request; /* index; its fate is the answer, unless an error was stored */
    bool is_error;
    deed_verdict verdict; /* of the error */
};

/* One provider key at one account of one endpoint. */
struct deed__slot {
    char *endpoint;
    char *account;
    char *provider_key;
    size_t last_request; /* indexes, or DEED__NONE */
    size_t last_effect;
    uint64_t looks; /* look-ups and polls */
    uint64_t lookups;
    uint64_t polls;
    uint64_t cancels;
    uint64_t stale; /* look-ups a replica answered that had not caught up */
    bool closed;
    struct deed__kept kept;
    struct deed_world_counts counts;
};

struct deed__list {
    void *items;
    size_t count;
    size_t capacity;
};

struct deed_world {
    pthread_mutex_t mutex;
    char *path;
    int fd;
    pid_t pid;     /* that opened `fd`: a lock belongs to an open file, so a child opens its own */
    off_t read_to; /* everything before is folded in */
    uint64_t lines;
    struct deed__list requests; /* of struct deed__request */
    struct deed__list effects;  /* of struct deed__effect */
    struct deed__list actions;  /* of struct deed__action */
    struct deed__list slots;    /* of struct deed__slot */
    struct deed__list waiting;  /* of size_t: requests of which something waits */
    json_t *action_index;       /* jansson's object is the hash table: name -> index */
    json_t *slot_index;
    struct deed_world_counts counts;
};

struct deed__place {
    const char *endpoint;
    const char *account;
    const char *provider_key;
};

static inline struct deed__request *deed__request_at(const struct deed_world *world, size_t index)
{
    return (struct deed__request *)world->requests.items + index;
}

static inline struct deed__effect *deed__effect_at(const struct deed_world *world, size_t index)
{
    return (struct deed__effect *)world->effects.items + index;
}

static inline struct deed__action *deed__action_at(const struct deed_world *world, size_t index)
{
    return (struct deed__action *)world->actions.items + index;
}

static inline struct deed__slot *deed__slot_at(const struct deed_world *world, size_t index)
{
    return (struct deed__slot *)world->slots.items + index;
}

/* ---- world_file.c ------------------------------------------------------------------------ */

/* Between these two the caller is alone with the world, among threads and processes, and knows all
 * that was written. On failure there is nothing to leave. */
deed_rc deed__world_enter(struct deed_world *world, struct deed_error *err);
void deed__world_leave(struct deed_world *world);

/* Writes one line with one write(), then folds it in. Takes `line`, which may be NULL (no memory). */
deed_rc deed__world_append(struct deed_world *world, json_t *line, struct deed_error *err);

/* ---- world_fold.c ------------------------------------------------------------------------ */

/* Adds what a line tells. DEED_E_SYSTEM: it is no line of a world. */
deed_rc deed__world_fold(struct deed_world *world, const json_t *line, struct deed_error *err);
void deed__world_forget(struct deed_world *world);

/* Indexes, or DEED__NONE. */
size_t deed__world_find_slot(const struct deed_world *world, const struct deed__place *place);
size_t deed__world_find_action(const struct deed_world *world, const char *key);

/* ---- world_land.c ------------------------------------------------------------------------ */

/* What happens when one more request with a known or unknown key reaches the provider. */
bool deed__slot_keeps(const struct deed__slot *slot, int64_t at_ms);

/* Lands all that is due: by time, in its order. The world was entered. */
deed_rc deed__world_land_due(
    struct deed_world *world, int64_t now_ms, uint64_t *landed, struct deed_error *err);
/* Lands what waited for the looks that were taken at this slot. */
deed_rc deed__world_land_looked(
    struct deed_world *world, size_t slot, int64_t now_ms, struct deed_error *err);

void deed__reference_text(uint64_t effect, char text_out[DEED__REFERENCE_BYTES]);

#endif /* DEED_MOCKS_WORLD_IMPL_H */
