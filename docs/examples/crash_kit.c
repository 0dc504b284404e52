/* SPDX-License-Identifier: MIT
 *
 * crash_kit.c - every crash of a program that charges a card, in any test framework. With a word as
 * its argument it tries the program that most people write first, which charges twice.
 */
#include <deed/mock/crash.h>
#include <stdio.h>
#include <stdlib.h>

/* One life of the program: what it does from its start to its end. */
static deed_crash_end with_deed(const struct deed_crash_life *life)
{
    const struct deed_payload charge = {{"keyed", 5}, {"card-7", 6}, {"{\"cents\":990}", 13}};
    const struct deed_record order = {.size = sizeof order, .key = "order-18", .payload = &charge};
    struct deed_result is = {.size = sizeof is};
    deed_rc rc = deed_record(life->ledger, &order, &is, NULL);
    rc = rc ? rc : deed_run(life->ledger, order.key, DEED_BEGIN_BY_NAME, &is, NULL);
    rc = is.uncertain ? deed_reconcile(life->ledger, order.key, &is, NULL) : rc;
    deed_sim_clock_advance(life->clock, 5000); /* instead of a sleep */
    if (is.uncertain || is.needs_person || is.outcome == DEED_REJECTED) {
        return DEED_CRASH_UNCERTAIN; /* not known, or refused for good: the ledger says which */
    }
    return !rc && is.outcome == DEED_APPLIED ? DEED_CRASH_DONE : DEED_CRASH_AGAIN;
}

static deed_crash_end by_hand(const struct deed_crash_life *life)
{
    char *done = life->load(life, "order-18");
    if (!done && life->send(life, "order-18", NULL, "{\"cents\":990}") == DEED_VERDICT_APPLIED) {
        return life->save(life, "order-18", "done") ? DEED_CRASH_DONE : DEED_CRASH_AGAIN;
    }
    free(done);
    return done ? DEED_CRASH_DONE : DEED_CRASH_AGAIN;
}

int main(int argc, char **argv)
{
    (void)argv;
    const bool wrong = argc > 1;
    const struct deed_crash_setup setup = {.size = sizeof setup,
        .name = "order",
        .program = wrong ? by_hand : with_deed,
        .without_ledger = wrong,
        .kills_only = true, /* begin so; without this the power fails too, */
        .no_faults = true,  /* and without this network and provider do */
        .provider = DEED_CLASS_KEYED};
    struct deed_crash_report report = {.size = sizeof report};
    struct deed_error err = {.text = ""};
    if (deed_crash_explore(&setup, &report, &err) != DEED_OK) {
        (void)printf("could not be explored: %s\n", err.text);
        return 1;
    }
    (void)printf("%llu crash points, %llu distinct states\n",
        (unsigned long long)report.counts.points, (unsigned long long)report.counts.states);
    if (report.broken) {
        (void)printf("%s: %s\n%s\n%s", report.promise, report.what, report.timeline, report.trail);
    }
    const int status = report.broken ? 10 : 0;
    deed_crash_report_clear(&report);
    return status;
}
