/* SPDX-License-Identifier: MIT
 *
 * Trap A4: "absent after horizon + lag": asked or written, and of which attempt? It is final only if
 * it was asked after horizon and lag of every attempt in doubt at the moment of writing, about every
 * key that was used.
 */
#include "support/scene.h"

/* ---- asked early ---------------------------------------------------------------------------- */

static void time_passes_before_the_answer_is_written(struct scene *scene)
{
    scene_past_visible(scene);
}

/* (a) Asked while the effect cannot be seen yet, written after horizon and lag: two effects. */
static void test_trap_a4__an_absence_counts_from_when_it_was_asked(void **state)
{
    (void)state;
    struct scene scene;
    scene_prepare(&scene, SCENE_LOOKUP);
    scene_in_world(&scene,
        "{\"class\": \"lookup\", \"lookup\": {\"lag_ms\": 1000}, \"script\": [{\"do\": \"late\", "
        "\"land\": {\"after_ms\": 5000}}, {\"do\": \"answer\"}]}");
    scene_open(&scene);
    assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
    scene_at(&scene, DEED_SEAM_PASS_AFTER_LOOK, time_passes_before_the_answer_is_written);
    assert_int_equal(scene_reconcile(&scene, 2), DEED_OK);
    scene_expect_uncertain(&scene);
    assert_int_equal(scene_run(&scene, 2, DEED_BEGIN_BY_NAME), DEED_OK);
    assert_int_equal(scene_reconcile(&scene, 2), DEED_OK); /* asked again: it is there */
    scene_expect(&scene, DEED_RECONCILED, DEED_APPLIED);
    assert_int_equal(scene_effects(&scene), 1);
    scene_check(&scene);
    scene_end(&scene);
}

/* An early absence is a note; a pass asks again when it counts, not before and not much later. */
static void test_trap_a4__an_early_absence_is_a_note_and_is_asked_again(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_LOOKUP);
    scene.provider.next_finding = DEED_FOUND_ABSENT;
    assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
    for (int64_t passed_ms = 0; passed_ms < SCENE_VISIBLE_MS; passed_ms += 1000) {
        assert_int_equal(scene_reconcile(&scene, 2), DEED_OK);
        scene_expect_uncertain(&scene);
        scene_advance(&scene, 1000);
    }
    struct deed_pass pass = {.size = sizeof(pass)};
    assert_int_equal(scene_pass(&scene, 2, &pass), DEED_OK);
    assert_int_equal(pass.settled, 1);
    scene_expect(&scene, DEED_RECONCILED, DEED_NOT_APPLIED);
    assert_int_equal(scene.result.grade, DEED_GRADE_PROVIDER_ABSENT_FINAL);
    scene_check(&scene);
    scene_end(&scene);
}

static void incomplete(
    struct scene *scene, const struct deed_question *question, struct deed_finding *finding)
{
    (void)scene;
    (void)question;
    finding->kind = DEED_FOUND_ABSENT; /* on the page that was read */
}

static void test_trap_a4__an_answer_that_was_not_seen_whole_is_no_absence(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_LOOKUP);
    scene.provider.lookup = incomplete;
    assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
    scene_past_visible(&scene);
    assert_int_equal(scene_reconcile(&scene, 2), DEED_OK);
    scene_expect_uncertain(&scene);
    scene_check(&scene);
    scene_end(&scene);
}

/* Where a look-up lags by an unknown replica one absence is none: two, one lag apart. */
static void test_trap_a4__an_eventually_consistent_absence_is_asked_twice_one_lag_apart(
    void **state)
{
    (void)state;
    struct scene scene;
    scene_prepare(&scene, SCENE_LOOKUP);
    scene.profile.consistency = DEED_CONSISTENCY_EVENTUAL;
    scene_in_world(&scene,
        "{\"class\": \"lookup\", \"lookup\": {\"consistency\": \"eventual\", \"stale_looks\": 1}, "
        "\"script\": {\"do\": \"lose\"}}");
    scene_open(&scene);
    assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
    scene_past_visible(&scene);
    assert_int_equal(scene_reconcile(&scene, 2), DEED_OK); /* a replica that is behind */
    scene_expect_uncertain(&scene);
    scene_advance(&scene, SCENE_LAG_MS);
    assert_int_equal(scene_reconcile(&scene, 2), DEED_OK);
    scene_expect(&scene, DEED_RECONCILED, DEED_APPLIED);
    assert_int_equal(scene_effects(&scene), 1);
    scene_check(&scene);
    scene_end(&scene);
}

static void test_trap_a4__two_absences_in_one_lag_are_one(void **state)
{
    (void)state;
    struct scene scene;
    scene_prepare(&scene, SCENE_LOOKUP);
    scene.profile.consistency = DEED_CONSISTENCY_EVENTUAL;
    scene_open(&scene);
    scene.provider.next_finding = DEED_FOUND_ABSENT;
    assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
    scene_past_visible(&scene);
    assert_int_equal(scene_reconcile(&scene, 2), DEED_OK);
    scene_advance(&scene, SCENE_LAG_MS - 1);
    assert_int_equal(scene_reconcile(&scene, 2), DEED_OK);
    scene_expect_uncertain(&scene);
    scene_advance(&scene, SCENE_LAG_MS);
    assert_int_equal(scene_reconcile(&scene, 2), DEED_OK);
    scene_expect(&scene, DEED_RECONCILED, DEED_NOT_APPLIED);
    scene_check(&scene);
    scene_end(&scene);
}

/* ---- of every attempt ------------------------------------------------------------------------- */

/* (b) Attempt 1 may land until second 20, its replay until second 9. Judged by the replay alone,
 * attempt 1 lands after `not_applied`. */
static void test_trap_a4__an_absence_waits_for_the_attempt_that_lands_last(void **state)
{
    (void)state;
    struct scene scene;
    scene_prepare(&scene, SCENE_KEYED_LOOKUP);
    scene.profile.landing_ms = 19000;
    scene_in_world(&scene,
        "{\"class\": \"keyed+lookup\", \"window_ms\": 60000, \"script\": [{\"do\": \"late\", "
        "\"land\": {\"after_ms\": 18000}}, {\"do\": \"late\", \"effect\": false, \"land\": "
        "{\"after_ms\": 100}, \"outcome\": \"never\"}, {\"do\": \"answer\"}]}");
    scene_open(&scene);
    assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
    scene.profile.landing_ms = SCENE_LANDING_MS; /* the profile is mended while attempt 1 is out */
    scene.profile.attempts_max = 2;              /* and no third attempt hides what happens */
    scene_restart(&scene, 2);
    scene_past_lease(&scene);
    assert_int_equal(scene_reconcile(&scene, 2), DEED_OK); /* absent; replayed: attempt 2 */
    scene_get(&scene);
    assert_int_equal(scene.result.attempt, 2);
    scene_past_visible(&scene);
    struct deed_pass pass = {.size = sizeof(pass)};
    assert_int_equal(scene_pass(&scene, 2, &pass), DEED_OK); /* of attempt 2 it would be final */
    scene_expect_uncertain(&scene);
    assert_int_equal(scene.result.attempt, 2);
    scene_advance(&scene, 20000);
    assert_int_equal(scene_pass(&scene, 2, &pass), DEED_OK);
    scene_expect(&scene, DEED_RECONCILED, DEED_APPLIED);
    assert_int_equal(scene_effects(&scene), 1);
    scene_check(&scene);
    scene_end(&scene);
}

static void another_replays(struct scene *scene)
{
    assert_int_equal(scene_reconcile(scene, 2), DEED_OK); /* its look-up fails, so it replays */
    scene_get(scene);
    assert_int_equal(scene->result.attempt, 2);
}

/* (c) Asked after attempt 1's horizon; then a replay begins and lands; then the answer is written. */
static void test_trap_a4__an_absence_says_nothing_of_a_replay_begun_since(void **state)
{
    (void)state;
    struct scene scene;
    scene_prepare(&scene, SCENE_KEYED_LOOKUP);
    scene_in_world(&scene,
        "{\"class\": \"keyed+lookup\", \"window_ms\": 60000, \"script\": {\"do\": \"error\"}}");
    scene.world_options[2] =
        "{\"class\": \"keyed+lookup\", \"window_ms\": 60000, \"script\": {\"do\": \"lose\"}, "
        "\"lookup_script\": \"error\"}";
    scene_open(&scene);
    assert_int_equal(scene_run(&scene, 1, 0), DEED_OK); /* no effect, but who knows */
    scene_past_visible(&scene);
    scene_at(&scene, DEED_SEAM_PASS_AFTER_LOOK, another_replays);
    assert_int_equal(scene_reconcile(&scene, 1), DEED_OK);
    scene_get(&scene);
    assert_int_not_equal(scene.result.outcome, DEED_NOT_APPLIED);
    assert_int_equal(scene_effects(&scene), 1);
    scene_check(&scene);
    scene_end(&scene);
}

/* ---- of every key ----------------------------------------------------------------------------- */

static void another_closes_and_sends_anew(struct scene *scene)
{
    assert_int_equal(scene_reconcile(scene, 2), DEED_OK);
    scene_expect(scene, DEED_RECONCILED, DEED_NOT_APPLIED);
    scene_advance(scene, 1000);
    assert_int_equal(scene_run(scene, 2, 0), DEED_OK); /* attempt 2, under the next key */
    scene_expect_uncertain(scene);
}

/* Two passes close key 0. The first to write settles, attempt 2 takes effect under key 1 and its
 * answer is lost; then the other writes "closed", about key 0. */
static void test_trap_a4__a_closed_key_says_nothing_of_the_next_key(void **state)
{
    (void)state;
    struct scene scene;
    scene_prepare(&scene, SCENE_CLOSABLE);
    scene_in_world(
        &scene, "{\"class\": \"closable\", \"script\": [{\"do\": \"late\"}, {\"do\": \"lose\"}]}");
    scene_open(&scene);
    assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
    scene_at(&scene, DEED_SEAM_PASS_AFTER_LOOK, another_closes_and_sends_anew);
    assert_int_equal(scene_reconcile(&scene, 1), DEED_OK);
    scene_expect_uncertain(&scene);
    scene_advance(&scene, 300000);
    assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
    assert_int_equal(scene_effects(&scene), 1);
    assert_int_equal(scene_reconcile(&scene, 1), DEED_OK);
    scene_expect(&scene, DEED_RECONCILED, DEED_APPLIED);
    scene_check(&scene);
    scene_end(&scene);
}

static char first_key[DEED_PROVIDER_KEY_BYTES];

static void shows_the_first_key_only(
    struct scene *scene, const struct deed_question *question, struct deed_finding *finding)
{
    (void)scene;
    bool first = strcmp(question->provider_key, first_key) == 0;
    finding->kind = first ? DEED_FOUND_PRESENT : DEED_FOUND_ABSENT;
    finding->complete = true;
    finding->marker_matches = first;
    finding->digest_matches = first;
}

/* A person has said of attempt 1 that it did not happen; attempt 2 went out with other bytes, so
 * under another key, and is in doubt. Of its key nothing is there; of the first one there is. */
static void test_trap_a4__an_absence_is_asked_of_every_key_that_was_used(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_LOOKUP);
    scene.provider.lookup = shows_the_first_key_only;
    assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
    memcpy(first_key, scene.provider.last_provider_key, sizeof(first_key));
    scene_past_visible(&scene);
    assert_int_equal(scene_resolve(&scene, 1, DEED_NOT_APPLIED), DEED_OK);
    scene.provider.bytes_suffix = "&api=2";
    assert_int_equal(scene_run(&scene, 1, DEED_BEGIN_BY_NAME), DEED_OK);
    assert_string_not_equal(first_key, scene.provider.last_provider_key);
    scene_past_visible(&scene);
    assert_int_equal(scene_reconcile(&scene, 1), DEED_OK);
    scene_expect(&scene, DEED_RECONCILED, DEED_APPLIED);
    scene_expect_disputed(&scene, true); /* attempt 2 may have taken effect too */
    assert_int_equal(scene.provider.sends, 2);
    scene_check(&scene);
    scene_end(&scene);
}

static deed_finding_kind of_the_first_key;

static void tells_little_of_the_first_key(
    struct scene *scene, const struct deed_question *question, struct deed_finding *finding)
{
    (void)scene;
    bool first = strcmp(question->provider_key, first_key) == 0;
    finding->kind = first ? of_the_first_key : DEED_FOUND_ABSENT;
    finding->complete = true;
}

/* The same, but of the first key the look-up cannot tell, or says that it is pending. */
static void test_trap_a4__an_absence_waits_for_a_word_about_every_key(void **state)
{
    (void)state;
    static const deed_finding_kind little[] = {DEED_FOUND_NOTHING, DEED_FOUND_PENDING};
    for (size_t i = 0; i < sizeof(little) / sizeof(little[0]); i++) {
        struct scene scene;
        scene_new(&scene, SCENE_LOOKUP);
        scene.provider.lookup = tells_little_of_the_first_key;
        of_the_first_key = little[i];
        assert_int_equal(scene_run(&scene, 1, 0), DEED_OK);
        memcpy(first_key, scene.provider.last_provider_key, sizeof(first_key));
        scene_past_visible(&scene);
        assert_int_equal(scene_resolve(&scene, 1, DEED_NOT_APPLIED), DEED_OK);
        scene.provider.bytes_suffix = "&api=2";
        assert_int_equal(scene_run(&scene, 1, DEED_BEGIN_BY_NAME), DEED_OK);
        scene_past_visible(&scene);
        assert_int_equal(scene_reconcile(&scene, 1), DEED_OK);
        scene_expect_uncertain(&scene);
        of_the_first_key = DEED_FOUND_ABSENT;
        assert_int_equal(scene_reconcile(&scene, 1), DEED_OK);
        scene_expect(&scene, DEED_RECONCILED, DEED_NOT_APPLIED);
        scene_check(&scene);
        scene_end(&scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trap_a4__an_absence_counts_from_when_it_was_asked),
        cmocka_unit_test(test_trap_a4__an_early_absence_is_a_note_and_is_asked_again),
        cmocka_unit_test(test_trap_a4__an_answer_that_was_not_seen_whole_is_no_absence),
        cmocka_unit_test(
            test_trap_a4__an_eventually_consistent_absence_is_asked_twice_one_lag_apart),
        cmocka_unit_test(test_trap_a4__two_absences_in_one_lag_are_one),
        cmocka_unit_test(test_trap_a4__an_absence_waits_for_the_attempt_that_lands_last),
        cmocka_unit_test(test_trap_a4__an_absence_says_nothing_of_a_replay_begun_since),
        cmocka_unit_test(test_trap_a4__a_closed_key_says_nothing_of_the_next_key),
        cmocka_unit_test(test_trap_a4__an_absence_is_asked_of_every_key_that_was_used),
        cmocka_unit_test(test_trap_a4__an_absence_waits_for_a_word_about_every_key),
    };
    return cmocka_run_group_tests_name("trap_a4", tests, NULL, NULL);
}
