/* SPDX-License-Identifier: MIT
 *
 * A trail: reading its text, and answering by it.
 */
#include "choose/choices.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <deed/ext/error.h>

#define WORDS 4U

/* ---- the text ---------------------------------------------------------------------------- */

struct word {
    const char *text;
    size_t bytes;
};

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* At most one more than WORDS, which is too many. */
static size_t split(const char *line, size_t line_bytes, struct word words[WORDS])
{
    size_t count = 0;
    size_t at = 0;
    while (at < line_bytes && count <= WORDS) {
        while (at < line_bytes && is_space(line[at])) {
            at++;
        }
        const size_t begin = at;
        while (at < line_bytes && !is_space(line[at])) {
            at++;
        }
        if (at > begin) {
            if (count < WORDS) {
                words[count] = (struct word){line + begin, at - begin};
            }
            count++;
        }
    }
    return count;
}

static bool read_number(const char *text, size_t bytes, uint64_t most, uint64_t *number_out)
{
    uint64_t number = 0;
    for (size_t i = 0; i < bytes; i++) {
        if (text[i] < '0' || text[i] > '9' || number > most / 10) {
            return false;
        }
        number = number * 10 + (uint64_t)(text[i] - '0');
    }
    *number_out = number;
    return bytes > 0 && number <= most;
}

static const char *read_answer(struct word word, struct step *step)
{
    const char *slash = memchr(word.text, '/', word.bytes);
    uint64_t value = 0;
    uint64_t bound = 0;
    if (slash == NULL || !read_number(word.text, (size_t)(slash - word.text), UINT32_MAX, &value) ||
        !read_number(slash + 1, word.bytes - (size_t)(slash - word.text) - 1, UINT32_MAX, &bound)) {
        return "the answer is written as ANSWER/BOUND, such as 2/4";
    }
    if (value >= bound) {
        return "the answer must be below its bound";
    }
    step->value = (uint32_t)value;
    step->bound = (uint32_t)bound;
    return NULL;
}

static bool read_purpose(struct word word, deed_purpose *purpose_out)
{
    for (unsigned i = 0; i < DEED_PURPOSE_COUNT; i++) {
        const char *name = deed_purpose_name((deed_purpose)i);
        if (strlen(name) == word.bytes && memcmp(name, word.text, word.bytes) == 0) {
            *purpose_out = (deed_purpose)i;
            return true;
        }
    }
    return false;
}

/* What is wrong with a line, or NULL. `site` is left to the caller, who needs memory for it. */
static const char *read_step(
    const struct word *words, size_t words_count, uint64_t number_before, struct step *step)
{
    if (words_count != WORDS) {
        return "a line has four words: number, purpose, site and ANSWER/BOUND";
    }
    if (!read_number(words[0].text, words[0].bytes, UINT64_MAX - 1, &step->number) ||
        step->number == 0) {
        return "the first word is the number of a question, 1 or more";
    }
    if (step->number <= number_before) {
        return "the numbers of the questions must rise";
    }
    if (!read_purpose(words[1], &step->purpose)) {
        return "the second word is no purpose of a question";
    }
    return read_answer(words[3], step);
}

void deed__steps_free(struct step *steps, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(steps[i].site);
    }
    free(steps);
}

static size_t count_lines(const char *text)
{
    size_t count = 1;
    for (; *text != '\0'; text++) {
        count += *text == '\n' ? 1U : 0U;
    }
    return count;
}

/* Reads one line into `step`; *taken_out false: it is empty, or for people. */
static const char *read_line(
    const char *line, size_t line_bytes, uint64_t number_before, struct step *step, bool *taken_out)
{
    struct word words[WORDS] = {{NULL, 0}};
    const size_t count = line[0] == '#' ? 0 : split(line, line_bytes, words);
    *taken_out = false;
    if (count == 0) {
        return NULL;
    }
    const char *wrong = read_step(words, count, number_before, step);
    if (wrong == NULL) {
        step->site = strndup(words[2].text, words[2].bytes);
        *taken_out = true;
    }
    return wrong;
}

deed_rc deed__steps_parse(
    const char *trail, struct step **steps_out, size_t *count_out, struct deed_error *err)
{
    struct step *steps = calloc(count_lines(trail), sizeof(*steps));
    size_t count = 0;
    uint64_t line_number = 0;
    deed_rc rc = DEED_OK;
    if (steps == NULL) {
        return deed__choices_nomem(err);
    }
    while (*trail != '\0') {
        const size_t bytes = strcspn(trail, "\n");
        bool taken = false;
        const char *wrong = read_line(
            trail, bytes, count == 0 ? 0 : steps[count - 1].number, &steps[count], &taken);
        line_number++;
        if (wrong != NULL) {
            rc = deed_error_set(err, DEED_E_INVALID, CHOOSE_ORIGIN,
                "line %" PRIu64 " of the trail: %s", line_number, wrong);
            goto done;
        }
        if (taken && steps[count].site == NULL) {
            rc = deed__choices_nomem(err);
            goto done;
        }
        count += taken ? 1U : 0U;
        trail += bytes + (trail[bytes] == '\n' ? 1U : 0U);
    }
    *steps_out = steps;
    *count_out = count;
    return DEED_OK;
done:
    deed__steps_free(steps, count);
    return rc;
}

/* ---- answers ----------------------------------------------------------------------------- */

static uint32_t fit(deed_choices *choices, const struct step *step, uint32_t bound)
{
    if (step->value < bound) {
        return step->value;
    }
    choices->strayed++;
    return bound - 1;
}

static uint32_t answer_by_number(deed_choices *choices, const struct question *question)
{
    if (choices->trail_at == choices->trail_count ||
        choices->trail[choices->trail_at].number != choices->asked_count + 1) {
        return 0;
    }
    const struct step *step = &choices->trail[choices->trail_at++];
    if (step->purpose != question->purpose || strcmp(step->site, question->site) != 0) {
        choices->strayed++;
        return 0;
    }
    return fit(choices, step, question->bound);
}

/* Counts the question; where no step names the site, nobody needs its count. */
static uint64_t earlier_of(deed_choices *choices, const struct question *question)
{
    for (size_t i = 0; i < choices->sites_count; i++) {
        struct site_count *count = &choices->sites[i];
        if (count->purpose == question->purpose && deed__same_site(count->site, question->site)) {
            return count->count++;
        }
    }
    return UINT64_MAX;
}

static uint32_t answer_by_site(deed_choices *choices, const struct question *question)
{
    const uint64_t earlier = earlier_of(choices, question);
    for (size_t i = 0; earlier != UINT64_MAX && i < choices->trail_count; i++) {
        const struct step *step = &choices->trail[i];
        if (step->earlier == earlier && step->purpose == question->purpose &&
            strcmp(step->site, question->site) == 0) {
            return fit(choices, step, question->bound);
        }
    }
    return 0;
}

static bool list_sites(deed_choices *choices)
{
    choices->sites = calloc(choices->trail_count + 1, sizeof(*choices->sites));
    if (choices->sites == NULL) {
        return false;
    }
    for (size_t i = 0; i < choices->trail_count; i++) {
        const struct step *step = &choices->trail[i];
        bool known = false;
        for (size_t j = 0; j < choices->sites_count && !known; j++) {
            known = choices->sites[j].purpose == step->purpose &&
                deed__same_site(choices->sites[j].site, step->site);
        }
        if (!known) {
            choices->sites[choices->sites_count++] =
                (struct site_count){.site = step->site, .purpose = step->purpose};
        }
    }
    return true;
}

deed_choices *deed__replay_new(struct step *steps, size_t count, bool by_site)
{
    deed_choices *choices = deed__choices_new(by_site ? answer_by_site : answer_by_number);
    if (choices == NULL) {
        deed__steps_free(steps, count);
        return NULL;
    }
    choices->trail = steps;
    choices->trail_count = count;
    choices->by_site = by_site;
    if (by_site && !list_sites(choices)) {
        deed_choices_free(choices);
        return NULL;
    }
    return choices;
}

deed_rc deed_choices_replay(const char *trail, deed_choices **choices_out, struct deed_error *err)
{
    struct step *steps = NULL;
    size_t count = 0;
    const deed_rc rc = deed__steps_parse(trail, &steps, &count, err);
    if (rc != DEED_OK) {
        return rc;
    }
    deed_choices *choices = deed__replay_new(steps, count, false);
    if (choices == NULL) {
        return deed__choices_nomem(err);
    }
    *choices_out = choices;
    return DEED_OK;
}
