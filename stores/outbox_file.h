/* SPDX-License-Identifier: MIT
 *
 * outbox_file.h - the host's file: what waits in its table deed_outbox, read in batches and taken
 * out again. Knows nothing of the ledger.
 *
 * It belongs to the host. We keep its journal mode, create nothing in it, and checkpoint only when
 * we are the last to close it, as any connection does.
 */
#ifndef DEED_STORES_OUTBOX_FILE_H
#define DEED_STORES_OUTBOX_FILE_H

#include <deed/ledger.h>

#include <sqlite3.h>

#define OUTBOX_ORIGIN     "outbox"
#define OUTBOX_TABLE      "deed_outbox"
#define OUTBOX_BATCH_ROWS 64U

/* One row as it was read. The texts are in one piece of memory that starts at `key`. */
struct outbox_row {
    int64_t id;
    char *key; /* NULL: the row has a flaw that no ledger need be asked about */
    struct deed_payload payload;
    int64_t not_after_ms;
    /* What became of it. */
    deed_rc rc;               /* of the ledger, or DEED_E_INVALID with a flaw */
    bool settled;             /* it is gone, or marked as refused */
    struct deed_result known; /* what the ledger knows of the action */
    struct deed_error err;    /* its text is the reason that is stored */
};

struct outbox_file {
    const char *name; /* as the host wrote it */
    sqlite3 *db;
    sqlite3_stmt *next;
    sqlite3_stmt *again;
    sqlite3_stmt *take;
    sqlite3_stmt *mark;
    int64_t from_id; /* rows before this one were read */
    bool ended;      /* the last id there can be was read */
    struct outbox_row rows[OUTBOX_BATCH_ROWS];
    size_t count;
};

/* Opens the file, refuses what is no outbox. Both are freed by deed__outbox_close; NULL is allowed. */
deed_rc deed__outbox_open(const char *name, struct outbox_file **file_out, struct deed_error *err);
void deed__outbox_close(struct outbox_file *file);

/* Reads the next rows that wait, oldest first. No lock is held when it returns. */
deed_rc deed__outbox_read(struct outbox_file *file, struct deed_error *err);

/* May this code be written beside a row as a refusal? Any other says nothing of the row. */
bool deed__outbox_refuses(deed_rc rc);

/* Takes out the rows the ledger holds (rc is DEED_OK) and marks those it refuses, in one
 * transaction. A row that the host has changed since it was read stays as it is. */
deed_rc deed__outbox_settle(struct outbox_file *file, struct deed_error *err);

/* How many rows wait, refused ones not counted. */
deed_rc deed__outbox_waiting(
    struct outbox_file *file, uint64_t *waiting_out, struct deed_error *err);

#endif
