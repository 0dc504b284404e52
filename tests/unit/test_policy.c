/* SPDX-License-Identifier: MIT
 *
 * Arithmetic of patience and of keys, at the ends of its ranges.
 */
#include "support/test.h"

#include "policy.h"

static void test_policy__the_pause_doubles_up_to_its_cap(void **state)
{
    (void)state;
    struct deed_profile profile = {.backoff_base_ms = 1000, .backoff_cap_ms = 300000};
    static const int64_t pauses[] = {
        1000, 1000, 2000, 4000, 8000, 16000, 32000, 64000, 128000, 256000, 300000, 300000};
    for (uint32_t tries = 0; tries < sizeof(pauses) / sizeof(pauses[0]); tries++) {
        assert_int_equal(deed__backoff_ms(&profile, tries), pauses[tries]);
    }
}

/* However often it was tried, and however long the pauses are: never less than before, never more
 * than the cap, and never negative. */
static void test_policy__the_pause_never_overflows(void **state)
{
    (void)state;
    static const uint32_t tries[] = {
        1, 2, 31, 32, 33, 52, 53, 54, 62, 63, 64, 65, 127, 128, 1000, UINT32_MAX};
    static const struct {
        int64_t base;
        int64_t cap;
    } ranges[] = {{1, DEED_DURATION_MS_MAX}, {1000, 300000}, {3, DEED_DURATION_MS_MAX},
        {DEED_DURATION_MS_MAX, DEED_DURATION_MS_MAX}, {5000, 1000}};
    for (size_t r = 0; r < sizeof(ranges) / sizeof(ranges[0]); r++) {
        struct deed_profile profile = {
            .backoff_base_ms = ranges[r].base, .backoff_cap_ms = ranges[r].cap};
        int64_t last = 0;
        for (size_t i = 0; i < sizeof(tries) / sizeof(tries[0]); i++) {
            int64_t pause = deed__backoff_ms(&profile, tries[i]);
            assert_true(pause >= last && pause > 0 && pause <= ranges[r].cap);
            last = pause;
        }
        assert_int_equal(last, ranges[r].cap);
    }
}

static void test_policy__a_provider_key_is_a_uuid_of_four_facts(void **state)
{
    (void)state;
    static const struct {
        const char *ledger;
        const char *key;
        uint8_t digest;
        uint32_t generation;
    } facts[] = {{"a", "k", 1, 0}, {"b", "k", 1, 0}, {"a", "l", 1, 0}, {"a", "k", 2, 0},
        {"a", "k", 1, 1}, {"ak", "k", 1, 0}, {"a", "kk", 1, 0}, {"a", "k", 1, UINT32_MAX}};
    enum {
        FACTS = sizeof(facts) / sizeof(facts[0])
    };
    char keys[FACTS][DEED_PROVIDER_KEY_BYTES];
    for (size_t i = 0; i < FACTS; i++) {
        uint8_t digest[DEED_DIGEST_BYTES] = {facts[i].digest};
        for (int again = 0; again < 2; again++) {
            char key[DEED_PROVIDER_KEY_BYTES];
            assert_int_equal(deed__provider_key(facts[i].ledger, facts[i].key, digest,
                                 facts[i].generation, key, NULL),
                DEED_OK);
            assert_int_equal(strlen(key), 36);
            assert_int_equal(strspn(key, "0123456789abcdef-"), 36);
            assert_true(key[8] == '-' && key[13] == '-' && key[18] == '-' && key[23] == '-');
            assert_int_equal(key[14], '4');
            assert_non_null(strchr("89ab", key[19]));
            assert_true(again == 0 || strcmp(key, keys[i]) == 0);
            memcpy(keys[i], key, sizeof(key));
        }
        for (size_t k = 0; k < i; k++) {
            assert_string_not_equal(keys[i], keys[k]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_policy__the_pause_doubles_up_to_its_cap),
        cmocka_unit_test(test_policy__the_pause_never_overflows),
        cmocka_unit_test(test_policy__a_provider_key_is_a_uuid_of_four_facts),
    };
    return cmocka_run_group_tests_name("policy", tests, NULL, NULL);
}
