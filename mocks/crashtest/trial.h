/* SPDX-License-Identifier: MIT
 *
 * trial.h - one trial: the command, harmed at one point, started again until it ends, and judged.
 */
#ifndef DEED_MOCKS_CRASHTEST_TRIAL_H
#define DEED_MOCKS_CRASHTEST_TRIAL_H

#include "crashtest/folder.h"
#include "crashtest/judge.h"
#include "crashtest/point.h"
#include "crashtest/settings.h"
#include "crashtest/story.h"

#define FINDINGS_MAX 16

/* An effect request, in the order in which they arrived. */
struct effect_request {
    char *name;
    uint64_t occurrence; /* the n-th of that NAME */
};

/* A NAME that took effect. */
struct effect_name {
    char *name;
    uint64_t effects;
    uint64_t keys;
    char *last_key;
};

struct trial {
    struct point point;
    struct story story;
    struct effect_request *requests;
    size_t request_count;
    struct effect_name *effects;
    size_t effect_count;
    uint64_t runs;
    uint64_t events;    /* boundary events while the command ran */
    uint64_t crossings; /* of seams */
    bool met;           /* the point was reached */
    enum ending ending;
    int last_status; /* as in struct judged_trial */
    int64_t took_ms;
    char where[200]; /* what the point was, seen from inside */
    struct finding findings[FINDINGS_MAX];
    size_t finding_count;
    char folder[FOLDER_BYTES]; /* "": removed */
};

/* What all trials have in common. */
struct workshop {
    const struct settings *settings;
    char root[FOLDER_BYTES];
    char program[4096];           /* the command's first word; a relative path is one from here */
    char preload[4096];           /* empty: seams are not seen */
    const struct trial *unharmed; /* NULL: this is the one */
};

/* Runs it. An error: it could not be tested, or (DEED_E_INTERRUPTED) somebody asked to stop; nothing
 * of it runs any more. Finish the trial whatever comes back. */
DEED_MUST_CHECK deed_rc trial_run(const struct workshop *workshop, const struct point *point,
    struct trial *trial_out, struct deed_error *err);
void trial_finish(struct trial *trial);

/* SIGINT and SIGTERM from now on end the trial that runs. */
void trial_listen(void);

#endif /* DEED_MOCKS_CRASHTEST_TRIAL_H */
