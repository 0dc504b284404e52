/* SPDX-License-Identifier: MIT
 *
 * Who answers, but for a trail: the odometer, a seed with its swarm, priorities of workers, and the
 * bytes of a fuzzer.
 */
#include "choose/choices.h"

#include <stdlib.h>

#include <deed/ext/error.h>

#include "mix.h"

/* ---- the odometer ------------------------------------------------------------------------ */

static uint32_t odometer_answer(deed_choices *choices, const struct question *question)
{
    if (choices->asked_count >= choices->fixed) {
        return 0;
    }
    const struct choice *laid = &choices->asked[choices->asked_count];
    if (laid->bound != question->bound || laid->purpose != question->purpose) {
        choices->strayed++; /* two runs of one beginning differ: some chance is not asked for */
        return laid->value < question->bound ? laid->value : question->bound - 1;
    }
    return laid->value;
}

deed_rc deed_choices_exhaustive(deed_choices **choices_out, struct deed_error *err)
{
    deed_choices *choices = deed__choices_new(odometer_answer);
    if (choices == NULL) {
        return deed__choices_nomem(err);
    }
    choices->odometer = true;
    *choices_out = choices;
    return DEED_OK;
}

/* ---- chance ------------------------------------------------------------------------------ */

/* A site is met with a probability between 1/2 and 1/1024, which the seed fixes for the run. The
 * weight is made of the site's own name, so that no other site has a part in it. */
static uint32_t swarm_answer(deed_choices *choices, const struct question *question)
{
    if (choices->off[question->purpose]) {
        return 0;
    }
    const uint64_t weight =
        deed__hash_text(choices->seed ^ (uint64_t)question->purpose << 32, question->site);
    const unsigned rarity = 1 + (unsigned)(weight % 10);
    const uint64_t drawn = deed__draw(&choices->streams[question->purpose]);
    if (drawn >> (64 - rarity) != 0) {
        return 0;
    }
    return 1 + (uint32_t)((drawn & UINT32_MAX) % (question->bound - 1));
}

static uint64_t priority(const deed_choices *choices, uint32_t worker)
{
    for (uint32_t i = choices->lowered_count; i > 0; i--) {
        if (choices->lowered[i - 1] == worker) {
            return DEPTH_MAX - i; /* who was lowered later is lower */
        }
    }
    return deed__mix(choices->seed ^ deed__mix(worker)) | UINT64_C(1) << 63;
}

static bool changes_now(const deed_choices *choices)
{
    for (uint32_t i = 0; i + 1 < choices->depth; i++) {
        if (choices->change_at[i] == choices->step) {
            return true;
        }
    }
    return false;
}

static uint32_t highest(const deed_choices *choices, const struct question *question)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < question->bound; i++) {
        if (priority(choices, question->workers[i]) > priority(choices, question->workers[best])) {
            best = i;
        }
    }
    return best;
}

static uint32_t pct_answer(deed_choices *choices, const struct question *question)
{
    if (question->purpose != DEED_PURPOSE_SCHEDULE) {
        return swarm_answer(choices, question);
    }
    choices->step++;
    const bool changes = changes_now(choices);
    const uint64_t drawn = deed__draw(&choices->streams[DEED_PURPOSE_SCHEDULE]);
    if (question->workers != NULL) {
        if (changes && choices->lowered_count < DEPTH_MAX) {
            choices->lowered[choices->lowered_count++] = question->workers[0];
        }
        return highest(choices, question);
    }
    if (choices->step == 1) {
        return (uint32_t)(drawn % question->bound);
    }
    return changes ? 1 + (uint32_t)(drawn % (question->bound - 1)) : 0;
}

void deed__chance_begin(deed_choices *choices)
{
    uint64_t stream = deed__mix(choices->seed);
    for (size_t i = 0; i < DEED_PURPOSE_COUNT; i++) {
        choices->off[i] = (deed__draw(&stream) >> 63) != 0;
        choices->streams[i] = deed__mix(choices->seed ^ deed__mix(i));
    }
    choices->step = 0;
    choices->lowered_count = 0;
    for (uint32_t i = 0; i + 1 < choices->depth; i++) {
        choices->change_at[i] = 1 + (uint32_t)(deed__draw(&stream) % choices->steps);
    }
}

static deed_rc chance_new(answerer answer, uint64_t seed, uint32_t depth, uint32_t steps,
    deed_choices **choices_out, struct deed_error *err)
{
    deed_choices *choices = deed__choices_new(answer);
    if (choices == NULL) {
        return deed__choices_nomem(err);
    }
    choices->seed = seed == 0 ? 1 : seed;
    choices->depth = depth;
    choices->steps = steps;
    deed__chance_begin(choices);
    *choices_out = choices;
    return DEED_OK;
}

deed_rc deed_choices_swarm(uint64_t seed, deed_choices **choices_out, struct deed_error *err)
{
    return chance_new(swarm_answer, seed, 0, 1, choices_out, err);
}

deed_rc deed_choices_pct(uint64_t seed, uint32_t depth, uint32_t steps, deed_choices **choices_out,
    struct deed_error *err)
{
    if (depth == 0 || depth > DEPTH_MAX || steps == 0) {
        return deed_error_set(err, DEED_E_INVALID, CHOOSE_ORIGIN,
            "priorities need a depth of 1 to %u and at least one step; these are %u and %u",
            DEPTH_MAX, (unsigned)depth, (unsigned)steps);
    }
    return chance_new(pct_answer, seed, depth, steps, choices_out, err);
}

/* ---- a fuzzer ---------------------------------------------------------------------------- */

static uint32_t bytes_answer(deed_choices *choices, const struct question *question)
{
    size_t wanted = 1;
    if (question->bound > 256) {
        wanted = question->bound > 65536 ? 4 : 2;
    }
    wanted = wanted < choices->bytes_left ? wanted : choices->bytes_left;
    if (wanted == 0) {
        return 0;
    }
    const uint64_t number = deed__load(choices->bytes, wanted);
    choices->bytes += wanted;
    choices->bytes_left -= wanted;
    return (uint32_t)(number % question->bound);
}

deed_rc deed_choices_bytes(
    const uint8_t *bytes, size_t bytes_count, deed_choices **choices_out, struct deed_error *err)
{
    deed_choices *choices = deed__choices_new(bytes_answer);
    if (choices == NULL) {
        return deed__choices_nomem(err);
    }
    choices->bytes = bytes;
    choices->bytes_left = bytes_count;
    *choices_out = choices;
    return DEED_OK;
}
