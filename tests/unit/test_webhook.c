/* SPDX-License-Identifier: MIT
 *
 * Signed messages: what is genuine, what is new, and what is read in them. Method: signatures are
 * made here with HMAC() of libcrypto, and once compared with RFC 4231; the verifier is asked
 * directly.
 */
#include "support/test.h"

#include <openssl/hmac.h>

#include <deed/evidence.h>

#define SECRET "whsec_1"
#define NOW_MS INT64_C(1700000000000)
#define NOW_S  "1700000000"

static const char message_text[] =
    "{\"id\":\"evt_1\",\"data\":{\"object\":{\"id\":\"ch_1\",\"metadata\":{\"key\":"
    "\"11111111-2222-4333-8444-555555555555\",\"digest\":"
    "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"}}},"
    "\"type\":\"charge.succeeded\",\"list\":[\"zero\",{\"a/b\":\"slash\",\"m~n\":\"tilde\"}],"
    "\"n\":17,\"f\":1.5,\"t\":true,\"o\":{},\"null\":null,\"\":\"empty\"}";

static struct deed_webhook hook(void)
{
    return (struct deed_webhook){.size = sizeof(struct deed_webhook),
        .secret = SECRET,
        .scheme = "hex",
        .provider_key = "/data/object/metadata/key",
        .digest = "/data/object/metadata/digest",
        .reference = "/data/object/id",
        .event_id = "/id",
        .outcome = "/type",
        .outcome_value = "charge.succeeded"};
}

static void sign(const char *secret, const char *prefix, struct deed_text message, char hex_out[65])
{
    unsigned char mac[32];
    unsigned int length = 0;
    size_t prefix_bytes = prefix == NULL ? 0 : strlen(prefix);
    unsigned char *data = malloc(prefix_bytes + message.bytes + 1);
    assert_non_null(data);
    for (size_t i = 0; i < prefix_bytes; i++) {
        data[i] = (unsigned char)prefix[i];
    }
    if (message.bytes > 0) {
        memcpy(data + prefix_bytes, message.data, message.bytes);
    }
    assert_non_null(HMAC(EVP_sha256(), secret, (int)strlen(secret), data,
        prefix_bytes + message.bytes, mac, &length));
    free(data);
    for (size_t i = 0; i < sizeof(mac); i++) {
        (void)snprintf(hex_out + 2 * i, 3, "%02x", mac[i]);
    }
}

struct asked {
    struct deed_verified verified;
    struct deed_error err;
};

static deed_rc ask(const struct deed_webhook *webhook, struct deed_text message,
    const char *signature, int64_t now_ms, struct asked *asked)
{
    struct deed_verifier *verifier = NULL;
    memset(asked, 0, sizeof(*asked));
    if (deed_webhook_verifier_create(webhook, &verifier, &asked->err) != DEED_OK) {
        fail_msg("%s", asked->err.text);
    }
    struct deed_evidence evidence = {.size = sizeof(evidence),
        .key = "pay-1",
        .source = "bank",
        .message = message,
        .signature = signature};
    asked->verified.size = sizeof(asked->verified);
    deed_rc rc = verifier->verify(verifier->self, &evidence, now_ms, &asked->verified, &asked->err);
    verifier->destroy(verifier->self);
    if (rc != DEED_OK) { /* nothing is said, and nothing is quoted */
        assert_int_equal(asked->verified.outcome, DEED_OUTCOME_NONE);
        assert_string_equal(asked->verified.reference, "");
        assert_null(strstr(asked->err.text, SECRET));
        assert_null(strstr(asked->err.text, "ch_1"));
        assert_true(signature == NULL || strlen(signature) < 16 ||
            strstr(asked->err.text, signature) == NULL);
    }
    return rc;
}

static struct deed_text text_of(const char *text)
{
    return (struct deed_text){text, strlen(text)};
}

static deed_rc ask_signed(const struct deed_webhook *webhook, const char *text, struct asked *asked)
{
    char hex[65];
    sign(SECRET, NULL, text_of(text), hex);
    return ask(webhook, text_of(text), hex, NOW_MS, asked);
}

/* ---- hex --------------------------------------------------------------------------------------- */

/* RFC 4231, test case 2. */
static void test_webhook__the_mac_is_that_of_the_standard(void **state)
{
    (void)state;
    struct asked asked;
    struct deed_webhook webhook = {.size = sizeof(webhook), .secret = "Jefe", .scheme = "hex"};
    struct deed_text message = text_of("what do ya want for nothing?");
    static const char mac[] = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
    assert_int_equal(ask(&webhook, message, mac, NOW_MS, &asked), DEED_OK);
    assert_int_equal(asked.verified.outcome, DEED_OUTCOME_NONE); /* it tells of nothing */
    static const char upper[] = "5BDCC146BF60754E6A042426089575C75A003F089D2739839DEC58B964EC3843";
    assert_int_equal(ask(&webhook, message, upper, NOW_MS, &asked), DEED_OK);
}

static void test_webhook__a_genuine_message_is_read(void **state)
{
    (void)state;
    struct asked asked;
    struct deed_webhook webhook = hook();
    assert_int_equal(ask_signed(&webhook, message_text, &asked), DEED_OK);
    assert_int_equal(asked.verified.outcome, DEED_APPLIED);
    assert_string_equal(asked.verified.provider_key, "11111111-2222-4333-8444-555555555555");
    assert_int_equal(strlen(asked.verified.digest), 64);
    assert_string_equal(asked.verified.reference, "ch_1");
    assert_string_equal(asked.verified.event_id, "evt_1");
    assert_int_equal(asked.verified.size, sizeof(asked.verified));
}

/* Each bit of the signature, each byte of the message, another secret. */
static void test_webhook__what_was_changed_is_not_genuine(void **state)
{
    (void)state;
    struct asked asked;
    char hex[65];
    struct deed_webhook webhook = hook();
    struct deed_text message = text_of(message_text);
    sign(SECRET, NULL, message, hex);
    for (size_t i = 0; i < 64; i++) {
        char was = hex[i];
        hex[i] = was == '0' ? '1' : '0';
        assert_int_equal(ask(&webhook, message, hex, NOW_MS, &asked), DEED_E_INVALID);
        hex[i] = was;
    }
    char changed[sizeof(message_text)];
    for (size_t i = 0; i < message.bytes; i++) {
        memcpy(changed, message_text, sizeof(changed));
        changed[i] ^= 1;
        struct deed_text other = {changed, message.bytes};
        assert_int_equal(ask(&webhook, other, hex, NOW_MS, &asked), DEED_E_INVALID);
    }
    struct deed_text cut = {message_text, message.bytes - 1};
    assert_int_equal(ask(&webhook, cut, hex, NOW_MS, &asked), DEED_E_INVALID);
    sign("whsec_2", NULL, message, hex);
    assert_int_equal(ask(&webhook, message, hex, NOW_MS, &asked), DEED_E_INVALID);
}

static void test_webhook__what_is_no_signature_is_refused(void **state)
{
    (void)state;
    struct asked asked;
    char hex[70];
    static char endless[5000];
    struct deed_webhook webhook = hook();
    struct deed_text message = text_of(message_text);
    sign(SECRET, NULL, message, hex);
    memset(endless, 'a', sizeof(endless) - 1);
    const char *const bad[] = {NULL, "", "a", endless, hex + 1,
        "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_int_equal(ask(&webhook, message, bad[i], NOW_MS, &asked), DEED_E_INVALID);
    }
    hex[64] = '0';
    hex[65] = '\0';
    assert_int_equal(ask(&webhook, message, hex, NOW_MS, &asked), DEED_E_INVALID);
}

static void test_webhook__the_largest_message_and_one_byte_more(void **state)
{
    (void)state;
    struct asked asked;
    char hex[65];
    struct deed_webhook webhook = {.size = sizeof(webhook), .secret = SECRET, .scheme = "hex"};
    char *large = malloc(DEED_MESSAGE_BYTES_MAX + 1);
    assert_non_null(large);
    memset(large, 'm', DEED_MESSAGE_BYTES_MAX + 1);
    for (size_t more = 0; more <= 1; more++) {
        struct deed_text message = {large, DEED_MESSAGE_BYTES_MAX + more};
        sign(SECRET, NULL, message, hex);
        assert_int_equal(
            ask(&webhook, message, hex, NOW_MS, &asked), more == 0 ? DEED_OK : DEED_E_INVALID);
    }
    free(large);
    struct deed_text empty = {NULL, 0};
    sign(SECRET, NULL, empty, hex);
    assert_int_equal(ask(&webhook, empty, hex, NOW_MS, &asked), DEED_OK);
}

/* ---- timestamped -------------------------------------------------------------------------------- */

#define STAMPED_BYTES 4200

static struct deed_webhook stamped_hook(void)
{
    struct deed_webhook webhook = hook();
    webhook.scheme = "timestamped";
    return webhook;
}

/* The hex of "SECONDS.message". */
static void sign_at(const char *seconds, char hex_out[65])
{
    char prefix[32];
    (void)snprintf(prefix, sizeof(prefix), "%s.", seconds);
    sign(SECRET, prefix, text_of(message_text), hex_out);
}

/* `form` with the hex in place of each dollar sign. */
static void fill_in(const char *form, const char *hex, char out[STAMPED_BYTES])
{
    size_t at = 0;
    for (; *form != '\0'; form++) {
        size_t bytes = *form == '$' ? strlen(hex) : 1;
        assert_true(at + bytes < STAMPED_BYTES);
        memcpy(out + at, *form == '$' ? hex : form, bytes);
        at += bytes;
    }
    out[at] = '\0';
}

static deed_rc ask_at(const char *form, const char *hex, int64_t now_ms)
{
    struct asked asked;
    char signature[STAMPED_BYTES];
    struct deed_webhook webhook = stamped_hook();
    fill_in(form, hex, signature);
    return ask(&webhook, text_of(message_text), signature, now_ms, &asked);
}

static void test_webhook__a_timestamped_message_counts_for_five_minutes_both_ways(void **state)
{
    (void)state;
    char hex[65];
    const int64_t limit_ms = 300000;
    sign_at(NOW_S, hex);
    const char *format = "t=" NOW_S ",v1=$";
    assert_int_equal(ask_at(format, hex, NOW_MS), DEED_OK);
    assert_int_equal(ask_at(format, hex, NOW_MS + limit_ms), DEED_OK);
    assert_int_equal(ask_at(format, hex, NOW_MS + limit_ms + 1), DEED_E_INVALID);
    assert_int_equal(ask_at(format, hex, NOW_MS - limit_ms), DEED_OK);
    assert_int_equal(ask_at(format, hex, NOW_MS - limit_ms - 1), DEED_E_INVALID);
    struct deed_webhook webhook = stamped_hook();
    webhook.tolerance_ms = 1000;
    struct asked asked;
    char signature[STAMPED_BYTES];
    fill_in(format, hex, signature);
    struct deed_text message = text_of(message_text);
    assert_int_equal(ask(&webhook, message, signature, NOW_MS + 1000, &asked), DEED_OK);
    assert_int_equal(ask(&webhook, message, signature, NOW_MS + 1001, &asked), DEED_E_INVALID);
}

/* The time is a part of what was signed. */
static void test_webhook__an_old_signature_under_a_new_time_is_not_genuine(void **state)
{
    (void)state;
    char hex[65];
    sign_at("1600000000", hex);
    assert_int_equal(ask_at("t=" NOW_S ",v1=$", hex, NOW_MS), DEED_E_INVALID);
    sign(SECRET, NULL, text_of(message_text), hex); /* without a time */
    assert_int_equal(ask_at("t=" NOW_S ",v1=$", hex, NOW_MS), DEED_E_INVALID);
}

static void test_webhook__while_a_secret_is_rotated_any_of_several_counts(void **state)
{
#define ZEROS "0000000000000000000000000000000000000000000000000000000000000000"
    static const char *const good[] = {
        "v1=" ZEROS ",t=" NOW_S ",v1=$",
        "t=" NOW_S ",v1=$,v1=" ZEROS,
        "t=" NOW_S ",v0=anything,v1=$,later=",
        "t=" NOW_S ",v1=$,v1=$",
    };
    static const char *const bad[] = {
        "t=" NOW_S ",v1=" ZEROS,
        "t=" NOW_S,
        "v1=$",
        "t=" NOW_S ",v0=$",
        "t=" NOW_S ",V1=$",
        "t=" NOW_S ",t=" NOW_S ",v1=$",
        "t=,v1=$",
        "t=-1,v1=$",
        "t= " NOW_S ",v1=$",
        "t=" NOW_S "x,v1=$",
        "t=1700000000000000000,v1=$",
        "t=" NOW_S ",v1=$,",
        "t=" NOW_S ",,v1=$",
        "t=" NOW_S ",v1=$0",
        "t=" NOW_S ",v1=short,v1=$",
        "$",
        "t=" NOW_S ";v1=$",
    };
    (void)state;
    char hex[65];
    sign_at(NOW_S, hex);
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        assert_int_equal(ask_at(good[i], hex, NOW_MS), DEED_OK);
    }
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        if (ask_at(bad[i], hex, NOW_MS) != DEED_E_INVALID) {
            fail_msg("%s", bad[i]);
        }
    }
    char many[STAMPED_BYTES] = "t=" NOW_S;
    for (int i = 1; i <= 9; i++) { /* eight are looked at, a ninth is refused */
        (void)snprintf(many + strlen(many), sizeof(many) - strlen(many), ",v1=%s", hex);
        assert_int_equal(ask_at(many, "", NOW_MS), i <= 8 ? DEED_OK : DEED_E_INVALID);
    }
#undef ZEROS
}

/* ---- what is read -------------------------------------------------------------------------------- */

static void test_webhook__pointers_follow_the_standard(void **state)
{
    static const struct {
        const char *pointer;
        const char *value; /* NULL: refused */
    } cases[] = {
        {"/id", "evt_1"},
        {"/list/0", "zero"},
        {"/list/1/a~1b", "slash"},
        {"/list/1/m~0n", "tilde"},
        {"/", "empty"},
        {"/n", "17"},
        {"/null", ""},
        {"/absent", ""},
        {"/absent/deeper", ""},
        {"/id/deeper", ""},
        {"/list/2", ""},
        {"/list/00", ""},
        {"/list/01", ""},
        {"/list/-", ""},
        {"/list/-1", ""},
        {"/list/99999999999999999999", ""},
        {"/list/a", ""},
        {"/f", NULL},
        {"/t", NULL},
        {"/o", NULL},
        {"/list", NULL},
        {"", NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct asked asked;
        struct deed_webhook webhook = hook();
        webhook.reference = cases[i].pointer;
        deed_rc rc = ask_signed(&webhook, message_text, &asked);
        if (rc != (cases[i].value == NULL ? DEED_E_INVALID : DEED_OK)) {
            fail_msg("%s: %s", cases[i].pointer, asked.err.text);
        }
        if (cases[i].value != NULL) {
            assert_string_equal(asked.verified.reference, cases[i].value);
        }
    }
}

static void test_webhook__only_the_text_that_means_applied_does(void **state)
{
    static const struct {
        const char *pointer;
        const char *value;
        bool applied;
    } cases[] = {
        {"/type", "charge.succeeded", true},
        {"/type", "charge.succeede", false},
        {"/type", "charge.succeeded2", false},
        {"/type", "Charge.Succeeded", false},
        {"/absent", "charge.succeeded", false},
        {"/t", "true", false},
        {"/n", "17", false},
        {"/null", "null", false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct asked asked;
        struct deed_webhook webhook = hook();
        webhook.outcome = cases[i].pointer;
        webhook.outcome_value = cases[i].value;
        assert_int_equal(ask_signed(&webhook, message_text, &asked), DEED_OK);
        assert_int_equal(
            asked.verified.outcome, cases[i].applied ? DEED_APPLIED : DEED_OUTCOME_NONE);
    }
    struct asked asked;
    struct deed_webhook silent = hook(); /* nothing tells the outcome: nothing is told */
    silent.outcome = NULL;
    silent.outcome_value = NULL;
    assert_int_equal(ask_signed(&silent, message_text, &asked), DEED_OK);
    assert_int_equal(asked.verified.outcome, DEED_OUTCOME_NONE);
    struct deed_webhook webhook = hook(); /* a text that goes on behind a NUL is another text */
    assert_int_equal(
        ask_signed(&webhook, "{\"type\":\"charge.succeeded\\u0000\"}", &asked), DEED_OK);
    assert_int_equal(asked.verified.outcome, DEED_OUTCOME_NONE);
}

static void test_webhook__a_genuine_message_that_cannot_be_read_is_refused(void **state)
{
    static const char long_key[] = "{\"data\":{\"object\":{\"metadata\":{\"key\":"
                                   "\"11111111-2222-4333-8444-5555555555556\"}}}}";
    static const char *const bad[] = {
        "",
        "not json",
        "{\"id\":\"a\",\"id\":\"b\"}",
        "{\"id\":\"a\"} trailing",
        "{\"id\":\"\\ud800\"}",
        "{\"id\":\"\xff\"}",
        "[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]",
        "{\"id\":\"nul\\u0000inside\"}",
        long_key,
    };
    (void)state;
    struct deed_webhook webhook = hook();
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct asked asked;
        assert_int_equal(ask_signed(&webhook, bad[i], &asked), DEED_E_INVALID);
    }
    struct asked asked; /* where nothing is read it may be anything */
    struct deed_webhook blind = {.size = sizeof(blind), .secret = SECRET, .scheme = "hex"};
    assert_int_equal(ask_signed(&blind, "not json", &asked), DEED_OK);
}

/* ---- making one ----------------------------------------------------------------------------------- */

static void test_webhook__a_bad_configuration_is_refused_by_name(void **state)
{
    static char long_text[1100];
    (void)state;
    memset(long_text, 'x', sizeof(long_text) - 1);
    struct deed_webhook bad[16];
    for (size_t i = 0; i < 16; i++) {
        bad[i] = hook();
    }
    bad[0].secret = NULL;
    bad[1].secret = "";
    bad[2].secret = long_text;
    bad[3].scheme = NULL;
    bad[4].scheme = "plain";
    bad[5].tolerance_ms = -1;
    bad[6].tolerance_ms = 86400001;
    bad[7].outcome = NULL;
    bad[8].outcome_value = NULL;
    bad[9].outcome_value = "";
    bad[10].outcome_value = long_text;
    bad[11].reference = "id";
    bad[12].event_id = "/a~2";
    bad[13].digest = "/a~";
    long_text[0] = '/';
    bad[14].provider_key = long_text;
    bad[15].outcome = "no slash";
    static const char *const words[16] = {"secret", "secret", "secret", "scheme", "scheme",
        "tolerance", "tolerance", "outcome", "outcome", "outcome", "outcome", "reference",
        "event_id", "digest", "provider_key", "outcome"};
    for (size_t i = 0; i < 16; i++) {
        struct deed_verifier *verifier = NULL;
        struct deed_error err = {.text = ""};
        assert_int_equal(deed_webhook_verifier_create(&bad[i], &verifier, &err), DEED_E_INVALID);
        assert_null(verifier);
        if (strstr(err.text, words[i]) == NULL) {
            fail_msg("%zu: %s", i, err.text);
        }
    }
    struct deed_verifier *verifier = NULL;
    struct deed_webhook good = hook();
    assert_int_equal(deed_webhook_verifier_create(NULL, &verifier, NULL), DEED_E_MISUSE);
    assert_int_equal(deed_webhook_verifier_create(&good, NULL, NULL), DEED_E_MISUSE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_webhook__the_mac_is_that_of_the_standard),
        cmocka_unit_test(test_webhook__a_genuine_message_is_read),
        cmocka_unit_test(test_webhook__what_was_changed_is_not_genuine),
        cmocka_unit_test(test_webhook__what_is_no_signature_is_refused),
        cmocka_unit_test(test_webhook__the_largest_message_and_one_byte_more),
        cmocka_unit_test(test_webhook__a_timestamped_message_counts_for_five_minutes_both_ways),
        cmocka_unit_test(test_webhook__an_old_signature_under_a_new_time_is_not_genuine),
        cmocka_unit_test(test_webhook__while_a_secret_is_rotated_any_of_several_counts),
        cmocka_unit_test(test_webhook__pointers_follow_the_standard),
        cmocka_unit_test(test_webhook__only_the_text_that_means_applied_does),
        cmocka_unit_test(test_webhook__a_genuine_message_that_cannot_be_read_is_refused),
        cmocka_unit_test(test_webhook__a_bad_configuration_is_refused_by_name),
    };
    return cmocka_run_group_tests_name("webhook", tests, NULL, NULL);
}
