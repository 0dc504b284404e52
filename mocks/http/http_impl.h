/* SPDX-License-Identifier: MIT
 *
 * http_impl.h - the provider over HTTP, inside: its connections, what it answers, what it notes.
 */
#ifndef DEED_MOCKS_HTTP_IMPL_H
#define DEED_MOCKS_HTTP_IMPL_H

#include <jansson.h>

#include "http/http_message.h"
#include "http/http_provider.h"
#include "provider.h"

#define DEED__HTTP_ORIGIN          "mock.http"
#define DEED__HTTP_CONNECTIONS_MAX 64
#define DEED__HTTP_REQUEST_MS      10000 /* from connect to the last byte of a request */
#define DEED__HTTP_ANSWER_MS       10000 /* to take an answer */
#define DEED__HTTP_LINGER_MS       2000  /* to read what a client still sends that was refused */
#define DEED__HTTP_EVENTS_MAX      100000

/* What is sent back, and where it breaks off. */
struct deed__http_answer {
    char *bytes; /* head and body; NULL: nothing */
    size_t bytes_count;
    size_t head_bytes;
    size_t send_count; /* so many are sent; less than all: it is cut */
    size_t sent;
    bool hangs;  /* nothing is sent, and the connection stays open */
    bool resets; /* closed by a reset, not by an end */
    bool noted;  /* it is the answer to a request or a question: its events are told */
};

enum deed__http_phase {
    DEED__HTTP_FREE,
    DEED__HTTP_READING,
    DEED__HTTP_ANSWERING,
    DEED__HTTP_HANGING,
    DEED__HTTP_LINGERING, /* answered before it was read whole: the rest is read and dropped */
};

struct deed__http_connection {
    enum deed__http_phase phase;
    int fd;
    bool is_control;
    bool continued;      /* 100 Continue was said */
    int64_t deadline_ms; /* monotonic; DEED_FOREVER: none */
    char *in;
    size_t in_bytes;
    size_t in_capacity;
    struct deed__http_request request;
    char name[DEED__HTTP_NAME_BYTES_MAX + 1]; /* NAME that the request is about; "": none */
    struct deed__http_answer answer;
    bool read_whole;
};

struct deed__http_listener {
    int fd; /* -1: closed */
    uint16_t port;
    char url[40];
};

struct deed__http_note {
    enum deed__http_event_kind kind;
    char *name;
    char *key;
    const char *method;
    int64_t at_ms;
};

struct deed__http_provider {
    struct deed_mock__provider rules;
    json_t *options; /* what `rules` was read from */
    struct deed_world *world;
    bool world_given;
    char *world_path; /* of a world that is ours; NULL: somebody else's */
    const struct deed_clock *clock;
    deed__http_watch watch;
    void *watch_context;
    struct deed__http_listener effects;
    struct deed__http_listener control;
    struct deed__http_connection connections[DEED__HTTP_CONNECTIONS_MAX];
    json_t *attempts;      /* NAME -> requests since the scripts began */
    uint64_t effects_seen; /* effects of the world that were told of */
    struct deed__http_note *notes;
    size_t notes_count;
    size_t notes_capacity;
    uint64_t events; /* so many were told, kept or not */
};

/* ---- http_server.c: sockets -------------------------------------------------------------- */

deed_rc deed__http_listen(struct deed__http_listener *listener, struct deed_error *err);
void deed__http_close(struct deed__http_connection *connection);
bool deed__http_now(const struct deed__http_provider *provider, struct deed_instant *now_out);

/* ---- http_connection.c: one connection ---------------------------------------------------- */

/* Something arrived, or there is room again to send. */
void deed__http_connection_serve(struct deed__http_provider *provider,
    struct deed__http_connection *connection, const struct deed_instant *now);
/* Its time is over. */
void deed__http_connection_expire(struct deed__http_provider *provider,
    struct deed__http_connection *connection, const struct deed_instant *now);

/* ---- http_effects.c, http_control.c: what is answered -------------------------------------- */

/* `connection->request` is whole, and its body lies behind its head. Fills `connection->answer`. */
void deed__http_effects_answer(
    struct deed__http_provider *provider, struct deed__http_connection *connection, int64_t now_ms);
void deed__http_control_answer(
    struct deed__http_provider *provider, struct deed__http_connection *connection);

/* ---- http_answer.c ------------------------------------------------------------------------ */

/* Takes `body`, which may be NULL (no memory). `header` is "" or whole lines with CR LF. */
void deed__http_say(struct deed__http_answer *answer, int status, const char *header, json_t *body);
/* The same with a body that is no JSON. */
void deed__http_say_text(
    struct deed__http_answer *answer, int status, const char *header, const char *text);
/* {"error": text} */
void deed__http_say_wrong(struct deed__http_answer *answer, int status, const char *text);
void deed__http_cut(struct deed__http_answer *answer, enum deed_mock__cut cut);
void deed__http_answer_finish(struct deed__http_answer *answer);

/* ---- http_events.c ------------------------------------------------------------------------ */

/* Tells the watch, and keeps it for GET /events. */
void deed__http_tell(struct deed__http_provider *provider, enum deed__http_event_kind kind,
    const char *name, const char *key, const char *method, int64_t at_ms);
/* Tells of the effects that landed since. */
void deed__http_tell_landed(struct deed__http_provider *provider);
void deed__http_forget_events(struct deed__http_provider *provider);
json_t *deed__http_events_json(const struct deed__http_provider *provider, uint64_t after);

const char *deed__http_method_word(enum deed__http_method method);

#endif /* DEED_MOCKS_HTTP_IMPL_H */
