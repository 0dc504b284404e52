/* SPDX-License-Identifier: MIT */
#include "play.h"

#include "disk.h"

#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define SMALL_BYTES 40
#define LARGE_BYTES 13000 /* some pages that overflow */
#define ROWS_MAX    ((size_t)4 * OPERATIONS_MAX)

/* What was acknowledged: a plain array. */
struct game {
    const struct way *way;
    const struct program *program;
    void *workers[TURNS_WORKERS];
    struct row rows[ROWS_MAX];
    size_t rows_count;
    int number; /* of the last row that was tried */
    struct played *played;
};

void row_body(const struct row *row, char *body_out)
{
    memset(body_out, 'a' + row->number % 26, (size_t)row->bytes);
}

__attribute__((format(printf, 2, 3))) static void broken(struct game *game, const char *format, ...)
{
    if (game->played->kept) {
        va_list arguments;
        va_start(arguments, format);
        (void)vsnprintf(game->played->broken, sizeof(game->played->broken), format, arguments);
        va_end(arguments);
    }
    game->played->kept = false;
}

/* ---- the workers ------------------------------------------------------------------------- */

static void do_commit(struct game *game, int worker, char letter)
{
    const struct row row = {
        .number = ++game->number,
        .bytes = letter == DO_LARGE ? LARGE_BYTES : SMALL_BYTES,
    };
    const enum answer answer = game->way->commit(game->workers[worker], &row, letter == DO_FULL);
    if (answer == ANSWER_FAILED) {
        broken(game, "commit %d: %s", row.number, game->way->why(game->workers[worker]));
    } else if (answer == ANSWER_BUSY) {
        game->played->refused++;
    } else {
        game->rows[game->rows_count++] = row;
        game->played->commits++;
    }
}

static void do_letter(struct game *game, int worker, char letter)
{
    if (letter != DO_CHECKPOINT) {
        do_commit(game, worker, letter);
        return;
    }
    const enum answer answer = game->way->checkpoint(game->workers[worker]);
    if (answer == ANSWER_FAILED) {
        broken(game, "checkpoint: %s", game->way->why(game->workers[worker]));
    } else {
        *(answer == ANSWER_BUSY ? &game->played->refused : &game->played->copied) += 1;
    }
}

static void work(void *context, int worker)
{
    struct game *game = context;
    for (const char *letter = game->program->by[worker]; *letter != '\0'; letter++) {
        do_letter(game, worker, *letter);
    }
}

/* ---- the comparison ---------------------------------------------------------------------- */

static const struct row *acknowledged(const struct game *game, int number)
{
    for (size_t i = 0; i < game->rows_count; i++) {
        if (game->rows[i].number == number) {
            return &game->rows[i];
        }
    }
    return NULL;
}

static int compare_row(struct game *game, sqlite3_stmt *stmt, const char *when)
{
    char body[LARGE_BYTES];
    const int number = sqlite3_column_int(stmt, 0);
    const struct row *row = acknowledged(game, number);
    if (row == NULL) {
        broken(game, "%s: row %d is there, and was never acknowledged", when, number);
        return SQLITE_OK;
    }
    row_body(row, body);
    const void *there = sqlite3_column_blob(stmt, 1);
    if (sqlite3_column_bytes(stmt, 1) != row->bytes || there == NULL ||
        memcmp(there, body, (size_t)row->bytes) != 0) {
        broken(game, "%s: row %d holds other bytes", when, number);
    }
    return SQLITE_OK;
}

static void compare_rows(struct game *game, sqlite3 *db, const char *when)
{
    sqlite3_stmt *stmt = NULL;
    size_t found = 0;
    int code = sqlite3_prepare_v2(db, game->way->rows, -1, &stmt, NULL);
    if (code == SQLITE_OK) {
        while ((code = sqlite3_step(stmt)) == SQLITE_ROW && found <= ROWS_MAX) {
            (void)compare_row(game, stmt, when);
            found++;
        }
    }
    (void)sqlite3_finalize(stmt);
    if (code != SQLITE_DONE) {
        broken(game, "%s: it cannot be read: %s", when, sqlite3_errmsg(db));
    } else if (found != game->rows_count) {
        broken(game, "%s: %zu rows of %zu acknowledged", when, found, game->rows_count);
    }
}

static void check_integrity(struct game *game, sqlite3 *db)
{
    sqlite3_stmt *stmt = NULL;
    int code = sqlite3_prepare_v2(db, "PRAGMA integrity_check", -1, &stmt, NULL);
    if (code == SQLITE_OK) {
        code = sqlite3_step(stmt);
    }
    const char *text =
        code == SQLITE_ROW ? (const char *)sqlite3_column_text(stmt, 0) : sqlite3_errmsg(db);
    if (text == NULL || strcmp(text, "ok") != 0) {
        broken(game, "integrity_check: %s", text == NULL ? "no memory" : text);
    }
    (void)sqlite3_finalize(stmt);
}

/* Closing the last connection brings the log back and removes it, as any program would that opened the
 * database next: what stood in the log only and is taken for copied is gone then. */
static void check(struct game *game)
{
    static const char *const whens[] = {"before closing", "after closing"};
    for (size_t i = 0; i < sizeof(whens) / sizeof(whens[0]); i++) {
        sqlite3 *db = NULL;
        if (sqlite3_open_v2(DISK_DATABASE, &db, SQLITE_OPEN_READWRITE, DISK_VFS) != SQLITE_OK) {
            broken(game, "%s: it cannot be opened: %s", whens[i], sqlite3_errmsg(db));
        } else {
            compare_rows(game, db, whens[i]);
        }
        for (int worker = 0; i == 0 && worker < TURNS_WORKERS; worker++) {
            game->way->close(game->workers[worker]);
        }
        if (i == 1) {
            check_integrity(game, db);
        }
        (void)sqlite3_close(db);
    }
}

/* ---- a whole play ------------------------------------------------------------------------ */

struct played play(
    const struct way *way, const struct program *program, const struct schedule *schedule)
{
    struct played played = {.kept = true};
    struct game game = {.way = way, .program = program, .played = &played};
    disk_load(way->image, way->image_bytes);
    for (int i = 0; i < TURNS_WORKERS; i++) {
        game.workers[i] = way->open();
        if (game.workers[i] == NULL) {
            broken(&game, "worker %d could not open the database", i);
        }
    }
    for (int i = 0; played.kept && program->before[i] != '\0'; i++) {
        do_letter(&game, i % TURNS_WORKERS, program->before[i]);
    }
    if (played.kept) {
        played.turns = turns_run(schedule, work, &game);
    }
    check(&game);
    return played;
}
