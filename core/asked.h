/* SPDX-License-Identifier: MIT
 *
 * What a handle remembers of the attempts its host began: whether may_send has said yes. Only a
 * memory: it is lost with the handle, and old entries make room for new ones. So it is asked one
 * question alone, whose careful answer is no: is it certain that nothing was sent?
 */
#ifndef DEED_CORE_ASKED_H
#define DEED_CORE_ASKED_H

#include <pthread.h>

#include <deed/base.h>

#define DEED__ASKED_ROOM 256

struct deed__asked {
    pthread_mutex_t lock;
    size_t next;
    struct {
        uint8_t token[DEED_TOKEN_BYTES];
        bool begun;   /* here, by this handle */
        bool allowed; /* may_send has said yes */
    } entries[DEED__ASKED_ROOM];
};

void deed__asked_init(struct deed__asked *asked);
void deed__asked_finish(struct deed__asked *asked);
void deed__asked_begun(struct deed__asked *asked, const uint8_t token[DEED_TOKEN_BYTES]);
void deed__asked_allowed(struct deed__asked *asked, const uint8_t token[DEED_TOKEN_BYTES]);
/* Begun by this handle, and never allowed to send. */
bool deed__asked_unsent(struct deed__asked *asked, const uint8_t token[DEED_TOKEN_BYTES]);

#endif
