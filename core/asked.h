/* SPDX-License-Identifier: MIT
 *
 * What a handle remembers of the attempts its host began and has not finished: until when a byte may
 * go out, and whether may_send has said yes. Only a memory: it is lost with the handle, and the
 * oldest entries make room for new ones. What it does not know is asked of the store, or answered
 * with the careful word.
 */
#ifndef DEED_CORE_ASKED_H
#define DEED_CORE_ASKED_H

#include <pthread.h>

#include <deed/base.h>

#define DEED__ASKED_ROOM 256

struct deed__asked_attempt {
    uint8_t token[DEED_TOKEN_BYTES];
    char key[DEED_KEY_BYTES_MAX + 1];
    struct deed_instant start;
    int64_t send_ms;
    bool allowed; /* may_send has said yes */
    bool doubted; /* something was written about its intent since: only the store knows */
};

struct deed__asked {
    pthread_mutex_t lock;
    size_t count;
    struct deed__asked_attempt attempts[DEED__ASKED_ROOM]; /* by age */
};

void deed__asked_init(struct deed__asked *asked);
void deed__asked_finish(struct deed__asked *asked);
void deed__asked_begun(struct deed__asked *asked, const char *key,
    const uint8_t token[DEED_TOKEN_BYTES], const struct deed_instant *start, int64_t send_ms);
/* This handle is about to write about the intent. */
void deed__asked_wrote(struct deed__asked *asked, const char *key);
/* The attempt has its answer. */
void deed__asked_answered(struct deed__asked *asked, const uint8_t token[DEED_TOKEN_BYTES]);
/* Begun by this handle, still open as far as it knows, and its time to send runs at `now`: then it
 * is remembered as allowed. */
bool deed__asked_in_time(struct deed__asked *asked, const uint8_t token[DEED_TOKEN_BYTES],
    const struct deed_instant *now);
void deed__asked_allowed(struct deed__asked *asked, const uint8_t token[DEED_TOKEN_BYTES]);
/* Begun by this handle, and never allowed to send. */
bool deed__asked_unsent(struct deed__asked *asked, const uint8_t token[DEED_TOKEN_BYTES]);

#endif
