/* SPDX-License-Identifier: MIT
 *
 * cmd_record.c - deed record: binds a key to one action. Nothing is sent.
 */
#include "cli.h"

#include "kind_warning.h"
#include "payload_input.h"
#include "record_lines.h"
#include "record_outbox.h"
#include "text.h"
#include "times.h"

#include <string.h>

/* Exactly one of the four ways to give a payload. */
static deed_rc check_ways(const struct arguments *arguments, struct deed_error *err)
{
    static const enum option_id parts[] = {OPT_KIND, OPT_TARGET, OPT_BODY};
    static const enum option_id wholes[] = {OPT_PAYLOAD, OPT_FROM, OPT_OUTBOX, OPT_OUTBOX_SQL};
    int part_count = 0;
    int way_count = 0;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        part_count += given(arguments, parts[i]) ? 1 : 0;
    }
    for (size_t i = 0; i < sizeof wholes / sizeof wholes[0]; i++) {
        way_count += given(arguments, wholes[i]) ? 1 : 0;
    }
    way_count += part_count > 0 ? 1 : 0;
    if (way_count > 1) {
        return cli_error(err, DEED_E_INVALID, NULL,
            "the payload is given in two ways; take one of --payload, --from, --outbox, or --kind "
            "with --target and --body");
    }
    if (way_count == 0) {
        return cli_error(err, DEED_E_INVALID, NULL,
            "what is to be recorded? give --payload FILE, or --kind, --target and --body, or "
            "--from FILE, or --outbox FILE");
    }
    if (part_count == 1 || part_count == 2) {
        return cli_error(err, DEED_E_INVALID, NULL,
            "a payload has three parts: --kind, --target and --body, and one is missing");
    }
    return DEED_OK;
}

/* Many at a time bring their own keys; one needs its own. */
static deed_rc check_key(const struct arguments *arguments, struct deed_error *err)
{
    const bool outbox = given(arguments, OPT_OUTBOX);
    const bool sql = given(arguments, OPT_OUTBOX_SQL);
    const bool many = outbox || sql || given(arguments, OPT_FROM);
    if (sql && arguments->operand_count > 0) {
        return cli_error(err, DEED_E_INVALID, NULL,
            "--outbox-sql prints SQL and records nothing; leave out `%.80s`",
            arguments->operands[0]);
    }
    if (many && arguments->operand_count > 0) {
        return cli_error(err, DEED_E_INVALID, NULL,
            "--%s takes the keys from the file (action_key); leave out `%.80s`",
            outbox ? "outbox" : "from", arguments->operands[0]);
    }
    if (!many && arguments->operand_count == 0) {
        return cli_error(
            err, DEED_E_INVALID, NULL, "record needs a key: deed record KEY --payload FILE");
    }
    if (outbox && (given(arguments, OPT_NOT_AFTER) || given(arguments, OPT_HOLD))) {
        return cli_error(err, DEED_E_INVALID, NULL,
            "--outbox takes each row as the host wrote it, its not-after too; leave out "
            "--not-after and --hold");
    }
    return DEED_OK;
}

/* What holds for each record of this call. */
static deed_rc read_common(
    const struct arguments *arguments, struct deed_record *record, struct deed_error *err)
{
    const char *text = arguments->values[OPT_NOT_AFTER];
    if (record->hold_reason && record->hold_reason[0] == '\0') {
        return cli_error(err, DEED_E_INVALID, NULL,
            "--hold needs a reason: whoever finds it held will ask for one");
    }
    if (text && !time_read(text, &record->not_after_ms)) {
        return cli_error(err, DEED_E_INVALID, NULL,
            "--not-after `%.40s` is no time; write it as 2026-03-01T12:00:00Z", text);
    }
    return DEED_OK;
}

static deed_rc record_file(
    struct cli *cli, struct deed_record record, struct deed_result *result, struct deed_error *err)
{
    deed_payload_buffer *buffer = NULL;
    deed_rc rc = payload_read(cli->arguments.values[OPT_PAYLOAD], &buffer, err);
    if (rc != DEED_OK) {
        return rc;
    }
    record.payload = deed_payload_view(buffer);
    rc = deed_record(cli->ledger, &record, result, err);
    deed_payload_free(buffer);
    return rc;
}

static deed_rc record_parts(
    struct cli *cli, struct deed_record record, struct deed_result *result, struct deed_error *err)
{
    const char *const *values = cli->arguments.values;
    const struct deed_payload payload = {
        text_of(values[OPT_KIND]), text_of(values[OPT_TARGET]), text_of(values[OPT_BODY])};
    record.payload = &payload;
    return deed_record(cli->ledger, &record, result, err);
}

int cmd_record(struct cli *cli)
{
    const struct arguments *arguments = &cli->arguments;
    struct deed_error err = {0};
    struct deed_result result = {.size = sizeof result};
    struct deed_record record = {.size = sizeof record, .hold_reason = arguments->values[OPT_HOLD]};
    deed_rc rc = check_ways(arguments, &err);
    if (rc == DEED_OK) {
        rc = check_key(arguments, &err);
    }
    if (rc == DEED_OK && given(arguments, OPT_OUTBOX_SQL)) {
        return outbox_sql(cli);
    }
    if (rc == DEED_OK) {
        rc = read_common(arguments, &record, &err);
    }
    if (rc == DEED_OK) {
        rc = cli_open(cli, CLI_WRITE, &err);
    }
    if (rc != DEED_OK) {
        return cli_fail(cli, rc, &err);
    }
    if (given(arguments, OPT_FROM)) {
        return record_lines(cli, &record, arguments->values[OPT_FROM]);
    }
    if (given(arguments, OPT_OUTBOX)) {
        return record_outbox(cli, arguments->values[OPT_OUTBOX]);
    }
    struct kind_warning warning = {0};
    record.key = arguments->operands[0];
    rc = given(arguments, OPT_PAYLOAD) ? record_file(cli, record, &result, &err)
                                       : record_parts(cli, record, &result, &err);
    const int status = cli_answer(cli, INTENT_RECORDED, rc, &result, &err);
    if (rc == DEED_OK) {
        kind_warning_tell(&warning, cli, &result, 0);
    }
    kind_warning_finish(&warning);
    return status;
}
