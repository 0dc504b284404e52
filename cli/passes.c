/* SPDX-License-Identifier: MIT
 *
 * passes.c - passes of reconciliation, as they were stored.
 */
#include "passes.h"

#include "text.h"
#include "times.h"

#include <inttypes.h>
#include <stdio.h>

struct printing {
    struct output *out;
    json_t *newest; /* of passes_newest_json */
    uint64_t count;
};

static void set_count(json_t *object, const char *name, uint64_t count)
{
    (void)json_object_set_new(object, name, json_integer((json_int_t)count));
}

static void set_pass(json_t *object, const struct deed_pass_row *row)
{
    (void)json_object_set_new(object, "number", json_integer(row->id));
    output_set_time(object, "started_at", row->started_ms);
    output_set_time(object, "ended_at", row->ended_ms);
    output_set_text(object, "actor", row->actor);
    set_count(object, "seen", row->seen);
    set_count(object, "settled", row->settled);
    set_count(object, "waiting", row->waiting);
    set_count(object, "person", row->person);
    set_count(object, "errors", row->failed);
    json_t *reasons = row->reasons ? json_loads(row->reasons, 0, NULL) : NULL;
    (void)json_object_set_new(object, "reasons", reasons ? reasons : json_object());
}

static void print_counts(const struct deed_pass_row *row)
{
    char ended[TIME_TEXT_BYTES];
    time_text(row->ended_ms, ended);
    (void)printf("%s  %" PRIu64 " seen: %" PRIu64 " settled, %" PRIu64
                 " will be looked at again, %" PRIu64 " need a person, %" PRIu64 " errors",
        ended, row->seen, row->settled, row->waiting, row->person, row->failed);
}

/* "answer_unknown 2, pending 1": why the rest was left. */
static void print_reasons(const struct deed_pass_row *row)
{
    const char *name = NULL;
    json_t *count = NULL;
    const char *between = "    left: ";
    json_t *reasons = row->reasons ? json_loads(row->reasons, 0, NULL) : NULL;
    json_object_foreach(reasons, name, count)
    {
        (void)printf("%s%s %" JSON_INTEGER_FORMAT, between, name, json_integer_value(count));
        between = ", ";
    }
    if (json_object_size(reasons) > 0) {
        (void)fputc('\n', stdout);
    }
    json_decref(reasons);
}

static deed_rc see_pass(void *context, const struct deed_pass_row *row)
{
    struct printing *printing = context;
    printing->count++;
    if (printing->out->json) {
        json_t *object = output_object("stored_pass");
        set_pass(object, row);
        output_json(printing->out, object);
        return DEED_OK;
    }
    print_counts(row);
    if (row->actor) {
        (void)fputs(", by ", stdout);
        (void)text_write(stdout, text_of(row->actor), SIZE_MAX);
    }
    (void)fputc('\n', stdout);
    print_reasons(row);
    return DEED_OK;
}

deed_rc passes_print(struct cli *cli, uint32_t limit, struct deed_error *err)
{
    struct printing printing = {.out = &cli->out};
    deed_rc rc = deed_ledger_passes(cli->ledger, limit, see_pass, &printing, err);
    if (rc == DEED_OK && printing.count == 0) {
        output_note(&cli->out, "no pass is stored; deed reconcile makes one, if it finds anything");
    }
    return rc;
}

static deed_rc keep_newest(void *context, const struct deed_pass_row *row)
{
    struct printing *printing = context;
    printing->newest = json_object();
    set_pass(printing->newest, row);
    return DEED_OK;
}

deed_rc passes_newest_json(struct cli *cli, json_t **pass_out, struct deed_error *err)
{
    struct printing printing = {.out = &cli->out};
    deed_rc rc = deed_ledger_passes(cli->ledger, 1, keep_newest, &printing, err);
    if (rc == DEED_OK) {
        *pass_out = printing.newest ? printing.newest : json_null();
    } else {
        json_decref(printing.newest);
    }
    return rc;
}

static deed_rc print_newest(void *context, const struct deed_pass_row *row)
{
    (void)context;
    (void)printf("%-14s ", "newest pass");
    print_counts(row);
    (void)fputc('\n', stdout);
    return DEED_OK;
}

deed_rc passes_newest_print(struct cli *cli, struct deed_error *err)
{
    return deed_ledger_passes(cli->ledger, 1, print_newest, NULL, err);
}
