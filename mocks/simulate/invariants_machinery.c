/* SPDX-License-Identifier: MIT
 *
 * Numbers and tokens of attempts, and whether everything comes to an end.
 */
#include "simulate/facts.h"

#include <inttypes.h>
#include <string.h>

/* ---- workers, liveness ----------------------------------------------------------------------- */

/* IF1: attempts are numbered without a gap, and a token names one attempt of the whole ledger. IS3:
 * so does a provider key one intent. */
bool deed_crash__if1(struct deed_crash__across *across, const struct deed_crash__facts *facts)
{
    const char *key = facts->result.key;
    for (size_t i = 0; i < facts->attempts_count; i++) {
        const struct deed_crash__seen_attempt *attempt = &facts->attempts[i];
        if (attempt->number != i + 1) {
            return deed_crash__broken(across->in, "IF1: attempt %zu of %s is numbered %u", i + 1,
                key, (unsigned)attempt->number);
        }
        for (size_t j = 0; j < across->tokens_count; j++) {
            if (memcmp(across->tokens[j].token, attempt->token, DEED_TOKEN_BYTES) == 0) {
                return deed_crash__broken(across->in,
                    "IF1: attempt %u of %s has a token that another one has",
                    (unsigned)attempt->number, key);
            }
            if (strcmp(across->tokens[j].provider_key, attempt->provider_key) == 0 &&
                strcmp(across->tokens[j].key, key) != 0) {
                return deed_crash__broken(across->in, "IS3: %s and %s went out under one key",
                    across->tokens[j].key, key);
            }
        }
        if (across->tokens_count < DEED_CRASH__TAKEN_MAX) {
            memcpy(across->tokens[across->tokens_count].token, attempt->token, DEED_TOKEN_BYTES);
            deed_crash__copy_text(across->tokens[across->tokens_count].provider_key,
                DEED_PROVIDER_KEY_BYTES, attempt->provider_key);
            deed_crash__copy_text(
                across->tokens[across->tokens_count++].key, DEED_KEY_BYTES_MAX + 1, key);
        }
    }
    return true;
}

static bool is_at_an_end(const struct deed_result *result)
{
    bool settled = result->state == DEED_CONFIRMED || result->state == DEED_RECONCILED;
    return settled && result->outcome != DEED_NOT_APPLIED && !result->disputed && !result->held;
}

/* IL1: at the end everything is at its end, or in the list of what a person must decide. */
bool deed_crash__il1(struct deed_crash__promises *in, const struct deed_crash__facts *facts)
{
    const struct deed_result *result = &facts->result;
    return !in->ended || is_at_an_end(result) || result->needs_person ||
        deed_crash__broken(in, "IL1: %s is left %s, %s (%s), and nobody is asked", result->key,
            deed_state_name(result->state), deed_outcome_name(result->outcome),
            deed_reason_name(result->reason));
}
