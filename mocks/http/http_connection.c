/* SPDX-License-Identifier: MIT
 *
 * One connection: a request is read, answered as somebody else says, and the connection closed. The
 * first byte of an answer is sent by itself: a client can be killed between it and the second.
 */
#include "http/http_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define READ_BYTES 16384

/* ---- answering ---------------------------------------------------------------------------- */

static void tell_of_answer(struct deed__http_provider *provider,
    const struct deed__http_connection *connection, bool is_whole, const struct deed_instant *now)
{
    const struct deed__http_request *request = &connection->request;
    bool is_effect = request->method == DEED__HTTP_POST;
    if (!connection->answer.noted || (!is_effect && !is_whole)) {
        return;
    }
    enum deed__http_event_kind kind = is_whole ? DEED__HTTP_ANSWER_DONE : DEED__HTTP_ANSWER_BEGUN;
    deed__http_tell(provider, is_effect ? kind : DEED__HTTP_LOOKUP_ANSWERED, connection->name,
        request->key, deed__http_method_word(request->method), now->wall_ms);
}

/* Closing while the client still sends would reset the connection under its answer. */
static void end(struct deed__http_connection *connection, const struct deed_instant *now)
{
    if (connection->read_whole || shutdown(connection->fd, SHUT_WR) != 0) {
        deed__http_close(connection);
        return;
    }
    connection->phase = DEED__HTTP_LINGERING;
    connection->deadline_ms = now->mono_ms + DEED__HTTP_LINGER_MS;
}

/* False: the client is gone, or takes no more for now. */
static bool send_some(struct deed__http_connection *connection, size_t bytes_count)
{
    struct deed__http_answer *answer = &connection->answer;
    ssize_t sent = send(connection->fd, answer->bytes + answer->sent, bytes_count, MSG_NOSIGNAL);
    if (sent < 0) {
        if (errno != EAGAIN && errno != EINTR) {
            deed__http_close(connection);
        }
        return false;
    }
    answer->sent += (size_t)sent;
    return true;
}

static void answer_more(struct deed__http_provider *provider,
    struct deed__http_connection *connection, const struct deed_instant *now)
{
    struct deed__http_answer *answer = &connection->answer;
    while (answer->sent < answer->send_count) {
        bool is_first = answer->sent == 0;
        if (!send_some(connection, is_first ? 1 : answer->send_count - answer->sent)) {
            return;
        }
        if (is_first) {
            tell_of_answer(provider, connection, false, now);
        }
    }
    if (answer->send_count < answer->bytes_count || answer->bytes_count == 0) {
        deed__http_close(connection); /* it breaks off here */
        return;
    }
    tell_of_answer(provider, connection, true, now);
    end(connection, now);
}

static void answer_begin(struct deed__http_provider *provider,
    struct deed__http_connection *connection, const struct deed_instant *now)
{
    if (connection->answer.hangs) {
        connection->phase = DEED__HTTP_HANGING;
        connection->deadline_ms = DEED_FOREVER;
        return;
    }
    connection->phase = DEED__HTTP_ANSWERING;
    connection->deadline_ms = now->mono_ms + DEED__HTTP_ANSWER_MS;
    answer_more(provider, connection, now);
}

/* ---- reading ------------------------------------------------------------------------------ */

static void refuse(struct deed__http_provider *provider, struct deed__http_connection *connection,
    int status, const char *text, const struct deed_instant *now)
{
    deed__http_say_wrong(&connection->answer, status, text);
    answer_begin(provider, connection, now);
}

/* A client that waits for our word sends its body afterwards; some never do without it. */
static void say_continue(struct deed__http_connection *connection)
{
    static const char text[] = "HTTP/1.1 100 Continue\r\n\r\n";
    if (connection->request.expects_continue && !connection->continued) {
        connection->continued = true;
        (void)send(connection->fd, text, sizeof(text) - 1, MSG_NOSIGNAL);
    }
}

static void look_at_request(struct deed__http_provider *provider,
    struct deed__http_connection *connection, const struct deed_instant *now)
{
    struct deed__http_refusal refusal;
    struct deed__http_request *request = &connection->request;
    enum deed__http_progress progress =
        deed__http_request_read(connection->in, connection->in_bytes, request, &refusal);
    if (progress == DEED__HTTP_WRONG) {
        refuse(provider, connection, refusal.status, refusal.text, now);
        return;
    }
    size_t whole = request->head_bytes + request->body_bytes;
    if (progress == DEED__HTTP_MORE) {
        return;
    }
    if (connection->in_bytes < whole) {
        say_continue(connection);
        return;
    }
    if (connection->in_bytes > whole) {
        refuse(provider, connection, 400, "one connection carries one request", now);
        return;
    }
    connection->read_whole = true;
    if (connection->is_control) {
        deed__http_control_answer(provider, connection);
    } else {
        deed__http_effects_answer(provider, connection, now->wall_ms);
    }
    answer_begin(provider, connection, now);
}

static bool make_room(struct deed__http_connection *connection)
{
    if (connection->in_capacity - connection->in_bytes >= READ_BYTES) {
        return true;
    }
    size_t capacity = connection->in_capacity * 2 + READ_BYTES;
    char *in = realloc(connection->in, capacity);
    if (in == NULL) {
        return false;
    }
    connection->in = in;
    connection->in_capacity = capacity;
    return true;
}

static void read_more(struct deed__http_provider *provider,
    struct deed__http_connection *connection, const struct deed_instant *now)
{
    if (!make_room(connection)) {
        deed__http_close(connection);
        return;
    }
    ssize_t got = recv(connection->fd, connection->in + connection->in_bytes, READ_BYTES, 0);
    if (got > 0) {
        connection->in_bytes += (size_t)got;
        look_at_request(provider, connection, now);
    } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
        deed__http_close(connection); /* half a request is none */
    }
}

/* Whatever still comes is of no use to anybody. */
static void drop_more(struct deed__http_connection *connection)
{
    char dropped[4096];
    ssize_t got = recv(connection->fd, dropped, sizeof(dropped), 0);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) {
        deed__http_close(connection);
    }
}

void deed__http_connection_serve(struct deed__http_provider *provider,
    struct deed__http_connection *connection, const struct deed_instant *now)
{
    switch (connection->phase) {
    case DEED__HTTP_FREE:
        return;
    case DEED__HTTP_READING:
        read_more(provider, connection, now);
        return;
    case DEED__HTTP_ANSWERING:
        answer_more(provider, connection, now);
        return;
    case DEED__HTTP_HANGING:
    case DEED__HTTP_LINGERING:
        drop_more(connection);
        return;
    }
}

void deed__http_connection_expire(struct deed__http_provider *provider,
    struct deed__http_connection *connection, const struct deed_instant *now)
{
    if (connection->phase == DEED__HTTP_READING) {
        refuse(provider, connection, 408, "the request did not come to its end in time", now);
        return;
    }
    deed__http_close(connection);
}
