/* SPDX-License-Identifier: MIT */
#include "support/every_call.h"

#include "support/test.h"
#include "support/visits.h"

#include <dirent.h>

#include <deed/evidence.h>
#include <deed/outbox.h>

/* ---- the calls ------------------------------------------------------------------------------ */

static struct deed_payload payload_of(void)
{
    struct deed_payload payload = {{"payment", 7}, {"provider", 8}, {"amount=1", 8}};
    return payload;
}

static struct deed_record record_of(const char *key, const struct deed_payload *payload)
{
    struct deed_record record = {.size = sizeof(record), .key = key, .payload = payload};
    return record;
}

static deed_rc prepare(void *self, const struct deed_request *request,
    struct deed_preparation *preparation_out, struct deed_error *err)
{
    (void)self;
    (void)request;
    (void)preparation_out;
    (void)err;
    return DEED_OK;
}

static void attempt(void *self, const struct deed_call *call, struct deed_answer *answer_out)
{
    (void)self;
    (void)call;
    (void)answer_out;
}

static deed_rc call_register(deed_ledger *ledger, const char *key, struct deed_error *err)
{
    (void)key;
    static unsigned number;
    static deed_executor executor = {.size = sizeof(executor),
        .name = "every",
        .version = "1",
        .flags = DEED_EXECUTOR_MOCK,
        .prepare = prepare,
        .attempt = attempt};
    char kind[32];
    (void)snprintf(kind, sizeof(kind), "kind-%u", ++number);
    return deed_ledger_register(ledger, kind, &executor, NULL, err);
}

static deed_rc call_info(deed_ledger *ledger, const char *key, struct deed_error *err)
{
    (void)key;
    struct deed_ledger_info info = {.size = sizeof(info)};
    return deed_ledger_info(ledger, &info, err);
}

static deed_rc call_get(deed_ledger *ledger, const char *key, struct deed_error *err)
{
    struct deed_result result = {.size = sizeof(result)};
    return deed_get(ledger, key, &result, err);
}

static deed_rc call_record(deed_ledger *ledger, const char *key, struct deed_error *err)
{
    struct deed_payload payload = payload_of();
    struct deed_record record = record_of(key, &payload);
    return deed_record(ledger, &record, NULL, err);
}

static deed_rc call_record_many(deed_ledger *ledger, const char *key, struct deed_error *err)
{
    struct deed_payload payload = payload_of();
    struct deed_record record = record_of(key, &payload);
    return deed_record_many(ledger, &record, 1, see_result, NULL, err);
}

static deed_rc call_plan(deed_ledger *ledger, const char *key, struct deed_error *err)
{
    struct deed_plan plan = {.size = sizeof(plan)};
    return deed_plan(ledger, key, NULL, 0, &plan, NULL, err);
}

static deed_rc call_begin(deed_ledger *ledger, const char *key, struct deed_error *err)
{
    struct deed_plan plan = {.size = sizeof(plan)};
    deed_rc rc = deed_plan(ledger, key, NULL, 0, &plan, NULL, err);
    struct deed_binding binding = {.size = sizeof(binding),
        .executor = "by-hand",
        .executor_version = "1",
        .account_scope = "",
        .endpoint = "",
        .provider_key = plan.provider_key,
        .bytes = (const uint8_t *)"x",
        .bytes_count = 1};
    struct deed_begin begin = {.size = sizeof(begin), .key = key, .binding = &binding};
    struct deed_attempt made = {.size = sizeof(made)};
    (void)rc; /* refused or not: begin has its own answer */
    return deed_begin(ledger, &begin, &made, NULL, err);
}

static const uint8_t token[DEED_TOKEN_BYTES] = "of no attempt 1";

static deed_rc call_may_send(deed_ledger *ledger, const char *key, struct deed_error *err)
{
    (void)key;
    return deed_may_send(ledger, token, err);
}

static deed_rc call_finish(deed_ledger *ledger, const char *key, struct deed_error *err)
{
    struct deed_answer answer = {.size = sizeof(answer)};
    return deed_finish(ledger, key, token, &answer, NULL, err);
}

static deed_rc call_run(deed_ledger *ledger, const char *key, struct deed_error *err)
{
    return deed_run(ledger, key, 0, NULL, err);
}

static deed_rc call_run_due(deed_ledger *ledger, const char *key, struct deed_error *err)
{
    (void)key;
    return deed_run_due(ledger, see_result, NULL, err);
}

static deed_rc call_reconcile(deed_ledger *ledger, const char *key, struct deed_error *err)
{
    return deed_reconcile(ledger, key, NULL, err);
}

static deed_rc call_pass(deed_ledger *ledger, const char *key, struct deed_error *err)
{
    (void)key;
    struct deed_pass pass = {.size = sizeof(pass)};
    return deed_reconcile_pass(ledger, see_result, NULL, &pass, err);
}

static struct deed_decision decision_of(const char *key)
{
    struct deed_decision decision = {.size = sizeof(decision),
        .key = key,
        .by = "a tester",
        .reason = "to see",
        .outcome = DEED_APPLIED,
        .evidence = "it was seen"};
    return decision;
}

static deed_rc call_resolve(deed_ledger *ledger, const char *key, struct deed_error *err)
{
    struct deed_decision decision = decision_of(key);
    return deed_resolve(ledger, &decision, NULL, err);
}

static deed_rc call_retract(deed_ledger *ledger, const char *key, struct deed_error *err)
{
    struct deed_decision decision = decision_of(key);
    return deed_retract(ledger, &decision, NULL, err);
}

static deed_rc call_hold(deed_ledger *ledger, const char *key, struct deed_error *err)
{
    struct deed_decision decision = decision_of(key);
    return deed_hold(ledger, &decision, NULL, err);
}

static deed_rc call_release(deed_ledger *ledger, const char *key, struct deed_error *err)
{
    struct deed_decision decision = decision_of(key);
    return deed_release(ledger, &decision, NULL, err);
}

static deed_rc call_list(deed_ledger *ledger, const char *key, struct deed_error *err)
{
    (void)key;
    struct deed_list list = {.size = sizeof(list), .flags = DEED_LIST_ALL};
    return deed_ledger_list(ledger, &list, see_result, NULL, err);
}

static deed_rc call_status(deed_ledger *ledger, const char *key, struct deed_error *err)
{
    (void)key;
    struct deed_status status = {.size = sizeof(status)};
    return deed_ledger_status(ledger, &status, err);
}

static deed_rc call_payload(deed_ledger *ledger, const char *key, struct deed_error *err)
{
    return deed_intent_payload(ledger, key, see_intent, NULL, err);
}

static deed_rc call_attempts(deed_ledger *ledger, const char *key, struct deed_error *err)
{
    return deed_intent_attempts(ledger, key, see_attempt, NULL, err);
}

static deed_rc call_evidence(deed_ledger *ledger, const char *key, struct deed_error *err)
{
    return deed_intent_evidence(ledger, key, see_evidence, NULL, err);
}

static deed_rc call_events(deed_ledger *ledger, const char *key, struct deed_error *err)
{
    return deed_intent_events(ledger, key, see_event, NULL, err);
}

static deed_rc call_check(deed_ledger *ledger, const char *key, struct deed_error *err)
{
    (void)key;
    struct deed_check check = {.size = sizeof(check)};
    return deed_ledger_check(ledger, see_broken, NULL, &check, err);
}

static deed_rc call_reconcile_plan(deed_ledger *ledger, const char *key, struct deed_error *err)
{
    deed_settle_step step = DEED_SETTLE_NOTHING;
    return deed_reconcile_plan(ledger, key, true, &step, NULL, err);
}

static deed_rc call_passes(deed_ledger *ledger, const char *key, struct deed_error *err)
{
    (void)key;
    return deed_ledger_passes(ledger, 0, see_pass, NULL, err);
}

static deed_rc call_find(deed_ledger *ledger, const char *key, struct deed_error *err)
{
    struct deed_find find = {.size = sizeof(find), .reference = key};
    return deed_ledger_find(ledger, &find, see_result, NULL, err);
}

static deed_rc call_evidence_add(deed_ledger *ledger, const char *key, struct deed_error *err)
{
    struct deed_evidence evidence = {.size = sizeof(evidence),
        .key = key,
        .source = "every-call",
        .event_id = key,
        .outcome = DEED_APPLIED,
        .message = {"it happened", 11},
        .by = "a tester"};
    return deed_evidence_add(ledger, &evidence, NULL, err);
}

static deed_rc verify(void *self, const struct deed_evidence *evidence, int64_t now_ms,
    struct deed_verified *verified_out, struct deed_error *err)
{
    (void)self;
    (void)evidence;
    (void)now_ms;
    (void)verified_out;
    (void)err;
    return DEED_OK;
}

static deed_rc call_register_verifier(deed_ledger *ledger, const char *key, struct deed_error *err)
{
    (void)key;
    static unsigned number;
    static struct deed_verifier verifier = {.size = sizeof(verifier), .verify = verify};
    char source[32];
    (void)snprintf(source, sizeof(source), "source-%u", ++number);
    return deed_ledger_register_verifier(ledger, source, &verifier, err);
}

static deed_rc call_drain(deed_ledger *ledger, const char *key, struct deed_error *err)
{
    (void)key;
    struct deed_drain drain = {.size = sizeof(drain)};
    return deed_outbox_drain(ledger, "no-such-outbox", see_result, NULL, &drain, err);
}

const struct every_call every_call[] = {
    {"deed_ledger_register", call_register, false},
    {"deed_ledger_info", call_info, true},
    {"deed_get", call_get, true},
    {"deed_record", call_record, true},
    {"deed_record_many", call_record_many, true},
    {"deed_plan", call_plan, true},
    {"deed_begin", call_begin, true},
    {"deed_may_send", call_may_send, true},
    {"deed_finish", call_finish, true},
    {"deed_run", call_run, true},
    {"deed_run_due", call_run_due, true},
    {"deed_reconcile", call_reconcile, true},
    {"deed_reconcile_pass", call_pass, true},
    {"deed_resolve", call_resolve, true},
    {"deed_retract", call_retract, true},
    {"deed_hold", call_hold, true},
    {"deed_release", call_release, true},
    {"deed_ledger_list", call_list, true},
    {"deed_ledger_status", call_status, true},
    {"deed_intent_payload", call_payload, true},
    {"deed_intent_attempts", call_attempts, true},
    {"deed_intent_evidence", call_evidence, true},
    {"deed_intent_events", call_events, true},
    {"deed_ledger_check", call_check, true},
    {"deed_reconcile_plan", call_reconcile_plan, true},
    {"deed_ledger_passes", call_passes, true},
    {"deed_ledger_find", call_find, true},
    {"deed_evidence_add", call_evidence_add, true},
    {"deed_ledger_register_verifier", call_register_verifier, false},
    {"deed_outbox_drain", call_drain, false},
};
const size_t every_call_count = sizeof(every_call) / sizeof(every_call[0]);

/* ---- what the headers declare ----------------------------------------------------------------- */

#define NAME_ROOM 64

static bool in_table(const char *name)
{
    for (size_t i = 0; i < every_call_count; i++) {
        if (strcmp(every_call[i].name, name) == 0) {
            return true;
        }
    }
    return strcmp(name, "deed_ledger_close") == 0;
}

static char *whole_file(const char *path)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    char *text = calloc(1, 1 << 18);
    assert_non_null(text);
    assert_in_range(fread(text, 1, (1 << 18) - 1, file), 1, (1 << 18) - 2);
    (void)fclose(file);
    return text;
}

/* Of one declaration, from DEED_API to its semicolon: the name, if a parameter is a ledger. */
static bool takes_ledger(const char *from, size_t bytes, char name[NAME_ROOM])
{
    const char *open = memchr(from, '(', bytes);
    if (open == NULL) {
        return false;
    }
    const char *parameter = strstr(open, "deed_ledger *");
    if (parameter == NULL || parameter > from + bytes || parameter[13] == '*') {
        return false;
    }
    const char *end = open;
    while (strchr(" *\n", end[-1]) != NULL) {
        end--;
    }
    const char *start = end;
    while (strchr(" *\n", start[-1]) == NULL) {
        start--;
    }
    (void)snprintf(name, NAME_ROOM, "%.*s", (int)(end - start), start);
    return true;
}

static const char *compare_header(const char *path, size_t *found)
{
    static char name[NAME_ROOM];
    char *text = whole_file(path);
    bool missing = false;
    for (char *at = strstr(text, "DEED_API "); at != NULL && !missing;
         at = strstr(at + 1, "DEED_API ")) {
        const size_t bytes = strcspn(at, ";");
        if (takes_ledger(at, bytes, name)) {
            (*found)++;
            missing = !in_table(name);
        }
    }
    free(text);
    return missing ? name : NULL;
}

const char *every_call_missing(void)
{
    static const char *const folders[] = {"deed", "deed/ext", "deed/mock"};
    const char *missing = NULL;
    size_t found = 0;
    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
        char folder[512];
        (void)snprintf(folder, sizeof(folder), DEED_SOURCE_DIR "/include/%s", folders[i]);
        DIR *entries = opendir(folder);
        assert_non_null(entries);
        const struct dirent *entry = NULL;
        while (missing == NULL && (entry = readdir(entries)) != NULL) {
            char path[1024];
            (void)snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
            if (strstr(entry->d_name, ".h") != NULL) {
                missing = compare_header(path, &found);
            }
        }
        (void)closedir(entries);
    }
    return missing == NULL && found != every_call_count + 1 ? "more than the headers declare"
                                                            : missing;
}
