/* SPDX-License-Identifier: MIT
 *
 * A run: questions and answers, as they come, and what is said about them afterwards.
 */
#include "choose/choices.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <deed/ext/error.h>

#include "mix.h"

#define ROOM_FIRST 256U

static const char *const purpose_names[DEED_PURPOSE_COUNT] = {
#define PURPOSE_NAME(ident, name) [DEED_PURPOSE_##ident] = (name),
    DEED_PURPOSE_LIST(PURPOSE_NAME)
#undef PURPOSE_NAME
};

const char *deed_purpose_name(deed_purpose purpose)
{
    return (unsigned)purpose < DEED_PURPOSE_COUNT ? purpose_names[purpose] : NULL;
}

deed_rc deed__choices_nomem(struct deed_error *err)
{
    return deed_error_set(err, DEED_E_NOMEM, CHOOSE_ORIGIN, "no memory for choices");
}

bool deed__same_site(const char *left, const char *right)
{
    return left == right || strcmp(left, right) == 0;
}

deed_choices *deed__choices_new(answerer answer)
{
    deed_choices *choices = calloc(1, sizeof(*choices));
    struct choice *asked = calloc(ROOM_FIRST, sizeof(*asked));
    if (choices == NULL || asked == NULL) {
        free(asked);
        free(choices);
        return NULL;
    }
    choices->answer = answer;
    choices->asked = asked;
    choices->asked_room = ROOM_FIRST;
    return choices;
}

void deed_choices_free(deed_choices *choices)
{
    if (choices != NULL) {
        deed__steps_free(choices->trail, choices->trail_count);
        free(choices->sites);
        free(choices->asked);
        free(choices);
    }
}

void deed__choices_begin(deed_choices *choices)
{
    choices->asked_count = 0;
    choices->noted = 0;
    choices->strayed = 0;
}

/* ---- asking ------------------------------------------------------------------------------ */

static bool make_room(deed_choices *choices)
{
    struct choice *more =
        realloc(choices->asked, 2 * choices->asked_room * sizeof(*choices->asked));
    if (more == NULL) {
        choices->lost = true;
        return false;
    }
    choices->asked = more;
    choices->asked_room *= 2;
    return true;
}

static uint32_t ask(deed_choices *choices, const struct question *question)
{
    if (choices->asked_count == choices->asked_room && !make_room(choices)) {
        return 0;
    }
    const uint32_t value = choices->answer(choices, question);
    choices->asked[choices->asked_count++] = (struct choice){
        .site = question->site,
        .purpose = question->purpose,
        .value = value,
        .bound = question->bound,
    };
    return value;
}

uint32_t deed_choose(deed_choices *choices, deed_purpose purpose, const char *site, uint32_t bound)
{
    if (bound <= 1 || (unsigned)purpose >= DEED_PURPOSE_COUNT) {
        return 0;
    }
    const struct question question = {.site = site, .purpose = purpose, .bound = bound};
    return ask(choices, &question);
}

uint32_t deed_choose_worker(
    deed_choices *choices, const char *site, const uint32_t *workers, uint32_t workers_count)
{
    if (workers_count <= 1) {
        return 0;
    }
    const struct question question = {
        .site = site, .purpose = DEED_PURPOSE_SCHEDULE, .bound = workers_count, .workers = workers};
    return ask(choices, &question);
}

void deed_choices_note(deed_choices *choices, const void *what, size_t what_bytes)
{
    choices->noted = deed__hash(choices->noted ^ choices->asked_count, what, what_bytes);
}

/* ---- the next run ------------------------------------------------------------------------ */

static bool odometer_next(deed_choices *choices)
{
    size_t last = choices->asked_count;
    while (last > 0 && choices->asked[last - 1].value + 1 >= choices->asked[last - 1].bound) {
        last--;
    }
    if (last == 0) {
        return false;
    }
    choices->asked[last - 1].value++;
    choices->fixed = last;
    deed__choices_begin(choices);
    return true;
}

bool deed_choices_next(deed_choices *choices)
{
    if (choices->lost) {
        return false;
    }
    if (choices->odometer) {
        return odometer_next(choices);
    }
    if (choices->seed == 0) {
        return false;
    }
    do {
        choices->seed = deed__mix(choices->seed);
    } while (choices->seed == 0);
    deed__choices_begin(choices);
    deed__chance_begin(choices);
    return true;
}

/* ---- what is said about a run ------------------------------------------------------------ */

uint64_t deed_choices_asked(const deed_choices *choices)
{
    return choices->asked_count;
}

uint64_t deed_choices_hash(const deed_choices *choices)
{
    uint64_t hash = deed__mix(choices->noted);
    for (size_t i = 0; i < choices->asked_count; i++) {
        const struct choice *choice = &choices->asked[i];
        const uint64_t told = (uint64_t)choice->bound << 32 | choice->value;
        hash = deed__hash_text(hash ^ (uint64_t)choice->purpose, choice->site);
        hash = deed__mix(hash ^ told);
    }
    return hash;
}

uint64_t deed_choices_strayed(const deed_choices *choices)
{
    return choices->strayed;
}

uint64_t deed_choices_seed(const deed_choices *choices)
{
    return choices->seed;
}

char *deed_choices_trail(const deed_choices *choices)
{
    char *text = NULL;
    size_t text_bytes = 0;
    if (choices->lost) {
        return NULL;
    }
    FILE *out = open_memstream(&text, &text_bytes);
    if (out == NULL) {
        return NULL;
    }
    bool written = fprintf(out, "# deed %s: %zu questions, hash %016" PRIx64, deed_version(),
                       choices->asked_count, deed_choices_hash(choices)) >= 0;
    if (choices->seed != 0) {
        written &= fprintf(out, ", seed %" PRIu64, choices->seed) >= 0;
    }
    written &= fputc('\n', out) != EOF;
    for (size_t i = 0; i < choices->asked_count; i++) {
        const struct choice *choice = &choices->asked[i];
        if (choice->value != 0) {
            written &= fprintf(out, "%zu %s %s %" PRIu32 "/%" PRIu32 "\n", i + 1,
                           deed_purpose_name(choice->purpose), choice->site, choice->value,
                           choice->bound) >= 0;
        }
    }
    written &= fclose(out) == 0;
    if (!written) {
        free(text);
        return NULL;
    }
    return text;
}
