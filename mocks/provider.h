/* SPDX-License-Identifier: MIT
 *
 * provider.h - how a provider of a class behaves, over a world; whatever the road that leads to it.
 */
#ifndef DEED_MOCKS_PROVIDER_H
#define DEED_MOCKS_PROVIDER_H

#include <deed/ext/executor.h>
#include <deed/mock/executor.h>
#include <deed/mock/world.h>

#include "mock_script.h"
#include "world_impl.h"

struct deed_mock__provider {
    char *world_path; /* NULL: somebody else's world */
    char *name;
    char *version;
    char *account;
    char *endpoint;
    bool keyed;    /* an effect per key, as long as the window lasts */
    bool looks;    /* can be asked by key */
    bool closable; /* can bar a later effect under a key */
    bool polls;    /* can be asked by handle */
    bool lying;
    bool stores_errors; /* what it rejects or fails to do, it keeps under the key */
    bool marks_replays; /* says which answers are stored ones */
    int64_t window_ms;
    int64_t lag_ms;
    int64_t reach_ms;
    deed_consistency consistency;
    uint64_t stale_looks; /* the first look-ups that could see it are answered by a lazy replica */
    bool shows_pending;
    bool shows_rejected;
    struct deed_mock__script steps; /* for keys without a script of their own */
    struct deed_mock__scripts steps_by_key;
    struct deed_mock__script lookups;
    struct deed_mock__scripts lookups_by_key;
    struct deed_mock__script polls_script;
    struct deed_mock__script cancels;
    struct deed_mock_freedom *freedom; /* NULL: as the scripts say */
};

/* "blind", "lookup", ... in the order of deed_provider_class; ends with NULL. */
extern const char *const deed_mock__class_words[];

/* The road to the provider. */
struct deed_mock__road {
    bool world_given; /* the options name none */
    bool http;        /* an answer may be cut, and any accepted request is polled */
};

/* Reads options (deed/mock/executor.h says which). Finish it whatever comes back. */
deed_rc deed_mock__provider_read(const char *options_json, struct deed_mock__road road,
    struct deed_mock__provider *out, struct deed_error *err);
void deed_mock__provider_finish(struct deed_mock__provider *provider);

struct deed_mock__arrival {
    const char *key;
    const char *provider_key;
    uint32_t attempt;
    const void *bytes;
    size_t bytes_count;
    const struct deed_mock__step *step;
    int64_t now_ms;
};

/* What the provider says to a request, whether or not anybody hears it. */
struct deed_mock__reply {
    deed_verdict verdict;
    bool stored; /* the answer to the key's first request */
    bool pending;
    deed_key_signal key_signal;
    uint64_t effect;    /* number; 0: none */
    uint64_t operation; /* number of the accepted request; 0: none */
    bool new_effect;    /* the world changed by this request, now */
    const char *status; /* in a word */
    deed_world_fate fate;
    char digest[DEED_MOCK__HEX_BYTES]; /* of the bytes that arrived */
};

/* A request arrives, or sets out to. One line in the world tells all that comes of it at once. */
deed_rc deed_mock__provider_receive(struct deed_world *world,
    const struct deed_mock__provider *provider, const struct deed_mock__arrival *arrival,
    struct deed_mock__reply *reply_out, struct deed_error *err);

/* What is told to a question, and of which request: a road that cannot compare for the one who asks
 * tells key and digest, and the other end compares. */
struct deed_mock__told {
    struct deed_finding finding;
    bool lost;                                     /* it was done, and nobody hears of it */
    char provider_key[DEED_ADDRESS_BYTES_MAX + 1]; /* "": of no request; cut to this */
    char digest[DEED_MOCK__HEX_BYTES];             /* the same */
};

/* Each fills `told_out` whatever comes back; an error leaves the finding "nothing". A question without
 * a provider key is about the action key, under whatever key it was sent. */
deed_rc deed_mock__provider_look(struct deed_world *world,
    const struct deed_mock__provider *provider, const struct deed_question *question,
    int64_t now_ms, struct deed_mock__told *told_out, struct deed_error *err);
deed_rc deed_mock__provider_poll(struct deed_world *world,
    const struct deed_mock__provider *provider, const struct deed_question *question,
    int64_t now_ms, struct deed_mock__told *told_out, struct deed_error *err);
deed_rc deed_mock__provider_cancel(struct deed_world *world,
    const struct deed_mock__provider *provider, const struct deed_question *question,
    int64_t now_ms, struct deed_mock__told *told_out, struct deed_error *err);

/* ---- provider_choose.c ------------------------------------------------------------------- */

/* The step of a provider that is free. `other_out`: another action's reference is told instead. */
struct deed_mock__step deed_mock__choose_step(
    const struct deed_mock__provider *provider, bool *other_out);

enum deed_mock__asking {
    DEED_MOCK__ASKS_LOOKUP,
    DEED_MOCK__ASKS_POLL,
    DEED_MOCK__ASKS_CANCEL
};
/* What a provider that is free makes of the truth. */
struct deed_mock__saying deed_mock__choose_saying(
    const struct deed_mock__provider *provider, enum deed_mock__asking asking);
/* Who says at what moments the world moves on; NULL: nobody. */
deed_choices *deed_mock__choices_of(const struct deed_mock__provider *provider);

struct deed_mock__place deed_mock__provider_place(
    const struct deed_mock__provider *provider, const char *provider_key);

/* What stands for the provider key of a request that brought none. */
#define DEED_MOCK__KEYLESS_BYTES 300
void deed_mock__keyless_text(const char *key, char text_out[DEED_MOCK__KEYLESS_BYTES]);

/* The text of a handle ("op-7") and back; 0: it is none. */
#define DEED_MOCK__HANDLE_BYTES 32
void deed_mock__handle_text(uint64_t operation, char text_out[DEED_MOCK__HANDLE_BYTES]);
uint64_t deed_mock__handle_number(const char *text);

#endif /* DEED_MOCKS_PROVIDER_H */
