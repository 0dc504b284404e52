/* SPDX-License-Identifier: MIT
 *
 * Listing by a cursor: pages add up to the whole, whatever is recorded between two of them.
 */
#include "support/scene.h"

#define KEYS 40
#define ROOM 64

struct listed {
    size_t count;
    char keys[ROOM][DEED_KEY_BYTES_MAX + 1];
};

static bool take(
    void *context, deed_rc rc, const struct deed_result *result, const struct deed_error *err)
{
    struct listed *listed = context;
    (void)err;
    assert_int_equal(rc, DEED_OK);
    assert_in_range(listed->count, 0, ROOM - 1);
    memcpy(listed->keys[listed->count++], result->key, sizeof(result->key));
    return true;
}

static deed_rc list(struct scene *scene, const struct deed_list *list, struct listed *listed)
{
    return deed_ledger_list(scene->workers[0], list, take, listed, &scene->err);
}

static void record(struct scene *scene, int number)
{
    char key[32];
    (void)snprintf(key, sizeof(key), "key-%02d", number);
    scene_record(scene, key);
}

/* Every third is retracted, so that not every row is an open one. */
static void fill(struct scene *scene)
{
    scene_new(scene, SCENE_BLIND);
    for (int i = 0; i < KEYS; i++) {
        record(scene, i);
    }
    for (int i = 0; i < KEYS; i += 3) {
        char key[32];
        (void)snprintf(key, sizeof(key), "key-%02d", i);
        struct deed_decision decision = {
            .size = sizeof(decision), .key = key, .by = "ada", .reason = "not wanted"};
        assert_int_equal(
            deed_retract(scene->workers[0], &decision, &scene->result, &scene->err), DEED_OK);
    }
}

/* Appends page after page of `limit`; `between` is called after each. */
static void page_through(struct scene *scene, uint32_t flags, uint32_t limit,
    void (*between)(struct scene *scene, int page), struct listed *all)
{
    char after[DEED_KEY_BYTES_MAX + 1] = "";
    for (int page = 0;; page++) {
        struct deed_list wanted = {.size = sizeof(wanted), .flags = flags, .limit = limit};
        wanted.after_key = after[0] == '\0' ? NULL : after;
        size_t before = all->count;
        assert_int_equal(list(scene, &wanted, all), DEED_OK);
        assert_true(all->count - before <= limit);
        if (all->count == before) {
            return;
        }
        memcpy(after, all->keys[all->count - 1], sizeof(after));
        if (between != NULL) {
            between(scene, page);
        }
    }
}

static void assert_same(const struct listed *one, const struct listed *other)
{
    assert_int_equal(one->count, other->count);
    for (size_t i = 0; i < one->count; i++) {
        assert_string_equal(one->keys[i], other->keys[i]);
    }
}

static void test_list_cursor__pages_add_up_to_the_whole(void **state)
{
    (void)state;
    struct scene scene;
    fill(&scene);
    static const uint32_t flags[] = {0, DEED_LIST_ALL};
    for (size_t f = 0; f < 2; f++) {
        struct deed_list everything = {.size = sizeof(everything), .flags = flags[f]};
        struct listed whole = {0};
        assert_int_equal(list(&scene, &everything, &whole), DEED_OK);
        assert_int_equal(whole.count, flags[f] == 0 ? KEYS - 14 + 1 : KEYS + 1);
        for (uint32_t limit = 1; limit <= KEYS + 2; limit++) {
            struct listed pages = {0};
            page_through(&scene, flags[f], limit, NULL, &pages);
            assert_same(&pages, &whole);
        }
    }
    scene_end(&scene);
}

static void record_more(struct scene *scene, int page)
{
    if (page < 10) {
        record(scene, KEYS + page);
    }
}

/* Nothing that stood there is missed or told twice, and what comes meanwhile is told at the end. */
static void test_list_cursor__what_is_recorded_meanwhile_comes_last(void **state)
{
    (void)state;
    struct scene scene;
    fill(&scene);
    struct listed pages = {0};
    page_through(&scene, DEED_LIST_ALL, 4, record_more, &pages);
    struct deed_list everything = {.size = sizeof(everything), .flags = DEED_LIST_ALL};
    struct listed whole = {0};
    assert_int_equal(list(&scene, &everything, &whole), DEED_OK);
    assert_int_equal(whole.count, KEYS + 1 + 10);
    assert_same(&pages, &whole);
    scene_end(&scene);
}

/* The cursor only says where to go on: the intent there need not be one that is wanted. */
static void test_list_cursor__the_cursor_need_not_meet_the_conditions(void **state)
{
    (void)state;
    struct scene scene;
    fill(&scene);
    struct deed_list open = {.size = sizeof(open), .after_key = "key-03", .limit = 1};
    struct listed one = {0};
    assert_int_equal(list(&scene, &open, &one), DEED_OK); /* key-03 is retracted */
    assert_string_equal(one.keys[0], "key-04");
    struct deed_list last = {.size = sizeof(last), .after_key = "key-39"};
    struct listed none = {0};
    assert_int_equal(list(&scene, &last, &none), DEED_OK);
    assert_int_equal(none.count, 0);
    scene_end(&scene);
}

static void test_list_cursor__an_unknown_key_is_no_cursor(void **state)
{
    (void)state;
    struct scene scene;
    fill(&scene);
    struct listed none = {0};
    struct deed_list unknown = {.size = sizeof(unknown), .after_key = "never-recorded"};
    assert_int_equal(list(&scene, &unknown, &none), DEED_E_NOT_FOUND);
    assert_non_null(strstr(scene.err.text,
        "there is no intent never-recorded to go on after; pass the key of the last one seen"));
    assert_string_equal(scene.err.key, "never-recorded");
    struct deed_list senseless = {.size = sizeof(senseless), .after_key = "No Key"};
    assert_int_equal(list(&scene, &senseless, &none), DEED_E_INVALID);
    /* Also where the conditions alone would list nothing. */
    struct deed_list empty = {.size = sizeof(empty),
        .flags = DEED_LIST_UNCERTAIN,
        .state = DEED_RECORDED,
        .after_key = "never-recorded"};
    assert_int_equal(list(&scene, &empty, &none), DEED_E_NOT_FOUND);
    assert_int_equal(none.count, 0);
    scene_end(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_list_cursor__pages_add_up_to_the_whole),
        cmocka_unit_test(test_list_cursor__what_is_recorded_meanwhile_comes_last),
        cmocka_unit_test(test_list_cursor__the_cursor_need_not_meet_the_conditions),
        cmocka_unit_test(test_list_cursor__an_unknown_key_is_no_cursor),
    };
    return cmocka_run_group_tests_name("list_cursor", tests, NULL, NULL);
}
