/* SPDX-License-Identifier: MIT
 *
 * stage.h - what a trial plays on: the provider, its world, the seams, and the process between them.
 */
#ifndef DEED_MOCKS_CRASHTEST_STAGE_H
#define DEED_MOCKS_CRASHTEST_STAGE_H

#include "crashtest/process.h"
#include "crashtest/seam_file.h"
#include "crashtest/trial.h"
#include "http/http_provider.h"

struct stage {
    const struct workshop *workshop;
    struct trial *trial;
    struct deed__http_provider *provider;
    deed_world *world;
    struct seam_file *seams; /* mapped; NULL: none */
    char **environment;
    struct process process;
    int64_t began_ms;
    bool playing;       /* the command runs; an event counts */
    int64_t stopped_ms; /* since when its group stands still; 0: it does not */
};

/* Builds it in a new folder. Strike it whatever comes back. */
DEED_MUST_CHECK deed_rc stage_build(struct stage *stage, const struct workshop *workshop,
    struct trial *trial, struct deed_error *err);
void stage_strike(struct stage *stage);

int64_t stage_now_ms(void); /* monotonic */

/* Lets a group go on that stands still in vain: the event it was stopped for did not come. */
void stage_let_go(struct stage *stage);

/* Adds to the story, with the time and the run. */
void stage_tell(struct stage *stage, struct moment moment);

/* Reads from the world what took effect. */
DEED_MUST_CHECK deed_rc stage_count_effects(struct stage *stage, struct deed_error *err);

/* The seam of crossing `number`. */
const char *stage_seam_name(const struct stage *stage, uint64_t number);

#endif /* DEED_MOCKS_CRASHTEST_STAGE_H */
