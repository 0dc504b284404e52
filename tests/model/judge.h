/* SPDX-License-Identifier: MIT
 *
 * The promises of the model, held against the real ledger and the world of a trail.
 */
#ifndef DEED_TESTS_MODEL_JUDGE_H
#define DEED_TESTS_MODEL_JUDGE_H

#include "player.h"

/* Somebody is about to begin an attempt. */
void judge_begin(struct play *play);
/* A word is about to be given to the ledger. */
void judge_word(struct play *play, deed_verdict verdict);
void judge_step(struct play *play, const struct step *step);
void judge_end(struct play *play);
/* Does the core know what the model knows after this step? */
void judge_against_model(struct play *play, const struct step *step);

#endif
