/* SPDX-License-Identifier: MIT
 *
 * Reports from the field (tests/field-reports.md) that need real processes and a real file: dying at
 * the wrong moment, many at once, and a host that uses the file as well. Method: a process is killed
 * at a seam; time is a clock in the hands of the test, which each process inherits; what happened is
 * counted in a world.
 */
#include "support/test.h"

#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/wait.h>

#include <jansson.h>

#include <deed/ledger.h>
#include <deed/mock/clock.h>
#include <deed/mock/executor.h>
#include <deed/mock/world.h>
#include <deed/seam.h>

#include "../conformance/store_files.h"

#define KEY      "call-1"
#define START_MS INT64_C(1700000000000)

struct place {
    char folder[FILES_PATH_ROOM];
    char path[FILES_PATH_ROOM];
    char world_path[FILES_PATH_ROOM];
    deed_sim_clock *clock;
    struct deed_error err;
    struct deed_result result;
};

static int set_up(void **state)
{
    struct place *place = calloc(1, sizeof(*place));
    assert_non_null(place);
    files_folder(place->folder);
    files_path(place->path, place->folder, "ledger");
    files_path(place->world_path, place->folder, "world");
    assert_int_equal(deed_sim_clock_new(START_MS, &place->clock, NULL), DEED_OK);
    place->result.size = sizeof(place->result);
    *state = place;
    return 0;
}

static int tear_down(void **state)
{
    struct place *place = *state;
    deed_sim_clock_free(place->clock);
    files_remove(place->folder);
    free(place);
    return 0;
}

static void must(struct place *place, deed_rc rc)
{
    if (rc != DEED_OK) {
        fail_msg("%s", place->err.text);
    }
}

static struct deed_options options_of(const struct place *place)
{
    struct deed_options options = {
        .size = sizeof(options), .clock = deed_sim_clock_machine(place->clock)};
    return options;
}

static void make_ledger(struct place *place)
{
    files_create(place->path);
    struct deed_store *store = files_open(place->path, NULL);
    struct deed_options options = options_of(place);
    must(place, deed_ledger_init(store, "field", true, &options, &place->err));
    store->close(store->self);
}

static deed_rc start_over(struct place *place)
{
    deed_world *world = NULL;
    files_remove(place->folder);
    files_folder(place->folder);
    files_path(place->path, place->folder, "ledger");
    files_path(place->world_path, place->folder, "world");
    make_ledger(place);
    deed_rc rc = deed_world_open(place->world_path, &world, &place->err);
    deed_world_close(world);
    return rc;
}

/* As a process does that has just started. `script` is of the mock's options. */
static deed_ledger *open_ledger(
    struct place *place, int64_t busy_ms, const char *class, const char *script)
{
    struct deed_sqlite_options sqlite = files_options();
    struct deed_options options = options_of(place);
    struct deed_profile profile = {.size = sizeof(profile),
        .send_ms = 1000,
        .answer_ms = 2000,
        .landing_ms = 5000,
        .reach_ms = DEED_FOREVER,
        .consistency = DEED_CONSISTENCY_STRONG};
    char text[512];
    deed_ledger *ledger = NULL;
    deed_executor *mock = NULL;
    sqlite.busy_ms = busy_ms;
    must(place, deed_ledger_open(files_open(place->path, &sqlite), &options, &ledger, &place->err));
    (void)snprintf(text, sizeof(text), "{\"world\": \"%s\", \"class\": \"%s\", \"script\": %s}",
        place->world_path, class, script);
    must(
        place, deed_mock_executor_new(text, deed_sim_clock_true(place->clock), &mock, &place->err));
    must(place, deed_ledger_register(ledger, "payment", mock, &profile, &place->err));
    return ledger;
}

static deed_rc record(struct place *place, deed_ledger *ledger, const char *key)
{
    struct deed_payload payload = {{"payment", 7}, {"provider", 8}, {"amount=1", 8}};
    struct deed_record in = {.size = sizeof(in), .key = key, .payload = &payload};
    return deed_record(ledger, &in, &place->result, &place->err);
}

static deed_rc run(struct place *place, deed_ledger *ledger)
{
    return deed_run(ledger, KEY, DEED_BEGIN_BY_NAME, &place->result, &place->err);
}

struct seen {
    uint64_t sends;
    uint64_t effects;
};

static struct seen seen_of(struct place *place, const char *key)
{
    deed_world *world = NULL;
    must(place, deed_world_open(place->world_path, &world, &place->err));
    struct seen seen = {deed_world_sends(world, key), deed_world_effects(world, key)};
    deed_world_close(world);
    return seen;
}

static void die_at(void *context, deed_seam seam)
{
    const deed_seam *deadly = context;
    if (seam == *deadly) {
        (void)raise(SIGKILL);
    }
}

/* A process records and runs, and is killed at the seam. */
static void run_and_die(
    struct place *place, const char *class, const char *script, deed_seam deadly)
{
    const pid_t child = fork();
    if (child == 0) {
        deed_ledger *ledger = open_ledger(place, 0, class, script);
        deed_seam_hook_set(die_at, &deadly);
        if (record(place, ledger, KEY) == DEED_OK) {
            (void)run(place, ledger);
        }
        _exit(1);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGKILL);
}

static void sql(const struct place *place, const char *text, int expected)
{
    sqlite3 *db = NULL;
    assert_int_equal(sqlite3_open(place->path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, text, NULL, NULL, NULL), expected);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

/* ---- killed ------------------------------------------------------------------------------- */

/* FR-19: killed during the call; asked again at once, after an hour, after a reboot. It says each
 * time that nobody is at it and since when, stands in the list, and names a way out. */
static void expect_told(struct place *place, deed_reason reason)
{
    deed_ledger *ledger =
        open_ledger(place, 0, "lookup", "[{\"do\": \"answer\"}, {\"do\": \"answer\"}]");
    struct deed_status status = {.size = sizeof(status)};
    must(place, run(place, ledger));
    assert_true(place->result.uncertain);
    assert_true(place->result.replayed);
    assert_int_equal(place->result.attempted_ms, START_MS);
    assert_string_equal(place->result.next, "deed reconcile " KEY);
    assert_int_equal(deed_exit_status(DEED_OK, DEED_EXIT_ACTING, &place->result), 3);
    assert_int_equal(place->result.reason, reason);
    must(place, deed_ledger_status(ledger, &status, &place->err));
    assert_int_equal(status.uncertain, 1);
    assert_string_equal(status.oldest_uncertain, KEY);
    assert_int_equal(status.oldest_uncertain_ms, START_MS);
    deed_ledger_close(ledger);
}

static void test_field_process__one_killed_during_its_call_leaves_a_doubt_with_a_way_out(
    void **state)
{
    struct place *place = *state;
    must(place, start_over(place));
    run_and_die(place, "lookup", "{\"do\": \"answer\"}", DEED_SEAM_SEND_EFFECT);
    expect_told(place, DEED_REASON_OWNER_GONE);
    deed_sim_clock_advance(place->clock, 3600000);
    expect_told(place, DEED_REASON_LEASE_OVER);
    deed_sim_clock_reboot(place->clock, 60000);
    expect_told(place, DEED_REASON_LEASE_OVER);
    assert_int_equal(seen_of(place, KEY).sends, 1);
    deed_ledger *ledger = open_ledger(place, 0, "lookup", "{\"do\": \"answer\"}");
    must(place, deed_reconcile(ledger, KEY, &place->result, &place->err));
    assert_int_equal(place->result.state, DEED_RECONCILED);
    assert_int_equal(place->result.outcome, DEED_APPLIED);
    deed_ledger_close(ledger);
    assert_int_equal(seen_of(place, KEY).effects, 1);
}

/* FR-59: killed before it was attempted, and before the first byte. What was only recorded may be
 * attempted; what was attempted is not known; neither is done. */
static void expect_after_death(struct place *place, bool recorded, bool attempted)
{
    deed_ledger *ledger = open_ledger(place, 0, "blind", "{\"do\": \"answer\"}");
    const deed_rc rc = deed_get(ledger, KEY, &place->result, &place->err);
    assert_int_equal(rc, recorded ? DEED_OK : DEED_E_NOT_FOUND);
    assert_int_equal(seen_of(place, KEY).sends, 0);
    if (recorded) {
        assert_int_equal(place->result.state, attempted ? DEED_ATTEMPTED : DEED_RECORDED);
        assert_int_equal(place->result.outcome, DEED_OUTCOME_NONE);
        assert_int_equal(place->result.uncertain, attempted);
        must(place, run(place, ledger));
        assert_int_equal(place->result.outcome, attempted ? DEED_OUTCOME_NONE : DEED_APPLIED);
        assert_int_equal(seen_of(place, KEY).effects, attempted ? 0 : 1);
    }
    deed_ledger_close(ledger);
}

static void test_field_process__no_death_before_the_first_byte_looks_like_success(void **state)
{
    static const struct {
        deed_seam seam;
        bool recorded;
        bool attempted;
    } deaths[] = {
        {DEED_SEAM_RECORD_WRITTEN, false, false},
        {DEED_SEAM_RECORD_COMMITTED, true, false},
        {DEED_SEAM_ATTEMPT_PREPARED, true, false},
        {DEED_SEAM_ATTEMPT_WRITTEN, true, false},
        {DEED_SEAM_ATTEMPT_DURABLE, true, true},
        {DEED_SEAM_SEND_ALLOWED, true, true},
    };
    struct place *place = *state;
    for (size_t i = 0; i < sizeof(deaths) / sizeof(deaths[0]); i++) {
        must(place, start_over(place));
        run_and_die(place, "blind", "{\"do\": \"answer\"}", deaths[i].seam);
        expect_after_death(place, deaths[i].recorded, deaths[i].attempted);
    }
}

/* ---- a hand in the file ------------------------------------------------------------------- */

/* FR-23: who is at it, and until when, is wiped out by hand while somebody is at it. By plain SQL
 * that is refused. Done by force, it means "hands off", and never "free". */
static struct place *present;

static void others_run_without_owner(void *context, deed_seam seam)
{
    (void)context;
    if (seam != DEED_SEAM_SEND_ALLOWED) {
        return;
    }
    deed_seam_hook_set(NULL, NULL);
    sql(present, "UPDATE attempt SET owner = NULL", SQLITE_CONSTRAINT);
    sql(present, "UPDATE attempt SET owner = 0, send_ms = 0, answer_ms = 0", SQLITE_CONSTRAINT);
    sql(present,
        "PRAGMA ignore_check_constraints = ON; DROP TRIGGER attempt_keeps_what_was_true; UPDATE "
        "attempt SET "
        "owner = 0, start_boot = '', start_mono_ms = 0, send_ms = 0, answer_ms = 0",
        SQLITE_OK);
    deed_ledger *other = open_ledger(present, 0, "blind", "{\"do\": \"answer\"}");
    for (int i = 0; i < 2; i++) {
        must(present, run(present, other));
        assert_int_equal(present->result.state, DEED_ATTEMPTED);
        assert_int_equal(present->result.attempted_ms, START_MS);
        assert_int_equal(deed_exit_status(DEED_OK, DEED_EXIT_ACTING, &present->result), 3);
        must(present, deed_run_due(other, NULL, NULL, &present->err));
        deed_sim_clock_advance(present->clock, 1);
    }
    deed_ledger_close(other);
    assert_int_equal(seen_of(present, KEY).sends, 0); /* the first one is about to send */
}

static void test_field_process__an_owner_that_was_wiped_out_frees_nothing(void **state)
{
    struct place *place = *state;
    must(place, start_over(place));
    deed_ledger *ledger = open_ledger(place, 0, "blind", "{\"do\": \"answer\"}");
    must(place, record(place, ledger, KEY));
    present = place;
    deed_seam_hook_set(others_run_without_owner, NULL);
    must(place, run(place, ledger));
    assert_int_equal(place->result.outcome, DEED_APPLIED);
    assert_int_equal(seen_of(place, KEY).sends, 1);
    deed_ledger_close(ledger);
}

/* FR-05, FR-95: a host, or anybody, has a transaction of its own open on the file. While it writes,
 * nothing is sent, and what is settled is answered; while it only reads, its rollback takes back
 * nothing. */
static void test_field_process__a_hosts_transaction_sends_nothing_and_takes_nothing_back(
    void **state)
{
    struct place *place = *state;
    sqlite3 *host = NULL;
    must(place, start_over(place));
    deed_ledger *ledger = open_ledger(place, 20, "blind", "{\"do\": \"answer\"}");
    must(place, record(place, ledger, KEY));
    must(place, record(place, ledger, "call-2"));
    must(place, deed_run(ledger, "call-2", 0, &place->result, &place->err));

    assert_int_equal(sqlite3_open(place->path, &host), SQLITE_OK);
    assert_int_equal(sqlite3_exec(host, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(run(place, ledger), DEED_E_BUSY);
    assert_int_equal(deed_exit_status(DEED_E_BUSY, DEED_EXIT_ACTING, &place->result), 1);
    assert_int_equal(seen_of(place, KEY).sends, 0);
    must(place, deed_run(ledger, "call-2", DEED_BEGIN_BY_NAME, &place->result, &place->err));
    assert_true(place->result.replayed);
    assert_int_equal(seen_of(place, "call-2").sends, 1);
    assert_int_equal(sqlite3_exec(host, "ROLLBACK", NULL, NULL, NULL), SQLITE_OK);

    assert_int_equal(
        sqlite3_exec(host, "BEGIN; SELECT count(*) FROM attempt", NULL, NULL, NULL), SQLITE_OK);
    must(place, run(place, ledger));
    assert_int_equal(place->result.outcome, DEED_APPLIED);
    assert_int_equal(sqlite3_exec(host, "ROLLBACK", NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_close(host), SQLITE_OK);
    deed_ledger_close(ledger);
    ledger = open_ledger(place, 0, "blind", "{\"do\": \"answer\"}");
    must(place, run(place, ledger));
    assert_true(place->result.replayed);
    assert_int_equal(place->result.state, DEED_CONFIRMED);
    assert_int_equal(seen_of(place, KEY).sends, 1);
    deed_ledger_close(ledger);
}

/* ---- an older ledger ---------------------------------------------------------------------- */

/* FR-37: a ledger of the program before this one holds keys bound to digests that it computed. After
 * the upgrade the same payloads are repeats, each of them, and another payload is a conflict. */
static void insert_vector(sqlite3 *db, int number, const char *digest)
{
    char text[256];
    (void)snprintf(text, sizeof(text),
        "INSERT INTO intents VALUES ('vector-%d', '%.64s', 'recorded')", number, digest);
    assert_int_equal(sqlite3_exec(db, text, NULL, NULL, NULL), SQLITE_OK);
}

static json_t *read_vectors(void)
{
    FILE *file = fopen(DEED_SOURCE_DIR "/tests/vectors/digests.jsonl", "rb");
    json_t *vectors = json_array();
    char *line = NULL;
    size_t capacity = 0;
    assert_non_null(file);
    while (getline(&line, &capacity, file) > 0) {
        json_t *vector = json_loads(line, JSON_ALLOW_NUL, NULL);
        assert_non_null(vector);
        if (json_object_get(vector, "sha256") == NULL) {
            json_decref(vector);
        } else {
            assert_int_equal(json_array_append_new(vectors, vector), 0);
        }
    }
    free(line);
    assert_int_equal(fclose(file), 0);
    return vectors;
}

static deed_rc record_vector(
    struct place *place, deed_ledger *ledger, size_t number, const json_t *vector)
{
    const json_t *text = json_object_get(vector, "payload_json");
    deed_payload_buffer *buffer = NULL;
    char key[32];
    (void)snprintf(key, sizeof(key), "vector-%zu", number);
    must(place,
        deed_payload_parse(
            json_string_value(text), json_string_length(text), &buffer, &place->err));
    struct deed_record in = {.size = sizeof(in), .key = key, .payload = deed_payload_view(buffer)};
    deed_rc rc = deed_record(ledger, &in, &place->result, &place->err);
    deed_payload_free(buffer);
    return rc;
}

static void test_field_process__an_upgrade_turns_no_repeat_into_something_new(void **state)
{
    struct place *place = *state;
    json_t *vectors = read_vectors();
    const size_t count = json_array_size(vectors);
    sqlite3 *db = NULL;
    files_fixture(place->path);
    assert_int_equal(sqlite3_open(place->path, &db), SQLITE_OK);
    for (size_t i = 0; i < count; i++) {
        insert_vector(
            db, (int)i, json_string_value(json_object_get(json_array_get(vectors, i), "sha256")));
    }
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    struct deed_store *store = files_open(place->path, NULL);
    struct deed_options options = options_of(place);
    must(place, store->migrate(store->self, false, NULL, NULL, &place->err));
    must(place, deed_ledger_init(store, "field", true, &options, &place->err));
    store->close(store->self);
    deed_ledger *ledger = open_ledger(place, 0, "blind", "{\"do\": \"answer\"}");
    for (size_t i = 0; i < count; i++) {
        must(place, record_vector(place, ledger, i, json_array_get(vectors, i)));
        assert_false(place->result.created);
    }
    for (size_t i = 0; i < count; i += 20) {
        assert_int_equal(record_vector(place, ledger, i, json_array_get(vectors, (i + 1) % count)),
            DEED_E_CONFLICT);
    }
    deed_ledger_close(ledger);
    json_decref(vectors);
}

/* ---- many at once -------------------------------------------------------------------------- */

#define WRITERS 8
#define READERS 2

/* How many keys they share; the slow test sets it to a thousand. */
static int shared_keys(void)
{
    const char *text = getenv("DEED_FIELD_KEYS");
    return text == NULL ? 24 : (int)strtol(text, NULL, 10);
}

/* In an order of its own: `step` and the number of keys have no common divisor. */
static int attempt_all(struct place *place, int number)
{
    static const int steps[WRITERS] = {1, 7, 11, 13, 17, 19, 23, 29};
    const int count = shared_keys();
    deed_ledger *ledger = open_ledger(place, 120000, "blind", "{\"do\": \"answer\"}");
    for (int i = 0; i < count; i++) {
        char key[32];
        (void)snprintf(key, sizeof(key), "shared-%d", (i * steps[number] + number * 37) % count);
        deed_rc rc = record(place, ledger, key);
        if (rc == DEED_OK) {
            rc = deed_run(ledger, key, 0, &place->result, &place->err);
        }
        if (rc != DEED_OK) {
            (void)fprintf(stderr, "%s: %s\n", key, place->err.text);
            return 1;
        }
    }
    deed_ledger_close(ledger);
    return 0;
}

static bool go_on(
    void *context, deed_rc rc, const struct deed_result *result, const struct deed_error *err)
{
    (void)context;
    (void)result;
    (void)err;
    return rc == DEED_OK;
}

static int list_all(struct place *place)
{
    deed_ledger *ledger = open_ledger(place, 120000, "blind", "{\"do\": \"answer\"}");
    for (int i = 0; i < 40; i++) {
        struct deed_list list = {.size = sizeof(list), .flags = DEED_LIST_ALL};
        struct deed_status status = {.size = sizeof(status)};
        if (deed_ledger_list(ledger, &list, go_on, NULL, &place->err) != DEED_OK ||
            deed_ledger_status(ledger, &status, &place->err) != DEED_OK) {
            (void)fprintf(stderr, "list: %s\n", place->err.text);
            return 1;
        }
    }
    deed_ledger_close(ledger);
    return 0;
}

/* FR-67: eight processes attempt the same keys, each in another order, and two read all the time.
 * Nobody is told that the ledger is locked, and each key is attempted once. */
static void test_field_process__eight_at_once_attempt_each_key_once(void **state)
{
    struct place *place = *state;
    pid_t children[WRITERS + READERS];
    must(place, start_over(place));
    for (int i = 0; i < WRITERS + READERS; i++) {
        children[i] = fork();
        if (children[i] == 0) {
            _exit(i < WRITERS ? attempt_all(place, i) : list_all(place));
        }
    }
    for (int i = 0; i < WRITERS + READERS; i++) {
        int status = 0;
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 0);
    }
    const uint64_t count = (uint64_t)shared_keys();
    assert_int_equal(seen_of(place, NULL).sends, count);
    assert_int_equal(seen_of(place, NULL).effects, count);
    deed_ledger *ledger = open_ledger(place, 0, "blind", "{\"do\": \"answer\"}");
    struct deed_status all = {.size = sizeof(all)};
    struct deed_check check = {.size = sizeof(check)};
    must(place, deed_ledger_status(ledger, &all, &place->err));
    assert_int_equal(all.counts[DEED_CONFIRMED][DEED_APPLIED], count);
    must(place, deed_ledger_check(ledger, NULL, NULL, &check, &place->err));
    deed_ledger_close(ledger);
}

int main(void)
{
#define FIELD_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        FIELD_TEST(test_field_process__one_killed_during_its_call_leaves_a_doubt_with_a_way_out),
        FIELD_TEST(test_field_process__no_death_before_the_first_byte_looks_like_success),
        FIELD_TEST(test_field_process__an_owner_that_was_wiped_out_frees_nothing),
        FIELD_TEST(test_field_process__a_hosts_transaction_sends_nothing_and_takes_nothing_back),
        FIELD_TEST(test_field_process__an_upgrade_turns_no_repeat_into_something_new),
        FIELD_TEST(test_field_process__eight_at_once_attempt_each_key_once),
    };
#undef FIELD_TEST
    return cmocka_run_group_tests_name("field_process", tests, NULL, NULL);
}
