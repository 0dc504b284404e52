/* SPDX-License-Identifier: MIT
 *
 * cmd_list.c - deed list: one intent a line, oldest first.
 */
#include "cli.h"

#include "times.h"
#include "words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is printed of one intent. Kept until all are known, so that columns fit the longest key: a
 * key is never cut. */
struct row {
    char key[DEED_KEY_BYTES_MAX + 1];
    deed_state state;
    deed_outcome outcome;
    deed_reason reason;
    enum paint paint;
    bool disputed;
    bool held;
    bool overdue;
    bool needs_person;
    int64_t recorded_ms;
    const char *words;
};

struct rows {
    struct cli *cli;
    struct row *row;
    size_t count;
    size_t capacity;
    bool no_memory;
};

static bool keep_row(struct rows *rows, const struct deed_result *result)
{
    if (rows->count == rows->capacity) {
        const size_t capacity = rows->capacity == 0 ? 64 : rows->capacity * 2;
        struct row *grown = realloc(rows->row, capacity * sizeof *grown);
        if (!grown) {
            rows->no_memory = true;
            return false;
        }
        rows->row = grown;
        rows->capacity = capacity;
    }
    struct row *row = &rows->row[rows->count++];
    *row = (struct row){.state = result->state,
        .outcome = result->outcome,
        .reason = result->reason,
        .paint = intent_paint(result),
        .disputed = result->disputed,
        .held = result->held,
        .overdue = result->overdue,
        .needs_person = result->needs_person,
        .recorded_ms = result->recorded_ms,
        .words = intent_outcome_words(result)};
    memcpy(row->key, result->key, sizeof row->key);
    return true;
}

static bool visit(
    void *context, deed_rc rc, const struct deed_result *result, const struct deed_error *err)
{
    struct rows *rows = context;
    (void)rc;
    (void)err;
    if (rows->cli->out.json) {
        json_t *object = output_object("intent");
        intent_set(object, DEED_OK, result);
        output_json(&rows->cli->out, object);
        return !rows->cli->out.failed;
    }
    return keep_row(rows, result);
}

static void print_row(const struct output *out, const struct row *row, int width)
{
    char recorded[TIME_TEXT_BYTES] = "-";
    char words[16];
    if (row->recorded_ms > 0) {
        time_text(row->recorded_ms, recorded);
    }
    (void)snprintf(words, sizeof words, "%-13s", row->words);
    (void)printf("%-*s  %-10s  ", width, row->key, deed_state_name(row->state));
    output_paint(out, row->paint, words);
    (void)printf("  %-20s  %s%s%s%s%s\n", recorded, deed_reason_name(row->reason),
        row->disputed && row->reason != DEED_REASON_DISPUTED ? ", disputed" : "",
        row->held && row->reason != DEED_REASON_HELD ? ", held" : "",
        row->overdue && row->reason != DEED_REASON_OVERDUE ? ", overdue" : "",
        row->needs_person ? ", needs a person" : "");
}

static void print_rows(const struct output *out, const struct rows *rows)
{
    int width = 3;
    for (size_t i = 0; i < rows->count; i++) {
        const int length = (int)strlen(rows->row[i].key);
        width = length > width ? length : width;
    }
    if (rows->count > 0) {
        (void)printf(
            "%-*s  %-10s  %-13s  %-20s  %s\n", width, "KEY", "STATE", "OUTCOME", "RECORDED", "WHY");
    }
    for (size_t i = 0; i < rows->count; i++) {
        print_row(out, &rows->row[i], width);
    }
}

static deed_rc wrong_word(const char *option, const char *word, struct deed_error *err)
{
    return cli_error(err, DEED_E_INVALID, NULL,
        "--%s `%.40s` is no word of the machine; `deed states` prints them", option, word);
}

static deed_rc read_number(const char *text, uint32_t *number_out, struct deed_error *err)
{
    const size_t digits = strspn(text, "0123456789");
    const long long number = digits > 0 && digits < 10 ? strtoll(text, NULL, 10) : 0;
    if (number == 0 || text[digits] != '\0') {
        return cli_error(err, DEED_E_INVALID, NULL,
            "--limit `%.40s` is no count; it is a number from 1 to 999999999", text);
    }
    *number_out = (uint32_t)number;
    return DEED_OK;
}

static uint32_t read_flags(const struct arguments *arguments)
{
    static const struct {
        enum option_id option;
        uint32_t flag;
    } flags[] = {{OPT_ALL, DEED_LIST_ALL}, {OPT_UNCERTAIN, DEED_LIST_UNCERTAIN},
        {OPT_DISPUTED, DEED_LIST_DISPUTED}, {OPT_DUE, DEED_LIST_DUE},
        {OPT_OVERDUE, DEED_LIST_OVERDUE}, {OPT_HELD, DEED_LIST_HELD}};
    uint32_t set = 0;
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        set |= given(arguments, flags[i].option) ? flags[i].flag : 0;
    }
    return set;
}

static deed_rc read_conditions(
    const struct arguments *arguments, struct deed_list *list, struct deed_error *err)
{
    const char *const *values = arguments->values;
    list->flags = read_flags(arguments);
    list->kind = values[OPT_KIND];
    list->outcome_given = given(arguments, OPT_OUTCOME);
    /* Who asks for a state or an outcome by name wants those, not the open ones among them. */
    if (values[OPT_STATE] || values[OPT_OUTCOME]) {
        list->flags |= DEED_LIST_ALL;
    }
    if (values[OPT_STATE] && !state_read(values[OPT_STATE], &list->state)) {
        return wrong_word("state", values[OPT_STATE], err);
    }
    if (values[OPT_OUTCOME] && !outcome_read(values[OPT_OUTCOME], &list->outcome)) {
        return wrong_word("outcome", values[OPT_OUTCOME], err);
    }
    if (values[OPT_OLDER_THAN] && !age_read(values[OPT_OLDER_THAN], &list->older_than_ms)) {
        return cli_error(err, DEED_E_INVALID, NULL,
            "--older-than `%.40s` is no age; write it as 90s, 15m, 2h or 7d",
            values[OPT_OLDER_THAN]);
    }
    return values[OPT_LIMIT] ? read_number(values[OPT_LIMIT], &list->limit, err) : DEED_OK;
}

int cmd_list(struct cli *cli)
{
    struct deed_error err = {0};
    struct deed_list list = {.size = sizeof list};
    struct rows rows = {.cli = cli};
    deed_rc rc = read_conditions(&cli->arguments, &list, &err);
    if (rc == DEED_OK) {
        rc = cli_open(cli, CLI_READ, &err);
    }
    if (rc == DEED_OK) {
        rc = deed_ledger_list(cli->ledger, &list, visit, &rows, &err);
    }
    if (rc == DEED_OK && rows.no_memory) {
        rc = cli_no_memory(&err);
    }
    if (rc == DEED_OK && !cli->out.json) {
        print_rows(&cli->out, &rows);
        if (rows.count == 0) {
            output_note(&cli->out, "nothing to list%s",
                list.flags & DEED_LIST_ALL ? "" : "; --all lists the settled ones too");
        }
    }
    free(rows.row);
    return rc == DEED_OK ? 0 : cli_fail(cli, rc, &err);
}
