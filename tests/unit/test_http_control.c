/* SPDX-License-Identifier: MIT
 *
 * The control port of the provider: counts, events, what is late, what is to go wrong next.
 */
#include "test_http_rig.h"

static void test_counts__of_all_and_of_one_name(void **state)
{
    (void)state;
    struct web web;
    web_open(&web, "\"class\":\"keyed+lookup\"");
    (void)web_request(&web, "POST", "/effects/pay-1", "k-1", "hello");
    (void)web_request(&web, "POST", "/effects/pay-1", "k-1", "hello");
    (void)web_request(&web, "POST", "/effects/pay-2", NULL, "hello");
    (void)web_request(&web, "GET", "/effects/pay-2", NULL, "");
    assert_int_equal(web_control(&web, "GET", "/counts", ""), 200);
    assert_true(web_says(&web, "{\"total\":{\"sends\":3,\"effects\":2,"));
    assert_true(web_says(&web, "\"pay-1\":{\"sends\":2,\"effects\":1,"));
    assert_int_equal(web_control(&web, "GET", "/counts?name=pay-2", ""), 200);
    assert_true(web_says(&web, "{\"sends\":1,\"effects\":1,"));
    assert_true(web_says(&web, "\"lookups\":1"));
    assert_int_equal(web_control(&web, "GET", "/counts?name=none", ""), 200);
    assert_true(web_says(&web, "{\"sends\":0,\"effects\":0,"));
    assert_int_equal(web_control(&web, "GET", "/counts?key=pay-2", ""), 400);
    web_close(&web);
}

static void test_events__are_numbered_and_can_be_had_from_a_number_on(void **state)
{
    (void)state;
    struct web web;
    web_open(&web, "\"class\":\"keyed\"");
    (void)web_request(&web, "POST", "/effects/pay-1", "k-1", "hello");
    assert_int_equal(web_control(&web, "GET", "/events", ""), 200);
    assert_true(web_says(&web,
        "{\"events\":[{\"number\":1,\"event\":\"request_read\",\"name\":\"pay-1\",\"key\":\"k-1\","
        "\"method\":\"POST\",\"at_ms\":1700000000000},{\"number\":2,\"event\":\"effect\","));
    assert_int_equal(web_control(&web, "GET", "/events?after=3", ""), 200);
    assert_true(web_says(&web, "{\"events\":[{\"number\":4,\"event\":\"answer_done\","));
    assert_int_equal(web_control(&web, "GET", "/events?after=4", ""), 200);
    assert_true(web_says(&web, "{\"events\":[]}"));
    assert_int_equal(web_control(&web, "GET", "/events?after=-1", ""), 400);
    assert_int_equal(web_control(&web, "GET", "/events?after=1x", ""), 400);
    web_close(&web);
}

static void test_land__one_name_or_all(void **state)
{
    (void)state;
    struct web web;
    web_open(&web, "\"class\":\"blind\",\"script\":{\"do\":\"late\"}");
    (void)web_request(&web, "POST", "/effects/pay-1", NULL, "hello");
    (void)web_request(&web, "POST", "/effects/pay-2", NULL, "hello");
    (void)web_request(&web, "POST", "/effects/pay-3", NULL, "hello");
    web.events[0] = '\0';
    assert_int_equal(web_control(&web, "POST", "/land/pay-2", ""), 200);
    assert_true(web_says(&web, "{\"landed\":1}"));
    web_expect(&web, 3, 1);
    assert_int_equal(web_control(&web, "POST", "/land", ""), 200);
    assert_true(web_says(&web, "{\"landed\":2}"));
    assert_string_equal(web.events, "landed landed landed");
    web_expect(&web, 3, 3);
    web_close(&web);
}

static void test_script__serves_the_next_requests_or_is_refused_whole(void **state)
{
    (void)state;
    struct web web;
    web_open(&web, "\"class\":\"blind\",\"script\":[{\"do\":\"reject\"},{\"do\":\"answer\"}]");
    assert_int_equal(web_request(&web, "POST", "/effects/pay-1", NULL, "hello"), 402);
    assert_int_equal(web_request(&web, "POST", "/effects/pay-1", NULL, "hello"), 201);
    assert_int_equal(
        web_control(&web, "POST", "/script", "{\"script\":{\"do\":\"explode\"}}"), 400);
    assert_true(web_says(&web, "script.do: must be one of"));
    assert_int_equal(web_control(&web, "POST", "/script", "{\"class\":\"keyed\"}"), 400);
    assert_int_equal(web_control(&web, "POST", "/script", "nothing"), 400);
    assert_int_equal(web_request(&web, "POST", "/effects/pay-1", NULL, "hello"), 201);
    assert_int_equal(web_control(&web, "POST", "/script",
                         "{\"script\":[{\"do\":\"error\"},{\"do\":\"answer\"}]}"),
        200);
    assert_int_equal(web_request(&web, "POST", "/effects/pay-1", NULL, "hello"), 500);
    assert_int_equal(web_request(&web, "POST", "/effects/pay-1", NULL, "hello"), 201);
    web_expect(&web, 5, 3);
    web_close(&web);
}

static void test_reset__forgets_all_that_happened(void **state)
{
    (void)state;
    struct web web;
    web_open(&web, "\"class\":\"keyed\",\"script\":[{\"do\":\"lose\"},{\"do\":\"answer\"}]");
    (void)web_request(&web, "POST", "/effects/pay-1", "k-1", "hello");
    assert_int_equal(web_control(&web, "POST", "/reset", ""), 200);
    web_expect(&web, 0, 0);
    assert_int_equal(web_control(&web, "GET", "/events", ""), 200);
    assert_true(web_says(&web, "{\"events\":[]}"));
    assert_int_equal(web_request(&web, "POST", "/effects/pay-1", "k-1", "hello"), 0);
    assert_int_equal(web_request(&web, "POST", "/effects/pay-1", "k-1", "hello"), 200);
    assert_true(web_says(&web, "fx-1"));
    web_expect(&web, 2, 1);
    web_close(&web);
}

static void test_reset__leaves_a_world_of_somebody_else_alone(void **state)
{
    (void)state;
    struct deed__http_provider *provider = NULL;
    struct deed_error err = {.text = ""};
    deed_world *world = NULL;
    (void)unlink(WEB_WORLD);
    assert_int_equal(deed_world_open(WEB_WORLD, &world, NULL), DEED_OK);
    const struct deed__http_options options = {
        .options_json = "{\"class\":\"blind\"}", .world = world};
    assert_int_equal(deed__http_provider_start(&options, &provider, NULL), DEED_OK);
    assert_null(deed__http_provider_control_url(provider));
    assert_int_equal(deed__http_provider_reset(provider, &err), DEED_E_MISUSE);
    assert_ptr_equal(deed__http_provider_world(provider), world);
    deed__http_provider_stop(provider);
    deed_world_close(world);
}

static void test_control__says_what_there_is(void **state)
{
    (void)state;
    struct web web;
    web_open(&web, "\"class\":\"blind\"");
    assert_int_equal(web_control(&web, "GET", "/", ""), 404);
    assert_int_equal(web_control(&web, "POST", "/counts", ""), 404);
    assert_int_equal(web_control(&web, "POST", "/land/", ""), 404);
    assert_int_equal(web_control(&web, "DELETE", "/counts", ""), 404);
    assert_int_equal(web_control(&web, "POST", "/listen", "{}"), 400);
    assert_int_equal(web_control(&web, "POST", "/listen", "{\"open\":1}"), 400);
    assert_int_equal(web_control(&web, "POST", "/effects/pay-1", ""), 404);
    web_expect(&web, 0, 0);
    web_close(&web);
}

static void test_start__refuses_what_is_wrong(void **state)
{
    (void)state;
    static const char *const refused[] = {NULL, "", "[]", "{}", "{\"class\":\"blind\"}",
        "{\"world\":\"" WEB_WORLD "\",\"class\":\"magic\"}",
        "{\"world\":\"" WEB_WORLD "\",\"class\":\"blind\",\"cut\":\"body\"}",
        "{\"world\":\"" WEB_WORLD "\",\"class\":\"blind\",\"script\":{\"cut\":\"foot\"}}",
        "{\"world\":\"" WEB_WORLD "\",\"class\":\"blind\","
        "\"script\":{\"do\":\"lose\",\"cut\":\"body\"}}"};
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        struct deed__http_provider *provider = NULL;
        struct deed_error err = {.text = ""};
        const struct deed__http_options options = {.options_json = refused[i]};
        assert_int_equal(deed__http_provider_start(&options, &provider, &err), DEED_E_INVALID);
        assert_null(provider);
        assert_true(err.text[0] != '\0');
    }
}

static void test_start__refuses_a_port_that_is_taken(void **state)
{
    (void)state;
    struct web web;
    struct deed_error err = {.text = ""};
    struct deed__http_provider *second = NULL;
    web_open(&web, "\"class\":\"blind\"");
    const struct deed__http_options options = {
        .options_json = "{\"world\":\"second.world\",\"class\":\"blind\"}",
        .port = web_port(deed__http_provider_url(web.provider))};
    assert_int_equal(deed__http_provider_start(&options, &second, &err), DEED_E_SYSTEM);
    assert_non_null(strstr(err.text, "cannot listen at 127.0.0.1:"));
    web_close(&web);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts__of_all_and_of_one_name),
        cmocka_unit_test(test_events__are_numbered_and_can_be_had_from_a_number_on),
        cmocka_unit_test(test_land__one_name_or_all),
        cmocka_unit_test(test_script__serves_the_next_requests_or_is_refused_whole),
        cmocka_unit_test(test_reset__forgets_all_that_happened),
        cmocka_unit_test(test_reset__leaves_a_world_of_somebody_else_alone),
        cmocka_unit_test(test_control__says_what_there_is),
        cmocka_unit_test(test_start__refuses_what_is_wrong),
        cmocka_unit_test(test_start__refuses_a_port_that_is_taken),
    };
    return cmocka_run_group_tests_name("http_control", tests, NULL, NULL);
}
