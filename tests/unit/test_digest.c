/* SPDX-License-Identifier: MIT
 *
 * SHA-256 against published values, and its text.
 */
#include "support/test.h"

#include "support/payload.h"

#include "digest.h"

static void assert_digest(const char *data, size_t bytes, const char *expected)
{
    uint8_t digest[DEED_DIGEST_BYTES];
    char text[DEED_DIGEST_TEXT_BYTES];
    assert_int_equal(DEED_OK, deed__sha256_of(data, bytes, digest, NULL));
    deed_digest_text(digest, text);
    assert_string_equal(expected, text);
}

static void test_digest__published_values_hold(void **state)
{
    (void)state; /* FIPS 180-4, examples */
    assert_digest("", 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    assert_digest("abc", 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_digest("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56,
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

static void test_digest__pieces_give_the_digest_of_the_whole(void **state)
{
    (void)state;
    static const char text[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    uint8_t whole[DEED_DIGEST_BYTES];
    assert_int_equal(DEED_OK, deed__sha256_of(text, sizeof(text) - 1, whole, NULL));
    for (size_t cut = 0; cut < sizeof(text); cut++) {
        struct evp_md_ctx_st *hash = NULL;
        uint8_t digest[DEED_DIGEST_BYTES];
        assert_int_equal(DEED_OK, deed__sha256_new(&hash, NULL));
        assert_true(deed__sha256_put(hash, text, cut));
        assert_true(deed__sha256_put(hash, text + cut, sizeof(text) - 1 - cut));
        assert_int_equal(DEED_OK, deed__sha256_finish(hash, digest, NULL));
        assert_memory_equal(whole, digest, sizeof(digest));
        deed__sha256_free(hash);
    }
    deed__sha256_free(NULL);
}

static void test_digest__a_payload_that_is_none_has_no_digest(void **state)
{
    (void)state;
    uint8_t digest[DEED_DIGEST_BYTES] = {0x5A};
    struct deed_error err = {0};
    const struct deed_payload payload = {.kind = TEXT("k"), .target = TEXT("t")};
    assert_int_equal(DEED_E_INVALID, deed_payload_digest(&payload, digest, &err));
    assert_int_equal(0x5A, digest[0]); /* out-parameters are written on success only */
    assert_string_equal(
        "payload: the member \"body\" is missing; an empty string is allowed", err.text);
}

static void test_digest__its_text_is_lower_case_hex_of_every_byte(void **state)
{
    (void)state;
    uint8_t digest[DEED_DIGEST_BYTES];
    char text[DEED_DIGEST_TEXT_BYTES];
    for (size_t i = 0; i < sizeof(digest); i++) {
        digest[i] = (uint8_t)(i * 8 + 7);
    }
    deed_digest_text(digest, text);
    assert_string_equal("070f171f272f373f474f575f676f777f878f979fa7afb7bfc7cfd7dfe7eff7ff", text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_digest__published_values_hold),
        cmocka_unit_test(test_digest__pieces_give_the_digest_of_the_whole),
        cmocka_unit_test(test_digest__a_payload_that_is_none_has_no_digest),
        cmocka_unit_test(test_digest__its_text_is_lower_case_hex_of_every_byte),
    };
    return cmocka_run_group_tests_name("digest", tests, NULL, NULL);
}
