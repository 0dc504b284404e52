/* SPDX-License-Identifier: MIT */
#include "explore.h"

#include <stdio.h>
#include <string.h>

#define TOLD_MAX          3  /* of the broken plays of one experiment */
#define PLAYS_PER_PROGRAM 25 /* of a random program */

/* ---- telling ----------------------------------------------------------------------------- */

static void tell(const struct experiment *experiment, const struct program *program,
    const struct schedule *schedule, const struct played *played)
{
    printf("    %s: %s\n      again: walreset.program again %s %s/%s/%s %u:%d", experiment->name,
        played->broken, experiment->way->name, program->before, program->by[0], program->by[1],
        schedule->points, schedule->first);
    for (size_t i = 0; i < schedule->count; i++) {
        printf(":%u", schedule->at[i]);
    }
    printf("\n");
}

static struct played count_play(const struct experiment *experiment, const struct program *program,
    const struct schedule *schedule, struct counts *counts)
{
    const struct played played = play(experiment->way, program, schedule);
    counts->plays++;
    counts->preemptions += played.turns.taken;
    counts->waits += played.turns.waits;
    counts->commits += played.commits;
    counts->copied += played.copied;
    counts->refused += played.refused;
    if (!played.kept) {
        counts->broken++;
        if (counts->first_broken == 0) {
            counts->first_broken = counts->plays;
        }
        if (counts->broken <= TOLD_MAX) {
            tell(experiment, program, schedule, &played);
        }
    }
    return played;
}

/* ---- all --------------------------------------------------------------------------------- */

struct counts explore_all(
    const struct experiment *experiment, const struct program *programs, size_t count)
{
    struct counts counts = {0};
    for (size_t i = 0; i < count; i++) {
        for (int first = 0; first < TURNS_WORKERS; first++) {
            struct schedule schedule = {.points = experiment->points, .first = first};
            const uint32_t points =
                count_play(experiment, &programs[i], &schedule, &counts).turns.first_only;
            schedule.count = 1;
            for (uint32_t at = 1; at <= points; at++) {
                schedule.at[0] = at;
                (void)count_play(experiment, &programs[i], &schedule, &counts);
            }
        }
    }
    return counts;
}

/* ---- random ------------------------------------------------------------------------------ */

/* splitmix64 */
static uint64_t draw(uint64_t *state)
{
    *state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = *state;
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static uint32_t below(uint64_t *state, uint32_t limit)
{
    return limit == 0 ? 0 : (uint32_t)(draw(state) % limit);
}

static void draw_letters(uint64_t *state, const char *letters, uint32_t length, char *text_out)
{
    for (uint32_t i = 0; i < length; i++) {
        text_out[i] = letters[below(state, (uint32_t)strlen(letters))];
    }
    text_out[length] = '\0';
}

/* The first within what `turns` had while both still ran: behind that nobody is there to take a turn. */
static void draw_schedule(uint64_t *state, const struct turns *turns, struct schedule *schedule)
{
    for (size_t i = 0; i < schedule->count; i++) {
        schedule->at[i] = 1 + below(state, i == 0 ? turns->first_only : turns->points);
    }
    if (schedule->count == 2 && schedule->at[0] > schedule->at[1]) {
        const uint32_t later = schedule->at[0];
        schedule->at[0] = schedule->at[1];
        schedule->at[1] = later;
    }
}

struct counts explore_random(
    const struct experiment *experiment, uint64_t plays, struct counts *control_out)
{
    struct counts counts = {0};
    uint64_t state = experiment->seed;
    *control_out = (struct counts){0};
    while (counts.plays < plays) {
        struct program program;
        draw_letters(&state, experiment->letters, below(&state, 4), program.before);
        for (int i = 0; i < TURNS_WORKERS; i++) {
            draw_letters(&state, experiment->letters, 1 + below(&state, 3), program.by[i]);
        }
        struct schedule schedule = {
            .points = experiment->points, .first = (int)below(&state, TURNS_WORKERS)};
        const struct turns turns = count_play(experiment, &program, &schedule, control_out).turns;
        schedule.count = experiment->preemptions;
        for (int i = 0; i < PLAYS_PER_PROGRAM && counts.plays < plays; i++) {
            draw_schedule(&state, &turns, &schedule);
            (void)count_play(experiment, &program, &schedule, &counts);
        }
    }
    return counts;
}

/* ---- again ------------------------------------------------------------------------------- */

static bool read_program(const char *text, struct program *program_out)
{
    memset(program_out, 0, sizeof(*program_out));
    char *const parts[] = {program_out->before, program_out->by[0], program_out->by[1]};
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        const size_t length = strcspn(text, "/");
        const bool last = i + 1 == sizeof(parts) / sizeof(parts[0]);
        if (length > OPERATIONS_MAX || (text[length] == '\0') != last ||
            strspn(text, "cslf") < length) {
            return false;
        }
        memcpy(parts[i], text, length);
        text += length + 1;
    }
    return true;
}

bool explore_again(const struct way *way, const char *program, const char *schedule, bool *kept_out)
{
    struct program words;
    struct schedule turns = {0};
    const int read = sscanf(schedule, "%u:%d:%u:%u", /* NOLINT(cert-err34-c): a person types it */
        &turns.points, &turns.first, &turns.at[0], &turns.at[1]);
    if (read < 2 || turns.first < 0 || turns.first >= TURNS_WORKERS ||
        !read_program(program, &words)) {
        return false;
    }
    turns.count = (size_t)read - 2;
    const struct played played = play(way, &words, &turns);
    printf(
        "%s: %u commits acknowledged, %u checkpoints, %u refused, %u points, preempted %zu times\n",
        played.kept ? "kept" : played.broken, played.commits, played.copied, played.refused,
        played.turns.points, played.turns.taken);
    *kept_out = played.kept;
    return true;
}
