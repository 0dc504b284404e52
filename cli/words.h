/* SPDX-License-Identifier: MIT
 *
 * words.h - the machine's words, as typed.
 */
#ifndef CLI_WORDS_H
#define CLI_WORDS_H

#include <deed/base.h>

#define STATES_END   (DEED_RECONCILED + 1)
#define OUTCOMES_END (DEED_RETRACTED + 1)
#define CLASSES_END  (DEED_CLASS_CLOSABLE + 1)

/* False: there is no such word. */
bool state_read(const char *word, deed_state *state_out);
bool outcome_read(const char *word, deed_outcome *outcome_out);

#endif
