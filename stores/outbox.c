/* SPDX-License-Identifier: MIT
 *
 * Draining an outbox: rows of the host's file become intents of the ledger. The order is what makes
 * it safe: the ledger remembers first, the outbox forgets second. Between the two a crash leaves a
 * row that is there twice, and the next drain finds its key bound to the same payload.
 */
#include <deed/ext/error.h>
#include <deed/ext/size.h>
#include <deed/outbox.h>
#include <deed/seam.h>

#include <stdio.h>
#include <string.h>

#include "outbox_file.h"

/* Limits are repeated so that a mistake fails in the host's own transaction, where it was made.
 * SQL counts characters up to a NUL only, and does not look at UTF-8: the drain judges again. */
#define TEXT_COLUMN(name)                                                                          \
    name " TEXT NOT NULL CHECK (typeof(" name ") = 'text' AND length(" name ") <= 4000),"
#define DIGITS(number) #number
#define NUMBER(macro)  DIGITS(macro)
_Static_assert(DEED_TEXT_CODE_POINTS_MAX == 4000 && DEED_KEY_BYTES_MAX == 80,
    "the table of the outbox repeats these limits");

const char *deed_outbox_table(void)
{
    return "CREATE TABLE IF NOT EXISTS " OUTBOX_TABLE " ("
           "id INTEGER PRIMARY KEY,"
           "action_key TEXT NOT NULL UNIQUE CHECK (length(action_key) BETWEEN 1 AND 80"
           " AND action_key NOT GLOB '*[^a-z0-9-]*')," TEXT_COLUMN("kind") TEXT_COLUMN("target")
               TEXT_COLUMN("body") "not_after_ms INTEGER CHECK (not_after_ms BETWEEN"
                                   " " NUMBER(DEED_WALL_MS_MIN) " AND " NUMBER(
                                       DEED_WALL_MS_MAX) "),"
                                                         "refused TEXT"
                                                         ") STRICT";
}

const char *deed_outbox_insert(void)
{
    return "INSERT INTO " OUTBOX_TABLE
           " (action_key, kind, target, body, not_after_ms) VALUES (?1, ?2, ?3, ?4, ?5)";
}

struct drain {
    deed_ledger *ledger;
    struct outbox_file *file;
    deed_result_visit visit;
    void *context;
    struct deed_drain counts;
    size_t answered; /* rows of the batch that the ledger has answered */
    bool stopped;    /* by the visit */
    /* The first row that is neither moved nor refused, because the ledger could not say. */
    deed_rc failed;
    struct deed_error failed_err;
};

/* ---- one batch --------------------------------------------------------------------------- */

/* The next row that was handed to the ledger. */
static struct outbox_row *next_asked(struct drain *drain)
{
    while (drain->file->rows[drain->answered].key == NULL) {
        drain->answered++;
    }
    return &drain->file->rows[drain->answered++];
}

static bool keep_answer(
    void *context, deed_rc rc, const struct deed_result *result, const struct deed_error *err)
{
    struct outbox_row *row = next_asked(context);
    row->rc = rc;
    row->known = *result;
    if (rc != DEED_OK) {
        row->err = *err;
        if (row->err.key[0] == '\0' && deed_key_check(row->key, NULL) == DEED_OK) {
            (void)snprintf(row->err.key, sizeof(row->err.key), "%s", row->key);
        }
    }
    return true;
}

static deed_rc record(struct drain *drain, struct deed_error *err)
{
    struct outbox_file *file = drain->file;
    struct deed_record records[OUTBOX_BATCH_ROWS];
    size_t count = 0;
    memset(records, 0, sizeof(records));
    for (size_t i = 0; i < file->count; i++) {
        const struct outbox_row *row = &file->rows[i];
        if (row->key != NULL) {
            records[count].size = sizeof(records[count]);
            records[count].key = row->key;
            records[count].payload = &row->payload;
            records[count].not_after_ms = row->not_after_ms;
            count++;
        }
    }
    drain->answered = 0;
    return deed_record_many(drain->ledger, records, count, keep_answer, drain, err);
}

static void note_failure(struct drain *drain, const struct outbox_row *row)
{
    if (drain->failed == DEED_OK && row->rc != DEED_OK && !deed__outbox_refuses(row->rc)) {
        drain->failed = row->rc;
        drain->failed_err = row->err;
    }
}

/* Counts all of the batch before anybody is told: a visit that stops leaves the counts true. */
static void tell(struct drain *drain)
{
    const struct outbox_file *file = drain->file;
    for (size_t i = 0; i < file->count; i++) {
        const struct outbox_row *row = &file->rows[i];
        note_failure(drain, row);
        drain->counts.moved += row->settled && row->rc == DEED_OK ? 1 : 0;
        drain->counts.refused += row->settled && row->rc != DEED_OK ? 1 : 0;
    }
    for (size_t i = 0; !drain->stopped && drain->visit != NULL && i < file->count; i++) {
        const struct outbox_row *row = &file->rows[i];
        drain->stopped =
            row->settled && !drain->visit(drain->context, row->rc, &row->known, &row->err);
    }
}

static deed_rc move_batch(struct drain *drain, struct deed_error *err)
{
    deed_rc rc = record(drain, err);
    if (rc != DEED_OK) {
        return rc;
    }
    deed_seam_cross(DEED_SEAM_OUTBOX_RECORDED);
    rc = deed__outbox_settle(drain->file, err);
    if (rc == DEED_OK) {
        deed_seam_cross(DEED_SEAM_OUTBOX_REMOVED);
        tell(drain);
    }
    return rc;
}

/* ---- all --------------------------------------------------------------------------------- */

/* A damaged intent concerns its own row; everything else that fails would fail for the next too. */
static bool goes_on(const struct drain *drain)
{
    return !drain->stopped && (drain->failed == DEED_OK || drain->failed == DEED_E_CHECK);
}

static deed_rc move_all(struct drain *drain, struct deed_error *err)
{
    deed_rc rc = DEED_OK;
    do {
        rc = deed__outbox_read(drain->file, err);
        if (rc == DEED_OK && drain->file->count > 0) {
            rc = move_batch(drain, err);
        }
    } while (rc == DEED_OK && drain->file->count > 0 && goes_on(drain));
    if (rc == DEED_OK && drain->failed != DEED_OK) {
        rc = drain->failed;
        if (err != NULL) {
            *err = drain->failed_err;
        }
    }
    return rc == DEED_OK ? deed__outbox_waiting(drain->file, &drain->counts.waiting, err) : rc;
}

deed_rc deed_outbox_drain(deed_ledger *ledger, const char *file, deed_result_visit visit,
    void *context, struct deed_drain *drain_out, struct deed_error *err)
{
    if (ledger == NULL || file == NULL || file[0] == '\0') {
        return deed_error_set(err, DEED_E_MISUSE, OUTBOX_ORIGIN,
            "deed_outbox_drain needs a ledger and the name of a file");
    }
    static const struct deed_shape shape = DEED_SHAPE(deed_drain, moved);
    struct drain drain = {.ledger = ledger, .visit = visit, .context = context};
    deed_rc rc = deed_size_room(&shape, drain_out, err);
    if (rc != DEED_OK) {
        return rc;
    }
    /* Of nothing: whether the ledger lets anybody in is known before the host's file is touched. */
    rc = deed_record_many(ledger, NULL, 0, NULL, NULL, err);
    if (rc != DEED_OK) {
        deed_error_context(err, "deed_outbox_drain");
        return rc;
    }
    rc = deed__outbox_open(file, &drain.file, err);
    if (rc == DEED_OK) {
        rc = move_all(&drain, err);
    }
    deed__outbox_close(drain.file);
    if (rc == DEED_OK) {
        deed_size_give(&shape, drain_out, &drain.counts);
    }
    return rc;
}
