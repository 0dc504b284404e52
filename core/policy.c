/* SPDX-License-Identifier: MIT */
#include "policy.h"

#include <stdio.h>
#include <string.h>

#include "digest.h"
#include "instant.h"

int64_t deed__backoff_ms(const struct deed_profile *profile, uint32_t tries)
{
    int64_t pause = profile->backoff_base_ms;
    for (uint32_t i = 1; i < tries && pause < profile->backoff_cap_ms; i++) {
        pause *= 2; /* below the cap, which is at most DEED_DURATION_MS_MAX: cannot overflow */
    }
    return pause < profile->backoff_cap_ms ? pause : profile->backoff_cap_ms;
}

struct deed_profile deed__profile_of(const struct deed__case *c)
{
    const struct deed__registration *registration =
        deed__registration_of(c->ledger, c->intent.payload.kind);
    if (registration != NULL) {
        return registration->profile;
    }
    struct deed_profile profile;
    /* Filling in the defaults of nothing cannot fail. */
    (void)deed__profile_fill(&profile, NULL, NULL);
    return profile;
}

bool deed__exhausted(const struct deed__case *c)
{
    return c->intent.attempts >= deed__profile_of(c).attempts_max;
}

/* From `start` of the key's first attempt: by when has `attempt` landed, whatever happens? By the
 * monotonic clock too where both began in one boot. */
static bool lands_inside(
    const struct deed_attempt_row *first, const struct deed_attempt_row *attempt, int64_t window_ms)
{
    int64_t horizon = deed__horizon_ms(attempt);
    if (horizon == DEED_FOREVER ||
        deed__sum(attempt->start.wall_ms, horizon) > deed__sum(first->start.wall_ms, window_ms)) {
        return false;
    }
    return !deed__same_boot(&first->start, &attempt->start) ||
        deed__sum(attempt->start.mono_ms, horizon) <= deed__sum(first->start.mono_ms, window_ms);
}

bool deed__window_outlasts(
    const struct deed__case *c, const struct deed_attempt_row *bound, int64_t ahead_ms)
{
    const struct deed_attempt_row *first = deed__generation_start(c, bound->generation);
    int64_t window = bound->window_ms;
    if (first == NULL || window <= 0) {
        return false;
    }
    if (window == DEED_FOREVER) {
        return true;
    }
    for (uint32_t i = 0; i < c->count; i++) {
        if (deed__in_doubt(c, &c->attempts[i]) && !lands_inside(first, &c->attempts[i], window)) {
            return false;
        }
    }
    return deed__holds(&first->start, window, ahead_ms, &c->now, c->newest_ms);
}

int64_t deed__reach_ms(const struct deed__case *c)
{
    int64_t reach = DEED_FOREVER;
    for (uint32_t i = 0; i < c->count; i++) {
        if (deed__in_doubt(c, &c->attempts[i]) && c->attempts[i].reach_ms < reach) {
            reach = c->attempts[i].reach_ms;
        }
    }
    return reach;
}

bool deed__within_reach(
    const struct deed__case *c, const struct deed_instant *asked, int64_t newest_ms)
{
    const struct deed_attempt_row *first = deed__first_doubt(c);
    /* One millisecond ahead: in the one it ends in, the reach is over. */
    return first != NULL && deed__holds(&first->start, deed__reach_ms(c), 1, asked, newest_ms);
}

/* Did the provider itself answer `not_applied` under this generation, and does it replay errors? */
static bool error_is_stored(const struct deed__case *c, uint32_t generation)
{
    for (uint32_t i = 0; i < c->count; i++) {
        const struct deed_attempt_row *attempt = &c->attempts[i];
        bool local = (attempt->flags & DEED_ATTEMPT_DENIED) != 0; /* nothing was ever sent */
        if (attempt->generation == generation && attempt->answered && !local &&
            attempt->verdict == DEED_VERDICT_NOT_APPLIED &&
            (attempt->flags & DEED_ATTEMPT_STORED_ERRORS) != 0) {
            return true;
        }
    }
    return false;
}

bool deed__barred(const struct deed__case *c, uint32_t generation)
{
    for (uint32_t i = 0; i < c->count; i++) {
        if (c->attempts[i].generation == generation &&
            (c->attempts[i].flags & DEED_ATTEMPT_BARRED) != 0) {
            return true;
        }
    }
    return false;
}

bool deed__bytes_here(const struct deed__case *c, uint32_t generation)
{
    const struct deed_attempt_row *first = deed__generation_start(c, generation);
    return first != NULL && first->bytes_here;
}

uint32_t deed__next_generation(
    const struct deed__case *c, const struct deed_profile *profile, bool new_bytes)
{
    const struct deed_attempt_row *newest = deed__newest_attempt(c);
    if (newest == NULL) {
        return 0;
    }
    /* Keep the key wherever it may be kept: it is a fence against what was proven wrongly. */
    bool barred = deed__barred(c, newest->generation);
    if (new_bytes || barred || error_is_stored(c, newest->generation)) {
        return newest->generation + 1;
    }
    int64_t ahead = deed__sum(profile->send_ms, profile->landing_ms);
    if (newest->window_ms > 0 && !deed__window_outlasts(c, newest, ahead)) {
        return newest->generation + 1;
    }
    return newest->generation;
}

deed_rc deed__provider_key(const char *ledger_name, const char *key,
    const uint8_t digest[DEED_DIGEST_BYTES], uint32_t generation,
    char key_out[DEED_PROVIDER_KEY_BYTES], struct deed_error *err)
{
    char digest_text[DEED_DIGEST_TEXT_BYTES];
    deed_digest_text(digest, digest_text);
    /* Names and keys hold no line feed, so that no two different inputs give one text. */
    char text[DEED_NAME_BYTES_MAX + DEED_KEY_BYTES_MAX + DEED_DIGEST_TEXT_BYTES + 64];
    int length = snprintf(text, sizeof(text), "deed provider key 1\n%s\n%s\n%s\n%lu\n", ledger_name,
        key, digest_text, (unsigned long)generation);
    uint8_t hash[DEED_DIGEST_BYTES];
    deed_rc rc = deed__sha256_of(text, (size_t)length, hash, err);
    if (rc != DEED_OK) {
        return rc;
    }
    hash[6] = (uint8_t)((hash[6] & 0x0fU) | 0x40U); /* version 4: the most widely accepted */
    hash[8] = (uint8_t)((hash[8] & 0x3fU) | 0x80U); /* variant of RFC 9562 */
    static const size_t groups[] = {4, 2, 2, 2, 6}; /* bytes */
    char *out = key_out;
    size_t done = 0;
    for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
        deed__hex(hash + done, groups[i], out);
        out += 2 * groups[i];
        *out++ = '-';
        done += groups[i];
    }
    out[-1] = '\0';
    return DEED_OK;
}
