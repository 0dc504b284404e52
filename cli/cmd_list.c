/* SPDX-License-Identifier: MIT
 *
 * cmd_list.c - deed list: one intent a line, oldest first; or the passes, newest first.
 */
#include "cli.h"

#include "listing.h"
#include "passes.h"
#include "times.h"
#include "words.h"

#include <stdlib.h>
#include <string.h>

static deed_rc wrong_word(const char *option, const char *word, struct deed_error *err)
{
    return cli_error(err, DEED_E_INVALID, NULL,
        "--%s `%.40s` is no word of the machine; `deed states` prints them", option, word);
}

static deed_rc read_limit(const char *text, uint32_t *number_out, struct deed_error *err)
{
    if (!text) {
        return DEED_OK;
    }
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
    list->after_key = values[OPT_AFTER];
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
    return read_limit(values[OPT_LIMIT], &list->limit, err);
}

/* A pass has neither state nor kind. */
static deed_rc check_passes(const struct arguments *arguments, struct deed_error *err)
{
    for (size_t i = 0; option_at(i); i++) {
        if (arguments->values[i] && !option_is_common(i) && i != OPT_PASSES && i != OPT_LIMIT) {
            return cli_error(err, DEED_E_INVALID, NULL,
                "--passes lists passes, and --%s is about intents; with --passes goes --limit "
                "alone",
                option_at(i)->name);
        }
    }
    return DEED_OK;
}

static int list_passes(struct cli *cli)
{
    struct deed_error err = {0};
    uint32_t limit = 0;
    deed_rc rc = check_passes(&cli->arguments, &err);
    if (rc == DEED_OK) {
        rc = read_limit(cli->arguments.values[OPT_LIMIT], &limit, &err);
    }
    if (rc == DEED_OK) {
        rc = cli_open(cli, CLI_READ, &err);
    }
    if (rc == DEED_OK) {
        rc = passes_print(cli, limit, &err);
    }
    return rc == DEED_OK ? 0 : cli_fail(cli, rc, &err);
}

int cmd_list(struct cli *cli)
{
    struct deed_error err = {0};
    struct deed_list list = {.size = sizeof list};
    struct listing listing = {.out = &cli->out};
    if (given(&cli->arguments, OPT_PASSES)) {
        return list_passes(cli);
    }
    deed_rc rc = read_conditions(&cli->arguments, &list, &err);
    if (rc == DEED_OK) {
        rc = cli_open(cli, CLI_READ, &err);
    }
    if (rc == DEED_OK) {
        rc = deed_ledger_list(cli->ledger, &list, listing_visit, &listing, &err);
    }
    if (rc == DEED_OK && listing.count == 0 && !listing.no_memory) {
        output_note(&cli->out, "nothing to list%s",
            list.flags & DEED_LIST_ALL ? "" : "; --all lists the settled ones too");
    }
    return listing_finish(&listing, cli, rc, &err);
}
