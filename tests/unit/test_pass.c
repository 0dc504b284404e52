/* SPDX-License-Identifier: MIT
 *
 * Passes that are stored. Method: several intents end a pass in several ways, and the row must count
 * them as the call did; then every commit of a pass fails in turn, and the answers of the intents
 * must stand whatever becomes of the row.
 */
#include "support/scene.h"

#define WAITS   "pay-2"
#define FLAWED  "pay-3"
#define REFUSED "pay-4"

/* ---- what is stored ------------------------------------------------------------------------------ */

#define ROOM 8
struct stored {
    size_t count;
    struct deed_pass_row rows[ROOM]; /* their texts are the copies below */
    char actors[ROOM][64];
    char reasons[ROOM][512];
};

static deed_rc keep(void *context, const struct deed_pass_row *row)
{
    struct stored *stored = context;
    assert_in_range(stored->count, 0, ROOM - 1);
    size_t at = stored->count++;
    stored->rows[at] = *row;
    if (row->actor != NULL) {
        (void)snprintf(stored->actors[at], sizeof(stored->actors[at]), "%s", row->actor);
        stored->rows[at].actor = stored->actors[at];
    }
    (void)snprintf(stored->reasons[at], sizeof(stored->reasons[at]), "%s", row->reasons);
    stored->rows[at].reasons = stored->reasons[at];
    return DEED_OK;
}

static void read_stored(struct scene *scene, int w, uint32_t limit, struct stored *stored)
{
    memset(stored, 0, sizeof(*stored));
    assert_int_equal(
        deed_ledger_passes(scene->workers[w], limit, keep, stored, &scene->err), DEED_OK);
}

static size_t count_stored(struct scene *scene, int w)
{
    struct stored stored;
    read_stored(scene, w, 0, &stored);
    return stored.count;
}

/* ---- intents that end in several ways -------------------------------------------------------------- */

static void lookup(
    struct scene *scene, const struct deed_question *question, struct deed_finding *finding)
{
    (void)scene;
    finding->complete = true;
    finding->marker_matches = strcmp(question->key, FLAWED) != 0;
    finding->digest_matches = true;
    finding->kind = strcmp(question->key, WAITS) == 0 ? DEED_FOUND_NOTHING
        : strcmp(question->key, REFUSED) == 0         ? DEED_FOUND_REJECTED
                                                      : DEED_FOUND_PRESENT;
}

static void run(struct scene *scene, const char *key)
{
    struct deed_result result = {.size = sizeof(result)};
    assert_int_equal(deed_run(scene->workers[0], key, 0, &result, &scene->err), DEED_OK);
    assert_true(result.uncertain);
}

static void arrange(struct scene *scene)
{
    static const char *const keys[] = {WAITS, FLAWED, REFUSED};
    scene_new(scene, SCENE_LOOKUP);
    run(scene, SCENE_KEY);
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        scene_record(scene, keys[i]);
        run(scene, keys[i]);
    }
    scene_past_lease(scene);
    scene->provider.lookup = lookup;
}

static void lookup_accepted(
    struct scene *scene, const struct deed_question *question, struct deed_finding *finding)
{
    lookup(scene, question, finding);
    if (strcmp(question->key, WAITS) == 0) {
        finding->kind = DEED_FOUND_PENDING;
    }
}

/* In the order of the alphabet, which is not that of their numbers: canonical JSON. */
static void test_pass__stores_the_reasons_in_one_order(void **state)
{
    (void)state;
    struct scene scene;
    arrange(&scene);
    scene.provider.lookup = lookup_accepted;
    struct deed_pass pass = {.size = sizeof(pass)};
    assert_int_equal(scene_pass(&scene, 1, &pass), DEED_OK);
    struct stored stored;
    read_stored(&scene, 0, 0, &stored);
    assert_int_equal(stored.count, 1);
    assert_string_equal(stored.rows[0].reasons, "{\"answer_unknown\":1,\"pending\":1}");
    scene_end(&scene);
}

static void test_pass__is_stored_as_it_was_counted(void **state)
{
    (void)state;
    struct scene scene;
    arrange(&scene);
    struct deed_pass pass = {.size = sizeof(pass)};
    assert_int_equal(scene_pass(&scene, 1, &pass), DEED_OK);
    assert_true(pass.seen == 4 && pass.settled == 2 && pass.waiting == 1 && pass.person == 1);
    assert_int_equal(pass.failed, 0);
    assert_int_equal(pass.reasons[DEED_REASON_EVIDENCE], 0);       /* of what was left open */
    assert_int_equal(pass.reasons[DEED_REASON_ANSWER_UNKNOWN], 2); /* one of them is held */
    assert_int_equal(pass.started_ms, SCENE_START_MS + 3000);
    assert_int_equal(pass.ended_ms, SCENE_START_MS + 3000);
    struct stored stored;
    read_stored(&scene, 0, 0, &stored);
    assert_int_equal(stored.count, 1);
    const struct deed_pass_row *row = &stored.rows[0];
    assert_true(row->id > 0);
    assert_true(row->seen == pass.seen && row->settled == pass.settled);
    assert_true(row->waiting == pass.waiting && row->person == pass.person);
    assert_int_equal(row->failed, 0);
    assert_int_equal(row->started_ms, pass.started_ms);
    assert_int_equal(row->ended_ms, pass.ended_ms);
    assert_null(row->actor);
    assert_string_equal(row->reasons, "{\"answer_unknown\":2}");
    scene_check(&scene);
    scene_end(&scene);
}

/* Time passes while a provider is asked; and somebody is named who lets the pass run. */
static void slow(
    struct scene *scene, const struct deed_question *question, struct deed_finding *finding)
{
    (void)question;
    (void)finding;
    scene_advance(scene, 250);
}

static void test_pass__tells_who_and_when(void **state)
{
    (void)state;
    struct scene scene;
    arrange(&scene);
    scene.provider.lookup = slow;
    scene.actor = "night shift";
    scene_restart(&scene, 1);
    struct deed_pass pass = {.size = sizeof(pass)};
    assert_int_equal(scene_pass(&scene, 1, &pass), DEED_OK);
    struct stored stored;
    read_stored(&scene, 0, 0, &stored);
    assert_string_equal(stored.rows[0].actor, "night shift");
    assert_int_equal(stored.rows[0].ended_ms - stored.rows[0].started_ms, 4 * 250);
    assert_int_equal(stored.rows[0].waiting, 4);
    scene_end(&scene);
}

/* ---- nothing seen, nothing written ------------------------------------------------------------------ */

static void must_not_write(struct scene *scene)
{
    (void)scene;
    fail_msg("a pass that saw nothing wrote");
}

static void test_pass__that_saw_nothing_writes_nothing(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_LOOKUP);
    struct deed_pass pass = {.size = sizeof(pass)};
    scene.faults[1].at_write = must_not_write;
    assert_int_equal(scene_pass(&scene, 1, &pass), DEED_OK); /* recorded only */
    assert_int_equal(pass.seen, 0);
    assert_int_equal(pass.started_ms, SCENE_START_MS);
    assert_int_equal(pass.ended_ms, SCENE_START_MS);
    struct deed_attempt attempt = {.size = sizeof(attempt)};
    assert_int_equal(scene_begin(&scene, 0, 0, &attempt), DEED_OK);
    assert_int_equal(scene_pass(&scene, 1, &pass), DEED_OK); /* somebody is at it */
    assert_int_equal(pass.seen, 0);
    assert_int_equal(count_stored(&scene, 0), 0);
    scene.faults[1].at_write = NULL;
    scene_end(&scene);
}

/* ---- every commit fails in turn ----------------------------------------------------------------------- */

static unsigned writes;
static unsigned failing; /* the write that fails; 0: none */
static bool kept;

static void count_write(struct scene *scene)
{
    struct scene_fault *fault = &scene->faults[1];
    if (++writes == failing) {
        fault->commits = 1;
        fault->kept = kept;
    }
    fault->at_write = count_write;
}

static deed_outcome outcome_of(struct scene *scene, const char *key)
{
    struct deed_result result = {.size = sizeof(result)};
    assert_int_equal(deed_get(scene->workers[0], key, &result, &scene->err), DEED_OK);
    return result.outcome;
}

static void test_pass__whichever_commit_fails_the_answers_stand(void **state)
{
    (void)state;
    unsigned all = 0;
    for (unsigned n = 0; n == 0 || n <= 2 * all; n++) {
        struct scene scene;
        arrange(&scene);
        writes = 0;
        failing = n == 0 ? 0 : (n + 1) / 2;
        kept = n % 2 == 0;
        scene.faults[1].at_write = count_write;
        struct deed_pass pass = {.size = sizeof(pass)};
        deed_rc rc = scene_pass(&scene, 1, &pass);
        if (n == 0) {
            all = writes; /* the last of them is the row */
        }
        bool row_failed = n > 0 && failing == all;
        assert_int_equal(rc, row_failed ? DEED_E_STORE : DEED_OK);
        if (row_failed) {
            assert_non_null(strstr(scene.err.text,
                "the pass is over and each answer stands, but its counts are not stored"));
        }
        assert_int_equal(pass.seen, 4);
        assert_int_equal(count_stored(&scene, 0), row_failed && !kept ? 0 : 1);
        assert_int_equal(outcome_of(&scene, SCENE_KEY), DEED_APPLIED);
        assert_int_equal(outcome_of(&scene, REFUSED), DEED_REJECTED);
        assert_int_equal(outcome_of(&scene, WAITS), DEED_OUTCOME_NONE);
        scene.faults[1].at_write = NULL;
        struct deed_pass next = {.size = sizeof(next)};
        scene_advance(&scene, 3600000);
        assert_int_equal(scene_pass(&scene, 1, &next), DEED_OK); /* the handle goes on */
        scene_check(&scene);
        scene_end(&scene);
    }
    assert_true(all >= 5);
}

/* Who dies in the middle leaves no row, and the answers that were stored so far. */
static void look_around(struct scene *scene)
{
    assert_int_equal(count_stored(scene, 2), 0);
    scene_check(scene);
}

static void test_pass__leaves_no_row_before_its_end(void **state)
{
    (void)state;
    static const deed_seam seams[] = {
        DEED_SEAM_PASS_BEFORE_LOOK, DEED_SEAM_PASS_AFTER_LOOK, DEED_SEAM_RECONCILE_COMMITTED};
    for (size_t i = 0; i < sizeof(seams) / sizeof(seams[0]); i++) {
        struct scene scene;
        arrange(&scene);
        scene_at(&scene, seams[i], look_around);
        struct deed_pass pass = {.size = sizeof(pass)};
        assert_int_equal(scene_pass(&scene, 1, &pass), DEED_OK);
        assert_null(scene.at_seam);
        assert_int_equal(count_stored(&scene, 2), 1);
        scene_end(&scene);
    }
}

/* An intent whose answer cannot be stored has failed, and is counted as that. */
static void lose_two(
    struct scene *scene, const struct deed_question *question, struct deed_finding *finding)
{
    lookup(scene, question, finding);
    if (strcmp(question->key, SCENE_KEY) == 0) {
        scene->faults[1].commits = 2;
        scene->faults[1].kept = false;
    }
}

static void test_pass__counts_what_failed(void **state)
{
    (void)state;
    struct scene scene;
    arrange(&scene);
    scene.provider.lookup = lose_two;
    struct deed_pass pass = {.size = sizeof(pass)};
    assert_int_equal(scene_pass(&scene, 1, &pass), DEED_OK);
    assert_int_equal(pass.failed, 1);
    struct stored stored;
    read_stored(&scene, 0, 0, &stored);
    assert_int_equal(stored.count, 1);
    assert_int_equal(stored.rows[0].failed, 1);
    assert_int_equal(stored.rows[0].seen, 4);
    /* Of what failed nothing is claimed, no reason either. */
    assert_string_equal(stored.rows[0].reasons, "{\"answer_unknown\":2}");
    scene_check(&scene);
    scene_end(&scene);
}

/* ---- lists ------------------------------------------------------------------------------------------- */

static bool stop_at_once(
    void *context, deed_rc rc, const struct deed_result *result, const struct deed_error *err)
{
    (void)context;
    (void)rc;
    (void)result;
    (void)err;
    return false;
}

static void test_pass__that_was_stopped_is_stored_and_the_newest_comes_first(void **state)
{
    (void)state;
    struct scene scene;
    arrange(&scene);
    struct deed_pass pass = {.size = sizeof(pass)};
    assert_int_equal(
        deed_reconcile_pass(scene.workers[1], stop_at_once, NULL, &pass, &scene.err), DEED_OK);
    assert_int_equal(pass.seen, 1);
    scene_advance(&scene, 3600000);
    assert_int_equal(scene_pass(&scene, 1, &pass), DEED_OK);
    assert_int_equal(pass.seen, 3);
    struct stored stored;
    read_stored(&scene, 0, 0, &stored);
    assert_int_equal(stored.count, 2);
    assert_int_equal(stored.rows[0].seen, 3);
    assert_int_equal(stored.rows[1].seen, 1);
    assert_true(stored.rows[0].id > stored.rows[1].id);
    read_stored(&scene, 0, 1, &stored);
    assert_int_equal(stored.count, 1);
    assert_int_equal(stored.rows[0].seen, 3);
    assert_int_equal(
        deed_ledger_passes(scene.workers[0], 0, NULL, NULL, &scene.err), DEED_E_MISUSE);
    assert_int_equal(deed_ledger_passes(NULL, 0, keep, &stored, &scene.err), DEED_E_MISUSE);
    scene_end(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pass__stores_the_reasons_in_one_order),
        cmocka_unit_test(test_pass__is_stored_as_it_was_counted),
        cmocka_unit_test(test_pass__tells_who_and_when),
        cmocka_unit_test(test_pass__that_saw_nothing_writes_nothing),
        cmocka_unit_test(test_pass__whichever_commit_fails_the_answers_stand),
        cmocka_unit_test(test_pass__leaves_no_row_before_its_end),
        cmocka_unit_test(test_pass__counts_what_failed),
        cmocka_unit_test(test_pass__that_was_stopped_is_stored_and_the_newest_comes_first),
    };
    return cmocka_run_group_tests_name("pass", tests, NULL, NULL);
}
