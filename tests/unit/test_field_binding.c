/* SPDX-License-Identifier: MIT
 *
 * Reports from the field (tests/field-reports.md): same key and same content, or another one? The
 * comparison is skipped by no way in, and nothing is made alike that is not.
 */
#include "support/scene.h"

/* Records under `key` with worker `w`; the payload is JSON text. */
static deed_rc record(struct scene *scene, int w, const char *key, const char *json)
{
    deed_payload_buffer *buffer = NULL;
    assert_int_equal(deed_payload_parse(json, strlen(json), &buffer, &scene->err), DEED_OK);
    struct deed_record in = {.size = sizeof(in), .key = key, .payload = deed_payload_view(buffer)};
    scene->result.size = sizeof(scene->result);
    deed_rc rc = deed_record(scene->workers[w], &in, &scene->result, &scene->err);
    deed_payload_free(buffer);
    return rc;
}

static deed_rc record_body(struct scene *scene, const char *key, const char *body)
{
    struct deed_payload payload = {{"payment", 7}, {"provider", 8}, {body, strlen(body)}};
    struct deed_record in = {.size = sizeof(in), .key = key, .payload = &payload};
    scene->result.size = sizeof(scene->result);
    return deed_record(scene->workers[0], &in, &scene->result, &scene->err);
}

/* FR-34: order, white space and spelling of the payload's own text do not count. The body is a text
 * and not read: what is JSON for its reader may differ for us. */
static void test_field_binding__spelling_of_the_payload_does_not_count_and_of_the_body_does(
    void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_BLIND);
    assert_int_equal(
        record(&scene, 0, "k-2",
            "{\"kind\":\"k\",\"target\":\"t\",\"body\":\"{\\\"a\\\":1,\\\"b\\\":2}\"}"),
        DEED_OK);
    assert_true(scene.result.created);
    assert_int_equal(record(&scene, 1, "k-2",
                         " {\"body\" : \"{\\\"\\u0061\\\":1,\\\"b\\\":2}\",\n\"target\":\"t\", "
                         "\"k\\u0069nd\":\"k\"}"),
        DEED_OK);
    assert_false(scene.result.created);
    assert_int_equal(
        record(&scene, 1, "k-2",
            "{\"kind\":\"k\",\"target\":\"t\",\"body\":\"{\\\"b\\\":2,\\\"a\\\":1}\"}"),
        DEED_E_CONFLICT);
    assert_non_null(strstr(scene.err.text, "the body differs"));
    scene_check(&scene);
    scene_end(&scene);
}

/* FR-38, FR-41: contents that a normal form of one's own would take for one. */
static void expect_all_different(const char *const *bodies, size_t count)
{
    struct scene scene;
    scene_new(&scene, SCENE_BLIND);
    for (size_t i = 0; i < count; i++) {
        char key[32];
        (void)snprintf(key, sizeof(key), "n-%zu", i);
        assert_int_equal(record_body(&scene, key, bodies[i]), DEED_OK);
        for (size_t j = 0; j < count; j++) {
            assert_int_equal(
                record_body(&scene, key, bodies[j]), i == j ? DEED_OK : DEED_E_CONFLICT);
            assert_false(scene.result.created);
        }
    }
    scene_check(&scene);
    scene_end(&scene);
}

static void test_field_binding__nothing_missing_null_and_zero_are_five_contents(void **state)
{
    static const char *const bodies[] = {
        "{\"a\":null}", "{}", "{\"a\":\"\"}", "{\"a\":0}", "{\"a\":false}", ""};
    (void)state;
    expect_all_different(bodies, sizeof(bodies) / sizeof(bodies[0]));
}

static void test_field_binding__equal_numbers_in_other_spellings_are_other_contents(void **state)
{
    static const char *const bodies[] = {"0.00001", "1e-5", "1E-5", "100", "1e2", "100.0", "-0",
        "0", "1e20", "100000000000000000000"};
    (void)state;
    expect_all_different(bodies, sizeof(bodies) / sizeof(bodies[0]));
}

/* FR-35: every way in that takes a payload compares first, in this process and in another, and hands
 * out no old result as an answer to the new question. */
static deed_rc many_rc;

static bool keep_rc(
    void *context, deed_rc rc, const struct deed_result *result, const struct deed_error *err)
{
    (void)context;
    (void)result;
    (void)err;
    many_rc = rc;
    return true;
}

static void expect_conflict_everywhere(struct scene *scene, int w)
{
    struct deed_payload other = {{"payment", 7}, {"provider", 8}, {"amount=2", 8}};
    struct deed_record in = {.size = sizeof(in), .key = SCENE_KEY, .payload = &other};
    struct deed_plan plan = {.size = sizeof(plan)};
    struct deed_binding binding = {.size = sizeof(binding),
        .executor = "host",
        .executor_version = "1",
        .account_scope = "a",
        .endpoint = "e",
        .provider_key = "",
        .bytes = (const uint8_t *)"x",
        .bytes_count = 1};
    struct deed_begin begin = {
        .size = sizeof(begin), .key = SCENE_KEY, .record = &in, .binding = &binding};
    struct deed_attempt attempt = {.size = sizeof(attempt)};
    deed_ledger *ledger = scene->workers[w];
    scene->result.size = sizeof(scene->result);
    assert_int_equal(deed_record(ledger, &in, &scene->result, &scene->err), DEED_E_CONFLICT);
    assert_int_equal(deed_exit_status(DEED_E_CONFLICT, DEED_EXIT_OTHER, &scene->result), 4);
    assert_int_equal(deed_record_many(ledger, &in, 1, keep_rc, NULL, &scene->err), DEED_OK);
    assert_int_equal(many_rc, DEED_E_CONFLICT);
    assert_int_equal(deed_plan(ledger, SCENE_KEY, &other, 0, &plan, &scene->result, &scene->err),
        DEED_E_CONFLICT);
    assert_int_equal(
        deed_begin(ledger, &begin, &attempt, &scene->result, &scene->err), DEED_E_CONFLICT);
    assert_null(strstr(scene->err.text, "amount"));
}

static void test_field_binding__every_way_in_compares_before_it_answers(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_BLIND);
    expect_conflict_everywhere(&scene, 0); /* recorded */
    assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
    expect_conflict_everywhere(&scene, 0); /* in doubt */
    assert_int_equal(scene_resolve(&scene, 1, DEED_APPLIED), DEED_OK);
    expect_conflict_everywhere(&scene, 0); /* settled; the handle knows it already */
    scene_restart(&scene, 2);
    expect_conflict_everywhere(&scene, 2);
    assert_int_equal(scene.provider.sends, 1);
    scene_expect(&scene, DEED_RECONCILED, DEED_APPLIED);
    scene_check(&scene);
    scene_end(&scene);
}

/* FR-47: the same word, composed and decomposed, is two texts, and the refusal says that they may
 * look alike. A key has no letters that could. */
static void test_field_binding__texts_that_look_alike_conflict_by_name(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_BLIND);
    assert_int_equal(
        record(&scene, 0, "k-1", "{\"kind\":\"k\",\"target\":\"caf\xC3\xA9\",\"body\":\"\"}"),
        DEED_OK);
    assert_int_equal(
        record(&scene, 0, "k-1", "{\"kind\":\"k\",\"target\":\"cafe\xCC\x81\",\"body\":\"\"}"),
        DEED_E_CONFLICT);
    assert_non_null(
        strstr(scene.err.text, "the target differs byte for byte, even where it may look alike"));
    assert_int_equal(record_body(&scene, "caf\xC3\xA9", ""), DEED_E_INVALID);
    assert_int_equal(record_body(&scene, "\xEF\xBD\x81", ""), DEED_E_INVALID); /* full-width a */
    scene_check(&scene);
    scene_end(&scene);
}

/* FR-49: the body holds a token that is new with each try. The key stays, so it is a conflict that
 * names the member and neither token, and no second action. */
static void test_field_binding__a_token_that_changes_is_a_conflict_and_no_second_action(
    void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_BLIND);
    assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
    assert_int_equal(record_body(&scene, SCENE_KEY, "amount=1&token=t2"), DEED_E_CONFLICT);
    assert_non_null(strstr(scene.err.text, "the body differs"));
    assert_null(strstr(scene.err.text, "t2"));
    assert_null(strstr(scene.err.text, "amount"));
    assert_true(scene.result.uncertain); /* the refusal tells how the first one stands */
    assert_int_equal(scene.provider.sends, 1);
    scene_expect_uncertain(&scene);
    scene_check(&scene);
    scene_end(&scene);
}

/* FR-70: what is new, what was there and what differs, again and again on one handle, whose last
 * insert was always another one. */
static void test_field_binding__new_and_known_are_told_apart_on_one_handle(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_BLIND);
    for (int round = 0; round < 3; round++) {
        char second[16];
        char third[16];
        (void)snprintf(second, sizeof(second), "x-2-%d", round);
        (void)snprintf(third, sizeof(third), "x-3-%d", round);
        assert_int_equal(record_body(&scene, "x-1", "a"), DEED_OK);
        assert_int_equal(scene.result.created, round == 0);
        assert_int_equal(record_body(&scene, second, "a"), DEED_OK);
        assert_true(scene.result.created);
        assert_int_equal(record_body(&scene, "x-1", "a"), DEED_OK);
        assert_false(scene.result.created);
        assert_string_equal(scene.result.key, "x-1");
        assert_int_equal(record_body(&scene, "x-1", "b"), DEED_E_CONFLICT);
        assert_false(scene.result.created);
        assert_int_equal(record_body(&scene, third, "b"), DEED_OK);
        assert_true(scene.result.created);
        assert_string_equal(scene.result.key, third);
    }
    scene_check(&scene);
    scene_end(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            test_field_binding__spelling_of_the_payload_does_not_count_and_of_the_body_does),
        cmocka_unit_test(test_field_binding__nothing_missing_null_and_zero_are_five_contents),
        cmocka_unit_test(test_field_binding__equal_numbers_in_other_spellings_are_other_contents),
        cmocka_unit_test(test_field_binding__every_way_in_compares_before_it_answers),
        cmocka_unit_test(test_field_binding__texts_that_look_alike_conflict_by_name),
        cmocka_unit_test(
            test_field_binding__a_token_that_changes_is_a_conflict_and_no_second_action),
        cmocka_unit_test(test_field_binding__new_and_known_are_told_apart_on_one_handle),
    };
    return cmocka_run_group_tests_name("field_binding", tests, NULL, NULL);
}
