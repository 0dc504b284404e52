/* SPDX-License-Identifier: MIT
 *
 * Structs that begin with `size`, as programs with older and newer headers pass them.
 *
 * Method: the same call with the same struct in every size. Behind what it says it holds lies a
 * canary: in memory of our own, so that it is seen whether it was written or taken for a member, and
 * once more without it, so that AddressSanitizer sees who only reads.
 */
#include "support/sized_calls.h"

#define CANARY      0xA5
#define CANARY_ROOM 64
#define NEWER       32 /* a newer struct has so many bytes more */

struct variant {
    size_t size;
    bool told;    /* what the newer struct has more is used */
    bool guarded; /* the canary lies behind it */
};

struct outcome {
    deed_rc rc;
    bool written; /* of what the library fills: something came */
    bool touched; /* behind the struct, or in the members nobody knows */
    struct deed_error err;
};

static struct outcome try(const struct sized_call *call, struct variant variant)
{
    struct scene scene;
    scene_new(&scene, SCENE_KEYED_LOOKUP);
    const size_t size = variant.size;
    const size_t held = size < sizeof(size_t) ? sizeof(size_t) : size;
    const size_t room = held + (variant.guarded ? CANARY_ROOM : 0);
    uint8_t *at = malloc(room);
    uint8_t *before = malloc(room);
    uint8_t *sound = calloc(1, call->whole + NEWER);
    if (at == NULL || before == NULL || sound == NULL) {
        abort();
    }
    memset(at, CANARY, room);
    if (call->fill != NULL) {
        call->fill(&scene, sound);
        memset(sound + call->whole, variant.told ? 1 : 0, NEWER);
        memcpy(at, sound, size < call->whole + NEWER ? size : call->whole + NEWER);
    }
    memcpy(at, &size, sizeof(size));
    memcpy(before, at, room);
    struct outcome outcome = {.rc = DEED_OK};
    outcome.rc = call->run(&scene, at, &outcome.err);
    const size_t known = size < call->whole ? size : call->whole;
    outcome.written = known > sizeof(size_t) && memcmp(at, before, known) != 0;
    outcome.touched = memcmp(at, before, sizeof(size_t)) != 0 ||
        (room > known && memcmp(at + known, before + known, room - known) != 0);
    if (call->fill != NULL) {
        assert_memory_equal(at, before, room); /* what is given is only read */
    }
    free(sound);
    free(before);
    free(at);
    scene_end(&scene);
    return outcome;
}

static bool names(const struct sized_call *call, const struct outcome *outcome)
{
    char text[128];
    (void)snprintf(text, sizeof(text), "struct %s ", call->name);
    return strstr(outcome->err.text, text) != NULL;
}

static bool advises(const struct sized_call *call, const struct outcome *outcome)
{
    char text[128];
    (void)snprintf(text, sizeof(text), ".size = sizeof(struct %s)", call->name);
    return strstr(outcome->err.text, text) != NULL;
}

static void expect(bool holds, const struct sized_call *call, struct variant variant,
    const struct outcome *outcome, const char *rule)
{
    if (!holds) {
        fail_msg("struct %s in %s, size %zu of %zu: %s; it answered %s: %s", call->name, call->call,
            variant.size, call->whole, rule, deed_rc_name(outcome->rc), outcome->err.text);
    }
}

static void expect_accepted(const struct sized_call *call, struct variant variant)
{
    struct outcome outcome = try(call, variant);
    expect(outcome.rc != DEED_E_MISUSE, call, variant, &outcome, "it is to be accepted");
    expect(!outcome.touched, call, variant, &outcome, "nothing behind it is to be written");
    expect(call->fill != NULL || outcome.written, call, variant, &outcome, "it is to be filled");
}

static void expect_refused(const struct sized_call *call, struct variant variant, bool advice)
{
    struct outcome outcome = try(call, variant);
    expect(outcome.rc == DEED_E_MISUSE, call, variant, &outcome, "it is to be refused");
    expect(names(call, &outcome) && (!advice || advises(call, &outcome)), call, variant, &outcome,
        "the text is to name the struct and what to do");
    expect(!outcome.touched && !outcome.written, call, variant, &outcome, "nothing is written");
}

static void test_sizes__the_present_size_is_accepted(void **state)
{
    (void)state;
    for (size_t i = 0; i < sized_call_count; i++) {
        const struct sized_call *call = &sized_calls[i];
        expect_accepted(call, (struct variant){.size = call->whole, .guarded = true});
    }
}

/* From what is too small for any use, through every older shape. */
static void test_sizes__a_smaller_struct_is_taken_as_far_as_it_goes(void **state)
{
    (void)state;
    size_t smaller = 0;
    for (size_t i = 0; i < sized_call_count; i++) {
        const struct sized_call *call = &sized_calls[i];
        const size_t step = call->whole > 320 ? call->whole / 160 * 8 : 8;
        bool reached = false;
        for (size_t size = 8; size < call->whole; size += step) {
            struct variant variant = {.size = size, .guarded = true};
            struct outcome outcome = try(call, variant);
            reached = reached || outcome.rc != DEED_E_MISUSE;
            if (reached) {
                expect_accepted(call, variant);
                expect_accepted(call, (struct variant){.size = size});
                smaller++;
            } else {
                expect_refused(call, variant, true);
            }
        }
    }
    assert_true(smaller > sized_call_count); /* the rule was not tested on refusals alone */
}

static void test_sizes__a_larger_struct_that_says_no_more_is_accepted(void **state)
{
    (void)state;
    for (size_t i = 0; i < sized_call_count; i++) {
        const struct sized_call *call = &sized_calls[i];
        expect_accepted(call, (struct variant){.size = call->whole + NEWER, .guarded = true});
    }
}

/* A place to be filled says nothing, whatever lies in it. */
static void test_sizes__a_larger_struct_that_says_more_is_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sized_call_count; i++) {
        const struct sized_call *call = &sized_calls[i];
        if (call->fill != NULL) {
            expect_refused(
                call, (struct variant){call->whole + NEWER, .told = true, .guarded = true}, false);
        }
    }
}

static void test_sizes__a_forgotten_size_is_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sized_call_count; i++) {
        const struct sized_call *call = &sized_calls[i];
        expect_refused(call, (struct variant){.size = 0, .guarded = true}, true);
    }
}

static void test_sizes__every_struct_of_the_headers_is_in_the_table(void **state)
{
    (void)state;
    const char *missing = sized_missing();
    if (missing != NULL) {
        fail_msg("struct %s is in the headers or in the table, and not in both", missing);
    }
}

static void test_sizes__records_of_unlike_sizes_are_no_array(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_BLIND);
    const struct deed_payload payload = {{"payment", 7}, {"provider", 8}, {"amount=1", 8}};
    struct deed_record records[] = {
        {.size = sizeof(records[0]), .key = "size-1", .payload = &payload},
        {.size = sizeof(records[0]) + 8, .key = "size-2", .payload = &payload},
    };
    assert_int_equal(
        deed_record_many(scene.workers[0], records, 2, NULL, NULL, &scene.err), DEED_E_MISUSE);
    assert_non_null(strstr(scene.err.text, "number 2"));
    struct deed_result result = {.size = sizeof(result)};
    assert_int_equal(deed_get(scene.workers[0], "size-1", &result, &scene.err), DEED_E_NOT_FOUND);
    scene_end(&scene);
}

/* Older records lie closer together, newer ones farther apart. */
static void test_sizes__records_of_other_headers_lie_at_their_own_distance(void **state)
{
    (void)state;
    static const size_t strides[] = {
        offsetof(struct deed_record, hold_reason), sizeof(struct deed_record) + NEWER};
    for (size_t i = 0; i < 2; i++) {
        struct scene scene;
        scene_new(&scene, SCENE_BLIND);
        const struct deed_payload payload = {{"payment", 7}, {"provider", 8}, {"amount=1", 8}};
        static const char *const keys[] = {"size-1", "size-2", "size-3"};
        const size_t stride = strides[i];
        char *array = calloc(3, stride);
        assert_non_null(array);
        for (size_t n = 0; n < 3; n++) {
            struct deed_record record = {.size = stride, .key = keys[n], .payload = &payload};
            memcpy(array + n * stride, &record, stride < sizeof(record) ? stride : sizeof(record));
        }
        assert_int_equal(deed_record_many(scene.workers[0],
                             (const struct deed_record *)(void *)array, 3, NULL, NULL, &scene.err),
            DEED_OK);
        free(array);
        struct deed_result result = {.size = sizeof(result)};
        for (size_t n = 0; n < 3; n++) {
            assert_int_equal(deed_get(scene.workers[0], keys[n], &result, &scene.err), DEED_OK);
            assert_string_equal(result.key, keys[n]);
        }
        scene_end(&scene);
    }
}

/* An exit status is no error of its own, but never "done" for a result that was never filled. */
static void test_sizes__a_result_without_size_has_no_status_of_success(void **state)
{
    (void)state;
    struct deed_result result = {.size = 0};
    assert_int_not_equal(deed_exit_status(DEED_OK, DEED_EXIT_ACTING, &result), 0);
    result.size = sizeof(result);
    assert_int_equal(deed_exit_status(DEED_OK, DEED_EXIT_ACTING, &result), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes__the_present_size_is_accepted),
        cmocka_unit_test(test_sizes__a_smaller_struct_is_taken_as_far_as_it_goes),
        cmocka_unit_test(test_sizes__a_larger_struct_that_says_no_more_is_accepted),
        cmocka_unit_test(test_sizes__a_larger_struct_that_says_more_is_refused),
        cmocka_unit_test(test_sizes__a_forgotten_size_is_refused),
        cmocka_unit_test(test_sizes__every_struct_of_the_headers_is_in_the_table),
        cmocka_unit_test(test_sizes__records_of_unlike_sizes_are_no_array),
        cmocka_unit_test(test_sizes__records_of_other_headers_lie_at_their_own_distance),
        cmocka_unit_test(test_sizes__a_result_without_size_has_no_status_of_success),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
