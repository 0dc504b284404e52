/* SPDX-License-Identifier: MIT */
#include "asked.h"

#include <string.h>

#include "instant.h"

void deed__asked_init(struct deed__asked *asked)
{
    asked->count = 0;
    (void)pthread_mutex_init(&asked->lock, NULL);
}

void deed__asked_finish(struct deed__asked *asked)
{
    (void)pthread_mutex_destroy(&asked->lock);
}

/* Under the lock. Newest first: what was begun last is asked for next. */
static struct deed__asked_attempt *find(
    struct deed__asked *asked, const uint8_t token[DEED_TOKEN_BYTES])
{
    for (size_t i = asked->count; i > 0; i--) {
        struct deed__asked_attempt *attempt = &asked->attempts[i - 1];
        if (memcmp(attempt->token, token, DEED_TOKEN_BYTES) == 0) {
            return attempt;
        }
    }
    return NULL;
}

static void forget(struct deed__asked *asked, struct deed__asked_attempt *attempt)
{
    const size_t behind = asked->count - (size_t)(attempt - asked->attempts) - 1;
    memmove(attempt, attempt + 1, behind * sizeof(*attempt));
    asked->count--;
}

void deed__asked_begun(struct deed__asked *asked, const char *key,
    const uint8_t token[DEED_TOKEN_BYTES], const struct deed_instant *start, int64_t send_ms)
{
    (void)pthread_mutex_lock(&asked->lock);
    if (asked->count == DEED__ASKED_ROOM) {
        forget(asked, &asked->attempts[0]);
    }
    struct deed__asked_attempt *attempt = &asked->attempts[asked->count++];
    memset(attempt, 0, sizeof(*attempt));
    memcpy(attempt->token, token, DEED_TOKEN_BYTES);
    memcpy(attempt->key, key, strlen(key) + 1); /* at most DEED_KEY_BYTES_MAX: it was checked */
    attempt->start = *start;
    attempt->send_ms = send_ms;
    (void)pthread_mutex_unlock(&asked->lock);
}

void deed__asked_wrote(struct deed__asked *asked, const char *key)
{
    (void)pthread_mutex_lock(&asked->lock);
    for (size_t i = 0; i < asked->count; i++) {
        if (strcmp(asked->attempts[i].key, key) == 0) {
            asked->attempts[i].doubted = true;
        }
    }
    (void)pthread_mutex_unlock(&asked->lock);
}

void deed__asked_answered(struct deed__asked *asked, const uint8_t token[DEED_TOKEN_BYTES])
{
    (void)pthread_mutex_lock(&asked->lock);
    struct deed__asked_attempt *attempt = find(asked, token);
    if (attempt != NULL) {
        forget(asked, attempt);
    }
    (void)pthread_mutex_unlock(&asked->lock);
}

bool deed__asked_in_time(struct deed__asked *asked, const uint8_t token[DEED_TOKEN_BYTES],
    const struct deed_instant *now)
{
    (void)pthread_mutex_lock(&asked->lock);
    struct deed__asked_attempt *attempt = find(asked, token);
    const bool in_time =
        attempt != NULL && !attempt->doubted && deed__runs(&attempt->start, attempt->send_ms, now);
    if (in_time) {
        attempt->allowed = true;
    }
    (void)pthread_mutex_unlock(&asked->lock);
    return in_time;
}

void deed__asked_allowed(struct deed__asked *asked, const uint8_t token[DEED_TOKEN_BYTES])
{
    (void)pthread_mutex_lock(&asked->lock);
    struct deed__asked_attempt *attempt = find(asked, token);
    if (attempt != NULL) {
        attempt->allowed = true;
    }
    (void)pthread_mutex_unlock(&asked->lock);
}

bool deed__asked_unsent(struct deed__asked *asked, const uint8_t token[DEED_TOKEN_BYTES])
{
    (void)pthread_mutex_lock(&asked->lock);
    const struct deed__asked_attempt *attempt = find(asked, token);
    const bool unsent = attempt != NULL && !attempt->allowed;
    (void)pthread_mutex_unlock(&asked->lock);
    return unsent;
}
