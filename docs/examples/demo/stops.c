/* SPDX-License-Identifier: MIT
 *
 * stops.c - where a program stops in the gap, tells its parent so, and waits to be killed.
 */
#include "stops.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <deed/seam.h>

static struct {
    char *const *stops;
    int count;
    char key[DEED_KEY_BYTES_MAX + 1];
    bool effect; /* this attempt has put one into the world */
} state;

/* For ever, or until the parent is gone: nobody is left behind. */
static void wait_to_be_killed(void)
{
    struct pollfd parent = {.fd = STDOUT_FILENO, .events = 0};
    while (poll(&parent, 1, -1) <= 0) {
        continue;
    }
    _exit(1);
}

static void cross(void *context, deed_seam seam)
{
    (void)context;
    state.effect = state.effect || seam == DEED_SEAM_SEND_EFFECT;
    if (!state.effect || (seam != DEED_SEAM_SEND_EFFECT && seam != DEED_SEAM_REPLY_READ)) {
        return;
    }
    char here[sizeof state.key + 2];
    (void)snprintf(
        here, sizeof here, "%s:%c", state.key, seam == DEED_SEAM_SEND_EFFECT ? 'a' : 'b');
    for (int i = 0; i < state.count; i++) {
        if (strcmp(state.stops[i], here) == 0) {
            (void)printf("stopped %s\n", here);
            (void)fflush(stdout);
            wait_to_be_killed();
        }
    }
}

void stops_set(char *const *stops, int count)
{
    state.stops = stops;
    state.count = count;
    deed_seam_hook_set(cross, NULL);
}

void stops_attempt(const char *key)
{
    (void)snprintf(state.key, sizeof state.key, "%s", key);
    state.effect = false;
}
