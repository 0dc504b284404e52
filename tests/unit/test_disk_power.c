/* SPDX-License-Identifier: MIT
 *
 * SQLite itself on the simulated disk. What is known of it is found again, by trying what survives at
 * each point: which settings lose acknowledged commits when the power goes, a commit that failed and
 * is durable for the next process, and that no failing call leaves a file behind that cannot be read.
 * Counts are printed.
 */
#include "support/test.h"

#include <deed/mock/disk.h>
#include <sqlite3.h>

#define PATH "/toy"

struct setting {
    const char *name;
    const char *pragmas;
    uint32_t sector_bytes;
    int page_bytes;
    bool powersafe_off;
};

static sqlite3 *open_toy(const deed_disk *disk, const char *pragmas, int *code_out)
{
    sqlite3 *db = NULL;
    int code = sqlite3_open_v2(PATH, &db,
        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_EXRESCODE, deed_disk_vfs(disk));
    if (code == SQLITE_OK) {
        code = sqlite3_exec(db, pragmas, NULL, NULL, NULL);
    }
    *code_out = code;
    return db;
}

static int run(sqlite3 *db, const char *sql)
{
    return sqlite3_exec(db, sql, NULL, NULL, NULL);
}

/* The one number of a question; -1: it cannot be answered. */
static int number(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *stmt = NULL;
    int answer = -1;
    if (sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) == SQLITE_OK &&
        sqlite3_step(stmt) == SQLITE_ROW) {
        answer = sqlite3_column_int(stmt, 0);
    }
    (void)sqlite3_finalize(stmt);
    return answer;
}

/* A disk with an empty table, durable. */
static deed_disk *toy_new(const struct setting *setting)
{
    const struct deed_disk_options options = {.size = sizeof(options),
        .sector_bytes = setting->sector_bytes,
        .powersafe_off = setting->powersafe_off};
    deed_disk *disk = NULL;
    char page[48];
    int code = SQLITE_OK;
    assert_int_equal(deed_disk_new(&options, &disk, NULL), DEED_OK);
    (void)snprintf(page, sizeof(page), "PRAGMA page_size = %d", setting->page_bytes);
    deed_disk_seed(disk, 1);
    sqlite3 *db = open_toy(disk, page, &code);
    assert_int_equal(code, SQLITE_OK);
    assert_int_equal(run(db, setting->pragmas), SQLITE_OK);
    assert_int_equal(run(db, "CREATE TABLE toy (id INTEGER PRIMARY KEY, text TEXT)"), SQLITE_OK);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    uint8_t kept[256];
    memset(kept, DEED_DISK_KEPT, sizeof(kept));
    deed_disk_restart(disk, kept, deed_disk_pending(disk));
    return disk;
}

/* ---- what the power leaves --------------------------------------------------------------- */

struct survey {
    const struct setting *setting;
    deed_disk *disk;
    deed_disk *after;
    int told; /* commits that were acknowledged */
    uint64_t points;
    uint64_t most;
    uint64_t states;
    uint64_t lost;       /* fewer rows than were told of */
    uint64_t invented;   /* more than were asked for */
    uint64_t unreadable; /* cannot be opened, or is no whole database */
    bool plain_only;     /* no torn writes and no noise */
};

static void judge(struct survey *survey)
{
    int code = SQLITE_OK;
    sqlite3 *db = open_toy(survey->after, "", &code);
    const int rows = number(db, "SELECT count(*) FROM toy");
    const bool whole = number(db, "SELECT integrity_check = 'ok' FROM pragma_integrity_check") == 1;
    survey->unreadable += code != SQLITE_OK || rows < 0 || !whole ? 1U : 0U;
    survey->lost += rows >= 0 && rows < survey->told ? 1U : 0U;
    survey->invented += rows > survey->told + 1 ? 1U : 0U;
    (void)sqlite3_close(db);
}

static bool is_plain(const uint8_t *fates, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (fates[i] > DEED_DISK_KEPT) {
            return false;
        }
    }
    return true;
}

static void explore(void *context, const struct deed_disk_event *event)
{
    struct survey *survey = context;
    deed_disk_fates *fates = NULL;
    assert_int_equal(deed_disk_fates_new(event->pending, event->number, &fates, NULL), DEED_OK);
    for (const uint8_t *next = deed_disk_fates_next(fates); next != NULL;
         next = deed_disk_fates_next(fates)) {
        if (!survey->plain_only || is_plain(next, event->pending)) {
            assert_int_equal(deed_disk_become(survey->after, survey->disk, NULL), DEED_OK);
            deed_disk_restart(survey->after, next, event->pending);
            judge(survey);
            survey->states++;
        }
    }
    deed_disk_fates_free(fates);
    survey->points++;
    survey->most = event->pending > survey->most ? event->pending : survey->most;
}

/* A journal is made, used and deleted by each commit, so one tells all; the whole sweep has three. */
static int commits_of(const struct setting *setting)
{
    const char *sweep = getenv("DEED_SWEEP");
    const bool whole = sweep != NULL && strcmp(sweep, "whole") == 0;
    return whole || strstr(setting->pragmas, "WAL") != NULL ? 3 : 1;
}

/* Two commits, a checkpoint where there is a WAL, and a third commit. */
static struct survey survey_of(const struct setting *setting, bool plain_only)
{
    struct survey survey = {.setting = setting, .plain_only = plain_only};
    const int commits = commits_of(setting);
    int code = SQLITE_OK;
    survey.disk = toy_new(setting);
    assert_int_equal(deed_disk_copy(survey.disk, &survey.after, NULL), DEED_OK);
    deed_disk_seed(survey.disk, 2);
    sqlite3 *db = open_toy(survey.disk, setting->pragmas, &code);
    assert_int_equal(code, SQLITE_OK);
    deed_disk_watch(survey.disk, explore, &survey);
    for (int i = 0; i < commits; i++) {
        assert_int_equal(run(db, "INSERT INTO toy (text) VALUES ('some text')"), SQLITE_OK);
        survey.told++;
        if (i == 1) {
            assert_int_equal(run(db, "PRAGMA wal_checkpoint"), SQLITE_OK);
        }
    }
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    deed_disk_watch(survey.disk, NULL, NULL);
    const struct deed_disk_event end = {.pending = deed_disk_pending(survey.disk)};
    explore(&survey, &end); /* events come before what they tell: this is after the last one */
    print_message("%-44s %3llu points, at most %2llu units, %5llu states: "
                  "%llu lost, %llu invented, %llu unreadable\n",
        setting->name, (unsigned long long)survey.points, (unsigned long long)survey.most,
        (unsigned long long)survey.states, (unsigned long long)survey.lost,
        (unsigned long long)survey.invented, (unsigned long long)survey.unreadable);
    assert_true(survey.states > survey.points);
    deed_disk_free(survey.after);
    deed_disk_free(survey.disk);
    return survey;
}

static void expect_kept(const struct setting *setting)
{
    const struct survey survey = survey_of(setting, false);
    assert_int_equal(survey.lost, 0);
    assert_int_equal(survey.invented, 0);
    assert_int_equal(survey.unreadable, 0);
}

#define WAL_FULL     "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL"
#define WAL_NORMAL   "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL"
#define DELETE_FULL  "PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL"
#define DELETE_EXTRA "PRAGMA journal_mode = DELETE; PRAGMA synchronous = EXTRA"
#define DELETE_OFF   "PRAGMA journal_mode = DELETE; PRAGMA synchronous = OFF"

static void test_disk_power__full_and_extra_keep_every_commit(void **state)
{
    (void)state;
    static const struct setting settings[] = {
        {"WAL FULL, sector 4096, page 4096", WAL_FULL, 4096, 4096, false},
        {"WAL FULL, sector 512, page 1024", WAL_FULL, 512, 1024, false},
        {"WAL FULL, sector 4096, page 1024, no powersafe", WAL_FULL, 4096, 1024, true},
        {"WAL FULL, sector 512, page 1024, no powersafe", WAL_FULL, 512, 1024, true},
        {"DELETE EXTRA, sector 4096, page 4096", DELETE_EXTRA, 4096, 4096, false},
        {"DELETE EXTRA, sector 512, page 1024", DELETE_EXTRA, 512, 1024, false},
        {"DELETE EXTRA, sector 4096, page 1024, no powersafe", DELETE_EXTRA, 4096, 1024, true},
        {"DELETE EXTRA, sector 512, page 1024, no powersafe", DELETE_EXTRA, 512, 1024, true},
    };
    for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
        expect_kept(&settings[i]);
    }
}

static void test_disk_power__exclusive_locking_keeps_every_commit(void **state)
{
    (void)state;
    static const struct setting wal = {
        "WAL FULL, exclusive", "PRAGMA locking_mode = EXCLUSIVE;" WAL_FULL, 4096, 4096, false};
    static const struct setting journal = {"DELETE EXTRA, exclusive",
        "PRAGMA locking_mode = EXCLUSIVE;" DELETE_EXTRA, 4096, 4096, false};
    expect_kept(&wal);
    expect_kept(&journal);
}

static void test_disk_power__wal_normal_loses_acknowledged_commits(void **state)
{
    (void)state;
    static const struct setting setting = {"WAL NORMAL", WAL_NORMAL, 4096, 4096, false};
    const struct survey survey = survey_of(&setting, true);
    assert_true(survey.lost > 0);
    assert_int_equal(survey.unreadable, 0);
}

/* The journal's deletion was not durable: it comes back, and rolls the commit back. */
static void test_disk_power__delete_full_resurrects_the_journal(void **state)
{
    (void)state;
    static const struct setting setting = {"DELETE FULL", DELETE_FULL, 4096, 4096, false};
    const struct survey survey = survey_of(&setting, true);
    assert_true(survey.lost > 0);
    assert_int_equal(survey.unreadable, 0);
}

static void test_disk_power__without_flushes_files_break(void **state)
{
    (void)state;
    static const struct setting setting = {"DELETE OFF", DELETE_OFF, 512, 1024, false};
    const struct survey survey = survey_of(&setting, true);
    assert_true(survey.lost > 0);
    assert_true(survey.unreadable > 0);
}

/* ---- a commit that fails ----------------------------------------------------------------- */

struct commit {
    int code;
    int same_connection; /* rows it sees afterwards */
    int next_process;
    int after_another; /* rows that text has after one more commit by the same connection */
};

static bool failing_flush(const struct setting *setting, uint64_t nth, struct commit *out)
{
    deed_disk *disk = toy_new(setting);
    int code = SQLITE_OK;
    const struct deed_disk_plan plan = {
        .size = sizeof(plan), .nth = nth, .code = SQLITE_IOERR_FSYNC, .flush_kept = true};
    sqlite3 *db = open_toy(disk, setting->pragmas, &code);
    assert_int_equal(code, SQLITE_OK);
    assert_int_equal(number(db, "SELECT count(*) FROM toy"), 0);
    deed_disk_plan(disk, &plan);
    out->code = run(db, "INSERT INTO toy (text) VALUES ('doubtful')");
    const bool met = deed_disk_failed(disk) > 0;
    deed_disk_plan(disk, NULL);
    out->same_connection = number(db, "SELECT count(*) FROM toy");
    deed_disk *next = NULL;
    assert_int_equal(deed_disk_copy(disk, &next, NULL), DEED_OK);
    sqlite3 *other = open_toy(next, "", &code);
    out->next_process = number(other, "SELECT count(*) FROM toy");
    (void)sqlite3_close(other);
    assert_int_equal(run(db, "INSERT INTO toy (text) VALUES ('later')"), SQLITE_OK);
    out->after_another = number(db, "SELECT count(*) FROM toy WHERE text = 'doubtful'");
    (void)sqlite3_close(db);
    deed_disk_free(next);
    deed_disk_free(disk);
    return met;
}

static void test_disk_power__a_failed_commit_may_be_there_for_the_next_process(void **state)
{
    (void)state;
    static const struct setting wal = {"WAL FULL", WAL_FULL, 4096, 4096, false};
    unsigned doubtful = 0;
    for (uint64_t nth = 1;; nth++) {
        struct commit commit = {0};
        if (!failing_flush(&wal, nth, &commit)) {
            break;
        }
        if (commit.code == SQLITE_IOERR_FSYNC && commit.next_process == 1) {
            assert_int_equal(commit.same_connection, 0);
            assert_int_equal(commit.after_another, 0); /* and then it is gone */
            doubtful++;
        }
    }
    static const struct setting journal = {"DELETE EXTRA", DELETE_EXTRA, 4096, 4096, false};
    unsigned refused = 0;
    for (uint64_t nth = 1;; nth++) {
        struct commit commit = {0};
        if (!failing_flush(&journal, nth, &commit)) {
            break;
        }
        if (commit.code == SQLITE_IOERR_FSYNC) {
            assert_int_equal(commit.next_process, 0); /* with a journal an error is an answer */
            refused++;
        }
    }
    assert_true(refused >= 3);
    print_message("WAL FULL: %u failing calls end in an error of COMMIT, a row for the next "
                  "process, and none after one more commit\n",
        doubtful);
    assert_true(doubtful > 0);
}

/* ---- failing calls ----------------------------------------------------------------------- */

struct loop {
    uint64_t trials;
    uint64_t errors;
};

/* One failing call (or all from it on) in a life of three commits; then the process dies or the
 * power goes, and the next one finds a whole file with each acknowledged row. */
static bool one_failure(
    const struct setting *setting, const struct deed_disk_plan *plan, bool power, struct loop *loop)
{
    deed_disk *disk = toy_new(setting);
    int code = SQLITE_OK;
    int told = 0;
    deed_disk_plan(disk, plan);
    sqlite3 *db = open_toy(disk, setting->pragmas, &code);
    for (int i = 0; i < 3 && code == SQLITE_OK; i++) {
        told += run(db, "INSERT INTO toy (text) VALUES ('some text')") == SQLITE_OK ? 1 : 0;
        if (i == 1) {
            (void)run(db, "PRAGMA wal_checkpoint");
        }
    }
    const bool met = deed_disk_failed(disk) > 0;
    deed_disk_plan(disk, NULL);
    deed_disk_kill(disk, 1);
    (void)sqlite3_close(db);
    if (power) {
        deed_disk_restart(disk, NULL, 0);
    }
    deed_disk_enter(disk, 2);
    db = open_toy(disk, "", &code);
    const int rows = number(db, "SELECT count(*) FROM toy");
    assert_int_equal(code, SQLITE_OK);
    assert_in_range(rows, told, 3);
    assert_int_equal(number(db, "SELECT integrity_check = 'ok' FROM pragma_integrity_check"), 1);
    assert_int_equal(run(db, "INSERT INTO toy (text) VALUES ('more')"), SQLITE_OK);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    loop->trials++;
    loop->errors += told < 3 ? 1U : 0U;
    deed_disk_free(disk);
    return met;
}

static void fail_each_call(const struct setting *setting)
{
    static const int codes[] = {
        0, SQLITE_IOERR, SQLITE_FULL, SQLITE_BUSY, SQLITE_CANTOPEN, SQLITE_NOMEM};
    struct loop loop = {0};
    for (size_t c = 0; c < sizeof(codes) / sizeof(codes[0]); c++) {
        for (unsigned how = 0; how < 8; how++) {
            bool met = true;
            uint64_t silent = 0;
            for (uint64_t nth = 1; met || silent < 30; nth++) {
                const struct deed_disk_plan plan = {.size = sizeof(plan),
                    .nth = nth,
                    .last = (how & 1) != 0 ? UINT64_MAX : 0,
                    .code = codes[c],
                    .flush_kept = (how & 2) != 0};
                met = one_failure(setting, &plan, (how & 4) != 0, &loop);
                silent = met ? 0 : silent + 1; /* a full disk lets most calls through */
            }
        }
    }
    print_message("%s: %llu trials with failing calls, %llu of them with errors of commits\n",
        setting->name, (unsigned long long)loop.trials, (unsigned long long)loop.errors);
    assert_true(loop.errors > 100);
}

static void test_disk_power__each_failing_call_leaves_a_whole_file(void **state)
{
    (void)state;
    static const struct setting wal = {"WAL FULL", WAL_FULL, 4096, 4096, false};
    static const struct setting journal = {"DELETE EXTRA", DELETE_EXTRA, 4096, 4096, false};
    fail_each_call(&wal);
    fail_each_call(&journal);
}

/* ---- two connections --------------------------------------------------------------------- */

static void test_disk_power__two_connections_share_a_wal(void **state)
{
    (void)state;
    static const struct setting setting = {"WAL FULL", WAL_FULL, 4096, 4096, false};
    deed_disk *disk = toy_new(&setting);
    int code = SQLITE_OK;
    sqlite3 *one = open_toy(disk, setting.pragmas, &code);
    deed_disk_enter(disk, 2);
    sqlite3 *two = open_toy(disk, setting.pragmas, &code);
    assert_int_equal(run(one, "BEGIN IMMEDIATE; INSERT INTO toy (text) VALUES ('one')"), SQLITE_OK);
    assert_int_equal(run(two, "BEGIN IMMEDIATE"), SQLITE_BUSY);
    assert_int_equal(run(two, "BEGIN"), SQLITE_OK);
    assert_int_equal(number(two, "SELECT count(*) FROM toy"), 0); /* its snapshot begins */
    assert_int_equal(run(one, "COMMIT"), SQLITE_OK);
    assert_int_equal(number(two, "SELECT count(*) FROM toy"), 0);
    assert_int_equal(run(two, "INSERT INTO toy (text) VALUES ('stale')"), SQLITE_BUSY_SNAPSHOT);
    assert_int_equal(run(two, "ROLLBACK"), SQLITE_OK);
    assert_int_equal(number(two, "SELECT count(*) FROM toy"), 1);
    assert_int_equal(number(one, "PRAGMA wal_checkpoint(TRUNCATE)"), 0);
    assert_int_equal(run(two, "INSERT INTO toy (text) VALUES ('two')"), SQLITE_OK);
    assert_int_equal(number(one, "SELECT count(*) FROM toy"), 2);
    deed_disk_kill(disk, 2); /* in the middle of nothing */
    (void)sqlite3_close(two);
    deed_disk_enter(disk, 1);
    assert_int_equal(run(one, "INSERT INTO toy (text) VALUES ('three')"), SQLITE_OK);
    assert_int_equal(number(one, "SELECT count(*) FROM toy"), 3);
    assert_int_equal(sqlite3_close(one), SQLITE_OK);
    deed_disk_free(disk);
}

/* One dies at each point of its transaction, with the write lock; the other one goes on. */
struct death {
    deed_disk *disk;
    uint64_t at;
    uint64_t begun;
};

static void die_at(void *context, const struct deed_disk_event *event)
{
    const struct death *death = context;
    if (event->number == death->begun + death->at) {
        deed_disk_kill(death->disk, event->process);
    }
}

static void note_last(void *context, const struct deed_disk_event *event)
{
    *(uint64_t *)context = event->number;
}

static bool writer_dies(uint64_t at)
{
    static const struct setting setting = {"WAL FULL", WAL_FULL, 4096, 1024, false};
    deed_disk *disk = toy_new(&setting);
    int code = SQLITE_OK;
    struct death death = {.disk = disk, .at = at};
    deed_disk_watch(disk, note_last, &death.begun);
    sqlite3 *other = open_toy(disk, setting.pragmas, &code);
    assert_int_equal(run(other, "INSERT INTO toy (text) VALUES ('before')"), SQLITE_OK);
    deed_disk_enter(disk, 2);
    sqlite3 *one = open_toy(disk, setting.pragmas, &code);
    deed_disk_watch(disk, die_at, &death);
    const bool done =
        run(one,
            "BEGIN; INSERT INTO toy (text) VALUES (hex(zeroblob(3000)));"
            "INSERT INTO toy (text) VALUES (hex(zeroblob(3000))); COMMIT") == SQLITE_OK;
    deed_disk_watch(disk, NULL, NULL);
    (void)run(one, "ROLLBACK");
    (void)sqlite3_close(one);
    deed_disk_enter(disk, 1);
    const int rows = number(other, "SELECT count(*) FROM toy");
    assert_true(done ? rows == 3 : rows == 1);
    assert_int_equal(run(other, "INSERT INTO toy (text) VALUES ('after')"), SQLITE_OK);
    assert_int_equal(number(other, "SELECT count(*) FROM toy"), rows + 1);
    assert_int_equal(number(other, "SELECT integrity_check = 'ok' FROM pragma_integrity_check"), 1);
    assert_int_equal(sqlite3_close(other), SQLITE_OK);
    deed_disk_free(disk);
    return !done;
}

static void test_disk_power__a_writer_dies_and_the_other_goes_on(void **state)
{
    (void)state;
    uint64_t deaths = 0;
    while (writer_dies(deaths + 1)) {
        deaths++;
        assert_true(deaths < 200);
    }
    print_message("a writer died at %llu points of its commit, and the other went on\n",
        (unsigned long long)deaths);
    assert_true(deaths > 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_disk_power__full_and_extra_keep_every_commit),
        cmocka_unit_test(test_disk_power__exclusive_locking_keeps_every_commit),
        cmocka_unit_test(test_disk_power__wal_normal_loses_acknowledged_commits),
        cmocka_unit_test(test_disk_power__delete_full_resurrects_the_journal),
        cmocka_unit_test(test_disk_power__without_flushes_files_break),
        cmocka_unit_test(test_disk_power__a_failed_commit_may_be_there_for_the_next_process),
        cmocka_unit_test(test_disk_power__each_failing_call_leaves_a_whole_file),
        cmocka_unit_test(test_disk_power__two_connections_share_a_wal),
        cmocka_unit_test(test_disk_power__a_writer_dies_and_the_other_goes_on),
    };
    return cmocka_run_group_tests_name("disk_power", tests, NULL, NULL);
}
