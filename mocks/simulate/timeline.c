/* SPDX-License-Identifier: MIT
 *
 * A time line: what ledger, disk and world did, side by side. Operations of the disk in a row are
 * told in one line.
 */
#include "simulate/simulate.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CELL_BYTES 96
#define LINES_MAX  4000
#define WIDTH      40

struct line {
    int64_t at_ms;
    enum deed_crash__column column;
    uint32_t more; /* that came right after it, of the same column */
    char text[CELL_BYTES * 4];
};

struct deed_crash__timeline {
    struct line *lines;
    size_t count;
    uint64_t left_out;
    uint64_t requests; /* that are told */
    uint64_t effects;
};

struct deed_crash__timeline *deed_crash__timeline_new(void)
{
    struct deed_crash__timeline *timeline = calloc(1, sizeof(*timeline));
    struct line *lines = calloc(LINES_MAX, sizeof(*lines));
    if (timeline == NULL || lines == NULL) {
        free(timeline);
        free(lines);
        return NULL;
    }
    timeline->lines = lines;
    return timeline;
}

void deed_crash__timeline_free(struct deed_crash__timeline *timeline)
{
    if (timeline != NULL) {
        free(timeline->lines);
        free(timeline);
    }
}

void deed_crash__timeline_tell(struct deed_crash__timeline *timeline, int64_t at_ms,
    enum deed_crash__column column, const char *format, ...)
{
    struct line *last = timeline->count > 0 ? &timeline->lines[timeline->count - 1] : NULL;
    if (last != NULL && column == DEED_CRASH__COLUMN_DISK && last->column == column) {
        last->more++;
        return;
    }
    if (timeline->lines == NULL || timeline->count == LINES_MAX) {
        timeline->left_out++;
        return;
    }
    struct line *line = &timeline->lines[timeline->count++];
    line->at_ms = at_ms;
    line->column = column;
    va_list arguments;
    va_start(arguments, format);
    /* NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): va_start is not seen */
    (void)vsnprintf(line->text, sizeof(line->text), format, arguments);
    va_end(arguments);
}

/* ---- the world --------------------------------------------------------------------------- */

struct news {
    struct deed_crash__timeline *timeline;
    int64_t at_ms;
};

static bool tell_request(void *context, const struct deed_world_request *request)
{
    struct news *news = context;
    if (request->number > news->timeline->requests) {
        news->timeline->requests = request->number;
        deed_crash__timeline_tell(news->timeline, news->at_ms, DEED_CRASH__COLUMN_WORLD,
            "request %llu: %s #%u %s, %s", (unsigned long long)request->number, request->key,
            (unsigned)request->attempt, request->step, deed_world_fate_name(request->fate));
    }
    return true;
}

static bool tell_effect(void *context, const struct deed_world_effect *effect)
{
    struct news *news = context;
    if (effect->number > news->timeline->effects) {
        news->timeline->effects = effect->number;
        deed_crash__timeline_tell(news->timeline, news->at_ms, DEED_CRASH__COLUMN_WORLD,
            "EFFECT %s: %s", effect->reference, effect->key);
    }
    return true;
}

void deed_crash__timeline_world(
    struct deed_crash__timeline *timeline, deed_world *world, int64_t at_ms)
{
    struct news news = {timeline, at_ms};
    if (deed_world_requests_visit(world, NULL, tell_request, &news, NULL) != DEED_OK ||
        deed_world_effects_visit(world, NULL, tell_effect, &news, NULL) != DEED_OK) {
        timeline->left_out++;
    }
}

/* ---- the text ---------------------------------------------------------------------------- */

static void print_line(FILE *out, const struct line *line)
{
    char text[sizeof(line->text) + 32];
    (void)snprintf(text, sizeof(text), "%s", line->text);
    if (line->more > 0) {
        (void)snprintf(text, sizeof(text), "%s, and %u more", line->text, (unsigned)line->more);
    }
    double seconds = (double)(line->at_ms - DEED_CRASH__START_MS) / 1000.0;
    (void)fprintf(out, "%12.3f  ", seconds);
    switch (line->column) {
    case DEED_CRASH__COLUMN_LEDGER:
        (void)fprintf(out, "%s\n", text);
        break;
    case DEED_CRASH__COLUMN_DISK:
        (void)fprintf(out, "%-*s  %s\n", WIDTH, "", text);
        break;
    case DEED_CRASH__COLUMN_WORLD:
        (void)fprintf(out, "%-*s  %-*s  %s\n", WIDTH, "", WIDTH, "", text);
        break;
    case DEED_CRASH__COLUMN_ALL:
        (void)fprintf(out, "---- %s\n", text);
        break;
    }
}

char *deed_crash__timeline_text(const struct deed_crash__timeline *timeline)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    if (out == NULL) {
        return NULL;
    }
    (void)fprintf(
        out, "%12s  %-*s  %-*s  %s\n", "seconds", WIDTH, "ledger", WIDTH, "disk", "world");
    for (size_t i = 0; i < timeline->count; i++) {
        print_line(out, &timeline->lines[i]);
    }
    if (timeline->left_out > 0) {
        (void)fprintf(out, "and %llu lines more\n", (unsigned long long)timeline->left_out);
    }
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}
