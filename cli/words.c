/* SPDX-License-Identifier: MIT
 *
 * words.c - the machine's words, as typed.
 */
#include "words.h"

#include <string.h>

bool state_read(const char *word, deed_state *state_out)
{
    for (int i = DEED_RECORDED; i < STATES_END; i++) {
        if (strcmp(deed_state_name((deed_state)i), word) == 0) {
            *state_out = (deed_state)i;
            return true;
        }
    }
    return false;
}

bool outcome_read(const char *word, deed_outcome *outcome_out)
{
    for (int i = DEED_OUTCOME_NONE; i < OUTCOMES_END; i++) {
        if (strcmp(deed_outcome_name((deed_outcome)i), word) == 0) {
            *outcome_out = (deed_outcome)i;
            return true;
        }
    }
    return false;
}
