/* SPDX-License-Identifier: MIT
 *
 * A sweep: one action is taken again and again, each time under the next fault, until one passes that
 * met none. What faults are is the caller's; what an action is, stands in a table of scenarios; what
 * must hold afterwards, is the same for all:
 *
 *   - the call says what it may say: done, or an error that fits the fault;
 *   - the ledger stands where it stood, or where the action leads, or (an attempt and its answer are
 *     two commits) in between; never anywhere else. Said to be done means done, and of one commit
 *     DEED_E_BUSY and DEED_E_NOMEM mean that nothing was;
 *   - an error that is not DEED_E_UNCERTAIN means that this call sent nothing;
 *   - the same call without the fault, on the same handle, succeeds, and no effect is doubled.
 *
 * Method: the handle under test lives on from one fault to the next, each action has a key of its
 * own, and another handle, which meets no fault, tells what is really there.
 *
 * On the simulated disk two more may be asked: a process that comes when everybody has died, and one
 * that comes when the power has gone and only what was flushed is left. Each opens the ledger, looks
 * and checks all of it. Then each fault has a new ledger and handles that are new to it, and all
 * chance is as before: many faults leave the same bytes, and the same bytes are looked at once.
 */
#ifndef DEED_TESTS_SWEEP_H
#define DEED_TESTS_SWEEP_H

#include <deed/ext/store.h>
#include <deed/ledger.h>
#include <deed/mock/clock.h>
#include <deed/mock/disk.h>

/* Where the ledger is. */
enum sweep_place {
    SWEEP_REFERENCE, /* on the reference store */
    SWEEP_DISK,      /* on the simulated disk */
    SWEEP_FILES      /* on real files: for actions that need them, and as a second opinion */
};

/* What a fault is. */
struct sweep_faults {
    /* From now on the `nth` chance of a fault is one; sticky: every one after it too. */
    void (*arm)(void *self, uint64_t nth, bool sticky);
    /* No more faults. Returns how many there were. */
    uint64_t (*disarm)(void *self);
    /* An error a call may answer with while this fault is about. */
    bool (*may_answer)(void *self, deed_rc rc);
    void *self;
    const struct deed_allocator *memory; /* of the handle under test; NULL: malloc */
    const char *vfs;                     /* of the handle under test in files; NULL: the default */
    bool cold;       /* the handle under test is opened anew after it has prepared: it reads all */
    bool looks_back; /* on the disk: a later process finds what was acknowledged, and no damage */
    bool power_goes; /* so does one that comes after a loss of power */
    const char *words; /* of the fault, for messages */
};

enum sweep_class {
    SWEEP_BLIND,
    SWEEP_LOOKUP,
    SWEEP_KEYED,
    SWEEP_KEYED_LOOKUP,
    SWEEP_CLOSABLE,
    SWEEP_CLASSES
};

struct sweep_rig;

struct sweep_scenario {
    const char *name;
    enum sweep_class class;
    /* Without faults; leaves the intent `key` in state `from`. May be NULL. */
    void (*prepare)(struct sweep_rig *rig);
    /* The action, under faults. Returns DEED_OK for whatever is right. */
    deed_rc (*act)(struct sweep_rig *rig);
    /* What to call until it is done; NULL: act. */
    deed_rc (*again)(struct sweep_rig *rig);
    /* "-", or state/outcome. */
    const char *from;
    const char *to;
    const char *late;       /* where it may lead if it was called again; NULL: to `to` alone */
    const char *between[2]; /* NULL: there is nothing in between */
    bool same_key;          /* the action changes nothing: one key is enough */
    bool files_only;        /* it looks at files itself */
    bool without_ledger;    /* the action opens what it needs; `key` names a file */
};

/* Every scenario there is. */
extern const struct sweep_scenario sweep_scenarios[];
extern const size_t sweep_scenario_count;

struct sweep_rig {
    const struct sweep_faults *faults;
    const struct sweep_scenario *scenario;
    enum sweep_place place;
    char folder[64];
    char path[96];
    deed_sim_clock *clock;
    deed_sim_random *random;
    deed_ledger *ledger;   /* under test */
    deed_ledger *observer; /* meets no fault */
    deed_executor executor;
    char key[32];
    struct deed_error err; /* of the last call that failed */
    /* The provider's side of `key`. */
    unsigned sends;
    unsigned effects;
    char effect_key[DEED_PROVIDER_KEY_BYTES];
    bool loses_reply; /* the effect takes place, and nobody is told */
    bool refuses;     /* nothing takes place, and nobody is told */
    /* What an action keeps for when it is called again. */
    struct deed_attempt attempt;
    bool begun;
    bool answered;
};

/* Runs one scenario, once or sticky. Returns the number of faults that were met. */
uint64_t sweep_run(const struct sweep_scenario *scenario, const struct sweep_faults *faults,
    enum sweep_place place, bool sticky);
/* How many different images later processes found. */
uint64_t sweep_images(void);
/* At the end of a test: `trials: 12345 I/O faults, 4567 a second`, of all faults that were met. */
void sweep_tell(const char *faults);

/* ---- the simulated disk (sweep_disk.c) --------------------------------------------------- */

/* The one that the handle under test and the observer are on; made with the first call. */
deed_disk *sweep_disk(void);
/* Makes it what it was at first: an empty ledger. Nobody has it open. */
void sweep_disk_renew(void);
/* Another one: what is left when everybody has died, or with `power_gone` what was flushed. */
deed_disk *sweep_disk_left(bool power_gone);
void sweep_disk_free(void);
#define SWEEP_STANDING_BYTES 64
/* The standing that was found with these bytes, "" if they are new: to be filled in. */
char *sweep_disk_known(const deed_disk *of);
void sweep_disk_forget(void);

/* For scenarios. */
void sweep_open(struct sweep_rig *rig); /* the handle under test, without faults */
void sweep_close(struct sweep_rig *rig);
deed_rc sweep_open_now(struct sweep_rig *rig, deed_ledger **ledger_out);
/* For who meets no fault: on real files, or if it is given on a disk. */
deed_ledger *sweep_open_apart(struct sweep_rig *rig, const deed_disk *disk);
deed_rc sweep_open_store(struct sweep_rig *rig, const char *path, struct deed_store **store_out);
struct deed_options sweep_options(const struct sweep_rig *rig);
/* Where `key` stands, as the observer sees it: "-", "recorded/none", "confirmed/applied", ... */
const char *sweep_standing(struct sweep_rig *rig, const char *key);
const char *sweep_standing_in(deed_ledger *ledger, const char *key);

#endif
