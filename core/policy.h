/* SPDX-License-Identifier: MIT
 *
 * Arithmetic of patience and of keys: pauses, attempts left, generations, and whether a window
 * outlasts what was sent under it. Pure functions of a case.
 */
#ifndef DEED_CORE_POLICY_H
#define DEED_CORE_POLICY_H

#include "case.h"

/* The pause after the `tries`-th fruitless try: base, doubled each time, at most cap. */
int64_t deed__backoff_ms(const struct deed_profile *profile, uint32_t tries);

/* The profile configured now for the intent's kind; defaults where nothing is registered. */
struct deed_profile deed__profile_of(const struct deed__case *c);

/* Has the policy no attempt left? */
bool deed__exhausted(const struct deed__case *c);

/* May `bound`'s provider key be used for one more send now: is it honoured, and does its window
 * outlast the horizon of every attempt in doubt and of a send that begins now? */
bool deed__window_outlasts(
    const struct deed__case *c, const struct deed_attempt_row *bound, int64_t ahead_ms);

/* Does a look-up asked at `asked`, when `newest_ms` was the newest time in the ledger, still show
 * whatever was sent? Reach counts from the first attempt in doubt; the shortest of those in doubt
 * counts. False if nothing is in doubt. */
bool deed__within_reach(
    const struct deed__case *c, const struct deed_instant *asked, int64_t newest_ms);
/* That reach; 0: not known. */
int64_t deed__reach_ms(const struct deed__case *c);

/* Was the provider asked to bar the key of this generation, answered or not? What is barred never
 * takes effect again, so nothing is sent under it. */
bool deed__barred(const struct deed__case *c, uint32_t generation);
/* Are the bytes that were bound to the key of this generation still stored? Retention may have
 * dropped them; then nothing can be replayed. */
bool deed__bytes_here(const struct deed__case *c, uint32_t generation);

/* The generation a retry after `not_applied` must use; `new_bytes`: what would be sent is not what
 * was bound to the present key. */
uint32_t deed__next_generation(
    const struct deed__case *c, const struct deed_profile *profile, bool new_bytes);

/* The key sent to the provider: UUID-shaped, the same for ever for the same four facts. */
deed_rc deed__provider_key(const char *ledger_name, const char *key,
    const uint8_t digest[DEED_DIGEST_BYTES], uint32_t generation,
    char key_out[DEED_PROVIDER_KEY_BYTES], struct deed_error *err);

#endif
