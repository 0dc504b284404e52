/* SPDX-License-Identifier: MIT
 *
 * doctor_ledger.c - what is in the ledger, as far as it tells of its surroundings: schema, name, time.
 */
#include "doctor.h"

#include "times.h"

#include <deed/sqlite.h>
#include <deed/system.h>

#include <string.h>

/* A clock that runs a little behind is no finding. */
#define BEHIND_MS 2000

struct reading {
    int64_t newest_ms;
    bool test;
    bool named;
    bool moved; /* the file is not the one that the ledger was made in */
    struct deed_store *store;
};

static deed_rc read_ledger(void *context, deed_tx *tx, struct deed_error *err)
{
    struct reading *reading = context;
    struct deed_ledger_row row = {.size = sizeof row};
    deed_rc rc = tx->ledger_get(tx->self, &row, err);
    if (rc == DEED_OK) {
        reading->named = true;
        reading->test = row.test;
        rc = tx->newest(tx->self, &reading->newest_ms, err);
    }
    return rc == DEED_E_NOT_FOUND ? DEED_OK : rc;
}

/* Returns whether the schema can be used. */
static bool look_at_schema(
    struct doctor *doctor, const struct deed_store *store, struct deed_schema *schema)
{
    struct deed_error err = {0};
    if (store->schema(store->self, schema, &err) != DEED_OK) {
        doctor_tell_error(doctor, "schema", HEALTH_BROKEN, &err);
        return false;
    }
    if (schema->adoptable) {
        doctor_tell(doctor, "schema", HEALTH_BROKEN, "deed migrate --name NAME",
            "this is the table of the recorded-intent fixture: it can be read, and grows by "
            "migrating");
    } else if (schema->found < schema->wanted) {
        doctor_tell(doctor, "schema", HEALTH_BROKEN, "deed migrate",
            "schema %d, and this deed needs %d", schema->found, schema->wanted);
    } else if (!schema->initialised) {
        doctor_tell(doctor, "schema", HEALTH_BROKEN,
            "find the -wal file if the ledger was ever used; run `deed init` again only if it "
            "never was",
            "the file has the schema, and neither name nor intents");
    } else {
        doctor_tell(doctor, "schema", HEALTH_OK, NULL, "schema %d, up to date", schema->found);
        return true;
    }
    return false;
}

static void read_store(struct doctor *doctor, struct deed_store *store, struct reading *reading)
{
    struct deed_schema schema = {.size = sizeof schema};
    struct deed_error err = {0};
    struct deed_op op = {.size = sizeof op, .run = read_ledger, .context = reading};
    if (!look_at_schema(doctor, store, &schema)) {
        return;
    }
    deed_rc rc = store->read(store->self, &op, &err);
    if (rc == DEED_OK && op.rc != DEED_OK) {
        rc = op.rc;
        err = op.error;
    }
    if (rc != DEED_OK) {
        doctor_tell_error(doctor, "ledger", HEALTH_BROKEN, &err);
        return;
    }
    doctor_tell(doctor, "ledger", HEALTH_OK, NULL, "it opens and can be read%s",
        reading->test ? "; a test ledger" : "");
}

void doctor_ledger(struct doctor *doctor, const char *path)
{
    const struct deed_sqlite_options options = {.size = sizeof options, .read_only = true};
    struct deed_store *store = NULL;
    struct deed_error err = {0};
    struct reading reading = {0};
    if (deed_sqlite_open(path, &options, &store, &err) == DEED_OK) {
        read_store(doctor, store, &reading);
        store->close(store->self);
    } else {
        doctor_tell_error(doctor, "ledger", HEALTH_BROKEN, &err);
    }
    doctor_clock(doctor, reading.newest_ms);
    doctor_config(doctor, path, reading.named, reading.test);
}

void doctor_clock(struct doctor *doctor, int64_t newest_ms)
{
    const struct deed_clock *clock = deed_system_clock();
    struct deed_instant now = {0};
    if (!clock->now(clock->self, &now) || now.wall_ms <= 0) {
        doctor_tell(doctor, "clock", HEALTH_BROKEN, "set the clock of this machine",
            "the clocks of this machine cannot be read");
        return;
    }
    if (now.boot[0] == '\0') {
        doctor_tell(doctor, "boot_id", HEALTH_BROKEN,
            "let deed read /proc/sys/kernel/random/boot_id",
            "this boot has no name, so the waits of an earlier one cannot be told from its own");
    } else {
        doctor_tell(doctor, "boot_id", HEALTH_OK, NULL, "this boot has a name");
    }
    char newest[TIME_TEXT_BYTES];
    time_text(newest_ms, newest);
    if (newest_ms > now.wall_ms + BEHIND_MS) {
        doctor_tell(doctor, "clock", HEALTH_BROKEN,
            "set the clock; until it has passed that time, no provider key is taken to be kept any "
            "more",
            "the clock stands before the newest time in the ledger, %s", newest);
    } else {
        doctor_tell(
            doctor, "clock", HEALTH_OK, NULL, "it stands behind all that the ledger has seen");
    }
}
