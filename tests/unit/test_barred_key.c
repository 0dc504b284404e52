/* SPDX-License-Identifier: MIT
 *
 * Once a provider was asked to bar a key, nothing goes out under it again: the answer may have been
 * lost, and then a retry under the barred key would be refused for ever. Method: the provider here
 * really bars, and whatever goes wrong around the question, a retry must get through.
 */
#include "support/scene.h"

#include <deed/ext/error.h>

/* ---- a provider that bars ----------------------------------------------------------------------- */

static char barred[DEED_PROVIDER_KEY_BYTES];
static unsigned asked;
static bool answer_lost;
static bool accepted; /* of the next attempt: the provider has it, and has not done it */

static void cancel(
    struct scene *scene, const struct deed_question *question, struct deed_finding *finding)
{
    (void)scene;
    asked++;
    (void)snprintf(barred, sizeof(barred), "%s", question->provider_key);
    finding->kind = answer_lost ? DEED_FOUND_NOTHING : DEED_FOUND_CLOSED;
}

static void attempt(struct scene *scene, const struct deed_call *call, struct deed_answer *answer)
{
    answer->verdict = strcmp(call->provider_key, barred) == 0 ? DEED_VERDICT_UNKNOWN
                                                              : scene->provider.next_verdict;
    answer->pending = accepted;
}

static void arrange_mute(struct scene *scene, bool keyed, bool mute)
{
    barred[0] = '\0';
    asked = 0;
    answer_lost = true;
    scene_prepare(scene, SCENE_CLOSABLE);
    scene->profile.window_ms = keyed ? DEED_FOREVER : 0;
    scene->profile.prefers_wait = keyed && !mute;
    for (int w = 0; w < SCENE_WORKERS && mute; w++) {
        scene->executors[w].lookup = NULL; /* so that nothing comes before the question */
    }
    scene_open(scene);
    scene->provider.cancel = cancel;
    scene->provider.attempt = attempt;
    assert_int_equal(scene_run(scene, 0, 0), DEED_OK); /* the answer is lost */
}

static void arrange(struct scene *scene, bool keyed)
{
    arrange_mute(scene, keyed, false);
}

/* Absence becomes final, and the retry gets through: under another key. */
static void expect_retry_gets_through(struct scene *scene)
{
    scene->provider.next_finding = DEED_FOUND_ABSENT;
    scene_past_visible(scene);
    assert_int_equal(scene_reconcile(scene, 1), DEED_OK);
    scene_expect(scene, DEED_RECONCILED, DEED_NOT_APPLIED);
    scene->provider.next_verdict = DEED_VERDICT_APPLIED;
    assert_int_equal(scene_run(scene, 0, DEED_BEGIN_BY_NAME), DEED_OK);
    scene_expect(scene, DEED_CONFIRMED, DEED_APPLIED);
    scene_check(scene);
}

static void test_barred_key__a_lost_answer_does_not_bar_the_retry(void **state)
{
    (void)state;
    for (int keyed = 0; keyed <= 1; keyed++) {
        struct scene scene;
        arrange(&scene, keyed == 1);
        assert_int_equal(scene_reconcile(&scene, 1), DEED_OK);
        assert_int_equal(asked, 1);
        scene_expect_uncertain(&scene);
        expect_retry_gets_through(&scene);
        scene_end(&scene);
    }
}

/* ---- durable before the question ------------------------------------------------------------------ */

/* The handle that asked is gone at the worst moment; what a new one reads is all that counts. */
static deed_rc flags_of(void *context, const struct deed_attempt_row *row)
{
    *(uint32_t *)context |= row->flags;
    return DEED_OK;
}

static bool is_marked(struct scene *scene)
{
    uint32_t flags = 0;
    assert_int_equal(
        deed_intent_attempts(scene->workers[2], SCENE_KEY, flags_of, &flags, &scene->err), DEED_OK);
    return (flags & DEED_ATTEMPT_BARRED) != 0;
}

static bool marked_when_asked;

static void look_while_asked(
    struct scene *scene, const struct deed_question *question, struct deed_finding *finding)
{
    marked_when_asked = is_marked(scene);
    cancel(scene, question, finding);
}

static void test_barred_key__the_mark_is_durable_before_the_question(void **state)
{
    (void)state;
    struct scene scene;
    arrange(&scene, false);
    marked_when_asked = false;
    scene.provider.cancel = look_while_asked;
    unsigned looks = scene_events(&scene, DEED_EVENT_LOOK);
    assert_false(is_marked(&scene));
    assert_int_equal(scene_reconcile(&scene, 1), DEED_OK);
    assert_true(marked_when_asked);
    /* The look-up, the mark and the answer: one event each. The mark is made once. */
    assert_int_equal(scene_events(&scene, DEED_EVENT_LOOK), looks + 3);
    assert_int_equal(scene_reconcile(&scene, 1), DEED_OK);
    assert_int_equal(scene_events(&scene, DEED_EVENT_LOOK), looks + 5);
    expect_retry_gets_through(&scene);
    scene_end(&scene);
}

/* The commit of the mark fails, kept or not, once or for good: nobody asks for a bar that is not on
 * record, and where it is asked for it is. */
static void test_barred_key__nobody_asks_while_the_mark_is_not_there(void **state)
{
    (void)state;
    for (unsigned bits = 0; bits < 4; bits++) {
        struct scene scene;
        arrange_mute(&scene, false, true);
        marked_when_asked = false;
        scene.provider.cancel = look_while_asked;
        scene.faults[1].commits = 1 + bits / 2;
        scene.faults[1].kept = bits % 2 == 1;
        deed_rc rc = scene_reconcile(&scene, 1);
        bool for_good = bits == 2; /* lost, written again, and lost again */
        assert_int_equal(rc, for_good ? DEED_E_STORE : DEED_OK);
        assert_int_equal(asked, for_good ? 0 : 1);
        assert_int_equal(marked_when_asked, !for_good);
        scene_check(&scene);
        scene_end(&scene);
    }
}

/* Somebody replays while the mark waits for its turn: the key is not barred under his feet. */
static struct deed_attempt replayed;

static void replay_first(struct scene *scene)
{
    replayed = (struct deed_attempt){.size = sizeof(replayed)};
    assert_int_equal(scene_begin(scene, 2, DEED_BEGIN_REPLAY, &replayed), DEED_OK);
}

static void test_barred_key__a_replay_that_runs_is_not_barred(void **state)
{
    (void)state;
    struct scene scene;
    arrange(&scene, true);
    scene_at(&scene, DEED_SEAM_RECONCILE_COMMITTED, replay_first); /* after the look-up's answer */
    assert_int_equal(scene_reconcile(&scene, 1), DEED_OK);
    assert_int_equal(asked, 0);
    assert_false(is_marked(&scene));
    scene_end(&scene);
}

/* The mark itself finds the other's attempt, whatever was read before. */
static void test_barred_key__the_mark_is_decided_when_it_is_written(void **state)
{
    (void)state;
    struct scene scene;
    arrange_mute(&scene, true, true);
    scene.profile.attempts_max = 1; /* no replay of a pass: it goes on to bar */
    scene_restart(&scene, 1);
    scene.profile.attempts_max = 100;
    replayed.number = 0;
    scene.faults[1].at_write = replay_first;
    struct deed_pass pass = {.size = sizeof(pass)};
    assert_int_equal(scene_pass(&scene, 1, &pass), DEED_OK);
    assert_int_equal(replayed.number, 2);
    assert_int_equal(asked, 0);
    assert_false(is_marked(&scene));
    assert_int_equal(scene_finish(&scene, 2, &replayed, DEED_VERDICT_APPLIED), DEED_OK);
    scene_expect(&scene, DEED_RECONCILED, DEED_APPLIED);
    scene_check(&scene);
    scene_end(&scene);
}

/* What is accepted and pending is about to happen: it is polled and looked up, and not barred. */
static void test_barred_key__what_is_pending_is_not_barred(void **state)
{
    (void)state;
    for (int mute = 0; mute <= 1; mute++) {
        struct scene scene;
        accepted = true;
        arrange_mute(&scene, false, mute == 1);
        accepted = false;
        scene.provider.next_finding = DEED_FOUND_PENDING;
        assert_int_equal(scene_reconcile(&scene, 1), DEED_OK);
        scene_expect_uncertain(&scene);
        assert_int_equal(scene.result.reason, DEED_REASON_PENDING);
        assert_int_equal(asked, 0);
        assert_false(is_marked(&scene));
        scene_check(&scene);
        scene_end(&scene);
    }
}

/* ---- no replay under a key that may be barred ------------------------------------------------------- */

static void test_barred_key__nothing_is_replayed_under_it(void **state)
{
    (void)state;
    struct scene scene;
    arrange(&scene, true);
    assert_int_equal(scene_reconcile(&scene, 1), DEED_OK);
    assert_int_equal(asked, 1);
    unsigned sends = scene.provider.sends;
    struct deed_attempt replay = {.size = sizeof(replay)};
    scene_past_lease(&scene);
    assert_int_equal(scene_begin(&scene, 0, DEED_BEGIN_REPLAY, &replay), DEED_E_UNCERTAIN);
    assert_non_null(strstr(scene.err.text,
        "cannot be replayed: the provider was asked to bar its key, and a request under it may be "
        "refused for ever"));
    assert_int_equal(scene_reconcile(&scene, 1), DEED_OK);
    assert_int_equal(scene.provider.sends, sends);
    assert_int_equal(asked, 2); /* it is asked again instead */
    answer_lost = false;
    assert_int_equal(scene_reconcile(&scene, 1), DEED_OK);
    scene_expect(&scene, DEED_RECONCILED, DEED_NOT_APPLIED);
    scene.provider.next_verdict = DEED_VERDICT_APPLIED;
    assert_int_equal(scene_run(&scene, 0, DEED_BEGIN_BY_NAME), DEED_OK);
    scene_expect(&scene, DEED_CONFIRMED, DEED_APPLIED);
    scene_check(&scene);
    scene_end(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_barred_key__a_lost_answer_does_not_bar_the_retry),
        cmocka_unit_test(test_barred_key__the_mark_is_durable_before_the_question),
        cmocka_unit_test(test_barred_key__nobody_asks_while_the_mark_is_not_there),
        cmocka_unit_test(test_barred_key__a_replay_that_runs_is_not_barred),
        cmocka_unit_test(test_barred_key__the_mark_is_decided_when_it_is_written),
        cmocka_unit_test(test_barred_key__what_is_pending_is_not_barred),
        cmocka_unit_test(test_barred_key__nothing_is_replayed_under_it),
    };
    return cmocka_run_group_tests_name("barred_key", tests, NULL, NULL);
}
