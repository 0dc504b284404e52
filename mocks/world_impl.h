/* SPDX-License-Identifier: MIT
 *
 * world_impl.h - the world in memory: what its lines add up to. Written by world_fold.c alone, which
 * reads lines; so a world that was replayed and one that was lived through are the same. Between the
 * two lies struct deed_mock__line; JSON is only what a file holds of it.
 */
#ifndef DEED_MOCKS_WORLD_IMPL_H
#define DEED_MOCKS_WORLD_IMPL_H

#include <pthread.h>
#include <sys/types.h>

#include <jansson.h>

#include <deed/mock/world.h>

#define DEED_MOCK__NONE            SIZE_MAX /* an index that points nowhere */
#define DEED_MOCK__HEX_BYTES       65       /* SHA-256 in hex, and NUL */
#define DEED_MOCK__REFERENCE_BYTES 32
#define DEED_MOCK__ORIGIN_WORLD    "mock.world"

/* When something that waits will land. Whichever comes first; with none, on demand only. */
struct deed_mock__landing {
    int64_t due_ms;     /* wall; DEED_FOREVER: no time */
    uint64_t due_looks; /* after so many looks at its provider key; UINT64_MAX: no number */
};

/* What still waits of a request: the request itself, its delayed copies, or both. */
struct deed_mock__waiting {
    uint64_t copies;    /* how often it is going to arrive; 0: nothing waits */
    bool accepted;      /* the provider has it and works on it; otherwise it is still under way */
    bool rejects;       /* in the end it is refused for good */
    bool never;         /* it waits for ever: left out by whatever lands */
    bool keyed;         /* the provider compares keys when it arrives, */
    int64_t window_ms;  /* and then keeps this one for so long */
    bool ignores_close; /* the provider lies: a closed key stops nothing */
    struct deed_mock__landing landing;
};

struct deed_mock__request {
    size_t key;      /* index of its action key */
    size_t slot;     /* index of its slot */
    size_t previous; /* the one before it in the slot, or DEED_MOCK__NONE */
    uint32_t attempt;
    char digest[DEED_MOCK__HEX_BYTES];
    uint64_t bytes_count;
    char step[24];
    deed_world_fate fate;
    uint64_t effects;
    uint64_t first_effect; /* number; 0: none */
    int64_t sent_ms;
    int64_t landed_ms;
    struct deed_mock__waiting waiting;
};

struct deed_mock__effect {
    size_t request;  /* index */
    size_t previous; /* the one before it in the slot, or DEED_MOCK__NONE */
    int64_t landed_ms;
};

/* Texts are places in the list `texts` of the world, so that a world is copied block by block. */
struct deed_mock__action {
    size_t key;
    uint64_t hash; /* of the key */
    struct deed_world_counts counts;
};

/* What the provider keeps under one key: the answer to the request that first came with it. */
struct deed_mock__kept {
    bool known;
    int64_t since_ms;
    int64_t window_ms;
    size_t request; /* index; its fate is the answer, unless an error was stored */
    bool is_error;
    deed_verdict verdict; /* of the error */
};

/* One provider key at one account of one endpoint. */
struct deed_mock__slot {
    size_t endpoint;
    size_t account;
    size_t provider_key;
    uint64_t hash;       /* of the three */
    size_t last_request; /* indexes, or DEED_MOCK__NONE */
    size_t last_effect;
    uint64_t looks; /* look-ups and polls */
    uint64_t lookups;
    uint64_t polls;
    uint64_t cancels;
    uint64_t stale; /* look-ups a replica answered that had not caught up */
    bool closed;
    struct deed_mock__kept kept;
    struct deed_world_counts counts;
};

struct deed_mock__list {
    void *items;
    size_t count;
    size_t capacity;
};

/* A hash table over a list: each cell is an index in it plus one, 0 is empty. At most half full. */
struct deed_mock__index {
    size_t *cells;
    size_t capacity; /* a power of two, or 0 */
};

struct deed_world {
    pthread_mutex_t mutex;
    char *path;   /* NULL: in memory alone; then there is no `fd` either */
    bool is_lost; /* in memory alone, and there was not enough of it */
    int fd;
    pid_t pid;     /* that opened `fd`: a lock belongs to an open file, so a child opens its own */
    off_t read_to; /* everything before is folded in */
    uint64_t lines;
    struct deed_mock__list requests; /* of struct deed_mock__request */
    struct deed_mock__list effects;  /* of struct deed_mock__effect */
    struct deed_mock__list actions;  /* of struct deed_mock__action */
    struct deed_mock__list slots;    /* of struct deed_mock__slot */
    struct deed_mock__list waiting;  /* of size_t: requests of which something waits */
    struct deed_mock__list texts;    /* of char, each text with its NUL */
    struct deed_mock__index action_index;
    struct deed_mock__index slot_index;
    uint64_t hash; /* of all lines */
    struct deed_world_counts counts;
};

struct deed_mock__place {
    const char *endpoint;
    const char *account;
    const char *provider_key;
};

/* ---- a line ------------------------------------------------------------------------------ */

enum deed_mock__happening {
    DEED_MOCK__REQUEST = 1, /* went out */
    DEED_MOCK__LAND = 2,    /* what waited of a request has landed, or turned out not to */
    DEED_MOCK__LOOK = 3,
    DEED_MOCK__POLL = 4,
    DEED_MOCK__CANCEL = 5,
};

/* What the provider keeps under the key from now on. */
struct deed_mock__keeping {
    bool given;
    int64_t window_ms;
    bool is_error;
    deed_verdict verdict; /* of the error */
};

/* One thing that happened. Texts are borrowed; members that mean nothing for it are zero. */
struct deed_mock__line {
    enum deed_mock__happening what;
    int64_t at_ms;
    uint64_t request; /* its number; of requests and landings */
    const char *key;  /* of all but landings, with `place` */
    struct deed_mock__place place;
    uint32_t attempt;
    const char *digest;
    uint64_t bytes_count;
    const char *step;
    deed_world_fate fate;
    uint64_t effects;
    uint64_t absorbed;
    uint64_t copies;
    struct deed_mock__waiting waiting;
    struct deed_mock__keeping keeps;
    const char *saw; /* of questions */
    bool is_stale;   /* of look-ups: a replica answered that has not caught up */
    bool closes;     /* of cancels */
};

static inline const char *deed_mock__text(const struct deed_world *world, size_t place)
{
    return (const char *)world->texts.items + place;
}

static inline struct deed_mock__request *deed_mock__request_at(
    const struct deed_world *world, size_t index)
{
    return (struct deed_mock__request *)world->requests.items + index;
}

static inline struct deed_mock__effect *deed_mock__effect_at(
    const struct deed_world *world, size_t index)
{
    return (struct deed_mock__effect *)world->effects.items + index;
}

static inline struct deed_mock__action *deed_mock__action_at(
    const struct deed_world *world, size_t index)
{
    return (struct deed_mock__action *)world->actions.items + index;
}

static inline struct deed_mock__slot *deed_mock__slot_at(
    const struct deed_world *world, size_t index)
{
    return (struct deed_mock__slot *)world->slots.items + index;
}

/* ---- world_file.c ------------------------------------------------------------------------ */

/* Between these two the caller is alone with the world, among threads and processes, and knows all
 * that was written. On failure there is nothing to leave. */
deed_rc deed_world__enter(struct deed_world *world, struct deed_error *err);
void deed_world__leave(struct deed_world *world);

/* Writes one line with one write(), then folds it in; in memory only the latter. */
deed_rc deed_world__append(
    struct deed_world *world, const struct deed_mock__line *line, struct deed_error *err);

/* ---- world_line.c ------------------------------------------------------------------------ */

/* JSON; NULL: no memory. */
json_t *deed_world__line_write(const struct deed_mock__line *line);
/* Borrows texts of `json`. What is missing reads as zero: folding refuses what makes no sense. */
struct deed_mock__line deed_world__line_read(const json_t *json);

/* ---- world_fold.c ------------------------------------------------------------------------ */

/* Adds what a line tells. DEED_E_SYSTEM: it is no line of a world. */
deed_rc deed_world__fold(
    struct deed_world *world, const struct deed_mock__line *line, struct deed_error *err);
void deed_world__forget(struct deed_world *world);

/* Indexes, or DEED_MOCK__NONE. */
size_t deed_world__find_slot(const struct deed_world *world, const struct deed_mock__place *place);
size_t deed_world__find_action(const struct deed_world *world, const char *key);

/* ---- world_land.c ------------------------------------------------------------------------ */

/* What happens when one more request with a known or unknown key reaches the provider. */
bool deed_mock__slot_keeps(const struct deed_mock__slot *slot, int64_t at_ms);

/* Lands all that is due: by time, in its order. The world was entered. */
deed_rc deed_world__land_due(
    struct deed_world *world, int64_t now_ms, uint64_t *landed, struct deed_error *err);
/* Lands what is due, and one more that is chosen; NULL for `choices`: none. */
deed_rc deed_world__move(struct deed_world *world, deed_choices *choices, int64_t now_ms,
    uint64_t *landed, struct deed_error *err);
/* Lands what waited for the looks that were taken at this slot. */
deed_rc deed_world__land_looked(
    struct deed_world *world, size_t slot, int64_t now_ms, struct deed_error *err);

void deed_mock__reference_text(uint64_t effect, char text_out[DEED_MOCK__REFERENCE_BYTES]);

#endif /* DEED_MOCKS_WORLD_IMPL_H */
