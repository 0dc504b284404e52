/* SPDX-License-Identifier: MIT
 *
 * http_provider.h - a provider of a class behind HTTP/1.1 on loopback, as a part of a process.
 *
 * One thread drives it: nothing happens except inside deed__http_provider_step and the calls below.
 * What the provider does is told by the functions of provider.h, over a world; this file is the road
 * to it. The action key of the world is the NAME of POST /effects/NAME. The protocol, the faults and
 * the control port are described in docs/reference/mock-provider.md.
 */
#ifndef DEED_MOCKS_HTTP_PROVIDER_H
#define DEED_MOCKS_HTTP_PROVIDER_H

#include <poll.h>

#include <jansson.h>

#include <deed/base.h>
#include <deed/mock/world.h>

/* The places between two things that happen outside. A process that is killed at one of them sees
 * everything before it as done and nothing after it. In the order of event_words (http_events.c). */
enum deed__http_event_kind {
    DEED__HTTP_REQUEST_READ,    /* a POST was read whole, and nothing was done */
    DEED__HTTP_REFUSED,         /* it caused nothing: refused, rejected, failed; not answered yet */
    DEED__HTTP_ACCEPTED,        /* it waits, on its way or accepted; not answered yet */
    DEED__HTTP_ABSORBED,        /* its key was known, so it caused nothing new; not answered yet */
    DEED__HTTP_EFFECT,          /* it took effect; not answered yet */
    DEED__HTTP_DUPLICATE,       /* the network delivered one copy of it; not answered yet */
    DEED__HTTP_ANSWER_BEGUN,    /* the first byte of the answer to a POST is out */
    DEED__HTTP_ANSWER_DONE,     /* and the last one */
    DEED__HTTP_LOOKUP_READ,     /* a question (GET, DELETE) was read whole, and not answered */
    DEED__HTTP_LOOKUP_ANSWERED, /* the last byte of its answer is out */
    DEED__HTTP_LANDED,          /* an effect that was late has happened */
};

/* "request_read", ...; NULL for a number that is none. */
const char *deed__http_event_word(enum deed__http_event_kind kind);

/* Texts live until the watch returns. */
struct deed__http_event {
    uint64_t number; /* 1, 2, ... since the start or the last reset */
    enum deed__http_event_kind kind;
    const char *name;   /* NAME */
    const char *key;    /* Idempotency-Key; "": the client sent none */
    const char *method; /* "POST", "GET", "DELETE"; "" for LANDED */
    int64_t at_ms;      /* wall */
};

/* Called at the event itself: the next thing happens after it returns. It may kill the client. It
 * must not call the provider. */
typedef void (*deed__http_watch)(void *context, const struct deed__http_event *event);

struct deed__http_options {
    /* The object of deed/mock/executor.h; "world" only where `world` is NULL. Beside its steps,
     * "cut" says where an answer breaks off (docs/reference/mock-provider.md). */
    const char *options_json;
    deed_world *world; /* borrowed; NULL: the file that the options name */
    uint16_t port;     /* 0: any */
    bool controlled;   /* open the control port too */
    uint16_t control_port;
    const struct deed_clock *clock; /* borrowed; NULL: the system's */
    deed__http_watch watch;         /* may be NULL */
    void *watch_context;
};

struct deed__http_provider; /* freed by deed__http_provider_stop */

/* Listens on 127.0.0.1 when it returns. */
DEED_MUST_CHECK deed_rc deed__http_provider_start(const struct deed__http_options *options,
    struct deed__http_provider **provider_out, struct deed_error *err);
/* Closes every connection as it is. NULL is allowed. */
void deed__http_provider_stop(struct deed__http_provider *provider);

/* "http://127.0.0.1:PORT", without a slash at the end. */
const char *deed__http_provider_url(const struct deed__http_provider *provider);
const char *deed__http_provider_control_url(
    const struct deed__http_provider *provider); /* NULL: there is none */
deed_world *deed__http_provider_world(const struct deed__http_provider *provider);

/* Waits for at most `timeout_ms` of real time (-1: for ever, 0: not at all) until a connection or one
 * of `extra` has something, serves what is there and returns. `extra` gets its revents, as from
 * poll(); a signal ends the wait early. Only an error of the system itself is one: no client can cause
 * it. */
DEED_MUST_CHECK deed_rc deed__http_provider_step(struct deed__http_provider *provider,
    int timeout_ms, struct pollfd *extra, size_t extra_count, struct deed_error *err);

/* Connections that are open, also those that hang. */
size_t deed__http_provider_open_count(const struct deed__http_provider *provider);

/* Counts for one NAME, or NULL: for all. The same as deed_world_count on its world. */
DEED_MUST_CHECK deed_rc deed__http_provider_counts(struct deed__http_provider *provider,
    const char *name, struct deed_world_counts *counts_out, struct deed_error *err);

/* {"total": {"sends": ...}, "names": {NAME: {...}}}, freed by json_decref. */
DEED_MUST_CHECK deed_rc deed__http_provider_counts_json(
    struct deed__http_provider *provider, json_t **counts_out, struct deed_error *err);

/* Lands what is late, due or not, for one NAME or (NULL) for all; an event for each effect. */
DEED_MUST_CHECK deed_rc deed__http_provider_land(struct deed__http_provider *provider,
    const char *name, uint64_t *landed_out, struct deed_error *err);

/* Other scripts from now on: an object of "script", "scripts", "lookup_script", "lookup_scripts",
 * "poll_script" and "cancel_script", as in the options; those it does not name stay. The steps of
 * requests begin anew. Refused as a whole, or taken as a whole. */
DEED_MUST_CHECK deed_rc deed__http_provider_script(
    struct deed__http_provider *provider, const char *scripts_json, struct deed_error *err);

/* An empty world: nothing was sent, nothing happened, events count from 1. Refused (DEED_E_MISUSE)
 * where the world is somebody else's. */
DEED_MUST_CHECK deed_rc deed__http_provider_reset(
    struct deed__http_provider *provider, struct deed_error *err);

/* Closes the listening socket, so that a connect is refused by the system; or opens it again, at the
 * same port. */
DEED_MUST_CHECK deed_rc deed__http_provider_listen(
    struct deed__http_provider *provider, bool open, struct deed_error *err);

#endif /* DEED_MOCKS_HTTP_PROVIDER_H */
