/* SPDX-License-Identifier: MIT
 *
 * Each fault of the provider over HTTP through a real socket: what the client gets, what happened, and
 * at which boundaries somebody could have died.
 */
#include "test_http_rig.h"

#define SCRIPT(class, steps) "\"class\":\"" class "\",\"script\":" steps

/* ---- one request -------------------------------------------------------------------------- */

static const struct fault {
    const char *options;
    int status; /* 0: no whole answer */
    enum web_end end;
    uint64_t sends;
    uint64_t effects;
    const char *events;
    const char *says; /* the answer holds it; NULL: not a byte came */
} faults[] = {
    {SCRIPT("keyed", "{\"do\":\"answer\"}"), 201, WEB_EOF, 1, 1,
        "request_read effect answer_begun answer_done",
        "\"status\":\"applied\",\"reference\":\"fx-1\",\"key\":\"k-1\",\"digest\":"
        "\"2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824\",\"replayed\":false"},
    {SCRIPT("keyed", "{\"do\":\"lose\"}"), 0, WEB_EOF, 1, 1, "request_read effect", NULL},
    {SCRIPT("keyed", "{\"do\":\"answer\",\"cut\":\"drop\"}"), 0, WEB_EOF, 1, 1,
        "request_read effect", NULL},
    {SCRIPT("keyed", "{\"do\":\"answer\",\"cut\":\"reset\"}"), 0, WEB_RESET, 1, 1,
        "request_read effect", NULL},
    {SCRIPT("keyed", "{\"do\":\"answer\",\"cut\":\"header\"}"), 0, WEB_EOF, 1, 1,
        "request_read effect answer_begun", "HTTP/1.1 201 Created\r\n"},
    {SCRIPT("keyed", "{\"do\":\"answer\",\"cut\":\"body\"}"), 0, WEB_EOF, 1, 1,
        "request_read effect answer_begun", "\r\n\r\n{\"status\":\"applied\""},
    {SCRIPT("keyed", "{\"do\":\"reject\",\"cut\":\"body\"}"), 0, WEB_EOF, 1, 0,
        "request_read refused answer_begun", "402 Payment Required"},
    {SCRIPT("keyed", "{\"do\":\"reject\",\"lost\":true}"), 0, WEB_EOF, 1, 0, "request_read refused",
        NULL},
    {SCRIPT("keyed", "{\"do\":\"error\",\"effect\":true}"), 500, WEB_EOF, 1, 1,
        "request_read effect answer_begun answer_done", "\"status\":\"failed\""},
    {SCRIPT("keyed", "{\"do\":\"error\"}"), 500, WEB_EOF, 1, 0,
        "request_read refused answer_begun answer_done", "\"status\":\"failed\""},
    {SCRIPT("keyed", "{\"do\":\"unreachable\"}"), 0, WEB_RESET, 0, 0, "request_read refused", NULL},
    {SCRIPT("keyed", "{\"do\":\"refuse\",\"retry_after_ms\":1001}"), 429, WEB_EOF, 1, 0,
        "request_read refused answer_begun answer_done", "\r\nRetry-After: 2\r\n"},
    {SCRIPT("keyed", "{\"do\":\"reject\"}"), 402, WEB_EOF, 1, 0,
        "request_read refused answer_begun answer_done", "\"status\":\"rejected\""},
    {SCRIPT("keyed", "{\"do\":\"late\"}"), 0, WEB_EOF, 1, 0, "request_read accepted", NULL},
    {SCRIPT("keyed", "{\"do\":\"pending\"}"), 202, WEB_EOF, 1, 0,
        "request_read accepted answer_begun answer_done", "\"handle\":\"op-1\""},
    {SCRIPT("keyed", "{\"do\":\"error_stored\"}"), 424, WEB_EOF, 1, 0,
        "request_read refused answer_begun answer_done", "\"status\":\"failed\""},
    {SCRIPT("keyed", "{\"do\":\"error_stored\",\"verdict\":\"rejected\"}"), 402, WEB_EOF, 1, 0,
        "request_read refused answer_begun answer_done", "\"status\":\"rejected\""},
    {SCRIPT("keyed", "{\"do\":\"in_progress\"}"), 409, WEB_EOF, 1, 0,
        "request_read refused answer_begun answer_done", "\"status\":\"in_progress\""},
    {SCRIPT("keyed", "{\"do\":\"mismatch\"}"), 422, WEB_EOF, 1, 0,
        "request_read refused answer_begun answer_done", "\"status\":\"mismatch\""},
    {SCRIPT("keyed", "{\"do\":\"garbage\"}"), 201, WEB_EOF, 1, 1,
        "request_read effect answer_begun answer_done", "<html>"},
    {SCRIPT("blind", "{\"do\":\"answer\",\"duplicates\":2}"), 201, WEB_EOF, 1, 3,
        "request_read effect duplicate duplicate answer_begun answer_done", "applied"},
    {SCRIPT("keyed", "{\"do\":\"answer\",\"duplicates\":2}"), 201, WEB_EOF, 1, 1,
        "request_read effect duplicate duplicate answer_begun answer_done", "applied"},
    {SCRIPT("blind", "{\"do\":\"lose\",\"duplicates\":1,\"duplicates_land\":{\"on_demand\":true}}"),
        0, WEB_EOF, 1, 1, "request_read effect", NULL},
};

static void test_fault__is_what_the_client_gets_and_what_happened(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
        const struct fault *fault = &faults[i];
        struct web web;
        web_open(&web, fault->options);
        print_message("%s\n", fault->options);
        assert_int_equal(
            web_request(&web, "POST", "/effects/pay-1", "k-1", "hello"), fault->status);
        assert_int_equal(web.end, fault->end);
        assert_string_equal(web.events, fault->events);
        assert_true(fault->says != NULL ? web_says(&web, fault->says) : web.answer_bytes == 0);
        web_expect(&web, fault->sends, fault->effects);
        assert_int_equal(deed__http_provider_open_count(web.provider), 0);
        web_close(&web);
    }
}

/* The bytes before the cut are those of the answer, and it breaks off inside. */
static void test_fault__a_cut_is_inside(void **state)
{
    (void)state;
    struct web web;
    web_open(&web, SCRIPT("keyed", "{\"do\":\"answer\",\"cut\":\"header\"}"));
    (void)web_request(&web, "POST", "/effects/pay-1", "k-1", "hello");
    assert_null(strstr(web.answer, "\r\n\r\n"));
    web_close(&web);
    web_open(&web, SCRIPT("keyed", "{\"do\":\"answer\",\"cut\":\"body\"}"));
    (void)web_request(&web, "POST", "/effects/pay-1", "k-1", "hello");
    const char *body = strstr(web.answer, "\r\n\r\n");
    assert_non_null(body);
    size_t said = strtoul(strstr(web.answer, "Content-Length: ") + 16, NULL, 10);
    assert_true(strlen(body + 4) > 0 && strlen(body + 4) < said);
    web_close(&web);
}

static void test_fault__a_hang_stays_open_until_the_client_goes(void **state)
{
    (void)state;
    static const char *const steps[] = {"{\"do\":\"hang\"}", "{\"do\":\"hang\",\"effect\":false}"};
    for (size_t i = 0; i < 2; i++) {
        struct web web;
        char options[100];
        char text[400];
        (void)snprintf(options, sizeof(options), "\"class\":\"blind\",\"script\":%s", steps[i]);
        web_open(&web, options);
        int fd = web_connect(deed__http_provider_url(web.provider));
        web_request_text(text, sizeof(text), "POST", "/effects/pay-1", NULL, "hello");
        web_write(fd, text, strlen(text));
        while (strstr(web.events, i == 0 ? "effect" : "refused") == NULL) {
            web_step(&web);
        }
        deed_sim_clock_advance(web.clock, 3600000);
        web_step(&web);
        assert_int_equal(deed__http_provider_open_count(web.provider), 1);
        assert_int_equal(recv(fd, text, sizeof(text), MSG_DONTWAIT), -1);
        web_expect(&web, 1, i == 0 ? 1 : 0);
        (void)close(fd);
        while (deed__http_provider_open_count(web.provider) > 0) {
            web_step(&web);
        }
        web_close(&web);
    }
}

static void test_fault__nobody_listens(void **state)
{
    (void)state;
    struct web web;
    web_open(&web, "\"class\":\"blind\"");
    const char *url = deed__http_provider_url(web.provider);
    assert_int_equal(web_control(&web, "POST", "/listen", "{\"open\":false}"), 200);
    assert_int_equal(web_connect(url), -1);
    web_expect(&web, 0, 0);
    assert_int_equal(web_control(&web, "POST", "/listen", "{\"open\":true}"), 200);
    assert_int_equal(web_request(&web, "POST", "/effects/pay-1", NULL, "hello"), 201);
    web_expect(&web, 1, 1);
    web_close(&web);
}

/* ---- keys --------------------------------------------------------------------------------- */

static void test_key__a_replay_is_answered_as_one(void **state)
{
    (void)state;
    struct web web;
    web_open(&web,
        "\"class\":\"keyed\",\"scripts\":{\"pay-1\":[{\"do\":\"lose\"},{\"do\":\"answer\"}]}");
    assert_int_equal(web_request(&web, "POST", "/effects/pay-1", "k-1", "hello"), 0);
    web.events[0] = '\0';
    assert_int_equal(web_request(&web, "POST", "/effects/pay-1", "\"k-1\"", "hello"), 200);
    assert_true(web_says(&web, "\r\nIdempotency-Replayed: true\r\n"));
    assert_true(web_says(&web, "\"reference\":\"fx-1\""));
    assert_string_equal(web.events, "request_read absorbed answer_begun answer_done");
    assert_int_equal(web_request(&web, "POST", "/effects/pay-1", "k-1", "changed"), 422);
    assert_int_equal(web_request(&web, "POST", "/effects/pay-2", "k-1", "hello"), 422);
    web_expect(&web, 4, 1);
    web_close(&web);
}

static void test_key__after_its_window_it_is_a_new_one(void **state)
{
    (void)state;
    struct web web;
    web_open(&web, "\"class\":\"keyed\",\"window_ms\":10000");
    assert_int_equal(web_request(&web, "POST", "/effects/pay-1", "k-1", "hello"), 201);
    deed_sim_clock_advance(web.clock, 9999);
    assert_int_equal(web_request(&web, "POST", "/effects/pay-1", "k-1", "hello"), 200);
    deed_sim_clock_advance(web.clock, 1);
    assert_int_equal(web_request(&web, "POST", "/effects/pay-1", "k-1", "hello"), 201);
    web_expect(&web, 3, 2);
    web_close(&web);
}

static void test_key__without_one_a_keyed_provider_is_blind(void **state)
{
    (void)state;
    struct web web;
    web_open(&web, "\"class\":\"keyed+lookup\"");
    assert_int_equal(web_request(&web, "POST", "/effects/pay-1", NULL, "hello"), 201);
    assert_int_equal(web_request(&web, "POST", "/effects/pay-1", NULL, "hello"), 201);
    web_expect(&web, 2, 2);
    assert_int_equal(web_request(&web, "GET", "/effects/pay-1", NULL, ""), 200);
    assert_true(web_says(&web, "\"count\":2"));
    assert_true(web_says(&web, "\"key\":null"));
    web_close(&web);
}

static void test_key__one_that_is_closed_lets_nothing_through(void **state)
{
    (void)state;
    struct web web;
    web_open(&web, SCRIPT("closable", "[{\"do\":\"late\"},{\"do\":\"answer\"}]"));
    assert_int_equal(web_request(&web, "POST", "/effects/pay-1", "k-1", "hello"), 0);
    assert_int_equal(web_request(&web, "DELETE", "/effects/pay-1", "k-1", ""), 200);
    assert_true(web_says(&web, "\"status\":\"closed\""));
    assert_int_equal(web_request(&web, "POST", "/effects/pay-1", "k-1", "hello"), 410);
    assert_int_equal(web_control(&web, "POST", "/land", ""), 200);
    web_expect(&web, 2, 0);
    assert_int_equal(web_request(&web, "POST", "/effects/pay-2", "k-2", "hello"), 0);
    assert_int_equal(web_request(&web, "POST", "/effects/pay-2", "k-2", "hello"), 201);
    assert_int_equal(web_request(&web, "DELETE", "/effects/pay-2", "k-2", ""), 409);
    assert_true(web_says(&web, "\"status\":\"present\""));
    web_close(&web);
}

/* ---- looking ------------------------------------------------------------------------------ */

static void test_look__sees_after_the_lag_and_within_the_reach(void **state)
{
    (void)state;
    static const struct {
        int64_t passed_ms;
        int status;
    } looks[] = {{0, 404}, {4999, 404}, {1, 200}, {4999, 200}, {1, 404}};
    struct web web;
    web_open(&web, "\"class\":\"lookup\",\"lookup\":{\"lag_ms\":5000,\"reach_ms\":10000}");
    assert_int_equal(web_request(&web, "POST", "/effects/pay-1", "k-1", "hello"), 201);
    for (size_t i = 0; i < sizeof(looks) / sizeof(looks[0]); i++) {
        deed_sim_clock_advance(web.clock, looks[i].passed_ms);
        assert_int_equal(web_request(&web, "GET", "/effects/pay-1", NULL, ""), looks[i].status);
        assert_int_equal(web_request(&web, "GET", "/effects/pay-1", "k-1", ""), looks[i].status);
    }
    assert_int_equal(web_request(&web, "GET", "/effects/pay-1", "k-2", ""), 404);
    web_expect(&web, 1, 1);
    web_close(&web);
}

static void test_look__by_name_counts_what_came_under_every_key(void **state)
{
    (void)state;
    struct web web;
    web_open(&web, "\"class\":\"keyed+lookup\"");
    assert_int_equal(web_request(&web, "POST", "/effects/pay-1", "k-1", "hello"), 201);
    assert_int_equal(web_request(&web, "POST", "/effects/pay-1", "k-2", "hello"), 201);
    assert_int_equal(web_request(&web, "POST", "/effects/pay-2", "k-3", "hello"), 201);
    assert_int_equal(web_request(&web, "GET", "/effects/pay-1", NULL, ""), 200);
    assert_true(web_says(&web, "\"count\":2,\"reference\":\"fx-1\",\"key\":\"k-1\""));
    assert_int_equal(web_request(&web, "GET", "/effects/pay-1", "k-2", ""), 200);
    assert_true(web_says(&web, "\"count\":1,\"reference\":\"fx-2\",\"key\":\"k-2\""));
    assert_int_equal(web_request(&web, "GET", "/effects/pay-3", NULL, ""), 404);
    web_expect(&web, 3, 3);
    web_close(&web);
}

static void test_look__what_was_late_lands_when_it_is_due_and_is_told(void **state)
{
    (void)state;
    struct web web;
    web_open(&web, SCRIPT("lookup", "{\"do\":\"late\",\"land\":{\"after_ms\":5000}}"));
    assert_int_equal(web_request(&web, "POST", "/effects/pay-1", "k-1", "hello"), 0);
    assert_int_equal(web_request(&web, "GET", "/effects/pay-1", NULL, ""), 404);
    deed_sim_clock_advance(web.clock, 5000);
    web.events[0] = '\0';
    assert_int_equal(web_request(&web, "GET", "/effects/pay-1", NULL, ""), 200);
    assert_string_equal(web.events, "lookup_read landed lookup_answered");
    web_expect(&web, 1, 1);
    web_close(&web);
}

static void test_look__what_waits_for_looks_lands_after_them(void **state)
{
    (void)state;
    struct web web;
    web_open(&web, SCRIPT("lookup", "{\"do\":\"late\",\"land\":{\"after_looks\":2}}"));
    assert_int_equal(web_request(&web, "POST", "/effects/pay-1", "k-1", "hello"), 0);
    assert_int_equal(web_request(&web, "GET", "/effects/pay-1", NULL, ""), 404);
    assert_int_equal(web_request(&web, "GET", "/effects/pay-1", "k-1", ""), 404);
    assert_int_equal(web_request(&web, "GET", "/effects/pay-1", NULL, ""), 200);
    web_expect(&web, 1, 1);
    web_close(&web);
}

static void test_look__a_handle_is_polled(void **state)
{
    (void)state;
    struct web web;
    web_open(&web, SCRIPT("blind", "{\"do\":\"pending\"}"));
    assert_int_equal(web_request(&web, "POST", "/effects/pay-1", "k-1", "hello"), 202);
    assert_int_equal(web_request(&web, "GET", "/operations/op-1", NULL, ""), 202);
    assert_true(web_says(&web, "\"status\":\"pending\""));
    assert_int_equal(web_request(&web, "GET", "/operations/op-2", NULL, ""), 404);
    assert_int_equal(web_request(&web, "GET", "/operations/fx-1", NULL, ""), 404);
    assert_int_equal(web_control(&web, "POST", "/land/pay-1", ""), 200);
    assert_true(web_says(&web, "{\"landed\":1}"));
    assert_int_equal(web_request(&web, "GET", "/operations/op-1", NULL, ""), 200);
    assert_true(web_says(&web, "\"status\":\"present\""));
    assert_true(web_says(&web, "\"key\":\"k-1\""));
    web_expect(&web, 1, 1);
    web_close(&web);
}

static void test_look__says_what_its_script_says(void **state)
{
    (void)state;
    static const struct {
        const char *saying;
        int status;
        const char *says;
    } looks[] = {
        {"\"error\"", 503, "\"status\":\"unknown\""},
        {"\"incomplete\"", 206, "\"complete\":false"},
        {"\"wrong_marker\"", 200, "\"key\":\"another-key\""},
        {"\"wrong_digest\"", 200, "\"digest\":\"0000000000"},
        {"\"several\"", 200, "\"count\":2"},
    };
    for (size_t i = 0; i < sizeof(looks) / sizeof(looks[0]); i++) {
        struct web web;
        char options[100];
        (void)snprintf(
            options, sizeof(options), "\"class\":\"lookup\",\"lookup_script\":%s", looks[i].saying);
        web_open(&web, options);
        assert_int_equal(web_request(&web, "POST", "/effects/pay-1", "k-1", "hello"), 201);
        assert_int_equal(web_request(&web, "GET", "/effects/pay-1", "k-1", ""), looks[i].status);
        assert_true(web_says(&web, looks[i].says));
        web_close(&web);
    }
}

static void test_look__a_class_that_cannot_says_so(void **state)
{
    (void)state;
    struct web web;
    web_open(&web, "\"class\":\"keyed\"");
    assert_int_equal(web_request(&web, "GET", "/effects/pay-1", NULL, ""), 405);
    assert_int_equal(web_request(&web, "DELETE", "/effects/pay-1", NULL, ""), 405);
    assert_string_equal(web.events, "");
    web_close(&web);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fault__is_what_the_client_gets_and_what_happened),
        cmocka_unit_test(test_fault__a_cut_is_inside),
        cmocka_unit_test(test_fault__a_hang_stays_open_until_the_client_goes),
        cmocka_unit_test(test_fault__nobody_listens),
        cmocka_unit_test(test_key__a_replay_is_answered_as_one),
        cmocka_unit_test(test_key__after_its_window_it_is_a_new_one),
        cmocka_unit_test(test_key__without_one_a_keyed_provider_is_blind),
        cmocka_unit_test(test_key__one_that_is_closed_lets_nothing_through),
        cmocka_unit_test(test_look__sees_after_the_lag_and_within_the_reach),
        cmocka_unit_test(test_look__by_name_counts_what_came_under_every_key),
        cmocka_unit_test(test_look__what_was_late_lands_when_it_is_due_and_is_told),
        cmocka_unit_test(test_look__what_waits_for_looks_lands_after_them),
        cmocka_unit_test(test_look__a_handle_is_polled),
        cmocka_unit_test(test_look__says_what_its_script_says),
        cmocka_unit_test(test_look__a_class_that_cannot_says_so),
    };
    return cmocka_run_group_tests_name("http_faults", tests, NULL, NULL);
}
