/* SPDX-License-Identifier: MIT
 *
 * digest.h - SHA-256 over a text that comes in pieces.
 */
#ifndef DEED_CORE_DIGEST_H
#define DEED_CORE_DIGEST_H

#include <deed/payload.h>

/* OpenSSL's EVP_MD_CTX, by the tag it has there. */
struct evp_md_ctx_st;

/* Freed by deed__sha256_free, which accepts NULL. */
DEED_MUST_CHECK deed_rc deed__sha256_new(struct evp_md_ctx_st **hash_out, struct deed_error *err);
void deed__sha256_free(struct evp_md_ctx_st *hash);

/* Usable as a sink of canonical.h, with the hash as `self`. false: libcrypto failed. */
bool deed__sha256_put(void *self, const char *data, size_t bytes);

/* Ends the hash; nothing may be put after it. */
DEED_MUST_CHECK deed_rc deed__sha256_finish(
    struct evp_md_ctx_st *hash, uint8_t digest_out[DEED_DIGEST_BYTES], struct deed_error *err);

/* All at once, for one piece. */
DEED_MUST_CHECK deed_rc deed__sha256_of(
    const void *data, size_t bytes, uint8_t digest_out[DEED_DIGEST_BYTES], struct deed_error *err);

/* Lower-case hex, and a zero after it: `text_out` has room for 2 * count + 1. */
void deed__hex(const uint8_t *bytes, size_t count, char *text_out);

#endif /* DEED_CORE_DIGEST_H */
