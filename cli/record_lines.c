/* SPDX-License-Identifier: MIT
 *
 * record_lines.c - deed record --from: many intents, one a line.
 */
#include "record_lines.h"

#include "input.h"
#include "json_words.h"
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
        if (!json_is_string(values[i])) {
            return cli_error(err, DEED_E_INVALID, NULL, "%s %s", names[i],
                values[i] ? "must be a string" : "is missing");
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

static int record_line(struct cli *cli, const struct deed_record *common, const char *text,
    size_t bytes, size_t number)
{
    struct deed_error err = {0};
    struct deed_result result = {.size = sizeof result};
    struct line line;
    deed_rc rc = read_line(text, bytes, &line, &err);
    if (rc == DEED_OK) {
        struct deed_record record = *common;
        record.key = line.key;
        record.payload = &line.payload;
        rc = deed_record(cli->ledger, &record, &result, &err);
    }
    finish_line(&line);
    if (result.key[0] && (rc == DEED_OK || cli->out.json)) {
        intent_answer(&cli->out, rc, &result, number, INTENT_RECORDED);
    }
    if (rc != DEED_OK) {
        output_error(&cli->out, &err, number);
    }
    return deed_exit_status(rc, DEED_EXIT_OTHER, &result);
}

static bool is_blank(const char *text, size_t bytes)
{
    return strspn(text, " \t\r\n") >= bytes;
}

int record_lines(struct cli *cli, const struct deed_record *common, const char *path)
{
    struct deed_error err = {0};
    FILE *stream = NULL;
    deed_rc rc = input_open(path, &stream, &err);
    if (rc != DEED_OK) {
        return cli_fail(cli, rc, &err);
    }
    char *text = NULL;
    size_t capacity = 0;
    int status = 0;
    ssize_t bytes = 0;
    errno = 0;
    for (size_t number = 1; (bytes = getline(&text, &capacity, stream)) >= 0; number++) {
        if (!is_blank(text, (size_t)bytes)) {
            status = deed_exit_worst(status, record_line(cli, common, text, (size_t)bytes, number));
        }
    }
    if (ferror(stream)) {
        (void)cli_error(&err, DEED_E_SYSTEM, NULL,
            "%.200s cannot be read to its end: %s; the lines before are recorded", path,
            strerror(errno));
        status = deed_exit_worst(status, cli_fail(cli, err.rc, &err));
    }
    free(text);
    input_close(stream);
    return status;
}
