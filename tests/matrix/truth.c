/* SPDX-License-Identifier: MIT
 *
 * What was claimed, and what is true: requests are counted in the world, each with what it said.
 */
#include "matrix.h"

#include <stdarg.h>
#include <stdio.h>

void trial_break(struct trial *trial, const char *format, ...)
{
    if (trial->broken[0] != '\0') {
        return;
    }
    va_list arguments;
    va_start(arguments, format);
    /* NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): va_start is not seen */
    (void)vsnprintf(trial->broken, sizeof(trial->broken), format, arguments);
    va_end(arguments);
}

struct effects {
    const struct trial *trial;
    unsigned intention;
    unsigned requests; /* the first ones only */
    uint64_t count;
    unsigned drafts; /* a bit for each that took effect */
};

static bool add_effects(void *context, const struct deed_world_request *request)
{
    struct effects *effects = context;
    if (request->number > effects->requests) {
        return false;
    }
    const struct sent *sent = &effects->trial->sent[request->number - 1];
    if (sent->intention == effects->intention && request->effects > 0) {
        effects->count += request->effects;
        effects->drafts |= 1U << sent->draft;
    }
    return true;
}

static struct effects effects_of(struct trial *trial, unsigned intention, unsigned requests)
{
    struct effects effects = {.trial = trial, .intention = intention, .requests = requests};
    if (deed_world_requests_visit(trial->world, NULL, add_effects, &effects, NULL) != DEED_OK) {
        trial_break(trial, "the world cannot be read");
    }
    return effects;
}

uint64_t trial_effects(struct trial *trial, unsigned intention)
{
    return effects_of(trial, intention, trial->sent_count).count;
}

void trial_claim(struct trial *trial, unsigned intention, enum said said, bool proven)
{
    struct belief *belief = &trial->beliefs[intention];
    if (trial->dead) {
        return;
    }
    belief->said = said;
    belief->guessed = belief->guessed || !proven;
    belief->early = belief->early || trial_effects(trial, intention) == 0;
}

void trial_deny(struct trial *trial, unsigned intention)
{
    trial->beliefs[intention].denied = trial->sent_count;
}

struct verdicts trial_judge(struct trial *trial)
{
    struct verdicts verdicts = {0};
    for (unsigned i = 0; i < trial->plan.intentions; i++) {
        const struct belief *belief = &trial->beliefs[i];
        const struct effects is = effects_of(trial, i, trial->sent_count);
        const bool denied = effects_of(trial, i, belief->denied).count > 0;
        verdicts.duplicates |= is.count > 1;
        verdicts.divergences |= (is.drafts & (is.drafts - 1)) != 0;
        verdicts.losses |= is.count == 0; /* nobody works at it any more */
        verdicts.guesses |= belief->guessed || denied || (belief->early && is.count > 0);
        verdicts.uncertain |= belief->uncertain;
    }
    return verdicts;
}
