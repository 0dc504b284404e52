/* SPDX-License-Identifier: MIT
 *
 * A site: a folder with a real ledger file and a world in a file of its own, a clock that outlives
 * the processes that use it, and what they told before they died.
 *
 * Everything a child process leaves behind is in the files or in `shared`, memory that it shares
 * with its parent. Nothing here uses cmocka: a child that fails leaves a text and exits.
 */
#ifndef DEED_TESTS_SITE_H
#define DEED_TESTS_SITE_H

#include <stdatomic.h>
#include <sys/types.h>

#include <deed/ledger.h>
#include <deed/mock/world.h>
#include <deed/seam.h>

#include "simulate/invariants.h"

#define SITE_START_MS 1700000000000

/* Durations of every profile here, chosen so that sums are easy to read. */
#define SITE_SEND_MS    1000
#define SITE_ANSWER_MS  2000
#define SITE_LANDING_MS 5000
#define SITE_LAG_MS     1000
#define SITE_REACH_MS   INT64_C(3600000)
#define SITE_WINDOW_MS  INT64_C(600000)
#define SITE_LEASE_MS   (SITE_SEND_MS + SITE_ANSWER_MS)
#define SITE_VISIBLE_MS (SITE_SEND_MS + SITE_LANDING_MS + SITE_LAG_MS)

#define SITE_TOLD_MAX 16384
#define SITE_TEXT     1024

/* How a process that was told to do something ended. */
enum site_end {
    SITE_DONE,
    SITE_KILLED,
    SITE_FAILED
};

/* Shared by parent and children. */
struct site_shared {
    atomic_int_fast64_t passed_ms; /* since SITE_START_MS */
    atomic_int_fast64_t booted_ms; /* when the present boot began, on the same count */
    atomic_int boot;
    bool real_time; /* time also passes by itself */
    int64_t real_start_ms;
    /* Seams: those crossed since site_arm, and the crossing at which the process dies; 0: none. */
    uint64_t crossings[DEED_SEAM_COUNT];
    uint64_t crossed;
    uint64_t kill_at;
    deed_seam killed_at;
    atomic_int counters[2]; /* of the test's own */
    /* What calls have told that returned. */
    atomic_size_t told_count;
    atomic_bool told_whole[SITE_TOLD_MAX]; /* false: its process died while it wrote this */
    struct deed_crash__word told[SITE_TOLD_MAX];
    char failure[SITE_TEXT];
};

struct site {
    char folder[128];
    char ledger_path[160];
    char world_path[160];
    struct site_shared *shared;
    struct deed_clock clock; /* of machine and providers */
    deed_provider_class provider_class;
    bool all_classes;   /* the others are served too */
    const char *script; /* options of the providers, after those of their class: "" or ",..." */
    uint32_t checkpoint_pages;
    /* Of the process that has it open. */
    deed_ledger *ledger;
    deed_world *world;
    struct deed_error err;
    struct deed_result result; /* of the last call */
    int64_t history;           /* events of all intents, at the last check */
    uint64_t checked;          /* intents, since the site was made */
};

/* A folder in $DEED_CRASH_DIR, in memory where that is not set. False: there is none to be had. */
bool site_new(struct site *site);
/* Removes ledger and world and forgets what was told; site_free also gives back folder and memory. */
void site_clear(struct site *site);
void site_free(struct site *site);

/* Each writes files that are not there: an empty ledger; the recorded-intent table, with 50 intents
 * of which nobody has the payload and one under SITE_ADOPTED_KEY. */
#define SITE_ADOPTED_KEY "adopted-1"
bool site_make_ledger(struct site *site);
bool site_make_fixture(struct site *site);
/* Applies what is missing and gives the ledger its name, as `deed migrate --name` does. */
bool site_migrate(struct site *site);

/* A new handle on ledger and world; close leaves nothing open. */
bool site_open(struct site *site);
void site_close(struct site *site);

/* Fails the site: keeps the first text. Returns false. */
bool site_fail(struct site *site, const char *format, ...) DEED_PRINTF(2, 3);

/* ---- dying ----------------------------------------------------------------------------------- */

/* From now on seams are counted, and the `kill_at`-th crossing kills this process; 0: none does. */
void site_arm(struct site *site, uint64_t kill_at);
/* Runs `act` in a process of its own and waits for its end. */
enum site_end site_fork(
    struct site *site, bool (*act)(struct site *site, void *context), void *context);

/* ---- time ------------------------------------------------------------------------------------ */

void site_advance(struct site *site, int64_t passed_ms);
void site_reboot(struct site *site, int64_t off_ms);

/* ---- acting ---------------------------------------------------------------------------------- */

/* Each demands what is written beside it, fills `result`, and notes what was told. */
bool site_record(struct site *site, const char *key);
bool site_record_many(struct site *site, const char *const *keys, size_t count);
bool site_record_as(struct site *site, const char *key, const char *hold_reason, int64_t until_ms);
bool site_run(struct site *site, const char *key);         /* returns DEED_OK */
bool site_run_by_name(struct site *site, const char *key); /* the same */
bool site_run_due(struct site *site);
bool site_reconcile(struct site *site, const char *key);
bool site_pass(struct site *site);
bool site_resolve(struct site *site, const char *key, deed_outcome outcome);
/* A notice that it was applied, as its source delivers it; twice in a row is one word. */
bool site_evidence(struct site *site, const char *key);
bool site_retract(struct site *site, const char *key);
bool site_hold(struct site *site, const char *key);
bool site_release(struct site *site, const char *key);
/* Notes what is known of the key now as told. */
bool site_tell(struct site *site, const char *key);
bool site_get(struct site *site, const char *key);

/* The payload of any key. Its kind is the name of a class: of the site, or for a key like "3-..." that
 * of number 3. */
#define SITE_BODY_BYTES 128
struct deed_payload site_payload(
    const struct site *site, const char *key, char body_out[SITE_BODY_BYTES]);
/* For invariants; `context` is the site. */
bool site_asked(void *context, const char *key, uint8_t digest_out[DEED_DIGEST_BYTES]);

/* What holds between ledger and world, now; `ended`: and everything has come to its end, or says that
 * it needs a person. `history` counts the events of all intents. */
bool site_look(struct site *site, bool ended);
/* The same, and the file and every chain are whole; this takes a while. */
bool site_check(struct site *site);

#endif
