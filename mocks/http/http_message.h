/* SPDX-License-Identifier: MIT
 *
 * http_message.h - HTTP/1.1 messages as far as a mock needs them: one request and one answer for each
 * connection, a body of a length that was announced. What is beyond that is refused by name, so that
 * a client is not surprised by half of it.
 */
#ifndef DEED_MOCKS_HTTP_MESSAGE_H
#define DEED_MOCKS_HTTP_MESSAGE_H

#include <deed/base.h>

#define DEED__HTTP_HEAD_BYTES_MAX 16384
#define DEED__HTTP_BODY_BYTES_MAX DEED_ENCODED_BYTES_MAX
#define DEED__HTTP_NAME_BYTES_MAX 200 /* NAME in /effects/NAME */
#define DEED__HTTP_KEY_BYTES_MAX  255 /* Idempotency-Key */
#define DEED__HTTP_PATH_BYTES_MAX 1000

enum deed__http_method {
    DEED__HTTP_OTHER,
    DEED__HTTP_GET,
    DEED__HTTP_POST,
    DEED__HTTP_DELETE,
};

struct deed__http_request {
    enum deed__http_method method;
    char path[DEED__HTTP_PATH_BYTES_MAX + 1]; /* without the query */
    char query[DEED__HTTP_PATH_BYTES_MAX + 1];
    char key[DEED__HTTP_KEY_BYTES_MAX + 1]; /* Idempotency-Key without quotes; "": none */
    bool expects_continue;
    size_t head_bytes;
    size_t body_bytes;
};

/* What the bytes so far are. */
enum deed__http_progress {
    DEED__HTTP_MORE,  /* the beginning of a message */
    DEED__HTTP_WHOLE, /* its head is whole */
    DEED__HTTP_WRONG, /* no message that is taken; the refusal says why */
};

struct deed__http_refusal {
    int status;
    const char *text;
};

/* Reads the head of a request. Reads no byte behind it. */
enum deed__http_progress deed__http_request_read(const char *bytes, size_t bytes_count,
    struct deed__http_request *request_out, struct deed__http_refusal *refusal_out);

struct deed__http_answer_head {
    int status;
    bool replayed;       /* Idempotency-Replayed: true */
    int64_t retry_after; /* seconds; 0: none was named */
    size_t head_bytes;
    size_t body_bytes;
};

/* Reads the head of an answer; one without a Content-Length is none. */
enum deed__http_progress deed__http_answer_read(
    const char *bytes, size_t bytes_count, struct deed__http_answer_head *head_out);

/* Whether it can be a NAME: [A-Za-z0-9._~:@-], 1 to 200 of them. */
bool deed__http_is_name(const char *text);

/* "Created"; "Unknown" for a status that this mock does not send. */
const char *deed__http_reason(int status);

#endif /* DEED_MOCKS_HTTP_MESSAGE_H */
