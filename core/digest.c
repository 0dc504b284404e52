/* SPDX-License-Identifier: MIT
 *
 * digest.c - SHA-256 from OpenSSL, and the digest that binds an action key to its payload.
 *
 * The canonical text is hashed as it is written: it is never in memory as a whole.
 */
#include "digest.h"

#include "canonical.h"

#include <deed/ext/error.h>

#include <openssl/evp.h>
#include <stdatomic.h>

/* libcrypto does not say why it cannot begin. What it could do once in this process it can always do,
 * if it has the memory. */
static atomic_bool worked;

static deed_rc failed(struct deed_error *err)
{
    if (atomic_load(&worked)) {
        return deed_error_set(err, DEED_E_NOMEM, "core", "out of memory for a digest");
    }
    return deed_error_set(err, DEED_E_SYSTEM, "core",
        "libcrypto cannot compute SHA-256: check the OpenSSL configuration of this process");
}

/* Looked up once: EVP_sha256() would look for a provider at each use. Never freed; the one of a
 * thread that came second is. */
static const EVP_MD *sha256(void)
{
    static _Atomic(EVP_MD *) kept;
    EVP_MD *known = atomic_load(&kept);
    if (known == NULL) {
        EVP_MD *fetched = EVP_MD_fetch(NULL, "SHA256", NULL);
        if (fetched == NULL) {
            return EVP_sha256();
        }
        if (atomic_compare_exchange_strong(&kept, &known, fetched)) {
            known = fetched;
        } else {
            EVP_MD_free(fetched);
        }
    }
    return known;
}

deed_rc deed__sha256_new(EVP_MD_CTX **hash_out, struct deed_error *err)
{
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    if (context == NULL) {
        return deed_error_set(err, DEED_E_NOMEM, "core", "out of memory for a digest");
    }
    if (EVP_DigestInit_ex(context, sha256(), NULL) != 1) {
        EVP_MD_CTX_free(context);
        return failed(err);
    }
    *hash_out = context;
    return DEED_OK;
}

void deed__sha256_free(EVP_MD_CTX *hash)
{
    EVP_MD_CTX_free(hash);
}

bool deed__sha256_put(void *self, const char *data, size_t bytes)
{
    return EVP_DigestUpdate(self, data, bytes) == 1;
}

deed_rc deed__sha256_finish(
    EVP_MD_CTX *hash, uint8_t digest_out[DEED_DIGEST_BYTES], struct deed_error *err)
{
    uint8_t digest[EVP_MAX_MD_SIZE];
    unsigned int digest_bytes = 0;
    if (EVP_DigestFinal_ex(hash, digest, &digest_bytes) != 1 || digest_bytes != DEED_DIGEST_BYTES) {
        return failed(err);
    }
    for (size_t i = 0; i < DEED_DIGEST_BYTES; i++) {
        digest_out[i] = digest[i];
    }
    atomic_store(&worked, true);
    return DEED_OK;
}

deed_rc deed__sha256_of(
    const void *data, size_t bytes, uint8_t digest_out[DEED_DIGEST_BYTES], struct deed_error *err)
{
    EVP_MD_CTX *hash = NULL;
    deed_rc rc = deed__sha256_new(&hash, err);
    if (rc != DEED_OK) {
        goto done;
    }
    if (!deed__sha256_put(hash, data, bytes)) {
        rc = failed(err);
        goto done;
    }
    rc = deed__sha256_finish(hash, digest_out, err);
done:
    deed__sha256_free(hash);
    return rc;
}

deed_rc deed_payload_digest(const struct deed_payload *payload,
    uint8_t digest_out[DEED_DIGEST_BYTES], struct deed_error *err)
{
    EVP_MD_CTX *hash = NULL;
    deed_rc rc = deed_payload_check(payload, err);
    if (rc != DEED_OK) {
        goto done;
    }
    rc = deed__sha256_new(&hash, err);
    if (rc != DEED_OK) {
        goto done;
    }
    const struct deed__sink sink = {deed__sha256_put, hash};
    if (!deed__canonical_payload(&sink, payload)) {
        rc = failed(err);
        goto done;
    }
    rc = deed__sha256_finish(hash, digest_out, err);
done:
    deed__sha256_free(hash);
    return rc;
}

void deed__hex(const uint8_t *bytes, size_t count, char *text_out)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < count; i++) {
        text_out[2 * i] = digits[bytes[i] >> 4];
        text_out[2 * i + 1] = digits[bytes[i] & 0xF];
    }
    text_out[2 * count] = '\0';
}

void deed_digest_text(
    const uint8_t digest[DEED_DIGEST_BYTES], char text_out[DEED_DIGEST_TEXT_BYTES])
{
    deed__hex(digest, DEED_DIGEST_BYTES, text_out);
}
