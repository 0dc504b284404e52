/* SPDX-License-Identifier: MIT
 *
 * http_client.h - one request on one connection of its own, and what is known afterwards.
 */
#ifndef DEED_MOCKS_HTTP_CLIENT_H
#define DEED_MOCKS_HTTP_CLIENT_H

#include <sys/socket.h>

#include "http/http_message.h"

#define DEED__HTTP_ANSWER_BYTES_MAX 65536

struct deed__http_peer {
    struct sockaddr_storage address;
    socklen_t address_bytes;
    char host[40]; /* for the header Host */
};

/* "http://127.0.0.1:8080", also with one slash at its end. NULL: it is good; else what is wrong. */
const char *deed__http_peer_read(const char *url, struct deed__http_peer *peer_out);

struct deed__http_exchange {
    const char *method;
    const char *path;
    const char *name; /* appended to the path */
    const char *key;  /* Idempotency-Key */
    const void *body; /* NULL: none */
    size_t body_bytes;
    int64_t limit_ms; /* for all of it */
    /* Asked after the connection stands and before the first byte; NULL: nobody is asked. */
    bool (*may_send)(void *gate);
    void *gate;
    /* What came of it. */
    bool sent;  /* a byte may have gone out */
    bool whole; /* the answer was read whole */
    struct deed__http_answer_head head;
    char answer[DEED__HTTP_HEAD_BYTES_MAX + DEED__HTTP_ANSWER_BYTES_MAX + 1];
    size_t answer_bytes;
};

void deed__http_exchange_run(
    const struct deed__http_peer *peer, struct deed__http_exchange *exchange);
/* Of a whole answer; ends with NUL. */
const char *deed__http_exchange_body(const struct deed__http_exchange *exchange);

#endif /* DEED_MOCKS_HTTP_CLIENT_H */
