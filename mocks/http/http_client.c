/* SPDX-License-Identifier: MIT
 *
 * A connection for one request, with time limits of the real clock: a mock clock moves no network.
 * Nothing is sent again, nothing is followed, and what arrives beyond the limit is no answer.
 */
#include "http/http_client.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- where -------------------------------------------------------------------------------- */

static bool read_port(const char *text, uint16_t *port_out)
{
    char *end = NULL;
    if (text[0] < '1' || text[0] > '9') {
        return false;
    }
    unsigned long port = strtoul(text, &end, 10);
    bool ends = end[0] == '\0' || (end[0] == '/' && end[1] == '\0');
    *port_out = htons((uint16_t)port);
    return ends && port <= 65535;
}

const char *deed__http_peer_read(const char *url, struct deed__http_peer *peer_out)
{
    static const struct {
        const char *start;
        bool is_6;
    } loopbacks[] = {
        {"http://127.0.0.1:", false}, {"http://localhost:", false}, {"http://[::1]:", true}};
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr_in6 address_6 = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    for (size_t i = 0; i < sizeof(loopbacks) / sizeof(loopbacks[0]); i++) {
        size_t bytes = strlen(loopbacks[i].start);
        if (strncmp(url, loopbacks[i].start, bytes) != 0) {
            continue;
        }
        if (!read_port(url + bytes, &address.sin_port)) {
            return "must end with a port from 1 to 65535, as http://127.0.0.1:8080 does";
        }
        address_6.sin6_port = address.sin_port;
        *peer_out = (struct deed__http_peer){
            .address_bytes = loopbacks[i].is_6 ? sizeof(address_6) : sizeof(address)};
        memcpy(&peer_out->address, loopbacks[i].is_6 ? (void *)&address_6 : (void *)&address,
            peer_out->address_bytes);
        (void)snprintf(peer_out->host, sizeof(peer_out->host), "%.*s%u", (int)(bytes - 7), url + 7,
            (unsigned)ntohs(address.sin_port));
        return NULL;
    }
    return "must be loopback: http://127.0.0.1:PORT, http://localhost:PORT or http://[::1]:PORT";
}

/* ---- time --------------------------------------------------------------------------------- */

static int64_t mono_ms(void)
{
    struct timespec now;
    return clock_gettime(CLOCK_MONOTONIC, &now) == 0
        ? (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000
        : INT64_MAX;
}

/* False: the time is over, or nothing can be waited for. */
static bool wait_for(int fd, short events, int64_t until_ms)
{
    for (;;) {
        struct pollfd polled = {.fd = fd, .events = events};
        int64_t left_ms = until_ms - mono_ms();
        if (left_ms <= 0) {
            return false;
        }
        int ready = poll(&polled, 1, left_ms < INT32_MAX ? (int)left_ms : INT32_MAX);
        if (ready > 0) {
            return true;
        }
        if (ready < 0 && errno != EINTR) {
            return false;
        }
    }
}

/* ---- sending and reading ------------------------------------------------------------------ */

static bool connect_to(int fd, const struct deed__http_peer *peer, int64_t until_ms)
{
    int yes = 1;
    int failure = 0;
    socklen_t bytes = sizeof(failure);
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
    if (connect(fd, (const struct sockaddr *)&peer->address, peer->address_bytes) == 0) {
        return true;
    }
    return errno == EINPROGRESS && wait_for(fd, POLLOUT, until_ms) &&
        getsockopt(fd, SOL_SOCKET, SO_ERROR, &failure, &bytes) == 0 && failure == 0;
}

static bool send_all(int fd, const void *bytes, size_t bytes_count, int64_t until_ms)
{
    const char *at = bytes;
    while (bytes_count > 0) {
        ssize_t sent = send(fd, at, bytes_count, MSG_NOSIGNAL);
        if (sent >= 0) {
            at += sent;
            bytes_count -= (size_t)sent;
        } else if (errno == EAGAIN) {
            if (!wait_for(fd, POLLOUT, until_ms)) {
                return false;
            }
        } else if (errno != EINTR) {
            return false;
        }
    }
    return true;
}

/* Whole as soon as its announced length is here; a provider that goes on talking is not listened to. */
static bool is_whole(struct deed__http_exchange *exchange, bool *is_wrong)
{
    enum deed__http_progress progress =
        deed__http_answer_read(exchange->answer, exchange->answer_bytes, &exchange->head);
    *is_wrong = progress == DEED__HTTP_WRONG ||
        (progress == DEED__HTTP_WHOLE && exchange->head.body_bytes > DEED__HTTP_ANSWER_BYTES_MAX);
    return progress == DEED__HTTP_WHOLE && !*is_wrong &&
        exchange->answer_bytes - exchange->head.head_bytes >= exchange->head.body_bytes;
}

static void read_answer(int fd, struct deed__http_exchange *exchange, int64_t until_ms)
{
    bool is_wrong = false;
    while (!exchange->whole && !is_wrong && wait_for(fd, POLLIN, until_ms)) {
        size_t room = sizeof(exchange->answer) - 1 - exchange->answer_bytes;
        ssize_t got = recv(fd, exchange->answer + exchange->answer_bytes, room, 0);
        if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
            continue;
        }
        if (got <= 0) {
            return; /* cut */
        }
        exchange->answer_bytes += (size_t)got;
        exchange->whole = is_whole(exchange, &is_wrong);
    }
}

static char *head_of(const struct deed__http_peer *peer, const struct deed__http_exchange *exchange)
{
    char *head = NULL;
    int bytes = asprintf(&head,
        "%s %s%s HTTP/1.1\r\nHost: %s\r\nIdempotency-Key: %s\r\nConnection: close\r\n"
        "Content-Type: application/json\r\nContent-Length: %zu\r\n\r\n",
        exchange->method, exchange->path, exchange->name, peer->host, exchange->key,
        exchange->body_bytes);
    return bytes >= 0 ? head : NULL;
}

void deed__http_exchange_run(
    const struct deed__http_peer *peer, struct deed__http_exchange *exchange)
{
    int64_t until_ms = mono_ms() + (exchange->limit_ms > 0 ? exchange->limit_ms : 1);
    char *head = head_of(peer, exchange);
    int fd = socket(peer->address.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    exchange->sent = false;
    exchange->whole = false;
    exchange->answer_bytes = 0;
    if (head == NULL || fd < 0 || !connect_to(fd, peer, until_ms) ||
        (exchange->may_send != NULL && !exchange->may_send(exchange->gate))) {
        goto done;
    }
    exchange->sent = true;
    /* A provider that answers before it has read all may have acted: so it is listened to, though
     * it takes no more. */
    if (send_all(fd, head, strlen(head), until_ms)) {
        (void)send_all(fd, exchange->body, exchange->body_bytes, until_ms);
    }
    read_answer(fd, exchange, until_ms);
done:
    exchange->answer[exchange->answer_bytes] = '\0';
    if (fd >= 0) {
        (void)close(fd);
    }
    free(head);
}

const char *deed__http_exchange_body(const struct deed__http_exchange *exchange)
{
    return exchange->answer + exchange->head.head_bytes;
}
