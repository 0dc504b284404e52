/* SPDX-License-Identifier: MIT
 *
 * The plan of reconciling says what reconciling does. Method: every situation at every class of
 * provider, in several conditions of time and configuration, is planned first, which must ask nobody
 * and write nothing; then it is reconciled, by name or in a pass, and the first call that reaches
 * the executor, or the refusal, must be the one of the plan.
 */
#include "support/situation.h"

/* ---- what reaches the executor ------------------------------------------------------------------ */

static deed_settle_step first_call;

static void called(deed_settle_step step)
{
    first_call = first_call == DEED_SETTLE_NOTHING ? step : first_call;
}

static void attempt(struct scene *scene, const struct deed_call *call, struct deed_answer *answer)
{
    (void)scene;
    (void)call;
    (void)answer;
    called(DEED_SETTLE_REPLAY);
}

static void poll_handle(
    struct scene *scene, const struct deed_question *question, struct deed_finding *finding)
{
    (void)scene;
    (void)question;
    (void)finding;
    called(DEED_SETTLE_POLL);
}

static void lookup(
    struct scene *scene, const struct deed_question *question, struct deed_finding *finding)
{
    (void)scene;
    (void)question;
    (void)finding;
    called(DEED_SETTLE_LOOK_UP);
}

static void cancel(
    struct scene *scene, const struct deed_question *question, struct deed_finding *finding)
{
    (void)scene;
    (void)question;
    (void)finding;
    called(DEED_SETTLE_CANCEL);
}

static void listen(struct scene *scene)
{
    first_call = DEED_SETTLE_NOTHING;
    scene->provider.attempt = attempt;
    scene->provider.poll = poll_handle;
    scene->provider.lookup = lookup;
    scene->provider.cancel = cancel;
}

/* ---- conditions ---------------------------------------------------------------------------------- */

static void at_once(struct scene *scene)
{
    (void)scene;
}

static void later(struct scene *scene)
{
    scene_past_visible(scene);
}

static void days_later(struct scene *scene)
{
    scene_advance(scene, 2 * (int64_t)86400000);
}

static void in_another_boot(struct scene *scene)
{
    scene_reboot(scene, 60000);
}

static void held(struct scene *scene)
{
    (void)scene_hold(scene, 0);
}

static void fenced(struct scene *scene)
{
    scene_fence(scene, true);
}

static void elsewhere(struct scene *scene)
{
    scene->provider.account = "acct-9";
}

static void by_another(struct scene *scene)
{
    scene->executors[1].name = "another";
    scene_restart(scene, 1);
}

static void struck_dumb(struct scene *scene)
{
    scene->executors[1].lookup = NULL;
    scene->executors[1].poll = NULL;
    scene_restart(scene, 1);
}

/* The kind is served with other numbers now: a replay may come too late for the key. */
static void slower(struct scene *scene)
{
    scene->profile.landing_ms = SCENE_WINDOW_MS;
    scene_restart(scene, 1);
}

/* The kind is served by another executor, and who saw the doubt serves another kind, with numbers by
 * which a replay may come too late. */
static deed_executor witness;
static struct deed_profile patience;

static void moved(struct scene *scene)
{
    witness = scene->executors[1];
    patience = scene->profile;
    patience.landing_ms = SCENE_WINDOW_MS;
    scene->executors[1].name = "another";
    scene_restart(scene, 1);
    assert_int_equal(
        deed_ledger_register(scene->workers[1], "refund", &witness, &patience, &scene->err),
        DEED_OK);
}

static const struct {
    const char *name;
    void (*make)(struct scene *scene);
} conditions[] = {
    {"at once", at_once},
    {"later", later},
    {"days later", days_later},
    {"in another boot", in_another_boot},
    {"held", held},
    {"fenced", fenced},
    {"elsewhere", elsewhere},
    {"by another", by_another},
    {"struck dumb", struck_dumb},
    {"slower", slower},
    {"moved", moved},
};
#define CONDITIONS (sizeof(conditions) / sizeof(conditions[0]))

/* ---- the comparison --------------------------------------------------------------------------------- */

struct trial {
    const char *name;
    const char *condition;
    unsigned class;
    bool by_name;
};

static unsigned seen[DEED_SETTLE_PERSON + 1];
static unsigned refused;

struct told {
    deed_rc rc;
    unsigned visits;
};

static bool tell(
    void *context, deed_rc rc, const struct deed_result *result, const struct deed_error *err)
{
    struct told *told = context;
    (void)result;
    (void)err;
    told->rc = rc;
    told->visits++;
    return true;
}

static deed_rc reconcile(struct scene *scene, bool by_name)
{
    if (by_name) {
        return scene_reconcile(scene, 1);
    }
    struct told told = {DEED_OK, 0};
    struct deed_pass pass = {.size = sizeof(pass)};
    assert_int_equal(
        deed_reconcile_pass(scene->workers[1], tell, &told, &pass, &scene->err), DEED_OK);
    return told.rc;
}

/* A pass asks nobody about what is neither in doubt nor due for a look: nor does the plan. */
static void compare(struct scene *scene, const struct trial *trial)
{
    listen(scene);
    unsigned chain = scene_chain(scene);
    deed_settle_step step = DEED_SETTLE_PERSON;
    struct deed_result result = {.size = sizeof(result)};
    deed_rc planned = deed_reconcile_plan(
        scene->workers[1], SCENE_KEY, trial->by_name, &step, &result, &scene->err);
    assert_int_equal(scene_chain(scene), chain);
    assert_int_equal(first_call, DEED_SETTLE_NOTHING);
    assert_string_equal(result.key, SCENE_KEY);
    assert_true(result.replayed);
    bool asks = planned == DEED_OK && step != DEED_SETTLE_NOTHING && step != DEED_SETTLE_WAIT &&
        step != DEED_SETTLE_PERSON;
    deed_rc rc = reconcile(scene, trial->by_name);
    if (rc != planned || first_call != (asks ? step : DEED_SETTLE_NOTHING)) {
        fail_msg("%s, %s, class %u, %s: planned %s, %s; done %s, %s", trial->name, trial->condition,
            trial->class, trial->by_name ? "by name" : "in a pass", deed_rc_name(planned),
            deed_settle_step_name(step), deed_rc_name(rc), deed_settle_step_name(first_call));
    }
    if (planned == DEED_OK) {
        seen[step]++;
    } else {
        refused++;
    }
}

static void check_words(struct scene *scene)
{
    scene_get(scene);
    deed_settle_step step = DEED_SETTLE_NOTHING;
    if (deed_reconcile_plan(scene->workers[1], SCENE_KEY, true, &step, NULL, &scene->err) !=
        DEED_OK) {
        return;
    }
    assert_true(step != DEED_SETTLE_NOTHING || scene->result.state != DEED_ATTEMPTED);
    assert_true(step != DEED_SETTLE_WAIT || scene->result.state == DEED_ATTEMPTED);
    assert_true(step != DEED_SETTLE_PERSON || scene->result.needs_person);
}

static void test_settle_plan__reconciling_does_what_its_plan_says(void **state)
{
    (void)state;
    for (size_t i = 0; situation_at(i) != NULL; i++) {
        for (unsigned bits = 0; bits < SCENE_CLASSES * CONDITIONS * 2; bits++) {
            const struct situation *situation = situation_at(i);
            unsigned class = bits % SCENE_CLASSES;
            size_t condition = bits / SCENE_CLASSES % CONDITIONS;
            if ((situation->classes & (1U << class)) == 0) {
                continue;
            }
            struct trial trial = {situation->name, conditions[condition].name, class,
                bits / (SCENE_CLASSES * CONDITIONS) == 1};
            struct scene scene;
            struct situation_attempts attempts;
            memset(&attempts, 0, sizeof(attempts));
            situation->arrange(&scene, (enum scene_class) class, &attempts);
            conditions[condition].make(&scene);
            check_words(&scene);
            compare(&scene, &trial);
            scene_check(&scene);
            scene_end(&scene);
        }
    }
}

/* ---- providers that can do several things at once --------------------------------------------------- */

enum {
    KEYED = 1,
    WAITS = 2,
    EVENTUAL = 4,
    ACCEPTED = 8,
    SPENT = 16,
    ASKED = 32,
    MUTE = 64,
    MIXES = 128
};

static void arrange_mix(struct scene *scene, enum scene_class class, unsigned mix)
{
    scene_prepare(scene, class);
    scene->profile.window_ms = (mix & KEYED) != 0 ? SCENE_WINDOW_MS : 0;
    scene->profile.prefers_wait = (mix & WAITS) != 0;
    scene->profile.consistency =
        (mix & EVENTUAL) != 0 ? DEED_CONSISTENCY_EVENTUAL : scene->profile.consistency;
    scene->profile.attempts_max = (mix & SPENT) != 0 ? 1 : 100;
    for (int w = 0; w < SCENE_WORKERS && (mix & MUTE) != 0; w++) {
        scene->executors[w].lookup = NULL;
    }
    scene_open(scene);
    scene->provider.pending = (mix & ACCEPTED) != 0;
    assert_int_equal(scene_run(scene, 0, 0), DEED_OK);
    scene->provider.pending = false;
    if ((mix & ASKED) != 0) { /* nothing came of it, but it was asked, barred and maybe replayed */
        assert_int_equal(scene_reconcile(scene, 0), DEED_OK);
        scene_past_lease(scene);
    }
}

static void test_settle_plan__whatever_a_provider_can_do_together(void **state)
{
    (void)state;
    for (unsigned mix = 0; mix < MIXES; mix++) {
        for (unsigned bits = 0; bits < SCENE_CLASSES * CONDITIONS * 2; bits++) {
            size_t condition = bits / SCENE_CLASSES % CONDITIONS;
            struct trial trial = {"mixed", conditions[condition].name, bits % SCENE_CLASSES,
                bits / (SCENE_CLASSES * CONDITIONS) == 1};
            struct scene scene;
            arrange_mix(&scene, (enum scene_class)trial.class, mix);
            conditions[condition].make(&scene);
            compare(&scene, &trial);
            scene_end(&scene);
        }
    }
}

static void test_settle_plan__each_step_was_planned_somewhere_above(void **state)
{
    (void)state;
    for (int step = 0; step <= DEED_SETTLE_PERSON; step++) {
        assert_true(seen[step] > 0);
    }
    assert_true(refused > 0);
}

static void test_settle_plan__what_cannot_be_planned_is_refused(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_LOOKUP);
    deed_settle_step step = DEED_SETTLE_NOTHING;
    struct deed_result result = {.size = sizeof(result)};
    deed_ledger *ledger = scene.workers[0];
    assert_int_equal(
        deed_reconcile_plan(ledger, "no-such", true, &step, &result, &scene.err), DEED_E_NOT_FOUND);
    assert_int_equal(
        deed_reconcile_plan(ledger, "No Key", true, &step, &result, &scene.err), DEED_E_INVALID);
    assert_int_equal(
        deed_reconcile_plan(NULL, SCENE_KEY, true, &step, &result, &scene.err), DEED_E_MISUSE);
    assert_int_equal(
        deed_reconcile_plan(ledger, SCENE_KEY, true, NULL, &result, &scene.err), DEED_E_MISUSE);
    scene_end(&scene);
}

static void test_settle_plan__each_step_has_a_name(void **state)
{
    (void)state;
    for (int step = 0; step <= DEED_SETTLE_PERSON; step++) {
        assert_non_null(deed_settle_step_name((deed_settle_step)step));
        for (int other = 0; other < step; other++) {
            assert_string_not_equal(deed_settle_step_name((deed_settle_step)step),
                deed_settle_step_name((deed_settle_step)other));
        }
    }
    assert_string_equal(deed_settle_step_name(DEED_SETTLE_LOOK_UP), "look_up");
    assert_null(deed_settle_step_name((deed_settle_step)(DEED_SETTLE_PERSON + 1)));
    assert_null(deed_settle_step_name((deed_settle_step)-1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_settle_plan__reconciling_does_what_its_plan_says),
        cmocka_unit_test(test_settle_plan__whatever_a_provider_can_do_together),
        cmocka_unit_test(test_settle_plan__each_step_was_planned_somewhere_above),
        cmocka_unit_test(test_settle_plan__what_cannot_be_planned_is_refused),
        cmocka_unit_test(test_settle_plan__each_step_has_a_name),
    };
    return cmocka_run_group_tests_name("settle_plan", tests, NULL, NULL);
}
