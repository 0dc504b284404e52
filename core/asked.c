/* SPDX-License-Identifier: MIT */
#include "asked.h"

#include <string.h>

void deed__asked_init(struct deed__asked *asked)
{
    memset(asked, 0, sizeof(*asked));
    (void)pthread_mutex_init(&asked->lock, NULL);
}

void deed__asked_finish(struct deed__asked *asked)
{
    (void)pthread_mutex_destroy(&asked->lock);
}

/* Under the lock. SIZE_MAX: not remembered. */
static size_t find(const struct deed__asked *asked, const uint8_t token[DEED_TOKEN_BYTES])
{
    for (size_t i = 0; i < DEED__ASKED_ROOM; i++) {
        if (asked->entries[i].begun &&
            memcmp(asked->entries[i].token, token, DEED_TOKEN_BYTES) == 0) {
            return i;
        }
    }
    return SIZE_MAX;
}

void deed__asked_begun(struct deed__asked *asked, const uint8_t token[DEED_TOKEN_BYTES])
{
    (void)pthread_mutex_lock(&asked->lock);
    size_t at = asked->next;
    asked->next = (at + 1) % DEED__ASKED_ROOM;
    memcpy(asked->entries[at].token, token, DEED_TOKEN_BYTES);
    asked->entries[at].begun = true;
    asked->entries[at].allowed = false;
    (void)pthread_mutex_unlock(&asked->lock);
}

void deed__asked_allowed(struct deed__asked *asked, const uint8_t token[DEED_TOKEN_BYTES])
{
    (void)pthread_mutex_lock(&asked->lock);
    size_t at = find(asked, token);
    if (at != SIZE_MAX) {
        asked->entries[at].allowed = true;
    }
    (void)pthread_mutex_unlock(&asked->lock);
}

bool deed__asked_unsent(struct deed__asked *asked, const uint8_t token[DEED_TOKEN_BYTES])
{
    (void)pthread_mutex_lock(&asked->lock);
    size_t at = find(asked, token);
    bool unsent = at != SIZE_MAX && !asked->entries[at].allowed;
    (void)pthread_mutex_unlock(&asked->lock);
    return unsent;
}
