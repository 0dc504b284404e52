/* SPDX-License-Identifier: MIT
 *
 * Whatever a client sends, or does not: it is refused by name, nothing happens of it, and the provider
 * goes on.
 */
#include "test_http_rig.h"

#define OPEN(web) web_open(&(web), "\"class\":\"keyed+lookup\"")

static void test_request__that_is_none_is_refused_by_name(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int status;
    } refused[] = {
        {"hello\r\n\r\n", 400},
        {"\r\n\r\n", 400},
        {"POST /effects/pay-1\r\n\r\n", 400},
        {"POST /effects/pay-1 HTTP/2.0\r\n\r\n", 505},
        {"POST effects/pay-1 HTTP/1.1\r\n\r\n", 400},
        {"POST /effects/p\x01y HTTP/1.1\r\n\r\n", 400},
        {"PO(ST /effects/pay-1 HTTP/1.1\r\n\r\n", 400},
        {"POST /effects/pay-1 HTTP/1.1\r\nno header\r\n\r\n", 400},
        {"POST /effects/pay-1 HTTP/1.1\r\nName : value\r\n\r\n", 400},
        {"POST /effects/pay-1 HTTP/1.1\r\nA: b\r\n folded\r\n\r\n", 400},
        {"POST /effects/pay-1 HTTP/1.1\r\nA: b\x01\r\n\r\n", 400},
        {"POST /effects/pay-1 HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 400},
        {"POST /effects/pay-1 HTTP/1.1\r\nContent-Length: 0x1\r\n\r\n", 400},
        {"POST /effects/pay-1 HTTP/1.1\r\nContent-Length: \r\n\r\n", 400},
        {"POST /effects/pay-1 HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n", 400},
        {"POST /effects/pay-1 HTTP/1.1\r\nContent-Length: 0\r\nContent-Length: 0\r\n\r\n", 400},
        {"POST /effects/pay-1 HTTP/1.1\r\nContent-Length: 1048577\r\n\r\n", 413},
        {"POST /effects/pay-1 HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 411},
        {"POST /effects/pay-1 HTTP/1.1\r\nIdempotency-Key:\r\n\r\n", 400},
        {"POST /effects/pay-1 HTTP/1.1\r\nIdempotency-Key: a b\r\n\r\n", 400},
        {"POST /effects/pay-1 HTTP/1.1\r\nIdempotency-Key: \"\"\r\n\r\n", 400},
        {"POST /effects/pay-1 HTTP/1.1\r\nIdempotency-Key: k\r\nidempotency-key: l\r\n\r\n", 400},
        {"POST / HTTP/1.1\r\n\r\n", 400},
        {"POST /effects/ HTTP/1.1\r\n\r\n", 400},
        {"POST /effects/pay/1 HTTP/1.1\r\n\r\n", 400},
        {"POST /effects/pay%201 HTTP/1.1\r\n\r\n", 400},
        {"POST /operations/op-1 HTTP/1.1\r\n\r\n", 400},
        {"PUT /effects/pay-1 HTTP/1.1\r\n\r\n", 405},
        /* Two requests at once: neither is done. */
        {"POST /effects/pay-1 HTTP/1.1\r\n\r\nPOST /effects/pay-2 HTTP/1.1\r\n\r\n", 400},
        {"POST /effects/pay-1 HTTP/1.1\r\nContent-Length: 2\r\n\r\nabc", 400},
    };
    struct web web;
    OPEN(web);
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        web_talk(&web, refused[i].text);
        if (web_status(&web) != refused[i].status) {
            fail_msg("%s\n%s", refused[i].text, web.answer);
        }
        assert_true(web_says(&web, "{\"error\":\""));
    }
    assert_string_equal(web.events, "");
    web_expect(&web, 0, 0);
    assert_int_equal(web_request(&web, "POST", "/effects/pay-1", NULL, ""), 201);
    web_close(&web);
}

static void test_request__beyond_its_limits_is_refused_by_name(void **state)
{
    (void)state;
    struct web web;
    char *text = calloc(1, 40000);
    assert_non_null(text);
    OPEN(web);
    /* One header that is too long, in a head that never ends. */
    (void)snprintf(text, 40000, "POST /effects/pay-1 HTTP/1.1\r\nA: %020000d", 0);
    web_talk(&web, text);
    assert_int_equal(web_status(&web), 431);
    /* Too many headers. */
    size_t used = (size_t)snprintf(text, 40000, "POST /effects/pay-1 HTTP/1.1\r\n");
    for (size_t i = 0; i < 101; i++) {
        used += (size_t)snprintf(text + used, 40000 - used, "A: b\r\n");
    }
    (void)snprintf(text + used, 40000 - used, "\r\n");
    web_talk(&web, text);
    assert_int_equal(web_status(&web), 431);
    /* A path that is too long, a name, a key. */
    (void)snprintf(text, 40000, "POST /%01001d HTTP/1.1\r\n\r\n", 0);
    web_talk(&web, text);
    assert_int_equal(web_status(&web), 414);
    (void)snprintf(text, 40000, "POST /effects/%0201d HTTP/1.1\r\n\r\n", 0);
    web_talk(&web, text);
    assert_int_equal(web_status(&web), 400);
    (void)snprintf(text, 40000, "POST /effects/a HTTP/1.1\r\nIdempotency-Key: %0256d\r\n\r\n", 0);
    web_talk(&web, text);
    assert_int_equal(web_status(&web), 400);
    web_expect(&web, 0, 0);
    /* And what is as long as may be. */
    (void)snprintf(
        text, 40000, "POST /effects/%0200d HTTP/1.1\r\nIdempotency-Key: %0255d\r\n\r\n", 0, 0);
    web_talk(&web, text);
    assert_int_equal(web_status(&web), 201);
    web_expect(&web, 1, 1);
    free(text);
    web_close(&web);
}

static void test_request__the_largest_body_is_taken_whole(void **state)
{
    (void)state;
    struct web web;
    char head[200];
    char *body = calloc(1, 1048576);
    assert_non_null(body);
    OPEN(web);
    int fd = web_connect(deed__http_provider_url(web.provider));
    (void)snprintf(
        head, sizeof(head), "POST /effects/pay-1 HTTP/1.1\r\nContent-Length: 1048576\r\n\r\n");
    web_write(fd, head, strlen(head));
    for (size_t sent = 0; sent < 1048576; sent += 65536) { /* less than a socket holds */
        web_write(fd, body + sent, 65536);
        for (size_t i = 0; i < 8; i++) {
            web_step(&web);
        }
    }
    web_read(&web, fd);
    assert_int_equal(web_status(&web), 201);
    (void)close(fd);
    free(body);
    web_expect(&web, 1, 1);
    web_close(&web);
}

static void test_request__in_any_pieces_is_the_same_one(void **state)
{
    (void)state;
    static const char text[] =
        "POST /effects/pay-1 HTTP/1.1\r\nIdempotency-Key: k-1\r\nContent-Length: 5\r\n\r\nhello";
    struct web web;
    OPEN(web);
    int fd = web_connect(deed__http_provider_url(web.provider));
    for (size_t i = 0; i < sizeof(text) - 1; i++) {
        assert_string_equal(web.events, "");
        web_write(fd, text + i, 1);
        web_step(&web);
        web_step(&web);
    }
    web_read(&web, fd);
    assert_int_equal(web_status(&web), 201);
    (void)close(fd);
    web_expect(&web, 1, 1);
    web_close(&web);
}

static void test_request__half_of_one_is_none(void **state)
{
    (void)state;
    static const char text[] = "POST /effects/pay-1 HTTP/1.1\r\nContent-Length: 5\r\n\r\nhell";
    struct web web;
    OPEN(web);
    for (size_t bytes = 1; bytes < sizeof(text); bytes++) {
        int fd = web_connect(deed__http_provider_url(web.provider));
        web_write(fd, text, bytes);
        (void)shutdown(fd, SHUT_WR);
        web_read(&web, fd);
        assert_int_equal(web.answer_bytes, 0);
        (void)close(fd);
    }
    assert_string_equal(web.events, "");
    web_expect(&web, 0, 0);
    assert_int_equal(deed__http_provider_open_count(web.provider), 0);
    web_close(&web);
}

static void test_request__that_waits_for_leave_to_go_on_gets_it(void **state)
{
    (void)state;
    static const char head[] =
        "POST /effects/pay-1 HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n";
    static const char leave[] = "HTTP/1.1 100 Continue\r\n\r\n";
    struct web web;
    char got[100] = "";
    OPEN(web);
    int fd = web_connect(deed__http_provider_url(web.provider));
    web_write(fd, head, strlen(head));
    struct pollfd client = {.fd = fd, .events = POLLIN};
    while (client.revents == 0) {
        assert_int_equal(deed__http_provider_step(web.provider, -1, &client, 1, NULL), DEED_OK);
    }
    assert_int_equal(recv(fd, got, sizeof(got) - 1, 0), strlen(leave));
    assert_string_equal(got, leave);
    web_write(fd, "hello", 5);
    web_read(&web, fd);
    assert_int_equal(web_status(&web), 201);
    (void)close(fd);
    web_close(&web);
}

/* ---- time --------------------------------------------------------------------------------- */

static void test_time__a_slow_client_is_told_so_by_the_clock(void **state)
{
    (void)state;
    struct web web;
    OPEN(web);
    int fd = web_connect(deed__http_provider_url(web.provider));
    web_write(fd, "POST /effects/pay-1 HTTP/1.1\r\n", 30);
    while (deed__http_provider_open_count(web.provider) == 0) {
        web_step(&web);
    }
    deed_sim_clock_advance(web.clock, 9999);
    web_step(&web);
    web_step(&web);
    assert_int_equal(recv(fd, web.answer, sizeof(web.answer), MSG_DONTWAIT), -1);
    deed_sim_clock_advance(web.clock, 1);
    web_step(&web);
    /* It is answered, and not closed under its answer; it is dropped when its time is over again. */
    assert_int_equal(deed__http_provider_open_count(web.provider), 1);
    deed_sim_clock_advance(web.clock, 2000);
    web_step(&web);
    assert_int_equal(deed__http_provider_open_count(web.provider), 0);
    web_read(&web, fd);
    assert_non_null(strstr(web.answer, "408 Request Timeout"));
    (void)close(fd);
    web_expect(&web, 0, 0);
    web_close(&web);
}

/* ---- many --------------------------------------------------------------------------------- */

/* More than there are places: those that wait get theirs when others go. */
static void test_many__clients_are_served_in_turn(void **state)
{
    (void)state;
    enum {
        CLIENTS = 100,
        PLACES = 64
    };
    int fds[CLIENTS];
    char text[200];
    struct web web;
    OPEN(web);
    for (size_t i = 0; i < CLIENTS; i++) {
        fds[i] = web_connect(deed__http_provider_url(web.provider));
        assert_true(fds[i] >= 0);
    }
    for (size_t i = 0; i < 4; i++) {
        web_step(&web);
    }
    assert_int_equal(deed__http_provider_open_count(web.provider), PLACES);
    for (size_t i = 0; i < CLIENTS; i++) {
        char name[40];
        (void)snprintf(name, sizeof(name), "/effects/pay-%zu", i);
        web_request_text(text, sizeof(text), "POST", name, NULL, "hello");
        web_write(fds[i], text, strlen(text));
    }
    for (size_t i = 0; i < CLIENTS; i++) {
        web_read(&web, fds[i]);
        assert_int_equal(web_status(&web), 201);
        (void)close(fds[i]);
    }
    web_expect(&web, CLIENTS, CLIENTS);
    assert_int_equal(deed__http_provider_open_count(web.provider), 0);
    web_close(&web);
}

/* A client that dies at the first boundary: what was read is carried out all the same. */
static void test_many__one_that_dies_leaves_what_it_sent(void **state)
{
    (void)state;
    char text[200];
    struct web web;
    OPEN(web);
    int fd = web_connect(deed__http_provider_url(web.provider));
    web_request_text(text, sizeof(text), "POST", "/effects/pay-1", "k-1", "hello");
    web_write(fd, text, strlen(text));
    const struct linger at_once = {.l_onoff = 1, .l_linger = 0};
    (void)shutdown(fd, SHUT_WR);
    while (strstr(web.events, "effect") == NULL) {
        web_step(&web);
    }
    (void)setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
    (void)close(fd);
    web_step(&web);
    web_expect(&web, 1, 1);
    assert_int_equal(deed__http_provider_open_count(web.provider), 0);
    web_close(&web);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_request__that_is_none_is_refused_by_name),
        cmocka_unit_test(test_request__beyond_its_limits_is_refused_by_name),
        cmocka_unit_test(test_request__the_largest_body_is_taken_whole),
        cmocka_unit_test(test_request__in_any_pieces_is_the_same_one),
        cmocka_unit_test(test_request__half_of_one_is_none),
        cmocka_unit_test(test_request__that_waits_for_leave_to_go_on_gets_it),
        cmocka_unit_test(test_time__a_slow_client_is_told_so_by_the_clock),
        cmocka_unit_test(test_many__clients_are_served_in_turn),
        cmocka_unit_test(test_many__one_that_dies_leaves_what_it_sent),
    };
    return cmocka_run_group_tests_name("http_server", tests, NULL, NULL);
}
