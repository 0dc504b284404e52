/* SPDX-License-Identifier: MIT
 *
 * The world, for people: each request on a line, what came of it, and the sums below.
 */
#include "world_impl.h"

#include <time.h>

#include <deed/ext/error.h>

#define TIME_BYTES 40

static void time_text(int64_t wall_ms, char text_out[TIME_BYTES])
{
    time_t seconds = (time_t)(wall_ms / 1000);
    struct tm parts;
    char day_and_time[24];
    if (wall_ms <= 0 || gmtime_r(&seconds, &parts) == NULL ||
        strftime(day_and_time, sizeof(day_and_time), "%Y-%m-%dT%H:%M:%S", &parts) == 0) {
        (void)snprintf(text_out, TIME_BYTES, "-");
        return;
    }
    (void)snprintf(text_out, TIME_BYTES, "%s.%03dZ", day_and_time, (int)(wall_ms % 1000));
}

static bool print_request(void *context, const struct deed_world_request *request)
{
    FILE *out = context;
    char sent[TIME_BYTES];
    char landed[TIME_BYTES];
    time_text(request->sent_ms, sent);
    time_text(request->landed_ms, landed);
    (void)fprintf(out, "%s  request %llu  %s attempt %u  %s: %s", sent,
        (unsigned long long)request->number, request->key, (unsigned)request->attempt,
        request->step, deed_world_fate_name(request->fate));
    if (request->landed_ms != 0 && request->landed_ms != request->sent_ms) {
        (void)fprintf(out, " at %s", landed);
    }
    (void)fprintf(out, ", %llu effect%s\n", (unsigned long long)request->effects,
        request->effects == 1 ? "" : "s");
    return true;
}

static bool print_effect(void *context, const struct deed_world_effect *effect)
{
    FILE *out = context;
    char landed[TIME_BYTES];
    time_text(effect->landed_ms, landed);
    (void)fprintf(out, "%s  effect %s  %s, by request %llu under %s at %s\n", landed,
        effect->reference, effect->key, (unsigned long long)effect->request, effect->provider_key,
        effect->account);
    return true;
}

static void print_sum(FILE *out, uint64_t count, const char *one, const char *many)
{
    (void)fprintf(out, "%llu %s", (unsigned long long)count, count == 1 ? one : many);
}

deed_rc deed_world_print(deed_world *world, FILE *out, struct deed_error *err)
{
    struct deed_world_counts counts;
    deed_rc rc = deed_world_requests_visit(world, NULL, print_request, out, err);
    if (rc == DEED_OK) {
        rc = deed_world_effects_visit(world, NULL, print_effect, out, err);
    }
    if (rc == DEED_OK) {
        rc = deed_world_count(world, NULL, NULL, &counts, err);
    }
    if (rc != DEED_OK) {
        return rc;
    }
    print_sum(out, counts.sends, "request, ", "requests, ");
    print_sum(out, counts.effects, "effect, ", "effects, ");
    print_sum(out, counts.waiting, "still waits, ", "still wait, ");
    print_sum(out, counts.lookups, "look-up, ", "look-ups, ");
    print_sum(out, counts.polls, "poll\n", "polls\n");
    if (fflush(out) != 0) {
        return deed_error_set(
            err, DEED_E_SYSTEM, DEED_MOCK__ORIGIN_WORLD, "cannot print the world");
    }
    return DEED_OK;
}
