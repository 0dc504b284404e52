/* SPDX-License-Identifier: MIT
 *
 * deed record --from: of any bytes, the lines that are an intent are recorded, each once, and every
 * other line is refused. What that means is written here once more, on jansson alone.
 */
#include "fuzz.h"

#include "payload_input.h"
#include "record_lines.h"

#include <deed/mock/clock.h>
#include <deed/reference.h>

#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static FILE *nowhere;
static deed_sim_clock *fuzz_clock;

void fuzz_start(void)
{
    nowhere = fopen("/dev/null", "w");
    FUZZ_DEMAND(nowhere != NULL, "/dev/null", NULL);
    FUZZ_DEMAND(
        deed_sim_clock_new(INT64_C(1700000000000), &fuzz_clock, NULL) == DEED_OK, "a clock", NULL);
}

/* ---- what should be recorded -------------------------------------------------------------- */

static struct deed_text text_of(const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);
    return (struct deed_text){json_string_value(value), json_string_length(value)};
}

/* `expected` maps keys to digests. */
static void expect_line(json_t *expected, const char *line, size_t bytes)
{
    json_t *object = memchr(line, 0, bytes) || bytes > PAYLOAD_JSON_BYTES_MAX
        ? NULL
        : json_loadb(line, bytes, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, NULL);
    const struct deed_text key = text_of(object, "action_key");
    const struct deed_payload payload = {
        text_of(object, "kind"), text_of(object, "target"), text_of(object, "body")};
    uint8_t digest[DEED_DIGEST_BYTES];
    if (json_object_size(object) == 4 && key.data && strlen(key.data) == key.bytes &&
        deed_key_check(key.data, NULL) == DEED_OK &&
        deed_payload_digest(&payload, digest, NULL) == DEED_OK &&
        !json_object_get(expected, key.data)) {
        char text[DEED_DIGEST_TEXT_BYTES];
        deed_digest_text(digest, text);
        (void)json_object_set_new(expected, key.data, json_string(text));
    }
    json_decref(object);
}

static json_t *expect_lines(const uint8_t *data, size_t size)
{
    json_t *expected = json_object();
    const char *at = (const char *)data;
    const char *end = at + size;
    while (at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *next = newline ? newline + 1 : end;
        expect_line(expected, at, (size_t)(next - at));
        at = next;
    }
    return expected;
}

/* ---- what is ------------------------------------------------------------------------------ */

static deed_ledger *open_ledger(void)
{
    struct deed_store *store = NULL;
    deed_ledger *ledger = NULL;
    const struct deed_options options = {
        .size = sizeof options, .clock = deed_sim_clock_machine(fuzz_clock)};
    FUZZ_DEMAND(deed_reference_open(NULL, &store, NULL) == DEED_OK &&
            deed_ledger_init(store, "fuzz", true, &options, NULL) == DEED_OK &&
            deed_ledger_open(store, &options, &ledger, NULL) == DEED_OK,
        "a ledger", NULL);
    return ledger;
}

static bool see(
    void *context, deed_rc rc, const struct deed_result *result, const struct deed_error *err)
{
    json_t *expected = context;
    const char *digest = json_string_value(json_object_get(expected, result->key));
    FUZZ_DEMAND(rc == DEED_OK, "an intent that cannot be listed", err ? err->text : NULL);
    FUZZ_DEMAND(digest != NULL, "recorded, and no line says so", result->key);
    FUZZ_DEMAND(strcmp(digest, result->digest) == 0, "recorded with another payload", result->key);
    (void)json_object_del(expected, result->key);
    return true;
}

static void compare(deed_ledger *ledger, json_t *expected)
{
    const struct deed_list list = {.size = sizeof list, .flags = DEED_LIST_ALL};
    struct deed_error err = {0};
    FUZZ_DEMAND(deed_ledger_list(ledger, &list, see, expected, &err) == DEED_OK,
        "the ledger cannot be listed", err.text);
    FUZZ_DEMAND(json_object_size(expected) == 0, "a good line is not recorded",
        json_object_iter_key(json_object_iter(expected)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[FUZZ_PATH_ROOM];
    const int file = fuzz_file(data, size, path);
    struct cli cli = {.ledger = open_ledger(), .out = {.json = size % 2 == 1}};
    const struct deed_record common = {.size = sizeof common};
    FILE *out = stdout;
    FILE *err = stderr;
    stdout = nowhere; /* glibc lets them be set: answers must not mix with those of the fuzzer */
    stderr = nowhere;
    const int status = record_lines(&cli, &common, path);
    stdout = out;
    stderr = err;
    FUZZ_DEMAND(status == 0 || status == 2 || status == 4, "another exit status", NULL);
    json_t *expected = expect_lines(data, size);
    compare(cli.ledger, expected);
    json_decref(expected);
    deed_ledger_close(cli.ledger);
    (void)close(file);
    return 0;
}
