/* SPDX-License-Identifier: MIT
 *
 * verdict.c - the judge: counts in the world what really happened, and holds every claim against it.
 *
 *   demo-verdict ACTIONS LEDGER WORLD KILLS NAIVE-WORLD NAIVE-KILLS
 *
 * Prints the table, and ends 1 with the reason if deed doubled, lost or falsely claimed anything, if
 * too few kills landed, or if the naive loop doubled nothing.
 */
#include "actions.h"
#include "plan.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <deed/ledger.h>
#include <deed/mock/world.h>
#include <deed/sqlite.h>
#include <deed/system.h>

#define KILLS_MIN        10
#define KILLS_WINDOW_MIN 5

struct totals {
    uint64_t effects;
    uint64_t doubled; /* actions */
};

struct judge {
    struct actions actions;
    deed_ledger *ledger;
    deed_world *world;
    deed_world *naive_world;
    struct plan kills;
    struct plan naive_kills;
    struct totals deed;
    struct totals naive;
    unsigned lost;
    unsigned false_claims;
    unsigned failures;
};

DEED_PRINTF(2, 3)
static void fail(struct judge *judge, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)fputs("FAILED: ", stderr);
    (void)vfprintf(stderr, format, arguments);
    (void)fputc('\n', stderr);
    va_end(arguments);
    judge->failures++;
}

static void lost(struct judge *judge, const char *key, const char *what)
{
    judge->lost++;
    fail(judge, "deed lost %s: %s", key, what);
}

static void false_claim(struct judge *judge, const char *key, const char *what)
{
    judge->false_claims++;
    fail(judge, "deed claims something false about %s: %s", key, what);
}

/* ---- opening ----------------------------------------------------------------------------------- */

static bool open_all(struct judge *judge, char **paths, struct deed_error *err)
{
    const struct deed_sqlite_options options = {.size = sizeof options, .read_only = true};
    struct deed_store *store = NULL;
    if (!actions_read(paths[1], &judge->actions) || !plan_read(paths[4], &judge->kills) ||
        !plan_read(paths[6], &judge->naive_kills)) {
        return false;
    }
    return deed_sqlite_open(paths[2], &options, &store, err) == DEED_OK &&
        deed_ledger_open(store, NULL, &judge->ledger, err) == DEED_OK &&
        deed_world_open(paths[3], &judge->world, err) == DEED_OK &&
        deed_world_open(paths[5], &judge->naive_world, err) == DEED_OK;
}

/* Whatever is still under way lands now, before anything is counted: nothing can come later. */
static bool land_all(struct judge *judge, struct deed_error *err)
{
    struct deed_instant now;
    const struct deed_clock *clock = deed_system_clock();
    return clock->now(clock->self, &now) &&
        deed_world_land(judge->world, NULL, now.wall_ms, NULL, err) == DEED_OK &&
        deed_world_land(judge->naive_world, NULL, now.wall_ms, NULL, err) == DEED_OK;
}

static void close_all(struct judge *judge)
{
    deed_ledger_close(judge->ledger);
    deed_world_close(judge->world);
    deed_world_close(judge->naive_world);
    actions_finish(&judge->actions);
}

/* ---- one action ---------------------------------------------------------------------------------- */

struct reference {
    const char *text;
    bool found;
};

static bool match_reference(void *context, const struct deed_world_effect *effect)
{
    struct reference *reference = context;
    reference->found = reference->found || strcmp(reference->text, effect->reference) == 0;
    return true;
}

static void judge_applied(struct judge *judge, const struct deed_result *result, uint64_t effects)
{
    if (effects == 0) {
        false_claim(judge, result->key, "it says applied, and the world has no effect");
        return;
    }
    struct reference reference = {.text = result->reference};
    deed_rc rc =
        deed_world_effects_visit(judge->world, result->key, match_reference, &reference, NULL);
    if (rc != DEED_OK || !reference.found) {
        false_claim(judge, result->key, "the reference it names is not that of its effect");
    }
    if (plan_window(&judge->kills, result->key) != 0 && result->state != DEED_RECONCILED) {
        false_claim(judge, result->key, "nobody saw the answer, and it says confirmed");
    }
}

static void judge_not_done(struct judge *judge, const struct deed_result *result, uint64_t effects)
{
    struct deed_world_counts counts = {.size = sizeof counts};
    if (effects > 0) {
        false_claim(judge, result->key, "it says it did not happen, and the world has an effect");
        return;
    }
    deed_rc rc = deed_world_count(judge->world, result->key, NULL, &counts, NULL);
    if (result->outcome == DEED_REJECTED && (rc != DEED_OK || counts.rejected == 0)) {
        false_claim(judge, result->key, "it says rejected, and the provider rejected nothing");
    }
    if (result->outcome == DEED_NOT_APPLIED) {
        lost(judge, result->key, "it was never done, though nobody refused it");
    }
}

static void judge_claim(struct judge *judge, const struct deed_result *result, uint64_t effects)
{
    if (result->disputed || result->outcome == DEED_OUTCOME_NONE) {
        lost(judge, result->key, "in the end nothing is known of it");
    } else if (result->outcome == DEED_APPLIED) {
        judge_applied(judge, result, effects);
    } else {
        judge_not_done(judge, result, effects);
    }
    if (effects > 1) {
        judge->deed.doubled++;
        fail(judge, "deed doubled %s: the world has %" PRIu64 " effects", result->key, effects);
    }
}

static void print_row(const struct judge *judge, const struct deed_result *result, uint64_t effects,
    uint64_t naive_effects)
{
    char claim[48];
    char killed[24] = "";
    const char window = plan_window(&judge->kills, result->key);
    (void)snprintf(claim, sizeof claim, "%s, %s", deed_outcome_name(result->outcome),
        deed_state_name(result->state));
    if (window != 0) {
        (void)snprintf(killed, sizeof killed, "  killed, window %c", window);
    }
    (void)printf("%-22s %-12s %-22s %6" PRIu64 " %6" PRIu64 "%s%s\n", result->key,
        result->class_known ? deed_provider_class_name(result->provider_class) : "-", claim,
        effects, naive_effects,
        naive_effects > 1 ? " !"
            : killed[0]   ? "  "
                          : "",
        killed);
}

static void judge_action(struct judge *judge, const char *key)
{
    struct deed_error err = {0};
    struct deed_result result = {.size = sizeof result};
    const uint64_t effects = deed_world_effects(judge->world, key);
    const uint64_t naive_effects = deed_world_effects(judge->naive_world, key);
    deed_rc rc = deed_get(judge->ledger, key, &result, &err);
    if (effects == UINT64_MAX || naive_effects == UINT64_MAX) {
        fail(judge, "the effects of %s cannot be counted", key);
        return;
    }
    judge->deed.effects += effects;
    judge->naive.effects += naive_effects;
    judge->naive.doubled += naive_effects > 1;
    if (rc != DEED_OK) {
        lost(judge, key, err.text);
        return;
    }
    judge_claim(judge, &result, effects);
    print_row(judge, &result, effects, naive_effects);
}

/* ---- all of them --------------------------------------------------------------------------------- */

static void judge_kills(struct judge *judge)
{
    const size_t in_a = plan_windows(&judge->kills, 'a');
    const size_t in_b = plan_windows(&judge->kills, 'b');
    if (judge->kills.count < KILLS_MIN || in_a < KILLS_WINDOW_MIN || in_b < KILLS_WINDOW_MIN) {
        fail(judge, "too few kills landed: %zu in window a, %zu in window b; it takes %d in each",
            in_a, in_b, KILLS_WINDOW_MIN);
    }
    bool same = judge->kills.count == judge->naive_kills.count;
    for (size_t i = 0; same && i < judge->kills.count; i++) {
        same = strcmp(judge->kills.stops[i], judge->naive_kills.stops[i]) == 0;
    }
    if (!same) {
        fail(judge, "the naive loop was not killed where the worker was killed");
    }
}

static void judge_totals(struct judge *judge)
{
    if (deed_world_effects(judge->world, NULL) != judge->deed.effects) {
        fail(judge, "the world has effects that no action asked for");
    }
    if (judge->naive.doubled == 0) {
        fail(judge, "the naive loop doubled nothing: this shows nothing");
    }
}

static void print_totals(const struct judge *judge)
{
    (void)printf("\n%zu kills with SIGKILL: %zu in window a, %zu in window b\n", judge->kills.count,
        plan_windows(&judge->kills, 'a'), plan_windows(&judge->kills, 'b'));
    (void)printf("deed:  %zu actions, %" PRIu64 " effects, %" PRIu64
                 " doubled, %u lost, %u false claims\n",
        judge->actions.count, judge->deed.effects, judge->deed.doubled, judge->lost,
        judge->false_claims);
    (void)printf("naive: %zu actions, %" PRIu64 " effects, %" PRIu64 " doubled\n",
        judge->actions.count, judge->naive.effects, judge->naive.doubled);
}

int main(int argc, char **argv)
{
    struct deed_error err = {0};
    struct judge judge = {.failures = 0};
    if (argc != 7) {
        (void)fprintf(
            stderr, "usage: demo-verdict ACTIONS LEDGER WORLD KILLS NAIVE-WORLD NAIVE-KILLS\n");
        return 2;
    }
    if (!open_all(&judge, argv, &err) || !land_all(&judge, &err)) {
        fail(&judge, "nothing can be judged: %s", err.text);
        close_all(&judge);
        return 1;
    }
    (void)printf("%-22s %-12s %-22s %6s %6s\n", "action", "class", "deed's claim", "deed", "naive");
    for (size_t i = 0; i < judge.actions.count; i++) {
        judge_action(&judge, judge.actions.items[i].key);
    }
    print_totals(&judge);
    (void)fflush(stdout);
    judge_kills(&judge);
    judge_totals(&judge);
    if (judge.failures == 0) {
        (void)printf("verdict: each action happened once or, where refused, not at all, and deed "
                     "says so; the naive loop did %" PRIu64 " of them twice or more\n",
            judge.naive.doubled);
    }
    close_all(&judge);
    return judge.failures == 0 ? 0 : 1;
}
