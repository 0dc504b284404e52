/* SPDX-License-Identifier: MIT
 *
 * What a call asks of the disk: what only looks writes nothing and flushes nothing, each commit is
 * flushed once, and an action does not touch more pages than docs/internals/performance.md says.
 */
#include "conformance/store_files.h"

#include <deed/ledger.h>
#include <deed/mock/fault_vfs.h>

struct disk {
    char folder[FILES_PATH_ROOM];
    char path[FILES_PATH_ROOM];
    deed_fault_vfs *vfs;
    deed_ledger *ledger;
};

struct calls {
    uint64_t writes;
    uint64_t syncs;
    uint64_t truncations;
    uint64_t deletions;
};

static deed_ledger *open_ledger(const struct disk *disk)
{
    const struct deed_sqlite_options options = {
        .size = sizeof(options), .vfs = deed_fault_vfs_name(disk->vfs)};
    deed_ledger *ledger = NULL;
    assert_int_equal(
        deed_ledger_open(files_open(disk->path, &options), NULL, &ledger, NULL), DEED_OK);
    return ledger;
}

static int set_up(void **state)
{
    static struct disk disk;
    memset(&disk, 0, sizeof(disk));
    files_folder(disk.folder);
    files_path(disk.path, disk.folder, "ledger");
    files_create(disk.path);
    struct deed_store *store = files_open(disk.path, NULL);
    assert_int_equal(deed_ledger_init(store, "disk", false, NULL, NULL), DEED_OK);
    store->close(store->self);
    assert_int_equal(deed_fault_vfs_new("disk-calls", &disk.vfs, NULL), DEED_OK);
    disk.ledger = open_ledger(&disk);
    *state = &disk;
    return 0;
}

static int tear_down(void **state)
{
    struct disk *disk = *state;
    deed_ledger_close(disk->ledger);
    deed_fault_vfs_free(disk->vfs);
    files_remove(disk->folder);
    return 0;
}

static struct calls calls_of(const struct disk *disk)
{
    return (struct calls){.writes = deed_fault_vfs_calls(disk->vfs, DEED_FAULT_WRITE),
        .syncs = deed_fault_vfs_calls(disk->vfs, DEED_FAULT_SYNC),
        .truncations = deed_fault_vfs_calls(disk->vfs, DEED_FAULT_TRUNCATE),
        .deletions = deed_fault_vfs_calls(disk->vfs, DEED_FAULT_DELETE)};
}

static struct calls calls_since(const struct disk *disk, struct calls before)
{
    const struct calls now = calls_of(disk);
    return (struct calls){.writes = now.writes - before.writes,
        .syncs = now.syncs - before.syncs,
        .truncations = now.truncations - before.truncations,
        .deletions = now.deletions - before.deletions};
}

static void assert_untouched(const struct disk *disk, struct calls before)
{
    const struct calls since = calls_since(disk, before);
    assert_int_equal(since.writes, 0);
    assert_int_equal(since.syncs, 0);
    assert_int_equal(since.truncations, 0);
    assert_int_equal(since.deletions, 0);
}

/* ---- actions ----------------------------------------------------------------------------- */

static const struct deed_payload pay = {
    .kind = {"payment", 7}, .target = {"acme", 4}, .body = {"{\"cents\":990}", 13}};

static struct deed_result record(deed_ledger *ledger, const char *key)
{
    struct deed_result result = {.size = sizeof(result)};
    const struct deed_record record = {.size = sizeof(record), .key = key, .payload = &pay};
    assert_int_equal(deed_record(ledger, &record, &result, NULL), DEED_OK);
    return result;
}

static struct deed_attempt begin(deed_ledger *ledger, const char *key)
{
    struct deed_attempt attempt = {.size = sizeof(attempt)};
    struct deed_plan plan = {.size = sizeof(plan)};
    const struct deed_record record = {.size = sizeof(record), .key = key, .payload = &pay};
    assert_int_equal(deed_plan(ledger, key, &pay, 0, &plan, NULL, NULL), DEED_OK);
    const struct deed_binding binding = {.size = sizeof(binding),
        .executor = "bank",
        .executor_version = "1",
        .account_scope = "acct-7",
        .endpoint = "https://bank.example/payments",
        .provider_key = plan.provider_key,
        .bytes = (const uint8_t *)pay.body.data,
        .bytes_count = pay.body.bytes};
    const struct deed_begin begin = {
        .size = sizeof(begin), .key = key, .record = &record, .binding = &binding};
    assert_int_equal(deed_begin(ledger, &begin, &attempt, NULL, NULL), DEED_OK);
    assert_int_equal(deed_may_send(ledger, attempt.token, NULL), DEED_OK);
    return attempt;
}

static void finish(deed_ledger *ledger, const char *key, const struct deed_attempt *attempt)
{
    struct deed_answer answer = {.size = sizeof(answer), .verdict = DEED_VERDICT_APPLIED};
    (void)snprintf(answer.reference, sizeof(answer.reference), "ch-%s", key);
    assert_int_equal(deed_finish(ledger, key, attempt->token, &answer, NULL, NULL), DEED_OK);
}

static void cycle(deed_ledger *ledger, const char *key)
{
    const struct deed_attempt attempt = begin(ledger, key);
    finish(ledger, key, &attempt);
}

/* ---- what only looks --------------------------------------------------------------------- */

static bool count_listed(
    void *context, deed_rc rc, const struct deed_result *result, const struct deed_error *err)
{
    (void)rc;
    (void)result;
    (void)err;
    *(int *)context += 1;
    return true;
}

/* On a handle that has written, and so reads by its writer, and on one that never has. */
static void look_at_everything(deed_ledger *ledger)
{
    struct deed_result result = {.size = sizeof(result)};
    struct deed_status status = {.size = sizeof(status)};
    const struct deed_list all = {.size = sizeof(all), .flags = DEED_LIST_ALL};
    int seen = 0;

    assert_false(record(ledger, "recorded").created);
    assert_false(record(ledger, "settled").created);
    assert_int_equal(deed_run(ledger, "settled", 0, &result, NULL), DEED_OK);
    assert_true(result.replayed);
    assert_int_equal(result.outcome, DEED_APPLIED);
    assert_int_equal(deed_run(ledger, "open", 0, &result, NULL), DEED_OK);
    assert_int_equal(result.state, DEED_ATTEMPTED);
    assert_int_equal(deed_get(ledger, "settled", &result, NULL), DEED_OK);
    assert_int_equal(deed_get(ledger, "nobody", &result, NULL), DEED_E_NOT_FOUND);
    assert_int_equal(deed_ledger_list(ledger, &all, count_listed, &seen, NULL), DEED_OK);
    assert_int_equal(seen, 3);
    assert_int_equal(deed_ledger_status(ledger, &status, NULL), DEED_OK);
}

static void test_what_only_looks__writes_nothing_and_flushes_nothing(void **state)
{
    const struct disk *disk = *state;
    (void)record(disk->ledger, "recorded");
    cycle(disk->ledger, "settled");
    (void)begin(disk->ledger, "open");
    const struct calls before = calls_of(disk);
    look_at_everything(disk->ledger);
    assert_untouched(disk, before);
}

/* But for one flush: what it finds in the log is durable before it tells of it. */
static void test_a_handle_that_only_looks__leaves_the_disk_as_it_is(void **state)
{
    const struct disk *disk = *state;
    (void)record(disk->ledger, "recorded");
    cycle(disk->ledger, "settled");
    (void)begin(disk->ledger, "open");
    const struct calls before = calls_of(disk);
    deed_ledger *other = open_ledger(disk);
    assert_int_equal(calls_since(disk, before).syncs, 1);
    const struct calls opened = calls_of(disk);
    look_at_everything(other);
    deed_ledger_close(other);
    assert_untouched(disk, opened);
    assert_int_equal(calls_since(disk, before).writes, 0);
}

/* ---- what is made durable ---------------------------------------------------------------- */

static void test_record__flushes_once(void **state)
{
    const struct disk *disk = *state;
    (void)record(disk->ledger, "first"); /* begins the log, which is flushed besides */
    for (int i = 0; i < 50; i++) {
        char key[16];
        (void)snprintf(key, sizeof(key), "k-%d", i);
        const struct calls before = calls_of(disk);
        assert_true(record(disk->ledger, key).created);
        assert_int_equal(calls_since(disk, before).syncs, 1);
    }
}

static void test_cycle__flushes_before_the_first_byte_and_after_the_answer(void **state)
{
    const struct disk *disk = *state;
    (void)record(disk->ledger, "first");
    for (int i = 0; i < 30; i++) {
        char key[16];
        (void)snprintf(key, sizeof(key), "k-%d", i);
        struct calls before = calls_of(disk);
        const struct deed_attempt attempt = begin(disk->ledger, key);
        assert_int_equal(calls_since(disk, before).syncs, 1);
        before = calls_of(disk);
        finish(disk->ledger, key, &attempt);
        assert_int_equal(calls_since(disk, before).syncs, 1);
    }
}

/* The same answer again, and the record of what was begun: known already. */
static void test_a_word_said_twice__is_written_once(void **state)
{
    const struct disk *disk = *state;
    const struct deed_attempt attempt = begin(disk->ledger, "k");
    finish(disk->ledger, "k", &attempt);
    const struct calls before = calls_of(disk);
    finish(disk->ledger, "k", &attempt);
    assert_false(record(disk->ledger, "k").created);
    assert_untouched(disk, before);
}

/* ---- pages ------------------------------------------------------------------------------- */

/* In the log a page is two writes: its header, and itself. */
static double pages_of(const struct disk *disk, struct calls before, int actions)
{
    return (double)calls_since(disk, before).writes / 2 / actions;
}

#define ACTIONS 60 /* few enough to stay below the first checkpoint */

static void test_record__changes_few_pages(void **state)
{
    const struct disk *disk = *state;
    const struct calls before = calls_of(disk);
    for (int i = 0; i < ACTIONS; i++) {
        char key[16];
        (void)snprintf(key, sizeof(key), "k-%d", i * 7919 % 1000);
        (void)record(disk->ledger, key);
    }
    const double pages = pages_of(disk, before, ACTIONS);
    if (pages > 5.5) {
        fail_msg("%.2f pages for a record", pages);
    }
}

static void test_cycle__changes_few_pages(void **state)
{
    const struct disk *disk = *state;
    const struct calls before = calls_of(disk);
    for (int i = 0; i < ACTIONS / 2; i++) {
        char key[16];
        (void)snprintf(key, sizeof(key), "k-%d", i * 7919 % 1000);
        cycle(disk->ledger, key);
    }
    const double pages = pages_of(disk, before, ACTIONS / 2);
    if (pages > 16.7) {
        fail_msg("%.2f pages for a cycle", pages);
    }
}

int main(void)
{
#define DISK_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        DISK_TEST(test_what_only_looks__writes_nothing_and_flushes_nothing),
        DISK_TEST(test_a_handle_that_only_looks__leaves_the_disk_as_it_is),
        DISK_TEST(test_record__flushes_once),
        DISK_TEST(test_cycle__flushes_before_the_first_byte_and_after_the_answer),
        DISK_TEST(test_a_word_said_twice__is_written_once),
        DISK_TEST(test_record__changes_few_pages),
        DISK_TEST(test_cycle__changes_few_pages),
    };
#undef DISK_TEST
    return cmocka_run_group_tests_name("disk_calls", tests, NULL, NULL);
}
