/* SPDX-License-Identifier: MIT
 *
 * The way of deed: a ledger in SQLite on the simulated disk where the power fails, and in the
 * reference store, which loses nothing committed and all else, where a process dies. Each call of the program records its
 * action, runs it and, in doubt, reconciles once. Afterwards passes go by; what is then still in
 * doubt is said to be so, and a person who looks at the provider's books and tells the truth decides.
 */
#include "matrix.h"

#include <deed/ext/store.h>
#include <deed/reference.h>
#include <deed/sqlite.h>

#include "support/disk_ledger.h"

static struct deed_options options_of(const struct trial *trial)
{
    return (struct deed_options){.size = sizeof(struct deed_options),
        .clock = deed_sim_clock_machine(trial->clock),
        .random = deed_sim_random_source(trial->random)};
}

/* An empty ledger; the one on the disk is there. */
static bool begin_deed(struct trial *trial)
{
    const struct deed_options options = options_of(trial);
    struct deed_error err = {.text = ""};
    if (trial->memory != NULL) {
        trial->memory->close(trial->memory->self);
        trial->memory = NULL;
    }
    if (trial->on_disk) {
        return true;
    }
    deed_rc rc = deed_reference_open(NULL, &trial->memory, &err);
    rc = rc == DEED_OK ? deed_ledger_init(trial->memory, "simulated", true, &options, &err) : rc;
    if (rc != DEED_OK) {
        trial_break(trial, "no ledger: %s", err.text);
    }
    return rc == DEED_OK;
}

static deed_ledger *open_ledger(struct trial *trial)
{
    const struct deed_sqlite_options files = {.size = sizeof(files),
        .vfs = deed_disk_vfs(trial->disk),
        .random = deed_sim_random_source(trial->random)};
    const struct deed_options options = options_of(trial);
    struct deed_store *store = NULL;
    deed_ledger *ledger = NULL;
    struct deed_error err = {.text = ""};
    deed_rc rc = trial->on_disk ? deed_sqlite_open(DISK_LEDGER_PATH, &files, &store, &err)
                                : deed_reference_attach(trial->memory, NULL, &store, &err);
    trial->handle = trial->on_disk ? NULL : store;
    rc = rc == DEED_OK ? deed_ledger_open(store, &options, &ledger, &err) : rc;
    rc = rc == DEED_OK
        ? deed_ledger_register(ledger, deed_provider_class_name(trial->provider_class),
              &trial->executor, &trial->profile, &err)
        : rc;
    if (rc != DEED_OK && !trial->dead) {
        trial_break(trial, "the ledger does not open: %s", err.text);
    }
    return ledger;
}

static void close_ledger(struct trial *trial, deed_ledger *ledger)
{
    trial->handle = NULL;
    deed_ledger_close(ledger);
}

/* What a ledger may say when nothing is wrong with it. */
static void expect_normal(
    struct trial *trial, const char *what, deed_rc rc, const struct deed_error *err)
{
    bool normal = rc == DEED_OK || rc == DEED_E_CONFLICT || rc == DEED_E_IN_FLIGHT ||
        rc == DEED_E_UNCERTAIN || rc == DEED_E_NEEDS_PERSON || rc == DEED_E_NOT_YET;
    if (!normal && !trial->dead) {
        trial_break(trial, "%s says %s: %s", what, deed_rc_name(rc), err->text);
    }
}

/* ---- what it says ------------------------------------------------------------------------ */

static bool is_settled(const struct deed_result *result)
{
    return result->state == DEED_CONFIRMED || result->state == DEED_RECONCILED;
}

static void hear(struct trial *trial, unsigned intention, const struct deed_result *result)
{
    if (trial->dead || !is_settled(result)) {
        return;
    }
    if (result->outcome == DEED_APPLIED) {
        trial_claim(trial, intention, SAID_DONE, result->grade != DEED_GRADE_NONE);
    } else {
        trial_deny(trial, intention);
    }
}

/* ---- the program ------------------------------------------------------------------------- */

static void live_deed(struct trial *trial)
{
    const unsigned intention = trial->call->intention;
    const char *key = trial_key(intention);
    char text[128];
    const struct deed_payload payload =
        trial_payload(trial, trial->call->draft, text, sizeof(text));
    const struct deed_record record = {.size = sizeof(record), .key = key, .payload = &payload};
    struct deed_result result = {.size = sizeof(result)};
    struct deed_error err = {.text = ""};
    deed_ledger *ledger = open_ledger(trial);
    if (ledger == NULL) {
        return;
    }
    /* Other words under the same key are a conflict: what was recorded first is what is sent. */
    deed_rc rc = deed_record(ledger, &record, &result, &err);
    expect_normal(trial, "record", rc, &err);
    trial->met.conflicts += rc == DEED_E_CONFLICT ? 1U : 0U;
    rc = trial->dead ? rc : deed_run(ledger, key, 0, &result, &err);
    expect_normal(trial, "run", rc, &err);
    if (!trial->dead && result.uncertain) {
        rc = deed_reconcile(ledger, key, &result, &err);
        expect_normal(trial, "reconcile", rc, &err);
    }
    hear(trial, intention, &result);
    close_ledger(trial, ledger);
}

/* ---- passes ------------------------------------------------------------------------------ */

static bool expect_each(
    void *context, deed_rc rc, const struct deed_result *result, const struct deed_error *err)
{
    (void)result;
    expect_normal(context, "one of many", rc, err);
    return true;
}

/* true: everything has an end. */
static bool get_all(
    struct trial *trial, deed_ledger *ledger, struct deed_result results[MATRIX_INTENTIONS])
{
    bool ended = true;
    for (unsigned i = 0; i < trial->plan.intentions; i++) {
        struct deed_error err = {.text = ""};
        results[i] = (struct deed_result){.size = sizeof(results[i])};
        if (deed_get(ledger, trial_key(i), &results[i], &err) != DEED_OK) {
            trial_break(trial, "%s cannot be read: %s", trial_key(i), err.text);
            return true;
        }
        hear(trial, i, &results[i]);
        ended = ended && is_settled(&results[i]) && results[i].outcome == DEED_APPLIED;
    }
    return ended;
}

static void pass(struct trial *trial, deed_ledger *ledger)
{
    struct deed_pass counts = {.size = sizeof(counts)};
    struct deed_error err = {.text = ""};
    expect_normal(trial, "run_due", deed_run_due(ledger, expect_each, trial, &err), &err);
    expect_normal(
        trial, "a pass", deed_reconcile_pass(ledger, expect_each, trial, &counts, &err), &err);
}

static void decide(
    struct trial *trial, deed_ledger *ledger, unsigned intention, const struct deed_result *result)
{
    struct deed_result after = {.size = sizeof(after)};
    struct deed_error err = {.text = ""};
    struct deed_decision decision = {.size = sizeof(decision),
        .key = trial_key(intention),
        .by = "grace",
        .reason = "looked at the provider's books",
        .outcome = trial_effects(trial, intention) > 0 ? DEED_APPLIED : DEED_NOT_APPLIED};
    deed_rc rc = result->reason == DEED_REASON_RETRY_BY_NAME
        ? deed_run(ledger, decision.key, DEED_BEGIN_BY_NAME, &after, &err)
        : deed_resolve(ledger, &decision, &after, &err);
    expect_normal(trial, "a person's word", rc, &err);
    trial->met.persons++;
}

static void settle_deed(struct trial *trial)
{
    /* The lease, until nothing can land or hide any more, a second absence; the same in a new boot. */
    static const int64_t passing_ms[] = {0, 8000, 14000, 14000, 14000, 60000, 60000};
    const unsigned machine = sizeof(passing_ms) / sizeof(passing_ms[0]);
    struct deed_result results[MATRIX_INTENTIONS];
    deed_disk_enter(trial->disk, trial->process);
    deed_ledger *ledger = open_ledger(trial);
    bool ended = ledger == NULL || get_all(trial, ledger, results);
    for (unsigned round = 0; !ended && round < machine; round++) {
        trial_wait(trial, passing_ms[round]);
        pass(trial, ledger);
        ended = get_all(trial, ledger, results);
    }
    for (unsigned i = 0; !ended && i < trial->plan.intentions; i++) {
        trial->beliefs[i].uncertain = results[i].uncertain && results[i].needs_person;
    }
    for (unsigned round = 0; !ended && round < machine; round++) {
        for (unsigned i = 0; i < trial->plan.intentions; i++) {
            if (results[i].needs_person) {
                decide(trial, ledger, i, &results[i]);
            }
        }
        trial_wait(trial, 14000);
        pass(trial, ledger);
        ended = get_all(trial, ledger, results);
    }
    if (!ended) {
        trial_break(trial, "%s never ends: %s", trial_key(0), deed_reason_name(results[0].reason));
    }
    close_ledger(trial, ledger);
}

const struct way way_deed = {"deed", begin_deed, live_deed, settle_deed};
