/* SPDX-License-Identifier: MIT
 *
 * listing.c - many intents: one JSON object a line, or a table for people.
 */
#include "listing.h"

#include "text.h"
#include "times.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is printed of one intent. */
struct listing_row {
    char key[DEED_KEY_BYTES_MAX + 1];
    deed_state state;
    deed_outcome outcome;
    deed_reason reason;
    enum paint paint;
    bool disputed;
    bool held;
    bool overdue;
    bool needs_person;
    bool unserved;
    char kind[DEED_KIND_SHOWN_BYTES + 1]; /* of what is unserved */
    int64_t recorded_ms;
    const char *words;
};

static bool keep_row(struct listing *listing, const struct deed_result *result)
{
    if (listing->count == listing->capacity) {
        const size_t capacity = listing->capacity == 0 ? 64 : listing->capacity * 2;
        struct listing_row *grown = realloc(listing->rows, capacity * sizeof *grown);
        if (!grown) {
            listing->no_memory = true;
            return false;
        }
        listing->rows = grown;
        listing->capacity = capacity;
    }
    struct listing_row *row = &listing->rows[listing->count++];
    *row = (struct listing_row){.state = result->state,
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
    row->unserved = result->unserved;
    if (result->unserved) {
        memcpy(row->kind, result->kind, sizeof row->kind);
    }
    return true;
}

bool listing_visit(
    void *context, deed_rc rc, const struct deed_result *result, const struct deed_error *err)
{
    struct listing *listing = context;
    (void)rc;
    (void)err;
    if (listing->out->json) {
        json_t *object = output_object("intent");
        intent_set(object, DEED_OK, result);
        output_json(listing->out, object);
        return !listing->out->failed;
    }
    return keep_row(listing, result);
}

static void print_row(const struct output *out, const struct listing_row *row, int width)
{
    char recorded[TIME_TEXT_BYTES] = "-";
    char words[16];
    if (row->recorded_ms > 0) {
        time_text(row->recorded_ms, recorded);
    }
    (void)snprintf(words, sizeof words, "%-13s", row->words);
    (void)printf("%-*s  %-10s  ", width, row->key, deed_state_name(row->state));
    output_paint(out, row->paint, words);
    (void)printf("  %-20s  %s%s%s%s%s", recorded, deed_reason_name(row->reason),
        row->disputed && row->reason != DEED_REASON_DISPUTED ? ", disputed" : "",
        row->held && row->reason != DEED_REASON_HELD ? ", held" : "",
        row->overdue && row->reason != DEED_REASON_OVERDUE ? ", overdue" : "",
        row->needs_person ? ", needs a person" : "");
    if (row->unserved) {
        (void)fputs(", no executor for kind ", stdout);
        (void)text_write(stdout, text_of(row->kind), SIZE_MAX);
    }
    (void)fputc('\n', stdout);
}

static void print_rows(const struct output *out, const struct listing *listing)
{
    int width = 3;
    for (size_t i = 0; i < listing->count; i++) {
        const int length = (int)strlen(listing->rows[i].key);
        width = length > width ? length : width;
    }
    if (listing->count > 0) {
        (void)printf(
            "%-*s  %-10s  %-13s  %-20s  %s\n", width, "KEY", "STATE", "OUTCOME", "RECORDED", "WHY");
    }
    for (size_t i = 0; i < listing->count; i++) {
        print_row(out, &listing->rows[i], width);
    }
}

int listing_finish(struct listing *listing, struct cli *cli, deed_rc rc, struct deed_error *err)
{
    if (rc == DEED_OK && listing->no_memory) {
        rc = cli_no_memory(err);
    }
    if (rc == DEED_OK && !listing->out->json) {
        print_rows(listing->out, listing);
    }
    free(listing->rows);
    listing->rows = NULL;
    return rc == DEED_OK ? 0 : cli_fail(cli, rc, err);
}
