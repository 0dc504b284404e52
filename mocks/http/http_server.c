/* SPDX-License-Identifier: MIT
 *
 * Sockets and the one loop over them. Nothing here blocks except poll() for as long as the caller
 * allows, and no client can make a step fail.
 */
#include "http/http_impl.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <deed/ext/error.h>

bool deed__http_now(const struct deed__http_provider *provider, struct deed_instant *now_out)
{
    struct timespec wall;
    struct timespec mono;
    if (provider->clock != NULL) {
        return provider->clock->now(provider->clock->self, now_out);
    }
    if (clock_gettime(CLOCK_REALTIME, &wall) != 0 || clock_gettime(CLOCK_MONOTONIC, &mono) != 0) {
        return false;
    }
    *now_out =
        (struct deed_instant){.wall_ms = (int64_t)wall.tv_sec * 1000 + wall.tv_nsec / 1000000,
            .mono_ms = (int64_t)mono.tv_sec * 1000 + mono.tv_nsec / 1000000};
    return true;
}

/* ---- listening ---------------------------------------------------------------------------- */

static deed_rc system_error(const char *what, int port, struct deed_error *err)
{
    int native = errno;
    (void)deed_error_set(err, DEED_E_SYSTEM, DEED__HTTP_ORIGIN, "%s 127.0.0.1:%d: %s", what, port,
        strerror(native)); /* NOLINT(concurrency-mt-unsafe): glibc's is safe for known numbers */
    deed_error_native(err, native);
    return DEED_E_SYSTEM;
}

static bool bind_here(int fd, uint16_t *port)
{
    int yes = 1;
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(*port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t bytes = sizeof(address);
    if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) != 0 ||
        bind(fd, (const struct sockaddr *)&address, bytes) != 0 || listen(fd, SOMAXCONN) != 0 ||
        getsockname(fd, (struct sockaddr *)&address, &bytes) != 0) {
        return false;
    }
    *port = ntohs(address.sin_port);
    return true;
}

deed_rc deed__http_listen(struct deed__http_listener *listener, struct deed_error *err)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0 || !bind_here(fd, &listener->port)) {
        deed_rc rc = system_error("cannot listen at", listener->port, err);
        if (fd >= 0) {
            (void)close(fd);
        }
        return rc;
    }
    listener->fd = fd;
    (void)snprintf(
        listener->url, sizeof(listener->url), "http://127.0.0.1:%u", (unsigned)listener->port);
    return DEED_OK;
}

deed_rc deed__http_provider_listen(
    struct deed__http_provider *provider, bool open, struct deed_error *err)
{
    struct deed__http_listener *listener = &provider->effects;
    if (open == (listener->fd >= 0)) {
        return DEED_OK;
    }
    if (open) {
        return deed__http_listen(listener, err);
    }
    (void)close(listener->fd);
    listener->fd = -1;
    return DEED_OK;
}

/* ---- connections -------------------------------------------------------------------------- */

static struct deed__http_connection *free_place(struct deed__http_provider *provider)
{
    for (size_t i = 0; i < DEED__HTTP_CONNECTIONS_MAX; i++) {
        if (provider->connections[i].phase == DEED__HTTP_FREE) {
            return &provider->connections[i];
        }
    }
    return NULL;
}

size_t deed__http_provider_open_count(const struct deed__http_provider *provider)
{
    size_t open = 0;
    for (size_t i = 0; i < DEED__HTTP_CONNECTIONS_MAX; i++) {
        open += provider->connections[i].phase != DEED__HTTP_FREE ? 1 : 0;
    }
    return open;
}

void deed__http_close(struct deed__http_connection *connection)
{
    if (connection->answer.resets) {
        const struct linger at_once = {.l_onoff = 1, .l_linger = 0};
        (void)setsockopt(connection->fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
    }
    (void)close(connection->fd);
    free(connection->in);
    deed__http_answer_finish(&connection->answer);
    *connection = (struct deed__http_connection){.phase = DEED__HTTP_FREE, .fd = -1};
}

static void accept_all(struct deed__http_provider *provider,
    const struct deed__http_listener *listener, const struct deed_instant *now)
{
    struct deed__http_connection *connection = NULL;
    while (listener->fd >= 0 && (connection = free_place(provider)) != NULL) {
        int yes = 1;
        int fd = accept4(listener->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (fd < 0) {
            return; /* nobody is there any more; what is wrong with one client is its own */
        }
        /* The first byte of an answer goes out by itself, and the next must not wait for its echo. */
        (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
        *connection = (struct deed__http_connection){.phase = DEED__HTTP_READING,
            .fd = fd,
            .is_control = listener == &provider->control,
            .deadline_ms = now->mono_ms + DEED__HTTP_REQUEST_MS};
    }
}

/* ---- the loop ----------------------------------------------------------------------------- */

enum {
    OWN_LISTENERS = 2,
    OWN_MAX = OWN_LISTENERS + DEED__HTTP_CONNECTIONS_MAX
};

static short events_of(const struct deed__http_connection *connection)
{
    return connection->phase == DEED__HTTP_ANSWERING ? POLLOUT : POLLIN;
}

/* A negative descriptor is left out by poll(). */
static void fill(const struct deed__http_provider *provider, struct pollfd *polled)
{
    bool has_room = deed__http_provider_open_count(provider) < DEED__HTTP_CONNECTIONS_MAX;
    polled[0] = (struct pollfd){.fd = has_room ? provider->effects.fd : -1, .events = POLLIN};
    polled[1] = (struct pollfd){.fd = has_room ? provider->control.fd : -1, .events = POLLIN};
    for (size_t i = 0; i < DEED__HTTP_CONNECTIONS_MAX; i++) {
        const struct deed__http_connection *connection = &provider->connections[i];
        polled[OWN_LISTENERS + i] =
            (struct pollfd){.fd = connection->phase != DEED__HTTP_FREE ? connection->fd : -1,
                .events = events_of(connection)};
    }
}

/* With a clock that was given, time does not pass while we wait. */
static int time_left(
    const struct deed__http_provider *provider, const struct deed_instant *now, int timeout_ms)
{
    int64_t left_ms = timeout_ms < 0 ? INT32_MAX : timeout_ms;
    bool is_bounded = timeout_ms >= 0;
    for (size_t i = 0; provider->clock == NULL && i < DEED__HTTP_CONNECTIONS_MAX; i++) {
        const struct deed__http_connection *connection = &provider->connections[i];
        if (connection->phase != DEED__HTTP_FREE && connection->deadline_ms != DEED_FOREVER) {
            int64_t until_ms = connection->deadline_ms - now->mono_ms;
            left_ms = until_ms < left_ms ? until_ms : left_ms;
            is_bounded = true;
        }
    }
    return !is_bounded ? -1 : (int)(left_ms > 0 ? left_ms : 0);
}

static deed_rc no_time(struct deed_error *err)
{
    return deed_error_set(err, DEED_E_SYSTEM, DEED__HTTP_ORIGIN, "the clock cannot be read");
}

static void serve_all(struct deed__http_provider *provider, const struct pollfd *polled,
    const struct deed_instant *now)
{
    for (size_t i = 0; i < DEED__HTTP_CONNECTIONS_MAX; i++) {
        struct deed__http_connection *connection = &provider->connections[i];
        if (connection->phase == DEED__HTTP_FREE) {
            continue;
        }
        if (polled[OWN_LISTENERS + i].revents != 0) {
            deed__http_connection_serve(provider, connection, now);
        }
        if (connection->phase != DEED__HTTP_FREE && now->mono_ms >= connection->deadline_ms) {
            deed__http_connection_expire(provider, connection, now);
        }
    }
    if (polled[0].revents != 0) {
        accept_all(provider, &provider->effects, now);
    }
    if (polled[1].revents != 0) {
        accept_all(provider, &provider->control, now);
    }
}

static deed_rc wait_and_serve(struct deed__http_provider *provider, struct pollfd *polled,
    size_t count, int timeout_ms, struct deed_error *err)
{
    struct deed_instant now;
    if (!deed__http_now(provider, &now)) {
        return no_time(err);
    }
    if (poll(polled, (nfds_t)count, time_left(provider, &now, timeout_ms)) < 0) {
        if (errno != EINTR) {
            return system_error("cannot wait at", provider->effects.port, err);
        }
        for (size_t i = 0; i < count; i++) {
            polled[i].revents = 0;
        }
        return DEED_OK;
    }
    if (!deed__http_now(provider, &now)) {
        return no_time(err);
    }
    serve_all(provider, polled, &now);
    return DEED_OK;
}

deed_rc deed__http_provider_step(struct deed__http_provider *provider, int timeout_ms,
    struct pollfd *extra, size_t extra_count, struct deed_error *err)
{
    size_t count = OWN_MAX + extra_count;
    struct pollfd *polled = calloc(count, sizeof(*polled));
    if (polled == NULL) {
        return deed_error_set(err, DEED_E_NOMEM, DEED__HTTP_ORIGIN, "no memory to wait");
    }
    fill(provider, polled);
    for (size_t i = 0; i < extra_count; i++) {
        polled[OWN_MAX + i] = extra[i];
    }
    deed_rc rc = wait_and_serve(provider, polled, count, timeout_ms, err);
    for (size_t i = 0; i < extra_count; i++) {
        extra[i].revents = polled[OWN_MAX + i].revents;
    }
    free(polled);
    return rc;
}
