/* SPDX-License-Identifier: MIT
 *
 * What is looked at while a life goes on, from the outside: never through the program's own handle,
 * and always on a copy of the disk, so that looking changes nothing.
 */
#include "simulate/simulate.h"

#include <string.h>

#include <sqlite3.h>

#include <deed/ext/error.h>
#include <deed/ext/store.h>
#include <deed/sqlite.h>

/* ---- handles ----------------------------------------------------------------------------- */

deed_rc deed_crash__open(struct deed_crash__run *run, deed_disk *disk,
    const struct deed_random *random, deed_ledger **ledger_out, struct deed_error *err)
{
    struct deed_sqlite_options with = {
        .size = sizeof(with), .busy_ms = 1, .vfs = deed_disk_vfs(disk), .random = random};
    const struct deed_crash__stage *stage = run->stage;
    deed_sim_clock_become(stage->still_clock, stage->clock);
    deed_sim_clock_tick(stage->still_clock, 0);
    struct deed_options options = {.size = sizeof(options),
        .clock = deed_sim_clock_machine(random == NULL ? stage->still_clock : stage->clock),
        .random = random,
        .actor = "simulation"};
    struct deed_store *store = NULL;
    deed_ledger *ledger = NULL;
    deed_rc rc = deed_sqlite_open(DEED_CRASH__LEDGER, &with, &store, err);
    if (rc == DEED_OK) {
        rc = deed_ledger_open(store, &options, &ledger, err);
    }
    if (rc == DEED_OK && random != NULL) {
        rc = deed_crash__register(run, ledger, err);
        if (rc != DEED_OK) {
            deed_ledger_close(ledger);
            ledger = NULL;
        }
    }
    *ledger_out = ledger;
    return rc;
}

/* ---- what went out is durable ------------------------------------------------------------ */

struct sent {
    struct deed_crash__run *run;
    deed_ledger *ledger;
    const struct deed_world_request *request;
    bool found;
};

static deed_rc find_attempt(void *context, const struct deed_attempt_row *row)
{
    struct sent *sent = context;
    sent->found = sent->found ||
        (row->number == sent->request->attempt &&
            strcmp(row->provider_key, sent->request->provider_key) == 0);
    return DEED_OK;
}

static bool check_sent(void *context, const struct deed_world_request *request)
{
    struct sent *sent = context;
    sent->request = request;
    sent->found = false;
    if (deed_intent_attempts(sent->ledger, request->key, find_attempt, sent, NULL) != DEED_OK ||
        !sent->found) {
        return deed_crash__break(sent->run,
            "IS1: attempt %u of %s went out, and a power failure at that moment would have left no "
            "trace of it",
            (unsigned)request->attempt, request->key);
    }
    return true;
}

/* The least that is left if the power fails now; NULL: the kit failed. */
static deed_disk *minimum_image(struct deed_crash__run *run)
{
    deed_disk *copy = NULL;
    deed_rc rc = deed_disk_copy(run->stage->disk, &copy, &run->err);
    if (rc != DEED_OK) {
        (void)deed_crash__fail(run, rc);
        return NULL;
    }
    deed_disk_restart(copy, NULL, 0);
    return copy;
}

bool deed_crash__watch_sends(struct deed_crash__run *run)
{
    uint64_t sends = deed_world_sends(run->stage->world, NULL);
    if (sends == run->sends_seen || run->setup->without_ledger) {
        return true;
    }
    run->sends_seen = sends;
    deed_disk *disk = minimum_image(run);
    if (disk == NULL) {
        return false;
    }
    struct sent sent = {.run = run};
    struct deed_error err;
    bool holds = deed_crash__open(run, disk, NULL, &sent.ledger, &err) == DEED_OK;
    if (!holds) {
        (void)deed_crash__break(run,
            "IS1: something went out, and a power failure at that moment would have left no ledger "
            "that opens: %s",
            err.text);
    } else {
        deed_rc rc =
            deed_world_requests_visit(run->stage->world, NULL, check_sent, &sent, &run->err);
        holds = rc == DEED_OK ? run->broken[0] == '\0' : deed_crash__fail(run, rc);
        deed_ledger_close(sent.ledger);
    }
    deed_disk_free(disk);
    return holds;
}

/* ---- nothing is locked while the provider is asked --------------------------------------- */

bool deed_crash__watch_locks(struct deed_crash__run *run)
{
    sqlite3 *db = NULL;
    if (run->setup->without_ledger) {
        return true;
    }
    deed_disk_enter(run->stage->disk, DEED_CRASH__PROCESS_KIT);
    int code = sqlite3_open_v2(
        DEED_CRASH__LEDGER, &db, SQLITE_OPEN_READWRITE, deed_disk_vfs(run->stage->disk));
    if (code == SQLITE_OK) {
        (void)sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
        code = sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL);
    }
    bool locked = (code & 0xff) == SQLITE_BUSY || (code & 0xff) == SQLITE_LOCKED;
    (void)sqlite3_close(db); /* and what it began is gone */
    deed_disk_enter(run->stage->disk, run->process);
    return !locked ||
        deed_crash__break(run, "IS4: the ledger is locked while the provider is being asked");
}

/* ---- what was told ----------------------------------------------------------------------- */

struct telling {
    struct deed_crash__run *run;
    deed_ledger *ledger;
};

static bool tell_one(
    void *context, deed_rc rc, const struct deed_result *result, const struct deed_error *err)
{
    struct telling *telling = context;
    struct deed_crash__word word;
    (void)rc;
    (void)err;
    if (!deed_crash__tell(telling->ledger, result->key, &word) ||
        !deed_crash__words_put(&telling->run->stage->told, &word)) {
        return deed_crash__fail(telling->run, DEED_E_NOMEM);
    }
    return true;
}

static bool tell_all(struct deed_crash__run *run, deed_ledger *ledger)
{
    struct telling telling = {run, ledger};
    struct deed_list list = {.size = sizeof(list), .flags = DEED_LIST_ALL};
    struct deed_error err;
    if (deed_ledger_list(ledger, &list, tell_one, &telling, &err) != DEED_OK) {
        return deed_crash__break(run, "IM1: the ledger cannot be listed: %s", err.text);
    }
    if (run->told_log != NULL && run->choices != NULL &&
        !deed_crash__told_log_add(
            run->told_log, deed_choices_asked(run->choices), &run->stage->told)) {
        return deed_crash__fail(run, DEED_E_NOMEM);
    }
    return run->failed == DEED_OK;
}

bool deed_crash__watch_told(struct deed_crash__run *run)
{
    deed_disk *copy = NULL;
    deed_ledger *ledger = NULL;
    struct deed_error err;
    deed_rc rc = deed_disk_copy(run->stage->disk, &copy, &run->err);
    if (rc != DEED_OK) {
        return deed_crash__fail(run, rc);
    }
    bool told = deed_crash__open(run, copy, NULL, &ledger, &err) == DEED_OK
        ? tell_all(run, ledger)
        : deed_crash__break(run, "IM1: the ledger does not open: %s", err.text);
    deed_ledger_close(ledger);
    deed_disk_free(copy);
    return told;
}

/* ---- everything -------------------------------------------------------------------------- */

struct looking {
    struct deed_crash__run *run;
    deed_ledger *ledger;
};

static uint32_t abilities_of(void *context, const char *kind)
{
    const struct looking *looking = context;
    return deed_crash__abilities(looking->run->setup, kind);
}

/* What is bound to a key is what the unharmed run bound to it. A key that it never used is taken as
 * it is: a program may do otherwise in a second life. */
static bool asked_of(void *context, const char *key, uint8_t digest_out[DEED_DIGEST_BYTES])
{
    const struct looking *looking = context;
    const struct deed_crash__words *asked = looking->run->asked;
    struct deed_crash__word word;
    for (size_t i = 0; i < asked->count; i++) {
        if (strcmp(asked->items[i].key, key) == 0) {
            memcpy(digest_out, asked->items[i].digest, DEED_DIGEST_BYTES);
            return true;
        }
    }
    if (!deed_crash__tell(looking->ledger, key, &word)) {
        return false;
    }
    memcpy(digest_out, word.digest, DEED_DIGEST_BYTES);
    return true;
}

bool deed_crash__look(struct deed_crash__run *run, deed_ledger *ledger, bool whole, bool ended)
{
    struct deed_crash__stage *stage = run->stage;
    struct looking looking = {run, ledger};
    struct deed_crash__promises in = {
        .ledger = ledger,
        .world = stage->world,
        .told = stage->told.items,
        .told_count = stage->told.count,
        .asked = run->asked != NULL ? asked_of : NULL,
        .abilities = abilities_of,
        .context = &looking,
        .whole = whole,
        .ended = ended,
        .looked_back = run->looked_back,
    };
    deed_rc rc = deed_world_deliver(stage->world, deed_crash__now(stage), NULL, &run->err);
    if (rc != DEED_OK) {
        return deed_crash__fail(run, rc);
    }
    bool holds = deed_crash__hold(&in);
    run->marks |= in.marks;
    return holds ? tell_all(run, ledger) : deed_crash__break(run, "%s", in.broken);
}
