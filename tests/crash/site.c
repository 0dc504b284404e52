/* SPDX-License-Identifier: MIT */
#include "site.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <sqlite3.h>

#include <deed/evidence.h>
#include <deed/ext/store.h>
#include <deed/mock/executor.h>
#include <deed/sqlite.h>

#define FIXTURE         DEED_SOURCE_DIR "/tests/vectors/seed-ledger.sqlite3"
#define FIXTURE_START   "fixture-article-v"
#define FIXTURE_INTENTS 50
#define PATH_ROOM       512

bool site_fail(struct site *site, const char *format, ...)
{
    char *text = site->shared->failure;
    if (text[0] == '\0') {
        va_list arguments;
        va_start(arguments, format);
        (void)vsnprintf(text, SITE_TEXT, format, arguments);
        va_end(arguments);
    }
    return false;
}

/* ---- time ------------------------------------------------------------------------------------ */

static int64_t real_ms(void)
{
    struct timespec now = {0, 0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int64_t now_ms(struct site_shared *shared)
{
    int64_t passed_ms = atomic_load(&shared->passed_ms);
    return SITE_START_MS + passed_ms + (shared->real_time ? real_ms() - shared->real_start_ms : 0);
}

/* Each reading takes a millisecond, so that no two moments are the same. */
static bool read_clock(void *self, struct deed_instant *now_out)
{
    struct site_shared *shared = self;
    now_out->wall_ms = shared->real_time
        ? now_ms(shared)
        : SITE_START_MS + atomic_fetch_add(&shared->passed_ms, 1) + 1;
    now_out->mono_ms = now_out->wall_ms - SITE_START_MS - atomic_load(&shared->booted_ms);
    (void)snprintf(now_out->boot, sizeof(now_out->boot), "00000000-0000-4000-8000-%012d",
        atomic_load(&shared->boot));
    return true;
}

void site_advance(struct site *site, int64_t passed_ms)
{
    (void)atomic_fetch_add(&site->shared->passed_ms, passed_ms);
}

void site_reboot(struct site *site, int64_t off_ms)
{
    struct deed_instant now;
    site_advance(site, off_ms);
    (void)read_clock(site->shared, &now);
    atomic_store(&site->shared->booted_ms, now.wall_ms - SITE_START_MS);
    (void)atomic_fetch_add(&site->shared->boot, 1);
}

/* ---- files ----------------------------------------------------------------------------------- */

static bool is_kept(const char *name, const char *const *kept)
{
    for (; kept != NULL && *kept != NULL; kept++) {
        if (strcmp(name, *kept) == 0) {
            return true;
        }
    }
    return false;
}

static void remove_files(const char *folder, const char *const *kept)
{
    DIR *dir = opendir(folder);
    if (dir == NULL) {
        return;
    }
    for (const struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
        if (entry->d_name[0] != '.' && !is_kept(entry->d_name, kept)) {
            (void)unlinkat(dirfd(dir), entry->d_name, 0);
        }
    }
    (void)closedir(dir);
}

static bool copy_file(const char *from, const char *to)
{
    char buffer[65536];
    FILE *in = fopen(from, "rb");
    FILE *out = fopen(to, "wb");
    bool whole = in != NULL && out != NULL;
    for (size_t bytes = 1; whole && bytes > 0;) {
        bytes = fread(buffer, 1, sizeof(buffer), in);
        whole = fwrite(buffer, 1, bytes, out) == bytes;
    }
    whole = in != NULL && fclose(in) == 0 && whole;
    return out != NULL && fclose(out) == 0 && whole;
}

/* In memory, where there is such a place: a killed process loses nothing of it. */
static const char *place(void)
{
    const char *wanted = getenv("DEED_CRASH_DIR");
    if (wanted != NULL) {
        return wanted;
    }
    return access("/dev/shm", W_OK | X_OK) == 0 ? "/dev/shm" : ".";
}

static void set_paths(struct site *site)
{
    (void)snprintf(site->ledger_path, sizeof(site->ledger_path), "%s/ledger", site->folder);
    (void)snprintf(site->world_path, sizeof(site->world_path), "%s/world", site->folder);
}

bool site_new(struct site *site)
{
    memset(site, 0, sizeof(*site));
    site->script = "";
    void *memory = mmap(
        NULL, sizeof(*site->shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        return false;
    }
    site->shared = memory;
    site->clock = (struct deed_clock){sizeof(site->clock), site->shared, read_clock};
    (void)snprintf(site->folder, sizeof(site->folder), "%s/deed-crash-XXXXXX", place());
    if (mkdtemp(site->folder) == NULL) {
        return false;
    }
    set_paths(site);
    site_clear(site);
    return true;
}

void site_clear(struct site *site)
{
    struct site_shared *shared = site->shared;
    static const char *const kept[] = {"template", "template-wal", "ledger", NULL};
    remove_files(site->folder, kept);
    atomic_store(&shared->passed_ms, 100); /* making the ledger took a moment */
    atomic_store(&shared->booted_ms, 0);
    atomic_store(&shared->boot, 1);
    shared->real_time = false;
    memset(shared->crossings, 0, sizeof(shared->crossings));
    shared->crossed = 0;
    shared->kill_at = 0;
    for (size_t i = 0; i < atomic_load(&shared->told_count) && i < SITE_TOLD_MAX; i++) {
        atomic_store(&shared->told_whole[i], false);
    }
    atomic_store(&shared->told_count, 0);
    shared->failure[0] = '\0';
}

void site_free(struct site *site)
{
    if (site->folder[0] != '\0') {
        remove_files(site->folder, NULL);
        (void)rmdir(site->folder);
    }
    if (site->shared != NULL) {
        (void)munmap(site->shared, sizeof(*site->shared));
    }
}

/* ---- opening --------------------------------------------------------------------------------- */

static struct deed_options options_of(const struct site *site)
{
    return (struct deed_options){
        .size = sizeof(struct deed_options), .clock = &site->clock, .actor = "crash-test"};
}

static struct deed_store *open_store(struct site *site)
{
    struct deed_sqlite_options options = {
        .size = sizeof(options), .checkpoint_pages = site->checkpoint_pages};
    struct deed_store *store = NULL;
    if (deed_sqlite_open(site->ledger_path, &options, &store, &site->err) != DEED_OK) {
        (void)site_fail(site, "the ledger cannot be opened: %s", site->err.text);
    }
    return store;
}

static bool name_ledger(struct site *site, struct deed_store *store)
{
    struct deed_options options = options_of(site);
    return deed_ledger_init(store, "crash", true, &options, &site->err) == DEED_OK ||
        site_fail(site, "the ledger takes no name: %s", site->err.text);
}

/* The file stays the same one, so that its identity is the one its ledger row knows. */
bool site_make_ledger(struct site *site)
{
    char template[PATH_ROOM];
    char template_wal[PATH_ROOM];
    char wal[PATH_ROOM];
    (void)snprintf(template, sizeof(template), "%s/template", site->folder);
    (void)snprintf(template_wal, sizeof(template_wal), "%s/template-wal", site->folder);
    (void)snprintf(wal, sizeof(wal), "%s-wal", site->ledger_path);
    if (access(template, F_OK) != 0) {
        (void)unlink(site->ledger_path);
        if (deed_sqlite_create(site->ledger_path, NULL, &site->err) != DEED_OK) {
            return site_fail(site, "no ledger can be made: %s", site->err.text);
        }
        struct deed_store *store = open_store(site);
        bool named = store != NULL && name_ledger(site, store);
        if (store != NULL) {
            store->close(store->self);
        }
        bool had_wal = named && access(wal, F_OK) == 0;
        return named && copy_file(site->ledger_path, template) &&
            (!had_wal || copy_file(wal, template_wal));
    }
    bool has_wal = access(template_wal, F_OK) == 0;
    return (copy_file(template, site->ledger_path) && (!has_wal || copy_file(template_wal, wal))) ||
        site_fail(site, "the empty ledger cannot be copied");
}

bool site_make_fixture(struct site *site)
{
    char key_digest[DEED_DIGEST_TEXT_BYTES];
    uint8_t digest[DEED_DIGEST_BYTES];
    sqlite3 *db = NULL;
    char *sql = NULL;
    if (!copy_file(FIXTURE, site->ledger_path) || !site_asked(site, SITE_ADOPTED_KEY, digest)) {
        return site_fail(site, "the fixture cannot be copied");
    }
    deed_digest_text(digest, key_digest);
    bool made = sqlite3_open(site->ledger_path, &db) == SQLITE_OK;
    sql = sqlite3_mprintf(
        "INSERT INTO intents VALUES (%Q, %Q, 'recorded')", SITE_ADOPTED_KEY, key_digest);
    made = made && sql != NULL && sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK;
    sqlite3_free(sql);
    return (sqlite3_close(db) == SQLITE_OK && made) ||
        site_fail(site, "the fixture takes no further intent");
}

bool site_migrate(struct site *site)
{
    struct deed_store *store = open_store(site);
    if (store == NULL) {
        return false;
    }
    struct deed_schema schema = {.size = sizeof(schema)};
    bool done = store->migrate(store->self, false, NULL, NULL, &site->err) == DEED_OK &&
        store->schema(store->self, &schema, &site->err) == DEED_OK;
    if (!done) {
        (void)site_fail(site, "the ledger cannot be migrated: %s", site->err.text);
    } else if (!schema.initialised) {
        done = name_ledger(site, store);
    }
    store->close(store->self);
    return done;
}

/* ---- providers ------------------------------------------------------------------------------- */

#define ASKS  ",\"lookup\":{\"lag_ms\":500}"
#define KEEPS ",\"window_ms\":600000"

static const char *options_of_class(deed_provider_class provider_class)
{
    static const char both[] = KEEPS ASKS;
    static const char *const options[] = {
        [DEED_CLASS_BLIND] = "",
        [DEED_CLASS_LOOKUP] = ASKS,
        [DEED_CLASS_KEYED] = KEEPS,
        [DEED_CLASS_KEYED_LOOKUP] = both,
        [DEED_CLASS_CLOSABLE] = "",
    };
    return options[provider_class];
}

static struct deed_profile profile_of(deed_provider_class provider_class)
{
    bool keyed = provider_class == DEED_CLASS_KEYED || provider_class == DEED_CLASS_KEYED_LOOKUP;
    bool asked = provider_class == DEED_CLASS_LOOKUP || provider_class == DEED_CLASS_KEYED_LOOKUP;
    return (struct deed_profile){
        .size = sizeof(struct deed_profile),
        .send_ms = SITE_SEND_MS,
        .answer_ms = SITE_ANSWER_MS,
        .landing_ms = SITE_LANDING_MS,
        .window_ms = keyed ? SITE_WINDOW_MS : 0,
        .lag_ms = asked ? SITE_LAG_MS : 0,
        .reach_ms = asked ? SITE_REACH_MS : 0,
        .consistency = asked ? DEED_CONSISTENCY_STRONG : DEED_CONSISTENCY_UNKNOWN,
        .attempts_max = 6,
        .backoff_base_ms = 100,
        .backoff_cap_ms = 1000,
    };
}

static bool register_class(struct site *site, deed_provider_class provider_class)
{
    char options[8192];
    const char *name = deed_provider_class_name(provider_class);
    deed_executor *executor = NULL;
    struct deed_profile profile = profile_of(provider_class);
    (void)snprintf(options, sizeof(options), "{\"class\":\"%s\",\"name\":\"mock-%s\"%s%s}", name,
        name, options_of_class(provider_class), site->script);
    if (deed_mock_executor_new_in(site->world, options, &site->clock, &executor, &site->err) !=
        DEED_OK) {
        return site_fail(site, "there is no provider %s: %s", options, site->err.text);
    }
    return deed_ledger_register(site->ledger, name, executor, &profile, &site->err) == DEED_OK ||
        site_fail(site, "the ledger takes no provider: %s", site->err.text);
}

bool site_open(struct site *site)
{
    struct deed_options options = options_of(site);
    struct deed_store *store = open_store(site);
    if (store == NULL) {
        return false;
    }
    if (deed_ledger_open(store, &options, &site->ledger, &site->err) != DEED_OK) {
        return site_fail(site, "the ledger does not open: %s", site->err.text);
    }
    if (deed_world_open(site->world_path, &site->world, &site->err) != DEED_OK) {
        return site_fail(site, "the world does not open: %s", site->err.text);
    }
    bool open = true;
    for (int i = DEED_CLASS_BLIND; open && i <= DEED_CLASS_CLOSABLE; i++) {
        if (site->all_classes || site->provider_class == (deed_provider_class)i) {
            open = register_class(site, (deed_provider_class)i);
        }
    }
    return open;
}

void site_close(struct site *site)
{
    deed_ledger_close(site->ledger);
    deed_world_close(site->world);
    site->ledger = NULL;
    site->world = NULL;
}

/* ---- dying ----------------------------------------------------------------------------------- */

static void cross(void *context, deed_seam seam)
{
    struct site_shared *shared = context;
    shared->crossings[seam]++;
    shared->crossed++;
    if (shared->crossed == shared->kill_at) {
        shared->killed_at = seam;
        (void)kill(getpid(), SIGKILL);
    }
}

void site_arm(struct site *site, uint64_t kill_at)
{
    site->shared->crossed = 0;
    memset(site->shared->crossings, 0, sizeof(site->shared->crossings));
    site->shared->kill_at = kill_at;
    deed_seam_hook_set(cross, site->shared);
}

enum site_end site_fork(
    struct site *site, bool (*act)(struct site *site, void *context), void *context)
{
    (void)fflush(NULL); /* or the child would print it again */
    pid_t child = fork();
    if (child == 0) {
        _exit(act(site, context) ? 0 : 1);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) {
        (void)site_fail(site, "no process to be had");
        return SITE_FAILED;
    }
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) {
        return SITE_KILLED;
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
        return SITE_DONE;
    }
    (void)site_fail(site, "the process ended with status %#x and said nothing", (unsigned)status);
    return SITE_FAILED;
}

/* ---- payloads -------------------------------------------------------------------------------- */

static struct deed_text text_of(const char *text)
{
    return (struct deed_text){text, strlen(text)};
}

static const char *kind_of(const struct site *site, const char *key)
{
    bool numbered = key[0] >= '0' && key[0] <= '4' && key[1] == '-';
    return deed_provider_class_name(
        numbered ? (deed_provider_class)(key[0] - '0') : site->provider_class);
}

struct deed_payload site_payload(
    const struct site *site, const char *key, char body_out[SITE_BODY_BYTES])
{
    (void)snprintf(body_out, SITE_BODY_BYTES, "what %s is about", key);
    return (struct deed_payload){
        .kind = text_of(kind_of(site, key)), .target = text_of("shop"), .body = text_of(body_out)};
}

/* Digests of the fixture, from the fixture itself; by number of the key. */
static const uint8_t *fixture_digest(const char *key)
{
    static uint8_t digests[FIXTURE_INTENTS][DEED_DIGEST_BYTES];
    static bool read;
    sqlite3 *db = NULL;
    sqlite3_stmt *stmt = NULL;
    if (!read && sqlite3_open_v2(FIXTURE, &db, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK) {
        (void)sqlite3_prepare_v2(
            db, "SELECT substr(action_key, 18), payload_sha256 FROM intents", -1, &stmt, NULL);
    }
    while (stmt != NULL && sqlite3_step(stmt) == SQLITE_ROW) {
        int number = sqlite3_column_int(stmt, 0);
        const char *hex = (const char *)sqlite3_column_text(stmt, 1);
        for (size_t i = 0; number >= 0 && number < FIXTURE_INTENTS && i < DEED_DIGEST_BYTES; i++) {
            char byte[3] = {hex[2 * i], hex[2 * i + 1], '\0'};
            digests[number][i] = (uint8_t)strtoul(byte, NULL, 16);
        }
        read = true;
    }
    (void)sqlite3_finalize(stmt);
    (void)sqlite3_close(db);
    long number = strtol(key + strlen(FIXTURE_START), NULL, 10);
    return read && number >= 0 && number < FIXTURE_INTENTS ? digests[number] : NULL;
}

bool site_asked(void *context, const char *key, uint8_t digest_out[DEED_DIGEST_BYTES])
{
    const struct site *site = context;
    char body[SITE_BODY_BYTES];
    if (strncmp(key, FIXTURE_START, strlen(FIXTURE_START)) == 0) {
        const uint8_t *digest = fixture_digest(key);
        if (digest != NULL) {
            memcpy(digest_out, digest, DEED_DIGEST_BYTES);
        }
        return digest != NULL;
    }
    struct deed_payload payload = site_payload(site, key, body);
    return deed_payload_digest(&payload, digest_out, NULL) == DEED_OK;
}

/* ---- acting ---------------------------------------------------------------------------------- */

bool site_tell(struct site *site, const char *key)
{
    struct site_shared *shared = site->shared;
    size_t slot = atomic_fetch_add(&shared->told_count, 1);
    if (slot >= SITE_TOLD_MAX) {
        return true; /* enough was told */
    }
    if (!deed_crash__tell(site->ledger, key, &shared->told[slot])) {
        return site_fail(site, "%s cannot be read again", key);
    }
    atomic_store(&shared->told_whole[slot], true);
    return true;
}

/* The call must have returned `DEED_OK`; then what it told is noted. */
static bool done(struct site *site, const char *what, const char *key, deed_rc rc)
{
    if (rc != DEED_OK) {
        return site_fail(site, "%s %s: %s: %s", what, key, deed_rc_name(rc), site->err.text);
    }
    return site_tell(site, key);
}

static void fresh_result(struct site *site)
{
    memset(&site->result, 0, sizeof(site->result));
    site->result.size = sizeof(site->result);
}

bool site_record_as(struct site *site, const char *key, const char *hold_reason, int64_t until_ms)
{
    char body[SITE_BODY_BYTES];
    struct deed_payload payload = site_payload(site, key, body);
    struct deed_record record = {.size = sizeof(record),
        .key = key,
        .payload = &payload,
        .hold_reason = hold_reason,
        .not_after_ms = until_ms};
    fresh_result(site);
    return done(site, "record", key, deed_record(site->ledger, &record, &site->result, &site->err));
}

bool site_record(struct site *site, const char *key)
{
    return site_record_as(site, key, NULL, 0);
}

static bool tell_result(
    void *context, deed_rc rc, const struct deed_result *result, const struct deed_error *err)
{
    struct site *site = context;
    bool normal = rc == DEED_OK || rc == DEED_E_NEEDS_PERSON || rc == DEED_E_NOT_YET;
    if (!normal) {
        return site_fail(site, "on the way, %s: %s: %s", result->key, deed_rc_name(rc), err->text);
    }
    return site_tell(site, result->key);
}

#define MANY_MAX 64

bool site_record_many(struct site *site, const char *const *keys, size_t count)
{
    char bodies[MANY_MAX][SITE_BODY_BYTES];
    struct deed_payload payloads[MANY_MAX];
    struct deed_record records[MANY_MAX];
    for (size_t i = 0; i < count && i < MANY_MAX; i++) {
        payloads[i] = site_payload(site, keys[i], bodies[i]);
        records[i] = (struct deed_record){
            .size = sizeof(records[i]), .key = keys[i], .payload = &payloads[i]};
    }
    deed_rc rc = deed_record_many(site->ledger, records, count, tell_result, site, &site->err);
    return (rc == DEED_OK || site_fail(site, "record many: %s", site->err.text)) &&
        site->shared->failure[0] == '\0';
}

bool site_run(struct site *site, const char *key)
{
    fresh_result(site);
    return done(site, "run", key, deed_run(site->ledger, key, 0, &site->result, &site->err));
}

bool site_run_by_name(struct site *site, const char *key)
{
    fresh_result(site);
    return done(site, "run by name", key,
        deed_run(site->ledger, key, DEED_BEGIN_BY_NAME, &site->result, &site->err));
}

bool site_run_due(struct site *site)
{
    deed_rc rc = deed_run_due(site->ledger, tell_result, site, &site->err);
    return (rc == DEED_OK || site_fail(site, "run what is due: %s", site->err.text)) &&
        site->shared->failure[0] == '\0';
}

bool site_reconcile(struct site *site, const char *key)
{
    fresh_result(site);
    return done(
        site, "reconcile", key, deed_reconcile(site->ledger, key, &site->result, &site->err));
}

bool site_pass(struct site *site)
{
    struct deed_pass pass = {.size = sizeof(pass)};
    deed_rc rc = deed_reconcile_pass(site->ledger, tell_result, site, &pass, &site->err);
    return (rc == DEED_OK || site_fail(site, "a pass: %s", site->err.text)) &&
        site->shared->failure[0] == '\0';
}

static struct deed_decision decision_of(const char *key)
{
    return (struct deed_decision){.size = sizeof(struct deed_decision),
        .key = key,
        .by = "ada",
        .reason = "seen at the provider"};
}

bool site_resolve(struct site *site, const char *key, deed_outcome outcome)
{
    struct deed_decision decision = decision_of(key);
    decision.outcome = outcome;
    fresh_result(site);
    return done(
        site, "resolve", key, deed_resolve(site->ledger, &decision, &site->result, &site->err));
}

bool site_evidence(struct site *site, const char *key)
{
    struct deed_evidence evidence = {.size = sizeof(evidence),
        .key = key,
        .source = "notice",
        .event_id = key,
        .outcome = DEED_APPLIED,
        .message = {"done", 4},
        .by = "ada"};
    fresh_result(site);
    return done(site, "bring evidence of", key,
        deed_evidence_add(site->ledger, &evidence, &site->result, &site->err));
}

bool site_retract(struct site *site, const char *key)
{
    struct deed_decision decision = decision_of(key);
    fresh_result(site);
    return done(
        site, "retract", key, deed_retract(site->ledger, &decision, &site->result, &site->err));
}

bool site_hold(struct site *site, const char *key)
{
    struct deed_decision decision = decision_of(key);
    fresh_result(site);
    return done(site, "hold", key, deed_hold(site->ledger, &decision, &site->result, &site->err));
}

bool site_release(struct site *site, const char *key)
{
    struct deed_decision decision = decision_of(key);
    fresh_result(site);
    return done(
        site, "release", key, deed_release(site->ledger, &decision, &site->result, &site->err));
}

bool site_get(struct site *site, const char *key)
{
    fresh_result(site);
    return deed_get(site->ledger, key, &site->result, &site->err) == DEED_OK ||
        site_fail(site, "get %s: %s", key, site->err.text);
}

/* ---- checking -------------------------------------------------------------------------------- */

/* Of each key the longest history that was told: what was told before is a part of it, if the chain is
 * whole. */
static void keep_newest(
    struct deed_crash__word *kept, size_t *count, const struct deed_crash__word *told)
{
    for (size_t i = 0; i < *count; i++) {
        if (strcmp(kept[i].key, told->key) == 0) {
            if (told->events >= kept[i].events) {
                kept[i] = *told;
            }
            return;
        }
    }
    kept[(*count)++] = *told;
}

static bool check(struct site *site, bool whole, bool ended)
{
    static struct deed_crash__word told[SITE_TOLD_MAX];
    struct site_shared *shared = site->shared;
    struct deed_crash__promises in = {
        .ledger = site->ledger,
        .world = site->world,
        .told = told,
        .asked = site_asked,
        .context = site,
        .whole = whole,
        .ended = ended,
        .looked_back = ended,
    };
    /* Whatever is due by now has landed, whether or not anybody asked the provider since. */
    if (deed_world_deliver(site->world, now_ms(shared), NULL, &site->err) != DEED_OK) {
        return site_fail(site, "the world does not go on: %s", site->err.text);
    }
    size_t count = atomic_load(&shared->told_count);
    for (size_t i = 0; i < count && i < SITE_TOLD_MAX; i++) {
        if (atomic_load(&shared->told_whole[i])) {
            keep_newest(told, &in.told_count, &shared->told[i]);
        }
    }
    bool held = deed_crash__hold(&in) || site_fail(site, "%s", in.broken);
    site->history = in.history;
    site->checked += in.checked;
    return held;
}

bool site_look(struct site *site, bool ended)
{
    return check(site, false, ended);
}

bool site_check(struct site *site)
{
    return check(site, true, false);
}
