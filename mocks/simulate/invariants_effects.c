/* SPDX-License-Identifier: MIT
 *
 * What happens outside happens once, and belongs to one intent.
 */
#include "simulate/facts.h"

#include <inttypes.h>
#include <string.h>

/* ---- effects --------------------------------------------------------------------------------- */

static bool decided_by_person(const struct deed_crash__facts *facts)
{
    for (size_t i = 0; i < facts->events_count; i++) {
        if (facts->events[i].grade == DEED_GRADE_OPERATOR) {
            return true;
        }
    }
    return false;
}

/* IE1: at most one effect where the provider can be held to it. Here at a blind one too: persons
 * tell the truth. A provider that lies is held to nothing. */
bool deed_crash__ie1(struct deed_crash__promises *in, const struct deed_crash__facts *facts)
{
    return facts->effects_count <= 1 || deed_crash__can(facts, DEED_CRASH__CAN_LIE) ||
        deed_crash__broken(
            in, "IE1: %s took effect %zu times", facts->result.key, facts->effects_count);
}

/* IE2: at a blind provider one request that may count, unless a person decided. */
bool deed_crash__ie2(struct deed_crash__promises *in, const struct deed_crash__facts *facts)
{
    size_t may_count = 0;
    for (size_t i = 0; i < facts->requests_count; i++) {
        may_count += facts->requests[i].fate == DEED_WORLD_REFUSED ? 0 : 1;
    }
    if (deed_crash__is_blind(facts) && may_count > 1 && !decided_by_person(facts)) {
        return deed_crash__broken(in,
            "IE2: %s was sent %zu times to a blind provider, and nobody had decided",
            facts->result.key, may_count);
    }
    return true;
}

/* IE3: one effect belongs to one intent. */
bool deed_crash__ie3(struct deed_crash__across *across, const struct deed_crash__facts *facts)
{
    const char *key = facts->result.key;
    for (size_t i = 0; i < facts->evidence_count; i++) {
        const struct deed_crash__seen_evidence *evidence = &facts->evidence[i];
        if (evidence->outcome != DEED_APPLIED || evidence->reference[0] == '\0') {
            continue;
        }
        for (size_t j = 0; j < across->taken_count; j++) {
            if (strcmp(across->taken[j].reference, evidence->reference) == 0 &&
                strcmp(across->taken[j].key, key) != 0) {
                return deed_crash__broken(across->in, "IE3: %s is stored with %s and with %s",
                    evidence->reference, across->taken[j].key, key);
            }
        }
        if (across->taken_count < DEED_CRASH__TAKEN_MAX) {
            memcpy(across->taken[across->taken_count].reference, evidence->reference,
                sizeof(evidence->reference));
            deed_crash__copy_text(
                across->taken[across->taken_count++].key, DEED_KEY_BYTES_MAX + 1, key);
        }
    }
    return true;
}
