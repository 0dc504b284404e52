/* SPDX-License-Identifier: MIT
 *
 * What was recorded is there, as it was asked for, for ever.
 */
#include "simulate/facts.h"

#include <inttypes.h>
#include <string.h>

/* ---- recording ------------------------------------------------------------------------------- */

/* IR2: each row stems from a record that was asked for, and is equal to it. */
bool deed_crash__ir2(struct deed_crash__promises *in, const struct deed_crash__facts *facts)
{
    uint8_t digest[DEED_DIGEST_BYTES];
    const char *key = facts->result.key;
    if (in->asked == NULL) {
        memcpy(digest, facts->digest, sizeof(digest));
    } else if (!in->asked(in->context, key, digest)) {
        return deed_crash__broken(in, "IR2: nobody ever asked for %s", key);
    }
    if (memcmp(digest, facts->digest, sizeof(digest)) != 0 || !facts->payload_matches) {
        return deed_crash__broken(in, "IR2: %s does not hold what was asked for", key);
    }
    return true;
}

/* IR1, IR3, IR4, IB7: what a call told is there, and so is everything before it; nothing that was
 * learned later replaces it. */
static bool is_there(struct deed_crash__promises *in, const struct deed_crash__facts *facts,
    const struct deed_crash__word *told)
{
    if (memcmp(told->digest, facts->digest, sizeof(told->digest)) != 0) {
        return deed_crash__broken(in, "IR3: %s has another digest than was told", told->key);
    }
    if (told->events > (int64_t)facts->events_count) {
        return deed_crash__broken(in, "IR1: %s had %" PRId64 " acknowledged events and has %zu",
            told->key, told->events, facts->events_count);
    }
    if (told->events > 0 &&
        memcmp(told->head, facts->events[told->events - 1].hash, sizeof(told->head)) != 0) {
        return deed_crash__broken(in,
            "IR4: event %" PRId64 " of %s is not the one that was acknowledged", told->events,
            told->key);
    }
    return true;
}

bool deed_crash__ir1(struct deed_crash__promises *in, const struct deed_crash__facts *facts)
{
    for (size_t i = 0; i < in->told_count; i++) {
        const struct deed_crash__word *told = &in->told[i];
        if (strcmp(told->key, facts->result.key) == 0 && !is_there(in, facts, told)) {
            return false;
        }
    }
    return true;
}
