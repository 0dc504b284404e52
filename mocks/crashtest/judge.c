/* SPDX-License-Identifier: MIT
 *
 * judge.c - which promises a trial broke.
 */
#include "crashtest/judge.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

const char *promise_word(enum promise promise)
{
    static const char *const words[PROMISE_COUNT] = {
        [PROMISE_DOUBLED] = "doubled",
        [PROMISE_LOST] = "lost",
        [PROMISE_CLAIMED] = "claimed",
        [PROMISE_NEVER_FINISHED] = "never_finished",
    };
    return words[promise];
}

struct bench {
    struct finding *findings;
    size_t max;
    size_t count;
};

static void find(struct bench *bench, enum promise promise, const char *format, ...)
    DEED_PRINTF(3, 4);

static void find(struct bench *bench, enum promise promise, const char *format, ...)
{
    if (bench->count < bench->max) {
        struct finding *finding = &bench->findings[bench->count];
        finding->promise = promise;
        va_list args;
        va_start(args, format);
        (void)vsnprintf(finding->text, sizeof finding->text, format, args);
        va_end(args);
    }
    bench->count++;
}

/* However it ended: what happened twice cannot be taken back. */
static void judge_doubled(struct bench *bench, const struct judged_trial *trial)
{
    uint64_t different = 0;
    const char *surplus = NULL;
    for (size_t i = 0; i < trial->effect_count; i++) {
        const struct judged_effect *effect = &trial->effects[i];
        different += effect->effects > 0;
        if (effect->effects > 0 && !effect->expected) {
            surplus = effect->name;
        }
        if (effect->effects > 1 && effect->keys > 1) {
            find(bench, PROMISE_DOUBLED,
                "%.80s took effect %" PRIu64 " times, under %" PRIu64
                " different keys: a repeat must send the key of before",
                effect->name, effect->effects, effect->keys);
        } else if (effect->effects > 1) {
            find(bench, PROMISE_DOUBLED,
                "%.80s took effect %" PRIu64
                " times: it was sent again to a provider that does not compare keys",
                effect->name, effect->effects);
        }
    }
    if (different > trial->expect) {
        find(bench, PROMISE_DOUBLED,
            "%" PRIu64 " different effects instead of %" PRIu64
            "%s%.80s: a repeat must be the same action under the same name",
            different, trial->expect, surplus ? ", among them " : "", surplus ? surplus : "");
    }
}

/* It ended 0, and so claims all. */
static void judge_claims(struct bench *bench, const struct judged_trial *trial)
{
    uint64_t different = 0;
    for (size_t i = 0; i < trial->effect_count; i++) {
        different += trial->effects[i].effects > 0;
    }
    uint64_t missing = different < trial->expect ? trial->expect - different : 0;
    for (size_t i = 0; i < trial->effect_count && missing > 0; i++) {
        const struct judged_effect *effect = &trial->effects[i];
        if (!effect->expected || effect->effects > 0) {
            continue;
        }
        missing--;
        if (effect->mentioned) {
            find(bench, PROMISE_CLAIMED, "it ended 0, all is done, and %.80s never took effect",
                effect->name);
        } else {
            find(bench, PROMISE_LOST, "it ended 0 and had forgotten %.80s, which never took effect",
                effect->name);
        }
    }
    if (missing > 0) {
        find(bench, PROMISE_CLAIMED,
            "it ended 0, all is done, with %" PRIu64 " different effects instead of %" PRIu64,
            different, trial->expect);
    }
}

static void judge_end(struct bench *bench, const struct judged_trial *trial)
{
    switch (trial->ending) {
    case ENDING_DONE:
        judge_claims(bench, trial);
        break;
    case ENDING_UNCERTAIN:
        break;
    case ENDING_NONE:
        find(bench, PROMISE_NEVER_FINISHED,
            "started %" PRIu64 " times, it never ended 0 (all is done) or 3 (not known); the last "
            "run %s %d",
            trial->runs, trial->last_status < 0 ? "died of signal" : "ended",
            trial->last_status < 0 ? -trial->last_status : trial->last_status);
        break;
    case ENDING_TOO_LONG:
        find(bench, PROMISE_NEVER_FINISHED,
            "run %" PRIu64 " did not end within its time limit: does it wait for an answer without "
            "a time-out?",
            trial->runs);
        break;
    }
}

size_t judge(const struct judged_trial *trial, struct finding *findings_out, size_t max)
{
    struct bench bench = {findings_out, max, 0};
    judge_doubled(&bench, trial);
    judge_end(&bench, trial);
    return bench.count;
}
