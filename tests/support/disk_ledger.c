/* SPDX-License-Identifier: MIT */
#include "support/disk_ledger.h"

#include <unistd.h>

#include <deed/ext/store.h>
#include <deed/sqlite.h>

#include "support/test.h"

#define START_MS INT64_C(1700000000000)

static void make_template(const char *path)
{
    struct deed_error err;
    struct deed_store *store = NULL;
    deed_sim_random *random = NULL;
    deed_sim_clock *clock = NULL;
    assert_int_equal(deed_sim_random_new(1, &random, &err), DEED_OK);
    assert_int_equal(deed_sim_clock_new(START_MS, &clock, &err), DEED_OK);
    const struct deed_sqlite_options files = {
        .size = sizeof(files), .random = deed_sim_random_source(random)};
    const struct deed_options options = {.size = sizeof(options),
        .clock = deed_sim_clock_machine(clock),
        .random = deed_sim_random_source(random)};
    assert_int_equal(deed_sqlite_create(path, &files, &err), DEED_OK);
    assert_int_equal(deed_sqlite_open(path, &files, &store, &err), DEED_OK);
    assert_int_equal(deed_ledger_init(store, "simulated", true, &options, &err), DEED_OK);
    store->close(store->self); /* brings back what is in the log */
    deed_sim_random_free(random);
    deed_sim_clock_free(clock);
}

static size_t read_file(const char *path, unsigned char *bytes_out, size_t room)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    const size_t count = fread(bytes_out, 1, room, file);
    assert_true(count > 0 && count < room);
    assert_int_equal(fclose(file), 0);
    return count;
}

/* Once for all tests of a process: the time in it is that of the real file system. */
static const unsigned char *template_bytes(size_t *count_out)
{
    static const char *const suffixes[] = {"", "-wal", "-shm", "-owners"};
    static unsigned char bytes[1 << 20];
    static size_t count;
    char folder[] = "disk-XXXXXX";
    char path[64];
    *count_out = count;
    if (count > 0) {
        return bytes;
    }
    assert_non_null(mkdtemp(folder));
    (void)snprintf(path, sizeof(path), "%s/ledger", folder);
    make_template(path);
    count = read_file(path, bytes, sizeof(bytes));
    for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
        (void)snprintf(path, sizeof(path), "%s/ledger%s", folder, suffixes[i]);
        (void)unlink(path);
    }
    (void)rmdir(folder);
    *count_out = count;
    return bytes;
}

deed_disk *disk_ledger_new(const struct deed_disk_options *options)
{
    size_t count = 0;
    const unsigned char *bytes = template_bytes(&count);
    deed_disk *disk = NULL;
    assert_int_equal(deed_disk_new(options, &disk, NULL), DEED_OK);
    assert_int_equal(deed_disk_put(disk, DISK_LEDGER_PATH, bytes, count, NULL), DEED_OK);
    return disk;
}

void disk_ledger_open(struct disk_ledger *program, deed_disk *disk, uint64_t seed)
{
    struct deed_store *store = NULL;
    memset(program, 0, sizeof(*program));
    assert_int_equal(deed_sim_random_new(seed, &program->random, NULL), DEED_OK);
    assert_int_equal(deed_sim_clock_new(START_MS, &program->clock, NULL), DEED_OK);
    const struct deed_sqlite_options files = {.size = sizeof(files),
        .vfs = deed_disk_vfs(disk),
        .random = deed_sim_random_source(program->random)};
    const struct deed_options options = {.size = sizeof(options),
        .clock = deed_sim_clock_machine(program->clock),
        .random = deed_sim_random_source(program->random)};
    program->rc = deed_sqlite_open(DISK_LEDGER_PATH, &files, &store, &program->err);
    if (program->rc == DEED_OK) {
        program->rc = deed_ledger_open(store, &options, &program->ledger, &program->err);
    }
}

void disk_ledger_close(struct disk_ledger *program)
{
    deed_ledger_close(program->ledger);
    deed_sim_random_free(program->random);
    deed_sim_clock_free(program->clock);
    memset(program, 0, sizeof(*program));
}

static struct deed_text text_of(const char *text)
{
    return (struct deed_text){.data = text, .bytes = strlen(text)};
}

static struct deed_payload payload_of(const char *key)
{
    return (struct deed_payload){
        .kind = text_of("pay"), .target = text_of("acct-9"), .body = text_of(key)};
}

deed_rc disk_ledger_record(struct disk_ledger *program, const char *key)
{
    const struct deed_payload payload = payload_of(key);
    const struct deed_record record = {.size = sizeof(record), .key = key, .payload = &payload};
    struct deed_result result = {.size = sizeof(result)};
    return program->ledger == NULL ? program->rc
                                   : deed_record(program->ledger, &record, &result, &program->err);
}

deed_rc disk_ledger_begin(
    struct disk_ledger *program, const char *key, struct deed_attempt *attempt_out)
{
    struct deed_plan plan = {.size = sizeof(plan)};
    struct deed_result result = {.size = sizeof(result)};
    struct deed_binding binding = {.size = sizeof(binding),
        .executor = "bank",
        .executor_version = "1",
        .account_scope = "acct-7",
        .endpoint = "https://bank.example/payments",
        .bytes = (const uint8_t *)key,
        .bytes_count = strlen(key)};
    const struct deed_begin begin = {.size = sizeof(begin), .key = key, .binding = &binding};
    attempt_out->size = sizeof(*attempt_out);
    if (program->ledger == NULL) {
        return program->rc;
    }
    deed_rc rc = deed_plan(program->ledger, key, NULL, 0, &plan, &result, &program->err);
    if (rc == DEED_OK) {
        binding.provider_key = plan.provider_key;
        rc = deed_begin(program->ledger, &begin, attempt_out, &result, &program->err);
    }
    return rc == DEED_OK ? deed_may_send(program->ledger, attempt_out->token, &program->err) : rc;
}

deed_rc disk_ledger_finish(
    struct disk_ledger *program, const char *key, const struct deed_attempt *attempt)
{
    struct deed_result result = {.size = sizeof(result)};
    struct deed_answer answer = {.size = sizeof(answer), .verdict = DEED_VERDICT_APPLIED};
    (void)snprintf(answer.reference, sizeof(answer.reference), "ch_%s", key);
    return program->ledger == NULL
        ? program->rc
        : deed_finish(program->ledger, key, attempt->token, &answer, &result, &program->err);
}

deed_rc disk_ledger_cycle(struct disk_ledger *program, const char *key)
{
    struct deed_attempt attempt = {.size = sizeof(attempt)};
    deed_rc rc = disk_ledger_record(program, key);
    if (rc == DEED_OK) {
        rc = disk_ledger_begin(program, key, &attempt);
    }
    return rc == DEED_OK ? disk_ledger_finish(program, key, &attempt) : rc;
}

deed_rc disk_ledger_get(
    struct disk_ledger *program, const char *key, struct deed_result *result_out)
{
    result_out->size = sizeof(*result_out);
    return program->ledger == NULL ? program->rc
                                   : deed_get(program->ledger, key, result_out, &program->err);
}
