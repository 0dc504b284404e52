/* SPDX-License-Identifier: MIT
 *
 * What is kept of a run: each question with its answer, in the order in which they were asked. All
 * who answer share it; they differ in one function.
 */
#ifndef DEED_MOCKS_CHOOSE_CHOICES_H
#define DEED_MOCKS_CHOOSE_CHOICES_H

#include <deed/mock/choose.h>

#define CHOOSE_ORIGIN "mock.choose"
#define DEPTH_MAX     32U

struct choice {
    const char *site;
    deed_purpose purpose;
    uint32_t value;
    uint32_t bound;
};

/* One line of a trail. */
struct step {
    char *site;
    uint64_t number; /* of the question, from 1 */
    /* How often purpose and site were asked before it; used instead of `number` by the shrinker. */
    uint64_t earlier;
    deed_purpose purpose;
    uint32_t value;
    uint32_t bound;
};

/* How often a site was asked, for the shrinker. */
struct site_count {
    const char *site;
    deed_purpose purpose;
    uint64_t count;
};

struct question {
    const char *site;
    deed_purpose purpose;
    uint32_t bound;
    const uint32_t *workers; /* NULL: not told */
};

typedef uint32_t (*answerer)(deed_choices *choices, const struct question *question);

struct deed_choices {
    answerer answer;
    struct choice *asked;
    size_t asked_count;
    size_t asked_room;
    uint64_t noted; /* hash of the notes, each with the number of questions before it */
    uint64_t strayed;
    bool lost; /* a question found no memory */
    /* The odometer: so many of `asked` are laid down by the run before. */
    size_t fixed;
    bool odometer;
    /* Chance. */
    uint64_t seed; /* 0: none */
    uint64_t streams[DEED_PURPOSE_COUNT];
    bool off[DEED_PURPOSE_COUNT];
    uint32_t depth; /* of PCT; 0: none */
    uint32_t steps;
    uint32_t step;
    uint32_t change_at[DEPTH_MAX];
    uint32_t lowered[DEPTH_MAX]; /* workers, in the order in which they lost their priority */
    uint32_t lowered_count;
    /* A trail. */
    struct step *trail;
    size_t trail_count;
    size_t trail_at;
    bool by_site; /* steps are met by `earlier` */
    struct site_count *sites;
    size_t sites_count;
    /* A fuzzer. */
    const uint8_t *bytes;
    size_t bytes_left;
};

/* A run in which nothing was asked; NULL: no memory. */
deed_choices *deed__choices_new(answerer answer);
/* Forgets the present run. */
void deed__choices_begin(deed_choices *choices);
/* Draws what a seed says about the run. */
void deed__chance_begin(deed_choices *choices);

bool deed__same_site(const char *left, const char *right);
deed_rc deed__choices_nomem(struct deed_error *err);

/* Lines of a trail. */
deed_rc deed__steps_parse(
    const char *trail, struct step **steps_out, size_t *count_out, struct deed_error *err);
void deed__steps_free(struct step *steps, size_t count);
/* Takes `steps`. NULL: no memory; they are freed then too. */
deed_choices *deed__replay_new(struct step *steps, size_t count, bool by_site);

#endif /* DEED_MOCKS_CHOOSE_CHOICES_H */
