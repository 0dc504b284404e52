/* SPDX-License-Identifier: MIT
 *
 * cmd_status.c - deed status: counts, the oldest doubt, and what waits for a person.
 */
#include "cli.h"

#include "passes.h"
#include "text.h"
#include "times.h"
#include "words.h"

#include <inttypes.h>
#include <stdio.h>

#define WAITING_SHOWN 10

/* The oldest intents that wait for a person. */
struct waiting {
    struct deed_result items[WAITING_SHOWN];
    size_t count;
    json_t *unserved; /* how many of each kind that no executor serves */
};

static bool see_open(
    void *context, deed_rc rc, const struct deed_result *result, const struct deed_error *err)
{
    struct waiting *waiting = context;
    (void)rc;
    (void)err;
    if (result->unserved) {
        json_t *known = json_object_get(waiting->unserved, result->kind);
        (void)json_object_set_new(
            waiting->unserved, result->kind, json_integer(json_integer_value(known) + 1));
    }
    if (result->needs_person && waiting->count < WAITING_SHOWN) {
        waiting->items[waiting->count++] = *result;
    }
    return true;
}

static json_t *counts_json(const struct deed_status *status)
{
    json_t *counts = json_object();
    for (int i = DEED_RECORDED; i < STATES_END; i++) {
        json_t *of_state = json_object();
        for (int j = DEED_OUTCOME_NONE; j < OUTCOMES_END; j++) {
            if (deed_state_allows((deed_state)i, (deed_outcome)j)) {
                (void)json_object_set_new(of_state, deed_outcome_name((deed_outcome)j),
                    json_integer((json_int_t)status->counts[i][j]));
            }
        }
        (void)json_object_set_new(counts, deed_state_name((deed_state)i), of_state);
    }
    return counts;
}

static json_t *ledger_json(const struct deed_ledger_info *info)
{
    json_t *ledger = json_object();
    output_set_text(ledger, "name", info->name[0] ? info->name : NULL);
    (void)json_object_set_new(ledger, "test", json_boolean(info->test));
    (void)json_object_set_new(ledger, "fenced", json_boolean(info->fenced));
    (void)json_object_set_new(ledger, "epoch", json_integer(info->epoch));
    output_set_time(ledger, "created_at", info->created_ms);
    output_set_text(ledger, "store", info->store);
    output_set_text(ledger, "location", info->location);
    (void)json_object_set_new(ledger, "durable", json_true());
    return ledger;
}

static void set_count(json_t *object, const char *name, uint64_t count)
{
    (void)json_object_set_new(object, name, json_integer((json_int_t)count));
}

static deed_rc answer_json(struct cli *cli, const struct deed_ledger_info *info,
    const struct deed_status *status, const struct waiting *waiting, struct deed_error *err)
{
    json_t *newest_pass = NULL;
    deed_rc rc = passes_newest_json(cli, &newest_pass, err);
    if (rc != DEED_OK) {
        return rc;
    }
    json_t *object = output_object("status");
    (void)json_object_set_new(object, "ledger", ledger_json(info));
    (void)json_object_set_new(object, "counts", counts_json(status));
    set_count(object, "in_flight", status->in_flight);
    set_count(object, "uncertain", status->uncertain);
    set_count(object, "needs_person", status->needs_person);
    set_count(object, "disputed", status->disputed);
    set_count(object, "held", status->held);
    set_count(object, "overdue", status->overdue);
    set_count(object, "unserved", status->unserved);
    (void)json_object_set(object, "unserved_kinds", waiting->unserved);
    set_count(object, "due", status->due);
    output_set_text(object, "oldest_due", status->oldest_due[0] ? status->oldest_due : NULL);
    output_set_time(object, "oldest_due_at", status->oldest_due_ms);
    output_set_text(
        object, "oldest_uncertain", status->oldest_uncertain[0] ? status->oldest_uncertain : NULL);
    output_set_time(object, "oldest_uncertain_at", status->oldest_uncertain_ms);
    output_set_time(object, "now", status->now_ms);
    json_t *list = json_array();
    for (size_t i = 0; i < waiting->count; i++) {
        json_t *item = json_object();
        output_set_text(item, "key", waiting->items[i].key);
        output_set_text(item, "reason", deed_reason_name(waiting->items[i].reason));
        output_set_text(item, "next", waiting->items[i].next[0] ? waiting->items[i].next : NULL);
        (void)json_array_append_new(list, item);
    }
    (void)json_object_set_new(object, "waiting", list);
    (void)json_object_set_new(object, "newest_pass", newest_pass);
    output_json(&cli->out, object);
    return DEED_OK;
}

static void print_ledger(const struct deed_ledger_info *info)
{
    (void)printf("%-14s %s%s, %s, durable, ", "ledger",
        info->name[0] ? info->name : "(no name yet)", info->test ? " (test)" : "", info->store);
    (void)text_write(stdout, text_of(info->location), SIZE_MAX);
    (void)fputc('\n', stdout);
    if (info->fenced) {
        (void)printf("%-14s it was restored, and the gap is not closed\n", "fenced");
    }
}

static void print_state_counts(const struct deed_status *status)
{
    for (int i = DEED_RECORDED; i < STATES_END; i++) {
        uint64_t total = 0;
        for (int j = DEED_OUTCOME_NONE; j < OUTCOMES_END; j++) {
            total += status->counts[i][j];
        }
        (void)printf("%-14s %6" PRIu64, deed_state_name((deed_state)i), total);
        const char *between = "  ";
        for (int j = DEED_APPLIED; j < OUTCOMES_END; j++) {
            if (status->counts[i][j] > 0) {
                (void)printf("%s%s %" PRIu64, between, deed_outcome_name((deed_outcome)j),
                    status->counts[i][j]);
                between = ", ";
            }
        }
        (void)fputc('\n', stdout);
    }
}

static void print_count(const char *label, uint64_t count)
{
    if (count > 0) {
        (void)printf("%-14s %6" PRIu64 "\n", label, count);
    }
}

static void print_oldest(const char *key, const char *did, int64_t since_ms)
{
    if (key[0]) {
        char since[TIME_TEXT_BYTES];
        time_text(since_ms, since);
        (void)printf("  oldest: %s, %s %s", key, did, since);
    }
    (void)fputc('\n', stdout);
}

static void print_unserved(json_t *unserved)
{
    const char *kind = NULL;
    json_t *count = NULL;
    json_object_foreach(unserved, kind, count)
    {
        (void)fputs("no executor for kind ", stdout);
        (void)text_write(stdout, text_of(kind), SIZE_MAX);
        (void)printf(": %" JSON_INTEGER_FORMAT "\n", json_integer_value(count));
    }
}

static void print_status(
    const struct output *out, const struct deed_status *status, const struct waiting *waiting)
{
    print_state_counts(status);
    print_count("in flight", status->in_flight);
    output_paint(out, status->uncertain > 0 ? PAINT_DOUBT : PAINT_NONE, "uncertain     ");
    (void)printf(" %6" PRIu64, status->uncertain);
    print_oldest(status->oldest_uncertain, "attempted", status->oldest_uncertain_ms);
    if (status->due > 0) {
        (void)printf("%-14s %6" PRIu64, "due now", status->due);
        print_oldest(status->oldest_due, "since", status->oldest_due_ms);
    }
    print_count("disputed", status->disputed);
    print_count("held", status->held);
    print_count("overdue", status->overdue);
    print_unserved(waiting->unserved);
    output_paint(out, status->needs_person > 0 ? PAINT_BAD : PAINT_NONE, "needs a person");
    (void)printf(" %6" PRIu64 "\n", status->needs_person);
    for (size_t i = 0; i < waiting->count; i++) {
        (void)printf("    %s: ", waiting->items[i].key);
        intent_write_why(stdout, &waiting->items[i]);
        (void)fputc('\n', stdout);
    }
    if (status->needs_person > waiting->count) {
        (void)printf("    and %" PRIu64 " more; `deed list` has all\n",
            status->needs_person - waiting->count);
    }
    if (waiting->count > 0) {
        (void)printf("next: %s\n", waiting->items[0].next);
    } else if (status->uncertain > 0) {
        (void)fputs("next: deed reconcile\n", stdout);
    }
}

int cmd_status(struct cli *cli)
{
    struct deed_error err = {0};
    struct deed_ledger_info info = {.size = sizeof info};
    struct deed_status status = {.size = sizeof status};
    static struct waiting waiting; /* large */
    waiting = (struct waiting){.unserved = json_object()};
    const struct deed_list open_ones = {.size = sizeof open_ones};
    deed_rc rc = cli_open(cli, CLI_READ, &err);
    if (rc == DEED_OK) {
        rc = deed_ledger_info(cli->ledger, &info, &err);
    }
    if (rc == DEED_OK) {
        rc = deed_ledger_status(cli->ledger, &status, &err);
    }
    if (rc == DEED_OK && status.needs_person > 0) {
        rc = deed_ledger_list(cli->ledger, &open_ones, see_open, &waiting, &err);
    }
    if (rc == DEED_OK && cli->out.json) {
        rc = answer_json(cli, &info, &status, &waiting, &err);
    } else if (rc == DEED_OK) {
        print_ledger(&info);
        rc = passes_newest_print(cli, &err);
        if (rc == DEED_OK) {
            print_status(&cli->out, &status, &waiting);
        }
    }
    json_decref(waiting.unserved);
    if (rc != DEED_OK) {
        return cli_fail(cli, rc, &err);
    }
    return status.uncertain > 0 || status.needs_person > 0 ? DEED_EXIT_STATUS_OPEN : 0;
}
