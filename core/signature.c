/* SPDX-License-Identifier: MIT
 *
 * HMAC-SHA-256 over a message, in the two forms most providers use. Compared in constant time.
 */
#include "signature.h"

#include <string.h>

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include <deed/ext/error.h>

#define MAC_BYTES           32
#define MAC_TEXT_BYTES      (2 * (size_t)MAC_BYTES)
#define SIGNATURE_BYTES_MAX 4096
#define SIGNATURE_MACS_MAX  8 /* while a secret is being rotated there are two */
#define SECONDS_DIGITS_MAX  12

static deed_rc refuse(struct deed_error *err, const char *text)
{
    return deed_error_set(err, DEED_E_INVALID, "core", "%s", text);
}

struct part {
    const char *data;
    size_t bytes;
};

/* Of "PREFIX.message" where there is a prefix. */
static deed_rc make_mac(const struct deed__signing *signing, struct part prefix,
    struct deed_text message, unsigned char mac_out[MAC_BYTES], struct deed_error *err)
{
    char name[] = "SHA256";
    OSSL_PARAM params[2] = {
        OSSL_PARAM_construct_utf8_string("digest", name, 0), OSSL_PARAM_construct_end()};
    EVP_MAC *kind = EVP_MAC_fetch(NULL, "HMAC", NULL);
    EVP_MAC_CTX *mac = kind == NULL ? NULL : EVP_MAC_CTX_new(kind);
    size_t length = 0;
    bool made = mac != NULL &&
        EVP_MAC_init(mac, (const unsigned char *)signing->secret, signing->secret_bytes, params) ==
            1 &&
        (prefix.data == NULL ||
            (EVP_MAC_update(mac, (const unsigned char *)prefix.data, prefix.bytes) == 1 &&
                EVP_MAC_update(mac, (const unsigned char *)".", 1) == 1)) &&
        (message.bytes == 0 ||
            EVP_MAC_update(mac, (const unsigned char *)message.data, message.bytes) == 1) &&
        EVP_MAC_final(mac, mac_out, &length, MAC_BYTES) == 1 && length == MAC_BYTES;
    EVP_MAC_CTX_free(mac);
    EVP_MAC_free(kind);
    return made
        ? DEED_OK
        : deed_error_set(err, DEED_E_SYSTEM, "core", "libcrypto could not compute an HMAC-SHA-256");
}

static int hex_value(char digit)
{
    if (digit >= '0' && digit <= '9') {
        return digit - '0';
    }
    if (digit >= 'a' && digit <= 'f') {
        return digit - 'a' + 10;
    }
    return digit >= 'A' && digit <= 'F' ? digit - 'A' + 10 : -1;
}

static bool read_mac(struct part text, unsigned char mac_out[MAC_BYTES])
{
    bool good = text.bytes == MAC_TEXT_BYTES;
    for (size_t i = 0; good && i < MAC_BYTES; i++) {
        int high = hex_value(text.data[2 * i]);
        int low = hex_value(text.data[2 * i + 1]);
        good = high >= 0 && low >= 0;
        mac_out[i] = (unsigned char)(good ? high << 4 | low : 0);
    }
    return good;
}

/* What a signature of scheme "timestamped" holds. */
struct stamp {
    struct part seconds;
    int64_t at_ms;
    unsigned char macs[SIGNATURE_MACS_MAX][MAC_BYTES];
    size_t count;
};

static bool read_seconds(struct part text, struct stamp *stamp)
{
    int64_t seconds = 0;
    bool good = stamp->seconds.data == NULL && text.bytes >= 1 && text.bytes <= SECONDS_DIGITS_MAX;
    for (size_t i = 0; good && i < text.bytes; i++) {
        good = text.data[i] >= '0' && text.data[i] <= '9';
        seconds = seconds * 10 + (text.data[i] - '0');
    }
    stamp->seconds = text;
    stamp->at_ms = good ? seconds * 1000 : 0;
    return good;
}

/* Items of other names are other schemes' business. */
static bool read_item(struct part item, struct stamp *stamp)
{
    const char *equals = memchr(item.data, '=', item.bytes);
    if (equals == NULL) {
        return false;
    }
    size_t name_bytes = (size_t)(equals - item.data);
    struct part value = {equals + 1, item.bytes - name_bytes - 1};
    if (name_bytes == 1 && item.data[0] == 't') {
        return read_seconds(value, stamp);
    }
    if (name_bytes == 2 && memcmp(item.data, "v1", 2) == 0) {
        return stamp->count < SIGNATURE_MACS_MAX && read_mac(value, stamp->macs[stamp->count++]);
    }
    return true;
}

static bool read_stamp(const char *signature, struct stamp *stamp)
{
    bool good = true;
    const char *at = signature;
    while (good && at != NULL) {
        size_t bytes = strcspn(at, ",");
        struct part item = {at, bytes};
        good = read_item(item, stamp);
        at = at[bytes] == ',' ? at + bytes + 1 : NULL;
    }
    return good && stamp->seconds.data != NULL && stamp->count > 0;
}

static const char not_genuine[] =
    "the signature is not that of this message: the secret is another one, or the message was "
    "changed on its way; hand it over byte for byte as it came";

static deed_rc check_hex(const struct deed__signing *signing, const struct deed_evidence *evidence,
    struct deed_error *err)
{
    unsigned char given[MAC_BYTES];
    unsigned char made[MAC_BYTES];
    struct part text = {evidence->signature, strlen(evidence->signature)};
    if (!read_mac(text, given)) {
        return refuse(err, "the signature is not 64 hexadecimal digits");
    }
    struct part none = {NULL, 0};
    deed_rc rc = make_mac(signing, none, evidence->message, made, err);
    if (rc == DEED_OK && CRYPTO_memcmp(given, made, MAC_BYTES) != 0) {
        rc = refuse(err, not_genuine);
    }
    return rc;
}

static deed_rc check_timestamped(const struct deed__signing *signing,
    const struct deed_evidence *evidence, int64_t now_ms, struct deed_error *err)
{
    struct stamp stamp;
    unsigned char made[MAC_BYTES];
    memset(&stamp, 0, sizeof(stamp));
    if (!read_stamp(evidence->signature, &stamp)) {
        return refuse(err, "the signature is not of the form t=SECONDS,v1=HEX");
    }
    deed_rc rc = make_mac(signing, stamp.seconds, evidence->message, made, err);
    if (rc != DEED_OK) {
        return rc;
    }
    int matches = 0;
    for (size_t i = 0; i < stamp.count; i++) {
        matches |= CRYPTO_memcmp(stamp.macs[i], made, MAC_BYTES) == 0;
    }
    if (matches == 0) {
        return refuse(err, not_genuine);
    }
    int64_t age_ms = now_ms - stamp.at_ms;
    if (age_ms > signing->tolerance_ms || age_ms < -signing->tolerance_ms) {
        return refuse(err,
            "the message was signed too long ago, or in the future: it may be an old one that "
            "somebody sends again; let its source deliver it anew, and look at the clock");
    }
    return DEED_OK;
}

deed_rc deed__signature_check(const struct deed__signing *signing,
    const struct deed_evidence *evidence, int64_t now_ms, struct deed_error *err)
{
    if (evidence->signature == NULL || evidence->signature[0] == '\0') {
        return refuse(err, "the message has no signature, and its source signs what it sends");
    }
    if (strlen(evidence->signature) > SIGNATURE_BYTES_MAX) {
        return refuse(err, "the signature is too long to be one");
    }
    return signing->timestamped ? check_timestamped(signing, evidence, now_ms, err)
                                : check_hex(signing, evidence, err);
}
