/* SPDX-License-Identifier: MIT
 *
 * A pass that loses a race keeps its evidence as a note. Method: while one pass waits for the
 * provider's answer, another one settles the doubt; what the first then brings must be stored with
 * its excerpt, settle nothing, and take no second look away.
 */
#include "support/scene.h"

#define DAY_MS 86400000

static void (*meanwhile)(struct scene *scene);
static deed_finding_kind found;

static void asked(
    struct scene *scene, const struct deed_question *question, struct deed_finding *finding)
{
    (void)question;
    void (*act)(struct scene * scene) = meanwhile;
    meanwhile = NULL;
    finding->kind = found;
    finding->complete = true;
    finding->excerpt_bytes = (size_t)snprintf(finding->excerpt, sizeof(finding->excerpt), "late");
    if (act != NULL) {
        act(scene);
    } else { /* the pass that is faster */
        finding->excerpt_bytes =
            (size_t)snprintf(finding->excerpt, sizeof(finding->excerpt), "fast");
    }
}

struct kept {
    unsigned late; /* rows with the excerpt of who came too late */
    unsigned settled;
    deed_outcome outcome;
    deed_grade grade;
};

static deed_rc look_at(void *context, const struct deed_evidence_row *row)
{
    struct kept *kept = context;
    if (row->excerpt.bytes == 4 && memcmp(row->excerpt.data, "late", 4) == 0) {
        kept->late++;
        kept->settled += row->settled ? 1 : 0;
        kept->outcome = row->outcome;
        kept->grade = row->grade;
        assert_int_equal(row->attempt, 1);
    }
    return DEED_OK;
}

static struct kept kept_of(struct scene *scene)
{
    struct kept kept = {0};
    assert_int_equal(
        deed_intent_evidence(scene->workers[0], SCENE_KEY, look_at, &kept, &scene->err), DEED_OK);
    return kept;
}

static void expect_kept(struct scene *scene, unsigned notes)
{
    struct kept kept = kept_of(scene);
    assert_int_equal(kept.late, 1);
    assert_int_equal(kept.settled, 0);
    assert_int_equal(kept.outcome, DEED_OUTCOME_NONE); /* of its moment: it claims nothing */
    assert_int_equal(kept.grade, DEED_GRADE_NONE);
    assert_int_equal(scene_events(scene, DEED_EVENT_NOTE), notes + 1);
    scene_check(scene);
}

static void another_looks(struct scene *scene)
{
    assert_int_equal(scene_reconcile(scene, 2), DEED_OK);
}

static void a_person_says_no(struct scene *scene)
{
    assert_int_equal(scene_resolve(scene, 2, DEED_NOT_APPLIED), DEED_OK);
}

static void a_person_says_yes(struct scene *scene)
{
    assert_int_equal(scene_resolve(scene, 2, DEED_APPLIED), DEED_OK);
}

static void (*const faster[])(struct scene *scene) = {
    another_looks, a_person_says_no, a_person_says_yes};

static void test_lost_race__an_absence_is_kept_as_a_note(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(faster) / sizeof(faster[0]); i++) {
        struct scene scene;
        scene_new(&scene, SCENE_LOOKUP);
        assert_int_equal(scene_run(&scene, 0, 0), DEED_OK);
        scene_past_visible(&scene);
        scene.provider.lookup = asked;
        found = DEED_FOUND_ABSENT;
        meanwhile = faster[i];
        unsigned notes = scene_events(&scene, DEED_EVENT_NOTE);
        assert_int_equal(scene_reconcile(&scene, 1), DEED_OK);
        assert_int_equal(scene.result.state, DEED_RECONCILED);
        expect_kept(&scene, notes);
        scene_end(&scene);
    }
}

static void test_lost_race__what_a_cancel_closed_is_kept_as_a_note(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_CLOSABLE);
    assert_int_equal(scene_run(&scene, 0, 0), DEED_OK);
    scene.provider.cancel = asked;
    found = DEED_FOUND_CLOSED;
    meanwhile = another_looks;
    assert_int_equal(scene_reconcile(&scene, 1), DEED_OK);
    scene_expect(&scene, DEED_RECONCILED, DEED_NOT_APPLIED);
    expect_kept(&scene, 0);
    scene_end(&scene);
}

/* And what is pending after all stops the retry of what was said not to have happened. */
static void test_lost_race__what_is_pending_is_kept_and_holds(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_LOOKUP);
    assert_int_equal(scene_run(&scene, 0, 0), DEED_OK);
    scene_past_visible(&scene);
    scene.provider.lookup = asked;
    found = DEED_FOUND_PENDING;
    meanwhile = a_person_says_no;
    assert_int_equal(scene_reconcile(&scene, 1), DEED_OK);
    scene_expect(&scene, DEED_RECONCILED, DEED_NOT_APPLIED);
    assert_true(scene.result.held);
    expect_kept(&scene, 0);
    scene_end(&scene);
}

/* Nobody was faster: the look is told by an event, as it always was, and leaves no row. */
static void test_lost_race__a_look_that_lost_nothing_leaves_no_row(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_LOOKUP);
    assert_int_equal(scene_run(&scene, 0, 0), DEED_OK);
    scene_past_visible(&scene);
    scene.provider.lookup = asked;
    found = DEED_FOUND_ABSENT;
    meanwhile = NULL;
    assert_int_equal(scene_reconcile(&scene, 1), DEED_OK);
    unsigned looks = scene_events(&scene, DEED_EVENT_LOOK);
    scene_advance(&scene, DAY_MS);
    assert_int_equal(scene_reconcile(&scene, 1), DEED_OK); /* a second look */
    assert_int_equal(scene_events(&scene, DEED_EVENT_LOOK), looks + 1);
    assert_int_equal(scene_events(&scene, DEED_EVENT_NOTE), 0);
    assert_int_equal(kept_of(&scene).late, 0);
    scene_check(&scene);
    scene_end(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lost_race__an_absence_is_kept_as_a_note),
        cmocka_unit_test(test_lost_race__what_a_cancel_closed_is_kept_as_a_note),
        cmocka_unit_test(test_lost_race__what_is_pending_is_kept_and_holds),
        cmocka_unit_test(test_lost_race__a_look_that_lost_nothing_leaves_no_row),
    };
    return cmocka_run_group_tests_name("lost_race", tests, NULL, NULL);
}
