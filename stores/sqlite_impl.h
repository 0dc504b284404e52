/* SPDX-License-Identifier: MIT
 *
 * sqlite_impl.h - what the files of the SQLite store share.
 *
 * What always holds: at most one writer and one sibling connection, used under `write_lock` only;
 * readers are taken from and given back to a small stock under `state_lock`, and each is used by
 * one thread at a time. No connection ever checkpoints by itself. Locks are taken in the order
 * write_lock, state_lock; owner_lock stands alone.
 */
#ifndef DEED_STORES_SQLITE_IMPL_H
#define DEED_STORES_SQLITE_IMPL_H

#include "pool.h"

#include <deed/ext/error.h>
#include <deed/ext/size.h>
#include <deed/ext/store.h>
#include <deed/sqlite.h>

#include <pthread.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#define SQLITE_STORE_ORIGIN "store.sqlite"

#define SQLITE_APPLICATION_ID 0x44454544 /* "DEED" */
#define SQLITE_PAGE_BYTES     2048       /* of a new ledger */
/* Of the log, in bytes, because pages differ: 1,000 and 10,000 pages of 4,096. */
#define SQLITE_CHECKPOINT_BYTES 4096000U
#define SQLITE_CHECKPOINT_BUSY  40960000U /* of a handle that has got to the first before */
#define SQLITE_BUSY_MS          10000
/* A WAL that a long reader let grow is cut back to this: a busy handle's has room in it, so that it
 * is written over and over without a change of its length. */
#define SQLITE_WAL_BYTES_KEPT 50331648
#define SQLITE_READERS_KEPT   4U
#define SQLITE_FRESH_KEPT     8U   /* intents; as many as may be in flight, and some */
#define SQLITE_FRESH_TEXT     1024 /* bytes of their names */

/* ---- a connection ------------------------------------------------------------------------ */

/* A statement that a connection keeps prepared, from its first use on. */
enum slot {
    SLOT_BEGIN_READ,
    SLOT_BEGIN_WRITE,
    SLOT_COMMIT,
    SLOT_ROLLBACK,
    SLOT_SAVEPOINT,
    SLOT_ROLLBACK_TO,
    SLOT_RELEASE,
    SLOT_VERSION,
    SLOT_LEDGER_GET,
    SLOT_LEDGER_PUT,
    SLOT_INTENT_GET,
    SLOT_INTENT_GET_PAYLOAD,
    SLOT_INTENT_BY_ID,
    SLOT_INTENT_BY_ID_PAYLOAD,
    SLOT_INTENT_INSERT,
    SLOT_INTENT_UPDATE,
    SLOT_INTENT_FILL,
    SLOT_INTENT_EXISTS,
    SLOT_INTENT_FIND_KEY,
    SLOT_INTENT_FIND_REFERENCE,
    SLOT_ATTEMPT_INSERT,
    SLOT_REQUEST_INSERT,
    SLOT_ATTEMPT_UPDATE,
    SLOT_ATTEMPT_BY_TOKEN,
    SLOT_ATTEMPT_NEXT,
    SLOT_ATTEMPT_NEXT_BYTES,
    SLOT_EVIDENCE_INSERT,
    SLOT_EVIDENCE_NEXT,
    SLOT_REFERENCE_TAKEN,
    SLOT_EVENT_INSERT,
    SLOT_EVENT_NEXT,
    SLOT_NEWEST,
    SLOT_PASS_INSERT,
    SLOT_PASS_NEXT,
    SLOT_FIXTURE_GET,
    SLOT_FIXTURE_BY_ID,
    SLOT_FIXTURE_NEXT,
    SLOT_COUNT
};

enum role {
    ROLE_READER,
    ROLE_WRITER,   /* of a ledger with our schema: everything verified */
    ROLE_LOCKER,   /* holds the write lock for the writer; reads no schema, writes nothing */
    ROLE_MIGRATOR, /* may meet the fixture, which is no WAL database yet */
    ROLE_BUILDER,  /* of a file that nobody else can know */
};

/* See sqlite_known.c. */
struct known {
    bool told; /* SQLite said which data version the file has */
    unsigned data_version;
    bool version_here;
    int version; /* user_version */
    bool ledger_here;
    struct deed_ledger_row ledger;
    char name[DEED_NAME_BYTES_MAX + 1];
    bool newest_here;
    int64_t newest_ms; /* of the last event, this transaction's included */
    uint32_t fresh;    /* a bit for each of connection.fresh that holds */
    char
        absent[DEED_KEY_BYTES_MAX + 1]; /* the key of an intent that is not there; "": none known */
};

/* An intent that was inserted by this connection, as it is now. See sqlite_fresh.c. */
struct fresh {
    struct deed_intent_row intent; /* without target and body */
    bool tried;
    struct deed_attempt_row attempt; /* its only one, if tried; without bytes */
    size_t used;
    char text[SQLITE_FRESH_TEXT]; /* what the rows point to */
};

struct connection {
    sqlite3 *db;
    struct sqlite_store *store;
    struct connection *next; /* in the stock of readers */
    uint64_t generation;     /* of the store when this was opened */
    int64_t waited_us;       /* slept for other writers, since the transaction began */
    uint32_t page_bytes;     /* of the file; of a writer */
    int wal_pages;           /* frames in the WAL after the last commit of this connection */
    bool log_filled;         /* by this connection, and not brought back since */
    bool immutable;          /* reads the file as if nobody could change it */
    struct known known;
    uint32_t fresh_next;
    struct fresh fresh[SQLITE_FRESH_KEPT];
    sqlite3_stmt *slots[SLOT_COUNT];
};

/* ---- the store --------------------------------------------------------------------------- */

/* How far the schema of the file has come, as this handle saw it last. */
enum standing {
    STANDING_READY,   /* ours, and as new as this library */
    STANDING_FIXTURE, /* the table of the recorded-intent program, to be adopted */
    STANDING_OLDER,   /* ours, older than this library */
    STANDING_NEWER,
};

struct sqlite_store {
    struct deed_store base;
    const struct deed_allocator *memory;
    const struct deed_random *random;
    sqlite3_vfs *vfs;
    bool vfs_given; /* the host chose the VFS, so its xSleep is used too */
    char *path;     /* absolute */
    char *location; /* as the host wrote it */
    bool on_disk;   /* the operating system knows the file by this path */
    _Atomic bool
        wal_format; /* the header asked for WAL when it was looked at, and no journal is left */
    bool read_only;
    const char *read_only_reason; /* for people; static */
    int64_t busy_ms;
    uint32_t checkpoint_pages;         /* 0: SQLITE_CHECKPOINT_BYTES, then SQLITE_CHECKPOINT_BUSY */
    uint64_t process;                  /* that opened it */
    struct sqlite_store *watched_next; /* see sqlite_fork.c */
    uint64_t device;
    uint64_t inode;

    pthread_mutex_t write_lock;
    struct connection *writer;
    struct connection *sibling;
    bool busy; /* this handle has checkpointed before: it lives long, and writes much */
    pthread_mutex_t owner_lock; /* of its own: a hint may be asked for inside an operation */
    int owner_file;             /* -1: not opened yet */
    _Atomic int64_t owner;      /* 0: not chosen yet */

    pthread_mutex_t state_lock;
    struct connection *readers;
    uint32_t readers_count;
    uint64_t generation; /* raised when every connection of before must go */
    uint64_t flushed;    /* 1 + the generation for which the log that was found is durable */
    bool doubtful;       /* a commit returned an error, and recover() has not succeeded since */
    enum standing standing;
    int version; /* user_version as this handle saw it last */
};

/* ---- what need not be read again (sqlite_known.c) ---------------------------------------- */

/* In each transaction, when its snapshot is taken and nothing was read that is kept. */
void deed__sqlite_known_begin(struct connection *connection);
/* The transaction is committed: what it wrote is known. */
void deed__sqlite_known_committed(struct connection *connection);
/* An operation, or all of the transaction, was undone: what it wrote is not. */
void deed__sqlite_known_undone(struct connection *connection);
void deed__sqlite_known_ledger(struct connection *connection, const struct deed_ledger_row *row);
void deed__sqlite_known_newest(struct connection *connection, int64_t newest_ms);

/* ---- one transaction (sqlite_tx.c) ------------------------------------------------------- */

struct sqlite_tx {
    struct sqlite_store *store;
    struct connection *connection;
    bool writing;
    bool fixture; /* the rows are those of the recorded-intent table */
    int broken;   /* the SQLite code that ended the whole transaction; 0: none */
    bool refused; /* a statement of this operation failed, and the operation must return that */
    struct pool rows;
};

void deed__sqlite_tx_init(struct sqlite_tx *tx, struct connection *connection, bool writing);
void deed__sqlite_tx_finish(struct sqlite_tx *tx);
deed_tx deed__sqlite_tx_face(struct sqlite_tx *tx);
deed_tx deed__sqlite_fixture_face(struct sqlite_tx *tx);

/* Reports a failed statement of `tx`; remembers in `broken` what a savepoint cannot undo. */
deed_rc deed__sqlite_tx_fail(
    struct sqlite_tx *tx, int code, const char *what, struct deed_error *err);

/* ---- errors (sqlite_error.c) ------------------------------------------------------------- */

/* Reports what SQLite returned: which file, what was being done, what to do. */
deed_rc deed__sqlite_fail(const struct sqlite_store *store, sqlite3 *db, int code, const char *what,
    struct deed_error *err);
deed_rc deed__sqlite_nomem(struct deed_error *err);

/* ---- connections (sqlite_connection.c) --------------------------------------------------- */

/* A URI of the file, for what only a URI can ask for; freed by sqlite3_free, NULL: no memory. */
char *deed__sqlite_uri(const char *path, const char *query);
deed_rc deed__sqlite_connect(struct sqlite_store *store, enum role role,
    struct connection **connection_out, struct deed_error *err);
void deed__sqlite_disconnect(struct connection *connection);
/* Of a forked handle: gives back our memory and leaves SQLite's as it is. */
void deed__sqlite_forget_connections(struct sqlite_store *store);
/* Naps until it makes sense to ask again for a lock that somebody else holds; 0 when the connection
 * (`context`) has waited for as long as it may. `times`: naps so far. A busy handler of SQLite. */
int deed__sqlite_wait(void *context, int times);

/* The statement of a slot, prepared on first use; NULL and a code in `*code_out` on failure. It
 * is reset and its bindings are gone; give it back with deed__sqlite_done. */
sqlite3_stmt *deed__sqlite_slot(
    struct connection *connection, enum slot slot, const char *sql, int *code_out);
void deed__sqlite_done(sqlite3_stmt *stmt);

/* Runs a statement of a slot that returns no row; a SQLite code. */
int deed__sqlite_run(struct connection *connection, enum slot slot, const char *sql);
/* The one integer that `sql` returns; a SQLite code. */
int deed__sqlite_number(sqlite3 *db, const char *sql, int64_t *number_out);
/* The text of a column of the present row; NULL for NULL. SQLite also hands out NULL where it has no
 * memory for the NUL behind the text: then `*code` becomes SQLITE_NOMEM. */
const char *deed__sqlite_text(sqlite3_stmt *stmt, int index, int *code);
/* user_version, as the transaction that runs sees it. */
int deed__sqlite_version(struct connection *connection, int *version_out);

deed_rc deed__sqlite_reader_take(
    struct sqlite_store *store, struct connection **reader_out, struct deed_error *err);
void deed__sqlite_reader_give(struct sqlite_store *store, struct connection *reader);
/* Every connection of before is closed, now or when it is given back. Under write_lock. */
void deed__sqlite_drop_connections(struct sqlite_store *store);
void deed__sqlite_drop_writers(struct sqlite_store *store);

/* ---- forks (sqlite_fork.c) --------------------------------------------------------------- */

/* The handle is the parent's, and this is the child. */
bool deed__sqlite_forked(const struct sqlite_store *store);
/* Before the first connection: refuses a file that was open when this process was forked, and
 * remembers it for the next fork. */
deed_rc deed__sqlite_watch(struct sqlite_store *store, struct deed_error *err);
/* After the last connection. */
void deed__sqlite_unwatch(const struct sqlite_store *store);

/* ---- looking before touching (sqlite_inspect.c) ------------------------------------------ */

/* What a look at the bytes of a file said. */
struct inspection {
    bool wal; /* the header asks for WAL */
    uint32_t application_id;
    uint32_t user_version;
    bool wal_filled; /* a -wal with content lies beside it */
};

/* Refuses what is no ledger, touching nothing. Fills on_disk and read_only of the store. */
deed_rc deed__sqlite_inspect(struct sqlite_store *store, const struct deed_sqlite_options *options,
    struct inspection *seen_out, struct deed_error *err);
/* Refuses a network file system; `path` may be a folder. */
deed_rc deed__sqlite_refuse_network(const char *path, const char *location,
    const struct deed_sqlite_options *options, struct deed_error *err);
bool deed__sqlite_wal_filled(const struct sqlite_store *store);

/* ---- the schema (sqlite_schema.c) -------------------------------------------------------- */

/* Reads marks and tables through `db` and says how the file stands; refuses what is no ledger, and
 * marks that differ. STANDING_NEWER is no error here. */
deed_rc deed__sqlite_standing(struct sqlite_store *store, sqlite3 *db, enum standing *standing_out,
    int *version_out, struct deed_error *err);
/* The error for a schema this library cannot work with; DEED_OK for STANDING_READY. */
deed_rc deed__sqlite_refuse_standing(
    const struct sqlite_store *store, enum standing standing, int version, struct deed_error *err);
/* Looks again, after another process may have migrated. */
deed_rc deed__sqlite_look_again(struct sqlite_store *store, enum standing *standing_out,
    int *version_out, struct deed_error *err);
deed_rc deed__sqlite_schema(void *self, struct deed_schema *schema_out, struct deed_error *err);
/* Compares tables, indexes and triggers of `db` with what the migrations make. */
deed_rc deed__sqlite_schema_compare(
    struct sqlite_store *store, sqlite3 *db, struct deed_error *err);

/* ---- the parts of struct deed_store ------------------------------------------------------ */

deed_rc deed__sqlite_write(void *self, struct deed_op *ops, size_t count, struct deed_error *err);
deed_rc deed__sqlite_read(void *self, struct deed_op *op, struct deed_error *err);
deed_rc deed__sqlite_recover(void *self, struct deed_error *err);
deed_rc deed__sqlite_migrate(
    void *self, bool dry_run, deed_migration_visit visit, void *context, struct deed_error *err);
deed_rc deed__sqlite_check(void *self, struct deed_error *err);
int64_t deed__sqlite_owner(void *self);
bool deed__sqlite_owner_lives(void *self, int64_t owner);
void deed__sqlite_owner_finish(struct sqlite_store *store);

/* Refuses a handle of another process, and one whose last commit is in doubt. */
deed_rc deed__sqlite_enter(struct sqlite_store *store, struct deed_error *err);
/* The writer, opened and verified if need be. Under write_lock. */
deed_rc deed__sqlite_writer(
    struct sqlite_store *store, struct connection **writer_out, struct deed_error *err);
/* From now on every call is refused until recover() succeeds. */
void deed__sqlite_doubt(struct sqlite_store *store);

/* Checkpoints under the rule: the sibling holds the write lock, for which it waits at most
 * `patience_ms`. `whole_out` says whether all of the WAL was copied back. Under write_lock, outside
 * a transaction. */
deed_rc deed__sqlite_checkpoint(
    struct sqlite_store *store, int64_t patience_ms, bool *whole_out, struct deed_error *err);

/* Commits page 1 as it is: its frame is the first of a new WAL if the old one was copied back whole
 * and nobody reads it any more; `begun_out` says so. Under write_lock, outside a transaction. */
deed_rc deed__sqlite_new_wal(
    struct sqlite_store *store, int64_t patience_ms, bool *begun_out, struct deed_error *err);

/* Applies the migrations above the file's version, one transaction each. */
deed_rc deed__sqlite_apply(struct connection *connection, deed_migration_visit visit, void *context,
    struct deed_error *err);

/* The host's options in our shape; all of it zero for NULL. */
deed_rc deed__sqlite_options_take(struct deed_sqlite_options *mine_out,
    const struct deed_sqlite_options *options, struct deed_error *err);

/* Memory and text of a store that is being opened. `location` is `path` as people know it. */
deed_rc deed__sqlite_store_new(const char *path, const char *location,
    const struct deed_sqlite_options *options, struct sqlite_store **store_out,
    struct deed_error *err);
void deed__sqlite_store_free(struct sqlite_store *store);
bool deed__sqlite_random(const struct sqlite_store *store, void *buffer, size_t bytes);
int64_t deed__sqlite_now_ms(const struct sqlite_store *store);

#endif
