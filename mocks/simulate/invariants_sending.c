/* SPDX-License-Identifier: MIT
 *
 * Nothing goes out that is not durable, and what goes out is what is stored.
 */
#include "simulate/facts.h"

#include <inttypes.h>
#include <string.h>

/* ---- sending --------------------------------------------------------------------------------- */

/* IS1: whatever went out belongs to an attempt that is durable, went out as it says, and once. */
bool deed_crash__is1(struct deed_crash__promises *in, const struct deed_crash__facts *facts)
{
    const char *key = facts->result.key;
    for (size_t i = 0; i < facts->requests_count; i++) {
        const struct deed_crash__seen_request *request = &facts->requests[i];
        const struct deed_crash__seen_attempt *attempt =
            deed_crash__attempt_numbered(facts, request->attempt);
        if (attempt == NULL) {
            return deed_crash__broken(in,
                "IS1: the world received attempt %u of %s, which is not durable",
                (unsigned)request->attempt, key);
        }
        if (strcmp(request->provider_key, attempt->provider_key) != 0 ||
            strcmp(request->bytes_digest, attempt->bytes_digest) != 0) {
            return deed_crash__broken(in,
                "IS1: attempt %u of %s went out otherwise than it is stored",
                (unsigned)request->attempt, key);
        }
        for (size_t other = 0; other < i; other++) {
            if (facts->requests[other].attempt == request->attempt) {
                return deed_crash__broken(
                    in, "IS1: attempt %u of %s was sent twice", (unsigned)request->attempt, key);
            }
        }
    }
    return true;
}

/* IS2: no more sends than durable attempts. */
bool deed_crash__is2(struct deed_crash__promises *in, const struct deed_crash__facts *facts)
{
    return facts->requests_count <= facts->attempts_count ||
        deed_crash__broken(in, "IS2: %zu sends and %zu attempts of %s", facts->requests_count,
            facts->attempts_count, facts->result.key);
}

/* IS3: one provider key, one sequence of bytes; a new one only after a proven not_applied (that is
 * told by the outcome before the attempt: see deed_crash__history). */
bool deed_crash__is3(struct deed_crash__promises *in, const struct deed_crash__facts *facts)
{
    for (size_t i = 0; i < facts->attempts_count; i++) {
        for (size_t j = 0; j < i; j++) {
            const struct deed_crash__seen_attempt *a = &facts->attempts[i];
            const struct deed_crash__seen_attempt *b = &facts->attempts[j];
            bool one_key = strcmp(a->provider_key, b->provider_key) == 0;
            if (one_key != (a->generation == b->generation) ||
                (one_key && strcmp(a->bytes_digest, b->bytes_digest) != 0)) {
                return deed_crash__broken(in,
                    "IS3: attempts %u and %u of %s do not agree on key and bytes",
                    (unsigned)b->number, (unsigned)a->number, facts->result.key);
            }
        }
    }
    return true;
}
