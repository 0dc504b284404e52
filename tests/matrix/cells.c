/* SPDX-License-Identifier: MIT */
#include "cells.h"

const struct row matrix_rows[MATRIX_ROWS] = {{WAY_NOTE_FIRST, DEED_CLASS_BLIND},
    {WAY_NAIVE, DEED_CLASS_BLIND}, {WAY_NAIVE, DEED_CLASS_KEYED},
    {WAY_CONTENT_KEY, DEED_CLASS_BLIND}, {WAY_CONTENT_KEY, DEED_CLASS_KEYED},
    {WAY_STABLE_KEY, DEED_CLASS_BLIND}, {WAY_STABLE_KEY, DEED_CLASS_KEYED},
    {WAY_DEED, DEED_CLASS_BLIND}, {WAY_DEED, DEED_CLASS_LOOKUP}, {WAY_DEED, DEED_CLASS_KEYED},
    {WAY_DEED, DEED_CLASS_KEYED_LOOKUP}, {WAY_DEED, DEED_CLASS_CLOSABLE}};

bool cell_run(struct trial *trial, const struct row *row, enum situation situation, bool anew,
    unsigned trials, struct verdicts *sums_out)
{
    *sums_out = (struct verdicts){0};
    for (unsigned seed = 1; seed <= trials; seed++) {
        struct verdicts found = {0};
        if (!trial_run(trial, row->way, row->provider_class, situation, anew, seed, &found)) {
            return false;
        }
        sums_out->duplicates += found.duplicates;
        sums_out->divergences += found.divergences;
        sums_out->losses += found.losses;
        sums_out->guesses += found.guesses;
        sums_out->uncertain += found.uncertain;
    }
    return true;
}
