/* SPDX-License-Identifier: MIT
 *
 * A scene: one ledger in memory, a clock in the hands of the test, a scripted provider, and as many
 * workers (ledger handles) as the trace needs. Method: nothing runs by itself; each line of a trace
 * is one call here, so that a test reads like the trace it springs.
 */
#ifndef DEED_TESTS_SCENE_H
#define DEED_TESTS_SCENE_H

#include "support/test.h"

#include <deed/ext/executor.h>
#include <deed/ext/store.h>
#include <deed/ledger.h>
#include <deed/mock/clock.h>
#include <deed/mock/world.h>
#include <deed/seam.h>

#define SCENE_WORKERS  3
#define SCENE_KEY      "pay-1"
#define SCENE_START_MS 1700000000000

/* Durations of the default profile, chosen so that sums are easy to read. */
#define SCENE_SEND_MS    1000
#define SCENE_ANSWER_MS  2000
#define SCENE_LANDING_MS 5000
#define SCENE_LAG_MS     1000
#define SCENE_HORIZON_MS (SCENE_SEND_MS + SCENE_LANDING_MS)
#define SCENE_VISIBLE_MS (SCENE_HORIZON_MS + SCENE_LAG_MS)
#define SCENE_REACH_MS   100000
#define SCENE_WINDOW_MS  60000

struct scene;

/* What the provider does; each may be NULL: the default is named. `context` is the test's own. */
struct scene_provider {
    /* NULL: fills in next_verdict. Called only after may_send said yes. */
    void (*attempt)(struct scene *scene, const struct deed_call *call, struct deed_answer *answer);
    /* NULL: fills in next_finding, with marker, digest and completeness as they should be. */
    void (*lookup)(
        struct scene *scene, const struct deed_question *question, struct deed_finding *finding);
    void (*poll)(
        struct scene *scene, const struct deed_question *question, struct deed_finding *finding);
    void (*cancel)(
        struct scene *scene, const struct deed_question *question, struct deed_finding *finding);
    void *context;
    deed_verdict next_verdict;
    deed_finding_kind next_finding;
    bool stored_first; /* of the next answer */
    bool pending;
    deed_key_signal key_signal;
    bool skip_may_send; /* a broken executor: sends without asking */
    const char *account;
    const char *endpoint;
    const char *bytes_suffix; /* changes what is encoded */
    const char *reference;
    /* Counted by the provider, never by the ledger. */
    unsigned sends;
    unsigned refused_sends; /* may_send said no */
    unsigned looks;
    char last_provider_key[DEED_PROVIDER_KEY_BYTES];
    uint8_t last_bytes_digest[DEED_DIGEST_BYTES];
};

/* A store that fails in front of one worker; what it stands before is whole. */
struct scene_fault {
    struct deed_store face; /* what the ledger of this worker holds */
    struct deed_store *inner;
    unsigned commits; /* so many of the next commits return an error, and their fate is unknown */
    bool kept;        /* they are there all the same */
    unsigned recoveries; /* so many of the next recoveries fail */
    bool suspect;        /* nothing but recover is answered */
    bool owner_dead;
    struct scene *scene;
    /* Each is called once: before the next recovery, and before the next write has its turn. */
    void (*at_recovery)(struct scene *scene);
    void (*at_write)(struct scene *scene);
};

struct scene {
    deed_sim_clock *clock;
    deed_sim_random *random;
    struct scene_store *store;
    struct deed_store *first_store; /* of no worker; the ledger was made with it */
    deed_ledger *workers[SCENE_WORKERS];
    deed_executor executors[SCENE_WORKERS];
    struct deed_profile profile;
    struct scene_provider provider;
    struct deed_error err;
    struct deed_result result; /* of the last call */
    struct scene_fault faults[SCENE_WORKERS];
    deed_world *world;                        /* NULL: the provider is scripted */
    const char *world_options[SCENE_WORKERS]; /* the same for all, unless the test says otherwise */
    int64_t not_after_ms;                     /* of what scene_record records; 0: none */
    const char *actor; /* of workers that are opened from now on; NULL: nobody is named */
    bool bare;         /* the payload is missing: recorded by somebody who kept only its digest */
    deed_seam seam;    /* where `at_seam` is called */
    void (*at_seam)(struct scene *scene);
};

/* What kind of provider: which functions and numbers the profile gets. */
enum scene_class {
    SCENE_BLIND,
    SCENE_LOOKUP,
    SCENE_KEYED,
    SCENE_KEYED_LOOKUP,
    SCENE_CLOSABLE,
};
#define SCENE_CLASSES 5

/* A test ledger, one intent recorded under SCENE_KEY, `workers` handles. The profile may be changed
 * before scene_open opens the workers; scene_new does both. */
void scene_prepare(struct scene *scene, enum scene_class class);
/* The same, but key and digest were adopted, and the payload is not here. */
void scene_prepare_bare(struct scene *scene, enum scene_class class);
void scene_open(struct scene *scene);
void scene_new(struct scene *scene, enum scene_class class);
void scene_end(struct scene *scene);
/* Closes worker `w` and opens it again, as a new process would; its owner's lock lapses. */
void scene_restart(struct scene *scene, int w);
/* The worker dies: its owner's lock is gone, its handle stays usable (a frozen process). */
void scene_owner_dies(struct scene *scene, int w);
/* The machine is off for `off_ms` and boots: every worker is opened again. */
void scene_reboot(struct scene *scene, int64_t off_ms);

/* Between scene_prepare and scene_open: the provider is a mock in a world that counts what really
 * happened; `options` as in deed/mock/executor.h. Attempts then go by scene_run. */
void scene_in_world(struct scene *scene, const char *options);
uint64_t scene_effects(struct scene *scene); /* in the world, of SCENE_KEY */
uint64_t scene_world_sends(struct scene *scene);

/* The next commit of worker `w` returns an error. `kept`: it is there all the same, as the re-read
 * after a recovery shows. More of it by scene->faults[w]. */
void scene_fail_commit(struct scene *scene, int w, bool kept);

/* Calls `at_seam` once, when any worker next crosses the seam: others act while one stands still. */
void scene_at(struct scene *scene, deed_seam seam, void (*at_seam)(struct scene *scene));

void scene_record(struct scene *scene, const char *key);
/* By hand, as a host does; the attempt is made with the profile's binding. */
deed_rc scene_begin(struct scene *scene, int w, uint32_t flags, struct deed_attempt *attempt_out);
deed_rc scene_finish(
    struct scene *scene, int w, const struct deed_attempt *attempt_made, deed_verdict verdict);
/* A word for a token the ledger does not know. */
deed_rc scene_finish_token(
    struct scene *scene, int w, const uint8_t token[DEED_TOKEN_BYTES], deed_verdict verdict);
/* An answer filled in by the test: a reference, a handle, a pause asked for. */
deed_rc scene_answer(struct scene *scene, int w, const uint8_t token[DEED_TOKEN_BYTES],
    const struct deed_answer *answer);
deed_rc scene_run(struct scene *scene, int w, uint32_t flags);
deed_rc scene_reconcile(struct scene *scene, int w);
deed_rc scene_pass(struct scene *scene, int w, struct deed_pass *pass);
deed_rc scene_resolve(struct scene *scene, int w, deed_outcome outcome);
deed_rc scene_retract(struct scene *scene, int w);
deed_rc scene_hold(struct scene *scene, int w);
deed_rc scene_release(struct scene *scene, int w);
/* What a restore leaves behind (`raised`), or a fence that fell: ledger and intent are marked. */
void scene_fence(struct scene *scene, bool raised);
/* Fills scene->result. */
void scene_get(struct scene *scene);

void scene_advance(struct scene *scene, int64_t passed_ms);
/* The machine's wall clock is set forward, or back by a negative number; no time passes. */
void scene_jump(struct scene *scene, int64_t jump_ms);
/* Time passes while the machine is suspended and its second clock stands. */
void scene_suspend(struct scene *scene, int64_t passed_ms);
/* Past the lease of what was just begun, so that it is uncertain. */
void scene_past_lease(struct scene *scene);
void scene_past_visible(struct scene *scene);

/* Each reads the intent anew. */
void scene_expect(struct scene *scene, deed_state state, deed_outcome outcome);
void scene_expect_uncertain(struct scene *scene);
void scene_expect_disputed(struct scene *scene, bool disputed);
/* Events of this kind in the intent's chain. */
unsigned scene_events(struct scene *scene, deed_event event);
/* Events in the intent's chain, of whatever kind. */
unsigned scene_chain(struct scene *scene);
/* deed_ledger_check finds nothing. */
void scene_check(struct scene *scene);

#endif
