/* SPDX-License-Identifier: MIT
 *
 * Messages of webhooks: no other signature than the right one is genuine, and what a JSON pointer
 * finds in a genuine message is what it finds by the letter of RFC 6901, written here once more.
 *
 * An input is lines and a message: how (1: timestamped, 2: with the right signature), the pointer to
 * the reference, that to the outcome, the text that means applied, the signature, and the message.
 */
#include "fuzz.h"

#include <deed/evidence.h>

#include <jansson.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECRET    "whsec_fuzz"
#define NOW_MS    INT64_C(1700000000000)
#define NOW_TEXT  "1700000000"
#define HEX_BYTES 65
#define LINES     5

void fuzz_start(void)
{
}

/* The right signature, with the time in front where the scheme has one. */
static void sign(struct deed_text message, bool timestamped, char hex_out[HEX_BYTES])
{
    unsigned char sum[EVP_MAX_MD_SIZE];
    unsigned sum_bytes = 0;
    const size_t before = timestamped ? strlen(NOW_TEXT ".") : 0;
    unsigned char *text = malloc(before + message.bytes + 1);
    FUZZ_DEMAND(text != NULL, "memory for a message", NULL);
    memcpy(text, NOW_TEXT ".", before); /* NOLINT(bugprone-not-null-terminated-result) */
    if (message.bytes > 0) {
        memcpy(text + before, message.data, message.bytes);
    }
    FUZZ_DEMAND(HMAC(EVP_sha256(), SECRET, (int)strlen(SECRET), text, before + message.bytes, sum,
                    &sum_bytes) != NULL &&
            sum_bytes == 32,
        "a signature", NULL);
    for (unsigned i = 0; i < 32; i++) {
        (void)snprintf(hex_out + 2 * (size_t)i, 3, "%02x", sum[i]);
    }
    free(text);
}

/* One step of a pointer: a member by name, or an element by a number without needless zeros. */
static const json_t *step(const json_t *value, const char *token, size_t bytes)
{
    if (json_is_array(value)) {
        const bool number = bytes > 0 && bytes <= 9 && strspn(token, "0123456789") == bytes &&
            (token[0] != '0' || bytes == 1);
        return number ? json_array_get(value, strtoul(token, NULL, 10)) : NULL;
    }
    return json_object_get(value, token);
}

static const json_t *follow(const json_t *value, const char *pointer)
{
    while (value != NULL && *pointer != '\0') {
        char token[512];
        size_t bytes = 0;
        for (pointer++; *pointer != '\0' && *pointer != '/'; pointer++) {
            FUZZ_DEMAND(bytes < sizeof token - 1, "a pointer longer than one may be", NULL);
            if (*pointer == '~') {
                pointer++;
                token[bytes++] = *pointer == '0' ? '~' : '/';
            } else {
                token[bytes++] = *pointer;
            }
        }
        token[bytes] = '\0';
        value = step(value, token, bytes);
    }
    return value;
}

static void compare(const struct deed_webhook *webhook, struct deed_text message,
    const struct deed_verified *verified)
{
    json_t *root =
        json_loadb(message.data, message.bytes, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, NULL);
    const json_t *reference = webhook->reference ? follow(root, webhook->reference) : NULL;
    const json_t *outcome = webhook->outcome ? follow(root, webhook->outcome) : NULL;
    const char *text = json_string_value(reference);
    FUZZ_DEMAND(text == NULL || strcmp(text, verified->reference) == 0,
        "the pointer finds something else", verified->reference);
    FUZZ_DEMAND(reference != NULL || verified->reference[0] == '\0', "found, and not there",
        verified->reference);
    const bool applied = outcome != NULL && json_is_string(outcome) &&
        json_string_length(outcome) == strlen(webhook->outcome_value) &&
        strcmp(json_string_value(outcome), webhook->outcome_value) == 0;
    FUZZ_DEMAND(verified->outcome == (applied ? DEED_APPLIED : DEED_OUTCOME_NONE),
        "the outcome is read as another one", NULL);
    json_decref(root);
}

static void verify(const struct deed_webhook *webhook, struct deed_verifier *verifier,
    struct deed_text message, const char *signature, bool genuine, const char *hex)
{
    const struct deed_evidence evidence = {.size = sizeof evidence,
        .key = "pay-1",
        .source = "fuzz",
        .message = message,
        .signature = signature};
    struct deed_verified verified = {.size = sizeof verified};
    struct deed_error err = {0};
    const deed_rc rc = verifier->verify(verifier->self, &evidence, NOW_MS, &verified, &err);
    if (rc == DEED_OK) {
        FUZZ_DEMAND(genuine || strcasestr(signature, hex) != NULL, "another signature is genuine",
            signature);
        compare(webhook, message, &verified);
    } else {
        FUZZ_DEMAND(rc == DEED_E_INVALID && err.text[0] != '\0', "refused without a word", NULL);
        FUZZ_DEMAND(strstr(err.text, SECRET) == NULL, "an error that quotes the secret", err.text);
    }
}

/* Cuts the input into its lines; what is left is the message. */
static struct deed_text cut(char *text, size_t size, const char *lines[LINES])
{
    char *end = text + size;
    for (size_t i = 0; i < LINES; i++) {
        char *newline = memchr(text, '\n', (size_t)(end - text));
        lines[i] = text;
        text = newline ? newline + 1 : end;
        if (newline) {
            *newline = '\0';
        }
    }
    return (struct deed_text){text, (size_t)(end - text)};
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *lines[LINES];
    char *text = malloc(size + 1);
    FUZZ_DEMAND(text != NULL, "memory for an input", NULL);
    if (size > 0) {
        memcpy(text, data, size);
    }
    text[size] = '\0';
    const struct deed_text message = cut(text, size, lines);
    const unsigned how = (unsigned char)lines[0][0];
    const bool timestamped = (how & 1) != 0;
    const struct deed_webhook webhook = {.size = sizeof webhook,
        .secret = SECRET,
        .scheme = timestamped ? "timestamped" : "hex",
        .reference = lines[1],
        .outcome = lines[3][0] != '\0' ? lines[2] : NULL,
        .outcome_value = lines[3][0] != '\0' ? lines[3] : NULL};
    struct deed_verifier *verifier = NULL;
    struct deed_error err = {0};
    if (deed_webhook_verifier_create(&webhook, &verifier, &err) == DEED_OK) {
        char hex[HEX_BYTES];
        char right[128];
        sign(message, timestamped, hex);
        (void)snprintf(right, sizeof right, timestamped ? "t=" NOW_TEXT ",v1=%s" : "%s", hex);
        const bool genuine = (how & 2) != 0;
        verify(&webhook, verifier, message, genuine ? right : lines[4], genuine, hex);
        verifier->destroy(verifier->self);
    } else {
        FUZZ_DEMAND(err.text[0] != '\0', "refused without a word", NULL);
    }
    free(text);
    return 0;
}
