/* SPDX-License-Identifier: MIT
 *
 * record_lines.c - deed record --from: many intents, one a line.
 */
#include "record_lines.h"

#include "input.h"
#include "json_words.h"
#include "kind_warning.h"
#include "payload_input.h"
#include "text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* One line, taken apart. */
struct line {
    json_t *object; /* owns the texts */
    const char *key;
    struct deed_payload payload;
};

static void finish_line(struct line *line)
{
    json_decref(line->object);
}

static struct deed_text member_text(const json_t *value)
{
    return (struct deed_text){json_string_value(value), json_string_length(value)};
}

static deed_rc read_members(struct line *line, struct deed_error *err)
{
    static const char *const names[] = {"action_key", "kind", "target", "body"};
    json_t *values[4];
    if (!json_is_object(line->object)) {
        return cli_error(err, DEED_E_INVALID, NULL,
            "the line is no JSON object; it needs action_key, kind, target and body");
    }
    for (size_t i = 0; i < 4; i++) {
        values[i] = json_object_get(line->object, names[i]);
        if (!values[i]) {
            return cli_error(err, DEED_E_INVALID, NULL, "%s is missing", names[i]);
        }
        if (!json_is_string(values[i])) {
            return cli_error(err, DEED_E_INVALID, NULL, "%s must be a string", names[i]);
        }
    }
    if (json_object_size(line->object) != 4) {
        return cli_error(err, DEED_E_INVALID, NULL,
            "the line has a member too many; it holds action_key, kind, target and body, no other");
    }
    /* What stands behind a NUL would not be seen by the check of the key. */
    if (strlen(json_string_value(values[0])) != json_string_length(values[0])) {
        return cli_error(
            err, DEED_E_INVALID, NULL, "action_key holds a NUL; a key is [a-z0-9-]{1,80}");
    }
    line->key = json_string_value(values[0]);
    line->payload.kind = member_text(values[1]);
    line->payload.target = member_text(values[2]);
    line->payload.body = member_text(values[3]);
    return DEED_OK;
}

static deed_rc read_line(
    const char *text, size_t bytes, struct line *line_out, struct deed_error *err)
{
    json_error_t json_error;
    *line_out = (struct line){0};
    if (bytes > PAYLOAD_JSON_BYTES_MAX) {
        return cli_error(err, DEED_E_INVALID, NULL,
            "the line is longer than %d bytes; no payload is that long", PAYLOAD_JSON_BYTES_MAX);
    }
    line_out->object =
        json_loadb(text, bytes, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &json_error);
    if (!line_out->object) {
        return cli_error(err, DEED_E_INVALID, NULL, "the line holds %s at column %d",
            json_error_words(&json_error), json_error.column);
    }
    return read_members(line_out, err);
}

/* Lines are recorded together, in one commit for so many. */
#define BATCH_LINES 200
#define BATCH_BYTES 1000000

struct batch {
    struct cli *cli;
    const struct deed_record *common;
    struct {
        size_t number;
        deed_rc rc; /* of reading the line */
        struct deed_error err;
        struct line line;
    } lines[BATCH_LINES];
    struct deed_record records[BATCH_LINES]; /* of the lines that could be read */
    size_t line_count;
    size_t record_count;
    size_t bytes;
    size_t told; /* lines that were answered */
    struct kind_warning warning;
    int status;
};

static void tell(
    struct batch *batch, deed_rc rc, const struct deed_result *result, const struct deed_error *err)
{
    struct output *out = &batch->cli->out;
    const size_t number = batch->lines[batch->told++].number;
    if (result && result->key[0] && (rc == DEED_OK || out->json)) {
        intent_answer(out, rc, result, number, INTENT_RECORDED);
    }
    if (rc != DEED_OK) {
        output_refusal(out, err, result, number);
    } else if (result) {
        kind_warning_tell(&batch->warning, batch->cli, result, number);
    }
    batch->status = deed_exit_worst(batch->status, deed_exit_status(rc, DEED_EXIT_OTHER, result));
}

/* Tells the lines that could not be read, up to the next one that could. */
static void tell_unread(struct batch *batch)
{
    while (batch->told < batch->line_count && batch->lines[batch->told].rc != DEED_OK) {
        tell(batch, batch->lines[batch->told].rc, NULL, &batch->lines[batch->told].err);
    }
}

static bool see_recorded(
    void *context, deed_rc rc, const struct deed_result *result, const struct deed_error *err)
{
    struct batch *batch = context;
    tell_unread(batch);
    tell(batch, rc, result, err);
    return true;
}

/* Records what was read so far and answers every line of it, in order. */
static deed_rc flush_batch(struct batch *batch, struct deed_error *err)
{
    deed_rc rc = deed_record_many(
        batch->cli->ledger, batch->records, batch->record_count, see_recorded, batch, err);
    if (rc == DEED_OK) {
        tell_unread(batch);
    }
    for (size_t i = 0; i < batch->line_count; i++) {
        finish_line(&batch->lines[i].line);
    }
    batch->line_count = 0;
    batch->record_count = 0;
    batch->bytes = 0;
    batch->told = 0;
    return rc;
}

static void add_line(struct batch *batch, const char *text, size_t bytes, size_t number)
{
    const size_t at = batch->line_count++;
    batch->lines[at].number = number;
    batch->lines[at].rc = read_line(text, bytes, &batch->lines[at].line, &batch->lines[at].err);
    batch->bytes += bytes;
    if (batch->lines[at].rc == DEED_OK) {
        struct deed_record *record = &batch->records[batch->record_count++];
        *record = *batch->common;
        record->key = batch->lines[at].line.key;
        record->payload = &batch->lines[at].line.payload;
    }
}

static bool is_blank(const char *text, size_t bytes)
{
    return strspn(text, " \t\r\n") >= bytes;
}

static deed_rc record_stream(
    struct batch *batch, FILE *stream, const char *path, struct deed_error *err)
{
    char *text = NULL;
    size_t capacity = 0;
    ssize_t bytes = 0;
    deed_rc rc = DEED_OK;
    errno = 0;
    for (size_t number = 1; rc == DEED_OK && (bytes = getline(&text, &capacity, stream)) >= 0;
         number++) {
        if (!is_blank(text, (size_t)bytes)) {
            add_line(batch, text, (size_t)bytes, number);
        }
        if (batch->line_count == BATCH_LINES || batch->bytes > BATCH_BYTES) {
            rc = flush_batch(batch, err);
        }
    }
    const int read_errno = errno;
    if (rc == DEED_OK) {
        rc = flush_batch(batch, err);
    }
    if (rc == DEED_OK && ferror(stream)) {
        rc = cli_error(err, DEED_E_SYSTEM, NULL,
            "%.200s cannot be read to its end: %s; the lines before are recorded", path,
            strerror(read_errno));
    }
    free(text);
    return rc;
}

int record_lines(struct cli *cli, const struct deed_record *common, const char *path)
{
    struct deed_error err = {0};
    FILE *stream = NULL;
    struct batch *batch = calloc(1, sizeof *batch);
    if (!batch) {
        return cli_fail(cli, cli_no_memory(&err), &err);
    }
    batch->cli = cli;
    batch->common = common;
    deed_rc rc = input_open(path, &stream, &err);
    if (rc == DEED_OK) {
        rc = record_stream(batch, stream, path, &err);
    }
    int status = batch->status;
    if (rc != DEED_OK) {
        status = deed_exit_worst(status, cli_fail(cli, rc, &err));
    }
    input_close(stream);
    kind_warning_finish(&batch->warning);
    free(batch);
    return status;
}
