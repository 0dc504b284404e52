/* SPDX-License-Identifier: MIT
 *
 * A provider over HTTP and a client of bare sockets, in one thread: the client sends, the provider is
 * stepped until the client has something to read, and what the client got is looked at byte by byte.
 */
#ifndef DEED_TESTS_TEST_HTTP_RIG_H
#define DEED_TESTS_TEST_HTTP_RIG_H

#include "support/test.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <deed/mock/clock.h>
#include <deed/mock/world.h>

#include "http/http_provider.h"

#define WEB_WORLD    "web.world"
#define WEB_START_MS 1700000000000

/* How a connection ended, for the client. */
enum web_end {
    WEB_OPEN,  /* it did not */
    WEB_EOF,   /* by an end */
    WEB_RESET, /* by a reset */
};

struct web {
    deed_sim_clock *clock;
    struct deed__http_provider *provider;
    char events[1000]; /* words with blanks between */
    char answer[70000];
    size_t answer_bytes;
    enum web_end end;
};

static inline void web_note(void *context, const struct deed__http_event *event)
{
    struct web *web = context;
    size_t used = strlen(web->events);
    (void)snprintf(web->events + used, sizeof(web->events) - used, "%s%s", used > 0 ? " " : "",
        deed__http_event_word(event->kind));
}

/* `options` without their braces; the world is a file of its own. */
static inline void web_open(struct web *web, const char *options)
{
    char text[2000];
    struct deed_error err = {.text = ""};
    *web = (struct web){.end = WEB_OPEN};
    (void)unlink(WEB_WORLD);
    (void)snprintf(text, sizeof(text), "{\"world\":\"" WEB_WORLD "\",%s}", options);
    assert_int_equal(deed_sim_clock_new(WEB_START_MS, &web->clock, &err), DEED_OK);
    const struct deed__http_options wanted = {.options_json = text,
        .controlled = true,
        .clock = deed_sim_clock_true(web->clock),
        .watch = web_note,
        .watch_context = web};
    if (deed__http_provider_start(&wanted, &web->provider, &err) != DEED_OK) {
        fail_msg("%s", err.text);
    }
}

static inline void web_close(struct web *web)
{
    deed__http_provider_stop(web->provider);
    deed_sim_clock_free(web->clock);
}

static inline uint16_t web_port(const char *url)
{
    return (uint16_t)strtoul(strrchr(url, ':') + 1, NULL, 10);
}

/* -1: refused. */
static inline int web_connect(const char *url)
{
    const struct sockaddr_in address = {.sin_family = AF_INET,
        .sin_port = htons(web_port(url)),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(fd, (const struct sockaddr *)&address, sizeof(address)) != 0) {
        (void)close(fd);
        return -1;
    }
    return fd;
}

static inline void web_write(int fd, const char *bytes, size_t bytes_count)
{
    while (bytes_count > 0) {
        ssize_t sent = send(fd, bytes, bytes_count, MSG_NOSIGNAL);
        assert_true(sent > 0);
        bytes += sent;
        bytes_count -= (size_t)sent;
    }
}

/* One step of the provider, with what there is. */
static inline void web_step(struct web *web)
{
    assert_int_equal(deed__http_provider_step(web->provider, 0, NULL, 0, NULL), DEED_OK);
}

/* Steps until the client has read to the end of its connection. */
static inline void web_read(struct web *web, int fd)
{
    web->answer_bytes = 0;
    web->end = WEB_OPEN;
    while (web->end == WEB_OPEN) {
        struct pollfd client = {.fd = fd, .events = POLLIN};
        size_t room = sizeof(web->answer) - 1 - web->answer_bytes;
        assert_int_equal(deed__http_provider_step(web->provider, -1, &client, 1, NULL), DEED_OK);
        if (client.revents == 0) {
            continue;
        }
        ssize_t got = recv(fd, web->answer + web->answer_bytes, room, 0);
        if (got > 0) {
            web->answer_bytes += (size_t)got;
        } else {
            web->end = got == 0 ? WEB_EOF : WEB_RESET;
            assert_true(got == 0 || errno == ECONNRESET);
        }
    }
    web->answer[web->answer_bytes] = '\0';
}

/* Sends bytes as they are, and reads to the end. */
static inline void web_talk_bytes(struct web *web, const char *url, const char *bytes, size_t count)
{
    int fd = web_connect(url);
    assert_true(fd >= 0);
    web_write(fd, bytes, count);
    web_read(web, fd);
    (void)close(fd);
}

static inline void web_talk(struct web *web, const char *text)
{
    web_talk_bytes(web, deed__http_provider_url(web->provider), text, strlen(text));
}

static inline void web_request_text(char *text, size_t bytes, const char *method, const char *path,
    const char *key_or_null, const char *body)
{
    (void)snprintf(text, bytes,
        "%s %s HTTP/1.1\r\nHost: here\r\n%s%s%sContent-Length: %zu\r\n\r\n%s", method, path,
        key_or_null != NULL ? "Idempotency-Key: " : "", key_or_null != NULL ? key_or_null : "",
        key_or_null != NULL ? "\r\n" : "", strlen(body), body);
}

/* 0: there was no whole answer. */
static inline int web_status(const struct web *web)
{
    const char *body = strstr(web->answer, "\r\n\r\n");
    const char *length = strstr(web->answer, "Content-Length: ");
    if (web->end != WEB_EOF || body == NULL || length == NULL || length > body ||
        strlen(body + 4) != strtoul(length + 16, NULL, 10)) {
        return 0;
    }
    return (int)strtoul(web->answer + strlen("HTTP/1.1 "), NULL, 10);
}

static inline int web_request(struct web *web, const char *method, const char *path,
    const char *key_or_null, const char *body)
{
    char text[4000];
    web_request_text(text, sizeof(text), method, path, key_or_null, body);
    web_talk(web, text);
    return web_status(web);
}

static inline int web_control(
    struct web *web, const char *method, const char *path, const char *body)
{
    char text[4000];
    web_request_text(text, sizeof(text), method, path, NULL, body);
    web_talk_bytes(web, deed__http_provider_control_url(web->provider), text, strlen(text));
    return web_status(web);
}

static inline bool web_says(const struct web *web, const char *text)
{
    return strstr(web->answer, text) != NULL;
}

static inline void web_expect(struct web *web, uint64_t sends_expected, uint64_t effects_expected)
{
    deed_world *world = deed__http_provider_world(web->provider);
    assert_int_equal(deed_world_sends(world, NULL), sends_expected);
    assert_int_equal(deed_world_effects(world, NULL), effects_expected);
}

#endif /* DEED_TESTS_TEST_HTTP_RIG_H */
