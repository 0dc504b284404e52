/* SPDX-License-Identifier: MIT
 *
 * story.c - what happened in one trial, in order.
 */
#include "crashtest/story.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

/* NULL stays NULL. */
static char *copy(struct story *story, const char *text)
{
    char *copied = text ? strdup(text) : NULL;
    story->failed = story->failed || (text && !copied);
    return copied;
}

void story_add(struct story *story, const struct moment *moment)
{
    if (story->count == story->capacity) {
        const size_t capacity = story->capacity ? story->capacity * 2 : 32;
        struct moment *moments = realloc(story->moments, capacity * sizeof *moments);
        if (!moments) {
            story->failed = true;
            return;
        }
        story->moments = moments;
        story->capacity = capacity;
    }
    struct moment *added = &story->moments[story->count++];
    *added = *moment;
    added->word = copy(story, moment->word);
    added->method = copy(story, moment->method);
    added->name = copy(story, moment->name);
    added->key = copy(story, moment->key);
}

void story_finish(struct story *story)
{
    for (size_t i = 0; i < story->count; i++) {
        free(story->moments[i].word);
        free(story->moments[i].method);
        free(story->moments[i].name);
        free(story->moments[i].key);
    }
    free(story->moments);
    *story = (struct story){0};
}

bool story_mentions(const struct story *story, uint64_t run, const char *name)
{
    for (size_t i = 0; i < story->count; i++) {
        const struct moment *moment = &story->moments[i];
        if (moment->kind == MOMENT_EVENT && moment->run == run && moment->name &&
            strcmp(moment->name, name) == 0) {
            return true;
        }
    }
    return false;
}

static void end_text(const struct moment *moment, char text_out[MOMENT_TEXT_BYTES])
{
    if (WIFSIGNALED(moment->status)) {
        (void)snprintf(text_out, MOMENT_TEXT_BYTES, "run %" PRIu64 " died of signal %d",
            moment->number, WTERMSIG(moment->status));
        return;
    }
    const int status = WEXITSTATUS(moment->status);
    const char *says = status == 0 ? ": all is done" : "";
    (void)snprintf(text_out, MOMENT_TEXT_BYTES, "run %" PRIu64 " ended %d%s", moment->number,
        status, status == 3 ? ": not known" : says);
}

void moment_text(const struct moment *moment, char text_out[MOMENT_TEXT_BYTES])
{
    switch (moment->kind) {
    case MOMENT_START:
        (void)snprintf(text_out, MOMENT_TEXT_BYTES, "run %" PRIu64 " starts", moment->number);
        break;
    case MOMENT_EVENT:
        (void)snprintf(text_out, MOMENT_TEXT_BYTES, "  event %" PRIu64 ": %s,%s%s %.80s%s%.80s",
            moment->number, moment->word, moment->method[0] ? " " : "", moment->method,
            moment->name, moment->key[0] ? ", key " : "", moment->key);
        break;
    case MOMENT_KILLED:
        (void)snprintf(text_out, MOMENT_TEXT_BYTES, "  killed %s", moment->word);
        break;
    case MOMENT_LIMIT:
        (void)snprintf(text_out, MOMENT_TEXT_BYTES, "  the time limit of a run is over");
        break;
    case MOMENT_END:
        end_text(moment, text_out);
        break;
    case MOMENT_DELIVER:
        (void)snprintf(
            text_out, MOMENT_TEXT_BYTES, "what was late is delivered: %" PRIu64, moment->number);
        break;
    }
}
