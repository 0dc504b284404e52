/* SPDX-License-Identifier: MIT
 *
 * The shortest trail that still fails. What is kept is never a trail that was thought of, always one
 * that was run: the answers of the last run that failed. A trail is shorter than another when it has
 * fewer answers that are not 0, or as many with a smaller sum.
 */
#include "choose/choices.h"

#include <stdlib.h>
#include <string.h>

#include <deed/ext/error.h>

struct shrinker {
    deed_choices_fails fails;
    void *context;
    uint32_t runs_left;
    bool no_memory;
    char *best; /* text of the trail */
    struct step *steps;
    size_t count;
};

/* ---- what a run says --------------------------------------------------------------------- */

static uint64_t asked_earlier(const deed_choices *run, size_t at)
{
    uint64_t earlier = 0;
    for (size_t i = 0; i < at; i++) {
        earlier += run->asked[i].purpose == run->asked[at].purpose &&
                deed__same_site(run->asked[i].site, run->asked[at].site)
            ? 1U
            : 0U;
    }
    return earlier;
}

/* The answers of a run that are not 0, as steps. */
static bool steps_of(const deed_choices *run, struct step **steps_out, size_t *count_out)
{
    size_t count = 0;
    struct step *steps = calloc(run->asked_count + 1, sizeof(*steps));
    if (steps == NULL) {
        return false;
    }
    for (size_t i = 0; i < run->asked_count; i++) {
        const struct choice *choice = &run->asked[i];
        if (choice->value != 0) {
            steps[count] = (struct step){
                .site = strdup(choice->site),
                .number = i + 1,
                .earlier = asked_earlier(run, i),
                .purpose = choice->purpose,
                .value = choice->value,
                .bound = choice->bound,
            };
            if (steps[count].site == NULL) {
                deed__steps_free(steps, count);
                return false;
            }
            count++;
        }
    }
    *steps_out = steps;
    *count_out = count;
    return true;
}

static uint64_t sum(const struct step *steps, size_t count)
{
    uint64_t total = 0;
    for (size_t i = 0; i < count; i++) {
        total += steps[i].value;
    }
    return total;
}

/* ---- trying ------------------------------------------------------------------------------ */

/* Keeps the run that just failed, if it is shorter than the best one. */
static bool keep(struct shrinker *shrinker, const deed_choices *run)
{
    struct step *steps = NULL;
    size_t count = 0;
    char *text = deed_choices_trail(run);
    if (text == NULL || !steps_of(run, &steps, &count)) {
        free(text);
        shrinker->no_memory = true;
        return false;
    }
    const bool shorter = shrinker->best == NULL || count < shrinker->count ||
        (count == shrinker->count && sum(steps, count) < sum(shrinker->steps, shrinker->count));
    if (!shorter) {
        free(text);
        deed__steps_free(steps, count);
        return false;
    }
    free(shrinker->best);
    deed__steps_free(shrinker->steps, shrinker->count);
    shrinker->best = text;
    shrinker->steps = steps;
    shrinker->count = count;
    return true;
}

/* Takes `steps`. */
static bool try_steps(struct shrinker *shrinker, struct step *steps, size_t count, bool by_site)
{
    if (shrinker->runs_left == 0 || shrinker->no_memory) {
        deed__steps_free(steps, count);
        return false;
    }
    deed_choices *run = deed__replay_new(steps, count, by_site);
    if (run == NULL) {
        shrinker->no_memory = true;
        return false;
    }
    shrinker->runs_left--;
    const bool kept = shrinker->fails(shrinker->context, run) && keep(shrinker, run);
    deed_choices_free(run);
    return kept;
}

/* The best trail without `cut` of its steps from `first`; the one at `changed` (SIZE_MAX: none)
 * gets another value. */
struct variant {
    size_t first;
    size_t cut;
    size_t changed;
    uint32_t value;
};

static bool try_variant(struct shrinker *shrinker, struct variant variant)
{
    struct step *steps = calloc(shrinker->count + 1, sizeof(*steps));
    size_t count = 0;
    shrinker->no_memory |= steps == NULL;
    for (size_t i = 0; !shrinker->no_memory && i < shrinker->count; i++) {
        if (i < variant.first || i - variant.first >= variant.cut) {
            steps[count] = shrinker->steps[i];
            steps[count].site = strdup(shrinker->steps[i].site);
            if (i == variant.changed) {
                steps[count].value = variant.value;
            }
            shrinker->no_memory |= steps[count].site == NULL;
            count++;
        }
    }
    if (shrinker->no_memory) {
        deed__steps_free(steps, count);
        return false;
    }
    return try_steps(shrinker, steps, count, true);
}

static bool cut_tails(struct shrinker *shrinker)
{
    bool shorter = false;
    for (size_t cut = shrinker->count; cut > 0; cut /= 2) {
        while (cut <= shrinker->count &&
            try_variant(shrinker, (struct variant){shrinker->count - cut, cut, SIZE_MAX, 0})) {
            shorter = true;
        }
    }
    return shorter;
}

static bool leave_out(struct shrinker *shrinker)
{
    bool shorter = false;
    for (size_t cut = (shrinker->count + 1) / 2; cut > 0; cut /= 2) {
        for (size_t first = 0; first < shrinker->count;) {
            if (try_variant(shrinker, (struct variant){first, cut, SIZE_MAX, 0})) {
                shorter = true;
            } else {
                first += cut;
            }
        }
    }
    return shorter;
}

/* To 1, else by halves, else by one. */
static bool lower(struct shrinker *shrinker)
{
    bool shorter = false;
    for (size_t i = 0; i < shrinker->count;) {
        const uint32_t value = shrinker->steps[i].value;
        const uint32_t lower_ones[] = {1, value / 2, value - 1};
        bool lowered = false;
        for (size_t j = 0; j < 3 && !lowered; j++) {
            lowered = lower_ones[j] > 0 && lower_ones[j] < value &&
                try_variant(shrinker, (struct variant){0, 0, i, lower_ones[j]});
        }
        shorter |= lowered;
        i += lowered ? 0U : 1U; /* after a success the same place once more, if it is still there */
    }
    return shorter;
}

deed_rc deed_choices_shrink(const char *trail, deed_choices_fails fails, void *context,
    uint32_t runs_max, char **trail_out, struct deed_error *err)
{
    struct shrinker shrinker = {
        .fails = fails, .context = context, .runs_left = runs_max == 0 ? 1 : runs_max};
    struct step *steps = NULL;
    size_t count = 0;
    const deed_rc rc = deed__steps_parse(trail, &steps, &count, err);
    if (rc != DEED_OK) {
        return rc;
    }
    if (try_steps(&shrinker, steps, count, false)) {
        bool shorter = true;
        while (shorter && shrinker.runs_left > 0) {
            shorter = cut_tails(&shrinker);
            shorter |= leave_out(&shrinker);
            shorter |= lower(&shrinker);
        }
    }
    deed__steps_free(shrinker.steps, shrinker.count);
    if (shrinker.no_memory) {
        free(shrinker.best);
        return deed__choices_nomem(err);
    }
    if (shrinker.best == NULL) {
        return deed_error_set(err, DEED_E_INVALID, CHOOSE_ORIGIN,
            "the trail does not fail, so there is nothing to shorten");
    }
    *trail_out = shrinker.best;
    return DEED_OK;
}
