/* SPDX-License-Identifier: MIT
 *
 * Damaged ledger files: whatever became of the bytes, opening, checking, listing and going on ends
 * with a clear error or with the truth, and nothing that was settled is ever sent again.
 *
 * The first byte of an input says what is damaged and how:
 *   1  the file has a WAL beside it: what is settled is in the file, what is open in the WAL
 *   2  the sums of the WAL are made to agree
 *   4  first, up to three values are changed by SQL, past every trigger and constraint
 *   8  what follows is the file itself
 */
#include "damage.h"
#include "story.h"

#include <deed/sqlite.h>

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATH "ledger.fuzz"

static struct {
    struct damage_file plain; /* all of the story, and no WAL */
    struct damage_file pair[2];
    struct damage_file world;
    int64_t told_ms;
    char *drop_triggers;
    char *make_triggers;
} base;

static void write_files(const struct damage_file *file, const struct damage_file *wal)
{
    (void)unlink(PATH "-shm");
    (void)unlink(PATH "-wal");
    (void)unlink(PATH "-journal");
    fuzz_write(PATH, file->data, file->bytes);
    if (wal != NULL) {
        fuzz_write(PATH "-wal", wal->data, wal->bytes);
    }
}

static deed_rc open_story(struct story *story, struct deed_error *err)
{
    const struct deed_sqlite_options options = {
        .size = sizeof options, .random = deed_sim_random_source(story->random)};
    struct deed_store *store = NULL;
    const deed_rc rc = deed_sqlite_open(PATH, &options, &store, err);
    return rc == DEED_OK ? story_open(story, store, err) : rc;
}

/* ---- the good files ----------------------------------------------------------------------- */

static void must_open(struct story *story)
{
    struct deed_error err = {0};
    FUZZ_DEMAND(open_story(story, &err) == DEED_OK, "a ledger", err.text);
}

static void tell(struct story *story)
{
    struct deed_error err = {0};
    struct deed_store *store = NULL;
    const struct deed_options options = story_options(story);
    FUZZ_DEMAND(deed_sqlite_create(PATH, NULL, &err) == DEED_OK &&
            deed_sqlite_open(PATH, NULL, &store, &err) == DEED_OK &&
            deed_ledger_init(store, "story", true, &options, &err) == DEED_OK,
        "a ledger", err.text);
    store->close(store->self);
    must_open(story);
    story_tell_settled(story);
    story_close(story); /* brings all of it into the file */
    /* A log that is damaged is as if cut there (docs/internals/fuzzing.md): what is settled must not be in it. */
    FUZZ_DEMAND(unlink(PATH "-wal") == 0, "a log that can go", NULL);
    must_open(story);
    story_tell_open(story);
    base.pair[0].data = fuzz_read(PATH, &base.pair[0].bytes);
    base.pair[1].data = fuzz_read(PATH "-wal", &base.pair[1].bytes);
    story_close(story);
    base.plain.data = fuzz_read(PATH, &base.plain.bytes);
}

/* Statements that take all triggers away, and those that bring them back. */
static void read_triggers(void)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *stmt = NULL;
    base.drop_triggers = sqlite3_mprintf("");
    base.make_triggers = sqlite3_mprintf("");
    FUZZ_DEMAND(sqlite3_open(PATH, &db) == SQLITE_OK &&
            sqlite3_prepare_v2(db, "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'", -1,
                &stmt, NULL) == SQLITE_OK,
        "the triggers", NULL);
    while (sqlite3_step(stmt) == SQLITE_ROW) {
        base.drop_triggers = sqlite3_mprintf(
            "%zDROP TRIGGER \"%w\";", base.drop_triggers, sqlite3_column_text(stmt, 0));
        base.make_triggers =
            sqlite3_mprintf("%z%s;", base.make_triggers, sqlite3_column_text(stmt, 1));
    }
    (void)sqlite3_finalize(stmt);
    (void)sqlite3_close(db);
}

void fuzz_start(void)
{
    struct story story;
    struct deed_instant now;
    (void)sqlite3_test_control(SQLITE_TESTCTRL_PRNG_SEED, 1, NULL); /* the salt of the WAL */
    (void)unlink("ledger.world");
    (void)unlink(PATH);
    (void)unlink(PATH "-wal");
    (void)unlink(PATH "-shm");
    story_start(&story, "ledger.world", STORY_START_MS);
    tell(&story);
    const struct deed_clock *clock = deed_sim_clock_true(story.clock);
    FUZZ_DEMAND(clock->now(clock->self, &now), "a clock", NULL);
    base.told_ms = now.wall_ms;
    story_end(&story);
    base.world.data = fuzz_read("ledger.world", &base.world.bytes);
    read_triggers();
}

/* ---- a hand in the file ------------------------------------------------------------------- */

static const char *const tables[] = {
    "intent", "attempt", "event", "evidence", "ledger", "request", "migration", "pass"};
#define TABLE_COUNT (sizeof tables / sizeof tables[0])

/* The name of a column, by a number that may be too large. Freed by sqlite3_free. */
static char *column_of(sqlite3 *db, const char *table, uint32_t number)
{
    char *name = NULL;
    sqlite3_stmt *stmt = NULL;
    if (sqlite3_prepare_v2(db,
            "SELECT name FROM pragma_table_info(?1) ORDER BY cid LIMIT 1 OFFSET ?2 % (SELECT "
            "max(1, count(*)) FROM pragma_table_info(?1))",
            -1, &stmt, NULL) == SQLITE_OK) {
        (void)sqlite3_bind_text(stmt, 1, table, -1, SQLITE_STATIC);
        (void)sqlite3_bind_int64(stmt, 2, number);
        if (sqlite3_step(stmt) == SQLITE_ROW) {
            name = sqlite3_mprintf("%s", sqlite3_column_text(stmt, 0));
        }
    }
    (void)sqlite3_finalize(stmt);
    return name;
}

/* What is written in the place of a value; freed by sqlite3_free. */
static char *value_of(struct fuzz_reader *reader, const char *table, const char *column)
{
    static const char *const texts[] = {"NULL", "''", "'x'", "-1", "9223372036854775807",
        "printf('%.*c', 300, 'a')", "printf('%.*c', 81, 'k')", "1.5", "x'00'",
        "printf('%064d', 0)"};
    const uint32_t kind = fuzz_take(reader, 1) % 16;
    const uint32_t number = fuzz_take(reader, 2);
    if (kind < sizeof texts / sizeof texts[0]) {
        return sqlite3_mprintf("%s", texts[kind]);
    }
    if (kind < 13) {
        return sqlite3_mprintf("%u", (unsigned)(number % 20));
    }
    if (kind == 13) {
        return sqlite3_mprintf("\"%w\" + %d", column, (int)number - 32768);
    }
    return sqlite3_mprintf(
        "(SELECT \"%w\" FROM \"%w\" LIMIT 1 OFFSET %u)", column, table, (unsigned)(number % 32));
}

static void change_value(struct fuzz_reader *reader, sqlite3 *db)
{
    const char *table = tables[fuzz_take(reader, 1) % TABLE_COUNT];
    const bool rowless = strcmp(table, "attempt") == 0 || strcmp(table, "request") == 0;
    const char *id = rowless ? "intent_id, number" : "rowid";
    const uint32_t row = fuzz_take(reader, 1) % 32;
    const uint32_t column_number = fuzz_take(reader, 1);
    char *column = column_of(db, table, column_number);
    char *value = column == NULL ? NULL : value_of(reader, table, column);
    char *sql = column_number == 255
        ? sqlite3_mprintf("DELETE FROM \"%w\" WHERE (%s) = (SELECT %s FROM \"%w\" LIMIT 1 OFFSET "
                          "%u)",
              table, id, id, table, (unsigned)row)
        : sqlite3_mprintf("UPDATE \"%w\" SET \"%w\" = %s WHERE (%s) = (SELECT %s FROM \"%w\" LIMIT "
                          "1 OFFSET %u)",
              table, column, value, id, id, table, (unsigned)row);
    (void)sqlite3_exec(db, sql, NULL, NULL, NULL); /* STRICT and UNIQUE still refuse some */
    sqlite3_free(sql);
    sqlite3_free(value);
    sqlite3_free(column);
}

/* Replaces the file by one that was changed with SQL. */
static void change_by_hand(struct fuzz_reader *reader, struct damage_file *file)
{
    sqlite3 *db = NULL;
    write_files(file, NULL);
    FUZZ_DEMAND(sqlite3_open(PATH, &db) == SQLITE_OK &&
            sqlite3_exec(db, "PRAGMA synchronous = OFF; PRAGMA ignore_check_constraints = ON", NULL,
                NULL, NULL) == SQLITE_OK &&
            sqlite3_exec(db, base.drop_triggers, NULL, NULL, NULL) == SQLITE_OK,
        "a hand in the file", NULL);
    for (uint32_t count = 1 + fuzz_take(reader, 1) % 3; count > 0; count--) {
        change_value(reader, db);
    }
    FUZZ_DEMAND(sqlite3_exec(db, base.make_triggers, NULL, NULL, NULL) == SQLITE_OK,
        "the triggers are back", sqlite3_errmsg(db));
    FUZZ_DEMAND(sqlite3_close(db) == SQLITE_OK, "a file that is closed", NULL);
    damage_free(file);
    file->data = fuzz_read(PATH, &file->bytes);
}

/* ---- each input ---------------------------------------------------------------------------- */

static void go_on(void)
{
    struct story story;
    struct deed_error err = {0};
    fuzz_write("ledger.world", base.world.data, base.world.bytes);
    story_start(&story, "ledger.world", base.told_ms + 86400000);
    if (open_story(&story, &err) == DEED_OK) {
        story_read(&story, true);
    } else {
        FUZZ_DEMAND(err.text[0] != '\0', "not opened, without a word", NULL);
    }
    story_end(&story);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_reader reader = {data, size};
    const uint32_t how = fuzz_take(&reader, 1);
    const bool with_wal = (how & 1) != 0;
    struct damage_file files[2] = {{NULL, 0}, {NULL, 0}};
    if ((how & 8) != 0) {
        damage_copy(&files[0], reader.data, reader.left);
        reader.left = 0;
    } else {
        const struct damage_file *good = with_wal ? &base.pair[0] : &base.plain;
        damage_copy(&files[0], good->data, good->bytes);
    }
    if (with_wal) {
        damage_copy(&files[1], base.pair[1].data, base.pair[1].bytes);
    } else if ((how & 12) == 4) {
        change_by_hand(&reader, &files[0]);
    }
    damage_do(&reader, files, with_wal ? 2 : 1);
    if (with_wal && (how & 2) != 0) {
        damage_mend_wal(&files[1]);
    }
    write_files(&files[0], with_wal ? &files[1] : NULL);
    damage_free(&files[0]);
    damage_free(&files[1]);
    go_on();
    return 0;
}
